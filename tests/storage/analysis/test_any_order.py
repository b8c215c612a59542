"""No figure depends on the order in which rows came, nor on an import that is repeated, nor on what it leaves out."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from discox_tui.reports.pairwise.json import as_json as pairwise_as_json
from discox_tui.reports.ranking.audited import as_json as audited_as_json
from discox_tui.reports.ranking.leaderboard import as_json as leaderboards_as_json
from discox_tui.reports.render.json import plain
from judges.model import LEVELS, EvaluationState, Finding
from storage.analysis.acceptance import assess
from storage.analysis.audit.from_scores import audits_of_scores
from storage.analysis.audit.leaderboard import audited_boards, boards_of
from storage.analysis.judge_scores import leaderboards
from storage.analysis.metric_scores import ScoreReader
from storage.analysis.pairwise import compute_pairwise, grouped, with_rankings, with_segments, with_severity
from storage.analysis.review_data import read_reviewed
from storage.analysis.stand_in import stand_in_report
from storage.analysis.vote_scores import by_votes
from storage.db.connection import Connection
from storage.exports.mqm_scores import judges_by_segment, people_scores
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.record.groundings import ground_pending
from storage.reviews.review_log import ReviewLog
from tests.support import builders

DRAWS = 50
"""Resamples: enough to tell if others are drawn."""
DIRECTIONS = {"zh-en": ("heron", "plover", "tern"), "en-zh": ("heron", "wren")}
ARTICLES, REVIEWERS, JUDGES, METRICS = 8, ("lin", "okafor", "ada"), ("osprey", "kite"), ("chrF", "COMET")
"""Articles of each direction; ada says nothing of half of them."""


# --- evaluations, and what reviewers say of them ---


class Judged(NamedTuple):
    """One evaluation, and what each reviewer says of its errors, and how they end."""

    article: str
    system: str
    direction: str
    judge: str
    found: tuple[Finding, ...]
    reviews: Mapping[str, Sequence[Mapping[str, str]]] = {}
    state: EvaluationState = "scored"
    ends: str = "done"


def judged(seed: int) -> list[Judged]:
    """Evaluations of which no two are alike, reviewed by two or three people who do not agree."""
    chance = random.Random(seed)
    rows = []
    for direction, systems in DIRECTIONS.items():
        for n in range(ARTICLES):
            for system in systems:
                for judge in JUDGES:
                    found = _found(chance)
                    people = REVIEWERS if n % 2 else REVIEWERS[:2]
                    said = {who: [_verdict(chance, each) for each in found] for who in people if chance.random() < 0.9}
                    rows.append(Judged(f"{direction}-{n}", system, direction, judge, found, said))
    return rows


def _found(chance: random.Random) -> tuple[Finding, ...]:
    return tuple(
        replace(each, severity=chance.choice(LEVELS[each.judge]), duplicate_of=None)
        for each in builders.findings()
        if each.kept and chance.random() < 0.8
    )


def _verdict(chance: random.Random, finding: Finding) -> dict[str, str]:
    if chance.random() < 0.6:
        return {"decision": "agree"}
    others = [level for level in LEVELS[finding.judge] if level != finding.severity]
    if others and chance.random() < 0.5:
        return {"decision": "override", "severity": chance.choice(others)}
    if finding.judge == "accuracy" and chance.random() < 0.5:
        return {"decision": "reattribute", "dimension": "fluency"}
    return {"decision": chance.choice(("not_an_error", "unsure"))}


def of_nobody(seed: int) -> list[Judged]:
    """Evaluations that no figure can rest on: a judge failed, or the system gave nothing."""
    chance = random.Random(seed)
    return [
        Judged(
            f"{direction}-{n}", system, direction, judge, (), state=chance.choice(("judge_failed", "no_translation"))
        )
        for direction, systems in DIRECTIONS.items()
        for n in range(ARTICLES, ARTICLES + 2)
        for system in systems
        for judge in JUDGES
    ]


def of_no_reviewer(seed: int) -> list[Judged]:
    """Evaluations that nobody opened, or that reviewers passed over."""
    chance = random.Random(seed)
    return [
        Judged(f"{direction}-{n}", system, direction, JUDGES[0], _found(chance), {"lin": ()} if skipped else {}, ends="skipped")
        for direction, systems in DIRECTIONS.items()
        for n in range(ARTICLES + 2, ARTICLES + 4)
        for system, skipped in zip(systems, (True, False, True), strict=False)
    ]  # fmt: skip


def put(connection: Connection, rows: Sequence[Judged], reviewers: Sequence[str]) -> None:
    """Store evaluations in this order, then what the reviewers say of them, one reviewer after the other."""
    ids = [
        builders.add(
            connection,
            article=row.article,
            system=row.system,
            direction=row.direction,
            judge=row.judge,
            found=row.found,
            state=row.state,
            translation=None if row.state == "no_translation" else builders.TRANSLATION,
        )
        for row in rows
    ]
    for reviewer in reviewers:
        log = ReviewLog(connection, reviewer)
        for row, identity in zip(rows, ids, strict=True):
            if reviewer not in row.reviews:
                continue
            log.open(identity)
            query = "SELECT id FROM findings WHERE evaluation_id = ? ORDER BY number, judge"
            findings = [each for (each,) in connection.execute(query, (identity,))]
            for finding, said in zip(findings, row.reviews[reviewer], strict=False):
                log.decide(identity, finding, **said)
            log.set_review(identity, search="done")
            log.set_state(identity, row.ends)  # type: ignore[arg-type]
    ground_pending(connection, connection.path)


@contextmanager
def empty() -> Iterator[Connection]:
    """A library that holds nothing, and writes nothing for good."""
    with tempfile.TemporaryDirectory() as folder, closing(open_library(Path(folder) / "library.db")) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        yield connection


# --- all figures ---


def figures(connection: Connection) -> dict[str, Any]:
    """Return every figure of a library by family."""
    reader = ScoreReader(connection)
    reviewed = read_reviewed(connection)
    found = compute_pairwise(reader.table(), resamples=DRAWS)
    found = with_rankings(with_severity(grouped(found, "dimension", reader.table)), "holm")
    found = with_segments(found, lambda: judges_by_segment(connection))
    return {
        **plain(reviewed.report(DRAWS)),
        "pairwise": pairwise_as_json(found),
        "stand_in": plain(stand_in_report(connection, reader.table, reviewed.findings, reviewed.markings)),
        "validity": plain(assess(connection, resamples=DRAWS)),
        "leaderboards": leaderboards_as_json(leaderboards(connection, resamples=DRAWS)),
        "by_votes": leaderboards_as_json(leaderboards(connection, resamples=DRAWS, read=by_votes)),
        "audited": audited_as_json(audited_boards(connection)),
        "people": [each._asdict() for each in people_scores(connection)],
        "audited_tables": []
        if reader.table().unchosen
        else audited_as_json(boards_of(audits_of_scores(reader.table()))),
    }


COUNTS = {"left_out", "counts", "evaluations", "scores_left_out", "segments_left_out", "unfinished", "unsearched"}
COUNTS |= {"common_articles", "incomplete", "failed", "unmarked", "notes", "warnings", "translations_lacking"}
"""Fields that count rows which no figure holds."""


def values(found: Any) -> Any:
    """The same without what counts the rows that are left out."""
    if isinstance(found, dict):
        return {name: values(part) for name, part in found.items() if name not in COUNTS}
    return [values(part) for part in found] if isinstance(found, list) else found


def differing(first: Any, second: Any, at: str = "") -> list[str]:
    """The places in which two differ."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return [each for name in first for each in differing(first[name], second[name], f"{at}/{name}")]
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [
            each for n, pair in enumerate(zip(first, second, strict=True)) for each in differing(*pair, f"{at}/{n}")
        ]
    return [] if first == second else [f"{at}: {str(first)[:80]} | {str(second)[:80]}"]


