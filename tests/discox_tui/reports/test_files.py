"""``discox consistency`` as files: HTML that is inert and says the same, tables for papers, the docs' worked example."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.reports.consistency import error_slices
from discox_tui.reports.render import html, latex, markdown
from discox_tui.reports.render.model import MARK, Report, Scatter, Section, Shown, Table
from judges.consistency.records import ReviewedFinding
from judges.consistency.report import EvaluationCounts, consistency
from judges.stats.figure import Figure, Interval
from judges.stats.resampling import TOO_FEW
from storage.integrity.opening import open_library
from tests.conftest import REPOSITORY, Command
from tests.discox_tui.cli.test_consistency import table, written

VOID = {"meta", "br", "path", "rect", "circle"}
HOSTILE = '</style><script>alert(1)</script>" onload=x \u202eevil\u2066\x1b[31m\x00 a|b `c` <img src=http://e.x> {\\input} 100% & $x_1^2~#'


class Page(HTMLParser):
    """Every element, text and attribute; fails where a tag is closed that is not open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if {"td", "th"} & set(self.open) and self.rows:
            self.rows[-1][-1] += f" {data.strip()}"

    def row(self, label: str) -> list[str]:
        """The first row with this label, without it."""
        return [" ".join(cell.split()) for cell in next(row for row in self.rows if row[0].strip() == label)[1:]]


def rows_of(text: str, label: str) -> list[str]:
    """The cells of the first row of a Markdown table with this label."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {label} |"))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


@pytest.fixture
def made(discox: Command, sample: Path, tmp_path: Path) -> dict[str, str]:
    """The sample's report in every format."""
    paths = {kind: tmp_path / f"report.{kind}" for kind in ("html", "markdown", "latex")}
    asked = [word for kind, path in paths.items() for word in (f"--{kind}", path)]
    result = discox("consistency", "--db", sample, "--by", "dimension", "--published", *asked)
    assert (result.code, result.out) == (0, "")
    assert all(str(path) in result.err for path in paths.values())
    assert sorted(path.name for path in tmp_path.glob("*report*")) == sorted(path.name for path in paths.values())
    return {kind: path.read_text(encoding="utf-8") for kind, path in paths.items()}


def inert(page: Page) -> None:
    """Nothing in it loads, runs or leads elsewhere."""
    for tag, attributes in page.elements:
        assert tag not in {"script", "img", "iframe", "object", "embed", "link", "base", "form", "a"} or (
            tag == "a" and (attributes["href"] or "").startswith("#")
        )
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name in {"title", "aria-label", "content"} or "//" not in (value or "")


