"""The CSV of translate5: segments with a column for each translation, and errors of MQM as tags in the texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from judges.model import Place, Side
from storage.formats.base.directions import direction_in, direction_told
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Mark, Remark
from storage.formats.base.ratings import Rating, collect
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import LOOKED_AT
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import read_lines
from storage.formats.io.records import records
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import word

ANONYMOUS = "unknown"
"""The annotator where a tag names no agent."""
_IDS, _SOURCES, _TARGETS = ("id", "mid"), ("source", "quelle"), ("target", "ziel", "translation", "")
_OF_CORPUS = re.compile(r"(?P<document>.+)-(?P<number>[0-9]{1,9})_[a-z]{2}_(?P<system>.+)")
"""An id as the corpora of QTLaunchPad have it, with document, segment, language and system."""
_MEND = "mend the row, or delete it and import the file again"
_BEGUN = (
    "the file does not say who looked at segments without an error: the passes are begun, and hold the segments in "
    "which their people marked something"
)
_CALLED = (
    "the article is called as the file, {stem}: name the files of several annotators alike, in folders, and give the "
    "system by --system"
)
_CHANGES = "holds <ins> or <del>, which stay in the text; export without the record of changes"


_CODES = {_CALLED: "article", _BEGUN: "begun", _CHANGES: "tracked_changes"}
"""Words that are said once a file → their code."""


class Translate5(Format):
    """A task of translate5 as it is exported, with the errors that were marked in it."""

    name, title = "translate5", "translate5 CSV"
    needed = ("id", "source", "target")

    def sniff(self, head: Head) -> bool:
        """Tell if the header is of a task, and a text in it has a tag of MQM."""
        if head.is_zip or head.is_json:
            return False
        rows = islice(records(head.file, _is_header), LOOKED_AT)
        first = next((row for row in rows if isinstance(row, JsonObject)), None)
        return first is not None and _is_header([*first.value]) and any("<mqm:" in x for _, x in read_lines(head.file))

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield each translation's annotations; the file is one article, unless its ids name documents."""
        yield from collect(_ratings(file, options))


def _is_header(names: Sequence[str]) -> bool:
    plain = [name.strip().casefold() for name in names]
    return len(plain) > 2 and plain[0] in _IDS and any(name in _SOURCES for name in plain)


def _ratings(file: InputFile, options: ReadOptions) -> Iterator[Rating | LeftOut | Remark]:
    named = "" if options.direction else direction_in(file.stem)
    told: set[str] = set()
    number = 0
    for item in records(file, _is_header):
        if isinstance(item, LeftOut):
            yield item
            continue
        for flag in item.flags:
            yield Remark(item.line, flag.code, "", flag.message)
        if not number and named:
            yield Remark(0, *direction_told(named))
        number += 1
        for found in _row(item, number, file.stem, options.direction or named, options.system):
            if isinstance(found, Rating):
                said = {
                    _CALLED: found.article == file.stem,
                    _BEGUN: found.annotator,
                    _CHANGES: _CHANGE.search(found.translation),
                }
                for message in (message for message, true in said.items() if true and message not in told):
                    told.add(message)
                    yield Remark(item.line, _CODES[message], "", message.format(stem=file.stem[:60]))
            yield found


def _row(
    item: JsonObject, number: int, stem: str, direction: str, system: str | None
) -> Iterator[Rating | LeftOut | Remark]:
    """Yield of one row each translation, and of whoever marked something in it a rating."""
    cells = {name.strip(): word(text) for name, text in item.value.items()}
    side = {name: _side(name) for name in cells}
    source = next((name for name in cells if side[name] == "source"), "")
    targets = [name for name in cells if side[name] == "translation"]
    if not cells[source] or not any(cells[name] for name in targets):
        name = next(iter(targets), "target") if cells[source] else source
        yield LeftOut(item.line, "bad_field", name, "is empty", f"write the text, or {_MEND}")
        return
    identity = next((text for name, text in cells.items() if name.casefold() in _IDS), "")
    of_corpus = _OF_CORPUS.fullmatch(identity)
    of_source = _Tagged(cells[source])
    for name in targets:
        if not cells[name]:
            continue
        of_target = _Tagged(cells[name])
        called = stem if name.casefold() in _TARGETS else name
        if of_corpus:
            called = of_corpus["system"] if called == stem else called
        for field_, tagged in ((source, of_source), (name, of_target)):
            if tagged.broken:
                yield Remark(
                    item.line, "broken_tag", field_, f"{tagged.broken[:60]} is no tag that can be read; it stays"
                )
        alone = Rating(
            line=item.line,
            article=of_corpus["document"] if of_corpus else stem,
            system=system if system and len(targets) == 1 else called,
            source=of_source.text,
            translation=of_target.text,
            annotator="",
            human=True,
            segment=identity or str(number),
            order=int(of_corpus["number"]) if of_corpus else number,
            direction=direction,
        )
        yield alone
        marks = [*of_source.marks("source", item.line), *of_target.marks("translation", item.line)]
        for annotator in dict.fromkeys(who for who, _ in marks):
            theirs = tuple(mark for who, mark in marks if who == annotator)
            yield replace(alone, annotator=annotator or ANONYMOUS, marks=theirs)


