"""``discox judge`` over real sockets: what is asked and stored, what every failure comes to, and what it says of both."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judges.providers import client
from tests.conftest import Command, Result
from tests.support.judge_script import (
    POINTS,
    SCORE,
    WITHOUT_POINTS,
    Question,
    ScriptedJudge,
    answer,
    finding,
    found,
    quote,
)
from tests.support.judging import (
    GARBAGE,
    LIVE,
    MODEL,
    ONE,
    STEPS,
    address,
    asking,
    calls,
    intact,
    judge,
    library,
    listed,
    one,
    report,
    rows,
    served,
    shown,
)
from tests.support.scripted_gemini import generated
from tests.support.scripted_server import HTML, Response, chat, failure
from tests.support.tables import dump


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failures on the way are followed by the next try at once."""
    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.0)


# --- a whole run ---


@pytest.mark.parametrize("provider", LIVE)
def test_a_library_is_judged_once(discox: Command, sample: Path, provider: str) -> None:
    scripted = ScriptedJudge()
    with served(scripted, provider) as server:
        first = report(judge(discox, sample, server, "--json", provider=provider))
        second = report(judge(discox, sample, server, "--json", provider=provider))
        assert len(server.requests) == 12 * 6
    assert scripted.steps == Counter(dict.fromkeys(STEPS, 12))
    assert (first["done"], first["failed"], first["undone"], first["stopped"]) == (12, 0, {}, None)
    assert (first["calls"], first["outcomes"]) == (72, {"ok": 72})
    assert first["tokens"] == {"input": 7200, "cached": 0, "output": 1440}
    assert first["before"] == {"to_do": 12, "done": 0, "failed": 0, "no_translation": 0}
    assert second["before"]["done"] == 12
    assert (second["run"], second["calls"]) == (None, 0)
    evaluations = listed(discox, sample)
    assert len({(row["article"], row["system"]) for row in evaluations}) == 12
    for row in evaluations:
        assert (row["state"], row["score"], row["judge"], row["sample"]) == ("scored", SCORE, MODEL, 1)
        assert (row["findings"], row["quotes_verified"]) == (5, row["quotes"])
        assert row["quotes"] >= 8
        assert row["flags"] == []
    assert intact(sample)


@pytest.mark.parametrize("article", ["law-01", "hydrology-03"])
def test_every_finding_stands_where_it_was_quoted(discox: Command, sample: Path, article: str) -> None:
    scripted = ScriptedJudge()
    with served(scripted) as server:
        judge(discox, sample, server, "--article", article, "--system", "heron-14b")
    evaluation = one(discox, sample)
    asked = scripted.asked[0]
    sources, targets = (
        [quote(side, place) for place in (0, len(side) - 1, 0, 1, 0)] for side in (asked.source, asked.translation)
    )
    kinds = [(f["step"], f["category"], f["severity"], f["kept"]) for f in evaluation["findings"]]
    assert kinds == [
        ("accuracy", "mistranslation", "major", True),
        ("accuracy", "omission", "critical", True),
        ("rubric", "rubric_point", "violated", True),
        ("fluency", "grammar", "minor", True),
        ("appropriateness", "style", "major", False),
    ]
    assert evaluation["findings"][4]["duplicate_of"] == evaluation["findings"][0]["id"]
    assert evaluation["findings"][0]["quoted"]["suggestion"] == "better words"
    for found_, source, target in zip(evaluation["findings"], sources, targets, strict=True):
        lit = {(span["side"], span["text"]) for span in found_["spans"] if span["role"] == "quote"}
        assert lit == {("source", source), ("translation", target)}
        for span in found_["spans"]:
            assert evaluation[span["side"]][span["start"] : span["end"]] == span["text"]
    met = [point["met"] for point in evaluation["rubric"]]
    assert met == [False, *[True] * (len(met) - 1)]
    assert [line["status"] for line in evaluation["advice"]] == ["applied"]
    assert evaluation["instruction_check"] == "a whole translation"


def test_the_signature_says_who_was_asked_and_who_answered(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge()) as server:
        result = judge(discox, sample, server, *ONE, "--temperature", "0", "--seed", "7")
        where = address(server)
    evaluation = one(discox, sample)
    parts = dict(part.split(":", 1) for part in evaluation["signature"].split("|")[1:])
    assert (parts["judge"], parts["answered"], parts["provider"]) == (MODEL, "scripted-1", "openai")
    assert (parts["server"], parts["scheme"], parts["explain"]) == (where, "full", "zh")
    assert parts["params"] == "max_tokens=16384,seed=7,temperature=0.0"
    assert (parts["weights"], parts["dedup"], parts["format"]) == ("60/20/20-2/5/10/50/5", "model+code", "json_schema")
    assert re.fullmatch(r"discox-1/[0-9a-f]{8}", parts["prompts"])
    assert f"by: {evaluation['signature']}" in discox("show", "--db", sample, evaluation["id"]).out
    assert f"signature {evaluation['signature']}" in result.out


