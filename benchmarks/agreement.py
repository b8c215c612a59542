"""Cost of the consistency figures, each against a plain reading of its definition on the same scores in one run."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import combinations
from math import isclose
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figure, figure
from benchmarks.generate import write_folder
from benchmarks.library import EVALUATIONS, FINDINGS
from benchmarks.process import python, python_from_small
from judges.consistency.error_slices import Tallies
from judges.meta_eval.pair_counts import PairCounts, calibrate, tally
from judges.meta_eval.pairwise import pairwise
from judges.meta_eval.score_table import ScoreRow, comparable
from judges.metric_s.human_score import Work, human_score
from judges.metric_s.scoring import METRIC_S
from judges.model import LEVELS
from judges.stats.kappa import krippendorff_alpha
from storage.analysis.error_slices import latest_act, read_tallies, touched_since
from storage.db.connection import Connection, transaction
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import findings_of, verdicts_of

SYSTEMS, ARTICLES = 16, 500
"""About as many as in a shared task."""
RATERS, UNITS = 8, 3_770
REVIEWERS = ("ada", "bo", "cy")

Table = Sequence[Sequence[float]]
"""Scores by article, then by system."""
Result = TypeVar("Result")


def _timed(act: Callable[[], Result], repeats: int) -> tuple[float, Result]:
    """The least CPU milliseconds of an act, and what it returns."""
    spent = []
    for _ in range(repeats):
        started = process_time()
        result = act()
        spent.append((process_time() - started) * 1000)
    return min(spent), result


Kinds = list[int]
"""Pairs of an item that are concordant, discordant, tied by the human only, by the metric only, by both."""


def _kind(difference: float, seen: float) -> int:
    if difference == 0:
        return 4 if seen == 0 else 2
    if seen == 0:
        return 3
    return 0 if (difference > 0) == (seen > 0) else 1


def _acc_eq(kinds: Kinds) -> float:
    return (kinds[0] + kinds[4]) / sum(kinds)


def plain_acc_eq(human: Table, metric: Table) -> float:
    """Pairwise accuracy with ties as mt-metrics-eval defines it: the five kinds of pair item by item, then the mean."""
    found = []
    for h, m in zip(human, metric, strict=True):
        kinds = [0] * 5
        for i, j in combinations(range(len(h)), 2):
            kinds[_kind(h[i] - h[j], m[i] - m[j])] += 1
        found.append(_acc_eq(kinds))
    return sum(found) / len(found)


def plain_calibrated(human: Table, metric: Table) -> tuple[float, float]:
    """The best accuracy and its ε as mt-metrics-eval searches it: tie one pair after another, the closest first."""
    items: list[Kinds] = []
    ranked = []
    for item, (h, m) in enumerate(zip(human, metric, strict=True)):
        items.append([0] * 5)
        for i, j in combinations(range(len(h)), 2):
            difference, seen = h[i] - h[j], m[i] - m[j]
            items[item][_kind(difference, seen)] += 1
            ranked.append((abs(seen), item, _kind(difference, seen), _kind(difference, 0)))
    ranked.sort()
    accuracy = sum(map(_acc_eq, items))
    tried = {0.0: accuracy}
    for epsilon, item, kind, tied in ranked:
        accuracy -= _acc_eq(items[item])
        items[item][kind] -= 1
        items[item][tied] += 1
        accuracy += _acc_eq(items[item])
        tried[epsilon] = accuracy
    best = max(tried, key=lambda epsilon: (round(tried[epsilon], 6), -epsilon))
    return tried[best] / len(items), best


def _pairwise() -> list[Figure]:
    chance = np.random.default_rng(1)
    human = chance.integers(0, 101, (SYSTEMS, ARTICLES)).astype(float)
    human[chance.random(human.shape) < 0.3] = 100  # perfect translations make ties
    metric = (human / 2 + chance.integers(0, 60, human.shape)).round()
    lists = human.T.tolist(), metric.T.tolist()

    plain, expected = _timed(lambda: plain_acc_eq(*lists), 5)
    ours, counts = _timed(lambda: PairCounts.of(tally(comparable(human), comparable(metric))), 50)
    assert isclose(counts.rule("acc_eq").value or 0, expected)
    plain_best, expected_best = _timed(lambda: plain_calibrated(*lists), 5)
    ours_best, best = _timed(lambda: calibrate(comparable(human), comparable(metric)), 50)
    assert isclose(best.figure.value or 0, expected_best[0])
    assert best.epsilon == expected_best[1]
    size = f"{SYSTEMS} systems × {ARTICLES} articles"
    return [
        figure(f"acc_eq, {size}", ours, "ms CPU"),
        figure("acc_eq, a plain loop's time to it", plain / ours, "×", "≥ 50"),
        figure(f"acc_eq calibrated, {size}", ours_best, "ms CPU"),
        figure("acc_eq calibrated, a plain loop's time to it", plain_best / ours_best, "×", "≥ 20"),
    ]


def _bootstrap() -> list[Figure]:
    chance = np.random.default_rng(2)
    scores = chance.integers(0, 101, (2, 5, 100)).tolist()
    rows = [
        ScoreRow(name, f"s{system}", f"{article}", "zh-en", score, human)
        for name, human, layer in zip(("ann", "m"), (True, False), scores, strict=True)
        for system, row in enumerate(layer)
        for article, score in enumerate(row)
    ]
    spent, _ = _timed(lambda: pairwise(rows, 1000), 20)
    return [figure("1,000 resamples of 5 systems × 100 articles, all figures", spent, "ms CPU", "≤ 50")]


def ratings(decimals: int) -> NDArray[np.float64]:
    """Interval ratings (raters × units) with gaps, as many as the largest sets of direct assessments have."""
    chance = np.random.default_rng(3)
    rated = (chance.normal(70, 15, UNITS) + chance.normal(0, 8, (RATERS, UNITS))).round(decimals)
    rated[chance.random(rated.shape) < 0.2] = np.nan
    return rated


def _alpha() -> list[Figure]:
    import krippendorff

    # The package makes a matrix of values × values for each unit: with more decimals it would take hundreds of GB.
    rated = ratings(0)
    theirs, expected = _timed(lambda: krippendorff.alpha(rated, level_of_measurement="interval"), 2)
    ours, alpha = _timed(lambda: krippendorff_alpha(rated, "interval"), 50)
    assert isclose(alpha.value or 0, expected)
    program = "import benchmarks.agreement as b; b.krippendorff_alpha(b.ratings(6), 'interval')"
    peak = python_from_small("-c", program).peak
    size = f"{UNITS:,} × {RATERS} interval ratings"
    return [
        figure(f"Krippendorff's alpha, {size}", ours, "ms CPU"),
        figure("Krippendorff's alpha, the krippendorff package's time to it", theirs / ours, "×", "≥ 20"),
        figure("Krippendorff's alpha, memory of the process", peak, "MB", "≤ 300"),
    ]


def review(connection: Connection) -> int:
    """Let every reviewer decide every finding of the scored evaluations, most as the judge has it; return how many.

    Written where the log would bring them, without the log: a third of a million events are another figure.
    """
    chance = random.Random(4)
    with transaction(connection):
        for identity in [row[0] for row in connection.execute("SELECT id FROM evaluations WHERE state = 'scored'")]:
            findings = findings_of(connection, identity)
            for reviewer in REVIEWERS:
                said = ((identity, reviewer, each, *_verdict(chance)) for each in findings)
                connection.executemany(
                    "INSERT INTO verdicts (evaluation_id, reviewer, finding_id, decision, dimension, severity, at) "
                    "VALUES (?, ?, ?, ?, ?, ?, '2026-03-02T09:15:04.000000Z')",
                    said,
                )
                human = human_score("scored", findings, Work(verdicts_of(connection, identity, reviewer)), METRIC_S)
                assert human is not None
                connection.execute(
                    "INSERT INTO reviews (evaluation_id, reviewer, state, decided, unsure, accuracy, fluency, "
                    "appropriateness, total, at) "
                    "VALUES (?, ?, 'done', ?, 0, ?, ?, ?, ?, '2026-03-02T09:15:04.000000Z')",
                    (
                        identity,
                        reviewer,
                        len(findings),
                        human.accuracy,
                        human.fluency,
                        human.appropriateness,
                        human.total,
                    ),
                )
    return int(connection.execute("SELECT count(*) FROM verdicts").fetchone()[0])


def _verdict(chance: random.Random) -> tuple[str, str | None, str | None]:
    """Decision, and the dimension or severity that it changes to."""
    decision = chance.choices(("agree", "not_an_error", "duplicate", "reattribute", "override"), (80, 8, 3, 4, 5))[0]
    match decision:
        case "reattribute":
            return decision, chance.choice(("fluency", "appropriateness")), None
        case "override":
            return decision, None, chance.choice(LEVELS["accuracy"])
    return decision, None, None


def _report() -> list[Figure]:
    with TemporaryDirectory(prefix="discox-bench-") as name:
        database = Path(name, "full.db")
        write_folder(Path(name, "full"), EVALUATIONS, FINDINGS)
        python("-m", "discox_tui", "import", "--no-ground", "--db", database, Path(name, "full"))
        with closing(open_library(database)) as connection:
            verdicts = review(connection)
            updated, anew = _after_one_verdict(connection)
        command = ("-m", "discox_tui", "consistency", "--json", "--db", database)
        spent = [python_from_small(*command) for _ in range(6)][1:]
    size = f"{EVALUATIONS:,} evaluations, {verdicts:,} verdicts"
    return [
        figure(f"consistency --json, {size}", median(each.wall for each in spent), "s", "≤ 2"),
        figure("… CPU", median(each.cpu for each in spent), "s CPU"),
        figure("… memory of the process", max(each.peak for each in spent), "MB", "≤ 300"),
        figure(f"after one verdict of {verdicts:,}: counts, weak spots", updated, "ms CPU", "≤ 5"),
        figure("… counting all anew, to it", anew / updated, "×", "≥ 100"),
    ]


def _after_one_verdict(connection: Connection) -> tuple[float, float]:
    """CPU milliseconds to bring the screen's counts up to date, the median of many verdicts, and to count all anew."""
    reviewer = REVIEWERS[0]
    log, chance, spent = ReviewLog(connection, reviewer), random.Random(5), list[float]()
    tallies = Tallies(read_tallies(connection))
    _counted(tallies)
    opened = [row[0] for row in connection.execute("SELECT id FROM evaluations WHERE state = 'scored' AND errors > 0")]
    for evaluation in chance.sample(opened, 50):
        before = latest_act(connection, reviewer)
        log.decide(evaluation, next(iter(findings_of(connection, evaluation))), decision="not_an_error")

        def update(before: int = before) -> object:
            for touched in read_tallies(connection, "", touched_since(connection, reviewer, before)):
                tallies.put(touched.evaluation, touched)
            return _counted(tallies)

        milliseconds, found = _timed(update, 1)
        spent.append(milliseconds)
    anew, expected = _timed(lambda: _counted(Tallies(read_tallies(connection))), 3)
    assert found == expected
    return median(spent), anew


def _counted(tallies: Tallies) -> object:
    return tallies.counts, tallies.attribution(), tallies.severity(), tallies.weak_spots()


def measure() -> list[Figure]:
    """Measure every figure that a speed is promised for; what is compared must come to the same."""
    return [*_pairwise(), *_bootstrap(), *_alpha(), *_report()]
