"""The WMT's MQM ratings: tab-separated rows, one for each error or segment without one, in all their variants.

Rows of a document may lie anywhere in the file: they wait in memory while they are few, and on disk from then on.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from judges.model import Place, Places
from storage.base.groups import Groups
from storage.formats.base import round_trip
from storage.formats.base.directions import direction_in, direction_told
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import (
    Annotation,
    Document,
    Mark,
    Remark,
    RowKind,
    Segment,
    Unmarked,
)
from storage.formats.io.head import Head
from storage.formats.io.input_file import AnyFile, InputFile
from storage.formats.io.json_objects import json_value
from storage.formats.io.lines import UNDECODABLE, FormatError, not_utf8, read_lines
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import moment
from storage.formats.wmt.mqm_marks import Stretches, unmarked
from storage.formats.wmt.mqm_own import own_annotations
from storage.formats.wmt.mqm_passes import TimedRow, passes
from storage.formats.wmt.mqm_tables import as_tsv, is_table

FORMAT = "wmt-mqm"

OLD = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
NEW = ("system", "doc", "docSegId", "globalSegId", *OLD[4:])
COMMENT, METADATA, EXTRA = "comment", "metadata", "extra"
"""Kinds of a tenth cell: the older files' comment, the newer ones' JSON, or one that the header has no name for."""

UNNAMED = "unnamed rater"
"""The reviewer that errors are whose rater the file leaves empty."""

HELD = 2_500_000
"""Characters of rows that wait in memory; from then on all wait on disk."""

NO_STRETCH = "no stretch is marked; it is of the whole segment"
BROKEN = "the marks <v> and </v> do not make pairs"
OTHER_TEXT = "the row has another text than its segment"

_NOT_LETTERS = re.compile(r"[\s_-]+")

_Line = tuple[int, str]
"""A line of the file and its number."""
_Row = tuple[int, list[str]]
"""A row's line, and its cells."""
_Read = tuple[int, list[str], str, str, Stretches | None, Stretches | None]
"""A row, its two texts as they are without marks, and what is marked in each (None: no pairs)."""


class Layout(NamedTuple):
    """The layout of a file. ``header``: its first line, None where it has none; ``tenth``: what a tenth cell is."""

    header: str | None
    tenth: str | None
    quoted: bool = False

    @property
    def width(self) -> int:
        """The number of cells of a row."""
        return 10 if self.tenth else 9


class WmtMqm(Format):
    """The WMT's MQM ratings. A system's translation of a document is one document, its segments by their global ids."""

    name, title = FORMAT, "WMT MQM TSV"
    needed = OLD

    def sniff(self, head: Head) -> bool:
        """Tell if the first row is the header of such a table, or one of its rows."""
        first = next((line for _, line in read_lines(head.file) if line), "")
        return first != "" and (_layout(head.file, first) is not None or is_table(head.file))

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield documents' annotations, documents as they come first, and the rows that cannot be taken."""
        yield from _read(file, options)


def _read(path: AnyFile, options: ReadOptions) -> Iterator[Document | Annotation | LeftOut | Remark]:
    first = next((line for _, line in read_lines(path) if line), "")
    layout = _layout(path, first)
    if layout is None and is_table(path):
        with as_tsv(path) as (tsv, told):
            yield from (item for item in told if isinstance(item, Remark))
            yield from _read(tsv, options)
            yield from (item for item in told if isinstance(item, LeftOut))
        return
    if layout is None:
        raise FormatError(
            f"{path}: begins with {first.split(chr(9))[:4]!r:.80}; expected a row of 9 or 10 cells parted by tabs, or "
            f"the header {' '.join(OLD[:5])} …; check that this is the right file"
        )
    if layout.quoted:
        message = "cells are quoted as in CSV (doubled quotes within quotes): they were unquoted; other files are raw"
        yield Remark(1, "quoted", "", message)
    direction = options.direction or ""
    if not direction and (direction := direction_in(path.stem)):
        yield Remark(1, *direction_told(direction))
    elif not direction:
        message = (
            "the file does not say from and to which language; name it like …_zhen.tsv, or give it with --direction"
        )
        yield Remark(1, "direction", "", message)
    for lines in _by_document(path, layout.header):
        rows, left_out = _rows(lines, layout)
        yield from left_out
        if rows:
            yield from _annotations(rows, layout, direction, options.judge)


