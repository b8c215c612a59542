"""Reviews that the consistency figures are computed from, read out of the library: who said what of which finding."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat

from judges.consistency.records import (
    AddedError,
    BlindAnnotation,
    FindingKind,
    FindingTable,
    InstructionCheck,
    Key,
    MetPoint,
    MovedPlace,
    QuoteCount,
    ReviewedDocument,
    ReviewedRow,
    pairs_of,
)
from judges.consistency.report import ConsistencyReport, EvaluationCounts, Layers, consistency
from judges.model import Score
from judges.stats.resampling import RESAMPLES, SEED
from storage.analysis.blind_annotations import read_markings, read_replaced
from storage.analysis.invented_quotes import count_quotes
from storage.analysis.judged_segments import NOTHING_READ, READ_NOTHING
from storage.analysis.review_extras import NOTHING, ReviewExtras, ReviewKey, read_extras
from storage.record.library import read_signature
from storage.reviews.layers import PLAIN_CLAUSE, is_adjudicated, layer_of, split_layer
from storage.reviews.plans import BY_DOUBT
from storage.reviews.queue import STANDING, words_clause

HIDDEN = "the judge's findings are still hidden"
UNMATCHED = "errors marked blind are not yet matched, or confirmed as missed"
CHOSEN_BY_DOUBT = "chosen by doubt, not at random: they stand for no others"
FOREIGN = "errors that reviewers marked and that are none in Metric-S: they cost nothing, and no judge was to find them"
FURTHER_PLACES = "further places of errors that reviewers marked: each counts once"
NOT_ENDED = "adjudication not ended: it holds only what was contested"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The rows of one selection of reviewers, and the evaluations that none of the figures can include.

    ``left_out``: reason → number of evaluations. ``unfinished``: reason → number of reviews whose findings count but
    whose scores do not, because the review is not complete; ``unsearched``: reason → number of those whose search for
    missed errors does not count. ``unmarked``: reason → number of blind passes that say nothing; ``unscored``: reason →
    number of errors that reviewers marked and that cost nothing. ``signatures``: what decided the scores → number of
    evaluations that figures rest on. ``quotes``: by article, of the evaluations that a reviewer opened. ``layers``: the
    rows of all layers, also of those that are no opinion beside the others'; the other rows are of the selection alone.
    """

    findings: FindingTable
    documents: list[ReviewedDocument]
    evaluations: EvaluationCounts
    left_out: dict[str, int]
    unfinished: dict[str, int]
    unsearched: dict[str, int]
    signatures: dict[str, int]
    quotes: list[QuoteCount]
    added: list[AddedError]
    searched: set[tuple[Key, str]]
    points: list[MetPoint]
    instructions: list[InstructionCheck]
    markings: list[BlindAnnotation]
    unmarked: dict[str, int]
    unscored: dict[str, int]
    replaced: list[MovedPlace]
    layers: Layers

    def report(self, resamples: int = RESAMPLES, seed: int = SEED) -> ConsistencyReport:
        """Compute every figure from these rows; intervals from so many resamples."""
        return consistency(
            findings=self.findings,
            documents=self.documents,
            left_out=self.left_out,
            evaluations=self.evaluations,
            unfinished=self.unfinished,
            added=self.added,
            searched=self.searched,
            signatures=self.signatures,
            quotes=self.quotes,
            resamples=resamples,
            seed=seed,
            unsearched=self.unsearched,
            points=self.points,
            instructions=self.instructions,
            markings=self.markings,
            unmarked=self.unmarked,
            unscored=self.unscored,
            replaced=self.replaced,
            layers=self.layers,
        )


