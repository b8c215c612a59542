"""``discox judge``: a model judges translations by Metric-S, live, in batches, from the record, or not at all."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from discox_tui.cli.core.output import fail, json_text, note, progress_line, say
from discox_tui.cli.core.session import library
from discox_tui.cli.judge import examples as judge_examples
from discox_tui.cli.judge import progress as running
from discox_tui.cli.judge import proving as judge_proofs
from discox_tui.cli.judge import settings as run_settings
from discox_tui.cli.judge.options import JudgeOptions
from discox_tui.cli.judge.summary import estimated, exit_code, say_estimate, say_sums, sums
from discox_tui.runs.budget import Spending
from discox_tui.runs.judging import PROGRAM, Choice, Judging
from discox_tui.runs.orders import JudgeOrder
from discox_tui.runs.summary import repeated_lines
from discox_tui.runs.workers import Progress
from judges.metric_s.protocol.signature import Signature
from judges.providers.rate_limit import Throttle
from judges.providers.replay import Replay
from storage.base.errors import StorageError
from storage.db.run_lock import only_run
from storage.record.groundings import any_missing, ground_pending
from storage.runs import runs


def judge(options: JudgeOptions) -> int:
    """Judge the chosen translations by each model in turn, or say what that would take.

    All go by one budget. Once a run is told to stop, or the budget is spent, no further one begins.
    """
    models = tuple(dict.fromkeys(options.models))
    if len(models) == 1:
        return judged(replace(options, model=models[0]))
    if wrong := _wrong(options):
        return fail(wrong, 2)
    for model in models:  # before the first is paid for
        order = run_settings.order_of(JudgeOrder, replace(options, model=model))
        order.spending(order.known_prices())
    budget: list[Spending] = []
    throttle = Throttle()
    codes, reports = [], []
    for model in models:
        if any(each.exhausted or each.interrupted for each in budget):
            note(f"{model} was not begun; the same command goes on from here")
            codes.append(1)
            continue
        note(f"{model}:")
        with redirect_stdout(io.StringIO()) if options.json else nullcontext() as said:
            try:
                codes.append(judged(replace(options, model=model), budget, throttle))
            except StorageError as problem:  # such as that another process judges by it: the others can go on
                codes.append(fail(str(problem)))
        if said is not None:
            reports.append({"model": model, "exit_code": codes[-1], "report": json.loads(said.getvalue() or "null")})
    if options.json:
        print(json_text(reports))
    return max(codes)


def judged(options: JudgeOptions, budget: list[Spending] | None = None, throttle: Throttle | None = None) -> int:
    """Judge by one model, as `judge` does.

    ``budget``: the runs that a command of several has had, which share one; ``throttle``: what they found out of the
    server's pace.
    """
    if wrong := _wrong(options):
        return fail(wrong, 2)
    order = run_settings.order_of(JudgeOrder, options)
    known = order.known_prices()
    currency = known.currency if known else ""
    budget = [] if budget is None else budget
    spent = run_settings.spending(order, known, batch=options.batch, runs=budget)
    with library(options) as connection:
        asked = order.asked
        whom = asked.offline(connection)
        choice = order.choice(whom, note)
        before = choice.count(connection)
        judging = Judging(connection, 0, choice, spent, Progress(of=_to_do(options, before)), throttle or Throttle())
        for remark in choice.remarks(connection):
            note(remark)
        if options.provider != "replay":
            for remark in asked.remarks():
                note(f"discox: {remark}")
        if options.check:
            return _check(options, order, judging, currency)
        if options.dry_run:
            return _dry_run(options, judging, before, currency)
        if options.batch_status:
            from discox_tui.cli.judge.batches import status

            return status(options, judging, asked.connect_batches())
        if options.batch_forget:
            from discox_tui.cli.judge.batches import forgotten

            with only_run(connection.path, judging.lock):
                return forgotten(options, judging)
        if judging.progress.of:
            with only_run(connection.path, judging.lock):
                run = _way(options, order, judging, whom, currency)  # whatever that needs (a key) is there
                judging.begin(run_settings.on_record(order, options))
                more = run()
        else:
            more = {}
        progress = judging.progress
        spent.interrupted = progress.interrupted
        if not options.json:
            _say(judging, before, currency)
        proving, proofs = None, {}
        if options.prove and not (judging.progress.problem or judging.progress.interrupted):
            left = order.spending(known, batch=options.batch, earlier=tuple(budget))
            proving = Judging(connection, judging.run_id, choice, left, throttle=judging.throttle)
            budget.append(left)
            proving.progress.of = judge_proofs.waiting(proving)
            if proving.progress.of:
                with only_run(connection.path, proving.lock):
                    prove = judge_proofs.way(options, order, proving, whom, currency)
                    if not proving.run_id:
                        proving.begin(run_settings.on_record(order, options))
                        judging.run_id = proving.run_id
                    proofs = prove()
            if not options.json:
                judge_proofs.say_proved(proving, currency)
        if not options.no_ground and any_missing(connection):  # of this run, or of one that was killed before it did
            ground_pending(connection, connection.path, progress_line("locating errors in evaluation"))
        if options.json:
            signatures = runs.signatures_of(connection, judging.run_id)
            report = {"run": judging.run_id or None, "signature": _signature(choice), "signatures": signatures}
            report |= judge_examples.as_json(choice.settings.examples)
            proved = {"proving": sums(proving.progress, proving.spending, currency) | proofs} if proving else {}
            print(json_text(report | {"before": asdict(before)} | sums(progress, spent, currency) | more | proved))
    ended = [progress, proving.progress] if proving else [progress]
    # Of a run in which a judge failed in everything no score came. A replay repeats failures as well as anything.
    in_vain = options.provider != "replay" and any(each.failed > 0 == each.done for each in ended)
    return max(map(exit_code, ended)) or int(in_vain)


def _wrong(options: JudgeOptions) -> str:
    """Return what is missing or does not go together, "" where all is right."""
    if wrong := run_settings.nobody(options):
        return wrong
    if options.provider == "replay" and (options.batch_status or options.batch_forget):
        return "a replay asks nobody, so there are no batches; leave --batch out"
    if options.batch_forget and (options.batch or options.batch_status or options.dry_run):
        return "--batch-forget goes alone; what it would give up is what --batch-status lists"
    if options.wait and not options.batch:
        return "--wait goes with --batch"
    if options.prove and (options.batch_status or options.batch_forget):
        return "--prove goes with --batch, and not with what only looks at batches; leave --prove out"
    if options.check and (options.provider == "replay" or _instead(options)):
        return "--check asks one question and goes alone, without --dry-run, --batch… and replay"
    return run_settings.order_of(JudgeOrder, options).wrong


def _instead(options: JudgeOptions) -> bool:
    """Say whether something else than judging at once is wanted."""
    return options.dry_run or options.prove or options.batch or options.batch_status or options.batch_forget


def _check(options: JudgeOptions, order: JudgeOrder, judging: Judging, currency: str) -> int:
    from discox_tui.cli.judge import check
    from discox_tui.runs.checking import longest_question

    question = asyncio.run(longest_question(judging.connection, judging))
    with only_run(judging.connection.path, judging.lock):
        order.asked.connect()  # a key that is missing is said before a run is noted
        judging.begin(run_settings.on_record(order, options))
        return check.run(options, order, judging, question, currency)


def _signature(choice: Choice) -> str:
    """Return the part of the signature that is known before anything is asked."""
    return Signature.of(choice.settings, PROGRAM).text


def _to_do(options: JudgeOptions, before: runs.Progress) -> int:
    if options.provider == "replay":
        return before.to_do + before.failed + before.done
    return before.to_do + (before.failed if options.retry_failed else 0)


def _way(
    options: JudgeOptions, order: JudgeOrder, judging: Judging, whom: Replay, currency: str
) -> Callable[[], dict[str, Any]]:
    """Return what does the run. Raises StorageError where something that it needs is missing."""
    if options.provider == "replay":
        return partial(_replay, options, judging, whom)
    if options.batch:
        from discox_tui.cli.judge import batches
        from discox_tui.runs.batching import Batching

        batching = Batching.of(judging, order.asked.connect_batches())
        return partial(batches.run, options, batching, "judged", currency)
    live = partial(judging.live, order.asked.connect(), order.policy)

    def run() -> dict[str, Any]:
        running.until_done(live, "judged", judging.progress, judging.spending, currency)
        return {}

    return run


def _replay(options: JudgeOptions, judging: Judging, whom: Replay) -> dict[str, Any]:
    found = running.until_done(partial(judging.replay, whom), "repeated", judging.progress, Spending(), "")
    missing = [
        {"article": article, "system": system, "sample": sample, "missing": why}
        for (article, system, sample), why in found.missing.items()
    ]
    if not options.json:
        for line in repeated_lines(found):
            say(line)
    return {"same": found.same, "other": found.other, "new": found.new, "missing": missing}


def _say(judging: Judging, before: runs.Progress, currency: str) -> None:
    progress = judging.progress
    if not progress.of:
        say(_nothing_to_do(before, judging.choice.retry_failed))
        return
    say_sums("translation", "judged", progress, judging.spending, currency)
    if progress.failed:
        say("  a failed judge claims no score; --retry-failed asks again")
    if pack := judging.choice.settings.examples:
        judge_examples.print_examples(pack)
    for signature in runs.signatures_of(judging.connection, judging.run_id):
        say(f"signature {signature}")


def _nothing_to_do(before: runs.Progress, retried: bool) -> str:
    if not before.done + before.failed + before.no_translation:
        return "there is no translation to judge; import some, or make them with `discox translate`"
    failed = "" if retried or not before.failed else f"; {before.failed:,} have a failed judge, see --retry-failed"
    missing = f"; {before.no_translation:,} have no text" if before.no_translation else ""
    return f"nothing is left to do: {before.done:,} are judged{failed}{missing}"


def _dry_run(options: JudgeOptions, judging: Judging, before: runs.Progress, currency: str) -> int:
    from discox_tui.runs.dry_run import rehearse_judging

    choice, spent = judging.choice, judging.spending
    estimate = asyncio.run(rehearse_judging(judging.connection, choice, proving=options.prove))
    if options.json:
        report = {"signature": _signature(choice), "before": asdict(before)}
        report |= judge_examples.as_json(choice.settings.examples, estimate.shown)
        print(json_text(report | estimated(estimate, spent, currency)))
    elif estimate.pieces or estimate.proved:
        say_estimate("evaluation", estimate, spent, currency)
        if choice.settings.examples:
            judge_examples.print_examples(choice.settings.examples, estimate.shown)
        say(f"signature {_signature(choice)}")
        if options.prove:
            say(f"signature {Signature.of(choice.settings, PROGRAM).proved(choice.settings).text}")
    else:
        say(_nothing_to_do(before, options.retry_failed))
    return 0
