"""Files as users have them: told apart, read row by row, and what cannot be read said with how to mend it."""

import codecs
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges.model import Judgement
from storage.base.identity import system_slug
from storage.formats.io.json_objects import objects_in_array, read_objects
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import UNDECODABLE, FormatError, read_lines
from storage.formats.io.rows import LeftOut, Row
from storage.formats.own.dataset import direction_of
from storage.formats.own.official import system_name
from tests.conftest import SHARED
from tests.storage.formats.reading import detected, read_as

OFFICIAL = SHARED / "cases" / "official"
DATA_SET = SHARED / "data" / "discox" / "DISCOX-filtered.json"
needs_official = pytest.mark.skipif(not OFFICIAL.is_dir(), reason="the worked cases are not here")

NOTHING = [{"问题严重程度": "整体无问题"}]
LISTS = {
    "accuracy": NOTHING,
    "checkpoints": [{"问题序号": "1", "判断结果": "正确"}],
    "fluency": NOTHING,
    "appropiate": NOTHING,
}
JUDGED = {
    "instruction_following": "是否存在问题：否",
    "initial_judgement": LISTS,
    "self_critique": '[{\n "本次评估无重复问题"\n}]',
    **LISTS,
}
ARTICLE = {
    "prompt_id": 8,
    "prompt": "翻译",
    "ori_text": "孕期是生命早期的第一个重要阶段。",
    "reference_list": "考点1：“孕期”译为 pregnancy",
    "Primary_Domain": "学术论文",
    "Secondary_Domain": "自然科学",
}
ROW = {
    **ARTICLE,
    "model_output": "Pregnancy is the first stage.",
    "domain_score": [60, 20, 20],
    "score": 100,
    "detailed_judgement": JUDGED,
}
FAILED = {"error": "list index out of range\n", "traceback": "Traceback…"}


def text_of(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def write(tmp_path):
    def write(content, name="x-DISCOXpartial.jsonl"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


def rows_of(path):
    return [row for row in read_as(path, detected(path)) if isinstance(row, Row | LeftOut)]


# --- Lines ----------------------------------------------------------------------------------------------------


def test_lines_end_at_lf_and_crlf_only(write):
    path = write("\ufeffa\u2028b\r\nc\x0b\x0c\x85d\n\n e\rf")
    assert list(read_lines(path)) == [(1, "a\u2028b"), (2, "c\x0b\x0c\x85d"), (3, ""), (4, " e\rf")]


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
        ("utf-32", "UTF-32"),
        ("gb18030", "GB18030"),
    ],
)
@pytest.mark.parametrize("content", [text_of(ROW), text_of(FAILED, ROW), json.dumps([ARTICLE], ensure_ascii=False)])
def test_another_encoding_is_named_and_nothing_is_read(write, encoding, name, content):
    path = write(content.encode(encoding))
    for read in (detected, lambda path: list(read_lines(path)), lambda path: list(objects_in_array(path))):
        with pytest.raises(FormatError, match=rf"{name}.*iconv -f {name} -t UTF-8") as caught:
            read(path)
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("latin-1", "Größe und Länge ändern sich ständig"),
        ("cp1252", "déjà vu à l’été, “ça ira”"),
        ("cp1251", "Сегодня хорошая погода"),
        ("cp1256", "مرحبا بالعالم"),
    ],
)
def test_an_encoding_with_a_byte_for_each_letter_is_never_called_chinese(write, encoding, text):
    path = write(f"article,system,source,translation\nk,s,{text},Hello\n".encode(encoding), "pairs.csv")
    with pytest.raises(FormatError, match=r"older encoding .*WINDOWS-1252.*iconv -f ENCODING -t UTF-8"):
        list(read_lines(path))


def test_a_damaged_character_costs_one_line(write):
    good = text_of(ROW).encode()
    path = write(good + good.replace("孕期".encode(), b"\xe5\xad") + good)
    assert list(read_lines(path))[1] == (2, UNDECODABLE)
    first, damaged, last = rows_of(path)
    assert (damaged.line, damaged.code) == (2, "not_utf8")
    assert first.article == last.article


@pytest.mark.parametrize("content", [b"", b"\n \r\n", codecs.BOM_UTF8])
def test_an_empty_file(write, content):
    with pytest.raises(FormatError, match="is empty"):
        detected(write(content))


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(FormatError, match="no such file"):
        detected(tmp_path / "none.json")
    with pytest.raises(FormatError, match="is a folder"):
        detected(tmp_path)


# --- Formats --------------------------------------------------------------------------------------------------

