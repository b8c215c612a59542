"""``discox pack``: what people decided of findings, as examples for a judge; the packs that judges were shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discox_tui.cli.core.options import (
    JsonOptions,
    LibraryOptions,
    argument,
    choosing_words,
    count,
    seed_number,
    several,
)
from discox_tui.cli.core.output import fail, json_text, note, say
from discox_tui.cli.core.session import library
from discox_tui.text.columns import table
from discox_tui.text.counts import counted
from discox_tui.text.safe import safe
from judges.model import DECISIONS, DIMENSIONS
from storage.base.errors import StorageError
from storage.base.text import storable
from storage.exports.files import whole

if TYPE_CHECKING:
    from storage.exports.few_shot import Chosen


@dataclass(frozen=True, kw_only=True)
class ExportPackOptions(JsonOptions):
    """Options of ``discox pack export``."""

    file: str = argument(metavar="FILE.jsonl", help="where to; - for standard output")
    words: tuple[str, ...] = choosing_words()
    limit: int | None = argument(
        "--limit", type=count, metavar="N", help="N of a dimension at most, the judge's mistakes first"
    )
    seed: int = argument(
        "--seed", type=seed_number, default=1, metavar="N", help="of the choice under a limit (else 1)"
    )
    without: tuple[str, ...] = several("--without", "nothing of this article", type=storable, metavar="ARTICLE")
    without_plan: tuple[str, ...] = several(
        "--without-plan", "nothing of the articles that this plan of an audit drew", metavar="PLAN"
    )
    licence: str | None = argument(
        "--licence", type=storable, metavar="TEXT", help="on what terms the texts may be passed on"
    )


@dataclass(frozen=True, kw_only=True)
class ShowPackOptions(LibraryOptions):
    """Options of ``discox pack show``."""

    pack: str = argument(metavar="PACK", help="the pack's id, or the beginning of it")


def export_pack(options: ExportPackOptions) -> int:
    """Write the examples whole or not at all; say what they are, what was left out and why."""
    from storage.analysis.review_data import reviewer_among
    from storage.exports.few_shot import articles_named, choose_examples, drawn_among
    from storage.exports.selection import Selection
    from storage.record.few_shot_sets import pack_of

    if options.json and options.file == "-":
        return fail("standard output takes the examples or the report; name a file", 2)
    words, reviewer = " ".join(options.words), options.reviewer
    with library(options) as connection:
        if reviewer is None:
            reviewer, words = reviewer_among(connection, words)
        without = articles_named(connection, options.without, options.without_plan)
        chosen = choose_examples(
            connection,
            selection=Selection(words, reviewer),
            without=without,
            limit=options.limit,
            seed=options.seed,
            licence=options.licence,
        )
        drawn = drawn_among(connection, chosen.examples)
    if not chosen.examples:
        return fail(f"no verdict makes an example{_reasons(chosen)}; review some evaluations to the end first")
    with whole(options.file, _is_pack, "pack of examples", safe) as path:
        lines = (json_text(each.plain(), indent=None) for each in chosen.examples)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    report = _report(options, chosen, drawn, pack_of(Path(options.file), list(chosen.examples), 0).id)
    if options.json:
        print(json_text(report))
    else:
        _note(options, chosen, report)
    return 0


def _is_pack(path: Path) -> bool:
    from storage.record.few_shot_sets import read_examples

    try:
        return not read_examples(path)[1]
    except StorageError:
        return False


def _reasons(chosen: Chosen) -> str:
    reasons = "; ".join(f"{counted(n, 'finding')}: {why}" for why, n in chosen.left_out.items())
    return f" ({reasons})" if reasons else ""


def _report(options: ExportPackOptions, chosen: Chosen, drawn: dict[str, int], pack: str) -> dict[str, Any]:
    counts = Counter((each.dimension, each.decision) for each in chosen.examples)
    return {
        "file": options.file,
        "pack": pack,
        "examples": len(chosen.examples),
        "articles": len({each.source_hash for each in chosen.examples}),
        "systems": len({each.system for each in chosen.examples}),
        "by": {
            dimension: {decision: n for decision in DECISIONS if (n := counts[dimension, decision])}
            for dimension in DIMENSIONS
        },
        "left_out": dict(chosen.left_out),
        "of_plans": drawn,
        "seed": options.seed,
        "licence": options.licence,
    }


def _note(options: ExportPackOptions, chosen: Chosen, report: dict[str, Any]) -> None:
    """Say it on standard error, for the examples may be on standard output."""
    found = [counted(report["examples"], "example"), f"of {counted(report['articles'], 'article')}"]
    note(f"{' '.join(found)} by {counted(report['systems'], 'system')} written to {options.file}")
    note(f"pack {report['pack']}, seed {options.seed}")
    by = report["by"]
    decisions = [each for each in DECISIONS if any(each in of for of in by.values())]
    rows = [(dimension, *(f"{of.get(each, 0):,}" for each in decisions)) for dimension, of in by.items()]
    heads = ("", *(each.replace("_", " ") for each in decisions))
    for line in table(heads, rows, right=range(1, len(heads))):
        note(line)
    if chosen.left_out:
        note("left out")
    for why, n in chosen.left_out.items():
        note(f"  {counted(n, 'finding')}: {why}")
    for plan, n in report["of_plans"].items():
        note(f"! {counted(n, 'example')} of articles that plan {plan} drew to be audited: a judge that is shown them")
        note(f"  is in no audited leaderboard over these; leave them out with --without-plan {plan}, or cross-fit")
    if not options.licence:
        note("no licence note: --licence says on what terms these texts may be passed on")


def list_packs(options: JsonOptions) -> int:
    """List the packs that judges here were shown."""
    from storage.record.few_shot_sets import read_packs

    with library(options) as connection:
        packs = read_packs(connection)
    if options.json:
        print(json_text([asdict(each) for each in packs]))
    elif not packs:
        say("no pack is here: no judge was shown examples")
    else:
        heads = ("pack", "name", "examples", "articles", "evaluations", "since")
        rows = [
            (each.id, each.name, f"{each.examples:,}", f"{each.articles:,}", f"{each.evaluations:,}", each.at)
            for each in packs
        ]
        for line in table(heads, rows, right=(2, 3, 4)):
            say(line)
    return 0


def show_pack(options: ShowPackOptions) -> int:
    """Print the examples of a pack, one a line, as ``judge --examples`` reads them."""
    from storage.record.few_shot_sets import pack_examples

    with library(options) as connection:
        examples = pack_examples(connection, options.pack)
    for each in examples:
        print(json_text(each, indent=None))
    return 0
