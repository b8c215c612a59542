"""What a reviewer does becomes a new state, without a screen; the state says what of it may look different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from textual.geometry import Size

from discox_tui.screens.review.controller import ReviewController
from discox_tui.screens.review.state import ReviewState
from discox_tui.sessions.library import Refused
from discox_tui.sessions.review import ReviewSession, Subject
from discox_tui.text.runs import Runs
from judges.model import Place
from storage.integrity.opening import open_library
from tests.support.driving import library


@dataclass
class App:
    """What a controller takes of the app."""

    session: ReviewSession
    size: Size = field(default_factory=lambda: Size(160, 45))
    auto_advance: bool = True
    said: list[str] = field(default_factory=list)

    def safely(self) -> Any:
        """Refuse nothing."""
        return nullcontext()

    looking = safely

    def say(self, message: str, *, warning: bool = False) -> None:
        """Keep what is said."""
        self.said.append(message)


@dataclass
class Screen:
    """What a controller takes of the screen: it keeps the states."""

    states: list[ReviewState] = field(default_factory=list)
    revealed: int = 0

    def opened(self, state: ReviewState) -> None:
        """Keep it."""
        self.states = [state]

    def shows(self, state: ReviewState) -> None:
        """Keep it."""
        self.states.append(state)

    def reveals(self) -> None:
        """Count it."""
        self.revealed += 1

    def described(self, subject: Subject | None, shown: str) -> Sequence[Runs]:
        """Name the error."""
        return [[(subject.id if subject else "", ""), (shown, "")]]


@contextmanager
def controlled(path: Path) -> Iterator[tuple[ReviewController, App, Screen]]:
    library(path, {}, {})
    with closing(open_library(path)) as connection:
        session = ReviewSession(connection, "mei")
        session.open(session.queue[0].id)
        app, screen = App(session), Screen()
        controller = ReviewController(cast("Any", app), screen)
        controller.open()
        yield controller, app, screen


def test_a_verdict_changes_its_own_error_and_goes_on(tmp_path: Path) -> None:
    with controlled(tmp_path / "a.db") as (controller, _, screen):
        first = screen.states[-1]
        assert first.index == 0
        assert first.changed is None
        controller.reject()
        [_, state] = screen.states  # one state for one key
        assert state.changed == {first.subjects[0].id}
        assert state.index == 1
        assert state.standings[first.subjects[0].id].dropped
        assert not first.standings[first.subjects[0].id].dropped, "a state is not changed"
        assert state.scores != first.scores
        assert screen.revealed == 1


def test_moving_makes_nothing_anew_that_does_not_move(tmp_path: Path) -> None:
    with controlled(tmp_path / "a.db") as (controller, _, screen):
        first = screen.states[-1]
        controller.select(3)
        state = screen.states[-1]
        assert state.changed == frozenset()
        assert state.standings is first.standings
        assert state.scores is first.scores
        assert state.current is first.subjects[3]
        controller.select(99)
        assert screen.states[-1].index == len(first.subjects) - 1


def test_where_errors_are_linked_all_may_look_different(tmp_path: Path) -> None:
    with controlled(tmp_path / "a.db") as (controller, app, screen):
        session = app.session
        controller.act(lambda subject: session.set_repeat(subject, session.subjects[1]))
        assert screen.states[-1].changed is None
        controller.select(0)
        controller.decide("unsure")
        assert screen.states[-1].changed is None


def test_a_marked_error_is_listed_and_current(tmp_path: Path) -> None:
    with controlled(tmp_path / "a.db") as (controller, app, screen):
        before = len(screen.states[-1].subjects)
        done: list[bool] = []
        labels: Any = ("fluency", "grammar", "minor")
        controller.mark((Place("translation", 0, 9),), labels, lambda: done.append(True))
        state = screen.states[-1]
        assert len(state.subjects) == before + 1
        assert state.current is not None
        assert state.current.id in app.session.work.errors
        assert done == [True]
        assert app.said[-1].startswith("Marked +1: fluency")
        with pytest.raises(Refused):
            controller.mark((Place("translation", 0, 9),), state.subjects[0].id, lambda: None)
        assert screen.states[-1].index == 0


def test_another_place_of_a_quote_is_shown_until_the_next_move(tmp_path: Path) -> None:
    with controlled(tmp_path / "a.db") as (controller, _, screen):
        with pytest.raises(Refused):
            controller.next_occurrence()
        assert not controller.shows_occurrence
        controller.select(1)
        assert screen.states[-1].occurrence is None
