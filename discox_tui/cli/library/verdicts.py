"""``discox verdicts``: the review log, out to a file and in from one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from discox_tui.cli.core.options import JsonOptions, LibraryOptions, argument
from discox_tui.cli.core.output import fail, json_text, note, say
from discox_tui.cli.core.session import is_hiding, library, reviewer, say_left_out
from discox_tui.cli.library.contradictions import contradiction_lines, visible
from discox_tui.text.counts import counted
from discox_tui.text.safe import safe
from storage.base.errors import StorageError
from storage.base.reasons import first_lines, grouped
from storage.exports.files import whole
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.registry import detect
from storage.importing.verdict_log import read_log
from storage.integrity.log_checks import Context
from storage.reviews.blinding import events_shown
from storage.reviews.contradictions import known_contradictions, new_contradictions
from storage.reviews.events import as_json, contradicted, read_events, unknown_evaluations
from storage.reviews.projections import merge


@dataclass(frozen=True, kw_only=True)
class ExportLogOptions(LibraryOptions):
    """Options of ``discox verdicts export``."""

    file: str = argument(metavar="FILE.jsonl", help="where to; - for standard output")


@dataclass(frozen=True, kw_only=True)
class ImportLogOptions(JsonOptions):
    """Options of ``discox verdicts import``."""

    file: str = argument(metavar="FILE.jsonl")


def export_log(options: ExportLogOptions) -> int:
    """Write the events of the log, in log order, one JSON object a line; a file is replaced whole or not at all.

    What others said of an evaluation that is hidden from whoever asks is left out, and standard error says so.
    """
    with library(options, discreet=True) as connection:
        hiding = is_hiding(connection, options)
        events = filter(events_shown(connection, reviewer(options)), read_events(connection))
        lines = (json_text(as_json(event), indent=None) for event in events)
        if options.file == "-":
            for line in lines:
                print(line)
        else:
            with (
                whole(options.file, _is_log, "log of verdicts", safe) as path,
                path.open("w", encoding="utf-8", newline="\n") as file,
            ):
                count = sum(1 for line in lines if file.write(f"{line}\n"))
            note(f"{count:,} events written to {options.file}")
    if hiding:
        say_left_out(options, "what others said of what is hidden")
    return 0


def _is_log(path: Path) -> bool:
    try:
        with InputFile(path) as file:
            return detect(Head(file)).name == "verdict-log"
    except StorageError:
        return False


def import_log(options: ImportLogOptions) -> int:
    """Add a log's events; lines that do not fit are named and left out, the others arrive.

    How many there are is not told as long as anything is hidden from whoever asks: others' are among them.
    """
    path = Path(options.file)
    others = Counter[str]()
    with library(options, create=True, discreet=True) as connection:
        events, left_out = read_log(path, Context(connection).check, others)
        before = known_contradictions(connection)
        new = merge(connection, events)
        found = visible(connection, options, new_contradictions(connection, before))
        lines = list(contradiction_lines(connection, found))
        hiding = is_hiding(connection, options)
        told = filter(events_shown(connection, reviewer(options)), events)
        contradictions = contradicted(connection, told) if new < len(events) else []
        unknown = unknown_evaluations(connection)
    if options.json:
        report = {
            "file": str(path),
            "rows": None if hiding else len(events) + len(left_out),
            "stored": None if hiding else new,
            "unchanged": None if hiding else len(events) - new,
            "left_out": len(left_out),
            "unknown_evaluations": None if hiding else unknown,
            "contradicted": contradictions,
            "contradictions": [each._asdict() for each in found],
            "unknown_fields": dict(others),
            "notes": [{"line": line, "field": field, "message": message} for line, field, message in left_out],
        }
        print(json_text(report))
    else:
        for reason in grouped(left_out, itemgetter(1), itemgetter(2)):
            line, field, message = reason.things[0]
            if len(reason.things) == 1:
                note(f"{path}:{line}: {field} {message}; the line was left out")
            else:
                like = "" if reason.alike else ", and the like"
                where = first_lines(each[0] for each in reason.things)
                note(f"{path}: {field} {message}{like}; {len(reason.things):,} lines were left out{where}")
        came = f"{len(events) + len(left_out):,} events: {new:,} new, {len(events) - new:,} known"
        say(f"{path}: {'its events are here' if hiding else came}, {len(left_out):,} left out")
        if others:
            named = ", ".join(f"“{name[:40]}” ({count:,})" for name, count in others.most_common(10))
            note(f"{path}: fields that are not known here, and not kept (events): {named}; keep the file")
        if contradictions:
            what = counted(len(contradictions), "event")
            note(
                f"{path}: {what} of the same id as one here, but not the same; what is here stays: {contradictions[0]}"
            )
        for said in lines:
            say(said)
        if unknown and not hiding:
            say(f"of the log {counted(unknown, 'evaluation')} not in this database yet, for which the verdicts wait")
    if hiding:
        say_left_out(options, "how much is new in it")
    if left_out and not events:
        return fail(f"{path}: no line holds an event that could be taken; export the log again, or mend the lines")
    return 0
