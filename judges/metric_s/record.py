"""One evaluation as the official DiscoX code recorded it, read for what its judges said and not for what it scored.

That code lets a failed judge pass as "no errors", has a model copy the final lists, and misreads spellings. Here the
lists before de-duplication are what counts, the advice is carried out in code, and every departure is flagged.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any

from judges.metric_s.answers import Item, read_answer, read_value
from judges.metric_s.deduplication import Reference, apply, read_advice
from judges.metric_s.labels import (
    PLAIN_LABELS,
    Field,
    fields_of,
    is_no_error,
    judge_of_key,
    normal,
    read_category,
    read_severity,
    read_verdict,
)
from judges.metric_s.scoring import judged, score
from judges.model import JUDGES, Advice, Finding, Flag, Judge, Judgement, RubricVerdict, Score

StoredScore = tuple[float | None, float | None, float | None, float | None]
"""A score as a file gives it: total, accuracy, fluency, appropriateness; None for what it does not give."""

# --- The instruction check ------------------------------------------------------------------------------------

_YES_NO = r"(不是|不存在|没有|没|否|无|是|有|存在|yes|no|true|false)"
_CHECK = re.compile(rf"是否存在(?:主需)?问题\|*{_YES_NO}(?!否|[/|或]{_YES_NO})")
_LEVEL = re.compile(r"问题等级\|*(主需问题|无)(?![/或]|\|主需问题|\|无)")
_POSITIVE = frozenset(("是", "有", "存在", "yes", "true"))


def read_check(text: str) -> bool | None:
    """Return whether the instruction check says that there is a problem, so that the output is no translation.

    Reads "是否存在问题：是" through any markdown, table bars, spacing, colons and quotes. None where it cannot be
    read: nothing of the kind is said, the template is copied unfilled, or two answers contradict each other.
    """
    said = normal(_THOUGHT.split(text)[-1])
    answers = {match[1] in _POSITIVE for match in _CHECK.finditer(said)}
    if not answers:
        answers = {match[1] == "主需问题" for match in _LEVEL.finditer(said)}
    return answers.pop() if len(answers) == 1 else None


_THOUGHT = re.compile(r"</think(?:ing)?>")


# --- One judge's list -----------------------------------------------------------------------------------------


@dataclass
class _Heard:
    """What was read of one judge's list. ``numbers``: the findings' own numbers; ``failed``: nothing to rely on."""

    judge: Judge
    findings: list[Finding] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    verdicts: list[RubricVerdict] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    given: bool = False
    """The list holds something, be it only the no-error sentinel."""
    failed: bool = False

    readings: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def read_as(self, code: str, message: str, number: int) -> None:
        """Note how a word was read; the same reading of several findings becomes one flag."""
        self.readings.setdefault((code, message), []).append(number)

    def flag_readings(self, noun: str) -> None:
        for (code, message), numbers in self.readings.items():
            self.flag(code, f"{message} ({noun} {', '.join(map(str, numbers))})")

    def flag(self, code: str, message: str) -> None:
        self.flags.append(Flag(code, f"{self.judge}: {message}"))

    def fail(self, why: str) -> None:
        self.failed = True
        self.flag("judge_failed", why)


def _hear(judge: Judge, value: object, rubric_points: int) -> _Heard:
    """Read one judge's list, whatever shape it was left in."""
    heard = _Heard(judge)
    answer = read_value(value)
    if isinstance(value, str) and answer.items is not None:
        heard.flag("list_as_text", "the list was given as text and read from it")
    if answer.truncated and answer.items:
        heard.flag("truncated", "the answer breaks off; its complete items were kept")
    items = answer.items or []
    heard.given = bool(items)
    real = [(item, fields_of(item)) for item in items]
    real = [(item, said) for item, said in real if not _is_sentinel(item, said)]
    if real and len(real) < len(items):
        heard.flag("sentinel_beside_findings", "“no error” stands beside findings and was dropped")
    if judge == "rubric":
        _hear_rubric(heard, [said for _, said in real], rubric_points)
    elif not items:
        heard.fail("nothing usable; an empty list is not “no error”")
    else:
        for index, (item, said) in enumerate(real, 1):
            _hear_finding(heard, index, said, item)
        numbers = [_number(said.get("number")) for _, said in real]
        distinct = None not in numbers and len(set(numbers)) == len(numbers)
        heard.numbers = [n for n in numbers if n is not None] if distinct else [f.index for f in heard.findings]
    heard.flag_readings("point" if judge == "rubric" else "finding")
    return heard


