"""``discox leaderboard`` and its screen: what people, programs and spreadsheets get, and that no name acts on them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from discox_tui.cli.parser import build
from discox_tui.screens.figures.leaderboard import Axis, LeaderboardScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.widgets.bars import TextBlock
from judges.ranking.ranking import CUTS
from judges.stats.resampling import TOO_FEW, Estimate
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.support import builders
from tests.support.driving import MIDDLE, SMALL, WIDE, Driver, library, opened
from tests.support.nightly import by_day

HOSTILE = [
    "=1+1",
    "@SUM(A1)",
    "-x",
    "+x",
    "[bold]m[/]",
    "\x1b[31mred",
    "a\tb\nc",
    "\u202egpj",
    "混元大模型🙂" * 20,
    "，",
    "＝1",
]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A library whose systems have names meant to act on what shows them."""
    library(tmp_path / "hostile.db", *({"system": name} for name in HOSTILE))
    return tmp_path / "hostile.db"


def line_of(text: str, start: str) -> list[str]:
    return next(line for line in text.splitlines() if line.strip().startswith(start)).split()


# The command


def test_the_text_says_each_figure_with_what_it_rests_on(discox: Command, sample: Path) -> None:
    result = discox("leaderboard", "--db", sample)
    assert result.code == 0
    text = result.out
    assert "imported, signature unknown: judge meridian-pro" in text
    assert line_of(text, "1 aurora-72b") == ["1", "aurora-72b", "4", "60.00", "–", "28.75", "17.50", "13.75"]
    assert "! Of 4 articles all systems have 3: means do not compare." in text
    assert "! Under 10 articles for 3 systems: intervals are a rough guess, if any." in text
    tables = text.split("\n\n")
    left = next(table for table in tables if table.strip().startswith("evaluations"))
    assert line_of(left, "2 heron-14b") == ["2", "heron-14b", "3", "0"]
    assert line_of(left, "3 sparrow-3b") == ["3", "sparrow-3b", "3", "1"]
    assert "Left out of heron-14b: evaluations in which a judge failed (1)." in text
    leads = next(table for table in tables if table.strip().startswith("against"))
    assert line_of(leads, "1 aurora-72b") == [
        "1",
        "aurora-72b",
        "3",
        "+21.00",
        "–",
        "0.500",
        "0.500",
        "–",
    ]
    assert "seed 1" in text
    assert "– fewer than five articles: no interval" in text
    assert "PUBLISHED" not in text
    assert all(f"\n{head}" in text for head in ("TOTAL, 0-100", "FLUENCY, 0-20", "DIRECTION zh-en", "DOMAIN 学术论文"))


def test_the_published_rows_are_printed_on_request(discox: Command, sample: Path) -> None:
    text = discox("leaderboard", "--db", sample, "--published", "--by", "total").out
    assert line_of(text, "Youdao-14B") == ["Youdao-14B", "46.37", "28.50", "9.82", "8.05", "–", "–", "specific"]
    assert line_of(text, "1 aurora-72b")[-1] == "–"
    assert "as published" in text


def test_words_and_tables_choose(discox: Command, sample: Path) -> None:
    plain = json.loads(
        discox("leaderboard", "zh-en", "aurora", "--db", sample, "--by", "direction", "--by", "total", "--json").out
    )
    (board,) = plain["leaderboards"]
    assert [(r["cut"], r["label"], len(r["standings"])) for r in board["rankings"]] == [
        ("total", "", 1),
        ("direction", "zh-en", 1),
    ]
    assert board["evaluations"] == 2
    assert "Nothing is there to rank" in discox("leaderboard", "--db", sample, "nonsense").out


def test_the_seed_is_kept(discox: Command, sample: Path) -> None:
    def intervals(*options: object) -> list[Any]:
        (board,) = json.loads(discox("leaderboard", "--db", sample, "--json", *options).out)["leaderboards"]
        return [board["seed"], board["resamples"], *(s["mean"] for s in board["rankings"][1]["standings"])]

    assert intervals() == intervals("--seed", 1, "--resamples", 2000)
    assert intervals("--seed", 7)[:2] == [7, 2000]


@pytest.mark.parametrize(
    "options",
    [["--resamples", "100"], ["--resamples", "10000000"], ["--seed", "-1"], ["--by", "judge"], ["--json", "--csv"]],
    ids=" ".join,
)
def test_wrong_use_is_said(discox: Command, sample: Path, options: list[str]) -> None:
    result = discox("leaderboard", "--db", sample, *options)
    assert (result.code, result.out) == (2, "")
    assert result.err


def test_the_tables_that_can_be_asked_for_are_all_there_are() -> None:
    for cut in CUTS:
        assert build().parse_args(["leaderboard", "--by", cut]).by == [cut]


def nulls(plain: Any) -> list[dict[str, Any]]:
    """Every estimate in JSON."""
    if isinstance(plain, dict):
        own = [plain] if {"value", "low"} <= plain.keys() else []
        return own + [found for part in plain.values() for found in nulls(part)]
    return [found for part in plain for found in nulls(part)] if isinstance(plain, list) else []


