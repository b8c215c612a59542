"""A disk that is full: what is there can be read and exported elsewhere, and a failed act shows nothing as decided."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.support.driving import library, opened
from tests.support.nightly import at_night, by_day
from tests.support.tables import dump, events

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs limits on other processes, or a disk of its own")

if sys.platform == "linux":
    from tests.support.terminal import Terminal

ENDLESS = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


@contextmanager
def no_room(size: int = 1) -> Iterator[None]:
    """Programs started within can let no file grow beyond this size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def discox(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "discox_tui", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    path = folder / "filler"
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return path


READING = (
    ("list",),
    ("consistency",),
    ("leaderboard",),
    ("usage",),
    ("export", "archive", "{elsewhere}/a.zip"),
    ("export", "jsonl", "{elsewhere}/a.jsonl"),
    ("verdicts", "export", "{elsewhere}/log.jsonl"),
    ("backup", "{elsewhere}/backup.db"),
)
WRITING = (
    ("plan", "--reviewers", "lin,okafor"),
    ("import", "{sample}", "--judge", "another"),
    ("verdicts", "import", "{sample}/verdicts-lin.jsonl"),
)


@by_day(1)
@pytest.mark.parametrize("kept", ["one file", "killed"])
def test_on_a_full_disk_all_that_reads_works_and_all_that_writes_says_what_to_do(
    disk: Path, tmp_path: Path, sample: Path, sample_files: Path, kept: str
) -> None:
    path = disk / "a.db"
    shutil.copyfile(sample, path)
    if kept == "killed":  # what was said last waits in the journal
        script = (
            "import os, sys; from pathlib import Path; from storage.integrity.opening import open_library\n"
            "from storage.reviews.review_log import ReviewLog\n"
            "ReviewLog(open_library(Path(sys.argv[1])), 'lin').hide('open'); os.kill(os.getpid(), 9)"
        )
        subprocess.run([sys.executable, "-c", script, str(path)], check=False)
        Path(f"{path}-shm").unlink()
    filler = fill(disk)
    names = {"elsewhere": tmp_path, "sample": sample_files}
    for command in READING:
        done = discox("--db", path, *(part.format(**names) for part in command))
        assert done.returncode == 0, done.stderr
        assert "nothing can be stored; free some space" in done.stderr or kept == "killed"
    assert dump(tmp_path / "backup.db")["events"]
    for command in (*WRITING, ("backup", f"{disk}/backup.db"), ("export", "archive", f"{disk}/a.zip")):
        done = discox("--db", path, *(part.format(**names) for part in command))
        assert done.returncode == 1
        assert "no room" in done.stderr or "disk is full" in done.stderr or "No space left" in done.stderr
        assert "Traceback" not in done.stderr
    assert sorted(each.name for each in disk.glob("[!.]*") if "a.db" not in each.name) == ["filler"]
    filler.unlink()
    assert discox("--db", path, *WRITING[0]).returncode == 0


@by_day(1)
@pytest.mark.parametrize("command", READING[:4], ids=" ".join)
def test_where_no_file_may_grow_all_that_reads_works(sample: Path, command: tuple[str, ...]) -> None:
    before = sample.read_bytes()
    with no_room():
        done = discox("--db", sample, *command)
    assert done.returncode == 0, done.stderr
    assert "nothing can be stored; free some space" in done.stderr
    assert sample.read_bytes() == before


def in_the_app(path: Path, first: str, terminal: Terminal, make_room: Callable[[], object]) -> None:
    terminal.until("error 1/6")
    terminal.send("a")
    terminal.until(lambda: "no room" in terminal.text or "disk is full" in terminal.text)
    assert "✓ 1 " not in terminal.text
    terminal.send("]")
    terminal.until("error 2/6")
    make_room()
    terminal.send("x")
    terminal.until("✗ 2 ")
    terminal.kill()
    acts = [event["changes"] for event in events(path) if event["kind"] == "verdict"]
    assert acts == [{"decision": "not_an_error"}]


@at_night
def test_the_app_opens_on_a_full_disk_and_goes_on_once_there_is_room(disk: Path) -> None:
    path = disk / "a.db"
    first, _ = library(path, {}, {})
    filler = fill(disk)
    terminal = Terminal(["--db", str(path), "--reviewer", "mei", "review", first], (140, 40))
    try:
        terminal.until("nothing can be stored")
        in_the_app(path, first, terminal, filler.unlink)
    finally:
        terminal.close()


def test_the_app_goes_on_once_files_may_grow_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    with no_room():
        terminal = Terminal(["--db", str(path), "--reviewer", "mei", "review", first], (140, 40))
    try:
        in_the_app(
            path, first, terminal, lambda: resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE, ENDLESS)
        )
    finally:
        terminal.close()


async def test_a_disk_that_gets_full_shows_nothing_as_decided(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {}, {})
    async with opened(path) as driver:
        await driver.review()
        connection = driver.app.session.connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        session, found = driver.app.session, driver.screen.evaluation.findings[0]
        with driver.app.safely():
            session.set_note(found, "long " * 20_000)
        await driver.until(
            lambda: any("the disk is full" in said and "free some space" in said for said in driver.said)
        )
        assert driver.verdict(1).note is None
        connection.execute("PRAGMA max_page_count = 100000")
        await driver.press("a")
        await driver.until(lambda: driver.verdict(1).decision == "agree")


def test_an_unlocated_evaluation_can_be_read_where_nothing_can_be_stored(tmp_path: Path) -> None:
    from storage.record.groundings import read_grounded
    from tests.support import builders

    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    connection.execute("PRAGMA query_only = ON")
    unstored = read_grounded(connection, first)
    connection.execute("PRAGMA query_only = OFF")
    assert unstored == read_grounded(connection, first)
    assert unstored.findings[0].grounded.spans
    connection.close()


@pytest.mark.usefixtures("made_anew")
def test_a_library_that_cannot_be_made_leaves_no_empty_file(tmp_path: Path) -> None:
    with no_room():
        done = discox("--db", tmp_path / "new.db", "verdicts", "import", "nothing.jsonl")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
    with_room = open_library(tmp_path / "new.db")
    ReviewLog(with_room, "mei").hide("open")
    with_room.close()
