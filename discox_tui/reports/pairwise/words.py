"""Words on pairwise consistency for reports and screens: definitions, warnings, and the figures of its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discox_tui.reports.render.layout import CONFIDENT, UNDEFINED, ends, number
from discox_tui.text.counts import counted
from judges.meta_eval.pair_counts import RULES
from judges.meta_eval.pairwise import DIRECTIONS, LEVELS
from judges.meta_eval.sample_size import ASSUMPTION
from judges.meta_eval.superiority_test import ALPHA
from judges.metric_s.published import published
from judges.stats.figure import Figure
from judges.stats.intervals import FEW
from judges.stats.numerics import DECIMALS, rounded_down

if TYPE_CHECKING:
    from judges.meta_eval.pair_counts import Rule
    from judges.meta_eval.pairwise import Cell, Level, PairwiseReport
    from judges.meta_eval.sample_size import Plan
    from judges.meta_eval.superiority_test import Claim
    from storage.analysis.metric_scores import Metric
    from storage.analysis.pairwise import Cut, Pairwise
    from storage.analysis.rating_scales import Scale

DEFINITIONS: Mapping[Rule, str] = {
    "acc_eq": "(concordant + tied in both) / all pairs",
    "c_index": "(concordant + ½ tied by the metric) / pairs that humans do not tie",
    "drop_human_ties": "concordant / pairs that humans do not tie",
    "drop_all_ties": "concordant / (concordant + discordant)",
    "half": "(concordant + tied in both + ½ tied in one) / all pairs",
}
"""Definition of each rule for ties."""
COUNTS = {
    "n": "pairs",
    "concordant": "concordant",
    "discordant": "discordant",
    "tied_human": "tied by humans only",
    "tied_metric": "tied by metric only",
    "tied_both": "tied in both",
}
"""The kinds of pairs, by the names of their counts."""
CUT_BY: Mapping[Cut, str] = {
    "dimension": "A judge's points in one dimension against the reviewers'. Other metrics have no dimensions.",
    "system": "Only the pairs that the system is in.",
    "domain": "Only the articles of the domain.",
    "reviewer": "Against the ratings of one person.",
}
"""Meaning of the figures of a group."""


UNCUT = {
    "severity": "Pairwise figures are not by severity: they are of whole scores.",
    "category": "Pairwise figures are not by category: they are of whole scores.",
    "direction": "Pairwise figures are by direction as they stand.",
    "spot": "Pairwise figures are not by spot: they are of whole scores.",
}
"""Reasons why pairwise figures are not grouped by what findings are."""
ANEW = (
    "An interval says what as many other articles would give, not what endless ones would: with more articles systems "
    "differ more surely, and the system level rises. Where every resample gives the same it has no width and says "
    "nothing: there Wilson's stands beneath, as if pairs were independent, which they are not."
)
"""Meaning of the intervals."""
CEILING = (
    "A ~ B: a person's ratings, as if a metric, against B's (others: the mean of all others'); beneath, the metrics "
    "against the same ratings of the same translations. What people reach is what to expect of a metric at best."
)
"""Meaning of the figures of people among themselves."""
OVER_PAIRS = "Mean of pairs: over every two people, either as if the metric, with the range of the pairs."
"""Meaning of those of more than two people."""
CLAIMED = (
    "Of pairs of systems within an article, by c_index, which breaking ties at random does not raise. The interval is "
    "over articles and covers more with every attempt in a direction, so that the chance that any of these takes noise "
    f"for a gain is no more than {ALPHA:.0%}. A gain is proven where it lies above 0."
).replace("%", " %")
"""Grounds of a claim."""
COUNTED = "Attempts: the comparisons of two metrics in this direction that this library holds, this one included."
UNCOUNTED = (
    "Counted as the first attempt: tables of scores alone have no library that counts. What was tried before makes it "
    "weaker than it looks."
)
DESCRIBED = (
    "Described by {measure}, over the translations that both and humans scored: whether one is more consistent is not "
    "for this to say. p: one-sided test that {second} is (PERM-BOTH)."
)
"""Words on a comparison that makes no claim."""
UNCLAIMED = "No claim: discox consistency --compare A B makes one, and counts it."


def signatures_of(name: str, metric: Metric | None) -> list[str]:
    """Return what decided a metric's scores, or the names of the tables they are from, without their folders."""
    if metric is None or metric.judge is None:
        return [f"{name}: {Path(file).name}" for file in metric.files] if metric else []
    return list(metric.signatures) or [unsigned(metric)]


