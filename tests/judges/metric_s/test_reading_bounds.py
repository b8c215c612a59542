"""Reading takes steps in proportion to an answer's length, whatever it holds. Steps are counted, no time is taken."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from judges.metric_s.reading.answers import read_advice_on, read_check, read_findings, read_points
from judges.metric_s.reading.dedup_advice import read_advice
from judges.metric_s.reading.json_answer import MOST_ITEMS, TOO_MUCH, read_answer
from judges.metric_s.reading.material import Material
from judges.metric_s.scoring import METRIC_S
from judges.model import Finding
from judges.providers.client import Client
from judges.providers.http import HEAVY
from judges.providers.model import Attempt, Form, Reading, Request
from tests.judges.metric_s.test_protocol import finding, found
from tests.support.nightly import by_day

PIECES = {
    "findings": "【accuracy问题1】、",
    "sentences": "【accuracy问题1】应删除，保留【fluency问题2】。",
    "one clause": "【accuracy问题1】重复【fluency问题2】应删除",
    "numbers": "问题1、问题2，删除",
    "negations": "不应不",
    "suppositions": "若【accuracy问题1】重复则",
    "no duplicates": "若无重复问题",
    "quotes": "“【accuracy问题1】应删除”",
    "brackets": "[{",
    "broken": '{"问题分析": "a" "问题序号": "1"} ',
    "objects": '{"问题分析": "a"} ',
    "conclusions": '"conclusion": "no_errors" ',
    "paragraphs": "fluency 2 should be dropped.\n\n",
}
READERS: dict[str, Callable[[str], Any]] = {
    "advice": read_advice,
    "advice in an item": lambda text: read_advice(json.dumps([{"重复维度": text[:9_000], "判断结果": text[:9_000]}])),
    "findings": lambda text: read_findings("accuracy")(text, False, Material("the text 译文")),
    "check": lambda text: read_check(text, False, Material("the text 译文")),
    "points": lambda text: read_points(METRIC_S.maxima)(text, False, Material("the text 译文")),
}


def steps(read: Callable[[str], Any], text: str) -> int:
    """Count the instructions that a reading executes."""
    counted = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal counted
        frame.f_trace_opcodes = True
        counted += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read(text)
    finally:
        sys.settrace(before)
    return counted


@by_day(10)
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_twice_the_answer_takes_twice_the_steps(read: Callable[[str], Any], piece: str) -> None:
    times = 2_000 // len(piece)
    read(piece * times)  # what is cached is no part of it
    once, twice = steps(read, piece * times), steps(read, piece * times * 2)
    assert twice <= 2.3 * once + 2_000


def test_more_items_than_a_judgement_can_have_are_not_read() -> None:
    items = [finding(explanation=f"e{number}") for number in range(MOST_ITEMS + 1)]
    assert read_answer(found(*items[:-1])).items == items[:-1]
    for text in (found(*items), "\n".join(map(json.dumps, items))):
        answer = read_answer(text)
        assert (answer.items, answer.unclear) == (None, TOO_MUCH)
    reading = read_findings("accuracy")(found(*items), False, Material())
    assert (reading.value, reading.outcome, reading.reason) == (None, "wrong_shape", TOO_MUCH)


def test_what_is_nested_too_deep_is_not_read() -> None:
    deep = '{"items": [{"explanation": ' + "[" * 60 + "]" * 60 + ', "category": "omission"}]}'
    reading = read_findings("accuracy")(deep, False, Material())
    assert (reading.value, reading.reason) == (None, TOO_MUCH)


def test_a_line_that_names_more_than_there_can_be_is_refused() -> None:
    findings = [Finding("fluency", number, "", severity="minor") for number in range(1, 500)]
    line = {"explanation": "x", "keep": ["accuracy 1"], "drop": [f"fluency {f.index}" for f in findings]}
    answer = json.dumps({"items": [line], "conclusion": "duplicates_found"})
    reading = read_advice_on([Finding("accuracy", 1, "", severity="major"), *findings])(answer, False, Material())
    assert reading.outcome == "wrong_shape"
    assert "for certain" in reading.reason


@pytest.mark.parametrize(("length", "apart"), [(HEAVY, False), (HEAVY + 1, True)])
def test_a_long_answer_is_read_beside_the_loop(length: int, apart: bool) -> None:
    request = Request("accuracy", "p", "s", "m", "", "", "")
    attempt = Attempt(request, Form(), "ok", 0.0, 0.0, answer="x" * length)
    threads: list[int] = []

    def read(text: str, cut: bool) -> Reading[str]:
        threads.append(threading.get_ident())
        return Reading(text)

    async def record(attempt: Attempt) -> None:
        pass

    client = Client(_Nobody(), record=record, recorded=lambda request: [attempt])
    assert asyncio.run(client.ask(request, read)).value == "x" * length
    assert (threads[0] != threading.get_ident()) == apart


class _Nobody:
    name = "p"
    server = "s"

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        raise AssertionError("it is on record")

    async def close(self) -> None:
        pass
