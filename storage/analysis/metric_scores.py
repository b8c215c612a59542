"""Scores of other metrics and of people: stored as they are given, and read back beside Metric-S and the reviewers."""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from judges.consistency.documents import PARTS, Part
from judges.meta_eval.score_table import ScoreRow
from judges.metric_s.scoring import METRIC_S
from storage.analysis.judge_scores import read_judged
from storage.analysis.judge_votes import panels
from storage.analysis.review_data import CHOSEN_BY_DOUBT, COMPLETE, NOT_BY_DOUBT, is_meant, metric_name
from storage.analysis.vote_scores import together
from storage.base.errors import StorageError
from storage.base.identity import system_slug
from storage.db import schema
from storage.importing.import_report import FileReport
from storage.importing.pipeline import SCORES, import_path
from storage.record.library import read_signature
from storage.reviews.layers import is_adjudicated, layer_of
from storage.reviews.queue import words_clause

# Reading


@dataclass(frozen=True, slots=True)
class Metric:
    """Origin of a metric's scores: a judge's evaluations (``judge`` and ``signatures`` are set), or a table.

    ``signatures``: what decided the scores, the commonest first; empty where that is unknown. ``files``: the tables.
    """

    judge: str | None = None
    signatures: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """Range of one rater's ratings of one name; ``name`` is empty for reviews.

    ``aside``: they are not among the scores, for they are on another scale than the reviews.
    """

    name: str
    rater: str
    low: float
    high: float
    ratings: int
    aside: bool = False

    @property
    def order(self) -> tuple[bool, float]:
        """Key that tells scales apart as far as ratings can: if any is below 0, and up to 1, 10, 100 or beyond."""
        largest = max(abs(self.low), abs(self.high))
        return self.low < 0, next((top for top in (1.0, 10.0, 100.0) if largest <= top), math.inf)


