"""``discox judge --examples``: a pack is read whole or refused, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from discox_tui.cli.core.output import note, say
from discox_tui.text.counts import counted
from judges.metric_s.protocol.few_shot import FewShotSet
from storage.base.errors import StorageError
from storage.record.few_shot_sets import pack_of, read_examples

MOST_NAMED = 20
"""Lines without an example that are named one by one."""


def read(path: Path, folds: int) -> FewShotSet:
    """Read the pack, of which nothing may be amiss: the signature says that the judge was shown all of it.

    Raises StorageError where anything is, having named each line on standard error.
    """
    examples, wrong = read_examples(path)
    for line, name, why in wrong[:MOST_NAMED]:
        note(f"{path}:{line}: {name} {why}")
    if wrong:
        raise StorageError(
            f"{path}: {counted(len(wrong), 'line')} of {len(examples) + len(wrong):,} hold no example; nothing was "
            "asked; mend them, or export the pack again"
        )
    return pack_of(path, examples, folds)


def as_json(pack: FewShotSet | None, shown: Sequence[int] = ()) -> dict[str, Any]:
    """Return the examples there are, and how many each evaluation is shown, as a JSON-able object."""
    if pack is None:
        return {}
    plain = {"name": pack.name, "pack": pack.id, "examples": len(pack.examples), "articles": len(pack.articles)}
    return {"examples": plain | {"folds": pack.folds or None} | ({"shown": list(shown)} if shown else {})}


def print_examples(pack: FewShotSet, shown: Sequence[int] = ()) -> None:
    """Print the same."""
    folds = f", cross-fitted in {pack.folds} folds" if pack.folds else ""
    said = f"{counted(len(pack.examples), 'example')} of {counted(len(pack.articles), 'article')}{folds}"
    say(f"examples {pack.name} ({pack.id}): {said}")
    if shown:
        say(f"  {min(shown):,} to {max(shown):,} for each evaluation, {fmean(shown):,.1f} on average")
    if none := shown.count(0):
        say(f"  ! none for {counted(none, 'evaluation')}: of another direction, or the pack holds none but their own")
