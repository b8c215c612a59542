"""Agreement of raters on the same items: observed, and corrected for chance as Cohen, Fleiss, Gwet and Krippendorff do.

Two raters make a square table of counts over the categories that were declared beforehand; any number of them make a
matrix of ratings (raters × units) with gaps. Ratings are numbers or labels; `rating_table` makes the table of two
raters' ratings. A statistic that takes a table also takes a stack of them, as resamples
are, in its `_…s` form, where NaN stands for undefined; what leaves this package has None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from judges.stats.arrays import share
from judges.stats.figure import Figure
from judges.stats.numerics import ROUNDING, comparable, mean, total, total_by, total_in_two

if TYPE_CHECKING:
    from judges.stats.arrays import Booleans, Floats, Integers

Table: TypeAlias = "Sequence[Sequence[int]] | Integers | Floats"
"""``table[i][j]`` counts the items that one rater put in category i and the other in j."""

Label: TypeAlias = "str | float"
"""A category by its name or its number."""

Ratings: TypeAlias = "Sequence[Sequence[Label | None]] | Floats"
"""``ratings[r][u]``: rater r's rating of unit u; None, NaN or infinite where there is none."""

Weighting = Literal["nominal", "linear", "quadratic"]
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]
MEASUREMENTS: tuple[Measurement, ...] = get_args(Measurement)

Credits = Literal["nominal", "ordinal", "linear", "quadratic"]
"""Credit of two different categories as a share of two equal ones, by their places: see `credits_of`."""

NO_UNIT = "no unit has ratings of two raters"
ONE_RATER = "one rater only"
NO_VARIATION = "no variation: all ratings are the same"
ONE_CATEGORY = "one category only: declare all there are"

AT_ONCE = 1_000_000
"""Pairs of values that are compared at once, so that memory stays flat."""


