"""Plots as SVG that stands within a page: it takes the page's colours and needs nothing from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from discox_tui.reports.render.model import Scatter, Shown
from discox_tui.text.safe import safe

SIDE = 320
"""Units of the square that points lie in."""
MANY, STEP = 400, 8
"""Points beyond which those near one another are drawn as one, and how near in units."""
LEFT, BOTTOM, EDGE = 52, 44, 10
"""Room for labels of the axes, and at the other edges."""


def interval_bar(shown: Shown, width: int = 96) -> str:
    """Return a figure as a tick and its interval as a bar on the scale it can have; empty where one is lacking."""
    ends = shown.figure.interval.ends if shown.figure.interval else None
    if shown.scale is None or ends is None or shown.figure.value is None:
        return ""
    low, high = shown.scale

    def at(value: float) -> float:
        return 2 + (width - 4) * (min(max(value, low), high) - low) / (high - low)

    start, end, tick = at(ends[0]), at(ends[1]), at(shown.figure.value)
    return (
        f'<svg class="bar" viewBox="0 0 {width} 10" width="{width}" height="10" aria-hidden="true">'
        f'<path class="axis" d="M2 5H{width - 2}M2 2V8M{width - 2} 2V8M{width / 2:g} 3V7"/>'
        f'<rect class="interval" x="{start:.1f}" y="3" width="{max(end - start, 1):.1f}" height="4"/>'
        f'<path class="tick" d="M{tick:.1f} 0V10"/></svg>'
    )


def scatter(plot: Scatter) -> str:
    """Return the scores as circles, several at one place as a larger one, with the line of equality where it is one."""
    across, up = (plot.limits or _limits(values) for values in (plot.across, plot.up))

    def place(value: float, limits: tuple[float, float]) -> float:
        return SIDE * (value - limits[0]) / (limits[1] - limits[0])

    step = 1 if len(plot.across) <= MANY else STEP
    points = Counter(
        (LEFT + step * round(place(x, across) / step), EDGE + SIDE - step * round(place(y, up) / step))
        for x, y in zip(plot.across, plot.up, strict=True)
    )
    # The area stands for the number; of many points the fullest place touches the next, and no circle covers another.
    unit = 3.0 if step == 1 else step / 2 / max(points.values()) ** 0.5
    width, height = LEFT + SIDE + EDGE, EDGE + SIDE + BOTTOM
    label = f"Scatter plot of {len(plot.across)} {plot.points}: {plot.across_label} across, {plot.up_label} up"
    return "".join(
        (
            f'<svg class="scatter" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" ',
            f'aria-label="{_text(label)}">',
            f'<rect class="frame" x="{LEFT}" y="{EDGE}" width="{SIDE}" height="{SIDE}"/>',
            *_ticks(across, up),
            f'<path class="equal" d="M{LEFT} {EDGE + SIDE}L{LEFT + SIDE} {EDGE}"/>' if plot.limits else "",
            *(
                f'<circle cx="{x}" cy="{y}" r="{min(unit * n**0.5, 12):.1f}"/>'
                for (x, y), n in sorted(points.items())
            ),
            f'<text x="{LEFT + SIDE / 2:g}" y="{height - 6}" text-anchor="middle">{_text(_short(plot.across_label))}',
            "</text>",
            f'<text x="14" y="{EDGE + SIDE / 2:g}" text-anchor="middle" ',
            f'transform="rotate(-90 14 {EDGE + SIDE / 2:g})">{_text(plot.up_label)}</text>',
            "</svg>",
        )
    )  # fmt: skip


def _limits(values: Sequence[float]) -> tuple[float, float]:
    """Return the least and the largest, a little beyond where they are the same."""
    if not values:
        return 0.0, 1.0
    low, high = min(values), max(values)
    return (low, high) if low < high else (low - (abs(low) or 1), high + (abs(high) or 1))


def _ticks(across: tuple[float, float], up: tuple[float, float]) -> Iterator[str]:
    for k in range(5):
        x, y = LEFT + SIDE * k / 4, EDGE + SIDE - SIDE * k / 4
        of_x, of_y = (low + (high - low) * k / 4 for low, high in (across, up))
        yield f'<path class="grid" d="M{x:g} {EDGE}V{EDGE + SIDE}M{LEFT} {y:g}H{LEFT + SIDE}"/>'
        yield f'<text x="{x:g}" y="{EDGE + SIDE + 16}" text-anchor="middle">{of_x:.4g}</text>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:g}" text-anchor="end">{of_y:.4g}</text>'


def _short(words: str, most: int = 44) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


def _text(words: str) -> str:
    return escape(safe(words))
