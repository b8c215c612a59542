"""The tables of ``keys.md``, from the registry of actions: ``python -m docs.make_keys`` after an action changed."""

from __future__ import annotations

from pathlib import Path

from discox_tui.core.actions import SCREENS, actions_of
from discox_tui.core.keys import key_label

PAGE = Path(__file__).with_name("keys.md")
TABLES = "### "
"""How the generated part begins; what stands before it is written by hand."""


def keys_tables() -> str:
    """One section per screen, one row per action with its id for the keymap file."""
    lines = []
    for screen in SCREENS:
        titles = {"app": "Everywhere", "selection": "Review, while text is selected"}
        title = titles.get(screen, screen.replace("_", " ").capitalize())
        lines += [f"### {title}", "", "| keys | action | what it does |", "|---|---|---|"]
        for action in actions_of(screen):
            labels = " ".join(f"`{key_label(key)}`" for key in action.keys).replace("|", "\\|")
            lines.append(f"| {labels} | `{action.id}` | {action.help} |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Replace the tables, from the first of them to the end of the page."""
    text = PAGE.read_text(encoding="utf-8")
    by_hand = text[: text.index(TABLES)] if TABLES in text else text
    PAGE.write_text(by_hand + keys_tables(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
