"""A partial update paints what a full one would: whatever changed, whatever lies over it, and nothing else is asked."""

from __future__ import annotations

import random
from typing import ClassVar

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from discox_tui.widgets.compositor import ChangesCompositor, Lines

SIZE = (40, 12)


class Letters(Widget):
    """Lines of a letter, which changes; some are two cells wide."""

    letters = "a"
    asked = 0

    def render_line(self, y: int) -> Strip:
        """A line of the letter of its turn."""
        self.asked += 1
        letter = self.letters[y % len(self.letters)]
        return Strip([Segment(letter * (self.size.width // (2 if letter == "国" else 1)))]).adjust_cell_length(
            self.size.width
        )


class Overlapping(Screen[None]):
    """Three widgets side by side and one over them."""

    CSS: ClassVar[str] = """
    Overlapping { layers: below above; layout: horizontal; }
    Letters { width: 1fr; height: 12; layer: below; }
    #over { layer: above; width: 17; height: 4; offset: 9 3; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._compositor = ChangesCompositor()

    def compose(self) -> ComposeResult:
        """The widgets."""
        for name in ("left", "middle", "right", "over"):
            yield Letters(id=name)


def cells(strips: list[Strip]) -> list[list[str]]:
    """Each cell's character; of a wide one its right half too."""
    grid = []
    for strip in strips:
        row: list[str] = []
        for segment in strip:
            for character in segment.text:
                row += [character] * (2 if character == "国" else 1)
        grid.append(row)
    return grid


async def test_partial_updates_equal_full_ones() -> None:
    chance = random.Random(5)
    app: App[None] = App()
    async with app.run_test(size=SIZE) as pilot:
        screen = Overlapping()
        await app.push_screen(screen)
        await pilot.pause()
        compositor = screen._compositor
        shown = cells(compositor.render_strips())
        for turn in range(120):
            widgets = chance.sample(list(screen.query(Letters)), chance.randrange(1, 3))
            for widget in widgets:
                widget.letters = chance.choice(["b", "国", "cd", "x国"]) + str(turn % 10)
                width, height = widget.size
                some = [
                    Region(x := chance.randrange(width), y := chance.randrange(height), width - x, chance.randrange(4))
                    for _ in range(chance.randrange(3))
                ]
                widget._styles_cache.clear()
                widget.refresh(*some)
            changed = set(screen._dirty_widgets)
            compositor.update_widgets(changed)
            before = [row[:] for row in shown]
            dirty = {(x, y) for region in compositor._dirty_regions for x, y in _cells_of(region)}
            update = compositor.render_partial_update()
            screen._dirty_widgets.clear()
            full = cells(compositor.render_strips())
            if update is None:
                assert not dirty
                continue
            for y, first, last in update.spans:
                for x, strip in update.chops[y].items():
                    if strip is not None and x < last and x + strip.cell_length > first:
                        shown[y][x : x + strip.cell_length] = cells([strip])[0]
            for x, y in dirty:
                assert shown[y][x] == full[y][x], (turn, x, y)
            untouched = set(range(SIZE[1])) - {y for _, y in dirty}
            assert all(shown[y] == before[y] for y in untouched)
            shown = full


def _cells_of(region: Region) -> list[tuple[int, int]]:
    inside = region.intersection(Region(0, 0, *SIZE))
    return [(x, y) for x in range(inside.x, inside.right) for y in range(inside.y, inside.bottom)]


async def test_only_what_changed_is_asked_for_lines() -> None:
    app: App[None] = App()
    async with app.run_test(size=SIZE) as pilot:
        screen = Overlapping()
        await app.push_screen(screen)
        await pilot.pause()
        for widget in screen.query(Letters):
            widget.asked = 0
        left, right = screen.query_one("#left", Letters), screen.query_one("#right", Letters)
        left.refresh(Region(0, 1, 3, 1))
        await pilot.pause()
        assert left.asked == 1
        assert right.asked == 0


class Striped(Widget):
    """Lines shorter than the widget, one of them wide, the last missing: the toolkit's way of painting them."""

    DEFAULT_CSS = """
    Grounds { background: $panel; }
    Striped { width: 14; height: 5; padding: 1 2 0 1; background: $surface 50%; color: $foreground; }
    Striped.-other { background: $error; }
    """
    words = "文字 ab"
    asked = 0

    def render_line(self, y: int) -> Strip:
        """Part of the words."""
        self.asked += 1
        return Strip([Segment(self.words[: y + 2], self.rich_style)] if y < 3 else [])


class Lined(Striped, Lines):
    """The same, painted our way."""


class Grounds(Screen[None]):
    """One above the other."""

    def compose(self) -> ComposeResult:
        """Both."""
        yield Striped()
        yield Lined()


async def test_lines_are_what_the_toolkit_would_paint_and_are_kept_until_they_change() -> None:
    app: App[None] = App()
    async with app.run_test(size=SIZE) as pilot:
        screen = Grounds()
        await app.push_screen(screen)
        await pilot.pause()
        theirs, ours = screen.query(Striped)

        def lines(widget: Striped, crop: Region | None = None) -> list[list[Segment]]:
            return [list(strip.simplify()) for strip in widget.render_lines(crop or widget.outer_size.region)]

        assert lines(ours) == lines(theirs)
        assert lines(ours, Region(3, 1, 6, 2)) == lines(theirs, Region(3, 1, 6, 2))
        before, asked = lines(ours), ours.asked
        for widget in (theirs, ours):
            widget.words = "新字 ab"
        assert lines(ours) == before
        assert ours.asked == asked
        ours.refresh(Region(0, 1, 9, 1))
        assert [number for number, line in enumerate(lines(ours)) if line != before[number]] == [2]
        for change in (
            lambda widget: widget.refresh(),
            lambda widget: widget.add_class("-other"),
            lambda widget: setattr(screen.styles, "background", "blue"),
            lambda widget: setattr(widget.styles, "width", 9),
            lambda widget: setattr(app, "theme", "textual-light"),
        ):
            for widget in (theirs, ours):
                change(widget)
            await pilot.pause()
            assert lines(ours) == lines(theirs)
