"""The formats that are written: one line a format; the modules load when needed."""

from __future__ import annotations

import sqlite3
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from storage.exports.selection import ExportReport, Selection


class Writer(NamedTuple):
    """A format. ``module`` in ``storage.exports`` has ``write(connection, path, selection) -> ExportReport``.

    ``write`` makes a file (or a folder, where the format is one) at a path where nothing is; its name is the one that
    the user gave, and `storage.exports.files.whole` puts it there. It raises StorageError where nothing can be written.
    A module may have ``is_ours(path) -> bool``: whether a file was written by us, so that it may be replaced; without
    it, none is. ``everything``: the format holds the whole library, so that nothing is to be selected.
    """

    name: str
    title: str
    module: str
    everything: bool = False

    def write(self, connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
        """Write the format at a path where nothing is."""
        return cast("ExportReport", self._loaded().write(connection, path, selection))

    def is_ours(self, path: Path) -> bool:
        """Return True if what is there was written by us, as far as that can be told."""
        told = getattr(self._loaded(), "is_ours", None)
        return bool(told and told(path))

    def _loaded(self) -> Any:
        return import_module(f"storage.exports.{self.module}")


WRITERS: tuple[Writer, ...] = (
    Writer("archive", "Archive", "archive", everything=True),
    Writer("jsonl", "JSON Lines", "jsonl"),
    Writer("csv", "CSV", "tables.csv"),
    Writer("xlsx", "XLSX", "tables.xlsx"),
    Writer("parquet", "Parquet", "tables.parquet"),
    Writer("wmt-mqm", "WMT MQM TSV", "wmt_mqm"),
    Writer("mt-metrics-eval", "mt-metrics-eval", "mt_metrics_eval.writer"),
    Writer("wmt-esa", "WMT ESA JSON Lines", "wmt_esa"),
    Writer("pearmut", "Pearmut", "pearmut"),
    Writer("label-studio", "Label Studio", "label_studio"),
)
