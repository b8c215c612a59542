"""WMT MQM TSV: what came as such goes out row for row; of all else our own words stand in the metadata.

Rows wait on disk until all are known, since a file of the WMT has its own order.
"""

from __future__ import annotations

import json
import re
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from judges.model import Place, Side
from storage.exports.items import Cut, TranslationAnnotation, imported, label, read_annotations
from storage.exports.mqm_scores import SystemScore, by_document, system_scores
from storage.exports.selection import ExportReport, Selection
from storage.formats.base import round_trip
from storage.formats.base.directions import direction_in
from storage.formats.base.items import Annotation, Document, Mark, Unmarked
from storage.formats.wmt.mqm import EXTRA, FORMAT, METADATA, NEW, Layout, quoted
from storage.formats.wmt.mqm_marks import marked
from storage.formats.wmt.mqm_own import AUTOMATIC
from storage.log.events import readable

MAPPING, SCORES = ".mapping.tsv", ".scores.tsv"
"""Endings of the names of files beside: what our categories and severities are written as; MQM scores of systems."""

_BACK = ("judge", "category", "severity", "mqm_category", "mqm_severity", "note")
_CLEAN = "No-error"
_ROWS = {"clean": (_CLEAN, _CLEAN), "quality_check": ("", "HOTW-test"), "other": ("", "")}
"""Labels of a row that is no error, by its kind, where it has none of its own."""


class _Row(NamedTuple):
    """A row of the file: where it belongs in its order, and its cells. ``file``: the number of the file it is from."""

    line: int
    cells: list[str]
    file: int = 0


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write one row for each error and each segment without one, for each judge and each reviewer.

    If all that is chosen came from files of one form, as it stands, the rows are these to the letter, one file's after
    the other's; else all are in the newer form of 10 columns.
    """
    report = ExportReport({"rows": 0, "errors": 0})
    layout = _layout(connection, selection)
    with closing(sqlite3.connect("")) as held:  # a file that is gone when it is closed
        held.execute("CREATE TABLE rows (file INTEGER, line INTEGER, cells TEXT)")
        rows = _as_they_came(connection, selection, layout) if layout else _in_own_words(connection, selection, report)
        for row in rows:
            cells = map(quoted, row.cells) if layout and layout.quoted else row.cells
            held.execute("INSERT INTO rows VALUES (?, ?, ?)", (row.file, row.line, "\t".join(cells)))
            report.counts["rows"] += 1
            report.counts["errors"] += row.cells[8] not in (_CLEAN, "HOTW-test", "")
        with path.open("w", encoding="utf-8", newline="") as file:
            header = layout.header if layout else "\t".join((*NEW, METADATA))
            file.write("" if header is None else f"{header}\n")
            for (text,) in held.execute("SELECT cells FROM rows ORDER BY file, line, rowid"):
                file.write(f"{text}\n")
        (files,) = held.execute("SELECT count(DISTINCT file) FROM rows").fetchone()
        if files > 1:
            report.notes.append(
                f"the rows of {files:,} files stand one file after the other, in the order they came in"
            )
    _tell_direction(connection, selection, path, report)
    report.beside[SCORES] = _table(SystemScore._fields, system_scores(connection, selection))
    if not layout:
        report.beside[MAPPING] = _table(_BACK, selection.mapping.explain_back())
    return report


def _tell_direction(connection: sqlite3.Connection, selection: Selection, path: Path, report: ExportReport) -> None:
    """Say of which direction the file is, which has no column for it, where its name does not."""
    chosen, values = selection.clause(connection)
    where = f"{chosen} AND e.state <> 'no_translation'"
    rows = connection.execute(f"SELECT DISTINCT e.direction FROM evaluations e WHERE {where} ORDER BY 1", values)
    directions = [direction for (direction,) in rows if direction]
    if len(directions) > 1:
        report.notes.append(
            f"the format has no place for the direction, and these are of {', '.join(directions[:5])}: write a "
            "file for each (choose by words)"
        )
    elif directions and direction_in(path.stem) != directions[0]:
        called = f"{path.stem}_{directions[0].replace('-', '')}{path.suffix}"
        report.notes.append(
            f"the format has no place for the direction: call the file {called}, or import it with --direction "
            f"{directions[0]}"
        )


def is_ours(path: Path) -> bool:
    """Return True if the scores that we write beside such a file lie there."""
    try:
        with path.with_name(path.name + SCORES).open(encoding="utf-8") as file:
            return tuple(file.readline().split()) == SystemScore._fields
    except (OSError, ValueError):
        return False


def _table(names: Iterable[str], rows: Iterable[Sequence[object]]) -> str:
    return "".join("\t".join(_SEPARATORS.sub(" ", str(cell)) for cell in line) + "\n" for line in (names, *rows))


# --- as they came ---


def _layout(connection: sqlite3.Connection, selection: Selection) -> Layout | None:
    """Return the form of the files that all that is chosen came from, as it stands; None if there is other work too."""
    chosen, values = selection.clause(connection)
    reviewers, layer = selection.reviewer_clause("v.reviewer")
    where = f"{chosen} AND e.state <> 'no_translation'"
    if connection.execute(f"SELECT 1 FROM evaluations e WHERE {where} AND e.state <> 'not_judged'", values).fetchone():
        return None
    forms = connection.execute(_forms_sql(where, reviewers), (*values, *layer)).fetchall()
    if len(forms) != 1 or forms[0][:2] != ("imported", FORMAT) or forms[0][2] is None:
        return None
    _, _, _, header, tenth, is_quoted = forms[0]
    return Layout(header, tenth, bool(is_quoted))


def _forms_sql(where: str, reviewers: str) -> str:
    """A file without a header has null for it; what was written by us has none at all."""
    return f"""
