"""The text that goes with an export: what it holds, when and with what it was made, and what its tables are.

Its head is the one by which the Hugging Face hub and ``datasets`` find the tables.
"""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path

from storage.exports.selection import ExportReport, Selection
from storage.exports.tables.rows import TABLES, chosen_table

NAME = "README.md"
TABLE_ENDINGS = (".csv", ".parquet")
"""Endings of files that hold one table each."""

ABOUT: Mapping[str, str] = {
    "outcomes": "a judge's error and a reviewer, with the outcome that the figures use: right, wrong, open or left out",
    "evaluations": "one judge's judgement of one translation, with both texts",
    "findings": "an error that a judge reported, also those that it dropped as repeats",
    "reviews": "how far a reviewer is with an evaluation",
    "verdicts": "a reviewer's verdict on an error; the fields `new_…` are set where the reviewer changed something",
    "own_errors": "an error that a reviewer marked",
    "points": "a reviewer's verdict on a rubric point",
    "figures": "a figure with its n and its interval, or why it is undefined",
}
"""Table → what one row of it is."""


def readme(
    connection: sqlite3.Connection,
    selection: Selection,
    title: str,
    counts: Mapping[str, int],
    files: Mapping[str, str],
) -> str:
    """Return the text, Markdown with a head of YAML.

    ``title``: the format; ``counts``: what was written → how many, in words; ``files``: table → the file it is in, of
    formats that are tables.
    """
    chosen = {
        "evaluations": " ".join(selection.words.split()) or "all",
        "reviewer": selection.reviewer or "all",
        "judges": ", ".join(selection.judges) or "all",
    }
    parts = [
        _head(files),
        "# Verdicts of people on LLM judges of translation\n",
        f"{title}, written by {selection.program or 'discox'} on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC.\n",
        "Chosen: " + "; ".join(f"{what} {words}" for what, words in chosen.items()) + ".\n",
        "Holds: " + (", ".join(f"{count:,} {what}" for what, count in counts.items()) or "nothing") + ".\n",
    ]
    if files:
        parts += ["## Tables\n", *(f"- `{file}`: a row is {ABOUT[table]}" for table, file in files.items())]
        parts.append("\nLists in a cell are JSON. `judge` is the judge's model, `step` what it was asked about.\n")
    parts += [
        "## What decided the scores\n",
        *(f"- {count:,} evaluations: `{' '.join(text.split())}`" for text, count in _signatures(connection, selection)),
        "\n## Licence\n",
        "Sources and translations belong to those who wrote them. Write the licence here before you pass this on.\n",
    ]
    return "\n".join(part for part in parts if part)


def _head(files: Mapping[str, str]) -> str:
    if not files:
        return ""
    lines = ["---", "pretty_name: Verdicts of people on LLM judges of translation", "language: [zh, en]", "configs:"]
    for table, file in files.items():
        lines += [f"- config_name: {table}", f"  data_files: {json.dumps(file)}"]
    return "\n".join([*lines, "---", ""])


def _signatures(connection: sqlite3.Connection, selection: Selection) -> list[tuple[str, int]]:
    chosen, values = selection.clause(connection)
    return connection.execute(
        "SELECT coalesce(g.text, 'imported, signature unknown: judge ' || e.judge) AS said, count(*) "
        f"FROM evaluations e LEFT JOIN signatures g ON g.id = e.signature_id WHERE {chosen} "
        "GROUP BY said ORDER BY count(*) DESC, said",
        values,
    ).fetchall()


def add_readme(
    connection: sqlite3.Connection,
    path: Path,
    selection: Selection,
    title: str,
    counts: Mapping[str, int],
    report: ExportReport,
) -> None:
    """Put the text into a folder or a zip file that was written, or have it written beside a file.

    ``title`` and ``counts`` as in `readme`.
    """
    if path.is_dir():
        names = [each.name for each in path.iterdir()]
        (path / NAME).write_text(readme(connection, selection, title, counts, _files(names)), "utf-8", newline="\n")
    elif path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(NAME, readme(connection, selection, title, counts, _files(archive.namelist())))
    else:
        table = chosen_table(path, selection, path.suffix.lower()) if path.suffix.lower() in TABLE_ENDINGS else None
        files = {table: path.name} if table else {}
        report.beside[f".{NAME}"] = readme(connection, selection, title, counts, files)


def _files(names: Collection[str]) -> dict[str, str]:
    """Return which of the files each table is in."""
    of = {table: next((f"{table}{end}" for end in TABLE_ENDINGS if f"{table}{end}" in names), None) for table in TABLES}
    return {table: file for table, file in of.items() if file}
