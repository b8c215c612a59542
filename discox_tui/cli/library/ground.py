"""``discox ground``: locate errors in the library's texts, or in a file of cases for scoring the method."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from discox_tui.cli.core.options import LibraryOptions, argument, flag
from discox_tui.cli.core.output import json_text, note, progress_line
from discox_tui.cli.core.session import is_hiding, library
from storage.base.errors import StorageError


@dataclass(frozen=True, kw_only=True)
class GroundOptions(LibraryOptions):
    """Options of ``discox ground``."""

    cases: str | None = argument(
        nargs="?", metavar="CASES.json", help="print predictions for a file of grounding cases"
    )
    quiet: bool = flag("--quiet", "say nothing")


def ground(options: GroundOptions) -> int:
    """Locate every error that the present method has not seen yet; with a file of cases, print one line a case."""
    if options.cases:
        return _predict(Path(options.cases))
    from storage.record.groundings import ground_pending

    with library(options, discreet=True) as connection:
        hiding = is_hiding(connection, options)  # how many a judge judged is hidden as well
        silent = options.quiet or hiding
        show = (lambda done, of: None) if silent else progress_line("locating errors in evaluation")
        done = ground_pending(connection, connection.path, show)
    if not options.quiet:
        what = "all evaluations" if hiding else f"{done:,} evaluations"
        note(f"located the errors of {what}; verdicts were not touched")
    return 0


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
