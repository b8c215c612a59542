"""Label Studio's JSON: tasks of a source and a translation, people's annotations and models' predictions of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Any

from judges.model import Place, Side
from storage.base.identity import text_id
from storage.base.repeats import latest
from storage.formats.base import round_trip
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Annotation, Document, Mark, Remark, ScoreLine, Segment, Unmarked, again
from storage.formats.base.offsets import REASONS, LabelStudio
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import LOOKED_AT
from storage.formats.io.json_parser import MEND_LINE, JsonObject
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import moment, word
from storage.formats.tools.label_studio_tasks import SEVERITIES, are_annotations, files_of, is_table, is_task, tasks

SOURCES = ("source", "src", "sourcetext", "srctext", "sourcesegment", "original", "orig")
TRANSLATIONS = ("translation", "target", "tgt", "mt", "hypothesis", "hyp", "output", "translatedtext", "targettext")
"""Names of the fields of a task's data, and of the tags that show them; case and punctuation do not count."""
_FURTHER = {
    "source": (*SOURCES, "srclang"),
    "translation": (*TRANSLATIONS, "tgttext", "targetsegment", "translationtext", "mttext", "modeloutput"),
}
_NAMES = {
    "article": ("article", "document", "documentid", "docid", "doc", "promptid"),
    "segment": ("segment", "segmentid", "segid"),
    "system": ("system", "systemid", "model", "sys"),
    "direction": ("direction", "lp", "langs", "languagepair"),
    "domain": ("domain",),
}
_WORDS = ("labels", "hypertextlabels", "paragraphlabels", "choices", "taxonomy")
"""Types of results that say what a stretch is."""


class LabelStudioTasks(Format):
    """Tasks of Label Studio that are annotated, or may be: a file, or a folder with a task in each file."""

    name, title = "label-studio", "Label Studio JSON"
    needed = ("data", "annotations")

    def sniff(self, head: Head) -> bool:
        """Tell if one of the first rows is a task, or the header that of tasks in cells."""
        if head.is_folder:
            return are_annotations(head.path)
        first = islice(tasks(head.file), LOOKED_AT)
        return any(isinstance(item, JsonObject) and is_task(item.value) for item in first) or is_table(head.file)

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield what each task holds, one task at a time."""
        if not file.path.is_dir():
            for item in tasks(file):
                yield from _said(item, options)
            return
        for one in files_of(file.path):
            try:
                for item in tasks(one):
                    for found in _said(item, options):
                        yield _in_file(one, found)
            except FormatError as error:
                yield LeftOut(0, "unreadable", one.name, str(error).removeprefix(f"{one}: "), "export it again")


def _in_file(file: Path, found: Item) -> Item:
    """Return an item of a file of a folder; one that says something has the file's name before the field."""
    if isinstance(found, Remark):
        return found._replace(field=f"{file.name} {found.field}".strip())
    return replace(found, field=f"{file.name} {found.field}".strip()) if isinstance(found, LeftOut) else found


def _said(item: JsonObject | LeftOut, options: ReadOptions) -> Iterator[Item]:
    """Yield what one task holds."""
    if isinstance(item, LeftOut):
        yield item
        return
    for flag in item.flags:
        yield Remark(item.line, flag.code, "", flag.message)
    if not isinstance(item.value.get("data"), dict):
        yield LeftOut(item.line, "bad_field", "data", "is missing or no object", "export the tasks with their data")
    else:
        yield from _Task(item, options).read()


