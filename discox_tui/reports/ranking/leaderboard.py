"""Leaderboards in words, as JSON for programs, and as CSV for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from discox_tui.reports.ranking.weighting import (
    votes_as_json,
    votes_in_columns,
    votes_in_words,
)
from discox_tui.reports.render.csv import csv_text
from discox_tui.reports.render.json import plain
from discox_tui.reports.render.layout import CONFIDENT, UNDEFINED, intervals_in_words
from discox_tui.reports.render.model import left_out_in_words
from discox_tui.reports.render.repeated import repeated_as_json, repeated_in_words
from discox_tui.text.counts import counted
from judges.metric_s.published import published
from judges.model import DIMENSIONS
from judges.ranking.ranking import ALPHA, FEW
from judges.stats.intervals import BOOTSTRAP
from judges.stats.resampling import CONFIDENCE
from storage.analysis.judge_scores import BY_DOUBT, UNFINISHED

if TYPE_CHECKING:
    from judges.ranking.ranking import Ranking, SystemRank, Verdict
    from judges.stats.resampling import Estimate
    from storage.analysis.judge_scores import JudgedRows, Leaderboard

VERDICTS: dict[Verdict, str] = {"ahead": "ahead", "behind": "behind", "not_shown": "not shown", "undefined": UNDEFINED}

RULE = (
    f"ahead: over the articles that both have, the {CONFIDENT} interval of the mean difference lies above 0, and "
    f"Holm's p is at most {ALPHA}. behind: likewise below 0, though it ranks above. p: paired sign-flip permutation "
    "test, exact where all signs can be tried; Holm: adjusted for all neighbours of the table."
)


# Words, for the screen too


def signatures_of(rows: JudgedRows) -> tuple[str, ...]:
    """Return what decided the scores, the commonest first, or that it is unknown; of votes, each judge's."""
    if rows.members and not rows.repeated:
        return tuple(dict.fromkeys(each for member in rows.members for each in signatures_of(member)))
    return rows.signatures or (f"imported, signature unknown: judge {rows.judge}",)


_OF = {"academic": "DOMAINS", "kind": "SYSTEMS"}
"""Heads for cuts whose name does not say what the labels are of."""


def title_of(ranking: Ranking, maximum: int) -> str:
    """Return what is ranked, with the range of its points."""
    if ranking.cut in ("total", "dimension"):
        return f"{ranking.part.upper()}, 0-{maximum}"
    if ranking.cut in ("academic", "kind"):
        return f"{_OF[ranking.cut]} {ranking.label}"
    return f"{ranking.cut.upper()} {ranking.label or '(none)'}"


def published_figure(ranking: Ranking, standing: SystemRank) -> float | None:
    """The published figure of the same system and kind of article; None where there is none."""
    row = published().find(standing.system)
    return row.figure(ranking.cut, ranking.label) if row else None


def warnings_of(ranking: Ranking) -> list[str]:
    """Return what to know before comparing the means of a ranking."""
    found = []
    if not ranking.same_articles:
        found.append(
            f"Of {counted(ranking.articles, 'article')} all systems have {ranking.common:,}: means do not compare."
        )
    if ranking.few:
        systems = counted(len(ranking.few), "system")
        found.append(f"Under {FEW} articles for {systems}: intervals are a rough guess, if any.")
    return found


def reasons_of(ranking: Ranking) -> list[str]:
    """Return why figures of a ranking are undefined, each reason once."""
    estimates = [standing.mean for standing in ranking.standings]
    estimates += [standing.lead.difference for standing in ranking.standings if standing.lead]
    estimates += [standing.human.human for standing in ranking.standings if standing.human]
    return [f"{UNDEFINED} {why}" for why in dict.fromkeys(estimate.why for estimate in estimates if estimate.why)]


def basis_of(board: Leaderboard) -> list[str]:
    """Return what a leaderboard rests on: how many evaluations, which were not counted, how chance was drawn."""
    rows = board.of.rows
    found = [
        f"{counted(len(rows), 'evaluation')}: {counted(len({r.system for r in rows}), 'system')}, "
        f"{counted(len({r.article for r in rows}), 'article')}."
    ]
    found += _judged_in_words(board.of)
    if board.of.votes:
        found += votes_in_words(board.of.votes)
    elif len(board.of.signatures) > 1:
        found.append(f"Judged under {len(board.of.signatures)} signatures that differ in who answered and how.")
    if board.of.repeated:
        found += repeated_in_words(board.of.repeated)
    elif board.of.samples > 1 and not board.of.votes:
        found.append(f"{board.of.samples} samples of each judge, averaged within article and system first.")
    if board.of.superseded:
        found.append(
            f"Not counted: {board.of.superseded:,} in whose place a later one stands (judged again after a failure, "
            "read by another mapping, or of a candidate's text of before it was revised)."
        )
    if board.of.passed_over:
        found.append(f"Not counted: {board.of.passed_over:,} of which there is a newer one of the same translation.")
    found.append(f"Intervals: {intervals_in_words(board.resamples, board.seed)}")
    return found


