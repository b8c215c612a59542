"""What to say of a file that is in no format: what was looked at, which format is nearest, and what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from storage.formats.io.json_objects import LOOKED_AT, read_objects
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import FormatError
from storage.formats.io.records import header_of, is_json
from storage.formats.io.tables import our_name

_NEEDED = {
    "pairs of texts": ("article", "system", "source", "translation"),
    "WMT MQM TSV": ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"),
    "answers of a judge (GEMBA, AutoMQM, InstructScore)": ("system", "source", "translation", "answer"),
    "a table of scores (discox import scores FILE)": ("metric", "system", "article", "score"),
    "DiscoX's data set": ("prompt_id", "ori_text", "reference_list"),
    "the official code's results": ("prompt_id", "model_output", "detailed_judgement"),
    "COMET and XCOMET": ("src", "mt", "COMET"),
    "ratings of mt-metrics-eval": ("source", "hypothesis", "errors", "system_id", "document_id"),
    "a table of WMT's evaluation task": (
        *("doc_id", "segment_id", "system_id", "source_segment", "hypothesis_segment"),
        *("start_indices", "end_indices", "error_types"),
    ),
    "WMT ESA JSON Lines": ("doc_id", "src_text", "tgt_text", "scores"),
    "Label Studio JSON": ("data", "annotations"),
}
"""A format, in words → the fields that it must have."""
_ORDINARY = 2
"""Fields that a file must have of a format to be near it."""


def nearest(path: Path) -> tuple[str, str]:
    """Return in words what a file's first row names, and of which format it lacks least; "" where there is no such."""
    try:
        where, names = _names(path)
    except FormatError:
        return "", ""
    if len(names) < _ORDINARY:
        return "", ""
    shown = ", ".join(_safe(name[:30]) or "(empty)" for name in names[:12]) + (" …" if len(names) > 12 else "")
    said = f"{where} names {shown}"
    lacking = {format: _lacking(names, needed) for format, needed in _NEEDED.items()}
    held = {format: len(_NEEDED[format]) - len(without) for format, without in lacking.items()}
    near = [format for format, without in lacking.items() if without and held[format] >= _ORDINARY]
    if not near:
        return said, ""
    format = min(near, key=lambda each: (len(lacking[each]), -held[each]))
    return said, f"nearest is {format}, but there is no {', '.join(lacking[format])}: add or rename"


def would_be_a_row(names: Sequence[str]) -> bool:
    """Whether an object with these names lacks nothing of some format; of a pair the system may be said otherwise."""
    return any(not _lacking(names, needed) for needed in (("source", "translation"), *_NEEDED.values()))


def _names(path: Path) -> tuple[str, list[str]]:
    if is_json(path):
        item = next((item for item in islice(read_objects(path), LOOKED_AT) if isinstance(item, JsonObject)), None)
        return "its first object", list(item.value) if item else []
    line, delimiter, names = header_of(path, lambda names: any(not _lacking(names, each) for each in _NEEDED.values()))
    mark = {"\t": "tabs", ",": "commas", ";": "semicolons"}.get(delimiter, f"“{delimiter}”")
    return f"line {line} (read as parted by {mark})", names


def _lacking(names: Sequence[str], needed: Sequence[str]) -> list[str]:
    """Which fields are not among the names; where texts are to be called as ours, by whatever usual name they go."""
    held = {name.strip().casefold() for name in names}
    if {"source", "translation"} <= {*needed}:
        held |= {our_name(name) for name in names}
    return [name for name in needed if name.casefold() not in held]


def _safe(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
