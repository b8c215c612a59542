"""WMT's general task as it is published since 2025: a test set, and each system's submission in a file of its own.

A line of the test set is a document with its source and references, a line of a submission a document's translation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judges.model import Article
from storage.base.text import storable
from storage.formats.base.directions import codes_joined, direction_name, has_regions, regions_told
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Document, Hypothesis, Remark
from storage.formats.base.segments import segments_of
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import objects_by_line
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.rows import LeftOut, Row
from storage.formats.io.tables import by_name
from storage.formats.io.values import wmt_document, word

_READ = ("doc_id", "src_text", "src_lang", "tgt_lang", "domain", "refs", "hypothesis")
_MEND = "mend the line, or delete it and import the file again"


class WmtGeneral(Format):
    """A test set of WMT25 or later, or what a system handed in for it."""

    name, title, phrase = "wmt-general", "WMT general task", "a test set of WMT's general task"
    needed = ("doc_id", "src_text", "src_lang", "tgt_lang")

    def sniff(self, head: Head) -> bool:
        """Tell if one of the first objects is a document of the test set, or the translation of one."""
        return any(map(_is_row, head.objects))

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield an article for each source, documents for its references, and each hypothesis."""
        told: set[str] = set()
        for item in objects_by_line(file):
            if isinstance(item, LeftOut):
                yield item
                continue
            for flag in item.flags:
                yield Remark(item.line, flag.code, "", flag.message)
            for found in _read(item, options, file.stem):
                for about, remark in _of_file(found, item, options, file.stem):
                    if about not in told:
                        told.add(about)
                        yield remark
                yield found


def _is_row(value: Mapping[str, Any]) -> bool:
    """Tell if a row is of a test set or a submission, and not a pair of texts or a judge's answer, which say more."""
    names = by_name({**value}).keys()
    if "doc_id" not in value or "tgt_text" in value or "answer" in names:
        return False
    of_wmt = any(wmt_document(word(value["doc_id"])))
    if "src_text" in value:
        told = of_wmt or "refs" in value or {"src_lang", "tgt_lang"} <= value.keys()
        return told and "system" not in names and ("hypothesis" in value or "translation" not in names)
    return "hypothesis" in value and ("source" not in names or (of_wmt and "system" not in names))


def _of_file(found: Item, item: JsonObject, options: ReadOptions, stem: str) -> Iterator[tuple[str, Remark]]:
    """Yield what is to be said of a file once, with what it is about: fields, and names that are from elsewhere."""
    for name in item.value:
        if name not in _READ:
            here = f" (here “{said[:40]}”)" if isinstance(said := item.value[name], str) and said else ""
            message = f"is none of the fields that are read{here}; it is passed over"
            yield name, Remark(item.line, "other_field", name, message)
    if "hypothesis" in item.value and not options.system and not isinstance(found, LeftOut):
        message = f"the system is called as the file, {stem[:60]}; --system says else"
        yield "the system", Remark(item.line, "system", "", message)
    if isinstance(found, Row | Document) and has_regions(written := _written(item.value, options)):
        yield f"the direction {written}", Remark(item.line, *regions_told(written))


def _written(row: Mapping[str, Any], options: ReadOptions) -> str:
    """The direction as it is said, or as the fields or the id write it."""
    codes = codes_joined(word(row.get("src_lang")), word(row.get("tgt_lang")))
    return options.direction or codes or wmt_document(word(row.get("doc_id")).strip())[0]


def _read(item: JsonObject, options: ReadOptions, stem: str) -> Iterator[Item]:
    row, line = item.value, item.line
    name = word(row.get("doc_id")).strip()
    if not name:
        yield LeftOut(line, "bad_field", "doc_id", "is missing or empty", f"give the document's id, or {_MEND}")
        return
    texts = [field for field in ("src_text", "hypothesis") if field in row]
    for field in texts or ("src_text",):
        value = row.get(field)
        if not isinstance(value, str) or not value.strip():
            what = "is missing or empty" if value is None or isinstance(value, str) else f"is {kind(value)}, no text"
            yield LeftOut(line, "bad_field", field, what, f"write the text, or {_MEND}")
            return
    system = options.system or stem
    if texts == ["hypothesis"]:
        yield Hypothesis(name, system, row["hypothesis"], line)
        return
    direction = direction_name(_written(row, options))
    domain = word(row.get("domain")) or wmt_document(name)[1]
    translations = {system: row["hypothesis"]} if "hypothesis" in row else {}
    refs = row.get("refs")
    for ref, said in refs.items() if isinstance(refs, dict) else ():
        text = said.get("ref") if isinstance(said, dict) else said
        if isinstance(text, str) and text.strip():
            translations.setdefault(ref, text)
        elif text is not None:
            yield Remark(line, "not_taken", "refs", f"{ref[:40]} is {kind(text)}, no text, and was not taken")
    if not isinstance(refs, dict | None):
        yield Remark(line, "not_taken", "refs", f"is {kind(refs)}, no references by name, and was not taken")
    if "hypothesis" not in row:
        yield Row(line, Article(storable(name), storable(row["src_text"]), direction, storable(domain)))
    for system, text in translations.items():
        yield Document(name, system, segments_of(row["src_text"], text), direction, domain, line=line)
