"""Error list of one judge, as the official code recorded it or as a judge just answered."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judges.metric_s.reading.json_answer import read_value
from judges.metric_s.reading.key_scan import Item, is_deep
from judges.metric_s.reading.labels import (
    PLAIN_LABELS,
    Field,
    fields_of,
    is_no_error,
    normal,
    read_category,
    read_met,
    read_severity,
)
from judges.metric_s.reading.material import NOTHING_SHOWN, Material
from judges.model import Finding, Flag, Judge, Quoted, RubricVerdict


@dataclass
class JudgeList:
    """Reading of one judge's list, filled item by item.

    ``numbers``: the findings' own numbers, where those tell them apart, else their positions. ``given``: the list
    holds something, be it only the no-error sentinel. ``failed``: its judge gave nothing that can be relied on.
    """

    judge: Judge
    findings: list[Finding] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    verdicts: list[RubricVerdict] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    given: bool = False
    failed: bool = False
    _readings: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def read_as(self, code: str, message: str, number: int) -> None:
        """Note how a word was read; the same reading of several findings becomes one flag."""
        self._readings.setdefault((code, message), []).append(number)

    def flag_readings(self, noun: str) -> None:
        """Turn what ``read_as`` noted into flags."""
        for (code, message), numbers in self._readings.items():
            self.flag(code, f"{message} ({noun} {', '.join(map(str, numbers))})")

    def flag(self, code: str, message: str) -> None:
        """Flag something about this list."""
        self.flags.append(Flag(code, f"{self.judge}: {message}"))

    def fail(self, why: str) -> None:
        """Note that the judge cannot be relied on."""
        self.failed = True
        self.flag("judge_failed", why)


def read_list(
    judge: Judge,
    value: object,
    rubric_points: int,
    plain: Mapping[Judge, frozenset[str]] = PLAIN_LABELS,
    material: Material = NOTHING_SHOWN,
) -> JudgeList:
    """Read one judge's list, whatever shape it was left in. Never raises for the shape.

    ``rubric_points``: how many points the article has, so how many verdicts the rubric judge owes. ``plain``: the
    labels that need no remark, in lower case. ``material``: what the judge was shown, as far as it is known.
    """
    heard = JudgeList(judge)
    answer = read_value(value, material)
    if answer.unclear:
        heard.fail(answer.unclear)
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
        _read_verdicts(heard, [said for _, said in real], rubric_points, plain)
    elif not items and not answer.unclear:
        heard.fail("nothing usable; an empty list is not “no error”")
    else:
        for index, (item, said) in enumerate(real, 1):
            _read_finding(heard, index, said, item, plain)
        numbers = [number_of(said.get("number")) for _, said in real]
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


def _read_finding(
    heard: JudgeList, index: int, said: Mapping[Field, Any], item: Item, plain: Mapping[Judge, frozenset[str]]
) -> None:
    label = words_of(said.get("severity"))
    severity, moved = read_severity(heard.judge, label)
    if severity is None:
        heard.failed = True
        heard.read_as("judge_failed", f"severity {_quoted(label)} cannot be read", index)
    elif moved:
        heard.read_as("severity_moved", f"{_quoted(label)}, no level of this judge, read as {severity}", index)
    elif _plain(label) not in plain[heard.judge]:
        heard.read_as("severity_spelling", f"{_quoted(label)} read as {severity}", index)
    category = words_of(said.get("category"))
    explanation = words_of(said.get("explanation"))
    if not said:  # nothing known in it, but a reader should see what there is
        explanation = text_of(item)
    heard.findings.append(
        Finding(
            judge=heard.judge,
            index=index,
            explanation=explanation,
            hint=_hint(said.get("paragraph")),
            category=read_category(heard.judge, category),
            category_label=category,
            severity=severity,
            severity_label=label,
            quoted=quoted_of(said),
        )
    )


def _read_verdicts(
    heard: JudgeList,
    items: Sequence[Mapping[Field, Any]],
    rubric_points: int,
    plain: Mapping[Judge, frozenset[str]],
) -> None:
    """Read the verdicts; a point judged more than once is violated if any of its verdicts says so."""
    numbers = [number_of(said.get("number")) for said in items]
    numbered = None not in numbers
    if items and not numbered:
        heard.flag("rubric_unnumbered", "verdicts without a number were taken in the order of the points")
    places: dict[int, int] = {}
    quoted: list[Quoted | None] = []
    for position, (number, said) in enumerate(zip(numbers, items, strict=True), 1):
        point = number if numbered and number is not None else position
        label = words_of(said.get("verdict"))
        verdict = RubricVerdict(
            point=point,
            met=read_met(label),
            explanation=words_of(said.get("explanation")),
            hint=_hint(said.get("paragraph")),
            label=label,
        )
        if verdict.met is None:
            heard.failed = True
            heard.read_as("judge_failed", f"verdict {_quoted(label)} cannot be read", point)
        elif _plain(label) not in plain["rubric"]:
            heard.read_as("verdict_spelling", f"{_quoted(label)} read as {'met' if verdict.met else 'violated'}", point)
        if point not in places:
            places[point] = len(heard.verdicts)
            heard.verdicts.append(verdict)
            quoted.append(quoted_of(said))
            continue
        heard.flag("rubric_repeated", f"point {point} was judged more than once and counts once")
        before = heard.verdicts[places[point]]
        if before.met and not verdict.met:
            heard.verdicts[places[point]] = verdict
            quoted[places[point]] = quoted_of(said)
    heard.findings = [
        _violation(index, verdict, quotes)
        for index, (verdict, quotes) in enumerate(zip(heard.verdicts, quoted, strict=True), 1)
        if verdict.met is False
    ]
    heard.numbers = [verdict.point for verdict in heard.verdicts if verdict.met is False]
    judged_points = len(heard.verdicts)
    if judged_points == 0 and rubric_points:
        heard.fail(f"no verdict on any of the article's {rubric_points} rubric points")
    elif judged_points < rubric_points:
        heard.flag("rubric_incomplete", f"{judged_points} of {rubric_points} rubric points were judged")
    elif judged_points > rubric_points:
        heard.flag("rubric_surplus", f"{judged_points} verdicts on {rubric_points} rubric points")


def _violation(index: int, verdict: RubricVerdict, quoted: Quoted | None) -> Finding:
    return Finding(
        judge="rubric",
        index=index,
        explanation=verdict.explanation,
        hint=verdict.hint,
        category="rubric_point",
        severity="violated",
        severity_label=verdict.label,
        rubric_point=verdict.point,
        quoted=quoted,
    )


def _hint(value: object) -> str:
    """Return the judge's paragraph hint, in its words; paragraphs numbered by side as in the prompts: "S3 T4"."""
    text = words_of(value)
    numbers = re.findall(r"\b(source|target|translation)\W{1,6}[ST]?(\d{1,6})", text[:200])
    if numbers or (isinstance(value, dict) and value.keys() <= {"source", "target", "translation"}):
        return " ".join(f"{'S' if side == 'source' else 'T'}{number}" for side, number in numbers)
    return text


