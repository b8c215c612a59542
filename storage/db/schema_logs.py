"""The tables of migration 9, as SQL: logs with an order of their own, and derived tables that take known values only.

As every released migration it is never edited.
"""

from __future__ import annotations

ONE_ORDER = """
CREATE TABLE new_events (
  id TEXT NOT NULL PRIMARY KEY, at TEXT NOT NULL, reviewer TEXT NOT NULL, kind TEXT NOT NULL,
  evaluation_id TEXT NOT NULL, finding_id TEXT, changes TEXT NOT NULL, target TEXT,
  guideline TEXT NOT NULL DEFAULT '', counter INTEGER NOT NULL DEFAULT 0
);
INSERT INTO new_events (id, at, reviewer, kind, evaluation_id, finding_id, changes, target, guideline)
SELECT id, at, reviewer, kind, evaluation_id, finding_id, changes, target, guideline FROM events ORDER BY id;
DROP TABLE events;
ALTER TABLE new_events RENAME TO events;
CREATE INDEX events_counter ON events(counter);
CREATE INDEX events_order ON events(reviewer, counter, at, id);
CREATE INDEX events_subject ON events(evaluation_id, reviewer, finding_id);
ALTER TABLE build_events ADD COLUMN counter INTEGER NOT NULL DEFAULT 0;
DROP INDEX build_events_order;
DROP INDEX build_events_person;
CREATE INDEX build_events_order ON build_events(counter, at, id);
CREATE INDEX build_events_person ON build_events(person, counter);
CREATE TABLE unreadable (
  record TEXT NOT NULL CHECK (record IN ('events', 'build_events')), id NOT NULL, field TEXT NOT NULL,
  reason TEXT NOT NULL, set_aside INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (record, id)
) WITHOUT ROWID;
CREATE TABLE checked (events INTEGER NOT NULL, build_events INTEGER NOT NULL, schema INTEGER NOT NULL);
CREATE TABLE contradictions (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, subject TEXT NOT NULL, event_id TEXT NOT NULL,
  gave_way TEXT NOT NULL CHECK (json_valid(gave_way)), PRIMARY KEY (evaluation_id, reviewer, subject, event_id)
) WITHOUT ROWID;
CREATE TABLE new_verdicts (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, finding_id TEXT NOT NULL,
  decision TEXT CHECK (decision IN ('agree', 'not_an_error', 'override', 'reattribute', 'duplicate', 'unsure',
    'restore', 'too_strict')),
  severity TEXT CHECK (severity IN ('minor', 'major', 'critical', 'extremely_critical', 'violated')),
  category TEXT CHECK (typeof(category) <> 'blob'),
  dimension TEXT CHECK (dimension IN ('accuracy', 'fluency', 'appropriateness')),
  duplicate_of TEXT CHECK (typeof(duplicate_of) <> 'blob'), note TEXT CHECK (typeof(note) <> 'blob'),
  at TEXT NOT NULL CHECK (typeof(at) <> 'blob'), repeat_of TEXT CHECK (typeof(repeat_of) <> 'blob'),
  spans TEXT CHECK (CASE WHEN json_valid(spans) THEN json_type(spans) = 'array' ELSE spans IS NULL END),
  invented INTEGER CHECK (invented IN (0, 1)), matches TEXT CHECK (typeof(matches) <> 'blob'),
  counter INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (evaluation_id, reviewer, finding_id)
) WITHOUT ROWID;
CREATE TABLE new_single_errors (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, id TEXT NOT NULL,
  dimension TEXT CHECK (dimension IN ('accuracy', 'fluency', 'appropriateness')),
  category TEXT CHECK (typeof(category) <> 'blob'),
  severity TEXT CHECK (severity IN ('minor', 'major', 'critical', 'extremely_critical', 'violated')),
  spans TEXT NOT NULL CHECK (CASE WHEN json_valid(spans) THEN json_type(spans) = 'array' ELSE spans IS NULL END),
  repeat_of TEXT CHECK (typeof(repeat_of) <> 'blob'), missed INTEGER CHECK (missed IN (0, 1)),
  note TEXT CHECK (typeof(note) <> 'blob'), blind INTEGER NOT NULL CHECK (blind IN (0, 1)),
  at TEXT NOT NULL CHECK (typeof(at) <> 'blob'), category_label TEXT NOT NULL DEFAULT '',
  severity_label TEXT NOT NULL DEFAULT '', PRIMARY KEY (evaluation_id, reviewer, id)
) WITHOUT ROWID;
CREATE TABLE new_single_blind_errors (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, id TEXT NOT NULL,
  dimension TEXT CHECK (dimension IN ('accuracy', 'fluency', 'appropriateness')),
  category TEXT CHECK (typeof(category) <> 'blob'),
  severity TEXT CHECK (severity IN ('minor', 'major', 'critical', 'extremely_critical', 'violated')),
  spans TEXT NOT NULL CHECK (CASE WHEN json_valid(spans) THEN json_type(spans) = 'array' ELSE spans IS NULL END),
  category_label TEXT NOT NULL DEFAULT '', severity_label TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (evaluation_id, reviewer, id)
) WITHOUT ROWID;
CREATE TABLE new_point_verdicts (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, point INTEGER NOT NULL CHECK (typeof(point) = 'integer'),
  decision TEXT NOT NULL CHECK (decision IN ('met', 'violated', 'too_strict')),
  note TEXT CHECK (typeof(note) <> 'blob'), at TEXT NOT NULL CHECK (typeof(at) <> 'blob'),
  counter INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (evaluation_id, reviewer, point)
) WITHOUT ROWID;
CREATE TABLE new_reviews (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('not_opened', 'in_progress', 'done', 'skipped')),
  reason TEXT CHECK (typeof(reason) <> 'blob'), decided INTEGER NOT NULL CHECK (typeof(decided) = 'integer'),
  unsure INTEGER NOT NULL CHECK (typeof(unsure) = 'integer'),
  accuracy INTEGER CHECK (typeof(accuracy) IN ('integer', 'null')),
  fluency INTEGER CHECK (typeof(fluency) IN ('integer', 'null')),
  appropriateness INTEGER CHECK (typeof(appropriateness) IN ('integer', 'null')),
  total INTEGER CHECK (typeof(total) IN ('integer', 'null')), at TEXT NOT NULL CHECK (typeof(at) <> 'blob'),
  search TEXT CHECK (search = 'done'), instruction TEXT CHECK (instruction IN ('agree', 'overturn')),
  blind TEXT CHECK (blind IN ('started', 'revealed')),
  marked INTEGER NOT NULL DEFAULT 0 CHECK (typeof(marked) = 'integer'),
  unconfirmed INTEGER NOT NULL DEFAULT 0 CHECK (typeof(unconfirmed) = 'integer'),
  counter INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (evaluation_id, reviewer)
) WITHOUT ROWID;
"""
"""The log's own order, a counter beside the time; which of its rows nothing can be made of; how far it was checked;
what of one reviewer gave way to a later act of theirs.

What is derived is made anew in tables that take no value which the program does not know.
"""

CHECKED_TABLES = ("verdicts", "single_errors", "single_blind_errors", "point_verdicts", "reviews")
"""The derived tables that migration 9 makes anew; a row that does not fit is left out, and derived from the log."""

TIME_SPENT = """
CREATE VIEW v_time AS
SELECT v.reviewer, v.evaluation_id AS evaluation, s.key AS subject, total(s.value) AS seconds
FROM events v, json_each(v.changes, '$.seconds') s
WHERE v.kind = 'time' AND v.id NOT IN (SELECT id FROM unreadable WHERE record = 'events')
GROUP BY v.reviewer, v.evaluation_id, s.key
"""
"""``v_time`` as it is since migration 9: without the events that nothing can be made of."""

BUILDING = """
CREATE TABLE build_events (
  id TEXT PRIMARY KEY, at TEXT NOT NULL, person TEXT NOT NULL, kind TEXT NOT NULL, candidate TEXT NOT NULL,
  changes TEXT NOT NULL, target TEXT
);
CREATE INDEX build_events_order ON build_events(at, id);
CREATE INDEX build_events_candidate ON build_events(candidate, kind);
CREATE INDEX build_events_person ON build_events(person, at);
"""
"""The acts of people on the candidates of a benchmark that they build. All else about these follows from it."""
