"""What the whole app costs in a reviewer's hands, against a bare Textual app in the same run.

CPU time, not wall time, and each key from rest to rest. Starting, resting and memory are those of processes of their
own in a terminal of their own.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static

from benchmarks.figures import Figure, figure
from benchmarks.generate import article, evaluation_row, rows
from benchmarks.launched import launch, memory
from benchmarks.meter import Bench, Cost, Counter, Meter
from benchmarks.process import python
from discox_tui.app import DiscoxApp
from discox_tui.config.paths import Settings
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from judges.grounding import METHOD, align
from judges.model import SIDES, Grounded, Span
from storage.db.connection import Connection, transaction
from storage.formats.base.format import ReadOptions
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.record.groundings import Grounding, ground, store
from storage.record.library import StoredEvaluation, read_evaluation

SIZE = (160, 45)
REPEATS = 30
STARTS = 9
OPENED = 1_000
REVIEWER = "bench"
NEXT, PREVIOUS = ("right_square_bracket", "]"), ("left_square_bracket", "[")


class Metered(Meter, DiscoxApp):
    """The app, with a meter."""


# --- libraries to look at ---------------------------------------------------------------------------------------


def import_rows(path: Path, found: Iterator[dict[str, Any]]) -> list[str]:
    """Import rows of the official format into a library; return the ids of all its evaluations."""
    file = path.with_name(f"{path.stem}-DISCOXpartial.jsonl")
    with file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in found)
    with closing(open_library(path)) as connection:
        report = import_path(connection, file, ReadOptions(judge="judge-large"))
        assert not report.problem, report.problem
        file.unlink()
        return [row[0] for row in connection.execute("SELECT id FROM evaluations ORDER BY position")]


def one_evaluation(path: Path, length: int, findings: int, *, spans: bool = False) -> str:
    """Make a library of one evaluation and return its id; ``spans``: two a finding, the first ten near the top."""
    row = evaluation_row(article(1, length=length), 1, findings)
    if spans:
        row["detailed_judgement"] = _without_duplicates(row["detailed_judgement"])
    [identity] = import_rows(path, iter([row]))
    with closing(open_library(path)) as connection:
        evaluation = read_evaluation(connection, identity)
        located = ground(evaluation) if not spans else _scattered(evaluation)
        store(connection, [located])
    return identity


def _without_duplicates(judgement: dict[str, Any]) -> dict[str, Any]:
    """The judgement with nothing dropped or flagged, so that what is said of a finding is as short among thousands."""
    text = json.dumps(judgement | judgement["initial_judgement"], ensure_ascii=False).replace("普通（Major）", "普通")
    plain: dict[str, Any] = json.loads(text)
    return plain | {"self_critique": "本次评估无重复问题"}


def _scattered(evaluation: StoredEvaluation) -> Grounding:
    """A grounding that puts one span a side to each finding, wherever chance has it after the first ten."""
    chance = random.Random(7)
    found = {}
    for number, stored in enumerate(evaluation.findings):
        placed = []
        for side in SIDES:
            start = 20 + number * 23 if number < 10 else chance.randrange(len(evaluation.text(side)) - 30)
            placed.append(Span(side, start, start + chance.randrange(4, 20)))
        found[stored.id] = Grounded(tuple(placed), 0, 0)
    return Grounding(evaluation.id, METHOD, align(evaluation.text("source"), evaluation.text("translation")), found)


def fill(connection: Connection, count: int) -> None:
    """Add ``count`` evaluations as the queue needs them: rows that name others' texts, located already."""
    cursor = connection.execute("SELECT * FROM evaluations LIMIT 1")
    columns = [column[0] for column in cursor.description]
    model = dict(zip(columns, cursor.fetchone(), strict=True))
    added = (
        model
        | {
            "position": model["position"] + 1 + number,
            "id": f"filler-{number}",
            "article": str(number % 200),
            "system": f"house-system-{number % 21:02}",
            "total": number % 101,
        }
        for number in range(count)
    )
    with transaction(connection):
        connection.executemany(
            f"INSERT INTO evaluations VALUES ({', '.join('?' * len(columns))})", (tuple(row.values()) for row in added)
        )
        connection.executemany(
            "INSERT INTO groundings VALUES (?, 'none', '2026-03-02T09:15:04.000000Z', '[]')",
            ((f"filler-{number}",) for number in range(count)),
        )


# --- keys -------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(path: Path, start: str | None) -> Iterator[Metered]:
    with closing(open_library(path)) as connection:
        yield Metered(connection, REVIEWER, Settings(), start=start)


def _medians(costs: Sequence[Cost]) -> Cost:
    return Cost(*(median(values) for values in zip(*costs, strict=True)))


