"""``discox import``: files into the library, and what became of every row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discox_tui import __version__
from discox_tui.cli.core.options import JsonOptions, argument, flag
from discox_tui.cli.core.output import at_terminal, end_progress, fail, json_text, note, progress_line, say
from discox_tui.cli.core.session import is_hiding, library, reviewer, say_left_out
from discox_tui.cli.library.which_article import ask_articles
from discox_tui.text.counts import counted
from storage.base.text import storable
from storage.db.connection import Connection
from storage.formats.base.format import ReadOptions
from storage.importing.import_report import FileReport, is_told
from storage.importing.pipeline import SUFFIXES, import_answers, import_path, import_texts, mapping_from, paths_in
from storage.record.groundings import ground_pending


@dataclass(frozen=True, kw_only=True)
class ImportOptions(JsonOptions):
    """Options of ``discox import``."""

    paths: tuple[str, ...] = argument(
        nargs="+",
        metavar="PATH",
        help="a file, or a folder of them; or the word scores and tables of scores by metrics and people; or the word "
        "pair, a source and its translation as plain text or DOCX; or the word answers, a judge's answers and the "
        "files of source and translation with a line for each",
    )
    judge: str | None = argument(
        "--judge", type=storable, help="the judge model that made the evaluations (official files do not say)"
    )
    system: str | None = argument(
        "--system", type=storable, help="the system that translated, instead of what the file says"
    )
    direction: str | None = argument(
        "--direction", type=storable, metavar="SRC-TGT", help="languages, where a file does not say"
    )
    article: str | None = argument(
        "--article", type=storable, metavar="NAME", help="the article that the texts are of, by its name here"
    )
    unclear: str | None = argument(
        "--unclear",
        choices=("known", "another"),
        help="a text whose name is that of an article with another text is a translation of that one (known) or of "
        "an article of its own (another); else it is asked in a terminal, or left out",
    )
    format: str | None = argument(
        "--format", metavar="NAME", help="the format, where it is not to be told from the file"
    )
    mapping: str | None = argument(
        "--mapping", metavar="FILE.toml", help="how other schemes' severities become Metric-S's (see `discox mapping`)"
    )
    no_ground: bool = flag("--no-ground", "store only; locate the errors later")


OFFICIAL = ("discox-partial", "discox-result")
"""The formats that do not name the judge."""
SCORES = "scores"
"""The word before the files by which they are tables of scores; a folder of that name is ``./scores``."""


PAIR = "pair"
"""The word before two files by which they are a source and its translation."""
ANSWERS = "answers"
"""The word before files by which they are a judge's answers and the texts that these are about."""


def import_files(options: ImportOptions) -> int:
    """Import files and folders, print what became of every row, then locate the errors in their texts."""
    if options.paths[0] == SCORES and len(options.paths) > 1:
        return _import_scores(options)
    if options.paths[0] == PAIR and len(options.paths) > 1:
        return _import_pair(options)
    if options.paths[0] == ANSWERS and len(options.paths) > 1:
        return _import_answers(options)
    if "" in options.paths:
        return fail("one of the paths is empty; is a variable of the shell not set? (the folder where you are is .)", 2)
    named = [Path(given) for given in options.paths]
    mapping = mapping_from(Path(options.mapping) if options.mapping else None)
    said = _said(options, tuple(named))
    with library(options, create=True, discreet=True) as connection:

        def store(path: Path, progress: Callable[[int], None], said: ReadOptions = said) -> FileReport:
            report = import_path(
                connection,
                path,
                said,
                format=options.format,
                mapping=mapping,
                program=f"discox {__version__}",
                progress=progress,
            )
            return _as_told(connection, options, report)

        reports = store_each(
            paths_in(named),
            store,
            named,
            silent=options.json,
        )
        for place, report in enumerate(reports):
            if answers := _asked(options, report):
                again = replace(said, answers=answers)
                reports[place] = store(report.file, _progress(report.file), again)
                print_report(reports[place])
        if not reports:
            folders = ", ".join(map(str, options.paths))
            note(f"discox: {folders}: there is no file to import in it (of {', '.join(SUFFIXES)}); name the files")
        if not options.json and not options.judge and any(r.stored and r.format in OFFICIAL for r in reports):
            note("the files do not name the judge; with --judge NAME the evaluations of several judges stay apart")
        if not options.no_ground:
            silent = is_hiding(connection, options)  # how many a judge judged is hidden as well
            locating = (lambda done, of: None) if silent else progress_line("locating errors in evaluation")
            ground_pending(connection, connection.path, locating)
    if options.json:
        print(json_text(reports_json(reports)))
    _say_left_out(options, reports)
    return exit_code(reports)


