"""Plots of the consistency figures as plain characters."""

from __future__ import annotations

from collections.abc import Sequence

SMALLEST = (30, 10)
"""Columns and lines under which a plot says nothing."""


def scatter(judge: Sequence[float], human: Sequence[float], top: int, width: int, height: int) -> str:
    """Plot judge's score (across) against the reviewers' (up), each from 0 to ``top``, with the line of equality.

    Returns at most ``height`` lines of at most ``width`` cells without colour or escapes: pass it through
    `rich.text.Text` as it is. Under two points, or without room, it is a sentence that says so. The plotting
    library keeps one figure for the whole process: call from one thread at a time.
    """
    if len(judge) < 2:
        return f"Too few documents to plot: {len(judge)} of at least 2."
    if width < SMALLEST[0] or height < SMALLEST[1]:
        return "No room for the plot: it takes {} columns and {} lines.".format(*SMALLEST)
    import plotext  # type: ignore[import-untyped]

    plotext.clear_figure()
    plotext.limit_size(False, False)
    plotext.plot_size(width, height)
    plotext.theme("clear")
    plotext.plot([0, top], [0, top], marker=".")
    plotext.scatter(judge, human, marker="o")
    for limit, ticks in ((plotext.xlim, plotext.xticks), (plotext.ylim, plotext.yticks)):
        limit(0, top)
        ticks([0, top / 4, top / 2, 3 * top / 4, top], [f"{top * k // 4}" for k in range(5)])
    plotext.xlabel("judge")
    plotext.ylabel("reviewers")
    lines = plotext.uncolorize(plotext.build()).splitlines()
    return "\n".join(line.rstrip() for line in lines)
