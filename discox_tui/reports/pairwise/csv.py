"""Pairwise consistency, and every figure of reviews, as CSV for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from discox_tui.reports.pairwise.words import (
    cells_of,
    figures_of,
    left_out_of,
    listed,
    mean_name,
    metrics_of,
    signatures_of,
)
from discox_tui.reports.render.csv import csv_text, ends_in_columns, in_columns, whys_in_column
from discox_tui.reports.render.model import of_estimate
from judges.meta_eval.pair_counts import RULES
from judges.stats.figure import Figure

if TYPE_CHECKING:
    from judges.consistency.report import ConsistencyReport
    from judges.meta_eval.pairwise import PairwiseReport
    from judges.meta_eval.superiority_test import Claim
    from judges.ranking.acceptance_model import ModelAssessment
    from storage.analysis.pairwise import Pairwise


def as_csv(
    found: Pairwise,
    reviews: ConsistencyReport | None = None,
    validity: ModelAssessment | None = None,
    stand_in: Mapping[str, Mapping[str, Figure]] = MappingProxyType({}),
) -> str:
    """Return a row for each metric, level and direction, of all scores and of each group, and one for each mean.

    So too of people among themselves, and of the metrics beside them (``by`` is "against", ``label`` whose ratings),
    and of ratings on another scale ("rating").
    Then the severity of each rater (``level`` "rater") and the variance of scores by source ("variance"), each figure
    of metrics against people segment by segment ("rated segment"), the rank of each metric by each measure, and the p
    that one is ahead of another (``label``: which is behind); what two metrics or systems differ by, two for each claim
    that a ``metric`` is the more consistent (``label``:
    than which), and one for each figure of ``reviews`` and ``validity``: ``level`` is the part of the report, ``label``
    of whom or what. So too of ``stand_in``, the figures of each test by name. An undefined figure is an empty cell and
    ``why`` says so.
    """
    rows = [*_csv_pairwise(found, "", "", found.report)]
    people = found.people
    for against in people.raters:
        rows += _csv_pairwise(found, "against", listed(against.others), against.report)
    if people.of_several:
        for against in people.pairs:
            rows += _csv_pairwise(found, "against", listed(against.others), against.report)
        rows += _csv_over_pairs(found)
    for label, group in found.by_rating.items():
        rows += _csv_pairwise(found, "rating", label, group)
    for label, group in found.groups.items():
        rows += _csv_pairwise(found, found.cut or "", label, group)
    rows += [
        *_csv_severity(found),
        *_csv_segments(found),
        *_csv_rankings(found),
        *_csv_metrics(found),
        *_csv_systems(found),
    ]
    rows += [row for claim in found.claims for row in _csv_claim(claim)]
    if reviews is not None:
        rows += _csv_reviews(reviews, validity)
    for name, figures in stand_in.items():
        of = {"level": "stand in for a person", "label": name, **_drawn(found.report)}
        rows += [of | {"figure": figure, **in_columns(value)} for figure, value in figures.items()]
    return csv_text(_CSV_COLUMNS, rows)


_CSV_FIGURES = (*RULES, "acc_eq_calibrated", "acc_eq_held_out", "spa")
_CSV_COLUMNS = (
    *("by", "label", "metric", "level", "direction", "n", "concordant", "discordant"),
    *("tied_human", "tied_metric", "tied_both"),
    *(f"{name}{end}" for name in _CSV_FIGURES for end in ("", "_low", "_high")),
    *("wilson_low", "wilson_high", "epsilon", "why", "articles", "systems", "left_out"),
    *("signature", "seed", "resamples", "figure", "value", "low", "high"),
    *("p", "p_adjusted", "further", "adopted", "covers", "attempt", "attempts"),
)


def _csv_pairwise(found: Pairwise, by: str, label: str, report: PairwiseReport) -> Iterator[dict[str, object]]:
    for metric in metrics_of(found, report) or list(report.averages):
        head: dict[str, object] = {
            "by": by,
            "label": label,
            "metric": metric,
            "signature": " + ".join(signatures_of(metric, found.table.metrics.get(metric))),
            **_drawn(report),
        }
        for key in cells_of(report, metric):
            cell = report.cells[metric, *key]
            yield head | {
                "level": cell.level,
                "direction": cell.direction,
                "n": cell.counts.n,
                **asdict(cell.counts),
                **_csv_figures(figures_of(cell)),
                "epsilon": cell.calibrated.epsilon,
                "articles": cell.articles,
                "systems": cell.systems,
                "left_out": left_out_of(cell),
                **ends_in_columns(cell.wilson["acc_eq"], "wilson_"),
            }
        means = report.averages[metric]
        yield (
            head
            | {"level": mean_name(report), "n": means["acc_eq"].n}
            | _csv_figures({str(rule): figure for rule, figure in means.items()})
        )


def _csv_over_pairs(found: Pairwise) -> Iterator[dict[str, object]]:
    """Means over every two people, with their range as both ends."""
    head: dict[str, object] = {"by": "over pairs", "label": "mean and range", **_drawn(found.report)}
    for (metric, level, direction), spreads in found.people.over_pairs.items():
        row = head | {"metric": metric or "people", "level": level or "mean of cells", "direction": direction}
        row |= {"n": spreads["acc_eq"].mean.n, "why": "; ".join(dict.fromkeys(s.mean.why for s in spreads.values()))}
        for rule, each in spreads.items():
            row |= {rule: each.mean.value, f"{rule}_low": each.low, f"{rule}_high": each.high}
        yield row


def _csv_figures(figures: Mapping[str, Figure]) -> dict[str, object]:
    row: dict[str, object] = {"why": "; ".join(whys_in_column(*figures.values()))}
    for name, figure in figures.items():
        row |= {name: figure.value, **ends_in_columns(figure.interval, f"{name}_")}
    return row


def _csv_severity(found: Pairwise) -> Iterator[dict[str, object]]:
    """Severity of raters, then the variance of scores by source."""
    for label, by_direction in found.severity.items():
        for direction, of in by_direction.items():
            head = {"by": "rating" if label else "", "direction": direction, **_drawn(found.report)}
            for each in of.raters:
                for name in ("mean", "deviation", "difference", "difference_z"):
                    yield head | {
                        "label": each.rater,
                        "level": "rater",
                        "figure": name,
                        **in_columns(getattr(each, name)),
                    }
            for source, figure in of.variance.figures.items():
                yield head | {"label": label, "level": "variance", "figure": source, **in_columns(figure)}


def _csv_segments(found: Pairwise) -> Iterator[dict[str, object]]:
    """Figures of metrics against people segment by segment."""
    for label, cells in found.segments.items():
        for cell in cells.values():
            for grouping, figures in cell.figures.items():
                for name, figure in figures.items():
                    yield {
                        "by": "rating" if label else "",
                        "label": label,
                        "metric": cell.metric,
                        "level": "rated segment",
                        "direction": cell.direction,
                        "figure": f"{name}, grouping {grouping}",
                        "epsilon": cell.epsilons[grouping] if name == "acc_eq_calibrated" else None,
                        "articles": cell.articles,
                        "systems": cell.systems,
                        "left_out": "; ".join(f"{why} ({n:,})" for why, n in cell.left_out.items() if n),
                        **in_columns(figure),
                        **_drawn(found.report),
                    }


def _csv_rankings(found: Pairwise) -> Iterator[dict[str, object]]:
    """Ranks of all metrics, then the tests of every two."""
    for ranking in found.rankings:
        head = {"level": ranking.level, "direction": ranking.direction, **_drawn(found.report)}
        for each in ranking.metrics:
            yield head | {
                "metric": each.metric,
                "figure": f"rank by {ranking.measure}",
                "n": each.figure.n,
                "value": each.rank,
                "why": each.figure.why,
                "left_out": f"translations without a score by the metric ({each.lacks:,})" if each.lacks else "",
            }
        for test in ranking.tests:
            yield head | {
                "metric": test.ahead,
                "label": f"ahead of {test.behind}",
                "figure": f"PERM-BOTH by {ranking.measure}, adjusted: {ranking.correction}",
                "n": test.translations,
                "p": test.test.p,
                "p_adjusted": test.p,
                "why": test.test.why,
                "resamples": test.test.permutations,
            }


def _csv_metrics(found: Pairwise) -> Iterator[dict[str, object]]:
    """Differences of two metrics, with the p of PERM-BOTH."""
    for each in found.metrics:
        yield {
            "label": f"minus {each.first}",
            "metric": each.second,
            "level": each.level,
            "direction": each.direction,
            "articles": each.articles,
            "figure": f"difference in {each.measure}",
            "p": each.test.p,
            "further": each.plan.further,
            **in_columns(each.difference, each.test.why, each.plan.why),
            **_drawn(found.report),
        }


def _csv_systems(found: Pairwise) -> Iterator[dict[str, object]]:
    """Differences of two systems in the scores of each metric, and of people."""
    for each in found.systems:
        yield {
            "label": f"{each.second} minus {each.first}",
            "metric": each.scorer or "humans",
            "direction": each.direction,
            "articles": each.difference.n,
            "figure": "difference of systems",
            "p": each.p,
            "further": each.plan.further,
            **in_columns(of_estimate(each.difference), each.difference.why, each.plan.why),
            **_drawn(found.report),
        }


def _drawn(report: PairwiseReport | ConsistencyReport) -> dict[str, object]:
    return {"seed": report.seed, "resamples": report.resamples}


def _csv_claim(claim: Claim) -> Iterator[dict[str, object]]:
    """Yield what is claimed, then what the correlations of both differ by."""
    gate, differ = claim.gate, claim.correlations.difference
    of = {
        "label": f"more consistent than {claim.standard}",
        "metric": claim.candidate,
        "level": "segment",
        "direction": claim.direction,
    }
    yield of | {
        "n": gate.pairs,
        "why": gate.why,
        "articles": gate.n,
        "figure": "gain in c_index",
        "value": gate.gain,
        "low": gate.low,
        "high": gate.high,
        "further": None if gate.needed is None else gate.needed - gate.n,
        "adopted": gate.said,
        "covers": gate.confidence,
        "attempt": gate.attempt,
        "attempts": claim.attempts,
    }
    figure = "difference in correlation within articles"
    yield of | {"articles": differ.n, "figure": figure, **in_columns(differ)}


def _csv_reviews(reviews: ConsistencyReport, validity: ModelAssessment | None) -> Iterator[dict[str, object]]:
    parts = {
        "findings": reviews.findings,
        "instruction check": reviews.instruction,
        "documents": reviews.documents,
        "between humans": reviews.between_humans,
        "reviewers with themselves": reviews.within_reviewers,
        "spans": reviews.spans,
        "blind first or anchored": reviews.anchoring,
        "validity": validity,
    }
    for part, value in parts.items():
        for path, figure in _figures_in(value):
            *of, name = path
            by = of[1] if of[:1] == ["by"] else ""
            label = " / ".join(of[2:] if by else of)
            yield {"by": by, "label": label, "level": part, "figure": name, **in_columns(figure), **_drawn(reviews)}


def _figures_in(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Figure]]:
    """Every figure within a value, with the names that lead to it."""
    match value:
        case Figure():
            yield path, value
        case Mapping():
            for name, part in value.items():
                yield from _figures_in(part, (*path, str(name)))
        case tuple() | list():
            for number_, part in enumerate(value, 1):
                yield from _figures_in(part, (*path, ", ".join(getattr(part, "reviewers", ())) or str(number_)))
        case _ if is_dataclass(value):
            for each in fields(value):
                yield from _figures_in(getattr(value, each.name), (*path, each.name))
