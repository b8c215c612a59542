"""Memory and speed of importing one large file and of passing a library on: 40 MB, or as many as are asked for.

``--megabytes 2000`` is the file of 2 GB, which takes some minutes and some 15 GB of disk.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.figures import Figure, figure
from benchmarks.process import Spent, python_from_small

SMALL = 4.0
"""Megabytes of the file beside which the large one is held."""


def write_pairs(path: Path, megabytes: float) -> None:
    """Write pairs of texts of about 6 kB, as CSV or as JSON Lines, until the file has the megabytes."""
    drawn = random.Random(1)
    characters = [chr(code) for code in range(0x4E00, 0x9000)]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        lines = path.suffix == ".jsonl"
        file.write("" if lines else "article,system,source,translation\n")
        number = 0
        while file.tell() < megabytes * 1e6:
            number += 1
            source = "。\n".join("".join(drawn.choices(characters, k=60)) for _ in range(12))
            text = ".\n".join(" ".join(["word"] * 50 + [str(number)]) for _ in range(12))
            row = {"article": f"a{number}", "system": "heron", "source": source, "translation": text}
            file.write(
                f"{json.dumps(row, ensure_ascii=False)}\n" if lines else f'a{number},heron,"{source}","{text}"\n'
            )


def _discox(*words: str | Path) -> Spent:
    return python_from_small("-m", "discox_tui", *words)


def measure(megabytes: float = 40.0) -> list[Figure]:
    """Measure, each command in a process of its own."""
    figures: list[Figure] = []
    with TemporaryDirectory(prefix="discox-bench-") as name:
        folder = Path(name)
        for suffix in ("csv", "jsonl"):
            spent: list[Spent] = []
            for size in (SMALL, megabytes):
                path, database = folder / f"pairs-{size:g}.{suffix}", folder / f"{suffix}-{size:g}.db"
                write_pairs(path, size)
                spent.append(_discox("import", path, "--no-ground", "--db", database))
            figures += _figures(f"pairs as {suffix.upper()}", megabytes, spent)
        for what in ("export", "import"):
            spent = []
            for size in (SMALL, megabytes):
                archive, database = folder / f"{size:g}.zip", folder / f"jsonl-{size:g}.db"
                if what == "export":
                    spent.append(_discox("export", "archive", archive, "--db", database))
                else:
                    spent.append(_discox("import", archive, "--no-ground", "--db", folder / f"again-{size:g}.db"))
            figures += _figures(f"archive, {what}", megabytes, spent)
    return figures


def _figures(what: str, megabytes: float, spent: list[Spent]) -> list[Figure]:
    small, large = spent
    return [
        figure(f"{what}: {megabytes:,g} MB", megabytes / large.wall, "MB/s"),
        figure("… peak memory", large.peak, "MB"),
        figure(f"… beyond that of {SMALL:g} MB", large.peak - small.peak, "MB", "≤ 30"),
    ]
