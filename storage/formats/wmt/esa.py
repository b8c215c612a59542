"""The human ratings of WMT24 and WMT25 as JSON Lines, in which every row has its texts.

One form has a segment a line, with all systems and their ratings; the other has a rating a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from storage.base.groups import Groups
from storage.base.identity import digest
from storage.formats.base.fillers import filler
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Remark
from storage.formats.base.offsets import Appraise
from storage.formats.base.own_blocks import read_block
from storage.formats.base.ratings import Rating, collect
from storage.formats.base.round_trip import KEY
from storage.formats.base.span_marks import marks_of
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import objects_by_line
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import latest_moment, number, wmt_names, word

ESA = "ESA"
_SEGMENT = {"doc_id", "src_text", "tgt_text"}
_RATING = {"doc_id", "src", "tgt", "esa_spans", "system"}
_CHANGED = (
    "was written by discox and changed since, or lines of it are missing: what the format itself holds is read, "
    "without what stands beside"
)
_MEND = "mend the line, or delete it and import the file again"


class WmtEsa(Format):
    """Human ratings of WMT24 and WMT25, in one of the two forms."""

    name, title = "wmt-esa", "WMT ESA JSON Lines"
    needed = ("doc_id", "src_text", "tgt_text", "scores")

    def sniff(self, head: Head) -> bool:
        """Tell if one of the first objects is in one of the two forms."""
        return any(map(_is_row, head.objects))

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield each document's annotations; of what we wrote, and nobody changed, all that was said."""
        with Groups[JsonObject]() as own:
            yield from collect(_ratings(file, options, own))
            for lines in own:
                yield from _written_by_us(lines, options)


def _is_row(value: Mapping[str, Any]) -> bool:
    return (value.keys() >= _SEGMENT and isinstance(value["tgt_text"], dict)) or value.keys() >= _RATING


