"""Rules of verdicts, on values alone: the verdict that follows from what a reviewer says, and what is refused.

Each rule returns the fields that their verdict should have from then on, by name; ``now`` is the verdict before.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from judges.metric_s.contradictions import CHANGED, REJECTING, judge_for, knows, stands
from judges.model import CATEGORIES, LEVELS, Place

if TYPE_CHECKING:
    from judges.metric_s.contradictions import Statements
    from judges.model import Decision, Dimension, Finding, MarkedError, Places, Severity, Verdict
    from storage.record.library import StoredEvaluation, StoredFinding

VERDICT = ("decision", *CHANGED, "repeat_of", "invented", "matches")
"""The fields of a verdict that a reviewer clears with it: all but their note."""

NOTHING_SELECTED = "Nothing is selected; select the words first (v, or drag with the mouse)"


class Refused(Exception):
    """An act that makes no sense for this finding; the message says why and what to do instead."""


class Overtaken(Refused):
    """An act on something that the same reviewer has decided meanwhile in another window, which they had not seen."""


def decided(finding: StoredFinding, decision: Decision, **differences: Any) -> dict[str, Any]:
    """A decision, with the ``CHANGED`` fields in which the reviewer differs; every other difference is taken back."""
    if not finding.finding.kept and decision not in ("agree", "restore", "unsure"):
        raise Refused("De-duplication dropped this one: agree with that, or restore it first")
    if finding.finding.kept and decision == "restore":
        raise Refused("This error stands already; restoring is for one that de-duplication dropped")
    if decision == "too_strict" and finding.finding.judge != "rubric":
        raise Refused("Only a rubric point can ask too much; if there is no error here, overturn it (x)")
    wanted: dict[str, Any] = {"decision": decision} | {name: differences.get(name) for name in CHANGED}
    if not stands(finding.finding, decision):  # what is no error repeats none, and is none that the reviewer had marked
        wanted |= {"repeat_of": None} | ({} if decision == "duplicate" else {"matches": None})
    return wanted


def differing(finding: StoredFinding, now: Verdict, **differences: Any) -> dict[str, Any]:
    """Some ``CHANGED`` fields said anew, and the decision that this comes to; what the judge said is no difference."""
    refuse_dropped(finding, now)
    values: dict[str, Any] = {name: getattr(now, name) for name in CHANGED} | differences
    values["duplicate_of"] = None
    judge = finding.finding
    own = {"severity": judge.severity, "category": judge.category, "dimension": judge.dimension}
    for name in ("dimension", "severity", "category"):
        # In another dimension the judge's severity and category mean nothing, so only there they are kept apart.
        if values[name] == own[name] and (name == "dimension" or values["dimension"] is None):
            values[name] = None
    decision: Decision = "reattribute" if values["dimension"] else "override"
    if not any(values.values()):
        decision = "agree"
    if not judge.kept:
        decision = "restore"
    return {"decision": decision} | values


def placed(finding: StoredFinding, now: Verdict, spans: Places) -> dict[str, Any]:
    """Return the place of the error, on the sides that are given; what was said of the other one stands."""
    sides = {place.side for place in spans}
    given = (*spans, *(place for place in now.spans or () if place.side not in sides))
    elsewhere = {place.side for place in {*given} ^ {*judged_places(finding)}}
    return differing(finding, now, spans=in_order(place for place in given if place.side in elsewhere) or None)


def invented(finding: StoredFinding, said: bool) -> dict[str, Any]:
    """Return that what the judge quotes occurs nowhere, or not so."""
    quoted, grounded = finding.finding.quoted, finding.grounded
    if not (grounded.spans or grounded.unlocated or (quoted and (quoted.source or quoted.translation))):
        raise Refused("The judge quotes nothing here, so no quote can be invented")
    return {"invented": said or None}


def duplicate(finding: StoredFinding, number: int, evaluation: StoredEvaluation, said: Statements) -> dict[str, Any]:
    """Return a duplicate of the evaluation's finding with this number; ``said``: all that the reviewer said."""
    other = next((f for f in evaluation.findings if f.number == number), None)
    if other is None:
        raise Refused(f"There is no error {number} here; choose one from 1 to {len(evaluation.findings)}")
    if other.id == finding.id:
        raise Refused("An error is no duplicate of itself; give the number of the other one")
    if (how := said.leads(other.id, finding.id)) is not None:
        raise Refused(f"Error {number} {_LEADS_BACK[how]}")
    return decided(finding, "duplicate", duplicate_of=other.id)


