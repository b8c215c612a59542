"""Blind passes from other tools' files: the event, and at once what follows from it, at the speed of whole files.

What is stored is to the letter what ``storage.reviews.projections`` would derive; ``rebuild`` changes none of it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from judges.metric_s.scoring import Deduction, score
from judges.model import Dimension, ReviewState, Severity, Side
from storage.base.identity import digest
from storage.base.text import storable
from storage.formats.base.items import Mark, Unmarked
from storage.log.events import next_counter, readable
from storage.reviews.layers import layers_of, split_layer
from storage.reviews.projections import derive


class Words:
    """Names of errors of one kind, as JSON: the file's labels, and ours where there are some; the cost."""

    __slots__ = ("cost", "counts", "head", "labels", "ours", "tail")

    def __init__(
        self, labels: tuple[str, str], dimension: Dimension | None, category: str | None, severity: Severity | None
    ) -> None:
        if dimension is None or severity is None:
            dimension = category = severity = None
        self.cost: Deduction | None = (dimension, severity) if dimension and severity else None
        self.counts = bool(severity or any(labels))
        self.labels = _json(labels)
        self.ours = _json((dimension, category, severity))
        ours = {"category": category, "category_label": labels[0], "dimension": dimension}
        self.head = _json({name: value for name, value in ours.items() if value is not None})[:-1] + ", "
        ours = {"severity": severity, "severity_label": labels[1]}
        self.tail = _json({name: value for name, value in ours.items() if value is not None})[1:-1]


def add_pass(
    connection: sqlite3.Connection,
    evaluation_id: str,
    reviewer: str,
    at: str,
    errors: Iterable[tuple[Words, Mark]],
    rows: Iterable[Unmarked],
    starts: Mapping[Side, Sequence[int]],
    state: ReviewState,
    rest: Mapping[str, Any],
    when: Mapping[str, Any],
) -> bool | None:
    """Add an ``imported`` event of an evaluation that no judge was asked about, and derive what follows from it.

    ``starts``: where each segment begins in the whole texts. ``state`` "done": all of it was looked at. ``rest``:
    ``file`` and ``kept`` as the event holds them. ``when``: which segments were looked at, of how many, and when: this
    decides what stands beside another pass, and not whether it is the same. A pass that is there comes no second time;
    one that says the same in other words of ours, by another mapping, takes its place. Returns None where it is there,
    else whether it is all that its person did about the evaluation. Call inside a transaction.
    """
    texts, said, costs, ours = [], [], [], []
    marked = 0
    for words, (segment, _, _, places, _, note, unplaced, _, kept, line, _) in errors:
        spans = ", ".join(
            [
                f'["{side}", {starts[side][segment] + start}, {starts[side][segment] + end}]'
                for side, start, end in places
            ]
        )
        before, after = f'"line": {line}, "segment": {segment + 1}, ', f', "spans": [{spans}]}}'
        if kept or note or unplaced:
            kept_text = f'"kept": {_json(kept)}, ' if kept else ""
            note_text = f'"note": {_json(storable(note))}, ' if note else ""
            before = f'{kept_text}"line": {line}, {note_text}"segment": {segment + 1}, '
            after = f', "spans": [{spans}], "unplaced": {_json(unplaced)}}}' if unplaced else after
        texts.append(f"{words.head}{before}{words.tail}{after}")
        said.append(f"{words.labels}{before}{after}")
        ours.append(words.ours)
        marked += words.counts
        if words.cost:
            costs.append(words.cost)
    search = "done" if state == "done" else None
    parts = {
        **{name: _json(value) for name, value in rest.items()},
        "rows": f"[{', '.join(map(_row, rows))}]",
        **({"search": '"done"'} if search else {}),
        "state": f'"{state}"',
    }
    of = digest("imported", evaluation_id, reviewer, "".join(said), *parts.values())
    parts |= {
        "errors": f"[{', '.join(texts)}]",
        "of": f'"{of}"',
        **{name: _json(value) for name, value in when.items()},
    }
    text = storable("{" + ", ".join(f'"{name}": {value}' for name, value in sorted(parts.items())) + "}")
    identity = digest("read as", of, "".join(ours))
    layers = layers_of(split_layer(reviewer)[0])  # what is blind depends on all that a person saw
    alone = connection.execute(_ANY, (evaluation_id, *layers)).fetchone() is None
    if not alone:
        latest = connection.execute(_LATEST, (evaluation_id, reviewer, of)).fetchone()
        if latest and latest[1] == text:
            return None
        if latest:
            identity = digest("instead", identity, latest[0])
    counter = next_counter(connection)
    connection.execute(_EVENT, (identity, at, reviewer, evaluation_id, text, counter))
    if not alone:
        derive(connection, evaluation_id, reviewer)
        return False
    connection.execute("INSERT INTO whole_passes VALUES (?, ?, ?)", (evaluation_id, reviewer, identity))
    human = score(costs) if search else None
    points = (human.accuracy, human.fluency, human.appropriateness, human.total) if human else (None,) * 4
    connection.execute(_REVIEW, (evaluation_id, reviewer, state, *points, at, search, marked, counter))
    return True


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _row(row: Unmarked) -> str:
    category = f'"category": {_text(row.category)}, ' if row.category else ""
    kept = f'"kept": {_json(row.kept)}, ' if row.kept else ""
    severity = f', "severity": {_text(row.severity)}' if row.severity else ""
    return f'{{{category}{kept}"kind": "{row.kind}", "line": {row.line}, "segment": {row.segment + 1}{severity}}}'


_text = lru_cache(maxsize=1_000)(_json)
"""Labels, of which there are few."""

_ANY = "SELECT 1 FROM events WHERE evaluation_id = ? AND reviewer IN (?, ?, ?) LIMIT 1"
_LATEST = f"""
SELECT id, changes FROM events WHERE evaluation_id = ? AND reviewer = ? AND kind = 'imported' AND {readable("events")}
  AND coalesce(json_extract(changes, '$.of'), id) = ? ORDER BY +counter DESC, +at DESC, +id DESC LIMIT 1
"""
_EVENT = """
INSERT INTO events (id, at, reviewer, kind, evaluation_id, finding_id, changes, target, counter)
VALUES (?, ?, ?, 'imported', ?, NULL, ?, NULL, ?)
"""
_REVIEW = """
INSERT INTO reviews (evaluation_id, reviewer, state, decided, unsure, accuracy, fluency, appropriateness, total, at,
  search, blind, marked, counter)
VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, 'started', ?, ?)
"""
