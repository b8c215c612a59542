"""The screens on which a benchmark is built: every key, hostile text, typing ahead, undo, what others must not see."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Paste
from textual.widgets import Input

from discox_tui.screens.benchmark.candidate import CandidateScreen, paragraph_at
from discox_tui.screens.benchmark.diff import ADDED, REMOVED, differences
from discox_tui.screens.benchmark.forms import DetailsForm, OneOf, ParagraphForm, PointForm
from discox_tui.screens.benchmark.screen import BuildScreen
from discox_tui.screens.benchmark.versions import VersionsScreen
from discox_tui.screens.common.dialogs import Ask
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.widgets.bars import TextBlock
from discox_tui.widgets.text_editor import TextEditor
from storage.base.text import storable
from storage.benchmark.candidates import Candidate, articles, candidate
from storage.benchmark.events import read_build_events
from storage.benchmark.log import BuildLog
from storage.benchmark.settings import seconds_spent
from storage.integrity.opening import open_library
from tests.support.building_candidates import CANDIDATES, DYKE, HOSTILE, build_library, judge
from tests.support.driving import MIDDLE, SMALL, WIDE, Driver, opened
from tests.support.nightly import by_day

KEPT = storable(HOSTILE)
"""The hostile text as a library keeps it: SQLite has no NUL."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    build_library(tmp_path / "a.db")
    return tmp_path / "a.db"


def stored(path: Path, key: str = "dyke", viewer: str = "mei") -> Candidate:
    with closing(open_library(path)) as connection:
        found = candidate(connection, key, viewer)
    assert found is not None
    return found


def source(path: Path, key: str = "dyke") -> str:
    with closing(open_library(path)) as connection:
        return articles(connection, [stored(path, key)])[key].source


def log(path: Path, person: str, act: Callable[[BuildLog], object]) -> None:
    with closing(open_library(path)) as connection:
        act(BuildLog(connection, person))


def stays(path: Path) -> None:
    """Let the filter keep ``dyke``: both systems fail two of its four points."""
    judge(path, {"owlet": {1, 2}, "heron": {1, 4}})


def outcome(screen: BuildScreen | CandidateScreen, key: str = "") -> str:
    """What the decisions on a candidate come to, as the screen knows it."""
    return screen.building.candidates[key or getattr(screen, "key", "")].outcome


async def build(driver: Driver) -> BuildScreen:
    await driver.press("b")
    return await driver.on(BuildScreen)


async def open_candidate(driver: Driver, key: str = "dyke", row: str = "") -> CandidateScreen:
    screen = await build(driver)
    screen.open(key)
    found = await driver.on(CandidateScreen)
    while row and found.row.key != row:
        before = found.row.key
        await driver.press("j")
        assert found.row.key != before, f"there is no {row}"
    return found


def detail(driver: Driver) -> str:
    return driver.app.screen.query_one("#detail", TextBlock).text


# --- the list -----------------------------------------------------------------------------------------------------


async def test_the_list_says_how_far_each_candidate_is(path: Path) -> None:
    log(path, "mei", lambda mei: mei.decide("slipway", "accept"))
    log(path, "mei", lambda mei: mei.decide("notice", "reject", "it is nothing"))
    judge(path, {"owlet": {1, 2}, "heron": {1, 2, 3}})
    async with opened(path) as driver:
        screen = await build(driver)
        await driver.until(lambda: not screen.building.unchecked(list(CANDIDATES)) and not screen.building.needs_twins)
        rows = {line.split()[0].strip("▸"): line for line in driver.lines[3:9] if line.strip("▸ ")}
        assert "✓ accepted" in driver.text
        assert "✗ rejected" in driver.text
        assert "✓ stays" in driver.text
        assert "1,633" in driver.text
        assert len(rows) == 6
        assert "1 accepted" in driver.bar("#progress")
        assert any(one.about == "twin" for one in screen.building.checked("grove").findings)  # type: ignore[union-attr]