_LEADS_BACK = {
    "duplicate_of": "is itself a duplicate of this one; undo that first",
    "repeat_of": "is a repeat of this one; ungroup it first (t)",
    "matches": "is a repeat of an error of yours that is this one; ungroup it first (t)",
    "": "was dropped by de-duplication for this one; bring it back first (b)",
}


def repeating(finding: StoredFinding, now: Verdict, of: str | None) -> dict[str, Any]:
    """Return a repeat of the error with this id, which is right as that is; None: of none."""
    refuse_dropped(finding, now)
    wanted: dict[str, Any] = {"repeat_of": of}
    if of and now.decision in (None, "unsure", *REJECTING):
        wanted |= {"decision": "agree" if finding.finding.kept else "restore", "duplicate_of": None}
    return wanted


def matching(finding: StoredFinding, now: Verdict, error: MarkedError) -> dict[str, Any]:
    """Return a match with an error that the reviewer had marked, by which the finding is right.

    Where they had labelled it otherwise, that is their verdict on it, unless they have given another one since.
    """
    wanted: dict[str, Any] = {"matches": error.id}
    judge = finding.finding
    if now.decision in (None, "unsure") or (now.decision != "duplicate" and not stands(judge, now.decision)):
        moved = error.dimension is not None and error.dimension != judge.dimension
        same = judge.judge == "rubric" and not moved
        wanted |= {
            "dimension": error.dimension if moved else None,
            "severity": error.severity if not same and (moved or error.severity != judge.severity) else None,
            "category": error.category if not same and (moved or error.category != judge.category) else None,
        }
        differs = wanted["severity"] or wanted["category"]
        decision = "reattribute" if moved else "override" if differs else "agree"
        wanted["decision"] = decision if judge.kept else "restore"
    return wanted


def refuse_dropped(finding: StoredFinding, now: Verdict) -> None:
    """Raise Refused for a finding that de-duplication dropped and the reviewer has not brought back."""
    if not finding.finding.kept and now.decision != "restore":
        raise Refused("De-duplication dropped this one: agree with that (a), or bring it back (b) and change it")


def refuse_labels(dimension: Dimension, category: str | None, severity: Severity) -> None:
    """Raise Refused where the dimension does not know the severity or the category."""
    if not knows(dimension, "severity", severity) or not knows(dimension, "category", category):
        raise Refused(f"{dimension.capitalize()} has no {severity} or no {category}; choose again")


def judged_places(stored: StoredFinding) -> Places:
    """Return where a finding is highlighted: without the context quoted around it, unless there is no more."""
    lit = [span for span in stored.grounded.spans if span.lit]
    quotes = [span for span in lit if span.role == "quote"] or lit
    return in_order(Place(span.side, span.start, span.end) for span in quotes)


def in_order(places: Iterable[Place]) -> Places:
    """Places in order of the texts, each once."""
    return tuple(sorted(set(places)))


def severity_choices(finding: Finding, verdict: Verdict) -> tuple[str, ...]:
    """The severities that the reviewer can choose from, mildest first. Raises Refused where there is but one."""
    judge = judge_for(finding, verdict.dimension)
    if len(LEVELS[judge]) == 1:
        name = "A rubric point" if judge == "rubric" else f"{judge.capitalize()}"
        raise Refused(f"{name} has only one severity; for another dimension re-attribute it first (d)")
    return LEVELS[judge]


def category_choices(finding: Finding, verdict: Verdict) -> tuple[str, ...]:
    """The categories of the dimension that the finding counts under. Raises Refused for a rubric point."""
    judge = judge_for(finding, verdict.dimension)
    if judge == "rubric":
        raise Refused("A rubric point has no categories; re-attribute it to a dimension first (d)")
    return tuple(CATEGORIES[judge])
