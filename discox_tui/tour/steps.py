"""Steps of the tour in their order, and when each counts as done: data, so that a step is a line."""

from __future__ import annotations

from dataclasses import dataclass

EVALUATION = "news-04 aurora-72b"
"""Words that find, in the sample, the evaluation that the tour is on."""

OFFER = "New here? A tour of less than three minutes shows how to review: {tour} begins, esc declines."


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to learn by doing it.

    ``action``: the action's id. ``text``: what is said; ``{some_action}`` becomes the key that this user has for it.
    ``logged``: the step is done once an event of this (kind, decision) is in the review log, where "" is any decision;
    None: once the action has run.
    """

    action: str
    text: str
    logged: tuple[str, str] | None = None


STEPS: tuple[Step, ...] = (
    Step(
        "not_an_error",
        "Above, source and translation ({switch_pane} changes sides); below, errors that an LLM judge marked, the "
        "current one lit above. English was left over, it says; but that explains a joke. No error: {not_an_error}.",
        ("verdict", "not_an_error"),
    ),
    Step(
        "agree",
        "Your score, at the lower left, is up by 45, and the next error is current. “As custom requires” was left "
        "out indeed: {agree} agrees.",
        ("verdict", "agree"),
    ),
    Step(
        "dimension",
        "An error may be real, but in the wrong place. {dimension} asks for the dimension: choose 2, fluency. Like "
        "this, {severity} changes severity, {category} category, and {duplicate} names a duplicate.",
        ("verdict", "reattribute"),
    ),
    Step(
        "undo",
        "That was too hasty: a carriage is no horsebox, so the meaning is wrong. {undo} undoes, {redo} does it again, "
        "as far back as you like.",
        ("undo", ""),
    ),
    Step("next_finding", "{next_finding} and {previous_finding} only look at the next and the previous error."),
    Step(
        "agree",
        "This faint one costs nothing: error 5 has the same cause, so it was dropped. {agree} agrees with that; "
        "{restore} would bring it back.",
        ("verdict", "agree"),
    ),
    Step(
        "mark_error",
        "Did the judge miss one? Select its words: {select_start} begins, {select_word} adds a word, or drag the "
        "mouse. {mark_error} asks, digit by digit, what it is (0: an error that is not marked yet).",
        ("error", ""),
    ),
    Step(
        "search_done",
        "Once you have searched both texts for more, {search_done} states it: only then can anybody say what share of "
        "the errors the judge found. State it now; nothing counts here.",
        ("review", ""),
    ),
    Step(
        "guideline",
        "What is an omission? How bad is major? {guideline} opens the guideline, with examples; / searches it, esc "
        "closes it.",
    ),
    Step(
        "finish",
        "Nothing needs saving. {next_undecided} finds what you have not decided; {finish} marks the evaluation as "
        "done, whenever you like, and opens the next.",
        ("review", ""),
    ),
    Step("back", "{back} goes back to the list of all evaluations."),
    Step(
        "consistency",
        "{open} opens one of these, {filter} filters. {blinding} hides what the judge said until you have marked your "
        "own errors. {consistency} shows how far the judge agrees with people: what all this is for.",
    ),
    Step("help", "That is all. {help} shows the keys of any screen, and {tour} takes you round again."),
)
