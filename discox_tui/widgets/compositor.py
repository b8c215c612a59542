"""Painting at the cost of what changed, alone in its module as it stands on the toolkit's internals.

The toolkit's compositor asks every visible widget for all its lines, then drops those that did not change. Each line
then passes through borders, tints and opacity that ours have not.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate
from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from textual.color import Color

Span = tuple[int, int, int]
"""A stretch of a line of the screen: y, its first cell, the cell after its last."""


class ChangesCompositor(Compositor):
    """The toolkit's compositor with updates of its own; the cells that are sent are the same."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """Return what changed since the last update; None where nothing did."""
        dirty = [seen for region in self._dirty_regions if (seen := region.intersection(self.size.region))]
        self._dirty_regions.clear()
        if not dirty:
            return None
        spans = list(self._regions_to_spans(dirty))
        cuts = {y: {*self.cuts[y]} for y, _, _ in spans}
        for y, left, right in spans:  # or all would be sent from the last cut before a span
            cuts[y] |= {left, right}
        ordered = {y: sorted(line) for y, line in cuts.items()}
        chops: Any = self._chops(spans, ordered)
        ends: Any = {y: line[1:] for y, line in ordered.items()}
        return ChopsUpdate(chops, spans, ends)

    def render_full_update(self, simplify: bool = False) -> LayoutUpdate:
        """Return the whole screen; ``simplify``: for a picture, as the toolkit does it."""
        if simplify:
            return super().render_full_update(simplify)
        self._dirty_regions.clear()
        width, height = self.size
        chops: Any = self._chops([(y, 0, width) for y in range(height)], dict(enumerate(self.cuts)))
        return LayoutUpdate([line.values() for line in chops.values()], self.size.region)

    def _chops(self, spans: Sequence[Span], cuts: Mapping[int, Sequence[int]]) -> dict[int, dict[int, Strip | None]]:
        """Return by line what is painted from each of its cuts on, None outside the spans; nothing covered is asked."""
        chops: dict[int, dict[int, Strip | None]] = {y: dict.fromkeys(line[:-1]) for y, line in cuts.items()}
        missing: defaultdict[int, set[int]] = defaultdict(set)  # line → cuts that nothing is painted in yet
        for y, left, right in spans:
            missing[y].update(x for x, end in zip(cuts[y], cuts[y][1:], strict=False) if x < right and end > left)
        for widget, (region, clip) in self.visible_widgets.items():  # what covers others comes first
            seen = region.intersection(clip)
            first, last = seen.column_span
            within = range(seen.y, seen.bottom)
            wanted = [y for y, xs in missing.items() if y in within and any(first <= x < last for x in xs)]
            for y, strip in _lines(widget, region, seen, wanted):
                inside = [cut for cut in cuts[y] if first <= cut <= last]
                parts = [strip] if len(inside) == 2 else strip.divide([cut - first for cut in inside[1:]])
                for x, part in zip(inside, parts, strict=False):
                    if x in missing[y]:
                        chops[y][x] = part
                missing[y].difference_update(inside[:-1])
                if not missing[y]:
                    del missing[y]
            if not missing:
                break
        return chops


def _lines(widget: Widget, region: Region, seen: Region, wanted: Iterable[int]) -> Iterator[tuple[int, Strip]]:
    """Yield lines of the screen, in order, each with what a widget paints there; those without a gap are asked as one.

    ``region``: where the widget is; ``seen``: the part of it that is in view.
    """
    for _, run in groupby(enumerate(wanted), key=lambda each: each[1] - each[0]):
        lines = [y for _, y in run]
        crop = Region(seen.x - region.x, lines[0] - region.y, seen.width, len(lines))
        yield from zip(lines, widget.render_lines(crop), strict=False)


class Lines(Widget):
    """A widget that paints whole lines on one ground, with nothing around them but padding."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._styles_cache = _PaddedLines()


class _PaddedLines(StylesCache):
    """The lines of a widget as they are sent, until they are to be painted anew."""

    _colours: tuple[Color, Color] | None = None
    _painted_for: object = None
    """The filters and the room that the lines were painted for."""

    def clear(self) -> None:
        """Forget all, as the toolkit wants it when styles change, be it those of what is around the widget."""
        super().clear()
        self._colours = None

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """Return lines of a widget."""
        filters, (width, height), padding = widget.get_line_filters(), widget.region.size, widget.styles.padding
        if self._painted_for != (now := (filters, width, height, padding)):
            self.clear()
            self._painted_for = now
        self._colours = base, background = self._colours or widget.background_colors
        ground = self.get_inner_outer(base, background)[0].rich_style
        top, right, bottom, left = padding
        before, after = ([Segment(" " * cells, ground)] if cells else [] for cells in (left, right))
        for y in crop.line_range:
            if y not in self._cache or y in self._dirty_lines:
                line = widget.render_line(y - top) if top <= y < height - bottom else Strip([])
                segments = [*before, *line.adjust_cell_length(width - left - right, ground), *after]
                for each in filters:
                    segments = each.apply(segments, background)
                self._cache[y] = Strip(segments, width)
        self._dirty_lines.difference_update(crop.line_range)
        lines = [self._cache[y] for y in crop.line_range]
        return lines if crop.column_span == (0, width) else [line.crop(*crop.column_span) for line in lines]
