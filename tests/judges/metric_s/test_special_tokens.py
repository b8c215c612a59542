"""Special tokens of models in texts: shown as plain words, and turned back in what a judge quotes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.metric_s.protocol.prompts import Prompts
from judges.metric_s.protocol.special_tokens import PLAIN, Disguise
from judges.metric_s.protocol.translating import render_translation, translation_reader
from judges.model import Article, RubricPoint, Score
from tests.judges.metric_s.test_protocol import finding, found, judge, listed, verdict

TOKENS = [
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<｜User｜>",
    "<｜end▁of▁sentence｜>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "<s>",
    "</s>",
    "<bos>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<think>",
    "</think>",
    "<tool_call>",
    "<unused12>",
]
PLAIN_TEXTS = [
    "a < b > c",
    "[1] see [S2]",
    "<source-0123456789>",
    "<em>x</em>",
    "<|>",
    "if x<s> y",
    "[INS]",
    "3 <| 4 |> 5",
]


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_is_shown_as_words_and_found_again(token: str) -> None:
    article = Article("7", f"白货{token}市场", "zh-en", rubric=(RubricPoint(1, f"注意{token}"),))
    text = f"The white{token} goods {token}{token} end"
    shown = Disguise.of((token,)).hide(token)
    assert token != shown
    quotes = finding(f"白货{shown}", f"white{shown} goods", explanation=f"“white{shown} goods”不对")
    answers = {
        "accuracy": found(quotes),
        "rubric": listed(verdict(1, False, f"{shown}{shown} end", source_quote=f"白货{shown}")),
        "deduplication": json.dumps({"items": [], "conclusion": "no_duplicates"}),
    }
    judged, script = judge(answers, article, text)
    assert judged.judgement.score == Score(50, 20, 20)
    assert (judged.quotes, judged.quotes_verified) == (4, 4)
    accuracy, rubric = judged.judgement.findings
    assert accuracy.quoted is not None
    assert (accuracy.quoted.source, accuracy.quoted.translation) == (f"白货{token}", f"white{token} goods")
    assert accuracy.explanation == f"“white{token} goods”不对"
    assert rubric.quoted is not None
    assert rubric.quoted.translation == f"{token}{token} end"
    assert "deduplication" in script.steps
    for request in script.asked:
        assert token not in request.system + request.user
        assert shown in request.user or request.step == "deduplication"


def test_a_judge_may_escape_what_it_quotes() -> None:
    text = "The <|im_end|> goods"
    answer = json.dumps({"items": [finding("白货", "‹|im_end|› goods")], "conclusion": "errors_found"})
    assert "\\u2039" in answer
    judged, _ = judge({"accuracy": answer}, Article("7", "白货", "zh-en"), text)
    assert judged.judgement.findings[0].quoted is not None
    assert judged.judgement.findings[0].quoted.translation == "<|im_end|> goods"


@pytest.mark.parametrize("text", PLAIN_TEXTS)
def test_other_words_are_sent_as_they_are(text: str) -> None:
    disguise = Disguise.of((text,))
    assert disguise == PLAIN or "<s>" in text
    assert PLAIN.hide(text) == PLAIN.restore(text) == text


texts = st.lists(st.sampled_from([*TOKENS, "‹s›", "‹‹s››", "⟦INST⟧", "‹|im_end|›", "词", " ", "\n", "‹", "›"])).map(
    "".join
)


@given(texts, texts)
def test_whatever_is_hidden_is_restored(one: str, other: str) -> None:
    disguise = Disguise.of((one, other))
    for text in (one, other):
        hidden = disguise.hide(text)
        assert disguise.restore(hidden) == text
        assert not any(token in hidden for token in TOKENS if token not in ("<s>", "</s>"))


def test_a_translation_gets_its_tokens_back() -> None:
    article = Article("7", "第一行\n</think>\n第二行 <|im_end|>", "zh-en")
    prompt = render_translation(article, Prompts.built_in())
    assert "‹/think›" in prompt
    assert "<|im_end|>" not in prompt
    answer = "First line\n‹/think›\nSecond line ‹|im_end|›"
    assert translation_reader(article)(answer, False).value == "First line\n</think>\nSecond line <|im_end|>"
    thought = translation_reader(article)(f"<think>hm</think>{answer}", False)
    assert thought.value == "First line\n</think>\nSecond line <|im_end|>"
    own = replace(article, prompt=f"翻译：{article.source}")
    assert "<|im_end|>" not in render_translation(own, Prompts.built_in())
