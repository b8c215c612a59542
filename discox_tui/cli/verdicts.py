"""``discox verdicts``: the review log, out to a file and in from one."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from discox_tui.cli.contradictions import contradiction_lines, visible
from discox_tui.cli.output import json_text, note, say
from discox_tui.cli.session import library, reviewer
from discox_tui.reports.layout import counted
from storage.blinding import hides, shown_evaluations
from storage.connection import Connection
from storage.contradictions import known_contradictions, new_contradictions
from storage.errors import StorageError
from storage.events import Event, contradicted, read_events, unknown_evaluations
from storage.exports.files import whole
from storage.formats.detect import detect
from storage.formats.verdict_log import as_json, read_log
from storage.layers import layers_of, split_layer
from storage.review_derived import merge


def export_log(options: argparse.Namespace) -> int:
    """Write the events of the log, in log order, one JSON object a line; a file is replaced whole or not at all.

    What others said of an evaluation that is hidden from whoever asks is left out, and standard error says so.
    """
    name = reviewer(options)
    with library(options) as connection:
        events, left_out = _visible(connection, name)
        lines = (json_text(as_json(event), indent=None) for event in events)
        if options.file == "-":
            for line in lines:
                print(line)
        else:
            with (
                whole(options.file, _is_log, "log of verdicts") as path,
                path.open("w", encoding="utf-8", newline="\n") as file,
            ):
                count = sum(1 for line in lines if file.write(f"{line}\n"))
            note(f"{count:,} events written to {options.file}")
    if left_out:
        others = counted(left_out.total(), "event")
        note(f"discox: left out: {others} of others, of what is hidden from {name}; another --reviewer gets them")
    return 0


def _visible(connection: Connection, name: str) -> tuple[Iterator[Event], Counter[str]]:
    """The events that a reviewer may see, and how many of each other reviewer's were left out once these are read."""
    left_out: Counter[str] = Counter()
    if not hides(connection, name):
        return read_events(connection), left_out
    shown, own = shown_evaluations(connection, name), layers_of(split_layer(name)[0])

    def visible() -> Iterator[Event]:
        for event in read_events(connection):
            # What came from a file has its name, and words of its own, which may name the system.
            enough = event.kind != "imported" or shown.get(event.evaluation_id)
            if event.reviewer in own or not event.evaluation_id or (event.evaluation_id in shown and enough):
                yield event
            else:
                left_out[event.reviewer] += 1

    return visible(), left_out


def _is_log(path: Path) -> bool:
    try:
        return detect(path) == "verdict-log"
    except StorageError:
        return False


def import_log(options: argparse.Namespace) -> int:
    """Add a log's events; lines that do not fit are named and left out, the others arrive."""
    path = Path(options.file)
    with library(options, create=True) as connection:
        events, left_out = read_log(path)
        before = known_contradictions(connection)
        new = merge(connection, events)
        found = visible(connection, options, new_contradictions(connection, before))
        lines = list(contradiction_lines(connection, found))
        contradictions = contradicted(connection, events)
        unknown = unknown_evaluations(connection)
    if options.json:
        report = {
            "file": str(path),
            "rows": len(events) + len(left_out),
            "stored": new,
            "unchanged": len(events) - new,
            "left_out": len(left_out),
            "unknown_evaluations": unknown,
            "contradicted": contradictions,
            "contradictions": [each._asdict() for each in found],
            "notes": [{"line": line, "field": field, "message": message} for line, field, message in left_out],
        }
        print(json_text(report))
    else:
        for line, field, message in left_out:
            note(f"{path}:{line}: {field} {message}; the line was left out")
        say(
            f"{path}: {len(events) + len(left_out):,} events: {new:,} new, {len(events) - new:,} known, "
            f"{len(left_out):,} left out"
        )
        if contradictions:
            what = counted(len(contradictions), "event")
            note(
                f"{path}: {what} of the same id as one here, but not the same; what is here stays: {contradictions[0]}"
            )
        for said in lines:
            say(said)
        if unknown:
            say(f"of the log {counted(unknown, 'evaluation')} not in this database yet, for which the verdicts wait")
    return 1 if left_out and not events else 0
