"""Nothing that is hidden from a reviewer changes a byte of what any command says to her.

Two libraries that differ only in what is hidden are asked the same, by every command and with every option that the
parser knows. A new command or option fails here until it has a value to be tried with.
"""

from __future__ import annotations

import argparse
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import pytest

from discox_tui.cli import parser
from tests.conftest import Command
from tests.support import hidden_pairs
from tests.support.nightly import NIGHTLY

SERVER = ("--base-url", "http://127.0.0.1:9/v1", "--key-env", "HOME")
ASKED = ("--provider", "openai", "--model", "osprey", *SERVER)
REPLAYED = ("--provider", "replay", "--model", "osprey", *SERVER)

BASES: dict[str, list[tuple[str, ...]]] = {
    "import": [("in/mqm.tsv", "--direction", "de-en"), ("in/library.zip",), ("in/data.json",), ("in",),
               ("scores", "in/scores.csv"), ("scores", "in/scores.csv", "--json"), ("pair", "in/src.txt", "in/tgt.txt"),
               ("answers", "in/answers.txt", "in/src.txt", "in/tgt.txt"), ("in/library.zip", "--json"),
               ("in/mqm.tsv", "--direction", "de-en", "--json"), ("in/partial.jsonl",)],
    "export": [("jsonl", "-")] + [(name, "out") for name in ("archive", "jsonl", "xlsx", "parquet", "wmt-mqm",
                                                             "mt-metrics-eval", "label-studio", "wmt-esa", "pearmut", "csv")],
    "translate": [("--system", "heron", *ASKED), ("--system", "zqheron", *ASKED, "--dry-run")],
    "judge": [ASKED, REPLAYED, (*ASKED, "--dry-run")],
    "show": [(f"{{{number}}}",) for number in range(20)],
    "plan": [(), ("--reviewers", "lin,ben"), ("--reviewers", "mei,ben", "--dry-run")],
    "build add": [("in/candidates.jsonl",)],
    "build assign": [(), ("--people", "ana,ben", "--dry-run"), ("--people", "ana,ben", "--again", "--dry-run")],
    "build decide": [("accept", "dyke", "--exception", "so"), ("reject", "dyke", "--why", "so"), ("accept", "dyke")],
    "build people": [(), ("ana=author",)],
    "build filter": [(), ("--systems", "heron,plover", *ASKED), ("--systems", "heron,plover", *REPLAYED)],
    "build write": [("out.jsonl", "--all"), ("out.html", "--all")],
    "verdicts export": [("out.jsonl",), ("-",)],
    "verdicts import": [("in/log.jsonl",)],
    "pack export": [("-",), ("out.jsonl",)],
    "pack show": [("zqpack",)],
    "merge": [("in/other.db",)],
    "backup": [("copy.db",)],
    "completion": [("bash",)],
}  # fmt: skip
"""What a command is typed with at least; without an entry: nothing. Options go with the last."""

