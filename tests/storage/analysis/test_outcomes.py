"""The outcomes as other tools read them: in SQL, in a data frame and in the report, the same figures."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.compute
import pyarrow.parquet
import pytest

from judges.consistency.detection import NOT_GIVEN
from storage.db.connection import Connection
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support import builders

OUTCOME = {
    **{label: f"outcome_by_{label}" for label in ("dimension", "category", "severity")},
    **dict.fromkeys(("system", "direction", "domain"), "outcome"),
}
"""What precision is asked by → the outcome that counts there: under a label, that label has to stand."""


def reported(discox: Command, path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(discox("consistency", "--json", "--db", path).out)["findings"]
    return found


def precisions(connection: Connection, column: str) -> dict[str, tuple[float, int]]:
    """The obvious query."""
    rows = connection.execute(
        f"SELECT {column}, avg({OUTCOME[column]} = 'right'), count(*) FROM v_outcomes "
        f"WHERE {OUTCOME[column]} IN ('right', 'wrong') AND {column} IS NOT NULL GROUP BY {column}"
    )
    return {label: (share, n) for label, share, n in rows}


@pytest.mark.parametrize("library", ["sample", "contested"])
def test_the_obvious_query_gives_the_report_s_precision(
    library: str, discox: Command, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path = request.getfixturevalue(library)
    report = reported(discox, path)
    folder = tmp_path / "tables"
    assert discox("export", "parquet", folder, "--db", path).code == 0
    table = pyarrow.parquet.read_table(folder / "outcomes.parquet")
    decided = table.filter(pyarrow.compute.field("outcome").isin(["right", "wrong"]))
    with closing(open_library(path)) as connection:
        ((share, n),) = connection.execute(
            "SELECT avg(outcome = 'right'), count(*) FROM v_outcomes WHERE outcome IN ('right', 'wrong')"
        )
        overall = report["overall"]["precision"]
        assert n > 5
        assert (share, n) == (pytest.approx(overall["value"]), overall["n"])
        outcomes = Counter(decided["outcome"].to_pylist())
        assert (outcomes["right"], outcomes.total()) == (report["overall"]["right"], n)
        for grouping, outcome in OUTCOME.items():
            expected = {
                label: (pytest.approx(found["precision"]["value"]), found["precision"]["n"])
                for label, found in report["by"][grouping].items()
                if found["precision"]["n"] and label != NOT_GIVEN
            }
            assert precisions(connection, grouping) == expected, grouping
            rows = decided.select([grouping, outcome]).to_pylist()
            right = Counter(row[grouping] for row in rows if row[outcome] == "right" and row[grouping])
            of = Counter(row[grouping] for row in rows if row[grouping])
            assert {label: (right[label] / n, n) for label, n in of.items()} == expected, grouping


def test_what_is_left_out_or_open_says_why(discox: Command, contested: Path) -> None:
    with closing(open_library(contested)) as connection:
        silent = connection.execute(
            "SELECT count(*) FROM v_outcomes WHERE outcome NOT IN ('right', 'wrong') AND because IS NULL"
        ).fetchone()
        assert silent == (0,)


def test_a_group_counts_once_however_it_is_linked(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        evaluation = builders.add(connection)
        ids = [row[0] for row in connection.execute("SELECT id FROM findings WHERE kept ORDER BY number")]
        log = ReviewLog(connection, "ana")
        for finding in ids:
            log.decide(evaluation, finding, decision="agree")
        assert outcomes(connection) == dict.fromkeys(ids, "right")
        log.decide(evaluation, ids[2], repeat_of=ids[1])
        log.decide(evaluation, ids[3], repeat_of=ids[2])
        assert outcomes(connection) == {**dict.fromkeys(ids, "right"), ids[2]: "repeated", ids[3]: "repeated"}


def outcomes(connection: Connection) -> dict[str, str]:
    rows = connection.execute("SELECT finding, said FROM v_outcomes WHERE kept AND reviewer = 'ana'")
    return dict(rows.fetchall())


def test_what_people_left_as_it_was_is_filled_in(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        evaluation = builders.add(connection)
        first, second, *_ = [row[0] for row in connection.execute("SELECT id FROM findings ORDER BY number")]
        log = ReviewLog(connection, "ana")
        log.decide(evaluation, first, decision="override", severity="critical")
        log.decide(evaluation, second, decision="reattribute", dimension="fluency", category="grammar")
        rows = connection.execute(
            "SELECT dimension, category, severity, human_dimension, human_category, human_severity, review "
            "FROM v_outcomes WHERE decision IS NOT NULL ORDER BY number"
        ).fetchall()
    assert rows == [
        ("accuracy", "mistranslation", "major", "accuracy", "mistranslation", "critical", "in_progress"),
        ("accuracy", "omission", "critical", "fluency", "grammar", "minor", "in_progress"),
    ]


def test_each_error_is_one_row_with_its_places(sample: Path) -> None:
    with closing(open_library(sample)) as connection:
        counts = [connection.execute(f"SELECT count(*) FROM {name}").fetchone() for name in ("v_errors", "findings")]
        assert counts[0] == counts[1]
        spans = connection.execute("SELECT sum(json_array_length(spans)) FROM v_errors").fetchone()
        assert spans == connection.execute("SELECT count(side) FROM v_findings").fetchone()