def test_every_answer_is_on_record(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge()) as server:
        judge(discox, sample, server, *ONE)
    assert sorted(calls(sample)) == sorted((step, "ok") for step in STEPS)
    for status, model, finish, input_tokens, output_tokens, form, said in rows(
        sample, "SELECT status, answered_by, finish, input_tokens, output_tokens, form, answer FROM v_calls"
    ):
        assert (status, model, finish, input_tokens, output_tokens) == (200, "scripted-1", "stop", 100, 20)
        assert json.loads(form)["format"] == "json_schema"
        assert json.loads(said)


def test_an_article_without_points_has_no_rubric_call(discox: Command, sample: Path, tmp_path: Path) -> None:
    database = library(tmp_path / "own.db", "原文一。\n\n原文二。", "First.\n\nSecond.")
    scripted = ScriptedJudge()
    with served(scripted) as server:
        assert judge(discox, database, server).code == 0
    assert scripted.steps == Counter(set(STEPS) - {"rubric"})
    assert one(discox, database)["score"] == WITHOUT_POINTS


def test_where_fewer_than_two_judges_found_anything_nobody_deduplicates(discox: Command, sample: Path) -> None:
    def met(question: Question, time: int) -> Any:
        said = json.loads(answer(question))
        return json.dumps({"items": [item | {"met": True} for item in said["items"]]})

    nothing = json.dumps(found())
    scripted = ScriptedJudge({"fluency": nothing, "appropriateness": nothing, "rubric": met})
    with served(scripted) as server:
        judge(discox, sample, server, *ONE)
    assert scripted.steps == Counter(set(STEPS) - {"deduplication"})
    assert one(discox, sample)["score"] == {"total": 85, "accuracy": 45, "fluency": 20, "appropriateness": 20}


def test_what_is_no_translation_is_asked_nothing_else(discox: Command, sample: Path) -> None:
    fails = json.dumps({"explanation": "a summary", "verdict": "fail"})
    scripted = ScriptedJudge({"instruction_check": fails})
    with served(scripted) as server:
        judge(discox, sample, server, *ONE)
    assert len(scripted.asked) == 1
    evaluation = one(discox, sample)
    assert (evaluation["state"], evaluation["score"]["total"]) == ("instruction_failed", 0)
    assert evaluation["instruction_check"] == "a summary"


def test_an_absent_translation_is_noted_and_costs_nothing(discox: Command, tmp_path: Path) -> None:
    database = library(tmp_path / "own.db", "原文。", None)
    with served(ScriptedJudge()) as server:
        first, second = (report(judge(discox, database, server, "--json")) for _ in range(2))
        assert server.requests == []
    assert (first["done"], second["before"]["no_translation"]) == (1, 1)
    assert one(discox, database)["state"] == "no_translation"


# --- what fails ---


@pytest.mark.parametrize("provider", LIVE)
def test_a_judge_that_gives_nothing_usable_claims_no_score(discox: Command, sample: Path, provider: str) -> None:
    with served(ScriptedJudge({"accuracy": GARBAGE}), provider) as server:
        first = judge(discox, sample, server, *ONE, provider=provider)
        assert judge(discox, sample, server, *ONE, provider=provider).out.startswith("nothing is left to do: 0 are")
        assert len(server.requests) == 6  # accuracy twice, the other judges and the check once
    assert first.code == 1, "no score came of it"
    assert "the last that could not be used: nothing usable can be read in the answer: I am sorry, dear" in first.out
    assert "1 in which a model gave nothing usable" in first.out
    assert "--retry-failed" in first.out
    evaluation = one(discox, sample)
    assert (evaluation["state"], evaluation["score"], evaluation["failed"]) == ("judge_failed", None, ["accuracy"])
    assert "nothing usable can be read" in evaluation["flags"][0]["message"]
    assert Counter(calls(sample))["accuracy", "unparsable"] == 2


def test_retrying_asks_only_what_failed_and_supersedes_it(discox: Command, sample: Path) -> None:
    mended = False

    def accuracy(question: Question, time: int) -> str | None:
        return None if mended else GARBAGE

    scripted = ScriptedJudge({"accuracy": accuracy})
    with served(scripted) as server:
        judge(discox, sample, server, *ONE)
        (before,) = listed(discox, sample)
        scripted.asked.clear()
        mended = True
        again = report(judge(discox, sample, server, *ONE, "--retry-failed", "--json"))
        assert scripted.steps == {"accuracy": 1, "deduplication": 1}
        report(judge(discox, sample, server, *ONE, "--retry-failed", "--json"))
        assert len(scripted.asked) == 2
    assert (again["done"], again["failed"], again["calls"]) == (1, 0, 2)
    assert [row["state"] for row in listed(discox, sample)] == ["judge_failed", "scored"]
    assert [row["superseded_by"] is None for row in listed(discox, sample)] == [False, True]
    assert discox("list", "--db", sample, MODEL).out.count("judge failed, superseded") == 1
    ((old, new),) = rows(
        sample, "SELECT evaluation, superseded_by FROM v_scores WHERE judge = ? AND state = 'judge_failed'", MODEL
    )
    assert old == before["id"]
    assert rows(sample, "SELECT state, total FROM v_scores WHERE evaluation = ?", new) == [("scored", 78)]


