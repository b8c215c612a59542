"""The panes show any text literally, know what is in every cell, and paint only what changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from textual import on
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown, MouseScrollUp
from textual.geometry import Offset

from discox_tui.core.themes import THEMES, VARIABLES, install
from discox_tui.text.glyphs import SEVERITY_MARKS
from discox_tui.text.safe import display
from discox_tui.text.styles import Looks, Mark, ParagraphMark
from discox_tui.widgets.paired_texts import PairedTexts
from discox_tui.widgets.text_pane import TextPane
from judges.model import Bead

if TYPE_CHECKING:
    from textual.message import Message

ZH = "国家金融监督管理总局依照《中华人民共和国银行业监督管理法》对银行业金融机构实施监督管理。其派出机构在授权范围内履行职责。"
EN = (
    "The State Financial Supervision Bureau, pursuant to the Banking Supervision Law, supervises banking institutions. "
)


class Host(App[None]):
    def __init__(self, theme: str = "discox-dark", ambiguous: int = 1) -> None:
        super().__init__()
        install(self, theme)
        self.pane = TextPane(ambiguous=2 if ambiguous == 2 else 1)
        self.said: list[Message] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES

    def compose(self) -> ComposeResult:
        yield self.pane

    @on(TextPane.MarkClicked)
    def note(self, message: Message) -> None:
        self.said.append(message)


class Pair(Host):
    def compose(self) -> ComposeResult:
        self.texts = PairedTexts()
        yield self.texts


def painted(pane: TextPane) -> list[str]:
    return [pane.render_line(y).text.rstrip() for y in range(pane.size.height)]


def top_text(pane: TextPane) -> str:
    return pane.page.typeset.shown[pane.top_offset :][:6]


@pytest.mark.parametrize("ambiguous", [1, 2])
@pytest.mark.parametrize("width", [20, 33, 61])
async def test_every_cell_of_mixed_text_gives_the_character_painted_there(width: int, ambiguous: int) -> None:
    text = (
        f"{ZH}{EN}emoji 😀 and 👨\u200d👩\u200d👧 and 👍🏽 ❤\ufe0f, cafe\u0301, 中e\u0301文“引用”——他说……完\n\n"
        "\t\x1b[31m[bold]x[/]\u202e abc\u3000全角\n" + ZH * 3
    )
    app = Host(ambiguous=ambiguous)
    async with app.run_test(size=(width, 90)) as pilot:
        app.pane.show(text)
        await pilot.pause()
        seen = set()
        for y in range(90):
            row = app.pane.page.row_on(y)
            expected: list[int] = []
            if row is not None:
                rows = app.pane.page.rows
                for offset in range(rows.starts[row], rows.stops[row]):
                    cells = app.pane.page.typeset.cells
                    expected += [offset] * (cells[offset + 1] - cells[offset])
            actual = [app.pane.offset_at(x, y) for x in range(width)]
            assert [offset for offset in actual if offset is not None] == expected
            if expected:  # and they are where they are painted
                line = app.pane.render_line(y).text
                before = actual.index(expected[0]) - (ambiguous - 1) * line.count("¶")
                shown = app.pane.page.typeset.shown
                assert line[before:].rstrip() == shown[expected[0] : expected[-1] + 1].rstrip()
            seen.update(expected)
        shown = display(text)
        assert {offset for offset in range(len(text)) if not shown[offset].isspace() and cell_len(shown[offset])} <= (
            seen | {offset for offset, character in enumerate(text) if character == "\n"}
        )


async def test_a_click_on_marks_names_all_of_them_the_narrowest_first() -> None:
    app = Host()
    marks = [Mark("wide", 0, 20, "minor", weak=True), Mark("inner", 4, 6, "major"), Mark("other", 4, 9, "critical")]
    async with app.run_test(size=(60, 10)) as pilot:
        app.pane.show(EN, marks, [ParagraphMark("lost", 0, "major")])
        await pilot.pause()
        left = app.pane.render_line(0).text.index("T")
        await pilot.click(TextPane, offset=Offset(left + 4, 0))
        await pilot.click(TextPane, offset=Offset(left + 12, 0))
        await pilot.click(TextPane, offset=Offset(1, 0))
        assert [message.keys for message in app.said] == [  # type: ignore[attr-defined]
            ("inner", "other", "wide"),
            ("wide",),
            ("other", "inner", "lost"),
        ]


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_no_text_leaks_an_escape(theme: str) -> None:
    hostile = (
        "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066, 0x2028, 0xD800])) + "[/][@click=app.quit]x"
    )
    app = Host(theme)
    async with app.run_test(size=(300, 12)) as pilot:
        app.pane.show(hostile * 3, [Mark("a", 0, 400, "critical"), Mark("b", 20, 30, "minor", approximate=True)])
        app.pane.current = "b"
        await pilot.pause()
        sent = "".join(app.pane.render_line(y).render(app.console) for y in range(12))
        left = re.sub(r"\x1b\[[0-9;]*m", "", sent)
        left.encode()
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", left)
        assert "[/][@click=app.quit]" in left


async def test_severity_shows_without_colour_and_the_gutter_says_what_begins_where() -> None:
    looks = {}
    app = Host("discox-16")
    async with app.run_test(size=(60, 30)) as pilot:
        for severity, sign in SEVERITY_MARKS.items():
            for approximate in (False, True):
                app.pane.show(EN, [Mark("a", 4, 9, severity, approximate)])
                await pilot.pause()
                assert (f"~{sign} " if approximate else f" {sign} ") in app.pane.render_line(0).text
                (style,) = [s.style for s in app.pane.render_line(0) if s.text == "State"]
                assert style is not None
                looks[severity, approximate] = style.without_color
        assert len(set(looks.values())) == len(looks)


async def test_what_else_there_is_to_see_shows_without_colour_too() -> None:
    app = Host("discox-16")
    marks = [
        Mark("minor", 0, 3, "minor"),
        Mark("both", 4, 9, "minor"),
        Mark("again", 4, 9, "minor"),
        Mark("context", 10, 19, "minor", weak=True),
        Mark("gone", 20, 31, "minor", dropped=True),
        Mark("here", 32, 38, "minor"),
        Mark("here", 39, 40, "minor", weak=True),
    ]
    async with app.run_test(size=(80, 10)) as pilot:
        app.pane.show(EN, marks)
        app.pane.current = "here"
        app.pane.set_matches([(52, 55)])
        await pilot.pause()
        segments = [s for s in app.pane.render_line(0) if s.text.strip() and s.style]
        looks = {s.text.strip(): s.style.without_color for s in segments if s.style}
        words = ["The", "State", "Financial", "Supervision", "Bureau", "the"]
        assert len({looks[word] for word in words}) == len(words)
        assert all(looks[word] != app.pane.rich_style.without_color for word in words)


async def test_where_findings_meet_it_shows_and_dropped_and_context_step_back() -> None:
    counting = Mark("a", 0, 10, "minor"), Mark("b", 5, 15, "critical")
    assert [(s, e, look and (look.severity, look.overlap)) for s, e, look in Looks(counting, EN).runs(0, 20)] == [
        (0, 5, ("minor", False)),
        (5, 10, ("critical", True)),
        (10, 15, ("critical", False)),
        (15, 20, None),
    ]
    behind = Mark("a", 0, 10, "minor"), Mark("b", 0, 10, "critical", weak=True), Mark("c", 0, 10, "major", dropped=True)
    ((_, _, look),) = Looks(behind, EN).runs(0, 10)
    assert look == ("minor", False, False, False, False, False)
    same = Mark("a", 0, 10, "minor"), Mark("a", 5, 10, "minor")
    assert not any(look and look.overlap for _, _, look in Looks(same, EN).runs(0, 20))


@pytest.mark.parametrize(("place", "lit"), [(0, "a"), (2, "c"), (3, "c"), (9, "f"), (-5, "a")])
async def test_a_place_without_extent_lights_the_character_beside_it(place: int, lit: str) -> None:
    app = Host("discox-16")
    async with app.run_test(size=(40, 10)) as pilot:
        app.pane.show("abc\ndef", [Mark("omission", place, place, "major")])
        await pilot.pause()
        lines = [app.pane.render_line(y) for y in range(4)]
        assert [s.text for line in lines for s in line if s.style and s.style.underline] == [lit]


async def test_only_touched_rows_are_painted_again() -> None:
    app = Host()
    marks = [Mark(str(n), n * 300, n * 300 + 4, "major") for n in range(8)]
    async with app.run_test(size=(80, 40)) as pilot:
        app.pane.show(EN * 30, marks)
        await pilot.pause()
        built: list[int] = []
        build = app.pane._build
        app.pane._build = lambda row: built.append(row) or build(row)  # type: ignore[method-assign, func-returns-value]
        app.pane.current = "2"
        await pilot.pause()
        assert built == list(app.pane.page.rows_of(600, 604))
        app.pane.current = "3"
        await pilot.pause()
        assert len(built) == 3
        changed = [Mark(m.key, m.start, m.end, m.severity, dropped=m.key == "5") for m in marks]
        app.pane.set_marks(changed)
        await pilot.pause()
        assert built[3:] == list(app.pane.page.rows_of(1500, 1504))


async def test_the_text_at_the_top_stays_at_the_top_whatever_the_width() -> None:
    text = "\n".join(f"{number} {EN * 4}" for number in range(60))
    app = Host()
    async with app.run_test(size=(80, 20)) as pilot:
        app.pane.show(text)
        await pilot.pause()
        app.pane.scroll_to_line(101)
        wanted = app.pane.top_offset
        for width in (60, 37, 110, 80):
            await pilot.resize_terminal(width, 20)
            await pilot.pause()
            rows = app.pane.page.rows
            row = app.pane.page.row_on(app.pane.scroll_offset.y)
            assert row is not None
            assert rows.at(wanted) == row
        assert app.pane.scroll_offset.y == 101
        assert app.pane.top_offset == wanted


async def test_reveal_moves_only_for_what_is_not_in_view_with_some_text_around_it() -> None:
    app = Host()
    async with app.run_test(size=(80, 30)) as pilot:
        app.pane.show("\n".join([EN] * 100))
        await pilot.pause()
        line = len(EN) + 1
        app.pane.reveal(5 * line, 5 * line + 3)
        assert app.pane.scroll_offset.y == 0
        app.pane.reveal(0, 3)
        assert app.pane.scroll_offset.y == 0
        app.pane.reveal(60 * line, 60 * line + 3)
        top = app.pane.scroll_offset.y
        first, _ = app.pane.page.lines_of(60 * line, 60 * line + 3)
        assert top + 3 <= first <= top + 26
        app.pane.reveal(61 * line, 61 * line + 3)
        assert app.pane.scroll_offset.y == top
        app.pane.reveal(99 * line, 99 * line + 3)
        assert app.pane.scroll_offset.y == app.pane.max_scroll_y


async def test_keys_and_wheel_scroll() -> None:
    app = Host()
    async with app.run_test(size=(80, 20)) as pilot:
        app.pane.show("\n".join([EN] * 100))
        app.pane.focus()
        await pilot.pause()
        for key, top in (("down", 1), ("up", 0), ("pagedown", 18), ("end", app.pane.max_scroll_y), ("home", 0)):
            await pilot.press(key)
            assert app.pane.scroll_offset.y == top
        for wheel, top in ((MouseScrollDown, 2), (MouseScrollDown, 4), (MouseScrollUp, 2)):
            app.pane.post_message(wheel(app.pane, 5, 5, 0, 0, 0, False, False, False))
            await pilot.pause()
            assert app.pane.scroll_offset.y == top
        assert app.pane.visible_lines == range(2, 22)


async def test_search_matches_show_and_go() -> None:
    app = Host("discox-16")
    async with app.run_test(size=(60, 12)) as pilot:
        app.pane.show(EN, [Mark("a", 0, 9, "major")])
        await pilot.pause()
        before = painted(app.pane)
        app.pane.set_matches([(4, 9), (20, 31)])
        lit = [segment.text for segment in app.pane.render_line(0) if segment.style and segment.style.reverse]
        assert lit == ["State", "Supervision"]
        app.pane.set_matches([])
        assert painted(app.pane) == before


async def test_aligned_paragraphs_begin_on_the_same_line_and_scroll_together() -> None:
    app = Pair()
    source = "\n".join([ZH * 3, ZH, ZH * 2, ZH])
    translation = "\n".join([EN * 2, EN, EN * 9])
    beads = [Bead((0,), (0, 1)), Bead((1,), ()), Bead((2,), (2,)), Bead((3,), ())]
    async with app.run_test(size=(120, 14)) as pilot:
        texts = app.texts
        texts.show(source, translation, beads)
        await pilot.pause()
        assert texts.source.page.tops[0] == texts.translation.page.tops[0]
        assert texts.source.page.tops[2] == texts.translation.page.tops[2]
        assert texts.source.page.height == texts.translation.page.height
        texts.translation.scroll_by(5)
        assert texts.source.scroll_offset.y == 5
        texts.source.scroll_by(-2)
        assert texts.translation.scroll_offset.y == 3
        texts.locked = False
        await pilot.pause()
        assert texts.translation.page.tops[1] == texts.translation.page.rows.counts[0] + 1
        before = texts.source.scroll_offset.y
        texts.translation.scroll_by(1)
        assert texts.source.scroll_offset.y == before


async def test_in_one_giant_paragraph_both_sides_show_their_own_target() -> None:
    app = Pair()
    source, translation = ZH * 220, EN * 400
    async with app.run_test(size=(120, 30)) as pilot:
        texts = app.texts
        texts.show(source, translation)
        await pilot.pause()
        for share in (0.5, 0.9, 0.1, 0.99, 0.0):
            here, there = int(len(source) * share), int(len(translation) * share)
            spans = (here, here + 1), (there, there + 1)
            texts.reveal(*spans)
            for pane, span in zip((texts.source, texts.translation), spans, strict=True):
                assert pane.page.lines_of(*span)[0] in pane.visible_lines
        texts.reveal((len(source) // 2, len(source) // 2 + 1), (len(translation) // 2, len(translation) // 2 + 1))
        apart = texts.translation.scroll_offset.y - texts.source.scroll_offset.y
        assert apart
        texts.source.scroll_by(3)
        assert texts.translation.scroll_offset.y - texts.source.scroll_offset.y == apart


@pytest.mark.parametrize(("size", "shown"), [((120, 20), 2), ((90, 40), 2), ((80, 20), 1)])
async def test_as_the_room_allows(size: tuple[int, int], shown: int) -> None:
    app = Pair()
    async with app.run_test(size=size) as pilot:
        texts = app.texts
        texts.show(ZH, EN)
        texts.set_marks([Mark("a", 3, 5, "major")], [Mark("a", 4, 9, "major")])
        texts.current = "a"
        texts.reveal((3, 5), (4, 9))
        await pilot.pause()
        assert sum(bool(pane.display) for pane in (texts.source, texts.translation)) == shown
        texts.swap()
        await pilot.pause()
        assert texts.translation.has_focus
        assert texts.translation.display
        assert any(line.endswith("Bureau,") or "State" in line for line in painted(texts.translation))
        await pilot.resize_terminal(130, 30)
        await pilot.pause()
        assert texts.source.display
        assert texts.translation.display
        assert [pane.region.y for pane in (texts.source, texts.translation)] == [1, 1]


async def test_headings_take_any_text() -> None:
    app = Pair()
    async with app.run_test(size=(120, 20)) as pilot:
        app.texts.set_headings("[/]\x1b[2J", "[@click=app.quit]x")
        await pilot.pause()
        first = app.screen._compositor.render_strips()[0].text
        assert "[/]␛[2J" in first
        assert "[@click=app.quit]x" in first


async def test_nothing_at_all_is_fine() -> None:
    app = Pair()
    async with app.run_test(size=(120, 20)) as pilot:
        texts = app.texts
        for pair in (("", ""), ("\n\n", EN), (ZH, " ")):
            texts.show(*pair)
            texts.set_marks([Mark("a", 0, 3)], [Mark("a", 5, 9)], [ParagraphMark("b", 7)])
            texts.current = "a"
            texts.reveal((0, 3), (5, 9))
            await pilot.pause()
            await pilot.click(TextPane, offset=Offset(12, 0))


async def test_the_map_takes_one_there() -> None:
    app = Pair()
    async with app.run_test(size=(120, 22)) as pilot:
        texts = app.texts
        texts.show("\n".join([ZH] * 200), "\n".join([EN] * 200))
        end = len(texts.source.page.typeset.shown)
        texts.set_marks([Mark("a", end - 9, end - 2, "critical")], [])
        await pilot.pause()
        source_map, _ = texts.query("Minimap")
        strips = [source_map.render_line(y).text for y in range(source_map.size.height)]
        assert strips[:-1] == [" "] * (len(strips) - 1)
        assert strips[-1] != " "
        await pilot.click(source_map, offset=Offset(0, source_map.size.height - 1))
        assert texts.source.scroll_offset.y == texts.source.max_scroll_y


async def test_aligned_panes_stay_together_through_new_widths_and_come_back_to_a_place() -> None:
    app = Pair()
    async with app.run_test(size=(140, 24)) as pilot:
        texts = app.texts
        texts.show("\n".join([ZH * 5] * 30), "\n".join([EN * 5] * 30))
        texts.translation.scroll_to_line(100)
        wanted = texts.translation.top_offset
        for width in (104, 180, 120):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert texts.source.scroll_offset.y == texts.translation.scroll_offset.y
            rows = texts.translation.page.rows
            assert rows.at(wanted) == rows.at(texts.translation.top_offset)
        places = texts.tops
        texts.source.scroll_to_line(0)
        assert texts.tops == (0, 0)
        texts.tops = places
        assert texts.tops == places
        assert texts.source.scroll_offset.y == texts.translation.scroll_offset.y


async def test_alignment_is_in_place_before_anything_is_revealed() -> None:
    app = Pair()
    async with app.run_test(size=(140, 24)) as pilot:
        await pilot.pause()
        source, translation = "\n".join([ZH] * 40), "\n".join([EN * 6] * 40)
        app.texts.show(source, translation)
        app.texts.reveal((len(ZH) * 30, len(ZH) * 30 + 2), (len(EN) * 6 * 30, len(EN) * 6 * 30 + 2))
        await pilot.pause()
        assert app.texts.source.page.tops == app.texts.translation.page.tops
        for pane, start in ((app.texts.source, len(ZH) * 30), (app.texts.translation, len(EN) * 6 * 30)):
            first, last = pane.page.lines_of(start, start + 2)
            assert pane.scroll_offset.y <= first <= last < pane.scroll_offset.y + pane.size.height


async def test_where_the_sides_take_turns_the_one_with_the_target_is_shown() -> None:
    app = Pair()
    async with app.run_test(size=(80, 20)) as pilot:
        texts = app.texts
        texts.show("\n".join([ZH] * 40), "\n".join([EN] * 40))
        await pilot.pause()
        target = (39 * (len(EN) + 1), 39 * (len(EN) + 1) + 3)
        texts.reveal(None, target)
        await pilot.pause()
        await pilot.pause()
        assert texts.front == "translation"
        assert texts.translation.page.lines_of(*target)[0] in texts.translation.visible_lines
        texts.reveal((0, 2), target)
        assert texts.front == "translation"
