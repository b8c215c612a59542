"""The files of objects that are DiscoX's or this program's own, told by the fields of their rows; the log of verdicts.

The official code leaves the same rows in two files, some of them failed tasks, so that these are told together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import read_objects
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut
from storage.formats.own.written_rows import is_written

DATASET, PARTIAL, RESULT, LOG = "discox-dataset", "discox-partial", "discox-result", "verdict-log"
RESULTS = "detailed_results"
"""The key of ``…result.json`` that holds the rows."""
_LOOKED_AT = 1_000
_BROKEN = 50
"""Lines of which one at least is an object, or the file has none."""
_FAILED = {"error", "traceback"}
"""Fields that the official code writes of a task that failed, in place of its judgement."""


class OwnFormat(Format):
    """A file of objects of our own: the first of its rows that shows a format decides."""

    own = True

    def sniff(self, head: Head) -> bool:
        """Tell if the first object that shows a format of ours shows this one."""
        return head.once(_format_of) == self.name

    def is_row(self, names: Collection[str]) -> bool:
        """Tell if such an object would show this format."""
        return format_of_row(names) == self.name or super().is_row(names)


class VerdictLog(OwnFormat):
    """The log of verdicts, which is brought in by a command of its own."""

    name, title, phrase = LOG, "Log of verdicts", "a verdict log"
    needed = ("id", "at", "reviewer", "kind", "evaluation")

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Raise FormatError: events are merged, not imported."""
        raise FormatError(f"{file}: is a log of verdicts; bring it in with `discox verdicts import`")


def _format_of(head: Head) -> str:
    """The format of an own file; "" for one that is none, and for one object over several lines."""
    if not head.is_list and RESULTS in head.keys:
        return RESULT
    found, failed = _of_objects(head)
    if head.is_list:
        found = found or (PARTIAL if failed else "")
        return RESULT if found == PARTIAL else found
    if not found and not failed:
        found = format_of_row(head.keys)
        if found not in ("", RESULT) and is_spread(head):
            return ""
    return found or (PARTIAL if failed or {*head.keys} >= _FAILED else "")


def _of_objects(head: Head) -> tuple[str, bool]:
    """The format of the first object that shows one, and whether one is a failed task."""
    failed = seen = False
    for number, item in enumerate(islice(read_objects(head.file), _LOOKED_AT)):
        if isinstance(item, LeftOut):
            if number >= _BROKEN and not seen:
                break
            continue
        seen = True
        if found := format_of_row(item.value.keys()):
            return found, failed
        failed = failed or item.value.keys() >= _FAILED
    return "", failed


def format_of_row(names: Collection[str]) -> str:
    """Return the format that has rows with such fields; "" where they show none."""
    if "detailed_judgement" in names or "model_output" in names:
        return PARTIAL
    if "ori_text" in names or "reference_list" in names or is_written(names):
        return DATASET
    if "average_accuracy" in names:  # a result file that breaks before its rows
        return RESULT
    return LOG if {"kind", "reviewer", "evaluation"} <= {*names} else ""


def is_spread(head: Head) -> bool:
    """Tell if a file is one object over several lines, each of which would be called broken."""
    return head.first_line.strip() == "{"
