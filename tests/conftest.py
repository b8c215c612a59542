"""What every test stands on: a machine of its own, a sample library, the command in this process."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest
from textual.widgets import Input, TextArea

from discox_tui.cli.parser import run
from discox_tui.cli.sample import load_sample, sample_folder
from storage.db.connection import open_database
from storage.importing import writer
from storage.integrity.opening import open_library
from tests.support import contested as contested_library
from tests.support import nightly
from tests.support.libraries import copied_libraries
from tests.support.settling import quick_pilots

REPOSITORY = Path(__file__).parents[1]
SHARED = Path(os.environ.get("DISCOX_SHARED") or REPOSITORY.parent / "shared")
"""The folder of worked cases, which may not be here."""


HOUR = 3600.0
"""In seconds."""

nightly.load_profile()
if nightly.NIGHTLY:
    os.environ.setdefault("PYTEST_TIMEOUT", str(HOUR))  # what is tried 20 times by day is tried hundreds of times


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark of tests of which a push tries some cases only."""
    config.addinivalue_line("markers", "by_day(count): so many cases of this test are tried on a push, all at night")
    gc.disable()  # until all tests are found, as nothing of them goes


def pytest_collection_finish() -> None:
    """Look for garbage only in what the tests make: ten thousand of them are a third of the time to look through."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to the night what a push goes without."""
    config.hook.pytest_deselected(items=nightly.leave_to_the_night(items))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Cut the name that a long text gives its case: with one of 70 MB the whole run is slow."""
    return f"{val[:24]!r} and {len(val) - 24} more" if isinstance(val, str | bytes) and len(val) > 200 else None


@pytest.fixture(scope="session", autouse=True)
def _own_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test sees the settings, the database, the login name or the terminal of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(home))
        patch.setenv("DISCOX_CONFIG", str(home / "config.toml"))
        patch.setenv("LOGNAME", "mei")
        for name in ("DISCOX_DB", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
            patch.delenv(name, raising=False)
        patch.setenv("TERM", "xterm-256color")
        patch.setenv("COLORTERM", "truecolor")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(REPOSITORY), os.environ.get("PYTHONPATH")))))
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_timers() -> Iterator[None]:
    """A message stays, no place is noted, no cursor blinks and nothing glides, however long a test takes.

    One that is about these times sets them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discox_tui.widgets.key_bar.SECONDS", HOUR)
        patch.setattr("discox_tui.screens.review.screen.REMEMBER_AFTER", HOUR)
        patch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none")
        for kind in (Input, TextArea):
            patch.setattr(kind.cursor_blink, "_default", False)
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_process_behind() -> Iterator[None]:
    """An app in this process starts no other that writes to its library; apps in a terminal of their own do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discox_tui.runs.grounder.Grounder.start", lambda *_: None)
        yield


_quick_pilots = pytest.fixture(scope="session", autouse=True)(quick_pilots)


@pytest.fixture(scope="session", autouse=True)
def _copied_libraries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A library is made once; tests of how it is made ask for ``made_anew``."""
    yield from copied_libraries(tmp_path_factory.mktemp("template") / "library.db")


@pytest.fixture
def made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the libraries of this test be made as the app makes them."""
    monkeypatch.setattr("storage.integrity.opening.open_database", open_database)


@dataclass(frozen=True)
class Result:
    """What a command came to."""

    code: int
    out: str
    err: str


Command = Callable[..., Result]


@pytest.fixture
def discox(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command in this process."""

    def command(*arguments: object) -> Result:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return command


class _Noon(datetime):
    """The moment at which the sample is always imported."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> _Noon:
        return cls(2026, 5, 4, 12, tzinfo=tz or UTC)


@pytest.fixture(scope="session")
def _sample_original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "sample.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "datetime", _Noon)
        connection = open_library(path)
        load_sample(connection)
        connection.close()
    return path


@pytest.fixture
def sample(_sample_original: Path, tmp_path: Path) -> Path:
    """A fresh copy of the sample's library: twelve evaluations, the verdicts of lin and okafor."""
    return Path(shutil.copy(_sample_original, tmp_path / "library.db"))


@pytest.fixture(scope="session")
def _contested_original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("contested") / "contested.db"
    contested_library.make(path)
    return path


@pytest.fixture
def contested(_contested_original: Path, tmp_path: Path) -> Path:
    """A fresh copy of a library whose figures differ from one another."""
    return Path(shutil.copy(_contested_original, tmp_path / "contested.db"))


@pytest.fixture(scope="session")
def sample_files() -> Path:
    """The folder with the sample's files."""
    return sample_folder()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of worked cases; a test that needs it is skipped where it is not there."""
    if not (SHARED / "cases").is_dir():
        pytest.skip("there are no worked cases here; name their folder in DISCOX_SHARED")
    return SHARED
