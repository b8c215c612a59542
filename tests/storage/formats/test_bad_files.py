"""Whatever is wrong with a file: it is said where and how to mend it, the good rows arrive, and nothing twice."""

from __future__ import annotations

import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from storage.formats.registry import formats
from storage.formats.wmt import mqm
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.storage.formats.reading import format_in, read_as
from tests.support import bad_files
from tests.support.bad_files import BAD, OF_XML, SAMPLES, TEXTS, Bad, Sample
from tests.support.nightly import by_day
from tests.support.tables import dump

TRANSLATIONS = "SELECT text FROM translations WHERE text IS NOT NULL"
HELD = {
    "discox-dataset": "SELECT source FROM articles",
    "scores": "SELECT article FROM scores",
    "verdict-log": "SELECT json_extract(changes, '$.note') FROM events",
}
"""Where a sample's texts are, if not in translations."""


@pytest.fixture(scope="session")
def _blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blank") / "blank.db"
    open_library(path).close()
    return path


@pytest.fixture
def library(_blank: Path, tmp_path: Path) -> Path:
    """An empty library."""
    return Path(shutil.copy(_blank, tmp_path / "library.db"))


def held(path: Path, sample: Sample) -> set[str]:
    """The sample's texts that arrived."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(HELD.get(sample.format, TRANSLATIONS))
        return {segment for (text,) in found for segment in text.split("\n")}


def test_every_format_has_a_sample() -> None:
    assert {sample.format for sample in SAMPLES} == {format.name for format in formats()}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_a_good_file_is_known_and_arrives(sample: Sample, discox: Command, library: Path, tmp_path: Path) -> None:
    path = tmp_path / sample.name
    path.write_text(sample.write(TEXTS), encoding="utf-8")
    result = discox(*sample.command, path, "--db", library)
    assert result.code == 0, result
    assert held(library, sample) == set(TEXTS), result
    assert "left out" not in result.out or "0 left out" in result.out


@by_day(80)
@pytest.mark.parametrize("make", BAD, ids=lambda make: make.__name__)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_a_bad_file(
    make: Callable[[Sample], Bad | None], sample: Sample, discox: Command, library: Path, tmp_path: Path
) -> None:
    bad = make(sample) if sample.kind != "xml" or make in OF_XML else None
    if bad is None:
        pytest.skip("its format knows no such thing")
    path = tmp_path / sample.name
    path.write_bytes(bad.content)
    result = discox(*sample.command, path, "--db", library)
    said = result.out + result.err
    assert "Traceback" not in said
    assert result.code in (0, 1)
    assert str(path) in said, said
    for words in bad.told:
        assert any(word in said for word in words), said
    if bad.fails is not None:
        assert result.code == int(bad.fails), said
    if bad.fails:
        assert result.out == ""
        assert len(result.err.strip().splitlines()) == 1, said
        assert "; " in said, "how to mend it is said"
    assert set(bad.texts) <= held(library, sample), said
    assert held(library, sample) <= {*bad.texts, *bad.perhaps}, said
    before = dump(library)
    again = discox(*sample.command, path, "--db", library)
    assert again.code == result.code
    assert dump(library, without=("imports", "import_notes")) == {
        name: rows for name, rows in before.items() if name not in ("imports", "import_notes")
    }, "the second time brings nothing"
    assert len(dump(library)["imports"]) == len(before["imports"]), "nor a second report"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_what_is_no_file(sample: Sample, discox: Command, library: Path, tmp_path: Path) -> None:
    folder = tmp_path / sample.name
    for make in (lambda: None, folder.mkdir):
        make()
        result = discox(*sample.command, folder, "--db", library)
        assert result.code == 1
        assert "Traceback" not in result.err
        if sample.command != ("import",) or not folder.exists():
            assert str(folder) in result.err
    before = dump(library)
    assert held(library, sample) == set()
    assert dump(library) == before


def test_every_check_has_a_name() -> None:
    assert len({make.__name__ for make in BAD}) == len(BAD)
    assert bad_files.HALF.encode("utf-8", "surrogatepass")


WHOLE = ("verdict-log", "bilingual")
"""Formats that are read otherwise, or of which a file is one document."""


@by_day(5)
@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.format not in WHOLE], ids=lambda sample: sample.id)
def test_memory_does_not_grow_with_the_file(sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqm, "HELD", 100_000)
    peaks, sizes = [], []
    for rows in (200, 1_000):
        path = tmp_path / f"{rows}-{sample.name}"
        path.write_text(
            sample.write([f"{number} {'河水在冬天变浅。' * 150}" for number in range(rows)]), encoding="utf-8"
        )
        sizes.append(path.stat().st_size)
        tracemalloc.start()
        read = sum(1 for _ in read_as(path, sample.format))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert read >= rows
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 8


RATED = [s for s in SAMPLES if s.kind == "lines" and s.command == ("import",) and s.format != "pairs"]
"""Lines of objects; of pairs the first names the fields."""


@pytest.mark.parametrize("sample", RATED, ids=lambda sample: sample.id)
def test_a_broken_first_line_does_not_hide_what_a_file_is(sample: Sample, tmp_path: Path) -> None:
    whole, broken = tmp_path / sample.name, tmp_path / f"x-{sample.name}"
    content = sample.write(TEXTS)
    whole.write_text(content)
    for first in ('{"broken', '{"another": 1}'):
        broken.write_text(f"{first}\n{content}")
        assert format_in(broken) == format_in(whole)


def test_a_table_of_ratings_with_a_misspelt_column_is_no_table_of_pairs(tmp_path: Path) -> None:
    names = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
    for misspelt in ("category", "severity"):
        path = tmp_path / "mqm.tsv"
        header = "\t".join(name.replace(misspelt, "kind") for name in names)
        path.write_text(f"{header}\nA\td\t1\t1\tr\ts\tt\tAccuracy\tMajor\n")
        assert format_in(path) != "pairs"
