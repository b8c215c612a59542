"""Quality of a benchmark as a test: sections of a report, text, JSON and CSV; nothing is computed here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from discox_tui.reports.ranking.leaderboard import signatures_of
from discox_tui.reports.render.csv import csv_text
from discox_tui.reports.render.json import flat, plain
from discox_tui.reports.render.layout import CONFIDENT, UNDEFINED, intervals_in_words, number, probability
from discox_tui.reports.render.model import (
    COEFFICIENT,
    SHARE,
    Heading,
    Part,
    Report,
    Section,
    Shown,
    Table,
    Value,
    Words,
    nothing,
    of_estimate,
    sentence,
)
from discox_tui.text.counts import counted
from judges.benchmark.quality.item_discrimination import ALPHA, VERDICTS, Verdict
from judges.benchmark.quality.ranking_stability import DRAWS, NOT_REACHED, TAU
from judges.stats.resampling import CONFIDENCE

if TYPE_CHECKING:
    from judges.benchmark.quality.item_discrimination import ArticleTest, PointTest
    from storage.analysis.benchmark_quality import BenchmarkTest

NAMES: dict[Verdict, tuple[str, str]] = {
    "tells_apart": ("tell systems apart", "systems that are better elsewhere are better here"),
    "against": ("go against the rest", "systems that are better elsewhere are worse here"),
    "not_shown": ("show neither", "chance may have done it, or the systems are too few to tell"),
    "saturated": ("saturated", "all systems are at full marks, or none fails the point"),
    "failed_by_all": ("failed by all", "all systems are at 0, or all fail the point"),
    "alike": ("the same for all", "all systems have one score between"),
    "undefined": ("undefined", "fewer than three systems, or nothing to compare with"),
}
"""Headings for what an article or point does, and what each means."""
LISTED: tuple[Verdict, ...] = ("against", "saturated", "failed_by_all", "alike", "tells_apart")
"""Verdicts listed one by one for people, what is to be mended first; JSON and CSV have everything."""
SHOWN = 20
"""Rows that people are shown of a list."""
SIZES_SHOWN = 12
NOTHING = "Nothing is judged: there is no evaluation, or none with these words."

_ARTICLE_HEADS = ("article", "n", "mean", "spread", "p", "r", "p of r")
_POINT_HEADS = ("point", "n", "failed", "r", "p of r")
_DEFINITIONS = {
    "n": "systems with a score on the article, or a verdict on the point",
    "mean": "of these systems on the article; no others are meant, so there is no interval",
    "spread": "standard deviation between systems, in points. Interval: χ². Its p: the share of articles on which "
    "scores scatter as widely around what the systems' scores elsewhere let expect",
    "r": "correlation over systems with how they do on all other articles (the article itself is left out); above 0: "
    "better systems do better here. Of a point: of meeting it (point-biserial). Interval: Fisher's z",
    "p of r": "two-sided, of permuting the systems; all orders where they are few enough. p are not adjusted",
}


def examined_report(tests: Sequence[BenchmarkTest], facts: Mapping[str, str]) -> Report:
    """Return the report on what each judge's scores say. ``facts``: how it was made."""
    if not tests:
        return Report("Is it a good test?", facts, [nothing(NOTHING)], [NOTHING])
    return Report("Is it a good test?", facts, [_section(test) for test in tests])


def _section(test: BenchmarkTest) -> Section:
    parts: list[Part] = [Words(f"Signature: {each}", wrap=False) for each in signatures_of(test.of)]
    parts += [" ".join(basis_of(test)), " ".join(summary_of(test))]
    tables = [_ranking(test), *_neighbours(test), *_curve(test), _verdicts(test)]
    for verdict in LISTED:
        tables += [*_articles(test, verdict), *_points(test, verdict)]
    for table in tables:
        notes = [sentence(f"{name}: {said}") for name, said in table.definitions.items()]
        parts += [Heading(table.title.upper()), table]
        parts += [Words(note, "terminal") for note in (*table.on_page().remarks(), *notes)]
    return Section(f"By {test.of.judge}", parts)


