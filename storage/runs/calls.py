"""Calls: each HTTP attempt is a row that is on disk before anyone goes on; many in flight share one commit."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from judges.providers.model import Attempt, Form, Parameters, Request, Tokens
from storage.base.errors import StorageError
from storage.base.identity import text_id
from storage.base.text import storable, utc
from storage.db.connection import insert, open_database, transaction
from storage.db.library_file import FileId
from storage.db.sqlite_errors import explain

Result = TypeVar("Result")

PATIENCE = 120.0
"""Seconds to wait for another program's transaction: what is to be written was paid for."""


# Rows


@lru_cache(maxsize=64)
def form_text(form: Form) -> str:
    """Return a form as the database holds it: JSON."""
    return json.dumps(asdict(form) | {"dropped": sorted(form.dropped)}, sort_keys=True)


@lru_cache(maxsize=64)
def read_form(text: str) -> Form:
    """Return the form that ``form_text`` wrote."""
    fields = json.loads(text)
    return Form(**fields | {"dropped": frozenset(fields["dropped"])})


class Texts:
    """Texts by their ids: the documents of one translation come five times, and are hashed once.

    ``room``: how many characters of texts are held on to.
    """

    def __init__(self, room: int = 2_000_000) -> None:
        self.room = room
        self.ids: OrderedDict[str, str] = OrderedDict()

    def id(self, text: str) -> str:
        """The identity of a text, as it is stored."""
        known = self.ids.get(text)
        if known is None:
            known = self.ids[text] = text_id(storable(text))
            self.room -= len(text)
            while self.room < 0:
                self.room += len(self.ids.popitem(last=False)[0])
        else:
            self.ids.move_to_end(text)
        return known


def add_request(connection: sqlite3.Connection, request: Request, texts: Texts | None = None) -> str:
    """Store a request with its texts, each once; return its id. Call inside a transaction."""
    identity = request.id
    if connection.execute("SELECT 1 FROM requests WHERE id = ?", (identity,)).fetchone():
        return identity
    texts = texts or Texts()
    schema = None if request.schema is None else json.dumps(request.schema, ensure_ascii=False)
    parts = (request.system, request.documents, request.task, schema)
    ids = tuple(None if part is None else texts.id(part) for part in parts)
    rows = [{"id": key, "text": storable(part)} for key, part in zip(ids, parts, strict=True) if part is not None]
    insert(connection, "texts", rows, or_ignore=True)
    system, documents, task, schema_text = ids
    row: dict[str, object] = {
        "id": identity,
        "step": request.step,
        "provider": request.provider,
        "server": request.server,
        "model": request.model,
        "system_text": system,
        "documents_text": documents,
        "task_text": task,
        "schema_text": schema_text,
        "parameters": json.dumps(request.parameters.given(), sort_keys=True),
        "sample": request.sample,
    }
    insert(connection, "requests", [row])
    return identity


def read_request(connection: sqlite3.Connection, identity: str, texts: dict[str, str] | None = None) -> Request:
    """Return a stored request whole. ``texts``: those read already, by id. Raises StorageError if it is not there."""
    row = connection.execute(
        "SELECT step, provider, server, model, parameters, sample, system_text, documents_text, task_text, schema_text "
        "FROM requests WHERE id = ?",
        (identity,),
    ).fetchone()
    if row is None:
        raise StorageError(f"no request has the id {identity!r:.60}")
    step, provider, server, model, parameters, sample, *ids = row
    texts = {} if texts is None else texts
    for key in ids:
        if key is not None and key not in texts:
            texts[key] = connection.execute("SELECT text FROM texts WHERE id = ?", (key,)).fetchone()[0]
    system, documents, task, schema = (key and texts[key] for key in ids)
    given = Parameters.of(json.loads(parameters))
    shape = None if schema is None else json.loads(schema)
    request = Request(
        step=step,
        provider=provider,
        server=server,
        model=model,
        system=system,
        documents=documents,
        task=task,
        schema=shape,
        parameters=given,
        sample=sample,
    )
    vars(request)["id"] = identity  # what was stored in place of a lone surrogate would change it
    return request


def add_call(
    connection: sqlite3.Connection,
    run_id: int,
    attempt: Attempt,
    batch_id: int | None = None,
    texts: Texts | None = None,
) -> None:
    """Store one attempt, and its request if it is new. Call inside a transaction."""
    tokens = attempt.tokens
    row: dict[str, object] = {
        "run_id": run_id,
        "request_id": add_request(connection, attempt.request, texts),
        "batch_id": batch_id,
        "at": utc(datetime.fromtimestamp(attempt.started, UTC)),
        "seconds": attempt.seconds,
        "outcome": attempt.outcome,
        "status": attempt.status,
        "model": storable(attempt.model),
        "finish": storable(attempt.finish),
        "form": form_text(attempt.form),
        "input_tokens": tokens.input,
        "cached_tokens": tokens.cached,
        "output_tokens": tokens.output,
        "thinking_tokens": tokens.thinking,
        "read_by": attempt.read_by,
        "answer": storable(attempt.answer),
        "error": storable(attempt.error),
        "cost": attempt.cost,
    }
    insert(connection, "calls", [row])


def recorded(connection: sqlite3.Connection, request: Request) -> list[Attempt]:
    """Return all attempts at a request, in every run, oldest first. Its texts are not read."""
    rows = connection.execute(
        "SELECT form, outcome, at, seconds, status, answer, model, finish, error, read_by, cost, input_tokens, "
        "cached_tokens, output_tokens, thinking_tokens FROM calls WHERE request_id = ? ORDER BY id",
        (request.id,),
    )
    return [
        Attempt(
            request=request,
            form=read_form(form),
            outcome=outcome,
            started=datetime.fromisoformat(at).timestamp(),
            seconds=seconds,
            status=status,
            answer=answer,
            model=model,
            finish=finish,
            tokens=Tokens(*tokens),
            error=error,
            retry_after=None,
            read_by=read_by,
            cost=cost,
        )
        for form, outcome, at, seconds, status, answer, model, finish, error, read_by, cost, *tokens in rows
    ]


