"""MQM ratings that went through a spreadsheet: other marks between cells, another order or case of the columns."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from storage.formats.base.items import Remark
from storage.formats.io.input_file import AnyFile
from storage.formats.io.lines import FormatError
from storage.formats.io.records import header_of, records
from storage.formats.io.rows import LeftOut

_NAMES = {
    "system": "system", "doc": "doc", "docid": "doc_id", "docsegid": "docSegId", "segid": "seg_id",
    "globalsegid": "globalSegId", "rater": "rater", "source": "source", "target": "target", "category": "category",
    "severity": "severity", "comment": "comment", "metadata": "metadata",
}  # fmt: skip
_MEND = "put the segment's text on one line, without tabs, and import the file again"


def is_table(path: AnyFile) -> bool:
    """Tell if one of a table's first rows names all columns of such ratings, in whatever order and case."""
    try:
        return bool(_columns(header_of(path, _fits)[2]))
    except FormatError:
        return False


@contextmanager
def as_tsv(path: AnyFile) -> Iterator[tuple[Path, list[LeftOut | Remark]]]:
    """``with as_tsv(path) as (tsv, told):`` the ratings as the WMT writes them, and what there is to say of that.

    Rows keep their line numbers; one that cannot be written so is left out. Raises FormatError.
    """
    line, delimiter, names = header_of(path, _fits)
    columns = _columns(names)
    if delimiter == "\t":
        how = "are not in the WMT's own order or case"
    else:
        how = f"are parted by “{delimiter}” and not by tabs"
    told: list[LeftOut | Remark] = [Remark(line, "columns", "", f"columns {how}: they are read by their names")]
    with tempfile.TemporaryDirectory(prefix="discox-") as folder:
        tsv = Path(folder) / f"{path.stem}.tsv"
        with tsv.open("w", encoding="utf-8", newline="") as file:
            file.write("\t".join(columns) + "\n")
            at = 1
            for row in records(path, _fits):
                if isinstance(row, LeftOut):
                    told.append(row)
                    continue
                by_name = {_plain(name): str(cell) for name, cell in row.value.items()}
                cells = [by_name[_plain(name)] for name in columns]
                if any(mark in cell for cell in cells for mark in "\t\n"):
                    told.append(LeftOut(row.line, "line_end", "", "has a tab or a line end within a cell", _MEND))
                    continue
                file.write("\n" * (row.line - at - 1) + "\t".join(cells) + "\n")
                at = max(row.line, at + 1)
        yield tsv, told


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.casefold())


def _fits(names: Sequence[str]) -> bool:
    return bool(_columns(names))


def _columns(names: Sequence[str]) -> list[str]:
    """The WMT's header of what the names are of; empty where one that is needed is missing or stands twice."""
    found = [_NAMES[_plain(name)] for name in names if _plain(name) in _NAMES]
    for ids in (("doc_id", "seg_id"), ("docSegId", "globalSegId")):
        header = ["system", "doc", *ids, "rater", "source", "target", "category", "severity"]
        if len(found) == len({*found}) and {*header} <= {*found}:
            return header + [name for name in ("comment", "metadata") if name in found][:1]
    return []
