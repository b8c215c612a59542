"""One door to every format of evaluations: a path and its format in, rows out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from storage.formats import dataset, official
from storage.formats.dataset import read_dataset
from storage.formats.detect import Format
from storage.formats.json_objects import objects_in_array, read_objects, starts_with_list, values_beside
from storage.formats.lines import FormatError
from storage.formats.official import RESULTS, read_official
from storage.formats.rows import LeftOut, Row


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
