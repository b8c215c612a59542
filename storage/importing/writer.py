"""The one way of a file's items into the library: a transaction in which each is stored, unchanged or left out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from judges.metric_s.schemes.mapping import Mapping as Labels
from storage.base.errors import StorageError
from storage.base.files import why_not
from storage.base.text import storable, utc
from storage.db.connection import insert, room_for_many, transaction
from storage.formats.base.format import Item, ReadOptions
from storage.formats.base.items import Annotation, Document, Hypothesis, Remark, ScoreLine, UnknownFields
from storage.formats.io.input_file import InputFile
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut, Row
from storage.importing.annotations import AnnotationWriter
from storage.importing.hypotheses import HypothesisWriter
from storage.importing.import_report import FileReport, Import, say_kept
from storage.importing.known_articles import KnownArticles
from storage.importing.own_files import RowWriter
from storage.importing.scores import ScoreWriter
from storage.reviews.events import checked_entries
from storage.reviews.projections import derive_waiting


class Writer(Protocol):
    """Writer of the items of one import; rows left out, and remarks, do not come to it."""

    def take(self, item: Any) -> None:
        """Store an item, and count it in the import's report."""

    def finish(self) -> None:
        """Note what is to be said of all items."""


class LibraryWriter:
    """Stores whatever a format yields: rows of our own, scores, documents, annotations."""

    def __init__(self, under_way: Import, options: ReadOptions, mapping: Labels, known: Collection[str] = ()) -> None:
        self._report, self._fields, self._article = under_way.report, known, options.article or ""
        self._known = KnownArticles(under_way, options.unclear, options.answers)
        self._rows = RowWriter(under_way, options.judge, options.system, self._known)
        self._scores = ScoreWriter(under_way)
        self._annotations = AnnotationWriter(under_way, mapping, self._known)
        self._hypotheses = HypothesisWriter(under_way, self._annotations, self._known)

        self._last: tuple[Document, Document] | None = None

    def take(self, item: Item) -> None:
        """Store an item, and count it in the import's report."""
        match item:
            case Row():
                self._rows.take(item)
            case Hypothesis():
                self._hypotheses.take(item._replace(article=self._article) if self._article else item)
            case UnknownFields():
                self._rows.keep(item.line, item.values)
            case ScoreLine():
                self._scores.take(item)
            case Document() | Annotation():
                self._annotations.take(self._renamed(item) if self._article else item)

    def _renamed(self, item: Document | Annotation) -> Document | Annotation:
        """Return the item with the article's name as the user says it; of one document once, as many are of it."""
        document = item if isinstance(item, Document) else item.document
        if self._last is None or self._last[0] is not document:
            self._last = document, replace(document, article=self._article)
        return self._last[1] if isinstance(item, Document) else replace(item, document=self._last[1])

    def finish(self) -> None:
        """Note what is to be said of all items."""
        for writer in (self._hypotheses, self._scores, self._annotations, self._known):
            writer.finish()
        say_kept(self._report, self._fields)


def store_items(
    connection: sqlite3.Connection,
    file: InputFile,
    report: FileReport,
    items: Callable[[], Iterable[Any]],
    writer: Callable[[Import], Writer],
    *,
    options: Mapping[str, str | None],
    program: str = "",
    progress: Callable[[int], None] = lambda rows: None,
) -> None:
    """Store the items of a file, then the report of it, in one transaction. Importing them again changes nothing.

    ``items`` and ``writer`` are called once. A file that cannot be read is said in ``report.problem``, and nothing of
    it is stored. Raises StorageError where the report does not add up.
    """
    try:
        file.require()
        with room_for_many(connection), _unreferenced(connection), transaction(connection):
            import_id = 1 + int(connection.execute("SELECT coalesce(max(id), 0) FROM imports").fetchone()[0])
            under_way = Import(connection, report, import_id)
            with checked_entries(connection):
                taker = writer(under_way)
                for item in items():
                    match item:
                        case LeftOut():
                            report.leave_out(item)
                        case Remark():
                            report.flag(item.line, item.code, item.message, item.field)
                        case _:
                            taker.take(item)
                    progress(report.rows)
                taker.finish()
                waiting = json.dumps(sorted(under_way.waiting))
                derive_waiting(connection, "SELECT value FROM json_each(?)", (waiting,))
            if report.rows != report.stored + report.unchanged + report.left_out:
                raise StorageError(f"{file}: the import does not add up; nothing of it was stored")
            _record(under_way, file.checksum(), json.dumps(options, ensure_ascii=False), program)
    except (FormatError, OSError) as error:
        report.fail(problem_of(file.path, error))


def problem_of(path: Path, error: FormatError | OSError) -> str:
    """Return in one line why a file could not be read."""
    if isinstance(error, FormatError):
        return " ".join(str(error).split())
    return f"{path}: cannot be read ({why_not(path, error)}); check the name and its permissions"


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


def _record(under_way: Import, checksum: str, options: str, program: str) -> None:
    """Keep the report, unless nothing was stored and the same file was reported before."""
    connection, report = under_way.connection, under_way.report
    known = (checksum, storable(str(report.file)), options)
    if not report.stored and connection.execute(_KNOWN, known).fetchone():
        return
    row: dict[str, object] = {
        "id": under_way.id,
        "at": utc(datetime.now(UTC)),  # to the microsecond, as events: by it is known what came by which import
        "file": storable(str(report.file)),
        "sha256": checksum,
        "options": options,
        "program": program,
        **{name: getattr(report, name) for name in ("format", "rows", "stored", "unchanged", "left_out")},
    }
    insert(connection, "imports", [row])
    reasons: dict[tuple[str, str, str, str], list[object]] = {}
    for note in (*report.notes, *report.kept):
        of = note.line if note.evaluation_id is None else [note.line, note.evaluation_id]
        reasons.setdefault((note.kind, note.code, note.field, note.message), []).append(of)
    names = ("kind", "code", "field", "message")
    kept = [
        {"import_id": under_way.id, "position": n, **dict(zip(names, reason, strict=True)), "rows": json.dumps(rows)}
        for n, (reason, rows) in enumerate(reasons.items(), 1)
    ]
    insert(connection, "import_reasons", kept)


_KNOWN = "SELECT 1 FROM imports WHERE sha256 = ? AND file = ? AND options = ?"
