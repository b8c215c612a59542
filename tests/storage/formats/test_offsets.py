"""Offsets of other tools: each kind against a slow and obvious reading of its rule, and there and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from storage.formats.base.offsets import (
    REASONS,
    Appraise,
    AppraiseShown,
    CodePoints,
    LabelStudio,
    Pearmut,
    Quotes,
    Range,
    Tokens,
    Units,
    Xcomet,
)

ODD = (
    "a",
    "B",
    " ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\u2028",
    "\u0085",
    "\0",
    "\ufeff",
    "\u0301",
    "e\u0301",
    "译",
    "。",
    "😀",
)
ODDER = ("👩‍👩‍👧", "𠮷", "&amp;", "\x1c", "\u3000", "\ue000", "\uffff", "\u202e", "<v>", "\ud83d")
texts = st.lists(st.one_of(st.sampled_from(ODD + ODDER), st.characters()), max_size=14).map("".join)


@st.composite
def placed(draw: st.DrawFn) -> tuple[str, int, int]:
    text = draw(texts)
    start = draw(st.integers(0, len(text)))
    return text, start, draw(st.integers(start, len(text)))


def width(char: str) -> int:
    """UTF-16 units of a code point."""
    return len(char.encode("utf-16-le", "surrogatepass")) // 2


JS_BLANK = re.compile(r"[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")


def shown(text: str) -> list[int]:
    """The indices of the code points that a browser's trim leaves."""
    kept = [i for i, char in enumerate(text) if not JS_BLANK.match(char)]
    return list(range(kept[0], kept[-1] + 1)) if kept else []


def code_points(text: str) -> list[Range]:
    return [(i, i + 1) for i in range(len(text))]


def utf16(text: str) -> list[Range]:
    return [(i, i + 1) for i, char in enumerate(text) for _ in range(width(char))]


def old_pearmut(text: str) -> list[Range]:
    return [(i, i + 1) for i, char in enumerate(text) if char != "\n" for _ in range(width(char))]


def appraise(text: str) -> list[Range]:
    return [(i, i + 1) for i in shown(text) for _ in range(width(text[i]))]


KINDS: dict[str, tuple[Callable[[str], Units], Callable[[str], list[Range]], int]] = {
    "mt-metrics-eval": (CodePoints, code_points, 0),
    "xcomet": (Xcomet, code_points, 0),
    "pearmut": (Pearmut, utf16, 1),
    "older pearmut": (partial(Pearmut, lf=False), old_pearmut, 1),
    "appraise": (Appraise, appraise, 1),
    "label studio": (LabelStudio, code_points, 0),
}
kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
@given(texts)
@example("")
@example("\r\n\r\n")
@example(" \n 😀\r\n\n😀 ")
def test_every_place_of_the_tools_is_what_the_rule_says(kind: str, text: str) -> None:
    build, oracle, inclusive = KINDS[kind]
    units, expected = build(text), oracle(text)
    assert len(units) == len(expected)
    for start in range(len(expected)):
        for after in range(start + 1, len(expected) + 1):
            covered = expected[start:after]
            place = units.to_ours(start, after - inclusive)
            assert place == (min(a for a, _ in covered), max(b for _, b in covered))


@given(placed())
def test_code_points_are_ours(case: tuple[str, int, int]) -> None:
    text, start, end = case
    assert CodePoints(text).to_ours(start, end) == (start, end)
    assert CodePoints(text).to_ours(start, end, text[start:end]) == (start, end)


@kinds
@pytest.mark.parametrize(
    ("start", "end", "reason"),
    [
        (-1, 2, "negative"),
        (0, -1, "negative"),
        (2, 1, "reversed"),
        (0, 9, "past_end"),
        (99, 99, "past_end"),
        ("missing", "missing", "missing"),
        (0, "missing", "missing"),
        (None, 1, "not_a_number"),
        (0, 1.5, "not_a_number"),
        (0, float("nan"), "not_a_number"),
        (0, float("inf"), "not_a_number"),
        (True, 1, "not_a_number"),
        ("", "x", "not_a_number"),
        ("--1", "²", "not_a_number"),
        ([0], {}, "not_a_number"),
    ],
)
def test_what_cannot_be_placed_says_why(kind: str, start: object, end: object, reason: str) -> None:
    units = KINDS[kind][0]("abcde")
    assert units.to_ours(start, end) is None
    assert units.reason(start, end) == reason
    assert reason in REASONS


