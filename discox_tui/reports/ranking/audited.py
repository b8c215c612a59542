"""Audited leaderboards in words, as JSON for programs, and as CSV for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Any

from discox_tui.reports.ranking.leaderboard import signatures_of
from discox_tui.reports.ranking.weighting import (
    votes_as_json,
    votes_in_columns,
    votes_in_words,
)
from discox_tui.reports.render.csv import csv_text
from discox_tui.reports.render.layout import number
from discox_tui.reports.render.model import left_out_in_words
from discox_tui.reports.render.repeated import repeated_as_json, repeated_in_words
from discox_tui.text.counts import counted
from judges.metric_s.published import KINDS, kind_of
from judges.ranking.audit_estimate import BEST_GUESS, UNSTABLE, certain
from judges.stats.resampling import NEVER_VARIES

if TYPE_CHECKING:
    from judges.metric_s.published import Kind
    from judges.ranking.audit_estimate import AuditedScores, Difference, Target
    from storage.analysis.audit.audit import Lacking
    from storage.analysis.audit.leaderboard import AuditedBoard, AuditedCut

NOTHING = "Nothing is there to audit: no evaluation by a judge, or none with these words."
TARGETS: dict[Target, str] = {
    "this-test-set": "this test set: the means over these very articles",
    "new-documents": "new documents: the means over all that these articles are a sample of",
}
CROSS_FITTED = "Examples: cross-fitted in {} folds, so no article was judged with what people said of it."
BALANCED = (
    "What audits are worth is said of the intervals: on a balanced draw the scores themselves hardly gain by the judge."
)
NO_GAP = f"best guess and gap take {BEST_GUESS} systems that the judge tells apart, and enough audited articles"
NAMED = 5
"""Articles that are named where they are not all; JSON has them all."""

COLUMNS = {
    "judge": "the judge's mean over all articles",
    "audited": "people's mean over the audited articles, corrected for how much better or worse the judge scores these "
    "than all, as far as judge and people go together",
    "best": "the best guess: the audited score drawn towards what the judge makes of all systems; it has no interval",
    "gap": "by how much the judge puts the system higher than people do, beyond what its scale explains; against the "
    "other systems, so that gaps add up to 0",
    "±": "half the interval's width, after the figure it is of",
    "alone": "half the interval's width by people alone, without the judge",
    "needs": "about how many audited articles in all decide the pair, if it differs as much as it seems to; –: no "
    "number would",
}
"""Definitions of the columns, for every form of the report."""


# Words, for the screen too


def title_of(cut: AuditedCut) -> str:
    """Return the heading of what is estimated together."""
    return f"DIRECTION {cut.cut.direction}" if cut.cut.direction else "ALL TOGETHER"


def basis_of(board: AuditedBoard) -> list[str]:
    """Return what an audited leaderboard rests on, and how chance was reckoned."""
    plans = board.audit.plans
    drawn = "".join(f" Drawn with balance by plan {plan.id}, seed {plan.seed}." for plan in plans)
    votes, repeated = board.audit.of.votes, board.audit.of.repeated
    return [
        f"Target: {TARGETS[board.target]}.",
        f"Intervals: {confidence(board)} of Student's t, prediction-powered inference by article."
        f"{' Pairs: Holm, of all together.' if board.holm else ' Pairs: each for itself.'}{drawn}",
        *([BALANCED] if plans else ()),
        *(votes_in_words(votes) if votes else ()),
        *(repeated_in_words(repeated) if repeated else ()),
        *([CROSS_FITTED.format(board.audit.folds)] if board.audit.folds else ()),
    ]


def confidence(board: AuditedBoard) -> str:
    """Return what intervals cover."""
    return f"{100 * (1 - board.alpha):g} %"


def audits_of(cut: AuditedCut) -> str:
    """Return how many articles are audited, of how many, and what they are worth."""
    said = f"{len(cut.cut.rows):,} of {counted(len(cut.cut.articles), 'article')} audited"
    found = cut.found
    if found is None:
        return f"{said}."
    if found.why:
        return f"{said}."
    worth = f", intervals worth {found.effective:.1f} without the judge" if found.effective else ""
    if certain(found.n, found.articles, found.target):
        worth = ", so nothing of this test set is left to chance"
    return f"{said}{worth}; correlation of judge and people within articles {number(found.correlation)}."


def warnings_of(cut: AuditedCut) -> list[str]:
    """Return what to know before relying on the scores of a direction, or of all together."""
    n, saw, scores = len(cut.cut.rows), cut.cut.saw, cut.found
    found = []
    if scores is None:
        found.append("No audited article counts yet.")
    elif scores.why:
        found.append(f"Too few: {scores.why}.")
    elif n < UNSTABLE and not cut.complete:
        found.append(f"Unstable: under {UNSTABLE} audited articles one more may change a lot.")
    if scores and (never := sum(each.why == NEVER_VARIES for each in scores.differences)):
        found.append(f"Undefined for {never:,} of {counted(len(scores.differences), 'pair')}: {NEVER_VARIES}.")
    if saw:
        whom = "all of them" if saw == n else f"{saw:,} of them"
        found.append(f"The auditor saw the judge's findings first, in {whom}, and may have leant towards them.")
    return found


def shortcomings_of(board: AuditedBoard) -> list[str]:
    """Return what does not count, and why, and what is still to be done."""
    audit = board.audit
    keys = audit.keys
    found = [f"Refused: {audit.refusal}"] if audit.refusal else []
    if audit.tables:
        found.append(
            "A table of scores does not say how the audited articles were chosen, nor whether people scored them "
            "blind: intervals hold if whole articles were drawn at random before anyone scored them."
        )
    if by_hand := [keys[each] for each in audit.by_hand]:
        found.append(
            f"Left out of inference: {counted(len(by_hand), 'audited article')} that no plan drew before the auditor "
            f"began: {_some(by_hand)}."
        )
    if by_doubt := [keys[each] for each in audit.by_hand if each in audit.by_doubt]:
        found.append(f"Of these {len(by_doubt):,} chosen by doubt, the most doubtful first: {_some(by_doubt)}.")
    if left := len(audit.drawn) - len(set(audit.drawn) & set(audit.counted)):
        found.append(
            f"Of {counted(len(audit.drawn), 'drawn article')} {left:,} {'is' if left == 1 else 'are'} not audited yet. "
            "Audit them all, whatever the figures say meanwhile."
        )
    if audit.population and not (audit.drawn or audit.counted or audit.tables):
        found.append("No article is drawn yet; `discox plan --audit 20 --reviewers ana` draws which to audit.")
    if audit.incomplete:
        found.append(f"Incomplete: {counted(len(audit.incomplete), 'article')}: {_lacking(audit.incomplete)}.")
    if audit.left_out:
        found.append(
            f"Not in the scores: {counted(len(audit.left_out), 'article')} without a score of every system: "
            f"{_lacking(audit.left_out)}."
        )
    if audit.unscored:
        found.append(
            f"Not in the scores: {counted(len(audit.unscored), 'system')} that people rated and the judge did not: "
            f"{_some(list(audit.unscored))}."
        )
    if audit.divided:
        found.append("Other directions have other systems, and a leaderboard of their own.")
    if audit.apart:
        found.append("Directions were drawn by plans of their own, so each stands for itself; none are put together.")
    outside = [keys[each] for each in audit.unreachable]
    if outside:
        found.append(
            f"Not in the scores: {counted(len(outside), 'article')} that could not be drawn when an audit was "
            f"planned: {_some(outside)}."
        )
        if not audit.population:
            found.append("No article could be drawn by every plan; with words for what one drew from there are scores.")
    return found


def expectations_of(cut: AuditedCut) -> str:
    """Return what intervals to expect of more audits."""
    if not cut.expected:
        return ""
    each = ", ".join(f"{number(e.with_judge)} with {e.n:,} ({number(e.alone)} by people alone)" for e in cut.expected)
    source = (
        "from how the judge's own scores vary, and a correlation of .5 with people"
        if cut.assumed
        else "from the audits"
    )
    return f"Expected ± of a difference, by audited articles, {source}: {each}."


def undecided_of(board: AuditedBoard, cut: AuditedCut) -> str:
    """Return how many pairs are undecided, and how far off the one is that is nearest to being decided."""
    if cut.found is None or not (pairs := [each for each in board.undecided(cut) if not each.why]):
        return ""
    said = f"{len(pairs):,} of {counted(len(cut.found.differences), 'pair')} undecided"
    first, second = better_first(board, pairs[0])
    nearest = f"; nearest to it are {first} and {second}" if len(pairs) > 1 else f": {first} and {second}"
    return f"{said}{nearest}, which {decides(board.needed(cut, pairs[0]), ' in all')}."


def decides(needed: int | None, of: str = "") -> str:
    """Return how many audited articles decide a pair, in words that the pair follows."""
    return f"about {about(needed)} audited articles{of} decide" if needed else "no number of audited articles decides"


def about(n: int | None) -> str:
    """A number of articles as exact as it can be: two digits; a dash for more than anyone has."""
    if n is None:
        return "–"
    unit = 10 ** max(0, len(str(n)) - 2)
    return f"{-(-n // unit) * unit:,}"


def in_order(found: AuditedScores) -> list[int]:
    """The systems, best first, by their numbers."""
    return sorted(range(len(found.scores)), key=lambda system: -found.scores[system].value)


def better_first(board: AuditedBoard, pair: Difference) -> tuple[str, str]:
    """The names of a pair of systems, the one that scores better first."""
    systems = board.audit.systems
    one, other = (pair.first, pair.second) if pair.value >= 0 else (pair.second, pair.first)
    return systems[one], systems[other]


def _some(keys: Sequence[str]) -> str:
    return ", ".join(keys[:NAMED]) + (" …" if len(keys) > NAMED else "")


def _lacking(articles: Sequence[Lacking]) -> str:
    said = [f"{each.article} ({', '.join(each.why[:2])}{' …' if len(each.why) > 2 else ''})" for each in articles]
    return "; ".join(said[:NAMED]) + ("; …" if len(said) > NAMED else "")


# JSON


def as_json(boards: Sequence[AuditedBoard], kinds: Mapping[str, Kind] | None = None) -> dict[str, Any]:
    """Return the leaderboards as what `json.dumps` takes, without NaN; what is undefined is null."""
    return {"audited_leaderboards": [_plain_board(board, kinds) for board in boards]}


def _plain_board(board: AuditedBoard, kinds: Mapping[str, Kind] | None) -> dict[str, Any]:
    audit = board.audit
    keys = audit.keys
    return {
        "judge": audit.of.judge,
        "signature": audit.of.signature,
        "further_signatures": list(audit.of.signatures[1:]),
        "target": board.target,
        "alpha": board.alpha,
        "holm": board.holm,
        **({"votes": votes_as_json(audit.of.votes)} if audit.of.votes else {}),
        **({"repeated": repeated_as_json(audit.of.repeated)} if audit.of.repeated else {}),
        "systems": list(audit.systems),
        "kinds": [kind_of(system, kinds) for system in audit.systems],
        "plans": [{"plan": plan.id, "at": plan.at, "seed": plan.seed} for plan in audit.plans],
        "audited": [
            {
                "article": keys[each],
                "direction": audit.directions[each],
                "auditors": list(audit.audits[each].auditors),
                "blind": audit.audits[each].blind,
                "drawn": audit.audits[each].drawn,
                "by_doubt": None if audit.tables else each in audit.by_doubt,
                "counts": each in audit.counted,
                "human": list(audit.audits[each].scores),
                "judge": list(audit.judge[each]),
            }
            for each in audit.audits
        ],
        "incomplete": [asdict(each) for each in audit.incomplete],
        "left_out": [asdict(each) for each in audit.left_out],
        "unscored_systems": list(audit.unscored),
        "outside": [keys[each] for each in audit.unreachable],
        "drawn": None if audit.tables else len(audit.drawn),
        "refused": audit.refusal or None,
        "shown": sorted(keys[each] for each in audit.shown),
        "folds": audit.folds or None,
        "notes": shortcomings_of(board),
        "cuts": [_plain_cut(board, cut) for cut in board.cuts],
    }


def _plain_cut(board: AuditedBoard, cut: AuditedCut) -> dict[str, Any]:
    found = cut.found
    plain: dict[str, Any] = {
        "direction": cut.cut.direction,
        "n": len(cut.cut.rows),
        "articles": len(cut.cut.articles),
        "saw_the_judge": cut.cut.saw,
        "left_out": dict(cut.cut.left_out),
        "warnings": warnings_of(cut),
        "expected": [asdict(each) for each in cut.expected],
        "expected_from": "judge" if cut.assumed else "audits",
    }
    if found is None:
        return plain
    systems = board.audit.systems
    return plain | {
        "slope": found.slope,
        "effective_audits": found.effective,
        "effective_audits_of": "intervals",
        "correlation": found.correlation,
        "why": found.why or None,
        "scores": [
            {
                "system": systems[each],
                "judge": found.judge[each],
                "human": found.human[each],
                "audited": found.scores[each].value,
                "half_width": found.scores[each].half_width,
                "why": found.scores[each].why or None,
                "best_guess": found.best[each] if found.best else None,
                "gap": found.gaps[each].value if found.gaps else None,
                "gap_half_width": found.gaps[each].half_width if found.gaps else None,
            }
            for each in in_order(found)
        ],
        "pairs": [_plain_pair(board, cut, each) for each in found.differences],
        "undecided": [[systems[each.first], systems[each.second]] for each in board.undecided(cut)],
    }


def _plain_pair(board: AuditedBoard, cut: AuditedCut, pair: Difference) -> dict[str, Any]:
    systems, decided = board.audit.systems, board.is_decided(pair)
    return {
        "first": systems[pair.first],
        "second": systems[pair.second],
        "difference": pair.value,
        "half_width": pair.half_width,
        "human_only_half_width": pair.human_only,
        "p": pair.p,
        "p_holm": pair.holm,
        "better": better_first(board, pair)[0] if decided else None,
        "audits_needed": None if decided else board.needed(cut, pair),
        "why": pair.why or None,
    }


def kinds_in_words(board: AuditedBoard, cut: AuditedCut, kinds: Mapping[str, Kind] | None) -> str:
    """Return the systems of each kind with their places, best first; "" where no kind is known.

    ``kinds``: of systems, where they are not as published.
    """
    found: dict[Kind, list[str]] = {}
    for place, each in enumerate(in_order(cut.found) if cut.found else (), 1):
        if kind := kind_of(board.audit.systems[each], kinds):
            found.setdefault(kind, []).append(f"{board.audit.systems[each]} ({place})")
    said = "; ".join(f"{kind}: {', '.join(found[kind])}" for kind in KINDS if kind in found)
    return f"By kind of system, with their places: {said}." if said else ""


# CSV


def as_csv(boards: Sequence[AuditedBoard]) -> str:
    """Return one row for each system, then one for each pair (``against`` is not empty), of each direction.

    An undefined figure is an empty cell. A judge whose audits are refused has one row, of the reason.
    """
    refused = (
        _of_board(board) | {"warnings": f"Refused: {board.audit.refusal}"} for board in boards if board.audit.refusal
    )
    return csv_text(
        _CSV_COLUMNS, chain(refused, (row for board in boards for cut in board.cuts for row in _csv_rows(board, cut)))
    )


_CSV_COLUMNS = (
    *("judge", "signature", "target", "alpha", "direction", "n", "articles", "system", "against"),
    *("judge_score", "human_of_audited", "audited", "half_width", "best_guess", "gap", "gap_half_width"),
    *("difference", "human_only_half_width", "p", "p_holm", "better", "audits_needed"),
    *("effective_audits", "correlation", "votes", "effective_votes", "effective_low", "effective_high"),
    *("effective_why", "left_out", "warnings", "why"),
)


def _of_board(board: AuditedBoard) -> dict[str, object]:
    return {
        "judge": board.audit.of.judge,
        "signature": " + ".join(signatures_of(board.audit.of)),
        "target": board.target,
        "alpha": board.alpha,
    }


def _csv_rows(board: AuditedBoard, cut: AuditedCut) -> Iterator[dict[str, object]]:
    plain = _plain_cut(board, cut)
    every = _of_board(board) | {
        "direction": plain["direction"],
        "n": plain["n"],
        "articles": plain["articles"],
        "effective_audits": plain.get("effective_audits"),
        "correlation": plain.get("correlation"),
        "left_out": left_out_in_words(cut.cut.left_out),
        "warnings": " ".join(plain["warnings"]),
        **(votes_in_columns(board.audit.of.votes) if board.audit.of.votes else {}),
    }
    for row in plain.get("scores", ()):
        renamed = {"judge_score": row["judge"], "human_of_audited": row["human"]}
        yield every | renamed | {name: value for name, value in row.items() if name not in ("judge", "human")}
    for row in plain.get("pairs", ()):
        names = {"system": row["first"], "against": row["second"]}
        yield every | names | {name: value for name, value in row.items() if name not in ("first", "second")}
