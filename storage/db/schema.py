"""The tables, as an ordered list of migrations, and the views that people open with other tools.

``docs/data-model.md`` explains every table. A migration, once released, is never edited: append a new one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from storage.db.schema_imports import REASONS
from storage.db.schema_logs import BUILDING, CHECKED_TABLES, ONE_ORDER, TIME_SPENT
from storage.db.schema_outcomes import OUTCOMES
from storage.db.schema_recent import ASKED_PLACES, COSTS, RATED_SEGMENTS, REPLACED, drop_views
from storage.db.schema_runs import PROOFS, RUN_VIEWS, RUNS

if TYPE_CHECKING:
    from sqlite_utils.db import Database

APPLICATION_ID = 0x44697358
"""Written into the file's header, so that a foreign SQLite file is told apart ("DisX")."""

VERSION = 16
"""The number of migrations below. ``PRAGMA user_version`` of a file; a greater one is a newer program's."""

RECORD = """
CREATE TABLE articles (
  id TEXT PRIMARY KEY, key TEXT NOT NULL, direction TEXT NOT NULL, domain TEXT NOT NULL, subdomain TEXT NOT NULL,
  source TEXT NOT NULL, prompt TEXT NOT NULL, rubric_text TEXT NOT NULL
);
CREATE INDEX articles_key ON articles(key);
CREATE TABLE rubric_points (
  article_id TEXT NOT NULL REFERENCES articles(id), number INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (article_id, number)
) WITHOUT ROWID;
CREATE TABLE translations (
  id TEXT PRIMARY KEY, article_id TEXT NOT NULL REFERENCES articles(id), system TEXT NOT NULL, text TEXT
);
CREATE TABLE imports (
  id INTEGER PRIMARY KEY, at TEXT NOT NULL, file TEXT NOT NULL, sha256 TEXT NOT NULL, format TEXT NOT NULL,
  options TEXT NOT NULL, program TEXT NOT NULL,
  rows INTEGER NOT NULL, stored INTEGER NOT NULL, unchanged INTEGER NOT NULL, left_out INTEGER NOT NULL
);
CREATE TABLE evaluations (
  position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, article TEXT NOT NULL, system TEXT NOT NULL,
  direction TEXT NOT NULL, domain TEXT NOT NULL, judge TEXT NOT NULL, state TEXT NOT NULL,
  accuracy INTEGER, fluency INTEGER, appropriateness INTEGER, total INTEGER, errors INTEGER NOT NULL,
  failed TEXT NOT NULL, stored_accuracy REAL, stored_fluency REAL, stored_appropriateness REAL, stored_total REAL,
  article_id TEXT NOT NULL REFERENCES articles(id), translation_id TEXT NOT NULL REFERENCES translations(id),
  import_id INTEGER NOT NULL REFERENCES imports(id), line INTEGER NOT NULL, flags TEXT NOT NULL
);
CREATE INDEX evaluations_article ON evaluations(article, system);
CREATE TABLE answers (
  evaluation_id TEXT PRIMARY KEY REFERENCES evaluations(id), instruction_check TEXT NOT NULL,
  advice_text TEXT NOT NULL, raw TEXT NOT NULL
);
CREATE TABLE import_notes (
  id INTEGER PRIMARY KEY, import_id INTEGER NOT NULL REFERENCES imports(id), line INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('flag', 'left_out')), code TEXT NOT NULL, field TEXT NOT NULL,
  evaluation_id TEXT, message TEXT NOT NULL
);
CREATE INDEX import_notes_import ON import_notes(import_id);
CREATE TABLE findings (
  id TEXT NOT NULL UNIQUE, evaluation_id TEXT NOT NULL REFERENCES evaluations(id), number INTEGER NOT NULL,
  judge TEXT NOT NULL, judge_index INTEGER NOT NULL, dimension TEXT NOT NULL, category TEXT,
  category_label TEXT NOT NULL, severity TEXT, severity_label TEXT NOT NULL, rubric_point INTEGER, hint TEXT NOT NULL,
  explanation TEXT NOT NULL, kept INTEGER NOT NULL, duplicate_of TEXT, advice INTEGER,
  PRIMARY KEY (evaluation_id, number)
) WITHOUT ROWID;
CREATE TABLE rubric_verdicts (
  evaluation_id TEXT NOT NULL REFERENCES evaluations(id), position INTEGER NOT NULL, point INTEGER NOT NULL,
  met INTEGER, label TEXT NOT NULL, hint TEXT NOT NULL, explanation TEXT NOT NULL,
  PRIMARY KEY (evaluation_id, position)
) WITHOUT ROWID;
CREATE TABLE advice (
  evaluation_id TEXT NOT NULL REFERENCES evaluations(id), position INTEGER NOT NULL, text TEXT NOT NULL,
  drops TEXT NOT NULL, keeps TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (evaluation_id, position)
) WITHOUT ROWID;
CREATE TABLE groundings (
  evaluation_id TEXT NOT NULL REFERENCES evaluations(id), method TEXT NOT NULL, at TEXT NOT NULL,
  alignment TEXT NOT NULL, PRIMARY KEY (evaluation_id, method)
) WITHOUT ROWID;
CREATE TABLE grounded_findings (
  evaluation_id TEXT NOT NULL, method TEXT NOT NULL, finding_id TEXT NOT NULL, source_paragraph INTEGER,
  translation_paragraph INTEGER, unlocated TEXT NOT NULL, PRIMARY KEY (evaluation_id, method, finding_id),
  FOREIGN KEY (evaluation_id, method) REFERENCES groundings(evaluation_id, method)
) WITHOUT ROWID;
CREATE TABLE spans (
  evaluation_id TEXT NOT NULL, method TEXT NOT NULL, finding_id TEXT NOT NULL, position INTEGER NOT NULL,
  side TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, role TEXT NOT NULL, found_by TEXT NOT NULL,
  confidence REAL NOT NULL, occurrence INTEGER NOT NULL, occurrences INTEGER NOT NULL,
  PRIMARY KEY (evaluation_id, method, finding_id, position),
  FOREIGN KEY (evaluation_id, method) REFERENCES groundings(evaluation_id, method)
) WITHOUT ROWID;
"""

