"""Several judges by one command, and a model of its own for de-duplication: who is asked what, and how it is signed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judges.metric_s.protocol.signature import Signature
from storage.db.connection import open_database
from storage.runs.calls import last_form
from tests.conftest import Command, Result
from tests.support.judge_script import Question, ScriptedJudge
from tests.support.judging import report, rows
from tests.support.scripted_batches import Scripted, openai_batches
from tests.support.scripted_server import ScriptedServer, chat, failure, openai

ONE = ("--article", "essay-02", "--system", "aurora-72b", "--no-ground")


def ask(discox: Command, database: Path, server: ScriptedServer, *more: object) -> Result:
    return discox("judge", "--db", database, "--provider", "openai", "--base-url", f"{server.url}/v1", *more)


def models_asked(server: ScriptedServer) -> Counter[str]:
    return Counter(request.json["model"] for request in server.requests)


def priced(tmp_path: Path, **outputs: float) -> Path:
    file = tmp_path / "prices.toml"
    tables = "".join(f'[models."{model}"]\ninput = 0\noutput = {price}\n' for model, price in outputs.items())
    file.write_text(f'currency = "USD"\n{tables}', encoding="utf-8")
    return file


def test_each_of_several_judges_has_its_own_run_and_signature(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        typed = ("--model", "kestrel", "--model", "merlin", "--model", "kestrel", *ONE)
        said = report(ask(discox, sample, server, *typed, "--json"))
        assert models_asked(server) == {"kestrel": 6, "merlin": 6}
        words = ask(discox, sample, server, *typed)
    assert [(each["model"], each["exit_code"], each["report"]["done"]) for each in said] == [
        ("kestrel", 0, 1),
        ("merlin", 0, 1),
    ]
    judges = [Signature.parse(each["report"]["signatures"][0]).judge for each in said]
    assert judges == ["kestrel", "merlin"]
    assert rows(sample, "SELECT model FROM runs ORDER BY id") == [("kestrel",), ("merlin",)]
    assert words.err.index("kestrel:") < words.err.index("merlin:")
    assert words.out.count("nothing is left to do") == 2


def test_a_judge_that_is_not_there_keeps_no_other_from_judging(discox: Command, sample: Path) -> None:
    def script(body: Any, number: int) -> Any:
        return failure(404, "The model does not exist") if body["model"] == "nobody" else scripted(body, number)

    scripted = ScriptedJudge()
    with ScriptedServer(openai(script)) as server:
        said = report(ask(discox, sample, server, "--model", "nobody", "--model", "merlin", *ONE, "--json"), code=1)
    assert [(each["exit_code"], each["report"]["done"]) for each in said] == [(1, 0), (0, 1)]


def test_several_judges_share_one_budget(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        typed = ("--model", "kestrel", "--model", "merlin", "--model", "hobby", *ONE, "--max-calls", "8", "--json")
        result = ask(discox, sample, server, *typed)
        said = report(result, code=1)
        assert len(server.requests) == 8
    assert [each["report"]["calls"] for each in said] == [6, 2]
    assert "hobby was not begun" in result.err


def test_a_dry_run_and_a_check_of_several(discox: Command, sample: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        both = ("--model", "kestrel", "--model", "merlin", *ONE, "--json")
        foretold = report(ask(discox, sample, server, *both, "--dry-run"))
        assert not server.requests
        checked = report(ask(discox, sample, server, *both, "--check"))
        assert models_asked(server) == {"kestrel": 1, "merlin": 1}
    assert [each["report"]["calls"] for each in foretold] == [6, 6]
    assert [each["report"]["right"] for each in checked] == [True, True]


def test_no_judge_begins_where_the_price_of_one_is_not_known(discox: Command, sample: Path, tmp_path: Path) -> None:
    with ScriptedServer(openai(ScriptedJudge())) as server:
        typed = ("--model", "kestrel", "--model", "merlin", "--max-cost", "9", "--prices", priced(tmp_path, kestrel=1))
        result = ask(discox, sample, server, *typed)
        assert not server.requests
    assert (result.code, "no price for merlin" in result.err) == (1, True)


# --- a model for de-duplication ---


def test_duplicates_are_asked_of_their_own_model(discox: Command, sample: Path, tmp_path: Path) -> None:
    scripted = ScriptedJudge()
    with ScriptedServer(openai(scripted)) as server:
        typed = ("--model", "kestrel", *ONE, "--json", "--prices", priced(tmp_path, kestrel=10, wren=1))
        said = report(ask(discox, sample, server, *typed, "--dedup-model", "wren"))
        assert models_asked(server) == {"kestrel": 5, "wren": 1}
        (duplicates,) = [request for request in server.requests if request.json["model"] == "wren"]
        assert Question.of(duplicates.json).step == "deduplication"
        again = report(ask(discox, sample, server, *typed, "--dedup-model", "wren"))
        own = report(ask(discox, sample, server, *typed))
        assert models_asked(server) == {"kestrel": 6, "wren": 1}  # all but duplicates is on record
    assert (again["calls"], own["calls"]) == (0, 1)
    assert said["cost"] == pytest.approx((5 * 20 * 10 + 20 * 1) / 1e6)
    signature = Signature.parse(said["signatures"][0])
    assert (signature.judge, signature.deduplication) == ("kestrel", "model(wren)+code")
    assert Signature.parse(own["signatures"][0]).deduplication == "model+code"
    labels = {judge for (judge,) in rows(sample, "SELECT judge FROM evaluations WHERE run_id IS NOT NULL")}
    assert labels == {"kestrel:dedup-wren", "kestrel"}
    assert rows(sample, "SELECT model, count(*) FROM v_calls GROUP BY model ORDER BY model") == [
        ("kestrel", 6),
        ("wren", 1),
    ]


def test_a_dry_run_foretells_both_prices(discox: Command, sample: Path, tmp_path: Path) -> None:
    typed = (
        "judge",
        "--db",
        sample,
        "--provider",
        "openai",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "kestrel",
    )
    more = (*ONE, "--json", "--dry-run", "--dedup-model", "wren", "--prices")
    dear = report(discox(*typed, *more, priced(tmp_path, kestrel=0, wren=1000)))
    assert dear["estimated_cost"] == pytest.approx(600 * 1000 / 1e6)
    unknown = discox(*typed, *more, priced(tmp_path, kestrel=1))
    assert report(unknown)["estimated_cost"] is None
    assert "no price for wren" in unknown.err


def test_what_each_model_takes_is_kept_apart(discox: Command, sample: Path) -> None:
    def script(body: Any, number: int) -> Any:
        if body["model"] == "wren" and body.get("response_format", {}).get("type") == "json_schema":
            return failure(400, "response_format json_schema is not supported")
        return scripted(body, number)

    scripted = ScriptedJudge()
    with ScriptedServer(openai(script)) as server:
        said = report(ask(discox, sample, server, "--model", "kestrel", "--dedup-model", "wren", *ONE, "--json"))
        connection = open_database(sample, create=False)
        forms = [last_form(connection, "openai", f"{server.url}/v1", model) for model in ("kestrel", "wren")]
        connection.close()
        more = ("--model", "kestrel", "--dedup-model", "wren", "--article", "law-01", "--system", "aurora-72b")
        report(ask(discox, sample, server, *more, "--no-ground", "--json"))
        assert models_asked(server) == {"kestrel": 10, "wren": 3}
    assert [form and form.format for form in forms] == ["json_schema", "json_object"]
    assert Signature.parse(said["signatures"][0]).formats == ("json_object", "json_schema")


def test_a_check_asks_both_models(discox: Command, sample: Path) -> None:
    def script(body: Any, number: int) -> Any:
        if body["model"] == "wren":
            return '{"answer": "yes"}' if good else failure(404, "The model `wren` does not exist")
        return scripted(body, number)

    scripted, good = ScriptedJudge(), True
    with ScriptedServer(openai(script)) as server:
        typed = ("--model", "kestrel", "--dedup-model", "wren", *ONE, "--check", "--json")
        said = report(ask(discox, sample, server, *typed))
        good = False
        wrong = report(ask(discox, sample, server, *typed), code=1)
    assert (said["model"], said["deduplication"]["model"]) == ("kestrel", "wren")
    assert (said["right"], said["deduplication"]["right"]) == (True, True)
    assert (wrong["right"], wrong["deduplication"]["points"]["model"]["right"]) == (True, False)


def test_each_model_has_a_batch_of_its_own(discox: Command, sample: Path) -> None:
    def lines(asked: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for line in asked:
            body = chat(scripted(line["body"]))
            yield {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}

    scripted, api = ScriptedJudge(), Scripted(["completed"], lines)
    with ScriptedServer(*openai_batches(api)) as server:
        # One round hands in the question about duplicates of one translation and the lists of another.
        first = ("--model", "kestrel", "--dedup-model", "wren", "--no-ground", "--batch", "--json")
        for article in ("essay-02", "essay-02", "law-01"):
            ask(discox, sample, server, *first, "--article", article, "--system", "aurora-72b")
        both = ("--article", "essay-02", "--article", "law-01", "--system", "aurora-72b")
        said = report(ask(discox, sample, server, *first, *both, "--wait", "--poll", "0.01"))
    assert (said["done"], said["undone"]) == (2, {})
    asked = [{line["body"]["model"] for line in api.asked(batch["input_file_id"])} for batch in api.batches]
    assert all(len(models) == 1 for models in asked)
    assert {"kestrel"} in asked
    assert {"wren"} in asked


@pytest.mark.parametrize("scheme", ["single-detailed", "single-simple", "rubric"])
def test_a_scheme_without_the_step_has_no_model_for_it(discox: Command, sample: Path, scheme: str) -> None:
    result = discox(
        *("judge", "--db", sample, "--provider", "openai", "--model", "kestrel"),
        *("--scheme", scheme, "--dedup-model", "wren"),
    )
    assert result.code == 2
    assert "--dedup-model goes with the schemes full and accuracy" in result.err
