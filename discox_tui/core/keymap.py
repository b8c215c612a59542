"""The user's own keys: a file that gives actions other ones, read and held against those that are taken."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from discox_tui.core.actions import ACTIONS, SCREENS, ScreenName, actions_of
from discox_tui.core.keys import PORTABLE_KEYS, key_label, named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


class KeymapError(ValueError):
    """A keymap file that cannot be used; the message names file, line and how to mend it."""


def load_keymap(path: Path) -> dict[str, str]:
    """Read a keymap file and return action id → comma-separated keys, for ``App.set_keymap``.

    The file is TOML, one line per action: ``agree = "y"`` or ``next_finding = ["n", "]", "down"]``. An action left
    out keeps its keys. A key is Textual's name or the character itself.

    Raises:
        KeymapError: not TOML, no such action, no such or no portable key, or a key taken by another action of the
            same screen.
        OSError: the file cannot be read.
    """
    import tomllib  # few have a keymap; nobody else waits for it

    try:
        text = path.read_text(encoding="utf-8-sig")
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise KeymapError(f"{path}: not UTF-8 text ({error.reason}). Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise KeymapError(f'{path}: {error}. A line should read like: agree = "y"') from None

    def fault(name: str, message: str) -> KeymapError:
        found = re.search(rf"""^\s*["']?{re.escape(name)}["']?\s*[=.]|^\s*\[+\s*["']?{re.escape(name)}\b""", text, re.M)
        line = text.count("\n", 0, found.end()) + 1 if found else 1
        return KeymapError(f"{path}, line {line}: {message}")

    defaults = {action.id: action.keys for action in ACTIONS}
    chosen: dict[str, tuple[str, ...]] = {}
    for name, value in table.items():
        if name not in defaults:
            raise fault(name, f"there is no action {name!r}.{_instead(name, defaults)}")
        keys = [value] if isinstance(value, str) else value
        if not isinstance(keys, list) or not keys or not all(isinstance(key, str) for key in keys):
            raise fault(name, f'give {name} a key or a list of keys, like "y" or ["y", "f9"].')
        chosen[name] = tuple(map(named, keys))
        for key in chosen[name]:
            if key not in PORTABLE_KEYS:
                hint = _instead(key, PORTABLE_KEYS) or " Use a letter, a digit, punctuation or a function key."
                raise fault(name, f"{key!r} is no key that every terminal sends.{hint}")
    for screen, key, first, second in clashes(defaults | chosen):
        name = second if second in chosen else first
        other = first if name == second else second
        other_places = {"app": "everywhere", "selection": "while text is selected"}
        where = other_places.get(screen, f"on the {screen.replace('_', ' ')} screen")
        raise fault(name, f"{key_label(key)!r} already means {other} {where}. Give one of the two another key.")
    return {name: ",".join(keys) for name, keys in chosen.items()}


def _instead(name: str, known: Mapping[str, object] | frozenset[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def clashes(keys: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[ScreenName, str, str, str]]:
    """Yield (screen, key, one action, another) where two actions valid at once would share a key.

    ``keys``: action id → its keys, for every action.
    """
    for screen in SCREENS:
        taken: dict[str, str] = {}
        for action in dict.fromkeys((*actions_of("app"), *actions_of(screen))):
            for key in keys[action.id]:
                if taken.setdefault(key, action.id) != action.id:
                    yield screen, key, taken[key], action.id
