"""``discox build test``: whether what is judged makes a good test, article by article, and how its ranking holds."""

from __future__ import annotations

from dataclasses import dataclass

from discox_tui.cli.core.options import choosing_words, flag
from discox_tui.cli.core.output import fail
from discox_tui.cli.core.report_options import TOO_MANY, ReportOptions, ResamplingOptions, draws_of, show, too_many
from discox_tui.cli.core.session import library


@dataclass(frozen=True, kw_only=True)
class TestOptions(ReportOptions, ResamplingOptions):
    """Options of ``discox build test``."""

    words: tuple[str, ...] = choosing_words()
    people: bool = flag(
        "--people", "where a review is done, what people say instead of the judge (with --reviewer: theirs alone)"
    )


def test(options: TestOptions) -> int:
    """Print what each judge's scores say of the test over what the words leave, as text, JSON, CSV, or files."""
    from discox_tui.reports.benchmark.quality import as_csv, as_json, examined_report
    from storage.analysis.benchmark_quality import benchmark_tests

    if too_many(options):
        return fail(TOO_MANY, 2)
    resamples, seed = draws_of(options)
    with library(options) as connection:
        words, reviewer = " ".join(options.words), options.reviewer if options.people else None
        tests = benchmark_tests(
            connection, words, people=options.people, reviewer=reviewer, resamples=resamples, seed=seed
        )
    return show(
        options,
        lambda facts: examined_report(tests, facts),
        as_json=lambda: as_json(tests),
        as_csv=lambda: as_csv(tests),
    )
