"""Disagreements of reviewers, read out of the library, and the layer in which one of them settles these."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from judges.consistency.disagreements import ComparedOpinions, Saying, compare
from judges.metric_s.contradictions import ActKind, Statements
from judges.metric_s.human_score import Work
from judges.model import NO_VERDICT, MarkedError, PointVerdict, Verdict
from storage.reviews.blinding import ASKED, HIDDEN, HIDDEN_CLAUSE, SYSTEM_HIDDEN_CLAUSE, blinding_of, hides
from storage.reviews.events import FIELDS, POINT, read_events
from storage.reviews.layers import PLAIN_CLAUSE, layer_of
from storage.reviews.queue import STANDING, SUBDOMAIN, words_clause
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import findings_of, judged_of, read_review, read_work


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One thing that reviewers say different things of, or too few say anything of; ``settled``: it is decided.

    ``number``: of the judge's finding, as the screens show it; None of anything else.
    """

    compared: ComparedOpinions
    number: int | None
    settled: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One evaluation that two or more reviewers are done with, as far as it is settled.

    ``agreed``: how many things they agree about that are not taken over yet. ``shared``: of how many at least two of
    them said something; ``alike``: on how many of these all say the same. ``unsearched``: who of them does not say
    that they searched the texts for missed errors. ``ended``: the adjudicator has said that they are through with it.
    """

    evaluation: str
    article: str
    system: str
    reviewers: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]
    agreed: int
    unsearched: tuple[str, ...]
    ended: bool
    shared: int = 0
    alike: int = 0

    @property
    def left(self) -> int:
        """Return how many disagreements are not settled."""
        return sum(not each.settled for each in self.disagreements)

    @property
    def finished(self) -> bool:
        """Return whether nothing is left to do: not so where reviewers have said more since it was ended."""
        return self.ended and not self.left and not self.agreed


@dataclass(frozen=True, slots=True)
class Docket:
    """All that there is to settle, in the order of the queue.

    ``waiting``: how many evaluations others are done with, but the adjudicator must speak on first: those hidden from
    them, and translations that they review or are to review themselves.
    """

    cases: tuple[Case, ...]
    waiting: int


_DONE = "r.state = 'done' AND NOT r.unconfirmed AND coalesce(r.blind, '') <> 'started'"
"""The condition that a review is one that others can be held against, in SQL on reviews ``r``."""
_OF_TRANSLATION = "ON o.evaluation_id = t.id WHERE t.translation_id = e.translation_id"
_BEING_REVIEWED = (
    f"EXISTS (SELECT 1 FROM evaluations t JOIN reviews o {_OF_TRANSLATION} AND o.state = 'in_progress' "
    f"AND o.reviewer IN (e.layer, e.layer || '{layer_of('', 'again')}')) OR EXISTS ("
    f"SELECT 1 FROM evaluations t JOIN assignments o {_OF_TRANSLATION} AND o.reviewer = e.layer AND NOT EXISTS ("
    "SELECT 1 FROM reviews r WHERE r.evaluation_id = t.id AND r.reviewer = o.layer AND r.state IN ('done', 'skipped')))"
)
"""The condition that who asks reviews the translation of an ``ASKED`` evaluation ``e``, or is to, in SQL."""


def read_docket(
    connection: sqlite3.Connection, adjudicator: str, words: str = "", evaluation: str | None = None
) -> Docket:
    """Return what is to be settled in the evaluations in which every word occurs, or in one evaluation.

    What is hidden from the adjudicator, or is theirs to speak on, is left out: they would see what others said
    before they have. As long as anything is, the order tells of no system.
    """
    system = f"CASE WHEN {SYSTEM_HIDDEN_CLAUSE} THEN '{HIDDEN}' ELSE e.system END"
    parts = ("e.article", system, "e.direction", "e.domain", SUBDOMAIN)
    matching, values = words_clause(words, " || ' ' || ".join(parts))
    if evaluation is not None:
        matching, values = "e.id = ?", [evaluation]
    layer = layer_of(adjudicator, "adjudicated")
    rows = connection.execute(
        f"SELECT e.id, e.article, {system}, {HIDDEN_CLAUSE} OR {_BEING_REVIEWED} FROM {ASKED} "
        f"LEFT JOIN reviews r ON r.evaluation_id = e.id AND r.reviewer = e.layer WHERE {matching} AND {STANDING} "
        f"AND (SELECT count(*) FROM reviews r WHERE r.evaluation_id = e.id AND {_DONE} AND {PLAIN_CLAUSE}) > 1 "
        f"ORDER BY {'e.article, e.id' if hides(connection, adjudicator) else 'e.position'}",
        (blinding_of(connection, adjudicator), adjudicator, *values),
    ).fetchall()
    cases = tuple(_read_case(connection, layer, *row) for *row, waiting in rows if not waiting)
    return Docket(cases, len(rows) - len(cases))


def _read_case(connection: sqlite3.Connection, layer: str, evaluation: str, article: str, system: str) -> Case:
    works = _works(connection, evaluation)
    numbers = dict(
        connection.execute("SELECT id, number FROM findings WHERE evaluation_id = ?", (evaluation,)).fetchall()
    )
    compared = compare(findings_of(connection, evaluation), works)
    settled = _settled(connection, evaluation, layer, compared)
    return Case(
        evaluation=evaluation,
        article=article,
        system=system,
        reviewers=tuple(works),
        disagreements=tuple(
            Disagreement(each, numbers.get(each.subject), each.subject in settled)
            for each in compared
            if not each.agreed
        ),
        agreed=sum(each.agreed and each.subject not in settled for each in compared),
        unsearched=tuple(name for name, work in works.items() if not work.search_done),
        ended=read_review(connection, evaluation, layer).state == "done",
        shared=sum(len(each.opinions) > 1 for each in compared),
        alike=sum(len(each.opinions) > 1 and each.agreed for each in compared),
    )


def _works(connection: sqlite3.Connection, evaluation: str) -> dict[str, Work]:
    """Return what each reviewer who is done with an evaluation says of it, in their own right: no second answers."""
    rows = connection.execute(
        f"SELECT r.reviewer FROM reviews r WHERE r.evaluation_id = ? AND {_DONE} AND {PLAIN_CLAUSE} "
        "ORDER BY r.reviewer",
        (evaluation,),
    )
    return {name: read_work(connection, evaluation, name) for (name,) in rows.fetchall()}


def _settled(
    connection: sqlite3.Connection, evaluation: str, layer: str, compared: Collection[ComparedOpinions]
) -> set[str]:
    """The subjects, among what was compared, of which the adjudicator has said what holds."""
    work = read_work(connection, evaluation, layer)
    errors = {*work.errors, *_removed(connection, evaluation, layer)}

    def is_settled(each: ComparedOpinions) -> bool:
        match each.kind:
            case "finding":
                return work.verdicts.get(each.subject, NO_VERDICT).decision not in (None, "unsure")
            case "point":
                return int(each.subject.removeprefix(POINT)) in work.points
            case "error":
                return not errors.isdisjoint(each.errors)
            case "instruction":
                return work.instruction is not None

    return {each.subject for each in compared if is_settled(each)}


def _removed(connection: sqlite3.Connection, evaluation: str, layer: str) -> set[str]:
    """The errors that a layer says are none."""
    where = "evaluation_id = ? AND reviewer = ? AND kind = 'error' AND id NOT IN (SELECT event_id FROM undone)"
    removed: dict[str, object] = {}
    for event in read_events(connection, where, (evaluation, layer)):
        if "removed" in event.changes:
            removed[str(event.finding_id)] = event.changes["removed"]
    return {identity for identity, said in removed.items() if said}


class Adjudication:
    """The acts of one adjudicator on their layer: what they settle is on disk when a method returns, and is one act."""

    def __init__(self, log: ReviewLog) -> None:
        """``log``: of their adjudicated layer."""
        self.connection = log.connection
        self.log = log

    def settle(self, evaluation: str, compared: ComparedOpinions, saying: Saying) -> None:
        """Take one of the sayings as what holds; None of an error: there is none."""
        with self.log.as_one():
            self.log.open(evaluation)
            self._take(evaluation, compared, saying)

    def unsettle(self, evaluation: str, compared: ComparedOpinions) -> None:
        """Take back what holds; a note of the adjudicator's own stays."""
        layer = self.log.reviewer
        work = read_work(self.connection, evaluation, layer)
        with self.log.as_one():
            match compared.kind:
                case "finding":
                    now = work.verdicts.get(compared.subject, NO_VERDICT)
                    said = [name for name in FIELDS["verdict"] if name != "note" and getattr(now, name) is not None]
                    self._act("verdict", evaluation, compared.subject, dict.fromkeys(said))
                case "point":
                    self.log.set_point(evaluation, int(compared.subject.removeprefix(POINT)), decision=None)
                case "error":
                    spoken = {*work.errors, *_removed(self.connection, evaluation, layer)}
                    for identity in sorted(spoken.intersection(compared.errors)):
                        taken_back = {name: None for name in FIELDS["error"] if name != "note"}
                        self._act("error", evaluation, identity, taken_back)
                case "instruction":
                    self.log.set_review(evaluation, instruction=None)

    def _take(self, evaluation: str, compared: ComparedOpinions, saying: Saying) -> None:
        match saying:
            case Verdict():
                self._take_verdict(evaluation, compared.subject, saying)
            case PointVerdict():
                number = int(compared.subject.removeprefix(POINT))
                self.log.set_point(evaluation, number, decision=saying.decision)
            case MarkedError() | None:
                self._take_error(evaluation, compared.errors, saying)
            case _:
                self.log.set_review(evaluation, instruction=saying)

    def _take_verdict(self, evaluation: str, finding: str, verdict: Verdict) -> None:
        now = read_work(self.connection, evaluation, self.log.reviewer).verdicts.get(finding, NO_VERDICT)
        wanted = {name: getattr(verdict, name) for name in FIELDS["verdict"] if name not in ("matches", "note")}
        changes = {name: value for name, value in wanted.items() if value != getattr(now, name)}
        if wanted["repeat_of"] in _removed(self.connection, evaluation, self.log.reviewer):
            changes.pop("repeat_of", None)
        if changes:
            self._act("verdict", evaluation, finding, changes)

    def _act(self, kind: ActKind, evaluation: str, subject: str, changes: dict[str, Any]) -> None:
        """Record an act with what it takes back of what was settled before, which then is open again."""
        judged = judged_of(self.connection, evaluation)
        work = read_work(self.connection, evaluation, self.log.reviewer)
        self.log.act(kind, evaluation, subject, changes, Statements.of(judged.findings, judged.absorbed, work))

    def _take_error(self, evaluation: str, errors: tuple[str, ...], chosen: MarkedError | None) -> None:
        """Mark the one that holds under its own id, and the others as none: they are the same error, or no error."""
        standing = read_work(self.connection, evaluation, self.log.reviewer).errors
        for identity in errors:
            if chosen is not None and identity == chosen.id:
                names = (name for name in FIELDS["error"] if name not in ("missed", "note", "removed"))
                fields = {name: getattr(chosen, name) for name in names}
                self._act("error", evaluation, identity, fields | {"removed": None})
            elif identity in standing or chosen is None:
                self._act("error", evaluation, identity, {"removed": True})

    def end(self, evaluation: str) -> int:
        """Take over all that the reviewers agree about, and say that the evaluation is settled; return how much it was.

        What the adjudicator has decided stands. The search for missed errors is done if it is for all of them.
        """
        with self.log.as_one():
            self.log.open(evaluation)
            works = _works(self.connection, evaluation)
            agreed = [each for each in compare(findings_of(self.connection, evaluation), works) if each.agreed]
            settled = _settled(self.connection, evaluation, self.log.reviewer, agreed)
            taken = [each for each in agreed if each.subject not in settled]
            for each in taken:
                self._take(evaluation, each, next(iter(each.opinions.values())))
            done = {"search": "done"} if all(work.search_done for work in works.values()) else {}
            self.log.set_review(evaluation, state="done", reason=None, **done)
        return len(taken)
