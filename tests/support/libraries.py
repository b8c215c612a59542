"""New libraries for tests: copies of one that was made before, as the migrations take 20 times as long."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from storage.db.connection import Connection, open_database
from storage.integrity import opening


def copied_libraries(template: Path) -> Iterator[None]:
    """Let every library that a test makes in this process be a copy of ``template``, which is made for that."""
    opening.open_library(template).close()
    content = template.read_bytes()

    def open_copy(path: Path, *, create: bool = True, **options: Any) -> Connection:
        if create and path.parent.is_dir() and not os.path.lexists(path):
            path.touch(0o600, exist_ok=False)
            path.write_bytes(content)
        return open_database(path, create=create, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "open_database", open_copy)
        yield
