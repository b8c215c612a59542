"""What a de-duplicator advised, read and carried out within the metric's priorities."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.metric_s.reading.dedup_advice import read_advice
from judges.metric_s.reading.deduplication import apply
from judges.model import JUDGES, LEVELS, Advice, Finding, RubricVerdict

A1, A2, A3 = ("accuracy", 1), ("accuracy", 2), ("accuracy", 3)
F1, F2, F3 = ("fluency", 1), ("fluency", 2), ("fluency", 3)
S1, S3 = ("appropriateness", 1), ("appropriateness", 3)
R1, R2, R4 = ("rubric", 1), ("rubric", 2), ("rubric", 4)


def item(**fields):
    return json.dumps([fields], ensure_ascii=False)


@pytest.mark.parametrize(
    ("raw", "drops", "keeps"),
    [
        (item(重复维度="【checkpoints考点2】与【accuracy问题1】", 判断结果="此问题属于checkpoints，【accuracy问题1】应删除"), [A1], [R2]),
        (item(重复维度="【accuracy问题1】与【checkpoints考点4】", 正确归因="此问题属于accuracy，【checkpoints考点4】应删除"), [R4], [A1]),
        (item(重复维度="【checkpoints考点1】与【style问题1】", 正确归因="checkpoints"), [S1], [R1]),
        (item(重复维度="【checkpoints考点1】与【style问题1】", 正确归因="此问题属于checkpoints"), [S1], [R1]),
        (item(重复维度="【checkpoints考点2】与【accuracy问题1】", 判断结果="【accuracy问题1】应归入checkpoints"), [A1], [R2]),
        (item(判断结果="保留【accuracy问题1】，删除【fluency问题2】、【appropiate问题3】"), [F2, S3], [A1]),
        (item(重复维度="【accuracy问题1】、【fluency问题2】与【fluency问题3】", 判断结果="【fluency问题2】，【fluency问题3】应删除"), [F2, F3], [A1]),
        (item(重复维度="【accuracy问题1】与【fluency问题2】", 判断结果="后者应删除"), [F2], [A1]),
        (item(重复维度="【accuracy问题1】与【accuracy问题3】", 判断结果="问题3应删除"), [A3], [A1]),
        (item(重复维度="accuracy问题1、3与fluency问题2", 判断结果="属于accuracy问题1，其余删除"), [A3, F2], [A1]),
        (item(重复维度="【accuracy问题1-3】与【checkpoints考点2】", 判断结果="【accuracy问题1-3】应删除"), [A1, A2, A3], [R2]),
        (item(重复维度="准确性问题1与考点2", 判断结果="归因于考点2，准确性问题1删除"), [A1], [R2]),
        (item(重复维度="【accuracy问题一】与【fluency问题二】", 判断结果="删除【fluency问题二】"), [F2], [A1]),
        (item(重复维度="【accuracy问题1】与【fluency问题2】", 判断结果="【accuracy问题1】不应删除，【fluency问题2】应删除"), [F2], [A1]),
        (item(问题分析="【accuracy问题1】与【fluency问题1】重复，【fluency问题1】应删除"), [F1], [A1]),
        (item(判断结果="accuracy 1 should be deleted; keep fluency 2"), [A1], [F2]),
        (item(drops=["fluency 2"], keeps=["accuracy 1"]), [F2], [A1]),
        (item(drop={"judge": "fluency", "number": 2}, keep=[{"judge": "accuracy", "number": 1}]), [F2], [A1]),
        ("【accuracy问题1】与【checkpoints考点2】重复，【accuracy问题1】应删除。", [A1], [R2]),
        (item(重复维度="【accuracy问题1】与【fluency问题2】", 判断结果="不重复，均保留"), [], [A1, F2]),
    ],
)  # fmt: skip
def test_advice_in_its_many_shapes(raw, drops, keeps):
    (advice,) = read_advice(raw)
    assert (list(advice.drops), list(advice.keeps), advice.status) == (sorted_as(drops, advice.drops), keeps, "applied")


def sorted_as(expected, found):
    return sorted(expected, key=lambda r: found.index(r) if r in found else 99)


@pytest.mark.parametrize(
    "raw", ['[{\n "本次评估无重复问题"\n}]', item(判断结果="本次评估无重复问题"), "[]", "本次评估无重复问题。"]
)
def test_no_duplicates_is_empty_advice(raw):
    assert read_advice(raw) == []


@pytest.mark.parametrize("raw", ["", "无法处理", "{", "重复的问题应删除"])
def test_unreadable_advice_is_none(raw):
    assert read_advice(raw) is None


def test_advice_that_names_nothing():
    (advice,) = read_advice(item(判断结果="此问题重复，应删除"))
    assert (advice.drops, advice.keeps, advice.status) == ((), (), "names_nothing")


@given(st.text() | st.text(alphabet='accuracy问题考点12、，。【】应删除保留属于fluency{}[]":'))
def test_no_text_raises(raw):
    advice = read_advice(raw)
    assert advice is None or all(isinstance(line, Advice) for line in advice)


# --- Carrying it out ------------------------------------------------------------------------------------------

MET, VIOLATED = RubricVerdict(1, True), RubricVerdict(2, False)


def finding(judge, index, severity=None, point=None):
    return Finding(judge, index, "", severity=severity or LEVELS[judge][0], rubric_point=point)


FINDINGS = (
    finding("accuracy", 1),
    finding("accuracy", 2, "extremely_critical"),
    finding("rubric", 2, point=2),
    finding("fluency", 1),
)


def after(*advice, findings=FINDINGS):
    changed, read, flags = apply(findings, advice, [MET, VIOLATED])
    return [f.kept for f in changed], [line.status for line in read], [flag.code for flag in flags], changed


def test_a_violated_rubric_point_absorbs():
    kept, statuses, flags, changed = after(Advice("", (A1,), (R2,)))
    assert (kept, statuses, flags) == ([False, True, True, True], ["applied"], [])
    assert (changed[0].duplicate_of, changed[0].advice) == (2, 0)


def test_an_extremely_critical_error_is_never_dropped():
    kept, statuses, flags, _ = after(Advice("", (A2,), ()))
    assert (kept, statuses, flags) == ([True] * 4, ["refused"], ["advice_refused"])
    kept, statuses, flags, changed = after(Advice("", (A2,), (R2,)))
    assert (kept, statuses, flags) == ([True, True, False, True], ["applied"], ["advice_turned"])
    assert changed[2].duplicate_of == 1


def test_a_violated_point_gives_way_only_to_an_extremely_critical_error():
    assert after(Advice("", (R2,), (A2,)))[:2] == ([True, True, False, True], ["applied"])
    kept, statuses, flags, _ = after(Advice("", (R2,), ()))
    assert (kept, statuses, flags) == ([True] * 4, ["refused"], ["advice_refused"])
    for keeps, dropped in [((A1,), 0), ((F1,), 3)]:
        kept, statuses, flags, changed = after(Advice("", (R2,), keeps))
        assert ([place for place, stays in enumerate(kept) if not stays], statuses) == ([dropped], ["applied"])
        assert (flags, changed[dropped].duplicate_of) == (["advice_turned"], 2)


def test_a_met_point_absorbs_nothing():
    kept, statuses, flags, _ = after(Advice("", (A1,), (R1,)))
    assert (kept, statuses, flags) == ([True] * 4, ["refused"], ["advice_refused"])


def test_what_does_not_exist_drops_and_absorbs_nothing():
    assert after(Advice("", (("accuracy", 9),), (R2,)))[:2] == ([True] * 4, ["no_such_finding"])
    assert after(Advice("", (A1,), (("rubric", 9),)))[:2] == ([True] * 4, ["no_such_finding"])
    assert after(Advice("", (), ()))[:3] == ([True] * 4, ["names_nothing"], ["advice_names_nothing"])


def test_two_findings_cannot_absorb_each_other():
    kept, statuses, *_ = after(Advice("", (A1,), (F1,)), Advice("", (F1,), (A1,)))
    assert (kept, statuses) == ([False, True, True, True], ["applied", "refused"])


def test_numbers_are_the_judges_own():
    changed, *_ = apply(FINDINGS, [Advice("", (("accuracy", 7),), (R2,))], [], {("accuracy", 7): 0, R2: 2})
    assert [f.kept for f in changed] == [False, True, True, True]


references = st.tuples(st.sampled_from(JUDGES), st.integers(1, 3))
advice_lines = st.builds(
    Advice, st.just(""), st.lists(references, max_size=3).map(tuple), st.lists(references, max_size=3).map(tuple)
)


@st.composite
def evaluations(draw):
    found, verdicts = [], []
    for judge in JUDGES:
        for index in range(1, draw(st.integers(1, 4))):
            if judge == "rubric":
                verdicts.append(RubricVerdict(index, draw(st.booleans())))
                if verdicts[-1].met:
                    continue
            severity = draw(st.sampled_from(LEVELS[judge]))
            found.append(finding(judge, index, severity, index if judge == "rubric" else None))
    return tuple(found), verdicts


@given(evaluations(), st.lists(advice_lines, max_size=5))
def test_the_priorities_hold_whatever_is_advised(evaluation, advice):
    findings, verdicts = evaluation
    before = list(findings)
    changed, read, _ = apply(findings, advice, verdicts)
    assert list(findings) == before
    assert len(read) == len(advice)
    violated = {f.rubric_point for f in changed if f.judge == "rubric"}
    for place, f in enumerate(changed):
        if f.kept:
            assert (f.duplicate_of, f.advice) == (None, None)
            continue
        named = (f.judge, f.rubric_point or f.index)
        assert named in read[f.advice].drops
        assert named in (*advice[f.advice].drops, *advice[f.advice].keeps)
        assert not (f.judge == "accuracy" and f.severity == "extremely_critical")
        root, steps = place, 0
        while changed[root].duplicate_of is not None:
            root, steps = changed[root].duplicate_of, steps + 1
            assert steps <= len(changed)
        if f.judge == "rubric":
            assert changed[f.duplicate_of].severity == "extremely_critical"
        keeps = read[f.advice].keeps
        assert any(judge != "rubric" or number in violated for judge, number in keeps)
    assert apply(changed, advice, verdicts)[0] == changed
