"""``discox repair``: what another program wrote into the library and nothing can be made of, named and set aside."""

from __future__ import annotations

from discox_tui.cli.core.options import JsonOptions
from discox_tui.cli.core.output import json_text, say
from discox_tui.cli.core.session import library
from discox_tui.text.counts import counted
from storage.base.errors import fault_lines
from storage.integrity.log_checks import repair


def repair_library(options: JsonOptions) -> int:
    """Look at all of the library, name what is set aside, and make anew what follows from the logs."""
    with library(options, check=False) as connection:
        report = repair(connection)
        path = str(connection.path)
    if options.json:
        set_aside = [fault._asdict() for fault in report.set_aside]
        print(json_text({"file": path, "set_aside": set_aside, "put_back": report.put_back}))
        return 0
    for line in fault_lines(report.set_aside):
        say(f"{path}: {line}")
    for name in report.put_back:
        say(f"{path}: {name} was missing or changed, and is put back")
    found = counted(len(report.set_aside), "entry", "entries")
    say(f"{path}: {found} of its logs set aside, and kept as they are; all that follows from the others is made anew")
    return 0