def _said(options: ImportOptions, beside: tuple[Path, ...] = ()) -> ReadOptions:
    return ReadOptions(
        options.judge,
        options.system,
        options.direction,
        beside,
        article=options.article,
        unclear="known" if options.unclear == "known" else "another" if options.unclear else None,
    )


def _asked(options: ImportOptions, report: FileReport) -> dict[str, str]:
    """Ask in a terminal what articles texts are of where it is not clear; return the answers, by case."""
    if options.json or not report.doubts or not at_terminal():
        return {}
    return ask_articles(report, input)


def _as_told(connection: Connection, options: ImportOptions, report: FileReport) -> FileReport:
    """The report, and whether whoever asks may know what the rows came to."""
    report.told = is_told(connection, reviewer(options), report)
    return report


def _say_left_out(options: ImportOptions, reports: Sequence[FileReport]) -> None:
    if not all(report.told or report.problem for report in reports):
        say_left_out(options, "how many rows are new, and what there is to know of them")


def store_each(
    paths: Iterable[Path],
    store: Callable[[Path, Callable[[int], None]], FileReport],
    named: Collection[Path],
    *,
    silent: bool,
) -> list[FileReport]:
    """Store files one by one, with progress, and say of each what became of it; ``silent``: only if it cannot be read.

    ``store`` is handed what to call with the number of rows so far. One that nobody ``named``, a file of a folder, may
    be passed over.
    """
    reports = []
    for path in paths:
        report = store(path, _progress(path))
        end_progress()
        report.passed_over = bool(report.problem) and path not in named
        reports.append(report)
        print_report(report, silent=silent)
    return reports


def _progress(path: Path) -> Callable[[int], None]:
    show = progress_line(f"storing {path.name}:")
    return lambda rows: show(rows, None)


def exit_code(reports: Sequence[FileReport]) -> int:
    """Return 0 where something arrived, and nothing that was named could not be read; else say why, if nobody has."""
    arrived = any(report.stored or report.unchanged for report in reports)
    unread = any(report.problem and not report.passed_over for report in reports)
    if reports and not arrived and not unread:
        left_out = any(report.left_out for report in reports)
        why = "every row was left out; the report says why" if left_out else "no file holds a row that could be"
        note(f"discox: {_files(reports)}: nothing was stored: {why}")
    return 0 if arrived and not unread else 1


def _names(people: Iterable[str]) -> str:
    """Names, each as long as a line of them bears."""
    return ", ".join(name if len(name) <= _LONG else f"{name[:_LONG]}…" for name in people)


_LONG = 100
"""Characters of a name that are shown."""


def _files(reports: Sequence[FileReport]) -> str:
    """The files, the first few by name."""
    named = ", ".join(str(report.file) for report in reports[:_NAMED])
    return named + (f" and {len(reports) - _NAMED:,} more" if len(reports) > _NAMED else "")


_NAMED = 5
"""Files that a message names."""