def test_the_page_stands_alone_and_can_be_read_aloud(made: dict[str, str]) -> None:
    page = Page(made["html"])
    inert(page)
    style = made["html"].split("<style>")[1].split("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    tags = [tag for tag, _ in page.elements]
    assert dict(page.elements)["html"]["lang"] == "en"
    assert tags.count("caption") == tags.count("table") > 10
    assert all(attributes.get("scope") in ("row", "col") for tag, attributes in page.elements if tag == "th")
    labels = [attributes for tag, attributes in page.elements if tag == "svg"]
    assert all(attributes.get("aria-hidden") == "true" or attributes.get("aria-label") for attributes in labels)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_every_format_says_how_it_was_made(made: dict[str, str]) -> None:
    for text in made.values():
        assert MARK in text[:200]
        plain = text.replace("\\", "").replace("-{}-", "--")
        for said in ("discox consistency --db", "--by dimension", "seed 1", "2,000 resamples", "meridian-pro"):
            assert said in plain
    page = " ".join(Page(made["html"]).text)
    for said in ("judge failed: no score is claimed", "not reviewed yet", "TP / (TP + FP)", "by two reviewers"):
        assert said in page


def test_figures_are_those_of_json(discox: Command, sample: Path, made: dict[str, str]) -> None:
    plain = json.loads(discox("consistency", "--db", sample, "--json").out)
    page = Page(made["html"])
    cells = {(cell["level"], cell["direction"]): cell for cell in plain["pairwise"]}
    expected = [
        f"{cell['acc_eq']:.3f}"
        for cell in (cells[level, d] for level in ("system", "segment") for d in ("zh-en", "en-zh"))
    ]
    expected.append(f"{plain['average']['Metric-S (meridian-pro)']:.3f}")
    assert page.row("Metric-S (meridian-pro)") == expected
    assert [re.sub(r"[()]", "", cell) for cell in rows_of(made["markdown"], "Metric-S (meridian-pro)")] == expected
    lines = made["latex"].splitlines()
    at = next(i for i, line in enumerate(lines) if "Metric-S (meridian-pro)" in line and " & " in line)
    assert lines[at].removesuffix(" \\\\").split(" & ")[1:] == expected
    # Of four articles there is no interval, and every page says why.
    assert plain["average_interval_why"]["Metric-S (meridian-pro)"] == TOO_FEW
    assert all(f"Interval: {TOO_FEW}." in page for page in made.values())

    found = plain["findings"]["overall"]
    assert page.row("precision") == [f"{found['precision']['value']:.3f}", str(found["precision"]["n"])]
    assert page.row("recall")[0] == f"{found['recall']['value']:.3f}"
    spans = plain["spans"]["judge"]
    assert page.row("judge, on all")[:2] == [str(spans["documents"]), f"{spans['partial']['value']:.3f}"]
    verdicts = plain["between_humans"]["together"]["judge"]["verdicts"]
    assert page.row("verdicts, judge")[1].startswith(f"{verdicts['kappa']['value']:.3f}")
    counts = plain["findings"]["attribution"]["fluency"]
    row = next(
        row for row in page.rows if row[0].strip() == "fluency" and len(row) == len(counts) + 1 and "%" in row[1]
    )
    assert [int(cell.split()[0]) for cell in row[1:]] == list(counts.values())


def test_weak_spots_are_the_same_in_every_format(discox: Command, sample: Path, made: dict[str, str]) -> None:
    spots = json.loads(discox("consistency", "--db", sample, "--json").out)["weak_spots"]
    csv_text = discox("consistency", "--db", sample, "--csv", "--by", "spot").out
    rows = list(csv.DictReader(io.StringIO(csv_text.removeprefix("\ufeff"))))
    assert [row["rate_low"] for row in rows] == [f"{round(spot['rate']['interval']['low'], 6)}" for spot in spots]
    text = discox("consistency", "--db", sample, "--by", "spot").out
    assert "FINDINGS BY GROUP" not in text
    page = Page(made["html"])
    for spot, row in zip(spots, rows, strict=True):
        counts = [spot[name] for name in ("decided", "articles", "rejected", "moved")]
        rate, low, high = (spot["rate"]["value"], *(spot["rate"]["interval"][end] for end in ("low", "high")))
        assert spot["rate"]["n"] == spot["decided"] >= spot["rejected"] + spot["moved"] == round(rate * spot["decided"])
        assert [int(row[name]) for name in ("n", "articles", "rejected", "moved")] == counts
        label = ", ".join((spot["dimension"], spot["category"].replace("_", " "), spot["domain"]))
        shown = [*map(str, counts), f"{rate:.3f} {low:.3f}–{high:.3f}"]
        at = text.split(label)[1].split()
        assert at[:6] == [*map(str, counts), f"{rate:.3f}", f"{low:.2f}-{high:.2f}"]
        if spot not in spots[: error_slices.MOST]:
            continue
        assert page.row(label) == shown
        assert [re.sub(r"[()]", "", cell) for cell in rows_of(made["markdown"], label)] == shown
    for said in ("Wilson", "not an error, or a duplicate of another", "unsure and"):
        for made_of in (*made.values(), " ".join(text.split())):
            assert said in made_of


def test_a_report_shows_the_first_weak_spots_and_how_many_more() -> None:
    findings = [
        ReviewedFinding(
            *("e", "a", "A", "zh-en", f"domain {i}", "judge", "anna"),
            *("accuracy", "accuracy", "omission", "major"),
            decision="agree",
        )
        for i in range(error_slices.MOST + 3)
    ]
    report = consistency(findings, [], {}, EvaluationCounts(0, 0, 0, 0, 0, 0, 0, 0))
    some, every = (
        next(part.on_page() for part in error_slices.parts(report, by, []) if isinstance(part, Table))
        for by in (None, error_slices.SPOT)
    )
    assert (len(some.rows), len(every.rows)) == (error_slices.MOST, error_slices.MOST + 3)
    assert any("3 more" in words for words in some.remarks())
    assert not any("more" in words for words in every.remarks())
    assert error_slices.as_csv(report).count("\n") == error_slices.MOST + 4


def test_scores_alone_make_a_report(discox: Command, tmp_path: Path) -> None:
    given_table = written(tmp_path / "s.csv", table())
    for kind in ("html", "markdown", "latex"):
        result = discox("consistency", "--scores", given_table, f"--{kind}", "-", "--compare", "chrF", "XCOMET-QE")
        assert (result.code, result.err) == (0, "")
        assert "Two metrics" in result.out
        assert (
            "Two systems" in discox("consistency", "--scores", given_table, f"--{kind}", "-", "--compare", "A", "B").out
        )
    page = Page(discox("consistency", "--scores", given_table, "--html", "-", "--by", "system").out)
    inert(page)
    drawn = [attributes for tag, attributes in page.elements if tag == "svg" and attributes.get("class") == "scatter"]
    assert len(drawn) == 2


def test_rows_left_out_of_a_table_are_told_with_their_reason(discox: Command, tmp_path: Path) -> None:
    given_table = written(tmp_path / "s.csv", [*table(), ("chrF", "A", "99", "zh-en", "many", 0)])
    page = Page(discox("consistency", "--scores", given_table, "--html", "-").out)
    assert page.row("s.csv") == [str(len(table()) + 1), str(len(table())), "0", "1"]
    assert any("which is no score" in words for words in page.text)
    assert str(tmp_path) not in " ".join(words for words in page.text if not words.startswith("discox consistency"))


def test_an_empty_library_says_that_there_is_nothing(discox: Command, tmp_path: Path) -> None:
    database = tmp_path / "empty.db"
    open_library(database, create=True).close()
    for kind in ("html", "markdown", "latex"):
        result = discox("consistency", "--db", database, f"--{kind}", "-")
        assert (result.code, result.err) == (0, "")
        assert "There are no scores." in result.out


def test_json_can_be_printed_beside_a_file(discox: Command, sample: Path, tmp_path: Path) -> None:
    result = discox("consistency", "--db", sample, "--json", "--html", tmp_path / "r.html")
    assert result.code == 0
    assert json.loads(result.out)["pairwise"]
    assert (tmp_path / "r.html").stat().st_size > 10_000


def test_leaderboards_are_written_too(discox: Command, sample: Path) -> None:
    plain = json.loads(discox("leaderboard", "--db", sample, "--json").out)
    best = plain["leaderboards"][0]["rankings"][0]["standings"][0]
    page = Page(discox("leaderboard", "--db", sample, "--html", "-").out)
    inert(page)
    mean_of = best["mean"]
    assert (page.row(best["system"])[2], mean_of["why"]) == (f"{mean_of['value']:.2f}", TOO_FEW)
    for kind in ("markdown", "latex"):
        text = discox("leaderboard", "--db", sample, f"--{kind}", "-", "--published").out
        assert f"{mean_of['value']:.2f}" in text
        assert "seed 1" in text
    assert discox("leaderboard", "--db", sample, "--json", "--html", "-").code == 2


@pytest.mark.parametrize(
    "asked", [("--json", "--html", "-"), ("--markdown", "-", "--latex", "-"), ("--csv", "--latex", "-")]
)
def test_one_thing_goes_to_standard_output(discox: Command, sample: Path, asked: tuple[str, ...]) -> None:
    result = discox("consistency", "--db", sample, *asked)
    assert (result.code, result.out) == (2, "")
    assert "standard output" in result.err


def test_what_cannot_be_written_is_said(discox: Command, sample: Path, tmp_path: Path) -> None:
    other = tmp_path / "thesis.html"
    other.write_text("<p>mine", encoding="utf-8")
    for target, said in (
        (tmp_path, "folder"),
        (tmp_path / "none" / "r.html", "cannot be written"),
        (other, "is no report"),
        (sample, "is no report"),
    ):
        result = discox("consistency", "--db", sample, "--html", target)
        assert (result.code, result.out) == (1, "")
        assert said in result.err
        assert result.err.count("\n") == 1
    assert other.read_text(encoding="utf-8") == "<p>mine"
    assert not list(tmp_path.glob("*.part")) + list(tmp_path.glob(".*.part"))


def test_an_earlier_report_is_replaced_and_keeps_its_permissions(discox: Command, sample: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "r.md", tmp_path / "link.md"
    link.symlink_to(target)
    for _ in range(2):
        assert discox("consistency", "--db", sample, "--markdown", link).code == 0
        target.chmod(0o640)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path).count("r.md") == 1  # noqa: PTH208 - names alone


def test_hostile_names_do_nothing(discox: Command, tmp_path: Path) -> None:
    rows = [
        (HOSTILE if metric == "chrF" else metric, HOSTILE if system == "A" else system, *rest)
        for metric, system, *rest in table()
    ]
    rows = [tuple(str(cell).replace("\x00", "") for cell in row) for row in rows]  # a table cannot hold NUL
    given_table = written(tmp_path / "s.csv", rows)
    asked = ("consistency", "--scores", given_table, "--by", "system")
    page = discox(*asked, "--html", "-").out
    inert(Page(page))
    assert "<script" not in page.lower()
    for text in (page, discox(*asked, "--markdown", "-").out, discox(*asked, "--latex", "-").out):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", text)
    assert "a\\|b" in discox(*asked, "--markdown", "-").out
    assert (
        "\\{\\textbackslash{}input\\} 100\\% \\& \\$x\\_1\\textasciicircum{}2\\textasciitilde{}\\#"
        in discox(*asked, "--latex", "-").out
    )


texts = st.text(st.characters(exclude_categories=()), max_size=30) | st.text(
    alphabet="|\\`-[]{}<>&%$#_^~*\n\r 1.", max_size=12
)


def a_report(words: str) -> Report:
    figure = Figure(0.5, 3, interval=Interval(0.25, 0.75, "bootstrap", warning=words))
    undefined = Figure(None, 0, words)
    return Report(
        words,
        {words: words, "Program": words, "Command": words},
        [
            Section(
                words,
                [
                    words,
                    Table(words, (words, words, words), [(words, Shown(figure, scale=(0, 1)), Shown(undefined))], [words]),
                    Table(words, (words, words), [(words, 3)], [], {words: words}, heat=True, basis=[words]),
                    Scatter(words, words, [1.0, 1.0, 2.0], [1.0, 1.0, 5.0]),
                ],
            )
        ],
        [words],
    )  # fmt: skip


@given(texts)
def test_any_text_leaves_the_page_as_it_is(words: str) -> None:
    bare, page = Page(html.as_html(a_report("x"))), Page(html.as_html(a_report(words)))
    inert(page)
    # Names in sentences may be in elements of their own, for their direction; an empty heading has none.
    shape, usual = ([tag for tag, _ in each.elements if tag != "bdi"] for each in (page, bare))
    assert shape == usual or not words


def test_names_in_sentences_keep_their_direction_to_themselves() -> None:
    assert html.prose("of מאמר חדש 3 & by <نخلة>: 2") == "of <bdi>מאמר חדש</bdi> 3 &amp; by &lt;<bdi>نخلة</bdi>&gt;: 2"


@given(texts)
def test_any_text_leaves_the_tables_as_they_are(words: str) -> None:
    for row in markdown.as_markdown(a_report(words)).splitlines():
        if row.startswith("| "):
            assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) in (3, 4)
    for row in latex.as_latex(a_report(words)).splitlines():
        if not row.startswith("%"):
            bare = re.sub(r"\\.", "", row)
            assert not re.search(r"[%#$^~_]", bare) or "$" in bare
            assert row.count("\n") == 0


