"""The steps of a score come to the score, whatever the findings and whatever was said of them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from judges.metric_s.human_score import Work, human_score
from judges.metric_s.scoring import METRIC_S, Weights, judge_deduction, score
from judges.metric_s.waterfall import NO_TRANSLATION, Move, Step, effect, waterfall
from judges.model import (
    DECISIONS,
    DIMENSIONS,
    JUDGES,
    LEVELS,
    POINT_DECISIONS,
    EvaluationState,
    Finding,
    MarkedError,
    PointVerdict,
    Score,
    Verdict,
)

IDS = ["f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"]
OWN = ["e1", "e2", "e3"]
STATES: list[EvaluationState] = ["scored", "score_only", "judge_failed", "instruction_failed", "no_translation"]

labels = st.sampled_from(JUDGES).flatmap(lambda judge: st.tuples(st.just(judge), st.sampled_from(LEVELS[judge])))
own_labels = st.sampled_from(DIMENSIONS).flatmap(lambda d: st.tuples(st.just(d), st.sampled_from(LEVELS[d])))
anyone = st.none() | st.sampled_from(IDS + OWN)


@st.composite
def a_finding(draw: st.DrawFn) -> Finding:
    judge, severity = draw(labels)
    return Finding(judge, 1, "", severity=draw(st.sampled_from([severity, severity, None])), kept=draw(st.booleans()))


@st.composite
def a_verdict(draw: st.DrawFn) -> Verdict:
    dimension, severity = draw(own_labels)
    return Verdict(
        draw(st.sampled_from([None, *DECISIONS])),
        draw(st.sampled_from([None, severity])),
        dimension=draw(st.sampled_from([None, dimension])),
        repeat_of=draw(anyone),
        matches=draw(st.none() | st.sampled_from(OWN)),
    )


@st.composite
def an_error(draw: st.DrawFn, identity: str) -> MarkedError:
    dimension, severity = draw(own_labels)
    return MarkedError(identity, dimension, None, severity, repeat_of=draw(anyone))


@st.composite
def a_work(draw: st.DrawFn) -> Work:
    return Work(
        draw(st.dictionaries(st.sampled_from(IDS), a_verdict())),
        {identity: draw(an_error(identity)) for identity in draw(st.lists(st.sampled_from(OWN), unique=True))},
        draw(st.dictionaries(st.integers(1, 4), st.sampled_from(POINT_DECISIONS).map(PointVerdict))),
        draw(st.sampled_from([None, None, "agree", "overturn"])),
        draw(st.booleans()),
        draw(st.sampled_from([None, None, "started", "revealed"])),
    )


findings = st.lists(a_finding(), max_size=len(IDS)).map(lambda found: dict(zip(IDS, found, strict=False)))
scales = st.sampled_from([METRIC_S, Weights.of("100/0/0-2/5/10/50/5")])


@given(st.sampled_from([*STATES, "scored", "scored"]), findings, a_work(), scales)
def test_the_steps_come_to_the_scores(
    state: EvaluationState, found: dict[str, Finding], work: Work, weights: Weights
) -> None:
    whole = waterfall(state, found, work, weights)
    assert whole.human == human_score(state, found, work, weights)
    if state == "scored" and work.blind != "started":
        assert whole.judge == score((cost for f in found.values() if (cost := judge_deduction(f))), weights)
        assert {step.subject for step in whole.steps} >= set(found)
    for total, side in ((whole.judge, "judge"), (whole.human, "human")):
        moves: dict[str, list[Move]] = {dimension: [] for dimension in DIMENSIONS}
        for step in whole.steps:
            move = getattr(step, side)
            assert (move is None) == (total is None)
            if move is not None:
                moves[step.dimension].append(move)
        for number, dimension in enumerate(DIMENSIONS if total else ()):
            left = weights.maxima[dimension]
            for move in moves[dimension]:
                assert 0 <= move.counted <= move.points
                assert move.left == left - move.counted >= 0
                left = move.left
            assert total is not None
            assert left == total.of(dimension)
            assert sum(move.points - move.counted for move in moves[dimension]) == total.lost[number]
    places = [(step.subject, step.dimension) for step in whole.steps]
    assert len(places) == len(set(places))


@given(findings, a_work(), st.sampled_from(IDS))
def test_what_nobody_spoke_of_has_no_effect(found: dict[str, Finding], work: Work, subject: str) -> None:
    silent = replace(work, verdicts={identity: said for identity, said in work.verdicts.items() if identity != subject})
    assert effect(subject, "scored", found, silent) == 0


def test_a_floor_swallows_what_is_below_it() -> None:
    found = {
        "f1": Finding("accuracy", 1, "", severity="extremely_critical"),
        "f2": Finding("accuracy", 2, "", severity="critical"),
        "f3": Finding("accuracy", 3, "", severity="major"),
        "f4": Finding("fluency", 1, "", severity="minor"),
    }
    work = Work({"f1": Verdict("not_an_error"), "f3": Verdict("reattribute", dimension="fluency")})
    steps = waterfall("scored", found, work).steps
    assert steps == (
        Step("f1", "accuracy", Move("extremely_critical", 50, 50, 10), Move(None, 0, 0, 60)),
        Step("f2", "accuracy", Move("critical", 10, 10, 0), Move("critical", 10, 10, 50)),
        Step("f3", "accuracy", Move("major", 5, 0, 0), Move(None, 0, 0, 50)),
        Step("f3", "fluency", Move(None, 0, 0, 20), Move("minor", 2, 2, 18)),
        Step("f4", "fluency", Move("minor", 2, 2, 18), Move("minor", 2, 2, 16)),
    )
    assert effect("f1", "scored", found, work) == 50
    assert effect("f3", "scored", found, work) == 3
    assert effect("f3", "scored", found, Work({"f3": work.verdicts["f3"]})) == -2  # accuracy stays at its floor


def test_a_repeat_counts_once_and_no_translation_takes_everything() -> None:
    found = {"f1": Finding("accuracy", 1, "", severity="major"), "f2": Finding("accuracy", 2, "", severity="major")}
    work = Work(
        {"f2": Verdict("agree", repeat_of="f1")},
        {"e1": MarkedError("e1", "appropriateness", "style", "major")},
        {3: PointVerdict("violated"), 4: PointVerdict("too_strict")},
    )
    whole = waterfall("scored", found, work)
    moves = {step.subject: step.human and step.human.counted for step in whole.steps}
    assert moves == {"f1": 5, "f2": 0, "point:3": 5, "e1": 5}
    assert whole.human == Score(50, 20, 15)

    overturned = waterfall("scored", found, replace(work, instruction="overturn"))
    assert overturned.human == Score(0, 0, 0)
    assert [step.human and step.human.counted for step in overturned.steps if step.subject == NO_TRANSLATION] == [
        60,
        20,
        20,
    ]