class Gold(NamedTuple):
    """Number of human ratings that are what reviewers left of a judge's errors; of tables where ``judge`` is None.

    ``blind``: the reviewer marked errors of their own before they saw the judge's.
    """

    judge: str | None
    blind: bool
    ratings: int


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Metrics and humans in one table. ``left_out``: reason → how many scores are not in it.

    ``scales``: of every rater and name; ``gold``: where the human scores come from. ``settled``: what adjudications
    came to; none is a human score beside those that it settles, each can only stand for itself (`only_rater`).
    """

    rows: tuple[ScoreRow, ...]
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    scales: tuple[Scale, ...] = ()
    gold: tuple[Gold, ...] = ()
    settled: tuple[ScoreRow, ...] = ()

    @property
    def raters(self) -> tuple[str, ...]:
        """Names of those who gave human scores."""
        return tuple(sorted({row.metric for row in self.rows if row.human}))

    @property
    def adjudicators(self) -> tuple[str, ...]:
        """The layers that settled anything, by name."""
        return tuple(sorted({row.metric for row in self.settled}))

    def only_rater(self, name: str) -> ScoreTable:
        """Return the same with the ratings of one of them, or what one adjudication came to."""
        rows = (*self.rows, *self.settled)
        return replace(self, rows=tuple(row for row in rows if not row.human or row.metric == name), settled=())


def read_scores(
    connection: sqlite3.Connection,
    words: str = "",
    reviewer: str | None = None,
    judges: Collection[str] = (),
    part: Part = "total",
) -> ScoreTable:
    """Read Metric-S by every judge and signature and by their votes, the reviewers' scores, and the imported tables.

    ``words``: only scores in whose article, system, direction, domain, and judge (and state) or metric and rater every
    word occurs. ``reviewer``: only their ratings, or those of this name, are human scores. ``judges``: only metrics of
    these names, or of these judges. ``part``: a dimension's points instead of the total; tables have no dimensions, so
    they are absent then.

    A reviewer's score counts once the review is complete (`storage.analysis.review_data.COMPLETE`), of evaluations that
    were not chosen by doubt, under the weights of the whole Metric-S; that of a further layer only where it is the
    ``reviewer``.
    Samples of a judge are several rows of one metric. Ratings of tables that are on another scale than the reviews are
    set aside, for a mean of both would be nobody's score.
    """
    judged = _judged(connection, words, judges, part)
    reviewed = _reviewed(connection, words, reviewer, part)
    taken = frozenset(judged.metrics), bool(reviewed.rows)
    tables = _tables(connection, words, reviewer, judges, *taken) if part == "total" else NOTHING
    return ScoreTable(
        rows=(*judged.rows, *reviewed.rows, *tables.rows),
        metrics={**judged.metrics, **tables.metrics},
        left_out={**judged.left_out, **reviewed.left_out, **tables.left_out},
        scales=(*reviewed.scales, *tables.scales),
        gold=(*reviewed.gold, *tables.gold),
        settled=reviewed.settled,
    )


def read_score_files(
    paths: Sequence[Path], words: str = "", reviewer: str | None = None, judges: Collection[str] = ()
) -> tuple[ScoreTable, list[FileReport]]:
    """Read tables as `read_scores` would, were they imported into an empty library, and what became of their rows."""
    from sqlite_utils import Database

    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        schema.migrate(Database(connection))
        reports = [import_path(connection, path, format=SCORES) for path in paths]
        if any(report.stored for report in reports):
            require_names(connection, reviewer, judges)
        return read_scores(connection, words, reviewer, judges), reports


def require_names(connection: sqlite3.Connection, reviewer: str | None, judges: Collection[str]) -> None:
    """Raise StorageError where nobody rated under the name, or a judge or metric is not there: it says who is."""
    raters = {name for (name,) in connection.execute("SELECT DISTINCT reviewer FROM reviews")}
    metrics: dict[str, str] = {}
    for (judge,) in connection.execute("SELECT DISTINCT judge FROM evaluations"):
        metrics |= {judge.casefold(): judge, metric_name(judge).casefold(): judge}
    for metric, human, rater in connection.execute("SELECT DISTINCT metric, human, rater FROM scores"):
        if human:
            raters |= {metric, rater or metric}
        else:
            metrics |= {metric.casefold(): metric, f"{metric} (imported)".casefold(): metric}
    if reviewer is not None and reviewer not in raters:
        raise StorageError(f"nobody called {reviewer} has rated anything; there is {_named(raters)}")
    for name in judges:
        if re.sub(r" \[\d+\]$", "", name).casefold() not in metrics:
            raise StorageError(f"there is no judge or metric called {name}; there is {_named(metrics.values())}")


def _named(names: Iterable[str]) -> str:
    shown = sorted(set(names))
    return ", ".join(shown[:_NAMES_SHOWN]) + (" …" if len(shown) > _NAMES_SHOWN else "") or "nobody yet"


_NAMES_SHOWN = 20
NOTHING = ScoreTable(())


def _judged(connection: sqlite3.Connection, words: str, wanted: Collection[str], part: Part) -> ScoreTable:
    keys = dict(connection.execute("SELECT id, key FROM articles"))
    rows: list[ScoreRow] = []
    metrics: dict[str, Metric] = {}
    left_out: Counter[str] = Counter()
    groups = read_judged(connection, words)
    voting = [panel for panel in panels(connection, groups) if len(panel.names) > 1]
    for group in (*groups, *(together(connection, panel) for panel in voting)):
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
            if score is None and not group.members:
                left_out[_WHY_NO_SCORE.get(row.state, row.state)] += 1
            elif score is not None:
                rows.append(
                    ScoreRow(
                        metric=label,
                        system=row.system,
                        article=keys[row.article],
                        direction=row.direction,
                        score=score,
                        human=False,
                        domain=row.domain,
                    )
                )
    return ScoreTable(tuple(rows), metrics, left_out)


_WHY_NO_SCORE = {"judge_failed": "judge failed: no score is claimed", "no_translation": "no translation"}


def _reviewed(connection: sqlite3.Connection, words: str, reviewer: str | None, part: Part) -> ScoreTable:
    matching, values = words_clause(words)
    weights = cache(lambda signature: read_signature(connection, signature)[1])
    rows: list[ScoreRow] = []
    settled: list[ScoreRow] = []
    gold: Counter[tuple[str, bool]] = Counter()
    left_out: Counter[str] = Counter()
    for name, system, article, direction, domain, signature, judge, blind, at_random, *points in connection.execute(
        _reviews_sql(matching), (reviewer, reviewer, *values)
    ):
        if weights(signature) != METRIC_S:
            continue
        if not at_random:
            left_out[f"reviewers' scores {CHOSEN_BY_DOUBT}"] += 1
            continue
        row = ScoreRow(
            metric=name,
            system=system,
            article=article,
            direction=direction,
            score=points[PARTS.index(part)],
            human=True,
            domain=domain,
        )
        if reviewer is None and is_adjudicated(name):
            settled.append(row)
        else:
            rows.append(row)
            gold[judge, bool(blind)] += 1
    rated: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in rows:
        rated.setdefault(("", row.metric), []).append(row)
    from_reviews = tuple(Gold(judge, blind, n) for (judge, blind), n in sorted(gold.items()))
    return ScoreTable(
        rows=tuple(rows),
        metrics={},
        left_out=left_out,
        scales=_scales(rated),
        gold=from_reviews,
        settled=tuple(settled),
    )


def _scales(rated: Mapping[tuple[str, str], Sequence[ScoreRow]]) -> tuple[Scale, ...]:
    """The scale of each name and rater."""
    found = []
    for (name, rater), rows in sorted(rated.items()):
        scores = [row.score for row in rows]
        found.append(Scale(name, rater, min(scores), max(scores), len(scores)))
    return tuple(found)


_REVIEWS_ORDER = Scale("", "", 0, sum(METRIC_S.maxima.values()), 0).order


def _tables(
    connection: sqlite3.Connection,
    words: str,
    reviewer: str | None,
    wanted: Collection[str],
    taken: Collection[str],
    beside_reviews: bool,
) -> ScoreTable:
    matching, values = words_clause(words, _TABLE_WORDS)
    held = connection.execute(_tables_sql(matching), values).fetchall()
    singly = {_rated(*row) for row in held if row[6] and row[7]} if reviewer is None else set()
    means = 0
    spelt = {system_slug(name): name for (name,) in connection.execute("SELECT DISTINCT system FROM translations")}
    names: dict[str, str] = {}
    files = dict(connection.execute("SELECT id, file FROM imports"))
    rows: list[ScoreRow] = []
    rated: dict[tuple[str, str], list[ScoreRow]] = {}
    metrics: dict[str, Metric] = {}
    for each in held:
        metric, system, article, direction, domain, score, human, rater, source = each
        if human and not rater and _rated(*each) in singly:
            means += 1
            continue
        label = rater or metric if human else f"{metric} (imported)" if metric in taken else metric
        if human:
            if reviewer is not None and reviewer not in (rater, metric):
                continue
        elif wanted and not is_meant(wanted, label):
            continue
        elif files[source] not in metrics.setdefault(label, Metric()).files:
            metrics[label] = replace(metrics[label], files=(*metrics[label].files, files[source]))
        system = names.get(system) or names.setdefault(system, spelt.get(system_slug(system), system))
        row = ScoreRow(
            metric=label,
            system=system,
            article=article,
            direction=direction,
            score=score,
            human=bool(human),
            domain=domain,
        )
        (rated.setdefault((metric, label), []) if human else rows).append(row)
    scales = _scales(rated)
    if beside_reviews:
        scales = tuple(replace(scale, aside=scale.order != _REVIEWS_ORDER) for scale in scales)
    human_rows = [row for scale in scales if not scale.aside for row in rated[scale.name, scale.rater]]
    gold = (Gold(None, False, len(human_rows)),) if human_rows else ()
    left_out = {_MEANS: means} if means else {}
    return ScoreTable((*rows, *human_rows), metrics, left_out, scales=scales, gold=gold)


_MEANS = "of people together, whose ratings the same import holds one by one: counted once"


def _rated(metric: str, system: str, article: str, direction: str, *rest: Any) -> tuple[Any, ...]:
    """Return what a rating is of, and the import that it came by: one of “mqm.merged” is one of “mqm”."""
    return rest[-1], metric.casefold().partition(".")[0], system, article, direction


def _reviews_sql(matching: str) -> str:
    return f"""
