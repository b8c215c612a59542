"""Findings of intake on candidates: text, points and details, and texts that are nearly the same elsewhere.

Nothing of it is stored but what people call all right; findings are made anew whenever they are asked for.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from storage.base.identity import digest
from storage.benchmark.candidates import DETAILS, Candidate, CheckedOff, articles, candidates
from storage.benchmark.settings import lengths, quotas

if TYPE_CHECKING:
    from judges.benchmark.checks.result import Level
    from judges.benchmark.rubric.points import Point
    from judges.benchmark.selection.selection import Quota

About = Literal["text", "points", "details", "twin"]
"""``text``: the article's. ``points``: one of its rubric points. ``details``: what is said of it beside. ``twin``:
another text that is nearly the same."""

SAME = 0.8
"""The share of the shorter text's shingles in the other, in [0, 1], from which two candidates are one and the same."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check finds, and how to mend it.

    ``id`` stands for the words in question, so that what was called all right stays so while these stand. ``number``:
    of the point, ``other``: the point, candidate or article that it contradicts, repeats or resembles. ``start``,
    ``end``: code points of the article's text, or of the point's; None where it is about the whole.
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
    checked_off: CheckedOff | None = None

    @property
    def blocks(self) -> bool:
        """Return whether it stands in the way: it is bad enough, and nobody has called it all right."""
        return self.severity == "blocks" and self.checked_off is None


def findings(
    connection: sqlite3.Connection,
    chosen: Sequence[Candidate],
    *,
    twins: bool = True,
    against: Mapping[str, str] = {},
) -> dict[str, list[Finding]]:
    """Return what is found of candidates, by key, in the order text, points, details, twins.

    ``twins``: also look for nearly the same text among all candidates, in the articles of the library that are none,
    and ``against`` (name → text). About 25 ms for a candidate, once in a process for the same text and points.
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
    if twins:
        for key, nearby in _twins(connection, chosen, against).items():
            found[key] += nearby
    return {
        each.key: [replace(one, checked_off=each.checked_off.get(one.id)) for one in found[each.key]] for each in chosen
    }


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
    from judges.benchmark.rubric.lint import lint

    texts = {point.number: point.text for point in points}
    return tuple(
        Finding(
            id=digest("points", one.code, texts[one.number], texts.get(one.other or -1)),
            about="points",
            code=one.code,
            severity="warns",
            message=one.message,
            mend=one.mend,
            number=one.number,
            other="" if one.other is None else str(one.other),
            start=one.start,
            end=one.end,
        )
        for one in lint(points, source)
    )


def _of_details(each: Candidate, wanted: Sequence[Quota]) -> Iterator[Finding]:
    from judges.benchmark.selection.selection import described

    for one in described({name: getattr(each, name) for name in DETAILS}, wanted):
        identity = digest("details", one.code, one.message)
        yield Finding(identity, "details", one.code, one.severity, one.message, one.mend)


def _words(text: str, start: int | None, end: int | None) -> str:
    return "" if start is None else text[start:end]


def _twins(
    connection: sqlite3.Connection, chosen: Sequence[Candidate], against: Mapping[str, str]
) -> dict[str, list[Finding]]:
    from judges.benchmark.checks.near_duplicates import near_duplicates

    everyone = candidates(connection, "")
    own = {key: article.source for key, article in articles(connection, everyone).items()}
    versions = {version.article_id for each in everyone for version in each.versions}
    library = connection.execute("SELECT id, key, source FROM articles ORDER BY key, id").fetchall()
    others = [
        (f"article {key} of the library", source) for identity, key, source in library if identity not in versions
    ]
    others += [(name, source) for name, source in against.items()]
    names = list(own)
    wanted = {each.key for each in chosen}
    found: defaultdict[str, list[Finding]] = defaultdict(list)
    for pair in near_duplicates(list(own.values()), [source for _, source in others]):
        first = names[pair.first]
        if pair.in_against:
            alike = [(first, others[pair.second][0])]
        else:
            second = names[pair.second]
            alike = [(first, f"candidate {second}"), (second, f"candidate {first}")]
        for key, other in alike:
            if key in wanted:
                found[key].append(_twin(other, pair.containment))
    return found


def _twin(other: str, share: float) -> Finding:
    mend = "Keep one of the two, or say why both are needed."
    severity: Level = "blocks" if share >= SAME else "warns"
    message = f"{share:.0%} of the shorter text is in {other} too."
    return Finding(digest("twin", other), "twin", "near_duplicate", severity, message, mend, other=other)
