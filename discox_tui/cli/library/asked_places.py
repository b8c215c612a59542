"""``discox ground --provider``: a model quotes what the findings of a judge's prose are about, and they are located."""

from __future__ import annotations

from functools import partial

from discox_tui.cli.core.output import fail, first_of, json_text, note, progress_line, say
from discox_tui.cli.core.session import library
from discox_tui.cli.judge import progress as running
from discox_tui.cli.judge.options import GroundOptions
from discox_tui.cli.judge.settings import on_record, order_of, spending
from discox_tui.cli.judge.summary import estimated, exit_code, say_estimate, say_sums, sums
from discox_tui.cli.library.place_changes import change_lines, changes_json
from discox_tui.reports.render.phrases import asked_note
from discox_tui.runs.asking_places import AskingPlaces, PlacesWanted
from discox_tui.runs.dry_run import rehearse_places
from discox_tui.runs.orders import Order
from discox_tui.text.counts import counted
from judges.providers.registry import provider_names
from storage.db.run_lock import only_run
from storage.record.groundings import ground_pending


def ask_for_places(options: GroundOptions) -> int:
    """Ask about every evaluation that this model was not asked about yet, or say what that would take.

    What that takes is said before anything is asked, too.
    """
    if options.provider == "replay":
        known = " or ".join(provider_names())
        return fail(f"what was answered is located already, so there is nothing to replay; name {known}", 2)
    order = order_of(Order, options)
    known_prices = order.known_prices()
    currency = known_prices.currency if known_prices else ""
    spent = spending(order, known_prices)
    with library(options) as connection:
        asked = order.asked
        whom = asked.offline(connection)
        wanted = PlacesWanted(
            provider=whom.name,
            server=whom.server,
            model=options.model,
            parameters=order.parameters,
            words=" ".join(options.words),
            retry_failed=options.retry_failed,
            start=asked.form(whom.server),
        )
        for remark in asked.remarks():
            note(f"discox: {remark}")
        estimate = rehearse_places(connection, wanted)
        if estimate.pieces and not options.json:
            say_estimate("evaluation", estimate, spent, currency)
        elif not options.json:
            say(f"nothing is left to ask: {options.model} was asked about every evaluation of a judge that wrote prose")
        if options.dry_run:
            if options.json:
                print(json_text({"method": wanted.method} | estimated(estimate, spent, currency)))
            return 0
        asking = AskingPlaces(connection, 0, wanted, spent)
        asking.progress.of = estimate.pieces
        if estimate.pieces:
            provider = asked.connect()
            show = progress_line("locating errors in evaluation")
            ground_pending(connection, connection.path, show)  # what is not answered has the places of the prose
            with only_run(connection.path, asking.lock):
                asking.begin(on_record(order, options))
                live = partial(asking.live, provider, order.policy)
                running.until_done(live, "located", asking.progress, spent, currency)
        if options.json:
            print(json_text(_report(asking, currency)))
        elif estimate.pieces:
            _say(asking, currency)
    in_vain = asking.progress.failed > 0 == asking.progress.done
    return exit_code(asking.progress) or int(in_vain)


def _report(asking: AskingPlaces, currency: str) -> dict[str, object]:
    of = asking.verified
    return {
        "run": asking.run_id or None,
        "method": asking.wanted.method,
        **sums(asking.progress, asking.spending, currency),
        "without_places": asking.useless,
        "asked": {
            "findings": of.findings,
            "answered": of.answered,
            "quotes": of.quotes,
            "verified": of.verified,
            "notes": dict(sorted(of.notes.items())),
        },
        "changes": changes_json(asking.changed),
    }


def _say(asking: AskingPlaces, currency: str) -> None:
    say_sums("evaluation", f"located by {asking.wanted.method}", asking.progress, asking.spending, currency)
    kept = [f"  {identity}: {why}; it keeps the places that it had" for identity, why in asking.useless.items()]
    for line in first_of(kept, str):
        say(line)
    if asking.useless:
        say("  --retry-failed asks again")
    of = asking.verified
    answered = f"{of.answered:,} of {counted(of.findings, 'finding')} answered"
    say(f"{answered}; {of.verified:,} of {counted(of.quotes, 'quote')} verified")
    for each, count in sorted(of.notes.items()):
        say(f"  {asked_note(each)}: {counted(count, 'finding')}")
    for line in change_lines(asking.changed):
        say(line)
