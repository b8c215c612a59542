"""Writes the table of formats into docs/formats.md, from what is registered: ``python -m docs.make_formats``."""

from __future__ import annotations

import re
from pathlib import Path

from storage.exports.registry import WRITERS
from storage.formats.registry import formats

PAGE = Path(__file__).with_name("formats.md")
OURS = {"archive"}
"""What is read without a reader of its own."""


def titles() -> dict[str, str]:
    """The formats, in the order of their sections: name → title."""
    return {writer.name: writer.title for writer in WRITERS} | {
        each.name: each.title for each in formats() if not each.own
    }


def formats_table() -> str:
    """The formats as a Markdown table: what they are called on the command line, and which ways they go."""
    ins, outs = {each.name for each in formats() if not each.own} | OURS, {writer.name for writer in WRITERS}
    lines = ["| format | name | in | out |", "|---|---|---|---|"]
    for name, title in sorted(titles().items(), key=lambda item: item[1].casefold()):
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        ways = " | ".join("yes" if name in way else "" for way in (ins, outs))
        lines.append(f"| [{title}](#{anchor}) | `{name}` | {ways} |".replace("|  |", "| |"))
    return "\n".join(lines)


def page(text: str) -> str:
    """The page with the table as it is now."""
    return re.sub(r"(?s)(<!-- formats -->).*?(<!-- end -->)", lambda m: f"{m[1]}\n\n{formats_table()}\n\n{m[2]}", text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