_SIDED = re.compile(r"([ST])\s?(\d{1,6})")
_QUOTES: tuple[Field, ...] = ("source_quote", "target_quote", "target_context", "suggestion")
_NOTHING = frozenset({"", "null", "none", "n/a", "nil"})
_MARK = re.compile(r"\A\[[ST]\d{1,4}\]\s*")
"""The number before a paragraph in our prompts, copied with its words."""


def quoted_of(said: Mapping[Field, Any]) -> Quoted | None:
    """Return the quotes of a judge that was asked to quote; None for one that has no field for it."""
    if not any(name in said for name in _QUOTES):
        return None
    given = (_MARK.sub("", words_of(said.get(name))) for name in _QUOTES)
    source, translation, context, suggestion = (None if text.lower() in _NOTHING else text for text in given)
    paragraphs = {side: int(number) for side, number in reversed(_SIDED.findall(_hint(said.get("paragraph"))))}
    return Quoted(
        source=source,
        translation=translation,
        context=context,
        suggestion=suggestion,
        source_paragraph=paragraphs.get("S"),
        translation_paragraph=paragraphs.get("T"),
    )


def words_of(value: object) -> str:
    """A value as the text it stands for."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and not is_deep(value):
        return "、".join(words_of(inner) for inner in value)
    return text_of(value)


def text_of(value: object) -> str:
    """An answer as the text it was, also where it was parsed already."""
    if isinstance(value, str) or value is None:
        return value or ""
    return "" if is_deep(value) else json.dumps(value, ensure_ascii=False, default=str)


def _plain(label: str) -> str:
    return label.strip().lower()


def _quoted(label: str) -> str:
    shown = " ".join(label.split())
    return f"“{shown[:60]}…”" if len(shown) > 60 else f"“{shown}”"


def number_of(value: object) -> int | None:
    """Return the first number in a value, however it is written ("第3条" → 3); None without one."""
    if isinstance(value, bool) or value is None:
        return None
    match = re.search(r"\d{1,6}", unicodedata.normalize("NFKC", str(value)[:50]))
    return int(match.group()) if match else None
