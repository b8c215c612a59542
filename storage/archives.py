"""Importing archives: what one holds is united with what is here, as when libraries are merged."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from storage.connection import open_database
from storage.events import READABLE
from storage.formats.archive import FORMAT, make_library
from storage.formats.lines import FormatError
from storage.imports import FileReport, Note
from storage.merging import MergeReport, merge_library
from storage.record_checks import drop_faulty
from storage.review_derived import LEFT_OUT


def import_archive(
    connection: sqlite3.Connection, path: Path, progress: Callable[[int], None] = lambda rows: None
) -> FileReport:
    """Add what an archive holds, all in one transaction, once it was found to be whole; and the report of it.

    An empty library then equals the one that was exported. Of an older program's archive the rows are brought up to
    date. No row of ``imports`` is made for the archive itself. Never raises for what a file holds:
    ``FileReport.problem`` says why nothing was stored.
    """
    report = FileReport(path, FORMAT)
    merged = MergeReport(path)
    try:
        with tempfile.TemporaryDirectory(prefix="discox-archive-") as folder:
            library = Path(folder) / "library.db"
            report.rows = sum(make_library(path, library, progress).values())
            with closing(open_database(library, check=False)) as opened:
                waiting = _waited_for(opened)
                merged.left_out += drop_faulty(opened)
            merge_library(connection, library, merged)
            waiting &= _waited_for(connection)
    except FormatError as error:
        return FileReport(path, FORMAT, problem=" ".join(str(error).split()))
    except (sqlite3.IntegrityError, ValueError, KeyError, TypeError, AttributeError):
        problem = f"{path}: holds rows that contradict each other, or say what cannot be; export the archive again"
        return FileReport(path, FORMAT, problem=f"{problem}, or use another copy of it")
    report.stored = sum(count for table, count in merged.added.items() if table not in LEFT_OUT)
    report.left_out = len(merged.left_out)
    report.unchanged = report.rows - report.stored - report.left_out
    for fault in merged.left_out:
        message = f"{fault.record} {fault.id}: {fault.reason}; the row was left out"
        report.notes.append(Note(0, "left_out", "unreadable", message, fault.field))
    for conflict in merged.conflicts:
        what = f"{conflict.record} {conflict.id}: {', '.join(conflict.fields) or 'is not here'}"
        message = f"{what}: the archive says something else; what is here stays, the other is in merge_conflicts"
        report.notes.append(Note(0, "flag", "conflict", message))
    if merged.contradictions:
        message = f"contradictions between what one reviewer did here and there: {len(merged.contradictions):,}"
        report.notes.append(Note(0, "flag", "contradiction", f"{message}; filter the queue by the word contradicts"))
    if waiting:
        message = f"evaluations of its log that are not here yet: {len(waiting):,}; what was said waits for them"
        report.notes.append(Note(0, "flag", "unknown_evaluations", message))
    return report


def _waited_for(connection: sqlite3.Connection) -> set[str]:
    """The evaluations that the log has events of and that are not in the library."""
    query = (
        f"SELECT DISTINCT evaluation_id FROM events WHERE evaluation_id <> '' AND {READABLE} "
        "EXCEPT SELECT id FROM evaluations"
    )
    return {identity for (identity,) in connection.execute(query)}
