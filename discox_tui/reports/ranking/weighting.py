"""Votes of several judges, or samples of one, in words and for programs: beside a leaderboard and beside a finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discox_tui.reports.render.layout import CONFIDENT, ends, number
from discox_tui.text.counts import counted

if TYPE_CHECKING:
    from judges.ranking.judge_votes import Votes
    from judges.stats.figure import Figure
    from storage.analysis.judge_votes import Vote


def vote_of(vote: Vote, judges: Sequence[str]) -> str:
    """Return how many found an error: ``2 of 3 samples``. ``judges``: who judged the translation, one a vote."""
    alone = len({judge.rpartition(", sample ")[0] or judge for judge in judges}) == 1
    return f"{vote.votes} of {counted(vote.judges, 'sample' if alone else 'judge')}"


def votes_in_words(votes: Votes) -> list[str]:
    """Return what a leaderboard by votes rests on: whose, how many they are worth, how many found each error."""
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
    if votes.unread:
        said.append(f"No vote: {counted(votes.unread, 'evaluation')} of which the judge read nothing.")
    return said


def _ends(figure: Figure) -> str:
    return f"{CONFIDENT} {ends(figure.interval, between=' to ')}"


def votes_as_json(votes: Votes) -> dict[str, Any]:
    """Return the votes as what `json.dumps` takes; what is undefined is null, and ``why`` says so."""
    return {
        "judges": list(votes.judges),
        "effective_votes": _figure(votes.effective.votes),
        "correlation": _figure(votes.effective.correlation),
        "errors": [{"votes": found, "judges": of, "n": n} for (found, of), n in votes.errors.items()],
        **{
            name: getattr(votes, name)
            for name in ("findings", "unplaced", "unlocated", "failed", "score_only", "unread")
        },
    }


def votes_in_columns(votes: Votes) -> dict[str, object]:
    """Return the votes in columns of a row: how many there are, and what they are worth."""
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
