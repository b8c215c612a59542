"""mt-metrics-eval, version 2: a test set as a folder, one file of ratings or scores of it, ratings with their texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from judges.model import Place, Side
from storage.base.identity import text_id
from storage.formats.base import round_trip
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Annotation, Mark, Remark, RowKind, ScoreLine, Unmarked
from storage.formats.base.offsets import REASONS, CodePoints
from storage.formats.base.ratings import Rating, collect
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import objects_by_line
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import FormatError, read_lines
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import number, word
from storage.formats.wmt.mtme_set import MEND_LINE, TestSet, Translation, read_object

WHOLE_SET = "(whole set)"
"""The article that a score of a whole system is filed under."""
MQM = "MQM"

_LEVEL = re.compile(r"\.(sys|domain|doc|seg)\.score$|\.(seg)\.rating$")


class MtMetricsEval(Format):
    """A test set as a folder, a file of ratings or scores of one, or ratings with their texts."""

    name, title, phrase = "mt-metrics-eval", "mt-metrics-eval", "ratings of mt-metrics-eval"
    needed = ("source", "hypothesis", "errors", "system_id", "document_id")

    def sniff(self, head: Head) -> bool:
        """Tell if a folder is a test set, or a file holds ratings or scores of one."""
        if head.is_folder:
            return _is_set(head.path)
        if _LEVEL.search(head.path.name):
            first = head.first_line
            return bool(_RATING.match(first) if head.path.name.endswith(".rating") else _SCORE.fullmatch(first))
        return any(value.keys() >= {"source", "hypothesis", "errors"} for value in head.objects)

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield what a test set or a file of it holds. Raises FormatError where its texts are not to be found."""
        path = file.path
        if path.is_dir():
            for docs in sorted((path / "documents").glob("*.docs")):
                yield from _set(TestSet(path, docs.name.removesuffix(".docs")))
        elif _LEVEL.search(path.name):
            yield from _file_beside(path, options)
        else:
            yield from collect(_standalone(file, options))


def _is_set(folder: Path) -> bool:
    return any((folder / "documents").glob("*.docs"))


_RATING = re.compile(r"[^\t]+\t(None\b|\{)")
_SCORE = re.compile(r"\s*(\S+\s+)?\S+\s+(None|[-+]?[\d.]+(e[-+]?\d+)?|[-+]?(nan|inf))\s*", re.IGNORECASE)


# --- a test set ---


def _set(of: TestSet, only: Path | None = None) -> Iterator[Item]:
    """Yield the texts of a language pair, then its ratings and scores; or what one file of these holds."""
    yield from of.open()
    if not of.total:
        return
    if only is None:
        for name in of.outputs:
            for translation in of.documents(name):
                if translation.problem:
                    yield translation.problem
                elif not translation.empty:
                    yield translation.document
        files = [_Said(of, file) for file in sorted((of.root / "human-scores").glob(f"{of.pair}.*"))]
        files += [_Said(of, file) for file in sorted((of.root / "metric-scores" / of.pair).glob("*"))]
    else:
        files = [_Said(of, only)]
    levels: dict[tuple[str, bool], set[str]] = {}
    for file in files:
        levels.setdefault((file.name, file.human), set()).add(file.level)
    computed = 0
    for file in files:
        try:
            if file.path.suffix == ".rating":
                yield from _ratings(of, file)
            elif of.name(file.path) in of.names.written:
                computed += 1
            elif file.level:
                yield from _scores(of, file, levels[file.name, file.human])
        except FormatError as error:
            yield of.left_out(file.path, 1, "unreadable", str(error), "write the file again")
    if computed:
        message = f"{computed:,} files of scores follow from what else is here, so they are passed over"
        yield Remark(0, "computed", of.pair, message)
    if only is None:
        yield from of.scores()


class _Said:
    """A file of ratings or scores, as its name says: by whom and of what. ``level`` is empty for no such file."""

    def __init__(self, of: TestSet, path: Path) -> None:
        self.path = path
        self.human = "metric-scores" not in (path.parent.name, path.parent.parent.name)
        found = _LEVEL.search(path.name) if path.is_file() else None
        self.level = found[1] or "" if found else ""
        name = _LEVEL.sub("", path.name)
        self.name = name.removeprefix(f"{of.pair}.") if self.human else name

    @property
    def series(self) -> str | None:
        """The name of the scores that people's marks come to: ``round2.MQM`` of a further round's, “round2.mqm.merged”.

        None of one rater's in all rounds, “mqm.rater1”, where a file has those of all raters by round.
        """
        before, mqm, rest = self.name.casefold().partition("mqm")
        if not mqm or (before and not before.endswith(".")) or not (not rest or rest.startswith(".")):
            return MQM
        merged = f"{self.path.name.removesuffix(self.name + '.seg.rating')}mqm.merged.seg.rating"
        if not before and rest not in ("", ".merged") and _names_raters(self.path.parent / merged):
            return None
        return f"{before}{MQM}"


