"""One reviewer at work on one library: which evaluation is open, what she decides, what follows. No screen here.

Screens ask this for what to show and tell it what was decided; it writes to the review log first and then changes.
"""

from __future__ import annotations

from typing import Any

from judges.metric_s.scoring import METRIC_S, Weights, reviewed
from judges.model import (
    CATEGORIES,
    LEVELS,
    NO_VERDICT,
    Decision,
    Dimension,
    Finding,
    Judge,
    ReviewState,
    Score,
    Verdict,
)
from storage import app_state
from storage.connection import Connection
from storage.library import StoredEvaluation, StoredFinding
from storage.queue import Queue
from storage.review_log import Event, Review, ReviewLog, human_score, verdicts_of

CHANGED = ("severity", "category", "dimension", "duplicate_of")
"""The fields of a verdict that say in what the reviewer differs from the judge."""


class Refused(Exception):
    """What the reviewer asked for makes no sense for this finding; the message says why and what to do instead."""


class ReviewSession:
    """The open evaluation with one reviewer's verdicts, and every act on it.

    Attributes: ``evaluation``, None before one was opened; ``verdicts``, by finding id; ``human``, the score of what
    the reviewer left standing, None where no score is claimed; ``review``, how far she says she is.
    """

    def __init__(self, connection: Connection, reviewer: str) -> None:
        self.connection = connection
        self.reviewer = reviewer
        self.log = ReviewLog(connection, reviewer)
        self.evaluation: StoredEvaluation | None = None
        self.verdicts: dict[str, Verdict] = {}
        self.review = Review()
        self.human: Score | None = None
        self.queue = Queue(connection, reviewer)
        self._version = self._data_version()

    def _data_version(self) -> int:
        return int(self.connection.execute("PRAGMA data_version").fetchone()[0])

    def changed_elsewhere(self) -> bool:
        """Whether another program has written to the file since this was asked last; if so, read anew."""
        before, self._version = self._version, self._data_version()
        if self._version == before:
            return False
        self.refresh()
        return True

    # --- opening ---

    def open(self, identity: str) -> StoredEvaluation:
        """Open an evaluation, locating its errors first if nobody has yet. Raises StorageError if it is not there."""
        from storage.groundings import read_grounded  # opening the app does not wait for it

        evaluation = read_grounded(self.connection, identity)
        self.log.open(identity)
        self.evaluation = evaluation
        self.refresh()
        return evaluation

    def refresh(self) -> None:
        """Read the verdicts of the open evaluation anew, as they are on disk now."""
        if self.evaluation is None:
            return
        identity = self.evaluation.id
        self.verdicts = verdicts_of(self.connection, identity, self.reviewer)
        self.review = self.log.review(identity)
        self.human = None
        if self.evaluation.score is not None and self.evaluation.state == "scored":
            findings = {f.id: f.finding for f in self.evaluation.findings}
            self.human = human_score(findings, self.verdicts, self.weights)
        self.queue.forget()

    # --- what is shown ---

    @property
    def weights(self) -> Weights:
        """What the open evaluation's score is made of, the judge's and the reviewer's."""
        return self.evaluation.weights if self.evaluation else METRIC_S

    def verdict(self, finding: StoredFinding) -> Verdict:
        """The reviewer's present verdict on a finding."""
        return self.verdicts.get(finding.id, NO_VERDICT)

    def decided(self) -> int:
        """How many of the errors that stand after de-duplication are decided."""
        errors = self.evaluation.errors if self.evaluation else ()
        return sum(self.verdict(f).decision is not None for f in errors)

    def cost(self, finding: StoredFinding) -> tuple[int, int]:
        """The points that a finding takes away, by the judge and by the reviewer (0 or less, floors aside)."""
        judge = reviewed(finding.finding)
        human = reviewed(finding.finding, self.verdict(finding))
        weigh = self.weights.severities
        return -weigh[judge[1]] if judge else 0, -weigh[human[1]] if human else 0

    # --- deciding ---

    def decide(self, finding: StoredFinding, decision: Decision, **fields: str) -> Event | None:
        """Record a decision with the fields in which the reviewer differs; every other difference is taken back.

        Returns the event, or None if nothing changed. Raises Refused where the decision does not fit the finding.
        """
        if not finding.finding.kept and decision not in ("agree", "restore", "unsure"):
            raise Refused("De-duplication dropped this one: agree with that, or restore it first")
        if finding.finding.kept and decision == "restore":
            raise Refused("This error stands already; restoring is for one that de-duplication dropped")
        return self._change(finding, {"decision": decision} | {name: fields.get(name) for name in CHANGED})

    def set_severity(self, finding: StoredFinding, severity: str) -> Event | None:
        """Record another severity; the judge's own means that the reviewer agrees with it."""
        return self._differ(finding, severity=severity)

    def set_category(self, finding: StoredFinding, category: str) -> Event | None:
        """Record another category within the dimension that the reviewer gives the finding."""
        return self._differ(finding, category=category)

    def set_dimension(self, finding: StoredFinding, dimension: Dimension) -> Event | None:
        """Record that the error belongs to another dimension; what was said of its severity there is taken back."""
        return self._differ(finding, dimension=dimension, severity=None, category=None)

    def set_duplicate(self, finding: StoredFinding, number: int) -> Event | None:
        """Record that the finding is a duplicate of the finding with this number."""
        assert self.evaluation is not None
        other = next((f for f in self.evaluation.findings if f.number == number), None)
        if other is None:
            raise Refused(f"There is no error {number} here; choose one from 1 to {len(self.evaluation.findings)}")
        if other.id == finding.id:
            raise Refused("An error is no duplicate of itself; give the number of the other one")
        seen = {finding.id}
        step: StoredFinding | None = other
        while step is not None:
            if step.id in seen:
                raise Refused(f"Error {number} is itself a duplicate of this one; undo that first")
            seen.add(step.id)
            step = self.evaluation.find(self.verdict(step).duplicate_of)
        return self.decide(finding, "duplicate", duplicate_of=other.id)

    def set_note(self, finding: StoredFinding, text: str) -> Event | None:
        """Record a note on a finding; an empty one removes it. The decision stays as it is."""
        return self._change(finding, {"note": text.strip() or None})

    def refuse_dropped(self, finding: StoredFinding) -> None:
        """Raise Refused for a finding that de-duplication dropped and the reviewer has not brought back."""
        if not finding.finding.kept and self.verdict(finding).decision != "restore":
            raise Refused("De-duplication dropped this one: agree with that (a), or bring it back (b) and change it")

    def _differ(self, finding: StoredFinding, **fields: str | None) -> Event | None:
        self.refuse_dropped(finding)
        now = self.verdict(finding)
        values: dict[str, str | None] = {name: getattr(now, name) for name in CHANGED} | fields
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
        return self._change(finding, {"decision": decision} | values)

    def _change(self, finding: StoredFinding, wanted: dict[str, str | None]) -> Event | None:
        assert self.evaluation is not None
        now = self.verdict(finding)
        changes = {name: value for name, value in wanted.items() if value != getattr(now, name)}
        if not changes:
            return None
        event = self.log.decide(self.evaluation.id, finding.id, **changes)
        self.refresh()
        return event

    def set_state(self, state: ReviewState, reason: str | None = None) -> None:
        """Record that the evaluation is done, skipped with a reason, or in progress again."""
        assert self.evaluation is not None
        self.log.set_state(self.evaluation.id, state, reason)
        self.refresh()

    def undo(self) -> Event | None:
        """Take back the reviewer's latest act, wherever it was; return that act, None if there is none left."""
        event = self.log.undo()
        self.refresh()
        return event

    def redo(self) -> Event | None:
        """Restore the act that was undone last; return it, None if there is none."""
        event = self.log.redo()
        self.refresh()
        return event

    # --- where the reviewer was ---

    def remember(self, key: str, value: Any) -> None:
        """Keep a small JSON-able value for this reviewer, such as the place where she stopped."""
        app_state.remember(self.connection, self.reviewer, key, value)

    def recall(self, key: str) -> Any:
        """Return what ``remember`` kept, or None."""
        return app_state.recall(self.connection, self.reviewer, key)


def judge_for(finding: Finding, verdict: Verdict) -> Judge:
    """Which judge's severities and categories apply to the finding as the reviewer sees it."""
    if verdict.dimension and verdict.dimension != finding.dimension:
        return verdict.dimension
    return finding.judge


def severity_choices(finding: Finding, verdict: Verdict) -> tuple[str, ...]:
    """The severities that the reviewer can choose from, mildest first. Raises Refused where there is but one."""
    judge = judge_for(finding, verdict)
    if len(LEVELS[judge]) == 1:
        name = "A rubric point" if judge == "rubric" else f"{judge.capitalize()}"
        raise Refused(f"{name} has only one severity; for another dimension re-attribute it first (d)")
    return LEVELS[judge]


def category_choices(finding: Finding, verdict: Verdict) -> tuple[str, ...]:
    """The categories of the dimension that the finding counts under. Raises Refused for a rubric point."""
    judge = judge_for(finding, verdict)
    if judge == "rubric":
        raise Refused("A rubric point has no categories; re-attribute it to a dimension first (d)")
    return tuple(CATEGORIES[judge])
