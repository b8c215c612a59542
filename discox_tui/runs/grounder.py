"""The process that locates errors behind the app, in evaluations that were only stored yet."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.db.connection import Connection

STOPPING = 3.0
"""Seconds that stopping waits at most for the process."""


class Grounder:
    """One process at a time, with workers of its own."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, connection: Connection) -> None:
        """Locate the errors of a library that are not located yet, if there are any and it is not at it."""
        from storage.record.groundings import any_missing  # the first paint does not wait for it

        if (self._process is not None and self._process.poll() is None) or not any_missing(connection):
            return
        # -P: a module of the same name in the user's folder must not be taken for one of ours.
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "discox_tui"),
                *("ground", "--quiet", "--db", os.fspath(connection.path.absolute())),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def stop(self) -> None:
        """End the process, and wait: who closes the library last leaves one file that holds all."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGTERM)  # it began a session of its own, with its workers
            else:
                self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOPPING)
        self._process = None
