"""``discox build write``: the data set that the candidates have become, and its data sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from discox_tui.cli.build.candidates import exemptions_json
from discox_tui.cli.build.deciding import EXCEPTION, let_through
from discox_tui.cli.build.options import WriteOptions
from discox_tui.cli.core.output import fail, json_text, note
from discox_tui.cli.core.session import is_hiding, library, reviewer, say_left_out
from discox_tui.reports.benchmark.croissant import NAME as CROISSANT
from discox_tui.reports.benchmark.croissant import Description, croissant, is_croissant, write_croissant
from discox_tui.reports.benchmark.data_sheet import Making, data_sheet
from discox_tui.reports.benchmark.dataset_card import NAME as CARD
from discox_tui.reports.benchmark.dataset_card import dataset_card
from discox_tui.reports.render.model import Report
from discox_tui.text.counts import counted
from judges.benchmark.selection.selection import balance, experts, rates
from judges.model import Article
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
from storage.exports.dataset import BuiltArticle, filter_of, is_dataset, numbers, write_json, write_jsonl
from storage.exports.files import checksum, make_folder, whole

_DATASETS: dict[str, Callable[[Path, Sequence[BuiltArticle]], None]] = {".json": write_json, ".jsonl": write_jsonl}
_SHEETS = (".md", ".html")


def write(options: WriteOptions) -> int:
    """Write each file that is named: .json and .jsonl are the data set, .md and .html its data sheet.

    ``README.md`` is the sheet as a card of the data set, ``croissant.json`` describes the data sets beside it, and a
    name without an ending is a folder of all.
    """
    paths = [*_files(options.paths)]
    if unknown := [name for name in paths if Path(name).suffix.lower() not in (*_DATASETS, *_SHEETS)]:
        known = ", ".join((*_DATASETS, *_SHEETS))
        return fail(f"{unknown[0]}: a name ends in one of {known}, which say what to write", 2)
    if alone := [name for name in paths if Path(name).name == CROISSANT and not _data_beside(name, paths)]:
        return fail(f"{alone[0]}: describes a data set; name that too, in the same folder", 2)
    only_data = all(Path(name).suffix.lower() in _DATASETS for name in paths)
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
        built = _built(connection, options, everyone, [(each, texts[each.key]) for each in wanted])
        for name in paths:
            suffix = Path(name).suffix.lower()
            if Path(name).name == CROISSANT:
                _write_croissant(name, _data_beside(name, paths), built, options)
                note(f"how other libraries load it was written to {name}")
            elif write_articles := _DATASETS.get(suffix):
                with whole(name, is_dataset, "data set") as path:
                    write_articles(path, built)
                note(f"{counted(len(built), 'article')} written to {name}")
            else:
                making = _making(connection, everyone, {each.key for each in wanted})
                sheet = data_sheet(built, making, _facts(options), accepted=not options.all)
                card = (_about(name, built, options), [Path(data).name for data in _data_beside(name, paths)], built)
                _write_sheet(name, suffix, sheet, card if Path(name).name == CARD else None)
                note(f"the data sheet was written to {name}")
    if options.json:
        left_out = {key: [one.code for one in of] for key, of in kept.items()}
        more = {"left_out": left_out, "exceptions": {e.key: exemptions_json(e) for e in wanted if e.exemptions}}
        print(json_text([{"file": name, "articles": len(built), **more} for name in paths]))
    return 0


def _files(named: Sequence[str]) -> Iterator[str]:
    """The files to write, the data sets before what describes them; those of a folder that is named, which is made."""
    found: list[str] = []
    for name in named:
        if Path(name).suffix or not name:
            found.append(name)
            continue
        make_folder(name)
        found += [str(Path(name) / file) for file in ("benchmark.json", "benchmark.jsonl", CARD, CROISSANT)]
    yield from sorted(found, key=lambda name: Path(name).name in (CARD, CROISSANT))


def _data_beside(name: str, paths: Sequence[str]) -> list[str]:
    """The data sets that are written into the folder of a file."""
    data = (each for each in paths if Path(each).suffix.lower() in _DATASETS and Path(each).name != CROISSANT)
    return [each for each in data if Path(each).parent == Path(name).parent]


def _built(
    connection: Connection,
    options: WriteOptions,
    everyone: Sequence[Candidate],
    wanted: Sequence[tuple[Candidate, Article]],
) -> list[BuiltArticle]:
    """The articles to write, with what the filter came to unless that is hidden from whoever asks."""
    number, set_up = numbers(everyone), {each.id: each for each in filters(connection)}
    hiding = is_hiding(connection, options) and any(each.filters for each, _ in wanted)
    if hiding:
        say_left_out(options, "what the difficulty filter came to")
    came = {} if hiding else outcomes(connection, [each for each, _ in wanted])
    judges = {each.id: asked(connection, [each])[1] for each in set_up.values()}
    built = []
    for each, article in wanted:
        under = set_up[each.filters[-1]] if each.filters else None
        result = filter_of(each, came.get(each.key), under.rule if under else {}, judges[under.id] if under else ())
        built.append(BuiltArticle(each, article, number[each.key], result))
    return built


def _about(name: str, built: Sequence[BuiltArticle], options: WriteOptions) -> Description:
    """Return the description of the data set; without a name it is called as its folder."""
    directions = ", ".join(sorted({each.article.direction for each in built if each.article.direction}))
    text = (
        f"A benchmark of translation in context: {counted(len(built), 'article')} ({directions}) with rubric points "
        "that a translation is checked against."
    )
    return Description(options.name or Path(name).absolute().parent.name, text, options.url, options.creator)


def _write_croissant(name: str, data: Sequence[str], built: Sequence[BuiltArticle], options: WriteOptions) -> None:
    files = {Path(each).name: checksum(Path(each)) for each in data}
    last = max(each.candidate.version.at for each in built)[:10]
    described = croissant(_about(name, built, options), files, built, date=last)
    with whole(name, is_croissant, "description of a data set") as path:
        write_croissant(path, described)


def _is_wanted(each: Candidate, unfinished: bool) -> bool:
    return each.outcome == "accepted" or (unfinished and each.outcome != "rejected")


def _facts(options: WriteOptions) -> dict[str, str]:
    from discox_tui.reports.render.files import made

    return made(options.given)


_Card = tuple[Description, Sequence[str], Sequence[BuiltArticle]]
"""Words of a card before its data sheet: of whom, the data files beside it, the articles."""


def _write_sheet(name: str, suffix: str, sheet: Report, card: _Card | None = None) -> None:
    from discox_tui.reports.render.files import write_report
    from discox_tui.reports.render.html import as_html
    from discox_tui.reports.render.markdown import as_markdown

    text = as_html(sheet) if suffix == ".html" else as_markdown(sheet)
    write_report(name, dataset_card(*card, text) if card else text)


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
