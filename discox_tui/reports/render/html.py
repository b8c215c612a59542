"""A report as one HTML file for people: no network, no script; light and dark, on paper, and without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.resources import files

from discox_tui.reports.render.model import MARK, PageTable, PageValue, Report, Section, Shown
from discox_tui.reports.render.svg import interval_bar, scatter
from discox_tui.text.bidi import right_to_left
from discox_tui.text.safe import safe

WIDE = 8
"""Columns beyond which a table may have to be scrolled sideways, so that keys must reach it."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Policy on what a browser may load or run for the file: nothing but its own style."""


def as_html(report: Report) -> str:
    """Return the whole file. Names are inert: controls are made visible, markup is escaped, directions isolated."""
    return "\n".join(_page(report)) + "\n"


def text(words: str) -> str:
    """Return words as what HTML shows literally, in an element or in a quoted attribute."""
    return escape(safe(words))


def name(words: str) -> str:
    """Return a label, in an element of its own so that its direction of writing stays within; its language unknown."""
    other = any(character.isalpha() and not character.isascii() for character in words)
    return f'<bdi lang="">{text(words)}</bdi>' if other else f"<bdi>{text(words)}</bdi>"


def prose(words: str) -> str:
    """Return a sentence in which every name that is written from right to left keeps to itself."""
    return right_to_left().sub(lambda found: f"<bdi>{found[0]}</bdi>", text(words))


def _page(report: Report) -> Iterator[str]:
    style = files("discox_tui.reports.render").joinpath("report.css").read_text(encoding="utf-8").strip()
    yield "<!DOCTYPE html>"
    yield f"<!-- {MARK} -->"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{text(report.title)}</title>"
    yield f"<style>\n{style}\n</style>"
    yield "</head>"
    yield "<body>"
    yield "<header>"
    yield f"<h1>{text(report.title)}</h1>"
    yield from _pairs(report.facts.items(), "facts", {"Command"})
    yield "</header>"
    if report.warnings:
        yield '<aside class="warnings" aria-label="Warnings"><ul>'
        yield from (f"<li>{prose(warning)}</li>" for warning in report.warnings)
        yield "</ul></aside>"
    yield '<nav aria-label="Contents"><ol>'
    yield from (
        f'<li><a href="#section-{k}">{text(section.title)}</a></li>' for k, section in enumerate(report.pages, 1)
    )
    yield "</ol></nav>"
    yield "<main>"
    for k, section in enumerate(report.pages, 1):
        yield from _section(section, k)
    yield "</main>"
    yield "</body>"
    yield "</html>"


def _pairs(pairs: Iterable[tuple[str, str]], kind: str, code: Iterable[str] = ()) -> Iterator[str]:
    yield f'<dl class="{kind}">'
    for term, said in pairs:
        shown = f"<code>{name(said)}</code>" if term in code else name(said)
        yield f"<div><dt>{name(term)}</dt><dd>{shown}</dd></div>"
    yield "</dl>"


def _section(section: Section, k: int) -> Iterator[str]:
    yield f'<section id="section-{k}" aria-labelledby="heading-{k}">'
    yield f'<h2 id="heading-{k}">{text(section.title)}</h2>'
    yield from (f"<p>{prose(words)}</p>" for words in section.words)
    explained: list[Mapping[str, str]] = [{}]
    for table in section.tables:
        yield from _table(table, explain=table.definitions not in explained)
        explained.append(table.definitions)
    if section.plots:
        yield '<div class="plots">'
        for plot in section.plots:
            said = f"{len(plot.across):,} translations; a larger circle stands for several at one place"
            of = f"{name(plot.across_label)} against {name(plot.up_label)}"
            equal = "; the dashed line is where both scores are equal" if plot.limits else ""
            yield f"<figure>{scatter(plot)}<figcaption>{of}: {said}{equal}.</figcaption></figure>"
        yield "</div>"
    yield "</section>"


def _table(table: PageTable, explain: bool) -> Iterator[str]:
    yield '<div class="table" tabindex="0">' if len(table.header) > WIDE else '<div class="table">'
    yield '<table class="heat">' if table.heat else "<table>"
    yield f"<caption>{name(table.title)}</caption>"
    yield "<thead><tr>"
    yield from (f'<th scope="col">{name(head)}</th>' if head else "<td></td>" for head in table.header)
    yield "</tr></thead>"
    yield "<tbody>"
    for label, *values in table.rows:
        yield f'<tr><th scope="row">{name(str(label))}</th>'
        if table.heat:
            whole = sum(value for value in values if isinstance(value, int))
            for column, value in zip(table.header[1:], values, strict=True):
                yield _heat(value, whole, column == label)
        else:
            yield from (_cell(value) for value in values)
        yield "</tr>"
    if not table.rows:
        yield f'<tr><td colspan="{len(table.header)}">nothing</td></tr>'
    yield "</tbody>"
    yield "</table>"
    yield from (f'<p class="note">{prose(note)}</p>' for note in table.remarks())
    if explain:
        yield from _pairs(table.definitions.items(), "definitions")
    yield "</div>"


def _cell(value: PageValue) -> str:
    match value:
        case Shown() if value.figure.value is None:
            return f'<td class="undefined" title="{text(value.figure.why)}">{value.value}</td>'
        case Shown():
            bar = interval_bar(value)
            ends = f'<span class="ends">{value.ends}</span>' if value.ends else ""
            return f"<td><strong>{value.value}</strong>{ends}{bar}</td>"
        case int():
            return f"<td>{value:,}</td>"
    return f"<td>{name(value)}</td>"


def _heat(value: PageValue, whole: int, same: bool) -> str:
    """A count, tinted by its share of the row, with the share in words; ``same``: where judge and reviewer agree."""
    if not isinstance(value, int):
        return _cell(value)
    share = value / whole if whole else 0.0
    said = f'<span class="ends">{share:.0%}</span>' if whole else ""
    mark = ' class="same"' if same else ""
    return f'<td{mark} style="--share:{share * 100:.0f}%"><strong>{value:,}</strong>{said}</td>'