HUMAN = """
CREATE TABLE events (
  id TEXT PRIMARY KEY, at TEXT NOT NULL, reviewer TEXT NOT NULL, kind TEXT NOT NULL,
  evaluation_id TEXT NOT NULL, finding_id TEXT, changes TEXT NOT NULL, target TEXT
) WITHOUT ROWID;
CREATE INDEX events_order ON events(reviewer, at, id);
CREATE INDEX events_subject ON events(evaluation_id, reviewer, finding_id);
CREATE TABLE undone (event_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE verdicts (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, finding_id TEXT NOT NULL, decision TEXT, severity TEXT,
  category TEXT, dimension TEXT, duplicate_of TEXT, note TEXT, at TEXT NOT NULL,
  PRIMARY KEY (evaluation_id, reviewer, finding_id)
) WITHOUT ROWID;
CREATE TABLE reviews (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, decided INTEGER NOT NULL,
  unsure INTEGER NOT NULL, accuracy INTEGER, fluency INTEGER, appropriateness INTEGER, total INTEGER, at TEXT NOT NULL,
  PRIMARY KEY (evaluation_id, reviewer)
) WITHOUT ROWID;
CREATE TABLE app_state (reviewer TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (reviewer, key))
  WITHOUT ROWID;
"""

VIEWS = """
CREATE VIEW v_scores AS
SELECT e.id AS evaluation, e.article, e.system, e.direction, e.domain, e.judge, e.state, e.failed,
  e.accuracy, e.fluency, e.appropriateness, e.total,
  e.stored_accuracy, e.stored_fluency, e.stored_appropriateness, e.stored_total, e.errors, e.flags,
  r.reviewer, coalesce(r.state, 'not_opened') AS review, coalesce(r.decided, 0) AS decided, r.unsure,
  r.accuracy AS human_accuracy, r.fluency AS human_fluency, r.appropriateness AS human_appropriateness,
  r.total AS human_total
FROM evaluations e LEFT JOIN reviews r ON r.evaluation_id = e.id;
CREATE VIEW v_findings AS
SELECT f.id AS finding, f.evaluation_id AS evaluation, e.article, e.system, e.direction, e.judge AS judge_model,
  f.number, f.judge, f.dimension, f.category, f.severity, f.rubric_point, f.hint AS paragraph, f.explanation, f.kept,
  f.duplicate_of, s.side, s.start, s."end", s.role, s.confidence,
  substr(CASE s.side WHEN 'source' THEN a.source ELSE t.text END, s.start + 1, s."end" - s.start) AS quote
FROM findings f JOIN evaluations e ON e.id = f.evaluation_id JOIN articles a ON a.id = e.article_id
JOIN translations t ON t.id = e.translation_id
LEFT JOIN spans s ON s.evaluation_id = f.evaluation_id AND s.finding_id = f.id AND s.method =
  (SELECT g.method FROM groundings g WHERE g.evaluation_id = f.evaluation_id ORDER BY g.at DESC LIMIT 1);
CREATE VIEW v_verdicts AS
SELECT v.reviewer, v.finding_id AS finding, v.evaluation_id AS evaluation, e.article, e.system, e.direction,
  f.number, f.dimension AS judge_dimension, f.category AS judge_category, f.severity AS judge_severity, f.kept,
  v.decision, v.dimension AS human_dimension, v.category AS human_category, v.severity AS human_severity,
  v.duplicate_of, v.note, v.at
FROM verdicts v JOIN findings f ON f.id = v.finding_id JOIN evaluations e ON e.id = v.evaluation_id;
"""