SELECT DISTINCT v.kind, json_extract(v.changes, '$.file'), json_type(v.changes, '$.kept.header'),
  json_extract(v.changes, '$.kept.header'), json_extract(v.changes, '$.kept.tenth'),
  json_extract(v.changes, '$.kept.quoted')
FROM evaluations e JOIN events v ON v.evaluation_id = e.id
WHERE {where} AND {reviewers} AND {readable("events", "v")} AND v.kind NOT IN ('time', 'opened', 'blind') LIMIT 2
"""


def _as_they_came(connection: sqlite3.Connection, selection: Selection, layout: Layout) -> Iterator[_Row]:
    for file, annotation in imported(connection, selection):
        for mark in annotation.marks:
            yield _row(
                annotation=annotation,
                layout=layout,
                file=file,
                said=mark,
                category=mark.category,
                severity=mark.severity,
            )
        for row in annotation.unmarked:
            yield _row(
                annotation=annotation, layout=layout, file=file, said=row, category=row.category, severity=row.severity
            )


def _row(
    annotation: Annotation, layout: Layout, file: int, said: Mark | Unmarked, category: str, severity: str
) -> _Row:
    document, kept = annotation.document, {**annotation.kept, **said.kept}
    segment = document.segments[said.segment]
    doc_ids = kept.get("doc_id") or kept.get("doc_ids") or str(said.segment + 1)
    cells = [
        document.system,
        document.article,
        doc_ids if isinstance(doc_ids, str) else doc_ids[said.segment],
        kept.get("seg_id") or segment.id,
        kept.get("rater", annotation.annotator),
        *_texts(said, segment.source, segment.translation),
        category,
        severity,
    ]
    if layout.tenth:
        cells.append(kept.get(layout.tenth, ""))
    elif EXTRA in kept:
        cells.append(kept[EXTRA])
    return _Row(said.line, cells, file)


def _texts(said: Mark | Unmarked, source: str, translation: str) -> tuple[str, str]:
    """The two cells of a segment's texts, with what is marked in them."""
    if "target" in said.kept:
        return said.kept["source"], said.kept["target"]
    if isinstance(said, Unmarked) or not said.places:
        return source, translation
    texts: dict[Side, str] = {"source": source, "translation": translation}
    for side, text in texts.items():
        texts[side] = marked(text, [(place.start, place.end) for place in said.places if place.side == side])
    return texts["source"], texts["translation"]


# --- in our own words ---


class _Numbers:
    """The numbers of segments over the whole file: the same for the same segment of an article's translations."""

    def __init__(self) -> None:
        self.article: tuple[str, str, str] | None = None
        self.base = self.end = 0

    def start(self, document: Document, count: int) -> int:
        """Return the number, from 1, of a document's first segment."""
        article = document.direction, document.article, document.segments[0].source
        if article != self.article:
            self.article, self.base = article, self.end
        self.end = max(self.end, self.base + count)
        return self.base + 1


class _Lines:
    """A document as rows show it: its segments, or the lines of both texts where it has one segment."""

    def __init__(self, document: Document) -> None:
        cut = Cut(document)
        self.cut = cut
        self.segmented = len(document.segments) > 1
        texts = cut.texts
        if self.segmented:
            self.lines = [(segment.source, segment.translation) for segment in document.segments]
            self.starts: dict[Side, list[int]] = cut.starts
            return
        split: dict[Side, list[str]] = {side: text.split("\n") for side, text in texts.items()}
        self.starts = {side: _starts(lines) for side, lines in split.items()}
        self.counts = [len(split["source"]), len(split["translation"])]
        self.lines = [
            (source or "", translation or "")
            for source, translation in zip_longest(split["source"], split["translation"])
        ]

    def line_of(self, mark: Mark) -> int:
        """The row's line that a mark is shown on: where it first is in the translation, else in the source."""
        if self.segmented:
            return mark.segment
        place = next((p for p in mark.places if p.side == "translation"), next(iter(mark.places), None))
        return max(0, bisect_right(self.starts[place.side], place.start) - 1) if place else 0

    def shown(self, mark: Mark, line: int) -> Place | None:
        """The part on that line of the mark's first place there: a row shows one."""
        base = 0 if self.segmented else 1
        for place in sorted(mark.places, key=lambda place: place.side == "source"):
            begin = base and self.starts[place.side][line] if line < len(self.starts[place.side]) else 0
            text = self.lines[line][place.side == "translation"]
            start, end = max(0, place.start - begin), min(len(text), place.end - begin)
            if 0 <= start <= end <= len(text):
                return Place(place.side, start, end)
        return None


