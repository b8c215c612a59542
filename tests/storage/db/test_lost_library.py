"""A library that is deleted, replaced, emptied or moved while it is open: told before anything is stored, and saved."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from storage.benchmark.log import BuildLog
from storage.db.connection import Connection, data_version, open_beside, open_database, transaction
from storage.db.library_file import LibraryLost
from storage.importing.verdict_log import read_log
from storage.integrity.backups import proposed, save_lost
from storage.integrity.opening import open_library
from storage.reviews.events import read_events
from storage.reviews.projections import merge
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support import builders, losing
from tests.support.nightly import at_night, by_day
from tests.support.tables import dump, events

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows lets nobody replace a file that is open")

WAYS = (*losing.READABLE, *losing.UNREADABLE, losing.empty_journal)


class Opened:
    """A library in use: one act is on record, and waits in its journal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        builders.two_evaluations(path)[0].close()
        shutil.copyfile(path, losing.copy_of(path))
        self.connection = open_library(path)
        self.log = ReviewLog(self.connection, "mei")
        self.first, self.second = (row[0] for row in self.connection.execute("SELECT id FROM evaluations"))
        self.log.set_state(self.first, "done")

    def states(self) -> dict[str, str]:
        found = self.connection.execute("SELECT evaluation_id, state FROM reviews WHERE reviewer = 'mei'")
        return dict(found.fetchall())


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Opened]:
    (tmp_path / "folder").mkdir()
    opened = Opened(tmp_path / "folder" / "a.db")
    yield opened
    opened.connection.close()


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


@pytest.mark.parametrize("way", WAYS, ids=losing.name_of)
def test_an_act_fails_before_anything_is_stored(library: Opened, way: losing.Way) -> None:
    way(library.path)
    for act in (
        lambda: library.log.set_state(library.second, "done"),
        library.log.undo,
        lambda: data_version(library.connection),
        lambda: open_beside(library.connection),
    ):
        with pytest.raises(LibraryLost, match="this was not stored"):
            act()
    assert not library.connection.in_transaction
    assert len(library.connection.acts) == 1, "only what was stored is kept as done"


@pytest.mark.parametrize("way", WAYS, ids=losing.name_of)
def test_an_act_that_is_under_way_is_not_committed(library: Opened, way: losing.Way) -> None:
    def act() -> None:
        with library.log.as_one():
            library.log.set_state(library.second, "done")
            way(library.path)

    with pytest.raises(LibraryLost):
        act()
    assert len(library.connection.acts) == 1


@pytest.mark.parametrize("way", losing.REPLACED, ids=losing.name_of)
@pytest.mark.parametrize("told", [True, False], ids=["told", "never told"])
def test_what_was_put_there_is_never_written(library: Opened, way: losing.Way, told: bool) -> None:
    way(library.path)
    before = content(library.path)
    if told:
        with pytest.raises(LibraryLost):
            library.log.set_state(library.second, "done")
        save_lost(library.connection, proposed(library.connection))
    library.connection.close()
    assert content(library.path) == before
    # Nor does whoever opens it next find anything of ours beside it.
    assert not Path(f"{library.path}-wal").exists()
    assert not Path(f"{library.path}-shm").exists()
    if way in (losing.rename_over, losing.turn_link):
        assert [event["reviewer"] for event in events(library.path)] == ["zoe"]


@by_day(4)
@pytest.mark.parametrize("way", losing.READABLE, ids=losing.name_of)
def test_all_is_saved_to_a_new_file_and_one_goes_on_there(library: Opened, tmp_path: Path, way: losing.Way) -> None:
    way(library.path)
    with pytest.raises(LibraryLost):
        library.log.set_state(library.second, "done")
    target = tmp_path / "saved.db"
    saved = save_lost(library.connection, target)
    assert (saved.file, saved.whole) == (target, True)
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(tmp_path.glob("saved*")) == [target], "one file holds all"
    assert library.connection.file is not None
    if way is losing.replace_journal:
        assert not library.connection.file.may_be_closed
        with closing(open_library(target)) as connection:
            ReviewLog(connection, "mei").set_state(library.second, "skipped", "later")
    else:
        library.connection.move_to(target)
        assert library.states() == {library.first: "done"}
        library.log.set_state(library.second, "skipped", "later")
        library.connection.close()
    assert [event["changes"]["state"] for event in events(target)] == ["done", "skipped"]


