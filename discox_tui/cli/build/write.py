"""``discox build write``: the data set that the candidates have become, and its data sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from discox_tui.cli.build.candidates import exemptions_json
from discox_tui.cli.build.deciding import EXCEPTION, let_through
from discox_tui.cli.build.options import WriteOptions
from discox_tui.cli.core.output import fail, json_text, note
from discox_tui.cli.core.session import library, reviewer
from discox_tui.reports.benchmark.data_sheet import Making, data_sheet
from discox_tui.reports.render.model import Report
from discox_tui.text.counts import counted
from judges.benchmark.selection.selection import balance, experts, rates
from storage.benchmark.candidates import Candidate, articles, candidates
from storage.benchmark.checks import Finding, findings
from storage.benchmark.difficulty import asked, judges_of, outcomes
from storage.benchmark.log import BuildLog
from storage.benchmark.settings import (
    filters,
    hours_outside,
    people_of,
    quotas,
    seconds_spent,
    shared,
    standing,
    target,
)
from storage.benchmark.stages import Obstacle, obstacles
from storage.db.connection import Connection
from storage.exports.dataset import BuiltArticle, is_dataset, write_json, write_jsonl
from storage.exports.files import whole

_DATASETS: dict[str, Callable[[Path, Sequence[BuiltArticle]], None]] = {".json": write_json, ".jsonl": write_jsonl}
_SHEETS = (".md", ".html")


def write(options: WriteOptions) -> int:
    """Write each file that is named: .json and .jsonl are the data set, .md and .html its data sheet."""
    if unknown := [name for name in options.paths if Path(name).suffix.lower() not in (*_DATASETS, *_SHEETS)]:
        known = ", ".join((*_DATASETS, *_SHEETS))
        return fail(f"{unknown[0]}: a name ends in one of {known}, which say what to write", 2)
    only_data = all(Path(name).suffix.lower() in _DATASETS for name in options.paths)
    with library(options, discreet=only_data and options.all) as connection:  # all else says what judges came to
        everyone = candidates(connection, reviewer(options))
        wanted = [each for each in everyone if _is_wanted(each, options.all)]
        if not wanted:
            return fail(
                f"no candidate is accepted yet, of {len(everyone):,}; decide on them, or write all but "
                "the rejected ones with --all"
            )
        kept: dict[str, tuple[Obstacle, ...]] = {}
        if not options.all:
            wanted, without, kept = let_through(connection, wanted, "write", options.exception)
            if not wanted:
                return fail(f"no candidate that is accepted may be written; {EXCEPTION}")
            if without:
                BuildLog(connection, reviewer(options)).write(without, options.exception)
                everyone = candidates(connection, reviewer(options))
                written = {each.key for each in wanted}
                wanted = [each for each in everyone if each.key in written]
        texts = articles(connection, wanted)
        built = [BuiltArticle(each, texts[each.key]) for each in wanted]
        for name in options.paths:
            suffix = Path(name).suffix.lower()
            if write_articles := _DATASETS.get(suffix):
                with whole(name, is_dataset, "data set") as path:
                    write_articles(path, built)
                note(f"{counted(len(built), 'article')} written to {name}")
            else:
                making = _making(connection, everyone, {each.key for each in wanted})
                _write_sheet(name, suffix, data_sheet(built, making, _facts(options), accepted=not options.all))
                note(f"the data sheet was written to {name}")
    if options.json:
        left_out = {key: [one.code for one in of] for key, of in kept.items()}
        more = {"left_out": left_out, "exceptions": {e.key: exemptions_json(e) for e in wanted if e.exemptions}}
        print(json_text([{"file": name, "articles": len(built), **more} for name in options.paths]))
    return 0


def _is_wanted(each: Candidate, unfinished: bool) -> bool:
    return each.outcome == "accepted" or (unfinished and each.outcome != "rejected")


def _facts(options: WriteOptions) -> dict[str, str]:
    from discox_tui.reports.render.files import made

    return made(options.given)


def _write_sheet(name: str, suffix: str, sheet: Report) -> None:
    from discox_tui.reports.render.files import write_report
    from discox_tui.reports.render.html import as_html
    from discox_tui.reports.render.markdown import as_markdown

    write_report(name, as_html(sheet) if suffix == ".html" else as_markdown(sheet))


def _making(connection: Connection, everyone: Sequence[Candidate], written: Collection[str]) -> Making:
    found, set_up = findings(connection, everyone), filters(connection)
    filtered = outcomes(connection, everyone)
    stands = [standing(each, filtered[each.key].state if each.key in filtered else None) for each in everyone]
    translated, judges = asked(connection, set_up)
    return Making(
        candidates=everyone,
        obstacles={
            each.key: obstacles(each, "accept", found[each.key], filtered.get(each.key))
            for each in everyone
            if each.key in written
        },
        blocked=sum(any(one.blocks for one in each) for each in found.values()),
        found=_codes(found, written, checked_off=False),
        passed=_codes(found, written, checked_off=True),
        filters=set_up,
        filter_judges={each.id: judges_of(connection, each) for each in set_up},
        no_translation=Counter(system for outcome in filtered.values() for system in outcome.no_translation),
        translated=translated,
        judges=judges,
        states=Counter(outcome.state for outcome in filtered.values()),
        rates=rates(stands),
        balance=balance(quotas(connection), stands),
        experts=experts(shared(everyone)),
        target=target(connection),
        people=people_of(connection),
        seconds=seconds_spent(connection),
        outside=hours_outside(connection),
    )


def _codes(found: Mapping[str, Sequence[Finding]], written: Collection[str], *, checked_off: bool) -> Counter[str]:
    """Count the articles with a finding of each code, open or called all right."""
    return Counter(
        code for key in written for code in {one.code for one in found[key] if bool(one.checked_off) == checked_off}
    )
