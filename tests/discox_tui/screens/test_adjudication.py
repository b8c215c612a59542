"""Adjudication: what reviewers disagree about is found, whatever it is of, and one key settles it in a layer apart."""

from __future__ import annotations

import itertools
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.screens.adjudication.opinions import OwnVerdictScreen
from discox_tui.screens.adjudication.screen import AdjudicationScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.widgets.bars import TextBlock
from judges.consistency.disagreements import compare
from judges.metric_s.human_score import Work
from judges.model import Finding, MarkedError, Place, PointVerdict, Verdict
from storage.analysis.review_data import NOT_ENDED, read_reviewed
from storage.db.connection import Connection
from storage.importing.verdict_log import from_json
from storage.integrity.opening import open_library
from storage.reviews.blinding import choose_blinding
from storage.reviews.disagreements import Adjudication, Disagreement, Docket, read_docket
from storage.reviews.events import as_json, read_events
from storage.reviews.projections import merge, rebuild
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import findings_of, read_work
from tests.support import builders
from tests.support.driving import SMALL, WIDE, library, opened
from tests.support.tables import dump

HER = "mei:adjudicated"


@pytest.fixture
def disputed(tmp_path: Path) -> Path:
    """Two evaluations; of the first two reviewers say different things of a finding, a point and a missed error."""
    path = tmp_path / "disputed.db"
    connection, (first, second) = builders.two_evaluations(path)
    with closing(connection):
        findings = [f for (f,) in connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (first,))]
        for name in ("lin", "okafor"):
            log = ReviewLog(connection, name)
            log.open(first)
            for finding in findings:
                log.decide(first, finding, decision="agree")
            log.set_review(first, state="done", search="done")
            log.open(second)
        lin, okafor = ReviewLog(connection, "lin"), ReviewLog(connection, "okafor")
        okafor.decide(first, findings[0], decision="not_an_error", note="a fixed term [b]\x1b[31m")
        lin.set_point(first, 7, decision="violated")
        okafor.set_point(first, 7, decision="met")
        lin.mark(first, dimension="accuracy", category="omission", severity="critical", spans=[["source", 0, 4]])
        okafor.mark(first, dimension="fluency", category="grammar", severity="minor", spans=[["translation", 4, 9]])
        lin.mark(first, dimension="fluency", category="grammar", severity="minor", spans=[["translation", 5, 9]])
    return path


def questions(connection: Connection, adjudicator: str = "mei", words: str = "") -> list[Disagreement]:
    """All that is to be settled, of all cases."""
    return [each for case in read_docket(connection, adjudicator, words).cases for each in case.disagreements]


def hand_of(connection: Connection) -> Adjudication:
    return Adjudication(ReviewLog(connection, HER))


def test_disagreements_of_every_kind_are_found(disputed: Path) -> None:
    with closing(open_library(disputed)) as connection:
        (case,) = read_docket(connection, "mei").cases
        assert [(d.compared.kind, d.number, d.settled) for d in case.disagreements] == [
            ("finding", 1, False),
            ("point", None, False),
            ("error", None, False),
        ]
        assert case.disagreements[2].compared.said["okafor"] is None, "she searched, and marked nothing there"
        assert (case.left, case.agreed, case.reviewers, case.ended) == (3, 6, ("lin", "okafor"), False)
        assert read_docket(connection, "mei", "system-1").cases == ()
        assert read_docket(connection, "mei", "system-0 river").cases == (case,)


