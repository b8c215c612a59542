"""Points in a plane, by textual-plotext; imported only when a plot is shown.

The library draws in its theme without colours, which reads on every ground and needs no palette of its own; the
points then get the app's colours, beside a sign of their own for each group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle

from rich.style import Style
from rich.text import Text
from textual_plotext import PlotextPlot

from discox_tui.widgets.named_styles import named_style

Points = tuple[Sequence[float], Sequence[float]]

BOLD = Style(bold=True)
SMALLEST = (30, 10)
"""Columns and rows under which a plot says nothing."""


class Scatter(PlotextPlot, can_focus=True):
    """Groups of points over a line of equality, if both axes have the same ends."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "Scatter { padding: 0 1; color: $foreground; background: $background; }"

    def __init__(self, signs: Mapping[str, str], *, id: str | None = None) -> None:
        """``signs``: the character of each group in turn → its style."""
        super().__init__(id=id)
        self._signs = signs
        self.theme = "clear"
        self._ready = False

    def draw(self, groups: Mapping[str, Points], labels: tuple[str, str], ends: tuple[float, float] | None) -> None:
        """Show groups of points. ``labels`` of the axes; ``ends`` of both axes, None: whatever the points take."""
        plot = self.plt
        plot.clear_figure()
        if ends:
            plot.plot(list(ends), list(ends), marker=".")
            plot.xlim(*ends)
            plot.ylim(*ends)
            ticks = [ends[0] + (ends[1] - ends[0]) * k / 4 for k in range(5)]
            plot.xticks(ticks, [f"{tick:g}" for tick in ticks])
            plot.yticks(ticks, [f"{tick:g}" for tick in ticks])
        for sign, (across, up) in zip(cycle(self._signs), groups.values(), strict=False):
            plot.scatter(list(across), list(up), marker=sign)
        plot.xlabel(labels[0])
        plot.ylabel(labels[1])
        self._ready = bool(groups)
        self.refresh()

    def render(self) -> Text:
        """The plot as text in the app's colours."""
        if not self._ready:
            return Text("")
        if self.size.width < SMALLEST[0] or self.size.height < SMALLEST[1]:
            return Text("No room for the plot: it takes {} columns and {} rows.".format(*SMALLEST))
        drawn = super().render()
        assert isinstance(drawn, Text)
        text = Text(drawn.plain, no_wrap=True)
        for sign, style in self._signs.items():
            text.highlight_words([sign], named_style(self.app, style) + BOLD)
        return text
