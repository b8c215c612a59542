"""Audits from plan to leaderboard, through the command and on the screen; the figures are computed here once more."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from contextlib import closing
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from judges.model import Finding, Severity
from storage.connection import Connection, open_database
from storage.review_log import ReviewLog, findings_of

from . import builders
from .conftest import Command

Scores = Any
"""An array, articles × systems."""
SYSTEMS = ("aurora", "heron", "plover", "sparrow")
ARTICLES = 16
KEYS = [f"article-{number:02}" for number in range(ARTICLES)]


def found(drawn: Random, more: int) -> tuple[Finding, ...]:
    """So many and more findings of the judge, of costs that differ."""
    number = drawn.randint(2, 5) + more
    severities: tuple[Severity, ...] = ("minor", "major", "critical")
    return tuple(
        Finding("accuracy", n, f"Error {n}.", str(n), "omission", "漏译", drawn.choice(severities), "严重")
        for n in range(1, number + 1)
    )


def fill(connection: Connection, articles: Collection[str] = KEYS, seed: int = 1) -> None:
    """Store one judge's evaluations of four systems' translations of every article."""
    drawn = Random(seed)
    for key in articles:
        hard = drawn.randint(0, 3)
        for place, system in enumerate(SYSTEMS):
            builders.add(connection, article=key, system=system, found=found(drawn, hard + place))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audits") / "filled.db"
    with closing(open_database(path)) as connection:
        fill(connection)
    return path


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "library.db"
    copy.write_bytes(filled.read_bytes())
    return copy


def evaluations(connection: sqlite3.Connection, article: str) -> list[str]:
    query = "SELECT id FROM evaluations WHERE article = ? ORDER BY system"
    return [row[0] for row in connection.execute(query, (article,))]


def audit(
    path: Path, articles: Collection[str], reviewer: str = "ana", *, search: bool = True, systems: int = len(SYSTEMS)
) -> None:
    """Let a reviewer audit articles: of every evaluation some findings are rejected, which ones only she knows."""
    with closing(open_database(path)) as connection, (log := ReviewLog(connection, reviewer)).as_one():
        for article in articles:
            drawn = Random(f"{reviewer} {article}")
            for identity in evaluations(connection, article)[:systems]:
                for finding in findings_of(connection, identity):
                    log.decide(identity, finding, decision=drawn.choice(["agree", "agree", "not_an_error"]))
                log.set_review(identity, state="done", **({"search": "done"} if search else {}))


def table(path: Path, query: str, *values: object) -> Scores:
    """Scores by article and system, articles × systems."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(query, values).fetchall()
    articles = sorted({row[0] for row in rows})
    scores = {(article, system): score for article, system, score in rows}
    return np.array([[scores[article, system] for system in SYSTEMS] for article in articles], dtype=float)


def judges_scores(path: Path) -> Scores:
    return table(path, "SELECT article, system, total FROM evaluations")


def peoples_scores(path: Path, reviewer: str = "ana") -> Scores:
    query = (
        "SELECT e.article, e.system, r.total FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id "
        "WHERE r.reviewer = ? AND r.search = 'done'"
    )
    return table(path, query, reviewer)


def centre(values: Scores) -> Scores:
    return values - values.mean(1, keepdims=True) - values.mean(0) + values.mean()


def slope_of(human: Scores, judge: Scores, n: int) -> float:
    power = (centre(judge) ** 2).sum()
    return float(max(0.0, (centre(human) * centre(judge)).sum() / power) / (1 + 2 / n)) if n >= 4 else 0.0


def plainly(judge: Scores, human: Scores, rows: list[int], target: str) -> dict[str, Any]:
    """The audited scores by the formulas, each written down as it stands."""
    articles, n, seen = len(judge), len(rows), judge[rows]
    slope = slope_of(human, seen, n)
    mean = judge.mean(0)
    scores = (human - slope * (seen - mean)).mean(0)
    errors = np.array(
        [human[d] - slope_of(np.delete(human, d, 0), np.delete(seen, d, 0), n) * (seen[d] - mean) for d in range(n)]
    )
    t = stats.t.ppf(0.975, n - 1)
    widths = []
    for s, u in combinations(range(len(SYSTEMS)), 2):
        e, f, seen_f = errors[:, s] - errors[:, u], judge[:, s] - judge[:, u], seen[:, s] - seen[:, u]
        variance = (1 - n / articles) * e.var(ddof=1) / n
        if target == "new-documents":
            together = np.cov(e, seen_f, ddof=1)[0, 1]
            variance = e.var(ddof=1) / n + slope**2 * f.var(ddof=1) / articles + 2 * slope * together / articles
        widths.append(t * np.sqrt(variance))
    x, y = mean - mean.mean(), scores - scores.mean()
    share = 1 - n / articles if target == "this-test-set" else 1.0
    v = (share * (errors - errors.mean(1, keepdims=True)).var(0, ddof=1) / n).mean()
    b = max(0.0, (x * y).sum() / (x**2).sum())
    rest = y - b * x
    tau = max(0.0, (rest**2).sum() / (len(SYSTEMS) - 2) - v)
    best = scores.mean() + b * x + (tau / (tau + v) if tau + v else 1.0) * rest
    return {"slope": slope, "audited": scores, "half_width": widths, "best_guess": best, "gap": -rest, "judge": mean}


