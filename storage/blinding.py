"""What a reviewer must not see yet: the judge's record in a blind pass, or only whose translation it is.

What is hidden is taken out here, at the border of the storage, so that no screen or export can show it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Literal, get_args

from judges.metric_s.scoring import METRIC_S
from storage.app_state import recall, remember
from storage.layers import is_adjudicated, layers_of, split_layer
from storage.library import NO_SCORE, StoredEvaluation

Blinding = Literal["open", "systems", "first"]
"""``systems``: the names of systems are hidden. ``first``: so is all that the judge said, until it is revealed."""
BLINDINGS: tuple[Blinding, ...] = get_args(Blinding)

HIDDEN = "hidden"
"""Stands for a name that is not to be seen."""

ASKED = "(SELECT *, ? AS blinding, ? AS layer FROM evaluations) e"
"""The evaluations as one layer asks for them, in SQL. Its values: the blinding, the layer."""

HIDDEN_CLAUSE = (
    "(coalesce(r.blind, '') = 'started' OR (r.evaluation_id IS NULL AND (e.blinding = 'first' OR EXISTS (SELECT 1 "
    "FROM assignments s WHERE s.layer = e.layer AND s.evaluation_id = e.id AND s.blind))))"
)
"""Whether the judge's record is hidden, in SQL on ``ASKED`` evaluations ``e`` and the layer's reviews ``r``, if any."""

SYSTEM_HIDDEN_CLAUSE = f"(e.blinding <> 'open' OR {HIDDEN_CLAUSE})"
"""Whether the name of the system is hidden, likewise."""


def blinding_of(connection: sqlite3.Connection, reviewer: str) -> Blinding:
    """Return what a reviewer, or whoever a layer belongs to, has chosen not to see."""
    chosen = recall(connection, split_layer(reviewer)[0], "blinding")
    return chosen if chosen in BLINDINGS else "open"


def choose_blinding(connection: sqlite3.Connection, reviewer: str, blinding: Blinding) -> None:
    """Keep what a reviewer chooses not to see. What she began blind stays hidden until she reveals it."""
    remember(connection, reviewer, "blinding", blinding)


def is_hidden(connection: sqlite3.Connection, layer: str, evaluation_id: str, blinding: Blinding) -> bool:
    """Whether a layer must not see the judge's record of an evaluation, or not yet.

    Who settles what others disagree about has their words before her, so that pass is not blind by choice.
    """
    if blinding == "first" and is_adjudicated(layer):
        blinding = "systems"
    row = connection.execute(
        f"SELECT {HIDDEN_CLAUSE} FROM {ASKED} LEFT JOIN reviews r ON r.evaluation_id = e.id AND r.reviewer = e.layer "
        "WHERE e.id = ?",
        (blinding, layer, evaluation_id),
    ).fetchone()
    return bool(row and row[0])


def hides(connection: sqlite3.Connection, reviewer: str) -> bool:
    """Whether anything at all is hidden from a reviewer, in any of her layers: sums over all would show it."""
    if blinding_of(connection, reviewer) != "open":
        return True
    layers = layers_of(split_layer(reviewer)[0])
    marks = ", ".join("?" * len(layers))
    return bool(
        connection.execute(
            f"SELECT EXISTS (SELECT 1 FROM reviews WHERE reviewer IN ({marks}) AND blind = 'started') OR EXISTS ("
            f"SELECT 1 FROM assignments s WHERE s.layer IN ({marks}) AND s.blind AND NOT EXISTS ("
            "SELECT 1 FROM reviews r WHERE r.evaluation_id = s.evaluation_id AND r.reviewer = s.layer))",
            (*layers, *layers),
        ).fetchone()[0]
    )


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
        hidden=True,
    )
