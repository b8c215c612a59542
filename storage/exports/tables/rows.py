"""The library as flat tables, for spreadsheets and data frames: evaluations, findings, verdicts …, and the figures."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.analysis.review_data import is_meant, metric_name
from storage.exports.evaluations import COLUMNS, Values, exported
from storage.exports.selection import Selection

if TYPE_CHECKING:
    from judges.ranking.ranking import Cut
    from judges.stats.figure import Figure

_TOTAL: tuple[Cut, ...] = ("total",)
_ABOUT = ("article", "system", "direction", "judge")
"""Columns on its evaluation in each row, so that a table can be read alone; ``judge`` is the model."""

FIGURES, OUTCOMES = "figures", "outcomes"
TABLES: Mapping[str, tuple[str, ...]] = {
    OUTCOMES: (
        *("article", "system", "direction", "judge", "finding", "evaluation", "domain", "step", "number", "dimension"),
        *("category", "severity", "reviewer", "review", "outcome", "because", "said", "decision", "human_dimension"),
        *("human_category", "human_severity", "outcome_by_dimension", "outcome_by_category", "outcome_by_severity"),
        *("kept", "duplicate_of", "note", "at", "blind", "signature", "sample"),
    ),
    **{name: columns if name == "evaluations" else (*_ABOUT, *columns) for name, columns in COLUMNS.items()},
    FIGURES: ("of", "figure", "value", "low", "high", "n", "undefined_because", "warning"),
}
"""Table → its columns in their order."""


def chosen_table(path: Path, selection: Selection, ending: str) -> str | None:
    """Return the one table that is to be written, None for all: the one chosen; outcomes where the name is a table's.

    ``ending``: of a file that holds one table.
    """
    return selection.table or (OUTCOMES if path.suffix.lower() == ending else None)


def one_of(table: str | None, ending: str) -> list[str]:
    """Return a note that one table was written, and how to have all."""
    also = f"--table chooses another ({', '.join(TABLES)}), a name without {ending} makes a folder of all"
    return [f"this is the table {table}; {also}"] if table else []


def rows(connection: sqlite3.Connection, selection: Selection, only: str | None = None) -> Iterator[tuple[str, Values]]:
    """Yield every row with the name of its table, evaluation by evaluation, and then the figures. Memory stays flat.

    The outcomes come first, as one query finds them for all evaluations. ``only``: the rows of this table alone.
    """
    if only in (None, OUTCOMES):
        for row in _outcomes(connection, selection):
            yield OUTCOMES, row
    if only in (None, *COLUMNS):
        for name, row in _by_evaluation(connection, selection):
            if only in (None, name):
                yield name, row
    if only in (None, FIGURES):
        for row in _figures(connection, selection):
            yield FIGURES, row


def _by_evaluation(connection: sqlite3.Connection, selection: Selection) -> Iterator[tuple[str, Values]]:
    for one in exported(connection, selection):
        yield "evaluations", one.evaluation
        of = one.evaluation
        about = {name: of[name] for name in _ABOUT}
        for table in COLUMNS:
            if table != "evaluations":
                for row in getattr(one, table):
                    yield table, about | row


def _outcomes(connection: sqlite3.Connection, selection: Selection) -> Iterator[Values]:
    """Yield each error of the judge with its outcome in each review: the rows of the view ``v_outcomes``."""
    chosen, values = selection.clause(connection)
    clause, layer = selection.reviewer_clause("o.reviewer")
    found = connection.execute(_outcomes_sql(chosen, clause), (*values, *layer))
    for row in found:
        of = dict(zip(TABLES[OUTCOMES], row, strict=True))
        yield of | {"kept": bool(of["kept"])}


def _outcomes_sql(chosen: str, reviewers: str) -> str:
    columns = ", ".join(f"o.{column}" for column in TABLES[OUTCOMES])
    return f"""
SELECT {columns} FROM v_outcomes o JOIN evaluations e ON e.id = o.evaluation
WHERE {chosen} AND {reviewers} ORDER BY e.position, o.reviewer, o.number
"""


def _figures(connection: sqlite3.Connection, selection: Selection) -> Iterator[Values]:
    """The systems' means by each judge, and every figure of consistency, over what is chosen."""
    from storage.analysis.judge_scores import leaderboards
    from storage.analysis.review_data import read_reviewed

    for board in leaderboards(connection, selection.words, selection.reviewer, _TOTAL):
        judge = board.of.judge
        if selection.judges and not is_meant(selection.judges, judge, metric_name(judge)):
            continue
        for ranking in board.rankings:
            for standing in ranking.standings:
                human = {} if standing.human is None else {"by the reviewers": standing.human.human}
                for by, mean in {f"by {judge}": standing.mean, **human}.items():
                    of = {
                        "of": f"system {standing.system}",
                        "figure": f"mean {by}",
                        "value": mean.value,
                        "low": mean.low,
                    }
                    yield of | {"high": mean.high, "n": mean.n, "undefined_because": mean.why, "warning": ""}
    report = read_reviewed(connection, selection.reviewer, selection.words, selection.judges).report()
    for path, figure in _found(report):
        interval = figure.interval
        yield {
            "of": " · ".join(part.replace("_", " ") for part in path[:-1]),
            "figure": path[-1].replace("_", " "),
            "value": figure.value,
            "low": interval and interval.low,
            "high": interval and interval.high,
            "n": figure.n,
            "undefined_because": figure.why or (interval.why if interval else ""),
            "warning": interval.warning if interval else "",
        }


def _found(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Figure]]:
    """Yield every figure in a report, under the names that lead to it."""
    from judges.stats.figure import Figure

    if isinstance(value, Figure):
        yield path, value
    elif is_dataclass(value):
        for part in fields(value):
            yield from _found(getattr(value, part.name), (*path, part.name))
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _found(part, (*path, str(name)))
