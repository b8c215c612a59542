"""Near duplicates: what is nearly the same is found, whatever its script; what is not is left alone."""

import json
import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.benchmark.checks.near_duplicates import NearDuplicate, near_duplicates
from tests.conftest import SHARED

ENGLISH = [
    a + b + c for a in ("ba", "stra", "mi", "clo", "tu") for b in ("n", "ve", "rd", "ll") for c in ("e", "ing", "o")
]


def article(seed: int, paragraphs: int = 6) -> list[str]:
    """A made-up article of one script, by paragraphs."""
    chance = random.Random(seed)
    if seed % 2:
        return ["".join(chr(0x4E00 + chance.randrange(3000)) for _ in range(120)) + "。" for _ in range(paragraphs)]
    return [" ".join(chance.choice(ENGLISH) for _ in range(60)) + "." for _ in range(paragraphs)]


def pairs(found: Iterable[NearDuplicate]) -> set[tuple[int, int]]:
    return {(one.first, one.second) for one in found}


@given(st.integers(0, 10_000), st.integers(0, 5))
def test_a_text_with_a_changed_paragraph_is_found(seed: int, changed: int) -> None:
    original = article(seed)
    other = list(original)
    other[changed] = article(seed + 2)[0]
    (found,) = near_duplicates(["\n".join(original), "\n".join(article(seed + 4)), "\n".join(other)])
    assert (found.first, found.second, found.in_against) == (0, 2, False)
    assert 0.7 < found.containment < 0.9
    assert found.similarity < found.containment


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=5, unique=True))
def test_unrelated_texts_are_not(seeds: list[int]) -> None:
    assert near_duplicates(["\n".join(article(seed)) for seed in seeds]) == []


@given(st.lists(st.text(), max_size=5), st.lists(st.text(), max_size=5))
def test_it_is_symmetric_and_holds_for_any_text(texts: list[str], against: list[str]) -> None:
    forth, back = near_duplicates(texts, against), near_duplicates(against, texts)
    figures = [{(x.first, x.second, x.similarity, x.containment) for x in forth if x.in_against}]
    figures.append({(x.second, x.first, x.similarity, x.containment) for x in back if x.in_against})
    assert figures[0] == figures[1]
    for one in (*forth, *back):
        assert 0 < one.similarity <= one.containment <= 1
    turned = near_duplicates(list(reversed(texts)))
    last = len(texts) - 1
    assert {(last - x.second, last - x.first) for x in turned} == pairs(x for x in forth if not x.in_against)


@given(st.text(min_size=1).filter(lambda text: any(map(str.isalnum, text))))
def test_a_text_is_wholly_like_itself(text: str) -> None:
    (found,) = near_duplicates([text], [f"  {text}\n"])
    assert (found.similarity, found.containment) == (1, 1)


def test_a_part_is_contained_and_case_width_and_marks_do_not_matter() -> None:
    text = article(2)
    (found,) = near_duplicates(["\n".join(text)], [text[3].upper().replace(" ", "  — ")])
    assert found.containment == 1
    assert found.similarity < 0.3
    assert near_duplicates(["ＡＢＣ，港口的红灯"], ["abc 港口的红灯"])[0].similarity == 1


def test_a_sample_of_many_shingles_finds_the_same_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["\n".join(article(seed)) for seed in range(20)]
    texts += ["\n".join([*article(seed)[:4], *article(seed + 50)[:2]]) for seed in range(20)]
    whole = near_duplicates(texts)
    assert len(whole) == 20
    monkeypatch.setattr("judges.benchmark.checks.near_duplicates.AT_ONCE", 4_000)
    assert near_duplicates(texts) == whole


def test_none_of_the_real_articles_is_near_another() -> None:
    path = SHARED / "data" / "discox" / "DISCOX-filtered.json"
    if not path.exists():
        pytest.skip("the real data set is not here")
    texts = [one["ori_text"] for one in json.loads(path.read_text(encoding="utf-8"))]
    assert near_duplicates(texts, least=0.1) == []
    (found,) = near_duplicates(["\n\n".join(texts[7].split("\n\n")[1:])], texts)
    assert found.second == 7