def test_only_what_two_are_done_with_is_settled(disputed: Path) -> None:
    with closing(open_library(disputed)) as connection:
        (case,) = read_docket(connection, "mei").cases
        log = ReviewLog(connection, "okafor")
        log.set_state(case.evaluation, "in_progress")
        assert read_docket(connection, "mei") == Docket((), 0)
        log.undo()
        for layer in ("lin:again", "mei:adjudicated"):
            ReviewLog(connection, layer).set_state(case.evaluation, "done")
        assert read_docket(connection, "mei").cases[0].reviewers == ("lin", "okafor")
        # Of what was marked blind and is not compared yet nobody knows whether the judge found it.
        log = ReviewLog(connection, "zhou")
        log.open(case.evaluation, hidden=True)
        error = log.mark(
            case.evaluation, dimension="fluency", severity="minor", spans=[["source", 0, 1]]
        ).event.finding_id
        log.reveal(case.evaluation)
        log.set_state(case.evaluation, "done")
        assert "zhou" not in read_docket(connection, "mei").cases[0].reviewers
        log.mark(case.evaluation, error, missed=True)
        assert "zhou" in read_docket(connection, "mei").cases[0].reviewers


def test_the_order_tells_of_no_system(tmp_path: Path) -> None:
    names = ["heron", "ibis", "stork", "egret"]
    ids = library(tmp_path / "a.db", *({"article": a, "system": s} for s in names for a in ("law-01", "law-02")))
    with closing(open_library(tmp_path / "a.db")) as connection:
        for name in ("lin", "okafor"):
            for evaluation in ids:
                ReviewLog(connection, name).set_state(evaluation, "done")
        assert [case.evaluation for case in read_docket(connection, "mei").cases] == ids
        choose_blinding(connection, "mei", "systems")
        cases = read_docket(connection, "mei").cases
        assert {case.system for case in cases} == {"hidden"}
        assert [(case.article, case.evaluation) for case in cases] == sorted((c.article, c.evaluation) for c in cases)


@pytest.mark.parametrize("layer", ["mei", "mei:again"])
@pytest.mark.parametrize("how", ["opened", "hidden", "assigned", "twin assigned"])
def test_nobody_adjudicates_before_she_has_spoken(disputed: Path, layer: str, how: str) -> None:
    with closing(open_library(disputed)) as connection:
        (case,) = read_docket(connection, "mei").cases
        subject, log = case.evaluation, ReviewLog(connection, layer)
        if "assigned" in how:
            if how == "twin assigned":
                subject = twin(connection, subject)
            connection.execute("INSERT INTO plans VALUES (1, '', 0, '{}', '')")
            connection.execute(
                "INSERT INTO assignments VALUES (1, 'mei', ?, 1, ?, ?, 0)",
                (layer, subject, "again" if layer == "mei:again" else "review"),
            )
        else:
            log.open(subject, hidden=how == "hidden")
        assert read_docket(connection, "mei") == Docket((), 1)
        assert len(read_docket(connection, "lin").cases) == 1
        log.open(subject)
        if how == "hidden":
            log.reveal(subject)
        log.set_state(subject, "done")
        assert read_docket(connection, "mei").waiting == 0


def twin(connection: Connection, evaluation: str) -> str:
    """Let another judge have judged the same translation; return that evaluation's id."""
    columns = [row[1] for row in connection.execute("PRAGMA table_info(evaluations)")]
    values = {"id": "'twin'", "judge": "'egret'", "position": "999"}
    chosen = ", ".join(values.get(column, column) for column in columns)
    connection.execute(f"INSERT INTO evaluations SELECT {chosen} FROM evaluations WHERE id = ?", (evaluation,))
    return "twin"


