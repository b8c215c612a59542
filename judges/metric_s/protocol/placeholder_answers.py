"""Placeholder answers for a dry run, which lead through all questions; apart, since nobody is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from judges.metric_s.protocol.schemas import NO_DUPLICATES
from judges.model import CATEGORIES, LEVELS, Article, Judge

OUTPUT: Mapping[str, float] = {
    "instruction_check": 150,
    "accuracy": 1_500,
    "rubric": 1_500,
    "fluency": 800,
    "appropriateness": 600,
    "deduplication": 600,
    "single_detailed": 3_000,
    "single_simple": 50,
    "mend": 100,
    "comparison": 100,
}
"""About how many tokens a model without thinking answers a step with; what is on record of a model is better."""


def placeholder_answer(step: str, article: Article, mark: str) -> str:
    """Return an answer to a step after which as many questions follow as ever do, and none of repair.

    Every judge finds one error and quotes nothing; one rubric point is violated. ``mark`` stands in every finding, so
    that those of different translations are not the same question to the de-duplicator.
    """
    said: Mapping[str, Any] = {
        "instruction_check": {"explanation": "", "verdict": "pass"},
        "rubric": {"items": _verdicts(article)},
        "deduplication": {"items": [], "conclusion": NO_DUPLICATES},
        "single_detailed": {
            "instruction_check": {"explanation": "", "verdict": "pass"},
            "rubric": _verdicts(article),
            "items": [],
            "conclusion": "no_errors",
        },
        "single_simple": {"accuracy": 0, "fluency": 0, "appropriateness": 0},
        "mend": {"mended": mark},
        "comparison": {"explanation": "", "better": "first"},
        **{judge: {"items": [_finding(judge, mark)], "conclusion": "errors_found"} for judge in _JUDGES},
    }
    return json.dumps(said[step])


_JUDGES: tuple[Judge, ...] = ("accuracy", "fluency", "appropriateness")
_NOWHERE = {"source_quote": None, "target_quote": None, "target_context": None}


def _finding(judge: Judge, mark: str) -> Mapping[str, Any]:
    kind = {"category": next(iter(CATEGORIES[judge])), "severity": LEVELS[judge][0]}
    return {"paragraph": {"source": 1, "target": 1}, **kind, **_NOWHERE, "explanation": mark, "suggestion": None}


def _verdicts(article: Article) -> list[Mapping[str, Any]]:
    where = {"paragraph": {"source": 1, "target": 1}, **_NOWHERE, "explanation": "–"}
    numbers = dict.fromkeys(point.number for point in article.rubric)
    return [{"number": number, **where, "met": place > 0} for place, number in enumerate(numbers)]
