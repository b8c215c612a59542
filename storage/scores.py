"""Scores of other metrics and of people: stored as they are given, and read back beside Metric-S and the reviewers."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from judges.agreement.documents import PARTS, Part
from judges.agreement.scores import ScoreRow
from judges.metric_s.scoring import METRIC_S
from storage import schema
from storage.formats.rows import LeftOut
from storage.formats.scores import FORMAT, Remark, ScoreLine, read_score_lines
from storage.identity import system_slug
from storage.imports import FileReport, Note, store_file
from storage.leaderboard import read_judged
from storage.library import read_signature
from storage.queue import words_clause
from storage.reviewed import CHOSEN, COMPLETE, is_meant, metric_name


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
                    _take(connection, report, import_id, row)
            progress(report.rows)

    store_file(connection, report, take_rows, {}, program)
    return report


def _take(connection: sqlite3.Connection, report: FileReport, import_id: int, row: ScoreLine) -> None:
    report.rows += 1
    key = row.metric, row.human, row.rater, row.direction, row.article, row.system
    others = connection.execute(_OTHERS, key).fetchall()
    if any(score == row.score for score, _ in others):
        report.unchanged += 1
        return
    connection.execute(_INSERT, (*key, row.score, row.domain, import_id, row.line))
    report.stored += 1
    if others:
        shown = ", ".join(f"{score:g}" for score, _ in others[:3])
        if row.human:
            counts = "both count" if row.rater else "taken for another rater's; a column rater would say whose they are"
        else:
            same = any(other == import_id for _, other in others)
            counts = "their mean counts" if same else "the one imported last counts"
        message = f"{row.metric} of {row.system} on {row.article} is {row.score:g} here and {shown} before: {counts}"
        report.notes.append(Note(row.line, "flag", "another_score", message, "score"))


_OTHERS = """
SELECT score, import_id FROM scores
WHERE metric = ? AND human = ? AND rater = ? AND direction = ? AND article = ? AND system = ?
"""
_INSERT = """
INSERT INTO scores (metric, human, rater, direction, article, system, score, domain, import_id, line)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


# Reading


