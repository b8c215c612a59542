"""Small libraries for tests, made through the same door as real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judges.metric_s.protocol.protocol import Answered, Judged, Scheme, Settings, weights_of
from judges.metric_s.protocol.signature import Signature
from judges.metric_s.scoring import judge_deduction as cost_of
from judges.metric_s.scoring import score
from judges.model import (
    Article,
    EvaluationState,
    Finding,
    Judgement,
    RubricPoint,
    RubricVerdict,
    Step,
    StoredScore,
)
from judges.providers.model import Attempt, Form, Outcome, Request, Tokens
from storage.db.connection import Connection, insert, transaction
from storage.integrity.opening import open_library
from storage.record.library import FromFile, add_article, add_evaluation, add_translation
from storage.runs import batches
from storage.runs.runs import Work, start_run, store_judged, store_translation

SOURCE = "河水在冬天变浅。\n\n渡船仍旧每晚过江，船上的人很少。\n\n老人说：“江是不会等人的。”"
TRANSLATION = (
    "The river grows shallow in winter.\n\nThe ferry still crosses every night, with few passengers.\n\n"
    'The old man said, "The river waits for no one."'
)


def findings() -> tuple[Finding, ...]:
    """One finding of each kind, one of them dropped for another."""
    return (
        Finding(
            "accuracy",
            1,
            "“变浅”译为“grows shallow”，应译为“runs low”。",
            "1",
            "mistranslation",
            "错译",
            "major",
            "普通",
        ),
        Finding("accuracy", 2, "“仍旧”译为“still”，没有问题。", "2", "omission", "漏译", "critical", "严重"),
        Finding("rubric", 1, "“渡船”未按考点译出。", "2", "rubric_point", "", "violated", "错误", 1),
        Finding("fluency", 1, "“with few passengers”不通顺。", "2", "grammar", "语法正确性", "minor", "有问题"),
        Finding(
            "fluency", 2, "“grows shallow”搭配不当。", "1", "grammar", "语法正确性", "minor", "有问题", None, False, 0
        ),
        Finding("appropriateness", 1, "“waits for no one”风格不符。", "3", "style", "风格", "major", "有问题"),
    )


def add(
    connection: Connection,
    *,
    article: str = "river-01",
    system: str = "heron",
    state: str = "scored",
    source: str = SOURCE,
    translation: str | None = TRANSLATION,
    found: tuple[Finding, ...] | None = None,
    stored_score: StoredScore = (None, None, None, None),
    domain: str = "文学",
    judge: str = "osprey",
    direction: str = "zh-en",
) -> str:
    """Store one evaluation and return its id."""
    found = findings() if found is None else found
    subject = Article(
        article,
        source,
        direction,
        domain,
        "散文",
        "",
        "考点1：“渡船”推荐译为“ferry”",
        (RubricPoint(1, "“渡船”推荐译为“ferry”"),),
    )
    points = score(cost for finding in found if (cost := cost_of(finding)))
    judgement = Judgement(
        state,  # type: ignore[arg-type]
        points if state == "scored" else None,
        () if state != "judge_failed" else ("fluency",),
        found,
        (RubricVerdict(1, met=False, explanation="未译"),),
    )
    with transaction(connection):
        connection.execute("PRAGMA defer_foreign_keys = ON")
        number = 1 + connection.execute("SELECT coalesce(max(id), 0) FROM imports").fetchone()[0]
        identity = add_evaluation(
            connection,
            add_translation(connection, subject, system, translation),
            judge,
            judgement,
            FromFile(number, 1),
            raw=f"{article} {system}",
            stored_score=stored_score,
        )
        row: dict[str, object] = dict.fromkeys(("at", "file", "sha256", "format", "options", "program"), "")
        row |= dict.fromkeys(("rows", "stored", "unchanged", "left_out"), 0) | {"id": number, "sha256": identity}
        insert(connection, "imports", [row])
    return identity


def two_evaluations(path: Path) -> tuple[Connection, list[str]]:
    """Make a library file with two evaluations of different systems, their errors not located."""
    connection = open_library(path)
    return connection, [add(connection, system=f"system-{i}") for i in range(2)]


SERVER = "http://127.0.0.1:1/v1"


def request(step: str = "accuracy", **changes: Any) -> Request:
    """What a judge is asked."""
    parts = {"system": "You judge.", "documents": f"{SOURCE}\n\n{TRANSLATION}", "task": f"Find {step}."}
    whole = {
        "provider": "openai",
        "server": SERVER,
        "model": "osprey",
        "schema": {"type": "object"},
        **parts,
        **changes,
    }
    return Request(step, **whole)


def attempt(asked: Request, outcome: Outcome = "ok", **changes: Any) -> Attempt:
    """One try at it."""
    parts: dict[str, Any] = {"status": 200, "answer": "{}", "model": "osprey-2", "finish": "stop", "read_by": "json"}
    if outcome != "ok":
        parts = {"status": 503, "error": "the server is busy"}
    tokens = Tokens(900, 100, 50, 20) if outcome == "ok" else Tokens()
    return Attempt(**{"request": asked, "form": Form(), "outcome": outcome, "started": 1.78e9, "seconds": 1.5,
                      "tokens": tokens, **parts, **changes})  # fmt: skip


def start(connection: Connection) -> int:
    """Begin a run."""
    return start_run(connection, "judge", "openai", SERVER, "osprey", {"samples": 1}, "0.2")


def signature(scheme: Scheme = "full", answered: tuple[str, ...] = ("osprey-2",)) -> Signature:
    """What decides the scores of a run."""
    said = Judged(Judgement("scored", None), {}, answered, ("json_schema",))
    return Signature.of(Settings("openai", SERVER, "osprey", scheme=scheme), "0.2", said)


def judged(
    state: EvaluationState = "scored", found: tuple[Finding, ...] | None = None, scheme: Scheme = "full", **changes: Any
) -> Judged:
    """What the judges of a run said, once."""
    found = findings() if found is None else found
    weights = weights_of(scheme)
    points = score((cost for finding in found if (cost := cost_of(finding))), weights)
    claimed = points if state in ("scored", "score_only") else None
    failed: tuple[Step, ...] = ("deduplication",) if state == "judge_failed" else ()
    answers = {"accuracy": Answered(request().id, "ok" if not failed else "unparsable", "json")}
    return Judged(
        Judgement(state, claimed, failed, found, **changes), answers, ("osprey-2",), ("json_schema",), (), 4, 3
    )


def a_run(connection: Connection) -> str:
    """Store a run with everything a run can leave behind, on a translation that it made; return the evaluation's id."""
    with transaction(connection):
        run = start(connection)
        asked = request()
        article, _ = add_article(connection, Article("river-02", SOURCE, "zh-en"))
        batch = batches.begin(connection, run, "token", [(asked, Form())])
        batches.collected(connection, batch, run, [attempt(asked, "server"), attempt(asked)])
        translation = store_translation(connection, run, article, "osprey", TRANSLATION, asked.id)
        return store_judged(connection, run, Work(translation, 1), signature(), judged())