def _import_scores(options: ImportOptions) -> int:
    """Import tables of scores by other metrics and people."""
    if options.judge or options.system:
        return fail("a table of scores names its metrics and systems; --judge and --system go with result files", 2)
    named = [Path(given) for given in options.paths[1:]]
    with library(options, create=True, discreet=True) as connection:

        def store(path: Path, progress: Callable[[int], None]) -> FileReport:
            program = f"discox {__version__}"
            report = import_path(connection, path, format=SCORES, program=program, progress=progress)
            return _as_told(connection, options, report)

        reports = store_each(named, store, named, silent=options.json)
    if options.json:
        print(json_text(reports_json(reports)))
    _say_left_out(options, reports)
    code = exit_code(reports)
    without = [report for report in reports if not (report.stored + report.unchanged or report.problem)]
    if without and not code:
        note(f"discox: {_files(without)}: nothing was stored: no row is a score that could be taken")
    return code or int(bool(without))


def _import_pair(options: ImportOptions) -> int:
    """Import a source and its translation, each in a file of its own."""
    if len(options.paths) != 3 or options.judge or options.format or options.mapping:
        return fail("a pair is a SOURCE and a TRANSLATION, with --system and --direction where they are to be said", 2)
    source, translation = map(Path, options.paths[1:])
    said = _said(options)
    with library(options, create=True, discreet=True) as connection:
        report = import_texts(connection, source, translation, said, program=f"discox {__version__}")
        report = _as_told(connection, options, report)
        if answers := _asked(options, report):
            print_report(report)
            said = replace(said, answers=answers)
            report = import_texts(connection, source, translation, said, program=f"discox {__version__}")
            report = _as_told(connection, options, report)
    return _say_one(options, report)


def _import_answers(options: ImportOptions) -> int:
    """Import a judge's answers, and what they are about from files of its own."""
    if not 4 <= len(options.paths) <= 5 or options.format:
        return fail(
            "answers are ANSWERS, SOURCE and TRANSLATION, perhaps REFERENCE: files with a line for each answer", 2
        )
    answers, *texts = map(Path, options.paths[1:])
    said = _said(options)
    mapping = mapping_from(Path(options.mapping) if options.mapping else None)
    with library(options, create=True, discreet=True) as connection:
        report = import_answers(connection, answers, texts, said, mapping=mapping, program=f"discox {__version__}")
        report = _as_told(connection, options, report)
    return _say_one(options, report)


def _say_one(options: ImportOptions, report: FileReport) -> int:
    print_report(report, silent=options.json)
    if options.json:
        print(json_text(reports_json([report])))
    _say_left_out(options, [report])
    return 1 if report.problem else 0


def reports_json(reports: Sequence[FileReport]) -> dict[str, Any]:
    """Return what became of files as a JSON-able object, with the sums over all; null where one is not told."""
    names = ("rows", "stored", "unchanged", "left_out")
    told = all(report.told for report in reports)
    totals = {
        name: sum(getattr(report, name) for report in reports) if told or name == "left_out" else None for name in names
    }
    return totals | {"files": [report.as_json() for report in reports]}


def print_report(report: FileReport, *, silent: bool = False) -> None:
    """Print what became of one file, and of single rows what there is to know; ``silent``: only what went wrong."""
    if report.problem and not (silent and report.passed_over):
        note(f"{'passed over: ' if report.passed_over else 'discox: '}{report.problem}")
    if report.problem or silent:
        return
    came = f"{counted(report.rows, 'row')} = {report.stored:,} stored + {report.unchanged:,} unchanged +"
    say(f"{report.file}: {report.format}, {came if report.told else 'its rows are here,'} {report.left_out:,} left out")
    if report.people and report.told:
        passes, errors = map(sum, zip(*report.people.values(), strict=True))
        say(
            f"  {counted(passes, 'pass', 'passes')} by {counted(len(report.people), 'person', 'people')}, "
            f"{counted(errors, 'error')}; see them with --reviewer NAME: {_names(report.people)}"
        )
    for line in report.lines():
        say(line)
