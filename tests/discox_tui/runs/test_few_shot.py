"""``discox judge --examples`` over real sockets: who is shown what, what it is called, and what may be audited of it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discox_tui.screens.figures.audited import AuditedScreen
from discox_tui.screens.figures.leaderboard import LeaderboardScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.widgets.bars import TextBlock
from judges.metric_s.protocol.few_shot import WORDS, Example, FewShotSet, text_hash
from judges.metric_s.protocol.signature import Signature
from storage.integrity.opening import open_library
from storage.record.few_shot_sets import articles_shown, read_examples
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import findings_of
from tests.conftest import Command
from tests.discox_tui.runs.test_batches import serving
from tests.discox_tui.runs.test_killed import HANG, paid, started, until
from tests.support.driving import opened
from tests.support.judge_script import SCORE, Question, ScriptedJudge
from tests.support.judging import MODEL, PROTOCOLS, intact, judge, listed, report, rows
from tests.support.scripted_server import ScriptedServer
from tests.support.tables import dump

ASKED = ("accuracy", "rubric", "fluency", "appropriateness")


@pytest.fixture
def pack(discox: Command, sample: Path) -> Path:
    """What the sample's two reviewers agree on, of all four articles."""
    file = sample.with_name("overrides.jsonl")
    assert discox("pack", "export", "--db", sample, file).code == 0
    return file


@pytest.fixture
def asked() -> Iterator[tuple[ScriptedJudge, ScriptedServer]]:
    scripted = ScriptedJudge()
    with ScriptedServer(PROTOCOLS["openai"](scripted)) as server:
        yield scripted, server


def examples_in(question: Question) -> list[dict[str, Any]]:
    return [json.loads(line) for line in question.blocks.get("examples", ())]


def texts_of(database: Path) -> dict[tuple[str, ...], tuple[str, str]]:
    """The article's key and the system of every translation, by how a question shows the two texts."""
    query = "SELECT a.key, t.system, a.source, t.text FROM translations t JOIN articles a ON a.id = t.article_id"
    return {
        (*_lines(source), *_lines(text)): (key, system) for key, system, source, text in rows(database, query) if text
    }


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def whose(database: Path, question: Question) -> tuple[str, str]:
    lines = tuple(line.strip() for line in (*question.source, *question.translation))
    return texts_of(database)[lines]


def said(example: Example) -> tuple[str | None, str | None, str | None]:
    return example.explanation, example.target_quote, example.note


def cut(file: Path, *keys: str) -> Path:
    """A pack of some articles only."""
    short = file.with_name(f"of-{len(keys)}.jsonl")
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if json.loads(line)["article"] in keys]
    short.write_text("\n".join(lines), encoding="utf-8")
    return short


def signatures(database: Path) -> list[Signature]:
    return [
        Signature.parse(text)
        for (text,) in rows(
            database,
            "SELECT DISTINCT g.text FROM signatures g JOIN evaluations e ON e.signature_id = g.id WHERE e.judge LIKE ?",
            f"{MODEL}%",
        )
    ]


# --- what is asked ---


def test_each_judge_is_shown_its_examples_and_none_of_the_very_translation(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer]
) -> None:
    scripted, server = asked
    result = report(judge(discox, sample, server, "--examples", pack, "--json"))
    examples = read_examples(pack)[0]
    assert (result["done"], result["calls"]) == (12, 72)
    assert result["examples"] == {
        "name": "overrides",
        "pack": FewShotSet.of("overrides", examples).id,
        "examples": len(examples),
        "articles": 4,
        "folds": None,
    }
    assert scripted.steps == Counter(dict.fromkeys(("instruction_check", *ASKED, "deduplication"), 12))
    for question in scripted.asked:
        lines = examples_in(question)
        assert bool(lines) == (question.step in ASKED) == (WORDS in question.message)
        if question.step not in ASKED:
            continue
        article, system = whose(sample, question)
        direction = {each.article: each.direction for each in examples}[article]
        wanted = [
            each
            for each in examples
            if each.judge == question.step
            and each.direction == direction
            and (each.article, each.system) != (article, system)
        ]
        assert Counter(map(said, wanted)) == Counter(
            (line.get("explanation"), line.get("target_quote"), line.get("note")) for line in lines
        )
        sources = [line["source"] for line in lines]
        assert sources == sorted(sources, reverse=True)
        assert sources.count("yours") == sum(each.article == article for each in wanted)
    for row in listed(discox, sample):
        assert (row["score"], row["judge"]) == (SCORE, f"{MODEL}:overrides/{result['examples']['pack'][:8]}")
    ((content,),) = rows(sample, "SELECT content FROM packs")
    assert content == FewShotSet.of("", examples).content
    (row,) = json.loads(discox("pack", "list", "--db", sample, "--json").out)
    assert (row["name"], row["evaluations"]) == ("overrides", 12)
    assert intact(sample)


