"""Options of the commands that ask models: ``discox judge``, ``translate``, ``ground``, ``usage``, ``build filter``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from discox_tui.cli.core.options import JsonOptions, argument, filled, flag, name, number, seed_number, several
from discox_tui.runs import along
from discox_tui.runs.along import Pair
from judges.providers.registry import provider_names
from storage.base.text import storable

SCHEMES = ("full", "accuracy", "rubric", "single-detailed", "single-simple")

PROVIDERS_HELP = "a protocol: openai, gemini, one that a package adds, or replay: only what is on record"
_ASKED = "who is asked"
_HOW = "parameters (only those you give are sent)"
_LIMITS = "limits"
_JUDGE = "how the judge works (each choice is a signature of its own)"
_BATCHES = "batches: half the price, within a day, one batch a round"


def provider(given: str) -> str:
    """Return the name of a provider that there is."""
    known = (*provider_names(), "replay")
    if given not in known:
        raise argparse.ArgumentTypeError(f"invalid choice: {given!r} (choose from {', '.join(known)})")
    return given


def _typed(read: Callable[[str], Pair]) -> Callable[[str], Pair]:
    """Return a reader whose refusal argparse repeats."""

    def reader(given: str) -> Pair:
        try:
            return read(given)
        except ValueError as problem:
            raise argparse.ArgumentTypeError(str(problem)) from None

    return reader


@dataclass(frozen=True, kw_only=True)
class UsageOptions(JsonOptions):
    """Options of ``discox usage``."""

    prices: str | None = argument(
        "--prices", type=filled, metavar="FILE", group=_LIMITS, help="a TOML file with what your models cost"
    )


@dataclass(frozen=True, kw_only=True)
class RunOptions(UsageOptions):
    """Options of every command that asks a model."""

    provider: str = argument("--provider", default="", type=provider, metavar="NAME", group=_ASKED, help=PROVIDERS_HELP)
    preset: str | None = argument(
        "--preset",
        type=name,
        metavar="NAME",
        group=_ASKED,
        help="a known server (see `discox providers`)",
    )
    model: str = argument(
        "--model", required=True, type=name, metavar="MODEL", group=_ASKED, help="the model, as the server calls it"
    )
    base_url: str | None = argument(
        "--base-url", type=name, metavar="URL", group=_ASKED, help="another server that speaks the same protocol"
    )
    key_env: str | None = argument(
        "--key-env", type=name, metavar="NAME", group=_ASKED, help="the variable that holds the key"
    )
    header: tuple[tuple[str, str], ...] = several(
        "--header",
        "a header with every call; env:NAME is what a variable holds",
        type=_typed(along.header),
        metavar="NAME=VALUE",
        group=_ASKED,
    )
    query: tuple[tuple[str, str], ...] = several(
        "--query",
        "the same in the address, such as api-version=…",
        type=_typed(along.pair),
        metavar="NAME=VALUE",
        group=_ASKED,
    )
    param: tuple[tuple[str, str], ...] = several(
        "--param",
        "a further field of the request, as JSON, else as text",
        type=_typed(along.param),
        metavar="NAME=JSON",
        group=_HOW,
    )
    stream: bool = flag(
        "--stream",
        "answers piece by piece: for servers that only stream, or cut silent connections",
        group=_ASKED,
    )
    temperature: float | None = argument("--temperature", type=number(float, 0, 10), metavar="T", group=_HOW)
    top_p: float | None = argument("--top-p", type=number(float, 0, 1), metavar="P", group=_HOW)
    seed: int | None = argument("--seed", type=seed_number, metavar="N", group=_HOW)
    reasoning_effort: str | None = argument("--reasoning-effort", type=name, metavar="WORD", group=_HOW)
    max_tokens: int = argument(
        "--max-tokens",
        type=number(int, 1, 10_000_000),
        default=16_384,
        metavar="N",
        group=_HOW,
        help="room for answer and thinking (16,384); doubled for an answer that breaks off",
    )
    concurrency: int = argument(
        "--concurrency",
        type=number(int, 1, 1000),
        default=8,
        metavar="N",
        group=_LIMITS,
        help="calls at once (8)",
    )
    requests_per_minute: int | None = argument(
        "--requests-per-minute", type=number(int, 1, 10**9), metavar="N", group=_LIMITS
    )
    tokens_per_minute: int | None = argument(
        "--tokens-per-minute", type=number(int, 1, 10**12), metavar="N", group=_LIMITS
    )
    timeout: float = argument(
        "--timeout",
        type=number(float, 0.1, 86_400),
        default=300.0,
        metavar="SECONDS",
        group=_LIMITS,
        help="for one call (300)",
    )
    max_calls: int | None = argument(
        "--max-calls", type=number(int, 1, 10**9), metavar="N", group=_LIMITS, help="stop after so many calls"
    )
    max_cost: float | None = argument(
        "--max-cost",
        type=number(float, 0, 1e9),
        metavar="X",
        group=_LIMITS,
        help="stop when so much is spent (needs --prices, or a preset whose server tells the cost)",
    )
    retry_failed: bool = flag("--retry-failed", "ask again where the answers were unusable")
    dry_run: bool = flag("--dry-run", "ask nobody; count calls and estimate tokens and cost")


@dataclass(frozen=True, kw_only=True)
class TranslateOptions(RunOptions):
    """Options of ``discox translate``."""

    system: str = argument(
        "--system", required=True, type=name, metavar="NAME", help="what the translations are to be called"
    )
    sample: int = argument(
        "--sample", type=number(int, 1, 10**6), default=1, metavar="N", help="another number asks the same anew"
    )
    article: tuple[str, ...] = several("--article", "only this article", type=storable, metavar="KEY")
    prompt: str | None = argument(
        "--prompt", type=filled, metavar="FILE", help="a prompt of your own; $text stands for the text"
    )


@dataclass(frozen=True, kw_only=True)
class PromptOptions(RunOptions):
    """Options of every command that lets a model judge."""

    explain_in: Literal["zh", "en"] = argument(
        "--explain-in", choices=("zh", "en"), default="zh", group=_JUDGE, help="language of the explanations"
    )
    prompts: str | None = argument(
        "--prompts",
        type=filled,
        metavar="FOLDER",
        group=_JUDGE,
        help="prompts of your own, file by file instead of ours",
    )


@dataclass(frozen=True, kw_only=True)
class JudgeOptions(PromptOptions):
    """Options of ``discox judge``. ``model``: the one of ``models`` whose turn it is."""

    model: str = ""
    models: tuple[str, ...] = argument(
        "--model",
        default=(),
        action="append",
        required=True,
        type=name,
        metavar="MODEL",
        group=_ASKED,
        help="the model, as the server calls it; several judge one after the other (repeatable)",
    )
    dedup_model: str | None = argument(
        "--dedup-model", type=name, metavar="MODEL", group=_JUDGE, help="another model of the server for de-duplication"
    )
    system: tuple[str, ...] = several("--system", "only translations by this system", type=storable, metavar="NAME")
    article: tuple[str, ...] = several("--article", "only this article", type=storable, metavar="KEY")
    scheme: str = argument(
        "--scheme", choices=SCHEMES, default="full", group=_JUDGE, help="all judges (full), or one of the ablations"
    )
    samples: int = argument(
        "--samples",
        type=number(int, 1, 100),
        default=1,
        metavar="N",
        group=_JUDGE,
        help="judge each translation N times",
    )
    examples: str | None = argument(
        "--examples",
        type=filled,
        metavar="PACK.jsonl",
        group=_JUDGE,
        help="show each judge what people decided of findings in other translations (see `discox pack export`)",
    )
    cross_fit: int | None = argument(
        "--cross-fit",
        type=number(int, 2, 100),
        metavar="K",
        group=_JUDGE,
        help="with --examples: deal articles to K folds, none is judged with examples of its own",
    )
    prove: bool = flag(
        "--prove",
        "also mend each error, judged now or before, and compare: those that no mend betters cost nothing",
        group=_JUDGE,
    )
    check: bool = flag("--check", "ask one question: are key, model, schema, context and price right?")
    batch: bool = flag("--batch", "collect what is ready, then submit what is missing", group=_BATCHES)
    batch_status: bool = flag("--batch-status", "only say how far the open batches are", group=_BATCHES)
    batch_forget: bool = flag(
        "--batch-forget", "give up every open batch, so that its requests can be asked anew", group=_BATCHES
    )
    wait: bool = flag("--wait", "with --batch: stay and go on until all rounds are done", group=_BATCHES)
    poll: float = argument(
        "--poll",
        type=number(float, 0.01, 86_400),
        default=60.0,
        metavar="SECONDS",
        group=_BATCHES,
        help="with --wait: how often (60)",
    )
    no_ground: bool = flag("--no-ground", "store only; locate the errors later")


@dataclass(frozen=True, kw_only=True)
class GroundOptions(RunOptions):
    """Options of ``discox ground``, which asks a model only where one is named."""

    provider: str = argument(
        "--provider", default="", type=provider, metavar="NAME", group=_ASKED, help=f"with --model: {PROVIDERS_HELP}"
    )
    model: str = argument(
        "--model",
        default="",
        type=name,
        metavar="MODEL",
        group=_ASKED,
        help="ask this model to quote what each finding of a judge's prose is about",
    )
    cases: str | None = argument(
        nargs="?", metavar="CASES.json", help="print predictions for a file of grounding cases"
    )
    words: tuple[str, ...] = argument(
        "--words",
        default=(),
        nargs="+",
        type=storable,
        metavar="WORD",
        help="with --model: only evaluations in which every word occurs",
    )
    quiet: bool = flag("--quiet", "say nothing")
