"""``discox translate``: a model translates the articles, and becomes a system whose texts can be judged."""

from __future__ import annotations

from functools import partial

from discox_tui.cli.core.output import fail, json_text, note, say
from discox_tui.cli.core.session import library
from discox_tui.cli.judge import progress as running
from discox_tui.cli.judge import settings
from discox_tui.cli.judge.options import TranslateOptions
from discox_tui.cli.judge.summary import estimated, exit_code, say_estimate, say_sums, sums
from discox_tui.runs.budget import Spending
from discox_tui.runs.orders import TranslateOrder
from discox_tui.runs.translating import Translating
from discox_tui.runs.workers import Progress
from judges.providers.registry import provider_names
from storage.db.run_lock import only_run


def translate(options: TranslateOptions) -> int:
    """Translate the chosen articles, or say what that would take."""
    if wrong := settings.nobody(options):
        return fail(wrong, 2)
    if options.provider == "replay":
        known = " or ".join(provider_names())
        return fail(f"translations are stored as they come, so there is nothing to replay; name {known}", 2)
    return exit_code(made(options))


def made(options: TranslateOptions, budget: list[Spending] | None = None) -> Progress:
    """Translate the chosen articles, or say what that would take; return how far that came."""
    order = settings.order_of(TranslateOrder, options)
    known = order.known_prices()
    spent = settings.spending(order, known, runs=budget)
    currency = known.currency if known else ""
    with library(options) as connection:
        asked = order.asked
        wanted = order.translations(connection, asked.offline(connection))
        translating = Translating(connection, 0, wanted, spent)
        for remark in asked.remarks():
            note(f"discox: {remark}")
        if options.dry_run:
            _dry_run(options, translating, currency)
            return translating.progress
        progress = translating.progress
        progress.of = sum(1 for _ in wanted.work(connection))
        if progress.of:
            with only_run(connection.path, translating.lock):
                _run(options, order, translating, currency)
        if options.json:
            report = {"run": translating.run_id or None, "system": wanted.system}
            report |= sums(progress, spent, currency) | {"without_translation": translating.useless}
            print(json_text(report))
        elif progress.of:
            say_sums("article", f"translated by {wanted.system}", progress, spent, currency)
            for article, why in translating.useless.items():
                say(f"  article {article}: {why}; --retry-failed asks again")
        else:
            say(f"{wanted.system} has a translation of every article that was chosen; another --system makes others")
    return progress


def _run(options: TranslateOptions, order: TranslateOrder, translating: Translating, currency: str) -> None:
    live = partial(translating.live, order.asked.connect(), order.policy)
    translating.begin(settings.on_record(order, options))
    running.until_done(live, "translated", translating.progress, translating.spending, currency)


def _dry_run(options: TranslateOptions, translating: Translating, currency: str) -> None:
    from discox_tui.runs.dry_run import rehearse_translating

    estimate = rehearse_translating(translating.connection, translating.translations)
    spent = translating.spending
    if options.json:
        print(json_text({"system": translating.translations.system, **estimated(estimate, spent, currency)}))
    else:
        say_estimate("translation", estimate, spent, currency)
