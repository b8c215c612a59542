"""One door for every file that can be imported: our own formats and other tools'."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from judges.metric_s.schemes.mapping import Mapping, MappingError, read_mapping
from storage.base.files import files_within, why_not
from storage.formats.base.options import ReadOptions
from storage.formats.detect import EXPECTED, detect
from storage.formats.io.lines import FormatError
from storage.formats.io.zips import is_zip
from storage.formats.registry import READERS, Reader, format_named, reader_for
from storage.importing.annotations import import_annotations
from storage.importing.archive import FORMAT as ARCHIVE
from storage.importing.archive import import_archive
from storage.importing.import_report import FileReport, import_file
from storage.reviews.events import latest_entry

TEXTS = "texts"
"""What the format of a source and a translation in two files is called."""
SUFFIXES = (".json", ".jsonl", ".tsv", ".csv", ".xlsx", ".zip")
"""Which files of a folder are looked at; others are to be named."""


def paths_in(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield what the paths name: files, folders that are in a format as a whole, or the files in a folder, by name."""
    for path in paths:
        if path.is_dir() and reader_for(path) is None:
            yield from files_within(path, SUFFIXES)
        else:
            yield path


def import_path(
    connection: sqlite3.Connection,
    path: Path,
    options: ReadOptions = ReadOptions(),  # noqa: B008 - it cannot change
    *,
    format: str | None = None,
    mapping: Mapping | None = None,
    program: str = "",
    progress: Callable[[int], None] = lambda rows: None,
) -> FileReport:
    """Store what a file holds, and the report of it. Importing it again changes nothing.

    ``format``: its name, where it is not to be told from the file; ``mapping``: from other schemes' words into ours.
    Never raises for what a file holds: ``FileReport.problem`` says why nothing could be read. Raises FormatError for a
    format that there is not.
    """
    if format == ARCHIVE or (format is None and _is_archive(path)):
        if options.beside and path not in options.beside and zipfile.is_zipfile(path):
            return FileReport(
                path, ARCHIVE, problem=f"{path}: is an archive of a whole library; name it to bring that in"
            )
        return import_archive(connection, path, progress)
    reader = None if format in EXPECTED else format_named(READERS, format) if format else _foreign(path)
    if reader is None:
        return import_file(
            connection,
            path,
            judge=options.judge,
            system=options.system,
            direction=options.direction,
            program=program,
            progress=progress,
        )
    before = latest_entry(connection)
    report = import_annotations(
        connection,
        path,
        reader.name,
        lambda: reader.read(path, options),
        mapping or read_mapping(""),
        options={"judge": options.judge, "system": options.system, "direction": options.direction},
        program=program,
        progress=progress,
    )
    report.people = _people(connection, before)
    return report


def _people(connection: sqlite3.Connection, before: int) -> dict[str, tuple[int, int]]:
    """Return the people who marked errors in a file → passes, errors. ``before``: the log's last entry until then."""
    rows = connection.execute(
        "SELECT reviewer, count(*), sum(json_array_length(changes, '$.errors')) FROM events "
        "WHERE rowid > ? AND kind = 'imported' GROUP BY reviewer",
        (before,),
    )
    return {name: (passes, errors or 0) for name, passes, errors in rows}


def import_texts(
    connection: sqlite3.Connection,
    source: Path,
    translation: Path,
    options: ReadOptions = ReadOptions(),  # noqa: B008 - it cannot change
    *,
    program: str = "",
) -> FileReport:
    """Store a source and its translation, each a file of plain text or DOCX, and the report of the translation's.

    Never raises for what a file holds: ``FileReport.problem`` says why nothing could be read.
    """
    from storage.formats.own.pairs import read_texts

    return import_annotations(
        connection,
        translation,
        TEXTS,
        lambda: read_texts(source, translation, options),
        read_mapping(""),
        options={"source": str(source), "system": options.system, "direction": options.direction},
        program=program,
    )


def import_answers(
    connection: sqlite3.Connection,
    answers: Path,
    texts: Sequence[Path],
    options: ReadOptions = ReadOptions(),  # noqa: B008 - it cannot change
    *,
    mapping: Mapping | None = None,
    program: str = "",
) -> FileReport:
    """Store a judge's answers with the source, the translation and perhaps the reference that they are about.

    Each is a file with a line for each answer, or a folder with a file for each. Never raises for what a file holds:
    ``FileReport.problem`` says why nothing could be read.
    """
    from storage.formats.tools.judge_answers import read_files

    named = dict(zip(("source", "translation", "reference"), texts, strict=False))
    return import_annotations(
        connection,
        answers,
        "judge-answers",
        lambda: read_files(answers, named, options),
        mapping or read_mapping(""),
        options={
            **{what: str(path) for what, path in named.items()},
            "judge": options.judge,
            "system": options.system,
            "direction": options.direction,
        },
        program=program,
    )


def _is_archive(path: Path) -> bool:
    """Whether a file is to be read as an archive: a zip file that no other format is packed in."""
    return path.is_file() and is_zip(path) and reader_for(path) is None


def _foreign(path: Path) -> Reader | None:
    """The format of another tool that a file is in, if it is none of ours."""
    if path.is_file():
        try:
            detect(path)
        except FormatError:
            return reader_for(path)
        return None
    return reader_for(path) if path.exists() else None


def mapping_from(path: Path | None) -> Mapping:
    """Return the program's own mapping, changed by a user's file. Raises FormatError naming file, line and mend."""
    if path is None:
        return read_mapping("")
    try:
        return read_mapping(path.read_text(encoding="utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({why_not(path, error)}); check the name") from None
    except MappingError as error:
        raise FormatError(str(error)) from None