@kinds
def test_numbers_may_come_as_text_or_floats(kind: str) -> None:
    units = KINDS[kind][0]("abcde")
    assert units.to_ours("1", 2.0) == units.to_ours(1, 2)
    assert units.reason(1, 2) is None


@pytest.mark.parametrize("build", [Pearmut, Appraise])
def test_half_a_pair_is_snapped_outward(build: Callable[[str], Units]) -> None:
    assert build("x😀y").to_ours(2, 2) == (1, 2)
    assert build("x😀y").to_ours(0, 1) == (0, 2)


def test_an_empty_place_needs_an_exclusive_end() -> None:
    assert CodePoints("ab").to_ours(2, 2) == (2, 2)
    assert LabelStudio(" ab ").to_ours(2, 2) == (2, 2)
    assert Pearmut("ab").to_ours(1, 1) == Appraise("ab").to_ours(1, 1) == (1, 2)


def test_older_pearmut_counts_no_line_feed_and_has_one_index_for_missing() -> None:
    text = "a\nb😀"
    units = Pearmut(text, lf=False)
    assert units.to_ours(0, 1) == (0, 3)
    assert units.missing == (4, 4)
    assert units.to_ours(*units.missing) is None
    assert units.reason(*units.missing) == "missing"
    assert units.to_ours(1, 4) == (2, 4)  # runs into [missing]
    assert units.reason(4, 5) == "past_end"
    assert Pearmut("").reason(0, 0) == "missing"
    assert Pearmut("a\r\nb", lf=False).to_ours(1, 2) == (1, 4)  # a carriage return is counted


def test_appraise_counts_a_break_as_one_where_it_is_said() -> None:
    text = " a<br>😀<br/>b<i> "
    units = Appraise(text, breaks=True)
    assert [text[slice(*(units.to_ours(k, k) or (0, 0)))] for k in range(len(units))] == [
        "a", "<br>", "😀", "😀", "<br/>", "b", "<", "i", ">"
    ]  # fmt: skip
    assert len(Appraise(text)) == len(text.strip()) + 1


def test_appraise_counts_what_is_shown_since_it_shows_differences() -> None:
    text = " <p class='x'>a&amp;b\n<!-- c -->c</p><BR />1 < 2 &x; &#x1F600;d\n"
    units = AppraiseShown(text)
    held = [text[slice(*(units.to_ours(k, k) or (0, 0)))] for k in range(len(units))]
    assert held == ["a", "&amp;", "b", "c", "1", " ", "<", " ", "2", " ", *"&x; ", "&#x1F600;", "&#x1F600;", "d"]


@given(st.lists(st.sampled_from(["<br>", "\n", "a", "😀", "</br >"]), max_size=9))
def test_the_tool_s_own_way_past_line_ends_is_gone(parts: list[str]) -> None:
    """By the rule as the tool applies it: a line end counts if what is at its index, of all, is a <br>."""
    text = "x" + "".join(parts) + "y"
    every = [part for part in ["x", *parts, "y"] for _ in range(2 if part == "😀" else 1)]
    index, expected = 0, []
    for part in every:
        is_end = part == "\n" or part.startswith("<")
        if not is_end or (index < len(every) and every[index].startswith("<")):
            expected.append(part)
            index += 1
    units = AppraiseShown(text)
    assert [text[slice(*(units.to_ours(k, k) or (0, 0)))] for k in range(len(units))] == expected


def test_appraise_trims_and_counts_line_ends() -> None:
    assert Appraise("\ufeff \n a\nb \n").to_ours(1, 2) == (5, 7)
    assert Appraise("a").reason(*Appraise.missing) == "missing"
    assert Appraise("  ").reason(0, 0) == "past_end"


def test_label_studio_counts_as_we_do() -> None:
    text = " 😀\r\nb\rc &amp; d"
    units = LabelStudio(text)
    assert units.to_ours(1, 2) == units.to_ours(1, 2, "😀") == (1, 2)
    assert units.to_ours(4, 7, "b\nc") == units.to_ours(4, 7, "b\\nc") == (4, 7)


