"""Phrases that the command line and the screens share, on pace, probability, quotes and failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from discox_tui.text.counts import counted, duration
from judges.model import Quoted, QuoteNote
from storage.record.library import StoredEvaluation
from storage.reviews.pace import Pace
from storage.reviews.pass_scores import Rated


def time_left(pace: Pace) -> str:
    """Return how long a reviewer should take for what is left, or why nobody knows."""
    if not pace.left:
        return "nothing left" if pace.assigned else "nothing assigned"
    if pace.seconds_left is None:
        return "unknown yet"
    return f"about {duration(60 * max(1, round(pace.seconds_left / 60))).removesuffix(' 0 s')}"


def pace_words(pace: Pace) -> str:
    """Pace and time left in a few words."""
    if pace.speed is None or not pace.left:
        return f"time left: {time_left(pace)}" if pace.left else time_left(pace)
    return f"{pace.speed.evaluations_an_hour:.1f} an hour, {time_left(pace)} left"


def learnt_from(n: int, articles: int) -> str:
    """Return what a probability rests on."""
    return f"learnt from {counted(n, 'verdict')} in {counted(articles, 'article')}"


def rated_words(rated: Sequence[Rated]) -> list[str]:
    """Return people's scores in a few words, one for each name: the score, or the mean of several people's."""
    by_metric: dict[str, list[float]] = {}
    for each in rated:
        by_metric.setdefault(each.metric, []).append(each.score)
    return [
        f"{metric} {rounded(fmean(scores))}" + (f" ×{len(scores)}" if len(scores) > 1 else "")
        for metric, scores in by_metric.items()
    ]


def rated_by(rated: Rated, segments: Mapping[int, float]) -> str:
    """Return one person's score of a translation in words, with those of its segments where they are several."""
    by = f"{rated.metric} {rounded(rated.score)}" + (f" by {rated.rater}" if rated.rater else "")
    if len(segments) < 2:
        return by
    shown = ", ".join(f"{n}: {rounded(score)}" for n, score in list(segments.items())[:_SEGMENTS])
    return f"{by} (by segment {shown}{' …' if len(segments) > _SEGMENTS else ''})"


_SEGMENTS = 20
"""Segments whose scores are shown."""


def rounded(score: float) -> str:
    """A score of a scale that is not known, to two decimals."""
    return f"{score:.2f}".rstrip("0").rstrip(".")


def likely(chance: float) -> str:
    """A probability in words."""
    return f"{100 * chance:.0f} % likely to stand"


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


_ASKED_WORDS: dict[QuoteNote, str] = {
    "sides_swapped": "given for the wrong sides, and swapped back",
    "translation_is_suggestion": "what the judge suggests was quoted as the translation",
    "source_not_found": "the quote of the source was not found",
    "translation_not_found": "the quote of the translation was not found",
}


def asked_note(note: str) -> str:
    """Return in words a note on the quotes of a model that was asked what a finding is about."""
    return next((words for known, words in _ASKED_WORDS.items() if known == note), note)


def failed(evaluation: StoredEvaluation) -> str:
    """Return who gave nothing usable."""
    who = {"instruction_check": "the instruction check", "deduplication": "the de-duplicator"}
    return " and ".join(who.get(step, f"the {step} judge") for step in evaluation.failed)


def _others(evaluation: StoredEvaluation) -> str:
    """Return what is known where some step failed and there are no findings."""
    if "instruction_check" in evaluation.failed:
        return "so nothing else was asked"
    asked = {"accuracy", "fluency", "appropriateness"} - set(evaluation.failed)
    return "the others found no errors" if asked else "so nothing is known of errors"


def nothing_found(evaluation: StoredEvaluation) -> str:
    """Return what to say where an evaluation has no findings."""
    if evaluation.hidden:
        return "What the judge said is hidden: mark the errors that you find, then reveal it (R)."
    return {
        "scored": "The judges found no errors.",
        "score_only": "The judge gave a score and named no errors: there is nothing to review.",
        "judge_failed": f"T{failed(evaluation)[1:]} gave nothing usable, {_others(evaluation)}.",
        "instruction_failed": "The instruction check failed: not a translation of the whole text.",
        "no_translation": "The system gave no translation.",
        "not_judged": "No judge was asked: mark the errors that you find (v, then e).",
    }[evaluation.state]
