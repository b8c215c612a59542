"""Tables of scores that are named on the command line: read without a database, what is wrong with them said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discox_tui.cli.core.output import note
from discox_tui.cli.figures.options import TableOptions
from storage.base.errors import StorageError

if TYPE_CHECKING:
    from storage.analysis.metric_scores import ScoreTable
    from storage.importing.import_report import FileReport

SHOWN = 20
"""Notes on a file that are printed; a file can have a million."""


def read_tables(options: TableOptions) -> tuple[ScoreTable, list[FileReport]]:
    """Read the tables, of them what the words, the reviewer and the judges that are asked for leave.

    What was left out and what was flagged is said on standard error. Raises StorageError where there is nothing to use.
    """
    from storage.analysis.metric_scores import read_score_files

    table, reports = read_score_files(
        [Path(given) for given in options.scores], " ".join(options.words), options.reviewer, options.judge
    )
    for report in reports:
        if report.problem:
            raise StorageError(report.problem)
        _note_on(report)
    if not any(report.stored for report in reports):
        raise StorageError(
            f"{', '.join(options.scores)}: no row is a score; what is wrong with each stands above, or there is none"
        )
    return table, reports


def _note_on(report: FileReport) -> None:
    for line in report.lines():
        note(line)
