"""Choice of the occurrence that a quote means, by all that is known of the place of the finding.

A quote inside a wider quote is there; else the place named, the other side's quote, the paragraph hint and the
neighbouring quotes decide, in this order of weight. What they leave open stays visibly uncertain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from judges.grounding.documents import AlignedPosition, Documents, Text
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
_OTHER_CAPITALS = 8.0


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


@dataclass(frozen=True, slots=True)
class Region:
    """The paragraphs a hint points at, by side (empty: no usable hint)."""

    source: frozenset[int] = frozenset()
    translation: frozenset[int] = frozenset()

    def of(self, side: Side) -> frozenset[int]:
        """The paragraphs on one side."""
        return self.source if side == "source" else self.translation


def region(pair: Documents, hint: Hint, numbered: Iterable[Side] = SIDES) -> Region:
    """Return the paragraphs that ``hint`` points at when judges number the paragraphs of the ``numbered`` sides."""
    marked: dict[Side, set[int]] = {"source": set(), "translation": set()}
    for side in numbered:
        text = pair.sides[side]
        other: Side = "translation" if side == "source" else "source"
        own = set(text.headings) if hint.title else {n - 1 for n in hint.numbers if n <= len(text.paragraphs)}
        marked[side] |= own
        for paragraph in own:
            marked[other].update(pair.counterpart(side, paragraph))
    return Region(frozenset(marked["source"]), frozenset(marked["translation"]))


def choose(pair: Documents, items: Sequence[Item], hinted: Region) -> None:
    """Choose occurrences for all ``items`` that have candidates, surest first; sets ``chosen`` and ``confidence``."""
    for item in sorted(items, key=lambda i: (len(i.candidates) > 1 and not _enclosed(i, items), -len(i.key))):
        if item.candidates:
            _choose(pair, item, items, hinted)
    for item in items:
        if item.chosen and item.named:
            _repeat(pair, item, items, hinted)


def enclosing_items(item: Item, items: Sequence[Item]) -> list[Item]:
    """Return the placed items of the same side whose text holds this one's, nearest in the prose first."""
    held = [other for other in items if other.chosen and _encloses(other, item)]
    return sorted(held, key=lambda other: abs(other.index - item.index))


def _encloses(wide: Item, item: Item) -> bool:
    """Return whether ``wide`` is a quote around ``item``: same side, its words and more, no other place named."""
    return (
        wide.side == item.side
        and len(wide.key) > len(item.key)
        and item.key in wide.key
        and not (item.reading.places and item.reading.places != wide.reading.places)
        and not (item.named and item.reading.firm and wide.reading.role in ("fine", "elsewhere"))
        and not (wide.index > item.index and wide.reading.touching and item.reading.touching)  # “now A, now A B”
    )


def _enclosed(item: Item, items: Sequence[Item]) -> bool:
    return any(len(other.candidates) == 1 and _encloses(other, item) for other in items)