def unsigned(metric: Metric) -> str:
    """Return what is known of a judge's scores without a signature."""
    return f"imported, signature unknown: judge {metric.judge}"


def warnings_of(found: Pairwise) -> list[str]:
    """Return what to know before relying on the figures."""
    report, warnings = found.report, list[str]()
    if not found.table.rows:
        return ["There are no scores.", *_scale_warnings(found)]
    if not report.raters and not found.table.unchosen:
        warnings.append("There are no human scores, so nothing to hold a metric against.")
    if not report.cells:
        warnings.append("There are no scores by a metric.")
    few = sorted({cell.articles for cell in report.cells.values() if 0 < cell.articles < FEW})
    if few and report.raters:
        warnings.append(
            f"Fewer than {FEW} articles somewhere (the least: {few[0]}): intervals are a rough guess, if any."
        )
    return [*warnings, *_scale_warnings(found), *_gold_warning(found), *_apart(found), *_too_close(found)]


def _scale_warnings(found: Pairwise) -> Iterator[str]:
    """Ratings that are on different scales, as far as they tell."""
    table = found.table
    aside = [scale for each in table.apart for scale in each.scales]
    if table.unchosen:
        yield (
            f"{counted(sum(scale.ratings for scale in aside), 'rating')} on different scales make no figure together: "
            f"{listed(map(_scale, aside), '; ')}. Choose with --reviewer NAME; each kind stands by itself beneath."
        )
        return
    headline = "the reviews, which are of 0-100" if table.taken == "reviews" else f"{table.taken}, which headlines"
    for each in table.apart:
        for scale in each.scales:
            taken = next((name for name in each.asks if name in (scale.name, scale.rater)), scale.rater)
            yield (
                f"Not averaged with {headline}: {counted(scale.ratings, 'rating')} by {_scale(scale)}; --reviewer "
                f"{taken} takes them alone."
            )


def _scale(scale: Scale) -> str:
    name = f" ({scale.name})" if scale.name not in ("", scale.rater) else " (reviews)" if not scale.name else ""
    return f"{scale.rater}{name}, {scale.low:g} to {scale.high:g}"


def listed(names: Iterable[str], between: str = ", ", most: int = 6) -> str:
    """Some names, as many as one reads."""
    shown = list(names)
    return between.join(shown[:most]) + (" …" if len(shown) > most else "")


def gold_note(found: Pairwise) -> str:
    """Return where the human scores come from."""
    total = sum(gold.ratings for gold in found.table.gold)
    parts = [
        f"{gold.ratings:,} of tables"
        if gold.judge is None
        else f"{counted(gold.ratings, 'review')} of {gold.judge}{', blind first' if gold.blind else ''}"
        for gold in found.table.gold
    ]
    return f"{counted(total, 'human rating')}: {listed(parts)}." if parts else ""


def _gold_warning(found: Pairwise) -> Iterator[str]:
    """Warn of the judge whose errors the humans had before them, where others are compared with it."""
    of_judges = Counter[str]()
    for gold in found.table.gold:
        if gold.judge is not None and not gold.blind:
            of_judges[gold.judge] += gold.ratings
    total = sum(gold.ratings for gold in found.table.gold)
    if of_judges and len(metrics_of(found)) > 1:
        shares = listed(f"{judge}'s errors ({n / total:.0%})".replace("%", " %") for judge, n in of_judges.items())
        yield (
            f"Human ratings are what reviewers left of {shares}, seen before they decided. That draws them to that "
            "judge: beside it another judge or metric looks worse than it is."
        )


