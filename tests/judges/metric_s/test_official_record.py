"""The official code's record read for what its judges said, and why its scores differ from ours."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.metric_s.reading.official_record import explain_difference, read_check, read_judgement
from judges.metric_s.reading.rubric import parse_rubric
from judges.model import JUDGES, RubricPoint
from tests.conftest import SHARED

OFFICIAL = SHARED / "cases" / "official"
DATA_SET = SHARED / "data" / "discox" / "DISCOX-filtered.json"


def worked_cases():
    if not OFFICIAL.is_dir():
        return [pytest.param(None, None, marks=pytest.mark.skip(reason="the worked cases are not here"))]
    expected = json.loads((OFFICIAL / "expected.json").read_text(encoding="utf-8"))
    rows = {}
    for path in OFFICIAL.glob("*result.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        rows |= {(result["model"], row["prompt_id"]): row for row in result["detailed_results"] if "error" not in row}
    return [
        pytest.param(rows[case["system"], case["prompt_id"]], case, id=f"{case['system']}-{case['prompt_id']}")
        for case in expected
    ]


@pytest.mark.parametrize(("row", "case"), worked_cases())
def test_worked_case(row, case):
    points = len(parse_rubric(row["reference_list"]))
    judgement = read_judgement(row["detailed_judgement"], points, row["model_output"])
    assert judgement.state == case["state"]
    assert list(judgement.failed) == case["failed"]
    score = judgement.score
    assert (score and [score.accuracy, score.fluency, score.appropriateness]) == case["recomputed"]
    stored = (row["score"], *row["domain_score"])
    same = score is not None and stored == (score.total, score.accuracy, score.fluency, score.appropriateness)
    assert bool(explain_difference(judgement, stored)) == (not same)


CHECK = "【质量问题检测】\n助手A:\n是否存在问题：否\n问题等级：无"
NOTHING = [{"问题严重程度": "整体无问题"}]
NO_DUPLICATES = '[{\n "本次评估无重复问题"\n}]'


def error(number, text, severity="普通", **fields):
    return {
        "问题序号": str(number),
        "问题段落": "1",
        "问题类型": "错译",
        "问题分析": text,
        "问题严重程度": severity,
        **fields,
    }


def point(number, verdict="正确"):
    return {"问题序号": str(number), "问题段落": "1", "问题分析": f"考点{number}", "判断结果": verdict}


def record(critique=NO_DUPLICATES, final=None, **initial):
    lists = {"accuracy": NOTHING, "checkpoints": [point(1)], "fluency": NOTHING, "appropiate": NOTHING} | initial
    given = {"instruction_following": CHECK, "initial_judgement": lists, "self_critique": critique}
    return copy.deepcopy(given | lists | (final or {}))


def read(detailed, points=1, translation="x"):
    judgement = read_judgement(detailed, points, translation)
    score = judgement.score
    return (
        judgement.state,
        score and (score.accuracy, score.fluency, score.appropriateness),
        {flag.code for flag in judgement.flags},
        judgement,
    )


def test_clean():
    state, score, flags, judgement = read(record())
    assert (state, score, flags) == ("scored", (60, 20, 20), set())
    assert (judgement.findings, judgement.advice) == ((), ())


def test_findings_carry_what_was_said():
    errors = [error(1, "甲", "严重"), error(2, "乙", 段落序号="第3段", 问题段落="")]
    *_, judgement = read(record(accuracy=errors, checkpoints=[point(1, "错误")]))
    first, second, violated = judgement.findings
    assert (first.judge, first.index, first.explanation, first.severity) == ("accuracy", 1, "甲", "critical")
    assert (first.category, first.category_label, first.severity_label) == ("mistranslation", "错译", "严重")
    assert second.hint == "第3段"
    assert (violated.judge, violated.rubric_point, violated.severity) == ("rubric", 1, "violated")


@pytest.mark.parametrize("empty", [[], None, "", "抱歉，无法评估。", {}, 5, [[]], [{}]])
@pytest.mark.parametrize(
    ("key", "judge"), zip(("accuracy", "checkpoints", "fluency", "appropiate"), JUDGES, strict=True)
)
def test_nothing_usable_is_a_failed_judge_and_not_full_marks(key, judge, empty):
    state, score, flags, judgement = read(record(**{key: empty}, final={key: NOTHING}))
    assert (state, score, judgement.failed) == ("judge_failed", None, (judge,))
    assert "judge_failed" in flags


def test_a_missing_list_is_a_failed_judge():
    detailed = record()
    del detailed["initial_judgement"]["fluency"]
    assert read(detailed)[3].failed == ("fluency",)


def test_no_rubric_points_need_no_verdicts():
    assert read(record(checkpoints=[]), points=0)[:2] == ("scored", (60, 20, 20))


def test_fewer_verdicts_than_points_are_scored_and_flagged():
    state, score, flags, judgement = read(record(checkpoints=[point(n, "错误") for n in (1, 3, 4, 8)]), points=8)
    assert (state, score, flags) == ("scored", (40, 20, 20), {"rubric_incomplete"})
    assert "4 of 8" in judgement.flags[0].message


@pytest.mark.parametrize("verdict", ["部分正确", "", "正确/错误", None])
def test_an_unreadable_verdict_fails_the_rubric_judge(verdict):
    state, score, _, judgement = read(record(checkpoints=[point(1), point(2, verdict)]), points=2)
    assert (state, score, judgement.failed) == ("judge_failed", None, ("rubric",))


def test_a_point_judged_twice_counts_once():
    state, score, flags, _ = read(record(checkpoints=[point(1, "错误"), point(1, "错误")]))
    assert (state, score, flags) == ("scored", (55, 20, 20), {"rubric_repeated"})


def test_an_unreadable_severity_fails_its_judge_and_its_findings_show():
    state, score, _, judgement = read(record(accuracy=[error(1, "甲", "普通/严重/非常严重"), error(2, "乙")]))
    assert (state, score, judgement.failed) == ("judge_failed", None, ("accuracy",))
    assert [f.severity for f in judgement.findings] == [None, "major"]


def test_severities_below_the_scale_are_moved_and_flagged():
    assert read(record(accuracy=[error(1, "甲", "minor")]))[:3] == ("scored", (55, 20, 20), {"severity_moved"})


def test_the_sentinel_beside_a_finding_is_dropped():
    state, score, flags, _ = read(record(accuracy=[*NOTHING, error(1, "甲")]))
    assert (state, score, flags) == ("scored", (55, 20, 20), {"sentinel_beside_findings"})


def test_a_curt_no_beside_an_explanation_is_no_sentinel():
    assert read(record(accuracy=[error(1, "甲", "无")]))[3].failed == ("accuracy",)
    assert read(record(accuracy=[{"问题严重程度": "无"}]))[:2] == ("scored", (60, 20, 20))
    assert read(record(accuracy=[error(1, "译文准确。", "整体无问题")]))[:2] == ("scored", (60, 20, 20))


@pytest.mark.parametrize(
    "wrap",
    [
        lambda errors: {"accuracy": errors},
        lambda errors: {"items": {"result": errors}},
        lambda errors: json.dumps(errors, ensure_ascii=False),
        lambda errors: f"```json\n{json.dumps(errors)}\n```",
        lambda errors: [errors],
        lambda errors: [json.dumps(error) for error in errors],
    ],
)
def test_lists_that_are_wrapped_or_given_as_text(wrap):
    errors = [error(1, "甲"), error(2, "乙", "严重")]
    assert read(record(accuracy=wrap(errors)))[:2] == ("scored", (45, 20, 20))


# --- De-duplication and the copied lists ----------------------------------------------------------------------

DROP_FIRST = '[{"重复维度": "【checkpoints考点1】与【accuracy问题1】", "判断结果": "【accuracy问题1】应删除"}]'
ERRORS = [error(1, "甲甲甲"), error(2, "乙乙乙")]
BAD_POINT = [point(1, "错误")]


def test_the_advice_is_carried_out_in_code():
    final = {"accuracy": ERRORS[1:]}
    state, score, flags, judgement = read(record(DROP_FIRST, final, accuracy=ERRORS, checkpoints=BAD_POINT))
    assert (state, score, flags) == ("scored", (50, 20, 20), set())
    assert [(f.kept, f.duplicate_of, f.advice) for f in judgement.findings] == [
        (False, 2, 0),
        (True, None, None),
        (True, None, None),
    ]


def test_advice_that_was_parsed_already():
    final = {"accuracy": ERRORS[1:]}
    parsed = record(json.loads(DROP_FIRST), final, accuracy=ERRORS, checkpoints=BAD_POINT)
    assert read(parsed)[:3] == ("scored", (50, 20, 20), set())


def test_a_renumbered_and_slightly_reworded_final_list_is_the_same():
    final = {"accuracy": [error(1, "乙乙乙。", "普通")]}
    assert read(record(DROP_FIRST, final, accuracy=ERRORS, checkpoints=BAD_POINT))[2] == set()


def test_findings_lost_by_the_final_list_are_recovered():
    final = {"accuracy": []}
    assert read(record(final=final, accuracy=ERRORS))[:3] == ("scored", (50, 20, 20), {"recovered"})


def test_unreadable_advice_leaves_it_to_a_final_list_that_holds_something():
    lost = record("无法处理", {"accuracy": ERRORS[1:]}, accuracy=ERRORS)
    assert read(lost)[:3] == ("scored", (55, 20, 20), {"advice_unreadable", "dropped_unexplained"})
    emptied = record("无法处理", {"accuracy": []}, accuracy=ERRORS)
    assert read(emptied)[:3] == ("scored", (50, 20, 20), {"advice_unreadable", "recovered"})


def test_unreadable_advice_never_drops_an_extremely_critical_error():
    errors = [error(1, "甲甲甲", "非常严重"), error(2, "乙乙乙")]
    assert read(record("无法处理", {"accuracy": errors[1:]}, accuracy=errors))[1] == (5, 20, 20)


def test_unreadable_advice_never_drops_what_absorbed_another():
    errors = [error(1, "甲甲甲"), error(2, "乙乙乙")]
    advice = '[{"判断结果": "【accuracy问题1】应删除，保留【accuracy问题2】"}, {"判断结果": "重复，应删除"}]'
    _, score, flags, judgement = read(record(advice, {"accuracy": NOTHING}, accuracy=errors))
    assert (score, flags) == ((55, 20, 20), {"advice_names_nothing", "recovered"})
    assert [f.kept for f in judgement.findings] == [False, True]


def test_what_the_final_list_keeps_against_the_advice_is_dropped():
    state, score, flags, _ = read(record(DROP_FIRST, accuracy=ERRORS, checkpoints=BAD_POINT))
    assert (state, score, flags) == ("scored", (50, 20, 20), {"final_keeps_dropped"})


def test_what_only_the_final_list_holds_is_added():
    final = {"accuracy": [*ERRORS, error(3, "全新的问题")]}
    state, score, flags, judgement = read(record(final=final, accuracy=ERRORS))
    assert (state, score, flags) == ("scored", (45, 20, 20), {"only_in_final"})
    assert [f.index for f in judgement.findings] == [1, 2, 3]


def test_advice_goes_by_the_judges_own_numbers():
    errors = [*NOTHING, error(4, "甲甲甲", "严重"), error(7, "乙乙乙")]
    advice = DROP_FIRST.replace("accuracy问题1", "accuracy问题7")
    *_, judgement = read(record(advice, accuracy=errors, checkpoints=BAD_POINT))
    assert [f.kept for f in judgement.findings] == [True, False, True]


def test_without_the_initial_lists_the_final_ones_stand():
    detailed = record(DROP_FIRST, {"accuracy": ERRORS[1:]}, accuracy=ERRORS, checkpoints=BAD_POINT)
    del detailed["initial_judgement"]
    state, score, flags, judgement = read(detailed)
    assert (state, score, flags) == ("scored", (50, 20, 20), {"initial_missing"})
    assert [f.explanation for f in judgement.findings] == ["乙乙乙", "考点1"]


# --- The instruction check, and no translation ----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "是否存在问题：是",
        "**是否存在问题：** 是",
        "- 是否存在问题 : **是**",
        "| 是否存在问题 | 是 |",
        "## 是否存在问题\n是",
        '{"是否存在问题": "是"}',
        "是否存在问题：【是】",
        "是否存在问题：是的，存在大篇幅漏译",
        "是否存在问题：是/否\n……\n是否存在问题：是",
        "<think>是否存在问题：否</think>是否存在问题：是",
    ],
)
def test_a_failed_check_in_any_markup(text):
    assert read_check(text) is True
    assert read(record() | {"instruction_following": text})[:2] == ("instruction_failed", (0, 0, 0))


@pytest.mark.parametrize("text", ["是否存在问题：否", "**是否存在问题：否**", "是否存在问题：不是", "是否存在问题：无"])
def test_a_passed_check(text):
    assert read_check(text) is False


@pytest.mark.parametrize(
    "text",
    ["", "是否存在问题：是/否", "是否存在问题：是|否", "是否存在问题：是\n是否存在问题：否", "问题等级：主需问题/无"],
)
def test_an_unreadable_check(text):
    assert read_check(text) is None
    state, _, flags, _ = read(record() | {"instruction_following": text})
    assert (state, flags) == ("scored", {"instruction_check_unreadable"})


def test_a_failed_check_without_lists():
    assert read({"instruction_following": "是否存在问题：是"})[:3] == ("instruction_failed", (0, 0, 0), set())


@pytest.mark.parametrize("translation", [None, "", " \n\u3000"])
def test_no_translation(translation):
    assert read(record(), translation=translation)[:2] == ("no_translation", None)


# --- Any shape ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("detailed", [None, [], "x", 5, True, [record()]])
def test_a_judgement_that_is_no_object(detailed):
    state, score, flags, judgement = read(detailed)
    assert (state, score, judgement.failed, flags) == ("judge_failed", None, JUDGES, {"judgement_unreadable"})
    assert ("missing" if detailed is None else "no JSON object") in judgement.flags[0].message


def test_a_judgement_given_as_text():
    assert read(json.dumps(record()))[:2] == ("scored", (60, 20, 20))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["普通", "错误", "整体无问题", "1", NO_DUPLICATES, "["]) | st.text(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["问题序号", "问题分析", "问题严重程度", "判断结果", "accuracy", "x"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
lists = st.dictionaries(st.sampled_from(["accuracy", "checkpoints", "fluency", "appropiate", "style"]), values)
details = values | st.builds(
    lambda check, initial, advice, final: (
        {"instruction_following": check, "initial_judgement": initial, "self_critique": advice} | final
    ),
    values | st.just(CHECK),
    values | lists,
    values | st.just(DROP_FIRST),
    lists,
)


@given(details, st.integers(0, 3))
def test_no_shape_raises_and_no_failed_judge_is_scored(detailed, points):
    judgement = read_judgement(detailed, points, "x")
    assert (judgement.score is None) == (judgement.state == "judge_failed") == bool(judgement.failed)
    for finding in judgement.findings:
        assert finding.kept or finding.severity != "extremely_critical"
        assert judgement.state != "scored" or finding.severity is not None
    assert len({(f.judge, f.index) for f in judgement.findings}) == len(judgement.findings)
    assert not any("\n" in flag.message for flag in judgement.flags)


# --- Rubrics --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "考点1：甲\n考点2：乙",
        "考点 1. 甲\n\n 考点 2 ： 乙",
        "考点1:甲\r\n考2：乙",
        "考点1：甲考点2：乙",
        "1. 甲\n2. 乙",
        "1、甲\n2）乙",
        "甲\n乙",
        "评分点：\n考点1：甲\n考点2：乙",
    ],
)
def test_rubrics(text):
    assert parse_rubric(text) == (RubricPoint(1, "甲"), RubricPoint(2, "乙"))


def test_rubric_numbers_are_the_texts_own_and_points_may_run_on():
    text = "考点1：甲\n1. 细则\n2. 细则\n考点4：“乙”，见考点1：甲\n考点4：丙"
    assert parse_rubric(text) == (
        RubricPoint(1, "甲\n1. 细则\n2. 细则"),
        RubricPoint(4, "“乙”，见考点1：甲"),
        RubricPoint(5, "丙"),
    )
    assert parse_rubric("") == parse_rubric(" \n") == ()


@given(st.text() | st.text(alphabet="考点123：. \n甲"))
def test_no_rubric_text_raises_and_nothing_but_marks_is_lost(text):
    points = parse_rubric(text)
    assert all(p.number >= 0 for p in points)
    assert len({p.number for p in points}) == len(points)
    assert bool(points) or not text.strip()


@pytest.mark.skipif(not DATA_SET.is_file(), reason="the data set is not here")
def test_the_rubrics_of_the_data_set():
    articles = json.loads(DATA_SET.read_text(encoding="utf-8"))
    counts = [len(parse_rubric(article["reference_list"])) for article in articles]
    # 1,871 lines begin with 考点N or N; one more says 考5, and one line holds two points.
    assert (len(counts), sum(counts), min(counts), max(counts)) == (200, 1873, 2, 46)
    assert all(point.text for article in articles for point in parse_rubric(article["reference_list"]))
