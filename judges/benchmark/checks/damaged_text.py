"""Damage of a text: characters that nobody can read, and a missing end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.benchmark.checks.result import Check

_DAMAGED = re.compile(
    "\ufffd|[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]|[\ud800-\udfff]|[\ufdd0-\ufdef\ufffe\uffff]"
    "|锟斤拷|烫烫烫|屯屯屯"
    "|ï»¿|â€[\u0080-\u00bf™œ˜š“”¦]|Ã[\u0080-\u00bf]|Â[\u00a0-\u00bf]|[ÐÑ][\u0080-\u00bf][ÐÑ]"
    "|(?:[\u00c2-\u00f4][\u0080-\u00bf]+){2,}"
)
"""Replacement and control characters, half of a pair, and the commonest signs of bytes read in a wrong encoding."""

_DOUBTFUL = re.compile(
    "[\ue000-\uf8ff\U000f0000-\U0010ffff]|&(?:nbsp|amp|lt|gt|quot|#\\d+);"
    "|</?(?:a|b|br|div|em|font|i|img|li|p|span|strong|sub|sup|td|tr|ul)\\b[^<>\n]*>",
    re.IGNORECASE,
)
"""Characters that only their own font has, and markup that was not taken off."""

_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_RIGHT_TO_LEFT = ("ar", "arz", "ary", "dv", "fa", "he", "iw", "ku", "ps", "sd", "ug", "ur", "yi")

_CUT = re.compile(
    r"[\[(（【]\s*(?:\.{3}|…+|continued|cont\.|truncated|下转[^)）\]】\n]*|待续|未完)\s*[\])）】]|未完待续"
    r"|to be continued|\b(?:read more|continue reading|read the full (?:story|article)|show more)\b|\[\+\d+ chars\]"
    r"|(?:点击)?(?:阅读|查看|展开)(?:全文|更多|原文)|続きを読む|더 ?보기"
    r"|weiterlesen|lire la suite|leer más|читать далее",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r"(?:\.{3,}|…+|⋯+)[\s”\"’')）」』»]*$")
_TAIL = 60
"""Characters before the end in which a mark says that the text was cut."""
_SHOWN = 12


def damage(text: str, source: str) -> Iterator[Check]:
    """Yield what cannot be read, and whether the end is missing. ``source``: the code of the declared language."""
    yield from _unreadable(text, source)
    yield from _truncated(text)


def _unreadable(text: str, source: str) -> Iterator[Check]:
    damaged = list(_DAMAGED.finditer(text))
    doubtful = list(_DOUBTFUL.finditer(text))
    if source not in _RIGHT_TO_LEFT:
        doubtful += _BIDI.finditer(text)
    if damaged:
        first = damaged[0]
        yield Check(
            "unreadable",
            "blocks",
            f"{_times(len(damaged), 'place')} cannot be read, the first is {_name(first[0])}.",
            "Take the text from its origin again, in the right encoding (mostly UTF-8).",
            *first.span(),
        )
    elif doubtful:
        first = min(doubtful, key=lambda place: place.start())
        yield Check(
            "unreadable",
            "warns",
            f"{_times(len(doubtful), 'place')} may not be text, the first is {_name(first[0])}.",
            "Take out what readers would not see, and put letters for private characters.",
            *first.span(),
        )


def _truncated(text: str) -> Iterator[Check]:
    end = len(text.rstrip())
    if cut := next(_CUT.finditer(text, max(0, end - _TAIL)), None):
        yield Check(
            "truncated",
            "blocks",
            f"The text ends with “{cut[0].strip()}”, so the rest of it is somewhere else.",
            "Add the rest, or end the text where its sense ends.",
            *cut.span(),
        )
    elif ellipsis := _ELLIPSIS.search(text, max(0, end - _SHOWN), end):
        yield Check(
            "truncated",
            "warns",
            "The text ends with an ellipsis.",
            "Add what is missing, unless its author ended so.",
            *ellipsis.span(),
        )


def _times(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _name(place: str) -> str:
    if len(place) == 1:
        return f"U+{ord(place):04X}"
    return f"“{place[:_SHOWN]}”" if place.isprintable() else " ".join(f"U+{ord(each):04X}" for each in place[:_SHOWN])
