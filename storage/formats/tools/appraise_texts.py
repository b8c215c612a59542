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
from storage.formats.io.values import word


class Found(NamedTuple):
    """The texts of one row. ``segment`` names it in its document; "" where it is told by its texts."""

    source: str
    translation: str
    segment: str = ""
    domain: str = ""


class Texts:
    """The texts that lie beside a table; looked for when first asked."""

    def __init__(self, batches: Sequence[Path], folders: Sequence[Path]) -> None:
        self._wmt = [_Wmt(folder) for folder in folders]
        self._texts = Groups[tuple[int, str, Found]]()
        for number, items in enumerate(_batches(batches)):
            for item in _targets(items):
                source, translation = item.get("sourceText"), item.get("targetText")
                if isinstance(source, str) and isinstance(translation, str):
                    document, name, segment, system = (word(item.get(field)) for field in _FIELDS)
                    found = number, system, Found(source, translation)
                    for key in {(document, name), (document, segment)}:
                        self._texts.add(key, found)
        self._batches_of: dict[str, set[int]] = {}

    def close(self) -> None:
        """Let go of what was read."""
        self._texts.close()

    def expect(self, user: str, item: str, document: str) -> None:
        """Tell what user rated what item of what document: items are numbered anew in every batch."""
        held = {batch for batch, _, _ in self._texts.of((document, item.strip()))}
        if held:
            key = user.strip()
            before = self._batches_of.get(key)
            self._batches_of[key] = held if before is None or not before & held else before & held

    def find(self, row: Sequence[str], direction: str) -> Found | str:
        """Return the texts of a row, or why there are none, in words."""
        user, system, item, document = row[0], row[1], row[2], row[7]
        held = [(batch, texts) for batch, of, texts in self._texts.of((document, item)) if of == system]
        mine = {texts for batch, texts in held if batch in self._batches_of.get(user, ())} or {t for _, t in held}
        if len(mine) == 1:
            return mine.pop()
        if mine:
            return "stands for several texts in the batches"
        for wmt in self._wmt:
            if found := wmt.find(direction, system, item, document):
                return found
        return "has no text: the table holds none, and none was found"


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

    @cached_property
    def _pairs(self) -> set[str]:
        return {file.stem for file in (self._folder / "sources").glob("*.txt")}

    def find(self, direction: str, system: str, item: str, document: str) -> Found | None:
        """Return the texts of a line, if the list of documents says that the line is of this document.

        Tables of 2024 count from 0 without the first line of the files, which is no segment.
        """
        if direction not in self._pairs or not item.isascii() or not item.isdigit() or len(item) > 9 or "/" in system:
            return None
        names = self._lines(f"documents/{direction}.docs")
        sources = self._lines(f"sources/{direction}.txt")
        outputs = self._lines(f"system-outputs/{direction}/{system}.txt") or self._lines(
            f"references/{direction}.{system}.txt"
        )
        for at in (int(item), int(item) + 1):
            if at < min(len(names), len(sources), len(outputs)):
                domain, _, name = names[at].rpartition("\t")
                if name == document:
                    return Found(sources[at], outputs[at], str(at), domain)
        return None

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
