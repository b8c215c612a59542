"""A benchmark that is being built: an append-only log of what people did to its candidates, and what follows from it.

An event says who, when (UTC), to which candidate, and what changed. Undo and redo are events too, nothing is ever
rewritten, and two libraries' logs are united by their ids. There is no other truth: versions, assignments, decisions
and hours are folded from the log whenever they are asked for. A version's text is a row of ``articles``, so systems
translate it and judges judge it as any other, and a revised candidate is another article.

Two people who are to decide on the same candidate do so independently: until both have, neither's decision leaves this
module but to the one who made it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from judges.metric_s.rubric import parse_rubric
from judges.model import Article
from storage.connection import insert, transaction
from storage.errors import StorageError
from storage.events import undone_ids
from storage.library import add_article, read_article
from storage.text import storable, storable_all, utc

if TYPE_CHECKING:
    from judges.building.points import Point
    from judges.building.selection import Quota

BuildKind = Literal[
    "added",
    "revised",
    "decided",
    "settled",
    "assigned",
    "quotas",
    "lengths",
    "filtered",
    "checked_off",
    "time",
    "undo",
    "redo",
]
"""``added``, ``revised``: a version. ``decided``: one person accepts or rejects. ``settled``: what holds where two
differ. ``assigned``: who is to decide on which. ``quotas``: what the benchmark should hold, ``lengths``: how long its
articles should be. ``filtered``: which versions were put under a difficulty filter. ``checked_off``: a check's finding
is all right. ``time``: what was spent.
"""

ACTS: tuple[BuildKind, ...] = (
    "revised",
    "decided",
    "settled",
    "assigned",
    "quotas",
    "lengths",
    "filtered",
    "checked_off",
)
"""The kinds that undo takes back. A candidate that should not have been added is rejected."""

BuildDecision = Literal["accept", "reject", "undecided"]
"""``undecided`` takes an earlier decision back."""
BUILD_DECISIONS: tuple[BuildDecision, ...] = get_args(BuildDecision)

Outcome = Literal["accepted", "rejected", "differ", "undecided"]
"""What the decisions come to; ``differ``: all have decided, not alike, and nobody has settled it."""

Stage = Literal[1, 2, 3]
"""Intake, difficulty filter, selection."""
STAGES: tuple[Stage, ...] = get_args(Stage)

OF_ARTICLES = ("direction", "domain", "subdomain")
DETAILS = (*OF_ARTICLES, "origin", "licence")
"""What is known of a candidate beside its text and points; it may change without another version of the text."""


@dataclass(frozen=True, slots=True)
class BuildEvent:
    """One line of the log. ``candidate`` is its key, "" where the event is of none or of many.

    ``changes``: JSON's own types. ``target``: id of the event that undo and redo are of.
    """

    id: str
    at: str
    person: str
    kind: BuildKind
    candidate: str
    changes: dict[str, Any]
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a candidate. ``article_id`` names the row of ``articles`` that holds its text and rubric.

    ``number`` counts from 1 and stays what it is; ``base`` is the article that it was made from, None for one that came
    from a file. ``undone``: it was taken back, and is kept.
    """

    number: int
    article_id: str
    points: tuple[Point, ...]
    at: str
    person: str
    note: str = ""
    base: str | None = None
    file: str = ""
    line: int = 0
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """What one person decided of one version. ``stage``: in which she did; ``reason`` of a rejection."""

    person: str
    at: str
    decision: BuildDecision
    reason: str
    article_id: str
    stage: Stage = 3


