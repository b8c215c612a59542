"""Presets and what goes along with a call: what reaches the server, what is signed, and what nobody ever sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from discox_tui.config import presets as config
from judges.metric_s.protocol.signature import Signature
from judges.providers.model import Form, Parameters
from judges.providers.request_forms import begun_with
from tests.conftest import Command, Result
from tests.support.judge_script import ScriptedJudge
from tests.support.judging import MODEL, judge, report, rows
from tests.support.scripted_gemini import gemini
from tests.support.scripted_server import Response, ScriptedServer, chat, failure, openai

ONE = ("--article", "essay-02", "--system", "aurora-72b", "--scheme", "single-simple", "--no-ground")
KEY = "k" * 20 + "123"


def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("DISCOX_CONFIG", str(file))


def anywhere(script: Any) -> Any:
    """The route of chat completions at whatever address."""
    return ("POST", r".*/chat/completions", lambda request: Response(body=chat(script(request.json, 1))))


def signature(said: dict[str, Any]) -> Signature:
    (text,) = said["signatures"]
    return Signature.parse(text)


def test_every_preset_of_the_program_is_one() -> None:
    known = config.presets({})
    assert {"openai", "gemini", "azure", "anthropic", "deepseek", "openrouter", "vllm", "llama-cpp", "ollama"} == set(
        known
    )
    assert known["deepseek"].form(Form()) == Form(format="json_object", dropped=frozenset({"seed"}))
    assert known["openai"].form(Form(limit_name="max_completion_tokens")) == Form(limit_name="max_completion_tokens")


def test_azure_is_asked_for_a_deployment_and_a_version(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    with ScriptedServer(anywhere(ScriptedJudge())) as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"{server.url}/")
        asked = ("judge", "--db", sample, "--preset", "azure", "--model", "my deployment", *ONE, "--json")
        first = report(discox(*asked))
        other = report(discox(*asked, "--query", "api-version=2025-01-01-preview"))
        (one, two) = server.requests
    assert one.path == "/openai/deployments/my%20deployment/chat/completions"
    assert (one.query, two.query) == ("api-version=2024-10-21", "api-version=2025-01-01-preview")
    assert one.headers["api-key"] == KEY
    assert "authorization" not in one.headers
    assert dict(signature(first).parameters)["query:api-version"] == "2024-10-21"
    assert (first["done"], other["done"]) == (1, 1)  # another version is another judge


def test_azure_without_an_address_says_where_to_name_it(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    result = discox("judge", "--db", sample, "--preset", "azure", "--model", "m", *ONE)
    assert result.code == 1
    assert "AZURE_OPENAI_ENDPOINT or with --base-url" in result.err


def test_the_key_of_a_preset_goes_to_no_other_server(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY + "9")
    with ScriptedServer(openai(ScriptedJudge())) as server:
        asked = (
            "judge",
            "--db",
            sample,
            "--preset",
            "deepseek",
            "--model",
            MODEL,
            "--base-url",
            f"{server.url}/v1",
            *ONE,
        )
        result = discox(*asked)
        assert result.code == 0, result
        assert "DEEPSEEK_API_KEY is not sent" in result.err
        assert discox(*asked, "--samples", "2", "--key-env", "DEEPSEEK_API_KEY").code == 0
        first, second = server.requests
    assert KEY not in first.headers.get("authorization", "")
    assert second.headers["authorization"] == f"Bearer {KEY}"
    assert first.json["response_format"] == {"type": "json_object"}


def test_what_a_preset_knows_is_not_tried(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scripted = ScriptedJudge()
    with ScriptedServer(openai(scripted)) as server:
        settings(
            monkeypatch,
            tmp_path,
            f'[presets.lab]\nlike = "anthropic"\naddress = "{server.url}/v1"\nkey_variables = []\n'
            'limit_name = "max_completion_tokens"\nheaders = { X-Team = "env:TEAM_WORD" }\n'
            "[presets.lab.params]\nchat_template_kwargs = { enable_thinking = false }\n",
        )
        monkeypatch.setenv("TEAM_WORD", "linguists")
        said = report(
            discox("judge", "--db", sample, "--preset", "lab", "--model", MODEL, "--seed", "7", *ONE, "--json")
        )
        (request,) = server.requests
    assert "response_format" not in request.json
    assert "seed" not in request.json
    assert request.json["max_completion_tokens"] == 16_384
    assert request.json["chat_template_kwargs"] == {"enable_thinking": False}
    assert request.headers["x-team"] == "linguists"
    signed = signature(said)
    assert signed.dropped == ("seed",)
    assert signed.formats == ("none",)
    parameters = dict(signed.parameters)
    assert parameters["chat_template_kwargs"] == '{"enable_thinking":false}'
    assert "linguists" not in signed.text
    assert len(parameters["header:x-team"]) == 10


def test_a_preset_of_ones_own_takes_the_place_of_ours(tmp_path: Path) -> None:
    own = {"vllm": {"like": "vllm", "address": "http://gpu-3:9000/v1"}}
    known = config.presets(own)["vllm"]
    assert (known.address, known.own) == ("http://gpu-3:9000/v1", True)
    assert known.note == config.presets({})["vllm"].note


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"adress": "x", "provider": "openai"}, "unknown field 'adress'"),
        ({"address": "http://x"}, "provider is missing"),
        ({"provider": 3}, "provider must be text in quotes"),
        ({"provider": "openai", "format": "xml"}, "format must be one of json_schema"),
        ({"provider": "openai", "dropped": ["colour"]}, "'colour' is none of"),
        ({"provider": "openai", "dropped": "seed"}, "dropped must be a list"),
        ({"provider": "openai", "headers": {"Host": "x"}}, "'Host' can be no header of yours"),
        ({"provider": "openai", "headers": {"X": "a\nb"}}, "can be no header of yours"),
        ({"provider": "openai", "query": {"a": 1}}, "query must be a table of texts"),
        ({"like": "nowhere"}, "names no preset"),
        ("vllm", "must be a table"),
    ],
)
def test_a_wrong_preset_is_refused_by_its_field(table: Any, words: str) -> None:
    with pytest.raises(Exception, match=r"config\.toml: presets\.lab") as error:
        config.presets({"lab": table}, "config.toml")
    assert words in str(error.value)


def test_an_unknown_preset_is_refused_with_those_that_are_known(discox: Command, sample: Path) -> None:
    result = discox("judge", "--db", sample, "--preset", "nowhere", "--model", "m")
    assert result.code == 1
    assert "deepseek" in result.err
    result = discox("judge", "--db", sample, "--model", "m")
    assert result.code == 2
    assert "--preset NAME or --provider NAME" in result.err
    result = discox("judge", "--db", sample, "--preset", "deepseek", "--provider", "gemini", "--model", "m")
    assert "leave --provider gemini out" in result.err


PARAMS = (
    *("--param", "enable_thinking=false", "--param", "top_k=20", "--param", "mode=careful"),
    *("--param", 'provider={"order":["a","b"],"b":1}'),
)
HEADERS = ("--header", f"X-Gateway-Token={KEY}", "--header", "X-Title=Discox")


def test_fields_and_headers_reach_the_server_and_the_signature(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        first = report(judge(discox, sample, server, *ONE, *PARAMS, *HEADERS, "--json"))
        again = report(judge(discox, sample, server, *ONE, *PARAMS, *HEADERS, "--json"))
        other = report(judge(discox, sample, server, *ONE, *PARAMS, "--header", "X-Title=Discox", "--json"))
        bare = report(judge(discox, sample, server, *ONE, "--json"))
        request = server.requests[0]
        assert len(server.requests) == 3
    assert (again["calls"], other["calls"], bare["calls"]) == (0, 1, 1)
    sent = {name: request.json[name] for name in ("enable_thinking", "top_k", "mode", "provider")}
    assert sent == {"enable_thinking": False, "top_k": 20, "mode": "careful", "provider": {"order": ["a", "b"], "b": 1}}
    assert request.headers["x-gateway-token"] == KEY
    assert request.headers["x-title"] == "Discox"
    signed = dict(signature(first).parameters)
    assert (signed["enable_thinking"], signed["top_k"], signed["mode"]) == ("false", "20", '"careful"')
    assert signed["provider"] == '{"b":1,"order":["a","b"]}'
    assert {name for name in signed if name.startswith("header:")} == {"header:x-gateway-token", "header:x-title"}
    assert Signature.parse(signature(first).text) == signature(first)
    assert Signature.from_fields(signature(first).fields()) == signature(first)


def test_gemini_takes_fields_headers_and_query(discox: Command, sample: Path) -> None:
    with ScriptedServer(gemini(ScriptedJudge())) as server:
        more = ("--param", "topK=20", "--param", 'labels={"a":"b"}', "--query", "tenant=x", *HEADERS)
        assert judge(discox, sample, server, *ONE, *more, provider="gemini").code == 0
        (request,) = server.requests
    assert request.json["generationConfig"]["topK"] == 20
    assert request.json["labels"] == {"a": "b"}
    assert "tenant=x" in request.query
    assert request.headers["x-gateway-token"] == KEY
    assert request.headers["x-goog-api-key"]


def everything(sample: Path, *said: Result) -> bytes:
    """All that is on disk and all that was printed."""
    files = b"".join(path.read_bytes() for path in sample.parent.iterdir() if path.is_file())
    return files + "".join(result.out + result.err for result in said).encode()


def test_no_secret_header_is_shown_or_stored(discox: Command, sample: Path) -> None:
    def echo(body: Any, number: int) -> Response:
        return failure(400, f"who are you, {KEY}? Bearer {KEY}x")

    with ScriptedServer(openai(echo)) as server:
        typed = (*HEADERS, "--header", f"Authorization=Bearer {KEY}x", "--query", f"api_key={KEY}")
        result = judge(discox, sample, server, *ONE, *typed, "--json")
        words = judge(discox, sample, server, *ONE, *typed)
        check = judge(discox, sample, server, *ONE, *typed, "--check")
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}x"
        assert f"api_key={KEY}" in server.requests[0].query
    assert KEY.encode() not in everything(sample, result, words, check)
    ((options,),) = rows(sample, "SELECT options FROM runs ORDER BY id LIMIT 1")
    assert json.loads(options)["header"] == ["X-Gateway-Token", "X-Title", "Authorization"]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("--param", "temperature=0"), "is set by an option of its own"),
        (("--param", f"api_key={KEY}"), "a key goes with --key-env or --header"),
        (("--param", "alone"), "takes NAME=VALUE"),
        (("--header", f"X-A={KEY}\nX-B: c"), "can be no header of yours"),
        (("--header", f"Host={KEY}"), "can be no header of yours"),
        (("--header", KEY), "takes NAME=VALUE"),
        (("--query", f"={KEY}"), "takes NAME=VALUE"),
    ],
)
def test_what_cannot_go_along_is_refused_without_repeating_it(
    discox: Command, sample: Path, typed: tuple[str, ...], words: str
) -> None:
    result = discox("judge", "--db", sample, "--provider", "openai", "--model", "m", *typed)
    assert result.code == 2
    assert words in result.err
    assert KEY not in result.err


def test_a_variable_that_holds_nothing_is_said(discox: Command, sample: Path) -> None:
    with ScriptedServer() as server:
        result = judge(discox, sample, server, *ONE, "--header", "X-Team=env:NOBODY_SET_THIS")
    assert result.code == 1
    assert "NOBODY_SET_THIS holds, which is nothing" in result.err


def test_replay_finds_what_was_asked_with_a_preset(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        settings(
            monkeypatch,
            tmp_path,
            f'[presets.lab]\nlike = "vllm"\naddress = "{server.url}/v1"\nparams = {{ top_k = 3 }}\n',
        )
        asked = ("judge", "--db", sample, "--preset", "lab", "--model", MODEL, *ONE, "--json")
        assert report(discox(*asked))["done"] == 1
    assert report(discox(*asked, "--provider", "replay"))["same"] == 1


def test_translations_are_made_with_a_preset_too(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        settings(monkeypatch, tmp_path, f'[presets.lab]\nlike = "vllm"\naddress = "{server.url}/v1"\n')
        made = discox(
            *("translate", "--db", sample, "--preset", "lab", "--model", MODEL, "--system", "x"),
            *("--article", "law-01", "--param", "top_k=3"),
        )
        assert made.code == 0, made
        assert server.requests[0].json["top_k"] == 3


def test_the_list_says_what_is_there(discox: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings(
        monkeypatch,
        tmp_path,
        f'[presets.lab]\nlike = "vllm"\nheaders = {{ X-Token = "{KEY}" }}\nkey_variables = ["LAB_KEY"]\n',
    )
    monkeypatch.setenv("LAB_KEY", KEY)
    said = report(discox("providers", "--json"))
    assert [each["name"] for each in said["protocols"]][:2] == ["openai", "gemini"]
    lab = next(each for each in said["presets"] if each["name"] == "lab")
    assert (lab["own"], lab["keys"], lab["headers"]) == (True, {"LAB_KEY": True}, ["X-Token"])
    printed = discox("providers")
    assert "lab (yours)" in printed.out
    assert "LAB_KEY (set)" in printed.out
    assert KEY not in printed.out + json.dumps(said)


def test_record_and_preset_together_ask_for_what_both_allow() -> None:
    met = Form(format="json_object", limit_name="max_completion_tokens", dropped=frozenset({"seed"}))
    sets = Form(format="none", dropped=frozenset({"top_p"}))
    both = Form(format="none", limit_name="max_completion_tokens", dropped=frozenset({"seed", "top_p"}))
    assert begun_with(met, sets) == both
    assert begun_with(Form(format="none"), Form()).format == "none"  # type: ignore[union-attr]
    assert (begun_with(None, sets), begun_with(met, None), begun_with(None, None)) == (sets, met, None)


def test_parameters_come_back_from_the_record_as_they_were() -> None:
    whole = Parameters(
        max_tokens=None,
        seed=3,
        extra=(("a", '{"b":[1,2]}'), ("c", "false")),
        headers=(("x", "0a"),),
        query=(("v", "1"),),
    )
    assert Parameters.of(json.loads(json.dumps(whole.given()))) == whole
    assert Parameters.of(json.loads(json.dumps(Parameters().given()))) == Parameters()
