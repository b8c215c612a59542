"""The tie-neutral gate: what it computes, and that noise does not pass it."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from discox_tui.reports.pairwise.sections import pairwise_sections
from discox_tui.reports.render.text import as_text
from discox_tui.text.safe import safe
from discox_tui.widgets.bars import TextBlock
from judges.meta_eval.pair_counts import PairCounts, tally
from judges.meta_eval.score_table import ScoreRow
from judges.meta_eval.superiority_test import (
    ALPHA,
    NEVER_DIFFERS,
    NO_ORDER,
    NO_SCORE,
    SEEN,
    confidence_of,
    correlations,
    superiority_test,
)
from judges.stats.resampling import NEVER_VARIES
from storage.analysis.comparisons import claims
from storage.analysis.metric_scores import Metric, ScoreTable
from storage.analysis.pairwise import compute_pairwise, with_metrics
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.discox_tui.cli.test_consistency import strict, written
from tests.discox_tui.screens.test_consistency import consistency, part
from tests.discox_tui.screens.test_hostile import CONTROL, HOSTILE
from tests.support.builders import signature
from tests.support.driving import opened

Table = Any
"""Scores of articles × systems."""


@st.composite
def tables(draw: st.DrawFn, most: int = 10) -> tuple[Table, Table, Table]:
    """People, a standard and a candidate: with ties, and some scores missing."""
    articles, systems = draw(st.integers(1, most)), draw(st.integers(1, 5))
    score = st.sampled_from([0.0, 5.0, 10.0, 15.0, math.nan])
    size = articles * systems
    rows = [draw(st.lists(score, min_size=size, max_size=size)) for _ in range(3)]
    human, standard, candidate = (np.array(row).reshape(articles, systems) for row in rows)
    return human, standard, candidate


def plainly(human: Table, standard: Table, candidate: Table, attempt: int) -> tuple[Any, ...]:
    """Gain and ends by a plain loop over pairs and over all subsets, in exact fractions; infinite where undefined."""
    x: list[Any] = []
    w: list[Any] = []
    for h, s, c in zip(human, standard, candidate, strict=True):
        gained, pairs = Fraction(0), 0
        for i, j in combinations(range(len(h)), 2):
            if not np.isfinite([h[i], h[j], s[i], s[j], c[i], c[j]]).all() or h[i] == h[j]:
                continue
            sign = 1 if h[i] > h[j] else -1
            pairs += 1
            for metric, by in ((c, 1), (s, -1)):
                right = sign * (metric[i] - metric[j])
                gained += by * (Fraction(1) if right > 0 else Fraction(1, 2) if right == 0 else Fraction(0))
        if pairs:
            x.append(gained)
            w.append(pairs)
    if not w:
        return ()
    lows: list[Any] = []
    highs: list[Any] = []
    for chosen in product((0, 1), repeat=len(w)):
        above, below = (sum(a * b for a, b in zip(chosen, each, strict=True)) for each in (x, w))
        gain = Fraction(above) / below if below else None
        lows.append(-math.inf if gain is None else gain)
        highs.append(math.inf if gain is None else gain)
    if len(w) > 1 and len({gained / pairs for gained, pairs in zip(x, w, strict=True)}) == 1:
        return Fraction(sum(x)) / sum(w), None, None  # no variation, so nothing can be inferred
    beyond = math.floor(Fraction(1, 20) / (attempt * (attempt + 1)) * len(lows))
    return Fraction(sum(x)) / sum(w), sorted(lows)[beyond], sorted(highs)[-1 - beyond]


@given(tables(), st.integers(1, 3))
def test_it_is_what_a_plain_loop_over_all_subsets_gives(three: tuple[Table, Table, Table], attempt: int) -> None:
    found, wanted = superiority_test(*three, attempt), plainly(*three, attempt)
    if not wanted:
        assert (found.n, found.gain, found.low, found.adopted) == (0, None, None, False)
        assert found.why
        return
    assert found.gain == pytest.approx(float(wanted[0]))
    for end, by_hand in zip((found.low, found.high), wanted[1:], strict=True):
        if by_hand is None or math.isinf(by_hand):
            assert end is None
            assert found.why == NEVER_VARIES if by_hand is None else "it takes" in found.why
        else:
            assert end == pytest.approx(float(by_hand))
    assert found.adopted == bool(wanted[1] and wanted[1] > 0)
    assert found.n + sum(found.left_out.values()) == len(three[0])
    human, *metrics = (np.where(np.isfinite(three).all(axis=0), each, np.nan).T for each in three)
    for value, metric in zip((found.standard, found.candidate), metrics, strict=True):
        assert value == pytest.approx(PairCounts.of(tally(human, metric)).rule("c_index").value)


@given(tables(24), st.randoms(use_true_random=False), st.integers(-40, 40))
def test_neither_order_nor_constants_matter_and_exchanging_the_two_negates_it(
    three: tuple[Table, Table, Table], chance: Any, constant: int
) -> None:
    human, standard, candidate = three
    found = superiority_test(human, standard, candidate)
    rows, columns = list(range(len(human))), list(range(human.shape[1]))
    chance.shuffle(rows)
    chance.shuffle(columns)
    assert superiority_test(*(each[rows][:, columns] for each in three)) == found
    assert superiority_test(human + constant, standard - constant, candidate + 0.1) == found
    turned = superiority_test(human, candidate, standard)
    assert (turned.standard, turned.candidate) == (found.candidate, found.standard)
    if found.gain:
        assert turned.gain == -found.gain
        if found.low is not None and found.high is not None:
            assert (turned.low, turned.high) == (-found.high, -found.low)
    assert not (turned.adopted and found.adopted)
    alone = superiority_test(human, standard, standard)
    assert (alone.gain or 0, alone.low or 0, alone.high or 0, alone.adopted) == (0, 0, 0, False)


def test_what_does_not_count_is_told() -> None:
    human = np.array([[1.0, 2], [1, 1], [1, math.nan], [1, 2]])
    metric = np.array([[1.0, 2], [1, 2], [1, 2], [2, 1]])
    found = superiority_test(human, metric, metric, seen=[3])
    assert (found.n, found.pairs) == (1, 1)
    assert found.left_out == {SEEN: 1, NO_SCORE: 1, NO_ORDER: 1}
    assert (found.standard, found.candidate, found.gain, found.low) == (1, 1, 0, None)
    assert found.why == "it takes 6 articles at least to show anything at this attempt, and 1 count"
    for wrong in ((human, metric[:2], metric), (human[0], metric[0], metric[0])):
        with pytest.raises(ValueError, match="same articles"):
            superiority_test(*wrong)
    with pytest.raises(ValueError, match="attempt"):
        superiority_test(human, metric, metric, 0)


def test_it_takes_six_articles_and_more_after_every_attempt() -> None:
    """With all articles for the candidate the chance of that is 2^-n."""
    fewest = []
    for attempt in (1, 2, 3, 10):
        for n in range(1, 20):
            human = np.tile([1.0, 2.0, 3.0], (n, 1))
            standard = -human
            standard[0] = 2.0, 1.0, 3.0  # right of two pairs; elsewhere of none
            found = superiority_test(human, standard, human, attempt)
            assert found.gain == pytest.approx(1 - 2 / (3 * n))
            assert found.adopted == (found.low is not None)
            if found.adopted:
                fewest.append(n)
                break
    assert fewest == [6, 7, 8, 12]


@pytest.mark.parametrize("n", [1, 2, 6, 40])
def test_gains_that_never_vary_prove_nothing(n: int) -> None:
    human = np.tile([1.0, 2.0], (n, 1))
    for candidate in (human, -human):
        found = superiority_test(human, -human, candidate)
        assert (found.low, found.high, found.adopted) == (None, None, False)
        assert (found.why == NEVER_VARIES) is (n > 1)
        if n > 4:
            assert correlations(human, -human, human).difference.interval.why == NEVER_VARIES  # type: ignore[union-attr]


def test_all_attempts_together_err_no_more_than_one_may() -> None:
    assert confidence_of(1) == 0.95
    assert sum((1 - confidence_of(attempt)) / 2 for attempt in range(1, 10_000)) == pytest.approx(ALPHA, abs=1e-5)


def test_it_says_how_many_articles_such_a_gain_would_take() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(30, 4))
    found = superiority_test(human, human + rng.normal(0, 1.2, human.shape), human + rng.normal(0, 1, human.shape))
    assert found.low is not None
    assert found.gain is not None
    assert found.low < 0 < found.gain
    assert found.needed == math.ceil(30 * ((found.gain - found.low) / found.gain) ** 2)
    assert superiority_test(human, human + rng.normal(0, 3, human.shape), human).needed is None


def test_noise_does_not_pass_and_a_better_metric_does() -> None:
    rng = np.random.default_rng(4)
    passed = {"ties": 0, "noise": 0, "equal": 0, "better": 0}
    rounds = 300
    for _ in range(rounds):
        truth = rng.normal(0, 10, (12, 5))
        human, standard, equal = (np.round((truth + rng.normal(0, 8, truth.shape)) / 5) * 5 for _ in range(3))
        tried = {
            "ties": standard + rng.normal(0, 0.01, truth.shape),
            "noise": standard + rng.normal(0, 5, truth.shape),
            "equal": equal,
            "better": truth,
        }
        for name, candidate in tried.items():
            passed[name] += superiority_test(human, standard, candidate).adopted
    assert max(passed["ties"], passed["noise"], passed["equal"]) <= 0.05 * rounds
    assert passed["better"] >= 0.2 * rounds


# In the program


def rows_of(seed: int, articles: int, noise: float = 1) -> list[tuple[object, ...]]:
    """Scores of five systems by people, and by two metrics of which the second sees more."""
    chance = random.Random(seed)
    rows: list[tuple[object, ...]] = []
    for direction, article, system in product(("zh-en", "en-zh"), range(articles), "ABCDE"):
        score = chance.randrange(20)
        where = system, f"{direction} {article}", direction
        rows += [
            ("human", *where, score, 1),
            ("old", *where, score + round(chance.gauss(0, 40)), 0),
            ("new", *where, score + round(chance.gauss(0, noise)), 0),
        ]
    return rows


@pytest.fixture
def scores(discox: Command, tmp_path: Path) -> Path:
    """A library of such scores."""
    path = tmp_path / "library.db"
    table = written(tmp_path / "scores.csv", rows_of(1, 12))
    assert discox("import", "scores", table, "--db", path).code == 0
    return path


def claims_of(discox: Command, path: Path, *options: object) -> dict[str, dict[str, Any]]:
    """The claims that the command makes, by direction."""
    ran = discox("consistency", "--db", path, "--json", *options)
    assert ran.code == 0, ran.err
    return {each["direction"]: each for each in strict(ran.out)["claims"]}


def kept(path: Path) -> int:
    with closing(open_library(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM comparisons").fetchone()[0])


def test_every_attempt_is_kept_and_counted_once(discox: Command, scores: Path, tmp_path: Path) -> None:
    def attempts(*options: object) -> list[tuple[int, int]]:
        return [(each["attempt"], each["attempts"]) for each in claims_of(discox, scores, *options).values()]

    first = claims_of(discox, scores, "--compare", "old", "new")
    assert [(each["attempt"], each["attempts"], each["confidence"]) for each in first.values()] == [(1, 1, 0.95)] * 2
    assert kept(scores) == 2
    again = claims_of(discox, scores, "--compare", "old", "new", "--ties", "half", "--seed", 5)
    assert again == first, "the same once more is no other attempt"
    assert attempts("--compare", "new", "old") == [(2, 2)] * 2, "the other way round is"
    assert attempts("zh-en", "--compare", "old", "new") == [(1, 2)], "the same scores of one direction are not"
    assert attempts("zh-en 1", "--compare", "old", "new") == [(3, 3)], "a part of the articles is"
    assert attempts("en-zh", "--compare", "old", "new") == [(1, 2)], "of the other direction nothing was tried"
    later = written(tmp_path / "more.csv", [("human", "A", "zh-en 0", "zh-en", 100, 1)])
    assert discox("import", "scores", later, "--db", scores).code == 0
    assert attempts("zh-en", "--compare", "old", "new") == [(4, 4)], "other scores by people are another look"
    found = claims_of(discox, scores, "zh-en", "--compare", "new", "old")["zh-en"]
    assert (found["attempt"], found["confidence"]) == (5, confidence_of(5))
    assert kept(scores) == 7


def test_nothing_is_kept_but_what_was_asked(discox: Command, scores: Path) -> None:
    for options in ((), ("--compare", "A", "B"), ("--by", "system"), ("--html", scores.parent / "a.html")):
        assert discox("consistency", "--db", scores, *options).code == 0
    assert kept(scores) == 0
    assert "claims" not in strict(discox("consistency", "--db", scores, "--json").out)


def test_the_claim_is_the_same_wherever_it_is_shown(discox: Command, scores: Path, tmp_path: Path) -> None:
    found = claims_of(discox, scores, "--compare", "old", "new")
    assert [each["adopted"] for each in found.values()] == [True, True]
    for direction, each in found.items():
        by_hand = superiority_test(*sheet(rows_of(1, 12), direction))
        assert (each["gain"], each["low"], each["high"]) == (by_hand.gain, by_hand.low, by_hand.high)
        assert each["gain"] == pytest.approx(each["candidate_c_index"] - each["standard_c_index"])
    text = discox("consistency", "--db", scores, "--compare", "old", "new").out
    claim = text[text.index("TWO METRICS COMPARED") :]
    assert "Is new more consistent with humans than old?" in claim
    assert "zh-en: proven gain: new is more consistent with humans than old." in claim
    assert f"{found['zh-en']['gain']:+.3f}  {found['zh-en']['low']:+.3f} {found['zh-en']['high']:+.3f}" in claim
    assert claim.index("proven gain") < claim.index("Described by acc_eq")
    assert max(map(cell_len, claim.splitlines())) <= 80
    turned = discox("consistency", "--db", scores, "--compare", "new", "old").out
    assert "zh-en: no proven gain: new is kept." in turned
    assert "98.33 %   2 of 2" in turned
    out = discox("consistency", "--db", scores, "--compare", "old", "new", "--csv").out
    rows = [row for row in csv.DictReader(io.StringIO(out)) if row["figure"] == "gain in c_index"]
    assert [(row["metric"], row["direction"], row["adopted"], row["attempt"], row["attempts"]) for row in rows] == [
        ("new", direction, each["said"], "1", "2") for direction, each in found.items()
    ]
    for form in ("--html", "--markdown", "--latex"):
        page = discox("consistency", "--db", scores, "--compare", "old", "new", form, "-").out
        assert "Is new more consistent with humans than old?" in page
        assert "zh-en: proven gain: new is more consistent with humans than old." in page
        assert "1 of 2" in page


def test_what_is_not_proven_says_how_many_more_articles_it_takes(discox: Command, tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    human = chance.normal(size=(14, 4))
    scores = {
        "human": human,
        "old": human + chance.normal(0, 1, (14, 4)),
        "new": human + chance.normal(0, 0.8, (14, 4)),
    }
    path = tmp_path / "s.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            [("metric", "system", "article", "direction", "score", "human")]
            + [
                (m, s, a, "zh-en", x[a, s], m == "human")
                for m, x in scores.items()
                for a in range(14)
                for s in range(4)
            ]
        )
    asked = ("consistency", "--scores", path, "--compare", "old", "new")
    (claim,) = strict(discox(*asked, "--json").out)["claims"]
    assert claim["needed"] > claim["n"] == 14
    text = " ".join(discox(*asked).out.split())
    assert f"about {claim['needed'] - 14} more, {claim['needed']} articles in all, would prove it" in text
    (row,) = (row for row in csv.DictReader(io.StringIO(discox(*asked, "--csv").out)) if row["adopted"])
    assert int(row["further"]) == claim["needed"] - 14


def sheet(rows: list[tuple[object, ...]], direction: str) -> tuple[Table, Table, Table]:
    articles = sorted({row[2] for row in rows if row[3] == direction}, key=str)
    human, old, new = (
        np.array(
            [[row[4] for row in rows if row[0] == name and row[2] == article] for article in articles], dtype=float
        )
        for name in ("human", "old", "new")
    )
    return human, old, new


def test_where_there_is_nothing_to_see_nothing_is_counted(discox: Command, tmp_path: Path) -> None:
    rows = [row for row in rows_of(2, 5) if row[0] != "human" or row[3] == "zh-en"]
    path = tmp_path / "library.db"
    assert discox("import", "scores", written(tmp_path / "scores.csv", rows), "--db", path).code == 0
    found = claims_of(discox, path, "--compare", "old", "new")
    assert (found["en-zh"]["gain"], found["en-zh"]["attempts"], found["zh-en"]["attempts"]) == (None, 0, 1)
    assert kept(path) == 1
    text = " ".join(discox("consistency", "--db", path, "--compare", "old", "new").out.split())
    assert "– en-zh: there is no article in which people tell two systems apart that both metrics scored." in text
    assert f"Left out of en-zh: {NO_SCORE} (5)." in text


def test_metrics_of_different_directions_are_refused(discox: Command, tmp_path: Path) -> None:
    rows = [row for row in rows_of(2, 5) if row[0] == "human" or (row[0] == "old") == (row[3] == "zh-en")]
    ran = discox("consistency", "--scores", written(tmp_path / "scores.csv", rows), "--compare", "old", "new")
    assert ran.code == 1
    assert "old and new have scores in no direction that is the same" in ran.err


def test_tables_alone_count_as_the_first_attempt_and_say_so(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "scores.csv", rows_of(2, 5))
    for _ in range(2):
        ran = discox("consistency", "--scores", path, "--compare", "old", "new")
        assert "tables of scores alone have no library that counts" in " ".join(ran.out.split())
        assert "it takes 6 articles at least to show anything at this attempt, and 5 count" in " ".join(ran.out.split())
        plain = strict(discox("consistency", "--scores", path, "--compare", "old", "new", "--json").out)
        assert [(each["attempt"], each["attempts"]) for each in plain["claims"]] == [(1, None), (1, None)]
        assert [each["adopted"] for each in plain["claims"]] == [False, False]


def score_rows(seed: int, articles: int) -> tuple[ScoreRow, ...]:
    return tuple(
        ScoreRow(str(metric), str(system), str(article), str(direction), float(str(score)), bool(human))
        for metric, system, article, direction, score, human in rows_of(seed, articles)
    )


def test_articles_that_a_judge_was_shown_examples_of_do_not_count(tmp_path: Path) -> None:
    says = signature()
    taught = replace(says, examples="pack/" + "0" * 20, examples_of=(("zh-en 3", "0" * 12),), examples_words="0" * 8)
    scores = tuple(row for row in score_rows(3, 8) if row.direction == "zh-en")
    with closing(open_library(tmp_path / "a.db")) as connection:
        for article in sorted({row.article for row in scores}):
            connection.execute(
                "INSERT INTO articles VALUES (?, ?, 'zh-en', '', '', ?, '', '')",
                (f"id {article}", article, f"text {article}"),
            )
        for shown, cross_fitted, n in ((says, "", 8), (taught, "", 7), (taught, "5", 8)):
            signed = replace(shown, cross_fitted=cross_fitted).text
            table = ScoreTable(scores, {"old": Metric("old", (says.text,)), "new": Metric("new", (signed,))})
            (claim,) = claims(table, "old", "new", connection)
            assert claim.gate.n == n
            assert claim.gate.left_out == ({SEEN: 1} if n == 7 else {})


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_names_are_harmless(name: str) -> None:
    scores = tuple(replace(row, metric=name) if row.metric == "new" else row for row in score_rows(4, 7))
    table = ScoreTable(tuple(replace(row, direction=name) for row in scores))
    found = with_metrics(compute_pairwise(table, resamples=2), "old", name)
    text = as_text(pairwise_sections(replace(found, claims=claims(table, "old", name))))
    assert "Is " in text
    assert not {*text} - {"\n"} & CONTROL
    assert text == "\n".join(map(safe, text.split("\n")))


@pytest.fixture
def with_chrf(sample: Path, tmp_path: Path) -> Path:
    """The sample with scores by another metric."""
    with closing(open_library(sample)) as connection:
        rows = connection.execute("SELECT system, article FROM evaluations WHERE state = 'scored'").fetchall()
        lines = ["metric,system,article,score", *(f"chrF,{system},{key},{i}" for i, (system, key) in enumerate(rows))]
        (tmp_path / "scores.csv").write_text("\n".join(lines), encoding="utf-8")
        import_path(connection, tmp_path / "scores.csv", format="scores")
    return sample


def test_a_judge_that_people_began_from_has_that_said(discox: Command, with_chrf: Path) -> None:
    for pair, said in ((("chrf", "meridian"), True), (("meridian", "chrf"), False)):
        text = " ".join(discox("consistency", "--db", with_chrf, "--compare", *pair).out.split())
        assert ("are what reviewers left of the errors of Metric-S (meridian-pro)" in text) is said
        assert "no proven gain" in text


async def test_the_screen_describes_and_claims_nothing(with_chrf: Path) -> None:
    async with opened(with_chrf) as driver:
        screen = await consistency(driver)
        await part(driver, "5")
        text = screen.query_one("#figures", TextBlock).text
        assert "No claim: discox consistency --compare A B makes one, and counts it." in text
        assert "proven gain" not in text
    assert kept(with_chrf) == 0


# Correlations beside a claim


def test_correlations_are_those_within_the_articles_that_count() -> None:
    drawn = np.random.default_rng(5)
    human = drawn.integers(40, 90, (9, 4)).astype(float)
    human[7] = 60  # people tie everything
    one, other = human + drawn.normal(0, 20, human.shape), human / 3 + drawn.normal(0, 3, human.shape)
    other[2, 1] = np.nan
    found = correlations(human, one, other, seen=[4])
    rows = [0, 1, 2, 3, 5, 6, 8]
    known = np.isfinite(other)

    def within(values: Any) -> Any:
        return np.concatenate([values[row][known[row]] - values[row][known[row]].mean() for row in rows])

    wanted = [np.corrcoef(within(human), within(each))[0, 1] for each in (one, other)]
    assert (found.standard, found.candidate) == pytest.approx(wanted)
    assert found.difference.value == pytest.approx(wanted[1] - wanted[0])
    assert found.difference.n == len(rows)
    low, high = found.difference.interval.ends  # type: ignore[union-attr, misc]
    assert low < found.difference.value < high  # type: ignore[operator]
    swapped = correlations(human, other, one, seen=[4])
    assert swapped.difference.value == pytest.approx(-found.difference.value)  # type: ignore[operator]
    moved = correlations(human + 7, one - 3, other, seen=[4])
    assert moved.difference.interval.ends == pytest.approx((low, high))  # type: ignore[union-attr]


def test_correlations_are_undefined_of_what_never_differs() -> None:
    human = np.arange(24.0).reshape(6, 4) ** 2
    flat = human.mean(1, keepdims=True) + np.zeros((6, 4))
    found = correlations(human, flat, human)
    assert (found.standard, found.candidate, found.difference.value) == (None, 1, None)
    assert found.difference.why == NEVER_DIFFERS
    assert correlations(human, human, human, seen=range(6)).difference.value is None


def test_correlations_stand_beside_a_claim_in_every_form(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    drawn = np.random.default_rng(2)
    rows = ["metric,system,article,direction,score,human,rater"]
    for article in range(8):
        for system in range(4):
            score = int(drawn.integers(40, 90))
            rows.append(f"human,s{system},{article},zh-en,{score},1,ana")
            rows += [f"{name},s{system},{article},zh-en,{score + drawn.normal(0, by):.1f},0," for name, by in _METRICS]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    asked = ("consistency", "--scores", path, "--compare", "A", "B")
    (claim,) = json.loads(discox(*asked, "--json").out)["claims"]
    difference = claim["correlations"]["difference"]
    assert difference["value"] == pytest.approx(claim["correlations"]["candidate"] - claim["correlations"]["standard"])
    said = f"difference {difference['value']:+.3f} (95 %"
    assert said in " ".join(discox(*asked).out.split())
    discox(*asked, "--markdown", tmp_path / "out.md", "--html", tmp_path / "out.html")
    assert said in (tmp_path / "out.md").read_text("utf-8").replace("\\", "")
    assert said in (tmp_path / "out.html").read_text("utf-8")
    (row,) = (row for row in csv.DictReader(io.StringIO(discox(*asked, "--csv").out)) if "correl" in row["figure"])
    assert float(row["value"]) == pytest.approx(difference["value"], abs=1e-5)
    assert float(row["low"]) == pytest.approx(difference["interval"][0], abs=1e-5)


_METRICS = (("A", 20), ("B", 5))
