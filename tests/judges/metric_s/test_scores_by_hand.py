"""Scores, the reviewer's score and its steps, each worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from judges.metric_s.human_score import (
    POINT_MET,
    SINGLE_LEVEL,
    Work,
    counted_elsewhere,
    deductions,
    first_of_group,
    human_deduction,
    human_score,
)
from judges.metric_s.scoring import METRIC_S, Weights, judge_deduction, score
from judges.metric_s.waterfall import NO_TRANSLATION, Move, Step, effect, waterfall
from judges.model import Finding, MarkedError, PointVerdict, Score, Verdict


def finding(judge: Any, severity: Any, **more: Any) -> Finding:
    return Finding(judge, 1, "", severity=severity, **more)


MAJOR = finding("accuracy", "major")
CRITICAL = finding("accuracy", "critical")
MINOR = finding("fluency", "minor")
STYLE = finding("appropriateness", "major")
RUBRIC = finding("rubric", "violated", rubric_point=3)


def test_each_severity_takes_its_points_from_its_dimension() -> None:
    for severity, points in {"minor": 2, "major": 5, "critical": 10, "extremely_critical": 50, "violated": 5}.items():
        assert score([("accuracy", severity)]) == Score(60 - points, 20, 20)  # type: ignore[list-item]
    assert score([]) == Score(60, 20, 20)
    assert score([("fluency", "minor"), ("appropriateness", "major"), ("fluency", "minor")]) == Score(60, 16, 15)


def test_no_dimension_falls_below_0_and_what_it_fell_is_told() -> None:
    assert score([("accuracy", "extremely_critical")] * 2) == Score(0, 20, 20, (40, 0, 0))
    assert score([("accuracy", "critical")] * 6) == Score(0, 20, 20, (0, 0, 0))
    assert score([("fluency", "minor")] * 11 + [("appropriateness", "major")] * 5) == Score(60, 0, 0, (0, 2, 5))


def test_weights_are_written_and_read() -> None:
    assert METRIC_S.text == "60/20/20-2/5/10/50/5"
    weights = Weights.of("40/0/10-1/2/3/4/6")
    assert weights.text == "40/0/10-1/2/3/4/6"
    assert weights.judged == ("accuracy", "appropriateness")
    assert score([("accuracy", "violated"), ("appropriateness", "major")], weights) == Score(34, 0, 8)
    for text in ("60/20-2/5/10/50/5", "60/20/20-2/5/10/50", "60/20/20", "a/b/c-1/2/3/4/5"):
        with pytest.raises(ValueError, match=r".+"):
            Weights.of(text)


def test_what_a_finding_costs_as_the_judge_left_it() -> None:
    assert judge_deduction(MAJOR) == ("accuracy", "major")
    assert judge_deduction(RUBRIC) == ("accuracy", "violated")
    assert judge_deduction(finding("accuracy", None)) is None
    assert judge_deduction(finding("accuracy", "major", kept=False)) is None


@pytest.mark.parametrize(
    ("of", "verdict", "cost"),
    [
        (MAJOR, Verdict(), ("accuracy", "major")),
        (MAJOR, Verdict("agree"), ("accuracy", "major")),
        (MAJOR, Verdict("unsure"), ("accuracy", "major")),
        (MAJOR, Verdict("not_an_error"), None),
        (MAJOR, Verdict("duplicate"), None),
        (MAJOR, Verdict("too_strict"), None),
        (MAJOR, Verdict("override", "critical"), ("accuracy", "critical")),
        (MAJOR, Verdict("unsure", "critical"), ("accuracy", "major")),
        (CRITICAL, Verdict("reattribute", dimension="fluency"), ("fluency", "minor")),
        (CRITICAL, Verdict("reattribute", dimension="appropriateness"), ("appropriateness", "major")),
        (MINOR, Verdict("reattribute", dimension="accuracy"), ("accuracy", "major")),
        (MINOR, Verdict("reattribute", "critical", dimension="accuracy"), ("accuracy", "critical")),
        (CRITICAL, Verdict("override", dimension="accuracy"), ("accuracy", "critical")),
        (finding("accuracy", None), Verdict("override"), None),
        (finding("accuracy", None), Verdict("override", "major"), ("accuracy", "major")),
        (finding("accuracy", "major", kept=False), Verdict("restore"), ("accuracy", "major")),
        (finding("accuracy", "major", kept=False), Verdict("override", "critical"), None),
        (finding("accuracy", "major", kept=False), Verdict("agree"), None),
        (finding("fluency", "minor", kept=False), Verdict("restore", dimension="accuracy"), ("accuracy", "major")),
    ],
)
def test_what_a_finding_costs_once_it_was_reviewed(of: Finding, verdict: Verdict, cost: Any) -> None:
    assert human_deduction(of, verdict) == cost


def test_the_dimensions_that_know_one_severity() -> None:
    assert SINGLE_LEVEL == {"fluency": "minor", "appropriateness": "major"}
    assert [decision for decision, met in POINT_MET.items() if met] == ["not_an_error", "too_strict", "met"]
    assert "duplicate" not in POINT_MET
    assert "unsure" not in POINT_MET


def error(identity: str, dimension: Any, severity: Any, **more: Any) -> MarkedError:
    return MarkedError(identity, dimension, None, severity, **more)


FINDINGS = {"f1": MAJOR, "f2": CRITICAL, "f3": MINOR}


def test_of_an_error_at_several_places_the_severest_costs_and_of_equals_the_first() -> None:
    work = Work({"f2": Verdict("agree", repeat_of="f1")}, {"e1": error("e1", "fluency", "minor", repeat_of="f3")})
    assert deductions(FINDINGS, work, METRIC_S) == {"f2": ("accuracy", "critical"), "f3": ("fluency", "minor")}
    assert counted_elsewhere(FINDINGS, work, METRIC_S) == {"f1": "f2", "e1": "f3"}
    assert human_score("scored", FINDINGS, work, METRIC_S) == Score(50, 18, 20)


def test_an_error_of_ones_own_that_is_the_judges_costs_once() -> None:
    work = Work({"f1": Verdict("agree", matches="e1")}, {"e1": error("e1", "accuracy", "critical")})
    assert work.matched == {"e1": "f1"}
    assert work.unmatched == {}
    assert work.links == {"e1": "f1"}
    assert deductions(FINDINGS, work, METRIC_S) == {
        "f1": ("accuracy", "major"),
        "f2": ("accuracy", "critical"),
        "f3": ("fluency", "minor"),
    }


def test_errors_of_ones_own_and_points_cost_too() -> None:
    work = Work(
        errors={
            "e1": error("e1", "appropriateness", "major"),
            "e2": error("e2", None, None),
            "e3": error("e3", "fluency", None),
        },
        points={4: PointVerdict("violated"), 5: PointVerdict("met"), 6: PointVerdict("too_strict")},
    )
    assert deductions({"f1": MAJOR}, work, METRIC_S) == {
        "f1": ("accuracy", "major"),
        "e1": ("appropriateness", "major"),
        "point:4": ("accuracy", "violated"),
    }


def test_a_blind_pass_counts_what_was_marked_and_nothing_of_the_judges() -> None:
    errors = {"e1": error("e1", "accuracy", "critical", blind=True)}
    started = Work(errors=errors, points={4: PointVerdict("violated")}, blind="started")
    assert deductions(FINDINGS, started, METRIC_S) == {"e1": ("accuracy", "critical")}
    assert started.unconfirmed == {}
    revealed = Work(
        errors=errors
        | {
            "e2": error("e2", "accuracy", "major", blind=True, missed=True),
            "e3": error("e3", "accuracy", "major"),
        },
        blind="revealed",
    )
    assert set(revealed.unconfirmed) == {"e1"}
    assert Work(errors=errors).unconfirmed == {}
    assert len(deductions(FINDINGS, revealed, METRIC_S)) == 6


@pytest.mark.parametrize(
    ("links", "identity", "first"),
    [
        ({}, "a", "a"),
        ({"a": "b"}, "a", "b"),
        ({"a": "b", "b": "c"}, "a", "c"),
        ({"a": "b", "b": "a"}, "b", "a"),
        ({"a": "c", "c": "b", "b": "c"}, "a", "b"),
        ({"b": "b"}, "b", "b"),
    ],
)
def test_a_repeat_leads_back_to_the_first(links: dict[str, str], identity: str, first: str) -> None:
    assert first_of_group(identity, links) == first


@pytest.mark.parametrize(
    ("state", "work", "total"),
    [
        ("scored", Work(), 83),
        ("scored", Work(search_done=True), 83),
        ("scored", Work(instruction="agree"), 83),
        ("scored", Work(instruction="overturn"), 0),
        ("instruction_failed", Work(), None),
        ("instruction_failed", Work(instruction="agree"), 0),
        ("instruction_failed", Work(instruction="overturn"), None),
        ("instruction_failed", Work(instruction="overturn", search_done=True), 83),
        ("score_only", Work(), None),
        ("score_only", Work(search_done=True), 83),
        ("judge_failed", Work(), None),
        ("judge_failed", Work(search_done=True), 83),
        ("judge_failed", Work(instruction="overturn"), 0),
        ("no_translation", Work(search_done=True, instruction="overturn"), None),
    ],
)
def test_when_there_is_a_score_of_the_reviewers(state: Any, work: Work, total: int | None) -> None:
    found = human_score(state, FINDINGS, work, METRIC_S)
    assert (None if found is None else found.total) == total


def test_the_steps_of_a_score() -> None:
    """A finding that is moved has a step in both dimensions; the fourth takes only what is left."""
    findings = {"f1": finding("accuracy", "extremely_critical"), "f2": CRITICAL, "f3": MINOR}
    work = Work(
        {"f2": Verdict("reattribute", dimension="fluency")},
        {"e1": error("e1", "accuracy", "critical")},
        {4: PointVerdict("violated"), 5: PointVerdict("met")},
    )
    found = waterfall("scored", findings, work)
    assert found.steps == (
        Step("f1", "accuracy", Move("extremely_critical", 50, 50, 10), Move("extremely_critical", 50, 50, 10)),
        Step("f2", "accuracy", Move("critical", 10, 10, 0), Move(None, 0, 0, 10)),
        Step("e1", "accuracy", Move(None, 0, 0, 0), Move("critical", 10, 10, 0)),
        Step("point:4", "accuracy", Move(None, 0, 0, 0), Move("violated", 5, 0, 0)),
        Step("f2", "fluency", Move(None, 0, 0, 20), Move("minor", 2, 2, 18)),
        Step("f3", "fluency", Move("minor", 2, 2, 18), Move("minor", 2, 2, 16)),
    )
    assert (found.judge, found.human) == (Score(0, 18, 20), Score(0, 16, 20, (5, 0, 0)))


def test_what_is_no_translation_loses_everything_in_one_step_a_dimension() -> None:
    found = waterfall("instruction_failed", FINDINGS, Work(instruction="agree"))
    assert found.steps == tuple(
        Step(NO_TRANSLATION, dimension, Move(None, points, points, 0), Move(None, points, points, 0))  # type: ignore[arg-type]
        for dimension, points in (("accuracy", 60), ("fluency", 20), ("appropriateness", 20))
    )
    assert (found.judge, found.human) == (Score(0, 0, 0), Score(0, 0, 0))
    found = waterfall("instruction_failed", FINDINGS, Work(instruction="overturn", search_done=True))
    assert [(step.subject, step.dimension) for step in found.steps] == [
        (NO_TRANSLATION, "accuracy"),
        ("f1", "accuracy"),
        ("f2", "accuracy"),
        (NO_TRANSLATION, "fluency"),
        ("f3", "fluency"),
        (NO_TRANSLATION, "appropriateness"),
    ]
    assert found.steps[1].human == Move("major", 5, 5, 55)
    assert found.steps[1].judge == Move(None, 0, 0, 0)
    found = waterfall("scored", FINDINGS, Work(instruction="overturn"))
    assert (found.judge, found.human) == (Score(45, 18, 20), Score(0, 0, 0))
    assert found.steps[0] == Step(NO_TRANSLATION, "accuracy", Move(None, 0, 0, 60), Move(None, 60, 60, 0))


def test_where_no_score_is_claimed_there_are_no_steps() -> None:
    assert waterfall("judge_failed", FINDINGS, Work()).steps == ()
    assert waterfall("no_translation", FINDINGS, Work()).steps == ()
    found = waterfall("judge_failed", FINDINGS, Work(search_done=True))
    assert (found.judge, found.human) == (None, Score(45, 18, 20))
    assert found.steps[0] == Step("f1", "accuracy", None, Move("major", 5, 5, 55))
    blind = waterfall("scored", FINDINGS, Work(blind="started", points={4: PointVerdict("violated")}))
    assert (blind.steps, blind.judge, blind.human) == ((), None, Score(60, 20, 20))


@pytest.mark.parametrize(
    ("subject", "points"),
    [("f1", 5), ("f2", 5), ("f3", 0), ("e1", -5), ("point:4", -5), ("point:9", 0), (NO_TRANSLATION, 0)],
)
def test_what_the_reviewers_word_makes_of_the_total(subject: str, points: int) -> None:
    work = Work(
        {"f1": Verdict("not_an_error"), "f2": Verdict("override", "major"), "f3": Verdict("agree")},
        {"e1": error("e1", "appropriateness", "major")},
        {4: PointVerdict("violated")},
    )
    assert effect(subject, "scored", FINDINGS, work) == points


def test_what_an_overturned_check_makes_of_the_total() -> None:
    assert effect(NO_TRANSLATION, "scored", FINDINGS, Work(instruction="overturn")) == -83
    assert effect(NO_TRANSLATION, "instruction_failed", FINDINGS, Work(instruction="agree")) is None
    assert effect("f1", "judge_failed", FINDINGS, Work()) is None
