"""Quotes that a model was asked for, of findings whose judge only wrote prose: checked, and made places.

Nothing is lit for a quote that does not occur word for word: on its side the places that the prose gave stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from judges.grounding.candidates import Report, suggestions
from judges.grounding.cue_lexicon import says
from judges.grounding.documents import Documents
from judges.grounding.ground import distinct, ground
from judges.grounding.quote_check import Checker, same_letters
from judges.model import EXACT, SIDES, Grounded, Quoted, QuoteNote, Side


@dataclass(frozen=True, slots=True)
class AskedPlaces:
    """Places of one evaluation's findings, in their order; of the ``quotes`` given for them, so many ``verified``."""

    grounded: list[Grounded]
    quotes: int
    verified: int


@dataclass(frozen=True, slots=True)
class _Verified:
    """Verified quotes of one place, the sides whose quote was ``refused``, and how many quotes were ``given``."""

    quoted: Quoted
    refused: tuple[Side, ...]
    given: int


_NOT_FOUND: Mapping[Side, QuoteNote] = {"source": "source_not_found", "translation": "translation_not_found"}


def ground_asked(pair: Documents, reports: Sequence[Report], said: Sequence[Sequence[Quoted]]) -> AskedPlaces:
    """Return where findings are by what a model ``said`` they are about: of each the places, none where it is silent.

    A quote is verified as those of judges that quote are: it occurs word for word (``quote_check``), swapped sides are
    swapped back, and in the translation it is not what the prose suggests. Where verified quotes are, the finding is.
    A side without any has the places of the prose; but where only the source is quoted, which is how a model says that
    words are missing, the translation keeps none but what is certain in a finding of another category. A context only
    tells which occurrence is meant, and is not lit.
    """
    told = ground(pair, reports)
    checker = Checker(pair.sides["source"].text, pair.sides["translation"].text)
    grounded: list[Grounded] = []
    quotes = refused = 0
    for report, places, prose in zip(reports, said, told, strict=True):
        verified = [_verify(pair, checker, report, quoted) for quoted in places]
        asked = [each.quoted for each in verified if each.quoted.source or each.quoted.translation]
        found = ground(pair, [replace(report, quoted=quoted) for quoted in asked])
        where = _together(report, prose, found, verified) if found else prose
        notes = dict.fromkeys(note for each in verified for note in each.quoted.notes)
        grounded.append(replace(where, notes=tuple(notes)))
        quotes += sum(each.given for each in verified)
        refused += sum(len(each.refused) for each in verified)
    return AskedPlaces(grounded, quotes, quotes - refused)


def _verify(pair: Documents, checker: Checker, report: Report, quoted: Quoted) -> _Verified:
    given = [text for text in (quoted.source, quoted.translation) if text]
    suggested = (s for s in suggestions(pair, report) if any(same_letters(s, text) for text in given))
    checked = checker.check([replace(quoted, suggestion=next(suggested, None))])[0]
    refused = list(checked.missing)
    notes = [*checked.quoted.notes, *(_NOT_FOUND[side] for side in refused)]
    if "translation_is_suggestion" in notes and "translation" not in refused:
        refused.append("translation")
    kept = replace(checked.quoted, suggestion=None, notes=tuple(notes))
    if "source" in refused:
        kept = replace(kept, source=None)
    if "translation" in refused or not kept.translation:
        kept = replace(kept, translation=None, context=None)
    return _Verified(kept, tuple(refused), checked.quotes)


def _together(report: Report, told: Grounded, asked: Sequence[Grounded], verified: Sequence[_Verified]) -> Grounded:
    """Return each side's places by the quotes, or by the prose."""
    by_quote: dict[Side, bool] = {
        "source": any(each.quoted.source for each in verified),
        "translation": any(each.quoted.translation for each in verified),
    }
    if not by_quote["translation"] and not any("translation" in each.refused for each in verified):
        certain = any(span.side == "translation" and span.lit and span.confidence >= EXACT for span in told.spans)
        by_quote["translation"] = says("omission", report.category or "") or not certain
    spans = distinct(
        span
        for side in SIDES
        for where in (asked if by_quote[side] else (told,))
        for span in where.spans
        if span.side == side and not (by_quote[side] and span.role == "context")
    )
    lit = {span.side for span in spans if span.lit}
    first, second = (_paragraph(side, [*asked, told] if by_quote[side] else [told, *asked]) for side in SIDES)
    unlocated = tuple((side, text) for side, text in told.unlocated if side not in lit)
    return Grounded(tuple(spans), first, second, unlocated)


def _paragraph(side: Side, places: Sequence[Grounded]) -> int | None:
    return next((paragraph for where in places if (paragraph := where.paragraph(side)) is not None), None)
