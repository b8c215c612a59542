"""``discox build test``: whether what is judged makes a good test, article by article, and how its ranking holds."""

from __future__ import annotations

import argparse

from discox_tui.cli.core.output import fail, json_text, print_csv, say
from discox_tui.cli.core.report_options import TOO_MANY, draws_of, files_of, too_many, write_files
from discox_tui.cli.core.session import library
from storage.base.text import storable


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be typed after the command."""
    parser.add_argument(
        "words", nargs="*", type=storable, metavar="WORD", help="only evaluations in which every word occurs"
    )
    parser.add_argument(
        "--people",
        action="store_true",
        help="where a review is done, what people say instead of the judge (with --reviewer: hers alone)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of the random draws (else 1)")
    parser.add_argument("--resamples", type=int, metavar="N", help="how many random draws, at least 2000 (else 2000)")
    parser.add_argument("--csv", action="store_true", help="print CSV, a row for each figure")
    for kind, what in (("html", "a report for people"), ("markdown", "it as Markdown"), ("latex", "it as LaTeX")):
        parser.add_argument(f"--{kind}", metavar="FILE", help=f"write {what}; - for standard output")


def test(options: argparse.Namespace) -> int:
    """Print what each judge's scores say of the test over what the words leave, as text, JSON, CSV, or files."""
    from discox_tui.reports.benchmark.quality import as_csv, as_json, as_text, examined_report
    from storage.analysis.benchmark_quality import benchmark_tests

    draws = draws_of(options)
    if draws is None:
        return 2
    if too_many(options):
        return fail(TOO_MANY, 2)
    resamples, seed = draws
    with library(options) as connection:
        words, reviewer = " ".join(options.words), options.reviewer if options.people else None
        tests = benchmark_tests(
            connection, words, people=options.people, reviewer=reviewer, resamples=resamples, seed=seed
        )
    if options.json:
        print(json_text(as_json(tests)))
    elif options.csv:
        print_csv(as_csv(tests))
    elif not files_of(options):
        for line in as_text(tests).rstrip("\n").split("\n"):
            say(line)
    write_files(options, lambda facts: examined_report(tests, facts))
    return 0
