"""People's marks of a translation held against a judge's of the same: files in, figures out, by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

HEADER = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata"
SOURCE = "Der Vertrag endet heute."
TEXTS = {"A": "The contract starts today", "B": "The treaty ends today"}
RATED = [
    ("A", "ana", "The contract <v>starts</v> today", "Accuracy/Mistranslation", "Major"),
    ("B", "ana", TEXTS["B"], "No-error", "No-error"),
    ("A", "ben", "The <v>contract starts</v> today", "Accuracy/Mistranslation", "Major"),
    ("B", "ben", "The <v>treaty</v> ends today", "Accuracy/Mistranslation", "Major"),
]
FOUND = {"A": ("starts", "today"), "B": ()}


def people(folder: Path) -> Path:
    path = folder / "mqm.tsv"
    rows = [
        "\t".join((system, "d1", "1", "1", rater, SOURCE, target, *said, "{}"))
        for system, rater, target, *said in RATED
    ]
    path.write_text("\n".join((HEADER, *rows, "")))
    return path


def judge(folder: Path, name: str = "gemba") -> Path:
    path = folder / f"{name}.jsonl"
    rows = [
        {
            "article": "d1",
            "segment": "1",
            "system": system,
            "direction": "de-en",
            "judge": name,
            "source": SOURCE,
            "translation": text,
            "answer": "Critical:\nno-error\nMajor:\n"
            + ("\n".join(f'accuracy/mistranslation - "{quote}"' for quote in FOUND[system]) or "no-error")
            + "\nMinor:\nno-error\n",
        }
        for system, text in TEXTS.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def read(discox: Command, tmp_path: Path) -> Any:
    library = tmp_path / "library.db"

    def imported(*paths: Path, options: tuple[str, ...] = ()) -> dict[str, Any]:
        for path in paths:
            direction = ("--direction", "de-en") if path.suffix == ".tsv" else ()
            assert discox("import", path, *direction, "--db", library).code == 0
        found: dict[str, Any] = json.loads(discox("consistency", "--json", *options, "--db", library).out)
        return found

    return imported


def value(figure: dict[str, Any]) -> tuple[float | None, int]:
    return figure["value"], figure["n"]


def check(report: dict[str, Any], judges: int = 1) -> None:
    """Two people and ``judges`` judges that say the same, over two translations."""
    spans = report["spans"]
    # ana marks "starts", ben "contract starts" and "treaty": of 1 and 2 spans 1 and 6/15 are matched.
    assert spans["humans"]["documents"] == 2
    assert value(spans["humans"]["partial"]) == (pytest.approx(2 * 1 * 0.2 / (1 + 0.2)), 3)
    # The judge marks "starts" and "today": with ana 1 of 2 and 1 of 1, with ben 1 of 2 and 6/15 of 2.
    assert spans["judge"]["documents"] == spans["beside"]["documents"] == 4 * judges
    assert value(spans["recall"]) == (pytest.approx(1.4 / 3), 3 * judges)
    assert value(spans["precision"]) == (pytest.approx(2 / 4), 4 * judges)
    assert value(spans["judge"]["partial"]) == (pytest.approx(2 * 0.5 * (1.4 / 3) / (0.5 + 1.4 / 3)), 7 * judges)
    assert value(spans["beside"]["partial"]) == value(spans["judge"]["partial"])
    assert value(spans["reviewers"]["ana"]["partial"]) == (pytest.approx(2 / 3), 3 * judges)
    assert value(spans["pairs"]["ana, ben"]["partial"]) if spans["pairs"] else True


@pytest.mark.parametrize("judge_first", [False, True])
def test_who_marked_a_translation_blind_is_held_against_its_judge(read: Any, tmp_path: Path, judge_first: bool) -> None:
    paths = [people(tmp_path), judge(tmp_path)]
    report = read(*(reversed(paths) if judge_first else paths))
    check(report)
    assert report["evaluations"]["total"] == report["evaluations"]["scored"] == 2
    assert report["signatures"] == {"imported, signature unknown: judge gemba": 2}


def test_people_count_once_however_many_judges_there_are(read: Any, tmp_path: Path) -> None:
    report = read(people(tmp_path), judge(tmp_path), judge(tmp_path, "other"))
    check(report, judges=2)
    check(read(options=("--judge", "other")))


def test_the_judge_s_scores_are_held_against_the_people_s_once(read: Any, tmp_path: Path) -> None:
    """People say −5 and −2.5, the judge 90 and 100: the one pair of systems is concordant, on both levels."""
    report = read(people(tmp_path), judge(tmp_path))
    cells = {(row["metric"], row["level"]): row for row in report["pairwise"]}
    assert {metric for metric, _ in cells} == {"Metric-S (gemba)", "GEMBA-MQM"}
    for row in cells.values():
        assert (row["direction"], row["n"], row["concordant"]) == ("de-en", 1, 1)
    assert report["raters"] == ["ana", "ben"]


def test_people_whom_no_judge_stands_beside_are_not_held_against_one(read: Any, tmp_path: Path) -> None:
    report = read(people(tmp_path))
    assert report["spans"]["humans"]["documents"] == 2
    assert report["spans"]["judge"]["documents"] == 0
    assert report["spans"]["recall"]["value"] is None
    assert report["spans"]["recall"]["why"] == "no judge's findings stand beside a document that was marked blind"


def test_a_reviewer_is_chosen_with_her_marks_alone(read: Any, tmp_path: Path) -> None:
    spans = read(people(tmp_path), judge(tmp_path), options=("--reviewer", "ben"))["spans"]
    assert (spans["judge"]["documents"], spans["humans"]["documents"]) == (2, 0)
    assert value(spans["recall"]) == (pytest.approx(0.4 / 2), 2)
