"""Pairs of libraries, and of files for them, that differ only in what is hidden from mei."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from discox_tui.cli.parser import run
from judges.model import Decision
from storage.db.connection import Connection, insert
from storage.integrity.opening import open_library
from storage.record.groundings import ground_pending
from storage.record.library import read_evaluation
from storage.reviews.blinding import Blinding, choose_blinding
from storage.reviews.events import Event, add_event
from storage.reviews.projections import rebuild
from storage.reviews.review_log import ReviewLog
from tests.support import builders, building_candidates

ARTICLES = tuple(f"article-{n}" for n in range(8))
SYSTEMS = ("heron", "plover")
SECOND = "article-7", "heron"
"""What two judges judged."""
BEGUN = (("article-5", "heron"), ("article-5", "plover"), ("article-6", "heron"))
"""What mei was done with blind, and never revealed."""
ASSIGNED = ("article-7", "heron")
"""What she is to review blind, in a scenario with a plan."""
HIDDEN_ARTICLES = ARTICLES[5:]
"""Where something is hidden from her in each scenario with blind passes."""


class Scenario(NamedTuple):
    """What mei chose not to see, and whether she has begun, and is to review, something blind."""

    blinding: Blinding
    passes: bool


SCENARIOS = {
    "blind first": Scenario("first", True),
    "assigned blind": Scenario("open", True),
    "systems hidden": Scenario("systems", False),
}


def make(path: Path, scenario: Scenario) -> None:
    """Make the first library of a pair: eight articles by two systems, a run, candidates, scores, reviewers, plans."""
    building_candidates.build_library(path, "lin", ("dyke", "slipway"))
    building_candidates.judge(path, {"heron": {1, 2}, "plover": {1, 2}}, "lin")
    with _writable(path) as record:  # judges of rubric points alone say what they cost as well
        record.execute("UPDATE evaluations SET total = 90, accuracy = 50, fluency = 20, appropriateness = 20")
    with closing(open_library(path)) as connection:
        ids = _evaluations(connection)
        ground_pending(connection, path)
        _scores(connection)
        _others(connection, ids)
        _hers(connection, ids, scenario)
        rebuild(connection)


def _evaluations(connection: Connection) -> dict[tuple[str, str], str]:
    ids = {}
    for article in ARTICLES:
        for place, system in enumerate(SYSTEMS):
            found = builders.findings()[place:]
            stored = (71.0, 41.0, 18.0, 12.0)
            ids[article, system] = builders.add(
                connection, article=article, system=system, found=found, stored_score=stored
            )
    article, system = SECOND
    builders.add(connection, article=article, system=system, judge="egret", found=builders.findings()[2:])
    builders.a_run(connection)
    return ids


def _scores(connection: Connection) -> None:
    for number, (article, system) in enumerate((a, s) for a in ARTICLES for s in SYSTEMS):
        row = {"metric": "COMET", "human": 0, "rater": "", "direction": "zh-en", "article": article, "system": system}
        insert(
            connection, "scores", [row | {"score": 0.5 + number / 100, "domain": "", "import_id": 1, "line": number}]
        )


def _others(connection: Connection, ids: dict[tuple[str, str], str]) -> None:
    """lin reviews all but the last article, and rejects what is critical; a file of kim's marks came in."""
    log = ReviewLog(connection, "lin")
    for (article, _), identity in ids.items():
        if article == ARTICLES[-1]:
            continue
        log.open(identity)
        for stored in read_evaluation(connection, identity).findings:
            rejects = stored.finding.severity == "critical" and article != ARTICLES[1]
            decision: Decision = "not_an_error" if rejects else "agree"
            log.decide(identity, stored.id, decision=decision)
        log.set_review(identity, state="done")
    for key in (("article-6", "plover"), ("article-1", "heron")):
        marked = {"errors": [], "rows": [], "state": "done", "file": f"{key[1]}.tsv"}
        add_event(
            connection,
            Event(
                id=f"kim-{key[0]}",
                at="2026-03-01T00:00:00.000000Z",
                reviewer="kim",
                kind="imported",
                evaluation_id=ids[key],
                finding_id=None,
                changes=marked,
            ),
        )


def _hers(connection: Connection, ids: dict[tuple[str, str], str], scenario: Scenario) -> None:
    """mei has seen the first articles; then she hides, begins blind, or is told to."""
    log = ReviewLog(connection, "mei")
    for (article, _), identity in ids.items():
        if article not in HIDDEN_ARTICLES:
            log.open(identity)
            first, *_ = read_evaluation(connection, identity).findings
            log.decide(identity, first.id, decision="agree", note="mei's own")
    choose_blinding(connection, "mei", scenario.blinding)
    insert(connection, "plans", [{"id": "p", "at": "2026-05-04", "seed": 1, "options": "{}", "program": "x"}])
    position = 0
    for (article, system), identity in ids.items():
        for reviewer in ("lin", "mei"):
            position += 1
            blind = reviewer == "mei" and scenario.passes and (article, system) == ASSIGNED
            row = {"plan_id": "p", "reviewer": reviewer, "layer": reviewer, "position": position, "blind": int(blind)}
            insert(connection, "assignments", [row | {"evaluation_id": identity, "purpose": "overlap"}])
    for key in BEGUN if scenario.passes else ():
        log.open(ids[key], hidden=True)
        log.mark(ids[key], dimension="fluency", severity="minor", spans=[["translation", 0, 3]])
        log.set_review(ids[key], state="done")
        log.spend(ids[key], {"": 40.0})


