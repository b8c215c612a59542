"""What it takes to match the findings of three judges, thirty each, over as many translations as a benchmark has."""

from __future__ import annotations

from random import Random
from time import perf_counter

from benchmarks.figures import Figure, figure
from judges.model import DIMENSIONS, Place
from judges.ranking.judge_votes import LocatedFinding, group_findings

TRANSLATIONS, JUDGES, FINDINGS = 4_000, 3, 30
LENGTH = 3_000
"""Characters of a translation; its source has half as many."""
FOUND = 0.6
"""The share of the errors that a judge finds; the rest of its findings nobody else has."""


def measure() -> list[Figure]:
    """Measure the matching alone: what it is given is made beforehand."""
    drawn = Random(8)
    translations = [_judged(drawn) for _ in range(TRANSLATIONS)]
    started = perf_counter()
    errors = sum(len(group_findings(judges)) for judges in translations)
    seconds = perf_counter() - started
    return [
        figure(f"{TRANSLATIONS:,} translations, {JUDGES} x {FINDINGS} findings: matched", seconds, "s", "≤ 5"),
        figure("findings an error", TRANSLATIONS * JUDGES * FINDINGS / errors, ""),
    ]


def _judged(drawn: Random) -> list[list[LocatedFinding]]:
    errors = [drawn.randrange(LENGTH) for _ in range(round(FINDINGS / FOUND))]
    return [[_found(drawn, at) for at in drawn.sample(errors, FINDINGS)] for _ in range(JUDGES)]


def _found(drawn: Random, at: int) -> LocatedFinding:
    if drawn.random() > FOUND:
        at = drawn.randrange(LENGTH)
    start, length = at + drawn.randrange(5), drawn.randint(5, 40)
    source = Place("source", start // 2, (start + length) // 2)
    return LocatedFinding((source, Place("translation", start, start + length)), drawn.choice(DIMENSIONS))
