"""``discox judge``: a model judges translations by Metric-S, live, in batches, from the record, or not at all."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discox_tui.cli import running
from discox_tui.cli.money import prices
from discox_tui.cli.output import fail, json_text, note, progress_line, say
from discox_tui.cli.session import library
from discox_tui.runs.asking import Asked
from discox_tui.runs.judging import PROGRAM, Choice, Judging, Repeated
from discox_tui.runs.spending import Spending
from discox_tui.runs.workers import Progress
from judges.metric_s.prompting import Prompts
from judges.metric_s.protocol import SCHEMES, Settings
from judges.metric_s.signature import Signature
from judges.providers.model import NotAnswered, Provider
from storage import runs
from storage.connection import Connection, transaction
from storage.prices import Prices
from storage.prompt_files import read_prompts

if TYPE_CHECKING:
    from judges.providers.batch import Batches


def judge(options: argparse.Namespace) -> int:
    """Judge the chosen translations, or say what that would take."""
    if options.provider == "replay" and (options.batch or options.batch_status):
        return fail("a replay asks nobody, so there are no batches; leave --batch out")
    if options.retry_failed and options.batch:
        return fail("--retry-failed asks at once; leave --batch out")
    if options.wait and not options.batch:
        return fail("--wait goes with --batch")
    known = prices(options)
    spent = running.spending(options, known, batch=options.batch)
    with library(options) as connection:
        asked = Asked(options.provider, options.model, options.base_url, options.key_env)
        choice = _choice(options, asked, connection)
        if options.dry_run:
            return _dry_run(options, connection, choice, spent, known)
        if options.batch_status:
            return _batch_status(options, connection, choice, asked)
        before = choice.count(connection)
        progress = Progress(of=_to_do(options, before))
        code, report = _run(options, connection, choice, asked, Judging(connection, 0, choice, spent, progress), known)
        if not options.no_ground and progress.done + progress.failed:
            from storage.groundings import ground_pending

            ground_pending(connection, connection.path, progress_line("locating errors in evaluation"))
        if options.json:
            signature = Signature.of(choice.settings, PROGRAM).text
            print(json_text({"signature": signature, "before": asdict(before), **report}))
    return code


def _choice(options: argparse.Namespace, asked: Asked, connection: Connection) -> Choice:
    whom = asked.offline(connection)
    prompts = read_prompts(Path(options.prompts)) if options.prompts else Prompts.built_in()
    scheme = next(scheme for scheme in SCHEMES if scheme == options.scheme.replace("-", "_"))
    settings = Settings(
        whom.name, whom.server, options.model, running.parameters(options), scheme, options.explain_in, prompts
    )
    return Choice(settings, options.samples, tuple(options.system), tuple(options.article), options.retry_failed)


def _to_do(options: argparse.Namespace, before: runs.Progress) -> int:
    if options.provider == "replay":
        return before.to_do + before.failed + before.done
    return before.to_do + (before.failed if options.retry_failed else 0)


def _run(
    options: argparse.Namespace,
    connection: Connection,
    choice: Choice,
    asked: Asked,
    judging: Judging,
    known: Prices | None,
) -> tuple[int, dict[str, Any]]:
    settings, progress, spent = choice.settings, judging.progress, judging.spending
    currency = known.currency if known else ""
    if not progress.of:
        if not options.json:
            say(_nothing_to_do(choice.count(connection), options.retry_failed))
        return 0, {"run": None, **running.sums(progress, spent, currency)}
    run = _way(options, connection, asked, judging, currency)
    with transaction(connection):
        kept = running.options_on_record(options)
        judging.run_id = runs.start_run(
            connection, "judge", settings.provider, settings.server, settings.model, kept, PROGRAM
        )
    extra = run()
    if not options.json:
        running.say_sums("translations judged", progress, spent, currency)
        if progress.failed:
            say("  a failed judge claims no score; --retry-failed asks again")
        say(f"signature {Signature.of(settings, PROGRAM).text}")
    done = not progress.undone and not progress.problem
    return 0 if done else 1, {"run": judging.run_id, **running.sums(progress, spent, currency), **extra}


def _way(
    options: argparse.Namespace, connection: Connection, asked: Asked, judging: Judging, currency: str
) -> Callable[[], dict[str, Any]]:
    """Return what does the run; whatever it needs (a key) is there. What it returns is its part of the report."""
    if options.provider == "replay":
        return lambda: _replay(options, connection, asked, judging)
    if options.batch:
        batches = asked.connect_batches()
        return lambda: _batches(options, batches, judging, currency)
    provider = asked.connect()
    return lambda: _live(options, provider, judging, currency)


def _live(options: argparse.Namespace, provider: Provider, judging: Judging, currency: str) -> dict[str, Any]:
    async def live(on_start: Any) -> None:
        judging.on_start = on_start
        await judging.live(provider, running.policy(options))

    running.until_done(live, "judged", judging.progress, judging.spending, currency)
    return {}


def _nothing_to_do(before: runs.Progress, retried: bool) -> str:
    if not before.done + before.failed + before.no_translation:
        return "there is no translation to judge; import some, or make them with `discox translate`"
    failed = "" if retried or not before.failed else f"; {before.failed:,} have a failed judge, see --retry-failed"
    return f"nothing is left to do: {before.done:,} are judged{failed}"


# --- Replay ------------------------------------------------------------------------------------------------------


def _replay(options: argparse.Namespace, connection: Connection, asked: Asked, judging: Judging) -> dict[str, Any]:
    found: Repeated = running.until_done(
        lambda on_start: _replayed(judging, asked, connection, on_start), "repeated", judging.progress, Spending(), ""
    )
    missing = [
        {"article": article, "system": system, "sample": sample, "missing": why}
        for (article, system, sample), why in found.missing.items()
    ]
    if not options.json:
        say(f"{found.same:,} came out as they are stored, {found.other:,} otherwise, {found.new:,} are new")
        for each in missing:
            say(f"  missing: article {each['article']}, {each['system']}, sample {each['sample']}: {each['missing']}")
    return {"same": found.same, "other": found.other, "new": found.new, "missing": missing}


async def _replayed(judging: Judging, asked: Asked, connection: Connection, on_start: Any) -> Repeated:
    judging.on_start = on_start
    return await judging.replay(asked.offline(connection))


# --- Batches -----------------------------------------------------------------------------------------------------


def _batches(options: argparse.Namespace, provider: Batches, judging: Judging, currency: str) -> dict[str, Any]:
    from discox_tui.runs.batching import Batching, Round

    batching = Batching(judging, provider)
    rounds: list[Round] = []

    async def go_on(on_start: Any) -> None:
        stopped = asyncio.Event()
        on_start(stopped.set)
        judging.on_start = on_start
        try:
            while not stopped.is_set():
                judging.progress.undone.clear()
                rounds.append(await batching.go_on())
                if not options.json:
                    for each in (*rounds[-1].looked_at, *rounds[-1].handed_in):
                        say(_standing(each.remote, each.requests, each.state))
                if not options.wait or not rounds[-1].open or judging.progress.problem:
                    return
                if reason := rounds[-1].in_vain:
                    judging.progress.problem = f"a batch was in vain, so no more are waited for: {reason}"
                    return
                with_patience = asyncio.ensure_future(stopped.wait())
                await asyncio.wait([with_patience], timeout=options.poll)
                with_patience.cancel()
        finally:
            await batching.provider.close()

    try:
        running.until_done(go_on, "judged", judging.progress, judging.spending, currency)
    except NotAnswered as problem:
        judging.progress.problem = str(problem)
    waiting = rounds[-1].open if rounds else 0
    if waiting and not options.json:
        say(f"{waiting:,} batches are open; the same command collects them and hands in the next round")
    return {"open_batches": waiting, "handed_in": sum(len(each.handed_in) for each in rounds)}


def _batch_status(options: argparse.Namespace, connection: Connection, choice: Choice, asked: Asked) -> int:
    from discox_tui.runs.batching import Batching

    async def look() -> list[Any]:
        batching = Batching(Judging(connection, 0, choice, Spending()), asked.connect_batches())
        try:
            return await batching.look(settle=False)
        finally:
            await batching.provider.close()

    try:
        found = asyncio.run(look())
    except NotAnswered as problem:
        return fail(str(problem))
    if options.json:
        print(
            json_text(
                [
                    {
                        "batch": each.remote,
                        "since": each.at,
                        "requests": each.requests,
                        "state": each.state.state,
                        "answered": each.state.answered,
                        "failed": each.state.failed,
                        "reason": each.state.reason or None,
                    }
                    for each in found
                ]
            )
        )
        return 0
    for each in found:
        say(f"since {each.at}: {_standing(each.remote, each.requests, each.state)}")
    if not found:
        say("no batch is open")
    return 0


def _standing(remote: str | None, requests: int, state: Any) -> str:
    reason = f": {state.reason}" if state.reason else ""
    name = remote or "(not handed in)"
    return f"batch {name}: {requests:,} requests, {state.state}, {state.answered:,} answered{reason}"


# --- Dry run -----------------------------------------------------------------------------------------------------


def _dry_run(
    options: argparse.Namespace, connection: Connection, choice: Choice, spent: Spending, known: Prices | None
) -> int:
    from discox_tui.runs.rehearsing import rehearse_judging

    before = choice.count(connection)
    estimate = asyncio.run(rehearse_judging(connection, choice))
    price = spent.price
    currency = known.currency if known else ""
    if options.json:
        report = {"signature": Signature.of(choice.settings, PROGRAM).text, "before": asdict(before)}
        print(json_text(report | running.estimated(estimate, price, currency)))
        return 0
    if not estimate.pieces:
        say(_nothing_to_do(before, options.retry_failed))
        return 0
    running.say_estimate("evaluations", estimate, price, currency)
    if options.prices and price is None:
        note(f"discox: {options.prices} has no price for {options.model}")
    say(f"signature {Signature.of(choice.settings, PROGRAM).text}")
    return 0
