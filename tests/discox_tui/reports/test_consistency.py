"""The consistency report as people and programs get it."""

import json
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from discox_tui.reports.consistency.sections import review_sections
from discox_tui.reports.render import text
from discox_tui.reports.render.json import plain as as_json
from judges.consistency.records import AddedError, ReviewedDocument, ReviewedFinding
from judges.consistency.report import EvaluationCounts, consistency
from judges.model import DECISIONS, Score
from judges.stats.intervals import BOOTSTRAP
from judges.stats.resampling import TOO_FEW

NOBODY = EvaluationCounts(0, 0, 0, 0, 0, 0, 0, 0)
SOME = EvaluationCounts(1200, 1100, 2, 1, 1, 60, 30, 10)


def row(system="A", article="a1"):
    return (f"{article}/{system}", article, system, "zh-en", "news", "judge", "anna")


def finding(decision, system="A", **other):
    return ReviewedFinding(
        *row(system), "accuracy", "accuracy", "mistranslation", "critical", decision=decision, **other
    )


def as_text(found):
    return text.as_text(review_sections(found))


def report(**given):
    findings = [
        finding("agree"),
        finding("agree"),
        finding("override", human_severity="major"),
        finding("not_an_error"),
        finding(None),
    ]
    documents = [
        ReviewedDocument(*row("A"), Score(60, 20, 20), Score(50, 20, 20)),
        ReviewedDocument(*row("B"), Score(40, 18, 20), Score(45, 18, 20)),
    ]
    return consistency(findings, documents, {"a judge failed": 60}, SOME, **given)


def figures(plain):
    """Every figure in a report as JSON."""
    if isinstance(plain, dict):
        if "value" in plain:
            yield plain
        else:
            for part in plain.values():
                yield from figures(part)
    elif isinstance(plain, list):
        for part in plain:
            yield from figures(part)


def line_of(text, start):
    return next(line for line in text.splitlines() if line.strip().startswith(start))


def test_a_figure_comes_with_its_n():
    text = as_text(report())
    assert line_of(text, "Precision").split() == ["Precision", "0.750", "–", "n", "4"]
    assert f"! {TOO_FEW}" in text
    assert line_of(text, "Coverage").split() == ["Coverage", "0.800", "–", "n", "5"]
    assert line_of(text, "accuracy ").split() == ["accuracy", "3", "1", "0", "1", "0.750", "–"]
    assert line_of(text, "in all  ").split() == ["in", "all", "1,200"]
    assert line_of(text, "total, 0-100").split()[2:4] == ["n", "diff."]
    assert " ".join(line_of(text, "within articles").split()) == "within articles 2 +2.50 7.50 1.000 1.000 1.000 1 of 1"
    assert "a judge failed" in line_of(text, "60  ")


def test_an_undefined_figure_is_a_dash_and_its_reason():
    text = as_text(report())
    assert line_of(text, "Recall").split() == ["Recall", "–", "n", "0"]
    assert "– no reviewer says that these documents were searched" in text
    assert "– all scores of the judge are equal" in text  # appropriateness
    assert "nan" not in as_text(consistency([], [], {}, NOBODY)).lower().split()


def test_recall_shows_where_missed_errors_were_searched_for():
    missed = AddedError(*row(), "fluency", "grammar", "minor")
    text = as_text(report(added=[missed], searched={("a1/A", "anna")}))
    assert line_of(text, "Recall").split() == ["Recall", "0.750", "–", "n", "4"]
    assert line_of(text, "fluency   ").split() == ["fluency", "0", "0", "1", "0", "–", "–", "0.000"]


def test_a_figure_comes_with_its_interval():
    """Five articles, of four of which all is right; none of two."""
    findings = [
        ReviewedFinding(*row("A", article), "accuracy", "accuracy", "mistranslation", "critical", decision=decision)
        for article, decision in [(f"a{i}", "agree") for i in range(4)]
        + [("a9", "agree")]
        + [("a9", "not_an_error")] * 2
    ]
    found = consistency(findings, [], {}, SOME)
    precision = as_json(found)["findings"]["overall"]["precision"]
    interval = precision.pop("interval")
    assert precision == {"value": pytest.approx(5 / 7), "n": 7}
    assert 0.33 < interval["low"] < 0.4  # four of five of the last: 4/10 … 5/15
    assert interval["high"] == 1
    assert line_of(as_text(found), "Precision").split()[2] == f"{interval['low']:.3f}-1.000"
    assert (interval["articles"], interval["resamples"], interval["seed"]) == (5, 2000, 1)
    assert interval["method"] == BOOTSTRAP
    assert "rough" in interval["warning"]
    assert "! 5 articles: a rough guess" in as_text(found)


