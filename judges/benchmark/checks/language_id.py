"""Language identification, stretch by stretch, to find candidates in another language than declared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from judges.metric_s.protocol.prompts import LANGUAGES

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

Kind: TypeAlias = Literal["wide", "narrow"]

WIDE_LETTER = 3
"""A Chinese, Japanese or Korean letter says about as much as three of an alphabet, and weighs so."""
READABLE = 60
"""The weight from which a stretch's language can be told: twenty Chinese characters, about ten English words."""
ENOUGH = 240
"""The weight at which a stretch is long enough for the language to be told almost surely."""
SURE = 0.8
"""The confidence, in (0, 1], below which a stretch is of no known language."""

_LINE = re.compile(r"[^\n]{1,1000}[^\n.!?。！？]{0,400}[.!?。！？]?")
"""A line, or of a long one some sentences: a translation may be left in the middle of the only paragraph."""
_WIDE = "\u1100-\u11ff\u3005-\u3007\u3040-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
_WIDE += "\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_LETTER = re.compile(r"[^\W\d_]")
_RUN = re.compile(rf"(?P<wide>[{_WIDE}](?:[\W\d_]*[{_WIDE}])*)|(?P<narrow>[^\W\d_{_WIDE}](?:[\W\d_]*[^\W\d_{_WIDE}])*)")

_ALIKE = (
    {"zh", "wuu", "yue", "cmn", "lzh"},
    {"hr", "sr", "bs", "sh", "cnr"},
    {"id", "ms"},
    {"no", "nb", "nn"},
    {"ar", "ary", "arz"},
    {"fa", "prs"},
    {"ro", "mo"},
    {"tl", "fil"},
    {"he", "iw"},
    {"uz", "uzs"},
    {"lv", "ltg"},
)
"""Codes of one language, or of languages whose written forms no identifier tells apart."""
_NO_LANGUAGE = "zxx"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text in one language: its lines from ``start`` to ``end``, save what is of another stretch.

    ``first_end``: where its first unbroken part ends. ``language``: ISO 639 code, "" where it cannot be told.
    ``weight``: letters, wide ones thrice.
    """

    start: int
    end: int
    first_end: int
    language: str
    weight: int


def codes_of(direction: str) -> tuple[str, str] | None:
    """Return the codes of source and target of a direction such as "zh-en" or "en-pt_BR"; None if it is no pair."""
    codes = re.split(r"\s*(?:-|→|>)+\s*", direction.strip())
    if len(codes) != 2:
        return None
    source, target = (code.split("_")[0].lower() for code in codes)
    return (source, target) if source and target else None


def name(code: str) -> str:
    """Return a language's English name, or its code where we know no name."""
    return LANGUAGES.get(code, code)


def known(code: str) -> bool:
    """Return whether the identifier knows a language, or one that it does not tell from it."""
    return not _same(code).isdisjoint(_identifier().labels)


def alike(one: str, other: str) -> bool:
    """Return whether two codes are of one language, as far as can be told from a text."""
    return other in _same(one)


def stretches(text: str) -> list[Stretch]:
    """Return the stretches of a text, in the order of their ends. About 4 ms for 10,000 characters.

    Lines are pooled until there is enough to tell. Within a line, what is in the other kind of script (wide or narrow)
    is a quoted name and goes with the line, unless it is long enough to be read by itself.
    """
    return list(_stretches(text))


def shares(found: Sequence[Stretch]) -> dict[str, float]:
    """Return the share of each language in the stretches whose language is known, most first; {} where none is."""
    weights = Counter[str]()
    for stretch in found:
        if stretch.language:
            weights[stretch.language] += stretch.weight
    return {language: weight / weights.total() for language, weight in weights.most_common()}


def identify(text: str) -> str:
    """Return the ISO 639 code of the language of a text, "" where it cannot be told."""
    language, confidence = _identifier().classify(text)
    if confidence < SURE or language == _NO_LANGUAGE:
        return ""
    return min(_same(language) & LANGUAGES.keys(), default=language)


def _stretches(text: str) -> Iterator[Stretch]:
    pools: dict[Kind, list[re.Match[str]]] = {"wide": [], "narrow": []}
    for line in _LINE.finditer(text):
        runs = list(_RUN.finditer(text, line.start(), line.end()))
        of: dict[Kind, int] = {kind: sum(_weight(run) for run in runs if run.lastgroup == kind) for kind in pools}
        main = max(pools, key=lambda kind: of[kind])
        for run in runs:
            kind: Kind = "wide" if run.lastgroup == "wide" else "narrow"
            pools[kind if kind == main or _weight(run) >= READABLE else main].append(run)
        for kind, parts in pools.items():
            if sum(map(_weight, parts)) >= ENOUGH:
                yield _stretch(parts)
                pools[kind] = []
    yield from (_stretch(parts) for parts in pools.values() if parts)


def _stretch(parts: Sequence[re.Match[str]]) -> Stretch:
    weight = sum(map(_weight, parts))
    language = identify(" ".join(part[0] for part in parts)) if weight >= READABLE else ""
    return Stretch(parts[0].start(), parts[-1].end(), parts[0].end(), language, weight)


def _weight(run: re.Match[str]) -> int:
    letters = sum(1 for _ in _LETTER.finditer(run[0]))
    return letters * WIDE_LETTER if run.lastgroup == "wide" else letters


def _same(code: str) -> set[str]:
    return next((group for group in _ALIKE if code in group), {code})


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
