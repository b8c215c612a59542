"""Findings of intake on candidates: text, points and details, and texts that are nearly the same elsewhere.

Nothing of it is stored but what people call all right; findings are made anew whenever they are asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from storage.base.identity import digest
from storage.benchmark.candidates import DETAILS, Candidate, CheckedOff, articles, candidates
from storage.benchmark.settings import lengths, quotas

if TYPE_CHECKING:
    from judges.benchmark.checks.result import Level
    from judges.benchmark.rubric.phrases import PointType
    from judges.benchmark.rubric.points import Point
    from judges.benchmark.selection.selection import Quota

About = Literal["text", "points", "details", "twin", "others"]
"""``text``: the article's. ``points``: one of its rubric points. ``details``: what is said of it beside. ``twin``:
another text that is nearly the same. ``others``: how it stands among the other candidates."""

SAME = 0.8
"""The share of the shorter text's shingles in the other, in [0, 1], from which two candidates are one and the same."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check finds, and how to mend it.

    ``id`` stands for the words in question, so that what was called all right stays so while these stand. ``number``:
    of the point, ``other``: the point, candidate or article that it contradicts, repeats or resembles. ``start``,
    ``end``: code points of the article's text, or of the point's; None where it is about the whole. ``proposed``: the
    type that an untyped point's form speaks for.
    """

    id: str
    about: About
    code: str
    severity: Level
    message: str
    mend: str
    number: int | None = None
    other: str = ""
    start: int | None = None
    end: int | None = None
    proposed: PointType | None = None
    checked_off: CheckedOff | None = None

    @property
    def blocks(self) -> bool:
        """Return whether it stands in the way: it is bad enough, and nobody has called it all right."""
        return self.severity == "blocks" and self.checked_off is None


@dataclass(frozen=True, slots=True)
class Near:
    """Two texts that are nearly the same: a candidate's, and that of ``other``, which is another ``candidate`` or not.

    ``share``: of the shorter text's shingles that are in the other, in [0, 1].
    """

    key: str
    other: str
    share: float
    candidate: bool

    @property
    def turned(self) -> Near:
        """The same two, told of the other candidate."""
        return Near(self.other, self.key, self.share, True)


def findings(
    connection: sqlite3.Connection,
    chosen: Sequence[Candidate],
    *,
    others: bool = True,
    against: Mapping[str, str] = {},
) -> dict[str, list[Finding]]:
    """Return what is found of candidates, by key, in the order text, points, details, twins, others.

    ``others``: also compare them with all candidates, with the articles of the library that are none, and with
    ``against`` (name → text). About 25 ms for a candidate, once in a process for the same text and points.
    """
    texts = articles(connection, chosen)
    least = tuple(sorted((language, *asked) for language, asked in lengths(connection).items()))
    wanted = quotas(connection)
    found = {
        each.key: [
            *_of_text(texts[each.key].source, each.direction, least),
            *_of_points(each.version.points, texts[each.key].source),
            *_of_details(each, wanted),
        ]
        for each in chosen
    }
    own = {
        each.key: [replace(one, checked_off=each.checked_off.get(one.id)) for one in found[each.key]] for each in chosen
    }
    if others:
        everyone = candidates(connection, "")
        found = across(everyone, near_texts(connection, everyone, against))
        return {key: [*said, *found[key]] for key, said in own.items()}
    return own


def near_texts(
    connection: sqlite3.Connection, everyone: Sequence[Candidate], against: Mapping[str, str] = {}
) -> list[Near]:
    """Return which texts are nearly the same: of candidates, other articles of the library, and ``against``."""
    from judges.benchmark.checks.near_duplicates import near_duplicates

    own = {key: article.source for key, article in articles(connection, everyone).items()}
    versions = {version.article_id for each in everyone for version in each.versions}
    library = connection.execute("SELECT id, key, source FROM articles ORDER BY key, id").fetchall()
    others = [
        (f"article {key} of the library", source) for identity, key, source in library if identity not in versions
    ]
    others += list(against.items())
    names = list(own)
    return [
        Near(
            names[pair.first],
            others[pair.second][0] if pair.in_against else names[pair.second],
            pair.containment,
            not pair.in_against,
        )
        for pair in near_duplicates(list(own.values()), [source for _, source in others])
    ]


def across(everyone: Sequence[Candidate], near: Sequence[Near]) -> dict[str, list[Finding]]:
    """Return what follows from comparing candidates, by key; ``near``: what `near_texts` gave for their texts.

    What is decided stays so: a rejected candidate neither blocks another nor counts for the mean, and one that is
    accepted is not blocked by another that is not.
    """
    from judges.benchmark.selection.selection import few_points

    by_key = {each.key: each for each in everyone if each.outcome != "rejected"}
    found: dict[str, list[Finding]] = {each.key: [] for each in everyone}
    for pair in near:
        for side in (pair, pair.turned) if pair.candidate else (pair,):
            now, other = by_key.get(side.key), by_key.get(side.other)
            decided = pair.candidate and (other is None or (now and now.outcome == "accepted" != other.outcome))
            one = _twin(side)
            off = now.checked_off.get(one.id) if now else None
            if now and (off or not decided):
                found[side.key].append(replace(one, checked_off=off))
    counts = [len(each.version.points) for each in by_key.values() if each.version.points]
    mean = sum(counts) / len(counts) if counts else 0.0
    for each in by_key.values():
        if few := few_points(len(each.version.points), mean):
            identity = digest("others", few.code, str(len(each.version.points)))  # the mean moves with every candidate
            off = each.checked_off.get(identity)
            found[each.key].append(
                Finding(identity, "others", few.code, few.severity, few.message, few.mend, checked_off=off)
            )
    return found


@lru_cache(maxsize=2048)
def _of_text(source: str, direction: str, least: tuple[tuple[str, int, str], ...]) -> tuple[Finding, ...]:
    from judges.benchmark.checks.intake import DEFAULT, MinimumLength, check

    asked = {language: MinimumLength(count, unit) for language, count, unit in least}  # type: ignore[arg-type]
    settings = replace(DEFAULT, least={**DEFAULT.least, **asked})
    return tuple(
        Finding(
            digest("text", one.code, _words(source, one.start, one.end) or one.message),
            "text",
            one.code,
            one.severity,
            one.message,
            one.mend,
            start=one.start,
            end=one.end,
        )
        for one in check(source, direction, settings)
    )


@lru_cache(maxsize=2048)
def _of_points(points: tuple[Point, ...], source: str) -> tuple[Finding, ...]:
    from judges.benchmark.rubric.lint import lint, untyped

    texts = {point.number: point.text for point in points}
    return tuple(
        Finding(
            id=digest("points", one.code, texts[one.number], texts.get(one.other or -1)),
            about="points",
            code=one.code,
            severity=one.severity,
            message=one.message,
            mend=one.mend,
            number=one.number,
            other="" if one.other is None else str(one.other),
            start=one.start,
            end=one.end,
            proposed=one.proposed,
        )
        for one in (*lint(points, source), *untyped(points, source))
    )


def _of_details(each: Candidate, wanted: Sequence[Quota]) -> Iterator[Finding]:
    from judges.benchmark.selection.selection import described

    for one in described({name: getattr(each, name) for name in DETAILS}, len(each.version.points), wanted):
        identity = digest("details", one.code, one.message)
        yield Finding(identity, "details", one.code, one.severity, one.message, one.mend)


def _words(text: str, start: int | None, end: int | None) -> str:
    return "" if start is None else text[start:end]


def _twin(pair: Near) -> Finding:
    other = f"candidate {pair.other}" if pair.candidate else pair.other
    mend = "Keep one of the two, or say why both are needed."
    severity: Level = "blocks" if pair.share >= SAME else "warns"
    message = f"{pair.share:.0%} of the shorter text is in {other} too."
    return Finding(digest("twin", other), "twin", "near_duplicate", severity, message, mend, other=other)
