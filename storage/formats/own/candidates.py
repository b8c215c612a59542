"""Articles that may come into a benchmark, in whatever file their author has them: text, DOCX, or rows of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from judges.benchmark.rubric.given_points import given_points, given_rubric
from judges.benchmark.rubric.points import Point, rubric_text
from judges.metric_s.reading.rubric import parse_rubric
from judges.model import Article, Flag
from storage.formats.base.directions import direction_name
from storage.formats.base.items import Remark
from storage.formats.io.input_file import AnyFile, path_of
from storage.formats.io.json_objects import LOOKED_AT
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import FormatError
from storage.formats.io.office import DOCUMENT
from storage.formats.io.rows import LeftOut
from storage.formats.io.tables import Wanted, by_name, named_rows, our_name
from storage.formats.io.values import word
from storage.formats.io.zips import is_zip, open_zip
from storage.formats.own.dataset import KNOWN, read_article
from storage.formats.own.pairs import one_text
from storage.formats.own.written_rows import read_written, unknown

FORMAT = "candidates"
"""The name of the format in the report of an import."""

ROWS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv")
TEXTS = (".txt", ".md", ".docx")
SUFFIXES = (*ROWS, ".xlsx", *TEXTS)
"""Endings of the files in a folder that are looked at; others are to be named."""

COLUMNS = ("article", "source", "direction", "domain", "subdomain", "rubric", "points", "origin", "licence")
_OTHER_NAMES = {
    "key": "article",
    "id": "article",
    "text": "source",
    "sub-domain": "subdomain",
    "license": "licence",
    "reference_list": "rubric",
}
_OF_DISCOX = {"prompt_id", "ori_text"}
_NO_CANDIDATES = {"translation", "model_output", "detailed_judgement", "detailed_results", "average_accuracy"}
"""Columns of files that hold translations or judgements."""
_WANTED = Wanted(
    ({"source"}, {"text"}, _OF_DISCOX),
    f"candidates have the columns article, source and direction, and may have {', '.join(COLUMNS[3:])}; or those of "
    "DiscoX's data set (prompt_id, ori_text, reference_list)",
)
_MEND = "mend the row, or delete it and add the file again"

_HEADING = re.compile(r"^[#* \t]*(?:rubric(?: points)?|考点|评分点)[* \t]*[:：]?[* \t]*$", re.IGNORECASE | re.MULTILINE)
_FIRST_POINT = re.compile(r"^[ \t]*考点[ \t]*1[ \t]*[:：.．、]", re.MULTILINE)


_NO_TEXTS = {"{\\rtf": "RTF", "%pdf": "PDF", "<!doctype": "HTML", "<html": "HTML", "<?xml": "XML"}
"""Beginnings of files that are text only for a program."""


@dataclass(frozen=True, slots=True)
class GivenFor:
    """Values that hold for every row of a file that does not say it itself."""

    direction: str = ""
    domain: str = ""
    subdomain: str = ""
    origin: str = ""
    licence: str = ""


NOTHING = GivenFor()


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A candidate as a file gives it; ``line`` is where its row begins. ``points``: its rubric's, taken apart.

    ``written``: what the row says of a version, where this program wrote it.
    """

    line: int
    article: Article
    points: tuple[Point, ...] = ()
    origin: str = ""
    licence: str = ""
    flags: tuple[Flag, ...] = ()
    written: Mapping[str, Any] = field(default_factory=dict)


Item = CandidateRow | LeftOut | Remark


def read(path: AnyFile, given: GivenFor = NOTHING) -> Iterator[Item]:
    """Yield the candidates of a file in its order, what is left out, and remarks.

    A text file or DOCX is one candidate, called as the file; its rubric follows the text, below a line "Rubric" or
    "考点", or from a line that begins "考点1：". Rows of JSON, CSV, TSV or XLSX have the columns ``COLUMNS``, or are
    DiscoX's. Nothing is guessed of the direction, but of DiscoX's rows. Raises FormatError where nothing can be read.
    """
    return _from_text(path, given) if _is_text(path) else _from_rows(path, given)


def _is_text(path: AnyFile) -> bool:
    if is_zip(path):
        with closing(open_zip(path)) as packed:
            return DOCUMENT in packed.namelist()
    return path_of(path).suffix.lower() not in ROWS


# --- One text ---------------------------------------------------------------------------------------------------


def _from_text(path: AnyFile, given: GivenFor) -> Iterator[Item]:
    whole, remarks = one_text(path)
    beginning = whole.lstrip()[:9].casefold()
    if kind := next((kind for mark, kind in _NO_TEXTS.items() if beginning.startswith(mark)), None):
        raise FormatError(f"{path}: is {kind}; save its text as DOCX or plain text, and add that")
    if beginning.startswith(('{"', '[{"')):
        raise FormatError(f"{path}: looks like JSON; call it .json or .jsonl, and add it again")
    if path_of(path).suffix.lower() in (".docx", ".xlsx") and not is_zip(path):
        raise FormatError(f"{path}: is no {path_of(path).suffix[1:].upper()} file, whatever its name says; check it")
    yield from remarks
    source, rubric = _cut(whole)
    if not source.strip():
        raise FormatError(f"{path}: holds rubric points and no text before them; put the article before its points")
    yield _candidate(1, {"article": path.stem, "source": source, "rubric": rubric}, given)


