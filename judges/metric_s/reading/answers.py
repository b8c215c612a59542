"""Read what the judges answer this program's own questions: every answer becomes a value, an outcome and a step.

An answer that says nothing usable is never taken for "no errors": that has to be said. What was complete of an answer
that breaks off, or is not quite what was asked for, is kept beside the outcome. A reading that is of no use says why.
Each reader takes the material of the question, too: what stands in it is never the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from judges.metric_s.reading.dedup_advice import read_advice
from judges.metric_s.reading.deduplication import apply
from judges.metric_s.reading.error_list import JudgeList, number_of, quoted_of, read_list, words_of
from judges.metric_s.reading.json_answer import (
    Answer,
    conclusions,
    own_prose,
    read_answer,
    says_no_duplicates,
    without_thinking,
)
from judges.metric_s.reading.key_scan import Item, read_json
from judges.metric_s.reading.labels import (
    FIELDS,
    NO_ERROR,
    OWN_LABELS,
    fields_of,
    is_no_error,
    read_category,
    read_verdict,
)
from judges.metric_s.reading.material import NOTHING_SHOWN, Material
from judges.metric_s.reading.official_record import read_check as read_check_in_words
from judges.model import DIMENSIONS, Advice, Dimension, Finding, Judge, Quoted, Score
from judges.providers.model import Reading

Value = TypeVar("Value")
Reader = Callable[[str, bool, Material], Reading[Value]]
"""Reads an answer: its text, whether the provider says that it was cut off, and what the judge was shown."""

_SENTINEL: Item = {FIELDS["severity"][0]: NO_ERROR}
Places = dict[int, tuple[Quoted, ...]]
"""Quotes of the places of findings, by the findings' numbers."""
MOST_PLACES = 12
"""Places of one finding that are read; a model that names more goes round in circles."""
CUT_OFF = "it breaks off"
NOT_READABLE = "no answer of the asked shape is in it"


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
    if answer.unclear:
        return Reading(None, "wrong_shape", answer.step, answer.unclear)
    if cut or (answer.truncated and "{" in text):
        return Reading(None, "truncated", reason=CUT_OFF)
    return Reading(None, "unparsable", reason=NOT_READABLE)


