"""Scores and rubric answers by judge, read out of the library to tell if it makes a good test: for each its scores and
its verdicts on rubric points, people's word in their place where that is asked for."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from judges.benchmark.quality.benchmark_quality import BenchmarkQuality, Cell, benchmark_quality
from judges.metric_s.human_score import POINT_MET
from judges.model import EvaluationState
from judges.ranking.ranking import JudgedTranslation
from judges.stats.resampling import RESAMPLES, SEED
from storage.analysis.judge_scores import JudgedRows, read_judged
from storage.analysis.judged_segments import READ_NOTHING
from storage.analysis.review_data import CHOSEN, COMPLETE

WHY: Mapping[EvaluationState, str] = {
    "judge_failed": "judge failed",
    "no_translation": "no translation",
    "not_judged": READ_NOTHING,
}

_Said = dict[str, dict[int, bool | None]]
"""Evaluation → number of a point → whether the translation fails it; None: not known."""


@dataclass(frozen=True, slots=True)
class BenchmarkTest:
    """Quality of the test by one judge's scores. ``maximum``: the points a translation can get.

    ``by_people``: translations whose score is people's; None where the judge's were asked for.
    """

    of: JudgedRows
    maximum: int
    by_people: int | None
    examined: BenchmarkQuality


def benchmark_tests(
    connection: sqlite3.Connection,
    words: str = "",
    *,
    people: bool = False,
    reviewer: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[BenchmarkTest]:
    """Examine what the words leave (as `read_judged` does), for each judge's signature by itself.

    ``people``: where people, or the one ``reviewer``, are done with a translation, their score and what they say of
    points count instead of the judge's.
    """
    return [
        _test(connection, group=group, people=people, reviewer=reviewer, resamples=resamples, seed=seed)
        for group in read_judged(connection, words, reviewer)
    ]


def _test(
    connection: sqlite3.Connection, group: JudgedRows, people: bool, reviewer: str | None, resamples: int, seed: int
) -> BenchmarkTest:
    maximum = sum(group.weights.maxima.values())
    names = _names(connection, group.rows)
    failed = _failed(connection, group.rows, people, reviewer)
    by_cell: defaultdict[tuple[str, str], list[JudgedTranslation]] = defaultdict(list)
    for row in group.rows:
        by_cell[names[row.article], row.system].append(row)
    cells = [_cell(*place, rows, failed, people) for place, rows in by_cell.items()]
    by_people = sum(any(row.human for row in rows) for rows in by_cell.values()) if people else None
    return BenchmarkTest(group, maximum, by_people, benchmark_quality(cells, maximum, resamples, seed))


def _cell(article: str, system: str, rows: Sequence[JudgedTranslation], failed: _Said, people: bool) -> Cell:
    """The samples of one translation together."""
    scores = [points[0] for row in rows if (points := (people and row.human) or row.points) and points[0] is not None]
    why = next((WHY.get(row.state, row.state) for row in rows), "")
    said: defaultdict[int, list[bool]] = defaultdict(list)
    for row in rows:
        for point, fails in failed.get(row.evaluation, {}).items():
            said[point] += [] if fails is None else [fails]
    shares = {point: sum(of) / len(of) if of else None for point, of in said.items()}
    return Cell(article, system, fmean(scores) if scores else None, "" if scores else why, shares)


def _names(connection: sqlite3.Connection, rows: Sequence[JudgedTranslation]) -> dict[str, str]:
    """Return the name of each article: its key, with its id where several have that, as versions of a candidate do."""
    keys = dict(connection.execute("SELECT id, key FROM articles"))
    used = {row.article for row in rows}
    of_key = Counter(keys[identity] for identity in used)
    return {
        identity: key if of_key[key := keys[identity]] == 1 else f"{key} [{identity[:8]}]" for identity in sorted(used)
    }


def _failed(
    connection: sqlite3.Connection, rows: Sequence[JudgedTranslation], people: bool, reviewer: str | None
) -> _Said:
    """Return what is known of every rubric point of the articles. No translation of the whole text fails them all."""
    used = json.dumps(sorted({row.article for row in rows}))
    points: defaultdict[str, list[int]] = defaultdict(list)
    for article, number in connection.execute(_POINTS, (used,)):
        points[article].append(number)
    found: _Said = {
        row.evaluation: dict.fromkeys(points[row.article], True if row.state == "instruction_failed" else None)
        for row in rows
    }
    ids = json.dumps([row.evaluation for row in rows if row.state != "instruction_failed"])
    for evaluation, point, met in connection.execute(_VERDICTS, (ids,)):
        if point in found[evaluation]:
            found[evaluation][point] = not met
    if people:
        for evaluation, point, decision in connection.execute(_SAID, (ids, reviewer, reviewer) * 2):
            if point in found[evaluation] and decision in POINT_MET:
                found[evaluation][point] = not POINT_MET[decision]
    return found


_POINTS = "SELECT article_id, number FROM rubric_points WHERE article_id IN (SELECT value FROM json_each(?))"
_VERDICTS = """
SELECT evaluation_id, point, min(met) FROM rubric_verdicts
WHERE evaluation_id IN (SELECT value FROM json_each(?)) AND met IS NOT NULL GROUP BY evaluation_id, point
"""
"""A point that the judge speaks of twice is met if it says so both times."""


def _reviewed_sql(verdicts: str) -> str:
    return f"""
JOIN evaluations e ON e.id = {verdicts}.evaluation_id AND e.id IN (SELECT value FROM json_each(?))
JOIN reviews r ON r.evaluation_id = e.id AND r.reviewer = {verdicts}.reviewer WHERE {COMPLETE} AND {CHOSEN}
"""


_SAID = f"""
SELECT evaluation_id, point, decision FROM (
  SELECT v.evaluation_id, f.rubric_point AS point, v.decision, v.counter, v.at FROM verdicts v
  JOIN findings f ON f.evaluation_id = v.evaluation_id AND f.id = v.finding_id AND f.rubric_point IS NOT NULL
  {_reviewed_sql("v")}
  UNION ALL SELECT p.evaluation_id, p.point, p.decision, p.counter, p.at FROM point_verdicts p {_reviewed_sql("p")}
) ORDER BY counter, at
"""
"""Whoever said so last counts."""
