"""De-duplication line by line: what stands, what absorbs it, and the words that say why.

The rubric's finding is the judge's first and violates point 7, so that its index and its point cannot be confused.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from judges.metric_s.reading.dedup_advice import Reference
from judges.metric_s.reading.deduplication import apply, drop_repeated
from judges.model import Advice, Finding, Flag, Judge, RubricVerdict, Severity

A1: Reference = ("accuracy", 1)
A2: Reference = ("accuracy", 2)
F1: Reference = ("fluency", 1)
F2: Reference = ("fluency", 2)
S9: Reference = ("appropriateness", 9)
POINT_1: Reference = ("rubric", 1)
POINT_7: Reference = ("rubric", 7)
RUBRIC = (RubricVerdict(1, True), RubricVerdict(7, False))


def finding(judge: Judge, index: int, severity: Severity, point: int | None = None) -> Finding:
    return Finding(judge, index, f"{judge} {index}", severity=severity, rubric_point=point)


FINDINGS = (
    finding("accuracy", 1, "major"),
    finding("accuracy", 2, "extremely_critical"),
    finding("fluency", 1, "minor"),
    finding("fluency", 2, "minor"),
    finding("rubric", 1, "violated", 7),
)


def line(drops: list[Reference], keeps: list[Reference]) -> Advice:
    return Advice("", tuple(drops), tuple(keeps))


@pytest.mark.parametrize(
    ("advice", "dropped", "status", "flag"),
    [
        (line([F1], [A1]), {2: 0}, "applied", None),
        (line([F1], []), {}, "refused", "fluency finding 1 stands: nothing is named that it could give way to"),
        (line([F1], [A1, POINT_7]), {2: 4}, "applied", None),  # the violated point comes first
        (line([F1, F2], [POINT_7]), {2: 4, 3: 4}, "applied", None),
        (line([POINT_7], [A1, A2]), {4: 1}, "applied", None),
        (line([F1], [F1, A1]), {}, "refused", "fluency finding 1 is to stay by the same advice"),
        (line([A2], [POINT_1]), {}, "refused", "accuracy finding 2 is extremely critical and always stands"),
        (line([A2], []), {}, "refused", "accuracy finding 2 is extremely critical and always stands"),
        (line([POINT_7], []), {}, "refused", "rubric point 7 stands: nothing is named that it could give way to"),
        (line([POINT_7, A1], [A1, A2]), {4: 1}, "refused", "accuracy finding 1 is to stay by the same advice"),
        (line([F1, F2], [F2, A1]), {2: 3}, "refused", "fluency finding 2 is to stay by the same advice"),
        (
            line([F1], [POINT_1]),
            {},
            "refused",
            "fluency finding 1 stands: the rubric point it was to give way to was met, and absorbs nothing",
        ),
        (
            line([F1], [S9, ("rubric", 9)]),
            {},
            "no_such_finding",
            "fluency finding 1 stands: there is no appropriateness finding 9, rubric point 9 that it could give way to",
        ),
        (
            line([F1], [("appropriateness", 1)]),  # the number of a point that was met
            {},
            "no_such_finding",
            "fluency finding 1 stands: there is no appropriateness finding 1 that it could give way to",
        ),
        (line([F1], [S9, A1]), {2: 0}, "applied", None),
        (line([F1], [POINT_1, A1]), {2: 0}, "applied", None),
        (line([POINT_1], [A1]), {}, "no_such_finding", "rubric point 1 was met, so there is nothing to drop"),
        (line([("rubric", 9)], [A1]), {}, "no_such_finding", "there is no rubric point 9"),
        (line([("fluency", 7)], [A1]), {}, "no_such_finding", "there is no fluency finding 7"),
        (line([("accuracy", 7)], [A1]), {}, "no_such_finding", "there is no accuracy finding 7"),
        (line([], [A1]), {}, "applied", None),
    ],
)
def test_one_line_of_advice(advice: Advice, dropped: dict[int, int | None], status: str, flag: str | None) -> None:
    findings, (read,), flags = apply(FINDINGS, [advice], RUBRIC)
    assert {place: f.duplicate_of for place, f in enumerate(findings) if not f.kept} == dropped
    assert {place for place, f in enumerate(findings) if f.advice == 0} == set(dropped)
    assert read.status == status
    assert flags == (() if flag is None else (Flag(f"advice_{status}", f"advice 1: {flag}"),))
    assert [(f.judge, f.index, f.severity) for f in findings] == [(f.judge, f.index, f.severity) for f in FINDINGS]


def test_a_line_that_names_nothing_is_told_by_its_number() -> None:
    _, read, flags = apply(FINDINGS, [line([F1], [A1]), line([], [])], RUBRIC)
    assert [each.status for each in read] == ["applied", "names_nothing"]
    assert flags == (Flag("advice_names_nothing", "advice 2 names no finding; nothing was dropped for it"),)


def test_a_refusal_outweighs_what_does_not_exist_in_either_order() -> None:
    for drops in ([F1, ("fluency", 9)], [("fluency", 9), F1]):
        _, (read,), flags = apply(FINDINGS, [line(drops, [F1])], RUBRIC)
        assert read.status == "refused"
        assert {flag.code for flag in flags} == {"advice_refused", "advice_no_such_finding"}


TURNED = "the metric ranks them the other way round than advised"


@pytest.mark.parametrize(
    ("advice", "dropped", "said"),
    [
        (line([POINT_7], [A1]), {0: 4}, "rubric point 7 stays and accuracy finding 1 goes"),
        (
            line([POINT_7], [F1, A1]),
            {0: 4, 2: 4},
            "rubric point 7 stays and fluency finding 1, accuracy finding 1 goes",
        ),
        (line([POINT_7, F2], [F1]), {2: 4, 3: 4}, "rubric point 7 stays and fluency finding 1, fluency finding 2 goes"),
        (line([A2], [F1]), {2: 1}, "accuracy finding 2 stays and fluency finding 1 goes"),
        (line([A2], [POINT_7]), {4: 1}, "accuracy finding 2 stays and rubric point 7 goes"),
        (
            line([A1, A2], [POINT_7]),
            {0: 1, 4: 1},
            "accuracy finding 2 stays and rubric point 7, accuracy finding 1 goes",
        ),
        (
            line([POINT_7, A2], [A1]),
            {0: 1, 4: 1},
            "accuracy finding 2 stays and accuracy finding 1, rubric point 7 goes",
        ),
        (line([POINT_7], [A1, S9]), {0: 4}, "rubric point 7 stays and accuracy finding 1 goes"),
    ],
)
def test_a_line_that_keeps_the_wrong_one_is_turned(advice: Advice, dropped: dict[int, int], said: str) -> None:
    findings, (read,), flags = apply(FINDINGS, [advice], RUBRIC)
    assert {place: f.duplicate_of for place, f in enumerate(findings) if not f.kept} == dropped
    assert (read.status, read.text) == ("applied", advice.text)
    assert flags == (Flag("advice_turned", f"advice 1: {said}: {TURNED}"),)
    assert apply(findings, [read], RUBRIC)[0] == findings


def test_what_cannot_be_dropped_takes_nothing_else_with_it() -> None:
    advice = [line([F1, ("fluency", 9)], [A1]), line([F2], [POINT_1]), line([A1], [POINT_7])]
    findings, read, flags = apply(FINDINGS, advice, RUBRIC)
    assert [f.kept for f in findings] == [False, True, False, True, True]
    assert [each.status for each in read] == ["no_such_finding", "refused", "applied"]
    assert [flag.code for flag in flags] == ["advice_no_such_finding", "advice_refused"]


def test_who_absorbed_a_finding_cannot_give_way_to_it_even_through_others() -> None:
    advice = [line([F1], [F2]), line([F2], [A1]), line([A1], [F1])]
    findings, read, flags = apply(FINDINGS, advice, RUBRIC)
    assert [each.status for each in read] == ["applied", "applied", "refused"]
    assert [f.duplicate_of for f in findings] == [None, None, 3, 0, None]
    assert [f.advice for f in findings] == [None, None, 0, 1, None]
    assert flags == (
        Flag(
            "advice_refused",
            "advice 3: accuracy finding 1 stands: what it was to give way to was itself dropped for it",
        ),
    )


def test_what_still_stands_absorbs_before_what_was_dropped() -> None:
    findings, *_ = apply(FINDINGS, [line([F1], [POINT_7]), line([F2], [F1, A1])], RUBRIC)
    assert findings[3].duplicate_of == 0


def test_what_was_dropped_keeps_the_first_reason() -> None:
    findings, read, flags = apply(FINDINGS, [line([F1], [A1]), line([F1], [F2])], RUBRIC)
    assert (findings[2].duplicate_of, findings[2].advice) == (0, 0)
    assert ([each.status for each in read], flags) == (["applied", "applied"], ())


def test_only_in_accuracy_is_an_extremely_critical_error_above_the_rubric() -> None:
    elsewhere = (finding("fluency", 1, "extremely_critical"), finding("rubric", 1, "violated", 7))
    for advice in (line([POINT_7], [F1]), line([F1], [POINT_7])):
        findings, (read,), _ = apply(elsewhere, [advice], RUBRIC)
        assert (findings[0].kept, findings[0].duplicate_of, read.status) == (False, 1, "applied")
        assert findings[1].kept


def test_findings_that_absorb_one_another_in_a_ring_end() -> None:
    ring = (
        finding("accuracy", 1, "major"),
        *(replace(finding("fluency", k, "minor"), kept=False, duplicate_of=to) for k, to in ((1, 2), (2, 3), (3, 2))),
    )
    findings, *_ = apply(ring, [line([A1], [F1])], ())
    assert (findings[0].kept, findings[0].duplicate_of) == (False, 1)


def test_of_two_findings_of_one_number_the_first_is_meant() -> None:
    twice = (finding("fluency", 1, "minor"), finding("fluency", 1, "minor"), finding("accuracy", 1, "major"))
    findings, *_ = apply(twice, [line([F1], [A1])], ())
    assert [f.kept for f in findings] == [False, True, True]


def test_repeated_findings_count_once_and_their_number_is_told() -> None:
    said = Finding("fluency", 1, "stiff", severity="minor")
    again = [Finding("fluency", number, "stiff", severity="minor") for number in (2, 3)]
    other_judge = Finding("appropriateness", 4, "stiff", severity="minor")
    other_place = Finding("fluency", 4, "stiff", hint="2", severity="minor")
    findings, flags = drop_repeated([said, again[0], other_judge, again[1], other_place])
    assert [f.kept for f in findings] == [True, False, True, False, True]
    assert [f.duplicate_of for f in findings] == [None, 0, None, 0, None]
    assert [f.index for f in findings] == [1, 2, 4, 3, 4]
    assert flags == (Flag("finding_repeated", "fluency: 2 findings repeat another word for word and count once"),)
    assert drop_repeated([said, other_judge])[1] == ()