def rating_table(
    first: Sequence[Label | None], second: Sequence[Label | None], categories: Sequence[Label] = ()
) -> list[list[int]]:
    """Return the table of two raters' ratings of the same units, as the kappas take it.

    ``categories``: all that were declared, in their order; () takes those that were used, sorted. A unit without two
    ratings is left out. Raises ValueError for sequences of two lengths and for a rating outside the categories.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} ratings of one rater, {len(second)} of the other")
    both = [(a, b) for a, b in zip(first, second, strict=True) if not (_missing(a) or _missing(b))]
    used = {rating for pair in both for rating in pair if rating is not None}
    declared = categories or sorted(used, key=lambda rating: (isinstance(rating, str), rating))
    code = _codes(declared, used)
    table = [[0] * len(declared) for _ in declared]
    for a, b in both:
        table[code[a]][code[b]] += 1
    return table


def observed_agreement(table: Table) -> float | None:
    """The share on the diagonal, in [0, 1]; None for an empty table."""
    return _defined(observed_agreements(_square(table)))


def weighted_kappa(table: Table, weighting: Weighting = "nominal") -> float | None:
    """Cohen's (1960, 1968) kappa, 1 - observed / expected disagreement, at most 1.

    The table is over all *declared* categories in their order: a level nobody used still sets the distance between
    its neighbours. Disagreement weighs 1 (nominal), |i - j| (linear) or (i - j)² (quadratic). None where no
    disagreement is to be expected by chance: an empty table, or both raters in one and the same category throughout.
    """
    return _defined(weighted_kappas(_square(table), weighting))


def gwet_ac1(table: Table) -> float | None:
    """Gwet's (2008) AC1, (p_o - p_e) / (1 - p_e) with p_e = Σ π(1 - π) / (q - 1) over q declared categories.

    π is a category's mean share over the two raters. At most 1, and steady where nearly all is in one category,
    while kappa collapses. None for an empty table or a single category.
    """
    return _defined(gwet_ac1s(_square(table)))


def observed_agreements(tables: Floats) -> Floats:
    """`observed_agreement` of each table of a stack (… × q × q), NaN where undefined."""
    return share(tables.trace(axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def weighted_kappas(tables: Floats, weighting: Weighting = "nominal") -> Floats:
    """`weighted_kappa` of each table of a stack (… × q × q), NaN where undefined."""
    import numpy as np

    q = tables.shape[-1]
    distance = abs(np.subtract.outer(np.arange(q), np.arange(q)))
    weights = {"nominal": np.minimum(distance, 1), "linear": distance, "quadratic": distance**2}[weighting]
    n, rows, columns = tables.sum(axis=(-2, -1)), tables.sum(axis=-1), tables.sum(axis=-2)
    expected = (rows[..., :, None] * columns[..., None, :] * weights).sum(axis=(-2, -1))
    result: Floats = 1 - share(n * (tables * weights).sum(axis=(-2, -1)), expected)
    return result


def gwet_ac1s(tables: Floats) -> Floats:
    """`gwet_ac1` of each table of a stack (… × q × q), NaN where undefined."""
    q = tables.shape[-1]
    n, used = tables.sum(axis=(-2, -1)), tables.sum(axis=-1) + tables.sum(axis=-2)
    # All is multiplied by 4n²(q - 1), so that counts stay whole numbers up to the one division.
    chance = (used * (2 * n[..., None] - used)).sum(axis=-1)
    agreed = tables.trace(axis1=-2, axis2=-1)
    return share(4 * n * (q - 1) * agreed - chance, 4 * n**2 * (q - 1) - chance if q > 1 else 0 * n)


def percent_agreement(ratings: Ratings, weighting: Credits = "nominal", categories: Sequence[Label] = ()) -> Figure:
    """The mean over units of the credit that two of a unit's raters have, in [0, 1], with ``n`` units that two rated.

    Any number of raters, with gaps; a unit counts once, however many rated it (Gwet 2014). ``categories``: all that
    were declared, in their order; () takes those that were used, numbers in their order, labels only for ``nominal``.
    Undefined where no unit has two ratings. Raises ValueError for labels without an order, where the credit asks for
    one, and for a rating outside the categories given.
    """
    return _of_several(ratings, weighting, categories, lambda sums, credit: percent_agreements(sums))


def fleiss_kappa(ratings: Ratings, weighting: Credits = "nominal", categories: Sequence[Label] = ()) -> Figure:
    """Fleiss' (1971) kappa, (p_a - p_e) / (1 - p_e), at most 1, of `percent_agreement`'s p_a; arguments as there.

    p_e = Σ w_kl π_k π_l, π_k the mean over all rated units of the share of a unit's raters who chose k: so units may
    have different numbers of raters, and ratings gaps (Gwet 2014, chapters 2 and 3). Of two raters it is Scott's pi.
    Undefined also where all ratings are the same.
    """
    return _of_several(ratings, weighting, categories, fleiss_kappas)


def gwet_ac(ratings: Ratings, weighting: Credits = "nominal", categories: Sequence[Label] = ()) -> Figure:
    """Gwet's AC1 (2008), and with any other credit AC2 (2014): (p_a - p_e) / (1 - p_e); arguments as `fleiss_kappa`.

    p_e = T / (q (q - 1)) · Σ π_k (1 - π_k) over q declared categories, T the sum of all credits. Undefined also with a
    single category; where all choose one of several it is 1.
    """
    return _of_several(ratings, weighting, categories, gwet_acs)


def credits_of(q: int, weighting: Credits) -> Floats:
    """Return what each two of q categories agree by (q × q): 1 on the diagonal, down to 0 (Gwet 2014, chapter 3).

    By their distance d: 0 for any (nominal), 1 - d / (q - 1) (linear), its square's likewise (quadratic), and
    1 - C(d + 1, 2) / C(q, 2) (ordinal).
    """
    import numpy as np

    if weighting == "nominal" or q < 2:
        return np.eye(q)
    distance = abs(np.subtract.outer(np.arange(q), np.arange(q)))
    cost = {"linear": distance, "quadratic": distance**2, "ordinal": distance * (distance + 1) // 2}[weighting]
    credit: Floats = 1 - cost / cost.max()
    return credit


def rater_sums(codes: Integers, groups: Integers, q: int, n_groups: int, credit: Floats) -> Floats:
    """Sums by group of units (groups × (2 + q)), which add up: of agreement, of units that two rated, and of shares.

    ``codes`` and ``groups`` as for `coincidences`; ``credit``: q × q. The shares are those of a unit's raters who chose
    each category.
    """
    import numpy as np

    counts = np.stack([(codes == category).sum(axis=0) for category in range(q)], axis=1)
    size = counts.sum(axis=1)
    agreed = total(counts * (total(credit * counts[:, None, :], -1) - 1), -1)
    columns = np.column_stack([share(agreed, size * (size - 1)), size > 1, share(counts, size[:, None])])
    columns = np.nan_to_num(columns)
    return np.column_stack([total_by(groups, column, n_groups) for column in columns.T])


def table_sums(tables: Floats, credit: Floats) -> Floats:
    """The same sums of what two raters' tables count (… × q × q)."""
    import numpy as np

    agreed = total(tables * credit, (-2, -1))
    shares = (tables.sum(axis=-1) + tables.sum(axis=-2)) / 2
    return np.concatenate([np.stack([agreed, tables.sum(axis=(-2, -1))], axis=-1), shares], axis=-1)