def test_a_judge_whose_quotes_are_all_made_up_is_asked_again(discox: Command, sample: Path) -> None:
    mended = False

    def accuracy(question: Question, time: int) -> str | None:
        made_up = (finding(question, 0, "other", "major", target_quote=f"words of no text {n}") for n in range(3))
        return None if mended else json.dumps(found(*({**each, "source_quote": None} for each in made_up)))

    scripted = ScriptedJudge({"accuracy": accuracy, "repair": json.dumps({"items": []})})
    with served(scripted) as server:
        judge(discox, sample, server, *ONE)
        assert (scripted.steps["accuracy"], scripted.steps["repair"], scripted.steps["deduplication"]) == (2, 1, 0)
        assert one(discox, sample)["failed"] == ["accuracy"]
        scripted.asked.clear()
        mended = True
        assert report(judge(discox, sample, server, *ONE, "--retry-failed", "--json"))["done"] == 1
    assert scripted.steps == {"accuracy": 1, "deduplication": 1}


def test_what_failed_again_supersedes_as_well_and_is_repeated_offline(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge({"accuracy": GARBAGE})) as server:
        for more in ((), ("--retry-failed",), ("--retry-failed",)):
            assert report(judge(discox, sample, server, *ONE, *more, "--json"), code=1)["failed"] == 1
        assert len(server.requests) == 6 + 2 + 2
    assert report(replay(discox, sample, *ONE, "--json"))["same"] == 1
    (board,) = report(discox("leaderboard", "--db", sample, "--json", "--by", "total", MODEL))["leaderboards"]
    (standing,) = board["rankings"][0]["standings"]
    assert standing["counts"]["judge_failed"] == 1
    assert standing["mean"]["value"] is None


def test_failed_judges_are_left_out_of_averages_and_counted(discox: Command, sample: Path) -> None:
    def fluency(question: Question, time: int) -> str | None:
        return GARBAGE if "喊渡" in question.message else None

    with served(ScriptedJudge({"fluency": fluency})) as server:
        result = report(judge(discox, sample, server, "--json", "--system", "aurora-72b", "--system", "heron-14b"))
    assert (result["done"], result["failed"]) == (6, 2)
    (board,) = report(discox("leaderboard", "--db", sample, "--json", "--by", "total", MODEL))["leaderboards"]
    (ranking,) = board["rankings"]
    for standing in ranking["standings"]:
        assert (standing["mean"]["value"], standing["mean"]["n"], standing["counts"]["judge_failed"]) == (78, 3, 1)


