"""One door for every file that can be imported: our own formats, other tools', and those that packages add."""

from __future__ import annotations

import json
import shlex
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from judges.metric_s.schemes.mapping import Mapping, MappingError, read_mapping
from storage.base.files import files_within, why_not
from storage.formats.base.format import Format, ReadOptions
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.lines import FormatError
from storage.formats.other_files import told_otherwise
from storage.formats.registry import detect, format_named, format_of, formats
from storage.importing.archive import FORMAT as ARCHIVE
from storage.importing.archive import import_archive
from storage.importing.import_report import FileReport
from storage.importing.writer import LibraryWriter, problem_of, store_items

TEXTS = "texts"
"""Name of the format of a source and a translation in two files."""
SCORES = "scores"
"""The format that comes in by a command of its own, or by its name."""
SUFFIXES = (
    *(".json", ".jsonl", ".tsv", ".csv", ".xlsx", ".zip"),
    *(".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff", ".tmx"),
)
"""Suffixes of the files that are looked at in a folder; others are to be named."""


def paths_in(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield what the paths name: files, folders that are in a format as a whole, or the files in a folder, by name."""
    for path in paths:
        if path.is_dir() and format_of(Head(InputFile(path))) is None:
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
    report = FileReport(path)
    named = format_named([*formats()], format) if format not in (None, ARCHIVE) else None
    with InputFile(path) as file:
        try:
            file.require()
            found = None if format == ARCHIVE else _format(file, named)
        except (FormatError, OSError) as error:
            report.fail(problem_of(path, error))
            return report
        if found is None:
            report.format = ARCHIVE
            if options.beside and path not in options.beside and zipfile.is_zipfile(path):
                report.problem = f"{path}: is an archive of a whole library; name it to bring that in"
                return report
            return import_archive(connection, path, progress)
        report.format = found.name
        labels = mapping or read_mapping("")
        store_items(
            connection,
            file,
            report,
            lambda: found.read(file, options),
            lambda under_way: LibraryWriter(under_way, options, labels, found.known),
            options=_given(found, options, labels),
            program=program,
            progress=progress,
        )
    return report


def _format(file: InputFile, named: Format | None) -> Format | None:
    """The format that is said, or that a file is in; None for an archive. Raises FormatError where there is none."""
    if named and (not named.own or named.name == SCORES):
        return named
    head = Head(file)
    if head.is_zip and format_of(head) is None:
        if other := told_otherwise(head):
            raise FormatError(f"{file}: {other}")
        return None
    found = detect(head)
    if found.name == SCORES:
        raise FormatError(f"{file}: looks like a table of scores; discox import scores {shlex.quote(str(file))}")
    return found


def _given(format: Format, options: ReadOptions, mapping: Mapping) -> dict[str, str | None]:
    """Return what was said of a file, as it is kept with the import: what such a format takes."""
    if format.name == SCORES:
        return {}
    given = {"judge": options.judge, "system": options.system, **_of_articles(options)}
    if options.direction or not format.own:
        given["direction"] = options.direction
    return given if format.own else {**given, "mapping": mapping.signature, "mapping_text": mapping.text}


def _of_articles(options: ReadOptions) -> dict[str, str | None]:
    """Return what was said of the articles that a file's texts are of."""
    answers = json.dumps(dict(options.answers), ensure_ascii=False, sort_keys=True) if options.answers else None
    said = {"article": options.article, "unclear": options.unclear, "answers": answers}
    return {name: value for name, value in said.items() if value}


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

    report, labels = FileReport(translation, TEXTS), read_mapping("")
    with InputFile(source) as first, InputFile(translation) as second:
        store_items(
            connection,
            second,
            report,
            lambda: read_texts(first, second, options),
            lambda under_way: LibraryWriter(under_way, options, labels),
            options={
                "source": str(source),
                "system": options.system,
                "direction": options.direction,
                **_of_articles(options),
                "mapping": labels.signature,
                "mapping_text": labels.text,
            },
            program=program,
        )
    return report


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
    from storage.formats.tools.judge_answers import JudgeAnswers, read_files

    report, labels = FileReport(answers, JudgeAnswers.name), mapping or read_mapping("")
    sides = ("source", "translation", "reference")
    with ExitStack() as opened:
        file = opened.enter_context(InputFile(answers))
        files = [opened.enter_context(InputFile(path)) for path in texts]
        store_items(
            connection,
            file,
            report,
            lambda: read_files(file, dict(zip(sides, files, strict=False)), options),
            lambda under_way: LibraryWriter(under_way, options, labels),
            options={
                **{side: str(path) for side, path in zip(sides, texts, strict=False)},
                "judge": options.judge,
                "system": options.system,
                "direction": options.direction,
                "mapping": labels.signature,
                "mapping_text": labels.text,
            },
            program=program,
        )
    return report


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
