"""Grounding of a rubric point: its source term wherever it occurs, and the renderings it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from judges.grounding.cue_lexicon import words
from judges.grounding.documents import Documents
from judges.grounding.fuzzy_search import Locator, Match, size
from judges.grounding.ground import distinct, spans_of
from judges.grounding.occurrences import Item
from judges.grounding.quote_roles import Reading, read_prose
from judges.grounding.quotes import Mention, plain
from judges.model import Grounded, Side, Span

_LONGEST = 2_000
_PARTS = re.compile(r"\s*(?:[/／|;；]|(?<=[a-z]),(?= )|(?<=[\u4e00-\u9fff])[,，]|(?<=[\u4e00-\u9fff])、)\s*")
_METHODS = {"forbidden": "forbidden", "suggested": "recommended", "named": "recommended", "fine": "recommended"}


def ground_rubric_point(pair: Documents, point_text: str) -> Grounded:
    """Return every occurrence of a rubric point's source term, and its renderings that the translation holds.

    A rendering's ``method`` says which: ``recommended`` or ``forbidden``; both are looked for word for word (folded).
    What the point quotes of the source and does not occur is in ``unlocated``.
    """
    prose = plain(words("rubric", "number").sub("", point_text[:_LONGEST]))
    readings = read_prose(prose, pair)
    spans: list[Span] = []
    lost: list[tuple[Side, str]] = []
    quoted = {reading.mention.text for reading in readings}
    for term in source_terms(prose, readings):
        matches = term_occurrences(pair.sides["source"], term)
        spans += _lit("source", term, matches)
        lost += [] if matches else [("source", term)]
        if matches and term not in quoted:
            break  # an unquoted term, found: its shorter readings are not needed
    lost = [(side, text) for side, text in lost if text in quoted or not spans]
    for reading in readings:
        if reading.side == "translation" and reading.role in _METHODS and size(reading.mention.text) >= 2:
            text = reading.mention.text
            found = [m for m in pair.sides["translation"].find(text) if m.method in ("exact", "folded", "letters")]
            spans += [replace(span, method=_METHODS[reading.role]) for span in _lit("translation", text, found)]
    spans = distinct(spans)
    source, translation = (
        next((pair.sides[side].paragraph_at(s.start) for s in spans if s.side == side), None) for side in pair.sides
    )
    if translation is None and source is not None:
        translation = next(iter(pair.counterpart("source", source)), None)
    return Grounded(tuple(spans), source, translation, tuple(lost))


def source_terms(prose: str, readings: Sequence[Reading]) -> list[str]:
    """Return the source terms a point names: the quoted ones, else what stands before “is to be rendered as”."""
    source = [reading for reading in readings if reading.side == "source"]
    quoted = [reading for reading in source if not reading.bare]
    terms = [r for r in quoted if r.role in ("named", "fine", "elsewhere")] or quoted[:1]
    if terms:
        return [reading.mention.text for reading in terms]
    before = words("rubric", "before").match(prose)
    start = before.end() if before else 0
    after = words("rubric", "after").search(prose, start)
    head = prose[start : after.start()].strip(" “”\"'【】「」\u202f") if after else ""
    return list(dict.fromkeys(text for text in (head, *(r.mention.text for r in source[:1])) if text))


def term_occurrences(source: Locator, term: str) -> list[Match]:
    """Return all occurrences of a term in the source: whole, else its parts, else the one thing resembling it."""
    if found := source.forms(term):
        return found
    parts = [part for part in _PARTS.split(term) if size(part) >= 3]
    if len(parts) > 1 and (found := [match for part in parts for match in source.find(part)]):
        return found
    match = source.resemble(term, 0, len(source.text), 8.0) if size(term) >= 8 else None
    return [match] if match else []


def _lit(side: Side, text: str, matches: list[Match]) -> list[Span]:
    item = Item(Reading(Mention(text, 0, 0), side, "named"), text, side, 0, matches, matches)
    found = zip(spans_of(item, []), matches, strict=True)
    return [replace(span, confidence=match.confidence) for span, match in found]