@pytest.mark.parametrize("scheme", ["single-detailed", "single-simple"])
def test_one_call_is_shown_the_examples_of_every_dimension(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer], scheme: str
) -> None:
    scripted, server = asked
    one = ("--article", "essay-02", "--system", "aurora-72b", "--scheme", scheme)
    assert judge(discox, sample, server, *one, "--examples", pack).code == 0
    (question,) = scripted.asked
    assert {line["dimension"] for line in examples_in(question)} == {"accuracy", "fluency", "appropriateness"}
    (row,) = listed(discox, sample)
    assert row["state"] == ("score_only" if scheme == "single-simple" else "scored")


@pytest.mark.parametrize("folds", [2, 4])
def test_cross_fitted_no_question_holds_an_example_of_its_own_fold(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer], folds: int
) -> None:
    scripted, server = asked
    assert judge(discox, sample, server, "--examples", pack, "--cross-fit", folds).code == 0
    dealt = FewShotSet.of("overrides", read_examples(pack)[0], folds)
    by_text = {said(each): each for each in dealt.examples}
    some = 0
    for question in scripted.asked:
        if question.step in ASKED:
            mine = dealt.fold(text_hash("\n".join(question.source)))
            for line in examples_in(question):
                one = by_text[line.get("explanation"), line.get("target_quote"), line.get("note")]
                assert dealt.fold(one.source_hash) != mine
                assert line["source"] == "another"
                some += 1
    assert some > 0
    (signature,) = signatures(sample)
    assert (signature.cross_fitted, signature.examples) == (str(folds), f"overrides/{dealt.id}")
    assert all(row["judge"].endswith(f"x{folds}") for row in listed(discox, sample))
    with closing(open_library(sample)) as connection:
        assert articles_shown(connection, signature.text) == frozenset()


def test_a_dry_run_counts_what_examples_take(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer]
) -> None:
    _, server = asked
    plain = report(judge(discox, sample, server, "--dry-run", "--json"))
    with_pack = report(judge(discox, sample, server, "--dry-run", "--json", "--examples", pack))
    assert "examples" not in plain
    assert with_pack["calls"] == plain["calls"]
    assert with_pack["estimated_tokens"]["input"] > 1.1 * plain["estimated_tokens"]["input"]
    assert with_pack["estimated_tokens"]["output"] == plain["estimated_tokens"]["output"]
    assert len(with_pack["examples"]["shown"]) == 12
    assert rows(sample, "SELECT count(*) FROM packs") == [(0,)]
    text = judge(discox, sample, server, "--dry-run", "--examples", pack, "--cross-fit", 2).out
    assert re.search(r"examples overrides \([0-9a-f]{20}\): \d+ examples of 4 articles, cross-fitted in 2 folds", text)
    assert re.search(r"  \d+ to \d+ for each evaluation, [\d.]+ on average", text)
    foreign = cut(pack, "law-01")
    foreign.write_text(foreign.read_text(encoding="utf-8").replace("zh-en", "de-es"), encoding="utf-8")
    text = judge(discox, sample, server, "--dry-run", "--examples", foreign).out
    assert "! none for 12 evaluations" in text
    assert server.requests == []


