"""Votes of the judges, or samples, of a translation for each of its errors, read out of the library."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from judges.metric_s.scoring import Weights
from judges.model import SHOWN, EvaluationState, Place
from judges.ranking.judge_votes import LocatedFinding, group_findings
from judges.ranking.ranking import JudgedTranslation
from storage.analysis.judge_scores import JudgedRows, read_judged
from storage.analysis.judged_segments import JudgedSegments
from storage.record.groundings import read_grounded

VOTING: tuple[EvaluationState, ...] = ("scored", "instruction_failed")
"""Evaluations that have a vote. A failed instruction check is a vote for no error, and for no points."""
_CHUNK = 64
"""Translations that are matched at once, so that not all findings are in memory."""


class Vote(NamedTuple):
    """Votes for an error, of so many judges of the translation: those that read the segment that it is in."""

    votes: int
    judges: int

    @property
    def share(self) -> float:
        """The vote share, above 0, up to 1."""
        return self.votes / self.judges


@dataclass(frozen=True)
class Panel:
    """Judges whose findings the same weights make scores of, so that they can vote together.

    ``members``: their rows; ``called``: the judges, each with its number of samples where there are several;
    ``names``: each judge and sample, in words. ``ballots``: translation → who judged it, by the index of the name, and
    the row.
    """

    members: tuple[JudgedRows, ...]
    called: str
    names: tuple[str, ...]
    ballots: Mapping[str, tuple[tuple[int, JudgedTranslation], ...]]

    @property
    def weights(self) -> Weights:
        """Weights that make scores of their findings."""
        return self.members[0].weights


class Matched(NamedTuple):
    """The errors that a panel found. ``votes``: finding → its votes; ``errors``: of each error, its votes.

    ``unplaced``: findings whose place is not known. ``unlocated``: translations that are left out of all this, as
    nobody has looked yet where some of their findings are.
    """

    votes: dict[str, Vote]
    errors: Counter[Vote]
    unplaced: int
    unlocated: int


def panels(connection: sqlite3.Connection, groups: Sequence[JudgedRows]) -> list[Panel]:
    """Put judges together that can vote together; a judge that is alone is a panel of one.

    An evaluation has a vote if it counts (`read_judged`) and its judge read what is translated, whether it found
    anything or not; a failed instruction check is such a vote too. A judge without any vote is in
    the panel, but none of its voters. Judges whose errors were proved vote among themselves, as they found nothing that
    the same judge did not find before.
    """
    translation_of = dict(connection.execute("SELECT id, translation_id FROM evaluations"))
    alike: defaultdict[tuple[str, bool], list[JudgedRows]] = defaultdict(list)
    for group in groups:
        alike[group.weights.text, "|proved:" in (group.signature or "")].append(group)
    found = []
    for members in alike.values():
        voting = [(i, row.sample) for i, of in enumerate(members) for row in of.rows if row.state in VOTING]
        voters = sorted(set(voting) or {(i, row.sample) for i, of in enumerate(members) for row in of.rows})
        number = {voter: n for n, voter in enumerate(voters)}
        ballots: defaultdict[str, list[tuple[int, JudgedTranslation]]] = defaultdict(list)
        for i, group in enumerate(members):
            for row in group.rows:
                if row.state in VOTING:
                    ballots[translation_of[row.evaluation]].append((number[i, row.sample], row))
        judges = _names(members)
        samples = Counter(i for i, _ in voters)
        called = (f"{judges[i]}{f' ×{n}' if n > 1 else ''}" for i, n in samples.items())
        names = tuple(f"{judges[i]}{f', sample {sample}' if sample > 1 else ''}" for i, sample in voters)
        by_translation = {each: tuple(of) for each, of in ballots.items()}
        found.append(Panel(tuple(members), " + ".join(called), names, by_translation))
    return found


def _names(members: Sequence[JudgedRows]) -> list[str]:
    """The judges' names; of one that was asked in several ways, numbered from the second on."""
    asked: Counter[str] = Counter()
    names = []
    for member in members:
        asked[member.judge] += 1
        names.append(member.judge if asked[member.judge] == 1 else f"{member.judge} [{asked[member.judge]}]")
    return names


