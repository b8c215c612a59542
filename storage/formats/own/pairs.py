"""Articles with translations, for people without DiscoX: a table of pairs, or two texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from judges.grounding.alignment import paragraphs
from storage.formats.base.directions import direction_in, direction_told
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Document, Hypothesis, Remark, Segment
from storage.formats.base.segments import segments_of
from storage.formats.io.head import Head
from storage.formats.io.input_file import AnyFile, InputFile, path_of
from storage.formats.io.json_objects import LOOKED_AT
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.lines import UNDECODABLE, FormatError, not_utf8, open_file, read_lines
from storage.formats.io.office import DOCUMENT, NOTES, TRACKED, WORKBOOK, docx_text, is_office
from storage.formats.io.records import header_of
from storage.formats.io.rows import LeftOut
from storage.formats.io.tables import Wanted, by_name, named_rows, our_name
from storage.formats.io.values import points_text, word
from storage.formats.io.zips import is_zip

COLUMNS = ("article", "system", "source", "translation")
"""Columns that a row has; the system may be said for the whole file, and of an article that is here one of its name
and its source is enough."""
OPTIONAL = ("direction", "domain", "rubric")
EXPECTED = (
    f"pairs have the columns {', '.join(COLUMNS)} (or --system NAME), and may have {', '.join(OPTIONAL)}, or these by "
    "another usual name (src, mt, target, doc, prompt_id, model, 原文, 译文); of articles that are here one of article "
    "and source is enough"
)
WANTED = Wanted(({"source", "translation"}, {"article", "translation"}), EXPECTED)

_JUDGED = ({"metric", "score"}, {"category", "rater"}, {"severity"}, {"errors"}, {"annotation_id"})
"""Columns of tables that say more than pairs do, and are to be read as what they are or not at all."""
LARGEST_TEXT = 32 << 20
"""Bytes of a text file that is one document."""
_MEND = "mend the row, or delete it and import the file again"
_EMPTY = "is empty"

# --- Tables ---------------------------------------------------------------------------------------------------


class Pairs(Format):
    """A table or a list of objects with sources and translations, a document for each; a workbook is to be one."""

    name, title, phrase = "pairs", "Pairs of texts", "pairs of texts"
    needed = COLUMNS

    def sniff(self, head: Head) -> bool:
        """Tell if the first rows, or the header alone, name texts and nothing that was said of them."""
        file = head.file
        if head.is_zip:
            return is_office(file, WORKBOOK) or is_office(file, DOCUMENT)
        # Where no row can be read, the header tells; what is wrong with the rows is then said row by row.
        rows = _first_rows(file) or [dict.fromkeys(header_of(file, WANTED.fits)[2])]
        named = [by_name(row).keys() for row in rows]
        if not any({"source", "translation"} <= names for names in named):  # a name and a text are in many tables
            named = [names for names in named if {"article", "translation"} <= names and "score" not in names]
        return bool(named) and not any(said <= names for said in _JUDGED for names in named)

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield a document for each pair, in the order of the file; columns may stand in any order.

        A row without a source is a translation of the article that is here by its name.

        Raises FormatError where the file cannot be read, where all its first rows lack a column, and where it has no
        row.
        """
        if is_zip(file) and is_office(file, DOCUMENT):
            mend = "discox import pair SOURCE TRANSLATION brings in a text and its translation"
            raise FormatError(f"{file}: is a Word document; {mend}")
        told: set[str] = set()
        empty = True
        named = "" if options.direction else direction_in(file.stem)
        _check(file, options)
        for row in named_rows(file, WANTED):
            empty = False
            if isinstance(row, LeftOut):
                yield row
                continue
            values = by_name(row.value)
            if not told and named and "direction" not in values:
                yield Remark(row.line, *direction_told(named))
                options = replace(options, direction=named)
            for name in sorted(values.keys() - told):
                told.add(name)
                if name not in COLUMNS and name not in OPTIONAL:
                    message = "is none of the columns that are read; it is passed over"
                    yield Remark(row.line, "other_column", name, message)
            yield from (Remark(row.line, flag.code, "", flag.message) for flag in row.flags)
            yield from _not_taken(row.line, values)
            yield _pair(row.line, values, options)
        if empty:
            raise FormatError(f"{file}: has a header and no row below it; {EXPECTED}")

    def lacking(self, names: Collection[str]) -> list[str]:
        """Return the needed columns that are missing, by any usual name."""
        return super().lacking([*names, *map(our_name, names)])

    def is_row(self, names: Collection[str]) -> bool:
        """Tell if there are texts, or a text and its article; the rest may be said otherwise."""
        lacking = {*self.lacking(names)}
        return any(not wanted & lacking for wanted in WANTED.any_of)


def _first_rows(path: InputFile) -> list[dict[str, Any]]:
    return [row.value for row in islice(named_rows(path, WANTED), LOOKED_AT) if isinstance(row, JsonObject)]


