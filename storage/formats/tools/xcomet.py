"""COMET's ``--to_json``: scores of a model, and of XCOMET the error spans that it predicts, by translations file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from judges.model import Place
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Mark, Remark, ScoreLine
from storage.formats.base.offsets import REASONS
from storage.formats.base.offsets import Xcomet as XcometOffsets
from storage.formats.base.ratings import Rating, collect
from storage.formats.base.score_lines import Timed, standing
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import LOOKED_AT, lists_by_key
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import number, word
from storage.formats.tools.judge_answers import article_of

_MEND = "mend the file there, or write it again"
_READ = ("src", "mt", "COMET", "errors")


class Xcomet(Format):
    """Scores of a COMET model, and the error spans that XCOMET predicts; every segment is a document."""

    name, title = "xcomet", "COMET and XCOMET"
    needed = ("src", "mt", "COMET")

    def sniff(self, head: Head) -> bool:
        """Tell if one of the first rows is one of COMET's."""
        if head.is_list:
            return False
        rows = (item for _, item in islice(lists_by_key(head.file), LOOKED_AT) if isinstance(item, JsonObject))
        return any(row.value.keys() >= {*self.needed} for row in rows)

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield an annotation for each row; of a file in which no row has errors the scores alone."""
        spans = any(isinstance(item, JsonObject) and "errors" in item.value for _, item in lists_by_key(file))
        if not spans:
            message = "no row has errors: the model may be one that marks none, so that nothing is said of errors"
            yield Remark(1, "no_errors", "errors", message)
        yield from collect(standing(lambda: _rows(file, options, spans)))


def _rows(file: InputFile, options: ReadOptions, spans: bool) -> Iterator[Rating | Timed | LeftOut | Remark]:
    systems: Counter[str] = Counter()
    for key, item in lists_by_key(file):
        systems[key] += 1
        if isinstance(item, LeftOut):
            yield item
            continue
        for flag in item.flags:
            yield Remark(item.line, flag.code, "", flag.message)
        found = _row(item, options.system or system_of(key), systems[key], options, spans)
        yield Timed(found) if isinstance(found, ScoreLine) else found


def system_of(key: str) -> str:
    """The name of a system by that of its translations file: without folders and the last ending."""
    name = PureWindowsPath(PurePosixPath(key).name).name
    stem = name.rsplit(".", 1)[0] if "." in name.strip(".") else name
    return stem.strip() or key


def _row(
    item: JsonObject, system: str, position: int, options: ReadOptions, spans: bool
) -> Rating | ScoreLine | LeftOut:
    row, line = item.value, item.line
    source, text, score = row.get("src"), row.get("mt"), number(row.get("COMET"))
    for name, value in {"src": source, "mt": text}.items():
        if not isinstance(value, str):
            return LeftOut(line, "bad_field", name, f"is {kind(value)}, not text", _MEND)
    assert isinstance(source, str)
    assert isinstance(text, str)
    judge = options.judge or ("XCOMET" if spans else "COMET")
    article, direction = article_of(position, source), options.direction or ""
    if not spans:
        if score is None:
            return LeftOut(line, "bad_field", "COMET", f"is {kind(row.get('COMET'))}, not a number", _MEND)
        return ScoreLine(line, judge, system, article, direction, score, False)
    errors = row.get("errors", [])
    if not isinstance(errors, list):
        return LeftOut(line, "bad_field", "errors", f"is {kind(errors)}, not a list", _MEND)
    units = XcometOffsets(text)
    return Rating(
        line,
        article,
        system,
        source,
        text,
        judge,
        False,
        segment="1",
        direction=direction,
        marks=tuple(_mark(error, units, line) for error in errors),
        score=score,
        metric=judge if score is not None else "",
        kept={name: value for name, value in row.items() if name not in _READ},
    )


def _mark(error: object, units: XcometOffsets, line: int) -> Mark:
    if not isinstance(error, Mapping):
        return Mark(0, "", "", unplaced="is no error that can be read", kept={"error": error}, line=line)
    held: dict[str, Any] = {name: value for name, value in error.items() if name != "severity"}
    quote = error.get("text")
    quote = quote if isinstance(quote, str) else None
    at = error.get("start"), error.get("end"), quote
    place, reason = units.to_ours(*at), units.reason(*at)
    places = () if place is None else (Place("translation", *place),)
    return Mark(
        0,
        "",
        word(error.get("severity")),
        places,
        quote or "",
        unplaced=REASONS[reason] if reason else "",
        kept=held,
        line=line,
    )