def test_a_truncated_answer_is_asked_again_with_more_room(discox: Command, sample: Path) -> None:
    def accuracy(question: Question, time: int) -> Any:
        whole = answer(question)
        return chat(whole[: len(whole) // 2], "length") if time == 1 else None

    scripted = ScriptedJudge({"accuracy": accuracy})
    with served(scripted) as server:
        judge(discox, sample, server, *ONE, "--max-tokens", "9000")
    assert [question.room for question in scripted.asked if question.step == "accuracy"] == [9000, 18000]
    assert {question.room for question in scripted.asked if question.step != "accuracy"} == {9000}
    assert one(discox, sample)["score"] == SCORE
    assert Counter(calls(sample)) == Counter([("accuracy", "truncated"), *((step, "ok") for step in STEPS)])


@pytest.mark.parametrize("provider", LIVE)
def test_what_was_judged_of_half_a_text_has_no_score(discox: Command, sample: Path, provider: str) -> None:
    small = True

    def cut(question: Question, time: int) -> Any:
        counted = 512 if small else 4_000
        if provider == "openai":
            return chat(answer(question), usage={"prompt_tokens": counted, "completion_tokens": 20})
        return generated(answer(question), usage={"promptTokenCount": counted, "candidatesTokenCount": 20})

    with served(ScriptedJudge({"*": cut}), provider) as server:
        result = judge(discox, sample, server, *ONE, provider=provider)
        assert (result.code, calls(sample)) == (1, [("instruction_check", "prompt_cut")])
        assert "the server cut the text: it read 512 tokens of" in result.out
        evaluation = one(discox, sample)
        assert (evaluation["state"], evaluation["score"]) == ("judge_failed", None)
        assert "raise its context, e.g. num_ctx" in evaluation["flags"][0]["message"]
        small = False
        assert judge(discox, sample, server, *ONE, "--retry-failed", provider=provider).code == 0
    assert [row["state"] for row in listed(discox, sample)] == ["judge_failed", "scored"]


def test_a_stop_says_what_failed_last(discox: Command, sample: Path) -> None:
    said = failure(413, "the request is larger than 4 KB")
    with served(ScriptedJudge({"accuracy": said})) as server:
        result = judge(discox, sample, server, "--concurrency", "1", "--max-calls", "9")
        again = report(judge(discox, sample, server, "--max-calls", "2", "--json"), code=1)
    last = "the last failure: 413: the request is larger than 4 KB"
    assert f"stopped: the limit of 9 calls is reached; {last}" in result.err
    assert again["stopped"].startswith("the limit of 2 calls is reached")
    assert listed(discox, sample)[0]["state"] == "judge_failed"
    assert "413: the request is larger" in shown(discox, sample, listed(discox, sample)[0]["id"])["flags"][0]["message"]


@pytest.mark.parametrize("concurrency", [8, 128])
def test_a_server_that_takes_so_many_a_second_is_not_asked_in_vain(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, concurrency: int
) -> None:
    """Thirty in a row of half a second each, said with a 429 and nothing else."""
    monkeypatch.setattr("discox_tui.cli.judge.progress.SELDOM", 0.1)
    since, taken = 0.0, 0

    def limited(question: Question, number: int) -> Response | None:
        nonlocal since, taken
        if time.monotonic() - since >= 0.5:
            since, taken = time.monotonic(), 0
        taken += 1
        return failure(429, "Too many requests") if taken > 30 else None

    with served(ScriptedJudge({"*": limited})) as server:
        said = judge(discox, sample, server, "--concurrency", concurrency, "--samples", "3", "--json")
        asked = len(server.requests)
    result = report(said)
    assert (result["done"], result["outcomes"]["ok"]) == (36, 216)
    assert asked <= 1.3 * 216
    assert re.search(r" · slowed to [\d,.]+ calls a minute by the server · ", said.err)


@pytest.mark.parametrize("said", [HTML, Response(500, "oh"), Response(manner="close")], ids=["html", "500", "close"])
def test_what_cannot_be_reached_stays_to_be_done(
    discox: Command, sample: Path, no_waiting: None, said: Response
) -> None:
    down = True

    def rubric(question: Question, time: int) -> Response | None:
        return said if down else None

    scripted = ScriptedJudge({"rubric": rubric})
    with served(scripted) as server:
        first = judge(discox, sample, server, "--article", "essay-02")
        assert first.code == 1
        assert "3 still to be done" in first.out
        assert listed(discox, sample) == []
        scripted.asked.clear()
        down = False
        assert judge(discox, sample, server, "--article", "essay-02").code == 0
    assert scripted.steps == {"rubric": 3, "deduplication": 3}
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3


def test_a_server_that_is_gone_is_said_and_nothing_is_stored(discox: Command, sample: Path, no_waiting: None) -> None:
    with served(ScriptedJudge()) as server:
        options = asking(server)
    result = discox("judge", "--db", sample, *options, *ONE)
    assert result.code == 1
    assert "0 translations judged; 1 still to be done" in result.out
    assert "was asked 6 times in vain" in result.out
    assert listed(discox, sample) == []
    assert {outcome for _, outcome in calls(sample)} == {"connection"}


@pytest.mark.parametrize("provider", LIVE)
def test_what_a_server_refuses_is_learned_across_runs(discox: Command, sample: Path, provider: str) -> None:
    def refuses(question: Question, time: int) -> Response | None:
        said = "response_format of type json_schema is not supported; use json_object"
        return failure(400, said) if question.form == "json_schema" else None

    scripted = ScriptedJudge({"*": refuses})
    with served(scripted, provider) as server:
        for article in ("essay-02", "law-01"):
            more = ("--article", article, "--system", "aurora-72b")
            assert judge(discox, sample, server, *more, provider=provider).code == 0
            forms = Counter(question.form for question in scripted.asked)
            assert forms == Counter({"json_object": 6, "json_schema": 1 if article == "essay-02" else 0})
            # else OpenAI's own servers refuse json_object
            assert all("json" in question.message.lower() for question in scripted.asked)
            scripted.asked.clear()
    for row in listed(discox, sample):
        assert row["score"] == SCORE
        assert "|format:json_object|" in row["signature"]


def test_a_server_that_says_no_more_than_its_answer_has_a_signature_too(discox: Command, sample: Path) -> None:
    bare = ScriptedJudge({"*": lambda question, time: {"choices": [{"message": {"content": answer(question)}}]}})
    with served(bare) as server:
        result = judge(discox, sample, server, *ONE)
    assert "\nsignature metric-s|v:2|scheme:full|judge:kestrel|answered:|" in result.out
    assert one(discox, sample)["signature"] in result.out


# --- choices ---


def test_samples_stand_side_by_side(discox: Command, sample: Path) -> None:
    def fluency(question: Question, time: int) -> str | None:
        return json.dumps(found()) if time == 2 else None

    scripted = ScriptedJudge({"fluency": fluency})
    with served(scripted) as server:
        first = report(judge(discox, sample, server, *ONE, "--samples", "3", "--concurrency", "1", "--json"))
        second = judge(discox, sample, server, *ONE, "--samples", "3", "--json")
        assert len(server.requests) == 18
        judge(discox, sample, server, *ONE, "--samples", "4")
        assert len(server.requests) == 24
    assert (first["done"], report(second)["calls"]) == (3, 0)
    evaluations = {row["judge"]: row for row in listed(discox, sample)}
    assert list(evaluations) == [MODEL, f"{MODEL}#2", f"{MODEL}#3", f"{MODEL}#4"]
    assert [row["sample"] for row in evaluations.values()] == [1, 2, 3, 4]
    assert [row["score"]["total"] for row in evaluations.values()] == [78, 80, 78, 78]
    assert len({row["signature"] for row in evaluations.values()}) == 1


SCHEMES = {
    "accuracy": (
        ("instruction_check", "accuracy", "rubric", "deduplication"),
        {"total": 40, "accuracy": 40, "fluency": None, "appropriateness": None},
        "weights:60/0/0-2/5/10/50/5|dedup:model+code",
    ),
    "single-detailed": (
        ("single_detailed",),
        {"total": 73, "accuracy": 40, "fluency": 18, "appropriateness": 15},
        "weights:60/20/20-2/5/10/50/5|dedup:model|",
    ),
    "single-simple": (
        ("single_simple",),
        {"total": 84, **POINTS},
        "weights:60/20/20-2/5/10/50/5|dedup:none|",
    ),
}


@pytest.mark.parametrize("provider", LIVE)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_ablation_is_a_judge_of_its_own(discox: Command, sample: Path, scheme: str, provider: str) -> None:
    steps, score, part = SCHEMES[scheme]
    scripted = ScriptedJudge()
    with served(scripted, provider) as server:
        judge(discox, sample, server, *ONE, provider=provider)
        scripted.asked.clear()
        report(judge(discox, sample, server, *ONE, "--scheme", scheme, "--json", provider=provider))
        # The check, accuracy and rubric are the same questions in both, and were paid for.
        assert scripted.steps == Counter(set(steps) - {"instruction_check", "accuracy", "rubric"})
    full, ablation = listed(discox, sample)
    assert ablation["judge"] == f"{MODEL}:{scheme}"
    assert ablation["score"] == score
    assert full["signature"] != ablation["signature"]
    assert f"|scheme:{scheme.replace('-', '_')}|" in ablation["signature"]
    assert part in ablation["signature"]


def test_bare_points_are_shown_as_what_they_are(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge()) as server:
        judge(discox, sample, server, "--scheme", "single-simple")
    row = listed(discox, sample)[0]
    assert (row["state"], row["findings"], row["quotes"]) == ("score_only", 0, 0)
    assert "score only" in discox("list", "--db", sample, MODEL).out
    printed = discox("show", "--db", sample, row["id"]).out
    assert "score only" in printed
    assert "84 = accuracy 51 + fluency 17 + appropriateness 16" in printed
    assert row["review"]["human_score"] is None
    (board,) = report(discox("leaderboard", "--db", sample, "--json", "--by", "total", MODEL))["leaderboards"]
    assert {standing["mean"]["value"] for standing in board["rankings"][0]["standings"]} == {84}
    assert discox("consistency", "--db", sample, MODEL).code == 0
    assert report(discox("consistency", "--db", sample, "--json", MODEL)) is not None


def test_points_out_of_range_are_no_score(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge({"single_simple": json.dumps(POINTS | {"fluency": 21})})) as server:
        judge(discox, sample, server, *ONE, "--scheme", "single-simple")
    assert one(discox, sample)["score"] is None


def test_explanations_are_asked_for_in_either_language(discox: Command, sample: Path) -> None:
    scripted = ScriptedJudge()
    with served(scripted) as server:
        for language in ("zh", "en"):
            judge(discox, sample, server, *ONE, "--explain-in", language)
    assert len(scripted.asked) == 12
    for question in scripted.asked[:6]:
        assert "Write explanations in Chinese (简体中文)" in question.system
    for question in scripted.asked[6:]:
        assert "Write explanations in English" in question.system
    assert [
        f"|explain:{language}|" in row["signature"]
        for language, row in zip(("zh", "en"), listed(discox, sample), strict=True)
    ] == [True, True]


def test_prompts_of_ones_own_are_asked_and_signed(discox: Command, sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / "my prompts"
    folder.mkdir()
    (folder / "fluency.txt").write_text(
        'Read it aloud, in $target_language. It costs $$5.\n{"category": "disfluent_phrasing|grammar|"}', "utf-8"
    )
    scripted = ScriptedJudge()
    with served(scripted) as server:
        judge(discox, sample, server, *ONE)
        judge(discox, sample, server, *ONE, "--prompts", folder)
    assert len(scripted.asked) == 7  # only fluency asks in other words; the findings are the same
    (own,) = [question for question in scripted.asked if "Read it aloud" in question.message]
    assert own.step == "fluency"
    assert "Read it aloud, in English. It costs $5." in own.message
    ours, theirs = (re.search(r"prompts:(\S+?)/([0-9a-f]{8})\|", row["signature"]) for row in listed(discox, sample))
    assert ours
    assert theirs
    assert (ours[1], theirs[1]) == ("discox-1", "my%20prompts")
    assert ours[2] != theirs[2]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("fluency.txt", "one\n$points", "fluency.txt, line 2: “$points” is no placeholder here; use one of"),
        ("rubric.txt", "one\ntwo", "rubric.txt, line 2: “$points” is missing up to here; put it where"),
        ("repair.txt", "$quotes costs 5$", "repair.txt, line 1: “$” begins no placeholder; write “$$”"),
        ("flunecy.txt", "x", "flunecy.txt: no prompt is called that; name it one of"),
        ("fluency.txt", b"\xff\xfe", "fluency.txt: is not UTF-8 (byte 0); save it as UTF-8"),
        ("readme.md", "x", "holds no .txt file; copy the prompts"),
        ("._accuracy.txt", "\0", "holds no .txt file; copy the prompts"),
        ("accuracy.txt", "\ufeff \r\n", "says nothing; write the prompt, or take the file away"),
    ],
)
def test_a_bad_prompt_is_said_by_file_and_line(
    discox: Command, sample: Path, tmp_path: Path, name: str, text: str | bytes, says: str
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with served(ScriptedJudge()) as server:
        result = judge(discox, sample, server, "--prompts", folder)
        assert server.requests == []
    assert (result.code, result.out) == (1, "")
    assert says in result.err
    assert str(folder) in result.err
    assert len(result.err.splitlines()) == 1


def test_only_what_was_chosen_is_judged(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge()) as server:
        chosen = ("--system", "AURORA-72B", "--system", "heron-14b", "--article", "law-01", "--article", "news-04")
        assert report(judge(discox, sample, server, *chosen, "--json"))["done"] == 4
        for option, name, says in (
            ("--system", "auorra", "there is no translation by 'auorra'; `discox list` shows the systems"),
            ("--article", "law-99", "no article has the name 'law-99'; check the keys in the data set"),
        ):
            result = judge(discox, sample, server, option, name)
            assert (result.code, result.out) == (1, "")
            assert says in result.err
        assert len(server.requests) == 24
    found_ = {(row["article"], row["system"]) for row in listed(discox, sample)}
    assert found_ == {(article, system) for article in ("law-01", "news-04") for system in ("aurora-72b", "heron-14b")}


@pytest.mark.parametrize("most", [1, 5, 6, 17])
def test_no_more_is_asked_than_allowed(discox: Command, sample: Path, most: int) -> None:
    scripted = ScriptedJudge()
    with served(scripted) as server:
        first = judge(discox, sample, server, "--system", "aurora-72b", "--max-calls", most)
        assert len(server.requests) == most
        assert first.code == 1
        assert f"stopped: the limit of {most} calls is reached" in first.err
        while judge(discox, sample, server, "--system", "aurora-72b", "--max-calls", 7).code:
            pass
        assert len(server.requests) == 24
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 4


def prices(folder: Path, text: str = f'currency = "EUR"\n[models.{MODEL}]\ninput = 10000\noutput = 50000\n') -> Path:
    """Write a price file: a scripted answer (100 tokens in, 20 out) costs 2 EUR."""
    file = folder / "prices.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_no_more_is_spent_than_allowed(discox: Command, sample: Path, tmp_path: Path) -> None:
    file = prices(tmp_path)
    with served(ScriptedJudge()) as server:
        result = judge(discox, sample, server, "--max-cost", "200", "--prices", file, "--json")
        spent = report(result, 1)
        assert spent["cost"] == 2 * len(server.requests) == 2 * spent["calls"]
    # Each question is expected to cost more than it does: its texts have more tokens than the server counts.
    assert 0 < spent["cost"] <= 200
    assert "the limit of 200 would be passed" in spent["stopped"]
    assert spent["currency"] == "EUR"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "--max-cost: no prices are known; name a price file with a table"),
        ("[models.other]\ninput = 1\noutput = 1\n", f"has no price for {MODEL}; name a price file with a table"),
    ],
)
def test_a_limit_without_a_price_is_no_limit(
    discox: Command, sample: Path, tmp_path: Path, given: str | None, says: str
) -> None:
    more = () if given is None else ("--prices", prices(tmp_path, given))
    with served(ScriptedJudge()) as server:
        result = judge(discox, sample, server, "--max-cost", "5", *more)
        assert server.requests == []
    assert (result.code, result.out) == (1, "")
    assert says in result.err


