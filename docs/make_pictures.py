"""The pictures of the docs, drawn by the program itself: ``python -m docs.make_pictures`` after a screen changed."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from discox_tui.app import DiscoxApp
from discox_tui.cli.sample import load_sample
from discox_tui.config.paths import Settings
from discox_tui.core.themes import DEFAULT_THEME
from storage.integrity.opening import open_library
from storage.reviews.queue import Queue

SIZE = (160, 45)
"""Columns and rows of the terminal in the picture."""

REVIEWED = "law-01 heron-14b"
"""The article and the system whose review is shown."""

KEYS = ("s", "2", "]", "a", "a", "a", "x", "a", "a", "a", "x", *["["] * 9)
"""What the reviewer has pressed: a severity made worse, one passed over, two errors rejected, the others agreed with,
and back to the one passed over."""

FONT = "Menlo, Consolas, 'DejaVu Sans Mono', monospace"
"""Fonts that a reader's machine may have; the picture loads none."""


async def review() -> str:
    """Return the Review screen as SVG, in the middle of the work on one evaluation of the sample."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        connection = open_library(Path(folder) / "sample.db")
        load_sample(connection)
        identity = Queue(connection, "you", words=REVIEWED)[0].id
        app = DiscoxApp(connection, "you", Settings(theme=DEFAULT_THEME), start=identity)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause(0.5)
            for key in KEYS:
                await pilot.press(key)
                await pilot.pause()
            await pilot.pause(0.5)
            svg = app.export_screenshot(title="discox")
        connection.close()
    return without_web_fonts(svg)


def without_web_fonts(svg: str) -> str:
    """Return the picture without the fonts that Rich would have it load from the internet."""
    svg = re.sub(r"\s*@font-face \{[^}]*\}", "", svg)
    svg = svg.replace("font-family: Fira Code, monospace", f"font-family: {FONT}")
    # Beside Latin text this would draw ASCII punctuation two cells wide in fonts that know the feature.
    return re.sub(r"\s*font-variant-east-asian: full-width;", "", svg)


def main() -> None:
    """Write every picture beside this file."""
    (Path(__file__).parent / "review.svg").write_text(asyncio.run(review()), encoding="utf-8")


if __name__ == "__main__":
    main()
