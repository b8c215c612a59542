"""Whether a judge, or a metric, can stand in for a person: the alternative annotator test on scores and on labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from judges.consistency.documents import Part
from judges.consistency.inter_annotator import accuracy_level, verdict_of
from judges.consistency.outcomes import humans_category, humans_dimension
from judges.consistency.records import BlindAnnotation, FindingKind, FindingTable, Key
from judges.consistency.span_labels import matched_errors
from judges.meta_eval.alternative_annotator import AlternativeAnnotatorTest, Scoring, alternative_annotator_test
from judges.meta_eval.score_table import ScoreRow
from judges.model import LEVELS
from judges.stats.numerics import mean

Measure = Literal["scores", "findings", "blind errors"]
"""Items: translations that were scored; the judge's findings, as reviewers left them; the judge's errors that people
marked blind in the same place."""

OTHER_SCALE = "its scores are on another scale than people's: an error between them means nothing"
NO_CANDIDATE = "there is no judge and no metric"

_Values = dict[Hashable, Hashable]


@dataclass(frozen=True, slots=True)
class StandIn:
    """One test of a candidate: of its scores (``label`` is their part), or of a label. ``test`` None: ``why``."""

    candidate: str
    measure: Measure
    label: str
    test: AlternativeAnnotatorTest | None
    why: str = ""


@dataclass(slots=True)
class _Annotations:
    """What one candidate and people said of items, and which article each is of."""

    candidate: _Values
    people: defaultdict[str, _Values]
    articles: dict[Hashable, Hashable]

    @classmethod
    def none(cls) -> _Annotations:
        return cls({}, defaultdict(dict), {})

    def test(self, scoring: Scoring, epsilon: float) -> AlternativeAnnotatorTest:
        return alternative_annotator_test(self.candidate, self.people, scoring, epsilon, articles=self.articles)


def score_tests(rows: Iterable[ScoreRow], part: Part, epsilon: float, other_scale: Iterable[str] = ()) -> list[StandIn]:
    """Test every metric on a translation's scores against the raters, by minus the root mean square error.

    ``part``: what the scores are of. ``other_scale``: the metrics whose scores are not on the scale of people's. Of
    several scores of one translation by one of them the mean counts.
    """
    import numpy as np

    given: dict[tuple[bool, str], defaultdict[Hashable, list[float]]] = {}
    for row in rows:
        of = given.setdefault((row.human, row.metric), defaultdict(list))
        of[row.direction, row.article, row.system].append(row.score)
    said: dict[tuple[bool, str], _Values] = {
        key: {item: scores[0] if len(scores) == 1 else mean(np.array(scores)) for item, scores in of.items()}
        for key, of in given.items()
    }
    people = {name: values for (human, name), values in said.items() if human}
    articles: dict[Hashable, Hashable] = {
        item: item[:2] for values in said.values() for item in values if isinstance(item, tuple)
    }
    unlike = set(other_scale)
    return [
        StandIn(name, "scores", part, None, OTHER_SCALE)
        if name in unlike
        else StandIn(
            name,
            "scores",
            part,
            alternative_annotator_test(values, people, "neg_rmse", epsilon, articles=articles),
        )
        for (human, name), values in sorted(said.items())
        if not human
    ]


def finding_tests(table: FindingTable, epsilon: float) -> list[StandIn]:
    """Test every judge on the labels of its own findings against the reviewers who decided them, by equal labels.

    Category: the dimension and category as the reviewer left them, or that it is no error, or a duplicate. Severity:
    the level of accuracy errors that were left standing in that dimension. Unsure and unseen are no labels.
    """
    labels = [(_category(kind), accuracy_level(kind)) for kind in table.kinds]
    judges = [(_judges_category(kind), _judges_level(kind)) for kind in table.kinds]
    found: dict[str, tuple[_Annotations, _Annotations]] = {}
    for review, kind, finding in zip(table.review, table.kind, table.finding, strict=True):
        row = table.reviews[review]
        if not table.kinds[kind].kept:
            continue
        both = found.setdefault(row.judge_model, (_Annotations.none(), _Annotations.none()))
        for of, own, judges_own in zip(both, labels[kind], judges[kind], strict=True):
            if own is not None and judges_own is not None:
                of.people[row.reviewer][finding] = own
                of.candidate[finding] = judges_own
                of.articles[finding] = row.direction, row.article
    return _tested(found, "findings", epsilon)


def blind_tests(markings: Sequence[BlindAnnotation], judge_of: Mapping[Key, str], epsilon: float) -> list[StandIn]:
    """Test every judge on the labels of its errors that people marked in the same place, blind, by equal labels.

    An item is an error of the judge; a person's label is that of the error matched with it. ``judge_of``: the judge of
    each evaluation.
    """
    found: dict[str, tuple[_Annotations, _Annotations]] = {}
    for marking in markings:
        for evaluation, judges in marking.judges.items():
            both = found.setdefault(judge_of[evaluation], (_Annotations.none(), _Annotations.none()))
            for own, theirs in matched_errors(marking.spans, judges):
                item = evaluation, theirs.error or theirs
                labels = (own.category, theirs.category), (own.severity, theirs.severity)
                for of, (label, judges_label) in zip(both, labels, strict=True):
                    if label and judges_label:
                        of.people[marking.reviewer][item] = label
                        of.candidate[item] = judges_label
                        of.articles[item] = marking.direction, marking.article
    return _tested(found, "blind errors", epsilon)


def _tested(found: Mapping[str, tuple[_Annotations, _Annotations]], measure: Measure, epsilon: float) -> list[StandIn]:
    return [
        StandIn(judge, measure, label, annotations.test("accuracy", epsilon))
        for judge, both in sorted(found.items())
        for label, annotations in zip(("category", "severity"), both, strict=True)
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
