"""Places of findings: computed by ``judges.grounding``, kept with the method's name, redone when it improves.

Grounding is derived from the record and touches nothing a human said. The newest grounding of an evaluation counts.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from judges.model import Bead, Grounded, Quoted
from storage.base.errors import StorageError
from storage.base.text import utc
from storage.db.connection import file_of, insert, open_database, transaction
from storage.db.library_file import FileId
from storage.db.rows import to_json
from storage.record.grounding_changes import Changes, changes
from storage.record.library import GROUNDED, SPANS, StoredEvaluation, read_evaluation

if TYPE_CHECKING:
    from judges.grounding import AskedPlaces, Documents, Report

GIVEN = "given"
"""The method of findings that came with their places: nothing is left to find."""

ASKED = "asked-*"
"""The methods that asked a model, as a pattern of SQLite's GLOB."""

FEW = 24
"""Evaluations that are grounded here at the most; more are worth starting processes for."""


@dataclass(frozen=True, slots=True)
class Grounding:
    """One evaluation's findings located: finding id → where, and how its paragraphs go together."""

    evaluation_id: str
    method: str
    alignment: tuple[Bead, ...]
    findings: dict[str, Grounded]


def ground(evaluation: StoredEvaluation) -> Grounding:
    """Locate all findings of an evaluation. Pure: reads and writes nothing."""
    from judges import grounding

    pair, reports = _prepared(evaluation)
    return _grounding(evaluation, grounding.METHOD, pair, grounding.ground(pair, reports))


def ground_asked(
    evaluation: StoredEvaluation, quotes: Mapping[int, Sequence[Quoted]], method: str
) -> tuple[Grounding, AskedPlaces]:
    """Locate all findings of an evaluation by what a model quotes, by the findings' numbers; and say how far it was so.

    Pure, as ``ground`` is.
    """
    from judges import grounding

    pair, reports = _prepared(evaluation)
    said = [quotes.get(stored.number, ()) for stored in evaluation.findings]
    places = grounding.ground_asked(pair, reports, said)
    return _grounding(evaluation, method, pair, places.grounded), places


def _prepared(evaluation: StoredEvaluation) -> tuple[Documents, list[Report]]:
    """Return the two texts and the findings as locating takes them."""
    from judges import grounding

    points = {point.number: point.text for point in evaluation.article.rubric}
    reports = [
        grounding.Report(
            explanation=f.finding.explanation,
            hint=f.finding.hint,
            category=f.finding.category_label or f.finding.category or "",
            rubric_point_text=points.get(f.finding.rubric_point or 0, ""),
            quoted=f.finding.quoted,
        )
        for f in evaluation.findings
    ]
    article = evaluation.article
    return grounding.prepare(article.source, evaluation.translation or "", article.direction), reports


def _grounding(evaluation: StoredEvaluation, method: str, pair: Documents, located: Sequence[Grounded]) -> Grounding:
    findings = {f.id: where for f, where in zip(evaluation.findings, located, strict=True)}
    return Grounding(evaluation.id, method, pair.alignment, findings)


def store(connection: sqlite3.Connection, groundings: Sequence[Grounding]) -> None:
    """Keep groundings, in one transaction. One that is there already, by the same method, is left as it is."""
    with transaction(connection):
        add_groundings(connection, groundings)


def add_groundings(connection: sqlite3.Connection, groundings: Sequence[Grounding]) -> None:
    """Keep groundings, as ``store`` does, inside a transaction of the caller's."""
    at = utc(datetime.now(UTC))
    for done in groundings:
        key: dict[str, object] = {"evaluation_id": done.evaluation_id, "method": done.method}
        row = key | {"at": at, "alignment": to_json(done.alignment)}
        if not insert(connection, "groundings", [row], or_ignore=True):
            continue
        found = [key | {"finding_id": finding} | GROUNDED.row_of(where) for finding, where in done.findings.items()]
        insert(connection, "grounded_findings", found)
        spans = [
            key | {"finding_id": finding, "position": position} | SPANS.row_of(span)
            for finding, where in done.findings.items()
            for position, span in enumerate(where.spans)
        ]
        insert(connection, "spans", spans)


