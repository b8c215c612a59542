"""One reviewer's word on one evaluation: folded from the log, or read from the tables that follow from it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from judges.metric_s.human_score import Work
from judges.metric_s.scoring import METRIC_S, Weights
from judges.model import EvaluationState, Finding, MarkedError, PointVerdict, Verdict
from storage.db.rows import RowMapper
from storage.log.events import Place as LogPlace
from storage.log.events import readable, undone_ids
from storage.reviews.events import ACTS, Event, expanded, imported_id, passes_of, read_events
from storage.reviews.fold import (
    BlindPass,
    Contradicted,
    Review,
    Standing,
    error_of,
    fold,
    fold_blind,
    review_of,
    shows,
)
from storage.reviews.layers import layers_of, split_layer

_OF_ONE = "WHERE evaluation_id = ? AND reviewer = ?"


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """The judge's record of an evaluation, as far as a review is scored by it; it never changes once it is stored.

    ``findings``: by id, in their order. ``absorbed``: the dropped findings → the one that stands for each. ``state``:
    None where the evaluation is not in the library, or not yet.
    """

    findings: Mapping[str, Finding]
    absorbed: Mapping[str, str]
    state: EvaluationState | None
    weights: Weights = METRIC_S


def judged_of(connection: sqlite3.Connection, evaluation_id: str) -> JudgedRecord:
    """Return the judge's record of an evaluation, with what scoring needs of its findings."""
    evaluation = connection.execute(_EVALUATION, (evaluation_id,)).fetchone()
    findings, absorbed = {}, {}
    for identity, judge, index, category, severity, kept, point, duplicate in connection.execute(
        "SELECT id, judge, judge_index, category, severity, kept, rubric_point, duplicate_of FROM findings "
        "WHERE evaluation_id = ? ORDER BY number",
        (evaluation_id,),
    ):
        findings[identity] = Finding(
            judge=judge,
            index=index,
            explanation="",
            hint="",
            category=category,
            category_label="",
            severity=severity,
            severity_label="",
            rubric_point=point,
            kept=bool(kept),
        )
        if duplicate is not None:
            absorbed[identity] = duplicate
    state, weights = evaluation or (None, None)
    return JudgedRecord(findings, absorbed, state, Weights.of(weights) if weights else METRIC_S)


_EVALUATION = """
SELECT e.state, json_extract(s.fields, '$.weights') FROM evaluations e LEFT JOIN signatures s ON s.id = e.signature_id
WHERE e.id = ?
"""


def findings_of(connection: sqlite3.Connection, evaluation_id: str) -> Mapping[str, Finding]:
    """Return an evaluation's findings by id, in their order, with what scoring needs of them."""
    return judged_of(connection, evaluation_id).findings


@dataclass(frozen=True, slots=True)
class ReviewFold:
    """All that follows from one reviewer's events on one evaluation.

    ``contradictions``: by subject ("": the review) the acts in two copies that contradict, until they decide anew.
    ``numbers``: of each error that the reviewer marked, from 1, also of those removed since; they stay what they are.
    ``standing``: verdicts, errors and points with their last acts; ``blind_errors``: the errors as they stood when the
    judge's record was shown. ``whole``: the imported pass that is all that was said. ``shown``: the place in the log
    from which on the judge's record was seen here. ``events``: all of which it follows, in log order.
    """

    work: Work
    review: Review
    contradictions: Mapping[str, Sequence[Contradicted]]
    numbers: Mapping[str, int]
    judged: JudgedRecord
    standing: Standing
    blind_errors: Mapping[str, MarkedError] = field(default_factory=dict)
    undone: Collection[str] = ()
    whole: Event | None = None
    shown: LogPlace | None = None
    events: Sequence[Event] = ()


def read_fold(
    connection: sqlite3.Connection,
    evaluation_id: str,
    reviewer: str,
    judged: JudgedRecord | None = None,
    every: Sequence[Event] | None = None,
) -> ReviewFold:
    """Return all that follows from one reviewer's events on one evaluation.

    ``judged``, ``every``: the judge's record, and all these events in log order, where they were read before.
    """
    judged = judged or judged_of(connection, evaluation_id)
    if every is None:
        every = list(read_events(connection, "evaluation_id = ? AND reviewer = ?", (evaluation_id, reviewer)))
    said = [event for event in every if event.kind not in ("time", "hiding")]
    undone = undone_ids(said)
    passes, gone = passes_of(said)
    whole = passes[0].event if len(passes) == 1 and _is_untouched(connection, evaluation_id, reviewer, judged) else None
    events = [_without_links(event, gone) if gone else event for event in expanded(said)]
    marked = [event for event in events if event.kind == "error"]
    if whole:
        events = [event for event in events if event.kind != "error"]
    had_blind = any(event.kind == "blind" for event in events)
    blind = _blind_pass(connection, evaluation_id, reviewer) if had_blind else None
    before = [event for event in events if blind.holds(event)] if blind else []
    marked_blind = {str(event.finding_id) for event in before if event.kind == "error"}
    standing = fold(events, judged.findings, judged.absorbed, marked_blind)
    then: Mapping[str, MarkedError] = {}
    if before:
        then = (standing if before == events else fold(before, judged.findings, judged.absorbed)).errors
    work = Work(
        standing.verdicts,
        in_text_order(_errors_of_pass(whole) if whole else standing.errors),
        standing.points,
        blind=blind.stage if blind else None,
    )
    opened = any(event.kind == "opened" for event in events)
    touched = bool(opened or work.verdicts or work.errors or work.points)
    review = review_of(standing.review, touched, work.blind)
    numbered = dict.fromkeys(
        str(event.finding_id) for event in marked if event.id not in undone or event.finding_id in work.errors
    )
    return ReviewFold(
        work=replace(work, instruction=review.instruction, search_done=review.search == "done"),
        review=review,
        contradictions=_contradicted(standing, every),
        numbers={identity: number for number, identity in enumerate(numbered, 1)},
        judged=judged,
        standing=standing,
        blind_errors=then,
        undone=[event.id for event in said if event.kind in ACTS and event.id in undone],
        whole=whole,
        shown=next((event.place for event in said if shows(event)), None),
        events=every,
    )