OF_WORDS = [("heron",), ("failed",), ("zqegret",)]
NUMBER, NAME, FILE = [("7",)], [("heron",), ("zqegret",)], [("out",), ("-",)]
VALUES: dict[str, list[tuple[str, ...]]] = {
    "words": OF_WORDS, "reviewer": [("mei:again",)], "guideline": [("in/prompt.txt",)],
    "judge": NAME, "system": NAME, "direction": [("de-en",)], "mapping": [("in/mapping.toml",)], "table": [("outcomes",)],
    "import format": [("discox-partial",)], "mapping file": [("in/mapping.toml",)],
    "evaluation": [("{0}",)], "html": FILE, "markdown": FILE, "latex": FILE, "seed": NUMBER, "resamples": [("2000",)],
    "compare": [("heron", "plover"), ("osprey", "COMET")], "scores": [("in/own.csv",)], "alpha": [("0.1",)],
    "epsilon": [("crowd",), ("0.3",)], "stage": [("2",)],
    "build write name": NAME, "url": NAME, "creator": NAME,
    "leaderboard scores": [("in/own.csv", "--audited")], "leaderboard alpha": [("0.1", "--audited")],
    "leaderboard holm": [("--audited",)], "leaderboard estimated": [("this-test-set", "--audited")],
    "number": NUMBER, "audit": [("2",), ("2", "--judge", "osprey")], "doubtful": NUMBER, "overlap": [("0.5",)],
    "plan judge": [("osprey", "--audit", "2")], "plan by": [("system",), ("score",), ("direction,domain",), ("",)],
    "overlap_with": [("2", "--overlap", "0.5")], "again": [("0.5",)], "reviewers": [("lin,ben",), ("mei,lin",)],
    "build assign overlap": [("0.5",)], "build assign again": [()],
    "build add domain": [("law",)], "subdomain": [("law",)], "origin": [("here",)], "licence": [("CC0",)],
    "exception": [("a pilot",)], "build decide exception": [("so",)], "build decide why": [("so",)], "build decide keys": [()],
    "roles": [("ana=author+reviewer",)], "hours": [("ana=2",)], "build people what": [("typing", "--hours", "ana=2")],
    "target": [("0.3",)],
    "against": [("in/data.json",)], "keys": [("dyke",)], "all_right": [("a", "dyke", "--why", "so")],
    "why": [("so", "--all-right", "a", "dyke")], "people": [("ana,ben",)], "least": [("fr=1200",)],
    "quotas": [("discox",), ("in/quotas.toml",)], "articles": [("9", "discox")],
    "systems": [("heron,plover", *ASKED)], "min_failed": NUMBER, "min_share": [("0.5",)],
    "translate": [("heron=osprey",)], "provider": [("openai",), ("replay",)], "model": NAME, "base_url": [(SERVER[1],)],
    "preset": [("azure", "--base-url", SERVER[1])], "header": [("X-Title=a",)], "query": [("v=1",)],
    "param": [("top_k=3",)], "models": NAME, "dedup_model": NAME, "key_env": [("HOME",)], "temperature": NUMBER, "top_p": [("0.5",)], "reasoning_effort": [("low",)],
    "max_tokens": NUMBER, "concurrency": NUMBER, "requests_per_minute": NUMBER, "tokens_per_minute": NUMBER,
    "timeout": NUMBER, "max_calls": NUMBER, "max_cost": [("1", "--prices", "in/prices.toml")],
    "prices": [("in/prices.toml",)], "article": [("article-7",)], "sample": NUMBER, "samples": [("2",)],
    "prompt": [("in/prompt.txt",)], "prompts": [("in/prompts",)], "examples": [("in/log.jsonl",)],
    "cross_fit": [("2", "--examples", "in/log.jsonl")], "wait": [("--batch",)], "poll": NUMBER,
    "batch_forget": [()], "limit": NUMBER, "without": [("article-7",)], "without_plan": [("p",)], "cases": [("in/cases.json",)],
}  # fmt: skip
"""What each option, or positional that may be left out, is given, by its name, or by its command and name; an option
without a value may be given others to go with it. Choices are all tried."""
ALONE = ("--check", "--batch-forget")
"""Options that do not go with a dry run."""
ASKING = (
    *(
        "provider",
        "model",
        "base_url",
        "key_env",
        "prices",
        "words",
        "temperature",
        "top_p",
        "seed",
        "reasoning_effort",
    ),
    *("preset", "header", "query", "param", "stream"),
    *("max_tokens", "concurrency", "requests_per_minute", "tokens_per_minute", "timeout", "max_calls", "max_cost"),
    *("retry_failed", "dry_run"),
)
VALUES |= {f"ground {name}": [(*value, *ASKED) for value in VALUES.get(name, [()])] for name in ASKING}
"""The options of `discox ground` that go with a model alone."""
NOT_TRIED = {
    "demo": "it brings the sample in and is `discox consistency` then",
    "serve": "it goes on until it is stopped, and each page is the app",
}
WHOLE = (("export", "archive"), ("backup",))
"""What writes the whole library into a file, as the database is one: what it says is compared, and not the file."""


class Leaf(NamedTuple):
    """A command as it is typed, and what it takes."""

    name: str
    parser: argparse.ArgumentParser


def leaves(given: argparse.ArgumentParser, path: str = "") -> Iterator[Leaf]:
    """Every command that does something."""
    subs = [action for action in given._actions if isinstance(action, argparse._SubParsersAction)]
    if not any(sub.required for sub in subs):
        yield Leaf(path, given)
    for sub in subs:
        for name, each in sub.choices.items():
            yield from leaves(each, f"{path} {name}".strip())


def tries(leaf: Leaf) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every option of a command, "" for none → what is typed. Fails for an option that there is no value for."""
    bases = BASES.get(leaf.name, [()])
    for base in bases:
        yield "", base
    for action in leaf.parser._actions:
        if isinstance(action, argparse._HelpAction | argparse._VersionAction | argparse._SubParsersAction):
            continue
        if action.dest == "db" or (not action.option_strings and action.nargs in (None, "+")):
            continue  # these are in every try, or in the bases
        name = "".join(action.option_strings[-1:])
        for value in values(leaf, action):
            base = bases[0] if name in ALONE else bases[-1]
            yield name or action.dest, (*base, *([name] if name else []), *value)


def values(leaf: Leaf, action: argparse.Action) -> list[tuple[str, ...]]:
    """What to give an option."""
    own = VALUES.get(f"{leaf.name} {action.dest}")
    if own is not None:
        return own
    if action.choices is not None:
        return [(str(choice),) for choice in action.choices]
    if action.nargs == 0:
        return VALUES.get(action.dest, [()]) if action.dest == "wait" else [()]
    found = VALUES.get(action.dest)
    assert found is not None, f"discox {leaf.name} has an option that nobody tries: {action.dest}; name a value for it"
    return found


COMMANDS = {leaf.name: leaf for leaf in leaves(parser.build())}


def tries_now(leaf: Leaf, scenario: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the tries of a command: all at night; on a push in every scenario, but half of its options in one."""
    turn = list(hidden_pairs.SCENARIOS).index(scenario)
    return [
        (option, typed)
        for option, typed in tries(leaf)
        if NIGHTLY or not option or crc32(f"{leaf.name} {option}".encode()) % 6 == turn
    ]


