"""The tables and views of migration 2, as SQL: runs of one's own, their calls, and the evaluations that they produced.

As every released migration it is never edited.
"""

from __future__ import annotations

RUNS = """
CREATE TABLE signatures (
  id TEXT PRIMARY KEY, asked TEXT NOT NULL, text TEXT NOT NULL, fields TEXT NOT NULL
);
CREATE INDEX signatures_asked ON signatures(asked);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, at TEXT NOT NULL, command TEXT NOT NULL CHECK (command IN ('judge', 'translate')),
  provider TEXT NOT NULL, server TEXT NOT NULL, model TEXT NOT NULL, options TEXT NOT NULL, program TEXT NOT NULL
);
CREATE TABLE texts (id TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE requests (
  id TEXT PRIMARY KEY, step TEXT NOT NULL, provider TEXT NOT NULL, server TEXT NOT NULL, model TEXT NOT NULL,
  system_text TEXT NOT NULL REFERENCES texts(id), documents_text TEXT NOT NULL REFERENCES texts(id),
  task_text TEXT NOT NULL REFERENCES texts(id), schema_text TEXT REFERENCES texts(id), parameters TEXT NOT NULL,
  sample INTEGER NOT NULL
);
CREATE TABLE calls (
  id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs(id), request_id TEXT NOT NULL REFERENCES requests(id),
  batch_id INTEGER REFERENCES batches(id), at TEXT NOT NULL, seconds REAL NOT NULL, outcome TEXT NOT NULL,
  status INTEGER, model TEXT NOT NULL, finish TEXT NOT NULL, form TEXT NOT NULL,
  input_tokens INTEGER, cached_tokens INTEGER, output_tokens INTEGER, thinking_tokens INTEGER,
  read_by TEXT NOT NULL, answer TEXT NOT NULL, error TEXT NOT NULL
);
CREATE INDEX calls_request ON calls(request_id);
CREATE INDEX calls_run ON calls(run_id);
CREATE TABLE batches (
  id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs(id), token TEXT NOT NULL UNIQUE, at TEXT NOT NULL,
  remote TEXT, state TEXT NOT NULL CHECK (state IN ('submitting', 'submitted', 'collected', 'lost')),
  reason TEXT NOT NULL
);
CREATE TABLE batch_requests (
  batch_id INTEGER NOT NULL REFERENCES batches(id), request_id TEXT NOT NULL REFERENCES requests(id),
  form TEXT NOT NULL, PRIMARY KEY (batch_id, request_id)
) WITHOUT ROWID;
CREATE INDEX batch_requests_request ON batch_requests(request_id);
CREATE TABLE made_translations (
  translation_id TEXT PRIMARY KEY REFERENCES translations(id), run_id INTEGER NOT NULL REFERENCES runs(id),
  request_id TEXT NOT NULL REFERENCES requests(id), at TEXT NOT NULL
);
CREATE TABLE new_evaluations (
  position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, article TEXT NOT NULL, system TEXT NOT NULL,
  direction TEXT NOT NULL, domain TEXT NOT NULL, judge TEXT NOT NULL, state TEXT NOT NULL,
  accuracy INTEGER, fluency INTEGER, appropriateness INTEGER, total INTEGER, errors INTEGER NOT NULL,
  failed TEXT NOT NULL, stored_accuracy REAL, stored_fluency REAL, stored_appropriateness REAL, stored_total REAL,
  article_id TEXT NOT NULL REFERENCES articles(id), translation_id TEXT NOT NULL REFERENCES translations(id),
  import_id INTEGER REFERENCES imports(id), line INTEGER, flags TEXT NOT NULL,
  run_id INTEGER REFERENCES runs(id), signature_id TEXT REFERENCES signatures(id), sample INTEGER NOT NULL DEFAULT 1,
  quotes INTEGER, quotes_verified INTEGER, supersedes TEXT,
  CHECK ((import_id IS NULL) <> (run_id IS NULL)), CHECK ((run_id IS NULL) = (signature_id IS NULL))
);
INSERT INTO new_evaluations (position, id, article, system, direction, domain, judge, state, accuracy, fluency,
  appropriateness, total, errors, failed, stored_accuracy, stored_fluency, stored_appropriateness, stored_total,
  article_id, translation_id, import_id, line, flags)
SELECT position, id, article, system, direction, domain, judge, state, accuracy, fluency,
  appropriateness, total, errors, failed, stored_accuracy, stored_fluency, stored_appropriateness, stored_total,
  article_id, translation_id, import_id, line, flags FROM evaluations;
DROP TABLE evaluations;
ALTER TABLE new_evaluations RENAME TO evaluations;
CREATE INDEX evaluations_article ON evaluations(article, system);
CREATE INDEX evaluations_translation ON evaluations(translation_id, signature_id, sample);
CREATE INDEX evaluations_supersedes ON evaluations(supersedes) WHERE supersedes IS NOT NULL;
ALTER TABLE findings ADD COLUMN source_quote TEXT;
ALTER TABLE findings ADD COLUMN translation_quote TEXT;
ALTER TABLE findings ADD COLUMN context_quote TEXT;
ALTER TABLE findings ADD COLUMN suggestion TEXT;
ALTER TABLE findings ADD COLUMN source_paragraph INTEGER;
ALTER TABLE findings ADD COLUMN translation_paragraph INTEGER;
ALTER TABLE findings ADD COLUMN quote_notes TEXT;
"""
"""Requests, answers and costs of a run of one's own; and evaluations that came from a run, not from a file.

``findings.quote_notes`` is NULL for a judge that was not asked to quote, a JSON list otherwise.
"""