# --- rows ---


def _layout(path: AnyFile, first: str) -> Layout | None:
    """Return how a file is written, by its first row that is not empty; None if it is another table."""
    quoted = '"' in first and _is_quoted(path)
    cells = [_unquoted(cell) if quoted else cell for cell in first.split("\t")]
    names = tuple(cells)
    if names[:2] == OLD[:2]:
        rest = names[9:]
        if names[:9] not in (OLD, NEW) or len(names) > 11 or (len(rest) == 2 and not rest[1].startswith("#")):
            return None
        if rest and rest[0] not in (COMMENT, METADATA):
            return None
        return Layout(first, rest[0] if rest else None, quoted or _is_quoted(path))
    if len(cells) not in (8, 9, 10) or not _is_rating(cells[7:9]):
        return None
    tenth = (METADATA if cells[9].startswith("{") else COMMENT) if len(cells) == 10 else None
    return Layout(None, tenth, quoted or _is_quoted(path))


def _is_rating(cells: list[str]) -> bool:
    return bool(cells[1:]) and _plain(cells[1]) in ("major", "minor", "neutral", "critical", "noerror", "hotwtest")


def _is_quoted(path: AnyFile) -> bool:
    """Tell if every cell with a quote is one within quotes, its own doubled, and some is; stops at the first other."""
    doubled = False
    for _, line in read_lines(path):
        if '"' in line:
            for cell in line.split("\t"):
                if '"' in cell:
                    inner = cell[1:-1]
                    if len(cell) < 2 or cell[0] != '"' or cell[-1] != '"' or '"' in inner.replace('""', ""):
                        return False
                    doubled = doubled or '""' in inner
    return doubled


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell[:1] == '"' else cell


def quoted(cell: str) -> str:
    """Return a cell as a quoted file has it: within quotes where it holds one."""
    return '"' + cell.replace('"', '""') + '"' if '"' in cell else cell


def _rows(lines: list[_Line], layout: Layout) -> tuple[list[_Row], list[LeftOut]]:
    """Return the rows that lines are, and those that cannot be taken."""
    width, is_quoted = layout.width, layout.quoted
    rows: list[_Row] = []
    left_out: list[LeftOut] = []
    for number, line in lines:
        cells = line.split("\t")
        if (len(cells) == width and cells[0] and cells[1] and cells[3]) or (
            width == 9 and len(cells) == 10 and all(cells[:4]) and cells[9][:1] in ("", "{")
        ):
            rows.append((number, list(map(_unquoted, cells)) if is_quoted else cells))
        else:
            left_out.append(_left_out(number, line, cells, width))
    return rows, left_out


def _left_out(number: int, line: str, cells: list[str], width: int) -> LeftOut:
    count = len(cells)
    if line == UNDECODABLE:
        return LeftOut(number, "not_utf8", "", *not_utf8(line))
    if count == 8:
        reason = f"has 8 cells and not {width}: the files of source errors of newstest2020 have no seg_id and no rater"
        return LeftOut(number, "short_row", "", reason, "import the file of ratings itself")
    if count != width:
        code, reason = ("short_row", "cut off?") if count < width else ("long_row", "a tab within a text?")
        return LeftOut(number, code, "", f"has {count} cells and not {width} ({reason})", "mend the row")
    name = "system" if not cells[0] else "doc" if not cells[1] else "seg_id"
    return LeftOut(number, "no_" + name, name, "is empty, so that the row belongs to nothing", "name it")


def _by_document(path: AnyFile, header: str | None) -> Iterator[list[_Line]]:
    """Yield each document's lines, in the order in which documents come first, without the header and empty lines."""
    groups: dict[str, list[_Line]] = defaultdict(list)
    held = 0
    lines = read_lines(path)
    for number, line in lines:
        if line == header:
            header = None
        elif line:
            groups[_document_of(line)].append((number, line))
            held += len(line)
            if held > HELD:
                yield from _by_document_on_disk(groups, lines)
                return
    yield from groups.values()


