"""Evaluations as plain values: each itself, what its judge found, and what reviewers said."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from storage.exports.selection import Selection
from storage.record.proofs import read_proofs

Values = dict[str, Any]
"""One row of a table: column → text, number, truth value or None, or a list of such."""


@dataclass(frozen=True, slots=True)
class Exported:
    """One evaluation with all that belongs to it. Every row of the lists has the columns of its table.

    ``findings``: what the judge reported, dropped ones too; ``reviews``: how far each layer is; ``verdicts``: of layers
    on findings; ``own_errors``: errors that reviewers marked themselves; ``points``: what they said of rubric points.
    """

    evaluation: Values
    findings: list[Values]
    reviews: list[Values]
    verdicts: list[Values]
    own_errors: list[Values]
    points: list[Values]


COLUMNS: dict[str, tuple[str, ...]] = {
    "evaluations": (
        *("evaluation", "article", "system", "direction", "domain", "subdomain", "judge", "state"),
        *("total", "accuracy", "fluency", "appropriateness", "errors"),
        *("stored_total", "stored_accuracy", "stored_fluency", "stored_appropriateness"),
        *("failed", "flags", "signature", "sample", "quotes", "quotes_verified", "rubric", "source", "translation"),
    ),
    "findings": (
        *("finding", "evaluation", "number", "step", "dimension", "category", "severity"),
        *("category_label", "severity_label", "rubric_point", "paragraph", "explanation", "suggestion", "kept"),
        *("duplicate_of", "proof", "mend", "source_words", "translation_words", "spans"),
    ),
    "reviews": (
        *("evaluation", "reviewer", "state", "reason", "total", "accuracy", "fluency", "appropriateness"),
        *("decided", "unsure", "marked", "search", "instruction", "blind", "at"),
    ),
    "verdicts": (
        *("evaluation", "finding", "number", "reviewer", "decision", "new_dimension", "new_category"),
        *("new_severity", "duplicate_of", "repeat_of", "matches", "invented", "spans", "note", "at", "review"),
    ),
    "own_errors": (
        *("error", "evaluation", "reviewer", "dimension", "category", "severity", "category_label", "severity_label"),
        *("source_words", "translation_words", "repeat_of", "blind", "missed", "spans", "note", "at", "review"),
    ),
    "points": ("evaluation", "reviewer", "point", "decision", "note", "at", "review"),
}
"""The columns of each table, in their order. ``spans``: list of ``[side, start, end]``, of findings with confidence."""


def exported(connection: sqlite3.Connection, selection: Selection) -> Iterator[Exported]:
    """Yield the chosen evaluations in the order they came, one at a time."""
    chosen, values = selection.clause(connection)
    clause, layer = selection.reviewer_clause()
    of_reviewers = _of_reviewers_sql(clause)
    found = connection.execute(_evaluations_sql(chosen), values)
    for row in found:
        evaluation = dict(zip(COLUMNS["evaluations"], row, strict=True))
        evaluation |= {name: json.loads(evaluation[name]) for name in ("failed", "flags")}
        identity, texts = evaluation["evaluation"], (evaluation["source"], evaluation["translation"] or "")
        rows = {
            table: [
                dict(zip(COLUMNS[table], read, strict=True)) for read in connection.execute(query, (identity, *layer))
            ]
            for table, query in of_reviewers.items()
        }
        rows["findings"] = _findings(connection, identity)
        for table in ("findings", "own_errors"):
            for each in rows[table]:
                each |= words_of(json.loads(each["spans"]), *texts)
        for each in rows["verdicts"]:
            each["spans"] = json.loads(each["spans"]) if each["spans"] else None
        for table, names in _TRUTHS.items():
            for each in rows[table]:
                each |= {name: None if each[name] is None else bool(each[name]) for name in names}
        yield Exported(evaluation, **rows)


def _findings(connection: sqlite3.Connection, identity: str) -> list[Values]:
    proofs = read_proofs(connection, identity)
    found = []
    for row in connection.execute(_FINDINGS, (identity, identity)):
        values = dict(zip(COLUMNS["findings"], row, strict=True))
        proof = proofs.get(values["number"])
        found.append(values | {"proof": proof and proof.state, "mend": proof and proof.mend})
    return found


def words_of(spans: list[list[Any]], source: str, translation: str) -> Values:
    """Return the spans, and the words that they are, of each side; stretches of one side with “ … ” between them."""
    texts = {"source": source, "translation": translation}
    words = {
        f"{side}_words": " … ".join(text[start:end] for place, start, end, *_ in spans if place == side and end > start)
        for side, text in texts.items()
    }
    return {**words, "spans": spans}


_TRUTHS = {"findings": ("kept",), "verdicts": ("invented",), "own_errors": ("blind", "missed")}


def _evaluations_sql(chosen: str) -> str:
    return f"""