SCORES = """
CREATE TABLE scores (
  metric TEXT NOT NULL, human INTEGER NOT NULL CHECK (human IN (0, 1)), rater TEXT NOT NULL, direction TEXT NOT NULL,
  article TEXT NOT NULL, system TEXT NOT NULL, score REAL NOT NULL, domain TEXT NOT NULL,
  import_id INTEGER NOT NULL REFERENCES imports(id), line INTEGER NOT NULL,
  PRIMARY KEY (metric, human, rater, direction, article, system, score)
) WITHOUT ROWID;
CREATE VIEW v_metric_scores AS
WITH known AS (
  SELECT key, min(direction) AS direction, min(domain) AS domain, count(DISTINCT direction) AS directions
  FROM articles GROUP BY key
)
SELECT s.metric, s.system, s.article,
  CASE WHEN s.direction = '' AND k.directions = 1 THEN k.direction ELSE s.direction END AS direction,
  CASE WHEN s.domain = '' THEN coalesce(k.domain, '') ELSE s.domain END AS domain,
  s.score, s.human, s.rater, s.import_id AS import, s.line
FROM scores s LEFT JOIN known k ON k.key = s.article;
"""
"""Scores that other metrics and people gave, as imported; the view adds what the library knows of their articles."""

DEEP_REVIEW = """
CREATE TEMP TABLE scores_so_far AS SELECT * FROM scores;
DROP TABLE scores;
CREATE TABLE scores (
  metric TEXT NOT NULL, human INTEGER NOT NULL CHECK (human IN (0, 1)), rater TEXT NOT NULL, direction TEXT NOT NULL,
  article TEXT NOT NULL, system TEXT NOT NULL, score REAL NOT NULL, domain TEXT NOT NULL,
  import_id INTEGER NOT NULL REFERENCES imports(id), line INTEGER NOT NULL,
  PRIMARY KEY (metric, human, rater, direction, article, system, score, import_id)
) WITHOUT ROWID;
INSERT INTO scores SELECT * FROM temp.scores_so_far;
DROP TABLE temp.scores_so_far;
ALTER TABLE events ADD COLUMN guideline TEXT NOT NULL DEFAULT '';
ALTER TABLE verdicts ADD COLUMN repeat_of TEXT;
ALTER TABLE verdicts ADD COLUMN spans TEXT;
ALTER TABLE verdicts ADD COLUMN invented INTEGER;
ALTER TABLE verdicts ADD COLUMN matches TEXT;
ALTER TABLE reviews ADD COLUMN search TEXT;
ALTER TABLE reviews ADD COLUMN instruction TEXT;
ALTER TABLE reviews ADD COLUMN blind TEXT;
ALTER TABLE reviews ADD COLUMN marked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reviews ADD COLUMN unconfirmed INTEGER NOT NULL DEFAULT 0;
CREATE TABLE marked_errors (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, id TEXT NOT NULL, dimension TEXT, category TEXT,
  severity TEXT, spans TEXT NOT NULL, repeat_of TEXT, missed INTEGER, note TEXT, blind INTEGER NOT NULL,
  at TEXT NOT NULL, PRIMARY KEY (evaluation_id, reviewer, id)
) WITHOUT ROWID;
CREATE TABLE blind_errors (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, id TEXT NOT NULL, dimension TEXT, category TEXT,
  severity TEXT, spans TEXT NOT NULL, PRIMARY KEY (evaluation_id, reviewer, id)
) WITHOUT ROWID;
CREATE TABLE point_verdicts (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, point INTEGER NOT NULL, decision TEXT NOT NULL, note TEXT,
  at TEXT NOT NULL, PRIMARY KEY (evaluation_id, reviewer, point)
) WITHOUT ROWID;
CREATE TABLE plans (
  id TEXT PRIMARY KEY, at TEXT NOT NULL, seed INTEGER NOT NULL, options TEXT NOT NULL, program TEXT NOT NULL
);
CREATE TABLE assignments (
  plan_id TEXT NOT NULL REFERENCES plans(id), reviewer TEXT NOT NULL, layer TEXT NOT NULL, position INTEGER NOT NULL,
  evaluation_id TEXT NOT NULL, purpose TEXT NOT NULL CHECK (purpose IN ('review', 'overlap', 'again')),
  blind INTEGER NOT NULL, PRIMARY KEY (plan_id, layer, evaluation_id)
) WITHOUT ROWID;
CREATE INDEX assignments_layer ON assignments(layer, evaluation_id);
CREATE INDEX assignments_reviewer ON assignments(reviewer, position);
CREATE TABLE merge_conflicts (
  record TEXT NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (record, id, content)
) WITHOUT ROWID;
DROP VIEW v_verdicts;
CREATE VIEW v_verdicts AS
SELECT v.reviewer, v.finding_id AS finding, v.evaluation_id AS evaluation, e.article, e.system, e.direction,
  f.number, f.dimension AS judge_dimension, f.category AS judge_category, f.severity AS judge_severity, f.kept,
  v.decision, v.dimension AS human_dimension, v.category AS human_category, v.severity AS human_severity,
  v.duplicate_of, v.note, v.at, v.repeat_of, v.spans AS human_spans, v.invented, v.matches
FROM verdicts v JOIN findings f ON f.id = v.finding_id JOIN evaluations e ON e.id = v.evaluation_id;
CREATE VIEW v_marked_errors AS
SELECT m.reviewer, m.id AS error, m.evaluation_id AS evaluation, e.article, e.system, e.direction, m.dimension,
  m.category, m.severity, m.spans, m.repeat_of, m.blind, m.missed,
  (SELECT v.finding_id FROM verdicts v
   WHERE v.evaluation_id = m.evaluation_id AND v.reviewer = m.reviewer AND v.matches = m.id) AS finding,
  r.search, m.note, m.at
FROM marked_errors m JOIN evaluations e ON e.id = m.evaluation_id
LEFT JOIN reviews r ON r.evaluation_id = m.evaluation_id AND r.reviewer = m.reviewer;
CREATE VIEW v_time AS
SELECT v.reviewer, v.evaluation_id AS evaluation, s.key AS subject, total(s.value) AS seconds
FROM events v, json_each(v.changes, '$.seconds') s WHERE v.kind = 'time' GROUP BY v.reviewer, v.evaluation_id, s.key;
"""
"""Errors that reviewers mark, blind passes, rubric verdicts, plans; ``spans``: JSON of [side, start, end].

Scores are made anew with their import in the key: one that is taken back to what it was before counts again.
"""

