"""Quotes that a model was asked for, of findings whose judge only wrote prose: checked, and made places.

Nothing is lit for a quote that does not occur word for word: on its side the places that the prose gave stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from judges.grounding.candidates import Report, suggestions
from judges.grounding.cue_lexicon import omission
from judges.grounding.documents import Documents
from judges.grounding.ground import ground
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
    """Verified quotes of one finding, the sides whose quote was ``refused``, and how many quotes were ``given``."""

    quoted: Quoted
    refused: tuple[Side, ...]
    given: int

    @property
    def places(self) -> bool:
        """Return whether anything is left that has a place."""
        return bool(self.quoted.source or self.quoted.translation)


_NOT_FOUND: Mapping[Side, QuoteNote] = {"source": "source_not_found", "translation": "translation_not_found"}


def ground_asked(pair: Documents, reports: Sequence[Report], said: Sequence[Quoted | None]) -> AskedPlaces:
    """Return where findings are by what a model ``said`` they are about, None where it said nothing of a finding.

    A quote is verified as those of judges that quote are: it occurs word for word (``quote_check``), swapped sides are
    swapped back, and in the translation it is not what the prose suggests. Where a verified quote is, the finding is.
    A side without one has the places of the prose; but where only the source is quoted, which is how a model says that
    words are missing, the translation keeps none but what is certain in a finding of another category.
    """
    told = ground(pair, reports)
    checker = Checker(pair.sides["source"].text, pair.sides["translation"].text)
    checked = {
        place: _verify(pair, checker, report, quoted)
        for place, (report, quoted) in enumerate(zip(reports, said, strict=True))
        if quoted is not None
    }
    placed = [place for place, verified in checked.items() if verified.places]
    asked = ground(pair, [replace(reports[place], quoted=checked[place].quoted) for place in placed])
    grounded = list(told)
    for place, where in zip(placed, asked, strict=True):
        grounded[place] = _together(reports[place], told[place], where, checked[place])
    for place, verified in checked.items():
        grounded[place] = replace(grounded[place], notes=verified.quoted.notes)
    quotes = sum(verified.given for verified in checked.values())
    return AskedPlaces(grounded, quotes, quotes - sum(len(verified.refused) for verified in checked.values()))


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


def _together(report: Report, told: Grounded, asked: Grounded, verified: _Verified) -> Grounded:
    """Return each side's places by the quotes, or by the prose."""
    quoted, missing = verified.quoted, False
    if not quoted.translation and "translation" not in verified.refused:
        certain = any(span.side == "translation" and span.lit and span.confidence >= EXACT for span in told.spans)
        missing = omission(report.category or "") or not certain
    by_quote: Mapping[Side, bool] = {"source": bool(quoted.source), "translation": bool(quoted.translation) or missing}
    spans = tuple(span for side in SIDES for span in (asked if by_quote[side] else told).spans if span.side == side)
    paragraphs = []
    for side in SIDES:
        first, second = (asked, told) if by_quote[side] else (told, asked)
        paragraph = first.paragraph(side)
        paragraphs.append(second.paragraph(side) if paragraph is None else paragraph)
    lit = {span.side for span in spans if span.lit}
    unlocated = tuple((side, text) for side, text in told.unlocated if side not in lit)
    return Grounded(spans, paragraphs[0], paragraphs[1], unlocated)