@pytest.mark.parametrize("way", losing.UNREADABLE, ids=losing.name_of)
def test_of_an_overwritten_library_the_acts_are_saved(
    library: Opened, tmp_path: Path, way: losing.Way, discox: Command
) -> None:
    way(library.path)
    with pytest.raises(LibraryLost):
        library.log.set_state(library.second, "done")
    saved = save_lost(library.connection, tmp_path / "saved.db")
    assert (saved.file, saved.whole) == (tmp_path / "saved.jsonl", False)
    ((event,), left_out) = read_log(saved.file)
    assert (event.changes["state"], event.evaluation_id, left_out) == ("done", library.first, [])
    copy = losing.copy_of(library.path)
    if copy.exists():
        assert discox("--db", copy, "verdicts", "import", saved.file).code == 0
        assert [each["id"] for each in events(copy)] == [event.id]


@at_night
@pytest.mark.parametrize("way", losing.REPLACED, ids=losing.name_of)
def test_a_program_that_ends_never_writes_what_was_put_there(tmp_path: Path, way: losing.Way) -> None:
    script = (
        "import sys; from pathlib import Path; from tests import losing; from tests.storage.db.test_lost_library import Opened\n"
        "opened = Opened(Path(sys.argv[1])); getattr(losing, sys.argv[2])(opened.path)\n"
        "Path(sys.argv[1] + '.before').write_bytes(opened.path.read_bytes())\n"
        "opened.connection.close()"
    )
    path = tmp_path / "a.db"
    subprocess.run([sys.executable, "-c", script, str(path), way.__name__], check=True)
    assert content(path) == Path(f"{path}.before").read_bytes()
    assert [each.name for each in tmp_path.glob("a.db-*")] == []


def test_nothing_is_saved_over_another_file(library: Opened, tmp_path: Path) -> None:
    losing.delete(library.path)
    for name in ("taken.db", "missing/folder.db"):
        target = tmp_path / name
        if target.parent.exists():
            target.write_text("mine")
        with pytest.raises(Exception, match=r"choose another (name|file)"):
            save_lost(library.connection, target)
    assert (tmp_path / "taken.db").read_text() == "mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "taken.db"]


def test_a_library_that_comes_back_is_gone_on_with(library: Opened) -> None:
    aside = library.path.with_name("aside.db")
    library.path.rename(aside)
    with pytest.raises(LibraryLost, match="no longer there"):
        library.log.set_state(library.second, "done")
    aside.rename(library.path)
    library.log.set_state(library.second, "done")
    assert library.states() == {library.first: "done", library.second: "done"}


def test_a_link_that_leads_elsewhere_is_another_library(tmp_path: Path) -> None:
    link, real = tmp_path / "current.db", tmp_path / "real.db"
    other = losing.another(tmp_path)
    before = dump(other)
    link.symlink_to(real)
    real.touch()
    opened = Opened(link)
    link.unlink()
    link.symlink_to(other)
    with pytest.raises(LibraryLost, match="another file was put in its place"):
        opened.log.set_state(opened.second, "done")
    opened.connection.close()
    assert dump(other) == before
    assert [event["changes"]["state"] for event in events(real)] == ["done"], "all is in what the link led to"


def test_what_other_programs_do_to_the_same_file_is_no_loss(library: Opened) -> None:
    """They write, copy the journal into the library, begin it anew, or cut it to nothing; with a reader in the way."""
    other = open_library(library.path)
    for number in range(12):
        with transaction(other):
            other.execute("INSERT OR REPLACE INTO app_state VALUES ('zoe', 'big', ?)", (str(number) * 300_000,))
        mode = ("PASSIVE", "FULL", "RESTART", "TRUNCATE")[number % 4]
        other.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
        library.log.set_state(library.second, "done" if number % 2 else "in_progress")
        library.connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
        with closing(sqlite3.connect(library.path, isolation_level=None)) as third:
            third.execute("BEGIN")
            third.execute("SELECT count(*) FROM events").fetchone()
            library.log.set_review(library.second, search="done" if number % 2 else None)
            other.execute("PRAGMA busy_timeout = 1")
            other.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
            third.execute("ROLLBACK")
            third.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        library.log.set_state(library.first, "in_progress" if number % 2 else "done")
    other.close()
    library.log.set_state(library.first, "done")


@at_night
def test_programs_that_write_at_once_take_nothing_for_a_loss(library: Opened) -> None:
    """Several programs, each with a journal that is copied and begun anew all the time."""
    script = (
        "import sys; from pathlib import Path; from storage.db.connection import transaction; from storage.integrity.opening import open_library\n"
        "c = open_library(Path(sys.argv[1]), create=False); c.execute('PRAGMA wal_autocheckpoint = 3')\n"
        "for n in range(40):\n"
        "    with transaction(c): c.execute('INSERT OR REPLACE INTO app_state VALUES (?, ?, ?)',"
        " (sys.argv[2], 'k', str(n) * 9000))\n"
        "c.close()"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, str(library.path), name]) for name in ("a", "b", "c")]
    number = 0
    while any(process.poll() is None for process in running):
        number += 1
        library.connection.check()
        if number % 2000 == 0:
            library.log.set_state(library.second, "done" if number % 4000 else "in_progress")
    assert [process.wait() for process in running] == [0, 0, 0]


