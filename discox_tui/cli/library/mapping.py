"""``discox mapping``: how other schemes' categories and severities become Metric-S's, and what is lost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from discox_tui.cli.core.options import JsonOptions, argument
from discox_tui.cli.core.output import json_text, say
from discox_tui.text.columns import table
from storage.importing.pipeline import mapping_from


@dataclass(frozen=True, kw_only=True)
class MappingOptions(JsonOptions):
    """Options of ``discox mapping``."""

    file: str | None = argument(nargs="?", metavar="FILE.toml", help="with what this file changes")


def mapping(options: MappingOptions) -> int:
    """Print the rules in the order in which they are tried, and the way back."""
    rules = mapping_from(Path(options.file) if options.file else None)
    rows, back = rules.explain(), rules.explain_back()
    if options.json:
        forth = [row._asdict() for row in rows]
        print(json_text({"mapping": rules.signature, "rules": forth, "back": [row._asdict() for row in back]}))
        return 0
    say(f"Mapping {rules.signature}: the first rule that fits holds; * changed by your file")
    say()
    head = ("", "their categories", "severities", "in Metric-S", "lost")
    cells = [("*" * row.changed, row.categories, row.severities, f"{row.kind}: {row.ours}", row.lost) for row in rows]
    for line in table(head, cells):
        say(line)
    if choices := [row for row in rows if row.choice]:
        say()
        say("Choices: where there is no right answer, this is what you could want instead")
        for row in choices:
            say(f"  {row.rule or 'anything else'}: {row.choice}")
    say()
    say("The way back, for exports in MQM")
    say()
    shown = [(row.judge, row.category or "other", row.severity or "none", *row[3:]) for row in back]
    for line in table(("judge", "category", "severity", "MQM category", "MQM severity", "note"), shown):
        say(line)
    return 0
