"""Agreement of annotations made independently: between blind reviewers, and between judge and reviewer.

Sums over documents are added and divided once; intervals are by bootstrap over articles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

from judges.consistency.outcomes import OUTCOMES
from judges.consistency.records import BlindAnnotation, FindingTable, MovedPlace, article_codes
from judges.consistency.span_labels import MatchedAgreement, MatchedLabels, match_labels, matched_agreement
from judges.consistency.spans import CREDITS, NOTHING_MARKED, ErrorSpan, Overlap, char_f1, span_match, total
from judges.stats.arrays import share
from judges.stats.figure import Figure
from judges.stats.intervals import Bootstrap
from judges.stats.resampling import RESAMPLES, SEED

Spans = Sequence[ErrorSpan]
Article = tuple[str, object]


class Compared(NamedTuple):
    """Two markings of one document: what they have in common by each of ``COUNTS``, and labels of matched errors."""

    article: Article
    overlaps: tuple[Overlap, ...]
    labels: MatchedLabels


COUNTS = (*CREDITS, "characters")

NOT_BLIND = "no document was reviewed blind first"
NO_JUDGE = "no judge's findings stand beside a document that was marked blind"
NOT_TWO = "no document was reviewed blind first by two reviewers"
NOT_MOVED = "no reviewer has put a finding at another place"
NONE_STANDING = "no finding was left standing"


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """F1 of two markings of the same documents; ``n`` of a figure counts the spans (or characters) of both.

    ``partial`` is what to report: credit for the share that two spans share, half of it where the severity is another
    (`spans.span_match`). ``exact`` and ``overlap`` (one shared character) likewise; ``characters`` is WMT's since 2025.
    ``documents``: so many pairs of markings, in ``empty`` of which nothing was marked by either. ``labels``: categories
    and severities of errors in the same place; None where nothing was compared, or markings have no labels.
    """

    partial: Figure
    exact: Figure
    overlap: Figure
    characters: Figure
    documents: int = 0
    empty: int = 0
    labels: MatchedAgreement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanReport:
    """Agreement of spans: every two blind reviewers of a document, the judge with each of them on the very same
    documents, and the judge with every blind reviewer; ``pairs`` and ``reviewers``: the first and the last apart.

    ``recall``: of the spans that blind reviewers marked, the share that the judge marks too, and ``precision``: of its
    spans, the share that they mark, both with the credit of ``partial``; ``n``: the spans of the one, or the other.
    A translation that several judges saw, or one several times, is a document of each.

    ``moved``: of the findings that reviewers left standing, the share that they put at another place; ``places``: of
    these, how far the judge's place and theirs agree.
    """

    humans: SpanAgreement
    beside: SpanAgreement
    judge: SpanAgreement
    recall: Figure
    precision: Figure
    moved: Figure
    places: SpanAgreement
    pairs: Mapping[str, SpanAgreement] = field(default_factory=dict)
    reviewers: Mapping[str, SpanAgreement] = field(default_factory=dict)


def span_report(
    markings: Sequence[BlindAnnotation],
    replaced: Sequence[MovedPlace],
    findings: FindingTable,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> SpanReport:
    """Compare blind markings with one another and with the judge's, and the places that reviewers changed.

    ``findings``: what was reviewed, of which those left standing are the basis of ``moved``.
    """
    bootstrap = Bootstrap(resamples, seed)
    documents: dict[object, list[BlindAnnotation]] = defaultdict(list)
    of_pair: dict[str, list[Compared]] = defaultdict(list)
    of_reviewer: dict[str, list[Compared]] = defaultdict(list)
    beside: list[Compared] = []
    for marking in sorted(markings, key=lambda each: each.reviewer):
        documents[marking.translation].append(marking)
    for several in documents.values():
        for marking in several:
            with_judges = [_compared(marking, marking.spans, judges) for judges in marking.judges.values()]
            of_reviewer[marking.reviewer] += with_judges
            beside += with_judges if len(several) > 1 else []
        for a, b in combinations(several, 2):
            of_pair[f"{a.reviewer}, {b.reviewer}"].append(_compared(a, a.spans, b.spans))

    def agreement(pairs: Iterable[Compared], why: str) -> SpanAgreement:
        return _agreement(list(pairs), why, bootstrap)

    def apart(named: Mapping[str, list[Compared]]) -> dict[str, SpanAgreement]:
        return {name: agreement(pairs, NO_JUDGE) for name, pairs in sorted(named.items())} if len(named) > 1 else {}

    with_judge = [pair for pairs in of_reviewer.values() for pair in pairs]
    why = NO_JUDGE if markings else NOT_BLIND
    recall, precision = _shares(with_judge, why, bootstrap)
    return SpanReport(
        humans=agreement((pair for pairs in of_pair.values() for pair in pairs), NOT_TWO),
        beside=agreement(beside, NOT_TWO),
        judge=agreement(with_judge, why),
        recall=recall,
        precision=precision,
        moved=_moved(replaced, findings, bootstrap),
        places=replace(
            agreement((_compared(each, each.spans, each.judges) for each in replaced), NOT_MOVED), labels=None
        ),
        pairs=apart(of_pair),
        reviewers=apart(of_reviewer),
    )


def _compared(document: BlindAnnotation | MovedPlace, gold: Spans, predicted: Spans) -> Compared:
    """Compare two markings of a document; F1 is the same whichever of them is called gold."""
    overlaps = (*(span_match(gold, predicted, credit) for credit in CREDITS), char_f1(gold, predicted))
    return Compared((document.direction, document.article), overlaps, match_labels(gold, predicted))


def _agreement(pairs: Sequence[Compared], why: str, bootstrap: Bootstrap) -> SpanAgreement:
    if not pairs:
        undefined = Figure(None, 0, why)
        return SpanAgreement(undefined, undefined, undefined, undefined)
    sums = _by_article(pairs)
    figures = {name: _f1(each, bootstrap) for name, each in zip(COUNTS, zip(*sums, strict=True), strict=True)}
    by_article: dict[Article, list[MatchedLabels]] = defaultdict(list)
    for each in pairs:
        by_article[each.article].append(each.labels)
    return SpanAgreement(
        **figures,
        documents=len(pairs),
        empty=sum(each.overlaps[0].empty for each in pairs),
        labels=matched_agreement([by_article[article] for article in _in_order(by_article)], bootstrap),
    )


def _by_article(pairs: Sequence[Compared]) -> list[list[Overlap]]:
    """Return what the pairs of each article have in common, by each of ``COUNTS``, in an order of the articles' own."""
    by_article: dict[Article, list[tuple[Overlap, ...]]] = defaultdict(list)
    for each in pairs:
        by_article[each.article].append(each.overlaps)
    return [[total(of) for of in zip(*by_article[article], strict=True)] for article in _in_order(by_article)]


