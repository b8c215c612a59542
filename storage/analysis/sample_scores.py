"""Scores of repeated judgements: what the samples of one judge come to together, and other ways to weigh judges."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Literal, get_args

from judges.ranking.ranking import JudgedTranslation
from judges.ranking.repeated_judgements import METHOD, OUTLIERS, Aggregate, Repeated, aggregate
from storage.analysis.judge_scores import JudgedRows, Reader, read_judged
from storage.analysis.vote_scores import by_votes

Weighing = Literal["votes", "reciprocal-rank"]
"""``votes``: each error by how many judges found it. ``reciprocal-rank``: a judge's samples by their ranks."""


def reader_of(weighing: Weighing | None) -> Reader | None:
    """Return what reads the judges' scores so; None for each score as it is."""
    readers: dict[Weighing, Reader] = {"votes": by_votes, "reciprocal-rank": by_reciprocal_rank}
    return readers[weighing] if weighing else None


def after(weighing: Weighing | None) -> Weighing | None:
    """Return the next way, None after the last."""
    ways: tuple[Weighing | None, ...] = (None, *get_args(Weighing))
    return ways[(ways.index(weighing) + 1) % len(ways)]


def by_reciprocal_rank(
    connection: sqlite3.Connection, words: str = "", reviewer: str | None = None
) -> list[JudgedRows]:
    """Read rows as `read_judged` does, each judge's samples of a translation made into one score."""
    return [aggregated(group) for group in read_judged(connection, words, reviewer)]


def aggregated(group: JudgedRows) -> JudgedRows:
    """Return a judge's rows with the score that its samples of the same translation come to together.

    A sample counts if it has a total: a failed instruction check has one, of 0. Samples without, as the judge failed,
    are left out where another has one. The signatures say how, and of how many samples.
    """
    from judges.metric_s.protocol.signature import Signature  # which brings all that judges are asked by

    cells: defaultdict[tuple[str, str], list[JudgedTranslation]] = defaultdict(list)
    for row in group.rows:
        cells[row.article, row.system].append(row)
    made: dict[tuple[str, str], Aggregate] = {}
    for cell, of in cells.items():
        if scored := [row.points for row in of if row.points is not None]:
            made[cell] = aggregate(scored)
    rows = [
        replace(row, points=made[row.article, row.system].points) if (row.article, row.system) in made else row
        for row in group.rows
        if row.points is not None or (row.article, row.system) not in made
    ]
    samples = group.samples
    return replace(
        group,
        judge=f"{METHOD} of {group.judge} ×{samples}",
        signatures=tuple(
            replace(Signature.parse(text), aggregate=METHOD, samples=str(samples), outliers=OUTLIERS).text
            for text in group.signatures
        ),
        rows=tuple(rows),
        members=(group,),
        repeated=Repeated(
            usable=dict(sorted(Counter(each.samples for each in made.values()).items(), reverse=True)),
            failed=sum(row.state == "judge_failed" for row in group.rows),
            outliers=sum(each.outliers for each in made.values()),
            plain=sum(not each.weighed for each in made.values()),
        ),
    )
