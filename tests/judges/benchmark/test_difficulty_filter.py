"""The difficulty filter: what stays, and that no judge's failure ever counts as a system's."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.benchmark.selection.difficulty_filter import DISCOX, STATES, Rule, Verdicts, decide

POINTS = range(1, 13)
numbers = st.frozensets(st.sampled_from(POINTS))
one_verdict = st.builds(Verdicts, numbers, numbers)
all_verdicts = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.none() | one_verdict)
rules = st.builds(
    Rule,
    st.none() | st.integers(1, 13),
    st.none() | st.floats(0.01, 1),
    st.just(True),
)


def state(rule: Rule, points: int, *failed: int | None) -> str:
    verdicts = {
        f"system {i}": None if n is None else Verdicts(frozenset(range(1, n + 1))) for i, n in enumerate(failed)
    }
    return decide(rule, range(1, points + 1), verdicts).state


@pytest.mark.parametrize(
    ("rule", "points", "failed", "expected"),
    [
        (DISCOX, 10, (8, 9), "stays"),
        (DISCOX, 10, (8, 7), "easy"),
        (DISCOX, 7, (7, 7), "cannot_pass"),
        (DISCOX, 7, (None, None), "cannot_pass"),
        (DISCOX, 10, (8, None), "waiting"),
        (DISCOX, 10, (7, None), "easy"),
        (DISCOX, 10, (), "waiting"),
        (DISCOX, 10, (9, 9, 7), "easy"),
        (Rule(min_share=0.7), 10, (7, 7), "stays"),
        (Rule(min_share=0.07), 100, (7, 7), "stays"),
        (Rule(min_share=0.7), 10, (7, 6), "easy"),
        (Rule(min_share=1), 0, (0, 0), "cannot_pass"),
        (Rule(every_fails_one=True), 3, (1, 1), "stays"),
        (Rule(every_fails_one=True), 3, (3, 0), "easy"),
        (Rule(every_fails_one=True), 0, (0, 0), "cannot_pass"),
        (Rule(min_failed=2, min_share=0.5), 10, (4, 5), "easy"),
        (Rule(min_failed=2, min_share=0.5), 10, (5, 5), "stays"),
    ],
)
def test_the_rule(rule: Rule, points: int, failed: tuple[int | None, ...], expected: str) -> None:
    assert state(rule, points, *failed) == expected


@pytest.mark.parametrize("wrong", [{}, {"min_failed": 0}, {"min_share": 0.0}, {"min_share": 1.5}])
def test_a_rule_that_asks_for_nothing_is_none(wrong: Mapping[str, float]) -> None:
    with pytest.raises(ValueError, match=r"point|share"):
        Rule(**wrong)  # type: ignore[arg-type]


def test_what_the_judge_did_not_say_counts_neither_way() -> None:
    enough, owed = Verdicts(frozenset(range(1, 9))), Verdicts(frozenset(range(1, 8)), frozenset({8, 9}))
    assert decide(DISCOX, POINTS, {"a": enough, "b": owed}).state == "judge_failed"
    assert decide(DISCOX, POINTS, {"a": enough, "b": owed.overruled({8: False})}).state == "stays"
    assert decide(DISCOX, POINTS, {"a": enough, "b": owed.overruled({8: True, 9: True})}).state == "easy"
    failed = Verdicts(frozenset(), frozenset(POINTS))
    assert decide(DISCOX, POINTS, {"a": enough, "b": failed}).state == "judge_failed"
    assert decide(DISCOX, POINTS, {"a": Verdicts(frozenset({1})), "b": failed}).state == "easy"


def test_points_that_all_or_none_fail_are_marked() -> None:
    found = decide(
        DISCOX, [1, 2, 3, 4], {"a": Verdicts(frozenset({1, 2})), "b": Verdicts(frozenset({1, 99}), frozenset({4}))}
    )
    assert [(one.number, one.by_all, one.by_none, one.failed_by) for one in found.points] == [
        (1, True, False, ("a", "b")),
        (2, False, False, ("a",)),
        (3, False, True, ()),
        (4, False, False, ()),
    ]
    assert found.failed == {"a": 2, "b": 1}
    assert found.needed == 8


@given(rules, all_verdicts)
def test_a_judges_failure_is_never_the_systems(rule: Rule, verdicts: dict[str, Verdicts | None]) -> None:
    """What is claimed holds however the missing verdicts turn out."""
    found = decide(rule, POINTS, verdicts)
    assert found.state in STATES
    for unknown_fails in (False, True):
        told = {
            system: Verdicts(frozenset(POINTS) if unknown_fails else frozenset())
            if said is None
            else Verdicts(said.failed | said.unknown if unknown_fails else said.failed)
            for system, said in verdicts.items()
        }
        turned = decide(rule, POINTS, told)
        if found.state in ("stays", "easy", "cannot_pass"):
            assert turned.state == found.state
        elif verdicts:
            assert turned.state == ("stays" if unknown_fails else "easy")
    assert all(each is None or each <= len(POINTS) for each in found.failed.values())


ORDER = {"easy": 0, "waiting": 1, "judge_failed": 1, "stays": 2}


@given(rules.filter(lambda rule: rule.needed(len(POINTS)) <= len(POINTS)), all_verdicts.filter(bool), st.data())
def test_overruling_follows_monotonically(
    rule: Rule, verdicts: dict[str, Verdicts | None], data: st.DataObject
) -> None:
    system = data.draw(st.sampled_from(sorted(verdicts)))
    said = verdicts[system]
    if said is None:
        return
    points = data.draw(st.sets(st.sampled_from(POINTS)))
    before = ORDER[decide(rule, POINTS, verdicts).state]
    failing = {**verdicts, system: said.overruled(dict.fromkeys(points, False))}
    meeting = {**verdicts, system: said.overruled(dict.fromkeys(points, True))}
    assert ORDER[decide(rule, POINTS, meeting).state] <= before <= ORDER[decide(rule, POINTS, failing).state]


@given(one_verdict, st.dictionaries(st.sampled_from(POINTS), st.booleans()))
def test_a_persons_word_stands_and_leaves_the_rest(said: Verdicts, says: dict[int, bool]) -> None:
    now = said.overruled(says)
    for point in POINTS:
        if point in says:
            assert (point in now.failed, point in now.unknown) == (not says[point], False)
        else:
            assert (point in now.failed, point in now.unknown) == (point in said.failed, point in said.unknown)


@given(rules, all_verdicts)
def test_why_is_said(rule: Rule, verdicts: dict[str, Verdicts | None]) -> None:
    found = decide(rule, POINTS, verdicts)
    assert found.why.endswith(".")
    assert [one.number for one in found.points] == list(POINTS)
