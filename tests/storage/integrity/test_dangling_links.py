"""Links to nothing: wherever one is named, it is said that it is a link, and where it leads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from storage.base.files import dangling
from tests.conftest import Command


@pytest.fixture(params=["nothing", "loop", "folder"])
def link(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A link to what is not there, one to itself, and a path through a link to nothing."""
    link = tmp_path / "link.json"
    link.symlink_to(link if request.param == "loop" else tmp_path / "gone" / "x.json")
    return link / "y.json" if request.param == "folder" else link


COMMANDS: dict[str, list[object]] = {
    "import": ["import", "{}"],
    "scores": ["import", "scores", "{}"],
    "pair": ["import", "pair", "{}", "text.txt"],
    "answers": ["import", "answers", "text.txt", "{}", "text.txt"],
    "mapping": ["mapping", "{}"],
    "mapping of an import": ["import", "text.txt", "--mapping", "{}"],
    "verdicts": ["verdicts", "import", "{}"],
    "merge": ["merge", "{}"],
    "merge --json": ["merge", "{}", "--json"],
    "add": ["build", "add", "{}"],
    "quotas": ["build", "quotas", "{}"],
    "consistency": ["consistency", "--scores", "{}"],
    "guideline": ["guideline", "--guideline", "{}"],
    "prices": ["usage", "--prices", "{}"],
    "database": ["list", "--db", "{}"],
    "new database": ["import", "text.txt", "--db", "{}"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_is_read(words: list[object], link: Path, discox: Command, sample: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("A text.\n")
    arguments = [link if word == "{}" else text if word == "text.txt" else word for word in words]
    result = discox(*arguments, *(() if "--db" in words else ("--db", sample)))
    assert result.code == 1
    assert str(link) in result.err
    assert "link to" in result.err
    assert "; " in result.err, "what to do is said"


def test_what_is_written(discox: Command, sample: Path, tmp_path: Path) -> None:
    link = tmp_path / "out.jsonl"
    link.symlink_to(tmp_path / "gone" / "x.jsonl")
    loop = tmp_path / "loop.html"
    loop.symlink_to(loop)
    for words in (["export", "jsonl", link], ["verdicts", "export", link], ["consistency", "--html", loop]):
        result = discox(*words, "--db", sample)
        assert (result.code, "is a link to" in result.err) == (1, True), result
    (tmp_path / "gone").mkdir()
    assert discox("export", "jsonl", link, "--db", sample).code == 0, "what it leads to is made"
    assert (tmp_path / "gone" / "x.jsonl").exists()


def test_one_in_a_folder_is_said(discox: Command, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps({"prompt_id": 1, "ori_text": "A text.", "reference_list": ""}) + "\n")
    (folder / "b.jsonl").symlink_to(tmp_path / "gone.jsonl")
    (folder / "c.png").symlink_to(tmp_path / "gone.png")
    result = discox("import", folder, "--db", tmp_path / "x.db")
    assert result.code == 0
    assert re.search("b.jsonl: .*is a link to", result.err)
    assert "c.png" not in result.err


def test_settings(discox: Command, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "config.toml"
    settings.symlink_to(tmp_path / "gone.toml")
    monkeypatch.setenv("DISCOX_CONFIG", str(settings))
    result = discox("list", "--db", sample)
    assert (result.code, "is a link to" in result.err) == (1, True)


def test_what_is_there_is_no_dangling_link(tmp_path: Path) -> None:
    target, link = tmp_path / "file", tmp_path / "link"
    target.write_text("x")
    link.symlink_to(target)
    assert [dangling(path) for path in (target, link, tmp_path / "none", Path("a\0b"))] == [""] * 4
