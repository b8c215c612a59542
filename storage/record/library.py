"""Articles, translations and evaluations: writing the judge's record once, reading one evaluation whole."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from judges.metric_s.scoring import METRIC_S, Weights
from judges.model import (
    Advice,
    Article,
    Bead,
    EvaluationState,
    Finding,
    Flag,
    Grounded,
    Judgement,
    Proof,
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
from storage.db.rows import RowMapper, to_json
from storage.record.article_versions import said_since
from storage.record.proofs import read_proofs

T = TypeVar("T")

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

    ``duplicate_of`` is the id of the finding that absorbed it, where de-duplication named one. ``proof``: of the
    evaluation's own, or of the latest that was made of it.
    """

    id: str
    number: int
    finding: Finding
    duplicate_of: str | None = None
    grounded: Grounded = NOT_GROUNDED
    proof: Proof | None = None

    @property
    def left_out_unproved(self) -> bool:
        """Return whether it is in no score as its proof failed, and not for de-duplication."""
        return not self.finding.kept and self.proof is not None and self.proof.state == "unproved"


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

    @property
    def judgement(self) -> Judgement:
        """The judgement as it was stored: all that the judges said."""
        at = {each.id: i for i, each in enumerate(self.findings)}
        findings = (
            replace(each.finding, duplicate_of=None if each.duplicate_of is None else at.get(each.duplicate_of))
            for each in self.findings
        )
        return Judgement(
            state=self.state,
            score=self.score,
            failed=self.failed,
            findings=tuple(findings),
            rubric=self.rubric,
            advice=self.advice,
            advice_text=self.advice_text,
            instruction_check=self.instruction_check,
            flags=self.flags,
        )

    def text(self, side: Side) -> str:
        """The text of a side; empty where the system gave no translation."""
        return self.article.source if side == "source" else self.translation or ""

    def find(self, finding_id: str | None) -> StoredFinding | None:
        """The finding with this id, or None."""
        return next((f for f in self.findings if f.id == finding_id), None)


ARTICLES = RowMapper(Article, without=("rubric",))
RUBRIC_POINTS = RowMapper(RubricPoint)
EVALUATIONS = RowMapper(
    StoredEvaluation,
    without=(
        *("article", "translation", "score", "stored_score", "findings", "rubric", "advice", "instruction_check"),
        *("advice_text", "method", "alignment", "signature", "weights", "hidden"),
    ),
)
FINDINGS = RowMapper(Finding, names={"index": "judge_index"}, without=("duplicate_of", "quoted"))
QUOTED = RowMapper(
    Quoted,
    names={
        "source": "source_quote",
        "translation": "translation_quote",
        "context": "context_quote",
        "notes": "quote_notes",
    },
)
RUBRIC_VERDICTS = RowMapper(RubricVerdict)
ADVICE = RowMapper(Advice)
GROUNDED = RowMapper(Grounded, without=("spans",))
SPANS = RowMapper(Span, names={"method": "found_by"})