def _choose(pair: Documents, item: Item, items: Sequence[Item], hinted: Region) -> None:
    for holder in enclosing_items(item, items):
        inner = [m for m in item.candidates if any(m.inside(wide) for wide in holder.chosen)]
        inner = inner or [m for wide in holder.chosen for m in pair.sides[item.side].cut(item.text, wide)]
        if inner:
            item.chosen = inner[:1]
            item.confidence = min(holder.confidence, inner[0].confidence, 0.97 if len(inner) == 1 else 0.85)
            return
    twins = [o for o in items if o.chosen and o.side == item.side and o.key == item.key and o is not item]
    same = next((o for o in twins if o.text == item.text and o.reading.linked == item.reading.linked), None)
    if same is not None and not item.reading.places:
        item.chosen, item.confidence = list(same.chosen), same.confidence
        return
    taken = {m.start for twin in twins if twin.text != item.text for m in twin.chosen}  # another spelling is elsewhere
    fine = [o for o in items if o.side == item.side and o.chosen and o.reading.role in ("fine", "elsewhere")]
    around = [match for other in fine if other is not item for match in other.chosen]
    usable = [m for m in item.candidates if m.start not in taken and not any(m.overlaps(c) and m != c for c in around)]
    usable = usable or item.candidates
    weigh = _Costs(pair, item, items, hinted)
    order = {match: k for k, match in enumerate(item.candidates, 1)}
    costs = sorted(((weigh.of(match, order[match]), order[match], match) for match in usable), key=lambda c: c[:2])
    best = costs[0]
    item.chosen = [best[2]]
    item.confidence = best[2].confidence
    if len(costs) > 1:
        item.confidence = min(item.confidence, _certainty(costs[1][0] - best[0]))
    elif best[0] >= _MOST_DISTANCE:
        item.confidence = min(item.confidence, 0.8 if item.reading.firm or size(item.text) >= _TELLING else 0.6)
    elif best[0] >= _WRONG_PARAGRAPH:
        item.confidence = min(item.confidence, 0.95 if item.reading.firm or size(item.text) >= _TELLING else 0.75)


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
    weigh = _Costs(pair, item, items, hinted)
    there = [
        (order, match) for order, match in enumerate(alike, 1) if not paragraphs or not weigh.misplaced(match, order)
    ]
    likely = [match for _, match in sorted(there, key=lambda each: (weigh.of(each[1], each[0]), each[0]))][:times]
    if len(likely) > 1:
        sure = 0.95 if len(likely) == times == len(there) else 0.9
        item.chosen, item.confidence = sorted(likely, key=lambda m: m.start), min(likely[0].confidence, sure)


def _certainty(margin: float) -> float:
    """Return the confidence of a choice by its lead over the next best, in sentences."""
    return 0.96 if margin >= 20 else 0.93 if margin >= 1 else 0.85 if margin >= 0.4 else 0.72


class _Costs:
    """Costs of each candidate of an item, in sentences; what does not depend on the candidate is computed once."""

    def __init__(self, pair: Documents, item: Item, items: Sequence[Item], hinted: Region) -> None:
        self.pair, self.item = pair, item
        self.marked = hinted.of(item.side)
        self.only = len(item.candidates) == 1
        self.exact = any(match.method == "exact" for match in item.candidates)
        partners = _partners(item, items)
        shared = (p for o in partners for p in o.reading.places if p.kind in WHOLE)
        self.places = item.reading.places or tuple(shared)  # “A” in paragraph 4 rendered as “B”: B is there, too
        self.placed = self._spots((o, m) for o in partners for m in o.chosen)
        self.near = self._spots(
            (o, m) for o in items if o is not item and o.reading.role in ("named", "fine") for m in o.chosen
        )

    def _spots(self, places: Iterable[tuple[Item, Match]]) -> list[AlignedPosition]:
        return [self.pair.place(item.side, match.middle) for item, match in places]

    def misplaced(self, match: Match, order: int) -> int:
        """Return how many of the places named the ``order``-th occurrence is not at; 0 where it is the only one."""
        if self.only:
            return 0
        pair, side, total = self.pair, self.item.side, len(self.item.candidates)
        at = {p: _at(pair=pair, side=side, match=match, place=p, order=order, total=total) for p in self.places}
        whole = [there for place, there in at.items() if place.kind in WHOLE]
        return bool(whole and not any(whole)) + sum(not there for p, there in at.items() if p.kind not in WHOLE)

    def of(self, match: Match, order: int) -> float:
        """Return the cost of ``match``, the ``order``-th occurrence of its text (from 1)."""
        item, pair = self.item, self.pair
        here = pair.place(item.side, match.middle)
        cost = 0.0
        cost += _WRONG_PLACE * self.misplaced(match, order)
        if self.marked:
            paragraph = pair.sides[item.side].paragraph_at(match.start)
            away = min(abs(paragraph - marked) for marked in self.marked)
            cost += _WRONG_PARAGRAPH + 0.5 * min(away, 10) if away else 0.0
        if self.placed:
            cost += min(_MOST_DISTANCE, min(here.distance(spot) for spot in self.placed))
        elif self.near and not self.marked:
            away_from = min(1.5 * _MOST_DISTANCE, min(here.distance(spot) for spot in self.near))
            cost += _NEIGHBOUR * max(0.0, away_from - _VAGUE)
        if self.exact and match.method != "exact":
            cost += _OTHER_CAPITALS if any(map(str.isupper, item.text)) else _OTHER_CASE
        return cost


