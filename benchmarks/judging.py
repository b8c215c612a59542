"""Cost of judging beside the calls themselves, against a bare SDK on the same server in the same run.

The server answers after 0.2 s, in another process. Rates and CPU are those of the middle of a run, without its
beginning and its end, where fewer calls are in flight; ours and the bare SDK's runs take turns.
"""

from __future__ import annotations

import asyncio
import gc
import io
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

from openai import AsyncOpenAI
from openai import OpenAI as BareOpenAI

import storage.runs.calls
from benchmarks.figures import Figure, figure
from benchmarks.generate import article, evaluation_row
from benchmarks.judge_server import serving
from benchmarks.process import python, python_from_small
from discox_tui.cli.parser import run
from discox_tui.runs.budget import Spending
from discox_tui.runs.judging import PROGRAM, Choice, Judging
from judges.metric_s.protocol.protocol import Settings
from judges.model import Article, RubricPoint
from judges.providers.client import Policy
from judges.providers.model import Attempt
from judges.providers.openai import OpenAI, body
from storage.db.connection import transaction
from storage.integrity.opening import open_library
from storage.record.library import add_translation
from storage.runs.calls import read_request
from storage.runs.runs import start_run

LATENCY = 0.2
"""Seconds that the server takes for a call."""
FINDINGS = 6
"""Findings that each of its judges gives."""
IN_FLIGHT = {8: 600, 32: 1_920, 128: 3_000}
"""Calls in flight at most, and the calls of one run at that rate."""
ROUNDS = 3
TRANSLATIONS = 4_000
MODEL = "bench-judge"
CALLS = 6
"""Calls that one of these translations takes."""


# --- libraries to judge -----------------------------------------------------------------------------------------


def fill(path: Path, translations: int, length: int) -> None:
    """Make a library of translations whose English side has about ``length`` characters."""
    with closing(open_library(path)) as connection, transaction(connection):
        for number in range(translations):
            key, system = number % 200 + 1, number // 200
            row = evaluation_row(article(key, length=length), system, 0)
            points = tuple(RubricPoint(*point) for point in enumerate(row["reference_list"].split("\n"), 1))
            direction = "zh-en" if key % 2 else "en-zh"
            source = Article(str(key), row["ori_text"], direction, rubric=points)
            add_translation(connection, source, f"system-{system:02}", row["model_output"])


def bodies(path: Path) -> list[dict[str, Any]]:
    """Return every request on record as it was sent."""
    with closing(open_library(path)) as connection:
        texts: dict[str, str] = {}
        ids = connection.execute("SELECT id FROM requests ORDER BY rowid").fetchall()
        form = storage.runs.calls.last_form(connection, "openai", *connection.execute(_WHO).fetchone())
        assert form is not None
        return [body(read_request(connection, identity, texts), form) for (identity,) in ids]


_WHO = "SELECT server, model FROM requests LIMIT 1"


# --- rates ------------------------------------------------------------------------------------------------------


class Pace(NamedTuple):
    """Calls a second, CPU milliseconds a call."""

    rate: float
    cpu: float


@dataclass(slots=True)
class Timed(Spending):
    """Notes when each call had ended and was on disk, and the CPU taken by then."""

    ends: list[tuple[float, float]] = field(default_factory=list)

    def count(self, attempt: Attempt) -> None:
        """Count and note."""
        Spending.count(self, attempt)
        self.ends.append((perf_counter(), process_time()))


def pace(ends: Sequence[tuple[float, float]]) -> Pace:
    """Return the pace of the middle three quarters."""
    first, last = len(ends) // 8, len(ends) * 7 // 8
    wall, cpu = (after - before for before, after in zip(ends[first], ends[last], strict=True))
    return Pace((last - first) / wall, cpu / (last - first) * 1000)


class Commits(transaction):
    """Counts the journal's transactions."""

    count = 0

    def __enter__(self) -> sqlite3.Connection:
        Commits.count += 1
        return super().__enter__()


class Ours(NamedTuple):
    """One run of ours: its pace, and how many calls shared a commit."""

    pace: Pace
    calls_a_commit: float


