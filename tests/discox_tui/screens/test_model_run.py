"""Judging and translating from inside the app, against a scripted server over a real socket: the whole journey."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from discox_tui.config.paths import Settings
from discox_tui.palette import ActionsProvider
from discox_tui.runs.model_run import order_from_plain, order_to_plain
from discox_tui.runs.orders import JudgeOrder, TranslateOrder
from discox_tui.screens.common.app_base import UNFINISHED
from discox_tui.screens.common.dialogs import Ask, Choose
from discox_tui.screens.library.model_run import ModelRunScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.library.run_settings import QUEUE, rows_of
from storage.db.connection import transaction
from storage.db.run_lock import only_run
from storage.integrity.opening import open_library
from storage.reviews.blinding import HIDDEN, choose_blinding
from tests.conftest import Command
from tests.support.driving import SMALL, opened
from tests.support.judge_script import Question, ScriptedJudge, answer
from tests.support.judging import MODEL, PATIENCE, address, asking, calls, child, intact, listed, rows
from tests.support.model_runs import Gate, confirmed, ended, model_screen, news, run_of, serving, settings
from tests.support.scripted_server import Response, ScriptedServer, failure

WHOLE = 6
"""Calls that an evaluation of an article with rubric points takes."""
ONE, THREE = "essay-02 aurora", "essay-02"
"""Filters that leave one evaluation, and three."""


async def by_command(sample: Path, server: ScriptedServer, *more: object) -> Any:
    """Run ``discox judge --json`` in a process of its own, as a loop is running here, and return what it prints."""
    process = child("judge", "--db", sample, *asking(server), *more, "--json")
    out, err = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    assert process.returncode == 0, err
    return json.loads(out)


PRICES = f'currency = "USD"\n[models."{MODEL}"]\ninput = 1000\noutput = 10000\n'


async def test_from_the_queue_through_a_dry_run_to_evaluations_in_the_queue(
    discox: Command, sample: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES, encoding="utf-8")
    gate = Gate()
    with serving(gate) as server:
        async with opened(sample) as driver:
            await model_screen(driver, THREE, **settings(server, prices=str(prices)))
            await driver.press("d")
            await driver.until(lambda: "would take at most" in news(driver), "the dry run")
            assert news(driver).startswith("3 evaluations would take at most 18 calls: 3 instruction check, ")
            assert "USD, nothing being cached" in news(driver)
            assert server.requests == []
            assert not rows(sample, "SELECT * FROM runs"), "nobody is asked, nothing is written"
            await driver.press("s")
            question = await driver.on(Choose)
            assert f"Ask {MODEL}?" in driver.text
            assert "18 calls, about" in driver.text
            assert "USD" in driver.text
            assert server.requests == []
            await driver.press("enter")  # what is marked is: not now
            await driver.on(ModelRunScreen)
            assert driver.app.model_run is None
            assert question is not driver.app.screen
            await confirmed(driver)
            await driver.until(lambda: server.requests, "the server is asked")
            await driver.until(lambda: "judged 0 of 3" in news(driver), "progress")
            assert driver.bar("#title").endswith("asking")
            await driver.press("escape")
            queue = await driver.on(QueueScreen)
            before = len(queue.queue)
            gate.let(3 + 15)
            await driver.until(lambda: len(queue.queue) > before, "an evaluation comes into the queue")
            gate.open = True
            await ended(driver)
            await driver.until(lambda: len(queue.queue) == before + 3, "all are there")
            assert driver.said == ["judged 3 of 3"]
            await driver.press("J")
            await driver.on(ModelRunScreen)
            assert "3 translations judged" in news(driver)
            assert "18 calls; 1,800 tokens in" in news(driver)
            assert "5.40 USD" in news(driver), "18 × (100 × 1000 + 20 × 10,000) / 1,000,000"
            assert driver.app.session.recall(UNFINISHED) is None
    assert len(server.requests) == 18
    assert len(listed(discox, sample)) == 3


async def test_what_the_command_line_asks_next_is_on_record(discox: Command, sample: Path) -> None:
    with serving(ScriptedJudge()) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server))
            await confirmed(driver)
            await ended(driver)
        assert (await by_command(sample, server, "--article", "essay-02"))["done"] == 2
        assert len(server.requests) == 3 * WHOLE
    kept = rows(sample, "SELECT command, model, options FROM runs")
    assert [row[:2] for row in kept] == [("judge", MODEL)] * 2
    assert "127.0.0.1" not in kept[0][2]


async def test_only_so_many_of_what_is_not_judged_yet(discox: Command, sample: Path) -> None:
    with serving(ScriptedJudge()) as server:
        async with opened(sample) as driver:
            await model_screen(driver, THREE, **settings(server, most=2))
            await confirmed(driver)
            await ended(driver)
            assert driver.said == ["judged 2 of 2"]
            await confirmed(driver)
            await driver.until(lambda: run_of(driver).stage == "ended" and run_of(driver).progress.of == 1, "the last")
            await driver.until(lambda: driver.said == ["judged 1 of 1"], "that is said")
    assert len(server.requests) == 3 * WHOLE
    assert len(listed(discox, sample)) == 3


async def test_a_pause_begins_no_call_and_ends_where_it_began(sample: Path) -> None:
    gate = Gate()
    with serving(gate) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server))
            await confirmed(driver)
            await driver.until(lambda: len(server.requests) == 1, "the check is asked")
            await driver.press("p")
            gate.open = True
            await driver.until(lambda: calls(sample) == [("instruction_check", "ok")], "its answer is kept")
            assert driver.bar("#title").endswith("paused")
            assert "waited for and kept" in news(driver)
            seconds = run_of(driver).seconds
            for _ in range(20):
                await driver.rest()
            assert len(server.requests) == 1
            assert run_of(driver).seconds == seconds
            assert run_of(driver).going
            await driver.press("enter")
            assert "p pauses that, x stops it" in driver.said[0], "no setting changes meanwhile"
            await driver.press("s")
            await ended(driver)
            assert driver.said == ["judged 1 of 1"]
            assert len(server.requests) == WHOLE
    assert len(rows(sample, "SELECT * FROM runs")) == 1, "it was one run"


async def test_a_stop_keeps_what_is_on_its_way_and_what_is_left_goes_on_or_is_given_up(sample: Path) -> None:
    gate = Gate()
    with serving(gate) as server:
        async with opened(sample) as driver:
            await model_screen(driver, THREE, **settings(server, concurrency=1))
            await confirmed(driver)
            gate.let(2)
            await driver.until(lambda: len(server.requests) == 3, "the third call")
            await driver.press("x")
            assert driver.bar("#title").endswith("stopping")
            gate.open = True
            await ended(driver)
            assert len(calls(sample)) == 3 == len(server.requests)
            assert "it was interrupted" in driver.said[0]
            await driver.press("down")
            assert "Not finished. s goes on and asks nothing twice; x gives it up." in news(driver)
            await driver.press("enter")
            assert "goes on with what was not finished as it was begun" in driver.said[0]
            await confirmed(driver)
            await driver.until(lambda: run_of(driver).finished, "it goes on to the end")
            assert len(server.requests) == 3 * WHOLE, "nothing is paid twice"
            gate.open = False
            await driver.press("escape", "escape")
            await model_screen(driver, "law-01", **settings(server))
            await confirmed(driver)
            await driver.until(lambda: len(server.requests) > 3 * WHOLE, "more is asked")
            await driver.press("x")
            gate.open = True
            await driver.until(lambda: run_of(driver).stage == "ended", "it ends")
            await driver.until(lambda: "gives it up" in news(driver), "it can be given up")
            await driver.press("x")
            assert driver.app.session.recall(UNFINISHED) is None
            assert "gives it up" not in news(driver)


async def test_quitting_in_the_middle_waits_for_answers_and_the_next_start_goes_on(
    discox: Command, sample: Path
) -> None:
    gate = Gate()
    with serving(gate) as server:
        async with opened(sample) as driver:
            await model_screen(driver, THREE, **settings(server))
            await confirmed(driver)
            gate.let(3)
            await driver.until(lambda: len(server.requests) > 3, "it is under way")
            await driver.press("q")
            assert driver.app.is_running
            assert "q again quits at once" in driver.said[0]
            gate.open = True
            await driver.until(lambda: not driver.app.is_running, "the app closes by itself")
        assert len(calls(sample)) == len(server.requests) < 3 * WHOLE
        asked = len(server.requests)
        async with opened(sample) as driver:
            await driver.until(lambda: driver.said, "what is left is said")
            assert driver.said == ["A model was not finished; J goes on with it"]
            await driver.press("J")
            await driver.on(ModelRunScreen)
            assert "Not finished." in news(driver)
            assert "3 translations chosen before" in driver.text
            await confirmed(driver)
            await ended(driver)
            assert driver.app.session.recall(UNFINISHED) is None
        assert len(server.requests) == 3 * WHOLE > asked
        assert (await by_command(sample, server, "--article", "essay-02"))["calls"] == 0
    assert intact(sample)
    assert len(listed(discox, sample)) == 3


@pytest.mark.parametrize("by", ["key", "signal"])
async def test_quitting_at_once_loses_what_is_on_its_way_and_nothing_else(
    discox: Command, sample: Path, by: str
) -> None:
    gate = Gate()
    with serving(gate) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server))
            await confirmed(driver)
            gate.let(1)
            await driver.until(lambda: len(server.requests) == 5, "the four lists are asked")
            if by == "key":
                await driver.press("q", "q")
            else:
                driver.app.end(143)
            await driver.until(lambda: not driver.app.is_running, "it ends")
            assert run_of(driver).stage == "ended"
        assert calls(sample) == [("instruction_check", "ok")]
        gate.open = True
        result = await by_command(sample, server, "--article", "essay-02", "--system", "aurora-72b")
    assert (result["done"], result["calls"]) == (1, WHOLE - 1)
    assert intact(sample)


REFUSALS = {
    "no key": (None, "OPENAI_API_KEY holds no key; set it in the environment"),
    "no server there": ("http://127.0.0.1:9/v1", "was asked 6 times in vain"),
    "no address": ("kestrel.example", "no address of a server: 'kestrel.example'"),
}


@pytest.mark.parametrize("case", REFUSALS)
async def test_what_cannot_be_asked_is_one_line(sample: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr("judges.providers.client.backoff", lambda failures, chance: 0.0)
    where, says = REFUSALS[case]
    async with opened(sample, size=SMALL) as driver:
        await model_screen(driver, ONE, **settings(base_url=where))
        await driver.press("s")
        await driver.until(lambda: isinstance(driver.app.screen, Choose) or says in news(driver), "an answer")
        if case != "no address":
            await driver.press("1")
            await driver.on(ModelRunScreen)
            await driver.until(lambda: says in news(driver), says)
        assert len([line for line in news(driver).split("\n") if says in line]) == 1
        await driver.press("down")
        assert driver.app.is_running
    if case != "no server there":
        assert not rows(sample, "SELECT * FROM runs"), "no run was begun"


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        (failure(401, "Incorrect API key provided"), "gives no access to kestrel; check the key"),
        (failure(429, "You exceeded your quota", code="insufficient_quota"), "has no credit left or is at its limit"),
        (failure(404, "no such model"), "knows no such address or model (kestrel)"),
    ],
    ids=["auth", "quota", "model"],
)
async def test_what_the_server_refuses_is_one_line_and_can_be_gone_on_with(
    sample: Path, refusal: Response, says: str
) -> None:
    with serving(lambda body, number: refusal) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server))
            await confirmed(driver)
            await ended(driver)
            assert says in driver.said[0]
            assert len([line for line in news(driver).split("\n") if says in line]) == 1
            assert "Not finished." in news(driver)


async def test_a_failed_attempt_leaves_what_was_not_finished_before(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    order = JudgeOrder(provider="openai", model=MODEL, article=("essay-02",))
    async with opened(sample) as driver:
        driver.app.session.remember(UNFINISHED, order_to_plain(order))
        await model_screen(driver)
        await confirmed(driver)
        await driver.until(lambda: "holds no key" in news(driver), "the refusal")
        await driver.until(lambda: driver.said, "that is said")
        assert order_from_plain(driver.app.session.recall(UNFINISHED)) == order


async def test_one_run_of_a_model_goes_on_at_a_time(sample: Path) -> None:
    with serving(ScriptedJudge()) as server, only_run(sample, f"judging by {MODEL} at {address(server)}"):
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server))
            await confirmed(driver)
            await ended(driver)
            assert f"another discox is judging by {MODEL}" in driver.said[0]
            assert "Not finished" not in news(driver), "it was never begun"
            assert driver.app.session.recall(UNFINISHED) is None
        assert server.requests == []
    assert not rows(sample, "SELECT * FROM runs")


async def test_the_palette_and_a_keymap_know_them(sample: Path, tmp_path: Path) -> None:
    keymap = tmp_path / "keymap.toml"
    keymap.write_text('judge = "f12"\nguideline = "G"\n', encoding="utf-8")
    async with opened(sample, settings=Settings(theme="discox-dark", keymap=str(keymap))) as driver:
        await driver.on(QueueScreen)
        found = [hit async for hit in ActionsProvider(driver.app.screen).search("judge…")]
        assert "judge…" in str(found[0].text)
        await driver.press("f12")
        await driver.on(ModelRunScreen)
        await driver.press("escape")
        await driver.on(QueueScreen)


async def test_a_server_that_slows_is_told(sample: Path) -> None:
    gate = Gate()
    with serving(gate) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server))
            await confirmed(driver)
            await driver.until(lambda: server.requests, "it is asked")
            run_of(driver).progress.slowed = lambda: 12.4
            screen = await driver.on(ModelRunScreen)
            screen._show_news()
            assert "slowed to 12 calls a minute by the server" in news(driver)
            gate.open = True
            await ended(driver)


# --- translating ---


async def test_a_model_translates_and_its_texts_can_be_judged(discox: Command, sample: Path) -> None:
    with serving(ScriptedJudge()) as server:
        async with opened(sample) as driver:
            await model_screen(driver, THREE, "t", "translate", **settings(server, system="plover"))
            assert "what is translated" in driver.text
            await driver.press("d")
            await driver.until(lambda: "1 translation would take at most 1 call" in news(driver), "the dry run")
            await confirmed(driver)
            await ended(driver)
            assert driver.said == ["translated by plover 1 of 1"]
            await driver.press("escape", "escape")
            await model_screen(driver, **settings(server, system=["plover"]))
            await confirmed(driver)
            await driver.until(lambda: driver.said == ["judged 1 of 1"], "its text is judged")
    assert rows(sample, "SELECT count(*) FROM translations WHERE system = 'plover'") == [(1,)]
    assert [row["system"] for row in listed(discox, sample)] == ["plover"]


# --- blind ---


@pytest.mark.parametrize("blinding", ["first", "systems"])
async def test_to_a_blind_reviewer_a_run_tells_nothing_of_what_is_hidden(sample: Path, blinding: Any) -> None:
    def fails(question: Question, time: int) -> str:
        return "SECRETLY the omission is critical"

    with open_library(sample) as connection, transaction(connection):
        choose_blinding(connection, "mei", blinding)
    with serving(ScriptedJudge({"fluency": fails})) as server:
        async with opened(sample) as driver:
            await model_screen(driver, THREE.split()[0], **settings(server, system=["aurora-72b"]))
            assert "aurora" not in driver.text
            await driver.press("down", "enter")
            assert "names of systems are hidden" in driver.said[0]
            await confirmed(driver)
            await ended(driver)
            await driver.press("down")
            text = news(driver) + driver.text
            assert "SECRETLY" not in text
            assert "failure" not in text
            assert "in vain" not in text
            assert "judged 1 of 1" in text
            await driver.press("escape", "escape")
            queue = await driver.on(QueueScreen)
            new = [row for row in queue.queue if row.judge == MODEL]
            if blinding == "systems":
                assert [row.system for row in new] == [HIDDEN]
            else:
                assert new == []
                assert [row.total for row in queue.queue if row.hidden] == [None] * len(queue.queue)


async def test_a_blind_reviewer_is_not_told_where_a_judge_failed_by_what_is_asked_again(sample: Path) -> None:
    with open_library(sample) as connection, transaction(connection):
        choose_blinding(connection, "mei", "first")
    async with opened(sample) as driver:
        await model_screen(driver, **settings(retry_failed=True))
        await driver.press("d")
        assert "tells where a judge failed" in driver.said[0]
        assert "evaluation" not in news(driver)


# --- settings ---


async def test_settings_are_typed_and_kept_and_a_key_is_refused(sample: Path) -> None:
    async with opened(sample) as driver:
        screen = await model_screen(driver)
        screen.table.move_cursor(len(rows_of("judge", unfolded=False)) - 1)
        await driver.press("enter")
        names = [setting.name for setting in rows_of("judge", unfolded=True)]

        async def typed(name: str, text: str) -> None:
            screen.table.move_cursor(names.index(name))
            await driver.press("enter")
            dialog = await driver.on(Ask)
            from discox_tui.screens.common.dialogs import SafeInput

            dialog.query_one(SafeInput).value = ""
            await driver.write(text)
            await driver.press("enter")
            await driver.on(ModelRunScreen)

        await driver.press("s")
        assert driver.said == ["Name the model first"]
        await typed("model", "kestrel-2 [bold]")
        assert "kestrel-2 [bold]" in driver.text
        await typed("key_env", "sk-abcDEF0123456789")
        assert "never typed here" in driver.said[0]
        assert "sk-abc" not in driver.text
        await typed("base_url", "https://user:pass@kestrel.example/v1")
        assert "without name and password" in driver.said[0]
        await typed("samples", "0")
        assert "'0' is not a whole number from 1 to 100" in driver.said[0]
        await typed("samples", "3")
        await typed("system", "aurora-72b， heron-14b")
        screen.table.move_cursor(names.index("scheme"))
        await driver.press("enter")
        await driver.on(Choose)
        await driver.press("3")
        await driver.on(ModelRunScreen)
        screen.table.move_cursor(names.index("retry_failed"))
        await driver.press("enter")
        kept = driver.app.session.recall("judge settings")
    assert "sk-abc" not in str(kept)
    assert "pass@" not in str(kept)
    wanted = {"model": "kestrel-2 [bold]", "samples": 3, "system": ["aurora-72b", "heron-14b"], "scheme": "rubric"}
    assert {name: kept[name] for name in wanted} == wanted
    assert kept["retry_failed"] is True
    assert kept["key_env"] is None
    async with opened(sample) as driver:
        queue = await driver.on(QueueScreen)
        assert queue is driver.app.screen
        await driver.press("J")
        await driver.on(ModelRunScreen)
        assert "kestrel-2 [bold]" in driver.text
        assert "aurora-72b, heron-14b" in driver.text


async def test_a_filter_chooses_what_the_queue_shows(sample: Path) -> None:
    async with opened(sample) as driver:
        screen = await model_screen(driver, THREE)
        assert screen._values["what"] == QUEUE
        assert f"{QUEUE}: “{THREE}”" in driver.text


async def test_what_server_and_user_say_is_shown_literally(sample: Path) -> None:
    said = failure(401, "[red]bad[/red] \x1b[31mkey\u202e")
    with serving(lambda body, number: said) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server))
            await confirmed(driver)
            await ended(driver)
            await driver.press("down")
            assert "[red]bad[/red]" in driver.text.replace("\n", " ") or "[red]bad" in driver.text
            assert "\x1b" not in driver.text
            assert "\u202e" not in driver.text


def test_an_order_is_kept_whole_and_an_unknown_one_is_passed_over() -> None:
    judging = JudgeOrder(provider="gemini", model="m", translations=("a", "b"), temperature=0.5, samples=2)
    translating = TranslateOrder(provider="openai", model="m", system="s", article=("x",), base_url="http://h/v1")
    for order in (judging, translating):
        assert order_from_plain(order_to_plain(order)) == order
    for other in (None, [], {}, {"command": "dance"}, {"command": "judge"}, {"command": "judge", "modell": "x"}):
        assert order_from_plain(other) is None
    assert not {"key_env", "base_url", "translations"} & judging.on_record().keys()
    assert judging.on_record()["temperature"] == 0.5


async def test_answers_are_counted_as_the_command_line_counts_them(sample: Path) -> None:
    counted: Counter[str] = Counter()

    def script(body: dict[str, Any], number: int) -> str:
        question = Question.of(body)
        counted[question.step] += 1
        return answer(question)

    with serving(script) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server))
            await confirmed(driver)
            await ended(driver)
    assert counted == Counter(step for step, _ in calls(sample))
