"""The cost of importing one reviewer's whole log, and of opening, merging and exporting a library that holds it.

157,000 events are about what one person leaves in 4,000 evaluations. A log that is twice as long takes twice as long.
"""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.figures import Figure, figure
from benchmarks.generate import write_folder
from benchmarks.process import python
from storage.base.text import utc
from storage.integrity.opening import open_library

EVALUATIONS, FINDINGS, EVENTS = 4_000, 40_000, 157_000
DECISIONS = ("agree", "not_an_error", "unsure")


def measure(events: int = EVENTS) -> list[Figure]:
    """Measure in processes of their own, as users run them."""
    with TemporaryDirectory(prefix="discox-bench-") as name:
        folder = Path(name)
        write_folder(folder / "files", EVALUATIONS, FINDINGS)
        database, half = folder / "a.db", folder / "half.db"
        for path in (database, half):
            python("-m", "discox_tui", "import", "--no-ground", "--json", "--db", path, folder / "files")
        write_log(database, folder / "log.jsonl", events)
        write_log(half, folder / "half.jsonl", events // 2)
        taken = python("-m", "discox_tui", "verdicts", "import", folder / "log.jsonl", "--db", database)
        partly = python("-m", "discox_tui", "verdicts", "import", folder / "half.jsonl", "--db", half)
        opened = python("-m", "discox_tui", "plan", "--db", database)
        bare = python("-m", "discox_tui", "plan", "--db", folder / "half.db")
        merged = python("-m", "discox_tui", "merge", database, "--db", folder / "merged.db")
        written = python("-m", "discox_tui", "verdicts", "export", folder / "again.jsonl", "--db", database)
    return [
        figure(f"{events:,} events of one reviewer: imported", taken.cpu, "s CPU", "≤ 15"),
        figure("… to half as many", taken.cpu / partly.cpu, "×", "≤ 2.5"),
        figure("… memory", taken.peak, "MB", "≤ 300"),
        figure("… a library with them: merged into a new one", merged.cpu, "s CPU", "≤ 30"),
        figure("… memory", merged.peak, "MB", "≤ 300"),
        figure("… the log exported", written.cpu, "s CPU"),
        figure("… the library opened, to one with half as many", opened.cpu / bare.cpu, "×", "≤ 1.5"),
    ]


def write_log(database: Path, target: Path, events: int) -> None:
    """Write a log of one reviewer's verdicts on a library's evaluations, in the order of the list."""
    with closing(open_library(database)) as connection:
        of: dict[str, list[str]] = {}
        query = "SELECT f.evaluation_id, f.id FROM evaluations e JOIN findings f ON f.evaluation_id = e.id"
        for evaluation, finding in connection.execute(f"{query} ORDER BY e.position, f.number"):
            of.setdefault(evaluation, []).append(finding)
    evaluations = list(of)
    drawn, start, each = Random(9), datetime(2026, 1, 1, tzinfo=UTC), -(-events // len(of))
    with target.open("w", encoding="utf-8") as file:
        for number in range(events):
            evaluation = evaluations[number // each]
            finding = drawn.choice(of[evaluation])
            row: dict[str, object] = {
                "id": f"{drawn.getrandbits(128):032x}",
                "at": utc(start + timedelta(seconds=number)),
                "reviewer": "lin",
                "evaluation": evaluation,
                "counter": number + 1,
            }
            match number % each:
                case 0:
                    row |= {"kind": "opened"}
                case place if place == each - 1:
                    row |= {"kind": "review", "changes": {"state": "done"}}
                case place if place % 5 == 0:
                    row |= {"kind": "time", "changes": {"seconds": {finding: 3.5}}}
                case _:
                    said = {"decision": drawn.choice(DECISIONS), "note": "看原文，再想一想"}
                    row |= {"kind": "verdict", "finding": finding, "changes": said}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
