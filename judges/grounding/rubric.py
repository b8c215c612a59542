"""Show what a rubric point speaks of: its source term wherever it occurs, and the renderings it names."""

from __future__ import annotations

import re

from judges.grounding.documents import Documents
from judges.grounding.locate import Match, size
from judges.grounding.quotes import mentions, plain
from judges.grounding.roles import Reading, read_roles
from judges.model import SIDES, Grounded, Side, Span

_NUMBER = re.compile(r"^\s*(?:考点)?\s*\d{1,3}\s*[：:.、．]\s*")
_RENDERED = re.compile(r"[→—–-]|译|应|推荐|必须|宜|should|must|translat|render", re.I)


def ground_rubric_point(pair: Documents, point_text: str) -> Grounded:
    """Return every occurrence of a rubric point's source term, and its renderings that the translation holds.

    A rendering's ``method`` says which: ``recommended`` or ``forbidden``; both are looked for word for word (folded).
    What the point quotes of the source and does not occur is in ``unlocated``.
    """
    prose = plain(_NUMBER.sub("", point_text))
    readings = read_roles(prose, mentions(prose), pair)
    spans: dict[tuple[Side, int, int], Span] = {}
    lost: list[tuple[Side, str]] = []
    quoted = [r for r in readings if r.side == "source" and r.mention.kind not in ("bare", "bracketed")]
    terms = [r for r in quoted if r.role in ("named", "fine", "elsewhere")] or quoted[:1]
    if not terms:
        terms = [r for r in readings if r.side == "source"]
    for reading in terms:
        matches = pair.sides["source"].find(reading.mention.text)
        if not matches:
            lost.append(("source", reading.mention.text))
        _light(spans, "source", matches)
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


def _judged(reading: Reading) -> str:
    if reading.role == "forbidden":
        return "forbidden"
    return "recommended" if reading.role in ("suggested", "named", "fine") else ""


def _light(spans: dict[tuple[Side, int, int], Span], side: Side, matches: list[Match], method: str = "") -> None:
    for number, match in enumerate(matches, 1):
        spans.setdefault(
            (side, match.start, match.end),
            Span(side, match.start, match.end, "quote", method or match.method, match.confidence, number, len(matches)),
        )
