"""``discox translate`` over real sockets: whose text is asked for, what is stored of the answer, and what is not."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judges.providers import client
from tests.conftest import Command, Result
from tests.support.judge_script import SCORE, Question, ScriptedJudge
from tests.support.judging import MODEL, PROTOCOLS, asking, calls, intact, judge, listed, report, rows, shown
from tests.support.scripted_gemini import blocked, generated
from tests.support.scripted_server import Response, ScriptedServer, chat, failure
from tests.support.tables import dump

LIVE = ("openai", "gemini")
SYSTEM = "merlin"


def served(script: Callable[..., Any], provider: str = "openai") -> ScriptedServer:
    return ScriptedServer(PROTOCOLS[provider](script))


def translate(
    discox: Command, database: Path, server: ScriptedServer, *more: object, provider: str = "openai"
) -> Result:
    return discox("translate", "--db", database, *asking(server, provider), "--system", SYSTEM, *more)


def texts(database: Path) -> dict[str, str]:
    """The system's texts by article."""
    query = "SELECT a.key, t.text FROM translations t JOIN articles a ON a.id = t.article_id WHERE t.system = ?"
    return dict(rows(database, query, SYSTEM))


@pytest.mark.parametrize("provider", LIVE)
def test_what_a_model_makes_of_the_articles_is_a_system_that_can_be_judged(
    discox: Command, sample: Path, provider: str
) -> None:
    scripted = ScriptedJudge({"translation": lambda question, time: f"第一段。\n\nText {len(scripted.asked)}.\n"})
    with served(scripted, provider) as server:
        first = report(translate(discox, sample, server, "--json", provider=provider))
        again = report(translate(discox, sample, server, "--json", provider=provider))
        plain = translate(discox, sample, server, provider=provider)
        assert len(server.requests) == 4
        assert (first["done"], first["failed"], first["calls"], first["system"]) == (4, 0, 4, SYSTEM)
        assert (again["run"], again["calls"]) == (None, 0)
        assert (
            plain.out == f"{SYSTEM} has a translation of every article that was chosen; another --system makes others\n"
        )
        assert set(texts(sample)) == {"law-01", "essay-02", "hydrology-03", "news-04"}
        assert all(re.fullmatch(r"第一段。\n\nText [1-4]\.", text) for text in texts(sample).values())
        judged = report(judge(discox, sample, server, "--system", SYSTEM, "--json", provider=provider))
    assert (judged["done"], judged["calls"]) == (4, 24)
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 4
    assert shown(discox, sample, listed(discox, sample)[0]["id"])["translation"].startswith("第一段。")
    assert intact(sample)


def test_a_systems_name_is_spelt_as_it_was(discox: Command, sample: Path) -> None:
    """Another spelling of a name that is here would make two systems of one."""
    with served(ScriptedJudge()) as server:
        for name, article in (("Merlin", "law-01"), ("merlin", "essay-02"), ("MERLIN", "essay-02")):
            made = report(
                discox("translate", "--db", sample, *asking(server), "--system", name, "--article", article, "--json")
            )
            assert made["system"] == "Merlin"
        assert len(server.requests) == 2
    assert rows(sample, "SELECT DISTINCT system FROM translations WHERE system LIKE 'merlin'") == [("Merlin",)]


def test_an_articles_own_prompt_is_what_is_asked(discox: Command, sample: Path) -> None:
    scripted = ScriptedJudge()
    with served(scripted) as server:
        translate(discox, sample, server, "--article", "law-01")
        assert "response_format" not in server.requests[0].json
    (question,) = scripted.asked
    ((prompt,),) = rows(sample, "SELECT prompt FROM articles WHERE key = 'law-01'")
    assert question.message == prompt
    assert (question.system, question.form) == ("", "none")


