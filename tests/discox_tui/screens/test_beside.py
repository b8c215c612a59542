"""The screens beside a review: de-duplication, rubric points, the instruction check, how the score comes about."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from discox_tui.screens.common.dialogs import Ask, Choose
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.deduplication import DeduplicationScreen
from discox_tui.screens.review.instruction import InstructionCheck
from discox_tui.screens.review.list_screen import HIDDEN
from discox_tui.screens.review.rubric import RubricScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.screens.review.waterfall import Line, WaterfallScreen
from discox_tui.widgets.bars import TextBlock
from judges.model import DIMENSIONS, LEVELS, Finding, Place, Score
from storage.integrity.opening import open_library
from storage.reviews.blinding import choose_blinding
from tests.discox_tui.screens.test_hostile import HOSTILE, assert_harmless, make, shown
from tests.support import builders
from tests.support.driving import MIDDLE, SMALL, WIDE, Driver, library, opened
from tests.support.nightly import by_day

HEAVY = "73044a12051082cf8e16"
"""hydrology-03 by heron-14b: findings 2 and 8 dropped, each by a line of advice; six of nine points met."""
FAILED = "9eccc5c3556583956c0f"
"""news-04 by sparrow-3b: the instruction check failed."""
BESIDE = {"D": DeduplicationScreen, "P": RubricScreen, "W": WaterfallScreen}


def row_of(screen: DeduplicationScreen, number: int) -> int:
    return next(i for i, row in enumerate(screen.list.rows) if row.stored and row.stored.number == number)


def steps(driver: Driver, side: str) -> Score:
    """What the steps on screen come to."""
    screen = driver.app.screen
    assert isinstance(screen, WaterfallScreen)
    weights = driver.app.session.weights
    left, lost = dict(weights.maxima), dict.fromkeys(DIMENSIONS, 0)
    for line in screen.list.rows:
        move = getattr(line.step, side) if line.step else None
        if move is not None:
            left[line.dimension] -= move.counted
            lost[line.dimension] += move.points - move.counted
            assert move.left == left[line.dimension]
    return Score(*(left[d] for d in DIMENSIONS), tuple(lost[d] for d in DIMENSIONS))  # type: ignore[arg-type]


# --- all of them ---


@by_day(1)
@pytest.mark.parametrize("key", BESIDE)
async def test_the_key_that_opens_a_screen_closes_it_and_so_does_escape(sample: Path, key: str) -> None:
    async with opened(sample, start=HEAVY) as driver:
        review = await driver.on(ReviewScreen)
        await driver.press("]", "]")
        at = driver.number
        for close in (key, "escape"):
            await driver.press(key)
            await driver.on(BESIDE[key])
            await driver.press(close)
            assert await driver.on(ReviewScreen) is review
            assert driver.number == at


@by_day(3)
@pytest.mark.parametrize("size", [WIDE, SMALL])
@pytest.mark.parametrize("key", BESIDE)
async def test_what_is_hidden_is_hidden_here_too(sample: Path, key: str, size: tuple[int, int]) -> None:
    with closing(open_library(sample)) as connection:
        choose_blinding(connection, "mei", "first")
    async with opened(sample, start=HEAVY, size=size) as driver:
        await driver.on(ReviewScreen)
        driver.app.session.mark((Place("source", 0, 5),), "accuracy", "omission", "major")
        before = driver.events
        await driver.press(key)
        screen = await driver.on(BESIDE[key])
        assert HIDDEN in screen.query_one("#detail", TextBlock).text
        assert screen.list.rows == []
        assert "34" not in driver.text
        assert "met" not in driver.bar("#title")
        await driver.press("a", "b", "v", "enter", "n", "o", "space")
        assert driver.events == before
        await driver.press("escape", "I")
        await driver.on(ReviewScreen)
        assert "hidden" in driver.said[0]


@by_day(1)
@pytest.mark.parametrize("key", BESIDE)
async def test_an_act_elsewhere_is_undone_where_it_was(sample: Path, key: str) -> None:
    async with opened(sample, start=HEAVY) as driver:
        await driver.on(ReviewScreen)
        await driver.press("a")
        await driver.press("escape")
        queue = await driver.on(QueueScreen)
        queue.table.move_cursor(next(i for i in range(12) if driver.app.session.queue[i].id != HEAVY))
        await driver.press("enter")
        await driver.on(ReviewScreen)
        await driver.press(key)
        await driver.on(BESIDE[key])
        await driver.press("u")
        review = await driver.on(ReviewScreen)
        assert review.evaluation.id == HEAVY
        assert "Undid" in driver.said[0]


@by_day(3)
@pytest.mark.parametrize("size", [SMALL, WIDE])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
async def test_hostile_text_is_shown_literally(tmp_path: Path, text: str, size: tuple[int, int]) -> None:
    make(tmp_path / "a.db", text)
    async with opened(tmp_path / "a.db", size=size) as driver:
        await driver.review()
        for key, kind in BESIDE.items():
            await driver.press(key)
            screen = await driver.on(kind)
            assert_harmless(driver, size[0])
            assert shown(text) in driver.lines[0]
            for _ in screen.list.rows:
                await driver.press("]")
                assert_harmless(driver, size[0])
            await driver.press("escape")
            await driver.on(ReviewScreen)
        await driver.press("I")
        await driver.on(InstructionCheck)
        assert_harmless(driver, size[0])


# --- de-duplication ---


async def test_what_was_dropped_stands_beneath_the_advice_that_dropped_it(sample: Path) -> None:
    async with opened(sample, start=HEAVY) as driver:
        await driver.on(ReviewScreen)
        await driver.press("D")
        screen = await driver.on(DeduplicationScreen)
        rows = [(row.heading, row.stored and row.stored.number) for row in screen.list.rows]
        assert rows[:4] == [(0, None), (0, 2), (1, None), (1, 8)]
        assert len([number for _, number in rows if number]) == 16
        assert "16 found → 2 dropped → 14 stand" in driver.bar("#title")
        assert "carried out" in driver.text
        await driver.press("home")
        whole = screen.query_one("#detail", TextBlock)
        assert "应删除" in whole.text
        await driver.press("down")
        assert "advice" in whole.text
        assert "for" in whole.text


async def test_dropped_findings_are_agreed_with_or_restored_and_others_called_duplicates(sample: Path) -> None:
    async with opened(sample, start=HEAVY) as driver:
        await driver.on(ReviewScreen)
        await driver.press("D")
        screen = await driver.on(DeduplicationScreen)
        screen.select(row_of(screen, 2))
        await driver.press("a")
        assert driver.verdict(2).decision == "agree"
        assert screen.list.current is not None
        assert screen.list.current.stored is not None
        assert screen.list.current.stored.number == 8  # on to the next
        before = driver.app.session.human
        await driver.press("b")
        assert driver.verdict(8).decision == "restore"
        assert before is not None
        assert driver.app.session.human is not None
        assert driver.app.session.human.total == before.total - 5
        assert f"you    {driver.app.session.human.total}" in driver.bar("#score")
        assert "15 by you" in driver.bar("#title")

        screen.select(row_of(screen, 4))
        await driver.press("a")
        assert "stands" in driver.said[0]
        assert driver.verdict(4).decision is None
        await driver.press("=")
        choose = await driver.on(Choose)
        choose.choose(choose.choices[0].value)
        await driver.on(DeduplicationScreen)
        assert driver.verdict(4).decision == "duplicate"
        assert "duplicate of 1" in driver.text
        screen.select(row_of(screen, 2))
        await driver.press("=")
        assert "bring it back" in driver.said[0]
        await driver.press("n")
        (await driver.on(Ask)).query_one(Input).value = "同一处"
        await driver.press("enter")
        await driver.on(DeduplicationScreen)
        assert driver.verdict(2).note == "同一处"

        await driver.press("u", "u")
        assert driver.verdict(4).decision is None
        await driver.press("r")
        assert driver.verdict(4).decision == "duplicate"
        screen.select(row_of(screen, 8))
        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert driver.number == 8


async def test_advice_that_was_not_carried_out_says_why(tmp_path: Path) -> None:
    from judges.metric_s.reading.deduplication import apply
    from judges.metric_s.scoring import judge_deduction, score
    from judges.model import Advice, Article, Judgement
    from storage.db.connection import transaction
    from storage.record.library import FromFile, add_evaluation, add_translation

    found = [replace(f, kept=True, duplicate_of=None) for f in builders.findings()]
    advice = [
        Advice("drop the point", (("rubric", 1),)),
        Advice("drop what is not", (("fluency", 9),), (("accuracy", 1),)),
        Advice("well done"),
    ]
    after, read, flags = apply(found, advice, ())
    identity = library(tmp_path / "a.db", {})[0]
    with closing(open_library(tmp_path / "a.db")) as connection, transaction(connection):
        connection.execute("PRAGMA defer_foreign_keys = ON")
        points = score(cost for f in after if (cost := judge_deduction(f)))
        translation = add_translation(connection, Article("x", builders.SOURCE, "zh-en"), "tern", builders.TRANSLATION)
        judgement = Judgement("scored", points, (), after, (), read, "the whole answer", "", flags)
        identity = add_evaluation(
            connection, translation, "osprey", judgement, FromFile(1, 1), raw="other", flags=flags
        )
    async with opened(tmp_path / "a.db", start=identity) as driver:
        await driver.on(ReviewScreen)
        await driver.press("D", "home")
        screen = await driver.on(DeduplicationScreen)
        whole = screen.query_one("#detail", TextBlock)
        for words in (
            ("refused", "drop the point"),
            ("no such finding", "fluency finding 9"),
            ("names nothing", "well done"),
        ):
            assert all(word in whole.text for word in words), whole.text
            await driver.press("down")
        assert "the whole answer" in whole.text


async def test_without_findings_there_is_nothing_to_duplicate(tmp_path: Path) -> None:
    library(tmp_path / "a.db", {"found": (), "state": "score_only", "stored_score": (70, None, None, None)})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        await driver.press("D")
        screen = await driver.on(DeduplicationScreen)
        assert "named no errors" in screen.query_one("#detail", TextBlock).text
        await driver.press("a", "b", "enter")
        assert [event for event in driver.events if event["kind"] == "verdict"] == []


# --- rubric points ---


@by_day(1)
@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_point_is_decided_whether_the_judge_called_it_met_or_violated(
    sample: Path, size: tuple[int, int]
) -> None:
    async with opened(sample, start=HEAVY, size=size) as driver:
        await driver.on(ReviewScreen)
        await driver.press("P")
        screen = await driver.on(RubricScreen)
        session = driver.app.session
        assert "the judge calls 6 of 9 met" in driver.bar("#title")
        screen.select(0)
        before = session.human
        await driver.press("v")
        assert session.point_decision(1) == "violated"
        assert driver.events[-1]["kind"] == "point"
        assert before is not None
        assert session.human is not None
        assert session.human.total == before.total - 5
        assert screen.list.cursor == 1
        await driver.press("m", "s")
        assert (session.point_decision(2), session.point_decision(3)) == ("met", "too_strict")
        await driver.press("m")  # the fourth is a finding of the judge's
        assert driver.events[-1]["kind"] == "verdict"
        assert driver.verdict(9).decision == "not_an_error"
        await driver.press("u")
        assert screen.list.cursor == 3
        assert driver.verdict(9).decision is None
        await driver.press("u")
        assert screen.list.cursor == 2
        assert session.point_decision(3) is None
        await driver.press("space")
        assert screen.list.cursor == 3

        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert driver.number == 9


@by_day(1)
@pytest.mark.parametrize("size", [WIDE, MIDDLE, SMALL])
async def test_the_rubric_opens_where_the_terms_of_its_point_are(sample: Path, size: tuple[int, int]) -> None:
    async with opened(sample, start=HEAVY, size=size) as driver:
        review = await driver.on(ReviewScreen)
        review.controller.select_subject(review.evaluation.findings[8].id)
        await driver.press("P")
        screen = await driver.on(RubricScreen)
        assert screen.list.cursor == 3

        def seen() -> bool:
            for pane in (screen.texts.source, screen.texts.translation):
                spans = [span for span, _ in pane.looks.spans("point")]
                if pane.size and spans and pane.page.lines_of(*spans[0])[0] not in pane.visible_lines:
                    return False
            return True

        await driver.until(seen)
        assert any(pane.scroll_offset.y for pane in (screen.texts.source, screen.texts.translation))


async def test_what_is_no_translation_takes_everything_and_says_so(sample: Path) -> None:
    async with opened(sample, start=HEAVY) as driver:
        await driver.on(ReviewScreen)
        await driver.press("a", "I", "2")
        await driver.on(ReviewScreen)
        assert "you say that it is no translation of the whole text: 0 by rule" in driver.bar("#score")
        await driver.press("W")
        await driver.on(WaterfallScreen)
        assert "✗ overturned" in driver.text
        assert "✓ agree" not in driver.text, "it changes nothing"


async def test_a_point_has_a_note_once_something_was_said_of_it(sample: Path) -> None:
    async with opened(sample, start=HEAVY) as driver:
        await driver.on(ReviewScreen)
        await driver.press("P")
        screen = await driver.on(RubricScreen)
        screen.select(0)
        await driver.press("n")
        assert "First say" in driver.said[0]
        await driver.press("s", "[", "n")
        (await driver.on(Ask)).query_one(Input).value = "two readings"
        await driver.press("enter")
        await driver.on(RubricScreen)
        assert driver.app.session.point_note(1) == "two readings"
        assert "two readings" in screen.query_one("#detail", TextBlock).text
        assert driver.app.session.point_decision(1) == "too_strict"
        await driver.press("u")
        assert driver.app.session.point_note(1) is None


@by_day(1)
@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_the_terms_of_a_point_are_lit_gone_to_and_left_again(sample: Path, size: tuple[int, int]) -> None:
    async with opened(sample, start=HEAVY, size=size) as driver:
        await driver.on(ReviewScreen)
        await driver.press("P")
        screen = await driver.on(RubricScreen)
        screen.select(0)
        texts = {side: screen.evaluation.text(side) for side in ("source", "translation")}  # type: ignore[arg-type]
        lit = {side: list(screen.texts.pane(side).looks.spans("point")) for side in texts}  # type: ignore[arg-type]
        words = {side: {texts[side][slice(*span)] for span, _ in spans} for side, spans in lit.items()}
        assert words == {"source": {"Braided River", "Braided rivers"}, "translation": {"辫状河"}}
        assert len(lit["translation"]) == 3
        await driver.press("o")
        assert "source, 1 of 2" in driver.said[0]
        await driver.press("o", "o", "o")
        assert "translation, 2 of 3: recommended" in driver.said[0]
        assert screen.texts.front == "translation"
        await driver.press("tab")
        assert screen.focused is not screen.list
        await driver.press("escape")
        assert screen.focused is screen.list
        assert await driver.on(RubricScreen) is screen
        await driver.press("]")
        assert "losing reach" in screen.query_one("#detail", TextBlock).text
        assert "不可译为" in screen.query_one("#detail", TextBlock).text


async def test_points_that_the_judge_did_not_speak_of_can_be_decided_too(sample: Path) -> None:
    async with opened(sample, start=FAILED) as driver:
        await driver.on(ReviewScreen)
        await driver.press("P")
        await driver.on(RubricScreen)
        assert driver.text.count("not said") >= 9
        await driver.press("m")
        assert driver.app.session.point_decision(1) == "met"


async def test_without_points_it_says_so(tmp_path: Path) -> None:
    from judges.model import Article, Judgement
    from storage.db.connection import transaction
    from storage.record.library import FromFile, add_evaluation, add_translation

    library(tmp_path / "a.db", {})
    with closing(open_library(tmp_path / "a.db")) as connection, transaction(connection):
        connection.execute("PRAGMA defer_foreign_keys = ON")
        translation = add_translation(connection, Article("x", builders.SOURCE, "zh-en"), "tern", None)
        judgement = Judgement("no_translation", None)
        identity = add_evaluation(connection, translation, "osprey", judgement, FromFile(1, 1), raw="none")
    async with opened(tmp_path / "a.db", start=identity) as driver:
        await driver.on(ReviewScreen)
        await driver.press("P")
        screen = await driver.on(RubricScreen)
        assert "no rubric points" in screen.query_one("#detail", TextBlock).text
        await driver.press("m", "o", "n", "space", "enter", "escape", "W")
        waterfall = await driver.on(WaterfallScreen)
        assert "gave no translation" in waterfall.query_one("#detail", TextBlock).text
        await driver.press("escape", "I")
        await driver.on(ReviewScreen)
        assert "none to check" in driver.said[0]


# --- the instruction check ---


@by_day(1)
@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_the_instruction_check_is_agreed_with_or_overturned(sample: Path, size: tuple[int, int]) -> None:
    async with opened(sample, start=FAILED, size=size) as driver:
        await driver.on(ReviewScreen)
        assert "I shows why" in driver.detail
        await driver.press("I")
        check = await driver.on(InstructionCheck)
        assert "指令检查" in check.query_one(TextBlock).text
        await driver.press("1")
        await driver.on(ReviewScreen)
        assert driver.app.session.work.instruction == "agree"
        assert driver.app.session.human == Score(0, 0, 0)
        await driver.press("W")
        await driver.on(WaterfallScreen)
        assert steps(driver, "human") == steps(driver, "judge") == Score(0, 0, 0)
        await driver.press("escape", "I", "2")
        await driver.on(ReviewScreen)
        assert driver.app.session.work.instruction == "overturn"
        assert driver.app.session.human is None
        assert "you overturned" in driver.bar("#score")
        driver.app.session.mark((Place("source", 0, 5),), "accuracy", "omission", "critical")
        driver.app.session.set_search(True)
        await driver.press("W")
        await driver.on(WaterfallScreen)
        assert steps(driver, "human") == Score(50, 20, 20)
        await driver.press("escape", "I", "3")
        await driver.on(ReviewScreen)
        assert driver.app.session.work.instruction is None
        await driver.press("I", "escape")
        assert driver.app.session.work.instruction is None


# --- how the score comes about ---


async def test_the_steps_come_to_the_scores_and_follow_what_was_said(sample: Path) -> None:
    async with opened(sample, start=HEAVY) as driver:
        await driver.on(ReviewScreen)
        await driver.press("a", "a", "x", "s", "1", "d", "2")  # the second is a dropped one
        session = driver.app.session
        session.set_point(1, "violated")
        own = session.mark((Place("source", 0, 5),), "fluency", "grammar", "minor")
        session.set_repeat(session.mark((Place("source", 9, 15),), "fluency", "grammar", "minor"), own)
        await driver.press("W")
        screen = await driver.on(WaterfallScreen)
        assert steps(driver, "human") == session.human
        assert session.evaluation is not None
        assert steps(driver, "judge") == session.evaluation.score
        assert "agree 0" in driver.text
        assert "no error +10" in driver.text
        assert "to fluency +5" in driver.text
        assert "from accuracy −2" in driver.text
        assert "violated, you say −5" in driver.text
        assert "yours −2" in driver.text
        assert "counts with +1 0" in driver.text

        index = next(
            i
            for i, row in enumerate(screen.list.rows)
            if row.step and screen.subject(row) == session.evaluation.findings[2].id
        )
        screen.select(index)
        assert "makes your total +10" in screen.query_one("#detail", TextBlock).text
        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert driver.number == 3
        await driver.press("W", "u")
        await driver.on(WaterfallScreen)
        assert steps(driver, "human") == session.human
        assert "counts with +1" not in driver.text


async def test_a_floor_is_named_where_it_swallows(tmp_path: Path) -> None:
    found = tuple(
        Finding("accuracy", i, "", severity=level) for i, level in enumerate(reversed(LEVELS["accuracy"] * 2), 1)
    )
    library(tmp_path / "a.db", {"found": found})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        await driver.press("x", "W")  # −50 −10 −5 −50 −10 −5
        screen = await driver.on(WaterfallScreen)
        assert "−0 of 5" in driver.text
        assert "−45 of 50" in driver.text
        assert steps(driver, "human") == driver.app.session.human
        whole = screen.query_one("#detail", TextBlock)
        screen.select(
            next(i for i, row in enumerate(screen.list.rows) if row.step and row.step.judge and row.step.human)
        )
        assert "changes nothing in your total: a floor swallows it" in whole.text
        screen.select(4)
        assert "of −50 only 45 count" in whole.text
        assert "the floor swallows the rest" in whole.text


@by_day(1)
@pytest.mark.parametrize(
    ("state", "words"),
    [("score_only", "no steps"), ("judge_failed", "gave nothing usable"), ("no_translation", "gave no translation")],
)
async def test_without_a_score_it_says_why(tmp_path: Path, state: str, words: str) -> None:
    found = builders.findings() if state == "judge_failed" else ()
    translation = None if state == "no_translation" else builders.TRANSLATION
    library(tmp_path / "a.db", {"state": state, "found": found, "translation": translation})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        await driver.press("W")
        screen = await driver.on(WaterfallScreen)
        assert words in screen.query_one("#detail", TextBlock).text
        if state == "no_translation":
            return
        await driver.press("escape")
        driver.app.session.mark((Place("source", 0, 2),), "accuracy", "omission", "critical")
        driver.app.session.set_search(True)
        await driver.press("W")
        screen = await driver.on(WaterfallScreen)
        left = Score(30, 18, 15) if found else Score(50, 20, 20)
        assert steps(driver, "human") == driver.app.session.human == left
        assert [line for line in screen.list.rows if isinstance(line, Line) and line.step and line.step.judge] == []
