"""Audited leaderboards as sections of a report, ready to become a file; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.ranking.audited import (
    COLUMNS,
    NO_GAP,
    NOTHING,
    about,
    audits_of,
    basis_of,
    better_first,
    expectations_of,
    in_order,
    shortcomings_of,
    title_of,
    undecided_of,
    warnings_of,
)
from discox_tui.reports.ranking.leaderboard import signatures_of
from discox_tui.reports.render.layout import number, probability
from discox_tui.reports.render.tables import Report, Section, Shown, Table, Value
from judges.stats.figure import Figure, Interval

if TYPE_CHECKING:
    from judges.ranking.audit_estimate import Spread
    from storage.analysis.audit.leaderboard import AuditedBoard, AuditedCut

METHOD = "Student's t over articles"
ONE_AUDIT = "one audited article: no interval"


def audited_report(boards: Sequence[AuditedBoard], facts: Mapping[str, str]) -> Report:
    """Return the report of every judge's audited leaderboard. ``facts``: how it was made."""
    warnings = [said for board in boards for said in shortcomings_of(board)] if boards else [NOTHING]
    return Report("Audited leaderboard", facts, [_board(board) for board in boards], warnings)


def _board(board: AuditedBoard) -> Section:
    basis = (*basis_of(board), *(f"Signature: {each}" for each in signatures_of(board.audit.of)))
    tables = [table for cut in board.cuts for table in _cut(board, cut, basis)]
    refusal = board.audit.refusal
    words = [
        *([f"Refused: {refusal}"] if refusal else []),
        *basis,
        *(f"{title_of(cut)}: {said}" for cut in board.cuts for said in _said(board, cut)),
    ]
    return Section(f"Audited leaderboard by {board.audit.of.judge}", words, tables)


def _said(board: AuditedBoard, cut: AuditedCut) -> list[str]:
    said = (audits_of(cut), *warnings_of(cut), undecided_of(board, cut), expectations_of(cut))
    return [each for each in said if each]


def _cut(board: AuditedBoard, cut: AuditedCut, basis: Sequence[str]) -> Iterator[Table]:
    if (found := cut.found) is None:
        return
    systems, title = board.audit.systems, title_of(cut)
    most = float(sum(board.audit.of.weights.maxima.values()))
    gaps = found.gaps
    rows: list[Sequence[Value]] = [
        (
            systems[each],
            rank,
            number(found.judge[each]),
            _shown(found.scores[each], found.n, "z.2f", (0.0, most)),
            number(found.best[each] if found.best else None),
            _shown(gaps[each], found.n, "+z.2f", (-most, most)) if gaps else Shown(Figure(None, found.n, NO_GAP)),
        )
        for rank, each in enumerate(in_order(found), 1)
    ]
    columns = {name: COLUMNS[name] for name in ("judge", "audited", "best", "gap")}
    yield Table(title, ("system", "rank", *columns), rows, [audits_of(cut), *warnings_of(cut)], columns, basis=basis)
    if found.differences:
        pairs: list[Sequence[Value]] = []
        for each in found.differences:
            decided = board.is_decided(each)
            first, second = better_first(board, each)
            interval = Interval(*_ends(abs(each.value), each.half_width), METHOD, _why(each.half_width))
            pairs.append(
                (
                    first,
                    second,
                    Shown(Figure(abs(each.value), found.n, interval=interval), "+z.2f", (-most, most)),
                    number(each.human_only),
                    probability(each.p),
                    probability(each.holm),
                    "better" if decided else "undecided",
                    "" if decided else about(board.needed(cut, each)),
                )
            )
        yield Table(
            f"{title}: pairs",
            ("system", "against", "difference", "alone", "p", "Holm", "", "needs"),
            pairs,
            [each for each in (undecided_of(board, cut), expectations_of(cut)) if each],
            {name: COLUMNS[name] for name in ("alone", "needs")},
            basis=basis,
        )


def _shown(of: Spread, n: int, form: str, scale: tuple[float, float]) -> Shown:
    interval = Interval(*_ends(of.value or 0.0, of.half_width), METHOD, _why(of.half_width))
    return Shown(Figure(of.value, n, interval=interval), form, scale)


def _ends(value: float, half_width: float | None) -> tuple[float | None, float | None]:
    return (None, None) if half_width is None else (value - half_width, value + half_width)


def _why(half_width: float | None) -> str:
    return ONE_AUDIT if half_width is None else ""
