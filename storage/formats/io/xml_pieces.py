"""XML read piece by piece, as a stream of bytes: within limits, and obeyed in nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple
from xml.parsers import expat

from storage.formats.io.lines import FormatError

LARGEST = 256 << 20
"""Bytes of XML that are read of one file, or one member of a zip file."""
_CHUNK = 1 << 16


class Piece(NamedTuple):
    """The beginning of an element, its end, or text. ``name`` is without its namespace, "" for text.

    ``attributes`` are without their namespaces, too. ``line``: where it stands.
    """

    begins: bool
    name: str
    attributes: dict[str, str]
    text: str
    line: int


class BrokenXml(FormatError):
    """XML that breaks off, or is none from a ``line`` on. The first part of the message is the reason alone."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


def pieces(file: BinaryIO, refuse: Callable[[str], FormatError], *, typed: bool = False) -> Iterator[Piece]:
    """Yield the elements and texts of XML in their order; memory holds some of them.

    No entity is expanded but the five of XML itself, and nothing else is opened. ``refuse`` makes an error of a reason;
    it is raised for a document type (``typed``: for one with declarations of its own) and for a file that is too large.
    Raises BrokenXml where the XML breaks; all before it was yielded.
    """
    found: list[Piece] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def document_type(name: str, system: str | None, public: str | None, internal: int) -> None:
        if internal or not typed:
            raise refuse("declares a document type, in which entities may stand for anything")

    def entity(name: str, *_: object) -> None:
        raise refuse(f"names the entity &{name[:40]};, which is not declared in it")

    parser.StartDoctypeDeclHandler = document_type
    parser.SkippedEntityHandler = entity
    parser.StartElementHandler = lambda name, attributes: found.append(
        Piece(
            True,
            _local(name),
            {_local(key): value for key, value in attributes.items()},
            "",
            parser.CurrentLineNumber,
        )
    )
    parser.EndElementHandler = lambda name: found.append(Piece(False, _local(name), {}, "", parser.CurrentLineNumber))
    parser.CharacterDataHandler = lambda text: found.append(Piece(False, "", {}, text, parser.CurrentLineNumber))
    read = 0
    while True:
        chunk = file.read(_CHUNK)
        read += len(chunk)
        if read > LARGEST:
            raise refuse(f"has more than {LARGEST >> 20} MB")
        try:
            parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            yield from found
            raise BrokenXml(f"is broken at line {error.lineno} ({error})", error.lineno) from None
        except (ValueError, LookupError) as error:  # an encoding that the parser does not know
            raise refuse(f"is in an encoding that cannot be read ({error})") from None
        yield from found
        found.clear()
        if not chunk:
            return


def root_of(head: bytes) -> str:
    """Return the name of the element that XML consists of, without its namespace, by its beginning; "" for no XML."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = head.decode("utf-16", "ignore")
    else:
        text = head.decode("utf-8-sig", "ignore")
    if not text.lstrip().startswith("<"):
        return ""
    found = _ROOT.search(_NO_ELEMENT.sub("", text))
    return found[1] if found else ""


_NO_ELEMENT = re.compile(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE(?:[^\[>]|\[.*?\]\s*)*>", re.DOTALL)
_ROOT = re.compile(r"^\s*<(?:[\w.-]+:)?([A-Za-z][\w.-]*)")


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
