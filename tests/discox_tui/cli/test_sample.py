"""The sample's library: made once for a state of the program, copied for each demo, made anew where that fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from discox_tui.cli.sample import copy_sample
from discox_tui.config.paths import cache_directory
from tests.conftest import Command


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache_directory()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, sample: Path) -> Iterator[list[None]]:
    """One entry for each time that the sample was read in; what it comes to is a copy of the fixture."""
    times: list[None] = []

    def load(connection: sqlite3.Connection) -> None:
        times.append(None)
        with closing(sqlite3.connect(sample)) as source:
            source.backup(connection)

    monkeypatch.setattr("discox_tui.cli.sample.load_sample", load)
    return times


def evaluations(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM evaluations").fetchone()[0])


def test_it_is_made_once_and_every_demo_has_a_copy_of_its_own(cache: Path, made: list[None], tmp_path: Path) -> None:
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    assert copy_sample(one)
    with closing(sqlite3.connect(one)) as connection, connection:
        connection.execute("DROP TABLE evaluations")
    assert copy_sample(other)
    assert (evaluations(other), len(made)) == (12, 1)
    assert [path.suffix for path in cache.iterdir()] == [".db"]


def test_another_state_of_the_program_makes_another_and_drops_the_first(
    cache: Path, made: list[None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert copy_sample(tmp_path / "one.db")
    (first,) = cache.iterdir()
    monkeypatch.setattr("discox_tui.cli.sample.__version__", "0.0.9")
    assert copy_sample(tmp_path / "other.db")
    (second,) = cache.iterdir()
    assert (first != second, len(made)) == (True, 2)


@pytest.mark.parametrize("damage", [b"", b"no database", "half"], ids=["empty", "foreign", "half"])
def test_a_damaged_one_is_not_used_and_made_anew(
    cache: Path, made: list[None], tmp_path: Path, damage: bytes | str
) -> None:
    copy = tmp_path / "copy.db"
    assert copy_sample(copy)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2] if isinstance(damage, str) else damage)
    assert not copy_sample(copy)
    assert not copy.exists()
    assert copy_sample(copy)
    assert (evaluations(copy), len(made)) == (12, 2)


def test_where_nothing_can_be_kept_the_demo_opens_all_the_same(cache: Path, made: list[None], discox: Command) -> None:
    cache.parent.mkdir()
    cache.write_text("a file where the folder should be", encoding="utf-8")
    assert "Precision" in discox("demo").out
    assert len(made) == 1
