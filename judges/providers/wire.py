"""Things that go with every call to a server beside its address and a key: headers, a query, the path it is sent to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

Pairs = tuple[tuple[str, str], ...]

NOT_YOURS = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection", "accept-encoding"})
"""Headers, in lower case, that belong to the exchange itself."""
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_SECRET_NAME = re.compile(r"auth|key|token|secret|password|passwd|credential|cookie|session|signature", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"(?i:\b(bearer|basic)\s)|^(?=\S*\d)(?=\S*[A-Za-z])\S{20,}$")
"""The look of a secret: a scheme of authorization before it, or 20 characters, letters and digits, without a blank."""


@dataclass(frozen=True, slots=True)
class Wire:
    """Wire of a server. ``headers``, ``query``: name → value; a header of one's own takes the place of the program's.

    ``key_header``: the header that holds the bare key, "" for ``Authorization: Bearer``. ``path``: where a call goes
    below the address, "" for the protocol's own; ``{model}`` stands for the model.
    """

    headers: Pairs = ()
    query: Pairs = ()
    key_header: str = ""
    path: str = ""

    def with_key(self, headers: Iterable[tuple[str, str]], key: str) -> dict[str, str]:
        """Return headers, in lower case, with those of the wire over them and the key where this server wants it."""
        merged = {name.lower(): value for name, value in headers}
        if self.key_header:
            merged.pop("authorization", None)
            if key:
                merged[self.key_header.lower()] = key
        return merged | {name.lower(): value for name, value in self.headers}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that must never be shown, with what stands behind the scheme in each."""
        named = [value for name, value in (*self.headers, *self.query) if is_secret(name, value)]
        return tuple(dict.fromkeys(part for value in named for part in (value, value.rpartition(" ")[2])))


PLAIN = Wire()
"""Nothing goes along."""


def is_header(name: str, value: str) -> bool:
    """Say whether these can be a header of one's own."""
    right = bool(_NAME.fullmatch(name)) and name.lower() not in NOT_YOURS
    return right and value.isascii() and value.isprintable() and value == value.strip()


def is_secret(name: str, value: str) -> bool:
    """Say whether a value looks like a secret, by its name or by itself."""
    return bool(value) and bool(_SECRET_NAME.search(name) or _SECRET_VALUE.search(value))


def fingerprint(value: str) -> str:
    """Return ten hex digits over a value, which say that it changed and nothing else of it."""
    return hashlib.sha256(value.encode()).hexdigest()[:10]


def shown(pairs: Pairs, *, hidden: bool = False) -> Pairs:
    """Return pairs, sorted, with a fingerprint in place of each value that looks like a secret, or of all."""
    return tuple(
        sorted((name, fingerprint(value) if hidden or is_secret(name, value) else value) for name, value in pairs)
    )
