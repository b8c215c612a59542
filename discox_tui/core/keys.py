"""Keys by their names: which reach a program through every terminal, and what they are to people who press them.

Names are Textual's. Only letters, digits, punctuation, arrows, enter, escape, tab, space, function keys and a few ctrl
letters get through everywhere.
"""

from __future__ import annotations

import unicodedata
from string import ascii_letters, ascii_lowercase, digits, punctuation

from textual.keys import KEY_NAME_REPLACEMENTS, format_key, key_to_character


def _name(character: str) -> str:
    """Textual's name of the key of a punctuation mark, or of the space."""
    name = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


_NAMES = {character: _name(character) for character in f"{punctuation} "}
PORTABLE_KEYS = frozenset(
    [
        *ascii_letters,
        *digits,
        *_NAMES.values(),
        *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
        *("enter", "escape", "tab", "shift+tab", "backspace", "delete"),
        *(f"f{number}" for number in range(1, 13)),
        # h, i, j and m are backspace, tab, newline and enter; c, s and z belong to the terminal.
        *(f"ctrl+{letter}" for letter in ascii_lowercase if letter not in "chijmsz"),
    ]
)
"""The keys that reach a program through every terminal."""

_TYPED_BY_INPUT_METHODS = {
    **{chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)},  # ａ → a, ， → comma, ［ → [
    "\u3000": " ",
    "。": ".",
    "、": "/",
    "【": "[",
    "】": "]",
    "「": "[",
    "」": "]",
    "『": "{",
    "』": "}",
    "〔": "[",
    "〕": "]",
    "《": "<",
    "》": ">",
    "〈": "<",
    "〉": ">",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "·": "`",
    "￥": "$",
    "¥": "$",
    "…": "^",
    "—": "_",
    "؟": "?",
    "،": ",",
    "؛": ";",
    "٪": "%",
    "۔": ".",
    **{chr(zero + digit): str(digit) for zero in (0x660, 0x6F0, 0x966) for digit in range(10)},
}
"""Characters that Chinese input methods, or Arabic, Persian, Urdu and Hindi keyboards, send → the key's own."""


def named(key: str) -> str:
    """Textual's name of a key that is given by it, or as the character itself."""
    return _NAMES.get(key, key)


def plain_key(key: str, character: str | None) -> tuple[str, str | None]:
    """Return a key event's key and character as the same key gives them with no input method on.

    An app applies it in ``on_event`` before dispatching a ``Key``, unless the focused widget takes text
    (``check_consume_key``): there a full-width character is what was meant.
    """
    plain = _TYPED_BY_INPUT_METHODS.get(character or key_to_character(key) or "")
    if plain is None:
        return key, character
    return named(plain), plain


def key_label(key: str) -> str:
    """A key as people write it: ``right_square_bracket`` → ``]``, ``ctrl+p`` → ``ctrl+p``, ``escape`` → ``esc``."""
    *modifiers, name = key.split("+")
    return "+".join([*modifiers, name if name == "enter" else format_key(name)])
