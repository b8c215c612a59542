"""XLIFF and TMX: a source and its translation, segment by segment, of translators' tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

from storage.base.groups import Groups
from storage.formats.base.directions import (
    codes_joined,
    direction_in,
    direction_name,
    direction_of_codes,
    direction_told,
)
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Document, Remark, Segment
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut
from storage.formats.io.xml_pieces import BrokenXml, Piece, pieces, root_of

_HEAD = 1 << 16
"""Bytes by which a file is known."""
_MEND_FILE = "export it again as XLIFF or TMX in UTF-8, without document type and entities of its own"
_MEND_XML = "export the file again, or mend it there; what stands before is read"
_NO_DIRECTION = "the file does not say its languages; give them with --direction"


class Xliff(Format):
    """XLIFF 1.x and 2.x, and what other tools make of them under names of their own."""

    name, title = "xliff", "XLIFF"

    def sniff(self, head: Head) -> bool:
        """Tell if the root of the XML is XLIFF's."""
        return _root(head) == "xliff"

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield a document for each of the files in it."""
        yield from _read(file, options, _xliff)


class Tmx(Format):
    """Translation memories in TMX."""

    name, title = "tmx", "TMX"

    def sniff(self, head: Head) -> bool:
        """Tell if the root of the XML is TMX's."""
        return _root(head) == "tmx"

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield a document for each file that its units name, or one of all."""
        yield from _read(file, options, _tmx)


def _root(head: Head) -> str:
    if head.is_folder:
        return ""
    with head.file.open() as file:
        return root_of(file.read(_HEAD))


Reader = Callable[[InputFile, ReadOptions, Iterator[Piece]], Iterator[Item]]


def _read(file: InputFile, options: ReadOptions, reader: Reader) -> Iterator[Item]:
    """Yield what a reader finds; of XML that breaks off what stands before, and where it breaks."""
    broken: list[BrokenXml] = []

    def whole() -> Iterator[Piece]:
        with closing(file.open()) as stream:
            try:
                yield from pieces(stream, lambda reason: FormatError(f"{file}: {reason}; {_MEND_FILE}"), typed=True)
            except BrokenXml as error:
                broken.append(error)

    found = told = False
    for item in reader(file, options, whole()):
        if isinstance(item, Document):
            found = True
            if not item.direction and not told:
                told = True
                yield Remark(item.line, "direction_unknown", "", _NO_DIRECTION)
        yield item
    for error in broken:
        if not found:
            raise FormatError(f"{file}: {error}; {_MEND_XML}")
        yield LeftOut(error.line, "broken_xml", "", f"{error}; nothing after it is read", _MEND_XML)
    if not found and not broken:
        raise FormatError(f"{file}: holds no segment with a source and a translation; check that it is translated")


def _named(file: InputFile, options: ReadOptions) -> str:
    """The direction where the file does not say it: by the user, or by its name."""
    return options.direction or direction_in(file.stem)


# --- Texts with codes -----------------------------------------------------------------------------------------

_NATIVE = frozenset(("ph", "bpt", "ept", "it", "ut"))
"""Elements that may hold the code itself, which is then shown."""
_EMPTY = frozenset(("x", "bx", "ex", "sc", "ec"))
_STANDS_FOR = ("equiv-text", "equiv", "dataRef", "disp")
"""Attributes that say what an element stands for, the plainest first; ``dataRef`` names a text beside."""


class _Text:
    """The text of an element as people see it: codes are what they stand for, or ``<1/>``; other tags are not seen."""

    def __init__(self, data: Mapping[str, str]) -> None:
        self._data = data
        self._parts: list[str] = []
        self._held: list[tuple[Piece, int]] = []

    def take(self, piece: Piece) -> None:
        """Take what stands within the element."""
        if not piece.name:
            self._parts.append(piece.text)
        elif piece.begins:
            self._held.append((piece, len(self._parts)))
            if piece.name == "pc":
                self._parts.append(self._data.get(piece.attributes.get("dataRefStart", ""), ""))
            elif piece.name == "cp":
                self._parts.append(_character(piece.attributes.get("hex", "")))
        elif self._held:
            began, at = self._held.pop()
            if began.name == "pc":
                self._parts.append(self._data.get(began.attributes.get("dataRefEnd", ""), ""))
            elif began.name in _EMPTY or (began.name in _NATIVE and not any(self._parts[at:])):
                self._parts.append(self._code(began.attributes))

    def _code(self, said: Mapping[str, str]) -> str:
        for name in _STANDS_FOR:
            if value := said.get(name):
                shown = self._data.get(value, "") if name == "dataRef" else value
                if shown:
                    return shown
        if "lb" in (said.get("ctype"), said.get("subType", "").removeprefix("xlf:")):
            return "\n"
        return f"<{said.get('id') or said.get('i') or said.get('x') or said.get('startRef') or ''}/>"

    def __str__(self) -> str:
        return "".join(self._parts)


def _character(code: str) -> str:
    try:
        return chr(int(code, 16))
    except (ValueError, OverflowError):
        return "\ufffd"


def _elements(
    found: Iterator[Piece], holds: Callable[[Piece, Sequence[Piece]], bool], data: Mapping[str, str]
) -> Iterator[tuple[Piece, Sequence[Piece], str | None]]:
    """Yield the beginning and the end of each element, with those around it, and at the end its text.

    The text is None for an element that does not hold one; what stands within one that does is of the text alone.
    ``data``: texts that codes in it may name.
    """
    path: list[Piece] = []
    text: _Text | None = None
    depth = 0
    for piece in found:
        ends = bool(piece.name) and not piece.begins
        if text is not None and not (ends and len(path) == depth):
            text.take(piece)
        if piece.begins:
            if text is None:
                yield piece, path, None
                if holds(piece, path):
                    text, depth = _Text(data), len(path) + 1
            path.append(piece)
        elif ends and path:
            element = path.pop()
            if text is None or len(path) < depth:
                said = None if text is None else str(text)
                text = None
                yield element._replace(begins=False), path, said


# --- XLIFF ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _File:
    """One of the files that an XLIFF file is of."""

    name: str
    direction: str
    line: int
    segments: list[Segment] = field(default_factory=list)


def _xliff(file: InputFile, options: ReadOptions, found: Iterator[Piece]) -> Iterator[Item]:
    texts: dict[str, str] = {}
    data: dict[str, str] = {}
    one: _File | None = None
    told: set[str] = set()
    number = 0
    for element, within, text in _elements(found, _is_held, data):
        name, begins = element.name, element.begins
        if name == "file" and begins:
            number += 1
            one = _File(_name(element, number, file.stem), _languages(within, element), element.line)
        elif name in ("trans-unit", "segment") and begins:
            texts.clear()
        elif name == "unit" and begins:
            data.clear()
        elif text is not None and name == "data":
            data[element.attributes.get("id", "")] = text
        elif text is not None:
            texts[name] = text
            if one and name == "target" and not one.direction:
                source = next((s for each in within if (s := each.attributes.get("source-language"))), "")
                one.direction = codes_joined(source, element.attributes.get("lang", ""))
        elif name in ("trans-unit", "segment") and one:
            yield from _segment(one, element, within, texts)
        elif name == "file" and one:
            yield from _document(one, file, options, told)
            one = None
    if one and one.segments:  # it breaks off
        yield from _document(one, file, options, told)


def _is_held(element: Piece, within: Sequence[Piece]) -> bool:
    return bool(within) and within[-1].name in _HOLDERS.get(element.name, ())


_HOLDERS = {"source": ("trans-unit", "segment"), "target": ("trans-unit", "segment"), "data": ("originalData",)}
"""Elements whose text is read → within which others. Sources and targets stand in matches of memories, too."""


def _name(piece: Piece, number: int, stem: str) -> str:
    """The name of the file that was translated; of one without a name that of the XLIFF file."""
    original, identity = (piece.attributes.get(name, "").strip() for name in ("original", "id"))
    return original or (stem if number == 1 else f"{stem}#{identity or number}")


def _languages(within: Sequence[Piece], piece: Piece) -> str:
    """The direction as a file writes it: XLIFF 2 says it once, XLIFF 1 of each file."""
    root = within[0].attributes if within else {}
    source = piece.attributes.get("source-language") or root.get("srcLang", "")
    target = piece.attributes.get("target-language") or root.get("trgLang", "")
    return codes_joined(source, target)


def _segment(one: _File, began: Piece, path: Sequence[Piece], texts: Mapping[str, str]) -> Iterator[LeftOut]:
    """Keep a segment that has both texts; say which it lacks."""
    unit = path[-1].attributes.get("id", "") if began.name == "segment" and path else ""
    identity = ".".join(filter(None, (unit, began.attributes.get("id", ""))))
    for name in ("source", "target"):
        if not texts.get(name, "").strip():
            if name == "source" and not texts.get("target", "").strip():
                return  # nothing at all
            reason = f"segment {identity[:40] or len(one.segments) + 1} of {one.name[:60]} has none, or an empty one"
            yield LeftOut(began.line, "no_text", name, reason, "translate it, or take it out")
            return
    number = str(len(one.segments) + 1)
    one.segments.append(Segment(identity or number, texts["source"], texts["target"], began.line))


def _document(one: _File, file: InputFile, options: ReadOptions, told: set[str]) -> Iterator[Item]:
    if not one.segments:
        yield LeftOut(one.line, "no_translations", "file", f"{one.name[:60]} has no translated segment", "translate it")
        return
    direction = options.direction or one.direction
    if not direction and (named := direction_in(file.stem)):
        direction = named
        if "direction" not in told:
            told.add("direction")
            yield Remark(one.line, *direction_told(named))
    system = options.system or file.stem
    if not options.system and "system" not in told:
        told.add("system")
        yield Remark(0, "system", "", f"the system is called as the file, {system[:60]}; --system says else")
    yield Document(one.name, system, tuple(one.segments), direction, line=one.line)


# --- TMX ------------------------------------------------------------------------------------------------------


class _Variant(NamedTuple):
    """A unit's text in one language."""

    language: str
    text: str


