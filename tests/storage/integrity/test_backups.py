"""Backups: one new file that holds all, made while others use the library; and what a plain copy holds."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from storage.base.errors import StorageError
from storage.db.connection import transaction
from storage.integrity.backups import back_up
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support import builders
from tests.support.tables import dump, events


def test_a_backup_holds_all_that_was_said_while_others_use_the_library(
    discox: Command, sample: Path, tmp_path: Path
) -> None:
    target = tmp_path / "backup.db"
    with closing(open_library(sample)) as connection, closing(open_library(sample)) as other:
        ReviewLog(connection, "lin").hide("systems")
        with transaction(other):  # which is not committed, and so in no backup
            other.execute("INSERT INTO app_state VALUES ('a', 'b', 'c')")
            made = discox("backup", target, "--db", sample)
        assert made.code == 0, made.err
        assert re.search(r"12 evaluations, [\d,]+ events; the file is whole", made.out)
        kept = dump(target)
        assert kept["app_state"] == []
        assert kept["events"] == dump(sample)["events"]
        assert Path(f"{sample}-wal").stat().st_size, "the journal was in use"
    assert [path.name for path in tmp_path.glob("backup*")] == ["backup.db"], "nothing is beside it"
    if os.name == "posix":
        assert target.stat().st_mode & 0o777 == 0o600
    shown = discox("list", "--json", "--db", target)
    assert shown.out == discox("list", "--json", "--db", sample).out
    assert shown.err == ""


def test_a_backup_in_json_says_what_is_in_it(discox: Command, sample: Path, tmp_path: Path) -> None:
    made = discox("backup", tmp_path / "backup.db", "--db", sample, "--json")
    size = (tmp_path / "backup.db").stat().st_size
    expected = {"file": str(tmp_path / "backup.db"), "bytes": size, "evaluations": 12, "events": len(events(sample))}
    assert json.loads(made.out) == expected
    assert (made.code, made.err) == (0, "")


def test_a_backup_overwrites_nothing(discox: Command, sample: Path, tmp_path: Path) -> None:
    (tmp_path / "taken.db").write_text("mine")
    (tmp_path / "empty.db").touch()
    (tmp_path / "link.db").symlink_to(tmp_path / "nowhere.db")
    before = dump(sample)
    for target in ("taken.db", "empty.db", "link.db", sample.name, "."):
        refused = discox("backup", tmp_path / target, "--db", sample)
        assert (refused.code, refused.out) == (1, "")
        assert re.search("is there already, and is left as it is; choose another name", refused.err), refused.err
    missing = discox("backup", tmp_path / "no" / "folder.db", "--db", sample)
    assert (missing.code, missing.out) == (1, "")
    assert "cannot be written (No such file or directory); choose another file" in missing.err
    assert discox("backup", "-", "--db", sample).code == 2
    assert discox("backup", tmp_path / "x.db", "--db", tmp_path / "none.db").code == 1
    assert (tmp_path / "taken.db").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(("empty.db", "link.db", sample.name, "taken.db"))
    assert dump(sample) == before


def test_a_backup_that_is_stopped_leaves_nothing(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def stopped(*arguments: object, **options: object) -> sqlite3.Connection:
        connect(*arguments, **options).close()  # type: ignore[call-overload]
        raise KeyboardInterrupt

    with closing(open_library(sample)) as connection:
        monkeypatch.setattr(sqlite3, "connect", stopped)
        with pytest.raises(KeyboardInterrupt):
            back_up(connection, tmp_path / "backup.db")
    assert list(tmp_path.glob("*backup*")) == []
    assert list(tmp_path.glob(".discox-*")) == []


def test_a_damaged_library_makes_no_backup(sample: Path, tmp_path: Path) -> None:
    with closing(open_library(sample)) as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events_order'").fetchone()[0]
    with sample.open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(bytes(4096))
    with closing(open_library(sample)) as connection, pytest.raises(StorageError, match="library is damaged"):
        back_up(connection, tmp_path / "backup.db")
    assert not (tmp_path / "backup.db").exists()


def test_while_the_library_is_open_only_a_backup_holds_all_and_afterwards_a_copy_does(tmp_path: Path) -> None:
    """What the README says about backups."""
    path = tmp_path / "a.db"
    connection, (first, _) = builders.two_evaluations(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    ReviewLog(connection, "mei").set_state(first, "done")
    subprocess.run(
        [sys.executable, "-c", f"import shutil; shutil.copyfile({str(path)!r}, {str(tmp_path / 'open.db')!r})"]
    )
    back_up(connection, tmp_path / "backup.db")
    connection.close()
    shutil.copyfile(path, tmp_path / "closed.db")
    assert events(tmp_path / "open.db") == [], "what was said last is in the journal beside it"
    assert len(events(tmp_path / "backup.db")) == len(events(tmp_path / "closed.db")) == 1
