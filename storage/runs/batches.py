"""Batches that a provider works off in its own time: noted before they are sent, so that none is paid for twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from judges.providers.model import Attempt, Form, Request
from storage.base.text import storable, utc
from storage.db.connection import insert
from storage.runs.calls import Texts, add_call, add_request, form_text, read_form, read_request

State = Literal["submitting", "submitted", "collected", "lost"]
"""``submitting``: about to be sent, perhaps sent: look for its token before sending it again. ``lost``: nothing of it
will come; its requests may be asked again."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that may still bring answers. ``remote``: the provider's name for it, None while ``submitting``."""

    id: int
    run_id: int
    token: str
    at: str
    state: State
    remote: str | None
    requests: int


def begin(connection: sqlite3.Connection, run_id: int, token: str, requests: Iterable[tuple[Request, Form]]) -> int:
    """Note a batch that is about to be sent; return its id. Call inside a transaction, committed before it is sent.

    ``token``: a text of its own, sent with it, by which it can be found again at the provider.
    """
    batch: dict[str, object] = {
        "run_id": run_id,
        "token": token,
        "at": utc(datetime.now(UTC), "seconds"),
        "state": "submitting",
        "reason": "",
    }
    insert(connection, "batches", [batch])
    batch_id = int(connection.execute("SELECT last_insert_rowid()").fetchone()[0])
    texts = Texts()
    for request, form in requests:
        identity = add_request(connection, request, texts)
        row: dict[str, object] = {"batch_id": batch_id, "request_id": identity, "form": form_text(form)}
        insert(connection, "batch_requests", [row])
    return batch_id


def submitted(connection: sqlite3.Connection, batch_id: int, remote: str) -> None:
    """Note that the provider has the batch, and its name there. Call inside a transaction."""
    connection.execute("UPDATE batches SET state = 'submitted', remote = ? WHERE id = ?", (remote, batch_id))


def collected(connection: sqlite3.Connection, batch_id: int, run_id: int, attempts: Sequence[Attempt]) -> None:
    """Store what a batch brought, as calls of the run that collects it, and close it. Call inside a transaction.

    A batch that is closed already is left as it is: its calls are not counted twice.
    """
    if _close(connection, batch_id, "collected", ""):
        texts = Texts()
        for attempt in attempts:
            add_call(connection, run_id, attempt, batch_id, texts)


def lost(connection: sqlite3.Connection, batch_id: int, reason: str) -> None:
    """Note that nothing will come of a batch, and why. Call inside a transaction."""
    _close(connection, batch_id, "lost", reason)


def _close(connection: sqlite3.Connection, batch_id: int, state: State, reason: str) -> bool:
    return bool(
        connection.execute(
            "UPDATE batches SET state = ?, reason = ? WHERE id = ? AND state IN ('submitting', 'submitted')",
            (state, storable(reason), batch_id),
        ).rowcount
    )


def open_batches(connection: sqlite3.Connection, provider: str, server: str, model: str) -> list[Batch]:
    """Return the batches of a model that are neither collected nor lost, oldest first."""
    rows = connection.execute(
        "SELECT b.id, b.run_id, b.token, b.at, b.state, b.remote, "
        "(SELECT count(*) FROM batch_requests q WHERE q.batch_id = b.id) "
        "FROM batches b JOIN runs r ON r.id = b.run_id WHERE b.state IN ('submitting', 'submitted') "
        "AND r.provider = ? AND r.server = ? AND r.model = ? ORDER BY b.id",
        (provider, server, model),
    )
    return [Batch(*row) for row in rows]


def requests_of(connection: sqlite3.Connection, batch_id: int) -> dict[str, tuple[Request, Form]]:
    """Return a batch's requests by their ids, with the forms they were sent in. What texts they share is held once."""
    rows = connection.execute("SELECT request_id, form FROM batch_requests WHERE batch_id = ?", (batch_id,)).fetchall()
    texts: dict[str, str] = {}
    return {identity: (read_request(connection, identity, texts), read_form(form)) for identity, form in rows}


def is_waiting(connection: sqlite3.Connection, request_id: str) -> bool:
    """Say whether the request is in a batch that may still bring its answer."""
    return bool(
        connection.execute(
            "SELECT EXISTS (SELECT 1 FROM batch_requests q JOIN batches b ON b.id = q.batch_id "
            "WHERE q.request_id = ? AND b.state IN ('submitting', 'submitted'))",
            (request_id,),
        ).fetchone()[0]
    )