class _Task:
    """One task: a translation and all that was said of it."""

    def __init__(self, item: JsonObject, options: ReadOptions) -> None:
        self.line, self.value, self.options = item.line, item.value, options
        self.data: dict[str, Any] = item.value["data"]
        self.fields = {_plain(name): name for name in reversed(self.data)}

    def read(self) -> Iterator[Item]:
        texts: dict[Side, str] = {}
        self.keys: dict[Side, str] = {}
        sides: tuple[Side, ...] = ("source", "translation")
        for side in sides:
            key = next((self.fields[name] for name in _FURTHER[side] if name in self.fields), None)
            if key is None or not isinstance(self.data[key], str):
                reason = f"has no text of the {side}" if key is None else "is no text"
                mend = f"call the field {side}, or {_FURTHER[side][1]}"
                yield LeftOut(self.line, "bad_field", f"data.{key or side}", reason, mend)
                return
            self.keys[side], texts[side] = key, self.data[key]
        self.texts = texts
        self.units = {side: LabelStudio(text) for side, text in texts.items()}
        self.document = self._document()
        self.starts: dict[Side, list[int]] = {
            side: list(accumulate((len(getattr(s, side)) + 1 for s in self.document.segments), initial=0))[:-1]
            for side in sides
        }
        self.rest = self._rest()
        self.own = {name: self._own_list(name) for name in ("annotations", "predictions")}
        yield from self._scores()
        said: dict[tuple[str, bool], list[tuple[str, Annotation]]] = {}
        for name, human in (("annotations", True), ("completions", True), ("predictions", False)):
            given = self.value.get(name)
            for number, one in enumerate(given if isinstance(given, list) else ()):
                place = f"{name}[{number}]"
                read = self._annotation(one, human, place)
                if isinstance(read, Annotation):
                    said.setdefault((read.annotator, human), []).append((place, read))
                else:
                    yield read
        for same in said.values():
            yield from self._standing(same)
        if not said:
            yield self.document
            if self.rest:
                names = ", ".join(map(str, self.rest))
                yield Remark(
                    self.line, "aside", "", f"nobody's annotation of the task can hold what else it says: {names}"
                )

    def _standing(self, same: list[tuple[str, Annotation]]) -> Iterator[Annotation]:
        """Yield what one annotator said of the task, in several annotations the latest after the others."""
        place, stands = same.pop(latest([one.times.get(0) for _, one in same]))
        for earlier, one in same:
            what = f"marks the same again, in {place}"
            yield replace(one, replaced=(again(self.line, one.annotator, what, human=one.human, field=earlier),))
        yield stands

    def _scores(self) -> Iterator[ScoreLine]:
        """The scores that an export of ours took along."""
        own = self.data.get(round_trip.KEY)
        given = own.get("scores") if isinstance(own, dict) else None
        document = self.document
        for one in given if isinstance(given, list) else ():
            match one:
                case [
                    str(metric),
                    bool(human),
                    str(rater),
                    int() | float() as score,
                    str(domain),
                    str(direction),
                    *more,
                ]:
                    yield ScoreLine(
                        line=self.line,
                        metric=metric,
                        system=document.system,
                        article=document.article,
                        direction=direction,
                        score=float(score),
                        human=human,
                        rater=rater,
                        domain=domain,
                        segments=round_trip.of_segments(more[0]) if more else (),
                    )

    def _field(self, name: str) -> str:
        key = next((self.fields[each] for each in _NAMES[name] if each in self.fields), None)
        return word(self.data[key]) if key else ""

    def _document(self) -> Document:
        own = self.data.get(round_trip.KEY)
        own = own if isinstance(own, dict) else {}
        task = word(self.value.get("id"))
        article = self._field("article") or (f"task {task}" if task else text_id(self.texts["source"]))
        if segment := self._field("segment"):
            article = f"{article}:{segment}"
        system = self._field("system") or self.options.system or "unknown"
        direction = self._field("direction") or self.options.direction or ""
        segments = _segments(own.get("segments"), self.texts)
        return Document(article, system, segments, direction, self._field("domain"), word(own.get("rubric")), self.line)

    def _rest(self) -> dict[str, Any]:
        """Return what the task says besides."""
        used = {*self.keys.values(), round_trip.KEY}
        used |= {self.fields[each] for names in _NAMES.values() for each in names if each in self.fields}
        rest = {name: value for name, value in self.value.items() if name not in _SAID and value not in (None, [], {})}
        data = {name: value for name, value in self.data.items() if name not in used}
        rest = {name: value for name, value in rest.items() if name not in _COUNTED}
        given = self.value.get("annotations")
        cancelled = [one for one in given if _is_cancelled(one)] if isinstance(given, list) else []
        return {**rest, **({"data": data} if data else {}), **({"cancelled": cancelled} if cancelled else {})}

    def _annotation(self, one: object, human: bool, name: str) -> Annotation | LeftOut:
        if not isinstance(one, dict) or not isinstance(one.get("result"), list):
            return LeftOut(self.line, "bad_field", name, "is no object with a list of results", MEND_LINE)
        own = self._own(one, human)
        annotator = word(own.get("annotator")) or self._annotator(one, human)
        if own.get("of"):
            reason = f"is what {annotator[:60]} left of a judge's findings, and no pass of her own"
            return LeftOut(self.line, "reviewed", name, reason, "bring reviews in with an archive")
        if _is_cancelled(one):
            return LeftOut(self.line, "cancelled", name, f"{annotator[:60]} skipped the task", "none is needed")
        if one.get("updated_by") is not None:  # changed in a project, by whom it says
            own, annotator = {}, self._annotator(one, human)
        regions: dict[str, list[dict[str, Any]]] = {}
        others: list[Any] = []
        for number, result in enumerate(one["result"]):
            if not isinstance(result, dict) or not isinstance(result.get("value"), dict) or not _is_region(result):
                others.append(result)
            else:
                regions.setdefault(word(result.get("id")) or f"#{number}", []).append(result)
        marks: list[Mark] = []
        for identity, results in regions.items():
            if not any(_is_placed(result["value"]) for result in results):
                others += results
            elif (mark := self._mark(identity, results)) is not None:
                marks.append(mark)
        if own:
            marks += self._placeless(own.get("placeless"))
            kept = own["kept"] if isinstance(own.get("kept"), dict) else {}
        else:
            kept = {key: value for key, value in one.items() if key not in ("result", "was_cancelled")}
            kept |= {"results": others} if others else {}
            kept |= {"task": self.rest} if self.rest else {}
            self.rest = {}
        numbers = own.get("rated")
        rated = frozenset(n for n in numbers if self._is_segment(n)) if isinstance(numbers, list) else None
        unmarked: list[Unmarked] = []
        for row in own["rows"] if isinstance(own.get("rows"), list) else ():
            if isinstance(row, list) and len(row) == 2 and self._is_segment(row[0]):
                unmarked += round_trip.to_rows([row[1]], row[0])
        if not own and not marks and human:
            unmarked.append(Unmarked(0, "clean", line=self.line))
        at = next((time for name in ("updated_at", "created_at") if (time := moment(one.get(name))) is not None), None)
        metric, score = "", None
        match own.get("score"):
            case [str(name), int() | float() as value]:
                metric, score = name, float(value)
        return Annotation(
            document=self.document,
            annotator=annotator,
            human=human,
            marks=tuple(marks),
            unmarked=tuple(unmarked),
            rated=rated,
            metric=metric,
            score=score,
            kept=kept,
            line=self.line,
            made_of=1,
            times={} if at is None else dict.fromkeys(range(len(self.document.segments)), at),
        )

    def _own_list(self, name: str) -> list[dict[str, Any]]:
        """Return what an export of ours says of the annotations, or predictions, of the task beside them."""
        own = self.data.get(round_trip.KEY)
        given = own.get(name) if isinstance(own, dict) else None
        return [one if isinstance(one, dict) else {} for one in given] if isinstance(given, list) else []

    def _own(self, one: Mapping[str, Any], human: bool) -> dict[str, Any]:
        """Return its words on one: on an annotation by the number that it had there, on a prediction by who made it."""
        if human:
            in_project = "created_at" in one  # where it has a number of the project's own
            number, given = one.get("import_id" if in_project else "id"), self.own["annotations"]
            return given[number] if type(number) is int and 0 <= number < len(given) else {}
        given = self.own["predictions"]
        at = next((n for n, own in enumerate(given) if own.get("annotator") == one.get("model_version")), None)
        return {} if at is None else given.pop(at)

    def _is_segment(self, number: object) -> bool:
        return type(number) is int and 0 <= number < len(self.document.segments)

    def _annotator(self, one: Mapping[str, Any], human: bool) -> str:
        if not human:
            return self.options.judge or word(one.get("model_version")) or "unknown"
        by = one.get("completed_by")
        if isinstance(by, Mapping):
            by = by.get("email") or by.get("username") or by.get("id")
        return f"user {by}" if isinstance(by, int) else word(by) or "unknown"

    def _side(self, result: Mapping[str, Any]) -> Side | None:
        """The side that a result is on, by the name of its tag; without one by its control's, else by its words."""
        sides: tuple[Side, ...] = ("source", "translation")
        if "to_name" not in result:
            named = self._side({"to_name": result.get("from_name")})
            value = result["value"]
            quote = value.get("text")
            held = [s for s in sides if isinstance(quote, str) and self.units[s].to_ours(*_range(value), quote)]
            return named or (held[0] if len(held) == 1 else None)
        name = _plain(word(result.get("to_name")))
        for side in sides:
            if name == _plain(self.keys[side]) or name in _FURTHER[side]:
                return side
        return next((side for side in sides if any(each in name for each in _FURTHER[side] if len(each) > 2)), None)

    def _mark(self, identity: str, results: Sequence[Mapping[str, Any]]) -> Mark | None:
        """Read one stretch from all that is said of it; None for a further stretch of another mark."""
        own = next((own for result in results if (own := _own(result)) is not None), None)
        if own and own.get("part_of"):
            return None
        first = next(result for result in results if _is_placed(result["value"]))
        category, severity, notes = _words(results)
        side = self._side(first)
        value = first["value"]
        start, end = _range(value)
        quote = value.get("text") if isinstance(value.get("text"), str) else None
        places: tuple[Place, ...] = ()
        if side is None:
            tag = word(first.get("to_name"))[:60]
            unplaced = f"is on {tag}, neither the source nor the translation" if tag else "may be in either text"
        else:
            units = self.units[side]
            place, reason = units.to_ours(start, end, quote), units.reason(start, end, quote)
            unplaced = REASONS[reason] if reason else ""
            if place and place[0] < place[1]:
                places = (Place(side, *place),)
            unplaced = unplaced or ("" if places else "begins where it ends")
        kept: dict[str, Any] = {"id": identity}
        if extra := _extra(results):
            kept["more"] = extra
        if not places:
            kept["results"] = list(results)
        number = self._segment(places)
        whole = Mark(
            number, category, severity, places, quote or "", "\n".join(notes), unplaced, kept=kept, line=self.line
        )
        if own is None:
            return self._within(whole)
        labels, shown = own.get("as"), own.get("shown")
        given = {name: value for name, value in own.items() if name != "note"}  # the note may be another one by now
        if labels != [category, severity]:
            given = {name: value for name, value in given.items() if name != "ours"}
        if not places or shown != [list(places[0])]:
            given = {name: value for name, value in given.items() if name not in ("places", "unplaced")}
        mark = round_trip.to_mark(whole, given, self._fits)._replace(note=whole.note)
        segment = own.get("segment")
        return self._within(mark._replace(segment=int(segment or 0)) if self._is_segment(segment) else mark)

    def _placeless(self, written: object) -> Iterator[Mark]:
        """The errors of an export of ours that are nowhere."""
        for one in written if isinstance(written, list) else ():
            match one:
                case [int(segment), str(category), str(severity), dict(own)] if self._is_segment(segment):
                    mark = Mark(segment, category, severity, line=self.line)
                    yield self._within(round_trip.to_mark(mark, own, self._fits))

    def _fits(self, place: Place) -> bool:
        return 0 <= place.start <= place.end <= len(self.texts[place.side])

    def _segment(self, places: Sequence[Place]) -> int:
        """The segment that a mark's first place begins in."""
        return max(0, bisect_right(self.starts[places[0].side], places[0].start) - 1) if places else 0

    def _within(self, mark: Mark) -> Mark:
        """A mark in the whole texts as one in its segment's."""
        if not mark.segment:
            return mark
        base = {side: starts[mark.segment] for side, starts in self.starts.items()}
        places = tuple(
            place._replace(start=place.start - base[place.side], end=place.end - base[place.side])
            for place in mark.places
        )
        return mark._replace(places=places)


