"""Whatever was paid for is on disk before anyone goes on; what can't be written fails for those who wait for it."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges.providers.model import Attempt, Form, Parameters, Request, Tokens
from storage.base.errors import StorageError
from storage.base.text import storable, storable_all
from storage.db.connection import Connection, file_of, transaction
from storage.db.library_file import LibraryLost
from storage.integrity.backups import save_lost
from storage.integrity.opening import open_library
from storage.runs.calls import Journal, add_call, form_text, last_form, read_form, read_request, recorded
from tests.support import builders, losing
from tests.support.builders import attempt, request
from tests.support.tables import dump

needs_posix = pytest.mark.skipif(os.name != "posix", reason="Windows lets nobody replace a file that is open")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def library(path: Path) -> Iterator[Connection]:
    with closing(open_library(path)) as connection:
        yield connection


@pytest.fixture
def journal(path: Path, library: Connection) -> Iterator[Journal]:
    with closing(Journal(path, builders.start(library))) as opened:
        yield opened


def count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


TEXT = st.text(st.characters(exclude_categories=()), max_size=12)
FORMS = st.builds(
    Form,
    st.sampled_from(["json_schema", "json_object", "none"]),
    st.sampled_from(["max_tokens", "max_completion_tokens"]),
    st.none() | st.integers(1, 99_999),
    st.frozensets(st.sampled_from(["seed", "top_p", "temperature"])),
)
REQUESTS = st.builds(
    Request,
    step=st.sampled_from(["accuracy", "fluency"]),
    provider=st.just("openai"),
    server=st.just(builders.SERVER),
    model=st.just("osprey"),
    system=TEXT,
    documents=TEXT,
    task=TEXT,
    schema=st.none() | st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2),
    parameters=st.builds(Parameters, st.none() | st.integers(1, 9), st.none() | st.floats(0, 2), seed=st.none()),
    sample=st.integers(1, 3),
)
COUNTS = st.none() | st.integers(0, 10**9)
ATTEMPTS = st.builds(
    Attempt,
    request=REQUESTS,
    form=FORMS,
    outcome=st.sampled_from(["ok", "truncated", "rate_limited", "auth"]),
    started=st.integers(0, 4 * 10**9).map(float),
    seconds=st.floats(0, 999),
    status=st.none() | st.integers(100, 599),
    answer=TEXT,
    model=TEXT,
    finish=TEXT,
    tokens=st.builds(Tokens, COUNTS, COUNTS, COUNTS, COUNTS),
    error=TEXT,
    read_by=st.sampled_from(["", "json", "repaired"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(attempts=st.lists(ATTEMPTS, max_size=6))
def test_any_attempt_is_read_back_as_it_was(library: Connection, attempts: list[Attempt]) -> None:
    library.execute("BEGIN")
    run = builders.start(library)
    for each in attempts:
        add_call(library, run, each)
    for each in attempts:
        same = [a for a in attempts if a.request.id == each.request.id]
        assert recorded(library, each.request) == [replace(storable_all(a), request=each.request) for a in same]
        whole = read_request(library, each.request.id)
        assert whole.id == each.request.id
        texts = ("system", "documents", "task")
        assert [getattr(whole, name) for name in texts] == [storable(getattr(each.request, name)) for name in texts]
        assert (whole.schema, whole.parameters) == (each.request.schema, each.request.parameters)
    assert count(library, "requests") == len({a.request.id for a in attempts})
    library.execute("ROLLBACK")


@given(form=FORMS)
def test_a_form_is_read_back_as_it_was(form: Form) -> None:
    assert read_form(form_text(form)) == form


async def test_texts_that_requests_share_are_stored_once(library: Connection, journal: Journal) -> None:
    asked = [request(step) for step in ("accuracy", "rubric", "fluency", "appropriateness")]
    await asyncio.gather(*(journal.record(attempt(each)) for each in asked for _ in range(3)))
    assert (count(library, "calls"), count(library, "requests")) == (12, 4)
    assert count(library, "texts") == 3 + 4  # system, documents and schema of all; a task each
    assert [len(journal.recorded(each)) for each in asked] == [3] * 4


async def test_what_waits_shares_a_commit(library: Connection, journal: Journal) -> None:
    said: list[str] = []
    await journal.write(lambda connection: connection.set_trace_callback(said.append))
    library.execute("BEGIN IMMEDIATE")
    waiting = [asyncio.create_task(journal.record(attempt(request(f"step {i}")))) for i in range(100)]
    await asyncio.sleep(0)
    library.execute("ROLLBACK")
    await asyncio.gather(*waiting)
    assert count(library, "calls") == 100
    assert said.count("COMMIT") <= 3  # the one under way, and one or two for all that came meanwhile


async def test_work_that_fails_takes_nothing_else_down(library: Connection, journal: Journal) -> None:
    def half(connection: sqlite3.Connection) -> None:
        add_call(connection, journal.run_id, attempt(request("half")))
        raise ValueError("and then this")

    def wrong(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO runs (id) VALUES (1)")

    jobs = (journal.record(attempt(request())), journal.write(half), journal.write(wrong), journal.write(lambda c: 7))
    first, second, third, fourth = await asyncio.gather(*jobs, return_exceptions=True)
    assert (first, fourth) == (None, 7)
    assert isinstance(second, ValueError)
    assert isinstance(third, sqlite3.IntegrityError)
    assert [row[0] for row in library.execute("SELECT step FROM requests")] == ["accuracy"]


async def test_a_file_that_another_program_holds(library: Connection, journal: Journal) -> None:
    await journal.write(lambda connection: connection.execute("PRAGMA busy_timeout = 50").fetchone())
    with transaction(library):
        failed = await asyncio.gather(*(journal.record(attempt(request())) for _ in range(9)), return_exceptions=True)
    assert all(isinstance(error, StorageError) and "another program" in str(error) for error in failed)
    assert count(library, "calls") == 0
    await journal.record(attempt(request()))
    assert count(library, "calls") == 1


async def test_a_full_disk(library: Connection, journal: Journal) -> None:
    pages = library.execute("PRAGMA page_count").fetchone()[0]
    await journal.write(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchone())
    large = attempt(request("large"), answer="x" * 100_000)
    failed = await asyncio.gather(*(journal.record(large) for _ in range(3)), return_exceptions=True)
    assert all(isinstance(error, StorageError) and "the disk is full" in str(error) for error in failed)
    assert count(library, "calls") == count(library, "requests") == 0
    await journal.write(lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchone())
    await journal.record(large)
    assert journal.recorded(large.request) == [large]


async def test_who_gives_up_waiting_has_it_written_all_the_same(library: Connection, journal: Journal) -> None:
    library.execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(journal.record(attempt(request())))
    await asyncio.sleep(0)
    waiting.cancel()
    library.execute("ROLLBACK")
    await journal.write(lambda connection: None)
    assert waiting.cancelled() or await asyncio.gather(waiting, return_exceptions=True)
    assert count(library, "calls") == 1


async def test_closing_writes_what_still_waits(library: Connection, journal: Journal) -> None:
    waiting = [asyncio.create_task(journal.record(attempt(request()))) for _ in range(50)]
    await asyncio.sleep(0)
    journal.close()
    journal.close()
    assert count(library, "calls") == 50
    await asyncio.gather(*waiting)
    with pytest.raises(StorageError, match="the run is over"):
        await journal.record(attempt(request()))


def test_the_form_that_was_answered_last(library: Connection) -> None:
    ladder = Form("json_object", dropped=frozenset({"seed"}))
    with transaction(library):
        for form, outcome in ((Form(), "bad_request"), (ladder, "ok"), (Form("none"), "server")):
            add_call(library, builders.start(library), attempt(request(), outcome, form=form))
        more = replace(ladder, max_tokens=99)
        add_call(library, builders.start(library), attempt(request(), "ok", form=more))
    assert last_form(library, "openai", builders.SERVER, "osprey") == ladder
    assert last_form(library, "openai", builders.SERVER, "heron") is None


KILLED = """
import asyncio, sys
from pathlib import Path
from storage.runs.calls import Journal
from tests.support.builders import attempt, request

