"""Audited leaderboards as they are asked for: of each judge, all together and by direction, and what more would do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from judges.ranking.audit_estimate import (
    TARGETS,
    TOO_FEW,
    AuditedScores,
    Difference,
    Target,
    certain,
    expected_half_width,
)
from judges.ranking.audit_sample_size import articles_needed, noise_of_judge, noise_with_judge, sizes
from storage.analysis.audit.audit import Audit, Cut
from storage.analysis.audit.from_library import read_audits
from storage.analysis.judge_scores import Reader

if TYPE_CHECKING:
    from storage.analysis.audit.drawing import DrawnAudit


@dataclass(frozen=True, slots=True)
class Expected:
    """Half the width of a difference's interval to expect of ``n`` audited articles: by people ``alone``, and with the
    judge's help.
    """

    n: int
    alone: float
    with_judge: float


@dataclass(frozen=True, slots=True)
class AuditedCut:
    """One direction, or all together: its scores, None where nothing counts as audited, and what to expect of more.

    ``assumed``: the expectation rests on the judge's scores alone, as under four articles are audited.
    ``complete``: no article is left to audit.
    """

    cut: Cut
    found: AuditedScores | None
    expected: tuple[Expected, ...]
    assumed: bool

    @property
    def complete(self) -> bool:
        """Return True if every article is audited, so that no further one can change the scores of this test set."""
        return len(self.cut.rows) == len(self.cut.articles)


@dataclass(frozen=True, slots=True)
class AuditedBoard:
    """One judge's audited leaderboard. ``alpha``: intervals cover 1 − alpha. ``holm``: pairs are decided together."""

    audit: Audit
    target: Target
    alpha: float
    holm: bool
    cuts: tuple[AuditedCut, ...]

    def is_decided(self, pair: Difference) -> bool:
        """Return True if one of the two is shown to be better."""
        return pair.decided(self.alpha, of_all=self.holm)

    def undecided(self, cut: AuditedCut) -> tuple[Difference, ...]:
        """The pairs of which neither is shown to be better, first those that are nearest to it."""
        pairs = [each for each in cut.found.differences if not self.is_decided(each)] if cut.found else []
        return tuple(sorted(pairs, key=lambda each: (1.0 if each.p is None else each.p, -abs(each.value))))

    def needed(self, cut: AuditedCut, pair: Difference) -> int | None:
        """About how many audited articles it takes to decide a pair, if it differs as much as it seems to.

        None where that is more than anyone has, or nothing is known of how scores vary.
        """
        found = cut.found
        if found is None or pair.noise is None:
            return None
        return articles_needed(
            noise=pair.noise,
            difference=pair.value,
            articles=found.articles,
            target=self.target,
            alpha=self.alpha,
            rest=pair.rest or 0.0,
        )


def audited_boards(
    connection: sqlite3.Connection,
    words: str = "",
    reviewer: str | None = None,
    target: Target = "this-test-set",
    alpha: float = 0.05,
    holm: bool = False,
    read: Reader | None = None,
) -> list[AuditedBoard]:
    """Read what the words leave, as `read_audits` does, and estimate systems' scores by each judge."""
    return boards_of(read_audits(connection, words, reviewer, read), target, alpha, holm)


def boards_of(
    audits: Iterable[Audit], target: Target = "this-test-set", alpha: float = 0.05, holm: bool = False
) -> list[AuditedBoard]:
    """Estimate systems' scores from audits, wherever these are from."""
    return [
        AuditedBoard(audit, target, alpha, holm, tuple(_cut(audit.of_cut(each), target, alpha) for each in audit.cuts))
        for audit in audits
    ]


def expect(cut: Cut, n: int, target: Target, alpha: float, found: AuditedScores | None = None) -> list[Expected]:
    """Return what to expect of about ``n`` audited articles, of fewer and of more.

    From what is audited, where that is at least four articles; else from how the judge's own scores vary, with a judge
    whose correlation with people within articles is .5. Nothing where these do not vary, and where all is audited.
    """
    articles = len(cut.articles)
    if articles < 2 or len(cut.judge[0]) < 2 or (found and certain(found.n, articles, target)):
        return []
    known = found is not None and found.n >= TOO_FEW
    alone = found.noise_alone if found and known else noise_of_judge(cut.matrix)
    if not alone:
        return []
    expected = []
    for each in sizes(n, articles, target):
        helped = found.noise if found and known else noise_with_judge(alone, each)
        rest = (found.rest or 0.0) if found and known else 0.0
        expected.append(
            Expected(
                each,
                expected_half_width(alone, each, articles, target, alpha),
                expected_half_width(
                    noise=helped or 0.0, n=each, articles=articles, target=target, alpha=alpha, rest=rest
                ),
            )
        )
    return expected


@dataclass(frozen=True, slots=True)
class Expectation:
    """Return what to expect of a draw, for each target, of as many articles; ``source``: what that rests on."""

    of: Mapping[Target, tuple[Expected, ...]]
    source: Literal["judge", "audits"]


def expect_of_draw(drawn: DrawnAudit, alpha: float = 0.05) -> Expectation:
    """Return what to expect once all that this and earlier plans of the same judge drew is audited."""
    cut = drawn.of.of_cut("")
    n = len(drawn.plan.drawn) + len(drawn.of.drawn)
    estimates = {target: cut.estimate(target, alpha) for target in TARGETS}
    known = len(cut.rows) >= TOO_FEW
    return Expectation(
        {target: tuple(expect(cut, n, target, alpha, found)) for target, found in estimates.items()},
        "audits" if known else "judge",
    )


def _cut(cut: Cut, target: Target, alpha: float) -> AuditedCut:
    found = cut.estimate(target, alpha)
    n = found.n if found else min(10, len(cut.articles))
    return AuditedCut(
        cut, found, tuple(expect(cut, n, target, alpha, found)), assumed=found is None or found.n < TOO_FEW
    )
