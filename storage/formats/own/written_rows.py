"""Rows of a data set that this program wrote, in DiscoX's names or its own; they are read back to the letter."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judges.metric_s.reading.rubric import parse_rubric
from judges.model import Article

if TYPE_CHECKING:
    from judges.benchmark.rubric.points import Point

OFFICIAL = {
    "source": "ori_text",
    "rubric": "reference_list",
    "domain": "Primary_Domain",
    "subdomain": "Secondary_Domain",
}
"""Our names of fields that DiscoX's data set calls otherwise."""
SHA256 = "sha256"
OWN = ("article", "direction", "points", "origin", "licence", "version", "filter", SHA256)
"""The fields that stand beside DiscoX's own."""
_TEXTS = ("article", "direction", "domain", "subdomain", "source", "rubric", "prompt", "origin", "licence")
LARGEST = 1 << 53
"""Numbers of articles are below this, as not every reader of JSON knows larger ones exactly."""


@dataclass(frozen=True, slots=True)
class Written:
    """An article as it was written. ``said``: its number, its version, and what the filter came to (None: nothing)."""

    article: Article
    points: tuple[Point, ...]
    origin: str
    licence: str
    said: Mapping[str, Any]


def content_hash(source: str, rubric: str) -> str:
    """Return the SHA-256 of a text and its rubric, with NUL, which neither can hold, between them."""
    return hashlib.sha256(f"{source}\0{rubric}".encode("utf-8", "replace")).hexdigest()


def official(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row that was written by the names of DiscoX's data set."""
    return {OFFICIAL.get(name, name) if SHA256 in row else name: value for name, value in row.items()}


def is_written(names: Collection[str]) -> bool:
    """Tell if a row has the fields by which what was written is known."""
    here = SHA256 in names and "article" in names and ("source" in names or "ori_text" in names)
    return here and "translation" not in names


def unknown(row: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return the fields of a row that are not ``known``, nor are ours where this program wrote it."""
    ours = (*OWN, *OFFICIAL, "prompt_id", "prompt") if is_written(row) else ()
    return {name: value for name, value in row.items() if name not in known and name not in ours}


def is_edited(row: Mapping[str, Any]) -> bool:
    """Tell if the text or the points of a row that was written are others now."""
    source, rubric = _field(row, "source"), _field(row, "rubric")
    return is_written(row) and row[SHA256] != content_hash(f"{source}", f"{rubric}")


def read_written(row: Mapping[str, Any]) -> Written | None:
    """Return what a row was written of, to the letter; None for any other row, and one that was edited."""
    from judges.benchmark.rubric.points import from_json

    if not is_written(row) or is_edited(row):
        return None
    texts = {name: _field(row, name) for name in _TEXTS}
    given, version, number, came = (row.get(name) for name in ("points", "version", "prompt_id", "filter"))
    if not all(isinstance(text, str) for text in texts.values()) or not isinstance(given, list):
        return None
    if not texts["article"].strip() or not texts["source"].strip():
        return None
    if not (_is_count(version) and version and _is_count(number) and isinstance(came, dict | None)):
        return None
    try:
        points = tuple(from_json(point) for point in given)
    except (ValueError, AttributeError):
        return None
    rubric = parse_rubric(texts["rubric"])
    if tuple(point.as_rubric() for point in points) != rubric:
        return None
    article = Article(
        key=texts["article"],
        rubric_text=texts["rubric"],
        rubric=rubric,
        **{name: texts[name] for name in ("source", "direction", "domain", "subdomain", "prompt")},
    )
    said = {"prompt_id": number, "version": version, "filter": came}
    return Written(article, points, texts["origin"], texts["licence"], said)


def _field(row: Mapping[str, Any], name: str) -> Any:
    return row.get(name, row.get(OFFICIAL.get(name, name)))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST
