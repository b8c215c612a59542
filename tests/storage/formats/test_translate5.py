"""The CSV of translate5: errors as tags in the texts, which may overlap, by agent."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Document, Remark
from storage.formats.io.rows import LeftOut
from storage.formats.tools.translate5 import _Tagged
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.storage.formats.reading import format_in, read_as


def start(number: int, kind: str, severity: str = "minor", agent: str = "ann", note: str = "") -> str:
    return f'<mqm:startIssue type="{kind}" severity="{severity}" note="{note}" agent="{agent}" id="{number}"/>'


def end(number: int) -> str:
    return f'<mqm:endIssue id="{number}"/>'


def table(path: Path, *rows: list[str], header: str = "id,source,target") -> Path:
    """Return a table as translate5 writes it, every cell within quotes."""
    out = StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header.split(","), *rows])
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def annotations(path: Path, options: ReadOptions = ReadOptions()) -> list[Annotation]:  # noqa: B008
    assert format_in(path) == "translate5"
    return [item for item in read_as(path, "translate5", options) if isinstance(item, Annotation)]


def said(one: Annotation) -> list[tuple[object, ...]]:
    return [(m.segment, m.category, m.severity, m.quote, [tuple(p) for p in m.places], m.note) for m in one.marks]


def test_tags_that_overlap_are_places_in_the_text_without_them(tmp_path: Path) -> None:
    target = (
        f"a😀 {start(7, 'Mistranslation', 'critical', note='why')}bc {start(8, 'Word order')}de{end(7)} f{end(8)}\ng"
    )
    path = table(tmp_path / "task_de-en.csv", ["1", f"{start(3, 'Source')}ä{end(3)} b", target], ["2", "c", "C"])
    (one,) = annotations(path)
    assert (one.annotator, one.human, one.document.article, one.document.system) == ("ann", True, *["task_de-en"] * 2)
    assert one.document.direction == "de-en"
    assert [(s.id, s.source, s.translation) for s in one.document.segments] == [
        ("1", "ä b", "a😀 bc de f\ng"),
        ("2", "c", "C"),
    ]
    assert said(one) == [
        (0, "Source", "minor", "ä", [("source", 0, 1)], ""),
        (0, "Mistranslation", "critical", "bc de", [("translation", 3, 8)], "why"),
        (0, "Word order", "minor", "de f", [("translation", 6, 10)], ""),
    ]
    assert one.rated == frozenset({0}), "nobody says that the second was looked at"


def test_elements_that_were_cut_where_they_overlap_are_one_error(tmp_path: Path) -> None:
    """Newer versions write elements; of an error across another's border there are several, which name the first."""

    def issue(number: str, kind: str, idref: str = "") -> str:
        more = f' idref="{idref}"' if idref else ""
        return f'<mqm:issue xml:id="x{number}"{more} type="{kind}" severity="major" note="" agent="m t">'

    close = "</mqm:issue>"
    target = f"one {issue('4', 'A')}two {close}{issue('5', 'B')}{issue('overlappingTagId-5_1', 'A', '4')}three{close} four{close} five"
    (one,) = annotations(table(tmp_path / "t.csv", ["1", "s", target]))
    assert one.document.segments[0].translation == "one two three four five"
    assert [(m.category, m.quote, len(m.places)) for m in one.marks] == [("A", "two three", 1), ("B", "three four", 1)]


def test_each_agent_is_a_reviewer_and_each_column_a_system(tmp_path: Path) -> None:
    first = f"{start(1, 'x', agent='eve')}a{end(1)} {start(2, 'y', agent='bo')}b{end(2)}"
    path = table(tmp_path / "t.csv", ["1", "s", first, "c"], ["2", "S", "d", ""], header="mid,quelle,SMT,RBMT")
    found = [item for item in read_as(path, "translate5") if isinstance(item, Annotation | Document)]
    assert [
        (item.annotator, item.document.system, [m.quote for m in item.marks])
        for item in found
        if isinstance(item, Annotation)
    ] == [("eve", "SMT", ["a"]), ("bo", "SMT", ["b"])]
    assert [(d.system, len(d.segments)) for d in found if isinstance(d, Document)] == [("RBMT", 1)]


def test_ids_of_the_corpora_name_documents_and_systems(tmp_path: Path) -> None:
    path = table(
        tmp_path / "any.csv",
        ["paper/2012/141907-10_de_SMT-Gold", "S10", "T10"],
        ["paper/2012/141907-2_de_SMT-Gold", "S2", f"{start(1, 'x')}T2{end(1)}"],
    )
    (one,) = annotations(path)
    assert (one.document.article, one.document.system) == ("paper/2012/141907", "SMT-Gold")
    assert [s.source for s in one.document.segments] == ["S2", "S10"]
    (one,) = annotations(path, ReadOptions(system="A", direction="de-en"))
    assert (one.document.system, one.document.direction) == ("A", "de-en")


def test_what_is_broken_is_kept_and_said(tmp_path: Path) -> None:
    target = f'{start(1, "x")}open {start(2, "y")}{end(2)}<mqm:startIssue type="a>b {end(9)}z'
    path = table(tmp_path / "t.csv", ["1", "s", target], ["2", "", "x"], ["3", "x", ""])
    items = list(read_as(path, "translate5"))
    (one,) = (item for item in items if isinstance(item, Annotation))
    assert [(m.category, m.unplaced) for m in one.marks] == [
        ("x", "begins and does not end"),
        ("y", "is around nothing"),
    ]
    assert one.document.segments[0].translation == 'open <mqm:startIssue type="a>b z'
    assert [(out.line, out.field) for out in items if isinstance(out, LeftOut)] == [(3, "source"), (4, "target")]
    assert {r.code for r in items if isinstance(r, Remark)} == {"broken_tag", "begun", "article"}


def test_without_a_tag_it_is_no_task_with_errors(tmp_path: Path) -> None:
    assert format_in(table(tmp_path / "t.csv", ["1", "s", "t"])) == "bilingual"


def test_importing_twice_changes_nothing(tmp_path: Path) -> None:
    path = table(tmp_path / "t_de-en.csv", ["1", "s", f"{start(1, 'Mistranslation', 'major')}t{end(1)}"])
    connection = open_library(tmp_path / "library.db")
    first, second = import_path(connection, path), import_path(connection, path)
    assert (first.stored, second.stored, second.unchanged) == (1, 0, 1)
    assert connection.execute("SELECT reviewer, state FROM reviews").fetchall() == [("ann", "done")]
    found = connection.execute("SELECT json(spans), severity_label FROM marked_errors").fetchall()
    assert found == [('[["translation",0,1]]', "major")]


PIECES = st.sampled_from(["a", "😀", "<", "\n", start(1, "x"), end(1), start(2, "y"), end(2), "</mqm:issue>", "<mqm:", '<mqm:issue xml:id="x1" type="k">'])  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_tags_raise_and_places_lie_in_the_text(text: str) -> None:
    tagged = _Tagged(text)
    for _, mark in tagged.marks("translation", 1):
        assert bool(mark.places) != bool(mark.unplaced)
        assert all(0 <= p.start < p.end <= len(tagged.text) for p in mark.places)
    assert _Tagged(tagged.text).text == tagged.text or "<mqm" in tagged.text
