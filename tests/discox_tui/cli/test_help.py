"""Help of the command line: every command in one group, with an example that works, and what was meant."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from itertools import takewhile
from pathlib import Path

import pytest

from discox_tui.cli.completion import SHELLS
from discox_tui.cli.help import EXAMPLES, GROUPS
from discox_tui.cli.parser import COMMANDS, build
from tests.conftest import Command


def test_every_command_stands_in_one_group_and_has_an_example() -> None:
    top = [each.name for each in COMMANDS if " " not in each.name]
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(top)
    assert sorted(EXAMPLES) == sorted(each.name for each in COMMANDS)


@pytest.mark.parametrize("command", [each.name for each in COMMANDS])
def test_examples_are_understood(command: str, discox: Command) -> None:
    program, *words = takewhile(lambda word: word != ">", shlex.split(EXAMPLES[command]))
    assert program == "discox"
    assert words[: len(command.split())] == command.split() or not any(
        each.function for each in COMMANDS if each.name == command
    )
    build().parse_args(words)
    shown = discox("help", *command.split())
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.endswith(f"\nexample:\n  {EXAMPLES[command]}\n")
    assert shown.out == discox(*command.split(), "--help").out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("jugde",), "there is no command 'jugde'; did you mean judge?; see `discox --help`"),
        (("build", "fliter"), "there is no command 'fliter'; did you mean filter?; see `discox build --help`"),
        (("list", "--jsno"), "there is no option --jsno; did you mean --json?; see `discox list --help`"),
        (("export", "csv", "a", "--tabel=points"), "there is no option --tabel; did you mean --table?; see `discox export --help`"),
        (("zzz",), "there is no command 'zzz'; see `discox --help`"),
        (("help", "zzz"), "there is no command 'zzz'; see `discox --help`"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_what_is_typed_wrongly_is_answered_with_what_was_meant(
    typed: tuple[str, ...], said: str, discox: Command
) -> None:
    result = discox(*typed)
    assert (result.code, result.out, result.err) == (2, "", f"discox: {said}\n")


def test_the_help_shows_all_commands_and_how_to_learn_more(discox: Command) -> None:
    shown = discox("help").out
    for command in COMMANDS:
        if " " not in command.name:
            assert re.search(rf"^  {command.name}\b", shown, re.M), command.name
    assert "discox help judge" in shown
    assert discox("-V").out == discox("--version").out


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_can_complete(shell: str, discox: Command, tmp_path: Path) -> None:
    script = discox("completion", shell).out
    for word in ("consistency", "leaderboard"):
        assert word in script
    if shell == "bash" and shutil.which("bash"):
        (tmp_path / "discox").write_text(script, encoding="utf-8")
        asked = "source ./discox; COMP_WORDS=(discox consi); COMP_CWORD=1; _shtab_discox; echo ${COMPREPLY[@]}"
        found = subprocess.run(["bash", "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert found.stdout.split() == ["consistency"]
