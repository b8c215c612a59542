"""Error slices: the kinds of findings that reviewers reject or move most, counted evaluation by evaluation.

A finding that one verdict changed costs the counts of its evaluation, not those of all the others again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from judges.consistency.crosstabs import NOT_GIVEN, Crosstab, attribution_table, severity_table
from judges.consistency.detection import FindingCounts, Rows
from judges.consistency.outcomes import humans_dimension, outcome_of
from judges.consistency.records import FindingKind, FindingTable, Key, MissedKind
from judges.stats.figure import Figure, Interval
from judges.stats.intervals import FEW, wilson

ArticleKey = tuple[str, Key]
"""Direction and key: what tells an article."""

EFFECTIVE = "Wilson over the effective number of findings, which resemble one another within an article"


class Slice(NamedTuple):
    """Slice of findings: the judge's labels and the article's domain. ``category`` is `NOT_GIVEN` if unreadable."""

    dimension: str
    category: str
    domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceOutcome:
    """Outcome of a slice: what reviewers decided on its findings, each by each reviewer, in so many articles.

    ``rejected``: not an error, or a duplicate. ``moved``: an error of another dimension. ``rate``: the share that is
    either, with `effective_interval`.
    """

    spot: Slice
    decided: int
    articles: int
    rejected: int
    moved: int
    rate: Figure


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one evaluation's findings by kind, each counted for every reviewer who opened it.

    ``missed``: likewise the errors that reviewers say the judge missed.
    """

    evaluation: str
    article: ArticleKey
    domain: str
    kinds: Mapping[FindingKind, int]
    missed: Mapping[MissedKind, int] = field(default_factory=dict)


class Tallies:
    """The tallies of many evaluations, added up."""

    def __init__(self, tallies: Iterable[Tally] = ()) -> None:
        self._tallies: dict[str, Tally] = {}
        self._sizes: Counter[FindingKind] = Counter()
        self._missed: Counter[MissedKind] = Counter()
        self._by_article: dict[Slice, dict[ArticleKey, Counter[str]]] = {}
        self._found: dict[Slice, SliceOutcome] = {}
        for tally in tallies:
            self.put(tally.evaluation, tally)

    def __len__(self) -> int:
        """Return how many evaluations were opened by somebody."""
        return len(self._tallies)

    def put(self, evaluation: str, tally: Tally | None) -> None:
        """Count an evaluation as it is now instead of as it was; None: nobody has it open any more."""
        before = self._tallies.pop(evaluation, None)
        if before is not None:
            self._add(before, -1)
        if tally is not None:
            self._tallies[evaluation] = tally
            self._add(tally, 1)

    def _add(self, tally: Tally, sign: int) -> None:
        for error, size in tally.missed.items():
            self._missed[error] += sign * size
        for kind, size in tally.kinds.items():
            n = sign * size
            self._sizes[kind] += n
            outcome = outcome_of(kind)
            if not kind.kept or outcome not in ("right", "wrong"):
                continue
            spot = Slice(kind.dimension, kind.category or NOT_GIVEN, tally.domain)
            articles = self._by_article.setdefault(spot, {})
            counts = articles.get(tally.article) or articles.setdefault(tally.article, Counter())
            counts["decided"] += n
            counts["rejected"] += n * (outcome == "wrong")
            counts["moved"] += n * (outcome == "right" and humans_dimension(kind) != kind.dimension)
            self._found.pop(spot, None)

    @property
    def counts(self) -> FindingCounts:
        """Return the counts of all findings that stood after de-duplication, by outcome, and of the missed errors."""
        counts: Counter[str] = Counter(missed=self._missed.total())
        for kind, n in self._sizes.items():
            if kind.kept:
                counts[outcome_of(kind)] += n
        return FindingCounts(**counts)

    def attribution(self) -> Crosstab:
        """The judge's dimension × the reviewers'."""
        return attribution_table(self._sizes.items(), self._missed.elements())

    def severity(self) -> Crosstab:
        """The accuracy judge's level × the reviewers'."""
        return severity_table(self._sizes.items(), self._missed.elements())

    def weak_spots(self) -> list[SliceOutcome]:
        """Return the slices with a decision, the surest weak one first: by the lower end of the interval."""
        for spot in self._by_article.keys() - self._found.keys():
            articles = [counts for counts in self._by_article[spot].values() if counts["decided"]]
            if not articles:
                del self._by_article[spot]
                continue
            self._found[spot] = _outcome(spot, articles)
        return sorted(self._found.values(), key=_surest)


def error_slices(findings: Rows) -> list[SliceOutcome]:
    """Return the slices of these findings, each as one reviewer left it, in the order of `Tallies.weak_spots`."""
    table = FindingTable.of(findings)
    places: dict[tuple[ArticleKey, str], int] = {}
    of_review = [places.setdefault(((row.direction, row.article), row.domain), len(places)) for row in table.reviews]
    kinds: list[Counter[FindingKind]] = [Counter() for _ in places]
    for (place, kind), n in Counter(zip(map(of_review.__getitem__, table.review), table.kind, strict=True)).items():
        kinds[place][table.kinds[kind]] += n
    # Nothing is to be put again, so that all evaluations of an article can be counted as if they were one.
    tallies = (Tally(str(place), *of, kinds[place]) for of, place in places.items())
    return Tallies(tallies).weak_spots()


def _outcome(spot: Slice, articles: list[Counter[str]]) -> SliceOutcome:
    decided, rejected, moved = (sum(counts[name] for counts in articles) for name in ("decided", "rejected", "moved"))
    by_article = [(counts["rejected"] + counts["moved"], counts["decided"]) for counts in articles]
    rate = Figure((rejected + moved) / decided, decided, interval=effective_interval(by_article))
    return SliceOutcome(spot=spot, decided=decided, articles=len(articles), rejected=rejected, moved=moved, rate=rate)


def _surest(found: SliceOutcome) -> tuple[float, float, Slice]:
    low = found.rate.interval.low if found.rate.interval else None
    return -round(low or 0.0, 9), -(found.rate.value or 0.0), found.spot


def effective_interval(by_article: Iterable[tuple[int, int]]) -> Interval:
    """The 95 % interval of Σ x / Σ n, given by article, for a share that may well be 0 or 1 of a handful.

    Wilson's over n / d findings, d being Kish's design effect (Survey Sampling, 1965): the variance of the ratio
    between articles, m / (m - 1) · Σ (x - p·n)² / (Σ n)², over p(1 - p) / Σ n; never more than all n. Where that cannot
    be told (one article, or a share of 0 or 1) each article counts as one. A percentile bootstrap would be of no width
    at all there, and put three of three ahead of ninety of a hundred.
    """
    parts = [(x, n) for x, n in by_article if n]
    n, m = sum(n for _, n in parts), len(parts)
    if not n:
        return Interval(None, None, EFFECTIVE, "nothing has been decided", 0)
    p = sum(x for x, _ in parts) / n
    effective = float(m)
    if m > 1 and 0 < p < 1:
        between = m / (m - 1) * math.fsum((x - p * size) * (x - p * size) for x, size in parts) / n**2
        effective = min(n, p * (1 - p) / between) if between > 0 else n
    found = wilson(p, effective, EFFECTIVE)
    warning = f"{m} articles: a rough guess" if m < FEW else ""
    return Interval(found.low, found.high, EFFECTIVE, "", m, warning=warning)
