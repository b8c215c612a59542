"""The terminal as Textual drives it, made to survive one that goes away, and to give it back as it was found."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO, cast

from discox_tui.terminal.input import TerminalParser
from discox_tui.text.bidi import as_written

if TYPE_CHECKING:
    from textual.driver import Driver

    from discox_tui.terminal.signals import Endable

GONE = 129
"""The exit code where the terminal went away: that of SIGHUP, which says so where it is not ignored."""
ASK_MOUSE_PIXELS = "\x1b[?1016$p"
RESTORE = (
    "\x1b[?2026l\x1b[?2004l\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[?7h\x1b[<u"
    "\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[0m"
)
"""Everything that was switched on, off."""


def terminal_driver(platform: type[Driver]) -> type[Driver]:
    """Return the driver of a platform with our parser; on its way out, spacing marks go to their letters."""

    class Marked(platform):  # type: ignore[misc, valid-type]
        def write(self, data: str) -> None:
            super().write(as_written(data))

    web = sys.modules.get("textual.drivers.web_driver")  # imported if it was chosen
    if web is not None and issubclass(platform, web.WebDriver):
        from discox_tui.terminal.web_driver import browser_driver

        return browser_driver(Marked, GONE)
    if sys.platform == "win32":
        from textual.drivers import win32

        win32.XTermParser = TerminalParser
        return Marked
    from textual.drivers.linux_driver import LinuxDriver

    return _posix(Marked) if issubclass(Marked, LinuxDriver) else Marked


class _Output:
    """A terminal to write to. Once it is gone nothing is written any more, so that nobody waits for it."""

    def __init__(self, file: TextIO | None, lost: Callable[[], None]) -> None:
        assert file is not None  # the app asked whether there is a terminal
        self._file, self._lost, self._gone = file, lost, False

    def write(self, text: str) -> None:
        self._try(lambda: self._file.write(text))

    def flush(self) -> None:
        self._try(self._file.flush)

    def fileno(self) -> int:
        return self._file.fileno()

    def _try(self, act: Callable[[], object]) -> None:
        if not self._gone:
            try:
                act()
            except (OSError, ValueError):
                self._gone = True
                self._lost()


def _posix(platform: Any) -> type[Driver]:
    import asyncio
    import selectors
    import signal
    import termios
    from codecs import getincrementaldecoder
    from contextlib import suppress

    from textual.events import Resize
    from textual.geometry import Size

    class Terminal(platform):  # type: ignore[misc]
        _on = False
        """True while the terminal is ours."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._file: Any = _Output(sys.__stderr__, self._lost)

        # --- writing ---

        def write(self, data: str) -> None:
            """Write, unless there is nobody who would: the queue to that thread is short, and who fills it waits."""
            if self._writer_thread is not None and self._writer_thread.is_alive():
                super().write(data)

        def _enable_mouse_pixels(self) -> None:
            """Ask for the mouse's place in pixels, and whether that is what will come."""
            super()._enable_mouse_pixels()
            self.write(ASK_MOUSE_PIXELS)

        # --- reading ---

        def _run_input_thread(self) -> None:
            try:
                self.run_input_thread()
            except Exception as error:
                self._tell(self._app._handle_exception, error)

        def run_input_thread(self) -> None:
            """Read until the app ends, or the terminal does."""
            parser = TerminalParser(self._debug)
            decode = getincrementaldecoder("utf-8")("surrogateescape").decode
            with selectors.SelectSelector() as selector:
                selector.register(self.fileno, selectors.EVENT_READ)
                while not self.exit_event.is_set():
                    if selector.select(0.1):
                        try:
                            data = os.read(self.fileno, 1 << 14)
                        except BlockingIOError:
                            continue
                        except OSError:
                            data = b""
                        if not data:
                            self._lost()
                            return
                        text = decode(data)
                        messages = parser.feed(text) if text else ()
                    else:  # only now: time that passed while bytes were waiting is no pause between them
                        messages = parser.tick()
                    for message in messages:
                        self.process_message(message)

        # --- beginning and ending ---

        def start_application_mode(self) -> None:
            self._on = True
            super().start_application_mode()
            signal.signal(signal.SIGWINCH, self._resized)

        def _resized(self, *_: object) -> None:
            """Follow the terminal's size, even if it is said to report that: the reply may have been another's."""
            message = Resize((size := Size(*self._get_terminal_size())), size)
            asyncio.run_coroutine_threadsafe(self._app._post_message(message), self._loop)

        def stop_application_mode(self) -> None:
            """Give the terminal back, if it is ours: what runs in the background must not touch it."""
            if not self._on:
                return
            self._on = False
            if self._mouse_pixels:
                self.write("\x1b[?1016l")
            self.write("\x1b]22;default\x07")  # the pointer's shape
            super().stop_application_mode()

        def close(self) -> None:
            if self._writer_thread is not None and self._writer_thread.is_alive():
                super().close()

        def _sigcont_application(self, *_: object) -> None:
            """Take the terminal again, but not to end: who was stopped and is told to end is in the background."""
            if cast("Endable", self._app).ending is None:
                super()._sigcont_application()

        def give_back(self) -> None:
            """Give the terminal back at once, whatever else hangs, waiting for nothing."""
            if self._on:
                with suppress(OSError, ValueError, termios.error):
                    if self.attrs_before is not None:
                        termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
                    os.set_blocking(self._file.fileno(), False)
                    os.write(self._file.fileno(), RESTORE.encode())

        def _lost(self) -> None:
            """The terminal went away: what is still written goes nowhere, else Python would fail at its own end."""
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                for descriptor in (1, 2):
                    if not os.isatty(descriptor):
                        os.dup2(nowhere, descriptor)
                os.close(nowhere)
            self._tell(cast("Endable", self._app).end, GONE)

        def _tell(self, act: Any, argument: object) -> None:
            with suppress(RuntimeError):  # the loop has ended already
                self._loop.call_soon_threadsafe(act, argument)

    return Terminal