def read_grounded(connection: sqlite3.Connection, identity: str) -> StoredEvaluation:
    """Return one evaluation whole, locating its findings first if nobody has yet.

    Raises StorageError if it is not there.
    """
    evaluation = read_evaluation(connection, identity)
    if evaluation.findings and not evaluation.method:
        found = ground(evaluation)
        try:
            store(connection, [found])
        except (sqlite3.Error, StorageError):
            # It can be read all the same where nothing can be stored: on a full disk, in a folder of others.
            findings = tuple(replace(each, grounded=found.findings[each.id]) for each in evaluation.findings)
            return replace(evaluation, findings=findings, method=found.method, alignment=found.alignment)
        evaluation = read_evaluation(connection, identity)
    return evaluation


def pending(connection: sqlite3.Connection, method: str) -> list[str]:
    """Return the ids of evaluations that this method has not grounded yet, in the order they were imported.

    Those whose places were given, or a model was asked for, are left alone: they are surer than any reading of prose.
    """
    rows = connection.execute(
        "SELECT id FROM evaluations WHERE id NOT IN "
        "(SELECT evaluation_id FROM groundings WHERE method IN (?, ?) OR method GLOB ?) "
        "AND state <> 'not_judged' ORDER BY position",
        (method, GIVEN, ASKED),
    )
    return [row[0] for row in rows]


def ground_pending(
    connection: sqlite3.Connection, path: Path, progress: Callable[[int, int], None] = lambda done, of: None
) -> Changes:
    """Ground every evaluation that the present method has not seen, over all cores; return what that changed.

    Stores as it goes, so that stopping at any moment loses nothing but the batch in hand.
    """
    from judges.grounding import METHOD

    ids = pending(connection, METHOD)
    changed = Changes()
    for batch in _batches(connection, path, ids):
        store(connection, [grounding for grounding, _ in batch])
        changed = sum((each for _, each in batch), changed)
        progress(changed.evaluations, len(ids))
    return changed


def compare(evaluation: StoredEvaluation, found: Grounding) -> Changes:
    """Return what a new grounding changes of the one that an evaluation was read with."""
    before = {stored.id: stored.grounded for stored in evaluation.findings}
    return changes(evaluation.method, before, found.findings)


_Located = tuple[Grounding, Changes]


def _batches(connection: sqlite3.Connection, path: Path, ids: list[str]) -> Iterator[list[_Located]]:
    if not ids:
        return
    if len(ids) <= FEW:
        yield [_locate(connection, identity) for identity in ids]
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), _start_worker, (path, file_of(connection))) as pool:
        chunks = [ids[i : i + FEW] for i in range(0, len(ids), FEW)]
        waiting = {pool.submit(_ground_chunk, chunk) for chunk in chunks}
        try:
            for future in as_completed(waiting):
                yield future.result()
        finally:
            for future in waiting:
                future.cancel()


_worker: sqlite3.Connection


def _start_worker(path: Path, same_as: FileId | None) -> None:
    global _worker
    _worker = open_database(path, create=False, same_as=same_as)
    if hasattr(os, "nice"):
        os.nice(5)


def _ground_chunk(ids: list[str]) -> list[_Located]:
    return [_locate(_worker, identity) for identity in ids]


def _locate(connection: sqlite3.Connection, identity: str) -> _Located:
    evaluation = read_evaluation(connection, identity)
    found = ground(evaluation)
    return found, compare(evaluation, found)


def any_missing(connection: sqlite3.Connection) -> bool:
    """Say whether some evaluation with findings was never grounded; costs no import of the method."""
    return bool(
        connection.execute(
            "SELECT EXISTS (SELECT 1 FROM evaluations e WHERE e.state <> 'not_judged' AND NOT EXISTS "
            "(SELECT 1 FROM groundings g WHERE g.evaluation_id = e.id))"
        ).fetchone()[0]
    )
