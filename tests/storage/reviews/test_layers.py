"""Second answers, adjudications and blind passes: what reports show of them, and what they keep out."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from discox_tui.reports.consistency.sections import review_sections
from discox_tui.reports.render.text import as_text
from storage.analysis.metric_scores import read_scores
from storage.analysis.review_data import HIDDEN, UNMATCHED, read_reviewed
from storage.db.connection import Connection
from storage.integrity.opening import open_library
from storage.record.groundings import ground_pending
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import findings_of
from tests.conftest import Command
from tests.support import builders

PLACES = [["source", 0, 3], ["translation", 0, 9]]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Ana and Bo reviewed the first evaluation blind, Ana again; she settled it. She decided half of the second."""
    path = tmp_path / "layers.db"
    connection, (first, second) = builders.two_evaluations(path)
    with closing(connection):
        ground_pending(connection, path)
        for layer, start in (("ana", 0), ("bo", 2), ("ana:again", 0), ("ana:adjudicated", None)):
            review(connection, first, layer, start)
        log = ReviewLog(connection, "ana")
        log.open(second)
        log.decide(second, next(iter(findings_of(connection, second))), decision="agree")
    return path


def review(connection: Connection, evaluation: str, layer: str, start: int | None) -> None:
    """Mark one error blind, at a place that begins at ``start``, and agree with all that the judge found."""
    log = ReviewLog(connection, layer)
    if start is None:
        log.open(evaluation)
    else:
        log.open(evaluation, hidden=True)
        error = log.mark(
            evaluation, dimension="fluency", severity="minor", spans=[["translation", start, start + 4]]
        ).event.finding_id
        log.reveal(evaluation)
        log.mark(evaluation, error, missed=True)
        log.set_review(evaluation, search="done")
    for finding in findings_of(connection, evaluation):
        log.decide(evaluation, finding, decision="agree")
    log.set_state(evaluation, "done")


def figures(discox: Command, library: Path, *options: str) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(discox("consistency", "--db", library, "--json", *options).out)
    return plain


def find(plain: Any, name: str) -> list[Any]:
    """All that stands under a name, anywhere."""
    if isinstance(plain, dict):
        return [
            *plain.get(name, ()),
            *(each for key, part in plain.items() if key != name for each in find(part, name)),
        ]
    return [each for part in plain for each in find(part, name)] if isinstance(plain, list) else []


def test_only_what_a_reviewer_says_for_herself_is_pooled(discox: Command, library: Path) -> None:
    plain = figures(discox, library)
    assert plain["basis"]["reviewers"] == 2
    assert plain["findings"]["overall"]["right"] == 5 + 5 + 1
    assert plain["findings"]["overall"]["missed"] == 2
    assert list(plain["findings"]["by"]["reviewer"]) == ["ana", "bo", "ana:adjudicated"]
    assert plain["between_humans"]["together"]["reviewers"] == ["ana", "bo"]
    assert plain["between_humans"]["pairs"] == [plain["between_humans"]["together"]]
    assert plain["documents"]["total"]["all"]["mean_difference"]["n"] == 2
    assert plain["raters"] == ["ana", "bo"]
    board: dict[str, Any] = json.loads(discox("leaderboard", "--db", library, "--json").out)
    human = next(row["human"]["human"] for row in find(board, "standings") if row["human"])
    with closing(open_library(library)) as connection:
        totals = dict(connection.execute("SELECT reviewer, total FROM reviews WHERE state = 'done'"))
    assert totals["ana"] == totals["bo"] != totals["ana:adjudicated"]
    assert human["value"] == totals["ana"]


def test_a_second_answer_is_held_against_the_first(discox: Command, library: Path) -> None:
    (again,) = figures(discox, library)["within_reviewers"]
    assert again["reviewers"] == ["ana", "ana:again"]
    assert (again["humans"]["verdicts"]["observed"]["value"], again["humans"]["verdicts"]["observed"]["n"]) == (1, 5)
    assert again["humans"]["scores"]["mean_absolute_difference"]["n"] == 1
    assert figures(discox, library, "--reviewer", "ana")["within_reviewers"] == [again]
    assert figures(discox, library, "--reviewer", "bo")["within_reviewers"] == []


def test_an_adjudication_has_its_own_figures(discox: Command, library: Path) -> None:
    plain = figures(discox, library, "--reviewer", "ana:adjudicated")
    assert (plain["basis"]["reviewers"], plain["findings"]["overall"]["right"]) == (1, 5)
    assert plain["findings"]["overall"]["recall"]["value"] is None
    assert plain["raters"] == ["ana:adjudicated"]
    assert list(plain["findings"]["by"]["reviewer"]) == ["ana:adjudicated"]


