"""Which articles are versions of candidates that no longer count, for queries over all that the library holds."""

from __future__ import annotations

_VERSIONS = """
SELECT v.candidate, json_extract(v.changes, '$.article_id') AS article_id, row_number() OVER (
  PARTITION BY v.candidate ORDER BY (SELECT u.kind FROM build_events u WHERE u.candidate = v.candidate
    AND u.kind IN ('undo', 'redo') AND u.target = v.id ORDER BY u.at DESC, u.id DESC LIMIT 1) IS 'undo',
    v.at DESC, v.id DESC) AS place
FROM build_events v WHERE v.kind IN ('added', 'revised')
  AND v.candidate IN (SELECT candidate FROM build_events WHERE kind = 'revised')
"""
"""The versions of the candidates that have several; the one that counts, the last that is not undone, is the first."""

EARLIER_VERSIONS = f"""(
WITH versions AS ({_VERSIONS})
SELECT article_id FROM versions WHERE place > 1 EXCEPT SELECT article_id FROM versions WHERE place = 1
)"""
"""The articles, in SQL, that a candidate once was, or would be but for an undo: what is judged of them is kept, and is
no result on the benchmark."""
