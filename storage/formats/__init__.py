"""The files that people bring: found out by content, read row by row, each row taken or left out with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from storage.formats.dataset import read_dataset
from storage.formats.detect import EXPECTED, Format, detect
from storage.formats.lines import FormatError
from storage.formats.official import RESULTS, read_official, system_name
from storage.formats.rows import LeftOut, Row, objects_by_line, objects_in_array, starts_with_list

__all__ = ["EXPECTED", "Format", "FormatError", "LeftOut", "Row", "detect", "read_rows", "system_name"]


def read_rows(path: Path, file_format: str) -> Iterator[Row | LeftOut]:
    """Yield the rows of a file that ``detect`` named, in the file's order; the file is streamed.

    Raises FormatError where the file cannot be read, and for a verdict log, which holds no rows of this kind.
    """
    match file_format:
        case "discox-dataset":
            yield from read_dataset(objects_in_array(path) if starts_with_list(path) else objects_by_line(path))
        case "discox-partial":
            yield from read_official(path, objects_by_line(path))
        case "discox-result":
            yield from read_official(path, objects_in_array(path, RESULTS))
        case "verdict-log":
            raise FormatError(f"{path}: is a verdict log; read it with “discox verdicts import”")
        case _:
            raise FormatError(f"{path}: {file_format} is not a format that can be read")