async def test_filter_sort_and_reverse(path: Path) -> None:
    async with opened(path) as driver:
        screen = await build(driver)
        await driver.write("/文学 zh-en\r")
        assert list(screen.table.rows) == ["dyke"]
        await driver.press("escape")
        assert len(screen.table.rows) == 6
        await driver.press("o")
        assert list(screen.table.rows) == sorted(CANDIDATES)
        await driver.press("O")
        assert list(screen.table.rows) == sorted(CANDIDATES, reverse=True)
        for _ in range(9):
            await driver.press("o")
            assert set(screen.table.rows) == set(CANDIDATES)
        await driver.press("escape")
        await driver.on(QueueScreen)


async def test_quotas_stand_beside_or_take_turns(path: Path) -> None:
    from judges.benchmark.selection.selection import discox

    log(path, "mei", lambda mei: mei.set_quotas(discox(20)))
    log(path, "mei", lambda mei: mei.decide("dyke", "accept"))
    async with opened(path, size=SMALL) as driver:
        screen = await build(driver)
        assert not screen.has_class("-balance")
        await driver.press("b")
        text = screen.query_one("#balance", TextBlock).text
        assert "1 of 20 accepted" in text
        assert "to be looked for" in text
        await driver.press("b")
        assert screen.focused is screen.table


async def test_only_what_waits_for_me(path: Path) -> None:
    async with opened(path) as driver:
        await build(driver)
        await driver.press("m")
        assert any("Nothing waits for you" in said for said in driver.said)
    log(path, "ana", lambda ana: ana.assign({"dyke": ["mei"], "grove": ["ana"]}))
    async with opened(path) as driver:
        screen = await build(driver)
        await driver.press("m")
        assert list(screen.table.rows) == ["dyke"]


async def test_an_empty_library_says_what_to_do(tmp_path: Path) -> None:
    async with opened(tmp_path / "none.db") as driver:
        await build(driver)
        assert "discox build add" in driver.text


async def test_a_candidate_that_another_program_adds_shows(tmp_path: Path) -> None:
    build_library(tmp_path / "a.db", keys=("dyke",))
    async with opened(tmp_path / "a.db") as driver:
        screen = await build(driver)
        build_library(tmp_path / "a.db", keys=("grove",))
        await driver.until(lambda: len(screen.table.rows) == 2)


# --- points -------------------------------------------------------------------------------------------------------


async def test_all_places_of_a_term_are_lit_and_the_current_point_is_current(path: Path) -> None:
    async with opened(path) as driver:
        screen = await open_candidate(driver, row="point 0")
        spans = [span for span, mark in screen.texts.source.looks.spans("point 0")]
        assert [DYKE[start:end] for start, end in spans] == ["岁修"] * 6
        assert screen.texts.source.current == "point 0"
        assert "6× ¶1" in detail(driver)
        await driver.press("o", "o")
        assert driver.said == ["source, 2 of 6"]
        await driver.press("j", "k", "]", "[")
        assert screen.row.key == "point 0"


async def test_a_point_about_selected_words_typed_in_one_burst(path: Path) -> None:
    async with opened(path) as driver:
        screen = await open_candidate(driver)
        await driver.press("v", "right", "right", "right")
        await driver.write("eafter spring | 'a' x2\r")
        await driver.until(lambda: len(screen.candidate.version.points) == 5)
    point = stored(path).version.points[-1]
    assert (point.number, point.term, point.expected, point.forbidden) == (
        5,
        "开春以后",
        ("after spring", "'a' x2"),
        (),
    )
    assert point.text == "“开春以后”应译为“after spring”或“'a' x2”。"
    assert stored(path).outcome == "undecided"
    assert stored(path).version.note == "point 5 added: 开春以后"


