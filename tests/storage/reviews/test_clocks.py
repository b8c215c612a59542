"""The order of a log is its own: clocks that are wrong change what is shown of times, and nothing else."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.model import Article
from storage.benchmark.candidates import candidate
from storage.benchmark.log import BuildLog
from storage.db.connection import Connection
from storage.importing.merge import merge_file
from storage.importing.verdict_log import from_json
from storage.integrity.opening import open_library
from storage.log.events import HIGHEST_COUNTER
from storage.reviews.events import Event, as_json, read_events
from storage.reviews.projections import merge, rebuild
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import read_work, verdicts_of
from tests.conftest import Command
from tests.storage.db.test_migrations import made_by
from tests.support import builders
from tests.support.clocks import YEAR, Clock, a_clock
from tests.support.nightly import rounds
from tests.support.tables import dump, events


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return a_clock(monkeypatch)


def first_finding(connection: Connection, evaluation: str) -> str:
    query = "SELECT id FROM findings WHERE evaluation_id = ? ORDER BY number"
    return str(connection.execute(query, (evaluation,)).fetchone()[0])


def test_a_clock_that_was_a_year_ahead_costs_nothing(tmp_path: Path, clock: Clock) -> None:
    """What was decided since counts, is undone first, and bears the time that the clock said."""
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    finding, log = first_finding(connection, first), ReviewLog(connection, "lin")
    clock(YEAR)
    log.decide(first, finding, decision="agree")
    clock(timedelta(0))
    log.decide(first, finding, decision="unsure")
    assert verdicts_of(connection, first, "lin")[finding].decision == "unsure"
    assert [event.at for event in read_events(connection)] == [
        "2027-05-04T12:00:01.000000Z",
        "2026-05-04T12:00:01.000000Z",
    ]
    reviews = "SELECT at FROM reviews UNION ALL SELECT at FROM verdicts"
    assert set(connection.execute(reviews)) == {("2026-05-04T12:00:01.000000Z",)}
    for expected in ("agree", None):
        assert log.undo() is not None
        assert expected == (found[finding].decision if (found := verdicts_of(connection, first, "lin")) else None)
    for expected in ("agree", "unsure"):
        assert log.redo() is not None
        assert verdicts_of(connection, first, "lin")[finding].decision == expected
    assert log.redo() is None
    before = dump(tmp_path / "a.db")
    rebuild(connection)
    assert dump(tmp_path / "a.db") == before


def test_a_blind_pass_ends_where_it_ended_whatever_the_clock_said(tmp_path: Path, clock: Clock) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    log = ReviewLog(connection, "lin")
    log.open(first, hidden=True)
    spans = [["source", 0, 2]]
    before = log.mark(first, dimension="accuracy", severity="major", spans=spans).event.finding_id
    clock(YEAR)
    log.reveal(first)
    clock(timedelta(0))
    after = log.mark(first, dimension="accuracy", severity="major", spans=spans).event.finding_id
    errors = read_work(connection, first, "lin").errors
    assert {identity: error.blind for identity, error in errors.items()} == {before: True, after: False}


steps = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.integers(-400, 400),
        st.sampled_from(["agree", "unsure", "not_an_error", "undo", "redo", "merge"]),
    ),
    max_size=14,
)


@settings(max_examples=rounds(8, 300))
@given(steps)
def test_copies_with_different_clocks_come_to_the_same_in_whatever_order(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[int, int, str]]
) -> None:
    """What somebody does after she has taken in the other copy comes after all that was in it."""
    folder = tmp_path_factory.mktemp("clocks")
    connection, (first, _) = builders.two_evaluations(folder / "0.db")
    finding = first_finding(connection, first)
    connection.close()
    shutil.copy(folder / "0.db", folder / "1.db")
    with pytest.MonkeyPatch.context() as patch:
        clock = a_clock(patch)
        for which, days, what in acts:
            clock(timedelta(days=days))
            with closing(open_library(folder / f"{which}.db")) as copy:
                log = ReviewLog(copy, "lin")
                match what:
                    case "merge":
                        merge_file(copy, folder / f"{1 - which}.db")
                    case "undo":
                        log.undo()
                    case "redo":
                        log.redo()
                    case _:
                        log.decide(first, finding, decision=what)
                        assert verdicts_of(copy, first, "lin")[finding].decision == what, "the last word counts"
    results, orders = [], []
    for number, order in enumerate(itertools.permutations((0, 1))):
        path = folder / f"all-{number}.db"
        with closing(open_library(path)) as united:
            for which in (*order, order[0]):
                merge_file(united, folder / f"{which}.db")
            results.append(verdicts_of(united, first, "lin"))
            orders.append([event.id for event in read_events(united)])
            log_of = [from_json(as_json(event)) for event in read_events(united)]
        with closing(open_library(folder / f"log-{number}.db")) as other:
            merge(other, reversed(log_of))
            merge_file(other, folder / "0.db")
            results.append(verdicts_of(other, first, "lin"))
            orders.append([event.id for event in read_events(other)])
    assert results == [results[0]] * 4
    assert orders == [orders[0]] * 4


def test_an_old_log_keeps_its_order_and_comes_before_what_is_new(tmp_path: Path, clock: Clock) -> None:
    """Its times were made strictly increasing, some of them ahead of the clock."""
    connection, (first, _) = builders.two_evaluations(tmp_path / "new.db")
    finding = first_finding(connection, first)
    connection.close()
    old = tmp_path / "old.db"
    made_by(8, old)
    decisions = ["agree", "unsure", "not_an_error"]
    rows = [
        (
            f"e{9 - i}",
            f"2027-05-04T12:00:00.00000{i}Z",
            "lin",
            "verdict",
            first,
            finding,
            json.dumps({"decision": each}),
        )
        for i, each in enumerate(decisions)
    ]
    with closing(sqlite3.connect(old)) as file:
        columns = "id, at, reviewer, kind, evaluation_id, finding_id, changes"
        file.executemany(f"INSERT INTO events ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        file.commit()
    for _ in range(2):
        with closing(open_library(tmp_path / "new.db")) as connection:
            report = merge_file(connection, old)
            assert report.conflicts == report.left_out == []
            assert verdicts_of(connection, first, "lin")[finding].decision == "not_an_error"
    with closing(open_library(tmp_path / "new.db")) as connection:
        ReviewLog(connection, "lin").decide(first, finding, decision="override", severity="extremely_critical")
        assert [event.counter for event in read_events(connection)] == [0, 0, 0, 1]
        assert verdicts_of(connection, first, "lin")[finding].decision == "override"
        assert [event.id for event in read_events(connection)][:3] == ["e9", "e8", "e7"]
        merge_file(connection, old)
        assert verdicts_of(connection, first, "lin")[finding].decision == "override"


def test_nothing_is_left_out_because_of_its_time(discox: Command, tmp_path: Path) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    finding = first_finding(connection, first)
    connection.close()
    row = {"reviewer": "lin", "kind": "verdict", "evaluation": first, "finding": finding}
    said = {"9998-12-31T23:59:59+00:00": "agree", "1970-01-01T00:00:00Z": "unsure"}
    lines = [
        json.dumps({**row, "id": f"e{number}", "at": at, "counter": number, "changes": {"decision": decision}})
        for number, (at, decision) in enumerate(said.items(), 1)
    ]
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    report = json.loads(discox("verdicts", "import", file, "--json", "--db", tmp_path / "a.db").out)
    assert (report["stored"], report["left_out"]) == (2, 0)
    assert [event["id"] for event in events(tmp_path / "a.db")] == ["e1", "e2"], "the counter is the order"
    for command in (("list",), ("plan",), ("consistency", "--json"), ("show", first), ("export", "jsonl", "-")):
        assert discox(*command, "--reviewer", "lin", "--db", tmp_path / "a.db").code == 0
    (listed, _) = json.loads(discox("list", "--json", "--reviewer", "lin", "--db", tmp_path / "a.db").out)
    assert (listed["review"]["decided"], listed["review"]["unsure"]) == (1, 1)


def test_a_counter_at_its_end_leaves_the_order_to_the_clock(tmp_path: Path, clock: Clock) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    finding = first_finding(connection, first)
    given = {"decision": "agree"}
    at = "2026-05-04T12:00:00.000000Z"
    merge(
        connection,
        [
            Event(
                id="z",
                at=at,
                reviewer="lin",
                kind="verdict",
                evaluation_id=first,
                finding_id=finding,
                changes=given,
                counter=HIGHEST_COUNTER,
            )
        ],
    )
    log = ReviewLog(connection, "lin")
    for decision in ("unsure", "not_an_error"):
        log.decide(first, finding, decision=decision)
        assert verdicts_of(connection, first, "lin")[finding].decision == decision
    assert {event.counter for event in read_events(connection)} == {HIGHEST_COUNTER}
    connection.close()
    open_library(tmp_path / "a.db").close()
    assert len(events(tmp_path / "a.db")) == 3


def test_a_benchmark_is_built_in_the_order_of_its_log(tmp_path: Path, clock: Clock) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        log = BuildLog(connection, "ana")
        clock(YEAR)
        log.add(Article("fox", "狐狸跑过雪地。", "zh-en"), ())
        log.decide("fox", "accept")
        clock(timedelta(0))
        log.decide("fox", "reject", "too short")

        def outcome() -> str:
            now = candidate(connection, "fox", "ana")
            assert now is not None
            return now.outcome

        assert outcome() == "rejected"
        log.undo()
        assert outcome() == "accepted"
        log.redo()
        assert outcome() == "rejected"
        log.revise("fox", domain="文学")
        now = candidate(connection, "fox", "ana")
        assert now is not None
        assert now.domain == "文学"
        with closing(open_library(tmp_path / "b.db")) as other:
            merge_file(other, tmp_path / "a.db")
            assert candidate(other, "fox", "ana") == now
