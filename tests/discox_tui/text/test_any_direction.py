"""Nothing assumes Chinese and English: any number of directions, and texts in any script."""

from __future__ import annotations

import io
import json
import re
import unicodedata
import zipfile
from contextlib import closing
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult

from discox_tui.cli.parser import run
from discox_tui.core.themes import VARIABLES, install
from discox_tui.screens.common.dialogs import Ask
from discox_tui.text.bidi import EDGE, LEFT_TO_RIGHT, held
from discox_tui.text.safe import display
from discox_tui.text.segments import cluster, word
from discox_tui.text.wrapping import Typeset
from discox_tui.widgets.paired_texts import PairedTexts
from judges.grounding.alignment import sentences
from judges.grounding.quotes import plain, quotes
from judges.meta_eval.pairwise import DIRECTIONS, averaged_directions, pairwise
from judges.meta_eval.score_table import ScoreRow
from judges.model import Finding
from storage.formats.own.dataset import direction_of
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import findings_of
from tests.support.bidi import moved
from tests.support.driving import SMALL, WIDE, library, opened
from tests.support.nightly import by_day


def rows(*directions: str) -> list[ScoreRow]:
    """Two systems in two articles of each direction: the metric is right of the first article only."""
    found = []
    for direction in directions:
        for article, metric in (("a1", (1.0, 2.0)), ("a2", (2.0, 1.0))):
            for system, human, by_metric in zip("AB", (1.0, 3.0), metric, strict=True):
                found.append(ScoreRow("ana", system, article, direction, human, True))
                found.append(ScoreRow("m", system, article, direction, by_metric, False))
    return found


@pytest.mark.parametrize("directions", [("de-en",), ("de-fr", "he-en"), ("ar-en", "ja-ko", "zh-en"), ("",)])
def test_the_mean_is_over_both_levels_of_the_directions_there_are(directions: tuple[str, ...]) -> None:
    report = pairwise(rows(*directions), 50)
    assert report.averaged == tuple(sorted(directions))
    # System: the metric's means are tied, the humans' not: 0 of 1. Segment: 1 of 2.
    figure = report.averages["m"]["acc_eq"]
    assert (figure.value, figure.n) == (pytest.approx(0.25), 3 * len(directions))
    assert report.averages["m"]["c_index"].value == pytest.approx(0.5)
    assert figure.interval is not None
    assert figure.interval.ends is None  # of two articles


def test_the_paper_s_mean_stays_that_of_its_four_cells() -> None:
    assert averaged_directions([*DIRECTIONS, "de-en"]) == averaged_directions(["zh-en"]) == DIRECTIONS
    assert pairwise(rows("zh-en"), 50).averages["m"]["acc_eq"].value is None
    assert pairwise(rows(*DIRECTIONS, "de-en"), 50).averages["m"]["acc_eq"].n == 6


SCRIPTS = {
    "ar": "قال المدير: «العـقدُ ينتهي اليوم»! هل وصلت الرسالة؟ نعم، في 12 مارس 2024 (10:30). لم يرد أحد.",
    "he": "שָׁלוֹם עולם. החוזה ABC-12 נגמר היום, ולא ב־5 במאי.",
    "fa": "او می‌خواهد کتاب‌ها را بخواند.",
    "marked": "זה סוף.\u200f \u200fועוד אחר׃ ״סוף.\u200f״\u200f \u200f״האם?\u061c כן.",
    "th": "สัญญานี้สิ้นสุดในวันนี้และไม่มีการต่ออายุโดยอัตโนมัติตามที่ตกลงกันไว้",
    "hi": "अनुबंध आज समाप्त होता है। क्या आप सहमत हैं? क्षत्रिय स्त्री",
    "ja": "契約は本日で終了します。異議はありますか？",
    "ko": "계약은 오늘 종료됩니다. 동의하십니까?",
}


@pytest.mark.parametrize(
    ("language", "sentences_there"),
    [
        ("ar", ["!", "؟", ").", "."]),
        ("he", ["עולם.", "במאי."]),
        ("hi", ["है।", "हैं?", "स्त्री"]),
        ("marked", ["סוף.\u200f", "אחר׃", "סוף.\u200f״\u200f", "?\u061c", "כן."]),
        ("ko", ["다.", "까?"]),
    ],
)
def test_sentences_end_as_their_scripts_end_them(language: str, sentences_there: list[str]) -> None:
    text = SCRIPTS[language]
    found = sentences(text, 0, len(text))
    assert len(found) == len(sentences_there)
    for sentence, end in zip(found, sentences_there, strict=True):
        assert text[sentence.start : sentence.end].endswith(end)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("חיילי צה\"ל בארה״ב וג'ירפה", ["חיילי", 'צה"ל', "בארה״ב", "וג'ירפה"]),
        ("قيمة ٤٫٥ و٣٬٥٠٠ العـقدُ", ["قيمة", "٤٫٥", "و٣٬٥٠٠", "العـقدُ"]),
        ("او می‌خواهد", ["او", "می‌خواهد"]),
    ],
)
def test_a_word_is_one_with_the_marks_inside_it(text: str, words: list[str]) -> None:
    typeset = Typeset(text)
    assert [text[slice(*word(typeset, at))] for at in map(text.index, words)] == words
    assert [text[slice(*word(typeset, text.index(each) + len(each) - 1))] for each in words] == words


