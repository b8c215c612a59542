"""Presets: servers that people run, as data of the program and of the user's settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

from judges.providers.model import Form, Format
from judges.providers.wire import is_header
from storage.base.errors import StorageError

OURS = Path(__file__).with_name("presets.toml")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
DROPPABLE = ("max_tokens", "temperature", "top_p", "seed", "reasoning_effort")


@dataclass(frozen=True, slots=True)
class Preset:
    """A server that people run. The fields are those of ``presets.toml``, which says what each is for."""

    name: str
    provider: str = ""
    title: str = ""
    address: str = ""
    address_variables: tuple[str, ...] = ()
    address_path: str = ""
    hosts: tuple[str, ...] = ()
    key_variables: tuple[str, ...] = ()
    key_header: str = ""
    path: str = ""
    format: str = ""
    limit_name: str = ""
    dropped: tuple[str, ...] = ()
    stream: bool = False
    tells_cost: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    own: bool = False
    """True where the user's settings hold it."""

    @property
    def elsewhere(self) -> bool:
        """Say whether it is another server than its provider's own."""
        return bool(self.address or self.address_variables)

    def form(self, first: Form) -> Form:
        """Return the form to begin with at this server, where ``first`` is that of its protocol."""
        return Form(
            format=next((each for each in get_args(Format) if each == self.format), first.format),
            limit_name=self.limit_name or first.limit_name,
            dropped=first.dropped | frozenset(self.dropped),
            stream=self.stream,
        )

    def odd(self) -> list[str]:
        """Return what is odd about the server, in words."""
        return [
            *([f"format {self.format}"] if self.format else []),
            *([f"limit {self.limit_name}"] if self.limit_name else []),
            *([f"without {', '.join(self.dropped)}"] if self.dropped else []),
            *(["streams"] if self.stream else []),
            *(["tells the cost"] if self.tells_cost else []),
            *([f"key in the header {self.key_header}"] if self.key_header else []),
            *(f"header {name}" for name in self.headers),
            *(f"query {name}" for name in self.query),
            *(f"param {name}" for name in self.params),
        ]


def presets(own: Mapping[str, Any], where: str = "the settings") -> dict[str, Preset]:
    """Return all presets by name, ours first; one of the user's ``own`` takes the place of ours of the same name.

    Raises StorageError naming the field and the mend. ``where``: the file that holds the user's.
    """
    import tomllib

    tables: dict[str, Any] = tomllib.loads(OURS.read_text(encoding="utf-8"))
    found = {name: _preset(name, table, str(OURS), {}) for name, table in tables.items()}
    return found | {name: _preset(name, table, where, found) for name, table in own.items()}


def preset(name: str, own: Mapping[str, Any], where: str = "the settings") -> Preset:
    """Return a preset by its name. Raises StorageError where there is none, and as `presets` does."""
    known = presets(own, where)
    if name not in known:
        raise StorageError(f"there is no preset {name!r:.60}; known: {', '.join(known)}; `discox providers` lists them")
    return known[name]


def _preset(name: str, table: Any, file: str, known: Mapping[str, Preset]) -> Preset:
    where = f"{file}: presets.{name}"
    if not _NAME.fullmatch(name):
        raise StorageError(f"{where:.200}: a name has letters, digits, dots, dashes and underscores, 40 at most")
    if not isinstance(table, dict):
        raise StorageError(f"{where} must be a table, like [presets.{name}]")
    kinds = {each.name: each for each in fields(Preset) if each.name not in ("name", "own")}
    values: dict[str, Any] = {}
    given = dict(table)
    if (like := given.pop("like", None)) is not None:
        if not isinstance(like, str) or like not in known:
            raise StorageError(f"{where}.like names no preset of the program: {like!r:.60}; known: {', '.join(known)}")
        values = {each: getattr(known[like], each) for each in kinds}
    for field_name, value in given.items():
        if field_name not in kinds:
            raise StorageError(f"{where}: unknown field {field_name!r:.60}; known are like, {', '.join(kinds)}")
        values[field_name] = _value(f"{where}.{field_name}", kinds[field_name].type, value)
    made = Preset(name=name, own=bool(known), **values)
    if not made.provider:
        raise StorageError(f'{where}: provider is missing; name a protocol, such as provider = "openai", or like')
    return _checked(made, where)


def _value(where: str, kind: Any, value: Any) -> Any:
    """Return a value of a field, as its kind has it."""
    if kind == "str" and isinstance(value, str):
        return value.strip()
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind == "tuple[str, ...]" and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    texts = isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
    if (kind == "Mapping[str, str]" and texts) or (kind == "Mapping[str, Any]" and isinstance(value, dict)):
        return value
    wanted = {"str": "text in quotes", "bool": "true or false", "tuple[str, ...]": "a list of texts"}
    raise StorageError(f"{where} must be {wanted.get(str(kind), 'a table of texts')}")


def _checked(made: Preset, where: str) -> Preset:
    choices = {"format": get_args(Format), "limit_name": LIMIT_NAMES}
    for name, known in choices.items():
        if getattr(made, name) not in ("", *known):
            raise StorageError(f"{where}.{name} must be one of {', '.join(known)}")
    if strange := [each for each in made.dropped if each not in DROPPABLE]:
        raise StorageError(f"{where}.dropped: {strange[0]!r:.60} is none of {', '.join(DROPPABLE)}")
    for name, value in made.headers.items():
        if not is_header(name, value):
            raise StorageError(f"{where}.headers: {name!r:.60} can be no header of yours, or its value none")
    return made
