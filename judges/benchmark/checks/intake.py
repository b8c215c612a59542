"""Checks of a new candidate: damaged text, language, length, and near duplicates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from judges.benchmark.checks import language_id
from judges.benchmark.checks.context_dependence import context_dependence
from judges.benchmark.checks.damaged_text import damage
from judges.benchmark.checks.length import Unit, length
from judges.benchmark.checks.result import CHECK_CODES, Check, CheckCode, Level

__all__ = ["CHECK_CODES", "DEFAULT", "Check", "CheckCode", "Level", "MinimumLength", "Settings", "check"]


@dataclass(frozen=True, slots=True)
class MinimumLength:
    """Least length of an article: a text of fewer ``count`` units is warned of, below ``blocks`` · count it is out."""

    count: int
    unit: Unit
    blocks: float = 0.5


_UNSPACED = ("ja", "km", "lo", "my", "th", "zh")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the checks: a team's demands on its candidates.

    ``least``: length by ISO 639 code of the source language; "" stands for every other, a count of 0 for no limit.
    ``mixed``: the share of a text, in [0, 1], from which other languages in it are worth a look.
    """

    least: Mapping[str, MinimumLength] = field(
        default_factory=lambda: MappingProxyType(
            {code: MinimumLength(1500, "characters") for code in _UNSPACED} | {"": MinimumLength(1500, "words")}
        )
    )
    mixed: float = 0.1


DEFAULT = Settings()
"""DiscoX's: 1,500 characters of Chinese (so of all that is written without spaces), 1,500 words of any other."""


def check(text: str, direction: str, settings: Settings = DEFAULT) -> list[Check]:
    """Return what is wrong with a candidate's text, what blocks first, then in the order of `CHECK_CODES`.

    ``direction``: like "zh-en". At most one of each code, so that a person can say of a code that it is all right.
    15 ms for 10,000 characters, and half a second more the first time, when what tells languages is loaded.
    """
    if not text.strip():
        return [Check("empty", "blocks", "There is no text.", "Give the article's text.")]
    codes = language_id.codes_of(direction)
    source = codes[0] if codes else ""
    found = [
        *_language(text, codes, direction, settings),
        *_length(text, source, settings),
        *damage(text, source),
        *context_dependence(text, source),
    ]
    if any(one.code == "truncated" for one in found):
        found = [one for one in found if one.code != "ends_amid"]
    return sorted(found, key=lambda one: (one.severity != "blocks", CHECK_CODES.index(one.code)))


def _language(text: str, codes: tuple[str, str] | None, direction: str, settings: Settings) -> Iterator[Check]:
    if codes is None:
        said = f"“{direction}” names no two languages." if direction.strip() else "It has no direction."
        yield Check("direction", "blocks", said, "Give the direction as two codes, such as zh-en.")
        return
    source, target = codes
    found = language_id.stretches(text)
    shares = language_id.shares(found)
    if not shares:
        return
    most = next(iter(shares))
    if not language_id.known(source):
        if language_id.alike(target, most):
            yield _other_language(source, most, shares[most])
        return
    own = sum(share for language, share in shares.items() if language_id.alike(source, language))
    if own < 0.5:
        yield _other_language(source, most, shares[most])
        return
    foreign = [one for one in found if one.language and not language_id.alike(source, one.language)]
    of_target = any(language_id.alike(target, one.language) and one.weight >= language_id.ENOUGH for one in foreign)
    if foreign and (of_target or 1 - own >= settings.mixed):
        first = foreign[0]
        yield Check(
            code="mixed_language",
            severity="warns",
            message=f"{1 - own:.0%} of the text is in {language_id.name(first.language)} or another language.",
            mend="Take out what is translated already, or quoted at length.",
            start=first.start,
            end=first.first_end,
        )


def _other_language(source: str, found: str, share: float) -> Check:
    return Check(
        "language",
        "blocks",
        f"The source language is {language_id.name(source)}, but {share:.0%} of the text is {language_id.name(found)}.",
        "Correct the direction, or give the text in the source language.",
    )


def _length(text: str, source: str, settings: Settings) -> Iterator[Check]:
    least = settings.least.get(source) or settings.least.get("")
    if least is None:
        return
    count = length(text, least.unit)
    if count < least.count:
        far = count < least.blocks * least.count
        yield Check(
            "length",
            "blocks" if far else "warns",
            f"It has {count:,} {least.unit}; {least.count:,} are asked for.",
            "Add what belongs to it, or take a longer text.",
        )