def basis_of(test: BenchmarkTest) -> list[str]:
    """Return what the figures rest on, and what is left out."""
    of = test.examined
    places = len(of.systems) * len(of.articles)
    found = [
        f"{of.cells:,} scores of 0-{test.maximum}: {counted(len(of.systems), 'system')}, "
        f"{counted(len(of.articles), 'article')}, {counted(len(of.points), 'rubric point')}."
    ]
    if of.missing:
        reasons = ", ".join(f"{why} {n:,}" for why, n in of.missing.items())
        found.append(f"Left out: {places - of.cells:,} of {places:,} translations ({reasons}).")
        found.append(f"All systems have a score on {counted(of.complete, 'article')}; else means do not compare.")
    if of.unscored_systems:
        found.append(f"Without any score, so in no figure: {_named(of.unscored_systems)}.")
    if of.unscored_articles:
        found.append(f"Articles without any score, so in no figure: {_named(of.unscored_articles)}.")
    if test.of.samples > 1:
        found.append(f"{test.of.samples} samples of each judge, averaged within article and system first.")
    if test.of.superseded or test.of.passed_over:
        found.append(f"Not counted: {test.of.superseded + test.of.passed_over:,} of which there is a newer one.")
    if test.by_people is not None:
        found.append(f"People's scores and verdicts in place of the judge's: {test.by_people:,} translations.")
    found.append(f"Intervals: {intervals_in_words(of.resamples, of.seed)} As many draws and permutations.")
    return found


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")


def summary_of(test: BenchmarkTest) -> list[str]:
    """The ranking's two figures in words."""
    ranking, n = test.examined.ranking, len(test.examined.articles)
    tau, enough = Shown(ranking.tau, "z.2f"), ranking.enough
    if ranking.tau.value is None:
        return [sentence(f"How the ranking holds is undefined: {ranking.tau.why}")]
    caution = f" ({ranking.tau.interval.caution})" if ranking.tau.interval and ranking.tau.interval.caution else ""
    said = [
        f"Kendall's tau of resamples of the {counted(n, 'article')} with the full ranking: {tau.value}, "
        f"{CONFIDENT} {tau.ends or UNDEFINED}{caution}."
    ]
    wanted = f"so that in {DRAWS:.0%} of the draws of so many tau is at least {TAU:g}".replace("%", " %")
    if enough.value is None:
        why = enough.why if enough.why == NOT_REACHED else f"undefined, {enough.why}"
        return [*said, sentence(f"How many articles would do, {wanted}: {why} ({n:,})")]
    said.append(f"{enough.value:,.0f} of the {counted(n, 'article')} would do, {wanted}.")
    if enough.value > n / 2:
        said.append(
            "That is more than half: the draws are nearly the same articles, so new ones would have to be more."
        )
    return said


# Tables


def _ranking(test: BenchmarkTest) -> Table:
    rows: list[Sequence[Value]] = [
        (
            place.system,
            place.rank,
            UNDEFINED if place.ranks is None else "-".join(map(str, dict.fromkeys(place.ranks))),
            place.mean.n,
            Shown(of_estimate(place.mean), "z.2f", (0.0, float(test.maximum))),
        )
        for place in test.examined.ranking.places
    ]
    ranks = f"the {CONFIDENT} interval of the rank over resamples of the articles, rounded outwards"
    return Table("Ranking", ("system", "rank", "ranks", "n", "mean"), rows, (), {"n": "articles", "ranks": ranks})


def _neighbours(test: BenchmarkTest) -> Iterator[Table]:
    rows: list[Sequence[Value]] = [
        (f"{each.upper} > {each.lower}", each.holds.n, Shown(each.holds, "z.3f", SHARE), number(each.tied, "z.3f"))
        for each in test.examined.ranking.neighbours
    ]
    if rows:
        holds = "share of the resamples of the articles that both have (n) in which the upper system is above"
        yield Table("Neighbours", ("order", "n", "holds", "tied"), rows, (), {"holds": holds})


