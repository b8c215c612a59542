"""The views of migration 15, as SQL: each error of a judge once, and its outcome in each review as the figures have it.

As every released migration they are never edited.
"""

from __future__ import annotations

OUTCOMES = """
DROP VIEW v_findings;
CREATE VIEW v_findings AS
SELECT f.id AS finding, f.evaluation_id AS evaluation, e.article, e.system, e.direction, e.judge, f.judge AS step,
  f.number, f.dimension, f.category, f.severity, f.rubric_point, f.hint AS paragraph, f.explanation, f.kept,
  f.duplicate_of, s.side, s.start, s."end", s.role, s.confidence,
  substr(CASE s.side WHEN 'source' THEN a.source ELSE t.text END, s.start + 1, s."end" - s.start) AS quote,
  f.source_quote, f.translation_quote, f.suggestion, f.quote_notes, i.text AS signature, e.sample
FROM findings f JOIN evaluations e ON e.id = f.evaluation_id JOIN articles a ON a.id = e.article_id
JOIN translations t ON t.id = e.translation_id LEFT JOIN signatures i ON i.id = e.signature_id
LEFT JOIN spans s ON s.evaluation_id = f.evaluation_id AND s.finding_id = f.id AND s.method =
  (SELECT g.method FROM groundings g WHERE g.evaluation_id = f.evaluation_id ORDER BY g.at DESC LIMIT 1);
DROP VIEW v_verdicts;
CREATE VIEW v_verdicts AS
SELECT v.reviewer, v.finding_id AS finding, v.evaluation_id AS evaluation, e.article, e.system, e.direction, e.judge,
  coalesce(r.state, 'not_opened') AS review, f.number, f.dimension, f.category, f.severity, f.kept, v.decision,
  v.dimension AS new_dimension, v.category AS new_category, v.severity AS new_severity, v.duplicate_of, v.note, v.at,
  v.repeat_of, v.spans AS new_spans, v.invented, v.matches
FROM verdicts v JOIN findings f ON f.evaluation_id = v.evaluation_id AND f.id = v.finding_id
JOIN evaluations e ON e.id = v.evaluation_id
LEFT JOIN reviews r ON r.evaluation_id = v.evaluation_id AND r.reviewer = v.reviewer;
DROP VIEW v_marked_errors;
CREATE VIEW v_marked_errors AS
SELECT m.reviewer, m.id AS error, m.evaluation_id AS evaluation, e.article, e.system, e.direction, e.judge,
  coalesce(r.state, 'not_opened') AS review, m.dimension, m.category, m.severity, m.spans, m.repeat_of, m.blind,
  m.missed, (SELECT v.finding_id FROM verdicts v
   WHERE v.evaluation_id = m.evaluation_id AND v.reviewer = m.reviewer AND v.matches = m.id) AS finding,
  r.search, m.note, m.at
FROM marked_errors m JOIN evaluations e ON e.id = m.evaluation_id
LEFT JOIN reviews r ON r.evaluation_id = m.evaluation_id AND r.reviewer = m.reviewer;
CREATE VIEW v_errors AS
SELECT f.id AS finding, f.evaluation_id AS evaluation, e.article, e.system, e.direction, e.domain, e.judge, e.state,
  f.judge AS step, f.number, f.dimension, f.category, f.severity, f.rubric_point, f.hint AS paragraph, f.explanation,
  f.suggestion, f.kept, f.duplicate_of,
  (SELECT json_group_array(json_array(s.side, s.start, s."end", s.role, s.confidence))
   FROM (SELECT * FROM spans ORDER BY position) s
   WHERE s.evaluation_id = f.evaluation_id AND s.finding_id = f.id AND s.method =
     (SELECT g.method FROM groundings g WHERE g.evaluation_id = f.evaluation_id ORDER BY g.at DESC LIMIT 1)) AS spans,
  i.text AS signature, e.sample, (SELECT n.id FROM evaluations n WHERE n.supersedes = e.id) AS superseded_by
FROM findings f JOIN evaluations e ON e.id = f.evaluation_id LEFT JOIN signatures i ON i.id = e.signature_id;
CREATE VIEW v_outcomes AS
WITH RECURSIVE links AS (
  SELECT evaluation_id, reviewer, finding_id AS id, repeat_of AS first FROM verdicts WHERE repeat_of IS NOT NULL
  UNION ALL SELECT evaluation_id, reviewer, matches, finding_id FROM verdicts WHERE matches IS NOT NULL
  UNION ALL SELECT m.evaluation_id, m.reviewer, m.id, m.repeat_of FROM marked_errors m
    WHERE m.repeat_of IS NOT NULL AND m.dimension IS NOT NULL AND m.severity IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM verdicts v
      WHERE v.evaluation_id = m.evaluation_id AND v.reviewer = m.reviewer AND v.matches = m.id)
), reached AS (
  SELECT evaluation_id, reviewer, id, first FROM links
  UNION SELECT r.evaluation_id, r.reviewer, r.id, l.first FROM reached r JOIN links l
    ON l.evaluation_id = r.evaluation_id AND l.reviewer = r.reviewer AND l.id = r.first
), firsts AS (
  SELECT r.evaluation_id, r.reviewer, r.id, coalesce(
    max(CASE WHEN NOT EXISTS (SELECT 1 FROM links l WHERE l.evaluation_id = r.evaluation_id
      AND l.reviewer = r.reviewer AND l.id = r.first) THEN r.first END),
    min(CASE WHEN EXISTS (SELECT 1 FROM reached x WHERE x.evaluation_id = r.evaluation_id
      AND x.reviewer = r.reviewer AND x.id = r.first AND x.first = r.first) THEN r.first END)) AS first
  FROM reached r GROUP BY r.evaluation_id, r.reviewer, r.id
), places AS (
  SELECT v.evaluation_id, v.reviewer, v.finding_id, row_number() OVER (
    PARTITION BY v.evaluation_id, v.reviewer, coalesce(g.first, v.finding_id)
    ORDER BY f.kept DESC, coalesce(g.first, v.finding_id) <> v.finding_id, f.number) AS place
  FROM (SELECT DISTINCT evaluation_id, reviewer FROM links) l
  JOIN verdicts v ON v.evaluation_id = l.evaluation_id AND v.reviewer = l.reviewer
  JOIN findings f ON f.evaluation_id = v.evaluation_id AND f.id = v.finding_id
  LEFT JOIN firsts g ON g.evaluation_id = v.evaluation_id AND g.reviewer = v.reviewer AND g.id = v.finding_id
  WHERE f.kept AND v.decision IN ('agree', 'override', 'reattribute', 'restore') OR v.decision = 'restore'
), repeats AS (
  SELECT evaluation_id, reviewer, finding_id FROM places WHERE place > 1
), doubtful AS (
  SELECT a.evaluation_id FROM assignments a JOIN plans p ON p.id = a.plan_id GROUP BY a.evaluation_id
  HAVING min(coalesce(json_extract(p.options, '$.order'), '') = 'most doubtful first')
), said AS (
  SELECT f.id AS finding, f.evaluation_id AS evaluation, e.article, e.system, e.direction, e.domain, e.judge,
    f.judge AS step, e.sample, f.number, f.dimension, f.category, f.severity, f.kept,
    r.reviewer, coalesce(r.state, 'not_opened') AS review, r.blind,
    v.decision, v.note, v.at, v.duplicate_of, v.category AS new_category, v.severity AS new_severity,
    coalesce(v.dimension, f.dimension) AS new_dimension,
    CASE
      WHEN v.decision IS NULL THEN 'unseen'
      WHEN v.decision = 'unsure' THEN 'unsure'
      WHEN v.decision IN ('not_an_error', 'duplicate', 'too_strict') THEN 'wrong'
      WHEN EXISTS (SELECT 1 FROM repeats p WHERE p.evaluation_id = f.evaluation_id AND p.reviewer = r.reviewer
        AND p.finding_id = f.id) THEN 'repeated'
      ELSE 'right'
    END AS said,
    CASE
      WHEN e.state = 'score_only' THEN 'score only: no findings to review'
      WHEN e.state = 'judge_failed' THEN 'judge failed: no score is claimed'
      WHEN e.state = 'instruction_failed' THEN 'instruction check failed: no errors to review'
      WHEN e.state = 'no_translation' THEN 'no translation'
      WHEN e.state = 'not_judged' THEN 'not judged: here for what people marked'
      WHEN e.id IN (SELECT evaluation_id FROM doubtful)
        THEN 'chosen by doubt, not at random: they stand for no others'
      WHEN r.state = 'skipped' THEN 'skipped by the reviewer'
      WHEN r.blind = 'started' THEN 'the judge''s findings are still hidden'
      WHEN r.reviewer GLOB '?*:adjudicated' THEN 'settles what others disagree about: no opinion beside theirs'
      WHEN r.reviewer GLOB '?*:again' THEN 'a second answer, held against the first only'
      WHEN NOT f.kept THEN 'dropped as a repeat by the judge'
    END AS aside,
    i.text AS signature, (SELECT n.id FROM evaluations n WHERE n.supersedes = e.id) AS superseded_by
  FROM evaluations e JOIN findings f ON f.evaluation_id = e.id
  LEFT JOIN reviews r ON r.evaluation_id = e.id
  LEFT JOIN verdicts v ON v.evaluation_id = e.id AND v.reviewer = r.reviewer AND v.finding_id = f.id
  LEFT JOIN signatures i ON i.id = e.signature_id
), outcomes AS (
  SELECT *,
    CASE
      WHEN aside IS NOT NULL OR said = 'repeated' THEN 'left out'
      WHEN said IN ('unseen', 'unsure') THEN 'open'
      ELSE said
    END AS outcome,
    CASE
      WHEN aside IS NOT NULL THEN aside
      WHEN said = 'repeated' THEN 'a further place of an error that counts already'
      WHEN reviewer IS NULL THEN 'not reviewed yet'
      WHEN said = 'unseen' THEN 'not yet looked at'
      WHEN said = 'unsure' THEN 'the reviewer is unsure'
    END AS because,
    CASE WHEN said IN ('right', 'repeated') THEN new_dimension END AS human_dimension,
    CASE WHEN said IN ('right', 'repeated')
      THEN coalesce(new_category, CASE WHEN new_dimension = dimension THEN category END) END AS human_category,
    CASE
      WHEN said NOT IN ('right', 'repeated') THEN NULL
      WHEN new_dimension = dimension THEN coalesce(new_severity, severity)
      WHEN new_dimension = 'fluency' THEN 'minor'
      WHEN new_dimension = 'appropriateness' THEN 'major'
      ELSE coalesce(new_severity, 'major')
    END AS human_severity
  FROM said
)
SELECT finding, evaluation, article, system, direction, domain, judge, step, number, dimension, category, severity,
  reviewer, review, outcome, because, said, decision, human_dimension, human_category, human_severity,
  CASE WHEN outcome = 'right' AND human_dimension <> dimension THEN 'wrong' ELSE outcome END AS outcome_by_dimension,
  CASE WHEN outcome = 'right' AND human_category IS NOT category THEN 'wrong' ELSE outcome END AS outcome_by_category,
  CASE WHEN outcome = 'right' AND human_severity IS NOT severity THEN 'wrong' ELSE outcome END AS outcome_by_severity,
  kept, duplicate_of, note, at, blind, signature, sample, superseded_by
FROM outcomes;
"""
"""One name for one thing: ``judge`` is the model, ``step`` the question that it was asked (`judges.model.Judge`).

``outcome`` is the one that `judges.consistency.outcomes` gives a finding, and ``because`` why it counts in no share.
Under a label an error is right where that label stands, too: ``outcome_by_category`` and the like.

A group of errors that repeat one another counts once, as `judges.consistency.outcomes.further_places` says: ``links``
are the repeats of one, ``firsts`` the error that each leads back to (in a ring of them, the least id of the ring).
"""
