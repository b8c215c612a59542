"""Traces of crashes: a file for whoever mends the program, one line for whoever used it."""

from __future__ import annotations

import os
import platform
import re
import tempfile
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from discox_tui import __version__
from discox_tui.config.credentials import secrets
from discox_tui.config.paths import log_directory

KEPT = 10
"""Traces that are kept; older ones go."""
LONGEST = 200_000
"""Characters of a trace that are kept, the last ones."""
_KEYS = re.compile(r"\b(?:sk-|AIza|gsk_|hf_|xox[a-z]-)[\w-]{8,}|(?i:(?<=bearer )[\w.~+/-]{8,})")
"""Texts that look like an API key, wherever they come from."""


def report(error: BaseException) -> str:
    """Write the trace of an error to a file of the user's own; return one line: what broke, and where the trace is."""
    error = getattr(error, "error", None) or error if type(error).__name__ == "WorkerFailed" else error
    what = _without_keys(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
    try:
        where = f"the trace is in {_write(_trace(error))}"
    except OSError as refused:
        where = f"its trace could not be written ({refused.strerror or refused})"
    kept = "What was decided is kept, and so is a note that was open."
    return f"the program broke ({' '.join(what.split())[:200]}). {kept} To report it: {where}"


def _trace(error: BaseException) -> str:
    head = (
        f"discox {__version__}, textual {version('textual')}, Python {platform.python_version()}\n"
        f"{platform.platform()}, terminal {os.environ.get('TERM', '?')} {os.environ.get('TERM_PROGRAM', '')}\n"
        f"{datetime.now(UTC).isoformat(timespec='seconds')}\n\n"
    )
    return head + _without_keys("".join(traceback.format_exception(error)))[-LONGEST:]


def _without_keys(text: str) -> str:
    for secret in secrets(Path.cwd()):
        text = text.replace(secret, "(a key)")
    return _KEYS.sub("(a key)", text)


def _write(trace: str) -> Path:
    """Write a trace where logs are kept, or else where temporary files are; drop the oldest. Raises OSError."""
    name = f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-"
    folder = log_directory()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, path = tempfile.mkstemp(".txt", name, folder)  # for the user alone
    except OSError:
        descriptor, path = tempfile.mkstemp(".txt", f"discox-{name}")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(trace)
    with suppress(OSError):
        for old in sorted(folder.glob("crash-*.txt"))[:-KEPT]:
            old.unlink()
    return Path(path)
