"""Scores of other metrics and of people, stored as a table gives them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from storage.base.identity import system_slug
from storage.formats.base.items import Remark, ScoreLine
from storage.formats.io.rows import LeftOut
from storage.formats.own.scores import FORMAT, read_score_lines
from storage.importing.import_report import FileReport, Note, store_file


def import_scores(
    connection: sqlite3.Connection,
    path: Path,
    *,
    program: str = "",
    progress: Callable[[int], None] = lambda rows: None,
) -> FileReport:
    """Store a table of scores, all in one transaction, and the report of it. Importing it again changes nothing.

    Never raises for what a file holds: ``FileReport.problem`` says why nothing could be read.
    """
    report = FileReport(path, FORMAT)

    def take_rows(import_id: int) -> None:
        for row in read_score_lines(path):
            match row:
                case LeftOut():
                    report.leave_out(row)
                case Remark():
                    report.notes.append(Note(row.line, "flag", row.code, row.message, row.field))
                case ScoreLine():
                    take_score(connection, report, import_id, row)
            progress(report.rows)
        _flag_unknown(connection, report, import_id)

    store_file(connection, report, take_rows, {}, program)
    return report


def take_score(connection: sqlite3.Connection, report: FileReport, import_id: int, row: ScoreLine) -> None:
    """Store one score of a file and count what became of it in the file's report."""
    report.rows += 1
    key = row.metric, row.human, row.rater, row.direction, row.article, row.system
    others = connection.execute(_OTHERS, key).fetchall()
    nobodys = row.human and not row.rater  # whose they are nobody knows, so each may be another's
    counting = [score for score, import_ in others if nobodys or import_ == others[0][1]]
    if row.score in counting:
        report.unchanged += 1
        return
    add_score(connection, import_id, row)
    report.stored += 1
    if others:
        shown = ", ".join(f"{score:g}" for score in counting[:3])
        if nobodys:
            counts = "taken for another rater's; a column rater would say whose they are"
        else:
            counts = "their mean counts" if others[0][1] == import_id else "the one imported last counts"
        message = f"{row.metric} of {row.system} on {row.article} is {row.score:g} here and {shown} before: {counts}"
        report.notes.append(Note(row.line, "flag", "another_score", message, "score"))


def add_score(connection: sqlite3.Connection, import_id: int, row: ScoreLine) -> None:
    """Store one score; of one that the import brought already there is no second."""
    key = row.metric, row.human, row.rater, row.direction, row.article, row.system
    connection.execute(_INSERT, (*key, row.score, row.domain, import_id, row.line))


_OTHERS = """
SELECT s.score, s.import_id FROM scores s LEFT JOIN imports i ON i.id = s.import_id
WHERE metric = ? AND human = ? AND rater = ? AND direction = ? AND article = ? AND system = ?
ORDER BY i.at IS NULL DESC, i.at DESC, s.import_id DESC
"""
"""The last imported first; the import that is under way has no row of its own yet."""


_INSERT = """
INSERT INTO scores (metric, human, rater, direction, article, system, score, domain, import_id, line)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""


def _flag_unknown(connection: sqlite3.Connection, report: FileReport, import_id: int) -> None:
    """Say of what was stored which of it stands beside nothing in the library, each kind once with its number."""
    (known,) = connection.execute("SELECT count(*) FROM articles").fetchone()
    systems = {system_slug(name) for (name,) in connection.execute("SELECT DISTINCT system FROM translations")}
    unknown = {
        "direction": (_NO_DIRECTION, "no direction, and none is known of their articles, so they stand for themselves"),
        "article": (_NO_ARTICLE if known else "0", "articles that the library does not have"),
        "system": ("1" if systems else "0", "systems that the library does not have"),
    }
    for name, (condition, what) in unknown.items():
        rows = [
            (row[0], line, n)
            for *row, line, n in connection.execute(
                f"SELECT {'article' if name == 'direction' else name}, min(line), count(*) FROM v_metric_scores "
                f"WHERE import = ? AND {condition} GROUP BY 1 ORDER BY 2",
                (import_id,),
            )
            if name != "system" or system_slug(row[0]) not in systems
        ]
        if rows:
            examples = ", ".join(each for each, _, _ in rows[:3]) + (" …" if len(rows) > 3 else "")
            n = sum(n for _, _, n in rows)
            said = f"{n:,} {'score' if n == 1 else 'scores'} of {what}"
            message = f"{said}: of {examples}" if name == "direction" else f"{said}: {examples}"
            report.notes.append(Note(min(line for _, line, _ in rows), "flag", f"unknown_{name}", message, name))


_NO_DIRECTION = "direction = ''"


_NO_ARTICLE = "article NOT IN (SELECT key FROM articles)"
