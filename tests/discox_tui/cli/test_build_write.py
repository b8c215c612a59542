"""Files of a benchmark come back: the same bytes, in every layout, from whatever library."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.benchmark.rubric.points import Point, read_points
from judges.metric_s.reading.rubric import parse_rubric
from judges.model import Article
from storage.benchmark.candidates import articles, candidates
from storage.benchmark.log import BuildLog
from storage.exports.dataset import BuiltArticle, filter_of, numbers, write_json, write_jsonl
from storage.importing.candidates import add_candidates
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.support.building_candidates import HOSTILE
from tests.support.judge_script import ScriptedJudge
from tests.support.judging import MODEL, PROTOCOLS, address, report
from tests.support.scripted_server import ScriptedServer

LAYOUTS = ("json", "jsonl")
REAL = Path(os.environ.get("DISCOX_SHARED", "/nowhere")) / "data" / "discox" / "DISCOX-filtered.json"


def written(library: Path) -> dict[str, bytes]:
    """Both layouts of all candidates of a library."""
    found = {}
    with closing(open_library(library)) as connection:
        everyone = candidates(connection, "ana")
        texts, number = articles(connection, everyone), numbers(everyone)
        built = [BuiltArticle(e, texts[e.key], number[e.key], filter_of(e, None, {}, ())) for e in everyone]
    for layout, write in zip(LAYOUTS, (write_json, write_jsonl), strict=True):
        path = library.with_suffix(f".{layout}")
        write(path, built)
        found[layout] = path.read_bytes()
    return found


def added(library: Path, file: Path) -> Path:
    """A library with the candidates of a file."""
    with closing(open_library(library)) as connection:
        came = add_candidates(connection, file, "ben")
        assert (came.problem, came.left_out, {note.code for note in came.notes} - {"control_characters"}) == (
            "",
            0,
            set(),
        )
    return library


def candidate(
    key: str, source: str, rubric: str, direction: str = "zh-en", **more: str
) -> tuple[Article, tuple[Point, ...]]:
    points = parse_rubric(rubric)
    article = Article(key, source, direction, rubric_text=rubric, rubric=points, **more)
    return article, read_points(points, source)


def library_of(path: Path, built: Sequence[tuple[Article, tuple[Point, ...]]]) -> Path:
    with closing(open_library(path)) as connection:
        log = BuildLog(connection, "ana")
        for article, points in built:
            log.add(article, points, origin=article.domain, licence="CC-BY-4.0")
    return path


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LINES = st.lists(TEXT, max_size=3).map(lambda lines: "\n".join(f"考点{n}：{line}" for n, line in enumerate(lines, 1)))
RUBRIC = st.one_of(LINES, TEXT)
NAME = TEXT.filter(str.strip)


@given(
    found=st.lists(
        st.tuples(NAME, NAME, RUBRIC, st.sampled_from(["zh-en", "en-zh", "de-en", "x"]), TEXT, TEXT),
        min_size=1,
        max_size=4,
        unique_by=lambda row: row[0].replace("\0", "\ufffd"),
    )
)
def test_whatever_texts_hold_the_same_bytes_come_back(
    tmp_path_factory: pytest.TempPathFactory, found: list[tuple[str, str, str, str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("written")
    built = [
        candidate(key, source, rubric.replace("\0", "\ufffd"), direction, domain=domain, prompt=prompt)
        for key, source, rubric, direction, domain, prompt in found
    ]
    library = library_of(folder / "a.db", built)
    first = written(library)
    for layout in LAYOUTS:
        assert written(added(folder / f"b{layout}.db", folder / f"a.{layout}")) == first
        with closing(open_library(library)) as connection:
            again = add_candidates(connection, folder / f"a.{layout}", "ana")
            assert (again.unchanged, again.stored, again.left_out) == (len(found), 0, 0)


@pytest.mark.skipif(not REAL.is_file(), reason="the data set is not here")
def test_the_real_articles_come_back_in_every_layout(tmp_path: Path) -> None:
    first = written(added(tmp_path / "a.db", REAL))
    rows = json.loads(first["json"])
    ids = [int(row["prompt_id"]) for row in json.loads(REAL.read_text(encoding="utf-8"))]
    assert [row["prompt_id"] for row in rows] == ids
    for layout in LAYOUTS:
        file = tmp_path / f"a.{layout}"
        assert written(added(tmp_path / f"b{layout}.db", file)) == first
        assert written(added(tmp_path / "a.db", file)) == first, "never twice"
        with closing(open_library(tmp_path / f"i{layout}.db")) as connection:
            came = [import_path(connection, path) for path in (file, tmp_path / "a.json", tmp_path / "a.jsonl", REAL)]
            assert [(each.stored, each.unchanged, each.left_out) for each in came] == [(200, 0, 0), *[(0, 200, 0)] * 3]


@pytest.fixture
def library(tmp_path: Path, discox: Command) -> Path:
    rows = [
        {"article": "river", "source": "河水浅了。" * 9, "direction": "zh-en", "rubric": "考点1：“浅”应译为“low”\n考点 2. 河", "licence": "CC-BY-4.0", "domain": "新闻资讯"},
        {"article": "7", "source": "The eighth [b]text[/b].", "direction": "en-zh", "points": [{"text": "a\nb", "type": "keyword"}], "licence": "CC-BY-4.0"},
        {"article": "1", "source": HOSTILE, "direction": "zh-de", "rubric": "", "licence": "CC-BY-4.0"},
    ]  # fmt: skip
    path = tmp_path / "c.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    report(discox("build", "add", "--db", tmp_path / "a.db", "--json", path))
    return tmp_path / "a.db"


def rows_of(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    found = json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.split("\n")[:-1]]
    assert isinstance(found, list)
    return found


def test_the_official_code_gets_integers_and_names_are_kept(discox: Command, library: Path, tmp_path: Path) -> None:
    files = [tmp_path / "b.json", tmp_path / "b.jsonl"]
    assert discox("build", "write", "--db", library, "--all", *files).code == 0
    official, lines = map(rows_of, files)
    assert [(row["prompt_id"], row["article"]) for row in official] == [(2, "river"), (7, "7"), (1, "1")]
    assert all(row["ori_text"] and isinstance(row["reference_list"], str) for row in official)
    assert all(row["ori_text"].strip() in row["prompt"] for row in official[:2])
    assert [row["version"] for row in lines] == [1, 1, 1]
    for row, line in zip(official, lines, strict=True):
        whole = hashlib.sha256(f"{line['source']}\0{line['rubric']}".encode()).hexdigest()
        assert row["sha256"] == line["sha256"] == whole
        assert row["points"] == line["points"]


def test_results_of_the_official_code_on_it_are_of_its_articles(discox: Command, library: Path, tmp_path: Path) -> None:
    file, results, other = tmp_path / "b.json", tmp_path / "heron-DISCOXpartial.jsonl", tmp_path / "o.db"
    assert discox("build", "write", "--db", library, "--all", file).code == 0
    assert discox("import", "--db", other, file).code == 0
    judged = {
        "instruction_following": "是否存在问题：否",
        **{name: [] for name in ("accuracy", "checkpoints", "fluency", "appropiate")},
    }
    rows = [row | {"model_output": "x", "detailed_judgement": judged} for row in rows_of(file)]
    results.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    result = discox("import", "--db", other, results)
    assert "3 stored" in result.out
    assert "not known here" not in result.out
    with closing(sqlite3.connect(other)) as connection:
        assert connection.execute("SELECT count(*) FROM articles").fetchone() == (3,)
        assert [row for (row,) in connection.execute("SELECT article FROM evaluations ORDER BY position")] == [
            *("river", "7", "1")
        ]


def test_versions_and_what_the_filter_came_to_go_with_the_file(discox: Command, library: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "b.jsonl", tmp_path / "o.db"
    assert discox("build", "write", "--db", library, "--all", file).code == 0
    came = {"judges": [], "needed": 8, "rule": {"min_failed": 8}, "state": "stays", "systems": []}
    changed = [row | {"version": 3, "filter": came} for row in rows_of(file)]
    file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in changed), encoding="utf-8")
    before = file.read_bytes()
    assert discox("build", "add", "--db", other, file).code == 0
    assert discox("build", "write", "--db", other, "--all", file).code == 0
    assert file.read_bytes() == before
    with closing(open_library(other)) as connection:
        BuildLog(connection, "ana").revise("river", source="河水又涨了。")
    assert discox("build", "write", "--db", other, "--all", file).code == 0
    assert [(row["version"], row["filter"]) for row in rows_of(file)] == [(4, None), (3, came), (3, came)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_was_edited_is_said_and_read_as_it_is_now(
    discox: Command, library: Path, tmp_path: Path, layout: str
) -> None:
    file, source = tmp_path / f"b.{layout}", {"json": "ori_text", "jsonl": "source"}[layout]
    assert discox("build", "write", "--db", library, "--all", file).code == 0
    rows = rows_of(file)
    rows[0][source] += "改了。"
    file.write_text(json.dumps(rows) if layout == "json" else "\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = discox("import", "--db", tmp_path / "o.db", file)
    assert "3 stored" in result.out
    assert "text or points were changed since this was written" in result.out
    with closing(sqlite3.connect(tmp_path / "o.db")) as connection:
        found = connection.execute("SELECT source FROM articles WHERE key = 'river'").fetchone()
    assert found == (rows[0][source],)


def test_a_folder_holds_all_of_it(discox: Command, library: Path, tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    more = (
        "--name",
        'Harbour: the "exam"\u202e',
        "--url",
        "https://example.org/harbour",
        "--creator",
        "Ana",
        "--creator",
        "Ben",
    )
    result = discox("build", "write", "--db", library, "--all", *more, folder)
    assert result.code == 0, result
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        "benchmark.json",
        "benchmark.jsonl",
        "croissant.json",
    ]
    described = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert (described["license"], described["inLanguage"]) == ("CC-BY-4.0", ["de", "en", "zh"])
    assert [each["name"] for each in described["creator"]] == ["Ana", "Ben"]
    for file in described["distribution"]:
        assert file["sha256"] == hashlib.sha256((folder / file["contentUrl"]).read_bytes()).hexdigest()
    (records,) = described["recordSet"]
    named = {each["source"]["extract"]["column"] for each in records["field"]}
    assert named == rows_of(folder / "benchmark.jsonl")[0].keys() - {"points", "filter"}
    card = (folder / "README.md").read_text(encoding="utf-8")
    _, front, sheet = card.split("---\n", 2)
    assert 'pretty_name: "Harbour: the \\"exam\\"\\U0000202e"' in front
    assert 'license: "cc-by-4.0"' in front
    assert '    path: "benchmark.jsonl"' in front
    assert "# Data sheet" in sheet
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert discox("build", "write", "--db", library, "--all", *more, folder).code == 0, "all of it is ours"
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {name for name in before if before[name] != after[name]} <= {"README.md"}


def test_other_libraries_read_the_description(discox: Command, library: Path, tmp_path: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    assert discox("build", "write", "--db", library, "--all", tmp_path / "h").code == 0
    found = mlcroissant.Dataset(jsonld=str(tmp_path / "h" / "croissant.json"))
    assert [row["articles/prompt_id"] for row in found.records("articles")] == [2, 7, 1]


def test_what_others_have_written_stays(discox: Command, library: Path, tmp_path: Path) -> None:
    folder = tmp_path / "h"
    folder.mkdir()
    (folder / "README.md").write_text("# Mine\n", encoding="utf-8")
    assert discox("build", "write", "--db", library, "--all", folder).code == 1
    assert (folder / "README.md").read_text(encoding="utf-8") == "# Mine\n"
    assert discox("build", "write", "--db", library, "--all", tmp_path / "croissant.json").code == 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_written_set_is_judged_in_another_library(
    discox: Command, library: Path, tmp_path: Path, layout: str
) -> None:
    file, other = tmp_path / f"b.{layout}", tmp_path / "o.db"
    assert discox("build", "write", "--db", library, "--all", file).code == 0
    assert discox("import", "--db", other, file).code == 0
    pairs = tmp_path / "t.csv"
    pairs.write_text(
        "prompt_id,system,translation\nriver,heron,The river is low.\n7,heron,第八篇。\n", encoding="utf-8"
    )
    assert "2 stored" in discox("import", "--db", other, pairs).out
    with ScriptedServer(PROTOCOLS["openai"](ScriptedJudge())) as server:
        asked = ("--provider", "openai", "--model", MODEL, "--base-url", address(server))
        result = discox("judge", "--db", other, *asked)
    assert result.code == 0, result
    judged = report(discox("list", "--db", other, "--json", MODEL))
    assert sorted((row["article"], row["direction"], row["state"]) for row in judged) == [
        ("7", "en-zh", "scored"),
        ("river", "zh-en", "scored"),
    ]
    with closing(sqlite3.connect(other)) as connection:
        points = connection.execute(
            "SELECT e.article, count(*) FROM rubric_verdicts v JOIN evaluations e ON e.id = v.evaluation_id "
            "GROUP BY 1 ORDER BY 1"
        ).fetchall()
    assert points == [("7", 1), ("river", 2)]
