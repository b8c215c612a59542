"""The sample: its files, and the library that is made of them once and copied for each demo."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from discox_tui import __version__
from discox_tui.config.paths import cache_directory
from storage.base.errors import StorageError
from storage.base.identity import digest
from storage.db.connection import Connection
from storage.integrity.opening import open_library

SAMPLE_JUDGE = "meridian-pro"


def sample_folder() -> Path:
    """Return the folder of the sample: inside the installed package, or beside it in a checkout."""
    from importlib.resources import files

    inside = Path(str(files("discox_tui"))) / "sample_data"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "sample_data"


def copy_sample(path: Path) -> bool:
    """Copy the sample's library, which is made once, to ``path``; False where it has to be made there instead."""
    ready = cache_directory() / f"sample-{_sample_state()}.db"
    try:
        if not ready.exists():
            _make_sample(ready)
        shutil.copyfile(ready, path)
        with closing(sqlite3.connect(path)) as copy:
            copy.execute("SELECT id FROM evaluations")  # an empty file would be whole
            if copy.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
                return True
        ready.unlink()
    except sqlite3.Error:
        with suppress(OSError):
            ready.unlink()
    except (OSError, StorageError):
        pass  # nothing may be written there, or there is no room
    path.unlink(missing_ok=True)
    return False


def _sample_state() -> str:
    """Return what tells one state of the sample, and of the code that makes a library of it, from another."""
    code = Path(__file__).parents[2]
    found: list[tuple[str, int, int]] = []
    for top in (sample_folder(), code / "storage", code / "judges"):
        for folder, _, names in os.walk(top):
            for name in names:
                if not name.endswith(".pyc"):
                    file = Path(folder, name).stat()
                    found.append((name, file.st_size, file.st_mtime_ns))
    return digest("sample", __version__, sorted(found))


def _make_sample(ready: Path) -> None:
    """Make the sample's library, whole or not at all, and delete those of other states."""
    ready.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ready.parent, prefix="sample-") as folder:
        made = Path(folder) / ready.name
        with closing(open_library(made)) as connection:
            load_sample(connection)
        for old in ready.parent.glob("sample-*.db"):
            old.unlink(missing_ok=True)
        made.replace(ready)


def load_sample(connection: Connection) -> None:
    """Store the sample's articles, evaluations and two reviewers' verdicts, and locate its errors."""
    from storage.formats.base.format import ReadOptions
    from storage.importing.pipeline import import_path, paths_in
    from storage.importing.verdict_log import read_log
    from storage.record.groundings import ground_pending
    from storage.reviews.projections import merge

    for path in paths_in([sample_folder()]):
        if path.name.startswith("verdicts") or path.suffix == ".zip":
            continue
        import_path(connection, path, ReadOptions(judge=SAMPLE_JUDGE))
    for path in sorted(sample_folder().glob("verdicts-*.jsonl")):
        merge(connection, read_log(path)[0])
    ground_pending(connection, connection.path)
