"""JSON schemas of the answers, as every provider's structured output takes them.

The root is an object, keys are ASCII, every key is required and no other allowed. What a judge must find first (the
place, the words) comes before what it concludes from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from judges.model import CATEGORIES, DIMENSIONS, LEVELS, SEVERITIES, Dimension, Judge

Schema = dict[str, Any]

MOST_FINDINGS = 80
"""No judge has more to say of one text; a model that goes on is going round in circles."""

NO_ERRORS = "no_errors"
"""The judge's word for no errors. An empty list alone may be all that a failing model could write."""
NO_DUPLICATES = "no_duplicates"

_TEXT: Schema = {"type": "string"}
_QUOTE: Schema = {"type": ["string", "null"]}
_PARAGRAPH_NUMBER: Schema = {"type": ["integer", "null"]}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: Schema, most: int) -> Schema:
    return {"type": "array", "items": item, "maxItems": most}


def _one_of(words: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(words)}


_PARAGRAPH = _object(source=_PARAGRAPH_NUMBER, target=_PARAGRAPH_NUMBER)


def _finding(categories: Iterable[str], severities: Iterable[str]) -> Schema:
    return _object(
        paragraph=_PARAGRAPH,
        category=_one_of(categories),
        severity=_one_of(severities),
        source_quote=_QUOTE,
        target_quote=_QUOTE,
        target_context=_QUOTE,
        explanation=_TEXT,
        suggestion=_QUOTE,
    )


_VERDICT = _object(
    number={"type": "integer"},
    paragraph=_PARAGRAPH,
    source_quote=_QUOTE,
    target_quote=_QUOTE,
    target_context=_QUOTE,
    explanation=_TEXT,
    met={"type": "boolean"},
)
_FOUND = _one_of(("errors_found", NO_ERRORS))
_CHECK = _object(explanation=_TEXT, verdict=_one_of(("pass", "fail")))


def check_schema() -> Schema:
    """The instruction check: a reason, then whether the output passes as a translation of the text."""
    return _CHECK


def findings_schema(judge: Judge) -> Schema:
    """A judge's findings in its own categories and severities, and its word on whether there are any."""
    return _object(items=_list(_finding(CATEGORIES[judge], LEVELS[judge]), MOST_FINDINGS), conclusion=_FOUND)


def rubric_schema(points: int) -> Schema:
    """A verdict on each of an article's rubric points."""
    return _object(items=_list(_VERDICT, points))


def deduplication_schema() -> Schema:
    """Return the schema of a de-duplication: which findings go, in favour of which, and whether any do."""
    names = _list(_TEXT, MOST_FINDINGS)
    line = _object(explanation=_TEXT, keep=names, drop=names)
    return _object(items=_list(line, MOST_FINDINGS), conclusion=_one_of(("duplicates_found", NO_DUPLICATES)))


def repair_schema(quotes: int) -> Schema:
    """The exact text for each numbered quote, or null."""
    return _object(items=_list(_object(number={"type": "integer"}, text=_QUOTE), quotes))


def places_schema(findings: int) -> Schema:
    """The words of both texts that each numbered finding is about, place by place."""
    item = _object(
        number={"type": "integer"},
        paragraph=_PARAGRAPH,
        source_quote=_QUOTE,
        target_quote=_QUOTE,
        target_context=_QUOTE,
    )
    return _object(items=_list(item, 2 * findings + 8))


def detailed_schema(points: int) -> Schema:
    """Everything at once: check, findings of every dimension (its category tells which), rubric verdicts."""
    judges: tuple[Judge, ...] = ("accuracy", "fluency", "appropriateness")
    categories = [category for judge in judges for category in CATEGORIES[judge]]
    severities = [severity for severity in SEVERITIES if severity != "violated"]
    rubric = {"rubric": _list(_VERDICT, points)} if points else {}
    findings = _list(_finding(categories, severities), MOST_FINDINGS)
    return _object(instruction_check=_CHECK, **rubric, items=findings, conclusion=_FOUND)


def simple_schema(maxima: Mapping[Dimension, int]) -> Schema:
    """Points by dimension and nothing else."""
    return _object(**{d: {"type": "integer", "minimum": 0, "maximum": maxima[d]} for d in DIMENSIONS})
