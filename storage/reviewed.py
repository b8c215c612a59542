"""What the consistency figures are computed from, read out of the library: who said what of which finding."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat

from judges.agreement.records import FindingKind, FindingTable, Key, QuoteCount, ReviewedDocument, ReviewedRow
from judges.agreement.report import ConsistencyReport, EvaluationCounts, consistency
from judges.model import Score
from judges.resampling import RESAMPLES, SEED
from storage.library import read_signature
from storage.queue import STANDING, words_clause


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The rows of one selection of reviewers, and the evaluations that none of the figures can include.

    ``left_out``: reason → number of evaluations. ``unfinished``: reason → number of reviews whose findings count but
    whose scores do not, because the review is not complete. ``signatures``: what decided the scores → number of
    evaluations that figures rest on. ``quotes``: by article, of the evaluations that a reviewer opened.
    """

    findings: FindingTable
    documents: list[ReviewedDocument]
    evaluations: EvaluationCounts
    left_out: dict[str, int]
    unfinished: dict[str, int]
    signatures: dict[str, int]
    quotes: list[QuoteCount]

    def report(self, resamples: int = RESAMPLES, seed: int = SEED) -> ConsistencyReport:
        """Compute every figure from these rows; intervals from so many resamples."""
        return consistency(
            self.findings,
            self.documents,
            self.left_out,
            self.evaluations,
            self.unfinished,
            signatures=self.signatures,
            quotes=self.quotes,
            resamples=resamples,
            seed=seed,
        )


def read_reviewed(
    connection: sqlite3.Connection, reviewer: str | None = None, words: str = "", judges: Sequence[str] = ()
) -> Reviewed:
    """Read the reviews of one reviewer, or of all of them: one row for each (evaluation, reviewer).

    ``words``: only evaluations in whose article, system, direction, domain, judge or state every word occurs; where
    no ``reviewer`` is given, a word that is a reviewer's name chooses her. ``judges``: only evaluations by these, in
    any case, or by those that the metrics of these names are from.
    Only evaluations in which every judge answered take part. A review counts in the document figures once it is
    done and every error in it is decided.
    """
    if reviewer is None:
        reviewer, words = reviewer_among(connection, words)
    matching, values = words_clause(words)
    if judges:
        known = [row[0] for row in connection.execute("SELECT DISTINCT judge FROM evaluations")]
        chosen = json.dumps([judge for judge in known if is_meant(judges, judge, metric_name(judge))])
        matching, values = f"{matching} AND e.judge IN (SELECT value FROM json_each(?))", [*values, chosen]
    asked = (reviewer, reviewer, *values)
    findings = _findings(connection, matching, asked)
    documents: list[ReviewedDocument] = []
    unfinished: Counter[str] = Counter()
    states: dict[str, set[str]] = {}
    dimensions = cache(lambda signature: read_signature(connection, signature)[1].judged)
    for row in connection.execute(_REVIEWS.format(matching), asked):
        identity, article, system, direction, domain, model, name, state, errors, decided, unsure, *points, by = row
        states.setdefault(identity, set()).add(state)
        if state == "in_progress":
            unfinished["review in progress"] += 1
        elif state == "done" and decided < errors:
            unfinished["done, but some errors were not decided"] += 1
        elif state == "done" and unsure:
            unfinished["done, but the reviewer is unsure of some errors"] += 1
        elif state == "done":
            head = identity, article, system, direction, domain, model, name
            judge, human = Score(*points[:3]), Score(*points[3:])
            documents.append(ReviewedDocument(*head, judge, human, dimensions(by)))
    counts = dict(connection.execute(_STATES.format(matching), values).fetchall())
    done = sum("done" in each for each in states.values())
    in_progress = sum("in_progress" in each and "done" not in each for each in states.values())
    skipped = sum(each == {"skipped"} for each in states.values())
    scored = counts.get("scored", 0)
    left_out = {
        "score only: no findings to review": counts.get("score_only", 0),
        "judge failed: no score is claimed": counts.get("judge_failed", 0),
        "instruction check failed: no errors to review": counts.get("instruction_failed", 0),
        "no translation": counts.get("no_translation", 0),
        "skipped by the reviewer": skipped,
        "not reviewed yet": scored - done - in_progress - skipped,
    }
    return Reviewed(
        findings,
        documents,
        EvaluationCounts(
            sum(counts.values()),
            scored,
            done,
            in_progress,
            skipped,
            counts.get("judge_failed", 0),
            counts.get("instruction_failed", 0),
            counts.get("no_translation", 0),
            counts.get("score_only", 0),
        ),
        {reason: count for reason, count in left_out.items() if count},
        dict(unfinished),
        _signatures(connection, {row.evaluation for rows in (findings.reviews, documents) for row in rows}),
        [QuoteCount(*row) for row in connection.execute(_QUOTES.format(matching), asked)],
    )


