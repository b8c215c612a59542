"""A table of two columns, a source and its translation: one document, a segment for each row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from storage.formats.base.directions import codes_joined, direction_in, direction_told, known_direction
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Document, Remark, Segment
from storage.formats.io.head import Head
from storage.formats.io.input_file import AnyFile, InputFile
from storage.formats.io.json_objects import LOOKED_AT
from storage.formats.io.lines import FormatError
from storage.formats.io.records import cells, header_of, is_json
from storage.formats.io.rows import LeftOut
from storage.formats.io.tables import our_name

_TEXTS = ("source", "translation")
_IDS = ("id", "mid", "segment", "segmentid", "segid", "number", "no", "line", "#")
_MEND = "write both texts, or delete the row, and import the file again"
_NO_HEADER = (
    "is no table of two columns with a header: the first row is to name them source and target, or two languages as "
    "English and zh-CN; without a header the file's name is to end in the languages (name.en-zh.tsv)"
)


class Bilingual(Format):
    """A source beside its translation, row by row, as translators keep them; perhaps with a column of numbers."""

    name, title, phrase = "bilingual", "Bilingual table", "a table of a source and its translation"

    def sniff(self, head: Head) -> bool:
        """Tell if the header names two texts or two languages alone, or two columns stand under a name with languages.

        Of a table without a header every one of the first rows must have two cells that are not empty.
        """
        if head.is_zip or head.is_folder or head.is_json:
            return False
        if _columns(head.file):
            return True
        rows = islice(_rows(head.file, _delimiter(head.file)), LOOKED_AT)
        return bool(direction_in(head.path.stem)) and all(
            not isinstance(row, LeftOut) and len(row[1]) == 2 and all(cell.strip() for cell in row[1]) for row in rows
        )

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield the document. Raises FormatError where there are no two columns, or nothing in them."""
        found = None if is_json(file) else _columns(file)
        header, places, direction, delimiter = found or (0, {"source": 0, "translation": 1}, "", _delimiter(file))
        named = direction_in(file.stem)
        if not found and not (named or options.direction):
            raise FormatError(f"{file}: {_NO_HEADER}")
        if not (direction or options.direction) and named:
            yield Remark(0, *direction_told(named))
        segments: list[Segment] = []
        for row in _rows(file, delimiter):
            if isinstance(row, LeftOut):
                yield row
            elif row[0] > header:
                segment = _segment(row[0], row[1], places, len(segments) + 1)
                if isinstance(segment, Segment):
                    segments.append(segment)
                else:
                    yield segment
        if not segments:
            raise FormatError(f"{file}: has no row with a source and a translation; {_MEND}")
        system = options.system or file.stem
        if not options.system:
            yield Remark(0, "system", "", f"the system is called as the file, {system[:60]}; --system says else")
        direction = options.direction or direction or named
        yield Document(file.stem, system, tuple(segments), direction, line=segments[0].line)


def _segment(line: int, row: Sequence[str], places: dict[str, int], number: int) -> Segment | LeftOut:
    if len(row) <= max(places.values()) or any(cell.strip() for cell in row[max(2, len(places)) :]):
        reason = f"has {len(row)} cells, not {max(2, len(places))}"
        return LeftOut(line, "cells", "", reason, "quote cells that hold what parts the cells, and import again")
    texts = [row[places[name]] for name in _TEXTS]
    if empty := next((name for name, text in zip(_TEXTS, texts, strict=True) if not text.strip()), ""):
        return LeftOut(line, "bad_field", empty, "is empty", _MEND)
    return Segment(row[places["id"]] if "id" in places else str(number), texts[0], texts[1], line)


def _columns(file: AnyFile) -> tuple[int, dict[str, int], str, str] | None:
    """Return the header's line, where the columns are, the direction that it says, and what parts cells."""
    line, delimiter, names = header_of(file, lambda names: _places(names) is not None)
    found = _places(names)
    return (line, *found, delimiter) if found else None


def _places(names: Sequence[str]) -> tuple[dict[str, int], str] | None:
    """Places of a header's columns, and the direction that it says; None for another header."""
    plain = [re.sub(r"[\s_]+", "", name.strip().casefold()) for name in names]
    ids = [at for at, name in enumerate(plain) if name in _IDS]
    others = [at for at in range(len(plain)) if at not in ids]
    if len(others) != 2 or len(ids) > 1:
        return None
    places = dict(zip(("id",), ids, strict=False))
    ours = [our_name(names[at]) for at in others]
    if sorted(ours) == sorted(_TEXTS):
        return places | dict(zip(ours, others, strict=True)), ""
    written = codes_joined(*(names[at] for at in others))
    return (places | dict(zip(_TEXTS, others, strict=True)), written) if known_direction(written) else None


def _rows(file: AnyFile, delimiter: str) -> Iterator[tuple[int, list[str]] | LeftOut]:
    return cells(file, delimiter, 2)


def _delimiter(file: AnyFile) -> str:
    return header_of(file, lambda _: True)[1] or "\t"