FROM_ELSEWHERE = """
CREATE TABLE segments (
  translation_id TEXT NOT NULL REFERENCES translations(id), number INTEGER NOT NULL, id TEXT NOT NULL,
  source_start INTEGER NOT NULL, source_end INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
  PRIMARY KEY (translation_id, number)
) WITHOUT ROWID;
ALTER TABLE marked_errors ADD COLUMN category_label TEXT NOT NULL DEFAULT '';
ALTER TABLE marked_errors ADD COLUMN severity_label TEXT NOT NULL DEFAULT '';
ALTER TABLE blind_errors ADD COLUMN category_label TEXT NOT NULL DEFAULT '';
ALTER TABLE blind_errors ADD COLUMN severity_label TEXT NOT NULL DEFAULT '';
"""
"""Parts of other tools' files: documents in segments, and errors in the words of another scheme."""

WHOLE = """
CREATE TEMP TABLE segments_so_far AS SELECT translation_id,
  json_group_array(json_array(id, source_start, source_end, start, "end")) AS segments
FROM (SELECT * FROM segments ORDER BY translation_id, number) GROUP BY translation_id;
DROP TABLE segments;
CREATE TABLE segmentations (
  translation_id TEXT PRIMARY KEY REFERENCES translations(id), segments TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO segmentations SELECT * FROM temp.segments_so_far;
DROP TABLE temp.segments_so_far;
CREATE VIEW segments AS
SELECT s.translation_id, each.key + 1 AS number, json_extract(each.value, '$[0]') AS id,
  json_extract(each.value, '$[1]') AS source_start, json_extract(each.value, '$[2]') AS source_end,
  json_extract(each.value, '$[3]') AS start, json_extract(each.value, '$[4]') AS "end"
FROM segmentations s, json_each(s.segments) each;
DROP VIEW v_marked_errors;
ALTER TABLE marked_errors RENAME TO single_errors;
ALTER TABLE blind_errors RENAME TO single_blind_errors;
CREATE TABLE whole_passes (
  evaluation_id TEXT NOT NULL, reviewer TEXT NOT NULL, event_id TEXT NOT NULL REFERENCES events(id),
  PRIMARY KEY (evaluation_id, reviewer)
) WITHOUT ROWID;
CREATE VIEW marked_errors AS
SELECT evaluation_id, reviewer, id, dimension, category, severity, spans, repeat_of, missed, note, blind, at,
  category_label, severity_label
FROM single_errors
UNION ALL
SELECT p.evaluation_id, p.reviewer, coalesce(json_extract(v.changes, '$.of'), v.id) || '-' || (each.key + 1),
  json_extract(each.value, '$.dimension'),
  json_extract(each.value, '$.category'), json_extract(each.value, '$.severity'),
  coalesce(json_extract(each.value, '$.spans'), '[]'), json_extract(each.value, '$.repeat_of'),
  json_extract(each.value, '$.missed'), json_extract(each.value, '$.note'), 1, v.at,
  coalesce(json_extract(each.value, '$.category_label'), ''), coalesce(json_extract(each.value, '$.severity_label'), '')
FROM whole_passes p JOIN events v ON v.id = p.event_id, json_each(v.changes, '$.errors') each
WHERE coalesce(json_extract(each.value, '$.severity'), json_extract(each.value, '$.severity_label'), '') <> ''
  OR coalesce(json_extract(each.value, '$.category_label'), '') <> '';
CREATE VIEW blind_errors AS
SELECT evaluation_id, reviewer, id, dimension, category, severity, spans, category_label, severity_label
FROM single_blind_errors
UNION ALL
SELECT m.evaluation_id, m.reviewer, m.id, m.dimension, m.category, m.severity, m.spans, m.category_label,
  m.severity_label
FROM whole_passes p JOIN marked_errors m ON m.evaluation_id = p.evaluation_id AND m.reviewer = p.reviewer;
CREATE VIEW v_marked_errors AS
SELECT m.reviewer, m.id AS error, m.evaluation_id AS evaluation, e.article, e.system, e.direction, m.dimension,
  m.category, m.severity, m.spans, m.repeat_of, m.blind, m.missed,
  (SELECT v.finding_id FROM verdicts v
   WHERE v.evaluation_id = m.evaluation_id AND v.reviewer = m.reviewer AND v.matches = m.id) AS finding,
  r.search, m.note, m.at
FROM marked_errors m JOIN evaluations e ON e.id = m.evaluation_id
LEFT JOIN reviews r ON r.evaluation_id = m.evaluation_id AND r.reviewer = m.reviewer;
"""
"""Rows that came whole are kept whole: a translation's segments, and the errors of a pass as long as nobody touches it.

A row for each took most of the time that storing a file takes. The views show them one by one.
"""

