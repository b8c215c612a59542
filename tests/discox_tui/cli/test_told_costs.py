"""Costs as a server tells them: counted instead of the price, in the limit, at the end of a run and in ``discox usage``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from discox_tui.config.prices import Price
from discox_tui.runs.budget import Spending
from judges.providers.model import Attempt, Form, Request, Stopped, Tokens
from judges.providers.openai import OpenAI
from tests.conftest import Command
from tests.support.judge_script import Question, ScriptedJudge, answer
from tests.support.judging import MODEL, judge, report, rows
from tests.support.scripted_server import ScriptedServer, chat, openai

ONE = ("--article", "essay-02", "--system", "aurora-72b", "--no-ground")
TOKENS = {"prompt_tokens": 3000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 400}}
COSTS = {"accuracy": 0.02, "fluency": 0.005}


def telling(question: Question, time: int) -> Any:
    """A good answer; of accuracy and fluency with its cost."""
    cost = {"cost": COSTS[question.step]} if question.step in COSTS else {}
    return chat(answer(question), usage=TOKENS | cost)


def priced(tmp_path: Path, currency: str = "USD") -> Path:
    file = tmp_path / "prices.toml"
    file.write_text(
        f'currency = "{currency}"\n[models."{MODEL}"]\ninput = 2\ncached = 1\noutput = 10\n', encoding="utf-8"
    )
    return file


BY_PRICE = (2600 * 2 + 400 * 1 + 100 * 10) / 1e6


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        ({"cost": 0.25}, 0.25),
        ({"cost": 0}, 0.0),
        ({"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}}, 0.21),
        ({"cost": 0.01, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.2}}, 0.01),
        ({"cost": 0.01, "is_byok": True, "cost_details": None}, 0.01),
        ({"cost": "0.25"}, None),
        ({"cost": -1}, None),
        ({"cost": True}, None),
        ({"cost": float("1e300")}, None),
        ({}, None),
    ],
)
def test_the_cost_of_an_answer(usage: dict[str, Any], cost: float | None) -> None:
    async def ask(url: str) -> Attempt:
        provider = OpenAI("", f"{url}/v1")
        try:
            request = Request("x", "openai", provider.server, "m", "", "", "hi")
            return await provider.attempt(request, Form(), 10)
        finally:
            await provider.close()

    with ScriptedServer(openai(lambda body, number: chat("yes", usage=TOKENS | usage))) as server:
        told = asyncio.run(ask(server.url)).cost
    assert told == (cost if cost is None else pytest.approx(cost))


def test_what_is_told_counts_and_the_price_for_the_rest(discox: Command, sample: Path, tmp_path: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge({"*": telling}))) as server:
        said = report(judge(discox, sample, server, *ONE, "--json", "--prices", priced(tmp_path)))
    assert (said["calls"], said["charged"], said["currency"]) == (6, 2, "USD")
    assert said["cost"] == pytest.approx(0.025 + 4 * BY_PRICE)
    used = report(discox("usage", "--db", sample, "--json", "--prices", tmp_path / "prices.toml"))
    (model,) = used["models"]
    assert model["cost"] == pytest.approx(said["cost"])
    assert (model["charged"], model["told_cost"], model["charged_input"]) == (2, pytest.approx(0.025), 6000)
    assert used["runs"][0]["cost"] == pytest.approx(said["cost"])
    assert sorted(rows(sample, "SELECT step, cost FROM v_calls WHERE cost IS NOT NULL")) == sorted(COSTS.items())


def test_without_prices_what_is_told_is_known(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge({"*": telling}))) as server:
        result = judge(discox, sample, server, *ONE)
    assert "0.0250 USD" in result.out
    assert "of 2 calls the cost is what the server said; of others nobody knows it" in result.out
    used = report(discox("usage", "--db", sample, "--json"))["models"][0]
    assert (used["cost"], used["currency"]) == (pytest.approx(0.025), "USD")
    assert "0.0250 USD" in discox("usage", "--db", sample).out


def test_another_currency_is_not_mixed_in(discox: Command, sample: Path, tmp_path: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge({"*": telling}))) as server:
        said = report(judge(discox, sample, server, *ONE, "--json", "--prices", priced(tmp_path, "CNY")))
    assert (said["cost"], said["currency"], said["charged"]) == (pytest.approx(6 * BY_PRICE), "CNY", 0)
    used = report(discox("usage", "--db", sample, "--json", "--prices", tmp_path / "prices.toml"))["models"][0]
    assert used["cost"] == pytest.approx(6 * BY_PRICE)


def test_a_limit_needs_no_price_where_the_server_tells(
    discox: Command, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dear(question: Question, time: int) -> Any:
        return chat(answer(question), usage=TOKENS | {"cost": 0.3})

    with ScriptedServer(openai(ScriptedJudge({"*": dear}))) as server:
        file = tmp_path / "config.toml"
        file.write_text(
            f'[presets.lab]\nlike = "openrouter"\naddress = "{server.url}/v1"\nkey_variables = []\n', encoding="utf-8"
        )
        monkeypatch.setenv("DISCOX_CONFIG", str(file))
        asked = ("judge", "--db", sample, "--preset", "lab", "--model", MODEL, "--json", "--no-ground")
        said = report(discox(*asked, "--max-cost", "1"), code=1)
        refused = judge(discox, sample, server, "--max-cost", "1")  # nobody knows of this server that it tells
    assert (said["calls"], said["cost"]) == (3, pytest.approx(0.9))
    assert "the limit of 1 would be passed" in said["stopped"]
    assert (refused.code, "name a price file" in refused.err) == (1, True)


def request(number: int) -> Request:
    return Request("x", "openai", "http://s", "m", "", "", f"question {number}")


def ended(number: int, cost: float | None) -> Attempt:
    return Attempt(request(number), Form(), "ok", 0, 0, tokens=Tokens(1_000_000, 0, 0), cost=cost)


def test_until_the_first_cost_is_told_calls_go_one_by_one() -> None:
    spent = Spending(max_cost=1.0)
    assert spent.allow(request(1))
    assert not spent.allow(request(2))
    spent.count(ended(1, 0.4))
    assert spent.allow(request(2))
    assert not spent.allow(request(3))  # 0.4 spent, 0.4 expected of each of two
    spent.count(ended(2, 0.1))
    assert spent.allow(request(3))
    spent.count(ended(3, 0.2))
    with pytest.raises(Stopped, match="would be passed"):
        spent.allow(request(4))
    assert spent.bill == pytest.approx(0.7)


def test_a_server_that_does_not_tell_ends_a_run_with_a_limit() -> None:
    spent = Spending(max_cost=1.0)
    assert spent.allow(request(1))
    spent.count(ended(1, None))
    with pytest.raises(Stopped, match="name a price file"):
        spent.allow(request(2))
    assert spent.bill is None
    with pytest.raises(Stopped):
        Spending(max_cost=0.0).allow(request(1))


def test_a_price_stands_in_for_what_is_not_told() -> None:
    spent = Spending(price=Price(3.0, 1.0))
    spent.count(ended(1, 0.5))
    spent.count(ended(2, None))
    assert spent.cost == pytest.approx(3.5)
    assert (spent.charged, spent.partly, spent.input_tokens) == (1, False, 2_000_000)
