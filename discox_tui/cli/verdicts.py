"""``discox verdicts``: the review log, out to a file and in from one."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from discox_tui.cli.output import json_text, note, say
from discox_tui.cli.session import library
from storage.errors import StorageError
from storage.formats.detect import detect
from storage.formats.verdict_log import as_json, read_log
from storage.review_log import merge, read_events, unknown_evaluations


def export_log(options: argparse.Namespace) -> int:
    """Write every event of the log, in log order, one JSON object a line; a file is replaced whole or not at all."""
    with library(options) as connection:
        lines = (json_text(as_json(event), indent=None) for event in read_events(connection))
        if options.file == "-":
            for line in lines:
                print(line)
            return 0
        path = Path(options.file)
        count = _write(path, lines)
    note(f"{count:,} events written to {path}")
    return 0


def _write(path: Path, lines: Iterable[str]) -> int:
    """Write the lines to a file and return how many. Only an earlier log is ever replaced, and only by a whole one."""
    count = 0
    target = path.resolve() if path.is_symlink() else path
    if target.exists() and not target.is_file() and not target.is_dir():
        partial = target  # a device or a pipe is written to, never replaced
    else:
        _refuse_to_replace(target)
        partial = target.parent / f"{target.name}.part"
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(f"{line}\n")
                count += 1
        if partial != target:
            os.replace(partial, target)  # noqa: PTH105 - the pair of names reads best so
    except OSError as error:
        if partial != target:
            with contextlib.suppress(OSError):
                partial.unlink()
        raise StorageError(f"{path}: cannot be written ({error.strerror}); choose another file") from None
    return count


def _refuse_to_replace(path: Path) -> None:
    if path.is_dir():
        raise StorageError(f"{path}: is a folder; name a file in it")
    if not path.exists() or not path.stat().st_size:
        return
    try:
        found = detect(path)
    except StorageError:
        found = None
    if found != "verdict-log":
        raise StorageError(f"{path}: is there already and is no log of verdicts; choose another name, or delete it")


def import_log(options: argparse.Namespace) -> int:
    """Add a log's events; lines that do not fit are named and left out, the others arrive."""
    path = Path(options.file)
    with library(options, create=True) as connection:
        events, left_out = read_log(path)
        new = merge(connection, events)
        unknown = unknown_evaluations(connection)
    if options.json:
        report = {
            "file": str(path),
            "rows": len(events) + len(left_out),
            "stored": new,
            "unchanged": len(events) - new,
            "left_out": len(left_out),
            "unknown_evaluations": unknown,
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
        if unknown:
            say(f"{unknown:,} evaluations of the log are not in this database yet; their verdicts wait for them")
    return 1 if left_out and not events else 0