@given(texts)
def test_latex_braces_balance(words: str) -> None:
    depth = 0
    for character in re.sub(r"\\.", "", latex.text(words)):
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0


@given(st.lists(st.text(alphabet="ab 大-_", max_size=30), min_size=1, max_size=20), st.integers(0, 90), st.booleans())
def test_a_latex_table_holds_every_cell_once_in_parts_that_fit(heads: list[str], rows: int, intervals: bool) -> None:
    interval = Interval(0.25, 0.75, "bootstrap") if intervals else None
    figures = [
        [Shown(Figure(float(f"{i}.{j:03}"), 1, interval=interval)) for j in range(len(heads))] for i in range(rows)
    ]
    given_table = Table("t", ("", *heads), [(f"row {i}", *row) for i, row in enumerate(figures)])
    made = latex.as_latex(Report("Consistency", {}, [Section("s", [given_table])]))
    tabulars = re.findall(r"\\begin\{tabular\}\{@\{\}l(r*)@\{\}\}\n(.*?)\\end\{tabular\}", made, re.S)
    assert made.count("\\begin{table") == len(tabulars) == len(re.findall(r"\\label\{tab:consistency-1", made))
    assert len(set(re.findall(r"\\label\{.*\}", made))) == len(tabulars)
    for columns, body in tabulars:
        set_rows = [line.removesuffix(" \\\\") for line in body.splitlines() if line.endswith(" \\\\")]
        assert all(line.count(" & ") == len(columns) for line in set_rows)
        assert len(set_rows) <= latex.PAGE + 1
        assert not rows or len(columns) <= latex.LINE / (5 + latex.GAP)
    found = re.findall(r"(?<![\d.–-])\d+\.\d{3}(?!\d)(?=[^-–]|$)", re.sub(r"\\scriptsize [^&}\n]*", "", made), re.M)
    assert sorted(found) == sorted(figure.value for row in figures for figure in row)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="there is no LaTeX")