@dataclass(frozen=True, slots=True)
class CheckedOff:
    """That a person calls a check's finding, by its id, all right, and why."""

    finding: str
    person: str
    at: str
    why: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate as it stands, as one person may see it.

    ``versions``: all, undone ones too, oldest first; ``version`` is the one that counts. Decisions are of that version:
    who decided on an earlier one has to decide again. ``assigned``: who is to decide; empty: whoever does.
    ``decisions``: by person, without what must not be seen yet; ``waiting``: those of ``assigned`` who have yet to
    decide (that somebody has is no secret, only what). ``independent``: what each of several said before anyone saw the
    others', once all had; for agreement. ``filters``: ids of the standing ``filtered`` events that hold this version;
    ``was_filtered``: one holds this or an earlier one.
    """

    key: str
    versions: tuple[Version, ...]
    direction: str = ""
    domain: str = ""
    subdomain: str = ""
    origin: str = ""
    licence: str = ""
    assigned: tuple[str, ...] = ()
    decisions: Mapping[str, Decided] = field(default_factory=dict)
    waiting: tuple[str, ...] = ()
    independent: Mapping[str, Decided] = field(default_factory=dict)
    settled: Decided | None = None
    outcome: Outcome = "undecided"
    checked_off: Mapping[str, CheckedOff] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    was_filtered: bool = False

    @property
    def version(self) -> Version:
        """The version that counts: the last that was not undone."""
        return next((each for each in reversed(self.versions) if not each.undone), self.versions[0])

    @property
    def article_id(self) -> str:
        """The article of the version that counts."""
        return self.version.article_id

    @property
    def overlap(self) -> bool:
        """Whether several people are to decide on it independently."""
        return len(self.assigned) > 1

    @property
    def stage(self) -> Stage:
        """How far it has come, as far as the log alone says: 3 once it is assigned, 2 once it was under a filter.

        Whether a filter let it through is known from evaluations.
        """
        return 3 if self.assigned else 2 if self.was_filtered else 1


@dataclass(frozen=True, slots=True)
class Filtered:
    """A difficulty filter that was set. ``rule``: as JSON; ``signatures``: what was asked of its judges, as
    ``signatures.asked`` has it.

    ``candidates``: key → the article that was put under it.
    """

    id: str
    at: str
    person: str
    rule: Mapping[str, Any]
    systems: tuple[str, ...]
    signatures: tuple[str, ...]
    candidates: Mapping[str, str]


Assigned: TypeAlias = Mapping[str, Sequence[str]]
"""Candidate → who is to decide on it; nobody: whoever does."""


# --- Writing --------------------------------------------------------------------------------------------------


class BuildLog:
    """One person's hand on the log of one database. Every act is on disk when its method returns.

    Within a transaction of the caller's it is on disk when that is. Every method raises StorageError, in words for
    people, for what cannot be done, and then has written nothing.
    """

    def __init__(self, connection: sqlite3.Connection, person: str) -> None:
        self.connection = connection
        self.person = person

    def add(
        self,
        article: Article,
        points: Sequence[Point],
        *,
        origin: str = "",
        licence: str = "",
        file: str = "",
        line: int = 0,
    ) -> BuildEvent:
        """Record a new candidate, called as its article. ``points``: its rubric's, taken apart."""
        article = storable_all(article)
        if has_candidate(self.connection, article.key):
            raise StorageError(
                f"{article.key!r:.60}: there is such a candidate; revise it, or give this one another name"
            )
        return self._put_version("added", article, points, {"origin": origin, "licence": licence}, file=file, line=line)

    def replace(
        self,
        article: Article,
        points: Sequence[Point],
        *,
        origin: str = "",
        licence: str = "",
        file: str = "",
        line: int = 0,
    ) -> BuildEvent | None:
        """Record what a file says anew of a candidate that is here, None where it says nothing new."""
        article = storable_all(article)
        now = self._candidate(article.key)
        said = {name: getattr(article, name) for name in OF_ARTICLES} | {"origin": origin, "licence": licence}
        details = {name: value for name, value in said.items() if value and value != getattr(now, name)}
        before = read_article(self.connection, now.article_id)
        if not details and (article.source, article.rubric_text) == (before.source, before.rubric_text):
            return None
        given: dict[str, Any] = {name: details.get(name) or getattr(now, name) for name in OF_ARTICLES}
        return self._put_version(
            "revised", replace(article, **given), points, details, base=now.article_id, file=file, line=line
        )

    def revise(
        self,
        key: str,
        *,
        source: str | None = None,
        points: Sequence[Point] | None = None,
        note: str = "",
        **details: str,
    ) -> BuildEvent | None:
        """Record another version of a candidate, or other ``DETAILS``; None where nothing differs.

        The judge's rubric is made of the points.
        """
        if unknown := details.keys() - set(DETAILS):
            raise StorageError(f"{min(unknown)}: is none of {', '.join(DETAILS)}")
        now = self._candidate(key)
        before = read_article(self.connection, now.article_id)
        points = now.version.points if points is None else tuple(points)
        rubric = tuple(point.as_rubric() for point in points)
        text = before.rubric_text if rubric == before.rubric else rubric_text(points)
        changed = {name: value for name, value in details.items() if value != getattr(now, name)}
        given: dict[str, Any] = {name: changed.get(name, getattr(now, name)) for name in OF_ARTICLES}
        article = storable_all(
            replace(before, source=before.source if source is None else source, rubric_text=text, rubric=rubric)
        )
        if not article.source.strip():
            raise StorageError(f"{key}: a version needs a text; reject the candidate instead")
        if (article, points) == (before, now.version.points) and not changed:
            return None
        return self._put_version("revised", replace(article, **given), points, changed, base=now.article_id, note=note)

    def decide(self, key: str, decision: BuildDecision, reason: str = "", stage: Stage = 3) -> BuildEvent:
        """Record what this person decides of the version that counts; a rejection says why."""
        now = self._candidate(key)
        if now.assigned and self.person not in now.assigned:
            raise StorageError(
                f"{key}: {' and '.join(now.assigned)} decide on it, not {self.person}; assign it anew, or settle it "
                "once they differ"
            )
        return self._say("decided", now, decision, reason, {"stage": stage})

    def settle(self, key: str, decision: BuildDecision, reason: str = "") -> BuildEvent:
        """Record what holds of a candidate on which people have differed."""
        now = self._candidate(key)
        if now.outcome != "differ" and not now.settled:
            raise StorageError(f"{key}: nobody differs about it, or not all have decided; there is nothing to settle")
        return self._say("settled", now, decision, reason, {})

    def assign(self, people: Assigned, **options: Any) -> BuildEvent:
        """Record, as one act, who is to decide on which candidates; ``options``: how it was drawn, to be kept."""
        return self._append("assigned", "", {"people": {key: list(names) for key, names in people.items()}, **options})

    def set_quotas(self, quotas: Sequence[Quota]) -> BuildEvent:
        """Record what the benchmark should hold, in place of what was said before."""
        from judges.building.selection import quotas_to_json

        return self._append("quotas", "", quotas_to_json(quotas))

    def set_lengths(self, least: Mapping[str, tuple[int, str]]) -> BuildEvent:
        """Record how long articles should be at least, by language: a count and its unit; others stay as they are."""
        known = {
            language: [count, unit] for language, (count, unit) in (lengths(self.connection) | dict(least)).items()
        }
        return self._append("lengths", "", {"least": known})

    def filter(
        self, rule: Mapping[str, Any], systems: Sequence[str], signatures: Sequence[str], candidates: Mapping[str, str]
    ) -> BuildEvent:
        """Record that candidates (key → article) are put under a difficulty filter."""
        changes = {"rule": dict(rule), "systems": list(systems), "signatures": list(signatures)}
        return self._append("filtered", "", {**changes, "candidates": dict(candidates)})

    def check_off(self, key: str, finding: str, why: str) -> BuildEvent:
        """Record that a check's finding, by its id, is all right, and why."""
        if not why.strip():
            raise StorageError(f"{key}: say why the finding is all right")
        self._candidate(key)
        return self._append("checked_off", key, {"finding": finding, "why": why})

    def spend(self, key: str, seconds: Mapping[Stage, float]) -> BuildEvent:
        """Record the seconds spent on a candidate ("": on none) by stage."""
        return self._append("time", key, {"seconds": {str(stage): spent for stage, spent in seconds.items()}})

    def undo(self) -> BuildEvent | None:
        """Take back this person's latest standing act, wherever it was, and return that act (None: nothing left)."""
        with self._at_once():
            events = list(read_build_events(self.connection, "person = ?", (self.person,)))
            undone = undone_ids(events)
            act = next((e for e in reversed(events) if e.kind in ACTS and e.id not in undone), None)
            if act:
                self._append("undo", act.candidate, {}, act.id)
        return act

    def redo(self) -> BuildEvent | None:
        """Restore the act that was undone last, if no new act came since, and return it."""
        with self._at_once():
            events = list(read_build_events(self.connection, "person = ?", (self.person,)))
            undone, by_id = undone_ids(events), {event.id: event for event in events}
            taken_back = (
                event.target if event.kind == "undo" and event.target in undone else None
                for event in reversed(events)
                if event.kind in ACTS or (event.kind == "undo" and event.target in undone)
            )
            act = by_id.get(next(taken_back, None) or "")
            if act:
                self._append("redo", act.candidate, {}, act.id)
        return act

    def _candidate(self, key: str) -> Candidate:
        found = candidate(self.connection, storable(key), self.person)
        if found is None:
            raise StorageError(f"{key!r:.60}: there is no such candidate; `discox build list` shows those there are")
        return found

    def _put_version(
        self,
        kind: BuildKind,
        article: Article,
        points: Sequence[Point],
        details: Mapping[str, str],
        *,
        note: str = "",
        base: str | None = None,
        file: str = "",
        line: int = 0,
    ) -> BuildEvent:
        from judges.building.points import to_json

        with self._at_once():
            identity, _ = add_article(self.connection, article)
            changes: dict[str, Any] = {"article_id": identity, "points": [to_json(point) for point in points]}
            if kind == "added":
                changes |= {name: getattr(article, name) for name in OF_ARTICLES}
            extra = {"note": note, "base": base, "file": file, "line": line}
            changes |= {**details, **{name: value for name, value in extra.items() if value}}
            return self._append(kind, article.key, changes)

    def _say(
        self, kind: BuildKind, now: Candidate, decision: BuildDecision, reason: str, more: Mapping[str, Any]
    ) -> BuildEvent:
        if decision not in BUILD_DECISIONS:
            raise StorageError(f"{now.key}: {decision!r} is none of {', '.join(BUILD_DECISIONS)}")
        if decision == "reject" and not reason.strip():
            raise StorageError(f"{now.key}: say why it is rejected")
        changes = {"decision": decision, "article_id": now.article_id, **more}
        return self._append(kind, now.key, {**changes, "reason": reason} if reason else changes)

    def _append(self, kind: BuildKind, key: str, changes: dict[str, Any], target: str | None = None) -> BuildEvent:
        with self._at_once():
            changes = _storable(changes)
            event = BuildEvent(os.urandom(16).hex(), self._now(), self.person, kind, key, changes, target)
            row = {name: getattr(event, name) for name in ("id", "at", "person", "kind", "candidate", "target")}
            row["changes"] = json.dumps(changes, ensure_ascii=False, sort_keys=True)
            insert(self.connection, "build_events", [row])
        return event

    def _now(self) -> str:
        # Later than this person's last event, whatever the clock does: the order of the log is its time.
        last = self.connection.execute("SELECT max(at) FROM build_events WHERE person = ?", (self.person,)).fetchone()[
            0
        ]
        now = datetime.now(UTC)
        return utc(max(now, datetime.fromisoformat(last) + timedelta(microseconds=1)) if last else now)

    def _at_once(self) -> transaction | nullcontext[None]:
        return nullcontext() if self.connection.in_transaction else transaction(self.connection)


