"""Labels of errors that two people, or a judge and a person, marked in the same place: equal categories and severities.

Errors are matched one to one by where they are alone, so that no label decides which are compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from judges.consistency.spans import ErrorSpan, match_errors
from judges.model import Place
from judges.stats.figure import Figure
from judges.stats.intervals import ExpandedBootstrap
from judges.stats.kappa import NO_VARIATION, gwet_ac1s, observed_agreements, weighted_kappas

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

NONE_MATCHED = "no two errors are in the same place"
NO_LABEL = "no two errors in the same place both have one"
ONE_LABEL = "one kind only: nothing to tell apart"


@dataclass(frozen=True, slots=True)
class MatchedError:
    """Two errors in the same place, each with its ``category`` and ``severity``; an empty one is none."""

    category: tuple[str, str]
    severity: tuple[str, str]


@dataclass(frozen=True, slots=True)
class MatchedLabels:
    """Errors of two markings of one document: what was matched, and how many of either were not."""

    matched: tuple[MatchedError, ...]
    only_first: int
    only_second: int


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement on one label over matched errors; ``n`` counts those in which both have it.

    ``without``: so many matched errors lack it on either side. Chance, in ``kappa`` (Cohen) and ``ac1`` (Gwet), is over
    the labels that either used.
    """

    observed: Figure
    kappa: Figure
    ac1: Figure
    without: int


@dataclass(frozen=True, slots=True)
class MatchedAgreement:
    """Agreement on categories and severities of ``matched`` errors, and how many of either marking were not matched."""

    category: LabelAgreement
    severity: LabelAgreement
    matched: int
    only_first: int
    only_second: int


def match_labels(first: Sequence[ErrorSpan], second: Sequence[ErrorSpan]) -> MatchedLabels:
    """Match the errors of two markings of one document one to one so that they overlap the most (`match_errors`).

    Spans of one ``error`` are one, wherever they are. Errors that share no character of a side are not matched.
    """
    ours, theirs = _errors(first), _errors(second)
    both = _matched(ours, theirs)
    matched = tuple(MatchedError((a.category, b.category), (a.severity, b.severity)) for a, b in both)
    return MatchedLabels(matched, len(ours) - len(matched), len(theirs) - len(matched))


def matched_errors(first: Sequence[ErrorSpan], second: Sequence[ErrorSpan]) -> list[tuple[ErrorSpan, ErrorSpan]]:
    """Return the same pairs of errors, each as the first of its spans."""
    return _matched(_errors(first), _errors(second))


def matched_agreement(
    documents: Sequence[Sequence[MatchedLabels]],
    bootstrap: ExpandedBootstrap,
    left_out: Mapping[str, int] = MappingProxyType({}),
) -> MatchedAgreement:
    """Return how far labels of matched errors agree; ``documents``: what was matched, by article.

    ``left_out``: reason → how much was not to be matched, which every figure says.
    """
    every = [labels for article in documents for labels in article]
    matched = [[error for labels in article for error in labels.matched] for article in documents]
    return MatchedAgreement(
        category=_agreement([[error.category for error in of] for of in matched], bootstrap, left_out),
        severity=_agreement([[error.severity for error in of] for of in matched], bootstrap, left_out),
        matched=sum(map(len, matched)),
        only_first=sum(labels.only_first for labels in every),
        only_second=sum(labels.only_second for labels in every),
    )


def _matched(
    ours: Sequence[Sequence[ErrorSpan]], theirs: Sequence[Sequence[ErrorSpan]]
) -> list[tuple[ErrorSpan, ErrorSpan]]:
    pairs = match_errors([(_places(of), None) for of in ours], [(_places(of), None) for of in theirs])
    return [(ours[pair.first][0], theirs[pair.second][0]) for pair in pairs]


def _errors(spans: Sequence[ErrorSpan]) -> list[list[ErrorSpan]]:
    """The spans of each error, in an order that does not depend on how they came."""
    errors: defaultdict[object, list[ErrorSpan]] = defaultdict(list)
    for number, span in enumerate(spans):
        errors[span.error or number].append(span)
    return sorted(
        (sorted(of, key=_where) for of in errors.values()),
        key=lambda of: (_where(of[0]), of[0].category, of[0].severity),
    )


def _where(span: ErrorSpan) -> Place:
    return Place(span.side, span.start, span.end)


def _places(spans: Sequence[ErrorSpan]) -> tuple[Place, ...]:
    return tuple(map(_where, spans))


def _agreement(
    by_article: Sequence[Sequence[tuple[str, str]]], bootstrap: ExpandedBootstrap, left_out: Mapping[str, int]
) -> LabelAgreement:
    import numpy as np

    labelled = [[pair for pair in of if all(pair)] for of in by_article]
    pairs = sum(map(len, by_article))
    n = sum(map(len, labelled))
    labels = sorted({label for of in labelled for pair in of for label in pair})
    code = {label: k for k, label in enumerate(labels)}
    tables = np.zeros((sum(map(bool, labelled)), len(labels), len(labels)))
    for article, of in enumerate(filter(None, labelled)):
        for a, b in of:
            tables[article, code[a], code[b]] += 1
    whole = tables.sum(axis=0)
    draws = bootstrap.draws(tables.reshape(len(tables), -1)).reshape(-1, *whole.shape) if n else tables

    aside = tuple((why, count) for why, count in left_out.items() if count)

    def figure(statistic: Callable[[Floats], Floats], undefined: str) -> Figure:
        if not n:
            return Figure(None, 0, NO_LABEL if pairs else NONE_MATCHED, left_out=aside)
        value = float(statistic(whole))
        if np.isnan(value):
            return Figure(None, n, undefined, left_out=aside)
        return Figure(value, n, interval=bootstrap.interval(statistic(draws), len(tables)), left_out=aside)

    return LabelAgreement(
        figure(observed_agreements, ""), figure(weighted_kappas, NO_VARIATION), figure(gwet_ac1s, ONE_LABEL), pairs - n
    )