async def test_a_point_by_hand_with_a_type_of_ones_own_words(path: Path) -> None:
    async with opened(path) as driver:
        await open_candidate(driver)
        await driver.press("e")
        form = await driver.on(PointForm)
        await driver.press("shift+tab", "4", "tab", "tab", "tab", "tab")
        assert form.focused is form.query_one("#text")
        await driver.write("“祠堂”应译为“ancestral hall”，此处不求文采。\r")
        await driver.on(CandidateScreen)
    point = stored(path).version.points[-1]
    assert (point.type, point.term, point.expected) == ("culture", "祠堂", ("ancestral hall",))
    assert point.text.endswith("此处不求文采。")


async def test_the_form_shows_what_judges_read_and_what_is_wrong(path: Path) -> None:
    async with opened(path) as driver:
        await open_candidate(driver, row="point 1")
        await driver.press("c")
        form = await driver.on(PointForm)
        preview = form.query_one("#preview", TextBlock)
        assert "“行洪道”应译为“floodway”" in preview.text
        assert "nothing is wrong" in preview.text
        form.query_one("#term", Input).value = "没有的词"
        await driver.until(lambda: "nowhere in the source" in preview.text)
        assert "The source does not have" in preview.text
        await driver.press("escape")
        assert isinstance(driver.app.screen, PointForm), "a change is not thrown away unasked"
        await driver.press("escape")
        await driver.on(CandidateScreen)
    assert len(stored(path).versions) == 1


async def test_an_empty_point_is_not_kept(path: Path) -> None:
    async with opened(path) as driver:
        await open_candidate(driver)
        await driver.press("e", "enter")
        assert "give a term" in driver.bar("#dialog-title")
        await driver.press("escape")
        await driver.on(CandidateScreen)


async def test_leaving_a_point_as_it_is_makes_no_version(path: Path) -> None:
    async with opened(path) as driver:
        for row in ("point 0", "point 1"):
            if not isinstance(driver.app.screen, CandidateScreen):
                await open_candidate(driver, row=row)
            await driver.press("enter")
            form = await driver.on(PointForm)
            form.query_one("#type", OneOf).focus()
            await driver.press("enter")
            await driver.on(CandidateScreen)
    assert len(stored(path).versions) == 1


async def test_removing_a_point_numbers_the_rest_and_undo_brings_it_back(path: Path) -> None:
    before = stored(path).version.points
    async with opened(path) as driver:
        screen = await open_candidate(driver, row="point 1")
        await driver.press("d")
        assert [(point.number, point.term) for point in screen.candidate.version.points] == [
            (1, "岁修"),
            (2, "民国二十年"),
            (3, "祠堂"),
        ]
        await driver.press("u")
        assert screen.candidate.version.points == before
        assert driver.said == ["Undid: another version, point 2 removed: 行洪道 (dyke)"]
        await driver.press("r")
        assert len(screen.candidate.version.points) == 3
    assert len(stored(path).versions) == 2


async def test_what_a_check_finds_is_called_all_right(path: Path) -> None:
    async with opened(path) as driver:
        screen = await open_candidate(driver, "hostile")
        while screen.row.kind != "finding":
            await driver.press("j")
        blocks = screen.row.open[0]
        assert blocks.message in detail(driver)
        await driver.write("ykept short, aaxx\r")
        await driver.until(lambda: blocks.id in screen.candidate.checked_off)
        assert screen.candidate.checked_off[blocks.id].why == "kept short, aaxx"
        assert outcome(screen) == "undecided"
        await driver.press("u")
        assert not screen.candidate.checked_off


async def test_the_lint_of_a_point_is_in_its_detail(path: Path) -> None:
    async with opened(path) as driver:
        screen = await open_candidate(driver, "notice", row="point 0")
        assert screen.row.open
        assert screen.row.open[0].mend in detail(driver)
        await driver.press("y")
        assert screen.row.open[0].message[:20] in driver.bar("#dialog-title")


# --- the text -----------------------------------------------------------------------------------------------------