def _document_of(line: str) -> str:
    """The first two cells of a line, which name the system and the document."""
    return line[: line.find("\t", line.find("\t") + 1)]


def _by_document_on_disk(groups: dict[str, list[_Line]], lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    """Do the same for a file of any size."""
    with Groups[_Line]() as documents:
        for document, held in groups.items():
            for each in held:
                documents.add(document, each)
        groups.clear()
        for number, line in lines:
            if line:
                documents.add(_document_of(line), (number, line))
        yield from documents


# --- documents ---


def _segments(rows: list[_Row]) -> list[tuple[Segment, list[_Read]]]:
    """The segments in the order of their ids, which are numbers, else as they come, each with all rows about it."""
    by_id: dict[str, list[_Read]] = defaultdict(list)
    for line, cells in rows:
        source, target = cells[5], cells[6]
        in_source: Stretches | None = ()
        in_target: Stretches | None = ()
        if "v>" in target:
            target, in_target = unmarked(target)
        if "v>" in source:
            source, in_source = unmarked(source)
        by_id[cells[3]].append((line, cells, source, target, in_source, in_target))
    ordered = list(by_id.items())
    with suppress(ValueError):
        ordered.sort(key=lambda item: int(item[0]))
    segments = []
    for name, read in ordered:
        line, _, source, target, _, _ = read[0]
        if len(read) > 1 and len({(row[2], row[3]) for row in read}) > 1:
            texts = Counter((row[2], row[3]) for row in read)
            source, target = texts.most_common(1)[0][0]  # what most rows have is the text that was not edited
        segments.append((Segment(name, source, target, line), read))
    return segments


def _annotations(
    rows: list[_Row], layout: Layout, direction: str, judge: str | None
) -> Iterator[Document | Annotation | LeftOut | Remark]:
    """Yield what every rater says of one document, whose rows these are in the order of the file."""
    if layout.tenth == METADATA:
        own_rows = [(line, cells, own) for line, cells in rows if (own := _own(cells[9])) is not None]
        if own_rows:
            yield from own_annotations(own_rows, direction)
            written = {line for line, _, _ in own_rows}
            rows = [row for row in rows if row[0] not in written]
            if not rows:
                return
    segments = _segments(rows)
    first_line, first = rows[0]
    document = Document(first[1], first[0], tuple([segment for segment, _ in segments]), direction, line=first_line)
    raters: dict[str, dict[int, list[TimedRow]]] = {}
    others: list[Unmarked] = []
    differing: list[int] = []
    for number, ((_, whole_source, whole_target, _), read) in enumerate(segments):
        doc_id = read[0][1][2]
        for line, cells, source, target, in_source, in_target in read:
            rater, category, severity = cells[4], cells[7], cells[8]
            more, note, at = _PLAIN
            if len(cells) > 9 or cells[2] != doc_id:
                more, note, at = _kept_of_row(cells, layout, doc_id)
            kind = _KINDS.get((category, severity)) or _kind(category, severity)
            same = source == whole_source and target == whole_target
            if not same:
                differing.append(line)
            if not same or in_source is None or in_target is None or (kind != "error" and (in_source or in_target)):
                more = {**more, "source": cells[5], "target": cells[6]}
            if not rater and kind != "error":
                others.append(Unmarked(number, "other", category, severity, {**more, "rater": ""}, line))
                continue
            said = raters.get(rater) or raters.setdefault(rater, {})
            if kind == "error":
                unplaced, places = _places(same or (whole_source, whole_target), source, target, in_source, in_target)
                row: Mark | Unmarked = Mark(
                    segment=number,
                    category=category,
                    severity=severity,
                    places=places,
                    quote="",
                    note=note,
                    unplaced=unplaced,
                    missing=False,
                    kept=more,
                    line=line,
                )
            else:
                row = Unmarked(number, kind, category, severity, more, line)
            said.setdefault(number, []).append(TimedRow(row, at, tuple(cells)))
    if differing:
        message = (
            f"{len(differing):,} rows of {document.article} by {document.system} have another text than others of "
        )
        yield Remark(differing[0], "other_text", "target", message + "their segment: kept, and not placed")
    if not raters:
        for row in others:
            yield LeftOut(row.line, "no_rater", "rater", "is empty in all rows of the document", "name who rated it")
        return
    kept = _kept_of_document(segments, layout)
    for rater, said in raters.items():
        named = kept if rater else {**kept, "rater": ""}
        yield from passes(document, judge or rater or UNNAMED, said, human=judge is None, others=others, kept=named)
        others = []


_PLAIN: tuple[dict[str, Any], str, float | None] = ({}, "", None)
"""Fields, note and time of a row that has nothing of these."""
Kind = RowKind | Literal["error"]
_KINDS: dict[tuple[str, str], Kind] = {}


def _plain(label: str) -> str:
    return _NOT_LETTERS.sub("", label).lower()


def _kind(category: str, severity: str) -> Kind:
    """The kind of a row: an error, or that there is none, in whatever spelling."""
    names = {_plain(category), _plain(severity)}
    kind: Kind = "error"
    if "hotwtest" in names or "hotw" in names:
        kind = "quality_check"
    elif names in ({"noerror"}, {"noerror", ""}):
        kind = "clean"
    elif names == {""}:
        kind = "other"
    if len(_KINDS) < 10_000:
        _KINDS[category, severity] = kind
    return kind


def _places(
    texts: tuple[str, str] | Literal[True],
    source: str,
    target: str,
    in_source: Stretches | None,
    in_target: Stretches | None,
) -> tuple[str, Places]:
    """Return the places of an error, or why it has none. ``texts``: of its segment, True where they are the row's."""
    if in_source is None or in_target is None:
        return BROKEN, ()
    if texts is not True and ((in_source and source != texts[0]) or (in_target and target != texts[1])):
        return OTHER_TEXT, ()
    if not in_source and len(in_target) == 1:
        return "", (Place("translation", *in_target[0]),)
    places = (*(Place("source", *mark) for mark in in_source), *(Place("translation", *mark) for mark in in_target))
    return ("", places) if places else (NO_STRETCH, ())


def _kept_of_row(cells: list[str], layout: Layout, doc_id: str) -> tuple[dict[str, Any], str, float | None]:
    """Return what else a row says, the rater's note in it, and when it was written."""
    kept: dict[str, Any] = {}
    if cells[2] != doc_id:
        kept["doc_id"] = cells[2]
    note = at = None
    if len(cells) > 9:
        name, cell = layout.tenth or EXTRA, cells[9]
        if cell or name == EXTRA:
            kept[name] = cell
        told = _object(cell)
        note, at = told.get("note"), moment(told.get("timestamp"))
    return kept, note if isinstance(note, str) else "", at


def _own(cell: str) -> dict[str, Any] | None:
    """Fields that an export of ours wrote in a row's metadata; None for any other row."""
    told = _object(cell) if round_trip.KEY in cell else {}
    own = told.get(round_trip.KEY)
    if not isinstance(own, dict) or "human" not in own:
        return None
    if isinstance(own.get("mark"), dict):
        own["mark"]["note"] = told.get("note")
    return own


def _object(cell: str) -> dict[str, Any]:
    if cell.startswith("{"):
        try:
            found = json_value(cell)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}
    return {}


def _kept_of_document(segments: list[tuple[Segment, list[_Read]]], layout: Layout) -> dict[str, Any]:
    """Return what the rows of a document cannot be written again without: the file's header, and ids."""
    kept: dict[str, Any] = {"header": layout.header, "tenth": layout.tenth}
    if layout.quoted:
        kept["quoted"] = True
    ids = [read[0][1][2] for _, read in segments]
    if ids != list(map(str, range(1, len(ids) + 1))):
        kept["doc_ids"] = ids[0] if len(set(ids)) == 1 else ids
    if len(segments) == 1:
        kept["seg_id"] = segments[0][0].id
    return kept
