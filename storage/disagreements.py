"""What reviewers disagree about, read out of the library, and the layer in which one of them settles it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from judges.agreement.disagreements import Compared, Saying, compare
from judges.metric_s.reviewing import Work
from judges.model import MarkedError, PointVerdict, Verdict
from storage.blinding import ASKED, HIDDEN, HIDDEN_CLAUSE, SYSTEM_HIDDEN_CLAUSE, blinding_of
from storage.layers import layer_of, split_layer
from storage.queue import STANDING, words_clause
from storage.review_log import FIELDS, POINT, ReviewLog, findings_of, read_review, read_work


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One thing that reviewers of an evaluation say different things of; ``settled``: the adjudicator has decided it.

    ``number``: of the judge's finding, as the screens show it; None of anything else.
    """

    evaluation: str
    article: str
    system: str
    number: int | None
    compared: Compared
    settled: bool


def read_disagreements(connection: sqlite3.Connection, adjudicator: str, words: str = "") -> list[Disagreement]:
    """Return what is to be settled in the evaluations in which every word occurs, in the order of the queue.

    Evaluations whose judge is still hidden from the adjudicator, or that she reviews herself and is not done with, are
    left out: she would see what others said before she has spoken.
    """
    system = f"CASE WHEN {SYSTEM_HIDDEN_CLAUSE} THEN '{HIDDEN}' ELSE e.system END"
    matching, values = words_clause(words, f"e.article || ' ' || {system} || ' ' || e.direction || ' ' || e.domain")
    layer = layer_of(adjudicator, "adjudicated")
    rows = connection.execute(
        f"SELECT e.id, e.article, {system} FROM {ASKED} "
        f"LEFT JOIN reviews r ON r.evaluation_id = e.id AND r.reviewer = e.layer WHERE {matching} AND {STANDING} "
        f"AND NOT {HIDDEN_CLAUSE} AND coalesce(r.state, '') <> 'in_progress' "
        "AND (SELECT count(*) FROM reviews o WHERE o.evaluation_id = e.id AND o.state IN ('in_progress', 'done')) > 1 "
        "ORDER BY e.position",
        (blinding_of(connection, adjudicator), adjudicator, *values),
    ).fetchall()
    found = []
    for evaluation, article, system in rows:
        numbers = dict(
            connection.execute("SELECT id, number FROM findings WHERE evaluation_id = ?", (evaluation,)).fetchall()
        )
        for compared in _compare(connection, evaluation):
            if not compared.agreed:
                settled = _is_settled(connection, evaluation, layer, compared)
                number = numbers.get(compared.subject)
                found.append(Disagreement(evaluation, article, system, number, compared, settled))
    return found


def reviewers_of(connection: sqlite3.Connection, evaluation: str) -> list[str]:
    """Return who reviews an evaluation in her own right: no second answers, no adjudication."""
    rows = connection.execute(
        "SELECT reviewer FROM reviews WHERE evaluation_id = ? AND state IN ('in_progress', 'done') ORDER BY reviewer",
        (evaluation,),
    )
    return [name for (name,) in rows if split_layer(name)[1] is None]


def _compare(connection: sqlite3.Connection, evaluation: str) -> list[Compared]:
    works: dict[str, Work] = {
        name: read_work(connection, evaluation, name) for name in reviewers_of(connection, evaluation)
    }
    shown = {name: work for name, work in works.items() if work.blind != "started"}
    return compare(findings_of(connection, evaluation), shown) if len(shown) > 1 else []


def _is_settled(connection: sqlite3.Connection, evaluation: str, layer: str, compared: Compared) -> bool:
    work = read_work(connection, evaluation, layer)
    match compared.kind:
        case "finding":
            verdict = work.verdicts.get(compared.subject)
            return verdict is not None and verdict.decision not in (None, "unsure")
        case "point":
            return int(compared.subject.removeprefix(POINT)) in work.points
        case "instruction":
            return work.instruction is not None
        case "error":
            rows = connection.execute(
                "SELECT 1 FROM events WHERE evaluation_id = ? AND reviewer = ? AND kind = 'error' "
                f"AND finding_id IN ({', '.join('?' * len(compared.errors))}) "
                "AND id NOT IN (SELECT event_id FROM undone) LIMIT 1",
                (evaluation, layer, *compared.errors),
            )
            return rows.fetchone() is not None


class Adjudication:
    """One adjudicator's hand on her layer: what she settles, by taking somebody's word, is on disk when it returns."""

    def __init__(self, connection: sqlite3.Connection, adjudicator: str, guideline: str = "") -> None:
        self.connection = connection
        self.log = ReviewLog(connection, layer_of(adjudicator, "adjudicated"), guideline)

    def settle(self, evaluation: str, compared: Compared, saying: Saying) -> None:
        """Take one of the sayings as what holds; None of an error: there is none."""
        self.log.open(evaluation)
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
        now = read_work(self.connection, evaluation, self.log.reviewer).verdicts.get(finding, Verdict())
        wanted = {name: getattr(verdict, name) for name in FIELDS["verdict"] if name not in ("matches", "note")}
        changes = {name: value for name, value in wanted.items() if value != getattr(now, name)}
        if changes:
            self.log.decide(evaluation, finding, **changes)

    def _take_error(self, evaluation: str, errors: tuple[str, ...], chosen: MarkedError | None) -> None:
        """Mark the one that holds under its own id, and the others as none: they are the same error, or no error."""
        standing = read_work(self.connection, evaluation, self.log.reviewer).errors
        for identity in errors:
            if chosen is not None and identity == chosen.id:
                names = ("dimension", "category", "severity", "spans")
                changes: dict[str, Any] = {name: getattr(chosen, name) for name in names}
                self.log.mark(evaluation, identity, **changes, removed=None)
            elif identity in standing or chosen is None:
                self.log.mark(evaluation, identity, removed=True)

    def finish(self, evaluation: str) -> int:
        """Take over all that the reviewers agree about, and say that the evaluation is settled; return how much it was.

        The search for missed errors is done if it is for all of them.
        """
        names = reviewers_of(self.connection, evaluation)
        agreed = [compared for compared in _compare(self.connection, evaluation) if compared.agreed]
        settled = [c for c in agreed if not _is_settled(self.connection, evaluation, self.log.reviewer, c)]
        for compared in settled:
            self.settle(evaluation, compared, next(iter(compared.said.values())))
        searches = {read_review(self.connection, evaluation, name).search for name in names}
        done = {"search": "done"} if searches == {"done"} else {}
        self.log.set_review(evaluation, state="done", reason=None, **done)
        return len(settled)