async def test_a_paragraph_is_edited_and_the_rest_survives_to_the_code_point(path: Path) -> None:
    async with opened(path) as driver:
        screen = await open_candidate(driver, "hostile")
        await driver.press("t")
        form = await driver.on(ParagraphForm)
        assert form.editor.true_text == KEPT.split("\n")[0]
        await driver.press("right", "backspace")
        await driver.write("首a")
        await driver.press("tab")
        await driver.write("clearer axw\r")
        await driver.on(CandidateScreen)
        assert screen.candidate.version.note == "clearer axw"
    assert source(path, "hostile") == f"首a{KEPT[1:]}"


@by_day(1)
@pytest.mark.parametrize("number", [0, 1, 2])
async def test_every_paragraph_comes_out_of_the_editor_as_it_went_in(path: Path, number: int) -> None:
    async with opened(path, size=SMALL) as driver:
        screen = await open_candidate(driver, "hostile")
        start = sum(len(line) + 1 for line in KEPT.split("\n")[:number])
        screen.texts.source.start_selection(start)
        await driver.press("t")
        editor = (await driver.on(ParagraphForm)).editor
        assert not {"\x00", "\x1b", "\u202e", "\u2028", "\t"} & set(driver.text)
        await driver.press("end")
        await driver.write("!")
        await driver.press("enter")
        await driver.on(CandidateScreen)
        assert editor.true_text == f"{KEPT.split(chr(10))[number]}!"
    assert source(path, "hostile").replace("!", "") == KEPT


async def test_a_new_paragraph_and_pasted_lines(path: Path) -> None:
    async with opened(path) as driver:
        await open_candidate(driver)
        await driver.press("t")
        form = await driver.on(ParagraphForm)
        await driver.press("ctrl+n", "up")
        form.editor.post_message(Paste("one\r\ntwo\ttab"))
        await driver.until(lambda: "two" in form.editor.true_text)
        await driver.press("enter")
        await driver.on(CandidateScreen)
    assert source(path) == f"one\ntwo\ttab\n{DYKE}"


async def test_an_edit_is_not_thrown_away_by_one_escape(path: Path) -> None:
    async with opened(path) as driver:
        await open_candidate(driver)
        await driver.press("t", "q", "escape")
        assert "once more" in driver.bar("#dialog-title")
        await driver.press("w", "escape")
        assert isinstance(driver.app.screen, ParagraphForm)
        await driver.press("escape")
        await driver.on(CandidateScreen)
    assert len(stored(path).versions) == 1


@given(st.text(st.characters(exclude_characters="\n", exclude_categories=[]), max_size=40))
def test_stand_ins_turn_back(text: str) -> None:
    editor = TextEditor.__new__(TextEditor)
    editor._stand_ins, editor._originals = {}, {}
    coded = editor._coded(text)
    assert len(coded) == len(text)
    assert coded.translate(editor._originals) == text
    assert len(coded.splitlines()) <= 1


@given(st.text("ab\n\r ", max_size=30), st.integers(0, 30))
def test_a_paragraph_ends_at_lf_only(text: str, offset: int) -> None:
    start, end = paragraph_at(text, min(offset, len(text)))
    assert "\n" not in text[start:end]
    assert not start or text[start - 1] == "\n"
    assert end == len(text) or text[end] == "\n"


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_differences_show_what_is_different_and_nothing_else(before: str, after: str) -> None:
    shown = differences(before, after)
    assert bool(shown) == (before != after)
    lines = ["".join(text for text, _ in runs) for runs in shown]
    assert {line[2:] for line in lines if line.startswith(REMOVED)} <= set(before.split("\n"))
    assert {line[2:] for line in lines if line.startswith(ADDED)} <= set(after.split("\n"))


