"""Articles of which there are versions: which of them no longer count, their direction and domain as last said."""

from __future__ import annotations

import sqlite3
from collections import defaultdict

from storage.log.events import readable

_UNDONE = f"""
(SELECT u.kind FROM build_events u WHERE u.candidate = v.candidate AND u.kind IN ('undo', 'redo') AND u.target = v.id
 AND {readable("build_events", "u")} ORDER BY u.counter DESC, u.at DESC, u.id DESC LIMIT 1) IS 'undo'
"""
_VERSIONS = f"""
SELECT v.candidate, json_extract(v.changes, '$.article_id') AS article_id,
  row_number() OVER (PARTITION BY v.candidate ORDER BY {_UNDONE}, v.counter DESC, v.at DESC, v.id DESC) AS place
FROM build_events v WHERE v.kind IN ('added', 'revised') AND {readable("build_events", "v")}
  AND v.candidate IN (SELECT candidate FROM build_events WHERE kind = 'revised')
"""
"""The versions of the candidates that have several; the one that counts, the last that is not undone, is the first."""

EARLIER_VERSIONS = f"""(
WITH versions AS ({_VERSIONS})
SELECT * FROM (
  SELECT article_id FROM versions WHERE place > 1 EXCEPT SELECT article_id FROM versions WHERE place = 1
) UNION SELECT r.article_id FROM replaced_articles r JOIN articles a ON a.id = r.article_id WHERE NOT EXISTS (
  SELECT 1 FROM evaluations e JOIN events v ON v.evaluation_id = e.id WHERE e.article = a.key AND e.article_id = a.id
)
)"""
"""The articles, in SQL, that a candidate once was, or would be but for an undo, and those that came without the rubric
that their text has, unless people have worked on them: what is judged of them is kept, and is no result on the
benchmark."""


def said_since(connection: sqlite3.Connection, key: str | None = None) -> dict[str, dict[str, str]]:
    """Return what articles that are versions of candidates, or of one, are said to be of: id → direction, domain,
    subdomain.

    Only of candidates of which anything was revised; all others are as they came. An article's row is a record, and is
    known by its text, so it stays as it is where only these change.
    """
    rows = connection.execute(_SAID_OF_ALL) if key is None else connection.execute(_SAID_OF_ONE, (key,))
    of: dict[str, str] = {}
    said: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for candidate, article, undone, *details in rows:
        of[article] = candidate
        if not undone:
            said[candidate] |= {name: given for name, given in zip(_DETAILS, details, strict=True) if given is not None}
    return {article: said[candidate] for article, candidate in of.items()}


_DETAILS = ("direction", "domain", "subdomain")


def _said(of: str) -> str:
    return f"""
SELECT v.candidate, json_extract(v.changes, '$.article_id'), {_UNDONE},
  {", ".join(f"json_extract(v.changes, '$.{name}')" for name in _DETAILS)}
FROM build_events v WHERE v.kind IN ('added', 'revised') AND {readable("build_events", "v")}
  AND v.candidate IN (SELECT candidate FROM build_events WHERE kind = 'revised' AND {of})
ORDER BY v.counter, v.at, v.id
"""


_SAID_OF_ALL, _SAID_OF_ONE = _said("1"), _said("candidate = ?")
