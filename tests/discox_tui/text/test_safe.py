"""What people see of a text can be obeyed by no terminal, and is as wide as everybody thinks."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from discox_tui.text.safe import display, safe
from discox_tui.text.widths import widths

anything = st.text(st.characters(codec=None), max_size=60)  # lone surrogates too
hostile = st.text(
    st.sampled_from("a中\x00\x1b\x9b\x07\t\n\r\x7f\u202e\u2066\u2028\ud800\ufffe\U0001f468\u200d\ufe0f\u0301")
)


@given(anything | hostile)
@example("\x1b]52;c;aGk=\x07\x9b2J")
def test_safe_holds_offsets_and_settles(text: str) -> None:
    once = safe(text)
    assert len(once) == len(text)
    assert safe(once) == once
    assert all(before == after or before not in "abc中 😀é" for before, after in zip(text, once, strict=True))


@given(anything | hostile)
def test_nothing_a_terminal_obeys_or_cannot_encode_is_left(text: str) -> None:
    for shown in (safe(text), display(text)):
        shown.encode()
        assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in shown)
        assert not any(
            unicodedata.bidirectional(c) in ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
            for c in shown
        )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "␛[31m"),
        ("a\tb\nc", "a b␊c"),
        ("\x7f\x00", "␡␀"),
        ("\x9b\u2028\ud800\uffff", "\ufffd" * 4),
        ("\u200fא\u202e\u2066", "␣א␣␣"),
        ("[/] [@click=app.quit]x[/]", "[/] [@click=app.quit]x[/]"),
    ],
)
def test_what_stands_for_what(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_line_feeds_stay_where_lines_are_wanted() -> None:
    assert safe("a\r\nb", multiline=True) == "a␍\nb"
    assert display("a\nb", multiline=True) == "a\nb"


@given(anything | hostile)
def test_display_is_one_for_one_and_as_wide_as_its_characters(text: str) -> None:
    shown = display(text)
    assert len(shown) == len(text)
    assert display(shown) == shown
    assert cell_len(shown) == sum(cell_len(character) for character in shown) == widths().of(shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("👨\u200d👩\u200d👧", "👨 👩 👧"),
        ("👍🏽", "👍 "),
        ("❤\ufe0f", "❤ "),
        ("🇨🇳", "CN"),
        ("co\u00adop", "co-op"),
        ("a\u200bb", "a␣b"),
        ("e\u0301", "e\u0301"),
        ("हि", "ह\U0010093f"),
    ],
)
def test_what_terminals_measure_differently_is_shown_as_what_they_do_not(text: str, shown: str) -> None:
    assert display(text) == shown


def test_only_marks_that_combine_take_no_cell() -> None:
    for code in range(0x110000):
        character = chr(code)
        shown = display(character) if not 0xD800 <= code < 0xE000 else "x"
        if widths()[shown] == 0:
            combines = unicodedata.category(shown) in ("Mn", "Me") or "HANGUL" in unicodedata.name(shown)
            combines |= shown == "\u200c"  # the non-joiner, which Persian spells with
            assert combines, hex(code)


def test_a_terminal_set_to_wide() -> None:
    narrow, wide = widths(1), widths(2)
    assert [narrow.of(character) for character in "“”—…中a"] == [1, 1, 1, 1, 2, 1]
    assert [wide.of(character) for character in "“”—…中a"] == [2, 2, 2, 2, 2, 1]
    assert list(wide.prefix_sums("“中a")) == [0, 2, 4, 5]
