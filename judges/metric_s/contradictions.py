"""Contradictions in one review, act by act: what fits together, and what gives way to a later act.

In one copy of a library each act takes back itself what it contradicts. Acts made in two copies know nothing of each
other; put in one order, the later one counts. What it says, and what the keys had needed for it, stands; what was said
before and cannot stand beside it is taken back as the same act would have taken it back in one copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from judges.metric_s.human_score import SINGLE_LEVEL, Work
from judges.model import CATEGORIES, DIMENSIONS, LEVELS, Decision, Dimension, Finding, Judge, MarkedError, Verdict

CHANGED = ("severity", "category", "dimension", "duplicate_of", "spans")
"""The fields of a verdict that say in what the reviewer differs from the judge."""

REJECTING: tuple[Decision, ...] = ("not_an_error", "duplicate", "too_strict")
"""The decisions that leave no error of its own."""

OPENED: dict[str, None] = {"matches": None, "decision": None, "repeat_of": None} | dict.fromkeys(CHANGED)
"""The fields of a verdict that is open again, as the reviewer takes back that the judge found an error of theirs."""

ActKind = Literal["verdict", "error", "point", "review"]
Fields: TypeAlias = dict[str, Any]

_DIFFERENCES = ("severity", "category", "dimension", "spans")
_LABELS = ("severity", "category")
_SUMS: tuple[Decision, ...] = ("override", "reattribute")
"""The decisions that only sum up in what the reviewer differs."""
_LINKS = ("duplicate_of", "repeat_of", "matches")
_ALONE = {"decision", "note", "invented"}
"""The fields of a verdict of which none contradicts another."""
ASIDE = {"note", "invented"}
"""Fields that are no verdict, and contradict none."""


class GaveWay(NamedTuple):
    """A field that could not stand: of what (a finding, an error, ``point:N``; "" for the review), before and after.

    ``taken_back``: the id of a later undoing that it gave way to; None: it gave way to the act itself.
    """

    subject: str
    field: str
    was: Any
    now: Any
    taken_back: str | None = None


class _TakenBack(NamedTuple):
    """An act that no longer stands: what it said, and which undoing took it back, at which place of the log."""

    kind: ActKind
    changes: Mapping[str, Any]
    place: int
    undo: str


def judge_for(finding: Finding, dimension: Dimension | None) -> Judge:
    """Return whose severities and categories apply to a finding that the reviewer moved to a dimension, or not."""
    return dimension if dimension and dimension != finding.dimension else finding.judge


def stands(finding: Finding | None, decision: Decision | None) -> bool:
    """Return whether a decision leaves a finding an error of its own; None: it is not known what the judge said."""
    return decision not in REJECTING and (finding is None or finding.kept or decision == "restore")


def knows(judge: Judge, label: str, value: str | None) -> bool:
    """Return whether a judge, or a dimension, has this severity or category; None is what any can have."""
    return value is None or value in (LEVELS[judge] if label == "severity" else CATEGORIES[judge])


class Statements:
    """One reviewer's acts on one evaluation so far, as fields by subject; acts are applied in the log's order.

    ``findings``: the judge's, by id; ``absorbed``: those that de-duplication dropped → the one that stands for each.
    ``verdicts`` and ``errors`` hold the fields of their events; an error that is ``removed`` is none.
    """

    def __init__(self, findings: Mapping[str, Finding], absorbed: Mapping[str, str]) -> None:
        self.findings = findings
        self.absorbed = absorbed
        self.verdicts: dict[str, Fields] = {}
        self.errors: dict[str, Fields] = {}
        self.points: dict[str, Fields] = {}
        self.review: Fields = {}
        self._place = 0
        self._gave: list[GaveWay] = []
        self._taken_back: dict[str, list[_TakenBack]] = {}
        self._before: dict[tuple[str, str], list[Any]] = {}  # what was said of an error's labels, in order
        self._linked: dict[tuple[str, str], int] = {}  # where in the log a link was said last
        self._restored: set[str] = set()

    @classmethod
    def of(cls, findings: Mapping[str, Finding], absorbed: Mapping[str, str], work: Work) -> Statements:
        """Begin with what stands of a reviewer's work."""
        said = cls(findings, absorbed)
        said.verdicts = {identity: _fields(verdict) for identity, verdict in work.verdicts.items()}
        said.errors = {identity: _fields(error) for identity, error in work.errors.items()}
        said._linked = dict.fromkeys(
            [(each, link) for each, fields in said._all() for link in _LINKS if fields.get(link)], 0
        )
        return said

    def take_back(self, kind: ActKind, subject: str, changes: Mapping[str, Any], place: int, undo: str) -> None:
        """Know of an act that does not stand: it was undone at this place of the log, by the event with this id."""
        self._taken_back.setdefault(subject, []).append(_TakenBack(kind, changes, place, undo))

    def apply(self, kind: ActKind, subject: str, changes: Mapping[str, Any], place: int = 1) -> list[GaveWay]:
        """Apply an act, the latest, and return all that could not stand beside it, or beside a later undoing.

        ``place``: of the act in the log, from 1; the acts before it have lower ones.
        """
        self._gave = []
        self._place = place
        if kind == "verdict":
            self._apply_verdict(subject, changes)
        elif kind == "error":
            self._apply_error(subject, changes)
        elif kind == "point":
            self._apply_point(subject, changes)
        else:
            self._apply_review(changes)
        return self._gave

    def leads(self, start: str, goal: str) -> str | None:
        """Return by which field one error comes to be, or to repeat, another, if by several steps the last; else None.

        Empty: by the judge's word, which dropped it for the other.
        """
        path = self._path(start, goal)
        return path[-1][1] if path else None

    # --- verdicts ---

    def _apply_verdict(self, subject: str, said: Mapping[str, Any]) -> None:
        now = self.verdicts.setdefault(subject, {})
        now.update(said)
        finding = self.findings.get(subject)
        if now.get("decision") == "restore":
            self._restored.add(subject)
        if now.keys() - _ALONE and not said.keys() <= ASIDE:
            if "decision" in said:
                self._follow_decision(subject, now, finding)
            else:
                self._imply_decision(subject, now, finding, said)
            if finding is not None and any(now.get(name) is not None for name in (*_LABELS, "dimension")):
                self._fit_labels(subject, now, finding, said)
            self._sum_up(subject, now, finding, said)
            self._link(subject, now, said)
        if self._linked:
            self._break_rings(subject)

    def _follow_decision(self, subject: str, now: Fields, finding: Finding | None) -> None:
        """Take back what does not go with the decision that was said."""
        decision = now["decision"]
        wrong: list[str] = []
        if decision != "duplicate":
            wrong.append("duplicate_of")
        if decision not in ("override", "reattribute", "restore"):
            wrong += _DIFFERENCES
        if decision is None or not stands(finding, decision):
            wrong.append("repeat_of")
            if decision != "duplicate":
                wrong.append("matches")
        for name in wrong:
            self._give(subject, name, None)

    def _imply_decision(self, subject: str, now: Fields, finding: Finding | None, said: Mapping[str, Any]) -> None:
        """Let the decision follow from what was said without one, since it had been made where that was said."""
        decision = now.get("decision")
        says = {name for name, value in said.items() if value is not None}
        dropped = finding is not None and not finding.kept
        if "duplicate_of" in says:
            if decision != "duplicate":
                if undone := self._undone(subject, "decision", "duplicate"):
                    self._give(subject, "duplicate_of", None, undone.undo)
                    return
                self._bring_back(subject, "decision", "duplicate")
                for name in (*_DIFFERENCES, "repeat_of"):
                    self._give(subject, name, None)
        elif says.intersection((*_DIFFERENCES, "repeat_of", "matches")):
            if dropped and decision != "restore":
                if undone := self._undone(subject, "decision", "restore"):
                    for name in (*_DIFFERENCES, "repeat_of", "matches"):
                        self._give(subject, name, None, undone.undo)
                    return
                self._bring_back(subject, "decision", "restore")
            elif not says.intersection(_DIFFERENCES) and (
                decision in (None, "not_an_error", "too_strict") or (decision == "duplicate" and "repeat_of" in says)
            ):
                self._give(subject, "decision", "agree", always="decision" in now)
            if now.get("decision") != "duplicate" or says.intersection((*_DIFFERENCES, "repeat_of")):
                self._give(subject, "duplicate_of", None)

    def _fit_labels(self, subject: str, now: Fields, finding: Finding, said: Mapping[str, Any]) -> None:
        """Make severity and category ones that the dimension knows: that of the labels which were said last."""
        judge = judge_for(finding, now.get("dimension"))
        strange = [name for name in _LABELS if said.get(name) is not None and not knows(judge, name, said[name])]
        if strange and "dimension" not in said:
            own: tuple[Dimension | None, ...] = (None, *(each for each in DIMENSIONS if each != finding.dimension))
            fitting = [
                each for each in own if all(knows(judge_for(finding, each), name, said.get(name)) for name in _LABELS)
            ]
            undone = self._undone(subject, "dimension", fitting[0]) if fitting else None
            if fitting and not undone:
                self._give(subject, "dimension", fitting[0], always=True)
                judge = judge_for(finding, fitting[0])
            for name in strange if undone else ():
                self._give(subject, name, None, undone.undo if undone else None)
        for name in _LABELS:
            if not knows(judge, name, now.get(name)):
                self._give(subject, name, None)

    def _sum_up(self, subject: str, now: Fields, finding: Finding | None, said: Mapping[str, Any]) -> None:
        """Let the decision say what the differences come to: that it is changed, moved or brought back is no more."""
        decision = now.get("decision")
        if any(now.get(name) is not None for name in _DIFFERENCES):
            moved = now.get("dimension") and (finding is None or now["dimension"] != finding.dimension)
            wanted = "reattribute" if moved else "override"
            if decision == "restore" or (finding is not None and not finding.kept):
                wanted = "restore"
            if decision in _SUMS or "decision" not in now:
                now["decision"] = wanted
            else:
                self._give(subject, "decision", wanted, always=True)
        elif decision in _SUMS:
            if any(gave.subject == subject and gave.field in _DIFFERENCES for gave in self._gave):
                self._give(subject, "decision", self._without(now))
            elif said.keys() & set(_DIFFERENCES):
                self._give(subject, "decision", "agree")

    @staticmethod
    def _without(now: Fields) -> str | None:
        """The decision on a finding, where the one that was made gave way: open again, unless it is right."""
        return "agree" if now.get("repeat_of") or now.get("matches") else None

    # --- the reviewer's own errors ---

    def _apply_error(self, subject: str, said: Mapping[str, Any]) -> None:
        made = "removed" in said or (is_error(said) and "spans" in said)
        undone = None if made else self._missing(subject)
        if undone is not None:
            self._gave += [
                GaveWay(subject, name, was, None, undone.undo) for name, was in said.items() if was is not None
            ]
            return
        now = self.errors.setdefault(subject, {})
        now.update(said)
        for name in ("dimension", *_LABELS):
            if said.get(name) is not None:
                self._before.setdefault((subject, name), []).append(said[name])
        if said.get("removed"):
            self._unlink(subject)
            return
        if now.get("dimension"):
            self._fit_error(subject, now, said)
        if said.get("missed"):
            for finding in self._found_as(subject):
                self._open(finding)
        self._link(subject, now, said)
        if self._linked:
            self._break_rings(subject)

    def _fit_error(self, subject: str, now: Fields, said: Mapping[str, Any]) -> None:
        """Make the labels of a reviewer's error ones of its dimension; one that gives way is as it was before."""
        dimension: Dimension = now["dimension"]
        strange = [name for name in _LABELS if said.get(name) is not None and not knows(dimension, name, said[name])]
        if strange and said.get("dimension") is None:
            before = self._before.get((subject, "dimension"), [])
            fitting = [each for each in DIMENSIONS if all(knows(each, name, said.get(name)) for name in _LABELS)]
            fitting.sort(key=lambda each: each not in before)
            undone = self._undone(subject, "dimension", fitting[0]) if fitting else None
            if fitting and not undone:
                self._give(subject, "dimension", fitting[0])
                dimension = fitting[0]
            for name in strange if undone else ():
                self._give(subject, name, self._latest(subject, name, dimension), undone.undo if undone else None)
        for name in _LABELS:
            if not knows(dimension, name, now.get(name)):
                self._give(subject, name, self._latest(subject, name, dimension))

    def _latest(self, subject: str, name: str, dimension: Dimension) -> Any:
        """Return the last severity said of an error that fits a dimension; else its only severity, or the mildest."""
        before = reversed(self._before.get((subject, name), []))
        usual = SINGLE_LEVEL.get(dimension, LEVELS[dimension][0]) if name == "severity" else None
        return next((value for value in before if knows(dimension, name, value)), usual)

    def _missing(self, subject: str) -> _TakenBack | None:
        """Bring a reviewer's error back that something later is said of, or return what took it back later still."""
        now = self.errors.get(subject, {})
        if is_error(now):
            self._give(subject, "removed", None)
            return None
        made = [
            act
            for act in self._taken_back.get(subject, ())
            if act.kind == "error" and is_error(act.changes) and "spans" in act.changes
        ]
        if not made:
            return None
        last = max(made, key=lambda act: act.place)
        if last.place > self._place:
            return last
        for name in ("dimension", *_LABELS):
            self._before.setdefault((subject, name), []).append(last.changes.get(name))
        self.errors[subject] = {**last.changes, **now}
        self._gave.append(GaveWay(subject, "removed", True, None))
        return None

    def _unlink(self, subject: str) -> None:
        """Take back what was said of an error that is none: that the judge found it, that others repeat it."""
        for finding in self._found_as(subject):
            self._open(finding)
        for other, fields in self._all():
            if fields.get("repeat_of") == subject:
                self._give(other, "repeat_of", None)

    def _found_as(self, error: str) -> list[str]:
        """The findings that are said to be one of the reviewer's errors."""
        return [identity for identity, fields in self.verdicts.items() if fields.get("matches") == error]

    def _open(self, finding: str, taken_back: str | None = None) -> None:
        """Leave a finding open again: that it is one of the reviewer's errors does not stand."""
        for name in OPENED:
            self._give(finding, name, None, taken_back)
        self._break_rings(finding)

    # --- links between errors ---

    def _link(self, subject: str, now: Fields, said: Mapping[str, Any]) -> None:
        """Make what an error is linked to one that is there, and a reviewer's error one finding at the most."""
        for name in _LINKS:
            if said.get(name) is not None and now.get(name) is not None:
                self._linked[subject, name] = self._place
        other = now.get("repeat_of") if said.get("repeat_of") else None
        if other is not None and (undone := self._missing(other)):
            self._give(subject, "repeat_of", None, undone.undo)
        error = now.get("matches") if said.get("matches") else None
        if error is None:
            return
        if undone := self._missing(error):
            self._open(subject, undone.undo)
            return
        for finding in self._found_as(error):
            if finding != subject:
                self._open(finding)
        if error in self.errors:
            self._give(error, "missed", None)

    def _next(self, identity: str) -> Iterator[tuple[str, str, str]]:
        """Yield what an error leads to, each with who says so and in which field ("": the judge)."""
        verdict = self.verdicts.get(identity, {})
        error = self.errors.get(identity, {})
        for name in ("duplicate_of", "repeat_of"):
            if other := verdict.get(name) or error.get(name):
                yield other, identity, name
        for finding in self._found_as(identity):
            yield finding, finding, "matches"
        judged = self.findings.get(identity)
        if (
            judged is not None
            and not judged.kept
            and verdict.get("decision") != "restore"
            and identity in self.absorbed
        ):
            yield self.absorbed[identity], identity, ""

    def _path(self, start: str, goal: str) -> list[tuple[str, str]] | None:
        """Return the path from one error to another: who says each step, and in which field; None if there is none."""
        seen: set[str] = set()
        ways: list[tuple[str, list[tuple[str, str]]]] = [(start, [])]
        while ways:
            here, path = ways.pop()
            for there, who, name in self._next(here):
                if there == goal:
                    return [*path, (who, name)]
                if there not in seen:
                    seen.add(there)
                    ways.append((there, [*path, (who, name)]))
        return None

    def _break_rings(self, subject: str) -> None:
        """Take back the oldest link of each ring that an error is in now: in a ring none of them would count."""
        while path := self._path(subject, subject):
            said = [step for step in path if step[1]]
            if not said:
                return  # the judge's alone
            who, name = oldest = min(said, key=lambda step: self._linked.get(step, 0))
            dropped = [finding for finding, field in path if not field and self._was_restored(finding)]
            if dropped and self._linked.get(oldest) == self._place:
                self._give(dropped[0], "decision", "restore", always=True)  # as the reviewer had where they said this
            elif name == "matches" and who != subject:
                self._open(who)
            else:
                self._give(who, name, None)
                if name == "duplicate_of":
                    self._give(who, "decision", self._without(self.verdicts[who]))

    def _was_restored(self, finding: str) -> bool:
        """Tell if the reviewer had restored a dropped error before, and did not take that back later."""
        acts = [act for act in self._taken_back.get(finding, ()) if act.changes.get("decision") == "restore"]
        last = max((act.place for act in acts), default=self._place)
        return (finding in self._restored or bool(acts)) and last <= self._place

    # --- rubric points, and the evaluation as a whole ---

    def _apply_point(self, subject: str, said: Mapping[str, Any]) -> None:
        now = self.points.setdefault(subject, {})
        now.update(said)
        if now.get("decision") is None and said.get("note"):
            decided = [act for act in self._taken_back.get(subject, ()) if act.changes.get("decision")]
            last = max(decided, key=lambda act: act.place, default=None)
            if last is not None and last.place > self._place:
                self._gave.append(GaveWay(subject, "note", said["note"], None, last.undo))
                now["note"] = None
            elif last is not None:
                self._gave.append(GaveWay(subject, "decision", None, last.changes["decision"]))
                now["decision"] = last.changes["decision"]

    def _apply_review(self, said: Mapping[str, Any]) -> None:
        now = self.review
        now.update(said)
        if now.get("reason") is not None and now.get("state") != "skipped":
            if "reason" not in said:
                self._give("", "reason", None)
            elif "state" not in said:
                self._give("", "state", "skipped")

    # --- giving way ---

    def _all(self) -> list[tuple[str, Fields]]:
        return [*self.verdicts.items(), *self.errors.items()]

    def _give(
        self, subject: str, name: str, value: Any, taken_back: str | None = None, *, always: bool = False
    ) -> None:
        """Let a field become something else than was said, and keep that it gave way.

        ``always``: also where nothing is said, since that it was taken back, or undone, is what gives way.
        """
        fields = self.review if not subject else self.verdicts.get(subject, self.errors.get(subject))
        if fields is None:
            fields = self.verdicts.setdefault(subject, {})
        was = fields.get(name)
        if was == value:
            return
        fields[name] = value
        if was is not None or always:
            self._gave.append(GaveWay(subject, name, was, value, taken_back))

    def _bring_back(self, subject: str, name: str, value: Any) -> None:
        """Let a field be what a later act needs: what was said instead gives way, or the undoing of it."""
        acts = self._taken_back.get(subject, ())
        self._give(subject, name, value, always=any(act.changes.get(name) == value for act in acts))

    def _undone(self, subject: str, name: str, value: Any) -> _TakenBack | None:
        """Return the later act that took back a field's value, if the value was said before."""
        acts = [act for act in self._taken_back.get(subject, ()) if name in act.changes and act.changes[name] == value]
        last = max(acts, key=lambda act: act.place, default=None)
        return last if last is not None and last.place > self._place else None


def is_error(fields: Mapping[str, Any]) -> bool:
    """Return whether fields say what an error is, in our words or in another scheme's."""
    return bool(fields.get("severity") or fields.get("category_label") or fields.get("severity_label"))


def _fields(value: Verdict | MarkedError) -> Fields:
    return {name: getattr(value, name) for name in value.__slots__ if name not in ("id", "blind")}