def percent_agreements(sums: Floats) -> Floats:
    """`percent_agreement` of each row of a stack of `rater_sums` (… × (2 + q)), NaN where undefined."""
    return share(sums[..., 0], sums[..., 1])


def fleiss_kappas(sums: Floats, credit: Floats) -> Floats:
    """`fleiss_kappa` of each row of such a stack, NaN where undefined."""
    shares = _shares(sums)
    return _beyond(percent_agreements(sums), total(shares[..., :, None] * shares[..., None, :] * credit, (-2, -1)))


def gwet_acs(sums: Floats, credit: Floats) -> Floats:
    """`gwet_ac` of each row of such a stack, NaN where undefined."""
    import numpy as np

    q, shares = len(credit), _shares(sums)
    whole = total(credit) / (q * (q - 1)) if q > 1 else np.nan
    return _beyond(percent_agreements(sums), whole * total(shares * (1 - shares), -1))


def _shares(sums: Floats) -> Floats:
    return share(sums[..., 2:], total(sums[..., 2:], -1)[..., None])


def _beyond(agreed: Floats, chance: Floats) -> Floats:
    """Agreement beyond chance, NaN where chance alone makes it whole."""
    import numpy as np

    # A sum of shares may be off in its last digit, where one of them is all.
    return share(agreed - chance, np.where(abs(1 - chance) < ROUNDING, 0, 1 - chance))


def _of_several(
    ratings: Ratings, weighting: Credits, categories: Sequence[Label], statistic: Callable[[Floats, Floats], Floats]
) -> Figure:
    import numpy as np

    values = _values(ratings, "nominal" if weighting == "nominal" else "ordinal", categories)
    if values.ndim != 2:
        raise ValueError(f"not raters × units: {values.shape}")
    if not categories:
        values = comparable(values)
    present = np.isfinite(values)
    codes = np.full(values.shape, -1)
    distinct, codes[present] = np.unique(values[present], return_inverse=True)
    if categories:
        codes[present] = values[present]
    q = len(categories) or len(distinct)
    units = int((present.sum(axis=0) > 1).sum())
    if not units:
        return Figure(None, 0, ONE_RATER if len(values) < 2 else NO_UNIT)
    credit = credits_of(q, weighting)
    sums = rater_sums(codes, np.zeros(len(codes.T), dtype=np.int64), q, 1, credit)
    (value,) = statistic(sums, credit).tolist()
    if np.isnan(value):
        return Figure(None, units, NO_VARIATION if q > 1 or statistic is fleiss_kappas else ONE_CATEGORY)
    return Figure(value, units)


