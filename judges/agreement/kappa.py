"""Chance-corrected agreement of two raters over categories declared beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Weighting = Literal["nominal", "linear", "quadratic"]
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)


def weighted_kappa(table: Sequence[Sequence[int]], weighting: Weighting = "nominal") -> float | None:
    """Cohen's (1960, 1968) kappa, 1 - observed / expected disagreement, at most 1.

    ``table[i][j]`` counts what one rater put in category i and the other in j, over all *declared* categories in
    their order: a level nobody used still sets the distance between its neighbours. Disagreement weighs 1
    (nominal), |i - j| (linear) or (i - j)² (quadratic). None where no disagreement is to be expected by chance:
    an empty table, or both raters in one and the same category throughout.
    """
    import numpy as np

    counts = _square(table)
    distance = abs(np.subtract.outer(np.arange(len(counts)), np.arange(len(counts))))
    weights = {"nominal": np.minimum(distance, 1), "linear": distance, "quadratic": distance**2}[weighting]
    expected = int((weights * np.outer(counts.sum(axis=1), counts.sum(axis=0))).sum())
    return 1 - int(counts.sum()) * int((weights * counts).sum()) / expected if expected else None


def observed_agreement(table: Sequence[Sequence[int]]) -> float | None:
    """The share on the diagonal, in [0, 1]; None for an empty table."""
    counts = _square(table)
    total = int(counts.sum())
    return int(counts.trace()) / total if total else None


def _square(table: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    import numpy as np

    counts = np.array(table, dtype=np.int64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise ValueError("not a square table of counts")
    return counts
