"""Check of a judge's quotes against the two texts, so that invented ones are known while it can be asked again.

Cheap enough for the event loop of a run: a text is made ready for more than plain search only when a quote needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judges.grounding.fuzzy_search import Locator
from judges.grounding.normalization import bare, fold
from judges.model import SIDES, Quoted, QuoteNote, Side


@dataclass(frozen=True, slots=True)
class Checked:
    """Quotes of one finding, put right where that needs no asking, and the sides whose quote occurs nowhere there."""

    quoted: Quoted
    missing: tuple[Side, ...] = ()

    @property
    def quotes(self) -> int:
        """Return how many quotes were given, 0–2; those not ``missing`` are verified."""
        return sum(quote is not None for quote in (self.quoted.source, self.quoted.translation))


class Checker:
    """A source and its translation (code points as stored), against which one evaluation's judges are checked."""

    def __init__(self, source: str, translation: str) -> None:
        self._texts: dict[Side, str] = {"source": source, "translation": translation}
        self._locators: dict[Side, Locator] = {}

    def occurs(self, side: Side, quote: str) -> bool:
        """Return whether ``quote`` stands in the text of ``side``, by ``Locator.verbatim``; a blank one does not.

        Time is linear in text and quote, whatever they hold.
        """
        quote = quote.strip()
        if not quote:
            return False
        if quote in self._texts[side]:
            return True
        if side not in self._locators:
            self._locators[side] = Locator(self._texts[side])
        return bool(self._locators[side].verbatim(quote))

    def check(self, quoted: Sequence[Quoted]) -> list[Checked]:
        """Return each of ``quoted`` checked, in the given order; see ``check``."""
        return [self._checked(one) for one in quoted]

    def _checked(self, given: Quoted) -> Checked:
        source, translation, context, suggestion = (
            text if text and text.strip() else None
            for text in (given.source, given.translation, given.context, given.suggestion)
        )
        notes: list[QuoteNote] = []
        missing = self._missing(source, translation)
        if missing and len(swapped := self._missing(translation, source)) < len(missing):
            source, translation, missing = translation, source, swapped
            notes.append("sides_swapped")
        if translation and suggestion and same_letters(translation, suggestion):
            notes.append("translation_is_suggestion")
        quoted = replace(
            given,
            source=source,
            translation=translation,
            context=context,
            suggestion=suggestion,
            notes=tuple(dict.fromkeys((*given.notes, *notes))),
        )
        return Checked(quoted, missing)

    def _missing(self, *quotes: str | None) -> tuple[Side, ...]:
        """Return the sides whose quote (source, translation) does not occur there."""
        given = zip(SIDES, quotes, strict=True)
        return tuple(side for side, quote in given if quote is not None and not self.occurs(side, quote))


def same_letters(one: str, other: str) -> bool:
    """Return whether two texts hold the same letters and digits (the same signs where they hold none)."""
    left, right = fold(one), fold(other)
    return left == right or (bare(left) == bare(right) != "")


def check(source: str, translation: str, quoted: Sequence[Quoted]) -> list[Checked]:
    """Return each of ``quoted`` checked against the two texts, in the given order. Never raises on odd text.

    A blank text becomes None. The sides are swapped back (``sides_swapped``) where more of the quotes stand in their
    texts that way round. A quote of the translation that is the judge's own suggestion is noted
    (``translation_is_suggestion``), whether it occurs or not. To ask again about what is ``missing``, keep a
    ``Checker``: its ``occurs`` says whether the new quote is right.
    """
    return Checker(source, translation).check(quoted)
