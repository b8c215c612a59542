"""A report's tables as LaTeX (booktabs), to be put into a paper with ``\\input``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discox_tui.reports.render.model import MARK, PageTable, PageValue, Report, Shown, sentence
from discox_tui.text.safe import display, safe
from discox_tui.text.widths import widths

LINE = 80
"""Digits of ``\\footnotesize`` that stand side by side in an article's text at 10 points (345 pt)."""
COLUMN = 48
"""Digits in one of two columns of a page (about 220 pt): what is wider goes across both."""
LABEL = 20
"""Digits of a label that is broken into lines, at least."""
GAP = 1.5
"""Digits that fit between two columns, of which each has 3 pt on both sides."""
SMALL = 0.94
"""The width of a digit of ``\\scriptsize``."""
PAGE = 40
"""Lines of a table for which a page has room, with its notes."""

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
    "\ufffd": "?",  # TeX stops at what stands for a character that is none
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
_ACTIVE = re.compile("|".join(re.escape(each) for each in _LITERAL if each != "-") + "|-(?=-)")


def as_latex(report: Report) -> str:
    """Return every table as a float of its own with caption, label and notes, ending in a line feed.

    A table fits the page of an article: where it is too wide, intervals stand beneath their figures; where it still is,
    or too long, it goes on in a further table. One that is wider than a column of two goes across the page.
    """
    return "\n".join(_lines(report)) + "\n"


def text(words: str) -> str:
    """Return words as what LaTeX sets literally, on one line."""
    return _ACTIVE.sub(lambda match: _LITERAL[match[0]], safe(words))


def _breakable(words: str) -> str:
    """Return words that can be broken into lines even where they have no spaces, as signatures have none."""
    marked = re.sub(r"\S{25,}", lambda word: re.sub(r"[;/:=_]|\w{16}", "\\g<0>\0", word[0]), safe(words))
    return r"\allowbreak{}".join(map(text, marked.split("\0")))


def _lines(report: Report) -> Iterator[str]:
    yield f"% {MARK}"
    yield "% \\usepackage{booktabs}; other scripts than Latin take XeLaTeX or LuaLaTeX and a font that has them"
    yield from (f"% {safe(term)}: {safe(said)}" for term, said in report.facts.items())
    yield from (f"% {safe(warning)}" for warning in report.warnings)
    tables = [table for section in report.pages for table in section.tables]
    kind = "".join(re.findall("[a-z]", report.title.lower().partition(" ")[0]))
    for k, table in enumerate(tables, 1):
        yield ""
        yield from _table(table, f"tab:{kind}-{k}", report.facts.get("Program", ""))


@dataclass(frozen=True, slots=True)
class _Column:
    """A column, ready to be set: its intervals, empty where there is none, apart from its other cells.

    ``beside`` and ``beneath``: the digits that it takes with intervals beside their figures, or beneath.
    """

    head: str
    align: str
    cells: Sequence[str]
    ends: Sequence[str]
    beside: float
    beneath: float

    @classmethod
    def of(cls, head: str, values: Sequence[PageValue]) -> _Column:
        pairs = [_shown(value) for value in values]
        align, setting = ("l", text) if any(re.search(r"[^\W\d_]", cell) for cell, _ in pairs) else ("r", _number)
        wide = [(_width(cell), SMALL * _width(ends)) for cell, ends in pairs]
        parts = head.split()
        least = max(map(_width, parts), default=0)
        beneath = max([least, *map(max, wide)])
        beside = max([least, *(cell + (3 + ends if ends else 0) for cell, ends in wide)])
        stacked = r"\\".join(map(text, parts))
        return cls(
            rf"\shortstack[{align}]{{{stacked}}}" if len(parts) > 1 and _width(head) > beneath else text(head),
            align,
            [setting(cell) for cell, _ in pairs],
            [_number(ends) for _, ends in pairs],
            GAP + beside,
            GAP + beneath,
        )