def last_form(connection: sqlite3.Connection, provider: str, server: str, model: str) -> Form | None:
    """Return the form in which the model last answered, or None if it never did.

    Without ``max_tokens``: more room was one request's need, not what the server takes.
    """
    row = connection.execute(
        "SELECT (SELECT c.form FROM calls c JOIN requests q ON q.id = c.request_id WHERE c.run_id = runs.id "
        "AND c.outcome = 'ok' AND q.model = :model ORDER BY c.id DESC LIMIT 1) AS form FROM runs "
        "WHERE provider = :provider AND server = :server AND (model = :model OR options ->> 'dedup_model' = :model) "
        "AND form IS NOT NULL ORDER BY id DESC LIMIT 1",
        {"provider": provider, "server": server, "model": model},
    ).fetchone()
    return replace(read_form(row[0]), max_tokens=None) if row else None


# The journal


class _Job(NamedTuple):
    """Something to do inside the next transaction, and who waits for it."""

    work: Callable[[sqlite3.Connection], Any]
    done: asyncio.Future[Any]


_Outcome = tuple[Any, BaseException | None]


def _tell(ended: Sequence[tuple[asyncio.Future[Any], _Outcome]]) -> None:
    """Let those who still wait for their jobs go on."""
    for done, (result, problem) in ended:
        if done.done():
            continue
        if problem is None:
            done.set_result(result)
        else:
            done.set_exception(problem)


_UNUSABLE = frozenset(
    (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_NOMEM,
    )
)
"""SQLite's codes for a file that nothing can be written to now, whatever the statement."""


class Journal:
    """Writer of a run's rows, one thread with one connection: whatever waits goes into one transaction.

    A run of hundreds of calls in flight so costs a few commits a second, each forced to disk. Reading is done on the
    connection of the caller's thread, and sees all that was committed.
    """

    def __init__(self, path: Path, run_id: int, same_as: FileId | None = None) -> None:
        """Open the library at ``path``, which must be there, for the run ``run_id``. Raises StorageError.

        ``same_as``: which file it must be.
        """
        self.run_id = run_id
        self._path = path
        self._texts = Texts()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._closed = False
        self._reading = open_database(path, create=False, same_as=same_as)
        self._writing = open_database(path, create=False, same_as=same_as)
        self._writing.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")
        for connection in (self._reading, self._writing):
            # No file is imported here, and a long run is to stay as small as a short one.
            connection.execute("PRAGMA cache_size = -2000")
        self._thread = Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def recorded(self, request: Request) -> list[Attempt]:
        """Return all attempts at a request that are on disk, oldest first."""
        return recorded(self._reading, request)

    def form(self, provider: str, server: str, model: str) -> Form | None:
        """Return the form in which the model last answered, or None."""
        return last_form(self._reading, provider, server, model)

    async def record(self, attempt: Attempt) -> None:
        """Store an attempt; it is on disk when this returns. Raises StorageError where it can't be."""
        await self.write(lambda connection: add_call(connection, self.run_id, attempt, texts=self._texts))

    async def write(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do some work inside a transaction; it is on disk when this returns its result.

        What ``work`` raises undoes what it did, and only that, and is raised here. Raises StorageError where the file
        can't be written; then nothing of it was. To give up waiting does not take the work back.
        """
        if self._closed:
            raise StorageError("the run is over; nothing more can be recorded")
        job = _Job(work, asyncio.get_running_loop().create_future())
        self._jobs.put(job)
        result: Result = await job.done
        return result

    def close(self) -> None:
        """Write all that still waits, and close the file."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            self._thread.join()
            self._reading.close()

    def _run(self) -> None:
        with closing(self._writing):
            going = True
            while going:
                waiting = [self._jobs.get()]
                with suppress(Empty):
                    while True:
                        waiting.append(self._jobs.get_nowait())
                going = None not in waiting
                self._commit([job for job in waiting if job])

    def _commit(self, jobs: Sequence[_Job]) -> None:
        outcomes: list[_Outcome] = []
        try:
            if jobs:
                with transaction(self._writing):
                    outcomes.extend(self._do(job.work) for job in jobs)
        except BaseException as error:  # whatever it is, nobody may be left waiting for it
            outcomes = [(None, self._said(error)) for _ in jobs]
        for loop in {job.done.get_loop() for job in jobs}:  # each is woken once, not for every job
            ended = [(job.done, outcome) for job, outcome in zip(jobs, outcomes, strict=True)]
            with suppress(RuntimeError):  # closed by now: nobody waits there
                loop.call_soon_threadsafe(_tell, [each for each in ended if each[0].get_loop() is loop])

    def _do(self, work: Callable[[sqlite3.Connection], Any]) -> _Outcome:
        """Do one job, or none of it. Raises what spoils the whole transaction."""
        self._writing.execute("SAVEPOINT job")
        outcome: _Outcome
        try:
            outcome = work(self._writing), None
        except Exception as error:
            code = getattr(error, "sqlite_errorcode", None) or 0
            if code & 0xFF in _UNUSABLE or not self._writing.in_transaction:
                raise
            self._writing.execute("ROLLBACK TO job")
            outcome = None, error
        self._writing.execute("RELEASE job")
        return outcome

    def _said(self, error: BaseException) -> BaseException:
        return StorageError(explain(error, self._path)) if isinstance(error, sqlite3.Error) else error
