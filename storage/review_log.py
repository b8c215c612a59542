"""The human record: an append-only log of events, and the present state that follows from it.

An event says who, when (UTC), about what, and which fields changed; fields that did not change are absent and
``null`` takes a change back. Undo and redo are events too. Nothing is ever rewritten: the tables in ``DERIVED`` are
made from the log and can be made anew at any time (``rebuild``).
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from judges.metric_s.reviewing import Work, human_score
from judges.model import (
    NO_VERDICT,
    BlindStage,
    Finding,
    InstructionDecision,
    MarkedError,
    Place,
    Places,
    PointVerdict,
    ReviewState,
    Score,
    Verdict,
)
from storage.connection import transaction
from storage.events import (
    ACTS,
    COLUMNS,
    FIELDS,
    POINT,
    Event,
    Kind,
    add_event,
    begins,
    expanded,
    from_row,
    passes_of,
    read_events,
    undone_ids,
)
from storage.layers import layers_of, split_layer
from storage.library import read_signature
from storage.text import utc

DERIVED = ("verdicts", "single_errors", "single_blind_errors", "whole_passes", "point_verdicts", "reviews", "undone")


@dataclass(frozen=True, slots=True)
class Review:
    """The state of one reviewer's work on one evaluation as a whole.

    ``search`` "done": she has looked for errors that the judge missed. ``blind``: None where it never was.
    """

    state: ReviewState = "not_opened"
    reason: str | None = None
    search: Literal["done"] | None = None
    instruction: InstructionDecision | None = None
    blind: BlindStage | None = None


def _changes(events: Iterable[Event]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for event in events:
        state.update(event.changes)
    return state


def _spans(value: Sequence[Sequence[Any]] | None) -> Places | None:
    return None if value is None else tuple(Place(*place) for place in value)


def fold_verdict(events: Iterable[Event]) -> Verdict:
    """Return the verdict that follows from one reviewer's standing ``verdict`` events on one finding, in order."""
    state = _changes(events)
    return Verdict(**{name: state.get(name) for name in FIELDS["verdict"]} | {"spans": _spans(state.get("spans"))})


def fold_error(identity: str, events: Iterable[Event], blind: bool) -> MarkedError | None:
    """Return the error that follows from one reviewer's standing ``error`` events on it; None if it is removed."""
    state = _changes(events)
    labels = {name: state.get(name) or "" for name in ("category_label", "severity_label")}
    if state.get("removed") or not (state.get("severity") or any(labels.values())):
        return None
    spans = _spans(state.get("spans")) or ()
    values = {name: state.get(name) for name in ("dimension", "category", "severity", "repeat_of", "missed", "note")}
    return MarkedError(identity, spans=spans, blind=blind, **labels, **values)  # type: ignore[arg-type]


def fold_point(events: Iterable[Event]) -> PointVerdict | None:
    """Return what follows from one reviewer's standing ``point`` events on one rubric point; None: nothing."""
    state = _changes(events)
    return PointVerdict(state["decision"], state.get("note")) if state.get("decision") else None


def fold_review(events: Sequence[Event], touched: bool, blind: BlindStage | None = None) -> Review:
    """Return the review state that follows from one reviewer's standing ``review`` events on one evaluation.

    ``touched``: she opened it or gave a verdict in it, which alone makes it ``in_progress``; so does what she says of
    it as a whole.
    """
    state = _changes(events)
    touched = bool(touched or blind or state.get("search") or state.get("instruction"))
    named: ReviewState = state.get("state") or ("in_progress" if touched else "not_opened")
    return Review(named, state.get("reason"), state.get("search"), state.get("instruction"), blind)


@dataclass(frozen=True, slots=True)
class BlindPass:
    """A pass in which the reviewer marked errors before she saw the judge's record; ``shown``: when she did see it.

    ``shown`` is the place in the log, (time, id); None as long as the pass goes on.
    """

    shown: tuple[str, str] | None = None

    @property
    def stage(self) -> BlindStage:
        """How far it is."""
        return "revealed" if self.shown else "started"

    def holds(self, event: Event) -> bool:
        """Whether an event came before the judge's record was shown."""
        return self.shown is None or (event.at, event.id) < self.shown


