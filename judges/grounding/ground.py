"""Grounding of findings: quotes, roles, places and occurrences put together, finding by finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from judges.grounding.candidates import FindingCandidates, Report, invented, read_finding, read_quotes
from judges.grounding.cue_lexicon import says, several
from judges.grounding.documents import OTHER, Documents, prepare
from judges.grounding.fuzzy_search import Match, size
from judges.grounding.hints import Hint
from judges.grounding.normalization import fold
from judges.grounding.occurrences import Item, Region, choose, region
from judges.grounding.quote_roles import Reading
from judges.grounding.span_selection import select_spans
from judges.model import SIDES, Grounded, Quoted, Side, Span

__all__ = ["METHOD", "Report", "ground"]

METHOD = "quotes-6"
"""Name and version of the method; the number changes when results do."""

_WITNESS = 12
"""Size from which a quote that occurs once can be relied on."""
_STRICTER = 8.0
_FEWEST_WITNESSES = 3
_MOST_NEAR = 12


def ground(pair: Documents, reports: Sequence[Report]) -> list[Grounded]:
    """Return where each of one evaluation's findings is, in the given order.

    They are read together, so that paragraph hints which mostly contradict the quotes are not trusted. Of a finding
    with quotes its explanation is read only where that may name more places: other renderings of a term. Never raises
    on odd text; a finding of which nothing is found has no spans and at most a paragraph.
    """
    gathered = {k: read_finding(pair, report) for k, report in enumerate(reports) if _is_read(report)}
    trusted = _trusted(pair, gathered.values())
    told_of = {
        k: _from_prose(pair, finding, region(pair, finding.hint if trusted else Hint()))
        for k, finding in gathered.items()
    }
    return [
        told_of[k] if report.quoted is None else _from_quotes(pair, report, report.quoted, told_of.get(k, Grounded()))
        for k, report in enumerate(reports)
    ]


def predict(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one prediction for each case of ``{"documents": [...], "cases": [...]}``, in order of the cases.

    A document has ``id``, ``source`` and ``translation``; a case ``id``, ``document``, ``direction``, ``paragraph``,
    ``category`` and ``explanation``. A prediction has ``id`` and, as ``[start, end]`` code points, what would be
    highlighted: ``source_spans`` and ``translation_spans`` (with ``…_confidence`` beside them), and ``method``.
    The cases of a document are read together, as one report. Raises ``KeyError`` on a case without its document.
    """
    documents = {document["id"]: document for document in data["documents"]}
    together: dict[tuple[str, str], list[int]] = {}
    for number, case in enumerate(data["cases"]):
        together.setdefault((case["document"], case["direction"]), []).append(number)
    predictions: dict[int, dict[str, Any]] = {}
    for (name, direction), numbers in together.items():
        pair = prepare(documents[name]["source"], documents[name]["translation"], direction)
        cases = [data["cases"][number] for number in numbers]
        reports = [Report(c["explanation"], str(c.get("paragraph") or ""), c.get("category")) for c in cases]
        for number, case, grounded in zip(numbers, cases, ground(pair, reports), strict=True):
            predictions[number] = {"id": case["id"], "method": METHOD}
            for side in SIDES:
                lit = [s for s in grounded.spans if s.side == side and s.lit]
                predictions[number][f"{side}_spans"] = [[s.start, s.end] for s in lit]
                predictions[number][f"{side}_confidence"] = [s.confidence for s in lit]
    yield from (predictions[number] for number in range(len(data["cases"])))


def _is_read(report: Report) -> bool:
    """Return whether places are looked for in the explanation."""
    quoted = report.quoted
    return quoted is None or not (quoted.source or quoted.translation) or several(report.category or "", "")


def _trusted(pair: Documents, gathered: Iterable[FindingCandidates]) -> bool:
    """Return whether this report's hints are believed: its long quotes that occur once mostly lie where they point."""
    votes: list[bool] = []
    for finding in gathered:
        hinted = region(pair, finding.hint)
        for item in finding.items if finding.hint.numbers else ():
            if item.named and len(item.candidates) == 1 and size(item.text) >= _WITNESS:
                paragraph = pair.sides[item.side].paragraph_at(item.candidates[0].start)
                votes.append(paragraph in hinted[item.side])
    return len(votes) < _FEWEST_WITNESSES or 2 * sum(votes) >= len(votes)


