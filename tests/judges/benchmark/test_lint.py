"""The lint of rubric points: what it finds, what it leaves alone, and its findings on the real articles."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.benchmark.rubric.lint import LINT_CODES, lint
from judges.benchmark.rubric.points import POINT_TYPES, Point, read_points, written
from judges.metric_s.reading.rubric import parse_rubric
from judges.model import RubricPoint
from tests.conftest import SHARED

SOURCE = "他在码头上等人，码头很大。港口的红灯亮了，起重机还没有停。"
ENGLISH = "The crane stood on the wharf near a market-based quarter, and the harbour lights were red42."


def found(*texts, source=SOURCE):
    points = read_points([RubricPoint(number, text) for number, text in enumerate(texts, 1)], source)
    return [(one.number, one.code) for one in lint(points, source)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("“车站”应译为“station”", "term_absent"),
        ("“港口的红灯亮起”应译为“the red light came on”", "term_absent"),
        ("“码头”应译为“wharf”，“起重机”应译为“crane”", "two_things"),
        ("“码头”和“港口”应分别译为“wharf”和“harbour”", "two_things"),
        ("地名不能译错：码头（Matou）、港口（Gangkou）", "two_things"),
        ("“码头、起重机”应译为“wharf, crane”", "two_things"),
        ("“码头”应译为“wharf”，首次出现时应注明缩写", "two_things"),
        ("“码头”应译为“wharf”或“quay”，前后须一致", "two_things"),
        ("“码头” should be translated as “wharf” or “quay”, consistently.", "two_things"),
        ("„码头“ sollte mit „Kai“ oder „Pier“ übersetzt werden, und zwar einheitlich.", "two_things"),
        ("“码头”应译为“wharf”，不可译为“Wharf”", "contradicts"),
        ("“码头”的译文应自然流畅", "uncheckable"),
        ("翻译要通顺", "uncheckable"),
        ("Translate naturally.", "uncheckable"),
        ("“码头” must be translated accurately and idiomatically.", "uncheckable"),
        ("“码头”此处不可译为积极词汇", "no_rendering"),
        ("“码头” xyzzy", "no_rendering"),
    ],
)
def test_what_is_wrong_with_one_point(text, code):
    assert found(text) == [(1, code)]


@pytest.mark.parametrize(
    "text",
    [
        "“码头”应译为“wharf”",
        "“码头”应译为“wharf”或“quay”，因为更自然流畅，符合语境",
        "“码头”不能漏译",
        "“码头”的译法，全文应保持一致",
        "“码头”应统一译为“wharf”，保持术语一致",
        "“码头”应译为“wharf”，首次出现可注明缩写",
        "“码头上等人，码头很大”应译为“waited on the wharf, a big one”",
        "“起重机还没有停”应译为“the crane was still at work”，其中的“起重机”不可译为“hoist”",
        "“码头” must not be omitted.",
        "“码头”“wharf”",
        "译文应使用“wharf”。",
    ],
)
def test_what_is_left_alone(text):
    assert found(text) == []


@pytest.mark.parametrize(
    "term", ["wharfs", "Market‑based Quarter", "crane…quarter", "harbour lights were red", "wharf / harbour"]
)
def test_a_term_in_another_form_is_not_absent(term):
    assert lint([written(1, term, ["码头"])], ENGLISH) == []


def test_a_term_that_is_misspelt_is_told_what_the_source_has():
    (one,) = lint([written(1, "Market-bassed quarter", ["x"])], ENGLISH)
    assert one.code == "term_absent"
    assert "market-based quarter" in one.message
    assert one.start is not None
    assert "“Market-bassed quarter”"[1:-1] == written(1, "Market-bassed quarter", ["x"]).text[one.start : one.end]


def test_points_are_compared():
    wharf, dock = written(1, "码头", ["wharf"], ["dock"]), written(2, "码头", ["dock"])
    (one,) = lint([wharf, dock], SOURCE)
    assert (one.number, one.code, one.other) == (2, "contradicts", 1)
    (one,) = lint([wharf, written(2, "码头", ["pier"])], SOURCE)
    assert (one.code, one.other) == ("contradicts", 1)
    (one,) = lint([wharf, written(2, "码头", ["the wharf"])], SOURCE)
    assert (one.code, one.other) == ("repeats", 1)
    (one,) = lint([written(1, "", ["wharf"]), written(2, "", ["wharf"])], SOURCE)
    assert (one.code, one.other) == ("repeats", 1)


def test_a_term_is_asked_for_where_the_type_needs_one():
    for kind in (None, *POINT_TYPES):
        codes = [one.code for one in lint([written(1, "", ["wharf"], (), kind)], SOURCE)]
        assert codes == (["no_term"] if kind not in (None, "grammar") else [])


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((1, 2, 3), []),
        ((1, 2, 2), [(2, "number_repeated")]),
        ((1, 3), [(3, "number_skipped")]),
        ((2, 3), [(2, "number_skipped")]),
        ((1, 2, 18, 4), [(18, "number_repeated"), (4, "number_skipped")]),
    ],
)
def test_numbers(numbers, expected):
    terms = ["码头", "港口", "红灯", "起重机"]
    points = [written(number, term, [f"x{term}"]) for number, term in zip(numbers, terms, strict=False)]
    assert [(one.number, one.code) for one in lint(points, SOURCE)] == expected


def test_an_empty_rubric_and_an_empty_point():
    assert lint([], SOURCE) == []
    assert found("") == [(1, "uncheckable")]


@given(st.lists(st.text(max_size=40), max_size=5), st.text(max_size=80))
def test_any_points_are_told_of_in_their_order_and_places(texts, source):
    points = read_points([RubricPoint(number, text) for number, text in enumerate(texts, 1)], source)
    findings = lint(points, source)
    assert [one.number for one in findings] == sorted(one.number for one in findings)
    for one in findings:
        assert one.code in LINT_CODES
        assert one.message
        assert one.mend
        if one.start is not None:
            assert 0 <= one.start < one.end <= len(points[one.number - 1].text)


@given(
    st.sampled_from(["码头", "港口", "起重机"]),
    st.lists(st.text("abc ", min_size=1, max_size=6), min_size=1, max_size=3),
)
def test_a_good_point_has_no_findings(term, expected):
    point = written(1, term, expected)
    assert not point.expected or lint([point], SOURCE) == []


def test_a_point_by_hand_is_judged_by_its_fields():
    point = Point(1, "see the guideline", "terminology", "", ("wharf",), ("Wharf",))
    assert [one.code for one in lint([point], SOURCE)] == ["contradicts", "no_term"]


def test_the_real_articles():
    path = SHARED / "data" / "discox" / "DISCOX-filtered.json"
    if not path.exists():
        pytest.skip("the real articles are not here; name their folder in DISCOX_SHARED")
    findings = set()
    for article in json.loads(path.read_text(encoding="utf-8")):
        points = read_points(parse_rubric(article["reference_list"]), article["ori_text"])
        findings |= {(article["prompt_id"], one.number, one.code) for one in lint(points, article["ori_text"])}
    counts = Counter(code for _, _, code in findings)
    assert 70 <= counts["term_absent"] <= 95
    assert 35 <= counts["two_things"] <= 50
    assert 1 <= counts["contradicts"] <= 4
    assert 3 <= counts["repeats"] <= 8
    assert counts["uncheckable"] + counts["no_rendering"] <= 10
    assert counts["no_term"] <= 3
    assert findings >= {
        ("188", 14, "term_absent"),
        ("99", 11, "term_absent"),
        ("139", 2, "term_absent"),  # misspelt
        ("35", 3, "term_absent"),  # cut off
        ("54", 1, "two_things"),
        ("52", 1, "two_things"),
        ("71", 7, "two_things"),
        ("192", 6, "two_things"),
        ("104", 7, "two_things"),
        ("150", 7, "two_things"),
        ("111", 1, "two_things"),
        ("106", 1, "two_things"),
        ("175", 4, "contradicts"),
        ("95", 18, "repeats"),
        ("111", 10, "repeats"),
        ("148", 5, "repeats"),
        ("4", 2, "uncheckable"),
        ("7", 6, "no_rendering"),
        ("83", 18, "number_repeated"),
        ("103", 18, "number_repeated"),
        ("81", 6, "number_skipped"),
        ("90", 33, "number_skipped"),
    }
