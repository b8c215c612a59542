"""One reviewer who decides as fast as they can, in a process of their own: what several do to one library at once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from discox_tui.screens.common.app_base import PATIENCE_MS
from discox_tui.sessions.review import ReviewSession
from storage.integrity.opening import open_library


def write(library: Path, reviewer: str, number: int) -> dict[str, int]:
    """Give so many verdicts as the app gives them, with its patience; return how many of them stand, and the rest."""
    connection = open_library(library)
    connection.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
    session = ReviewSession(connection, reviewer)
    ids = [row[0] for row in connection.execute("SELECT id FROM evaluations WHERE state = 'scored' ORDER BY id")]
    kept = 0
    while kept < number:
        identity = ids[(kept // 20) % len(ids)]
        evaluation = session.open(identity)
        findings = [each for each in evaluation.findings if each.finding.kept]
        for each in findings[: min(20, number - kept)]:
            decision = "unsure" if session.verdict(each).decision == "agree" else "agree"
            assert session.decide(each, decision) is not None
            session.changed_elsewhere()
            kept += 1
    connection.close()
    return {"kept": kept}


if __name__ == "__main__":
    print(json.dumps(write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))
