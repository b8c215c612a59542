"""Many reviewers at once on one library, each in a process of their own: nobody is told that it is locked."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from storage.integrity.opening import open_library
from storage.reviews.projections import rebuild
from tests.support.nightly import rounds

WRITERS = rounds(3, 8)
EACH = rounds(20, 1250)
"""At night ten thousand verdicts."""


def test_every_verdict_of_many_at_once_is_kept_and_none_is_refused(sample: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.verdict_writer", str(sample), f"reviewer-{number}", str(EACH)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(WRITERS)
    ]
    said = [each.communicate() for each in writers]
    assert [error for _, error in said] == [""] * WRITERS
    assert [json.loads(out) for out, _ in said] == [{"kept": EACH}] * WRITERS
    with closing(open_library(sample)) as connection:
        count = connection.execute(
            "SELECT count(*), count(DISTINCT counter) FROM events WHERE kind = 'verdict' AND reviewer GLOB 'reviewer-*'"
        ).fetchone()
        assert tuple(count) == (WRITERS * EACH, WRITERS * EACH)
        derived = "SELECT * FROM reviews ORDER BY reviewer, evaluation_id"
        before = connection.execute(derived).fetchall()
        rebuild(connection)
        assert connection.execute(derived).fetchall() == before
