"""Questions in a terminal: what article a text is of, where an import cannot tell."""

from __future__ import annotations

from collections.abc import Callable

from discox_tui.cli.core.output import say
from storage.importing.import_report import Doubt, FileReport
from storage.importing.known_articles import ANOTHER


def ask_articles(report: FileReport, ask: Callable[[str], str]) -> dict[str, str]:
    """Ask of each text what article it is of; return the answers by case. One that is not answered is left out.

    ``ask`` shows a question and returns a line. The end of the input leaves out all that follow.
    """
    answers: dict[str, str] = {}
    for doubt in report.doubts.values():
        say(f"{report.file.name}:{doubt.line}: {doubt.message}")
        for number, (_, words) in enumerate(doubt.choices, 1):
            say(f"  {number}  it is a translation of {words}")
        if doubt.new:
            say("  a  it is of another article, which is not here yet")
        try:
            answer = _answer(doubt, ask)
        except EOFError:
            break
        if answer is not None:
            answers[doubt.case] = answer
    return answers


def _answer(doubt: Doubt, ask: Callable[[str], str]) -> str | None:
    """Ask until the line is one of the answers; None: it is left out."""
    while True:
        line = ask("which (Enter leaves it out)? ").strip().casefold()
        if not line:
            return None
        if line == "a" and doubt.new:
            return ANOTHER
        if line.isdecimal() and 0 < int(line) <= len(doubt.choices):
            return doubt.choices[int(line) - 1][0]
        say("that is none of the answers")
