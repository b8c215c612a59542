"""``discox judge --check`` over real sockets: one question, and what its answer says of key, model, schema and context."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from judges.providers import client
from judges.providers.errors import way_to
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


MENDS = {
    "key": (failure(401, "invalid key"), "401: invalid key; check the key, or name another variable with --key-env"),
    "credit": (failure(402, "no credit"), "402: no credit; top it up or raise the limit"),
    "model": (failure(404, "The model `kestrel` does not exist"), "; name one that the server has (--model)"),
    "context": (
        failure(400, "maximum context length is 900 tokens"),
        "raise its context, e.g. num_ctx, or lower --max",
    ),
    "room": (chat("", finish_reason="length"), "raise --max-tokens or the model's context"),
    "form": ("A poem about autumn.", "a model that keeps to a form is needed"),
    "down": (Response(manner="close"), "; is the server there?"),
    "page": (Response(body="<html>sign in</html>"), "; that is no server of models; check --base-url"),
}


@pytest.mark.parametrize("case", MENDS)
def test_each_line_says_how_to_mend_it(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.setenv("MY_KEY", "k-0123456789")
    says, mend = MENDS[case]
    lines = check(discox, sample, says, "--key-env", "MY_KEY")[0].out.splitlines()
    assert [line for line in lines if line.startswith("WRONG") and mend in line], lines


@contextmanager
def plain_http() -> Iterator[int]:
    """A server that answers whatever comes in plain HTTP, and its port."""

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


ADDRESSES = {
    "https://127.0.0.1:{port}/v1": "no https is spoken there; an address with http:// may be right",
    "http://127.0.0.1:9/v1": "is the server there?",
    "http://judge.invalid/v1": "no host has that name; check the address",
}


@pytest.mark.parametrize("where", ADDRESSES)
def test_an_address_at_which_nobody_answers(discox: Command, sample: Path, where: str) -> None:
    with plain_http() as port:
        address = where.format(port=port)
        whom = ("--provider", "openai", "--model", MODEL, "--base-url", address)
        result = discox("judge", "--db", sample, "--check", *whom)
        (line,) = [line for line in result.out.splitlines() if line.startswith("WRONG")]
        assert line.split()[1] == "address"
        assert line.endswith(ADDRESSES[where])
        said = discox("judge", "--db", sample, *whom, "--article", "essay-02", "--system", "aurora-72b")
        assert ADDRESSES[where] in said.out, "a run says the same"


def test_a_certificate_that_nobody_vouches_for_is_said() -> None:
    said = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)"
    assert "SSL_CERT_FILE names a file" in way_to(said)


@pytest.mark.parametrize(("price", "right"), [(10, True), (12, True), (40, False), (2, False)])
def test_a_price_that_is_not_what_the_server_charges_is_wrong(
    discox: Command, sample: Path, tmp_path: Path, price: float, right: bool
) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(f'currency = "USD"\n[models."{MODEL}"]\ninput = {price}\noutput = 0\n', encoding="utf-8")

    def charging(question: Question, time: int) -> dict[str, Any]:
        sent = (len(question.system) + len(question.message)) // 2
        usage = {"prompt_tokens": sent, "completion_tokens": 50, "cost": sent * 10 / 1e6}
        return chat(answer(question), usage=usage)

    said = report(check(discox, sample, charging, "--json", "--prices", file)[0], code=0 if right else 1)
    assert verdicts(said)["price"] is right
    assert (f"mend the price in {file}" in said["points"]["price"]["said"]) is not right


@pytest.mark.parametrize("preset", ["openai", "deepseek", "openrouter", "vllm", "ollama", "anthropic"])
def test_known_servers_are_checked_as_any(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, preset: str
) -> None:
    monkeypatch.setenv("MY_KEY", "k-0123456789")
    scripted = ScriptedJudge({"*": counting})
    with ScriptedServer(openai(scripted)) as server:
        whom = ("--preset", preset, "--model", MODEL, "--base-url", f"{server.url}/v1", "--key-env", "MY_KEY")
        said = report(discox("judge", "--db", sample, "--check", "--json", *whom))
    assert verdicts(said) == RIGHT
    assert said["format"] == {"deepseek": "json_object", "anthropic": "none"}.get(preset, "json_schema")
    assert len(scripted.asked) == 1


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
