"""Rubric points as their authors give them, as text or objects in any layout: one reader for every entrance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judges.benchmark.rubric.phrases import PointType
from judges.benchmark.rubric.points import (
    POINT_TYPES,
    Point,
    from_json,
    read_point,
    read_points,
    reader_language,
    rubric_text,
    written,
)
from judges.metric_s.reading.rubric import leading_number, parse_rubric
from judges.model import RubricPoint

FIELDS = ("number", "text", "type", "term", "expected", "forbidden")
"""The fields of a point that is given as an object; each may be left out."""
_NAMES: Mapping[str, PointType] = {
    "term": "terminology",
    "术语": "terminology",
    "关键词": "keyword",
    "语法": "grammar",
    "文化": "culture",
    "文化负载词": "culture",
    "proper noun": "proper_noun",
    "name": "proper_noun",
    "专有名词": "proper_noun",
    "专名": "proper_noun",
    "pun": "wordplay",
    "双关": "wordplay",
    "文字游戏": "wordplay",
}
"""Other names of types."""


@dataclass(frozen=True, slots=True)
class _Given:
    """One point as it was given: its fields, its number where it has one, and the one that its text begins with."""

    fields: Mapping[str, Any]
    number: int | None
    marked: tuple[int, str] | None


def given_points(value: object, source: str, direction: str) -> tuple[Point, ...]:
    """Return the points that somebody gives: a text, a list of texts and objects, an object of them by number, or JSON.

    What an object leaves out (``FIELDS``) is read from its text, or its text is worded from what it has. Numbers are
    those given, else those that all texts begin with, else the places in the list. Raises ValueError naming point and
    field.
    """
    if isinstance(value, str):
        said = _json(value)
        if said is None:
            return read_points(parse_rubric(value), source)
        value = said
    if value is None:
        return ()
    if isinstance(value, Mapping):
        value = [value] if value.keys() & {*FIELDS} else list(_by_number(value))
    if not isinstance(value, Sequence) or isinstance(value, bytes):
        raise ValueError("is no text, list or object of points")
    if all(isinstance(each, str) for each in value) and value and leading_number(value[0]):
        return read_points(parse_rubric("\n".join(value)), source)  # a text's lines, of which not each begins a point
    given = [_given(place, each) for place, each in enumerate(value, 1)]
    given = [each for each in given if each.fields.keys() - {"text"} or each.fields.get("text", "").strip()]
    marked = all(each.marked for each in given)
    taken = {each.number for each in given if each.number is not None}
    points: list[Point] = []
    for place, each in enumerate(given, 1):
        number = each.number if each.number is not None else each.marked[0] if marked and each.marked else place
        if each.number is None and number in taken:  # as in a text, a number that repeats gives way
            number = max({*taken, *(one.marked[0] for one in given if marked and one.marked)}) + 1
        taken.add(number)
        points.append(_point(place, number, each, marked=marked, source=source, direction=direction))
    return tuple(points)


def given_rubric(value: object, source: str, direction: str) -> tuple[str, tuple[Point, ...]]:
    """Return the rubric that judges read, and its points: a text, or list of texts, stays as it is where it reads so.

    Raises ValueError as `given_points` and `rubric_text` do.
    """
    points = given_points(value, source, direction)
    texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
    text = "\n".join(value) if texts and isinstance(value, list) else value
    if isinstance(text, str) and parse_rubric(text) == tuple(point.as_rubric() for point in points):
        return text, points
    return rubric_text(points) if points else "", points


def point_type(value: object) -> PointType | None:
    """Return the type that somebody names in whatever words; None for none. Raises ValueError for an unknown one."""
    if value is None or value == "":
        return None
    name = " ".join(value.replace("_", " ").replace("-", " ").casefold().split()) if isinstance(value, str) else ""
    found = _NAMES.get(name) or next((each for each in POINT_TYPES if each == name), None)
    if found is None:
        raise ValueError(f"type: {value!r} is none of {', '.join(POINT_TYPES)}")
    return found


def _json(text: str) -> object:
    """Return the list or object that a text is in JSON, None for any other. Raises ValueError for broken JSON."""
    text = text.strip()
    if text[:1] not in ("[", "{"):
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        if text.startswith(("[{", '["', '{"')):
            raise ValueError("looks like JSON and is none") from None
        return None
    return value


def _by_number(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the points of an object whose names are their numbers: "1", "考点2", "Point 3"."""
    for place, (name, each) in enumerate(value.items(), 1):
        try:
            number = _number(name)
        except ValueError:
            raise ValueError(f"point {place}: {name}: is none of {', '.join(FIELDS)}, and no number") from None
        yield {"number": number, **(each if isinstance(each, Mapping) else {"text": each})}


def _given(place: int, value: object) -> _Given:
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        raise ValueError(f"point {place}: is no text, and no object with some of {', '.join(FIELDS)}")
    if unknown := sorted(value.keys() - {*FIELDS}):
        raise ValueError(f"point {place}: {unknown[0]}: is none of {', '.join(FIELDS)}")
    fields = {name: each for name, each in value.items() if each is not None or name == "type"}
    try:
        number = _number(fields["number"]) if "number" in fields else None
        text = fields.get("text", "")
        if not isinstance(text, str):
            raise ValueError(f"text: {text!r} is no text")
        for name in ("expected", "forbidden"):
            if isinstance(fields.get(name), str):
                fields[name] = [fields[name]]
        if "type" in fields:
            fields["type"] = point_type(fields["type"])
    except ValueError as error:
        raise ValueError(f"point {place}: {error}") from None
    return _Given(fields, number, leading_number(text))


def _number(value: object) -> int:
    """Return the number of a point, however it is written. Raises ValueError."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str):
        marked = leading_number(f"{value.strip()}：")
        value = marked[0] if marked and not marked[1] else value
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"number: {value!r} is no number of a point")
    return value


def _point(place: int, number: int, given: _Given, *, marked: bool, source: str, direction: str) -> Point:
    """Return one point: what its object leaves out is read from its text, or worded."""
    try:
        point = from_json({**given.fields, "number": number})
    except ValueError as error:
        raise ValueError(f"point {place}: {error}") from None
    text = point.text.strip()
    if given.marked and (given.marked[0] == number or (marked and given.number is None)):
        text = given.marked[1]
    if not text:
        language = reader_language(direction)
        made = written(number, point.term, point.expected, point.forbidden, point.type, language)
        if not made.text:
            raise ValueError(f"point {place}: is empty; give its text, or a term and its renderings")
        return made
    if parse_rubric(f"考点{number}：{text}") != (RubricPoint(number, text),):
        text = " ".join(text.split())  # a line of it would begin a point of its own
    read = read_point(RubricPoint(number, text), source)
    return replace(read, **{name: getattr(point, name) for name in FIELDS[2:] if name in given.fields})
