"""What became of a judge's findings in review: precision, recall, attribution, severity and de-duplication.

A finding that stood after de-duplication is *right* (agreed with, changed, or moved to another dimension), *wrong*
(not an error, or a duplicate of another), *unsure* or *unseen*. The last two stay out of every share, with counts.

By dimension, category or severity the judge's label counts for precision and the human's for recall: a finding moved
from accuracy to fluency is right overall, wrong under accuracy and missed under fluency.

Findings that de-duplication dropped are no part of what the judge reported: they count in `deduplication` only, the
restored ones too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Literal, get_args

from judges.agreement.figure import Figure, ratio
from judges.agreement.raters import WEIGHTINGS, Weighting, observed_agreement, weighted_kappa
from judges.agreement.records import AddedError, Key, ReviewedFinding, ReviewedRow
from judges.metric_s.scoring import SINGLE_LEVEL
from judges.model import CATEGORIES, DIMENSIONS, LEVELS, SEVERITIES, Decision, Dimension, Severity

Outcome = Literal["right", "wrong", "unsure", "unseen"]

OUTCOMES: Mapping[Decision | None, Outcome] = {
    "agree": "right",
    "override": "right",
    "reattribute": "right",
    "restore": "right",
    "not_an_error": "wrong",
    "duplicate": "wrong",
    "unsure": "unsure",
    None: "unseen",
}

Grouping = Literal["dimension", "category", "severity", "system", "direction", "domain", "judge_model", "reviewer"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)

NOT_GIVEN = "not given"
"""The label where the judge's word could not be read, or the human moved a finding and chose no category."""

NOT_SEARCHED = "nobody has searched these documents for errors that the judge missed"
NOTHING_DECIDED = "no finding has been decided"
NOTHING_FOUND = "the judge reported no finding"
NO_ERROR_KNOWN = "no error is known where missed ones were searched for"

Searched = Set[tuple[Key, str]]
"""The (evaluation, reviewer) pairs where the search for missed errors is declared done."""


@dataclass(frozen=True, slots=True)
class Detection:
    """How many of a judge's findings are errors, and how many errors it found.

    ``right`` (TP), ``wrong`` (FP), ``unsure``, ``unseen`` and ``missed`` (FN) count all documents; ``searched`` the
    same over those where the search for missed errors is done, or None if there are none.
    """

    right: int = 0
    wrong: int = 0
    unsure: int = 0
    unseen: int = 0
    missed: int = 0
    searched: Detection | None = None

    @property
    def found(self) -> int:
        """All findings, decided or not."""
        return self.right + self.wrong + self.unsure + self.unseen

    @property
    def coverage(self) -> Figure:
        """The share of the findings that has been decided: (TP + FP) / N."""
        return ratio(self.right + self.wrong, self.found, NOTHING_FOUND)

    @property
    def precision(self) -> Figure:
        """The share of the decided findings that are errors: TP / (TP + FP)."""
        return ratio(self.right, self.right + self.wrong, NOTHING_DECIDED)

    @property
    def precision_bounds(self) -> tuple[Figure, Figure]:
        """Precision if all the undecided were wrong, and if all were right: TP / N and (TP + U) / N."""
        return (
            ratio(self.right, self.found, NOTHING_FOUND),
            ratio(self.found - self.wrong, self.found, NOTHING_FOUND),
        )

    @property
    def recall(self) -> Figure:
        """The share of the errors that the judge found, where missed ones were searched for: TP / (TP + FN)."""
        if self.searched is None:
            return Figure(None, 0, NOT_SEARCHED)
        return ratio(self.searched.right, self.searched.right + self.searched.missed, NO_ERROR_KNOWN)

    @property
    def f1(self) -> Figure:
        """The harmonic mean of precision and recall, where missed ones were searched for: 2TP / (2TP + FP + FN)."""
        if self.searched is None:
            return Figure(None, 0, NOT_SEARCHED)
        right, wrong, missed = self.searched.right, self.searched.wrong, self.searched.missed
        n = right + wrong + missed
        return Figure(2 * right / (n + right), n) if n else Figure(None, 0, NO_ERROR_KNOWN)


