"""Runs and ``discox usage`` at servers that behave at random: what the ones say they asked and cost, the other says."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judges.providers import client
from tests.conftest import Command
from tests.support.judge_script import ScriptedJudge
from tests.support.judging import MODEL, ONE, PROTOCOLS, address, report
from tests.support.nightly import rounds
from tests.support.scripted_batches import Scripted, openai_batches
from tests.support.scripted_server import Response, ScriptedServer, chat, failure

OTHER, DEDUP = "plover", "wren"


class Server:
    """A server that answers, or does not, as chance has it; the same question always alike in a batch and at once."""

    def __init__(self, chance: random.Random, tells_cost: bool, fails: float) -> None:
        self.judge, self.chance, self.tells_cost, self.fails = ScriptedJudge(), chance, tells_cost, fails

    def usage(self) -> dict[str, Any]:
        asked, said = self.chance.randrange(3_000, 9_000), self.chance.randrange(1, 900)
        told: dict[str, Any] = {
            "prompt_tokens": asked,
            "completion_tokens": said,
            "prompt_tokens_details": {"cached_tokens": self.chance.choice([0, asked // 3, asked])},
            "completion_tokens_details": {"reasoning_tokens": said // 2},
        }
        for name in self.chance.choice([(), (), (), ("prompt_tokens",), ("completion_tokens",), tuple(told)]):
            del told[name]
        if self.tells_cost and self.chance.random() < 0.8:
            told["cost"] = self.chance.choice([0.0, 0.00123, 0.7])
        return told

    def __call__(self, body: dict[str, Any], number: int = 0) -> Response:
        proper, usage = self.judge(body), self.usage()
        if self.chance.random() < self.fails:
            failed = self.chance.choice(
                [
                    failure(500, "oops"),
                    failure(429, "slow down", {"retry-after": "0.01"}),
                    Response(manner="close"),
                    Response(body=chat("A poem.", usage=usage)),
                    Response(body=chat(None, refusal="No.", usage=usage)),
                    Response(body=chat(proper[:5], finish_reason="length", usage=usage)),
                    Response(body="<html>", headers={"content-type": "text/html"}),
                ]
            )
            if failed.manner == "proper" or number:
                return failed
        if not body.get("stream"):
            return Response(body=chat(proper, usage=usage))
        pieces: list[dict[str, Any]] = [
            {"model": "s", "choices": [{"index": 0, "delta": {"content": proper}, "finish_reason": "stop"}]},
            {"model": "s", "choices": [], "usage": usage},
        ]
        events = "".join(f"data: {json.dumps(each)}\n\n" for each in pieces)
        return Response(body=f"{events}data: [DONE]\n\n", headers={"content-type": "text/event-stream"})

    def lines(self, asked: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The results of a batch."""
        for line in asked:
            said = self(line["body"])
            response = {"status_code": said.status, "request_id": "r", "body": said.body}
            yield {"id": "x", "custom_id": line["custom_id"], "response": response, "error": None}


def price_file(chance: random.Random, folder: Path) -> tuple[object, ...]:
    """Options that name a file with prices of some of the models, or none."""
    currency = chance.choice(["USD", "EUR", None])
    if currency is None:
        return ()
    file = folder / "prices.toml"
    some = [MODEL, *(name for name in (OTHER, DEDUP) if chance.random() < 0.7)]
    tables = (
        f"[models.{name}]\ninput = {chance.randrange(1, 90)}\ncached = 0.7\noutput = {chance.randrange(1, 99)}\nbatch = 0.3\n"
        for name in some
    )
    file.write_text(f'currency = "{currency}"\n{"".join(tables)}', encoding="utf-8")
    return "--prices", file


FIELDS = ("calls", "input", "cached", "output", "unmetered", "estimated_input", "estimated_output")


def told_by_run(said: list[Any]) -> tuple[Counter[str], dict[str, int], float]:
    """Sums over the reports of runs: of `FIELDS`, by outcome, and the cost."""
    counts, outcomes, cost = Counter[str](), Counter[str](), 0.0
    for whole in said:
        for part in (whole, whole.get("proving", {})):
            if "calls" not in part:
                continue
            tokens, guessed = part["tokens"], part["estimated_tokens"]
            counts.update({"calls": part["calls"], "unmetered": part["unmetered"], **tokens})
            counts.update({f"estimated_{name}": value for name, value in guessed.items()})
            outcomes.update(part["outcomes"])
            cost += part["cost"] or 0.0
    return counts, dict(outcomes), cost


def told_by_usage(rows: list[Any]) -> tuple[Counter[str], dict[str, int], float]:
    """The same sums over rows of usage."""
    counts, outcomes = Counter[str](), Counter[str]()
    for row in rows:
        counts.update({name: row[name] for name in FIELDS})
        outcomes.update(row["outcomes"])
    return counts, dict(outcomes), sum(row["cost"] or 0.0 for row in rows)


@pytest.mark.parametrize("seed", range(rounds(14, 150)))
def test_a_run_and_usage_agree(
    discox: Command, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.0)
    chance = random.Random(seed)
    batched = chance.random() < 0.3
    scripted = Server(chance, tells_cost=chance.random() < 0.5, fails=chance.choice([0.0, 0.15, 0.4]))
    api = Scripted(["completed"], answer=scripted.lines)
    models = (MODEL, OTHER)[: chance.choice([1, 2])]
    prices = price_file(chance, tmp_path)
    several = {
        ("--dedup-model", DEDUP): 0.5,
        ("--prove",): 0.5,
        ("--stream",): 0.0 if batched else 0.5,
        ("--samples", 2): 0.3,
        ("--max-calls", 9): 0.2,
    }
    given = [word for option, often in several.items() if chance.random() < often for word in option]
    said: list[Any] = []
    with ScriptedServer(PROTOCOLS["openai"](scripted), *openai_batches(api)) as server:
        whom = ("--provider", "openai", "--base-url", address(server), *(w for m in models for w in ("--model", m)))
        for _ in range(8 if batched else 2):
            more = ("--batch",) if batched else ()
            made = report(discox("judge", "--db", sample, *whom, *ONE, *given, *prices, *more, "--json"), code=None)
            said += [each["report"] for each in made if each["report"]] if len(models) > 1 else [made]
    used = report(discox("usage", "--db", sample, "--json", *prices))
    counts, outcomes, cost = told_by_run(said)
    for rows in (used["runs"], used["models"]):
        told = told_by_usage(rows)
        assert (+counts, outcomes) == (+told[0], told[1]), given
        assert cost == pytest.approx(told[2], rel=1e-9, abs=1e-9), given
    for each in said:
        rows_of_run = [row for row in used["runs"] if row["run"] == each["run"]]
        together = [other for other in said if other["run"] == each["run"]]
        assert told_by_run(together)[2] == pytest.approx(told_by_usage(rows_of_run)[2], rel=1e-9, abs=1e-9)
