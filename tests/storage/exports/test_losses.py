"""What a format has no room for goes along beside its own fields where it can, and is said where it cannot."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

PAIRS = "article,system,source,translation,direction\na,s,河,river,zh-en\na,refA,河,the river,zh-en\n"
SCORES = "metric,system,article,score,human,rater,direction\nBLEU,s,a,31.5,0,,zh-en\nDA,s,a,80,1,eve,zh-en\n"


@pytest.fixture
def database(discox: Command, tmp_path: Path) -> Path:
    """Two translations, one of them a reference, with scores of one."""
    (tmp_path / "pairs.csv").write_text(PAIRS, encoding="utf-8")
    (tmp_path / "scores.csv").write_text(SCORES, encoding="utf-8")
    assert discox("import", tmp_path / "pairs.csv", "--db", tmp_path / "a.db").code == 0
    assert discox("import", "scores", tmp_path / "scores.csv", "--db", tmp_path / "a.db").code == 0
    return tmp_path / "a.db"


def scores(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT metric, system, article, score, human, rater, direction FROM scores ORDER BY metric"
        ).fetchall()


def test_label_studio_keeps_scores_beside_its_own_fields(discox: Command, database: Path, tmp_path: Path) -> None:
    file, again = tmp_path / "tasks.json", tmp_path / "b.db"
    result = discox("export", "label-studio", file, "--db", database)
    assert "2 scores written" in result.err
    assert "Label Studio keeps them and shows none" in result.err
    for stored in ("2 stored", "0 stored"):
        assert discox("import", file, "--db", again).code == 0, stored
    assert scores(again) == scores(database)


def test_label_studio_keeps_a_judge_s_own_score(discox: Command, tmp_path: Path) -> None:
    answer = "Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error"
    row = {"doc_id": "a", "system": "s", "source": "河", "translation": "river", "answer": answer, "score": -2}
    path, file = tmp_path / "a.jsonl", tmp_path / "tasks.json"
    path.write_text(f"{json.dumps(row)}\n{json.dumps(row | {'judge': 'j'})}\n", encoding="utf-8")
    assert discox("import", path, "--db", tmp_path / "a.db").code == 0
    assert discox("export", "label-studio", file, "--db", tmp_path / "a.db").code == 0
    assert discox("import", file, "--db", tmp_path / "b.db").code == 0
    ids = [
        [row["id"] for row in json.loads(discox("list", "--json", "--db", tmp_path / name).out)]
        for name in ("a.db", "b.db")
    ]
    assert ids[0] == ids[1]
    assert scores(tmp_path / "a.db") == scores(tmp_path / "b.db")


def test_references_have_a_folder_of_their_own(discox: Command, database: Path, tmp_path: Path) -> None:
    folder, again = tmp_path / "set", tmp_path / "b.db"
    assert discox("export", "mt-metrics-eval", folder, "--db", database).code == 0
    assert (folder / "references" / "zh-en.refA.txt").read_text(encoding="utf-8") == "the river\n"
    assert [file.name for file in (folder / "references").iterdir()] == ["zh-en.refA.txt"]
    assert discox("import", folder, "--db", again).code == 0
    with closing(sqlite3.connect(again)) as connection:
        assert connection.execute("SELECT count(*) FROM translations").fetchone() == (2,)


def test_errors_without_a_severity_are_told_from_unknown_ones(discox: Command, tmp_path: Path) -> None:
    results = [
        {"id": f"r{n}", "from_name": "label", "to_name": "translation", "type": "labels",
         "value": {"start": n, "end": n + 1, "labels": labels}}
        for n, labels in enumerate([["Accuracy"], ["Accuracy"]])
    ]  # fmt: skip
    data = {"source": "河", "translation": "river", "direction": "zh-en"}
    task = {"id": 1, "data": data, "annotations": [{"id": 1, "result": results}]}
    path = tmp_path / "b.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    assert discox("import", path, "--db", tmp_path / "a.db").code == 0
    err = discox("export", "mt-metrics-eval", tmp_path / "set", "--db", tmp_path / "a.db").err
    assert "2 errors have no severity given, and cost nothing in the scores" in err
    assert "none (" not in err


def test_an_mqm_table_says_what_direction_its_name_lacks(discox: Command, tmp_path: Path) -> None:
    header = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
    row = ["s", "d", "1", "1", "r1", "河", "<v>river</v>", "Accuracy/Mistranslation", "Major"]
    path = tmp_path / "mine.tsv"
    path.write_text("\t".join(header) + "\n" + "\t".join(row) + "\n", encoding="utf-8")
    told = discox("import", path, "--db", tmp_path / "b.db").out
    assert "…_zhen.tsv, or give it with --direction" in told
    discox("import", path, "--direction", "中译英", "--db", tmp_path / "a.db")
    err = discox("export", "wmt-mqm", tmp_path / "out.tsv", "--db", tmp_path / "a.db").err
    assert "call the file out_zhen.tsv, or import it with --direction zh-en" in err
    assert "direction" not in discox("export", "wmt-mqm", tmp_path / "out_zhen.tsv", "--db", tmp_path / "a.db").err
