"""Annotations of every kind for tests of formats that are both read and written, and what a library says of them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from judges.metric_s.schemes.mapping import read_mapping
from judges.model import Place
from storage.db.connection import Connection
from storage.exports.items import TranslationAnnotation, read_annotations
from storage.exports.selection import Selection
from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Document, Mark, Ours, ScoreLine, Segment, Unmarked
from storage.formats.io.input_file import InputFile
from storage.importing.import_report import FileReport
from storage.importing.pipeline import import_path
from storage.importing.writer import LibraryWriter, store_items
from storage.integrity.opening import open_library

ALPHABET = "ab 江河\u0301😀\u200d👨\t\r\u2028\u0085\x0b\x1f\u202e[/]“\\n\"'"
LABELS = [("Accuracy/Mistranslation", "Major"), ("Fluency/Grammar", "minor"), ("Other", "Major"), ("", "Critical")]


def texts(newlines: bool) -> st.SearchStrategy[str]:
    """Hostile texts that hold some letter."""
    alphabet = ALPHABET + ("\n" if newlines else "")
    around = st.sampled_from(["", "", " ", "\ufeff", "\u3000", *(["\n", "\r\n "] if newlines else [])])
    return st.builds(
        lambda before, text, after: f"{before}x{text}y{after}", around, st.text(alphabet, max_size=12), around
    )


@st.composite
def places(draw: st.DrawFn, lengths: dict[str, int]) -> tuple[Place, ...]:
    """No place, one, or one on each side."""
    found = []
    for side in draw(st.sampled_from([(), ("translation",), ("source",), ("source", "translation")])):
        start = draw(st.integers(0, lengths[side] - 1))
        found.append(Place(side, start, draw(st.integers(start + 1, lengths[side]))))
    return tuple(found)


@st.composite
def marks(draw: st.DrawFn, segments: tuple[Segment, ...]) -> tuple[Mark, ...]:
    """Errors of a document, in the order of its segments."""
    found = []
    for number, segment in enumerate(segments):
        lengths = {"source": len(segment.source), "translation": len(segment.translation)}
        for _ in range(draw(st.integers(0, 2))):
            placed = draw(places(lengths))
            category, severity = draw(st.sampled_from(LABELS))
            ours = draw(st.sampled_from([None, None, Ours("fluency", "grammar", "minor")]))
            found.append(
                Mark(
                    number,
                    "" if ours else category,
                    "" if ours else severity,
                    placed,
                    note=draw(st.sampled_from(["", "why 😀\n"])),
                    unplaced="" if placed else draw(st.sampled_from(["", "nowhere"])),
                    kept=draw(st.sampled_from([{}, {"x": [1, "é"]}])),
                    line=draw(st.integers(1, 9)),
                    ours=ours,
                )
            )
    return tuple(found)


@st.composite
def libraries(draw: st.DrawFn) -> list[Any]:
    """What a file may come to: documents of one or two directions, people, judges, scores."""
    items: list[Any] = []
    for number in range(draw(st.integers(1, 3))):
        direction = draw(st.sampled_from(["zh-en", "de-fr", ""]))
        cut = draw(st.booleans())
        sources = [draw(texts(not cut)) for _ in range(draw(st.integers(2, 3)) if cut else 1)]
        for system in draw(st.lists(st.sampled_from(["A-1.5", "b/c d", "河"]), min_size=1, max_size=2, unique=True)):
            ids = [str(at) for at in range(len(sources))] if cut else [""]
            segments = tuple(Segment(*pair, draw(texts(not cut))) for pair in zip(ids, sources, strict=True))
            document = Document(f"doc {number}", system, segments, direction, "a b", "考点1：x")
            items.append(document)
            for annotator, human in draw(st.lists(st.sampled_from([("r.1", True), ("r-2", True), ("judge/x", False)]), max_size=3, unique=True)):  # fmt: skip
                found = draw(marks(segments))
                rated = None
                unmarked: tuple[Unmarked, ...] = ()
                if cut and draw(st.booleans()):
                    rated = frozenset({m.segment for m in found} | {0}) - {len(segments) - 1}
                    found = tuple(m for m in found if m.segment in rated)
                    unmarked = tuple(Unmarked(at, "clean", line=at) for at in rated)
                if not human:
                    found = tuple(m._replace(note=m.note or "said", unplaced="", line=0) for m in found)
                items.append(Annotation(document, annotator, human, found, unmarked, rated, line=1))
            for metric, human, rater in [("BLEU-refA", False, ""), ("DA", True, "p.1")]:
                if draw(st.booleans()):
                    items.append(
                        ScoreLine(1, metric, system, f"doc {number}", direction, draw(st.floats(-9, 9)), human, rater)
                    )
    return items


@contextmanager
def library(items: list[Any] | None = None) -> Iterator[Connection]:
    """A library that holds these, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        connection = open_library(Path(folder) / "library.db")
        if items is not None:
            file = Path(folder) / "file"
            file.write_text("x", encoding="utf-8")
            report, mapping = FileReport(file, "test"), read_mapping("")
            with InputFile(file) as opened:
                store_items(
                    connection,
                    opened,
                    report,
                    lambda: items,
                    lambda under_way: LibraryWriter(under_way, ReadOptions(), mapping),
                    options={},
                )
            assert not report.problem
        try:
            yield connection
        finally:
            connection.close()


