"""Conditions of the stages: every step attempted in every state, exceptions and what they cover, decided twins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from judges.benchmark.rubric.points import written
from judges.benchmark.selection.difficulty_filter import Rule
from storage.base.errors import StorageError
from storage.benchmark.candidates import STEPS, Candidate, Step, candidate, candidates
from storage.benchmark.checks import findings
from storage.benchmark.difficulty import outcomes, rule_to_json
from storage.benchmark.log import BuildLog
from storage.benchmark.stages import conditions_words, every_obstacle, exemption_words
from storage.db.connection import Connection
from storage.integrity.opening import open_library
from tests.support.building_candidates import DYKE, POINTS, build_library, judge

BOTH = {"owlet": {1, 2}, "heron": {1, 4}}
"""Two systems that both fail two points of ``dyke``."""

Make = Callable[[Path], object]


def acts(*steps: Callable[[BuildLog], object], person: str = "ana", stays: bool = True) -> Make:
    """What somebody does, of a candidate that the filter keeps unless told otherwise."""

    def make(path: Path) -> None:
        if stays:
            judge(path, BOTH)
        with closing(open_library(path)) as connection:
            for step in steps:
                step(BuildLog(connection, person))

    return make


def waiting(path: Path) -> None:
    with closing(open_library(path)) as connection:
        now = candidate(connection, "dyke", "ana")
        assert now is not None
        BuildLog(connection, "ana").filter(rule_to_json(Rule(2)), ["owlet"], ["x"], {"dyke": now.article_id}, "judge")


def differ(path: Path) -> None:
    judge(path, BOTH)
    with closing(open_library(path)) as connection:
        BuildLog(connection, "ana").assign({"dyke": ["ana", "ben"]})
        BuildLog(connection, "ana").decide("dyke", "accept")
        BuildLog(connection, "ben").decide("dyke", "reject", "dull")


SPOIL = {"source": DYKE[:60]}
STATES: dict[str, tuple[Make, dict[Step, tuple[str, ...]]]] = {
    "new": (lambda path: None, {"assign": ("filter",), "accept": ("filter",), "write": ("not_accepted",)}),
    "waiting": (waiting, {"assign": ("filter",), "accept": ("filter",), "write": ("not_accepted",)}),
    "easy": (
        lambda path: judge(path, {"owlet": {1, 2, 3}, "heron": {4}}),
        {"assign": ("filter",), "accept": ("filter",), "write": ("not_accepted",)},
    ),
    "cannot_pass": (
        lambda path: judge(path, BOTH, min_failed=5),
        {"assign": ("filter",), "accept": ("filter",), "write": ("not_accepted",)},
    ),
    "judge_failed": (
        lambda path: judge(path, BOTH, owed={"owlet": {1, 2, 3, 4}}),
        {"assign": ("filter",), "accept": ("filter",), "write": ("not_accepted",)},
    ),
    "no_translation": (
        lambda path: judge(path, BOTH, refused=["owlet"]),
        {"assign": ("instruction_check",), "accept": ("instruction_check",), "write": ("not_accepted",)},
    ),
    "stays": (lambda path: judge(path, BOTH), {"write": ("not_accepted",)}),
    "revised": (
        acts(lambda log: log.revise("dyke", source=DYKE + "完。")),
        {"assign": ("filter",), "accept": ("filter",), "write": ("not_accepted",)},
    ),
    "blocked": (
        acts(lambda log: log.revise("dyke", points=(), licence="", **SPOIL), stays=False),
        {
            "filter": ("length", "no_points", "licence"),
            "assign": ("filter", "length", "no_points", "licence"),
            "accept": ("filter", "length", "no_points", "licence"),
            "write": ("not_accepted",),
        },
    ),
    "without a direction": (
        acts(lambda log: log.revise("dyke", direction="")),
        {
            "filter": ("direction",),
            "assign": ("direction",),
            "accept": ("direction",),
            "write": ("not_accepted",),
        },
    ),
    "assigned": (
        acts(lambda log: log.assign({"dyke": ["ben"]})),
        {"assign": ("assigned",), "accept": ("not_asked",), "write": ("not_accepted",)},
    ),
    "accepted": (
        acts(lambda log: log.decide("dyke", "accept")),
        {"filter": ("decided",), "assign": ("decided",)},
    ),
    "accepted past the filter": (
        acts(lambda log: log.decide("dyke", "accept"), stays=False),
        {"filter": ("decided",), "assign": ("decided",), "accept": ("filter",), "write": ("filter",)},
    ),
    "accepted by exception": (
        acts(lambda log: log.decide("dyke", "accept", "a pilot", without=["filter"]), stays=False),
        {"filter": ("decided",), "assign": ("decided",), "accept": ("filter",)},
    ),
    "rejected": (
        acts(lambda log: log.decide("dyke", "reject", "dull")),
        {"filter": ("decided",), "assign": ("decided",), "write": ("not_accepted",)},
    ),
    "differ": (differ, {"assign": ("decided",), "write": ("not_accepted",)}),
}
"""State → how a candidate comes to it, and what keeps it from each step, for ana; a step that is not named is free."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    build_library(tmp_path / "a.db", keys=["dyke", "slipway"])
    return tmp_path / "a.db"