def krippendorff_alpha(
    ratings: Ratings, measurement: Measurement = "nominal", categories: Sequence[Label] = ()
) -> Figure:
    """Krippendorff's (2011) alpha, 1 - observed / expected disagreement, at most 1, with ``n`` pairable units.

    Disagreement of a and b is 1 (nominal), the squared number of ratings between them (ordinal), (a - b)² (interval)
    or ((a - b) / (a + b))² (ratio; values below 0 raise ValueError). Any number of raters, with gaps; a unit with one
    rating counts for nothing. Undefined without a unit that two rated, and where all ratings are the same. Values
    are compared after rounding to 6 decimals.

    Ratings may be labels. Ordinal ones need ``categories``, from the lowest to the highest; on an interval or a ratio
    scale there are only numbers. Raises ValueError otherwise, and for a rating outside the ``categories`` given.

    Ordinal and interval disagreement come from sums of squares, nominal from counts: no matrix over pairs of values.
    """
    import numpy as np

    values = _values(ratings, measurement, categories)
    if values.ndim != 2:
        raise ValueError(f"not raters × units: {values.shape}")
    values = comparable(values)  # beyond 1e300 rounding overflows, and the rating counts as missing
    present = np.isfinite(values)
    pairable = present.sum(axis=0) > 1
    values, present = values[:, pairable], present[:, pairable]
    units = int(pairable.sum())
    if not units:
        return Figure(None, 0, ONE_RATER if len(values) < 2 else NO_UNIT)
    sizes = present.sum(axis=0)
    distinct, code, counts = np.unique(values[present], return_inverse=True, return_counts=True)
    unit = np.nonzero(present)[1]
    if len(distinct) == 1:
        return Figure(None, units, NO_VARIATION)
    if measurement == "nominal":
        observed, expected = _unequal(code, counts, unit, sizes)
    elif measurement == "ratio":
        if distinct[0] < 0:
            raise ValueError("a ratio scale has no values below 0")
        observed, expected = _proportional(values, present, distinct, counts, sizes)
    else:
        # The ratings between two values are the difference of their mean ranks.
        places = np.cumsum(counts) - counts / 2 if measurement == "ordinal" else distinct / abs(distinct).max()
        observed, expected = _squared(places[code], unit, sizes)
    return Figure(float(1 - observed / expected), units)


def _values(ratings: Ratings, measurement: Measurement, categories: Sequence[Label]) -> Floats:
    """Return ratings as numbers, labels as the numbers of their categories, NaN where there is none."""
    import numpy as np

    given = np.asarray(ratings)
    if given.dtype.kind in "biuf" and not categories:
        return given.astype(float)
    if given.ndim != 2:
        raise ValueError(f"not raters × units: {given.shape}")
    used = [rating for rater in ratings for rating in rater if rating is not None and not _missing(rating)]
    labelled = any(isinstance(rating, str) for rating in used)
    if not labelled and not categories:
        return np.array(
            [[math.nan if rating is None else rating for rating in rater] for rater in ratings], dtype=float
        )
    if measurement in ("interval", "ratio"):
        raise ValueError(f"the {measurement} scale takes numbers, not labels")
    if measurement == "ordinal" and not categories:
        raise ValueError("ordinal labels need their categories, from the lowest to the highest")
    code = _codes(categories or list(dict.fromkeys(used)), used)
    return np.array([[math.nan if _missing(rating) else code[rating] for rating in rater] for rater in ratings])


def _codes(categories: Sequence[Label], used: Iterable[Label | None]) -> dict[Label | None, int]:
    """Return each category's number. Raises ValueError for a rating that is none of them."""
    codes: dict[Label | None, int] = {category: k for k, category in enumerate(categories)}
    for rating in used:
        if rating not in codes:
            raise ValueError(f"{rating!r} is none of the categories: {', '.join(map(str, categories))}")
    return codes


def _missing(rating: Label | None) -> bool:
    return rating is None or (isinstance(rating, float) and not math.isfinite(rating))


