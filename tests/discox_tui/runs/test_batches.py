"""``discox judge --batch`` against the batch APIs of both providers: round by round, killed anywhere, paid for once."""

from __future__ import annotations

import json
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command, Result
from tests.support.judge_script import SCORE, Question, ScriptedJudge, answer, finding, found
from tests.support.judging import (
    MODEL,
    ONE,
    PATIENCE,
    PROTOCOLS,
    asking,
    calls,
    child,
    intact,
    judge,
    listed,
    report,
    rows,
)
from tests.support.nightly import by_day
from tests.support.scripted_batches import Scripted, gemini_batches, openai_batches
from tests.support.scripted_gemini import generated
from tests.support.scripted_server import Request, Response, ScriptedServer, chat, failure
from tests.support.tables import dump

LIVE = ("openai", "gemini")
ROUND = ("--article", "essay-02")
"""Three translations: 3 checks, 12 lists, 3 de-duplications."""
KEY = "kx-4fQ9-recognisable-7Zb2"
RUNNING = {"openai": "in_progress", "gemini": "BATCH_STATE_RUNNING"}
DONE = {"openai": "completed", "gemini": "BATCH_STATE_SUCCEEDED"}
EXPIRED = {"openai": "expired", "gemini": "BATCH_STATE_EXPIRED"}
UPLOAD = {"openai": r"/v1/files", "gemini": r"/upload/v1beta/files"}
CREATE = {"openai": r"/v1/batches", "gemini": r"/v1beta/models/[\w.-]+:batchGenerateContent"}


