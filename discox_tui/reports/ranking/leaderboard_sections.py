"""Leaderboards as sections of a report; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.consistency.annotators import people_section
from discox_tui.reports.published import SHORT, about_published, systems_section
from discox_tui.reports.ranking.leaderboard import (
    RULE,
    VERDICTS,
    basis_of,
    published_figure,
    reasons_of,
    signatures_of,
    title_of,
    warnings_of,
)
from discox_tui.reports.render.layout import UNDEFINED, number, probability
from discox_tui.reports.render.model import (
    Beside,
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
    of_estimate,
)
from judges.model import DIMENSIONS

if TYPE_CHECKING:
    from judges.ranking.ranking import Ranking, SystemRank
    from storage.analysis.judge_scores import Leaderboard
    from storage.exports.mqm_scores import SystemScore

NOTHING = "Nothing is there to rank: no evaluation, or none with these words."
LEGEND = (
    "n: articles in the mean, with those judged 0 for failing the instruction check (check). Means over different "
    "articles do not compare; who is ahead is decided over those that both have."
)


def leaderboard_report(
    boards: Sequence[Leaderboard],
    facts: Mapping[str, str],
    *,
    beside: bool = False,
    people: Sequence[SystemScore] = (),
) -> Report:
    """Return the report of every judge's leaderboard. ``facts``: how it was made. ``beside``: the published means.

    ``people``: their scores, where there is no judge.
    """
    sections = [_board(board, beside) for board in boards] + ([people_section(people)] if people else [])
    warnings = [] if sections else [NOTHING]
    if boards:
        sections.append(Section("What the columns say", [LEGEND, RULE], on="terminal"))
    elif not people:
        sections.append(nothing(NOTHING))
    if beside and not people:
        sections.append(systems_section())
    return Report("Leaderboard", facts, sections, warnings)


def _board(board: Leaderboard, beside: bool) -> Section:
    basis, signatures = basis_of(board), signatures_of(board.of)
    signed = [f"Signature: {each}" for each in signatures]
    parts: list[Part] = [Words(each, "page") for each in signed]
    parts += [Words(each, "terminal", wrap=False) for each in signatures]
    parts.append(" ".join(basis))
    if beside:
        parts.append(Words(f"Published: {about_published()}", "page"))
    for ranking in board.rankings:
        parts += _ranking(board, ranking, beside, (*basis[-1:], *signed))
    return Section(f"Leaderboard by {board.of.judge}", parts, f"LEADERBOARD BY {board.of.judge}")


def _ranking(board: Leaderboard, ranking: Ranking, beside: bool, basis: Sequence[str]) -> Iterator[Part]:
    title, top = title_of(ranking, board.maximum(ranking.part)), float(board.maximum(ranking.part))
    totals, scale = ranking.cut == "total", (0.0, top)
    parts = DIMENSIONS if totals else ()
    rows: list[Sequence[Value]] = [
        (
            _label(standing),
            UNDEFINED if standing.rank is None else standing.rank,
            standing.mean.n,
            Shown(of_estimate(standing.mean), "z.2f", scale),
            *(number(standing.parts[part].value) for part in parts),
            standing.counts.instruction_failed,
            *([number(published_figure(ranking, standing))] if beside else []),
        )
        for standing in ranking.standings
    ]
    heads: list[str | Column] = [
        Column("system", ""),
        Column("rank", None),
        "n",
        Column("mean", "mean", Beside(form="z.1f", between="-")),
        *(Column(part, SHORT[part]) for part in parts),
        Column("check", None if totals else "check"),
        *([Column("published", "publ.")] if beside else []),
    ]
    warnings = warnings_of(ranking)
    yield Heading(title)
    yield Table(title, heads, rows, warnings, _COLUMNS, basis=basis)
    yield from (Words(each, "terminal") for each in (*(f"! {said}" for said in warnings), *reasons_of(ranking)))
    if totals:
        counts: list[Sequence[Value]] = [
            (_label(each), each.counts.scored, each.counts.instruction_failed) for each in ranking.standings
        ]
        yield Table(title, ("evaluations", "scored", "check"), counts, on="terminal")
    leads = [(standing, standing.lead) for standing in ranking.standings if standing.lead]
    if leads:
        difference = Column("difference", "diff.", Beside(form="+z.1f", between=" "))
        yield Table(
            f"{title}: against the next",
            (Column("system", "against the next"), Column("next", None), "n", difference, "p", "Holm", ""),
            [
                (
                    _label(standing),
                    lead.other,
                    lead.difference.n,
                    Shown(of_estimate(lead.difference), "+z.2f", (-top, top)),
                    probability(lead.p),
                    probability(lead.p_holm),
                    VERDICTS[lead.verdict],
                )
                for standing, lead in leads
            ],
            [RULE],
            basis=basis,
        )
    reviewed = [(standing, standing.human) for standing in ranking.standings if standing.human]
    if reviewed:
        by_people = Column("human", "human", Beside(form="z.1f", between="-"))
        yield Table(
            f"{title}: reviewed",
            (Column("system", "reviewed"), "n", "judge", by_people),
            [
                (
                    _label(standing),
                    human.human.n,
                    number(human.judge.value),
                    Shown(of_estimate(human.human), "z.2f", scale),
                )
                for standing, human in reviewed
            ],
            definitions={"judge": "the judge's mean over the same articles"},
            basis=basis,
        )


def _label(standing: SystemRank) -> Label:
    rank = UNDEFINED if standing.rank is None else standing.rank
    return Label(standing.system, f"{rank:>3} {standing.system}")


_COLUMNS = {"n": "articles in the mean, with those judged 0 for failing the instruction check (check)"}
