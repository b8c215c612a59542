"""The script of migration 11, apart from the others for its size: reasons of imports, and scores by translation."""

from __future__ import annotations

REASONS = """
CREATE TABLE import_reasons (
  import_id INTEGER NOT NULL REFERENCES imports(id), position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('flag', 'left_out')), code TEXT NOT NULL, field TEXT NOT NULL,
  message TEXT NOT NULL, rows TEXT NOT NULL CHECK (json_valid(rows)), PRIMARY KEY (import_id, position)
) WITHOUT ROWID;
INSERT INTO import_reasons
SELECT import_id, row_number() OVER (PARTITION BY import_id ORDER BY min(id)), kind, code, field, message,
  json_group_array(CASE WHEN evaluation_id IS NULL THEN line ELSE json_array(line, evaluation_id) END)
FROM (SELECT * FROM import_notes ORDER BY id) GROUP BY import_id, kind, code, field, message;
DROP TABLE import_notes;
CREATE INDEX scores_of ON scores(article, system);
CREATE VIEW import_notes AS
SELECT row_number() OVER (ORDER BY import_id, line, position, place) AS id, import_id, line, kind, code, field,
  evaluation_id, message
FROM (
  SELECT r.position, each.key AS place, r.import_id, r.kind, r.code, r.field, r.message,
    CASE each.type WHEN 'array' THEN json_extract(each.value, '$[0]') ELSE each.value END AS line,
    CASE each.type WHEN 'array' THEN json_extract(each.value, '$[1]') END AS evaluation_id
  FROM import_reasons r, json_each(r.rows) each
);
CREATE TRIGGER import_notes_insert INSTEAD OF INSERT ON import_notes BEGIN
  INSERT INTO import_reasons VALUES (
    new.import_id,
    (SELECT 1 + coalesce(max(position), 0) FROM import_reasons WHERE import_id = new.import_id),
    new.kind, new.code, new.field, new.message, json_array(json_array(new.line, new.evaluation_id)))\
; END;
CREATE TRIGGER import_notes_no_update INSTEAD OF UPDATE ON import_notes BEGIN
  SELECT RAISE(ABORT, 'import_notes are a record: rows are only ever added')\
; END;
CREATE TRIGGER import_notes_no_delete INSTEAD OF DELETE ON import_notes BEGIN
  SELECT RAISE(ABORT, 'import_notes are a record: rows are only ever added')\
; END;
"""
"""Thousands of rows may have one reason, which is kept once: ``rows`` is JSON, a line or [line, evaluation] for each.

The view shows them row by row, numbered by import and line.
"""