def _names_raters(path: Path) -> bool:
    """Return whether there is such a file of ratings, and its lines say whose they are."""
    return path.is_file() and any(text.count("\t") > 1 for _, text in read_lines(path))


def _file_beside(path: Path, options: ReadOptions) -> Iterator[Item]:
    """Read one file with the texts of the test set that it is in, or that stands beside it."""
    above = [folder for folder in path.absolute().parents[:4] if _is_set(folder)]
    sets = above[:1] or sorted(
        folder for folder in path.absolute().parent.iterdir() if folder.is_dir() and _is_set(folder)
    )
    if len(sets) != 1:
        found = f"the test sets {', '.join(s.name for s in sets)} stand beside it" if sets else "no test set is with it"
        raise FormatError(f"{path}: {found}; put it in or beside the one folder that has its documents/ and sources/")
    pairs = [docs.name.removesuffix(".docs") for docs in sorted((sets[0] / "documents").glob("*.docs"))]
    named = [pair for pair in pairs if path.name.startswith(f"{pair}.") or path.parent.name == pair]
    named = named or [pair for pair in pairs if pair == options.direction] or pairs
    if len(named) != 1:
        raise FormatError(f"{path}: may be of {', '.join(named)}; name it as in a test set, or say --direction")
    yield from _set(TestSet(sets[0], named[0]), path.absolute())


# --- ratings ---


@dataclass
class _Waiting:
    """The lines of a rating file about one system, until a document is whole."""

    translations: Iterator[Translation]
    translation: Translation | None = None
    lines: list[_Line] = field(default_factory=list)


_Line = tuple[int, str, dict[str, Any] | None]
"""Line number, who rated, the rating; None: not rated."""


def _ratings(of: TestSet, file: _Said) -> Iterator[Item]:
    """Yield what each rater said of each document. Memory holds one document of each system that is under way."""
    path, entry = file.path, of.names.series.get(of.name(file.path), {})
    if entry.get("of"):
        message = f"is what {entry['annotator']} left of the findings of {entry['of']}: no pass of her own"
        yield Remark(0, "reviewed", of.name(path), f"{message}, so it is passed over; an archive brings reviews")
        return
    human = bool(entry.get("human", file.human))
    series = MQM if entry else file.series
    if human and series is None:
        message = f"{file.name} is what each rater said in all rounds, which other files hold round by round"
        yield Remark(0, "all_rounds", of.name(path), f"{message}, so it is passed over")
        return
    annotator = str(entry.get("annotator", file.name if human else file.name.removesuffix("-src")))
    waiting: dict[str, _Waiting] = {}
    for block in of.blocks(path, of.total):
        if isinstance(block, LeftOut):
            yield block
            continue
        line, system, cells = block
        one = waiting.get(system) or waiting.setdefault(system, _Waiting(of.documents(system)))
        one.translation = one.translation or next(one.translations)
        read = _rating_in(line, cells)
        rating = read.value if isinstance(read, JsonObject) else None
        if isinstance(read, JsonObject):
            yield from (Remark(line, flag.code, of.name(path), flag.message) for flag in read.flags)
        elif read is not None:
            yield of.left_out(path, line, "bad_rating", read.reason, MEND_LINE)
        rater = cells[2].strip() if len(cells) == 3 and not entry else annotator
        one.lines.append((line, rater or annotator, rating))
        if len(one.lines) == one.translation.run.lines:
            if one.translation.problem is None:
                yield from _annotations(one.translation, one.lines, human, series or MQM)
            elif rated := [at for at, _, rating in one.lines if rating is not None]:
                reason = f"rates a text that cannot be read ({len(rated):,} lines)"
                yield of.left_out(path, rated[0], "unreadable", reason, one.translation.problem.mend)
            one.lines, one.translation = [], None


