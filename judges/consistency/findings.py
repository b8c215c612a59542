"""Precision, recall, attribution, severity and de-duplication of a judge's findings, by the reviewers' verdicts.

A finding that stood after de-duplication is *right* (agreed with, changed, or moved to another dimension), *wrong*
(not an error, a duplicate of another, or a rubric point that asks too much), *unsure* or *unseen*. The last two stay
out of every share, with counts. So do *repeated* ones: an error that is marked at several places counts once.

By dimension, category or severity the judge's label counts for precision and the human's for recall: a finding moved
from accuracy to fluency is right overall, wrong under accuracy and missed under fluency.

Findings that de-duplication dropped are no part of what the judge reported: they count in `deduplication` only, the
restored ones too.

Findings of one article resemble one another. So intervals are by bootstrap over articles, each figure's over those
that say anything of it: the same whatever else is in the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from judges.consistency.crosstabs import (
    LEVELS_OF_ACCURACY,
    NOT_GIVEN,
    Crosstab,
    Label,
    Sizes,
    attribution_table,
    humans_level,
    levelled,
    severity_table,
)
from judges.consistency.outcomes import OUTCOMES, humans_category, humans_dimension, humans_severity, outcome_of
from judges.consistency.records import (
    AddedError,
    FindingTable,
    InstructionCheck,
    Key,
    MetPoint,
    QuoteCount,
    ReviewedFinding,
    ReviewedRow,
    article_codes,
)
from judges.model import (
    CATEGORIES,
    DIMENSIONS,
    INSTRUCTION_DECISIONS,
    POINT_DECISIONS,
    SEVERITIES,
    Decision,
    PointDecision,
)
from judges.stats.figure import Figure
from judges.stats.intervals import Bootstrap, Part
from judges.stats.kappa import (
    WEIGHTINGS,
    Weighting,
    observed_agreement,
    observed_agreements,
    weighted_kappa,
    weighted_kappas,
)
from judges.stats.resampling import RESAMPLES, SEED

if TYPE_CHECKING:
    from judges.stats.arrays import Floats, Integers

Rows: TypeAlias = "FindingTable | Iterable[ReviewedFinding]"

Grouping = Literal["dimension", "category", "severity", "system", "direction", "domain", "judge_model", "reviewer"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)

NOT_SEARCHED = "no reviewer says that these documents were searched for errors that the judge missed"
NOTHING_DECIDED = "no finding has been decided"
NOTHING_FOUND = "what was reviewed holds no finding of the judge"
NO_QUOTE = "no finding was asked for a quote, or looked for in its texts"
NO_ERROR_KNOWN = "no error is known where missed ones were searched for"

_NOTHING_FOUND = Figure(None, 0, NOTHING_FOUND)
_NOTHING_DECIDED = Figure(None, 0, NOTHING_DECIDED)
_NOT_SEARCHED = Figure(None, 0, NOT_SEARCHED)

Searched = Set[tuple[Key, str]]
"""The (evaluation, reviewer) pairs where the search for missed errors is declared done."""


@dataclass(frozen=True, slots=True)
class FindingCounts:
    """Findings that are ``right`` (TP), ``wrong`` (FP), ``unsure`` and ``unseen``, and errors ``missed`` (FN).

    ``repeated``: right findings that are a further place of an error that counts already.
    """

    right: int = 0
    wrong: int = 0
    unsure: int = 0
    unseen: int = 0
    missed: int = 0
    repeated: int = 0

    @property
    def found(self) -> int:
        """The number of findings, decided or not, without repeated ones."""
        return self.right + self.wrong + self.unsure + self.unseen


@dataclass(frozen=True, slots=True)
class Detection(FindingCounts):
    """Precision and recall of a judge's findings: counts, and figures with intervals.

    ``coverage``: (TP + FP) / N, the share of the N findings that is decided. ``precision``: TP / (TP + FP), of the
    decided ones the share that are errors; ``precision_bounds``: TP / N and (TP + U) / N, as if all the undecided (U)
    were wrong, or right. ``searched`` counts the documents where the search for missed errors is done, None if there
    are none; over them alone ``recall``, TP / (TP + FN), and ``f1``, 2TP / (2TP + FP + FN).
    """

    searched: FindingCounts | None = None
    coverage: Figure = _NOTHING_FOUND
    precision: Figure = _NOTHING_DECIDED
    precision_bounds: tuple[Figure, Figure] = (_NOTHING_FOUND, _NOTHING_FOUND)
    recall: Figure = _NOT_SEARCHED
    f1: Figure = _NOT_SEARCHED


@dataclass(frozen=True, slots=True)
class SeverityAgreement:
    """Judge and human on how severe an accuracy error is; other dimensions know one level only.

    ``agreement`` (the share left as it was) and ``kappa`` are over the errors to which both gave a declared level.
    A violated rubric point has no such level and is not among them.
    """

    table: Crosstab
    agreement: Figure
    kappa: Mapping[Weighting, Figure]


@dataclass(frozen=True, slots=True)
class Deduplication:
    """Precision and recall of the de-duplication.

    ``drops_confirmed``: of the dropped findings that were decided, the share not restored (a drop is confirmed by
    agreeing with it, or by calling the finding a duplicate or no error). ``duplicates_kept``: of
    the kept findings that were decided, the share called a duplicate of another. ``undecided_drops`` were left out.
    """

    dropped: int
    undecided_drops: int
    drops_confirmed: Figure
    duplicates_kept: Figure


@dataclass(frozen=True, slots=True)
class RubricAgreement:
    """Agreement on rubric points, each counting, also where the mistake behind it repeats.

    ``violated``: so many the judge calls so (those that stood after de-duplication), ``undecided`` of which were left
    out. ``upheld``: of the decided ones, the share left standing; ``rejected``: the share called no error, the rest
    being duplicates, or too strict. ``met_points``: of the points called met that were decided, the share called met.
    ``table``: judge × reviewer, a duplicate counting as violated; ``agreement``: the share alike of those that neither
    calls too strict; ``too_strict``: of all that were decided, the share so called.
    """

    violated: int
    undecided: int
    upheld: Figure
    rejected: Figure
    met_points: Figure
    table: Crosstab
    agreement: Figure
    too_strict: Figure


@dataclass(frozen=True, slots=True)
class InstructionAgreement:
    """Agreement on the instruction check: the judge's result × the reviewers', and the share agreed."""

    table: Crosstab
    agreed: Figure


@dataclass(frozen=True, slots=True)
class FindingFigures:
    """Figures of the findings, all together and by every grouping.

    ``invented_quotes``: of the findings that quote something, each once, the share with a quote that locating finds
    nowhere; ``marked_invented``: the share that a reviewer marked as invented; ``marked_nowhere``: of these, the share
    that locating finds nowhere either.
    """

    overall: Detection
    by: Mapping[Grouping, Mapping[str, Detection]]
    attribution: Crosstab
    severity: SeverityAgreement
    deduplication: Deduplication
    rubric: RubricAgreement
    invented_quotes: Figure
    marked_invented: Figure
    marked_nowhere: Figure


def finding_figures(
    findings: Rows,
    added: Sequence[AddedError] = (),
    searched: Searched = frozenset(),
    quotes: Sequence[QuoteCount] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
    points: Sequence[MetPoint] = (),
) -> FindingFigures:
    """Compute every figure of the findings. ``added`` errors make recall, where documents were ``searched``.

    ``points``: what reviewers said of rubric points that the judge calls met.
    """
    columns = _Columns(FindingTable.of(findings), added, searched, resamples, seed, points)
    whole, *groups = columns.detections("all", *GROUPINGS)
    invented, marked, both, quoting = (
        [getattr(quote, name) for quote in quotes] for name in ("invented", "marked", "both", "quoting")
    )
    return FindingFigures(
        whole.get("all", Detection(searched=FindingCounts() if searched else None)),
        dict(zip(GROUPINGS, groups, strict=True)),
        columns.attribution(),
        columns.severity(),
        columns.deduplication(),
        columns.rubric(),
        columns.intervals.share(invented, quoting, NO_QUOTE),
        columns.intervals.share(marked, quoting, NO_QUOTE),
        columns.intervals.share(both, marked, "no reviewer has marked a quote as invented"),
    )


def detection_by(
    grouping: Grouping | Literal["seen"],
    findings: Rows,
    added: Sequence[AddedError] = (),
    searched: Searched = frozenset(),
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Detection]:
    """Count by label, in the declared order of dimensions, categories and severities, else alphabetically.

    By what reviewers had ``seen`` first: blind first, or anchored.
    """
    (found,) = _Columns(FindingTable.of(findings), added, searched, resamples, seed).detections(grouping)
    return found


def instruction_agreement(
    checks: Sequence[InstructionCheck], resamples: int = RESAMPLES, seed: int = SEED
) -> InstructionAgreement:
    """Return the reviewers' agreement with the instruction checks that they decided on, by result."""
    counts = Counter(("passed" if check.passed else "failed", check.decision) for check in checks)
    rows, columns = ("passed", "failed"), INSTRUCTION_DECISIONS
    places = article_codes(checks)
    agreed, decided = [0] * len(places), [0] * len(places)
    for check in checks:
        place = places[check.direction, check.article]
        decided[place] += 1
        agreed[place] += check.decision == "agree"
    return InstructionAgreement(
        Crosstab(rows, columns, tuple(tuple(counts[row, column] for column in columns) for row in rows)),
        Bootstrap(resamples, seed).share(agreed, decided, "no reviewer has decided on an instruction check"),
    )


