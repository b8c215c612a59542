"""Agreement of annotations made independently: between blind reviewers, and between judge and reviewer.

Sums over documents are added and divided once; intervals are by bootstrap over articles.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from judges.consistency.outcomes import OUTCOMES
from judges.consistency.records import (
    BlindAnnotation,
    FindingTable,
    MovedPlace,
    article_codes,
    both_read,
    spans_in,
)
from judges.consistency.span_labels import MatchedAgreement, MatchedLabels, match_labels, matched_agreement
from judges.consistency.spans import CREDITS, NOTHING_MARKED, ErrorSpan, Overlap, char_f1, span_match, total
from judges.stats.arrays import share
from judges.stats.figure import Figure
from judges.stats.intervals import ExpandedBootstrap
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
NOT_THE_SAME = "no two reviewers marked the same segments blind"
NO_SEGMENT = "pairs of passes over one translation that have no segment in common"
NOT_SHARED = "spans in segments that only one of both looked at"
UNPLACED = "errors that people marked without a place"
ALONE = "passes over translations that nobody else marked blind"
NO_JUDGE_BESIDE = "passes over translations of which no judge's findings are located"
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
    unmarked: Mapping[str, int] = MappingProxyType({}),
) -> SpanReport:
    """Compare blind markings with one another and with the judge's, and the places that reviewers changed.

    Two are compared on the segments that both looked at. ``findings``: what was reviewed, of which those left standing
    are the basis of ``moved``. ``unmarked``: why how many further passes say nothing.
    """
    bootstrap = ExpandedBootstrap(resamples, seed)
    documents: dict[object, list[BlindAnnotation]] = defaultdict(list)
    of_pair: dict[str, _Pairs] = defaultdict(_Pairs)
    of_reviewer: dict[str, _Pairs] = defaultdict(_Pairs)
    together, beside = _Pairs(Counter(unmarked)), _Pairs(Counter(unmarked))
    for marking in sorted(markings, key=lambda each: each.reviewer):
        documents[marking.translation].append(marking)
    for several in documents.values():
        shared: dict[str, frozenset[int] | None] = {}
        for a, b in combinations(several, 2):
            both = both_read(a.read, b.read)
            names = f"{a.reviewer}, {b.reviewer}"
            if both is not None and not both:
                of_pair[names].left_out[NO_SEGMENT] += 1
                continue
            ours, theirs = (spans_in(each.spans, both, each.extents) for each in (a, b))
            of_pair[names].left_out[NOT_SHARED] += len(a.spans) + len(b.spans) - len(ours) - len(theirs)
            of_pair[names].left_out[UNPLACED] += a.unplaced + b.unplaced
            of_pair[names].compared.append(_compared(a, ours, theirs))
            for each in (a, b):
                known = shared.get(each.reviewer, frozenset())
                shared[each.reviewer] = None if both is None or known is None else known | both
        for marking in several:
            against = of_reviewer[marking.reviewer]
            against.left_out.update(marking.aside)
            against.left_out[UNPLACED] += marking.unplaced if marking.judges else 0
            against.left_out[NO_JUDGE_BESIDE] += not marking.judges
            together.left_out[ALONE] += len(several) == 1
            beside.left_out[ALONE] += len(several) == 1
            for evaluation, judges in marking.judges.items():
                spans = marking.beside.get(evaluation, marking.spans)
                against.compared.append(_compared(marking, spans, judges))
                if marking.reviewer in shared:
                    both = shared[marking.reviewer]
                    pair = [spans_in(each, both, marking.extents) for each in (spans, judges)]
                    beside.compared.append(_compared(marking, *pair))
                    beside.left_out[NOT_SHARED] += len(spans) + len(judges) - sum(map(len, pair))

    def agreement(pairs: _Pairs, why: str) -> SpanAgreement:
        return _agreement(pairs, why, bootstrap)

    def apart(named: Mapping[str, _Pairs], why: str) -> dict[str, SpanAgreement]:
        return {name: agreement(pairs, why) for name, pairs in sorted(named.items())} if len(named) > 1 else {}

    with_judge = _Pairs(Counter(unmarked))
    for pairs, into in ((of_pair, together), (of_reviewer, with_judge)):
        for own in pairs.values():
            into.compared += own.compared
            into.left_out.update(own.left_out)
    why = NO_JUDGE if markings else NOT_BLIND
    recall, precision = _shares(with_judge, why, bootstrap)
    return SpanReport(
        humans=agreement(together, NOT_TWO if not of_pair else NOT_THE_SAME),
        beside=agreement(beside, NOT_TWO if not of_pair else NOT_THE_SAME),
        judge=agreement(with_judge, why),
        recall=recall,
        precision=precision,
        moved=_moved(replaced, findings, bootstrap),
        places=replace(
            agreement(_Pairs(compared=[_compared(e, e.spans, e.judges) for e in replaced]), NOT_MOVED), labels=None
        ),
        pairs=apart(of_pair, NOT_THE_SAME),
        reviewers=apart(of_reviewer, NO_JUDGE),
    )


@dataclass(slots=True)
class _Pairs:
    """Markings that are compared, two of one document at a time, and what is not."""

    left_out: Counter[str] = field(default_factory=Counter)
    compared: list[Compared] = field(default_factory=list)


def _compared(document: BlindAnnotation | MovedPlace, gold: Spans, predicted: Spans) -> Compared:
    """Compare two markings of a document; F1 is the same whichever of them is called gold."""
    overlaps = (*(span_match(gold, predicted, credit) for credit in CREDITS), char_f1(gold, predicted))
    return Compared((document.direction, document.article), overlaps, match_labels(gold, predicted))


def _agreement(of: _Pairs, why: str, bootstrap: ExpandedBootstrap) -> SpanAgreement:
    pairs = of.compared
    if not pairs:
        undefined = Figure(None, 0, why).without(of.left_out)
        return SpanAgreement(undefined, undefined, undefined, undefined)
    sums = _by_article(pairs)
    figures = {
        name: _f1(each, bootstrap).without(of.left_out)
        for name, each in zip(COUNTS, zip(*sums, strict=True), strict=True)
    }
    by_article: dict[Article, list[MatchedLabels]] = defaultdict(list)
    for each in pairs:
        by_article[each.article].append(each.labels)
    return SpanAgreement(
        **figures,
        documents=len(pairs),
        empty=sum(each.overlaps[0].empty for each in pairs),
        labels=matched_agreement([by_article[article] for article in _in_order(by_article)], bootstrap, of.left_out),
    )


def _by_article(pairs: Sequence[Compared]) -> list[list[Overlap]]:
    """Return what the pairs of each article have in common, by each of ``COUNTS``, in an order of the articles' own."""
    by_article: dict[Article, list[tuple[Overlap, ...]]] = defaultdict(list)
    for each in pairs:
        by_article[each.article].append(each.overlaps)
    return [[total(of) for of in zip(*by_article[article], strict=True)] for article in _in_order(by_article)]