def _is_sentinel(item: Item, said: Mapping[Field, Any]) -> bool:
    if "severity" in said:
        label = said["severity"]
        return is_no_error(label) and (len(normal(label)) > _CURT or not said.get("explanation"))
    words = [value for value in item.values() if value not in (None, "")]
    return len(words) == 1 and is_no_error(words[0])


_CURT = 2
"""“无” or “no” beside an explanation is no clear word that there is no error; longer ones say so in full."""


def _hear_finding(heard: _Heard, index: int, said: Mapping[Field, Any], item: Item) -> None:
    label = _word(said.get("severity"))
    severity, moved = read_severity(heard.judge, label)
    if severity is None:
        heard.failed = True
        heard.read_as("judge_failed", f"severity {_quoted(label)} cannot be read", index)
    elif moved:
        heard.read_as("severity_moved", f"{_quoted(label)}, no level of this judge, read as {severity}", index)
    elif _plain(label) not in PLAIN_LABELS[heard.judge]:
        heard.read_as("severity_spelling", f"{_quoted(label)} read as {severity}", index)
    category = _word(said.get("category"))
    explanation = _word(said.get("explanation")) or ("" if said else json.dumps(item, ensure_ascii=False, default=str))
    heard.findings.append(
        Finding(
            judge=heard.judge,
            index=index,
            explanation=explanation,
            hint=_word(said.get("paragraph")),
            category=read_category(heard.judge, category),
            category_label=category,
            severity=severity,
            severity_label=label,
        )
    )


def _hear_rubric(heard: _Heard, items: Sequence[Mapping[Field, Any]], rubric_points: int) -> None:
    """Read the verdicts; a point judged more than once is violated if any of its verdicts says so."""
    numbers = [_number(said.get("number")) for said in items]
    numbered = None not in numbers
    if items and not numbered:
        heard.flag("rubric_unnumbered", "verdicts without a number were taken in the order of the points")
    places: dict[int, int] = {}
    for position, (number, said) in enumerate(zip(numbers, items, strict=True), 1):
        point = number if numbered and number is not None else position
        label = _word(said.get("verdict"))
        verdict = RubricVerdict(
            point=point,
            met=read_verdict(label),
            explanation=_word(said.get("explanation")),
            hint=_word(said.get("paragraph")),
            label=label,
        )
        if verdict.met is None:
            heard.failed = True
            heard.read_as("judge_failed", f"verdict {_quoted(label)} cannot be read", point)
        elif _plain(label) not in PLAIN_LABELS["rubric"]:
            heard.read_as("verdict_spelling", f"{_quoted(label)} read as {'met' if verdict.met else 'violated'}", point)
        if point not in places:
            places[point] = len(heard.verdicts)
            heard.verdicts.append(verdict)
            continue
        heard.flag("rubric_repeated", f"point {point} was judged more than once and counts once")
        before = heard.verdicts[places[point]]
        if before.met and not verdict.met:
            heard.verdicts[places[point]] = verdict
    heard.findings = [
        _violation(index, verdict) for index, verdict in enumerate(heard.verdicts, 1) if verdict.met is False
    ]
    heard.numbers = [verdict.point for verdict in heard.verdicts if verdict.met is False]
    judged_points = len(heard.verdicts)
    if judged_points == 0 and rubric_points:
        heard.fail(f"no verdict on any of the article's {rubric_points} rubric points")
    elif judged_points < rubric_points:
        heard.flag("rubric_incomplete", f"{judged_points} of {rubric_points} rubric points were judged")
    elif judged_points > rubric_points:
        heard.flag("rubric_surplus", f"{judged_points} verdicts on {rubric_points} rubric points")


