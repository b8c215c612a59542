"""Words for contradictions between a reviewer's acts in two copies: the act that counts, and what gave way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from storage.reviews.blinding import HIDDEN
from storage.reviews.contradictions import Reported
from storage.reviews.events import POINT

_LINKS = {"duplicate_of": "duplicate of", "repeat_of": "the same mistake as", "matches": "the same error as"}
_FLAGS = {
    "removed": "no error",
    "missed": "missed by the judge",
    "invented": "invented quote",
    "spans": "another place",
}
_DECISIONS = {"override": "changed", "reattribute": "moved"}


def fields_in_words(fields: Mapping[str, Any], called: Callable[[str], str]) -> str:
    """Return what a verdict's or an error's fields say; ``called``: the number of an error, by its id."""
    said = []
    for name, value in fields.items():
        if value is None:
            continue
        if name in _LINKS:
            said.append(f"{_LINKS[name]} {called(value) or 'another error'}")
        elif name in _FLAGS:
            said.append(_FLAGS[name])
        elif name in ("note", "reason"):
            said.append(f"{name} “{value}”")
        else:
            said.append(_DECISIONS.get(value, str(value).replace("_", " ")))
    if not said:
        return (
            "nothing, as before it was decided" if set(fields) <= {"decision"} else "what was said before is taken back"
        )
    # That something is a duplicate of another is said once.
    return ", ".join(dict.fromkeys(said if "duplicate_of" not in fields else (s for s in said if s != "duplicate")))


def counts_in_words(
    changes: Mapping[str, Any], of: str, subject: str, *, undone: bool, called: Callable[[str], str]
) -> str:
    """Return what counts: an act by its fields, or an undoing; ``of``: the error it is about, where another one."""
    said = "that an earlier act was undone" if undone else fields_in_words(changes, called)
    return f"{said} (error {of})" if of and of != subject else said


def report_line(found: Reported, numbers: Mapping[str, str]) -> str:
    """Return a contradiction as a line of a merge's report; ``numbers``: of the evaluation's errors, by id."""
    called: Callable[[str], str] = lambda identity: numbers.get(identity, "")  # noqa: E731
    if found.subject == HIDDEN:
        return f"{found.reviewer}, {found.article} by {found.system}: what it is about is hidden from you"
    what = f"error {found.error}" if found.error else "the review"
    if found.subject.startswith(POINT):
        what = f"rubric point {found.subject.removeprefix(POINT)}"
    where = f"{found.article} by {found.system}" if found.system else found.article
    counts = counts_in_words(found.counts, found.of or "", found.error or "", undone=found.undone, called=called)
    gave = fields_in_words(found.gave_way, called)
    return f"{found.reviewer}, {where or found.evaluation}, {what}: counts: {counts}; gave way: {gave}"