class Came(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str
    files: dict[str, bytes]


class Side:
    """One of a pair: its library and its files, each command on a copy of its own at a place that both share."""

    def __init__(self, library: Path, files: Path, here: Path, discox: Command) -> None:
        self.library, self.files, self.here, self.discox = library, files, here, discox
        with closing(sqlite3.connect(library)) as connection:
            rows = connection.execute("SELECT id FROM evaluations ORDER BY article, id")
            self.ids = [identity for (identity,) in rows if identity != "zq-first"]

    def run(self, leaf: Leaf, typed: tuple[str, ...], *more: str) -> Came:
        """Run a command."""
        for left in self.here.iterdir():  # it is where we are, and stays
            shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
        shutil.copyfile(self.library, self.here / "library.db")
        (self.here / "in").symlink_to(self.files)
        given = [each.format(*self.ids) for each in typed]
        result = self.discox(*leaf.name.split(), *given, "--db", "library.db", *more)
        left = (
            path for path in sorted(self.here.rglob("*")) if path.is_file() and not path.name.startswith("library.")
        )
        whole = any((leaf.name, *typed)[: len(each)] == each for each in WHOLE)
        files = {} if whole else {path.name: path.read_bytes() for path in left}
        return Came(result.code, result.out, result.err, files)


@pytest.fixture
def pair(scenario: str, tmp_path: Path, discox: Command, monkeypatch: pytest.MonkeyPatch) -> tuple[Side, Side]:
    """Two libraries that differ only in what is hidden from mei, who asks."""
    chosen = hidden_pairs.SCENARIOS[scenario]
    one, other, here = tmp_path / "one.db", tmp_path / "other.db", tmp_path / "here"
    hidden_pairs.make(one, chosen)
    shutil.copyfile(one, other)
    hidden_pairs.alter(other, chosen)
    hidden_pairs.files(tmp_path / "in-one", other=False)
    hidden_pairs.files(tmp_path / "in-other", other=chosen.blinding == "first")
    here.mkdir()
    monkeypatch.chdir(here)
    whole = parser.build()
    monkeypatch.setattr(parser, "build", lambda typed=None: whole)  # it is made a thousand times
    return Side(one, tmp_path / "in-one", here, discox), Side(other, tmp_path / "in-other", here, discox)


@pytest.mark.parametrize("scenario", hidden_pairs.SCENARIOS)
def test_what_is_hidden_changes_nothing_that_a_command_says(pair: tuple[Side, Side], scenario: str) -> None:
    wrong, worked = [], set()
    one, other = pair
    for name, leaf in COMMANDS.items():
        if name in NOT_TRIED:
            continue
        for option, typed in tries_now(leaf, scenario):
            first, second = (side.run(leaf, typed) for side in (one, other))
            if first != second:
                wrong.append((name, typed, first, second))
            if first.code != 2:
                worked.add((name, option))
    assert wrong == []
    tried = {
        (name, option)
        for name, leaf in COMMANDS.items()
        if name not in NOT_TRIED
        for option, _ in tries_now(leaf, scenario)
    }
    assert tried - worked == set(), "what is wrong use says nothing of the library: try it otherwise"


SHOWN = (
    ("list",), ("list", "--json"), ("list", "failed"), ("list", "--validity"), ("show", "{16}"), ("show", "{16}", "--json"),
    ("usage",), ("usage", "--json"), ("plan",), ("plan", "--json"), ("plan", "--reviewers", "ana,ben", "--dry-run"),
    ("plan", "--reviewers", "ana,ben", "--dry-run", "--by", "direction"), ("consistency", "--json"),
    ("plan", "--reviewers", "ana,ben", "--dry-run", "--words", "failed"), ("leaderboard",), ("export", "jsonl", "-"),
    ("plan", "--reviewers", "ana,ben", "--dry-run", "--doubtful", "3"), ("pack", "export", "-"), ("pack", "list"),
    ("plan", "--reviewers", "ana,ben", "--dry-run", "--audit", "2", "--judge", "osprey"), ("build", "filter"),
    ("verdicts", "export", "-"), ("verdicts", "import", "in/log.jsonl"), ("merge", "in/other.db"), ("build", "test"),
    ("import", "in/partial.jsonl"), ("import", "in/mqm.tsv", "--direction", "de-en"), ("import", "in/library.zip"),
    ("import", "scores", "in/scores.csv"), ("translate", "--system", "heron", *ASKED, "--dry-run"),
    ("judge", *ASKED, "--dry-run"), ("judge", *REPLAYED), ("export", "archive", "out"), ("backup", "copy.db"),
)  # fmt: skip
"""What shows to others what is hidden from mei."""


@pytest.mark.parametrize("scenario", ["blind first"])
def test_what_is_hidden_is_told_to_others(pair: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "lin")
    same = []
    for typed in SHOWN:
        first, second = (side.run(COMMANDS[""], typed) for side in pair)
        if first == second:
            same.append(typed)
    assert same == [], "then it says nothing that mei is not told"
