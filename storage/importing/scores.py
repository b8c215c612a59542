"""Scores of other metrics and of people, stored as a table gives them."""

from __future__ import annotations

import json
import sqlite3

from storage.base.identity import system_slug
from storage.formats.base.items import MeanScore, ReplacedScore, ScoreLine
from storage.formats.own.scores import FORMAT
from storage.importing.import_report import FileReport, Import


class ScoreWriter:
    """Stores scores, and says where another score of the same is here already."""

    def __init__(self, under_way: Import) -> None:
        self.connection, self.report, self.import_id = under_way.connection, under_way.report, under_way.id

    def take(self, row: ScoreLine) -> None:
        """Store one score, unless it is here, or the file has a later one of the same."""
        if isinstance(row, ReplacedScore):
            self.report.count(new=False)
            what = f"{row.metric} of {row.system} on {row.article} is {row.score:g} here"
            message = f"{what} and {row.later.score:g} in line {row.later.line}: the later counts"
            self.report.flag(row.line, "another_score", message, "score")
            return
        key = row.metric, row.human, row.rater, row.direction, row.article, row.system
        others = self.connection.execute(_OTHERS, key).fetchall()
        nobodys = row.human and not row.rater  # whose they are nobody knows, so each may be another's
        there = [(score, segments) for score, import_, segments in others if nobodys or import_ == others[0][1]]
        counting = [score for score, _ in there]
        new = row.score not in counting or bool(row.segments and (row.score, _segments(row)) not in there)
        self.report.count(row.made_of if isinstance(row, MeanScore) else 1, new=new)
        if not new:
            return
        add_score(self.connection, self.import_id, row)
        if others and row.score not in counting:
            shown = ", ".join(f"{score:g}" for score in counting[:3])
            if nobodys:
                counts = "taken for another rater's; a column rater would say whose they are"
            else:
                counts = "the one imported last counts"
            message = (
                f"{row.metric} of {row.system} on {row.article} is {row.score:g} here and {shown} before: {counts}"
            )
            self.report.flag(row.line, "another_score", message, "score")

    def finish(self) -> None:
        """Say of a table of scores which of them stand beside nothing in the library."""
        if self.report.format == FORMAT:
            _flag_unknown(self.connection, self.report, self.import_id)


def add_score(connection: sqlite3.Connection, import_id: int, row: ScoreLine) -> None:
    """Store one score; of one that the import brought already there is no second."""
    key = row.metric, row.human, row.rater, row.direction, row.article, row.system
    connection.execute(_INSERT, (*key, row.score, row.domain, import_id, row.line, _segments(row)))


def lacks_segments(connection: sqlite3.Connection, row: ScoreLine) -> bool:
    """Return True if a score is here that does not say which segments it is of, as this one does."""
    key = row.metric, row.human, row.rater, row.direction, row.article, row.system
    said = [segments for score, _, segments in connection.execute(_OTHERS, key) if score == row.score]
    return bool(row.segments and said) and _segments(row) not in said


def _segments(row: ScoreLine) -> str:
    return json.dumps(sorted(row.segments))


_OTHERS = """
SELECT s.score, s.import_id, s.segments FROM scores s LEFT JOIN imports i ON i.id = s.import_id
WHERE metric = ? AND human = ? AND rater = ? AND direction = ? AND article = ? AND system = ?
ORDER BY i.at IS NULL DESC, i.at DESC, s.import_id DESC
"""
"""The last imported first; the import that is under way has no row of its own yet."""


_INSERT = """
INSERT INTO scores (metric, human, rater, direction, article, system, score, domain, import_id, line, segments)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
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
            report.flag(min(line for _, line, _ in rows), f"unknown_{name}", message, name)


_NO_DIRECTION = "direction = ''"


_NO_ARTICLE = "article NOT IN (SELECT key FROM articles)"
