"""Batches: many requests handed in at once, answered within a day, at half the price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from judges.providers.errors import one_line, parsed
from judges.providers.model import TRANSIENT, Attempt, Fatal, Form, NotAnswered, Outcome, Request, Unreachable

Asked = tuple[Request, Form]
"""A request and how it was put."""

PATIENCE = 600.0
"""Seconds for one exchange about a batch: a file of some 100 MB goes up or down within it."""
NOT_THERE = "it is not there for this key; --batch-forget gives it up"


@dataclass(frozen=True, slots=True)
class BatchState:
    """State of a batch.

    ``running``: ask again later. ``done``: ``attempts`` holds all that came, in any order; a request without one was
    not answered and can be handed in again. ``lost``: nothing came and nothing will, for the ``reason``.
    ``answered``, ``failed``, ``total``: requests by the server's count, 0 where it gives none.
    """

    state: Literal["running", "done", "lost"]
    answered: int = 0
    failed: int = 0
    total: int = 0
    attempts: Sequence[Attempt] = ()
    reason: str = ""


class UnknownBatch(Fatal):
    """Error: no batch of that name for this key. It may be there for the key that handed it in."""


class Batches(Protocol):
    """A provider's batch API. Adding one is one module with such a class.

    Every method raises Fatal where trying again is in vain (the key, the quota, what was sent) and Unreachable where
    it may go better; both say why in one line, without the key.
    """

    @property
    def name(self) -> str:
        """The name that ``--provider`` takes."""

    @property
    def server(self) -> str:
        """The address it asks, without credentials."""

    @property
    def most_requests(self) -> int:
        """Return how many requests one batch may hold."""

    @property
    def most_bytes(self) -> int:
        """Return how many bytes the lines of one batch may hold."""

    def line(self, request: Request, form: Form) -> bytes:
        """Return the line of the batch's file that asks a request, with its line end."""

    async def submit(self, requests: Sequence[Asked], token: str) -> str:
        """Hand in requests, all of one model, and return the server's name for the batch.

        ``token`` is kept with it, so that ``find`` knows a batch whose name was lost on the way. What it raises says
        by ``nothing_done`` that no batch came to be; else one may have.
        """

    async def find(self, token: str) -> str | None:
        """Return the server's name for the batch that was handed in with a token, None if there is none."""

    async def collect(self, remote: str, requests: Mapping[str, Asked]) -> BatchState:
        """Return how a batch stands, with an attempt for every answer to one of ``requests`` (by ``Request.id``).

        An attempt begins when the batch was made and takes until it ended. Raises UnknownBatch.
        """

    async def close(self) -> None:
        """Give up its connections."""


def portions(batches: Batches, requests: Iterable[Asked]) -> Iterator[list[Asked]]:
    """Yield requests in portions that one batch each can hold, in order."""
    portion: list[Asked] = []
    size = 0
    for request, form in requests:
        length = len(batches.line(request, form))
        if portion and (len(portion) == batches.most_requests or size + length > batches.most_bytes):
            yield portion
            portion, size = [], 0
        portion.append((request, form))
        size += length
    if portion:
        yield portion


def file_of(batches: Batches, requests: Sequence[Asked]) -> bytes:
    """Return the file of a batch. Raises ValueError where there is nothing to ask, or more than one model."""
    if len({request.model for request, _ in requests}) != 1:
        raise ValueError("a batch asks one model")
    return b"".join(batches.line(request, form) for request, form in requests)


def results(text: str, name: str, requests: Mapping[str, Asked]) -> Iterator[tuple[Asked, dict[str, Any]]]:
    """Yield the lines of a results file with what they answer, each request once.

    ``name``: the field that names the request. A line of another batch, or one that breaks off, is passed over.
    """
    seen: set[str] = set()
    for line in text.split("\n"):
        data = parsed(line)
        if isinstance(data, dict) and isinstance(id := data.get(name), str) and id not in seen and id in requests:
            seen.add(id)
            yield requests[id], data


def trouble(
    doing: str, outcome: Outcome, message: str, secrets: tuple[str, ...], *, nothing_done: bool = False
) -> NotAnswered:
    """Return what to raise when an exchange about a batch failed. ``doing``: what was tried."""
    line = one_line(f"{doing}: {message}", *secrets)
    problem = Unreachable(line) if outcome in TRANSIENT else Fatal(line)
    problem.nothing_done = nothing_done
    return problem


def refused_for_certain(status: int) -> bool:
    """Say whether a server that answers with this HTTP status did nothing of what it was asked.

    Of one that is late, in conflict or broken nobody knows.
    """
    return (300 <= status < 500 and status not in (408, 409, 425)) or status == 501


@contextmanager
def nothing_begun() -> Iterator[None]:
    """Note on what is raised that no batch can have come to be: its requests did not all arrive."""
    try:
        yield
    except NotAnswered as problem:
        problem.nothing_done = True
        raise