def test_latex_takes_it_and_no_table_is_too_wide(discox: Command, tmp_path: Path) -> None:
    if not subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).stdout:
        pytest.skip("there is no booktabs")
    named = {"chrF": r"ch_rF & co 100% #$~^\{x} [k]* <a|b> `c'", "A": "a-system-by-a-very-long-name-2026-09-17-preview"}
    rows = [(named.get(metric, metric), named.get(system, system), *rest) for metric, system, *rest in table()]
    given_table = written(tmp_path / "s.csv", rows)
    for asked in (("--by", "system", "--published"), ("--compare", "XCOMET", "ch_rF"), ("--compare", "B", "a-system")):
        assert discox("consistency", "--scores", given_table, *asked, "--latex", tmp_path / "t.tex").code == 0
        for options in ("10pt", "10pt,twocolumn"):
            paper = rf"\documentclass[{options}]{{article}}\usepackage{{booktabs}}\extrafloats{{99}}"
            (tmp_path / "paper.tex").write_text(
                rf"{paper}\begin{{document}}\input{{t}}\end{{document}}", encoding="utf-8"
            )
            command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
            log = (tmp_path / "paper.log").read_text(encoding="latin-1")
            assert done.returncode == 0, log
            assert "Overfull" not in log
            assert "Float too large" not in log


