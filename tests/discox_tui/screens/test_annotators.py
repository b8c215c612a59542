"""What people marked in other tools is seen: in the report, the list, an evaluation, and where a judge would stand."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from pathlib import Path

import pytest

from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.screens.figures.leaderboard import LeaderboardScreen
from discox_tui.screens.library.import_report import ImportReportScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.reviews.blinding import choose_blinding
from tests.conftest import Command
from tests.storage.formats.test_mt_metrics_eval import DOCS, ERROR, SOURCE, put, rating
from tests.support.driving import opened

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
ROWS = (
    "A\td\t1\t1\tana\t一河\t<v>one</v> river\tAccuracy/Mistranslation\tMajor",
    "A\td\t1\t1\tben\t一河\tone <v>river</v>\tFluency/Grammar\tMinor",
    "A\td\t1\t1\tcyn\t一河\tone river\tNo-error\tNo-error",
    "B\td\t1\t1\tana\t一河\t<v>some</v> river\tFluency/Punctuation\tMinor",
)


@pytest.fixture
def mqm(discox: Command, tmp_path: Path) -> Path:
    """A library of an MQM file: two translations, three raters, no judge."""
    (tmp_path / "mqm_zhen.tsv").write_text("\n".join((HEADER, *ROWS)) + "\n", encoding="utf-8")
    result = discox("import", tmp_path / "mqm_zhen.tsv", "--db", tmp_path / "a.db")
    assert "4 passes by 3 people, 3 errors; see them with --reviewer NAME: ana, ben, cyn" in result.out
    return tmp_path / "a.db"


def test_a_report_says_what_came_and_only_what_is_new(mqm: Path, discox: Command) -> None:
    file = mqm.with_name("mqm_zhen.tsv")
    again = json.loads(discox("import", file, "--json", "--db", mqm).out)
    assert again["files"][0]["people"] == {}
    file.write_text(f"{HEADER}\n{ROWS[0].replace('ana', 'dee')}\n", encoding="utf-8")
    more = json.loads(discox("import", file, "--json", "--db", mqm).out)
    assert more["files"][0]["people"] == {"dee": {"passes": 1, "errors": 1}}


def test_a_list_counts_the_other_people(mqm: Path, discox: Command) -> None:
    listed = discox("list", "--db", mqm, "--reviewer", "me").out
    assert "not opened, 3 others" in listed
    assert "not opened, 1 other\n" in listed
    rows = json.loads(discox("list", "--json", "--db", mqm, "--reviewer", "me").out)
    assert {row["system"]: row["reviewed_by_others"] for row in rows} == {"A": 3, "B": 1}
    rows = json.loads(discox("list", "--json", "--db", mqm, "--reviewer", "ana").out)
    assert {row["reviewed_by_others"] for row in rows} == {0}, "a blind pass of hers is not over"


def test_an_evaluation_says_who_marked_it(mqm: Path, discox: Command) -> None:
    identity = next(r["id"] for r in json.loads(discox("list", "--json", "--db", mqm).out) if r["system"] == "A")
    shown = discox("show", identity, "--db", mqm, "--reviewer", "me").out
    assert "no judge" in shown.splitlines()[0]
    assert shown.endswith(
        "--reviewer NAME shows\n   ana: 1 error marked\n   ben: 1 error marked\n   cyn: 0 errors marked\n"
    )
    plain = json.loads(discox("show", identity, "--json", "--db", mqm, "--reviewer", "me").out)
    assert plain["others"] == [{"reviewer": name, "marked": n} for name, n in (("ana", 1), ("ben", 1), ("cyn", 0))]


def test_who_hides_the_judge_does_not_see_that_others_were_there(mqm: Path, discox: Command) -> None:
    with closing(open_library(mqm)) as connection:
        choose_blinding(connection, "me", "first")
    (first, *_) = rows = json.loads(discox("list", "--json", "--db", mqm, "--reviewer", "me").out)
    assert {row["reviewed_by_others"] for row in rows} == {0}
    shown = discox("show", first["id"], "--db", mqm, "--reviewer", "me").out
    assert not any(name in shown for name in ("others", "ana", "ben", "cyn"))


def test_peoples_scores_stand_where_a_judges_would(mqm: Path, discox: Command) -> None:
    for command in ("leaderboard", "consistency"):
        for who in ((), ("--reviewer", "ana")):
            result = discox(command, "--db", mqm, *who)
            assert result.code == 0, result.err
            assert "MQM SCORES BY PEOPLE" in result.out
            assert "Lower is better" in " ".join(result.out.split())
            assert "different scales" not in " ".join(result.out.split())
            assert "Nothing" not in result.out
            assert "BY \n" not in result.out
    plain = json.loads(discox("leaderboard", "--json", "--db", mqm).out)
    assert [(each["system"], each["score"], each["segments"]) for each in plain["people"]] == [
        ("B", 0.1, 1),
        ("A", 2, 1),
    ]
    assert json.loads(discox("consistency", "--json", "--db", mqm).out)["people"] == plain["people"]
    for command in ("leaderboard", "consistency"):
        rows = list(csv.DictReader(io.StringIO(discox(command, "--csv", "--db", mqm).out.lstrip("\ufeff"))))
        assert [(row["system"], row["score"], row["lower_is_better"]) for row in rows] == [
            ("B", "0.1", "True"),
            ("A", "2.0", "True"),
        ]


@pytest.mark.parametrize("command", ["leaderboard", "consistency"])
def test_files_hold_peoples_scores(mqm: Path, discox: Command, tmp_path: Path, command: str) -> None:
    assert discox(command, "--db", mqm, "--html", tmp_path / "a.html", "--markdown", tmp_path / "a.md").code == 0
    for name in ("a.html", "a.md"):
        written = (tmp_path / name).read_text(encoding="utf-8")
        assert "MQM scores by people" in written
        assert "Lower is better" in written
    assert "| A | 2.00 | 1 |" in (tmp_path / "a.md").read_text(encoding="utf-8")


async def test_a_title_names_no_judge_where_there_is_none(mqm: Path) -> None:
    async with opened(mqm) as driver:
        await driver.review()
        assert "zh→en · A" in driver.bar("#title")
        assert "judge  " not in driver.bar("#title")


async def test_screens_show_peoples_scores(mqm: Path) -> None:
    async with opened(mqm) as driver:
        await driver.on(QueueScreen)
        await driver.press("l")
        screen = await driver.on(LeaderboardScreen)
        await driver.until(lambda: "MQM SCORES BY PEOPLE" in driver.text)
        assert "2.00" in driver.text
        assert not screen.table.display
        await driver.press("/")
        await driver.write("nowhere")
        await driver.until(lambda: "No evaluation contains these words." in driver.text)
        await driver.press("escape")
        await driver.until(lambda: "2.00" in driver.text)
        await driver.press("escape")
        await driver.on(QueueScreen)
        await driver.press("c")
        await driver.on(ConsistencyScreen)
        for part in "12345":
            await driver.press(part)
            await driver.until(lambda: "updating…" not in driver.bar("#title") and "2.00" in driver.text, part)


def test_a_judge_is_not_pushed_aside(sample: Path, discox: Command) -> None:
    for command in ("leaderboard", "consistency"):
        assert "BY PEOPLE" not in discox(command, "--db", sample, "--reviewer", "lin").out


def test_ratings_and_their_mean_are_counted_once(tmp_path: Path, discox: Command) -> None:
    root = tmp_path / "wmt"
    put(root, "documents/zh-en.docs", DOCS)
    put(root, "sources/zh-en.txt", SOURCE)
    score, ratings, other = "", "", ""
    for n, system in enumerate(("M", "N", "O")):
        put(root, f"system-outputs/zh-en/{system}.txt", "one\ntwo\nthree\n")
        score += f"{system}\t{-5 * n}\n{system}\t0\n{system}\t-5\n"
        ratings += "".join(f"{system}\t{rating(*[ERROR | {'start': 0, 'end': 2}] * k)}\tr1\n" for k in (n, 0, 1))
        other += f"{system}\t{n}\n{system}\t1\n{system}\t2\n"
    put(root, "human-scores/zh-en.mqm.seg.score", score)
    put(root, "human-scores/zh-en.mqm.seg.rating", ratings)
    put(root, "human-scores/zh-en.esa.seg.score", other)
    assert discox("import", root, "--db", tmp_path / "a.db").code == 0
    found = json.loads(discox("consistency", "--json", "--db", tmp_path / "a.db").out)
    assert {(scale["name"], scale["rater"]) for scale in found["scales"]} == {("MQM", "r1"), ("esa", "esa")}
    assert list(found["scores_left_out"].values()) == [6]
    assert "counted once" in next(iter(found["scores_left_out"]))
    assert json.loads(discox("consistency", "--reviewer", "mqm", "--json", "--db", tmp_path / "a.db").out)["scales"]


def test_raters_who_take_points_off_are_on_one_scale_however_far(tmp_path: Path, discox: Command) -> None:
    def warned(*rows: str) -> bool:
        lines = ["metric\tsystem\tarticle\tscore\thuman\trater", "m\tA\ta\t1\t0\t", "m\tB\ta\t2\t0\t", *rows]
        (tmp_path / "s.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        result = discox("consistency", "--scores", tmp_path / "s.tsv")
        assert result.code == 0, result.err
        return "different scales" in " ".join(result.out.split())

    assert not warned("MQM\tA\ta\t-12\t1\tana", "MQM\tB\ta\t-0.5\t1\tben")
    assert not warned("ana\tA\ta\t-12\t1\t", "ben\tB\ta\t-0.5\t1\t")
    assert warned("MQM\tA\ta\t-12\t1\tana", "DA\tB\ta\t70\t1\tben")
    assert warned("DA\tA\ta\t0.7\t1\tana", "DA\tB\ta\t70\t1\tben")


def test_the_scores_of_a_pass_are_in_the_list_and_with_the_evaluation(mqm: Path, discox: Command) -> None:
    def listed(who: str) -> dict[str, list[tuple[str, str, float]]]:
        rows = json.loads(discox("list", "--json", "--db", mqm, "--reviewer", who).out)
        return {row["system"]: [tuple(each.values()) for each in row["rated"]] for row in rows}

    assert listed("me")["A"] == [("MQM", "ana", -5), ("MQM", "ben", -1), ("MQM", "cyn", 0)]
    assert listed("ben")["A"] == [("MQM", "ben", -1)], "others' scores are none to see before a blind pass is over"
    assert "MQM -2 ×3" in discox("list", "--db", mqm, "--reviewer", "me").out
    identity = next(r["id"] for r in json.loads(discox("list", "--json", "--db", mqm).out) if r["system"] == "A")
    assert "rated: MQM -5 by ana" in discox("show", identity, "--db", mqm, "--reviewer", "me").out


def test_where_no_judge_was_asked_nothing_of_one_is_hidden(mqm: Path, discox: Command) -> None:
    identity = next(r["id"] for r in json.loads(discox("list", "--json", "--db", mqm).out) if r["system"] == "A")
    shown = discox("show", identity, "--db", mqm, "--reviewer", "ana")
    assert "What the judge said is hidden" not in shown.out + shown.err
    assert "No judge was asked" in shown.out
    assert shown.out.startswith("d · zh-en · A · no judge")


async def test_the_queue_and_the_review_show_a_raters_score(mqm: Path) -> None:
    async with opened(mqm, reviewer="ana") as driver:
        await driver.on(QueueScreen)
        assert "MQM -5" in driver.text
        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert "hidden" not in driver.text
        assert "rated  MQM -5 by ana" in driver.text


async def test_a_reason_of_the_import_report_unfolds_into_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "mqm_deen.avg_seg_scores.tsv"
    rows = [f"A\t{'None' if n % 3 else -n}\t{n}" for n in range(1, 31)]
    path.write_text("\n".join(["system\tmqm_avg_score\tseg_id", *rows]) + "\n")
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, path)
    async with opened(tmp_path / "a.db", reviewer="ana") as driver:
        await driver.on(QueueScreen)
        await driver.press("i")
        screen = await driver.on(ImportReportScreen)
        table = screen.body()
        (at,) = [n for n, row in enumerate(table.rows) if row.rows]
        before = len(table.rows)
        assert "20 ×" in driver.text
        await driver.press(*["down"] * at, "enter")
        assert [row.line for row in table.rows[at + 1 : at + 21]] == [n + 1 for n in range(1, 31) if n % 3]
        await driver.press("enter")
        assert len(table.rows) == before
