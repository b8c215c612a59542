"""Source and translation side by side, aligned by paragraph and scrolled as one, so that the eye never has to hunt."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len
from textual import events, on
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip

from discox_tui.text.columns import fit
from discox_tui.text.row_layout import aligned_tops, stacked_tops
from discox_tui.text.runs import Run
from discox_tui.widgets.bars import Painter
from discox_tui.widgets.minimap import Minimap
from discox_tui.widgets.text_pane import TextPane
from judges.model import SIDES, Bead, Paragraph, Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from discox_tui.text.styles import Mark, ParagraphMark
    from discox_tui.text.widths import Ambiguous

Arrangement = Literal["side", "stacked", "turns"]
Range = tuple[int, int]

SIDE_BY_SIDE_WIDTH = 100
STACKED_HEIGHT = 24
STACKED_BETWEEN = 3
"""Rows of the stacked arrangement that no pane has: two headings, and a blank one between the texts."""
NARROWEST_SHARE = 0.4
"""Smallest share of the width that the shorter text has."""


class PairedTexts(Painter):
    """The two panes of a review. ``source`` and ``translation`` are its :class:`TextPane`s.

    It paints the heading over each pane itself: every widget in view costs something at every key.
    """

    DEFAULT_CSS = """
    PairedTexts {
        layout: grid;
        grid-size: 4 1;
        grid-columns: 1fr 1 1fr 1;
        grid-rows: 1fr;
        background: $background;
        color: $foreground;

        & > * { margin: 1 0 0 0; }
        &.-stacked { grid-size: 2 2; grid-columns: 1fr 1; }
        &.-stacked > .-translation { margin: 2 0 0 0; }
        &.-turns { grid-size: 2 1; grid-columns: 1fr 1; }
        & > .-away { display: none; }
    }
    """

    locked = reactive(True, repaint=False)
    """True if the panes are aligned and scroll together, which takes two side by side."""

    current: reactive[str | None] = reactive(None, repaint=False)
    """The key of the finding that is being looked at, in both panes."""

    arrangement: reactive[Arrangement | None] = reactive(None, repaint=False)
    """``side``, ``stacked`` or ``turns`` (one pane at a time, see :meth:`swap`); None: as the room allows."""

    front: reactive[Side] = reactive[Side]("source", repaint=False)
    """The side that is shown where they take turns."""

    def __init__(self, *, ambiguous: Ambiguous = 1, id: str | None = None, classes: str | None = None) -> None:
        """``ambiguous``: the cells that this terminal gives to “ ” — … and the like."""
        super().__init__(id=id, classes=classes)
        self.source = TextPane(ambiguous=ambiguous, id="source", classes="-source")
        self.translation = TextPane(ambiguous=ambiguous, id="translation", classes="-translation")
        self._beads: Sequence[Bead] = ()
        self._headings: dict[Side, str] = {side: side.capitalize() for side in SIDES}
        self._maps = {side: Minimap(self.pane(side), classes=f"-{side}") for side in SIDES}
        for side in SIDES:
            self.pane(side).after_wrap = self._align
            self.pane(side).after_scroll = partial(self._follow, side)
            self.pane(side).go_across = self._select_across
            self.pane(side).after_clear = self._after_clear
        self._lead: Side = "source"
        self._delta = 0
        self._following = False
        self._revealed: tuple[Range | None, Range | None] = (None, None)

    def compose(self) -> ComposeResult:
        """The panes, with a map beside each."""
        for side in SIDES:
            yield self.pane(side)
            yield self._maps[side]

    def on_mount(self) -> None:
        """Arrange what there is."""
        self._arrange()

    def pane(self, side: Side) -> TextPane:
        """Return the pane of a side."""
        return self.source if side == "source" else self.translation

    def show(
        self,
        source: str,
        translation: str,
        beads: Sequence[Bead] = (),
        *,
        source_paragraphs: Sequence[Paragraph] | None = None,
        translation_paragraphs: Sequence[Paragraph] | None = None,
    ) -> None:
        """Show another pair of texts, from the beginning and without marks.

        Args:
            source: the source text.
            translation: its translation.
            beads: the paragraph alignment, in order; without one each paragraph goes with that of its number.
            source_paragraphs: of the source, as ``judges.grounding`` finds them; its non-blank lines if not given.
            translation_paragraphs: of the translation.
        """
        self._beads = beads
        self._delta = 0
        self._revealed = (None, None)
        self.current = None
        self.source.show(source, paragraphs=source_paragraphs)
        self.translation.show(translation, paragraphs=translation_paragraphs)
        self._arrange()

    def set_marks(
        self,
        source: Sequence[Mark],
        translation: Sequence[Mark],
        source_gutter: Sequence[ParagraphMark] = (),
        translation_gutter: Sequence[ParagraphMark] = (),
    ) -> None:
        """Replace the marks of both panes; only rows whose marks changed are painted."""
        self.source.set_marks(source, source_gutter)
        self.translation.set_marks(translation, translation_gutter)

    def set_headings(self, source: str, translation: str) -> None:
        """Write over each pane what it is; any text."""
        self._headings = {"source": source, "translation": translation}
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint the headings that stand on a line, over their panes."""
        runs: list[Run] = []
        taken = 0
        for side in SIDES:
            pane = self.pane(side)
            left, top = pane.region.offset - self.content_region.offset
            if not pane.display or not pane.size.width or y != top - 1:
                continue
            room = max(0, pane.size.width - 1)  # its map has a cell more, and a blank stands at either end
            heading = fit(self._headings[side], room).rstrip()
            runs += [(" " * (left + 1 - taken), ""), (heading, "strong" if pane.has_focus else "faint")]
            taken = left + 1 + cell_len(heading)
        width = self.size.width
        return Strip(self.paint([*runs, (" " * max(0, width - taken), "")], width)[0], width)

    def swap(self) -> None:
        """Show the other side, where they take turns; otherwise move the focus to it."""
        self._go_to("translation" if (self._focused or self.front) == "source" else "source")

    @property
    def _focused(self) -> Side | None:
        return next((side for side in SIDES if self.pane(side) is self.screen.focused), None)

    def _go_to(self, side: Side) -> None:
        self.front = side
        self.screen.set_focus(self.pane(side), scroll_visible=False)  # at once: the next key is meant for it

    @property
    def tops(self) -> tuple[int, int]:
        """The code points at the top of the source and of the translation; set both to come back to a place."""
        return self.source.top_offset, self.translation.top_offset

    @tops.setter
    def tops(self, tops: tuple[int, int]) -> None:
        self.source.top_offset, self.translation.top_offset = tops
        self._delta = self.translation.scroll_offset.y - self.source.scroll_offset.y

    def reveal(self, source: Range | None = None, translation: Range | None = None) -> None:
        """Bring these stretches into view, with some text around them; nothing moves if both already are.

        Together if one scroll position shows both; otherwise each on its own, at the same height, and the panes
        keep that distance until the next reveal. Where the sides take turns, one that alone has a target is shown.
        """
        self._revealed = (source, translation)
        if self._arrangement == "turns" and (source is None) != (translation is None):
            self.front = "translation" if source is None else "source"
        wanted = {
            pane: pane.page.lines_of(*span)
            for pane, span in ((self.source, source), (self.translation, translation))
            if span is not None
        }
        if all(pane.is_comfortable(lines) for pane, lines in wanted.items()):
            return
        if not self._together:
            for pane, span in ((self.source, source), (self.translation, translation)):
                if span is not None and not pane.size:
                    pane.top_offset = span[0]  # away, it cannot scroll; it comes back to its top offset
                elif span is not None:
                    pane.reveal(*span)
            return
        both = (min(first for first, _ in wanted.values()), max(last for _, last in wanted.values()))
        top = next(iter(wanted)).best_top(both)
        if all(pane.is_comfortable(lines, top) for pane, lines in wanted.items()):
            tops = {self.source: top, self.translation: top}
        else:
            tops = {pane: pane.best_top((lines[0], lines[0])) for pane, lines in wanted.items()}
        self._following = True
        for pane, top in tops.items():
            pane.scroll_to_line(top)
        self._following = False
        self._delta = self.translation.scroll_offset.y - self.source.scroll_offset.y

    # Selecting

    @property
    def selections(self) -> dict[Side, Range]:
        """The selections by side: code points ``[start, end)`` of whole grapheme clusters."""
        return {side: selected for side in SIDES if (selected := self.pane(side).selection) is not None}

    def clear_selections(self) -> None:
        """Select nothing on either side."""
        for side in SIDES:
            if self.pane(side).selection is not None:
                self.pane(side).clear_selection()

    def start_selection(self) -> None:
        """Let the keys select: on the side that has the focus, where something is selected already, or where the
        current finding is (the translation, if on both or on none)."""
        sides = [*([self._focused] if self._focused else []), *self.selections]
        if self._arrangement == "turns":
            sides.append(self.front)
        sides += [side for side in reversed(SIDES) if any(self.pane(side).looks.spans(self.current or ""))]
        self._select_in(next(iter(sides), "translation"))

    def _select_in(self, side: Side, offset: int | None = None) -> None:
        self._go_to(side)
        if self.pane(side).selection is None:
            self.pane(side).start_selection(offset)

    def _select_across(self) -> None:
        side: Side = "translation" if self._focused == "source" else "source"
        self._select_in(side, self._across(side))

    def _across(self, side: Side) -> int | None:
        """Return where on a side the paragraph begins that goes with the one in which text is selected on the other.

        If the current finding is in it, where that begins; None where no paragraph goes with it.
        """
        here, there = self.pane("translation" if side == "source" else "source"), self.pane(side)
        if here.selection is None:
            return None
        number = here.page.rows.paragraph(here.page.rows.at(here.selection[0]))
        beads = [
            (bead.translation, bead.source) if side == "source" else (bead.source, bead.translation)
            for bead in self._beads
        ]
        aligned = next((across for along, across in beads if number in along), () if beads else (number,))
        paragraphs = [there.page.typeset.paragraphs[n] for n in aligned if n < len(there.page.typeset.paragraphs)]
        if not paragraphs:
            return None
        start, end = paragraphs[0].start, paragraphs[-1].end
        marked = [first for (first, _), _ in there.looks.spans(self.current or "")]
        return next((first for first in marked if start <= first < end), start)

    def _after_clear(self) -> None:
        for side in self.selections:
            self._go_to(side)

    # Keeping together

    @property
    def _together(self) -> bool:
        return self.locked and self._arrangement == "side"

    @property
    def _arrangement(self) -> Arrangement:
        if self.arrangement is not None:
            return self.arrangement
        if self.size.width >= SIDE_BY_SIDE_WIDTH:
            return "side"
        return "stacked" if self.size.height >= STACKED_HEIGHT else "turns"

    def _follow(self, lead: Side) -> None:
        """Scroll the other pane as far as the one that leads."""
        if not self._together or self._following:
            return
        self._lead = lead
        self._following = True
        if lead == "source":
            self.translation.scroll_to_line(self.source.scroll_offset.y + self._delta)
        else:
            self.source.scroll_to_line(self.translation.scroll_offset.y - self._delta)
        self._following = False

    def _align(self) -> None:
        """Give aligned paragraphs the same line in both panes, or let each have its own."""
        heights = (self.source.page.rows.counts, self.translation.page.rows.counts)
        if self._together:
            beads = self._beads or [Bead((n,), (n,)) for n in range(min(map(len, heights)))]
            tops, height = aligned_tops(beads, heights)
            placed = ((tops[0], height), (tops[1], height))
        else:
            placed = (stacked_tops(heights[0]), stacked_tops(heights[1]))
        for side, (tops_of_side, height) in zip(SIDES, placed, strict=True):
            self.pane(side).place(tops_of_side, height)
        if self._delta:  # each has its own place, and keeps it
            self._delta = self.translation.scroll_offset.y - self.source.scroll_offset.y
        else:
            self._follow(self._lead)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _show_focus(self) -> None:
        self.refresh(*(Region(0, y, self.size.width, 1) for y in self._heading_lines))

    @property
    def _heading_lines(self) -> set[int]:
        return {self.pane(side).region.y - self.content_region.y - 1 for side in SIDES if self.pane(side).display}

    def watch_current(self, current: str | None) -> None:
        """Pass it on."""
        self.source.current = self.translation.current = current

    def watch_locked(self) -> None:
        """Align, or stop it."""
        self._delta = 0
        self._align()

    def watch_arrangement(self) -> None:
        """Arrange anew."""
        self._arrange()

    def watch_front(self) -> None:
        """Show that side, and what was last to be seen of it."""
        self._arrange()
        self.call_after_refresh(self.reveal, *self._revealed)

    def on_resize(self) -> None:
        """The room may call for another arrangement."""
        self._arrange()

    def _arrange(self) -> None:
        arrangement = self._arrangement
        self.set_class(arrangement == "stacked", "-stacked")
        self.set_class(arrangement == "turns", "-turns")
        self._share(arrangement)
        if arrangement == "stacked":
            upper = 1 + max(0, self.size.height - STACKED_BETWEEN) // 2
            self.styles.grid_rows = f"{upper} {max(1, self.size.height - upper)}"
        else:
            self.styles.clear_rule("grid_rows")
        for side in SIDES:
            for widget in (self.pane(side), self._maps[side]):
                widget.set_class(arrangement == "turns" and side != self.front, "-away")
        self._align()

    def _share(self, arrangement: Arrangement) -> None:
        """Give the longer text more of the width, so that aligned paragraphs leave little white between them."""
        cells = [self.pane(side).page.typeset.cells[-1] for side in SIDES]
        if arrangement != "side" or not all(cells):
            self.styles.clear_rule("grid_columns")
            return
        left = min(max(cells[0] / sum(cells), NARROWEST_SHARE), 1 - NARROWEST_SHARE)
        self.styles.grid_columns = f"{left:.2f}fr 1 {1 - left:.2f}fr 1"
