"""Packs of examples as they are read and kept, and the articles that a judge was shown examples of.

What a judge was shown decides whether its scores may be audited: a pack stays in the library for good, and the
signature names its articles, so that another library knows them as well.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from judges.metric_s.protocol.few_shot import Example, ExampleError, FewShotSet, text_hash
from judges.metric_s.protocol.signature import Signature
from storage.base.errors import StorageError
from storage.base.text import named_by, storable, utc
from storage.db.connection import insert
from storage.formats.io.json_objects import objects_by_line
from storage.formats.io.rows import LeftOut

Wrong = tuple[int, str, str]
"""Line number, field, what is wrong with it and how to mend it."""


def read_examples(path: Path) -> tuple[list[Example], list[Wrong]]:
    """Read a file of examples, one JSON object a line; return them, and the lines that are none.

    Raises FormatError if the file cannot be read at all.
    """
    examples: list[Example] = []
    wrong: list[Wrong] = []
    for row in objects_by_line(path):
        if isinstance(row, LeftOut):
            wrong.append((row.line, row.field or "(line)", row.reason))
            continue
        try:
            examples.append(Example.of(row.value))
        except ExampleError as error:
            wrong.append((row.line, error.field, str(error)))
    return examples, wrong


def pack_of(path: Path, examples: list[Example], folds: int) -> FewShotSet:
    """Return a file's examples as a pack under the file's name. Raises StorageError where they make none."""
    try:
        return FewShotSet.of(storable(path.stem), examples, folds)
    except ValueError as error:
        raise StorageError(f"{path}: {error}") from None


def keep_pack(connection: sqlite3.Connection, pack: FewShotSet) -> None:
    """Keep a pack; the same examples again change nothing. Call inside a transaction."""
    row: dict[str, object] = {
        "id": pack.id,
        "at": utc(datetime.now(UTC), "seconds"),
        "name": pack.name,
        "entries": len(pack.examples),
        "content": pack.content,
    }
    insert(connection, "packs", [row], or_ignore=True)


@dataclass(frozen=True, slots=True)
class KeptPack:
    """A pack in the library: when it came, under which name, how many examples, and how many evaluations by it."""

    id: str
    at: str
    name: str
    examples: int
    articles: int
    evaluations: int


def read_packs(connection: sqlite3.Connection) -> list[KeptPack]:
    """Return the packs of a library in the order they came."""
    used: dict[str, int] = dict(connection.execute(_USED).fetchall())
    rows = connection.execute(_PACKS)
    return [
        KeptPack(pack, at, name, examples, articles, used.get(pack, 0)) for pack, at, name, examples, articles in rows
    ]


def pack_examples(connection: sqlite3.Connection, beginning: str) -> list[dict[str, Any]]:
    """Return the examples of the pack with this id, or whose id begins so, as JSON objects.

    Raises StorageError where not one does.
    """
    found = named_by(beginning, (identity for (identity,) in connection.execute("SELECT id FROM packs")))
    if len(found) != 1:
        what = f"{len(found)} packs have an id that begins" if found else "no pack has an id that begins"
        raise StorageError(f"{what} with {beginning!r:.40}; `discox pack list` shows them")
    (content,) = connection.execute("SELECT content FROM packs WHERE id = ?", found).fetchone()
    return [json.loads(line) for line in content.splitlines()]


def articles_shown(connection: sqlite3.Connection, signature: str | None) -> frozenset[str]:
    """Return the ids of the articles here that a judge had seen people's verdicts on when it judged them.

    ``signature``: its text; None or none of Metric-S's: nothing is known to have been shown. An article is one of the
    pack's by its key or by its text. None where the examples were cross-fitted: then no article was judged with any
    of its own.
    """
    says = _parsed(signature)
    if says is None or not says.examples_of or says.cross_fitted:
        return frozenset()
    keys, sources = {key for key, _ in says.examples_of}, {source for _, source in says.examples_of}
    articles = connection.execute("SELECT id, key, source FROM articles")
    return frozenset(each for each, key, source in articles if key in keys or text_hash(source) in sources)


def folds_of(signature: str | None) -> int:
    """Return into how many folds the articles were dealt, so that none was judged with examples of its own, or 0."""
    says = _parsed(signature)
    return int(says.cross_fitted or 0) if says else 0


def _parsed(signature: str | None) -> Signature | None:
    try:
        return Signature.parse(signature or "")
    except ValueError:
        return None


_PACKS = """
SELECT id, at, name, entries,
  (SELECT count(DISTINCT json_extract(each.value, '$.source_hash'))
   FROM json_each('[' || replace(rtrim(content, char(10)), char(10), ',') || ']') each)
FROM packs ORDER BY at, id
"""
_USED = """
SELECT substr(json_extract(s.fields, '$.examples'), -20) AS pack, count(*)
FROM signatures s JOIN evaluations e ON e.signature_id = s.id
WHERE json_type(s.fields, '$.examples') = 'text' GROUP BY pack
"""
