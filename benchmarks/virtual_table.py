"""What the table costs: shown with 4,000 and 100,000 rows, and per key, against a bare Textual app in the same run.

CPU time is measured, not wall time, and each key after a moment of quiet, as keys in a burst are coalesced.
"""

from __future__ import annotations

import asyncio
import gc
from statistics import median
from typing import TYPE_CHECKING

from textual.widgets import Static

from benchmarks.meter import Meter
from discox_tui.core.themes import VARIABLES, install
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.widget import Widget

SIZE = (120, 40)
REPEATS = 15
COLUMNS = tuple(
    Column(f"c{number}", f"Column {number}", 8, flex=number % 2, priority=10 - number) for number in range(10)
)


def cells(row: int) -> tuple[Cell, ...]:
    """Ten cells, some Chinese, some styled."""
    return (
        f"law-{row:05}",
        "国家金融监督管理总局",
        ("in progress", "current"),
        *(str(row % (number + 90)) for number in range(5)),
        ("▴ major", "major"),
        ("zh→en", "faint"),
    )


class Counter(Static, can_focus=True):
    """The bare app's widget: a key changes one line."""

    presses = 0

    def on_key(self) -> None:
        """Count."""
        self.presses += 1
        self.update(str(self.presses))


class Bench(Meter):
    """An app with one widget and a meter for what it sends to the terminal."""

    def __init__(self, make: Callable[[], Widget]) -> None:
        super().__init__()
        install(self)
        self.make = make

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The table's colour names."""
        return VARIABLES

    def compose(self) -> ComposeResult:
        """Show the widget."""
        yield self.make()


async def _shown(make: Callable[[], Widget]) -> float:
    """CPU milliseconds from making a widget to its being painted."""
    app, costs = Bench(Static), []
    async with app.run_test(size=SIZE):
        for _ in range(REPEATS):
            await app.screen.remove_children()
            costs.append((await app.cost(lambda: app.screen.mount(make())))[0])
    return median(costs)


async def _pressed(make: Callable[[], Widget], keys: tuple[str, ...]) -> tuple[float, float, float]:
    """Median CPU milliseconds, paints and bytes of a key."""
    app, costs = Bench(make), []
    async with app.run_test(size=SIZE):
        for _ in range(2 * REPEATS):
            for key in keys:
                costs.append(await app.press(key))
    cpu, paints, sent = zip(*costs, strict=True)
    return median(cpu), median(paints), median(sent)


async def _measure() -> list[dict[str, object]]:
    def table(count: int) -> Callable[[], Widget]:
        rows = range(count)
        return lambda: VirtualTable(COLUMNS, cells, rows=rows)

    gc.collect()
    bare = await _shown(Counter)
    few, many = await _shown(table(4_000)), await _shown(table(100_000))
    bare_key = await _pressed(Counter, ("x",))
    move = await _pressed(table(4_000), ("down",))
    move_many = await _pressed(table(100_000), ("down",))
    page = await _pressed(table(100_000), ("pagedown", "end", "home"))

    def line(name: str, value: float, unit: str, target: float | None = None) -> dict[str, object]:
        return {
            "name": name,
            "value": round(value, 2),
            "unit": unit,
            "target": None if target is None else f"≤ {target:g}",
            "ok": None if target is None else value <= target,
        }

    return [
        line("bare widget shown", bare, "ms CPU"),
        line("4,000 rows × 10 shown", few, "ms CPU", 40),
        line("100,000 rows, to 4,000", many / few, "×", 1.2),
        line("bare key", bare_key[0], "ms CPU"),
        line("cursor key, to a bare key", move[0] / bare_key[0], "×", 1.25),
        line("cursor key among 100,000, to 4,000", move_many[0] / move[0], "×", 1.1),
        line("cursor key, paints", move[1], "paints", 1),
        line("cursor key, sent", move[2], "bytes", 2048),
        line("screenful or jump, to a bare key", page[0] / bare_key[0], "×"),
    ]


def measure() -> list[dict[str, object]]:
    """Measure in a headless terminal of 120 × 40; each figure as name, value, unit, target (or None) and ok."""
    return asyncio.run(_measure())


def main() -> None:
    """Print the figures as a table."""
    for figure in measure():
        mark = {True: "ok", False: "MISSED", None: ""}[figure["ok"]]  # type: ignore[index]
        print(
            f"{figure['name']:<36} {figure['value']:>9} {figure['unit']:<7} {figure['target'] or '':<7} {mark}".rstrip()
        )


if __name__ == "__main__":
    main()
