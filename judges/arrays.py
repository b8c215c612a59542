"""What arrays are called here, and dividing them where there may be nothing to divide by."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Booleans = NDArray[np.bool_]


def share(numerators: Floats, denominators: Floats) -> Floats:
    """Elementwise numerators / denominators, NaN where it would be 0/0: of resamples, never a figure."""
    import numpy as np

    nothing = np.full(np.broadcast(numerators, denominators).shape, np.nan)
    shares: Floats = np.divide(numerators, denominators, out=nothing, where=np.asarray(denominators) > 0)
    return shares
