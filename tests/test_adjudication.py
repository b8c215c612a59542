"""Adjudication: what reviewers disagree about is found, whatever it is of, and one key settles it in a layer apart."""

from __future__ import annotations

import itertools
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.screens.adjudication import AdjudicationScreen
from discox_tui.screens.queue import QueueScreen
from discox_tui.screens.review import ReviewScreen
from judges.agreement.disagreements import compare
from judges.metric_s.reviewing import Work
from judges.model import MarkedError, Place, PointVerdict, Verdict
from storage.connection import open_database
from storage.disagreements import Adjudication, read_disagreements
from storage.review_log import ReviewLog, read_work, rebuild

from . import builders
from .driving import SMALL, WIDE, opened
from .tables import dump

HER = "mei:adjudicated"


@pytest.fixture
def disputed(tmp_path: Path) -> Path:
    """Two evaluations; of the first two reviewers say different things of a finding, a point and a missed error."""
    path = tmp_path / "disputed.db"
    connection, (first, second) = builders.two_evaluations(path)
    with closing(connection):
        findings = [f for (f,) in connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (first,))]
        for name in ("lin", "okafor"):
            log = ReviewLog(connection, name)
            log.open(first)
            for finding in findings:
                log.decide(first, finding, decision="agree")
            log.set_review(first, state="done", search="done")
            log.open(second)
        lin, okafor = ReviewLog(connection, "lin"), ReviewLog(connection, "okafor")
        okafor.decide(first, findings[0], decision="not_an_error", note="a fixed term [b]\x1b[31m")
        lin.set_point(first, 7, decision="violated")
        okafor.set_point(first, 7, decision="met")
        lin.mark(first, dimension="accuracy", category="omission", severity="critical", spans=[["source", 0, 4]])
        okafor.mark(first, dimension="fluency", category="grammar", severity="minor", spans=[["translation", 4, 9]])
        lin.mark(first, dimension="fluency", category="grammar", severity="minor", spans=[["translation", 5, 9]])
    return path


def test_disagreements_of_every_kind_are_found(disputed: Path) -> None:
    with closing(open_database(disputed)) as connection:
        found = read_disagreements(connection, "mei")
        assert [(d.compared.kind, d.number, d.settled) for d in found] == [
            ("finding", 1, False),
            ("point", None, False),
            ("error", None, False),
        ]
        assert found[2].compared.said["okafor"] is None, "she searched, and marked nothing there"
        assert read_disagreements(connection, "mei", "system-1") == []
        assert len(read_disagreements(connection, "mei", "system-0 river")) == 3
        # Whoever is in the midst of reviewing it herself, or must not see the judge yet, is not shown what others said.
        log = ReviewLog(connection, "mei")
        log.open(found[0].evaluation, hidden=True)
        assert read_disagreements(connection, "mei") == []


def test_what_is_settled_goes_to_a_layer_of_its_own_and_can_be_undone(disputed: Path) -> None:
    with closing(open_database(disputed)) as connection:
        hand = Adjudication(connection, "mei")
        before = {
            name: read_work(connection, row, name) for name in ("lin", "okafor") for row in hand_evaluations(connection)
        }
        for row in read_disagreements(connection, "mei"):
            hand.settle(row.evaluation, row.compared, row.compared.said["okafor"])
        assert all(row.settled for row in read_disagreements(connection, "mei"))
        hand.log.undo()
        assert [row.settled for row in read_disagreements(connection, "mei")] == [True, True, False]
        hand.log.redo()
        evaluation = read_disagreements(connection, "mei")[0].evaluation
        assert hand.finish(evaluation) > 0
        work = read_work(connection, evaluation, HER)
        assert [v.decision for v in work.verdicts.values()].count("not_an_error") == 1
        assert len(work.verdicts) == 6
        assert [error.dimension for error in work.errors.values()] == ["fluency"]
        assert work.points[7].decision == "met"
        assert work.search_done
        # Another word, given later, holds instead.
        (error,) = (row for row in read_disagreements(connection, "mei") if row.compared.kind == "error")
        hand.settle(evaluation, error.compared, error.compared.said["lin"])
        assert {e.dimension for e in read_work(connection, evaluation, HER).errors.values()} == {"fluency", "accuracy"}
        hand.settle(evaluation, error.compared, None)
        assert {e.dimension for e in read_work(connection, evaluation, HER).errors.values()} == {"fluency"}
        assert before == {
            name: read_work(connection, row, name) for name in ("lin", "okafor") for row in hand_evaluations(connection)
        }
        derived = dump(disputed)
        rebuild(connection)
        assert dump(disputed) == derived


