"""One person at work on a benchmark that is being built: its candidates, what was found of them, and every act.

Screens ask this for what to show and tell it what was decided. An act is in the log before anything here changes.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from discox_tui.sessions.library import Refused
from discox_tui.sessions.review import ReviewSession
from storage.benchmark.candidates import DETAILS, STAGES, Candidate, Stage, Step, articles, candidate, candidates
from storage.benchmark.events import BuildEvent
from storage.benchmark.log import BuildLog
from storage.benchmark.settings import filters, quotas
from storage.db.connection import Connection, data_version, open_beside
from storage.log.events import Place
from storage.reviews.blinding import hides
from storage.reviews.events import Event
from storage.reviews.review_log import ReviewLog

if TYPE_CHECKING:
    from judges.benchmark.rubric.points import Point
    from judges.benchmark.selection.difficulty_filter import Outcome
    from judges.benchmark.selection.selection import Balance, Quota, QuotaState
    from judges.model import Article, PointDecision
    from storage.benchmark.checks import Finding, Near
    from storage.benchmark.stages import Obstacle

Looked: TypeAlias = tuple[str, tuple[str, ...], tuple["Point", ...]]
"""The input of the checks: the article, its details, its points."""

BUILDING = ""
"""The layer under which the stopwatch counts time on candidates; no reviewer's is called so."""