@pytest.mark.parametrize(
    ("text", "start", "end", "quote", "place"),
    [
        ("  one 😀 two", 7, 10, "two", (8, 11)),  # UTF-16 of the trimmed text
        ("  one 😀 two", 9, 12, "two", (8, 11)),  # UTF-16
        ("  one two", 4, 7, "two", (6, 9)),  # trimmed
        ("a\r\nb two", 4, 7, "two", (5, 8)),  # CRLF as one
        (" a\r\nb\rc &amp; d", 2, 5, "b\\nc", (4, 7)),
        ("😀 two", 2, 5, "two", (2, 5)),
        ("  one two two", 6, 9, "two", (6, 9)),  # the usual reading goes first
    ],
)
def test_label_studios_quote_decides_between_versions(
    text: str, start: int, end: int, quote: str, place: Range
) -> None:
    assert LabelStudio(text).to_ours(start, end, quote) == place


@kinds
def test_a_place_that_holds_other_words_is_refused(kind: str) -> None:
    units = KINDS[kind][0]("one two")
    last = 3 - KINDS[kind][2]
    assert units.to_ours(0, last, "one") == (0, 3)
    assert units.to_ours(0, last, " ONE") == (0, 3)
    assert units.to_ours(0, last, "two") is None
    assert units.reason(0, last, "two") == "other_text"


@pytest.mark.parametrize(
    ("mt", "start", "end", "quote", "place"),
    [
        ("He is here", 2, 5, "is", (3, 5)),
        ("He is here", 2, 6, "is", (3, 5)),
        ("He is here", 2, 5, " is", (2, 5)),
        ("He is here", 3, 5, "is", (3, 5)),
        ("is is", 2, 5, "is", (3, 5)),
        ("说，好", 1, 2, ",", (1, 2)),  # the tokenizer's form of the comma
        ("a \u3000b", 1, 3, "", (3, 3)),
        ("", 0, 0, "", (0, 0)),
    ],
)
def test_xcomet_is_trimmed_to_its_quote(mt: str, start: int, end: int, quote: str, place: Range) -> None:
    assert Xcomet(mt).to_ours(start, end, quote) == place


@given(st.lists(texts, max_size=8))
def test_tokens_cover_what_they_say(tokens: list[str]) -> None:
    text = "".join(tokens)
    units = Tokens(text, tokens)
    assert len(units) == len(tokens)
    for first in range(len(tokens)):
        for last in range(first, len(tokens)):
            start = len("".join(tokens[:first]))
            assert units.to_ours(first, last) == (start, start + len("".join(tokens[first : last + 1])))


def test_tokens_may_differ_in_blanks_only() -> None:
    tokens = ["One", " ", "two", "\u00a0 ", "three", " "]
    units = Tokens("One  two three", tokens)
    assert units.to_ours(2, 2) == (5, 8)
    assert units.to_ours(4, 4) == (9, 14)
    assert units.to_ours(4, 5) == (9, 14)  # the trailing blank was stripped
    assert units.reason(0, 6) == "past_end"
    other = Tokens("One three", tokens)
    assert other.to_ours(0, 1) == (0, 4)
    assert other.reason(0, 2) == "other_text"
    assert other.reason(0, 6) == "past_end"
    assert Tokens("", []).reason(0, 0) == "past_end"


@given(placed())
@example(("aaa", 1, 3))
@example(("the he", 1, 3))
def test_a_quotation_comes_back_to_its_place(case: tuple[str, int, int]) -> None:
    text, start, end = case
    quote = text[start:end]
    literal = [i for i in range(len(text)) if text.startswith(quote, i)]
    if quote:
        assert Quotes(text).to_ours(quote, occurrence=literal.index(start) + 1) == (start, end)


def test_quotes_are_found_in_any_case_and_never_by_first_match() -> None:
    quotes = Quotes("He said STOP twice. Then She said Stop at the gate.")
    assert quotes.to_ours("she SAID") == (25, 33)
    assert quotes.reason("stop") == "ambiguous"
    assert quotes.to_ours("stop", context="said stop at the gate") == (34, 38)
    assert quotes.to_ours("stop", occurrence=2) == (34, 38)
    assert quotes.reason("stop", occurrence=3) == "ambiguous"
    assert quotes.reason("stop", occurrence=0) == "ambiguous"
    assert quotes.reason("stop", context="not there") == "ambiguous"
    assert quotes.reason("go") == "not_found"
    assert quotes.reason("go", occurrence=1) == "not_found"
    assert quotes.reason(" \n") == "blank"
    assert quotes.reason("") == "blank"
    assert Quotes("").reason("a") == "not_found"