async def test_versions_are_listed_with_who_why_and_the_difference(path: Path) -> None:
    log(path, "ana", lambda ana: ana.revise("dyke", source=DYKE.replace("老周", "老赵"), note="he asked for it"))
    points = stored(path).version.points
    log(path, "mei", lambda mei: mei.revise("dyke", points=points[:2]))
    log(path, "mei", lambda mei: mei.undo())
    async with opened(path) as driver:
        await open_candidate(driver)
        await driver.press("V")
        screen = await driver.on(VersionsScreen)
        assert screen.table.current is not None
        assert screen.table.current.number == 2
        assert "he asked for it" in driver.text
        assert "老赵" in detail(driver)
        await driver.press("k")
        assert "taken back" in driver.text
        assert "− point 3" in detail(driver)
        await driver.press("j", "j")
        assert "how it came in" in detail(driver)
        await driver.press("V")
        await driver.on(CandidateScreen)


# --- systems ------------------------------------------------------------------------------------------------------


async def test_overruling_a_verdict_moves_the_filter_at_once_and_undo_moves_it_back(path: Path) -> None:
    ids = judge(path, {"owlet": {1, 2, 3}, "heron": {1}})
    async with opened(path) as driver:
        screen = await open_candidate(driver, row="point 1")
        assert "✗ easy" in driver.bar("#decision")
        assert "judge of owlet  ▿ failed  owlet on 行洪道" in detail(driver)
        assert "forbidden  “flood road”  not found" in detail(driver)
        await driver.press("n")
        assert "judge of heron  ✓ met" in detail(driver)
        await driver.press("f")
        assert "✓ stays" in driver.bar("#decision")
        assert driver.said == ["The filter says stays now, no longer easy."]
        assert screen.building.stage("dyke") == 3
        await driver.press("u")
        assert "✗ easy" in driver.bar("#decision")
        assert driver.said == ["Undid: your word on a rubric point (dyke)"]
        await driver.press("r")
        assert "✓ stays" in driver.bar("#decision")
        for key, word in (("m", "met"), ("s", "too strict")):
            await driver.press(key)
            assert f"you  {'✓' if key == 'm' else '⊘'} {word}" in detail(driver)
            assert "✗ easy" in driver.bar("#decision")
        await driver.press("backspace")
        assert "you  " not in detail(driver)
        assert driver.said == ["Your verdict on rubric point 2 is cleared. u brings it back."]
        await driver.press("backspace")
        assert "nothing to clear" in driver.said[0]
        assert {event["evaluation"] for event in driver.events if event["kind"] == "point"} == {ids[1]}


async def test_a_revised_candidate_says_that_it_is_not_judged_and_undo_shows_the_verdicts_again(path: Path) -> None:
    judge(path, {"owlet": {1, 2}, "heron": {1, 2}})
    async with opened(path) as driver:
        screen = await open_candidate(driver, row="point 0")
        assert screen.texts.arrangement is None
        await driver.press("d")
        assert "new text, not judged" in driver.bar("#decision")
        assert screen.texts.arrangement == "turns"
        await driver.press("n", "m")
        assert any("No translation" in said for said in driver.said)
        await driver.press("u")
        assert "✓ stays" in driver.bar("#decision")
        await driver.press("tab", "tab", "L", "escape")
        assert screen.focused is screen.table


async def test_nothing_of_the_judge_shows_where_it_is_hidden(path: Path) -> None:
    from storage.reviews.blinding import choose_blinding

    judge(path, {"owlet": {1, 2}, "heron": {1, 2}})
    with closing(open_library(path)) as connection:
        choose_blinding(connection, "mei", "first")
    async with opened(path) as driver:
        await build(driver)
        assert "hidden" in driver.text
        await driver.press("enter")
        await driver.on(CandidateScreen)
        assert "hidden from you" in detail(driver)
        assert "owlet" not in driver.text
        await driver.press("escape", "escape", "h")
        assert driver.app.session.blinding == "open"
        await open_candidate(driver)
        assert "owlet" in driver.text


# --- deciding -----------------------------------------------------------------------------------------------------


