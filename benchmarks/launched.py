"""Starts an app in a real terminal of its own and has it report what it took: to the first paint, at rest, in memory.

The process started is this module, run as a script that imports nothing beside what the app imports.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Launched(NamedTuple):
    """``start``: CPU milliseconds from the process's beginning to the first paint; ``memory``: resident MB at rest;
    ``idle``: share of one core's time in % that it takes at rest."""

    start: float
    memory: float
    idle: float


def launch(marker: str, *command: str, rest: float = 0.0, watch: float = 0.0) -> Launched:
    """Start ``discox`` with the words of ``command``, or without any a bare app that shows ``marker``.

    The first paint is the first one that has ``marker`` in it. The app then has ``rest`` seconds to come to rest and
    is watched for ``watch`` seconds.
    """
    import fcntl
    import pty
    import struct
    import subprocess
    import termios

    from benchmarks.process import ROOT, environment

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 160, 0, 0))
    reader, writer = os.pipe()
    arguments = [str(writer), marker, str(rest), str(watch), *command]
    process = subprocess.Popen(
        [sys.executable, __file__, *arguments],
        cwd=ROOT,
        env=environment(TERM="xterm-256color"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        pass_fds=[writer],
        start_new_session=True,
    )
    os.close(theirs)
    os.close(writer)
    seen = bytearray()
    thread = threading.Thread(target=_drain, args=(ours, seen), daemon=True)
    thread.start()
    with os.fdopen(reader) as report:
        said = report.read().split()
    process.wait()
    thread.join()
    os.close(ours)
    if len(said) != 3:
        raise RuntimeError(f"the app did not paint {marker!r}; it said: {seen.decode(errors='replace')[-2000:]}")
    return Launched(*map(float, said))


def _drain(terminal: int, seen: bytearray) -> None:
    try:
        while data := os.read(terminal, 1 << 16):
            seen += data
    except OSError:
        return  # Linux says so when the other end is closed


def memory() -> float:
    """Resident memory of this process in MB (its peak, where the system does not say the present)."""
    try:
        with open("/proc/self/statm") as file:  # noqa: PTH123 - pathlib would be one more import to measure
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)


def _child() -> None:
    pipe, marker, rest, watch = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
    command = sys.argv[5:]
    from textual.drivers.linux_driver import LinuxDriver

    write: Callable[[Any, str], None] = LinuxDriver.write
    painted = False

    def report(start: float) -> None:
        time.sleep(rest)
        size = memory()
        before = time.process_time()
        time.sleep(watch)
        idle = (time.process_time() - before) / watch * 100 if watch else 0.0
        os.write(pipe, f"{start} {size} {idle}".encode())
        os._exit(0)

    def watched(self: LinuxDriver, data: str) -> None:
        nonlocal painted
        write(self, data)
        if not painted and marker in data:
            painted = True
            start = time.process_time() * 1000
            if rest or watch:
                threading.Thread(target=report, args=(start,), daemon=True).start()
            else:
                report(start)

    LinuxDriver.write = watched  # type: ignore[method-assign]
    if command:
        from discox_tui.cli.parser import run

        run(command)
        return
    from textual.app import App, ComposeResult
    from textual.widgets import Static

    class Bare(App[None]):
        def compose(self) -> ComposeResult:
            yield Static(marker)

    Bare().run()


if __name__ == "__main__":
    _child()
