"""What is looked at when a candidate comes in: what is found, where, and what is left alone."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.benchmark.checks.intake import CHECK_CODES, DEFAULT, Check, MinimumLength, Settings, check
from tests.conftest import SHARED

ANY_LENGTH = Settings(least={})

ENGLISH = (
    "The harbour of the old town was built by fishermen who had lost their first boats in the flood. They raised a wall "
    "of stone and planted trees behind it, and for two hundred years no storm did any harm.\n"
    "Then the railway came. The trees were cut down for sleepers, and within a decade the sand had moved so far that no "
    "ship could reach the quay. The council met every week and decided nothing.\n"
    "What saved the town in the end was a teacher of geography. She measured the bank every morning before school, and "
    "after eleven years she could say to the day when the channel would be open again."
)
CHINESE = (
    "老城的港口是渔民们修建的，他们在洪水中失去了最早的船只。他们用石头垒起一道墙，在墙后种上树，两百年间没有一场风暴造成损失。\n"
    "后来铁路修到了这里。树木被砍下来做枕木，不到十年，泥沙移动得太远，船只再也无法靠岸。市政会每周开会，却什么也没有决定。\n"
    "最终拯救这座城的是一位地理老师。她每天早晨上课之前测量沙洲，十一年之后，她能准确地说出航道将在哪一天重新开放。"
)
GERMAN = (
    "Der Hafen der alten Stadt wurde von Fischern gebaut, die ihre ersten Boote in der Flut verloren hatten. Sie errichteten "
    "eine Mauer aus Stein und pflanzten Bäume dahinter, und zweihundert Jahre lang richtete kein Sturm Schaden an. Dann kam "
    "die Eisenbahn, und die Bäume wurden für die Schwellen gefällt."
)
TEXTS = {
    "en": ENGLISH,
    "zh": CHINESE,
    "de": GERMAN,
    "fr": "Le port de la vieille ville fut construit par des pêcheurs qui avaient perdu leurs premiers bateaux dans la crue. "
    "Ils élevèrent un mur de pierre et plantèrent des arbres derrière, et pendant deux cents ans aucune tempête ne fit de dégâts.",
    "es": "El puerto de la ciudad vieja fue construido por pescadores que habían perdido sus primeras barcas en la inundación. "
    "Levantaron un muro de piedra y plantaron árboles detrás, y durante doscientos años ninguna tormenta causó daños.",
    "ru": "Гавань старого города построили рыбаки, потерявшие свои первые лодки во время наводнения. Они возвели каменную "
    "стену и посадили за ней деревья, и двести лет ни одна буря не причиняла вреда.",
    "ja": "古い町の港は、洪水で最初の舟を失った漁師たちによって築かれた。彼らは石の壁を築き、その後ろに木を植え、二百年のあいだ嵐の被害はなかった。",
    "ko": "옛 도시의 항구는 홍수로 첫 배를 잃은 어부들이 지었다. 그들은 돌담을 쌓고 그 뒤에 나무를 심었으며 이백 년 동안 어떤 폭풍도 피해를 주지 않았다.",
    "ar": "بنى ميناء المدينة القديمة صيادون فقدوا قواربهم الأولى في الفيضان. أقاموا جدارا من الحجر وزرعوا الأشجار خلفه، ولم تسبب أي عاصفة ضررا مدة مئتي عام.",
    "hi": "पुराने शहर का बंदरगाह उन मछुआरों ने बनाया था जिन्होंने बाढ़ में अपनी पहली नावें खो दी थीं। उन्होंने पत्थर की दीवार खड़ी की और उसके पीछे पेड़ लगाए।",
    "th": "ท่าเรือของเมืองเก่าสร้างขึ้นโดยชาวประมงที่สูญเสียเรือลำแรกของพวกเขาไปในน้ำท่วม พวกเขาก่อกำแพงหินและปลูกต้นไม้ไว้ด้านหลัง",
}


def codes(text: str, direction: str = "en-zh", settings: Settings = ANY_LENGTH) -> list[str]:
    return [one.code for one in check(text, direction, settings)]


def only(text: str, direction: str = "en-zh", settings: Settings = ANY_LENGTH) -> Check:
    (found,) = check(text, direction, settings)
    return found


@pytest.mark.parametrize("language", TEXTS)
def test_a_good_text_of_any_language_passes(language: str) -> None:
    target = "zh" if language != "zh" else "en"
    assert codes(TEXTS[language], f"{language}-{target}") == []


@pytest.mark.parametrize("declared", TEXTS)
@pytest.mark.parametrize("true", TEXTS)
def test_another_language_than_declared_blocks(declared: str, true: str) -> None:
    found = [one for one in check(TEXTS[true], f"{declared}-{true}", ANY_LENGTH) if one.code == "language"]
    assert [one.severity for one in found] == ([] if declared == true else ["blocks"])


def test_a_language_that_cannot_be_told_is_only_held_against_the_target() -> None:
    assert codes(GERMAN, "xx-zh") == []
    assert codes(GERMAN, "xx-de") == ["language"]


@pytest.mark.parametrize("direction", ["", "zh", "zh-", "a-b-c"])
def test_a_direction_that_is_none_blocks(direction: str) -> None:
    assert codes(ENGLISH, direction) == ["direction"]


@pytest.mark.parametrize("direction", ["en-zh", "EN_us→zh", "en_GB - zh_CN"])
def test_directions_are_read_as_people_write_them(direction: str) -> None:
    assert codes(ENGLISH, direction) == []


def test_a_translation_in_the_only_paragraph_is_found() -> None:
    found = only(" ".join([GERMAN] * 9 + [TEXTS["es"]] * 3), "de-es")
    assert found.code == "mixed_language"
    assert found.start is not None


def test_mixed_languages_are_found_where_the_other_begins() -> None:
    text = f"{ENGLISH}\n{CHINESE.splitlines()[0]}\n{ENGLISH}"
    found = only(text)
    assert (found.code, found.severity) == ("mixed_language", "warns")
    assert found.start is not None
    assert found.start >= len(ENGLISH)
    assert text[found.start] == CHINESE[0]
    within = CHINESE.replace("。", f"（{GERMAN}）。", 1)
    found = only(within, "zh-en")
    assert (found.code, within[found.start : found.end][:9]) == ("mixed_language", "Der Hafen")


def test_names_and_terms_of_another_language_do_not_mix_it() -> None:
    text = CHINESE.replace("渔民们", "渔民们（the fishermen of the Old Harbour）")
    assert codes(text, "zh-en") == []


def test_length_warns_below_what_is_asked_for_and_blocks_far_below() -> None:
    assert [(one.code, one.severity) for one in check(ENGLISH, "en-zh")] == [("length", "blocks")]
    assert [(one.code, one.severity) for one in check("\n".join([ENGLISH] * 12), "en-zh")] == [("length", "warns")]
    assert codes("\n".join([ENGLISH] * 15), "en-zh", DEFAULT) == []
    assert codes("\n".join([CHINESE] * 6), "zh-en", DEFAULT) == ["length"]
    assert codes("\n".join([CHINESE] * 9), "zh-en", DEFAULT) == []


def test_length_is_asked_for_by_language_in_a_unit() -> None:
    settings = Settings(least={"en": MinimumLength(10, "tokens"), "zh": MinimumLength(10_000, "characters", blocks=0)})
    assert codes(ENGLISH, "en-zh", settings) == []
    assert codes(GERMAN, "de-zh", settings) == []
    assert only(CHINESE, "zh-en", settings).severity == "warns"


@pytest.mark.parametrize("text", ["", "  \n\t\n", "\u3000"])
def test_no_text_is_all_that_is_said_of_it(text: str) -> None:
    assert only(text).code == "empty"


@pytest.mark.parametrize(
    ("damage", "severity"),
    [
        ("\ufffd", "blocks"),
        ("\x00", "blocks"),
        (chr(0xD800), "blocks"),
        ("cafÃ©", "blocks"),
        ("itâ€™s", "blocks"),
        ("锟斤拷", "blocks"),
        ("\uf0d8", "warns"),
        ("&nbsp;", "warns"),
        ("<br/>", "warns"),
        ("\u202e", "warns"),
    ],
)
def test_what_cannot_be_read(damage: str, severity: str) -> None:
    text = ENGLISH.replace("the old town", f"the old {damage} town")
    (found,) = (one for one in check(text, "en-zh", ANY_LENGTH) if one.code == "unreadable")
    assert found.severity == severity
    assert found.start is not None
    assert text[found.start] in damage


@pytest.mark.parametrize(
    "fine", ["« l'été »", "Ângela São João", "👩‍🚀", "x < y && y > z", "[bold]not markup[/bold]", "\t"]
)
def test_what_can_be_read_is_left_alone(fine: str) -> None:
    assert "unreadable" not in codes(ENGLISH.replace("the old town", f"the old {fine} town"))


@pytest.mark.parametrize("end", ["\n（下转第3版）", "\nRead more", "\n未完待续", " [...]", " [+1234 chars]"])
def test_a_text_that_was_cut_blocks(end: str) -> None:
    assert (only(ENGLISH + end).code, only(ENGLISH + end).severity) == ("truncated", "blocks")


def test_an_ellipsis_at_the_end_warns() -> None:
    assert only(ENGLISH[:-1] + "…").code == "truncated"
    assert codes(ENGLISH.replace("Then the", "Then… the")) == []


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        (ENGLISH[ENGLISH.index("who had") :], "en-zh"),
        ("However, it did not last. " + ENGLISH, "en-zh"),
        (", and so it was. " + ENGLISH, "en-zh"),
        ("3. The harbour\n" + ENGLISH, "en-zh"),
        ("2.1 The harbour\n" + ENGLISH, "en-zh"),
        ("三、港口\n" + CHINESE, "zh-en"),
        ("因此，" + CHINESE, "zh-en"),
        ("，" + CHINESE, "zh-en"),
    ],
)
def test_a_text_that_begins_in_the_middle(text: str, direction: str) -> None:
    assert only(text, direction).code == "begins_amid"


@pytest.mark.parametrize(
    "start",
    [
        "iPhone sales fell. ",
        "1. ",
        "“",
        "2024 was a good year. ",
        "I. ",
        "— ",
        "e-commerce grew. ",
        "2.5 million came. ",
        "5 People came. ",
        "V. S. Naipaul came. ",
    ],
)
def test_a_text_that_begins_at_its_beginning(start: str) -> None:
    assert "begins_amid" not in codes(start + ENGLISH)


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        (ENGLISH[: ENGLISH.rindex(" the channel")], "en-zh"),
        (ENGLISH + "\nThere were three reasons:", "en-zh"),
        (CHINESE[:-8], "zh-en"),
        (CHINESE + "原因如下：", "zh-en"),
    ],
)
def test_a_text_that_ends_in_the_middle(text: str, direction: str) -> None:
    assert only(text, direction).code == "ends_amid"


@pytest.mark.parametrize(
    "end", ["”", " (Smith 2012: 51)", "\nJane Smith, London", "\n— Reuters", "\nMarch 2024", "\n\n", "”）"]
)
def test_a_text_that_ends_at_its_end(end: str) -> None:
    assert "ends_amid" not in codes(ENGLISH + end)


@pytest.mark.parametrize(
    ("start", "end", "named"),
    [
        ("As mentioned above, it was old. ", "", "above"),
        ("The preceding section told of the flood. ", "", "preceding section"),
        ("", " This is shown in Section 4.", "Section 4"),
        ("", " I return to this in the next chapter.", "next chapter"),
        ("", " It is described below.", "described below"),
    ],
)
def test_references_to_what_is_not_there(start: str, end: str, named: str) -> None:
    text = start + "\n".join([ENGLISH] * 3) + end
    found = only(text)
    assert found.code == "dangling_reference"
    assert named in text[found.start : found.end]
    assert named in found.message


@pytest.mark.parametrize(
    "fine",
    [
        " As mentioned above, it was old.",
        "\n4. The end\nAll of this is told in Section 4.",
        " It breaks Section 4 of the Harbour Act.",
        " Under the Harbour Act, Section 4 forbids it.",
        " The temperature was above zero and below ten.",
    ],
)
def test_references_to_what_is_there_or_elsewhere(fine: str) -> None:
    text = ENGLISH.replace("\n", f"{fine}\n", 1)
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "direction", "named"),
    [
        ("As shown in Figure 3, it grew. ", "en-zh", "Figure 3"),
        ("It grew (see Table 2). ", "en-zh", "Table 2"),
        ("The map on the left shows it. ", "en-zh", "map on the left"),
        ("港口如下图所示。", "zh-en", "如下图"),
        ("见表2，船只减少。", "zh-en", "表2"),
        ("Wie Abbildung 4 zeigt, wuchs er. ", "de-zh", "Abbildung 4"),
        ("古い港を図3に示す。", "ja-zh", "図3"),
    ],
)
def test_figures_that_are_not_there(text: str, direction: str, named: str) -> None:
    whole = text + TEXTS[direction[:2]]
    found = only(whole, direction)
    assert found.code == "missing_figure"
    assert whole[found.start : found.end].startswith(named)


def test_a_caption_or_a_table_is_what_was_pointed_at() -> None:
    assert codes("It grew (see Figure 3).\nFigure 3. Ships a year\n" + ENGLISH) == []
    assert codes("船只减少（见表2）。\n表2 每年的船只\n" + CHINESE, "zh-en") == []
    assert codes("The table below shows it.\nyear\tships\n1900\t12\n" + ENGLISH) == []
    assert codes("Figure 3 shows how it grew.\n" + ENGLISH) == ["missing_figure"]
    assert codes("多视图一致性和地图1张是另一回事。\n" + CHINESE, "zh-en") == []


@pytest.mark.parametrize("mark", ["[4]", "[4, 5]", "⁴"])
def test_marks_of_notes_without_notes(mark: str) -> None:
    text = ENGLISH.replace("any harm.", f"any harm.{mark}")
    assert only(text).code == "missing_note"
    assert codes(text + "\n[4] Town records.") == []


@pytest.mark.parametrize("fine", ["12 m²", "CO₂", "10⁻⁶", "it [the bank] moved", "①第一②第二"])
def test_what_is_no_mark_of_a_note(fine: str) -> None:
    assert codes(ENGLISH.replace("the sand", f"{fine} the sand")) == []


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        (ENGLISH.replace("no storm", "no “storm"), "en-zh"),
        (ENGLISH.replace("no storm", 'no "storm'), "en-zh"),
        (ENGLISH.replace("no storm", "(no storm"), "en-zh"),
        (ENGLISH.replace("no storm", "no storm)"), "en-zh"),
        (CHINESE.replace("风暴", "《风暴"), "zh-en"),
        (CHINESE.replace("风暴", "「风暴"), "zh-en"),
    ],
)
def test_half_a_pair(text: str, direction: str) -> None:
    found = only(text, direction)
    assert found.code == "unclosed"
    assert found.start is not None
    assert text[found.start] in '“"()《「'


@pytest.mark.parametrize(
    "fine",
    [
        "(as in Section (b) of it)",
        "a) a wall; b) trees; 3) boats",
        "the interval [0, 1) or (0, 1]",
        "（mixed width)",
        'a 5" pipe',
        "don’t and ’twas",
        "He was glad :)",
        "“He said “yes” at once”",
        'the "8" of it',
    ],
)
def test_what_only_looks_like_half_a_pair(fine: str) -> None:
    assert "unclosed" not in codes(ENGLISH.replace("no storm", f"{fine} no storm"))


def test_a_quotation_of_several_paragraphs_opens_each() -> None:
    lines = ENGLISH.splitlines()
    assert codes("\n".join(f"“{line}" for line in lines) + "”") == []
    assert codes("\n".join(f'"{line}' for line in lines) + '"') == []
    assert codes("\n".join(f"“{line}" for line in lines)) == ["unclosed"]
    assert codes("\n".join(f'"{line}' for line in lines)) == ["unclosed"]


def test_verse_is_quoted_from_its_first_line_to_its_last() -> None:
    verse = '\n"What tongue can tell of it,\nwhat wave was high enough,\nand who was there to see?"\n'
    assert codes(ENGLISH.replace("\n", verse, 1)) == []
    assert codes(ENGLISH.replace("\n", verse.replace('?"', "?"), 1)) == ["unclosed"]


def test_german_marks_are_not_taken_for_english_ones() -> None:
    assert codes(GERMAN.replace("Boote", "„Boote“"), "de-zh") == []


@given(st.text(), st.sampled_from(["en-zh", "zh-en", "de-ja", "xx-yy", "nonsense"]))
def test_any_text_can_be_checked(text: str, direction: str) -> None:
    found = check(text, direction)
    assert len({one.code for one in found}) == len(found)
    assert {one.code for one in found} <= set(CHECK_CODES)
    assert [one.severity for one in found] == sorted(one.severity for one in found)
    for one in found:
        assert one.message
        assert one.mend
        assert (one.start is None) == (one.end is None)
        if one.start is not None and one.end is not None:
            assert 0 <= one.start < one.end <= len(text)


def test_what_is_found_in_the_real_articles_is_reasonable() -> None:
    path = SHARED / "data" / "discox" / "DISCOX-filtered.json"
    if not path.exists():
        pytest.skip("the real data set is not here")
    articles = json.loads(path.read_text(encoding="utf-8"))
    found: dict[str, list[Check]] = {}
    for one in articles:
        chinese = sum("\u4e00" <= letter <= "\u9fff" for letter in one["ori_text"]) > len(one["ori_text"]) / 5
        found[one["prompt_id"]] = check(one["ori_text"], "zh-en" if chinese else "en-zh")
    counts = Counter(each.code for checks in found.values() for each in checks)
    assert [each for checks in found.values() for each in checks if each.severity == "blocks"] == []
    assert {"language", "mixed_language", "empty", "truncated"}.isdisjoint(counts)
    blemishes = {
        "length": 78,
        "missing_figure": 24,
        "missing_note": 18,
        "unclosed": 13,
        "begins_amid": 10,
        "dangling_reference": 10,
        "ends_amid": 5,
        "unreadable": 3,
    }
    assert counts == blemishes, "docs/building.md has the same figures"
    named = {
        ("185", "dangling_reference"),  # begins "The preceding sections have examined …"
        ("118", "dangling_reference"),  # ends "… in the next chapter."
        ("100", "missing_figure"),  # begins "Insert Table 1"
        ("100", "ends_amid"),  # ends with a colon
        ("83", "begins_amid"),  # begins with part three
        ("122", "unclosed"),  # “委婉化策略，…
        ("45", "unreadable"),  # bullets of a symbol font
    }
    assert named <= {(key, each.code) for key, checks in found.items() for each in checks}
