"""``discox consistency``: how consistent the judge, or any metric, is with the humans."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discox_tui.cli.leaderboard import MOST_RESAMPLES
from discox_tui.cli.output import fail, json_text, note, say
from discox_tui.cli.session import library
from storage.imports import FileReport

if TYPE_CHECKING:
    from judges.agreement.documents import Part
    from judges.agreement.report import ConsistencyReport
    from storage.pairwise import Pairwise
    from storage.scores import ScoreTable

SHOWN = 20
"""Notes on a file that are printed; a file can have a million."""


def consistency(options: argparse.Namespace) -> int:
    """Print every figure over what the words leave: of the library, or of tables of scores alone."""
    from judges.resampling import RESAMPLES, SEED

    options.seed = SEED if options.seed is None else options.seed
    options.resamples = RESAMPLES if options.resamples is None else options.resamples
    if options.seed < 0 or not RESAMPLES <= options.resamples <= MOST_RESAMPLES:
        note(f"discox: --resamples takes {RESAMPLES:,} to {MOST_RESAMPLES:,}, --seed a number from 0")
        return 2
    if sum([options.json, options.csv, *(path == "-" for path in _files(options).values())]) > 1:
        return fail("only one of --json, --csv and a file - can go to standard output", 2)
    return _of_files(options) if options.scores else _of_library(options)


def _of_files(options: argparse.Namespace) -> int:
    from discox_tui.reports.pairwise import as_json
    from storage.scores import ScoreTable, read_score_files

    paths = [Path(given) for given in options.scores]
    table, reports = read_score_files(paths, " ".join(options.words), options.reviewer, options.judge)
    for report in reports:
        if report.problem:
            return fail(report.problem)
        _note_on(report)
    if not any(report.stored for report in reports):
        return fail("no row is a score; what is wrong with each stands above, or there is none")
    if options.by in ("dimension", "severity", "category"):
        note(f"discox: a table of scores says nothing by {options.by}; system, domain and reviewer can be told apart")
    found = _computed(options, lambda part: table if part == "total" else ScoreTable(()))
    if options.json:
        plain = as_json(found, beside=options.published)
        print(json_text(plain | {"files": [report.as_json() for report in reports]}))
    elif options.csv or not _files(options):
        _print(options, found)
    _write(options, found, None, reports)
    return 0


def _of_library(options: argparse.Namespace) -> int:
    from discox_tui.reports import consistency as findings
    from discox_tui.reports import pairwise
    from storage.reviewed import read_reviewed, reviewer_among
    from storage.scores import read_scores

    with library(options) as connection:
        reviewer, words = options.reviewer, " ".join(options.words)
        if reviewer is None:
            reviewer, words = reviewer_among(connection, words)
        found = _computed(options, lambda part: read_scores(connection, words, reviewer, options.judge, part))
        if options.csv and not _files(options):
            _print(options, found)
            return 0
        report = read_reviewed(connection, reviewer, words, options.judge).report(options.resamples, options.seed)
    if options.json:
        print(json_text(findings.as_json(report) | pairwise.as_json(found, beside=options.published)))
    elif options.csv:
        _print(options, found)
    elif not _files(options):
        _print(options, found)
        say()
        for line in findings.as_text(report, options.by).split("\n"):
            say(line)
    _write(options, found, report)
    return 0


def _files(options: argparse.Namespace) -> dict[str, str]:
    """The files that are asked for: format → where to, "-" for standard output."""
    named = {kind: getattr(options, kind) for kind in ("html", "markdown", "latex")}
    return {kind: path for kind, path in named.items() if path is not None}


def _write(
    options: argparse.Namespace,
    found: Pairwise,
    reviews: ConsistencyReport | None,
    files: Sequence[FileReport] = (),
) -> None:
    """Write the files that are asked for."""
    if not (wanted := _files(options)):
        return
    from discox_tui.reports.html import as_html
    from discox_tui.reports.latex import as_latex
    from discox_tui.reports.markdown import as_markdown
    from discox_tui.reports.sections import consistency_report
    from discox_tui.reports.writing import made, write_report

    facts = made(options.given)
    report = consistency_report(found, reviews, facts, files=files, by=options.by, beside=options.published)
    formats = {"html": as_html, "markdown": as_markdown, "latex": as_latex}
    for kind, path in wanted.items():
        write_report(path, formats[kind](report))
        if path != "-":
            note(f"the report was written to {path}")


def _computed(options: argparse.Namespace, read: Callable[[Part], ScoreTable]) -> Pairwise:
    from storage.pairwise import CUTS, compute_pairwise

    return compute_pairwise(
        read,
        ties=options.ties,
        cut=options.by if options.by in CUTS else None,
        compare=tuple(options.compare) if options.compare else None,
        resamples=options.resamples,
        seed=options.seed,
    )


def _print(options: argparse.Namespace, found: Pairwise) -> None:
    from discox_tui.reports.pairwise import as_csv, as_text

    if options.csv:
        sys.stdout.write(as_csv(found))
        return
    for line in as_text(found, beside=options.published).rstrip("\n").split("\n"):
        say(line)


def _note_on(report: FileReport) -> None:
    """Say on standard error what was left out of a file and what was flagged."""
    for entry in report.notes[:SHOWN]:
        note(report.line_of(entry))
    if len(report.notes) > SHOWN:
        note(f"  … and {len(report.notes) - SHOWN:,} more; --json has them all")
