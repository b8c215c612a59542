"""``discox leaderboard``: which system translates best by each judge, how surely, and by how much it leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from discox_tui.cli.core.output import fail
from discox_tui.cli.core.report_options import TOO_MANY, draws_of, show, too_many
from discox_tui.cli.core.session import library
from discox_tui.cli.figures.options import LeaderboardOptions
from discox_tui.cli.figures.score_files import read_tables, unusable
from discox_tui.config.paths import load_settings, system_kinds

if TYPE_CHECKING:
    from discox_tui.reports.render.model import Report
    from judges.ranking.audit_estimate import Target
    from storage.analysis.audit.audit import Audit
    from storage.analysis.audit.leaderboard import AuditedBoard


def leaderboard(options: LeaderboardOptions) -> int:
    """Print one leaderboard for each judge's signature over what the words leave, as text, JSON, CSV, or files."""
    from discox_tui.reports.consistency import annotators as people_reports
    from discox_tui.reports.ranking.leaderboard import as_csv, as_json
    from discox_tui.reports.ranking.leaderboard_sections import leaderboard_report
    from judges.ranking.ranking import USUAL
    from storage.analysis.judge_scores import leaderboards
    from storage.analysis.sample_scores import reader_of
    from storage.exports.mqm_scores import people_scores

    if options.audited:
        return audited(options)
    if given := _given(options, _OF_AUDITS):
        return fail(f"{given[0]} goes with --audited", 2)
    draws = draws_of(options)
    if too_many(options):
        return fail(TOO_MANY, 2)
    with library(options) as connection:
        words = " ".join(options.words)
        kinds = system_kinds(load_settings())
        read = reader_of(options.weigh)
        boards = leaderboards(connection, words, options.reviewer, options.by or USUAL, *draws, read, kinds)
        people = [] if boards else people_scores(connection, words, options.reviewer)

    def made(facts: Mapping[str, str]) -> Report:
        return leaderboard_report(boards, facts, beside=options.published, people=people)

    def plain() -> object:
        shown = as_json(boards, beside=options.published)
        return shown | {"people": people_reports.as_json(people)} if people else shown

    def table() -> str:
        return people_reports.as_csv(people) if people else as_csv(boards, beside=options.published)

    return show(options, made, as_json=plain, as_csv=table)


_OF_AUDITS = {"--target": "estimated", "--holm": "holm", "--alpha": "alpha", "--scores": "scores"}
_OF_JUDGES = {"--by": "by", "--published": "published", "--seed": "seed", "--resamples": "resamples"}


def _given(options: LeaderboardOptions, names: Mapping[str, str]) -> list[str]:
    """Return the options among these that were typed."""
    return [
        name
        for name, kept in names.items()
        if not any(getattr(options, kept) is nothing for nothing in (None, False, ()))
    ]


def audited(options: LeaderboardOptions) -> int:
    """Print the leaderboard that people's audits of a few articles and the judge's scores of all come to together."""
    from storage.analysis.audit.leaderboard import audited_boards
    from storage.analysis.sample_scores import reader_of

    if given := _given(options, _OF_JUDGES):
        return fail(f"{given[0]} does not go with --audited", 2)
    alpha = 0.05 if options.alpha is None else options.alpha
    if too_many(options):
        return fail(TOO_MANY, 2)
    target: Target = options.estimated or "this-test-set"
    if options.scores:
        return _audited_tables(options, target, alpha)
    with library(options) as connection:
        words = " ".join(options.words)
        boards = audited_boards(
            connection, words, options.reviewer, target, alpha, options.holm, reader_of(options.weigh)
        )
    return _print_audited(options, boards)


def _audited_tables(options: LeaderboardOptions, target: Target, alpha: float) -> int:
    """Print it for tables of scores alone: of any metric, and of people who scored some of the articles."""
    from storage.analysis.audit.from_scores import audits_of_scores
    from storage.analysis.audit.leaderboard import boards_of

    if options.weigh:
        return fail("--weigh does not go with --scores: a table of scores has no findings", 2)
    table, reports = read_tables(options)
    audits = audits_of_scores(table)
    if not any(audit.population for audit in audits):
        raise unusable(options, f"{', '.join(options.scores)}: {_nothing(audits)}", reports)
    return _print_audited(options, boards_of(audits, target, alpha, options.holm))


def _nothing(audits: Sequence[Audit]) -> str:
    """Reason for which no article of tables can be in a leaderboard."""
    if not audits:
        return "no row that is asked for is a metric's score of an article, which people's are to be held against"
    whys = dict.fromkeys(f"{each.article}: {each.why[0]}" for audit in audits for each in audit.left_out)
    return f"no article has a score of every system ({'; '.join(list(whys)[:3])}{'; …' if len(whys) > 3 else ''})"


def _print_audited(options: LeaderboardOptions, boards: Sequence[AuditedBoard]) -> int:
    from discox_tui.reports.ranking.audited import as_csv, as_json
    from discox_tui.reports.ranking.audited_sections import audited_report

    kinds = system_kinds(load_settings())
    return show(
        options,
        lambda facts: audited_report(boards, facts, kinds),
        as_json=lambda: as_json(boards, kinds),
        as_csv=lambda: as_csv(boards),
    )
