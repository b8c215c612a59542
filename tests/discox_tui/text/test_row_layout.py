"""Aligned paragraphs face each other, nothing overlaps, and every line knows its text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from discox_tui.text.row_layout import Page, aligned_tops, stacked_tops
from discox_tui.text.wrapping import Typeset
from judges.model import Bead

counts = st.lists(st.integers(1, 9), max_size=12)


@st.composite
def aligned(draw: st.DrawFn) -> tuple[list[Bead], tuple[list[int], list[int]]]:
    """An alignment in order, and the rows of every paragraph."""
    beads, source, translation = [], 0, 0
    for a, b in draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)):
        beads.append(Bead(tuple(range(source, source + a)), tuple(range(translation, translation + b))))
        source, translation = source + a, translation + b
    rows = st.integers(1, 9)
    return beads, (
        draw(st.lists(rows, min_size=source, max_size=source + 2)),
        draw(st.lists(rows, min_size=translation, max_size=translation + 2)),
    )


@given(aligned())
def test_aligned_paragraphs_begin_on_the_same_line(case: tuple[list[Bead], tuple[list[int], list[int]]]) -> None:
    beads, rows = case
    tops, height = aligned_tops(beads, rows)
    for bead in beads:
        if bead.source and bead.translation:
            assert tops[0][bead.source[0]] == tops[1][bead.translation[0]]
    for side in (0, 1):
        assert len(tops[side]) == len(rows[side])
        ends = [top + count for top, count in zip(tops[side], rows[side], strict=True)]
        assert all(end < top for end, top in zip(ends, tops[side][1:], strict=False))
        assert all(end <= height for end in ends)


@given(counts)
def test_a_text_on_its_own_has_one_empty_line_between_paragraphs(rows: list[int]) -> None:
    tops, height = stacked_tops(rows)
    assert height == max(0, sum(rows) + len(rows) - 1)
    assert all(b - a == count + 1 for a, b, count in zip(tops, tops[1:], rows, strict=False))


@given(aligned(), st.lists(st.integers(0, 4), min_size=14, max_size=14))
def test_an_alignment_of_another_text_does_no_harm(
    case: tuple[list[Bead], tuple[list[int], list[int]]], rows: list[int]
) -> None:
    tops, _ = aligned_tops(case[0], (rows[:7], rows[7:]))
    assert all(list(side) == sorted(side) and len(side) == 7 for side in tops)


@given(st.text("ab 中。\n", max_size=80), st.integers(2, 9), st.integers(0, 3))
def test_lines_and_rows_and_offsets_agree(text: str, width: int, space: int) -> None:
    typeset = Typeset(text)
    rows = typeset.rows(width)
    tops, height = stacked_tops([count + space for count in rows.counts])
    page = Page(typeset, rows, tops, height)
    assert [row for line in range(-2, height + 3) if (row := page.row_on(line)) is not None] == list(
        range(len(rows.starts))
    )
    for row, start in enumerate(rows.starts):
        line = page.line_of(row)
        assert page.row_on(line) == row
        assert page.offset_from(line) == start
        assert page.lines_of(start, start + 1) == (line, line)
        cells = rows.stops[row] - start and typeset.cells[rows.stops[row]] - typeset.cells[start]
        assert [page.offset_in(row, cell) for cell in (-1, cells)] == [None, None]
        for cell in range(cells):
            offset = page.offset_in(row, cell)
            assert offset is not None
            assert typeset.cells[offset] <= typeset.cells[start] + cell < typeset.cells[offset + 1]
