"""Tell what kind of error a finding is about, by its category in any of its names or by the judge's own words."""

from __future__ import annotations

import re

_INCONSISTENT = re.compile(
    r"一致性|不一致|不统一|没统一|未统一|混用|混乱|打架|对不上|前后不[一统同]|不一(?=[，。；]|$)|译法|译名|[两三四五几多]种(?:译|叫|说|写)"
    r"|inconsisten|not consistent"
    r"|(?:two|three|four|several|different) (?:different )?(?:rendering|name|term|translation|version|word)s"
    r"|(?:two|three|four) ways",
    re.I,
)
_WAYS = re.compile(
    r"[三四五六]种|不统一|没统一|未统一|混乱|混用|打架|inconsistent"
    r"|(?:two|three|four|several) (?:\w+ )?(?:renderings|names|terms|ways)",
    re.I,
)
_UNTRANSLATED = re.compile(
    r"未译|untranslated|未翻译|没翻|夹杂|夹着|原封不动|原样|保留(?:了)?(?:英文|汉字|中文|原文)|直接保留|照搬|搬了?过来|搬进"
    r"|(?:left|leaves?|kept|keeps?|remains?|stays?|standing|still) (?:\w+ ){0,4}(?:in )?(?:chinese|english|the source)"
    r"|not (?:been )?translated|never translated",
    re.I,
)
_OMISSION = re.compile(r"漏译|omission", re.I)
_ADDITION = re.compile(r"增译|addition|over_translation|over-translation", re.I)
_LANGUAGE = re.compile(r"流畅|语法|逻辑|风格|fluen|grammar|incoherence|style", re.I)


def inconsistent(category: str, prose: str) -> bool:
    """Return whether the finding is about one term rendered in several ways."""
    return bool(_INCONSISTENT.search(category) or _INCONSISTENT.search(prose))


def several(category: str, prose: str) -> bool:
    """Return whether the finding is *about* one term's several renderings, all of which matter."""
    if _INCONSISTENT.search(category):
        return True
    other = _UNTRANSLATED.search(category) or omission(category) or addition(category)
    return bool(_WAYS.search(prose)) and not other


def untranslated(category: str, prose: str) -> bool:
    """Return whether the finding is about source-language text left in the translation."""
    return bool(_UNTRANSLATED.search(category) or _UNTRANSLATED.search(prose))


def omission(category: str) -> bool:
    """Return whether the category is omission, by any of its names."""
    return bool(_OMISSION.search(category))


def of_the_translation_alone(category: str) -> bool:
    """Return whether the category is about the translation's language, not about what it renders."""
    return bool(_LANGUAGE.search(category))


def addition(category: str) -> bool:
    """Return whether the category is addition, by any of its names."""
    return bool(_ADDITION.search(category))
