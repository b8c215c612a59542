"""Advice in prose: what it drops is what it says, with its negations, suppositions, questions and quotations."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judges.metric_s.reading.answers import read_advice_on, read_deduplication
from judges.metric_s.reading.dedup_advice import LONGEST, read_advice
from judges.metric_s.reading.deduplication import apply
from judges.metric_s.reading.material import Material
from judges.model import Finding
from tests.conftest import REPOSITORY

CASES = [
    json.loads(line) for line in (REPOSITORY / "tests/data/dedup_prose.jsonl").read_text(encoding="utf-8").splitlines()
]
FINDINGS = (
    Finding("accuracy", 1, "a", severity="major"),
    Finding("fluency", 2, "f", severity="minor"),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["answer"])
def test_advice_says_what_goes_and_what_stays(case: dict[str, Any]) -> None:
    advice = read_advice(case["answer"])
    match case["status"]:
        case "unreadable":
            assert advice is None
        case "no duplicates":
            assert advice == []
        case status:
            assert advice is not None
            (line,) = advice
            named = [[f"{judge} {number}" for judge, number in references] for references in (line.drops, line.keeps)]
            assert (line.status, named) == (status, [case.get("drop", []), case.get("keep", [])])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["answer"])
def test_nothing_is_dropped_but_what_is_said_to_go(case: dict[str, Any]) -> None:
    findings, _, flags = apply(FINDINGS, read_advice(case["answer"]) or [], ())
    dropped = [f"{f.judge} {f.index}" for f in findings if not f.kept]
    certain = case["status"] == "applied" and case["keep"]
    assert dropped == (case["drop"] if certain else [])
    assert ("advice_refused" in [flag.code for flag in flags]) == (
        case["status"] == "refused" or bool(case.get("drop") and not case["keep"])
    )


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("本次评估无重复问题。", "ok"),
        ("Without duplicates.", "ok"),
        ("并非没有重复。", "unparsable"),
        ("若本次评估无重复问题，则不输出。", "unparsable"),
        ("Is it true that there are no duplicates?", "unparsable"),
        ("If there are no duplicates, say no_duplicates.", "unparsable"),
        ("The findings say “there are no duplicates”.", "unparsable"),
    ],
)
def test_that_there_is_no_duplicate_has_to_be_asserted(text: str, outcome: str) -> None:
    material = Material('{"finding": "accuracy 1", "explanation": "there are no duplicates"}')
    assert read_deduplication(text, False, material).outcome == outcome


def test_advice_that_cannot_be_carried_out_says_why() -> None:
    read = read_advice_on(FINDINGS)
    line = {"explanation": "x", "keep": ["accuracy 1"], "drop": ["fluency 2"]}
    good = {"items": [line], "conclusion": "duplicates_found"}
    assert read(json.dumps(good), False, Material()).outcome == "ok"
    for bad, reason in [
        ({**line, "drop": ["fluency 7"]}, "advice 2: there is no fluency finding 7"),
        ({**line, "keep": []}, "advice 2: fluency finding 2 stands: nothing is named that it could give way to"),
        ({**line, "drop": ["x"]}, "advice 2 names no finding; nothing was dropped for it"),
    ]:
        reading = read(json.dumps(good | {"items": [line, bad]}), False, Material())
        assert (reading.outcome, reading.value is None) == ("wrong_shape", False)
        if "x" not in bad["drop"]:
            assert reading.reason == reason


def test_a_line_longer_than_any_advice_is_refused() -> None:
    said = "【accuracy问题1】与【fluency问题2】重复，【fluency问题2】应删除。"
    for more, status in (0, "applied"), (LONGEST, "refused"):
        (line,) = read_advice(json.dumps([{"重复维度": "A", "判断结果": said + "好" * more}])) or []
        assert line.status == status