async def main():
    journal = Journal(Path(sys.argv[1]), 1)
    async def one(number):
        await journal.record(attempt(request(f"step {number}")))
        print(number, flush=True)
    await asyncio.gather(*(one(number) for number in range(40)))
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
@pytest.mark.parametrize("lines", [1, 40])
def test_what_was_recorded_survives_a_kill(library: Connection, path: Path, lines: int) -> None:
    builders.start(library)
    folder = Path(__file__).parents[3]
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], cwd=folder, stdout=subprocess.PIPE, text=True)
    assert child.stdout
    said = [child.stdout.readline().strip() for _ in range(lines)]
    child.send_signal(signal.SIGKILL)
    said += child.stdout.read().split()
    child.wait()
    child.stdout.close()
    stored = {step.removeprefix("step ") for (step,) in library.execute("SELECT step FROM v_calls")}
    assert set(said) <= stored
    assert library.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


@needs_posix
async def test_a_library_that_is_replaced_during_a_run_takes_no_further_call(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library = builders.two_evaluations(path)[0]
    run = builders.start(library)
    other = losing.another(tmp_path)
    before = other.read_bytes()
    with closing(library), closing(Journal(path, run, file_of(library))) as journal:
        await journal.record(attempt(request()))
        other.replace(path)
        with pytest.raises(LibraryLost, match="another file was put in its place"):
            await journal.record(attempt(request("fluency")))
        with pytest.raises(LibraryLost):
            Journal(path, run, file_of(library))
        saved = save_lost(library, tmp_path / "saved.db")
        assert saved.whole
    assert path.read_bytes() == before
    assert len(dump(saved.file)["calls"]) == 1, "what was paid for"