def _apart(found: Pairwise) -> Iterator[str]:
    """System means that are of different articles."""
    for (metric, _, direction), cell in found.report.cells.items():
        if cell.spa and (disjoint := cell.counts.n - cell.spa.n):
            yield (
                f"{metric}, system {direction}: {disjoint:,} of {counted(cell.counts.n, 'pair')} of systems have no "
                "article in common; their means are of different articles, which may differ in how hard they are."
            )


def _too_close(found: Pairwise) -> Iterator[str]:
    """Scores that differ, but by less than what is compared."""
    scores: dict[str, set[float]] = {}
    for row in found.table.rows:
        scores.setdefault(row.metric, set()).add(round(row.score, _EXACT))
    for name, values in scores.items():
        merged = len(values) - len({round(value, DECIMALS) for value in values})
        if merged:
            yield (
                f"{name}: {merged:,} scores differ from others by less than {10**-DECIMALS:f} and count as tied with "
                "them; multiply the scores, by 1,000 say."
            )


_EXACT = 12
"""Decimals beyond which scores differ by float noise only."""


def cells_of(report: PairwiseReport, metric: str) -> list[tuple[Level, str]]:
    """The cells of a metric: the four first, by level, then those of other directions."""
    own = {(level, direction) for name, level, direction in report.cells if name == metric}
    directions = [*DIRECTIONS, *sorted({direction for _, direction in own} - set(DIRECTIONS))]
    ordered = [(level, direction) for level in LEVELS for direction in directions]
    return [cell for cell in ordered if cell in own]


def mean_name(report: PairwiseReport) -> str:
    """Return the name of a report's mean."""
    cells = len(LEVELS) * len(report.averaged)
    return f"mean of the {'four' if report.averaged == DIRECTIONS else cells}"


def mean_note(report: PairwiseReport) -> str:
    """Return which cells the mean is of: those that are not all of DiscoX's are named."""
    if report.averaged == DIRECTIONS:
        return "the four cells, unweighted, and undefined if one of them is"
    of = f"both levels of {listed(each or '(no direction)' for each in report.averaged)}"
    return f"{of}, unweighted, and undefined if one of these cells is"


def metrics_of(found: Pairwise, report: PairwiseReport | None = None) -> list[str]:
    """The metrics of a report (of the whole, where none is named): judges first."""
    there = dict.fromkeys(metric for metric, _, _ in (report or found.report).cells)
    return [metric for metric in dict.fromkeys((*found.table.metrics, *there)) if metric in there]


def left_out_of(cell: Cell) -> str:
    """Return what is not in a cell and why; empty where all is."""
    return "; ".join(f"{reason} ({n:,})" for reason, n in cell.left_out.items() if n)


def figures_of(cell: Cell) -> dict[str, Figure]:
    """The figures of a cell by name: the rules, the calibrated ones, and at system level SPA."""
    by_rule = {str(rule): cell.figures[rule] for rule in RULES}
    held_out = {"acc_eq_held_out": cell.held_out.figure} if cell.held_out else {}
    return by_rule | {"acc_eq_calibrated": cell.calibrated.figure} | held_out | ({"spa": cell.spa} if cell.spa else {})


def whys_of(figures: Mapping[str, Figure]) -> dict[str, str]:
    """Return why figures are undefined, by their names."""
    return {name: figure.why for name, figure in figures.items() if figure.value is None}


def reasons(figures: Iterable[Figure | None]) -> list[str]:
    """Return why figures, or their intervals, are undefined, each reason once; None is no figure."""
    whys: list[str] = []
    for figure in figures:
        if figure is None or figure.value is None:
            whys.append((figure or NO_SCORES).why)
        elif figure.interval and figure.interval.ends is None:
            whys.append(f"interval: {figure.interval.why}")
    return [f"{UNDEFINED} {why}" for why in dict.fromkeys(whys)]


NO_SCORES = Figure(None, 0, "no scores")


def published_note() -> str:
    """Return where the published figures are from, and what they do not say."""
    return (
        f"Published: {published().source}; judge {published().judge}. Neither the rule for ties nor n were published, "
        f"nor what is {UNDEFINED} there; figures over other articles, systems or humans do not compare."
    )