_HUMANS: Mapping[str, Label] = {
    "dimension": humans_dimension,
    "category": humans_category,
    "severity": humans_severity,
}
"""Readers of the human's label; a grouping not named here has nothing that a human could change."""

_DECLARED: Mapping[str, Sequence[str]] = {
    "dimension": DIMENSIONS,
    "category": [category for categories in CATEGORIES.values() for category in categories],
    "severity": SEVERITIES,
}


@dataclass(frozen=True, slots=True)
class _Cells:
    """Findings added up: ``size`` of them by ``kind`` and ``article``, and kept ones by review × outcome."""

    kind: Integers
    article: Integers
    size: Integers
    by_review: Integers


class _Columns:
    """A table of findings with the articles, labels and outcomes that every figure asks for."""

    def __init__(
        self,
        table: FindingTable,
        added: Sequence[AddedError] = (),
        searched: Searched = frozenset(),
        resamples: int = RESAMPLES,
        seed: int = SEED,
        points: Sequence[MetPoint] = (),
    ) -> None:
        import numpy as np

        self.table, self.added, self.points = table, added, points
        self.intervals = Bootstrap(resamples, seed)
        review, kind = np.array(table.review, dtype=np.int64), np.array(table.kind, dtype=np.int64)
        rows: list[ReviewedRow] = [*table.reviews, *added]
        self.places = places = article_codes([*rows, *points])
        self.n_articles = len(places)
        self.article_of = np.array([places[row.direction, row.article] for row in rows], dtype=np.int64)
        self.in_search = np.array([(row.evaluation, row.reviewer) in searched for row in rows], dtype=bool)
        self.any_searched = bool(searched)
        self.kept = np.array([kind.kept for kind in table.kinds], dtype=bool)
        self.outcomes = [outcome_of(kind) for kind in table.kinds]
        self.of_kind = np.bincount(kind, minlength=len(table.kinds))
        self.cells = self._added_up(review, kind)
        if self.any_searched:
            sought = self.in_search[review]
            self.cells_searched = self._added_up(review[sought], kind[sought])

    def _added_up(self, review: Integers, kind: Integers) -> _Cells:
        """Add findings up once, so that every figure goes over few cells and not over all findings again."""
        import numpy as np

        places, sizes = np.unique(kind * self.n_articles + self.article_of[review], return_counts=True)
        outcome = np.array([_ORDER.index(outcome) for outcome in self.outcomes], dtype=np.int64)
        kept = self.kept[kind]
        shape = len(self.table.reviews), len(_ORDER)
        by_review = np.bincount(review[kept] * len(_ORDER) + outcome[kind[kept]], minlength=shape[0] * shape[1])
        return _Cells(
            places // max(1, self.n_articles), places % max(1, self.n_articles), sizes, by_review.reshape(shape)
        )

    def by_article(self, of_kind: Iterable[bool]) -> Integers:
        """Return how many findings of each article are of these kinds."""
        import numpy as np

        chosen = np.array(list(of_kind), dtype=bool)[self.cells.kind]
        return _added(self.cells.article[chosen], self.cells.size[chosen], self.n_articles)

    def detections(self, *groupings: Grouping | Literal["all", "seen"]) -> list[dict[str, Detection]]:
        """The counts and figures of each label of each grouping, in the declared order, else alphabetically."""
        parts: list[Part] = []
        by_label: list[list[tuple[str, Integers]]] = []
        for grouping in groupings:
            names, counts = self._counts(grouping)
            declared = {label: position for position, label in enumerate(_DECLARED.get(grouping, ()))}
            labels = sorted(names, key=lambda label: (declared.get(label, len(declared)), label))
            by_label.append([(label, counts[:, names[label]].sum(axis=1)) for label in labels])
            for label in labels:
                parts += self._parts(*counts[:, names[label]])
        whys = [NOTHING_FOUND, NOTHING_DECIDED, NOTHING_FOUND, NOTHING_FOUND]
        if self.any_searched:
            whys += [NO_ERROR_KNOWN, NO_ERROR_KNOWN]
        figures = iter(self.intervals.shares(parts, whys * (len(parts) // len(whys))))

        def detection(sums: Integers) -> Detection:
            (right, wrong, unsure, unseen, missed, repeated), part = sums.tolist()
            coverage, precision, low, high = (next(figures) for _ in range(4))
            found = Detection(right, wrong, unsure, unseen, missed, repeated, None, coverage, precision, (low, high))
            if self.any_searched:
                found = replace(found, searched=FindingCounts(*part), recall=next(figures), f1=next(figures))
            return found

        return [{label: detection(sums) for label, sums in labels} for labels in by_label]

    def _parts(self, counts: Integers, searched: Integers) -> list[Part]:
        """Return the numerators and denominators of a label's figures, from its counts (articles × outcomes)."""
        right, wrong, unsure, unseen, *_ = counts.T
        decided, found = right + wrong, right + wrong + unsure + unseen
        parts: list[Part] = [
            (decided, found, None),
            (right, decided, None),
            (right, found, None),
            (found - wrong, found, None),
        ]
        if self.any_searched:
            right, wrong, _, _, missed, _ = searched.T
            n = int((right + wrong + missed).sum())
            parts += [(right, right + missed, None), (2 * right, 2 * right + wrong + missed, n)]
        return parts

    def _counts(self, grouping: Grouping | Literal["all", "seen"]) -> tuple[dict[str, int], Integers]:
        """The labels' places, and counts (all or searched × labels × articles × `_ORDER`)."""
        import numpy as np

        names: dict[str, int] = {}

        def coded(labels: Iterable[str | None]) -> Integers:
            return np.array([names.setdefault(label or NOT_GIVEN, len(names)) for label in labels], dtype=np.int64)

        outcome = np.array([_ORDER.index(outcome) for outcome in self.outcomes], dtype=np.int64)
        in_kinds = grouping in _HUMANS
        added_label = coded(_label(grouping)(error) for error in self.added)
        if in_kinds:
            judges = coded(_label(grouping)(kind) if kind.kept else None for kind in self.table.kinds)
            humans = coded(_HUMANS[grouping](kind) if kind.kept else None for kind in self.table.kinds)
            moved = self.kept & (judges != humans) & (outcome == _ORDER.index("right"))
            outcome = np.where(moved, _ORDER.index("wrong"), outcome)
        else:
            of_review = coded(_label(grouping)(row) for row in self.table.reviews)
        counts = np.zeros((2, len(names), self.n_articles, len(_ORDER)), dtype=np.int64)
        reviews = len(self.table.reviews)
        for which in range(1 + self.any_searched):
            cells = self.cells_searched if which else self.cells
            if in_kinds:
                for chosen, label, what in (
                    (self.kept, judges, outcome),
                    (moved, humans, np.full_like(outcome, _MISSED)),
                ):
                    here = chosen[cells.kind]
                    kind = cells.kind[here]
                    np.add.at(counts[which], (label[kind], cells.article[here], what[kind]), cells.size[here])
            else:
                np.add.at(counts[which], (of_review, self.article_of[:reviews]), cells.by_review)
            sought = self.in_search[reviews:] if which else np.ones(len(self.added), dtype=bool)
            np.add.at(counts[which], (added_label[sought], self.article_of[reviews:][sought], _MISSED), 1)
        used = counts[0].sum(axis=(1, 2)) > 0
        return {label: place for label, place in names.items() if used[place]}, counts

    def attribution(self) -> Crosstab:
        """Judge's dimension × human's over the decided findings, with those rejected and those added."""
        return attribution_table(self.sizes(), self.added)

    def sizes(self) -> Sizes:
        """Return how many findings there are of each kind."""
        return zip(self.table.kinds, self.of_kind.tolist(), strict=True)

    def severity(self) -> SeverityAgreement:
        """Judge's level × human's over the accuracy judge's decided findings, with those rejected and those added.

        ``elsewhere``: the human moved it to another dimension, or to what is no level of the accuracy judge.
        """
        import numpy as np

        levels = LEVELS_OF_ACCURACY
        table = severity_table(self.sizes(), self.added)
        square = table.part(levels)
        n = sum(map(sum, square))
        why = "judge and reviewers used one and the same level throughout" if n else NOTHING_DECIDED
        q = len(levels)
        cell = np.full(len(self.table.kinds), -1)
        for i, kind in enumerate(self.table.kinds):
            if kind.kept and levelled(kind) and self.outcomes[i] == "right" and humans_level(kind) in levels:
                cell[i] = levels.index(kind.severity) * q + levels.index(humans_level(kind))
        inside = cell[self.cells.kind] >= 0
        places = self.cells.article[inside] * q * q + cell[self.cells.kind[inside]]
        flat = _added(places, self.cells.size[inside], self.n_articles * q * q)
        tables = flat.reshape(self.n_articles, q * q).astype(float)
        tables = tables[tables.sum(axis=1) > 0]
        draws = self.intervals.draws(tables).reshape(-1, q, q)

        def figure(value: float | None, of_draws: Callable[[Floats], Floats]) -> Figure:
            if value is None:
                return Figure(None, n, why)
            return Figure(value, n, interval=self.intervals.interval(of_draws(draws), len(tables)))

        return SeverityAgreement(
            table,
            figure(observed_agreement(square), observed_agreements),
            {w: figure(weighted_kappa(square, w), partial(weighted_kappas, weighting=w)) for w in WEIGHTINGS},
        )

    def deduplication(self) -> Deduplication:
        """Drops confirmed and duplicates kept."""
        kinds = self.table.kinds
        dropped = int(self.of_kind[~self.kept].sum())
        drops = self.by_article(not k.kept and k.decision in (*_CONFIRM_DROP, "restore") for k in kinds)
        confirmed = self.by_article(not k.kept and k.decision in _CONFIRM_DROP for k in kinds)
        decided = self.by_article(k.kept and OUTCOMES[k.decision] in ("right", "wrong") for k in kinds)
        duplicates = self.by_article(k.kept and k.decision == "duplicate" for k in kinds)
        return Deduplication(
            dropped,
            dropped - int(drops.sum()),
            self.intervals.share(confirmed, drops, "no dropped finding has been decided"),
            self.intervals.share(duplicates, decided, NOTHING_DECIDED),
        )

    def rubric(self) -> RubricAgreement:
        """Return the agreement on the rubric judge's findings, and on the points it calls met."""
        import numpy as np

        points = [k if k.judge == "rubric" and k.kept else None for k in self.table.kinds]

        def count(*decisions: Decision | None) -> Integers:
            return self.by_article(k is not None and k.decision in decisions for k in points)

        right, duplicate = count(*(d for d, outcome in OUTCOMES.items() if outcome == "right")), count("duplicate")
        rejected, strict, undecided = count("not_an_error"), count("too_strict"), count("unsure", None)
        decided = right + duplicate + rejected + strict
        met = np.zeros((len(POINT_DECISIONS), self.n_articles), dtype=np.int64)
        for point in self.points:
            met[POINT_DECISIONS.index(point.decision), self.places[point.direction, point.article]] += 1
        violated = np.stack([{"met": rejected, "violated": right + duplicate, "too_strict": strict}[d] for d in _POINT])
        met = met[[POINT_DECISIONS.index(d) for d in _POINT]]
        alike, apart = violated[0] + met[1], violated[1] + met[0]
        why = "no violated point has been decided"
        return RubricAgreement(
            int((decided + undecided).sum()),
            int(undecided.sum()),
            self.intervals.share(right, decided, why),
            self.intervals.share(rejected, decided, why),
            self.intervals.share(met[1], met.sum(axis=0), "no point that the judge calls met has been decided"),
            Crosstab(_POINT[:2], _POINT, tuple(tuple(row.sum(axis=1).tolist()) for row in (violated, met))),
            self.intervals.share(alike, alike + apart, "no point has been called met or violated"),
            self.intervals.share(strict + met[2], decided + met.sum(axis=0), "no point has been decided"),
        )


def _added(places: Integers, sizes: Integers, n: int) -> Integers:
    """Add sizes up by place (0 … n - 1)."""
    import numpy as np

    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, places, sizes)
    return sums


_ORDER = tuple(field.name for field in fields(FindingCounts))
_MISSED = _ORDER.index("missed")
_POINT: tuple[PointDecision, ...] = ("violated", "met", "too_strict")
_CONFIRM_DROP = ("agree", "not_an_error", "duplicate")


def _label(grouping: Grouping | Literal["all", "seen"]) -> Label:
    return attrgetter(grouping) if grouping != "all" else lambda _: "all"
