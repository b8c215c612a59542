"""Audits of whole articles: the reviews that make one, the scores that people came to, and what is missing."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from judges.meta_eval.human_score import Rating, human_score
from storage.analysis.audit.audit import AuditedArticle
from storage.analysis.review_data import COMPLETE
from storage.log.events import readable
from storage.reviews.layers import is_adjudicated, is_again, split_layer

SCORED = ("scored", "instruction_failed")
"""The states of evaluations that have the judge's score; what is no translation at all has 0."""


@dataclass(frozen=True, slots=True)
class _Review:
    """A review of one evaluation by one layer. ``lacks``: why it is no score yet; ``first``: when it began."""

    total: float | None
    blind: bool
    lacks: str
    first: str


@dataclass(frozen=True, slots=True)
class _Whole:
    """An audit of a whole article by one person; ``first``: when anybody whose word it is began with it."""

    by: str
    scores: tuple[float, ...]
    first: str
    blind: bool


class AuditReviews:
    """Reviews that may count as audits. ``cells``: article → system → its evaluations.

    Where the same judge judged a translation again, what somebody came to by its earlier findings is their score of the
    translation until they have one by the later ones.
    """

    def __init__(self, connection: sqlite3.Connection, reviewer: str | None) -> None:
        self._of: defaultdict[str, dict[str, _Review]] = defaultdict(dict)
        began = self._began(connection)
        for (
            identity,
            layer,
            total,
            state,
            complete,
            search,
            blind,
            decided,
            errors,
            unsure,
            unmatched,
            translated,
        ) in connection.execute(_REVIEWS):
            if layer != reviewer if reviewer is not None else is_again(layer):
                continue
            lacking = (
                (state == "skipped", "skipped"),
                (blind == "started", "the judge's findings are still hidden"),
                (unmatched, "errors marked blind not matched"),
                (decided < errors, f"{errors - decided} of {errors} errors not decided"),
                (unsure, "unsure of some errors"),
                (state != "done", "in progress"),
                (translated is None, "instruction check not decided"),
                (translated and search != "done", "search for missed errors not done"),
                (not complete or total is None, "no score yet"),
            )
            why = next((why for lacks, why in lacking if lacks), "")
            self._of[identity][layer] = _Review(total, blind == "revealed", why, began[identity, split_layer(layer)[0]])
        for newer, earlier in connection.execute(_JUDGED_AGAIN):
            for layer, review in self._of.get(earlier, {}).items():
                if not review.lacks and (layer not in self._of[newer] or self._of[newer][layer].lacks):
                    self._of[newer][layer] = review
        self._mixes = reviewer is None

    def anything(self, cells: Sequence[Sequence[str]]) -> bool:
        """Return True if anybody said anything of these evaluations."""
        return any(self._of.get(each) for cell in cells for each in cell)

    def whole(self, article: str, cells: Sequence[Sequence[str]], drawn_at: str) -> AuditedArticle | None:
        """The audit of an article by those who audited it whole; None where nobody did.

        Where it was drawn, only those count who said nothing of it before, if there are any.
        """
        found = [self._by(cells, person) for person in self._who(cells)]
        whole = [each for each in found if each is not None]
        drawn = [each for each in whole if drawn_at and drawn_at < each.first]
        counted = drawn or whole
        if not counted:
            return None
        columns = zip(*(each.scores for each in counted), strict=True)
        return AuditedArticle(
            article,
            tuple(_mean((each.by, score) for each, score in zip(counted, column, strict=True)) for column in columns),
            tuple(dict.fromkeys(each.by for each in counted)),
            bool(drawn),
            all(each.blind for each in counted),
        )

    def missing(self, systems: Sequence[str], cells: Sequence[Sequence[str]]) -> tuple[str, ...]:
        """Return what is missing for a whole audit, by whoever lacks least."""

        def by(person: str | None) -> list[str]:
            lacks = [(system, self._lacks(cell, person)) for system, cell in zip(systems, cells, strict=True)]
            return [f"{system}: {why}" for system, why in lacks if why]

        best = min(self._who(cells), key=lambda person: len(by(person)))
        lacking = by(best)
        nothing = len(lacking) == len(systems) and all(each.endswith(": not reviewed") for each in lacking)
        return ("not begun",) if nothing else tuple(f"{best}, {each}" if best else each for each in lacking)

    def _by(self, cells: Sequence[Sequence[str]], person: str | None) -> _Whole | None:
        found = [self._cell(cell, person) for cell in cells]
        if not all(found):
            return None
        used = [review for cell in found for reviews in cell.values() for review in reviews]
        return _Whole(
            " + ".join(sorted({layer for cell in found for layer in cell})),
            tuple(_mean((by, r.total or 0.0) for by, reviews in cell.items() for r in reviews) for cell in found),
            min(review.first for review in used),
            all(review.blind for review in used),
        )

    def _who(self, cells: Sequence[Sequence[str]]) -> list[str | None]:
        """Return who said anything of an article, but adjudications; None alone where only these did, or nobody."""
        layers = {layer for cell in cells for each in cell for layer in self._of.get(each, ())}
        return [*sorted(layers - self._settling(layers))] or [None]

    def _settling(self, layers: Collection[str]) -> set[str]:
        """The adjudications among layers, which come before what reviewers say, unless one layer is asked for."""
        return {layer for layer in layers if self._mixes and is_adjudicated(layer)}

    def _cell(self, evaluations: Sequence[str], person: str | None) -> dict[str, list[_Review]]:
        """The reviews that a translation's score is the mean of, by layer: adjudicated ones, else this person's."""
        there = {layer for each in evaluations for layer in self._of.get(each, ())}
        for layers in (sorted(self._settling(there)), [person] if person else []):
            found = {
                layer: scores
                for layer in layers
                if (scores := [r for each in evaluations if (r := self._of.get(each, {}).get(layer)) and not r.lacks])
            }
            if found:
                return found
        return {}

    def _lacks(self, evaluations: Sequence[str], person: str | None) -> str:
        """Return what is missing for a score of a translation by this person; nothing where there is one."""
        if self._cell(evaluations, person):
            return ""
        reviews = [r for each in evaluations if person and (r := self._of.get(each, {}).get(person))]
        return reviews[0].lacks if reviews else "not reviewed"

    @staticmethod
    def _began(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
        """Return the time of each person's first event, by evaluation."""
        began: defaultdict[tuple[str, str], str] = defaultdict(str)
        for identity, layer, at in connection.execute(_BEGAN):
            key = identity, split_layer(layer)[0]
            began[key] = min(began[key], at) if key in began else at
        return began


def _mean(totals: Iterable[tuple[str, float]]) -> float:
    """The human score of a translation, of the totals of those who reviewed all of it."""
    return human_score(Rating(by, total) for by, total in totals) or 0.0


_REVIEWS = f"""
SELECT r.evaluation_id, r.reviewer, r.total, r.state, {COMPLETE}, r.search, r.blind, r.decided, e.errors, r.unsure,
  r.unconfirmed, CASE e.state WHEN 'scored' THEN r.instruction IS NOT 'overturn' ELSE r.instruction = 'overturn' END
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id WHERE e.state IN {SCORED} ORDER BY e.position, r.reviewer
"""
"""Reviews; the last column tells if the reviewer calls it a translation at all, for one that is none has no errors."""
_JUDGED_AGAIN = """
SELECT n.id, e.id FROM (SELECT DISTINCT evaluation_id FROM reviews) r JOIN evaluations e ON e.id = r.evaluation_id
JOIN evaluations n ON n.translation_id = e.translation_id AND n.sample = e.sample AND n.judge = e.judge
  AND n.position > e.position
  AND (SELECT asked FROM signatures WHERE id = n.signature_id)
    IS (SELECT asked FROM signatures WHERE id = e.signature_id)
ORDER BY e.position DESC
"""
"""Evaluations, and earlier ones of the same translation by the same judge, asked the same way, the latest first."""
_BEGAN = f"""
SELECT evaluation_id, reviewer, min(at) FROM events WHERE evaluation_id <> '' AND {readable("events")}
GROUP BY evaluation_id, reviewer
"""
