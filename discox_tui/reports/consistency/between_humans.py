"""Reviewers with one another and with themselves, and the judge beside them: the ceiling of what it can reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.consistency.annotators import MOST_PAIRS, about_blind, anchored_table
from discox_tui.reports.pairwise.words import listed
from discox_tui.reports.render.layout import UNDEFINED, WIDTH, number
from discox_tui.reports.render.model import (
    COEFFICIENT,
    SHARE,
    Beside,
    Column,
    Ends,
    Heading,
    Lines,
    Medium,
    Part,
    Section,
    Shown,
    Table,
    Value,
    Words,
)
from discox_tui.reports.render.text import intervals, undefined
from discox_tui.text.columns import fit
from judges.stats.figure import Interval, spread

if TYPE_CHECKING:
    from judges.consistency.inter_annotator import BetweenHumans, PooledAgreement, Rated
    from judges.consistency.report import Anchoring, ConsistencyReport
    from judges.stats.figure import Figure

WITHIN = (
    "Reviewers who were asked again, without a sight of what they had said: their first answer and their second, and "
    "beneath these the judge with both. No judge can agree with a reviewer more than she does with herself, unless by "
    "chance."
)
"""Meaning of the figures of reviewers with themselves."""


def about_reviewers(anchoring: Anchoring) -> str:
    """Return what figures between humans say, what they do not, and who was blind first."""
    return (
        "Reviewers with one another, and beneath it the judge with each of them on the same findings and documents: "
        "what humans reach is the ceiling for a judge. All saw the judge's findings when they decided on these. That "
        "draws them to it, and to one another: this is no agreement of independent annotators. "
        + about_blind(anchoring)
    )


def between_humans(report: ConsistencyReport, basis: Sequence[str], on: Medium) -> Section:
    """Reviewers with one another and with themselves, and the judge beside; on a page also who was blind first."""
    found = report.between_humans
    parts: list[Part] = [about_reviewers(report.anchoring)]
    if found.together is None:
        parts += [Words(f"{UNDEFINED} {found.why}", "terminal", 4), Words(f"{UNDEFINED} {found.why}.", "page")]
    else:
        parts.append(
            Words(
                "Verdicts: right, not an error, or a duplicate; unsure is missing. Severity: levels of accuracy "
                "errors that both left standing. Observed agreement, Cohen's kappa, Gwet's AC1 (steady where nearly "
                "all is of one kind, while kappa collapses), Krippendorff's alpha (nominal; of severity ordinal). The "
                "judge itself calls all it reports right. Scores: mean |difference| in points, Pearson's r, Kendall's "
                "tau-b.",
                "terminal",
            )
        )
        parts += _together(found.together, basis, title="all together: ")
        if found.against_others:
            parts += _over_pairs(found, basis)
        for pair in found.pairs if 1 < len(found.pairs) <= MOST_PAIRS else ():
            parts += _together(pair, basis)
    if found.apart and found.together is not None:
        named = listed((f"{a} and {b}" for a, b in found.apart), "; ")
        parts.append(Words(f"{UNDEFINED} nothing in common, so no figure of theirs: {named}."))
    parts.append(Heading("REVIEWERS WITH THEMSELVES"))
    if report.within_reviewers:
        parts.append(WITHIN)
        for each in report.within_reviewers:
            parts += _together(each, basis, "herself")
    else:
        parts.append(Words(f"{UNDEFINED} nobody has been asked again", "terminal", 4))
    if report.anchoring.findings:
        parts.append(anchored_table(report.anchoring, basis, "page"))
    return Section("Between humans", parts, on=on)


def _together(found: PooledAgreement, basis: Sequence[str], humans: str = "humans", title: str = "") -> Iterator[Part]:
    """Verdicts, severities and scores of some layers, each with the judge's beneath."""
    names = ", ".join(found.reviewers)
    yield Lines(["", f"  {fit(f'{title}{names}', WIDTH - 2).rstrip()}"])
    sides = ((humans, found.humans), ("judge", found.judge))
    agreements = [
        *((f"verdicts, {side}", compared.verdicts) for side, compared in sides),
        *((f"severity, {side}", compared.severities) for side, compared in sides),
    ]
    yield Table(
        f"Agreement: {names}",
        (
            *("", Column(None, "n"), Column("observed", "observed"), Column("kappa", "kappa"), Column("AC1", "AC1")),
            *(Column("n", None), Column("alpha", "alpha", Beside("95 % (alpha)")), Column("n of alpha", None)),
            *(Column(head, None) for head in ("percent agreement", "Fleiss' kappa", "AC2")),
        ),
        [
            (
                label,
                each.observed.n,
                Shown(each.observed, scale=SHARE),
                *(Shown(figure, scale=COEFFICIENT) for figure in (each.kappa, each.ac1)),
                each.observed.n,
                Shown(each.alpha, scale=COEFFICIENT),
                each.alpha.n,
                Shown(each.percent_agreement, scale=SHARE),
                *(Shown(figure, scale=COEFFICIENT) for figure in (each.fleiss_kappa, each.ac2)),
            )
            for label, each in agreements
        ],
        definitions=_AGREEMENT,
        basis=basis,
        gap=False,
    )
    yield from undefined(figure for _, e in agreements for figure in (e.observed, e.kappa, e.ac1, e.alpha))
    beyond = "; ".join(
        f"{label} {number(each.fleiss_kappa.value)}"
        + (f" (AC2 {number(each.ac2.value)})" if label.startswith("severity") else "")
        for label, each in agreements
    )
    yield Words(f"Fleiss' kappa: {beyond}", "terminal", 4)
    scores = [(side, compared.scores) for side, compared in sides]
    yield Table(
        f"Scores: {names}",
        (
            *("", "n", Column("|difference|", "|diff.|", Beside("95 % (|diff.|)"))),
            *(Column("r", "r"), Column("tau-b", "tau-b")),
        ),
        [
            (
                f"scores, {side}",
                each.mean_absolute_difference.n,
                Shown(each.mean_absolute_difference, ".2f"),
                Shown(each.pearson, scale=COEFFICIENT),
                Shown(each.kendall_tau_b, scale=COEFFICIENT),
            )
            for side, each in scores
        ],
        definitions={"|difference|": "mean, in points of the total"},
        basis=basis,
        gap=False,
    )
    yield from undefined([*(each.mean_absolute_difference for _, each in scores), *(e.pearson for _, e in scores)])
    yield from intervals(
        (side, (("r", each.pearson, "z.3f"), ("tau-b", each.kendall_tau_b, "z.3f"))) for side, each in scores
    )


