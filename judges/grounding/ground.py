"""Grounding of findings: quotes, roles, places and occurrences put together, finding by finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from judges.grounding.candidates import FindingCandidates, Report, invented, read_finding, read_quotes
from judges.grounding.cue_lexicon import several, told
from judges.grounding.documents import OTHER, Documents, prepare
from judges.grounding.fuzzy_search import Match, size
from judges.grounding.normalization import fold
from judges.grounding.occurrences import Item, Region, choose, region
from judges.grounding.quote_roles import Reading
from judges.grounding.span_selection import BARE, select_spans
from judges.model import SHOWN, SIDES, Grounded, Quoted, Side, Span

__all__ = ["METHOD", "Report", "ground"]

METHOD = "quotes-5"
"""Name and version of the method; the number changes when results do."""

WITNESS = 12
"""Size from which a quote that occurs once can be relied on."""
_STRICTER = 8.0
_FEWEST_WITNESSES = 3
_DOUBTED = 0.94


def ground(pair: Documents, reports: Sequence[Report]) -> list[Grounded]:
    """Return where each of one evaluation's findings is, in the given order.

    They are read together, so that paragraph hints which mostly contradict the quotes are not trusted. Of a finding
    with quotes its explanation is read only where that may name more places: other renderings of a term. Never raises
    on odd text; a finding of which nothing is found has no spans and at most a paragraph.
    """
    gathered = {k: read_finding(pair, report) for k, report in enumerate(reports) if _told(report)}
    numbered = _numbering(pair, gathered.values())
    told = {k: _finish(pair, finding, region(pair, finding.hint, numbered)) for k, finding in gathered.items()}
    return [
        told[k] if report.quoted is None else _from_quotes(pair, report, report.quoted, told.get(k, Grounded()))
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
        reports = [
            Report(case["explanation"], str(case.get("paragraph") or ""), case.get("category"))
            for case in (data["cases"][number] for number in numbers)
        ]
        for number, grounded in zip(numbers, ground(pair, reports), strict=True):
            prediction: dict[str, Any] = {"id": data["cases"][number]["id"], "method": METHOD}
            for side in ("source", "translation"):
                lit = [s for s in grounded.spans if s.side == side and s.lit]
                prediction[f"{side}_spans"] = [[s.start, s.end] for s in lit]
                prediction[f"{side}_confidence"] = [s.confidence for s in lit]
            predictions[number] = prediction
    for number in range(len(data["cases"])):
        yield predictions[number]


def _told(report: Report) -> bool:
    """Return whether places are looked for in the explanation."""
    quoted = report.quoted
    return quoted is None or not (quoted.source or quoted.translation) or several(report.category or "", "")


def _from_quotes(pair: Documents, report: Report, quoted: Quoted, told: Grounded) -> Grounded:
    """Return where the quotes are, and what else was ``told`` in the explanation.

    A quote that occurs nowhere is unlocated even where something resembles it; nothing is to resemble a suggestion.
    """
    numbered = _numbered(pair, quoted)
    if not (quoted.source or quoted.translation):
        places = {side: told.paragraph(side) for side in SIDES}
        left, right = (min(numbered.of(side), default=None) if p is None else p for side, p in places.items())
        return replace(told, source_paragraph=left, translation_paragraph=right)
    finding, context = read_quotes(pair, report, quoted)
    items = finding.items
    choose(pair, items, _holding(pair, numbered, items))
    for item in items:
        if len(item.candidates) == 1:  # copied and there only once: what else is known of it cannot make it less sure
            item.confidence = item.candidates[0].confidence
    for reading in finding.unplaced:
        if not invented(quoted, reading.side) and all(item.reading is not reading for item in items):
            items += [alike] if (alike := _resembling(pair, reading, items, numbered)) else []
    inner = [m for item in items if item.side == "translation" and item is not context for m in item.chosen]
    if context is not None and inner and not any(m.inside(wide) for m in inner for wide in context.chosen):
        items.remove(context)
    spans = distinct(
        replace(span, role="context") if item is context else span for item in items for span in _spans(item, items)
    )
    spans = distinct([*spans, *_elsewhere(pair, quoted, spans, told)])
    spans += _anchors(pair, finding, spans)
    paragraphs = {side: _paragraph(pair, side, spans, numbered) for side in SIDES}
    lost = [(reading.side, reading.mention.text) for reading in finding.unplaced]
    return Grounded(tuple(spans), paragraphs["source"], paragraphs["translation"], tuple(lost))


def _numbered(pair: Documents, quoted: Quoted) -> Region:
    """Return the paragraphs whose numbers the judge gave; where it gave one side's only, with what goes with it."""
    given = {"source": quoted.source_paragraph, "translation": quoted.translation_paragraph}
    known: dict[Side, int] = {
        side: number - 1 for side in SIDES if (number := given[side]) and 0 < number <= len(pair.sides[side].paragraphs)
    }
    left, right = (
        [known[side]] if side in known else pair.counterpart(OTHER[side], known.get(OTHER[side], -1)) for side in SIDES
    )
    return Region(frozenset(left), frozenset(right))


