"""Card of a data set, as hubs of data sets show it: the data sheet, with what they read of it in front."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from discox_tui.reports.benchmark.croissant import Description
from discox_tui.reports.render.model import MARK
from storage.exports.dataset import BuiltArticle

NAME = "README.md"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
"""Classes that hubs put data sets in, by the number of rows below which they are."""
_PLAIN = re.compile(r"[\w .,:/+()-]*", re.ASCII)


def dataset_card(about: Description, files: Sequence[str], built: Sequence[BuiltArticle], sheet: str) -> str:
    """Return the card: front matter in YAML, then a data sheet in Markdown. ``files``: names of the data files beside.

    A licence is named where all articles have the same one, in small letters as hubs have it.
    """
    return "".join(f"{line}\n" for line in _front(about, files, built)) + "\n" + sheet


def _front(about: Description, files: Sequence[str], built: Sequence[BuiltArticle]) -> Iterator[str]:
    yield "---"
    yield f"# {MARK}"
    yield f"pretty_name: {_quoted(about.name)}"
    yield "language:"
    yield from (
        f"- {_quoted(code)}" for code in sorted({c for e in built for c in e.article.direction.split("-") if c})
    )
    licences = {each.candidate.licence for each in built}
    yield f"license: {_quoted(next(iter(licences)).lower() if len(licences) == 1 and all(licences) else 'other')}"
    yield "task_categories:"
    yield "- translation"
    yield "size_categories:"
    yield f"- {next((name for least, name in _SIZES if len(built) < least), '100K<n<1M')}"
    lines = [name for name in files if Path(name).suffix.lower() == ".jsonl"] or [*files]
    if lines:
        yield "configs:"
        yield "- config_name: default"
        yield "  data_files:"
        yield "  - split: test"
        yield f"    path: {_quoted(lines[0])}"
    yield "---"


def _quoted(text: str) -> str:
    """Return a text in quotes of YAML, whatever is in it."""
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"
