"""The report model: each part is said once, and a terminal and pages differ where it says so."""

from __future__ import annotations

from collections.abc import Sequence

from discox_tui.reports.render import html, latex, markdown
from discox_tui.reports.render.json import ended, flat, plain, whole
from discox_tui.reports.render.model import (
    Beside,
    Column,
    Ends,
    Entries,
    Heading,
    Label,
    Lines,
    Part,
    Report,
    Scatter,
    Section,
    Shown,
    Table,
    Value,
    Words,
)
from discox_tui.reports.render.text import as_text, undefined
from judges.stats.figure import Figure, Interval

HALF = Figure(0.5, 4, interval=Interval(0.25, 0.75, "bootstrap", clusters=2, warning="2 articles"))
NONE = Figure(None, 0, "no scores", interval=Interval(None, None, "bootstrap", "nothing to draw from"))


def lines(*parts: Part, heading: str | None = None) -> list[str]:
    """The lines of a section on a terminal, each without what is blank at its ends."""
    return [line.strip() for line in as_text([Section("Title", parts, heading)]).splitlines()]


def cells(header: Sequence[str | Column], *rows: Sequence[Value], beneath: bool = False) -> list[list[str]]:
    """The words of each line of a table on a terminal."""
    return [line.split() for line in lines(Table("t", header, rows, beneath=beneath), heading="")]


def test_a_column_is_called_otherwise_on_a_terminal_or_is_not_there() -> None:
    table = Table(
        "t",
        (Column("metric", "m."), Column("n", None), Column(None, "±"), "p"),
        [(Label("A", "1 A"), 1234, "2.0", 12)],
    )
    page = table.on_page()
    assert (list(page.header), [list(row) for row in page.rows]) == (["metric", "n", "p"], [["A", 1234, 12]])
    assert cells(table.header, *table.rows) == [["m.", "±", "p"], ["1", "A", "2.0", "12"]]


def test_intervals_stand_beside_their_figures_or_beneath() -> None:
    rows = [("A", Shown(HALF)), ("B", Shown(NONE))]
    assert cells(("", "x"), *rows) == [["x", "95", "%"], ["A", "0.500", "0.250–0.750"], ["B", "–", "–"]]
    assert cells(("", Column("x", "x")), *rows) == [["x"], ["A", "0.500"], ["B", "–"]]
    apart = Column("x", "x.", Beside("ends", "+z.1f", " "))
    assert cells(("", apart), rows[0]) == [["x.", "ends"], ["A", "0.500", "+0.2", "+0.8"]]
    below = cells(("", Column("x", "x")), rows[0], ("n", 4), ("blank", ""), ("W", Ends(HALF.interval)), beneath=True)
    assert below == [["x"], ["A", "0.500"], ["95", "%", "0.25-0.75"], ["n", "4"], ["W", "0.25-0.75"]]


def test_an_interval_alone_is_blank_or_undefined_on_a_page() -> None:
    table = Table("t", ("", "x", "y", "z"), [("W", Ends(None), Ends(NONE.interval), Ends(HALF.interval, "z.2f"))])
    assert table.on_page().rows == [["W", "", "–", "0.25–0.75"]]


def test_a_blank_line_stands_before_a_table_unless_a_heading_does() -> None:
    table = Table("t", ("", "n"), [("a", 1)])
    body = lines(table, heading="")
    assert [line.split() for line in body] == [["n"], ["a", "1"]]
    assert lines("Said.", table) == ["TITLE", "Said.", "", *body]
    assert lines(Heading("More"), table, table) == ["TITLE", "", "More", *body, "", *body]
    assert lines(Heading("First"), heading="") == ["First"]


def test_pages_and_a_terminal_show_what_is_theirs() -> None:
    parts: list[Part] = [
        "Both",
        Words("Page", "page"),
        Words("Terminal", "terminal"),
        Lines(["laid out"]),
        Table("page only", ("", "n"), [("a", 1)], on="page"),
        Table("terminal only", ("", "n"), [("a", 1)], on="terminal"),
        Scatter("x", "y", [1.0], [1.0]),
    ]
    section = Section("Title", parts)
    assert section.words == ["Both", "Page"]
    assert [table.title for table in section.tables] == ["page only"]
    assert len(section.plots) == 1
    assert [line for line in lines(*parts) if line][:4] == ["TITLE", "Both", "Terminal", "laid out"]
    report = Report(
        "R", {}, [section, Section("Not here", ["x"], on="terminal"), Section("Nor there", ["y"], on="page")]
    )
    for page in (html.as_html(report), markdown.as_markdown(report), latex.as_latex(report)):
        assert "Not here" not in page
    assert "Nor there" in markdown.as_markdown(report)
    assert as_text(report.sections).count("NOR") == 0
    assert as_text(report.sections).count("NOT HERE") == 1


def test_figures_one_beneath_another_come_with_their_definitions() -> None:
    of = Entries("t", (HALF, NONE), {"recall": "TP / (TP + FN)", "F1": "of both"}, {"recall": "Here 2."})
    assert lines(of, heading="") == [
        "Recall                                 0.500  0.250-0.750   n 4",
        "TP / (TP + FN). Here 2.",
        "F1                                         –  –   n 0",
        "Of both.",
        "– no scores",
    ]
    assert [row[0] for row in of.table().rows] == ["recall", "F1"]
    assert [words.text for words in undefined([NONE, HALF, NONE])] == ["– no scores"]


def test_text_cannot_steer_a_terminal_and_signatures_are_not_broken() -> None:
    signature = "a|" * 80
    shown = as_text([Section("Title", [Words("evil \x1b[31m"), Words(signature, wrap=False)], heading="\x1b]0;x")])
    assert "\x1b" not in shown
    assert f"  {signature}\n" in shown


def test_a_figure_is_written_as_each_family_has_it() -> None:
    assert whole(HALF)["interval"] == {
        "low": 0.25,
        "high": 0.75,
        "method": "bootstrap",
        "articles": 2,
        "resamples": 0,
        "dropped": 0,
        "seed": None,
        "warning": "2 articles",
    }
    assert ended(NONE) == {
        "value": None,
        "n": 0,
        "why": "no scores",
        "interval": None,
        "interval_why": "nothing to draw from",
    }
    assert flat(HALF) == {"value": 0.5, "n": 4, "low": 0.25, "high": 0.75, "why": "2 articles"}
    assert plain({"a": (HALF, 1)}, flat) == {"a": [flat(HALF), 1]}
