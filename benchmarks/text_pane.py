"""What the two panes cost: going to the next error, a verdict, a page, a new width, against a bare app and Rich's wrap.

CPU time, not wall time; each key after a moment of quiet, as keys in a burst are coalesced.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from itertools import cycle
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from rich._wrap import divide_line
from textual.events import Key

from benchmarks.virtual_table import Bench, Counter
from discox_tui.text.styles import Mark
from discox_tui.text.wrapping import Typeset
from discox_tui.widgets.paired_texts import PairedTexts
from judges.model import LEVELS, Severity

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = (160, 45)
REPEATS = 40
_SEVERITIES: tuple[Severity, ...] = tuple(dict.fromkeys(level for levels in LEVELS.values() for level in levels))
_CHINESE = "国家金融监督管理总局依照《中华人民共和国银行业监督管理法》，对其“实施监督”；派出机构在授权范围内履职。"
_ENGLISH = (
    "The State Financial Supervision Bureau, pursuant to the “Banking Supervision Law”, supervises its institutions. "
)


def text(unit: str, length: int, paragraph: int = 600) -> str:
    """About ``length`` characters made of ``unit``, in paragraphs of about ``paragraph``."""
    block = (unit * (paragraph // len(unit) + 1))[:paragraph]
    return "\n".join([block] * max(1, length // paragraph))


def marks(length: int, count: int) -> list[Mark]:
    """``count`` marks in a text of ``length``, the first ones early, others anywhere; many overlap."""
    chance = random.Random(7)
    found = []
    for number in range(count):
        start = 30 + number * 37 if number < 10 else chance.randrange(length - 20)
        severity = _SEVERITIES[number % len(_SEVERITIES)]
        found.append(Mark(str(number), start, start + chance.randrange(2, 20), severity, approximate=not number % 7))
    return found


class Review(PairedTexts, can_focus=True, can_focus_children=False):
    """Two panes of which ``]`` shows the next of ten findings in view, ``v`` drops one too, ``p`` turns a page.

    ``s`` selects a row more in the first one, or a row less.
    """

    def __init__(self, zh: int, en: int, count: int) -> None:
        super().__init__()
        self.texts = text(_CHINESE, zh), text(_ENGLISH, en)
        self.found = marks(len(self.texts[0]), count), marks(len(self.texts[1]), count)
        self.turn = cycle(range(10))
        self.pages = cycle((1, -1))

    def on_mount(self) -> None:
        """Show the pair."""
        self.show(*self.texts)
        self.set_marks(*self.found)

    def on_key(self, event: Key) -> None:
        """Do one thing."""
        number = next(self.turn)
        if event.key == "p":
            self.source.scroll_to_line(self.source.scroll_offset.y + next(self.pages) * 30)
            return
        if event.key == "s":
            if self.source.selection is None:
                self.source.start_selection(200)
            if next(self.pages) > 0:
                self.source.action_select_down()
            else:
                self.source.action_select_up()
            return
        spans = [(side[number].start, side[number].end) for side in self.found]
        if event.key == "v":
            for side in self.found:
                side[number] = replace(side[number], dropped=not side[number].dropped)
            self.set_marks(*self.found)
        self.current = str(number)
        self.reveal(*spans)


async def _keys(**apps: tuple[Callable[[], Counter | Review], str]) -> dict[str, tuple[float, float, float]]:
    """Median CPU milliseconds, paints and bytes to the terminal of a key in each app.

    All apps run at once and take turns, a key each, so that whatever else the machine does falls on all alike.
    """
    costs: dict[str, list[tuple[float, int, int]]] = {name: [] for name in apps}
    async with AsyncExitStack() as stack:
        running = {}
        for name, (make, key) in apps.items():
            running[name] = (Bench(make), key)
            await stack.enter_async_context(running[name][0].run_test(size=SIZE))
        await asyncio.sleep(0.2)
        for _ in range(REPEATS):
            for name, (app, key) in running.items():
                costs[name].append(await app.cost(partial(app.post_message, Key(key, None))))
    return {
        name: (median(c[0] for c in each), median(c[1] for c in each), median(c[2] for c in each))
        for name, each in costs.items()
    }


def _rewrap() -> tuple[float, float]:
    """CPU milliseconds of wrapping both texts of 65k characters to another width: ours, and Rich's."""
    texts = text(_CHINESE, 16_000), text(_ENGLISH, 49_000)
    typesets = [Typeset(each) for each in texts]
    lines = [line for each in texts for line in each.split("\n")]

    def spent(act: Callable[[int], object]) -> float:
        costs = []
        for width in range(60, 75):
            started = process_time()
            act(width)
            costs.append((process_time() - started) * 1000)
        return median(costs)

    return (
        spent(lambda width: [typeset.rows(width) for typeset in typesets]),
        spent(lambda width: [divide_line(line, width) for line in lines]),
    )


