"""What to say of an evaluation in which nothing was found: that may be because nobody could look."""

from __future__ import annotations

from storage.library import StoredEvaluation


def failed(evaluation: StoredEvaluation) -> str:
    """Who gave nothing usable."""
    who = {"instruction_check": "the instruction check", "deduplication": "the de-duplicator"}
    return " and ".join(who.get(step, f"the {step} judge") for step in evaluation.failed)


def _others(evaluation: StoredEvaluation) -> str:
    """What is known where some step failed and there are no findings."""
    if "instruction_check" in evaluation.failed:
        return "so nothing else was asked"
    asked = {"accuracy", "fluency", "appropriateness"} - set(evaluation.failed)
    return "the others found no errors" if asked else "so nothing is known of errors"


def nothing_found(evaluation: StoredEvaluation) -> str:
    """What to say where an evaluation has no findings."""
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
