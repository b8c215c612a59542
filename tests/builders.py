"""Small libraries for tests, made through the same door as real ones."""

from __future__ import annotations

from pathlib import Path

from judges.metric_s.scoring import judged, score
from judges.model import Article, Finding, Judgement, RubricPoint, RubricVerdict, StoredScore
from storage.connection import Connection, insert, open_database, transaction
from storage.library import FromFile, add_evaluation, add_translation

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
) -> str:
    """Store one evaluation and return its id."""
    found = findings() if found is None else found
    subject = Article(
        article,
        source,
        "zh-en",
        "文学",
        "散文",
        "",
        "考点1：“渡船”推荐译为“ferry”",
        (RubricPoint(1, "“渡船”推荐译为“ferry”"),),
    )
    points = score(cost for finding in found if (cost := judged(finding)))
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
            "osprey",
            judgement,
            FromFile(number, 1),
            raw=f"{article} {system}",
            stored_score=stored_score,
        )
        row: dict[str, object] = dict.fromkeys(("at", "file", "sha256", "format", "options", "program"), "")
        row |= dict.fromkeys(("rows", "stored", "unchanged", "left_out"), 0) | {"id": number}
        insert(connection, "imports", [row])
    return identity


def two_evaluations(path: Path) -> tuple[Connection, list[str]]:
    """Make a library file with two evaluations of different systems, their errors not located."""
    connection = open_database(path)
    return connection, [add(connection, system=f"system-{i}") for i in range(2)]
