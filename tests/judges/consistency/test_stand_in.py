"""Scores and labels that the alternative annotator test is given, and its part of the report."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path
from typing import Any

import pytest

from judges.consistency.records import BlindAnnotation, FindingTable, ReviewedFinding
from judges.consistency.spans import ErrorSpan
from judges.consistency.stand_in import OTHER_SCALE, StandIn, blind_tests, finding_tests, score_tests
from judges.meta_eval.alternative_annotator import ALONE, alternative_annotator_test
from judges.meta_eval.score_table import ScoreRow
from tests.conftest import Command
from tests.discox_tui.cli.test_consistency import strict, written


def finding(number: int, reviewer: str, decision: Any, **more: Any) -> ReviewedFinding:
    at = more.pop("at", number % 5)
    return ReviewedFinding(
        evaluation=f"e{at}",
        article=f"a{at}",
        system="s",
        direction="zh-en",
        domain="",
        judge_model=more.pop("judge_model", "j"),
        reviewer=reviewer,
        judge="accuracy",
        dimension="accuracy",
        category=more.pop("category", "omission"),
        severity=more.pop("severity", "major"),
        decision=decision,
        finding=number,
        **more,
    )


def by(tests: list[StandIn], label: str, candidate: str = "j") -> Any:
    (found,) = (each for each in tests if (each.candidate, each.label) == (candidate, label))
    return found.test


def test_labels_of_findings_are_what_reviewers_left() -> None:
    """Forty findings are agreed with, moved, rejected, given another category or level; unsure says nothing."""
    rows, judge, people = [], dict[int, str](), {"ana": dict[int, str](), "ben": dict[int, str]()}
    levels: dict[str, dict[int, str]] = {"ana": {}, "ben": {}}
    said = [
        (("agree", {}), "accuracy omission", "major"),
        (("not_an_error", {}), "not_an_error", None),
        (("duplicate", {}), "duplicate", None),
        (("override", {"human_category": "untranslated"}), "accuracy untranslated", "major"),
        (("override", {"human_severity": "critical"}), "accuracy omission", "critical"),
        (("reattribute", {"human_dimension": "fluency"}), "fluency ", None),
        (("unsure", {}), None, None),
        ((None, {}), None, None),
    ]
    chance = random.Random(2)
    for number in range(160):
        for reviewer in ("ana", "ben"):
            (decision, more), label, level = chance.choice(said)
            rows.append(finding(number, reviewer, decision, **more))
            if label:
                people[reviewer][number] = label
            if level:
                levels[reviewer][number] = level
        judge[number] = "accuracy omission"
    found = finding_tests(FindingTable.of(rows), 0.2)
    articles = {number: number % 5 for number in range(160)}
    assert by(found, "category") == alternative_annotator_test(judge, people, articles=articles)
    expected = alternative_annotator_test(dict.fromkeys(judge, "major"), levels, articles=articles)
    assert by(found, "severity") == expected
    assert by(found, "category").items.people[0].p is not None


def test_each_judge_is_tested_on_its_own_findings() -> None:
    rows = [finding(n, r, "agree", judge_model=j) for j, of in (("j", range(40)), ("k", range(40, 80))) for n in of for r in ("ana", "ben")]  # fmt: skip
    rows += [finding(n, "cyn", "agree", judge_model="k") for n in range(40, 50)]
    found = finding_tests(FindingTable.of(rows), 0.2)
    assert [(each.candidate, each.label) for each in found] == [
        ("j", "category"), ("j", "severity"), ("k", "category"), ("k", "severity")
    ]  # fmt: skip
    assert by(found, "category", "j").left_out == {}
    assert set(by(found, "category", "k").left_out) == {"cyn"}
    assert by(found, "category", "k").items.advantage.value == 1


def test_findings_that_were_dropped_or_have_no_readable_label_are_no_items() -> None:
    rows = [finding(n, r, "agree", kept=n % 2 == 0, category=None if n < 20 else "omission") for n in range(100) for r in ("ana", "ben")]  # fmt: skip
    found = by(finding_tests(FindingTable.of(rows), 0.2), "category")
    assert {each.n for each in found.items.people} == {40}


def test_errors_marked_blind_are_matched_with_the_judges() -> None:
    judges = tuple(ErrorSpan("translation", 10 * n, 10 * n + 8, "minor", "grammar", f"f{n}") for n in range(40))

    def marking(reviewer: str, shift: int, category: str, until: int = 40) -> BlindAnnotation:
        spans = tuple(
            ErrorSpan("translation", 10 * n + shift, 10 * n + 8, "minor", category, f"{n}") for n in range(until)
        )
        return BlindAnnotation("t", "zh-en", "a", reviewer, spans, {"e": judges})

    markings = [marking("ana", 1, "grammar"), marking("ben", 2, "style"), marking("cyn", 0, "grammar", 5)]
    found = blind_tests(markings, {"e": "j"}, 0.2)
    category = by(found, "category")
    assert [(each.person, each.n, each.advantage) for each in category.items.people] == [
        ("ana", 40, 1.0),
        ("ben", 40, 1.0),
    ]
    assert set(category.left_out) == {"cyn"}
    assert by(found, "severity").items.people[0].difference == 0


def test_severities_beside_a_judge_are_those_that_compare_with_it() -> None:
    """People said “serious” in a scheme of their own, which comes to “major” beside a judge of Metric-S."""
    judges = tuple(ErrorSpan("translation", 10 * n, 10 * n + 8, "major", "grammar", f"f{n}") for n in range(40))
    given = tuple(ErrorSpan("translation", 10 * n, 10 * n + 8, "serious", "grammar", f"{n}") for n in range(40))
    ours = tuple(ErrorSpan("translation", 10 * n, 10 * n + 8, "major", "grammar", f"{n}") for n in range(40))
    markings = [
        BlindAnnotation("t", "zh-en", "a", reviewer, given, {"e": judges}, beside={"e": ours})
        for reviewer in ("ana", "ben")
    ]
    people = by(blind_tests(markings, {"e": "j"}, 0.2), "severity").items.people
    assert [(each.n, each.advantage, each.difference) for each in people] == [(40, 1.0, 0.0)] * 2
    in_their_own = [marking._replace(beside={}) for marking in markings]
    assert by(blind_tests(in_their_own, {"e": "j"}, 0.2), "severity").items.people[0].advantage == 0


def test_scores_are_of_translations_and_articles_their_clusters() -> None:
    chance = random.Random(5)
    rows = []
    given: dict[str, dict[Any, float]] = {"ana": {}, "ben": {}, "m": {}}
    for article in range(12):
        for system in "ABCD":
            for name in given:
                score = chance.randrange(100)
                given[name]["zh-en", f"{article}", system] = score
                rows.append(ScoreRow(name, system, f"{article}", "zh-en", score, name != "m"))
    (found,) = score_tests(rows, "total", 0.2)
    articles = {item: item[1] for item in given["m"]}
    people = {name: given[name] for name in ("ana", "ben")}
    assert found.test == alternative_annotator_test(given["m"], people, "neg_rmse", articles=articles)
    (other,) = score_tests(rows, "total", 0.2, ["m"])
    assert (other.test, other.why) == (None, OTHER_SCALE)


def test_people_who_rated_other_segments_are_not_compared() -> None:
    """Cyn rated one segment of two of each translation, and the three the same of those in the last ten articles."""
    chance = random.Random(7)
    rows = []
    for article in range(50):
        rows.append(ScoreRow("m", "A", f"{article}", "zh-en", chance.randrange(9), False))
        for name in ("ana", "ben", "cyn"):
            numbers = (1,) if name == "cyn" or article >= 40 else (1, 2)
            segments = tuple((number, float(chance.randrange(9))) for number in numbers)
            score = sum(each for _, each in segments) / len(segments)
            rows.append(ScoreRow(name, "A", f"{article}", "zh-en", score, True, segments=segments))
    (found,) = score_tests(rows, "total", 0.2)
    assert found.test is not None
    assert [(each.person, each.n) for each in found.test.items.people] == [("ana", 50), ("ben", 50)]
    assert found.test.left_out["cyn"].startswith("10 items")
    alone = [row for row in rows if row.metric != "cyn" or int(row.article) >= 40]
    assert score_tests(alone, "total", 0.2) == [found]


HEADER = ("metric", "system", "article", "direction", "score", "rater")


def table(scale: float = 1) -> list[tuple[object, ...]]:
    chance = random.Random(6)
    rows: list[tuple[object, ...]] = []
    for article in range(12):
        for system in "ABC":
            true = chance.randrange(40, 90)
            rows += [
                ("ESA", system, article, "zh-en", true + chance.randrange(-6, 7), r) for r in ("ana", "ben", "cyn")
            ]
            rows.append(("m", system, article, "zh-en", (true + chance.randrange(-2, 3)) * scale, ""))
    return [row for row in rows if row[5] != "cyn" or int(str(row[2])) < 5]


def test_the_report_says_who_was_tested_and_who_was_not(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table(), HEADER)
    plain = strict(discox("consistency", "--scores", path, "--json", "--epsilon", "crowd").out)["stand_in"]
    assert (plain["epsilon"], plain["least"], plain["rate"]) == (0.1, 30, 0.05)
    (test,) = plain["tests"]
    assert (test["candidate"], test["measure"], test["label"]) == ("m", "scores", "total")
    assert [each["person"] for each in test["test"]["items"]["people"]] == ["ana", "ben"]
    assert {each["n"] for each in test["test"]["articles"]["people"]} == {12}
    assert set(test["test"]["left_out"]) == {"cyn"}
    for options in ((), ("--html", "-"), ("--markdown", "-")):
        shown = " ".join(discox("consistency", "--scores", path, *options).out.split())
        assert "can a judge stand in for a person?" in shown.lower()
        assert "0.2 (expert)" in shown
        assert "Left out: cyn" in shown
    rows = list(csv.DictReader(io.StringIO(discox("consistency", "--scores", path, "--csv").out)))
    (row,) = (r for r in rows if r["figure"] == "winning rate over items")
    assert row["label"] == "m, scores: total"
    assert row["value"]


def test_a_metric_on_another_scale_is_not_tested_and_says_so(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table(0.01), HEADER)
    (test,) = strict(discox("consistency", "--scores", path, "--json").out)["stand_in"]["tests"]
    assert (test["test"], test["why"]) == (None, OTHER_SCALE)
    assert OTHER_SCALE in " ".join(discox("consistency", "--scores", path).out.split())


def test_one_person_alone_and_no_candidate(discox: Command, tmp_path: Path) -> None:
    alone = [row for row in table() if row[5] in ("", "ana")]
    path = written(tmp_path / "s.csv", alone, HEADER)
    (test,) = strict(discox("consistency", "--scores", path, "--json").out)["stand_in"]["tests"]
    assert test["test"]["items"]["winning_rate"]["why"] == ALONE
    path = written(tmp_path / "t.csv", [row for row in table() if row[5]], HEADER)
    assert "– there is no judge and no metric." in discox("consistency", "--scores", path).out


@pytest.mark.parametrize("given", ["1", "-0.1", "nobody", "nan"])
def test_epsilon_is_who_people_are_or_a_share(discox: Command, tmp_path: Path, given: str) -> None:
    path = written(tmp_path / "s.csv", table(), HEADER)
    result = discox("consistency", "--scores", path, f"--epsilon={given}")
    assert result.code == 2
    assert "--epsilon" in result.err
