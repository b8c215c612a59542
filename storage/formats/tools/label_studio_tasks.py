"""The forms that Label Studio writes its tasks in, each as the tasks of its JSON export.

They are a list, an object a line, one object alone, JSON_MIN, the table that is JSON_MIN in cells, and the folder that
a cloud storage is given, with an annotation and its task in each file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from judges.model import Flag
from storage.formats.io.input_file import AnyFile, InputFile
from storage.formats.io.json_objects import (
    json_value,
    objects_by_line,
    objects_in_array,
    starts_with_list,
    whole_object,
)
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.records import header_of, records
from storage.formats.io.rows import LeftOut

SEVERITIES = frozenset(("minor", "major", "critical", "neutral"))
"""Labels that say how severe an error is; others say what it is."""
JSON_MIN = "JSON_MIN"
SAID = ("annotations", "predictions", "completions")
"""Fields in which a task has its annotations and predictions."""
_MIN = ("annotation_id", "annotator")
"""Fields that every object of JSON_MIN has."""
_OF_ANNOTATION = ("created_at", "updated_at", "lead_time", "agreement", "history", "was_cancelled")
_WORDS = ("labels", "hypertextlabels", "paragraphlabels", "choices", "taxonomy")
"""Names of the member of a result's value that labels a stretch."""
_SIDES = (("source", "src"), ("translation", "target", "tgt"))


def tasks(path: AnyFile) -> Iterator[JsonObject | LeftOut]:
    """Yield the tasks of a file, one at a time. Raises FormatError where it cannot be read."""
    told: set[str] = set()
    for item in map(_as_task, _objects(path)):
        if isinstance(item, JsonObject):
            lost = [flag for flag in _lost(item.value) if flag.code not in told]
            told |= {flag.code for flag in lost}
            item = replace(item, flags=(*lost, *item.flags))
        yield item


def _lost(task: dict[str, Any]) -> Iterator[Flag]:
    """Return what the form of an export has lost of a task; predictions that are numbers alone leave nothing in it."""
    if task.pop("_form", "") == JSON_MIN:
        yield Flag("json_min", f"the file is {JSON_MIN} or CSV, which have lost names of tags; JSON has them all")
    given = task.get("predictions")
    if isinstance(given, list) and any(type(each) is int for each in given):
        task["predictions"] = [each for each in given if type(each) is not int]
        mend = "a snapshot with the serialization option predictions.only_id false has them"
        yield Flag("no_predictions", f"predictions are numbers alone, as Label Studio exports them: {mend}")


def is_task(value: Mapping[str, Any]) -> bool:
    """Tell if an object is a task with something said of it, or none yet."""
    return isinstance(value.get("data"), dict) and any(isinstance(value.get(each), list) for each in SAID)


def is_table(path: AnyFile) -> bool:
    """Tell if a file is JSON_MIN in cells, by its header, whatever its rows are."""
    return not starts_with_list(path) and _is_min(header_of(path, _is_min)[2])


def are_annotations(folder: Path) -> bool:
    """Tell if a folder holds such files alone as a cloud storage is given, and among the first an annotation, or task.

    Each file is one object.
    """
    if any(
        entry.name[0] != "." and not (_CALLED.fullmatch(entry.name) and entry.is_file()) for entry in folder.iterdir()
    ):
        return False
    return any(_is_one(file) for file in islice(files_of(folder), 3))


def _is_one(file: Path) -> bool:
    with InputFile(file) as opened:
        held = [] if starts_with_list(opened) else list(islice(tasks(opened), 2))
    return len(held) == 1 and isinstance(held[0], JsonObject) and is_task(held[0].value)