def shows(event: Event) -> bool:
    """Whether the reviewer saw a judge's record when she did this, or from then on."""
    return event.kind in ("opened", "verdict", "point") or event.changes.get("stage") == "revealed"


def fold_blind(events: Iterable[Event], evaluation_id: str, reviewer: str) -> BlindPass | None:
    """Return the blind pass of one layer on one evaluation that follows from events, in order; None: there was none.

    ``events``: in every layer of the same person, on every evaluation of the same translation. It is a blind pass only
    if she had seen nothing of a judge's on it before, and until she does. What was seen stays so, whatever is undone.
    """
    started = False
    for event in events:
        if event.changes.get("stage") == "started":
            started |= (event.evaluation_id, event.reviewer) == (evaluation_id, reviewer)
        elif shows(event):
            return BlindPass((event.at, event.id)) if started else None
    return BlindPass() if started else None


class ReviewLog:
    """One reviewer's hand on the log of one database. Every act is committed when its method returns."""

    def __init__(self, connection: sqlite3.Connection, reviewer: str, guideline: str = "") -> None:
        """``reviewer``: the layer to write; ``guideline``: the version of the guideline that is kept with each act."""
        self.connection = connection
        self.reviewer = reviewer
        self.guideline = guideline
        self._one_act: str | None = None

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """Make the acts within, on one evaluation, one: on disk together or not at all, undone and redone together."""
        with transaction(self.connection):
            self._one_act = os.urandom(16).hex()
            try:
                yield
            finally:
                self._one_act = None

    def decide(self, evaluation_id: str, finding_id: str, **changes: Any) -> Event:
        """Record what changed in the verdict on a finding (``decision``, ``severity``, …; None takes it back)."""
        return self._append("verdict", evaluation_id, finding_id, changes)

    def mark(self, evaluation_id: str, error_id: str | None = None, **changes: Any) -> Event:
        """Record an error of the reviewer's own, or what changed in one; its id is the event's ``finding_id``."""
        return self._append("error", evaluation_id, error_id or os.urandom(10).hex(), changes)

    def set_point(self, evaluation_id: str, number: int, **changes: Any) -> Event:
        """Record what changed in the verdict on a rubric point that is no finding."""
        return self._append("point", evaluation_id, f"{POINT}{number}", changes)

    def set_state(self, evaluation_id: str, state: ReviewState, reason: str | None = None) -> Event | None:
        """Record that the evaluation is done, skipped (with a reason), or in progress again; None if it is already."""
        return self.set_review(evaluation_id, state=state, reason=reason)

    def set_review(self, evaluation_id: str, **wanted: str | None) -> Event | None:
        """Record the fields of the review that differ from what they are; None if none does.

        ``state`` with its ``reason``, ``search``, ``instruction``.
        """
        now = self.review(evaluation_id)
        changes = {name: value for name, value in wanted.items() if value != getattr(now, name)}
        return self._append("review", evaluation_id, None, changes) if changes else None

    def review(self, evaluation_id: str) -> Review:
        """The state of the reviewer's work on an evaluation."""
        return read_review(self.connection, evaluation_id, self.reviewer)

    def open(self, evaluation_id: str, *, hidden: bool = False) -> None:
        """Record that the reviewer looked at an evaluation, once; ``hidden``: without the judge's record."""
        review = self.review(evaluation_id)
        if review.state == "not_opened":
            if hidden:
                self._append("blind", evaluation_id, None, {"stage": "started"})
            else:
                self._append("opened", evaluation_id, None, {})

    def reveal(self, evaluation_id: str) -> None:
        """Record that the reviewer is shown the judge's record from now on; this cannot be undone."""
        if self.review(evaluation_id).blind == "started":
            self._append("blind", evaluation_id, None, {"stage": "revealed"})

    def hide(self, blinding: str) -> None:
        """Record what the reviewer chooses not to see from now on (``storage.blinding``)."""
        self._append("hiding", "", None, {"blinding": blinding})

    def spend(self, evaluation_id: str, seconds: Mapping[str, float]) -> None:
        """Record the seconds spent on findings and errors of an evaluation; ``""``: on none of them."""
        self._append("time", evaluation_id, None, {"seconds": dict(seconds)})

    def undo(self) -> Event | None:
        """Take back the reviewer's latest standing act, wherever it was, and return that act (None: nothing left)."""
        with transaction(self.connection):
            act = self._one(f"kind IN {_ACTS} AND id NOT IN (SELECT event_id FROM undone) ORDER BY at DESC, id DESC")
            for part in reversed(self._parts(act)):
                self._write(self._event("undo", part.evaluation_id, part.finding_id, {}, part.id))
        return act

    def redo(self) -> Event | None:
        """Restore the act that was undone last, if no new act came since, and return it."""
        with transaction(self.connection):
            act = self._one(
                f"kind IN {_ACTS} AND id IN (SELECT event_id FROM undone) AND id = ("
                " SELECT u.target FROM events u WHERE u.reviewer = events.reviewer AND u.kind = 'undo'"
                " AND u.target IN (SELECT event_id FROM undone)"
                " AND u.at > coalesce((SELECT max(a.at) FROM events a WHERE a.reviewer = u.reviewer"
                f"  AND a.kind IN {_ACTS}), '')"
                " ORDER BY u.at DESC, u.id DESC LIMIT 1)"
            )
            parts = self._parts(act)
            for part in parts:
                self._write(self._event("redo", part.evaluation_id, part.finding_id, {}, part.id))
        return parts[-1] if parts else None

    def _parts(self, act: Event | None) -> list[Event]:
        """What was done as one with an act, that among it, in order."""
        if act is None or act.target is None:
            return [act] if act else []
        where = f"evaluation_id = ? AND reviewer = ? AND target = ? AND kind IN {_ACTS}"
        return list(read_events(self.connection, where, (act.evaluation_id, self.reviewer, act.target)))

    def _append(self, kind: Kind, evaluation_id: str, finding_id: str | None, changes: dict[str, Any]) -> Event:
        with nullcontext() if self._one_act else transaction(self.connection):
            event = self._event(kind, evaluation_id, finding_id, changes, self._one_act if kind in ACTS else None)
            self._write(event)
        return event

    def _event(
        self, kind: Kind, evaluation_id: str, finding_id: str | None, changes: dict[str, Any], target: str | None = None
    ) -> Event:
        identity, at = os.urandom(16).hex(), self._now()
        return Event(identity, at, self.reviewer, kind, evaluation_id, finding_id, changes, target, self.guideline)

    def _now(self) -> str:
        # Strictly later than this person's last event, whatever the clock does: the order of the log is its time.
        query = "SELECT max(at) FROM events WHERE reviewer = ?"
        layers = layers_of(split_layer(self.reviewer)[0])
        last = max(self.connection.execute(query, (layer,)).fetchone()[0] or "" for layer in layers)
        now = datetime.now(UTC)
        if last and (after := datetime.fromisoformat(last) + timedelta(microseconds=1)) > now:
            now = after
        return utc(now)

    def _one(self, where: str) -> Event | None:
        row = self.connection.execute(
            f"SELECT {COLUMNS} FROM events WHERE reviewer = ? AND {where} LIMIT 1", (self.reviewer,)
        ).fetchone()
        return from_row(row) if row else None

    def _write(self, event: Event) -> None:
        add_event(self.connection, event)
        derive(self.connection, event.evaluation_id, event.reviewer, (event.finding_id,))
        if shows(event):
            for other in _blind_beside(self.connection, event.evaluation_id, event.reviewer):
                derive(self.connection, *other)