async def test_accept_reject_with_a_reason_and_take_it_back(path: Path) -> None:
    stays(path)
    async with opened(path) as driver:
        screen = await open_candidate(driver)
        await driver.press("a")
        assert outcome(screen) == "accepted"
        await driver.press("w")
        assert outcome(screen) == "undecided"
        await driver.press("w")
        assert any("nothing to take back" in said for said in driver.said)
        await driver.write("xa bad fit\r")
        await driver.until(lambda: outcome(screen) == "rejected")
        assert screen.candidate.decisions["mei"].reason == "a bad fit"
        await driver.press("u")
        assert outcome(screen) == "undecided"


async def test_a_rejection_needs_a_reason(path: Path) -> None:
    async with opened(path) as driver:
        screen = await open_candidate(driver)
        await driver.press("x")
        await driver.on(Ask)
        await driver.press("enter")
        assert any("say why" in said for said in driver.said)
        await driver.press("X")
        assert any("nothing to settle" in said for said in driver.said)
        assert isinstance(driver.app.screen, CandidateScreen)
        assert outcome(screen) == "undecided"


async def test_two_decide_without_seeing_each_other_and_a_difference_is_settled(path: Path) -> None:
    log(path, "ana", lambda ana: ana.assign({"dyke": ["ana", "mei"]}))
    log(path, "ana", lambda ana: ana.decide("dyke", "reject", "too easy by far"))
    stays(path)
    async with opened(path) as driver:
        screen = await open_candidate(driver)
        assert "too easy by far" not in driver.text
        assert "reject" not in driver.bar("#decision")
        assert "waits for you" in driver.bar("#decision")
        await driver.press("a")
        assert outcome(screen) == "differ"
        assert "too easy by far" in detail(driver)
        assert "settle it" in driver.bar("#decision")
        await driver.press("A")
        assert outcome(screen) == "accepted"
        await driver.write("Xit is too short\r")
        await driver.until(lambda: outcome(screen) == "rejected")
        assert "settled by mei" in detail(driver)


async def test_who_is_not_asked_is_told_so(path: Path) -> None:
    log(path, "ana", lambda ana: ana.assign({"dyke": ["ana"]}))
    async with opened(path) as driver:
        screen = await open_candidate(driver)
        await driver.press("a")
        assert any("ana decide on it, not mei" in said for said in driver.said)
        assert outcome(screen) == "undecided"


async def test_on_to_the_next_candidate_and_to_the_next_that_is_open(path: Path) -> None:
    log(path, "mei", lambda mei: mei.decide("slipway", "accept"))
    async with opened(path) as driver:
        screen = await open_candidate(driver)
        await driver.press("space")
        assert screen.key == "grove"
        await driver.press("left_curly_bracket")
        assert screen.key == "slipway"
        await driver.press("right_curly_bracket", "right_curly_bracket")
        assert screen.key == "notice"
        await driver.press("u")
        assert screen.key == "slipway", "what was undone comes into view"
        await driver.press("left_curly_bracket", "left_curly_bracket")
        assert driver.said == ["This is the first candidate."]


async def test_undo_and_redo_on_the_list(path: Path) -> None:
    async with opened(path) as driver:
        screen = await build(driver)
        await driver.press("u")
        assert driver.said == ["There is nothing left to undo."]
        log(path, "mei", lambda mei: mei.decide("grove", "accept"))
        await driver.press("u")
        assert screen.table.current == "grove"
        assert outcome(screen, "grove") == "undecided"
        await driver.press("r")
        assert outcome(screen, "grove") == "accepted"


# --- all of it ----------------------------------------------------------------------------------------------------


@by_day(8)
@pytest.mark.parametrize("size", [WIDE, MIDDLE, SMALL, (60, 20), (40, 12)])
@pytest.mark.parametrize("key", CANDIDATES)
async def test_every_candidate_shows_at_every_size(path: Path, size: tuple[int, int], key: str) -> None:
    async with opened(path, size=size) as driver:
        await open_candidate(driver, key)
        await driver.press("j", "j", "o", "V", "escape", "c", "escape", "t", "escape", "tab", "v", "right", "escape")
        assert not {"\x00", "\x1b", "\u202e", "\u2028", "\t"} & set(driver.text)
        await driver.pilot.resize_terminal(100, 30)
        await driver.pilot.pause()