@dataclass(slots=True)
class _Unit:
    """A unit of a memory: the same in several languages."""

    line: int
    id: str
    source: str
    file: str = ""
    variants: list[_Variant] = field(default_factory=list)


_FILES = ("file", "filename", "x-file", "x-filename", "x-document", "document")
"""Types of properties that name the document a unit is from."""


def _tmx(file: InputFile, options: ReadOptions, found: Iterator[Piece]) -> Iterator[Item]:
    with Groups[tuple[str, str, str, Segment]]() as documents:
        directions: dict[str, set[str]] = {}
        for number, unit in enumerate(_units(found), 1):
            pairs = list(_pairs(unit, options))
            if not pairs:
                held = ", ".join(dict.fromkeys(each.language for each in unit.variants)) or "no text"
                wanted = f" for {options.direction}" if options.direction else ""
                reason = f"unit {unit.id[:40] or number} has no two texts{wanted}: it has {held[:80]}"
                yield LeftOut(unit.line, "no_text", "tuv", reason, "translate it, or take it out")
            for source, target in pairs:
                direction = codes_joined(source.language, target.language)
                article = unit.file or file.stem
                directions.setdefault(article, set()).add(direction_name(direction))
                segment = Segment(unit.id or str(number), source.text, target.text, unit.line)
                documents.add((article, direction_name(direction)), (article, direction, target.language, segment))
        system = options.system or file.stem
        if directions and not options.system:
            yield Remark(0, "system", "", f"the system is called as the file, {system[:60]}; --system says else")
        for held_ in documents:
            article, direction, _, first = held_[0]
            several = len(directions[article]) > 1
            name = f"{article} ({direction_name(direction)})" if several else article
            segments = tuple(segment for *_, segment in held_)
            yield Document(name, system, segments, direction or _named(file, options), line=first.line)


