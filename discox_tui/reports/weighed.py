"""Scores by validity in words and for programs: what they rest on, and whether the gate lets them in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from discox_tui.likelihood import learnt_from
from discox_tui.reports.layout import UNDEFINED, counted
from discox_tui.reports.numbers import number
from discox_tui.reports.pairwise import attempt_of, claimed, covers, notes_on
from discox_tui.reports.pairwise_json import plain_claim

if TYPE_CHECKING:
    from storage.by_validity import ByValidity
    from storage.comparisons import Claim


def weighed_in_words(by: ByValidity) -> list[str]:
    """What scores by validity rest on, or why they are not used, with what the gate says."""
    found = []
    if by.claims and by.why:
        found.append(f"By validity, {learnt_from(by.n, by.articles)}: {by.why}: standard weights kept.")
    elif by.why:
        found.append(f"Standard weights kept, none by validity: {by.why}.")
    else:
        found.append(
            f"Each finding's deduction counts by how likely the finding stands, {learnt_from(by.n, by.articles)}, each "
            "article's by what was learnt without it."
        )
        if not by.claims:
            found.append("Not held against the judge's own scores: people's scores correct both alike.")
    for claim in by.claims:
        gate = claim.gate
        found.append(
            f"{claimed(claim)} c_index {number(gate.standard, 'z.3f')}, by validity {number(gate.candidate, 'z.3f')}: "
            f"gain {number(gate.gain, '+z.3f')} ({_gains(claim)}), n {counted(gate.n, 'article')}, attempt "
            f"{attempt_of(claim)}."
        )
    if by.seen:
        found.append(
            f"{by.seen:,} of {counted(by.ratings, 'human rating')} are what reviewers left of this judge's errors, "
            "seen before they decided: what they reject there is what is learnt, which alone can look like a gain."
        )
    if by.claims:
        found += notes_on(by.claims)
    if by.unlocated:
        found.append(
            f"{counted(by.unlocated, 'finding')} count in full, as their places are not looked up yet (discox ground)."
        )
    return found


def _gains(claim: Claim) -> str:
    gate = claim.gate
    if gate.low is None or gate.high is None:
        return f"interval of {covers(claim)}: {UNDEFINED}"
    return f"{covers(claim)} {gate.low:+z.3f} to {gate.high:+z.3f}"


def weighed_in_columns(by: ByValidity) -> dict[str, object]:
    """The same for a row of a spreadsheet: whether scores are by validity, and the least that the gate gives."""
    gains = [claim.gate for claim in by.claims]
    least = min(gains, key=lambda gate: -math.inf if gate.low is None else gate.low, default=None)
    return {
        "validity": f"not used: {by.why}" if by.why else "used",
        "validity_gain": least and least.gain,
        "validity_low": least and least.low,
        "validity_high": least and least.high,
    }


def weighed_as_json(by: ByValidity) -> dict[str, Any]:
    """The same as what `json.dumps` takes."""
    return {
        "used": not by.why,
        "why": by.why,
        "learnt_from": {"verdicts": by.n, "articles": by.articles},
        "claims": [plain_claim(claim) for claim in by.claims],
        "unlocated": by.unlocated,
        "human_ratings": by.ratings,
        "of_this_judges_errors": by.seen,
    }