def match_panel(connection: sqlite3.Connection, panel: Panel) -> Matched:
    """Match what a panel found, translation by translation, once all of its findings are located."""
    votes: dict[str, Vote] = {}
    errors: Counter[Vote] = Counter()
    shared: dict[tuple[int, int], Vote] = {}
    unplaced = unlocated = 0
    located = {row[0] for row in connection.execute("SELECT DISTINCT evaluation_id FROM groundings")}
    ballots = list(panel.ballots.values())
    for start in range(0, len(ballots), _CHUNK):
        chunk = ballots[start : start + _CHUNK]
        found = _findings(connection, (row.evaluation for of in chunk for _, row in of))
        read = JudgedSegments(connection, (row.evaluation for of in chunk for _, row in of))
        for of in chunk:
            lists = [found.get(row.evaluation, []) for _, row in of]
            if any(row.evaluation in found and row.evaluation not in located for _, row in of):
                unlocated += 1
                continue
            voters = [row.evaluation for _, row in of]
            for group in group_findings([[finding for *_, finding in each] for each in lists]):
                members = [(voters[judge], *lists[judge][place][1:]) for judge, place in group]
                segments = (read.segment_of(voters, (by, number, of.places)) for by, number, of in members)
                segment = next((each for each in segments if each is not None), None)
                number = len(group), max(len(group), read.readers(voters, segment))
                vote = shared.setdefault(number, Vote(*number))
                errors[vote] += 1
                for judge, place in group:
                    votes[lists[judge][place][0]] = vote
            unplaced += sum(not finding.placed and finding.point is None for each in lists for *_, finding in each)
    return Matched(votes, errors, unplaced, unlocated)


def votes_at(connection: sqlite3.Connection, evaluation: str) -> tuple[dict[str, Vote], tuple[str, ...]]:
    """Return the votes of the findings of an evaluation's translation, and who judged this, in words.

    Nothing where the evaluation does not count, no other judged the translation, or nobody has looked yet where some of
    the findings are.
    """
    article, system, translation, several = connection.execute(_CELL, (evaluation,)).fetchone()
    for panel in panels(connection, read_judged(connection, cell=(article, system)) if several else ()):
        of = panel.ballots.get(translation, ())
        if len(of) > 1 and any(row.evaluation == evaluation for _, row in of):
            alone = replace(panel, ballots={translation: of})
            return match_panel(connection, alone).votes, tuple(panel.names[number] for number, _ in of)
    return {}, ()


def locate_beside(connection: sqlite3.Connection, evaluation: str) -> None:
    """Locate what others found in the translation of an evaluation, as far as nobody has yet, so that all can vote."""
    for (other,) in connection.execute(_BESIDE, (evaluation,)).fetchall():
        read_grounded(connection, other)


def _findings(
    connection: sqlite3.Connection, evaluations: Iterable[str]
) -> dict[str, list[tuple[str, int, LocatedFinding]]]:
    """The findings that stood after de-duplication, by evaluation, each with its id and number."""
    chosen = json.dumps(list(evaluations))
    places = read_places(connection, json.loads(chosen))
    found: defaultdict[str, list[tuple[str, int, LocatedFinding]]] = defaultdict(list)
    for evaluation, finding, number, dimension, category, point, words in connection.execute(_FINDINGS, (chosen,)):
        at = tuple(places.get(finding, ()))
        found[evaluation].append((finding, number, LocatedFinding(at, dimension, category, point, words)))
    return found


def read_places(connection: sqlite3.Connection, evaluations: Iterable[str]) -> dict[str, list[Place]]:
    """Return where the findings of evaluations are, by finding, as far as it is known well enough to be shown."""
    places: defaultdict[str, list[Place]] = defaultdict(list)
    for finding, *place in connection.execute(_PLACES, (json.dumps(list(evaluations)), SHOWN)):
        places[finding].append(Place._make(place))
    return places


_CELL = """
SELECT e.article, e.system, e.translation_id,
  (SELECT count(*) FROM evaluations o WHERE o.translation_id = e.translation_id
   AND o.state IN ('scored', 'instruction_failed')) > 1
FROM evaluations e WHERE e.id = ?
"""
_BESIDE = """
SELECT o.id FROM evaluations e JOIN evaluations o ON o.translation_id = e.translation_id
WHERE e.id = ? AND o.state = 'scored' AND o.id NOT IN (SELECT evaluation_id FROM groundings)
"""
_PLACES = """
SELECT s.finding_id, s.side, s.start, s."end"
FROM (SELECT value AS id, (SELECT g.method FROM groundings g WHERE g.evaluation_id = value ORDER BY g.at DESC LIMIT 1)
  AS method FROM json_each(?)) chosen
JOIN spans s ON s.evaluation_id = chosen.id AND s.method = chosen.method
WHERE s.role = 'quote' AND s.confidence >= ?
"""
_FINDINGS = """
SELECT f.evaluation_id, f.id, f.number, f.dimension, coalesce(f.category, f.category_label),
  CASE f.judge WHEN 'rubric' THEN f.rubric_point END,
  CASE WHEN coalesce(f.source_quote, f.translation_quote) IS NULL THEN f.explanation
    ELSE coalesce(f.source_quote, '') || ' ' || coalesce(f.translation_quote, '') END
FROM json_each(?) chosen JOIN findings f ON f.evaluation_id = chosen.value AND f.kept
ORDER BY f.evaluation_id, f.number
"""