def come_in(connection: Connection, path: Path, **options: Any) -> FileReport:
    """Import a file, which must add up and change nothing the second time."""
    report = import_path(connection, path, **options)
    assert not report.problem
    assert report.rows == report.stored + report.unchanged + report.left_out
    before = connection.execute("SELECT count(*) FROM events").fetchone(), contents(connection)
    again = import_path(connection, path, **options)
    assert (again.stored, again.left_out) == (0, report.left_out)
    assert (connection.execute("SELECT count(*) FROM events").fetchone(), contents(connection)) == before
    return report


def _mark(mark: Mark, quotes: bool) -> Any:
    return mark._replace(kept=json.dumps(mark.kept, sort_keys=True), quote=mark.quote if quotes else "")


def contents(connection: Connection, quotes: bool = False) -> Any:
    """All that a library says: texts, segments, what everybody said, scores. Not when, nor in what file."""
    found = []
    for one in read_annotations(connection, Selection()):
        if isinstance(one, TranslationAnnotation):
            each = one.annotation
            found.append(
                (
                    one.translation,
                    one.of,
                    each.document,
                    each.annotator,
                    each.human,
                    sorted((_mark(m, quotes) for m in each.marks), key=repr),
                    sorted(map(repr, each.unmarked)),
                    each.rated,
                    each.metric,
                    each.score,
                    each.kept,
                )
            )
    columns = "metric, human, rater, direction, article, system, score"
    scores = connection.execute(f"SELECT DISTINCT {columns} FROM scores ORDER BY {columns}").fetchall()
    errors = connection.execute(
        "SELECT evaluation_id, reviewer, dimension, category, severity, category_label, severity_label, spans, note "
        "FROM marked_errors"
    ).fetchall()
    segments = connection.execute("SELECT * FROM segments ORDER BY 1, 2").fetchall()
    reviews = connection.execute("SELECT evaluation_id, reviewer, state, search FROM reviews ORDER BY 1, 2").fetchall()
    return sorted(found, key=repr), scores, sorted(errors, key=repr), segments, reviews


def judged(connection: Connection) -> Any:
    """What judges say in a library."""
    found = [
        one
        for one in read_annotations(connection, Selection())
        if isinstance(one, TranslationAnnotation) and not one.annotation.human
    ]
    marks = [
        (
            one.translation,
            one.annotation.annotator,
            sorted((_mark(m, False)._replace(line=0) for m in one.annotation.marks), key=repr),
        )
        for one in found
    ]
    scores = connection.execute(
        "SELECT translation_id, judge, total FROM evaluations WHERE state = 'scored' ORDER BY 1, 2"
    ).fetchall()
    return sorted(marks, key=repr), scores
