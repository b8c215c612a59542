"""One person at one library, with no evaluation open: what is hidden from them, their queue, what the app keeps.

A start needs no more than this, so nothing of how evaluations are scored and folded is imported here.
"""

from __future__ import annotations

from typing import Any

from storage.db import app_state
from storage.db.connection import Connection, data_version
from storage.reviews.blinding import Blinding, blinding_of, choose_blinding, hides
from storage.reviews.queue import Queue


class Refused(Exception):
    """An act that makes no sense for what it is of; the message says why and what to do instead."""


class Overtaken(Refused):
    """An act on something that the same reviewer has decided meanwhile in another window, which they had not seen."""


class LibrarySession:
    """One person at one library. ``reviewer``: their name; ``blinding``: what is hidden from them of what is new."""

    def __init__(
        self,
        connection: Connection,
        reviewer: str,
        blinding: Blinding | None = None,
        before: LibrarySession | None = None,
    ) -> None:
        """``blinding``: as they chose, if it is not given. ``before``: the session that this one goes on from.

        Its queue and what it knows of other programs are taken over, so nothing is read of a library that may be lost.
        """
        self.connection = connection
        self.reviewer = reviewer
        self.blinding: Blinding = blinding or blinding_of(connection, reviewer)
        self.queue: Queue = before.queue if before else Queue(connection, reviewer, blinding=self.blinding)
        self._version: int = before._version if before else data_version(connection)

    def changed_elsewhere(self) -> bool:
        """Return whether another program has written to the file since this was asked last."""
        before, self._version = self._version, data_version(self.connection)
        return self._version != before

    @property
    def position(self) -> int | None:
        """Return where the open evaluation stands in the queue, None if it is not in it or none is open."""
        return None

    def hide(self, blinding: Blinding) -> None:
        """Choose what is hidden of what is opened from now on, and keep the choice for this reviewer."""
        choose_blinding(self.connection, self.reviewer, blinding)
        self.blinding = blinding

    def refuse_hidden(self) -> None:
        """Raise Refused, with the reason, as long as anything is hidden that sums over all evaluations would show."""
        if hides(self.connection, self.reviewer):
            mend = "turn hiding off (h)" if self.blinding != "open" else "reveal first (R) what you are to review blind"
            raise Refused(f"Not while anything is hidden from you: this would show it; {mend}")

    # --- where the reviewer was ---

    def remember(self, key: str, value: Any) -> None:
        """Keep a small JSON-able value for this reviewer, such as the place where they stopped."""
        app_state.remember(self.connection, self.reviewer, key, value)

    def recall(self, key: str) -> Any:
        """Return what ``remember`` kept, or None."""
        return app_state.recall(self.connection, self.reviewer, key)

    def recall_all(self, beginning: str) -> list[Any]:
        """Return what ``remember`` kept under keys that begin so."""
        return app_state.recall_all(self.connection, self.reviewer, beginning)

    def forget(self, key: str) -> None:
        """Keep nothing under a key any more."""
        app_state.forget(self.connection, self.reviewer, key)
