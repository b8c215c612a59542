"""``discox consistency``: how consistent the judge is with the humans who reviewed it."""

from __future__ import annotations

import argparse

from discox_tui.cli.output import json_text, say
from discox_tui.cli.session import library
from storage.reviewed import read_reviewed


def consistency(options: argparse.Namespace) -> int:
    """Print every figure over what the words leave, by all reviewers or the one that an option or a word names."""
    from discox_tui.reports.consistency import as_json, as_text

    with library(options) as connection:
        reviewed = read_reviewed(connection, options.reviewer, " ".join(options.words))
    report = reviewed.report()
    if options.json:
        print(json_text(as_json(report)))
    else:
        for line in as_text(report).split("\n"):
            say(line)
    return 0
