"""A test set of mt-metrics-eval for one language pair: its texts, whose lines go together by their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from judges.model import Place
from storage.formats.base import round_trip
from storage.formats.base.items import Document, Mark, Remark, ScoreLine, Segment
from storage.formats.io.json_objects import object_reader, objects_by_line
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import UNDECODABLE, FormatError, not_utf8, read_lines
from storage.formats.io.rows import LeftOut

NO_TRANSLATION = "[No translation supplied]"
"""The line of a text file where a system gave no translation."""
NAMES = "discox/{}.jsonl"
"""The file in which an export of ours says what names stand for and how texts were cut, by language pair."""
_MEND_REPEATED = (
    "{} for each, and nothing says which is of which pass over the texts; keep one line for each, in their order, and "
    "give a further pass a file of its own: of what one person says again that counts whose file's name comes last"
)
MEND_LINE = "mend the line, or write the file again"
_MEND_COUNT = "its lines go with those of documents/ one by one: take the files of one test set as they were written"
read_object = object_reader()
"""Reads a line that should be one JSON object."""


class Run(NamedTuple):
    """The lines of one document: from which (1-based) and how many."""

    name: str
    domain: str
    line: int
    lines: int


@dataclass(frozen=True)
class Names:
    """The names and files that an export of ours tells: meanings of names of documents and systems, contents of files.

    ``series``: of files of ratings; ``written``: the files of scores that follow from what else is there.
    """

    documents: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)
    series: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    written: frozenset[str] = frozenset()


class TestSet:
    """The files of one language pair. ``runs`` is empty, and ``total`` 0, until ``open`` has found the texts whole."""

    def __init__(self, root: Path, pair: str) -> None:
        self.root, self.pair = root, pair
        self.names = _read_names(root / NAMES.format(pair))
        self.runs: list[Run] = []
        self.total = 0
        self.source = next(
            (file for name in ("txt", "jsonl") if (file := root / "sources" / f"{pair}.{name}").is_file()),
            root / "sources" / f"{pair}.txt",
        )
        self.outputs = self._texts(root / "system-outputs" / pair, "")
        references = self._texts(root / "references", f"{pair}.")
        self.outputs |= {name: file for name, file in references.items() if name not in self.outputs}

    @staticmethod
    def _texts(folder: Path, prefix: str) -> dict[str, Path]:
        """Name → file of texts."""
        files = sorted(folder.glob(f"{prefix}*.*"))
        return {
            file.stem.removeprefix(prefix): file
            for file in files
            if file.suffix in (".txt", ".jsonl") and file.is_file()
        }

    def name(self, path: Path) -> str:
        """A file's name within the set."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.name

    def left_out(self, path: Path, line: int, code: str, reason: str, mend: str) -> LeftOut:
        """Return a row left out of a file of the set."""
        return LeftOut(line, code, self.name(path), reason, mend)

    def system(self, name: str) -> str:
        """The system that a name in the files stands for."""
        return self.names.systems.get(name, name)

    def article(self, run: Run) -> tuple[str, str]:
        """The article and the domain that a document's name stands for."""
        entry = self.names.documents.get(run.name)
        return (entry["article"], entry["domain"]) if entry else (run.name, run.domain)

    def open(self) -> Iterator[LeftOut | Remark]:
        """Read which lines belong to which document, and yield which files have not as many and are left out.

        Raises FormatError where the list of documents cannot be read.
        """
        path = self.root / "documents" / f"{self.pair}.docs"
        lines: list[tuple[str, str]] = []
        for line, text in read_lines(path):
            cells = [cell.strip() for cell in text.split("\t")] if "\t" in text else text.split()
            if text == UNDECODABLE or not cells or not cells[-1]:
                yield self.left_out(path, line, "no_document", "names no document", f"{MEND_LINE}; {_MEND_COUNT}")
                return
            lines.append((cells[-1], cells[0] if len(cells) > 1 else ""))
        runs, seen = [], set[str]()
        for (name, domain), held in groupby(enumerate(lines, 1), lambda item: item[1]):
            first, *others = [at for at, _ in held]
            if name in seen:
                message = f"{name} comes again after other documents; it is taken for another article of this name"
                yield Remark(first, "not_contiguous", self.name(path), message)
            seen.add(name)
            runs.append(Run(name, domain, first, len(others) + 1))
        self.total = len(lines)
        told = list(self._counted(self.source))
        yield from told
        if any(isinstance(each, LeftOut) for each in told):
            self.total = 0
            return
        self.runs = runs
        for name, file in list(self.outputs.items()):
            for each in self._counted(file):
                if isinstance(each, LeftOut):
                    del self.outputs[name]
                yield each

    def _counted(self, path: Path) -> Iterator[LeftOut | Remark]:
        """Yield why a file of texts cannot be taken, and what had to be changed in it."""
        count = replaced = at = 0
        try:
            for count, line in read_lines(path):
                if "\0" in line:
                    replaced += line.count("\0")
                    at = at or count
        except FormatError as error:
            yield self.left_out(path, 1, "no_text", str(error), "write the test set again")
            return
        if replaced:
            message = f"{replaced:,} NUL characters, each replaced by U+FFFD"
            yield Remark(at, "replaced_characters", self.name(path), message)
        if count != self.total:
            reason = f"has {count:,} lines where documents/{self.pair}.docs has {self.total:,}"
            yield self.left_out(path, min(count, self.total) + 1, "misaligned", reason, _MEND_COUNT)

    def documents(self, system: str) -> Iterator[Translation]:
        """Yield a system's translations, document by document."""
        path = self.outputs[system]
        sources, translations = _text_lines(self.source), _text_lines(path)
        for run in self.runs:
            texts = [(next(sources), next(translations)) for _ in range(run.lines)]
            problem = None
            for at, pair in enumerate(texts):
                for file, text in zip((self.source, path), pair, strict=True):
                    if isinstance(text, _Bad) and problem is None:
                        mend = f"{MEND_LINE}; all of the document {run.name[:60]} waits for it"
                        problem = self.left_out(file, run.line + at, "unreadable", text.why, mend)
            yield Translation(self, run, system, texts, problem)

    def blocks(self, path: Path, expected: int, column: int = 0) -> Iterator[tuple[int, str, list[str]] | LeftOut]:
        """Yield (line, system, cells) of a file's lines about systems, each named in ``column``.

        A system that has not ``expected`` lines (0: any number) is left out as one, for which line is of which segment
        cannot be told; so is one that has no translation here.
        """
        tabs = path.suffix == ".rating"
        counts: Counter[str] = Counter()
        last: dict[str, int] = {}
        for line, text in read_lines(path):
            cells = _cells(text, tabs)
            if len(cells) > column:
                counts[cells[column]] += 1
                last[cells[column]] = line
        for system, count in counts.items():
            shown = system[:60]
            if system not in self.outputs:
                reason = f"names {shown}, of which there is no translation ({count:,} lines)"
                mend = "add its file to system-outputs/, or mend the name"
                yield self.left_out(path, last[system], "unknown_system", reason, mend)
            elif expected and count != expected:
                reason = f"has {count:,} lines of {shown} where the texts need {expected:,}"
                repeated = count % expected == 0
                mend = _MEND_REPEATED.format(count // expected) if repeated else _MEND_COUNT
                yield self.left_out(path, last[system], "repeated" if repeated else "misaligned", reason, mend)
        for line, text in read_lines(path):
            cells = _cells(text, tabs)
            if text.strip() and len(cells) <= column:
                yield self.left_out(path, line, "cells", "names no system", MEND_LINE)
            elif len(cells) > column and cells[column] in self.outputs and expected in (0, counts[cells[column]]):
                yield line, cells[column], cells

    def scores(self) -> Iterator[ScoreLine]:
        """Yield the scores that an export of ours holds exactly."""
        path = self.root / NAMES.format(self.pair)
        for item in objects_by_line(path) if path.is_file() else ():
            match item:
                case JsonObject(line, {
                    "kind": "score", "metric": str(metric), "human": bool(human), "rater": str(rater),
                    "direction": str(direction), "article": str(article), "system": str(system), "domain": str(domain),
                    "score": int() | float() as score, **more,
                }):  # fmt: skip
                    yield ScoreLine(
                        line=line,
                        metric=metric,
                        system=system,
                        article=article,
                        direction=direction,
                        score=float(score),
                        human=human,
                        rater=rater,
                        domain=domain,
                        segments=round_trip.of_segments(more.get("segments")),
                    )


class Translation:
    """One system's translation of one document, and where the lines of the files are in it.

    The document is in segments, a line each, unless an export of ours says that it was cut out of whole texts.
    ``problem``: why it cannot be taken. ``empty``: the system gave none.
    """

    def __init__(
        self, of: TestSet, run: Run, system: str, texts: list[tuple[Text, Text]], problem: LeftOut | None
    ) -> None:
        self.run, self.problem = run, problem
        self.texts = [
            (source if isinstance(source, str) else "", text if isinstance(text, str) else "") for source, text in texts
        ]
        self.empty = all(translation is None for _, translation in texts)
        entry = of.names.documents.get(run.name, {})
        article, domain = of.article(run)
        self.whole = entry.get("cut") == "whole"
        self._bases = [(0, 0)] * run.lines
        if self.whole:
            gaps = entry.get("source"), (entry.get("translations") or {}).get(system)
            joined = [_joined([pair[side] for pair in self.texts], gaps[side]) for side in (0, 1)]
            self._bases = list(zip(*(starts for _, starts in joined), strict=True))
            segments: tuple[Segment, ...] = (Segment("", joined[0][0], joined[1][0]),)
        else:
            first = run.line - 1  # segments are counted from 0 in all of the set, as in ratings that hold their texts
            ids = entry.get("ids")
            if not isinstance(ids, list) or len(ids) != run.lines:
                ids = list(range(first, first + run.lines))
            segments = tuple(
                Segment(str(name), source, text) for name, (source, text) in zip(ids, self.texts, strict=True)
            )
        direction, rubric = str(entry.get("direction", of.pair)), str(entry.get("rubric", ""))
        self.document = Document(article, of.system(system), segments, direction, domain, rubric, run.line)

    def segment(self, at: int) -> int:
        """The segment of the document that a line is of."""
        return 0 if self.whole else at

    def mark(self, at: int, mark: Mark) -> Mark:
        """A mark within a line as one within its segment."""
        if not self.whole:
            return mark._replace(segment=at)
        base = dict(zip(("source", "translation"), self._bases[at], strict=True))
        places = tuple(
            place._replace(start=place.start + base[place.side], end=place.end + base[place.side])
            for place in mark.places
        )
        return mark._replace(places=places)

    def fits(self, at: int, place: Place) -> bool:
        """Tell if a place within a line, which may go on in other lines, is one in the document."""
        lengths = [len(getattr(segment, place.side)) + 1 for segment in self.document.segments]
        begin = self._bases[at][place.side == "translation"] if self.whole else sum(lengths[:at])
        return -begin <= place.start <= place.end <= sum(lengths) - 1 - begin


@dataclass(frozen=True)
class _Bad:
    """A line of text that cannot be read."""

    why: str


Text = str | _Bad | None
"""A line of a file of texts; None where there is no translation."""


def _text_lines(path: Path) -> Iterator[Text]:
    plain = path.suffix == ".txt"
    for number, line in read_lines(path):
        if line == UNDECODABLE:
            yield _Bad(not_utf8(line)[0])
        elif plain:
            yield None if line.rstrip() == NO_TRANSLATION else line.replace("\0", "\ufffd")
        else:
            match getattr(read_object(line, number), "value", None):
                case (
                    {"source": str() | None as text}
                    | {"hypothesis": str() | None as text}
                    | {"target": str() | None as text}
                ):
                    yield text
                case _:
                    yield _Bad("is no JSON object that holds a source, hypothesis or target as text")


def _cells(text: str, tabs: bool) -> list[str]:
    if text == UNDECODABLE:
        return []
    return text.strip().split("\t") if tabs else text.split()


def _joined(lines: list[str], gaps: object) -> tuple[str, list[int]]:
    """The text that lines were cut out of, and where each begins; ``gaps``: what stands around them."""
    if not (isinstance(gaps, list) and len(gaps) == len(lines) + 1 and all(isinstance(gap, str) for gap in gaps)):
        gaps = ["", *["\n"] * (len(lines) - 1), ""]
    parts, starts, at = [gaps[0]], [], len(gaps[0])
    for line, gap in zip(lines, gaps[1:], strict=True):
        starts.append(at)
        parts += line, gap
        at += len(line) + len(gap)
    return "".join(parts), starts


def _read_names(path: Path) -> Names:
    documents, systems, series, written = {}, {}, {}, set[str]()
    for item in objects_by_line(path) if path.is_file() else ():
        match getattr(item, "value", {}):
            case {"kind": "document", "doc": str(name), "article": str(), "domain": str()} as entry:
                documents[name] = entry
            case {"kind": "system", "name": str(name), "system": str(system)}:
                systems[name] = system
            case {"kind": "ratings", "file": str(name), "annotator": str(), "human": bool()} as entry:
                series[name] = entry
            case {"kind": "scores", "file": str(name)}:
                written.add(name)
    return Names(documents, systems, series, frozenset(written))
