"""What locating an error costs on a long pair, and, where cases with right answers are there, how often it is right."""

from __future__ import annotations

import importlib.util
import json
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from time import process_time
from typing import Any

from benchmarks.figures import Figure, figure
from benchmarks.generate import article, evaluation_row
from benchmarks.process import ROOT
from judges.grounding import Report, ground, prepare
from judges.grounding.ground import predict
from judges.metric_s.reading.official_record import read_judgement

LENGTH, FINDINGS, PAIRS = 16_000, 60, 4
REFERENCE = {"cases.json": 0.971, "cases_free.json": 0.827}
"""Share of acceptable cases that a good method reaches."""


def _milliseconds(act: Callable[..., object], *arguments: object) -> float:
    started = process_time()
    act(*arguments)
    return (process_time() - started) * 1000


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _costs() -> tuple[list[float], list[float], list[float]]:
    """CPU milliseconds of preparing each pair, of folding its texts (the bare work), and of each finding."""
    prepared, folded, found = [], [], []
    for key in range(1, PAIRS + 1):
        row = evaluation_row(article(key, length=LENGTH), 1, FINDINGS)
        source, translation = row["ori_text"], row["model_output"]
        direction = "zh-en" if key % 2 else "en-zh"
        judgement = read_judgement(row["detailed_judgement"], len(row["reference_list"].splitlines()), translation)
        points = dict(enumerate(row["reference_list"].splitlines(), 1))
        for _ in range(3):
            prepared.append(_milliseconds(prepare, source, translation, direction))
            folded.append(sum(_milliseconds(_fold, text) for text in (source, translation)))
        pair = prepare(source, translation, direction)
        for finding in judgement.findings:
            text = points.get(finding.rubric_point or 0, "")
            report = Report(finding.explanation, finding.hint, finding.category_label or finding.category, text)
            found.append(_milliseconds(ground, pair, [report]))
    return prepared, folded, found


def _shared() -> Path:
    return Path(os.environ.get("DISCOX_SHARED", ROOT.parent / "shared"))


def _acceptance() -> list[Figure]:
    """The share of acceptable cases, by the scorer that comes with the cases; nothing where they are absent."""
    folder = _shared() / "cases" / "grounding"
    specification = importlib.util.spec_from_file_location("score", folder / "score.py")
    if not (folder / "score.py").is_file() or specification is None or specification.loader is None:
        return []
    scorer: Any = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(scorer)
    figures = []
    for name, reference in REFERENCE.items():
        data = json.loads((folder / name).read_text(encoding="utf-8"))
        scores = scorer.score(data, {prediction["id"]: prediction for prediction in predict(data)})
        figures.append(figure(f"{name}: acceptable, of {scores['cases']}", scores["acceptable"], "", f"≥ {reference}"))
        figures.append(figure(f"{name}: sides lit in the wrong place", scores["wrong_side"], ""))
    return figures


def measure() -> list[Figure]:
    """Measure on pairs of which the longer side has 16k characters."""
    prepared, folded, found = _costs()
    return [
        figure("preparing a pair", median(prepared), "ms CPU", "≤ 40"),
        figure("preparing a pair, to folding its texts", median(prepared) / median(folded), "×"),
        figure(f"a finding, p50 of {len(found)}", median(found), "ms CPU", "≤ 1"),
        figure("a finding, p95", quantiles(found, n=20)[-1], "ms CPU", "≤ 6"),
        *_acceptance(),
    ]