def test_samples_of_a_model_whose_name_looks_like_a_sample_are_one_board(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge()) as server:
        judge(discox, sample, server, *ONE, "--model", "kestrel#1", "--samples", "2")
    (board,) = report(discox("leaderboard", "--db", sample, "--json", "kestrel#1"))["leaderboards"]
    assert (board["judge"], board["samples"], board["evaluations"]) == ("kestrel#1", 2, 2)


def test_a_model_without_a_price_is_said(discox: Command, sample: Path, tmp_path: Path) -> None:
    file = prices(tmp_path, "[models.other]\ninput = 1\noutput = 1\n")
    with served(ScriptedJudge()) as server:
        for more in (("--dry-run",), ()):
            result = judge(discox, sample, server, *ONE, "--prices", file, *more)
            assert (result.code, result.err) == (0, f"discox: {file} has no price for {MODEL}\n")


@pytest.mark.parametrize("scheme", ["full", *SCHEMES])
def test_a_dry_run_foretells_the_calls(discox: Command, sample: Path, tmp_path: Path, scheme: str) -> None:
    before = dump(sample)
    more = ("--article", "law-01", "--article", "news-04", "--scheme", scheme, "--json")
    with served(ScriptedJudge()) as server:
        foretold = report(judge(discox, sample, server, *more, "--dry-run", "--prices", prices(tmp_path)))
        assert server.requests == []
        assert dump(sample) == before
        made = report(judge(discox, sample, server, *more))
        assert foretold["pieces"] == made["done"] == 6
        assert foretold["calls"] == made["calls"] == len(server.requests)
        steps = Counter(step for step, _ in calls(sample))
        assert foretold["calls_by_step"] == steps
        assert foretold["calls_again"] == steps.get("deduplication", 0)
        assert foretold["estimated_tokens"]["input"] > 0
        assert foretold["estimated_cost"] > 0
        again = report(judge(discox, sample, server, *more, "--dry-run"))
    assert (again["pieces"], again["calls"]) == (0, 0)
    assert not (tmp_path / "x").exists()


