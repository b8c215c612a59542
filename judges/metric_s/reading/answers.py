"""Read what the judges answer this program's own questions: every answer becomes a value, an outcome and a step.

An answer that says nothing usable is never taken for "no errors": that has to be said. What was complete of an answer
that breaks off, or is not quite what was asked for, is kept beside the outcome.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from judges.metric_s.reading.dedup_advice import read_advice
from judges.metric_s.reading.error_list import JudgeList, number_of, read_list, words_of
from judges.metric_s.reading.json_answer import Answer, Item, read_answer, says_no_duplicates, without_thinking
from judges.metric_s.reading.labels import (
    FIELDS,
    NO_ERROR,
    OWN_LABELS,
    fields_of,
    is_no_error,
    read_category,
    read_verdict,
)
from judges.metric_s.reading.official_record import read_check as read_check_in_words
from judges.model import DIMENSIONS, Advice, Dimension, Judge, Score
from judges.providers.model import Outcome, Reading

Value = TypeVar("Value")
Reader = Callable[[str, bool], Reading[Value]]

_SENTINEL: Item = {FIELDS["severity"][0]: NO_ERROR}
_CONCLUSION = re.compile(r"""(?<!\\)["“'`]conclusion["”'`]\s*[:：]\s*["“'`]([^"”'`]*)["”'`]""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Check:
    """Instruction check as the judge answered it: ``problem`` where the output is no translation of the whole text."""

    problem: bool
    explanation: str


@dataclass(frozen=True)
class Detailed:
    """Answer of a model that is asked everything at once; ``check`` None where that part cannot be read."""

    check: Check | None
    lists: Mapping[Judge, JudgeList] = field(default_factory=dict)


def _nothing(answer: Answer, text: str, cut: bool) -> Reading[Any]:
    """Return a reading without a value: it was cut off (by the provider's word or its JSON) or is unreadable."""
    stops = answer.truncated and "{" in text
    return Reading(None, "truncated" if cut or stops else "unparsable")


def refusing_copies(read: Reader[Value], prompt: str, material: str = "") -> Reader[Value]:
    """Return a reader to which an answer that repeats the shape shown in the prompt, unfilled, is no answer.

    ``prompt``: its text, in whose sample ``"<…>"`` stands for what is to be filled in. ``material``: what is judged;
    words that stand in it may be quoted, else a text could hold them to be judged by nobody.
    """
    blanks = sorted((blank for blank in set(_BLANK.findall(prompt)) if blank not in material), key=len, reverse=True)
    if not blanks:
        return read
    copied = re.compile(rf'"\s*<?(?:{"|".join(map(re.escape, blanks))})>?[\s,.]*"')

    def reader(text: str, cut: bool) -> Reading[Value]:
        if copied.search(without_thinking(text)):
            return Reading(None, "wrong_shape")
        return read(text, cut)

    return reader


_BLANK = re.compile(r'"<([^<>"\n]+)>"')


def read_check(text: str, cut: bool) -> Reading[Check]:
    """Read the instruction check, in JSON or in the words that the official code asks for."""
    answer = read_answer(text)
    check = _check(answer.items or [])
    if check is not None:
        return _reading(check, answer, cut)
    problem = read_check_in_words(without_thinking(text))
    if problem is None or cut:
        return Reading(None, "truncated" if cut or answer.truncated else _unusable(answer))
    return Reading(Check(problem, text.strip()), step="words")


def read_findings(judge: Judge) -> Reader[JudgeList]:
    """Return the reader of one judge's findings; of the rubric's verdicts see ``read_rubric``."""

    def read(text: str, cut: bool) -> Reading[JudgeList]:
        answer = read_answer(text)
        if answer.items is None:
            return _nothing(answer, text, cut)
        heard = _list(judge, answer.items + _stated(text))
        return _reading(heard, answer, cut, right=not heard.failed)

    return read


def read_rubric(points: Sequence[int]) -> Reader[JudgeList]:
    """Return the reader of the verdicts on the points of these numbers: fewer verdicts are not what was asked for."""

    def read(text: str, cut: bool) -> Reading[JudgeList]:
        answer = read_answer(text)
        if answer.items is None:
            return _nothing(answer, text, cut)
        heard = _verdicts(answer.items, points)
        return _reading(heard, answer, cut, right=not heard.failed and len(heard.verdicts) == len(points))

    return read


def read_deduplication(text: str, cut: bool) -> Reading[list[Advice]]:
    """Read a de-duplicator's advice: at least one line that names findings, or the word that nothing is duplicated."""
    answer = read_answer(text)
    advice = read_advice(text)
    if advice is None:
        return _nothing(answer, text, cut)
    named = any(line.status != "names_nothing" for line in advice)
    none = _concludes(text, says_no_duplicates)
    if not named and not (says_no_duplicates(without_thinking(text)) if none is None else none):
        return Reading(None, "truncated" if cut or answer.truncated else "wrong_shape", answer.step)
    return _reading(advice, answer, cut)


def read_repair(text: str, cut: bool) -> Reading[dict[int, str]]:
    """Read the exact texts for numbered quotes; a number without one is left out."""
    answer = read_answer(text)
    if answer.items is None:
        return _nothing(answer, text, cut)
    given = ((number_of(fields_of(item).get("number")), item.get("text")) for item in answer.items)
    return _reading({n: t for n, t in given if n is not None and isinstance(t, str) and t.strip()}, answer, cut)


def read_detailed(points: Sequence[int]) -> Reader[Detailed]:
    """Return the reader of a single answer to everything; the dimension of a finding is that of its category."""

    def read(text: str, cut: bool) -> Reading[Detailed]:
        answer = read_answer(text)
        if answer.items is None:
            return _nothing(answer, text, cut)
        said = [(item, fields_of(item)) for item in answer.items]
        checks = [i for i, f in said if "verdict" in f and not f.keys() & {"number", "severity"}]
        verdicts = [i for i, f in said if "verdict" in f and f.keys() & {"number", "severity"}]
        found = [i for i, f in said if "verdict" not in f]
        heard = _by_dimension(found + _stated(text))
        if points:
            heard["rubric"] = _verdicts(verdicts, points)
        check = _check(checks)
        right = check is not None and not any(part.failed for part in heard.values())
        right = right and (not points or len(heard["rubric"].verdicts) == len(points))
        right = right or (check is not None and check.problem)
        return _reading(Detailed(check, heard), answer, cut, right=right)

    return read


def read_points(maxima: Mapping[Dimension, int]) -> Reader[Score]:
    """Return the reader of bare points by dimension, each a whole number from 0 to its maximum."""

    def read(text: str, cut: bool) -> Reading[Score]:
        try:
            given, step = json.loads(text), "json"
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict) or given.keys().isdisjoint(DIMENSIONS):
            said = without_thinking(text)
            found = {d: set(_points_of(d, maxima[d]).findall(said)) for d in DIMENSIONS}
            given, step = {d: values.pop() for d, values in found.items() if len(values) == 1}, "keys scan"
        points = [_whole(given.get(d)) for d in DIMENSIONS]
        accuracy, fluency, appropriateness = points
        if accuracy is None or fluency is None or appropriateness is None:
            return Reading(
                None, "truncated" if cut else "wrong_shape" if any(p is not None for p in points) else "unparsable"
            )
        within = all(0 <= value <= maxima[d] for d, value in zip(DIMENSIONS, points, strict=True) if value is not None)
        if cut and step != "json":
            return Reading(None, "truncated", step)
        return Reading(Score(accuracy, fluency, appropriateness), step=step) if within else Reading(None, "wrong_shape")

    return read