def boards(discox: Command, path: Path, *options: object) -> list[dict[str, Any]]:
    result = discox("leaderboard", "--audited", "--db", path, "--json", *options)
    assert (result.code, result.err) == (0, "")
    return list(json.loads(result.out)["audited_leaderboards"])


def compare(cut: dict[str, Any], wanted: dict[str, Any]) -> None:
    by_system = {row["system"]: row for row in cut["scores"]}
    for name in ("judge", "audited", "best_guess", "gap"):
        assert [by_system[system][name] for system in SYSTEMS] == pytest.approx(list(wanted[name]), abs=1e-9), name
    assert [pair["half_width"] for pair in cut["pairs"]] == pytest.approx(wanted["half_width"], abs=1e-9)
    assert cut["slope"] == pytest.approx(wanted["slope"], abs=1e-12)
    for pair in cut["pairs"]:
        difference = by_system[pair["first"]]["audited"] - by_system[pair["second"]]["audited"]
        assert pair["difference"] == pytest.approx(difference)
        beyond = abs(difference) > pair["half_width"]
        assert pair["better"] == ((pair["first"] if difference > 0 else pair["second"]) if beyond else None)


# What counts


def test_a_full_audit_is_peoples_means_for_certain(discox: Command, path: Path) -> None:
    audit(path, KEYS)
    (board,) = boards(discox, path)
    (cut,) = board["cuts"]
    assert (cut["n"], cut["articles"], cut["saw_the_judge"]) == (ARTICLES, ARTICLES, ARTICLES)
    means = dict(zip(SYSTEMS, peoples_scores(path).mean(0), strict=True))
    assert {row["system"]: row["audited"] for row in cut["scores"]} == pytest.approx(means)
    assert {row["half_width"] for row in cut["scores"]} == {0.0}
    assert cut["undecided"] == []
    assert [row["audited"] for row in cut["scores"]] == pytest.approx(sorted(means.values(), reverse=True))


def test_what_people_chose_by_hand_is_left_out(discox: Command, path: Path) -> None:
    audit(path, KEYS[:6])
    (board,) = boards(discox, path)
    assert [(each["article"], each["drawn"], each["counts"]) for each in board["audited"]] == [
        (key, False, False) for key in KEYS[:6]
    ]
    assert board["cuts"][0]["n"] == 0
    text = discox("leaderboard", "--audited", "--db", path).out
    assert "6 audited articles that no plan drew" in " ".join(text.split())
    assert "No audited article counts yet" in text


def test_an_article_counts_once_it_is_whole(discox: Command, path: Path) -> None:
    audit(path, KEYS[1:])
    audit(path, KEYS[:1], systems=3)
    (board,) = boards(discox, path)
    assert board["incomplete"] == [{"article": KEYS[0], "direction": "zh-en", "why": ["ana, sparrow: not reviewed"]}]
    audit(path, KEYS[:1], "ben")
    assert boards(discox, path)[0]["audited"][0]["auditors"] == ["ben"]
    assert boards(discox, path, "--reviewer", "ana")[0]["incomplete"] != []


def test_without_the_search_for_missed_errors_nothing_counts(discox: Command, path: Path) -> None:
    audit(path, KEYS[:2], search=False)
    (board,) = boards(discox, path)
    assert board["audited"] == []
    why = [f"ana, {system}: search for missed errors not done" for system in SYSTEMS]
    assert [each["why"] for each in board["incomplete"]] == [why, why]


def test_articles_without_a_score_of_every_system_are_named(discox: Command, path: Path) -> None:
    with closing(open_database(path)) as connection:
        builders.add(connection, article="torn", system="aurora", state="judge_failed")
    (board,) = boards(discox, path)
    assert board["left_out"] == [
        {
            "article": "torn",
            "direction": "zh-en",
            "why": [
                "aurora: judge failed", *(f"{system}: no evaluation" for system in SYSTEMS[1:])
            ],
        }
    ]  # fmt: skip
    assert board["cuts"][0]["articles"] == ARTICLES


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--holm",), "--holm goes with --audited"),
        (("--target", "new-documents"), "--target goes with --audited"),
        (("--audited", "--seed", "0"), "--seed does not go with --audited"),
        (("--audited", "--published"), "--published does not go with --audited"),
        (("--audited", "--alpha", "0"), "--alpha takes a rate"),
        (("--audited", "--json", "--html", "-"), "only one"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    discox: Command, path: Path, options: tuple[str, ...], said: str
) -> None:
    result = discox("leaderboard", "--db", path, *options)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