def _from_prose(pair: Documents, finding: FindingCandidates, hinted: Region) -> Grounded:
    """Return where the explanation says that a finding is."""
    choose(pair, [item for item in finding.items if item.reading.role != "gloss"], hinted)
    lost: list[tuple[Side, str]] = []
    for reading in finding.unplaced:
        firm = reading.firm and (not reading.bare or size(reading.mention.text) >= 2 * _WITNESS)
        placed = [item for item in finding.items if item.chosen and not item.reading.bare]
        if firm or not reading.bare:
            alike = _resembling(pair, reading, placed, hinted)
            finding.items += alike
            lost += [(reading.side, reading.mention.text)] if firm and not alike else []
    shown = select_spans(pair, finding)
    spans = distinct(span for item in shown for span in spans_of(item, shown))
    lit = {span.side for span in spans if span.lit}
    return _grounded(pair, finding, spans, hinted, [(side, text) for side, text in lost if side not in lit])


def _from_quotes(pair: Documents, report: Report, quoted: Quoted, told_of: Grounded) -> Grounded:
    """Return where the quotes are, and what else is ``told_of`` in the explanation.

    A quote that occurs nowhere is unlocated even where something resembles it; nothing is to resemble a suggestion.
    """
    numbered = _numbered(pair, quoted)
    if not (quoted.source or quoted.translation):
        given = _grounded(pair, FindingCandidates(report), [], numbered, [])
        left, right = (told_of.paragraph(s) if told_of.paragraph(s) is not None else given.paragraph(s) for s in SIDES)
        return replace(told_of, source_paragraph=left, translation_paragraph=right)
    finding, context = read_quotes(pair, report, quoted)
    items = finding.items
    choose(pair, items, _holding(pair, numbered, items))
    for item in items:
        if len(item.candidates) == 1:  # copied and there only once: what else is known of it cannot make it less sure
            item.confidence = item.candidates[0].confidence
    for reading in finding.unplaced:
        if not invented(quoted, reading.side) and all(item.reading is not reading for item in items):
            items += _resembling(pair, reading, items, numbered)
    inner = [m for item in items if item.side == "translation" and item is not context for m in item.chosen]
    if context is not None and inner and not any(m.inside(wide) for m in inner for wide in context.chosen):
        items.remove(context)
    spans = distinct(
        replace(span, role="context") if item is context else span for item in items for span in spans_of(item, items)
    )
    spans = distinct([*spans, *_elsewhere(pair, quoted, spans, told_of)])
    lost = [(reading.side, reading.mention.text) for reading in finding.unplaced]
    return _grounded(pair, finding, spans, numbered, lost)


def _numbered(pair: Documents, quoted: Quoted) -> Region:
    """Return the paragraphs whose numbers the judge gave; where it gave one side's only, with what goes with it."""
    numbers = zip(SIDES, (quoted.source_paragraph, quoted.translation_paragraph), strict=True)
    known: dict[Side, int] = {s: n - 1 for s, n in numbers if n and 0 < n <= len(pair.sides[s].paragraphs)}
    return {
        side: [known[side]] if side in known else pair.counterpart(OTHER[side], known.get(OTHER[side], -1))
        for side in SIDES
    }


def _holding(pair: Documents, numbered: Region, items: Iterable[Item]) -> Region:
    """Return of the ``numbered`` paragraphs those that hold one of the items; the others are a slip of the judge."""
    held = {(item.side, pair.sides[item.side].paragraph_at(m.start)) for item in items for m in item.candidates}
    return {side: [p for p in numbered[side] if (side, p) in held] for side in SIDES}


def _elsewhere(pair: Documents, quoted: Quoted, spans: Sequence[Span], told_of: Grounded) -> Iterator[Span]:
    """Yield the places that only the explanation tells of: not what was quoted, nor the same words once more."""
    words = fold(quoted.translation or "")
    for span in told_of.spans:
        again = span.side == "translation" and fold(pair.sides[span.side].text[span.start : span.end]) == words
        beside = (s for s in spans if s.side == span.side and s.role == "quote")
        taken = any(s.start < span.end and span.start < s.end for s in beside)
        if span.lit and span.role == "quote" and not again and not taken:
            yield span