def test_what_is_settled_goes_to_a_layer_of_its_own_and_can_be_undone(disputed: Path) -> None:
    with closing(open_library(disputed)) as connection:
        hand = hand_of(connection)
        (case,) = read_docket(connection, "mei").cases
        evaluation = case.evaluation
        before = [read_work(connection, evaluation, name) for name in ("lin", "okafor")]
        for row in case.disagreements:
            hand.settle(evaluation, row.compared, row.compared.said["okafor"])
        assert all(row.settled for row in questions(connection))
        hand.log.undo()
        assert [row.settled for row in questions(connection)] == [True, True, False]
        hand.log.redo()
        assert hand.end(evaluation) == 6
        work = read_work(connection, evaluation, HER)
        assert [v.decision for v in work.verdicts.values()].count("not_an_error") == 1
        assert len(work.verdicts) == 6
        assert [error.dimension for error in work.errors.values()] == ["fluency"]
        assert work.points[7].decision == "met"
        assert work.search_done
        # Another word, given later, holds instead.
        (error,) = (row for row in questions(connection) if row.compared.kind == "error")
        hand.settle(evaluation, error.compared, error.compared.said["lin"])
        assert {e.dimension for e in read_work(connection, evaluation, HER).errors.values()} == {"fluency", "accuracy"}
        hand.settle(evaluation, error.compared, None)
        assert {e.dimension for e in read_work(connection, evaluation, HER).errors.values()} == {"fluency"}
        assert before == [read_work(connection, evaluation, name) for name in ("lin", "okafor")]
        derived = dump(disputed)
        rebuild(connection)
        assert dump(disputed) == derived


def test_an_ending_is_one_act(disputed: Path) -> None:
    with closing(open_library(disputed)) as connection:
        hand = hand_of(connection)
        (case,) = read_docket(connection, "mei").cases
        for row in case.disagreements:
            hand.settle(case.evaluation, row.compared, row.compared.said["lin"])
        (settled,) = read_docket(connection, "mei").cases
        work = read_work(connection, case.evaluation, HER)
        hand.end(case.evaluation)
        (ended,) = read_docket(connection, "mei").cases
        assert (ended.finished, ended.agreed) == (True, 0)
        of_ending = read_work(connection, case.evaluation, HER)
        undone = hand.log.undo()
        assert undone is not None
        assert undone.event.changes["state"] == "done"
        assert read_docket(connection, "mei").cases == (settled,)
        assert read_work(connection, case.evaluation, HER) == work
        redone = hand.log.redo()
        assert redone is not None
        assert redone.event == undone.event
        assert read_docket(connection, "mei").cases == (ended,)
        assert read_work(connection, case.evaluation, HER) == of_ending
        # So is what settles one thing with several marks; each undo takes one back.
        for left in (0, 1, 2, 3):
            hand.log.undo()
            assert read_docket(connection, "mei").cases[0].left == left
        assert hand.log.undo() is None
        for _ in range(4):
            hand.log.redo()
        assert read_docket(connection, "mei").cases == (ended,)
        # Another library comes to the same by the log alone.
        with closing(open_library(disputed.with_name("other.db"))) as other:
            events = [from_json(as_json(event)) for event in read_events(connection)]
            merge(other, reversed(events))
            assert other.execute("SELECT * FROM undone ORDER BY 1").fetchall() == (
                connection.execute("SELECT * FROM undone ORDER BY 1").fetchall()
            )


