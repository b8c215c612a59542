"""Grounding of a rubric point: its source term wherever it occurs, and the renderings it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from judges.grounding.documents import Documents
from judges.grounding.fuzzy_search import Locator, Match, size
from judges.grounding.quote_roles import Reading, read_prose
from judges.grounding.quotes import plain
from judges.model import SIDES, Grounded, Side, Span

_NUMBER = re.compile(r"^\s*(?:考点)?\s*\d{1,3}\s*[：:.、．]\s*")
_BEFORE = re.compile(r"[\W_]*(?:(?:文中|原文中?|原文)的?|术语|专有名词|成语|the (?:term|phrase)\b)?", re.I)
_AFTER = re.compile(
    r"不[可能应得宜]|只[能可]|必须|推荐|建议|应|宜|可|需|须|统一|[直音意翻]?译|是一|是指|指|属于|→|——|，|。|；|\n"
    r"|\b(?:should|must|translat|render)",
    re.I,
)
_LONGEST = 2_000
_PARTS = re.compile(r"\s*(?:[/／|;；]|(?<=[a-z]),(?= )|(?<=[\u4e00-\u9fff])[,，]|(?<=[\u4e00-\u9fff])、)\s*")


def ground_rubric_point(pair: Documents, point_text: str) -> Grounded:
    """Return every occurrence of a rubric point's source term, and its renderings that the translation holds.

    A rendering's ``method`` says which: ``recommended`` or ``forbidden``; both are looked for word for word (folded).
    What the point quotes of the source and does not occur is in ``unlocated``.
    """
    prose = plain(_NUMBER.sub("", point_text[:_LONGEST]))
    readings = read_prose(prose, pair)
    spans: dict[tuple[Side, int, int], Span] = {}
    lost: list[tuple[Side, str]] = []
    for term in source_terms(prose, readings):
        matches = term_occurrences(pair.sides["source"], term)
        if not matches:
            lost.append(("source", term))
        _light(spans, "source", matches)
        if matches and term not in (r.mention.text for r in readings):
            break  # an unquoted term, found: its shorter readings are not needed
    if spans:
        lost = [(side, text) for side, text in lost if any(text == r.mention.text for r in readings)]
    for reading in readings:
        if reading.side == "translation" and (method := _judged(reading)) and size(reading.mention.text) >= 2:
            matches = pair.sides["translation"].find(reading.mention.text)
            _light(spans, "translation", [m for m in matches if m.method in ("exact", "folded", "letters")], method)
    ordered = sorted(spans.values(), key=lambda s: (SIDES.index(s.side), s.start, -s.end))
    paragraphs: dict[Side, int | None] = {
        side: next((pair.sides[side].paragraph_at(s.start) for s in ordered if s.side == side), None) for side in SIDES
    }
    if paragraphs["translation"] is None and paragraphs["source"] is not None:
        paragraphs["translation"] = next(iter(pair.counterpart("source", paragraphs["source"])), None)
    return Grounded(tuple(ordered), paragraphs["source"], paragraphs["translation"], tuple(lost))


def source_terms(prose: str, readings: Sequence[Reading]) -> list[str]:
    """Return the source terms a point names: the quoted ones, else what stands before “is to be rendered as”."""
    quoted = [r for r in readings if r.side == "source" and r.mention.kind not in ("bare", "bracketed")]
    terms = [r for r in quoted if r.role in ("named", "fine", "elsewhere")] or quoted[:1]
    if terms:
        return [r.mention.text for r in terms]
    before = _BEFORE.match(prose)
    after = _AFTER.search(prose, before.end() if before else 0)
    head = prose[before.end() if before else 0 : after.start()].strip(" “”\"'【】「」\u202f") if after else ""
    bare = [r.mention.text for r in readings if r.side == "source"]
    return list(dict.fromkeys(text for text in (head, *bare[:1]) if text))


def term_occurrences(source: Locator, term: str) -> list[Match]:
    """Return all occurrences of a term in the source: whole, else its parts, else the one thing resembling it."""
    if found := source.forms(term):
        return found
    parts = [part for part in _PARTS.split(term) if size(part) >= 3]
    if len(parts) > 1 and (found := [match for part in parts for match in source.find(part)]):
        return found
    match = source.resemble(term, 0, len(source.text), 8.0) if size(term) >= 8 else None
    return [match] if match else []


def _judged(reading: Reading) -> str:
    if reading.role == "forbidden":
        return "forbidden"
    return "recommended" if reading.role in ("suggested", "named", "fine") else ""


def _light(spans: dict[tuple[Side, int, int], Span], side: Side, matches: list[Match], method: str = "") -> None:
    for number, match in enumerate(matches, 1):
        spans.setdefault(
            (side, match.start, match.end),
            Span(
                side=side,
                start=match.start,
                end=match.end,
                role="quote",
                method=method or match.method,
                confidence=match.confidence,
                occurrence=number,
                occurrences=len(matches),
            ),
        )
