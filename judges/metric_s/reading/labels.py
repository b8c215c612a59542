"""Labels of judges: their words for severities, categories, verdicts, judges and fields, in every spelling.

A word that could mean two things, such as a template copied unfilled ("普通/严重/非常严重"), is refused: None.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, Literal, get_args

from judges.model import JUDGES, LEVELS, Judge, Severity
from judges.words import word_tables

Field = Literal[
    "number",
    "paragraph",
    "category",
    "explanation",
    "severity",
    "verdict",
    "source_quote",
    "target_quote",
    "target_context",
    "suggestion",
]
"""A field of a judge's list: of one error or one rubric point."""

_TABLES = word_tables(__file__)

FIELDS: Mapping[Field, tuple[str, ...]] = {name: _TABLES["field"][name] for name in get_args(Field)}
"""Field → the keys it is written under, in lower case; the official prompts' own first."""

_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>|【[^【】]*】|〔[^〔〕]*〕")
_NOT_WORDS = re.compile(r"[\s()\[\]{}<>【】〔〕「」『』《》\"'“”‘’`*#~_:;,.!?。、…·—\-]+")


def normal(word: object) -> str:
    """Return a word as it is compared: NFKC, lower case, without blanks, brackets or punctuation ("/" and "|" stay)."""
    text = unicodedata.normalize("NFKC", word if isinstance(word, str) else "" if word is None else str(word))
    return _NOT_WORDS.sub("", text.casefold())


def _without_gloss(word: object) -> str:
    """The word without what stands in brackets ("普通（Major）"), unless all of it does ("【严重】")."""
    text = unicodedata.normalize("NFKC", word if isinstance(word, str) else "" if word is None else str(word))
    bare = normal(_BRACKETED.sub(" ", text))
    return bare or normal(text)


class _Words:
    """A reading of words as one of a section's entries: longest spelling first, and exactly one entry or none."""

    def __init__(self, section: str) -> None:
        self._value = {normal(word): value for value, words in _TABLES[section].items() for word in words}
        alone = _TABLES.get(f"{section}.alone", {})
        self._whole = self._value | {normal(word): value for value, words in alone.items() for word in words}
        longest_first = sorted(self._value, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def read(self, word: object) -> str | None:
        """Return the one value the word names; None where it names none or several."""
        text = _without_gloss(word)
        if text in self._whole:
            return self._whole[text]
        values = {self._value[match.group()] for match in self._pattern.finditer(text)}
        return values.pop() if len(values) == 1 else None


NO_ERROR = "整体无问题"
"""The label that the official prompts ask for where there is no error: a sentinel, not an error."""

_SEVERITY = _Words("severity")


def read_severity(judge: Judge, word: object) -> tuple[Severity | None, bool]:
    """Return the severity that ``word`` names in this judge's scale, and whether it had to be moved onto the scale.

    Accuracy's mildest level is major, so "minor" and "轻微" there read as major (moved). Fluency and appropriateness
    know one level, so any readable problem word is that level. (None, False) where the word cannot be read, is the
    no-error sentinel, or where the judge is the rubric's (see ``read_verdict``).
    """
    level = _severity(word)
    if level in (None, "none", "refused") or judge == "rubric":
        return None, False
    if judge == "fluency":
        return "minor", level not in ("minor", "some")
    if judge == "appropriateness":
        return "major", level not in ("major", "some")
    match level:
        case "major" | "critical" | "extremely_critical":
            return level, False
        case "minor":
            return "major", True
    return None, False


def is_no_error(word: object) -> bool:
    """Return whether the word says that there is no error at all ("整体无问题")."""
    return _severity(word) == "none"


def _severity(word: object) -> str | None:
    if isinstance(word, str):
        text = unicodedata.normalize("NFKC", word)
        for heading in _TABLES["heading"]["severity"]:  # "严重程度：普通" holds 严重 without saying it
            text = re.sub(rf"{heading}\s*[:=]", " ", text, flags=re.IGNORECASE)
        word = text
    return _SEVERITY.read(word)


_VERDICT = _Words("verdict")


def read_verdict(word: object) -> bool | None:
    """Return whether a rubric verdict says that the point was met; None for partly right, empty or both."""
    return {"met": True, "violated": False}.get(_VERDICT.read(word) or "")


def read_met(word: object) -> bool | None:
    """Return what ``read_verdict`` does where the question is whether a point was met: yes and no answer it too."""
    return {"yes": True, "是": True, "no": False, "否": False}.get(normal(word), read_verdict(word))


_CATEGORIES: Mapping[Judge, _Words] = {judge: _Words(f"category.{judge}") for judge in JUDGES}


def read_category(judge: Judge, word: object) -> str | None:
    """Return our name of the category that ``word`` names, or None where it is none or several of this judge's."""
    return _CATEGORIES[judge].read(word)


JUDGE_SPELLINGS: Mapping[Judge, tuple[str, ...]] = {judge: _TABLES["judge"][judge] for judge in JUDGES}
"""Judge → what it is called, the official key first."""

_JUDGE_OF_KEY = {normal(word): judge for judge, words in JUDGE_SPELLINGS.items() for word in words}


def judge_of_key(key: object) -> Judge | None:
    """Return the judge whose list stands under a key such as "appropiate", or None for any other key."""
    return _JUDGE_OF_KEY.get(normal(key))


_FIELD_OF = {normal(key): name for name, keys in FIELDS.items() for key in keys}


@lru_cache(maxsize=1024, typed=True)
def field_of(key: Hashable) -> Field | None:
    """Return the field that a key stands for ("段落序号" → "paragraph"), or None for an unknown key."""
    return _FIELD_OF.get(normal(key))


def fields_of(item: Mapping[Any, Any]) -> dict[Field, Any]:
    """Return an item's values by field; of two keys for one field the first that holds something stands."""
    values: dict[Field, Any] = {}
    for key, value in item.items():
        name = field_of(key)
        if name is not None and values.get(name) in (None, ""):
            values[name] = value
    return values


PLAIN_LABELS: Mapping[Judge, frozenset[str]] = {judge: frozenset(_TABLES["plain"][judge]) for judge in JUDGES}
"""The labels that the official scorer is sure to read as they are meant, in lower case; others it may miscount."""

OWN_LABELS: Mapping[Judge, frozenset[str]] = {
    **{judge: labels | frozenset(LEVELS[judge]) for judge, labels in PLAIN_LABELS.items()},
    "rubric": PLAIN_LABELS["rubric"] | {"true", "false"},
}
"""The same, with those that this program's own prompts ask for."""