def read_reviewed(
    connection: sqlite3.Connection, reviewer: str | None = None, words: str = "", judges: Sequence[str] = ()
) -> Reviewed:
    """Read the reviews of one layer, or of all reviewers: one row for each (evaluation, reviewer).

    ``words``: only evaluations in whose article, system, direction, domain, judge or state every word occurs; where
    no ``reviewer`` is given, a word that is a reviewer's name chooses it. ``judges``: only evaluations by these, in any
    case, or by those that the metrics of these names are from.
    Only evaluations in which every judge answered take part, and none that was chosen by doubt alone. A review counts
    in the document figures once it is complete (`COMPLETE`). All reviewers are those with a layer of their own: second
    answers and adjudications are in ``layers`` alone, unless such a layer is what is asked for.
    """
    if reviewer is None:
        reviewer, words = reviewer_among(connection, words)
    matching, values = selection(connection, words, judges)
    asked = (reviewer, reviewer, *values)
    of_layers = (reviewer, reviewer, reviewer and layer_of(reviewer, "again"), *values)

    def is_chosen(layer: str) -> bool:
        return layer == reviewer if reviewer is not None else split_layer(layer)[1] is None

    counts = dict(connection.execute(_states_sql(matching), values).fetchall())
    matching = f"{matching} AND NOT {NOTHING_READ}"
    (by_doubt,) = connection.execute(_by_doubt_sql(matching), values).fetchone()
    matching = f"{matching} AND {NOT_BY_DOUBT}"
    extras = read_extras(connection)
    findings = _findings(connection, matching, of_layers, extras)
    reviews: dict[ReviewKey, ReviewedRow] = {}
    documents: list[ReviewedDocument] = []
    searched: set[tuple[Key, str]] = set()
    unfinished: Counter[str] = Counter()
    unsearched: Counter[str] = Counter()
    states: dict[str, set[str]] = {}
    dimensions = cache(lambda signature: read_signature(connection, signature)[1].judged)
    for row in connection.execute(_reviews_sql(matching), of_layers):
        *of_review, blind, state, search, unconfirmed, errors, decided, unsure = row[:14]
        identity, layer = of_review[0], of_review[6]
        if is_chosen(layer):
            states.setdefault(identity, set()).add(state)
        if state == "skipped" or (is_adjudicated(layer) and state != "done"):
            continue
        review = ReviewedRow(*of_review, blind=blind is not None)
        hidden, unmatched = blind == "started", bool(unconfirmed)
        if not hidden:
            reviews[identity, layer] = review
        if search and not hidden and not unmatched:
            searched.add((identity, layer))
        elif search and is_chosen(layer):
            unsearched[HIDDEN if hidden else UNMATCHED] += 1
        lacking = (
            (state == "in_progress", "review in progress"),
            (hidden, f"done, but {HIDDEN}"),
            (decided < errors, "done, but some errors were not decided"),
            (unsure, "done, but the reviewer is unsure of some errors"),
            (unmatched, f"done, but {UNMATCHED}"),
        )
        why = next((why for lacks, why in lacking if lacks), None)
        if why is None:
            judge, human = Score(*row[14:17]), Score(*row[17:20])
            documents.append(ReviewedDocument.of(review, judge, human, dimensions(row[20])))
        elif is_chosen(layer):
            unfinished[why] += 1
    done = sum("done" in each for each in states.values())
    in_progress = sum("in_progress" in each and "done" not in each for each in states.values())
    skipped = sum(each == {"skipped"} for each in states.values())
    scored = counts.get("scored", 0)
    left_out = {
        "score only: no findings to review": counts.get("score_only", 0),
        "judge failed: no score is claimed": counts.get("judge_failed", 0),
        "instruction check failed: no errors to review": counts.get("instruction_failed", 0),
        "no translation": counts.get("no_translation", 0),
        READ_NOTHING: counts.get(READ_NOTHING, 0),
        "skipped by the reviewer": skipped,
        "not judged: here for what people marked": counts.get("not_judged", 0),
        CHOSEN_BY_DOUBT: by_doubt,
        "not reviewed yet": scored - by_doubt - done - in_progress - skipped,
        NOT_ENDED: in_progress if reviewer is not None and is_adjudicated(reviewer) else 0,
    }
    markings = read_markings(connection, CHOSEN, (reviewer, reviewer), matching, values)
    added = [
        AddedError.of(reviews[key], error)
        for key in sorted(extras.keys() & reviews.keys())
        for error in extras[key].missed
    ]
    beside = [extras[key] for key in extras.keys() & reviews.keys() if is_chosen(reviews[key].reviewer)]
    unscored = {FOREIGN: sum(each.foreign for each in beside), FURTHER_PLACES: sum(each.further for each in beside)}
    chosen_findings = findings.only(is_chosen)
    chosen_documents = [document for document in documents if is_chosen(document.reviewer)]
    chosen_reviews = {key: row for key, row in reviews.items() if is_chosen(row.reviewer)}
    layers = {layer for _, layer in reviews}
    return Reviewed(
        findings=chosen_findings,
        documents=chosen_documents,
        evaluations=EvaluationCounts(
            total=sum(counts.values()),
            scored=scored,
            reviewed=done,
            in_progress=in_progress,
            skipped=skipped,
            judge_failed=counts.get("judge_failed", 0),
            instruction_failed=counts.get("instruction_failed", 0),
            no_translation=counts.get("no_translation", 0),
            score_only=counts.get("score_only", 0),
        ),
        left_out={reason: count for reason, count in left_out.items() if count},
        unfinished=dict(unfinished),
        unsearched=dict(unsearched),
        signatures=_signatures(
            connection,
            {row.evaluation for rows in (chosen_findings.reviews, chosen_documents) for row in rows}.union(
                *(marking.judges for marking in markings.passes)
            ),
        ),
        quotes=count_quotes(
            connection,
            f"SELECT e.id FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id "
            f"WHERE {OPENED} AND {CHOSEN} AND {matching}",
            asked,
            {finding for key in extras.keys() & chosen_reviews.keys() for finding in extras[key].invented},
        ),
        added=[error for error in added if is_chosen(error.reviewer)],
        searched={(evaluation, layer) for evaluation, layer in searched if is_chosen(layer)},
        points=_points(connection, chosen_reviews),
        instructions=[InstructionCheck(*row) for row in connection.execute(_instructions_sql(matching), asked)],
        markings=markings.passes,
        unmarked=markings.left_out,
        unscored=unscored,
        replaced=read_replaced(connection, chosen_reviews, extras),
        layers=Layers(
            findings=findings,
            documents=documents,
            added=added,
            searched=searched,
            again=[pair for layer in sorted(layers) if (pair := (layer, layer_of(layer, "again")))[1] in layers],
            apart=sorted(layer for layer in layers if reviewer is None and split_layer(layer)[1] == "adjudicated"),
        ),
    )


