"""Rubric of an article, one text with a numbered point to a line, or nearly; apart, since formats need it alone."""

from __future__ import annotations

import re

from judges.model import RubricPoint

_MARK = r"[ \t]*(?:[:：.．、。)）]|(?=[“\"”'‘【《]))[ \t:：]*"
_POINT = re.compile(rf"(?P<start>^[^\S\n]*)?考点?[^\S\n]*(?P<number>\d{{1,3}}){_MARK}", re.MULTILINE)
_PLAIN = re.compile(r"(?P<start>^[^\S\n]*)[(（]?(?P<number>\d{1,3})[^\S\n]*[:：.．、)）][^\S\n]*", re.MULTILINE)


def parse_rubric(reference_list: str) -> tuple[RubricPoint, ...]:
    """Return the points of a rubric text, in its order and with the numbers it gives them.

    "考点1：…", "考点 2. …", "考3：…" begin a point at the start of a line, and within one when the number is the next.
    A text without any such mark is read as "1. …" lines, and one without any numbers as a point a line. Numbers may
    skip, as the experts' do; a point that repeats one gets the next number after all, since judges name points by
    number. A point may run over several lines.
    """
    for pattern in (_POINT, _PLAIN):
        points = _numbered(pattern, reference_list)
        if points:
            return points
    lines = [line.strip() for line in reference_list.split("\n")]
    return tuple(RubricPoint(number, line) for number, line in enumerate((line for line in lines if line), 1))


def _numbered(pattern: re.Pattern[str], text: str) -> tuple[RubricPoint, ...]:
    marks: list[re.Match[str]] = []
    for mark in pattern.finditer(text):
        follows = bool(marks) and int(mark["number"]) == int(marks[-1]["number"]) + 1
        if mark["start"] is not None or follows:
            marks.append(mark)
    ends = [*(mark.start() for mark in marks[1:]), len(text)] if marks else []
    points: dict[int, str] = {}
    free = max((int(mark["number"]) for mark in marks), default=0) + 1
    for mark, end in zip(marks, ends, strict=True):
        number = int(mark["number"])
        if number in points:
            number, free = free, free + 1
        points[number] = text[mark.end() : end].strip()
    return tuple(RubricPoint(number, said) for number, said in points.items())