Act: TypeAlias = BuildEvent | Event
"""An act that can be undone: of building, or a verdict on a rubric point."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The checks of a version: its length in its language's ``unit``, and what they find."""

    length: int
    unit: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The result of the filter for a version, and the evaluation that it rests on, by system (None: there is none)."""

    outcome: Outcome
    evaluations: Mapping[str, str | None]


def spend(connection: sqlite3.Connection, person: str, key: str, seconds: Mapping[str, float]) -> None:
    """Record the seconds spent on a candidate, by stage, as the stopwatch counts them."""
    BuildLog(connection, person).spend(key, {stage: seconds[str(stage)] for stage in STAGES if str(stage) in seconds})


class BuildSession:
    """The candidates of a library as one person may see them.

    ``candidates``: by name, in the order they were added. ``judging``: their review of the translations, for what they
    says of rubric points.
    """

    def __init__(self, session: ReviewSession) -> None:
        """``session``: of the person, on the library."""
        self.connection: Connection = session.connection
        self.person = session.reviewer
        self.log = BuildLog(session.connection, session.reviewer)
        self.judging = ReviewSession(
            session.connection, session.reviewer, guideline=session.log.guideline, blinding=session.blinding
        )
        self.candidates: dict[str, Candidate] = {}
        self._checked: dict[Looked, Checked] = {}
        self._near: tuple[Near, ...] = ()
        self._near_of: frozenset[str] = frozenset()
        self._across: Mapping[str, Sequence[Finding]] | None = None
        self._articles: dict[str, Article] = {}
        self._outcomes: dict[str, Outcome] | None = None
        self._quotas: tuple[Quota, ...] = ()
        self._session = session
        self._seen = self._now()
        self.refresh()

    # --- reading ---

    def refresh(self, key: str | None = None) -> None:
        """Read the candidates anew, or one of them."""
        self._across = None
        if key is None:
            self.candidates = {each.key: each for each in candidates(self.connection, self.person)}
            self._outcomes = None
            before, self._quotas = self._quotas, quotas(self.connection)
            if before != self._quotas:
                self._checked.clear()
        elif (now := candidate(self.connection, key, self.person)) is not None:
            from storage.benchmark.difficulty import outcomes

            self.candidates[key] = now
            if self._outcomes is not None:
                self._outcomes.pop(key, None)
                self._outcomes |= {} if self.hidden else outcomes(self.connection, [now])

    def changed_elsewhere(self) -> bool:
        """Return whether another program has written to the file, or they hide something else; if so, read anew."""
        before, self._seen = self._seen, self._now()
        if before == self._seen:
            return False
        self.judging.blinding = self._session.blinding
        self.judging.refresh()
        self.refresh()
        return True

    def _now(self) -> tuple[int, str]:
        return data_version(self.connection), self._session.blinding

    def article(self, key: str) -> Article:
        """The text and the rubric of a candidate's version that counts."""
        now = self.candidates[key]
        if now.article_id not in self._articles or self._articles[now.article_id].direction != now.direction:
            self._articles[now.article_id] = articles(self.connection, [now])[key]
        return self._articles[now.article_id]

    def article_of(self, article_id: str) -> Article:
        """The text and the rubric of any version."""
        from storage.record.library import read_article

        return read_article(self.connection, article_id)

    def balance(self) -> Balance:
        """Return how the quotas stand."""
        from judges.benchmark.selection.selection import balance
        from storage.benchmark.settings import standing

        states = {key: outcome.state for key, outcome in self.outcomes.items()}
        rows = [standing(each, states.get(each.key)) for each in self.candidates.values()]
        return balance(quotas(self.connection), rows)

    def target(self) -> float | None:
        """Return the share of all candidates that should come in, None where nobody said it."""
        from storage.benchmark.settings import target

        return target(self.connection)

    def quota(self, key: str) -> QuotaState | None:
        """Return how the quota stands that a candidate counts for; None where there are no quotas."""
        from storage.benchmark.settings import standing

        stands = self.balance() if quotas(self.connection) else None
        return stands.of(standing(self.candidates[key], None)) if stands else None

    def stage(self, key: str) -> Stage:
        """Return the stage of work on a candidate: selection, once it is assigned or the filter lets it through."""
        from storage.benchmark.stages import stage_of

        return stage_of(self.candidates[key], self.outcomes.get(key))

    # --- checks ---

    def checked(self, key: str, *, wait: bool = False) -> Checked | None:
        """Return what checks say of a candidate; None where none were made yet, unless it is to ``wait`` for them."""
        now = self.candidates[key]
        found = self._checked.get(looked(now))
        if found is None and wait:
            found = self._checked[looked(now)] = check(self.connection, now, self.article(key))
        if found is None:
            return None
        own = (replace(one, checked_off=now.checked_off.get(one.id)) for one in found.findings)
        return replace(found, findings=(*own, *self._compared.get(key, ())))

    @property
    def _compared(self) -> Mapping[str, Sequence[Finding]]:
        """Findings that follow from comparing candidates, as they stand."""
        from storage.benchmark.checks import across

        if self._across is None:
            self._across = across(list(self.candidates.values()), self._near)
        return self._across

    def unchecked(self, keys: Sequence[str]) -> list[Candidate]:
        """Return those of these candidates that checks have not been made of."""
        return [now for key in keys if looked(now := self.candidates[key]) not in self._checked]

    @property
    def needs_twins(self) -> bool:
        """Return whether texts have come in or changed since nearly the same ones were looked for."""
        return self._near_of != frozenset(each.article_id for each in self.candidates.values())

    def take(self, made: Mapping[Looked, Checked]) -> None:
        """Keep checks that were made elsewhere."""
        self._checked.update(made)

    def take_twins(self, found: Sequence[Near], of: frozenset[str]) -> None:
        """Keep which texts are nearly the same; ``of``: the articles that were compared."""
        self._near, self._near_of, self._across = tuple(found), of, None

    # --- the filter ---

    @property
    def hidden(self) -> bool:
        """Return whether anything that judges said is hidden from this person: then all of it is, here."""
        return hides(self.connection, self.person, self.judging.blinding)

    @property
    def filter_words(self) -> Mapping[str, str]:
        """The rule and the judge of each filter, in words, by its id; without systems where those are hidden."""
        from storage.benchmark.difficulty import filter_words

        return {each.id: filter_words(self.connection, each, hidden=self.hidden) for each in filters(self.connection)}

    @property
    def outcomes(self) -> Mapping[str, Outcome]:
        """Return what the filter came to, by candidate; nothing of those under none, or where it is hidden."""
        from storage.benchmark.difficulty import outcomes

        if self._outcomes is None:
            self._outcomes = {} if self.hidden else outcomes(self.connection, self.candidates.values())
        return self._outcomes

    def difficulty(self, key: str) -> Difficulty | None:
        """Return what the filter came to for one candidate, with the evaluations that it rests on."""
        from storage.benchmark.difficulty import judged

        now, outcome = self.candidates[key], self.outcomes.get(key)
        under = next((each for each in filters(self.connection) if each.id in now.filters[-1:]), None)
        if outcome is None or under is None:
            return None
        said = judged(self.connection, now.article_id, under)
        return Difficulty(outcome, {system: one.evaluation if one else None for system, one in said.items()})

    def overrule(self, key: str, evaluation: str, number: int, decision: PointDecision | None) -> Event | None:
        """Record what this person says of a rubric point of a translation; the filter follows at once.

        None takes back what they said; raises Refused where that is nothing.
        """
        if self.judging.evaluation is None or self.judging.evaluation.id != evaluation:
            self.judging.look(evaluation)
        event = self.judging.set_point(number, decision) if decision else self.judging.clear_point(number)
        self.refresh(key)
        return event

    # --- acts ---

    def revise(self, key: str, note: str, *, source: str | None = None, points: Sequence[Point] | None = None) -> bool:
        """Record another version; False where it would be the same as the present one."""
        event = self.log.revise(key, source=source, points=points, note=note)
        self.refresh(key)
        return event is not None

    def describe(self, key: str, details: Mapping[str, str]) -> bool:
        """Record what is known of it beside its text, by name; False where nothing is different."""
        if "direction" in details:
            from storage.formats.base.directions import direction_name

            details = {**details, "direction": direction_name(details["direction"])}
        note = f"{' and '.join(details)} changed"
        event = self.log.revise(key, source=None, points=None, note=note, **details)
        self.refresh(key)
        return event is not None

    def known(self, detail: str) -> list[str]:
        """Return what candidates have for a detail, the commonest first."""
        return [value for value, _ in Counter(getattr(each, detail) for each in self.candidates.values()).most_common()]

    def obstacles(self, key: str, step: Step, *, settling: bool = False, wait: bool = True) -> tuple[Obstacle, ...]:
        """Return what keeps a candidate from a step, as every command has it; () where nothing does.

        ``settling``: it is accepted where people differ, whoever was to decide on it. ``wait``: also compare texts
        that were not compared yet, which takes a second where there are many.
        """
        from storage.benchmark.checks import near_texts
        from storage.benchmark.stages import obstacles

        if wait and self.needs_twins:
            every = list(self.candidates.values())
            self.take_twins(near_texts(self.connection, every), frozenset(each.article_id for each in every))
        checked = self.checked(key, wait=True)
        found = checked.findings if checked else ()
        person = "" if settling else self.person
        outcome = self.outcomes.get(key)
        return obstacles(self.candidates[key], step, found, outcome, person=person, hidden=self.hidden)

    def accept(self, key: str, exception: str = "") -> None:
        """Record that this person accepts it; ``exception``: why, where a condition of the stages keeps it out.

        Raises Refused where one does and nobody says why.
        """
        self.log.decide(key, "accept", exception, self.stage(key), self._without(key, exception))
        self.refresh(key)

    def _without(self, key: str, exception: str, *, settling: bool = False) -> list[str]:
        """Return the conditions that a candidate is accepted without."""
        kept = self.obstacles(key, "accept", settling=settling)
        if final := next((one for one in kept if one.final), None):
            raise Refused(f"{key}: {final.message}")
        if kept and not exception.strip():
            raise Refused(f"{key}: {kept[0].message} Say why it comes in all the same")
        return [one.code for one in kept]

    def reject(self, key: str, reason: str) -> None:
        """Record that this person rejects it, and why."""
        self.log.decide(key, "reject", reason, stage=self.stage(key))
        self.refresh(key)

    def leave_undecided(self, key: str) -> None:
        """Take this person's decision back. Raises Refused where there is none."""
        if self.person not in self.candidates[key].decisions:
            raise Refused("You have not decided on it, so there is nothing to take back")
        self.log.decide(key, "undecided", stage=self.stage(key))
        self.refresh(key)

    def settle(self, key: str, *, accept: bool, reason: str = "") -> None:
        """Record what holds where people differ; ``reason``: of a rejection, or an exception as for `accept`."""
        without = self._without(key, reason, settling=True) if accept else ()
        self.log.settle(key, "accept" if accept else "reject", reason, without)
        self.refresh(key)

    def check_off(self, key: str, finding: str, why: str) -> None:
        """Record that what a check found is all right, and why."""
        self.log.check_off(key, finding, why)
        self.refresh(key)

    def undo(self) -> Act | None:
        """Take back this person's latest act here, on whichever candidate: of building, or on a rubric point."""
        built, judged = self.log.last(), self._last_judged()
        if judged and (built is None or built.place < judged.place):
            act: Act | None = self.judging.undo()
        else:
            act = self.log.undo()
        return self._followed(act)

    def redo(self) -> Act | None:
        """Do again what was undone last; None where there is nothing."""
        redos: list[tuple[Place, Callable[[], Act | None]]] = [
            (self.judging.log.last_undo(), self.judging.redo),
            (self.log.last_undo(), self.log.redo),
        ]
        latest = sorted(redos, reverse=True, key=lambda row: row[0])
        act = next((act for _, redo in latest if (act := redo())), None)
        return self._followed(act)

    def _followed(self, act: Act | None) -> Act | None:
        """Read what an act has changed."""
        self.judging.refresh()
        self.refresh((self.key_of(act) or None) if act else "")
        return act

    def key_of(self, act: Act) -> str:
        """The candidate that an act was about; "" where it was about many, or none."""
        if isinstance(act, BuildEvent):
            return act.candidate
        query = "SELECT article_id FROM evaluations WHERE id = ?"
        row = self.connection.execute(query, (act.evaluation_id,)).fetchone()
        return next((key for key, each in self.candidates.items() if row and _has(each, row[0])), "")

    def _last_judged(self) -> Event | None:
        """Their latest standing act of reviewing, if it was about a candidate's translation."""
        last = ReviewLog(self.connection, self.person).last()
        return last if last and self.key_of(last) else None


