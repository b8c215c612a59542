"""Drafts: text typed into a dialog, kept until it is stored, and offered again if the program ended before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from discox_tui.sessions.library import LibrarySession
from storage.base.errors import StorageError

KEEP_AFTER = 0.3
"""Seconds after which what was typed is written: killed at once, the program loses no more."""
BUSY_MS = 50
"""Milliseconds that typing waits for another program's transaction. A draft not written then is written later."""

Fields = dict[str, str]
"""The text of each field of a dialog, by the field's id; an only field has the id ""."""


class Draft(NamedTuple):
    """The purpose of a text: an evaluation or a candidate, the part of it, and the dialog's title."""

    about: str
    what: str
    title: str

    @property
    def key(self) -> str:
        """The name under which the app remembers it."""
        return f"draft {self.about} {self.what}"


class Drafts:
    """The drafts of one reviewer."""

    def __init__(
        self,
        session: LibrarySession,
        later: Callable[[float, Callable[[], None]], object],
        begun: Callable[[], None],
    ) -> None:
        """``later``: calls a function after so many seconds; ``begun``: notes where a draft was begun."""
        self._session, self._later, self._begun = session, later, begun
        self._unwritten: dict[str, dict[str, Any]] = {}
        self._written: set[str] = set()
        self._waiting = False
        self._offered: set[str] = set()

    def fields(self, draft: Draft) -> Fields:
        """Return the fields typed before and not stored; empty if there are none."""
        if unwritten := self._unwritten.get(draft.key):
            return dict(unwritten["fields"])
        with suppress(sqlite3.Error, StorageError):
            if kept := self._session.recall(draft.key):
                self._written.add(draft.key)
                return dict(kept["fields"])
        return {}

    def keep(self, draft: Draft, fields: Fields) -> None:
        """Keep what stands in the fields now."""
        self._unwritten[draft.key] = {"title": draft.title, "fields": fields}
        if not self._waiting:
            self._waiting = True
            self._later(KEEP_AFTER, self._write)

    def drop(self, draft: Draft | None) -> None:
        """Keep nothing any more: it was stored, or given up."""
        if draft is not None:
            self._unwritten.pop(draft.key, None)
            if draft.key in self._written:
                with suppress(sqlite3.Error, StorageError):
                    self._session.forget(draft.key)
                    self._written.discard(draft.key)

    def flush(self) -> None:
        """Write what was not written yet; never raises, as the program may be ending of anything."""
        with suppress(Exception):
            for key in list(self._unwritten):
                self._session.remember(key, self._unwritten[key])
                del self._unwritten[key]
                if key not in self._written:
                    self._written.add(key)
                    self._begun()

    def _write(self) -> None:
        self._waiting = False
        connection = self._session.connection
        with suppress(sqlite3.Error):
            patience = connection.execute("PRAGMA busy_timeout").fetchone()[0]
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            self.flush()
            connection.execute(f"PRAGMA busy_timeout = {int(patience)}")
        if self._unwritten:
            self._waiting = True
            self._later(KEEP_AFTER, self._write)

    def offer(self, about: str) -> str:
        """Return a message, once, about the draft on an evaluation or a candidate; "" if there is none."""
        if about in self._offered:
            return ""
        self._offered.add(about)
        with suppress(sqlite3.Error, StorageError):
            for kept in self._session.recall_all(f"draft {about} "):
                text = " ".join(" ".join(kept["fields"].values()).split())
                excerpt = text if len(text) <= 40 else f"{text[:39]}…"
                return f"{kept['title']}: your draft is kept (“{excerpt}”). Open it again to go on."
        return ""
