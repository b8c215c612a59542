"""``discox export`` and ``datasette-metadata``: what the library holds, for people and other tools."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from discox_tui import __version__
from discox_tui.cli.core.options import LibraryOptions, argument, choosing_words, several
from discox_tui.cli.core.output import fail, json_text, note
from discox_tui.cli.core.session import is_hiding, library
from discox_tui.text.safe import safe
from storage.base.text import storable
from storage.exports.files import is_stream, whole
from storage.exports.registry import WRITERS
from storage.formats.registry import format_named
from storage.importing.pipeline import mapping_from
from storage.reviews.blinding import COUNTED


@dataclass(frozen=True, kw_only=True)
class ExportOptions(LibraryOptions):
    """Options of ``discox export``."""

    format: str = argument(metavar="FORMAT", help=f"one of {', '.join(writer.name for writer in WRITERS)}")
    file: str = argument(metavar="FILE", help="where to; - for standard output")
    words: tuple[str, ...] = choosing_words()
    judge: tuple[str, ...] = several("--judge", "only this judge", type=storable, metavar="NAME")
    table: str | None = argument(
        "--table", metavar="TABLE", help="csv and parquet: one table as one file; a name that ends so means outcomes"
    )
    mapping: str | None = argument(
        "--mapping", metavar="FILE.toml", help="how severities become other schemes' (see `discox mapping`)"
    )


def export(options: ExportOptions) -> int:
    """Write the file whole or not at all, and say what is in it and what could not go along."""
    from storage.analysis.review_data import reviewer_among
    from storage.exports.selection import Selection
    from storage.exports.tables.readme import add_readme
    from storage.exports.tables.rows import TABLES

    if options.format not in {writer.name for writer in WRITERS}:
        known = ", ".join(writer.name for writer in WRITERS)
        return fail(f"there is no format {options.format!r}; known: {known}", 2)
    writer = format_named(WRITERS, options.format)
    if writer.everything and (options.words or options.judge or options.reviewer):
        return fail(f"{writer.name} holds everything; leave words, --judge and --reviewer away", 2)
    if options.table and options.table not in TABLES:
        return fail(f"there is no table {options.table!r}; known: {', '.join(TABLES)}", 2)
    if options.table and writer.name not in OF_TABLES:
        return fail(f"{writer.name} has no tables to choose from; leave --table away", 2)
    if options.file == "-" and sys.stdout.isatty() and writer.name not in PLAIN:
        return fail(f"{writer.name} is no text to look at; name a file", 2)
    words, reviewer = " ".join(options.words), options.reviewer
    mapping = mapping_from(Path(options.mapping) if options.mapping else None)
    with library(options, discreet=writer.everything) as connection:
        hiding = is_hiding(connection, options)
        if reviewer is None:
            reviewer, words = reviewer_among(connection, words)
        selection = Selection(words, reviewer, tuple(options.judge), mapping, f"discox {__version__}", options.table)
        with whole(options.file, writer.is_ours, f"earlier {writer.name} export", safe) as path:
            report = writer.write(connection, path, selection)
            told = {what: count for what, count in report.counts.items() if not hiding or what in COUNTED}
            if not writer.everything and not is_stream(options.file):
                add_readme(connection, path, selection, writer.title, told, report)
    for ending, text in () if is_stream(options.file) else report.beside.items():
        with whole(f"{options.file}{ending}", partial(_begins_like, text), "table of discox") as path:
            path.write_text(text, encoding="utf-8", newline="\n")
    for line in report.notes:
        note(line)
    counts = ", ".join(f"{count:,} {what}" for what, count in told.items()) or "nothing"
    if hiding:
        counts += " and all else"
    note(f"{counts} written to {options.file}")
    return 0


def print_datasette_metadata(options: LibraryOptions) -> int:
    """Print descriptions of the library's tables, and queries, as ``datasette --metadata`` reads them."""
    from storage.db.descriptions import datasette_metadata

    with library(options, discreet=True) as connection:
        print(json_text(datasette_metadata(connection, connection.path.stem)))
    return 0


def _begins_like(text: str, path: Path) -> bool:
    """Tell if a file's first line is that of a text."""
    with path.open("rb") as file:
        return file.readline() == text.partition("\n")[0].encode() + b"\n"


OF_TABLES = ("csv", "parquet")
"""The formats of which one table can be written alone."""
PLAIN = ("jsonl", "wmt-mqm", "label-studio")
"""The formats that may be printed on a terminal, where nothing in them can act on it."""
