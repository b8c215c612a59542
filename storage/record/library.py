"""Articles, translations and evaluations: writing the judge's record once, reading one evaluation whole."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from judges.metric_s.scoring import METRIC_S, Weights
from judges.model import (
    Advice,
    Article,
    Bead,
    EvaluationState,
    Finding,
    Flag,
    Grounded,
    Judge,
    Judgement,
    Quoted,
    RubricPoint,
    RubricVerdict,
    Score,
    Side,
    Span,
    Step,
    StoredScore,
)
from storage.base.errors import StorageError
from storage.base.identity import article_id, evaluation_id, finding_id, translation_id
from storage.base.text import for_like
from storage.db.connection import insert
from storage.record.article_versions import said_since

NOT_GROUNDED = Grounded()


NO_SCORE: StoredScore = (None, None, None, None)


@dataclass(frozen=True, slots=True)
class FromFile:
    """An evaluation's origin is a line of an imported file.

    ``supersedes``: the evaluation that it takes the place of, which read the same by another mapping.
    """

    import_id: int
    line: int
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class FromRun:
    """An evaluation's origin is a run of one's own, by a stored signature.

    ``sample``: 1-based. ``quotes``, ``quotes_verified``: how many the judges gave, and how many occur in the texts.
    ``supersedes``: the failed evaluation that it takes the place of.
    """

    run_id: int
    signature_id: str
    sample: int = 1
    quotes: int = 0
    quotes_verified: int = 0
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A finding with its stable identity, its number in the evaluation and where it was located.

    ``duplicate_of`` is the id of the finding that absorbed it, where de-duplication named one.
    """

    id: str
    number: int
    finding: Finding
    duplicate_of: str | None = None
    grounded: Grounded = NOT_GROUNDED


@dataclass(frozen=True, slots=True)
class StoredEvaluation:
    """Everything known of one evaluation: both texts, what the judges said, where it is, what came of it.

    ``method`` names the grounding that ``findings`` carry, or is empty where none was done yet. ``signature``: what
    decided the score, in one line, empty for an imported one; ``weights``: by which it was scored. ``quotes``,
    ``quotes_verified``: None where the judges were not asked to quote, or a file does not say. ``hidden``: what the
    judge said was taken out, as a reviewer must not see it yet.
    """

    id: str
    article: Article
    system: str
    translation: str | None
    judge: str
    state: EvaluationState
    failed: tuple[Step, ...]
    score: Score | None
    stored_score: StoredScore
    findings: tuple[StoredFinding, ...]
    rubric: tuple[RubricVerdict, ...]
    advice: tuple[Advice, ...]
    flags: tuple[Flag, ...]
    instruction_check: str
    advice_text: str
    method: str = ""
    alignment: tuple[Bead, ...] = ()
    signature: str = ""
    sample: int = 1
    quotes: int | None = None
    quotes_verified: int | None = None
    weights: Weights = METRIC_S
    hidden: bool = False

    @property
    def errors(self) -> tuple[StoredFinding, ...]:
        """The findings that stand after de-duplication."""
        return tuple(f for f in self.findings if f.finding.kept)

    def text(self, side: Side) -> str:
        """The text of a side; empty where the system gave no translation."""
        return self.article.source if side == "source" else self.translation or ""

    def find(self, finding_id: str | None) -> StoredFinding | None:
        """The finding with this id, or None."""
        return next((f for f in self.findings if f.id == finding_id), None)


def add_article(connection: sqlite3.Connection, article: Article) -> tuple[str, bool]:
    """Store an article and its rubric points; return its id and whether it was new."""
    identity = article_id(article)
    row = {
        "id": identity,
        "key": article.key,
        "direction": article.direction,
        "domain": article.domain,
        "subdomain": article.subdomain,
        "prompt": article.prompt,
        "rubric_text": article.rubric_text,
        "source": article.source,
    }
    if not insert(connection, "articles", [row], or_ignore=True):
        return identity, False
    points = [{"article_id": identity, "number": point.number, "text": point.text} for point in article.rubric]
    insert(connection, "rubric_points", points, or_ignore=True)
    return identity, True


