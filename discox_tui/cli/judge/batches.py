"""``discox judge --batch`` and ``--batch-status``: what is under way at the provider, and the next round."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from functools import partial
from typing import Any

from discox_tui.cli.core.output import fail, json_text, say
from discox_tui.cli.judge import progress
from discox_tui.cli.judge.options import JudgeOptions
from discox_tui.runs.batching import Batching, Round, Standing, forget, standing_line
from discox_tui.runs.judging import Judging
from discox_tui.text.counts import counted
from judges.providers.batch import Batches
from judges.providers.model import NotAnswered


def run(options: JudgeOptions, batching: Batching[Any], made: str, currency: str) -> dict[str, Any]:
    """Collect what is ready, go on with it, hand in the rest; with ``--wait`` until nothing is left.

    ``made``: what is being done ("judged").
    """

    def on_round(done: Round) -> None:
        progress.take_away()
        for each in (*done.looked_at, *done.handed_in):
            if not options.json:
                say(standing_line(each))

    judging = batching.judging
    rounds = progress.until_done(
        partial(batching.rounds, on_round=on_round, wait=options.wait, poll=options.poll),
        made,
        judging.progress,
        judging.spending,
        currency,
    )
    waiting = rounds[-1].open if rounds else 0
    if waiting and not options.json:
        say(f"{counted(waiting, 'batch', 'batches')} open; the same command collects what is ready and goes on")
    return {"open_batches": waiting, "handed_in": sum(len(each.handed_in) for each in rounds)}


def status(options: JudgeOptions, judging: Judging, provider: Batches) -> int:
    """Print how far the open batches are; nothing is collected."""

    async def look() -> list[Standing]:
        try:
            return await Batching.of(judging, provider).look(settle=False)
        finally:
            await provider.close()

    try:
        found = asyncio.run(look())
    except NotAnswered as problem:
        return fail(str(problem))
    if options.json:
        print(json_text([_json(each) for each in found]))
        return 0
    for each in found:
        say(f"since {each.at}: {standing_line(each)}")
    if not found:
        say("no batch is open")
    return 0


def forgotten(options: JudgeOptions, judging: Judging) -> int:
    """Give up the open batches and print what each of them was."""
    given_up = forget(judging)
    if options.json:
        kept = [
            {"batch": each.remote, "since": each.at, "requests": each.requests, "state": each.state}
            for each in given_up
        ]
        print(json_text(kept))
        return 0
    for each in given_up:
        name = each.remote or "(perhaps not handed in)"
        say(f"since {each.at}: batch {name}: {counted(each.requests, 'request')} given up")
    if given_up:
        say("what they would bring is not collected any more, though the provider may work them off and charge for it")
    else:
        say("no batch is open")
    return 0


def _json(each: Standing) -> dict[str, Any]:
    state = {name: value for name, value in asdict(each.state).items() if name in ("state", "answered", "failed")}
    batch = {"batch": each.remote, "since": each.at, "requests": each.requests}
    return {**batch, **state, "reason": each.state.reason or None}
