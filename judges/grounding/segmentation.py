"""Paragraphs and sentences of a text; apart, since formats and exports need them without grounding."""

from __future__ import annotations

import re

from judges.model import Paragraph

_LINE = re.compile(r"[^\n]+")
_SENTENCE_END = re.compile(
    # Stops that are nothing else, with what closes after them, and with marks of the direction of writing.
    r"""[。！？!?；;…।॥؟۔؛።፧։។៕။׃]+["'”’」』）)\]»›״\u200e\u200f\u061c]*"""
    # A full stop before what may be a new sentence.
    r"""|\.+["'”’)\]»›״\u200e\u200f\u061c]*(?=\s+[\u200e\u200f\u061c]?(?:["'“‘(\[«‹„״]\s?)?(\w))"""
)


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of ``text``: its non-blank lines, without the spaces around them.

    Lines end at LF or CRLF only; U+2028 and the like stay inside a paragraph, as they do in the data.
    """
    return tuple(
        Paragraph(line.start() + len(line[0]) - len(line[0].lstrip()), line.start() + len(line[0].rstrip()))
        for line in _LINE.finditer(text)
        if not line[0].isspace()
    )


def sentences(text: str, start: int, end: int) -> tuple[Paragraph, ...]:
    """Return the sentences of ``text[start:end]`` as ranges of ``text``, without the spaces between them."""
    found: list[Paragraph] = []
    begin = start
    matches = _SENTENCE_END.finditer(text, start, end)
    for stop in [match.end() for match in matches if not (match[1] and match[1].islower())] + [end]:
        while begin < stop and text[begin].isspace():
            begin += 1
        if any(c.isalnum() for c in text[begin:stop]):
            found.append(Paragraph(begin, stop))
            begin = stop
    if found and begin < end:  # a tail of bare punctuation belongs to the last sentence
        found[-1] = Paragraph(found[-1].start, end)
    return tuple(found)
