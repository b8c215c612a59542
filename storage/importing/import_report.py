"""The report of an import: what became of every row of a file, what to know of it, and who may be told."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from storage.base.reasons import Group, first_lines, grouped
from storage.formats.io.rows import LeftOut
from storage.reviews.blinding import hides

SHOWN = 1_000
"""Characters of a note that are shown; a name in a file can have millions."""

KEPT = "unknown_field"
"""The code of a note that holds a value of a field that nobody knows."""
WAITING = "waiting"
"""The code of a note that holds a translation whose source is not here yet."""

NoteKind = Literal["flag", "left_out"]


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to know of one row: what was flagged, or why the row was left out. ``line`` is the file's own."""

    line: int
    kind: NoteKind
    code: str
    message: str
    field: str = ""
    evaluation_id: str | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A text of which it is not clear what article it is of. ``line``: of the first row; ``message``: why, in words.

    ``case``: by which an answer names it. ``choices``: ids of the articles that it may be of, each with words for
    people. ``new``: whether it may be an article of its own.
    """

    case: str
    line: int
    message: str
    choices: tuple[tuple[str, str], ...]
    new: bool = True


@dataclass(slots=True)
class FileReport:
    """Outcome of one file. ``rows`` = ``stored`` + ``unchanged`` + ``left_out``.

    ``problem`` says in one line why the file could not be read at all, or is empty. ``passed_over``: it was not named
    but found in a folder, and holds something else. ``people``: who marked errors in it → how many new passes of theirs
    were stored, with how many errors. ``kept``: fields that nobody knows, and translations that wait for their sources,
    one a note, its message the value as JSON; ``notes`` say them once. ``told``: False where who asks may not know what
    the rows came to (`is_told`). ``doubts``: texts of which it is not clear what article they are of, by their cases.
    """

    file: Path
    format: str = "unknown"
    rows: int = 0
    stored: int = 0
    unchanged: int = 0
    left_out: int = 0
    notes: list[Note] = field(default_factory=list)
    problem: str = ""
    passed_over: bool = False
    people: dict[str, tuple[int, int]] = field(default_factory=dict)
    kept: list[Note] = field(default_factory=list)
    told: bool = True
    doubts: dict[str, Doubt] = field(default_factory=dict)

    def count(self, rows: int = 1, *, new: bool) -> None:
        """Count rows that were taken: stored where they are new, else unchanged."""
        self.rows += rows
        self.stored += rows if new else 0
        self.unchanged += 0 if new else rows

    def flag(self, line: int, code: str, message: str, field: str = "", evaluation_id: str | None = None) -> None:
        """Note what there is to know of a row, or of the file where ``line`` is 0."""
        self.notes.append(Note(line, "flag", code, message, field, evaluation_id))

    def fail(self, problem: str) -> None:
        """Say why nothing could be read; what was counted until then was not stored."""
        self.problem = problem
        self.rows = self.stored = self.unchanged = self.left_out = 0
        self.people.clear()
        self.notes.clear()
        self.kept.clear()
        self.doubts.clear()

    def leave_out(self, row: LeftOut, rows: int = 1) -> None:
        """Count a row that is not taken, with its reason; ``rows``: so many of the file that are one thing."""
        self.rows += rows
        self.left_out += rows
        self.notes.append(Note(row.line, "left_out", row.code, row.message, row.field))

    def lines(self) -> list[str]:
        """Return what is told of rows in lines for people, one for each reason: file, line, field, what is to know."""
        return list(map(self.line_of, self.reasons()))

    def reasons(self) -> list[Group[Note]]:
        """Return the notes that are told, those of one reason together; each that is of the whole file by itself."""
        return grouped(
            self.notes_told(),
            lambda note: (note.kind, note.code, note.field, "" if note.line else note.message),
            lambda note: note.message,
        )

    def line_of(self, reason: Group[Note]) -> str:
        """Return a reason as a line for people; that of one row names the line in front, others the first lines."""
        note, count = reason.things[0], len(reason.things)
        mark = "left out" if note.kind == "left_out" else "flag"
        where = f" {note.field}:" if note.field else ""
        message = reason.message if len(reason.message) <= SHOWN else f"{reason.message[:SHOWN]}…"
        if count == 1:
            line = f"{note.line}:" if note.line else ""  # some are of the whole file
            return f"  {self.file.name}:{line} {mark}:{where} {message}"
        like = "" if reason.alike else ", and the like"
        lines = first_lines(each.line for each in reason.things)
        return f"  {self.file.name}: {mark}: {count:,} rows:{where} {message}{like}{lines}"

    def notes_told(self) -> list[Note]:
        """Return the notes that who asks may know: what was left out can be mended by whoever knows of it."""
        return self.notes if self.told else [note for note in self.notes if note.kind == "left_out"]

    def as_json(self) -> dict[str, Any]:
        """Return the report as one JSON-able object; what is not told is null."""
        people = {name: {"passes": passes, "errors": errors} for name, (passes, errors) in self.people.items()}
        return {
            "file": str(self.file),
            "format": self.format,
            "rows": self.rows if self.told else None,
            "stored": self.stored if self.told else None,
            "unchanged": self.unchanged if self.told else None,
            "left_out": self.left_out,
            "problem": self.problem or None,
            "passed_over": self.passed_over,
            "people": people if self.told else None,
            "notes": [
                {
                    "line": note.line,
                    "kind": note.kind,
                    "code": note.code,
                    "field": note.field or None,
                    "evaluation": note.evaluation_id,
                    "message": note.message,
                }
                for note in self.notes_told()
            ],
        }


@dataclass(slots=True)
class Import:
    """An import under way: its id, its report, and new evaluations of which the log knows events already."""

    connection: sqlite3.Connection
    report: FileReport
    id: int
    waiting: set[str] = field(default_factory=set)

    def added(self, evaluation_id: str) -> None:
        """Note a new evaluation; what follows from events that waited for it is derived in the end."""
        if self.connection.execute(_WAITS, (evaluation_id,)).fetchone():
            self.waiting.add(evaluation_id)


_WAITS = "SELECT 1 FROM events WHERE evaluation_id = ? LIMIT 1"

NOTHING_JUDGED = frozenset({"discox-dataset", "texts", "wmt-general"})
"""The formats in which no judge and no reviewer says anything."""


def is_told(connection: sqlite3.Connection, reviewer: str, report: FileReport) -> bool:
    """Tell if a reviewer may know what a file's rows came to: not as long as anything is hidden from them.

    Its remarks are on scores and on judges that failed, and some formats have a row for each error.
    """
    return report.format in NOTHING_JUDGED or not hides(connection, reviewer)


def say_kept(report: FileReport, known: Collection[str]) -> None:
    """Note once which fields nobody knows, in how many rows, and which known one may be meant."""
    from difflib import get_close_matches

    rows: dict[str, list[int]] = {}
    for each in (note for note in report.kept if note.code == KEPT):
        rows.setdefault(each.field, []).append(each.line)
    told = []
    for name, lines in rows.items():
        near = get_close_matches(name, known, n=1)
        meant = f"; is {near[0]} meant?" if near else ""
        count = "once" if len(lines) == 1 else f"{len(lines):,} times, first"
        told.append(f"“{name[:NAME_SHOWN]}” ({count} in line {lines[0]}{meant})")
    if told:
        message = "fields that are not known here, and not read; they are kept with the report of the import"
        report.flag(0, "unknown_fields", f"{message}: {first_of(told)}")


def first_of(told: Sequence[str]) -> str:
    """Return as many of several in one line as a note shows, and how many more there are."""
    return ", ".join(told[:_KINDS]) + (f" and {len(told) - _KINDS:,} more" if len(told) > _KINDS else "")


NAME_SHOWN = 40
"""Characters of a field's name, or an article's, that a note shows."""
_KINDS = 20
"""Fields or articles that a note shows."""


def imports(connection: sqlite3.Connection) -> list[tuple[int, str, FileReport]]:
    """Return the reports of all imports, newest first, each with its id and its UTC time."""
    rows = connection.execute(
        "SELECT id, at, file, format, rows, stored, unchanged, left_out FROM imports ORDER BY id DESC"
    ).fetchall()
    reports = []
    for import_id, at, file, found, total, stored, unchanged, left_out in rows:
        read = []
        for kind, code, field_, message, places in connection.execute(_REASONS, (import_id,)):
            for place in json.loads(places):
                line, evaluation_id = place if isinstance(place, list) else (place, None)
                read.append(Note(line, kind, code, message, field_, evaluation_id))
        said, kept = ([note for note in read if (note.code in (KEPT, WAITING)) is of] for of in (False, True))
        report = FileReport(Path(file), found, total, stored, unchanged, left_out, said, kept=kept)
        reports.append((import_id, at, report))
    return reports


_REASONS = "SELECT kind, code, field, message, rows FROM import_reasons WHERE import_id = ? ORDER BY position"