AUDITING = """
CREATE TABLE packs (
  id TEXT PRIMARY KEY, at TEXT NOT NULL, name TEXT NOT NULL, entries INTEGER NOT NULL, content TEXT NOT NULL
);
CREATE TABLE comparisons (
  id TEXT PRIMARY KEY, at TEXT NOT NULL, standard TEXT NOT NULL, candidate TEXT NOT NULL, details TEXT NOT NULL
);
"""
"""Packs of examples that judges were shown, and every attempt to find a metric more consistent than another.

What a judge was shown decides whether its scores may be audited; how often one tried, what an interval is worth.
"""

IMMUTABLE = (
    *("articles", "rubric_points", "translations", "imports", "import_notes", "evaluations", "answers", "findings"),
    *("rubric_verdicts", "advice", "groundings", "grounded_findings", "spans", "events"),
)
"""Tables whose rows are never changed nor deleted; the database itself refuses it."""

RUN_RECORDS = ("signatures", "runs", "texts", "requests", "calls", "batch_requests", "made_translations")
"""The same, since migration 2. ``batches`` are followed until they are collected, so their rows change."""


def create(db: Database) -> None:
    """Migration 1: the judge's record, the human record, the views, and the triggers that keep records immutable."""
    for script in (RECORD, HUMAN, VIEWS):
        _execute(db, script)
    _keep(db, IMMUTABLE)