def _curve(test: BenchmarkTest) -> Iterator[Table]:
    curve = test.examined.ranking.curve
    if not curve:
        return
    chosen = sorted({*range(0, len(curve), ceil(len(curve) / SIZES_SHOWN)), len(curve) - 1})
    rows: list[Sequence[Value]] = [
        (
            counted(curve[i].n, "article"),
            Shown(curve[i].tau, "z.2f", COEFFICIENT),
            curve[i].reached.n,
            Shown(curve[i].reached, "z.3f", SHARE),
        )
        for i in chosen
    ]
    definitions = {
        "tau": f"Kendall's tau-b with the full ranking, mean of the draws and {CONFIDENT} of them",
        f"≥ {TAU:g}": "share of the draws with such a tau; n: draws",
    }
    few = len(test.examined.systems)
    notes = (
        [f"Of {few} systems only the very same order has a tau of {TAU:g}."]
        if (few * (few - 1) // 2 - 2) / (few * (few - 1) // 2) < TAU
        else []
    )
    yield Table("Fewer articles", ("drawn", "tau", "n", f"≥ {TAU:g}"), rows, notes, definitions)


def _verdicts(test: BenchmarkTest) -> Table:
    articles, points = (_counted(items) for items in (test.examined.articles, test.examined.points))
    rows = [(NAMES[verdict][0], articles[verdict], points[verdict]) for verdict in VERDICTS]
    notes = []
    for counts, noun in ((articles, "article"), (points, "point")):
        tried = counts["tells_apart"] + counts["against"] + counts["not_shown"]
        if tried:
            notes.append(
                f"p was computed of {counted(tried, noun)}: by chance alone, some {tried * ALPHA:.1f} at most would be "
                "in the first two rows."
            )
    if not test.examined.points:
        notes.append("The judge says nothing of rubric points.")
    definitions = {NAMES[verdict][0]: NAMES[verdict][1] for verdict in VERDICTS if articles[verdict] or points[verdict]}
    return Table("Articles and points", ("", "articles", "points"), rows, notes, definitions | _DEFINITIONS)


def _counted(items: Iterable[ArticleTest | PointTest]) -> Counter[Verdict]:
    return Counter(item.verdict for item in items)


def _articles(test: BenchmarkTest, verdict: Verdict) -> Iterator[Table]:
    chosen = [each for each in test.examined.articles if each.verdict == verdict]
    chosen.sort(key=lambda each: (-abs(each.relation.r.value or 0), each.article))
    rows: list[Sequence[Value]] = [
        (
            each.article,
            each.n,
            number(each.mean, "z.1f"),
            Shown(each.spread, "z.0f"),
            probability(each.spread_p),
            Shown(each.relation.r, "z.2f", COEFFICIENT),
            probability(each.relation.p),
        )
        for each in chosen[:SHOWN]
    ]
    if rows:
        yield Table(f"Articles: {NAMES[verdict][0]} ({len(chosen):,})", _ARTICLE_HEADS, rows, _more(len(chosen)))


def _points(test: BenchmarkTest, verdict: Verdict) -> Iterator[Table]:
    chosen = [each for each in test.examined.points if each.verdict == verdict]
    chosen.sort(key=lambda each: (-abs(each.relation.r.value or 0), each.article, each.number))
    rows: list[Sequence[Value]] = [
        (
            f"{each.article} {each.number}",
            each.failed.n,
            Shown(each.failed, "z.2f", SHARE),
            Shown(each.relation.r, "z.2f", COEFFICIENT),
            probability(each.relation.p),
        )
        for each in chosen[:SHOWN]
    ]
    if rows:
        yield Table(f"Points: {NAMES[verdict][0]} ({len(chosen):,})", _POINT_HEADS, rows, _more(len(chosen)))


def _more(n: int) -> list[str]:
    return [f"… and {n - SHOWN:,} more; --json and --csv have them all"] if n > SHOWN else []


# JSON


def as_json(tests: Sequence[BenchmarkTest]) -> dict[str, Any]:
    """Return everything as what `json.dumps` takes, without NaN; null where undefined, and ``why`` says so."""
    made: dict[str, Any] = plain({"tests": [_plain(test) for test in tests]}, flat)
    return made


def _plain(test: BenchmarkTest) -> dict[str, Any]:
    of, rows = test.examined, test.of
    return {
        "judge": rows.judge,
        "signatures": rows.signatures,
        "maximum": test.maximum,
        "samples": rows.samples,
        "superseded": rows.superseded,
        "passed_over": rows.passed_over,
        "by_people": test.by_people,
        "systems": of.systems,
        "unscored_systems": of.unscored_systems,
        "unscored_articles": of.unscored_articles,
        "scores": of.cells,
        "missing": of.missing,
        "complete_articles": of.complete,
        "resamples": of.resamples,
        "seed": of.seed,
        "confidence": CONFIDENCE,
        "ranking": [
            {
                "system": place.system,
                "rank": place.rank,
                "rank_low": place.ranks and place.ranks[0],
                "rank_high": place.ranks and place.ranks[1],
                "mean": place.mean,
            }
            for place in of.ranking.places
        ],
        "neighbours": of.ranking.neighbours,
        "tau": of.ranking.tau,
        "enough_articles": of.ranking.enough,
        "curve": of.ranking.curve,
        "articles": [
            _fields(each, "article", "n", "verdict", "lowest", "mean", "highest", "spread", "spread_p")
            | _fields(each.relation, "r", "p", "exact")
            for each in of.articles
        ],
        "points": [
            {"article": each.article, "point": each.number}
            | _fields(each, "verdict", "failed", "unknown")
            | _fields(each.relation, "r", "p", "exact")
            for each in of.points
        ],
    }


def _fields(of: object, *names: str) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}


