"""Repeated judgements where people meet them: the leaderboard, audited or not, and consistency."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from judges.metric_s.protocol.signature import Signature
from storage.db.connection import transaction
from storage.integrity.opening import open_library
from storage.runs.runs import Work, store_judged
from tests.conftest import Command
from tests.discox_tui.cli.test_votes import samples, words
from tests.judges.ranking.test_judge_votes import error
from tests.support import builders

ENDING = "|aggregate:reciprocal-rank|samples:4|outliers:2sd"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Four samples of one judge of one translation: 95, 85 and 90 points, and one that failed."""
    with closing(open_library(tmp_path / "library.db")) as connection:
        found = [[error(n) for n in range(1, most + 1)] for most in (1, 3, 2)]
        samples(connection, *found)
        with transaction(connection):
            run = builders.start(connection)
            translation = connection.execute("SELECT id FROM translations").fetchone()[0]
            failed = builders.judged("judge_failed", found=())
            store_judged(connection, run, Work(translation, 4), builders.signature(), failed)
    return tmp_path / "library.db"


def board(discox: Command, path: Path, *options: object) -> dict[str, Any]:
    result = discox("leaderboard", "--weigh", "reciprocal-rank", "--db", path, "--json", *options)
    assert (result.code, result.err) == (0, "")
    (found,) = next(iter(json.loads(result.out).values()))
    assert isinstance(found, dict)
    return found


def test_the_leaderboard_says_how_the_score_was_made(discox: Command, path: Path) -> None:
    found = board(discox, path)
    assert found["judge"] == "reciprocal-rank of osprey ×4"
    assert found["signature"].endswith(ENDING)
    assert Signature.parse(found["signature"]).text == found["signature"]
    assert found["repeated"] == {
        "usable": [{"samples": 3, "translations": 1}], "outliers": 0, "failed": 1, "plain": 0
    }  # fmt: skip
    total = found["rankings"][0]["standings"][0]
    assert total["mean"]["value"] == pytest.approx((95 + 90 / 2 + 85 / 3) * 6 / 11)
    assert total["counts"]["judge_failed"] == 0
    text = words(discox("leaderboard", "--weigh", "reciprocal-rank", "--db", path).out)
    assert "usable samples: 1 translation of 3. Left out: 1 sample of which a judge failed." in text
    assert "Plain mean" not in text
    plain = json.loads(discox("leaderboard", "--db", path, "--json").out)["leaderboards"][0]
    assert plain["signature"] + ENDING == found["signature"]
    assert plain["rankings"][0]["standings"][0]["mean"]["value"] == 90


def test_an_audited_leaderboard_takes_it_as_the_judges_score(discox: Command, path: Path) -> None:
    assert board(discox, path, "--audited")["repeated"]["failed"] == 1


def test_consistency_has_it_beside_the_judge(discox: Command, path: Path) -> None:
    shown = json.loads(discox("consistency", "--db", path, "--json").out)
    mine = "Metric-S (reciprocal-rank of osprey ×4)"
    assert {"Metric-S (osprey)", mine} <= shown["metrics"].keys()
    assert any(warning.startswith(f"{mine}: ") and "1 sample of which" in warning for warning in shown["warnings"])


def test_fewer_than_three_are_a_plain_mean_and_no_metric_of_their_own(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "two.db"
    with closing(open_library(path)) as connection:
        samples(connection, [error(1)], [])
    found = board(discox, path)
    assert found["repeated"]["plain"] == 1
    assert found["rankings"][0]["standings"][0]["mean"]["value"] == 97.5
    assert "Plain mean: 1 translation with fewer than 3 usable samples." in words(
        discox("leaderboard", "--weigh", "reciprocal-rank", "--db", path).out
    )
    shown = json.loads(discox("consistency", "--db", path, "--json").out)
    assert not [name for name in shown["metrics"] if "reciprocal" in name]
