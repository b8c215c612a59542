"""Where reviewers of one evaluation agree, thing by thing."""

from __future__ import annotations

from typing import Any

import pytest

from judges.consistency.disagreements import ComparedOpinions, compare, is_unsure
from judges.metric_s.human_score import Work
from judges.model import Finding, MarkedError, Place, PointVerdict, Verdict

MAJOR = Finding("accuracy", 1, "", category="mistranslation", severity="major")
DROPPED = Finding("accuracy", 2, "", severity="major", kept=False)


def of_finding(*verdicts: Verdict | None, finding: Finding = MAJOR) -> ComparedOpinions | None:
    works = {name: Work({"f": said} if said else {}) for name, said in zip("abc", verdicts, strict=False)}
    found = [each for each in compare({"f": finding}, works) if each.kind == "finding"]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("verdicts", "agreed"),
    [
        ([Verdict("agree"), Verdict("agree")], True),
        ([Verdict("agree"), Verdict("not_an_error")], False),
        ([Verdict("agree"), Verdict("unsure")], False),
        ([Verdict("agree"), None], False),
        ([Verdict("agree"), Verdict("agree"), Verdict("unsure")], True),
        ([Verdict("not_an_error"), Verdict("not_an_error")], True),
        ([Verdict("not_an_error"), Verdict("too_strict")], False),
        ([Verdict("duplicate", duplicate_of="g"), Verdict("duplicate", duplicate_of="g")], True),
        ([Verdict("duplicate", duplicate_of="g"), Verdict("duplicate", duplicate_of="h")], False),
        ([Verdict("duplicate", duplicate_of="g"), Verdict("not_an_error")], False),
        ([Verdict("override", "critical"), Verdict("override", "critical")], True),
        ([Verdict("override", "critical"), Verdict("agree")], False),
        ([Verdict("override", "major"), Verdict("agree")], True),
        ([Verdict("override", category="omission"), Verdict("agree")], False),
        ([Verdict("override", category="mistranslation"), Verdict("agree")], True),
        ([Verdict("reattribute", dimension="fluency"), Verdict("reattribute", "minor", dimension="fluency")], True),
        (
            [
                Verdict("reattribute", dimension="fluency", category="grammar"),
                Verdict("reattribute", dimension="fluency"),
            ],
            False,
        ),
        ([Verdict("agree", repeat_of="g"), Verdict("agree")], False),
        ([Verdict("agree", spans=(Place("source", 0, 2),)), Verdict("agree")], False),
        ([Verdict("agree", note="so"), Verdict("agree")], True),
    ],
)
def test_what_two_say_of_a_finding(verdicts: list[Verdict | None], agreed: bool) -> None:
    found = of_finding(*verdicts)
    assert found is not None
    assert found.agreed == agreed
    assert list(found.said) == [name for name, said in zip("abc", verdicts, strict=False) if said]
    assert list(found.opinions) == [
        name for name, said in zip("abc", verdicts, strict=False) if said and said.decision != "unsure"
    ]


def test_of_a_dropped_finding_one_may_leave_things_as_they_are() -> None:
    for said in (Verdict("agree"), Verdict("not_an_error"), Verdict("override", "critical")):
        found = of_finding(said, None, finding=DROPPED)
        assert found is not None
        assert found.agreed
    restored = of_finding(Verdict("restore"), None, finding=DROPPED)
    assert restored is not None
    assert not restored.agreed
    assert of_finding(None, None, finding=DROPPED) is None
    nothing = of_finding(None, None)
    assert nothing is not None
    assert (nothing.agreed, nothing.said) == (False, {})


@pytest.mark.parametrize(
    ("decisions", "agreed"),
    [
        (["met", "met"], True),
        (["met"], True),
        (["violated"], False),
        (["violated", "violated"], True),
        (["met", "violated"], False),
        (["too_strict"], True),
    ],
)
def test_what_reviewers_say_of_a_point(decisions: list[Any], agreed: bool) -> None:
    works = {name: Work(points={3: PointVerdict(said)}) for name, said in zip("ab", decisions, strict=False)}
    (found,) = (each for each in compare({}, works | {"z": Work()}) if each.kind == "point")
    assert (found.subject, found.agreed, list(found.said)) == ("point:3", agreed, list("ab")[: len(decisions)])


@pytest.mark.parametrize(
    ("said", "agreed"),
    [
        (["agree", "agree"], True),
        (["agree"], True),
        (["overturn"], False),
        (["overturn", "overturn"], True),
        (["agree", "overturn"], False),
    ],
)
def test_what_reviewers_say_of_the_instruction_check(said: list[Any], agreed: bool) -> None:
    works = {name: Work(instruction=each) for name, each in zip("ab", said, strict=False)}
    (found,) = compare({}, works)
    assert (found.kind, found.subject, found.agreed) == ("instruction", "instruction", agreed)
    assert compare({}, {"a": Work()}) == []


def error(identity: str, start: int, end: int, severity: Any = "major", side: Any = "translation") -> MarkedError:
    return MarkedError(identity, "accuracy", "omission", severity, (Place(side, start, end),))


def groups(*errors: list[MarkedError], searched: str = "") -> list[tuple[tuple[str, ...], bool, list[str]]]:
    works = {
        name: Work(errors={each.id: each for each in of}, search_done=name in searched)
        for name, of in zip("abc", errors, strict=False)
    }
    return [(each.errors, each.agreed, list(each.said)) for each in compare({}, works)]


def test_errors_that_overlap_are_one_thing() -> None:
    assert groups([error("x", 0, 5)], [error("y", 4, 9)]) == [(("x", "y"), True, ["a", "b"])]
    assert groups([error("x", 0, 5)], [error("y", 5, 9)]) == [(("x",), False, ["a"]), (("y",), False, ["b"])]
    assert groups([error("x", 0, 5)], [error("y", 0, 5, side="source")]) == [
        (("y",), False, ["b"]),
        (("x",), False, ["a"]),
    ]
    assert groups([error("x", 0, 5)], [error("y", 4, 9, "critical")]) == [(("x", "y"), False, ["a", "b"])]
    assert groups([error("x", 0, 5)], [], searched="b") == [(("x",), False, ["a", "b"])]
    assert groups([error("x", 0, 5)], []) == [(("x",), False, ["a"])]


def test_the_errors_that_overlap_most_go_together_each_layers_once() -> None:
    found = groups([error("x1", 0, 5), error("x2", 3, 9)], [error("y", 2, 8)])
    assert found == [(("x1",), False, ["a"]), (("x2", "y"), True, ["a", "b"])]
    found = groups([error("x", 0, 5)], [error("y", 1, 6)], [error("z", 2, 7)])
    assert found == [(("x", "y", "z"), True, ["a", "b", "c"])]


def test_being_unsure_is_no_opinion() -> None:
    assert is_unsure(Verdict("unsure"))
    assert is_unsure(Verdict(note="?"))
    assert not is_unsure(Verdict("agree"))
    assert not is_unsure(None)
    assert not is_unsure("agree")