def test_a_prompt_of_ones_own_is_asked_instead(discox: Command, sample: Path, tmp_path: Path) -> None:
    file = tmp_path / "plain.txt"
    file.write_text("Put this into $target_language; it cost $$3:\n\n$text", encoding="utf-8-sig")
    scripted = ScriptedJudge()
    with served(scripted) as server:
        assert translate(discox, sample, server, "--article", "law-01", "--prompt", file).code == 0
    ((source,),) = rows(sample, "SELECT source FROM articles WHERE key = 'law-01'")
    assert scripted.asked[0].message == f"Put this into English; it cost $3:\n\n{source}"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("Translate it.", "translation.txt, line 1: “$text” is missing up to here; put it where its text should stand"),
        ("$text\n$source", "translation.txt, line 2: “$source” is no placeholder here; use one of"),
        (None, "cannot be read (No such file or directory); check the name"),
    ],
)
def test_a_bad_prompt_is_said_and_nobody_is_asked(
    discox: Command, sample: Path, tmp_path: Path, content: str | None, says: str
) -> None:
    file = tmp_path / "translation.txt"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with served(ScriptedJudge()) as server:
        result = translate(discox, sample, server, "--prompt", file)
        assert server.requests == []
    assert (result.code, result.out) == (1, "")
    assert says in result.err
    assert str(tmp_path) in result.err


@pytest.mark.parametrize("provider", LIVE)
def test_what_a_model_thinks_aloud_is_no_translation(discox: Command, sample: Path, provider: str) -> None:
    said = "<think>\nThe ferry <b>is</b> a ferry.\n</think>\n\nThe <b>ferry</b>.\n\n<think>stays</think>"
    with served(ScriptedJudge({"translation": said}), provider) as server:
        translate(discox, sample, server, "--article", "essay-02", provider=provider)
    assert texts(sample) == {"essay-02": "The <b>ferry</b>.\n\n<think>stays</think>"}


USELESS: dict[str, tuple[str, Any, Any, int]] = {
    "empty": ("unparsable", chat("  \n"), generated(" \n"), 2),
    "only thoughts": ("unparsable", chat("<think>hm, hm"), generated("<think>hm, hm"), 2),
    "refused": ("refused", chat(None, refusal="No."), None, 2),
    "blocked": ("blocked", chat("", "content_filter"), blocked("SAFETY"), 2),
    "truncated": ("truncated", chat("The first half", "length"), generated("The first half", "MAX_TOKENS"), 3),
}


@pytest.mark.parametrize(
    ("case", "provider"),
    [
        (case, provider)
        for case, said in USELESS.items()
        for provider, each in zip(LIVE, said[1:3], strict=True)
        if each
    ],
)
def test_what_is_no_translation_is_not_stored_as_one(discox: Command, sample: Path, case: str, provider: str) -> None:
    outcome, ours, theirs, tries = USELESS[case]
    said = ours if provider == "openai" else theirs
    bad = True
    scripted = ScriptedJudge({"translation": lambda question, time: said if bad else "The ferry."})
    one = ("--article", "essay-02")
    with served(scripted, provider) as server:
        first = report(translate(discox, sample, server, *one, "--json", provider=provider))
        assert len(server.requests) == tries
        assert texts(sample) == {}
        plain = translate(discox, sample, server, *one, provider=provider)
        assert len(server.requests) == tries  # the failure is on record, and not paid for again
        bad = False
        again = report(translate(discox, sample, server, *one, "--retry-failed", "--json", provider=provider))
        assert len(server.requests) == tries + 1
    assert (first["done"], first["failed"]) == (0, 1)
    assert first["without_translation"] == {"essay-02": outcome}
    assert f"article essay-02: {outcome}; --retry-failed asks again" in plain.out
    assert again["done"] == 1
    assert texts(sample) == {"essay-02": "The ferry."}
    assert Counter(calls(sample))["translation", outcome] == tries


