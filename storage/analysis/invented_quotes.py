"""Invented quotes: which findings quote something, and which something that occurs nowhere; SQL that all figures share.

Conditions on a finding ``f`` of an evaluation ``e``, and on where ``NEWEST`` says that it is, ``g``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence

from judges.consistency.records import QuoteCount
from judges.model import EXACT, SIDES, Side

NEWEST = """LEFT JOIN grounded_findings g ON g.evaluation_id = e.id AND g.finding_id = f.id AND g.method =
  (SELECT n.method FROM groundings n WHERE n.evaluation_id = e.id ORDER BY n.at DESC LIMIT 1)"""
"""The newest grounding, which counts, joined as ``g``."""

_OF_G = "p.evaluation_id = g.evaluation_id AND p.method = g.method AND p.finding_id = g.finding_id AND p.role = 'quote'"

QUOTES = f"""CASE WHEN e.quotes > 0 THEN coalesce(f.source_quote, f.translation_quote) IS NOT NULL
  ELSE coalesce(g.unlocated, '[]') <> '[]' OR EXISTS (SELECT 1 FROM spans p WHERE {_OF_G}) END"""
"""A finding quotes something: what its judge was asked to quote; or, of prose, what has a place or occurs nowhere."""


def _nowhere(side: Side, said: str) -> str:
    """A quote of this side is ``said`` to occur nowhere, and nothing on the side is certain instead."""
    exact = f"SELECT 1 FROM spans p WHERE {_OF_G} AND p.side = '{side}' AND p.confidence >= {EXACT}"
    return f"{said} AND NOT EXISTS ({exact})"


_OF_NOTES = " OR ".join(_nowhere(side, f"instr(f.quote_notes, '\"{side}_not_found\"')") for side in SIDES)
_OF_PROSE = " OR ".join(_nowhere(side, f"instr(g.unlocated, '[\"{side}\"')") for side in SIDES)

INVENTED = f"CASE WHEN e.quotes > 0 THEN coalesce({_OF_NOTES}, 0) ELSE coalesce({_OF_PROSE}, 0) END"
"""A finding quotes what occurs nowhere, while no other place on that side is certain.

A judge that was asked to quote is taken at its quotes' notes; of prose the grounding says what is nowhere.
"""


def count_quotes(
    connection: sqlite3.Connection, of: str, values: Sequence[object], marked: Collection[str]
) -> list[QuoteCount]:
    """Count quotes by article, in the evaluations whose ids the query ``of`` yields.

    ``marked``: findings that a reviewer marks as invented: they quote something, whether locating saw that or not.
    """
    counts = {(row[0], row[1]): QuoteCount(*row) for row in connection.execute(_COUNTS.format(of=of), values)}
    if marked:
        for direction, article, *seen in connection.execute(_MARKED, (json.dumps(sorted(marked)),)):
            quotes, nowhere = map(bool, seen)
            before = counts.get((direction, article), QuoteCount(direction, article, 0, 0))
            counts[direction, article] = before._replace(
                quoting=before.quoting + (not quotes), marked=before.marked + 1, both=before.both + nowhere
            )
    return list(counts.values())


_COUNTS = f"""
SELECT e.direction, e.article, count(*), sum({INVENTED}) FROM evaluations e
CROSS JOIN findings f ON f.evaluation_id = e.id {NEWEST}
WHERE e.id IN ({{of}}) AND {QUOTES} GROUP BY e.direction, e.article ORDER BY e.direction, e.article
"""
_MARKED = f"""
SELECT e.direction, e.article, {QUOTES}, {INVENTED}
FROM json_each(?) chosen JOIN findings f ON f.id = chosen.value JOIN evaluations e ON e.id = f.evaluation_id {NEWEST}
"""
