"""Keys and addresses of ``discox judge``: which key goes where, and that none is kept or shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judges.providers import client
from tests.conftest import Command, Result
from tests.support.judge_script import (
    Question,
    ScriptedJudge,
    finding,
    found,
)
from tests.support.judging import (
    GARBAGE,
    LIVE,
    MODEL,
    ONE,
    PROTOCOLS,
    address,
    calls,
    judge,
    one,
    served,
)
from tests.support.nightly import by_day
from tests.support.scripted_server import Response, ScriptedServer, failure
from tests.support.tables import dump

KEY = "kx-4fQ9-recognisable-7Zb2"


def nowhere(database: Path, *results: Result) -> bool:
    """Tell if the key is in no file of the library's and in nothing that was printed."""
    files = [path.read_bytes() for path in database.parent.glob(f"{database.name}*")]
    assert files
    printed = "".join(result.out + result.err for result in results)
    return not any(KEY.encode() in content for content in files) and KEY not in printed


ADDRESSES = {"openai": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}
HEADER = {"openai": "authorization", "gemini": "x-goog-api-key"}
ACCOUNT = {
    "OPENAI_ORG_ID": "org-of-mine",
    "OPENAI_PROJECT_ID": "proj-of-mine",
    "OPENAI_CUSTOM_HEADERS": "x-team: of-mine",
}