def further(plan: Plan) -> str:
    """Return how many more articles it takes, or the undefined."""
    return UNDEFINED if plan.further is None else f"{plan.further:,}"


def system_notes(found: Pairwise) -> list[str]:
    """Return why a p, or a number of articles, is undefined, each reason once, and what is assumed."""
    whys = [f"{UNDEFINED} p: {NO_TEST}" for each in found.systems if each.p is None]
    whys += [f"{UNDEFINED} further: {each.plan.why}" for each in found.systems if each.plan.why]
    return [*dict.fromkeys(whys), ASSUMPTION]


NO_TEST = "fewer than two articles: no test"
"""Reason why two systems have no p."""


def claimed(claim: Claim) -> str:
    """Return what is claimed in its direction, or that nothing is."""
    if claim.gate.adopted:
        said = f"proven gain: {claim.candidate} is more consistent with humans than {claim.standard}"
    else:
        said = f"no proven gain: {claim.standard} is kept"
    return f"{claim.direction}: {said}." if claim.direction else f"{said[0].upper()}{said[1:]}."


def covers(claim: Claim) -> str:
    """Return what the interval of a gain covers, never more than it does."""
    return f"{rounded_down(claim.gate.confidence * 10_000) / 100:g} %"


def attempt_of(claim: Claim) -> str:
    """Return which attempt it is, and of how many where they are counted; none where there was nothing to see."""
    if claim.gate.gain is None:
        return UNDEFINED
    return f"{claim.gate.attempt}" if claim.attempts is None else f"{claim.gate.attempt} of {claim.attempts}"


def claim_notes(compared: Pairwise) -> list[str]:
    """Return what to know of the claims of a comparison."""
    return [*_own_gold(compared), *notes_on(compared.claims)]


def notes_on(claims: Sequence[Claim]) -> list[str]:
    """Return why a gain or its interval is undefined, what is left out, how far off a proof is, how attempts count."""
    notes = []
    for claim in claims:
        found, of = claim.gate, f" {claim.direction}" if claim.direction else ""
        if found.why:
            notes.append(f"{UNDEFINED}{of}: {found.why}.")
        if found.left_out:
            notes.append(
                f"Left out of{of or ' it'}: {'; '.join(f'{why} ({n:,})' for why, n in found.left_out.items())}."
            )
        if found.needed is not None:
            notes.append(
                f"If the gain{of} is what it seems, and articles to come are like those so far, about "
                f"{found.needed - found.n:,} more, {counted(found.needed, 'article')} in all, would prove it as often "
                "as not."
            )
        notes.append(_correlated(claim))
    return [*notes, UNCOUNTED if any(claim.attempts is None for claim in claims) else COUNTED]


def _correlated(claim: Claim) -> str:
    """Return how far both metrics go with people within the articles that count."""
    both, of = claim.correlations, f" of {claim.direction}" if claim.direction else ""
    values = " and ".join(number(each, "z.3f") for each in (both.standard, both.candidate))
    said = f"Correlation with humans within articles{of}: {values}"
    if both.difference.value is None:
        return f"{said}; no difference, as {both.difference.why}."
    interval = ends(both.difference.interval, "+z.2f", " to ")
    return f"{said}, difference {both.difference.value:+z.3f} ({CONFIDENT} {interval}), which proves nothing by itself."


def _own_gold(compared: Pairwise) -> Iterator[str]:
    """Warn where people began from the candidate's own errors, which no interval knows of."""
    candidate, table = compared.claims[0].candidate, compared.table
    of = table.metrics.get(candidate)
    own = sum(gold.ratings for gold in table.gold if of and of.judge and gold.judge == of.judge and not gold.blind)
    if own:
        yield (
            f"{own:,} of {counted(sum(gold.ratings for gold in table.gold), 'human rating')} are what reviewers left "
            f"of the errors of {candidate}, seen before they decided: that alone can look like a gain."
        )
