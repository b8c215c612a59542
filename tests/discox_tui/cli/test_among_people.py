"""People among themselves stand in every report: of any number of raters, without a metric, and with the reason if not."""

from __future__ import annotations

import csv
import io
import json
import random
from itertools import combinations
from pathlib import Path
from statistics import fmean

import pytest

from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.screens.library.queue import QueueScreen
from tests.conftest import Command
from tests.discox_tui.cli.test_consistency import strict, written
from tests.support.driving import opened

HEADER = ("metric", "system", "article", "direction", "score", "rater")
RATERS = [f"rater{n}" for n in range(7)]


def ratings(raters: list[str] = RATERS, metric: bool = False, seed: int = 3) -> list[tuple[object, ...]]:
    """Whole-numbered ratings of three systems and five articles, of which some raters left a few out."""
    chance = random.Random(seed)
    rows: list[tuple[object, ...]] = []
    for direction in ("zh-en", "en-zh"):
        for article in range(5):
            for system in "ABC":
                true = chance.randrange(60, 90)
                for number, rater in enumerate(raters):
                    if (article, number) != (4, 6):
                        rows.append(("ESA", system, article, direction, true + chance.randrange(8), rater))
                if metric:
                    rows.append(("chrF", system, article, direction, true / 2, ""))
    return rows


def plain_acc_eq(rows: list[tuple[object, ...]], a: str, b: str, direction: str) -> float:
    """The share of pairs of systems within an article that both order alike."""
    score = {(r[5], r[2], r[1]): float(str(r[4])) for r in rows if r[3] == direction}
    alike = []
    for article in range(5):
        for x, y in combinations("ABC", 2):
            if all((name, article, system) in score for name in (a, b) for system in (x, y)):
                signs = [score[n, article, x] - score[n, article, y] for n in (a, b)]
                alike.append((signs[0] > 0) - (signs[0] < 0) == (signs[1] > 0) - (signs[1] < 0))
    return fmean(alike)


def test_seven_raters_without_a_metric(discox: Command, tmp_path: Path) -> None:
    rows = ratings()
    path = written(tmp_path / "s.csv", rows, HEADER)
    plain = strict(discox("consistency", "--scores", path, "--json").out)
    assert {each["rater"] for each in plain["between_raters"]} == set(RATERS)
    assert all(set(each["others"]) == set(RATERS) - {each["rater"]} for each in plain["between_raters"])
    found = {
        (each["rater"], *each["others"]): each["acc_eq"]
        for each in plain["between_pairs"]
        if (each["level"], each["direction"]) == ("segment", "en-zh")
    }
    expected = {(a, b): plain_acc_eq(rows, a, b, "en-zh") for a in RATERS for b in RATERS if a != b}
    assert found == pytest.approx(expected)
    (mean,) = (
        each for each in plain["between_pairs_mean"] if (each["level"], each["direction"]) == ("segment", "en-zh")
    )
    over = mean["figures"]["acc_eq"]
    assert over["value"] == pytest.approx(fmean(expected.values()))
    assert (over["low"], over["high"]) == pytest.approx((min(expected.values()), max(expected.values())))
    assert over["pairs"] == {"used": 42, "total": 42}
    assert (plain["between_why"], plain["between_raters_why"], plain["between_raters_apart"]) == (None, {}, [])

    text = discox("consistency", "--scores", path).out
    assert "people, mean of 21 pairs" in text
    assert all(f"{rater} ~ others" in text for rater in RATERS)
    assert f"{over['low']:.2f}-{over['high']:.2f}" in text
    assert max(map(len, text.splitlines())) <= 80
    for option in ("--html", "--markdown", "--latex"):
        page = discox("consistency", "--scores", path, option, "-").out
        assert "people, mean of 21 pairs" in page
        assert f"{over['low']:.2f}–{over['high']:.2f}" in page.replace("--", "–")
    found_rows = list(csv.DictReader(io.StringIO(discox("consistency", "--scores", path, "--csv").out)))
    (row,) = (r for r in found_rows if (r["by"], r["level"], r["direction"]) == ("over pairs", "segment", "en-zh"))
    assert float(row["acc_eq"]) == pytest.approx(over["value"], abs=1e-6)


