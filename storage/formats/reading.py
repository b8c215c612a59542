"""One door to every format of evaluations: a path and its format in, rows out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from storage.formats.dataset import read_dataset
from storage.formats.detect import Format
from storage.formats.json_objects import objects_by_line, objects_in_array, starts_with_list
from storage.formats.lines import FormatError
from storage.formats.official import RESULTS, read_official
from storage.formats.rows import LeftOut, Row


def read_rows(path: Path, found: Format, direction: str | None = None) -> Iterator[Row | LeftOut]:
    """Yield a file's rows in their order. Raises FormatError where it cannot be read, or is a log of verdicts.

    ``direction``: of the articles that do not say theirs.
    """
    if found == "verdict-log":
        raise FormatError(f"{path}: is a log of verdicts; bring it in with `discox verdicts import`")
    listed = starts_with_list(path)
    if found == "discox-result":
        return read_official(path, objects_in_array(path, None if listed else RESULTS), direction)
    objects = objects_in_array(path) if listed else objects_by_line(path)
    return read_official(path, objects, direction) if found == "discox-partial" else read_dataset(objects, direction)
