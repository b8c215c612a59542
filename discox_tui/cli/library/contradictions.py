"""Lines for a merge or an import: contradictions between a reviewer's acts in two copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from discox_tui.cli.core.options import LibraryOptions
from discox_tui.cli.core.output import first_of
from discox_tui.cli.core.session import reviewer
from discox_tui.sessions.contradictions import report_line
from discox_tui.text.counts import counted
from storage.db.connection import Connection
from storage.reviews.blinding import HIDDEN, hides, shown_evaluations
from storage.reviews.contradictions import Reported, error_numbers
from storage.reviews.layers import layers_of, split_layer


def visible(connection: Connection, options: LibraryOptions, found: Sequence[Reported]) -> list[Reported]:
    """Return the contradictions without what is hidden from whoever asks.

    On a hidden evaluation others' are left out, and the reviewer's own are only counted.
    """
    name = reviewer(options)
    if not found or not hides(connection, name):
        return list(found)
    shown, own = shown_evaluations(connection, name), layers_of(split_layer(name)[0])
    rows = []
    for each in found:
        if each.evaluation not in shown and each.reviewer not in own:
            continue
        if not shown.get(each.evaluation):
            each = each._replace(system=HIDDEN)
        if each.evaluation not in shown:
            each = each._replace(subject=HIDDEN, error=None, counts={}, of=None, undone=False, gave_way={})
        rows.append(each)
    return rows


def contradiction_lines(connection: Connection, found: Sequence[Reported]) -> Iterator[str]:
    """Yield lines that say where one reviewer contradicts their own words, what counts, and what to do."""
    if not found:
        return
    many = counted(len(found), "contradiction")
    yield (
        f"{many} between what one reviewer did in two copies: the later act counts; the reviewer decides anew what "
        "gave way (the queue's filter finds it: contradicts)"
    )

    def line(each: Reported) -> str:
        return report_line(each, error_numbers(connection, each.evaluation, each.reviewer))

    for said in first_of(found, line):
        yield f"  {said}"