def _points_of(dimension: Dimension, most: int) -> re.Pattern[str]:
    """Return the pattern of a dimension's points in an answer that is no flat JSON: "**Accuracy**: 50/60"."""
    given = rf"""{dimension}["”'`*]*\s*[:：]\s*["“'`*]*(-?[\d.]+)(?:\s*/\s*{most}\b)?(?![\d.eE]|\s*[-~–—/])"""
    return re.compile(given, re.IGNORECASE)


def _reading(value: Value, answer: Answer, cut: bool, *, right: bool = True) -> Reading[Value]:
    """A reading of an answer that says something. JSON that is whole was not cut, whatever the server says."""
    outcome: Outcome = "ok" if right else "wrong_shape"
    if answer.truncated or (cut and answer.step != "json"):
        outcome = "truncated"
    return Reading(value, outcome, answer.step)


def _unusable(answer: Answer) -> Outcome:
    return "unparsable" if answer.items is None else "wrong_shape"


def _concludes(text: str, says: Callable[[str], bool]) -> bool | None:
    """Return whether an answer's conclusion says so throughout, with no choice left open; None if it gives none."""
    said = _CONCLUSION.findall(without_thinking(text))
    return all("|" not in word and says(word) for word in said) if said else None


def _stated(text: str) -> list[Item]:
    """The sentinel, if the answer says that there are no errors and does not say otherwise as well."""
    return [_SENTINEL] if _concludes(text, is_no_error) else []


def _check(items: Sequence[Item]) -> Check | None:
    said = [fields for item in items if "verdict" in (fields := fields_of(item))]
    passed = {read_verdict(fields["verdict"]) for fields in said}
    if passed not in ({True}, {False}):
        return None
    return Check(False in passed, "\n".join(words_of(fields.get("explanation")) for fields in said))


def _list(judge: Judge, items: Sequence[Item]) -> JudgeList:
    heard = read_list(judge, list(items), 0, OWN_LABELS)
    for finding in heard.findings:
        if "|" in finding.category_label:
            heard.fail(f"finding {finding.index} is the question's own template")
    return heard


def _verdicts(items: Sequence[Item], points: Sequence[int]) -> JudgeList:
    numbers = [number_of(fields_of(item).get("number")) for item in items]
    if set(numbers) == {None} and len(items) == len(points):  # one a point, in their order
        items, numbers = [{**i, "number": n} for i, n in zip(items, points, strict=True)], list(points)
    known = [item for item, number in zip(items, numbers, strict=True) if number in points]
    heard = read_list("rubric", known, len(points), OWN_LABELS)
    if len(known) < len(items):
        heard.flag(
            "rubric_no_such_point", f"{len(items) - len(known)} verdicts on no point of the article were left out"
        )
        if len(heard.verdicts) < len(points):
            heard.fail("its numbers are not those of the points, so nobody knows which point a verdict is on")
    return heard


def _by_dimension(items: Sequence[Item]) -> dict[Judge, JudgeList]:
    judges: tuple[Judge, ...] = ("accuracy", "fluency", "appropriateness")
    lists: dict[Judge, list[Item]] = {judge: [] for judge in judges}
    found, lost = False, 0
    for item in items:
        said = fields_of(item)
        if is_no_error(said.get("severity")) and not said.get("explanation"):
            found = True
            continue
        named = [judge for judge in judges if read_category(judge, said.get("category"))]
        found = True
        if len(named) == 1:
            lists[named[0]].append(item)
        else:
            lost += 1
            lists["accuracy"].append(item)
    heard = {judge: _list(judge, given or ([_SENTINEL] if found else [])) for judge, given in lists.items()}
    if lost:
        heard["accuracy"].fail(f"{lost} findings have a category of no dimension")
    return heard


def _whole(value: Any) -> int | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return int(number) if number.is_integer() and not isinstance(value, bool) else None