def _storable(value: Any) -> Any:
    """A value of JSON with every text in it made storable."""
    if isinstance(value, dict):
        return {storable(name): _storable(each) for name, each in value.items()}
    return list(map(_storable, value)) if isinstance(value, list) else storable_all(value)


def rubric_text(points: Sequence[Point]) -> str:
    """Return the rubric that judges read, a line for each point as DiscoX has it.

    Raises StorageError for a point that would not be read back as it is.
    """
    text = "\n".join(f"考点{point.number}：{point.text}" for point in points)
    read = parse_rubric(text)
    for position, point in enumerate(points):
        if not point.text or read[position : position + 1] != (point.as_rubric(),):
            raise StorageError(
                f"point {point.number}: is empty, has a number that another has, or holds what begins a point of its "
                "own; word it otherwise"
            )
    if len(read) > len(points):
        raise StorageError(f"point {points[-1].number}: holds what begins a point of its own; word it otherwise")
    return text


# --- Reading --------------------------------------------------------------------------------------------------


def read_build_events(
    connection: sqlite3.Connection, where: str = "1", values: Sequence[Any] = ()
) -> Iterator[BuildEvent]:
    """Yield events in log order (time, then id), only those that an SQL condition selects. Decisions are not hidden."""
    query = f"SELECT id, at, person, kind, candidate, changes, target FROM build_events WHERE {where} ORDER BY at, id"
    for identity, at, person, kind, key, changes, target in connection.execute(query, values):
        yield BuildEvent(identity, at, person, kind, key, json.loads(changes), target)