def _findings(
    connection: sqlite3.Connection, matching: str, asked: Sequence[object], extras: Mapping[ReviewKey, ReviewExtras]
) -> FindingTable:
    """Read the findings of the reviews of all layers in columns: one row an evaluation, and then one a review.

    What is said of a finding comes as JSON, whose lines are told apart without being parsed: few differ.
    """
    judges, humans = _numbering(), _numbering()
    judged: dict[int, tuple[list[str], array[int], array[int]]] = {}
    for position, ids, numbers, kinds in connection.execute(_findings_sql(matching), asked):
        codes = array("i", map(judges.__getitem__, kinds.split("\n")))
        judged[position] = json.loads(ids), codes, array("q", [position << 32 | n for n in json.loads(numbers)])
    table = FindingTable()
    judge, human = array("i"), array("i")
    unseen = humans["[null,null,null,null]"]
    for position, *row, blind, ids, kinds in connection.execute(_verdicts_sql(matching), asked):
        if position in judged:
            own, codes, findings = judged[position]
            said = dict(zip(json.loads(ids), map(humans.__getitem__, kinds.split("\n")), strict=True))
            if repeats := extras.get((row[0], row[6]), NOTHING).repeats:
                lines = zip(json.loads(ids), kinds.split("\n"), strict=True)
                said |= {finding: humans[f"{line[:-1]},true]"] for finding, line in lines if finding in repeats}
            human.extend(map(said.get, own, repeat(unseen)))
            judge.extend(codes)
            table.finding.extend(findings)
            table.review.extend(repeat(len(table.reviews), len(own)))
            table.reviews.append(ReviewedRow(*row, blind=blind is not None))
    of_judge, of_human = ([json.loads(kind) for kind in numbering] for numbering in (judges, humans))
    pairs, kinds = pairs_of(judge, human)
    table.kinds.extend(FindingKind(*of_judge[j], *of_human[h]) for j, h in pairs)
    table.kind.extend(kinds)
    return table


def _points(connection: sqlite3.Connection, reviews: Mapping[ReviewKey, ReviewedRow]) -> list[MetPoint]:
    """Read what reviewers say of the rubric points that the judge calls met."""
    return [
        MetPoint(row.direction, row.article, decision)
        for evaluation, reviewer, decision in connection.execute(_MET)
        if (row := reviews.get((evaluation, reviewer))) is not None
    ]


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


def selection(connection: sqlite3.Connection, words: str, judges: Collection[str]) -> tuple[str, list[str]]:
    """The condition on evaluations ``e`` that words and judges make, as in `read_reviewed`, and its values."""
    matching, values = words_clause(words)
    if not judges:
        return matching, values
    known = [row[0] for row in connection.execute("SELECT DISTINCT judge FROM evaluations")]
    chosen = json.dumps([judge for judge in known if is_meant(judges, judge, metric_name(judge))])
    return f"{matching} AND e.judge IN (SELECT value FROM json_each(?))", [*values, chosen]


def is_meant(given: Iterable[str], *names: str) -> bool:
    """Return True if one of the names that were given is one of these, whatever their case."""
    return bool({name.casefold() for name in given} & {name.casefold() for name in names})