def test_the_metrics_stand_beneath_the_same_pairs(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", ratings(metric=True), HEADER)
    plain = strict(discox("consistency", "--scores", path, "--json").out)
    of_pairs = [
        each["c_index"]
        for each in plain["between_pairs"]
        if (each["metric"], each["level"], each["direction"]) == ("chrF", "segment", "zh-en")
    ]
    (mean,) = (
        each["figures"]["c_index"]["value"]
        for each in plain["between_pairs_mean"]
        if (each["metric"], each["level"], each["direction"]) == ("chrF", "segment", "zh-en")
    )
    assert mean == pytest.approx(fmean(of_pairs))
    lines = discox("consistency", "--scores", path).out.splitlines()
    at = next(i for i, line in enumerate(lines) if "people, mean of 21 pairs" in line)
    assert any(line.startswith("    chrF") for line in lines[at : at + 6])


def test_two_raters_who_share_nothing_are_named(discox: Command, tmp_path: Path) -> None:
    rows = [("ESA", s, k, "zh-en", k + ord(s), r) for r, of in (("ana", (1, 2)), ("ben", (2, 3)), ("cyn", (3, 4))) for k in of for s in "AB"]  # fmt: skip
    path = written(tmp_path / "s.csv", rows, HEADER)
    plain = strict(discox("consistency", "--scores", path, "--json").out)
    assert plain["between_raters_apart"] == [["ana", "cyn"]]
    text = " ".join(discox("consistency", "--scores", path).out.split())
    assert "1 of 3 pairs of people have rated no segment both, so no figure: ana and cyn." in text


@pytest.mark.parametrize(
    ("raters", "apart", "why"),
    [(["ana"], 0, "ratings by one person only"), (["ana", "ben"], 9, "no two people have rated the same segment")],
)
def test_what_cannot_be_made_stands_there_with_its_reason(
    discox: Command, tmp_path: Path, raters: list[str], apart: int, why: str
) -> None:
    rows = [("ESA", s, k + apart * n, "zh-en", k + ord(s), r) for n, r in enumerate(raters) for k in range(3) for s in "AB"]  # fmt: skip
    rows += [("chrF", s, k, "zh-en", ord(s), "") for k in range(20) for s in "AB"]
    path = written(tmp_path / "s.csv", rows, HEADER)
    for options in ((), ("--html", "-"), ("--markdown", "-")):
        shown = " ".join(discox("consistency", "--scores", path, *options).out.split())
        assert "people among themselves" in shown
        assert f"– {why}" in shown
    assert strict(discox("consistency", "--scores", path, "--json").out)["between_why"] == why


def test_without_any_rating_it_says_so(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", [("chrF", s, 1, "zh-en", ord(s), "") for s in "AB"], HEADER)
    text = " ".join(discox("consistency", "--scores", path).out.split())
    assert "People among themselves: – no ratings by people." in text


def test_of_ratings_on_several_scales_nobody_says_that_there_are_none(discox: Command, tmp_path: Path) -> None:
    rows = [*ratings(RATERS[:2], metric=True), *(("DA", s, k, "zh-en", k + ord(s) % 9, "zoe") for k in range(5) for s in "ABC")]  # fmt: skip
    path = written(tmp_path / "s.csv", rows, HEADER)
    text = " ".join(discox("consistency", "--scores", path).out.split())
    assert "People among themselves: – ratings are on several scales (DA, ESA)" in text
    assert "no ratings by people" not in text
    plain = strict(discox("consistency", "--scores", path, "--json").out)
    assert plain["between_why"].startswith("ratings are on several scales (DA, ESA)")
    assert {each["why"] for each in plain["stand_in"]["tests"]} == {plain["between_why"]}
    chosen = strict(discox("consistency", "--scores", path, "--reviewer", "ESA", "--json").out)
    assert (chosen["between_why"], len(chosen["between_pairs"])) == (None, 16)


@pytest.fixture
def passes(discox: Command, tmp_path: Path) -> Path:
    """A library of people's passes alone: two systems, two raters, no judge."""
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = [
        f"{s}\td{k}\t{k}\t1\t{rater}\t一河\t<v>one</v> river\tFluency/Grammar\t{severity}"
        for k, of in enumerate([("Major", "Minor", "Major", "Minor"), ("Minor", "Major", "Major", "Minor")])
        for (s, rater), severity in zip([(s, r) for s in "AB" for r in ("ana", "ben")], of, strict=True)
    ]
    (tmp_path / "mqm_zhen.tsv").write_text("\n".join((head, *rows)) + "\n", encoding="utf-8")
    assert discox("import", tmp_path / "mqm_zhen.tsv", "--db", tmp_path / "a.db").code == 0
    return tmp_path / "a.db"


def test_passes_alone_are_held_against_one_another(discox: Command, passes: Path) -> None:
    plain = json.loads(discox("consistency", "--json", "--db", passes).out)
    found = {(each["rater"], each["level"]): (each["acc_eq"], each["n"]) for each in plain["between_raters"]}
    # d0: ana A = B, ben A = B; d1: ana B ahead of A by her, A behind B by ben's
    assert found["ana", "segment"] == (0.5, 2)
    assert plain["people"]
    for options in ((), ("--html", "-"), ("--markdown", "-")):
        shown = discox("consistency", "--db", passes, *options).out.replace("\\", "")
        assert "ana ~ ben" in shown
        assert "mqm scores by people" in shown.lower()


async def test_the_screen_shows_people_without_a_judge(passes: Path) -> None:
    async with opened(passes) as driver:
        await driver.on(QueueScreen)
        await driver.press("c")
        await driver.on(ConsistencyScreen)
        await driver.until(lambda: "updating…" not in driver.bar("#title") and "ana ~ ben" in driver.text)
        assert "MQM SCORES BY PEOPLE" in driver.text


def test_a_mean_says_in_how_many_comparisons_it_is_defined(discox: Command, tmp_path: Path) -> None:
    """Cyn ties all that she rated: against her c_index is undefined, and against the others it is not."""
    scores = {"ana": (1, 2), "ben": (2, 3), "cyn": (5, 5)}
    rows = [
        ("ESA", s, 1, "zh-en", score, name) for name, of in scores.items() for s, score in zip("AB", of, strict=True)
    ]
    path = written(tmp_path / "s.csv", rows, HEADER)
    for options in ((), ("--html", "-")):
        shown = " ".join(discox("consistency", "--scores", path, *options).out.split())
        assert "segment zh-en: mean over 4 of 6 comparisons of people, undefined in the others" in shown
    found = strict(discox("consistency", "--scores", path, "--json").out)["between_pairs_mean"]
    (segment,) = (each for each in found if (each["level"], each["direction"]) == ("segment", "zh-en"))
    c_index = segment["figures"]["c_index"]
    assert (c_index["value"], c_index["low"], c_index["high"], c_index["n"]) == (0.75, 0.5, 1.0, 4)
    assert c_index["pairs"] == {"used": 4, "total": 6}