def _side(name: str) -> Side | None:
    plain = name.casefold()
    return None if plain in _IDS else "source" if plain in _SOURCES else "translation"


# --- The tags -------------------------------------------------------------------------------------------------

_TAG = re.compile(r"<mqm:(?:startIssue|endIssue|issue)\b(?:\s+[\w:]+=\"[^\"]*\")*\s*/?>|</mqm:issue>")
_CHANGE = re.compile(r"</?(?:ins|del)>")
_ATTRIBUTE = re.compile(r"([\w:]+)=\"([^\"]*)\"")
_ANY = re.compile(r"</?mqm:[^>]*>?")


@dataclass(slots=True)
class _Issue:
    """One error: its attributes, and where it is; the end is None as long as it is open."""

    said: Mapping[str, str]
    places: list[tuple[int, int]] = field(default_factory=list)
    start: int | None = None
    unplaced: str = ""

    def close(self, at: int) -> None:
        if self.start is not None:
            if self.places and self.places[-1][1] == self.start:  # parts that only other tags stand between
                self.places[-1] = self.places[-1][0], at
            else:
                self.places.append((self.start, at))
        self.start = None


class _Tagged:
    """A text without its tags, and the errors that they mark.

    Tags are pairs of ``startIssue`` and ``endIssue`` with one id, which may overlap; or ``issue`` elements, of which
    one that overlaps another is in several parts, the further ones with an ``idref`` to the first.
    """

    def __init__(self, tagged: str) -> None:
        self._issues: dict[str, _Issue] = {}
        self._open: list[_Issue] = []
        pieces: list[str] = []
        at = length = 0
        for tag in _TAG.finditer(tagged):
            pieces.append(tagged[at : tag.start()])
            length += tag.start() - at
            at = tag.end()
            self._take(tag[0], length)
        pieces.append(tagged[at:])
        self.text = "".join(pieces)
        self.broken = found[0] if (found := _ANY.search(self.text)) else ""

    def _take(self, tag: str, at: int) -> None:
        said: dict[str, str] = dict(_ATTRIBUTE.findall(tag))
        identity = said.get("xml:id", said.get("id", said.get("idref", ""))).removeprefix("x")
        if tag.startswith("<mqm:endIssue"):
            if issue := self._issues.get(identity):
                issue.close(at)
        elif tag == "</mqm:issue>":
            if self._open:
                self._open.pop().close(at)
        else:
            first = said.get("idref", "").removeprefix("x")
            while first not in self._issues and first.startswith("overlappingTagId-"):
                first = first.removeprefix("overlappingTagId-").partition("_")[0]
            issue = self._issues.get(first) or self._issues.setdefault(
                identity or f" {len(self._issues)}", _Issue(said)
            )
            issue.close(at)
            issue.start = at
            if not tag.startswith("<mqm:startIssue") and not tag.endswith("/>"):
                self._open.append(issue)

    def marks(self, side: Side, line: int) -> Iterator[tuple[str, Mark]]:
        """Yield who marked each error, and what it is."""
        for issue in self._issues.values():
            said = issue.said
            open_ = issue.start is not None
            places = [] if open_ else [place for place in issue.places if place[0] < place[1]]
            why = "begins and does not end" if open_ else "" if places else "is around nothing"
            kept = {name: value for name, value in said.items() if name not in ("type", "severity", "note") and value}
            yield (
                said.get("agent", "").strip(),
                Mark(
                    0,
                    said.get("type", ""),
                    said.get("severity", ""),
                    tuple(Place(side, *place) for place in places),
                    self.text[slice(*places[0])] if places else "",
                    said.get("note", ""),
                    why,
                    kept=kept,
                    line=line,
                ),
            )