@at_night
def test_an_overwriting_right_after_each_act_is_found(tmp_path: Path) -> None:
    """Whatever the journal was doing: it was begun anew by that act, or just copied."""
    for case in ("plain", "copied", "begun anew"):
        (tmp_path / case).mkdir()
        opened = Opened(tmp_path / case / "a.db")
        if case != "plain":
            opened.connection.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
            opened.connection.check()
        if case == "begun anew":
            opened.log.set_state(opened.first, "in_progress")
        losing.write_over(opened.path)
        with pytest.raises(LibraryLost, match="was overwritten"):
            opened.log.set_state(opened.second, "done")
        opened.connection.close()


def test_a_later_opening_never_takes_another_file_for_this_one(library: Opened) -> None:
    losing.rename_over(library.path)
    before = content(library.path)
    for opening in (open_beside, lambda connection: open_database(library.path, same_as=(1, 2))):
        with pytest.raises(LibraryLost, match="another file was put in its place"):
            opening(library.connection)
    assert content(library.path) == before


def test_the_last_to_close_leaves_one_file_that_holds_all(library: Opened) -> None:
    other = open_library(library.path)
    library.connection.close()
    assert Path(f"{library.path}-wal").exists()
    other.close()
    assert sorted(path.name for path in library.path.parent.iterdir()) == ["a.db", "copy.db"]
    alone = library.path.with_name("alone.db")
    shutil.copyfile(library.path, alone)
    assert dump(alone) == dump(library.path)
    assert len(events(alone)) == 1


def test_after_a_kill_the_next_to_close_leaves_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    builders.two_evaluations(path)[0].close()
    script = (
        "import os, sys; from pathlib import Path; from storage.integrity.opening import open_library\n"
        "from storage.reviews.review_log import ReviewLog\n"
        "c = open_library(Path(sys.argv[1])); ReviewLog(c, 'mei').hide('systems'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert Path(f"{path}-wal").stat().st_size > 0
    open_library(path).close()
    assert [each.name for each in tmp_path.iterdir()] == ["a.db"]
    assert [event["kind"] for event in events(path)] == ["hiding"]


def test_a_connection_that_nobody_closed_is_closed(tmp_path: Path) -> None:
    connection: Connection | None = open_library(tmp_path / "a.db")
    assert connection is not None
    ReviewLog(connection, "mei").hide("systems")
    del connection
    gc.collect()
    assert [each.name for each in tmp_path.iterdir()] == ["a.db"]


def test_what_was_done_in_building_is_saved_too(library: Opened, tmp_path: Path) -> None:
    BuildLog(library.connection, "mei").set_lengths({"zh": (400, "characters")})
    losing.empty(library.path)
    saved = save_lost(library.connection, tmp_path / "saved.db")
    lines = saved.file.read_text("utf-8").splitlines()
    assert '"kind": "lengths"' in lines[1]
    assert len(read_log(saved.file)[0]) == 1, "the others arrive"


# --- commands ---


def test_a_command_that_stored_something_saves_it_and_says_where(tmp_path: Path, sample_files: Path) -> None:
    """The library is deleted while an import is under way, which so ends with an error; what was there is saved."""
    path = tmp_path / "a.db"
    connection, _ = builders.two_evaluations(path)
    merge(connection, [])
    script = (
        "import sys, os; from storage.importing import writer as imports; from discox_tui.cli.parser import run\n"
        "record = imports._record\n"
        "def lose(*a):\n    os.unlink(sys.argv[1]); record(*a)\n"
        "imports._record = lose\n"
        "sys.exit(run(['--db', sys.argv[1], 'import', '--no-ground', '--judge', 'x', sys.argv[2]]))"
    )
    connection.close()
    file = next(sample_files.glob("*DISCOX*"))
    done = subprocess.run([sys.executable, "-c", script, str(path), str(file)], capture_output=True, text=True)
    (saved,) = tmp_path.glob("a-saved-*.db")
    assert done.returncode == 1
    assert f"all that was stored until then is in {saved}" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(dump(saved)["evaluations"]) == 2
    with closing(open_library(saved)) as opened:
        assert list(read_events(opened)) == []