def hand_evaluations(connection: Any) -> list[str]:
    return [row[0] for row in connection.execute("SELECT id FROM evaluations ORDER BY position LIMIT 1")]


async def test_one_key_settles_each_and_one_ends_the_evaluation(disputed: Path) -> None:
    async with opened(disputed, size=WIDE) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        assert "0 of 3 settled" in driver.text
        assert "a fixed term [b]␛[31m" in driver.text
        await driver.press("f")
        assert "not settled yet" in driver.text
        await driver.press("4")
        assert "Only 2 reviewers" in driver.text
        await driver.press("2", "1", "2")
        assert "3 of 3 settled" in driver.text
        await driver.press("u")
        assert "2 of 3 settled" in driver.text
        await driver.press("r", "f")
        assert "is settled" in driver.text
    with closing(open_database(disputed)) as connection:
        row = connection.execute("SELECT state, search, decided FROM reviews WHERE reviewer = ?", (HER,)).fetchone()
        assert row == ("done", "done", 5)


async def test_a_word_of_ones_own_is_given_in_the_review(disputed: Path) -> None:
    async with opened(disputed, size=SMALL) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        await driver.press("o")
        await driver.on(ReviewScreen)
        await driver.press("s", "2", "escape")
        await driver.on(AdjudicationScreen)
        assert "1 of 3 settled" in driver.text
    with closing(open_database(disputed)) as connection:
        assert connection.execute("SELECT reviewer, severity FROM verdicts WHERE decision = 'override'").fetchall() == [
            (HER, "critical")
        ]


def test_saying_the_same_in_other_ways_is_agreeing() -> None:
    finding = builders.findings()[0]
    said = [
        Verdict("agree"),
        Verdict("override", severity="major"),
        Verdict("agree", note="!"),
        Verdict("agree", invented=True),
    ]
    works = {str(number): Work({"f": verdict}) for number, verdict in enumerate(said)}
    assert [each.agreed for each in compare({"f": finding}, works)] == [True]
    moved = [Verdict("reattribute", dimension="fluency"), Verdict("reattribute", "minor", None, "fluency")]
    assert compare({"f": finding}, {str(n): Work({"f": v}) for n, v in enumerate(moved)})[0].agreed
    for other in (Verdict("not_an_error"), Verdict("override", "critical"), Verdict("duplicate", duplicate_of="g")):
        assert not compare({"f": finding}, {"a": Work({"f": said[0]}), "b": Work({"f": other})})[0].agreed
    for nothing in (Verdict("unsure"), Verdict(note="?")):
        assert compare({"f": finding}, {"a": Work({"f": said[0]}), "b": Work({"f": nothing})}) == []


places = st.tuples(st.integers(0, 30), st.integers(1, 6)).map(lambda p: (Place("source", p[0], p[0] + p[1]),))
works = st.lists(places, max_size=5).map(
    lambda spans: {str(i): MarkedError(str(i), "accuracy", "omission", "major", s) for i, s in enumerate(spans)}
)


@given(st.lists(works, min_size=2, max_size=4))
def test_every_marked_error_is_in_one_group_with_one_of_each_reviewer(marked: list[dict[str, MarkedError]]) -> None:
    layers = {
        f"r{number}": Work(errors={f"{number}-{k}": MarkedError(f"{number}-{k}", e.dimension, e.category, e.severity, e.spans)
                                   for k, e in errors.items()}, search_done=True, points={1: PointVerdict("met")})
        for number, errors in enumerate(marked)
    }  # fmt: skip
    found = compare({}, layers)
    errors = [each for each in found if each.kind == "error"]
    ids = [identity for each in errors for identity in each.errors]
    assert sorted(ids) == sorted(itertools.chain.from_iterable(work.errors for work in layers.values()))
    for each in errors:
        assert set(each.said) == set(layers)
        assert each.agreed == all(saying is not None for saying in each.said.values())
    assert compare({}, dict(reversed(layers.items()))) == found or len(layers) > 2
