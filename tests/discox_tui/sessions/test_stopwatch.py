"""Time on each finding: all of it but pauses, written seldom, under the right layer, and not at all if switched off."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.config.paths import Settings
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.sessions.stopwatch import BEGINNING, PAUSE, WRITE_AFTER, Stopwatch
from tests.support.driving import Driver, library, opened


class Bench:
    """A stopwatch on a clock that is set by hand, and what it wrote."""

    def __init__(self, *, running: bool = True) -> None:
        self.now = 1000.0
        self.written: list[tuple[str, str, dict[str, float]]] = []
        self.watch = Stopwatch(lambda *row: self.written.append(row), running=running, clock=lambda: self.now)

    def after(self, seconds: float) -> Stopwatch:
        self.now += seconds
        return self.watch


def test_time_goes_to_what_was_in_front_when_it_passed() -> None:
    bench = Bench()
    bench.watch.look_at("ana", "one", "f1")
    bench.after(5).active()
    bench.after(2).look_at("ana", "one", "f2")
    bench.after(4).look_at("ana", "one", "f1")
    bench.after(1).look_at("ana", "one")
    bench.after(3).leave()
    bench.after(40).active()
    bench.after(40).leave()
    assert bench.written == [("ana", "one", {"f1": 8, "f2": 4, "": 3})]


def test_a_pause_counts_only_its_beginning() -> None:
    bench = Bench()
    bench.watch.look_at("ana", "one", "f1")
    bench.after(PAUSE).active()
    bench.after(PAUSE + 0.5).active()
    bench.after(8 * 3600).leave()
    assert bench.written == [("ana", "one", {"f1": PAUSE + 2 * BEGINNING})]


def test_another_evaluation_or_layer_writes_what_was_counted_of_the_one_before() -> None:
    bench = Bench()
    bench.watch.look_at("ana", "one", "f1")
    bench.after(5).look_at("ana:again", "one", "f1")
    assert bench.written == [("ana", "one", {"f1": 5})]
    bench.after(6).look_at("ana:again", "two", "f9")
    assert bench.written[1:] == [("ana:again", "one", {"f1": 6})]
    bench.watch.leave()
    assert len(bench.written) == 2


def test_what_is_counted_is_written_every_few_minutes_and_not_with_every_key() -> None:
    bench = Bench()
    bench.watch.look_at("ana", "one", "f0")
    for i in range(100):
        bench.after(WRITE_AFTER / 40).active()
        bench.watch.look_at("ana", "one", f"f{i}")
    assert len(bench.written) == 2


def test_switched_off_nothing_is_counted_or_written() -> None:
    bench = Bench(running=False)
    bench.watch.look_at("ana", "one", "f1")
    bench.after(5).leave()
    bench.watch.running = True
    bench.watch.look_at("ana", "one", "f1")
    bench.after(5).active()
    bench.watch.running = False
    bench.after(5).leave()
    assert bench.written == []


@given(
    st.lists(
        st.tuples(st.floats(0, 200), st.sampled_from(["", "a", "b", "c"]), st.sampled_from(["one", "two", "active"]))
    )
)
def test_no_time_is_counted_twice_or_lost(steps: list[tuple[float, str, str]]) -> None:
    bench = Bench()
    bench.watch.look_at("ana", "one", "a")
    counted = 0.0
    for seconds, finding, evaluation in steps:
        counted += seconds if seconds <= PAUSE else BEGINNING
        watch = bench.after(seconds)
        if evaluation == "active":
            watch.active()
        else:
            watch.look_at("ana", evaluation, finding)
    bench.watch.leave()
    total = sum(sum(spent.values()) for _, _, spent in bench.written)
    assert total == pytest.approx(counted, abs=0.051 * (1 + 3 * len(bench.written)))
    assert all(value > 0 for _, _, spent in bench.written for value in spent.values())


def times(driver: Driver) -> list[dict[str, Any]]:
    return [event for event in driver.events if event["kind"] == "time"]


@pytest.fixture
def _ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock finds it a second later."""
    ticks = itertools.count()
    made = Stopwatch.__init__
    monkeypatch.setattr(Stopwatch, "__init__", lambda *given, **options: made(*given, **options, clock=ticks.__next__))


@pytest.mark.usefixtures("_ticking")
async def test_the_app_writes_when_an_evaluation_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, second = library(path, {}, {})
    async with opened(path, settings=Settings(theme="discox-dark")) as driver:
        await driver.review()
        finding = driver.finding.id
        await driver.press("a", "x", "u")
        assert times(driver) == []
        await driver.press("escape")
        await driver.on(QueueScreen)
        (event,) = times(driver)
        assert (event["reviewer"], event["evaluation"]) == ("mei", first)
        assert event["changes"]["seconds"][finding] >= 1
        await driver.review(1)
        await driver.press("j", "{")
        assert [event["evaluation"] for event in times(driver)] == [first, second]
        await driver.press("j", "q")
        assert [event["evaluation"] for event in times(driver)] == [first, second, first]
        assert {kind for event in driver.events if (kind := event["kind"]) not in ("opened", "time")} == {
            "verdict",
            "undo",
        }


@pytest.mark.usefixtures("_ticking")
async def test_the_app_writes_nothing_where_time_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {}, {})
    async with opened(path, settings=Settings(theme="discox-dark", time=False)) as driver:
        await driver.review()
        await driver.press("a", "j", "escape")
        assert times(driver) == []
        await driver.press("ctrl+t")
        assert "Time is kept" in driver.said[0]
    async with opened(path, settings=Settings(theme="discox-dark", time=False)) as driver:
        await driver.press("j", "}")
        assert len(times(driver)) == 1
        await driver.press("ctrl+t", "j", "escape")
        assert len(times(driver)) == 1
