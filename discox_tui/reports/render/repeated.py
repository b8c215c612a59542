"""Repeated judgements in words and for programs; apart, as leaderboards and pairwise consistency both say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discox_tui.text.counts import counted
from judges.ranking.repeated_judgements import FEWEST

if TYPE_CHECKING:
    from judges.ranking.repeated_judgements import Repeated


def repeated_in_words(repeated: Repeated) -> list[str]:
    """Return what scores of repeated judgements rest on: how many samples, what was left out, what is a plain mean."""
    numbers = "; ".join(f"{counted(n, 'translation')} of {samples}" for samples, n in repeated.usable.items())
    said = [
        "Samples of a translation make one score, weighed by 1 / rank from the best; usable samples: "
        f"{numbers or 'none'}."
    ]
    if repeated.outliers:
        said.append(f"Left out: {counted(repeated.outliers, 'sample')} beyond 2 standard deviations of the mean.")
    if repeated.failed:
        said.append(f"Left out: {counted(repeated.failed, 'sample')} of which a judge failed.")
    if repeated.plain:
        said.append(f"Plain mean: {counted(repeated.plain, 'translation')} with fewer than {FEWEST} usable samples.")
    return said


def repeated_as_json(repeated: Repeated) -> dict[str, Any]:
    """Return the same as what `json.dumps` takes."""
    usable = [{"samples": samples, "translations": n} for samples, n in repeated.usable.items()]
    return {"usable": usable, **{name: getattr(repeated, name) for name in ("outliers", "failed", "plain")}}
