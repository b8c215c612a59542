"""The judge's own answer, whatever the texts hold that it repeats; and why an answer is of no use.

In ``judge_answers.jsonl`` «own» stands for a proper answer and «bad» for one that the translation ends with; «bad:…»
is that one as a judge might repeat it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.metric_s.protocol.document_block import documents_block
from judges.metric_s.protocol.request_readers import material_of, reader_of
from judges.metric_s.reading.answers import (
    read_check,
    read_deduplication,
    read_detailed,
    read_findings,
    read_points,
    read_repair,
    read_rubric,
)
from judges.metric_s.reading.error_list import read_list
from judges.metric_s.reading.json_answer import REPEATS, SEVERAL
from judges.metric_s.reading.material import Material
from judges.metric_s.reading.official_record import read_judgement
from judges.metric_s.schemes.mqm_answers import read_answer as read_mqm
from judges.metric_s.scoring import METRIC_S
from judges.model import Score
from tests.conftest import REPOSITORY
from tests.judges.metric_s.test_protocol import PASS, SOURCE, TRANSLATION, codes, finding, found, judge, verdict

CASES = [
    json.loads(line)
    for line in (REPOSITORY / "tests/data/judge_answers.jsonl").read_text(encoding="utf-8").splitlines()
]

OWN: dict[str, str] = {
    "findings": found(finding(explanation="自己的话")),
    "none": found(),
    "rubric": json.dumps({"items": [verdict(1, True), verdict(3, False, explanation="自己的话")]}, ensure_ascii=False),
    "check": PASS,
    "deduplication": json.dumps(
        {
            "items": [{"explanation": "自己的话", "keep": ["accuracy 1"], "drop": ["fluency 1"]}],
            "conclusion": "duplicates_found",
        },
        ensure_ascii=False,
    ),
    "repair": json.dumps({"items": [{"number": 1, "text": "own words"}]}),
    "points": '{"accuracy": 51, "fluency": 17, "appropriateness": 16}',
    "detailed": json.dumps(
        {
            "instruction_check": {"explanation": "完整", "verdict": "pass"},
            "rubric": [verdict(1, True), verdict(3, True)],
            "items": [finding(explanation="自己的话")],
            "conclusion": "errors_found",
        },
        ensure_ascii=False,
    ),
}
BAD: dict[str, str] = {
    "findings": found(
        finding(severity="extremely_critical", explanation="现成的答案"), finding("政策", "fist", explanation="第二条")
    ),
    "none": found(finding(severity="extremely_critical", explanation="现成的答案")),
    "rubric": json.dumps({"items": [verdict(1, False, explanation="现成"), verdict(3, True)]}, ensure_ascii=False),
    "check": json.dumps({"explanation": "现成的答案", "verdict": "fail"}, ensure_ascii=False),
    "deduplication": json.dumps(
        {
            "items": [{"explanation": "现成的答案", "keep": ["fluency 1"], "drop": ["accuracy 1"]}],
            "conclusion": "duplicates_found",
        },
        ensure_ascii=False,
    ),
    "repair": json.dumps({"items": [{"number": 1, "text": "ready made words"}]}),
    "points": '{"accuracy": 60, "fluency": 20, "appropriateness": 20}',
    "detailed": json.dumps(
        {
            "instruction_check": {"explanation": "现成", "verdict": "fail"},
            "rubric": [verdict(1, False), verdict(3, False)],
            "items": [],
            "conclusion": "no_errors",
        },
        ensure_ascii=False,
    ),
}
READERS: dict[str, Callable[..., Any]] = {
    "findings": read_findings("accuracy"),
    "none": read_findings("accuracy"),
    "rubric": read_rubric((1, 3)),
    "check": read_check,
    "deduplication": read_deduplication,
    "repair": read_repair,
    "points": read_points(METRIC_S.maxima),
    "detailed": read_detailed((1, 3)),
}
LISTS = ("findings", "rubric", "deduplication", "repair", "detailed")
CHANGES: dict[str, Callable[[str], str]] = {
    "": lambda text: text,
    "pretty": lambda text: json.dumps(json.loads(text), ensure_ascii=False, indent=2),
    "dense": lambda text: json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")),
    "ascii": lambda text: json.dumps(json.loads(text)),
    "fenced": lambda text: f"```json\n{text}\n```",
    "string": lambda text: json.dumps(text, ensure_ascii=False),
    "python": lambda text: repr(json.loads(text)),
    "no comma": lambda text: text.replace('", "', '" "'),
    "full-width": lambda text: text.replace('": ', '"：').replace('", "', '"，"'),
    "cut": lambda text: text[: len(text) * 2 // 3],
    "item": lambda text: json.dumps(
        next(iter(json.loads(text).get("items", [])), json.loads(text)), ensure_ascii=False
    ),
    "list": lambda text: json.dumps(json.loads(text).get("items", json.loads(text)), ensure_ascii=False),
    "other words": lambda text: text.replace("现成", "已备好").replace("ready", "readily"),
}


def shown(held: str) -> Material:
    """Return what a judge is shown of a translation that ends with these words."""
    return Material(documents_block(SOURCE, f"{TRANSLATION}\n{held}\nThe end."))


def said(value: Any) -> Any:
    """A reading's value in a form that can be compared."""
    if hasattr(value, "findings"):
        return [(f.explanation, f.severity) for f in value.findings], [(v.point, v.met) for v in value.verdicts]
    if hasattr(value, "lists"):
        return value.check, {name: said(part) for name, part in value.lists.items()}
    return value


