"""The candidates of a benchmark that is being built, as one person may see them: folded from its log when asked for.

There is no other truth: versions, assignments and decisions are what the log's events come to. A version's text is a
row of ``articles``, so systems translate it and judges judge it as any other, and a revised candidate is another
article.

Two people who are to decide on the same candidate do so independently: until both have, neither's decision leaves this
module but to the one who made it.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from judges.model import Article
from storage.benchmark.events import BuildEvent, BuildKind, read_build_events
from storage.log.events import Place, readable
from storage.record.library import read_article

if TYPE_CHECKING:
    from judges.benchmark.rubric.points import Point

BuildDecision = Literal["accept", "reject", "undecided"]
"""``undecided`` takes an earlier decision back."""
BUILD_DECISIONS: tuple[BuildDecision, ...] = get_args(BuildDecision)

Outcome = Literal["accepted", "rejected", "differ", "undecided"]
"""The result of the decisions; ``differ``: all have decided, not alike, and nobody has settled it."""

Stage = Literal[1, 2, 3]
"""Intake, difficulty filter, selection."""
STAGES: tuple[Stage, ...] = get_args(Stage)

Step = Literal["filter", "assign", "accept", "write"]
"""A step that a candidate takes: under the filter, to those who decide, into the benchmark, into its files."""
STEPS: tuple[Step, ...] = get_args(Step)

Role = Literal["author", "reviewer", "adjudicator"]
"""``author``: brings candidates in and writes their points. ``reviewer``: decides on them. ``adjudicator``: settles
where reviewers differ."""
ROLES: tuple[Role, ...] = get_args(Role)

OF_ARTICLES = ("direction", "domain", "subdomain")
DETAILS = (*OF_ARTICLES, "origin", "licence")
"""The details of a candidate beside its text and points; they may change without another version of the text."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a candidate. ``article_id`` names the row of ``articles`` that holds its text and rubric.

    ``number`` counts from 1 and stays what it is; ``base`` is the article that it was made from, None for one that came
    from a file. ``undone``: it was taken back, and is kept. ``written``: what a data set of this program's
    says of it: its number (``prompt_id``), version, and what the filter came to.
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
    written: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision of one person on one version. ``stage``: where it was made; ``reason`` of a rejection.

    ``without``: the conditions that it was accepted without (`stages.Obstacle.code`); ``reason`` then says why.
    """

    person: str
    at: str
    decision: BuildDecision
    reason: str
    article_id: str
    stage: Stage = 3
    without: tuple[str, ...] = ()
    place: Place = field(default=(0, "", ""), compare=False)
    """The place in the log."""


@dataclass(frozen=True, slots=True)
class CheckedOff:
    """A check's finding, by its id, that a person calls all right, and why."""

    finding: str
    person: str
    at: str
    why: str


@dataclass(frozen=True, slots=True)
class Exemption:
    """A step that a version took ``without`` conditions that keep others out, and ``why``, as a person said."""

    step: Step
    without: tuple[str, ...]
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
    ``was_filtered``: one holds this or an earlier one. ``exemptions``: steps that this version took without a
    condition, of decisions those that this person may see.
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
    exemptions: tuple[Exemption, ...] = ()

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
        """Return whether several people are to decide on it independently."""
        return len(self.assigned) > 1

    @property
    def stage(self) -> Stage:
        """Return its stage, as far as the log alone says: 3 once it is assigned, 2 once it was under a filter.

        Whether a filter let it through is known from evaluations.
        """
        return 3 if self.assigned else 2 if self.was_filtered else 1


def has_candidate(connection: sqlite3.Connection, key: str) -> bool:
    """Return whether there is a candidate of this name."""
    query = f"SELECT 1 FROM build_events WHERE candidate = ? AND kind = 'added' AND {readable('build_events')}"
    return connection.execute(query, (key,)).fetchone() is not None


def candidates(connection: sqlite3.Connection, viewer: str) -> list[Candidate]:
    """Return all candidates, in the order they were added, as one person may see them."""
    return [state.seen_by(viewer) for state in _fold(read_build_events(connection)) if state.versions]


def candidate(connection: sqlite3.Connection, key: str, viewer: str) -> Candidate | None:
    """Return one candidate as one person may see it; None: there is none of that name."""
    events = read_build_events(connection, "candidate IN (?, '')", (key,))
    return next((s.seen_by(viewer) for s in _fold(events) if s.key == key and s.versions), None)


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
        many = {"assigned": "people", "filtered": "candidates", "written": "articles"}.get(of.kind)
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
        """Articles, each with the people to all of whom everybody's decisions have been shown."""
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
        """Return what each of those who are to decide has decided of the version that counts."""
        article, assigned = self.article(), self.assigned()
        said = {
            event.person: _decided(event)
            for event in self.standing("decided")
            if event.changes.get("article_id") == article and (not assigned or event.person in assigned)
        }
        return {name: decided for name, decided in said.items() if decided.decision != "undecided"}

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
        seen = {name: said for name, said in decisions.items() if open_to_all or name == viewer}
        filtered = [(event.id, event.changes["candidates"][self.key]) for event in self.standing("filtered")]
        return Candidate(
            self.key,
            tuple(self._versions()),
            **details,
            assigned=assigned,
            decisions=seen,
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
            exemptions=tuple(self._exemptions(article, [*seen.values(), *filter(None, [last])])),
        )

    def _exemptions(self, article: str, said: Iterable[Decided]) -> Iterator[Exemption]:
        """Yield what this version was let through without: when it was dealt out, accepted, written."""
        for kind, step in _EXEMPT.items():
            for event in self.standing(kind)[-1 if kind == "assigned" else 0 :]:
                without = event.changes.get("without", {}).get(self.key, ())
                if without and event.changes.get("articles", {}).get(self.key) == article:
                    yield Exemption(step, tuple(without), event.person, event.at, event.changes.get("why", ""))
        for each in said:
            if each.without and each.decision == "accept":
                yield Exemption("accept", each.without, each.person, each.at, each.reason)

    def _versions(self) -> Iterator[Version]:
        from judges.benchmark.rubric.points import from_json

        for number, event in enumerate(self.versions, 1):
            said = event.changes
            yield Version(
                number=number,
                article_id=said["article_id"],
                points=tuple(from_json(point) for point in said.get("points", ())),
                at=event.at,
                person=event.person,
                note=said.get("note", ""),
                base=said.get("base"),
                file=said.get("file", ""),
                line=said.get("line", 0),
                undone=event.id in self.undone,
                written=said.get("written", {}),
            )


def _decided(event: BuildEvent) -> Decided:
    said = event.changes
    return Decided(
        *(event.person, event.at, said["decision"], said.get("reason", ""), said["article_id"], said.get("stage", 3)),
        tuple(said.get("without", ())),
        event.place,
    )


def _outcome(decisions: Sequence[Decided], waiting: Sequence[str], settled: Decided | None) -> Outcome:
    said = {settled.decision} if settled else {each.decision for each in decisions}
    if not said or (waiting and not settled):
        return "undecided"
    if len(said) > 1:
        return "differ"
    return "accepted" if said == {"accept"} else "rejected"


_EXEMPT: Mapping[BuildKind, Step] = {"assigned": "assign", "written": "write"}
"""Acts on many candidates that may be exempted from a condition."""
