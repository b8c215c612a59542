"""Label Studio: what its tasks come to, and that what is written of a library is that again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from storage.exports.label_studio import write
from storage.exports.selection import Selection

from .annotated_files import come_in, contents, libraries, library


@settings(max_examples=50, deadline=None)
@given(libraries())
def test_what_is_written_comes_in_as_it_was(items: list[Any]) -> None:
    with library(items) as first, library() as second, tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "tasks.json"
        write(first, target, Selection())
        come_in(second, target)
        (told, _, *rest), (expected, _, *others) = contents(second), contents(first)
        assert told == expected
        assert rest == others
