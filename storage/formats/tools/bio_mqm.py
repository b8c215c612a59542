"""The Bio-MQM data set, and what is laid out as it: a table with tagged texts, or a JSON list with offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from judges.model import Place, Side
from storage.base.identity import text_id
from storage.formats.base.directions import direction_in, direction_name, direction_of_codes, direction_told
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Mark, Remark
from storage.formats.base.offsets import REASONS, Quotes, Units
from storage.formats.base.ratings import Rating, by_segment, collect
from storage.formats.base.span_marks import UNREADABLE
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import LOOKED_AT
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.records import records
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import number, word

_TABLE = ("seg_id", "doc", "source", "target", "mt", "tagged_target", "error_category", "severity", "annotator_id")
_LIST = ("source", "target", "seg_id", "mt_engine", "source_errors", "target_errors", "annotator_id")
_READ = {"term", "startindex", "endindex", "error_category", "error_subcategory", "severity"}
_MEND = "mend the row, or delete it and import the file again"
_NO_DOCUMENTS = (
    "the file does not say which segments are one document: they are taken as one until their numbers begin anew; if a "
    "table (.tsv) of the same name lies beside it, import that instead"
)


class BioMqm(Format):
    """Errors of segments by expert annotators, as tags in a table or as offsets in a JSON list."""

    name, title = "bio-mqm", "Bio-MQM"
    needed = ("SEG_ID", "source", "target", "target_errors", "MT_Engine", "Annotator_ID")

    def sniff(self, head: Head) -> bool:
        """Tell if one of the first rows names all that such a row has."""
        rows = (row for row in islice(records(head.file, _is_row), LOOKED_AT) if isinstance(row, JsonObject))
        return any(_is_row([*row.value]) for row in rows)

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield each document's annotations: of a table several rows may be one rating, of a list each is one."""
        first = next((row for row in records(file, _is_row) if isinstance(row, JsonObject)), None)
        in_rows = first is not None and {_plain(name) for name in first.value}.issuperset(_TABLE)
        ratings = _ratings(file, options)
        yield from collect(by_segment(ratings) if in_rows else ratings)


def _plain(name: str) -> str:
    return re.sub(r"\s+", "_", name.strip().casefold())


def _is_row(names: Sequence[str]) -> bool:
    held = {_plain(name) for name in names}
    return held.issuperset(_TABLE) or held.issuperset(_LIST)


def _ratings(file: InputFile, options: ReadOptions) -> Iterator[Rating | LeftOut | Remark]:
    """Yield a rating for each row; of rows without a document when it is known where the next one begins."""
    run: list[Rating] = []
    told = False
    named = direction_in(file.stem) or direction_in(file.path.parent.name)
    for item in records(file, _is_row):
        if isinstance(item, LeftOut):
            yield item
            continue
        for flag in item.flags:
            yield Remark(item.line, flag.code, "", flag.message)
        row = {_plain(name): value for name, value in item.value.items()}
        found = _rating(item.line, row, options)
        if isinstance(found, LeftOut):
            yield found
            continue
        if not found.direction and named:
            if not told:
                yield Remark(item.line, *direction_told(named))
            found, told = replace(found, direction=named), True
        if found.article:
            yield replace(found, article=f"{found.direction}:{found.article}".lstrip(":"))
            continue
        if run and _begins(found, run[-1]):
            yield from _document(run)
            run = []
        elif not run:
            yield Remark(item.line, "no_documents", "DOC_ID", _NO_DOCUMENTS)
        run.append(found)
    yield from _document(run)


def _begins(rating: Rating, last: Rating) -> bool:
    """Tell if a document begins with a segment, by its number and that of the one before."""
    again = (rating.order, rating.source) == (last.order, last.source) and rating.annotator != last.annotator
    return rating.system != last.system or (rating.order <= last.order and not again)


def _document(run: Iterable[Rating]) -> Iterator[Rating]:
    """Yield ratings that are of one document, which is called by a sign of its source."""
    run = list(run)
    name = f"bio-mqm-{text_id(chr(10).join(dict.fromkeys(rating.source for rating in run)))[:8]}"
    yield from (replace(rating, article=name) for rating in run)


def _rating(line: int, row: Mapping[str, Any], options: ReadOptions) -> Rating | LeftOut:
    for name in ("source", "target"):
        if not isinstance(row.get(name), str) or not row[name]:
            what = "is missing or empty" if row.get(name) in (None, "") else f"is {kind(row[name])}, no text"
            return LeftOut(line, "bad_field", name, what, f"write the text, or {_MEND}")
    texts: dict[Side, str] = {"source": row["source"], "translation": row["target"]}
    tagged = "tagged_target" in row
    system, rater = word(row.get("mt" if tagged else "mt_engine")).strip(), word(row.get("annotator_id")).strip()
    order = number(row.get("seg_id"))
    for name, value in (("MT" if tagged else "MT_Engine", options.system or system), ("Annotator_ID", rater)):
        if not value:
            return LeftOut(line, "bad_field", name, "is empty", f"give the name, or {_MEND}")
    if order is None:
        return LeftOut(line, "bad_field", "SEG_ID", f"is “{word(row.get('seg_id'))[:20]}”, no number", _MEND)
    marks = _tagged(line, row, texts) if tagged else _listed(line, row, texts)
    if isinstance(marks, LeftOut):
        return marks
    return Rating(
        line=line,
        article=word(row.get("doc" if tagged else "doc_id")).strip(),
        system=options.system or system,
        source=texts["source"],
        translation=texts["translation"],
        annotator=rater,
        human=True,
        segment=word(row.get("seg_id")).strip(),
        order=order,
        direction=options.direction or _direction(row),
        marks=marks,
    )