def test_an_adjudication_has_a_row_of_its_own_among_reviewers(discox: Command, library: Path) -> None:
    assert list(figures(discox, library, "--by", "reviewer")["pairwise_by"]["groups"]) == [
        "ana",
        "bo",
        "ana:adjudicated",
    ]
    with closing(open_library(library)) as connection:
        settled = read_scores(connection).only_rater("ana:adjudicated")
        assert settled.raters == read_scores(connection, reviewer="ana:adjudicated").raters == ("ana:adjudicated",)
        assert [row for row in settled.rows if row.human] == [
            row for row in read_scores(connection, reviewer="ana:adjudicated").rows if row.human
        ]


def test_spans_are_those_of_reviewers_who_had_not_seen_the_judge(discox: Command, library: Path) -> None:
    plain = figures(discox, library)
    assert [row["reviewer"] for row in plain["anchoring"]["blind_first"]] == ["ana", "bo"]
    assert plain["anchoring"]["anchored"] == 1
    spans = plain["spans"]
    assert (spans["humans"]["documents"], spans["beside"]["documents"], spans["judge"]["documents"]) == (1, 2, 2)
    # [0, 4) and [2, 6) share half of each, of the same severity.
    assert spans["humans"]["partial"]["value"] == pytest.approx(0.5)
    assert (spans["humans"]["exact"]["value"], spans["humans"]["overlap"]["value"]) == (0, 1)
    assert sorted(spans["reviewers"]) == ["ana", "bo"]


def test_the_report_has_all_of_it_within_80_cells(library: Path, discox: Command, tmp_path: Path) -> None:
    out = discox("consistency", "--db", library).out
    for said in ("ana:adjudicated", "ana, ana:again", "verdicts, herself", "blind reviewers", "3 reviews began blind"):
        assert said in " ".join(out.split()), said
    assert max(cell_len(line) for line in out.split("SIGNATURES")[0].splitlines()) <= 80
    pages = {kind: tmp_path / f"report.{kind}" for kind in ("html", "markdown", "latex")}
    assert discox("consistency", "--db", library, *(part for k, p in pages.items() for part in (f"--{k}", p))).code == 0
    for page in pages.values():
        text = page.read_text(encoding="utf-8")
        for said in ("judge, on the same", "verdicts, herself", "Blind first, and anchored", "reference too strict"):
            assert said in text
    rows = discox("consistency", "--db", library, "--csv").out
    assert "blind first or anchored" in rows
    assert "reviewers with themselves" in rows


def test_what_is_not_matched_yet_is_left_out_with_its_reason(library: Path) -> None:
    with closing(open_library(library)) as connection:
        _, second = (row[0] for row in connection.execute("SELECT id FROM evaluations ORDER BY position"))
        log = ReviewLog(connection, "bo")
        log.open(second, hidden=True)
        error = log.mark(second, dimension="fluency", severity="minor", spans=PLACES).event.finding_id
        log.set_review(second, search="done", state="done")
        started = read_reviewed(connection)
        assert started.unsearched == {HIDDEN: 1}
        assert started.unfinished[f"done, but {HIDDEN}"] == 1
        assert ("bo", second) not in {(row.reviewer, row.evaluation) for row in started.findings.reviews}

        log.reveal(second)
        for finding in findings_of(connection, second):
            log.decide(second, finding, decision="agree")
        revealed = read_reviewed(connection)
        assert revealed.unsearched == {UNMATCHED: 1}
        assert revealed.unfinished[f"done, but {UNMATCHED}"] == 1
        assert UNMATCHED in " ".join(as_text(review_sections(revealed.report(resamples=20))).split())
        assert len([row for row in read_scores(connection).rows if row.human]) == 2

        log.mark(second, error, missed=True)
        matched = read_reviewed(connection)
        assert (matched.unsearched, len(matched.documents)) == ({}, 3)
        assert (second, "bo") in matched.searched
        assert len([row for row in read_scores(connection).rows if row.human]) == 3


def test_marks_in_what_no_judge_has_seen_are_compared_between_people(library: Path) -> None:
    with closing(open_library(library)) as connection:
        unseen = builders.add(connection, article="sea-01", state="not_judged", found=())
        for layer, start in (("ana", 0), ("bo", 2)):
            log = ReviewLog(connection, layer)
            log.open(unseen, hidden=True)
            log.mark(unseen, dimension="fluency", severity="minor", spans=[["translation", start, start + 4]])
            log.mark(unseen, dimension=None, severity=None, spans=[["translation", 0, 9]])  # no error of Metric-S
        assert read_reviewed(connection).report(20).spans.humans.documents == 1
        for layer in ("ana", "bo"):
            ReviewLog(connection, layer).set_state(unseen, "done")
        spans = read_reviewed(connection).report(20).spans
        assert (spans.humans.documents, spans.judge.documents) == (2, 2)
        assert spans.humans.partial.value == pytest.approx(0.5)
