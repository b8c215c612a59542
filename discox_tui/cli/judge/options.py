"""Options of ``discox translate``, ``judge``, ``usage`` and ``build filter``."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from storage.base.text import storable

PROVIDERS = ("openai", "gemini", "replay")
SCHEMES = ("full", "accuracy", "rubric", "single-detailed", "single-simple")


def add_judge(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``discox judge``."""
    _model(parser)
    parser.add_argument(
        "--system",
        action="append",
        default=[],
        type=storable,
        metavar="NAME",
        help="only translations by this system (repeatable)",
    )
    _articles(parser)
    metric = parser.add_argument_group("how the judge works (each choice is a signature of its own)")
    metric.add_argument("--scheme", choices=SCHEMES, default="full", help="all judges (full), or one of the ablations")
    metric.add_argument(
        "--samples", type=_number(int, 1, 100), default=1, metavar="N", help="judge each translation N times"
    )
    metric.add_argument("--explain-in", choices=("zh", "en"), default="zh", help="language of the explanations")
    metric.add_argument(
        "--prompts", type=_filled, metavar="FOLDER", help="prompts of your own, file by file instead of ours"
    )
    metric.add_argument(
        "--examples",
        type=_filled,
        metavar="PACK.jsonl",
        help="show each judge what people decided of findings in other translations (see `discox pack export`)",
    )
    metric.add_argument(
        "--cross-fit",
        type=_number(int, 2, 100),
        metavar="K",
        help="with --examples: deal articles to K folds, none is judged with examples of its own",
    )
    _parameters(parser)
    _limits(parser)
    batch = parser.add_argument_group("batches: half the price, within a day, one batch a round")
    batch.add_argument("--batch", action="store_true", help="collect what is ready, then submit what is missing")
    batch.add_argument("--batch-status", action="store_true", help="only say how far the open batches are")
    batch.add_argument("--wait", action="store_true", help="with --batch: stay and go on until all rounds are done")
    batch.add_argument(
        "--poll", type=_number(float, 0.01, 86_400), default=60.0, metavar="SECONDS", help="with --wait: how often (60)"
    )
    parser.add_argument("--no-ground", action="store_true", help="store only; locate the errors later")


def add_translate(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``discox translate``."""
    parser.add_argument(
        "--system", required=True, type=_name, metavar="NAME", help="what the translations are to be called"
    )
    _model(parser)
    parser.add_argument(
        "--sample", type=_number(int, 1, 10**6), default=1, metavar="N", help="another number asks the same anew"
    )
    _articles(parser)
    parser.add_argument(
        "--prompt", type=_filled, metavar="FILE", help="a prompt of your own; $text stands for the text"
    )
    _parameters(parser)
    _limits(parser)


def add_filter(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``discox build filter``: without ``--systems`` it asks nobody."""
    parser.add_argument("keys", nargs="*", type=storable, metavar="KEY", help="only these candidates")
    parser.add_argument(
        "--systems", metavar="A,B", help="put the candidates under a filter: these systems' translations"
    )
    rule = parser.add_argument_group("the rule: of every system's translation (of several conditions all hold)")
    rule.add_argument("--min-failed", type=int, metavar="N", help="it fails N points or more (8, if nothing is given)")
    rule.add_argument("--min-share", type=float, metavar="SHARE", help="it fails this share of the points, 0 to 1")
    rule.add_argument("--every-fails-one", action="store_true", help="it fails one point")
    parser.add_argument(
        "--translate",
        action="append",
        default=[],
        type=_system_and_model,
        metavar="SYSTEM=MODEL",
        help="make what SYSTEM has not translated by this model of the same server (repeatable)",
    )
    _model(parser, required=False)
    metric = parser.add_argument_group("how the rubric judge works (each choice is a signature of its own)")
    metric.add_argument("--explain-in", choices=("zh", "en"), default="zh", help="language of the explanations")
    metric.add_argument(
        "--prompts", type=_filled, metavar="FOLDER", help="prompts of your own, file by file instead of ours"
    )
    _parameters(parser)
    _limits(parser)
    parser.set_defaults(batch=False, batch_status=False, wait=False, no_ground=False, examples=None, cross_fit=None)


def _system_and_model(given: str) -> str:
    system, _, model = given.partition("=")
    if not system.strip() or not model.strip():
        raise argparse.ArgumentTypeError(f"{given!r} is not SYSTEM=MODEL, such as gpt=gpt-5")
    return storable(given)


def add_usage(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``discox usage``."""
    _prices(parser)


def _model(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    who = parser.add_argument_group("who is asked")
    who.add_argument("--provider", required=required, choices=PROVIDERS, help="replay: only what is on record")
    who.add_argument(
        "--model", required=required, type=_name, metavar="MODEL", help="the model, as the server calls it"
    )
    who.add_argument("--base-url", type=_name, metavar="URL", help="another server that speaks the same protocol")
    who.add_argument("--key-env", type=_name, metavar="NAME", help="the variable that holds the key")


def _articles(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--article", action="append", default=[], type=storable, metavar="KEY", help="only this article (repeatable)"
    )


def _parameters(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("parameters (only those you give are sent)")
    how.add_argument("--temperature", type=_number(float, 0, 10), metavar="T")
    how.add_argument("--top-p", type=_number(float, 0, 1), metavar="P")
    how.add_argument("--seed", type=_number(int, 0, 2**63 - 1), metavar="N")
    how.add_argument("--reasoning-effort", type=_name, metavar="WORD")
    how.add_argument(
        "--max-tokens",
        type=_number(int, 1, 10_000_000),
        default=16_384,
        metavar="N",
        help="room for answer and thinking (16,384); doubled for an answer that breaks off",
    )


def _limits(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("limits")
    limits.add_argument("--concurrency", type=_number(int, 1, 1000), default=8, metavar="N", help="calls at once (8)")
    limits.add_argument("--requests-per-minute", type=_number(int, 1, 10**9), metavar="N")
    limits.add_argument("--tokens-per-minute", type=_number(int, 1, 10**12), metavar="N")
    limits.add_argument(
        "--timeout", type=_number(float, 0.1, 86_400), default=300.0, metavar="SECONDS", help="for one call (300)"
    )
    limits.add_argument("--max-calls", type=_number(int, 1, 10**9), metavar="N", help="stop after so many calls")
    limits.add_argument(
        "--max-cost", type=_number(float, 0, 1e9), metavar="X", help="stop when so much is spent (needs --prices)"
    )
    _prices(limits)
    parser.add_argument("--retry-failed", action="store_true", help="ask again where the answers were unusable")
    parser.add_argument("--dry-run", action="store_true", help="ask nobody; count calls and estimate tokens and cost")


def _prices(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--prices", type=_filled, metavar="FILE", help="a TOML file with what your models cost")


def _filled(given: str) -> str:
    if not given.strip():
        raise argparse.ArgumentTypeError("is empty; give it a value or leave it out")
    return given


def _name(given: str) -> str:
    return storable(_filled(given).strip())


def _number(kind: type, least: float, most: float) -> Callable[[str], float]:
    def read(given: str) -> float:
        try:
            value: float = kind(given)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            noun = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{given!r} is not {noun} from {least:,} to {most:,}")
        return value

    return read