CHOSEN = f"(r.reviewer = ? OR ? IS NULL AND {PLAIN_CLAUSE})"
"""Condition that a review is by one layer, or of a reviewer's own where none is given. Its value, twice: the layer."""
SHOWN_TO_REVIEWER = "coalesce(r.blind, '') <> 'started'"
"""Condition that the reviewer has seen what the judge found: before that, nothing of theirs is a word on it."""
COMPLETE = f"r.state = 'done' AND r.decided >= e.errors AND NOT r.unsure AND NOT r.unconfirmed AND {SHOWN_TO_REVIEWER}"
"""Condition that a review has a score: done, all decided, nothing unsure; what was marked blind matched or missed."""
NOT_BY_DOUBT = f"e.id NOT IN ({BY_DOUBT})"
"""Condition that an evaluation can stand for others: it was not chosen as it was doubtful."""
_OF = "(? IS NULL OR r.reviewer IN (?, ?))"
"""Condition that a review is by one layer, or by the one of the same reviewer's second answers."""


def _states_sql(matching: str) -> str:
    """A translation that a judge has seen is not also one that none has, though people marked it apart from that."""
    return f"""
SELECT CASE WHEN {NOTHING_READ} THEN '{READ_NOTHING}' ELSE e.state END AS became, count(*) FROM evaluations e
WHERE {matching} AND {STANDING} AND NOT (e.state = 'not_judged' AND EXISTS (
  SELECT 1 FROM evaluations j WHERE j.translation_id = e.translation_id AND j.state <> 'not_judged'
)) GROUP BY became
"""


def _by_doubt_sql(matching: str) -> str:
    scored = f"e.state = 'scored' AND {STANDING} AND NOT {NOT_BY_DOUBT}"
    return f"SELECT count(*) FROM evaluations e WHERE {matching} AND {scored}"


ENDED = f"(r.state = 'done' OR r.reviewer NOT GLOB '{layer_of('?*', 'adjudicated')}')"
"""Condition that a review is no adjudication that goes on: until it is ended, that holds only what was contested."""
OPENED = f"e.state = 'scored' AND r.state IN ('in_progress', 'done') AND {ENDED} AND {SHOWN_TO_REVIEWER}"
"""Condition that the findings of an evaluation were reviewed."""


def _findings_sql(matching: str) -> str:
    return f"""
SELECT e.position, json_group_array(f.id), json_group_array(f.number),
  group_concat(json_array(f.judge, f.dimension, f.category, f.severity, f.kept), char(10))
FROM evaluations e CROSS JOIN findings f ON f.evaluation_id = e.id
WHERE e.id IN (
  SELECT e.id FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id WHERE {OPENED} AND {_OF} AND {matching}
)
GROUP BY e.id
"""


def _verdicts_sql(matching: str) -> str:
    """CROSS JOIN holds SQLite to this order, the one in which reviews, findings and verdicts lie on disk."""
    return f"""
SELECT e.position, e.id, e.article, e.system, e.direction, e.domain, e.judge, r.reviewer, r.blind,
  json_group_array(v.finding_id), group_concat(json_array(v.decision, v.dimension, v.category, v.severity), char(10))
FROM reviews r CROSS JOIN evaluations e ON e.id = r.evaluation_id
LEFT JOIN verdicts v ON v.evaluation_id = e.id AND v.reviewer = r.reviewer
WHERE {OPENED} AND {_OF} AND {matching} GROUP BY r.evaluation_id, r.reviewer
"""


_MET = """
SELECT p.evaluation_id, p.reviewer, p.decision FROM point_verdicts p WHERE (
  SELECT min(coalesce(v.met, 0)) FROM rubric_verdicts v WHERE v.evaluation_id = p.evaluation_id AND v.point = p.point
) = 1
"""
"""A point that the judge speaks of twice is met if it says so both times."""


def _instructions_sql(matching: str) -> str:
    return f"""
SELECT e.direction, e.article, e.state = 'scored', r.instruction
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE r.instruction IS NOT NULL AND e.state IN ('scored', 'instruction_failed') AND {ENDED} AND {SHOWN_TO_REVIEWER}
  AND {CHOSEN} AND {matching}
"""


def _reviews_sql(matching: str) -> str:
    return f"""
SELECT e.id, e.article, e.system, e.direction, e.domain, e.judge, r.reviewer,
  r.blind, r.state, r.search, r.unconfirmed, e.errors, r.decided, r.unsure,
  e.accuracy, e.fluency, e.appropriateness, r.accuracy, r.fluency, r.appropriateness, e.signature_id
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE e.state = 'scored' AND {_OF} AND {matching} ORDER BY e.position, r.reviewer
"""
