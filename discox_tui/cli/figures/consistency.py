"""``discox consistency``: how consistent the judge, or any metric, is with the humans."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from discox_tui.cli.core.output import fail, note
from discox_tui.cli.core.report_options import TOO_MANY, draws_of, show, too_many
from discox_tui.cli.core.session import library
from discox_tui.cli.figures.options import ConsistencyOptions
from discox_tui.cli.figures.score_files import read_tables
from storage.base.errors import StorageError

if TYPE_CHECKING:
    from storage.analysis.metric_scores import ScoreTable
    from storage.analysis.pairwise import Pairwise

if TYPE_CHECKING:
    from discox_tui.reports.render.model import Report
    from judges.consistency.documents import Part
    from storage.analysis.metric_scores import ScoreTable
    from storage.analysis.pairwise import Pairwise
    from storage.db.connection import Connection


def consistency(options: ConsistencyOptions) -> int:
    """Print every figure over what the words leave: of the library, or of tables of scores alone."""
    draws = draws_of(options)
    if too_many(options):
        return fail(TOO_MANY, 2)
    collecting = gc.isenabled()
    gc.disable()  # what is read is much, and holds no circles to look for
    try:
        return _of_files(options, draws) if options.scores else _of_library(options, draws)
    finally:
        if collecting:
            gc.enable()


def _of_files(options: ConsistencyOptions, draws: tuple[int, int]) -> int:
    from discox_tui.reports.consistency.report import consistency_report
    from discox_tui.reports.consistency.stand_in import figures as stand_in_figures
    from discox_tui.reports.pairwise.csv import as_csv
    from discox_tui.reports.pairwise.json import as_json
    from discox_tui.reports.render.json import plain
    from storage.analysis.metric_scores import ScoreTable
    from storage.analysis.stand_in import stand_in_by_scores

    table, reports = read_tables(options)

    def read(part: Part) -> ScoreTable:
        return table if part == "total" else ScoreTable(())

    if options.by in ("dimension", "severity", "category", "spot"):
        note(f"discox: a table of scores says nothing by {options.by}; system, domain and reviewer can be told apart")
    found = _computed(options, draws, read)
    stand_in = stand_in_by_scores(read, options.epsilon)

    def made(facts: Mapping[str, str]) -> Report:
        return consistency_report(
            found, None, facts, files=reports, by=options.by, beside=options.published, stand_in=stand_in
        )

    def as_plain() -> object:
        beside = {"stand_in": plain(stand_in), "files": [report.as_json() for report in reports]}
        return as_json(found, beside=options.published) | beside

    return show(options, made, as_json=as_plain, as_csv=lambda: as_csv(found, stand_in=stand_in_figures(stand_in)))


def _of_library(options: ConsistencyOptions, draws: tuple[int, int]) -> int:
    from discox_tui.reports.consistency import annotators as people_reports
    from storage.analysis.acceptance import assess
    from storage.analysis.metric_scores import ScoreReader, require_names
    from storage.analysis.pairwise import with_segments
    from storage.analysis.review_data import read_reviewed, reviewer_among
    from storage.analysis.stand_in import stand_in_report
    from storage.exports.mqm_scores import judges_by_segment, people_scores

    with library(options) as connection:
        require_names(connection, options.reviewer, options.judge)
        reviewer, words = options.reviewer, " ".join(options.words)
        if reviewer is None:
            reviewer, words = reviewer_among(connection, words)

        read = ScoreReader(connection, words, reviewer, options.judge).table
        found = _computed(options, draws, read, connection)
        found = with_segments(found, lambda: judges_by_segment(connection, words, options.judge))
        reviewed = read_reviewed(connection, reviewer, words, options.judge)
        report = reviewed.report(*draws)
        stand_in = stand_in_report(connection, read, reviewed.findings, reviewed.markings, options.epsilon)
        validity = assess(connection, words, reviewer, options.judge, *draws)
        people = people_scores(connection, words, reviewer)

    def made(facts: Mapping[str, str]) -> Report:
        from discox_tui.reports.consistency.report import consistency_report

        return consistency_report(
            found,
            report,
            facts,
            by=options.by,
            beside=options.published,
            validity=validity,
            people=people,
            stand_in=stand_in,
        )

    def as_json() -> object:
        from discox_tui.reports.pairwise import json as pairwise_json
        from discox_tui.reports.render.json import plain

        own = {"validity": plain(validity), "stand_in": plain(stand_in)}
        shown = plain(report) | own | pairwise_json.as_json(found, beside=options.published)
        return shown | {"people": people_reports.as_json(people)} if people else shown

    def as_csv() -> str:
        from discox_tui.reports.consistency import error_slices
        from discox_tui.reports.consistency.stand_in import figures as stand_in_figures
        from discox_tui.reports.pairwise import csv as pairwise_csv

        if people and not found.segments:
            return people_reports.as_csv(people)
        by_spot = options.by == error_slices.SPOT
        return (
            error_slices.as_csv(report)
            if by_spot
            else pairwise_csv.as_csv(found, report, validity, stand_in_figures(stand_in))
        )

    return show(options, made, as_json=as_json, as_csv=as_csv)


def _computed(
    options: ConsistencyOptions,
    draws: tuple[int, int],
    read: Callable[[Part], ScoreTable],
    connection: Connection | None = None,
) -> Pairwise:
    from storage.analysis.pairwise import CUTS, compute_pairwise, grouped, with_rankings, with_severity

    table = read("total")
    compared = comparison(options.compare, table, connection) if options.compare else None
    found = compute_pairwise(table, ties=options.ties, resamples=draws[0], seed=draws[1])
    if options.by in CUTS:
        found = grouped(found, options.by, read)
    if options.by == "reviewer":
        found = with_severity(found)
    if options.rank:
        found = with_rankings(found, options.rank)
    return compared(found) if compared else found


def comparison(
    given: tuple[str, str], table: ScoreTable, connection: sqlite3.Connection | None = None
) -> Callable[[Pairwise], Pairwise]:
    """Return what compares the two; metrics come first. Raises StorageError where they are neither.

    ``connection``: the library that counts attempts, None where the table is of none.
    """
    from storage.analysis.comparisons import claims
    from storage.analysis.pairwise import with_metrics, with_systems

    metrics = tuple(sorted({row.metric for row in table.rows if not row.human}))
    systems = tuple(sorted({row.system for row in table.rows}))
    if pair := _both(given, metrics):
        first, second = pair
        by_first, by_second = ({row.direction for row in table.rows if row.metric == name} for name in pair)
        if not by_first & by_second:
            raise StorageError(f"--compare: {first} and {second} have scores in no direction that is the same")
        return lambda found: replace(
            with_metrics(found, first, second), claims=claims(found.table, first, second, connection)
        )
    if pair := _both(given, systems):
        first, second = pair
        return lambda found: with_systems(found, first, second)
    raise StorageError(
        f"--compare takes two metrics or two systems; metrics here: {', '.join(metrics) or 'none'}; "
        f"systems: {', '.join(systems) or 'none'}"
    )


def _both(given: tuple[str, str], names: tuple[str, ...]) -> tuple[str, str] | None:
    """The names that are meant; None where one is none of them, or more than one, or both are the same."""
    first, second = (_meant(each.casefold(), names) for each in given)
    return (first, second) if first and second and first != second else None


def _meant(given: str, names: tuple[str, ...]) -> str | None:
    for fits in (given.__eq__, lambda name: given in name):
        found = [name for name in names if fits(name.casefold())]
        if len(found) == 1:
            return found[0]
    return None
