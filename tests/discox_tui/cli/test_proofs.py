"""Proved errors, from the command that asks for them to the figures that they change, over a real socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from judges.metric_s.protocol.signature import Signature
from judges.providers import client
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.support.judge_script import MENDED, SCORE, Question, Said, ScriptedJudge
from tests.support.judging import asking, calls, intact, judge, report, rows, shown
from tests.support.scripted_server import ScriptedServer, openai
from tests.support.tables import dump

ONE = ("--article", "essay-02", "--system", "aurora-72b")
"""One translation: errors 1 to 4 stand (5, 10, 5 of accuracy, 2 of fluency), 5 is dropped for the first."""


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failures on the way are followed by the next try at once."""
    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.0)


def made(database: Path) -> dict[str, tuple[str, int, list[list[str]]]]:
    """Judge's label → id, total and flags of its latest evaluation."""
    found = rows(
        database, "SELECT judge, id, total, flags FROM evaluations WHERE judge LIKE 'kestrel%' ORDER BY position"
    )
    return {label: (identity, total, json.loads(flags)) for label, identity, total, flags in found}


def proofs(discox: Command, database: Path, label: str = "kestrel:proved") -> dict[int, Any]:
    """Number → proof of the findings of an evaluation."""
    found = shown(discox, database, made(database)[label][0])["findings"]
    return {each["number"]: each["proof"] for each in found}


def prefers_first(question: Question, times: int) -> Said:
    """A comparison by the order alone."""
    return json.dumps({"explanation": "the first one", "better": "first"})


def test_errors_are_mended_and_compared_in_both_orders(discox: Command, sample: Path) -> None:
    script = ScriptedJudge()
    with ScriptedServer(openai(script)) as server:
        before = report(judge(discox, sample, server, *ONE, "--json"))
        original = made(sample)["kestrel"]
        stored = rows(sample, "SELECT * FROM findings WHERE evaluation_id = ?", original[0])
        said = report(judge(discox, sample, server, *ONE, "--prove", "--json"))
        again = report(judge(discox, sample, server, *ONE, "--prove", "--json"))
    assert (before["calls"], said["calls"], said["proving"]["calls"]) == (6, 0, 10)
    # Errors 1 and 3 are of one sentence, so that the same comparisons are asked once.
    assert (script.steps["mend"], script.steps["comparison"]) == (4, 6)
    assert said["proving"]["done"] == 1
    assert again["proving"]["calls"] == again["proving"]["done"] == 0
    assert (made(sample)["kestrel"], rows(sample, "SELECT * FROM findings WHERE evaluation_id = ?", original[0])) == (
        original,
        stored,
    )
    assert made(sample)["kestrel:proved"][1:] == (SCORE["total"], [])
    of = proofs(discox, sample)
    assert [of[n] and of[n]["state"] for n in range(1, 6)] == ["proved"] * 4 + [None]
    assert of == proofs(discox, sample, "kestrel")
    translation = shown(discox, sample, original[0])["translation"]
    start, end = of[4]["passage"]
    assert of[4]["mend"] == f"{MENDED} {translation[start:end]}"
    assert of[4]["original_first"] == {"preferred": "mended", "why": f"second, for “{MENDED}”"}
    assert of[4]["mended_first"] == {"preferred": "mended", "why": f"first, for “{MENDED}”"}
    mend = next(each for each in script.asked if each.step == "mend")
    assert (len(mend.source), len(mend.translation)) == (1, 1)
    assert json.loads(mend.blocks["error"][0])["category"] == "mistranslation"
    compared = [each for each in script.asked if each.step == "comparison"]
    assert all("translation" not in each.blocks and each.source for each in compared)
    assert {outcome for step, outcome in calls(sample) if step in ("mend", "comparison")} == {"ok"}
    assert intact(sample)


