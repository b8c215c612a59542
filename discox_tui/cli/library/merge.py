"""``discox merge``: several people's libraries into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from discox_tui.cli.core.options import JsonOptions, argument
from discox_tui.cli.core.output import end_progress, first_of, json_text, note, progress_words, say
from discox_tui.cli.core.session import is_hiding, library, say_left_out
from discox_tui.cli.library.contradictions import contradiction_lines, visible
from discox_tui.text.counts import counted
from storage.base.errors import fault_lines
from storage.db.connection import Connection
from storage.importing.merge import Conflict, MergeReport, merge_file
from storage.reviews.events import unknown_evaluations


@dataclass(frozen=True, kw_only=True)
class MergeOptions(JsonOptions):
    """Options of ``discox merge``."""

    files: tuple[str, ...] = argument(nargs="+", metavar="OTHER.db", help="libraries; they are only read")


WORDS = {
    "articles": "article",
    "translations": "translation",
    "evaluations": "evaluation",
    "events": "review event",
    "assignments": "assignment",
    "calls": "recorded call",
    "scores": "imported score",
}
"""The tables whose new rows are worth a word → what one of them is called."""


def merge_files(options: MergeOptions) -> int:
    """Add what other libraries hold to this one, and print what each brought; 1 if one could not be read.

    As long as anything is hidden from whoever asks, of the tables only that tell nothing of it.
    """
    reports = []
    with library(options, create=True, discreet=True) as connection:
        for path in map(Path, options.files):
            report = merge_file(connection, path, progress_words(f"merging {path.name}:"))
            end_progress()
            if hiding := is_hiding(connection, options):
                report.leave_out_hidden()
            report.contradictions = visible(connection, options, report.contradictions)
            reports.append(report)
            if report.problem:
                note(f"discox: {report.problem}")
            elif not options.json:
                _print(connection, report)
        waiting = None if hiding else unknown_evaluations(connection)
    if options.json:
        files = [
            {
                **asdict(report),
                "file": str(report.file),
                "left_out": [fault._asdict() for fault in report.left_out],
                "contradictions": [each._asdict() for each in report.contradictions],
            }
            for report in reports
        ]
        print(json_text({"files": files, "unknown_evaluations": waiting}))
    elif waiting:
        say(f"{counted(waiting, 'evaluation')} of the log are not here yet; what was said of them waits for them")
    if hiding:
        say_left_out(options, "what judges and others said in it")
    return 1 if any(report.problem for report in reports) else 0


def _print(connection: Connection, report: MergeReport) -> None:
    new = [counted(report.added[table], word) for table, word in WORDS.items() if table in report.added]
    say(f"{report.file}: {', '.join(new) or 'nothing'} new{'' if report.whole else ', of what is told'}")
    for line in fault_lines(report.left_out):
        note(f"discox: {report.file}: {line}; it was left out")
    for line in (*_conflicts(report.conflicts), *contradiction_lines(connection, report.contradictions)):
        say(f"  {line}")


def _conflicts(conflicts: list[Conflict]) -> Iterable[str]:
    if not conflicts:
        return
    kinds = ", ".join(f"{count} in {record}" for record, count in Counter(c.record for c in conflicts).items())
    yield (
        f"{counted(len(conflicts), 'conflict')} ({kinds}): the file says something else of the same thing; what is "
        "here stays, and the other is kept in the table merge_conflicts"
    )
    for line in first_of(conflicts, lambda each: f"{each.record} {each.id}: {', '.join(each.fields) or 'is not here'}"):
        yield f"  {line}"