def add_runs(db: Database) -> None:
    """Migration 2: runs of one's own, every call they made, and evaluations that they produced.

    Foreign keys are not enforced while migrating, so that ``evaluations`` can be built anew under its name.
    """
    views = drop_views(db)
    _execute(db, RUNS)
    for name, sql in views:
        if name not in ("v_scores", "v_findings"):
            db.execute(sql)
    _execute(db, RUN_VIEWS)
    _keep(db, ("evaluations", *RUN_RECORDS))


def add_scores(db: Database) -> None:
    """Migration 3: scores of other metrics and of people."""
    _execute(db, SCORES)
    _keep(db, ("scores",))


def add_deep_review(db: Database) -> None:
    """Migration 4: what else reviewers say, and what they were asked to review."""
    _execute(db, DEEP_REVIEW)
    _keep(db, ("scores", "plans", "assignments", "merge_conflicts"))


def add_segments(db: Database) -> None:
    """Migration 5: segments of documents, and labels of other schemes."""
    _execute(db, FROM_ELSEWHERE)
    _keep(db, ("segments",))


def keep_whole(db: Database) -> None:
    """Migration 6: segments by translation, and passes that are as they came, each in one row."""
    _execute(db, WHOLE)
    _keep(db, ("segmentations",))


def add_building(db: Database) -> None:
    """Migration 7: the log of a benchmark that is being built."""
    _execute(db, BUILDING)
    _keep(db, ("build_events",))


