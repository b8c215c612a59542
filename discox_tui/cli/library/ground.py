"""``discox ground``: locate errors in the library's texts, by the program or by a model, or in a file of cases."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from discox_tui.cli.core.options import JsonOptions
from discox_tui.cli.core.output import fail, json_text, note, progress_line
from discox_tui.cli.core.session import is_hiding, library
from discox_tui.cli.judge.options import GroundOptions, RunOptions
from discox_tui.cli.library.place_changes import change_lines, changes_json
from storage.base.errors import StorageError


def ground(options: GroundOptions) -> int:
    """Locate every error that the present method has not seen yet; with a file of cases, print one line a case."""
    if options.provider or options.preset or options.model:
        if not ((options.provider or options.preset) and options.model):
            return fail("--provider and --model go together: who is asked (--preset does, too), and which model", 2)
        if options.cases:
            return fail("a file of cases is for the program's own method; leave --provider and --model out", 2)
        if options.quiet:
            return fail("what a model is asked is not done in silence; leave --quiet out", 2)
        from discox_tui.cli.library.asked_places import ask_for_places

        return ask_for_places(options)
    if typed := _for_models_only(options):
        return fail(f"--{typed.replace('_', '-')} goes with --provider and --model; without them nobody is asked", 2)
    if options.cases:
        return _predict(Path(options.cases))
    from judges.grounding import METHOD
    from storage.record.groundings import ground_pending

    with library(options, discreet=True) as connection:
        hiding = is_hiding(connection, options)  # how many a judge judged is hidden as well
        silent = options.quiet or hiding
        show = (lambda done, of: None) if silent else progress_line("locating errors in evaluation")
        changed = ground_pending(connection, connection.path, show)
    if options.json:
        print(json_text({"method": METHOD} | changes_json(None if hiding else changed)))
    elif not options.quiet:
        what = "all evaluations" if hiding else f"{changed.evaluations:,} evaluations"
        note(f"located the errors of {what}; verdicts were not touched")
        for line in [] if hiding else change_lines(changed):
            note(line)
    return 0


def _for_models_only(options: GroundOptions) -> str:
    """Return the name of an option that was typed and says how a model is asked, "" for none."""
    own = {part.name for part in fields(JsonOptions)}
    asked = {part.name: part.default for part in fields(RunOptions) if part.name not in own} | {"words": ()}
    return next((name for name, default in asked.items() if getattr(options, name) not in ("", default)), "")


def _predict(path: Path) -> int:
    from judges.grounding.ground import predict

    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        predictions = list(predict(data))
    except (OSError, ValueError, RecursionError) as error:
        raise StorageError(f"{path}: cannot be read as JSON ({error}); name a file of grounding cases") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise StorageError(
            f'{path}: is not laid out as grounding cases ({error!r}); it needs "documents" and "cases"'
        ) from None
    for prediction in predictions:
        print(json_text(prediction, indent=None))
    return 0
