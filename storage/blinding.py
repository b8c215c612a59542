"""What a reviewer must not see yet: the judge's record in a blind pass, or only whose translation it is.

What is hidden is taken out here, at the border of the storage, so that no screen or export can show it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Literal, get_args

from judges.metric_s.scoring import METRIC_S
from storage.library import NO_SCORE, StoredEvaluation

Blinding = Literal["open", "systems", "first"]
"""``systems``: the names of systems are hidden. ``first``: so is all that the judge said, until it is revealed."""
BLINDINGS: tuple[Blinding, ...] = get_args(Blinding)

HIDDEN = "hidden"
"""Stands for a name that is not to be seen."""

HIDDEN_CLAUSE = (
    "(coalesce(r.blind, '') = 'started' OR (r.evaluation_id IS NULL AND (? = 'first' OR EXISTS (SELECT 1 FROM "
    "assignments s WHERE s.layer = ? AND s.evaluation_id = e.id AND s.blind))))"
)
"""Whether the judge's record is hidden, in SQL on evaluations ``e`` LEFT JOIN the layer's reviews ``r``.

Its values: the blinding, the layer.
"""


def is_hidden(connection: sqlite3.Connection, layer: str, evaluation_id: str, blinding: Blinding) -> bool:
    """Whether a layer must not see the judge's record of an evaluation, or not yet."""
    row = connection.execute(
        f"SELECT {HIDDEN_CLAUSE} FROM evaluations e LEFT JOIN reviews r ON r.evaluation_id = e.id AND r.reviewer = ? "
        "WHERE e.id = ?",
        (blinding, layer, layer, evaluation_id),
    ).fetchone()
    return bool(row and row[0])


def masked(evaluation: StoredEvaluation, blinding: Blinding) -> StoredEvaluation:
    """Return an evaluation without what is to be hidden: the system's name, or all but the two texts.

    Whether the judge failed, or found the output no translation, is hidden too.
    """
    if blinding == "open":
        return evaluation
    evaluation = replace(evaluation, system=HIDDEN)
    if blinding == "systems":
        return evaluation
    return replace(
        evaluation,
        judge=HIDDEN,
        state="no_translation" if evaluation.translation is None else "scored",
        failed=(),
        score=None,
        stored_score=NO_SCORE,
        findings=(),
        rubric=(),
        advice=(),
        flags=(),
        instruction_check="",
        advice_text="",
        signature="",
        sample=1,
        quotes=None,
        quotes_verified=None,
        weights=METRIC_S,
    )