_ACTS = str(ACTS)
"""As an SQL list."""


def derive(
    connection: sqlite3.Connection, evaluation_id: str, reviewer: str, finding_ids: Collection[str | None] = (None,)
) -> None:
    """Bring the derived tables up to date for an evaluation and these findings of it. Call inside a transaction."""
    wanted = [identity for identity in finding_ids if identity is not None]
    by_finding: dict[str | None, list[Event]] = {None: []}
    for event in read_events(
        connection,
        "evaluation_id = ? AND reviewer = ? AND (finding_id IS NULL OR finding_id IN (SELECT value FROM json_each(?)))",
        (evaluation_id, reviewer, json.dumps(wanted)),
    ):
        by_finding.setdefault(event.finding_id, []).append(event)
    of_evaluation = by_finding.pop(None)
    subject = {"evaluation_id": evaluation_id, "reviewer": reviewer}
    passes, gone = passes_of(of_evaluation)
    every, whole = None in finding_ids, False
    if passes:
        whole = len(passes) == 1 and _is_untouched(connection, evaluation_id, reviewer)
        every |= bool(connection.execute(f"SELECT 1 FROM whole_passes {_OF_ONE}", tuple(subject.values())).fetchone())
        _put(connection, "whole_passes", subject, {"event_id": passes[0].id} if whole else None)
        if every:
            for table in _SINGLE:
                connection.execute(f"DELETE FROM {table} {_OF_ONE}", tuple(subject.values()))
    by_finding = {identity: events for identity, events in by_finding.items() if begins(identity) not in gone}
    of_evaluation = list(expanded(of_evaluation))
    marked_elsewhere = [event for event in of_evaluation if event.kind == "error"]
    of_evaluation = [event for event in of_evaluation if event.kind != "error"]
    for event in marked_elsewhere if not whole else ():
        if every or event.finding_id in wanted:
            by_finding[event.finding_id] = [event, *by_finding.get(event.finding_id, ())]
    had_blind = any(event.kind == "blind" for event in of_evaluation)
    blind = _blind_pass(connection, evaluation_id, reviewer) if had_blind else None
    errors = {identity for identity, events in by_finding.items() if any(event.kind == "error" for event in events)}
    for identity, events in by_finding.items():
        standing = _standing(connection, events)
        if identity in errors:
            _derive_error(connection, subject, str(identity), events, blind)
        elif str(identity).startswith(POINT):
            _derive_point(connection, subject, str(identity), standing)
        else:
            _derive_verdict(connection, subject, str(identity), standing)
    if had_blind and not whole and not errors.issuperset(finding_ids):
        # Which of them were marked blind may have changed.
        _derive_errors(connection, subject, blind, {str(event.finding_id): event for event in marked_elsewhere}, gone)
    opened = any(event.kind == "opened" for event in of_evaluation)
    _derive_review(connection, subject, opened, _standing(connection, of_evaluation), blind)


