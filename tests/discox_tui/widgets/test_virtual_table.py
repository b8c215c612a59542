"""The table draws what is on screen and nothing else, says what the user did, and shows any text literally."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Region

from discox_tui.core.themes import THEMES, VARIABLES, ansi_color, install
from discox_tui.text.columns import fit
from discox_tui.text.glyphs import CURRENT_MARK
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable, lay_out

COLUMNS = (
    Column("article", "Article", 10, flex=1, priority=9),
    Column("system", "System", 8, priority=5),
    Column("state", "State", 6, align="center", priority=1),
    Column("score", "Score", 7, align="right", priority=8),
)


@dataclass
class Evaluation:
    number: int
    text: str = ""
    score: int = 41


@dataclass
class Seen:
    """What ``cells`` was asked for and what the table said."""

    asked: list[int] = field(default_factory=list)
    said: list[tuple[str, object]] = field(default_factory=list)


class Host(App[None]):
    def __init__(self, count: int = 100, text: str = "法律 law", theme: str = "discox-dark") -> None:
        super().__init__(ansi_color=ansi_color())
        install(self, theme)
        self.seen = Seen()
        rows = [Evaluation(number, text) for number in range(count)]
        self.table: VirtualTable[Evaluation] = VirtualTable(
            COLUMNS, self.cells, key=lambda row: row.number, rows=rows, empty="No evaluations match the filter"
        )

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES

    def cells(self, row: Evaluation) -> tuple[Cell, ...]:
        self.seen.asked.append(row.number)
        return (f"{row.number} {row.text}", ("system B", "faint"), ("▴", "major"), str(row.score))

    def compose(self) -> ComposeResult:
        yield self.table

    def on_virtual_table_highlighted(self, message: VirtualTable.Highlighted) -> None:
        self.seen.said.append(("highlighted", message.index))

    def on_virtual_table_selected(self, message: VirtualTable.Selected) -> None:
        self.seen.said.append(("selected", message.index))

    def on_virtual_table_header_clicked(self, message: VirtualTable.HeaderClicked) -> None:
        self.seen.said.append(("header", message.key))

    def lines(self) -> list[str]:
        return [self.table.render_line(y).text for y in range(self.table.size.height)]


# --- layout and cutting: no screen needed ---


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=12),
    st.integers(0, 200),
)
def test_columns_never_overlap_and_fill_the_width(shapes: list[tuple[int, int, int]], width: int) -> None:
    columns = [Column(str(i), "", w, flex=f, priority=p) for i, (w, f, p) in enumerate(shapes)]
    slots = lay_out(columns, width)
    assert slots
    assert [slot.column for slot in slots] == sorted({slot.column for slot in slots})
    for one, other in pairwise(slots):
        assert one.x + one.width < other.x
    assert slots[-1].x + slots[-1].width <= width
    if len(slots) > 1:
        assert all(slot.width >= columns[slot.column].width for slot in slots)
    if any(columns[slot.column].flex for slot in slots):
        assert slots[-1].x + slots[-1].width == width


def test_the_least_important_columns_go_first() -> None:
    def shown(width: int) -> list[str]:
        return [COLUMNS[slot.column].key for slot in lay_out(COLUMNS, width)]

    assert shown(80) == ["article", "system", "state", "score"]
    assert shown(36) == ["article", "system", "score"]
    assert shown(20) == ["article", "score"]
    assert shown(12) == ["article"]
    assert shown(3) == ["article"]


HOSTILE = st.text(st.characters() | st.sampled_from("\x1b\x00\t\n\u202e\u200d\ufe0f\u0301国👩🔬[/]…"), max_size=60)


@given(HOSTILE, st.integers(0, 40), st.sampled_from(["left", "right", "center"]))
def test_a_cell_has_exactly_its_width_whatever_the_text(text: str, width: int, align: str) -> None:
    shown = fit(text, width, align)  # type: ignore[arg-type]
    assert cell_len(shown) == width
    assert not any(character in shown for character in "\x1b\x00\t\n\u202e")


def test_wide_characters_are_never_cut_in_half() -> None:
    assert fit("国家金融", 8) == "国家金融"
    assert fit("国家金融", 7) == "国家金…"
    assert fit("国家金融", 6) == "国家… "
    assert fit("国家金融", 6, "right") == " 国家…"
    assert fit("国家", 1) == "…"
    assert fit("law", 2) == "l…"
    assert fit("[b]x[/]", 9, "center") == " [b]x[/] "


def test_a_whole_document_in_a_cell_is_cut() -> None:
    assert fit("国" * 16_000, 5) == "国国…"
    assert cell_len(fit("e" + "\u0301" * 16_000, 5)) == 5
    assert len(fit("e" + "\u0301" * 16_000, 5)) < 40


# --- drawing ---


async def test_the_scrollbar_hides_no_text() -> None:
    app = Host(100)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.lines()[0].endswith("Score ")
        assert app.table.scrollable_content_region.width == 79


async def test_only_visible_rows_are_asked_for() -> None:
    app = Host(100_000)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert set(app.seen.asked) <= set(range(24))
        app.seen.asked.clear()
        await pilot.press("end")
        assert set(app.seen.asked) <= set(range(100_000 - 24, 100_000))
        assert app.lines()[-1].startswith(f"{CURRENT_MARK} 99999 法律")


async def test_moving_the_cursor_draws_two_rows() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        drawn: list[Region] = []
        refresh = app.table.refresh

        def spy(*regions: Region, **options: bool) -> VirtualTable[Evaluation]:
            drawn.extend(regions)
            return refresh(*regions, **options)

        app.table.refresh = spy  # type: ignore[method-assign]
        await pilot.press("down")
        assert sorted(region.y for region in drawn) == [1, 2]
        assert {region.height for region in drawn} == {1}
        drawn.clear()
        app.table.refresh_row(7)
        assert [region.y for region in drawn] == [8]
        drawn.clear()
        app.table.refresh_row(90)
        assert drawn == []


async def test_a_row_is_asked_for_anew_only_when_refreshed() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.seen.asked.clear()
        app.table.rows[3].score = 99
        app.table.refresh()
        await pilot.pause()
        assert app.seen.asked == []
        app.table.refresh_row(3)
        await pilot.pause()
        assert app.seen.asked == [3]
        assert app.lines()[4].rstrip().endswith("99")


async def test_hostile_text_is_shown_literally() -> None:
    app = Host(3, "[@click=app.quit]x[/] [/] \x1b[31m\x9b\u202e\x00\t👩‍🔬")
    async with app.run_test(size=(100, 10)) as pilot:
        await pilot.pause()
        shown = "\n".join(app.lines())
        assert "[@click=app.quit]x[/] [/] " in shown
        assert not any(character in shown for character in "\x1b\x9b\u202e\x00\t")
        assert {cell_len(line) for line in app.lines()} == {app.table.scrollable_content_region.width}
        await pilot.click(app.table, offset=(6, 2))
        assert app.is_running


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (20, 6), (3, 2), (1, 1)])
async def test_every_line_fills_the_width(size: tuple[int, int]) -> None:
    app = Host(50, "国家金融监督管理总局依照《中华人民共和国银行业监督管理法》")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("end")
        await pilot.resize_terminal(*size)
        await pilot.pause()
        width = app.table.scrollable_content_region.width
        assert {cell_len(line) for line in app.lines()} <= {width}
        if size[1] > 1 and size[0] > 2:
            assert any(line.startswith(CURRENT_MARK) for line in app.lines())


async def test_an_empty_table_says_so_and_takes_keys() -> None:
    app = Host(0)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "up", "pageup", "pagedown", "home", "end", "enter")
        await pilot.click(app.table, offset=(5, 5))
        assert "No evaluations match the filter" in "\n".join(app.lines())
        assert app.table.cursor is None
        assert app.table.current is None
        assert app.seen.said == []


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_the_cursor_is_seen_in_every_theme(theme: str) -> None:
    app = Host(5, theme=theme)
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press("down")
        cursor, plain = app.table.render_line(2), app.table.render_line(1)
        assert cursor.text.startswith(CURRENT_MARK)
        assert not plain.text.startswith(CURRENT_MARK)
        focused = [segment.style for segment in cursor]
        assert focused != [segment.style for segment in plain]
        app.table.blur()
        await pilot.pause()
        assert app.table.render_line(2).text.startswith(CURRENT_MARK)
        assert [segment.style for segment in app.table.render_line(2)] != focused


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_without_colour_nothing_is_coloured_and_the_mark_remains(
    monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Host(5, theme=theme)
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press("down")
        assert [line[0] for line in app.lines()[1:4]] == [" ", CURRENT_MARK, " "]
        painted = [style for strip in app.table.render_lines(Region(0, 0, 79, 12)) for _, style, _ in strip if style]
        colours = [colour for style in painted for colour in (style.color, style.bgcolor) if colour]
        assert {colour.name for colour in colours} == {"default"}


async def test_a_change_of_theme_draws_other_colours() -> None:
    app = Host(5)
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.pause()
        before = [segment.style for segment in app.table.render_line(2)]
        app.theme = "discox-light"
        await pilot.pause()
        assert [segment.style for segment in app.table.render_line(2)] != before


async def test_a_theme_from_elsewhere_works() -> None:
    app = Host(5, theme="nord")
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.press("down")
        assert app.table.cursor == 1


# --- moving and messages ---


async def test_keys_move_the_cursor_and_say_so() -> None:
    app = Host(100)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "down", "up", "end", "home", "pagedown", "enter", "home", "home", "up")
        assert app.seen.said == [
            ("highlighted", 1),
            ("highlighted", 2),
            ("highlighted", 1),
            ("highlighted", 99),
            ("highlighted", 0),
            ("highlighted", 22),
            ("selected", 22),
            ("highlighted", 0),
        ]


async def test_letters_are_left_to_the_screen() -> None:
    app = Host(100)
    keys: list[str] = []
    app.bind("j", "heard")
    app.action_heard = lambda: keys.append("j")  # type: ignore[attr-defined]
    async with app.run_test() as pilot:
        await pilot.press("j")
        assert keys == ["j"]
        assert app.table.cursor == 0


async def test_the_cursor_stays_in_sight() -> None:
    app = Host(100)
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("down",) * 30 + ("up",) * 28:
            await pilot.press(key)
            assert any(line.startswith(CURRENT_MARK) for line in app.lines()[1:])
        await pilot.press("end")
        assert app.lines()[-1].startswith(CURRENT_MARK)
        await pilot.press("home")
        assert app.lines()[1].startswith(CURRENT_MARK)


async def test_a_click_highlights_and_a_second_one_selects() -> None:
    app = Host(100)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(app.table, offset=(10, 5))
        await pilot.click(app.table, offset=(40, 5))
        assert app.seen.said == [("highlighted", 4), ("selected", 4)]
        app.table.scroll_to(y=50, animate=False)
        await pilot.click(app.table, offset=(10, 5))
        assert app.seen.said[-1] == ("highlighted", 54)


async def test_a_clicked_row_stays_under_the_pointer() -> None:
    app = Host(100)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(app.table, offset=(10, 23), times=2)
        assert app.seen.said == [("highlighted", 22), ("selected", 22)]


async def test_a_click_on_a_title_names_its_column() -> None:
    app = Host(100)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(app.table, offset=(3, 0))
        await pilot.click(app.table, offset=(app.table.size.width - 4, 0))
        assert app.seen.said == [("header", "article"), ("header", "score")]


async def test_the_wheel_scrolls_and_leaves_the_cursor() -> None:
    app = Host(100)
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.scroll_relative(y=10, animate=False)
        await pilot.pause()
        assert app.table.cursor == 0
        assert app.lines()[1].strip().startswith("10 ")


async def test_moves_of_the_program_are_silent() -> None:
    app = Host(100)
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.move_cursor(60)
        await pilot.pause()
        assert app.table.current is app.table.rows[60]
        assert any(line.startswith(f"{CURRENT_MARK} 60") for line in app.lines())
        app.table.move_cursor(10_000)
        assert app.table.cursor == 99
        app.table.move_cursor(-5)
        assert app.table.cursor == 0
        await pilot.pause()
        assert app.seen.said == []


async def test_the_sorted_column_is_marked() -> None:
    app = Host(3)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.table.sort = ("score", True)
        assert app.lines()[0].rstrip().endswith("Score▾")
        app.table.sort = ("article", False)
        assert "Article▴" in app.lines()[0]
        await pilot.resize_terminal(10, 10)
        await pilot.pause()
        assert "Artic…▴" in app.lines()[0]


# --- other rows ---


async def test_the_cursor_keeps_to_its_row_and_place_on_screen() -> None:
    app = Host(200)
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.move_cursor(100)
        await pilot.pause()
        place = [line[:2] for line in app.lines()].index(CURRENT_MARK + " ")
        app.table.set_rows(list(reversed(app.table.rows)))
        await pilot.pause()
        assert app.table.cursor == 99
        assert app.table.current is not None
        assert app.table.current.number == 100
        assert app.lines()[place].startswith(f"{CURRENT_MARK} 100 ")


async def test_the_caller_can_name_the_row_to_keep() -> None:
    app = Host(200)
    async with app.run_test(size=(80, 24)) as pilot:
        app.table.set_rows([row for row in app.table.rows if row.number % 2], keep=151)
        await pilot.pause()
        assert app.table.cursor == 75
        assert any(line.startswith(f"{CURRENT_MARK} 151 ") for line in app.lines())


async def test_a_row_that_is_gone_leaves_the_cursor_in_its_place() -> None:
    app = Host(200)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("end")
        app.table.set_rows(app.table.rows[:50])
        await pilot.pause()
        assert app.table.cursor == 49
        assert app.lines()[-1].startswith(f"{CURRENT_MARK} 49 ")
        app.table.set_rows([])
        assert app.table.cursor is None
        app.table.set_rows([Evaluation(7)])
        await pilot.pause()
        assert app.table.cursor == 0
        assert app.lines()[1].startswith(f"{CURRENT_MARK} 7 ")
        assert app.seen.said[-1] == ("highlighted", 199)
