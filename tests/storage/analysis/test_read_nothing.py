"""A judge that read nothing of a translation has no score of it: every figure leaves it out, and says so."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

import pytest

from judges.model import Place
from storage.analysis.audit.from_library import read_audits
from storage.analysis.benchmark_quality import benchmark_tests
from storage.analysis.judge_scores import leaderboards
from storage.analysis.metric_scores import read_scores
from storage.analysis.review_data import read_reviewed
from storage.exports.mqm_scores import judges_by_segment
from storage.formats.base.items import Annotation, Document, Mark, ScoreLine, Segment
from tests.conftest import Command
from tests.support.annotated_files import library

SYSTEMS, ARTICLES = ("A", "B"), tuple(f"a{n}" for n in range(6))
SEGMENTS = (Segment("1", "一二三四五", "abcdefghij"), Segment("2", "六七八九十", "klmnopqrst"))
REASON = "evaluations of which the judge read nothing"


def said(judge: str, article: str, system: str, errors: int, rated: Sequence[int] | None = None) -> Annotation:
    """A judge with so many major errors in the first segment."""
    marks = tuple(
        Mark(0, "Accuracy/Mistranslation", "Major", (Place("translation", n, n + 2),), line=n) for n in range(errors)
    )
    document = Document(article, system, SEGMENTS, "zh-en")
    return Annotation(document, judge, False, marks, rated=None if rated is None else frozenset(rated))


READ = [
    said("kite", article, system, (3 * n + 2 * s) % 5)
    for n, article in enumerate(ARTICLES)
    for s, system in enumerate(SYSTEMS)
]
PEOPLE = [
    ScoreLine(1, "DA", system, article, "zh-en", 90.0 - 7 * n - 5 * s * (n % 3), True, "lin")
    for n, article in enumerate(ARTICLES)
    for s, system in enumerate(SYSTEMS)
]
UNREAD = [said("tern", article, "A", 0, ()) for article in ARTICLES]
"""Of a judge that read nothing at all."""
FURTHER = [said("kite", article, "C", 0, ()) for article in ARTICLES[:4]]
"""Of a system of which the judge read nothing."""


def test_a_row_of_what_was_not_read_has_no_score_and_the_reason() -> None:
    with library([*READ, *UNREAD, *FURTHER]) as connection:
        boards = {board.of.judge: board for board in leaderboards(connection)}
    (tern,) = boards["tern"].rankings[0].standings
    assert (tern.rank, tern.mean.value, tern.mean.n, tern.mean.why) == (None, None, 0, "no article")
    assert dict(tern.mean.left_out) == {REASON: 6}
    kite = {each.system: each for each in boards["kite"].rankings[0].standings}
    assert (kite["C"].mean.value, dict(kite["C"].mean.left_out), kite["A"].mean.left_out) == (None, {REASON: 4}, ())


@pytest.mark.parametrize("more", [UNREAD, FURTHER, [*UNREAD, *FURTHER]], ids=["judge", "system", "both"])
@pytest.mark.parametrize("first", [False, True], ids=["after", "before"])
def test_no_figure_moves_by_what_was_not_read(more: list[Annotation], first: bool) -> None:
    found = []
    for items in ([*READ, *PEOPLE], [*more, *READ, *PEOPLE] if first else [*READ, *PEOPLE, *more]):
        with library(items) as connection:
            table = read_scores(connection)
            rows = sorted((row.metric, row.system, row.article, row.score) for row in table.rows)
            boards = [board for board in leaderboards(connection) if board.of.judge == "kite"]
            ranked = [(s.system, s.rank, s.mean.value, s.mean.low) for s in boards[0].rankings[0].standings if s.rank]
            by_segment, _ = judges_by_segment(connection)
            segments = sorted((row.metric, row.system, row.article, row.segments) for row in by_segment)
            reviewed = read_reviewed(connection)
            found.append((rows, ranked, segments, len(reviewed.findings.reviews), reviewed.evaluations.scored))
    assert found[0] == found[1]


def test_each_figure_counts_what_was_not_read() -> None:
    with library([*READ, *PEOPLE, *UNREAD, *FURTHER]) as connection:
        reason = "the judge read nothing of the translation"
        assert read_scores(connection).left_out == {reason: 10}
        assert judges_by_segment(connection)[1] == {"translations of which a judge read nothing": 10}
        assert read_reviewed(connection).left_out[reason] == 10
        by_judge = {audit.of.judge: audit for audit in read_audits(connection)}
        assert {each.why for each in by_judge["kite"].left_out} >= {(f"C: {reason}",)}
        examined = {each.of.judge: each.examined for each in benchmark_tests(connection)}
        assert (examined["tern"].systems, examined["tern"].unscored_systems) == ((), ("A",))


def test_what_a_judge_read_before_stands_whatever_it_did_not_read_after() -> None:
    """In one library, in either order: the answer that read something counts."""
    again = said("kite", ARTICLES[0], "A", 0, ())
    for items in ([*READ, again], [again, *READ]):
        with library(items) as connection:
            (board,) = leaderboards(connection)
            standing = next(each for each in board.rankings[0].standings if each.system == "A")
            assert (standing.mean.n, standing.mean.left_out) == (6, ())


def test_all_formats_of_a_report_say_it(discox: Command) -> None:
    with library([*READ, *PEOPLE, *UNREAD]) as connection:
        path = connection.path
        text = " ".join(discox("leaderboard", "--db", path).out.split())
        assert f"Left out: {REASON} (6)." in text
        assert "– no article" in text
        boards = json.loads(discox("leaderboard", "--db", path, "--json").out)["leaderboards"]
        tern = next(board for board in boards if board["judge"] == "tern")["rankings"][0]["standings"][0]
        assert tern["mean"] == {
            "value": None,
            "n": 0,
            "low": None,
            "high": None,
            "why": "no article",
            "left_out": {REASON: 6},
        }
        rows = [
            row
            for row in csv.DictReader(io.StringIO(discox("leaderboard", "--db", path, "--csv").out))
            if row["judge"] == "tern"
        ]
        assert (rows[0]["mean"], rows[0]["n"], rows[0]["left_out"]) == ("", "0", f"{REASON} (6)")
        page = discox("leaderboard", "--db", path, "--html", "-").out
        assert f"Left out: {REASON} (6)." in page
        plain = json.loads(discox("consistency", "--db", path, "--json").out)
        assert plain["left_out"]["the judge read nothing of the translation"] == 6
        assert "tern" not in str(plain["pairwise"])
        assert "the judge read nothing of the translation" in " ".join(discox("consistency", "--db", path).out.split())
