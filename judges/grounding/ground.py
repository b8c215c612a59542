"""From what a judge says to where it is: put quotes, roles, places and occurrences together, finding by finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from judges.grounding.documents import OTHER, Documents
from judges.grounding.echoes import echo
from judges.grounding.hints import Hint, read_hint
from judges.grounding.locate import Match, size
from judges.grounding.mentions import foreign_runs
from judges.grounding.occurrences import Item, Region, choose, holders, region, spread
from judges.grounding.quotes import plain
from judges.grounding.relations import understand
from judges.grounding.roles import Reading, addition, of_the_translation_alone, omission, several, untranslated
from judges.model import SIDES, Grounded, Side, Span

METHOD = "quotes-2"
"""Name and version of the method; the number changes when results do."""

SHOWN = 0.70
"""Least confidence at which a span is highlighted; below it only the paragraph is marked."""

_LONGEST_PROSE = 6_000
_BARE = ("bare", "bracketed")
_LIST = re.compile(r"\s*(?:/|／|\||、|；|;)\s*")
_LONGEST_LIST = 12
_MOST_PLACES = 4
_STRICTER = 8.0
_WITNESS = 12
_FEWEST_WITNESSES = 3


@dataclass(frozen=True, slots=True)
class Report:
    """What grounding needs of one finding.

    ``hint`` and ``category`` as the judge (or we) wrote them; ``rubric_point_text`` is the text of the violated
    rubric point, if the finding is one: its term is looked for where the explanation names nothing of the source.
    """

    explanation: str
    hint: str = ""
    category: str | None = None
    rubric_point_text: str = ""


@dataclass
class _Draft:
    report: Report
    hint: Hint
    items: list[Item]
    unplaced: list[Reading]
    various: bool
    prose: str
    readings: list[Reading]


def ground(pair: Documents, reports: Sequence[Report]) -> list[Grounded]:
    """Return where each of one evaluation's findings is, in the given order.

    They are read together, so that paragraph hints which mostly contradict the quotes are not trusted. Never raises
    on odd text; a finding of which nothing is found has no spans and at most a paragraph.
    """
    drafts = [_draft(pair, report) for report in reports]
    numbered = _numbering(pair, drafts)
    return [_finish(pair, draft, region(pair, draft.hint, numbered)) for draft in drafts]


def _draft(pair: Documents, report: Report) -> _Draft:
    prose = plain(report.explanation[:_LONGEST_PROSE])
    category = report.category or ""
    readings = understand(prose, pair, category)
    items: list[Item] = []
    unplaced: list[Reading] = []
    kept = untranslated(category, prose)
    if kept:
        readings = [_kept(pair, reading) for reading in readings]
    for index, reading in enumerate(readings):
        if reading.role in ("suggested", "absent"):
            continue
        made = _items(pair, reading, index, kept)
        if kept and reading.side == "translation" and reading.role == "named":
            made += _left(pair, reading, index, [r.mention.text for r in readings])
        items += made
        if not any(item.candidates for item in made) and reading.role == "named":
            unplaced.append(reading)
    if report.rubric_point_text and not any(i.side == "source" and i.named and i.candidates for i in items):
        term = plain(report.rubric_point_text)
        more = [r for r in understand(term, pair) if r.side == "source" and r.mention.kind != "bare"]
        for reading in more[:1]:
            items += _items(pair, replace(reading, role="named"), len(readings), False)
    return _Draft(report, read_hint(report.hint), items, unplaced, several(category, prose), prose, readings)


def _kept(pair: Documents, reading: Reading) -> Reading:
    """Return the reading of a source-language text: if the translation holds it too, the finding is about it."""
    both = (
        reading.side == "source"
        and reading.role == "elsewhere"
        and pair.sides["translation"].occurs(reading.mention.text)
    )
    return replace(reading, role="named") if both else reading


def _items(pair: Documents, reading: Reading, index: int, kept: bool) -> list[Item]:
    """Return the items of a reading: one, or one a part of a list, or one a side for text left untranslated."""
    text, side = reading.mention.text, reading.side
    wanted = [(side, text)]
    if kept and reading.role == "named" and pair.sides[OTHER[side]].occurs(text):
        if side == "source":
            wanted.append(("translation", text))
        elif not pair.sides[side].occurs(text):
            wanted = [(OTHER[side], text)]
    found = []
    for where, what in wanted:
        candidates = pair.sides[where].find(what)
        if not candidates and reading.mention.kind != "bare":
            parts = [part for part in _LIST.split(what) if size(part) >= 2]
            lists = [(part, pair.sides[where].find(part)) for part in parts] if 1 < len(parts) <= _LONGEST_LIST else []
            if lists and all(matches for _, matches in lists):
                found += [Item(reading, part, where, index, matches) for part, matches in lists]
                continue
        if not candidates and reading.role == "named" and reading.side == where and _mixed(what):
            other = OTHER[where]
            if pair.sides[other].occurs(what) and size(what) >= 3 and reading.firm:
                where, candidates = other, pair.sides[other].find(what)
        found.append(Item(replace(reading, side=where), what, where, index, candidates))
    return found


def _left(pair: Documents, reading: Reading, index: int, named: Sequence[str]) -> list[Item]:
    """Return, on both sides, the source-language words inside a wider quote from the translation."""
    text = reading.mention.text
    wide_source = bool(pair.wide["source"])
    runs = [] if pair.same_script else [run for run in foreign_runs(text, wide_source) if run not in named]
    found = []
    for run in runs:
        if pair.sides["source"].occurs(run) and pair.sides["translation"].occurs(run):
            there = [m for wide in pair.sides["translation"].find(text) for m in _within(pair, run, wide)]
            beads = {pair.bead_at("translation", m.start) for m in there}
            near = [m for m in pair.sides["source"].find(run) if pair.bead_at("source", m.start) in beads]
            placed: tuple[tuple[Side, list[Match]], ...] = (("source", near), ("translation", there))
            for side, matches in placed:
                inner = replace(reading, mention=replace(reading.mention, text=run, kind="quote"), side=side)
                found.append(Item(inner, run, side, index, matches))
    return found


def _within(pair: Documents, run: str, wide: Match) -> list[Match]:
    return [match for match in pair.sides["translation"].find(run) if match.inside(wide)]


def _mixed(text: str) -> bool:
    """Whether a quote holds Latin letters beside others, or only few: it may well be of either text."""
    return any(c.isascii() and c.isalnum() for c in text) and (not text.isascii() or size(text) <= 12)


def _numbering(pair: Documents, drafts: Sequence[_Draft]) -> tuple[Side, ...]:
    """Return whose paragraphs this report's hints number: one side's, either's (both), or nobody's (not to be trusted).

    Witnesses are long quotes that occur once: they should lie in the hinted paragraph.
    """
    votes: dict[Side, list[bool]] = {"source": [], "translation": []}
    for draft in drafts:
        if not draft.hint.numbers:
            continue
        regions = {side: region(pair, draft.hint, (side,)) for side in SIDES}
        for item in draft.items:
            if item.named and len(item.candidates) == 1 and size(item.text) >= _WITNESS:
                paragraph = pair.sides[item.side].paragraph_at(item.candidates[0].start)
                for side in SIDES:
                    votes[side].append(paragraph in regions[side].of(item.side))
    count = len(votes["source"])
    if count < _FEWEST_WITNESSES:
        return SIDES
    shares = {side: sum(votes[side]) / count for side in SIDES}
    if max(shares.values()) < 0.5:
        return ()
    if abs(shares["source"] - shares["translation"]) * count >= 2:
        return (max(SIDES, key=lambda side: shares[side]),)
    return SIDES


def _finish(pair: Documents, draft: _Draft, hinted: Region) -> Grounded:
    items = [
        i for i in draft.items if i.candidates and i.reading.mention.kind not in _BARE and i.reading.role != "gloss"
    ]
    choose(pair, items, hinted)
    lost: list[tuple[Side, str]] = []
    for reading in draft.unplaced:
        if reading.mention.kind not in ("quote", "label"):
            continue
        if (fuzzy := _resembling(pair, reading, items, hinted)) is not None:
            items.append(fuzzy)
        elif reading.firm:
            lost.append((reading.side, reading.mention.text))
    shown = _select(items)
    others = _instead(items, shown)
    shown += _secondary(pair, draft, shown, others, hinted)
    shown += [item for item in others if not any(i.side == item.side for i in shown)]
    shown += _echoed(pair, draft, shown)
    spread(pair, shown, draft.various)
    spans = _distinct(span for item in shown for span in _spans(item, shown))
    spans += _anchors(pair, draft, spans)
    paragraphs = {side: _paragraph(pair, side, spans, hinted) for side in SIDES}
    return Grounded(tuple(spans), paragraphs["source"], paragraphs["translation"], tuple(dict.fromkeys(lost)))


def _select(items: Sequence[Item]) -> list[Item]:
    """Return the placed items that the finding is about: on each side those named, else those forbidden."""
    shown: list[Item] = []
    for side in SIDES:
        placed = [item for item in items if item.side == side and item.chosen and not _too_short(item, items)]
        named = [item for item in placed if item.named]
        forbidden = [item for item in placed if item.reading.role == "forbidden" and item.confidence >= 0.85]
        shown += named or forbidden
    return shown


def _instead(items: Sequence[Item], shown: Sequence[Item]) -> list[Item]:
    """Return what a side without anything shown may show instead: what the finding calls fine, or compares with."""
    found: list[Item] = []
    for side in SIDES:
        if not any(item.side == side for item in shown):
            placed = [i for i in items if i.side == side and i.chosen and not _too_short(i, items)]
            fine, elsewhere = ([i for i in placed if i.reading.role == role][-1:] for role in ("fine", "elsewhere"))
            found += fine or elsewhere
    return found


def _too_short(item: Item, items: Sequence[Item]) -> bool:
    """Whether a quote is too short to be trusted outside a wider one: a letter, or a character not surely quoted."""
    if holders(item, items):
        return False
    return size(item.text) < 2 or (size(item.text) < 4 and not item.reading.firm and len(item.candidates) > 1)


def _secondary(
    pair: Documents, draft: _Draft, shown: Sequence[Item], others: Sequence[Item], hinted: Region
) -> list[Item]:
    """Return what only other findings make credible: bare words, and glosses that turn out to be wider quotes.

    Words of which nothing is wrong give way to the ``others`` that may be shown instead.
    """
    added: list[Item] = []
    for item in draft.items:
        reading = item.reading
        if not item.candidates or item in shown:
            continue
        kind = reading.mention.kind
        same = [other for other in shown if other.side == item.side]
        settled = bool(same) or any(other.side == item.side for other in others)
        if reading.role == "gloss" and kind == "quote":
            wide = [m for m in item.candidates if any(c != m and c.inside(m) for o in same for c in o.chosen)]
            if wide:
                item.chosen, item.confidence = wide[:1], 0.9
                added.append(item)
            elif not settled and reading.firm and size(item.text) >= _WITNESS:
                choose(pair, [*shown, item], hinted)
                added.append(item)
        elif kind in _BARE and (reading.role == "named" or (reading.role in ("fine", "forbidden") and not settled)):
            inner = [m for m in item.candidates if any(m.inside(c) for o in same for c in o.chosen)]
            if inner:
                item.chosen, item.confidence = inner[:1], 0.9
                added.append(item)
            elif (
                kind == "bare"
                and (size(item.text) >= 3 or item.text[0].isdigit())
                and (not same or (reading.touching and reading.firm))
            ):
                _join(pair, item, [o for o in draft.items if o.index == item.index and o is not item], shown, hinted)
                added.append(item)
    return [item for item in added if item.chosen]


def _join(pair: Documents, item: Item, beside: Sequence[Item], shown: Sequence[Item], hinted: Region) -> None:
    """Choose for one more item, with those of the same words ``beside`` it, without moving what is shown."""
    kept = [(other, list(other.chosen), other.confidence) for other in shown]
    choose(pair, [*shown, *beside, item], hinted)
    item.confidence = min(item.confidence, 0.9)
    for other, chosen, confidence in kept:
        other.chosen, other.confidence = chosen, confidence


def _echoed(pair: Documents, draft: _Draft, shown: Sequence[Item]) -> list[Item]:
    """Return what the judge's own words echo on a side where nothing is shown, if anything should be there."""
    category = draft.report.category or ""
    omitted = omission(category) or any(item.reading.omitted for item in draft.items)
    vacant: dict[Side, bool] = {"source": addition(category), "translation": omitted}
    if of_the_translation_alone(category):
        return []
    for side in SIDES:
        lit = [i for i in shown if i.side == OTHER[side] and i.named and i.confidence >= SHOWN]
        if vacant[side] or not lit or any(i.side == side and i.confidence >= SHOWN for i in shown):
            continue
        held = [r.mention for r in draft.readings]
        places = sorted((m for i in lit for m in i.chosen), key=lambda m: m.end - m.start)[:_MOST_PLACES]
        heard = [(found, m) for m in places if (found := echo(draft.prose, held, pair, side, (OTHER[side], m)))]
        if heard:
            found, beside = max(heard, key=lambda h: size(h[0].text))
            item = Item(Reading(found, side, "named"), found.text, side, len(draft.readings) + 1, [])
            item.candidates = pair.sides[side].find(found.text)
            spot = pair.place(OTHER[side], beside.middle)
            nearest = sorted(item.candidates, key=lambda m: spot.distance(pair.place(side, m.middle)))
            item.chosen, item.confidence = nearest[:1], 0.8
            return [item]
    return []


