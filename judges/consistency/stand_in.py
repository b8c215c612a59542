"""Tests of whether a judge, or a metric, can stand in for a person, on scores and on labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from judges.consistency.documents import Part
from judges.consistency.inter_annotator import accuracy_level, verdict_of
from judges.consistency.outcomes import humans_category, humans_dimension
from judges.consistency.records import BlindAnnotation, FindingKind, FindingTable, Key, article_codes
from judges.consistency.span_labels import matched_errors
from judges.meta_eval.alternative_annotator import (
    AlternativeAnnotatorTest,
    Annotations,
    alternative_annotator_test,
    compare_annotations,
)
from judges.meta_eval.score_table import Cell, ScoreRow, cell_of
from judges.model import LEVELS
from judges.stats.numerics import mean

Measure = Literal["scores", "findings", "blind errors"]
"""Items: translations that were scored; the judge's findings, as reviewers left them; the judge's errors that people
marked blind in the same place."""

OTHER_SCALE = "its scores are on another scale than people's: an error between them means nothing"
NO_CANDIDATE = "there is no judge and no metric"

_Values = dict[Hashable, Hashable]
_Rated = tuple[Cell, tuple[int, ...]]
"""Translation, and the segments of it that were rated; none where they are not known."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """One test of a candidate: of its scores (``label`` is their part), or of a label. ``test`` None: ``why``."""

    candidate: str
    measure: Measure
    label: str
    test: AlternativeAnnotatorTest | None
    why: str = ""


def score_tests(rows: Iterable[ScoreRow], part: Part, epsilon: float, other_scale: Iterable[str] = ()) -> list[StandIn]:
    """Test every metric on a translation's scores against the raters, by minus the root mean square error.

    ``part``: what the scores are of. ``other_scale``: the metrics whose scores are not on the scale of people's. Of
    several scores of one translation by one of them the mean counts. People are compared on a translation where they
    rated the same segments of it.
    """
    import numpy as np

    given: dict[tuple[bool, str], defaultdict[_Rated, list[float]]] = {}
    for row in rows:
        if (of := given.get((row.human, row.metric))) is None:
            of = given[row.human, row.metric] = defaultdict(list)
        segments = tuple(sorted(number for number, _ in row.segments)) if row.human and row.segments else ()
        of[cell_of(row), segments].append(row.score)
    said = {
        key: {item: scores[0] if len(scores) == 1 else mean(np.array(scores)) for item, scores in of.items()}
        for key, of in given.items()
    }
    people: dict[str, _Values] = {name: dict(values.items()) for (human, name), values in said.items() if human}
    items = {item for (human, _), values in said.items() if human for item in values}
    articles: dict[Hashable, Hashable] = {(cell, segments): cell[:2] for cell, segments in items}
    unlike = set(other_scale)
    return [
        StandIn(name, "scores", part, None, OTHER_SCALE)
        if name in unlike
        else StandIn(
            name,
            "scores",
            part,
            alternative_annotator_test(
                {item: values.get((item[0], ())) for item in items}, people, "neg_rmse", epsilon, articles=articles
            ),
        )
        for (human, name), values in sorted(said.items())
        if not human
    ]


def finding_tests(table: FindingTable, epsilon: float) -> list[StandIn]:
    """Test every judge on the labels of its own findings against the reviewers who decided them, by equal labels.

    Category: the dimension and category as the reviewer left them, or that it is no error, or a duplicate. Severity:
    the level of accuracy errors that were left standing in that dimension. Unsure and unseen are no labels.
    """
    import numpy as np

    names = sorted({row.reviewer for row in table.reviews})
    judges = sorted({row.judge_model for row in table.reviews})
    articles = article_codes(table.reviews)
    reviews = np.array(
        [
            (names.index(row.reviewer), judges.index(row.judge_model), articles[row.direction, row.article])
            for row in table.reviews
        ],
        dtype=np.int64,
    ).reshape(-1, 3)
    codes: dict[str | None, int] = {None: -1}
    labels = np.array(
        [
            [codes.setdefault(label, len(codes) - 1) for label in labels]
            for labels in (
                (_category(kind), _judges_category(kind), accuracy_level(kind), _judges_level(kind))
                for kind in table.kinds
            )
        ],
        dtype=np.int64,
    ).reshape(-1, 4)
    kept = np.array([kind.kept for kind in table.kinds], dtype=bool)
    review, kind, finding = (np.array(column, dtype=np.int64) for column in (table.review, table.kind, table.finding))
    found = []
    for number, judge in enumerate(judges):
        own = kept[kind] & (reviews[review, 1] == number)
        for label, columns in (("category", (0, 1)), ("severity", (2, 3))):
            said, judged = (labels[kind, column] for column in columns)
            rows = own & (said >= 0) & (judged >= 0)
            _, first, item = np.unique(finding[rows], return_index=True, return_inverse=True)
            values = np.full((len(names), len(first)), -1)
            values[reviews[review[rows], 0], item] = said[rows]
            there = sorted({int(reviewer) for reviewer, judges_number, _ in reviews if judges_number == number})
            values = values[there]
            annotations = Annotations(
                people=[names[reviewer] for reviewer in there],
                values=values,
                known=values >= 0,
                candidate=judged[rows][first],
                candidate_known=np.ones(len(first), dtype=bool),
                articles=reviews[review[rows][first], 2],
            )
            found.append(StandIn(judge, "findings", label, compare_annotations(annotations, "accuracy", epsilon)))
    return found


def blind_tests(markings: Sequence[BlindAnnotation], judge_of: Mapping[Key, str], epsilon: float) -> list[StandIn]:
    """Test every judge on the labels of its errors that people marked in the same place, blind, by equal labels.

    An item is an error of the judge; a person's label is that of the error matched with it. ``judge_of``: the judge of
    each evaluation.
    """
    articles: dict[Hashable, Hashable] = {}
    judges: defaultdict[tuple[str, str], _Values] = defaultdict(dict)
    people: defaultdict[tuple[str, str], defaultdict[str, _Values]] = defaultdict(lambda: defaultdict(dict))
    for marking in markings:
        for evaluation, spans in marking.judges.items():
            for label in ("category", "severity"):
                people[judge_of[evaluation], label][marking.reviewer] |= {}
            for own, theirs in matched_errors(marking.beside.get(evaluation, marking.spans), spans):
                item = evaluation, theirs.error or theirs
                articles[item] = marking.direction, marking.article
                for label in ("category", "severity"):
                    said, judged = getattr(own, label), getattr(theirs, label)
                    if said and judged:
                        people[judge_of[evaluation], label][marking.reviewer][item] = said
                        judges[judge_of[evaluation], label][item] = judged
    return [
        StandIn(
            judge,
            "blind errors",
            label,
            alternative_annotator_test(judges[judge, label], of, "accuracy", epsilon, articles=articles),
        )
        for (judge, label), of in sorted(people.items())
    ]


def _category(kind: FindingKind) -> str | None:
    verdict = verdict_of(kind)
    if verdict != "right":
        return verdict
    return f"{humans_dimension(kind)} {humans_category(kind) or ''}"


def _judges_category(kind: FindingKind) -> str | None:
    return kind.category and f"{kind.dimension} {kind.category}"


def _judges_level(kind: FindingKind) -> str | None:
    return kind.severity if kind.dimension == "accuracy" and kind.severity in LEVELS["accuracy"] else None