@pytest.fixture
def connection(path: Path) -> Iterator[Connection]:
    with closing(open_library(path)) as opened:
        yield opened


def the(connection: Connection, key: str = "dyke", viewer: str = "ana") -> Candidate:
    found = candidate(connection, key, viewer)
    assert found is not None
    return found


@pytest.mark.parametrize("state", STATES)
def test_every_step_is_attempted_in_every_state(path: Path, state: str) -> None:
    make, wanted = STATES[state]
    make(path)
    with closing(open_library(path)) as connection:
        now = the(connection)
        came = {
            step: tuple(one.code for one in every_obstacle(connection, [now], step, person="ana")["dyke"])
            for step in STEPS
        }
        if state in ("easy", "cannot_pass", "judge_failed", "no_translation", "stays", "waiting"):
            assert outcomes(connection, [now])["dyke"].state == state
    assert came == dict.fromkeys(STEPS, ()) | wanted


def test_what_is_final_no_reason_changes(path: Path) -> None:
    STATES["rejected"][0](path)
    with closing(open_library(path)) as connection:
        every = every_obstacle(connection, [the(connection)], "write")["dyke"]
        assert [(one.code, one.final) for one in every] == [("not_accepted", True)]
        again = every_obstacle(connection, [the(connection)], "assign", again=True)["dyke"]
        assert again[0].final


def test_who_may_not_see_what_judges_said_is_told_of_the_log_alone(path: Path) -> None:
    STATES["easy"][0](path)
    with closing(open_library(path)) as connection:
        both = [the(connection), the(connection, "slipway")]
        kept = every_obstacle(connection, both, "accept", hidden=True)
    assert not kept["dyke"], "that it is easy is hidden"
    assert [one.code for one in kept["slipway"]] == ["filter"], "that it is under no filter is not"


# --- exceptions -------------------------------------------------------------------------------------------------


def test_an_exception_says_why_and_stands_with_its_act(connection: Connection) -> None:
    ana = BuildLog(connection, "ana")
    with pytest.raises(StorageError, match="say why it is accepted without filter"):
        ana.decide("dyke", "accept", " ", without=["filter"])
    with pytest.raises(StorageError, match="dyke: say why it goes on without filter"):
        ana.assign({"dyke": ["ana"]}, without={"dyke": ["filter"]})
    ana.assign({"dyke": ["ana"], "slipway": ["ana"]}, without={"dyke": ["filter"]}, why="a pilot")
    assert not the(connection, "slipway").exemptions
    (dealt,) = the(connection).exemptions
    assert exemption_words(dealt) == "dealt out without the filter: a pilot"
    ana.decide("dyke", "accept", "no money for a filter", without=["filter", "licence"])
    assert [exemption_words(each) for each in the(connection).exemptions] == [
        "dealt out without the filter: a pilot",
        "accepted without the filter and mending licence: no money for a filter",
    ]
    ana.undo()
    assert the(connection).exemptions == (dealt,)
    ana.undo()
    assert not the(connection).exemptions
    ana.redo()
    ana.redo()
    ana.revise("dyke", source=DYKE + "完。")
    assert not the(connection).exemptions, "they are of the version that they were made of"


def test_writing_by_exception_covers_what_it_names_alone(path: Path) -> None:
    STATES["accepted past the filter"][0](path)
    with closing(open_library(path)) as connection:
        BuildLog(connection, "cleo").write({"dyke": ["filter"]}, "a draft for the workshop")
        now = the(connection)
        assert [exemption_words(each) for each in now.exemptions] == [
            "written without the filter: a draft for the workshop"
        ]
        assert not every_obstacle(connection, [now], "write")["dyke"]
        BuildLog(connection, "cleo").revise("dyke", licence="")
        assert [one.code for one in every_obstacle(connection, [the(connection)], "write")["dyke"]] == ["licence"]


