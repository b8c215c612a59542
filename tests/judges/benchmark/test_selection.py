"""Selection: quotas add up, the balance is honest, rates say of what, experts agree as the textbooks say."""

import json
from collections import Counter
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judges.benchmark.selection.difficulty_filter import STATES
from judges.benchmark.selection.selection import (
    DECISIONS,
    NONE_ACCEPTED,
    NONE_BY_BOTH,
    CandidateState,
    Experts,
    Outcome,
    Quota,
    Shared,
    balance,
    discox,
    experts,
    quotas_from_json,
    quotas_to_json,
    rates,
)
from judges.stats.figure import Figure
from judges.stats.kappa import gwet_ac1, krippendorff_alpha, weighted_kappa
from tests.conftest import SHARED

standings = st.builds(
    CandidateState,
    st.sampled_from(["zh-en", "en-zh", "de-fr"]),
    st.sampled_from(["law", "Law", "news", ""]),
    st.sampled_from(["contracts", ""]),
    st.none() | st.sampled_from(STATES),
    st.sampled_from(get_args(Outcome)),
    st.sampled_from([1, 2, 3]),
)
quotas = st.builds(
    Quota,
    st.integers(0, 50),
    st.sampled_from(["", "zh-en"]),
    st.sampled_from(["", "law"]),
    st.sampled_from(["", "contracts"]),
)


def accepted(n: int, **of: str) -> list[CandidateState]:
    return [CandidateState(**{"direction": "zh-en", "outcome": "accepted", **of})] * n  # type: ignore[arg-type]


def test_discox_is_what_was_published() -> None:
    preset = discox()
    assert sum(one.wanted for one in preset) == 200
    by_direction, by_domain = Counter[str](), Counter[tuple[str, str]]()
    for one in preset:
        by_direction[one.direction] += one.wanted
        by_domain[one.domain, one.subdomain] += one.wanted
    assert by_direction == {"zh-en": 100, "en-zh": 100}
    assert sorted(by_domain.values()) == sorted([38, 35, 28, 20, 37, 28, 14])


def test_discox_fills_its_own_quotas() -> None:
    path = SHARED / "data" / "discox" / "DISCOX-filtered.json"
    if not path.exists():
        pytest.skip("the real data set is not here")
    rows = json.loads(path.read_text(encoding="utf-8"))
    real = [
        CandidateState(
            "zh-en" if sum("\u4e00" <= letter <= "\u9fff" for letter in row["ori_text"]) > 500 else "en-zh",
            row["Primary_Domain"],
            row["Secondary_Domain"],
            outcome="accepted",
        )
        for row in rows
    ]
    found = balance(discox(), real)
    assert found.distance.value == 0
    assert all(one.accepted == one.quota.wanted for one in (*found.quotas, found.outside))


@given(st.integers(0, 2000), st.lists(st.sampled_from(["zh-en", "en-zh", "de-fr", "ja-ko"]), min_size=1))
def test_scaled_quotas_add_up_and_stay_near_their_share(articles: int, directions: list[str]) -> None:
    preset = discox(articles, directions)
    assert sum(one.wanted for one in preset) == articles
    whole = discox(100_000, directions)
    for one, other in zip(preset, whole, strict=True):
        assert abs(one.wanted - other.wanted * articles / 100_000) < 1.1
    by_direction = Counter[str]()
    for one in preset:
        by_direction[one.direction] += one.wanted
    assert max(by_direction.values()) - min(by_direction.values()) <= 7


def test_a_candidate_counts_for_the_narrowest_quota() -> None:
    asked = [Quota(10), Quota(3, domain="law"), Quota(2, "zh-en", "law")]
    found = balance(asked, [*accepted(1), *accepted(2, domain="Law "), *accepted(4, domain="law", direction="en-zh")])
    assert [one.accepted for one in found.quotas] == [1, 4, 2]
    assert [one.short for one in found.quotas] == [9, 0, 0]
    assert [one.over for one in found.quotas] == [0, 1, 0]
    assert found.outside.accepted == 0


