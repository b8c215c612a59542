"""Nothing assumes Chinese and English: any number of directions, and texts in any script."""

from __future__ import annotations

import pytest

from judges.agreement.pairwise import DIRECTIONS, averaged_directions, pairwise
from judges.agreement.scores import ScoreRow


def rows(*directions: str) -> list[ScoreRow]:
    """Two systems in two articles of each direction: the metric is right of the first article only."""
    found = []
    for direction in directions:
        for article, metric in (("a1", (1.0, 2.0)), ("a2", (2.0, 1.0))):
            for system, human, by_metric in zip("AB", (1.0, 3.0), metric, strict=True):
                found.append(ScoreRow("ana", system, article, direction, human, True))
                found.append(ScoreRow("m", system, article, direction, by_metric, False))
    return found


@pytest.mark.parametrize("directions", [("de-en",), ("de-fr", "he-en"), ("ar-en", "ja-ko", "zh-en"), ("",)])
def test_the_mean_is_over_both_levels_of_the_directions_there_are(directions: tuple[str, ...]) -> None:
    report = pairwise(rows(*directions), 50)
    assert report.averaged == tuple(sorted(directions))
    # System: the metric's means are tied, the humans' not: 0 of 1. Segment: 1 of 2.
    figure = report.averages["m"]["acc_eq"]
    assert (figure.value, figure.n) == (pytest.approx(0.25), 3 * len(directions))
    assert report.averages["m"]["c_index"].value == pytest.approx(0.5)
    low, high = figure.interval.ends  # type: ignore[union-attr, misc]
    assert low <= 0.25 <= high


def test_the_paper_s_mean_stays_that_of_its_four_cells() -> None:
    assert averaged_directions([*DIRECTIONS, "de-en"]) == averaged_directions(["zh-en"]) == DIRECTIONS
    assert pairwise(rows("zh-en"), 50).averages["m"]["acc_eq"].value is None
    assert pairwise(rows(*DIRECTIONS, "de-en"), 50).averages["m"]["acc_eq"].n == 6