def test_a_dry_run_counts_only_what_is_missing(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge()) as server:
        judge(discox, sample, server, "--max-calls", "32")
        foretold = report(judge(discox, sample, server, "--dry-run", "--json"))
        assert foretold["calls"] == 72 - 32
        plain = judge(discox, sample, server, "--dry-run")
        assert "would take at most 40 calls" in plain.out
        assert len(server.requests) == 32
        assert report(judge(discox, sample, server, "--json"))["calls"] == 40


def test_a_dry_run_needs_no_key(discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for provider in LIVE:
        result = discox("judge", "--db", sample, "--provider", provider, "--model", MODEL, "--dry-run")
        assert (result.code, result.err) == (0, "")
        assert "12 evaluations would take at most 72 calls" in result.out


def test_requests_are_spread_over_the_minute(discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a pace comes to is tested on a clock of its own; here, that the run keeps the one asked for."""
    paces: list[float | None] = []

    class Recorded(client.Pace):
        def __init__(self, per_minute: float | None) -> None:
            paces.append(per_minute)
            super().__init__(per_minute)

    monkeypatch.setattr(client, "Pace", Recorded)
    with served(ScriptedJudge()) as server:
        judge(discox, sample, server, *ONE, "--requests-per-minute", "6000", "--tokens-per-minute", "9000000")
        assert len(server.requests) == 6
    assert paces == [6000.0, 9000000.0]


def test_so_many_at_once_and_no_more(discox: Command, sample: Path) -> None:
    together = 3

    def with_others(question: Question, time: int) -> Response:
        return Response(body=chat(answer(question)), when=lambda: server.peak >= together)

    with served(ScriptedJudge({"*": with_others})) as server:
        judge(discox, sample, server, "--concurrency", "3", "--system", "aurora-72b")
        assert server.peak == 3
        together = 4
        judge(discox, sample, server, "--concurrency", "16", "--system", "heron-14b")
        assert 3 < server.peak <= 16


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--concurrency", "0"), "'0' is not a whole number from 1 to 1,000"),
        (("--samples", "1.5"), "'1.5' is not a whole number from 1 to 100"),
        (("--temperature", "hot"), "'hot' is not a number from 0 to 10"),
        (("--top-p", "nan"), "'nan' is not a number from 0 to 1"),
        (("--scheme", "fast"), "invalid choice: 'fast'"),
        (("--model", " "), "is empty; give it a value or leave it out"),
        (("--prompts", ""), "is empty; give it a value or leave it out"),
        (("--prices", ""), "is empty; give it a value or leave it out"),
        (("--provider", "replay", "--batch"), "a replay asks nobody, so there are no batches; leave --batch out"),
        (("--wait",), "--wait goes with --batch"),
        (("--batch-forget", "--batch"), "--batch-forget goes alone"),
        (("--batch", "--retry-failed"), "--retry-failed asks at once; leave --batch out"),
    ],
)
def test_wrong_use_is_exit_code_2(discox: Command, sample: Path, arguments: tuple[str, ...], says: str) -> None:
    base = ("--provider", "openai", "--base-url", "http://127.0.0.1:9/v1")
    model = () if "--model" in arguments else ("--model", MODEL)
    result = discox("judge", "--db", sample, *base, *model, *arguments)
    assert result.code == 2
    assert says in result.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--provider", "openai", "--base-url", "localhost:80"), "no address of a server: 'localhost:80'"),
        (("--provider", "replay"), f"no call of {MODEL} is on record here; check --model and --db"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    discox: Command, sample: Path, arguments: tuple[str, ...], says: str
) -> None:
    result = discox("judge", "--db", sample, "--model", MODEL, *arguments)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"discox: {says}")
    assert len(result.err.splitlines()) == 1


# --- replay ---


def replay(discox: Command, database: Path, *more: object) -> Result:
    return discox("judge", "--db", database, "--provider", "replay", "--model", MODEL, *more)


def test_a_replay_repeats_everything_and_asks_nobody(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge({"fluency": lambda q, time: GARBAGE if "喊渡" in q.message else None})) as server:
        judge(discox, sample, server)
        asked = len(server.requests)
        before = dump(sample, without=("runs",))
        result = report(replay(discox, sample, "--json"))
        assert len(server.requests) == asked
    assert (result["same"], result["other"], result["new"], result["missing"]) == (12, 0, 0, [])
    assert (result["done"], result["failed"], result["calls"]) == (9, 3, 0)
    assert dump(sample, without=("runs",)) == before
    assert replay(discox, sample).out.startswith("12 came out as they are stored, 0 otherwise, 0 are new\n")


def test_a_replay_knows_the_server_however_it_is_written(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge()) as server:
        judge(discox, sample, server, *ONE)
        written = address(server).replace("://", "://me:secret@") + "/"
    assert report(replay(discox, sample, *ONE, "--base-url", written, "--json"))["same"] == 1
    other = replay(discox, sample, *ONE, "--base-url", written.replace("/v1", "/v2"))
    assert f"{MODEL} was asked at {address(server)} (openai); name one with --base-url" in other.err
    assert "no address of a server" in replay(discox, sample, "--base-url", "localhost").err


def forget(database: Path) -> None:
    """Take the evaluations of a run out of a library, as if it had been killed before it stored any."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(database)) as connection, connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        mine = "(SELECT id FROM evaluations WHERE run_id IS NOT NULL)"
        tables = ("spans", "grounded_findings", "groundings", "findings", "rubric_verdicts", "advice", "answers")
        for table in tables:
            connection.execute(f"DELETE FROM {table} WHERE evaluation_id IN {mine}")
        connection.execute("DELETE FROM evaluations WHERE run_id IS NOT NULL")
        for _, sql in triggers:
            connection.execute(sql)


def test_a_replay_stores_what_was_paid_for_and_is_missing(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge({"fluency": lambda q, time: GARBAGE if "喊渡" in q.message else None})) as server:
        judge(discox, sample, server, "--samples", "2", "--system", "heron-14b")
    live = [shown(discox, sample, row["id"]) for row in listed(discox, sample)]
    texts = [discox("show", "--db", sample, "--json", each["id"]).out for each in live]
    forget(sample)
    assert intact(sample)
    assert listed(discox, sample) == []
    result = report(replay(discox, sample, "--samples", "2", "--system", "heron-14b", "--json"))
    assert (result["same"], result["other"], result["new"]) == (0, 0, 8)
    assert sorted(row["id"] for row in listed(discox, sample)) == sorted(each["id"] for each in live)
    # Byte for byte, the spans too.
    assert [discox("show", "--db", sample, "--json", each["id"]).out for each in live] == texts


def test_a_replay_names_what_is_missing(discox: Command, sample: Path) -> None:
    with served(ScriptedJudge()) as server:
        judge(discox, sample, server, *ONE, "--samples", "2", "--concurrency", "1", "--max-calls", "10")
    result = replay(discox, sample, *ONE, "--samples", "3", "--json")
    said = report(result, 1)
    assert said["same"] == 1
    assert [(each["article"], each["system"], each["sample"]) for each in said["missing"]] == [
        ("essay-02", "aurora-72b", 2),
        ("essay-02", "aurora-72b", 3),
    ]
    assert re.match(r"no usable answer to the \w+ request [0-9a-f]{20} is on record", said["missing"][0]["missing"])
    assert "instruction_check" in said["missing"][1]["missing"]
    plain = replay(discox, sample, *ONE, "--samples", "3")
    assert plain.code == 1
    assert "  missing: article essay-02, aurora-72b, sample 2: no usable answer to the " in plain.out


def test_a_replay_wants_to_know_which_server(discox: Command, sample: Path) -> None:
    for _ in range(2):
        with served(ScriptedJudge()) as server:
            judge(discox, sample, server, *ONE)
            where = address(server)
    result = replay(discox, sample, *ONE)
    assert result.code == 1
    assert "name one with --base-url" in result.err
    assert report(replay(discox, sample, *ONE, "--base-url", where, "--json"))["same"] == 1


# --- progress ---


def test_without_a_terminal_progress_is_a_line_now_and_then(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(question: Question, time: int) -> Response:
        return Response(body=chat(answer(question)), delay=0.05)

    with served(ScriptedJudge({"*": slowly})) as server:
        monkeypatch.setattr("discox_tui.cli.judge.progress.SELDOM", 3600.0)
        quiet = judge(discox, sample, server, *ONE)
        monkeypatch.setattr("discox_tui.cli.judge.progress.SELDOM", 0.02)
        said = judge(discox, sample, server, "--article", "law-01")
    assert quiet.err == ""
    lines = said.err.splitlines()
    assert len(lines) > 2
    for line in lines:
        assert re.match(r"judged \d of 3 · \d+ calls, \d+\.\d a second · [\d,]+ tokens", line)
    assert "\r" not in said.err
    assert "\x1b" not in said.err
