"""Votes of several judges, or samples of one, in words and for programs: beside a leaderboard and beside a finding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discox_tui.reports.pairwise.json import plain_claim
from discox_tui.reports.pairwise.words import attempt_of, claimed, covers, notes_on
from discox_tui.reports.render.layout import CONFIDENT, UNDEFINED, counted, ends, number
from discox_tui.reports.render.phrases import learnt_from

if TYPE_CHECKING:
    from judges.meta_eval.superiority_test import Claim
    from judges.ranking.judge_votes import Votes
    from judges.ranking.weighting import ByValidity
    from judges.stats.figure import Figure
    from storage.analysis.judge_votes import Vote


def vote_of(vote: Vote, judges: Sequence[str]) -> str:
    """How many found an error, of whom: ``2 of 3 samples``. ``judges``: who judged the translation, one a vote."""
    alone = len({judge.rpartition(", sample ")[0] or judge for judge in judges}) == 1
    return f"{vote.votes} of {counted(vote.judges, 'sample' if alone else 'judge')}"


def votes_in_words(votes: Votes) -> list[str]:
    """What a leaderboard by votes rests on: whose, how many they are worth, how many found each error."""
    judges = len(votes.judges)
    said = [
        f"Votes: each error costs what those that found it say, times the share of the judges of the translation that "
        f"did, floored once. {counted(judges, 'vote')}: {'; '.join(votes.judges)}."
    ]
    effective, correlation = votes.effective.votes, votes.effective.correlation
    if effective.value is None:
        said.append(f"Effective votes: undefined ({effective.why}).")
    else:
        said.append(
            f"Effective votes: {number(effective.value)} of {judges} ({_ends(effective)}, "
            f"n {counted(effective.n, 'translation')}), as totals correlate {number(correlation.value)} "
            f"({_ends(correlation)}) within articles and systems."
        )
        if effective.interval and effective.interval.warning:
            said.append(f"{effective.interval.warning.capitalize()}.")
    errors = sum(votes.errors.values())
    shares = "; ".join(f"{n:,} by {found} of {of}" for (found, of), n in votes.errors.items()) or "none"
    said.append(f"{counted(votes.findings, 'finding')} of {counted(errors, 'error')}: {shares}.")
    if votes.unplaced:
        said.append(f"{counted(votes.unplaced, 'finding')} of no known place, matched by words alone.")
    if votes.unlocated:
        said.append(
            f"Not among these: {counted(votes.unlocated, 'translation')} whose findings are not located yet "
            "(discox ground); the scores have them."
        )
    if votes.failed:
        said.append(f"No vote: {counted(votes.failed, 'evaluation')} of which a judge failed.")
    if votes.score_only:
        said.append(f"No vote: {counted(votes.score_only, 'evaluation')} with a score and no findings.")
    return said


def _ends(figure: Figure) -> str:
    return f"{CONFIDENT} {ends(figure.interval, between=' to ')}"


def votes_as_json(votes: Votes) -> dict[str, Any]:
    """The same as what `json.dumps` takes; what is undefined is null, and ``why`` says so."""
    return {
        "judges": list(votes.judges),
        "effective_votes": _figure(votes.effective.votes),
        "correlation": _figure(votes.effective.correlation),
        "errors": [{"votes": found, "judges": of, "n": n} for (found, of), n in votes.errors.items()],
        **{name: getattr(votes, name) for name in ("findings", "unplaced", "unlocated", "failed", "score_only")},
    }


def votes_in_columns(votes: Votes) -> dict[str, object]:
    """The same in columns of a row: how many there are, and what they are worth."""
    effective = votes.effective.votes
    low, high = (effective.interval and effective.interval.ends) or (None, None)
    return {
        "votes": len(votes.judges),
        "effective_votes": effective.value,
        "effective_low": low,
        "effective_high": high,
    }


def _figure(figure: Figure) -> dict[str, Any]:
    low, high = (figure.interval and figure.interval.ends) or (None, None)
    why = figure.why or (figure.interval.why if figure.interval else "")
    return {"value": figure.value, "n": figure.n, "low": low, "high": high, **({"why": why} if why else {})}


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
