"""Connection to a model: a provider made from what the user named, and a client that records every call."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from discox_tui.config.credentials import api_key, setting
from discox_tui.runs.budget import Spending
from judges.providers.client import Client, Policy
from judges.providers.endpoint import belongs, checked
from judges.providers.model import Attempt, Provider, Request
from judges.providers.registry import batches, provider_class
from judges.providers.replay import Replay
from storage.base.errors import StorageError
from storage.runs.calls import Journal
from storage.runs.runs import recorded_servers

if TYPE_CHECKING:
    from judges.providers.batch import Batches


@dataclass(frozen=True)
class Asked:
    """Model that the user named.

    ``provider``: one of the registry, or "replay". ``base_url``: a server other than the provider's own. ``key_env``:
    the variable that holds the key.
    """

    provider: str
    model: str
    base_url: str | None = None
    key_env: str | None = None

    def connect(self) -> Provider:
        """Return the provider, which connects when it is first asked. Raises StorageError where the key is missing."""
        return _made(_made(provider_class, self.provider), self._key(), self._address()[0])

    def connect_batches(self) -> Batches:
        """Return the provider's batch API. Raises StorageError where it has none or the key is missing."""
        return _made(batches, self.provider, self._key(), self._address()[0])

    def offline(self, connection: sqlite3.Connection) -> Replay:
        """Return what stands in for the provider where nobody is to be asked.

        Raises StorageError if a replay was asked for and the record does not say of which server.
        """
        if self.provider == "replay":
            return Replay(*self._on_record(connection))
        address = Asked(self.provider, self.model, self.base_url, _NO_KEY).connect()
        return Replay(address.name, address.server)

    def _on_record(self, connection: sqlite3.Connection) -> tuple[str, str]:
        servers = [(name, server) for name, server, _ in recorded_servers(connection, self.model)]
        address = None if self.base_url is None else _made(checked, "", self.base_url)[0]
        named = [each for each in servers if address in (None, each[1])]
        if len(named) == 1:
            return named[0]
        if not servers:
            raise StorageError(f"no call of {self.model} is on record here; check --model and --db")
        listed = ", ".join(f"{server} ({name})" for name, server in servers)
        raise StorageError(f"{self.model} was asked at {listed}; name one with --base-url")

    def remarks(self) -> Iterator[str]:
        """Yield what the environment decides of who is asked, and what of it is not sent."""
        address, variable = self._address()
        if address is None:
            return
        kind = _made(provider_class, self.provider)
        shown = _made(kind, "", address).server
        if variable:
            yield f"asking {shown}, as {variable} says"
        if not self.key_env and not self._belongs(address):
            for name in kind.key_variables:
                if setting(name, Path.cwd()):
                    yield f"{name} is not sent to {shown}, which it is not for; --key-env {name} sends it"

    def _address(self) -> tuple[str | None, str]:
        """The server that was named, None for the provider's own, and the variable that names it, "" for none."""
        if self.base_url is None:
            for name in getattr(_made(provider_class, self.provider), "address_variables", ()):
                if address := setting(name, Path.cwd()):
                    return address, name
        return self.base_url, ""

    def _belongs(self, address: str) -> bool:
        """Whether the environment's key is for an address: it is the provider's, or the environment names both."""
        kind = _made(provider_class, self.provider)
        named = (setting(name, Path.cwd()) for name in getattr(kind, "address_variables", ()))
        return any(belongs(address, kind.address, each) for each in ("", *named))

    def _key(self) -> str:
        if self.key_env == _NO_KEY:
            return ""
        kind = _made(provider_class, self.provider)
        address = self._address()[0]
        if address is not None and not self.key_env and not self._belongs(address):
            return ""
        names = (self.key_env,) if self.key_env else kind.key_variables
        key = next((key for name in names if (key := api_key(name, Path.cwd()))), None)
        if key is None and (self.key_env or address is None or belongs(address, kind.address)):
            # What --key-env names may be the key itself.
            shown = " or ".join(
                name if name.isidentifier() and name.isupper() else "what --key-env names" for name in names
            )
            raise StorageError(
                f"{shown} holds no key; set it in the environment or in a .env file here, or name another variable "
                "with --key-env"
            )
        return key or ""


_NO_KEY = ""
"""Value in place of a variable's name: no key is wanted, nothing will be asked."""


Made = TypeVar("Made")


def _made(make: Callable[..., Made], *given: str | None) -> Made:
    try:
        return make(*given)
    except ValueError as error:
        raise StorageError(str(error)) from None


def recording(
    provider: Provider,
    journal: Journal,
    spending: Spending,
    model: str,
    *,
    policy: Policy,
    retry_failed: bool,
    allow: Callable[[Request], bool] | None = None,
    withdraw: Callable[[Request], object] | None = None,
    anew: Callable[[Attempt], object] | None = None,
) -> Client:
    """Return a caller whose every attempt is on disk, and counted, before its answer is used.

    ``anew``: ask whatever is on record, and hand every attempt to this as well.
    """

    async def record(attempt: Attempt) -> None:
        await journal.record(attempt)
        spending.count(attempt)
        if anew:
            anew(attempt)

    form = journal.form(provider.name, provider.server, model)
    return Client(
        provider,
        record=record,
        recorded=(lambda request: ()) if anew else journal.recorded,
        policy=policy,
        forms={} if form is None else {model: form},
        retry_failed=retry_failed,
        allow=allow or spending.allow,
        withdraw=withdraw or spending.withdraw,
    )