async def ours(path: Path, url: str, in_flight: int) -> Ours:
    """Judge a whole library as ``discox judge`` does."""
    provider = OpenAI("", url)
    settings = Settings("openai", provider.server, MODEL)
    spent = Timed()
    with closing(open_library(path)) as connection:
        with transaction(connection):
            number = start_run(connection, "judge", "openai", provider.server, MODEL, {}, PROGRAM)
        judging = Judging(connection, number, Choice(settings), spent)
        Commits.count = 0
        await judging.live(provider, Policy(concurrency=in_flight), lambda stop: None)
        assert not spent.failures + judging.progress.failed, (spent.ended, judging.progress)
    return Ours(pace(spent.ends), spent.calls / Commits.count)


async def bare(asked: Sequence[Mapping[str, Any]], url: str, in_flight: int) -> Pace:
    """Ask the same of the SDK alone, and do nothing with the answers."""
    ends = list[tuple[float, float]]()
    waiting = iter(asked)

    async def work() -> None:
        for each in waiting:
            await client.chat.completions.create(**each)
            ends.append((perf_counter(), process_time()))

    async with AsyncOpenAI(api_key="none", base_url=url, max_retries=0) as client:
        await asyncio.gather(*(work() for _ in range(in_flight)))
    return pace(ends)


