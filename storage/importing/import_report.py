"""Importing files: one transaction a file, every row stored, unchanged or left out with its reason."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from judges.model import Article, Flag
from storage.base.errors import StorageError
from storage.base.files import why_not
from storage.base.identity import article_id
from storage.base.text import storable, utc
from storage.db.connection import insert, room_for_many, transaction
from storage.formats.detect import around_rows, detect, known_fields, read_rows
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut, Row
from storage.record.library import FromFile, add_article, add_evaluation, add_translation, has_evaluation, identify
from storage.reviews.blinding import ANOTHER_EVALUATION, hides
from storage.reviews.events import checked_entries
from storage.reviews.projections import derive_waiting

UNKNOWN_JUDGE = "unknown"
"""The judge model of an evaluation whose file does not say and whose importer did not either."""

_SHOWN = 1_000
"""Characters of a note that are shown; a name in a file can have millions."""

KEPT = "unknown_field"
"""The code of a note that holds a value of a field that nobody knows."""

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


@dataclass(slots=True)
class FileReport:
    """What became of one file. ``rows`` = ``stored`` + ``unchanged`` + ``left_out``.

    ``problem`` says in one line why the file could not be read at all, or is empty. ``passed_over``: it was not named
    but found in a folder, and holds something else. ``people``: who marked errors in it → how many new passes of theirs
    were stored, with how many errors. ``kept``: fields that nobody knows, one a note, its message the value as JSON;
    ``notes`` say them once. ``told``: False where who asks may not know what the rows came to (`is_told`).
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

    def leave_out(self, row: LeftOut) -> None:
        """Count a row that is not taken, with its reason."""
        self.rows += 1
        self.left_out += 1
        self.notes.append(Note(row.line, "left_out", row.code, row.message, row.field))

    def line_of(self, note: Note) -> str:
        """Return a note as a line for people: file, line, field, what is to know."""
        mark = "left out" if note.kind == "left_out" else "flag"
        where = f" {note.field}:" if note.field else ""
        line = f"{note.line}:" if note.line else ""  # some are of the whole file
        message = note.message if len(note.message) <= _SHOWN else f"{note.message[:_SHOWN]}…"
        return f"  {self.file.name}:{line} {mark}:{where} {message}"

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


NOTHING_JUDGED = frozenset({"discox-dataset", "texts"})
"""The formats in which no judge and no reviewer says anything."""


def is_told(connection: sqlite3.Connection, reviewer: str, report: FileReport) -> bool:
    """Tell if a reviewer may know what a file's rows came to: not as long as anything is hidden from her.

    Its remarks are on scores and on judges that failed, and some formats have a row for each error.
    """
    return report.format in NOTHING_JUDGED or not hides(connection, reviewer)


def import_file(
    connection: sqlite3.Connection,
    path: Path,
    *,
    judge: str | None = None,
    system: str | None = None,
    direction: str | None = None,
    program: str = "",
    progress: Callable[[int], None] = lambda rows: None,
) -> FileReport:
    """Store one file's rows, all in one transaction, and the report of it. Importing it again changes nothing.

    Never raises for what a file holds: ``FileReport.problem`` says why nothing could be read.
    """
    report = FileReport(path)

    def take_rows(import_id: int) -> None:
        report.format = detect(path)
        importer = _Importer(connection, report, import_id, judge, system)
        for row in read_rows(path, report.format, direction):
            importer.take(row)
            progress(report.rows)
        importer.keep(1, around_rows(path, report.format))
        importer.finish()
        say_kept(report, known_fields(report.format))

    given = {"judge": judge, "system": system} | ({"direction": direction} if direction else {})
    store_file(connection, report, take_rows, given, program)
    return report


