"""``discox judge --stream`` over real sockets: a whole run piece by piece, and servers found out to want it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judges.providers import client
from tests.conftest import Command
from tests.support.judge_script import SCORE, ScriptedJudge
from tests.support.judging import MODEL, calls, judge, listed, report, rows
from tests.support.scripted_gemini import generated
from tests.support.scripted_server import Response, Route, ScriptedServer, failure, openai

ONE = ("--article", "essay-02", "--system", "aurora-72b", "--no-ground")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.0)


def pieces(text: str, usage: bool = True) -> Response:
    """A chat completion as a stream, three characters at a time, with thoughts before it."""
    parts = [text[at : at + 3] for at in range(0, len(text), 3)]
    deltas: list[dict[str, Any]] = [
        {"reasoning_content": '{"verdict": "fail"}'},
        *({"content": part} for part in parts),
    ]
    chunks = [{"model": "s-1", "choices": [{"index": 0, "delta": each, "finish_reason": None}]} for each in deltas]
    chunks.append({"model": "s-1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if usage:
        chunks.append({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}})
    body = "".join(f"data: {json.dumps(each)}\n\n" for each in chunks) + "data: [DONE]\n\n"
    return Response(body=body, headers={"content-type": "text/event-stream"})


def test_a_run_piece_by_piece_comes_to_the_same(discox: Command, sample: Path) -> None:
    scripted = ScriptedJudge()
    with ScriptedServer(openai(lambda body, number: pieces(scripted(body)))) as server:
        said = report(judge(discox, sample, server, *ONE, "--stream", "--json"))
        assert all(request.json["stream"] for request in server.requests)
    assert (said["done"], said["tokens"]["input"]) == (1, 600)
    (row,) = listed(discox, sample)
    assert row["score"] == SCORE
    assert {answer for (answer,) in rows(sample, "SELECT answer LIKE '%reasoning%' FROM calls")} == {0}


def test_a_stream_that_breaks_off_is_asked_for_again(discox: Command, sample: Path) -> None:
    scripted = ScriptedJudge()

    def script(body: Any, number: int) -> Response:
        whole = pieces(scripted(body))
        return Response(body=whole.body, headers=whole.headers, manner="cut") if number == 2 else whole

    with ScriptedServer(openai(script)) as server:
        assert judge(discox, sample, server, *ONE, "--stream").code == 0
    assert sorted(outcome for _, outcome in calls(sample)) == ["connection"] + ["ok"] * 6
    ((error,),) = rows(sample, "SELECT error FROM calls WHERE outcome = 'connection'")
    assert "the stream broke off after" in error


def test_a_server_that_only_streams_is_found_out_and_remembered(discox: Command, sample: Path) -> None:
    scripted = ScriptedJudge()

    def script(body: Any, number: int) -> Response:
        if not body.get("stream"):
            return failure(400, "This model only support stream mode, please enable the stream parameter.")
        if "stream_options" in body:
            return failure(400, "unknown field: stream_options")
        return pieces(scripted(body), usage=False)

    with ScriptedServer(openai(script)) as server:
        checked = report(judge(discox, sample, server, *ONE, "--check", "--json"))
        first = len(server.requests)
        assert judge(discox, sample, server, *ONE, "--json").code == 0
        assert len(server.requests) == first + 5
    assert [(each["stream"], each["status"]) for each in checked["tried"]] == [(False, 400), (True, 400), (True, 200)]
    assert "piece by piece" in checked["points"]["schema"]["said"]


def test_gemini_is_asked_piece_by_piece(discox: Command, sample: Path) -> None:
    scripted = ScriptedJudge()

    def handle(request: Any) -> Response:
        body = f"data: {json.dumps(generated(scripted(request.json)))}\n\n"
        return Response(body=body, headers={"content-type": "text/event-stream"})

    route: Route = ("POST", rf"/v1beta/models/{MODEL}:streamGenerateContent", handle)
    with ScriptedServer(route) as server:
        assert judge(discox, sample, server, *ONE, "--stream", provider="gemini").code == 0
    (row,) = listed(discox, sample)
    assert row["score"] == SCORE


def test_a_preset_may_say_so(discox: Command, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted = ScriptedJudge()
    with ScriptedServer(openai(lambda body, number: pieces(scripted(body)))) as server:
        file = tmp_path / "config.toml"
        file.write_text(f'[presets.lab]\nlike = "vllm"\naddress = "{server.url}/v1"\nstream = true\n', encoding="utf-8")
        monkeypatch.setenv("DISCOX_CONFIG", str(file))
        assert discox("judge", "--db", sample, "--preset", "lab", "--model", MODEL, *ONE).code == 0
        assert all(request.json["stream"] for request in server.requests)
