"""Options of ``discox plan``, which its three kinds of plans share."""

from __future__ import annotations

from dataclasses import dataclass

from discox_tui.cli.core.options import JsonOptions, argument, count, flag, seed_number, share
from storage.base.text import storable


@dataclass(frozen=True, kw_only=True)
class PlanCommandOptions(JsonOptions):
    """Options of ``discox plan``, as they are typed."""

    reviewers: str | None = argument(
        "--reviewers", metavar="NAME,NAME", help="among whom; without it: how far each reviewer is"
    )
    audit: int | None = argument(
        "--audit",
        type=count,
        metavar="N",
        help="N whole articles, every system's translation, for an audited leaderboard",
    )
    judge: str | None = argument(
        "--judge", type=storable, metavar="NAME", help="audit: the judge whose scores balance the draw"
    )
    doubtful: int | None = argument(
        "--doubtful", type=count, metavar="N", help="the N most doubtful evaluations, to find errors: no random sample"
    )
    number: int | None = argument(
        "--number", type=count, metavar="N", help="how many evaluations (else all that can be drawn)"
    )
    by: str | None = argument(
        "--by", metavar="KEY,KEY", help="strata by these of system, direction, domain and score (else all)"
    )
    overlap: float | None = argument(
        "--overlap", type=share, metavar="SHARE", help="share of them that all reviewers get, 0 to 1"
    )
    overlap_with: int | None = argument(
        "--overlap-with", type=count, metavar="N", help="the overlap goes to N reviewers each, not to all"
    )
    again: float | None = argument(
        "--again", type=share, metavar="SHARE", help="share that a reviewer gets a second time, late, 0 to 1"
    )
    blind: bool = flag("--blind", "errors are marked before the judge's are shown")
    seed: int | None = argument("--seed", type=seed_number, metavar="N", help="of the random draw (else 1)")
    words: tuple[str, ...] | None = argument(
        "--words", nargs="+", type=storable, metavar="WORD", help="only evaluations in which every word occurs"
    )
    dry_run: bool = flag("--dry-run", "show what the plan would be, and write nothing")