def store_file(
    connection: sqlite3.Connection,
    report: FileReport,
    take_rows: Callable[[int], None],
    options: Mapping[str, str | None],
    program: str,
) -> None:
    """Let ``take_rows`` store the rows of ``report.file`` under the import's id, then its report: one transaction.

    A file that cannot be read is said in ``report.problem``, and nothing of it is stored. Raises StorageError where the
    report does not add up.
    """
    path = report.file
    try:
        checksum = _checksum(path)
        with room_for_many(connection), _unreferenced(connection), transaction(connection):
            import_id = 1 + int(connection.execute("SELECT coalesce(max(id), 0) FROM imports").fetchone()[0])
            with checked_entries(connection):
                take_rows(import_id)
            if report.rows != report.stored + report.unchanged + report.left_out:
                raise StorageError(f"{path}: the import does not add up; nothing of it was stored")
            _record(connection, report, import_id, checksum, json.dumps(options, ensure_ascii=False), program)
    except (FormatError, OSError) as error:
        report.problem = " ".join(str(error).split()) if isinstance(error, FormatError) else _os_problem(path, error)
        report.rows = report.stored = report.unchanged = report.left_out = 0
        report.notes.clear()
        report.kept.clear()


@contextmanager
def _unreferenced(connection: sqlite3.Connection) -> Iterator[None]:
    """Let rows refer to the report's row, which is written last, when its counts are known.

    Were the check put off to the commit instead, every new article would cost a look through all translations: SQLite
    then asks of each row that others may refer to whether it is the one that is missing.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def _os_problem(path: Path, error: OSError) -> str:
    return f"{path}: cannot be read ({why_not(path, error)}); check the name and its permissions"


def _checksum(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, of the names and checksums of the files in it, in order of names."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        listed = "".join(f"{_checksum(file)}  {file.relative_to(path).as_posix()}\n" for file in files)
        return hashlib.sha256(listed.encode(errors="surrogateescape")).hexdigest()
    if path.exists() and not path.is_file():
        raise OSError(0, "is a pipe or a device, not a file")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _record(
    connection: sqlite3.Connection, report: FileReport, import_id: int, checksum: str, options: str, program: str
) -> None:
    if not report.stored:
        known = connection.execute(
            "SELECT 1 FROM imports WHERE sha256 = ? AND file = ? AND options = ?",
            (checksum, storable(str(report.file)), options),
        ).fetchone()
        if known:
            return
    row: dict[str, object] = {
        "id": import_id,
        "at": utc(datetime.now(UTC)),  # to the microsecond, as events: by it is known what came by which import
        "file": storable(str(report.file)),
        "sha256": checksum,
        "format": report.format,
        "options": options,
        "program": program,
        "rows": report.rows,
        "stored": report.stored,
        "unchanged": report.unchanged,
        "left_out": report.left_out,
    }
    insert(connection, "imports", [row])
    insert(
        connection,
        "import_notes",
        [
            {
                "import_id": import_id,
                "line": note.line,
                "kind": note.kind,
                "code": note.code,
                "field": note.field,
                "evaluation_id": note.evaluation_id,
                "message": note.message,
            }
            for note in (*report.notes, *report.kept)
        ],
    )


class _Importer:
    """Takes the rows of one file into the library and counts what became of each."""

    def __init__(
        self, connection: sqlite3.Connection, report: FileReport, import_id: int, judge: str | None, system: str | None
    ) -> None:
        self.connection = connection
        self.report = report
        self.import_id = import_id
        self.judge = judge
        self.system = system
        self.other_domains: dict[str, str] = {}

    def take(self, row: Row | LeftOut) -> None:
        if isinstance(row, LeftOut):
            self.report.leave_out(row)
            return
        self.report.rows += 1
        self._compare_domains(row.article)
        if row.judgement is None:
            self._take_article(row)
        else:
            self._take_evaluation(row)

    def _take_article(self, row: Row) -> None:
        _, new = add_article(self.connection, row.article)
        self._count(new)
        self._flag(row, row.flags, None)
        self.keep(row.line, row.others)

    def _take_evaluation(self, row: Row) -> None:
        assert row.judgement is not None
        judge = self.judge or row.judge or UNKNOWN_JUDGE
        system = self.system or row.system
        identity = identify(row.article, system, row.translation, judge, row.raw)
        self.keep(row.line, row.others, identity)
        if has_evaluation(self.connection, identity):
            self._count(False)
            return
        flags = [*row.flags, *row.judgement.flags]
        twin = self.connection.execute(
            "SELECT count(*) FROM evaluations WHERE article = ? AND system = ?", (row.article.key, system)
        ).fetchone()[0]
        if twin:
            flags.append(
                Flag(
                    ANOTHER_EVALUATION,
                    f"{twin} other evaluation(s) of {system} on article {row.article.key} are here",
                )
            )
        add_evaluation(
            self.connection,
            add_translation(self.connection, row.article, system, row.translation),
            judge,
            row.judgement,
            FromFile(self.import_id, row.line),
            raw=row.raw,
            stored_score=row.stored_score,
            flags=flags,
        )
        self._count(True)
        self._flag(row, flags, identity)

    def _count(self, new: bool) -> None:
        if new:
            self.report.stored += 1
        else:
            self.report.unchanged += 1

    def _flag(self, row: Row, flags: Sequence[Flag], identity: str | None) -> None:
        for flag in flags:
            self.report.notes.append(Note(row.line, "flag", flag.code, flag.message, "", identity))

    def _compare_domains(self, article: Article) -> None:
        """Remember an article that is here with other domains than the file says."""
        query = "SELECT domain, subdomain FROM articles WHERE id = ?"
        here = self.connection.execute(query, (article_id(article),)).fetchone()
        said = (article.domain, article.subdomain)
        if here and any(said) and said != here:
            both = (" / ".join(filter(None, names)) or "none" for names in (here, said))
            self.other_domains[article.key] = "{} here, {} in the file".format(*both)

    def keep(self, line: int, others: Mapping[str, Any], identity: str | None = None) -> None:
        """Keep the fields of a row that its format does not know."""
        for name, value in others.items():
            said = json.dumps(value, ensure_ascii=False)
            self.report.kept.append(Note(line, "flag", KEPT, said, name, identity))

    def finish(self) -> None:
        """Derive what follows from the rows, and note what is of them all."""
        if other := [f"{key[:_NAME]} ({said[:_SHOWN]})" for key, said in self.other_domains.items()]:
            shown = ", ".join(other[:_KINDS]) + (f" and {len(other) - _KINDS:,} more" if len(other) > _KINDS else "")
            message = f"articles that are here with another domain, which stays: {shown}"
            self.report.notes.append(Note(0, "flag", "other_domain", message))
        stored = "SELECT id FROM evaluations WHERE import_id = ?"
        derive_waiting(self.connection, stored, (self.import_id,))


def say_kept(report: FileReport, known: Collection[str]) -> None:
    """Note once which fields nobody knows, in how many rows, and which known one may be meant."""
    from difflib import get_close_matches

    rows: dict[str, list[int]] = {}
    for each in report.kept:
        rows.setdefault(each.field, []).append(each.line)
    told = []
    for name, lines in rows.items():
        near = get_close_matches(name, known, n=1)
        meant = f"; is {near[0]} meant?" if near else ""
        count = "once" if len(lines) == 1 else f"{len(lines):,} times, first"
        told.append(f"“{name[:_NAME]}” ({count} in line {lines[0]}{meant})")
    if told:
        shown = ", ".join(told[:_KINDS]) + (f" and {len(told) - _KINDS:,} more" if len(told) > _KINDS else "")
        message = f"fields that are not known here, and not read; they are kept with the report of the import: {shown}"
        report.notes.append(Note(0, "flag", "unknown_fields", message))


_NAME = 40
_KINDS = 20
"""Characters of a field's name, and fields, that a note shows."""


def imports(connection: sqlite3.Connection) -> list[tuple[int, str, FileReport]]:
    """Return the reports of all imports, newest first, each with its id and its UTC time."""
    rows = connection.execute(
        "SELECT id, at, file, format, rows, stored, unchanged, left_out FROM imports ORDER BY id DESC"
    ).fetchall()
    reports = []
    for import_id, at, file, found, total, stored, unchanged, left_out in rows:
        notes = connection.execute(
            "SELECT line, kind, code, message, field, evaluation_id FROM import_notes WHERE import_id = ? ORDER BY id",
            (import_id,),
        )
        read = [Note(*note) for note in notes]
        said, kept = ([note for note in read if (note.code == KEPT) is of] for of in (False, True))
        report = FileReport(Path(file), found, total, stored, unchanged, left_out, said, kept=kept)
        reports.append((import_id, at, report))
    return reports