def _violation(index: int, verdict: RubricVerdict) -> Finding:
    return Finding(
        judge="rubric",
        index=index,
        explanation=verdict.explanation,
        hint=verdict.hint,
        category="rubric_point",
        severity="violated",
        severity_label=verdict.label,
        rubric_point=verdict.point,
    )


def _word(value: object) -> str:
    """A value as the text it stands for."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "、".join(_word(inner) for inner in value)
    return _json_text(value)


def _json_text(value: object) -> str:
    """An answer as the text it was, also where it was parsed already."""
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


def _plain(label: str) -> str:
    return label.strip().lower()


def _quoted(label: str) -> str:
    shown = " ".join(label.split())
    return f"“{shown[:60]}…”" if len(shown) > 60 else f"“{shown}”"


def _number(value: object) -> int | None:
    if isinstance(value, bool) or value is None:
        return None
    match = re.search(r"\d{1,6}", unicodedata.normalize("NFKC", str(value)[:50]))
    return int(match.group()) if match else None


# --- The whole record -----------------------------------------------------------------------------------------


def read_judgement(detailed: object, rubric_points: int, translation: str | None) -> Judgement:
    """Read one ``detailed_judgement`` of the official code's output.

    ``rubric_points``: how many points the article has. ``translation``: what was judged; blank or None gives state
    ``no_translation``. The findings are those of the lists before de-duplication with the advice carried out; where
    those lists are missing, the final ones. Never raises for the shape of ``detailed``.
    """
    record = _mapping(detailed)
    if translation is None or not translation.strip():
        check = _word(record.get("instruction_following")) if record else ""
        flag = Flag("no_translation", "the system gave no translation; what the judges said of it counts for nothing")
        return Judgement("no_translation", None, instruction_check=check, flags=(flag,))
    if record is None:
        flag = Flag("judgement_unreadable", f"the judgement is no object but {type(detailed).__name__}")
        return Judgement("judge_failed", None, failed=JUDGES, flags=(flag,))

    check = _word(record.get("instruction_following"))
    problem = read_check(check)
    flags: list[Flag] = []
    initial = _mapping(record.get("initial_judgement")) or None
    lists = _by_judge(initial if initial is not None else record)
    if problem and not lists:
        return Judgement("instruction_failed", Score(0, 0, 0), instruction_check=check)
    if problem:
        flags.append(Flag("instruction_check_missed", "the instruction check failed, yet the translation was scored"))
    elif problem is None:
        flags.append(Flag("instruction_check_unreadable", "the instruction check cannot be read; taken as passed"))
    if initial is None:
        flags.append(
            Flag("initial_missing", "the lists before de-duplication are missing; the final ones were read instead")
        )

    heard = [_hear(judge, lists.get(judge), rubric_points) for judge in JUDGES]
    advice_given = record.get("self_critique")
    advice_text = _json_text(advice_given)
    advice = read_advice(advice_text)
    findings = tuple(finding for part in heard for finding in part.findings)
    verdicts = tuple(part_verdict for part in heard for part_verdict in part.verdicts)
    for part in heard:
        flags.extend(part.flags)
    if advice is None:
        flags.append(Flag("advice_unreadable", "the de-duplicator's advice cannot be read"))

    read: tuple[Advice, ...] = tuple(advice or ())
    if initial is not None:
        findings, read, said = apply(findings, read, verdicts, _positions(heard))
        flags.extend(said)
        certain = advice is not None and not any(line.status == "names_nothing" for line in read)
        certain = certain and not read_answer(advice_text).truncated
        findings, more = _compare(heard, findings, _by_judge(record), rubric_points, certain=certain)
        flags.extend(more)
    failed = tuple(part.judge for part in heard if part.failed)
    if problem:
        return Judgement(
            "instruction_failed", Score(0, 0, 0), (), findings, verdicts, read, advice_text, check, tuple(flags)
        )
    if failed:
        return Judgement("judge_failed", None, failed, findings, verdicts, read, advice_text, check, tuple(flags))
    total = score(cost for finding in findings if (cost := judged(finding)) is not None)
    return Judgement("scored", total, (), findings, verdicts, read, advice_text, check, tuple(flags))


def _mapping(value: object) -> dict[str, Any] | None:
    """The value as an object, also where it is the JSON text of one; None for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _by_judge(lists: Mapping[str, Any]) -> dict[Judge, Any]:
    found: dict[Judge, Any] = {}
    for key, value in lists.items():
        judge = judge_of_key(key)
        if judge is not None and not found.get(judge):
            found[judge] = value
    return found


