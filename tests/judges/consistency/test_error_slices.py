"""Where the judge is weak: counted evaluation by evaluation, and the same as if it were counted anew."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.consistency.error_slices import Tallies, Tally, effective_interval, error_slices
from judges.consistency.findings import finding_figures
from judges.consistency.outcomes import OUTCOMES
from judges.consistency.records import FindingKind
from judges.model import DECISIONS, DIMENSIONS
from judges.stats.intervals import wilson
from storage.analysis.error_slices import latest_act, read_disputed, read_tallies, touched_since
from storage.analysis.review_data import read_reviewed
from storage.db.connection import Connection
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.support.builders import two_evaluations

KINDS = st.builds(
    FindingKind,
    st.just("accuracy"),
    st.sampled_from(DIMENSIONS),
    st.sampled_from(["omission", "grammar", None]),
    st.sampled_from(["major", "critical", None]),
    st.booleans(),
    st.sampled_from([None, *DECISIONS]),
    st.sampled_from([None, *DIMENSIONS]),
)
TALLIES = st.builds(
    Tally,
    st.sampled_from("abcd"),
    st.tuples(st.just("zh-en"), st.sampled_from("xyz")),
    st.sampled_from(["law", "news"]),
    st.dictionaries(KINDS, st.integers(1, 5), max_size=6),
)


def seen(tallies: Tallies) -> tuple[object, ...]:
    return tallies.weak_spots(), tallies.attribution(), tallies.severity(), tallies.counts, len(tallies)


@given(st.lists(st.tuples(TALLIES, st.booleans()), max_size=12))
def test_putting_one_after_another_is_as_counting_what_is_there_at_the_end(puts: list[tuple[Tally, bool]]) -> None:
    one_by_one, now = Tallies(), {}
    for tally, gone in puts:
        one_by_one.put(tally.evaluation, None if gone else tally)
        now[tally.evaluation] = None if gone else tally
        one_by_one.weak_spots()
    assert seen(one_by_one) == seen(Tallies(tally for tally in now.values() if tally))


def test_a_spot_counts_what_was_rejected_and_what_was_moved() -> None:
    def kind(decision: str, to: str | None = None, kept: bool = True) -> FindingKind:
        return FindingKind("fluency", "fluency", None, "minor", kept, decision, to)  # type: ignore[arg-type]

    kinds = {
        kind("agree"): 4,
        kind("not_an_error"): 2,
        kind("duplicate"): 1,
        kind("reattribute", "accuracy"): 3,
        kind("override", "fluency"): 5,
        kind("unsure"): 7,
        kind("restore", kept=False): 9,
    }
    (found,) = Tallies([Tally("e", ("zh-en", "a"), "law", kinds)]).weak_spots()
    assert found.spot == ("fluency", "not given", "law")
    assert (found.decided, found.articles, found.rejected, found.moved, found.rate.value) == (15, 1, 3, 3, 6 / 15)


def test_the_surest_weak_spot_comes_first_and_not_the_smallest() -> None:
    def tally(name: str, article: int, wrong: int, right: int) -> Tally:
        def kind(decision: str) -> FindingKind:
            return FindingKind("fluency", "fluency", name, "minor", True, decision)  # type: ignore[arg-type]

        return Tally(f"{name}{article}", ("zh-en", article), "", {kind("agree"): right, kind("not_an_error"): wrong})

    few = [tally("few", article, 1, 0) for article in range(3)]
    many = [tally("many", article, 9, 1 + article % 2) for article in range(10)]
    assert [found.spot.category for found in Tallies([*few, *many]).weak_spots()] == ["many", "few"]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: (min(pair), max(pair))), max_size=9))
def test_the_interval_holds_the_share_and_is_no_narrower_than_if_findings_were_independent(
    by_article: list[tuple[int, int]],
) -> None:
    found = effective_interval(by_article)
    n = sum(size for _, size in by_article)
    if not n:
        assert found.ends is None
        assert found.why
        return
    assert found.ends is not None
    p = sum(x for x, _ in by_article) / n
    assert 0 <= found.ends[0] <= p + 1e-12
    assert p - 1e-12 <= found.ends[1] <= 1
    alone = wilson(p, n).ends
    assert alone is not None
    assert found.ends[0] <= alone[0] + 1e-12
    assert found.ends[1] >= alone[1] - 1e-12


def test_findings_of_one_article_count_as_one_witness() -> None:
    assert effective_interval([(10, 10)]).ends == wilson(1.0, 1).ends
    assert effective_interval([(1, 2)] * 10).ends == wilson(0.5, 20).ends, "no article differs from another"
    # Half of the articles wholly rejected: p = 1/2, Σ(x - pn)² = 10, variance 10/9 · 10 / 20², so n / d = 9.
    assert effective_interval([(2, 2), (0, 2)] * 5).ends == pytest.approx(wilson(0.5, 9).ends)


def test_the_library_gives_the_same_tables_as_its_rows(sample: Path) -> None:
    with closing(open_library(sample)) as connection:
        for words in ("", "okafor", "lin zh-en", "law-01"):
            tallies, reviewed = Tallies(read_tallies(connection, words)), read_reviewed(connection, words=words)
            rows, figures = reviewed.findings, finding_figures(reviewed.findings, reviewed.added)
            assert tallies.attribution() == figures.attribution
            assert tallies.weak_spots() == error_slices(rows)
            assert tallies.severity() == figures.severity.table
            assert tallies.counts.missed == len(reviewed.added)
            whole = figures.overall
            counts = tallies.counts
            assert (counts.right, counts.wrong) == (whole.right, whole.wrong)
            assert (counts.unsure, counts.unseen) == (whole.unsure, whole.unseen)
            for found in tallies.weak_spots():
                disputed = read_disputed(connection, found.spot, words)
                assert len(disputed) == found.rejected + found.moved
                assert sum(OUTCOMES[row.decision] == "wrong" for row in disputed) == found.rejected


def test_what_was_touched_since_is_all_that_has_to_be_read_again(tmp_path: Path) -> None:
    connection: Connection
    connection, (first, second) = two_evaluations(tmp_path / "a.db")
    with closing(connection):
        log = ReviewLog(connection, "mei")
        findings = dict(connection.execute("SELECT number, id FROM findings WHERE evaluation_id = ?", (first,)))
        log.open(second)
        log.decide(first, findings[1], decision="agree")
        tallies, at = Tallies(read_tallies(connection)), latest_act(connection, "mei")
        assert touched_since(connection, "mei", at) == []
        log.decide(first, findings[2], decision="not_an_error")
        log.undo()
        log.decide(first, findings[1], decision="reattribute", dimension="fluency")
        ReviewLog(connection, "okafor").open(second)
        assert touched_since(connection, "mei", at) == [first]
        for tally in read_tallies(connection, "", [first]):
            tallies.put(first, tally)
        assert [(found.moved, found.rejected) for found in tallies.weak_spots()] == [(1, 0)]
        (row,) = read_disputed(connection, tallies.weak_spots()[0].spot)
        assert (row.evaluation, row.finding, row.dimension) == (first, findings[1], "fluency")