def add_translation(connection: sqlite3.Connection, article: Article, system: str, text: str | None) -> str:
    """Store a system's translation, and its article, where they are not yet; return the translation's id."""
    article_key, _ = add_article(connection, article)
    return add_translation_of(connection, article_key, system, text)


def add_translation_of(connection: sqlite3.Connection, article: str, system: str, text: str | None) -> str:
    """Store a system's translation of a stored article, by its id, where it is not yet; return the translation's id."""
    identity = translation_id(article, system, text)
    row: dict[str, object] = {"id": identity, "article_id": article, "system": system, "text": text}
    insert(connection, "translations", [row], or_ignore=True)
    return identity


def identify(article: Article, system: str, text: str | None, judge: str, raw: str) -> str:
    """Return the id that an evaluation has, in every database."""
    return evaluation_id(translation_id(article_id(article), system, text), judge, raw)


def has_evaluation(connection: sqlite3.Connection, identity: str) -> bool:
    """Say whether the evaluation is stored already."""
    return connection.execute("SELECT 1 FROM evaluations WHERE id = ?", (identity,)).fetchone() is not None


def add_evaluation(
    connection: sqlite3.Connection,
    translation: str,
    judge: str,
    judgement: Judgement,
    origin: FromFile | FromRun,
    *,
    raw: str,
    stored_score: StoredScore = NO_SCORE,
    flags: Iterable[Flag] = (),
) -> str:
    """Store an evaluation of a stored translation, with its findings, rubric verdicts and advice; return its id.

    ``judge``: the model's name for people; ``raw``: what was answered, part of the identity. It must not be there yet.
    """
    article_key, system, article, direction, domain = connection.execute(
        "SELECT a.id, t.system, a.key, a.direction, a.domain "
        "FROM translations t JOIN articles a ON a.id = t.article_id WHERE t.id = ?",
        (translation,),
    ).fetchone()
    said = said_since(connection, article).get(article_key, {})
    identity = evaluation_id(translation, judge, raw)
    points = judgement.score
    total, accuracy, fluency, appropriateness = stored_score
    row: dict[str, object] = {
        "id": identity,
        "article": article,
        "system": system,
        "direction": said.get("direction", direction),
        "domain": said.get("domain", domain),
        "judge": judge,
        "state": judgement.state,
        "accuracy": points and points.accuracy,
        "fluency": points and points.fluency,
        "appropriateness": points and points.appropriateness,
        "total": points and points.total,
        "errors": sum(finding.kept for finding in judgement.findings),
        "failed": _dump(judgement.failed),
        "stored_accuracy": accuracy,
        "stored_fluency": fluency,
        "stored_appropriateness": appropriateness,
        "stored_total": total,
        "article_id": article_key,
        "translation_id": translation,
        "flags": _dump([[flag.code, flag.message] for flag in flags]),
        **asdict(origin),
    }
    insert(connection, "evaluations", [row])
    row = {
        "evaluation_id": identity,
        "instruction_check": judgement.instruction_check,
        "advice_text": judgement.advice_text,
        "raw": raw,
    }
    insert(connection, "answers", [row])
    ids = [finding_id(identity, finding) for finding in judgement.findings]
    insert(
        connection,
        "findings",
        [
            {
                "id": ids[i],
                "evaluation_id": identity,
                "number": i + 1,
                "judge": f.judge,
                "judge_index": f.index,
                "dimension": f.dimension,
                "category": f.category,
                "category_label": f.category_label,
                "severity": f.severity,
                "severity_label": f.severity_label,
                "rubric_point": f.rubric_point,
                "hint": f.hint,
                "explanation": f.explanation,
                "kept": f.kept,
                "duplicate_of": None if f.duplicate_of is None else ids[f.duplicate_of],
                "advice": f.advice,
                **_quoted_columns(f.quoted),
            }
            for i, f in enumerate(judgement.findings)
        ],
    )
    insert(
        connection,
        "rubric_verdicts",
        [
            {
                "evaluation_id": identity,
                "position": i,
                "point": v.point,
                "met": v.met,
                "label": v.label,
                "hint": v.hint,
                "explanation": v.explanation,
            }
            for i, v in enumerate(judgement.rubric)
        ],
    )
    insert(
        connection,
        "advice",
        [
            {
                "evaluation_id": identity,
                "position": i,
                "text": a.text,
                "drops": _dump(a.drops),
                "keeps": _dump(a.keeps),
                "status": a.status,
            }
            for i, a in enumerate(judgement.advice)
        ],
    )
    return identity


