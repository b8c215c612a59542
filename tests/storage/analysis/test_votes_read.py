"""Votes are those of judges that read what they are votes on: of a part of a translation, in that part alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from judges.model import Place
from storage.analysis.acceptance import _shares
from storage.analysis.judge_scores import read_judged
from storage.analysis.judge_votes import Vote, match_panel, panels, votes_at
from storage.analysis.vote_scores import by_votes
from storage.formats.base.items import Annotation, Document, Mark, Segment
from tests.support.annotated_files import library

DOCUMENT = Document("d", "A", tuple(Segment(f"{n}", "一二三四五", "abcdefghij") for n in (1, 2)), "zh-en")
OTHER = Document("e", "A", DOCUMENT.segments, "zh-en")


def said(judge: str, *segments: int, rated: Sequence[int] | None = None, document: Document = DOCUMENT) -> Annotation:
    """A judge that finds the same major error in each of some segments; ``rated``: those that it read."""
    marks = [
        Mark(n, "Accuracy/Mistranslation", "Major", (Place("translation", 0, 4),), line=number)
        for number, n in enumerate(segments, 1)
    ]
    return Annotation(document, judge, False, tuple(marks), rated=None if rated is None else frozenset(rated))


def test_who_read_and_found_nothing_votes_and_who_never_read_does_not() -> None:
    whole = [said("kite", 0, 1), said("osprey")]
    with library(whole) as connection:
        (board,) = by_votes(connection)
        assert board.votes
        assert board.votes.errors == {(1, 2): 2}
    with library([*whole, said("tern", rated=())]) as connection:
        (board,) = by_votes(connection)
        assert board.votes
        assert (board.votes.errors, board.votes.unread) == ({(1, 2): 2}, 1)
        identity = connection.execute("SELECT id FROM evaluations WHERE judge = 'kite'").fetchone()[0]
        votes, names = votes_at(connection, identity)
        assert (set(votes.values()), len(names)) == ({Vote(1, 2)}, 2)
        assert set(_shares(connection, None).values()) == {0.5}


def test_a_judge_of_a_part_has_a_vote_in_that_part() -> None:
    with library([said("kite", 0, 1), said("osprey", 0), said("tern", rated=(0,))]) as connection:
        (panel,) = panels(connection, read_judged(connection))
        assert match_panel(connection, panel).errors == {Vote(2, 3): 1, Vote(1, 2): 1}
        (board,) = by_votes(connection)
    # 5 points each: two of three found the first, one of the two that read it the second.
    for row in board.rows:
        assert row.points == pytest.approx((100 - 10 / 3 - 5 / 2, 60 - 10 / 3 - 5 / 2, 20, 20))


def test_scores_and_votes_do_not_move_by_judges_that_never_read() -> None:
    first = [said("kite", 0, 1), said("osprey", 1), said("kite", 0, document=OTHER), said("osprey", document=OTHER)]
    unread = [said("tern", rated=()), said("tern", rated=(), document=OTHER)]
    found = []
    for items in (first, [*first, *unread], [*unread, *reversed(first)]):
        with library(items) as connection:
            (board,) = by_votes(connection)
            assert board.votes
            found.append(({(row.article, row.points) for row in board.rows}, board.votes.errors))
    assert found[0] == found[1] == found[2]