def looked(now: Candidate) -> Looked:
    """Return what a candidate's findings follow from."""
    return now.article_id, tuple(getattr(now, name) for name in DETAILS), now.version.points


def check(connection: sqlite3.Connection, now: Candidate, article: Article | None = None) -> Checked:
    """Make the checks of one candidate, but for texts that are nearly the same: some 20 ms."""
    from judges.benchmark.checks.intake import DEFAULT
    from judges.benchmark.checks.length import length
    from storage.benchmark.checks import findings

    article = article or articles(connection, [now])[now.key]
    least = DEFAULT.least.get(now.direction.partition("-")[0])
    unit = least.unit if least else "words"
    found = findings(connection, [now], others=False)[now.key]
    return Checked(length(article.source, unit), unit, tuple(found))


def check_behind(
    session: BuildSession,
    chosen: Sequence[Candidate],
    twins: bool,
    wanted: Callable[[], bool],
    give: Callable[[Mapping[Looked, Checked]], object],
    give_twins: Callable[[Sequence[Near], frozenset[str]], object],
) -> None:
    """Make checks in another thread, on a connection of its own, and hand them over a few at a time.

    ``wanted``: asked before each whether to go on.
    """
    from storage.benchmark.checks import near_texts

    with closing(open_beside(session.connection)) as connection:
        made: dict[Looked, Checked] = {}
        for now in chosen:
            if not wanted():
                return
            made[looked(now)] = check(connection, now)
            if len(made) == _TOGETHER:
                give(made)
                made = {}
        give(made)
        if twins and wanted():
            every = candidates(connection, session.person)
            give_twins(near_texts(connection, every), frozenset(each.article_id for each in every))


_TOGETHER = 16
"""Candidates whose checks are handed over at once."""


def _has(each: Candidate, article_id: str) -> bool:
    return any(version.article_id == article_id for version in each.versions)