def test_the_signature_is_one_of_its_own(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        said = judge(discox, sample, server, *ONE, "--prove")
    plain, proved = (
        shown(discox, sample, made(sample)[label][0])["signature"] for label in ("kestrel", "kestrel:proved")
    )
    assert proved.startswith(f"{plain}|proved:mend+2-comparisons/")
    assert Signature.parse(proved).text == proved
    assert Signature.parse(proved).asked != Signature.parse(plain).asked
    assert f"signature {proved}" in said.out
    assert "1 evaluation proved" in said.out


def test_what_the_order_decides_is_unproved_and_costs_nothing(discox: Command, sample: Path) -> None:
    def compare(question: Question, times: int) -> Said | None:
        by_order = "grammar" not in question.message and question.blocks["first"][0].count("Mended") < 2
        return prefers_first(question, times) if by_order else None

    with ScriptedServer(openai(ScriptedJudge({"comparison": compare}))) as server:
        judge(discox, sample, server, *ONE, "--prove")
    identity, total, flags = made(sample)["kestrel:proved"]
    assert total == 100
    assert flags == [["errors_unproved", "4 of 4 errors are unproved, and cost nothing"]]
    of = proofs(discox, sample)
    assert (of[1]["state"], of[1]["original_first"]["preferred"], of[1]["mended_first"]["preferred"]) == (
        "unproved", "original", "mended",
    )  # fmt: skip
    findings = shown(discox, sample, identity)["findings"]
    assert [each["kept"] for each in findings] == [False] * 5
    assert [each["duplicate_of"] is None for each in findings] == [True] * 4 + [False]
    text = discox("show", "--db", sample, identity).out
    assert text.count("(left out as unproved)") == 4
    assert text.count("(dropped as a duplicate)") == 1
    assert "check: original first: original. the first one" in text
    assert made(sample)["kestrel"][1] == SCORE["total"]


def test_each_verdict_costs_what_it_should(discox: Command, sample: Path) -> None:
    """The critical error (10) changes nothing; the minor one (2) is no better; the others stand: 60 − 10, 20, 20."""

    def mend(question: Question, times: int) -> Said | None:
        critical = json.loads(question.blocks["error"][0]).get("severity") == "critical"
        return json.dumps({"mended": question.blocks["passage"][0]}) if critical else None

    def compare(question: Question, times: int) -> Said | None:
        return json.dumps({"explanation": "taste", "better": "equal"}) if question.source != titles[0] else None

    titles: list[tuple[str, ...]] = []

    def remembered(question: Question, times: int) -> Said | None:
        if not titles:
            titles.append(question.source[:1])
        return None

    script = ScriptedJudge({"mend": mend, "comparison": compare, "accuracy": remembered})
    with ScriptedServer(openai(script)) as server:
        judge(discox, sample, server, *ONE, "--prove")
    of = proofs(discox, sample)
    assert [of[n]["state"] for n in (1, 2, 3, 4)] == ["proved", "unproved", "proved", "unproved"]
    assert (of[2]["reason"], of[2]["original_first"]) == ("the mend changes nothing", None)
    assert (of[4]["original_first"]["preferred"], of[4]["mended_first"]["preferred"]) == ("neither", "neither")
    assert made(sample)["kestrel:proved"][1] == 50 + 20 + 20
    (row,) = rows(sample, "SELECT accuracy, fluency, errors FROM evaluations WHERE judge = 'kestrel:proved'")
    assert row == (50, 20, 2)


@pytest.mark.parametrize("step", ["mend", "comparison"])
def test_a_model_that_gives_nothing_usable_leaves_errors_untried(discox: Command, sample: Path, step: str) -> None:
    says: dict[str, Any] = {step: "I would rather not."}
    with ScriptedServer(openai(ScriptedJudge(says))) as server:
        said = report(judge(discox, sample, server, *ONE, "--prove", "--json"), code=1)
        assert (said["done"], said["proving"]["done"], said["proving"]["failed"]) == (1, 0, 1)
        _, total, flags = made(sample)["kestrel:proved"]
        assert total == SCORE["total"]
        ((code, message),) = flags
        assert (code, message[:41]) == ("errors_not_tried", "4 of 4 errors were not tried, and cost as")
        assert {each and each["state"] for each in proofs(discox, sample).values()} == {"not_tried", None}
        assert report(judge(discox, sample, server, *ONE, "--prove", "--json"))["proving"]["calls"] == 0
    with ScriptedServer(openai(ScriptedJudge())) as server:
        database = sample
        rest = discox("judge", "--db", database, *asking(server), *ONE, "--prove", "--json", "--retry-failed")
        # Another address is another judge: everything is asked of it.
        assert report(rest)["proving"]["failed"] == 0


def test_retrying_takes_the_place_of_what_was_tried_in_vain(discox: Command, sample: Path) -> None:
    bad = {"mend": "no"}
    script = ScriptedJudge(bad)
    with ScriptedServer(openai(script)) as server:
        judge(discox, sample, server, *ONE, "--prove")
        first = made(sample)["kestrel:proved"][0]
        script.says = {}
        said = report(judge(discox, sample, server, *ONE, "--prove", "--retry-failed", "--json"))
    assert (said["calls"], said["proving"]["done"], said["proving"]["failed"]) == (0, 1, 0)
    second = made(sample)["kestrel:proved"][0]
    assert rows(sample, "SELECT supersedes FROM evaluations WHERE id = ?", second) == [(first,)]
    assert {each["state"] for each in proofs(discox, sample, "kestrel").values() if each} == {"proved"}


def test_a_run_goes_on_where_it_stopped(discox: Command, sample: Path) -> None:
    script = ScriptedJudge()
    with ScriptedServer(openai(script)) as server:
        stopped = report(judge(discox, sample, server, *ONE, "--prove", "--max-calls", 9, "--json"), code=1)
        assert (stopped["done"], stopped["proving"]["done"], stopped["proving"]["calls"]) == (1, 0, 3)
        assert "kestrel:proved" not in made(sample)
        assert report(judge(discox, sample, server, *ONE, "--prove", "--json"))["proving"]["calls"] == 7
        assert len(server.requests) == 16
    replayed = discox("judge", "--db", sample, "--provider", "replay", "--model", "kestrel", *ONE, "--prove")
    assert (replayed.code, "nothing is left to prove" in replayed.out) == (0, True)


def test_a_dry_run_says_beforehand_what_it_takes(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        unjudged = report(judge(discox, sample, server, *ONE, "--prove", "--dry-run", "--json"))
        assert (unjudged["pieces"], unjudged["proved"], unjudged["errors_proved"]) == (1, 1, 4)
        assert (unjudged["calls_by_step"]["mend"], unjudged["calls_by_step"]["comparison"]) == (4, 8)
        judge(discox, sample, server, *ONE)
        before = dump(sample)
        asked = len(server.requests)
        judged = report(judge(discox, sample, server, *ONE, "--prove", "--dry-run", "--json"))
        assert (judged["pieces"], judged["proved"], judged["errors_proved"], judged["calls"]) == (0, 1, 4, 12)
        text = judge(discox, sample, server, *ONE, "--prove", "--dry-run").out
        assert "to prove 4 errors of 1 evaluation among them" in text
        assert "|proved:mend+2-comparisons/" in text
        assert (len(server.requests), dump(sample)) == (asked, before)


def test_what_failed_the_check_is_proved_without_a_call(discox: Command, sample: Path) -> None:
    says: Mapping[str, Any] = {"instruction_check": json.dumps({"explanation": "a summary", "verdict": "fail"})}
    with ScriptedServer(openai(ScriptedJudge(says))) as server:
        said = report(judge(discox, sample, server, *ONE, "--prove", "--json"))
    assert (said["calls"], said["proving"]["calls"], said["proving"]["done"]) == (1, 0, 1)
    assert made(sample)["kestrel:proved"][1] == 0


def test_samples_are_proved_each_for_itself(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        judge(discox, sample, server, *ONE, "--samples", 2, "--prove")
    assert set(made(sample)) == {"kestrel", "kestrel#2", "kestrel:proved", "kestrel:proved#2"}


def test_figures_show_both_side_by_side_and_proved_judges_vote_among_themselves(discox: Command, sample: Path) -> None:
    compare = {"comparison": prefers_first}
    with ScriptedServer(openai(ScriptedJudge(compare))) as server:
        judge(discox, sample, server, "--article", "essay-02", "--prove")
    boards = report(discox("leaderboard", "--db", sample, "--json", "kestrel"))["leaderboards"]
    totals = {board["judge"]: board["rankings"][0]["standings"][0]["mean"]["value"] for board in boards}
    assert totals == {"kestrel": SCORE["total"], "kestrel:proved": 100}
    metrics = report(discox("consistency", "--db", sample, "--json"))["metrics"]
    assert {"Metric-S (kestrel)", "Metric-S (kestrel:proved)"} <= metrics.keys()
    assert not [name for name in metrics if "votes" in name and "proved" in name]
    votes = report(discox("leaderboard", "--db", sample, "--json", "--weigh", "votes", "kestrel"))["leaderboards"]
    assert [board["judge"] for board in votes] == ["votes of kestrel", "votes of kestrel:proved"]


@pytest.mark.parametrize("more", [("--batch-status",), ("--batch-forget",), ("--scheme", "single-simple")])
def test_what_does_not_go_together_is_said(discox: Command, sample: Path, more: tuple[str, ...]) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        result = judge(discox, sample, server, "--prove", *more)
    assert (result.code, result.out, result.err.startswith("discox: --prove")) == (2, "", True)


def test_proofs_travel_with_their_evaluations(discox: Command, sample: Path, tmp_path: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        judge(discox, sample, server, *ONE, "--prove")
    of = proofs(discox, sample)
    archive, other, third = tmp_path / "library.zip", tmp_path / "other.db", tmp_path / "third.db"
    assert discox("export", "archive", archive, "--db", sample).code == 0
    assert discox("import", archive, "--db", other).code == 0
    assert proofs(discox, other) == of
    assert discox("merge", sample, "--db", third).code == 0
    assert discox("merge", sample, "--db", third).code == 0
    assert proofs(discox, third) == of
    with closing(open_library(third)) as connection:
        for table in ("proofs", "proved_evaluations"):
            with pytest.raises(Exception, match="only ever added"):
                connection.execute(f"DELETE FROM {table}")