def _direction(row: Mapping[str, Any]) -> str:
    """The direction by the locales, of which one may hold both; else by the name of the row's file; "" for none."""
    first, second = (word(row.get(f"{side}_locale")).strip() for side in ("source", "target"))
    parts = re.split("[-_]", first) if first == second else [first, second]
    if len(parts) == 2 and all(parts):
        found = direction_of_codes(*(_LOCALE.sub(r"\1", part.casefold()) for part in parts))
        if found == direction_name(found) and re.fullmatch("[a-z]{2,3}-[a-z]{2,3}", found):
            return found
    return direction_in(word(row.get("filename")).rpartition(".")[0])


_LOCALE = re.compile(r"\b([a-z]{2})(?:[a-z]{2}|latam)\b")
"""A language and a country without anything between them, as “enus”."""

# --- The JSON list --------------------------------------------------------------------------------------------


def _listed(line: int, row: Mapping[str, Any], texts: Mapping[Side, str]) -> tuple[Mark, ...] | LeftOut:
    """The errors of an object, by side."""
    marks: list[Mark] = []
    for side, text in texts.items():
        field = "source_errors" if side == "source" else "target_errors"
        errors = row.get(field)
        if not isinstance(errors, list):
            return LeftOut(line, "bad_field", field, f"is {kind(errors)}, no list of errors", _MEND)
        marks += (_error(line, side, text, error) for error in errors)
    return tuple(marks)


def _error(line: int, side: Side, text: str, error: object) -> Mark:
    if not isinstance(error, Mapping):
        return Mark(0, "", "", unplaced=UNREADABLE, kept={"error": error}, line=line)
    said = {_plain(str(name)): value for name, value in error.items()}
    category = "/".join(filter(None, (word(said.get(f"error_{name}")).strip() for name in ("category", "subcategory"))))
    term = word(said.get("term"))
    kept: dict[str, Any] = {"startIndex": said.get("startindex"), "endIndex": said.get("endindex"), "term": term}
    kept |= {str(name): value for name, value in error.items() if _plain(str(name)) not in _READ}
    found = _place(text, said.get("startindex"), said.get("endindex"), term)
    mark = Mark(0, category, word(said.get("severity")).strip(), kept=kept, line=line)
    if isinstance(found, str):
        return mark._replace(quote=term if side == "translation" else "", unplaced=found)
    return mark._replace(places=(Place(side, *found),), quote=text[slice(*found)])


def _place(text: str, start: object, end: object, term: str) -> tuple[int, int] | str:
    """Return where an error is, in code points; or why that is not to be told.

    Both ends are inclusive, but not always. The term, which may have a backslash before a quotation mark, counts: from
    the start that is given, if it stands there to the letter; else where the offsets hold the same words; else where it
    occurs only once.
    """
    units = Units(text, range(len(text)), range(1, len(text) + 1), inclusive=True)
    plain = re.sub(r"\\(['\"])", r"\1", term)
    if plain and type(start) is int and start >= 0 and text.startswith(plain, start):
        return start, start + len(plain)
    found = units.to_ours(start, end, term or None) or (Quotes(text).to_ours(plain) if plain.strip() else None)
    return found or REASONS[units.reason(start, end, term or None) or "other_text"]


# --- The table ------------------------------------------------------------------------------------------------

_TAG = re.compile(r"</?tag>")


def _tagged(line: int, row: Mapping[str, Any], texts: Mapping[Side, str]) -> tuple[Mark, ...]:
    """The error of a row of the table, none for a segment without one."""
    category, severity = (word(row.get(name)).strip() for name in ("error_category", "severity"))
    written: dict[Side, str] = {"source": word(row.get("tagged_source")), "translation": word(row.get("tagged_target"))}
    if not category and not severity and not any(_TAG.search(text) for text in written.values()):
        return ()
    places: list[Place] = []
    quote, why = "", "is not tagged in either text"
    for side, text in written.items():
        if not _TAG.search(text):
            continue
        found = [match.span() for match in _TAG.finditer(text)]
        if [text[slice(*span)] for span in found] != ["<tag>", "</tag>"]:
            why = "is not within one pair of tags"
        elif _TAG.sub("", text) != texts[side]:
            why = "is tagged in another text than stands here"
        else:
            start = found[0][0]
            places.append(Place(side, start, found[1][0] - len("<tag>")))
            quote = quote or texts[side][start : places[-1].end]
    mark = Mark(0, category.replace(" - ", "/"), severity, line=line)
    return (mark._replace(places=tuple(places), quote=quote) if places else mark._replace(unplaced=why),)
