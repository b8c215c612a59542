"""Rows hold all of a text once, fit, and end where a typesetter would end them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.text.widths import widths
from discox_tui.text.wrapping import Rows, Typeset, lines
from judges.grounding import paragraphs

mixed = st.text(
    st.sampled_from(
        "中文字。，、；：！？“”‘’（）《》「」…—·あっー\u3000￥😀\r\u2028"
        'abcdefg hij  k, l. (m) n-o/p 12,345.67% é\u0301\n\u00a0"$'
    ),
    max_size=200,
)
width = st.integers(1, 40)
NO_START = "。，、；：！？）》」”’…·,.)!?%っー"
NO_END = "“‘（《「($￥"


def shown(text: str, cells: int) -> list[str]:
    typeset = Typeset(text)
    rows = typeset.rows(cells)
    return [typeset.shown[start:stop] for start, stop in zip(rows.starts, rows.stops, strict=True)]


def spans(typeset: Typeset, rows: Rows) -> list[tuple[int, int]]:
    """The whole of each row, hanging spaces too."""
    return [
        (start, typeset.paragraphs[paragraph].end if row + 1 == rows.first[paragraph + 1] else rows.starts[row + 1])
        for paragraph in range(len(typeset.paragraphs))
        for row, start in enumerate(rows.starts)
        if rows.first[paragraph] <= row < rows.first[paragraph + 1]
    ]


@given(mixed, width)
def test_rows_partition_the_paragraphs(text: str, cells: int) -> None:
    typeset = Typeset(text)
    rows = typeset.rows(cells)
    covered = [offset for start, end in spans(typeset, rows) for offset in range(start, end)]
    assert covered == [offset for p in typeset.paragraphs for offset in range(p.start, p.end)]
    for (start, end), stop in zip(spans(typeset, rows), rows.stops, strict=True):
        assert start <= stop <= end
        assert not typeset.shown[stop:end].strip()


@given(mixed, width, st.sampled_from([1, 2]))
def test_no_row_is_wider_than_the_width(text: str, cells: int, ambiguous: int) -> None:
    typeset = Typeset(text, ambiguous=2 if ambiguous == 2 else 1)
    rows = typeset.rows(cells)
    for start, stop in zip(rows.starts, rows.stops, strict=True):
        row = typeset.shown[start:stop]
        table = widths(2 if ambiguous == 2 else 1)
        assert table.of(row) <= cells or table.of(row) == table.of(row[:1])


@given(mixed, width)
def test_what_may_not_begin_or_end_a_row_does_so_only_in_a_run_too_long_for_one(text: str, cells: int) -> None:
    typeset = Typeset(text)
    rows = typeset.rows(cells)
    first = set(rows.first)
    for row, start in enumerate(rows.starts):
        if row in first or start == 0:
            continue
        if typeset.shown[start] in NO_START or typeset.shown[start - 1] in NO_END:
            # then the row before was cut where it was full: it ends within a cell of the width
            before = typeset.shown[rows.starts[row - 1] : start]
            assert widths().of(before) >= cells - 1


@given(mixed, width, width)
def test_wrapping_again_gives_the_same(text: str, one: int, other: int) -> None:
    typeset = Typeset(text)
    rows = typeset.rows(one)
    typeset.rows(other)
    assert typeset.rows(one) == rows == Typeset(text).rows(one)


@given(mixed, width)
def test_a_row_is_found_from_any_offset_in_it(text: str, cells: int) -> None:
    typeset = Typeset(text)
    rows = typeset.rows(cells)
    for row, (start, end) in enumerate(spans(typeset, rows)):
        assert all(rows.at(offset) == row for offset in range(start, end))


@pytest.mark.parametrize(
    ("text", "cells", "rows"),
    [
        ("国家金融监督管理总局。", 10, ["国家金融监", "督管理总", "局。"]),
        ("依照《银行业监督管理法》", 6, ["依照", "《银行", "业监督", "管理", "法》"]),
        ("他说：“好。”然后走了", 7, ["他说：", "“好。”", "然后走", "了"]),
        ("他来了——真的", 8, ["他来了——", "真的"]),
        ("他来了——真的", 7, ["他来了", "——真的"]),
        ("约翰·史密斯", 5, ["约翰·", "史密", "斯"]),
        ("价格为￥100。", 8, ["价格为", "￥100。"]),
        ("3,000元", 5, ["3,000", "元"]),
        ("用Python写", 6, ["用", "Python", "写"]),
        ("he said “well” and don’t", 9, ["he said", "“well”", "and don’t"]),
        ("word—another", 8, ["word—", "another"]),
        ("a well-known fact", 7, ["a well-", "known", "fact"]),
        ("x (see 1) y", 7, ["x (see", "1) y"]),
        ("one  two", 3, ["one", "two"]),
        ("incomprehensibilities", 8, ["incompre", "hensibil", "ities"]),
        ("中", 1, ["中"]),
    ],
)
def test_where_rows_end(text: str, cells: int, rows: list[str]) -> None:
    assert shown(text, cells) == rows


def test_paragraphs_are_the_lines_that_are_not_blank() -> None:
    text = "one\r\n\n  \n\u3000二\nthree"
    assert [text[p.start : p.end] for p in lines(text)] == ["one", "\u3000二", "three"]
    assert lines(" " * 100_000) == []


def test_a_long_paragraph_without_a_break_is_still_cut() -> None:
    assert {len(row) for row in shown("x" * 10_000, 40)} == {40}


@given(mixed)
def test_paragraphs_are_numbered_as_the_grounding_numbers_them(text: str) -> None:
    ours, theirs = lines(text), paragraphs(text)
    assert len(ours) == len(theirs)
    assert all(own.start <= other.start and other.end <= own.end for own, other in zip(ours, theirs, strict=True))