def test_a_truncated_translation_gets_more_room(discox: Command, sample: Path) -> None:
    def cut_once(question: Question, time: int) -> Any:
        return chat("The first", "length") if time == 1 else "The first and the second."

    scripted = ScriptedJudge({"translation": cut_once})
    with served(scripted) as server:
        translate(discox, sample, server, "--article", "essay-02", "--max-tokens", "9000")
    assert [question.room for question in scripted.asked] == [9000, 18000]
    assert texts(sample) == {"essay-02": "The first and the second."}


def test_what_cannot_be_reached_stays_to_be_done(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.0)
    down = True
    script = ScriptedJudge(
        {"translation": lambda question, time: Response(503, "busy") if down and "喊渡" in question.message else None}
    )
    with served(script) as server:
        first = translate(discox, sample, server)
        assert first.code == 1
        assert "3 articles translated by merlin; 1 still to be done" in first.out
        down = False
        script.asked.clear()
        assert translate(discox, sample, server).code == 0
        assert len(script.asked) == 1
    assert len(texts(sample)) == 4


def test_a_key_that_is_refused_stops_it_at_once(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge({"*": failure(401, "no such key")})) as server:
        result = translate(discox, sample, server, "--concurrency", "1")
        assert len(server.requests) == 1
    assert result.code == 1
    assert "gives no access" in result.err


def test_no_more_is_asked_than_allowed(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge()) as server:
        assert translate(discox, sample, server, "--max-calls", "3").code == 1
        assert len(server.requests) == 3
        assert translate(discox, sample, server, "--max-calls", "3").code == 0
        assert len(server.requests) == 4


def test_a_dry_run_asks_nobody(discox: Command, sample: Path) -> None:
    before = dump(sample)
    with served(ScriptedJudge()) as server:
        foretold = report(translate(discox, sample, server, "--dry-run", "--json"))
        assert dump(sample) == before
        assert (foretold["pieces"], foretold["calls"], foretold["calls_by_step"]) == (4, 4, {"translation": 4})
        translate(discox, sample, server, "--max-calls", "1")
        assert report(translate(discox, sample, server, "--dry-run", "--json"))["calls"] == 3
        assert (
            "3 translations would take at most 3 calls: 3 translation"
            in translate(discox, sample, server, "--dry-run").out
        )
        assert len(server.requests) == 1


def test_another_sample_asks_the_same_anew(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge({"translation": ""})) as server:
        for number in ("1", "1", "2"):
            translate(discox, sample, server, "--article", "law-01", "--sample", number)
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--provider", "replay"), 2, "translations are stored as they come, so there is nothing to replay"),
        (("--provider", "openai", "--article", "law-99"), 1, "no article has the name 'law-99'"),
        (("--provider", "openai", "--system", " "), 2, "is empty; give it a value or leave it out"),
    ],
)
def test_what_cannot_be_is_said(
    discox: Command, sample: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    base = ("--db", sample, "--model", MODEL, "--base-url", "http://127.0.0.1:9/v1", "--system", SYSTEM)
    result = discox("translate", *base, *arguments)
    assert (result.code, result.out) == (code, "")
    assert says in result.err


def test_a_missing_key_leaves_no_trace(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    before = dump(sample)
    result = discox("translate", "--db", sample, "--provider", "gemini", "--model", MODEL, "--system", SYSTEM)
    assert result.code == 1
    assert result.err.startswith("discox: GEMINI_API_KEY holds no key; set it in the environment")
    assert dump(sample) == before


def test_the_same_text_twice_is_one_translation(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge({"translation": "The same."})) as server:
        translate(discox, sample, server)
        assert report(judge(discox, sample, server, "--system", SYSTEM, "--json"))["done"] == 4
    assert texts(sample) == dict.fromkeys(texts(sample), "The same.")
    made = rows(sample, "SELECT count(*), count(DISTINCT request_id) FROM made_translations")
    assert made == [(4, 4)]
    assert json.loads(discox("list", "--db", sample, "--json", SYSTEM).out)
