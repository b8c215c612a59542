"""Label Studio: tasks to import, one a translation, and the labeling configuration to paste that shows them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from judges.model import Place, Side
from storage.base.errors import StorageError
from storage.base.identity import digest
from storage.exports.items import Cut, TranslationAnnotation, label, read_annotations
from storage.exports.scores import Scores
from storage.exports.selection import ExportReport, Selection
from storage.formats.base import round_trip
from storage.formats.base.items import Annotation, Document, Mark
from storage.formats.io.json_objects import objects_in_array
from storage.formats.io.json_parser import JsonObject

CONFIG = ".config.xml"
"""Ending of the name of the file beside: the labeling configuration of a project that shows the tasks."""


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write a JSON list of tasks. Memory holds one translation with all that is said of it."""
    report = ExportReport({"tasks": 0, "annotations": 0, "predictions": 0, "errors": 0, "scores": 0})
    writer = _Writer(selection, report, Scores(connection, selection))
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, task in enumerate(writer.tasks(read_annotations(connection, selection))):
            file.write(",\n" if number else "[\n")
            json.dump(task, file, ensure_ascii=False)
        file.write("\n]\n" if report.counts["tasks"] else "[]\n")
    report.beside[CONFIG] = writer.config()
    report.notes.append(f"paste the file that ends in {CONFIG} into the project's settings before you import the tasks")
    if report.counts["scores"]:
        report.notes.append("scores stand under discox in each task's data: Label Studio keeps them and shows none")
    if writer.placeless:
        report.notes.append(f"{writer.placeless:,} errors have no place and cannot be shown; the file holds them")
    return report


def is_ours(path: Path) -> bool:
    """Return True if the first task of a file is one as it is written here."""
    try:
        first = next(objects_in_array(path), None)
    except StorageError:
        return False
    data = first.value.get("data") if isinstance(first, JsonObject) else None
    return isinstance(data, dict) and round_trip.KEY in data


