"""Pairwise consistency as JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discox_tui.reports.pairwise.words import (
    NO_TEST,
    cells_of,
    figures_of,
    metrics_of,
    unsigned,
    warnings_of,
    whys_of,
)
from discox_tui.reports.render.json import ended, ends_of, plain
from judges.meta_eval.metric_ranking import SIGNIFICANT
from judges.metric_s.published import published, published_consistency
from judges.stats.figure import Figure
from judges.stats.resampling import CONFIDENCE

if TYPE_CHECKING:
    from judges.consistency.rater_effects import SeverityReport
    from judges.meta_eval.metric_ranking import MetricRanking
    from judges.meta_eval.pairwise import Cell, PairwiseReport
    from judges.meta_eval.rated_segments import SegmentCell
    from judges.meta_eval.superiority_test import Claim
    from judges.stats.figure import Spread
    from storage.analysis.among_people import AgainstOthers
    from storage.analysis.metric_scores import Metric
    from storage.analysis.pairwise import Pairwise


def as_json(found: Pairwise, *, beside: bool = False) -> dict[str, Any]:
    """Return what `json.dumps` takes, without NaN; what is undefined is null, with the reason in a sibling object."""
    report, table = found.report, found.table
    headline = {metric: report.averages[metric][found.ties] for metric in metrics_of(found)}
    shown: dict[str, Any] = {
        "pairwise": _cells(found, report),
        "average": {metric: figure.value for metric, figure in headline.items()},
        "average_why": whys_of(headline),
        "average_interval": {metric: ends_of(figure.interval) for metric, figure in headline.items()},
        "average_interval_why": _interval_whys(headline),
        "averages": report.averages,
        "average_directions": report.averaged,
        "ties": found.ties,
        "seed": report.seed,
        "resamples": report.resamples,
        "confidence": CONFIDENCE,
        "metrics": {name: _metric(table.metrics.get(name)) for name in headline},
        "between_raters": _against(found, found.people.raters),
        "between_pairs": _against(found, found.people.pairs),
        "between_pairs_mean": [
            {
                "metric": metric or None,
                "level": level,
                "direction": direction,
                "figures": {rule: _spread(each) for rule, each in spreads.items()},
            }
            for (metric, level, direction), spreads in found.people.over_pairs.items()
        ],
        "between_raters_apart": found.people.apart,
        "between_raters_why": {each.rater: each.why for each in found.people.raters if each.why},
        "between_why": found.people.why or None,
        "pairwise_by_rating": {label: _group(found, group) for label, group in found.by_rating.items()},
        "raters": report.raters,
        "rated_by_several": report.rated_by_several,
        "gold": [{"judge": gold.judge, "blind_first": gold.blind, "ratings": gold.ratings} for gold in table.gold],
        "scales": table.scales,
        "scores_left_out": table.left_out,
        "warnings": warnings_of(found),
    }
    if found.cut:
        groups = {label: _group(found, group) for label, group in found.groups.items()}
        shown["pairwise_by"] = {"by": found.cut, "groups": groups}
    if found.severity:
        shown["rater_severity"] = [
            {"ratings": label or None, "direction": direction, **plain_severity(of)}
            for label, by_direction in found.severity.items()
            for direction, of in by_direction.items()
        ]
    if found.segments:
        shown["segments"] = [
            {"ratings": label or None, **plain_segments(cell)}
            for label, cells in found.segments.items()
            for cell in cells.values()
        ]
        shown["segments_left_out"] = found.segments_left_out
    if found.rankings:
        shown["metric_rankings"] = [plain_ranking(each) for each in found.rankings]
    if found.metrics:
        shown["compared_metrics"] = found.metrics
    if found.claims:
        shown["claims"] = [plain_claim(each) for each in found.claims]
    if found.systems:
        shown["compared_systems"] = [
            asdict(each) | ({"p_why": NO_TEST} if each.p is None else {}) for each in found.systems
        ]
    if beside:
        shown["published"] = [
            {
                "metric": row.metric,
                "average": row.average,
                **({"why": "not published"} if row.average is None else {}),
                "cells": [{"level": level, "direction": d, "value": value} for (level, d), value in row.cells.items()],
            }
            for row in published_consistency()
        ]
        shown["published_ablations"] = published().ablations
    made: dict[str, Any] = plain(shown, ended)
    return made


def _against(found: Pairwise, several: Sequence[AgainstOthers]) -> list[dict[str, Any]]:
    return [
        {
            "rater": against.rater,
            "others": against.others,
            **_cell(found, cell),
            "metric": None if cell.metric == against.name else cell.metric,
        }
        for against in several
        for cell in against.report.cells.values()
    ]


def _spread(of: Spread) -> dict[str, Any]:
    used, pairs = of.mean.groups or (0, 0)
    return {**ended(of.mean), "low": of.low, "high": of.high, "pairs": {"used": used, "total": pairs}}


def _group(found: Pairwise, group: PairwiseReport) -> dict[str, Any]:
    headline = {metric: rules[found.ties] for metric, rules in group.averages.items()}
    return {
        "pairwise": _cells(found, group),
        "average": {metric: figure.value for metric, figure in headline.items()},
        "average_why": whys_of(headline),
        "averages": group.averages,
    }


def _cells(found: Pairwise, report: PairwiseReport) -> list[dict[str, Any]]:
    return [
        _cell(found, report.cells[metric, *cell])
        for metric in metrics_of(found, report)
        for cell in cells_of(report, metric)
    ]


def _cell(found: Pairwise, cell: Cell) -> dict[str, Any]:
    figures = figures_of(cell)
    metric = found.table.metrics.get(cell.metric)
    return {
        "metric": cell.metric,
        "level": cell.level,
        "direction": cell.direction,
        "n": cell.counts.n,
        **asdict(cell.counts),
        **{name: figure.value for name, figure in figures.items()},
        "epsilon": cell.calibrated.epsilon,
        "held_out_epsilons": cell.held_out.epsilons if cell.held_out else None,
        "spa_n": cell.spa.n if cell.spa else None,
        "spa_resamples": cell.spa.interval.resamples if cell.spa and cell.spa.interval else None,
        "interval": {name: ends_of(figure.interval) for name, figure in figures.items()},
        "wilson": {rule: ends_of(interval) for rule, interval in cell.wilson.items()},
        "why": whys_of(figures),
        "interval_why": _interval_whys(figures),
        "interval_warning": {
            name: figure.interval.warning
            for name, figure in figures.items()
            if figure.interval is not None and figure.interval.warning
        },
        "articles": cell.articles,
        "systems": cell.systems,
        "left_out": cell.left_out,
        **_signature(metric),
    }


def plain_severity(of: SeverityReport) -> dict[str, Any]:
    """Severity of raters as what `json.dumps` takes."""
    names = ("mean", "deviation", "difference", "difference_z")
    raters = [
        {"rater": each.rater}
        | {name: ended(getattr(each, name)) for name in names}
        | {"z_scores": [asdict(one) for one in each.z_scores]}
        for each in of.raters
    ]
    components = {
        name: ended(figure) | {"share": of.variance.shares[name]} for name, figure in of.variance.figures.items()
    }
    variance = {"components": components, "levels": of.variance.levels, "crossed": of.variance.crossed}
    return {"raters": raters, "variance": variance, "left_out": of.left_out}


def plain_segments(cell: SegmentCell) -> dict[str, Any]:
    """A metric against people segment by segment, as what `json.dumps` takes."""
    head = ("metric", "direction", "scores", "segments", "articles", "systems", "left_out")
    groupings = {
        grouping: {
            name: ended(figure) | ({"groups": figure.groups} if figure.groups else {})
            for name, figure in figures.items()
        }
        | {"epsilon": cell.epsilons[grouping]}
        for grouping, figures in cell.figures.items()
    }
    return {name: getattr(cell, name) for name in head} | {"groupings": groupings}


def plain_ranking(ranking: MetricRanking) -> dict[str, Any]:
    """A ranking as what `json.dumps` takes, with every test of it."""
    head = {name: getattr(ranking, name) for name in ("direction", "level", "measure", "correction")}
    fewest, most = ranking.resamples
    metrics = [
        {
            "metric": each.metric,
            "rank": each.rank,
            **ended(each.figure),
            "translations_lacking": each.lacks,
            "closest": each.closest.ahead if each.closest else None,
            "closest_p": each.closest.p if each.closest else None,
        }
        for each in ranking.metrics
    ]
    tests = [
        {
            "ahead": each.ahead,
            "behind": each.behind,
            "translations": each.translations,
            "p": each.test.p,
            "p_adjusted": each.p,
            **({"why": each.test.why} if each.test.p is None else {}),
            **{name: getattr(each.test, name) for name in ("exact", "permutations", "degenerate")},
        }
        for each in ranking.tests
    ]
    drawn = {"significant": SIGNIFICANT, "permutations": [fewest, most]}
    return head | drawn | {"metrics": metrics, "tests": tests}


def plain_claim(claim: Claim) -> dict[str, Any]:
    """A claim as what `json.dumps` takes."""
    head = {name: getattr(claim, name) for name in ("standard", "candidate", "direction", "attempts")}
    gate = asdict(claim.gate)
    values = {f"{name}_c_index": gate.pop(name) for name in ("standard", "candidate")}
    both = claim.correlations
    correlations = {
        "standard": both.standard,
        "candidate": both.candidate,
        "difference": ended(both.difference),
    }
    said = {"adopted": claim.gate.adopted, "said": claim.gate.said}
    return head | said | values | gate | {"correlations": correlations}


def _metric(metric: Metric | None) -> dict[str, Any]:
    return {
        "judge": metric.judge if metric else None,
        **_signature(metric),
        "further_signatures": metric.signatures[1:] if metric else (),
        "files": [Path(file).name for file in metric.files] if metric else [],
    }


def _signature(metric: Metric | None) -> dict[str, str | None]:
    """Return what decided a metric's scores; where that is unknown, why."""
    if metric and metric.signatures:
        return {"signature": metric.signatures[0]}
    why = unsigned(metric) if metric and metric.judge is not None else "of a table of scores, which has none"
    return {"signature": None, "signature_why": why}


def _interval_whys(figures: Mapping[str, Figure]) -> dict[str, str]:
    return {name: f.interval.why for name, f in figures.items() if f.interval is not None and f.interval.ends is None}
