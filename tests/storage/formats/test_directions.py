"""However a file says from which language to which, it is one direction: in columns, options and names of files."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.formats.base.directions import direction_in, direction_name, has_regions
from tests.conftest import Command

WRITTEN = {
    "zh-en": "zh-en ZH→EN zh2en zh-CN→en-US zh_CN-en_US zh-Hans_en Chinese-English CHN-ENG zho-eng 中译英 汉译英 zh=>en",
    "en-zh": "英译中 English-Chinese en-zh_CN eng→cmn",
    "pt-en": "pt-BR_en pt-BR-en",
    "en-de": "en-de_DE en-de_AT EN/DE",
    "xx-yy": "xx-yy",
}


@pytest.mark.parametrize(("name", "written"), [(name, text) for name, all in WRITTEN.items() for text in all.split()])
def test_one_direction_has_one_name(name: str, written: str) -> None:
    assert direction_name(written) == name
    assert direction_name(name) == name


@pytest.mark.parametrize("text", ["", "zh-CN", "fr-ca-es", "zh-en-v2", "en-GB→en-US", "江河", "news"])
def test_what_is_none_or_may_be_two_stays_as_it_is(text: str) -> None:
    assert direction_name(text) == text


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("a.pt-BR_en", "pt-en"),
        ("zh-CN_en-US", "zh-en"),
        ("稿件中译英对照", "zh-en"),
        ("chinese_to_english", "zh-en"),
        ("run_zh2en", "zh-en"),
        ("no_de-en", "de-en"),
        ("data", ""),
        ("this_is_it", ""),
        ("zh-CN", ""),
    ],
)
def test_file_names_hold_directions(stem: str, name: str) -> None:
    assert direction_in(stem) == name


def test_regions_are_told_from_languages() -> None:
    assert has_regions("zh-CN→en-US")
    assert has_regions("zh-Hans_en")
    assert not has_regions("zh-en")


def directions(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT direction FROM articles UNION ALL SELECT direction FROM scores")
        return [row[0] for row in found]


FILES = {
    "pairs.csv": "article,system,source,translation,direction\na,s,河,river,{0}\nb,s,江,stream,{0}\n",
    "scores.csv": "metric,system,article,score,direction\nm,s,a,1,{0}\nm,s,b,1,{0}\n",
    "answers.jsonl": '{{"source": "河", "translation": "river", "system": "s", "direction": "{0}", '
    '"answer": "Critical:\\nno-error\\nMajor:\\nno-error\\nMinor:\\nno-error"}}\n',
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("written", ["zh-CN→en-US", "Chinese-English", "中译英"])
def test_columns_of_every_format_are_read_alike(name: str, written: str, discox: Command, tmp_path: Path) -> None:
    path, database = tmp_path / name, tmp_path / "a.db"
    path.write_text(FILES[name].format(written), encoding="utf-8")
    result = discox("import", *(["scores"] if name == "scores.csv" else []), path, "--db", database)
    assert result.code == 0, result.err
    assert {*directions(database)} == {"zh-en"}
    assert result.out.count("zh-CN→en-US is taken as zh-en") == (written == "zh-CN→en-US")


def test_options_and_file_names_are_read_alike(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "稿件_中译英.csv"
    path.write_text("article,system,source,translation\na,s,河,river\n", encoding="utf-8")
    assert "direction zh-en is from the file's name" in discox("import", path, "--db", tmp_path / "a.db").out
    assert directions(tmp_path / "a.db") == ["zh-en"]
    discox("import", path, "--db", tmp_path / "b.db", "--direction", "English-German")
    assert directions(tmp_path / "b.db") == ["en-de"]


def test_an_export_names_its_folder_by_the_direction(discox: Command, tmp_path: Path) -> None:
    path, database = tmp_path / "a.jsonl", tmp_path / "a.db"
    row = {"article": "a", "system": "s", "source": "x", "translation": "y", "direction": "pt-BR_en"}
    path.write_text(json.dumps(row), encoding="utf-8")
    assert discox("import", path, "--db", database).code == 0
    assert discox("export", "mt-metrics-eval", tmp_path / "set", "--db", database).code == 0
    assert (tmp_path / "set" / "documents" / "pt-en.docs").is_file()
