"""Readers of the protocol's questions, found by a request alone; and the material that a request shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from judges.metric_s.protocol.special_tokens import PLAIN, Disguise
from judges.metric_s.reading.answers import (
    Reader,
    read_advice_on,
    read_check,
    read_detailed,
    read_findings,
    read_points,
    read_repair,
    read_rubric,
)
from judges.metric_s.reading.material import Material
from judges.metric_s.reading.proof_answers import read_comparison, read_mend
from judges.metric_s.scoring import METRIC_S
from judges.model import JUDGES, Finding
from judges.providers.model import Reading, Request


def material_of(request: Request, disguise: Disguise = PLAIN) -> Material:
    """Return what a request of this protocol shows the judge: its documents, and the blocks of data in its task.

    ``disguise``: how special tokens are shown in it.
    """
    text = "\n".join((request.documents, *(block[3] for block in _BLOCKS.finditer(request.task))))
    return Material(text, disguise.restore) if disguise.shown else Material(text)


_BLOCKS = re.compile(r"<([a-z]+)-([0-9a-f]{10})>\n(.*?)\n</\1-\2>", re.DOTALL)


def reader_of(request: Request) -> Callable[[str, bool], Reading[Any]]:
    """Return the reader of a request that this protocol made, for an answer that comes when nobody walks it.

    It is the one that ``evaluate`` reads the answer with, so that a batch's calls are on record as live ones are; but
    for quotes, which are held against the texts by who walks it.
    """
    material = material_of(request)
    if request.step.endswith("_repair"):
        return lambda text, cut: read_repair(text, cut, material)
    listed = next((block[3] for block in _BLOCKS.finditer(request.task) if block[1] == "points"), "")
    points = [int(number) for number in re.findall(r"^(\d+)\. ", listed, re.MULTILINE)]
    readers: Mapping[str, Reader[Any]] = {
        "instruction_check": read_check,
        "rubric": read_rubric(points),
        "deduplication": read_advice_on(_listed_findings(material.text)),
        "single_detailed": read_detailed(points),
        "single_simple": read_points(METRIC_S.maxima),
        "mend": read_mend,
        "comparison": read_comparison,
        **{judge: read_findings(judge) for judge in JUDGES if judge != "rubric"},
    }
    read = readers[request.step]
    return lambda text, cut: read(text, cut, material)


def _listed_findings(lines: str) -> list[Finding]:
    """Return the findings that a de-duplicator was told of, with what decides which of them stay."""
    found: list[Finding] = []
    for line in lines.split("\n"):
        if named := _FINDING.match(line):
            said = json.loads(line)
            number, judge = int(named[2]), next(judge for judge in JUDGES if judge == named[1])
            point = number if judge == "rubric" else None
            found.append(Finding(judge, number, "", severity=said.get("severity"), rubric_point=point))
    return found


_FINDING = re.compile(r'\{"finding": "([a-z]+) (\d+)"')