def test_a_pack_with_a_bad_line_is_refused_whole(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer]
) -> None:
    _, server = asked
    lines = pack.read_text(encoding="utf-8").splitlines()
    lines[1:1] = ['{"article": "x\x1b[31m"}', "nonsense"]
    pack.write_text("\n".join(lines), encoding="utf-8")
    before = dump(sample)
    result = judge(discox, sample, server, "--examples", pack)
    first, second, last = result.err.splitlines()
    assert (result.code, result.out) == (1, "")
    assert first.startswith(f"{pack}:2: verdict must be an object")
    assert second.startswith(f"{pack}:3: (line) ")
    assert f"2 lines of {len(lines)} hold no example; nothing was asked; mend them" in last
    for file, says in ((pack.with_name("no.jsonl"), "there is no such file"), (pack.parent, "is a folder")):
        assert says in judge(discox, sample, server, "--examples", file).err
    blank = pack.with_name("blank.jsonl")
    blank.write_text("\n\n", encoding="utf-8")
    assert "is empty" in judge(discox, sample, server, "--examples", blank).err
    assert judge(discox, sample, server, "--cross-fit", 2).code == 2
    pack.write_text("\n".join(lines[:1]), encoding="utf-8")
    assert (
        "would need examples of as many articles; it has 1"
        in judge(discox, sample, server, "--examples", pack, "--cross-fit", 2).err
    )
    assert server.requests == []
    assert dump(sample) == before


def test_with_and_without_a_pack_are_judges_side_by_side(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer]
) -> None:
    scripted, server = asked
    one = ("--article", "essay-02", "--system", "aurora-72b")
    for more, calls in (
        ((), 6),
        (("--examples", pack), 4),
        (("--examples", pack), 0),
        (("--examples", pack, "--cross-fit", 4), 4),
    ):
        before = len(scripted.asked)
        assert judge(discox, sample, server, *one, *more).code == 0
        # The check and de-duplication are shown no examples, so that they are on record already.
        assert len(scripted.asked) - before == calls
    assert len({signature.asked for signature in signatures(sample)}) == 3
    assert len(listed(discox, sample)) == 3


# --- what survives ---


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_killed_and_resumed_it_asks_what_is_missing(discox: Command, sample: Path, pack: Path) -> None:
    scripted = ScriptedJudge({"fluency": HANG})
    with ScriptedServer(PROTOCOLS["openai"](scripted)) as server:
        with started(sample, server, "--examples", pack) as process:
            until(lambda: server.in_flight == 3 and paid(sample) == 12, "fluency hangs")
            process.send_signal(signal.SIGKILL)
            process.wait(60)
        assert rows(sample, "SELECT count(*) FROM packs") == [(1,)]
        healthy = ScriptedJudge()
        server.routes = ScriptedServer(PROTOCOLS["openai"](healthy)).routes
        result = report(judge(discox, sample, server, "--article", "essay-02", "--examples", pack, "--json"))
        assert (result["done"], dict(healthy.steps)) == (3, {"fluency": 3, "deduplication": 3})
        asked = len(server.requests)
        replayed = discox(
            "judge", "--db", sample, "--provider", "replay", "--model", MODEL, "--article", "essay-02",
            "--examples", pack, "--json",
        )  # fmt: skip
        assert report(replayed)["same"] == 3
        assert len(server.requests) == asked
    assert [row["score"] for row in listed(discox, sample)] == [SCORE] * 3
    assert intact(sample)


def test_batches_come_to_what_a_live_run_comes_to(discox: Command, sample: Path, pack: Path) -> None:
    twin = Path(shutil.copy(sample, sample.with_name("twin.db")))
    options = ("--article", "essay-02", "--examples", pack, "--cross-fit", 2)
    with serving("openai") as provider:
        assert judge(discox, sample, provider.server, "--batch", "--wait", "--poll", 0.01, *options).code == 0
        assert judge(discox, twin, provider.server, *options).code == 0
    by_database = [
        sorted(discox("show", "--db", database, "--json", row["id"]).out for row in listed(discox, database))
        for database in (sample, twin)
    ]
    assert by_database[0] == by_database[1]
    assert len(by_database[0]) == 3