SELECT r.reviewer, e.system, e.article, e.direction, e.domain, e.signature_id, e.judge, r.blind, {NOT_BY_DOUBT},
  r.total, r.accuracy, r.fluency, r.appropriateness
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE e.state = 'scored' AND {COMPLETE}
  AND (r.reviewer = ? OR ? IS NULL AND r.reviewer NOT GLOB '{layer_of("?*", "again")}') AND {matching}
ORDER BY e.position, r.reviewer
"""


_TABLE_WORDS = (
    "(s.article || ' ' || s.system || ' ' || s.direction || ' ' || s.domain || ' ' || s.metric || ' ' || s.rater)"
)


def _tables_sql(matching: str) -> str:
    """The scores imported last count, their mean where they are several; all of people without a name, each once."""
    return f"""
WITH s AS (
  SELECT v.*, rank() OVER (
    PARTITION BY metric, human, rater, direction, article, system ORDER BY i.at DESC, i.id DESC
  ) AS age
  FROM v_metric_scores v JOIN imports i ON i.id = v.import
)
SELECT metric, system, article, direction, max(domain), avg(score), human, rater, max(import)
FROM s WHERE (age = 1 OR human AND rater = '') AND {matching}
GROUP BY metric, human, rater, direction, article, system, CASE WHEN human AND rater = '' THEN score END
"""