def test_escapes() -> None:
    assert latex.text("a & b_1 100% #1 $x$ {y} ~ ^ \\ <z> -- [k]*") == (
        r"a \& b\_1 100\% \#1 \$x\$ \{y\} \textasciitilde{} \textasciicircum{} \textbackslash{} "
        r"\textless{}z\textgreater{} -{}- {[}k{]}{*}"
    )
    assert markdown.text("a|b *c* `d` <e> [f](https://g.h) @i :joy: $j$") == (
        r"a\|b \*c\* \`d\` &lt;e&gt; \[f\](https\://g.h) \@i \:joy: \$j\$"
    )
    assert markdown.text("# no heading").startswith("\\#")
    assert markdown.text("1. no list").startswith("&#49;.")


# The worked example of docs/consistency.md, recomputed by plain loops


@pytest.fixture(scope="module")
def example() -> str:
    text = (REPOSITORY / "docs" / "consistency.md").read_text(encoding="utf-8")
    return re.split(r"^## ", text.split("## On the sample\n")[1], flags=re.M)[0]


def tables_of(text: str) -> Iterator[list[list[str]]]:
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]
        yield lines[2:]


def numbers(cells: list[str]) -> list[float | None]:
    return [float(cell) if cell else None for cell in cells]


def test_the_example_has_the_scores_of_the_sample(example: str, sample: Path) -> None:
    connection = sqlite3.connect(sample)
    stored: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for direction, article, system, judge, reviewer, human in connection.execute(
        "SELECT e.direction, e.article, e.system, e.accuracy + e.fluency + e.appropriateness, r.reviewer, "
        "r.accuracy + r.fluency + r.appropriateness FROM evaluations e JOIN reviews r ON r.evaluation_id = e.id "
        "WHERE e.state = 'scored' AND r.state = 'done' AND r.decided = e.errors AND r.unsure = 0 AND r.unconfirmed = 0"
    ):
        stored[direction, article, system] |= {"judge": judge, reviewer: human}
    connection.close()
    scores, means = tables_of(example)
    assert len(scores) == len(stored)
    both = defaultdict(list)
    for direction, article, system, *cells in scores:
        judge, lin, okafor, humans = numbers(cells)
        of = stored[direction, article, system]
        assert (judge, lin, okafor) == (of["judge"], of.get("lin"), of.get("okafor"))
        assert humans == mean(score for name, score in of.items() if name != "judge")
        both[direction, system].append((judge, humans))
    assert {(direction, system): numbers(cells) for direction, system, *cells in means} == {
        key: [mean(a for a, _ in pairs), mean(b for _, b in pairs)] for key, pairs in both.items()
    }