@pytest.mark.parametrize("seed", [1, 2])
def test_figures_of_reviews_depend_on_no_order(seed: int) -> None:
    rows = judged(seed)
    with empty() as connection:
        put(connection, rows, REVIEWERS)
        first = figures(connection)
    shuffled = random.Random(seed + 50).sample(rows, len(rows))
    with empty() as connection:
        put(connection, shuffled, REVIEWERS[::-1])
        assert differing(first, figures(connection)) == []


@pytest.mark.parametrize("before", [False, True])
def test_figures_of_reviews_stay_where_they_are_by_what_they_leave_out(before: bool) -> None:
    rows, more = judged(3), of_nobody(4)
    with empty() as connection:
        put(connection, rows, REVIEWERS)
        first = figures(connection)
    with empty() as connection:
        put(connection, [*more, *rows] if before else [*rows, *more], REVIEWERS)
        assert differing(values(first), values(figures(connection))) == []
    with empty() as connection:
        unseen = of_no_reviewer(5)
        put(connection, [*unseen, *rows] if before else [*rows, *unseen], REVIEWERS)
        found = figures(connection)
        reviews = first.keys() - {"pairwise", "stand_in", "leaderboards", "by_votes", "audited", "audited_tables"}
        assert differing(*(values({name: each[name] for name in reviews}) for each in (first, found))) == []