# CSV


def as_csv(tests: Sequence[BenchmarkTest]) -> str:
    """Return one row for each system, pair of neighbours, number of articles, article and point; ``row`` says which.

    ``value`` is the figure of the row: a mean, the share that holds, the mean tau, the spread, the share that fails.
    """
    return csv_text(_CSV_COLUMNS, (row for test in tests for row in _csv_rows(test)))


_CSV_COLUMNS = (
    *("judge", "signature", "row", "system", "next", "article", "point", "n", "value", "low", "high", "why", "rank"),
    *("rank_low", "rank_high", "tied", "reached", "verdict", "mean", "lowest", "highest", "spread_p", "unknown"),
    *("r", "r_n", "r_low", "r_high", "p", "exact", "seed", "resamples"),
)


def _csv_rows(test: BenchmarkTest) -> Iterator[dict[str, object]]:
    of = test.examined
    every = {
        "judge": test.of.judge,
        "signature": " + ".join(signatures_of(test.of)),
        **_fields(of, "seed", "resamples"),
    }
    yield from (every | row for row in _csv_parts(test))


def _csv_parts(test: BenchmarkTest) -> Iterator[dict[str, object]]:
    of, ranking = test.examined, test.examined.ranking
    for place in ranking.places:
        low, high = place.ranks or (None, None)
        mean = flat(of_estimate(place.mean)) | {"why": place.mean.why}
        yield {"row": "system", "system": place.system, "rank": place.rank, "rank_low": low, "rank_high": high, **mean}
    for pair in ranking.neighbours:
        yield {"row": "neighbours", "system": pair.upper, "next": pair.lower, "tied": pair.tied, **flat(pair.holds)}
    yield {"row": "tau", **flat(ranking.tau)}
    yield {"row": "enough", **flat(ranking.enough)}
    for size in ranking.curve:
        yield {"row": "size", **flat(size.tau), "n": size.n, "reached": size.reached.value}
    for article in of.articles:
        shown = _fields(article, "article", "verdict", "mean", "lowest", "highest", "spread_p")
        yield {"row": "article", **flat(article.spread), **shown, **_csv_relation(article)}
    for point in of.points:
        shown = {"article": point.article, "point": point.number, **_fields(point, "verdict", "unknown")}
        yield {"row": "point", **flat(point.failed), **shown, **_csv_relation(point)}


def _csv_relation(of: ArticleTest | PointTest) -> dict[str, object]:
    r = flat(of.relation.r)
    found = {f"r_{name}" if name != "value" else "r": part for name, part in r.items() if name != "why"}
    exact = {} if of.relation.p is None else {"exact": int(of.relation.exact)}
    return {**found, "p": of.relation.p, **exact, "why": r.get("why", "")}
