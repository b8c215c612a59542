"""``discox judge --prove``: the errors of what is judged are proved, and what that came to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from discox_tui.cli.core.output import say
from discox_tui.cli.judge import progress as running
from discox_tui.cli.judge.options import JudgeOptions
from discox_tui.cli.judge.summary import say_sums
from discox_tui.runs.judging import Judging
from discox_tui.runs.orders import JudgeOrder
from discox_tui.runs.proving import Proving, to_prove
from judges.metric_s.protocol.signature import Signature
from judges.providers.replay import Replay
from storage.runs import runs


def waiting(judging: Judging) -> int:
    """Return how many evaluations are to be proved."""
    return sum(1 for _ in to_prove(judging.connection, judging.choice))


def way(
    options: JudgeOptions, order: JudgeOrder, judging: Judging, whom: Replay, currency: str
) -> Callable[[], dict[str, Any]]:
    """Return what proves what is not proved yet; ``judging`` has a progress and spending of its own for it.

    Raises StorageError where something that it needs is missing.
    """
    if options.batch:
        from discox_tui.cli.judge import batches

        batching = Proving(judging).batching(order.asked.connect_batches())
        return partial(batches.run, options, batching, "proved", currency)
    provider = whom if order.provider == "replay" else order.asked.connect()
    live = partial(Proving(judging).live, provider, order.policy)

    def run() -> dict[str, Any]:
        running.until_done(live, "proved", judging.progress, judging.spending, currency)
        return {}

    return run


def say_proved(judging: Judging, currency: str) -> None:
    """Print what proving came to."""
    if not judging.progress.of:
        say("nothing is left to prove")
        return
    say_sums("evaluation", "proved", judging.progress, judging.spending, currency)
    if judging.progress.failed:
        say("  errors that were not tried cost what the judge said; --retry-failed asks again")
    for signature in runs.signatures_of(judging.connection, judging.run_id):
        if Signature.parse(signature).proof:
            say(f"signature {signature}")
