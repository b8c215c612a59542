"""The tables and views of migrations 10 and 12, as SQL: rated segments, and places that a model was asked for.

As every released migration they are never edited.
"""

from __future__ import annotations

RATED_SEGMENTS = """
ALTER TABLE scores ADD COLUMN segments TEXT NOT NULL DEFAULT '[]';
DROP VIEW v_metric_scores;
CREATE VIEW v_metric_scores AS
WITH known AS (
  SELECT key, min(direction) AS direction, min(domain) AS domain, count(DISTINCT direction) AS directions
  FROM articles GROUP BY key
)
SELECT s.metric, s.system, s.article,
  CASE WHEN s.direction = '' AND k.directions = 1 THEN k.direction ELSE s.direction END AS direction,
  CASE WHEN s.domain = '' THEN coalesce(k.domain, '') ELSE s.domain END AS domain,
  s.score, s.human, s.rater, s.import_id AS import, s.line, s.segments
FROM scores s LEFT JOIN known k ON k.key = s.article;
"""
"""The segments that a score is the mean of: JSON of [number, score], empty where the file does not say."""

ASKED_PLACES = """
CREATE TABLE new_runs (
  id INTEGER PRIMARY KEY, at TEXT NOT NULL,
  command TEXT NOT NULL CHECK (command IN ('judge', 'translate', 'ground')),
  provider TEXT NOT NULL, server TEXT NOT NULL, model TEXT NOT NULL, options TEXT NOT NULL, program TEXT NOT NULL
);
INSERT INTO new_runs (id, at, command, provider, server, model, options, program)
SELECT id, at, command, provider, server, model, options, program FROM runs;
DROP TABLE runs;
ALTER TABLE new_runs RENAME TO runs;
ALTER TABLE grounded_findings ADD COLUMN notes TEXT NOT NULL DEFAULT '[]';
"""
"""Notes on quotes that a model was asked for are a JSON list, empty where nobody was asked."""
