"""The formats that files are read in: this program's own table, and those that other packages add by an entry point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, TypeVar

from storage.base.errors import StorageError
from storage.formats.base.format import Format
from storage.formats.io.head import Head
from storage.formats.io.json_objects import LOOKED_AT, read_objects
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import FormatError
from storage.formats.io.records import header_of
from storage.formats.other_files import told_otherwise
from storage.formats.own.objects import is_spread

GROUP = "discox_tui.formats"
"""The group of entry points: ``my-format = "my_package.my_module:MyFormat"``, a class of the contract ``Format``."""

_SURE = {
    "discox-dataset": "own.dataset:DiscoxDataset",
    "discox-result": "own.official:DiscoxResult",
    "discox-partial": "own.official:DiscoxPartial",
    "verdict-log": "own.objects:VerdictLog",
    "wmt-mqm": "wmt.mqm:WmtMqm",
    "mt-metrics-eval": "wmt.mt_metrics_eval:MtMetricsEval",
    "label-studio": "tools.label_studio:LabelStudioTasks",
    "xcomet": "tools.xcomet:Xcomet",
    "pearmut": "tools.pearmut:PearmutFiles",
    "wmt-esa": "wmt.esa:WmtEsa",
    "wmt-general": "wmt.general:WmtGeneral",
    "wmt-mteval": "wmt.mteval:WmtMteval",
    "appraise-esa": "tools.appraise:AppraiseEsa",
    "appraise-jsonl": "tools.appraise_jsonl:AppraiseJsonl",
    "bio-mqm": "tools.bio_mqm:BioMqm",
    "translate5": "tools.translate5:Translate5",
    "xliff": "tools.bilingual_xml:Xliff",
    "tmx": "tools.bilingual_xml:Tmx",
    "judge-answers": "tools.judge_answers:JudgeAnswers",
    "wmt-scores": "wmt.scores:WmtScores",
}
_GENERAL = {"bilingual": "own.bilingual:Bilingual", "pairs": "own.pairs:Pairs", "scores": "own.scores:Scores"}
"""Formats that many a file of another would fit, so that they are asked last."""


@cache
def entries() -> tuple[EntryPoint, ...]:
    """Return the entry points of every format, in the order in which a file is held against them: the surest first."""
    ours = [
        [EntryPoint(name, f"storage.formats.{value}", GROUP) for name, value in table.items()]
        for table in (_SURE, _GENERAL)
    ]
    added = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return (*ours[0], *added, *ours[1])


@cache
def loaded(entry: EntryPoint) -> Format:
    """Return the format that an entry point names. Raises FormatError where it cannot be loaded."""
    try:
        format = entry.load()()
    except Exception as error:  # whatever a package of somebody else's does
        whose = f" of the package {entry.dist.name}" if entry.dist else ""
        raise FormatError(f"the format {entry.name}{whose} cannot be loaded ({error}); mend or uninstall it") from error
    if not isinstance(format, Format):
        raise FormatError(f"the format {entry.name} is no Format (storage.formats.base.format); mend its entry point")
    return format


def formats() -> Iterator[Format]:
    """Yield every format in the order in which a file is held against it, each loaded when it comes.

    Raises FormatError for one of another package that cannot be loaded.
    """
    yield from map(loaded, entries())


class _Named(Protocol):
    @property
    def name(self) -> str: ...


F = TypeVar("F", bound=_Named)


def format_named(formats: Sequence[F], name: str) -> F:
    """Return the format of this name, of those that are read or written. Raises FormatError naming those."""
    for each in formats:
        if each.name == name:
            return each
    raise FormatError(f"there is no format {name!r}; known: {', '.join(each.name for each in formats)}")


def format_of(head: Head) -> Format | None:
    """Return the format that a file or folder is in, None if it is in none. Raises FormatError as `formats`."""
    return next((format for format in formats() if fits(format, head)), None)


def fits(format: Format, head: Head) -> bool:
    """Tell if a format knows a file as its own; what it cannot read is none of its own."""
    try:
        return format.sniff(head)
    except (StorageError, OSError):
        return False


def detect(head: Head) -> Format:
    """Return the format of a file.

    Raises FormatError where it cannot be read, and where it is in no format: the message says what was found and what
    was expected.
    """
    if found := format_of(head):
        return found
    keys = [] if head.is_list else head.keys
    if any(format.is_row(keys) for format in formats()) and is_spread(head):
        raise FormatError(f"{head.file}: is one object over several lines; write it on one (jq -c . OLD > NEW)")
    if other := told_otherwise(head):
        raise FormatError(f"{head.file}: {other}")
    said, near = _nearest(head)
    near = near or f"expected {', or '.join(_expected())}, or pairs of texts ({', '.join(_PAIRS)})"
    mend = "check that this is the right file, or name another tool's format with --format"
    what = f"holds objects with the keys {_keys(keys, 8)}" if keys else "is none of the formats that can be read"
    raise FormatError(f"{head.file}: {what}; {'; '.join(filter(None, (said, near, mend)))}")


def _expected() -> Iterator[str]:
    for format in formats():
        if format.own and format.needed and format.name not in _GENERAL:
            yield f"{format.phrase} ({', '.join(format.needed)})"


_PAIRS = ("article", "system", "source", "translation")
_ORDINARY = 2
"""Fields that a file must have of a format to be near it."""


def _nearest(head: Head) -> tuple[str, str]:
    """Return what a file's first row names, and of which format it lacks least, in words; "" where there is no such."""
    try:
        where, names = _names(head)
    except FormatError:
        return "", ""
    if len(names) < _ORDINARY:
        return "", ""
    said = f"{where} names {_keys(names, 12)}"
    near: list[tuple[int, int, str]] = []
    for format in formats():
        lacking = format.lacking(names)
        held = len(format.needed) - len(lacking)
        if lacking and held >= _ORDINARY:
            phrase = format.phrase or format.title
            near.append(
                (len(lacking), -held, f"nearest is {phrase}, but there is no {', '.join(lacking)}: add or rename")
            )
    return said, min(reversed(near), key=lambda each: each[:2], default=(0, 0, ""))[2]


def _names(head: Head) -> tuple[str, Sequence[str]]:
    if head.is_json:
        objects = (item for _, item in zip(range(LOOKED_AT), read_objects(head.file), strict=False))
        first = next((item for item in objects if isinstance(item, JsonObject)), None)
        return "its first object", list(first.value) if first else []
    line, delimiter, names = header_of(head.file, lambda names: any(format.is_row(names) for format in formats()))
    mark = {"\t": "tabs", ",": "commas", ";": "semicolons"}.get(delimiter, f"“{delimiter}”")
    return f"line {line} (read as parted by {mark})", names


def _keys(names: Sequence[str], most: int) -> str:
    """The first of some names in one line."""
    shown = ["".join(c if c.isprintable() else "\ufffd" for c in name[:30]) or "(empty)" for name in names[:most]]
    return ", ".join(shown) + (" …" if len(names) > most else "")
