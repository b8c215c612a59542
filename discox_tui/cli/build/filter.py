"""``discox build filter``: systems translate, the rubric judge judges, and what every system finds hard stays."""

from __future__ import annotations

import asyncio
import io
import json
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, TextIO

from discox_tui.cli.build.candidates import exemptions_json, filter_json, named, print_exemptions
from discox_tui.cli.build.options import FilterOptions
from discox_tui.cli.core.output import fail, json_text, note, say
from discox_tui.cli.core.session import library, reviewer
from discox_tui.cli.judge.judge import judged
from discox_tui.cli.judge.options import JudgeOptions, RunOptions, TranslateOptions
from discox_tui.cli.judge.settings import order_of, spending
from discox_tui.cli.judge.summary import estimated, exit_code, say_estimate
from discox_tui.cli.judge.translate import made
from discox_tui.config.paths import load_settings, settings_file
from discox_tui.config.presets import presets
from discox_tui.runs.budget import Spending
from discox_tui.runs.judging import PROGRAM
from discox_tui.runs.orders import JudgeOrder, Order
from discox_tui.text.columns import table
from discox_tui.text.counts import counted
from judges.benchmark.selection.difficulty_filter import STATES, Outcome, PointOutcome, Rule
from judges.metric_s.protocol.signature import Signature
from judges.providers.registry import provider_names
from storage.base.identity import system_slug
from storage.base.text import storable
from storage.benchmark.candidates import Candidate
from storage.benchmark.difficulty import outcomes, rule_to_json
from storage.benchmark.log import BuildLog
from storage.benchmark.settings import filters
from storage.benchmark.stages import every_obstacle
from storage.db.connection import Connection
from storage.runs import runs

DECIDED = "decided already"
BLOCKED = "with a finding that stands in the way; mend it, or call it all right (`discox build check`)"
LONGEST = 60
"""Characters of a point that are shown."""


def filter_candidates(options: FilterOptions) -> int:
    """Put candidates under the filter, have judged what is missing, and print what it comes to."""
    code = 0
    if options.systems is not None:
        wrong = _wrong(options)
        if wrong:
            return fail(wrong, 2)
        out = sys.stdout
        with redirect_stdout(sys.stderr) if options.json else nullcontext():
            code = _filter(options, out)
        if options.dry_run:
            return code
    with library(options) as connection:
        wanted = named(connection, options, options.keys)
        found = outcomes(connection, wanted)
        of = {each.id: filter_json(connection, each) for each in filters(connection)}
    under = [each for each in wanted if each.key in found]
    if options.json:
        print(json_text([_as_json(each, found[each.key], of[each.filters[-1]]) for each in under]))
    elif not found:
        say("no candidate is under a filter; `discox build filter --systems A,B --model MODEL …` sets one")
    else:
        for words in dict.fromkeys(of[each.filters[-1]]["words"] for each in under):
            say(f"filter: {words}")
        _print(under, found)
        if options.keys:
            for each in under:
                _print_points(each, found[each.key])
    if revised := [each.key for each in wanted if each.was_filtered and each.key not in found]:
        note(f"revised since, and to be filtered again: {', '.join(revised)}")
    return code


def _wrong(options: FilterOptions) -> str:
    systems = _systems(options)
    if not all(systems) or len({system_slug(name) for name in systems}) < len(systems) or len(systems) < 2:
        return "--systems takes two systems or more, with commas between, each once, such as gpt,gemini"
    if not (options.provider or options.preset) or not options.model:
        return "--provider (or --preset) and --model say which model judges the rubric points"
    translators = [given.partition("=")[0].strip() for given in options.translate]
    if len(set(translators)) < len(translators):
        return "--translate names each system once"
    if strangers := sorted({*translators} - set(systems)):
        return f"--translate {strangers[0]}=…: {strangers[0]} is none of --systems"
    if options.min_share == 0:
        return "--min-share takes a share above 0 and up to 1, such as 0.5"
    return ""


def _systems(options: FilterOptions) -> list[str]:
    return [storable(name.strip()) for name in (options.systems or "").split(",")]


@dataclass(frozen=True, slots=True)
class SystemModel:
    """The model that translates as a system. ``server``: the preset or provider where it is asked, else the judge's.

    ``known``: it is a preset.
    """

    model: str
    server: str = ""
    known: bool = False