def _in_order(articles: Iterable[Article]) -> list[Article]:
    return sorted(articles, key=lambda each: (each[0], str(each[1])))


def _shares(pairs: Sequence[Compared], why: str, bootstrap: Bootstrap) -> list[Figure]:
    """Recall and precision with partial credit."""
    import numpy as np

    sums = [overlaps[COUNTS.index("partial")] for overlaps in _by_article(pairs)]
    columns = np.array([(o.recalled, o.gold, o.found, o.predicted) for o in sums], dtype=float).reshape(-1, 4).T
    why = NOTHING_MARKED if pairs else why
    return bootstrap.shares([(columns[0], columns[1], None), (columns[2], columns[3], None)], [why, why])


def _f1(overlaps: Sequence[Overlap], bootstrap: Bootstrap) -> Figure:
    """The F1 of all articles together, with its interval over those that have anything marked."""
    import numpy as np

    figure = total(overlaps).f1
    if figure.value is None:
        return figure
    sums = np.array(
        [(o.found, o.recalled, o.predicted, o.gold) for o in overlaps if o.predicted or o.gold], dtype=float
    )
    found, recalled, predicted, gold = bootstrap.draws(sums).T
    precision, recall = (np.nan_to_num(share(*part)) for part in ((found, predicted), (recalled, gold)))
    draws = share(2 * precision * recall, precision + recall)
    # Where nothing matches F1 is 0, as long as anything is marked.
    draws = np.where((precision + recall == 0) & (predicted + gold > 0), 0.0, draws)
    return replace(figure, interval=bootstrap.interval(draws, len(sums)))


def _moved(replaced: Sequence[MovedPlace], table: FindingTable, bootstrap: Bootstrap) -> Figure:
    import numpy as np

    places = article_codes(table.reviews)
    article = np.array([places[row.direction, row.article] for row in table.reviews], dtype=np.int64)
    stands = np.array([kind.kept and OUTCOMES[kind.decision] == "right" for kind in table.kinds], dtype=bool)
    standing = np.array(table.review, dtype=np.int64)[stands[np.array(table.kind, dtype=np.int64)]]
    moved = np.zeros(len(places), dtype=np.int64)
    for each in replaced:
        moved[places[each.direction, each.article]] += 1
    return bootstrap.share(moved, np.bincount(article[standing], minlength=len(places)), NONE_STANDING)
