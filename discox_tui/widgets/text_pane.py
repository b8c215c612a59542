"""The pane a linguist reads in for hours: one text with its marks, painted row by row and only where it changed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from discox_tui import actions
from discox_tui.text import selecting, units
from discox_tui.text.looks import Looks, Mark, ParagraphMark
from discox_tui.text.painting import SIGN, Painting, gutter_width
from discox_tui.text.placing import Page, stacked_tops
from discox_tui.text.selecting import Selection
from discox_tui.text.widths import Ambiguous, widths
from discox_tui.text.wrapping import Rows, Typeset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.timer import Timer

    from discox_tui.text.units import Range, Unit
    from judges.model import Paragraph

_RIGHT_MARGIN = 1
_CACHED_ROWS = 1000
"""How many painted rows are kept."""
_DRAG_SCROLL = 0.08
"""Seconds between two steps of scrolling while the pointer is dragged past an edge; a step is up to _FASTEST lines."""
_FASTEST = 5
_PRESSED: tuple[Unit, ...] = (units.cluster, units.word, units.sentence)
"""What is taken hold of by pressing once, twice, three times."""


class TextPane(ScrollView, can_focus=True):
    """A text that scrolls, with marks on it and a gutter of paragraph numbers and severity signs.

    Every offset is in code points of the text given to :meth:`show`. What a key press costs does not grow with the
    text or the number of marks: only rows in view are ever built, and only rows whose look changed are painted.

    Text is selected by dragging (twice pressed: by words; three times: by sentences), with shift to extend, or from
    :meth:`start_selection` on with the keys of ``actions`` that are valid in a selection; all others bubble.
    """

    ALLOW_SELECT = False  # Textual's own is off by one on the right half of wide characters
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("selection"), *ScrollView.BINDINGS]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "text-pane--gutter",
        "text-pane--unread",
        "text-pane--minor",
        "text-pane--violated",
        "text-pane--major",
        "text-pane--critical",
        "text-pane--extremely_critical",
        "text-pane--approximate",
        "text-pane--weak",
        "text-pane--dropped",
        "text-pane--overlap",
        "text-pane--own",
        "text-pane--match",
        "text-pane--current",
        "text-pane--current-weak",
        "text-pane--current-sign",
        "text-pane--selected",
        "text-pane--caret",
    }
    DEFAULT_CSS = """
    TextPane {
        overflow: hidden hidden;
        background: $background;
        color: $foreground;

        .text-pane--gutter { color: $faint; text-style: $faint-style; }
        .text-pane--unread { text-style: underline; }
        .text-pane--minor { color: $severity-minor; text-style: underline; }
        .text-pane--violated { color: $severity-violated; text-style: uu; }
        .text-pane--major { color: $severity-major; text-style: bold underline; }
        .text-pane--critical { color: $severity-critical; text-style: bold uu; }
        .text-pane--extremely_critical {
            color: $severity-extreme;
            background: $severity-extreme 20%;
            text-style: bold uu;
        }
        .text-pane--approximate { text-style: italic; }
        .text-pane--weak { background: $foreground 7%; }
        .text-pane--dropped { color: $faint; text-style: underline; }
        .text-pane--overlap { background: $foreground 15%; }
        .text-pane--own { background: $success 22%; text-style: overline; }
        .text-pane--match { background: $match; color: $match-text; }
        .text-pane--current { background: $current; color: $background; }
        .text-pane--current-weak { background: $current 25%; }
        .text-pane--current-sign { color: $current; text-style: bold; }
        .text-pane--selected { text-style: reverse; }
        .text-pane--caret { color: $faint; text-style: bold italic reverse; }

        &:ansi {
            .text-pane--extremely_critical { background: ansi_default; text-style: bold uu overline; }
            .text-pane--weak { background: ansi_default; text-style: dim; }
            .text-pane--overlap { background: ansi_default; text-style: overline; }
            .text-pane--own { background: ansi_default; text-style: overline italic; }
            .text-pane--dropped { text-style: dim underline; }
            .text-pane--match { background: ansi_default; color: $match; text-style: dim reverse; }
            .text-pane--current { background: ansi_default; color: $current; text-style: reverse; }
            .text-pane--current-weak { background: ansi_default; color: $current; }
        }
    }
    """

    current: reactive[str | None] = reactive(None, repaint=False)
    """The key of the finding that is being looked at: the only thing in the accent colour."""

    looks: reactive[Looks] = reactive(Looks, repaint=False)
    """The marks as they are painted; set by :meth:`show` and :meth:`set_marks`."""

    page: reactive[Page] = reactive(lambda: Page(Typeset(""), Rows([], [], [0]), (), 0), repaint=False)
    """The rows and the lines they are on; set by :meth:`show`, :meth:`place` and a new width."""

    @dataclass
    class MarkClicked(Message):
        """A mark was clicked, or the gutter beside it: the keys of all findings there, the narrowest first."""

        pane: TextPane
        keys: tuple[str, ...]

        @property
        def control(self) -> TextPane:
            """The pane, for ``@on``."""
            return self.pane

    @dataclass
    class Selected(Message):
        """Code points ``[start, end)`` are selected now, none if ``start == end``; of a drag, once it ends."""

        pane: TextPane
        start: int
        end: int

        @property
        def control(self) -> TextPane:
            """The pane, for ``@on``."""
            return self.pane

    def __init__(self, *, ambiguous: Ambiguous = 1, id: str | None = None, classes: str | None = None) -> None:
        """``ambiguous``: the cells that this terminal gives to “ ” — … and the like."""
        super().__init__(id=id, classes=classes)
        self._widths = widths(ambiguous)
        self._view = Size(0, 0)  # as the rows were made for: a layout may be ahead of it, or hide the pane
        self._gutter_width = 0
        self._paragraph_marks: Sequence[ParagraphMark] = ()
        self._matches: Sequence[tuple[int, int]] = ()
        self._top_offset = 0
        self.after_wrap: Callable[[], None] = lambda: None
        """Called at once when the rows are other ones: another text, or another width."""
        self.after_scroll: Callable[[], None] = lambda: None
        """Called at once when the pane was scrolled, so that another can follow in the same paint."""
        self.go_across: Callable[[], None] = lambda: None
        """Called at once when the selection should go on in the other text, if there is one."""
        self.after_clear: Callable[[], None] = lambda: None
        """Called at once when the selection was cleared with a key."""
        self._selection: Selection | None = None
        self._selected: Range | None = None
        self._caret: Range | None = None
        self._starts_at: int | None = None
        self._starts_once_wrapped = False
        self._goal: int | None = None  # the column that moving up and down keeps to
        self._anchor: Range | None = None  # while the button is down
        self._unit: Unit = units.cluster
        self._pointer = self._pressed_at = Offset(-1, -1)
        self._pressed_time = 0.0
        self._presses = 0
        self._dragged = False  # since the button went down
        self._drag_timer: Timer | None = None
        self._strips: dict[int, Strip] = {}
        self._styles_by_name: dict[tuple[str, ...], Style] = {}

    # What is shown

    def show(
        self,
        text: str,
        marks: Sequence[Mark] = (),
        gutter: Sequence[ParagraphMark] = (),
        *,
        paragraphs: Sequence[Paragraph] | None = None,
    ) -> None:
        """Show another text from its beginning, with nothing current.

        Args:
            text: anything; it is made safe here.
            marks: what to highlight.
            gutter: findings that have a paragraph but no place in it.
            paragraphs: what is shown of it, in order; the non-blank lines if not given.
        """
        typeset = Typeset(text, paragraphs, self._widths.ambiguous)
        self._gutter_width = gutter_width(len(typeset.paragraphs), self._widths)
        self._matches = ()
        self._top_offset = 0
        self.current = None
        self._end_drag()
        self._starts_once_wrapped = False
        self._select(None)
        self._paragraph_marks = tuple(gutter)
        self._wrap(typeset)
        self.looks = Looks(tuple(marks), typeset.shown)

    def set_marks(self, marks: Sequence[Mark], gutter: Sequence[ParagraphMark] = ()) -> None:
        """Replace all marks; rows whose marks stay the same are not painted again."""
        before, self.looks = self.looks, Looks(tuple(marks), self.page.typeset.shown)
        gutter_before, self._paragraph_marks = self._paragraph_marks, tuple(gutter)
        touched = [
            each[0]
            for pair in zip_longest(before.spans(), self.looks.spans())
            if pair[0] != pair[1]
            for each in pair
            if each
        ]
        if gutter_before != self._paragraph_marks:
            touched += map(self._paragraph_start, {*gutter_before} ^ {*self._paragraph_marks})
        self._repaint(touched)

    def set_matches(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Highlight what a search found: code-point ranges, in order and apart from each other."""
        before, self._matches = self._matches, tuple(ranges)
        self._repaint(set(before) ^ set(self._matches))

    def watch_current(self, before: str | None, now: str | None) -> None:
        """Paint again the rows of the finding that was current and of the one that is."""
        self._repaint(
            [span for key in (before, now) if key is not None for span, _ in self.looks.spans(key)]
            + [self._paragraph_start(mark) for mark in self._paragraph_marks if mark.key in (before, now)]
        )

    # Where things are

    @property
    def top_offset(self) -> int:
        """The code point at the top of the pane. It stays there when the width changes, and can be set."""
        return self._top_offset

    @top_offset.setter
    def top_offset(self, offset: int) -> None:
        self._top_offset = offset
        self._restore_top()

    @property
    def visible_lines(self) -> range:
        """The lines of the page that are in view."""
        top = round(self.scroll_y)
        return range(top, min(top + self._view.height, self.page.height))

    def place(self, tops: Sequence[int], height: int) -> None:
        """Place paragraph ``p`` at line ``tops[p]`` of ``height`` lines; the text at the top stays there."""
        if tops != self.page.tops or height != self.page.height:
            self._set_page(Page(self.page.typeset, self.page.rows, tops, height))

    def offset_at(self, x: int, y: int) -> int | None:
        """Return the code point painted in cell (x, y) of the pane, or None where there is no text."""
        row = self.page.row_on(y + self.scroll_offset.y)
        return None if row is None else self.page.offset_in(row, x - self._gutter_width)

    # Moving about

    @property
    def allow_vertical_scroll(self) -> bool:
        """The pane scrolls though it has no scrollbar of its own."""
        return True

    def reveal(self, start: int, end: int) -> None:
        """Bring ``[start, end)`` into view; nothing moves if it already is, with some text around it."""
        lines = self.page.lines_of(start, end)
        if not self.is_comfortable(lines):
            self.scroll_to_line(self.best_top(lines))

    def is_comfortable(self, lines: tuple[int, int], top: int | None = None) -> bool:
        """Return whether these lines, or the first screenful of them, are in view if ``top`` were the first line."""
        top = self.scroll_offset.y if top is None else top
        height, margin = self._view.height, self._margin
        first, last = lines[0], min(lines[1], lines[0] + height - 2 * margin - 1)
        below = self.page.height - top - height  # at either end of the text no margin is to be had
        return first >= top + min(margin, top) and last < top + height - min(margin, max(0, below))

    def best_top(self, lines: tuple[int, int]) -> int:
        """Return the line to scroll to so that these lines are a third down the pane, or all seen if they fit."""
        spare = self._view.height - (lines[1] - lines[0] + 1)
        return max(0, min(lines[0] - max(self._margin, spare // 3), self.page.height - self._view.height))

    def scroll_to_line(self, line: int) -> None:
        """Make ``line`` the first in view, as far as there is text. Whoever scrolls the pane does it through this."""
        self.scroll_to(y=line, animate=False)
        self._top_offset = self.page.offset_from(self.scroll_offset.y)
        if self._dragged:
            self._drag()
        self.after_scroll()

    def scroll_by(self, lines: int) -> None:
        """Scroll down, or up if negative; at once, as an animation would be many paints over a slow line."""
        self.scroll_to_line(self.scroll_offset.y + lines)

    def action_scroll_up(self) -> None:
        """Scroll one line up."""
        self.scroll_by(-1)

    def action_scroll_down(self) -> None:
        """Scroll one line down."""
        self.scroll_by(1)

    def action_page_up(self) -> None:
        """Scroll one screenful up, less two lines to keep one's place."""
        self.scroll_by(-max(1, self._view.height - 2))

    def action_page_down(self) -> None:
        """Scroll one screenful down, less two lines."""
        self.scroll_by(max(1, self._view.height - 2))

    def action_scroll_home(self) -> None:
        """Scroll to the beginning."""
        self.scroll_to_line(0)

    def action_scroll_end(self) -> None:
        """Scroll to the end."""
        self.scroll_to_line(self.page.height)

    # Selecting

    @property
    def selection(self) -> Range | None:
        """The code points ``[start, end)`` that are selected, whole grapheme clusters; None if there are none."""
        return self._selected

    def start_selection(self, offset: int | None = None) -> None:
        """Begin a selection at ``offset``, or where the current finding is in view, or at the top of the view.

        A pane that is about to be shown for the first time does it once it is.
        """
        page, visible = self.page, self.visible_lines
        self._starts_once_wrapped = not page.rows.starts
        if self._starts_once_wrapped:
            self._starts_at = offset
            return
        if offset is None:
            spans = [] if self.current is None else [span for span, _ in self.looks.spans(self.current)]
            offset = next((span[0] for span in spans if page.lines_of(*span)[0] in visible), self._top_offset)
        self._take(units.cluster(page.typeset, selecting.caret_at(page, offset)))

    def clear_selection(self) -> None:
        """Select nothing."""
        self._select(None)
        self._say_selected()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys of a selection are valid while there is one."""
        return self._selected is not None if action.startswith("select_") else True

    def action_select_left(self) -> None:
        """Move the caret, the moving end of the selection, one character back."""
        self._move(selecting.left)

    def action_select_right(self) -> None:
        """Move the caret one character on."""
        self._move(selecting.right)

    def action_select_up(self) -> None:
        """Move the caret one row up."""
        self._move_vertically(-1)

    def action_select_down(self) -> None:
        """Move the caret one row down."""
        self._move_vertically(1)

    def action_select_row_start(self) -> None:
        """Move the caret to the beginning of its row."""
        self._move(selecting.row_start)

    def action_select_row_end(self) -> None:
        """Move the caret to the end of its row."""
        self._move(selecting.row_end)

    def action_select_word_back(self) -> None:
        """Move the caret to the beginning of a word."""
        self._move_by(units.word, selecting.back)

    def action_select_word(self) -> None:
        """Move the caret to the end of a word."""
        self._move_by(units.word, selecting.onward)

    def action_select_sentence_back(self) -> None:
        """Move the caret to the beginning of a sentence."""
        self._move_by(units.sentence, selecting.back)

    def action_select_sentence(self) -> None:
        """Move the caret to the end of a sentence."""
        self._move_by(units.sentence, selecting.onward)

    def action_select_paragraph_back(self) -> None:
        """Move the caret to the beginning of a paragraph."""
        self._move_by(units.paragraph, selecting.back)

    def action_select_paragraph(self) -> None:
        """Move the caret to the end of a paragraph."""
        self._move_by(units.paragraph, selecting.onward)

    def action_select_whole_sentence(self) -> None:
        """Select the sentence that the caret is in."""
        self._take(units.sentence(self.page.typeset, self._ends()[1][0]))

    def action_select_swap(self) -> None:
        """Make the other end the one that moves."""
        fixed, caret = self._ends()
        self._take(caret, fixed)

    def action_select_anew(self) -> None:
        """Begin the selection anew where the caret is."""
        self._take(self._ends()[1])

    def action_select_across(self) -> None:
        """Keep the selection and go on in the other text."""
        self.go_across()

    def action_select_nothing(self) -> None:
        """Select nothing."""
        self.clear_selection()
        self.after_clear()

    def _ends(self) -> tuple[Range, Range]:
        """Return the clusters at the end of the selection that stays and at the one that moves."""
        assert self._selection is not None
        return self._selection.ends(self.page.typeset)

    def _move(self, where: Callable[..., int], *more: object) -> None:
        fixed, caret = self._ends()
        self._take(fixed, units.cluster(self.page.typeset, where(self.page, caret[0], *more)))

    def _move_by(self, unit: Unit, where: Callable[[Page, int, int, Unit], int]) -> None:
        fixed, caret = self._ends()
        self._take(fixed, units.cluster(self.page.typeset, where(self.page, fixed[0], caret[0], unit)))

    def _move_vertically(self, step: int) -> None:
        caret = self._ends()[1][0]
        goal = selecting.column(self.page, caret) if self._goal is None else self._goal
        self._move(selecting.vertically, step, goal)
        self._goal = goal

    def _take(self, anchor: Range, head: Range | None = None) -> None:
        """Select from ``anchor`` to ``head`` as a key does it: the caret comes into view, and it is said."""
        self._select(Selection(anchor, head or anchor), follow=True)
        self._say_selected()

    def _say_selected(self) -> None:
        start, end = self._selected or (0, 0)
        self.post_message(self.Selected(self, start, end))

    def _select(self, selection: Selection | None, *, follow: bool = False) -> None:
        """Select something else: only rows where the selection or the caret changed are painted."""
        before, caret_before = self._selected, self._caret
        self._goal = None
        self._selected = None if selection is None else selection.span(self.page.typeset)
        self._selection = selection if self._selected else None
        self._caret = self._ends()[1] if self._selection else None
        carets = {caret_before, self._caret} if caret_before != self._caret else set()
        self._repaint([*_apart(before, self._selected), *(caret for caret in carets if caret)])
        if (before is None) != (self._selected is None):
            self.refresh_bindings()
        if follow and self._caret is not None:
            line, top = self.page.line_of(self.page.rows.at(self._caret[0])), self.scroll_offset.y
            wanted = min(max(top, line + self._margin + 1 - self._view.height), line - self._margin)
            if wanted != top:
                self.scroll_to_line(max(0, wanted))

    # Events

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of a character; of a word or a sentence if it is pressed again; with shift, extend."""
        if event.button != 1:
            return
        point = event.get_content_offset_capture(self)
        again = point == self._pressed_at and event.time - self._pressed_time <= self.app.CLICK_CHAIN_TIME_THRESHOLD
        self._presses = self._presses % len(_PRESSED) + 1 if again and self._presses else 1
        self._pressed_at, self._pressed_time = point, event.time
        self._unit = _PRESSED[self._presses - 1]
        self._pointer = point
        self.capture_mouse()
        extends = event.shift and self._selection is not None
        self._anchor = self._selection.anchor if extends and self._selection else self._pointed()
        self._dragged = bool(extends or self._presses > 1)
        if self._dragged:
            self._drag()
        elif self._selection is not None:
            self.clear_selection()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select up to the pointer; past an edge, scroll on."""
        point = event.get_content_offset_capture(self)
        if point != self._pressed_at:
            self._presses = 0
        if self._anchor is None:
            return
        if point == self._pointer:
            return
        self._pointer, self._dragged = point, True
        self._drag()
        if self._overshoot and self._drag_timer is None:
            self._drag_timer = self.set_interval(_DRAG_SCROLL, lambda: self.scroll_by(self._overshoot))
        elif not self._overshoot:
            self._stop_scrolling()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """The selection stands."""
        if self._anchor is not None and event.button == 1:
            self._end_drag()
            if self._dragged:
                self._say_selected()

    def on_mouse_release(self) -> None:
        """Something else took the mouse."""
        if self.app.mouse_captured is not self:
            self._end_drag()

    def _end_drag(self) -> None:
        if self._anchor is not None:
            self._anchor = None
            self._stop_scrolling()
            self.release_mouse()

    def _stop_scrolling(self) -> None:
        if self._drag_timer is not None:
            self._drag_timer.stop()
            self._drag_timer = None

    @property
    def _overshoot(self) -> int:
        """Lines that the pointer is above (negative) or below the pane, as far as they make scrolling faster."""
        y, height = self._pointer.y, self._view.height
        return max(-_FASTEST, min(y, 0)) + min(_FASTEST, max(0, y - height + 1))

    def _pointed(self) -> Range:
        """Return the unit under the pointer, or the gap."""
        y = max(0, min(self._pointer.y, self._view.height - 1))
        found = selecting.under(self.page, y + self.scroll_offset.y, self._pointer.x - self._gutter_width)
        return self._unit(self.page.typeset, found[0]) if found[0] < found[1] else found

    def _drag(self) -> None:
        if self._anchor is not None:
            self._select(Selection(self._anchor, self._pointed()))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the pane under the pointer."""
        event.stop()
        event.prevent_default()
        self.scroll_by(-round(self.app.scroll_sensitivity_y))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the pane under the pointer."""
        event.stop()
        event.prevent_default()
        self.scroll_by(round(self.app.scroll_sensitivity_y))

    def on_resize(self) -> None:
        """Wrap again if the width is another one."""
        before, self._view = self._view, self.size
        if before.width != self._view.width:
            self._wrap(self.page.typeset)
            if self._starts_once_wrapped:
                self.start_selection(self._starts_at)

    def on_click(self, event: events.Click) -> None:
        """Say what was clicked, if nothing was selected with it."""
        if self._dragged:
            return
        point = event.get_content_offset(self)
        if point is None:
            return
        marks: Sequence[Mark | ParagraphMark] = ()
        if (offset := self.offset_at(point.x, point.y)) is not None:
            marks = self.looks.at(offset)
        elif point.x < self._gutter_width and (row := self.page.row_on(point.y + self.scroll_offset.y)) is not None:
            marks = self._painting.signs(row)
        if marks:
            self.post_message(self.MarkClicked(self, tuple(dict.fromkeys(mark.key for mark in marks))))

    def notify_style_update(self) -> None:
        """Forget what was painted in the old theme."""
        super().notify_style_update()
        self._styles_by_name.clear()
        self._strips.clear()

    # Painting

    def render_line(self, y: int) -> Strip:
        """Return line ``y`` of the pane, building it if it was not seen since it changed."""
        row = self.page.row_on(y + round(self.scroll_y))
        if row is None:
            return Strip.blank(self._view.width, self._style())
        strip = self._strips.get(row)
        if strip is None:
            if len(self._strips) >= _CACHED_ROWS:
                self._strips.clear()
            strip = self._strips[row] = self._build(row)
        return strip

    def _build(self, row: int) -> Strip:
        segments: list[Segment] = []
        for text, names in self._painting.pieces(row):
            style = self._style(*names)
            if segments and segments[-1].style is style:
                segments[-1] = Segment(segments[-1].text + text, style)
            elif text:
                segments.append(Segment(text, style))
        return Strip(segments, self._view.width)

    @property
    def _painting(self) -> Painting:
        """All that decides what rows look like now."""
        return Painting(
            self.page,
            self.looks,
            self._paragraph_marks,
            self._matches,
            self.current,
            None if self._selected is None or self._caret is None else (self._selected, self._caret),
            self._view.width,
            self._gutter_width,
            self._widths,
        )

    def _style(self, *names: str) -> Style:
        """Return the pane's own style with those of these component classes laid over it."""
        style = self._styles_by_name.get(names)
        if style is None:
            style = self.rich_style
            if names[:1] == (SIGN,):
                style += Style.from_color(self._style(*names[1:]).color)
            else:
                for name in names:
                    name = f"text-pane--{name}"
                    rules, full = self.get_component_styles(name), self.get_component_rich_style(name)
                    style += Style.from_color(
                        full.color if rules.has_any_rules("color", "auto_color") else None,
                        full.bgcolor if rules.has_rule("background") else None,
                    )
                    style += rules.text_style
            self._styles_by_name[names] = style
        return style

    def _repaint(self, spans: Iterable[tuple[int, int]]) -> None:
        """Forget and repaint the rows that these stretches of text are on."""
        page, top, (width, height) = self.page, round(self.scroll_y), self._view
        regions = []
        for row in {row for start, end in spans for row in self._seen(page.rows_of(start, end))}:
            del self._strips[row]
            line = page.line_of(row) - top
            if 0 <= line < height:
                regions.append(Region(0, line, width, 1))
        if regions:
            self.refresh(*regions)

    def _seen(self, rows: range) -> Iterable[int]:
        """Return those of ``rows`` that were painted: only these can be out of date."""
        return (
            [row for row in rows if row in self._strips]
            if len(rows) < len(self._strips)
            else [row for row in self._strips if row in rows]
        )

    # Wrapping and placing

    @property
    def _margin(self) -> int:
        """Lines of context wanted above and below what is revealed."""
        return min(3, self._view.height // 5)

    def _wrap(self, typeset: Typeset) -> None:
        width = self._view.width - self._gutter_width - _RIGHT_MARGIN
        rows = typeset.rows(max(1, width)) if self._view.width else Rows([], [], [0])
        self._strips.clear()
        self._set_page(Page(typeset, rows, *stacked_tops(rows.counts)))
        self.after_wrap()

    def _set_page(self, page: Page) -> None:
        self.page = page
        self.virtual_size = Size(self._view.width, page.height)
        self._restore_top()
        self.refresh()

    def _restore_top(self) -> None:
        row = self.page.rows.at(self._top_offset)
        self.scroll_to(y=self.page.line_of(row) if self._top_offset and self.page.rows.starts else 0, animate=False)

    def _paragraph_start(self, mark: ParagraphMark) -> tuple[int, int]:
        paragraphs = self.page.typeset.paragraphs
        start = paragraphs[mark.paragraph].start if mark.paragraph < len(paragraphs) else 0
        return start, start + 1


def _apart(one: Range | None, other: Range | None) -> list[Range]:
    """Return where two ranges differ; where they are apart, with what is between them."""
    if one is None or other is None:
        return [each for each in (one, other) if each is not None]
    return [(min(edges), max(edges)) for edges in zip(one, other, strict=True) if edges[0] != edges[1]]
