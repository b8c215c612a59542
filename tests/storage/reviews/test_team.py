"""A team: how far everybody is, what they agree about, notes and more work; nothing of what is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from storage.db.connection import Connection
from storage.reviews.blinding import choose_blinding
from storage.reviews.lead_notes import tell, told
from storage.reviews.plans import planned_reviewers
from storage.reviews.review_log import ReviewLog
from storage.reviews.team import Overlaps, hand_out, read_overlaps, read_team
from tests.support import builders


@pytest.fixture
def team(tmp_path: Path) -> Iterator[tuple[Connection, list[str]]]:
    """Two evaluations: lin is done with both and searched one, okafor with the first; they differ on one finding."""
    connection, ids = builders.two_evaluations(tmp_path / "library.db")
    with closing(connection):
        for name, evaluations in (("lin", ids), ("okafor", ids[:1])):
            log = ReviewLog(connection, name)
            for identity in evaluations:
                log.open(identity)
                findings = connection.execute(
                    "SELECT id FROM findings WHERE evaluation_id = ? ORDER BY number", [identity]
                )
                for number, (finding,) in enumerate(findings.fetchall()):
                    differs = name == "okafor" and number == 0
                    log.decide(identity, finding, decision="not_an_error" if differs else "agree")
                log.set_review(identity, state="done", search="done" if identity == ids[0] else None)
        yield connection, ids


def test_how_far_everybody_is(team: tuple[Connection, list[str]]) -> None:
    connection, ids = team
    lin, okafor = read_team(connection, "mei")
    assert (lin.name, lin.unsearched, lin.pace.assigned) == ("lin", 1, 0)
    assert (okafor.name, okafor.unsearched) == ("okafor", 0)
    articles = dict(connection.execute("SELECT id, article FROM evaluations").fetchall())
    assert (lin.article, okafor.article) == (articles[ids[1]], articles[ids[0]])
    assert lin.at >= okafor.at[:10]


def test_what_they_agree_about_counts_only_what_two_spoke_of(team: tuple[Connection, list[str]]) -> None:
    connection, ids = team
    findings = connection.execute("SELECT count(*) FROM findings WHERE evaluation_id = ?", ids[:1]).fetchone()[0]
    assert read_overlaps(connection, "mei") == Overlaps(1, findings, findings - 1, 1, 0)
    ReviewLog(connection, "lin").set_point(ids[0], 7, decision="violated")  # of which okafor says nothing
    again = read_overlaps(connection, "mei")
    assert again is not None
    assert (again.shared, again.alike) == (findings, findings - 1)


def test_as_long_as_anything_is_hidden_from_a_lead_nothing_is_told_of_others(
    team: tuple[Connection, list[str]],
) -> None:
    connection, _ = team
    choose_blinding(connection, "lin", "first")
    assert [each.name for each in read_team(connection, "lin")] == ["lin"]
    assert read_overlaps(connection, "lin") is None
    assert len(read_team(connection, "mei")) == 2


def test_more_work_is_drawn_from_what_nobody_has(team: tuple[Connection, list[str]]) -> None:
    connection, ids = team
    assert hand_out(connection, "okafor", 5, "test") == 1  # the other one is opened already
    assert planned_reviewers(connection) == ["okafor"]
    assert [row[0] for row in connection.execute("SELECT evaluation_id FROM assignments")] == ids[1:]
    assert hand_out(connection, "noor", 5, "test") == 1
    assert hand_out(connection, "noor", 5, "test") == 0
    assert [each.name for each in read_team(connection, "mei")] == ["lin", "noor", "okafor"]


def test_a_note_stands_until_it_is_seen_or_taken_back(team: tuple[Connection, list[str]]) -> None:
    connection, _ = team
    tell(connection, "lin", "  please search, too  ", "mei")
    assert told(connection, "lin") == "mei: please search, too"
    assert [each.told for each in read_team(connection, "mei")] == ["mei: please search, too", ""]
    tell(connection, "lin", " ", "mei")
    assert told(connection, "lin") == ""
