"""Checks of events by their values alone, the same whichever way they come: a file, or a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeAlias, TypeVar

from storage.base.strict_json import check_json, read_json
from storage.base.text import is_whole, storable, utc
from storage.log.events import HIGHEST_COUNTER, EventTable, LoggedEvent

E = TypeVar("E", bound=LoggedEvent)

Rule: TypeAlias = Callable[[Any], str]
"""Says of a field's value what is wrong with it; nothing where it fits."""


class EventError(ValueError):
    """An event that does not fit the log: ``field`` names what is wrong, the message says how to mend it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class EventRules(Generic[E]):
    """The rules that the events of one log keep.

    ``names``: by column the name that a field has in messages and in the log's file form, where it is another one.
    ``needed``: by column the kinds of event that have it; ids, times, persons and kinds all have. ``kinds``: by kind
    a rule for each field of ``changes``. ``closed``: there are no other fields. ``check`` raises EventError for what
    one field alone does not tell.
    """

    def __init__(
        self,
        table: EventTable[E],
        *,
        names: Mapping[str, str],
        needed: Mapping[str, Collection[str]],
        kinds: Mapping[str, Mapping[str, Rule]],
        closed: bool,
        check: Callable[[E], object] = lambda event: None,
    ) -> None:
        self._table = table
        self._names = {column: names.get(column, column) for column in table.columns}
        self._needed = needed
        self._kinds = kinds
        self._closed = closed
        self._check = check

    def event_of_row(self, row: Sequence[Any]) -> E:
        """Return the event of a row of the table's columns, whatever these hold. Raises EventError."""
        given = {
            self._names[column]: changes_of(value) if column == "changes" else None if value == "" else value
            for column, value in zip(self._table.columns, row, strict=True)
        }
        return self.event_of(given)

    def event_of(self, given: Mapping[str, Any]) -> E:
        """Return the event that the fields of a log's file form say. Raises EventError naming what does not fit.

        ``changes`` must be made of JSON's types; other fields than those of an event are passed over.
        """
        kind = given.get("kind")
        values: dict[str, Any] = {}
        for column, name in self._names.items():
            if column not in ("changes", "counter"):
                values[column] = self._text(column, name, given.get(name), kind)
        rules = self._kinds.get(values["kind"])
        if rules is None:
            raise EventError("kind", f"must be one of {', '.join(self._kinds)}, not {kind!r:.40}")
        values["at"] = time_of(values["at"])
        values["changes"] = self._changes(values["kind"], given.get("changes", {}), rules)
        values["counter"] = counter_of(given.get("counter", 0))
        event = self._table.event(**values)
        self._check(event)
        return event

    def _text(self, column: str, name: str, value: Any, kind: object) -> str | None:
        """The text of a column; absent, it is None where the column takes that, else empty."""
        absent = (None,) if column in _NULLABLE else (None, "")
        if value in absent and column in self._needed and kind not in self._needed[column]:
            return None if column in _NULLABLE else ""
        if not isinstance(value, str) or not value.strip():
            raise EventError(name, f"must be a non-empty text, not {value!r:.40}")
        if value != storable(value):
            raise EventError(name, "holds NUL or half a character (a lone surrogate); write the line again")
        return value

    def _changes(self, kind: str, changes: Any, rules: Mapping[str, Rule]) -> dict[str, Any]:
        if not isinstance(changes, dict):
            raise EventError("changes", "must be an object of the fields that changed")
        if self._closed and (strange := next((name for name in changes if name not in rules), None)) is not None:
            known = ", ".join(rules) or "none"
            raise EventError(f"changes.{storable(strange)[:40]}", f"is not a field of a {kind} event; known: {known}")
        for name, rule in rules.items():
            if wrong := rule(changes.get(name)):
                raise EventError(f"changes.{name}", wrong)
        try:
            check_json(changes)
        except ValueError as error:
            raise EventError("changes", f"{error}; write the line again") from None
        return changes


_NULLABLE = ("target", "finding_id")


# --- rules of fields ---


def optional(rule: Rule) -> Rule:
    """Return a rule for a field that may be absent."""
    return lambda value: "" if value is None else rule(value)


def such(fits: Callable[[Any], bool], shape: str) -> Rule:
    """Return the rule that a value fits, and has the shape that is said in words."""
    return lambda value: "" if fits(value) else f"must be {shape}"


def one_of(values: Sequence[object]) -> Rule:
    """Return the rule that a value is one of a closed list."""
    return such(lambda value: value in values and not isinstance(value, bool), f"one of {', '.join(map(str, values))}")


def text(value: Any) -> str:
    """Say what is wrong with a value that must be a text."""
    if not isinstance(value, str):
        return "must be a text"
    return "" if is_whole(value) else "holds half a character (a lone surrogate); write the line again"


def is_count(value: Any) -> bool:
    """Tell if a value is a whole number from 0, below any place in a text or line of a file."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40


def is_number(value: Any) -> bool:
    """Tell if a value is a number from 0, below any seconds that somebody spends."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9


seconds = such(
    lambda value: isinstance(value, dict) and all(map(is_number, value.values())), "an object of seconds, 0 or more"
)
"""The rule of seconds that were spent."""


# --- what is read of all events alike ---


def changes_of(column: object) -> Any:
    """Return what a log's column of changes holds. Raises EventError where it is not JSON."""
    if not isinstance(column, str):
        raise EventError("changes", "must be JSON")
    try:
        return read_json(column)
    except ValueError as error:
        raise EventError("changes", f"must be JSON ({str(error).splitlines()[0]:.80})") from None


def time_of(value: str) -> str:
    """Return a time as the log writes it, whatever its zone and whatever the clock says now.

    Raises EventError for one without a zone or out of the calendar.
    """
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            return utc(moment)
    except (ValueError, OverflowError):
        pass
    raise EventError("at", f"must be a UTC time like 2026-03-02T09:15:04.000000Z, not {value!r:.40}")


def counter_of(value: object) -> int:
    """Return an event's counter. Raises EventError for what is none."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST_COUNTER:
        return value
    raise EventError("counter", f"must be a whole number from 0 to {HIGHEST_COUNTER}, not {value!r:.40}")