RESULT = {"average_accuracy": 1, "model": "a/b", "detailed_results": [ROW, FAILED, ROW]}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (json.dumps([ARTICLE], ensure_ascii=False, indent=2), "discox-dataset"),
        (text_of(ARTICLE), "discox-dataset"),
        (text_of(ROW), "discox-partial"),
        (text_of(FAILED, FAILED), "discox-partial"),
        ("{broken\n" + text_of(FAILED, ROW), "discox-partial"),
        ("\ufeff\n" + text_of(ROW), "discox-partial"),
        (text_of(ROW)[:-200], "discox-partial"),
        (json.dumps(RESULT), "discox-result"),
        (json.dumps(RESULT, indent=2), "discox-result"),
        (json.dumps(dict(reversed(RESULT.items()))), "discox-result"),
        (json.dumps([ROW]), "discox-result"),
        ('{"id": "1", "at": "2026", "reviewer": "a", "kind": "verdict", "evaluation": "e"}\n', "verdict-log"),
    ],
)
def test_formats_are_told_by_content(write, content, found):
    assert detected(write(content, "name-says-nothing.txt")) == found


@pytest.mark.parametrize("content", ["a\tb\tc\n", "[]", "[1, 2]", '{"a\\nb": 1}', "null", '"x"', "\0\0\0"])
def test_an_unknown_format_says_what_was_expected(write, content):
    with pytest.raises(FormatError, match="expected the DiscoX data set") as caught:
        detected(write(content))
    assert "\n" not in str(caught.value)


PAIR = {"article": "a", "src": "河。", "mt": "A river."}


@pytest.mark.parametrize("row", [ROW, ARTICLE, PAIR], ids=["partial", "data set", "pair"])
def test_one_object_over_several_lines_is_said_to_be_that(write, row):
    with pytest.raises(FormatError, match="one object over several lines; write it on one"):
        detected(write(json.dumps(row, ensure_ascii=False, indent=2)))


def test_the_data_set(write):
    (row,) = rows_of(write(json.dumps([ARTICLE | {"prompt_id": "8"}], ensure_ascii=False, indent=1)))
    article = row.article
    assert (article.key, article.direction, article.domain, article.subdomain) == ("8", "zh-en", "学术论文", "自然科学")
    assert (article.source, article.rubric_text) == (ARTICLE["ori_text"], ARTICLE["reference_list"])
    assert (row.line, row.judgement, row.flags) == (2, None, ())


def test_a_partial_and_its_result_say_the_same(write):
    partial = write(text_of(ROW, FAILED, ROW))
    result = write(json.dumps(RESULT, ensure_ascii=False, indent=2), "x-DISCOXresult.json")
    one, other = rows_of(partial), rows_of(result)
    assert [row.line for row in one] == [1, 2, 3]
    lines = result.read_text(encoding="utf-8").split("\n")
    assert all(lines[row.line - 1].strip() == "{" for row in other)
    for a, b in zip(one, other, strict=True):
        if isinstance(a, LeftOut):
            assert (a.code, a.reason, a.message.count("\n")) == (
                b.code,
                "the task failed: list index out of range",
                0,
            )
        else:
            assert (a.article, a.translation, a.raw, a.judgement) == (b.article, b.translation, b.raw, b.judgement)
            assert (a.system, b.system, a.stored_score, a.flags) == ("a/b", "a/b", (100, 60, 20, 20), ())
            assert json.loads(a.raw) == JUDGED


def test_names_of_systems(write):
    stem = "2026-03-02 09-15-04-openai-some-model"
    partial = write(text_of(ROW), f"{stem}-DISCOXpartial.jsonl")
    assert system_name(partial) == "openai-some-model"
    result = write(json.dumps(RESULT | {"model": "openai/some-model"}), f"{stem}-DISCOXresult.json")
    assert system_name(partial) == system_name(result) == "openai/some-model"
    assert system_slug("openai/some-model") == system_slug("openai-some-model")
    late = write(json.dumps({"detailed_results": [ROW], "model": "late/model"}), "late.json")
    assert system_name(late) == "late/model"
    assert system_name(write(text_of(ROW), "mine.jsonl")) == "mine"


def test_a_stored_score_that_differs_is_explained(write):
    row = ROW | {"detailed_judgement": JUDGED | {"instruction_following": "**是否存在问题：** 是"}}
    (read,) = rows_of(write(text_of(row)))
    (flag,) = read.flags
    assert flag.code == "score_differs"
    assert flag.message == "stored 100 (60/20/20), recomputed 0 (0/0/0): a failed instruction check was overlooked"
    (read,) = rows_of(write(text_of(row | {"domain_score": None})))
    assert read.flags[-1].message.startswith("stored 100 (?/?/?), recomputed 0 (0/0/0): a failed")