def _rating_in(line: int, cells: list[str]) -> JsonObject | LeftOut | None:
    """Return a line's rating, or why there is none; None where nobody rated the segment."""
    problem = f"has {len(cells)} cells, not 2 or 3"
    if len(cells) in (2, 3):
        if cells[1] == "None":
            return None
        read = read_object(cells[1], line)
        if isinstance(read, LeftOut) or isinstance(read.value.get("errors"), list):
            return read
        problem = "is no rating with a list of errors"
    return LeftOut(line, "bad_rating", "", problem, MEND_LINE)


def _annotations(translation: Translation, lines: list[_Line], human: bool, metric: str) -> Iterator[Annotation]:
    """Yield what each rater said of one document; ``metric``: the name of what their marks come to."""
    for rater in dict.fromkeys(rater for _, rater, rating in lines if rating is not None):
        marks: list[Mark] = []
        unmarked: list[Unmarked] = []
        rated: list[int] = []
        kept: dict[str, Any] = {}
        ours = False
        for at, (line, by, rating) in enumerate(lines):
            if rating is None or by != rater:
                continue
            rated.append(at)
            fits = partial(translation.fits, at)
            texts = translation.texts[at]
            marks += [translation.mark(at, mark_of(error, texts, line, fits)) for error in rating["errors"]]
            own = rating.get(round_trip.KEY)
            extra = {name: value for name, value in rating.items() if name not in ("errors", round_trip.KEY)}
            if isinstance(own, Mapping):
                ours = True
                unmarked += round_trip.to_rows(own.get("rows"), translation.segment(at))
                kept |= own["kept"] if isinstance(own.get("kept"), dict) else {}
            elif extra or not rating["errors"]:
                kind: RowKind = "other" if rating["errors"] else "clean"
                unmarked.append(Unmarked(at, kind, kept=extra, line=line))
        whole = len(rated) == len(lines)
        yield Annotation(
            translation.document,
            rater,
            human,
            tuple(marks),
            tuple(unmarked),
            None if whole else frozenset(() if translation.whole else rated),
            "" if ours or not human else metric,
            kept=kept,
            line=lines[rated[0]][0],
            made_of=len(rated),
        )


def mark_of(error: object, texts: Sequence[str], line: int, fits: Callable[[Place], bool]) -> Mark:
    """Read one error of a rating on the source and the translation of a segment, whose number is 0."""
    if not isinstance(error, Mapping):
        return Mark(0, "", "", unplaced="is no error that can be read", kept={"error": error}, line=line)
    side: Side = "source" if error.get("is_source_error") is True else "translation"
    text = texts[side == "translation"]
    start, end, units = error.get("start"), error.get("end"), CodePoints(text)
    place = units.to_ours(start, end)
    kept = {name: value for name, value in error.items() if name not in _READ and value is not None}
    places: tuple[Place, ...] = ()
    unplaced = ""
    if place is not None and place[0] < place[1]:
        places = (Place(side, *place),)
    else:
        kept |= {"start": start, "end": end, "is_source_error": side == "source"}
        reason = units.reason(start, end)
        unplaced = REASONS[reason] if reason else "begins where it ends"
    quote = text[slice(*place)] if place and places else ""
    mark = Mark(
        0, word(error.get("category")), word(error.get("severity")), places, quote, "", unplaced, kept=kept, line=line
    )
    return round_trip.to_mark(mark, error.get(round_trip.KEY), fits)


_READ = ("start", "end", "category", "severity", "is_source_error", round_trip.KEY)


# --- scores ---

_UNITS = {"doc": "document", "seg": "segment", "domain": "domain", "sys": "system"}
"""From the best to take."""