def test_json_has_a_reason_for_every_null(discox: Command, sample: Path) -> None:
    plain = json.loads(discox("leaderboard", "--db", sample, "--json", "--published").out)
    (board,) = plain["leaderboards"]
    assert board["signature"] is None
    assert board["why"]
    estimates = nulls(plain)
    assert len(estimates) > 100
    assert all((None in each.values()) == bool(each.get("why")) for each in estimates)
    assert {each["n"] for each in estimates if each["value"] is None} <= {0}
    total = board["rankings"][0]
    assert (total["articles"], total["common_articles"], total["same_articles"]) == (4, 3, False)
    assert total["few_articles"] == ["aurora-72b", "heron-14b", "sparrow-3b"]
    heron = total["standings"][1]
    assert heron["counts"] == {
        "scored": 3,
        "instruction_failed": 0,
        "judge_failed": 1,
        "no_translation": 0,
        "not_judged": 0,
    }
    assert heron["mean"]["left_out"] == {"evaluations in which a judge failed": 1}
    assert heron["lead"]["difference"]["left_out"] == {"articles that only one of the two has": 1}
    assert "left_out" not in total["standings"][0]["mean"]
    assert heron["lead"]["exact"]
    assert heron["lead"]["verdict"] == "undefined"
    assert heron["human"]["human"]["value"] == 39
    assert heron["published"] is None
    assert len(plain["published"]["systems"]) == 21


def test_csv_is_a_row_a_system_and_table(discox: Command, sample: Path) -> None:
    out = discox("leaderboard", "--db", sample, "--csv", "--published").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["cut"], row["label"]) for row in rows[::3]] == [
        ("total", ""),
        *(("dimension", part) for part in ("accuracy", "fluency", "appropriateness")),
        ("direction", "en-zh"),
        ("direction", "zh-en"),
        ("domain", "学术论文"),
        ("domain", "非学术任务"),
        ("academic", "academic"),
        ("academic", "non-academic"),
    ]
    first = rows[0]
    assert [first[name] for name in ("rank", "system", "n", "mean", "low", "high", "p_holm", "verdict", "exact")] == [
        *("1", "aurora-72b", "4", "60.0", "", "", "0.5", "undefined", "1")
    ]
    alone = next(row for row in rows if row["label"] == "zh-en" and row["system"] == "heron-14b")
    assert [alone[name] for name in ("n", "mean", "low", "p", "exact", "why")] == [*("1", "39.0", "", "", "", TOO_FEW)]


