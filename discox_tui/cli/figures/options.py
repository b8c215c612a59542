"""Options of the commands that compute figures: ``discox consistency`` and ``discox leaderboard``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discox_tui.cli.core.options import argument, choosing_words, flag, number, several
from discox_tui.cli.core.report_options import ReportOptions, ResamplingOptions
from judges.meta_eval.alternative_annotator import EXPERTISE
from storage.base.text import storable

if TYPE_CHECKING:
    from judges.meta_eval.metric_ranking import Correction
    from judges.meta_eval.pair_counts import Rule
    from judges.ranking.audit_estimate import Target
    from judges.ranking.ranking import Cut


@dataclass(frozen=True, kw_only=True)
class TableOptions(ReportOptions):
    """Options of a command that can read tables of scores instead of a library."""

    words: tuple[str, ...] = choosing_words()
    judge: tuple[str, ...] = ()
    scores: tuple[str, ...] = several("--scores", "of this table of scores alone, without a database", metavar="FILE")


def behind(given: str) -> float:
    """Return how far a judge may fall behind people: by who these are, or a number from 0 to 0.99."""
    return EXPERTISE.get(given) or number(float, 0, 0.99)(given)


@dataclass(frozen=True, kw_only=True)
class ConsistencyOptions(TableOptions, ResamplingOptions):
    """Options of ``discox consistency``."""

    by: str | None = argument(
        "--by",
        choices=("dimension", "severity", "category", "system", "direction", "domain", "reviewer", "spot"),
        help="also within each of these; spot: every weak spot of the judge",
    )
    judge: tuple[str, ...] = several("--judge", "only this judge, or metric", type=storable, metavar="NAME")
    ties: Rule = argument(
        "--ties",
        choices=("acc_eq", "c_index", "drop_human_ties", "drop_all_ties", "half"),
        default="acc_eq",
        help="the rule for ties that headlines (else acc_eq)",
    )
    compare: tuple[str, str] | None = argument(
        "--compare",
        nargs=2,
        type=storable,
        metavar=("A", "B"),
        help="two metrics, or two systems: is B ahead of A?",
    )
    rank: Correction | None = argument(
        "--rank",
        choices=("none", "holm", "bh"),
        help="all metrics in one table, in clusters of significance; p-values adjusted so",
    )
    epsilon: float = argument(
        "--epsilon",
        type=behind,
        default=EXPERTISE["expert"],
        metavar="WHO",
        help="how far a judge that stands in may fall behind people who are expert (.2, else), skilled (.15) or crowd "
        "(.1), or a number",
    )
    published: bool = flag("--published", "with the published figures beside")


@dataclass(frozen=True, kw_only=True)
class LeaderboardOptions(TableOptions, ResamplingOptions):
    """Options of ``discox leaderboard``."""

    by: tuple[Cut, ...] = several(
        "--by",
        "only these tables, else all but subdomain; academic: halves of the domains; kind: systems of one kind alone",
        choices=("total", "dimension", "direction", "domain", "subdomain", "academic", "kind"),
    )
    published: bool = flag("--published", "with the published figures beside")
    weigh: Literal["votes", "reciprocal-rank"] | None = argument(
        "--weigh",
        choices=("votes", "reciprocal-rank"),
        help="votes: each error by the share of the judges, or samples, that found it; "
        "reciprocal-rank: each judge's samples by 1 / rank, outliers left out",
    )
    audited: bool = flag("--audited", "what people's audits of a few articles and the judge's scores come to")
    estimated: Target | None = argument(
        "--target",
        choices=("this-test-set", "new-documents"),
        help="audited: the means over these articles (else), or over all that they are a sample of",
    )
    holm: bool = flag("--holm", "audited: decide all pairs together")
    alpha: float | None = argument(
        "--alpha",
        type=number(float, 1e-9, 0.5),
        metavar="RATE",
        help="audited: the rate of error of intervals and pairs (else 0.05)",
    )
