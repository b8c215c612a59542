"""Rubric points as their authors give them: the same points, and the same findings, in whatever layout."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.benchmark.rubric.given_points import given_points, given_rubric, point_type
from judges.benchmark.rubric.lint import lint
from judges.benchmark.rubric.points import Point, rubric_text, to_json
from judges.metric_s.reading.rubric import parse_rubric
from tests.conftest import SHARED
from tests.support.nightly import rounds

SOURCE = "他在码头上等人，码头很大。港口的红灯亮了，起重机还没有停。民国二十年发过大水。"
TEXT = (
    "考点1：“码头”应译为“wharf”，不可译为“dock”。\n"
    "考点2：“红灯”应译为“red light”\n或“red lamp”\n"
    "考点3：术语：“起重机”应译为“crane”。\n"
    "考点4：“民国二十年”应译为“1931”"
)
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
DIGITS = "〇一二三四五六七八九"

Points = Sequence[Point]


def lines(pattern: str) -> Callable[[Points, str], str]:
    return lambda points, _: "\n".join(pattern.format(n=p.number, t=p.text) for p in points)


def chinese(number: int) -> str:
    tens, ones = divmod(number, 10)
    return f"{DIGITS[tens] if tens > 1 else ''}{'十' if tens else ''}{DIGITS[ones] if ones else ''}"


def without_text(point: Point) -> dict[str, Any]:
    said = to_json(point)
    return said if not (point.term or point.expected or point.forbidden) else said | {"text": ""}


LAYOUTS: dict[str, Callable[[Points, str], object]] = {
    "the data set's text": lambda points, text: text,
    "its lines": lambda points, text: text.split("\n"),
    "texts": lambda points, _: [p.text for p in points],
    "numbered texts": lambda points, _: [f"考点{p.number}：{p.text}" for p in points],
    "objects of a text": lambda points, _: [{"text": p.text} for p in points],
    "objects of a numbered text": lambda points, _: [{"text": f"考点{p.number}: {p.text}"} for p in points],
    "objects of number and text": lambda points, _: [{"number": f"{p.number}", "text": p.text} for p in points],
    "both numbered": lambda points, _: [{"number": p.number, "text": f"{p.number}. {p.text}"} for p in points],
    "whole objects": lambda points, _: [to_json(p) for p in points],
    "their JSON": lambda points, _: json.dumps([to_json(p) for p in points]),
    "objects of text and term": lambda points, _: [
        {"number": p.number, "text": p.text, "term": p.term or None, "expected": None} for p in points
    ],
    "by number": lambda points, _: {str(p.number): p.text for p in points},
    "by name": lambda points, _: {f"考点{p.number}": {"text": p.text} for p in points},
    "1.": lines("{n}. {t}"),
    "1)": lines("{n}) {t}"),
    "（1）": lines("（{n}）{t}"),
    "**考点1**": lines("**考点{n}**：{t}"),
    "- **考点1：**": lines("- **考点{n}：** {t}"),
    "Point 1": lines("Point {n}: {t}"),
    "blank lines": lambda points, _: "\n\n".join(f"考点{p.number}：{p.text}" for p in points),
    "lines of a file from Windows": lambda points, _: "\r\n".join(f"考点{p.number}：{p.text}" for p in points),
    "考点一": lambda points, _: "\n".join(f"考点{chinese(p.number)}：{p.text}" for p in points),
    "bullets": lines("- {t}"),
    "①": lambda points, _: "\n".join(f"{CIRCLED[p.number - 1]} {p.text}" for p in points),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_points(layout: str) -> None:
    points = given_points(TEXT, SOURCE, "zh-en")
    assert [(p.number, p.term, p.expected, p.type) for p in points] == [
        (1, "码头", ("wharf",), None),
        (2, "红灯", ("red light", "red lamp"), None),
        (3, "起重机", ("crane",), "terminology"),
        (4, "民国二十年", ("1931",), None),
    ]
    text, read = given_rubric(LAYOUTS[layout](points, TEXT), SOURCE, "zh-en")
    assert read == points
    assert parse_rubric(text) == tuple(point.as_rubric() for point in points)


@cache
def articles() -> list[dict[str, str]]:
    path = SHARED / "data" / "discox" / "DISCOX-filtered.json"
    if not path.exists():
        pytest.skip("the real articles are not here; name their folder in DISCOX_SHARED")
    found: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_layout_of_the_real_articles_brings_another_finding(layout: str) -> None:
    """By day every twelfth article, at night all 200. Numbers that skip or repeat are only said in some layouts."""
    more: Counter[str] = Counter()
    for article in articles()[:: rounds(12, 1)]:
        source, text = article["ori_text"], article["reference_list"]
        points = given_points(text, source, "zh-en")
        numbers = [point.number for point in points]
        if layout == "①" and (max(numbers, default=0) > 20 or sorted(numbers) != numbers):
            continue
        _, read = given_rubric(LAYOUTS[layout](points, text), source, "zh-en")
        assert [(p.text, p.term, p.expected, p.forbidden) for p in read] == [
            (p.text, p.term, p.expected, p.forbidden) for p in points
        ]
        more += Counter(one.code for one in lint(read, source)) - Counter(one.code for one in lint(points, source))
    assert not more


def test_points_without_a_text_are_worded_without_another_finding() -> None:
    for article in articles()[:: rounds(12, 1)]:
        source = article["ori_text"]
        points = given_points(article["reference_list"], source, "zh-en")
        worded = given_points([without_text(point) for point in points], source, "zh-en")
        assert [p.term for p in worded] == [" ".join(p.term.split()) for p in points], "spaces are made single"
        assert not {(one.number, one.code) for one in lint(worded, source)} - {
            (one.number, one.code) for one in lint(points, source)
        }


def test_what_an_object_has_is_kept_and_what_it_leaves_out_is_read() -> None:
    text = "“码头”应译为“wharf”，不可译为“dock”。"
    (point,) = given_points([{"text": text, "expected": [], "type": "proper noun"}], SOURCE, "zh-en")
    assert (point.term, point.expected, point.forbidden, point.type) == ("码头", (), ("dock",), "proper_noun")
    (untyped,) = given_points([{"text": "术语：“码头”应译为“wharf”。", "type": None}], SOURCE, "zh-en")
    assert untyped.type is None, "its author says that it has none"


def test_numbers_that_are_not_in_order_are_kept_and_repeated_ones_give_way() -> None:
    points = given_points(["考点1：“码头”", "考点5：“港口”", "考点5：“红灯”"], SOURCE, "zh-en")
    assert [point.number for point in points] == [1, 5, 6]
    objects = given_points([{"number": 7, "text": "“码头”"}, {"text": "“港口”"}], SOURCE, "zh-en")
    assert [point.number for point in objects] == [7, 2]
    assert given_points(["3.5 万人应译为“35,000”", "“港口”"], SOURCE, "zh-en")[0].text.startswith("3.5 万人")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "is no text, list or object of points"),
        ([{"text": 3}], "point 1: text: 3 is no text"),
        (["“码头”", 3], "point 2: is no text, and no object"),
        ([{"wording": "x"}], "point 1: wording: is none of number"),
        ([{"text": "x", "type": "tone"}], "point 1: type: 'tone' is none of grammar"),
        ([{"number": "first", "text": "x"}], "point 1: number: 'first' is no number"),
        ([{"type": "keyword"}], "point 1: is empty"),
        ({"first": "x"}, "point 1: first: is none of number"),
        ('[{"text"', "looks like JSON and is none"),
    ],
)
def test_what_is_no_point_is_named(value: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        given_points(value, SOURCE, "zh-en")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Keyword", "keyword"),
        ("term", "terminology"),
        ("proper-noun", "proper_noun"),
        ("专有名词", "proper_noun"),
        ("pun", "wordplay"),
        ("", None),
    ],
)
def test_types_have_other_names(said: str, kind: str | None) -> None:
    assert point_type(said) == kind


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda each: st.lists(each, max_size=3) | st.dictionaries(st.sampled_from(["text", "number", "term", "expected", "1"]), each, max_size=3), max_leaves=8))  # fmt: skip
def test_anything_is_points_or_a_named_mistake(value: object) -> None:
    try:
        text, points = given_rubric(value, SOURCE, "zh-en")
    except ValueError:
        return
    assert parse_rubric(text) == tuple(point.as_rubric() for point in points)
    assert not points or rubric_text(points)
