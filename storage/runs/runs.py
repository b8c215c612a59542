"""Runs of one's own: what there is to judge or to translate, and what came of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from judges.metric_s.protocol.prompts import BUILT_IN
from judges.model import Article, Proof
from storage.base.errors import StorageError
from storage.base.identity import digest, evaluation_id, system_slug, translation_id
from storage.base.text import storable, storable_all, utc
from storage.db.connection import insert
from storage.record.article_versions import EARLIER_VERSIONS
from storage.record.library import FromRun, add_evaluation, has_evaluation, read_article
from storage.record.proofs import add_proofs
from storage.reviews.projections import derive_waiting

if TYPE_CHECKING:
    from judges.metric_s.protocol.protocol import Judged
    from judges.metric_s.protocol.signature import Signature

Command = Literal["judge", "translate", "ground"]

PAGE = 200
"""Translations that are read at once; only their ids are held."""


def start_run(
    connection: sqlite3.Connection,
    command: Command,
    provider: str,
    server: str,
    model: str,
    options: Mapping[str, Any],
    program: str,
) -> int:
    """Note that a run begins, with its JSON-able options (never a key) and the program's version; return its id."""
    row: dict[str, object] = {
        "at": utc(datetime.now(UTC), "seconds"),
        "command": command,
        "provider": provider,
        "server": server,
        "model": model,
        "options": json.dumps(options, ensure_ascii=True, sort_keys=True),
        "program": program,
    }
    insert(connection, "runs", [row])
    return int(connection.execute("SELECT last_insert_rowid()").fetchone()[0])


def recorded_servers(connection: sqlite3.Connection, model: str) -> list[tuple[str, str, int]]:
    """Return where a model was asked, as (provider, server, number of calls), most calls first."""
    rows = connection.execute(
        "SELECT q.provider, q.server, count(*) FROM calls c JOIN requests q ON q.id = c.request_id WHERE q.model = ? "
        "GROUP BY q.provider, q.server ORDER BY count(*) DESC",
        (model,),
    )
    return [(provider, server, calls) for provider, server, calls in rows]


# Judging


@dataclass(frozen=True, slots=True)
class Work:
    """A translation to be judged. ``sample``: 1-based. ``standing``: its evaluation so far; ``failed``: a judge failed
    in that, so that the next is to take its place.
    """

    translation_id: str
    sample: int
    standing: str | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Numbers of samples of translations by state; each is in one.

    ``to_do``: no evaluation yet. ``failed``: a judge failed. ``no_translation``: noted that there is nothing to judge.
    """

    to_do: int
    done: int
    failed: int
    no_translation: int


def work(
    connection: sqlite3.Connection,
    asked: str,
    samples: int = 1,
    systems: Collection[str] = (),
    articles: Collection[str] = (),
    *,
    translations: Collection[str] = (),
    retry_failed: bool = False,
    again: bool = False,
) -> Iterator[Work]:
    """Yield what has no evaluation yet under a signature's ``asked``, in the order the translations came.

    ``systems``, ``articles`` (keys or ids), ``translations`` (ids): only these, or all if empty. ``retry_failed``: that
    in which a judge failed, too. ``again``: that which is done as well. A translation whose system gave no text is
    yielded like the others. The database may be written to meanwhile; what is added behind is yielded too. Raises
    StorageError for a name that nothing has.
    """
    chosen, values = _chosen(connection, systems, articles, translations)
    query = f"{_stands_sql(chosen)} ORDER BY s.place, s.sample"
    wanted = {"to_do"} | ({"failed"} if retry_failed else set()) | ({"failed", "done"} if again else set())
    after = 0
    while True:
        page = connection.execute(query, {**values, "asked": asked, "samples": samples, "after": after, "page": PAGE})
        rows = page.fetchall()
        for _, translation, sample, state, evaluation in rows:
            if state in wanted:
                yield Work(translation, sample, evaluation, state == "failed")
        if not rows:
            return
        after = rows[-1][0]


def progress(
    connection: sqlite3.Connection,
    asked: str,
    samples: int = 1,
    systems: Collection[str] = (),
    articles: Collection[str] = (),
    *,
    translations: Collection[str] = (),
) -> Progress:
    """Count what ``work`` chooses from, by what came of it."""
    chosen, values = _chosen(connection, systems, articles, translations)
    query = f"SELECT state, count(*) FROM ({_stands_sql(chosen)}) GROUP BY state"
    values |= {"asked": asked, "samples": samples, "after": 0, "page": -1}
    counts: dict[str, int] = dict(connection.execute(query, values).fetchall())
    return Progress(*(counts.get(state, 0) for state in ("to_do", "done", "failed", "no_translation")))


def directions(
    connection: sqlite3.Connection,
    systems: Collection[str] = (),
    articles: Collection[str] = (),
    *,
    translations: Collection[str] = (),
) -> dict[str, int]:
    """Count the articles that ``work`` chooses translations of, by their direction; "" where nobody said it."""
    chosen, values = _chosen(connection, systems, articles, translations)
    query = (
        "SELECT a.direction, count(DISTINCT a.id) FROM translations t JOIN articles a ON a.id = t.article_id "
        f"WHERE {chosen} GROUP BY a.direction ORDER BY a.direction"
    )
    return dict(connection.execute(query, values).fetchall())


def _stands_sql(chosen: str) -> str:
    """Samples of each chosen translation, with the evaluation that stands for each: one that is no failure, if any."""
    return f"""