_SAID = ("data", "annotations", "completions", "predictions", round_trip.KEY)
_COUNTED = (
    *("id", "inner_id", "project", "created_at", "updated_at", "updated_by", "file_upload", "comment_authors"),
    *("total_annotations", "cancelled_annotations", "total_predictions", "comment_count", "unresolved_comment_count"),
    *("last_comment_updated_at", "allow_skip"),
)
"""Fields in which the tool counts, and speaks of its own database."""


def _is_cancelled(one: object) -> bool:
    return isinstance(one, Mapping) and one.get("was_cancelled") is True


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _segments(written: object, texts: Mapping[Side, str]) -> tuple[Segment, ...]:
    """The segments that an export of ours says the texts are made of; else one that is all."""
    found, source, translation = [], 0, 0
    for one in written if isinstance(written, list) else ():
        match one:
            case [str(name), int(first), int(second)] if first >= 0 and second >= 0:
                ends = source + first, translation + second
                found.append(
                    Segment(name, texts["source"][source : ends[0]], texts["translation"][translation : ends[1]])
                )
                source, translation = ends[0] + 1, ends[1] + 1
    joined = "\n".join(s.source for s in found), "\n".join(s.translation for s in found)
    if len(found) > 1 and joined == (texts["source"], texts["translation"]):
        return tuple(found)
    return (Segment("", texts["source"], texts["translation"]),)