def test_what_is_open_and_what_has_to_be_looked_for() -> None:
    candidates = [
        *accepted(1, domain="law"),
        CandidateState("zh-en", "law"),
        CandidateState("zh-en", "law", difficulty="waiting"),
        CandidateState("zh-en", "law", outcome="differ"),
        CandidateState("zh-en", "law", difficulty="easy"),
        CandidateState("zh-en", "law", outcome="rejected"),
        CandidateState("zh-en", "news", outcome="accepted"),
    ]
    (law,) = balance([Quota(6, domain="law")], candidates).quotas
    assert (law.accepted, law.open, law.short, law.lacking) == (1, 3, 5, 2)
    assert balance([Quota(6, domain="law")], candidates).outside.accepted == 1


def test_the_distance_is_the_share_of_another_kind() -> None:
    asked = [Quota(50, domain="law"), Quota(50, domain="news")]
    assert balance(asked, accepted(4, domain="law")).distance == Figure(0.5, 4)
    assert balance(asked, [*accepted(1, domain="law"), *accepted(1, domain="news")]).distance == Figure(0.0, 2)
    assert balance(asked, accepted(3, domain="sport")).distance == Figure(1.0, 3)
    assert balance(asked, []).distance == Figure(None, 0, NONE_ACCEPTED)


@given(st.lists(quotas), st.lists(standings))
def test_every_candidate_is_counted_once(asked: list[Quota], candidates: list[CandidateState]) -> None:
    found = balance(asked, candidates)
    everywhere = (*found.quotas, found.outside)
    assert sum(one.accepted for one in everywhere) == sum(one.outcome == "accepted" for one in candidates)
    assert sum(one.open for one in everywhere) == sum(one.is_open for one in candidates)
    assert found.distance.value is None or 0 <= found.distance.value <= 1
    assert (found.distance.value is None) == bool(found.distance.why)


