"""The tie-neutral gate: what it computes, and that noise does not pass it."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.agreement.pairs import PairCounts, tally
from judges.audited.gate import ALPHA, NO_ORDER, NO_SCORE, SEEN, confidence_of, gate

Table = Any
"""Scores of articles × systems."""


@st.composite
def tables(draw: st.DrawFn, most: int = 10) -> tuple[Table, Table, Table]:
    """People, a standard and a candidate: with ties, and some scores missing."""
    articles, systems = draw(st.integers(1, most)), draw(st.integers(1, 5))
    score = st.sampled_from([0.0, 5.0, 10.0, 15.0, math.nan])
    size = articles * systems
    rows = [draw(st.lists(score, min_size=size, max_size=size)) for _ in range(3)]
    human, standard, candidate = (np.array(row).reshape(articles, systems) for row in rows)
    return human, standard, candidate


def plainly(human: Table, standard: Table, candidate: Table, attempt: int) -> tuple[Any, ...]:
    """Gain and ends by a plain loop over pairs and over all subsets, in exact fractions; infinite where undefined."""
    x: list[Any] = []
    w: list[Any] = []
    for h, s, c in zip(human, standard, candidate, strict=True):
        gained, pairs = Fraction(0), 0
        for i, j in combinations(range(len(h)), 2):
            if not np.isfinite([h[i], h[j], s[i], s[j], c[i], c[j]]).all() or h[i] == h[j]:
                continue
            sign = 1 if h[i] > h[j] else -1
            pairs += 1
            for metric, by in ((c, 1), (s, -1)):
                right = sign * (metric[i] - metric[j])
                gained += by * (Fraction(1) if right > 0 else Fraction(1, 2) if right == 0 else Fraction(0))
        if pairs:
            x.append(gained)
            w.append(pairs)
    if not w:
        return ()
    lows: list[Any] = []
    highs: list[Any] = []
    for chosen in product((0, 1), repeat=len(w)):
        above, below = (sum(a * b for a, b in zip(chosen, each, strict=True)) for each in (x, w))
        gain = Fraction(above) / below if below else None
        lows.append(-math.inf if gain is None else gain)
        highs.append(math.inf if gain is None else gain)
    beyond = math.floor(Fraction(1, 20) / (attempt * (attempt + 1)) * len(lows))
    return Fraction(sum(x)) / sum(w), sorted(lows)[beyond], sorted(highs)[-1 - beyond]


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 3))
def test_it_is_what_a_plain_loop_over_all_subsets_gives(three: tuple[Table, Table, Table], attempt: int) -> None:
    found, wanted = gate(*three, attempt), plainly(*three, attempt)
    if not wanted:
        assert (found.n, found.gain, found.low, found.adopted) == (0, None, None, False)
        assert found.why
        return
    assert found.gain == pytest.approx(float(wanted[0]))
    for end, by_hand in zip((found.low, found.high), wanted[1:], strict=True):
        if math.isinf(by_hand):
            assert end is None
            assert "it takes" in found.why
        else:
            assert end == pytest.approx(float(by_hand))
    assert found.adopted == (wanted[1] > 0)
    assert found.n + sum(found.left_out.values()) == len(three[0])
    human, *metrics = (np.where(np.isfinite(three).all(axis=0), each, np.nan).T for each in three)
    for value, metric in zip((found.standard, found.candidate), metrics, strict=True):
        assert value == pytest.approx(PairCounts.of(tally(human, metric)).rule("c_index").value)


@settings(max_examples=60, deadline=None)
@given(tables(24), st.randoms(use_true_random=False), st.integers(-40, 40))
def test_neither_order_nor_constants_matter_and_exchanging_the_two_negates_it(
    three: tuple[Table, Table, Table], chance: Any, constant: int
) -> None:
    human, standard, candidate = three
    found = gate(human, standard, candidate)
    rows, columns = list(range(len(human))), list(range(human.shape[1]))
    chance.shuffle(rows)
    chance.shuffle(columns)
    assert gate(*(each[rows][:, columns] for each in three)) == found
    assert gate(human + constant, standard - constant, candidate + 0.1) == found
    turned = gate(human, candidate, standard)
    assert (turned.standard, turned.candidate) == (found.candidate, found.standard)
    if found.gain:
        assert turned.gain == -found.gain
        if found.low is not None and found.high is not None:
            assert (turned.low, turned.high) == (-found.high, -found.low)
    assert not (turned.adopted and found.adopted)
    alone = gate(human, standard, standard)
    assert (alone.gain or 0, alone.low or 0, alone.high or 0, alone.adopted) == (0, 0, 0, False)


def test_what_does_not_count_is_told() -> None:
    human = np.array([[1.0, 2], [1, 1], [1, math.nan], [1, 2]])
    metric = np.array([[1.0, 2], [1, 2], [1, 2], [2, 1]])
    found = gate(human, metric, metric, seen=np.array([False, False, False, True]))
    assert (found.n, found.pairs) == (1, 1)
    assert found.left_out == {SEEN: 1, NO_SCORE: 1, NO_ORDER: 1}
    assert (found.standard, found.candidate, found.gain, found.low) == (1, 1, 0, None)
    assert found.why == "it takes 6 articles at least to show anything at this attempt, and 1 count"
    for wrong in ((human, metric[:2], metric), (human[0], metric[0], metric[0])):
        with pytest.raises(ValueError, match="same articles"):
            gate(*wrong)
    with pytest.raises(ValueError, match="attempt"):
        gate(human, metric, metric, 0)


def test_it_takes_six_articles_and_more_after_every_attempt() -> None:
    """With all articles for the candidate the chance of that is 2^-n."""
    fewest = []
    for attempt in (1, 2, 3, 10):
        for n in range(1, 20):
            human = np.tile([1.0, 2.0], (n, 1))
            found = gate(human, -human, human, attempt)
            assert (found.gain, found.adopted) == (1, found.low is not None)
            if found.adopted:
                fewest.append(n)
                break
    assert fewest == [6, 7, 8, 12]


def test_all_attempts_together_err_no_more_than_one_may() -> None:
    assert confidence_of(1) == 0.95
    assert sum((1 - confidence_of(attempt)) / 2 for attempt in range(1, 10_000)) == pytest.approx(ALPHA, abs=1e-5)


def test_it_says_how_many_articles_such_a_gain_would_take() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(30, 4))
    found = gate(human, human + rng.normal(0, 1.2, human.shape), human + rng.normal(0, 1, human.shape))
    assert found.low is not None
    assert found.gain is not None
    assert found.low < 0 < found.gain
    assert found.needed == math.ceil(30 * ((found.gain - found.low) / found.gain) ** 2)
    assert gate(human, human + rng.normal(0, 3, human.shape), human).needed is None


def test_noise_does_not_pass_and_a_better_metric_does() -> None:
    rng = np.random.default_rng(4)
    passed = {"ties": 0, "noise": 0, "equal": 0, "better": 0}
    rounds = 300
    for _ in range(rounds):
        truth = rng.normal(0, 10, (12, 5))
        human, standard, equal = (np.round((truth + rng.normal(0, 8, truth.shape)) / 5) * 5 for _ in range(3))
        tried = {
            "ties": standard + rng.normal(0, 0.01, truth.shape),
            "noise": standard + rng.normal(0, 5, truth.shape),
            "equal": equal,
            "better": truth,
        }
        for name, candidate in tried.items():
            passed[name] += gate(human, standard, candidate).adopted
    assert max(passed["ties"], passed["noise"], passed["equal"]) <= 0.05 * rounds
    assert passed["better"] >= 0.2 * rounds