def _quoted_columns(quoted: Quoted | None) -> dict[str, object]:
    given = quoted or Quoted()
    return {
        "source_quote": given.source,
        "translation_quote": given.translation,
        "context_quote": given.context,
        "suggestion": given.suggestion,
        "source_paragraph": given.source_paragraph,
        "translation_paragraph": given.translation_paragraph,
        "quote_notes": None if quoted is None else _dump(given.notes),
    }


def _quoted(notes: str | None, *given: Any) -> Quoted | None:
    if notes is None:
        return None
    source, translation, context, suggestion, source_paragraph, translation_paragraph = given
    places = source_paragraph, translation_paragraph
    return Quoted(source, translation, context, suggestion, *places, notes=tuple(json.loads(notes)))


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def contents(connection: sqlite3.Connection) -> tuple[int, dict[str, int]]:
    """Return how many articles there are, and system → how many translations."""
    articles = connection.execute("SELECT count(*) FROM articles").fetchone()[0]
    systems = connection.execute("SELECT system, count(*) FROM translations GROUP BY system ORDER BY system")
    return int(articles), dict(systems.fetchall())


def resolve(connection: sqlite3.Connection, given: str) -> str:
    """Return the id of the evaluation that ``given`` names: a whole id, or the beginning of just one.

    A whole id is one also where others begin with it. Raises StorageError where none or several begin like that.
    """
    if connection.execute("SELECT 1 FROM evaluations WHERE id = ?", (given,)).fetchone():
        return given
    rows = connection.execute(
        "SELECT id FROM evaluations WHERE id LIKE ? ESCAPE '\\' LIMIT 2", (f"{for_like(given)}%",)
    ).fetchall()
    if len(rows) == 1 and given:
        return str(rows[0][0])
    problem = "several evaluations begin with" if rows else "no evaluation has the id"
    raise StorageError(f"{problem} {given!r:.60}; `discox list` shows the ids")


def read_evaluation(connection: sqlite3.Connection, identity: str) -> StoredEvaluation:
    """Return one evaluation whole. Raises StorageError if it is not there."""
    row = connection.execute(
        "SELECT article_id, system, translation_id, judge, state, failed, accuracy, fluency, appropriateness, "
        "stored_total, stored_accuracy, stored_fluency, stored_appropriateness, flags, signature_id, sample, quotes, "
        "quotes_verified FROM evaluations WHERE id = ?",
        (identity,),
    ).fetchone()
    if row is None:
        raise StorageError(f"no evaluation has the id {identity!r:.60}; `discox list` shows the ids")
    article_key, system, translation, judge, state, failed, *points = row[:9]
    total, a, f, p, flags, signed, sample, quotes, quotes_verified = row[9:]
    signature, weights = read_signature(connection, signed)
    instruction_check, advice_text = connection.execute(
        "SELECT instruction_check, advice_text FROM answers WHERE evaluation_id = ?", (identity,)
    ).fetchone()
    text = connection.execute("SELECT text FROM translations WHERE id = ?", (translation,)).fetchone()[0]
    method, alignment, grounded = _read_grounding(connection, identity)
    return StoredEvaluation(
        identity,
        read_article(connection, article_key),
        system,
        text,
        judge,
        state,
        tuple(json.loads(failed)),
        Score(*points) if points[0] is not None else None,
        (total, a, f, p),
        tuple(_read_findings(connection, identity, grounded)),
        tuple(
            RubricVerdict(point, None if met is None else bool(met), explanation, hint, label)
            for point, met, explanation, hint, label in connection.execute(
                "SELECT point, met, explanation, hint, label FROM rubric_verdicts WHERE evaluation_id = ? "
                "ORDER BY position",
                (identity,),
            )
        ),
        tuple(
            Advice(advised, _pairs(drops), _pairs(keeps), status)
            for advised, drops, keeps, status in connection.execute(
                "SELECT text, drops, keeps, status FROM advice WHERE evaluation_id = ? ORDER BY position", (identity,)
            )
        ),
        tuple(Flag(code, message) for code, message in json.loads(flags)),
        instruction_check,
        advice_text,
        method,
        alignment,
        signature,
        sample,
        quotes,
        quotes_verified,
        weights,
    )


