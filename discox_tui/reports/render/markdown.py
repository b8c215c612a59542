"""A report as Markdown with GitHub's tables, for a paper's draft or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from discox_tui.reports.render.model import MARK, PageTable, PageValue, Report, Shown, sentence
from discox_tui.text.safe import safe

_ACTIVE = re.compile(r"[\\`*_{}\[\]#|~$@<>&]|:(?=//|[\w+-]+:)|(?<=www)\.|^(?:\s+|[-=+]+|\d+(?=[.)](?:\s|$)))", re.I)
"""Characters that could begin a tag, a link, an emoji, a mention, a formula, emphasis, code or another cell; or, at the
beginning, a list, a rule or a heading."""
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def as_markdown(report: Report) -> str:
    """Return the whole report, ending in a line feed. Whatever a name holds is shown, never obeyed."""
    return "\n".join(_lines(report)) + "\n"


def text(words: str) -> str:
    """Return words as what Markdown shows literally, on one line and within a cell of a table."""

    def literal(match: re.Match[str]) -> str:
        found = match[0]
        if found.isspace():
            return ""
        if found.isdigit():
            return "".join(f"&#{ord(digit)};" for digit in found)
        return "".join(_ENTITIES.get(character, f"\\{character}") for character in found)

    return _ACTIVE.sub(literal, safe(words))


def _lines(report: Report) -> Iterator[str]:
    yield f"<!-- {MARK} -->"
    yield f"# {text(report.title)}"
    yield ""
    yield from (f"- {text(term)}: {text(said)}" for term, said in report.facts.items())
    for warning in report.warnings:
        yield ""
        yield f"**{text(warning)}**"
    for section in report.pages:
        yield ""
        yield f"## {text(section.title)}"
        for words in section.words:
            yield ""
            yield text(words)
        for table in section.tables:
            yield ""
            yield from _table(table)


def _table(table: PageTable) -> Iterator[str]:
    yield f"### {text(table.title)}"
    yield ""
    yield _row([text(head) for head in table.header])
    yield _row(["---", *["---:"] * (len(table.header) - 1)])
    yield from (_row([_cell(value) for value in row]) for row in table.rows)
    notes = [f"{name}: {said}" for name, said in table.definitions.items()]
    for note in (*table.remarks(), *notes, *table.basis):
        yield ""
        yield text(sentence(note))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: PageValue) -> str:
    match value:
        case Shown():
            return f"{text(value.value)} ({value.ends})" if value.ends else text(value.value)
        case int():
            return f"{value:,}"
    return text(value)
