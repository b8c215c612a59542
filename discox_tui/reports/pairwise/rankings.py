"""All metrics in one table, in clusters of significance, as a section of a report; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.pairwise.words import reasons
from discox_tui.reports.render.layout import UNDEFINED, number, probability
from discox_tui.reports.render.model import (
    SHARE,
    Beside,
    Column,
    Heading,
    Label,
    Medium,
    Part,
    Section,
    Shown,
    Table,
    Value,
    Words,
)
from judges.meta_eval.metric_ranking import SIGNIFICANT

if TYPE_CHECKING:
    from judges.meta_eval.metric_ranking import Correction, MetricRanking

ADJUSTED: dict[Correction, str] = {
    "none": "p-values are not adjusted for their number",
    "holm": "p-values are adjusted by Holm, over every two metrics of a column",
    "bh": "p-values are adjusted by Benjamini and Hochberg, over every two metrics of a column",
}
"""Meaning of each correction."""


def ranking_section(rankings: Sequence[MetricRanking], basis: Sequence[str], on: Medium) -> Section:
    """Return the ranks of all metrics by direction, then by each measure what they rest on."""
    said = _said(rankings)
    parts: list[Part] = [Words(said, "terminal")]
    for direction in dict.fromkeys(each.direction for each in rankings):
        own = [each for each in rankings if each.direction == direction]
        parts += [
            Heading(f"RANKS: {direction or '(no direction)'}"),
            _ranks(direction, own, said, basis),
            *(Words(each, "terminal") for each in _lacking(own)),
        ]
        for ranking in own:
            parts += [_measured(ranking, basis), *_why(ranking), _tests(ranking, basis)]
    return Section("Metrics ranked", parts, on=on)


def _said(rankings: Sequence[MetricRanking]) -> str:
    fewest, most = (of(each.resamples[at] for each in rankings) for at, of in ((0, min), (1, max)))
    swaps = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    adjusted = ADJUSTED[rankings[0].correction]
    return (
        "In brackets the rank: one more than the clusters above. From the best down a new cluster begins where a "
        f"metric of the one above is significantly ahead: p at most {SIGNIFICANT:g} of the one-sided test PERM-BOTH "
        f"(Deutsch et al. 2021), over the translations that humans and both metrics scored, of {swaps} swaps; "
        f"{adjusted}. Two metrics of one rank need not be alike, and no rank is a claim: --compare A B makes one."
    )


def _ranks(direction: str, own: Sequence[MetricRanking], said: str, basis: Sequence[str]) -> Table:
    heads = [Column(_name(each), f"{each.level[:3]} {_measure(each)}"[:11]) for each in own]
    places = [{one.metric: one for one in each.metrics} for each in own]
    rows: list[Sequence[Value]] = []
    for first in own[0].metrics:
        cells = [place[first.metric] for place in places]
        rows.append((first.metric, *(f"{number(c.figure.value, 'z.3f')} ({c.rank or UNDEFINED})" for c in cells)))
    return Table(
        f"Metrics ranked, {direction or '(no direction)'}",
        (Column("metric", "metric"), *heads),
        rows,
        [said, *_lacking(own)],
        basis=basis,
        named=True,
    )


def _measured(ranking: MetricRanking, basis: Sequence[str]) -> Table:
    rows: list[Sequence[Value]] = [
        (
            Label(each.metric, f"{each.rank or UNDEFINED}  {each.metric}"),
            UNDEFINED if each.rank is None else each.rank,
            Shown(each.figure, scale=SHARE),
            each.figure.n,
            probability(each.closest.p) if each.closest else "",
            each.closest.ahead if each.closest else "",
            f"{each.closest.translations:,}" if each.closest else "",
        )
        for each in ranking.metrics
    ]
    return Table(
        f"Metrics ranked by {_name(ranking)}",
        (
            Column("metric", f"{ranking.level[:3]} {_measure(ranking)}"),
            Column("rank", None),
            Column("figure", "figure", Beside()),
            Column("pairs", "pairs"),
            Column("p", "p"),
            Column("ahead of it", None),
            Column("translations", "transl."),
        ),
        rows,
        definitions={
            "p": "the smallest of those that a metric of the cluster it might join is ahead of it, adjusted as said; "
            "where it is significant, a new cluster begins"
        },
        basis=basis,
        named=True,
    )


def _tests(ranking: MetricRanking, basis: Sequence[str]) -> Table:
    rows: list[Sequence[Value]] = [
        (each.ahead, each.behind, f"{each.translations:,}", probability(each.test.p), probability(each.p))
        for each in ranking.tests
    ]
    return Table(
        f"Every two metrics by {_name(ranking)}",
        ("ahead", "behind", "translations", "p", f"p, adjusted: {ranking.correction}"),
        rows,
        basis=basis,
        on="page",
    )


def _lacking(own: Sequence[MetricRanking]) -> Iterator[str]:
    """Say which metrics miss translations, so that they are compared on fewer than their figure is of."""
    missing = sorted(f"{each.metric} ({each.lacks:,})" for each in own[0].metrics if each.lacks)
    if missing:
        of = f", {own[0].direction}" if own[0].direction else ""
        yield (
            f"Without a score for some of the translations that humans rated{of}: {', '.join(missing)}. A figure is of "
            "what its metric scored, a test of what both did."
        )


def _why(ranking: MetricRanking) -> Iterator[Words]:
    yield from (Words(why, "terminal", 4) for why in reasons(each.figure for each in ranking.metrics))


def _name(ranking: MetricRanking) -> str:
    return f"{ranking.level} {_measure(ranking)}"


def _measure(ranking: MetricRanking) -> str:
    return "SPA" if ranking.measure == "spa" else ranking.measure
