"""Acts of one person on the log of a benchmark that is being built; what makes no sense is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from judges.model import Article
from storage.base.errors import StorageError
from storage.base.text import storable, storable_all
from storage.benchmark.candidates import (
    BUILD_DECISIONS,
    DETAILS,
    OF_ARTICLES,
    ROLES,
    BuildDecision,
    Candidate,
    Role,
    Stage,
    candidate,
    has_candidate,
)
from storage.benchmark.events import BUILD_EVENTS, BuildEvent, BuildKind
from storage.benchmark.settings import lengths, roles
from storage.db.connection import at_once
from storage.log.writer import LogWriter
from storage.record.library import add_article, read_article

if TYPE_CHECKING:
    from judges.benchmark.rubric.points import Point
    from judges.benchmark.selection.selection import Quota

Assigned: TypeAlias = Mapping[str, Sequence[str]]
"""Candidate → who is to decide on it; nobody: whoever does."""


class BuildLog(LogWriter[BuildEvent]):
    """The acts of one person on the log of one database. Every act is on disk when its method returns.

    Within a transaction of the caller's it is on disk when that is. Every method raises StorageError, in words for
    people, for what cannot be done, and then has written nothing.
    """

    def __init__(self, connection: sqlite3.Connection, person: str) -> None:
        super().__init__(connection, BUILD_EVENTS, person=person)
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
        written: Mapping[str, Any] | None = None,
    ) -> BuildEvent:
        """Record a new candidate, called as its article. ``points``: its rubric's, taken apart.

        ``written``: what a data set that this program wrote says of it (`Version.written`).
        """
        article = storable_all(article)
        if has_candidate(self.connection, article.key):
            raise StorageError(
                f"{article.key!r:.60}: there is such a candidate; revise it, or give this one another name"
            )
        return self._put_version(
            "added", article, points, {"origin": origin, "licence": licence}, file=file, line=line, written=written
        )

    def replace(
        self,
        article: Article,
        points: Sequence[Point],
        *,
        origin: str = "",
        licence: str = "",
        file: str = "",
        line: int = 0,
        written: Mapping[str, Any] | None = None,
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
            "revised",
            replace(article, **given),
            points,
            details,
            base=now.article_id,
            file=file,
            line=line,
            written=written,
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
        from judges.benchmark.rubric.points import rubric_text

        if unknown := details.keys() - set(DETAILS):
            raise StorageError(f"{min(unknown)}: is none of {', '.join(DETAILS)}")
        now = self._candidate(key)
        before = read_article(self.connection, now.article_id)
        points = now.version.points if points is None else tuple(points)
        rubric = tuple(point.as_rubric() for point in points)
        try:
            text = before.rubric_text if rubric == before.rubric else rubric_text(points)
        except ValueError as error:
            raise StorageError(str(error)) from None
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

    def decide(
        self, key: str, decision: BuildDecision, reason: str = "", stage: Stage = 3, without: Sequence[str] = ()
    ) -> BuildEvent:
        """Record what this person decides of the version that counts; a rejection says why.

        ``without``: conditions that it does not meet (`stages.Obstacle.code`); its acceptance then says why, too.
        """
        now = self._candidate(key)
        if now.assigned and self.person not in now.assigned:
            raise StorageError(
                f"{key}: {' and '.join(now.assigned)} decide on it, not {self.person}; assign it anew, or settle it "
                "once they differ"
            )
        return self._say("decided", now, decision, reason, {"stage": stage}, without)

    def settle(self, key: str, decision: BuildDecision, reason: str = "", without: Sequence[str] = ()) -> BuildEvent:
        """Record what holds of a candidate on which people have differed; ``without`` as for `decide`."""
        now = self._candidate(key)
        if now.outcome != "differ" and not now.settled:
            raise StorageError(f"{key}: nobody differs about it, or not all have decided; there is nothing to settle")
        adjudicators = sorted(name for name, of in roles(self.connection).items() if "adjudicator" in of)
        if adjudicators and self.person not in adjudicators:
            raise StorageError(f"{key}: {' or '.join(adjudicators)} settles it, not {self.person}")
        return self._say("settled", now, decision, reason, {}, without)

    def assign(
        self, people: Assigned, *, without: Mapping[str, Sequence[str]] = {}, why: str = "", **options: Any
    ) -> BuildEvent:
        """Record, as one act, who is to decide on which candidates; ``options``: how it was drawn, to be kept.

        ``without``: conditions that candidates do not meet, and ``why`` they are dealt out all the same.
        """
        dealt = {key: list(names) for key, names in people.items()}
        return self._append("assigned", "", {"people": dealt, **options, **self._without(without, why)})

    def write(self, without: Mapping[str, Sequence[str]], why: str) -> BuildEvent:
        """Record that a data set was written with candidates that do not meet conditions, and why."""
        return self._append("written", "", self._without(without, why))

    def set_roles(self, roles: Mapping[str, Sequence[Role]]) -> BuildEvent:
        """Record who is what, in place of what was said before of these people; nothing: they are no more of it."""
        return self._append(
            "people", "", {"roles": {name: [role for role in ROLES if role in of] for name, of in roles.items()}}
        )

    def add_hours(self, of: str, stage: Stage, hours: float, what: str = "") -> BuildEvent:
        """Record what somebody spent on a stage outside of the program; below 0 corrects what was said before."""
        return self._append("hours", "", {"of": of, "stage": stage, "seconds": hours * 3600, "what": what})

    def set_target(self, share: float) -> BuildEvent:
        """Record the share of all candidates that should come in, above 0 and at most 1."""
        return self._append("target", "", {"share": share})

    def set_quotas(self, quotas: Sequence[Quota]) -> BuildEvent:
        """Record what the benchmark should hold, in place of what was said before."""
        from judges.benchmark.selection.selection import quotas_to_json

        return self._append("quotas", "", quotas_to_json(quotas))

    def set_lengths(self, least: Mapping[str, tuple[int, str]]) -> BuildEvent:
        """Record how long articles should be at least, by language: a count and its unit; others stay as they are."""
        known = {
            language: [count, unit] for language, (count, unit) in (lengths(self.connection) | dict(least)).items()
        }
        return self._append("lengths", "", {"least": known})

    def filter(
        self,
        rule: Mapping[str, Any],
        systems: Sequence[str],
        signatures: Sequence[str],
        candidates: Mapping[str, str],
        judge: str = "",
    ) -> BuildEvent:
        """Record that candidates (key → article) are put under a difficulty filter; ``judge``: the model's name."""
        changes = {"rule": dict(rule), "systems": list(systems), "signatures": list(signatures)}
        changes |= {"judge": judge} if judge else {}
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
        with at_once(self.connection):
            done = self._take_back()
        return done[0] if done else None

    def redo(self) -> BuildEvent | None:
        """Restore the act that was undone last, if no new act came since, and return it."""
        with at_once(self.connection):
            done = self._restore()
        return done[0] if done else None

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
        written: Mapping[str, Any] | None = None,
    ) -> BuildEvent:
        from judges.benchmark.rubric.points import to_json

        with at_once(self.connection):
            identity, _ = add_article(self.connection, article)
            changes: dict[str, Any] = {"article_id": identity, "points": [to_json(point) for point in points]}
            if kind == "added":
                changes |= {name: getattr(article, name) for name in OF_ARTICLES}
            extra = {"note": note, "base": base, "file": file, "line": line, "written": dict(written or {})}
            changes |= {**details, **{name: value for name, value in extra.items() if value}}
            return self._append(kind, article.key, changes)

    def _without(self, without: Mapping[str, Sequence[str]], why: str) -> dict[str, Any]:
        """Return what is kept of conditions that candidates do not meet. Raises StorageError where nobody says why."""
        if not without:
            return {}
        if not why.strip():
            raise StorageError(f"{min(without)}: say why it goes on without {', '.join(without[min(without)])}")
        of = {key: self._candidate(key).article_id for key in without}
        return {"without": {key: list(codes) for key, codes in without.items()}, "articles": of, "why": why}

    def _say(
        self,
        kind: BuildKind,
        now: Candidate,
        decision: BuildDecision,
        reason: str,
        more: Mapping[str, Any],
        without: Sequence[str],
    ) -> BuildEvent:
        if decision not in BUILD_DECISIONS:
            raise StorageError(f"{now.key}: {decision!r} is none of {', '.join(BUILD_DECISIONS)}")
        if decision == "reject" and not reason.strip():
            raise StorageError(f"{now.key}: say why it is rejected")
        if without and decision == "accept" and not reason.strip():
            raise StorageError(f"{now.key}: say why it is accepted without {', '.join(without)}")
        changes = {"decision": decision, "article_id": now.article_id, **more}
        changes |= {"without": list(without)} if without and decision == "accept" else {}
        return self._append(kind, now.key, {**changes, "reason": reason} if reason else changes)

    def _append(self, kind: BuildKind, key: str, changes: dict[str, Any]) -> BuildEvent:
        with at_once(self.connection):
            return self._add(BuildEvent(**self._stamp(), kind=kind, candidate=key, changes=_storable(changes)))


def _storable(value: Any) -> Any:
    """A value of JSON with every text in it made storable."""
    if isinstance(value, dict):
        return {storable(name): _storable(each) for name, each in value.items()}
    return list(map(_storable, value)) if isinstance(value, list) else storable_all(value)