def in_text_order(errors: Mapping[str, MarkedError]) -> dict[str, MarkedError]:
    """Return errors by id in the order of the texts."""
    return {error.id: error for error in sorted(errors.values(), key=lambda error: (error.spans, error.id))}


def _without_links(event: Event, gone: Collection[str]) -> Event:
    """An event without what it says of errors that came with an imported pass which no longer stands."""
    links = [name for name in ("repeat_of", "matches") if event.changes.get(name) in gone]
    return replace(event, changes=event.changes | dict.fromkeys(links)) if links else event


def _errors_of_pass(event: Event) -> dict[str, MarkedError]:
    """The errors of an imported pass, as the view ``marked_errors`` has them."""
    each = (
        error_of(imported_id(event, number), {**fields, "removed": None}, True)
        for number, fields in enumerate(event.changes.get("errors") or (), 1)
    )
    return {error.id: error for error in each if error}


def _contradicted(standing: Standing, events: Sequence[Event]) -> dict[str, list[Contradicted]]:
    by_id = {event.id: event for event in events} if standing.contradictions else {}
    found: dict[str, list[Contradicted]] = {}
    for subject, event_id, gave_way in sorted(standing.contradictions, key=lambda each: each[:2]):
        # An imported pass stands for acts whose ids begin with its own.
        if counts := by_id.get(event_id) or by_id.get(event_id.rpartition(":")[0]):
            found.setdefault(subject, []).append(Contradicted(counts, gave_way))
    return found


def _is_untouched(connection: sqlite3.Connection, evaluation_id: str, reviewer: str, judged: JudgedRecord) -> bool:
    """Tell if all that a person did about a translation that no judge was asked about came from other tools' files."""
    if judged.state != "not_judged":
        return False
    layers = json.dumps(layers_of(split_layer(reviewer)[0]))
    return connection.execute(_DONE, (evaluation_id, layers)).fetchall() == [(reviewer, "imported")]


_DONE = f"""
SELECT DISTINCT reviewer, kind FROM events
WHERE evaluation_id = ? AND reviewer IN (SELECT value FROM json_each(?)) AND {readable("events")} LIMIT 2
"""


def _blind_pass(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> BlindPass | None:
    """The blind pass of a layer on an evaluation, by what its person saw of the translation anywhere."""
    layers = json.dumps(layers_of(split_layer(reviewer)[0]))
    where = (
        f"(evaluation_id = ? OR evaluation_id IN ({TWINS})) AND reviewer IN (SELECT value FROM json_each(?)) "
        "AND kind IN ('opened', 'blind', 'imported', 'verdict', 'point')"
    )
    events = read_events(connection, where, (evaluation_id, evaluation_id, layers))
    return fold_blind(expanded(events), evaluation_id, reviewer)


TWINS = (
    "SELECT n.id FROM evaluations m JOIN evaluations n ON n.translation_id = m.translation_id "
    "WHERE m.id = ? AND m.state <> 'not_judged' AND n.state <> 'not_judged'"
)
"""The evaluations of the same translation, where there is a judge's record to be seen, in SQL."""


# --- from the tables that follow from the log ---


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


VERDICTS = RowMapper(Verdict)
MARKED_ERRORS = RowMapper(MarkedError)
POINT_VERDICTS = RowMapper(PointVerdict)
REVIEWS = RowMapper(Review)


def read_review(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> Review:
    """Return the state of one reviewer's work on an evaluation."""
    query = f"SELECT {REVIEWS.select} FROM reviews {_OF_ONE}"
    row = connection.execute(query, (evaluation_id, reviewer)).fetchone()
    return REVIEWS.value_of(row) if row else Review()


def verdicts_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, Verdict]:
    """Return one reviewer's present verdicts on an evaluation's findings, by finding id."""
    query = f"SELECT finding_id, {VERDICTS.select} FROM verdicts {_OF_ONE}"
    return {identity: VERDICTS.value_of(row) for identity, *row in connection.execute(query, (evaluation_id, reviewer))}


def errors_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, MarkedError]:
    """Return the errors of an evaluation that one reviewer marked, by id, in the order of the source text."""
    query = f"SELECT {MARKED_ERRORS.select} FROM marked_errors {_OF_ONE}"
    errors = map(MARKED_ERRORS.value_of, connection.execute(query, (evaluation_id, reviewer)))
    return in_text_order({error.id: error for error in errors})


def points_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[int, PointVerdict]:
    """Return what one reviewer says of an evaluation's rubric points that are no findings, by their number."""
    query = f"SELECT point, {POINT_VERDICTS.select} FROM point_verdicts {_OF_ONE} ORDER BY point"
    rows = connection.execute(query, (evaluation_id, reviewer))
    return {point: POINT_VERDICTS.value_of(row) for point, *row in rows}
