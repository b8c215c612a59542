"""Words on the pack of ``discox judge --examples``; a module of its own, as the JSON and the lines say the same."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from discox_tui.cli.core.output import say
from discox_tui.text.counts import counted
from judges.metric_s.protocol.few_shot import FewShotSet


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