def _positions(heard: Sequence[_Heard]) -> dict[Reference, int]:
    """Reference as the judges numbered their own lists → position among all findings."""
    references = [(part.judge, number) for part in heard for number in part.numbers]
    return {reference: place for place, reference in reversed(list(enumerate(references)))}


# --- The lists that a model copied ----------------------------------------------------------------------------


def _compare(
    heard: Sequence[_Heard],
    findings: tuple[Finding, ...],
    final: Mapping[Judge, Any],
    rubric_points: int,
    *,
    certain: bool,
) -> tuple[tuple[Finding, ...], list[Flag]]:
    """Hold the de-duplicated findings against the final lists and flag where they differ.

    ``certain``: the advice could be read, so it decides. Otherwise a final list that holds anything at all decides
    which findings were dropped, within the metric's priorities. Findings that only a final list has are added.
    """
    result = list(findings)
    added: list[Finding] = []
    flags: list[Flag] = []
    critical = any(f.judge == "accuracy" and f.severity == "extremely_critical" for f in findings)
    start = 0
    for part in heard:
        places = range(start, start + len(part.findings))
        start += len(part.findings)
        if not final:
            continue
        copied = _hear(part.judge, final.get(part.judge), rubric_points)
        pairs = _pair(part.findings, copied.findings)
        lost, unexplained, restored = [], [], []
        for place, number, original in zip(places, part.numbers, part.findings, strict=True):
            copy = pairs.get(place - places.start)
            if copy is None and result[place].kept:
                protected = original.severity == "extremely_critical" or (part.judge == "rubric" and not critical)
                if certain or not copied.given or protected:
                    lost.append(number)
                else:
                    result[place] = replace(result[place], kept=False)
                    unexplained.append(number)
            elif copy is not None and not result[place].kept:
                restored.append(number)
            elif copy is not None and copied.findings[copy].severity != original.severity:
                flags.append(
                    Flag(
                        "final_severity_differs",
                        f"{part.judge}: the final list gives finding {number} another severity; the judge's own stands",
                    )
                )
        flags.extend(
            Flag(code, f"{part.judge}: {message.format(', '.join(map(str, numbers)))}")
            for code, numbers, message in (
                ("recovered", lost, "the final list lost finding {} without readable advice; kept"),
                (
                    "dropped_unexplained",
                    unexplained,
                    "the final list lacks finding {} and the advice cannot be read; dropped",
                ),
                (
                    "final_keeps_dropped",
                    restored,
                    "the final list still holds finding {}, which the advice drops; dropped",
                ),
            )
            if numbers
        )
        known = {verdict.point for verdict in part.verdicts}
        fresh = [f for at, f in enumerate(copied.findings) if at not in pairs.values()]
        fresh = [f for f in fresh if f.judge != "rubric" or f.rubric_point not in known]
        if fresh:
            message = f"{part.judge}: {len(fresh)} of the final list's findings stand nowhere else; added"
            flags.append(Flag("only_in_final", message))
            if any(f.severity is None for f in fresh):
                part.fail("a finding of the final list has no readable severity")
                flags.append(part.flags[-1])
            after = max(len(part.findings), len(part.verdicts))
            added.extend(replace(f, index=after + extra) for extra, f in enumerate(fresh, 1))
    return (*result, *added), flags


