"""Samples: in proportion, every stratum covered where it can be, the same from the same seed whatever the order."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.stats.sampling import BANDS, Stratum, allocate, assign_items, band, draw, queue_order

SIZES = st.dictionaries(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("xyz")), st.integers(0, 40), max_size=24)
SEEDS = st.integers(0, 2**32)


def items_of(sizes: dict[Stratum, int]) -> dict[str, Stratum]:
    return {f"{'-'.join(stratum)}-{i}": stratum for stratum, size in sizes.items() for i in range(size)}


def test_bands_cover_all_scores() -> None:
    names = [band(total) for total in range(101)]
    assert list(dict.fromkeys(names)) == [name for _, name in BANDS]
    for total in range(101):
        low, high = map(int, names[total].split("–"))
        assert low <= total <= high


@given(SIZES, st.integers(0, 1000), SEEDS)
def test_an_allocation_is_whole_and_within_what_there_is(sizes: dict[Stratum, int], n: int, seed: int) -> None:
    drawn = allocate(sizes, n, seed)
    assert sum(drawn.values()) == min(n, sum(sizes.values()))
    assert all(0 < count <= sizes[stratum] for stratum, count in drawn.items())
    strata = [stratum for stratum, size in sizes.items() if size]
    if n >= len(strata):
        assert set(drawn) == set(strata)
    assert drawn == allocate(dict(sorted(sizes.items(), reverse=True)), n, seed)


@given(SIZES, st.integers(1, 1000), SEEDS)
def test_an_allocation_is_in_proportion(sizes: dict[Stratum, int], n: int, seed: int) -> None:
    drawn, total = allocate(sizes, n, seed), sum(sizes.values())
    quotas = {stratum: size * n / total for stratum, size in sizes.items() if size}
    if n >= total:
        return
    if n < len(quotas) or min(quotas.values()) >= 1:
        assert all(abs(drawn.get(stratum, 0) - quota) < 1 for stratum, quota in quotas.items())
    large = sorted(quotas, key=lambda stratum: sizes[stratum])
    if n >= len(quotas):
        assert all(drawn[b] - drawn[a] >= -(sizes[a] == sizes[b]) for a, b in pairwise(large))


def test_the_largest_remainders_are_rounded_up() -> None:
    sizes = {("a",): 47, ("b",): 16, ("c",): 16, ("d",): 12, ("e",): 6, ("f",): 3}
    drawn = {tuple(allocate(sizes, 10, seed).values()) for seed in range(20)}
    assert drawn == {(4, 2, 1, 1, 1, 1), (4, 1, 2, 1, 1, 1)}
    assert allocate({("a",): 50, ("b",): 30, ("c",): 25}, 21, 1) == {("a",): 10, ("b",): 6, ("c",): 5}
    assert {tuple(allocate({("a",): 5, ("b",): 5}, 5, seed).values()) for seed in range(20)} == {(2, 3), (3, 2)}


def test_fewer_than_there_are_strata_hit_each_item_alike() -> None:
    items = items_of({(letter,): size for letter, size in zip("abcdefgh", (1, 2, 3, 1, 1, 9, 2, 1), strict=True)})
    hits = Counter(item for seed in range(4000) for item in draw(items, 3, seed))
    expected = 4000 * 3 / len(items)
    assert all(abs(hits[item] - expected) < 5 * expected**0.5 for item in items)


@given(SIZES, st.integers(0, 200), SEEDS, st.randoms(use_true_random=False))
def test_a_draw_does_not_depend_on_the_order_of_the_items(
    sizes: dict[Stratum, int], n: int, seed: int, mixer: random.Random
) -> None:
    items = items_of(sizes)
    drawn = draw(items, n, seed)
    assert len(drawn) == len(set(drawn)) == min(n, len(items))
    assert set(drawn) <= set(items)
    mixed = list(items.items())
    mixer.shuffle(mixed)
    assert draw(dict(mixed), n, seed) == drawn


def test_a_larger_draw_within_a_stratum_holds_the_smaller() -> None:
    items = items_of({("a",): 100})
    assert [draw(items, n, 7)[:20] for n in (20, 50, 100)] == [draw(items, 20, 7)] * 3
    assert draw(items, 20, 8) != draw(items, 20, 7)


TEAMS = st.integers(1, 6).map(lambda count: list("ABCDEF"[:count]))


@given(SIZES, TEAMS, st.data(), SEEDS)
def test_a_deal_gives_everything_out_evenly(
    sizes: dict[Stratum, int], team: list[str], data: st.DataObject, seed: int
) -> None:
    items = items_of(sizes)
    shared = data.draw(st.integers(0, len(items)))
    together = data.draw(st.integers(min(2, len(team)), len(team)))
    dealt = assign_items(items, team, shared, together, seed)
    alone = Counter(item for given in dealt.alone.values() for item in given)
    several = Counter(item for given in dealt.shared.values() for item in given)
    assert set(alone) | set(several) == set(items)
    assert set(alone).isdisjoint(several)
    assert len(several) == shared
    assert set(alone.values()) <= {1}
    assert set(several.values()) <= {together}
    loads = [len(dealt.alone[name]) + len(dealt.shared[name]) for name in team]
    assert max(loads) - min(loads) <= 1
    if together == len(team):
        for stratum in set(items.values()):
            of = [sum(items[i] == stratum for i in (*dealt.alone[name], *dealt.shared[name])) for name in team]
            assert max(of) - min(of) <= 1


def test_every_two_reviewers_share_as_many() -> None:
    items = items_of({("a",): 60, ("b",): 20})
    shared = assign_items(items, list("ABCDE"), 40, 2, 3).shared
    pairs = Counter(
        (one, two) for one in "ABCDE" for two in "ABCDE" if one < two for item in shared[one] if item in shared[two]
    )
    assert sum(pairs.values()) == 40
    assert max(pairs.values()) - min(pairs.values()) <= 2


@given(st.sets(st.text("abc", min_size=1, max_size=4)), st.data(), SEEDS)
def test_what_comes_again_comes_with_as_many_others_between_as_can_be(
    items: set[str], data: st.DataObject, seed: int
) -> None:
    again = data.draw(st.sets(st.sampled_from(sorted(items)))) if items else set()
    first, second = queue_order(items, again, seed, "ana")
    assert sorted(first) == sorted(items)
    assert sorted(second) == sorted(again)
    queue = first + second
    for item in again:
        one, two = (place for place, each in enumerate(queue) if each == item)
        assert two - one - 1 == len(items) - 1


@pytest.mark.parametrize("n", [1, 5, 12])
def test_the_seed_says_it_all(n: int) -> None:
    items = items_of({("a", "x"): 7, ("b", "y"): 9})
    assert draw(items, n, 11) == draw(items, n, 11)
    assert len({tuple(draw(items, n, seed)) for seed in range(30)}) > 5