@pytest.mark.parametrize("provider", LIVE)
def test_a_key_goes_to_the_address_it_is_for(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    name = f"{provider.upper()}_API_KEY"
    for variable, value in {name: KEY, **ACCOUNT}.items():
        monkeypatch.setenv(variable, value)
    with served(ScriptedJudge(), provider) as server:
        where = address(server, provider)
        said = judge(discox, sample, server, *ONE, provider=provider)
        assert said.code == 0
        assert said.err == f"discox: {name} is not sent to {where}, which it is not for; --key-env {name} sends it\n"
        for request in server.requests:
            assert KEY not in repr(request.headers)
            assert "of-mine" not in repr(request.headers)
        server.requests.clear()
        said = judge(discox, sample, server, *ONE, "--samples", "2", "--key-env", name, provider=provider)
        assert (said.code, said.err) == (0, "")
        assert all(KEY in request.headers[HEADER[provider]] for request in server.requests)
        assert "of-mine" not in repr([request.headers for request in server.requests])


@pytest.mark.parametrize("provider", LIVE)
def test_an_address_in_the_environment_is_asked_and_said(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    for variable, value in {f"{provider.upper()}_API_KEY": KEY, **ACCOUNT}.items():
        monkeypatch.setenv(variable, value)
    with served(ScriptedJudge(), provider) as server:
        where = address(server, provider)
        monkeypatch.setenv(ADDRESSES[provider], where.replace("//", "//me:hunter22@"))
        whom = ("judge", "--db", sample, "--provider", provider, "--model", MODEL, *ONE)
        for more in (("--dry-run",), ()):
            said = discox(*whom, *more)
            assert (said.code, said.err) == (0, f"discox: asking {where}, as {ADDRESSES[provider]} says\n")
            assert f"|server:{where}|" in said.out
        assert len(server.requests) == 6
        if provider == "openai":
            assert server.requests[0].headers["openai-organization"] == "org-of-mine"
        other = discox(*whom, "--samples", "2", "--base-url", "http://127.0.0.1:9/v1", "--dry-run")
        assert "127.0.0.1:9" in other.err  # what is typed counts, and the key is not for it
    assert "hunter22" not in said.out + said.err


@pytest.mark.parametrize("provider", LIVE)
def test_a_proxy_is_gone_through(discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    scripted = ScriptedJudge()
    method, path, handle = PROTOCOLS[provider](scripted)
    with ScriptedServer((method, f"http://judge.invalid{path}", handle)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        where = "http://judge.invalid" + ("/v1" if provider == "openai" else "")
        whom = ("--provider", provider, "--model", MODEL, "--base-url", where)
        assert discox("judge", "--db", sample, *whom, *ONE).code == 0
    assert len(scripted.asked) == 6


@by_day(4)
@pytest.mark.parametrize("provider", LIVE)
@pytest.mark.parametrize("batch", [(), ("--batch",)], ids=["live", "batch"])
@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("ALL_PROXY", "socks5://me:hunter22@127.0.0.1:9", "socksio"),
        ("ALL_PROXY", "carrier-pigeon://127.0.0.1:9", "carrier-pigeon"),
        ("SSL_CERT_FILE", "/nowhere/cert.pem", "the certificates that SSL_CERT_FILE names cannot be read"),
    ],
)
def test_a_client_that_cannot_be_made_is_one_line(
    discox: Command,
    sample: Path,
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    batch: tuple[str, ...],
    variable: str,
    value: str,
    says: str,
) -> None:
    from judges.providers import openai as provider_module

    provider_module._trusted.cache_clear()
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.setenv(variable, value)
    result = discox(
        "judge", "--db", sample, "--provider", provider, "--model", MODEL, "--base-url", "http://x.invalid", *batch
    )
    provider_module._trusted.cache_clear()
    assert result.code == 1
    (line,) = result.err.splitlines()
    assert line.startswith("discox: stopped: no client for http://x.invalid can be made: ")
    assert says in line
    assert "hunter22" not in line
    assert calls(sample) == []


@by_day(2)
@pytest.mark.parametrize("where", ["environment", "key-env", "file"])
@pytest.mark.parametrize("provider", LIVE)
def test_a_key_is_sent_and_kept_nowhere(
    discox: Command, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, where: str
) -> None:
    name = f"{provider.upper()}_API_KEY" if where != "key-env" else "MY_KEY"
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    if where == "file":
        (folder / ".env").write_text(f"{name}={KEY}\n", encoding="utf-8")
        monkeypatch.delenv(name, raising=False)
    else:
        monkeypatch.setenv(name, KEY)
    more = ("--key-env", name) if where == "key-env" else ()

    def accuracy(question: Question, time: int) -> str | Response:
        if time == 1:
            return failure(500, f"Bearer {KEY} is at its limit")
        return json.dumps(found(finding(question, 0, "other", "major", explanation=f"your key is {KEY}")))

    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.0)
    with served(ScriptedJudge({"accuracy": accuracy, "fluency": failure(400, f"{KEY} may not")}), provider) as server:
        monkeypatch.setenv(ADDRESSES[provider], address(server, provider))
        first = judge(discox, sample, server, *ONE, *more, provider=provider)
        second = judge(discox, sample, server, *ONE, *more, "--json", provider=provider)
        assert all(KEY in request.headers[HEADER[provider]] for request in server.requests)
    evaluation = one(discox, sample)
    assert "[key]" in evaluation["findings"][0]["explanation"]
    said = [
        discox(*command, "--db", sample) for command in (("show", evaluation["id"]), ("usage", "--json"), ("list",))
    ]
    assert nowhere(sample, first, second, *said)


def test_a_key_that_is_refused_is_not_repeated(discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with served(ScriptedJudge({"*": failure(401, f"Incorrect API key provided: {KEY}.")})) as server:
        result = judge(discox, sample, server, "--key-env", "OPENAI_API_KEY")
    assert result.code == 1
    assert "[key]" in result.err
    assert nowhere(sample, result)


def test_a_password_in_an_address_is_not_kept(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge({"fluency": GARBAGE})) as server:
        where = address(server).replace("//", f"//user:{KEY}@")
        result = discox("judge", "--db", sample, "--provider", "openai", "--model", MODEL, "--base-url", where, *ONE)
        assert len(server.requests) == 6
    assert result.code == 1
    assert nowhere(sample, result)


@pytest.mark.parametrize("more", [(), ("--key-env", "MY_KEY")])
def test_where_a_key_is_missing_it_is_said_where_it_goes(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, more: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    before = dump(sample)
    result = discox("judge", "--db", sample, "--provider", "openai", "--model", MODEL, *more)
    name = more[1] if more else "OPENAI_API_KEY"
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        f"discox: {name} holds no key; set it in the environment or in a .env file here, or name another variable "
        "with --key-env\n"
    )
    assert dump(sample) == before


@pytest.mark.parametrize("key", ["sk-proj-0123456789abcdef", "AIzaSy0123456789abcdef"])
def test_a_key_in_place_of_its_variables_name_is_not_shown(discox: Command, sample: Path, key: str) -> None:
    result = discox("judge", "--db", sample, "--provider", "openai", "--model", MODEL, "--key-env", key)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("discox: what --key-env names holds no key; set it in the environment")
    assert key not in result.err
