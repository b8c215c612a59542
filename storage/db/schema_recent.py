"""The tables and views of migrations 10, 12, 14 and 16, as SQL: rated segments, asked places, costs, replaced articles.

As every released migration they are never edited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils.db import Database

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

COSTS = """
ALTER TABLE calls ADD COLUMN cost REAL;
DROP VIEW v_usage;
DROP VIEW v_calls;
CREATE VIEW v_calls AS
SELECT c.id AS call, c.at, c.run_id AS run, u.command, q.step, q.sample, q.provider, q.server, q.model,
  c.model AS answered_by, c.batch_id AS batch, c.outcome, c.status, c.finish, c.seconds,
  c.input_tokens, c.cached_tokens, c.output_tokens, c.thinking_tokens, q.parameters, c.form, c.read_by, c.answer,
  c.error, c.request_id AS request, c.cost
FROM calls c JOIN requests q ON q.id = c.request_id JOIN runs u ON u.id = c.run_id;
CREATE VIEW v_usage AS
SELECT run, command, provider, server, model, batch IS NOT NULL AS batched, outcome, count(*) AS calls,
  total(seconds) AS seconds, sum(input_tokens) AS input_tokens,
  sum(cached_tokens) AS cached_tokens, sum(output_tokens) AS output_tokens, sum(thinking_tokens) AS thinking_tokens,
  sum((input_tokens IS NULL OR output_tokens IS NULL) AND cost IS NULL AND outcome IN ('ok', 'refused', 'blocked',
    'truncated', 'unparsable', 'wrong_shape', 'prompt_cut')) AS unmetered, min(at) AS first, max(at) AS last,
  count(cost) AS charged, sum(cost) AS cost, sum(iif(cost IS NULL, 0, input_tokens)) AS charged_input,
  sum(iif(cost IS NULL, 0, cached_tokens)) AS charged_cached, sum(iif(cost IS NULL, 0, output_tokens)) AS charged_output
FROM v_calls GROUP BY run, command, provider, server, model, batched, outcome;
"""
"""The cost of a call as the server says it, and the two views with it; new columns stand behind the old ones."""


REPLACED = """
CREATE TABLE replaced_articles (
  article_id TEXT PRIMARY KEY REFERENCES articles(id), by_article_id TEXT NOT NULL REFERENCES articles(id)
) WITHOUT ROWID;
CREATE INDEX articles_text ON articles(substr(replace(replace(replace(replace(replace(
  source, ' ', ''), char(10), ''), char(13), ''), char(9), ''), char(12288), ''), 1, 64));
"""
"""Articles that came without a rubric, each with the one of the same text that came later with one.

The index holds how a text begins, without blanks and line ends; `storage.record.article_texts` asks it.
"""


def drop_views(db: Database) -> list[tuple[str, str]]:
    """Drop all views, a user's own too, as no table can be renamed while a view misses one.

    Return them and then their triggers, each by the name of its view and what makes it again.
    """
    made: list[tuple[str, str, str]] = db.execute(
        "SELECT type, tbl_name, sql FROM sqlite_master WHERE type = 'view' OR type = 'trigger' AND tbl_name IN "
        "(SELECT name FROM sqlite_master WHERE type = 'view') ORDER BY type DESC, rowid"
    ).fetchall()
    for kind, name, _ in made:
        if kind == "view":
            db.execute(f'DROP VIEW "{name}"')
    return [(name, sql) for _, name, sql in made]
