"""What was paid for survives: a run that is killed or interrupted at any moment is taken up where it was."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from wcwidth import wcswidth

from judges.providers import client
from tests.conftest import Command
from tests.support.judge_script import SCORE, Question, ScriptedJudge, answer, finding, found
from tests.support.judging import MODEL, PATIENCE, asking, calls, child, intact, judge, listed, report, rows
from tests.support.nightly import at_night, by_day
from tests.support.scripted_server import Response, ScriptedServer, chat, failure, openai

if os.name == "posix":
    from tests.support.terminal import Terminal

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")

ROUND = ("--article", "essay-02")
"""Three translations: 3 checks, 12 lists, 3 de-duplications."""
HANG = Response(manner="hang")


def until(holds: Callable[[], object], what: str) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.01)


@contextmanager
def started(database: Path, server: ScriptedServer, *more: object) -> Iterator[subprocess.Popen[str]]:
    """``discox judge`` in a process of its own, which is gone afterwards."""
    process = child("judge", "--db", database, *asking(server), *ROUND, *more)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


def paid(database: Path) -> int:
    """How many calls are on record."""
    return len(calls(database))


def not_quoted(question: Question, time: int) -> str:
    """A finding whose words stand nowhere, beside two that do."""
    wrong = finding(question, 0, "other", "major", target_quote="words that stand nowhere in it")
    items: list[dict[str, Any]] = json.loads(answer(question))["items"]
    return json.dumps(found(*items, wrong), ensure_ascii=False)


def garbage_first(question: Question, time: int) -> str | Response | None:
    return "A poem about ferries." if time == 1 else HANG


MOMENTS: dict[str, tuple[dict[str, Any], int, int]] = {
    "the check": ({"instruction_check": HANG}, 3, 0),
    "the judges": (dict.fromkeys(("accuracy", "rubric", "fluency", "appropriateness"), HANG), 8, 3),
    "one judge": ({"fluency": HANG}, 3, 3 + 9),
    "the de-duplication": ({"deduplication": HANG}, 3, 3 + 12),
    "a repair": ({"accuracy": not_quoted, "repair": HANG}, 3, 3 + 12),
    "a second try": ({"rubric": garbage_first}, 3, 3 + 12),
}
"""Where the server falls silent → what it is told, how many calls are in flight then, how many were answered."""


@by_day(1)
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_it_loses_the_calls_in_flight_and_nothing_else(discox: Command, sample: Path, moment: str) -> None:
    says, in_flight, answered = MOMENTS[moment]
    with ScriptedServer(openai(ScriptedJudge(says))) as server:
        with started(sample, server) as process:
            until(lambda: server.in_flight == in_flight and paid(sample) == answered, f"{moment} hangs")
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)
        assert len(server.requests) == answered + in_flight
        assert intact(sample)
        assert paid(sample) == answered
        assert listed(discox, sample) == []
        # The very server, healthy again: it is asked what is missing, and no more.
        healthy = ScriptedJudge({"accuracy": says["accuracy"]} if moment == "a repair" else {})
        server.routes = ScriptedServer(openai(healthy)).routes
        result = report(judge(discox, sample, server, *ROUND, "--json"))
    steps = Counter(step for step, outcome in calls(sample) if outcome == "ok")
    whole = dict.fromkeys(("instruction_check", "accuracy", "rubric", "fluency", "appropriateness", "deduplication"), 3)
    if moment == "a repair":
        whole["accuracy_repair"] = 3
    assert steps == whole
    assert (
        len(healthy.asked) == result["calls"] == sum(whole.values()) - answered + (3 if moment == "a second try" else 0)
    )
    assert result["done"] == 3
    if moment != "a repair":
        assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3
    assert intact(sample)


@at_night
def test_killed_over_and_over_it_comes_to_the_same(discox: Command, sample: Path) -> None:
    """Kills at no chosen moment; what was answered is asked again only if the answer was on its way at the kill."""

    def slowly(question: Question, time: int) -> Response:
        return Response(body=chat(answer(question)), delay=0.05)

    def got_on(process: subprocess.Popen[str], wanted: int) -> Callable[[], bool]:
        return lambda: process.poll() is not None or paid(sample) >= wanted

    scripted = ScriptedJudge({"*": slowly})
    lost = 0
    with ScriptedServer(openai(scripted)) as server:
        for turn in range(3):
            with started(sample, server, "--concurrency", "2") as process:
                until(got_on(process, 4 * (turn + 1)), "it has got on")
                process.kill()
                process.wait(PATIENCE)
            lost += 2
            assert intact(sample)
            assert len(server.requests) - paid(sample) <= lost
        assert judge(discox, sample, server, *ROUND).code == 0
        assert len(server.requests) <= 18 + lost
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3
    assert paid(sample) == 18


def test_what_was_complete_at_the_kill_is_shown_whole(discox: Command, sample: Path) -> None:
    """Errors are located at the end of a run, which this one never reaches."""

    def all_but_one(question: Question, time: int) -> Response | None:
        return HANG if len([each for each in scripted.asked if each.step == "deduplication"]) == 3 else None

    scripted = ScriptedJudge({"deduplication": all_but_one})
    with ScriptedServer(openai(scripted)) as server:
        with started(sample, server) as process:
            until(lambda: len(listed(discox, sample)) == 2, "two of three are stored")
            process.kill()
            process.wait(PATIENCE)
        killed = {row["id"]: discox("show", "--db", sample, "--json", row["id"]).out for row in listed(discox, sample)}
        server.routes = ScriptedServer(openai(ScriptedJudge())).routes
        assert judge(discox, sample, server, *ROUND).code == 0
    for identity, before in killed.items():
        assert json.loads(before)["findings"][0]["source_spans"]
        assert discox("show", "--db", sample, "--json", identity).out == before
    assert len(listed(discox, sample)) == 3


@at_night
def test_what_a_killed_run_left_unlocated_the_same_command_locates(discox: Command, sample: Path) -> None:
    unlocated = "SELECT count(*) FROM evaluations WHERE id NOT IN (SELECT evaluation_id FROM groundings)"
    with ScriptedServer(openai(ScriptedJudge())) as server:
        judge(discox, sample, server, *ROUND, "--no-ground")  # as far as a run gets that is killed before its end
        assert rows(sample, unlocated) == [(3,)]
        assert report(judge(discox, sample, server, *ROUND, "--json"))["calls"] == 0
    assert rows(sample, unlocated) == [(0,)]


# --- in good order ---


@by_day(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_interrupted_once_it_finishes_what_is_in_flight(discox: Command, sample: Path, number: int) -> None:
    heard = threading.Event()

    def late(question: Question, time: int) -> Response:
        return Response(body=chat(answer(question)), when=heard.is_set)

    with ScriptedServer(openai(ScriptedJudge({"*": late}))) as server:
        with started(sample, server, "--concurrency", "2", "--json") as process:
            until(lambda: server.in_flight == 2, "two calls are in flight")
            process.send_signal(number)
            assert process.stderr is not None
            err = process.stderr.readline()
            heard.set()
            out, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert len(server.requests) == 2
    said = json.loads(out)
    assert (said["calls"], said["outcomes"], said["done"]) == (2, {"ok": 2}, 0)
    assert said["stopped"] == "it was interrupted; the same command goes on from here"
    assert "stopping: calls in flight are finished and kept (again: stop at once)" in err
    assert calls(sample) == [("instruction_check", "ok")] * 2
    assert intact(sample)


@at_night
def test_interrupted_twice_it_stops_at_once(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge({"accuracy": HANG}))) as server:
        with started(sample, server) as process:
            until(lambda: paid(sample) == 3 + 9, "accuracy alone is missing")
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            assert "stopping" in process.stderr.readline()
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
    assert "discox: stopped; what was done until now is kept" in err
    assert "Traceback" not in err
    assert paid(sample) == 12
    assert intact(sample)


@at_night
def test_interrupted_while_it_waits_it_does_not_wait(discox: Command, sample: Path) -> None:
    pause = Response(429, {"error": {"message": "slow down"}}, {"retry-after": "600"})
    with ScriptedServer(openai(ScriptedJudge({"*": pause}))) as server, started(sample, server) as process:
        until(lambda: paid(sample) == 3, "all were told to wait")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "3 still to be done" in out
    assert "stopping" in err
    assert listed(discox, sample) == []


# --- a terminal ---


@by_day(1)
@pytest.mark.parametrize("size", [(160, 40), (80, 24), (30, 24)])
def test_on_a_terminal_progress_is_redrawn_and_taken_away(sample: Path, size: tuple[int, int]) -> None:
    overloaded = failure(500, "the model is overloaded by what everybody asks of it, 请稍后再试")

    seen = threading.Event()

    def late(question: Question, time: int) -> Response:
        return overloaded if time == 1 else Response(body=chat(answer(question)), when=seen.is_set)

    with ScriptedServer(openai(ScriptedJudge({"*": late}))) as server:
        terminal = Terminal(["--db", str(sample), "judge", *asking(server), *ROUND], size)
        try:
            terminal.until("of them in vain (500: the")
            assert re.match(r"judged 0 of 3 .* a second .* tokens", terminal.text.replace("\n", " "))
            terminal.until(lambda: terminal.output.count(b"\r\x1b[Jjudged 0 of 3") > 2)
            seen.set()
            assert terminal.end() == 0
        finally:
            terminal.close()
    output = bytes(terminal.output).decode()
    frames = re.findall(r"\r\x1b\[J(judged \d of 3[^\x1b]*)", output)
    assert len(frames) > 2
    assert all(wcswidth(row) <= size[0] for frame in frames for row in frame.strip().split("\r\n"))
    assert "judged" not in terminal.text.replace("translations judged", "")
    if size[0] < 80:
        return
    lines = [line.strip() for line in terminal.screen.display if line.strip()]
    assert lines[0] == "3 translations judged"
    assert lines[1].startswith("36 calls; 1,800 tokens in (0 cached), 360 out")
    assert not terminal.screen.cursor.hidden


@at_night
def test_on_a_terminal_ctrl_c_ends_it_in_good_order(sample: Path) -> None:
    heard = threading.Event()

    def late(question: Question, time: int) -> Response:
        return Response(body=chat(answer(question)), when=heard.is_set)

    with ScriptedServer(openai(ScriptedJudge({"*": late}))) as server:
        terminal = Terminal(["--db", str(sample), "judge", *asking(server), *ROUND], (160, 40))
        try:
            until(lambda: server.in_flight == 3, "the checks are in flight")
            terminal.until("judged 0 of 3")
            terminal.process.send_signal(signal.SIGINT)
            terminal.until("stopping: calls in flight are finished and kept")
            heard.set()
            assert terminal.end() == 1
        finally:
            terminal.close()
        assert len(server.requests) == 3
    assert any(line.startswith("stopping:") for line in terminal.screen.display)  # on a line of its own
    assert "0 translations judged; 3 still to be done" in terminal.text
    assert paid(sample) == 3
    assert MODEL not in terminal.text.partition("signature")[0]


def test_the_same_is_not_done_twice_at_a_time(discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.0)
    with ScriptedServer(openai(ScriptedJudge({"*": HANG}))) as server:
        with started(sample, server):
            until(lambda: len(server.requests) == 3, "the checks are in flight")
            again = judge(discox, sample, server, *ROUND)
            assert again.code == 1
            assert "another discox is judging by kestrel at http" in again.err
            assert len(server.requests) == 3
            # Accuracy alone asks some of the same questions.
            assert "another discox" in judge(discox, sample, server, *ROUND, "--scheme", "accuracy").err
            assert len(server.requests) == 3
            two = discox("judge", "--db", sample, *asking(server), *ROUND, "--model", "other", "--timeout", "0.1")
            assert two.err.count("another discox") == 1  # the other model is asked
        assert len(server.requests) > 3
    with ScriptedServer(openai(ScriptedJudge())) as server:
        assert judge(discox, sample, server, *ROUND).code in (0, 1)
        assert server.requests
