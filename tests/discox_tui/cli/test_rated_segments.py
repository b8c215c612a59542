"""Metrics and judges against people segment by segment, of a test set of mt-metrics-eval with a judge's ratings."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from judges.meta_eval.rated_segments import segment_cells
from judges.meta_eval.score_table import ScoreRow
from judges.model import Place
from storage.analysis.metric_scores import ScoreTable
from storage.analysis.pairwise import compute_pairwise, with_segments
from storage.exports.mqm_scores import NO_PLACE, NO_WEIGHT, judges_by_segment
from storage.formats.base.items import Annotation, Document, Mark, Ours, Segment
from tests.conftest import Command
from tests.discox_tui.cli.test_consistency import strict
from tests.support.annotated_files import library

LINES = [("d1", 1), ("d1", 2), ("d1", 3), ("d2", 1), ("d2", 2), ("d3", 1)]
SYSTEMS = "ABC"


def made(root: Path) -> dict[str, dict[tuple[str, int], Any]]:
    """A test set, and by name what people and metrics give its lines."""
    chance = random.Random(11)
    every = [(system, at) for system in SYSTEMS for at in range(len(LINES))]
    scores: dict[str, dict[tuple[str, int], Any]] = {
        "human": {key: None if chance.random() < 0.2 else -chance.randrange(8) / 2 for key in every},
        "near": {key: chance.randrange(-90, 9) / 8 for key in every},
        "judge": {key: [chance.choice(["minor", "major"]) for _ in range(chance.randrange(3))] for key in every},
    }

    def write(name: str, lines: list[str]) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    write("documents/zh-en.docs", [f"news\t{doc}" for doc, _ in LINES])
    write("sources/zh-en.txt", [f"source {at}" for at in range(len(LINES))])
    for system in SYSTEMS:
        write(f"system-outputs/zh-en/{system}.txt", [f"output {system} {at}" for at in range(len(LINES))])
    write("human-scores/zh-en.mqm.seg.score", [f"{system}\t{scores['human'][system, at]}" for system, at in every])
    write("metric-scores/zh-en/near-src.seg.score", [f"{system}\t{scores['near'][system, at]}" for system, at in every])
    errors = {
        key: [{"start": 0, "end": 6, "category": "Accuracy/Mistranslation", "severity": each} for each in severities]
        for key, severities in scores["judge"].items()
    }
    write(
        "metric-scores/zh-en/judge-src.seg.rating",
        [f"{system}\t{json.dumps({'errors': errors[system, at]})}" for system, at in every],
    )
    return scores


def rows_of(metric: str, scores: dict[tuple[str, int], float | None], human: bool = False) -> list[ScoreRow]:
    rows = []
    for system in SYSTEMS:
        for doc in ("d1", "d2", "d3"):
            of = {LINES[at][1]: score for (s, at), score in scores.items() if s == system and LINES[at][0] == doc}
            segments = tuple((number, score) for number, score in of.items() if score is not None)
            rows.append(ScoreRow(metric, system, doc, "zh-en", 0, human, segments=segments))
    return rows


def test_a_test_set_is_compared_segment_by_segment(discox: Command, tmp_path: Path) -> None:
    scores = made(tmp_path / "set")
    db = tmp_path / "a.db"
    assert discox("import", tmp_path / "set", "--db", db).code == 0
    shown = strict(discox("consistency", "--json", "--db", db).out)
    found = {each["metric"]: each for each in shown["segments"]}
    weights = {"minor": -1, "major": -5}
    by_judge = {key: float(sum(weights[each] for each in errors)) for key, errors in scores["judge"].items()}
    people = rows_of("mqm", scores["human"], human=True)
    rows = [*people, *rows_of("near-src", scores["near"]), *rows_of("judge (errors)", by_judge)]  # type: ignore[arg-type]
    expected = {metric: cell for (metric, _), cell in segment_cells(rows).items()}
    assert found.keys() == expected.keys()
    for metric, cell in expected.items():
        assert (found[metric]["scores"], found[metric]["segments"]) == (cell.scores, cell.segments)
        for grouping, figures in cell.figures.items():
            shown_figures = found[metric]["groupings"][grouping]
            assert shown_figures["epsilon"] == cell.epsilons[grouping]
            for name, figure in figures.items():
                assert (shown_figures[name]["value"], shown_figures[name]["n"]) == (figure.value, figure.n)
    assert shown["segments_left_out"] == {}


def test_importing_again_changes_nothing(discox: Command, tmp_path: Path) -> None:
    made(tmp_path / "set")
    (tmp_path / "set" / "metric-scores" / "zh-en" / "judge-src.seg.rating").unlink()
    db = tmp_path / "a.db"
    discox("import", tmp_path / "set", "--db", db)
    before = strict(discox("consistency", "--json", "--db", db).out)["segments"]
    assert discox("import", tmp_path / "set", "--db", db).code == 0
    assert strict(discox("consistency", "--json", "--db", db).out)["segments"] == before


def test_segments_come_through_an_archive_and_a_test_set(discox: Command, tmp_path: Path) -> None:
    made(tmp_path / "set")
    db = tmp_path / "a.db"
    discox("import", tmp_path / "set", "--db", db)
    before = strict(discox("consistency", "--json", "--db", db).out)["segments"]
    for name, target in (("archive", tmp_path / "a.zip"), ("mt-metrics-eval", tmp_path / "again")):
        assert discox("export", name, target, "--db", db).code == 0
        other = tmp_path / f"{name}.db"
        assert discox("import", target, "--db", other).code == 0
        assert strict(discox("consistency", "--json", "--db", other).out)["segments"] == before


def test_every_format_has_them(discox: Command, tmp_path: Path) -> None:
    made(tmp_path / "set")
    db = tmp_path / "a.db"
    discox("import", tmp_path / "set", "--db", db)
    text = discox("consistency", "--db", db).out
    assert max(map(cell_len, text.splitlines())) <= 80
    section = text.split("RATED SEGMENTS")[1]
    assert "judge (errors)" in section
    assert "people rated as a whole" not in section
    rows = list(csv.DictReader(io.StringIO(discox("consistency", "--csv", "--db", db).out)))
    assert len([row for row in rows if row["level"] == "rated segment"]) == 2 * 3 * 5
    for option in ("--html", "--markdown", "--latex"):
        assert "grouping item" in discox("consistency", option, "-", "--db", db).out


def test_what_a_judge_says_of_no_segment_is_left_out_and_counted(tmp_path: Path) -> None:
    """Four translations: two are scored, one has an error without a place, one an unknown severity."""
    cut = (Segment("7", "a b", "x y"), Segment("8", "c d", "z w"))
    ours = Mark(0, "", "", ours=Ours("fluency", None, "minor"))
    known = Mark(1, "Accuracy/Mistranslation", "major", (Place("translation", 0, 1),))
    with library(
        [
            Annotation(Document("a", "A", (Segment("", "a", "x"),), "zh-en"), "j", False, (known._replace(segment=0),)),
            Annotation(Document("a", "B", cut, "zh-en"), "j", False, (ours,)),
            Annotation(Document("a", "C", cut, "zh-en"), "j", False, (known._replace(severity="unheard of"),)),
            Annotation(Document("a", "D", cut, "zh-en"), "j", False, (known, known._replace(severity="minor"))),
        ]
    ) as connection:
        rows, left_out = judges_by_segment(connection)
    assert [(row.metric, row.system, row.score, row.segments) for row in rows] == [
        ("j (errors)", "A", -5.0, ()), ("j (errors)", "D", -6.0, ((1, 0.0), (2, -6.0)))]  # fmt: skip
    assert left_out == {NO_PLACE: 1, NO_WEIGHT: 1}


def test_one_piece_is_one_segment_where_people_rated_no_other() -> None:
    """A judge that read a1 in one piece has a score of none of its two segments; a2 has one segment."""
    people = [ScoreRow("ann", s, a, "zh-en", 0, True, segments=of) for s in "AB" for a, of in (("a1", ((1, 1.0), (2, 2.0))), ("a2", ((1, float(ord(s))),)))]  # fmt: skip
    judged = [ScoreRow("j (errors)", s, a, "zh-en", -float(ord(s)), False) for s in "AB" for a in ("a1", "a2")]
    found = with_segments(compute_pairwise(ScoreTable(tuple(people)), resamples=20), lambda: (judged, {"so": 3}))
    cell = found.segments[""]["j (errors)", "zh-en"]
    assert (cell.scores, cell.articles, cell.figures["item"]["acc_eq"].value) == (2, 1, 0.0)
    assert cell.left_out["translations that the metric scored as a whole only"] == 2
    assert found.segments_left_out == {"so": 3}


def test_a_library_without_rated_segments_says_nothing_of_them(discox: Command, tmp_path: Path) -> None:
    made(tmp_path / "set")
    (tmp_path / "set" / "human-scores" / "zh-en.mqm.seg.score").unlink()
    discox("import", tmp_path / "set", "--db", tmp_path / "a.db")
    assert "segments" not in strict(discox("consistency", "--json", "--db", tmp_path / "a.db").out)


@pytest.mark.parametrize("name", ["near", "near-src"])
def test_one_metric_can_be_asked_for(discox: Command, tmp_path: Path, name: str) -> None:
    made(tmp_path / "set")
    db = tmp_path / "a.db"
    discox("import", tmp_path / "set", "--db", db)
    result = discox("consistency", "--json", "--judge", name, "--db", db)
    if name == "near-src":
        assert {each["metric"] for each in strict(result.out)["segments"]} == {"near-src"}
    else:
        assert result.code == 1
