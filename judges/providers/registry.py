"""Registry of providers: the built-in ones, and those that installed packages declare as entry points.

A provider is one class in one module. It states its name, the variables that hold its key, its own address and its
batch API; the command line and the search for keys read that. Another package adds one in its ``pyproject.toml``::

    [project.entry-points."discox_tui.providers"]
    acme = "acme_discox:Acme"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from judges.providers.wire import PLAIN, Wire

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from judges.providers.batch import Batches
    from judges.providers.model import Provider

GROUP = "discox_tui.providers"
BUILT_IN = {"openai": "judges.providers.openai:OpenAI", "gemini": "judges.providers.gemini:Gemini"}


class ProviderClass(Protocol):
    """A class of providers. Its instances are a `Provider`."""

    name: str
    """The name for ``--provider`` and in the record; the entry point has the same."""
    key_variables: tuple[str, ...]
    """Variables that usually hold its key, the first one set counts."""
    address: str
    """The server that is asked unless ``--base-url`` names another.

    A class may have ``address_variables``, too: those of the environment that name another for its key. One that has
    ``takes_wire`` is made with a third value, what goes along with every call (`judges.providers.wire.Wire`), where
    the user gives any.
    """
    batches: str
    """Its class of `Batches`, made like itself, as "module:class"; "" where it has no batch API."""

    def __call__(self, key: str, base_url: str | None = None, /) -> Provider:
        """Return a provider that connects when it is first asked.

        ``key`` is "" where there is none. Raises ValueError for a key or an address that cannot be one.
        """


def provider_names() -> tuple[str, ...]:
    """Return the names of all providers, the built-in ones first."""
    return tuple(_declared())


def provider_class(name: str) -> ProviderClass:
    """Return the class of a provider. Raises ValueError for an unknown one, and for one that cannot be loaded."""
    declared = _declared()
    if name not in declared:
        raise ValueError(f"there is no provider {name!r}; known: {', '.join(declared)}")
    kind = _loaded(declared[name])
    lacking = [part for part in ("name", "key_variables", "address", "batches") if not hasattr(kind, part)]
    if lacking or kind.name != name:
        problem = f"has no {', '.join(lacking)}" if lacking else f"calls itself {kind.name!r}"
        raise ValueError(f"the provider {name!r} ({declared[name].value}) {problem}")
    return cast(ProviderClass, kind)


def made(name: str, key: str, base_url: str | None = None, wire: Wire = PLAIN) -> Provider:
    """Return a provider, with what is to go along with every call. Raises ValueError like `provider_class`.

    Also where something is to go along and its class does not take that.
    """
    return cast("Provider", _made(provider_class(name), name, key, base_url, wire))


def batches(name: str, key: str, base_url: str | None = None, wire: Wire = PLAIN) -> Batches:
    """Return the batch API of a provider. Raises ValueError like `made`, and where it has none."""
    from importlib.metadata import EntryPoint

    kind = provider_class(name)
    if not kind.batches:
        raise ValueError(f"the provider {name!r} has no batch API; leave --batch out")
    return cast("Batches", _made(_loaded(EntryPoint(name, kind.batches, GROUP)), name, key, base_url, wire))


def _made(kind: Any, name: str, key: str, base_url: str | None, wire: Wire) -> Any:
    if wire == PLAIN:
        return kind(key, base_url)
    if not getattr(kind, "takes_wire", False):
        raise ValueError(f"the provider {name!r} sends no headers and no query of yours; leave them out")
    return kind(key, base_url, wire)


def _declared() -> dict[str, EntryPoint]:
    """Return the providers by name; a package cannot take the name of a built-in one."""
    from importlib.metadata import EntryPoint, entry_points

    declared = {name: EntryPoint(name, value, GROUP) for name, value in BUILT_IN.items()}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        declared.setdefault(entry.name, entry)
    return declared


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:  # whatever a package raises while it is imported
        raise ValueError(f"the provider {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