def _rounds(folder: Path, url: str, in_flight: int, calls: int, length: int, rounds: int) -> tuple[Ours, Pace]:
    """The medians of runs of ours and of the bare SDK in turns."""
    library = folder / f"{in_flight}-{length}.db"
    fill(library, calls // CALLS, length)
    of_ours, of_bare = list[Ours](), list[Pace]()
    for number in range(rounds):
        path = library.with_suffix(f".{number}.db")
        shutil.copy(library, path)
        gc.collect()
        of_ours.append(asyncio.run(ours(path, url, in_flight)))
        asked = bodies(path)
        gc.collect()
        of_bare.append(asyncio.run(bare(asked, url, in_flight)))
    paces = [each.pace for each in of_ours]
    return Ours(_median(paces), median(each.calls_a_commit for each in of_ours)), _median(of_bare)


def _median(paces: Sequence[Pace]) -> Pace:
    return Pace(*(median(values) for values in zip(*paces, strict=True)))


# --- one translation --------------------------------------------------------------------------------------------


def in_the_official_shape(url: str, source: str, translation: str) -> int:
    """Make the calls that the official code makes for a translation, one after the other; return how many.

    A check, four judges, the de-duplicator, and four calls that each copy a list as the de-duplicator advises.
    """
    calls = 0
    with BareOpenAI(api_key="none", base_url=url, max_retries=0) as client:

        def ask(task: str, *texts: str) -> str:
            nonlocal calls
            calls += 1
            said = client.chat.completions.create(
                model=MODEL, messages=[{"role": "user", "content": "\n\n".join((task, *texts))}]
            )
            return said.choices[0].message.content or ""

        judges = ("accuracy", "rubric", "fluency", "appropriateness")
        ask("Check the translation", source, translation)
        lists = [ask(f"Judge its {judge}", source, translation) for judge in judges]
        advice = ask("Find duplicates", *lists)
        for found in lists:
            ask("Copy the list without its duplicates", found, advice)
    return calls


def _judge(path: Path, url: str, *more: str) -> list[str]:
    return ["judge", "--provider", "openai", "--model", MODEL, "--base-url", url, "--db", str(path), *more]


@contextmanager
def _silence() -> Iterator[None]:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield


def _one_translation(folder: Path, url: str) -> list[Figure]:
    path = folder / "one.db"
    fill(path, 8, 2_500)
    cold = python("-m", "discox_tui", *_judge(path, url, "--article", "8"))
    times = []
    for key in range(1, 8):
        with _silence():
            started = perf_counter()
            assert run(_judge(path, url, "--article", str(key))) == 0
            times.append(perf_counter() - started)
    with closing(open_library(path)) as connection:
        calls = connection.execute("SELECT count(*) FROM calls").fetchone()[0] / 8
    row = evaluation_row(article(1, length=2_500), 0, 0)
    theirs, asked = list[float](), 0
    for _ in range(3):
        started = perf_counter()
        asked = in_the_official_shape(url, row["ori_text"], row["model_output"])
        theirs.append(perf_counter() - started)
    return [
        figure("calls a translation", calls, "calls", "≤ 6"),
        figure("calls a translation in the official shape", asked, "calls"),
        figure("one translation, `discox judge` in a warm process", median(times[1:]), "s", "≤ 0.75"),
        figure("one translation in the official shape", median(theirs), "s"),
        figure("one translation, ours to the official shape", median(times[1:]) / median(theirs), "×"),
        figure("one translation, from the shell (Python's start and imports too)", cold.wall, "s"),
    ]


# --- thousands --------------------------------------------------------------------------------------------------


def _thousands(folder: Path, translations: int) -> list[Figure]:
    few = max(1, translations // 10)
    small, large = folder / "few.db", folder / "many.db"
    fill(small, few, 2_500)
    fill(large, translations, 2_500)
    many = ("--concurrency", "128", "--no-ground")
    with serving(0, 1) as url:
        peaks = [python_from_small("-m", "discox_tui", *_judge(path, url, *many)) for path in (small, large)]
        again = python("-m", "discox_tui", *_judge(large, url, *many))
    replayed = python_from_small(
        "-m", "discox_tui", "judge", "--provider", "replay", "--model", MODEL, "--db", large, "--no-ground"
    )
    return [
        figure(f"judging {translations:,}, at no delay", translations / peaks[1].wall, "a second"),
        figure(f"peak memory of judging {few:,}", peaks[0].peak, "MB"),
        figure(f"peak memory of judging {translations:,}, to that", peaks[1].peak / peaks[0].peak, "×", "≤ 1.15"),
        figure(f"the same command again over {translations:,} judged", again.wall, "s"),
        figure(f"replaying {translations:,} from the record", translations / replayed.wall, "a second"),
        figure("peak memory of replaying them, to judging the few", replayed.peak / peaks[0].peak, "×", "≤ 1.15"),
    ]


# --- all --------------------------------------------------------------------------------------------------------


def _rates(folder: Path, url: str) -> list[Figure]:
    figures = []
    for in_flight, calls in IN_FLIGHT.items():
        mine, sdk = _rounds(folder, url, in_flight, calls, 2_500, ROUNDS)
        bound = in_flight / LATENCY
        figures += [
            figure(f"{in_flight} in flight: calls a second", mine.pace.rate, "a second"),
            figure(f"{in_flight} in flight, to the bare SDK", mine.pace.rate / sdk.rate, "×", "≥ 0.95"),
            figure(f"{in_flight} in flight, to in flight ÷ latency", mine.pace.rate / bound, "×"),
            figure(f"{in_flight} in flight: the bare SDK, to the same", sdk.rate / bound, "×"),
            figure(f"{in_flight} in flight: CPU a call", mine.pace.cpu, "ms"),
            figure(f"{in_flight} in flight: CPU a call, the bare SDK", sdk.cpu, "ms"),
            figure(f"{in_flight} in flight: CPU a call beyond the SDK's", mine.pace.cpu - sdk.cpu, "ms", "≤ 1.5"),
            figure(f"{in_flight} in flight: calls a commit", mine.calls_a_commit, "calls"),
        ]
    mine, sdk = _rounds(folder, url, 32, 600, 16_000, ROUNDS)
    figures.append(figure("texts of 16k: CPU a call", mine.pace.cpu, "ms"))
    figures.append(figure("texts of 16k: CPU a call beyond the SDK's", mine.pace.cpu - sdk.cpu, "ms"))
    return figures


def measure(translations: int = TRANSLATIONS) -> list[Figure]:
    """Measure one translation, rates, CPU, and memory over that many translations; takes some minutes."""
    setattr(storage.runs.calls, "transaction", Commits)  # noqa: B010
    with TemporaryDirectory(prefix="discox-bench-") as name:
        folder = Path(name)
        with serving(LATENCY, FINDINGS) as url:
            figures = _one_translation(folder, url) + _rates(folder, url)
        return figures + _thousands(folder, translations)