def test_too_few_articles_have_a_reason_instead_of_an_interval():
    findings = [
        ReviewedFinding(*row("A", f"a{i}"), "accuracy", "accuracy", "mistranslation", "critical", decision=decision)
        for i, decision in enumerate(("agree", "agree", "not_an_error", "agree"))
    ]
    of_four = consistency(findings, [], {}, SOME)
    assert line_of(as_text(of_four), "Precision").split() == ["Precision", "0.750", "–", "n", "4"]
    assert f"! {TOO_FEW}" in as_text(of_four)
    interval = as_json(of_four)["findings"]["overall"]["precision"]["interval"]
    assert (interval["low"], interval["high"], interval["why"], interval["articles"]) == (None, None, TOO_FEW, 4)


def test_reviewers_stand_beside_the_judge():
    def by(reviewer, *decisions):
        return [
            ReviewedFinding(
                f"a{i}/A", f"a{i}", "A", "zh-en", "news", "judge", reviewer,
                "accuracy", "accuracy", "mistranslation", "critical", decision=decision, finding=1,
            )
            for i, decision in enumerate(decisions)
        ]  # fmt: skip

    text = as_text(consistency([*by("anna", "agree", "not_an_error"), *by("lin", "agree", "unsure")], [], {}, SOME))
    assert "all together: anna, lin" in text
    assert line_of(text, "verdicts, humans").split()[2:4] == ["1", "1.000"]
    assert line_of(text, "verdicts, judge").split()[2:4] == ["2", "1.000"]
    assert "no variation" in text
    assert "this is no agreement of independent annotators" in " ".join(text.split())


@pytest.mark.parametrize("given", [report(), consistency([], [], {}, NOBODY)])
def test_json_has_no_nan_and_a_reason_for_every_null(given):
    plain = json.loads(json.dumps(as_json(given), allow_nan=False))
    found = list(figures(plain))
    assert found
    assert all((figure["value"] is None) == bool(figure.get("why")) for figure in found)
    assert all(figure["n"] >= 0 for figure in found)


def test_json_says_what_the_text_says():
    plain = as_json(report())
    precision = plain["findings"]["overall"]["precision"]
    assert (precision["value"], precision["n"], precision["interval"]["low"]) == (0.75, 4, None)
    assert plain["findings"]["severity"]["table"]["critical"]["major"] == 1
    assert plain["documents"]["total"]["articles"]["pearson"]["groups"] == {"used": 1, "total": 1}
    assert plain["evaluations"]["judge_failed"] == plain["left_out"]["a judge failed"] == 60


@given(st.lists(st.tuples(st.text(max_size=120), st.sampled_from([None, *DECISIONS])), max_size=6), st.text())
def test_text_fits_80_cells_and_cannot_steer_a_terminal(rows, reason):
    findings = [finding(decision, system) for system, decision in rows]
    text = as_text(consistency(findings, [], {reason: 7}, SOME))
    assert max(map(cell_len, text.splitlines())) <= 80
    assert {c for c in text if unicodedata.category(c) in ("Cc", "Cs")} <= {"\n"}


def test_a_report_needs_no_screen():
    program = "import sys, discox_tui.reports.consistency.report, discox_tui.reports.render.text, discox_tui.reports.render.heat_maps as _; "
    heavy = "sys.exit(bool({'textual', 'numpy', 'plotext'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program + heavy], check=False).returncode == 0


def test_intervals_of_document_figures_stand_under_their_table():
    documents = [
        ReviewedDocument(*row("A", f"a{i}"), Score(40 + i, 20, 20), Score(30 + 3 * i, 20, 15)) for i in range(5)
    ]
    report = consistency([], documents, {}, SOME)
    text = as_text(report)
    plain = as_json(report)["documents"]["total"]
    of_difference = plain["all"]["mean_difference"]["interval"]
    ends = f"{of_difference['low']:.2f}-{of_difference['high']:.2f}"  # of 15, 13, 11, 9, 7
    assert 7 <= of_difference["low"] < 8
    assert 14 < of_difference["high"] <= 15
    assert f"    95 % in all: diff. {ends}, |diff.| {ends}, r 1.000-1.000" in text
    assert "    Intervals of 5 articles: a rough guess" in text
    interval = plain["all"]["kendall_tau_b"]["interval"]
    assert (interval["low"], interval["high"], interval["resamples"] + interval["dropped"]) == (1, 1, 2000)
    assert f"    95 % within systems: diff. {ends}, |diff.| {ends}" in text
    assert plain["systems"]["mean_difference"]["interval"]["low"] == of_difference["low"]
    few = as_text(consistency([], documents[:4], {}, SOME))
    assert f"    – {TOO_FEW}" in few
