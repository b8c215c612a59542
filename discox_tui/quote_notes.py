"""What became of a judge's quotes, in the words that the screen and ``discox show`` share."""

from __future__ import annotations

from judges.model import Quoted, QuoteNote

_WORDS: dict[QuoteNote, str] = {
    "sides_swapped": "the judge gave them for the wrong sides",
    "translation_is_suggestion": "it quotes its own suggestion as the translation",
    "source_repaired": "the one of the source was mended when asked again",
    "translation_repaired": "the one of the translation was mended when asked again",
    "source_not_found": "the one of the source was not found",
    "translation_not_found": "the one of the translation was not found",
}


def quote_notes(quoted: Quoted | None, *, lost: bool) -> str:
    """Return the notes on a finding's quotes in one line, empty without any; ``lost``: also which were not found."""
    notes = quoted.notes if quoted else ()
    return "; ".join(_WORDS.get(note, note) for note in notes if lost or not note.endswith("_not_found"))