# --- What hides in rows ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"prompt_id": None}, "prompt_id"),
        ({"prompt_id": True}, "prompt_id"),
        ({"prompt_id": [1]}, "prompt_id"),
        ({"prompt_id": " "}, "prompt_id"),
        ({"prompt_id": 1.5}, "prompt_id"),
        ({"ori_text": None}, "ori_text"),
        ({"ori_text": ""}, "ori_text"),
        ({"ori_text": {"a": 1}}, "ori_text"),
        ({"model_output": ["a"]}, "model_output"),
        ({"model_output": 5}, "model_output"),
    ],
)
def test_wrong_types_are_left_out_by_field(write, change, field):
    path = write(text_of(ROW, ROW | change))
    taken, left = rows_of(path)
    assert isinstance(taken, Row)
    assert (left.line, left.field) == (2, field)
    assert left.message.startswith(left.reason)
    assert left.mend in left.message


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"reference_list": 5}, "field_type"),
        ({"reference_list": None}, "no_rubric"),
        ({"Primary_Domain": ["a"]}, "field_type"),
        ({"domain_score": "a"}, "stored_score_unreadable"),
        ({"domain_score": [1, 2]}, "stored_score_unreadable"),
        ({"score": {}}, "stored_score_unreadable"),
        ({"score": 10**30}, "stored_score_unreadable"),
        ({"ori_text": "12345"}, "direction_unknown"),
    ],
)
def test_what_can_be_done_without_is_flagged(write, change, code):
    (row,) = rows_of(write(text_of(ROW | change)))
    assert code in {flag.code for flag in row.flags}
    assert isinstance(row.judgement, Judgement)


@pytest.mark.parametrize("identity", [8, "8", " 8 ", 8.0])
def test_one_article_whatever_the_type_of_its_number(write, identity):
    (row,) = rows_of(write(text_of(ROW | {"prompt_id": identity})))
    assert row.article.key == "8"


def test_a_missing_translation_and_a_missing_score(write):
    row = {key: value for key, value in ROW.items() if key not in ("model_output", "score", "domain_score")}
    (read,) = rows_of(write(text_of(row)))
    assert (read.translation, read.judgement.state, read.stored_score) == (None, "no_translation", (None,) * 4)
    assert read.flags == ()


@pytest.mark.parametrize("detailed", [None, [], "x", 5])
def test_a_judgement_of_another_type_is_a_failed_one(write, detailed):
    (row,) = rows_of(write(text_of(ROW | {"detailed_judgement": detailed})))
    assert row.judgement.state == "judge_failed"
    assert json.loads(row.raw) == detailed


def test_unsafe_characters_are_replaced_one_for_one_and_reported(write):
    text = json.dumps(ROW, ensure_ascii=False)
    text = text.replace("Pregnancy", r"\ud800P\u0000😀\ud83d\ude00\udc00" + "\0\x07")
    (row,) = rows_of(write(text))
    assert row.translation.startswith("\ufffdP\ufffd😀😀\ufffd\ufffd\x07 is")
    assert {flag.code: flag.message for flag in row.flags} == {
        "replaced_characters": "model_output: 4 NUL or lone surrogate characters, each replaced by U+FFFD",
        "control_characters": "model_output: 1 control characters, kept",
    }


def test_keys_that_stand_twice_and_numbers_that_are_none(write):
    text = json.dumps(ROW, ensure_ascii=False)
    text = text.replace('"score": 100', '"score": 90, "score": 100').replace("[60,", "[NaN,")
    (row,) = rows_of(write(text))
    codes = {flag.code for flag in row.flags}
    assert codes == {"duplicate_key", "not_a_number", "stored_score_unreadable"}, "what is stored is not contradicted"
    assert row.stored_score == (100, None, 20, 20)


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        ('{"prompt_id": 8, "ori_text": "abc', "half_written"),
        ('{"prompt_id": 8 "ori_text": "abc"}', "not_json"),
        ('{"prompt_id": 8} {"a": 1}', "not_json"),
        ("[1, 2]", "not_an_object"),
        ('"text"', "not_an_object"),
        ('{"a": ' * 100_000 + "1" + "}" * 100_000, "too_deep"),
        ('{"prompt_id": ' + "9" * 10_000 + ', "ori_text": "abc"}', "bad_field"),
        ('{"prompt_id": 1e999, "ori_text": "abc"}', "bad_field"),
    ],
)
def test_broken_lines_are_left_out_and_the_rest_is_read(write, broken, code):
    first, left, last = rows_of(write(text_of(ROW) + broken + "\n" + text_of(ROW)))
    assert (left.line, left.code) == (2, code)
    assert isinstance(first, Row)
    assert last.line == 3


def test_a_deep_judgement_is_left_out(write):
    deep = "[" * 600 + "]" * 600
    text = json.dumps(ROW).replace('"fluency": [', f'"fluency": [{deep}, ', 1)
    (row,) = rows_of(write(text))
    assert isinstance(row, Row | LeftOut)


