"""Scores and labels of a library for the alternative annotator test: whether a judge can stand in for people."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from judges.consistency.documents import PARTS, Part
from judges.consistency.records import BlindAnnotation, FindingTable, Key
from judges.consistency.stand_in import StandIn, blind_tests, finding_tests, score_tests
from judges.meta_eval.alternative_annotator import EXPERTISE, LEAST_ITEMS, RATE
from storage.analysis.metric_scores import ScoreTable
from storage.analysis.rating_scales import Scale
from storage.analysis.review_data import metric_name


@dataclass(frozen=True, slots=True)
class StandInReport:
    """Every test of every candidate. ``epsilon``: how far one may fall behind; ``least``: items of a person that it
    takes; ``rate``: of false discoveries, over the people of one test.
    """

    tests: tuple[StandIn, ...]
    epsilon: float
    least: int = LEAST_ITEMS
    rate: float = RATE


def stand_in_by_scores(read: Callable[[Part], ScoreTable], epsilon: float = EXPERTISE["expert"]) -> StandInReport:
    """Test every metric on the totals and on each dimension; ``read`` gives the scores of a part."""
    found: list[StandIn] = []
    for part in PARTS:
        table = read(part)
        if table.unchosen:
            metrics = sorted({row.metric for row in table.rows if not row.human})
            found += [StandIn(metric, "scores", part, None, table.unchosen) for metric in metrics]
            continue
        found += score_tests(table.rows, part, epsilon, _on_another_scale(table))
    return StandInReport(tuple(found), epsilon)


def stand_in_report(
    connection: sqlite3.Connection,
    read: Callable[[Part], ScoreTable],
    findings: FindingTable,
    markings: Sequence[BlindAnnotation],
    epsilon: float = EXPERTISE["expert"],
) -> StandInReport:
    """Test every judge on the labels of its findings too, as reviewers left them, and of errors marked blind."""
    scores = stand_in_by_scores(read, epsilon)
    evaluations = sorted({str(evaluation) for marking in markings for evaluation in marking.judges})
    judge_of: dict[Key, str] = dict(connection.execute(_JUDGES, (json.dumps(evaluations),)))
    of_labels = (*finding_tests(findings, epsilon), *blind_tests(markings, judge_of, epsilon))
    named = (replace(each, candidate=metric_name(each.candidate)) for each in of_labels)
    return StandInReport((*scores.tests, *named), epsilon)


def _on_another_scale(table: ScoreTable) -> list[str]:
    """Return the metrics that cannot be on the scale of people's ratings, as far as the numbers tell.

    A judge's scores are on the scale of the reviews that were made of its errors.
    """
    reviews = any(gold.judge is not None for gold in table.gold)
    if reviews and all(metric.judge is not None for metric in table.metrics.values()):
        return []
    people = _scale([row.score for row in table.rows if row.human])
    found = []
    for name, metric in table.metrics.items():
        if metric.judge is not None and reviews:
            continue
        own = _scale([row.score for row in table.rows if not row.human and row.metric == name])
        if own and people and own.order != people.order:
            found.append(name)
    return found


def _scale(scores: Sequence[float]) -> Scale | None:
    return Scale("", "", min(scores), max(scores), len(scores)) if scores else None


_JUDGES = "SELECT e.id, e.judge FROM json_each(?) chosen JOIN evaluations e ON e.id = chosen.value"