def _check(path: InputFile, options: ReadOptions) -> None:
    rows = _first_rows(path)
    lacking = [[*_lacks(by_name(row), options)] for row in rows]
    if missing := min(lacking, key=len, default=[]):
        found = ", ".join(name[:40] or "(empty)" for name in list(rows[lacking.index(missing)])[:12])
        raise FormatError(f"{path}: has no {', '.join(missing)} among its columns {found}; {EXPECTED}; rename them")


def _lacks(row: Collection[str], options: ReadOptions) -> Iterator[str]:
    """Yield the columns that a row must have and has not; of an article that is here its source is enough."""
    lacks = [
        name for name in ("system", "translation") if name not in row and not (name == "system" and options.system)
    ]
    if "article" not in row and not options.article and (lacks or "source" not in row):
        yield "article"
    yield from lacks


def _not_taken(line: int, values: dict[str, Any]) -> Iterator[Remark]:
    """Say which optional fields are of a kind that nothing can be made of."""
    for name in OPTIONAL:
        value = values.get(name)
        if isinstance(value, (dict, list)) and not (name == "rubric" and points_text(value)) and value:
            what = "a text, or a list of texts" if name == "rubric" else "a text"
            yield Remark(line, "not_taken", name, f"is {kind(value)}, and was not taken; write it as {what}")


def _pair(line: int, values: dict[str, Any], options: ReadOptions) -> Document | Hypothesis | LeftOut:
    """Return a row as a translation with its source, or as one of the article of its name."""
    article = options.article or word(values.get("article")).strip()
    system = options.system or word(values.get("system")).strip()
    no_source = _no_text(line, values, "source")
    if no_source and (no_source.reason != _EMPTY or not article):
        return no_source
    if no_text := _no_text(line, values, "translation"):
        return no_text
    if not system:
        return LeftOut(line, "bad_field", "system", "is empty", f"give it a name, or {_MEND}")
    if no_source:
        otherwise = no_source if "source" in values else None
        return Hypothesis(article, system, values["translation"], line, otherwise, "article")
    direction = word(values.get("direction")).strip() or options.direction or ""
    return Document(
        article,
        system,
        (Segment("1", values["source"], values["translation"]),),
        direction,
        word(values.get("domain")).strip(),
        points_text(values.get("rubric")),
        line,
    )


def _no_text(line: int, values: dict[str, Any], name: str) -> LeftOut | None:
    """Return why a row is left out for one of its texts, if it has to be."""
    value = values.get(name)
    if isinstance(value, str) and value.strip():
        return None
    what = "is no text" if value and not isinstance(value, str) else _EMPTY
    return LeftOut(line, "bad_field", name, what, f"write the text, or {_MEND}")


# --- Two texts ------------------------------------------------------------------------------------------------


def read_texts(source: AnyFile, translation: AnyFile, options: ReadOptions) -> Iterator[Item]:
    """Yield one document of two files, plain text or DOCX; the article is called as the source's file.

    They are cut into paragraphs, or what stands between blank lines, as `segments_of` says. Raises FormatError.
    """
    texts = []
    for path in (source, translation):
        text, remarks = one_text(path)
        yield from remarks
        texts.append(text)
    segments = segments_of(*texts)
    numbers = [len(paragraphs(text)) for text in texts]
    if len(segments) == 1 and numbers[0] != numbers[1]:
        counts = " and ".join(f"{number:,}" for number in numbers)
        yield Remark(0, "paragraphs_differ", "", f"the texts have {counts} paragraphs; they are taken as one segment")
    yield Document(source.stem, options.system or translation.stem, segments, options.direction or "", line=1)


def one_text(path: AnyFile) -> tuple[str, list[Remark]]:
    """Return the text of a file that is one document, plain or DOCX, and what to know of it. Raises FormatError."""
    text, told = docx_text(path) if is_zip(path) else (_plain(path), set[str]())
    remarks = []
    if "\0" in text:
        remarks.append(Remark(0, "replaced_characters", path.name, "NUL characters, each replaced by U+FFFD"))
        text = text.replace("\0", "\ufffd")
    if not text.strip():
        raise FormatError(f"{path}: holds no text; check that it is the right file")
    if TRACKED in told:
        remarks.append(Remark(0, "tracked_changes", path.name, "has tracked changes; they are taken as accepted"))
    if NOTES in told:
        remarks.append(Remark(0, "notes", path.name, "has footnotes or endnotes; they are left out"))
    return text, remarks


def _plain(path: AnyFile) -> str:
    """A text file whole, its lines ended by LF. Raises FormatError where a line is no UTF-8."""
    with open_file(path):
        if path_of(path).stat().st_size > LARGEST_TEXT:
            raise FormatError(
                f"{path}: has more than {LARGEST_TEXT >> 20} MB, too much for one document; cut it into several"
            )
    lines = []
    for number, line in read_lines(path):
        if line == UNDECODABLE:
            raise FormatError(f"{path}: line {number}: {'; '.join(not_utf8(line))}")
        lines.append(line)
    return "\n".join(lines)