@pytest.mark.parametrize(
    ("source", "direction"),
    [
        ("وصلت الرسالة إلى مكتب Heron GmbH في برلين اليوم.", ""),
        ("契約は本日で終了します。異議はありますか？", ""),
        ("계약은 오늘 종료됩니다 (ABC).", ""),
        ("Договор истекает сегодня.", ""),
        ("12 + 3", ""),
        ("The Greek letter π, and Москва.", "en-zh"),
        ("合同今天到期，见 ABC Company 与“の”。", "zh-en"),
    ],
)
def test_a_script_tells_the_direction_of_discox_s_two_alone(source: str, direction: str) -> None:
    assert direction_of(source) == direction


def test_a_direction_that_is_said_counts_where_a_file_of_discox_has_none(tmp_path: Path) -> None:
    file, library_file = tmp_path / "set.json", tmp_path / "a.db"
    rows = [{"prompt_id": 1, "ori_text": "Es endet."}, {"prompt_id": 2, "ori_text": "Fin.", "direction": "fr-he"}]
    file.write_text(json.dumps(rows), encoding="utf-8")
    assert run(["import", str(file), "--direction", "de-ar", "--db", str(library_file)]) == 0
    with closing(open_library(library_file)) as connection:
        assert connection.execute("SELECT direction FROM articles ORDER BY key").fetchall() == [("de-ar",), ("fr-he",)]


def test_a_full_stop_in_mid_sentence_ends_none() -> None:
    for text in ("Der Vertrag, z. b. dieser, endet.", "См. там же.", "Η κ. μαρία ήρθε."):
        assert len(sentences(text, 0, len(text))) == 1
    for text in ("Es endet. Über alles.", "Конец. Начало.", "Fin. « Début. »"):
        assert len(sentences(text, 0, len(text))) == 2


class Host(App[None]):
    def __init__(self) -> None:
        super().__init__()
        install(self, "discox-dark")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES

    def compose(self) -> ComposeResult:
        self.texts = PairedTexts()
        yield self.texts


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_each_cell_selects_the_cluster_that_is_painted_in_it(size: tuple[int, int]) -> None:
    app = Host()
    async with app.run_test(size=size) as pilot:
        for text, side in product(SCRIPTS.values(), ("source", "translation")):
            app.texts.show(text, text)
            await pilot.pause()
            pane = getattr(app.texts, side)
            rows, seen = pane.page.rows, set[int]()
            for y in range(pane.size.height):
                strip = pane.render_line(y)
                assert strip.cell_length == pane.size.width == cell_len(strip.text)
                for x in range(pane.size.width):
                    offset = pane.offset_at(x, y)
                    if offset is not None:
                        start, end = cluster(pane.page.typeset, offset)
                        assert display(text[start:end]) in strip.text
                        seen.update(range(start, end))
            assert seen >= {i for row in zip(rows.starts, rows.stops, strict=True) for i in range(*row)}


async def test_keys_and_mouse_select_on_in_the_order_in_which_one_reads() -> None:
    """A terminal that orders rows tells which character was pressed, wherever it shows it (VTE: ``vis2log``)."""
    text, app = SCRIPTS["he"], Host()
    async with app.run_test(size=(160, 45)) as pilot:
        app.texts.show(text, text)
        await pilot.pause()
        pane = app.texts.translation
        pane.focus()
        pane.start_selection(0)
        await pilot.press("right", "right", "right", "left")
        assert pane.selection == (0, text.index("ם")), "whole letters, with their points"
        await pilot.press("w", "w")
        assert text[slice(*pane.selection)] == "שָׁלוֹם עולם"
        await pilot.press("end", "home")
        assert pane.selection == (0, text.index("ל")), "the row begins where one begins to read"
        cells = {pane.offset_at(x, 0): x for x in range(pane.size.width)}
        start, end = text.index("עולם"), text.index("החוזה") + 4
        await pilot.mouse_down(pane, offset=(cells[start], 0))
        await pilot.hover(pane, offset=(cells[end], 0))
        await pilot.mouse_up(pane, offset=(cells[end], 0))
        assert text[slice(*pane.selection)] == "עולם. החוזה"


