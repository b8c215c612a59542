"""The first and the last character of each range that is replaced, their neighbours, and rows to the cell."""

from __future__ import annotations

import pytest

from discox_tui.text.safe import display, safe
from discox_tui.text.wrapping import Rows, Typeset, lines

REPLACED = "\ufffd"
UNSEEN = "␣"


@pytest.mark.parametrize(
    ("codes", "shown"),
    [
        ([0x00], "␀"),
        ([0x1F], "␟"),
        ([0x7F], "␡"),
        ([0x09], " "),
        ([0x80, 0x9F, 0x2028, 0x2029, 0xD800, 0xDFFF, 0xFDD0, 0xFDEF], REPLACED),
        ([0xFFFE, 0xFFFF, 0x1FFFE, 0x1FFFF, 0x10FFFE, 0x10FFFF], REPLACED),
        ([0x061C, 0x200E, 0x200F, 0x202A, 0x202E, 0x2066, 0x2069], UNSEEN),
    ],
)
def test_what_is_never_let_through(codes: list[int], shown: str) -> None:
    for code in codes:
        assert safe(f"a{chr(code)}b") == display(f"a{chr(code)}b") == f"a{shown}b", hex(code)


def test_their_neighbours_are_let_through() -> None:
    codes = [0x20, 0x7E, 0xA0, 0x061B, 0x061D, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A]
    codes += [0xD7FF, 0xE000, 0xFDCF, 0xFDF0, 0xFFFD, 0x10000, 0x1FFFD, 0x20000, 0x10FFFD]
    for code in codes:
        assert safe(chr(code)) == chr(code), hex(code)


@pytest.mark.parametrize(
    ("codes", "shown"),
    [
        ([0x200D, 0xFE00, 0xFE0F, 0x1F3FB, 0x1F3FF], " "),
        ([0x034F, 0x1160, 0x180B, 0x180E, 0x180F, 0x3164, 0xFFA0, 0xE0001, 0xE0100, 0x200B, 0x2060], UNSEEN),
        ([0xAD], "-"),
        ([0x1F1E6], "A"),
        ([0x1F1FF], "Z"),
    ],
)
def test_what_terminals_disagree_on_is_shown_as_something_else(codes: list[int], shown: str) -> None:
    for code in codes:
        assert safe(chr(code)) == chr(code), hex(code)
        assert display(f"中{chr(code)}") == f"中{shown}", hex(code)


def test_their_neighbours_are_shown_as_they_are() -> None:
    for code in (0xAC, 0xAE, 0x0350, 0x034E, 0x200C, 0xFE10, 0xFDFF, 0x1F3FA, 0x1F400, 0x0301, 0x20DD, 0x11FF, 0x1F1E5):
        shown = display(f"中{chr(code)}")
        assert shown == f"中{chr(code)}" or (code == 0x1F1E5 and shown != "中@"), hex(code)


def test_a_line_feed_is_kept_only_where_lines_are_wanted() -> None:
    assert display("中\n文") == "中␊文"
    assert display("中\n文", multiline=True) == "中\n文"
    assert safe("\n\r", multiline=True) == "\n␍"


def rows(text: str, cells: int) -> list[str]:
    typeset = Typeset(text)
    found = typeset.rows(cells)
    return [typeset.shown[start:stop] for start, stop in zip(found.starts, found.stops, strict=True)]


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        ("他来了，Python写", 8, ["他来了，", "Python写"]),
        ("他来了。Python写", 13, ["他来了。", "Python写"]),
        ("他来了，—真的", 8, ["他来了，", "—真的"]),
        ("他来了，(见)", 8, ["他来了，", "(见)"]),
        ("中Python", 6, ["中", "Python"]),
        ("Python中", 6, ["Python", "中"]),
        ("(a)中文", 4, ["(a)", "中文"]),
        ("(a)《b》", 6, ["(a)", "《b》"]),
        ("e\u0301中", 2, ["e\u0301", "中"]),
        ("a-b中", 3, ["a-b", "中"]),
        ("aa\u00a0bb", 3, ["aa\u00a0", "bb"]),
        ("it's me", 4, ["it's", "me"]),
        ("one two", 6, ["one", "two"]),
        ("one two", 7, ["one two"]),
        ("one two ", 7, ["one two"]),
        ("one   two", 3, ["one", "two"]),
        ("中文", 3, ["中", "文"]),
        ("中文", 4, ["中文"]),
        ("中a", 1, ["中", "a"]),
        ("abc", 1, ["a", "b", "c"]),
        ("aa bb\ncc dd", 2, ["aa", "bb", "cc", "dd"]),
        ("aa bb\ncc dd", 4, ["aa", "bb", "cc", "dd"]),
        ("aaaa bb\ncc dd", 5, ["aaaa", "bb", "cc dd"]),
        ("x—yz ab", 4, ["x—yz", "ab"]),
        ("xxx—yz", 4, ["xxx—", "yz"]),
        ("and/or", 4, ["and/", "or"]),
        ("", 5, []),
    ],
)
def test_where_a_row_ends(text: str, cells: int, expected: list[str]) -> None:
    assert rows(text, cells) == expected


def test_rows_are_found_by_offset_and_by_paragraph() -> None:
    found = Rows([0, 5, 9], [4, 8, 12], [0, 2, 3])
    assert [found.at(offset) for offset in (-1, 0, 4, 5, 8, 9, 99)] == [0, 0, 0, 1, 1, 2, 2]
    assert [found.paragraph(row) for row in (0, 1, 2)] == [0, 0, 1]
    assert found.counts == [2, 1]


def test_spaces_at_the_end_of_a_row_hang() -> None:
    found = Typeset("one   two  ").rows(3)
    assert (found.starts, found.stops, found.first) == ([0, 6], [3, 9], [0, 2])
    found = Typeset("aa bb\n\ncc").rows(2)
    assert (found.starts, found.stops, found.first) == ([0, 3, 7], [2, 5, 9], [0, 2, 3])


def test_lines_are_those_that_hold_something() -> None:
    text = "a\r\n \n\r\n b\nc"
    assert [text[each.start : each.end] for each in lines(text)] == ["a", " b", "c"]