# --- the second of a pair ---


@contextmanager
def _writable(path: Path) -> Iterator[sqlite3.Connection]:
    """A library whose record can be changed: only here, to make another that has the same ids."""
    with closing(sqlite3.connect(path)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, statement in triggers:
            connection.execute(statement)
        connection.commit()


def alter(path: Path, scenario: Scenario) -> None:
    """Make of a library another that differs in all that is hidden from mei, and in nothing else."""
    with _writable(path) as connection:
        if scenario.passes:
            hidden = _hidden(connection, scenario)
            for number, identity in enumerate(hidden):
                _judge_otherwise(connection, identity, failed=number % 2 == 0)
            if scenario.blinding == "first":
                _run_otherwise(connection)
                _retried(connection)
        _name_otherwise(connection, scenario)
    with closing(open_library(path)) as connection:
        for identity in hidden[:3] if scenario.passes else ():
            ReviewLog(connection, "ben").open(identity)
        rebuild(connection)


def _hidden(connection: sqlite3.Connection, scenario: Scenario) -> list[str]:
    keys = [*BEGUN, ASSIGNED]
    rows = connection.execute("SELECT id, article, system FROM evaluations ORDER BY position")
    shown = ARTICLES[:5]
    if scenario.blinding == "first":
        return [identity for identity, article, _ in rows if article not in shown]
    return [identity for identity, article, system in rows if (article, system) in keys]


def _judge_otherwise(connection: sqlite3.Connection, identity: str, *, failed: bool) -> None:
    scores = (None,) * 4 if failed else (55, 20, 20, 15)
    connection.execute(
        "UPDATE evaluations SET judge = 'zqegret', state = ?, failed = ?, total = ?, accuracy = ?, fluency = ?, "
        "appropriateness = ?, errors = ?, stored_total = 12.5, flags = ?, quotes = 3, quotes_verified = 1 WHERE id = ?",
        (
            "judge_failed" if failed else "scored",
            '["fluency"]' if failed else "[]",
            *scores,
            0 if failed else 1,
            '[["judge_failed", "zq failed"]]',
            identity,
        ),
    )
    connection.execute("UPDATE answers SET instruction_check = 'zq', raw = 'zq' WHERE evaluation_id = ?", (identity,))
    connection.execute(
        "UPDATE rubric_verdicts SET met = NOT met, explanation = 'zq' WHERE evaluation_id = ?", (identity,)
    )
    for table in ("spans", "grounded_findings", "groundings"):
        connection.execute(f"DELETE FROM {table} WHERE evaluation_id = ?", (identity,))
    connection.execute("DELETE FROM findings WHERE evaluation_id = ? AND (? OR number > 1)", (identity, failed))
    connection.execute(
        "UPDATE findings SET severity = 'minor', explanation = 'zq' WHERE evaluation_id = ?", (identity,)
    )
    connection.execute("DELETE FROM events WHERE evaluation_id = ? AND reviewer NOT LIKE 'mei%'", (identity,))
    connection.execute(
        "UPDATE scores SET score = score / 2 WHERE (article, system) = (SELECT article, system FROM evaluations "
        "WHERE id = ?)",
        (identity,),
    )


def _run_otherwise(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE runs SET model = 'zqmodel'")
    connection.execute("UPDATE requests SET model = 'zqmodel'")
    connection.execute("UPDATE calls SET outcome = 'refused', output_tokens = 4711, error = 'zq'")
    connection.execute("UPDATE signatures SET text = replace(text, 'judge:osprey', 'judge:zqmodel')")
    insert_pack = "INSERT INTO packs VALUES ({})".format(", ".join("?" * 5))
    connection.execute(insert_pack, ("zqpack", "2026-05-04", "zq", 1, "{}"))


def _retried(connection: sqlite3.Connection) -> None:
    """Let one be the second try of a judge that failed before."""
    columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(evaluations)")]
    taken = [f"'zq-first' AS {name}" if name == "id" else name for name in columns if name != "position"]
    where = "WHERE article = 'article-6' AND system LIKE '%plover'"
    names = ", ".join(name for name in columns if name != "position")
    connection.execute(f"INSERT INTO evaluations ({names}) SELECT {', '.join(taken)} FROM evaluations {where}")
    connection.execute("INSERT INTO answers VALUES ('zq-first', '', '', 'zq')")
    connection.execute("UPDATE evaluations SET state = 'judge_failed', total = NULL WHERE id = 'zq-first'")
    connection.execute(f"UPDATE evaluations SET supersedes = 'zq-first' {where} AND id <> 'zq-first'")


def _name_otherwise(connection: sqlite3.Connection, scenario: Scenario) -> None:
    """Swap the systems where only some articles hide them; else give them other names, in another order."""
    some = scenario.blinding == "open"
    names = ("plover", "heron") if some else ("zqheron", "aqplover")
    articles = json.dumps(
        [*HIDDEN_ARTICLES] if some else [key for (key,) in connection.execute("SELECT key FROM articles")]
    )
    of = "SELECT id FROM articles WHERE key IN (SELECT value FROM json_each(?))"
    new = f"CASE system WHEN 'heron' THEN '{names[0]}' WHEN 'plover' THEN '{names[1]}' ELSE 'zqother' END"
    connection.execute(f"UPDATE translations SET system = {new} WHERE article_id IN ({of})", (articles,))
    for table in ("evaluations", "scores"):
        where = "article IN (SELECT value FROM json_each(?))"
        connection.execute(f"UPDATE {table} SET system = {new} WHERE {where}", (articles,))
    flag = [["another_evaluation", f"1 other evaluation(s) of {names[0]} are here"]]
    if not scenario.passes:
        connection.execute("UPDATE evaluations SET flags = ?", (json.dumps(flag),))
    hidden = "SELECT id FROM evaluations WHERE article IN (SELECT value FROM json_each(?))"
    named = f"UPDATE events SET changes = json_set(changes, '$.file', 'zq.tsv') WHERE kind = 'imported' AND evaluation_id IN ({hidden})"
    connection.execute(named, (articles,))


# --- files ---


def files(folder: Path, *, other: bool) -> None:
    """Write a file for everything that commands read; ``other``: with other words of judges and reviewers in them."""
    folder.mkdir()
    texts = {
        "own.csv": "metric,system,article,score\nchrF,heron,new-00,1\n",
        "src.txt": "河水变浅。\n",
        "tgt.txt": "The river runs low.\n",
        "prompt.txt": "Translate: $text\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "prompts").mkdir()
    write = {
        "data.json": json.dumps([{"prompt_id": "new-01", "ori_text": "河水变浅。", "reference_list": "考点1：“河水”译为“river”"}]),
        "partial.jsonl": "".join(f"{json.dumps(_official(n, other))}\n" for n in range(3)),
        "answers.txt": "Critical:\nno-error\nMajor:\n" + ('accuracy/omission - "low"\n' * 2 if other else "no-error\n") + "Minor:\nno-error\n",
        "mqm.tsv": _mqm(3 if other else 1),
        "scores.csv": "metric,system,article,score\n" + "".join(f"chrF,heron,new-0{n},{n + (0.5 if other else 0)}\n" for n in range(2))
        + ("chrF,heron,new-01,7\n" if other else ""),
        "prices.toml": 'currency = "EUR"\n[models."osprey"]\ninput = 1.0\noutput = 2.0\n',
        "quotas.toml": '[[quotas]]\nwanted = 2\ndirection = "zh-en"\n',
        "mapping.toml": 'version = 1\n[severities]\nmajor = ["Severe"]\n',
        "cases.json": '{"documents": [], "cases": []}',
        "log.jsonl": "",
        "candidates.jsonl": json.dumps({"key": "mill", "source": building_candidates.GROVE, "direction": "zh-en"}) + "\n",
    }  # fmt: skip
    for name, text in write.items():
        (folder / name).write_text(text, encoding="utf-8")
    _library(folder, other)


def _official(number: int, other: bool) -> dict[str, Any]:
    found = [{"问题序号": "1", "问题段落": "1", "问题类型": "错译", "问题分析": "“river”错。", "问题等级": "严重"}]
    said = json.dumps(found if other else [], ensure_ascii=False)
    judged: dict[str, Any] = {f"{judge}_judgement": said for judge in ("accuracy", "fluency", "appropriateness")}
    if other and number == 1:
        judged["fluency_judgement"] = "zq cannot be read"
    texts = {"ori_text": "河水变浅。", "reference_list": "", "model_output": "The river runs low."}
    scores = {"score": 12 if other else 90, "domain_score": [6, 3, 3] if other else [60, 20, 10]}
    return {"prompt_id": f"new-0{number}", **texts, "detailed_judgement": judged, **scores}


def _mqm(errors: int) -> str:
    head = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"
    row = "heron\tnew-03\t1\t1\tkim\tDie Mühle steht.\t<v>The mill</v> stands.\tAccuracy/Zq{}\tMajor\t{{}}\n"
    return head + "".join(row.format(number) for number in range(errors))


def _library(folder: Path, other: bool) -> None:
    """A library of somebody else's, her log, and the archive of it."""
    path = folder / "other.db"
    found = builders.findings()[: 2 if other else 5]
    with closing(open_library(path)) as connection:
        identity = builders.add(connection, article="new-04", system="heron", found=found)
        log = ReviewLog(connection, "lin")
        for stored in read_evaluation(connection, identity).findings:
            log.decide(identity, stored.id, decision="agree")
    for arguments in (["verdicts", "export", folder / "log.jsonl"], ["export", "archive", folder / "library.zip"]):
        assert run([*map(str, arguments), "--db", str(path)]) == 0
    path.with_name("other.db-wal").unlink(missing_ok=True)