def _models(options: FilterOptions) -> dict[str, SystemModel]:
    """System → the model that translates as it; what follows its last @ is a server where it names one."""
    known = presets(load_settings().presets, str(settings_file())) if any("@" in e for e in options.translate) else {}
    found = {}
    for given in options.translate:
        system, _, said = (part.strip() for part in given.partition("="))
        model, _, server = said.rpartition("@")
        elsewhere = bool(model) and (server in known or server in provider_names())
        found[system] = SystemModel(model, server, server in known) if elsewhere else SystemModel(said)
    return found


def _rule(options: FilterOptions) -> Rule:
    if options.min_failed is None and options.min_share is None and not options.every_fails_one:
        return Rule(min_failed=8)
    return Rule(options.min_failed, options.min_share, options.every_fails_one)


def _filter(options: FilterOptions, out: TextIO) -> int:
    """Name who cannot pass, put the candidates under the filter, translate, and judge.

    What it asks for goes by one budget. Once it is told to stop, or the budget is spent, no further step begins.
    """
    rule, systems = _rule(options), _systems(options)
    spent: list[Spending] = []
    if options.max_cost is not None:
        _have_prices(options)
    with library(options) as connection:
        chosen = _chosen(connection, options)
        short = [each for each in chosen if len(each.version.points) < rule.needed(len(each.version.points))]
        for each in short:
            points = len(each.version.points)
            note(f"{each.key} can never pass: {counted(points, 'point')}, and {rule.needed(points)} have to fail")
        if not chosen:
            return fail("there is no candidate to filter; `discox build list` says how far each is")
        asked = [each for each in chosen if each not in short]
        articles = [each.article_id for each in asked]
        if options.dry_run:
            missing = {system: _missing(connection, system, articles) for system in systems}
        else:
            _set(connection, options, rule, systems, {each.key: each.article_id for each in chosen})
    if options.dry_run:
        return _dry_run(options, missing, [each.key for each in asked], articles, [each.key for each in short], out)
    code = 0
    for system in systems:
        came, over = _translate(options, system, articles, spent)
        code = max(code, came)
        if over:
            note("the steps after it were not begun; the same command goes on from here")
            return 1
    if articles:
        with library(options) as connection:
            there = [name for name in systems if len(_missing(connection, name, articles)) < len(articles)]
        if there:
            code = max(code, judged(_for_judge(options, there, articles), spent))
    return code


def _have_prices(options: FilterOptions) -> None:
    """Raise StorageError where the cost of any step could not be known, before the first is paid for."""
    known = order_of(Order, options).known_prices()
    for system, each in _models(options).items():
        spending(order_of(Order, _for_translation(options, system, each, ())), known)
    spending(order_of(Order, options), known)


def _chosen(connection: Connection, options: FilterOptions) -> list[Candidate]:
    """The candidates that go under the filter; who does not is said."""
    wanted = named(connection, options, options.keys)
    kept = every_obstacle(connection, wanted, "filter")
    left_out: dict[str, list[str]] = {}
    for key, of in kept.items():
        if of:
            why = DECIDED if of[0].final else f"{BLOCKED}: {', '.join(sorted({one.code for one in of}))}"
            left_out.setdefault(why, []).append(key)
    for why, keys in left_out.items():
        note(f"left out, {counted(len(keys), 'candidate')} {why}: {', '.join(keys)}")
    return [each for each in wanted if not kept[each.key]]


def _translate(options: FilterOptions, system: str, articles: Sequence[str], spent: list[Spending]) -> tuple[int, bool]:
    """Make the translations that are missing, by the model that was named; else say how to make them.

    Return the exit code, and whether that is all for now.
    """
    with library(options) as connection:
        missing = _missing(connection, system, articles)
    if not missing:
        return 0, False
    model = _models(options).get(system)
    if model is None or options.provider == "replay":
        _say_how(system, missing)
        return 1, False
    note(f"{system}:")
    progress = made(_for_translation(options, system, model, missing), spent)
    return exit_code(progress), bool(progress.problem or progress.interrupted)


