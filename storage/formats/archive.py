"""Archives that ``discox export archive`` wrote: checked, then made into a library file of the version they are of."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from storage import schema
from storage.formats.lines import FormatError
from storage.formats.zips import BROKEN, is_zip, open_zip
from storage.review_log import DERIVED

FORMAT = "discox-archive"
VERSION = 1
"""Of the archive's own form; the tables' is the schema's."""
MANIFEST = "manifest.json"
LEFT_OUT = frozenset(("app_state", "_sqlite_migrations", *DERIVED))
"""Tables that are in no archive: what the app remembers for a reviewer, and what follows from the log."""

_LARGEST_MANIFEST = 1 << 20
_ROWS = 1_000
_AGAIN = "export the archive again, or use another copy of it"


def is_archive(path: Path) -> bool:
    """Whether a file is such an archive, whole or not: a zip file with a manifest that says so."""
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
            f"{path}: holds no {MANIFEST}, so it is no archive of discox; check that it is the right file"
        )
    try:
        if opened.getinfo(MANIFEST).file_size > _LARGEST_MANIFEST:
            raise ValueError("too large")
        manifest = json.loads(opened.read(MANIFEST))
        if manifest["format"] != FORMAT:
            raise ValueError("of another format")
        if int(manifest["version"]) > VERSION or int(manifest["schema"]) > schema.VERSION:
            raise FormatError(
                f"{path}: {MANIFEST}: was written by a newer program ({str(manifest.get('program'))[:60]}, data "
                f"version {manifest['schema']}, this program knows {schema.VERSION}); upgrade discox-tui"
            )
        if int(manifest["schema"]) < 1:
            raise ValueError("of no version")
        for table in manifest["tables"].values():
            if not all(isinstance(table[key], kind) for key, kind in _SAID.items()):
                raise ValueError("incomplete")
    except (*BROKEN, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path}: {MANIFEST}: is no manifest of discox ({error}); {_AGAIN}") from None
    return dict(manifest)


_SAID: dict[str, type] = {"file": str, "rows": int, "bytes": int, "sha256": str, "columns": list}


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


def _make_empty(target: Path, version: int) -> None:
    from sqlite_utils import Database

    with closing(sqlite3.connect(target)) as connection:
        schema.migrate(Database(connection), version)
        connection.commit()


def _read_table(
    path: Path, opened: zipfile.ZipFile, connection: sqlite3.Connection, name: str, table: dict[str, Any]
) -> Iterator[int]:
    """Put one table's rows into the library, some at a time, and yield how many; check its hash at the end."""
    member, columns = table["file"], table["columns"]
    known = [row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))]
    if name in LEFT_OUT or sorted(columns) != sorted(known):
        raise FormatError(f"{path}: {member}: is no table of discox with these columns; {_AGAIN}")
    listed = ", ".join(f'"{column}"' for column in columns)
    insert = f'INSERT INTO "{name}" ({listed}) VALUES ({", ".join("?" * len(columns))})'
    digest, line, rows = hashlib.sha256(), 0, list[list[Any]]()
    try:
        with opened.open(member) as file:
            for line, raw in enumerate(file, 1):  # noqa: B007 - named in what is raised
                digest.update(raw)
                row = json.loads(raw)
                rows.append([row[column] for column in columns])
                if len(row) != len(columns):
                    raise ValueError("other columns than the manifest's")
                if len(rows) == _ROWS:
                    connection.executemany(insert, rows)
                    yield len(rows)
                    rows.clear()
        connection.executemany(insert, rows)
        yield len(rows)
    except BROKEN as error:
        raise FormatError(f"{path}: {member}: is damaged ({error}); {_AGAIN}") from None
    except (ValueError, KeyError, TypeError, RecursionError, sqlite3.Error) as error:
        raise FormatError(f"{path}: {member}: line {line:,} or one before it is no row ({error}); {_AGAIN}") from None
    if digest.hexdigest() != table["sha256"] or line != table["rows"]:
        raise FormatError(f"{path}: {member}: is not what was written, by its hash or its count of rows; {_AGAIN}")
