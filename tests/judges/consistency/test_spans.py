"""Agreement of marked spans: worked cases, scipy's assignment as oracle, WMT's scripts as plain loops."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from judges.consistency.spans import CREDITS, ErrorSpan, Overlap, assign, char_f1, span_match, total
from tests.conftest import SHARED

CASES = SHARED / "cases" / "agreement" / "cases.json"


def spans(rows):
    return [ErrorSpan("translation", *row) for row in rows]


def prf(overlap):
    return {"p": overlap.precision.value, "r": overlap.recall.value, "f1": overlap.f1.value}


def computed_matches(given):
    gold, predicted = spans(given["gold"]), spans(given["pred"])
    names = {"em": "exact", "mp": "overlap", "mpp": "partial"}
    return {name: prf(span_match(gold, predicted, credit)) for name, credit in names.items()}


def computed_characters(given):
    gold, predicted = spans(given["gold"]), spans(given["pred"])
    counted = char_f1(gold, predicted, "wmt23")
    return {
        "wmt23": prf(counted) if counted.f1.value is not None else None,
        # WMT 2025's script prints 1 for a share of nothing, which is undefined here.
        "wmt25": {k: 1 if v is None else v for k, v in prf(char_f1(gold, predicted, "wmt25")).items()},
    }


COMPUTED = {"span_match": computed_matches, "char_f1": computed_characters}


def worked_cases():
    if not CASES.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="the worked cases are not on this machine"))]
    cases = json.loads(CASES.read_text("utf-8"))
    return [pytest.param(case, id=case["id"]) for case in cases if case["stat"] in COMPUTED]


@pytest.mark.parametrize("case", worked_cases())
def test_worked_case(case):
    ours = COMPUTED[case["stat"]](case["input"])
    for name, expected in case["expected"].items():
        if name in ours:
            assert ours[name] == (None if expected is None else pytest.approx(expected, abs=1e-12)), name


some_spans = st.lists(
    st.builds(
        lambda side, start, length, severity: ErrorSpan(side, start, start + length, severity),
        st.sampled_from(["source", "translation"]),
        st.integers(0, 12),
        st.integers(0, 8),
        st.sampled_from(["minor", "major", "critical"]),
    ),
    max_size=7,
)


@given(
    st.tuples(st.integers(0, 7), st.integers(0, 7)).flatmap(
        lambda shape: st.lists(
            st.lists(st.one_of(st.integers(-3, 3).map(float), st.floats(-2, 2)), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        ).map(lambda rows: np.array(rows, dtype=float).reshape(shape))
    )
)
def test_the_assignment_is_as_good_as_scipys(worth):
    pairs = assign(worth)
    assert len(pairs) == len({i for i, _ in pairs}) == len({j for _, j in pairs}) == min(worth.shape)
    rows, columns = linear_sum_assignment(worth, maximize=True)
    assert sum(worth[i, j] for i, j in pairs) == pytest.approx(worth[rows, columns].sum(), abs=1e-9)


def test_the_assignment_of_many_is_as_good_as_scipys():
    worth = np.random.default_rng(1).random((120, 90))
    rows, columns = linear_sum_assignment(worth, maximize=True)
    assert sum(worth[i, j] for i, j in assign(worth)) == pytest.approx(worth[rows, columns].sum())


@given(some_spans, some_spans)
def test_matching_is_fair_to_both_sides(gold, predicted):
    for credit in CREDITS:
        forward, backward = span_match(gold, predicted, credit), span_match(predicted, gold, credit)
        assert 0 <= forward.found <= forward.predicted
        assert 0 <= forward.recalled <= forward.gold
        assert forward.documents == 1
        if credit != "partial":  # of several best matchings, partial credit may take another
            assert forward.found == pytest.approx(backward.recalled)
    exact, overlap = span_match(gold, predicted, "exact"), span_match(gold, predicted, "overlap")
    assert exact.found <= overlap.found + 1e-9
    for credit in CREDITS:
        itself = span_match(gold, gold, credit)
        assert itself.f1.value == (pytest.approx(1) if gold else None)
        assert itself.empty == (not gold)


@given(some_spans, some_spans)
def test_sides_never_match(gold, predicted):
    gold = [ErrorSpan("source", s.start, s.end, s.severity) for s in gold]
    predicted = [ErrorSpan("translation", s.start, s.end, s.severity) for s in predicted]
    for overlap in (
        *(span_match(gold, predicted, credit) for credit in CREDITS),
        char_f1(gold, predicted, "wmt23"),
        char_f1(gold, predicted, "wmt25"),
    ):
        assert (overlap.found, overlap.recalled) == (0, 0)


@given(some_spans, some_spans)
def test_character_f1_is_a_loop_over_characters(gold, predicted):
    def counts(marked, side, severity):
        found = np.zeros(30, dtype=int)
        for span in marked:
            if (span.side, span.severity) == (side, severity):
                found[span.start : span.end] += 1
        return found

    sums = {"wmt23": np.zeros(3), "wmt25": np.zeros(3)}
    for side in ("source", "translation"):
        g = np.stack([counts(gold, side, severity) for severity in ("minor", "major", "critical")])
        p = np.stack([counts(predicted, side, severity) for severity in ("minor", "major", "critical")])
        same = np.minimum(g, p).sum(axis=0)
        left = np.minimum(g.sum(axis=0), p.sum(axis=0)) - same
        sums["wmt25"] += (same + left / 2).sum(), p.sum(), g.sum()
        marked = (g.sum(axis=0) > 0) & (p.sum(axis=0) > 0)
        sums["wmt23"] += (
            (marked * np.where(same > 0, 1, 0.5)).sum(),
            (p.sum(axis=0) > 0).sum(),
            (g.sum(axis=0) > 0).sum(),
        )
    for counting, (both, in_predicted, in_gold) in sums.items():
        overlap = char_f1(gold, predicted, counting)
        assert (overlap.found, overlap.predicted, overlap.gold) == (both, in_predicted, in_gold)


def test_another_severity_is_worth_half():
    gold, predicted = spans([[0, 4, "major"]]), spans([[0, 4, "minor"]])
    assert [span_match(gold, predicted, credit).f1.value for credit in CREDITS] == [0.5, 0.5, 0.5]


def test_an_omission_matches_only_its_place():
    place, same, wide = spans([[5, 5, "major"]]), spans([[5, 5, "major"]]), spans([[3, 8, "major"]])
    assert span_match(place, same).f1.value == 1
    assert span_match(place, wide, "overlap").f1.value == 0


def test_documents_add_up_and_empty_ones_are_counted():
    nothing = span_match([], [])
    assert (nothing.f1.value, nothing.empty) == (None, 1)
    assert nothing.f1.why
    missed = span_match(spans([[0, 4, "major"]]), [])
    assert (missed.precision.value, missed.recall.value, missed.f1.value) == (None, 0, 0)
    hit = span_match(spans([[0, 4, "major"]]), spans([[0, 4, "major"]]))
    whole = total([nothing, missed, hit])
    assert (whole.documents, whole.empty) == (3, 1)
    assert (whole.precision.value, whole.recall.value, whole.f1.value) == (1, 0.5, pytest.approx(2 / 3))
    assert total([]) == Overlap()