def _units(found: Iterator[Piece]) -> Iterator[_Unit]:
    """Yield the units of a memory."""
    source = ""
    unit: _Unit | None = None
    for element, within, text in _elements(found, lambda element, _: element.name in ("seg", "prop"), {}):
        said = element.attributes
        if element.name == "header" and element.begins:
            source = said.get("srclang", "")
        elif element.name == "tu" and element.begins:
            unit = _Unit(element.line, said.get("tuid", ""), said.get("srclang", "") or source)
        elif element.name == "tu" and unit:
            yield unit
            unit = None
        elif unit and text is not None and text.strip() and within:
            if element.name == "prop" and said.get("type", "").casefold() in _FILES:
                unit.file = text.strip()
            elif element.name == "seg" and within[-1].name == "tuv":
                unit.variants.append(_Variant(within[-1].attributes.get("lang", "").strip(), text))


def _pairs(unit: _Unit, options: ReadOptions) -> Iterator[tuple[_Variant, _Variant]]:
    """Yield a unit's source with each of its translations: those of the direction that was asked for, else all."""
    if options.direction:
        wanted = direction_name(options.direction)
        for source in unit.variants:
            for target in unit.variants:
                if source is not target and direction_of_codes(source.language, target.language) == wanted:
                    yield source, target
        return
    source_language = unit.source.casefold()
    source_ = next((each for each in unit.variants if each.language.casefold() == source_language), None)
    source_ = source_ or next((v for v in unit.variants if _language(v.language) == _language(source_language)), None)
    first = source_ or next(iter(unit.variants), None)
    for target in unit.variants:
        if first and target is not first and target.language.casefold() != first.language.casefold():
            yield first, target


def _language(code: str) -> str:
    return code.casefold().replace("_", "-").partition("-")[0]
