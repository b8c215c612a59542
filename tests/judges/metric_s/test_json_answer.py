"""Judges' answers, in every broken form they come in: read where they say something, never invented."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.metric_s.reading.json_answer import read_answer, read_value
from judges.metric_s.reading.labels import (
    is_no_error,
    judge_of_key,
    read_category,
    read_severity,
    read_verdict,
)
from judges.model import CATEGORIES, LEVELS
from tests.conftest import REPOSITORY, SHARED

ANSWERS = SHARED / "cases" / "answers"

needs_answers = pytest.mark.skipif(not ANSWERS.is_dir(), reason="the worked cases are not here")

ONE = {"问题序号": "1", "问题段落": "1", "问题类型": "错译", "问题分析": "“体系”译为“system”", "问题严重程度": "普通"}
TWO = {**ONE, "问题序号": "2", "问题分析": "见第3段[注]，{x}", "问题严重程度": "严重"}


def as_json(value):
    return json.dumps(value, ensure_ascii=False)


# --- Words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "level"),
    [
        ("普通", "major"),
        ("普通（Major）", "major"),
        ("major/普通", "major"),
        ("严重程度：普通", "major"),
        ("Ｍａｊｏｒ", "major"),
        ("严重", "critical"),
        ("【严重】", "critical"),
        ("Critical.", "critical"),
        ("非常严重", "extremely_critical"),
        ("非常 严重", "extremely_critical"),
        ("Extremely Critical", "extremely_critical"),
        ("extremely_critical", "extremely_critical"),
        ("普通/严重/非常严重", None),
        ("普通（Major）/严重（Critical）", None),
        ("不严重", None),
        ("有问题", None),
        ("整体无问题", None),
        ("", None),
        (None, None),
        (50, None),
    ],
)
def test_accuracy_severity(word, level):
    assert read_severity("accuracy", word) == (level, False)


@pytest.mark.parametrize("word", ["minor", "轻微", "轻微问题", "Minor（轻微）"])
def test_accuracy_has_no_level_below_major(word):
    assert read_severity("accuracy", word) == ("major", True)


@pytest.mark.parametrize("word", ["有问题", "有 问题", "轻微问题", "minor", "严重", "Major", "存在问题"])
def test_the_single_level_judges_read_any_problem_word_as_their_level(word):
    assert read_severity("fluency", word)[0] == "minor"
    assert read_severity("appropriateness", word)[0] == "major"


@pytest.mark.parametrize("word", ["有问题/无问题", "没有问题", "整体无问题", "", "好"])
def test_what_says_no_problem_or_nothing_is_no_severity(word):
    assert read_severity("fluency", word) == (None, False)


@pytest.mark.parametrize("word", ["整体无问题", "整体 无问题。", "没有问题", "No errors", "无"])
def test_no_error(word):
    assert is_no_error(word)


@pytest.mark.parametrize("word", ["有问题", "普通", "无问题/有问题", ""])
def test_not_no_error(word):
    assert not is_no_error(word)


@pytest.mark.parametrize(
    ("word", "met"),
    [
        ("正确", True),
        ("Correct", True),
        ("没有错误", True),
        (True, True),
        ("错误", False),
        ("错误。", False),
        ("不正确", False),
        ("incorrect", False),
        ("错误（正确译法为x）", False),
        ("部分正确", None),
        ("基本正确", None),
        ("不完全正确", None),
        ("正确/错误", None),
        ("", None),
        (None, None),
    ],
)
def test_rubric_verdict(word, met):
    assert read_verdict(word) is met


def test_categories():
    assert read_category("accuracy", "错译") == "mistranslation"
    assert read_category("accuracy", "错译/漏译") is None
    assert read_category("appropriateness", "文化适应度") == "cultural_adaptation"
    assert read_category("fluency", "词汇一致性") == "inconsistent_terminology"
    assert read_category("fluency", "错译") is None


def test_our_own_names_and_the_prompts_are_read():
    for judge, categories in CATEGORIES.items():
        for name, chinese in categories.items():
            assert read_category(judge, name) == read_category(judge, chinese) == name
        for level in LEVELS[judge]:
            assert judge == "rubric" or read_severity(judge, level) == (level, False)
        assert judge_of_key(judge) == judge


@pytest.mark.parametrize(
    ("key", "judge"),
    [("appropiate", "appropriateness"), ("style", "appropriateness"), ("Checkpoints", "rubric"), ("考点", "rubric")],
)
def test_judges_by_any_name(key, judge):
    assert judge_of_key(key) == judge


def test_other_keys_are_no_judges():
    assert judge_of_key("self_critique") is None
    assert judge_of_key("initial_judgement") is None


# --- Answers --------------------------------------------------------------------------------------------------


@needs_answers
def test_malformed_answers():
    for case in json.loads((ANSWERS / "malformed.json").read_text(encoding="utf-8")):
        answer = read_answer(case["raw"])
        assert answer.items == case["expected"], case["name"]
        assert answer.truncated == case["name"].startswith("truncated"), case["name"]


@needs_answers
def test_nothing_usable_is_none_and_not_an_empty_list():
    for line in (ANSWERS / "local_llm.jsonl").read_text(encoding="utf-8").split("\n"):
        if line:
            assert read_answer(json.loads(line)["content"]).items is None


WAYS = {
    "plain": as_json([ONE, TWO]),
    "escaped": json.dumps([ONE, TWO]),
    "wrapped": as_json({"items": [ONE, TWO]}),
    "wrapped twice": as_json({"result": {"accuracy": [ONE, TWO]}}),
    "numbered object": as_json({"1": ONE, "2": TWO}),
    "text of JSON": as_json(as_json([ONE, TWO])),
    "text inside": as_json({"items": as_json([ONE, TWO])}),
    "fenced": f"```json\n{as_json([ONE, TWO])}\n```\n以上[完]。",
    "prose around": f"评估[结果]如下{{注}}：\n{as_json([ONE, TWO])}\n总体[注]较好。",
    "thinking": f'<think>也许是[{{"问题严重程度": "非常严重"}}]</think>{as_json([ONE, TWO])}',
    "end of thinking": f'也许是[{{"问题严重程度": "非常严重"}}]</think>{as_json([ONE, TWO])}',
    "no array": f"{as_json(ONE)}\n{as_json(TWO)}",
    "no array, comma": f"{as_json(ONE)},\n{as_json(TWO)}",
    "a list each": f"{as_json([ONE])}\n{as_json([TWO])}",
    "draft and revision": f"{as_json([ONE])}\n更正：\n{as_json([ONE, TWO])}",
    "an empty list, explained": f"{as_json([ONE, TWO])}\n注：若无问题则输出[]。",
    "an empty list first": f"[]\n更正：\n{as_json([ONE, TWO])}",
    "Python": repr([ONE, TWO]),
    "Python in prose": f"结果：{[ONE, TWO]!r}完。",
    "full-width": as_json([ONE, TWO]).replace('": "', '"："').replace('", "', '"，"'),
    "missing commas": as_json([ONE, TWO]).replace('", "', '"\n"'),
    "no comma between items": as_json([ONE, TWO]).replace("}, {", "}\n{"),
    "trailing commas": as_json([ONE, TWO]).replace("}", ",}").replace("]", ",]", 2).replace("注,]", "注]"),
    "comments": as_json([ONE, TWO]).replace('"1", ', '"1", // 第一\n'),
    "escaped whole": as_json([ONE, TWO]).replace('"', '\\"'),
    "unquoted values": as_json([ONE, TWO]).replace('"普通"', "普通").replace('"错译"', "错译"),
    "byte-order mark": "\ufeff" + as_json([ONE, TWO]),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_of_answering(way):
    expected = (
        [ONE, {**TWO, "问题分析": TWO["问题分析"].replace("x}", "x,}")}] if way == "trailing commas" else [ONE, TWO]
    )
    assert read_answer(WAYS[way]).items == expected


@pytest.mark.parametrize(
    "raw",
    [
        '[{\n "本次评估无重复问题"\n}]',
        '["本次评估无重复问题"]',
        '{"items": ["本次评估无重复问题"]}',
        '{"result": "本次评估无重复问题"}',
        '```json\n{"本次评估无重复问题"}\n```',
        "经评估，本次评估无重复问题。",
        "[]",
        "```\n[]\n```",
        '{"items": []}',
    ],
)
def test_empty_lists(raw):
    assert read_answer(raw).items == []


@pytest.mark.parametrize("raw", ["[", "[{", "", "  ", "null", "5", "{}", "[{}]", '[{"a": 1}]', "无法评估", "<think>[]"])
def test_nothing_usable(raw):
    assert read_answer(raw).items is None


@pytest.mark.parametrize(
    "raw", ["整体无问题", '[{"整体无问题"}]', '["整体无问题"]', as_json([{"问题严重程度": "整体无问题"}])]
)
def test_the_no_error_sentinel(raw):
    assert read_answer(raw).items == [{"问题严重程度": "整体无问题"}]


def test_the_step_is_recorded():
    assert read_answer(as_json([ONE])).step == "json"
    assert read_answer(f"看：{as_json([ONE])}").step == "embedded json"
    assert read_answer(repr([ONE])).step == "python"
    assert read_answer(WAYS["missing commas"]).step == "keys scan"
    assert read_answer("[{问题序号: 1, 问题分析: 'x', 问题严重程度: '普通'}]").step == "json-repair"
    assert read_answer("抱歉").step == ""


def test_an_item_without_known_keys_beside_others_is_not_lost():
    assert read_answer('[{"问题分析": "a"}, "b", {"c": 1}]').items == [{"问题分析": "a"}, {"": "b"}, {"c": 1}]


def test_values_that_were_parsed_already():
    assert read_value([ONE]).items == [ONE]
    assert read_value({"accuracy": [ONE]}).items == [ONE]
    assert read_value(as_json([ONE])).items == [ONE]
    assert read_value([]).items == []
    assert read_value(None).items is None
    assert read_value(5).items is None


texts = st.text(
    alphabet=st.one_of(
        st.sampled_from(list("[]{}\"'“”：:，,\\/\n 问题序号分析严重程度普通")), st.characters(exclude_categories=["Cs"])
    ),
    max_size=30,
)
levels = st.sampled_from(["普通", "严重", "非常严重", "Major"])
findings = st.lists(
    st.fixed_dictionaries({"问题序号": st.just("1"), "问题段落": texts, "问题分析": texts, "问题严重程度": levels}),
    min_size=1,
    max_size=4,
).map(lambda items: [{**item, "问题序号": str(i)} for i, item in enumerate(items, 1)])
wrappers = st.sampled_from(
    [lambda items: items, lambda items: {"items": items}, lambda items: {"r": {"accuracy": items}}]
)


@given(findings, wrappers, st.booleans(), st.sampled_from([None, 1]))
def test_valid_json_round_trips(items, wrap, ascii_only, indent):
    assert read_answer(json.dumps(wrap(items), ensure_ascii=ascii_only, indent=indent)).items == items


@given(findings, wrappers, st.booleans(), st.sampled_from([None, 1]), st.data())
def test_a_truncated_answer_keeps_whole_items_only(items, wrap, ascii_only, indent, data):
    raw = json.dumps(wrap(items), ensure_ascii=ascii_only, indent=indent)
    cut = data.draw(st.integers(0, len(raw) - 1))
    answer = read_answer(raw[:cut])
    kept = answer.items or []
    assert kept == items[: len(kept)]
    assert answer.truncated or len(kept) in (0, len(items))


broken = st.sampled_from(
    [
        lambda raw: raw.replace('", "', '"\n "'),
        lambda raw: raw.replace('": "', '"："').replace('", "', '"，"'),
        lambda raw: raw.replace('"', "'"),
        lambda raw: raw.replace("}, {", "}\n{"),
        lambda raw: f"看[第1段]：\n{raw}",
        lambda raw: raw[1:],
    ]
)
plain = st.text(alphabet="译文系统abc，。（）《》 ", max_size=12)
quoted = st.lists(plain, min_size=1, max_size=3).map('"x"'.join)


@given(st.lists(st.tuples(plain, levels), min_size=1, max_size=3), broken, st.data())
def test_a_truncated_broken_answer_invents_no_severity(said, break_it, data):
    items = [{"问题序号": str(i), "问题分析": a, "问题严重程度": s} for i, (a, s) in enumerate(said, 1)]
    raw = break_it(as_json(items))
    answer = read_answer(raw[: data.draw(st.integers(0, len(raw)))])
    given_levels = [item["问题严重程度"] for item in answer.items or []]
    assert given_levels == [level for _, level in said][: len(given_levels)]


@given(st.lists(st.tuples(quoted, levels), min_size=1, max_size=3))
def test_unescaped_inner_quotes(said):
    items = [{"问题序号": str(i), "问题分析": a, "问题严重程度": s} for i, (a, s) in enumerate(said, 1)]
    fields = [", ".join(f'"{key}": "{value}"' for key, value in item.items()) for item in items]
    assert read_answer("[" + ", ".join(f"{{{text}}}" for text in fields) + "]").items == items


@pytest.mark.parametrize("said", ["“$\\gamma$”：\n译为“delta”", "C:\\users", "\\", 'a\\"b"', "\t\\\\n", "\u2028\\u12"])
def test_escapes_are_undone_where_a_comma_is_missing(said):
    raw = as_json([{**ONE, "问题分析": said}])
    assert read_answer(raw.replace('", "问题严重程度', '"\n "问题严重程度')).items == [{**ONE, "问题分析": said}]


@given(st.one_of(st.text(), texts, st.text(alphabet="[]{}\"'，：问题序号\\u\ud800\x00")))
def test_no_text_raises(raw):
    items = read_answer(raw).items
    assert items is None or all(isinstance(item, dict) for item in items)


@pytest.mark.parametrize(
    "raw", ["[" * 50_000, '{"问题序号":' * 20_000, "[a" * 50_000, '"' + " " * 100_000, "'" * 50_000]
)
def test_deep_or_long_nonsense_is_unusable(raw):
    assert not read_answer(raw).items


def test_json_repair_is_imported_only_where_it_is_used():
    code = (
        "import sys; from judges.metric_s.reading.json_answer import read_answer; read_answer('[]'); read_answer('x');"
        "assert not {'json_repair', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=REPOSITORY)
