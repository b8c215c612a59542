"""Passes of one rater over a document, by the rows of an MQM file: what stands, and what came before it.

Rows of one pass stand anywhere in a file, and each has a time of its own. So only what cannot be one pass is two, and
only where the rows say their times: an error and “no error” on one segment, “no error” twice, a row once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from storage.formats.base.items import Annotation, Document, Mark, Remark, Unmarked, again


class TimedRow(NamedTuple):
    """A row as read, when it was written (seconds since 1970, None: the file does not say), and its cells."""

    said: Mark | Unmarked
    at: float | None
    cells: tuple[str, ...]


def passes(
    document: Document,
    annotator: str,
    said: Mapping[int, Sequence[TimedRow]],
    *,
    human: bool,
    others: Sequence[Unmarked],
    kept: Mapping[str, Any],
) -> Iterator[Annotation]:
    """Yield what one rater said of a document before something else that stands, if anything, then what stands.

    ``said``: the rows by segment. ``others``: rows of nobody, which go along.
    """
    stand: dict[int, Sequence[TimedRow]] = {}
    earlier: dict[int, Sequence[TimedRow]] = {}
    why: list[Remark] = []
    for number, rows in said.items():
        standing, gone = _parted(rows)
        stand[number] = standing
        if gone:
            earlier[number] = gone
            what = f"segment “{document.segments[number].id}” of “{document.article[:60]}” by “{document.system[:60]}”"
            where = f"rates {what} again, in line {standing[-1].said.line}"
            why += (again(row.said.line, annotator, where, human=human) for row in gone)
    if earlier:
        yield _annotation(document, annotator, earlier, human=human, others=(), kept=kept, replaced=tuple(why))
    yield _annotation(document, annotator, stand, human=human, others=others, kept=kept, replaced=())


def _parted(rows: Sequence[TimedRow]) -> tuple[Sequence[TimedRow], list[TimedRow]]:
    """Return the rows of one segment that stand, as the file has them, and those that they take the place of."""
    if len(rows) == 1 or any(row.at is None for row in rows):
        return rows, []
    ordered = sorted(rows, key=lambda row: row.at or 0)
    standing = {row.cells: row for row in ordered}
    rated = [row for row in standing.values() if isinstance(row.said, Mark) or row.said.kind == "clean"]
    cleans = [place for place, row in enumerate(rated) if isinstance(row.said, Unmarked)]
    if cleans:
        errors_since = len(rated) - 1 - cleans[-1]
        for row in rated[: -errors_since or -1]:
            del standing[row.cells]
    kept = [row for row in rows if standing.get(row.cells) is row]
    return kept, [row for row in rows if standing.get(row.cells) is not row]


def _annotation(
    document: Document,
    annotator: str,
    said: Mapping[int, Sequence[TimedRow]],
    *,
    human: bool,
    others: Sequence[Unmarked],
    kept: Mapping[str, Any],
    replaced: tuple[Remark, ...],
) -> Annotation:
    rows = [row for of_segment in said.values() for row in of_segment]
    marks = tuple([row.said for row in rows if isinstance(row.said, Mark)])
    unmarked = tuple([row.said for row in rows if isinstance(row.said, Unmarked)])
    rated = {mark.segment for mark in marks} | {row.segment for row in unmarked if row.kind == "clean"}
    times = {
        number: max(row.at for row in of_segment if row.at is not None)
        for number, of_segment in said.items()
        if any(row.at is not None for row in of_segment)
    }
    return Annotation(
        document,
        annotator,
        human,
        marks,
        (*unmarked, *others),
        None if len(rated) == len(document.segments) else frozenset(rated),
        "MQM" if human else "",
        kept=kept,
        line=min(row.said.line for row in rows),
        times=times,
        replaced=replaced,
    )
