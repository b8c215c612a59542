"""Choice of the occurrence that a quote means, by all that is known of the place of the finding.

A quote inside a wider quote is there; else the place named, the other side's quote, the paragraph hint and the
neighbouring quotes decide, in this order of weight. What they leave open stays visibly uncertain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from judges.grounding.documents import OTHER, Documents
from judges.grounding.fuzzy_search import Match, size
from judges.grounding.hints import WHOLE, Hint, Place
from judges.grounding.normalization import bare, fold
from judges.grounding.quote_roles import Reading
from judges.model import SIDES, Side

_WRONG_PLACE = 60.0
_WRONG_PARAGRAPH = 25.0
_MOST_DISTANCE = 60.0
_VAGUE = 0.6
_NEIGHBOUR = 0.45
_SAME_PLACE = 1.5
_SAME_PARAGRAPH = 60.0
_TELLING = 8
_OTHER_CASE = 0.75


@dataclass
class Item:
    """A mention with the places where it may be, and the one (or ones) chosen."""

    reading: Reading
    text: str
    side: Side
    index: int
    candidates: list[Match]
    chosen: list[Match] = field(default_factory=list)
    confidence: float = 0.0
    key: str = ""

    def __post_init__(self) -> None:
        self.key = bare(fold(self.text))

    @property
    def named(self) -> bool:
        """Return whether the finding is about it."""
        return self.reading.role == "named"


Region: TypeAlias = Mapping[Side, Iterable[int]]
"""The paragraphs a hint points at, by side (none: no usable hint)."""


def region(pair: Documents, hint: Hint) -> dict[Side, set[int]]:
    """Return the paragraphs that ``hint`` points at: judges number those of either side."""
    marked: dict[Side, set[int]] = {"source": set(), "translation": set()}
    for side in SIDES:
        text = pair.sides[side]
        own = set(text.headings) if hint.title else {n - 1 for n in hint.numbers if n <= len(text.paragraphs)}
        marked[side] |= own
        marked[OTHER[side]].update(p for paragraph in own for p in pair.counterpart(side, paragraph))
    return marked


def choose(pair: Documents, items: Sequence[Item], hinted: Region) -> None:
    """Choose occurrences for all ``items`` that have candidates, surest first; sets ``chosen`` and ``confidence``."""
    single = [item for item in items if len(item.candidates) == 1]

    def order(item: Item) -> tuple[bool, bool, int]:
        alone = len(item.candidates) == 1
        sure = alone or any(_holds(other, item, items) for other in single)
        return item.reading.bare and not (alone and item.reading.firm), not sure, -len(item.key)

    for item in sorted(items, key=order):
        if item.candidates and not _within(pair, item, items):
            _nearest(pair, item, items, hinted)
    for item in items:
        if item.chosen and item.named and (item.reading.firm or not item.reading.bare):
            _repeat(pair, item, items, hinted)


def _holds(wide: Item, item: Item, items: Sequence[Item]) -> bool:
    """Return whether ``item`` is where ``wide`` is: a quote around it, or the same words said before.

    Not if it has a place or a rendering of its own, or is wrong where the other is fine.
    """
    if wide.key == item.key:
        alike = wide is not item and wide.text == item.text and wide.reading.linked == item.reading.linked
    else:
        further = wide.index > item.index and wide.reading.touching and item.reading.touching  # “now A, now A B”
        alike = item.key in wide.key and not wide.reading.bare and not further
    return (
        alike
        and wide.side == item.side
        and not (item.named and wide.reading.role in ("fine", "elsewhere"))
        and not (item.reading.places and item.reading.places != wide.reading.places)
        and not _apart(wide, item, items)
    )


def _apart(one: Item, other: Item, items: Sequence[Item]) -> bool:
    """Return whether each of two items has a rendering of its own, so that they are at two places."""
    left, right = ({o.key for o in _partners(item, items)} for item in (one, other))
    return bool(left and right) and not any(a in b or b in a for a in left for b in right)


def _within(pair: Documents, item: Item, items: Sequence[Item]) -> bool:
    """Place ``item`` within another, if need be as a part of a longer word; return whether there is one."""
    held = [other for other in items if other.chosen and _holds(other, item, items)]
    for holder in sorted(held, key=lambda other: abs(other.index - item.index)):
        inner = [m for m in item.candidates if any(m.inside(wide) for wide in holder.chosen)]
        inner = inner or [m for wide in holder.chosen for m in pair.sides[item.side].cut(item.text, wide)]
        if inner:
            item.chosen = inner if holder.key == item.key else inner[:1]
            item.confidence = min(holder.confidence, inner[0].confidence, 1.0 if item.chosen == inner else 0.85)
            return True
    return False


def _nearest(pair: Documents, item: Item, items: Sequence[Item], hinted: Region) -> None:
    """Choose the occurrence against which the least stands."""
    # Another spelling is elsewhere, and so are words that are fine.
    around = (o for o in items if o.side == item.side and item.key in o.key)
    other = (
        o
        for o in around
        if (o.key == item.key and o.text != item.text) or (item.named and o.reading.role in ("fine", "elsewhere"))
    )
    taken = [m for o in other for m in o.chosen]
    costs = sorted(_costs(pair, item, items, hinted))
    (cost, _, match, _), *rest = [c for c in costs if not any(c[2].inside(m) for m in taken)] or costs
    telling = item.reading.firm or size(item.text) >= _TELLING
    alone = 1.0 if cost < _MOST_DISTANCE else 0.8 if telling else 0.6
    sure = _certainty(rest[0][0] - cost) if rest else alone
    item.chosen, item.confidence = [match], min(match.confidence, sure)


def _certainty(margin: float) -> float:
    """Return the confidence of a choice by its lead over the next best, in sentences."""
    return 0.96 if margin >= 20 else 0.93 if margin >= 1 else 0.85 if margin >= 0.4 else 0.72


def _costs(pair: Documents, item: Item, items: Sequence[Item], hinted: Region) -> list[tuple[float, int, Match, bool]]:
    """Return each candidate with what stands against it, in sentences: (cost, its number, match, not at its place)."""
    partners = _partners(item, items)
    roughly = len(item.candidates) == 1
    placed = [pair.place(o.side, m.middle, roughly) for o in partners for m in o.chosen]
    beside = [o for o in items if o is not item and o.reading.role in ("named", "fine") and not o.reading.bare]
    near = [pair.place(o.side, m.middle, roughly) for o in beside for m in o.chosen]
    marked = hinted.get(item.side, ())
    exact = any(match.method == "exact" for match in item.candidates)
    found = []
    for order, match in enumerate(item.candidates, 1):
        here = pair.place(item.side, match.middle, roughly)
        misplaced = _misplaced(pair, item, partners, match, order)
        cost = _WRONG_PLACE * misplaced
        if marked and (away := min(abs(pair.sides[item.side].paragraph_at(match.start) - p) for p in marked)):
            cost += _WRONG_PARAGRAPH + 0.5 * min(away, 10)
        if placed:
            cost += min(_MOST_DISTANCE, min(here.distance(spot) for spot in placed))
        elif near and not marked:
            away_from = min(1.5 * _MOST_DISTANCE, min(here.distance(spot) for spot in near))
            cost += _NEIGHBOUR * max(0.0, away_from - _VAGUE)
        if exact and match.method != "exact":
            cost += _OTHER_CASE
        found.append((cost, order, match, bool(misplaced)))
    return found


def _misplaced(pair: Documents, item: Item, partners: Sequence[Item], match: Match, order: int) -> int:
    """Return how many of the places named the ``order``-th occurrence is not at; 0 where it is the only one."""
    total = len(item.candidates)
    # “A” in paragraph 4 rendered as “B”: B is there, too.
    places = item.reading.places or [p for o in partners for p in o.reading.places if p.kind in WHOLE]
    at = [(place.kind in WHOLE, _at(pair, item.side, match, place, (order, total))) for place in places]
    whole = [there for is_whole, there in at if is_whole]
    lacking = sum(not there for is_whole, there in at if not is_whole) + bool(whole and not any(whole))
    return lacking if total > 1 else 0


def _partners(item: Item, items: Sequence[Item]) -> list[Item]:
    """Return what renders ``item`` (of several the first), what it renders, or the same words left untranslated."""
    across = [o for o in items if o.side != item.side and o.candidates]
    if both := [o for o in across if o.index == item.index]:
        return both
    if item.side == "translation":
        return [o for o in across if o.index == item.reading.linked]
    renderings = [o for o in across if o.reading.linked == item.index]
    return sorted(renderings, key=lambda o: (not o.named, o.index))[:1]


def _at(pair: Documents, side: Side, match: Match, place: Place, number: tuple[int, int]) -> bool:
    """Return whether ``match``, whose ``number`` is (k, of how many occurrences), is at ``place``."""
    text = pair.sides[side]
    paragraph = text.paragraph_at(match.start)
    if place.kind == "title":
        return paragraph in text.headings
    if place.kind == "nth":
        return number[0] in place.numbers or number[0] - number[1] - 1 in place.numbers
    if place.kind == "paragraph":
        body = [p for p in range(len(text.paragraphs)) if p not in text.headings] or [0]
        numbers = {p + 1 for p in (paragraph, *pair.counterpart(side, paragraph))} | {paragraph - len(text.paragraphs)}
        numbers |= {body.index(paragraph) + 1} if paragraph in body else set()  # judges may not count titles
        return not numbers.isdisjoint(place.numbers) or (0 in place.numbers and paragraph == body[0])
    parts = text.sentences(paragraph, paragraph)
    inside = next((k for k, s in enumerate(parts) if match.start < s.end), len(parts) - 1)
    if place.kind == "sentence":
        return inside + 1 in place.numbers or inside - len(parts) in place.numbers
    return (1 if 2 * match.start < parts[inside].start + parts[inside].end else -1) in place.numbers


def _repeat(pair: Documents, item: Item, items: Sequence[Item], hinted: Region) -> None:
    """Choose as many occurrences as the prose speaks of, the likeliest ones: “in both places”, “throughout”."""
    times = item.reading.times
    if times == 1 and not item.reading.places:
        times = max((partner.reading.times for partner in _partners(item, items)), default=1)
    paragraphs = {(place.kind, n) for place in item.reading.places if place.kind in WHOLE for n in place.numbers}
    times = max(times, len(paragraphs))
    if times < 2:
        return
    alike = [m for m in item.candidates if m.method == item.chosen[0].method]
    if len(alike) < times < len(forms := pair.sides[item.side].forms(item.text)) + 1:
        alike = forms
    there = [
        each for each in _costs(pair, replace(item, candidates=alike), items, hinted) if not (paragraphs and each[3])
    ]
    likely = [match for _, _, match, _ in sorted(there)[:times]]
    if len(likely) > 1:
        sure = 0.95 if len(likely) == times == len(there) else 0.9
        item.chosen, item.confidence = sorted(likely), min(likely[0].confidence, sure)


def spread(pair: Documents, items: Sequence[Item], various: bool) -> None:
    """Choose, of a source term with several renderings among the shown ``items``, an occurrence beside each of them.

    ``various``: the finding is about a term rendered in several ways, so all renderings are of one term unless said.
    """
    shown = [i for i in items if i.named and i.chosen]
    terms = [item for item in shown if item.side == "source"]
    single = various and len({term.index for term in terms}) == 1
    for term in terms:
        lit = [
            match
            for o in shown
            if o.side == "translation"
            and (various or o.reading.rendered)
            and (o.reading.linked == term.index or single)
            for match in o.chosen
        ]
        lit = [m for m in dict.fromkeys(lit) if not any(o != m and o.inside(m) for o in lit)]
        if len(lit) < 2:
            continue
        furthest = _SAME_PARAGRAPH if various else _SAME_PLACE
        beside = _beside(pair, pair.sides["source"].forms(term.text), lit, furthest)
        kept = [] if various and len(beside) == len(lit) else term.chosen
        if any(match not in kept for match in beside):
            term.confidence = min(max(term.confidence, 0.85), 0.9)
        term.chosen = sorted({*kept, *beside})


def _beside(pair: Documents, candidates: Sequence[Match], lit: Sequence[Match], furthest: float) -> list[Match]:
    """Return the occurrences of a source term beside renderings: for each another, the nearest first."""
    spots = [(match, pair.place("source", match.start)) for match in candidates]
    gaps = sorted(
        (pair.place("translation", rendering.start).distance(spot), k, match)
        for k, rendering in enumerate(lit)
        for match, spot in spots
    )
    taken: dict[int, Match] = {}
    for gap, k, match in gaps:
        if gap < furthest and k not in taken and match not in taken.values():
            taken[k] = match
    return list(taken.values())
