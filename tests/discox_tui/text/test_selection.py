"""What is selected is what lies between two cells: whole characters, with every text, width, key and pointer."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widget import Widget
from wcwidth import iter_graphemes

from discox_tui.app import DiscoxApp
from discox_tui.config.paths import Settings
from discox_tui.core import actions
from discox_tui.core.keys import plain_key
from discox_tui.core.themes import VARIABLES, install
from discox_tui.text import segments, selection
from discox_tui.text.row_layout import Page, stacked_tops
from discox_tui.text.selection import Selection
from discox_tui.text.styles import Mark
from discox_tui.text.widths import Ambiguous, widths
from discox_tui.text.wrapping import Typeset
from discox_tui.widgets.paired_texts import PairedTexts
from discox_tui.widgets.text_pane import TextPane
from judges.model import Bead
from storage.integrity.opening import open_library
from tests.support.driving import PATIENCE, WIDE, Driver
from tests.support.nightly import by_day, rounds

ZH = "国家金融监督管理总局依照《银行业监督管理法》对“银行业”实施监督管理。其派出机构……在授权范围内——履行职责！"
EN = "The State Bureau, pursuant to the “Banking Law”, doesn't supervise 3,000.5 well-known banks. It closed. Why?"
FAMILY, FLAGS, THUMB, HEART = "👨\u200d👩\u200d👧", "🇩🇪🇫🇷", "👍🏽", "❤\ufe0f"
TEXTS = {
    "chinese": ZH * 2,
    "english": EN,
    "mixed": f"用Python写{EN[:30]}的代码（v3.12），很好。" + ZH,
    "paragraphs": f"{ZH[:20]}\n\n\n{EN[:40]}\r\n  \n\u3000\u3000{ZH[:30]}\n短",
    "emoji": f"a{FAMILY}{FLAGS}b{THUMB}中{HEART}文 {FAMILY}{FAMILY}{FAMILY} {FLAGS}🇨 x{THUMB}{THUMB}{FAMILY}end",
    "marks": "cafe\u0301 nai\u0308ve e\u0301\u0323\u0308 中e\u0301文 กำลังทำ हिन्दी क्षि 각\u1100\u1161\u11a8 か\u3099ﾊﾞ",
    "tabs": "\tone\ttwo  \t three\t\n\t\t中\t文\x00\x1b[1m\u200b.\u00a0\u00ad",
    "right to left": "שלום עולם, מה שלומך? مرحبا بالعالم، كيف حالك؟ abc שלום\u200f 123",
    "spaces": "one   two    three\u3000\u3000四  五   " * 3,
    "unbroken": "x" * 70 + "中" * 30,
}


class Host(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        *actions.bindings("app"),
        Binding("e", "note('e')"),
        Binding("a", "note('a')"),
        Binding("escape", "note('esc')"),
    ]
    CSS = ".edge { height: 3; }"

    def __init__(self, ambiguous: Ambiguous = 1) -> None:
        super().__init__()
        install(self, "discox-16")
        self.ambiguous = ambiguous
        self.said: list[tuple[int, int]] = []
        self.clicked: list[tuple[str, ...]] = []
        self.noted: list[str] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded:
            event.key, event.character = plain_key(event.key, event.character)
        await super().on_event(event)

    def compose(self) -> ComposeResult:
        self.pane = TextPane(ambiguous=self.ambiguous)
        yield Widget(classes="edge")
        yield self.pane
        yield Widget(classes="edge")

    def action_note(self, what: str) -> None:
        self.noted.append(what)

    @on(TextPane.Selected)
    def _selected(self, message: TextPane.Selected) -> None:
        self.said.append((message.start, message.end))

    @on(TextPane.MarkClicked)
    def _clicked(self, message: TextPane.MarkClicked) -> None:
        self.clicked.append(message.keys)


class Pair(Host):
    AUTO_FOCUS = ""

    def compose(self) -> ComposeResult:
        self.texts = PairedTexts()
        yield self.texts


# --- a naive model: what is painted in which cell, and nothing else ---


@dataclass
class Painted:
    """Every cell of a page in reading order, with the character painted in it; clusters by another library."""

    lines: list[list[int | None]]
    clusters: list[tuple[int, int]]

    @classmethod
    def of(cls, page: Page, text: str, width: int, ambiguous: Ambiguous) -> Painted:
        table = widths(ambiguous)
        lines: list[list[int | None]] = [[None] * width for _ in range(page.height + 2)]
        for row, (start, stop) in enumerate(zip(page.rows.starts, page.rows.stops, strict=True)):
            cells = [offset for offset in range(start, stop) for _ in range(table[page.typeset.shown[offset]])]
            lines[page.line_of(row)][: len(cells)] = cells
        return cls(lines, clusters(text))

    def between(self, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int] | None:
        """From (line, cell) to (line, cell), in whichever order: what text is painted there, whole clusters."""
        (first, left), (last, right) = sorted((one, other))
        lines = [line[:] for line in self.lines[first : last + 1]]
        lines[-1] = lines[-1][: right + 1]
        lines[0] = lines[0][left:]
        start = next((offset for line in lines for offset in line if offset is not None), None)
        if start is None:
            return None
        end = next(offset for line in reversed(lines) for offset in reversed(line) if offset is not None)
        return self.cluster[start][0], self.cluster[end][1]

    @cached_property
    def cluster(self) -> list[tuple[int, int]]:
        """The cluster of each code point."""
        return [each for each in self.clusters for _ in range(*each)]


def clusters(text: str) -> list[tuple[int, int]]:
    found, start = [], 0
    for each in iter_graphemes(text):
        found.append((start, start + len(each)))
        start += len(each)
    return found


def page_of(text: str, width: int, ambiguous: Ambiguous = 1) -> Page:
    typeset = Typeset(text, ambiguous=ambiguous)
    rows = typeset.rows(width)
    return Page(typeset, rows, *stacked_tops(rows.counts))


def dragged(page: Page, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int] | None:
    return Selection(selection.under(page, *one), selection.under(page, *other)).span(page.typeset)


@by_day(6)
@pytest.mark.parametrize("ambiguous", [1, 2])
@pytest.mark.parametrize("name", TEXTS)
def test_from_every_cell_to_every_other_what_lies_between_is_selected(name: str, ambiguous: Ambiguous) -> None:
    chance = random.Random(name)
    text = TEXTS[name]
    wrong, tried = [], 0
    for width in (2, 3, 5, 8, 13, 21, 40, 200):
        page = page_of(text, width, ambiguous)
        painted = Painted.of(page, text, width + 2, ambiguous)
        cells = list(product(range(page.height + 2), range(width + 2)))
        for one in cells:
            for other in chance.sample(cells, min(len(cells), 8)):
                tried += 1
                if dragged(page, one, other) != painted.between(one, other):
                    wrong.append((width, one, other, dragged(page, one, other), painted.between(one, other)))
    assert tried > 1000
    assert wrong == []


@pytest.mark.parametrize("ambiguous", [1, 2])
@pytest.mark.parametrize("size", [(16, 20), (34, 18)])
async def test_the_mouse_selects_what_it_is_dragged_over(size: tuple[int, int], ambiguous: Ambiguous) -> None:
    app = Host(ambiguous)
    async with app.run_test(size=size) as pilot:
        for name, text in TEXTS.items():
            app.pane.show(text)
            await pilot.pause()
            app.pane.scroll_by(1)
            width, height = app.pane.size
            gutter = app.pane._gutter_width
            painted = Painted.of(app.pane.page, text, width - gutter, ambiguous)
            painted.lines = [[None] * gutter + line for line in painted.lines]
            painted.lines += [[None] * width] * height
            top = app.pane.scroll_offset.y
            chance = random.Random(name)
            cells = list(product(range(height), range(width)))
            wrong = []
            for one in cells[:: max(1, len(cells) // rounds(12, 60))]:
                press(app.pane, events.MouseDown, one)
                for other in chance.sample(cells, 8):
                    press(app.pane, events.MouseMove, other)
                    await settled(pilot)
                    expected = painted.between((one[0] + top, one[1]), (other[0] + top, other[1]))
                    if one != other and app.pane.selection != expected:
                        wrong.append((one, other, app.pane.selection, expected))
                press(app.pane, events.MouseUp, other)
            assert wrong == [], name


def press(pane: TextPane, kind: type[events.MouseEvent], cell: tuple[int, int], *, shift: bool = False) -> None:
    """Send a mouse event for the cell (line, column) of a pane, as the driver does: through the app."""
    x, y = pane.content_region.offset + Offset(cell[1], cell[0])
    button = 0 if kind is events.MouseMove and pane.app.mouse_captured is None else 1
    pane.app.post_message(kind(None, x, y, 0, 0, button, shift, False, False, x, y))


async def settled(pilot: Pilot[None]) -> None:
    """Wait until the pane has taken all that was sent."""
    app = pilot.app
    assert isinstance(app, Host)
    while app.message_queue_size or app.pane.message_queue_size or app.screen.message_queue_size:
        await pilot._wait_for_screen()
    await pilot._wait_for_screen()


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        await pilot.pause(0.02)


# --- units ---

strange = st.text(
    st.sampled_from(
        "ab 中。，“”《》'’.,-_1\t\r\n\u00a0\u3000\u200d\ufe0f👨👩👧❤👍🏽🇩🇪🇫\u0301\u0323กำ한각\u1100\u1161\u11a8क्षिु\u0600\u0d4eا\u064bﾞか\u3099\ud800\u200b\u0903"
    ),
    max_size=40,
)
some_unit = st.sampled_from([segments.cluster, segments.word, segments.sentence, segments.paragraph])


@given(strange)
def test_clusters_are_those_of_another_library(text: str) -> None:
    typeset = Typeset(text)
    assert [segments.cluster(typeset, offset) for offset in range(len(text))] == [
        each for each in clusters(text) for _ in range(*each)
    ]


def test_clusters_without_end_are_found_too() -> None:
    for text, size in (
        ("🇩🇪" * 500, 2),
        ("e" + "\u0301" * 999, 1000),
        ("\u200d".join("👨" * 400), 799),
        ("각" * 1000, 1),
    ):
        typeset = Typeset(text)
        assert {end - start for start, end in (segments.cluster(typeset, n) for n in range(0, len(text), 99))} == {size}


@given(strange, some_unit)
def test_a_unit_holds_its_place_in_whole_clusters(text: str, unit: segments.Unit) -> None:
    typeset = Typeset(text)
    edges = {0, *(end for _, end in clusters(text))}
    for offset in range(len(text)):
        start, end = unit(typeset, offset)
        assert start in edges
        assert end in edges
        if unit in (segments.cluster, segments.word):
            assert start <= offset < end


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't stop", ["don't", " ", "stop"]),
        ("3,000.5 is, well-known", ["3,000.5", " ", "is", ",", " ", "well", "-", "known"]),
        ("用Python写", ["用", "Python", "写"]),
        ("他说……好", ["他", "说", "……", "好"]),
        ("“l’été” ?!", ["“", "l’été", "”", " ", "?", "!"]),
        ("カタカナのテスト", ["カタカナ", "の", "テスト"]),
        ("한국어 हिन्दी", ["한국어", " ", "हिन्दी"]),
        (f"ok{FAMILY}{FLAGS}ok{HEART}x", ["ok", FAMILY, "🇩🇪", "🇫🇷", "ok", HEART, "x"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    typeset = Typeset(text)
    found = dict.fromkeys(segments.word(typeset, offset) for offset in range(len(text)))
    assert [text[start:end] for start, end in found] == words


# --- moving ---

Step = tuple[str, int]


@given(strange, st.integers(1, 12), st.integers(0, 40))
@example("1\n\N{VARIATION SELECTOR-16}", 1, 2)  # a last row in which nothing shows
def test_right_and_left_visit_every_character_that_shows_and_come_back(text: str, width: int, start: int) -> None:
    page = page_of(text, width)
    if not page.rows.starts:
        return
    caret = selection.caret_at(page, 0)
    visited = [caret]
    while (following := selection.right(page, caret)) != caret:
        assert following > caret
        caret = following
        visited.append(caret)
    shown = {offset for a, b in zip(page.rows.starts, page.rows.stops, strict=True) for offset in range(a, b)}
    assert shown <= {offset for each in visited for offset in range(*segments.cluster(page.typeset, each))}
    back = [caret]
    while (before := selection.left(page, caret)) != caret:
        assert before < caret
        caret = before
        back.append(caret)
    assert back[::-1] == visited
    assert selection.caret_at(page, start) in visited


@given(strange, st.integers(2, 12))
def test_every_row_is_reached_going_down_and_up(text: str, width: int) -> None:
    page = page_of(text, width)
    if not page.rows.starts:
        return
    caret, rows = selection.caret_at(page, 0), []
    while (below := selection.vertically(page, caret, 1, 1)) != caret:
        rows.append(page.rows.at(below))
        caret = below
    assert rows == sorted(rows)
    cells = page.typeset.cells
    wide = {
        row for row, (a, b) in enumerate(zip(page.rows.starts, page.rows.stops, strict=True)) if cells[b] > cells[a]
    }
    # A row in which no character that shows begins only goes on with the last one of the row above.
    begun = {row for start, _ in clusters(text) if start < page.rows.stops[row := page.rows.at(start)]}
    assert (wide & begun) - {0} <= set(rows) | {page.rows.at(selection.caret_at(page, 0))}
    while (above := selection.vertically(page, caret, -1, 1)) != caret:
        assert above < caret
        caret = above
    assert not wide or page.rows.at(caret) <= min(wide)


@given(strange, st.integers(1, 12), some_unit, st.data())
def test_by_units_it_always_gets_to_either_end(text: str, width: int, unit: segments.Unit, data: st.DataObject) -> None:
    page = page_of(text, width)
    if not page.rows.starts:
        return
    places = sorted({selection.caret_at(page, offset) for offset in range(len(text))})
    fixed, caret = data.draw(st.sampled_from(places)), data.draw(st.sampled_from(places))
    for _ in range(2 * len(text) + 2):
        further = selection.onward(page, fixed, caret, unit)
        assert further >= caret
        caret = further
    assert selection.right(page, caret) == caret or not text[selection.right(page, caret) :].strip()
    for _ in range(2 * len(text) + 2):
        further = selection.back(page, fixed, caret, unit)
        assert further <= caret
        caret = further
    assert selection.left(page, caret) == caret or not text[: selection.left(page, caret) + 1].strip()


KEYS = [
    *("left", "right", "up", "down", "home", "end", "w", "b", "full_stop", "comma", "s", "o", "v"),
    *("left_parenthesis", "right_parenthesis", "left_curly_bracket", "right_curly_bracket"),
]


@pytest.mark.parametrize("name", TEXTS)
async def test_any_keys_leave_whole_characters_selected_and_the_caret_in_view(name: str) -> None:
    text, app, chance = TEXTS[name], Host(), random.Random(name)
    edges = {edge for each in clusters(text) for edge in each}
    async with app.run_test(size=(24, 13)) as pilot:
        app.pane.show(text)
        app.pane.focus()
        await pilot.pause()
        app.pane.start_selection(len(text) // 2)
        for key in chance.choices(KEYS, k=80):
            await pilot.press(key)
            assert app.pane.selection is not None
            assert {*app.pane.selection} <= edges, key
            _, caret = app.pane._ends()
            assert caret[0] == app.pane.selection[0] or caret[1] == app.pane.selection[1]
            assert app.pane.page.lines_of(*caret)[0] in app.pane.visible_lines
            assert app.said[-1] == app.pane.selection
            expected = {row: app.pane._build(row) for row in app.pane._strips}
            assert {row: [(s.text, s.style) for s in strip] for row, strip in app.pane._strips.items()} == {
                row: [(s.text, s.style) for s in strip] for row, strip in expected.items()
            }, "what is painted is up to date"


async def test_what_each_key_does() -> None:
    app = Host()
    async with app.run_test(size=(40, 24)) as pilot:
        text = "他说：“好。”然后走了。\nOne two, three. Four five.\n\nlast"
        app.pane.show(text, [Mark("a", 1, 2)])
        app.pane.current = "a"
        app.pane.focus()
        await pilot.pause()
        await pilot.press("w", "right", "down")  # nothing is selected yet: these are others' keys
        assert app.pane.selection is None
        app.pane.start_selection()
        steps = [
            ("", "说"),
            ("right", "说："),
            ("w", "说：“"),
            ("right_parenthesis", "说：“好。”"),
            ("b", "说：“好。"),
            ("b", "说：“好"),
            ("right_curly_bracket", "说：“好。”然后走了。"),
            ("left_parenthesis", "说：“好。”"),
            ("o", "说：“好。”"),
            ("left", "他说：“好。”"),
            ("w", "说：“好。”"),
            ("s", "他说：“好。”"),
            ("down", "他说：“好。”然后走了。\nOne two, thr"),
            ("v", "r"),
            ("home", "One two, thr"),
            ("w", "two, thr"),
            ("w", ", thr"),
            ("w", "thr"),
            ("w", "ree"),
            ("w", "ree."),
            ("right_parenthesis", "ree. Four five."),
            ("right_curly_bracket", "ree. Four five.\n\nlast"),
            ("up", " two, thr"),
            ("down", "ree. Four five.\n\nlast"),
            ("left_curly_bracket", "ree. Four five."),
            ("left_curly_bracket", "One two, thr"),
            ("end", "ree. Four five."),
        ]
        for key, selected in steps:
            if key:
                await pilot.press(key)
            start, end = app.pane.selection or (0, 0)
            assert text[start:end] == selected, key
        await pilot.press("e", "a")
        assert app.noted == ["e", "a"], "keys that do nothing here are for whoever wants them"
        await pilot.press("escape", "escape")
        assert app.pane.selection is None
        assert app.said[-1] == (0, 0)
        assert app.noted == ["e", "a", "esc"]


async def test_going_up_and_down_keeps_the_column() -> None:
    app = Host()
    async with app.run_test(size=(40, 24)) as pilot:
        text = "abcdefghij\n中文\n\nabcdefghij"
        app.pane.show(text)
        app.pane.focus()
        await pilot.pause()
        app.pane.start_selection(7)
        for key, end in (("down", 13), ("down", 23), ("up", 13), ("up", 8), ("down", 13), ("left", 12), ("down", 16)):
            await pilot.press(key)
            assert app.pane._ends()[1][1] == end, key


async def test_full_width_keys_are_keys_here_too() -> None:
    app = Host()
    async with app.run_test(size=(40, 24)) as pilot:
        app.pane.show("One two. Three.")
        app.pane.focus()
        await pilot.pause()
        app.pane.start_selection(0)
        for key, selected in (
            ("ｗ", (0, 3)),
            ("）", (0, 8)),
            ("ｂ", (0, 7)),
            ("。", (0, 8)),
            ("ｖ", (7, 8)),
            ("『", (0, 8)),
        ):
            app.post_message(events.Key(key, key))
            await pilot.pause()
            assert app.pane.selection == selected, key


# --- the mouse ---


async def test_pressing_again_takes_words_then_sentences_and_drags_by_them() -> None:
    app = Host()
    text = "One two three. Four five six. 中文很好。"
    async with app.run_test(size=(60, 24)) as pilot:
        app.pane.show(text, [Mark("m", 0, 3, "major")])
        await pilot.pause()
        left = app.pane.render_line(0).text.index("O")
        at = lambda offset: (left + offset, 0)  # noqa: E731
        await pilot.click(app.pane, at(5), times=2)
        assert app.pane.selection == (4, 7)
        await pilot.click(app.pane, at(20), times=3)
        assert app.pane.selection == (15, 29)
        await pilot.click(app.pane, at(1))
        assert app.pane.selection is None
        assert app.clicked == [("m",)]
        await pilot.click(app.pane, at(30), times=2)
        assert app.pane.selection == (30, 31)
        await pilot.click(app.pane, at(6))
        await pilot.mouse_down(app.pane, at(6))
        for x, selected in ((9, (4, 13)), (20, (4, 24)), (1, (0, 7)), (31, (4, 31)), (58 - left, (4, 35))):
            await pilot.hover(app.pane, at(x))
            assert app.pane.selection == selected
        await pilot.mouse_up(app.pane, at(51))
        assert app.said[-1] == (4, 35)
        await pilot.click(app.pane, at(1), times=2)
        assert app.pane.selection == (0, 3)
        assert app.clicked == [("m",), ("m",)], "the second click of two is none on the mark"


async def test_with_shift_a_click_extends() -> None:
    app = Host()
    async with app.run_test(size=(60, 24)) as pilot:
        app.pane.show(ZH, [Mark("m", 0, 3, "major")])
        await pilot.pause()
        left = app.pane.render_line(0).text.index("国")
        for line, cell, kind in ((0, 4, events.MouseDown), (0, 11, events.MouseMove), (0, 11, events.MouseUp)):
            press(app.pane, kind, (line, left + cell))
        await settled(pilot)
        assert app.pane.selection == (2, 6)
        for cell, selected in ((21, (2, 11)), (3, (1, 3)), (14, (2, 8))):
            await pilot.click(app.pane, (left + cell, 0), shift=True)
            assert app.pane.selection == selected
            assert app.said[-1] == selected
        assert app.clicked == []


async def test_on_either_half_of_a_character_it_is_selected_once_the_pointer_moves() -> None:
    app = Host()
    async with app.run_test(size=(60, 24)) as pilot:
        app.pane.show(ZH)
        await pilot.pause()
        left = app.pane.render_line(0).text.index("国")
        for one, other in ((4, 5), (5, 4)):
            await pilot.mouse_down(app.pane, (left + one, 0))
            assert app.pane.selection is None
            await pilot.hover(app.pane, (left + other, 0))
            assert app.pane.selection == (2, 3)
            await pilot.mouse_up(app.pane, (left + other, 0))
            assert app.pane.selection == (2, 3)


async def test_dragged_past_an_edge_the_text_scrolls_and_the_selection_grows() -> None:
    app = Host()
    text = "\n".join([ZH] * 15)
    async with app.run_test(size=(60, 20)) as pilot:
        app.pane.show(text)
        await pilot.pause()
        bottom = app.pane.size.height
        press(app.pane, events.MouseDown, (5, 20))
        await settled(pilot)
        press(app.pane, events.MouseMove, (bottom + 2, 20))
        await pilot.pause()
        start = app.pane.selection and app.pane.selection[0]
        await until(pilot, lambda: app.pane.scroll_offset.y == app.pane.max_scroll_y)
        assert app.pane.selection is not None
        assert app.pane.selection[0] == start
        assert app.pane.page.rows.at(app.pane.selection[1] - 1) == len(app.pane.page.rows.starts) - 1
        press(app.pane, events.MouseMove, (-3, 20))
        await until(pilot, lambda: app.pane.scroll_offset.y == 0)
        assert app.pane.page.rows.at(app.pane.selection[0]) == 0
        press(app.pane, events.MouseUp, (-3, 20))
        await settled(pilot)
        selected, top = app.pane.selection, app.pane.scroll_offset.y
        assert app.said[-1] == selected
        assert app.mouse_captured is None
        app.pane.scroll_by(3)
        press(app.pane, events.MouseMove, (9, 9))
        await settled(pilot)
        assert app.pane.selection == selected
        assert top == 0


# --- painting ---


async def test_it_shows_without_colour_over_any_mark_and_only_changed_rows_are_painted() -> None:
    app = Host()
    async with app.run_test(size=(60, 40)) as pilot:
        marks = [Mark("a", 0, 9, "critical"), Mark("b", 4, 20, "minor", approximate=True)]
        app.pane.show(ZH * 30, marks)
        app.pane.current = "a"
        app.pane.set_matches([(2, 5)])
        app.pane.focus()
        await pilot.pause()
        app.pane.start_selection(1)
        await pilot.press("right", "right")
        (selected,) = [s for s in app.pane.render_line(0) if s.text == "家金"]
        (caret,) = [s for s in app.pane.render_line(0) if s.text == "融"]
        others = [s.style.without_color for s in app.pane.render_line(0) if s.style and s not in (selected, caret)]
        assert selected.style is not None
        assert caret.style is not None
        assert selected.style.reverse
        assert caret.style.reverse
        assert len({selected.style.without_color, caret.style.without_color, *others}) == len({*others}) + 2
        built: list[int] = []
        build = app.pane._build
        app.pane._build = lambda row: built.append(row) or build(row)  # type: ignore[method-assign, func-returns-value]
        for key, rows in (
            ("right", {0}),
            ("down", {0, 1}),
            ("down", {1, 2}),
            ("up", {1, 2}),
            ("o", {0, 1}),
            ("escape", {0, 1}),
        ):
            built.clear()
            await pilot.press(key)
            assert set(built) == rows, key


async def test_another_width_keeps_it_and_another_text_does_not() -> None:
    app = Host()
    async with app.run_test(size=(60, 30)) as pilot:
        app.pane.show(ZH * 4)
        app.pane.focus()
        await pilot.pause()
        app.pane.start_selection(30)
        await pilot.press("right_parenthesis")
        selected = app.pane.selection
        await pilot.resize_terminal(33, 30)
        await pilot.pause()
        assert app.pane.selection == selected
        lit = "".join(s.text for y in range(20) for s in app.pane.render_line(y) if s.style and s.style.reverse)
        assert selected
        assert lit == app.pane.page.typeset.shown[slice(*selected)]
        app.pane.show(EN)
        assert app.pane.selection is None
        await pilot.press("right")


# --- both sides ---


async def test_both_sides_are_selected_and_left_one_after_the_other() -> None:
    app = Pair()
    async with app.run_test(size=(120, 20)) as pilot:
        texts = app.texts
        texts.show(ZH, EN)
        texts.set_marks([Mark("a", 3, 5, "major")], [Mark("a", 4, 9, "major"), Mark("b", 20, 22, "minor")])
        texts.current = "a"
        await pilot.pause()
        texts.start_selection()
        assert app.focused is texts.translation
        await pilot.press("w", "tab", "right")
        assert app.focused is texts.source
        assert texts.selections == {"source": (3, 5), "translation": (4, 9)}
        await pilot.press("tab", "w", "w")
        assert texts.selections == {"source": (3, 5), "translation": (4, 17)}
        await pilot.press("a")
        assert app.noted == ["a"]
        await pilot.press("escape")
        assert texts.selections == {"source": (3, 5)}
        assert app.focused is texts.source
        await pilot.press("right", "escape", "escape")
        assert texts.selections == {}
        assert app.noted == ["a", "esc"]
        texts.start_selection()
        assert texts.selections == {"source": (3, 4)}, "where the focus is"
        texts.clear_selections()
        assert texts.selections == {}


async def test_across_it_begins_in_the_paragraph_that_goes_with_it() -> None:
    source, translation = "一。\n二。\n三。", "One.\nTwo, and\nmore.\nThree."
    beads = [Bead((0,), (0,)), Bead((1,), (1, 2)), Bead((2,), (3,))]
    app = Pair()
    async with app.run_test(size=(120, 20)) as pilot:
        texts = app.texts
        texts.show(source, translation, beads)
        await pilot.pause()
        texts.source.start_selection(source.index("三"))
        texts.source.focus()
        await pilot.press("tab")
        assert texts.selections["translation"][0] == translation.index("Three")
        texts.clear_selections()
        texts.translation.start_selection(translation.index("more"))
        await pilot.press("tab")
        assert texts.selections["source"][0] == source.index("二")
        texts.clear_selections()
        texts.set_marks([], [Mark("a", 10, 13, "major")])
        texts.current = "a"
        texts.source.start_selection(source.index("二"))
        await pilot.press("tab")
        assert texts.selections["translation"][0] == 10, "at the current finding, where it is there"


async def test_where_the_sides_take_turns_the_other_one_comes_up() -> None:
    app = Pair()
    async with app.run_test(size=(80, 20)) as pilot:
        texts = app.texts
        texts.show(ZH, EN)
        await pilot.pause()
        texts.start_selection()
        assert texts.selections == {"source": (0, 1)}
        await pilot.press("tab")
        await pilot.pause()
        await pilot.press("w")
        assert texts.front == "translation"
        assert texts.selections == {"source": (0, 1), "translation": (0, 3)}
        await pilot.press("escape")
        assert texts.front == "source"


async def test_in_texts_without_anything_there_is_nothing_to_select() -> None:
    app = Pair()
    async with app.run_test(size=(120, 20)) as pilot:
        texts = app.texts
        for pair in (("", "\n \n"), (" ", "")):
            texts.show(*pair)
            await pilot.pause()
            texts.start_selection()
            await pilot.mouse_down(texts.source, (9, 1))
            await pilot.hover(texts.source, (19, 5))
            await pilot.mouse_up(texts.source, (19, 5))
            await pilot.press("tab", "right", "s")
            assert texts.selections == {}


async def test_in_the_review_no_key_decides_while_text_is_selected(sample: Path) -> None:
    connection = open_library(sample)
    app = DiscoxApp(connection, "mei", Settings())
    async with app.run_test(size=WIDE) as pilot:
        driver = Driver(app, pilot)
        screen = await driver.review()
        before = [event for event in driver.events if event["kind"] == "verdict"]
        deciding = {key for each in actions.ACTIONS if each.group == "Decide" for key in each.keys} | {"f", "f9"}
        own = {key for each in actions.actions_of("selection") for key in each.keys}
        await driver.press("v")
        for key in sorted(deciding - own):
            await driver.press(key)
        assert screen.texts.selections
        assert app.screen is screen
        assert [event for event in driver.events if event["kind"] == "verdict"] == before
        screen.set_focus(screen.errors)
        await driver.press("a", "escape")
        assert not screen.texts.selections
        await driver.press("a")
        assert len([event for event in driver.events if event["kind"] == "verdict"]) == len(before) + 1
    connection.close()
