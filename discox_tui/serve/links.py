"""Links as keys: one secret a person for one library, which can be taken back, and outlives the server.

A file of the user's own, beside no library and in none, holds a key that the secrets are made from, and the hash of
each. So the same links come out after every start, and a copy of the library opens nothing.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from discox_tui.config.access import Access
from storage.base.errors import StorageError
from storage.base.identity import digest

Role = Literal["reviewer", "lead", "reader"]
"""The part of whoever has a link; ``reader``: may look and change nothing."""

ACCESS: dict[Role, Access] = {
    "reviewer": Access(machine=False, lead=False),
    "lead": Access(machine=False),
    "reader": Access(machine=False, write=False, lead=False),
}
"""The reach of each through a browser."""

FORMAT = 1
SECRET_BYTES = 24
"""Bytes of a secret: 192 bits, that nobody guesses."""


@dataclass(frozen=True, slots=True)
class Link:
    """One person's way in. ``number``: how often the link was made anew; ``hash``: SHA-256 of the secret, in hex."""

    name: str
    role: Role
    number: int = 1
    hash: str = ""
    revoked: bool = False


def hash_of(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Links:
    """The links of one library, as their file holds them."""

    def __init__(self, file: Path) -> None:
        """Raises StorageError where the file cannot be read, or is none."""
        self._file = file
        self._state: object = None
        self._key = b""
        self._links: dict[str, Link] = {}
        self.read_anew()

    @classmethod
    def of(cls, library: Path, folder: Path) -> Links:
        """Return the links of a library, kept in a folder of the user's."""
        whole = library.resolve()
        return cls(folder / f"{whole.stem[:40]}-{digest('links', str(whole))[:16]}.json")

    def __iter__(self) -> Any:
        return iter(self._links.values())

    def read_anew(self) -> bool:
        """Read the file if it is another than was read last; return whether it was."""
        try:
            state = self._file.stat()
        except FileNotFoundError:
            return False
        found = (state.st_mtime_ns, state.st_size, state.st_ino)
        if found == self._state:
            return False
        try:
            held = json.loads(self._file.read_text(encoding="utf-8"))
            links = [Link(**each) for each in held["links"]]
            if held["format"] != FORMAT or not all(each.role in get_args(Role) for each in links):
                raise ValueError(f"format {held['format']}")
            key = bytes.fromhex(held["key"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StorageError(
                f"{self._file}: the links cannot be read ({error}); delete the file to make all of them anew"
            ) from None
        self._key, self._links, self._state = key, {each.name: each for each in links}, found
        return True

    def give(self, name: str, role: Role) -> str:
        """Return the secret of a person in a part, made if there is none; another part is another secret.

        Raises StorageError where it cannot be kept.
        """
        link = self._links.get(name, Link(name, role, 0, revoked=True))
        if link.revoked or link.role != role:
            link = replace(link, role=role, number=link.number + 1, revoked=False)
        self._key = self._key or secrets.token_bytes(32)
        made = hmac.digest(self._key, json.dumps([name, role, link.number]).encode(), "sha256")[:SECRET_BYTES]
        secret = base64.urlsafe_b64encode(made).decode()
        link = replace(link, hash=hash_of(secret))
        if self._links.get(name) != link:
            self._links[name] = link
            self._write()
        return secret

    def revoke(self, name: str) -> None:
        """Let a person's link open nothing any more. Raises StorageError where there is none."""
        if name not in self._links or self._links[name].revoked:
            names = ", ".join(sorted(each.name for each in self if not each.revoked)) or "nobody"
            raise StorageError(f"{name} has no link; {names} has one")
        self._links[name] = replace(self._links[name], revoked=True)
        self._write()

    def holder(self, secret: str) -> Link | None:
        """Return the link that a secret is the key of, None where it opens nothing."""
        found, given = None, hash_of(secret)
        for each in self._links.values():  # all of them, so that the time tells nothing
            if hmac.compare_digest(each.hash, given) and not each.revoked:
                found = each
        return found

    def _write(self) -> None:
        held = {"format": FORMAT, "key": self._key.hex(), "links": [asdict(each) for each in self]}
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, made = tempfile.mkstemp(dir=self._file.parent, prefix=self._file.stem)  # for the user alone
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(held, file, indent=1)
            Path(made).replace(self._file)
        except OSError as error:
            raise StorageError(f"{self._file}: the links cannot be kept ({error.strerror or error})") from None
        state = self._file.stat()
        self._state = (state.st_mtime_ns, state.st_size, state.st_ino)
