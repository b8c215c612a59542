"""``discox backup``: the whole library as one new file, also while other programs use it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from discox_tui.cli.core.options import JsonOptions, argument
from discox_tui.cli.core.output import fail, json_text, say
from discox_tui.cli.core.session import is_hiding, library
from discox_tui.text.counts import counted
from storage.integrity.backups import back_up


@dataclass(frozen=True, kw_only=True)
class BackupOptions(JsonOptions):
    """Options of ``discox backup``."""

    file: str = argument(metavar="FILE", help="where to; nothing may be there yet")


def back_up_library(options: BackupOptions) -> int:
    """Copy the library as it is at this moment, check the copy, and say what is in it."""
    if options.file == "-":
        return fail("a backup is a database, which cannot go to standard output; name a file", 2)
    target = Path(options.file)
    held: dict[str, int | None] = {"bytes": None, "evaluations": None, "events": None}
    with library(options, discreet=True) as connection:
        back_up(connection, target)
        if not is_hiding(connection, options):  # how large it is tells what judges and others said
            held["bytes"] = target.stat().st_size
            for name in ("evaluations", "events"):
                held[name] = int(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0])
    if options.json:
        print(json_text({"file": str(target), **held}))
    elif held["bytes"] is None:
        say(f"{target}: the file is whole and can be used with --db")
    else:
        what = f"{counted(held['evaluations'] or 0, 'evaluation')}, {counted(held['events'] or 0, 'event')}"
        say(f"{target}: {what}; the file is whole ({held['bytes']:,} bytes) and can be used with --db")
    return 0