@dataclass(frozen=True, slots=True)
class Crosstab:
    """Counts by two labels: the judge's in ``rows``, the human's in ``columns``."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    def part(self, labels: Sequence[str]) -> list[list[int]]:
        """The square part in which both gave one of these labels."""
        return [[self.counts[self.rows.index(a)][self.columns.index(b)] for b in labels] for a in labels]


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
    """Whether de-duplication dropped what it should.

    ``drops_confirmed``: of the dropped findings that were decided, the share not restored. ``duplicates_kept``: of
    the kept findings that were decided, the share called a duplicate of another. ``undecided_drops`` were left out.
    """

    dropped: int
    undecided_drops: int
    drops_confirmed: Figure
    duplicates_kept: Figure


def detection(
    findings: Sequence[ReviewedFinding], added: Sequence[AddedError] = (), searched: Searched = frozenset()
) -> Detection:
    """All findings together, whatever their label."""
    found = _detections(findings, added, searched, _all, _all)
    return found.get("all", Detection(searched=Detection() if searched else None))


def detection_by(
    grouping: Grouping,
    findings: Sequence[ReviewedFinding],
    added: Sequence[AddedError] = (),
    searched: Searched = frozenset(),
) -> dict[str, Detection]:
    """The same by label, in the declared order of dimensions, categories and severities, else alphabetically."""
    judges: Label = attrgetter(grouping)
    found = _detections(findings, added, searched, judges, _HUMANS.get(grouping, judges))
    declared = {label: position for position, label in enumerate(_DECLARED.get(grouping, ()))}
    return {label: found[label] for label in sorted(found, key=lambda x: (declared.get(x, len(declared)), x))}


def attribution(findings: Iterable[ReviewedFinding], added: Iterable[AddedError] = ()) -> Crosstab:
    """Judge's dimension × human's dimension over the decided findings, with those rejected and those added."""
    return _crosstab(_tally(findings, added, attrgetter("dimension"), humans_dimension), DIMENSIONS)


def severity_agreement(findings: Iterable[ReviewedFinding], added: Iterable[AddedError] = ()) -> SeverityAgreement:
    """Judge's severity × human's over the accuracy judge's decided findings, with those rejected and those added.

    ``elsewhere``: the human moved it to another dimension, or to what is no level of the accuracy judge.
    """
    levels = LEVELS["accuracy"]

    def humans(finding: ReviewedFinding) -> str:
        severity = humans_severity(finding) if humans_dimension(finding) == "accuracy" else None
        return severity if severity in levels else "elsewhere"

    table = _crosstab(
        _tally(
            (f for f in findings if f.judge == "accuracy" and f.severity in levels),
            (error for error in added if error.dimension == "accuracy" and error.severity in levels),
            attrgetter("severity"),
            humans,
        ),
        levels,
        "elsewhere",
    )
    square = table.part(levels)
    n = sum(map(sum, square))
    why = "judge and reviewers used one and the same level throughout" if n else NOTHING_DECIDED
    return SeverityAgreement(
        table,
        _figure(observed_agreement(square), n, why),
        {weighting: _figure(weighted_kappa(square, weighting), n, why) for weighting in WEIGHTINGS},
    )


def deduplication(findings: Iterable[ReviewedFinding]) -> Deduplication:
    """Of what was dropped the share confirmed, of what was kept the share called a duplicate.

    A drop is confirmed by agreeing with it, or by calling the finding a duplicate or no error; ``restore`` refuses it.
    """
    decisions = Counter(map(attrgetter("kept", "decision"), findings))
    dropped = sum(n for (kept, _), n in decisions.items() if not kept)
    confirmed = sum(decisions[False, decision] for decision in ("agree", "not_an_error", "duplicate"))
    decided_drops = confirmed + decisions[False, "restore"]
    decided = sum(n for (kept, decision), n in decisions.items() if kept and OUTCOMES[decision] in ("right", "wrong"))
    return Deduplication(
        dropped,
        dropped - decided_drops,
        ratio(confirmed, decided_drops, "no dropped finding has been decided"),
        ratio(decisions[True, "duplicate"], decided, NOTHING_DECIDED),
    )


def humans_dimension(finding: ReviewedFinding) -> Dimension:
    """The dimension as the reviewer left it."""
    return finding.human_dimension or finding.dimension


def humans_category(finding: ReviewedFinding) -> str | None:
    """The category as the reviewer left it; None where she moved the finding to a dimension without it."""
    moved = humans_dimension(finding) != finding.dimension
    return finding.human_category or (None if moved else finding.category)


def humans_severity(finding: ReviewedFinding) -> Severity | None:
    """The severity as the reviewer left it, by the rule that scores it (`metric_s.scoring.reviewed`)."""
    dimension = humans_dimension(finding)
    if dimension == finding.dimension:
        return finding.human_severity or finding.severity
    return SINGLE_LEVEL.get(dimension) or finding.human_severity or "major"


Label = Callable[[Any], str | None]
"""Reads a label off a finding or an added error."""

_HUMANS: Mapping[Grouping, Label] = {
    "dimension": humans_dimension,
    "category": humans_category,
    "severity": humans_severity,
}
"""How to read the human's label; a grouping not named here has nothing that a human could change."""

