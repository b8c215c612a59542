"""``discox translate``: a model translates the articles, and becomes a system whose texts can be judged."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from discox_tui.cli import running
from discox_tui.cli.money import prices
from discox_tui.cli.output import fail, json_text, say
from discox_tui.cli.session import library
from discox_tui.runs.asking import Asked
from discox_tui.runs.judging import PROGRAM
from discox_tui.runs.translating import Translating, Translations
from discox_tui.runs.workers import Progress
from judges.metric_s.prompting import Prompts
from storage import runs
from storage.connection import transaction
from storage.prompt_files import read_translation_prompt


def translate(options: argparse.Namespace) -> int:
    """Translate the chosen articles, or say what that would take."""
    if options.provider == "replay":
        return fail("translations are stored as they come, so there is nothing to replay; name openai or gemini")
    known = prices(options)
    spent = running.spending(options, known)
    currency = known.currency if known else ""
    with library(options) as connection:
        asked = Asked(options.provider, options.model, options.base_url, options.key_env)
        whom = asked.offline(connection)
        wanted = Translations(
            options.system,
            whom.name,
            whom.server,
            options.model,
            running.parameters(options),
            read_translation_prompt(Path(options.prompt)) if options.prompt else Prompts.built_in(),
            options.sample,
            tuple(options.article),
            options.retry_failed,
        )
        if options.dry_run:
            from discox_tui.runs.rehearsing import rehearse_translating

            estimate = rehearse_translating(connection, wanted)
            if options.json:
                print(json_text({"system": options.system, **running.estimated(estimate, spent.price, currency)}))
            else:
                running.say_estimate("translations", estimate, spent.price, currency)
            return 0
        progress = Progress(of=sum(1 for _ in wanted.work(connection)))
        translating = Translating(connection, 0, wanted, spent, progress)
        if progress.of:
            provider = asked.connect()
            with transaction(connection):
                kept = running.options_on_record(options)
                translating.run_id = runs.start_run(
                    connection, "translate", whom.name, whom.server, options.model, kept, PROGRAM
                )

            async def live(on_start: Any) -> None:
                translating.on_start = on_start
                await translating.live(provider, running.policy(options))

            running.until_done(live, "translated", progress, spent, currency)
        if options.json:
            report = {"run": translating.run_id or None, "system": options.system}
            report |= running.sums(progress, spent, currency) | {"without_translation": translating.useless}
            print(json_text(report))
        elif progress.of:
            running.say_sums(f"articles translated by {options.system}", progress, spent, currency)
            for article, why in translating.useless.items():
                say(f"  article {article}: {why}; --retry-failed asks again")
        else:
            say(f"{options.system} has a translation of every article that was chosen")
    return 0 if not progress.undone and not progress.problem else 1
