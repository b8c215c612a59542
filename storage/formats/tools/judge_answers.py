"""Rows of what a judge that gives no offsets answered of a translation: GEMBA, AutoMQM, InstructScore.

A row has the texts and the answer as it was written. Of answers alone the texts must be in files beside.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from judges.metric_s.schemes.mqm_answers import Answer, FoundError, Style, read_answer
from judges.model import Place, Side
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Mark, Remark
from storage.formats.base.offsets import REASONS, Quotes, Reason
from storage.formats.base.ratings import Collected, Rating, collect
from storage.formats.io.head import Head
from storage.formats.io.input_file import AnyFile, InputFile
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.records import records
from storage.formats.io.rows import LeftOut
from storage.formats.io.tables import our_name
from storage.formats.io.values import decimal, number, points_text, word
from storage.formats.tools import answer_files

NAMES: Mapping[str, tuple[str, ...]] = {
    "answer": answer_files.ANSWERS,
    "translation": ("translation", "target", "mt", "hypothesis", "hyp", "target_seg", "tgt", "candidate"),
    "source": ("source", "src", "source_seg", "source_text"),
    "reference": ("reference", "ref"),
    "system": ("system", "system_id", "system_name", "model"),
    "judge": ("judge", "annotator", "evaluator", "model"),
    "article": ("article", "doc_id", "document_id", "document", "doc"),
    "segment": ("segment", "segment_id", "seg_id", "line_id", "id"),
    "score": ("score", "gemba_score", "esa_score"),
    "direction": ("direction", "lp", "langs", "language_pair"),
    "domain": ("domain",),
    "rubric": ("rubric",),
}
"""Contents of a row → the names that their fields may have, of which the first counts. A field is one thing."""

_LOOKED_AT = 200
_MEND = "mend the line, or delete it and import the file again"
_MEND_ANSWER = "look at the answer; ask the judge again, or delete the row"


class JudgeAnswers(Format):
    """Answers of GEMBA, AutoMQM or InstructScore with their texts; without names of documents each row is one."""

    name, title = "judge-answers", "GEMBA, AutoMQM and InstructScore"
    phrase = "answers of a judge (GEMBA, AutoMQM, InstructScore)"
    needed = ("system", "source", "translation", "answer")

    def sniff(self, head: Head) -> bool:
        """Tell if the first rows hold a translation and an answer of one of the judges, or such answers alone."""
        return head.path.is_file() and (_style_of(head.file) or answer_files.style_of(head.file)) is not None

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield each document's annotations. Raises FormatError for answers without their texts, saying what to add."""
        style = _style_of(file)
        if style is None and (alone := answer_files.style_of(file)):
            raise answer_files.without_texts(file, alone)
        scores = (decimal(_fields(each.value).get("score")) for each in records(file) if isinstance(each, JsonObject))
        rows = _Rows(style, options, [score for score in islice(scores, _LOOKED_AT) if score is not None])
        yield from collect(item for record in records(file) for item in rows.read(record))

    def lacking(self, names: Collection[str]) -> list[str]:
        """Return the needed fields that are missing, texts by any usual name."""
        return super().lacking([*names, *map(our_name, names)])


def read_files(answers: AnyFile, texts: Mapping[str, AnyFile], options: ReadOptions) -> Iterator[Collected]:
    """Yield what answers are about the lines of ``source`` and ``translation``, perhaps ``reference``, in ``texts``.

    The system is called as the translation's file, if nothing else names it. Raises FormatError where the answers and
    the lines are not as many.
    """
    rows = _Rows(answer_files.style_of(answers), options)
    system = texts["translation"].stem
    yield from collect(
        item
        for record in answer_files.rows(answers, texts)
        for item in rows.read(
            record if isinstance(record, LeftOut) else replace(record, value={"system": system, **record.value})
        )
    )


def _style_of(path: AnyFile) -> Style | None:
    """Return whose answers a file holds, by most of its first rows; None if they are none of these."""
    styles: Counter[Style] = Counter()
    for record in islice(records(path), _LOOKED_AT):
        if isinstance(record, JsonObject):
            fields = _fields(record.value)
            if "answer" not in fields or "translation" not in fields:
                continue
            read = read_answer(fields["answer"])
            if read.style is not None and read.errors:
                styles[read.style] += 2
            elif read.style is not None:
                styles[read.style] += 1
    return max(styles, key=styles.__getitem__, default=None)


def _fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row's values by what they are."""
    by_name = {str(name).strip().lower().replace(" ", "_"): name for name in reversed(list(row))}
    found: dict[str, Any] = {}
    for what, names in NAMES.items():
        for name in names:
            if name in by_name:
                found[what] = row[by_name.pop(name)]
                break
    return found


