"""Section on whether a judge, or a metric, can stand in for a person: the alternative annotator test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.render.layout import UNDEFINED, number, probability
from discox_tui.reports.render.model import SHARE, Column, Label, Medium, Part, Section, Shown, Table, Value, Words
from discox_tui.reports.render.text import undefined
from judges.consistency.stand_in import NO_CANDIDATE
from judges.meta_eval.alternative_annotator import EXPERTISE, PASSING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judges.consistency.stand_in import StandIn
    from judges.meta_eval.alternative_annotator import Outcome
    from judges.stats.figure import Figure
    from storage.analysis.stand_in import StandInReport

TITLE = "Can a judge stand in for a person?"
MOST_SHOWN = 24
"""Rows of people up to which a terminal shows each; pages and JSON have all."""
_DEFINITIONS = {
    "winning rate": "the share of the people's tests that are rejected, of those that are defined; passes from "
    f"{PASSING:g}",
    "advantage": "how often the judge is at least as good as the person; mean over people",
    "d": "mean of [person ≥ judge] - [judge ≥ person]",
    "articles": "the same with the mean d of each article as one observation: items of an article resemble one another",
}


def stand_in_section(found: StandInReport, on: Medium = "both") -> Section:
    """Every test, then each person of those that could be tested, and who was left out."""
    names = {value: name for name, value in EXPERTISE.items()}
    named = f" ({names[found.epsilon]})" if found.epsilon in names else ""
    parts: list[Part] = [
        "The alternative annotator test (Calderon, Reichart and Dror 2025): each person in turn is left out, and on "
        "what another annotated too, judge and person are held against the others: by equal labels, or by minus the "
        "root mean square error of scores. A one-sided t-test asks whether the judge falls behind by less than "
        f"epsilon, {found.epsilon:g}{named}; Benjamini-Yekutieli at {found.rate:g} over the people; at least "
        f"{found.least} items a person.",
        "Of what reviewers saw of the judge first, the judge has the advantage that they were drawn to it: only labels "
        "marked blind, and ratings of tables, are independent of it.",
    ]
    if not found.tests:
        parts.append(Words(f"{UNDEFINED} {NO_CANDIDATE}."))
        return Section(TITLE, parts, on=on)
    parts += _tests(found.tests)
    parts += _people(found.tests)
    parts += [Words(each, indent=4) for each in _left_out(found.tests)]
    return Section(TITLE, parts, on=on)


def figures(found: StandInReport) -> Mapping[str, Mapping[str, Figure]]:
    """Return winning rate and advantage of every test in which a person could be tested, by its name."""
    return {
        _name(each): {
            f"{name} over {unit}": figure
            for unit, outcome in (("items", each.test.items), ("articles", each.test.articles))
            for name, figure in (("winning rate", outcome.winning_rate), ("advantage", outcome.advantage))
        }
        for each in found.tests
        if each.test and each.test.items.people
    }


def _name(test: StandIn) -> str:
    return f"{test.candidate}, {test.measure}: {test.label}"


def _tests(tests: Sequence[StandIn]) -> Iterator[Part]:
    for candidate in dict.fromkeys(each.candidate for each in tests):
        rows: list[Sequence[Value]] = []
        whys: list[str] = []
        for each in (test for test in tests if test.candidate == candidate):
            name = f"{each.measure}: {each.label}"
            if each.test is None:
                rows.append((name, "", *[UNDEFINED] * 5))
                whys.append(f"{UNDEFINED} {each.measure}: {each.why}")
                continue
            of_items, of_articles = each.test.items, each.test.articles
            rows.append(
                (
                    name,
                    of_items.winning_rate.n,
                    Shown(of_items.winning_rate, "z.2f", SHARE),
                    Shown(of_items.advantage, "z.2f", SHARE),
                    _passes(of_items),
                    Shown(of_articles.winning_rate, "z.2f", SHARE),
                    _passes(of_articles),
                )
            )
        yield Table(
            f"{TITLE[:-1]}: {candidate}",
            (
                Column("", candidate),
                *("people", Column("winning rate", "winning"), Column("advantage", "adv."), "passes"),
                *(Column("winning rate, articles", "articles"), Column("passes, articles", "passes")),
            ),
            rows,
            whys,
            _DEFINITIONS,
            named=True,
        )
        yield from undefined(value.figure for row in rows for value in row if isinstance(value, Shown))
        yield from (Words(why, "terminal", 4) for why in whys)


def _people(tests: Sequence[StandIn]) -> Iterator[Part]:
    rows: list[Sequence[Value]] = []
    for each in tests:
        if each.test is None:
            continue
        for own, clustered in zip(each.test.items.people, each.test.articles.people, strict=True):
            rows.append(
                (
                    Label(f"{own.person}, {_name(each)}", f"{own.person}, {each.measure}: {each.label}"),
                    own.n,
                    number(own.difference, "+z.3f"),
                    number(own.advantage),
                    probability(own.p),
                    "yes" if own.rejected else "no" if own.p is not None else UNDEFINED,
                    clustered.n,
                    probability(clustered.p),
                    "yes" if clustered.rejected else "no" if clustered.p is not None else UNDEFINED,
                )
            )
    if rows:
        header = ("person", "items", "d", Column("advantage", "adv."), "p", Column("rejected", "rej."))
        of_articles = ("articles", Column("p, articles", "p"), Column("rejected, articles", "rej."))
        on: Medium = "both" if len(rows) <= MOST_SHOWN else "page"
        yield Table(f"{TITLE[:-1]}: each person", (*header, *of_articles), rows, (), _DEFINITIONS, on=on, named=True)


def _left_out(tests: Sequence[StandIn]) -> Iterator[str]:
    """Name who could not be tested, once where the reason is the same for several tests."""
    found: dict[tuple[str, str], list[str]] = {}
    for each in tests:
        for person, why in (each.test.left_out if each.test else {}).items():
            found.setdefault((person, why), []).append(f"{each.measure}: {each.label}")
    for (person, why), of in found.items():
        yield f"Left out: {person}, of {', '.join(dict.fromkeys(of))}: {why}."


def _passes(outcome: Outcome) -> str:
    return UNDEFINED if outcome.passes is None else "yes" if outcome.passes else "no"
