"""Options of the commands of ``discox build``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from discox_tui.cli.core.options import JsonOptions, argument, count, flag, name, number, seed_number, several, share
from discox_tui.cli.judge.options import PromptOptions
from storage.base.text import storable
from storage.benchmark.candidates import BUILD_DECISIONS, ROLES, BuildDecision, Role, Stage

_RULE = "the rule: of every system's translation (of several conditions all hold)"


def _where_missing(option: str, what: str) -> Any:
    return argument(option, type=storable, default="", help=f"{what}, where a row does not say")


def _against() -> Any:
    return several("--against", "also look for near duplicates among the articles of this file", metavar="FILE")


def _exception() -> Any:
    said = "take also what the filter or a check keeps out, for this reason, which is kept"
    return argument("--exception", type=storable, default="", metavar="WHY", help=said)


def _roles(given: str) -> tuple[str, tuple[Role, ...]]:
    called, equals, said = given.partition("=")
    wanted = [each.strip().casefold() for each in said.split("+") if each.strip()]
    if not called.strip() or not equals or not {*wanted} <= {*ROLES}:
        raise argparse.ArgumentTypeError(f"{given!r:.60} is not NAME=ROLE+ROLE, of {', '.join(ROLES)}")
    return storable(called.strip()), tuple(role for role in ROLES if role in wanted)


def _hours(given: str) -> tuple[str, float]:
    called, _, said = given.rpartition("=")
    try:
        hours = float(said)
    except ValueError:
        hours = float("nan")
    if not called.strip() or not 0 < abs(hours) <= 10_000:
        raise argparse.ArgumentTypeError(f"{given!r:.60} is not NAME=HOURS, such as ana=2.5 (below 0 corrects)")
    return storable(called.strip()), hours


@dataclass(frozen=True, kw_only=True)
class AddOptions(JsonOptions):
    """Options of ``discox build add``."""

    paths: tuple[str, ...] = argument(
        nargs="+", metavar="FILE", help="text, DOCX, XLSX, JSONL, CSV or DiscoX's JSON; or a folder of them"
    )
    direction: str = _where_missing("--direction", "languages, such as zh-en")
    domain: str = _where_missing("--domain", "the primary domain")
    subdomain: str = _where_missing("--subdomain", "the secondary domain")
    origin: str = _where_missing("--origin", "where the articles are from")
    licence: str = _where_missing("--licence", "on what terms they may be used")
    against: tuple[str, ...] = _against()
    revise: bool = flag("--revise", "of a candidate that is here, another text becomes its next version")


@dataclass(frozen=True, kw_only=True)
class CandidateOptions(JsonOptions):
    """Options of a command on candidates, such as ``discox build list``."""

    keys: tuple[str, ...] = argument(default=(), nargs="*", type=storable, metavar="KEY", help="only these candidates")


@dataclass(frozen=True, kw_only=True)
class CheckOptions(CandidateOptions):
    """Options of ``discox build check``."""

    against: tuple[str, ...] = _against()
    all_right: str | None = argument(
        "--all-right", type=storable, metavar="FINDING", help="this finding of KEY is all right"
    )
    why: str = argument("--why", type=storable, default="", metavar="TEXT", help="why it is all right")
    take_types: bool = flag("--take-types", "give points without a type the one that their form speaks for")


@dataclass(frozen=True, kw_only=True)
class AssignOptions(CandidateOptions):
    """Options of ``discox build assign``."""

    people: str | None = argument("--people", metavar="NAME,NAME", help="among whom")
    overlap: float = argument(
        "--overlap", type=share, default=0.0, metavar="SHARE", help="share that goes to two, 0 to 1"
    )
    again: bool = flag("--again", "also what is assigned already, unless it is decided")
    seed: int = argument("--seed", type=seed_number, default=1, metavar="N", help="of the random draw (else 1)")
    exception: str = _exception()
    dry_run: bool = flag("--dry-run", "show who would get what, and write nothing")


@dataclass(frozen=True, kw_only=True)
class DecideOptions(JsonOptions):
    """Options of ``discox build decide``."""

    decision: BuildDecision = argument(choices=BUILD_DECISIONS, help="undecided takes a decision back")
    keys: tuple[str, ...] = argument(nargs="+", type=storable, metavar="KEY", help="these candidates")
    why: str = argument("--why", type=storable, default="", metavar="TEXT", help="the reason, for the others")
    settle: bool = flag("--settle", "what holds where people differ, instead of a decision of your own")
    exception: str = _exception()


@dataclass(frozen=True, kw_only=True)
class PeopleOptions(JsonOptions):
    """Options of ``discox build people``."""

    roles: tuple[tuple[str, tuple[Role, ...]], ...] = argument(
        default=(),
        nargs="*",
        type=_roles,
        metavar="NAME=ROLE+ROLE",
        help=f"who is what: {', '.join(ROLES)}; nothing after = takes it back",
    )
    hours: tuple[tuple[str, float], ...] = several(
        "--hours", "what somebody spent outside of the program", type=_hours, metavar="NAME=HOURS"
    )
    stage: Stage = argument(
        "--stage",
        type=number(int, 1, 3),
        default=1,
        metavar="N",
        help="at which: 1 intake (else), 2 filter, 3 selection",
    )
    what: str = argument("--what", type=storable, default="", metavar="TEXT", help="on what these hours were spent")


@dataclass(frozen=True, kw_only=True)
class QuotasOptions(JsonOptions):
    """Options of ``discox build quotas``."""

    quotas: str | None = argument(
        nargs="?", metavar="FILE.toml|discox", help="how many articles of what; discox: its own distribution"
    )
    articles: int | None = argument(
        "--articles", type=count, metavar="N", help="how many articles discox stands for (else 200)"
    )
    target: float | None = argument(
        "--target", type=share, metavar="SHARE", help="share of all candidates that should come in, such as 0.3"
    )
    least: tuple[str, ...] = several(
        "--least", "how long articles should be, such as fr=1200 or ja=2000characters", metavar="LANG=COUNT"
    )


@dataclass(frozen=True, kw_only=True)
class WriteOptions(JsonOptions):
    """Options of ``discox build write``."""

    paths: tuple[str, ...] = argument(
        nargs="+",
        metavar="FILE",
        help=".json (DiscoX's) or .jsonl: the data set; .md or .html: its data sheet; README.md: the sheet as a card; "
        "croissant.json: how other libraries load it; a name without an ending: a folder of all four",
    )
    all: bool = flag("--all", "a draft: of all candidates but those that are rejected, whatever keeps them out")
    exception: str = _exception()
    name: str = argument("--name", type=storable, default="", metavar="TEXT", help="what the data set is called")
    url: str = argument("--url", type=storable, default="", metavar="URL", help="where it is to be found")
    creator: tuple[str, ...] = several("--creator", "who made it", type=storable, metavar="NAME")


def _system_and_model(given: str) -> str:
    system, _, model = given.partition("=")
    if not system.strip() or not model.strip():
        raise argparse.ArgumentTypeError(f"{given!r} is not SYSTEM=MODEL, such as gpt=gpt-5")
    return storable(given)


@dataclass(frozen=True, kw_only=True)
class FilterOptions(PromptOptions, CandidateOptions):
    """Options of ``discox build filter``: without ``--systems`` it asks nobody, and needs no model."""

    model: str = argument(
        "--model",
        default="",
        type=name,
        metavar="MODEL",
        group="who is asked",
        help="the model, as the server calls it",
    )
    systems: str | None = argument(
        "--systems", metavar="A,B", help="put the candidates under a filter: these systems' translations"
    )
    min_failed: int | None = argument(
        "--min-failed", type=count, metavar="N", group=_RULE, help="it fails N points or more (8, if nothing is given)"
    )
    min_share: float | None = argument(
        "--min-share", type=share, metavar="SHARE", group=_RULE, help="it fails this share of the points, 0 to 1"
    )
    every_fails_one: bool = flag("--every-fails-one", "it fails one point", group=_RULE)
    translate: tuple[str, ...] = several(
        "--translate",
        "make what SYSTEM has not translated by this model; of another server with @ and a preset or provider",
        type=_system_and_model,
        metavar="SYSTEM=MODEL[@SERVER]",
    )