@dataclass
class Provider:
    """A scripted server that answers at once and in batches, by the same judge."""

    name: str
    judge: ScriptedJudge
    api: Scripted
    server: ScriptedServer = field(init=False)

    def __post_init__(self) -> None:
        batched = {"openai": openai_batches, "gemini": gemini_batches}[self.name]
        self.api.answer = self.lines
        self.server = ScriptedServer(PROTOCOLS[self.name](self.judge), *batched(self.api))

    def lines(self, asked: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The results of a batch, last one first."""
        for line in reversed(asked):
            said = self.judge(line["body" if self.name == "openai" else "request"])
            bad = said if isinstance(said, Response) else None
            if self.name == "openai":
                body = bad.body if bad else chat(said) if isinstance(said, str) else said
                response = {"status_code": bad.status if bad else 200, "request_id": "r", "body": body}
                yield {"id": "x", "custom_id": line["custom_id"], "response": response, "error": None}
            elif bad:
                yield {"key": line["key"], "error": {"code": bad.status, "message": bad.body["error"]["message"]}}
            else:
                yield {"key": line["key"], "response": generated(said) if isinstance(said, str) else said}

    @property
    def sizes(self) -> list[int]:
        """How many requests each batch has that was started, oldest first."""
        files = (
            batch.get("input_file_id") or batch["metadata"]["inputConfig"]["fileName"] for batch in self.api.batches
        )
        return [len(self.api.asked(file)) for file in files][::-1]

    def arrived(self, path: str) -> int:
        """How many POST requests came to a path."""
        return sum(
            request.method == "POST" and bool(re.fullmatch(path, request.path)) for request in self.server.requests
        )


@contextmanager
def serving(name: str, *stages: str, says: dict[str, Any] | None = None) -> Iterator[Provider]:
    provider = Provider(name, ScriptedJudge(says or {}), Scripted(list(stages) or [DONE[name]]))
    with provider.server:
        yield provider


def batch(discox: Command, database: Path, provider: Provider, *more: object) -> Result:
    return judge(discox, database, provider.server, "--batch", *more, provider=provider.name)


def shown(discox: Command, database: Path) -> list[str]:
    """Every evaluation, byte for byte."""
    return sorted(discox("show", "--db", database, "--json", row["id"]).out for row in listed(discox, database))


def on_record(database: Path) -> list[tuple[object, ...]]:
    """What was asked and how it ended, whenever that was."""
    return rows(database, "SELECT request, outcome, read_by, answer FROM v_calls ORDER BY request, call")


# --- round by round ---


@pytest.mark.parametrize("name", LIVE)
def test_errors_are_proved_in_batches_as_they_are_at_once(discox: Command, sample: Path, name: str) -> None:
    twin = Path(shutil.copy(sample, sample.with_name("twin.db")))
    with serving(name, RUNNING[name], DONE[name]) as provider:
        rounds = []
        for _ in range(20):
            said = report(result := batch(discox, sample, provider, *ONE, "--prove", "--json"), code=None)
            rounds.append((said["done"], said["proving"]["done"], said["calls"] + said["proving"]["calls"]))
            if result.code == 0:
                break
        assert provider.arrived(CREATE[name]) == 5, "three rounds of judging, one of mends, one of comparisons"
        asked = sum(provider.sizes)
        assert sum(calls for *_, calls in rounds) == asked == 6 + 10
        assert [sum(each[i] for each in rounds) for i in (0, 1)] == [1, 1]
        assert report(batch(discox, sample, provider, *ONE, "--prove", "--json"))["proving"]["calls"] == 0
        assert judge(discox, twin, provider.server, *ONE, "--prove", provider=name).code == 0
    assert shown(discox, sample) == shown(discox, twin)


@pytest.mark.parametrize("name", LIVE)
def test_a_batch_of_proofs_is_waited_for(discox: Command, sample: Path, name: str) -> None:
    with serving(name) as provider:
        said = report(batch(discox, sample, provider, *ONE, "--prove", "--wait", "--poll", "0.01", "--json"))
        assert (said["done"], said["proving"]["done"], said["proving"]["open_batches"]) == (1, 1, 0)
        assert provider.sizes == [1, 4, 1, 4, 6]


@pytest.mark.parametrize("name", LIVE)
def test_rounds_on_other_days_come_to_what_a_live_run_comes_to(discox: Command, sample: Path, name: str) -> None:
    twin = Path(shutil.copy(sample, sample.with_name("twin.db")))
    with serving(name, RUNNING[name], DONE[name]) as provider:
        handed_in: list[int] = []
        for _ in range(9):
            said = report(result := batch(discox, sample, provider, "--json"), code=1 if len(handed_in) < 6 else 0)
            handed_in.append(said["handed_in"])
            assert result.err == ""
            assert said["open_batches"] == (1 if len(handed_in) < 7 else 0)
            if len(handed_in) == 7:
                break
        # One batch a round, each looked at twice: it runs, then it is done.
        assert handed_in == [1, 0, 1, 0, 1, 0, 0]
        assert provider.sizes == [12, 48, 12]
        assert said["done"] == 12
        assert report(batch(discox, sample, provider, "--json"))["before"]["done"] == 12
        assert len(provider.api.batches) == 3
        assert not any(
            "Content" in r.path or "completions" in r.path for r in provider.server.requests if "batch" not in r.path
        )
        report(judge(discox, twin, provider.server, "--json", provider=name))
    assert shown(discox, sample) == shown(discox, twin)
    assert on_record(sample) == on_record(twin)
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 12
    assert len(calls(sample)) == 72
    assert intact(sample)


@pytest.mark.parametrize("name", LIVE)
def test_with_patience_one_command_does_all_rounds(discox: Command, sample: Path, name: str) -> None:
    with serving(name, RUNNING[name], RUNNING[name], DONE[name]) as provider:
        result = batch(discox, sample, provider, "--wait", "--poll", "0.05")
        assert provider.sizes == [12, 48, 12]
    assert (result.code, result.err) == (0, "")
    assert "12 translations judged\n72 calls; 7,200 tokens in" in result.out
    assert len(listed(discox, sample)) == 12


@pytest.mark.parametrize("name", LIVE)
def test_looking_changes_nothing(discox: Command, sample: Path, name: str) -> None:
    with serving(name, RUNNING[name], DONE[name]) as provider:
        status = ("--batch-status", "--json")
        assert report(judge(discox, sample, provider.server, *status, provider=name)) == []
        batch(discox, sample, provider, *ROUND)
        before = dump(sample)
        for state in ("running", "done"):
            (said,) = report(judge(discox, sample, provider.server, *status, provider=name))
            assert (said["state"], said["requests"], said["batch"]) == (
                state,
                3,
                rows(sample, "SELECT remote FROM batches")[0][0],
            )
        plain = judge(discox, sample, provider.server, "--batch-status", provider=name)
        assert re.match(r"since 2\d{3}-\S+: batch \S+: 3 requests, done, ", plain.out)
        assert dump(sample) == before
        assert len(provider.api.batches) == 1
        where = discox(
            "judge",
            "--db",
            sample,
            "--provider",
            name,
            "--model",
            "other",
            "--base-url",
            "http://127.0.0.1:9",
            "--batch-status",
        )
    assert where.out == "no batch is open\n"


@pytest.mark.parametrize("name", LIVE)
def test_a_live_run_leaves_to_a_batch_what_is_in_it(discox: Command, sample: Path, name: str) -> None:
    with serving(name, RUNNING[name], DONE[name]) as provider:
        batch(discox, sample, provider, *ROUND)
        live = judge(discox, sample, provider.server, "--article", "essay-02", "--article", "law-01", provider=name)
        assert live.code == 1
        assert "3 translations judged; 3 still to be done\n  3: waits for a batch; collect it with --batch" in live.out
        assert provider.judge.steps.total() == 18
        assert batch(discox, sample, provider, *ROUND).code == 1
        batch(discox, sample, provider, *ROUND)  # the checks are here now, the lists are handed in
        assert provider.sizes == [3, 12]
        provider.judge.asked.clear()
        live = judge(discox, sample, provider.server, *ROUND, provider=name)
        assert (live.code, provider.judge.asked) == (1, [])
        while batch(discox, sample, provider, *ROUND).code:
            pass
    assert len(calls(sample)) == 36
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 6


@pytest.mark.parametrize("name", LIVE)
def test_what_a_live_run_paid_for_is_in_no_batch(discox: Command, sample: Path, name: str) -> None:
    with serving(name) as provider:
        judge(discox, sample, provider.server, *ROUND, "--max-calls", "7", provider=name)
        while batch(discox, sample, provider, *ROUND).code:
            pass
        assert sum(provider.sizes) == 18 - 7
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3


@pytest.mark.parametrize("name", LIVE)
def test_no_more_is_handed_in_than_allowed(discox: Command, sample: Path, name: str) -> None:
    with serving(name) as provider:
        result = batch(discox, sample, provider, "--max-calls", "5")
        assert provider.sizes == [5]
        assert "stopped: the limit of 5 calls is reached" in result.err
        assert batch(discox, sample, provider, "--max-calls", "5").code == 1
        assert provider.sizes == [5, 5]


@pytest.mark.parametrize("name", LIVE)
def test_a_batch_costs_its_own_price(discox: Command, sample: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(f"[models.{MODEL}]\ninput = 10000\noutput = 50000\nbatch = 0.25\n", "utf-8")
    with serving(name) as provider:
        said = report(batch(discox, sample, provider, *ROUND, "--wait", "--poll", "0.01", "--json", "--prices", file))
    (model,) = report(discox("usage", "--db", sample, "--json", "--prices", file))["models"]
    assert (model["batched"], model["calls"]) == (True, 18)
    assert said["cost"] == pytest.approx(model["cost"]) == pytest.approx(18 * 2 * 0.25)
    assert f"{MODEL} ({name}, batch)" in discox("usage", "--db", sample).out


def badly(question: Question, time: int) -> Any:
    """Another fault at every step, the first time: prose, another shape, half an answer, quotes that stand nowhere."""
    whole = answer(question)
    if time > 1:
        return None
    if question.step == "accuracy":
        wrong = finding(question, 0, "other", "major", target_quote="words that stand nowhere in it")
        return json.dumps(found(*json.loads(whole)["items"], wrong))
    return {
        "instruction_check": "It is a translation, I think.",
        "rubric": json.dumps({"items": json.loads(whole).get("items", [])[1:]}),
        "fluency": chat(whole[: len(whole) // 2], "length"),
        "appropriateness": json.dumps({"items": []}),
        "deduplication": "Dear reader,",
        "single_detailed": json.dumps({**json.loads(whole), "rubric": []}),
        "single_simple": json.dumps({"accuracy": 70, "fluency": 1, "appropriateness": 1}),
    }.get(question.step)


@pytest.mark.parametrize("scheme", ["full", "accuracy", "single-detailed", "single-simple"])
def test_calls_of_a_batch_are_on_record_as_live_ones_are(discox: Command, sample: Path, scheme: str) -> None:
    twin = Path(shutil.copy(sample, sample.with_name("twin.db")))
    more = (*ROUND, "--scheme", scheme)
    with serving("openai", says={"*": badly}) as provider:
        batch(discox, sample, provider, *more, "--wait", "--poll", "0.01")
        provider.judge = ScriptedJudge({"*": badly})
        provider.server.routes = ScriptedServer(PROTOCOLS["openai"](provider.judge)).routes
        judge(discox, twin, provider.server, *more)
    assert on_record(sample) == on_record(twin)
    assert {outcome for _, outcome in calls(sample)} > {"ok"}
    assert shown(discox, sample) == shown(discox, twin)


# --- what fails ---

Handler = Callable[[Request], Response]


def posting(server: ScriptedServer, path: str, change: Callable[[Handler], Handler]) -> Callable[[], None]:
    """Let what is posted to a path be handled otherwise. Returns what ends that."""
    saved = server.routes
    server.routes = [
        (method, pattern, change(handler) if (method, pattern.pattern) == ("POST", path) else handler)
        for method, pattern, handler in saved
    ]

    def heal() -> None:
        server.routes = saved

    return heal


@pytest.mark.parametrize("name", LIVE)
def test_a_judge_that_gives_nothing_usable_is_asked_in_one_more_batch(discox: Command, sample: Path, name: str) -> None:
    with serving(name, says={"fluency": "A poem about ferries."}) as provider:
        said = report(batch(discox, sample, provider, *ROUND, "--wait", "--poll", "0.01", "--json"), code=1)
        assert provider.sizes == [3, 12, 3]
        assert (said["done"], said["failed"]) == (0, 3)
        assert report(batch(discox, sample, provider, *ROUND, "--wait", "--json"))["run"] is None
    assert {(row["state"], tuple(row["failed"])) for row in listed(discox, sample)} == {("judge_failed", ("fluency",))}
    assert said["outcomes"] == {"ok": 12, "unparsable": 6}


@pytest.mark.parametrize("name", LIVE)
def test_one_that_ran_out_of_time_is_made_up_for(discox: Command, sample: Path, name: str) -> None:
    with serving(name, EXPIRED[name]) as provider:
        whole = provider.lines

        def some(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return list(whole(asked[: (len(asked) + 1) // 2]))

        provider.api.answer = some
        while batch(discox, sample, provider, *ROUND).code:
            pass
        assert provider.sizes[:2] == [3, 8 + 1]  # two of three checks came: their lists, and the third check again
    assert len(calls(sample)) == 18
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3


def fails(provider: Provider) -> None:
    """Let every batch be refused as a whole."""
    if provider.name == "openai":
        provider.api.stages, provider.api.more = (
            ["failed"],
            {"errors": {"data": [{"message": "Enqueued limit reached"}]}},
        )
    else:
        provider.api.stages, provider.api.more = (
            ["BATCH_STATE_FAILED"],
            {"error": {"message": "Enqueued limit reached"}},
        )
        provider.api.answer = None


@pytest.mark.parametrize("name", LIVE)
def test_one_that_was_refused_is_handed_in_again_with_the_next_command(
    discox: Command, sample: Path, name: str
) -> None:
    with serving(name) as provider:
        fails(provider)
        batch(discox, sample, provider, *ROUND)
        said = batch(discox, sample, provider, *ROUND)
        assert said.code == 1
        assert "3 requests, lost, 0 answered: the batch" in said.out
        assert "Enqueued limit reached" in said.out
        assert provider.sizes == [3, 3]
        provider.api.stages, provider.api.more, provider.api.answer = [DONE[name]], {}, provider.lines
        while batch(discox, sample, provider, *ROUND).code:
            pass
        assert provider.sizes == [3, 3, 12, 3]
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3


@pytest.mark.parametrize("name", LIVE)
def test_patience_ends_where_batches_are_in_vain(discox: Command, sample: Path, name: str) -> None:
    with serving(name) as provider:
        fails(provider)
        said = batch(discox, sample, provider, *ROUND, "--wait", "--poll", "0.01")
        assert provider.sizes == [3, 3]
    assert said.code == 1
    assert "stopped: a batch was in vain, so no more are waited for: the batch" in said.err
    with serving(name, says={"*": failure(503, "overloaded")}) as provider:
        said = batch(discox, sample, provider, "--article", "law-01", "--wait", "--poll", "0.01")
        assert provider.sizes == [3, 3]
    assert "overloaded" in said.err


@pytest.mark.parametrize("name", LIVE)
def test_a_form_that_is_refused_is_lowered_in_the_next_batch(discox: Command, sample: Path, name: str) -> None:
    code = 400 if name == "openai" else 3
    refused = Response(code, failure(400, "response_format json_schema is not supported").body)

    def refuses(question: Any, time: int) -> Response | None:
        return refused if question.form == "json_schema" else None

    with serving(name, says={"*": refuses}) as provider:
        said = report(batch(discox, sample, provider, *ROUND, "--wait", "--poll", "0.01", "--json"))
        sizes = provider.sizes
    assert said["done"] == 3
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3
    assert sizes[:2] == [3, 3]
    assert sizes == [3, 3, 12, 3]  # what the first batch taught, the next ones know


@pytest.mark.parametrize("name", LIVE)
def test_one_that_another_key_handed_in_stays_open(discox: Command, sample: Path, name: str) -> None:
    with serving(name) as provider:
        batch(discox, sample, provider, *ROUND)
        kept, provider.api.batches = provider.api.batches, []
        for more in (("--batch",), ("--batch-status",)):
            said = judge(discox, sample, provider.server, *ROUND, *more, provider=name)
            assert said.code == 1
            assert "not there for this key" in said.err
        assert provider.api.batches == []
        provider.api.batches = kept
        while batch(discox, sample, provider, *ROUND).code:
            pass
        assert provider.sizes == [3, 12, 3]


@by_day(4)
@pytest.mark.parametrize("name", LIVE)
@pytest.mark.parametrize("where", ["upload", "create"])
@pytest.mark.parametrize("status", [404, 405, 501, 401])
def test_a_server_without_batches_locks_nothing(
    discox: Command, sample: Path, name: str, where: str, status: int
) -> None:
    path = {"upload": UPLOAD, "create": CREATE}[where][name]
    with serving(name) as provider:
        posting(provider.server, path, lambda handler: lambda request: failure(status, "no such thing here"))
        said = batch(discox, sample, provider, *ROUND)
        assert said.code == 1
        assert "nothing was handed in, and without --batch it is asked at once" in said.err
        ((state, reason),) = rows(sample, "SELECT state, reason FROM batches")
        assert (state, "no such thing here" in reason) == ("lost", True)
        live = report(judge(discox, sample, provider.server, *ROUND, "--json", provider=name))
    assert (live["done"], live["calls"]) == (3, 18)


def test_what_was_not_handed_in_is_no_part_of_a_budget(discox: Command, sample: Path) -> None:
    with serving("openai") as provider:
        heal = posting(provider.server, UPLOAD["openai"], lambda handler: lambda request: failure(404, "no batches"))
        for _ in range(2):
            assert "404: no batches" in batch(discox, sample, provider, *ROUND, "--max-calls", "3").err
        heal()
        assert batch(discox, sample, provider, *ROUND, "--max-calls", "3").code == 1
        assert provider.sizes == [3]


@pytest.mark.parametrize("name", LIVE)
def test_what_may_have_been_handed_in_waits_until_it_is_forgotten(discox: Command, sample: Path, name: str) -> None:
    with serving(name) as provider:
        posting(provider.server, CREATE[name], lambda handler: lambda request: failure(500, "oh"))
        assert batch(discox, sample, provider, *ROUND).code == 1
        assert rows(sample, "SELECT state FROM batches") == [("submitting",)]
        live = judge(discox, sample, provider.server, *ROUND, provider=name)
        assert "3: waits for a batch; collect it with --batch, or give it up with --batch-forget" in live.out
        listing = provider.server.routes
        provider.server.routes = [each for each in listing if each[0] != "GET"]  # nor can it be looked for
        assert "--batch-forget gives up what may have" in batch(discox, sample, provider, *ROUND).err
        before = len(provider.server.requests)
        forget = judge(discox, sample, provider.server, "--batch-forget", provider=name)
        assert len(provider.server.requests) == before
        assert (forget.code, forget.err) == (0, "")
        assert re.match(r"since 2\d{3}-\S+: batch \(perhaps not handed in\): 3 requests given up\n", forget.out)
        ((state, reason),) = rows(sample, "SELECT state, reason FROM batches")
        assert state == "lost"
        assert re.fullmatch(r"forgotten on request, 2\d{3}-\S+", reason)
        assert judge(discox, sample, provider.server, *ROUND, provider=name).code == 0


def test_only_open_batches_of_one_model_are_forgotten(discox: Command, sample: Path) -> None:
    with serving("openai") as provider:
        batch(discox, sample, provider, *ROUND)
        batch(discox, sample, provider, *ROUND)  # the first is collected, the second is open
        asked = ("judge", "--db", sample, "--provider", "openai", "--base-url", f"{provider.server.url}/v1")
        other = discox(*asked, "--batch-forget", "--model", "another")
        assert other.out == "no batch is open\n"
        (said,) = report(judge(discox, sample, provider.server, "--batch-forget", "--json"))
        assert (said["batch"], said["requests"], said["state"]) == ("batch_1", 12, "submitted")
        assert report(judge(discox, sample, provider.server, "--batch-forget", "--json")) == []
        assert rows(sample, "SELECT state FROM batches ORDER BY id") == [("collected",), ("lost",)]
        assert report(judge(discox, sample, provider.server, *ROUND, "--json"))["calls"] == 15


@pytest.mark.parametrize("name", LIVE)
@pytest.mark.parametrize("where", ["upload", "create"])
def test_what_cannot_be_handed_in_is_handed_in_another_time(
    discox: Command, sample: Path, name: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{name.upper()}_API_KEY", KEY)
    path = {"upload": UPLOAD, "create": CREATE}[where][name]
    with serving(name) as provider:
        heal = posting(provider.server, path, lambda handler: lambda request: failure(429, f"Too many for {KEY}"))
        said = batch(discox, sample, provider, *ROUND, "--key-env", f"{name.upper()}_API_KEY")
        heal()
        assert said.code == 1
        assert "Too many for [key]" in said.err
        while (again := batch(discox, sample, provider, *ROUND)).code:
            pass
        assert provider.sizes == [3, 12, 3]
    assert not any(KEY.encode() in file.read_bytes() for file in sample.parent.glob(f"{sample.name}*"))
    assert KEY not in said.out + said.err + again.out + again.err


def test_a_missing_key_leaves_no_trace(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    before = dump(sample)
    result = discox("judge", "--db", sample, "--provider", "openai", "--model", MODEL, "--batch")
    assert (result.code, result.out) == (1, "")
    assert "OPENAI_API_KEY holds no key" in result.err
    assert dump(sample) == before


# --- killed and interrupted ---


def falls_silent(*, after: bool) -> Callable[[Handler], Handler]:
    """Let a handler hang, before anything is done or after it was."""

    def silent(handler: Handler) -> Handler:
        return lambda request: replace(handler(request) if after else Response(), manner="hang")

    return silent


def until(holds: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.01)


@by_day(1)
@pytest.mark.parametrize("name", LIVE)
@pytest.mark.parametrize(
    ("where", "after", "submissions"),
    [("upload", False, 0), ("create", False, 0), ("create", True, 1)],
    ids=["noted", "uploaded", "started"],
)
def test_killed_while_it_hands_in_nothing_is_handed_in_twice(
    discox: Command, sample: Path, name: str, where: str, after: bool, submissions: int
) -> None:
    path = {"upload": UPLOAD, "create": CREATE}[where][name]
    with serving(name) as provider:
        heal = posting(provider.server, path, falls_silent(after=after))
        process = child("judge", "--db", sample, *asking(provider.server, name), *ROUND, "--batch")
        try:
            until(lambda: provider.arrived(path) == 1, "it hands in")
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
        heal()
        assert intact(sample)
        assert rows(sample, "SELECT state, remote FROM batches") == [("submitting", None)]
        assert len(provider.api.batches) == submissions
        while batch(discox, sample, provider, *ROUND).code:
            pass
        assert provider.sizes == [3, 12, 3]
    assert len(calls(sample)) == 18
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3


@pytest.mark.parametrize("name", LIVE)
def test_killed_while_it_waits_it_goes_on_another_day(discox: Command, sample: Path, name: str) -> None:
    with serving(name, RUNNING[name]) as provider:
        options = (*asking(provider.server, name), *ROUND, "--batch", "--wait", "--poll", "0.05")
        process = child("judge", "--db", sample, *options)
        try:
            until(lambda: sum(provider.api.looks.values()) > 2, "it waits")
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
        provider.api.stages = [DONE[name]]
        assert batch(discox, sample, provider, *ROUND, "--wait", "--poll", "0.01").code == 0
        assert provider.sizes == [3, 12, 3]
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_interrupted_while_it_waits_it_ends(discox: Command, sample: Path, number: int) -> None:
    with serving("openai", "in_progress") as provider:
        options = (*asking(provider.server), *ROUND, "--batch", "--wait", "--poll", "600")
        process = child("judge", "--db", sample, *options)
        try:
            until(lambda: rows(sample, "SELECT count(*) FROM batches WHERE state = 'submitted'") == [(1,)], "it waits")
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        assert process.returncode == 1
        assert "1 batch open; the same command collects what is ready" in out
        assert "stopping" in err
        assert provider.sizes == [3]


@pytest.mark.parametrize("name", LIVE)
def test_interrupted_while_it_looks_it_keeps_what_came_and_hands_in_nothing(
    discox: Command, sample: Path, name: str
) -> None:
    with serving(name) as provider:
        batch(discox, sample, provider, *ROUND)
        looks = "/v1/batches/" if name == "openai" else "/v1beta/batches/"
        saved = provider.server.routes

        heard = threading.Event()

        def late(handler: Handler) -> Handler:
            return lambda request: replace(handler(request), when=heard.is_set)

        provider.server.routes = [
            (method, pattern, late(handler) if method == "GET" and pattern.pattern.startswith(looks) else handler)
            for method, pattern, handler in saved
        ]
        process = child("judge", "--db", sample, *asking(provider.server, name), *ROUND, "--batch")
        try:
            until(lambda: provider.api.looks, "it looks")
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            assert "stopping" in process.stderr.readline()
            heard.set()
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        assert process.returncode == 1
        assert calls(sample) == [("instruction_check", "ok")] * 3
        assert provider.sizes == [3]
        provider.server.routes = saved
        while batch(discox, sample, provider, *ROUND).code:
            pass
        assert provider.sizes == [3, 12, 3]
