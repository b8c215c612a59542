"""Running a command in a process of its own and reading what it took: time, CPU and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
_compiled = TemporaryDirectory(prefix="discox-bench-pyc-")


def environment(**more: str) -> dict[str, str]:
    """The environment of a process: the modules of the checkout, compiled once as those of an installation are."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"PYTHONPYCACHEPREFIX": _compiled.name} | ours | {"PYTHONPATH": str(ROOT)} | more


@dataclass(frozen=True, slots=True)
class Spent:
    """Cost of a finished process: ``wall`` and ``cpu`` in seconds, ``peak`` resident memory in MB, its output."""

    wall: float
    cpu: float
    peak: float
    output: str


def python(*arguments: str | Path) -> Spent:
    """Run this Python with arguments, from the checkout, and wait for it. Raises where it fails."""
    return run([sys.executable, *map(str, arguments)])


def run(command: Sequence[str]) -> Spent:
    """Run a command and wait for it; its children that it waited for are in ``cpu``. Raises where it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as pipe:
        output = pipe.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return Spent(wall, usage.ru_utime + usage.ru_stime, _megabytes(usage.ru_maxrss), output)


def python_from_small(*arguments: str | Path) -> Spent:
    """Run this Python with arguments as the child of a small process: no peak is below the parent's size at the fork.

    Where memory is measured by a process that has grown itself.
    """
    told = python("-m", "benchmarks.process", sys.executable, *arguments)
    return Spent(**json.loads(told.output))


def _megabytes(maxrss: int) -> float:
    return maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)


if __name__ == "__main__":
    print(json.dumps(asdict(run(sys.argv[1:]))))
