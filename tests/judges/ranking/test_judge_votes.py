"""Findings of several judges: which are the same error, how many votes each has, and scores weighed by vote shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize  # type: ignore[import-untyped]

from judges.consistency.spans import assign_few, overlaps
from judges.metric_s.scoring import METRIC_S, Weights, score
from judges.model import DIMENSIONS, SEVERITIES, Finding, Place, Severity
from judges.ranking.audit_estimate import centre
from judges.ranking.judge_votes import (
    NEVER_DIFFERS,
    ONE_SYSTEM,
    ONE_VOTE,
    LocatedFinding,
    effective_votes,
    group_findings,
    points_left,
)
from storage.analysis.judge_scores import read_judged
from storage.analysis.judge_votes import panels, votes_at
from storage.analysis.vote_scores import by_votes, together
from storage.db.connection import Connection
from storage.integrity.opening import open_library
from tests.support import builders

places = st.builds(
    lambda side, start, length: Place(side, start, start + length),
    st.sampled_from(["source", "translation"]),
    st.integers(0, 30),
    st.integers(0, 6),
)
findings = st.builds(
    LocatedFinding,
    st.lists(places, max_size=2).map(tuple),
    st.sampled_from(DIMENSIONS),
    st.sampled_from(["", "omission"]),
    st.none() | st.integers(1, 3),
    st.sampled_from(["", "the ferry is late", "the ferry is later", "a heron"]),
)
judges_ = st.lists(st.lists(findings, max_size=6), min_size=1, max_size=4)


def contents(judges: Sequence[Sequence[LocatedFinding]]) -> Counter[tuple[str, ...]]:
    """The groups by what was found, whoever found it."""
    groups = group_findings(judges)
    return Counter(tuple(sorted(str(judges[judge][place]) for judge, place in group)) for group in groups)


@given(judges_)
def test_every_finding_is_in_one_group_and_no_judge_twice_in_any(judges: list[list[LocatedFinding]]) -> None:
    groups = group_findings(judges)
    assert sorted(each for group in groups for each in group) == [
        (j, i) for j, of in enumerate(judges) for i in range(len(of))
    ]
    assert all(len({judge for judge, _ in group}) == len(group) for group in groups)


@given(judges_, st.randoms())
def test_the_order_of_judges_and_findings_changes_nothing(judges: list[list[LocatedFinding]], random: Random) -> None:
    other = [random.sample(of, len(of)) for of in random.sample(judges, len(judges))]
    assert contents(other) == contents(judges)


@given(st.lists(st.lists(places, max_size=3).map(tuple), max_size=5))
def test_overlaps_are_the_dice_coefficients_of_the_characters_marked(errors: list[tuple[Place, ...]]) -> None:
    marked = [{side: {c for s, *at in of if s == side for c in range(*at)} for side, *_ in of} for of in errors]
    wanted = {}
    for (i, a), (j, b) in combinations(enumerate(marked), 2):
        if both := sum(len(a[side] & b[side]) for side in a.keys() & b.keys()):
            wanted[i, j] = 2 * both / sum(len(a[side]) + len(b[side]) for side in a.keys() & b.keys())
    assert overlaps(errors) == pytest.approx(wanted)


@given(st.dictionaries(st.tuples(st.integers(0, 6), st.integers(0, 6)), st.integers(1, 9), max_size=12))
def test_few_pairs_are_assigned_for_the_highest_sum(worth: dict[tuple[int, int], float]) -> None:
    pairs = assign_few(worth)
    assert set(pairs) <= worth.keys()
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    whole = np.zeros((7, 7))
    for pair, each in worth.items():
        whole[pair] = each
    assert sum(worth[pair] for pair in pairs) == whole[optimize.linear_sum_assignment(-whole)].sum()


def can_match(finding: LocatedFinding) -> bool:
    """Whether anything is known of a finding by which to know it again."""
    return bool(finding.point is not None or finding.words or any(start < end for _, start, end in finding.places))


@given(st.lists(findings.filter(can_match), max_size=6), st.integers(1, 4))
def test_judges_that_say_the_same_find_the_same_errors(of: list[LocatedFinding], judges: int) -> None:
    groups = group_findings([of] * judges)
    assert [len(group) for group in groups] == [judges] * len(of)


def test_a_place_decides_then_the_dimension_and_a_rubric_point_only_by_its_number() -> None:
    here, there = Place("translation", 0, 10), Place("translation", 8, 20)
    one = [
        LocatedFinding((here,), "fluency"),
        LocatedFinding((here,), "accuracy"),
        LocatedFinding((there,), "accuracy", "", 2),
    ]
    two = [
        LocatedFinding((Place("source", 0, 10),), "fluency"),
        LocatedFinding((here,), "accuracy"),
        LocatedFinding((), "accuracy", "", 2),
    ]
    assert group_findings([one, two]) == [((0, 0),), ((0, 1), (1, 1)), ((0, 2), (1, 2)), ((1, 0),)]


def test_more_than_two_judges_join_the_closest_first() -> None:
    near, far = Place("translation", 0, 10), Place("translation", 6, 16)
    between = Place("translation", 2, 12)
    groups = group_findings(
        [
            [LocatedFinding((near,), "accuracy"), LocatedFinding((far,), "accuracy")],
            [LocatedFinding((between,), "accuracy")],
        ]
        * 1
    )
    assert groups == [((0, 0), (1, 0)), ((0, 1),)]


def test_what_is_nowhere_matches_by_its_words_within_dimension_and_category() -> None:
    says = "“变浅”译为“grows shallow”"
    one = [LocatedFinding((), "accuracy", "omission", None, says), LocatedFinding((), "fluency", "grammar", None, says)]
    two = [
        LocatedFinding((), "accuracy", "omission", None, says + "。"),
        LocatedFinding((), "fluency", "logic", None, says),
    ]
    placed = [LocatedFinding((Place("source", 1, 3),), "accuracy", "omission", None, says)]
    assert group_findings([one, two, placed]) == [((0, 0), (1, 0)), ((0, 1),), ((1, 1),), ((2, 0),)]


# Out of a library

JUDGES = ("kite", "osprey", "plover")
SYSTEMS = ("heron", "swift")


def error(number: int, severity: Severity = "major", judge: Any = "accuracy", words: str = "") -> Finding:
    return Finding(judge, number, words or chr(96 + number) * 9, "1", "omission", "漏译", severity, "普通")


def locate(connection: Connection) -> None:
    """Say that the findings of all evaluations were looked for, and are nowhere: then they match by their words."""
    connection.execute(
        "INSERT OR IGNORE INTO groundings SELECT id, 'given', '2026-05-04T12:00:00Z', '[]' FROM evaluations"
    )


def fill(connection: Connection, seed: int = 1, articles: int = 6, judges: Sequence[str] = JUDGES) -> None:
    """Let judges judge every translation; what they find is drawn."""
    drawn = Random(seed)
    for article in range(articles):
        for system in SYSTEMS:
            for judge in judges:
                of = drawn.sample(range(1, 10), drawn.randint(0, 9))
                severities: list[Severity] = drawn.choices(["minor", "major", "critical", "extremely_critical"], k=9)
                found = tuple(error(n, severities[n - 1], words="x" * n * n) for n in sorted(of))
                builders.add(connection, article=f"river-{article}", system=system, judge=judge, found=found)
    locate(connection)


def test_an_error_costs_its_vote_share(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "library.db")) as connection:
        fill(connection)
        groups = read_judged(connection)
        (panel,) = panels(connection, groups)
        board = together(connection, panel)
        costs = {
            row[0]: Fraction(row[1])
            for row in connection.execute(
                "SELECT f.evaluation_id, sum(CASE f.severity WHEN 'minor' THEN 2 WHEN 'major' THEN 5 WHEN 'critical' "
                "THEN 10 ELSE 50 END) FROM findings f WHERE f.kept GROUP BY 1"
            )
        }
        of: dict[tuple[str, str], list[str]] = {}
        for row in board.rows:
            of.setdefault((row.article, row.system), []).append(row.evaluation)
        own = {row.evaluation: (row.points or (0,))[0] or 0 for group in groups for row in group.rows}
        floored = 0
        for row in board.rows:
            three = of[row.article, row.system]
            left = max(0.0, float(60 - sum(costs.get(each, Fraction(0)) for each in three) / 3))
            assert row.points
            assert row.points[1] == pytest.approx(left)
            assert row.points[0] == pytest.approx(left + 40)
            lower = fmean(own[each] for each in three) - (left + 40)
            assert lower > -1e-9
            floored += lower > 1e-9
        assert floored  # a list below the floor makes the difference to a mean of scores
        assert board.judge == "votes of kite + osprey + plover"
        assert {member.judge for member in board.members} == set(JUDGES)


def test_one_judge_alone_keeps_its_scores_and_has_nothing_to_compare(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "library.db")) as connection:
        fill(connection, judges=["osprey"])
        (own,) = read_judged(connection)
        (board,) = by_votes(connection)
        assert board.rows == own.rows
        assert board.votes is not None
        assert board.votes.effective.votes.why == ONE_VOTE
        assert set(board.votes.errors) == {(1, 1)}
        assert votes_at(connection, own.rows[0].evaluation) == ({}, ())


def test_judges_that_say_the_same_have_whole_shares_and_one_effective_vote(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "library.db")) as connection:
        for judge in JUDGES:
            fill(connection, judges=[judge])
        own = {row.evaluation: row.points for group in read_judged(connection) for row in group.rows}
        (board,) = by_votes(connection)
        assert {row.evaluation: row.points for row in board.rows} == own
        assert board.votes is not None
        assert set(board.votes.errors) == {(3, 3)}
        assert board.votes.effective.votes.value == pytest.approx(1)
        assert board.votes.unplaced == board.votes.findings  # nothing was located: they match by their words


def test_who_failed_has_no_vote_and_a_failed_instruction_check_is_one(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "library.db")) as connection:
        builders.add(connection, judge="osprey", found=(error(1), error(2)))
        builders.add(connection, judge="kite", found=(error(1),))
        builders.add(connection, judge="plover", state="judge_failed", found=(error(1),))
        builders.add(connection, judge="gull", state="judge_failed", system="swift", found=())
        locate(connection)
        (board,) = by_votes(connection)
        assert board.votes is not None
        assert board.votes.errors == {(1, 2): 1, (2, 2): 1}
        assert board.votes.failed == 2
        assert {row.state: row.points for row in board.rows} == {"scored": (92.5, 52.5, 20, 20), "judge_failed": None}
        builders.add(connection, judge="tern", state="instruction_failed", found=())
        (board,) = by_votes(connection)
        third = round(20 - 20 / 3, 9)
        assert {row.points for row in board.rows if row.points} == {
            (round(35 + 2 * (20 - 20 / 3), 9), 35, third, third)
        }
        assert board.votes is not None
        assert board.votes.errors == {(1, 3): 1, (2, 3): 1}


@given(st.lists(st.tuples(st.sampled_from(DIMENSIONS), st.sampled_from(SEVERITIES)), max_size=20))
def test_whole_deductions_leave_what_the_metric_leaves(deductions: list[Any]) -> None:
    sums: Counter[Any] = Counter()
    for dimension, severity in deductions:
        sums[dimension] += METRIC_S.severities[severity]
    whole = score(deductions)
    assert points_left(sums) == (whole.total, whole.accuracy, whole.fluency, whole.appropriateness)


def test_a_dimension_that_is_not_judged_has_no_points() -> None:
    weights = Weights(maxima={"accuracy": 60, "fluency": 0, "appropriateness": 0})
    assert points_left({"accuracy": 7.5}, weights) == (52.5, 52.5, None, None)


# Effective votes


def totals(correlation: float, judges: int, articles: int = 400, systems: int = 6) -> Any:
    generator = np.random.default_rng(3)
    shared = generator.normal(size=(articles, systems)) * correlation**0.5
    own = generator.normal(size=(judges, articles, systems)) * (1 - correlation) ** 0.5
    hard, good = generator.normal(size=(articles, 1)) * 9, generator.normal(size=systems) * 9
    return shared + own + hard + good


@pytest.mark.parametrize(("correlation", "judges"), [(0.0, 3), (0.5, 2), (0.8, 5), (1.0, 4)])
def test_effective_votes_are_those_of_the_design_effect(correlation: float, judges: int) -> None:
    found = effective_votes(totals(correlation, judges))
    assert found.correlation.value == pytest.approx(correlation, abs=0.03)
    assert found.votes.value == pytest.approx(judges / (1 + (judges - 1) * correlation), rel=0.05)
    assert found.votes.n == 2400
    low, high = (found.votes.interval and found.votes.interval.ends) or (0.0, 0.0)
    assert low - 1e-9 <= (found.votes.value or 0) <= high + 1e-9


def test_the_correlation_is_that_of_centred_totals_whatever_the_order_of_the_judges() -> None:
    of = totals(0.4, 3, articles=8)
    a, b, c = (centre(each).ravel() for each in of)
    wanted = fmean(np.corrcoef(*pair)[0, 1] for pair in ((a, b), (a, c), (b, c)))
    assert effective_votes(of).correlation.value == pytest.approx(wanted)
    assert effective_votes(of[::-1]).votes.value == pytest.approx(effective_votes(of).votes.value)


def test_effective_votes_are_undefined_where_nothing_can_be_compared() -> None:
    of = totals(0.4, 2, articles=5)
    assert effective_votes(of[:1]).votes.why == ONE_VOTE
    assert effective_votes(of[:, :, :1]).votes.why == ONE_SYSTEM
    assert "articles" in effective_votes(of[:, :1]).votes.why
    flat: Any = np.array([of[0], np.full_like(of[0], 100.0)])
    assert effective_votes(flat).votes.why == NEVER_DIFFERS
    opposed = effective_votes([of[0], -of[0]])
    assert opposed.correlation.value == pytest.approx(-1)
    assert opposed.votes.value == 2  # no more than there are


def test_translations_whose_findings_are_not_located_are_left_out_of_the_count_alone(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "library.db")) as connection:
        fill(connection)
        (before,) = by_votes(connection)
        late = builders.add(connection, article="river-0", system="heron", judge="tern", found=(error(1),))
        (board,) = by_votes(connection)
        assert before.votes
        assert board.votes
        assert (before.votes.unlocated, board.votes.unlocated) == (0, 1)
        assert sum(board.votes.errors.values()) < sum(before.votes.errors.values())
        assert votes_at(connection, late)[0] == {}
        locate(connection)
        (board,) = by_votes(connection)
        assert board.votes
        assert board.votes.unlocated == 0
        assert late in {row.evaluation for row in board.rows}
