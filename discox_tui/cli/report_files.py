"""The options that write a report into files, for every command that has them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from discox_tui.cli.output import note

if TYPE_CHECKING:
    from discox_tui.reports.tables import Report

TOO_MANY = "only one of --json, --csv and a file - can go to standard output"


def files_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the files that are asked for: format → where to, "-" for standard output."""
    named = {kind: getattr(options, kind) for kind in ("html", "markdown", "latex")}
    return {kind: path for kind, path in named.items() if path is not None}


def too_many(options: argparse.Namespace) -> bool:
    """Whether more than one thing is to go to standard output."""
    printed = [options.json, options.csv, *(path == "-" for path in files_of(options).values())]
    return printed.count(True) > 1


def write_files(options: argparse.Namespace, report: Callable[[dict[str, str]], Report]) -> None:
    """Make the report, given how it is made, and write it into each file that is asked for; without any do nothing.

    Raises StorageError where one cannot be written.
    """
    if not (wanted := files_of(options)):
        return
    from discox_tui.reports.html import as_html
    from discox_tui.reports.latex import as_latex
    from discox_tui.reports.markdown import as_markdown
    from discox_tui.reports.writing import made, write_report

    whole = report(made(options.given))
    formats = {"html": as_html, "markdown": as_markdown, "latex": as_latex}
    for kind, path in wanted.items():
        write_report(path, formats[kind](whole))
        if path != "-":
            note(f"the report was written to {path}")
