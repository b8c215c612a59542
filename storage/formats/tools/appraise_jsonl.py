"""Appraise's ratings as JSON Lines, texts and all: a line for each item, of one translation or of several at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from storage.formats.base.directions import direction_of_codes
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Remark, ScoreLine
from storage.formats.base.offsets import AppraiseShown, needs_shown
from storage.formats.base.ratings import Rating, collect
from storage.formats.base.score_lines import Timed, standing
from storage.formats.base.span_marks import marks_of
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import objects_by_line
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import latest_moment, number, wmt_names, word
from storage.formats.tools.appraise import ESA, WHOLE, names, no_rating, spans_in

_READ = (
    *("annotator", "source_text", "source_language", "target_language", "document_id", "is_complete_document"),
    *("targets", "target_id", "target_text", "score", "mqm_annotations"),
)
_MEND = "mend the line, or delete it and import the file again"
_GUESSED = (
    "line ends and markup are counted as Appraise does since 2026; in ratings of before, errors after them would be "
    "further on: look at some"
)


class AppraiseJsonl(Format):
    """Appraise's ratings with their texts, a line for each item."""

    name, title = "appraise-jsonl", "Appraise JSON Lines"
    needed = ("annotator", "source_text", "item_type", "document_id", "task_type")

    def sniff(self, head: Head) -> bool:
        """Tell if one of the first objects is a line of Appraise's."""
        return any(value.keys() >= {*self.needed} for value in head.objects)

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield each document's annotations, then the scores of whole documents."""
        scores: list[Timed] = []
        yield from collect(_ratings(file, options, scores), newest_first=True)  # as Appraise writes them
        yield from standing(lambda: scores, newest_first=True)


def _ratings(path: InputFile, options: ReadOptions, scores: list[Timed]) -> Iterator[Rating | LeftOut | Remark]:
    in_segments = {
        (word(item.value.get("document_id")), word(target.get("target_id")))
        for item in objects_by_line(path)
        if isinstance(item, JsonObject) and item.value.get("is_complete_document") is not True
        for target in _targets(item.value)
    }
    guessed = False
    for item in objects_by_line(path):
        if isinstance(item, LeftOut):
            yield item
            continue
        for flag in item.flags:
            yield Remark(item.line, flag.code, "", flag.message)
        row = item.value
        document, source = word(row.get("document_id")), row.get("source_text")
        identity = word(row.get("source_id"))
        systems_named = "#".join(word(target.get("target_id")) for target in _targets(row))
        if why := no_rating(item.line, word(row.get("item_type")), document, identity, systems_named):
            yield why
            continue
        if not document or not word(row.get("annotator")) or not isinstance(source, str):
            name = next((n for n in ("document_id", "annotator") if not word(row.get(n))), "source_text")
            yield LeftOut(item.line, "bad_field", name, "is missing, or no text", _MEND)
            continue
        targets = _targets(row)
        if not targets:
            yield LeftOut(item.line, "bad_field", "targets", "holds no translation", _MEND)
        systems: list[str] = []
        for target in targets:
            systems.append(word(target.get("target_id")))
            if (times := systems.count(systems[-1])) > 1:
                said = f"{systems[-1][:40]} stands for several translations here; this one is called {times}"
                yield Remark(item.line, "same_system", "target_id", said)
            found = _Target(item.line, row, target, options, f"{systems[-1]} {times}" if times > 1 else systems[-1])
            read = found.read(in_segments)
            if isinstance(read, ScoreLine):
                scores.append(Timed(read, latest_moment([row.get("start_time"), row.get("end_time")])))
                continue
            if not guessed and isinstance(read, Rating) and read.marks and needs_shown(read.translation):
                guessed = True
                yield Remark(item.line, "line_feeds", "mqm_annotations", _GUESSED)
            yield read


def _targets(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The translations of a line; a line of one holds its fields itself."""
    targets = row.get("targets", [row])
    return [target for target in targets if isinstance(target, dict)] if isinstance(targets, list) else []


class _Target:
    """One translation of a line, and what was said of it."""

    def __init__(
        self, line: int, row: dict[str, Any], target: dict[str, Any], options: ReadOptions, system: str
    ) -> None:
        self.line, self.row, self.target, self.options, self.system = line, row, target, options, system

    def read(self, in_segments: set[tuple[str, str]]) -> Rating | ScoreLine | LeftOut:
        row, target = self.row, self.target
        document, text, score = word(row["document_id"]), target.get("target_text"), number(target.get("score"))
        given = target.get("mqm_annotations")
        spans = given if isinstance(given, list) else spans_in(word(given))
        if not self.system or not isinstance(text, str):
            name = "target_text" if self.system else "target_id"
            return LeftOut(self.line, "bad_field", name, f"is {kind(target.get(name))}, not text", _MEND)
        if score is None and not spans and spans is not None:
            reason = f"{self.system[:40]}: has no score and no error"
            return LeftOut(self.line, "not_rated", "score", reason, "nothing to do")
        codes = word(row.get("source_language")), word(row.get("target_language"))
        direction = self.options.direction or direction_of_codes(*codes)
        article, system = names(document, self.system)
        system, annotator = self.options.system or system, word(row["annotator"])
        whole = row.get("is_complete_document") is True and (document, word(target.get("target_id"))) in in_segments
        if whole and spans == [] and score is not None:
            return ScoreLine(
                line=self.line,
                metric=WHOLE,
                system=system,
                article=article,
                direction=direction,
                score=score,
                human=True,
                rater=annotator,
            )
        identity = word(row.get("source_id"))
        _, _, domain, segment = wmt_names(identity)
        kept = {name: value for name, value in row.items() if name not in _READ and value not in (None, "")}
        if target is not row:
            kept |= {name: value for name, value in target.items() if name not in _READ and value not in (None, "")}
        given_number = number(row.get("item_id", target.get("segment_id")))
        batch = word(row.get("batch_name")) or word(row.get("batch_number")) or annotator
        return Rating(
            line=self.line,
            article=article,
            system=system,
            source=row["source_text"],
            translation=text,
            annotator=annotator,
            human=True,
            segment=segment if domain else "",
            order=(number(segment) if domain else given_number) or 0,
            piece="" if domain or given_number is None else batch,
            at=latest_moment([row.get("start_time"), row.get("end_time")]),
            direction=direction,
            domain=domain,
            marks=marks_of(spans, AppraiseShown(text), self.line),
            asked="mqm_annotations" in target,
            kind="other" if spans is None else None,
            score=score,
            metric=ESA if "mqm_annotations" in target else "DA",
            kept=kept | ({"mqm_annotations": given} if spans is None else {}),
        )