def test_an_ending_is_on_disk_whole_or_not_at_all(disputed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_library(disputed)) as connection:
        hand = hand_of(connection)
        (case,) = read_docket(connection, "mei").cases
        monkeypatch.setattr(hand.log, "set_review", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            hand.end(case.evaluation)
        assert connection.execute("SELECT count(*) FROM events WHERE reviewer = ?", (HER,)).fetchone() == (0,)
        hand.log.set_point(case.evaluation, 7, decision="met")
        assert read_work(connection, case.evaluation, HER).points[7].decision == "met"


def test_what_all_agree_about_is_a_case_too_and_figures_rest_on_it(tmp_path: Path) -> None:
    connection, (contested, agreed) = builders.two_evaluations(tmp_path / "library.db")
    with closing(connection):
        for name in ("lin", "okafor"):
            log = ReviewLog(connection, name)
            for evaluation in (contested, agreed):
                for number, finding in enumerate(findings_of(connection, evaluation)):
                    rejected = not number and name == "lin" and evaluation == contested
                    log.decide(evaluation, finding, decision="not_an_error" if rejected else "agree")
                log.mark(evaluation, dimension="accuracy", severity="critical", spans=[["source", 0, 4]])
                log.set_review(evaluation, state="done", search="done")
        cases = read_docket(connection, "mei").cases
        assert [(case.evaluation, case.left, case.agreed) for case in cases] == [(contested, 1, 6), (agreed, 0, 7)]
        hand = hand_of(connection)
        (question,) = questions(connection)
        hand.settle(contested, question.compared, question.compared.said["lin"])
        before = read_reviewed(connection, HER)
        assert not before.findings.reviews, "what is contested alone would be worse than what all agree about"
        assert before.left_out == {"not reviewed yet": 1, NOT_ENDED: 1}
        for case in cases:
            hand.end(case.evaluation)
        assert all(case.finished for case in read_docket(connection, "mei").cases)
        # What she took is, word for word and point for point, what one of the two says.
        assert read_work(connection, agreed, HER).verdicts == read_work(connection, agreed, "lin").verdicts
        reviewed = read_reviewed(connection, HER)
        theirs = read_reviewed(connection, "lin")
        assert not reviewed.unfinished
        assert not reviewed.unsearched
        assert {key for key, _ in reviewed.searched} == {contested, agreed}
        assert [(d.evaluation, d.human) for d in reviewed.documents] == (
            [(d.evaluation, d.human) for d in theirs.documents]
        )
        assert len(reviewed.added) == len(theirs.added) == 2


def test_who_did_not_search_has_no_opinion_of_what_another_marked(disputed: Path) -> None:
    with closing(open_library(disputed)) as connection:
        (case,) = read_docket(connection, "mei").cases
        ReviewLog(connection, "okafor").set_review(case.evaluation, search=None)
        (case,) = read_docket(connection, "mei").cases
        (alone,) = (each.compared for each in case.disagreements if each.compared.kind == "error")
        assert list(alone.said) == ["lin"], "hers alone, and to be decided"
        assert case.agreed == 6, "what both marked is agreed, whoever searched"
        assert case.unsearched == ("okafor",)
        hand = hand_of(connection)
        for each in case.disagreements:
            hand.settle(case.evaluation, each.compared, each.compared.said["lin"])
        hand.end(case.evaluation)
        work = read_work(connection, case.evaluation, HER)
        assert sorted(error.dimension or "" for error in work.errors.values()) == ["accuracy", "fluency"]
        assert not work.search_done


def test_what_nobody_or_one_decided_is_to_be_settled() -> None:
    finding, met = builders.findings()[0], PointVerdict("met")
    dropped = builders.findings()[4]
    nothing, unsure = Work(), Work({"f": Verdict("unsure", note="?")}, points={1: met})

    def left(first: Work, second: Work, subject: Finding = finding) -> list[bool]:
        return [each.agreed for each in compare({"f": subject}, {"a": first, "b": second})]

    assert left(nothing, nothing) == [False]
    assert left(unsure, nothing) == [False, True]
    assert left(Work({"f": Verdict("agree")}), nothing) == [False]
    assert left(nothing, nothing, dropped) == []
    assert left(Work({"f": Verdict("agree")}), nothing, dropped) == [True]
    assert left(Work({"f": Verdict("restore")}), nothing, dropped) == [False]
    decided = Work({"f": Verdict("agree")})
    assert left(decided, replace(decided, points={1: PointVerdict("violated")})) == [True, False]
    assert left(decided, replace(decided, instruction="overturn")) == [True, False]
    assert left(decided, replace(decided, instruction="agree")) == [True, True]
    assert left(decided, Work({"f": Verdict("agree", repeat_of="g")})) == [False], "one of them costs, one does not"


def test_words_of_another_scheme_are_taken_too(disputed: Path) -> None:
    with closing(open_library(disputed)) as connection:
        (case,) = read_docket(connection, "mei").cases
        for name, label in (("lin", "minor-ish"), ("okafor", "worse")):
            ReviewLog(connection, name).mark(
                case.evaluation, category_label="Terminology", severity_label=label, spans=[["translation", 20, 30]]
            )
        (each,) = (
            e.compared for e in questions(connection) if e.compared.kind == "error" and len(e.compared.errors) > 1
        )
        hand_of(connection).settle(case.evaluation, each, each.said["okafor"])
        (error,) = read_work(connection, case.evaluation, HER).errors.values()
        assert (error.dimension, error.category_label, error.severity_label) == (None, "Terminology", "worse")


# --- the screen ---


async def test_one_key_settles_each_and_one_ends_the_evaluation(disputed: Path) -> None:
    async with opened(disputed, size=WIDE) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        assert "0 of 3 settled  0 of 1 ended" in driver.text
        assert "a fixed term [b]␛[31m" in driver.text
        await driver.press("f")
        assert "3 disagreements are not settled yet in river-01" in driver.text
        await driver.press("4")
        assert "Only 2 reviewers have a key here" in driver.text
        await driver.press("2", "1", "2")
        assert "f ends river-01, with 6 things that all agree about" in driver.said[0], "nothing else says so"
        assert "3 of 3 settled  0 of 1 ended" in driver.text
        await driver.press("u")
        assert "Undid: what holds of missed 1?, river-01 by system-0" in driver.said
        assert "2 of 3 settled" in driver.text
        await driver.press("r", "f")
        assert "river-01 by system-0 is ended, with 6 things that all agree about." in driver.said[0]
        assert "3 of 3 settled  1 of 1 ended" in driver.text
        await driver.press("u")
        assert "Undid: the end of river-01 by system-0, with all that was taken over" in driver.said
        assert "3 of 3 settled  0 of 1 ended" in driver.text
        await driver.press("r")
        assert "3 of 3 settled  1 of 1 ended" in driver.text
    with closing(open_library(disputed)) as connection:
        row = connection.execute("SELECT state, search, decided FROM reviews WHERE reviewer = ?", (HER,)).fetchone()
        assert row == ("done", "done", 5)


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """Three evaluations in which lin and okafor disagree about one finding, about none, and about two."""
    path = tmp_path / "several.db"
    long = "\n\n".join(f"Paragraph {number} of a long text." for number in range(80))
    texts = {"source": f"{long}\n\n{builders.SOURCE}", "translation": f"{long}\n\n{builders.TRANSLATION}"}
    ids = library(path, {"article": "law-01", **texts}, {"article": "law-02"}, {"article": "law-03"})
    with closing(open_library(path)) as connection:
        for number, evaluation in enumerate(ids):
            for name in ("lin", "okafor"):
                log = ReviewLog(connection, name)
                for place, finding in enumerate(findings_of(connection, evaluation)):
                    rejected = name == "okafor" and place < (1, 0, 2)[number]
                    log.decide(evaluation, finding, decision="not_an_error" if rejected else "agree")
                log.set_review(evaluation, state="done", search="done")
    return path


async def test_an_evaluation_is_stayed_at_until_it_is_ended(several: Path) -> None:
    async with opened(several, size=WIDE) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        await driver.press("1")
        assert "f ends law-01" in driver.said[0]
        await driver.press("f")
        assert "law-01 by system-0 is ended" in driver.said[0]
        # The next is one that they wholly agree about.
        assert "They agree about all" in driver.text
        assert "f ends law-02, with 6 things that all agree about" in driver.text
        await driver.press("space", "2", "2")
        assert "f ends law-03" in driver.said[0]
        assert "3 of 3 settled  1 of 3 ended" in driver.text
        await driver.press("F")
        assert "2 evaluations ended, with 10 things that all agree about. Everything here is settled" in driver.said[0]
        await driver.press("F")
        assert "No evaluation is settled" in driver.said[0]
        await driver.press("space")
        assert "Everything here is settled and ended." in driver.said
        await driver.press("u")
        assert "3 of 3 settled  2 of 3 ended" in driver.text


async def test_the_place_is_in_view_at_once(several: Path) -> None:
    async with opened(several, size=WIDE) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        screen = await driver.on(AdjudicationScreen)
        await driver.until(lambda: min(screen.texts.tops) > 0, "the place")
        assert "河水在冬天变浅" in driver.text


async def test_looking_writes_nothing(several: Path) -> None:
    before = dump(several)
    async with opened(several, size=SMALL) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        for _ in range(4):
            await driver.press("down")
        await driver.press("u", "r", "escape")
        await driver.on(QueueScreen)
        assert [row for row in driver.events if row["reviewer"].startswith("mei")] == []
    after = dump(several)
    assert {k: v for k, v in after.items() if k != "app_state"} == {k: v for k, v in before.items() if k != "app_state"}


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_rows_say_what_they_are_about(several: Path, size: tuple[int, int]) -> None:
    async with opened(several, size=size) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        for words in ("error 1      ✓✗", "error 2      ✓✗", "end", "law-01", "law-02", "law-03"):
            assert words in driver.text


async def test_there_is_nothing_to_settle(disputed: Path) -> None:
    with closing(open_library(disputed)) as connection:
        (case,) = read_docket(connection, "mei").cases
        ReviewLog(connection, "mei").open(case.evaluation)
    async with opened(disputed, size=(60, 20)) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        said = driver.app.screen.query_one("#judges", TextBlock)
        assert "1 evaluation waits for you" in said.text
        for key in ("1", "x", "o", "f", "F", "u", "r", "space"):
            await driver.press(key)
        await driver.press("escape")
        await driver.on(QueueScreen)


async def test_another_program_is_noticed(disputed: Path) -> None:
    async with opened(disputed, size=WIDE) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        with closing(open_library(disputed)) as connection:
            row = questions(connection)[0]
            (case,) = read_docket(connection, "mei").cases
            hand_of(connection).settle(case.evaluation, row.compared, row.compared.said["lin"])
        await driver.until(lambda: "1 of 3 settled" in driver.text)


async def test_a_key_is_one_persons_in_every_row(disputed: Path) -> None:
    with closing(open_library(disputed)) as connection:
        (case,) = read_docket(connection, "mei").cases
        for number in range(5):
            log = ReviewLog(connection, f"anna-{number}")
            log.decide(case.evaluation, case.disagreements[0].compared.subject, decision="unsure", note="perhaps")
            log.set_review(case.evaluation, state="done")
    async with opened(disputed, size=(240, 45)) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        assert "6  lin" in driver.text
        assert "7  okafor" in driver.text
        await driver.press("1")
        assert "anna-0 has no opinion on this" in driver.said
        await driver.press("6")
        assert "lin's word holds: agree." in driver.said[0]
        assert "6  lin" in driver.text


async def test_there_is_no_error_whatever_they_say(disputed: Path) -> None:
    async with opened(disputed, size=WIDE) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        await driver.press("x", "x")
        assert "This is no error; o decides otherwise" in driver.said
        await driver.press("1", "x")
        assert "3 of 3 settled" in driver.text
    with closing(open_library(disputed)) as connection:
        (case,) = read_docket(connection, "mei").cases
        work = read_work(connection, case.evaluation, HER)
        assert [verdict.decision for verdict in work.verdicts.values()] == ["not_an_error"]
        assert not work.errors


async def test_a_word_of_ones_own_is_given_in_the_review(disputed: Path) -> None:
    async with opened(disputed, size=SMALL) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        await driver.press("o")
        await driver.on(OwnVerdictScreen)
        assert "adjudicated layer" in driver.bar("#title")
        assert "lin\n✓ agree\nokafor\n✗ not an error\nnote  a fixed term" in driver.detail
        await driver.press("}", "f")
        assert isinstance(driver.app.screen, OwnVerdictScreen)
        assert driver.app.screen.place() == {}
        await driver.press("s", "2", "escape")
        await driver.on(AdjudicationScreen)
        assert "1 of 3 settled" in driver.text
    with closing(open_library(disputed)) as connection:
        assert connection.execute("SELECT reviewer, severity FROM verdicts WHERE decision = 'override'").fetchall() == [
            (HER, "critical")
        ]


async def test_a_missed_error_is_changed_once_a_word_was_taken(disputed: Path) -> None:
    async with opened(disputed, size=WIDE) as driver:
        await driver.on(QueueScreen)
        await driver.press("d")
        await driver.on(AdjudicationScreen)
        await driver.press("1", "1", "o")
        assert "Take the word that is nearest first" in driver.said[0]
        await driver.press("1", "up", "o")
        await driver.on(OwnVerdictScreen)
        assert "✎ accuracy · omission · critical" in driver.detail
        assert "✗ no error: searched, and marked nothing here" in driver.detail
        await driver.press("s", "1", "escape")
        await driver.on(AdjudicationScreen)
        assert "3 of 3 settled" in driver.text
    with closing(open_library(disputed)) as connection:
        (case,) = read_docket(connection, "mei").cases
        (error,) = read_work(connection, case.evaluation, HER).errors.values()
        assert error.severity == "major"


def test_saying_the_same_in_other_ways_is_agreeing() -> None:
    finding = builders.findings()[0]
    said = [
        Verdict("agree"),
        Verdict("override", severity="major"),
        Verdict("agree", note="!"),
        Verdict("agree", invented=True),
    ]
    works = {str(number): Work({"f": verdict}) for number, verdict in enumerate(said)}
    assert [each.agreed for each in compare({"f": finding}, works)] == [True]
    moved = [Verdict("reattribute", dimension="fluency"), Verdict("reattribute", "minor", None, "fluency")]
    assert compare({"f": finding}, {str(n): Work({"f": v}) for n, v in enumerate(moved)})[0].agreed
    for other in (Verdict("not_an_error"), Verdict("override", "critical"), Verdict("duplicate", duplicate_of="g")):
        assert not compare({"f": finding}, {"a": Work({"f": said[0]}), "b": Work({"f": other})})[0].agreed
    for nothing in (Verdict("unsure"), Verdict(note="?")):
        (each,) = compare({"f": finding}, {"a": Work({"f": said[0]}), "b": Work({"f": nothing})})
        assert list(each.opinions) == ["a"]
        assert list(each.said) == ["a", "b"], "a doubt is shown, and cannot be taken"


places = st.tuples(st.integers(0, 30), st.integers(1, 6)).map(lambda p: (Place("source", p[0], p[0] + p[1]),))
works = st.lists(places, max_size=5).map(
    lambda spans: {str(i): MarkedError(str(i), "accuracy", "omission", "major", s) for i, s in enumerate(spans)}
)


@given(st.lists(works, min_size=2, max_size=4))
def test_every_marked_error_is_in_one_group_with_one_of_each_reviewer(marked: list[dict[str, MarkedError]]) -> None:
    layers = {
        f"r{number}": Work(errors={f"{number}-{k}": MarkedError(f"{number}-{k}", e.dimension, e.category, e.severity, e.spans)
                                   for k, e in errors.items()}, search_done=True, points={1: PointVerdict("met")})
        for number, errors in enumerate(marked)
    }  # fmt: skip
    found = compare({}, layers)
    errors = [each for each in found if each.kind == "error"]
    ids = [identity for each in errors for identity in each.errors]
    assert sorted(ids) == sorted(itertools.chain.from_iterable(work.errors for work in layers.values()))
    for each in errors:
        assert set(each.said) == set(layers)
        assert each.agreed == all(saying is not None for saying in each.said.values())
    assert compare({}, dict(reversed(layers.items()))) == found or len(layers) > 2
