"""Scores of other metrics and of people: stored as they are given, and read back beside Metric-S and the reviewers."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from judges.consistency.documents import PARTS, Part
from judges.meta_eval.score_table import ScoreRow
from judges.metric_s.scoring import METRIC_S
from judges.ranking.repeated_judgements import FEWEST, Repeated
from storage.analysis.judge_scores import JudgedRows, read_judged
from storage.analysis.judge_votes import panels
from storage.analysis.judged_segments import NOTHING_READ, READ_NOTHING
from storage.analysis.rating_scales import GOLD, REVIEWS, Ratings, Scale, on_one_scale, scales_of
from storage.analysis.review_data import CHOSEN_BY_DOUBT, COMPLETE, NOT_BY_DOUBT, is_meant, metric_name
from storage.analysis.sample_scores import aggregated
from storage.analysis.table_scores import TableScore, counting_scores
from storage.analysis.vote_scores import together
from storage.base.errors import StorageError
from storage.base.identity import system_slug
from storage.record.library import read_signature
from storage.reviews.layers import is_adjudicated, layer_of
from storage.reviews.queue import words_clause

if TYPE_CHECKING:
    from storage.importing.import_report import FileReport

# Reading


@dataclass(frozen=True, slots=True)
class Metric:
    """Origin of a metric's scores: a judge's evaluations (``judge`` and ``signatures`` are set), or a table.

    ``signatures``: what decided the scores, the commonest first; empty where that is unknown. ``files``: the tables.
    ``repeated``: the samples that the scores are made of, where they are made of several.
    """

    judge: str | None = None
    signatures: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    repeated: Repeated | None = None


class Gold(NamedTuple):
    """Number of human ratings that are what reviewers left of a judge's errors; of tables where ``judge`` is None.

    ``blind``: the reviewer marked errors of their own before they saw the judge's.
    """

    judge: str | None
    blind: bool
    ratings: int


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Metrics and humans in one table. ``left_out``: reason → how many scores are not in it.

    ``scales``: of every rater and name; ``gold``: where the human scores come from. ``settled``: what adjudications
    came to; none is a human score beside those that it settles, each can only stand for itself (`only_rater`).
    ``apart``: ratings on other scales than those of the rows, each for itself; ``unchosen``: why none of them is among
    the rows, where it is not for us to choose; ``taken``: the name of those that are, where there are others.
    """

    rows: tuple[ScoreRow, ...]
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    scales: tuple[Scale, ...] = ()
    gold: tuple[Gold, ...] = ()
    settled: tuple[ScoreRow, ...] = ()
    apart: tuple[Ratings, ...] = ()
    unchosen: str = ""
    taken: str = ""

    @property
    def raters(self) -> tuple[str, ...]:
        """Names of those who gave human scores."""
        return tuple(sorted({row.metric for row in self.rows if row.human}))

    @property
    def adjudicators(self) -> tuple[str, ...]:
        """The layers that settled anything, by name."""
        return tuple(sorted({row.metric for row in self.settled}))

    def only_rater(self, name: str) -> ScoreTable:
        """Return the same with the ratings of one of them, or what one adjudication came to."""
        rows = (*self.rows, *self.settled)
        return replace(self, rows=tuple(row for row in rows if not row.human or row.metric == name), settled=())

    def by(self, ratings: Ratings) -> ScoreTable:
        """Return the same with ratings that stand apart as its human scores."""
        return replace(self, rows=(*(row for row in self.rows if not row.human), *ratings.rows))


def read_scores(
    connection: sqlite3.Connection,
    words: str = "",
    reviewer: str | None = None,
    judges: Collection[str] = (),
    part: Part = "total",
) -> ScoreTable:
    """Read Metric-S by every judge and signature, by their votes and by their samples together, the reviewers' scores,
    and the imported tables.

    ``words``: only scores in whose article, system, direction, domain, and judge (and state) or metric and rater every
    word occurs. ``reviewer``: only their ratings, or those of this name, are human scores. ``judges``: only metrics of
    these names, or of these judges. ``part``: a dimension's points instead of the total; tables have no dimensions, so
    they are absent then.

    A reviewer's score counts once the review is complete (`storage.analysis.review_data.COMPLETE`), of evaluations that
    were not chosen by doubt, under the weights of the whole Metric-S; that of a further layer only where it is the
    ``reviewer``.
    Samples of a judge are several rows of one metric. Human scores are on one scale: the reviews', else that of the
    tables if there is but one, else what a test set of mt-metrics-eval is rated by in the first place. All others stand
    apart, for a mean of several scales would be nobody's score.
    """
    return ScoreReader(connection, words, reviewer, judges).table(part)