@pytest.mark.parametrize(("source", "translation"), [("ar", "he"), ("he", "fa"), ("ko", "ar"), ("ja", "th")])
async def test_right_to_left_text_is_held_in_its_pane(source: str, translation: str) -> None:
    """A terminal orders a whole line: what is written from left to right must stand on both sides of such text."""
    app = Host()
    async with app.run_test(size=(160, 45)) as pilot:
        app.texts.show(SCRIPTS[source], SCRIPTS[translation])
        await pilot.pause()
        for pane in (app.texts.source, app.texts.translation):
            for y in range(pane.size.height):
                line = pane.render_line(y).text
                letters = [i for i, c in enumerate(line) if unicodedata.bidirectional(c) in ("R", "AL", "AN")]
                if letters:
                    before, after = line[: letters[0]], line[letters[-1] + 1 :]
                    assert before.endswith(LEFT_TO_RIGHT) or any(unicodedata.bidirectional(c) == "L" for c in before)
                    assert after.endswith(LEFT_TO_RIGHT)
                else:
                    assert LEFT_TO_RIGHT not in line
    assert unicodedata.bidirectional(LEFT_TO_RIGHT) == "L"
    assert cell_len(LEFT_TO_RIGHT) == 1


LAYOUT = re.compile(f"  |[{LEFT_TO_RIGHT}{EDGE}\u2190-\u21ff\u2500-\u25ff]")
"""What no terminal may move: columns, arrows, borders, signs."""


def in_place(lines: list[str]) -> int:
    """What a terminal that orders rows itself moves of these is text, each piece of it within its column or pane;
    return how many there are."""
    met = 0
    for line in lines:
        for start, end in moved(line):
            met += 1
            assert not LAYOUT.search(line[start:end]), f"{line[start:end]!r} changes its order in\n{line}"
        strong = [kind for kind in map(unicodedata.bidirectional, line) if kind in ("L", "R", "AL")]
        assert strong[:1] in ([], ["L"]), f"where the first letter decides, the whole row is turned round\n{line}"
    return met


@given(
    st.lists(
        st.sampled_from(["heron", "12", "3.50", "מאמר 3", "نخلة-72b", "–", "(א)", "5 ב", "ק ~ ר", "“ז”"]), min_size=1
    )
)
def test_columns_stay_where_they_are(cells: list[str]) -> None:
    line = f"▸ {'  '.join(cells)}  12"
    once = held(line)
    assert held(once) == once
    assert once.replace(LEFT_TO_RIGHT, " ") == line
    for start, end in moved(once):
        assert not LAYOUT.search(once[start:end])


@pytest.fixture
def from_the_right(tmp_path: Path) -> Path:
    """A library in which everything that has a name has one in Arabic or Hebrew, two people, and what they say."""
    found = (
        Finding("accuracy", 1, "“12 شاحنة” ≠ “21”: 9 (ABC-12)", "1", "mistranslation", "错译", "critical", "严重"),
        Finding("accuracy", 2, "«المورد» → “הספק” 50%", "2", "omission", "漏译", "major", "普通"),
        Finding("rubric", 1, "המונח «المورد» לא תורגם, 2 פעמים.", "1", "rubric_point", "", "violated", "错误", 1),
    )
    source = "وصلت 12 شاحنة إلى المورد. ثم عادت 3 منها (ABC-12).\n\n\u200fقال: «العقد ينتهي اليوم»! 100%"
    target = 'הגיעו 21 משאיות אל הספק.\n\nאמר: "החוזה נגמר"! 100%'
    path = tmp_path / "a.db"
    names = ("نخلة 7", "מערכת 3", "heron")
    each = {"article": "مقال-1", "direction": "ar-he", "domain": "قانون 12", "judge": "شاهين", "found": found}
    ids = library(path, *({"system": name, "source": source, "translation": target, **each} for name in names))
    with closing(open_library(path)) as connection:
        for said, name in (("agree", "נועם"), ("not_an_error", "نور")):
            log = ReviewLog(connection, name)
            log.open(ids[0])
            for finding in findings_of(connection, ids[0]):
                log.decide(ids[0], finding, decision=said, note="הערה 3 (ABC)")
            log.set_review(ids[0], state="done", search="done")
    return path