async def _measure() -> list[dict[str, object]]:
    keys = await _keys(
        bare=(Counter, "]"),
        usual=(lambda: Review(16_000, 49_000, 300), "]"),
        small=(lambda: Review(2_000, 2_000, 10), "]"),
        large=(lambda: Review(390_000, 390_000, 10_000), "]"),
        verdict=(lambda: Review(16_000, 49_000, 60), "v"),
        page=(lambda: Review(16_000, 49_000, 300), "p"),
        select=(lambda: Review(2_000, 2_000, 10), "s"),
        select_large=(lambda: Review(390_000, 390_000, 10_000), "s"),
    )
    bare, usual, small, large, verdict, page, select, select_large = keys.values()
    ours, richs = _rewrap()

    def figure(name: str, value: float, unit: str, target: str | None = None) -> dict[str, object]:
        limit = None if target is None else float(target.split()[1])
        ok = None if limit is None or target is None else value <= limit if target[0] == "≤" else value >= limit
        return {"name": name, "value": round(value, 2), "unit": unit, "target": target, "ok": ok}

    return [
        figure("bare key", bare[0], "ms CPU"),
        figure("next error, to a bare key", usual[0] / bare[0], "×", "≤ 1.25"),
        figure("next error, paints", usual[1], "paints", "≤ 1"),
        figure("next error, sent", usual[2], "bytes", "≤ 2048"),
        figure("390k and 10,000 spans, to 2k and 10", large[0] / small[0], "×", "≤ 1.1"),
        figure("next error and a verdict's marks, to a bare key", verdict[0] / bare[0], "×", "≤ 1.5"),
        figure("next error and a verdict's marks, sent", verdict[2], "bytes"),
        figure("page in both panes, to a bare key", page[0] / bare[0], "×"),
        figure("page in both panes, sent", page[2], "bytes"),
        figure("selecting by a row, to a bare key", select[0] / bare[0], "×"),
        figure("selecting by a row, 390k to 2k", select_large[0] / select[0], "×", "≤ 1.1"),
        figure("selecting by a row, paints", select_large[1], "paints", "≤ 1"),
        figure("selecting by a row, sent", select_large[2], "bytes"),
        figure("rewrap 65k characters", ours, "ms CPU"),
        figure("rewrap, Rich's to ours", richs / ours, "×", "≥ 20"),
    ]


def measure() -> list[dict[str, object]]:
    """Measure in a terminal of 160 × 45 that only counts; each figure as name, value, unit, target (or None), ok."""
    return asyncio.run(_measure())


def main() -> None:
    """Print the figures as a table."""
    for each in measure():
        mark = {True: "ok", False: "MISSED", None: ""}[each["ok"]]  # type: ignore[index]
        print(f"{each['name']:<42} {each['value']:>9} {each['unit']:<7} {each['target'] or '':<7} {mark}".rstrip())


if __name__ == "__main__":
    main()