def files_of(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that are called as a cloud storage calls them, in the order of their numbers."""
    files = (file for file in folder.iterdir() if _CALLED.fullmatch(file.name) and file.is_file())
    yield from sorted(files, key=lambda file: (len(file.stem), file.name))


_CALLED = re.compile(r"[^.][^.]*(\.json)?")


def _objects(path: AnyFile) -> Iterator[JsonObject | LeftOut]:
    if starts_with_list(path):
        return objects_in_array(path)
    first = next(objects_by_line(path), None)
    if isinstance(first, LeftOut):
        if _is_min(header_of(path, _is_min)[2]):
            return map(_of_cells, records(path, _is_min))
        if isinstance(alone := whole_object(path), JsonObject):
            return iter((alone,))
    return objects_by_line(path)


def _as_task(item: JsonObject | LeftOut) -> JsonObject | LeftOut:
    if isinstance(item, LeftOut):
        return item
    value = item.value
    if isinstance(value.get("result"), list) and "task" in value and "data" not in value:
        return replace(item, value=_of_annotation(value))
    if all(name in value for name in _MIN) and not isinstance(value.get("data"), dict):
        return _of_min(item)
    return item


def _of_annotation(value: dict[str, Any]) -> dict[str, Any]:
    """The task of an annotation that holds it."""
    held = value["task"]
    task = {name: each for name, each in held.items() if name not in SAID} if isinstance(held, dict) else {"id": held}
    if isinstance(held, dict) and "predictions" in held:
        task["predictions"] = held["predictions"]
    annotation = {name: each for name, each in value.items() if name != "task"}
    return {**task, "annotations": [annotation]}


# --- JSON_MIN ---


def _is_min(names: Collection[str]) -> bool:
    return all(name in names for name in ("id", *_MIN))


def _of_cells(item: JsonObject | LeftOut) -> JsonObject | LeftOut:
    """The object of JSON_MIN that a row of CSV or TSV is, whose lists and objects are JSON in cells."""
    if isinstance(item, LeftOut):
        return item
    value = {name: _of_cell(cell, name) for name, cell in item.value.items() if cell != ""}
    cut = next((name for name, held in value.items() if isinstance(held, str) and _OPENED.match(held)), None)
    if cut is not None:  # the regions that are lost would be a clean pass
        reason = "is no JSON (cut off? a cell of a spreadsheet ends at 32,767 characters)"
        mend = "export the file again, and do not save it in a spreadsheet"
        return LeftOut(item.line, "half_written", cut[:60], reason, mend)
    return replace(item, value=value)


def _of_cell(cell: str, name: str) -> object:
    if name in ("id", *_MIN) and cell.isascii() and cell.isdigit() and len(cell) < _DIGITS:
        return int(cell)
    if name == "was_cancelled":
        return cell == "True"
    if cell[:1] in "[{":
        with suppress(ValueError):
            return json_value(cell)
    return cell


_DIGITS = 19
_OPENED = re.compile(r'(\[\s*)?\{\s*"\w+"\s*:')
"""Beginning of a cell that is JSON of regions."""


def _of_min(item: JsonObject) -> JsonObject:
    """The task of an object of JSON_MIN: the data and what each control says, side by side under their names.

    The names of tags are lost in it, and so are the stretches of choices of one word each.
    """
    value = item.value
    said = {name: held if isinstance(held, list) else [held] for name, held in value.items() if _is_said(name, held)}
    data = {name: held for name, held in value.items() if name not in ("id", *_MIN, *_OF_ANNOTATION, *said)}
    annotation = {name: value[name] for name in _OF_ANNOTATION if name in value}
    results = _regions(said)
    flags = list(item.flags)
    for name, values in said.items():
        words = [each for each in values if isinstance(each, str)]
        regions = [result["id"] for result in results if "id" in result and _side(result["from_name"]) == _side(name)]
        fitting = len(words) == len(dict.fromkeys(regions))
        identities = list(dict.fromkeys(regions)) if fitting else [None] * len(words)
        for word, identity in zip(words, identities, strict=True):
            result = {"from_name": name, "type": "choices", "value": {"choices": [word]}}
            results.append(result | ({"id": identity} if identity else {}))
        if words and not fitting:
            message = f"JSON_MIN does not say which stretches {len(words):,} choices of {name[:60]} are of: kept aside"
            flags.append(Flag("no_stretch", f"{message}; export as JSON instead"))
    annotation |= {"id": value["annotation_id"], "completed_by": value["annotator"], "result": results}
    task = {"id": value.get("id"), "data": data, "annotations": [annotation], "_form": JSON_MIN}
    return JsonObject(item.line, task, tuple(flags))


def _is_said(name: str, held: object) -> bool:
    """Tell if a member is what a control says: values of results, or choices of one word each."""
    if isinstance(held, list):
        return bool(held) and all(_is_said(name, each) for each in held)
    if isinstance(held, dict):
        return "start" in held or any(kind in held for kind in _WORDS)
    return isinstance(held, str) and ("severity" in name.casefold() or held.casefold() in SEVERITIES)


def _side(name: str) -> int | None:
    """The number of the side that a control is of, by its name."""
    return next((n for n, names in enumerate(_SIDES) if any(each in name.casefold() for each in names)), None)


def _regions(said: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """The results that are whole. What several controls say of one stretch goes together, by the stretch."""
    results: list[dict[str, Any]] = []
    for name, values in said.items():
        times: Counter[str] = Counter()
        for value in values:
            if isinstance(value, dict):
                result = {
                    "from_name": name,
                    "type": next((w for w in _WORDS if w in value), "textarea"),
                    "value": value,
                }
                if "start" in value:
                    stretch = json.dumps([value["start"], value.get("end"), value.get("text"), _side(name)])
                    times[stretch] += 1
                    result["id"] = f"{stretch} {times[stretch]}"
                results.append(result)
    return results
