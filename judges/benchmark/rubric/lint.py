"""Lint of rubric points: those that a judge could not apply, or that their authors did not mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

from judges.benchmark.checks.result import Level
from judges.benchmark.rubric.parsing import Prose, parse_prose, rubric_terms
from judges.benchmark.rubric.phrases import PointType, pattern
from judges.benchmark.rubric.point_types import proposed_type
from judges.benchmark.rubric.points import Point, searchable, type_name
from judges.grounding.fuzzy_search import Locator
from judges.grounding.normalization import bare, fold
from judges.grounding.rubric_terms import term_occurrences
from judges.words import NEVER

LintCode = Literal[
    "term_absent",
    "two_things",
    "contradicts",
    "repeats",
    "uncheckable",
    "no_rendering",
    "no_term",
    "number_repeated",
    "number_skipped",
    "untyped",
]
LINT_CODES: tuple[LintCode, ...] = get_args(LintCode)

_NEED_A_TERM = ("keyword", "terminology", "proper_noun", "culture", "wordplay")
_SHOWN = 60
_LISTED = re.compile(r"\s*[、，,;；/／]\s*(?:and\s+)?")
_ELLIPSIS = re.compile(r"…+|\.{3,}|⋯+")


@dataclass(frozen=True, slots=True)
class Lint:
    """One thing that is wrong with a point, with what mends it. It is advice: an author may know better.

    ``other``: the number of the point that this one contradicts or repeats. ``start``, ``end``: the words in question,
    as code points of the point's text; None where it is about the whole point. ``proposed``: the type that its form
    speaks for, where it has none.
    """

    number: int
    code: LintCode
    message: str
    mend: str
    other: int | None = None
    start: int | None = None
    end: int | None = None
    severity: Level = "warns"
    proposed: PointType | None = None


def lint(points: Sequence[Point], source: str) -> list[Lint]:
    """Return what is wrong with an article's points, in their order, each point's findings by code.

    That a point has no type is nothing wrong: `untyped` tells.

    Points are compared with all others of the article. About 10 ms for an article of 2,000 tokens with 9 points.
    """
    found = [one for point in points for one in _alone(point, source)]
    found += [one for pair in combinations(points, 2) for one in _between(*pair)]
    found += _numbers(points)
    order: dict[int, int] = {}
    for position, point in enumerate(points):
        order.setdefault(point.number, position)
    return sorted(found, key=lambda one: (order[one.number], LINT_CODES.index(one.code)))


def untyped(points: Sequence[Point], source: str) -> list[Lint]:
    """Return of which points nobody gave a type, in their order, and which one each one's form speaks for."""
    return [_untyped(point, source) for point in points if point.type is None]


def _alone(point: Point, source: str) -> Iterator[Lint]:
    """Yield what is wrong with a point by itself."""
    located = searchable(source)
    prose = parse_prose(point.text, located)
    if point.term:
        yield from _absent(point, source)
    elif point.type in _NEED_A_TERM:
        yield Lint(
            point.number,
            "no_term",
            f"It is a point of {type_name(point.type)} and names no term of the source.",
            "Quote the term as the source has it.",
        )
    if not (point.expected or point.forbidden):
        yield from _without_renderings(point, prose)
    for rendering in point.expected:
        if fold(rendering) in {fold(other) for other in point.forbidden}:
            yield Lint(
                point.number,
                "contradicts",
                f"“{_short(rendering)}” is both expected and forbidden.",
                "Take it from one of the two.",
                None,
                *_where(point.text, rendering),
            )
    said = [claim for claim in rubric_terms(point.text, located) if claim.term]
    for claim in said[1:]:
        if not any(_within(claim.term, other.term) for other in said if other is not claim):
            yield Lint(
                point.number,
                "two_things",
                f"It asks for “{_short(said[0].term)}” and for “{_short(claim.term)}”: "
                "a translation may meet one and violate the other.",
                "Make a point of each.",
                None,
                *((claim.start, claim.end) if claim.start >= 0 else (None, None)),
            )
            break
    else:
        if _gives_each(point, prose, located):
            yield Lint(
                point.number,
                "two_things",
                f"It gives “{_short(point.term)}” a rendering each: a translation may meet one and violate the other.",
                "Make a point of each.",
            )
        else:
            yield from _beside_renderings(point, prose)


def _untyped(point: Point, source: str) -> Lint:
    """Say that nobody gave a point a type, and which one its form speaks for: figures by type leave it out."""
    proposed = proposed_type(point, source)
    named = type_name(proposed) if proposed else ""
    mend = f"By its form it is {named}; take that type, or another." if named else "Say of which type it is."
    return Lint(point.number, "untyped", "It has no type.", mend, severity="remarks", proposed=proposed)


def _gives_each(point: Point, prose: Prose, located: Locator) -> bool:
    """Return whether a point names several terms, which stand apart in the source, and renders each of them."""
    each = prose.wording.each
    if each != NEVER and " / " in point.term and pattern(each).search(prose.outside):
        return True
    terms = _LISTED.split(point.term) if not _ELLIPSIS.search(point.term) else []
    renderings = _LISTED.split(point.expected[0]) if len(point.expected) == 1 else []
    return len(terms) == len(renderings) > 1 and not located.occurs(point.term) and all(map(located.forms, terms))