def _findings(connection: sqlite3.Connection, matching: str, asked: Sequence[object]) -> FindingTable:
    """Read the findings of the reviews in columns: one row an evaluation, and then one a review.

    What is said of a finding comes as JSON, whose lines are told apart without being parsed: few differ.
    """
    judges, humans = _numbering(), _numbering()
    judged: dict[int, tuple[list[str], array[int], array[int]]] = {}
    for position, ids, numbers, kinds in connection.execute(_FINDINGS.format(matching), asked):
        codes = array("i", map(judges.__getitem__, kinds.split("\n")))
        judged[position] = json.loads(ids), codes, array("q", [position << 32 | n for n in json.loads(numbers)])
    table = FindingTable()
    judge, human = array("i"), array("i")
    unseen = humans["[null,null,null,null]"]
    for position, *row, ids, kinds in connection.execute(_VERDICTS.format(matching), asked):
        if position in judged:
            own, codes, findings = judged[position]
            said = dict(zip(json.loads(ids), map(humans.__getitem__, kinds.split("\n")), strict=True))
            human.extend(map(said.get, own, repeat(unseen)))
            judge.extend(codes)
            table.finding.extend(findings)
            table.review.extend(repeat(len(table.reviews), len(own)))
            table.reviews.append(ReviewedRow(*row))
    of_judge, of_human = ([json.loads(kind) for kind in numbering] for numbering in (judges, humans))
    both = [j * len(humans) + h for j, h in zip(judge, human, strict=True)]
    known = {pair: number for number, pair in enumerate(sorted(set(both)))}
    for pair in known:
        judges_part, humans_part = divmod(pair, len(humans))
        table.kinds.append(FindingKind(*of_judge[judges_part], *of_human[humans_part]))
    table.kind.extend(map(known.__getitem__, both))
    return table


def _numbering() -> defaultdict[str, int]:
    """Numbers for texts, from 0 in the order in which they are first asked for."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def _signatures(connection: sqlite3.Connection, evaluations: Iterable[Key]) -> dict[str, int]:
    """Count the evaluations by what decided their scores, the most frequent first."""
    rows = connection.execute(
        "SELECT coalesce(g.text, 'imported, signature unknown: judge ' || e.judge) AS said, count(*) "
        "FROM json_each(?) chosen JOIN evaluations e ON e.id = chosen.value "
        "LEFT JOIN signatures g ON g.id = e.signature_id GROUP BY said ORDER BY count(*) DESC, said",
        (json.dumps(list(evaluations)),),
    )
    return dict(rows.fetchall())


def reviewer_among(connection: sqlite3.Connection, words: str) -> tuple[str | None, str]:
    """Return the reviewer whom one of the words names, and the other words; None and all of them if none does."""
    names = {row[0] for row in connection.execute("SELECT DISTINCT reviewer FROM reviews")}
    given = words.split()
    reviewer = next((word for word in given if word in names), None)
    return reviewer, " ".join(word for word in given if word != reviewer)


def metric_name(judge: str) -> str:
    """The metric that a judge's scores are."""
    return f"Metric-S ({judge})"


def is_meant(given: Iterable[str], *names: str) -> bool:
    """Whether one of the names that were given is one of these, whatever their case."""
    return bool({name.casefold() for name in given} & {name.casefold() for name in names})


_OF = "(? IS NULL OR r.reviewer = ?) AND {}"
_STATES = f"SELECT e.state, count(*) FROM evaluations e WHERE {{}} AND {STANDING} GROUP BY e.state"
_OPENED = f"e.state = 'scored' AND r.state IN ('in_progress', 'done') AND {_OF}"
_FINDINGS = f"""
SELECT e.position, json_group_array(f.id), json_group_array(f.number),
  group_concat(json_array(f.judge, f.dimension, f.category, f.severity, f.kept), char(10))
FROM evaluations e CROSS JOIN findings f ON f.evaluation_id = e.id
WHERE e.id IN (SELECT e.id FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id WHERE {_OPENED})
GROUP BY e.id
"""
_VERDICTS = f"""
SELECT e.position, e.id, e.article, e.system, e.direction, e.domain, e.judge, r.reviewer,
  json_group_array(v.finding_id), group_concat(json_array(v.decision, v.dimension, v.category, v.severity), char(10))
FROM reviews r CROSS JOIN evaluations e ON e.id = r.evaluation_id
LEFT JOIN verdicts v ON v.evaluation_id = e.id AND v.reviewer = r.reviewer
WHERE {_OPENED} GROUP BY r.evaluation_id, r.reviewer
"""
"""CROSS JOIN holds SQLite to this order, the one in which reviews, findings and verdicts lie on disk."""
_QUOTES = f"""
SELECT e.direction, e.article, sum(quoting), CAST(sum(invented) AS INTEGER)
FROM (
  SELECT f.evaluation_id, count(*) AS quoting, total(f.quote_notes LIKE '%not_found%') AS invented
  FROM evaluations e CROSS JOIN findings f ON f.evaluation_id = e.id
  WHERE e.quotes > 0 AND coalesce(f.source_quote, f.translation_quote) IS NOT NULL GROUP BY f.evaluation_id
  UNION ALL
  SELECT g.evaluation_id, count(*), sum(g.unlocated <> '[]')
  FROM evaluations e CROSS JOIN grounded_findings g ON g.evaluation_id = e.id AND g.method =
    (SELECT n.method FROM groundings n WHERE n.evaluation_id = e.id ORDER BY n.at DESC LIMIT 1)
  WHERE coalesce(e.quotes, 0) = 0 AND (g.unlocated <> '[]' OR EXISTS (
    SELECT 1 FROM spans s WHERE s.evaluation_id = g.evaluation_id AND s.method = g.method
      AND s.finding_id = g.finding_id AND s.role = 'quote'))
  GROUP BY g.evaluation_id
) q JOIN evaluations e ON e.id = q.evaluation_id
WHERE e.id IN (SELECT e.id FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id WHERE {_OPENED})
GROUP BY e.direction, e.article ORDER BY e.direction, e.article
"""
"""A judge that was asked to quote is taken at its quotes' notes; of prose the newest grounding says what is nowhere."""
_REVIEWS = f"""
SELECT e.id, e.article, e.system, e.direction, e.domain, e.judge, r.reviewer, r.state, e.errors, r.decided, r.unsure,
  e.accuracy, e.fluency, e.appropriateness, r.accuracy, r.fluency, r.appropriateness, e.signature_id
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE e.state = 'scored' AND {_OF} ORDER BY e.position, r.reviewer
"""