def test_a_result_that_breaks_off_gives_the_rows_before(write):
    whole = json.dumps(RESULT, ensure_ascii=False, indent=2)
    path = write(whole[: whole.rindex("Pregnancy")], "x-DISCOXresult.json")
    first, failed, rest = rows_of(path)
    assert isinstance(first, Row)
    assert failed.code == "task_failed"
    assert (rest.code, rest.line) == ("not_json", whole[: whole.rindex('{\n      "prompt_id')].count("\n") + 1)


def test_a_long_list_is_read_in_pieces(write):
    rows = [ROW | {"prompt_id": n, "ori_text": "江" * (n * 997 % 5000 + 1)} for n in range(300)]
    path = write(json.dumps(RESULT | {"detailed_results": rows}, ensure_ascii=False), "x-DISCOXresult.json")
    assert [row.article.key for row in rows_of(path)] == [str(n) for n in range(300)]


def test_direction():
    assert direction_of("江水 flows") == "zh-en"
    assert direction_of("The term 江 is old and so is the river") == "en-zh"
    assert direction_of("123") == ""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 3000), st.sampled_from(['"', "{", "}", "[", "]", ",", "\0", "\\", "\n", "\\ud800", "9"])), max_size=6),
    st.booleans(),
    st.integers(0, 4000),
)  # fmt: skip
def test_damage_never_raises_anything_but_a_message(write, damage, as_result, cut):
    content = json.dumps(RESULT, ensure_ascii=False, indent=1) if as_result else text_of(ROW, FAILED, ROW)
    for place, what in damage:
        content = content[:place] + what + content[place:]
    path = write(content[: len(content) - cut])
    try:
        rows = rows_of(path)
    except FormatError:
        return
    for row in rows:
        if isinstance(row, LeftOut):
            assert "\n" not in row.message
        else:
            (row.raw + row.article.source + (row.translation or "")).encode()
            json.loads(row.raw)


# --- Real files -----------------------------------------------------------------------------------------------


@needs_official
def test_the_worked_files():
    expected = json.loads((OFFICIAL / "expected.json").read_text(encoding="utf-8"))
    for ending in ("partial.jsonl", "result.json"):
        read = [row for path in sorted(OFFICIAL.glob(f"*{ending}")) for row in rows_of(path)]
        rows = {(row.system, row.article.key): row for row in read if isinstance(row, Row)}
        assert len(rows) == len(expected) == 20
        assert [row.code for row in read if isinstance(row, LeftOut)] == ["task_failed"] * 3
        for case in expected:
            row = rows[case["system"], str(case["prompt_id"])]
            assert row.judgement.state == case["state"]
            assert row.stored_score[0] == case["official_score"]


@pytest.mark.skipif(not DATA_SET.is_file(), reason="the data set is not here")
def test_the_real_data_set():
    rows = rows_of(DATA_SET)
    assert len(rows) == len({row.article.key for row in rows}) == 200
    assert sum(row.article.direction == "zh-en" for row in rows) == 100
    assert not any(row.flags for row in rows)


ONE = '{"prompt_id": 1, "ori_text": "x"}'


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (f"[{ONE}]\n[{ONE}]\n", [1, 2]),
        (f"[{ONE}]\n{ONE}\n", [1, 2]),
        (f"[1]\n{ONE}\n{ONE}\n", [2, 3]),
        (f"[\n{ONE}\n{ONE}\n]\n", [2, 3]),
        (f'[\n {{"a": tru}},\n {ONE},\n {{"a" 1}},\n {ONE}\n]', [3, 5]),
        (f"[{'[' * 5_000}{']' * 5_000}, {ONE}, {'[' * 300}{']' * 300}, {ONE}]", [1, 1]),
        (f'{{"more": {"[" * 198}{"]" * 198}, "prompt_id": 1}}\n{ONE}\n', [1, 2]),
        (f'{{"more": {"[" * 201}{"]" * 201}, "prompt_id": 1}}\n{ONE}\n', [2]),
    ],
    ids=["two lists", "list and object", "list first", "no comma", "broken", "deep", "just not too deep", "too deep"],
)
def test_whole_objects_are_read_whatever_stands_about_them(content: str, lines: list[int], tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(content)
    assert [item.line for item in read_objects(path) if isinstance(item, JsonObject)] == lines


def test_a_list_cut_within_a_character_says_so(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_bytes(f'[{ONE},\n{{"prompt_id": 2, "ori_text": "河'.encode()[:-1])
    first, second = read_objects(path)
    assert isinstance(first, JsonObject)
    assert isinstance(second, LeftOut)
    assert (second.line, "within a character" in second.reason) == (2, True)