def add_auditing(db: Database) -> None:
    """Migration 8: packs of examples for judges, and comparisons that were made."""
    _execute(db, AUDITING)
    _keep(db, ("packs", "comparisons"))


def order_the_log(db: Database) -> None:
    """Migration 9: the log's own order, and what keeps values out that nothing can be made of."""
    views = drop_views(db)
    _execute(db, ONE_ORDER)
    for table in CHECKED_TABLES:
        columns = ", ".join(f'"{row[1]}"' for row in db.execute(f"PRAGMA table_info({table})").fetchall())
        db.execute(f"INSERT OR IGNORE INTO new_{table} ({columns}) SELECT {columns} FROM {table}")
        db.execute(f"DROP TABLE {table}")
        db.execute(f"ALTER TABLE new_{table} RENAME TO {table}")
    db.execute("INSERT INTO checked VALUES (0, 0, 0)")
    for name, sql in views:
        db.execute(TIME_SPENT if name == "v_time" else sql)
    _keep(db, ("events",))


def keep_rated_segments(db: Database) -> None:
    """Migration 10: which segments a person rated, each with its own score."""
    _execute(db, RATED_SEGMENTS)


def group_notes(db: Database) -> None:
    """Migration 11: what an import says of rows, each reason once with all its rows."""
    _execute(db, REASONS)
    _keep(db, ("import_reasons",))


def add_asked_places(db: Database) -> None:
    """Migration 12: runs that ask a model for the places of findings, and notes on the quotes that it gave."""
    views = drop_views(db)
    _execute(db, ASKED_PLACES)
    for _, sql in views:
        db.execute(sql)
    _keep(db, ("runs",))


def add_proofs(db: Database) -> None:
    """Migration 13: errors that were proved, each mended and compared."""
    _execute(db, PROOFS)
    _keep(db, ("proved_evaluations", "proofs"))


def keep_costs(db: Database) -> None:
    """Migration 14: what a call cost, as the server says."""
    _execute(db, COSTS)


def show_outcomes(db: Database) -> None:
    """Migration 15: views of each error once, and of its outcome as the figures count it; one name for one thing."""
    kept = db.execute(
        "SELECT sql FROM sqlite_master WHERE type = 'trigger' "
        "AND tbl_name IN ('v_findings', 'v_verdicts', 'v_marked_errors')"
    ).fetchall()
    _execute(db, OUTCOMES)
    for (trigger,) in kept:
        db.execute(trigger)


def know_articles_by_text(db: Database) -> None:
    """Migration 16: articles are found by their text, and one whose rubric came later is replaced."""
    _execute(db, REPLACED)
    _keep(db, ("replaced_articles",))


def _execute(db: Database, script: str) -> None:
    for statement in script.split(";\n"):
        if statement.strip():
            db.execute(statement)


def _keep(db: Database, tables: Iterable[str]) -> None:
    """Let the database itself refuse to change or delete rows of these tables."""
    for table in tables:
        for act in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} BEGIN "
                f"SELECT RAISE(ABORT, '{table} are a record: rows are only ever added'); END"
            )


STEPS = (
    create,
    add_runs,
    add_scores,
    add_deep_review,
    add_segments,
    keep_whole,
    add_building,
    add_auditing,
    order_the_log,
    keep_rated_segments,
    group_notes,
    add_asked_places,
    add_proofs,
    keep_costs,
    show_outcomes,
    know_articles_by_text,
)
"""The migrations, in their order."""


def migrate(db: Database, version: int = VERSION) -> None:
    """Apply the migrations up to a version that the file has not had yet, and stamp it. Call inside a transaction."""
    from sqlite_utils.migrations import Migrations

    migrations = Migrations("discox")
    for step in STEPS[:version]:
        migrations()(step)
    migrations.apply(db)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {version}")
