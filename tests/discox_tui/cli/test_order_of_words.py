"""Options and other words of a command, in any order: they come to the same."""

from __future__ import annotations

import argparse
import json
from itertools import product
from pathlib import Path

import pytest

from discox_tui.cli.parser import COMMANDS, build
from tests.conftest import Command

PARSER = build()


def of(command: str) -> argparse.ArgumentParser:
    """The parser of one command."""
    found: argparse.ArgumentParser = PARSER
    for name in command.split():
        found = next(each for each in found._actions if isinstance(each, argparse._SubParsersAction)).choices[name]
    return found


def words(command: str) -> list[str]:
    """As many words as a command takes, two for one that takes any number."""
    given = []
    for number, action in enumerate(of(command)._get_positional_actions()):
        if not isinstance(action, argparse._SubParsersAction):
            word = str(next(iter(action.choices))) if action.choices else f"word-{number}"
            given += [word, f"{word}-more"] if action.nargs in ("+", "*") and not action.choices else [word]
    return given


WITH_WORDS = [each.name for each in COMMANDS if each.function and words(each.name) and each.name != "build people"]
"""The commands that take any words; of those one reads its words as NAME=ROLE."""


def test_commands_with_words_are_found() -> None:
    assert {"import", "export", "show", "merge", "build add", "verdicts import"} <= set(WITH_WORDS)


@pytest.mark.parametrize("command", WITH_WORDS)
def test_options_may_stand_anywhere_among_words(command: str) -> None:
    """One option with a value, and where there is one another without, each at every place."""
    given = words(command)
    flags = [("--json",)] if "--json" in of(command)._option_string_actions else []
    options = [("--db", "a.db"), *flags]
    expected = vars(PARSER.parse_args([*command.split(), *(each for one in options for each in one), *given]))
    assert [each for value in expected.values() for each in (value if isinstance(value, list) else [value])].count(
        given[-1]
    ) == 1
    for places in product(range(len(given) + 1), repeat=len(options)):
        order = list(given)
        for place, option in sorted(zip(places, options, strict=True), reverse=True):
            order[place:place] = option
        assert vars(PARSER.parse_args([*command.split(), *order])) == expected, order


@pytest.mark.parametrize("command", WITH_WORDS)
def test_what_stands_behind_two_dashes_is_no_option(command: str) -> None:
    action = of(command)._get_positional_actions()[-1]
    if action.choices:
        pytest.skip("it takes only words of its own")
    *given, last = words(command)
    expected = vars(PARSER.parse_args([*command.split(), *given, last, "--db", "a.db"]))
    typed = vars(PARSER.parse_args([*command.split(), *given, "--db", "a.db", "--", "--db"]))
    old = expected[action.dest]
    assert typed == expected | {action.dest: [*old[:-1], "--db"] if isinstance(old, list) else "--db"}


@pytest.mark.parametrize("command", WITH_WORDS)
def test_a_word_too_many_is_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    if of(command)._get_positional_actions()[-1].nargs in ("+", "*"):
        return
    with pytest.raises(SystemExit):
        PARSER.parse_args([*command.split(), *words(command), "--db", "a.db", "too-many"])
    assert "unrecognized arguments: too-many" in capsys.readouterr().err


def test_scores_are_imported_wherever_the_library_is_named(discox: Command, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("metric,system,article,direction,score\nchrF,a,1,zh-en,5\n")
    result = discox("import", "scores", "--db", tmp_path / "library.db", tmp_path / "scores.csv", "--json")
    assert (result.code, json.loads(result.out)["stored"]) == (0, 1)
