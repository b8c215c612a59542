"""Published figures of DiscoX's authors, exactly as they stand there, to compare one's own with."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from judges.model import DIMENSIONS

Kind = Literal["open", "closed", "domain-specific", "nmt", "human"]
"""The kinds of system that the figures are grouped by: models with and without open weights, models made for
translating, neural machine translation, and people."""
KINDS: tuple[Kind, ...] = get_args(Kind)

Field = Literal["academic", "non-academic"]
"""The two halves that domains belong to."""
FIELDS: tuple[Field, ...] = get_args(Field)
_ACADEMIC = ("academic", "social_science", "natural_science", "humanities", "applied")


@dataclass(frozen=True, slots=True)
class PublishedSystem:
    """One row: the mean total (0-100) and dimensions, by direction likewise, the total by domain; None: not given.

    ``open_source`` None: neither, or not said.
    """

    system: str
    kind: Kind
    open_source: bool | None
    parts: Mapping[str, float]
    directions: Mapping[str, Mapping[str, float]]
    domains: Mapping[str, float]

    def figure(self, cut: str, label: str) -> float | None:
        """The published mean of one ranking, by its cut and label (`judges.ranking.ranking.CUTS`).

        ``label``: the dimension, the direction (``zh-en``), the domain by its published or by the data set's name, a
        half of the domains, the kind of system.
        """
        match cut:
            case "total":
                return self.parts["total"]
            case "kind":
                return self.parts["total"] if label == self.kind else None
            case "academic":
                return self.domains.get(label.replace("-", "_"))
            case "dimension":
                return self.parts.get(label)
            case "direction":
                return self.directions.get(label, {}).get("total")
        return self.domains.get(published().labels.get(label, label))


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Published leaderboard of 21 rows with its basis. ``labels``: the data set's domain → the published one.

    ``averages``: by direction, the mean over the systems of the total and of each dimension. ``ablations``: variants of
    the metric, each with its agreement with humans at the system level, as a share of 1.
    """

    source: str
    judge: str
    articles: int
    notes: tuple[str, ...]
    labels: Mapping[str, str]
    systems: tuple[PublishedSystem, ...]
    averages: Mapping[str, Mapping[str, float]]
    ablations: Mapping[str, float]

    def find(self, system: str) -> PublishedSystem | None:
        """The row of the system of this name, whatever its case and punctuation; None if there is none."""
        name = _normalised(system)
        return next((row for row in self.systems if _normalised(row.system) == name), None)


def kind_of(system: str, said: Mapping[str, Kind] | None = None) -> Kind | None:
    """Return the kind of a system: as is said of its name, else as published; None where neither is."""
    named = {_normalised(name): kind for name, kind in (said or {}).items()}
    row = published().find(system)
    return named.get(_normalised(system)) or (row.kind if row else None)


def field_of(domain: str) -> Field | None:
    """Return the half that a domain belongs to, by its published or by the data set's name; None for another domain."""
    figures = published()
    label = figures.labels.get(domain.strip()) or next(
        (each for each in figures.labels.values() if _normalised(each) == _normalised(domain)), None
    )
    return None if label is None else "academic" if label in _ACADEMIC else "non-academic"


def _normalised(name: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


@cache
def published() -> Published:
    """Read the figures out of the package."""
    data: dict[str, Any] = json.loads(files("judges.metric_s").joinpath("published.json").read_text(encoding="utf-8"))
    systems = tuple(
        PublishedSystem(
            row["system"],
            row["kind"],
            row["open_source"],
            {part: row[part] for part in ("total", *DIMENSIONS)},
            row["direction"],
            row["domain"],
        )
        for row in data["systems"]
    )
    labels = {name: label for label, names in data["labels"].items() for name in names}
    return Published(
        source=data["source"],
        judge=data["judge"],
        articles=data["articles"],
        notes=tuple(data["notes"]),
        labels=labels,
        systems=systems,
        averages=data["average_by_direction"],
        ablations={name: _share(percent) for name, percent in data["system_consistency_of_ablations_percent"].items()},
    )


def _share(percent: float) -> float:
    return round(percent / 100, 6)


@dataclass(frozen=True, slots=True)
class PublishedConsistency:
    """One row of the published table of consistency with humans, as shares of 1; None: not given.

    ``cells``: by level (``system``, ``segment``) and direction. Neither rule for ties nor n were published.
    """

    metric: str
    average: float | None
    cells: Mapping[tuple[str, str], float | None]


@cache
def published_consistency() -> tuple[PublishedConsistency, ...]:
    """Read the published table of consistency out of the package."""
    data = json.loads(files("judges.metric_s").joinpath("published.json").read_text(encoding="utf-8"))

    def share(percent: float | None) -> float | None:
        return None if percent is None else _share(percent)

    return tuple(
        PublishedConsistency(
            row["metric"],
            share(row["average"]),
            {
                (level, direction): share(row[f"{level}_{direction.replace('-', '_')}"])
                for level in ("system", "segment")
                for direction in ("zh-en", "en-zh")
            },
        )
        for row in data["consistency_percent"]
    )
