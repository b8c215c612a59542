"""A lock for one run at a time: two that ask the same on one library would pay for the same calls twice."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from storage.base.errors import StorageError
from storage.base.identity import digest


@contextmanager
def only_run(library: Path, work: str) -> Iterator[None]:
    """Hold the right to do ``work`` on a library, on this machine; it ends with the process, however that ends.

    ``work`` says what is being done ("judging by …"). Raises StorageError where another process holds the right.
    """
    # A lock of SQLite's on an empty file: every system has it, and after a crash there is nothing to clean up.
    file = Path(tempfile.gettempdir()) / f"discox-run-{digest(str(library.resolve()), work)}"
    try:
        lock = sqlite3.connect(file, timeout=0, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise StorageError(f"{file}: cannot be made ({error}); name a folder with TMPDIR") from None
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise StorageError(
                    f"{library}: another discox is {work}; wait for it, or stop it, then run this again"
                ) from None
        yield