def _say_how(system: str, missing: Sequence[str]) -> None:
    name = shlex.quote(system)
    ids = " ".join(f"--article {identity}" for identity in missing)
    note(
        f"{system} has no translation of {counted(len(missing), 'candidate')}; give --translate {name}=MODEL, or make "
        f"them: discox translate --system {name} --provider PROVIDER --model MODEL {ids}"
    )


def _missing(connection: Connection, system: str, articles: Sequence[str]) -> list[str]:
    """The articles that a system has no text of."""
    return [identity for identity, _ in runs.articles_to_translate(connection, system, articles)] if articles else []


def _dry_run(
    options: FilterOptions,
    missing: Mapping[str, Sequence[str]],
    asked: Sequence[str],
    articles: Sequence[str],
    short: Sequence[str],
    out: TextIO,
) -> int:
    """Say what it would take. ``missing``: articles by system; ``asked``, ``short``: keys that can pass, and cannot."""
    models, code = _models(options), 0
    translations: dict[str, Any] = {}
    for system, of in missing.items():
        if not of:
            continue
        if system not in models or options.provider == "replay":
            _say_how(system, of)
            code = 1
            continue
        note(f"{system}:")
        step = _for_translation(options, system, models[system], of)
        translations[system] = _foretold(options, partial(made, step))
    judging = _foretold_judging(options, missing, articles) if articles else None
    if options.json:
        lacking = {system: len(of) for system, of in missing.items()}
        report = {"candidates": asked, "cannot_pass": short, "without_translation": lacking}
        # past what sends the steps' own words elsewhere
        print(json_text(report | {"translations": translations, "judging": judging}), file=out)
    return code


def _foretold_judging(
    options: FilterOptions, missing: Mapping[str, Sequence[str]], articles: Sequence[str]
) -> dict[str, Any]:
    """Return what judging would take, of translations that are there and of those still to be made; or print it."""
    from discox_tui.runs.dry_run import rehearse_judging

    there = [system for system, of in missing.items() if len(of) < len(articles)]
    order = order_of(JudgeOrder, _for_judge(options, there, articles))
    known = order.known_prices()
    spent, currency = spending(order, known), known.currency if known else ""
    unmade = {system: of for system, of in missing.items() if of}
    to_make = sum(map(len, unmade.values()))
    with library(options) as connection:
        choice = order.choice(order.asked.offline(connection))
        estimate = asyncio.run(rehearse_judging(connection, choice, unmade=unmade, made=bool(there)))
    if not options.json:
        note(f"rubric judge {options.model}:")
        say_estimate("evaluation", estimate, spent, currency)
        if to_make:
            say(f"  {counted(to_make, 'translation')} of these are still to be made; their sources stand for them here")
    return {"to_make": to_make, **estimated(estimate, spent, currency)}


def _foretold(options: FilterOptions, step: Callable[[], object]) -> Any:
    """Return what a step's dry run says as JSON, or print it and return nothing."""
    if not options.json:
        return step()
    with redirect_stdout(io.StringIO()) as said:
        step()
    return json.loads(said.getvalue())


def _for_translation(
    options: FilterOptions, system: str, model: SystemModel, articles: Sequence[str]
) -> TranslateOptions:
    """The options of a step that translates; at another server nothing goes along that is meant for the judge's."""
    elsewhere: dict[str, Any] = {}
    if model.server:
        where = {"preset": model.server, "provider": ""} if model.known else {"preset": None, "provider": model.server}
        elsewhere = {
            **where,
            "base_url": None,
            "key_env": None,
            "header": (),
            "query": (),
            "param": (),
            "stream": False,
        }
    given = _of_run(options) | elsewhere
    return TranslateOptions(**given | {"system": system, "model": model.model, "article": tuple(articles)})


def _for_judge(options: FilterOptions, systems: Sequence[str], articles: Sequence[str]) -> JudgeOptions:
    return JudgeOptions(
        **_of_run(options),
        system=tuple(systems),
        article=tuple(articles),
        scheme="rubric",
        explain_in=options.explain_in,
        prompts=options.prompts,
    )


def _of_run(options: FilterOptions) -> dict[str, Any]:
    """The options that every step takes over."""
    given = {each.name: getattr(options, each.name) for each in fields(RunOptions)}
    return given | {"json": options.json and options.dry_run}


