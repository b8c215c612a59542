"""Numbers that are typed: every option has a range, and says it of whatever lies outside."""

from __future__ import annotations

import importlib
from dataclasses import fields
from typing import Any

import pytest

from discox_tui.cli.core.options import count, number, seed_number, share
from discox_tui.cli.parser import COMMANDS, Command, build


def numbers_of(command: Command) -> list[tuple[str, Any]]:
    """The options of a command that take a number, each with what reads it."""
    module, name = command.options.split(":")
    options = getattr(importlib.import_module(f"discox_tui.cli.{module}"), name)
    typed = [each.metadata["typed"] for each in fields(options) if "typed" in each.metadata]
    kinds = [(each.names[0], each.settings.get("type")) for each in typed if each.names]
    assert [name for name, kind in kinds if kind in (int, float)] == [], "a number without a range"
    return [(name, kind) for name, kind in kinds if getattr(kind, "__name__", "") == "read_number"]


ASKED = [(command, name) for command in COMMANDS if command.function for name, _ in numbers_of(command)]
REQUIRED = {
    "judge": ["--provider", "openai", "--model", "m"],
    "translate": ["--provider", "openai", "--model", "m", "--system", "s"],
    "pack export": ["out.jsonl"],
}


def test_the_commands_that_take_numbers_are_found() -> None:
    names = {(command.name, name) for command, name in ASKED}
    assert names >= {
        *(("leaderboard", "--alpha"), ("leaderboard", "--resamples"), ("consistency", "--seed"), ("plan", "--audit")),
        *(("plan", "--overlap"), ("build filter", "--min-share"), ("pack export", "--limit"), ("judge", "--samples")),
    }


@pytest.mark.parametrize(("command", "name"), ASKED, ids=[f"{command.name} {name}" for command, name in ASKED])
def test_nonsense_is_refused_with_the_option_and_its_range(
    command: Command, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*command.name.split(), *REQUIRED.get(command.name, [])]
    parser = build(words)
    for given in ("nan", "inf", "-1", "1e308", "9" * 30, "9" * 5000, "many", ""):
        with pytest.raises(SystemExit) as stop:
            parser.parse_args([*words, f"{name}={given}"])
        said = capsys.readouterr().err
        assert stop.value.code == 2
        assert f"argument {name}: " in said
        assert " from " in said.split("; see")[0]
        assert len(said) < 300


@pytest.mark.parametrize(
    ("read", "inside", "outside"),
    [
        (count, ("1", "1000000000"), ("0", "1000000001", "1.5", "1e3")),
        (seed_number, ("0", str(2**63 - 1)), ("-1", str(2**63))),
        (share, ("0", "1", "1e-320", "0.2"), ("-1e-320", "1.0000001", "nan")),
        (number(float, 1e-9, 0.5), ("1e-9", "0.5"), ("9.9e-10", "0.51", "1e-17", "0")),
    ],
    ids=["count", "seed", "share", "alpha"],
)
def test_the_ends_of_a_range_belong_to_it(read: Any, inside: tuple[str, ...], outside: tuple[str, ...]) -> None:
    assert [float(read(given)) for given in inside] == [float(given) for given in inside]
    for given in outside:
        with pytest.raises(Exception, match=" from "):
            read(given)