def _scores(of: TestSet, file: _Said, levels: set[str]) -> Iterator[Item]:
    """Yield a file's scores by document; those of larger or smaller units only where no document has one of its own."""
    path, name, level = file.path, file.name, file.level
    nearest = next(each for each in _UNITS if each in levels)
    if level != nearest:
        message = f"{name} has scores by {_UNITS[nearest]}, which are taken; those by {_UNITS[level]} are left aside"
        yield Remark(0, "aside", of.name(path), message)
        return
    if level == "seg":
        yield Remark(0, "mean", of.name(path), f"{name} is by segment: a document has the mean of those that have one")
    sizes = [run.lines for run in of.runs] if level == "seg" else [1] * len(of.runs)
    expected = {"seg": of.total, "doc": len(of.runs), "sys": 1, "domain": 0}[level]
    reached: dict[
        str, tuple[int, dict[int, float], int]
    ] = {}  # system → documents that are whole, scores since by line, lines since
    missing = 0
    for block in of.blocks(path, expected, column=int(level == "domain")):
        if isinstance(block, LeftOut):
            yield block
            continue
        line, system, cells = block
        value, none = number(cells[-1]), cells[-1] == "None" and file.human
        missing += none
        if not none and (value is None or len(cells) != 2 + (level == "domain")):
            mend = "give a finite number, or None for a missing one" if file.human else "give a finite number"
            yield of.left_out(path, line, "bad_score", f"gives {system[:60]} no score that can be read", mend)
            value = None
        whole, scores, lines = reached.get(system, (0, {}, 0))
        lines += 1
        if value is not None:
            scores[lines] = value
        if level in ("sys", "domain") or lines == sizes[whole]:
            if scores:
                article, domain = (WHOLE_SET, "") if level == "sys" else of.article(of.runs[whole])
                if level == "domain":
                    article, domain = f"(domain {cells[0]})", cells[0]
                mean = fmean(scores.values())
                yield ScoreLine(
                    line=line,
                    metric=name,
                    system=of.system(system),
                    article=article,
                    direction=of.pair,
                    score=mean,
                    human=file.human,
                    rater="",
                    domain=domain,
                    segments=tuple(scores.items()) if level == "seg" else (),
                )
            whole, scores, lines = whole + (level in ("doc", "seg")), {}, 0
        reached[system] = whole, scores, lines
    if missing:
        yield Remark(0, "no_score", of.name(path), f"{missing:,} lines say None: nobody gave a score there")


# --- ratings that hold their texts ---


def _standalone(path: InputFile, options: ReadOptions) -> Iterator[Rating | LeftOut | Remark]:
    """Yield the ratings of a JSON Lines file, each with the texts that it is of."""
    for item in objects_by_line(path):
        if isinstance(item, LeftOut):
            yield item
            continue
        row, line = item.value, item.line
        source, translation, errors = row.get("source"), row.get("hypothesis"), row.get("errors")
        system = word(row.get("system_id")) or options.system or ""
        for name, value, kind in (("source", source, str), ("hypothesis", translation, str), ("errors", errors, list)):
            if not isinstance(value, kind):
                yield LeftOut(line, "bad_field", name, "is missing or of another type", MEND_LINE)
                break
        else:
            if not system:
                yield LeftOut(line, "bad_field", "system_id", "is missing", "name the system with --system")
                continue
            if isinstance(own := row.get(round_trip.KEY), dict) and own.get("of"):
                reason = f"is what {word(own.get('annotator'))[:60]} left of a judge's findings, and no pass of her own"
                yield LeftOut(line, "reviewed", "", reason, "bring reviews in with an archive")
                continue
            for flag in item.flags:
                yield Remark(line, flag.code, "", flag.message)
            yield _rating(row, line, str(source), str(translation), errors or [], system, options)


def _rating(
    row: Mapping[str, Any],
    line: int,
    source: str,
    translation: str,
    errors: list[Any],
    system: str,
    options: ReadOptions,
) -> Rating:
    number_, own = row.get("segment_id"), row.get(round_trip.KEY)
    own = own if isinstance(own, dict) else {}
    segment = word(number_)
    article = word(row.get("document_id")) or (f"segment {segment}" if segment else text_id(source))
    languages = word(row.get("src_lang")), word(row.get("tgt_lang"))
    lengths = {"source": len(source), "translation": len(translation)}

    def within(place: Place) -> bool:
        return 0 <= place.start <= place.end <= lengths[place.side]

    kept = {name: value for name, value in row.items() if name not in _STANDALONE and value is not None}
    return Rating(
        line=line,
        article=article,
        system=system,
        source=source,
        translation=translation,
        annotator=options.judge or word(own.get("annotator")) or word(row.get("rater_id")) or "rater",
        human=not options.judge and own.get("human") is not False,
        segment=segment,
        order=float(number_) if isinstance(number_, int) and abs(number_) < 1 << 53 else 0,
        direction="-".join(languages) if all(languages) else options.direction or "",
        marks=tuple(mark_of(error, (source, translation), line, within) for error in errors),
        kind=None if errors else "clean",
        kept=kept,
    )


_STANDALONE = (
    *("source", "hypothesis", "errors", "document_id", "segment_id", "system_id", "rater_id", "src_lang", "tgt_lang"),
    round_trip.KEY,
)
