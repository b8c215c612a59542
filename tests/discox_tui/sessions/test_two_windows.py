"""One reviewer in two windows: each shows what the other did, and nothing that was not seen is replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.sessions.library import Overtaken
from discox_tui.sessions.review import ReviewSession
from judges.model import Place
from storage.integrity.opening import open_library
from storage.record.library import StoredFinding
from tests.support.driving import opened

HEAVY = "73044a12051082cf8e16"
"""hydrology-03 by heron-14b."""
Windows = tuple[ReviewSession, ReviewSession]


@pytest.fixture
def windows(sample: Path) -> Iterator[Windows]:
    """Two windows of mei's, with the same evaluation open in both."""
    connections = [open_library(sample) for _ in range(2)]
    first, second = (ReviewSession(connection, "mei") for connection in connections)
    for session in (first, second):
        session.open(HEAVY)
        session.changed_elsewhere()
    first.changed_elsewhere()
    yield first, second
    for connection in connections:
        connection.close()


def finding(session: ReviewSession, number: int = 0) -> StoredFinding:
    assert session.evaluation is not None
    return [each for each in session.evaluation.findings if each.finding.kept][number]


def events(session: ReviewSession) -> int:
    return int(session.connection.execute("SELECT count(*) FROM events WHERE reviewer = 'mei'").fetchone()[0])


def test_a_verdict_given_meanwhile_is_shown_before_it_is_changed(windows: Windows) -> None:
    first, second = windows
    first.decide(finding(first), "agree")
    before = events(second)
    with pytest.raises(Overtaken, match="another window"):
        second.decide(finding(second), "not_an_error")
    assert events(second) == before
    assert second.verdict(finding(second)).decision == "agree"
    second.decide(finding(second), "not_an_error")
    assert second.verdict(finding(second)).decision == "not_an_error"
    assert first.changed_elsewhere()
    assert first.verdict(finding(first)).decision == "not_an_error"


def test_other_findings_are_nobodys_concern(windows: Windows) -> None:
    first, second = windows
    first.decide(finding(first), "agree")
    second.decide(finding(second, 1), "unsure")
    assert [second.verdict(finding(second, at)).decision for at in (0, 1)] == ["agree", "unsure"]


def test_another_reviewers_verdict_is_no_change_of_ones_own(sample: Path, windows: Windows) -> None:
    first, _ = windows
    other = ReviewSession(open_library(sample), "noor")
    other.open(HEAVY)
    other.decide(finding(other), "agree")
    first.decide(finding(first), "not_an_error")
    assert (first.verdict(finding(first)).decision, other.verdict(finding(other)).decision) == ("not_an_error", "agree")
    other.connection.close()


def test_notes_own_errors_points_and_the_end_are_guarded_as_well(windows: Windows) -> None:
    first, second = windows
    error = first.mark((Place("source", 0, 2),), "accuracy", "omission", "major")
    second.changed_elsewhere()
    first.change_error(error, severity="critical")
    with pytest.raises(Overtaken):
        second.remove_error(error)
    assert error.id in second.work.errors
    first.set_note(finding(first), "看原文")
    with pytest.raises(Overtaken):
        second.set_note(finding(second), "other")
    first.set_state("skipped", "too long")
    with pytest.raises(Overtaken):
        second.set_state("done")
    assert second.review.state == "skipped"
    second.set_state("done")
    assert second.review.state == "done"


async def test_the_screen_says_so_and_shows_it(sample: Path) -> None:
    async with opened(sample, start=HEAVY) as driver:
        screen = await driver.on(ReviewScreen)
        other = ReviewSession(open_library(sample), "mei")
        other.open(HEAVY)
        assert screen.finding is not None
        other.decide(screen.finding, "not_an_error")
        at = screen.finding.id
        await driver.press("a")
        assert "another window" in driver.said[0]
        assert screen.finding.id == at
        assert screen.app.session.verdict(screen.finding).decision == "not_an_error"
        await driver.press("a")
        assert driver.app.session.work.verdicts[at].decision == "agree"
        other.connection.close()
