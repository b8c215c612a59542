"""Audits that tables of scores hold: any metric's scores of many articles, and people's of some of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from judges.meta_eval.score_table import ScoreRow, human_scores
from judges.metric_s.scoring import METRIC_S
from storage.analysis.audit.audit import Audit, AuditedArticle, Lacking, with_same_systems
from storage.analysis.judge_scores import JudgedRows
from storage.analysis.metric_scores import ScoreTable
from storage.base.errors import StorageError

Cells = Mapping[str, list[float]]
"""System → its scores, of which the mean counts."""


def audits_of_scores(table: ScoreTable) -> list[Audit]:
    """Return the audits of each metric, in the order of their names; directions with the same systems together.

    An article is audited where people scored every system's translation; whether its auditors chose it, or saw the
    metric's scores first, nobody but who made the table can say. Raises StorageError where ratings are on several
    scales and none was chosen.
    """
    if table.unchosen:
        raise StorageError(table.unchosen)
    people: dict[tuple[str, str], dict[str, list[float]]] = {}
    for (direction, article, system), score in human_scores(row for row in table.rows if row.human).items():
        people.setdefault((direction, article), {})[system] = [score]
    raters: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in table.rows:
        if row.human:
            raters[row.direction, row.article].add(row.metric)
    found = []
    for metric in sorted({row.metric for row in table.rows if not row.human}):
        judged = _by_article(row for row in table.rows if not row.human and row.metric == metric)
        systems: defaultdict[str, set[str]] = defaultdict(set)
        for (direction, _), cells in judged.items():
            systems[direction] |= cells.keys()
        parts = with_same_systems(systems)
        for directions in parts:
            of = {article: cells for article, cells in judged.items() if article[0] in directions}
            found.append(replace(_audit(metric, of, people, raters), divided=len(parts) > 1))
    return found


def _by_article(rows: Iterable[ScoreRow]) -> dict[tuple[str, str], dict[str, list[float]]]:
    """(direction, article) → its cells, in order."""
    cells: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in rows:
        cells.setdefault((row.direction, row.article), {}).setdefault(row.system, []).append(row.score)
    return dict(sorted(cells.items()))


def _audit(
    metric: str,
    judged: Mapping[tuple[str, str], Cells],
    people: Mapping[tuple[str, str], Cells],
    raters: Mapping[tuple[str, str], set[str]],
) -> Audit:
    systems = tuple(sorted({system for cells in judged.values() for system in cells}))
    keys, directions, judge, audits = {}, {}, {}, {}
    left_out, incomplete = [], []
    for (direction, key), cells in judged.items():
        identity = f"{direction} {key}"
        keys[identity], directions[identity] = key, direction
        if lacking := _lacking(systems, cells, "no score"):
            left_out.append(Lacking(key, direction, lacking))
            continue
        judge[identity] = _means(systems, cells)
        rated = people.get((direction, key))
        if rated is None:
            continue
        if lacking := _lacking(systems, rated, "no score by people"):
            incomplete.append(Lacking(key, direction, lacking))
        else:
            who = tuple(sorted(raters[direction, key]))
            audits[identity] = AuditedArticle(identity, _means(systems, rated), who, drawn=None, blind=None)
    there = {direction for direction, _ in judged}
    for direction, key in people:
        if direction in there and (direction, key) not in judged:
            left_out.append(Lacking(key, direction, ("no score by the metric",)))
    unscored: defaultdict[str, set[str]] = defaultdict(set)
    for (direction, _), rated in people.items():
        for system in rated.keys() - set(systems) if direction in there else ():
            unscored[system].add(direction)
    of = JudgedRows(judge=metric, signatures=(), weights=METRIC_S, rows=(), superseded=0, passed_over=0)
    return Audit(
        of=of,
        systems=systems,
        keys=keys,
        directions=directions,
        judge=judge,
        audits=audits,
        incomplete=tuple(incomplete),
        left_out=tuple(left_out),
        tables=True,
        unscored={system: frozenset(of) for system, of in sorted(unscored.items())},
    )


def _lacking(systems: Sequence[str], cells: Cells, what: str) -> tuple[str, ...]:
    return tuple(f"{system}: {what}" for system in systems if system not in cells)


def _means(systems: Sequence[str], cells: Cells) -> tuple[float, ...]:
    return tuple(fmean(cells[system]) for system in systems)
