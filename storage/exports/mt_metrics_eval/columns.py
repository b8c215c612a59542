"""Files of one block of lines a system, written while documents come one by one."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NO_REFERENCE = "none"
"""The name of the reference where there is none."""


class Names:
    """Names that files may have, each different, whatever the case."""

    def __init__(self, forbidden: str) -> None:
        self._forbidden = re.compile(forbidden)
        self._names: dict[object, str] = {}
        self._taken = {"all", "src", NO_REFERENCE}

    def of(self, key: object, wanted: str) -> str:
        """Return the name of a thing, as near to the wanted one as may be."""
        if key not in self._names:
            name = self._forbidden.sub("_", wanted)[:60].lstrip(".") or "_"
            first, number = name, 1
            while name.casefold() in self._taken:
                number += 1
                name = f"{first}_{number}"
            self._taken.add(name.casefold())
            self._names[key] = name
        return self._names[key]


class Columns:
    """Files in which each system has a block of lines, while documents come one by one: parts that are joined later."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts: dict[tuple[str, str], tuple[Path, int]] = {}
        self.gaps: Counter[tuple[str, str]] = Counter()
        folder.mkdir()

    def put(self, file: str, system: str, at: int, lines: Sequence[str], filler: str) -> None:
        """Put lines at a place of a system's block; what was passed over is filled."""
        path, count = self._parts.get((file, system)) or (self._folder / str(len(self._parts)), 0)
        with path.open("a", encoding="utf-8", newline="\n") as part:
            part.writelines(f"{line}\n" for line in [filler] * (at - count) + list(lines))
        self.gaps[file, system] += at - count
        self._parts[file, system] = path, at + len(lines)

    def fill(self, file: str, total: int, filler: str) -> None:
        """Make the blocks of a file as long as they must be."""
        for system in self.systems(file):
            self.put(file, system, total, (), filler)

    def systems(self, file: str) -> list[str]:
        """Return the systems that have a block in a file."""
        return [system for name, system in self._parts if name == file]

    def lines(self, file: str, system: str) -> Iterator[str]:
        """Yield the lines of a block."""
        with self._parts[file, system][0].open(encoding="utf-8", newline="\n") as part:
            yield from (line.removesuffix("\n") for line in part)

    def join(self, file: str, target: Path) -> None:
        """Write a file whole."""
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as written:
            for system in sorted(self.systems(file)):
                with self._parts[file, system][0].open("rb") as part:
                    shutil.copyfileobj(part, written)


@dataclass
class Series:
    """Ratings in one file, by one judge or by one layer on one judge's findings, and the scores that they come to."""

    name: str
    human: bool
    sums: dict[str, tuple[float, int]] = field(default_factory=dict)

    def file(self, pair: str, ending: str) -> str:
        """Return the name of a file of this series."""
        if self.human:
            return f"human-scores/{pair}.{self.name}.{ending}"
        return f"metric-scores/{pair}/{self.name}-src.{ending}"


def as_json(value: Any) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def cell(system: str, score: float | None) -> str:
    """Return a line of a file of scores; without a score it is also a line of ratings that was not rated."""
    return f"{system}\t{'None' if score is None else repr(float(score))}"
