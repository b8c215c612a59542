"""Commands of ``discox build``, each with its options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NamedTuple

from discox_tui.cli.build import test as build_test
from discox_tui.cli.judge import options
from storage.base.text import storable


class Part(NamedTuple):
    """One command of ``discox build``: its name, the function that does it, what it is for, and what adds options."""

    name: str
    target: str
    help: str
    add: Callable[[argparse.ArgumentParser], None]


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", metavar="FILE", help="text, DOCX, XLSX, JSONL, CSV or DiscoX's JSON; or a folder of them"
    )
    for name, what in (
        ("direction", "languages, such as zh-en"),
        ("domain", "the primary domain"),
        ("subdomain", "the secondary domain"),
        ("origin", "where the articles are from"),
        ("licence", "on what terms they may be used"),
    ):
        parser.add_argument(f"--{name}", type=storable, default="", help=f"{what}, where a row does not say")
    _against(parser)
    parser.add_argument(
        "--revise", action="store_true", help="of a candidate that is here, another text becomes its next version"
    )


def _check(parser: argparse.ArgumentParser) -> None:
    _keys(parser)
    _against(parser)
    parser.add_argument("--all-right", type=storable, metavar="FINDING", help="this finding of KEY is all right")
    parser.add_argument("--why", type=storable, default="", metavar="TEXT", help="why it is all right")


def _assign(parser: argparse.ArgumentParser) -> None:
    _keys(parser)
    parser.add_argument("--people", metavar="NAME,NAME", help="among whom")
    parser.add_argument("--overlap", type=float, default=0.0, metavar="SHARE", help="share that goes to two, 0 to 1")
    parser.add_argument("--again", action="store_true", help="also what is assigned already, unless it is decided")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random draw (else 1)")
    parser.add_argument("--dry-run", action="store_true", help="show who would get what, and write nothing")


def _quotas(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "quotas", nargs="?", metavar="FILE.toml|discox", help="how many articles of what; discox: its own distribution"
    )
    parser.add_argument("--articles", type=int, metavar="N", help="how many articles discox stands for (else 200)")
    parser.add_argument(
        "--least",
        action="append",
        default=[],
        metavar="LANG=COUNT",
        help="how long articles should be, such as fr=1200 or ja=2000characters (repeatable)",
    )


def _write(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="FILE",
        help=".json (DiscoX's) or .jsonl: the data set; .md or .html: its data sheet",
    )
    parser.add_argument("--all", action="store_true", help="of all candidates but those that are rejected")


def _keys(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("keys", nargs="*", type=storable, metavar="KEY", help="only these candidates")


def _against(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="FILE",
        help="also look for near duplicates among the articles of this file (repeatable)",
    )


PARTS = (
    Part("add", "build.candidates:add", "add articles that may come into the benchmark, and check them", _add),
    Part("list", "build.candidates:list_candidates", "list the candidates, and how far they are", _keys),
    Part("check", "build.candidates:check", "check texts and rubric points", _check),
    Part("filter", "build.filter:filter_candidates", "keep what systems find hard", options.add_filter),
    Part("assign", "build.candidates:assign", "distribute candidates among the people who decide on them", _assign),
    Part("quotas", "build.quotas:quotas", "say what the benchmark should hold, and what is missing", _quotas),
    Part("write", "build.write:write", "write the data set that it has become, and its data sheet", _write),
    Part("test", "build.test:test", "say whether what is judged makes a good test", build_test.add_options),
)
