"""Broken JSON of judges, read from one known key to the next: inner quotes, missing commas, full-width punctuation."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from judges.metric_s.reading.labels import FIELDS

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scanned:
    """Items of a scan. ``truncated``: the answer breaks off. ``several``: words part one list from another."""

    items: list[Item]
    truncated: bool = False
    several: bool = False


DECODER = json.JSONDecoder(strict=False)
WORD = re.compile(r"(?!json)[^\W_]{2,}", re.IGNORECASE)
"""A word of prose, and not the name of the language behind a fence."""


class Pairs:
    """Maker of the objects of a JSON text. ``contradict``: one of them says two things under the same key.

    JSON readers keep the last of them; which one is meant nobody can tell.
    """

    def __init__(self) -> None:
        self.contradict = False

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return the object of these keys and values."""
        made = dict(pairs)
        if len(made) < len(pairs) and any(made[key] != value for key, value in pairs):
            self.contradict = True
        return made


def read_json(text: str) -> tuple[Any, bool]:
    """Return the value of a JSON text, and whether it contradicts itself. Raises ValueError and RecursionError."""
    pairs = Pairs()
    value = json.loads(text, strict=False, object_pairs_hook=pairs)
    return value, pairs.contradict


class Looks:
    """Attempts to read JSON at a bracket; together they look at every character a few times at most."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pairs = Pairs()
        """Tells if the value that was read last contradicts itself."""
        self._read = json.JSONDecoder(strict=False, object_pairs_hook=self.pairs).raw_decode
        self._left = _TIMES * len(text) + _LEAST_LOOKS

    def decode(self, start: int) -> tuple[Any, int]:
        """Return the value that begins at ``start`` and where it ends.

        Raises JSONDecodeError where none does, ValueError once too much was looked at in vain.
        """
        if self._left <= 0:
            raise ValueError("too many brackets lead nowhere")
        try:
            self.pairs.contradict = False
            value, end = self._read(self.text, start)
        except json.JSONDecodeError as error:
            self._left -= max(error.pos - start, 0) + error.pos // 64 + 1  # the error counts the lines before it
            if error.msg.startswith("Unterminated string"):  # its position is where the string begins
                self._left -= len(self.text) - error.pos
            raise
        return value, end


_TIMES = 8
_LEAST_LOOKS = 1_000_000


def is_deep(value: object) -> bool:
    """Return whether lists and objects are nested deeper in a value than any judge has a reason for."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True


_DEEPEST = 40

_KEYS = "|".join(
    re.escape(key)
    for key in sorted({k for keys in FIELDS.values() for k in keys} | {"重复维度", "正确归因"}, key=len)[::-1]
)
_OPEN_QUOTE = "[\"'“”‘’「『＂＇`]"
QUOTED_KEY = re.compile(rf"{_OPEN_QUOTE}\s*({_KEYS})\s*{_OPEN_QUOTE}\s*[:：]\s*", re.IGNORECASE)
BARE_KEY = re.compile(rf"(?:(?<=[{{,，\n])|^)[ \t*\-•]{{0,9}}({_KEYS})[* \t]{{0,9}}[:：]", re.IGNORECASE)
_PAIRS = {
    '"': '"＂”“',
    "“": '”“"',
    "”": '”“"',
    "'": "'’＇",
    "‘": "’‘'",
    "’": "’‘'",
    "「": "」",
    "『": "』",
    "＂": '＂"',
    "`": "`",
}


def scan(text: str) -> Scanned | None:
    """Return the items of a text that holds known keys in quotes; None for any other."""
    keys = list(QUOTED_KEY.finditer(text))
    if not keys:
        return None
    items: list[Item] = []
    current: Item = {}
    truncated = False
    several = False
    for place, key in enumerate(keys):
        last = place + 1 == len(keys)
        segment = text[key.end() : len(text) if last else keys[place + 1].start()]
        if not last and (ends := _END_OF_LIST.search(segment)) and WORD.search(segment, ends.end()):
            several, segment = True, segment[: ends.end()]
        if segment[:1] in ("[", "{") and not last and _is_open(segment):
            continue  # an object or a list around the items, under a key that is also a field's
        name = key.group(1)
        if name in current:
            items.append(current)
            current = {}
        value, closed, complete = _value(segment, last=last)
        if last and not complete:
            truncated = True
            current = {}
            break
        current[name] = value
        if closed:
            items.append(current)
            current = {}
    if current:
        items.append(current)
    truncated = truncated or _stops_between(text[: keys[0].start()], text[keys[-1].end() :])
    if not items:
        return Scanned([], truncated=True) if truncated else None
    return Scanned(items, truncated, several)


_END_OF_LIST = re.compile(r"\}\s*,?\s*\]")
"""The end of a list of items; words after it, and then more keys, are another list."""


def _stops_between(before: str, after: str) -> bool:
    """Return whether an answer stops between two items: in a list that is not closed, or where another item begins."""
    if re.search(r"\[\s*+(?:\{\s*+)?\Z", before) and "]" not in after:
        return True
    return bool(re.search(r"\}\s*(?:[,，]\s*)?(?:\{[^}]*)?\Z", after)) and not after.rstrip().endswith("}")


def _is_open(segment: str) -> bool:
    try:
        DECODER.raw_decode(segment)
    except ValueError:
        return segment[0] == "[" or "}" not in segment
    return False


def _value(segment: str, *, last: bool) -> tuple[Any, bool, bool]:
    """One value out of the text up to the next key: the value, whether its object closes after it, and whether it
    is complete (only the last value of an answer can be cut).
    """
    segment = _COMMENT.sub("", segment)
    quote = segment[:1]
    value: Any
    closers = _PAIRS.get(quote)
    if closers is None:
        try:
            value, end = DECODER.raw_decode(segment)
        except ValueError:
            end = segment.find("}") + 1 if quote == "{" else 0  # a broken object is a value as a whole
            value = segment[:end] or re.split(r"[}\]\n,，]", segment, maxsplit=1)[0].strip()
        closed = "}" in segment[end:]
        return value, closed, closed or not last or "]" in segment[end:]
    close = re.compile(rf"[{re.escape(closers)}]\s*(?:[,，;；]\s*)?(?=[}}\]])")
    found = close.search(segment) if last else None
    if not last:
        for found in close.finditer(segment):  # noqa: B007 - the last one closes the object before the next key
            pass
        if found and not re.fullmatch(r"[\s,，;；}\]\[{]*", segment[found.end() :]):
            found = None
    if found:
        return _unescaped(segment[1 : found.start()]), True, True
    if last:
        return None, False, False
    body = segment.rstrip(" \t\r\n\u3000,，;；{[")
    if len(body) > 1 and body[-1] in closers:
        return _unescaped(body[1:-1]), False, True
    return _unescaped(body[1:]), False, True


_COMMENT = re.compile(r"[ \t,，]{0,9}//[^\n\"'”’]{0,200}\s*\Z")
"""A JavaScript comment after a value; one inside a string has the string's quote after it."""


def _unescaped(body: str) -> str:
    """A string's text: JSON escapes undone, stray quotes and backslashes inside kept."""
    if "\\" not in body:
        return body
    escaped = _ESCAPE.sub(lambda found: found[0] if len(found[0]) > 1 else "\\" + found[0], body)
    return str(json.loads(f'"{escaped}"', strict=False))


_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|[\\"]')
"""A JSON escape; else a backslash or a quote that ought to be one."""