def alike(scores: list[list[float | None]]) -> tuple[int, int]:
    """The concordant pairs and all, of (judge, humans); nothing is tied in the example."""
    pairs = list(itertools.combinations(scores, 2))
    return sum((a[0] > b[0]) == (a[1] > b[1]) for a, b in pairs), len(pairs)


def test_the_example_has_the_figures_of_the_report(example: str, discox: Command, sample: Path) -> None:
    plain: dict[str, Any] = json.loads(discox("consistency", "--db", sample, "--json").out)
    text = " ".join(example.split())
    scores, means = tables_of(example)
    counted: dict[tuple[str, str], tuple[int, int]] = {}
    for direction in ("zh-en", "en-zh"):
        within = defaultdict(list)
        for _, article, _, *cells in (row for row in scores if row[0] == direction):
            values = numbers(cells)
            within[article].append([values[0], values[-1]])
        found = [alike(each) for each in within.values()]
        counted["segment", direction] = sum(k for k, _ in found), sum(n for _, n in found)
        counted["system", direction] = alike([numbers(row[2:]) for row in means if row[0] == direction])
    cells = {(cell["level"], cell["direction"]): cell for cell in plain["pairwise"]}
    for key, (concordant, n) in counted.items():
        assert (cells[key]["concordant"], cells[key]["n"], cells[key]["acc_eq"]) == (concordant, n, concordant / n)
        assert f"{concordant} / {n} = {concordant / n:.3f}" in text
    average = mean(Fraction(k, n) for k, n in counted.values())
    assert plain["average"]["Metric-S (meridian-pro)"] == pytest.approx(float(average))
    assert f"/ 4 = {float(average):.3f}" in text
    assert cells["segment", "en-zh"]["interval_why"]["acc_eq"] == TOO_FEW

    found = plain["findings"]["overall"]
    low, high = found["precision_bounds"]
    right, decided, all_found = found["right"], found["precision"]["n"], low["n"]
    assert f"of {decided} decided findings {right} are right" in text
    assert f"{right} / {decided} = {found['precision']['value']:.3f}" in text
    assert f"{right} / {all_found} = {low['value']:.3f}" in text
    assert f"{right + found['unsure']} / {all_found} = {high['value']:.3f}" in text
    connection = sqlite3.connect(sample)
    kinds = dict(
        connection.execute(
            "SELECT v.decision, count(*) FROM verdicts v JOIN findings f ON f.evaluation_id = v.evaluation_id "
            "AND f.id = v.finding_id JOIN evaluations e ON e.id = v.evaluation_id "
            "WHERE f.kept AND e.state = 'scored' GROUP BY v.decision"
        )
    )
    connection.close()
    assert f"{kinds['agree']} agreed with, {kinds['override']} changed, {kinds['reattribute']} moved" in text
    assert f"of {found['wrong']} wrong ones {kinds['not_an_error']} are no error, {kinds['duplicate']} dup" in text
    assert f"and {kinds['too_strict']} points that ask too much" in text
    known = found["searched"]
    assert f"of {plain['basis']['searched']} documents" in text
    assert f"{known['right']} right findings and {known['wrong']} wrong ones, and missed {known['missed']} err" in text
    assert f"{known['right']} / ({known['right']} + {known['missed']}) = {found['recall']['value']:.3f}" in text
    twice = 2 * known["right"]
    assert f"{twice} / ({twice} + {known['wrong']} + {known['missed']}) = {found['f1']['value']:.3f}" in text
    blind, anchored = (plain["anchoring"]["findings"][seen]["precision"] for seen in ("blind first", "anchored"))
    assert [row["reviewer"] for row in plain["anchoring"]["blind_first"]] == ["okafor"]
    assert f"a precision of {blind['value']:.3f}, beside {anchored['value']:.3f} of the {anchored['n']} find" in text
    spans = {name: plain["spans"]["judge"][name]["value"] for name in ("partial", "exact", "overlap")}
    assert "{partial:.3f} with partial credit, {exact:.3f} exactly, {overlap:.3f} by any".format(**spans) in text
    fluency, moved = plain["findings"]["by"]["dimension"]["fluency"], plain["findings"]["attribution"]["fluency"]
    assert f"{fluency['right']} of {fluency['precision']['n']} are right, {fluency['precision']['value']:.3f}" in text
    assert f"{moved['accuracy']} of the {fluency['wrong']} wrong there" in text
    humans, judge = (plain["between_humans"]["together"][side]["verdicts"] for side in ("humans", "judge"))
    for each, form in ((humans, "{:.3f} of {}"), (judge, "{:.3f} of {}")):
        assert form.format(each["observed"]["value"], each["observed"]["n"]) in text
    assert f"{humans['kappa']['value']:.3f} between them and {judge['kappa']['value']:.3f} with the judge" in text
    assert f"{humans['ac1']['value']:.3f} and {judge['ac1']['value']:.3f}" in text
