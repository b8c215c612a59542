"""Text as a database can hold it: file names and arguments may be bytes that are no text at all."""

from __future__ import annotations

import re

_HALVES = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """Return the text with lone surrogates, which have no UTF-8, replaced by U+FFFD one for one."""
    return _HALVES.sub("\ufffd", text)
