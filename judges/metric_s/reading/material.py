"""Material that a judge was shown: the texts, points, findings and examples of one question.

An answer may repeat them, even where they hold a ready-made answer. What stands in them is never the judge's own word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_BLANKS = frozenset("nrtbf")
_MARK = re.compile(r"^\[[ST]\d{1,6}\] ", re.MULTILINE)
"""The number before a paragraph in a question."""
_QUOTED = re.compile(
    r"```.*?```|“[^“”]*”|‘[^‘’]*’|「[^「」]*」|『[^『』]*』|《[^《》]*》|\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`", re.DOTALL
)
_LEAST = 4
"""Letters and digits of a quoted passage or a line; fewer are no quotation of a text, but a word that it holds, too."""
_LOOKS = 50_000_000
"""Characters that are looked through for the lines and quotes of one answer; one that takes more says nothing."""


@dataclass(frozen=True)
class Material:
    """Texts of a question, as they were sent. ``restore`` gives an answer's words as the texts themselves have them."""

    text: str = ""
    restore: Callable[[str], str] = str

    @property
    def _folded(self) -> str:
        return _folded_material(self.text)

    def holds(self, value: object) -> bool:
        """Return whether a JSON object or list stands in the material, whatever its blanks, escapes and quotes."""
        if not self.text or not isinstance(value, dict | list):
            return False
        if _kept(max(_strings(value), key=len, default="")) not in self._folded:
            return False  # as almost always: nothing else has to be looked at
        said = "".join(_flat(value))
        return bool(said.strip("[]{}:")) and said in self._folded

    def restored(self, value: Any) -> Any:
        """Return a value of an answer, which is not deep, with its words as the texts have them."""
        match value:
            case _ if self.restore is str:
                return value
            case str():
                return self.restore(value)
            case list():
                return [self.restored(inner) for inner in value]
            case dict():
                return {key: self.restored(inner) for key, inner in value.items()}
        return value

    def holds_text(self, text: str) -> bool:
        """Return whether a stretch of an answer stands in the material, whatever its blanks, escapes and quotes."""
        said = folded(_MARK.sub("", text)) if self.text else ""
        return sum(map(str.isalnum, said)) >= _LEAST and said in self._folded

    def without_quotations(self, prose: str) -> str:
        """Return prose without its lines, and its passages in quotation marks, that stand in the material."""
        if not self.text:
            return prose
        lines = prose.split("\n")
        most = max(_LOOKS // max(len(self._folded), 1), _LEAST_LOOKS)
        if len(lines) > most:
            return ""
        prose = "\n".join("" if self.holds_text(line) else line for line in lines)
        prose, quotes = _QUOTED.subn(self._without, prose, count=most)
        return "" if quotes == most else prose

    def _without(self, match: re.Match[str]) -> str:
        word = _WORD.fullmatch(match[0])  # such as a key
        return " " if not word and self.holds_text(match[0]) else match[0]


_WORD = re.compile(r"\W?\w+\W?", re.ASCII)
_LEAST_LOOKS = 100
NOTHING_SHOWN = Material()
"""The material of a judge of which nobody knows what it was shown."""


@lru_cache(maxsize=32)
def _folded_material(text: str) -> str:
    """Return the material folded; the judges of one translation are shown the same."""
    return folded(_MARK.sub("", text))


def folded(text: str) -> str:
    """Return the letters and digits of a text, and the brackets and colons of JSON: what survives being repeated."""
    return _kept(_ESCAPE.sub(_unescaped, text) if "\\" in text else text)


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return " " if match[2] in _BLANKS else "" if match[2] == "\\" else match[2]


def _kept(text: str) -> str:
    return _LEFT_OUT.sub("", unicodedata.normalize("NFKC", text).casefold())


_LEFT_OUT = re.compile(r"(?:[^\w\[\]{}:]|_)+")


def _strings(value: object) -> Iterator[str]:
    """Give the texts in a value, not its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _flat(value: object) -> Iterator[str]:
    """Give what ``folded`` makes of a value's JSON, piece by piece."""
    if isinstance(value, dict):
        yield "{"
        for key, inner in value.items():
            yield _kept(str(key))
            yield ":"
            yield from _flat(inner)
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for inner in value:
            yield from _flat(inner)
        yield "]"
    else:
        yield _kept("null" if value in (None, "None") else str(value))
