"""Agreement between the humans who reviewed the same findings and documents, and of the judge with them on these.

What humans reach with one another is the ceiling for any judge. Who decides on the judge's findings is drawn to it, and
so to the others: neither figure is the agreement of independent annotators.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, get_args

from judges.consistency.outcomes import OUTCOMES, humans_dimension, humans_severity
from judges.consistency.records import FindingKind, FindingTable, Key, ReviewedDocument, ReviewedRow, article_codes
from judges.model import LEVELS, Severity
from judges.stats.correlation import kendall_tau_b, pearson
from judges.stats.figure import Figure, Interval
from judges.stats.intervals import ExpandedBootstrap
from judges.stats.kappa import (
    NO_VARIATION,
    alphas,
    coincidences,
    credits_of,
    fleiss_kappas,
    gwet_ac1s,
    gwet_acs,
    observed_agreements,
    percent_agreements,
    rater_sums,
    table_sums,
    weighted_kappas,
)
from judges.stats.numerics import mean, total
from judges.stats.paired import paired_intervals
from judges.stats.resampling import RESAMPLES, SEED

if TYPE_CHECKING:
    from judges.stats.arrays import Booleans, Floats, Integers

VerdictKind = Literal["right", "not_an_error", "duplicate"]
"""The meaning of a verdict: the error is right (agreed with, changed or moved), no error, or another one's duplicate.
Unsure and not yet looked at are missing, no kinds of their own."""
VERDICT_KINDS: tuple[VerdictKind, ...] = get_args(VerdictKind)

NO_FINDING = "no finding was decided by both"
NO_LEVEL = "no finding was given a level of accuracy by both"
NO_DOCUMENT = "no document was reviewed to the end by both"
ONE_ONLY = "findings that only one of them decided"
NO_LEVELS = "findings to which not both gave a level of accuracy"
ONE_FINISHED = "documents that only one of them finished"
TWO_ONLY = "defined for two reviewers: see the pairs"
NO_ORDER = "verdicts have no order: AC2 is of severities"
NOBODY = "no two reviewers have decided the same findings or finished the same documents"

Tables: TypeAlias = "tuple[Floats, Floats]"
"""By article: tables of two raters (articles × q × q), and coincidences of all (likewise)."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of raters on categories: observed, Cohen's kappa, Gwet's AC1, and Krippendorff's alpha.

    Alpha is nominal for verdicts and ordinal for severities, ``n`` its findings. ``observed`` and ``kappa`` count pairs
    of ratings.
    """

    observed: Figure
    kappa: Figure
    ac1: Figure
    alpha: Figure


@dataclass(frozen=True, slots=True)
class ReviewerAgreement(Agreement):
    """The same of any number of reviewers, with what is defined for several: a finding counts once, as in alpha.

    Percent agreement, Fleiss' kappa (of two reviewers Scott's pi), AC1, and AC2 with ordinal credit, which severities
    alone have (`judges.stats.kappa.gwet_ac`). The judge is compared with each reviewer, each such pair counting.
    """

    percent_agreement: Figure
    fleiss_kappa: Figure
    ac2: Figure


@dataclass(frozen=True, slots=True)
class ScoreAgreement:
    """Agreement of two scores of the same documents (totals, 0-100); ``n`` counts pairs of scores."""

    mean_absolute_difference: Figure
    pearson: Figure
    kendall_tau_b: Figure


@dataclass(frozen=True, slots=True)
class Rated:
    """Agreement of raters in verdicts (`VERDICT_KINDS`), levels of accuracy errors, and scores of documents.

    A severity counts where it is a level of the accuracy judge and both left the error standing in that dimension;
    the other dimensions have one level only.
    """

    verdicts: ReviewerAgreement
    severities: ReviewerAgreement
    scores: ScoreAgreement


@dataclass(frozen=True, slots=True)
class PooledAgreement:
    """Reviewers with one another (``humans``), and the judge with each of them on the very same items (``judge``).

    The judge's verdict on its own findings is "right" throughout: kappa and alpha have nothing to go by then.
    """

    reviewers: tuple[str, ...]
    humans: Rated
    judge: Rated


@dataclass(frozen=True, slots=True)
class BetweenHumans:
    """Agreement of every two reviewers who share findings or documents, and of all together.

    ``together`` is None (``why``) where no two do. ``against_others``: where there are more than two, each of them with
    every other, and the judge with them on what another dealt with too; of scores without intervals. ``apart``: every
    two who share nothing.
    """

    together: PooledAgreement | None
    pairs: tuple[PooledAgreement, ...]
    why: str = ""
    against_others: tuple[PooledAgreement, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()


def between_humans(
    findings: FindingTable,
    documents: Sequence[ReviewedDocument],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> BetweenHumans:
    """Compare every two reviewers, and all of them, on what both decided of kept findings and finished of documents.

    All together, a finding or document counts if two or more reviewers dealt with it; observed agreement is then over
    all pairs of them. Intervals by bootstrap over articles.
    """
    shared = _Shared(findings, documents, ExpandedBootstrap(resamples, seed))
    every = list(combinations(range(len(shared.names)), 2))
    sharing = [pair for pair in every if shared.any(pair)]
    apart = tuple((shared.names[a], shared.names[b]) for a, b in sorted(set(every).difference(sharing)))
    pairs = tuple(map(shared.together, sharing))
    if not pairs:
        return BetweenHumans(None, (), NOBODY, apart=apart)
    everyone = sorted({reviewer for pair in sharing for reviewer in pair})
    if len(everyone) == 2:
        return BetweenHumans(pairs[0], pairs, apart=apart)
    against_others = tuple(shared.against(each, everyone) for each in everyone)
    return BetweenHumans(shared.together(everyone), pairs, "", against_others, apart)


def within_reviewers(
    findings: FindingTable,
    documents: Sequence[ReviewedDocument],
    layers: Iterable[tuple[str, str]],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> tuple[PooledAgreement, ...]:
    """Compare reviewers with themselves: every pair of a first layer and a second that share anything, likewise."""
    shared = _Shared(findings, documents, ExpandedBootstrap(resamples, seed))
    known = [(shared.place[a], shared.place[b]) for a, b in layers if a in shared.place and b in shared.place]
    return tuple(shared.together(pair) for pair in known if shared.any(pair))


class _Shared:
    """Ratings of the same things by several reviewers: codes and scores (reviewers × findings, documents; -1: none)."""

    def __init__(
        self, table: FindingTable, documents: Sequence[ReviewedDocument], intervals: ExpandedBootstrap
    ) -> None:
        import numpy as np

        self.intervals = intervals
        self.credits = credits_of(_Q, "nominal"), credits_of(_Q, "ordinal")
        rows: list[ReviewedRow] = [*table.reviews, *documents]
        self.names = sorted({row.reviewer for row in rows})
        self.place = {name: i for i, name in enumerate(self.names)}
        self.articles = article_codes(rows)
        verdict = np.array([_verdict(kind) for kind in table.kinds], dtype=np.int64)
        severity = np.array([_level(kind) for kind in table.kinds], dtype=np.int64)
        judges = np.array([_judges_level(kind) for kind in table.kinds], dtype=np.int64)
        reviewer = np.array([self.place[row.reviewer] for row in table.reviews], dtype=np.int64)
        article = np.array([self.articles[row.direction, row.article] for row in table.reviews], dtype=np.int64)
        kind, review = np.array(table.kind, dtype=np.int64), np.array(table.review, dtype=np.int64)
        decided = verdict[kind] >= 0
        kind, review = kind[decided], review[decided]
        _, first, unit = np.unique(np.array(table.finding)[decided], return_index=True, return_inverse=True)
        self.article = article[review[first]]
        self.verdicts = np.full((len(self.names), len(first)), -1)
        self.verdicts[reviewer[review], unit] = verdict[kind]
        self.severities = np.full((len(self.names), len(first)), -1)
        self.severities[reviewer[review], unit] = severity[kind]
        self.judges_severity = judges[kind[first]]
        places: dict[Key, int] = {}
        for document in documents:
            places.setdefault(document.evaluation, len(places))
        self.human = np.full((len(self.names), len(places)), -1)
        self.judge, self.document_article = np.zeros(len(places), dtype=np.int64), np.zeros(len(places), dtype=np.int64)
        for document in documents:
            place = places[document.evaluation]
            self.human[self.place[document.reviewer], place] = document.human.total
            self.judge[place] = document.judge.total
            self.document_article[place] = self.articles[document.direction, document.article]

    def any(self, reviewers: Sequence[int]) -> bool:
        """Return whether two of these share a finding or a document."""
        chosen = list(reviewers)
        return any(bool(((said[chosen] >= 0).sum(axis=0) > 1).any()) for said in (self.verdicts, self.human))

    def together(self, reviewers: Sequence[int]) -> PooledAgreement:
        """Compare these reviewers with one another, and the judge with each."""
        import numpy as np

        chosen = list(reviewers)
        verdicts, severities = self.verdicts[chosen], self.severities[chosen]
        of_both = (verdicts >= 0).sum(axis=0) > 1
        levelled = (severities >= 0).sum(axis=0) > 1
        finished = (self.human[chosen] >= 0).sum(axis=0)
        alone = {ONE_ONLY: int(((verdicts >= 0).sum(axis=0) == 1).sum())}
        unlevelled = {**alone, NO_LEVELS: int((of_both & ~levelled).sum())}
        unfinished = {ONE_FINISHED: int((finished == 1).sum())}
        return PooledAgreement(
            tuple(self.names[i] for i in chosen),
            Rated(
                _without(self._agreement(verdicts, "nominal"), alone),
                _without(self._agreement(severities, "ordinal"), unlevelled),
                _without(self._scores(chosen, list(combinations(chosen, 2))), unfinished),
            ),
            Rated(
                _without(self._with_judge(verdicts, np.zeros_like(self.article), of_both, "nominal"), alone),
                _without(self._with_judge(severities, self.judges_severity, levelled, "ordinal"), unlevelled),
                _without(self._scores(chosen, [(None, each) for each in chosen]), unfinished),
            ),
        )

    def against(self, reviewer: int, reviewers: Sequence[int]) -> PooledAgreement:
        """Compare one of these reviewers with each of the others, and the judge with the one."""
        others = [each for each in reviewers if each != reviewer]
        everywhere = self.article >= 0
        verdicts, severities = self.verdicts[others], self.severities[others]
        shared, levelled = ((said >= 0).sum(axis=0) > 0 for said in (verdicts, severities))
        own, own_severity = self.verdicts[reviewer], self.severities[reviewer]
        right = 0 * self.article
        finished = self.human[reviewer] >= 0
        alone = {ONE_ONLY: int(((own >= 0) & ~shared).sum())}
        unlevelled = {**alone, NO_LEVELS: int(((own >= 0) & shared & ~((own_severity >= 0) & levelled)).sum())}
        unfinished = {ONE_FINISHED: int((finished & ~(self.human[others] >= 0).any(axis=0)).sum())}
        return PooledAgreement(
            (self.names[reviewer],),
            Rated(
                _without(self._with_judge(verdicts, own, everywhere, "nominal"), alone),
                _without(self._with_judge(severities, own_severity, everywhere, "ordinal"), unlevelled),
                _without(self._scores(reviewers, [(reviewer, each) for each in others], drawn=False), unfinished),
            ),
            Rated(
                _without(self._with_judge(own[None], right, shared, "nominal"), alone),
                _without(self._with_judge(own_severity[None], self.judges_severity, levelled, "ordinal"), unlevelled),
                _without(self._scores(reviewers, [(None, reviewer)], drawn=False), unfinished),
            ),
        )

    def _agreement(self, codes: Integers, measurement: Literal["nominal", "ordinal"]) -> ReviewerAgreement:
        """Agreement of the rows of codes with one another."""
        import numpy as np

        tables = np.sum([_tables(a, b, self.article, len(self.articles)) for a, b in combinations(codes, 2)], axis=0)
        if len(codes) == 2:
            return self._of_two(tables, measurement)
        shared = (codes >= 0).sum(axis=0) > 1
        codes, article = codes[:, shared], self.article[shared]
        together = coincidences(codes, article, _Q, len(self.articles))
        nominal, ordinal = (rater_sums(codes, article, _Q, len(self.articles), credit) for credit in self.credits)
        return self._figures(tables, together, (nominal, ordinal), int(shared.sum()), measurement, two=False)

    def _of_two(self, tables: Floats, measurement: Literal["nominal", "ordinal"]) -> ReviewerAgreement:
        """Two raters coincide in what the one said and the other, either way round."""
        nominal, ordinal = (table_sums(tables, credit) for credit in self.credits)
        together = tables + tables.swapaxes(1, 2)
        return self._figures(tables, together, (nominal, ordinal), int(tables.sum()), measurement, two=True)

    def _with_judge(
        self, codes: Integers, judges: Integers, chosen: Booleans, measurement: Literal["nominal", "ordinal"]
    ) -> ReviewerAgreement:
        """Agreement of the judge, or of a reviewer in its place, with each row of codes, over the chosen findings."""
        import numpy as np

        said = [row[chosen] for row in codes]
        tables = [_tables(judges[chosen], row, self.article[chosen], len(self.articles)) for row in said]
        return self._of_two(np.sum(tables, axis=0), measurement)

    def _figures(
        self,
        tables: Floats,
        together: Floats,
        of_raters: tuple[Floats, Floats],
        n: int,
        measurement: Literal["nominal", "ordinal"],
        *,
        two: bool,
    ) -> ReviewerAgreement:
        """Every figure of what was counted by article: tables of two, coincidences, and `rater_sums` by both credits.

        ``n``: what was rated by two at least.
        """
        import numpy as np

        nothing = NO_FINDING if measurement == "nominal" else NO_LEVEL
        used = together.sum(axis=(1, 2)) > 0
        parts = [part[used] for part in (tables, together, *of_raters)]
        shapes = [part.shape[1:] for part in parts]
        ends = np.cumsum([0, *map(math.prod, shapes)])
        sums = np.concatenate(
            [part.reshape(len(part), math.prod(shape)) for part, shape in zip(parts, shapes, strict=True)], axis=1
        )
        draws, whole, pairs = self.intervals.draws(sums), total(sums, 0), int(parts[0].sum())

        def figure(which: int, statistic: Callable[[Floats], Floats], n: int) -> Figure:
            columns, shape = slice(ends[which], ends[which + 1]), shapes[which]
            value = float(statistic(whole[columns].reshape(shape)))
            if np.isnan(value):
                return Figure(None, n, NO_VARIATION if n else nothing)
            drawn = statistic(draws[:, columns].reshape(-1, *shape))
            return Figure(value, n, interval=self.intervals.interval(drawn, int(used.sum())))

        nominal, ordinal = self.credits
        return ReviewerAgreement(
            observed=figure(0, observed_agreements, pairs),
            kappa=figure(0, weighted_kappas, pairs) if two else Figure(None, pairs, TWO_ONLY),
            ac1=figure(0, gwet_ac1s, pairs) if two else figure(2, lambda stack: gwet_acs(stack, nominal), n),
            alpha=figure(1, lambda stack: alphas(stack, measurement), n),
            percent_agreement=figure(2, percent_agreements, n),
            fleiss_kappa=figure(2, lambda stack: fleiss_kappas(stack, nominal), n),
            ac2=figure(3, lambda stack: gwet_acs(stack, ordinal), n)
            if measurement == "ordinal"
            else Figure(None, n, NO_ORDER),
        )

    def _scores(
        self, reviewers: Sequence[int], pairs: Sequence[tuple[int | None, int]], *, drawn: bool = True
    ) -> ScoreAgreement:
        """Totals of documents that two or more of these finished, by pairs of them; None: the judge's.

        ``drawn`` False: without intervals, which take longest.
        """
        import numpy as np

        shared = (self.human[list(reviewers)] >= 0).sum(axis=0) > 1
        article = self.document_article[shared]
        sides = [((self.judge if a is None else self.human[a])[shared], self.human[b][shared]) for a, b in pairs]
        both = [(a >= 0) & (b >= 0) for a, b in sides]
        x = np.concatenate([a[here] for (a, _), here in zip(sides, both, strict=True)])
        y = np.concatenate([b[here] for (_, b), here in zip(sides, both, strict=True)])
        articles = np.concatenate([article[here] for here in both])
        n = len(x)
        why = NO_DOCUMENT if not n else "one document only" if n == 1 else "all scores of one side are equal"
        difference = r = tau_b = None
        if drawn:
            _, articles = np.unique(articles, return_inverse=True)
            _, difference, r, _, tau_b = paired_intervals(x.astype(float), y.astype(float), articles, self.intervals)

        def figure(value: float | None, why: str, interval: Interval | None) -> Figure:
            return Figure(None, n, why) if value is None else Figure(value, n, interval=interval)

        return ScoreAgreement(
            figure(mean(abs(x - y).astype(float)) if n else None, NO_DOCUMENT, difference),
            figure(pearson(x, y), why, r),
            figure(kendall_tau_b(x, y), why, tau_b),
        )


_Compared = TypeVar("_Compared", ReviewerAgreement, ScoreAgreement)


def _without(found: _Compared, left_out: Mapping[str, int]) -> _Compared:
    """Return figures with what they leave out."""
    return replace(found, **{each.name: getattr(found, each.name).without(left_out) for each in fields(found)})


_Q = max(len(VERDICT_KINDS), len(LEVELS["accuracy"]))
"""Categories of a table; AC1 asks for as many as were declared, which both kinds have."""


def _tables(a: Integers, b: Integers, article: Integers, n_articles: int) -> Floats:
    """Count by article what one put in category i and the other in j."""
    import numpy as np

    both = (a >= 0) & (b >= 0)
    cells = (article[both] * _Q + a[both]) * _Q + b[both]
    return np.bincount(cells, minlength=n_articles * _Q * _Q).reshape(n_articles, _Q, _Q).astype(float)


def verdict_of(kind: FindingKind) -> VerdictKind | None:
    """Return the kind of a reviewer's verdict on a finding that stood; None where there is none yet, or no sure one."""
    outcome = OUTCOMES[kind.decision] if kind.kept else "unseen"
    if outcome == "wrong":
        return "duplicate" if kind.decision == "duplicate" else "not_an_error"
    return "right" if outcome == "right" else None


def accuracy_level(kind: FindingKind) -> Severity | None:
    """Return the level that a reviewer left an accuracy error at; None where it is none, or no level of accuracy."""
    standing = OUTCOMES[kind.decision] == "right" and humans_dimension(kind) == "accuracy"
    severity = humans_severity(kind) if standing else None
    return severity if severity in LEVELS["accuracy"] else None


def _verdict(kind: FindingKind) -> int:
    verdict = verdict_of(kind)
    return -1 if verdict is None else VERDICT_KINDS.index(verdict)


def _level(kind: FindingKind) -> int:
    return _place(accuracy_level(kind))


def _judges_level(kind: FindingKind) -> int:
    return _place(kind.severity) if kind.dimension == "accuracy" else -1


def _place(severity: str | None) -> int:
    levels: tuple[str, ...] = LEVELS["accuracy"]
    return levels.index(severity) if severity in levels else -1
