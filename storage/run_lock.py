"""One run at a time: two that do the same on one library would pay for the same calls twice."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from storage.errors import StorageError
from storage.identity import digest


@contextmanager
def only_run(library: Path, work: str) -> Iterator[None]:
    """Hold the right to do ``work`` on a library, on this machine; it ends with the process, however that ends.

    Raises StorageError where another process holds it.
    """
    # A lock of SQLite's on an empty file: every system has it, and after a crash there is nothing to clean up.
    file = Path(tempfile.gettempdir()) / f"discox-run-{digest(str(library.resolve()), work)}"
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise StorageError(
                    f"{library}: another discox is doing the same; wait for it, or stop it, then run this again"
                ) from None
        yield
