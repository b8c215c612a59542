"""Audited leaderboards of tables of scores: any metric, people on some articles, no library."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from judges.stats.resampling import NEVER_VARIES
from tests.conftest import Command
from tests.discox_tui.screens.test_audited_leaderboard import compare, plainly

SYSTEMS = ("aurora", "heron", "plover", "sparrow")


def scores(seed: int = 1, articles: int = 12) -> tuple[Any, Any]:
    """A metric's scores and people's, articles × systems."""
    drawn = np.random.default_rng(seed)
    human = 70 + drawn.normal(0, 6, (articles, 1)) + [4, 2, 0, -3] + drawn.normal(0, 5, (articles, 4))
    return human / 2 + drawn.normal(0, 3, human.shape), human


def write(path: Path, metric: Any, human: Any, audited: list[int], direction: str = "zh-en") -> Path:
    rows = ["metric,system,article,direction,score,human,rater"]
    for article, row in enumerate(metric):
        rows += [f"M,{s},{article:02},{direction},{score!r},0," for s, score in zip(SYSTEMS, row.tolist(), strict=True)]
    for article in audited:
        of_people = human[article].tolist()
        rows += [
            f"human,{s},{article:02},{direction},{score!r},1,ana" for s, score in zip(SYSTEMS, of_people, strict=True)
        ]
    first, *others = rows
    Random(3).shuffle(others)
    path.write_text("\n".join((first, *others)) + "\n", encoding="utf-8")
    return path


def boards(discox: Command, *options: object) -> list[dict[str, Any]]:
    result = discox("leaderboard", "--audited", "--json", *options)
    assert result.code == 0, result.err
    return list(json.loads(result.out)["audited_leaderboards"])


@pytest.mark.parametrize("target", ["this-test-set", "new-documents"])
def test_the_scores_are_those_of_the_formulas(discox: Command, tmp_path: Path, target: str) -> None:
    metric, human = scores()
    rows = [1, 3, 4, 7, 8, 11]
    (board,) = boards(discox, "--scores", write(tmp_path / "a.csv", metric, human, rows), "--target", target)
    assert (board["judge"], board["systems"], board["plans"]) == ("M", list(SYSTEMS), [])
    (cut,) = board["cuts"]
    assert (cut["n"], cut["articles"], cut["saw_the_judge"]) == (6, 12, None)
    compare(cut, plainly(metric, human[rows], rows, target))
    assert any("drawn at random" in note for note in board["notes"])


def test_pairs_that_no_number_of_audits_decides(discox: Command, tmp_path: Path) -> None:
    metric, human = scores()
    alike = np.repeat(human[:, :1], 4, axis=1)
    alike[:, 1] += [3, -3] * 6  # whose mean over all is the same
    path = write(tmp_path / "a.csv", np.repeat(metric[:, :1], 4, axis=1), alike, [0, 1, 2, 3])
    text = " ".join(discox("leaderboard", "--audited", "--scores", path).out.split())
    assert "3 of 6 pairs undecided; nearest to it are aurora and heron, which no number of audited articles" in text
    assert f"Undefined for 3 of 6 pairs: {NEVER_VARIES}." in text


def test_only_whole_articles_count(discox: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", *scores(), audited=[0, 1, 2, 3])
    kept = [
        line for line in path.read_text("utf-8").splitlines() if not line.startswith(("M,heron,05", "human,aurora,02"))
    ]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    (board,) = boards(discox, "--scores", path)
    assert board["left_out"] == [{"article": "05", "direction": "zh-en", "why": ["heron: no score"]}]
    assert board["incomplete"] == [{"article": "02", "direction": "zh-en", "why": ["aurora: no score by people"]}]
    assert (board["cuts"][0]["n"], board["cuts"][0]["articles"]) == (3, 11)
    assert any(warning.startswith("Too few") for warning in board["cuts"][0]["warnings"])


def test_directions_and_files_and_words(discox: Command, tmp_path: Path) -> None:
    one = write(tmp_path / "a.csv", *scores(1), audited=[0, 1, 2, 3, 4])
    other = write(tmp_path / "b.csv", *scores(2), audited=[5, 6, 7, 8], direction="de-es")
    (board,) = boards(discox, "--scores", one, "--scores", other)
    assert [(cut["direction"], cut["n"], cut["articles"]) for cut in board["cuts"]] == [
        ("", 9, 24),
        ("de-es", 4, 12),
        ("zh-en", 5, 12),
    ]
    (board,) = boards(discox, "--scores", one, "--scores", other, "de-es")
    assert [(cut["n"], cut["articles"]) for cut in board["cuts"]] == [(4, 12)]


def test_a_table_does_not_tell_what_only_its_author_knows(discox: Command, tmp_path: Path) -> None:
    (board,) = boards(discox, "--scores", write(tmp_path / "a.csv", *scores(), audited=[0, 4, 5, 8]))
    assert {each[name] for each in board["audited"] for name in ("blind", "drawn", "by_doubt")} == {None}
    assert (board["drawn"], board["cuts"][0]["saw_the_judge"]) == (None, None)
    assert all(each["counts"] for each in board["audited"])


@pytest.mark.parametrize("articles", [2, 3, 5])
def test_a_full_audit_is_certain_of_this_test_set_alone(discox: Command, tmp_path: Path, articles: int) -> None:
    metric, human = scores(4, articles)
    path = write(tmp_path / "a.csv", metric, human, list(range(articles)))
    (board,) = boards(discox, "--scores", path, "--holm")
    (cut,) = board["cuts"]
    assert {row["half_width"] for row in (*cut["scores"], *cut["pairs"])} == {0.0}
    assert {pair["p_holm"] for pair in cut["pairs"]} == {0.0}
    assert all(pair["better"] for pair in cut["pairs"])
    assert (cut["warnings"], cut["expected"], cut["undecided"]) == ([], [], [])
    text = " ".join(discox("leaderboard", "--audited", "--scores", path).out.split())
    assert f"{articles} of {articles} articles audited, so nothing of this test set is left to chance" in text
    (board,) = boards(discox, "--scores", path, "--target", "new-documents")
    widths = [pair["half_width"] for pair in board["cuts"][0]["pairs"]]
    assert all(widths) if articles >= 4 else set(widths) == {None}


HEADER = "metric,system,article,direction,score,human"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["M,a,1,zh-en,many,0", "M,b,1,zh-en,,0"], "no row is a score; score: is “many”"),
        ([], "no row is a score, as there is no row"),
        (["ana,a,1,zh-en,3,1", "ana,b,1,zh-en,4,1"], "is a metric's score"),
        (["M,a,1,zh-en,3,0", "M,b,2,zh-en,4,0"], "no article has a score of every system (1: b: no score"),
    ],
)
def test_a_table_of_which_nothing_can_be_used_fails_with_the_reason(
    discox: Command, tmp_path: Path, rows: list[str], said: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join((HEADER, *rows)) + "\n", encoding="utf-8")
    asked = ("leaderboard", "--audited", "--scores", path)
    for form in ((), ("--csv",), ("--html", "-")):
        result = discox(*asked, *form)
        assert (result.code, result.out) == (1, "")
        assert said in result.err
    result = discox(*asked, "--json")
    assert (result.code, said in result.err) == (1, True)
    plain = json.loads(result.out)
    assert said in plain["problem"]
    assert [(each["rows"], each["stored"] + each["left_out"]) for each in plain["files"]] == [(len(rows), len(rows))]


def test_text_says_what_it_rests_on(discox: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", *scores(), audited=list(range(12)))
    text = discox("leaderboard", "--audited", "--scores", path).out
    assert "AUDITED LEADERBOARD BY M" in text
    assert "12 of 12 articles audited" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--scores", "a.csv"), "--scores goes with --audited"),
        (("--audited", "--scores", "a.csv", "--weigh", "votes"), "has no findings"),
        (("--audited", "--scores", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_what_makes_no_sense_is_refused(discox: Command, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    write(tmp_path / "a.csv", *scores(), audited=[1])
    named = [str(tmp_path / each) if each.endswith(".csv") else each for each in options]
    result = discox("leaderboard", *named)
    assert result.code in (1, 2)
    assert said in result.err


def test_the_handed_case(discox: Command, tmp_path: Path, shared: Path) -> None:
    (case,) = json.loads((shared / "cases" / "audited" / "cases.json").read_text("utf-8"))
    lines = ["metric,system,article,direction,score,human"]
    for name, human, table in (("M", 0, case["judge_scores"]), ("human", 1, case["human_scores"])):
        for article, row in enumerate(table):
            lines += [f"{name},s{s},{article:02},zh-en,{x!r},{human}" for s, x in enumerate(row or ()) if x is not None]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for target, expected in case["expected"].items():
        (board,) = boards(discox, "--scores", tmp_path / "a.csv", "--target", target.replace("_", "-"))
        (cut,) = board["cuts"]
        assert (cut["n"], cut["articles"]) == (expected["n"], expected["N"])
        found = {row["system"]: row["audited"] for row in cut["scores"]}
        assert [found[f"s{s}"] for s in range(len(found))] == pytest.approx(expected["scores"], abs=1e-9)
        assert [pair["half_width"] for pair in cut["pairs"]] == pytest.approx(expected["half_width"], abs=1e-9)
        assert [pair["difference"] for pair in cut["pairs"]] == pytest.approx(expected["difference"], abs=1e-9)


def test_every_format_counts_what_audited_scores_leave_out(discox: Command, tmp_path: Path) -> None:
    """One article lacks a metric's score, two are not rated whole, a system is people's alone; of one direction."""
    rows = ["metric,system,article,direction,score,human,rater"]
    for direction, articles in (("zh-en", 8), ("en-zh", 5)):
        for n in range(articles):
            rows += [f"chrF,{s},a{n},{direction},{40 + 3 * n + 7 * k + (n * k) % 5},0," for k, s in enumerate("AB")]
            rated = "A" if direction == "zh-en" and n > 5 else "AB"
            rows += [f"DA,{s},a{n},{direction},{50 + 2 * n + 9 * k + (n * k) % 3},1,lin" for k, s in enumerate(rated)]
    rows += ["chrF,A,a9,zh-en,50,0,", "DA,C,a0,zh-en,70,1,lin"]
    (tmp_path / "t.csv").write_text("\n".join(rows), encoding="utf-8")

    def told(*options: object) -> str:
        return discox("leaderboard", "--audited", "--scores", tmp_path / "t.csv", *options).out

    (board,) = json.loads(told("--json"))["audited_leaderboards"]
    here = {"articles without a score of every system": 1, "articles of which the audit is not complete": 2}
    people = {"systems that people rated and the judge did not": 1}
    assert [cut["left_out"] for cut in board["cuts"]] == [here | people, {}, here | people]
    said = "; ".join(f"{why} ({n})" for why, n in (here | people).items())
    of_pairs = [row for row in csv.DictReader(io.StringIO(told("--csv"))) if row["direction"] == "zh-en"]
    assert {row["left_out"] for row in of_pairs} == {said}
    assert " ".join(told().split()).count(f"Left out: {said}.") == 4  # scores and pairs, of both and of one direction
    assert f"Left out: {said}." in told("--html", "-")
