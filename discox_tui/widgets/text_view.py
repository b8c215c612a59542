"""The view of one text with its marks, painted row by row and only where it changed."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from discox_tui.text.painting import SIGN, Painting, gutter_width
from discox_tui.text.row_layout import Page, stacked_tops
from discox_tui.text.styles import Looks, Mark, ParagraphMark
from discox_tui.text.widths import Ambiguous, widths
from discox_tui.text.wrapping import Rows, Typeset
from discox_tui.widgets.compositor import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual import events

    from discox_tui.text.segments import Range
    from judges.model import Paragraph

_RIGHT_MARGIN = 1
_CACHED_ROWS = 1000
"""Number of painted rows that are kept."""


class TextView(ScrollView, Lines, can_focus=True):
    """A text that scrolls, with marks on it and a gutter of paragraph numbers and severity signs.

    Every offset is in code points of the text given to :meth:`show`. What a key press costs does not grow with the
    text or the number of marks: only rows in view are ever built, and only rows whose look changed are painted.
    """

    ALLOW_SELECT = False  # Textual's own is off by one on the right half of wide characters
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "text-view--gutter",
        "text-view--unread",
        "text-view--minor",
        "text-view--violated",
        "text-view--major",
        "text-view--critical",
        "text-view--extremely_critical",
        "text-view--approximate",
        "text-view--weak",
        "text-view--dropped",
        "text-view--overlap",
        "text-view--own",
        "text-view--match",
        "text-view--current",
        "text-view--current-weak",
        "text-view--current-sign",
        "text-view--selected",
        "text-view--caret",
    }
    DEFAULT_CSS = """
    TextView {
        overflow: hidden hidden;
        background: $background;
        color: $foreground;

        .text-view--gutter { color: $faint; text-style: $faint-style; }
        .text-view--unread { text-style: underline; }
        .text-view--minor { color: $severity-minor; text-style: underline; }
        .text-view--violated { color: $severity-violated; text-style: uu; }
        .text-view--major { color: $severity-major; text-style: bold underline; }
        .text-view--critical { color: $severity-critical; text-style: bold uu; }
        .text-view--extremely_critical {
            color: $severity-extreme;
            background: $severity-extreme 20%;
            text-style: bold uu;
        }
        .text-view--approximate { text-style: italic; }
        .text-view--weak { background: $foreground 7%; }
        .text-view--dropped { color: $faint; text-style: underline; }
        .text-view--overlap { background: $foreground 15%; }
        .text-view--own { background: $success 22%; text-style: overline; }
        .text-view--match { background: $match; color: $match-text; }
        .text-view--current { background: $current; color: $background; }
        .text-view--current-weak { background: $current 25%; }
        .text-view--current-sign { color: $current; text-style: bold; }
        .text-view--selected { text-style: reverse; }
        .text-view--caret { color: $faint; text-style: bold italic reverse; }

        &:ansi {
            .text-view--extremely_critical { background: ansi_default; text-style: bold uu overline; }
            .text-view--weak { background: ansi_default; text-style: dim; }
            .text-view--overlap { background: ansi_default; text-style: overline; }
            .text-view--own { background: ansi_default; text-style: overline italic; }
            .text-view--dropped { text-style: dim underline; }
            .text-view--match { background: ansi_default; color: $match; text-style: dim reverse; }
            .text-view--current { background: ansi_default; color: $current; text-style: reverse; }
            .text-view--current-weak { background: ansi_default; color: $current; }
        }
    }
    """

    current: reactive[str | None] = reactive(None, repaint=False)
    """The key of the finding that is being looked at: the only thing in the accent colour."""

    looks: reactive[Looks] = reactive(Looks, repaint=False)
    """The marks as they are painted; set by :meth:`show` and :meth:`set_marks`."""

    page: reactive[Page] = reactive(lambda: Page(Typeset(""), Rows([], [], [0]), (), 0), repaint=False)
    """The rows and the lines they are on; set by :meth:`show`, :meth:`place` and a new width."""

    def __init__(self, *, ambiguous: Ambiguous = 1, id: str | None = None, classes: str | None = None) -> None:
        """``ambiguous``: the cells that this terminal gives to “ ” — … and the like."""
        super().__init__(id=id, classes=classes)
        self._widths = widths(ambiguous)
        self._view = Size(0, 0)  # as the rows were made for: a layout may be ahead of it, or hide the pane
        self._gutter_width = 0
        self._paragraph_marks: Sequence[ParagraphMark] = ()
        self._matches: Sequence[tuple[int, int]] = ()
        self._held: tuple[Range, Range] | None = None  # what is selected, and the caret
        self._top_offset = 0
        self.after_wrap: Callable[[], None] = lambda: None
        """Called at once when the rows are other ones: another text, or another width."""
        self.after_scroll: Callable[[], None] = lambda: None
        """Called at once when the pane was scrolled, so that another can follow in the same paint."""
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

    def change_marks(self, key: str, marks: Sequence[Mark], gutter: Sequence[ParagraphMark]) -> bool:
        """Replace the marks of one finding where they stay in their places; return False, with nothing done, if not."""
        before = [mark for mark in self._paragraph_marks if mark.key == key]
        if [mark.paragraph for mark in before] != [mark.paragraph for mark in gutter]:
            return False
        looks = self.looks.replaced(key, marks)
        if looks is None:
            return False
        changed = iter(gutter)
        self._paragraph_marks = tuple(next(changed) if mark.key == key else mark for mark in self._paragraph_marks)
        self.looks = looks
        self._repaint([span for span, _ in looks.spans(key)] + [self._paragraph_start(mark) for mark in gutter])
        return True

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
            page=self.page,
            looks=self.looks,
            paragraph_marks=self._paragraph_marks,
            matches=self._matches,
            current=self.current,
            selected=self._held,
            width=self._view.width,
            gutter_width=self._gutter_width,
            widths=self._widths,
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
                    name = f"text-view--{name}"
                    rules, full = self.get_component_styles(name), self.get_component_rich_style(name)
                    style += Style.from_color(
                        full.color if rules.has_any_rules("color", "auto_color") else None,
                        full.bgcolor if rules.has_rule("background") else None,
                    )
                    style += rules.text_style
            self._styles_by_name[names] = style
        return style

    def _hold(self, held: tuple[Range, Range] | None) -> None:
        """Show something else as selected, and the caret: only rows where either changed are painted."""
        (before, caret_before), (now, caret) = self._held or (None, None), held or (None, None)
        self._held = held
        carets = {caret_before, caret} if caret_before != caret else set()
        self._repaint([*_apart(before, now), *(each for each in carets if each)])

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

    def notify_style_update(self) -> None:
        """Forget what was painted in the old theme."""
        super().notify_style_update()
        self._styles_by_name.clear()
        self._strips.clear()

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
