"""`discox consistency --rank`: all metrics in one table, alike in every format."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.conftest import Command
from tests.discox_tui.cli.test_consistency import Rows, strict, written

RANKS = {"close": 1, "blurred": 2, "blind": 3, "flat": 4}


def table() -> Rows:
    """Scores by people and metrics that see them ever worse; one has no score of an article, one says nothing."""
    chance = random.Random(7)
    rows: Rows = []
    for k in range(12):
        for system in "ABCDE":
            human = chance.randrange(9)
            where = (system, f"{k}", "zh-en")
            rows.append(("human", *where, human, 1))
            rows += [
                (name, *where, round(human + chance.gauss(0, noise), 3), 0)
                for name, noise in (("close", 0.2), ("blurred", 3), ("blind", 99))
                if (name, k) != ("blurred", 4)
            ]
            rows.append(("flat", *where, 1, 0))
    return rows


def test_all_metrics_stand_in_one_table_with_their_ranks(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table())
    text = discox("consistency", "--scores", path, "--rank", "none").out
    assert max(map(cell_len, text.splitlines())) <= 80
    ranked = text.split("RANKS: zh-en")[1]
    lines = [line.split() for line in ranked.splitlines()]
    assert [each[0] for each in lines if each[2:3] == ["(1)"] or each[:1] == ["flat"]][:2] == ["close", "flat"]
    assert "blurred (5)" in ranked  # five translations of an article without a score
    assert "not adjusted" in " ".join(text.split())


def test_json_and_csv_hold_every_rank_and_test(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table())
    arguments = ("consistency", "--scores", path, "--rank", "holm")
    made = strict(discox(*arguments, "--json").out)
    rankings = made["metric_rankings"]
    assert [(each["level"], each["measure"]) for each in rankings] == [
        ("segment", "acc_eq"), ("segment", "c_index"), ("system", "acc_eq"), ("system", "c_index"), ("system", "spa")]  # fmt: skip
    first = rankings[0]
    assert {each["metric"]: each["rank"] for each in first["metrics"]} == RANKS
    cells = {(c["metric"], c["level"]): c for c in made["pairwise"]}
    for each in rankings:
        for metric in each["metrics"]:
            cell = cells[metric["metric"], each["level"]]
            assert metric["value"] == cell[each["measure"]]
            assert metric["interval"] == cell["interval"][each["measure"]]
    assert len(first["tests"]) == 6
    assert {t["translations"] for t in first["tests"] if "blurred" in (t["ahead"], t["behind"])} == {55}
    assert all(t["p_adjusted"] >= t["p"] for t in first["tests"])
    rows = list(csv.DictReader(io.StringIO(discox(*arguments, "--csv").out)))
    of_ranks = {r["metric"]: int(r["value"]) for r in rows if r["figure"] == "rank by acc_eq" and r["level"] == "segment"}  # fmt: skip
    assert of_ranks == RANKS
    tests = {(r["metric"], r["label"]): (float(r["p"]), float(r["p_adjusted"]), int(r["n"])) for r in rows if r["figure"] == "PERM-BOTH by acc_eq, adjusted: holm" and r["level"] == "segment"}  # fmt: skip
    assert tests == {
        (t["ahead"], f"ahead of {t['behind']}"): (pytest.approx(t["p"], abs=1e-6), pytest.approx(t["p_adjusted"], abs=1e-6), t["translations"])
        for t in first["tests"]}  # fmt: skip


def test_what_has_no_rank_says_why(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table())
    arguments = ("consistency", "--scores", path, "--rank", "bh", "--ties", "drop_all_ties")
    ranking = strict(discox(*arguments, "--json").out)["metric_rankings"][0]
    flat = next(each for each in ranking["metrics"] if each["metric"] == "flat")
    assert (flat["rank"], flat["value"], flat["why"]) == (None, None, "every pair is tied by humans or by the metric")
    assert flat["why"] in discox(*arguments).out.split("RANKS")[1]


@pytest.mark.parametrize("option", ["--html", "--markdown", "--latex"])
def test_pages_have_the_ranks_and_every_test(discox: Command, tmp_path: Path, option: str) -> None:
    page = discox("consistency", "--scores", written(tmp_path / "s.csv", table()), "--rank", "bh", option, "-").out
    page = page.replace("\\", "")
    for title in ("Metrics ranked, zh-en", "Metrics ranked by system SPA", "Every two metrics by segment c_index"):
        assert title in page
    assert "Benjamini and Hochberg" in page


def test_one_metric_alone_is_the_first(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", [row for row in table() if row[0] in ("human", "close")])
    (first, *_) = strict(discox("consistency", "--scores", path, "--rank", "bh", "--json").out)["metric_rankings"]
    assert [(each["metric"], each["rank"], each["closest"]) for each in first["metrics"]] == [("close", 1, None)]
    assert first["tests"] == []
    people = written(tmp_path / "h.csv", [row for row in table() if row[0] == "human"])
    assert discox("consistency", "--scores", people, "--rank", "bh").code == 0