async def test_time_is_kept_by_stage_and_person(path: Path) -> None:
    async with opened(path) as driver:
        await open_candidate(driver)
        clock = driver.app.stopwatch
        clock._clock = lambda: clock._last + 7.0
        await driver.press("j")
        await driver.press("escape")
        await driver.on(BuildScreen)
    with closing(open_library(path)) as connection:
        assert seconds_spent(connection)[1, "mei"] >= 7
        assert {event.candidate for event in read_build_events(connection, "kind = 'time'")} == {"dyke"}


async def test_it_opens_again_where_it_was_left(path: Path) -> None:
    async with opened(path) as driver:
        await open_candidate(driver, "grove")
        driver.app.remember_place()
    async with opened(path) as driver:
        screen = await driver.on(CandidateScreen)
        assert screen.key == "grove"
        await driver.press("escape")
        assert (await driver.on(BuildScreen)).table.current == "grove"
        await driver.press("escape")
        await driver.on(QueueScreen)


async def test_the_command_opens_the_app_on_the_list(path: Path) -> None:
    from discox_tui.app import DiscoxApp
    from discox_tui.config.paths import Settings

    with closing(open_library(path)) as connection:
        app = DiscoxApp(connection, "mei", Settings(theme="discox-dark"), building=True)
        async with app.run_test(size=WIDE) as pilot:
            await Driver(app, pilot).on(BuildScreen)


# --- searching, details -------------------------------------------------------------------------------------------


async def test_the_texts_are_searched(path: Path) -> None:
    judge(path, {"owlet": {1}, "heron": {1}})
    async with opened(path) as driver:
        screen = await open_candidate(driver)
        await driver.write("/ancestral")
        assert screen.texts.pane("translation").visible_lines
        await driver.until(lambda: "in the translation" in driver.text)
        await driver.press("escape")
        assert not screen.search.open
        assert screen.is_active
        await driver.write("/祠堂")
        await driver.until(lambda: "match 1 of" in driver.text)
        before = screen.texts.source.top_offset
        await driver.press("enter", "enter", "enter", "enter")
        assert screen.texts.source.top_offset >= before
        await driver.press("escape")
        await driver.write("/nowhere")
        await driver.until(lambda: "no match" in driver.text)


async def test_details_are_changed_and_a_finding_goes(path: Path) -> None:
    async with opened(path) as driver:
        screen = await open_candidate(driver, "hostile")
        assert [row.found[0].code for row in screen.table.rows if row.found and row.found[0].about == "details"] == [
            "domain"
        ]
        await driver.press("i")
        await driver.on(DetailsForm)
        await driver.write("文学艺术")
        await driver.press("escape")
        await driver.on(DetailsForm)
        await driver.press("enter")
        await driver.on(CandidateScreen)
        assert screen.candidate.domain == "文学艺术"
        assert not any(row.found and row.found[0].about == "details" for row in screen.table.rows)
        await driver.press("u")
        assert screen.candidate.domain == ""
        await driver.press("i")
        form = await driver.on(DetailsForm)
        form.query_one("#direction", Input).value = "ZH → DE"
        await driver.press("enter")
        await driver.on(CandidateScreen)
        assert screen.candidate.direction == "zh-de"


async def test_the_quota_is_in_view_where_one_decides(path: Path) -> None:
    from judges.benchmark.selection.selection import Quota

    log(path, "mei", lambda mei: mei.set_quotas([Quota(3, "zh-en"), Quota(2, "zh-en", "文学艺术")]))
    stays(path)
    async with opened(path) as driver:
        await open_candidate(driver)
        assert "zh→en · 文学艺术  0 of 2 accepted, 1 open" in detail(driver)
        assert "1 to be looked for" in detail(driver)
        await driver.press("a")
        assert "1 of 2 accepted, 0 open" in detail(driver)
    async with opened(path) as driver:
        await open_candidate(driver, "slipway")
        assert "none asks for such a candidate" in detail(driver)


