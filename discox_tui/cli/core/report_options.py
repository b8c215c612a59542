"""Options of commands that print a report or write it into files, and of those that draw resamples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discox_tui.cli.core.options import LibraryOptions, argument, flag, number, seed_number
from discox_tui.cli.core.output import json_text, note, print_csv, say
from judges.stats.resampling import RESAMPLES, SEED

if TYPE_CHECKING:
    from discox_tui.reports.render.model import Report


@dataclass(frozen=True, kw_only=True)
class ReportOptions(LibraryOptions):
    """Options of a command that prints a report, as text, JSON or CSV, or writes it into files."""

    json: bool = flag("--json", "print JSON", exclusive="output")
    csv: bool = flag("--csv", "print CSV, a row for each figure", exclusive="output")
    html: str | None = argument("--html", metavar="FILE", help="write a report for people; - for standard output")
    markdown: str | None = argument(
        "--markdown", metavar="FILE", help="write the tables as Markdown; - for standard output"
    )
    latex: str | None = argument("--latex", metavar="FILE", help="write the tables as LaTeX; - for standard output")


MOST_RESAMPLES = 100_000


@dataclass(frozen=True, kw_only=True)
class ResamplingOptions(LibraryOptions):
    """Options of a command that draws resamples."""

    seed: int | None = argument("--seed", type=seed_number, metavar="N", help="of the random draws (else 1)")
    resamples: int | None = argument(
        "--resamples",
        type=number(int, RESAMPLES, MOST_RESAMPLES),
        metavar="N",
        help="how many random draws, at least 2000 (else 2000)",
    )


TOO_MANY = "only one of --json, --csv and a file - can go to standard output"


def files_of(options: ReportOptions) -> dict[str, str]:
    """Return the files that are asked for: format → where to, "-" for standard output."""
    named = {kind: getattr(options, kind) for kind in ("html", "markdown", "latex")}
    return {kind: path for kind, path in named.items() if path is not None}


def too_many(options: ReportOptions) -> bool:
    """Tell if more than one thing is to go to standard output."""
    printed = [options.json, options.csv, *(path == "-" for path in files_of(options).values())]
    return printed.count(True) > 1


def show(
    options: ReportOptions,
    report: Callable[[Mapping[str, str]], Report],
    *,
    as_json: Callable[[], object],
    as_csv: Callable[[], str],
) -> int:
    """Print a report as JSON, CSV or text, or write it into each file that is asked for; return the exit code, 0.

    ``report`` makes it, given how it is made. Raises StorageError where a file cannot be written.
    """
    wanted = files_of(options)
    if options.json:
        print(json_text(as_json()))
    elif options.csv:
        print_csv(as_csv())
    elif not wanted:
        _print_text(report({}))
    if wanted:
        _write(options, report, wanted)
    return 0


def _print_text(report: Report) -> None:
    from discox_tui.reports.render.text import as_text

    for line in as_text(report.sections).rstrip("\n").split("\n"):
        say(line)


def _write(options: ReportOptions, report: Callable[[Mapping[str, str]], Report], wanted: Mapping[str, str]) -> None:
    from discox_tui.reports.render.files import made, write_report
    from discox_tui.reports.render.html import as_html
    from discox_tui.reports.render.latex import as_latex
    from discox_tui.reports.render.markdown import as_markdown

    whole = report(made(options.given))
    formats = {"html": as_html, "markdown": as_markdown, "latex": as_latex}
    for kind, path in wanted.items():
        write_report(path, formats[kind](whole))
        if path != "-":
            note(f"the report was written to {path}")


def draws_of(options: ResamplingOptions) -> tuple[int, int]:
    """Return the resamples and the seed, the usual ones where none are asked for."""
    resamples = RESAMPLES if options.resamples is None else options.resamples
    return resamples, SEED if options.seed is None else options.seed
