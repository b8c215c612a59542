"""Cost of storing a file of the WMT's MQM ratings, beside bare SQLite with the same rows, and its memory.

The file is the one of TED talks of 2021 where it is here (``DISCOX_SHARED``), else one made up of the same shape.
"""

from __future__ import annotations

import csv
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.figures import Figure, figure
from benchmarks.process import python
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library

ROUNDS = 9
"""Rounds of both, one after the other, so that what else the machine does meets both alike."""
_SHARED = Path(os.environ.get("DISCOX_SHARED") or Path(__file__).parents[2] / "shared")
_REAL = _SHARED / "data" / "wmt" / "mqm_ted_zhen.tsv"
_HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
_LABELS = (("Accuracy/Mistranslation", "Major"), ("Fluency/Grammar", "Minor"), ("Style/Awkward", "Minor"))


def write_ratings(path: Path, megabytes: float = 0.0, segments: int = 529) -> None:
    """Write ratings of 15 systems' translations of 5 talks; of more talks until the file has the megabytes."""
    drawn = random.Random(2021)
    talk = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(_HEADER)
        while talk < 5 or file.tell() < megabytes * 1e6:
            talk += 1
            for number in range(1, segments // 5 + 2):
                source = "".join(chr(drawn.randrange(0x4E00, 0x9000)) for _ in range(30))
                for system in range(15):
                    words = ["".join(drawn.choices("aeionrst", k=5)) for _ in range(20)]
                    rater = f"rater{drawn.randrange(4)}"
                    ids = f"system{system}\ttalk.{talk}\t{number}\t{talk * 1000 + number}\t{rater}\t{source}"
                    errors = drawn.choice((0, 0, 0, 1, 1, 2))
                    if not errors:
                        file.write(f"{ids}\t{' '.join(words)}\tNo-error\tNo-error\n")
                    for _ in range(errors):
                        at = drawn.randrange(len(words))
                        marked = [*words[:at], f"<v>{words[at]}</v>", *words[at + 1 :]]
                        label = "\t".join(drawn.choice(_LABELS))
                        file.write(f"{ids}\t{' '.join(marked)}\t{label}\n")


def bare(path: Path, database: Path) -> tuple[int, float]:
    """Rows, and seconds to parse them with ``csv`` and insert them into one table in one transaction, on disk."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"CREATE TABLE ratings ({', '.join(_HEADER.split())})")
        started = perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            next(rows)
            count = connection.executemany("INSERT INTO ratings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows).rowcount
        connection.execute("COMMIT")
        return count, perf_counter() - started


def imported(path: Path, database: Path) -> float:
    """Seconds to import them into a library that is new."""
    with closing(open_library(database)) as connection:
        started = perf_counter()
        import_path(connection, path)
        return perf_counter() - started


def measure() -> list[Figure]:
    """Measure both in turn, then the memory of importing a small and a big file, each in a process of its own."""
    with TemporaryDirectory(prefix="discox-bench-") as name:
        folder = Path(name)
        path = _REAL
        if not path.is_file():
            path = folder / "mqm_made_zhen.tsv"
            write_ratings(path)
        rates, ratios = [], []
        for turn in range(ROUNDS):
            rows, least = bare(path, folder / f"bare{turn}.db")
            spent = imported(path, folder / f"library{turn}.db")
            rates.append(rows / spent)
            ratios.append(100 * least / spent)
        peaks = []
        for megabytes in (4.0, 40.0):
            big = folder / f"mqm_{megabytes:g}_zhen.tsv"
            write_ratings(big, megabytes)
            spent_on = python(
                "-m", "discox_tui", "import", "--no-ground", "--json", "--db", folder / f"{megabytes:g}.db", big
            )
            peaks.append(spent_on.peak)
    return [
        figure(f"storing {rows:,} MQM ratings", median(rates), "rows/s"),
        figure("… to bare sqlite3 and csv in the same run", median(ratios), "%", "≥ 60"),
        figure("memory: storing 4 MB of ratings", peaks[0], "MB"),
        figure("memory: 40 MB of ratings, to 4 MB", peaks[1] / peaks[0], "×", "≤ 1.2"),
    ]
