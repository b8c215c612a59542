"""The browser as Textual drives it through a web server: keys read as everywhere, the end of the line the end."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from textual.drivers._byte_stream import ByteStream
from textual.drivers.web_driver import _ExitInput
from textual.events import AppFocus

from discox_tui.terminal.input import TerminalParser

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.driver import Driver

    from discox_tui.terminal.signals import Endable


def browser_driver(platform: Any, gone: int) -> type[Driver]:
    """Return Textual's web driver with our parser; ``gone``: the exit code where the server went away."""

    class Browser(platform):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._loop: asyncio.AbstractEventLoop | None = None
            self._gone = False
            self._write: Callable[[bytes], None] = self._send

        # --- writing ---

        def _send(self, packet: bytes) -> None:
            """Write a packet whole; once nobody reads, nothing."""
            view = memoryview(packet)
            while view and not self._gone:
                try:
                    view = view[os.write(self.fileno, view) :]
                except OSError:
                    self._lost()

        # --- reading ---

        def run_input_thread(self) -> None:
            """Read packets until the app ends, or the server does."""
            parser, packets = TerminalParser(self._debug), ByteStream()
            try:
                for data in self._input_reader:
                    for message in () if data else parser.tick():
                        self.process_message(message)
                    for kind, payload in packets.feed(data) if data else ():
                        if kind != "D":
                            self._on_meta(kind, payload)
                            continue
                        for message in parser.whole(payload.decode("utf-8", "replace")) if payload else ():
                            self.process_message(message)
                if not self.exit_event.is_set():
                    self._lost()
            except _ExitInput:
                pass
            except Exception as error:
                self._tell(self._app._handle_exception, error)
            finally:
                self._input_reader.close()

        def on_meta(self, packet_type: str, payload: dict[str, object]) -> None:
            """Act on what the server says; that the page was closed ends the app in order."""
            if packet_type == "quit":
                self._tell(cast("Endable", self._app).end, 0)
            else:
                super().on_meta(packet_type, payload)

        # --- beginning and ending ---

        def start_application_mode(self) -> None:
            """Begin with the focus that a page has, and leave the signals to whoever runs the app."""
            self._loop = loop = asyncio.get_running_loop()
            handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
            super().start_application_mode()
            for number, handler in handlers.items():
                with suppress(NotImplementedError):
                    loop.remove_signal_handler(number)
                signal.signal(number, handler)
            self._app.call_later(self._app.post_message, AppFocus())

        def _lost(self) -> None:
            self._gone = True
            self._tell(cast("Endable", self._app).end, gone)

        def _tell(self, act: Any, argument: object) -> None:
            if self._loop is not None:
                with suppress(RuntimeError):  # the loop has ended already
                    self._loop.call_soon_threadsafe(act, argument)

    return Browser
