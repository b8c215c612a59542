"""Official final lists, which a model copied, compared with what the advice makes of the judges' own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from judges.metric_s.reading.error_list import JudgeList, read_list
from judges.metric_s.reading.labels import normal
from judges.metric_s.reading.material import NOTHING_SHOWN, Material
from judges.model import Finding, Flag, Judge


def compare(
    heard: Sequence[JudgeList],
    findings: tuple[Finding, ...],
    final: Mapping[Judge, Any],
    rubric_points: int,
    *,
    certain: bool,
    material: Material = NOTHING_SHOWN,
) -> tuple[tuple[Finding, ...], list[Flag]]:
    """Hold the de-duplicated findings against the final lists and flag where they differ.

    ``certain``: the advice could be read, so it decides. Otherwise a final list that holds anything at all decides
    which findings were dropped, within the metric's priorities. Findings that only a final list has are added; where
    the severity of one cannot be read, its judge's list in ``heard`` is marked as failed.
    """
    if not final:
        return findings, []
    result = list(findings)
    added: list[Finding] = []
    flags: list[Flag] = []
    start = 0
    for part in heard:
        copied = read_list(part.judge, final.get(part.judge), rubric_points, material=material)
        pairs = _pair(part, copied)
        lost, unexplained, restored, changed = list[int](), list[int](), list[int](), list[int]()
        for at, (number, original) in enumerate(zip(part.numbers, part.findings, strict=True)):
            place = start + at
            if at not in pairs and result[place].kept:
                if certain or not copied.given or _protected(result, place):
                    lost.append(number)
                else:
                    result[place] = replace(result[place], kept=False)
                    unexplained.append(number)
            elif at in pairs and not result[place].kept:
                restored.append(number)
            elif at in pairs and copied.findings[pairs[at]].severity != original.severity:
                changed.append(number)
        start += len(part.findings)
        for code, numbers, message in (
            ("recovered", lost, "the final list lacks finding {}, which no valid advice drops; kept"),
            ("dropped_unexplained", unexplained, "the final list lacks finding {}, the advice is unreadable; dropped"),
            ("final_keeps_dropped", restored, "the final list holds finding {}, which the advice drops; dropped"),
            ("final_severity_differs", changed, "the final list changes the severity of {}; the judge's own stands"),
        ):
            if numbers:
                flags.append(Flag(code, f"{part.judge}: {message.format(', '.join(map(str, numbers)))}"))
        fresh = _only_copied(part, copied, pairs)
        if fresh:
            message = f"{part.judge}: {len(fresh)} of the final list's findings stand nowhere else; added"
            flags.append(Flag("only_in_final", message))
            if any(finding.severity is None for finding in fresh):
                part.fail("a finding of the final list has no readable severity")
                flags.append(part.flags[-1])
            after = max(len(part.findings), len(part.verdicts))
            added.extend(replace(finding, index=after + extra) for extra, finding in enumerate(fresh, 1))
    return (*result, *added), flags


def _protected(findings: Sequence[Finding], place: int) -> bool:
    """Return whether the metric's priorities keep a finding, whatever a copied list lacks.

    An extremely critical error stands, a violated rubric point gives way to nothing else, and what absorbed another
    finding must stand for it.
    """
    finding = findings[place]
    if finding.severity == "extremely_critical" or any(f.duplicate_of == place for f in findings):
        return True
    return finding.judge == "rubric" and not any(f.severity == "extremely_critical" for f in findings)


def _only_copied(part: JudgeList, copied: JudgeList, pairs: Mapping[int, int]) -> list[Finding]:
    """The copied list's findings that the judge never reported; a point it judged is not one of them."""
    known = {verdict.point for verdict in part.verdicts}
    paired = set(pairs.values())
    fresh = [finding for at, finding in enumerate(copied.findings) if at not in paired]
    return [finding for finding in fresh if finding.judge != "rubric" or finding.rubric_point not in known]


def _pair(part: JudgeList, copied: JudgeList) -> dict[int, int]:
    """Match final findings with initial ones: by the same words (or rubric point), then by nearly the same.

    Where several are worded alike, the judge's own numbers tell them apart.
    """
    initial, final = part.findings, copied.findings
    pairs: dict[int, int] = {}
    words = [[_matched_words(finding) for finding in findings] for findings in (initial, final)]
    numbered = {key: at for at, key in reversed(list(enumerate(zip(words[1], copied.numbers, strict=True))))}
    for place, key in enumerate(zip(words[0], part.numbers, strict=True)):
        if key in numbered:
            pairs[place] = numbered.pop(key)
    places: dict[str, list[int]] = {}
    for at in sorted(set(range(len(final))) - set(pairs.values()), reverse=True):
        places.setdefault(words[1][at], []).append(at)
    for place, text in enumerate(words[0]):
        if place not in pairs and places.get(text):
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
"""The share of the wording that must agree for a copied finding to count as the same one."""


def _matched_words(finding: Finding) -> str:
    if finding.judge == "rubric":
        return str(finding.rubric_point)
    return normal(finding.explanation)[:400] or normal(finding.category_label + finding.hint)


def _alike(one: str, other: str) -> float:
    if one and other and (one in other or other in one):
        return 1.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0