def test_no_name_is_run_as_a_formula_or_acts_on_a_terminal(discox: Command, hostile: Path) -> None:
    out = discox("leaderboard", "--db", hostile, "--csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["system"] for row in rows} >= {"'=1+1", "'@SUM(A1)", "'-x", "'+x", "'＝1", "[bold]m[/]", "a b␊c"}
    assert {row["next"][:1] for row in rows}.isdisjoint("=+-@")
    for text in (out, discox("leaderboard", "--db", hostile).out, discox("leaderboard", "--db", hostile, "--json").out):
        assert {c for c in text if unicodedata.category(c) in ("Cc", "Cs")} <= {"\n"}
        assert "\u202e" not in text


@pytest.mark.parametrize("options", [[], ["--published"]], ids=str)
def test_text_fits_80_cells(discox: Command, hostile: Path, options: list[str]) -> None:
    text = discox("leaderboard", "--db", hostile, *options).out
    assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_an_empty_library_has_no_leaderboard(discox: Command, tmp_path: Path) -> None:
    open_library(tmp_path / "a.db").close()
    assert json.loads(discox("leaderboard", "--db", tmp_path / "a.db", "--json").out) == {"leaderboards": []}
    assert len(discox("leaderboard", "--db", tmp_path / "a.db", "--csv").out.splitlines()) == 1


def test_numpy_waits_until_there_is_something_to_compute() -> None:
    program = (
        "import sys, discox_tui.screens.figures.leaderboard, discox_tui.cli.figures.leaderboard, storage.analysis.judge_scores; "
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# The screen


async def leaderboard(driver: Driver) -> LeaderboardScreen:
    await driver.on(QueueScreen)
    await driver.press("l")
    screen = await driver.on(LeaderboardScreen)
    await driver.until(lambda: screen.table.rows)
    return screen


def whole(screen: LeaderboardScreen) -> str:
    return screen.query_one("#whole", TextBlock).text


@by_day(1)
@pytest.mark.parametrize("size", [SMALL, MIDDLE, WIDE], ids=str)
async def test_the_screen_shows_systems_and_goes_back(sample: Path, size: tuple[int, int]) -> None:
    async with opened(sample, size=size) as driver:
        screen = await leaderboard(driver)
        assert "aurora-72b" in driver.text
        assert "60.00" in driver.text
        await driver.press("down")
        counts = "3 scored, 0 failed the check (0 points); left out: evaluations in which a judge failed (1)"
        assert counts in whole(screen)
        assert "sparrow-3b: +18.00 over n = 3 in common" in whole(screen)
        assert "seed 1" in whole(screen)
        await driver.press("escape")
        await driver.on(QueueScreen)


async def test_a_key_goes_through_the_tables(sample: Path) -> None:
    async with opened(sample, size=WIDE) as driver:
        screen = await leaderboard(driver)
        seen = []
        for _ in CUTS:
            rows = screen.table.rows
            seen.append((rows[0].ranking.cut if rows else "", len(rows)))
            if not rows:
                assert "No system here is of a known kind" in driver.text
            await driver.press("v")
        assert seen[:4] == [("total", 3), ("dimension", 9), ("direction", 6), ("domain", 6)]
        assert seen[-2:] == [("academic", 6), ("", 0)]
        assert screen.table.rows[0].ranking.cut == "total"
        await driver.press("m")
        assert driver.said == ["There is one judge only."]


async def test_words_filter_and_escape_shows_everything(sample: Path) -> None:
    async with opened(sample, size=MIDDLE) as driver:
        screen = await leaderboard(driver)
        await driver.press("/")
        await driver.write("heron zh-en")
        await driver.until(lambda: len(screen.table.rows) == 1)
        assert TOO_FEW in whole(screen)
        await driver.write(" nothing")
        await driver.until(lambda: not screen.table.rows)
        assert whole(screen) == ""
        await driver.press("escape")
        await driver.until(lambda: len(screen.table.rows) == 3)


async def test_the_published_stand_beside_and_below(sample: Path) -> None:
    async with opened(sample, size=WIDE) as driver:
        screen = await leaderboard(driver)
        await driver.press("p")
        assert len(screen.table.rows) == 3 + 21
        assert "publ." in driver.text
        await driver.press("end")
        assert "Published: 37.10, by Gemini-2.5-Pro" in whole(screen)
        await driver.press("p")
        assert len(screen.table.rows) == 3


async def test_every_published_figure_is_a_key_away(sample: Path) -> None:
    async with opened(sample, size=WIDE) as driver:
        screen = await leaderboard(driver)
        await driver.press("P")
        for said in (
            "PUBLISHED, BY KIND OF SYSTEM",
            "domain-specific",
            "zh-en                     61.37  36.00  13.22  12.15",
            "PUBLISHED, TOTAL IN NON-ACADEMIC DOMAINS",
            "ChrF – no figure of it was published.",
            "Single LLM (simple prompt)",
        ):
            assert said in whole(screen), said
        await driver.press("P")
        assert len(screen.table.rows) == 3
        assert "PUBLISHED" not in whole(screen)


async def test_the_settings_say_of_what_kind_systems_are(
    discox: Command, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "config.toml"
    monkeypatch.setenv("DISCOX_CONFIG", str(settings))
    settings.write_text('[kinds]\n"heron-14b" = "open"\n"Sparrow 3B" = "open"\n', encoding="utf-8")
    text = discox("leaderboard", "--db", sample, "--by", "kind").out
    assert "SYSTEMS open" in text
    assert line_of(text, "2 sparrow-3b")
    assert "aurora" not in text
    settings.write_text('[kinds]\n"heron-14b" = "nice"\n', encoding="utf-8")
    wrong = discox("leaderboard", "--db", sample)
    assert wrong.code == 1
    assert "heron-14b: 'nice' is none of open, closed, domain-specific, nmt, human" in wrong.err


async def test_each_judge_has_its_own(tmp_path: Path) -> None:
    connection = open_library(tmp_path / "a.db")
    builders.a_run(connection)
    builders.add(connection)
    builders.add(connection, system="crane")
    connection.close()
    async with opened(tmp_path / "a.db", size=MIDDLE) as driver:
        screen = await leaderboard(driver)
        assert "judge 1 of 2" in driver.bar("#title")
        assert [row.system for row in screen.table.rows] == ["crane", "heron"]
        await driver.press("m")
        assert [row.system for row in screen.table.rows] == ["osprey"]
        assert "Signature: metric-s|v:2|scheme:full|judge:osprey" in whole(screen)


async def test_hostile_names_are_shown_literally(hostile: Path) -> None:
    async with opened(hostile, size=WIDE) as driver:
        await leaderboard(driver)
        assert "[bold]m[/]" in driver.text
        assert {c for c in driver.text if unicodedata.category(c) in ("Cc", "Cs")} <= {"\n"}
        assert {cell_len(line) for line in driver.lines} == {WIDE[0]}


def test_an_interval_is_drawn_where_it_is() -> None:
    axis = Axis(0.2, 0.8, 13)
    assert axis.draw(Estimate(50, 9, 30, 70), 100) == "  ╌╌╌╌|╌╌╌╌"
    assert axis.draw(Estimate(20, 1), 100) == "|"
    assert axis.draw(Estimate(None, 0), 100) == ""
    assert axis.draw(Estimate(48, 9, 48, 48), 60) == " " * 12 + "|"
