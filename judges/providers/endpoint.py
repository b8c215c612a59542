"""Endpoint of a server: its address and its key, checked; apart, since the record is searched by addresses too."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from judges.providers.errors import one_line
from judges.providers.model import Fatal

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


def belongs(address: str, own: str, named: str = "") -> bool:
    """Say whether an address is its provider's ``own``, or one beneath it, or the one ``named`` in the environment.

    What the environment holds of an account (its key, its organization) is for these and for no other.
    """
    at, home, chosen = _parts(address), _parts(own), _parts(named)
    if at is None or home is None or at.hostname is None:
        return False
    if chosen and (at.scheme, at.hostname, at.port) == (chosen.scheme, chosen.hostname, chosen.port):
        return True
    beneath = at.hostname == home.hostname or at.hostname.endswith(f".{home.hostname}")
    return beneath and at.scheme == home.scheme and at.port in (home.port, 443)


@contextmanager
def building(server: str, *secrets: str) -> Iterator[None]:
    """Raise Fatal, in one line, for whatever a library raises while a client of a server is made."""
    try:
        yield
    except Exception as error:
        said = str(error) or type(error).__name__
        if isinstance(error, ImportError):
            missing = "socksio" if "socksio" in said else error.name or "of its client library"
            said = f"the package {missing} is missing ({said}); install it"
        elif isinstance(error, OSError) and (files := [name for name in _CERTIFICATES if os.environ.get(name)]):
            said = f"the certificates that {' or '.join(files)} names cannot be read ({said})"
        raise Fatal(one_line(f"no client for {server} can be made: {said}", *secrets)) from None


_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def _parts(address: str) -> SplitResult | None:
    """The parts of a server's address, None if it is none."""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises where it is none: beyond 65535, or half a password with a "/" in it
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname else None