def signature(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a sign of what the lines of a document say in fields of the format, by which changes of it show."""
    return digest(*([row.get("src_text"), row.get("tgt_text"), row.get("scores")] for row in rows))


def _written_by_us(lines: Sequence[JsonObject], options: ReadOptions) -> Iterator[Item]:
    """Yield what an export of ours says of a document; where lines are missing or changed, what the format says."""
    ordered = {number: item for item in lines if type(number := item.value[KEY].get("n")) is int}
    rows = [ordered[number].value for number in sorted(ordered)]
    first = rows[0].get(KEY, {}) if rows else {}
    line = min(item.line for item in lines)
    try:
        if first.get("sign") != signature(rows):
            raise ValueError("was changed")
        found: list[Item] = []
        for shown, block in first["translations"]:
            found += read_block(block, [(row["src_text"], row["tgt_text"][shown]) for row in rows], line)
    except (ValueError, TypeError, KeyError):
        yield Remark(line, "changed", KEY, _CHANGED)
        yield from collect(found for item in lines for found in _line(item, options))
        return
    yield from found


def _ratings(path: InputFile, options: ReadOptions, own: Groups[JsonObject]) -> Iterator[Rating | LeftOut | Remark]:
    for item in objects_by_line(path):
        if isinstance(item, LeftOut):
            yield item
            continue
        for flag in item.flags:
            yield Remark(item.line, flag.code, "", flag.message)
        written = item.value.get(KEY)
        if isinstance(written, dict) and written.get("set"):
            own.add(word(written["set"]), item)
        else:
            yield from _line(item, options)


def _line(item: JsonObject, options: ReadOptions) -> Iterator[Rating | LeftOut]:
    row = item.value
    document, direction, domain, line_id = wmt_names(word(row.get("doc_id")))
    if "esa_spans" in row:
        yield _rating_alone(item, options)
    elif not document:
        reason = f"is “{word(row.get('doc_id'))[:40]}”, not document_#_line"
        yield LeftOut(item.line, "bad_field", "doc_id", reason, _MEND)
    elif not isinstance(texts := row.get("tgt_text"), dict) or not isinstance(row.get("src_text"), str):
        yield LeftOut(item.line, "bad_field", "tgt_text", "has no source, or no translations by system", _MEND)
    elif why := filler(item.line, word(row["doc_id"]), document):
        yield why
    else:
        names = document, options.direction or direction, domain, line_id
        yield from _segment(item.line, row, texts, *names)


def _segment(
    line: int, row: dict[str, Any], texts: dict[str, Any], document: str, direction: str, domain: str, line_id: str
) -> Iterator[Rating | LeftOut]:
    scores = row["scores"] if isinstance(row.get("scores"), dict) else {}
    for system in dict.fromkeys((*texts, *scores)):
        text = texts.get(system)
        given = scores.get(system)
        given = given if isinstance(given, list) else [] if given is None else list(_by_wave(given))
        if not isinstance(text, str):
            yield LeftOut(line, "bad_field", "tgt_text", f"{system[:40]} has {kind(text)}, no translation", _MEND)
            continue
        if why := filler(line, system):
            yield why
            continue
        unrated = Rating(
            line=line,
            article=document,
            system=system,
            source=row["src_text"],
            translation=text,
            annotator="",
            human=True,
            segment=line_id,
            order=number(line_id) or 0,
            direction=direction,
            domain=domain,
        )
        yield unrated
        for score in given:
            if not isinstance(score, dict):
                reason = f"{system[:40]} has {kind(score)}, not a rating"
                yield LeftOut(line, "bad_field", "scores", reason, _MEND)
                continue
            kept = {
                name: value
                for name, value in score.items()
                if name not in ("score", "human", "annotator", "errors") and value
            }
            yield replace(
                unrated,
                annotator=word(score.get("annotator")) or ANONYMOUS,
                marks=marks_of(score.get("errors"), Appraise(text), line),
                asked="errors" in score,
                score=number(score.get("score", score.get("human"))),
                metric=word(score.get("protocol")) or ESA,
                kept=kept,
                at=_time(score),
            )


def _time(row: Mapping[str, Any]) -> float | None:
    """The time when a rating was given: the latest that it says."""
    return latest_moment([row.get(name) for name in ("start_time", "end_time", "times")])


def _by_wave(given: object) -> Iterator[object]:
    """Yield the ratings of one object: itself, or those whose fields are numbered by wave, as ``human1``, ``human2``.

    What is not numbered, such as scores of metrics, goes with the first.
    """
    numbered: dict[str, dict[str, Any]] = {}
    rest: dict[str, Any] = {}
    for name, value in given.items() if isinstance(given, dict) else ():
        if found := _NUMBERED.fullmatch(name):
            numbered.setdefault(found[2], {})[found[1]] = value
        else:
            rest[name] = value
    if not numbered:
        yield given
    for number_ in sorted(numbered, key=int):
        yield {**rest, **numbered[number_]}
        rest = {}


_NUMBERED = re.compile(r"(human|errors|annotator|times)(\d{1,2})")

ANONYMOUS = "unknown"
"""The annotator where a file does not say one."""


def _rating_alone(item: JsonObject, options: ReadOptions) -> Rating | LeftOut:
    row = item.value
    source, text, document, system = (row.get(name) for name in ("src", "tgt", "doc_id", "system"))
    system = options.system or word(system)
    for name, value in {"src": source, "tgt": text}.items():
        if not isinstance(value, str):
            return LeftOut(item.line, "bad_field", name, f"is {kind(value)}, not text", _MEND)
    if not word(document) or not system:
        return LeftOut(item.line, "bad_field", "doc_id", "or system is missing", _MEND)
    assert isinstance(source, str)
    assert isinstance(text, str)
    if why := filler(item.line, word(document), system):
        return why
    line_id = word(row.get("line_id"))
    read = ("src", "tgt", "doc_id", "system", "langs", "line_id", "domain", "esa_spans", "esa_score", "annotator")
    return Rating(
        line=item.line,
        article=word(document),
        system=system,
        source=source,
        translation=text,
        annotator=word(row.get("annotator")) or ANONYMOUS,
        human=True,
        segment=line_id,
        order=number(line_id) or 0,
        direction=options.direction or word(row.get("langs")).strip(),
        domain=word(row.get("domain")),
        marks=marks_of(row.get("esa_spans"), Appraise(text), item.line),
        score=number(row.get("esa_score")),
        metric=ESA,
        at=_time(row),
        kept={name: value for name, value in row.items() if name not in read and value},
    )