WITH RECURSIVE
chosen AS (SELECT t.rowid AS place, t.id AS id FROM translations t JOIN articles a ON a.id = t.article_id
  WHERE t.rowid > :after AND {chosen} ORDER BY t.rowid LIMIT :page),
numbers(sample) AS (VALUES (1) UNION ALL SELECT sample + 1 FROM numbers WHERE sample < :samples),
standing AS (SELECT c.place, c.id, n.sample, (SELECT e.position FROM evaluations e
    JOIN signatures g ON g.id = e.signature_id
    WHERE e.translation_id = c.id AND e.sample = n.sample AND g.asked = :asked
    ORDER BY e.state = 'judge_failed', e.position DESC LIMIT 1) AS position
  FROM chosen c CROSS JOIN numbers n)
SELECT s.place, s.id, s.sample, CASE e.state WHEN 'judge_failed' THEN 'failed' WHEN 'no_translation'
  THEN 'no_translation' ELSE iif(e.state IS NULL, 'to_do', 'done') END AS state,
  e.id
FROM standing s LEFT JOIN evaluations e ON e.position = s.position
"""


def _chosen(
    connection: sqlite3.Connection, systems: Collection[str], articles: Collection[str], translations: Collection[str]
) -> tuple[str, dict[str, Any]]:
    """Return the SQL condition on translations ``t`` and articles ``a`` that these names stand for, and its values."""
    clauses, values = [_articles_clause(connection, articles)], {"articles": json.dumps(list(articles))}
    if systems:
        known = _spellings(connection)
        for name in systems:
            if system_slug(name) not in known:
                raise StorageError(f"there is no translation by {name!r:.60}; `discox list` shows the systems")
        clauses.append("t.system IN (SELECT value FROM json_each(:systems))")
        values["systems"] = json.dumps([spelt for name in systems for spelt in known[system_slug(name)]])
    if translations:
        clauses.append("t.id IN (SELECT value FROM json_each(:translations))")
        values["translations"] = json.dumps(list(translations))
    return " AND ".join(clauses), values


def _articles_clause(connection: sqlite3.Connection, articles: Collection[str]) -> str:
    """Return the SQL condition on articles ``a``; of a candidate's versions the one that counts, or one by its id."""
    for name in articles:
        if not connection.execute("SELECT 1 FROM articles WHERE key = ? OR id = ?", (name, name)).fetchone():
            raise StorageError(f"no article has the name {name!r:.60}; check the keys in the data set")
    named = "(SELECT value FROM json_each(:articles))"
    return f"({f'a.key IN {named}' if articles else '1'} AND a.id NOT IN {EARLIER_VERSIONS} OR a.id IN {named})"


