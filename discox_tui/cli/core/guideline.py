"""``discox guideline``: the guideline that reviewers have, as Markdown."""

from __future__ import annotations

from dataclasses import replace

from discox_tui.cli.core.options import GuidelineOptions
from discox_tui.cli.core.output import say
from discox_tui.config.paths import Settings, load_settings


def settings_of(guideline: str | None) -> Settings:
    """Return the settings, with the guideline that is named, if one is, instead of theirs."""
    settings = load_settings()
    return replace(settings, guideline=guideline) if guideline else settings


def guideline(options: GuidelineOptions) -> int:
    """Print the guideline."""
    from discox_tui.config.guideline import load_guideline  # opening the app does not wait for it

    for line in load_guideline(settings_of(options.guideline).guideline).text.splitlines():
        say(line)
    return 0
