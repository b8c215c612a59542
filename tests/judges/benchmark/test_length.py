"""Characters, words and tokens: what each counts, in any language, and near the published figures."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.benchmark.checks.length import UNITS, length, tokens, words
from tests.conftest import SHARED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        (" \n\t ", 0),
        ("…—!?", 0),
        ("Don't count well-known words twice.", 5),
        ("It grew 3.5 percent in 2024.", 6),
        ("港口的红灯亮了。", 7),
        ("用 Python 写的", 4),
        ("हिन्दी में लिखा", 3),
        ("می‌خواهم بروم", 2),
        ("한국어 문장이다", 2),
        ("snake_case", 2),
    ],
)
def test_words_are_those_of_word_processors(text: str, expected: int) -> None:
    assert words(text) == expected


def test_a_token_is_a_short_word_a_piece_of_a_long_one_or_a_mark() -> None:
    assert tokens("The cat sat.") == 4
    assert tokens("internationalization") == 3
    assert tokens("123456") == 2
    assert tokens("港口的红灯亮了") == round(7 * 0.75)


@given(st.text(), st.text())
def test_lengths_add_up_over_paragraphs(one: str, other: str) -> None:
    for unit in UNITS:
        alone = length(one, unit) + length(other, unit)
        # A line end is a character and at most a token of its own; fractions are rounded once instead of twice.
        assert alone - 1 <= length(f"{one}\n{other}", unit) <= alone + 2


def test_the_real_articles_are_as_long_as_published() -> None:
    path = SHARED / "data" / "discox" / "DISCOX-filtered.json"
    if not path.exists():
        pytest.skip("the real data set is not here")
    texts = [one["ori_text"] for one in json.loads(path.read_text(encoding="utf-8"))]
    lengths = [length(text, "characters") for text in texts]
    assert (min(lengths), max(lengths)) == (1021, 15566)
    assert sum(map(tokens, texts)) / len(texts) == pytest.approx(1712, rel=0.02)