def _over_pairs(found: BetweenHumans, basis: Sequence[str]) -> Iterator[Part]:
    """Means over the pairs with their range, the judge's beside; then each reviewer with the others."""
    sides = [(each.humans, each.judge) for each in found.pairs]
    rows: list[Sequence[Value]] = []
    for name, of, form in _FIGURES:
        humans, judge = (spread([of(pair[side]) for pair in sides]) for side in (0, 1))
        used = humans.mean.groups[0] if humans.mean.groups else 0
        row: list[Value] = [name, used]
        for each in (humans, judge):
            scale = COEFFICIENT if form == "z.3f" else None
            row += [Shown(each.mean, form, scale), Ends(Interval(each.low, each.high, "range over pairs"), form)]
        rows.append(row)
    yield Table(
        f"Agreement over {len(found.pairs)} pairs of reviewers",
        (
            Column("", f"over {len(found.pairs)} pairs"),
            *(
                "pairs",
                Column("mean", "humans", None),
                "range",
                Column("mean of the judge", "judge"),
                Column("range of the judge", "range"),
            ),
        ),
        rows,
        ["Mean over every two reviewers, each pair counting once, and its range; all pairs are in the files of JSON."],
        _AGREEMENT,
        basis=basis,
    )
    yield from undefined(value.figure for row in rows for value in row if isinstance(value, Shown))
    rows = []
    for one in found.against_others:
        (name,) = one.reviewers
        for label, of_whom in ((name, one.humans), (f"  judge with {name}", one.judge)):
            verdicts, severities = of_whom.verdicts, of_whom.severities
            rows.append(
                (
                    label,
                    verdicts.observed.n,
                    Shown(verdicts.observed, scale=SHARE),
                    Shown(verdicts.ac1, scale=COEFFICIENT),
                    severities.observed.n,
                    Shown(severities.observed, scale=SHARE),
                    Shown(severities.ac2, scale=COEFFICIENT),
                    Shown(of_whom.scores.mean_absolute_difference, ".2f"),
                )
            )
    yield Table(
        "Each reviewer with the others",
        (
            Column("", "with the others"),
            *("n", Column("observed", "observed"), Column("AC1", "AC1"), Column("n of severity", "n")),
            *(Column("severity, observed", "severity"), Column("AC2", "AC2"), Column("|difference|", "|diff.|")),
        ),
        rows,
        ["Each reviewer with every other; beneath, the judge with the reviewer on what another dealt with too."],
        _AGREEMENT | {"|difference|": "mean, in points of the total"},
        basis=basis,
    )
    yield from undefined(value.figure for row in rows for value in row if isinstance(value, Shown))


_FIGURES: Sequence[tuple[str, Callable[[Rated], Figure], str]] = (
    *(
        (f"verdicts, {label}", lambda rated, name=name: getattr(rated.verdicts, name), "z.3f")
        for name, label in (("observed", "observed"), ("kappa", "kappa"), ("ac1", "AC1"), ("alpha", "alpha"))
    ),
    *(
        (f"severity, {label}", lambda rated, name=name: getattr(rated.severities, name), "z.3f")
        for name, label in (("observed", "observed"), ("ac1", "AC1"), ("ac2", "AC2"), ("alpha", "alpha"))
    ),
    ("scores, |difference|", lambda rated: rated.scores.mean_absolute_difference, ".2f"),
    ("scores, r", lambda rated: rated.scores.pearson, "z.3f"),
    ("scores, tau-b", lambda rated: rated.scores.kendall_tau_b, "z.3f"),
)


_AGREEMENT = {
    "verdicts": "right, not an error, or a duplicate; unsure is missing. The judge itself calls all it reports right",
    "severity": "levels of accuracy errors that both left standing",
    "kappa": "Cohen's; it collapses where nearly all is of one kind",
    "AC1": "Gwet's; it stays where kappa collapses",
    "percent agreement": "observed agreement in which a finding counts once, however many reviewed it",
    "Fleiss' kappa": "of any number of reviewers; of two it is Scott's pi",
    "AC2": "AC1 with credit for levels that are near one another (Gwet's ordinal weights)",
    "alpha": "Krippendorff's: nominal of verdicts, ordinal of severity",
}
