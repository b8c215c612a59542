"""Output of the command line: text that cannot act on the terminal, JSON that is exact."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, TextIO, TypeVar

from discox_tui.text.bidi import held, with_marks
from discox_tui.text.safe import safe

_ACTIVE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def ready_streams() -> None:
    """Make the standard streams write UTF-8, whatever the locale; what cannot be encoded is written as an escape.

    One that is closed leads nowhere: else the next file that is opened would take its place.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


Thing = TypeVar("Thing")


def first_of(things: Sequence[Thing], line: Callable[[Thing], str]) -> Iterator[str]:
    """Yield a line for each of the first things, and one that says how many more there are."""
    yield from map(line, things[:SHOWN])
    if len(things) > SHOWN:
        yield f"… and {len(things) - SHOWN:,} more"


SHOWN = 10
"""Things of which a message says each."""


def at_terminal() -> bool:
    """Tell if somebody sits at a terminal; the app reads from it, and draws on it by standard error."""
    return sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()


def can_show_app() -> bool:
    """Tell if the app can be shown: its driver needs a terminal, unless another one is chosen, as for a browser."""
    return bool(os.environ.get("TEXTUAL_DRIVER")) or at_terminal()


def json_text(value: Any, *, indent: int | None = 1) -> str:
    """Return JSON that is exact, readable, and harmless: characters that act on a terminal are written as escapes.

    Raises ValueError for NaN or infinity, which JSON does not know.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _ACTIVE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def say(line: str = "") -> None:
    """Print one line of plain text; nothing in it can act on the terminal."""
    print(_shown(line, sys.stdout))


def _shown(line: str, stream: TextIO) -> str:
    """A line made harmless; on a terminal, columns stay where they are beside right-to-left text."""
    line = safe(with_marks(line))
    return held(line) if stream.isatty() else line


def print_csv(text: str) -> None:
    """Print CSV; into a file with a byte order mark before it, by which Excel knows UTF-8.

    On a terminal nothing in it can act.
    """
    try:
        into_file = stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # no stream of the system's
        into_file = False
    sys.stdout.write("\ufeff" * into_file + (safe(text, multiline=True) if sys.stdout.isatty() else text))


def note(line: str) -> None:
    """Print one line beside the result, on standard error."""
    print(_shown(line, sys.stderr), file=sys.stderr, flush=True)


def fail(line: str, code: int = 1) -> int:
    """Print one line that says what could not be done and how to mend it; return the exit code (2: wrong use)."""
    note(f"discox: {' '.join(line.split())}")
    return code


def progress_line(what: str) -> Callable[[int, int | None], None]:
    """Return a function that shows progress on a terminal's standard error, at most four times a second.

    Without a terminal it says nothing.
    """
    started = last = time.monotonic()
    shown = sys.stderr.isatty()

    def show(done: int, of: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        finished = of is not None and done >= of
        if not shown or (now - last < 0.25 and not finished):
            return
        last = now
        rate = done / max(now - started, 1e-9)
        left = f" of {of:,} · {max(0, of - done) / max(rate, 1e-9):.0f} s left" if of else ""
        _draw(what, f"{done:,}{left}")
        if finished:
            print(file=sys.stderr)

    return show


def progress_words(what: str) -> Callable[[str], None]:
    """Return a function that shows on a terminal's standard error what is being done now; else it says nothing."""

    def show(now: str) -> None:
        if sys.stderr.isatty():
            _draw(what, now)

    return show


def _draw(what: str, now: str) -> None:
    """Draw progress over what was drawn before, in one row: what is too long ends in “…”, a file's name first."""
    from discox_tui.text.columns import fit
    from discox_tui.text.widths import widths

    columns = 80
    with suppress(OSError, ValueError):  # no stream of the system's
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or columns
    now = safe(now)
    what = fit(safe(what), max(columns // 3, columns - widths().of(now) - 2)).rstrip()
    print(f"\r{fit(f'{what} {now}', columns - 1)}", end="", file=sys.stderr, flush=True)


def end_progress() -> None:
    """Clear the line that showed progress."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
