"""Links as keys: the same after every start, one a person, gone when they are taken back."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from discox_tui.config.access import Access, access
from discox_tui.serve.links import ACCESS, Links
from discox_tui.serve.process import read_message, size_within
from storage.base.errors import StorageError


def test_a_secret_is_one_persons_in_one_part_and_the_same_after_every_start(tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    links = Links.of(library, tmp_path / "state")
    secrets = {name: links.give(name, "reviewer") for name in ("lin", "okafor", "林")}
    lead = links.give("mei", "lead")
    assert len({*secrets.values(), lead}) == 4
    assert all(len(each) == 32 for each in secrets.values())
    again = Links.of(library, tmp_path / "state")
    assert {name: again.give(name, "reviewer") for name in secrets} == secrets
    assert (found := again.holder(lead)) is not None
    assert (found.name, found.role) == ("mei", "lead")
    assert again.holder("x" * 32) is None
    assert Links.of(tmp_path / "other.db", tmp_path / "state").holder(lead) is None


def test_the_file_is_the_users_alone_and_holds_no_secret(tmp_path: Path) -> None:
    links = Links.of(tmp_path / "library.db", tmp_path / "state")
    secret = links.give("lin", "reviewer")
    (file,) = (tmp_path / "state").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secret not in file.read_text()
    assert not list(tmp_path.glob("library*"))


def test_a_link_that_was_taken_back_opens_nothing_and_another_one_is_another_secret(tmp_path: Path) -> None:
    links, running = (Links.of(tmp_path / "library.db", tmp_path) for _ in range(2))
    secret, other = links.give("lin", "reviewer"), links.give("okafor", "reviewer")
    assert running.read_anew()
    assert not running.read_anew()
    assert running.holder(secret)
    links.revoke("lin")
    assert running.read_anew()
    assert running.holder(secret) is None
    assert running.holder(other)
    with pytest.raises(StorageError, match="lin has no link; okafor has one"):
        links.revoke("lin")
    new = links.give("lin", "reviewer")
    assert new != secret
    assert links.holder(secret) is None
    assert links.give("lin", "lead") != new
    assert links.holder(new) is None


@pytest.mark.parametrize("text", ["", "[]", '{"format": 2}', '{"format": 1, "key": "x", "links": []}'])
def test_a_file_that_is_none_is_named_with_the_mend(tmp_path: Path, text: str) -> None:
    Links.of(tmp_path / "library.db", tmp_path).give("lin", "reviewer")
    (file,) = tmp_path.glob("library-*.json")
    file.write_text(text)
    with pytest.raises(StorageError, match="delete the file to make all of them anew"):
        Links.of(tmp_path / "library.db", tmp_path)


def test_access_goes_through_the_environment_and_an_unknown_word_takes_all() -> None:
    assert access({}) == Access()
    for each in ACCESS.values():
        assert access(each.as_environment()) == each
        assert not each.machine
    assert [role for role, each in ACCESS.items() if each.lead] == ["lead"]
    assert [role for role, each in ACCESS.items() if not each.write] == ["reader"]
    assert access({"DISCOX_ACCESS": "everything"}) == Access(machine=False, write=False, lead=False)


@pytest.mark.parametrize(
    "message",
    [
        *([], {}, ["stdin"], ["stdin", 1], ["stdin", "a", "b"], ["resize", {"width": 1}], ["resize", [80, 24]]),
        *(["run", "ls"], ["download", "/etc/passwd"], "stdin", None, 1, ["resize", {"width": "80", "height": "24"}]),
    ],
)
def test_what_no_page_sends_is_no_message(message: object) -> None:
    assert read_message(json.dumps(message)) is None


def test_messages_of_a_page() -> None:
    assert read_message('["stdin", "中"]') == ["stdin", "中"]
    assert read_message('["resize", {"width": 90000, "height": -3}]') == ["resize", (500, 5)]
    assert size_within(120, 36) == (120, 36)
    assert read_message("[" * 100_000) is None