def _in_order(articles: Iterable[Article]) -> list[Article]:
    return sorted(articles, key=lambda each: (each[0], str(each[1])))


def _shares(of: _Pairs, why: str, bootstrap: ExpandedBootstrap) -> list[Figure]:
    """Recall and precision with partial credit."""
    import numpy as np

    sums = [overlaps[COUNTS.index("partial")] for overlaps in _by_article(of.compared)]
    columns = np.array([(o.recalled, o.gold, o.found, o.predicted) for o in sums], dtype=float).reshape(-1, 4).T
    why = NOTHING_MARKED if of.compared else why
    shares = bootstrap.shares([(columns[0], columns[1], None), (columns[2], columns[3], None)], [why, why])
    return [figure.without(of.left_out) for figure in shares]


def _f1(overlaps: Sequence[Overlap], bootstrap: ExpandedBootstrap) -> Figure:
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


def _moved(replaced: Sequence[MovedPlace], table: FindingTable, bootstrap: ExpandedBootstrap) -> Figure:
    import numpy as np

    places = article_codes(table.reviews)
    article = np.array([places[row.direction, row.article] for row in table.reviews], dtype=np.int64)
    stands = np.array([kind.kept and OUTCOMES[kind.decision] == "right" for kind in table.kinds], dtype=bool)
    standing = np.array(table.review, dtype=np.int64)[stands[np.array(table.kind, dtype=np.int64)]]
    moved = np.zeros(len(places), dtype=np.int64)
    for each in replaced:
        moved[places[each.direction, each.article]] += 1
    return bootstrap.share(moved, np.bincount(article[standing], minlength=len(places)), NONE_STANDING)