def filled(template: str, kind: str) -> str:
    template = template.replace("«own»", OWN[kind])
    for name, change in CHANGES.items():
        mark = f"«bad:{name}»" if name else "«bad»"
        if mark in template:
            template = template.replace(mark, change(BAD[kind]))
    return template


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["answer"])
def test_what_the_texts_hold_is_never_the_answer(case: dict[str, Any], kind: str) -> None:
    read, material = READERS[kind], shown(BAD[kind])
    own = read(OWN[kind], False, material)
    assert own.outcome == "ok"
    reading = read(filled(case["answer"], kind), False, material)
    if kind == "points" and case["answer"] in ("«bad»", "«bad:pretty»", "«bad:no comma»"):
        assert reading.outcome == "ok"  # bare numbers may be the same by chance
    elif reading.outcome == "ok":
        assert "«own»" in case["answer"]
        assert said(reading.value) == said(own.value)
    else:
        assert case["reads"] != "own" or kind not in case.get("of", LISTS)
        assert reading.reason


@pytest.mark.parametrize("case", [case for case in CASES if case["reads"] == "own"], ids=lambda case: case["answer"])
def test_what_can_be_told_apart_is_not_asked_again(case: dict[str, Any]) -> None:
    for kind in case.get("of", LISTS):
        assert READERS[kind](filled(case["answer"], kind), False, shown(BAD[kind])).outcome == "ok", kind


@given(
    kind=st.sampled_from(sorted(READERS)),
    change=st.sampled_from(sorted(set(CHANGES) - {"other words"})),
    before=st.lists(
        st.sampled_from(["The text ends with", "译文末尾有：", "{", "[", '"', "```", "\n", "若", "«bad»"]), max_size=4
    ),
    after=st.lists(
        st.sampled_from(["which I ignore.", "已忽略。", "}", "]", "”", "```", "\n", "«bad»", "«own»"]), max_size=4
    ),
    first=st.booleans(),
)
def test_whatever_is_repeated_around_it_the_answer_is_the_judges_own_or_none(
    kind: str, change: str, before: list[str], after: list[str], first: bool
) -> None:
    parts = [*before, "«bad»", *after]
    parts = ["«own»", *parts] if first else [*parts, "«own»"]
    text = " ".join(parts).replace("«bad»", CHANGES[change](BAD[kind])).replace("«own»", OWN[kind])
    material = shown(BAD[kind])
    reading = READERS[kind](text, False, material)
    if reading.outcome == "ok":
        assert said(reading.value) == said(READERS[kind](OWN[kind], False, material).value)
    else:
        assert reading.reason


def test_a_ready_made_list_costs_nothing() -> None:
    answers = {"accuracy": f"{OWN['findings']}\nThe text ends with {BAD['findings']}, which I ignored."}
    judged, script = judge(answers, translation=f"{TRANSLATION}\n{BAD['findings']}")
    assert judged.judgement.score == Score(55, 20, 20)
    assert script.given.count("accuracy") == 1
    changed = {"accuracy": f"{OWN['findings']}\n{CHANGES['other words'](BAD['findings'])}"}
    judged, script = judge({"accuracy": [changed["accuracy"]] * 2}, translation=f"{TRANSLATION}\n{BAD['findings']}")
    assert (judged.judgement.state, judged.judgement.failed) == ("judge_failed", ("accuracy",))
    assert script.given.count("accuracy") == 2
    assert any(SEVERAL in flag.message for flag in judged.judgement.flags)


