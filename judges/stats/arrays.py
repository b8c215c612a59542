"""Types of arrays, and a division that may be 0/0; apart, since all other modules of statistics name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Booleans = NDArray[np.bool_]


def matrix(rows: Iterable[Sequence[float]]) -> Floats:
    """Return numbers in rows as one array."""
    import numpy as np

    return np.array(list(rows), dtype=float)


def share(numerators: Floats, denominators: Floats) -> Floats:
    """Elementwise numerators / denominators, NaN where it would be 0/0: of resamples, never a figure."""
    import numpy as np

    nothing = np.full(np.broadcast(numerators, denominators).shape, np.nan)
    shares: Floats = np.divide(numerators, denominators, out=nothing, where=np.asarray(denominators) > 0)
    return shares
