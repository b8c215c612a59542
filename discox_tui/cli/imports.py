"""``discox import``: files into the library, and what became of every row."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from discox_tui import __version__
from discox_tui.cli.output import json_text, note, progress_line, say
from discox_tui.cli.session import library
from storage.groundings import ground_pending
from storage.imports import FileReport, files_in, import_file


def import_files(options: argparse.Namespace) -> int:
    """Import files and folders, print what became of every row, then locate the errors in their texts."""
    reports = []
    named = [Path(given) for given in options.paths]
    with library(options, create=True) as connection:
        for path in files_in(named):
            show = progress_line(f"storing {path.name}:")
            report = import_file(
                connection,
                path,
                judge=options.judge,
                system=options.system,
                program=f"discox {__version__}",
                progress=lambda rows, show=show: show(rows, None),  # type: ignore[misc]
            )
            if sys.stderr.isatty():
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            report.passed_over = bool(report.problem) and path not in named
            reports.append(report)
            if not options.json:
                _print_report(report)
        if not reports:
            note("discox: there is no .json or .jsonl file in the folder; name the result files")
        if not options.json and not options.judge and any(r.stored and r.format != "discox-dataset" for r in reports):
            note("the files do not name the judge; with --judge NAME the evaluations of several judges stay apart")
        if not options.no_ground:
            ground_pending(connection, connection.path, progress_line("locating errors in evaluation"))
    if options.json:
        totals = {
            name: sum(getattr(report, name) for report in reports)
            for name in ("rows", "stored", "unchanged", "left_out")
        }
        print(json_text(totals | {"files": [report.as_json() for report in reports]}))
    arrived = any(report.stored or report.unchanged for report in reports)
    return 0 if arrived and all(report.passed_over for report in reports if report.problem) else 1


def _print_report(report: FileReport) -> None:
    if report.problem:
        note(f"{'passed over: ' if report.passed_over else 'discox: '}{report.problem}")
        return
    say(
        f"{report.file}: {report.format}, {report.rows:,} rows = {report.stored:,} stored + "
        f"{report.unchanged:,} unchanged + {report.left_out:,} left out"
    )
    for entry in report.notes:
        mark = "left out" if entry.kind == "left_out" else "flag"
        where = f" {entry.field}:" if entry.field else ""
        say(f"  {report.file.name}:{entry.line}: {mark}:{where} {entry.message}")