@by_day(3)
@pytest.mark.parametrize("size", [SMALL, WIDE])
@pytest.mark.parametrize(
    "keys",
    [
        ("o", "slash", "escape", "i"),
        ("enter", "j", "j", "P", "j", "escape", "W", "escape", "D", "escape", "a", "n"),
        ("enter", "v", "w", "w", "e"),
        ("enter", "t"),
        ("l", "v", "v", "escape", "c", "tab", "tab", "tab", "tab", "tab"),
        ("d", "j", "1", "tab"),
    ],
)
async def test_no_screen_comes_apart_beside_right_to_left_text(
    from_the_right: Path, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async with opened(from_the_right, size=size) as driver:
        assert in_place(driver.lines) > 3
        for key in keys:
            await driver.press(key)
            in_place(driver.lines)
        if isinstance(driver.app.screen, Ask):
            await driver.write("ملاحظة 2 “قول” 3 ABC")
            assert in_place(driver.lines) > 1


async def test_an_arabic_keyboard_s_digits_decide(from_the_right: Path) -> None:
    async with opened(from_the_right) as driver:
        await driver.review()
        await driver.write("١")
        await driver.until(lambda: driver.verdict(1).decision == "agree")
        await driver.write("۲")
        await driver.until(lambda: driver.verdict(2).decision == "not_an_error")


class Screen(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("command", ["list", "leaderboard", "consistency"])
def test_tables_on_a_terminal_keep_their_columns_and_files_their_spaces(
    from_the_right: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    printed = []
    for stream in (Screen(), io.StringIO()):
        monkeypatch.setattr("sys.stdout", stream)
        assert run([command, "--db", str(from_the_right)]) == 0
        printed.append(stream.getvalue())
    assert in_place(printed[0].splitlines()) > 1
    assert LEFT_TO_RIGHT not in printed[1]
    assert printed[0].replace(LEFT_TO_RIGHT, " ") == printed[1]


@pytest.mark.parametrize("direction", ["en-zh", "ar-he", ""])
def test_who_judges_another_direction_than_metric_s_is_for_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], direction: str
) -> None:
    library(tmp_path / "a.db", {"direction": direction}, {"direction": "zh-en"})
    asked = ("--provider", "openai", "--base-url", "http://127.0.0.1:1/v1", "--model", "m", "--dry-run")
    assert run(["judge", "--db", str(tmp_path / "a.db"), *asked]) == 0
    said = capsys.readouterr().err
    assert ("In ar-he the prompts" in said) == (direction == "ar-he")
    assert ("Of 1 article nobody said the languages" in said) == (direction == "")
    assert bool(said) == (direction != "en-zh")


def test_cells_of_a_workbook_are_read_from_the_side_where_their_text_begins(from_the_right: Path) -> None:
    book = from_the_right.with_name("a.xlsx")
    assert run(["export", "xlsx", str(book), "--db", str(from_the_right)]) == 0
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(book) as packed:
        styles = ElementTree.fromstring(packed.read("xl/styles.xml")).findall(f"{space}cellXfs/{space}xf")
        evaluations = ElementTree.fromstring(packed.read("xl/worksheets/sheet1.xml"))
    orders = {}
    for cell in evaluations.iter(f"{space}c"):
        alignment = styles[int(cell.get("s", 0))].find(f"{space}alignment")
        orders["".join(cell.itertext())] = None if alignment is None else alignment.get("readingOrder")
    assert (orders["مقال-1"], orders["شاهين"]) == ("2", "2")
    assert (orders["heron"], orders["ar-he"]) == (None, None)


@pytest.mark.parametrize(
    ("prose", "named"),
    [
        ("Der Begriff „Fluss“ wurde als „lago“ übersetzt.", ["Fluss", "lago"]),
        ("Termin „rzeka” przetłumaczono źle", ["rzeka"]),
        ("Das Wort ‚Tal‘ fehlt; it’s gone", ["Tal"]),
        ("»Tal« und »Ufer« fehlen", ["Tal", "Ufer"]),
        ("« vallée » et «rive» manquent", ["vallée", "rive"]),
        ("המונח ״הסכם של צה״ל״ תורגם, ו״חוזה״ לא", ["הסכם של צה״ל", "חוזה"]),
        ('המונח "הסכם של צה"ל" תורגם, ה"חוזה" לא', ["הסכם של צה״ל", "חוזה"]),
        ('ארה״ב וצה״ל, גם ארה"ב', []),
        ("\u200f«العقد»\u200f سقط", ["العقد"]),
    ],
)
def test_quotes_are_read_in_the_marks_of_every_language(prose: str, named: list[str]) -> None:
    assert len(plain(prose)) == len(prose)
    assert [mention.text for mention in quotes(plain(prose))] == named
