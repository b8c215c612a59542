"""The notebook of analyses runs, prints what it is stored with, and says what the report says."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "analyses.ipynb"


def test_every_cell_prints_what_is_stored_with_it() -> None:
    pytest.importorskip("pandas")
    cells = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for cell in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("".join(cell["source"]), names)
        stored = "".join(line for output in cell["outputs"] for line in output["text"])
        assert printed.getvalue().split() == stored.split()
    report = names["report"].findings
    for category, row in names["table"].iterrows():
        precision = report.by["category"][category].precision
        assert (row.precision, row.n) == (pytest.approx(precision.value), precision.n)
    severities = report.severity.table
    for row, judge in enumerate(severities.rows[:3]):
        for column, human in enumerate(severities.columns[:3]):
            if judge != human:  # the diagonal holds other dimensions' errors, too
                assert names["matrix"].loc[judge, human] == severities.counts[row][column]
    assert len(cells) >= 11
