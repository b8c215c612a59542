"""The tables of ``keys.md``, from the registry of actions: ``python -m docs.make_keys`` after an action changed."""

from __future__ import annotations

from pathlib import Path

from discox_tui.actions import keymap_markdown

PAGE = Path(__file__).with_name("keys.md")
TABLES = "### "
"""How the generated part begins; what stands before it is written by hand."""


def main() -> None:
    """Replace the tables, from the first of them to the end of the page."""
    text = PAGE.read_text(encoding="utf-8")
    by_hand = text[: text.index(TABLES)] if TABLES in text else text
    PAGE.write_text(by_hand + keymap_markdown(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
