"""Audited leaderboards as sections of a report; nothing is computed here."""

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
    kinds_in_words,
    shortcomings_of,
    title_of,
    undecided_of,
    warnings_of,
)
from discox_tui.reports.ranking.leaderboard import signatures_of
from discox_tui.reports.render.layout import UNDEFINED, number, probability
from discox_tui.reports.render.model import (
    Column,
    Heading,
    Label,
    Part,
    Report,
    Section,
    Shown,
    Table,
    Value,
    Words,
    nothing,
)
from judges.ranking.audit_estimate import Spread
from judges.stats.figure import Figure, Interval

if TYPE_CHECKING:
    from judges.metric_s.published import Kind
    from judges.ranking.audit_estimate import AuditedScores
    from storage.analysis.audit.leaderboard import AuditedBoard, AuditedCut

METHOD = "Student's t over articles"


def audited_report(
    boards: Sequence[AuditedBoard], facts: Mapping[str, str], kinds: Mapping[str, Kind] | None = None
) -> Report:
    """Return the report of every judge's audited leaderboard. ``facts``: how it was made.

    ``kinds``: of systems, where they are not as published.
    """
    warnings = [said for board in boards for said in shortcomings_of(board)] if boards else [NOTHING]
    legend = Section("What the columns say", [f"{name}: {said}." for name, said in COLUMNS.items()], on="terminal")
    sections = [*(_board(board, kinds) for board in boards), legend] if boards else [nothing(NOTHING)]
    return Report("Audited leaderboard", facts, sections, warnings)


def _board(board: AuditedBoard, kinds: Mapping[str, Kind] | None) -> Section:
    basis, signatures, refusal = basis_of(board), signatures_of(board.audit.of), board.audit.refusal
    signed = (*basis, *(f"Signature: {each}" for each in signatures))
    said = [f"{title_of(cut)}: {each}" for cut in board.cuts for each in (*_about(cut), *_expected(board, cut))]
    parts: list[Part] = [
        Words(each, "page") for each in (*([f"Refused: {refusal}"] if refusal else []), *signed, *said)
    ]
    parts += [Words(each, "terminal", wrap=False) for each in signatures]
    parts += [Words(each, "terminal") for each in (" ".join(basis), *(f"! {s}" for s in shortcomings_of(board)))]
    for cut in board.cuts:
        parts += _cut(board, cut, signed)
        if said_of := kinds_in_words(board, cut, kinds):
            parts.append(said_of)
    judge = board.audit.of.judge
    return Section(f"Audited leaderboard by {judge}", parts, f"AUDITED LEADERBOARD BY {judge}")


def _about(cut: AuditedCut) -> list[str]:
    return [audits_of(cut), *warnings_of(cut)]


def _expected(board: AuditedBoard, cut: AuditedCut) -> list[str]:
    return [each for each in (undecided_of(board, cut), expectations_of(cut)) if each]


def _cut(board: AuditedBoard, cut: AuditedCut, basis: Sequence[str]) -> Iterator[Part]:
    title = title_of(cut)
    yield Heading(title)
    yield Words(audits_of(cut), "terminal")
    yield from (Words(f"! {warning}", "terminal") for warning in warnings_of(cut))
    if found := cut.found:
        yield _scores(board, cut, found, basis)
        if found.best is None and not found.why:
            yield Words(f"– {NO_GAP}", "terminal")
        if found.differences:
            yield _pairs(board, cut, found, basis)
    yield from (Words(each, "terminal") for each in _expected(board, cut))


def _scores(board: AuditedBoard, cut: AuditedCut, found: AuditedScores, basis: Sequence[str]) -> Table:
    most, gaps = float(sum(board.audit.of.weights.maxima.values())), found.gaps
    rows: list[Sequence[Value]] = []
    for rank, each in enumerate(in_order(found), 1):
        system, score = board.audit.systems[each], found.scores[each]
        rows.append(
            (
                Label(system, f"{rank:>3} {system}"),
                rank,
                number(found.judge[each]),
                _shown(score, cut, "z.2f", (0.0, most)),
                number(score.half_width),
                number(found.best[each] if found.best else None),
                _shown(gaps[each], cut, "+z.2f", (-most, most))
                if gaps
                else Shown(Figure(None, found.n, found.why or NO_GAP, left_out=cut.cut.left_out)),
                number(gaps[each].half_width if gaps else None),
            )
        )
    header = (
        *(Column("system", ""), Column("rank", None), "judge", Column("audited", "audited"), Column(None, "±")),
        *("best", Column("gap", "gap"), Column(None, "±")),
    )
    columns = {name: COLUMNS[name] for name in ("judge", "audited", "best", "gap")}
    return Table(title_of(cut), header, rows, _about(cut), columns, basis=basis, gap=False)


def _pairs(board: AuditedBoard, cut: AuditedCut, found: AuditedScores, basis: Sequence[str]) -> Table:
    most = float(sum(board.audit.of.weights.maxima.values()))
    rows: list[Sequence[Value]] = []
    for each in found.differences:
        decided = board.is_decided(each)
        first, second = better_first(board, each)
        rows.append(
            (
                Label(first, f"{first} {'>' if decided else '~'} {second}"),
                second,
                _shown(Spread(abs(each.value), each.half_width, each.why), cut, "+z.2f", (-most, most)),
                number(each.half_width),
                number(each.human_only),
                probability(each.p),
                probability(each.holm),
                "better" if decided else UNDEFINED if each.why else "undecided",
                "" if decided else about(board.needed(cut, each)),
            )
        )
    header = (
        *(Column("system", "pair"), Column("against", None), Column("difference", "diff."), Column(None, "±")),
        *("alone", "p", "Holm", "", "needs"),
    )
    columns = {name: COLUMNS[name] for name in ("alone", "needs")}
    notes = _expected(board, cut)
    return Table(f"{title_of(cut)}: pairs", header, rows, notes, columns, basis=basis, named=True)


def _shown(of: Spread, cut: AuditedCut, form: str, scale: tuple[float, float]) -> Shown:
    interval = Interval(*_ends(of.value, of.half_width), METHOD, of.why)
    return Shown(Figure(of.value, len(cut.cut.rows), interval=interval, left_out=cut.cut.left_out), form, scale)


def _ends(value: float, half_width: float | None) -> tuple[float | None, float | None]:
    return (None, None) if half_width is None else (value - half_width, value + half_width)