def _pair(initial: Sequence[Finding], final: Sequence[Finding]) -> dict[int, int]:
    """Which final finding is which initial one: by rubric point, by the same words, then by nearly the same."""
    pairs: dict[int, int] = {}
    words = [[_matched_words(finding) for finding in findings] for findings in (initial, final)]
    places: dict[str, list[int]] = {}
    for at in reversed(range(len(final))):
        places.setdefault(words[1][at], []).append(at)
    for place, text in enumerate(words[0]):
        if places.get(text):
            pairs[place] = places[text].pop()
    free = set(range(len(final))) - set(pairs.values())
    rest = [place for place in range(len(initial)) if place not in pairs and initial[place].judge != "rubric"]
    if len(rest) * len(free) > _COMPARED:
        return pairs
    near = sorted(
        ((_alike(words[0][place], words[1][at]), -abs(place - at), place, at) for place in rest for at in free),
        reverse=True,
    )
    for alike, _, place, at in near:
        if alike >= _ALIKE and place not in pairs and at in free:
            pairs[place] = at
            free.discard(at)
    return pairs


_COMPARED = 2_500
"""Pairs of findings; more than this is no judge's list, and comparing their wording would take long."""

_ALIKE = 0.6
"""How much of the wording must agree for a copied finding to count as the same one."""


def _matched_words(finding: Finding) -> str:
    if finding.judge == "rubric":
        return str(finding.rubric_point)
    return normal(finding.explanation)[:400] or normal(finding.category_label + finding.hint)


def _alike(one: str, other: str) -> float:
    if one and other and (one in other or other in one):
        return 1.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0


# --- Why a stored score differs -------------------------------------------------------------------------------

_REASONS: Mapping[str, str] = {
    "instruction_check_missed": "a failed instruction check was overlooked",
    "severity_spelling": "severities are read in every spelling",
    "severity_moved": "severities are moved onto the judge's own scale",
    "verdict_spelling": "rubric verdicts are read in every spelling",
    "recovered": "the final list lost findings without advice",
    "dropped_unexplained": "the final list dropped findings for no readable reason",
    "final_keeps_dropped": "the final list kept what the advice drops",
    "only_in_final": "the final list holds findings that no judge reported",
    "final_severity_differs": "the final list changed severities",
    "advice_refused": "advice that breaks the metric's priorities was refused",
    "advice_no_such_finding": "advice that names no existing finding was not followed",
    "rubric_repeated": "a rubric point that was judged twice counts once",
    "list_as_text": "a list given as text was read",
    "judgement_unreadable": "the judgement cannot be read",
    "no_translation": "there was no translation to judge",
}


def explain_difference(judgement: Judgement, stored: StoredScore) -> tuple[str, ...]:
    """Return why the stored score (total, accuracy, fluency, appropriateness) is not the recomputed one.

    Empty where they agree or no score is stored; at least one reason otherwise.
    """
    given = [value for value in stored if value is not None]
    own = judgement.score
    if not given or (own and stored == (own.total, own.accuracy, own.fluency, own.appropriateness)):
        return ()
    reasons = []
    if judgement.failed:
        judges = " and ".join(judgement.failed)
        reasons.append(f"{judges} gave no usable answer, which was scored all the same")
    codes = {flag.code for flag in judgement.flags}
    reasons.extend(reason for code, reason in _REASONS.items() if code in codes)
    if len(given) == 4 and given[0] != sum(given[1:]):
        reasons.append("the stored total is not the sum of its dimensions")
    return tuple(reasons) or ("the findings on record do not add up to the stored score",)
