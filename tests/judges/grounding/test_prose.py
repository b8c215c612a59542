"""How judges phrase things: what must be lit in both texts, what may be, and nothing else.

The cases are data (``tests/data/grounding_prose.jsonl``): a pair of texts, then the findings on it. ``text@k`` is the
k-th occurrence of a string, from 1; without it the first. ``about`` says what is tried; ``case`` is a name of its own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from judges.grounding import Report, ground, prepare
from judges.grounding.documents import Documents
from judges.model import EXACT

LINES = (Path(__file__).parents[2] / "data" / "grounding_prose.jsonl").read_text("utf-8").splitlines()
ENTRIES = [json.loads(line) for line in LINES]
PAIRS = {each["pair"]: each for each in ENTRIES if "pair" in each}


@dataclass(frozen=True)
class Case:
    """One finding: an explanation, the places it means on either side, and those it may be taken to mean too."""

    case: str
    on: str
    explanation: str
    source: list[str] = field(default_factory=list)
    translation: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    hint: str = ""
    category: str = "错译"
    about: str = ""


CASES = [Case(**each) for each in ENTRIES if "pair" not in each]


@cache
def prepared(name: str) -> Documents:
    return prepare(PAIRS[name]["source"], PAIRS[name]["translation"], PAIRS[name]["direction"])


def place(text: str, marked: str) -> tuple[int, int]:
    wanted, _, number = marked.partition("@")
    start = -1
    for _ in range(int(number or 1)):
        start = text.index(wanted, start + 1)
    return start, start + len(wanted)


def occurs(text: str, marked: str) -> bool:
    wanted, _, number = marked.partition("@")
    return text.count(wanted) >= int(number or 1)


def characters(spans: list[tuple[int, int]]) -> set[int]:
    return {i for start, end in spans for i in range(start, end)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.case)
def test_lights_what_the_judge_means_and_nothing_else(case: Case) -> None:
    pair = prepared(case.on)
    [grounded] = ground(pair, [Report(case.explanation, case.hint, case.category)])
    for side in ("source", "translation"):
        text = pair.sides[side].text
        lit = [(s.start, s.end) for s in grounded.spans if s.side == side and s.lit]
        gold = [place(text, marked) for marked in getattr(case, side)]
        may = characters(gold) | characters([place(text, m) for m in case.allowed if occurs(text, m)])
        shown = [text[start:end] for start, end in lit]
        for start, end in gold:
            assert characters([(start, end)]) & characters(lit), f"{side} lacks {text[start:end]!r}, lit: {shown}"
        for start, end in lit:
            assert 2 * len(characters([(start, end)]) & may) >= end - start, f"{side} wrongly lit: {text[start:end]!r}"


def test_what_is_shown_as_certain_is_meant_and_there_is_enough_of_it() -> None:
    """A linguist forgives a place marked as approximate, not a certain one that is wrong: at least 99.5 % are right."""
    right = certain = 0
    for case in CASES:
        pair = prepared(case.on)
        [grounded] = ground(pair, [Report(case.explanation, case.hint, case.category)])
        for span in grounded.spans:
            if span.lit and span.confidence >= EXACT:
                text = pair.sides[span.side].text
                meant = [*getattr(case, span.side), *(m for m in case.allowed if occurs(text, m))]
                within = characters([place(text, m) for m in meant]) & characters([(span.start, span.end)])
                certain += 1
                right += 2 * len(within) >= span.end - span.start
    assert right >= 0.995 * certain
    assert certain >= 1.5 * len(CASES)
