"""Official record of one evaluation, read for what its judges said and not for what it scored.

That code lets a failed judge pass as "no errors", has a model copy the final lists, and misreads spellings. Here the
lists before de-duplication are what counts, the advice is carried out in code, and every departure is flagged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from judges.metric_s.reading.dedup_advice import Reference, read_advice
from judges.metric_s.reading.deduplication import apply
from judges.metric_s.reading.error_list import JudgeList, read_list, text_of, words_of
from judges.metric_s.reading.json_answer import own_prose, read_answer
from judges.metric_s.reading.labels import judge_of_key, normal
from judges.metric_s.reading.material import Material
from judges.metric_s.reading.official_final_lists import compare
from judges.metric_s.scoring import judge_deduction, score
from judges.model import JUDGES, Advice, Flag, Judge, Judgement, Score, StoredScore

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


# --- The whole record ------------------------------------------------------------------------------------------


def read_judgement(detailed: object, rubric_points: int, translation: str | None) -> Judgement:
    """Read one ``detailed_judgement`` of the official code's output.

    ``rubric_points``: how many points the article has. ``translation``: what was judged, so that nothing that stands in
    it is taken for a judge's word; blank or None gives state ``no_translation``. The findings are those of the lists
    before de-duplication with the advice carried out; where those lists are missing, the final ones. Never raises for
    the shape of ``detailed``.
    """
    record = _mapping(detailed)
    if translation is None or not translation.strip():
        check = words_of(record.get("instruction_following")) if record else ""
        flag = Flag("no_translation", "the system gave no translation; what the judges said of it counts for nothing")
        return Judgement("no_translation", None, instruction_check=check, flags=(flag,))
    if record is None:
        what = "is missing" if detailed is None else "is no JSON object"
        flag = Flag("judgement_unreadable", f"the judgement {what}; judge the translation again")
        return Judgement("judge_failed", None, failed=JUDGES, flags=(flag,))

    material = Material(translation)
    check = words_of(record.get("instruction_following"))
    problem = read_check(own_prose(check, material))
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

    heard = [read_list(judge, lists.get(judge), rubric_points, material=material) for judge in JUDGES]
    advice_text = text_of(record.get("self_critique"))
    advice = read_advice(advice_text, material)
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
        certain = certain and not read_answer(advice_text, material).truncated
        final = _by_judge(record)
        findings, more = compare(heard, findings, final, rubric_points, certain=certain, material=material)
        flags.extend(more)
    failed = tuple(part.judge for part in heard if part.failed)
    if problem:
        return Judgement(
            state="instruction_failed",
            score=Score(0, 0, 0),
            failed=(),
            findings=findings,
            rubric=verdicts,
            advice=read,
            advice_text=advice_text,
            instruction_check=check,
            flags=tuple(flags),
        )
    if failed:
        return Judgement(
            state="judge_failed",
            score=None,
            failed=failed,
            findings=findings,
            rubric=verdicts,
            advice=read,
            advice_text=advice_text,
            instruction_check=check,
            flags=tuple(flags),
        )
    total = score(cost for finding in findings if (cost := judge_deduction(finding)) is not None)
    return Judgement(
        state="scored",
        score=total,
        failed=(),
        findings=findings,
        rubric=verdicts,
        advice=read,
        advice_text=advice_text,
        instruction_check=check,
        flags=tuple(flags),
    )


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


def _positions(heard: Sequence[JudgeList]) -> dict[Reference, int]:
    """Reference as the judges numbered their own lists → position among all findings."""
    references = [(part.judge, number) for part in heard for number in part.numbers]
    return {reference: place for place, reference in reversed(list(enumerate(references)))}


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
    "advice_turned": "advice that keeps the wrong one of two errors was turned round",
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
    recomputed = (own.total, own.accuracy, own.fluency, own.appropriateness) if own else (None,) * 4
    if all(value in (None, here) for value, here in zip(stored, recomputed, strict=True)):
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
