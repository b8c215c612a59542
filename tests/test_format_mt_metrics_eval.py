"""mt-metrics-eval: what its folders, files and JSON Lines come to, and that what is written of a library is that again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from storage.exports.mt_metrics_eval import write
from storage.exports.selection import Selection

from .annotated_files import come_in, contents, libraries, library


@settings(max_examples=150, deadline=None)
@given(libraries())
def test_what_is_written_comes_in_as_it_was(items: list[Any]) -> None:
    with library(items) as first, library() as second, tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "set"
        write(first, target, Selection())
        come_in(second, target)
        assert contents(second) == contents(first)
