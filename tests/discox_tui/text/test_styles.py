"""Every stretch of text has the look of the marks on it, found without asking them all."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from discox_tui.text.styles import Looks, Mark, rank

TEXT = "ab\ncd efgh ijkl mnop"
marks = st.builds(
    Mark,
    key=st.sampled_from("abc"),
    start=st.integers(-2, 24),
    end=st.integers(-2, 24),
    severity=st.sampled_from([None, "minor", "violated", "major", "critical", "extremely_critical"]),
    approximate=st.booleans(),
    weak=st.booleans(),
    dropped=st.booleans(),
)


@given(st.lists(marks, max_size=12), st.integers(0, 19), st.integers(1, 20))
def test_looks_are_those_of_the_marks_there(found: list[Mark], start: int, length: int) -> None:
    looks = Looks(found, TEXT)
    end = min(start + length, len(TEXT))
    pieces = list(looks.runs(start, end))
    assert [offset for left, right, _ in pieces for offset in range(left, right)] == list(range(start, end))
    for left, right, look in pieces:
        for offset in range(left, right):
            here = [mark for (begin, stop), mark in looks.spans() if begin <= offset < stop]
            assert sorted(map(hash, here)) == sorted(map(hash, looks.at(offset)))
            assert (look is None) == (not here)
            if look is None:
                continue
            counting = [mark for mark in here if not (mark.weak or mark.dropped)]
            assert look.overlap == (len({mark.key for mark in counting}) > 1)
            assert look.dropped == all(mark.dropped for mark in here)
            if counting:
                assert rank(look.severity) == max(rank(mark.severity) for mark in counting)
                assert not look.weak


@given(st.lists(marks, max_size=12))
def test_every_mark_lights_something_within_the_text(found: list[Mark]) -> None:
    for start, end in Looks(found, TEXT).extents:
        assert 0 <= start < end <= len(TEXT)


@given(st.lists(marks, max_size=12), st.integers(0, 20), st.integers(0, 20))
def test_what_begins_where(found: list[Mark], start: int, end: int) -> None:
    looks = Looks(found, TEXT)
    begun = [mark for (begin, _), mark in looks.spans() if start <= begin < end]
    assert sorted(map(hash, looks.beginning(start, end))) == sorted(map(hash, begun))


@given(st.lists(marks, max_size=12), st.sampled_from("abc"), st.booleans(), st.integers(0, 3))
def test_other_marks_of_one_finding_are_as_if_all_were_given_anew(
    found: list[Mark], key: str, dropped: bool, moved: int
) -> None:
    now = [
        replace(mark, dropped=dropped, severity="major", start=mark.start + moved) if mark.key == key else mark
        for mark in found
    ]
    before = Looks(found, TEXT)
    after = before.replaced(key, [mark for mark in now if mark.key == key])
    if after is None:
        assert moved
        return
    anew = Looks(now, TEXT)
    assert list(after.spans()) == list(anew.spans())
    assert list(after.runs(0, len(TEXT))) == list(anew.runs(0, len(TEXT)))
    assert [mark for _, mark in before.spans()] == found
