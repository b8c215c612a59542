"""Keys, from the environment or a ``.env`` file. They are handed to a provider and go nowhere else."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from storage.base.errors import StorageError
from storage.base.files import why_not

SHORTEST = 8
"""Characters below which a value is no key."""
_SECRET = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def api_key(name: str, folder: Path) -> str | None:
    """Return the key that the variable ``name`` holds: in the environment, else in ``folder/.env``; None if neither.

    Raises StorageError for a ``.env`` file that cannot be read, and for a key that no HTTP header can carry; the
    message never holds the key.
    """
    key = setting(name, folder)
    if not key:
        return None
    if not key.isascii() or not key.isprintable() or " " in key:
        raise StorageError(f"{name} holds blanks or characters that no key has; copy the key anew")
    return key


def setting(name: str, folder: Path) -> str:
    """Return what the variable ``name`` holds: in the environment, else in ``folder/.env``; "" if nothing.

    Raises StorageError for a ``.env`` file that cannot be read.
    """
    value = os.environ.get(name)
    if value is None and (file := folder / ".env").is_file():
        value = _in_file(file, name)
    return (value or "").strip()


def secrets(folder: Path) -> list[str]:
    """Return what no file may show: values of the environment and of ``folder/.env`` that are named like keys."""
    named = {name: value for name, value in os.environ.items() if _SECRET.search(name)}
    with suppress(Exception):
        from dotenv import dotenv_values

        named |= {name: value or "" for name, value in dotenv_values(folder / ".env").items() if _SECRET.search(name)}
    return sorted({value.strip() for value in named.values() if len(value.strip()) >= SHORTEST}, key=len, reverse=True)


def _in_file(file: Path, name: str) -> str | None:
    from dotenv.parser import parse_stream

    try:
        with file.open(encoding="utf-8-sig") as stream:
            lines = list(parse_stream(stream))
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{file}: cannot be read ({why_not(file, error)}); it must be UTF-8 text") from None
    values = [line.value for line in lines if line.key == name and line.value is not None]
    if not values and (wrong := [line.original.line for line in lines if line.error]):
        raise StorageError(f"{file}: line {wrong[0]} cannot be read; write NAME=value")
    return values[-1] if values else None