def _resembling(pair: Documents, reading: Reading, items: Iterable[Item], hinted: Region) -> list[Item]:
    """Return the best resemblance of a quote that does not occur, if any: near the other quotes, then everywhere."""
    text, side = reading.mention.text, reading.side
    there = pair.sides[side]
    near: dict[int, None] = {}
    for item in items:
        for match in item.chosen:
            paragraph = pair.sides[item.side].paragraph_at(match.start)
            near |= dict.fromkeys([paragraph] if item.side == side else pair.counterpart(item.side, paragraph))
    near |= dict.fromkeys(sorted(hinted[side]))
    where = (there.paragraphs[paragraph] for paragraph in list(near)[:_MOST_NEAR])
    matches: list[Match | None] = [there.resemble(text, at.start, at.end) for at in where]
    if not any(matches) and size(text) >= _WITNESS:
        matches = [there.resemble(text, 0, len(there.text), _STRICTER)]
    best = max(filter(None, matches), key=lambda match: match.confidence, default=None)
    return [Item(reading, text, side, -1, [best], [best], best.confidence)] if best else []


def spans_of(item: Item, shown: Sequence[Item]) -> Iterator[Span]:
    """Yield the spans of one placed item; it is context where another shown one lies inside it."""
    order = {match: k + 1 for k, match in enumerate(item.candidates)}
    others = [match for o in shown if o is not item and o.side == item.side for match in o.chosen]
    for match in item.chosen:
        yield Span(
            side=item.side,
            start=match.start,
            end=match.end,
            role="context" if any(o != match and o.inside(match) for o in others) else "quote",
            method=match.method,
            confidence=round(item.confidence, 3),
            occurrence=order.get(match, 1),
            occurrences=max(1, len(item.candidates)),
        )


def distinct(spans: Iterable[Span]) -> list[Span]:
    """Return the spans by side and place, each range once (the surest)."""
    best: dict[tuple[Side, int, int], Span] = {}
    for span in spans:
        key = (span.side, span.start, span.end)
        if key not in best or best[key].confidence < span.confidence:
            best[key] = span
    return sorted(best.values(), key=lambda s: (SIDES.index(s.side), s.start, -s.end))


def _grounded(
    pair: Documents, finding: FindingCandidates, spans: list[Span], hinted: Region, lost: Iterable[tuple[Side, str]]
) -> Grounded:
    """Return a finding's places: its spans, with an anchor for what is missing, and the paragraphs to scroll to."""
    spans = [*spans, *_anchors(pair, finding, spans)]
    paragraphs: dict[Side, int | None] = {}
    for side in SIDES:
        own = sorted((s for s in spans if s.side == side), key=lambda s: (s.role == "context", -s.confidence))
        across = [p for s in spans for p in pair.counterpart(s.side, pair.sides[s.side].paragraph_at(s.start))[:1]]
        known = [pair.sides[side].paragraph_at(span.start) for span in own] or across or sorted(hinted[side])
        paragraphs[side] = next(iter(known), None)
    return Grounded(tuple(spans), paragraphs["source"], paragraphs["translation"], tuple(dict.fromkeys(lost)))


def _anchors(pair: Documents, finding: FindingCandidates, spans: Sequence[Span]) -> list[Span]:
    """Return, for an omission or an addition without a quote on the other side, the place it should be opposite."""
    category, quoted = finding.report.category or "", finding.report.quoted
    left_out = says("omission", category) or any(item.reading.omitted for item in finding.items)
    missing: dict[Side, bool] = {
        "translation": left_out or (quoted is not None and not quoted.translation),
        "source": says("addition", category),
    }
    for side, applies in missing.items():
        there = sorted((s for s in spans if s.side == OTHER[side] and s.lit), key=lambda s: s.role == "context")
        if applies and there and not any(span.side == side and span.lit for span in spans):
            position = pair.position(side, pair.place(there[0].side, there[0].start))
            if position is not None:
                return [Span(side=side, start=position, end=position, role="anchor", method="aligned", confidence=0.5)]
    return []
