"""Rubric points read from experts' prose, and worded from a term and its renderings."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.benchmark.rubric.points import (
    POINT_TYPES,
    Point,
    from_json,
    places,
    read_point,
    read_points,
    reader_language,
    to_json,
    word,
    written,
)
from judges.grounding import ground_rubric_point, prepare
from judges.metric_s.reading.rubric import parse_rubric
from judges.model import RubricPoint
from tests.conftest import SHARED

WHARF = "The crane stood on the wharf. “Wharf”, he said, is where the wharfs begin."
HARBOUR = "他在码头上等人，码头很大。《阿里》讲的是“小定”和大定，红色的港口。"
ANY_TEXT = st.lists(
    st.sampled_from([*"ab “”「」『』【】《》〈〉«»‘’\"'或，。、;/\n\x00\u202e[", "应译为", "不可译为", "考点2："]),
    max_size=8,
).map("".join)


def read(text, source):
    return read_point(RubricPoint(1, text), source)


@pytest.mark.parametrize(
    ("text", "term", "expected", "forbidden"),
    [
        ("“码头”应译为“wharf”", "码头", ("wharf",), ()),
        ("”码头“推荐译为”wharf“或“quay”，不可直译为“dock”。", "码头", ("wharf", "quay"), ("dock",)),
        ("【码头】 应译为 【wharf】", "码头", ("wharf",), ()),
        ("码头 推荐翻译为：wharf / quay，避免直译为 dock head。", "码头", ("wharf", "quay"), ("dock head",)),
        ("“他在码头上等人”中的“码头”不能译为“dock”", "码头", (), ("dock",)),
        ("“码头”必须译为“wharf; quay”，不能漏译“很大”", "码头", ("wharf", "quay"), ()),
        ("“码头”必须译为“wharf”不可译为“dock”因为码头不是船坞", "码头", ("wharf",), ("dock",)),
        ("“码头”应使用“wharf”或者“quay”，因为“dock”是船坞", "码头", ("wharf", "quay"), ()),
        ("“大定”应该译为“firm orders”，区别于“小定”。不能翻译成 \"pre-orders\" 或 \"orders\"。", "大定", ("firm orders",), ("pre-orders", "orders")),
        ("电影名翻译必须正确，《阿里》（Ali），官方译法", "阿里", ("Ali",), ()),
        ("“码头“译为”wharf”（非“dock”）", "码头", ("wharf",), ("dock",)),
        ("避免将“码头”简化为“dock”", "码头", (), ("dock",)),
        ("“码头”不可省略", "码头", (), ()),
    ],
)  # fmt: skip
def test_chinese_prose_about_a_chinese_source(text, term, expected, forbidden):
    point = read(text, HARBOUR)
    assert (point.term, point.expected, point.forbidden) == (term, expected, forbidden)


@pytest.mark.parametrize(
    ("text", "expected", "forbidden"),
    [
        ("“wharf”推荐译为“码头”、“泊位”，不可直译为 仓库。", ("码头", "泊位"), ("仓库",)),
        ("wharf应译为 码头 或 泊位，而不是“仓库”", ("码头", "泊位"), ("仓库",)),
        ("\"wharf'应译为“码头”。", ("码头",), ()),
        ("“wharf 应译为 “码头”", ("码头",), ()),
        ("“wharf” should be translated as “Kai” or “Anleger”, not as “Werft”.", ("Kai", "Anleger"), ("Werft",)),
        ('"wharf" must be rendered as "quai"; avoid "entrepôt", because it means a warehouse.', ("quai",), ("entrepôt",)),
        ('Translate "wharf" as "quai" rather than "port".', ("quai",), ("port",)),
        ("The term wharf should be translated as quai, not port.", ("quai",), ("port",)),
        ("“wharf” in “The crane stood on the wharf” is rendered as “quai”; “entrepôt” is wrong.", ("quai",), ("entrepôt",)),
        ("«wharf» doit se traduire par «quai», et non par «entrepôt».", ("quai",), ("entrepôt",)),
        ("«wharf» debe traducirse por «muelle», no por «puerto».", ("muelle",), ("puerto",)),
        ("„wharf“ sollte mit „Kai“ übersetzt werden, nicht mit „Werft“.", ("Kai",), ("Werft",)),
        ("„wharf“ sollte hier nicht mit „Werft“ übersetzt werden, sondern mit „Kai“.", ("Kai",), ("Werft",)),
        ("„wharf“: zulässig sind „Kai“ und „Pier“.", ("Kai", "Pier"), ()),
        ("wharf: se acepta «muelle» o «embarcadero», pero nunca «puerto».", ("muelle", "embarcadero"), ("puerto",)),
        ("«wharf» ne doit pas se traduire par «entrepôt», mais par «quai».", ("quai",), ("entrepôt",)),
        ("Traduire «wharf» par «quai», jamais par «port».", ("quai",), ("port",)),
        ("「wharf」は「波止場」と訳す。「倉庫」は不可。", ("波止場",), ("倉庫",)),
        ("“wharf”는 “부두”로 번역한다. “창고”로 번역하면 안 된다.", ("부두",), ("창고",)),
        ("«wharf» следует переводить как «причал», а не как «склад».", ("причал",), ("склад",)),
        ("“wharf” → “quai” ≠ “port”", ("quai",), ("port",)),
        ("“wharf” “rampa” xyzzy “molo”", ("rampa", "molo"), ()),
    ],
)  # fmt: skip
def test_any_language_of_prose(text, expected, forbidden):
    point = read(text, WHARF)
    assert (point.term, point.expected, point.forbidden) == ("wharf", expected, forbidden)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("“码头”应译为“wharf”，因为这是法律术语", "terminology"),
        ("“码头”应译为“wharf”，是一个中文成语", "culture"),
        ("“码头”应译为“wharfs”，注意单复数", "grammar"),
        ("“码头”应译为“wharf”", None),
        ("“术语”应译为“terminology”", None),
        ("The term “码头” should be translated as “wharf”.", "terminology"),
    ],
)
def test_the_likely_type(text, kind):
    assert read(text, HARBOUR).type == kind


@given(
    ANY_TEXT,
    st.lists(ANY_TEXT, max_size=3),
    st.lists(ANY_TEXT, max_size=3),
    st.sampled_from([None, *POINT_TYPES]),
    st.sampled_from(["zh", "en"]),
)
def test_what_was_worded_is_read_back(term, expected, forbidden, kind, language):
    point = written(3, term, expected, forbidden, kind, language)
    assert word(point, language) == point.text
    if point.text:
        assert read_point(point.as_rubric(), HARBOUR) == point
    assert from_json(json.loads(json.dumps(to_json(point)))) == point


def test_a_worded_point_stands_in_a_rubric_and_lights_its_places():
    point = written(2, "码头", ["wharf", "quay"], ["dock"], "terminology")
    assert point.text == "术语：“码头”应译为“wharf”或“quay”，不可译为“dock”。"
    (parsed,) = parse_rubric(f"考点2：{point.text}\n")
    assert read_point(parsed, HARBOUR) == point
    grounded = ground_rubric_point(prepare(HARBOUR, "He waited on the quay, not the dock.", "zh-en"), point.text)
    assert {(s.side, s.method) for s in grounded.spans} == {
        ("source", "exact"),
        ("translation", "recommended"),
        ("translation", "forbidden"),
    }


def test_the_reader_language():
    assert [reader_language(d) for d in ("zh-en", "en-zh", "zh_cn-de", "de-en", "")] == ["zh", "zh", "zh", "en", "en"]


def test_places_are_all_of_them_in_any_form():
    assert [WHARF[a:b] for a, b in places(written(1, "wharf"), WHARF)] == ["wharf", "Wharf", "wharfs"]
    assert [HARBOUR[a:b] for a, b in places(Point(1, "", None, "码头 / 红色"), HARBOUR)] == ["码头", "码头", "红色"]
    assert places(written(1, "quay"), WHARF) == places(written(1, ""), WHARF) == ()


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({}, "number"),
        ({"number": True}, "number"),
        ({"number": -1}, "number"),
        ({"number": 1, "type": "style"}, "type"),
        ({"number": 1, "text": 3}, "text"),
        ({"number": 1, "expected": "wharf"}, "expected"),
        ({"number": 1, "forbidden": [3]}, "forbidden"),
    ],
)
def test_what_is_no_point_is_named_by_its_field(value, field):
    with pytest.raises(ValueError, match=f"^{field}: "):
        from_json(value)


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_the_reader(text, source):
    point = read(text, source)
    for start, end in places(point, source):
        assert 0 <= start < end <= len(source)


@pytest.mark.parametrize("piece", ["“", "译为", "“译为”", "（", "a（b）", "“a”、"])
def test_hostile_texts_end(piece):
    read(piece * 8_000, HARBOUR * 200)


def test_real_points_are_read():
    path = SHARED / "data" / "discox" / "DISCOX-filtered.json"
    if not path.exists():
        pytest.skip("the real articles are not here; name their folder in DISCOX_SHARED")
    articles = json.loads(path.read_text(encoding="utf-8"))
    read_all = [
        (article["ori_text"], point)
        for article in articles
        for point in read_points(parse_rubric(article["reference_list"]), article["ori_text"])
    ]
    assert len(read_all) == pytest.approx(1_871, abs=5)
    share = 1 / len(read_all)
    assert sum(bool(point.term) for _, point in read_all) * share > 0.99
    assert sum(bool(places(point, source)) for source, point in read_all) * share > 0.95
    assert sum(bool(point.expected or point.forbidden) for _, point in read_all) * share > 0.99
    assert 150 < sum(bool(point.forbidden) for _, point in read_all) < 220
