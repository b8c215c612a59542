"""A report's tables as LaTeX (booktabs), to be put into a paper with ``\\input``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from discox_tui.reports.tables import MARK, Report, Shown, Table, Value, sentence
from discox_tui.text.safe import safe

_LITERAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "-": "-{}",
    "–": "--",
    "½": r"\textonehalf{}",
    "×": r"\texttimes{}",
    "…": r"\dots{}",
    "ε": r"$\varepsilon$",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_ACTIVE = re.compile("|".join(re.escape(each) for each in _LITERAL if each != "-") + "|-(?=-)")


def as_latex(report: Report) -> str:
    """Return every table as a float of its own with caption, label and notes, ending in a line feed."""
    return "\n".join(_lines(report)) + "\n"


def text(words: str) -> str:
    """Return words as what LaTeX sets literally, on one line."""
    return _ACTIVE.sub(lambda match: _LITERAL[match[0]], safe(words))


def _lines(report: Report) -> Iterator[str]:
    yield f"% {MARK}"
    yield "% \\usepackage{booktabs}; other scripts than Latin take XeLaTeX or LuaLaTeX and a font that has them"
    yield from (f"% {safe(term)}: {safe(said)}" for term, said in report.facts.items())
    yield from (f"% {safe(warning)}" for warning in report.warnings)
    tables = [table for section in report.sections for table in section.tables]
    for k, table in enumerate(tables, 1):
        yield ""
        yield from _table(table, k, report.facts.get("Program", ""))


def _table(table: Table, k: int, program: str) -> Iterator[str]:
    yield r"\begin{table}"
    yield r"\centering\small"
    yield rf"\caption{{{text(table.title)}}}"
    yield rf"\label{{tab:consistency-{k}}}"
    yield rf"\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}"
    yield r"\toprule"
    yield _row([text(head) for head in table.header])
    yield r"\midrule"
    yield from (_row([_cell(value) for value in row]) for row in table.rows)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    notes = [f"{name}: {said}" for name, said in table.definitions.items()]
    made = [program] if program else []
    yield r"\par\smallskip\parbox{\linewidth}{\footnotesize"
    yield from (text(sentence(note)) for note in (*table.remarks(), *notes, *table.basis, *made))
    yield "}"
    yield r"\end{table}"


def _row(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _cell(value: Value) -> str:
    match value:
        case Shown():
            ends = rf" {{\scriptsize ({_number(value.ends)})}}" if value.ends else ""
            return f"{_number(value.value)}{ends}"
        case int():
            return f"{value:,}"
    return text(value)


def _number(words: str) -> str:
    """A number with a minus sign where it has one."""
    return words.replace("-", "$-$").replace("–", "--")