def _cut(text: str) -> tuple[str, str]:
    """A document's text and the rubric that follows it, "" where none does."""
    heading = [*_HEADING.finditer(text)][-1:]
    if heading and parse_rubric(text[heading[0].end() :]):
        return text[: heading[0].start()].rstrip(), text[heading[0].end() :].strip()
    first = _FIRST_POINT.search(text)
    return (text[: first.start()].rstrip(), text[first.start() :].strip()) if first else (text, "")


# --- Rows -------------------------------------------------------------------------------------------------------


def _from_rows(path: AnyFile, given: GivenFor) -> Iterator[Item]:
    told: set[str] = set()
    first = [row.value for row in islice(named_rows(path, _WANTED), LOOKED_AT) if isinstance(row, JsonObject)]
    names = {name for row in first for name in by_name(row)}
    if found := sorted(names & _NO_CANDIDATES):
        raise FormatError(f"{path}: has {found[0]}, so it holds more than articles; `discox import` reads it")
    if first and not names & _OF_DISCOX and not any("source" in _known(row) for row in first):
        raise FormatError(f"{path}: has no column source; {_WANTED.expected}")
    empty = True
    for row in named_rows(path, _WANTED):
        empty = False
        if isinstance(row, LeftOut):
            yield row
            continue
        discox = not _OF_DISCOX.isdisjoint(row.value)
        values = _known(row.value)
        known = {*COLUMNS} | ({our_name(name) for name in KNOWN} if discox else set())
        known |= {*row.value} - {*unknown(row.value, ())}
        for name in sorted(values.keys() - told - known):
            told.add(name)
            yield Remark(row.line, "other_column", name, "is none of the columns that are read; it is passed over")
        item = _of_discox(row, values, given) if discox else _candidate(row.line, values, given)
        if isinstance(item, CandidateRow) and row.flags:
            item = replace(item, flags=(*row.flags, *item.flags))
        yield item
    if empty:
        raise FormatError(f"{path}: has a header and no row below it; {_WANTED.expected}")


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    return {_OTHER_NAMES.get(name, name): value for name, value in by_name(dict(row)).items()}


def _of_discox(row: JsonObject, values: Mapping[str, Any], given: GivenFor) -> CandidateRow | LeftOut:
    """A row of DiscoX's data set; a direction that is not given is told by the script, as when it is imported."""
    if written := read_written(row.value):
        origin, licence = written.origin or given.origin, written.licence or given.licence
        return CandidateRow(row.line, written.article, written.points, origin, licence, (), written.said)
    article, flags = read_article(row)
    if isinstance(article, LeftOut):
        return article
    article = replace(
        article,
        direction=direction_name(word(values.get("direction")).strip() or given.direction) or article.direction,
        domain=article.domain or given.domain,
        subdomain=article.subdomain or given.subdomain,
    )
    if not article.direction:
        return _no_direction(row.line)
    flags = [flag for flag in flags if flag.code not in ("no_rubric", "direction_unknown")]
    rubric = values.get("rubric") if article.rubric else None  # else it was flagged as none
    return _with_points(row.line, article, rubric, values, given, flags)


def _candidate(line: int, values: Mapping[str, Any], given: GivenFor) -> CandidateRow | LeftOut:
    key, source = word(values.get("article")).strip(), values.get("source")
    if not key:
        return LeftOut(line, "bad_field", "article", "is empty", f"give it a name, or {_MEND}")
    if not isinstance(source, str) or not source.strip():
        what = "is missing" if source is None else "is empty" if not source or isinstance(source, str) else "is no text"
        return LeftOut(line, "bad_field", "source", f"{what} (article {key})", f"write the text, or {_MEND}")
    direction = direction_name(word(values.get("direction")).strip() or given.direction)
    if not direction:
        return _no_direction(line)
    try:
        text, points = given_rubric(values.get("rubric") or "", source, direction)
    except ValueError as error:
        return LeftOut(
            line, "bad_field", "rubric", f"{error} (article {key})", f"write a line for each point, or {_MEND}"
        )
    domain = word(values.get("domain")).strip() or given.domain
    subdomain = word(values.get("subdomain")).strip() or given.subdomain
    article = Article(
        key=key,
        source=source,
        direction=direction,
        domain=domain,
        subdomain=subdomain,
        prompt="",
        rubric_text=text,
        rubric=tuple(point.as_rubric() for point in points),
    )
    return _with_points(line, article, values.get("rubric"), values, given, [])


def _no_direction(line: int) -> LeftOut:
    mend = "say from which language into which in a column direction, or for the whole file with --direction zh-en"
    return LeftOut(line, "no_direction", "direction", "is missing", mend)


def _with_points(
    line: int, article: Article, rubric: object, values: Mapping[str, Any], given: GivenFor, flags: list[Flag]
) -> CandidateRow | LeftOut:
    """A candidate with its points: those of the column for them, else those of its ``rubric``."""
    try:
        points = given_points(values.get("points") or rubric, article.source, article.direction)
        read = tuple(point.as_rubric() for point in points)
        if read != article.rubric:
            article = replace(article, rubric_text=rubric_text(points), rubric=read)
    except ValueError as error:
        return LeftOut(line, "bad_field", "points", f"{error} (article {article.key})", _MEND)
    return CandidateRow(
        line,
        article,
        points,
        word(values.get("origin")).strip() or given.origin,
        word(values.get("licence")).strip() or given.licence,
        tuple(flags),
    )
