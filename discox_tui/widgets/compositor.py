"""Composition of partial updates, alone in its module as it stands on the toolkit's internals.

Only widgets and lines that changed are asked, so that a key's cost does not grow with the screen. The toolkit's own
compositor asks every visible widget for all its lines and then drops those that did not change.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region

if TYPE_CHECKING:
    from textual.strip import Strip


class ChangesCompositor(Compositor):
    """The toolkit's compositor with a partial update of its own; the cells that are sent are the same."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """Return what changed since the last update; None where nothing did."""
        dirty = [seen for region in self._dirty_regions if (seen := region.intersection(self.size.region))]
        self._dirty_regions.clear()
        if not dirty:
            return None
        spans = list(self._regions_to_spans(dirty))
        cuts = self.cuts
        chops: list[dict[int, Strip | None]] = [{} for _ in cuts]
        missing: defaultdict[int, set[int]] = defaultdict(set)  # line → cuts that nothing is painted in yet
        for y, left, right in spans:
            chops[y] = dict.fromkeys(cuts[y][:-1])
            missing[y].update(x for x, end in zip(cuts[y], cuts[y][1:], strict=False) if x < right and end > left)
        for widget, (region, clip) in self.visible_widgets.items():  # what covers others comes first
            seen = region.intersection(clip)
            first, last = seen.column_span
            lines = [y for y, xs in missing.items() if seen.y <= y < seen.bottom and any(first <= x < last for x in xs)]
            if not lines:
                continue
            top = min(lines)
            strips = widget.render_lines(Region(seen.x - region.x, top - region.y, seen.width, max(lines) - top + 1))
            for y in lines:
                inside = [cut for cut in cuts[y] if first <= cut <= last]
                for x, strip in zip(inside, strips[y - top].divide([cut - first for cut in inside[1:]]), strict=False):
                    if x in missing[y]:
                        chops[y][x] = strip
                missing[y].difference_update(inside[:-1])
        return ChopsUpdate(chops, spans, [line[1:] for line in cuts])
