"""The measures by which two metrics can be told apart, computed for many versions of a metric at once.

At segment level a measure is made of what adds up over articles (``summands``), at system level it is that of one
column of means; both end in ``finish``. A value that is 0/0 is NaN here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from judges.meta_eval.pair_counts import Rule, tally, terms
from judges.stats.arrays import share
from judges.stats.correlation import pearsons
from judges.stats.numerics import FINE, comparable, fine, snapped

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

Measure = Literal[Rule, "kendall_tau_b", "pearson"]
"""A rule for ties, Kendall's tau-b over the same pairs, or Pearson's r (at segment level its mean within articles)."""
MEASURES: tuple[Measure, ...] = get_args(Measure)


def summands(measure: Measure, human: Floats, metric: Floats) -> Floats:
    """Return what each column contributes (parts × …): scores are systems × …, NaN where missing."""
    import numpy as np

    if measure != "pearson":
        return tally(comparable(human), comparable(metric))
    r = pearsons(*np.broadcast_arrays(human, metric))
    return np.stack([np.nan_to_num(r), np.isfinite(r)])


def finish(measure: Measure, sums: Floats) -> Floats:
    """Return the measure (…) from sums of what columns contribute (parts × …); NaN where it is undefined."""
    import numpy as np

    if measure == "pearson":
        return share(*sums)
    if measure == "kendall_tau_b":
        con, dis, human, metric, _ = sums
        untied = np.sqrt((con + dis + metric) * (con + dis + human))
        return share(con - dis, untied)
    return share(*terms(measure, *sums))


def means(scores: Floats) -> Floats:
    """Return the mean of each system (systems × … × articles to systems × …) over the articles it has; else NaN."""
    import numpy as np

    known = np.isfinite(scores)
    return share(snapped(fine(np.where(known, scores, 0)), -1).sum(axis=-1), known.sum(axis=-1)) / FINE