@given(st.lists(quotas))
def test_quotas_come_back_from_json(asked: list[Quota]) -> None:
    assert quotas_from_json(json.loads(json.dumps(quotas_to_json(asked)))) == tuple(asked)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "a list"),
        ({"quotas": "law"}, "a list"),
        ({"quotas": [{"wanted": 1}, {"domain": "law"}]}, "quota 2"),
        ({"quotas": [{"wanted": -1}]}, "from 0"),
        ({"quotas": [{"wanted": True}]}, "from 0"),
        ({"quotas": [{"wanted": 1, "domian": "law"}]}, "domian"),
        ({"quotas": [{"wanted": 1, "domain": 3}]}, "domain"),
    ],
)
def test_what_is_no_quota_is_named(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        quotas_from_json(wrong)


def test_rates_of_a_small_build() -> None:
    candidates = [
        *accepted(3, difficulty="stays"),
        CandidateState("zh-en", difficulty="stays", outcome="rejected"),
        *[CandidateState("zh-en", difficulty="easy")] * 4,
        CandidateState("zh-en", difficulty="cannot_pass"),
        CandidateState("zh-en", difficulty="judge_failed"),
        CandidateState("zh-en", outcome="rejected", stage=1),
        CandidateState("zh-en"),
    ]
    found = rates(candidates)
    assert (found.filter.value, found.filter.n) == (4 / 9, 9)
    assert (found.selection.value, found.selection.n) == (3 / 4, 4)
    assert (found.overall.value, found.overall.n) == (3 / 10, 10)
    assert (found.added, found.open) == (12, 2)
    assert found.overall.interval is not None
    assert found.overall.interval.ends == pytest.approx((0.1078, 0.6032), abs=1e-4)


@given(st.lists(standings))
@example([CandidateState("zh-en", "law", "contracts", None, "rejected", 1)] * 7)
def test_rates_are_shares_or_say_why_not(candidates: list[CandidateState]) -> None:
    found = rates(candidates)
    for one in (found.filter, found.selection, found.overall):
        assert (one.value is None) == (one.n == 0) == bool(one.why)
        if one.value is not None:
            assert one.interval is not None
            low, high = one.interval.ends or (1, 0)
            assert 0 <= low <= one.value <= high <= 1
    assert found.overall.n + found.open == found.added == len(candidates)


def overlap(*said: str, people: tuple[str, str] = ("an", "bo")) -> list[Shared]:
    """Candidates as two people decided: "aa" both accept, "ar" the second rejects, "-r" the first has not decided."""
    words = {"a": "accept", "r": "reject"}
    return [
        Shared(
            str(i), people, {name: words[letter] for name, letter in zip(people, each, strict=True) if letter in words}
        )  # type: ignore[misc]
        for i, each in enumerate(said)
    ]


def one(shared: list[Shared]) -> Experts:
    (found,) = experts(shared)
    return found


def test_agreement_is_over_what_both_decided_and_says_what_is_left_out() -> None:
    found = one(overlap(*["aa"] * 6, *["rr"] * 3, "ar", "ra", "a-", "-r", "-r", "--"))
    assert found.people == ("an", "bo")
    assert (found.overlap, found.left_out, found.differ) == (15, (1, 2, 1), ("9", "10"))
    table = [[6, 1], [1, 3]]
    agreement = found.agreement
    assert {each.n for each in (agreement.observed, agreement.kappa, agreement.ac1, agreement.alpha)} == {11}
    assert agreement.observed.value == pytest.approx(9 / 11)
    assert agreement.kappa.value == pytest.approx(weighted_kappa(table))
    assert agreement.ac1.value == pytest.approx(gwet_ac1(table))
    ratings = [[0] * 6 + [1] * 3 + [0, 1], [0] * 6 + [1] * 3 + [1, 0]]
    assert agreement.alpha.value == pytest.approx(krippendorff_alpha(ratings).value)
    for each in (agreement.observed, agreement.kappa, agreement.ac1, agreement.alpha):
        assert each.interval is not None
        low, high = each.interval.ends or (1, 0)
        assert each.value is not None
        assert low < each.value < high


def test_agreement_is_undefined_where_it_is() -> None:
    nothing = one(overlap("a-", "-r")).agreement
    assert [
        (each.value, each.n, each.why) for each in (nothing.observed, nothing.kappa, nothing.ac1, nothing.alpha)
    ] == [(None, 0, NONE_BY_BOTH)] * 4
    alike = one(overlap("aa", "aa", "aa")).agreement
    assert (alike.observed.value, alike.ac1.value) == (1, 1)
    assert alike.observed.interval is not None
    assert alike.observed.interval.ends == pytest.approx((0.4385, 1), abs=1e-4)
    assert (alike.kappa.value, alike.alpha.value) == (None, None)
    assert alike.kappa.why == alike.alpha.why != ""


def test_only_those_who_share_candidates_are_compared() -> None:
    found = experts([*overlap("aa"), *overlap("rr", people=("bo", "cy")), Shared("x", ("di",), {"di": "accept"})])
    assert [each.people for each in found] == [("an", "bo"), ("bo", "cy")]
    assert experts([]) == []


@given(st.lists(st.tuples(st.sampled_from("ar-"), st.sampled_from("ar-")), min_size=1, max_size=30))
def test_agreement_is_symmetric_and_complete(said: list[tuple[str, str]]) -> None:
    forth = one(overlap(*map("".join, said)))
    back = one(overlap(*("".join(reversed(each)) for each in said)))
    assert forth.agreement.observed.n + sum(forth.left_out) == forth.overlap == len(said)
    assert back.left_out == (forth.left_out[1], forth.left_out[0], forth.left_out[2])
    assert back.differ == forth.differ
    for name in ("observed", "kappa", "ac1", "alpha"):
        a, b = getattr(forth.agreement, name), getattr(back.agreement, name)
        assert (a.value is None) == (b.value is None) == bool(a.why)
        if a.value is not None:
            assert a.value == pytest.approx(b.value)
    assert len(DECISIONS) == 2