def _resembling(pair: Documents, reading: Reading, items: Sequence[Item], hinted: Region) -> Item | None:
    """Look for the best resemblance of a quote that does not occur: near the other quotes first, then everywhere."""
    text, side = reading.mention.text, reading.side
    if any(i.side == side and i.chosen and i.named for i in items) and not reading.firm:
        return None
    there = pair.sides[side]
    near = _near(pair, side, items, hinted)
    best: Match | None = None
    for paragraph in near:
        where = there.paragraphs[paragraph]
        match = there.resemble(text, where.start, where.end) or there.scattered(text, where.start, where.end)
        if match is not None and (best is None or match.confidence > best.confidence):
            best = match
    if best is None and size(text) >= _WITNESS:
        best = there.resemble(text, 0, len(there.text), _STRICTER)
    if best is None:
        return None
    return Item(reading, text, side, -1, [best], [best], best.confidence)


def _near(pair: Documents, side: Side, items: Iterable[Item], hinted: Region) -> list[int]:
    """Return the paragraphs of ``side`` where a lost quote is likely: of the other quotes, and the hinted ones."""
    found: dict[int, None] = {}
    for item in items:
        for match in item.chosen:
            paragraph = pair.sides[item.side].paragraph_at(match.start)
            for p in (paragraph,) if item.side == side else pair.counterpart(item.side, paragraph):
                found[p] = None
    found.update(dict.fromkeys(sorted(hinted.of(side))))
    return list(found)[:12]