async def _bare_key(make: Callable[[], Widget] = Counter) -> Cost:
    app = Bench(make)
    async with app.run_test(size=SIZE):
        await asyncio.sleep(0.3)
        return _medians([await app.press(*NEXT) for _ in range(REPEATS)])


class Parts(Static, can_focus=True):
    """Sixteen parts of which a key changes the first and the last: what Textual itself takes for such a screen."""

    DEFAULT_CSS = "Parts { height: 1fr; & > Counter { height: 1fr; } }"
    presses = 0

    def compose(self) -> ComposeResult:
        """Sixteen widgets below one another."""
        for _ in range(16):
            yield Counter("part")

    def on_key(self) -> None:
        """Change two of them."""
        self.presses += 1
        for part in (self.children[0], self.children[-1]):
            if isinstance(part, Counter):
                part.update(str(self.presses))


async def _next_error(path: Path, identity: str) -> Cost:
    """Going back and forth between two errors of which both places are in view."""
    with _opened(path, identity) as app:
        async with app.run_test(size=SIZE) as pilot:
            screen = await _review(app, pilot)
            for _ in range(_neighbours(screen.evaluation) - screen.controller.index):
                await app.press(*NEXT)
            while screen.controller.index > _neighbours(screen.evaluation):
                await app.press(*PREVIOUS)
            for key in (NEXT, PREVIOUS) * 2:
                await app.press(*key)
            gc.collect()
            return _medians([await app.press(*(NEXT, PREVIOUS)[number % 2]) for number in range(REPEATS)])


async def _parts(path: Path, identity: str) -> int:
    """Widgets of the review screen that are in view, the screen itself among them."""
    with _opened(path, identity) as app:
        async with app.run_test(size=SIZE) as pilot:
            return len((await _review(app, pilot))._compositor.visible_widgets)


async def _review(app: Metered, pilot: Any) -> ReviewScreen:
    while not isinstance(app.screen, ReviewScreen):
        await pilot.pause(0.05)
    await asyncio.sleep(0.5)
    return app.screen


def _neighbours(evaluation: StoredEvaluation) -> int:
    """The index of the error from which the next is least far on both sides."""

    def start(number: int, side: str) -> int | None:
        spans = [span.start for span in evaluation.findings[number].grounded.spans if span.side == side]
        return min(spans, default=None)

    def distance(number: int) -> float:
        total = 0.0
        for side in ("source", "translation"):
            here, there = start(number, side), start(number + 1, side)
            total += abs(here - there) if here is not None and there is not None else 10_000
        return total

    return min(range(min(200, len(evaluation.findings) - 1)), key=distance)


async def _verdict(path: Path, identity: str) -> Cost:
    """A verdict on one error after another, and then another verdict on each."""
    with _opened(path, identity) as app:
        app.auto_advance = False
        costs = []
        async with app.run_test(size=SIZE) as pilot:
            screen = await _review(app, pilot)
            for key in (("a", "a"), ("x", "x")):
                screen.controller.select(0)
                for _ in range(REPEATS):
                    costs.append(await app.press(*key))
                    screen.action_next_finding()
        return _medians(costs)


async def _queue(path: Path) -> float:
    """CPU milliseconds from asking for the queue to its being painted."""
    with _opened(path, None) as app:
        costs = []
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause(0.5)
            for _ in range(15):
                costs.append(await app.cost(lambda: app.push_screen(QueueScreen({}))))
                app.pop_screen()
        return _medians(costs).cpu


# --- opening a thousand -----------------------------------------------------------------------------------------


def _grown(path: Path, warm: int, count: int) -> tuple[float, float]:
    """MB by which memory grows over ``count`` evaluations opened after ``warm``, and milliseconds CPU for each."""

    async def open_all() -> tuple[float, float]:
        with _opened(path, None) as app:
            async with app.run_test(size=SIZE) as pilot:
                await pilot.pause(0.5)
                await pilot.press("enter")
                screen = await _review(app, pilot)
                before, started = 0.0, 0.0
                for number in range(warm + count):
                    if number == warm:
                        gc.collect()
                        before, started = memory(), process_time()
                    screen.action_next_evaluation()
                    await pilot.pause()
                spent = (process_time() - started) * 1000 / count
                gc.collect()
                return memory() - before, spent

    return asyncio.run(open_all())