class _Rows:
    """Reads the rows of one file."""

    def __init__(self, style: Style | None, options: ReadOptions, scores: Sequence[float] = ()) -> None:
        self._style = style
        self._other_scale = _other_scale(style, scores)
        self._comma_told = self._scale_told = False
        self._options = options
        self._rows: Counter[str] = Counter()

    def read(self, record: JsonObject | LeftOut) -> Iterator[Rating | LeftOut | Remark]:
        if isinstance(record, LeftOut):
            yield record
            return
        line = record.line
        for flag in record.flags:
            yield Remark(line, flag.code, "", flag.message)
        fields = _fields(record.value)
        system = self._options.system or word(fields.get("system"))
        for name in ("translation", "source"):
            if not isinstance(fields.get(name), str) or not fields[name].strip():
                what = "is missing or empty" if fields.get(name) in ("", None) else "is no text, or a blank one"
                yield LeftOut(line, "bad_field", name, f"{what}: an answer is about texts", _MEND)
                return
        if not system:
            yield LeftOut(line, "bad_field", "system", "is missing", "name the system with --system, or give a column")
            return
        answer = read_answer(fields.get("answer"), self._style)
        if not answer.readable:
            shown = " ".join(" ".join(answer.unread).split())[:80]
            reason = f"cannot be read (“{shown}”)" if shown else "is empty, which is not to say “no errors”"
            yield LeftOut(line, "unreadable_answer", "answer", reason, _MEND_ANSWER)
            return
        for unread in answer.unread:
            shown = " ".join(unread.split())[:80]
            yield Remark(line, "unread", "answer", f"“{shown}” could not be read; the rest of the answer was")
        given = fields.get("score")
        if given not in (None, "") and decimal(given) is None:
            message = f"“{word(given)[:40]}” is no number, and was not taken; write it like 73.5"
            yield Remark(line, "not_taken", "score", message)
        elif isinstance(given, str) and number(given) is None and decimal(given) is not None and not self._comma_told:
            self._comma_told = True
            yield Remark(line, "decimal_comma", "score", f"“{given.strip()}” is read as {decimal(given)}")
        if self._other_scale and given not in (None, "") and not self._scale_told:
            self._scale_told = True
            message = f"{self._other_scale}: scores of the column are beyond what {self._style} gives, and named apart"
            yield Remark(line, "other_scale", "score", message)
        rubric = fields.get("rubric")
        if isinstance(rubric, (dict, list)) and rubric and not points_text(rubric):
            yield Remark(line, "not_taken", "rubric", "was not taken; write it as a text, or a list of texts")
        yield self._rating(line, fields, system, answer)

    def _rating(self, line: int, fields: Mapping[str, Any], system: str, answer: Answer) -> Rating:
        style = answer.style or self._style
        source, translation = fields["source"], fields["translation"]
        self._rows[system] += 1
        article = word(fields.get("article"))
        segment = word(fields.get("segment")) if article else ""
        given = decimal(fields.get("score"))
        score = answer.score if given is None else given
        metric: str = (style or "") if score is not None else ""
        if given is not None and self._other_scale:
            metric = self._other_scale
        kept: dict[str, Any] = {"answer": fields.get("answer")}
        kept |= {name: fields[name] for name in ("reference",) if fields.get(name)}
        place = _Places(source, translation, word(fields.get("reference")))
        return Rating(
            line=line,
            article=article or article_of(self._rows[system], source),
            system=system,
            source=source,
            translation=translation,
            annotator=self._options.judge or word(fields.get("judge")) or style or "unknown",
            human=False,
            segment=segment,
            order=number(segment) or 0,
            direction=self._options.direction or word(fields.get("direction")).strip(),
            domain=word(fields.get("domain")),
            rubric=points_text(fields.get("rubric")),
            marks=tuple(place.mark(found, line) for found in answer.errors),
            kind="other" if answer.unread and not answer.errors else None,
            score=score,
            metric=metric,
            kept=kept,
        )


_RANGES: Mapping[Style, tuple[float, float]] = {
    "GEMBA-MQM": (-25, 0),
    "GEMBA-ESA": (0, 100),
    "InstructScore": (-math.inf, 0),
    "AutoMQM": (-math.inf, 0),
}
"""The range of scores that a method gives."""


def _other_scale(style: Style | None, scores: Sequence[float]) -> str:
    """Return what a column of scores is called that cannot be the method's own; "" for one that can."""
    low, high = _RANGES[style] if style else (-math.inf, math.inf)
    if style is None or all(low <= score <= high for score in scores):
        return ""
    return f"{style.partition('-')[0]} 0–100" if all(0 <= score <= 100 for score in scores) else f"{style} column score"


def article_of(number_: int, source: str) -> str:
    """The name of an article that has none: its number among its system's, and what tells its text from others'.

    The same for all systems and judges of one test set, so that they stand beside each other.
    """
    return f"{number_:04}-{hashlib.sha256(source.encode('utf-8', 'replace')).hexdigest()[:6]}"


class _Places:
    """The places of one answer's quotes."""

    def __init__(self, source: str, translation: str, reference: str) -> None:
        self._texts: dict[Side, Quotes] = {"source": Quotes(source), "translation": Quotes(translation)}
        self._reference = Quotes(reference)

    def mark(self, found: FoundError, line: int) -> Mark:
        """Return an error with its place. What is omitted is quoted from the source; all else may be, too."""
        omitted = "omission" in found.category.lower()
        sides: tuple[Side, ...] = ("source", "translation") if omitted else ("translation", "source")
        places: tuple[Place, ...] = ()
        unplaced = QUOTES_REFERENCE if found.of_reference else "" if found.quote else REASONS["blank"]
        reasons: list[Reason] = []
        for side in () if unplaced else sides:
            place = self._texts[side].to_ours(found.quote)
            if place is not None:
                places = (Place(side, *place),)
                break
            reasons.append(self._texts[side].reason(found.quote) or "not_found")
            if reasons[-1] == "ambiguous":
                break
        if reasons and not places:
            unplaced = REASONS[reasons[-1]]
            if reasons[-1] == "not_found" and self._reference.text and self._reference.matches(found.quote):
                unplaced = QUOTES_REFERENCE
        category, severity = found.category, found.severity
        return Mark(0, category, severity, places, found.quote, found.note, unplaced, kept=found.kept, line=line)


QUOTES_REFERENCE = "quotes the reference, not the translation"
