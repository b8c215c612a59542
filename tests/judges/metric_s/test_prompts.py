"""The prompts: complete, of one shape with the schemas, replaceable by a user's own, and never read for placeholders twice."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.metric_s.protocol.document_block import documents_block, on_one_line, sendable, word_not_in
from judges.metric_s.protocol.prompts import NEEDED, Prompts, languages_of
from judges.metric_s.protocol.schemas import (
    check_schema,
    comparison_schema,
    deduplication_schema,
    detailed_schema,
    findings_schema,
    mend_schema,
    repair_schema,
    rubric_schema,
    simple_schema,
)
from judges.metric_s.protocol.translating import read_translation, render_translation
from judges.metric_s.scoring import METRIC_S
from judges.model import CATEGORIES, LEVELS, Article
from tests.conftest import REPOSITORY

BUILT_IN = Prompts.built_in()
WORDS = {
    "source_language": "Chinese",
    "target_language": "English",
    "explanation_language": "English",
    "points": "(points)",
    "quotes": "(quotes)",
    "text": "(text)",
    "passage": "(passage)",
    "error": "(error)",
    "versions": "(versions)",
}
SCHEMAS = {
    "instruction_check": check_schema(),
    "accuracy": findings_schema("accuracy"),
    "rubric": rubric_schema(3),
    "fluency": findings_schema("fluency"),
    "appropriateness": findings_schema("appropriateness"),
    "deduplication": deduplication_schema(),
    "repair": repair_schema(2),
    "single_detailed": detailed_schema(3),
    "single_simple": simple_schema(METRIC_S.maxima),
    "mend": mend_schema(),
    "comparison": comparison_schema(),
}


# --- The program's own ----------------------------------------------------------------------------------------


def test_every_prompt_is_there_and_renders() -> None:
    for name in NEEDED:
        text = BUILT_IN.render(name, **WORDS)
        assert len(text) > 50
        assert "$" not in text


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_prompt_says_json_and_shows_the_keys_of_its_schema_in_their_order(name: str) -> None:
    text = BUILT_IN.render(name, **WORDS)
    assert "JSON" in text
    shape = re.search(r"^\{.*\}$", text, re.M)
    assert shape
    at = 0
    for key in keys(SCHEMAS[name]):
        at = shape[0].index(f'"{key}"', at)


def keys(schema: dict) -> list[str]:
    found = []
    for key, inner in schema.get("properties", {}).items():
        found.append(key)
        found.extend(keys(inner.get("items", inner)))
    return found


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_what_strict_servers_take(name: str) -> None:
    def look(schema: dict) -> None:
        if schema.get("type") == "object":
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False
            assert all(key.isascii() for key in schema["properties"])
            for inner in schema["properties"].values():
                look(inner)
        if schema.get("type") == "array":
            assert schema["maxItems"] > 0
            look(schema["items"])

    assert SCHEMAS[name]["type"] == "object"
    look(SCHEMAS[name])


@pytest.mark.parametrize("judge", ["accuracy", "fluency", "appropriateness"])
def test_a_judges_prompt_names_all_its_words(judge: str) -> None:
    text = BUILT_IN.texts[judge]
    for word in (*CATEGORIES[judge], *LEVELS[judge]):
        assert word in text


def test_the_documentation_says_the_hash_of_the_built_in_prompts() -> None:
    page = (REPOSITORY / "docs" / "metric-s.md").read_text(encoding="utf-8")
    assert f"{BUILT_IN.name}/{BUILT_IN.hash}" in page, "the prompts changed: say their new hash in docs/metric-s.md"


# --- A user's own ---------------------------------------------------------------------------------------------


def test_a_folder_may_replace_some_and_the_hash_shows_it() -> None:
    own = Prompts.of("mine", {"fluency": "Judge $target_language. JSON."})
    assert own.texts["accuracy"] == BUILT_IN.texts["accuracy"]
    assert own.render("fluency", **WORDS) == "Judge English. JSON."
    assert own.hash != BUILT_IN.hash
    assert own.is_own("fluency")
    assert not own.is_own("accuracy")
    assert Prompts.of("same", {}).hash == BUILT_IN.hash


def test_what_an_editor_adds_unseen_changes_nothing() -> None:
    plain = Prompts.of("a", {"fluency": "One\nTwo"})
    assert Prompts.of("a", {"fluency": "\ufeffOne\r\nTwo\r\n\r\n"}).hash == plain.hash


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"acuracy": "x"}, r"acuracy\.txt: no prompt is called that; name it one of accuracy,"),
        ({"fluency": "a\nb $langauge"}, r"fluency\.txt, line 2: “\$langauge” is no placeholder here; use one of"),
        ({"fluency": "costs $ 5"}, r"fluency\.txt, line 1: .*write “\$\$”"),
        ({"rubric": "a\nb\nc"}, r"rubric\.txt, line 3: “\$points” is missing"),
        ({"translation": "Translate!"}, r"translation\.txt, line 1: “\$text” is missing"),
    ],
)
def test_mistakes_are_named_with_file_line_and_mend(texts: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Prompts.of("mine", texts)


@given(st.text())
def test_values_are_not_read_for_placeholders(value: str) -> None:
    own = Prompts.of("mine", {"translation": "<$text> $$5"})
    assert own.render("translation", text=value) == f"<{value}> $5"


@pytest.mark.parametrize(
    ("direction", "names"),
    [
        ("zh-en", ("Chinese", "English")),
        ("en-pt_BR", ("English", "Portuguese (BR)")),
        ("ZH-EN", ("Chinese", "English")),
        ("xx-en", ("xx", "English")),
        ("", ("the source language", "the target language")),
        ("english", ("the source language", "the target language")),
    ],
)
def test_languages(direction: str, names: tuple[str, str]) -> None:
    assert languages_of(direction) == names


# --- Documents ------------------------------------------------------------------------------------------------

hostile = st.text(
    st.one_of(st.characters(), st.sampled_from("\r\n\t\v\f\x00\x1c\x85\u2028\u2029\u202e\ud800[]<>/`{}ST12"))
)


@given(hostile, hostile)
def test_every_line_of_the_block_is_ours(source: str, translation: str) -> None:
    block = documents_block(source, translation)
    word = word_not_in(source, translation)
    assert block == documents_block(source, translation)
    tags = [f"<source-{word}>", f"</source-{word}>", f"<translation-{word}>", f"</translation-{word}>"]
    side, numbers = "", {"S": 0, "T": 0}
    for line in block.splitlines():  # every kind of line end that there is
        if line in tags:
            side = {"<s": "S", "<t": "T"}.get(line[:2], "")
        elif side and line:
            numbers[side] += 1
            assert line.startswith(f"[{side}{numbers[side]}] ")
        else:
            assert not line
    assert [block.count(tag) for tag in tags] == [1, 1, 1, 1]
    json.dumps(block).encode()
    block.encode()


@given(hostile)
def test_sendable_keeps_positions(text: str) -> None:
    assert len(sendable(text)) == len(text)
    assert "\n" not in on_one_line(text)
    sendable(text).encode()


def test_a_text_that_holds_the_word_gets_another() -> None:
    first = word_not_in("a", "b")
    assert word_not_in("a", "b") == first
    assert word_not_in("a" + first, "b") != first


# --- Translations ---------------------------------------------------------------------------------------------


def article(prompt: str) -> Article:
    return Article("1", "Text $text 一。", "zh-en", prompt=prompt)


def test_the_data_sets_prompt_is_used_where_it_holds_the_text() -> None:
    assert render_translation(article("翻译：\nText $text 一。\n"), BUILT_IN) == "翻译：\nText $text 一。\n"
    for prompt in ("", "翻译：\n"):
        assert render_translation(article(prompt), BUILT_IN).endswith(
            "publish it. Give the translation only.\n\nText $text 一。"
        )
    own = Prompts.of("mine", {"translation": "Put into $target_language: $text"})
    assert render_translation(article("翻译：\nText $text 一。\n"), own) == "Put into English: Text $text 一。"


@pytest.mark.parametrize(
    ("said", "translation"),
    [
        ("  A text.\n", "A text."),
        ("<think>\nHm.\n</think>\n\nA text.", "A text."),
        ("Hm, let me see.\n</think>\nA text.", "A text."),
        ("A text on <think>tags</think> and more.", "A text on <think>tags</think> and more."),
        ("```\\u4e00```", "```\\u4e00```"),
    ],
)
def test_reading_a_translation(said: str, translation: str) -> None:
    reading = read_translation(said, False)
    assert (reading.value, reading.outcome) == (translation, "ok")
    assert read_translation(said, True).outcome == "truncated"


@pytest.mark.parametrize("said", ["", " \n", "<think>and on and on", "<think>x</think>\n"])
def test_no_translation(said: str) -> None:
    assert read_translation(said, False).outcome == "unparsable"
