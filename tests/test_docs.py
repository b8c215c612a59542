"""The docs say what the program does: tables, keys, commands and links are compared with it."""

from __future__ import annotations

import re
import tomllib
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import pytest

from discox_tui import __version__
from discox_tui.cli.parser import build
from discox_tui.cli.sample import load_sample
from discox_tui.config.paths import load_settings
from discox_tui.core.keymap import load_keymap
from docs.make_formats import page, titles
from docs.make_keys import keys_tables
from judges.metric_s.schemes.mapping import read_mapping
from storage.db.connection import Connection
from storage.db.descriptions import datasette_metadata
from storage.db.descriptions import queries as known_queries
from storage.db.schema import APPLICATION_ID
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.support import builders

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")])


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    connection = open_library(tmp_path_factory.mktemp("docs") / "sample.db")
    load_sample(connection)
    builders.a_run(connection)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    "command",
    [
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/discox demo",
        "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest",
    ],
)
def test_readme_has_the_two_commands_each_alone_in_a_block(command: str) -> None:
    assert f"{command}\n" in blocks(read(ROOT / "README.md"), "sh")


def test_readme_says_of_the_sample_what_the_sample_shows(discox: Command) -> None:
    shown, text = discox("demo").out, " ".join(read(ROOT / "README.md").split())
    precision = re.search(r"^  Precision +(\d\.\d+)", shown, re.M)
    difference = re.search(r"^  in all +\d+ +-(\d+\.\d+)", shown, re.M)
    assert precision
    assert difference
    assert f"{float(precision[1]):.0%} were errors indeed".replace("%", " %") in text
    assert f"{float(difference[1]):.1f} points below theirs" in text


def test_data_model_names_every_table_view_and_column(sample: Connection) -> None:
    text = read(DOCS / "data-model.md")
    sections: dict[str, str] = {}
    parts = re.split(r"^\*\*`(\w+)`\*\*", text, flags=re.M)
    sections.update(zip(parts[1::2], parts[2::2], strict=True))
    tables = [
        name
        for (name,) in sample.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
        )
    ]
    assert sorted(sections) == sorted(tables)
    for table in tables:
        columns = {row[1] for row in sample.execute(f'PRAGMA table_info("{table}")')}
        missing = columns - set(re.findall(r"`(\w+)`", sections[table]))
        assert not missing, f"{table}: {missing}"
    assert str(APPLICATION_ID) in sections["_sqlite_migrations"]


def test_example_queries_find_something_in_the_sample(sample: Connection) -> None:
    queries = [query for block in blocks(read(DOCS / "data-model.md"), "sql") for query in block.split(";\n")]
    queries = [query.strip().removesuffix(";") for query in queries if query.strip()]
    assert [query.split("\n", 1)[1] for query in map(str.strip, queries)] == [each.sql for each in known_queries()]
    for query in queries:
        assert sample.execute(query).fetchall(), query


def test_datasette_is_told_of_every_view_and_hides_what_serves_the_program(sample: Connection) -> None:
    told = datasette_metadata(sample, "sample")["databases"]["sample"]
    views = [name for (name,) in sample.execute("SELECT name FROM sqlite_master WHERE name GLOB 'v_*'")]
    assert len(views) == 11
    for name in views:
        assert told["tables"][name]["description"], name
    hidden = {name for name, each in told["tables"].items() if each.get("hidden")}
    assert hidden >= {"undone", "app_state", "single_errors", "spans"}
    assert not hidden & {*views, "articles", "events"}
    columns = {column for each in told["tables"].values() for column in each.get("columns", {})}
    assert columns >= {"outcome", "because", "outcome_by_category", "judge", "step"}
    assert set(told["queries"]) == {each.name for each in known_queries()}


def test_keys_are_those_of_the_registry(tmp_path: Path) -> None:
    text = read(DOCS / "keys.md")
    assert text[text.index("### ") :] == keys_tables(), "run python -m docs.make_keys"
    example = tmp_path / "keymap.toml"
    example.write_text(blocks(text, "toml")[0], encoding="utf-8")
    assert load_keymap(example)


def test_every_format_has_a_section_and_every_section_a_format() -> None:
    text = read(DOCS / "formats.md")
    assert text == page(text), "run python -m docs.make_formats"
    assert sorted(re.findall(r"^## (.+)$", text, re.M)) == sorted(titles().values())
    for name in titles():
        assert f"`{name}`" in text


def test_the_example_of_a_mapping_is_valid() -> None:
    (example,) = [block for block in blocks(read(DOCS / "commands.md"), "text") if "[rules" in block]
    assert read_mapping(example).read("Non-translation!", "Major").instruction_failed


def test_example_settings_are_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = tmp_path / "config.toml"
    example.write_text(blocks(read(DOCS / "commands.md"), "toml")[0], encoding="utf-8")
    monkeypatch.setenv("DISCOX_CONFIG", str(example))
    settings = load_settings()
    assert all(getattr(settings, name) == value for name, value in tomllib.loads(read(example)).items())
    assert set(tomllib.loads(read(example))) == set(type(settings).__dataclass_fields__)


def commands(parser: ArgumentParser, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Yield every command, as its words, with its long options."""
    yield names, {option for action in parser._actions for option in action.option_strings if option.startswith("--")}
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for name, child in action.choices.items():
                yield from commands(child, (*names, name))


def test_every_command_and_option_is_explained() -> None:
    text = read(DOCS / "commands.md")
    common, *sections = re.split(r"^## ", text, flags=re.M)
    for names, options in commands(build()):
        command = " ".join(("discox", *names))
        own = "".join(part for part in sections if re.match(rf"[^\n]*\b{command}\b", part))
        assert own or len(names) == 0 or command == "discox verdicts", f"{command} has no section"
        missing = {option for option in options if f"`{option}" not in common + own}
        assert not missing, f"{command}: {missing}"


def test_the_overview_names_every_command() -> None:
    text = read(DOCS / "commands.md").split("\n## ")[0]
    for names, _ in commands(build()):
        assert " ".join(("discox", *names)) in text


def test_readme_is_short_and_every_page_is_in_the_index() -> None:
    assert len(read(ROOT / "README.md").splitlines()) <= 150
    linked = set(re.findall(r"\]\(([\w.-]+)", read(DOCS / "index.md")))
    assert {page.name for page in DOCS.iterdir() if page.suffix in (".md", ".ipynb")} - {"index.md"} <= linked


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", read(path), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_resolve(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), target


FOLDERS = ("benchmarks", "discox_tui", "docs", "judges", "storage", "tests")
FILES = [
    f"/{path.relative_to(ROOT).as_posix()}"
    for path in (*ROOT.glob("*.*"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")))
]
OF_OTHERS = {"config.toml", "score_mqm.py"}
"""Files that are not this project's: the user's settings, a script of WMT."""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = set(re.findall(r"`([\w./]+\.(?:py|toml|tcss))`", read(page))) - OF_OTHERS
    assert {name for name in named if not any(path.endswith(f"/{name}") for path in FILES)} == set()


def test_pictures_load_nothing() -> None:
    for picture in DOCS.glob("*.svg"):
        assert "font-face" not in read(picture)
        assert not re.search(r"(?:url\(|href=)[\"']?https?:", read(picture))


def test_changelog_has_this_version() -> None:
    assert f"## [{__version__}]" in read(ROOT / "CHANGELOG.md")