def _spans(item: Item, shown: Sequence[Item]) -> Iterable[Span]:
    """Return the spans of one placed item; it is context where another shown one lies inside it."""
    order = {match: k + 1 for k, match in enumerate(item.candidates)}
    for match in item.chosen:
        inner = any(
            c != match and c.inside(match) for o in shown if o is not item and o.side == item.side for c in o.chosen
        )
        yield Span(
            item.side,
            match.start,
            match.end,
            "context" if inner else "quote",
            match.method,
            round(item.confidence, 3),
            order.get(match, 1),
            max(1, len(item.candidates)),
        )


def _distinct(spans: Iterable[Span]) -> list[Span]:
    """Return the spans by side and place, each range once (the surest)."""
    best: dict[tuple[Side, int, int], Span] = {}
    for span in spans:
        key = (span.side, span.start, span.end)
        if key not in best or best[key].confidence < span.confidence:
            best[key] = span
    return sorted(best.values(), key=lambda s: (SIDES.index(s.side), s.start, -s.end))


def _anchors(pair: Documents, draft: _Draft, spans: Sequence[Span]) -> list[Span]:
    """Return, for an omission or an addition without a quote on the other side, the place it should be opposite."""
    category = draft.report.category or ""
    lit: dict[Side, list[Span]] = {
        side: [s for s in spans if s.side == side and s.confidence >= SHOWN] for side in SIDES
    }
    missing: dict[Side, bool] = {
        "translation": omission(category) or any(item.reading.omitted for item in draft.items),
        "source": addition(category),
    }
    for side, applies in missing.items():
        there = lit[OTHER[side]]
        if applies and there and not lit[side]:
            span = next((s for s in there if s.role == "quote"), there[0])
            position = pair.position(side, pair.place(span.side, span.start))
            if position is not None:
                return [Span(side, position, position, "anchor", "aligned", 0.5)]
    return []


def _paragraph(pair: Documents, side: Side, spans: Sequence[Span], hinted: Region) -> int | None:
    """Return the paragraph to scroll to on ``side``: of its own spans, of the other side's, or the hinted one."""
    own = sorted((s for s in spans if s.side == side), key=lambda s: (s.role == "context", -s.confidence))
    if own:
        return pair.sides[side].paragraph_at(own[0].start)
    for span in spans:
        if linked := pair.counterpart(span.side, pair.sides[span.side].paragraph_at(span.start)):
            return linked[0]
    return min(hinted.of(side), default=None)