_DECLARED: Mapping[Grouping, Sequence[str]] = {
    "dimension": DIMENSIONS,
    "category": [category for categories in CATEGORIES.values() for category in categories],
    "severity": SEVERITIES,
}


def _all(_: object) -> str:
    return "all"


@dataclass(frozen=True, slots=True)
class _Tally:
    """Findings that stood after de-duplication by (judge's label, human's label), and added errors by label."""

    outcomes: Counter[tuple[str, str, Outcome]]
    added: Counter[str]


def _tally(findings: Iterable[ReviewedFinding], added: Iterable[AddedError], judges: Label, humans: Label) -> _Tally:
    return _Tally(
        Counter((judges(f) or NOT_GIVEN, humans(f) or NOT_GIVEN, OUTCOMES[f.decision]) for f in findings if f.kept),
        Counter(judges(error) or NOT_GIVEN for error in added),
    )


def _detections(
    findings: Sequence[ReviewedFinding], added: Sequence[AddedError], searched: Searched, judges: Label, humans: Label
) -> dict[str, Detection]:
    def is_searched(row: ReviewedRow) -> bool:
        return (row.evaluation, row.reviewer) in searched

    whole = _fold(_tally(findings, added, judges, humans))
    if not searched:
        return whole
    part = _fold(_tally(filter(is_searched, findings), filter(is_searched, added), judges, humans))
    return {label: replace(counts, searched=part.get(label, Detection())) for label, counts in whole.items()}


def _fold(tally: _Tally) -> dict[str, Detection]:
    """Count outcomes by label: where judge and human differ, wrong under the judge's and missed under the human's."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (judges, humans, outcome), n in tally.outcomes.items():
        if outcome == "right" and judges != humans:
            counts[judges]["wrong"] += n
            counts[humans]["missed"] += n
        else:
            counts[judges][outcome] += n
    for label, n in tally.added.items():
        counts[label]["missed"] += n
    return {
        label: Detection(count["right"], count["wrong"], count["unsure"], count["unseen"], count["missed"])
        for label, count in counts.items()
    }


def _crosstab(tally: _Tally, labels: Sequence[str], *others: str) -> Crosstab:
    """Lay decided findings and added errors out over the declared labels; the human's ``others`` are no level."""
    cells: Counter[tuple[str, str]] = Counter({("added", label): n for label, n in tally.added.items()})
    for (judges, humans, outcome), n in tally.outcomes.items():
        if outcome in ("right", "wrong"):
            cells[judges, humans if outcome == "right" else "rejected"] += n
    rows, columns = (*labels, "added"), (*labels, *others, "rejected")
    return Crosstab(rows, columns, tuple(tuple(cells[row, column] for column in columns) for row in rows))


def _figure(value: float | None, n: int, why: str) -> Figure:
    return Figure(None, n, why) if value is None else Figure(value, n)