_SINGLE = ("single_errors", "single_blind_errors")
"""Where errors are that were marked one by one, or in a pass that somebody went on with."""


def _is_untouched(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> bool:
    """Whether all that a person did about a translation that no judge was asked about came from other tools' files."""
    layers = json.dumps(layers_of(split_layer(reviewer)[0]))
    done = connection.execute(_DONE, (evaluation_id, layers)).fetchall()
    state = connection.execute("SELECT state FROM evaluations WHERE id = ?", (evaluation_id,)).fetchone()
    return done == [(reviewer, "imported")] and state == ("not_judged",)


_DONE = """
SELECT DISTINCT reviewer, kind FROM events
WHERE evaluation_id = ? AND reviewer IN (SELECT value FROM json_each(?)) LIMIT 2
"""


def _blind_pass(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> BlindPass | None:
    """The blind pass of a layer on an evaluation, by what its person saw of the translation anywhere."""
    layers = json.dumps(layers_of(split_layer(reviewer)[0]))
    where = (
        f"(evaluation_id = ? OR evaluation_id IN ({_TWINS})) AND reviewer IN (SELECT value FROM json_each(?)) "
        "AND kind IN ('opened', 'blind', 'imported', 'verdict', 'point')"
    )
    events = read_events(connection, where, (evaluation_id, evaluation_id, layers))
    return fold_blind(expanded(events), evaluation_id, reviewer)


_TWINS = (
    "SELECT n.id FROM evaluations m JOIN evaluations n ON n.translation_id = m.translation_id "
    "WHERE m.id = ? AND m.state <> 'not_judged' AND n.state <> 'not_judged'"
)
"""The evaluations of the same translation, where there is a judge's record to be seen."""


def _blind_beside(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> list[tuple[str, str]]:
    """The blind passes, by evaluation and layer, which end once a layer has seen an evaluation: the same person's."""
    rows = connection.execute(
        f"SELECT evaluation_id, reviewer FROM reviews WHERE (evaluation_id = ? OR evaluation_id IN ({_TWINS})) "
        "AND reviewer IN (SELECT value FROM json_each(?)) AND blind IS NOT NULL",
        (evaluation_id, evaluation_id, json.dumps(layers_of(split_layer(reviewer)[0]))),
    )
    return [row for row in rows.fetchall() if row != (evaluation_id, reviewer)]


def _standing(connection: sqlite3.Connection, events: Sequence[Event]) -> list[Event]:
    """Keep which of these acts are undone, and return those that are not."""
    undone = undone_ids(events)
    standing = []
    for event in events:
        if event.kind in ACTS:
            if event.id in undone:
                connection.execute("INSERT OR IGNORE INTO undone VALUES (?)", (event.id,))
            else:
                connection.execute("DELETE FROM undone WHERE event_id = ?", (event.id,))
                standing.append(event)
    return standing


def derive_all(connection: sqlite3.Connection, subjects: Iterable[tuple[str, str, str | None]]) -> None:
    """Bring the derived tables up to date for many (evaluation, reviewer, finding). Call inside a transaction."""
    grouped: dict[tuple[str, str], set[str | None]] = {}
    for evaluation_id, reviewer, finding_id in subjects:
        grouped.setdefault((evaluation_id, reviewer), set()).add(finding_id)
    for (evaluation_id, reviewer), findings in grouped.items():
        derive(connection, evaluation_id, reviewer, findings)
    beside = {other for subject in grouped for other in _blind_beside(connection, *subject)}
    for other in sorted(beside - grouped.keys()):
        derive(connection, *other)


def derive_waiting(connection: sqlite3.Connection, stored: str, values: Sequence[Any] = ()) -> None:
    """Derive what follows from events that were here before their evaluations. Call inside a transaction.

    ``stored`` selects the ids of evaluations that are new: verdicts may have come, from another's log, before them.
    """
    query = f"SELECT DISTINCT evaluation_id, reviewer, finding_id FROM events WHERE evaluation_id IN ({stored})"
    derive_all(connection, connection.execute(query, values).fetchall())


def _put(connection: sqlite3.Connection, table: str, subject: Mapping[str, str], row: dict[str, Any] | None) -> None:
    """Keep one derived row in place of what was there; none where nothing follows."""
    where = " AND ".join(f"{name} = ?" for name in subject)
    connection.execute(f"DELETE FROM {table} WHERE {where}", tuple(subject.values()))
    if row is not None:
        row = {**subject, **row}
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))


def _derive_verdict(
    connection: sqlite3.Connection, subject: Mapping[str, str], finding_id: str, standing: list[Event]
) -> None:
    verdict = fold_verdict(standing)
    row = None if verdict == NO_VERDICT else {name: getattr(verdict, name) for name in FIELDS["verdict"]}
    if row:
        row |= {"spans": _json(verdict.spans), "at": standing[-1].at}
    _put(connection, "verdicts", {**subject, "finding_id": finding_id}, row)


def _derive_point(
    connection: sqlite3.Connection, subject: Mapping[str, str], finding_id: str, standing: list[Event]
) -> None:
    point = fold_point(standing)
    row = {"decision": point.decision, "note": point.note, "at": standing[-1].at} if point else None
    _put(connection, "point_verdicts", {**subject, "point": finding_id.removeprefix(POINT)}, row)


def _derive_errors(
    connection: sqlite3.Connection,
    subject: Mapping[str, str],
    blind: BlindPass | None,
    elsewhere: Mapping[str, Event],
    gone: Collection[str],
) -> None:
    """Derive all errors that the reviewer marked; ``elsewhere``: those that came with an imported pass, by id.

    ``gone``: what the ids of those begin with that came with one that no longer stands.
    """
    chosen = "evaluation_id = ? AND reviewer = ? AND finding_id IN (SELECT e.finding_id FROM events e WHERE"
    values = tuple(subject.values())
    by_error: dict[str, list[Event]] = {identity: [event] for identity, event in elsewhere.items()}
    for event in read_events(
        connection, f"{chosen} e.evaluation_id = ? AND e.reviewer = ? AND e.kind = 'error')", values * 2
    ):
        if begins(event.finding_id) not in gone:
            by_error.setdefault(str(event.finding_id), []).append(event)
    for identity, events in by_error.items():
        _derive_error(connection, subject, identity, events, blind)


def _derive_error(
    connection: sqlite3.Connection,
    subject: Mapping[str, str],
    identity: str,
    events: Sequence[Event],
    blind: BlindPass | None,
) -> None:
    """Derive an error as it stands, and as it stood when the judge's record was shown, if it was marked before."""
    before = [event for event in events if blind and blind.holds(event)]
    for table, then in zip(_SINGLE, (events, before), strict=True):
        undone = undone_ids(then)
        standing = [event for event in then if event.kind == "error" and event.id not in undone]
        error = fold_error(identity, standing, any(event.kind == "error" for event in before))
        row: dict[str, Any] | None = None
        if error is not None:
            names = ("dimension", "category", "severity", "category_label", "severity_label")
            row = {name: getattr(error, name) for name in names} | {"spans": _json(error.spans)}
            if then is events:
                row |= {name: getattr(error, name) for name in ("repeat_of", "missed", "note", "blind")}
                row["at"] = standing[-1].at
        _put(connection, table, {**subject, "id": identity}, row)


def _json(spans: Places | None) -> str | None:
    return None if spans is None else json.dumps(spans)


def _derive_review(
    connection: sqlite3.Connection,
    subject: Mapping[str, str],
    opened: bool,
    standing: Sequence[Event],
    blind: BlindPass | None,
) -> None:
    evaluation_id, reviewer = subject.values()
    verdicts = verdicts_of(connection, evaluation_id, reviewer)
    errors = errors_of(connection, evaluation_id, reviewer)
    points = points_of(connection, evaluation_id, reviewer)
    review = fold_review(standing, bool(opened or verdicts or errors or points), blind.stage if blind else None)
    if review.state == "not_opened":
        _put(connection, "reviews", subject, None)
        return
    work = Work(verdicts, errors, points, review.instruction, review.search == "done", review.blind)
    decided = unsure = 0
    row = connection.execute("SELECT state, signature_id FROM evaluations WHERE id = ?", (evaluation_id,)).fetchone()
    human: Score | None = None
    if row:
        findings = findings_of(connection, evaluation_id)
        for identity, finding in findings.items():
            decision = verdicts[identity].decision if identity in verdicts else None
            decided += finding.kept and decision is not None
            unsure += finding.kept and decision == "unsure"
        human = human_score(row[0], findings, work, read_signature(connection, row[1])[1])
    latest = connection.execute(
        "SELECT max(at) FROM events WHERE evaluation_id = ? AND reviewer = ?", (evaluation_id, reviewer)
    ).fetchone()[0]
    points_row = (human.accuracy, human.fluency, human.appropriateness, human.total) if human else (None,) * 4
    _put(
        connection,
        "reviews",
        subject,
        {
            "state": review.state,
            "reason": review.reason,
            "decided": decided,
            "unsure": unsure,
            **dict(zip(("accuracy", "fluency", "appropriateness", "total"), points_row, strict=True)),
            "at": latest,
            "search": review.search,
            "instruction": review.instruction,
            "blind": review.blind,
            "marked": len(work.errors),
            "unconfirmed": len(work.unconfirmed),
        },
    )


def findings_of(connection: sqlite3.Connection, evaluation_id: str) -> dict[str, Finding]:
    """Return an evaluation's findings by id, in their order, with what scoring needs of them."""
    rows = connection.execute(
        "SELECT id, judge, judge_index, severity, kept, rubric_point FROM findings WHERE evaluation_id = ? "
        "ORDER BY number",
        (evaluation_id,),
    )
    return {
        identity: Finding(judge, index, "", severity=severity, kept=bool(kept), rubric_point=point)
        for identity, judge, index, severity, kept, point in rows
    }


_OF_ONE = "WHERE evaluation_id = ? AND reviewer = ?"


def read_work(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> Work:
    """Return all that one reviewer has said of an evaluation, as it stands."""
    review = read_review(connection, evaluation_id, reviewer)
    return Work(
        verdicts_of(connection, evaluation_id, reviewer),
        errors_of(connection, evaluation_id, reviewer),
        points_of(connection, evaluation_id, reviewer),
        review.instruction,
        review.search == "done",
        review.blind,
    )


def numbers_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, int]:
    """Return the number, from 1, of each error that one reviewer marked, also of those that she has removed since.

    It is that of the marking, so that it stays the same whatever is marked later; what was undone has none.
    """
    where = (
        "evaluation_id = ? AND reviewer = ? AND kind IN ('error', 'imported') "
        "AND id NOT IN (SELECT event_id FROM undone)"
    )
    events = expanded(read_events(connection, where, (evaluation_id, reviewer)))
    marked = dict.fromkeys(str(event.finding_id) for event in events if event.kind == "error")
    return {identity: number for number, identity in enumerate(marked, 1)}


def read_review(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> Review:
    """Return the state of one reviewer's work on an evaluation."""
    row = connection.execute(
        f"SELECT state, reason, search, instruction, blind FROM reviews {_OF_ONE}", (evaluation_id, reviewer)
    ).fetchone()
    return Review(*row) if row else Review()


def verdicts_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, Verdict]:
    """Return one reviewer's present verdicts on an evaluation's findings, by finding id."""
    rows = connection.execute(
        "SELECT finding_id, decision, severity, category, dimension, duplicate_of, repeat_of, spans, invented, "
        f"matches, note FROM verdicts {_OF_ONE}",
        (evaluation_id, reviewer),
    )
    verdicts = {}
    for identity, decision, severity, category, dimension, duplicate, repeat, spans, invented, matches, note in rows:
        verdicts[identity] = Verdict(
            decision,
            severity,
            category,
            dimension,
            duplicate,
            repeat,
            None if spans is None else _spans(json.loads(spans)),
            None if invented is None else bool(invented),
            matches,
            note,
        )
    return verdicts


def errors_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, MarkedError]:
    """Return the errors of an evaluation that one reviewer marked herself, by id, in the order of the source text."""
    rows = connection.execute(
        "SELECT id, dimension, category, severity, spans, repeat_of, missed, note, blind, category_label, "
        f"severity_label FROM marked_errors {_OF_ONE}",
        (evaluation_id, reviewer),
    )
    errors = [
        MarkedError(
            identity,
            dimension,
            category,
            severity,
            _spans(json.loads(spans)) or (),
            repeat_of,
            missed and bool(missed),
            note,
            bool(blind),
            *labels,
        )
        for identity, dimension, category, severity, spans, repeat_of, missed, note, blind, *labels in rows
    ]
    return {error.id: error for error in sorted(errors, key=lambda error: (error.spans, error.id))}


def points_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[int, PointVerdict]:
    """Return what one reviewer says of an evaluation's rubric points that are no findings, by their number."""
    rows = connection.execute(
        f"SELECT point, decision, note FROM point_verdicts {_OF_ONE} ORDER BY point", (evaluation_id, reviewer)
    )
    return {point: PointVerdict(decision, note) for point, decision, note in rows}


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the derived tables anew from the log alone."""
    with transaction(connection):
        for table in DERIVED:
            connection.execute(f"DELETE FROM {table}")
        query = "SELECT DISTINCT evaluation_id, reviewer, finding_id FROM events"
        derive_all(connection, connection.execute(query).fetchall())


def merge(connection: sqlite3.Connection, events: Iterable[Event]) -> int:
    """Add events of another log; return how many were new. Order and repetition do not matter."""
    touched: set[tuple[str, str, str | None]] = set()
    added = 0
    with transaction(connection):
        for event in events:
            if add_event(connection, event):
                added += 1
                touched.add((event.evaluation_id, event.reviewer, event.finding_id))
        derive_all(connection, sorted(touched, key=lambda subject: (*subject[:2], subject[2] or "")))
    return added
