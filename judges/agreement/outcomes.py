"""What became of a finding in review: whether it is an error, and its labels as the reviewer left them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from judges.agreement.records import FindingKind
from judges.metric_s.reviewing import SINGLE_LEVEL
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
    """What became of a finding of this kind, if it stood after de-duplication."""
    outcome = OUTCOMES[kind.decision]
    return "repeated" if kind.repeat and outcome == "right" else outcome


def humans_dimension(finding: FindingKind) -> Dimension:
    """The dimension as the reviewer left it."""
    return finding.human_dimension or finding.dimension


def humans_category(finding: FindingKind) -> str | None:
    """The category as the reviewer left it; None where she moved the finding to a dimension without it."""
    moved = humans_dimension(finding) != finding.dimension
    return finding.human_category or (None if moved else finding.category)


def humans_severity(finding: FindingKind) -> Severity | None:
    """The severity as the reviewer left it, by the rule that scores it (`metric_s.scoring.reviewed`)."""
    dimension = humans_dimension(finding)
    if dimension == finding.dimension:
        return finding.human_severity or finding.severity
    return SINGLE_LEVEL.get(dimension) or finding.human_severity or "major"