def has_candidate(connection: sqlite3.Connection, key: str) -> bool:
    """Whether there is a candidate of this name."""
    query = "SELECT 1 FROM build_events WHERE candidate = ? AND kind = 'added'"
    return connection.execute(query, (key,)).fetchone() is not None


def candidates(connection: sqlite3.Connection, viewer: str) -> list[Candidate]:
    """Return all candidates, in the order they were added, as one person may see them."""
    return [state.seen_by(viewer) for state in _fold(read_build_events(connection)) if state.versions]


def candidate(connection: sqlite3.Connection, key: str, viewer: str) -> Candidate | None:
    """Return one candidate as one person may see it; None: there is none of that name."""
    events = read_build_events(connection, "candidate IN (?, '')", (key,))
    return next((s.seen_by(viewer) for s in _fold(events) if s.key == key and s.versions), None)


def history(connection: sqlite3.Connection, key: str, viewer: str) -> list[BuildEvent]:
    """Return all that happened to one candidate, oldest first, without what one person must not see yet.

    Of what was done to many at once, what is of this one: an ``assigned`` event's ``people`` and a ``filtered`` one's
    ``candidates`` hold this key only.
    """
    events = list(read_build_events(connection, "candidate IN (?, '')", (key,)))
    state = next((state for state in _fold(events) if state.key == key), None)
    hidden = {event.id for event in events if state and state.hides(event, viewer)}
    found = []
    for event in events:
        if event.id in hidden or event.target in hidden:
            continue
        many = event.changes.get("people") or event.changes.get("candidates") or {}
        if event.candidate == key:
            found.append(event)
        elif key in many:
            name = "people" if event.kind == "assigned" else "candidates"
            found.append(replace(event, changes={**event.changes, name: {key: many[key]}}))
    return found


