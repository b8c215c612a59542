"""Options of the commands of ``discox build``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from discox_tui.cli.core.options import JsonOptions, argument, count, flag, name, seed_number, several, share
from discox_tui.cli.judge.options import PromptOptions
from storage.base.text import storable

_RULE = "the rule: of every system's translation (of several conditions all hold)"


def _where_missing(option: str, what: str) -> Any:
    return argument(option, type=storable, default="", help=f"{what}, where a row does not say")


def _against() -> Any:
    return several("--against", "also look for near duplicates among the articles of this file", metavar="FILE")


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


@dataclass(frozen=True, kw_only=True)
class AssignOptions(CandidateOptions):
    """Options of ``discox build assign``."""

    people: str | None = argument("--people", metavar="NAME,NAME", help="among whom")
    overlap: float = argument(
        "--overlap", type=share, default=0.0, metavar="SHARE", help="share that goes to two, 0 to 1"
    )
    again: bool = flag("--again", "also what is assigned already, unless it is decided")
    seed: int = argument("--seed", type=seed_number, default=1, metavar="N", help="of the random draw (else 1)")
    dry_run: bool = flag("--dry-run", "show who would get what, and write nothing")


@dataclass(frozen=True, kw_only=True)
class QuotasOptions(JsonOptions):
    """Options of ``discox build quotas``."""

    quotas: str | None = argument(
        nargs="?", metavar="FILE.toml|discox", help="how many articles of what; discox: its own distribution"
    )
    articles: int | None = argument(
        "--articles", type=count, metavar="N", help="how many articles discox stands for (else 200)"
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
    all: bool = flag("--all", "of all candidates but those that are rejected")
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
        "make what SYSTEM has not translated by this model of the same server",
        type=_system_and_model,
        metavar="SYSTEM=MODEL",
    )