def _holding(pair: Documents, numbered: Region, items: Iterable[Item]) -> Region:
    """Return of the ``numbered`` paragraphs those that hold one of the items; the others are a slip of the judge."""
    held: dict[Side, set[int]] = {side: set() for side in SIDES}
    for item in items:
        held[item.side].update(pair.sides[item.side].paragraph_at(match.start) for match in item.candidates)
    return Region(numbered.source & held["source"], numbered.translation & held["translation"])


def _elsewhere(pair: Documents, quoted: Quoted, spans: Sequence[Span], told: Grounded) -> Iterable[Span]:
    """Yield the places that only the explanation tells of: not what was quoted, nor the same words once more."""
    words = fold(quoted.translation or "")
    for span in told.spans:
        again = span.side == "translation" and fold(pair.sides[span.side].text[span.start : span.end]) == words
        taken = any(
            s.side == span.side and s.role == "quote" and s.start < span.end and span.start < s.end for s in spans
        )
        if span.lit and span.role == "quote" and not again and not taken:
            yield span


def _numbering(pair: Documents, gathered: Iterable[FindingCandidates]) -> tuple[Side, ...]:
    """Return whose paragraphs this report's hints number: one side's, either's (both), or nobody's (not to be trusted).

    Witnesses are long quotes that occur once: they should lie in the hinted paragraph.
    """
    votes: dict[Side, list[bool]] = {"source": [], "translation": []}
    for finding in gathered:
        if not finding.hint.numbers:
            continue
        regions = {side: region(pair, finding.hint, (side,)) for side in SIDES}
        for item in finding.items:
            if item.named and len(item.candidates) == 1 and size(item.text) >= WITNESS:
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


def _finish(pair: Documents, finding: FindingCandidates, hinted: Region) -> Grounded:
    choose(pair, [item for item in finding.items if item.reading.role != "gloss"], hinted)
    items = [item for item in finding.items if item.chosen and item.reading.mention.kind not in BARE]
    lost: list[tuple[Side, str]] = []
    for reading in finding.unplaced:
        if reading.mention.kind in BARE and not (reading.firm and size(reading.mention.text) >= 2 * WITNESS):
            continue
        if (fuzzy := _resembling(pair, reading, items, hinted)) is not None:
            items.append(fuzzy)
            finding.items.append(fuzzy)
        elif reading.firm:
            lost.append((reading.side, reading.mention.text))
    shown = select_spans(pair, finding)
    _doubt_second_terms(shown)
    spans = distinct(span for item in shown for span in _spans(item, shown))
    spans += _anchors(pair, finding, spans)
    paragraphs = {side: _paragraph(pair, side, spans, hinted) for side in SIDES}
    dark = [side for side in SIDES if not any(span.side == side and span.lit for span in spans)]
    lost = [(side, text) for side, text in dict.fromkeys(lost) if side in dark]
    return Grounded(tuple(spans), paragraphs["source"], paragraphs["translation"], tuple(lost))


def _doubt_second_terms(shown: Sequence[Item]) -> None:
    """Leave certain, of several terms on a side, only what the judge says outright to stand there.

    A word found exactly is not thereby what the finding is about: the second term of a side is often a comparison.
    """
    for side in SIDES:
        terms = [item for item in shown if item.side == side and item.chosen]
        distinct = [i for i in terms if not any(i.key != other.key and i.key in other.key for other in terms)]
        if len({item.key for item in distinct}) > 1:
            for item in terms:
                if item.reading.mention.kind in BARE: item.confidence=min(item.confidence,.9)
                if not item.reading.firm:
                    item.confidence = min(item.confidence, _DOUBTED)


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
    if best is None and size(text) >= WITNESS:
        best = there.resemble(text, 0, len(there.text), _STRICTER)
    if best is None:
        return None
    return Item(
        reading=reading, text=text, side=side, index=-1, candidates=[best], chosen=[best], confidence=best.confidence
    )


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
            side=item.side,
            start=match.start,
            end=match.end,
            role="context" if inner else "quote",
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


def _anchors(pair: Documents, finding: FindingCandidates, spans: Sequence[Span]) -> list[Span]:
    """Return, for an omission or an addition without a quote on the other side, the place it should be opposite."""
    category = finding.report.category or ""
    lit: dict[Side, list[Span]] = {
        side: [s for s in spans if s.side == side and s.confidence >= SHOWN] for side in SIDES
    }
    missing: dict[Side, bool] = {
        "translation": told("omission", category)
        or any(item.reading.omitted for item in finding.items)
        or (finding.report.quoted is not None and not finding.report.quoted.translation),
        "source": told("addition", category),
    }
    for side, applies in missing.items():
        there = lit[OTHER[side]]
        if applies and there and not lit[side]:
            span = next((s for s in there if s.role == "quote"), there[0])
            position = pair.position(side, pair.place(span.side, span.start))
            if position is not None:
                return [Span(side=side, start=position, end=position, role="anchor", method="aligned", confidence=0.5)]
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