def articles(connection: sqlite3.Connection, chosen: Iterable[Candidate]) -> dict[str, Article]:
    """Return the article of each candidate's version that counts, by key: its text and its rubric.

    Direction, domain and sub-domain are the candidate's.
    """
    return {
        each.key: replace(
            read_article(connection, each.article_id),
            **{name: getattr(each, name) for name in OF_ARTICLES},
        )
        for each in chosen
    }


def filters(connection: sqlite3.Connection) -> list[Filtered]:
    """Return the difficulty filters that were set and stand, oldest first."""
    return [
        Filtered(
            event.id,
            event.at,
            event.person,
            event.changes.get("rule", {}),
            tuple(event.changes.get("systems", ())),
            tuple(event.changes.get("signatures", ())),
            event.changes.get("candidates", {}),
        )
        for event in _standing(connection, "filtered")
    ]


def quotas(connection: sqlite3.Connection) -> tuple[Quota, ...]:
    """Return the quotas that stand; () where there are none."""
    from judges.building.selection import quotas_from_json

    standing = _standing(connection, "quotas")
    return quotas_from_json(standing[-1].changes) if standing else ()


def lengths(connection: sqlite3.Connection) -> dict[str, tuple[int, str]]:
    """Return how long articles should be at least, by language, where that was set: a count and its unit."""
    standing = _standing(connection, "lengths")
    least = standing[-1].changes["least"] if standing else {}
    return {language: (int(count), str(unit)) for language, (count, unit) in least.items()}