def _alone(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do the work in a fresh process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


# --- all --------------------------------------------------------------------------------------------------------


def _keys(folder: Path) -> list[Figure]:
    usual = folder / "usual.db"
    identity = one_evaluation(usual, 16_000, 40)
    with closing(open_library(usual)) as connection:
        fill(connection, 4_000)
    small, large = folder / "small.db", folder / "large.db"
    ids = one_evaluation(small, 2_000, 5, spans=True), one_evaluation(large, 390_000, 5_000, spans=True)
    with closing(open_library(large)) as connection:
        evaluation = read_evaluation(connection, ids[1])
        size = max(len(evaluation.text(side)) for side in SIDES)
    bare = asyncio.run(_bare_key())
    parts = asyncio.run(_bare_key(Parts))
    moved = asyncio.run(_next_error(usual, identity))
    little, much = asyncio.run(_next_error(small, ids[0])), asyncio.run(_next_error(large, ids[1]))
    verdict = asyncio.run(_verdict(usual, identity))
    crowd = folder / "crowd.db"
    one_evaluation(crowd, 2_000, 5)
    with closing(open_library(crowd)) as connection:
        fill(connection, 100_000)
    few, many = asyncio.run(_queue(usual)), asyncio.run(_queue(crowd))
    return [
        figure("bare key", bare.cpu, "ms CPU"),
        figure("next error in view, to a bare screen of 16 parts", moved.cpu / parts.cpu, "×", "≤ 1.25"),
        figure("next error in view, to a bare key", moved.cpu / bare.cpu, "×"),
        figure("bare screen of 16 parts, 2 changed, to a bare key", parts.cpu / bare.cpu, "×"),
        figure("review, parts in view", asyncio.run(_parts(usual, identity)), "widgets", "≤ 15"),
        figure("next error, paints", moved.paints, "paints", "≤ 1"),
        figure("next error, sent", moved.sent, "bytes", "≤ 2048"),
        figure(f"next error at {size // 1000}k and 10,000 spans, to 2k and 10", much.cpu / little.cpu, "×", "≤ 1.1"),
        figure("verdict, to a bare key", verdict.cpu / bare.cpu, "×", "≤ 2"),
        figure("verdict, paints", verdict.paints, "paints"),
        figure("verdict, sent", verdict.sent, "bytes"),
        figure("queue of 4,000 loaded and painted", few, "ms CPU", "≤ 40"),
        figure("queue of 100,000, to 4,000", many / few, "×", "≤ 1.2"),
    ]


def _processes(folder: Path) -> list[Figure]:
    database = folder / "usual.db"
    with closing(open_library(database)) as connection:
        identity = connection.execute("SELECT id FROM evaluations ORDER BY position").fetchone()[0]
    queue = ("--db", str(database), "--reviewer", "starter")
    review = ("review", identity, *queue)
    bare = [launch("evaluations") for _ in range(STARTS + 1)][1:]
    started = [launch("evaluations", *queue) for _ in range(STARTS + 1)][1:]
    resting, queued, reviewing = (
        launch("evaluations", rest=1.5, watch=0.1),
        launch("evaluations", *queue, rest=1.5, watch=10),
        launch("translation", *review, rest=3.0, watch=10),
    )
    first = median(each.start for each in bare)
    helped = [python("-m", "discox_tui", "--help").cpu for _ in range(5)]
    nothing = [python("-c", "pass").cpu for _ in range(5)]
    loaded = python(
        "-c", "import sys; from discox_tui.cli.parser import run; run(['--help']); print('textual' in sys.modules)"
    ).output.split()[-1]
    return [
        figure("bare app, start to first paint", first, "ms CPU"),
        figure(
            "start with 4,000 evaluations, to the bare app", median(s.start for s in started) / first, "×", "≤ 1.15"
        ),
        figure("--help, modules of textual imported", float(loaded == "True"), "", "≤ 0"),
        figure("--help, beyond starting Python", (median(helped) - median(nothing)) * 1000, "ms CPU"),
        figure("bare app, memory", resting.memory, "MB"),
        figure("queue of 4,000, beyond the bare app", queued.memory - resting.memory, "MB", "≤ 25"),
        figure("review, beyond the bare app", reviewing.memory - resting.memory, "MB", "≤ 25"),
        figure("at rest in the queue", queued.idle, "% CPU", "≤ 0.3"),
        figure("at rest in the review", reviewing.idle, "% CPU", "≤ 0.3"),
    ]


def _thousand(folder: Path) -> list[Figure]:
    path, warm = folder / "thousand.db", 150
    count = warm + OPENED + 2
    plans = [article(key) for key in range(1, count + 1)]
    import_rows(path, (row for _, row in rows(plans, range(1, 2), count, count * 10)))
    grown, spent = _alone(_grown, path, warm, OPENED)
    return [
        figure(f"memory after {OPENED:,} more evaluations opened", grown, "MB", "≤ 2"),
        figure("opening an evaluation, its errors located first", spent, "ms CPU", "≤ 40"),
    ]


def measure() -> list[Figure]:
    """Measure keys, screens, starting, resting and memory, in a terminal of 160 × 45."""
    with TemporaryDirectory(prefix="discox-bench-") as name:
        folder = Path(name)
        return [*_keys(folder), *_processes(folder), *_thousand(folder)]
