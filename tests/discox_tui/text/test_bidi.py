"""Vowel signs are shown, and nothing moves: neither on terminals that give them a cell nor on those that do not."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from discox_tui.text.bidi import as_written, with_marks
from discox_tui.text.safe import display
from tests.conftest import Command
from tests.support.terminal import running

HINDI, TAMIL, KHMER, BURMESE = "हिंदी में अनुवाद", "பொருள்", "ភាសាខ្មែរ", "မြန်မာစာ ကြို"
SPACING = [
    chr(code)
    for code in range(0x110000)
    if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) == "Mc" and cell_len(chr(code)) == 0
]
written = st.lists(st.sampled_from([*HINDI, *TAMIL, *KHMER, *BURMESE, "a", "文", " ", "e\u0301"]), max_size=30).map(
    "".join
)


def screen(output: str, width_of_mark: int) -> list[str]:
    """The cells of one row after a terminal was given ``output``; a wide character has an empty cell behind it."""
    cells: list[str] = []
    x = saved = 0
    ends = iter(output)
    for character in ends:
        if character == "\b":
            x -= 1
        elif character == "\x1b":
            match next(ends):
                case "7":
                    saved = x
                case "8":
                    x = saved
        else:
            width = width_of_mark if unicodedata.category(character) == "Mc" else cell_len(character)
            if width == 0:
                if x:
                    cells[x - 1 - (cells[x - 1] == "")] += character
                continue
            cells[x : x + width] = [character, *[""] * (width - 1)]
            x += width
    return cells


@given(written)
def test_everything_else_stands_where_it_would_on_any_terminal(text: str) -> None:
    shown = display(text)
    places = [cell_len(shown[:i]) for i in range(len(shown))]
    for width in (0, 1):
        cells = screen(as_written(shown), width)
        assert len(cells) == cell_len(shown)
        for place, character in zip(places, text, strict=True):
            if unicodedata.category(character)[0] != "M":
                assert cells[place][0] == character


@given(written)
def test_a_terminal_that_joins_marks_joins_them_to_their_letter(text: str) -> None:
    cells = screen(as_written(display("क" + text)), 0)
    assert "".join(cells).replace(" ", "") == ("क" + text).replace(" ", "")


@pytest.mark.parametrize("text", [HINDI, TAMIL, KHMER, BURMESE])
def test_what_stands_for_a_mark_is_turned_back(text: str) -> None:
    shown = display(text)
    assert len(shown) == len(text)
    assert display(shown) == shown
    assert with_marks(shown) == text
    assert cell_len(shown) == len(text) - sum(unicodedata.category(c) == "Mn" for c in text)


def test_every_spacing_mark_has_a_stand_in_of_one_cell() -> None:
    stand_ins = [display(mark) for mark in SPACING]
    assert len(set(stand_ins)) == len(SPACING) > 400
    assert {cell_len(each) for each in stand_ins} == {1}
    assert [with_marks(each) for each in stand_ins] == SPACING


@pytest.mark.parametrize("text", ["plain", "中文 e\u0301 \U0010fffd \U000f0000 \U00100000", "\U00100930"])
def test_what_stands_for_nothing_is_left_alone(text: str) -> None:
    assert as_written(text) == with_marks(text) == text


def pairs(path: Path) -> Path:
    path.write_text(
        "article,system,source,translation,direction\n"
        f'1,हिंदी-मॉडल,"The minister said that the river is clean, and went home.",{HINDI} {HINDI} {HINDI},en-hi\n',
        encoding="utf-8",
    )
    return path


def test_the_app_shows_them(discox: Command, tmp_path: Path) -> None:
    library = tmp_path / "a.db"
    assert discox("import", "--db", library, pairs(tmp_path / "pairs.csv")).code == 0
    with running(library, size=(100, 30)) as terminal:
        terminal.until("1 evaluation")
        terminal.send("\r")
        terminal.until("The minister")
        written = bytes(terminal.output).decode()
        terminal.send("q")
        assert terminal.end() == 0
    assert "ह \x1b7\bिं\x1b8द \x1b7\bी\x1b8" in written
    assert not any(ord(character) >= 0xF0000 for character in written)


@pytest.mark.parametrize("command", [("list",), ("leaderboard",), ("consistency",), ("plan",)])
def test_commands_print_them(discox: Command, tmp_path: Path, command: tuple[str, ...]) -> None:
    library = tmp_path / "a.db"
    discox("import", "--db", library, pairs(tmp_path / "pairs.csv"))
    printed = discox(*command, "--db", library).out
    assert not any(ord(character) >= 0xF0000 for character in printed)
    assert "हिंदी" in printed or command != ("list",)
