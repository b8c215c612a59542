"""Proposed type of a rubric point whose author named none, from the form of its term and its renderings."""

from __future__ import annotations

import re

from judges.benchmark.rubric.phrases import PointType
from judges.benchmark.rubric.points import Point, searchable
from judges.grounding.fuzzy_search import han

_LATIN_WORD = re.compile(r"[^\W\d_](?:[^\W_]|[’'.&-](?=[^\W_]))*")
_SMALL = frozenset(
    (
        *("a", "an", "and", "at", "by", "das", "de", "der", "des", "die", "du", "el", "et", "for", "from", "in", "la"),
        *("le", "of", "on", "or", "the", "to", "und", "von", "with", "y"),
    )
)
"""Words that stay small within a name."""
_ABBREVIATED = re.compile(r"[(（]\s*[A-Z][A-Za-z0-9&.-]*[A-Z0-9]s?\s*[)）]|^[A-Z0-9&.-]{2,8}s?$")
_NAMED = re.compile(
    r"(?:公司|集团|银行|大学|学院|研究所|研究院|委员会|协会|基金会|法院|政府|部门|[省市县区镇村国州]|总局|管理局|药监局"
    r"|医院|出版社|博物馆|会议|[报社党])$"
)
_WORK = re.compile(r"^[《〈].+[》〉]$")
_VERSE = re.compile(r"([\u3400-\u9fff]{3,8})[，,；;]\s*([\u3400-\u9fff]{3,8})")
_LONG_HAN, _LONG_WORDS = 8, 5
"""Characters of Chinese, and words of other languages, above which a term is a clause rather than a name."""


def proposed_type(point: Point, source: str) -> PointType | None:
    """Return the type that a point's form speaks for, None where nothing does. Its author may know better.

    Names are told by their capitals within a sentence, by a capitalised rendering, by 《》 and by what Chinese names
    end in; verse of two halves by their length. A long term is a keyword, a short one terminology.
    """
    if point.type:
        return point.type
    term = point.term.split(" / ")[0].strip(" “”\"'")
    if not term:
        return None
    renderings = [each.strip() for each in point.expected or point.forbidden]
    chinese = han(term) * 2 > len(term)
    if (verse := _VERSE.fullmatch(term)) and len(verse[1]) == len(verse[2]):
        return "culture"
    if any(map(_ABBREVIATED.search, (term, *renderings))) and not _is_name(term, source, chinese, renderings):
        return "terminology"
    if _is_name(term, source, chinese, renderings):
        return "proper_noun"
    words = _LATIN_WORD.findall(term)
    if chinese:
        return "keyword" if han(term) > _LONG_HAN else "terminology"
    return "keyword" if len(words) > _LONG_WORDS or len(words) == 1 else "terminology"


def _is_name(term: str, source: str, chinese: bool, renderings: list[str]) -> bool:
    """Return whether a term is a proper noun by its form or by that of its renderings."""
    if _WORK.match(term):
        return True
    if chinese:
        titled = [each for each in renderings if not han(each)]
        return bool(_NAMED.search(term) and titled and _titled(titled[0])) or (
            bool(titled) and all(map(_titled, titled)) and len(_LATIN_WORD.findall(titled[0])) > 1
        )
    if any("·" in each for each in renderings):
        return True
    if not _titled(term):
        return False
    places = [match.start for match in searchable(source).find(term)]
    return any(not _begins_sentence(source, start) for start in places)


def _titled(text: str) -> bool:
    """Return whether every word that is not small begins with a capital, and one of them is no abbreviation."""
    words = [word for word in _LATIN_WORD.findall(text) if word.casefold() not in _SMALL]
    return bool(words) and all(word[0].isupper() for word in words) and any(not word.isupper() for word in words)


def _begins_sentence(source: str, start: int) -> bool:
    before = source[:start].rstrip(" \t“”\"'(（")
    return not before or before[-1] in ".!?:\n。！？：;；"
