"""``discox backup``: the whole library as one new file, also while other programs use it."""

from __future__ import annotations

import argparse
from pathlib import Path

from discox_tui.cli.output import fail, json_text, say
from discox_tui.cli.session import library
from discox_tui.reports.layout import counted
from storage.backups import back_up


def back_up_library(options: argparse.Namespace) -> int:
    """Copy the library as it is at this moment, check the copy, and say what is in it."""
    if options.file == "-":
        return fail("a backup is a database, which cannot go to standard output; name a file", 2)
    target = Path(options.file)
    with library(options) as connection:
        back_up(connection, target)
        held = {
            name: int(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0])
            for name in ("evaluations", "events")
        }
    size = target.stat().st_size
    if options.json:
        print(json_text({"file": str(target), "bytes": size, **held}))
    else:
        what = f"{counted(held['evaluations'], 'evaluation')}, {counted(held['events'], 'event')}"
        say(f"{target}: {what}; the file is whole ({size:,} bytes) and can be used with --db")
    return 0