def coincidences(codes: Integers, groups: Integers, q: int, n_groups: int) -> Floats:
    """Krippendorff's coincidence matrix of each group of units (groups × q × q), which add up.

    ``codes`` (raters × units) holds categories 0 … q - 1, -1 where nothing; ``groups`` names each unit's group.
    """
    import numpy as np

    counts = np.stack([(codes == category).sum(axis=0) for category in range(q)], axis=1)
    size = counts.sum(axis=1)
    counts, groups, size = counts[size > 1], groups[size > 1], size[size > 1]
    found = np.zeros((n_groups, q, q))
    for a in range(q):
        for b in range(q):
            pairs = counts[:, a] * (counts[:, b] - (a == b)) / (size - 1)
            found[:, a, b] = total_by(groups, pairs, n_groups)
    return found


def alphas(coincidences: Floats, measurement: Literal["nominal", "ordinal"]) -> Floats:
    """Krippendorff's alpha of each coincidence matrix of a stack (… × q × q), NaN where undefined."""
    import numpy as np

    used = total(coincidences, -1)
    n = total(used, -1)
    if measurement == "ordinal":
        places = np.cumsum(used, axis=-1) - used / 2
        distance = (places[..., :, None] - places[..., None, :]) ** 2
    else:
        distance = 1 - np.eye(used.shape[-1])
    observed = total(coincidences * distance, (-2, -1))
    expected = total(used[..., :, None] * used[..., None, :] * distance, (-2, -1))
    result: Floats = 1 - share((n - 1) * observed, expected)
    return result


def _unequal(code: Integers, counts: Integers, unit: Integers, sizes: Integers) -> tuple[float, float]:
    """Observed and expected nominal disagreement, both as sums over ordered pairs."""
    import numpy as np

    joint, together = np.unique(unit * len(counts) + code, return_counts=True)
    equal = np.bincount(joint // len(counts), weights=together * (together - 1), minlength=len(sizes))
    n = int(counts.sum())
    observed: float = total((sizes * (sizes - 1) - equal) / (sizes - 1))
    return observed, (n * n - int((counts**2).sum())) / (n - 1)


def _squared(x: Floats, unit: Integers, sizes: Integers) -> tuple[float, float]:
    """Observed and expected disagreement (a - b)²: over all ordered pairs of m values it is 2m Σ (x - mean)²."""

    means = total_by(unit, x, len(sizes)) / sizes
    within = total_by(unit, (x - means[unit]) ** 2, len(sizes))
    n = len(x)
    return total(2 * sizes * within / (sizes - 1)), 2 * n * total((x - mean(x)) ** 2) / (n - 1)


def _proportional(
    values: Floats, present: Booleans, distinct: Floats, counts: Integers, sizes: Integers
) -> tuple[float, float]:
    """Observed and expected disagreement ((a - b) / (a + b))², of which no sum can be taken apart."""
    import numpy as np

    def disagreement(a: Floats, b: Floats) -> Floats:
        result: Floats = np.divide(a - b, a + b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)), where=a + b > 0)
        return result**2

    observed = list[float]()
    for i in range(len(values) - 1):
        both = present[i] & present[i + 1 :]
        pairs = np.where(both, disagreement(values[i], np.where(both, values[i + 1 :], 0)), 0)
        observed += total_in_two(2 * pairs / (sizes - 1))
    expected = list[float]()
    step = max(1, AT_ONCE // len(distinct))
    for start in range(0, len(distinct), step):
        part = slice(start, start + step)
        expected += total_in_two(counts[part, None] * disagreement(distinct[part, None], distinct) * counts)
    return math.fsum(observed), math.fsum(expected) / (int(counts.sum()) - 1)


def _square(table: Table) -> Floats:
    import numpy as np

    counts = np.asarray(table, dtype=float)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not (counts >= 0).all():
        raise ValueError("not a square table of counts")
    return counts


def _defined(value: Floats) -> float | None:
    return None if value != value else float(value)
