"""Proofs of errors: written once with the evaluation that they make, read with that and with the one they are of."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from judges.model import Place, Proof
from storage.base.text import storable_all
from storage.db.connection import insert
from storage.db.rows import RowMapper

PROOFS = RowMapper(Proof, without=("place",))


def add_proofs(connection: sqlite3.Connection, evaluation: str, original: str, proofs: Sequence[Proof | None]) -> None:
    """Store the proofs of an evaluation's findings, by their order; None for one without. Call inside a transaction.

    ``evaluation``: the stored one that only proved errors count in; ``original``: the one they are the errors of. What
    is stored already is left as it is.
    """
    link: dict[str, object] = {"evaluation_id": evaluation, "original_id": original}
    if not insert(connection, "proved_evaluations", [link], or_ignore=True):
        return
    rows = [
        {
            "evaluation_id": evaluation,
            "number": number,
            "start": proof.place and proof.place.start,
            "end": proof.place and proof.place.end,
            **PROOFS.row_of(storable_all(proof)),
        }
        for number, proof in enumerate(proofs, 1)
        if proof
    ]
    insert(connection, "proofs", rows)


def read_proofs(connection: sqlite3.Connection, evaluation: str) -> dict[int, Proof]:
    """Return the proofs of an evaluation's findings by their numbers: its own, or the latest that were made of it."""
    found = {}
    for start, end, number, *rest in connection.execute(_PROOFS, (evaluation,)):
        place = None if start is None else Place("translation", start, end)
        found[number] = PROOFS.value_of(rest, place=place)
    return found


_PROOFS = f"""
SELECT start, "end", number, {PROOFS.select} FROM proofs WHERE evaluation_id = (
  SELECT v.evaluation_id FROM proved_evaluations v JOIN evaluations e ON e.id = v.evaluation_id
  WHERE v.evaluation_id = ?1 OR v.original_id = ?1 ORDER BY v.evaluation_id = ?1 DESC, e.position DESC LIMIT 1)
ORDER BY number
"""


def proved_of(connection: sqlite3.Connection, original: str, asked: str) -> tuple[str, bool] | None:
    """Return the evaluation that an evaluation's proofs made under a signature's ``asked``; None where there is none.

    Beside its id: whether a model gave nothing usable for some of them, so that asking again may come to more.
    """
    row = connection.execute(
        "SELECT v.evaluation_id, EXISTS (SELECT 1 FROM proofs p WHERE p.evaluation_id = v.evaluation_id "
        "AND p.state = 'not_tried' AND p.start IS NOT NULL) FROM proved_evaluations v "
        "JOIN evaluations e ON e.id = v.evaluation_id JOIN signatures g ON g.id = e.signature_id "
        "WHERE v.original_id = ? AND g.asked = ? ORDER BY e.position DESC LIMIT 1",
        (original, asked),
    ).fetchone()
    return row and (str(row[0]), bool(row[1]))
