"""Options of a command as one frozen value: a dataclass whose fields say what may be typed, read by `argparse`.

A command is a function of such a value; deeper than the parser nobody sees argparse's namespace.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

from storage.base.text import storable

T = TypeVar("T")
_TYPED = "typed"


class _Typed(NamedTuple):
    """One argument as `argparse` takes it: its names, its settings, and the title of the group that it stands in."""

    names: tuple[str, ...]
    settings: dict[str, Any]
    group: str
    exclusive: str


def argument(*names: str, default: Any = None, group: str = "", exclusive: str = "", **settings: Any) -> Any:
    """Return a dataclass field that is typed: an option of these names, or without any a positional.

    ``default``: the value where it is not typed. ``group``: title of a group in the help. ``exclusive``: a name that
    arguments share of which only one may be typed. ``settings`` are those of ``ArgumentParser.add_argument``.
    """
    return field(default=default, metadata={_TYPED: _Typed(names, settings, group, exclusive)})


def flag(name: str, help: str, **places: str) -> Any:
    """Return a field that is True if its option is typed. ``places``: ``group`` and ``exclusive`` of `argument`."""
    return argument(name, default=False, action="store_true", help=help, **places)


def several(name: str, help: str, **settings: Any) -> Any:
    """Return a field for an option that may be typed several times, a tuple of all that was given."""
    return argument(name, default=(), action="append", help=f"{help} (repeatable)", **settings)


def add_arguments(parser: argparse.ArgumentParser, options: type[Any]) -> None:
    """Add to a parser what may be typed for a command with these options, in the order of the fields."""
    groups: dict[str, argparse._ActionsContainer] = {}
    for each in fields(options):
        typed: _Typed | None = each.metadata.get(_TYPED)
        if typed is None:
            continue
        into: argparse._ActionsContainer = parser
        if typed.group:
            if typed.group not in groups:
                groups[typed.group] = parser.add_argument_group(typed.group)
            into = groups[typed.group]
        if typed.exclusive:
            if typed.exclusive not in groups:
                groups[typed.exclusive] = into.add_mutually_exclusive_group()
            into = groups[typed.exclusive]
        if typed.names:
            # Suppressed, an option may stand before or after the command without the one overwriting the other.
            into.add_argument(*typed.names, dest=each.name, default=argparse.SUPPRESS, **typed.settings)
        else:
            settings = {"type": str, **typed.settings}
            if settings.get("nargs") in ("*", "?"):
                settings["default"] = each.default
            into.add_argument(each.name, **settings)


def read(options: type[T], namespace: argparse.Namespace, **untyped: Any) -> T:
    """Return the options that a namespace holds; ``untyped``: values of fields that nobody types."""
    values = {**vars(namespace), **untyped}
    names = [each.name for each in fields(options) if each.name in values]  # type: ignore[arg-type]
    return options(**{name: _frozen(values[name]) for name in names})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, kw_only=True)
class LibraryOptions:
    """Options of every command: the library, and who asks. ``given``: all that was typed, word for word."""

    db: str | None = argument("--db", metavar="FILE", help="the database (else DISCOX_DB, else yours)")
    reviewer: str | None = argument("--reviewer", metavar="NAME", help="whose verdicts these are")
    given: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GuidelineOptions(LibraryOptions):
    """Options of a command that shows the guideline."""

    guideline: str | None = argument("--guideline", metavar="FILE", help="a guideline of your own, instead of ours")


@dataclass(frozen=True, kw_only=True)
class JsonOptions(LibraryOptions):
    """Options of a command that prints lines for people, or JSON."""

    json: bool = flag("--json", "print JSON")


def choosing_words(help: str = "only evaluations in which every word occurs") -> Any:
    """Return the field of the words that choose evaluations."""
    return argument(default=(), nargs="*", type=storable, metavar="WORD", help=help)


# --- values ---


def filled(given: str) -> str:
    """Return a value that is not empty."""
    if not given.strip():
        raise argparse.ArgumentTypeError("is empty; give it a value or leave it out")
    return given


def name(given: str) -> str:
    """Return a name: not empty, no blanks around it, safe to store."""
    return storable(filled(given).strip())


def number(kind: type, least: float, most: float) -> Callable[[str], float]:
    """Return a reader of numbers of a kind (``int`` or ``float``) from ``least`` to ``most``."""

    def read_number(given: str) -> float:
        try:
            value: float = kind(given)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            noun = "a whole number" if kind is int else "a number"
            shown = given if len(given) <= SHOWN else f"{given[:SHOWN]}…"
            raise argparse.ArgumentTypeError(f"{shown!r} is not {noun} from {least:,} to {most:,}")
        return value

    return read_number


SHOWN = 40
"""Characters of a wrong number that are shown."""
count = number(int, 1, 10**9)
"""A number of things to take: one at least."""
seed_number = number(int, 0, 2**63 - 1)
"""A seed of random draws, as a database keeps it."""
share = number(float, 0, 1)