def _is_region(result: Mapping[str, Any]) -> bool:
    return result.get("type") != "relation" and (_is_placed(result["value"]) or "id" in result)


def _is_placed(value: Mapping[str, Any]) -> bool:
    return "start" in value or "globalOffsets" in value


def _range(value: Mapping[str, Any]) -> tuple[object, object]:
    """Start and end; of marked-up text those that count the text alone."""
    found = value.get("globalOffsets")
    held = found if isinstance(found, Mapping) else value
    return held.get("start"), held.get("end")


def _own(result: Mapping[str, Any]) -> dict[str, Any] | None:
    meta = result.get("meta")
    own = meta.get(round_trip.KEY) if isinstance(meta, Mapping) else None
    return own if isinstance(own, dict) else None


def _words(results: Sequence[Mapping[str, Any]]) -> tuple[str, str, list[str]]:
    """Return the category, the severity and the notes that a stretch's results say."""
    categories: list[str] = []
    severities: list[str] = []
    notes: list[str] = []
    for result in results:
        value, meta = result["value"], result.get("meta")
        if isinstance(meta, Mapping):
            notes += _texts(meta.get("text"))
        if result.get("type") == "textarea":
            notes += _texts(value.get("text"))
        name = _plain(word(result.get("from_name")))
        severe = "severity" in name
        for label in chain.from_iterable(_texts(value.get(kind)) for kind in _WORDS):
            into = severities if severe or ("category" not in name and _plain(label) in SEVERITIES) else categories
            if label not in into:
                into.append(label)
    return "/".join(categories), "/".join(severities), notes


def _texts(value: object) -> list[str]:
    """The texts of a list; paths of names as one."""
    if isinstance(value, str):
        return [value]
    found = value if isinstance(value, list) else []
    return ["/".join(map(word, each)) if isinstance(each, list) else word(each) for each in found]


def _extra(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what results say that no mark does, such as confidences and ratings."""
    found = []
    for result in results:
        named = {name: value for name, value in result.items() if name not in _READ and value is not None}
        value = {name: held for name, held in result["value"].items() if name not in _READ_VALUE}
        if named or value:
            found.append({"from_name": result.get("from_name"), **named, **({"value": value} if value else {})})
    return found


_READ = ("id", "from_name", "to_name", "type", "value", "origin", "meta")
_READ_VALUE = ("start", "end", "text", "globalOffsets", "startOffset", "endOffset", *_WORDS)
