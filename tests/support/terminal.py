"""The real program in a pseudo-terminal: send bytes, keep every byte that comes back, read the screen they draw."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyte

from tests.support.drawn import PRIVATE, rows_of

PATIENCE = 60.0
"""Seconds after which something that does not happen will not."""


class Terminal:
    """A running program and the screen it draws on."""

    def __init__(
        self, arguments: list[str], size: tuple[int, int], program: Sequence[str] = ("-m", "discox_tui")
    ) -> None:
        columns, rows = size
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.output = bytearray()
        self._master, slave = pty.openpty()
        self.attributes = termios.tcgetattr(slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        try:
            self.process = subprocess.Popen(
                [sys.executable, *program, *arguments],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                start_new_session=True,
                close_fds=True,
            )
        finally:
            os.close(slave)

    @property
    def rows(self) -> list[str]:
        """What is on the screen, row by row; of a wide character of which a half was drawn over nothing is left."""
        return rows_of(self.screen)

    @property
    def text(self) -> str:
        """What is on the screen, one blank between words."""
        return re.sub(" +", " ", "\n".join(self.rows))

    def bold_row(self, text: str) -> bool:
        """Whether a row of the screen holds the text in bold, as the current row of a focused table is."""
        for y, line in enumerate(self.rows):
            x = line.find(text)
            if x >= 0 and self.screen.buffer[y][x].bold:
                return True
        return False

    def send(self, keys: str | bytes) -> None:
        """Type."""
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def send_slowly(self, data: bytes, pause: float) -> None:
        """Type byte by byte, as over a slow line."""
        for byte in data:
            self.send(bytes([byte]))
            time.sleep(pause)

    @property
    def left_on(self) -> list[str]:
        """What the program has switched on in the terminal and not off again."""
        modes: dict[str, bool] = {"25": True, "7": True}
        for sign, codes, state in re.findall(r"\x1b\[([?>])([\d;]*)([hl])", self.output.decode("utf-8", "replace")):
            modes |= dict.fromkeys(codes.split(";"), state == "h") if sign == "?" else {}
        found = [mode for mode, on in modes.items() if on != (mode in ("25", "7"))]
        if len(re.findall(rb"\x1b\[>\d+u", self.output)) > self.output.count(b"\x1b[<u"):
            found.append("keyboard")
        if termios.tcgetattr(self._master) != self.attributes:
            found.append("termios")
        return found

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal another size, and tell the program as the kernel does."""
        self.screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    def hang_up(self) -> int:
        """Take the terminal away and return the program's exit code."""
        os.close(self._master)
        self._master = -1
        return self.process.wait(PATIENCE)

    def _read(self, seconds: float) -> bool | None:
        """Take what the program writes within so many seconds; False if that is nothing, None once it is gone."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # a pseudo-terminal whose other end was closed
            return None
        self.output += data
        # pyte knows neither these private sequences nor that they print nothing.
        self._stream.feed(PRIVATE.sub(b"", data))
        return True if data else None

    def read(self) -> bool:
        """Take what the program writes next; False if that is nothing for a second, or it is gone."""
        return bool(self._read(1.0))

    def until(self, condition: str | Callable[[], object]) -> None:
        """Wait until a text is on the screen, or a condition holds, and nothing more is being painted."""
        holds = (lambda: condition in self.text) if isinstance(condition, str) else condition
        deadline = time.monotonic() + PATIENCE
        while True:
            read = self._read(0.03)
            if not read and holds():
                return
            if read is None or time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {condition!r}\n{self.text}\n{bytes(self.output[-500:])!r}")

    def kill(self) -> None:
        """Kill the program as a crash or a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def end(self) -> int:
        """Read to the end of the program's output and return its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(0.05)
        while self._read(0):
            pass
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """Leave nothing running."""
        if self.process.poll() is None:
            self.kill()
        if self._master >= 0:
            os.close(self._master)


@contextmanager
def running(
    database: Path,
    *arguments: str,
    size: tuple[int, int] = (140, 40),
    program: Sequence[str] = ("-m", "discox_tui"),
) -> Iterator[Terminal]:
    """Run the app on a library in a terminal of this size."""
    terminal = Terminal(["--db", str(database), "--reviewer", "mei", *arguments], size, program)
    try:
        yield terminal
    finally:
        terminal.close()