SELECT e.id, e.article, e.system, e.direction, e.domain, a.subdomain, e.judge, e.state,
  e.total, e.accuracy, e.fluency, e.appropriateness, e.errors,
  e.stored_total, e.stored_accuracy, e.stored_fluency, e.stored_appropriateness,
  e.failed, e.flags, g.text, e.sample, e.quotes, e.quotes_verified, a.rubric_text, a.source, t.text
FROM evaluations e JOIN articles a ON a.id = e.article_id JOIN translations t ON t.id = e.translation_id
LEFT JOIN signatures g ON g.id = e.signature_id
WHERE {chosen} ORDER BY e.position
"""


_FINDINGS = """
SELECT f.id, f.evaluation_id, f.number, f.judge, f.dimension, f.category, f.severity, f.category_label,
  f.severity_label, f.rubric_point, f.hint, f.explanation, f.suggestion, f.kept, f.duplicate_of, '', '', '', '',
  (SELECT json_group_array(json_array(s.side, s.start, s."end", s.confidence)) FROM
    (SELECT * FROM spans s WHERE s.evaluation_id = f.evaluation_id AND s.finding_id = f.id AND s.role = 'quote'
      AND s.method = (SELECT method FROM groundings WHERE evaluation_id = ? ORDER BY at DESC LIMIT 1)
      ORDER BY s.position) s)
FROM findings f WHERE f.evaluation_id = ? ORDER BY f.number
"""


def _review_of(table: str) -> str:
    """Return the column with the state of the review that a row is of, so that what is not finished shows in each."""
    of = f"r.evaluation_id = {table}.evaluation_id AND r.reviewer = {table}.reviewer"
    return f"(SELECT state FROM reviews r WHERE {of}) AS review"


def _of_reviewers_sql(reviewers: str) -> dict[str, str]:
    return {
        "reviews": "SELECT evaluation_id, reviewer, state, reason, total, accuracy, fluency, appropriateness, decided, "
        "unsure, marked, search, instruction, blind, at FROM reviews "
        f"WHERE evaluation_id = ? AND {reviewers} ORDER BY reviewer",
        "verdicts": "SELECT evaluation_id, finding_id, (SELECT number FROM findings f "
        "WHERE f.evaluation_id = v.evaluation_id AND f.id = v.finding_id) AS number, reviewer, decision, dimension, "
        "category, severity, duplicate_of, repeat_of, matches, invented, spans, note, at, "
        f"{_review_of('v')} FROM verdicts v WHERE evaluation_id = ? AND {reviewers} ORDER BY reviewer, number",
        "own_errors": "SELECT id, evaluation_id, reviewer, dimension, category, severity, category_label, "
        "severity_label, '', '', repeat_of, blind, missed, spans, note, at, "
        f"{_review_of('m')} FROM marked_errors m WHERE evaluation_id = ? AND {reviewers} ORDER BY reviewer, at, id",
        "points": f"SELECT evaluation_id, reviewer, point, decision, note, at, {_review_of('p')} "
        f"FROM point_verdicts p WHERE evaluation_id = ? AND {reviewers} ORDER BY reviewer, point",
    }