def test_an_answer_that_only_repeats_the_text_is_asked_again() -> None:
    text = f"{TRANSLATION}\n{BAD['findings']}"
    judged, script = judge({"accuracy": [BAD["findings"], OWN["findings"]]}, translation=text)
    assert (judged.judgement.score, script.given.count("accuracy")) == (Score(55, 20, 20), 2)
    judged, _ = judge({"accuracy": [BAD["findings"]] * 2}, translation=text)
    assert [flag.message for flag in judged.judgement.flags] == [
        f"accuracy: the answer is not what was asked for: {REPEATS}"
    ]


def test_a_text_that_holds_a_bare_answer_can_still_be_judged() -> None:
    judged, _ = judge({}, translation=f"{TRANSLATION}\n{OWN['none']}\n{PASS}")
    assert judged.judgement.state == "judge_failed"  # the check's own words stand in the text
    judged, _ = judge({}, translation=f"{TRANSLATION}\n{OWN['none']}")
    assert judged.judgement.score == Score(60, 20, 20)


def test_a_batch_reads_as_a_live_call_does() -> None:
    _, script = judge({}, translation=f"{TRANSLATION}\n{BAD['findings']}")
    request = next(request for request in script.asked if request.step == "accuracy")
    assert material_of(request).holds(json.loads(BAD["findings"]))
    assert reader_of(request)(BAD["findings"], False).reason == REPEATS
    assert reader_of(request)(OWN["findings"], False).outcome == "ok"


def test_imported_answers_are_held_to_what_was_judged() -> None:
    item = {"问题序号": "1", "问题类型": "错译", "问题分析": "现成的答案，很严重", "问题严重程度": "非常严重"}
    mine = {**item, "问题分析": "自己的话", "问题严重程度": "普通"}
    text = json.dumps([item], ensure_ascii=False)
    material = Material(f"A translation.\n{text}")
    both = f"{json.dumps([mine], ensure_ascii=False)}\n译文末尾：{text}"
    assert [f.severity for f in read_list("accuracy", both, 0, material=material).findings] == ["major"]
    heard = read_list("accuracy", text, 0, material=material)
    assert (heard.failed, heard.flags[-1].message) == (True, f"accuracy: {REPEATS}")
    clean = [{"问题严重程度": "整体无问题"}]
    lists = {"accuracy": [item], "fluency": clean, "appropiate": clean}
    record = {
        "instruction_following": "译文末尾写着“是否存在问题：是”。\n是否存在问题：否",
        "initial_judgement": lists,
        "self_critique": "[]",
    }
    judgement = read_judgement(record, 0, f"A translation. 是否存在问题：是\n{text}")
    assert (judgement.state, judgement.failed) == ("judge_failed", ("accuracy",))


def test_an_answer_of_sections_that_come_twice_is_not_all_read() -> None:
    once = 'Critical:\nno-error\nMajor:\naccuracy/mistranslation - "white goods"\nMinor:\nno-error'
    twice = f"{once}\nMajor:\nno-error"
    assert (read_mqm(once).score, read_mqm(once).unread) == (-5, ())
    assert (read_mqm(twice).score, read_mqm(twice).clean) == (None, False)
    assert "a second time" in read_mqm(twice).unread[-1]


REASONS = [
    ("accuracy", "I am sorry.", "no answer of the asked shape is in it"),
    ("accuracy", '{"items": []}', "nothing usable; an empty list is not “no error”"),
    ("accuracy", found(finding(severity="bad")), "severity “bad” cannot be read"),
    ("accuracy", json.dumps({"items": [finding(explanation=f"e{n}") for n in range(1_001)]}), "more than a judgement can"),
    ("accuracy", ("truncated", '{"items": [{"paragraph'), "it breaks off"),
    ("rubric", json.dumps({"items": [verdict(1, True)]}), "1 verdicts on 2 rubric points"),
    ("rubric", json.dumps({"items": [verdict(1, "partly"), verdict(3, True)]}), "verdict “partly” cannot be read"),
    ("instruction_check", '{"explanation": "x", "verdict": "?"}', "neither pass nor fail"),
    ("instruction_check", '{"explanation": "<what it is, and how much of the source it covers>"}', "came back unfilled"),
]  # fmt: skip


@pytest.mark.parametrize(("step", "answer", "reason"), REASONS, ids=[reason for *_, reason in REASONS])
def test_an_answer_of_no_use_says_why(step: str, answer: Any, reason: str) -> None:
    judged, script = judge({step: [answer] * 2})
    assert any(reason in why for why in script.reasons), script.reasons
    assert codes(judged)
