"""Replay in place of a server: what is on record, or what is missing there; apart, since it has no network."""

from __future__ import annotations

from judges.providers.model import Attempt, Form, NotRecorded, Request


class Replay:
    """A provider that has no server behind it: whatever is not on record stays unanswered."""

    def __init__(self, name: str, server: str) -> None:
        self.name = name
        self.server = server

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        """Raise NotRecorded, naming the step."""
        raise NotRecorded(f"no usable answer to the {request.step} request {request.id} is on record")

    async def close(self) -> None:
        """Nothing is open."""


class Collector(Replay):
    """A replay that notes what would be asked, each request once with the form it would have, in order: ``missing``."""

    def __init__(self, name: str, server: str) -> None:
        super().__init__(name, server)
        self.missing: dict[str, tuple[Request, Form]] = {}

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        """Note the request, then raise NotRecorded."""
        self.missing.setdefault(request.id, (request, form))
        return await super().attempt(request, form, timeout)
