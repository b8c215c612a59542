"""`discox consistency --by reviewer` says how each rater scores beside the others, in every format."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest
from rich.cells import cell_len

from judges.consistency.rater_effects import rater_severity
from judges.meta_eval.score_table import ScoreRow
from tests.conftest import Command
from tests.discox_tui.cli.test_consistency import strict, written

HEADER = ("metric", "system", "article", "direction", "score", "rater")


def table(tmp_path: Path) -> tuple[Path, list[ScoreRow]]:
    """Three raters of whom one is stricter by 6 and one scored two thirds; the path of their scores, and the rows."""
    chance = random.Random(6)
    rows = []
    for k in range(12):
        for system in "ABC":
            quality = chance.randrange(30, 70)
            for rater, off in (("ana", -6), ("ben", 2), ("cy", 0)):
                if rater != "cy" or k % 3:
                    rows.append(("ESA", system, f"{k}", "zh-en", quality + off + chance.randrange(4), rater))
    people = [ScoreRow(r, s, a, d, score, True, rated_as=m) for m, s, a, d, score, r in rows]
    rows.append(("m", "A", "1", "zh-en", 5, ""))
    return written(tmp_path / "s.csv", rows, HEADER), people


def test_severity_stands_in_every_format(discox: Command, tmp_path: Path) -> None:
    path, people = table(tmp_path)
    asked = ("consistency", "--scores", path, "--by", "reviewer")
    expected = rater_severity(people)["zh-en"]
    (shown,) = strict(discox(*asked, "--json").out)["rater_severity"]
    assert (shown["ratings"], shown["direction"]) == (None, "zh-en")
    for each, rater in zip(shown["raters"], expected.raters, strict=True):
        assert each["rater"] == rater.rater
        for name in ("mean", "deviation", "difference", "difference_z"):
            figure = getattr(rater, name)
            assert (each[name]["value"], each[name]["n"]) == (figure.value, figure.n)
        assert [one["z"] for one in each["z_scores"]] == [one.z for one in rater.z_scores]
    assert shown["raters"][0]["difference"]["interval"][1] < -4
    for name, figure in expected.variance.figures.items():
        assert shown["variance"]["components"][name]["value"] == figure.value
    assert shown["variance"]["crossed"] is False

    rows = list(csv.DictReader(io.StringIO(discox(*asked, "--csv").out)))
    of_csv = {r["label"]: float(r["value"]) for r in rows if r["level"] == "rater" and r["figure"] == "difference"}
    assert of_csv == {r.rater: pytest.approx(r.difference.value, abs=1e-6) for r in expected.raters}
    assert [r["figure"] for r in rows if r["level"] == "variance"] == ["article", "system", "rater", "rest"]

    text = discox(*asked).out
    assert max(map(cell_len, text.splitlines())) <= 80
    section = text.split("SEVERITY OF RATERS")[1]
    assert "Not crossed" in section
    for option in ("--html", "--markdown", "--latex"):
        page = discox(*asked, option, "-").out
        assert "Severity of raters, zh-en" in page
        assert "Variance of scores by source, zh-en" in page


def test_nothing_of_it_unless_asked(discox: Command, tmp_path: Path) -> None:
    path, _ = table(tmp_path)
    assert "rater_severity" not in strict(discox("consistency", "--scores", path, "--json").out)