def refusing_copies(read: Reader[Value], prompt: str) -> Reader[Value]:
    """Return a reader to which an answer that repeats the shape shown in the prompt, unfilled, is no answer.

    ``prompt``: its text, in whose sample ``"<…>"`` stands for what is to be filled in. Words that stand in the material
    may be quoted, else a text could hold them to be judged by nobody.
    """
    blanks = sorted(set(_BLANK.findall(prompt)), key=len, reverse=True)

    def reader(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[Value]:
        asked = [re.escape(blank) for blank in blanks if blank not in material.text]
        if asked and re.search(rf'"\s*<?(?:{"|".join(asked)})>?[\s,.]*"', without_thinking(text)):
            return Reading(None, "wrong_shape", reason="the sample shape came back unfilled")
        return read(text, cut, material)

    return reader


_BLANK = re.compile(r'"<([^<>"\n]+)>"')


def read_check(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[Check]:
    """Read the instruction check, in JSON or in the words that the official code asks for."""
    answer = read_answer(text, material)
    if answer.unclear:
        return _nothing(answer, text, cut)
    check = _check(answer.items or [])
    if check is not None:
        return _reading(check, answer, cut)
    problem = read_check_in_words(own_prose(text, material))
    if cut or (problem is None and answer.truncated):
        return Reading(None, "truncated", reason=CUT_OFF)
    if problem is None:
        reason = "its verdict is neither pass nor fail, or both"
        return _nothing(answer, text, cut) if answer.items is None else Reading(None, "wrong_shape", reason=reason)
    return Reading(Check(problem, material.restored(text.strip())), step="words")


def read_findings(judge: Judge) -> Reader[JudgeList]:
    """Return the reader of one judge's findings; of the rubric's verdicts see ``read_rubric``."""

    def read(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[JudgeList]:
        answer = read_answer(text, material)
        if answer.items is None:
            return _nothing(answer, text, cut)
        heard = _list(judge, answer.items + _stated(answer, text, material))
        return _heard(heard, answer, cut)

    return read


def read_rubric(points: Sequence[int]) -> Reader[JudgeList]:
    """Return the reader of the verdicts on the points of these numbers: fewer verdicts are not what was asked for."""

    def read(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[JudgeList]:
        answer = read_answer(text, material)
        if answer.items is None:
            return _nothing(answer, text, cut)
        return _heard(_verdicts(answer.items, points), answer, cut, len(points))

    return read


def _heard(heard: JudgeList, answer: Answer, cut: bool, points: int = 0) -> Reading[JudgeList]:
    """A reading of one judge's list; an unclear one is not relied on, though it may be shown."""
    if answer.unclear:
        heard.fail(answer.unclear)
    right = not heard.failed and len(heard.verdicts) == points
    return _reading(heard, answer, cut, "" if right else _why([heard], points))


def _why(heard: Sequence[JudgeList], points: int) -> str:
    """Return the first reason why judges' lists are not what was asked for."""
    failures = [flag.message for part in heard for flag in part.flags if flag.code == "judge_failed"]
    judged = next((len(part.verdicts) for part in heard if part.judge == "rubric"), 0)
    return failures[0] if failures else f"{judged} verdicts on {points} rubric points"


def read_deduplication(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[list[Advice]]:
    """Read a de-duplicator's advice: at least one line that names findings, or the word that nothing is duplicated."""
    answer = read_answer(text, material)
    if answer.unclear:
        return _nothing(answer, text, cut)
    advice = read_advice(text, material)
    if advice is None:
        return _nothing(answer, text, cut)
    named = any(line.status != "names_nothing" for line in advice)
    said = conclusions(answer, text, material)
    none = _all(said, says_no_duplicates) if said else says_no_duplicates(own_prose(text, material))
    if not named and not none:
        reason = "it names no finding, and does not say that nothing is duplicated"
        return Reading(None, "truncated" if cut or answer.truncated else "wrong_shape", answer.step, reason)
    return _reading(advice, answer, cut)


def read_advice_on(findings: Sequence[Finding]) -> Reader[list[Advice]]:
    """Return the reader of advice on these findings: a line that cannot be carried out is not what was asked for."""

    def read(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[list[Advice]]:
        reading = read_deduplication(text, cut, material)
        if reading.value is None or reading.outcome != "ok":
            return reading
        refused = [flag for flag in apply(findings, reading.value, ())[2] if flag.code != "advice_turned"]
        return replace(reading, outcome="wrong_shape", reason=refused[0].message) if refused else reading

    return read


def read_repair(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[dict[int, str]]:
    """Read the exact texts for numbered quotes; a number without one is left out."""
    answer = read_answer(text, material)
    if answer.items is None or answer.unclear:
        return _nothing(answer, text, cut)
    given = ((number_of(fields_of(item).get("number")), item.get("text")) for item in answer.items)
    return _reading({n: t for n, t in given if n is not None and isinstance(t, str) and t.strip()}, answer, cut)


def read_places(findings: Collection[int]) -> Reader[Places]:
    """Return the reader of quotes for the findings of these numbers; what is said of any other number is left out.

    A finding that is named several times has several places. An answer that names none of the findings is of no use.
    """

    def read(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[Places]:
        answer = read_answer(text, material)
        if answer.items is None or answer.unclear:
            return _nothing(answer, text, cut)
        places: Places = {}
        for said in map(fields_of, answer.items):
            number, quoted = number_of(said.get("number")), quoted_of(said)
            if number in findings and number is not None and quoted is not None:
                places[number] = (*places.get(number, ()), quoted)[:MOST_PLACES]
        return _reading(places, answer, cut, "" if places else "its numbers are not those of the findings")

    return read


def read_detailed(points: Sequence[int]) -> Reader[Detailed]:
    """Return the reader of a single answer to everything; the dimension of a finding is that of its category."""

    def read(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[Detailed]:
        answer = read_answer(text, material)
        if answer.items is None or answer.unclear:
            return _nothing(answer, text, cut)
        said = [(item, fields_of(item)) for item in answer.items]
        checks = [i for i, f in said if "verdict" in f and not f.keys() & {"number", "severity"}]
        verdicts = [i for i, f in said if "verdict" in f and f.keys() & {"number", "severity"}]
        found = [i for i, f in said if "verdict" not in f]
        heard = _by_dimension(found + _stated(answer, text, material))
        if points:
            heard["rubric"] = _verdicts(verdicts, points)
        check = _check(checks)
        right = check is not None and not any(part.failed for part in heard.values())
        right = right and (not points or len(heard["rubric"].verdicts) == len(points))
        right = right or (check is not None and check.problem)
        why = (
            "nothing usable is said of the instruction check" if check is None else _why([*heard.values()], len(points))
        )
        return _reading(Detailed(check, heard), answer, cut, "" if right else why)

    return read


def read_points(maxima: Mapping[Dimension, int]) -> Reader[Score]:
    """Return the reader of bare points by dimension, each a whole number from 0 to its maximum."""

    def read(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[Score]:
        try:
            given, contradicts = read_json(text)
            given, step = None if contradicts else given, "json"
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict) or given.keys().isdisjoint(DIMENSIONS):
            said = own_prose(text, material)
            found = {d: set(_points_of(d, maxima[d]).findall(said)) for d in DIMENSIONS}
            given, step = {d: values.pop() for d, values in found.items() if len(values) == 1}, "keys scan"
        points = [_whole(given.get(d)) for d in DIMENSIONS]
        accuracy, fluency, appropriateness = points
        if accuracy is None or fluency is None or appropriateness is None:
            if cut:
                return Reading(None, "truncated", reason=CUT_OFF)
            none = all(p is None for p in points)
            return Reading(
                None, "unparsable" if none else "wrong_shape", reason="it does not give each dimension one number"
            )
        within = all(0 <= value <= maxima[d] for d, value in zip(DIMENSIONS, points, strict=True) if value is not None)
        if cut and step != "json":
            return Reading(None, "truncated", step, CUT_OFF)
        if not within:
            return Reading(None, "wrong_shape", reason="its points are not between 0 and what a dimension can reach")
        return Reading(Score(accuracy, fluency, appropriateness), step=step)

    return read


def _points_of(dimension: Dimension, most: int) -> re.Pattern[str]:
    """Return the pattern of a dimension's points in an answer that is no flat JSON: "**Accuracy**: 50/60"."""
    given = rf"""{dimension}["”'`*]*\s*[:：]\s*["“'`*]*(-?[\d.]+)(?:\s*/\s*{most}\b)?(?![\d.eE]|\s*[-~–—/])"""
    return re.compile(given, re.IGNORECASE)


def _reading(value: Value, answer: Answer, cut: bool, reason: str = "") -> Reading[Value]:
    """A reading of an answer that says something, not what was asked for where there is a ``reason``.

    JSON that is whole was not cut, whatever the server says.
    """
    if answer.truncated or (cut and answer.step != "json"):
        return Reading(value, "truncated", answer.step, CUT_OFF)
    return Reading(value, "wrong_shape" if reason else "ok", answer.step, reason)


def _all(said: Sequence[str], says: Callable[[str], bool]) -> bool:
    """Return whether the words of a conclusion all say so, with no choice left open."""
    return all("|" not in word and says(word) for word in said)


def _stated(answer: Answer, text: str, material: Material) -> list[Item]:
    """The sentinel, if the answer says that there are no errors and does not say otherwise as well."""
    said = conclusions(answer, text, material)
    return [_SENTINEL] if said and _all(said, is_no_error) else []


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