RUN_VIEWS = """
CREATE VIEW v_scores AS
SELECT e.id AS evaluation, e.article, e.system, e.direction, e.domain, e.judge, e.state, e.failed,
  e.accuracy, e.fluency, e.appropriateness, e.total,
  e.stored_accuracy, e.stored_fluency, e.stored_appropriateness, e.stored_total, e.errors, e.flags,
  r.reviewer, coalesce(r.state, 'not_opened') AS review, coalesce(r.decided, 0) AS decided, r.unsure,
  r.accuracy AS human_accuracy, r.fluency AS human_fluency, r.appropriateness AS human_appropriateness,
  r.total AS human_total, g.text AS signature, e.sample, e.run_id AS run, e.quotes, e.quotes_verified,
  (SELECT n.id FROM evaluations n WHERE n.supersedes = e.id) AS superseded_by
FROM evaluations e LEFT JOIN reviews r ON r.evaluation_id = e.id LEFT JOIN signatures g ON g.id = e.signature_id;
CREATE VIEW v_findings AS
SELECT f.id AS finding, f.evaluation_id AS evaluation, e.article, e.system, e.direction, e.judge AS judge_model,
  f.number, f.judge, f.dimension, f.category, f.severity, f.rubric_point, f.hint AS paragraph, f.explanation, f.kept,
  f.duplicate_of, s.side, s.start, s."end", s.role, s.confidence,
  substr(CASE s.side WHEN 'source' THEN a.source ELSE t.text END, s.start + 1, s."end" - s.start) AS quote,
  f.source_quote, f.translation_quote, f.suggestion, f.quote_notes, i.text AS signature, e.sample
FROM findings f JOIN evaluations e ON e.id = f.evaluation_id JOIN articles a ON a.id = e.article_id
JOIN translations t ON t.id = e.translation_id LEFT JOIN signatures i ON i.id = e.signature_id
LEFT JOIN spans s ON s.evaluation_id = f.evaluation_id AND s.finding_id = f.id AND s.method =
  (SELECT g.method FROM groundings g WHERE g.evaluation_id = f.evaluation_id ORDER BY g.at DESC LIMIT 1);
CREATE VIEW v_calls AS
SELECT c.id AS call, c.at, c.run_id AS run, u.command, q.step, q.sample, q.provider, q.server, q.model,
  c.model AS answered_by, c.batch_id AS batch, c.outcome, c.status, c.finish, c.seconds,
  c.input_tokens, c.cached_tokens, c.output_tokens, c.thinking_tokens, q.parameters, c.form, c.read_by, c.answer,
  c.error, c.request_id AS request
FROM calls c JOIN requests q ON q.id = c.request_id JOIN runs u ON u.id = c.run_id;
CREATE VIEW v_usage AS
SELECT run, command, provider, server, model, batch IS NOT NULL AS batched, outcome, count(*) AS calls,
  total(seconds) AS seconds, sum(input_tokens) AS input_tokens,
  sum(cached_tokens) AS cached_tokens, sum(output_tokens) AS output_tokens, sum(thinking_tokens) AS thinking_tokens,
  sum((input_tokens IS NULL OR output_tokens IS NULL) AND outcome IN ('ok', 'refused', 'blocked', 'truncated',
    'unparsable', 'wrong_shape')) AS unmetered, min(at) AS first, max(at) AS last
FROM v_calls GROUP BY run, command, provider, server, model, batched, outcome;
"""
"""The views as they are since migration 2; new columns stand behind the old ones."""
