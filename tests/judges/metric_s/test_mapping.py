"""Other schemes' categories and severities in Metric-S and back: every row of the table, real labels, files of one's own."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.metric_s.schemes.mapping import KINDS, Mapped, MappingError, read_mapping
from judges.metric_s.schemes.mapping_file import name_key, own_tables, word
from judges.model import CATEGORIES, JUDGES, LEVELS
from storage.formats.io.lines import FormatError
from storage.importing.pipeline import mapping_from
from tests.conftest import SHARED

OWN = read_mapping("")
MQM = SHARED / "data" / "wmt" / "mqm_ted_zhen.tsv"


def short(mapped: Mapped) -> tuple[object, ...]:
    return mapped.kind, mapped.judge, mapped.category, mapped.severity


ERRORS = [
    # minor on accuracy or terminology: a choice
    ("Accuracy/Mistranslation", "Minor", "accuracy", "mistranslation", "major", ("severity lost", "weight inflated")),
    ("Terminology/Inappropriate for context", "minor", "accuracy", "mistranslation", "major", ("severity lost", "weight inflated")),
    # fluency, whatever the severity
    ("Fluency/Grammar", "Minor", "fluency", "grammar", "minor", ("severity lost",)),
    ("Fluency/Grammar", "Major", "fluency", "grammar", "minor", ("severity lost",)),
    ("Fluency/Inconsistency", "Major", "fluency", "logical_incoherence", "minor", ("severity lost",)),
    ("Fluency/Register", "Minor", "fluency", "disfluent_phrasing", "minor", ("severity lost",)),
    ("Terminology/Inconsistent use of terminology", "Major", "fluency", "inconsistent_terminology", "minor", ("severity lost",)),
    # style, culture, register as style
    ("Style/Awkward", "Major", "appropriateness", "style", "major", ("severity lost",)),
    ("Style/Unnatural or awkward", "Minor", "appropriateness", "style", "major", ("severity lost",)),
    ("Style/Register", "Minor", "appropriateness", "style", "major", ("severity lost",)),
    ("Audience appropriateness/Culture-specific reference", "minor", "appropriateness", "cultural_adaptation", "major", ("severity lost",)),
    # major accuracy: nothing is lost
    ("Accuracy/Omission", "Major", "accuracy", "omission", "major", ()),
    ("Accuracy/Addition", "major", "accuracy", "over_translation", "major", ()),
    # critical
    ("accuracy/mistranslation", "critical", "accuracy", "mistranslation", "critical", ("weight differs",)),
    (None, "critical", "accuracy", None, "critical", ("category not given", "weight differs")),
    (None, "major", "accuracy", None, "major", ("category not given",)),
    ("", "minor", "accuracy", None, "major", ("category not given", "severity lost", "weight inflated")),
    # whole segment untranslated; a fragment, of any severity
    ("Non-translation!", "Major", "accuracy", "untranslated", "extremely_critical", ("weight differs",)),
    ("Accuracy/Untranslated text", "Minor", "accuracy", "untranslated", "extremely_critical", ("severity lost", "weight differs")),
    ("Accuracy/Source language fragment", "Major", "accuracy", "untranslated", "extremely_critical", ("severity lost", "weight differs")),
    ("Rubric/考点3", "Major", "rubric", "rubric_point", "violated", ()),
]  # fmt: skip


@pytest.mark.parametrize(("category", "severity", "judge", "ours", "level", "lost"), ERRORS)
def test_errors_of_the_table(
    category: str | None, severity: str, judge: str, ours: str | None, level: str, lost: tuple[str, ...]
) -> None:
    mapped = OWN.read(category, severity)
    assert short(mapped) == ("error", judge, ours, level)
    assert mapped.lost == lost
    assert (mapped.category_label, mapped.severity_label) == (category or "", severity)


KEPT = [
    ("Accuracy/Mistranslation", "Neutral", "note"),
    ("Whatever", "neutral", "note"),
    ("Creative Reinterpretation", "Neutral", "note"),
    ("Creative Reinterpretation", "Major", "note"),
    ("Source issue", "Minor", "note"),
    ("Source error", "Major", "note"),
    ("Source error[/-]", "Minor", "note"),
    ("Fluency/Punctuation", "Minor", "note"),
    ("Fluency/Spelling", "Major", "note"),
    ("locale_convention/name", "Minor", "note"),
    ("Locale convention/Name format", "Major", "note"),
    ("Design and markup/Layout", "minor", "note"),
    ("Fluency/Character encoding", "Minor", "note"),
    ("Found", "HOTW-test", "quality_check"),
    ("Missed", "hotw_test", "quality_check"),
    ("No-error", "No-error", "clean"),
    ("no_error", "no error", "clean"),
    (None, "undecided", "incomplete"),
    (None, None, "incomplete"),
    ("Accuracy/Mistranslation", "NaN", "incomplete"),
]


@pytest.mark.parametrize(("category", "severity", "kind"), KEPT)
def test_what_weighs_nothing_is_kept_as_what_it_is(category: str | None, severity: str | None, kind: str) -> None:
    mapped = OWN.read(category, severity)
    assert mapped.kind == kind
    assert mapped.severity is None
    if kind in ("note", "incomplete"):
        assert mapped.lost == ("kept, weighs nothing",)


def test_a_mark_of_what_is_missing_is_incomplete_and_a_choice() -> None:
    mapped = OWN.read(None, "major", missing=True)
    assert (mapped.kind, mapped.severity, mapped.rule) == ("incomplete", None, "missing")
    assert mapped.choice


@pytest.mark.parametrize(
    ("category", "severity"),
    [
        ("Accuracy/Mistranslation", "Minor"),
        ("Non-translation!", "Major"),
        ("Untranslated", "minor"),
        ("Terminology/Inconsistent", "Minor"),
        (None, "minor"),
        ("Fluency/Grammar", "critical"),
        ("Style", "critical"),
    ],
)
def test_what_the_user_must_choose_is_said(category: str | None, severity: str) -> None:
    assert OWN.read(category, severity).choice


def test_what_has_one_answer_is_no_choice() -> None:
    assert not OWN.read("Accuracy/Mistranslation", "Major").choice
    assert not OWN.read("Fluency/Grammar", "Minor").choice


@pytest.mark.parametrize(
    "spelling",
    [
        "Accuracy/Omission",
        "accuracy/omission",
        "ACCURACY / Omission ",
        "Accuracy／Omission",
        "Accuracy/Omission (Translation 2)",
        "Accuracy/Omission（Translation 1）",
        "Omission",
        "omission",
        "accuracy/omission/omission",
        "Some new main/Omission",
        ["Accuracy", "Omission"],
    ],
    ids=str,
)
def test_a_category_is_known_in_every_spelling(spelling: str | list[str]) -> None:
    assert short(OWN.read(spelling, "Major")) == ("error", "accuracy", "omission", "major")


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("Incorrect translation is missing content from the correct translation", "omission"),
        ("Problems with grammar, other than spelling or orthography.", "grammar"),
        ("Internal inconsistency (not related to terminology)", "logical_incoherence"),
        ("Wrong grammatical register (eg, inappropriately informal pronouns).", "disfluent_phrasing"),
    ],
)
def test_a_category_may_be_the_sentence_that_explains_it(sentence: str, category: str) -> None:
    assert OWN.read(sentence, "Minor").category == category


def test_the_programs_own_names_stand_for_one_thing_each() -> None:
    tables = own_tables()
    names = [name_key(name) for category in tables["categories"].values() for name in category["names"]]
    words = [word(spelling) for spellings in tables["severities"].values() for spelling in spellings]
    assert len(set(words)) == len(words)
    owners = {key: {name_key(n) for n in category["names"]} for key, category in tables["categories"].items()}
    assert sum(map(len, owners.values())) == len(set(names))


def test_main_by_main_is_main() -> None:
    assert OWN.read("Style/Style", "minor").category == "style"
    assert OWN.read("style", "minor").category == "style"


def test_a_sub_that_is_not_known_is_not_guessed_while_its_main_is() -> None:
    mapped = OWN.read("Accuracy/Something new", "Major")
    assert short(mapped) == ("error", "accuracy", None, "major")
    assert mapped.lost == ("category not known",)


@pytest.mark.parametrize(
    ("category", "severity", "judge"),
    [
        ("Other", "Major", None),
        ("other", "critical", None),
        ("Verity", "Minor", None),
        ("Accuracy/Mistranslation", "Terrible", "accuracy"),
        ("Fluency/Grammar", "7", "fluency"),
        ("[/]", "Major", None),
        ("?", "Major", None),
        (None, "??", "accuracy"),
    ],
)
def test_what_is_not_mapped_keeps_its_labels_and_is_asked(
    category: str | None, severity: str, judge: str | None
) -> None:
    mapped = OWN.read(category, severity)
    assert (mapped.kind, mapped.severity, mapped.judge, mapped.rule) == ("ask", None, judge, "")
    assert (mapped.category_label, mapped.severity_label) == (category or "", severity)
    assert mapped.lost == ("not mapped",)


@given(st.text(), st.text(), st.booleans())
def test_any_labels_come_to_something_of_ours(category: str, severity: str, missing: bool) -> None:
    mapped = OWN.read(category, severity, missing=missing)
    assert mapped.kind in KINDS
    assert (mapped.kind == "error") == (mapped.severity is not None)
    if mapped.severity is not None:
        assert mapped.judge is not None
        assert mapped.severity in LEVELS[mapped.judge]
    if mapped.category is not None:
        assert mapped.judge is not None
        assert mapped.category in CATEGORIES[mapped.judge]
    OWN.weight(category, severity)


# --- Real labels ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ted() -> list[list[str]]:
    if not MQM.is_file():
        pytest.skip("the WMT file is not here; name its folder in DISCOX_SHARED")
    lines = MQM.read_bytes().decode().split("\n")[1:]
    return [line.split("\t") for line in lines if line]


def test_every_label_of_a_real_file_is_mapped(ted: list[list[str]]) -> None:
    counts: dict[str, int] = defaultdict(int)
    unmapped = set()
    for row in ted:
        mapped = OWN.read(row[7], row[8])
        counts[mapped.kind] += 1
        if mapped.kind == "ask" or "category not known" in mapped.lost:
            unmapped.add((row[7], row[8]))
    assert unmapped == set()
    assert counts["clean"] == 4297
    assert counts["error"] + counts["note"] == 5618


def test_the_weights_give_the_published_ranking(ted: list[list[str]]) -> None:
    scores: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(float)))
    for row in ted:
        weight = OWN.weight(row[7], row[8])
        assert weight is not None
        scores[row[0]][row[3]][row[4]] += weight
    means = {
        system: sum(sum(raters.values()) / len(raters) for raters in segments.values()) / len(segments)
        for system, segments in scores.items()
    }
    ranked = sorted(means, key=lambda system: means[system])
    assert (ranked[0], ranked[1], ranked[-1]) == ("refB", "DIDI-NLP", "ref")
    assert abs(means["refB"] - 0.42) < 0.006
    assert round(means["DIDI-NLP"], 2) == 1.65
    assert abs(means["ref"] - 5.52) < 0.006


@pytest.mark.parametrize(
    ("category", "severity", "weight"),
    [
        ("Accuracy/Mistranslation", "Major", 5),
        ("Accuracy/Mistranslation", "Minor", 1),
        ("Accuracy/Mistranslation", "Neutral", 0),
        ("Non-translation!", "Major", 25),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Fluency/Punctuation", "Major", 5),
        ("Fluency/Spelling", "Minor", 1),
        ("Source error", "Major", 5),
        ("No-error", "No-error", 0),
        ("Found", "HOTW-test", 0),
        ("Other", "Minor", 1),
        ("Accuracy", "Terrible", None),
        (None, None, None),
    ],
)
def test_weights(category: str | None, severity: str | None, weight: float | None) -> None:
    assert OWN.weight(category, severity) == weight


# --- The way back -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("judge", "category", "severity", "mqm"),
    [
        ("accuracy", "mistranslation", "major", ("Accuracy/Mistranslation", "Major")),
        ("accuracy", "over_translation", "critical", ("Accuracy/Addition", "Critical")),
        ("accuracy", "untranslated", "extremely_critical", ("Accuracy/Untranslated text", "Critical")),
        ("fluency", "grammar", "minor", ("Fluency/Grammar", "Minor")),
        ("appropriateness", "style", "major", ("Style/Unnatural or awkward", "Minor")),
        ("accuracy", None, None, ("Accuracy", "Neutral")),
        ("rubric", "rubric_point", "violated", ("Rubric/考点7", "Major")),
    ],
)
def test_back(judge: str, category: str | None, severity: str | None, mqm: tuple[str, str]) -> None:
    label = OWN.to_mqm(judge, category, severity, point=7 if judge == "rubric" else None)  # type: ignore[arg-type]
    assert label[:2] == mqm
    assert bool(label.note) == (severity in ("extremely_critical", "violated", None))


def test_the_table_beside_an_export_has_every_category_and_severity_once() -> None:
    rows = OWN.explain_back()
    places = [(row.judge, row.category, row.severity) for row in rows]
    assert len(set(places)) == len(places)
    assert {(j, c, s) for j in JUDGES for c in CATEGORIES[j] for s in LEVELS[j]} <= set(places)


def test_there_and_back_keeps_dimension_and_category() -> None:
    for row in OWN.explain_back():
        if row.severity and row.category:
            mapped = OWN.read(row.mqm_category, row.mqm_severity)
            assert (mapped.kind, mapped.judge, mapped.category) == ("error", row.judge, row.category), row


# --- Files of one's own -----------------------------------------------------------------------------------------


def test_her_file_changes_what_it_names_and_nothing_else() -> None:
    hers = read_mapping(
        """
        [rules.accuracy_minor]
        kind = "note"
        lost = ["kept, weighs nothing"]

        [rules.non_translation]
        instruction_failed = true
        """
    )
    assert short(hers.read("Accuracy/Omission", "Minor")) == ("note", "accuracy", "omission", None)
    assert hers.read("Accuracy/Omission", "Major") == OWN.read("Accuracy/Omission", "Major")
    assert hers.read("Non-translation!", "Major").instruction_failed
    assert not OWN.read("Non-translation!", "Major").instruction_failed
    changed = {row.rule for row in hers.explain() if row.changed}
    assert changed == {"accuracy_minor", "non_translation"}
    assert not any(row.changed for row in OWN.explain())


def test_her_names_are_added_and_win() -> None:
    hers = read_mapping(
        """
        [severities]
        major = ["Blocker"]
        critical = ["Major"]
        [categories.omission]
        names = ["Lücke", "Mistranslation"]
        [categories.verity]
        names = ["Verity", "Verity/*"]
        group = "verity"
        judge = "accuracy"
        category = "other"
        [rules.verity]
        groups = ["verity"]
        kind = "error"
        severity = "critical"
        """
    )
    assert short(hers.read("LÜCKE", "Blocker")) == ("error", "accuracy", "omission", "major")
    assert short(hers.read("Mistranslation", "Major")) == ("error", "accuracy", "omission", "critical")
    assert short(hers.read("Accuracy/Mistranslation", "Blocker")) == ("error", "accuracy", "mistranslation", "major")
    assert short(hers.read("Verity/x", "whatever")) == ("error", "accuracy", "other", "critical")
    assert hers.explain()[0].rule == "verity"
    assert OWN.read("Verity", "Major").kind == "ask"


def test_the_choices_that_are_offered_can_be_made() -> None:
    for row in OWN.explain():
        _, colon, offer = row.choice.rpartition(": ")
        if row.rule and colon and "=" in offer:
            for one in offer.split(" or "):
                keys = one.removesuffix(" drops it from the score").replace(", ", "\n")
                keys = keys if "=" in keys else f"severity = {keys}"
                assert read_mapping(f"[rules.{row.rule}]\n{keys}").id != OWN.id, row


def test_an_omission_can_be_made_of_what_is_missing() -> None:
    keys = 'kind = "error"\njudge = "accuracy"\ncategory = "omission"\nseverity = "major"'
    hers = read_mapping(f"[rules.missing]\n{keys}")
    assert short(hers.read(None, "minor", missing=True)) == ("error", "accuracy", "omission", "major")
    assert short(hers.read(None, "undecided", missing=True))[0] == "incomplete"


@pytest.mark.parametrize(
    ("rule", "keys", "lost"),
    [
        ("accuracy_minor", 'kind = "note"', ("kept, weighs nothing",)),
        ("accuracy_minor", 'judge = "fluency"\nseverity = "minor"', ()),
        ("uncategorised_minor", 'severity = "critical"', ("category not given", "severity lost", "weight inflated")),
        ("uncategorised_major", 'judge = "fluency"\nseverity = "minor"\ncategory = "grammar"', ()),
        ("missing", 'kind = "error"\njudge = "accuracy"\ncategory = "omission"\nseverity = "major"', ()),
        ("non_translation", "instruction_failed = true", ("weight differs",)),
        ("accuracy_minor", 'kind = "note"\nlost = ["mine"]', ("mine",)),
        ("neutral", 'kind = "clean"', ()),
    ],
)
def test_a_choice_that_was_made_is_not_offered_and_loses_what_it_loses(
    rule: str, keys: str, lost: tuple[str, ...]
) -> None:
    (row,) = (row for row in read_mapping(f"[rules.{rule}]\n{keys}").explain() if row.rule == rule)
    assert (row.choice, row.lost) == ("", ", ".join(lost))
    (row,) = (row for row in read_mapping(f'[rules.{rule}]\n{keys}\nchoice = "more"').explain() if row.rule == rule)
    assert row.choice == "more"


def test_rules_for_severities_that_her_file_spells_otherwise_are_changed() -> None:
    hers = read_mapping('[severities]\nmajor = ["Blocker"]')
    changed = {row.rule for row in hers.explain() if row.changed}
    assert {"accuracy_major", "fluency", "style"} <= changed
    assert not {"accuracy_minor", "fluency_critical", "neutral", "source"} & changed
    moved = {row.rule for row in read_mapping('[severities]\nmajor = ["low"]').explain() if row.changed}
    assert {"accuracy_minor", "accuracy_major"} <= moved


def test_the_id_stands_for_what_is_said(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("\ufeff# a comment\nversion = 1\n", encoding="utf-8")
    assert mapping_from(file).id == OWN.id == mapping_from(None).id
    file.write_text('[rules.fluency]\nlost = ["much"]', encoding="utf-8")
    hers = mapping_from(file)
    assert hers.id != OWN.id
    assert hers.signature == f"1/{hers.id}"


FAULTS = [
    ("[ruls.x]\n", 1, "ruls is no part of a mapping"),
    ("version = 2\n", 1, "version must be 1"),
    ("\n\nrules = 3\n", 3, "must be a table"),
    ("[rules]\nfluency = 3\n", 2, "rules.fluency must be a table"),
    ('[rules.fluency]\n# colour\nlost = []\ncolour = "red"\n', 4, "rules.fluency.colour is no key"),
    ("[rules.fluency]\nkind = 1\n", 2, "rules.fluency.kind must be text in quotes, not 1"),
    ('[rules.fluency]\nkind = "ask"\n', 2, "rules.fluency.kind has 'ask'"),
    ('[rules.fluency]\nseverity = "critical"\n', 2, "rules.fluency.severity has 'critical'; known are minor"),
    ('[rules.fluency]\ncategory = "style"\n', 2, "rules.fluency.category has 'style'"),
    ('[rules.fluency]\nkind = "note"\nseverity = "minor"', 3, "rules.fluency.severity must be"),
    ('[rules.fluency]\ngroups = ["flu"]\n', 2, "rules.fluency.groups has 'flu'"),
    ('[rules.fluency]\nlevels = "minor"\n', 2, "must be a list of texts"),
    ("[rules.fluency]\nmissing = 1\n", 2, "must be true or false"),
    ('[rules.new]\nlevels = ["minor"]\n', 1, "rules.new has no kind"),
    ('[rules.new]\nkind = "error"\nseverity = "major"\n', 1, "must say which groups"),
    ('# a slip\n[rules.acuracy_minor]\nkind = "note"\n', 2, "to change a rule of ours write [rules.accuracy_minor]"),
    ('[rules.fluency]\nkind = "note"\n[rules.stlye]\nkind = "note"\n', 3, "write [rules.style]"),
    ('[rules.new]\ngroups = []\nkind = "note"\n', 1, "would hold for every error"),
    ("[rules.fluency]\ngroups = []\nlevels = []\n", 1, "would hold for every error"),
    ('[categories.new]\nnames = ["x"]\n', 1, "categories.new has no group"),
    ('[categories.omission]\njudge = "style"\n', 2, "categories.omission.judge has 'style'"),
    ('[categories.omission]\ncategory = "style"\n', 2, "categories.omission.category has 'style'"),
    ('[categories.omission]\nnames = ["x"]\n[categories.addition]\nnames = ["X "]\n', 4, "names 'X '"),
    ('[severities]\nminor = ["x"]\nmajor = ["X"]\n', 3, "severities.major names 'X'"),
    ("[severities]\nminor = [1]\n", 2, "must be a list of texts"),
    ("[weights]\nmajor = -1\n", 2, "must be a number that is not negative"),
    ("[weights]\nmajor = nan\n", 2, "must be a number that is not negative"),
    ("[weights]\nmajor = true\n", 2, "must be a number that is not negative"),
    ("[weights]\nhuge = 1\n", 1, "has 'huge'"),
    ("[weight_exceptions.nothing]\nweight = 1\n", 1, "is no category"),
    ("[weight_exceptions.omission]\nweight = 1\n", 1, "has no levels"),
    ('[mqm_severities]\n"accuracy/minor" = "Minor"\n', 2, "is none of ours"),
    ('[mqm_categories]\n"accuracy/mistranslation" = 3\n', 2, "must be text in quotes"),
]


@pytest.mark.parametrize(("text", "line", "message"), FAULTS)
def test_what_is_wrong_with_a_file_is_said_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(MappingError) as error:
        read_mapping(text, "mine.toml")
    assert str(error.value).startswith(f"mine.toml, line {line}: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    for content in (b"[rules", b"\xff\xfe[", b"a = 1\na = 2"):
        file.write_bytes(content)
        with pytest.raises(FormatError, match=r"mine\.toml"):
            mapping_from(file)