def _shown(value: PageValue) -> tuple[str, str]:
    match value:
        case Shown():
            return value.value, value.ends
        case int():
            return f"{value:,}", ""
    return value, ""


def _table(table: PageTable, label: str, program: str) -> Iterator[str]:
    corner, *heads = table.header
    labels = [str(row[0]) for row in table.rows]
    columns = [_Column.of(head, [row[i] for row in table.rows]) for i, head in enumerate(heads, 1)]
    widest = max(map(_width, (corner, *labels)))
    beneath = min(widest, LABEL) + sum(column.beside for column in columns) > LINE
    wide = [column.beneath if beneath else column.beside for column in columns]
    room = min(widest, max(LABEL, LINE - sum(wide)))
    shown = [_label(each, room) for each in labels]
    high = [
        max(1 + (_width(each) > room), 1 + (beneath and any(column.ends[i] for column in columns)))
        for i, each in enumerate(labels)
    ]
    pieces = [(rows, part) for rows in _portions(high, PAGE) for part in _portions(wide, LINE - room)]
    notes = [f"{name}: {said}" for name, said in table.definitions.items()]
    made = [program] if program else []
    for k, (rows, part) in enumerate(pieces, 1):
        chosen = [columns[i] for i in part]
        star = "*" if room + sum(wide[i] for i in part) > COLUMN else ""
        yield rf"\begin{{table{star}}}"
        yield r"\centering\footnotesize\setlength{\tabcolsep}{3pt}"
        yield rf"\caption{{{text(table.title)}{f' ({k} of {len(pieces)})' if len(pieces) > 1 else ''}}}"
        yield rf"\label{{{label}{f'-{k}' if k > 1 else ''}}}"
        yield rf"\begin{{tabular}}{{@{{}}l{''.join(column.align for column in chosen)}@{{}}}}"
        yield r"\toprule"
        yield _row([text(corner), *(column.head for column in chosen)])
        yield r"\midrule"
        for i in rows:
            yield from _set(shown[i], [(column.cells[i], column.ends[i]) for column in chosen], beneath)
        yield r"\bottomrule"
        yield r"\end{tabular}"
        yield r"\par\smallskip\parbox{\linewidth}{\raggedright"
        yield from (_breakable(sentence(note)) for note in (*table.remarks(), *notes, *table.basis, *made))
        yield "}"
        yield rf"\end{{table{star}}}"


def _portions(sizes: Sequence[float], room: float) -> Iterator[list[int]]:
    """Numbers of things, as many at a time as there is room for, one at least; once none where there are none."""
    portion: list[int] = []
    for i, size in enumerate(sizes):
        if portion and size + sum(sizes[j] for j in portion) > room:
            yield portion
            portion = []
        portion.append(i)
    yield portion


def _set(label: str, cells: Sequence[tuple[str, str]], beneath: bool) -> Iterator[str]:
    """A row, in two lines where intervals stand beneath."""
    if not beneath:
        yield _row([label, *(rf"{cell} {{\scriptsize ({ends})}}" if ends else cell for cell, ends in cells)])
        return
    yield _row([label, *(cell for cell, _ in cells)])
    if any(ends for _, ends in cells):
        yield _row(["", *(rf"\scriptsize {ends}" if ends else "" for _, ends in cells)])
        yield r"\addlinespace[2pt]"


def _row(cells: Sequence[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _label(words: str, room: float) -> str:
    """A label, on several lines where it is wider than that."""
    if _width(words) <= room:
        return text(words)
    return rf"\parbox[t]{{{room / LINE:.2f}\linewidth}}{{\raggedright {_breakable(words)}\strut}}"


def _number(words: str) -> str:
    """A number with a minus sign where it has one."""
    return re.sub(r"(?<!-)-(?=\d)", "$-$", text(words))


def _width(words: str) -> int:
    """Digits that words take; a Chinese character is as wide as two."""
    return widths().of(display(words))