# --- what may be audited ---


def audit(path: Path, judge_name: str, *articles: str) -> None:
    """Let ana review a judge's evaluations, all or of some articles, as an audit asks."""
    with closing(open_library(path)) as connection, (log := ReviewLog(connection, "ana")).as_one():
        query = "SELECT id, article FROM evaluations WHERE judge = ? ORDER BY id"
        for place, (identity, article) in enumerate(connection.execute(query, (judge_name,)).fetchall()):
            if articles and article not in articles:
                continue
            for number, finding in enumerate(findings_of(connection, identity)):
                log.decide(identity, finding, decision="agree" if (number + place) % 3 else "not_an_error")
            log.set_review(identity, state="done", search="done")


def boards(discox: Command, path: Path, *words: str) -> list[dict[str, Any]]:
    return list(report(discox("leaderboard", *words, "--audited", "--json", "--db", path))["audited_leaderboards"])


def judged(discox: Command, path: Path, server: ScriptedServer, *options: object) -> str:
    """Judge, and return the judge's name."""
    assert judge(discox, path, server, *options).code == 0
    ((name,),) = rows(path, "SELECT judge FROM evaluations ORDER BY position DESC LIMIT 1")
    return str(name)


def test_a_judge_that_was_shown_audited_articles_is_refused_in_every_form(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer], tmp_path: Path
) -> None:
    _, server = asked
    plain = judged(discox, sample, server)
    told = judged(discox, sample, server, "--examples", cut(pack, "essay-02", "law-01"))
    for name in (plain, told):
        audit(sample, name)
    by_judge = {board["judge"]: board for board in boards(discox, sample, MODEL)}
    assert (by_judge[plain]["refused"], by_judge[plain]["shown"]) == (None, [])
    assert by_judge[plain]["cuts"][0]["n"] == 4
    refused = by_judge[told]
    assert (refused["cuts"], refused["shown"]) == ([], ["essay-02", "law-01"])
    for words in (
        f"{told} was shown people's verdicts on 2 of the 4 audited articles (essay-02, law-01)",
        "--cross-fit",
        "discox pack export",
    ):
        assert words in refused["refused"]
    text = discox("leaderboard", MODEL, "--audited", "--db", sample).out
    assert "! Refused: kestrel:of-2/" in text
    assert "ALL TOGETHER" in text
    assert all(len(line) <= 80 or "|examples:" in line or line.startswith("  metric-s") for line in text.splitlines())
    lines = list(csv.DictReader(io.StringIO(discox("leaderboard", MODEL, "--audited", "--csv", "--db", sample).out)))
    assert [(row["system"], row["warnings"][:8]) for row in lines if row["judge"] == told] == [("", "Refused:")]
    assert sum(row["judge"] == plain for row in lines) > 3
    page = tmp_path / "board.html"
    assert discox("leaderboard", MODEL, "--audited", "--html", page, "--db", sample).code == 0
    assert "Refused: kestrel:of-2/" in page.read_text(encoding="utf-8")
    plan = discox("plan", "--db", sample, "--audit", 1, "--reviewers", "ben", "--judge", told)
    assert (plan.code, plan.out) == (1, "")
    assert "was shown people's verdicts on 2 of the 4 audited articles" in plan.err


@pytest.fixture
def told(discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer]) -> str:
    """A judge of the sample that was shown examples of two articles and is audited on all four."""
    name = judged(discox, sample, asked[1], "--examples", cut(pack, "essay-02", "law-01"))
    audit(sample, name)
    return name