class ScoreReader:
    """Reader of the scores of one selection, as `read_scores` has them: once, whichever parts are asked for."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        words: str = "",
        reviewer: str | None = None,
        judges: Collection[str] = (),
    ) -> None:
        self._connection, self._words, self._reviewer, self._judges = connection, words, reviewer, judges
        self._tables: dict[Part, ScoreTable] = {}

    def table(self, part: Part = "total") -> ScoreTable:
        """Return the scores of a part."""
        if part not in self._tables:
            self._tables[part] = self._made(part)
        return self._tables[part]

    def _made(self, part: Part) -> ScoreTable:
        judged = _judged(self._groups, self._keys, self._judges, part)
        reviewed = _reviewed(self._reviews, self._reviewer, part)
        tables = _OfTables()
        if part == "total":
            metrics = frozenset(judged.metrics)
            tables = _tables(self._connection, self._words, self._reviewer, self._judges, metrics)
        return _together(judged, reviewed, tables)

    @cached_property
    def _keys(self) -> dict[str, str]:
        return dict(self._connection.execute("SELECT id, key FROM articles"))

    @cached_property
    def _groups(self) -> list[JudgedRows]:
        """Judges, each by itself, then those that vote together, then the samples of one together."""
        groups = read_judged(self._connection, self._words, human=False)
        voting = [panel for panel in panels(self._connection, groups) if len(panel.names) > 1]
        repeated = [aggregated(group) for group in groups if group.samples >= FEWEST]
        return [*groups, *(together(self._connection, panel) for panel in voting), *repeated]

    @cached_property
    def _reviews(self) -> list[_Review]:
        matching, values = words_clause(self._words)
        weights = cache(lambda signature: read_signature(self._connection, signature)[1])
        asked = self._reviewer, self._reviewer, *values
        rows = self._connection.execute(_reviews_sql(matching), asked)
        return [_Review._make((*row[:5], weights(row[5]) == METRIC_S, *row[6:11], row[11:])) for row in rows]


def _together(judged: ScoreTable, reviewed: ScoreTable, tables: _OfTables) -> ScoreTable:
    by_name = on_one_scale(tables.rated, tables.of_test_sets)
    chosen = _chosen(by_name, bool(reviewed.rows), tables.of_test_sets)
    apart = tuple(each for each in by_name if each not in chosen)
    human = tuple(row for each in chosen for row in each.rows)
    aside = {scale for each in apart for scale in each.scales}
    of_tables = (replace(scale, aside=scale in aside) for scale in scales_of(tables.rated))
    return ScoreTable(
        rows=(*judged.rows, *reviewed.rows, *tables.rows, *human),
        metrics={**judged.metrics, **tables.metrics},
        left_out={**judged.left_out, **reviewed.left_out, **tables.left_out},
        scales=(*reviewed.scales, *of_tables),
        gold=(*reviewed.gold, *([Gold(None, False, len(human))] if human else ())),
        settled=reviewed.settled,
        apart=apart,
        unchosen=_unchosen(apart) if apart and not chosen and not reviewed.rows else "",
        taken=("reviews" if reviewed.rows else ", ".join(each.label for each in chosen)) if apart else "",
    )


def _chosen(by_name: Sequence[Ratings], reviewed: bool, of_test_sets: Collection[tuple[str, str]]) -> list[Ratings]:
    """Return the ratings that the human scores are of, beside the reviews if there are any: none where one must ask."""
    if reviewed:
        return [each for each in by_name if each.order == REVIEWS]
    if len(by_name) == 1:
        return list(by_name)
    gold = [
        each
        for each in by_name
        if all(scale.scheme == GOLD and (scale.name, scale.rater) in of_test_sets for scale in each.scales)
    ]
    return gold if len(gold) == 1 else []


def _unchosen(apart: Sequence[Ratings]) -> str:
    names = ", ".join(each.asks[0] if each.asks else each.label for each in apart)
    return f"ratings are on several scales ({names}), of which no mean can be made; --reviewer NAME takes one"


def read_score_files(
    paths: Sequence[Path], words: str = "", reviewer: str | None = None, judges: Collection[str] = ()
) -> tuple[ScoreTable, list[FileReport]]:
    """Read tables as `read_scores` would, were they imported into an empty library, and what became of their rows."""
    from sqlite_utils import Database

    from storage.db import schema
    from storage.importing.pipeline import SCORES, import_path

    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        schema.migrate(Database(connection))
        reports = [import_path(connection, path, format=SCORES) for path in paths]
        if any(report.stored for report in reports):
            require_names(connection, reviewer, judges)
        return read_scores(connection, words, reviewer, judges), reports


def require_names(connection: sqlite3.Connection, reviewer: str | None, judges: Collection[str]) -> None:
    """Raise StorageError where nobody rated under the name, or a judge or metric is not there: it says who is."""
    raters = {name for (name,) in connection.execute("SELECT DISTINCT reviewer FROM reviews")}
    metrics: dict[str, str] = {}
    for (judge,) in connection.execute("SELECT DISTINCT judge FROM evaluations"):
        metrics |= {judge.casefold(): judge, metric_name(judge).casefold(): judge}
    for metric, human, rater in connection.execute("SELECT DISTINCT metric, human, rater FROM scores"):
        if human:
            raters |= {metric, rater or metric}
        else:
            metrics |= {metric.casefold(): metric, f"{metric} (imported)".casefold(): metric}
    if reviewer is not None and reviewer not in raters:
        raise StorageError(f"nobody called {reviewer} has rated anything; there is {_named(raters)}")
    for name in judges:
        if re.sub(r" \[\d+\]$", "", name).casefold() not in metrics:
            raise StorageError(f"there is no judge or metric called {name}; there is {_named(metrics.values())}")


def _named(names: Iterable[str]) -> str:
    shown = sorted(set(names))
    return ", ".join(shown[:_NAMES_SHOWN]) + (" …" if len(shown) > _NAMES_SHOWN else "") or "nobody yet"


_NAMES_SHOWN = 20


@dataclass(slots=True)
class _OfTables:
    """The scores of tables: metrics' as rows, people's by name and rater; those that came with test sets."""

    rows: list[ScoreRow] = field(default_factory=list)
    metrics: dict[str, Metric] = field(default_factory=dict)
    rated: dict[tuple[str, str], list[ScoreRow]] = field(default_factory=dict)
    of_test_sets: set[tuple[str, str]] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)


def _judged(groups: Iterable[JudgedRows], keys: Mapping[str, str], wanted: Collection[str], part: Part) -> ScoreTable:
    rows: list[ScoreRow] = []
    metrics: dict[str, Metric] = {}
    left_out: Counter[str] = Counter()
    at = PARTS.index(part)
    for group in groups:
        first = label = metric_name(group.judge)
        while label in metrics:  # the same judge, asked otherwise
            label = f"{first} [{len(metrics) + 1}]"
        if wanted and not is_meant(wanted, group.judge, label):
            continue
        if part != "total" and part not in group.weights.judged:
            left_out[f"of judges that were not asked about {part}"] += len(group.rows)
            continue
        metrics[label] = Metric(group.judge, group.signatures, repeated=group.repeated)
        for row in group.rows:
            score = None if row.points is None else row.points[at]
            if score is None and not group.members:
                left_out[_WHY_NO_SCORE.get(row.state, row.state)] += 1
            elif score is not None:
                rows.append(
                    ScoreRow(
                        metric=label,
                        system=row.system,
                        article=keys[row.article],
                        direction=row.direction,
                        score=score,
                        human=False,
                        domain=row.domain,
                    )
                )
    return ScoreTable(tuple(rows), metrics, left_out)


_WHY_NO_SCORE = {
    "judge_failed": "judge failed: no score is claimed",
    "no_translation": "no translation",
    "not_judged": READ_NOTHING,
}


OTHER_WEIGHTS = "of reviews of a judge under other weights than Metric-S's"
UNFINISHED = "of reviews that are not complete"
OF_NOTHING = "of reviews of evaluations of which the judge read nothing"
SETTLED = "of adjudications, each of which stands for itself"


class _Review(NamedTuple):
    """A review, and what decides if its points are a score; these are of the parts in their order."""

    reviewer: str
    system: str
    article: str
    direction: str
    domain: str
    of_metric_s: bool
    judge: str
    blind: str | None
    at_random: int
    complete: int
    unread: int
    points: tuple[float, ...]


def _reviewed(reviews: Iterable[_Review], reviewer: str | None, part: Part) -> ScoreTable:
    at = PARTS.index(part)
    rows: list[ScoreRow] = []
    settled: list[ScoreRow] = []
    gold: Counter[tuple[str, bool]] = Counter()
    left_out: Counter[str] = Counter()
    for each in reviews:
        if not each.of_metric_s:
            left_out[OTHER_WEIGHTS] += 1
            continue
        if each.unread:
            left_out[OF_NOTHING] += 1
            continue
        if not each.complete:
            left_out[UNFINISHED] += 1
            continue
        if not each.at_random:
            left_out[f"reviewers' scores {CHOSEN_BY_DOUBT}"] += 1
            continue
        row = ScoreRow(
            metric=each.reviewer,
            system=each.system,
            article=each.article,
            direction=each.direction,
            score=each.points[at],
            human=True,
            domain=each.domain,
        )
        if reviewer is None and is_adjudicated(each.reviewer):
            settled.append(row)
            left_out[SETTLED] += 1
        else:
            rows.append(row)
            gold[each.judge, bool(each.blind)] += 1
    rated: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in rows:
        rated.setdefault(("", row.metric), []).append(row)
    from_reviews = tuple(Gold(judge, blind, n) for (judge, blind), n in sorted(gold.items()))
    return ScoreTable(
        rows=tuple(rows),
        metrics={},
        left_out=left_out,
        scales=scales_of(rated),
        gold=from_reviews,
        settled=tuple(settled),
    )


def _tables(
    connection: sqlite3.Connection, words: str, reviewer: str | None, wanted: Collection[str], taken: Collection[str]
) -> _OfTables:
    matching, values = words_clause(words, _TABLE_WORDS)
    held = counting_scores(connection, matching, values)
    singly = {_rated(each) for each in held if each.human and each.rater} if reviewer is None else set()
    spelt = {system_slug(name): name for (name,) in connection.execute("SELECT DISTINCT system FROM translations")}
    names: dict[str, str] = {}
    files = dict(connection.execute("SELECT id, file FROM imports"))
    found = _OfTables()
    for each in held:
        if each.human and not each.rater and _rated(each) in singly:
            found.left_out[_MEANS] += 1
            continue
        label = f"{each.name} (imported)" if not each.human and each.name in taken else each.name
        if each.human:
            if reviewer is not None and reviewer not in (each.rater, each.metric):
                continue
            if each.format == _TEST_SET:
                found.of_test_sets.add((each.metric, label))
        elif wanted and not is_meant(wanted, label):
            continue
        elif files[each.source] not in found.metrics.setdefault(label, Metric()).files:
            found.metrics[label] = replace(
                found.metrics[label], files=(*found.metrics[label].files, files[each.source])
            )
        system = names.get(each.system) or names.setdefault(
            each.system, spelt.get(system_slug(each.system), each.system)
        )
        row = ScoreRow(
            metric=label,
            system=system,
            article=each.article,
            direction=each.direction,
            score=each.score,
            human=each.human,
            domain=each.domain,
            rated_as=each.metric if each.human else "",
            segments=each.segments,
        )
        (found.rated.setdefault((each.metric, label), []) if each.human else found.rows).append(row)
    return found


_MEANS = "of people together, whose ratings the same import holds one by one: counted once"
_TEST_SET = "mt-metrics-eval"


def _rated(row: TableScore) -> tuple[object, ...]:
    """Return what a rating is of, and the import that it came by: one of “mqm.merged” is one of “mqm”."""
    return row.source, row.metric.casefold().partition(".")[0], row.system, row.article, row.direction


def _reviews_sql(matching: str) -> str:
    return f"""
SELECT r.reviewer, e.system, e.article, e.direction, e.domain, e.signature_id, e.judge, r.blind, {NOT_BY_DOUBT},
  {COMPLETE}, {NOTHING_READ}, r.total, r.accuracy, r.fluency, r.appropriateness
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE e.state = 'scored' AND r.state IN ('in_progress', 'done')
  AND (r.reviewer = ? OR ? IS NULL AND r.reviewer NOT GLOB '{layer_of("?*", "again")}') AND {matching}
ORDER BY e.position, r.reviewer
"""


_TABLE_WORDS = (
    "(s.article || ' ' || s.system || ' ' || s.direction || ' ' || s.domain || ' ' || s.metric || ' ' || s.rater)"
)