# --- conditions of the stages ---


async def test_what_keeps_a_candidate_out_is_shown_where_one_decides_and_asks_why(path: Path) -> None:
    async with opened(path) as driver:
        screen = await open_candidate(driver, "notice")
        assert "conditions not met" in driver.bar("#decision")
        await driver.press("a")
        ask = await driver.on(Ask)
        about = ask.query_one("#about", TextBlock).text
        assert "It was never filtered" in about
        assert "1,500 are asked for" in about, "the finding that blocks is in view"
        await driver.write("\r")
        assert driver.app.screen is ask, "a reason is wanted"
        assert "say why" in driver.bar("#dialog-title")
        await driver.press("escape")
        await driver.on(CandidateScreen)
        assert outcome(screen) == "undecided"
        await driver.press("a")
        await driver.on(Ask)
        await driver.write("a specimen of bad notices\r")
        await driver.until(lambda: outcome(screen) == "accepted")
        assert "without the filter and mending" in detail(driver)
        assert "a specimen of bad notices" in detail(driver)
        assert any("You accept it without the filter" in said for said in driver.said)
        await driver.press("escape")
        await driver.on(BuildScreen)
        assert "1 of them without a condition" in driver.bar("#progress")
        screen.building.refresh()
    said = stored(path, "notice").decisions["mei"]
    assert (said.decision, said.without[0], said.reason) == ("accept", "filter", "a specimen of bad notices")
    assert "length" in said.without


async def test_an_acceptance_by_settling_asks_as_well(path: Path) -> None:
    log(path, "ana", lambda ana: ana.assign({"dyke": ["ana", "ben"]}))
    log(path, "ana", lambda ana: ana.decide("dyke", "reject", "dull"))
    log(path, "ben", lambda ben: ben.decide("dyke", "accept", "fine", without=["filter"]))
    async with opened(path) as driver:
        screen = await open_candidate(driver)
        await driver.press("A")
        await driver.on(Ask)
        await driver.write("we need it\r")
        await driver.until(lambda: outcome(screen) == "accepted")
    assert stored(path).settled is not None
    assert stored(path).settled.without == ("filter",)


async def test_a_rejected_twin_no_longer_stands_in_the_way_on_the_screen(path: Path) -> None:
    async with opened(path) as driver:
        screen = await open_candidate(driver, "grove")
        await driver.until(lambda: not screen.building.needs_twins)

        def twins() -> list[str]:
            checked = screen.building.checked("grove")
            return [one.code for one in checked.findings if one.about == "twin"] if checked else []

        assert twins() == ["near_duplicate"]
        screen.building.reject("letter", "the same as grove")
        assert not twins()
        screen.building.undo()
        assert twins() == ["near_duplicate"]


async def test_the_filter_says_its_rule_and_judge_and_which_text_is_no_translation(path: Path) -> None:
    judge(path, {"owlet": {1, 2}, "heron": {1, 2}}, refused=["heron"])
    async with opened(path, size=WIDE) as driver:
        await build(driver)
        assert "every system fails 2 points at least; rubric judge" in driver.bar("#rule")
        screen = await open_candidate(driver)
        assert "heron  no translation; by that alone it fails 4 of 4" in detail(driver)
        assert "nothing shows whether the article is hard" in detail(driver)
        assert "heron none" in driver.bar("#decision")
        assert screen.difficulty is not None


async def test_a_type_is_proposed_for_a_point_without_one(path: Path) -> None:
    async with opened(path, size=WIDE) as driver:
        screen = await open_candidate(driver, "notice", row="point 1")
        assert screen.row.point is not None
        assert screen.row.point.type is None
        assert "By its form it is" in detail(driver)
        await driver.press("c")
        form = await driver.on(PointForm)
        assert "by its form it is" in form.query_one("#preview", TextBlock).text
