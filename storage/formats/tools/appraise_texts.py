"""The texts of Appraise's ratings, found in the batches that Appraise was given, or in WMT's text files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from storage.base.groups import Groups
from storage.formats.io.json_objects import objects_in_array, starts_with_list
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import UNDECODABLE, FormatError, read_lines
from storage.formats.io.values import number, wmt_names, word


class Found(NamedTuple):
    """The texts of one row. ``segment`` names it in its document; "" where the batch does, in which it has a number.

    ``piece``: the batch; ``order``: sorts the segments, those of a batch within it.
    """

    source: str
    translation: str
    segment: str = ""
    domain: str = ""
    piece: str = ""
    order: float = 0


class Texts:
    """The texts that lie beside a table; looked for when first asked."""

    def __init__(self, batches: Sequence[Path], folders: Sequence[Path]) -> None:
        self._wmt = [_Wmt(folder) for folder in folders]
        self._texts = Groups[tuple[int, str, Found]]()
        self._documents = Groups[Found]()
        self._given: set[tuple[str, str]] = set()
        for number_, items in enumerate(_batches(batches), 1):
            for at, item in enumerate(_targets(items)):
                source, translation = item.get("sourceText"), item.get("targetText")
                if isinstance(source, str) and isinstance(translation, str):
                    document, name, segment, system = (word(item.get(field)) for field in _FIELDS)
                    order = number(name)
                    found = Found(source, translation, piece=str(number_), order=at if order is None else order)
                    for key in {(document, name), (document, segment)}:
                        self._texts.add(key, (number_, system, found))
                    if item.get("itemType", "TGT") not in ("BAD", "CHK"):
                        self._documents.add((document, system), _in_document(segment, found))
        self._batches_of: dict[str, set[frozenset[int]]] = {}

    def close(self) -> None:
        """Let go of what was read."""
        self._texts.close()
        self._documents.close()

    def expect(self, user: str, item: str, document: str) -> None:
        """Tell what user rated what item of what document: items are numbered anew in every batch."""
        held = frozenset(batch for batch, _, _ in self._texts.of((document, item.strip())))
        if held:
            self._batches_of.setdefault(user.strip(), set()).add(held)

    def find(self, row: Sequence[str], direction: str) -> Found | str:
        """Return the texts of a row, or why there are none, in words."""
        user, system, item, document = row[0], row[1], row[2], row[7]
        held = [(batch, texts) for batch, of, texts in self._texts.of((document, item)) if of == system]
        batches = self._of(user)
        mine = [texts for batch, texts in held if batch in batches] or [texts for _, texts in held]
        if len({texts[:2] for texts in mine}) == 1:
            return mine[0]
        if mine:
            return "stands for several texts in the batches"
        for wmt in self._wmt:
            if found := wmt.find(direction, system, item, document):
                return found
        return "has no text: the table holds none, and none was found"

    def _of(self, user: str) -> frozenset[int]:
        """The batches that a user worked on: those that alone hold something of theirs, else those that hold all."""
        held = self._batches_of.get(user, set())
        sure = frozenset(batch for each in held if len(each) == 1 for batch in each)
        return sure or (frozenset.intersection(*held) if held else sure)

    def document(self, document: str, system: str, direction: str) -> Iterator[Found]:
        """Yield the texts of a whole document as far as they are known, when first asked for it."""
        if (document, system) in self._given:
            return
        self._given.add((document, system))
        yield from self._documents.of((document, system)) or (
            found for wmt in self._wmt for found in wmt.document(direction, system, document)
        )


def _in_document(segment: str, found: Found) -> Found:
    """The texts of an item as a part of its document, by its id where that is as WMT's."""
    _, _, domain, number_ = wmt_names(segment)
    if not domain:
        return found
    return found._replace(segment=number_, domain=domain, piece="", order=number(number_) or 0)


_FIELDS = ("documentID", "itemID", "sourceID", "targetID")


@contextmanager
def find_texts(path: Path, beside: Sequence[Path]) -> Iterator[Texts]:
    """Look beside a table, and at what was named with it, for its texts."""
    folders = [path.parent, path.parent.parent, *(file for file in beside if file.is_dir())]
    named = [file for file in beside if file.is_file()]
    files = [file for file in dict.fromkeys((*named, *sorted(path.parent.glob("*.json")))) if file.is_file()]
    held = [folder for f in folders for folder in (f, f / "txt") if (folder / "sources").is_dir()]
    texts = Texts(files, held)
    try:
        yield texts
    finally:
        texts.close()


def _batches(paths: Sequence[Path]) -> Iterator[list[object]]:
    """Yield the items of every batch in files that hold batches."""
    for path in paths:
        try:
            if path.suffix.lower() != ".json" or not starts_with_list(path):
                continue
            for batch in objects_in_array(path):
                items = batch.value.get("items") if isinstance(batch, JsonObject) else None
                if not isinstance(items, list):
                    break
                yield items
        except FormatError:
            continue


def _targets(items: Sequence[object]) -> Iterator[dict[str, Any]]:
    """Yield an item for each translation; those of pairs have several, and call the source a segment."""
    for item in items:
        if not isinstance(item, dict):
            continue
        targets = item.get("targets")
        if not isinstance(targets, list):
            yield item
            continue
        shared = {**item, "sourceID": item.get("segmentID"), "sourceText": item.get("segmentText")}
        yield from ({**shared, **target} for target in targets if isinstance(target, dict))


class _Wmt:
    """A folder with ``sources``, ``documents`` and ``system-outputs`` by language pair, a segment a line."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str], dict[str, list[Found]]] = {}

    @cached_property
    def _pairs(self) -> set[str]:
        return {file.stem for file in (self._folder / "sources").glob("*.txt")}

    def find(self, direction: str, system: str, item: str, document: str) -> Found | None:
        """Return the texts of a line, if the list of documents says that the line is of this document.

        Tables of 2024 count from 0 without the first line of the files, which is no segment.
        """
        if not item.isascii() or not item.isdigit() or len(item) > 9:
            return None
        within = {found.order: found for found in self.document(direction, system, document)}
        return within.get(int(item)) or within.get(int(item) + 1)

    def document(self, direction: str, system: str, document: str) -> list[Found]:
        """Return the lines of a document."""
        if direction not in self._pairs or "/" in system:
            return []
        if (direction, system) not in self._found:
            sources = self._lines(f"sources/{direction}.txt")
            outputs = self._lines(f"system-outputs/{direction}/{system}.txt") or self._lines(
                f"references/{direction}.{system}.txt"
            )
            held: dict[str, list[Found]] = {}
            lines = zip(self._lines(f"documents/{direction}.docs"), sources, outputs, strict=False)
            for at, (name, source, output) in enumerate(lines):
                domain, _, name = name.rpartition("\t")
                held.setdefault(name, []).append(Found(source, output, str(at), domain, order=at))
            self._found[direction, system] = held
        return self._found[direction, system].get(document, [])

    def _lines(self, name: str) -> list[str]:
        if name not in self._held:
            path = self._folder / name
            try:
                self._held[name] = [text for _, text in read_lines(path)] if path.is_file() else []
            except FormatError:
                self._held[name] = []
            if UNDECODABLE in self._held[name]:
                self._held[name] = []
        return self._held[name]
