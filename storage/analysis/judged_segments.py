"""Segments that judges read, where a file says that they judged a part of a translation, or nothing of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence

from judges.consistency.records import Extent, segment_at
from judges.model import Places, Side


class JudgedSegments:
    """Segments that judges read of translations, counted from 0; all, of an evaluation that says nothing of that.

    ``evaluations``: those that are asked about. ``extents``: where the segments of their translations are, of those of
    which some judge read a part.
    """

    def __init__(self, connection: sqlite3.Connection, evaluations: Iterable[str]) -> None:
        chosen = json.dumps(sorted(set(evaluations)))
        self._read: dict[str, frozenset[int]] = {}
        self._of: dict[str, str] = {}
        self._marked: dict[str, Sequence[int]] = {}
        for identity, translation, rated, marked in connection.execute(_READ, (chosen,)):
            self._read[identity] = frozenset(json.loads(rated))
            self._of[identity] = translation
            self._marked[identity] = json.loads(marked)
        beside = connection.execute(_BESIDE, (chosen, json.dumps(sorted(set(self._of.values())))))
        self._beside = [identity for (identity,) in beside]
        self.extents = read_extents(connection, self._of.values())

    @property
    def partly(self) -> list[str]:
        """Return the evaluations of translations of which some judge read a part."""
        return self._beside

    def nothing(self, evaluation: str) -> bool:
        """Return True if a judge read none of a translation."""
        return evaluation in self._read and not self._read[evaluation] and not self._marked[evaluation]

    def readers(self, evaluations: Collection[str], segment: int | None) -> int:
        """Return how many of the judges read a segment of their translation; where it is not known which, all."""
        if segment is None:
            return len(evaluations)
        read = map(self.read_by, evaluations)
        return sum(each is None or segment in each for each in read)

    def segment_of(self, evaluations: Collection[str], finding: tuple[str, int, Places]) -> int | None:
        """Return the segment of a finding: its evaluation, number from 1, and places. None where it is not known.

        It is known only where one of the judges of the translation read a part of it; else nobody need ask.
        """
        evaluation, number, places = finding
        partly = next((each for each in evaluations if each in self._read), None)
        if partly is None:
            return None
        marked = self._marked.get(evaluation, ())
        if number <= len(marked):
            return marked[number - 1]
        extents = self.extents.get(self._of[partly], ())
        return next((at for place in places if (at := segment_at(place, extents)) is not None), None)

    def read_by(self, evaluation: str) -> frozenset[int] | None:
        """Return the segments that a judge read, None for all: also of one that does not say, but found something."""
        return self._read.get(evaluation) or (frozenset() if self.nothing(evaluation) else None)


def read_extents(connection: sqlite3.Connection, translations: Iterable[str]) -> dict[str, tuple[Extent, ...]]:
    """Return where the segments of these translations are, of those that are in several."""
    found: dict[str, list[Extent]] = {}
    for translation, number, *at in connection.execute(_SEGMENTS, (json.dumps(sorted(set(translations))),)):
        places: dict[Side, tuple[int, int]] = {"source": (at[0], at[1]), "translation": (at[2], at[3])}
        found.setdefault(translation, []).append(Extent(number - 1, places))
    return {translation: tuple(of) for translation, of in found.items()}


NOTHING_READ = """(e.errors = 0 AND e.state = 'scored' AND EXISTS (
  SELECT 1 FROM answers a WHERE a.evaluation_id = e.id AND CASE WHEN a.raw GLOB '[[]*' AND json_valid(a.raw)
    THEN json_array_length(a.raw) = 7 AND json_type(a.raw, '$[6]') = 'array' AND json_array_length(a.raw, '$[6]') = 0
      AND json_array_length(a.raw, '$[4]') = 0 END
) AND EXISTS (SELECT 1 FROM groundings g WHERE g.evaluation_id = e.id AND g.method = 'given'))"""
"""Condition that the judge of an evaluation ``e`` read nothing of the translation, so that no figure rests on it."""
READ_NOTHING = "the judge read nothing of the translation"
"""Reason for which such an evaluation is left out."""
_READ = """
SELECT e.id, e.translation_id, json_extract(a.raw, '$[6]'),
  (SELECT json_group_array(json_extract(value, '$[0]')) FROM json_each(a.raw, '$[4]'))
FROM json_each(?) chosen JOIN evaluations e ON e.id = chosen.value JOIN answers a ON a.evaluation_id = e.id
WHERE EXISTS (SELECT 1 FROM groundings g WHERE g.evaluation_id = e.id AND g.method = 'given')
  AND CASE WHEN a.raw GLOB '[[]*' AND json_valid(a.raw) THEN json_array_length(a.raw) = 7
    AND json_type(a.raw, '$[6]') = 'array' AND json_type(a.raw, '$[4]') = 'array' END
"""
"""An imported answer of a part; `storage.importing.annotations` says how such a one is written."""
_BESIDE = """
SELECT e.id FROM json_each(?) chosen JOIN evaluations e ON e.id = chosen.value
WHERE e.translation_id IN (SELECT value FROM json_each(?)) ORDER BY e.position
"""
_SEGMENTS = """
SELECT s.translation_id, s.number, s.source_start, s.source_end, s.start, s."end"
FROM json_each(?) chosen JOIN segments s ON s.translation_id = chosen.value ORDER BY s.translation_id, s.number
"""
