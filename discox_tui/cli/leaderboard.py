"""``discox leaderboard``: which system translates best by each judge, how surely, and by how much it leads."""

from __future__ import annotations

import argparse

from discox_tui.cli.draws import draws_of
from discox_tui.cli.output import fail, json_text, print_csv, say
from discox_tui.cli.report_files import TOO_MANY, files_of, too_many, write_files
from discox_tui.cli.session import library, refuse_hidden


def leaderboard(options: argparse.Namespace) -> int:
    """Print one leaderboard for each judge's signature over what the words leave, as text, JSON, CSV, or files."""
    from discox_tui.reports import people_scores as people_reports
    from discox_tui.reports.board_sections import leaderboard_report
    from discox_tui.reports.leaderboard import as_csv, as_json, as_text
    from judges.leaderboard.ranking import USUAL
    from storage.exports.mqm_scores import people_scores
    from storage.leaderboard import leaderboards

    draws = draws_of(options)
    if draws is None:
        return 2
    if too_many(options):
        return fail(TOO_MANY, 2)
    with library(options) as connection:
        refuse_hidden(connection, options)
        words = " ".join(options.words)
        boards = leaderboards(connection, words, options.reviewer, options.by or USUAL, *draws)
        people = [] if boards else people_scores(connection, words, options.reviewer)
    if options.json:
        plain = as_json(boards, beside=options.published)
        print(json_text(plain | {"people": people_reports.as_json(people)} if people else plain))
    elif options.csv and people:
        print_csv(people_reports.as_csv(people))
    elif people and not files_of(options):
        for line in people_reports.as_text(people):
            say(line)
    elif options.csv:
        print_csv(as_csv(boards, beside=options.published))
    elif not files_of(options):
        for line in as_text(boards, beside=options.published).split("\n"):
            say(line)
    write_files(options, lambda facts: leaderboard_report(boards, facts, beside=options.published))
    return 0
