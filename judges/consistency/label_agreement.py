"""Agreement on labels: of judge and reviewers on severity, de-duplication, rubric points and the instruction check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from judges.consistency.crosstabs import LEVELS_OF_ACCURACY, Crosstab, humans_level, levelled, severity_table
from judges.consistency.detection import NOTHING_DECIDED, FindingColumns, added_up
from judges.consistency.outcomes import OUTCOMES
from judges.consistency.records import InstructionCheck, article_codes
from judges.model import INSTRUCTION_DECISIONS, POINT_DECISIONS, Decision, PointDecision
from judges.stats.figure import Figure
from judges.stats.intervals import Bootstrap
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

_POINT: tuple[PointDecision, ...] = ("violated", "met", "too_strict")
_CONFIRM_DROP = ("agree", "not_an_error", "duplicate")


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


@dataclass(frozen=True, slots=True, kw_only=True)
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


def severity_agreement(columns: FindingColumns) -> SeverityAgreement:
    """Return judge's level × human's over the accuracy judge's decided findings, with those rejected and those added.

    ``elsewhere``: the human moved it to another dimension, or to what is no level of the accuracy judge.
    """
    import numpy as np

    levels = LEVELS_OF_ACCURACY
    table = severity_table(columns.sizes(), columns.added)
    square = table.part(levels)
    n = sum(map(sum, square))
    why = "judge and reviewers used one and the same level throughout" if n else NOTHING_DECIDED
    q = len(levels)
    cell = np.full(len(columns.table.kinds), -1)
    for i, kind in enumerate(columns.table.kinds):
        if kind.kept and levelled(kind) and columns.outcomes[i] == "right" and humans_level(kind) in levels:
            cell[i] = levels.index(kind.severity) * q + levels.index(humans_level(kind))
    inside = cell[columns.cells.kind] >= 0
    places = columns.cells.article[inside] * q * q + cell[columns.cells.kind[inside]]
    flat = added_up(places, columns.cells.size[inside], columns.n_articles * q * q)
    tables = flat.reshape(columns.n_articles, q * q).astype(float)
    tables = tables[tables.sum(axis=1) > 0]
    draws = columns.intervals.draws(tables).reshape(-1, q, q)

    left_out = _not_levelled(columns)

    def figure(value: float | None, of_draws: Callable[[Floats], Floats]) -> Figure:
        if value is None:
            return Figure(None, n, why).without(left_out)
        return Figure(value, n, interval=columns.intervals.interval(of_draws(draws), len(tables))).without(left_out)

    return SeverityAgreement(
        table,
        figure(observed_agreement(square), observed_agreements),
        {w: figure(weighted_kappa(square, w), partial(weighted_kappas, weighting=w)) for w in WEIGHTINGS},
    )


def _not_levelled(columns: FindingColumns) -> Counter[str]:
    """Count the findings that stood after de-duplication and are in no agreement on severity, by the reason."""
    left_out: Counter[str] = Counter()
    for kind, outcome, n in zip(columns.table.kinds, columns.outcomes, columns.of_kind.tolist(), strict=True):
        lacking = (
            (kind.judge != "accuracy", "findings of judges that know one level"),
            (not levelled(kind), "findings of no readable level"),
            (outcome in ("unsure", "unseen"), "findings that are not decided"),
            (outcome == "wrong", "findings that were rejected"),
            (outcome == "repeated", "further places of an error that counts already"),
            (humans_level(kind) not in LEVELS_OF_ACCURACY, "findings that were moved to where levels are others"),
        )
        why = next((why for lacks, why in lacking if lacks), None)
        if kind.kept and why:
            left_out[why] += n
    return left_out


def deduplication(columns: FindingColumns) -> Deduplication:
    """Return the shares of drops confirmed and duplicates kept."""
    kinds = columns.table.kinds
    dropped, kept = (int(columns.of_kind[each].sum()) for each in (~columns.kept, columns.kept))
    drops = columns.by_article(not k.kept and k.decision in (*_CONFIRM_DROP, "restore") for k in kinds)
    confirmed = columns.by_article(not k.kept and k.decision in _CONFIRM_DROP for k in kinds)
    decided = columns.by_article(k.kept and OUTCOMES[k.decision] in ("right", "wrong") for k in kinds)
    duplicates = columns.by_article(k.kept and k.decision == "duplicate" for k in kinds)
    return Deduplication(
        dropped,
        dropped - int(drops.sum()),
        columns.intervals.share(confirmed, drops, "no dropped finding has been decided").without(
            {"dropped findings that are not decided": dropped - int(drops.sum())}
        ),
        columns.intervals.share(duplicates, decided, NOTHING_DECIDED).without(
            {"findings that are not decided, or repeat an error": kept - int(decided.sum())}
        ),
    )


def rubric_agreement(columns: FindingColumns) -> RubricAgreement:
    """Return the agreement on the rubric judge's findings, and on the points it calls met."""
    import numpy as np

    points = [k if k.judge == "rubric" and k.kept else None for k in columns.table.kinds]

    def count(*decisions: Decision | None) -> Integers:
        return columns.by_article(k is not None and k.decision in decisions for k in points)

    right, duplicate = count(*(d for d, outcome in OUTCOMES.items() if outcome == "right")), count("duplicate")
    rejected, strict, undecided = count("not_an_error"), count("too_strict"), count("unsure", None)
    decided = right + duplicate + rejected + strict
    met = np.zeros((len(POINT_DECISIONS), columns.n_articles), dtype=np.int64)
    for point in columns.points:
        met[POINT_DECISIONS.index(point.decision), columns.places[point.direction, point.article]] += 1
    violated = np.stack([{"met": rejected, "violated": right + duplicate, "too_strict": strict}[d] for d in _POINT])
    met = met[[POINT_DECISIONS.index(d) for d in _POINT]]
    alike, apart = violated[0] + met[1], violated[1] + met[0]
    why = "no violated point has been decided"
    return RubricAgreement(
        violated=int((decided + undecided).sum()),
        undecided=int(undecided.sum()),
        upheld=columns.intervals.share(right, decided, why),
        rejected=columns.intervals.share(rejected, decided, why),
        met_points=columns.intervals.share(
            met[1], met.sum(axis=0), "no point that the judge calls met has been decided"
        ),
        table=Crosstab(_POINT[:2], _POINT, tuple(tuple(row.sum(axis=1).tolist()) for row in (violated, met))),
        agreement=columns.intervals.share(alike, alike + apart, "no point has been called met or violated"),
        too_strict=columns.intervals.share(strict + met[2], decided + met.sum(axis=0), "no point has been decided"),
    )
