"""One person at one library, before an evaluation is open and when one is."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from discox_tui.sessions.library import LibrarySession
from discox_tui.sessions.review import ReviewSession
from storage.db.connection import open_beside
from storage.reviews.queue import Queue
from storage.reviews.review_log import ReviewLog
from tests.support import builders


def test_a_review_goes_on_from_the_library_as_it_was_looked_at(tmp_path: Path) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    before = LibrarySession(connection, "mei")
    before.queue = Queue(connection, "mei", order="total")
    with closing(open_beside(connection)) as other:
        ReviewLog(other, "ana").set_state(first, "done")
    after = ReviewSession(connection, "mei", before=before)
    assert after.queue is before.queue
    assert after.changed_elsewhere()
    assert not after.changed_elsewhere()


def test_without_an_open_evaluation_there_is_no_place_in_the_queue(tmp_path: Path) -> None:
    connection, (first, second) = builders.two_evaluations(tmp_path / "a.db")
    assert LibrarySession(connection, "mei").position is None
    session = ReviewSession(connection, "mei")
    assert session.position is None
    session.open(second)
    assert session.position == 1
    session.open(first)
    assert session.position == 0


def test_what_is_hidden_is_as_the_reviewer_chose_last(tmp_path: Path) -> None:
    connection, _ = builders.two_evaluations(tmp_path / "a.db")
    session = LibrarySession(connection, "mei")
    assert session.blinding == "open"
    session.hide("first")
    session.hide("systems")
    assert LibrarySession(connection, "mei").blinding == session.blinding == "systems"
    assert LibrarySession(connection, "ana").blinding == "open"
