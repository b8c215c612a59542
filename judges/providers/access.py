"""Where a server is and the key that opens it, checked before anything is asked."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from judges.providers.errors import one_line

NO_KEY = "none was sent; set it in the environment or in .env, or name its variable with --key-env"


def checked(key: str, address: str) -> tuple[str, tuple[str, ...]]:
    """Return an address as it may be shown, without credentials, and what must never be.

    Raises ValueError for a key that can be none (it may be "") and for what is no address.
    """
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("the key has characters that no key has (a space, a line break, a typographic mark)")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"no address of a server: {one_line(address, key)!r}; expected https://host or http://host")
    if parts.query or parts.fragment:
        raise ValueError("the address of a server has no ? and no #; leave them out, and name the key's variable")
    shown = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
    return shown, tuple(filter(None, (key, parts.password)))