class _Writer:
    """Makes tasks, and keeps which labels they use."""

    def __init__(self, selection: Selection, report: ExportReport, scores: Scores) -> None:
        self.mapping, self.report, self.scores = selection.mapping, report, scores
        rows = self.mapping.explain_back()
        self.categories = dict.fromkeys(row.mqm_category for row in rows)
        self.severities = dict.fromkeys(("Minor", "Major", "Critical", *(row.mqm_severity for row in rows)))
        self.placeless = 0

    def tasks(self, items: Iterable[TranslationAnnotation | Document]) -> Iterator[dict[str, Any]]:
        """Yield a task for each translation, with all that is said of it."""
        task: dict[str, Any] | None = None
        for item in items:
            if isinstance(item, Document):
                if task is not None:
                    yield self._counted(task)
                task = self._task(item)
                cut = Cut(item)
                continue
            assert task is not None
            kind = "annotations" if item.annotation.human else "predictions"
            number = len(task[kind])
            written, own = self._annotation(item, cut, number)
            task[kind].append(written)
            task["data"][round_trip.KEY].setdefault(kind, []).append(own)
            self._without(task, item.annotation)
            self.report.counts[kind] += 1
        if task is not None:
            yield self._counted(task)

    def _without(self, task: dict[str, Any], annotation: Annotation) -> None:
        """Leave a score out of the task's that a judge's own annotation holds."""
        scores = task["data"][round_trip.KEY].get("scores", [])
        scores[:] = [each for each in scores if each[1] or [each[0], each[3]] != [annotation.metric, annotation.score]]

    def _counted(self, task: dict[str, Any]) -> dict[str, Any]:
        self.report.counts["scores"] += len(task["data"][round_trip.KEY].get("scores", ()))
        return task

    def _task(self, document: Document) -> dict[str, Any]:
        self.report.counts["tasks"] += 1
        cut = Cut(document)
        own: dict[str, Any] = {"rubric": document.rubric}
        if scores := self.scores.of(document):
            own["scores"] = [list(score if score.segments else score[:-1]) for score in scores]
        if len(document.segments) > 1:
            own["segments"] = [[s.id, len(s.source), len(s.translation)] for s in document.segments]
        data = {
            "article": document.article,
            "system": document.system,
            "direction": document.direction,
            "domain": document.domain,
            **{_FIELDS[side]: text for side, text in cut.texts.items()},
            round_trip.KEY: own,
        }
        return {"data": data, "annotations": [], "predictions": []}

    def _annotation(self, one: TranslationAnnotation, cut: Cut, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return an annotation, and what goes into the task's data of it: a project keeps no further field of it.

        A project gives an annotation's number back as ``import_id``.
        """
        annotation = one.annotation
        results: list[dict[str, Any]] = []
        placeless: list[list[Any]] = []
        used: set[str] = set()
        for at, mark in enumerate(annotation.marks):
            self.report.counts["errors"] += 1
            identity = str(mark.kept.get("id", ""))
            if not identity or identity in used:
                identity = digest(one.translation, annotation.annotator, number, at)[:10]
            used.add(identity)
            found = self._results(mark, cut, identity)
            results += found
            if not found:
                self.placeless += 1
                whole = cut.whole(mark.segment, mark.places)
                placeless.append(
                    [mark.segment, *self._labels(mark), round_trip.of_mark(mark._replace(places=whole), None)]
                )
        own: dict[str, Any] = {"annotator": annotation.annotator}
        if one.of:
            own["of"] = one.of
        if annotation.score is not None:
            own["score"] = [annotation.metric, annotation.score]
        if annotation.kept:
            own["kept"] = annotation.kept
        if annotation.rated is not None:
            own["rated"] = sorted(annotation.rated)
        if annotation.unmarked:
            own["rows"] = [[row.segment, round_trip.of_rows([row])[0]] for row in annotation.unmarked]
        if placeless:
            own["placeless"] = placeless
        if not annotation.human:
            return {"model_version": annotation.annotator, "result": results}, own
        given = {name: annotation.kept[name] for name in _GIVEN_BACK if name in annotation.kept}
        results += [each for each in annotation.kept.get("results", ()) if isinstance(each, dict)]
        common = {"id": number, "result": results, "was_cancelled": False, "ground_truth": False}  # true where not said
        return common | given, own

    def _labels(self, mark: Mark) -> list[str]:
        category, severity, _ = label(mark, self.mapping)
        return [category, severity]

    def _results(self, mark: Mark, cut: Cut, identity: str) -> list[dict[str, Any]]:
        """Return a region for each place of a mark; the first says all, the others that they are part of it."""
        found: list[dict[str, Any]] = []
        whole = cut.whole(mark.segment, mark.places)
        category, severity = self._labels(mark)
        for place in sorted(whole, key=lambda place: place.side == "source"):
            if place.start == place.end:
                continue
            text = cut.texts[place.side][place.start : place.end]
            if found:
                region = _region(place, text, f"{identity}-{len(found)}")
                part = {round_trip.KEY: {"part_of": identity}}
                found.append(_labelled(region, "labels", category, place.side) | {"meta": part})
                continue
            region = _region(place, text, identity)
            own = round_trip.of_mark(mark._replace(places=whole), place)
            own |= {"as": [category, severity], "shown": [list(place)], "segment": mark.segment}
            own.pop("note", None)
            meta: dict[str, Any] = {round_trip.KEY: own} | ({"text": [mark.note]} if mark.note else {})
            found.append(_labelled(region, "labels", category, place.side) | {"meta": meta})
            if severity:
                found.append(_labelled(region, "choices", severity, place.side))
        if found:
            self.categories.setdefault(category)
            self.severities.setdefault(severity)
        return found

    def config(self) -> str:
        """Return the configuration that shows the tasks with the labels that they use."""
        categories = [name for name in self.categories if name]
        severities = [name for name in self.severities if name]
        lines = ["<View>", '  <Header value="$article · $system"/>']
        for side in ("source", "translation"):
            lines.append(f'  <Labels name="{side}_category" toName="{side}">')
            lines += [f"    <Label value={_attribute(name)}/>" for name in categories]
            lines += ["  </Labels>", f'  <Text name="{side}" value="${_FIELDS[side]}"/>']
            lines.append(f'  <Choices name="{side}_severity" toName="{side}" perRegion="true" choice="single">')
            lines += [f"    <Choice value={_attribute(name)}/>" for name in severities]
            lines.append("  </Choices>")
        return "\n".join([*lines, "</View>", ""])


_FIELDS: dict[Side, str] = {"source": "source_text", "translation": "translation"}
"""The field of a task's data that holds a text. Label Studio shows the whole task in place of one called ``source``."""

_GIVEN_BACK = ("completed_by", "ground_truth", "lead_time")
"""Fields of an annotation that came from Label Studio and go back as they were."""


def _region(place: Place, text: str, identity: str) -> dict[str, Any]:
    value = {"start": place.start, "end": place.end, "text": text}
    return {"id": identity, "to_name": place.side, "origin": "manual", "value": value}


def _labelled(region: dict[str, Any], kind: str, word: str, side: Side) -> dict[str, Any]:
    name = f"{side}_{'category' if kind == 'labels' else 'severity'}"
    value = {**region["value"], kind: [word] if word else []}
    return {**region, "from_name": name, "type": kind, "value": value}


def _attribute(text: str) -> str:
    """A text as an attribute of XML, which knows few control characters."""
    return quoteattr(re.sub("[\x00-\x1f\ufffe\uffff]", "\ufffd", text))
