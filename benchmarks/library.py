"""Cost of a library: storing 4,000 evaluations with 120,000 findings, opening one, locating, and memory meanwhile.

Everything runs as its users run it, in processes of their own, beside the bare work in the same run: parsing the same
lines with ``json.loads`` and adding the same rows with ``executemany``.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from benchmarks.figures import Figure, figure
from benchmarks.generate import write_folder, write_result
from benchmarks.process import Spent, python
from storage.db.schema import RECORD

EVALUATIONS, FINDINGS = 4_000, 120_000
MEGABYTES = 100.0
"""Size of the one big ``…result.json``."""
_SMALL = 8.0
_TABLES = (
    "articles",
    "rubric_points",
    "translations",
    "evaluations",
    "answers",
    "import_notes",
    "findings",
    "rubric_verdicts",
    "advice",
)


def _import(database: Path, *paths: Path) -> Spent:
    return python("-m", "discox_tui", "import", "--no-ground", "--json", "--db", database, *paths)


def bare(database: Path, files: list[Path], copy: Path) -> float:
    """CPU seconds of the bare work: parse the files' lines, add the rows that ``database`` holds to a new file."""
    spent = 0.0
    for path in files:
        started = process_time()
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                json.loads(line)
        spent += process_time() - started
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        target.execute("PRAGMA journal_mode = WAL")
        target.executescript(RECORD)
        for table in _TABLES:
            rows = source.execute(f"SELECT * FROM {table}")
            marks = ", ".join("?" * len(rows.description))
            while batch := rows.fetchmany(2_000):
                started = process_time()
                target.executemany(f"INSERT INTO {table} VALUES ({marks})", batch)
                spent += process_time() - started
        started = process_time()
        target.commit()
        spent += process_time() - started
    return spent


def measure(evaluations: int = EVALUATIONS, findings: int = FINDINGS, megabytes: float = MEGABYTES) -> list[Figure]:
    """Measure storing, opening, locating and memory; in temporary files of about four times the files' size."""
    with TemporaryDirectory(prefix="discox-bench-") as name:
        folder = Path(name)
        files = write_folder(folder / "full", evaluations, findings)
        size = sum(path.stat().st_size for path in files) / 1e6
        database = folder / "full.db"
        stored = _import(database, folder / "full")
        with closing(sqlite3.connect(database)) as connection:
            first = connection.execute("SELECT id FROM evaluations WHERE errors > 20 ORDER BY position").fetchone()[0]
            count = connection.execute("SELECT count(*) FROM findings").fetchone()[0]
        opened = python("-m", "discox_tui", "show", first, "--db", database)
        again = _import(database, folder / "full")
        work = float(python("-m", "benchmarks.library", database, folder / "bare.db", *files[1:]).output)

        one = folder / "one.db"
        small = _import(one, files[1])
        with closing(sqlite3.connect(one)) as connection:
            pending = connection.execute("SELECT count(*) FROM findings").fetchone()[0]
        located = python("-m", "discox_tui", "ground", "--quiet", "--db", one)
        rate = pending / located.wall

        results = folder / "results"
        results.mkdir()
        few, many = results / "few-DISCOXresult.json", results / "many-DISCOXresult.json"
        write_result(few, _SMALL)
        write_result(many, megabytes)
        few_peak = _import(folder / "few.db", few).peak
        streamed = _import(folder / "many.db", many)
    return [
        figure(f"{evaluations:,} evaluations, {count:,} findings ({size:.0f} MB): stored", stored.wall, "s"),
        figure("… and the first of them located and shown", stored.wall + opened.wall, "s", "≤ 60"),
        figure("storing, to bare json.loads and executemany", stored.cpu / work, "×"),
        figure("importing the same files again", again.wall, "s"),
        figure("locating, all cores", rate, "findings/s"),
        figure(f"locating all {count:,}, at that rate", count / rate, "s"),
        figure("memory: storing one system's file", small.peak, "MB"),
        figure(f"memory: storing {len(files)} files, to one", stored.peak / small.peak, "×", "≤ 1.2"),
        figure(f"memory: a result.json of {megabytes:g} MB, to {_SMALL:g} MB", streamed.peak / few_peak, "×", "≤ 1.2"),
        figure(f"a result.json of {megabytes:g} MB streamed in", streamed.wall, "s"),
    ]


if __name__ == "__main__":
    print(bare(Path(sys.argv[1]), [Path(name) for name in sys.argv[3:]], Path(sys.argv[2])))