def seconds_spent(connection: sqlite3.Connection) -> dict[tuple[Stage, str], float]:
    """Return the seconds that each person spent at each stage, pauses left out."""
    spent: defaultdict[tuple[Stage, str], float] = defaultdict(float)
    for event in read_build_events(connection, "kind = 'time'"):
        for stage in STAGES:
            if seconds := event.changes.get("seconds", {}).get(str(stage)):
                spent[stage, event.person] += float(seconds)
    return dict(spent)


def check_log(connection: sqlite3.Connection) -> None:
    """Raise ValueError where the log holds what nothing can be made of, as one that came from elsewhere may."""
    try:
        found = candidates(connection, "")
        for read in (filters, quotas, lengths, seconds_spent):
            read(connection)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"the building log cannot be read: {' '.join(str(error).split())}") from None
    there = {identity for (identity,) in connection.execute("SELECT id FROM articles")}
    for each in found:
        if missing := {version.article_id for version in each.versions} - there:
            raise ValueError(f"the building log names the article {min(missing)}, which is not there")
        if not all(isinstance(getattr(each, name), str) for name in DETAILS):
            raise ValueError(f"the building log has no text for the details of {each.key}")


def _standing(connection: sqlite3.Connection, kind: BuildKind) -> list[BuildEvent]:
    events = list(read_build_events(connection, "kind IN (?, 'undo', 'redo')", (kind,)))
    undone = undone_ids(events)
    return [event for event in events if event.kind == kind and event.id not in undone]


# --- What follows from the log --------------------------------------------------------------------------------


def _fold(events: Iterable[BuildEvent]) -> Iterable[_State]:
    """Return the state of every candidate that events speak of, which must be in log order."""
    states: dict[str, _State] = {}
    undone: set[str] = set()
    by_id: dict[str, BuildEvent] = {}
    for event in events:
        by_id[event.id] = event
        of = event
        if event.kind in ("undo", "redo"):
            if event.target not in by_id:
                continue
            of = by_id[event.target]
            (undone.add if event.kind == "undo" else undone.discard)(of.id)
        many = {"assigned": "people", "filtered": "candidates"}.get(of.kind)
        for key in of.changes.get(many, {}) if many else (of.candidate,) if of.candidate else ():
            if key not in states:
                states[key] = _State(key, undone)
            states[key].take(event)
    return states.values()


