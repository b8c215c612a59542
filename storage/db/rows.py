"""Rows of tables as dataclasses and back: a column for each field, JSON and truth values by the field's annotation."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from types import NoneType
from typing import Any, Generic, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")

Reader: TypeAlias = Callable[[Any], Any]


class RowMapper(Generic[T]):
    """The rows that the values of a dataclass are kept in.

    A field that is a tuple or a dict is kept as JSON; a bool comes back as one; all others are kept as they are.
    """

    def __init__(self, kind: type[T], *, names: Mapping[str, str] | None = None, without: Collection[str] = ()) -> None:
        """``names``: by field its column, where that is called otherwise; ``without``: fields that have no column."""
        self._kind = kind
        self._without = without
        self._fields = [name for name in _field_names(kind) if name not in without]
        self.columns = tuple((names or {}).get(name, name) for name in self._fields)
        self.select = ", ".join(f'"{column}"' for column in self.columns)
        """The columns, as a list in SQL."""

    @cached_property
    def _readers(self) -> list[Reader | None]:
        hints = get_type_hints(self._kind)  # once one is read: opening the app does not wait for it
        return [_column_reader(hints[name]) for name in self._fields]

    def row_of(self, value: T) -> dict[str, object]:
        """Return the columns of a value."""
        row: dict[str, object] = {}
        for name, column in zip(self._fields, self.columns, strict=True):
            each = getattr(value, name)
            row[column] = to_json(each) if isinstance(each, tuple | dict) else each
        return row

    def value_of(self, row: Sequence[Any], **more: Any) -> T:
        """Return the value of a row that begins with these columns; ``more``: its fields that have none."""
        read = zip(self._fields, row, self._readers, strict=False)
        return self._kind(
            **{name: each if reader is None or each is None else reader(each) for name, each, reader in read}, **more
        )


def to_json(value: object) -> str:
    """Return a value as the JSON of a column; a dataclass in it is the list of its fields."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=_as_list)


def _as_list(value: Any) -> list[Any]:
    return [getattr(value, name) for name in _field_names(type(value))]


def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else getattr(kind, "_fields", ())


def _column_reader(hint: Any) -> Reader | None:
    """Return what makes a field's value of its column's; None: it is the same."""
    given = [each for each in get_args(hint) if each is not NoneType] if NoneType in get_args(hint) else [hint]
    if given == [bool]:
        return bool
    if get_origin(given[0]) not in (tuple, dict):
        return None
    build = _json_reader(given[0])
    return (lambda text: build(json.loads(text))) if build else json.loads


def _json_reader(hint: Any) -> Reader | None:
    """Return what makes a value of what JSON says; None: it is the same."""
    args = get_args(hint)
    if get_origin(hint) is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            inner = _json_reader(args[0])
            return (lambda said: tuple(map(inner, said))) if inner else tuple
        return _each([_json_reader(arg) for arg in args], lambda *parts: parts)
    if names := _field_names(hint):
        hints = get_type_hints(hint)
        return _each([_json_reader(hints[name]) for name in names], hint)
    return None


def _each(readers: Sequence[Reader | None], make: Callable[..., Any]) -> Reader:
    return lambda said: make(*(reader(part) if reader else part for reader, part in zip(readers, said, strict=True)))