def _judged_in_words(of: JudgedRows) -> list[str]:
    """Return what a judge not asked about all dimensions judges, and of how many points its totals are."""
    judged, most = of.weights.judged, sum(of.weights.maxima.values())
    if len(judged) == len(DIMENSIONS):
        return []
    if of.signature and "|scheme:rubric|" in of.signature:
        cost = of.weights.severities["violated"]
        return [f"Rubric points alone are judged: totals are {most} less {cost} for each that is violated, 0 at least."]
    return [f"Judged: {', '.join(judged)} alone; totals are of {most} points."]


# JSON


def as_json(boards: Sequence[Leaderboard], *, beside: bool = False) -> dict[str, Any]:
    """Return the leaderboards as what `json.dumps` takes, without NaN; ``beside``: with the published figures.

    A mean is ``{"value", "n", "low", "high"}``, with ``"why"`` where any of it is null, and ``"left_out"``: reason →
    how many, where it leaves anything out.
    """
    shown: dict[str, Any] = {"leaderboards": [_plain_board(board, beside) for board in boards]}
    if beside:
        shown["published"] = asdict(published())
    return shown


def _plain_board(board: Leaderboard, beside: bool) -> dict[str, Any]:
    rows = board.of
    return {
        "judge": rows.judge,
        "signature": rows.signature,
        "further_signatures": list(rows.signatures[1:]),
        **({"why": signatures_of(rows)[0]} if rows.signature is None else {}),
        "weights": rows.weights.text,
        "evaluations": len(rows.rows),
        "samples": rows.samples,
        "superseded": rows.superseded,
        "passed_over": rows.passed_over,
        "by_doubt": rows.unreviewed(BY_DOUBT),
        "unfinished": rows.unreviewed(UNFINISHED),
        "seed": board.seed,
        "resamples": board.resamples,
        "confidence": CONFIDENCE,
        "method": BOOTSTRAP,
        **({"votes": votes_as_json(rows.votes)} if rows.votes else {}),
        **({"repeated": repeated_as_json(rows.repeated)} if rows.repeated else {}),
        "rankings": [
            {
                "cut": ranking.cut,
                "label": ranking.label,
                "part": ranking.part,
                "maximum": board.maximum(ranking.part),
                "articles": ranking.articles,
                "common_articles": ranking.common,
                "same_articles": ranking.same_articles,
                "few_articles": list(ranking.few),
                "standings": [
                    plain(standing) | ({"published": published_figure(ranking, standing)} if beside else {})
                    for standing in ranking.standings
                ],
            }
            for ranking in board.rankings
        ],
    }


# CSV


def as_csv(boards: Sequence[Leaderboard], *, beside: bool = False) -> str:
    """Return one row for each system and ranking, as spreadsheets take it.

    An undefined figure is an empty cell and ``why`` says so. ``beside``: with the published figure of the same system
    and kind of article.
    """
    rows = (row for board in boards for ranking in board.rankings for row in _csv_rows(board, ranking, beside))
    return csv_text(_CSV_COLUMNS if beside else _CSV_COLUMNS[:-1], rows)


_CSV_COLUMNS = (
    *("judge", "signature", "cut", "label", "rank", "system", "n", "mean", "low", "high", "why"),
    *("scored", "instruction_failed", "judge_failed", "no_translation", "not_judged"),
    *("samples", "articles", "common_articles", "left_out"),
    *("next", "next_n", "difference", "difference_low", "difference_high", "difference_why", "difference_left_out"),
    *("p", "p_holm", "exact", "verdict", "human_n", "human", "human_low", "human_high", "human_why", "human_left_out"),
    *("judge_of_reviewed", "seed", "resamples"),
    *("votes", "effective_votes", "effective_low", "effective_high", "effective_why", "published"),
)


def _csv_rows(board: Leaderboard, ranking: Ranking, beside: bool) -> Iterator[dict[str, object]]:
    for standing in ranking.standings:
        row: dict[str, object] = {
            "judge": board.of.judge,
            "signature": " + ".join(signatures_of(board.of)),
            "cut": ranking.cut,
            "label": ranking.label,
            "rank": standing.rank,
            "system": standing.system,
            **_columns(standing.mean, "n", "mean", "low", "high"),
            "why": standing.mean.why,
            **asdict(standing.counts),
            "left_out": left_out_in_words(standing.mean.left_out),
            "samples": board.of.samples,
            "articles": ranking.articles,
            "common_articles": ranking.common,
            "seed": board.seed,
            "resamples": board.resamples,
            **(votes_in_columns(board.of.votes) if board.of.votes else {}),
        }
        if lead := standing.lead:
            row |= _columns(lead.difference, "next_n", "difference", "difference_low", "difference_high")
            row |= {"difference_why": lead.difference.why, "next": lead.other, "verdict": lead.verdict}
            row |= {"difference_left_out": left_out_in_words(lead.difference.left_out)}
            row |= {"p": lead.p, "p_holm": lead.p_holm}
            row |= {} if lead.p is None else {"exact": int(lead.exact)}
        if human := standing.human:
            row |= _columns(human.human, "human_n", "human", "human_low", "human_high")
            row |= {"human_why": human.human.why, "human_left_out": left_out_in_words(human.human.left_out)}
            row |= {"judge_of_reviewed": human.judge.value}
        if beside:
            row["published"] = published_figure(ranking, standing)
        yield row


def _columns(estimate: Estimate, n: str, value: str, low: str, high: str) -> dict[str, object]:
    return {n: estimate.n, value: estimate.value, low: estimate.low, high: estimate.high}
