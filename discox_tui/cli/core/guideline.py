"""``discox guideline``: the guideline that reviewers have, as Markdown."""

from __future__ import annotations

import argparse
from dataclasses import replace

from discox_tui.cli.core.output import say
from discox_tui.config.guideline import load_guideline
from discox_tui.config.paths import Settings, load_settings


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings, with the guideline that the options name instead of theirs."""
    settings = load_settings()
    return replace(settings, guideline=options.guideline) if options.guideline else settings


def guideline(options: argparse.Namespace) -> int:
    """Print the guideline."""
    for line in load_guideline(settings_of(options).guideline).text.splitlines():
        say(line)
    return 0
