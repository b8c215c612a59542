"""The pane of a text in which a linguist selects: with the mouse, with keys, by characters, words and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Offset
from textual.message import Message
from textual.scroll_view import ScrollView

from discox_tui.core import actions
from discox_tui.text import segments
from discox_tui.text import selection as selecting
from discox_tui.text.selection import Selection
from discox_tui.text.styles import Mark, ParagraphMark
from discox_tui.widgets.text_view import TextView
from storage.base.text import storable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.timer import Timer

    from discox_tui.text.row_layout import Page
    from discox_tui.text.segments import Range, Unit
    from discox_tui.text.widths import Ambiguous
    from discox_tui.text.wrapping import Typeset

_DRAG_SCROLL = 0.08
"""Seconds between two steps of scrolling while the pointer is dragged past an edge; a step is up to _FASTEST lines."""
_FASTEST = 5
_PRESSED: tuple[Unit, ...] = (segments.cluster, segments.word, segments.sentence)
"""Units that are selected by one, two and three presses."""


class TextPane(TextView):
    """A text to read, mark and select in.

    Text is selected by dragging (twice pressed: by words; three times: by sentences), with shift to extend, or from
    :meth:`start_selection` on with the keys of ``actions`` that are valid in a selection; all others bubble.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("selection"), *ScrollView.BINDINGS]

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

    @dataclass
    class Copied(Message):
        """So many characters were put on the clipboard."""

        count: int

    def __init__(self, *, ambiguous: Ambiguous = 1, id: str | None = None, classes: str | None = None) -> None:
        """``ambiguous``: the cells that this terminal gives to “ ” — … and the like."""
        super().__init__(ambiguous=ambiguous, id=id, classes=classes)
        self.go_across: Callable[[], None] = lambda: None
        """Called at once when the selection should go on in the other text, if there is one."""
        self.after_clear: Callable[[], None] = lambda: None
        """Called at once when the selection was cleared with a key."""
        self._selection: Selection | None = None
        self._starts_at: int | None = None
        self._starts_once_wrapped = False
        self._goal: int | None = None  # the column that moving up and down keeps to
        self._anchor: Range | None = None  # while the button is down
        self._unit: Unit = segments.cluster
        self._pointer = self._pressed_at = Offset(-1, -1)
        self._pressed_time = 0.0
        self._presses = 0
        self._dragged = False  # since the button went down
        self._drag_timer: Timer | None = None

    # As the text changes or moves

    def scroll_to_line(self, line: int) -> None:
        """Make ``line`` the first in view; a selection that is being dragged goes with it."""
        super().scroll_to_line(line)
        if self._dragged:
            self._drag()

    def _wrap(self, typeset: Typeset) -> None:
        if typeset is not self.page.typeset:  # another text, of which nothing is selected
            self._end_drag()
            self._starts_once_wrapped = False
            self._select(None)
        super()._wrap(typeset)
        if self._starts_once_wrapped:
            self.start_selection(self._starts_at)

    # With keys

    @property
    def selection(self) -> Range | None:
        """The code points ``[start, end)`` that are selected, whole grapheme clusters; None if there are none."""
        return self._held and self._held[0]

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
        self._take(segments.cluster(page.typeset, selecting.caret_at(page, offset)))

    def clear_selection(self) -> None:
        """Select nothing."""
        self._select(None)
        self._say_selected()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys of a selection are valid while there is one."""
        return self._held is not None if action.startswith("select_") else True

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
        self._move_by(segments.word, selecting.back)

    def action_select_word(self) -> None:
        """Move the caret to the end of a word."""
        self._move_by(segments.word, selecting.onward)

    def action_select_sentence_back(self) -> None:
        """Move the caret to the beginning of a sentence."""
        self._move_by(segments.sentence, selecting.back)

    def action_select_sentence(self) -> None:
        """Move the caret to the end of a sentence."""
        self._move_by(segments.sentence, selecting.onward)

    def action_select_paragraph_back(self) -> None:
        """Move the caret to the beginning of a paragraph."""
        self._move_by(segments.paragraph, selecting.back)

    def action_select_paragraph(self) -> None:
        """Move the caret to the end of a paragraph."""
        self._move_by(segments.paragraph, selecting.onward)

    def action_select_whole_sentence(self) -> None:
        """Select the sentence that the caret is in."""
        self._take(segments.sentence(self.page.typeset, self._ends()[1][0]))

    def action_select_swap(self) -> None:
        """Make the other end the one that moves."""
        fixed, caret = self._ends()
        self._take(caret, fixed)

    def action_select_anew(self) -> None:
        """Begin the selection anew where the caret is."""
        self._take(self._ends()[1])

    def action_select_copy(self) -> None:
        """Put what is selected on the clipboard, as it is in the text."""
        start, end = self.selection or (0, 0)
        self.app.copy_to_clipboard(storable(self.page.typeset.text[start:end]))
        self.post_message(self.Copied(end - start))

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
        self._take(fixed, segments.cluster(self.page.typeset, where(self.page, caret[0], *more)))

    def _move_by(self, unit: Unit, where: Callable[[Page, int, int, Unit], int]) -> None:
        fixed, caret = self._ends()
        self._take(fixed, segments.cluster(self.page.typeset, where(self.page, fixed[0], caret[0], unit)))

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
        start, end = self.selection or (0, 0)
        self.post_message(self.Selected(self, start, end))

    def _select(self, selection: Selection | None, *, follow: bool = False) -> None:
        """Select something else."""
        before, span = self._held, None if selection is None else selection.span(self.page.typeset)
        self._goal = None
        self._selection = selection if span else None
        self._hold((span, self._ends()[1]) if span else None)
        if (before is None) != (self._held is None):
            self.refresh_bindings()
        if follow and self._held is not None:
            line, top = self.page.line_of(self.page.rows.at(self._held[1][0])), self.scroll_offset.y
            wanted = min(max(top, line + self._margin + 1 - self._view.height), line - self._margin)
            if wanted != top:
                self.scroll_to_line(max(0, wanted))

    # With the mouse

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
