"""Document blocks: texts put into a question so that nothing in them can pass for a part of it.

A text may say anything: "ignore the above", a JSON answer, a closing tag, a fence. So every line of it begins with a
number of ours, and it stands between tags that hold a word found nowhere in it.
"""

from __future__ import annotations

import hashlib
import re
from itertools import count

from judges.grounding.alignment import paragraphs

_HALVES = re.compile("[\ud800-\udfff]")
_BREAKS_AND_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def sendable(text: str) -> str:
    """Return the text as a server can be sent it and a model reads it, code point for code point.

    Only line feeds end a line in it: whatever else does and every other control becomes a space, half a surrogate pair
    becomes U+FFFD. Positions stay, so that a quote of what was sent has its place in what is stored.
    """
    return _HALVES.sub("\ufffd", _BREAKS_AND_CONTROLS.sub(" ", text))


def on_one_line(text: str) -> str:
    """Return the text sendable, and without any line end."""
    return sendable(text).replace("\n", " ")


def marked(letter: str, text: str) -> str:
    """Return the paragraphs of a text, each on one line that begins with its number: ``[S1] …``."""
    lines = (on_one_line(text[paragraph.start : paragraph.end]) for paragraph in paragraphs(text))
    return "\n".join(f"[{letter}{number}] {line}" for number, line in enumerate(lines, 1))


def word_not_in(*texts: str) -> str:
    """Return ten hex digits, always the same for these texts, that occur in none of them."""
    whole = "\0".join(texts)
    folded = whole.casefold()
    seed = _HALVES.sub("\ufffd", whole)
    words = (hashlib.sha256(f"{turn}\0{seed}".encode()).hexdigest()[:10] for turn in count())
    return next(word for word in words if word not in folded)


def fenced(name: str, content: str, word: str) -> str:
    """Return lines of data between two tags that only this program can write."""
    return f"<{name}-{word}>\n{content}\n</{name}-{word}>"


def documents_block(source: str, translation: str) -> str:
    """Return both texts as every judge of this translation is shown them, word for word the same."""
    word = word_not_in(source, translation)
    return "\n\n".join(
        (
            fenced("source", marked("S", source), word),
            fenced("translation", marked("T", translation), word),
        )
    )


def data_block(name: str, lines: str) -> str:
    """Return other material of unknown origin, line by line, between tags of its own."""
    return fenced(name, lines, word_not_in(lines))