def _beside_renderings(point: Point, prose: Prose) -> Iterator[Lint]:
    """Yield that a point that names renderings asks for something else as well: of the first mention, or of all."""
    row = prose.wording
    first = pattern(row.first).search(prose.outside) if point.expected else None
    found = first or (pattern(row.throughout).search(prose.outside) if len(point.expected) > 1 else None)
    if found:
        what = "what the first mention is to be like" if first else "that it is the same everywhere"
        yield Lint(
            point.number,
            "two_things",
            f"It asks for a rendering and for {what}: a translation may meet one and violate the other.",
            "Make a point of each.",
            None,
            *found.span(),
        )


def _absent(point: Point, source: str) -> Iterator[Lint]:
    """Yield whether the source lacks a point's term."""
    located = searchable(source)
    terms = [point.term] if located.find(point.term) else point.term.split(" / ")
    for term in terms:
        places = term_occurrences(located, term)
        if any(match.method != "resembling" for match in places):
            continue
        parts = _ELLIPSIS.split(term)  # far apart, each part of it is there all the same
        if len(parts) > 1 and all(located.forms(part) for part in parts if any(map(str.isalnum, part))):
            continue
        held = source[places[0].start : places[0].end] if places else ""
        if bare(fold(held.rstrip("0123456789"))) == bare(fold(term)):  # a footnote's number sticks to it
            continue
        near = f" It has “{_short(held)}”." if held else ""
        yield Lint(
            point.number,
            "term_absent",
            f"The source does not have “{_short(term)}”.{near}",
            "Write the term as the source has it." if near else "Name a term of this source, or take the point out.",
            None,
            *_where(point.text, term),
        )


def _without_renderings(point: Point, prose: Prose) -> Iterator[Lint]:
    """Yield that a point names no rendering, unless it asks for something that can be checked without one."""
    row = prose.wording
    if row.demands != NEVER and pattern(row.demands).search(prose.outside):
        return
    vague = pattern(row.vague).search(prose.outside) if row.vague != NEVER else None
    if vague or not point.text.strip():
        place = vague.span() if vague else (None, None)
        said = f"“{vague[0]}” is a matter of opinion, and it" if vague else "It is empty: it"
        yield Lint(
            point.number,
            "uncheckable",
            f"{said} names no rendering: nobody could say whether a translation meets it.",
            "Say which renderings meet it, or which violate it.",
            None,
            *place,
        )
    else:
        yield Lint(
            point.number,
            "no_rendering",
            "It names no rendering, expected or forbidden.",
            "Add one that meets it or one that violates it, in quotation marks.",
        )


def _between(one: Point, two: Point) -> Iterator[Lint]:
    """Yield what the later of two points has against the earlier."""
    if bare(fold(one.text)) == bare(fold(two.text)) and one.text.strip():
        yield Lint(two.number, "repeats", f"It is point {one.number} again.", "Take one of the two out.", one.number)
        return
    if not one.term or fold(one.term) != fold(two.term):
        return
    wanted, barred = ({fold(text) for text in texts} for texts in (one.expected, one.forbidden))
    wanted_too, barred_too = ({fold(text) for text in texts} for texts in (two.expected, two.forbidden))
    clash = next(
        (t for t in (*two.expected, *two.forbidden) if fold(t) in (wanted & barred_too) | (barred & wanted_too)), ""
    )
    if clash:
        message = f"Of “{_short(clash)}” for “{_short(two.term)}”, point {one.number} says the opposite."
        yield Lint(
            two.number, "contradicts", message, "Decide for one of the two.", one.number, *_where(two.text, clash)
        )
    elif wanted and wanted_too and not _share(wanted, wanted_too):
        message = f"Point {one.number} expects other renderings of “{_short(two.term)}”: no translation meets both."
        mend = "Name in both all renderings that are right, or the place that each of them is about."
        yield Lint(two.number, "contradicts", message, mend, one.number, *_where(two.text, two.term))
    else:
        message = f"Point {one.number} is about “{_short(two.term)}” too, so one fault would cost twice."
        yield Lint(
            two.number, "repeats", message, "Make one point of the two.", one.number, *_where(two.text, two.term)
        )


def _numbers(points: Sequence[Point]) -> Iterator[Lint]:
    """Yield the numbers that are given twice, stand out of order, or leave a gap before them."""
    mend = "Number the points 1, 2, 3, …: judges name them by number."
    numbers = [point.number for point in points]
    ordered: list[int] = []
    for k, number in enumerate(numbers):
        following = numbers[k + 1] if k + 1 < len(numbers) else number
        if number in numbers[:k]:
            yield Lint(number, "number_repeated", f"Number {number} is given twice.", mend, number)
        elif number > following not in numbers[:k]:
            message = f"Number {number} stands before {following}: it is wrong, or the point's own was given before."
            yield Lint(number, "number_repeated", message, mend, following)
        else:
            ordered.append(number)
    ordered.sort()
    for before, number in zip([0, *ordered], ordered, strict=False):
        if number > before + 1:
            missing = f"{before + 1}" if number == before + 2 else f"{before + 1} to {number - 1}"
            yield Lint(number, "number_skipped", f"There is no point {missing}.", mend)


def _share(some: set[str], others: set[str]) -> bool:
    """Return whether a rendering of one holds one of the other: a translation may then meet both."""
    return any(a in b or b in a for a in some for b in others)


def _within(term: str, other: str) -> bool:
    return bare(fold(term)) in bare(fold(other)) or bare(fold(other)) in bare(fold(term))


def _where(text: str, part: str) -> tuple[int, int] | tuple[None, None]:
    at = text.find(part)
    return (at, at + len(part)) if at >= 0 and part else (None, None)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
