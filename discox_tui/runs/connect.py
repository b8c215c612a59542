"""Connection to a model: a provider made from what the user named, and a client that records every call."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from discox_tui.config.credentials import api_key, setting
from discox_tui.config.presets import Preset
from discox_tui.runs.budget import Spending
from judges.providers.client import Client, Policy
from judges.providers.endpoint import belongs, checked
from judges.providers.model import Attempt, Form, Parameters, Provider, Request, as_fields
from judges.providers.rate_limit import Throttle
from judges.providers.registry import batches, made, provider_class
from judges.providers.replay import Replay
from judges.providers.request_forms import begun_with, first_form
from judges.providers.wire import Wire, shown
from storage.base.errors import StorageError
from storage.runs.calls import Journal
from storage.runs.runs import recorded_servers

if TYPE_CHECKING:
    from judges.providers.batch import Batches


@dataclass(frozen=True)
class Asked:
    """Model that the user named.

    ``provider``: one of the registry, or "replay". ``base_url``: a server other than the provider's own. ``key_env``:
    the variable that holds the key. ``preset``: what is known of the server. ``headers``, ``query``, ``params``: what
    goes along with every call, over what the preset sends; a value "env:NAME" is what that variable holds. ``stream``:
    answers are asked for piece by piece.
    """

    provider: str
    model: str
    base_url: str | None = None
    key_env: str | None = None
    preset: Preset | None = None
    headers: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()
    params: tuple[tuple[str, str], ...] = ()
    stream: bool = False

    def connect(self) -> Provider:
        """Return the provider, which connects when it is first asked. Raises StorageError where the key is missing."""
        return _made(made, self.provider, self._key(), self._address()[0], self._wire())

    def connect_batches(self) -> Batches:
        """Return the provider's batch API. Raises StorageError where it has none or the key is missing."""
        return _made(batches, self.provider, self._key(), self._address()[0], self._wire())

    def offline(self, connection: sqlite3.Connection) -> Replay:
        """Return what stands in for the provider where nobody is to be asked.

        Raises StorageError if a replay was asked for and the record does not say of which server.
        """
        if self.provider == "replay":
            return Replay(*self._on_record(connection))
        address = replace(self, key_env=_NO_KEY).connect()
        return Replay(address.name, address.server)

    def parameters(self, given: Parameters) -> Parameters:
        """Return parameters with all that goes along with every call, as far as it may be known."""
        wire = self._wire()
        further = as_fields(self.preset.params if self.preset else {})
        return replace(
            given,
            extra=tuple(sorted((dict(further) | dict(self.params)).items())),
            headers=shown(wire.headers, hidden=True),
            query=shown(wire.query),
        )

    def form(self, server: str) -> Form | None:
        """Return the form to begin with at a server, None where nothing is set about it."""
        if self.preset is None and not self.stream:
            return None
        form = first_form(self.preset.provider if self.preset else self.provider, server)
        form = self.preset.form(form) if self.preset else form
        return replace(form, stream=form.stream or self.stream)

    def _wire(self) -> Wire:
        known = self.preset or Preset("")
        headers = {name.lower(): value for name, value in (*known.headers.items(), *self.headers)}
        query = {**known.query, **dict(self.query)}
        return Wire(
            headers=tuple((name, self._held(name, value)) for name, value in sorted(headers.items())),
            query=tuple((name, self._held(name, value)) for name, value in sorted(query.items())),
            key_header=known.key_header,
            path=known.path,
        )

    def _held(self, name: str, value: str) -> str:
        """Return a value, or what the variable holds that it names."""
        if not value.startswith("env:"):
            return value
        variable = value.removeprefix("env:").strip()
        held = setting(variable, Path.cwd())
        if not held:
            raise StorageError(
                f"{name} is to be what {variable:.60} holds, which is nothing; set it, or leave {name} out"
            )
        return held

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
        server = _made(provider_class(self.provider), "", address).server
        if variable:
            yield f"asking {server}, as {variable} says"
        if not self.key_env and not self._belongs(address):
            for name in self._key_variables:
                if setting(name, Path.cwd()):
                    yield f"{name} is not sent to {server}, which it is not for; --key-env {name} sends it"

    @property
    def key_source(self) -> str:
        """Name of the variable whose key is sent, "" where none is."""
        return self._found()[0]

    @property
    def _home(self) -> tuple[str, ...]:
        """Addresses that the key is for."""
        known = self.preset
        if known is None or not known.elsewhere:
            return (_made(provider_class, self.provider).address,)
        return tuple(filter(None, (known.address, *(f"https://{host}" for host in known.hosts))))

    @property
    def _key_variables(self) -> tuple[str, ...]:
        known = self.preset
        if known and (known.elsewhere or known.key_variables):
            return known.key_variables
        return _made(provider_class, self.provider).key_variables

    @property
    def _address_variables(self) -> tuple[str, ...]:
        if self.preset and self.preset.elsewhere:
            return self.preset.address_variables
        return getattr(_made(provider_class, self.provider), "address_variables", ())

    def _address(self) -> tuple[str | None, str]:
        """The server that was named, None for the provider's own, and the variable that names it, "" for none."""
        address, variable = self.base_url, ""
        if address is None:
            found = ((each, name) for name in self._address_variables if (each := setting(name, Path.cwd())))
            address, variable = next(found, (None, ""))
        if self.preset is None or not self.preset.elsewhere:
            return address, variable
        address = address or self.preset.address
        if not address:
            where = " or ".join((*(f"in {name}" for name in self._address_variables), "with --base-url"))
            raise StorageError(f"{self.preset.name} has no address of its own; name that of your server {where}")
        with suppress(ValueError):  # what is no address is refused where it is used
            if urlsplit(address).path in ("", "/"):
                address = address.rstrip("/") + self.preset.address_path
        return address, variable

    def _belongs(self, address: str) -> bool:
        """Say whether the environment's key is for an address: it is the server's own, or named beside the key."""
        named = [setting(name, Path.cwd()) for name in self._address_variables]
        return any(belongs(address, own, each) for own in (*self._home, *named) for each in ("", *named))

    def _key(self) -> str:
        return self._found()[1]

    def _found(self) -> tuple[str, str]:
        """The variable that holds the key, and the key; nothing where none is to be sent."""
        if self.key_env == _NO_KEY:
            return "", ""
        address = self._address()[0]
        names = (self.key_env,) if self.key_env else self._key_variables
        if not names or (address is not None and not self.key_env and not self._belongs(address)):
            return "", ""
        found = next(((name, key) for name in names if (key := api_key(name, Path.cwd()))), None)
        if found:
            return found
        if self.key_env or address is None or any(belongs(address, own) for own in self._home):
            # What --key-env names may be the key itself.
            named = " or ".join(
                name if name.isidentifier() and name.isupper() else "what --key-env names" for name in names
            )
            raise StorageError(
                f"{named} holds no key; set it in the environment or in a .env file here, or name another variable "
                "with --key-env"
            )
        return "", ""


_NO_KEY = ""
"""Value in place of a variable's name: no key is wanted, nothing will be asked."""


Made = TypeVar("Made")


def _made(make: Callable[..., Made], *given: Any) -> Made:
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
    start: Form | None = None,
    further: Sequence[str] = (),
    throttle: Throttle | None = None,
) -> Client:
    """Return a caller whose every attempt is on disk, and counted, before its answer is used.

    ``anew``: ask whatever is on record, and hand every attempt to this as well. ``start``: the form that is set to
    begin with. ``further``: models beside ``model`` that are asked. ``throttle``: what is known of the server's pace.
    """

    async def record(attempt: Attempt) -> None:
        await journal.record(attempt)
        spending.count(attempt)
        if anew:
            anew(attempt)

    forms = {
        each: form
        for each in (model, *further)
        if (form := begun_with(journal.form(provider.name, provider.server, each), start))
    }
    return Client(
        provider,
        record=record,
        recorded=(lambda request: ()) if anew else journal.recorded,
        policy=policy,
        forms=forms,
        retry_failed=retry_failed,
        allow=allow or spending.allow,
        withdraw=withdraw or spending.withdraw,
        throttle=throttle,
    )