async def test_the_screen_refuses_it_too_and_shows_the_other_judge(sample: Path, told: str) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        await driver.press("l")
        await driver.on(LeaderboardScreen)
        await driver.press("a")
        screen = await driver.on(AuditedScreen)
        whole = screen.query_one("#whole", TextBlock)
        await driver.until(lambda: f"Refused: {told} was shown people's verdicts on 2 of the 4" in whole.text)
        assert list(screen.table.rows) == []
        await driver.press("v", "m")
        await driver.until(lambda: "articles audited" in whole.text)
        await driver.press("m")
        await driver.until(lambda: f"Refused: {told}" in whole.text)


def test_cross_fitted_it_may_be_audited(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer]
) -> None:
    _, server = asked
    name = judged(discox, sample, server, "--examples", pack, "--cross-fit", 2)
    audit(sample, name)
    (board,) = boards(discox, sample, MODEL)
    assert (board["refused"], board["shown"], board["folds"], board["cuts"][0]["n"]) == (None, [], 2, 4)
    text = " ".join(discox("leaderboard", MODEL, "--audited", "--db", sample).out.split())
    assert "Examples: cross-fitted in 2 folds" in text


def test_what_a_judge_was_shown_cannot_be_drawn(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer]
) -> None:
    _, server = asked
    name = judged(discox, sample, server, "--examples", cut(pack, "essay-02", "law-01"))
    plan = report(discox("plan", "--db", sample, "--audit", 2, "--reviewers", "ana", "--judge", name, "--json"))
    assert plan["left_out"] == {"of which the judge was shown examples": 2}
    assert not {"essay-02", "law-01"} & set(plan["articles"])
    audit(sample, name)
    (board,) = boards(discox, sample, MODEL)
    assert (board["refused"], board["shown"], board["outside"]) == (
        None,
        ["essay-02", "law-01"],
        ["essay-02", "law-01"],
    )
    assert (board["cuts"][0]["n"], board["cuts"][0]["articles"]) == (2, 2)


def test_what_is_audited_for_another_judge_is_not_to_be_told_either(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer]
) -> None:
    _, server = asked
    plain = judged(discox, sample, server)
    plan = report(discox("plan", "--db", sample, "--audit", 2, "--reviewers", "ana", "--judge", plain, "--json"))
    told = judged(discox, sample, server, "--examples", cut(pack, *plan["articles"]))
    by_judge = {board["judge"]: board for board in boards(discox, sample, MODEL)}
    assert by_judge[plain]["refused"] is None
    assert by_judge[told]["cuts"] == []
    assert f"of the 2 audited articles ({', '.join(plan['articles'])})" in by_judge[told]["refused"]
    for way in ("--cross-fit K", f"--without-plan {plan['plan']})", "discox plan --audit N draws none of these"):
        assert way in by_judge[told]["refused"]
    other = report(discox("plan", "--db", sample, "--audit", 1, "--reviewers", "ana", "--judge", told, "--json"))
    assert not set(other["articles"]) & set(plan["articles"])
    (board,) = [board for board in boards(discox, sample, MODEL) if board["judge"] == told]
    assert (board["refused"], board["cuts"][0]["n"]) == (None, 0)
    audit(sample, told, *other["articles"])
    (board,) = [board for board in boards(discox, sample, MODEL) if board["judge"] == told]
    assert (board["refused"], board["cuts"][0]["n"]) == (None, 1)
    of_all = judged(discox, sample, server, "--examples", pack)
    refused = discox("plan", "--db", sample, "--audit", 1, "--reviewers", "ana", "--judge", of_all)
    assert (refused.code, "was shown people's verdicts" in refused.err) == (1, True)


def test_the_same_text_under_another_key_is_found(
    discox: Command, sample: Path, pack: Path, asked: tuple[ScriptedJudge, ScriptedServer]
) -> None:
    _, server = asked
    other = cut(pack, "essay-02", "law-01")
    other.write_text(
        re.sub(r'"article": "[^"]*"', '"article": "renamed"', other.read_text(encoding="utf-8")), encoding="utf-8"
    )
    audit(sample, judged(discox, sample, server, "--examples", other))
    (board,) = boards(discox, sample, MODEL)
    assert board["refused"] is not None
    assert board["shown"] == ["essay-02", "law-01"]
