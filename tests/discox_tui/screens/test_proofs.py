"""Proofs beside the errors of the review: at either evaluation, literally, and never before the errors are shown."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from discox_tui.screens.review.deduplication import DeduplicationScreen
from discox_tui.screens.review.screen import ReviewScreen
from judges.metric_s.protocol.proofs import proved_judgement
from judges.metric_s.protocol.protocol import Judged, Settings
from judges.model import Place, Proof
from storage.db.connection import transaction
from storage.integrity.opening import open_library
from storage.record.groundings import read_grounded
from storage.reviews.blinding import choose_blinding
from storage.runs.runs import Work, store_proved
from tests.conftest import Command
from tests.discox_tui.screens.test_beside import row_of
from tests.support import builders
from tests.support.driving import SMALL, opened

HERE = Place("translation", 0, 36)
PROOFS = (
    Proof(
        "proved", HERE, "The river [b]runs low[/b].\x1b[31m", "mended", "it runs low", "mended", "low\u202e is right"
    ),
    Proof("unproved", HERE, "The ferry always crosses.", "original", "no gain", "mended", "the first one"),
    Proof("not_tried", HERE, reason="mending: the model declined to answer"),
    Proof("unproved", HERE, "Same.", reason="the mend changes nothing"),
    None,
    None,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library.db"


@pytest.fixture
def made(path: Path) -> tuple[str, str]:
    """An evaluation and the one that its proofs made; their ids."""
    settings = Settings("openai", builders.SERVER, "osprey")
    with closing(open_library(path)) as connection:
        original = builders.a_run(connection)
        evaluation = read_grounded(connection, original)
        query = "SELECT run_id, translation_id FROM evaluations WHERE id = ?"
        run, translation = connection.execute(query, (original,)).fetchone()
        proofs = (*PROOFS[:5], Proof("proved", HERE, "x", "mended", "", "mended", ""))
        with transaction(connection):
            proved = store_proved(
                connection,
                run,
                Work(translation, 1),
                original,
                signature=builders.signature().proved(settings),
                judged=Judged(proved_judgement(evaluation.judgement, proofs, settings), {}),
                proofs=proofs,
            )
        read_grounded(connection, proved)
    return original, proved


async def test_the_detail_has_mend_and_checks_at_the_original(path: Path, made: tuple[str, str]) -> None:
    async with opened(path, start=made[0]) as driver:
        await driver.on(ReviewScreen)
        said = driver.detail
        assert "proof  proved: the mended sentence is better, whichever comes first" in said
        assert "mend  The river [b]runs low[/b]." in said
        assert "runs low[/b]" in driver.text
        assert "\x1b" not in driver.text
        assert "\u202e" not in driver.text
        assert "check  original first: mended. it runs low" in said
        assert "check  mended first: mended. low" in said
        await driver.press("]")
        assert "unproved: the mended sentence is not better whichever comes first" in driver.detail
        assert "costs nothing" not in driver.detail
        assert "check  original first: original. no gain" in driver.detail
        await driver.press("]")
        assert "not tried (mending: the model declined to answer)" in driver.detail
        assert "mend  " not in driver.detail


async def test_a_proved_evaluation_says_what_it_leaves_out_and_brings_it_back(
    path: Path, made: tuple[str, str]
) -> None:
    async with opened(path, start=made[1]) as driver:
        await driver.on(ReviewScreen)
        evaluation = driver.app.session.evaluation
        assert evaluation is not None
        unproved = [each.number for each in evaluation.findings if each.left_out_unproved]
        assert unproved == [2, 4]
        # 60 − 5 − 5, 20, 20 − 5: the critical and the minor error cost nothing.
        assert evaluation.score is not None
        assert (evaluation.score.total, len(evaluation.errors)) == (85, 3)
        await driver.press("D")
        screen = await driver.on(DeduplicationScreen)
        assert "mended, their sentences were no better" in driver.text
        screen.select(row_of(screen, 2))
        await driver.press("b")
        assert driver.verdict(2).decision == "restore"
        human = driver.app.session.human
        assert human is not None
        assert human.total == 75


async def test_nothing_of_a_proof_is_shown_while_the_errors_are_hidden(
    discox: Command, path: Path, made: tuple[str, str]
) -> None:
    with closing(open_library(path)) as connection:
        choose_blinding(connection, "mei", "first")
    for identity in made:
        text = discox("show", identity, "--db", path).out + discox("show", identity, "--db", path, "--json").out
        assert not [word for word in ("mend", "runs low", "proved", "original first") if word in text]
        async with opened(path, start=identity, size=SMALL) as driver:
            await driver.on(ReviewScreen)
            assert not [word for word in ("mend", "runs low", "proved", "original first") if word in driver.text]
            assert not [word for word in ("mend", "runs low", "proved", "original first") if word in driver.detail]


def test_show_has_them_for_people_and_programs(discox: Command, path: Path, made: tuple[str, str]) -> None:
    found = json.loads(discox("show", made[0], "--db", path, "--json").out)["findings"]
    assert found[1]["proof"] == {
        "state": "unproved",
        "passage": [0, 36],
        "mend": "The ferry always crosses.",
        "original_first": {"preferred": "original", "why": "no gain"},
        "mended_first": {"preferred": "mended", "why": "the first one"},
        "reason": "",
    }
    assert found[4]["proof"] is None
    text = discox("show", made[1], "--db", path).out
    assert "not better whichever comes first, so it costs nothing" in text
    assert "\x1b" not in text
    assert discox("export", "jsonl", path.with_name("out.jsonl"), "--db", path).code == 0
    exported = [json.loads(line) for line in path.with_name("out.jsonl").read_text(encoding="utf-8").splitlines()]
    findings = [each for row in exported for each in row["findings"]]
    assert [each["proof"] for each in findings][:6] == ["proved", "unproved", "not_tried", "unproved", None, "proved"]
