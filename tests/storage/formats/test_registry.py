"""The contract of formats: a file is opened twice at most, and a package of anybody's adds a format of its own."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.formats import registry
from storage.formats.io.input_file import InputFile
from storage.formats.io.lines import read_lines
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.support.bad_files import SAMPLES, TEXTS, Sample

_opened: list[str] = []
_watched = ""


def _watch(event: str, given: tuple[object, ...]) -> None:
    if event == "open" and isinstance(given[0], str | os.PathLike) and os.fspath(given[0]) == _watched:
        _opened.append(_watched)


sys.addaudithook(_watch)  # it stays as long as the program runs


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_an_import_opens_a_file_twice_at_most(sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / sample.name
    path.write_text(sample.write(TEXTS), encoding="utf-8")
    format = "scores" if sample.format == "scores" else None
    connection = open_library(tmp_path / "library.db")
    _opened.clear()
    monkeypatch.setattr(sys.modules[__name__], "_watched", str(path))
    try:
        report = import_path(connection, path, format=format)
    finally:
        monkeypatch.undo()
        connection.close()
    assert report.stored or sample.format == "verdict-log", report
    assert 1 <= len(_opened) <= 2


def test_several_read_one_file_and_its_checksum_is_of_all(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    content = "".join(f"{number}: 河水\n" for number in range(50_000)).encode()
    path.write_bytes(content)
    with InputFile(path) as file:
        first, second = read_lines(file), read_lines(file)
        assert [next(first), next(second), next(first)] == [(1, "0: 河水"), (1, "0: 河水"), (2, "1: 河水")]
        assert file.checksum() == hashlib.sha256(content).hexdigest()
        assert sum(1 for _ in first) == 49_998
        assert file.checksum() == hashlib.sha256(content).hexdigest()


PACKAGE = """
from storage.formats.base.format import Format
from storage.formats.base.items import Document, Segment
from storage.formats.io.lines import read_lines


class Colons(Format):
    name, title = "colons", "Texts parted by colons"

    def sniff(self, head):
        return head.first_line == "%colons"

    def read(self, file, options):
        for line, text in read_lines(file):
            if line > 1:
                article, system, source, translation = text.split(":")
                yield Document(article, system, (Segment("1", source, translation),), "zh-en", line=line)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages with one that adds a format."""
    folder = tmp_path / "packages"
    (folder / "colons-1.dist-info").mkdir(parents=True)
    (folder / "colons_format.py").write_text(PACKAGE)
    (folder / "colons-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: colons\nVersion: 1\n")
    entry = "[discox_tui.formats]\ncolons = colons_format:Colons\n"
    (folder / "colons-1.dist-info" / "entry_points.txt").write_text(entry)
    monkeypatch.syspath_prepend(folder)
    for cached in (registry.entries, registry.loaded):
        cached.cache_clear()
    yield folder
    sys.modules.pop("colons_format", None)
    monkeypatch.undo()
    for cached in (registry.entries, registry.loaded):
        cached.cache_clear()


def test_a_package_adds_a_format(package: Path, discox: Command, tmp_path: Path) -> None:
    path, db = tmp_path / "texts.colons", tmp_path / "library.db"
    path.write_text("%colons\na1:heron:河。:A river.\na2:heron:船。:A boat.\n", encoding="utf-8")
    for words in ((), ("--format", "colons")):
        result = discox("import", *words, path, "--db", db)
        assert result.code == 0, result
        assert "colons, 2 rows" in result.out


def test_a_format_that_cannot_be_loaded_is_said(package: Path, discox: Command, tmp_path: Path) -> None:
    (package / "colons_format.py").write_text("import nothing_of_this_name\n")
    path = tmp_path / "texts.colons"
    path.write_text("%colons\n")
    result = discox("import", path, "--db", tmp_path / "library.db")
    assert result.code == 1
    assert "the format colons of the package colons cannot be loaded" in result.err
    assert "Traceback" not in result.err