def read_signature(connection: sqlite3.Connection, identity: str | None) -> tuple[str, Weights]:
    """Return a stored signature as text, and its weights; of an imported evaluation, which has none, "" and Metric-S's.

    The weights decide what a reviewer's score is made of, too.
    """
    if identity is None:
        return "", METRIC_S
    text, fields = connection.execute("SELECT text, fields FROM signatures WHERE id = ?", (identity,)).fetchone()
    return text, Weights.of(json.loads(fields)["weights"])


def read_article(connection: sqlite3.Connection, identity: str) -> Article:
    """Return a stored article with its rubric points; a candidate's is of the direction and domain it is said to be."""
    key, source, direction, domain, subdomain, prompt, rubric_text = connection.execute(
        "SELECT key, source, direction, domain, subdomain, prompt, rubric_text FROM articles WHERE id = ?", (identity,)
    ).fetchone()
    points = connection.execute(
        "SELECT number, text FROM rubric_points WHERE article_id = ? ORDER BY number", (identity,)
    )
    rubric = tuple(RubricPoint(number, text) for number, text in points)
    said = said_since(connection, key).get(identity, {"direction": direction, "domain": domain, "subdomain": subdomain})
    return Article(key, source, **said, prompt=prompt, rubric_text=rubric_text, rubric=rubric)


def _pairs(text: str) -> tuple[tuple[Judge, int], ...]:
    return tuple((judge, number) for judge, number in json.loads(text))


def _read_findings(
    connection: sqlite3.Connection, identity: str, grounded: dict[str, Grounded]
) -> Iterable[StoredFinding]:
    rows = connection.execute(
        "SELECT id, number, judge, judge_index, explanation, hint, category, category_label, severity, "
        "severity_label, rubric_point, kept, duplicate_of, advice, quote_notes, source_quote, translation_quote, "
        "context_quote, suggestion, source_paragraph, translation_paragraph FROM findings WHERE evaluation_id = ? "
        "ORDER BY number",
        (identity,),
    )
    for key, number, judge, index, explanation, hint, category, label, severity, written, point, kept, *rest in rows:
        duplicate_of, advice, quoted = rest[0], rest[1], _quoted(*rest[2:])
        finding = Finding(
            judge, index, explanation, hint, category, label, severity, written, point, bool(kept), None, advice, quoted
        )
        yield StoredFinding(key, number, finding, duplicate_of, grounded.get(key, NOT_GROUNDED))


def _read_grounding(connection: sqlite3.Connection, identity: str) -> tuple[str, tuple[Bead, ...], dict[str, Grounded]]:
    row = connection.execute(
        "SELECT method, alignment FROM groundings WHERE evaluation_id = ? ORDER BY at DESC LIMIT 1", (identity,)
    ).fetchone()
    if row is None:
        return "", (), {}
    method, alignment = row
    spans: dict[str, list[Span]] = {}
    for key, *values in connection.execute(
        'SELECT finding_id, side, start, "end", role, found_by, confidence, occurrence, occurrences FROM spans '
        "WHERE evaluation_id = ? AND method = ? ORDER BY finding_id, position",
        (identity, method),
    ):
        spans.setdefault(key, []).append(Span(*values))
    grounded = {
        key: Grounded(
            tuple(spans.get(key, ())),
            source_paragraph,
            translation_paragraph,
            tuple((side, text) for side, text in json.loads(unlocated)),
        )
        for key, source_paragraph, translation_paragraph, unlocated in connection.execute(
            "SELECT finding_id, source_paragraph, translation_paragraph, unlocated FROM grounded_findings "
            "WHERE evaluation_id = ? AND method = ?",
            (identity, method),
        )
    }
    beads = tuple(Bead(tuple(source), tuple(target)) for source, target in json.loads(alignment))
    return method, beads, grounded
