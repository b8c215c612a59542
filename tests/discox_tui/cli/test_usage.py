"""``discox usage``: what runs asked and what it took; and the price files that it is reckoned by."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command, Result
from tests.support.judge_script import Question, ScriptedJudge, answer
from tests.support.judging import MODEL, asking, judge, report, rows
from tests.support.scripted_server import ScriptedServer, chat, failure, openai

ONE = ("--article", "essay-02", "--system", "aurora-72b")
USED = {
    "prompt_tokens": 3000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 400},
    "completion_tokens_details": {"reasoning_tokens": 30},
}


def metered(question: Question, time: int) -> Any:
    """A good answer that tells what it took; the first of fluency is none, appropriateness does not tell."""
    if question.step == "fluency" and time == 1:
        return chat("A poem.", usage=USED)
    return chat(answer(question), usage={} if question.step == "appropriateness" else USED)


def usage(discox: Command, database: Path, *more: object) -> Result:
    return discox("usage", "--db", database, *more)


@pytest.fixture
def used(discox: Command, sample: Path) -> Path:
    """A library with two runs: one judged (seven calls), one translated (one)."""
    with ScriptedServer(openai(ScriptedJudge({"*": metered}))) as server:
        assert judge(discox, sample, server, *ONE).code == 0
        assert discox("translate", "--db", sample, *asking(server), "--system", "x", "--article", "law-01").code == 0
    return sample


def test_sums_by_model_and_by_run(discox: Command, used: Path) -> None:
    said = report(usage(discox, used, "--json"))
    (model,) = said["models"]
    assert (model["provider"], model["model"], model["batched"]) == ("openai", MODEL, False)
    assert (model["calls"], model["outcomes"]) == (8, {"ok": 7, "unparsable": 1})
    assert (model["input"], model["cached"], model["output"], model["thinking"]) == (21_000, 2800, 700, 210)
    assert (model["unmetered"], model["cost"], model["currency"]) == (1, None, None)
    translated, judged = said["runs"]
    assert (translated["command"], translated["calls"]) == ("translate", 1)
    assert (judged["command"], judged["calls"], judged["run"]) == ("judge", 7, 1)
    assert judged["outcomes"] == {"ok": 6, "unparsable": 1}


def test_what_people_read(discox: Command, used: Path) -> None:
    lines = usage(discox, used).out.splitlines()
    assert lines[0] == "BY MODEL"
    assert lines[1].split() == ["calls", "not", "usable", "tokens", "in", "cached", "out", "thinking"]
    assert lines[2].split() == [MODEL, "(openai)", "8", "1", "21,000", "2,800", "700", "210"]
    assert "  not usable: 1 unparsable" in lines
    told = re.fullmatch(
        r"  of 1 answer the server told no count of tokens: ([\d,]+) tokens in and ([\d,]+) out, by their characters, are in "
        r"the cost and not in the counts",
        lines[-1],
    )
    assert told
    assert 1000 < int(told[1].replace(",", "")) < 20_000


def test_costs_by_the_users_own_prices(discox: Command, used: Path, tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(f'currency = "EUR"\n[models."{MODEL}"]\ninput = 10\ncached = 1\noutput = 100\n', "utf-8")
    (model,) = report(usage(discox, used, "--json", "--prices", file))["models"]
    # 18,200 at 10, 2,800 at 1 and 700 at 100 for a million each, and what was not told, by its characters
    guessed = (model["estimated_input"] * 10 + model["estimated_output"] * 100) / 1_000_000
    assert guessed > 0
    assert model["cost"] == pytest.approx(0.182 + 0.0028 + 0.07 + guessed)
    assert model["currency"] == "EUR"
    assert f"{model['cost']:.2f} EUR" in usage(discox, used, "--prices", file).out
    file.write_text("[models.other]\ninput = 10\noutput = 100\n", "utf-8")
    assert report(usage(discox, used, "--json", "--prices", file))["models"][0]["cost"] is None
    assert "–" in usage(discox, used, "--prices", file).out


def test_one_model_at_two_servers_is_two(discox: Command, used: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        judge(discox, used, server, *ONE)
    servers = [model["server"] for model in report(usage(discox, used, "--json"))["models"]]
    lines = usage(discox, used).out.splitlines()
    assert [line.split()[:4] for line in lines[2:4]] == [[MODEL, "(openai)", "at", server] for server in servers]


@pytest.mark.parametrize(
    ("price", "says"), [(0, "0.00 EUR"), (1e-6, "0.00000000070 EUR"), (0.01, "0.0000070 EUR"), (10, "0.0070 EUR")]
)
def test_a_small_cost_is_not_rounded_to_nothing(
    discox: Command, used: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, price: float, says: str
) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(f'currency = "EUR"\n[models.{MODEL}]\ninput = 0\noutput = {price}\n', "utf-8")
    monkeypatch.setattr("storage.runs.usage.metered", lambda request, tokens, answer: tokens)  # 700 tokens are out
    assert says in usage(discox, used, "--prices", file).out


def test_why_an_answer_was_of_no_use_is_told(discox: Command, used: Path) -> None:
    reason = "nothing usable can be read in the answer"
    told = report(usage(discox, used, "--json"))["reasons"]
    assert told == [{"outcome": "unparsable", "reason": reason, "calls": told[0]["calls"]}]
    said = usage(discox, used).out
    assert f"{told[0]['calls']:,} unparsable: {reason}" in said
    errors = {error for (error,) in rows(used, "SELECT error FROM v_calls WHERE outcome = 'unparsable'")}
    assert errors == {f"{reason}: A poem."}
    assert {error for (error,) in rows(used, "SELECT error FROM v_calls WHERE outcome = 'ok'")} == {""}


def test_what_a_run_says_is_what_usage_says(discox: Command, sample: Path, tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(f"[models.{MODEL}]\ninput = 10\noutput = 100\n", "utf-8")
    with ScriptedServer(openai(ScriptedJudge({"*": metered}))) as server:
        run = report(judge(discox, sample, server, *ONE, "--json", "--prices", file))
    (told,) = report(usage(discox, sample, "--json", "--prices", file))["runs"]
    assert (run["run"], run["calls"], run["outcomes"]) == (told["run"], told["calls"], told["outcomes"])
    assert run["tokens"] == {"input": told["input"], "cached": told["cached"], "output": told["output"]}
    assert run["cost"] == told["cost"] > 0
    assert run["unmetered"] == told["unmetered"] == 1
    assert run["estimated_tokens"] == {"input": told["estimated_input"], "output": told["estimated_output"]}


@pytest.mark.parametrize("counts", [{}, {"prompt_tokens": 5_000}, {"completion_tokens": 50}, None])
def test_a_limit_of_cost_holds_where_no_tokens_are_counted(
    discox: Command, sample: Path, tmp_path: Path, counts: dict[str, int] | None
) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(f'currency = "EUR"\n[models.{MODEL}]\ninput = 10\noutput = 100\n', "utf-8")

    def said(question: Question, time: int) -> Any:
        return chat(answer(question)) | {"usage": counts}

    with ScriptedServer(openai(ScriptedJudge({"*": said}))) as server:
        limited = judge(discox, sample, server, "--max-cost", "1", "--prices", file)
        asked = len(server.requests)
        assert limited.code == 1
        assert "the limit of 1 would be passed" in limited.err
        assert f"of {asked} answers the server told no count of tokens: " in limited.out
        rest = report(judge(discox, sample, server, "--prices", file, "--json"))
        assert rest["done"] > 0
    # A call costs some 4,000 tokens in and 300 out at least, so 1 EUR is good for a dozen.
    assert 4 <= asked <= 16
    runs = report(usage(discox, sample, "--json", "--prices", file))["runs"]
    assert runs[0]["cost"] == rest["cost"]
    assert 0.5 < runs[1]["cost"] <= 1
    assert f"{runs[1]['cost']:.2f} EUR" in limited.out


def test_a_call_that_failed_is_counted(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge({"*": failure(401, "no")}))) as server:
        judge(discox, sample, server, *ONE)
    (model,) = report(usage(discox, sample, "--json"))["models"]
    assert (model["calls"], model["outcomes"], model["input"]) == (1, {"auth": 1}, 0)
    assert "not usable: 1 auth" in usage(discox, sample).out


def test_where_nothing_was_asked_that_is_said(discox: Command, sample: Path) -> None:
    assert usage(discox, sample).out.startswith("nothing was asked yet; `discox judge` and `discox translate`")
    assert report(usage(discox, sample, "--json")) == {"models": [], "runs": [], "reasons": []}


BAD = {
    "absent": (None, "cannot be read (No such file or directory); check the name"),
    "no toml": ("currency = EUR", "is not TOML ("),
    "no text": (b"\xff\xfe", "is not TOML ("),
    "nothing": ("", 'no [models."NAME"] table; add one a model, with input and output'),
    "unknown field": ("price = 1\n[models.m]\ninput = 1\noutput = 1", "unknown field 'price'; a price file has"),
    "currency": ("currency = 5\n[models.m]\ninput = 1\noutput = 1", 'currency must be text in quotes, like "USD"'),
    "models": ("models = 5", 'no [models."NAME"] table'),
    "no table": ("[models]\nm = 5", "models.'m' must be a table with input and output"),
    "unknown price": ("[models.m]\ninput = 1\noutput = 1\nin = 2", "models.'m': unknown field 'in'; known are input"),
    "missing": ("[models.m]\ninput = 1", "models.'m': output is missing; give the price of a million tokens"),
    "negative": (
        "[models.m]\ninput = -1\noutput = 1",
        "models.'m'.input must be a number that is not negative, not -1",
    ),
    "text": ('[models.m]\ninput = "1"\noutput = 1', "models.'m'.input must be a number that is not negative, not '1'"),
    "truth": ("[models.m]\ninput = true\noutput = 1", "models.'m'.input must be a number"),
    "nan": ("[models.m]\ninput = nan\noutput = 1", "models.'m'.input must be a number"),
    "share": ("[models.m]\ninput = 1\noutput = 1\nbatch = 50", "models.'m'.batch is the share of the price"),
    "endless": ("a = " + "[" * 10_000, "is not TOML ("),
    "too long": (f"a = 1{'0' * 5000}", "is not TOML ("),
    "dotted": ("[models.gpt-4.1]\ninput = 1\noutput = 1", "unknown field '1'"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("command", ["usage", "judge"])
def test_a_bad_price_file_is_said_by_field(
    discox: Command, sample: Path, tmp_path: Path, case: str, command: str
) -> None:
    content, says = BAD[case]
    file = tmp_path / "prices.toml"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    if command == "usage":
        result = usage(discox, sample, "--prices", file)
    else:
        with ScriptedServer(openai(ScriptedJudge())) as server:
            result = judge(discox, sample, server, "--prices", file)
            assert server.requests == []
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"discox: {file}: ")
    assert says in result.err
    assert len(result.err.splitlines()) == 1