def test_people_among_themselves_stay_where_they_are_by_what_one_alone_decided() -> None:
    rows, chance = judged(6), random.Random(7)
    alone = [
        Judged(
            f"{direction}-{n}", systems[0], direction, JUDGES[0], found, {"lin": [_verdict(chance, e) for e in found]}
        )
        for direction, systems in DIRECTIONS.items()
        for n in range(ARTICLES, ARTICLES + 3)
        for found in [_found(chance)]
    ]
    found = []
    for items in (rows, [*alone, *rows]):
        with empty() as connection:
            put(connection, items, REVIEWERS)
            found.append(values(plain(read_reviewed(connection).report(DRAWS).between_humans)))
    assert differing(*found) == []
    assert found[0]["together"]["humans"]["verdicts"]["alpha"]["value"] is not None


# --- tables of scores, and errors that people marked ---

LABELS = ("Accuracy/Mistranslation", "Fluency/Grammar", "Source error", "Style/Awkward")
RATERS = ("ann", "bob", "cyd")


def scores(seed: int) -> list[str]:
    """Rows of scores by two metrics on all, and by people on some."""
    chance = random.Random(seed)
    rows = []
    for direction, systems in DIRECTIONS.items():
        for n in range(ARTICLES):
            for system in systems:
                for metric in METRICS:
                    rows.append(f"{metric},{system},{direction}-{n},{direction},{chance.randrange(0, 4000) / 40},0,")
                rated = [rater for rater in RATERS if chance.random() < 0.9]
                rows += [f"DA,{system},{direction}-{n},{direction},{chance.randrange(21) * 5},1,{r}" for r in rated]
    return rows


def marks(seed: int) -> list[str]:
    """Rows of errors in two segments of each document, by two raters or three; some segments have none."""
    chance = random.Random(seed)
    rows = []
    for n in range(ARTICLES):
        for system in DIRECTIONS["zh-en"]:
            for segment in (1, 2):
                text = "".join(chance.choice("abcdefgh ") for _ in range(20)).strip().ljust(18, "x") + "."
                for rater in RATERS[: 2 + n % 2]:
                    for _ in range(chance.randrange(3)):
                        start = chance.randrange(10)
                        marked = f"{text[:start]}<v>{text[start : start + 6]}</v>{text[start + 6 :]}"
                        label, severity = chance.choice(LABELS), chance.choice(("Major", "Minor"))
                        rows.append(_mark(system, n, segment, rater, marked, label, severity))
                    if not rows or rows[-1].split("\t")[3:5] != [f"{segment}", rater]:
                        rows.append(_mark(system, n, segment, rater, text, "No-error", "no-error"))
    return rows


def _mark(system: str, n: int, segment: int, rater: str, text: str, label: str, severity: str) -> str:
    return "\t".join((system, f"zh-en-{n}", f"{n}", f"{segment}", rater, f"原文{n}之{segment}", text, label, severity))


HEADERS = {
    "scores.csv": "metric,system,article,direction,score,human,rater",
    "mqm_zhen.tsv": "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity",
}


def of_files(files: Mapping[str, Sequence[str]], times: int = 1) -> dict[str, Any]:
    """Return the figures of what files hold that are imported so many times."""
    with empty() as connection:
        for _ in range(times):
            for name, rows in files.items():
                path = Path(connection.path).parent / name
                path.write_text("\n".join((HEADERS[name], *rows)) + "\n", encoding="utf-8")
                report = import_path(connection, path, format="scores" if name.endswith("csv") else None)
                assert not report.problem
        return figures(connection)


@pytest.mark.parametrize("names", [("scores.csv",), ("mqm_zhen.tsv",), ("scores.csv", "mqm_zhen.tsv")])
def test_figures_of_files_depend_on_no_order_and_no_repeat(names: tuple[str, ...]) -> None:
    chance = random.Random(8)
    files = {name: (scores if name.endswith("csv") else marks)(7) for name in names}
    first = of_files(files)
    assert differing(first, of_files(files, times=2)) == []
    shuffled = {name: chance.sample(rows, len(rows)) for name, rows in reversed(files.items())}
    assert differing(first, of_files(shuffled)) == []


def test_figures_of_tables_stay_where_they_are_by_what_they_leave_out() -> None:
    """Articles that one system alone has, scored by metrics alone, and by one person alone."""
    rows = scores(9)
    more = [f"{m},{each[0]},alone,{at},{n}.5,0," for n, m in enumerate(METRICS) for at, each in DIRECTIONS.items()]
    more += [f"DA,{each[0]},unscored,{direction},35,1,ann" for direction, each in DIRECTIONS.items()]
    first, found = of_files({"scores.csv": rows}), of_files({"scores.csv": [*more, *rows]})
    assert "'winning_rate': {'value': 0" in str(first["stand_in"])
    for family in ("pairwise", "stand_in", "audited_tables"):
        assert first[family]
        ours, theirs = (
            {name: part for name, part in each[family].items() if name not in UNLIKE} for each in (first, found)
        )
        assert differing(values(ours), values(theirs)) == []


UNLIKE = {"scales", "gold", "rater_severity"}
"""What is of all ratings, also of those that no metric stands beside."""