class _State:
    """One candidate, as its events come one after another."""

    def __init__(self, key: str, undone: set[str]) -> None:
        """``undone``: ids of what is undone so far; it is shared, and changes as the log goes on."""
        self.key = key
        self.undone = undone
        self.events: defaultdict[BuildKind, list[BuildEvent]] = defaultdict(list)
        self.versions: list[BuildEvent] = []
        self.shown: set[tuple[str, tuple[str, ...]]] = set()
        """Of which article, among which people, everybody's decisions have been shown to all of them."""
        self.independent: dict[str, Decided] = {}

    def take(self, event: BuildEvent) -> None:
        if event.kind in ("added", "revised"):
            self.versions.append(event)
        self.events[event.kind].append(event)
        if event.kind in ("decided", "assigned", "revised", "undo", "redo") and self.versions:
            assigned, decisions = self.assigned(), self.decisions()
            if len(assigned) > 1 and decisions.keys() >= set(assigned):
                self.shown.add((self.article(), assigned))
                self.independent = self.independent or {name: decisions[name] for name in assigned}

    def standing(self, kind: BuildKind) -> list[BuildEvent]:
        return [event for event in self.events[kind] if event.id not in self.undone]

    def article(self) -> str:
        """The article of the version that counts."""
        standing = (event for event in reversed(self.versions) if event.id not in self.undone)
        return str(next(standing, self.versions[0]).changes["article_id"])

    def assigned(self) -> tuple[str, ...]:
        events = self.standing("assigned")
        return tuple(events[-1].changes["people"][self.key]) if events else ()

    def decisions(self) -> dict[str, Decided]:
        """What each of those who are to decide has decided of the version that counts."""
        article, assigned = self.article(), self.assigned()
        said = {
            event.person: _decided(event)
            for event in self.standing("decided")
            if event.changes.get("article_id") == article and (not assigned or event.person in assigned)
        }
        return {name: decided for name, decided in said.items() if decided.decision != "undecided"}

    def hides(self, event: BuildEvent, viewer: str) -> bool:
        """Whether one person must not see another's decision yet."""
        assigned = self.assigned()
        hidden = len(assigned) > 1 and (str(event.changes.get("article_id")), assigned) not in self.shown
        return event.kind == "decided" and event.person != viewer and hidden

    def seen_by(self, viewer: str) -> Candidate:
        """The candidate as it stands, without what one person must not see yet."""
        article, assigned, decisions = self.article(), self.assigned(), self.decisions()
        details: dict[str, str] = {}
        for event in self.versions:
            if event.id not in self.undone:
                details |= {name: event.changes[name] for name in DETAILS if name in event.changes}
        settled = [e for e in self.standing("settled") if e.changes.get("article_id") == article]
        last = _decided(settled[-1]) if settled else None
        last = None if last and last.decision == "undecided" else last
        waiting = tuple(name for name in assigned if name not in decisions)
        open_to_all = len(assigned) < 2 or (article, assigned) in self.shown
        filtered = [(event.id, event.changes["candidates"][self.key]) for event in self.standing("filtered")]
        return Candidate(
            self.key,
            tuple(self._versions()),
            **details,
            assigned=assigned,
            decisions={name: said for name, said in decisions.items() if open_to_all or name == viewer},
            waiting=waiting,
            independent=self.independent,
            settled=last,
            outcome=_outcome(list(decisions.values()), waiting, last),
            checked_off={
                event.changes["finding"]: CheckedOff(
                    event.changes["finding"], event.person, event.at, event.changes.get("why", "")
                )
                for event in self.standing("checked_off")
            },
            filters=tuple(identity for identity, held in filtered if held == article),
            was_filtered=bool(filtered),
        )

    def _versions(self) -> Iterator[Version]:
        from judges.building.points import from_json

        for number, event in enumerate(self.versions, 1):
            said = event.changes
            yield Version(
                number,
                said["article_id"],
                tuple(from_json(point) for point in said.get("points", ())),
                event.at,
                event.person,
                said.get("note", ""),
                said.get("base"),
                said.get("file", ""),
                said.get("line", 0),
                event.id in self.undone,
            )


def _decided(event: BuildEvent) -> Decided:
    said = event.changes
    return Decided(
        event.person, event.at, said["decision"], said.get("reason", ""), said["article_id"], said.get("stage", 3)
    )


def _outcome(decisions: Sequence[Decided], waiting: Sequence[str], settled: Decided | None) -> Outcome:
    said = {settled.decision} if settled else {each.decision for each in decisions}
    if not said or (waiting and not settled):
        return "undecided"
    if len(said) > 1:
        return "differ"
    return "accepted" if said == {"accept"} else "rejected"
