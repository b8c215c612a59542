"""Which format a file is in, by what it holds and not by its name."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from storage.formats.base.nearest import nearest, would_be_a_row
from storage.formats.io.json_objects import (
    objects_by_line,
    objects_in_array,
    read_objects,
    starts_with_list,
    top_level_keys,
    values_beside,
)
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import FormatError, read_lines
from storage.formats.io.rows import LeftOut, Row
from storage.formats.own import dataset, official
from storage.formats.own.dataset import read_dataset
from storage.formats.own.official import RESULTS, read_official
from storage.formats.own.scores import looks_like_scores

Format = Literal["discox-dataset", "discox-partial", "discox-result", "verdict-log"]

EXPECTED: Mapping[Format, str] = {
    "discox-dataset": "the DiscoX data set (prompt_id, ori_text, reference_list)",
    "discox-partial": "the official code's partial.jsonl (model_output, detailed_judgement)",
    "discox-result": "its result.json (model, detailed_results)",
    "verdict-log": "a verdict log (id, at, reviewer, kind, evaluation)",
}
"""Format → what it is, for people."""

_LOOKED_AT = 1_000
_BROKEN = 50
"""Of so many lines one at least is an object, or the file has none."""


def detect(path: Path) -> Format:
    """Return the format of a file.

    Raises FormatError where the file cannot be read, and where it is none of these formats: the message says what
    was found and what was expected.
    """
    keys = list[str]()
    if starts_with_list(path):
        found = _format_of(objects_in_array(path))
        if found is not None:
            return "discox-result" if found == "discox-partial" else found
    else:
        for key in top_level_keys(path):
            if key == RESULTS:
                return "discox-result"
            keys.append(key)
        found = _format_of(objects_by_line(path))
        if found is None and (found := _format_of_row(keys)) not in (None, "discox-result"):
            _refuse_spread(path)
        if found is not None:
            return found
        if "error" in keys and "traceback" in keys:
            return "discox-partial"
    if looks_like_scores(path):
        raise FormatError(f"{path}: looks like a table of scores; discox import scores {shlex.quote(str(path))}")
    if keys:
        if would_be_a_row(keys):
            _refuse_spread(path)
        shown = ", ".join(key[:30] for key in keys[:8])
        raise FormatError(f"{path}: holds objects with the keys {_one_line(shown)}; {_expected(path)}")
    raise FormatError(f"{path}: is none of the formats that can be read; {_expected(path)}")


def _refuse_spread(path: Path) -> None:
    """Raise FormatError for one object over several lines: each line would be called broken."""
    if next((line for _, line in read_lines(path) if line.strip()), "").strip() == "{":
        raise FormatError(f"{path}: is one object over several lines; write it on one (jq -c . OLD > NEW)")


def _expected(path: Path) -> str:
    """What the file has and lacks; where that tells nothing, what there might be."""
    mend = "check that this is the right file, or name another tool's format with --format"
    said, near = nearest(path)
    near = near or f"expected {', or '.join(EXPECTED.values())}"
    return "; ".join(filter(None, (said, near, mend)))


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def _format_of(objects: Iterator[JsonObject | LeftOut]) -> Format | None:
    """The format of the first object that shows one; failed tasks alone are the official code's."""
    failed_task = seen = False
    for number, item in enumerate(islice(objects, _LOOKED_AT)):
        if isinstance(item, LeftOut):
            if number >= _BROKEN and not seen:
                break
            continue
        seen = True
        found = _format_of_row(item.value.keys())
        if found is not None:
            return found
        failed_task = failed_task or {"error", "traceback"} <= item.value.keys()
    return "discox-partial" if failed_task else None


def _format_of_row(keys: Collection[str]) -> Format | None:
    if "detailed_judgement" in keys or "model_output" in keys:
        return "discox-partial"
    if "ori_text" in keys or "reference_list" in keys:
        return "discox-dataset"
    if "average_accuracy" in keys:  # a result file that breaks before its rows
        return "discox-result"
    if {"kind", "reviewer", "evaluation"} <= set(keys):
        return "verdict-log"
    return None


def read_rows(path: Path, found: Format, direction: str | None = None) -> Iterator[Row | LeftOut]:
    """Yield a file's rows in their order. Raises FormatError where it cannot be read, or is a log of verdicts.

    ``direction``: of the articles that do not say theirs.
    """
    if found == "verdict-log":
        raise FormatError(f"{path}: is a log of verdicts; bring it in with `discox verdicts import`")
    if found == "discox-result":
        return read_official(path, objects_in_array(path, None if starts_with_list(path) else RESULTS), direction)
    rows = read_objects(path)
    return read_official(path, rows, direction) if found == "discox-partial" else read_dataset(rows, direction)


def known_fields(found: Format) -> frozenset[str]:
    """Return the fields that a format's rows may have."""
    return dataset.KNOWN if found == "discox-dataset" else official.KNOWN | official.AROUND


def around_rows(path: Path, found: Format) -> dict[str, Any]:
    """Return the fields around a file's rows that the format does not know."""
    return values_beside(path, official.AROUND) if found == "discox-result" and not starts_with_list(path) else {}
