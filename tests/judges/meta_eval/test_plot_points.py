"""Points of the plot of a metric against humans, the ends of its axes, and figures that say why they are undefined."""

from __future__ import annotations

import pytest

from judges.meta_eval.pairwise import Points, equal_limits, explained, pairwise, points
from judges.meta_eval.score_table import ScoreRow


def rows(*said: tuple[str, str, str, str, float]) -> list[ScoreRow]:
    """Scores by name, direction, article and system; a name in capitals is a human's."""
    return [
        ScoreRow(name, system, article, direction, score, name.isupper())
        for name, direction, article, system, score in said
    ]


RATED = rows(
    ("COMET-like", "de-en", "x", "heron", 3),
    ("ANNA", "de-en", "x", "heron", 55),
    ("COMET-like", "zh-en", "b", "heron", 0.5),
    ("COMET-like", "zh-en", "b", "ibis", 0.25),
    ("ANNA", "zh-en", "b", "heron", 90),
    ("BEN", "zh-en", "b", "heron", 70),
    ("ANNA", "zh-en", "b", "ibis", 30),
    ("ANNA", "zh-en", "c", "ibis", 10),  # without the metric
    ("COMET-like", "zh-en", "d", "ibis", 9),  # without a rating
    ("COMET-like", "en-zh", "b", "heron", 4),
    ("ANNA", "en-zh", "b", "heron", 20),
    ("chrf", "en-zh", "e", "heron", 1),  # never beside a rating
)


def test_points_are_of_translations_that_have_both_scores() -> None:
    found = points(RATED)
    assert list(found) == ["COMET-like"]
    pairs = {direction: sorted(zip(*both, strict=True)) for direction, both in found["COMET-like"].items()}
    assert pairs == {"zh-en": [(0.25, 30), (0.5, 80)], "en-zh": [(4, 20)], "de-en": [(3, 55)]}
    assert list(pairs)[-1] == "de-en", "the paper's two come first"


@pytest.mark.parametrize(
    ("groups", "limits"),
    [
        ({"zh-en": ([0.0, 80.0], [70.0, 100.0])}, (0.0, 100.0)),
        ({"zh-en": ([0.0, 1.5], [70.0, 99.0])}, (0.0, 100.0)),
        ({"zh-en": ([0.0, 1.0], [70.0, 99.0])}, None),
        ({"zh-en": ([0.0, 1.0], [70.0, 99.0]), "en-zh": ([2.0], [3.0])}, (0.0, 100.0)),
        ({"zh-en": ([-0.5, 80.0], [70.0, 100.0])}, None),
        ({"zh-en": ([50.0, 80.0], [70.0, 100.5])}, None),
        ({}, None),
    ],
    ids=["both in it", "just above one", "another scale", "of two directions", "below", "above", "none"],
)
def test_the_axes_share_their_ends_where_every_score_lies_in_them(
    groups: dict[str, Points], limits: tuple[float, float] | None
) -> None:
    assert equal_limits(groups, 100.0) == limits


def test_only_what_is_undefined_says_why_nobody_is_beside_it() -> None:
    report = pairwise(RATED, resamples=10)
    told = explained(report, "ratings are of other people")
    pairs = [
        (before, after)
        for key, cell in report.cells.items()
        for before, after in zip(cell.figures.values(), told.cells[key].figures.values(), strict=True)
    ]
    pairs += [(cell.calibrated.figure, told.cells[key].calibrated.figure) for key, cell in report.cells.items()]
    pairs += [
        (before, told.averages[metric][rule])
        for metric, by_rule in report.averages.items()
        for rule, before in by_rule.items()
    ]
    assert {before.value is None for before, _ in pairs} == {True, False}
    for before, after in pairs:
        assert after.value == before.value
        assert after.why == ("ratings are of other people" if before.value is None else before.why)