@dataclass(frozen=True, slots=True)
class Metric:
    """Where a metric's scores come from: a judge's evaluations (``judge`` and ``signatures`` are set), or a table.

    ``signatures``: what decided the scores, the commonest first; empty where that is unknown. ``files``: the tables.
    """

    judge: str | None = None
    signatures: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Metrics and humans in one table. ``left_out``: reason → how many scores are not in it."""

    rows: tuple[ScoreRow, ...]
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def raters(self) -> tuple[str, ...]:
        """Who gave human scores, by name."""
        return tuple(sorted({row.metric for row in self.rows if row.human}))

    def only_rater(self, name: str) -> ScoreTable:
        """The same with the ratings of one of them."""
        return replace(self, rows=tuple(row for row in self.rows if not row.human or row.metric == name))


def read_scores(
    connection: sqlite3.Connection,
    words: str = "",
    reviewer: str | None = None,
    judges: Collection[str] = (),
    part: Part = "total",
) -> ScoreTable:
    """Read Metric-S by every judge and signature, the reviewers' scores, and the imported tables.

    ``words``: only scores in whose article, system, direction, domain, and judge (and state) or metric and rater every
    word occurs. ``reviewer``: only her ratings are human scores. ``judges``: only metrics of these names, or of these
    judges. ``part``: a dimension's points instead of the total; tables have no dimensions, so they are absent then.

    A reviewer's score counts once her review is complete (`storage.reviewed.COMPLETE`), of evaluations under the
    weights of the whole Metric-S; that of a further layer only where it is the ``reviewer``. Samples of a judge are several rows of one metric.
    """
    judged = _judged(connection, words, judges, part)
    reviewed = _reviewed(connection, words, reviewer, part)
    tables = _tables(connection, words, reviewer, judges, frozenset(judged.metrics)) if part == "total" else NOTHING
    return ScoreTable((*judged.rows, *reviewed, *tables.rows), {**judged.metrics, **tables.metrics}, judged.left_out)


def read_score_files(
    paths: Sequence[Path], words: str = "", reviewer: str | None = None, judges: Collection[str] = ()
) -> tuple[ScoreTable, list[FileReport]]:
    """Read tables as `read_scores` would, were they imported into an empty library, and what became of their rows."""
    from sqlite_utils import Database

    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        schema.migrate(Database(connection))
        reports = [import_scores(connection, path) for path in paths]
        return read_scores(connection, words, reviewer, judges), reports


NOTHING = ScoreTable(())


def _judged(connection: sqlite3.Connection, words: str, wanted: Collection[str], part: Part) -> ScoreTable:
    keys = dict(connection.execute("SELECT id, key FROM articles"))
    rows: list[ScoreRow] = []
    metrics: dict[str, Metric] = {}
    left_out: Counter[str] = Counter()
    for group in read_judged(connection, words):
        first = label = metric_name(group.judge)
        while label in metrics:  # the same judge, asked otherwise
            label = f"{first} [{len(metrics) + 1}]"
        if wanted and not is_meant(wanted, group.judge, label):
            continue
        if part != "total" and part not in group.weights.judged:
            continue
        metrics[label] = Metric(group.judge, group.signatures)
        for row in group.rows:
            score = None if row.points is None else row.points[PARTS.index(part)]
            if score is None:
                left_out[_WHY_NO_SCORE.get(row.state, row.state)] += 1
            else:
                rows.append(ScoreRow(label, row.system, keys[row.article], row.direction, score, False, row.domain))
    return ScoreTable(tuple(rows), metrics, left_out)


_WHY_NO_SCORE = {"judge_failed": "judge failed: no score is claimed", "no_translation": "no translation"}


def _reviewed(connection: sqlite3.Connection, words: str, reviewer: str | None, part: Part) -> list[ScoreRow]:
    matching, values = words_clause(words)
    weights = cache(lambda signature: read_signature(connection, signature)[1])
    return [
        ScoreRow(name, system, article, direction, points[PARTS.index(part)], True, domain)
        for name, system, article, direction, domain, signature, *points in connection.execute(
            _REVIEWS.format(matching), (reviewer, reviewer, *values)
        )
        if weights(signature) == METRIC_S
    ]


def _tables(
    connection: sqlite3.Connection, words: str, reviewer: str | None, wanted: Collection[str], taken: Collection[str]
) -> ScoreTable:
    matching, values = words_clause(words, _TABLE_WORDS)
    spelt = {system_slug(name): name for (name,) in connection.execute("SELECT DISTINCT system FROM translations")}
    names: dict[str, str] = {}
    files = dict(connection.execute("SELECT id, file FROM imports"))
    rows: list[ScoreRow] = []
    metrics: dict[str, Metric] = {}
    for metric, system, article, direction, domain, score, human, rater, source in connection.execute(
        _TABLES.format(matching), values
    ):
        label = rater or metric if human else f"{metric} (imported)" if metric in taken else metric
        if human:
            if reviewer is not None and label != reviewer:
                continue
        elif wanted and not is_meant(wanted, label):
            continue
        elif files[source] not in metrics.setdefault(label, Metric()).files:
            metrics[label] = replace(metrics[label], files=(*metrics[label].files, files[source]))
        system = names.get(system) or names.setdefault(system, spelt.get(system_slug(system), system))
        rows.append(ScoreRow(label, system, article, direction, score, bool(human), domain))
    return ScoreTable(tuple(rows), metrics)


_REVIEWS = f"""
SELECT r.reviewer, e.system, e.article, e.direction, e.domain, e.signature_id,
  r.total, r.accuracy, r.fluency, r.appropriateness
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE e.state = 'scored' AND {COMPLETE}
  AND {CHOSEN} AND {{}}
ORDER BY e.position, r.reviewer
"""
_TABLE_WORDS = (
    "(s.article || ' ' || s.system || ' ' || s.direction || ' ' || s.domain || ' ' || s.metric || ' ' || s.rater)"
)
_TABLES = """
WITH s AS (
  SELECT v.*, rank() OVER (
    PARTITION BY metric, human, rater, direction, article, system ORDER BY i.at DESC, i.id DESC
  ) AS age
  FROM v_metric_scores v JOIN imports i ON i.id = v.import
)
SELECT metric, system, article, direction, domain, score, human, rater, max(import)
FROM s WHERE (human OR age = 1) AND {}
GROUP BY metric, human, rater, direction, article, system, score
"""
"""Of a metric the scores imported last count, of people all; the same score with and without its direction is one."""
