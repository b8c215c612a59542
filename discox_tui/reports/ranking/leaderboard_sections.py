"""Leaderboards as sections of a report, ready to become a file; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.consistency.annotators import as_section
from discox_tui.reports.ranking.leaderboard import (
    RULE,
    VERDICTS,
    basis_of,
    published_figure,
    signatures_of,
    title_of,
    warnings_of,
)
from discox_tui.reports.render.layout import UNDEFINED, number, probability
from discox_tui.reports.render.tables import Report, Section, Shown, Table, Value, of_estimate
from judges.metric_s.published import published
from judges.model import DIMENSIONS

if TYPE_CHECKING:
    from judges.ranking.ranking import Ranking
    from storage.analysis.judge_scores import Leaderboard
    from storage.exports.mqm_scores import SystemScore


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
    sections = [_board(board, beside) for board in boards] + ([as_section(people)] if people else [])
    warnings = [] if sections else ["Nothing is there to rank: no evaluation, or none with these words."]
    return Report("Leaderboard", facts, sections, warnings)


def _board(board: Leaderboard, beside: bool) -> Section:
    basis = basis_of(board)
    signed = [f"Signature: {each}" for each in signatures_of(board.of)]
    words = [*signed, " ".join(basis)]
    if beside:
        figures = published()
        words.append(
            f"Published: {figures.source}. Judge {figures.judge}, {figures.articles} articles: figures by another "
            f"judge, or over other articles, do not compare with them. {' '.join(figures.notes)}"
        )
    tables = [table for ranking in board.rankings for table in _ranking(board, ranking, beside, (*basis[-1:], *signed))]
    return Section(f"Leaderboard by {board.of.judge}", words, tables)


def _ranking(board: Leaderboard, ranking: Ranking, beside: bool, basis: Sequence[str]) -> Iterator[Table]:
    title = title_of(ranking, board.maximum(ranking.part))
    scale = (0.0, float(board.maximum(ranking.part)))
    parts = DIMENSIONS if ranking.cut == "total" else ()
    rows: list[Sequence[Value]] = [
        (
            standing.system,
            UNDEFINED if standing.rank is None else standing.rank,
            standing.mean.n,
            Shown(of_estimate(standing.mean), "z.2f", scale),
            *(number(standing.parts[part].value) for part in parts),
            standing.counts.instruction_failed,
            standing.counts.judge_failed,
            standing.counts.no_translation,
            *([number(published_figure(ranking, standing))] if beside else []),
        )
        for standing in ranking.standings
    ]
    heads = ("system", "rank", "n", "mean", *parts, "check", "failed", "no text", *(["published"] if beside else []))
    yield Table(title, heads, rows, warnings_of(ranking), _COLUMNS, basis=basis)
    leads = [(standing, standing.lead) for standing in ranking.standings if standing.lead]
    if leads:
        reach = (-scale[1], scale[1])
        yield Table(
            f"{title}: against the next",
            ("system", "next", "n", "difference", "p", "Holm", ""),
            [
                (
                    standing.system,
                    lead.other,
                    lead.difference.n,
                    Shown(of_estimate(lead.difference), "+z.2f", reach),
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
        yield Table(
            f"{title}: reviewed",
            ("system", "n", "judge", "human"),
            [
                (
                    standing.system,
                    human.human.n,
                    number(human.judge.value),
                    Shown(of_estimate(human.human), "z.2f", scale),
                )
                for standing, human in reviewed
            ],
            definitions={"judge": "the judge's mean over the same articles"},
            basis=basis,
        )


_COLUMNS = {
    "n": "articles in the mean, with those judged 0 for failing the instruction check (check)",
    "failed, no text": "left out: evaluations in which a judge failed; to which the system gave no translation",
}