def _set(
    connection: Connection, options: FilterOptions, rule: Rule, systems: Sequence[str], wanted: Mapping[str, str]
) -> None:
    """Keep the filter in the log, unless the last one says the same."""
    order = replace(order_of(JudgeOrder, options), scheme="rubric")
    settings = order.choice(order.asked.offline(connection)).settings
    asked = [Signature.of(settings, PROGRAM).asked]
    before = filters(connection)
    kept = rule_to_json(rule)
    if before and (dict(before[-1].rule), list(before[-1].systems), list(before[-1].signatures)) == (
        kept,
        list(systems),
        asked,
    ):
        if wanted.items() <= before[-1].candidates.items():
            return
        wanted = {**before[-1].candidates, **wanted}
    BuildLog(connection, reviewer(options)).filter(kept, systems, asked, wanted, options.model)


def _as_json(each: Candidate, outcome: Outcome, under: Mapping[str, Any]) -> dict[str, Any]:
    known = None not in outcome.failed.values()
    return {
        "key": each.key,
        "article": each.article_id,
        "state": outcome.state,
        "why": outcome.why,
        "points": len(outcome.points),
        "needed": outcome.needed,
        "failed": dict(outcome.failed),
        "owed": dict(outcome.owed),
        "no_translation": outcome.no_translation,
        "filter": under,
        "exceptions": exemptions_json(each),
        "failed_by_all": [point.number for point in outcome.points if point.by_all] if known else None,
        "failed_by_none": [point.number for point in outcome.points if point.by_none] if known else None,
        "by_point": {
            point.number: {"failed": point.failed_by, "unknown": point.unknown_by} for point in outcome.points
        },
    }


def _print(chosen: Sequence[Candidate], found: Mapping[str, Outcome]) -> None:
    systems = list(dict.fromkeys(system for each in chosen for system in found[each.key].failed))
    heads = ["candidate", "points", *systems, "by all", "by none", "outcome"]
    rows = []
    for each in chosen:
        outcome = found[each.key]
        marked = (sum(point.by_all for point in outcome.points), sum(point.by_none for point in outcome.points))
        known = None not in outcome.failed.values()
        shown = [*(outcome.count_of(system) for system in systems), *(str(n) if known else "–" for n in marked)]
        rows.append([each.key, str(len(outcome.points)), *shown, outcome.state.replace("_", " ")])
    for line in table(heads, rows, right=range(1, len(heads) - 1)):
        say(line)
    for each in chosen:
        outcome = found[each.key]
        if outcome.state not in ("stays", "easy"):
            say(f"  {each.key}: {outcome.why}")
        for system in outcome.no_translation if outcome.state != "no_translation" else ():
            say(f"  {each.key}: {system}: {outcome.said_of(system)}")
    print_exemptions(chosen)
    counts = Counter(outcome.state for outcome in found.values())
    said = ", ".join(f"{counts[state]:,} {state.replace('_', ' ')}" for state in STATES if counts[state])
    ended = counts["stays"] + counts["easy"] + counts["cannot_pass"]
    say(f"{counted(len(chosen), 'candidate')}: {said}{_rate(counts['stays'], ended)}")


def _rate(stay: int, ended: int) -> str:
    """Say which share of the candidates that are through the filter stays, with its interval."""
    if not ended:
        return ""
    from discox_tui.reports.render.layout import CONFIDENT, ends
    from judges.stats.intervals import wilson

    interval = ends(wilson(stay / ended, ended, "Wilson"), ".0%")
    return f"; {stay / ended:.0%} of the {ended:,} that came to an end stay ({CONFIDENT} {interval})"


def _print_points(each: Candidate, outcome: Outcome) -> None:
    texts = {point.number: point.term or point.text for point in each.version.points}
    rows = [[str(point.number), _mark(point), texts[point.number][:LONGEST]] for point in outcome.points]
    say()
    for line in table([each.key, "", ""], rows, right=(0,)):
        say(line)


def _mark(point: PointOutcome) -> str:
    if point.by_all:
        return "every system fails it"
    if point.by_none:
        return "no system fails it"
    failed = [f"{', '.join(point.failed_by)} {'fails' if len(point.failed_by) == 1 else 'fail'} it"]
    owed = [f"not known of {', '.join(point.unknown_by)}"]
    return "; ".join((failed if point.failed_by else []) + (owed if point.unknown_by else []))
