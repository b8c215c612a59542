"""Invented quotes by hand: a quote is nowhere only while nothing else on its side is certain, in every figure alike."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from judges.model import Grounded, Side, Span
from storage.analysis.acceptance import read_cases
from storage.analysis.review_data import read_reviewed
from storage.integrity.opening import open_library
from storage.record.groundings import Grounding, store
from storage.record.library import read_evaluation
from storage.reviews.review_log import ReviewLog
from tests.support import builders

NOWHERE = (("translation", "runs dry"),)


def lit(side: Side, confidence: float = 0.99, role: str = "quote") -> Span:
    return Span(side, 0, 2, role, confidence=confidence)  # type: ignore[arg-type]


CASES: Mapping[str, tuple[Grounded, bool, bool, str]] = {
    "nothing is quoted": (Grounded(), False, False, "not found"),
    "found": (Grounded((lit("translation"),)), True, False, "exact"),
    "one of two sides found": (Grounded((lit("source"),), unlocated=NOWHERE), True, True, "not found"),
    "certain beside it": (Grounded((lit("source"), lit("translation")), unlocated=NOWHERE), True, False, "exact"),
    "only alike": (Grounded((lit("translation", 0.94),), unlocated=NOWHERE), True, True, "not found"),
    "only its context": (Grounded((lit("translation", role="context"),), unlocated=NOWHERE), True, True, "not found"),
}
"""Places of findings → whether they quote, whether that is invented, and the acceptance model's feature."""


def library(path: Path, asked: bool) -> tuple[str, dict[str, str]]:
    """Store one evaluation whose findings lie as the cases say, all agreed with; ``asked``: its judge was to quote."""
    with closing(open_library(path)) as connection:
        found = tuple(finding for finding in builders.findings() if finding.kept)
        identity = builders.add(connection, found=(*found, replace(found[-1], index=2)))
        ids = [stored.id for stored in read_evaluation(connection, identity).findings]
        places = dict(zip(ids, (where for where, *_ in CASES.values()), strict=True))
        store(connection, [Grounding(identity, "by-hand", (), places)])
        log = ReviewLog(connection, "ana")
        log.open(identity)
        for finding in ids:
            log.decide(identity, finding, decision="agree")
        log.decide(identity, ids[2], invented=True)
        log.decide(identity, ids[0], invented=True)
        log.set_review(identity, state="done")
    if asked:
        with closing(sqlite3.connect(path)) as raw:
            triggers = raw.execute(
                "SELECT name, sql FROM sqlite_master WHERE name IN ('evaluations_no_update', 'findings_no_update')"
            ).fetchall()
            for name, _ in triggers:
                raw.execute(f"DROP TRIGGER {name}")
            raw.execute("UPDATE evaluations SET quotes = 9, quotes_verified = 5")
            for finding, (where, quotes, *_) in zip(ids, CASES.values(), strict=True):
                notes = '["sides_swapped", "translation_not_found"]' if where.unlocated else "[]"
                changed = ("words" if quotes else None, notes, finding)
                raw.execute("UPDATE findings SET translation_quote = ?, quote_notes = ? WHERE id = ?", changed)
            for _, sql in triggers:
                raw.execute(sql)
            raw.commit()
    return identity, dict(zip(CASES, ids, strict=True))


@pytest.mark.parametrize("asked", [False, True], ids=["prose", "asked for quotes"])
def test_a_finding_whose_other_place_is_certain_is_a_found_one(tmp_path: Path, asked: bool) -> None:
    library(tmp_path / "a.db", asked)
    with closing(open_library(tmp_path / "a.db")) as connection:
        (count,) = read_reviewed(connection).quotes
        known = [case.known.quoted for case in read_cases(connection).cases]
    assert (count.quoting, count.invented) == (5 + 1, 3)  # one more that a reviewer says is a quote
    assert (count.marked, count.both) == (2, 1)
    assert known == [said for *_, said in CASES.values()]


def test_the_newest_grounding_says_what_is_nowhere(tmp_path: Path) -> None:
    identity, ids = library(tmp_path / "a.db", asked=False)
    with closing(open_library(tmp_path / "a.db")) as connection:
        places = dict.fromkeys(ids.values(), Grounded((lit("translation"),)))
        places[ids["found"]] = Grounded(unlocated=(("source", '["translation" says so'),))
        store(connection, [Grounding(identity, "by-hand-2", (), places)])
        (count,) = read_reviewed(connection).quotes
        known = [case.known.quoted for case in read_cases(connection).cases]
    assert (count.quoting, count.invented, count.marked, count.both) == (6, 1, 2, 0)
    assert known == ["exact", "not found", "exact", "exact", "exact", "exact"]