def _spellings(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the names of systems as translations spell them, the commonest first, by their common form."""
    known: dict[str, list[str]] = {}
    for (name,) in connection.execute("SELECT system FROM translations GROUP BY system ORDER BY count(*) DESC, system"):
        known.setdefault(system_slug(name), []).append(name)
    return known


def load(connection: sqlite3.Connection, translation_id: str) -> tuple[Article, str, str | None]:
    """Return a translation's article, its system, and its text (None: the system gave none)."""
    article, system, text = connection.execute(
        "SELECT article_id, system, text FROM translations WHERE id = ?", (translation_id,)
    ).fetchone()
    return read_article(connection, article), system, text


def longest_translation(
    connection: sqlite3.Connection,
    systems: Collection[str] = (),
    articles: Collection[str] = (),
    *,
    translations: Collection[str] = (),
) -> str | None:
    """Return the translation that ``work`` chooses from with which most is sent; None where none has a text.

    By bytes of source, translation and rubric points: with any script about as many to a token.
    """
    chosen, values = _chosen(connection, systems, articles, translations)
    row = connection.execute(
        "SELECT t.id FROM translations t JOIN articles a ON a.id = t.article_id "
        f"WHERE {chosen} AND trim(t.text, char(9, 10, 13, 32)) <> '' "
        "ORDER BY length(CAST(a.source AS BLOB)) + length(CAST(t.text AS BLOB)) + coalesce((SELECT "
        "sum(length(CAST(p.text AS BLOB))) FROM rubric_points p WHERE p.article_id = a.id), 0) DESC, t.rowid LIMIT 1",
        values,
    ).fetchone()
    return row[0] if row else None


def judge_label(signature: Signature, sample: int) -> str:
    """Return what people read in lists: the model, whatever is unusual in how it was asked, and the sample.

    Unusual: another scheme than the full one, explanations in another language than Chinese, prompts of one's own,
    examples, another model for de-duplication, errors that were proved.
    """
    advised = signature.deduplication.removeprefix("model(").removesuffix(")+code")
    unusual = [
        signature.judge,
        *([signature.scheme.replace("_", "-")] if signature.scheme != "full" else []),
        *([signature.explain_in] if signature.explain_in != "zh" else []),
        *([signature.prompts] if not signature.prompts.startswith(f"{BUILT_IN}/") else []),
        *([_examples_label(signature)] if signature.examples else []),
        *([f"dedup-{advised}"] if advised != signature.deduplication else []),
        *(["proved"] if signature.proof else []),
    ]
    return storable(f"{':'.join(unusual)}{'' if sample == 1 else f'#{sample}'}")


def _examples_label(signature: Signature) -> str:
    """The pack's name and the beginning of its id, and into how many folds it was dealt."""
    name, _, identity = signature.examples.rpartition("/")
    return f"{name}/{identity[:8]}" + (f"x{signature.cross_fitted}" if signature.cross_fitted else "")


def store_judged(connection: sqlite3.Connection, run_id: int, done: Work, signature: Signature, judged: Judged) -> str:
    """Store what the judges said of a translation, with its signature; return the evaluation's id.

    Stored once: the same again changes nothing. Call inside a transaction.
    """
    signed: dict[str, object] = {
        "id": signature.id,
        "asked": signature.asked,
        "text": storable(signature.text),
        "fields": json.dumps(signature.fields(), sort_keys=True),
    }
    insert(connection, "signatures", [signed], or_ignore=True)
    judgement = storable_all(judged.judgement)
    raw = json.dumps(
        {
            "signature": signature.text,
            "sample": done.sample,
            "answers": {step: asdict(answered) for step, answered in judged.answers.items()},
            "judgement": digest(judgement),
        },
        sort_keys=True,
    )
    judge = judge_label(signature, done.sample)
    identity = evaluation_id(done.translation_id, judge, raw)
    if not has_evaluation(connection, identity):
        supersedes = done.standing if done.failed else None
        origin = FromRun(
            run_id=run_id,
            signature_id=signature.id,
            sample=done.sample,
            quotes=judged.quotes,
            quotes_verified=judged.quotes_verified,
            supersedes=supersedes,
        )
        add_evaluation(connection, done.translation_id, judge, judgement, origin, raw=raw, flags=judgement.flags)
        derive_waiting(connection, "VALUES (?)", (identity,))
    return identity


def store_proved(
    connection: sqlite3.Connection,
    run_id: int,
    done: Work,
    original: str,
    signature: Signature,
    judged: Judged,
    proofs: Sequence[Proof | None],
) -> str:
    """Store an evaluation in which only proved errors count, with the proofs; return its id.

    ``original``: the evaluation that they are the errors of, which stays as it is. Call inside a transaction.
    """
    identity = store_judged(connection, run_id, done, signature, judged)
    add_proofs(connection, identity, original, proofs)
    return identity


def repeats(connection: sqlite3.Connection, evaluation: str, judged: Judged) -> bool:
    """Say whether a stored evaluation from a run holds the very judgement that ``judged`` is."""
    row = connection.execute("SELECT raw FROM answers WHERE evaluation_id = ?", (evaluation,)).fetchone()
    return row is not None and json.loads(row[0])["judgement"] == digest(storable_all(judged.judgement))


def signatures_of(connection: sqlite3.Connection, run_id: int) -> list[str]:
    """Return the signatures of what a run stored, the commonest first; of an evaluation without an answer none."""
    rows = connection.execute(
        "SELECT g.text FROM evaluations e JOIN signatures g ON g.id = e.signature_id WHERE e.run_id = ? "
        "AND json_array_length(g.fields, '$.formats') > 0 GROUP BY g.id ORDER BY count(*) DESC, g.text",
        (run_id,),
    )
    return [text for (text,) in rows]


# Translating


def known_as(connection: sqlite3.Connection, system: str) -> str:
    """Return how a system's name is spelt here already, or the name as it is where nothing is by that system."""
    return _spellings(connection).get(system_slug(system), [system])[0]


def articles_to_translate(
    connection: sqlite3.Connection, system: str, articles: Collection[str] = ()
) -> Iterator[tuple[str, Article]]:
    """Yield, with their ids, the articles of which ``system`` has no text yet, in the order they came.

    ``articles`` (keys or ids): only these, or all if empty. Raises StorageError for a name that nothing has.
    """
    clause = _articles_clause(connection, articles)
    spelt = _spellings(connection).get(system_slug(system), [])
    values = {"articles": json.dumps(list(articles)), "systems": json.dumps(spelt)}
    ids: Sequence[tuple[str]] = connection.execute(
        f"SELECT a.id FROM articles a WHERE {clause} AND NOT EXISTS (SELECT 1 FROM translations t "
        "WHERE t.article_id = a.id AND t.text IS NOT NULL AND t.system IN (SELECT value FROM json_each(:systems))) "
        "ORDER BY a.rowid",
        values,
    ).fetchall()
    for (identity,) in ids:
        yield identity, read_article(connection, identity)


def store_translation(
    connection: sqlite3.Connection, run_id: int, article_id: str, system: str, text: str, request_id: str
) -> str:
    """Store a translation that a run made, and what it was asked with; return its id. Call inside a transaction."""
    text = storable(text)
    identity = translation_id(article_id, system, text)
    row: dict[str, object] = {"id": identity, "article_id": article_id, "system": system, "text": text}
    insert(connection, "translations", [row], or_ignore=True)
    made: dict[str, object] = {
        "translation_id": identity,
        "run_id": run_id,
        "request_id": request_id,
        "at": utc(datetime.now(UTC), "seconds"),
    }
    insert(connection, "made_translations", [made], or_ignore=True)
    return identity
