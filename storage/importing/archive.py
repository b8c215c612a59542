"""Archives that ``discox export archive`` wrote: checked, then made into a library file of the version they are of."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeGuard

from storage.db import schema
from storage.db.connection import open_database
from storage.formats.io.lines import FormatError
from storage.formats.io.zips import BROKEN, is_zip, open_zip
from storage.importing.import_report import FileReport, Note
from storage.importing.merge import MergeReport, merge_library
from storage.integrity.record_checks import drop_faulty
from storage.log.events import readable
from storage.reviews.projections import LEFT_OUT

FORMAT = "discox-archive"
VERSION = 1
"""Version of the archive's own form; the tables' is the schema's."""
MANIFEST = "manifest.json"
_LARGEST_MANIFEST = 1 << 20
_ROWS = 1_000
_BYTES = 1 << 16
_AGAIN = "export the archive again, or use another copy of it"


def is_archive(path: Path) -> bool:
    """Tell if a file is such an archive, whole or not: a zip file with a manifest that says so."""
    try:
        with closing(open_zip(path)) as opened:
            return bool(_manifest(path, opened))
    except FormatError:
        return False


def make_library(path: Path, target: Path, progress: Callable[[int], None] = lambda rows: None) -> dict[str, int]:
    """Make a library file of what an archive holds, of the archive's version; return how many rows each table has.

    Raises FormatError, naming the member and what to do, where anything is not as the manifest says. What was written
    to ``target`` until then is to be thrown away.
    """
    if not is_zip(path):
        raise FormatError(f"{path}: is no zip file; {_AGAIN}")
    with closing(open_zip(path)) as opened:
        manifest = _manifest(path, opened)
        _check_members(path, opened, manifest)
        _make_empty(target, manifest["schema"])
        with closing(sqlite3.connect(target)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            _check_tables(path, connection, manifest)
            done = 0
            for name, table in manifest["tables"].items():
                for rows in _read_table(path, opened, connection, name, table):
                    done += rows
                    progress(done)
            broken = connection.execute("PRAGMA foreign_key_check").fetchone()
            if broken:
                raise FormatError(f"{path}: {_member(manifest, broken[0])}: refers to a row that is in none; {_AGAIN}")
            connection.commit()
    return {name: table["rows"] for name, table in manifest["tables"].items()}


def _member(manifest: dict[str, Any], table: str) -> str:
    return str(manifest["tables"][table]["file"])


def _manifest(path: Path, opened: zipfile.ZipFile) -> dict[str, Any]:
    """Read the manifest, and check that it is one that can be followed."""
    if MANIFEST not in opened.namelist():
        raise FormatError(
            f"{path}: holds no {MANIFEST}, so it is no archive of discox; unpack it to import what is in it"
        )
    try:
        if opened.getinfo(MANIFEST).file_size > _LARGEST_MANIFEST:
            raise ValueError
        manifest = json.loads(opened.read(MANIFEST))
    except (*BROKEN, ValueError, RecursionError):
        raise FormatError(f"{path}: {MANIFEST}: cannot be read as JSON; {_AGAIN}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise FormatError(f"{path}: {MANIFEST}: is no manifest of discox; check that it is the right file")
    version, data, tables = (manifest.get(key) for key in ("version", "schema", "tables"))
    if not (_is_count(version) and _is_count(data) and isinstance(tables, dict)):
        raise FormatError(f"{path}: {MANIFEST}: does not say its version, that of the data, and the tables; {_AGAIN}")
    if version > VERSION or data > schema.VERSION:
        raise FormatError(
            f"{path}: {MANIFEST}: was written by a newer program ({str(manifest.get('program'))[:60]}, data "
            f"version {data}, this program knows {schema.VERSION}); upgrade discox-tui"
        )
    for name, table in tables.items():
        for key, kind in _SAID.items():
            if not isinstance(table, dict) or not isinstance(table.get(key), kind):
                raise FormatError(f"{path}: {MANIFEST}: does not say {key!r} of the table {name[:60]!r}; {_AGAIN}")
    return manifest


_SAID: dict[str, type] = {"file": str, "rows": int, "bytes": int, "sha256": str, "columns": list}


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _check_members(path: Path, opened: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    named = [table["file"] for table in manifest["tables"].values()]
    there = {member.filename: member.file_size for member in opened.infolist() if not member.is_dir()}
    for name, size in ((table["file"], table["bytes"]) for table in manifest["tables"].values()):
        if name not in there:
            raise FormatError(f"{path}: {name}: is missing, though the manifest names it; {_AGAIN}")
        if there[name] != size:
            raise FormatError(f"{path}: {name}: has {there[name]:,} bytes, not the manifest's {size:,}; {_AGAIN}")
    if foreign := sorted(there.keys() - {MANIFEST, *named}):
        raise FormatError(f"{path}: {foreign[0]!r}: is not in the manifest; take it out, or {_AGAIN}")
    for table in manifest["tables"].values():
        _check_hash(path, opened, table)


def _check_hash(path: Path, opened: zipfile.ZipFile, table: dict[str, Any]) -> None:
    digest = hashlib.sha256()
    try:
        with opened.open(table["file"]) as file:
            while some := file.read(_BYTES):
                digest.update(some)
    except BROKEN:
        raise FormatError(f"{path}: {table['file']}: is damaged and cannot be unpacked; {_AGAIN}") from None
    if digest.hexdigest() != table["sha256"]:
        raise FormatError(f"{path}: {table['file']}: is not what was written, by its hash; {_AGAIN}")


def _make_empty(target: Path, version: int) -> None:
    from sqlite_utils import Database

    with closing(sqlite3.connect(target)) as connection:
        schema.migrate(Database(connection), version)
        connection.commit()


def _check_tables(path: Path, connection: sqlite3.Connection, manifest: dict[str, Any]) -> None:
    """Refuse an archive without all the tables of its version: what they held would seem never to have been."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
    missing = [name for (name,) in connection.execute(query) if name not in LEFT_OUT | manifest["tables"].keys()]
    if missing:
        raise FormatError(
            f"{path}: {MANIFEST}: names no table {', '.join(missing)}, which data version {manifest['schema']} has; "
            f"{_AGAIN}"
        )


def _read_table(
    path: Path, opened: zipfile.ZipFile, connection: sqlite3.Connection, name: str, table: dict[str, Any]
) -> Iterator[int]:
    """Put one table's rows into the library, some at a time, and yield how many."""
    member, columns = table["file"], table["columns"]
    known = [row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))]
    if name in LEFT_OUT or sorted(map(str, columns)) != sorted(known):
        raise FormatError(f"{path}: {member}: is no table of discox with these columns; {_AGAIN}")
    listed = ", ".join(f'"{column}"' for column in columns)
    insert = f'INSERT INTO "{name}" ({listed}) VALUES ({", ".join("?" * len(columns))})'
    line, rows = 0, list[list[Any]]()
    try:
        with opened.open(member) as file:
            for line, raw in enumerate(file, 1):  # noqa: B007 - named in what is raised
                row = json.loads(raw)
                rows.append([row[column] for column in columns])
                if len(row) != len(columns):
                    raise KeyError
                if len(rows) == _ROWS:
                    connection.executemany(insert, rows)
                    yield len(rows)
                    rows.clear()
        connection.executemany(insert, rows)
        yield len(rows)
    except BROKEN:
        raise FormatError(f"{path}: {member}: is damaged and cannot be unpacked; {_AGAIN}") from None
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: {member}: line {line:,} is not JSON; {_AGAIN}") from None
    except (KeyError, TypeError):
        raise FormatError(f"{path}: {member}: line {line:,} has other columns than the manifest's; {_AGAIN}") from None
    except sqlite3.Error:
        said = f"line {line:,} or one before it has a value that cannot be there, or stands twice"
        raise FormatError(f"{path}: {member}: {said}; {_AGAIN}") from None
    if line != table["rows"]:
        raise FormatError(f"{path}: {member}: has {line:,} rows, not the manifest's {table['rows']:,}; {_AGAIN}")


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
            with closing(open_database(library)) as opened:
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
        f"SELECT DISTINCT evaluation_id FROM events WHERE evaluation_id <> '' AND {readable('events')} "
        "EXCEPT SELECT id FROM evaluations"
    )
    return {identity for (identity,) in connection.execute(query)}
