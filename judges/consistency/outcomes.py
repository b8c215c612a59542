"""Outcome of a finding in review: an error or none, and its labels as the reviewer left them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from judges.consistency.records import FindingKind
from judges.metric_s.human_score import SINGLE_LEVEL, first_of_group
from judges.model import Decision, Dimension, Severity

Outcome = Literal["right", "wrong", "unsure", "unseen", "repeated"]

OUTCOMES: Mapping[Decision | None, Outcome] = {
    "agree": "right",
    "override": "right",
    "reattribute": "right",
    "restore": "right",
    "not_an_error": "wrong",
    "duplicate": "wrong",
    "too_strict": "wrong",
    "unsure": "unsure",
    None: "unseen",
}


def outcome_of(kind: FindingKind) -> Outcome:
    """Return the outcome of a finding of this kind, if it stood after de-duplication."""
    outcome = OUTCOMES[kind.decision]
    return "repeated" if kind.repeat and outcome == "right" else outcome


def humans_dimension(finding: FindingKind) -> Dimension:
    """The dimension as the reviewer left it."""
    return finding.human_dimension or finding.dimension


def humans_category(finding: FindingKind) -> str | None:
    """The category as the reviewer left it; None where they moved the finding to a dimension without it."""
    moved = humans_dimension(finding) != finding.dimension
    return finding.human_category or (None if moved else finding.category)


def humans_severity(finding: FindingKind) -> Severity | None:
    """The severity as the reviewer left it, by the rule that scores it (`metric_s.human_score.human_deduction`)."""
    dimension = humans_dimension(finding)
    if dimension == finding.dimension:
        return finding.human_severity or finding.severity
    return SINGLE_LEVEL.get(dimension) or finding.human_severity or "major"


def further_places(errors: Iterable[Iterable[str]], links: Mapping[str, str]) -> set[str]:
    """Return the errors that are further places of one that counts already.

    ``errors``: the ids of those that stand, in classes: of a group one of the first class counts that it has any of,
    and there its first place, or else the first in order. ``links``: as `Work.links`.
    """
    counted: set[str] = set()
    further: set[str] = set()
    for each in errors:
        of_group = [(identity, first_of_group(identity, links)) for identity in each]
        for identity, first in sorted(of_group, key=lambda pair: pair[0] != pair[1]):
            if first in counted:
                further.add(identity)
            counted.add(first)
    return further