def _starts(lines: Sequence[str]) -> list[int]:
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _in_own_words(connection: sqlite3.Connection, selection: Selection, report: ExportReport) -> Iterator[_Row]:
    numbers, number, changed = _Numbers(), 0, 0
    for document, several in by_document(read_annotations(connection, selection)):
        lines = _Lines(document)
        first = numbers.start(document, len(lines.lines))
        for cells, hostile in _of_document(several, lines, first, selection):
            number += 1
            safe = [_SEPARATORS.sub(" ", cell) for cell in cells[:-1]]
            changed += hostile or safe != cells[:-1]
            yield _Row(number, [*safe, cells[-1]])
    if changed:
        report.notes.append(
            f"{changed:,} rows hold tabs or line ends, for each of which a space stands, or <v>, for which ‹v› stands; "
            "the metadata has the text"
        )


_SEPARATORS = re.compile(r"[\t\n\r]")


class _Said(NamedTuple):
    """Content of one row: its labels, the place that it shows, and what goes into its metadata."""

    category: str
    severity: str
    shown: Place | None
    own: dict[str, Any]


def _of_document(
    several: list[TranslationAnnotation], lines: _Lines, first: int, selection: Selection
) -> Iterator[tuple[list[str], bool]]:
    """Yield the rows of all that is said of one translation, and whether their texts hold what cells cannot.

    A line that nobody rated has a row without a rater.
    """
    without = set(range(len(lines.lines)))
    for one in several:
        annotation = one.annotation
        by_line = _by_line(annotation, lines, selection)
        without -= by_line.keys()
        rater = _rater(one)
        head: dict[str, Any] = {
            "document": [
                *(one.document.article, one.document.system, one.document.direction),
                *(one.document.domain, one.document.rubric),
            ],
            "pass": [annotation.metric, annotation.score, annotation.kept],
            "rated": None if annotation.rated is None else sorted(annotation.rated),
        }
        for at, held in sorted(by_line.items()):
            for row in held:
                row.own.update(head, human=annotation.human, **({"of": one.of} if one.of else {}))
                head = {}
                yield _cells(document=one.document, lines=lines, at=at, first=first, rater=rater, said=row)
    for at in sorted(without):
        yield _cells(
            document=several[0].document,
            lines=lines,
            at=at,
            first=first,
            rater="",
            said=_Said("", "", None, {"human": None}),
        )


def _rater(one: TranslationAnnotation) -> str:
    """The rater that is written: of a review both names, of a judge one that Marot holds apart from people's."""
    name = one.annotation.annotator
    if one.annotation.human:
        return f"{name} on {one.of}" if one.of else name
    return f"{AUTOMATIC}{name}"


def _by_line(annotation: Annotation, lines: _Lines, selection: Selection) -> dict[int, list[_Said]]:
    """Return what one judge or reviewer says, by line; a line that was rated without an error is clean."""
    by_line: dict[int, list[_Said]] = defaultdict(list)
    for number, mark in enumerate(annotation.marks):
        at = lines.line_of(mark)
        category, severity, _ = label(mark, selection.mapping)
        own = {"n": number, "mark": round_trip.of_mark(mark, None)}
        by_line[at].append(_Said(category, severity, lines.shown(mark, at), own))
    for number, row in enumerate(annotation.unmarked):
        names = _ROWS[row.kind]
        own = {"n": number, "row": round_trip.of_rows([row])[0]}
        by_line[row.segment].append(_Said(row.category or names[0], row.severity or names[1], None, own))
    every = annotation.rated is None or not (lines.segmented or annotation.human)
    for at in range(len(lines.lines)) if every else sorted(annotation.rated or ()):
        if at not in by_line:
            by_line[at].append(_Said(_CLEAN, _CLEAN, None, {}))
    return by_line


def _cells(document: Document, lines: _Lines, at: int, first: int, rater: str, said: _Said) -> tuple[list[str], bool]:
    source, target = texts = lines.lines[at]
    own = said.own | ({"id": document.segments[at].id} if lines.segmented else {"lines": lines.counts})
    hostile = any(_HOSTILE.search(text) for text in texts)
    if hostile:
        own["texts"] = list(texts)
        source, target = (_TAGS.sub(r"‹\1›", text) for text in texts)
    if said.shown and said.shown.side == "source":
        source = marked(source, [said.shown[1:]])
    elif said.shown:
        target = marked(target, [said.shown[1:]])
    note = own["mark"].pop("note", "") if "mark" in own else ""
    told = ({"note": note} if note else {}) | {round_trip.KEY: own}
    metadata = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    ids = str(at + 1), str(first + at)
    cells = [document.system, document.article, *ids, rater, source, target, said.category, said.severity, metadata]
    return cells, hostile


_TAGS = re.compile(r"<(/?v)>")
_HOSTILE = re.compile(rf"{_SEPARATORS.pattern}|{_TAGS.pattern}")
"""Characters that a cell cannot hold as they are."""
