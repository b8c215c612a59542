"""Which articles are versions of candidates that no longer count, and that nothing over the whole library counts them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from storage.analysis.judge_scores import read_judged
from storage.benchmark.candidates import candidates
from storage.benchmark.log import BuildLog
from storage.integrity.opening import open_library
from storage.record.article_versions import EARLIER_VERSIONS
from storage.reviews.queue import Queue, headers
from storage.runs.runs import articles_to_translate, progress
from tests.conftest import Command
from tests.support.building_candidates import DYKE, build_library, judge

ACTS = st.lists(st.sampled_from(["text", "back", "domain", "undo", "redo", "decide"]), max_size=12)


def earlier(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute(f"SELECT * FROM {EARLIER_VERSIONS}")}


@given(ACTS, ACTS)
def test_they_are_those_of_the_log_but_for_the_one_that_counts(first: list[str], second: list[str]) -> None:
    with TemporaryDirectory() as folder, closing(open_library(Path(folder) / "a.db")) as connection:
        build_library(Path(folder) / "a.db", keys=("dyke", "grove"))
        for person, acts in (("mei", first), ("ana", second), ("mei", second)):
            log = BuildLog(connection, person)
            for number, act in enumerate(acts):
                match act:
                    case "text":
                        log.revise("dyke", source=f"{DYKE}{person}{number}")
                    case "back":
                        log.revise("dyke", source=DYKE)
                    case "domain":
                        log.revise("dyke", domain=f"{person}{number}")
                    case "decide":
                        log.decide("dyke", "accept")
                    case "undo":
                        log.undo()
                    case "redo":
                        log.redo()
        all_of_them = candidates(connection, "mei")
        expected = {version.article_id for each in all_of_them for version in each.versions}
        assert earlier(connection) == expected - {each.article_id for each in all_of_them}


def test_what_is_judged_of_them_is_in_nothing_that_is_about_everything(tmp_path: Path, discox: Command) -> None:
    path = tmp_path / "a.db"
    build_library(path)
    judge(path, {"owlet": {1, 2, 3}, "heron": {1, 2}})
    with closing(open_library(path)) as connection:
        log = BuildLog(connection, "mei")
        before = judged(connection)
        assert before == (2, 2, 0, 2)
        log.revise("dyke", source=DYKE.replace("老周", "老赵"))
        assert judged(connection) == (0, 0, 0, 0), "nothing of the text that counts is judged"
        assert {header.earlier_version for header in headers(connection, "mei")} == {True}
        keys = [article.key for _, article in articles_to_translate(connection, "owlet")]
        assert keys.count("dyke") == 1, "the text that counts alone is translated"
        (old,) = earlier(connection)
        assert [identity for identity, _ in articles_to_translate(connection, "carme", [old])] == [old], "unless asked"
    judge(path, {"owlet": {1}, "heron": {4}})
    with closing(open_library(path)) as connection:
        assert judged(connection) == (2, 2, 2, 2)
        assert len(headers(connection, "mei")) == 4
        log = BuildLog(connection, "mei")
        log.undo()  # the filter that `judge` set
        log.undo()
        assert judged(connection) == (2, 2, 2, 2), "the first text counts again"
    shown = discox("list", "--db", path)
    assert shown.out.count("scored, earlier version") == 2
    (board,) = json.loads(discox("leaderboard", "--db", path, "--json").out)["leaderboards"]
    assert (board["evaluations"], board["superseded"]) == (2, 2)


def judged(connection: sqlite3.Connection) -> tuple[int, int, int, int]:
    """How many evaluations the queue has, leaderboards count and leave out, and translations a run would judge."""
    groups = read_judged(connection)
    (asked,) = [row[0] for row in connection.execute("SELECT DISTINCT asked FROM signatures")]
    queue = Queue(connection, "mei")
    assert len(list(queue)) == len(queue) == len(Queue(connection, "mei", words="dyke"))
    return (
        len(queue),
        sum(len(group.rows) for group in groups),
        sum(group.superseded for group in groups),
        progress(connection, asked).done,
    )
