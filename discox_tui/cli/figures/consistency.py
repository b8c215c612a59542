"""``discox consistency``: how consistent the judge, or any metric, is with the humans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from discox_tui.cli.core.output import fail, note
from discox_tui.cli.core.report_options import TOO_MANY, draws_of, show, too_many
from discox_tui.cli.core.session import library
from discox_tui.cli.figures.compare import comparison
from discox_tui.cli.figures.options import ConsistencyOptions
from discox_tui.cli.figures.score_files import read_tables

if TYPE_CHECKING:
    from discox_tui.reports.render.model import Report
    from judges.consistency.documents import Part
    from storage.analysis.metric_scores import ScoreTable
    from storage.analysis.pairwise import Pairwise
    from storage.db.connection import Connection


def consistency(options: ConsistencyOptions) -> int:
    """Print every figure over what the words leave: of the library, or of tables of scores alone."""
    draws = draws_of(options)
    if draws is None:
        return 2
    if too_many(options):
        return fail(TOO_MANY, 2)
    return _of_files(options, draws) if options.scores else _of_library(options, draws)


def _of_files(options: ConsistencyOptions, draws: tuple[int, int]) -> int:
    from discox_tui.reports.consistency.report import consistency_report
    from discox_tui.reports.pairwise.csv import as_csv
    from discox_tui.reports.pairwise.json import as_json
    from storage.analysis.metric_scores import ScoreTable

    table, reports = read_tables(options)
    if options.by in ("dimension", "severity", "category", "spot"):
        note(f"discox: a table of scores says nothing by {options.by}; system, domain and reviewer can be told apart")
    found = _computed(options, draws, lambda part: table if part == "total" else ScoreTable(()))

    def made(facts: Mapping[str, str]) -> Report:
        return consistency_report(found, None, facts, files=reports, by=options.by, beside=options.published)

    def plain() -> object:
        return as_json(found, beside=options.published) | {"files": [report.as_json() for report in reports]}

    return show(options, made, as_json=plain, as_csv=lambda: as_csv(found))


def _of_library(options: ConsistencyOptions, draws: tuple[int, int]) -> int:
    from discox_tui.reports.consistency import annotators as people_reports
    from discox_tui.reports.consistency import error_slices
    from discox_tui.reports.consistency.report import consistency_report
    from discox_tui.reports.pairwise import csv as pairwise_csv
    from discox_tui.reports.pairwise import json as pairwise_json
    from discox_tui.reports.render.json import plain
    from storage.analysis.acceptance import assess
    from storage.analysis.metric_scores import read_scores, require_names
    from storage.analysis.review_data import read_reviewed, reviewer_among
    from storage.exports.mqm_scores import people_scores

    with library(options) as connection:
        require_names(connection, options.reviewer, options.judge)
        reviewer, words = options.reviewer, " ".join(options.words)
        if reviewer is None:
            reviewer, words = reviewer_among(connection, words)
        found = _computed(
            options, draws, lambda part: read_scores(connection, words, reviewer, options.judge, part), connection
        )
        report = read_reviewed(connection, reviewer, words, options.judge).report(*draws)
        validity = assess(connection, words, reviewer, options.judge, *draws)
        people = people_scores(connection, words, reviewer)

    def made(facts: Mapping[str, str]) -> Report:
        return consistency_report(
            found, report, facts, by=options.by, beside=options.published, validity=validity, people=people
        )

    def as_json() -> object:
        shown = plain(report) | {"validity": plain(validity)} | pairwise_json.as_json(found, beside=options.published)
        return shown | {"people": people_reports.as_json(people)} if people else shown

    def as_csv() -> str:
        if people:
            return people_reports.as_csv(people)
        by_spot = options.by == error_slices.SPOT
        return error_slices.as_csv(report) if by_spot else pairwise_csv.as_csv(found, report, validity)

    return show(options, made, as_json=as_json, as_csv=as_csv)


def _computed(
    options: ConsistencyOptions,
    draws: tuple[int, int],
    read: Callable[[Part], ScoreTable],
    connection: Connection | None = None,
) -> Pairwise:
    from storage.analysis.pairwise import CUTS, compute_pairwise, grouped

    table = read("total")
    compared = comparison(options.compare, table, connection) if options.compare else None
    found = compute_pairwise(table, ties=options.ties, resamples=draws[0], seed=draws[1])
    if options.by in CUTS:
        found = grouped(found, options.by, read)
    return compared(found) if compared else found