def _partners(item: Item, items: Sequence[Item]) -> list[Item]:
    """Return what renders ``item`` (of several the first), what it renders, or the same words left untranslated."""
    both = [o for o in items if o.index == item.index and o.side != item.side and o.candidates]
    if both:
        return both
    if item.side == "translation":
        return [o for o in items if o.side == "source" and o.index == item.reading.linked and o.candidates]
    renderings = [o for o in items if o.side == "translation" and o.reading.linked == item.index and o.candidates]
    renderings.sort(key=lambda o: (o.reading.role != "named", o.index))
    return renderings[:1]


def _at(pair: Documents, side: Side, match: Match, place: Place, order: int, total: int) -> bool:
    """Return whether ``match`` is at ``place``. ``order`` of ``total``: which occurrence of its text it is."""
    text: Text = pair.sides[side]
    paragraph = text.paragraph_at(match.start)
    if place.kind == "paragraph":
        first = next((p for p in range(len(text.paragraphs)) if p not in text.headings), 0)
        if (-1 in place.numbers and paragraph == len(text.paragraphs) - 1) or (
            0 in place.numbers and paragraph == first
        ):
            return True
        return any(p + 1 in place.numbers for p in (paragraph, *pair.counterpart(side, paragraph)))
    if place.kind == "title":
        return paragraph in text.headings
    if place.kind == "nth":
        return order in place.numbers or (-1 in place.numbers and order == total)
    if place.kind == "next" or not text.paragraphs:
        return True
    parts = text.sentences(paragraph, paragraph)
    inside = next((k for k, s in enumerate(parts) if match.start < s.end), len(parts) - 1)
    if place.kind == "sentence":
        return inside + 1 in place.numbers or (-1 in place.numbers and inside == len(parts) - 1)
    sentence = parts[inside]
    half = 1 if 2 * match.start < sentence.start + sentence.end else -1
    return half in place.numbers


def spread(pair: Documents, items: Sequence[Item], various: bool) -> None:
    """Choose, of a source term with several renderings among the shown ``items``, an occurrence beside each of them.

    ``various``: the finding is about a term rendered in several ways, so all renderings are of one term unless said.
    """
    shown = [i for i in items if i.named and i.chosen]
    terms = [i for i in shown if i.side == "source"]
    held = {term.index for term in terms}
    for term in terms:
        renderings = [
            o
            for o in shown
            if o.side == "translation"
            and (
                (o.reading.linked == term.index and (o.reading.rendered or various))
                or (various and len(held) == 1 and o.reading.linked not in held)
            )
        ]
        if various:
            renderings = [o for o in renderings if not _around(o, renderings)]
        lit = list(dict.fromkeys(match for o in renderings for match in o.chosen))
        if len(lit) < 2 or any(a != b and a.overlaps(b) for a in lit for b in lit):
            continue
        candidates = pair.sides["source"].forms(term.text) if various else term.candidates
        beside = _beside(pair, candidates, lit, _SAME_PARAGRAPH if various else _SAME_PLACE)
        if various and len(beside) == len(lit):
            term.chosen = []
        for match in beside:
            if match not in term.chosen:
                term.chosen.append(match)
                term.confidence = min(max(term.confidence, 0.85), 0.9)
        term.chosen.sort(key=lambda m: m.start)


def _around(item: Item, others: Sequence[Item]) -> bool:
    """Return whether ``item`` is only the context of another one."""
    return any(m != c and m.inside(c) for o in others if o is not item for m in o.chosen for c in item.chosen)


def _beside(pair: Documents, candidates: Sequence[Match], lit: Sequence[Match], furthest: float) -> list[Match]:
    """Return the occurrences of a source term beside renderings: the nearest, for each another if there is one."""
    spots = [(match, pair.place("source", match.start)) for match in candidates]
    gaps = sorted(
        (pair.place("translation", rendering.start).distance(spot), k, match.start, match)
        for k, rendering in enumerate(lit)
        for match, spot in spots
    )
    taken: dict[int, Match] = {}
    for fresh in (True, False):
        for gap, k, _, match in gaps:
            if gap < furthest and k not in taken and not (fresh and match in taken.values()):
                taken[k] = match
    return list(dict.fromkeys(taken.values()))
