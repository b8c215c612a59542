"""Conditions of the stages: whether a candidate may go on to a step, and if not, why; one answer for everybody."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from judges.benchmark.selection.difficulty_filter import Outcome
from storage.benchmark.candidates import Candidate, Exemption, Stage, Step
from storage.benchmark.checks import Finding, findings
from storage.benchmark.difficulty import outcomes

FILTER, INSTRUCTION = "filter", "instruction_check"
"""Codes of the two conditions that judges' answers decide; all others are codes of findings."""

_DONE: Mapping[Step, str] = {"filter": "filtered", "assign": "dealt out", "accept": "accepted", "write": "written"}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing that keeps a candidate from a step. ``code``: ``FILTER``, ``INSTRUCTION``, a finding's, or a state's.

    ``final``: no reason lets it on; of others a person may say why it goes on all the same.
    """

    code: str
    message: str
    final: bool = False


def obstacles(
    each: Candidate,
    step: Step,
    found: Iterable[Finding],
    outcome: Outcome | None,
    *,
    person: str = "",
    hidden: bool = False,
    again: bool = False,
) -> tuple[Obstacle, ...]:
    """Return what keeps a candidate from a step; () where nothing does.

    ``found``: all that checks find of it, other candidates considered. ``outcome``: of the filter for its present
    version, None where it is under none. ``person``: who is to accept it, where it matters who does. ``hidden``: what
    judges said is not for them, so that they can only be told whether it is under a filter; writing asks again.
    ``again``: who is assigned already may be assigned anew. A step that comes after the filter holds the filter's
    condition and the checks'. What this version was accepted or written without is known, and keeps nothing from being
    written.
    """
    if state := _state(each, step, person, again=again):
        return (state,)
    kept = [Obstacle(one.code, f"{one.message} {one.mend}") for one in found if one.blocks]
    if step != "filter":
        kept = [*_by_filter(each, outcome, hidden=hidden), *kept]
    if step == "write":
        known = {code for of in each.exemptions if of.step in ("accept", "write") for code in of.without}
        kept = [one for one in kept if one.code not in known]
    return tuple({one.code: one for one in reversed(kept)}.values())[::-1]


def every_obstacle(
    connection: sqlite3.Connection,
    chosen: Sequence[Candidate],
    step: Step,
    *,
    person: str = "",
    hidden: bool = False,
    again: bool = False,
) -> dict[str, tuple[Obstacle, ...]]:
    """Return what keeps each of these candidates from a step, by key, reading what that depends on."""
    found = findings(connection, chosen)
    came = {} if hidden else outcomes(connection, chosen)
    return {
        each.key: obstacles(each, step, found[each.key], came.get(each.key), person=person, hidden=hidden, again=again)
        for each in chosen
    }


def stage_of(each: Candidate, outcome: Outcome | None) -> Stage:
    """Return the stage of work on a candidate: selection, once it is assigned or the filter lets it through."""
    return 3 if outcome and outcome.state == "stays" else each.stage


def exemption_words(of: Exemption) -> str:
    """Return what a version went on without, and why: “accepted without the filter: …”."""
    return f"{_DONE[of.step]} without {conditions_words(of.without)}: {of.why}"


def conditions_words(codes: Iterable[str]) -> str:
    """Return conditions in words: “the filter”, “mending licence”."""
    named = {FILTER: "the filter", INSTRUCTION: "the instruction check"}
    found = list(dict.fromkeys(codes))
    said = [named[code] for code in found if code in named]
    checks = [code.replace("_", " ") for code in found if code not in named]
    return " and ".join([*said, *([f"mending {', '.join(checks)}"] if checks else [])])


def _state(each: Candidate, step: Step, person: str, *, again: bool) -> Obstacle | None:
    """Return what stands in the way of a step whatever anybody says: it was taken, or is not due."""
    match step:
        case "filter" if each.outcome in ("accepted", "rejected"):
            return Obstacle("decided", f"It is {each.outcome} already.", final=True)
        case "assign" if each.outcome != "undecided":
            said = "Those who decide on it differ; settle it." if each.outcome == "differ" else f"It is {each.outcome}."
            return Obstacle("decided", said, final=True)
        case "assign" if each.assigned and not again:
            return Obstacle("assigned", f"{' and '.join(each.assigned)} decide on it already.", final=True)
        case "accept" if person and each.assigned and person not in each.assigned:
            said = f"{' and '.join(each.assigned)} decide on it, not {person}."
            return Obstacle("not_asked", f"{said} Assign it anew, or settle it once they differ.", final=True)
        case "write" if each.outcome != "accepted":
            return Obstacle("not_accepted", f"It is {each.outcome}, not accepted.", final=True)
    return None


def _by_filter(each: Candidate, outcome: Outcome | None, *, hidden: bool) -> list[Obstacle]:
    if hidden and each.filters:
        return []
    if outcome is None:
        revised = "This version is under no filter: it was revised since."
        said = revised if each.was_filtered else "It was never filtered."
        return [Obstacle(FILTER, f"{said} `discox build filter` has it translated and judged.")]
    if outcome.state == "stays":
        return []
    if outcome.state == "no_translation":
        return [Obstacle(INSTRUCTION, f"{outcome.why} Have another text made, or overturn the judge's check.")]
    return [Obstacle(FILTER, f"The filter says {outcome.state.replace('_', ' ')}: {outcome.why}")]
