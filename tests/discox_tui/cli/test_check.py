"""``discox judge --check`` over real sockets: one question, and what its answer says of key, model, schema and context."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judges.providers import client
from storage.integrity.opening import open_library
from tests.conftest import Command, Result
from tests.support.judge_script import Question, ScriptedJudge, answer
from tests.support.judging import MODEL, PROTOCOLS, calls, judge, listed, report, rows
from tests.support.scripted_server import Response, ScriptedServer, chat, failure, openai

RIGHT = {"address": True, "key": True, "model": True, "schema": True, "context": True, "price": None}


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.0)


def counting(question: Question, time: int) -> dict[str, Any]:
    """A good answer, with a count of tokens that fits the text."""
    sent = len(question.system) + len(question.message)
    return chat(answer(question), usage={"prompt_tokens": sent // 2, "completion_tokens": 50})


def check(discox: Command, database: Path, says: Any, *more: object) -> tuple[Result, ScriptedJudge]:
    scripted = ScriptedJudge({"*": says})
    with ScriptedServer(openai(scripted)) as server:
        return judge(discox, database, server, "--check", *more), scripted


def verdicts(said: dict[str, Any]) -> dict[str, bool | None]:
    return {name: point["right"] for name, point in said["points"].items()}


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_server_that_is_right_is_asked_once(discox: Command, sample: Path, provider: str) -> None:
    scripted = ScriptedJudge()
    with ScriptedServer(PROTOCOLS[provider](scripted)) as server:
        said = report(judge(discox, sample, server, "--check", "--json", provider=provider))
        assert len(server.requests) == 1
    (question,) = scripted.asked
    assert (said["right"], verdicts(said)) == (True, RIGHT)
    assert said["answered_by"] not in (None, MODEL)
    assert said["format"] == "json_schema"
    assert said["question"]["characters"] == len(question.system) + len(question.message)
    assert said["question"]["counted_tokens"] == 100
    # One question and no evaluation: the longest of the twelve translations with the longest of their prompts.
    assert listed(discox, sample) == []
    (longest,) = rows(
        sample,
        "SELECT a.key, t.system FROM translations t JOIN articles a ON a.id = t.article_id "
        "ORDER BY length(CAST(a.source || t.text AS BLOB)) + (SELECT sum(length(CAST(p.text AS BLOB))) "
        "FROM rubric_points p WHERE p.article_id = a.id) DESC LIMIT 1",
    )
    assert (said["question"]["article"], said["question"]["system"]) == longest


def test_its_answer_is_not_asked_for_again(discox: Command, sample: Path) -> None:
    scripted = ScriptedJudge()
    one = ("--article", "essay-02", "--system", "aurora-72b")
    with ScriptedServer(openai(scripted)) as server:
        assert judge(discox, sample, server, "--check", *one).code == 0
        step = scripted.asked[0].step
        assert judge(discox, sample, server, *one).code == 0
        assert scripted.steps[step] == 1
        assert judge(discox, sample, server, "--check", *one).code == 0  # a check asks anew
        assert scripted.steps[step] == 2
    assert {outcome for _, outcome in calls(sample)} == {"ok"}


def test_the_form_that_works_is_named_with_those_that_do_not(discox: Command, sample: Path) -> None:
    def plain(question: Question, time: int) -> Any:
        no = failure(400, f"response_format {question.form} is not supported")
        return None if question.form == "none" else no

    result, _ = check(discox, sample, plain, "--json")
    said = report(result)
    assert said["right"]
    assert said["format"] == "none"
    assert "json_schema, json_object refused" in said["points"]["schema"]["said"]
    assert [(each["format"], each["status"]) for each in said["tried"]] == [
        ("json_schema", 400),
        ("json_object", 400),
        ("none", 200),
    ]


@pytest.mark.parametrize(
    ("says", "wrong", "unknown"),
    [
        (failure(401, "invalid key"), {"key"}, {"model", "schema", "context"}),
        (failure(402, "no credit"), {"key"}, {"model", "schema", "context"}),
        (failure(404, "The model `kestrel` does not exist"), {"model"}, {"address", "key", "schema", "context"}),
        (failure(400, "maximum context length is 900 tokens"), {"context"}, {"key", "model", "schema"}),
        (Response(manner="close"), {"address"}, {"key", "model", "schema", "context"}),
        (
            Response(200, "<html>sign in</html>", {"content-type": "text/html"}),
            {"address"},
            {"key", "model", "schema", "context"},
        ),
        ("A poem about autumn.", {"schema"}, set()),
        (chat("", finish_reason="length"), {"context"}, {"schema"}),
    ],
)
def test_what_is_wrong_is_named(discox: Command, sample: Path, says: Any, wrong: set[str], unknown: set[str]) -> None:
    said = report(check(discox, sample, says, "--json")[0], code=1)
    found = verdicts(said)
    assert not said["right"]
    assert {name for name, right in found.items() if right is False} == wrong
    assert {name for name, right in found.items() if right is None} - {"price"} == unknown
    assert said["problem"]


def test_a_server_that_reads_only_the_end_is_found_out(discox: Command, sample: Path) -> None:
    def short(question: Question, time: int) -> Any:
        return chat(answer(question), usage={"prompt_tokens": 256, "completion_tokens": 20})

    said = report(check(discox, sample, short, "--json")[0], code=1)
    assert verdicts(said)["context"] is False
    assert "num_ctx" in said["points"]["context"]["said"]


def test_a_server_that_counts_nothing_leaves_the_context_open(discox: Command, sample: Path) -> None:
    said = report(check(discox, sample, lambda question, time: chat(answer(question), usage={}), "--json")[0])
    assert verdicts(said) == RIGHT | {"context": None}


def test_the_price_is_looked_up(discox: Command, sample: Path, tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(f'currency = "USD"\n[models."{MODEL}"]\ninput = 2\noutput = 10\n', encoding="utf-8")
    said = report(check(discox, sample, counting, "--json", "--prices", file)[0])
    counted = said["question"]["counted_tokens"]
    assert verdicts(said)["price"] is True
    assert said["cost"] == pytest.approx((2 * counted + 10 * 50) / 1e6)
    file.write_text('[models."other"]\ninput = 2\noutput = 10\n', encoding="utf-8")
    said = report(check(discox, sample, counting, "--json", "--prices", file)[0], code=1)
    assert verdicts(said)["price"] is False


def test_what_people_read(discox: Command, sample: Path) -> None:
    result, scripted = check(discox, sample, counting)
    assert result.code == 0, result
    lines = result.out.splitlines()
    assert [line.split()[:2] for line in lines[:6]] == [
        ["right", "address"],
        ["right", "key"],
        ["right", "model"],
        ["right", "schema"],
        ["right", "context"],
        ["?", "price"],
    ]
    sent = len(scripted.asked[0].system) + len(scripted.asked[0].message)
    assert f"{sent:,} characters sent" in result.out
    assert f"the server counted {sent // 2:,} (2.0 characters a token)" in result.out


def test_without_a_translation_a_short_question_is_asked(discox: Command, tmp_path: Path) -> None:
    database = tmp_path / "new.db"
    open_library(database).close()
    with ScriptedServer(openai(lambda body, number: '{"answer": "yes"}')) as server:
        said = report(judge(discox, database, server, "--check", "--json"))
    assert (said["question"]["step"], said["question"]["article"]) == ("check", None)
    assert verdicts(said) == RIGHT | {"context": None}


def test_it_goes_alone(discox: Command, sample: Path) -> None:
    for more in (("--dry-run",), ("--batch",), ("--batch-status",)):
        result, scripted = check(discox, sample, counting, *more)
        assert (result.code, scripted.asked) == (2, [])
        assert "--check asks one question and goes alone" in result.err
