"""Endpoint of a server: its address and its key, checked; apart, since the record is searched by addresses too."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from judges.providers.errors import one_line

NO_KEY = "none was sent; set it in the environment or in .env, or name its variable with --key-env"


def checked(key: str, address: str) -> tuple[str, tuple[str, ...]]:
    """Return an address as it may be shown, without credentials, and what must never be.

    Raises ValueError for a key that can be none (it may be "") and for what is no address.
    """
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("the key has characters that no key has (a space, a line break, a typographic mark)")
    parts = _parts(address)
    if parts is None:
        shown = one_line(address.rpartition("@")[2], key)
        raise ValueError(f"no address of a server: {shown!r}; expected https://host or http://host")
    if parts.query or parts.fragment:
        raise ValueError("the address of a server has no ? and no #; leave them out, and name the key's variable")
    shown = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
    user, password = parts.username or "", parts.password or ""
    basic = b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode() if password else ""
    # In every spelling in which a server may repeat them.
    secrets = (key, quote(key, safe=""), password, unquote(password), basic)
    return shown, tuple(dict.fromkeys(filter(None, secrets)))


def _parts(address: str) -> SplitResult | None:
    """The parts of a server's address, None if it is none."""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises where it is none: beyond 65535, or half a password with a "/" in it
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname else None