def add_article(connection: sqlite3.Connection, article: Article) -> tuple[str, bool]:
    """Store an article and its rubric points; return its id and whether it was new."""
    identity = article_id(article)
    if not insert(connection, "articles", [{"id": identity} | ARTICLES.row_of(article)], or_ignore=True):
        return identity, False
    points = [{"article_id": identity} | RUBRIC_POINTS.row_of(point) for point in article.rubric]
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
        "failed": to_json(judgement.failed),
        "stored_accuracy": accuracy,
        "stored_fluency": fluency,
        "stored_appropriateness": appropriateness,
        "stored_total": total,
        "article_id": article_key,
        "translation_id": translation,
        "flags": to_json(tuple(flags)),
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
                "duplicate_of": None if finding.duplicate_of is None else ids[finding.duplicate_of],
                "dimension": finding.dimension,
                **FINDINGS.row_of(finding),
                **(QUOTED.row_of(finding.quoted) if finding.quoted else dict.fromkeys(QUOTED.columns)),
            }
            for i, finding in enumerate(judgement.findings)
        ],
    )
    for table, rows in (
        ("rubric_verdicts", map(RUBRIC_VERDICTS.row_of, judgement.rubric)),
        ("advice", map(ADVICE.row_of, judgement.advice)),
    ):
        of = [{"evaluation_id": identity, "position": i, **row} for i, row in enumerate(rows)]
        insert(connection, table, of)
    return identity


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
        "SELECT article_id, translation_id, signature_id, accuracy, fluency, appropriateness, stored_total, "
        f"stored_accuracy, stored_fluency, stored_appropriateness, {EVALUATIONS.select} FROM evaluations WHERE id = ?",
        (identity,),
    ).fetchone()
    if row is None:
        raise StorageError(f"no evaluation has the id {identity!r:.60}; `discox list` shows the ids")
    (article, translation, signed), points, stored_score, evaluation = row[:3], row[3:6], row[6:10], row[10:]
    signature, weights = read_signature(connection, signed)
    instruction_check, advice_text = connection.execute(
        "SELECT instruction_check, advice_text FROM answers WHERE evaluation_id = ?", (identity,)
    ).fetchone()
    text = connection.execute("SELECT text FROM translations WHERE id = ?", (translation,)).fetchone()[0]
    method, alignment, grounded = _read_grounding(connection, identity)
    return EVALUATIONS.value_of(
        evaluation,
        article=read_article(connection, article),
        translation=text,
        score=Score(*points) if points[0] is not None else None,
        stored_score=stored_score,
        findings=tuple(_read_findings(connection, identity, grounded)),
        rubric=_read_positions(connection, "rubric_verdicts", RUBRIC_VERDICTS, identity),
        advice=_read_positions(connection, "advice", ADVICE, identity),
        instruction_check=instruction_check,
        advice_text=advice_text,
        method=method,
        alignment=alignment,
        signature=signature,
        weights=weights,
    )


def _read_positions(
    connection: sqlite3.Connection, table: str, mapper: RowMapper[T], evaluation_id: str
) -> tuple[T, ...]:
    query = f"SELECT {mapper.select} FROM {table} WHERE evaluation_id = ? ORDER BY position"
    return tuple(map(mapper.value_of, connection.execute(query, (evaluation_id,))))


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
    row = connection.execute(f"SELECT {ARTICLES.select} FROM articles WHERE id = ?", (identity,)).fetchone()
    query = f"SELECT {RUBRIC_POINTS.select} FROM rubric_points WHERE article_id = ? ORDER BY number"
    article = ARTICLES.value_of(row, rubric=tuple(map(RUBRIC_POINTS.value_of, connection.execute(query, (identity,)))))
    said: dict[str, Any] = {**said_since(connection, article.key).get(identity, {})}
    return replace(article, **said)


def _read_findings(
    connection: sqlite3.Connection, identity: str, grounded: dict[str, Grounded]
) -> Iterable[StoredFinding]:
    query = (
        f"SELECT id, number, duplicate_of, {QUOTED.select}, {FINDINGS.select} FROM findings WHERE evaluation_id = ? "
        "ORDER BY number"
    )
    proofs = read_proofs(connection, identity)
    for key, number, duplicate_of, *rest in connection.execute(query, (identity,)):
        given, said = rest[: len(QUOTED.columns)], rest[len(QUOTED.columns) :]
        quoted = QUOTED.value_of(given) if given[-1] is not None else None  # the notes: it was asked to quote
        finding = FINDINGS.value_of(said, quoted=quoted)
        yield StoredFinding(key, number, finding, duplicate_of, grounded.get(key, NOT_GROUNDED), proofs.get(number))


def _read_grounding(connection: sqlite3.Connection, identity: str) -> tuple[str, tuple[Bead, ...], dict[str, Grounded]]:
    row = connection.execute(
        "SELECT method, alignment FROM groundings WHERE evaluation_id = ? ORDER BY at DESC LIMIT 1", (identity,)
    ).fetchone()
    if row is None:
        return "", (), {}
    method = row[0]
    spans: dict[str, list[Span]] = {}
    of = (identity, method)
    for key, *values in connection.execute(
        f"SELECT finding_id, {SPANS.select} FROM spans WHERE evaluation_id = ? AND method = ? "
        "ORDER BY finding_id, position",
        of,
    ):
        spans.setdefault(key, []).append(SPANS.value_of(values))
    query = f"SELECT finding_id, {GROUNDED.select} FROM grounded_findings WHERE evaluation_id = ? AND method = ?"
    grounded = {
        key: GROUNDED.value_of(values, spans=tuple(spans.get(key, ())))
        for key, *values in connection.execute(query, of)
    }
    return method, tuple(Bead(tuple(source), tuple(target)) for source, target in json.loads(row[1])), grounded
