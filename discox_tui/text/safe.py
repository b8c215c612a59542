"""Documents are hostile; here they become strings that a terminal shows and never obeys, one character for one."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from rich.cells import get_character_cell_size

from discox_tui.text.bidi import stand_in

_REPLACEMENT = "\ufffd"
_INVISIBLE = "\u2423"
"""Stands for a character that shows nothing but should not go unseen. Narrow in every terminal, unlike a middle dot."""


def _unsafe() -> dict[str, str]:
    """Every character that could steer a terminal, reorder a line or fail to encode → what stands for it."""
    table = {chr(code): chr(0x2400 + code) for code in range(0x20)}
    table["\t"] = " "
    table["\x7f"] = "\u2421"
    bidi = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    separators = [0x2028, 0x2029]
    noncharacters = [
        *range(0xFDD0, 0xFDF0),
        *(plane + low for plane in range(0, 0x110000, 0x10000) for low in (0xFFFE, 0xFFFF)),
    ]
    table |= dict.fromkeys(map(chr, bidi), _INVISIBLE)
    for code in (*range(0x80, 0xA0), *separators, *range(0xD800, 0xE000), *noncharacters):
        table[chr(code)] = _REPLACEMENT
    return table


_UNSAFE = _unsafe()


def safe(text: str, *, multiline: bool = False) -> str:
    """Return ``text`` with everything a terminal could obey replaced, code point for code point.

    C0 controls become their pictures (␀ … ␡), a tab one space, bidi controls ␣; C1 controls, line and paragraph
    separators, lone surrogates and noncharacters become U+FFFD. Offsets hold and ``safe(safe(x)) == safe(x)``.

    Args:
        text: anything at all.
        multiline: keep line feeds; otherwise they become ␊, so that a list row or a title stays one line.
    """
    for character in _UNSAFE.keys() & set(text):
        if not (multiline and character == "\n"):
            text = text.replace(character, _UNSAFE[character])
    return text


@lru_cache(maxsize=8192)
def _stand_in(character: str) -> str:
    """Return what to show for a safe character so that Rich and terminals agree how wide it is; mostly itself.

    They agree on characters one or two cells wide and on marks that combine with what stands before. They do not
    on what joins, colours or selects emoji, nor on other characters meant to be invisible.
    """
    code = ord(character)
    if 0x1F1E6 <= code <= 0x1F1FF:  # regional indicators: two make a flag in some terminals
        return chr(ord("A") + code - 0x1F1E6)
    if code == 0xAD:  # a soft hyphen: nothing, or a hyphen
        return "-"
    if code == 0x200C:  # Persian and Indic scripts spell with it; it takes no cell anywhere
        return character
    if code == 0x200D or 0xFE00 <= code <= 0xFE0F or 0x1F3FB <= code <= 0x1F3FF:  # joiner, selectors, skin tones
        return " "
    if get_character_cell_size(character):
        return character
    if code in (0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0) or 0x180B <= code <= 0x180F or code >= 0xE0000:
        return _INVISIBLE
    category = unicodedata.category(character)
    if category in ("Mn", "Me") or (category == "Lo" and unicodedata.name(character).startswith("HANGUL")):
        return character
    return stand_in(character) if category == "Mc" else _INVISIBLE


def display(text: str, *, multiline: bool = False) -> str:
    """Return what is painted for ``text``: :func:`safe`, and of a width on which Rich and terminals agree.

    Still code point for code point, so an offset in the text is one in what is painted. Joiners, variation
    selectors and skin tones become a space, flags their two letters, spacing marks what stands for them
    (`spacing_marks`), other invisible characters ␣. For painting only: the text that is kept, searched, copied and
    judged is never this one.
    """
    text = safe(text, multiline=multiline)
    if text.isascii():
        return text
    for character in set(text):
        if (shown := _stand_in(character)) != character and character != "\n":
            text = text.replace(character, shown)
    return text
