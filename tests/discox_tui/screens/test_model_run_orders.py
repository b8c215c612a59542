"""Orders that the app can give: several judges, proofs, batches, replays, what nobody judged; what goes along, and how."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from discox_tui.runs.model_run import order_from_plain, order_to_plain
from discox_tui.runs.orders import JudgeOrder
from discox_tui.screens.common.app_base import UNFINISHED
from discox_tui.screens.common.dialogs import Ask, Choose, SafeInput
from discox_tui.screens.library.model_run import ModelRunScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.library.run_settings import FOLD, NOT_JUDGED, QUEUE, order_of, rows_of, values_of
from discox_tui.sessions.library import Refused
from judges.model import Article
from storage.db.connection import transaction
from storage.integrity.opening import open_library
from storage.record.library import add_translation
from storage.reviews.blinding import choose_blinding
from storage.runs.not_judged import not_judged
from tests.conftest import Command
from tests.support.driving import SMALL, Driver, opened
from tests.support.judge_script import ScriptedJudge
from tests.support.judging import MODEL, PROTOCOLS, listed, rows
from tests.support.model_runs import Gate, confirmed, ended, model_screen, news, run_of, serving, settings
from tests.support.scripted_batches import Scripted, openai_batches
from tests.support.scripted_server import ScriptedServer, chat

ONE, THREE = "essay-02 aurora", "essay-02"
OTHER = "plover"


def prices(folder: Path) -> str:
    file = folder / "prices.toml"
    file.write_text(
        f'currency = "USD"\n[models.{MODEL}]\ninput = 1000\noutput = 10000\n[models.{OTHER}]\ninput = 100\noutput = 0\n',
        encoding="utf-8",
    )
    return str(file)


async def counted(driver: Driver) -> str:
    """Count what it takes, and return what is said of that."""
    await driver.press("d")
    await driver.until(lambda: "Counting" not in news(driver) and run_counted(driver), "the dry run")
    return news(driver)


def run_counted(driver: Driver) -> bool:
    screen = driver.app.screen
    assert isinstance(screen, ModelRunScreen)
    return screen._counted is not None and screen._counted.stage in ("counted", "ended")


def unjudged(database: Path, *systems: str) -> None:
    """Add an article with translations that nobody judged."""
    with open_library(database) as connection, transaction(connection):
        for system in systems:
            add_translation(connection, Article("own-01", "一二三。", "zh-en"), system, f"One two three, by {system}.")


# --- several judges, proofs ---


async def test_several_judges_and_proofs_are_counted_then_asked_one_after_the_other(
    discox: Command, sample: Path, tmp_path: Path
) -> None:
    asked: list[str] = []
    judge = ScriptedJudge()

    def script(body: dict[str, Any], number: int) -> Any:
        asked.append(body["model"])
        return judge(body, number)

    with serving(script) as server:
        async with opened(sample, size=SMALL) as driver:
            both = settings(server, model=f"{MODEL}, {OTHER}", prove=True, prices=prices(tmp_path))
            await model_screen(driver, ONE, **both)
            said = await counted(driver)
            assert asked == []
            assert said.startswith("2 judges would take at most 36 calls, about ")
            assert f"{MODEL}: 1 evaluation, 4 errors to prove, 18 calls, about " in said
            assert f"{OTHER}: 1 evaluation, 4 errors to prove, 18 calls, about " in said
            await driver.press("s")
            await driver.on(Choose)
            assert f"Ask {MODEL}, {OTHER}?" in driver.text
            await driver.press("1")
            await driver.on(ModelRunScreen)
            await ended(driver)
            assert driver.said == [
                f"{MODEL}: judged 1 of 1; {MODEL}: proved 1 of 1; {OTHER}: judged 1 of 1; {OTHER}: proved 1 of 1"
            ]
            assert driver.app.session.recall(UNFINISHED) is None
            await driver.press("down")
            assert f"{OTHER}: 1 evaluation proved" in news(driver)
            # 100 tokens in and 20 out a call: 16 × 0.3 USD, and 16 × 0.01
            assert sum(leg.spending.cost for leg in run_of(driver).legs) == pytest.approx(16 * 0.3 + 16 * 0.01)
    assert asked == [MODEL] * 16 + [OTHER] * 16
    judges = {judge for (judge,) in rows(sample, "SELECT judge FROM evaluations WHERE run_id IS NOT NULL")}
    assert judges == {MODEL, f"{MODEL}:proved", OTHER, f"{OTHER}:proved"}
    assert [
        options["prove"] for (text,) in rows(sample, "SELECT options FROM runs") for options in [json.loads(text)]
    ] == [
        True,
        True,
    ]


async def test_a_budget_is_one_for_all_judges_and_what_it_ended_goes_on(sample: Path) -> None:
    with serving(ScriptedJudge()) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server, model=f"{MODEL}, {OTHER}", max_calls=8))
            await confirmed(driver)
            await ended(driver)
            assert len(server.requests) == 8
            assert "the limit of 8 calls is reached" in driver.said[0]
            kept = order_from_plain(driver.app.session.recall(UNFINISHED))
            assert isinstance(kept, JudgeOrder)
            assert (kept.model, kept.more_models) == (MODEL, (OTHER,))
            await driver.press("down")
            assert "Not finished." in news(driver)
            assert f"{MODEL}, {OTHER}" in driver.text
            await confirmed(driver)
            await driver.until(lambda: run_of(driver).finished, "it goes on to the end")
    assert len(server.requests) == 12


async def test_a_stop_begins_no_further_judge(sample: Path) -> None:
    gate = Gate()
    with serving(gate) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server, model=f"{MODEL}, {OTHER}"))
            await confirmed(driver)
            await driver.until(lambda: server.requests, "it is asked")
            await driver.press("x")
            gate.open = True
            await ended(driver)
            assert not run_of(driver).finished
    assert {json.loads(request.body)["model"] for request in server.requests} == {MODEL}


# --- batches ---


def batching(*stages: str) -> tuple[ScriptedServer, Scripted]:
    judge, api = ScriptedJudge(), Scripted(list(stages) or ["completed"])

    def lines(asked: list[dict[str, Any]]) -> Any:
        for line in asked:
            response = {"status_code": 200, "request_id": "r", "body": chat(judge(line["body"]))}
            yield {"id": "x", "custom_id": line["custom_id"], "response": response, "error": None}

    api.answer = lines
    return ScriptedServer(PROTOCOLS["openai"](judge), *openai_batches(api)), api


async def test_a_batch_is_handed_in_waited_for_and_collected_after_another_start(discox: Command, sample: Path) -> None:
    server, api = batching("in_progress", "completed")
    with server:
        async with opened(sample, size=SMALL) as driver:
            await model_screen(driver, ONE, **settings(server, batch=True))
            assert "1 evaluation would take at most 6 calls" in await counted(driver)
            assert "in batches: answers come within a day" in news(driver)
            await confirmed(driver)
            await ended(driver)
            assert "1 batch open at the provider" in driver.said[0]
            await driver.press("down")
            assert "Waits for a batch. s collects what is ready" in news(driver)
            assert "batch batch_0: 1 request, since " in news(driver)
            assert len(api.batches) == 1
            assert not rows(sample, "SELECT * FROM evaluations WHERE run_id IS NOT NULL")
        async with opened(sample, size=SMALL) as driver:
            await driver.until(lambda: driver.said, "what waits is said")
            assert driver.said == ["A batch may be ready; J collects it"]
            await driver.press("J")
            await driver.on(ModelRunScreen)
            assert "Waits for a batch." in news(driver)
            said = await counted(driver)
            assert "1 call beside these wait in a batch" in said
            await driver.press("s")
            await driver.on(Choose)
            await driver.press("1")
            await driver.on(ModelRunScreen)
            await ended(driver)
            assert "in_progress" in news(driver), "it was looked at and is not ready"
            for _ in range(5):  # each round is handed in, then runs, then is there
                if run_of(driver).finished:
                    break
                await driver.press("down")
                await confirmed(driver)
                await driver.until(lambda: run_of(driver).stage == "ended" and driver.said, "a round")
            assert run_of(driver).finished
            assert driver.app.session.recall(UNFINISHED) is None
    assert len(api.batches) == 3
    assert [row["state"] for row in listed(discox, sample)] == ["scored"]


@pytest.mark.parametrize("answer", ["1", "2"])
async def test_a_batch_can_be_left_or_given_up(sample: Path, answer: str) -> None:
    server, api = batching("in_progress")
    with server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server, batch=True))
            await confirmed(driver)
            await ended(driver)
            await driver.press("x")
            await driver.on(Choose)
            assert "may still be charged" in driver.text
            await driver.press(answer)
            await driver.on(ModelRunScreen)
            assert driver.app.session.recall(UNFINISHED) is None
            state = rows(sample, "SELECT state FROM batches")
            assert state == [("submitted" if answer == "1" else "lost",)]
            await confirmed(driver)
            await driver.until(lambda: run_of(driver).stage == "ended" and len(run_of(driver).legs) == 1, "a look")
    assert len(api.batches) == (1 if answer == "1" else 2), "what is in a batch is not handed in twice"


async def test_what_the_record_holds_is_repeated_and_nobody_is_asked(sample: Path) -> None:
    with serving(ScriptedJudge()) as server:
        async with opened(sample) as driver:
            await model_screen(driver, ONE, **settings(server))
            await confirmed(driver)
            await ended(driver)
            asked = len(server.requests)
            await driver.press("escape", "escape")
            await model_screen(driver, ONE, **settings(server, provider="replay"))
            said = await counted(driver)
            assert said.startswith("1 evaluation would be made again of what is on record; nobody is asked")
            await confirmed(driver)
            await driver.until(
                lambda: run_of(driver).stage == "ended" and run_of(driver).order.provider == "replay", "it"
            )
            await driver.until(lambda: "1 came out as they are stored, 0 otherwise, 0 are new" in news(driver), "news")
            assert len(server.requests) == asked


# --- what is judged ---


async def test_what_nobody_judged_is_counted_and_can_be_judged(discox: Command, sample: Path) -> None:
    unjudged(sample, "plover", "wren")
    with serving(ScriptedJudge()) as server:
        async with opened(sample) as driver:
            queue = await driver.on(QueueScreen)
            assert "2 translations not judged" in driver.bar("#title")
            screen = await model_screen(driver, "own wren", **settings(server))
            assert screen._values["what"] == NOT_JUDGED, "the queue shows nothing of it"
            assert f"{NOT_JUDGED}: “own wren”" in driver.text
            await confirmed(driver)
            await ended(driver)
            await driver.press("escape")
            await driver.on(QueueScreen)
            await driver.until(lambda: [row.system for row in queue.queue] == ["wren"], "it comes into the queue")
            await driver.press("escape")
            assert "1 translation not judged" in driver.bar("#title")
            await driver.press("J")
            await driver.on(ModelRunScreen)
            await driver.press("enter")
            await driver.on(Choose)
            await driver.press("2")
            await driver.on(ModelRunScreen)
            assert "1 evaluation would take" in await counted(driver)
            await confirmed(driver)
            await driver.until(lambda: driver.said == ["judged 1 of 1"], "the last is judged")
            await counted_refused(driver)
    assert {row["system"] for row in listed(discox, sample)} == {"plover", "wren"}


async def counted_refused(driver: Driver) -> None:
    await driver.press("d")
    assert "Every translation has an evaluation" in driver.said[0]


async def test_where_nothing_is_judged_the_queue_says_how(tmp_path: Path) -> None:
    database = tmp_path / "own.db"
    unjudged(database, "plover")
    async with opened(database, size=SMALL) as driver:
        await driver.on(QueueScreen)
        assert "Nothing of this is judged: J lets a model judge 1 translation." in driver.text


def test_names_of_systems_find_nothing_where_they_are_hidden(sample: Path) -> None:
    unjudged(sample, "plover", "wren")
    with open_library(sample) as connection:
        assert len(not_judged(connection)) == len(not_judged(connection, "own zh-en")) == 2
        assert len(not_judged(connection, "PLOVER own-01")) == 1
        assert not_judged(connection, "plover", by_system=False) == []
        assert not_judged(connection, "nothing") == []
        assert len(not_judged(connection, "own", by_system=False)) == 2


async def test_a_blind_reviewer_chooses_no_system_by_the_filter(sample: Path) -> None:
    unjudged(sample, "plover", "wren")
    with open_library(sample) as connection, transaction(connection):
        choose_blinding(connection, "mei", "systems")
    async with opened(sample) as driver:
        screen = await model_screen(driver, "wren", **settings())
        assert screen._values["what"] == QUEUE
        await driver.press("escape")
        await driver.on(QueueScreen)
        assert "not judged" not in driver.bar("#title")


# --- settings ---


@pytest.mark.parametrize("command", ["judge", "translate"])
async def test_every_setting_is_reachable_on_a_small_screen(sample: Path, command: Any) -> None:
    async with opened(sample, size=SMALL) as driver:
        screen = await model_screen(driver, key="J" if command == "judge" else "t", command=command)
        few = rows_of(command, unfolded=False)
        assert all(setting.title in driver.text for setting in few), "the usual ones are all on the screen"
        await driver.press("end", "enter")
        every = rows_of(command, unfolded=True)
        assert [row.name for row in screen.table.rows] == [row.name for row in every]
        seen = set()
        for place in range(len(every)):
            screen.table.move_cursor(place)
            await driver.rest()
            seen |= {setting.title for setting in every if f" {setting.title} " in driver.text}
        assert seen == {setting.title for setting in every}
        screen.table.move_cursor(every.index(FOLD))
        await driver.press("enter")
        assert len(screen.table.rows) == len(few)


async def test_what_goes_along_is_typed_as_in_a_shell_and_holds_no_secret(sample: Path) -> None:
    async with opened(sample) as driver:
        screen = await model_screen(driver)
        await driver.press("end", "enter")
        names = [setting.name for setting in rows_of("judge", unfolded=True)]

        async def typed(name: str, text: str) -> None:
            screen.table.move_cursor(names.index(name))
            await driver.press("enter")
            dialog = await driver.on(Ask)
            dialog.query_one(SafeInput).value = text
            await driver.press("enter")
            await driver.on(ModelRunScreen)

        await typed("param", """enable_thinking=false provider='{"order": ["a, b"]}'""")
        assert """enable_thinking=false 'provider={"order":["a, b"]}'""" in driver.text
        await typed("param", "temperature=1")
        assert "is set by an option of its own" in driver.said[0]
        await typed("header", "Authorization='Bearer abc'")
        assert "a secret is never typed here" in driver.said[0]
        assert "Bearer abc" not in driver.text
        await typed("header", "X-Team=linguists Authorization=env:MY_KEY")
        await typed("query", "api-version=2024-10-21")
        await typed("model", MODEL)
        kept = driver.app.session.recall("judge settings")
        order = order_of("judge", values_of("judge", kept), {})
    assert order.header == (("X-Team", "linguists"), ("Authorization", "env:MY_KEY"))
    assert order.param == (("enable_thinking", "false"), ("provider", '{"order":["a, b"]}'))
    assert order.query == (("api-version", "2024-10-21"),)
    assert order_from_plain(json.loads(json.dumps(order_to_plain(order)))) == order, "what is left goes on as it was"


async def test_a_known_server_takes_the_place_of_a_protocol(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "k")
    async with opened(sample, size=SMALL) as driver:
        screen = await model_screen(driver, ONE, model=MODEL)
        names = [setting.name for setting in rows_of("judge", unfolded=False)]
        screen.table.move_cursor(names.index("preset"))
        await driver.press("enter")
        await driver.on(Choose)
        assert "OpenRouter" in driver.text
        choices = [choice.value for choice in driver.app.screen.choices]  # type: ignore[attr-defined]
        driver.app.screen.choose("openrouter")  # type: ignore[attr-defined]
        await driver.on(ModelRunScreen)
        assert choices[0] == "none"
        assert "1 evaluation would take at most 6 calls" in await counted(driver)
        assert screen._counted is not None
        assert screen._counted.order.asked.form("https://openrouter.ai/api/v1") is not None
        await driver.press("end", "enter")
        assert "the known server's" in driver.text


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"model": " , "}, "Name the model first"),
        ({"cross_fit": 3}, "--cross-fit goes with --examples"),
        ({"dedup_model": "m", "scheme": "rubric"}, "--dedup-model goes with"),
        ({"prove": True, "scheme": "single-simple"}, "--prove goes with judges that name errors"),
        ({"batch": True, "retry_failed": True}, "--retry-failed asks at once"),
        ({"batch": True, "provider": "replay"}, "a replay asks nobody"),
    ],
)
def test_what_does_not_go_together_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(Refused, match=says):
        order_of("judge", values_of("judge", {"model": MODEL, **given}), {})
