"""Tables of scores that are named on the command line: read without a database, what is wrong with them said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discox_tui.cli.core.output import json_text, note
from discox_tui.cli.figures.options import TableOptions
from discox_tui.text.counts import counted
from storage.base.errors import StorageError

if TYPE_CHECKING:
    from storage.analysis.metric_scores import ScoreTable
    from storage.importing.import_report import FileReport

REASONS = 3
"""Reasons that are named where no row can be used."""
SHOWN = 20
"""Notes on a file that are printed; a file can have a million."""


def read_tables(options: TableOptions) -> tuple[ScoreTable, list[FileReport]]:
    """Read the tables, of them what the words, the reviewer and the judges that are asked for leave.

    What was left out and what was flagged is said on standard error. Raises StorageError where there is nothing to use;
    with --json what became of the rows is printed before, with the reason.
    """
    from storage.analysis.metric_scores import read_score_files

    table, reports = read_score_files(
        [Path(given) for given in options.scores], " ".join(options.words), options.reviewer, options.judge
    )
    for report in reports:
        if report.problem:
            raise unusable(options, report.problem, reports)
        _note_on(report)
    if not any(report.stored for report in reports):
        named = ", ".join(options.scores)
        raise unusable(options, f"{named}: {NO_ROW}{_whys(reports)}", reports)
    return table, reports


NO_ROW = "no row is a score"


def unusable(options: TableOptions, reason: str, reports: Sequence[FileReport]) -> StorageError:
    """Return the error that nothing can be made of the tables; print it as JSON where that was asked for."""
    if options.json:
        print(json_text({"problem": reason, "files": [report.as_json() for report in reports]}))
    return StorageError(reason)


def _whys(reports: Sequence[FileReport]) -> str:
    """The commonest reasons for which rows were left out."""
    whys = Counter(f"{note.field}: {note.message}" for report in reports for note in report.notes if note.line)
    return "".join(f"; {why} ({counted(n, 'row')})" for why, n in whys.most_common(REASONS)) or ", as there is no row"


def _note_on(report: FileReport) -> None:
    for line in report.lines():
        note(line)