def test_an_exception_of_a_decision_that_is_hidden_is_hidden(connection: Connection) -> None:
    BuildLog(connection, "cleo").assign({"dyke": ["ana", "ben"]})
    BuildLog(connection, "ana").decide("dyke", "accept", "it is dear to me", without=["filter"])
    assert not the(connection, viewer="ben").exemptions
    assert len(the(connection, viewer="ana").exemptions) == 1


def test_conditions_have_names() -> None:
    assert conditions_words(["filter", "near_duplicate", "filter"]) == "the filter and mending near duplicate"
    assert conditions_words(["licence", "no_points"]) == "mending licence, no points"


# --- what follows from other candidates -------------------------------------------------------------------------


@pytest.fixture
def twins(tmp_path: Path) -> Iterator[Connection]:
    """``grove`` and ``letter`` are nearly the same."""
    build_library(tmp_path / "t.db", keys=["dyke", "grove", "letter"])
    with closing(open_library(tmp_path / "t.db")) as opened:
        yield opened


def about_twins(connection: Connection) -> dict[str, list[bool]]:
    """Whether each finding about a near duplicate is all right, by candidate."""
    every = candidates(connection, "ana")
    return {
        key: [one.checked_off is not None for one in each if one.code == "near_duplicate"]
        for key, each in findings(connection, every).items()
    }


def test_a_rejected_duplicate_no_longer_blocks_its_twin(twins: Connection) -> None:
    both = {"dyke": [], "grove": [False], "letter": [False]}
    assert about_twins(twins) == both
    ana = BuildLog(twins, "ana")
    ana.decide("letter", "reject", "the same as grove")
    assert about_twins(twins) == {"dyke": [], "grove": [], "letter": []}
    ana.undo()
    assert about_twins(twins) == both


def test_an_accepted_article_is_not_blocked_by_a_duplicate_that_is_not(twins: Connection) -> None:
    ana = BuildLog(twins, "ana")
    ana.decide("grove", "accept")
    assert about_twins(twins) == {"dyke": [], "grove": [], "letter": [False]}
    ana.decide("letter", "accept")
    assert about_twins(twins) == {"dyke": [], "grove": [False], "letter": [False]}, "both are in: nothing is decided"


def test_what_is_called_all_right_stays_so_whatever_becomes_of_the_other(twins: Connection) -> None:
    (one,) = [each for each in findings(twins, [the(twins, "grove")])["grove"] if each.code == "near_duplicate"]
    ana = BuildLog(twins, "ana")
    ana.check_off("grove", one.id, "the other one goes")
    assert about_twins(twins) == {"dyke": [], "grove": [True], "letter": [False]}
    ana.decide("letter", "reject", "the same")
    assert about_twins(twins)["grove"] == [True]
    ana.decide("letter", "undecided")
    ana.revise("letter", note="a comma", source="，" + twins.execute(_SOURCE, ("letter",)).fetchone()[0])
    assert about_twins(twins) == {"dyke": [], "grove": [True], "letter": [False]}


_SOURCE = "SELECT source FROM articles WHERE key = ?"


def test_fewer_points_than_the_mean_of_those_that_can_come_in_is_a_remark(path: Path) -> None:
    def few(connection: Connection) -> dict[str, str]:
        every = candidates(connection, "ana")
        return {
            key: one.message
            for key, each in findings(connection, every).items()
            for one in each
            if one.code == "few_points" and one.severity == "remarks" and not one.checked_off
        }

    with closing(open_library(path)) as connection:
        assert [len(POINTS[key]) for key in ("dyke", "slipway")] == [4, 2]
        assert few(connection) == {"slipway": "It has 2 rubric points; candidates have 3.0 on average."}
        log = BuildLog(connection, "ana")
        (one,) = [
            each for each in findings(connection, [the(connection, "slipway")])["slipway"] if each.about == "others"
        ]
        log.check_off("slipway", one.id, "they are hard ones")
        log.revise("dyke", points=[*POINTS["dyke"], written(5, "水尺", ["gauge"])])
        assert not few(connection), "it stays decided though the mean moves"
        log.undo()
        log.undo()
        log.decide("dyke", "reject", "dull")
        assert not few(connection), "what is rejected counts for no mean"
