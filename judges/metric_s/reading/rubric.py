"""Rubric of an article, one text with a numbered point to a line, or nearly; apart, since formats need it alone."""

from __future__ import annotations

import re
import unicodedata

from judges.model import RubricPoint

_BULLET = r"[-*•·▪●○◦–—>#+]"
_LEAD = rf"^[^\S\n]*(?:{_BULLET}+[^\S\n]*)*"
"""Marks that a list or a heading puts before a point: a bullet, or those of bold type."""
_DIGITS = r"\d{1,3}|[一二三四五六七八九]?十?[一二三四五六七八九十]"
_MARK = r"\**[ \t]*(?:[:：.．、。)）]|(?=[“\"”'‘【《]))\**[ \t:：]*"
_POINT = re.compile(
    rf"(?:(?P<start>{_LEAD})(?:考点?|得分点|评分点|(?:rubric[ \t]+)?point|checkpoint|criterion)|考点?)"
    rf"[^\S\n]*(?P<number>{_DIGITS}){_MARK}",
    re.MULTILINE | re.IGNORECASE,
)
_PLAIN = re.compile(
    rf"(?P<start>{_LEAD}[(（]?)(?P<number>\d{{1,3}}(?=[^\S\n]*\**(?:[:：．、)）]|\.(?!\d)))|[①-⑳⑴-⒇])"
    r"[^\S\n]*\**[:：.．、)）]?\**[^\S\n]*",
    re.MULTILINE,
)
_LISTED = re.compile(rf"^[^\S\n]*{_BULLET}[^\S\n]+", re.MULTILINE)


def parse_rubric(reference_list: str) -> tuple[RubricPoint, ...]:
    """Return the points of a rubric text, in its order and with the numbers it gives them.

    "考点1：…", "考点 2. …", "考3：…", "Point 4: …" begin a point at the start of a line; the Chinese ones also
    within one, when the number is the next. A text without any such mark is read as "1. …" or "① …" lines, and one
    without any numbers as a list with bullets, else as a point a line. Numbers may skip, as the experts' do; a point
    that repeats one gets the next number after all, since judges name points by number. A point may run over several
    lines.
    """
    for pattern in (_POINT, _PLAIN):
        points = _numbered(pattern, reference_list)
        if points:
            return points
    bullets = list(_LISTED.finditer(reference_list))
    if bullets and not reference_list[: bullets[0].start()].strip():
        ends = [*(bullet.start() for bullet in bullets[1:]), len(reference_list)]
        lines = [reference_list[bullet.end() : end].strip() for bullet, end in zip(bullets, ends, strict=True)]
    else:
        lines = [_LISTED.sub("", line).strip() for line in reference_list.split("\n")]
    return tuple(RubricPoint(number, line) for number, line in enumerate((line for line in lines if line), 1))


def leading_number(text: str) -> tuple[int, str] | None:
    """Return the number that one point's text begins with and what follows it; None where it begins with none."""
    for pattern in (_POINT, _PLAIN):
        if (mark := pattern.match(text)) and mark["start"] is not None:
            return _value(mark["number"]), text[mark.end() :].strip()
    return None


def _numbered(pattern: re.Pattern[str], text: str) -> tuple[RubricPoint, ...]:
    marks: list[tuple[re.Match[str], int]] = []
    for mark in pattern.finditer(text):
        number = _value(mark["number"])
        if mark["start"] is not None or (marks and number == marks[-1][1] + 1):
            marks.append((mark, number))
    ends = [*(mark.start() for mark, _ in marks[1:]), len(text)] if marks else []
    points: dict[int, str] = {}
    free = max((number for _, number in marks), default=0) + 1
    for (mark, number), end in zip(marks, ends, strict=True):
        if number in points:
            number, free = free, free + 1
        points[number] = text[mark.end() : end].strip()
    return tuple(RubricPoint(number, said) for number, said in points.items())


def _value(number: str) -> int:
    """Return a number written in digits of any script, in a circle, or in Chinese up to 99."""
    if number[0].isdecimal():
        return int(number)
    tens, ten, ones = number.rpartition("十")
    if ten:
        return 10 * int(unicodedata.numeric(tens or "一")) + (int(unicodedata.numeric(ones)) if ones else 0)
    return int(unicodedata.numeric(number))
