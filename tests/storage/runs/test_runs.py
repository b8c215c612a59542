"""A run does what is missing and nothing twice; what it leaves behind is reviewed and counted like what was imported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discox_tui.reports.consistency.sections import review_sections
from discox_tui.reports.render.json import plain
from discox_tui.reports.render.text import as_text
from discox_tui.sessions.review import ReviewSession
from judges.metric_s.scoring import METRIC_S, Weights
from judges.model import Article, Finding, Quoted, Score
from judges.providers.model import Form
from storage.analysis.review_data import read_reviewed
from storage.base.errors import StorageError
from storage.db.connection import Connection, transaction
from storage.integrity.opening import open_library
from storage.record.library import add_article, add_translation, read_evaluation
from storage.reviews.events import read_events
from storage.reviews.projections import merge, rebuild
from storage.reviews.queue import Queue, headers
from storage.reviews.review_log import ReviewLog
from storage.runs import batches, usage
from storage.runs.calls import add_call, recorded
from storage.runs.runs import (
    PAGE,
    Progress,
    Work,
    articles_to_translate,
    directions,
    load,
    progress,
    recorded_servers,
    repeats,
    store_judged,
    store_translation,
    work,
)
from tests.support import builders
from tests.support.builders import attempt, judged, request, signature
from tests.support.tables import dump

ASKED = signature().asked


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def library(path: Path) -> Iterator[Connection]:
    with closing(open_library(path)) as connection:
        yield connection


def translations(library: Connection, count: int = 3, text: str | None = builders.TRANSLATION) -> list[str]:
    """Store translations by heron and aurora in turn, each of an article of its own."""
    with transaction(library):
        return [
            add_translation(library, Article(f"river-{n}", builders.SOURCE, "zh-en"), ("heron", "aurora")[n % 2], text)
            for n in range(count)
        ]


def store(library: Connection, done: Work, *of: Any, scheme: Any = "full", **changes: Any) -> str:
    with transaction(library):
        run = builders.start(library)
        return store_judged(library, run, done, signature(scheme), judged(*of, scheme=scheme, **changes))


# What there is to do


def test_each_sample_of_each_translation_is_done_once(library: Connection) -> None:
    ids = translations(library)
    todo = list(work(library, ASKED, 2))
    assert todo == [Work(identity, sample) for identity in ids for sample in (1, 2)]
    for done in todo:
        store(library, done)
    assert list(work(library, ASKED, 2)) == []
    assert list(work(library, ASKED, 3)) == [Work(identity, 3) for identity in ids]
    again = list(work(library, ASKED, 2, again=True))
    assert [Work(done.translation_id, done.sample) for done in again] == todo
    for done in again:
        assert done.standing
        assert repeats(library, done.standing, judged())
        assert not repeats(library, done.standing, judged("scored", ()))
        assert read_evaluation(library, store(library, done, "scored", ())).state == "scored"
    assert library.execute("SELECT count(*) FROM evaluations WHERE supersedes IS NOT NULL").fetchone()[0] == 0
    assert list(work(library, signature("accuracy").asked)) == [Work(identity, 1) for identity in ids]


def test_a_failed_one_is_done_again_when_that_is_wanted(library: Connection) -> None:
    first, second, third = translations(library)
    failed = store(library, Work(first, 1), "judge_failed", ())
    store(library, Work(second, 1))
    assert list(work(library, ASKED)) == [Work(third, 1)]
    retried = list(work(library, ASKED, retry_failed=True))
    assert retried == [Work(first, 1, failed, True), Work(third, 1)]
    assert progress(library, ASKED) == Progress(to_do=1, done=1, failed=1, no_translation=0)
    assert store(library, retried[0], "judge_failed", ()) == failed
    store(library, retried[0])
    assert list(work(library, ASKED, retry_failed=True)) == [Work(third, 1)]
    assert progress(library, ASKED) == Progress(to_do=1, done=2, failed=0, no_translation=0)


def test_a_translation_that_is_none_is_noted_as_such_once(library: Connection) -> None:
    (identity,) = translations(library, 1, None)
    (todo,) = work(library, ASKED)
    assert load(library, todo.translation_id)[1:] == ("heron", None)
    store(library, todo, "no_translation", ())
    assert list(work(library, ASKED, retry_failed=True)) == []
    assert progress(library, ASKED, 2) == Progress(to_do=1, done=0, failed=0, no_translation=1)
    assert identity == todo.translation_id


def test_translations_are_chosen_by_id_besides(library: Connection) -> None:
    ids = translations(library, 4)
    assert [each.translation_id for each in work(library, ASKED, translations=[ids[3], ids[0]])] == [ids[0], ids[3]]
    both = work(library, ASKED, systems=["aurora"], translations=[ids[0], ids[1]])
    assert [each.translation_id for each in both] == [ids[1]]
    store(library, Work(ids[3], 1))
    assert progress(library, ASKED, translations=ids[2:]) == Progress(to_do=1, done=1, failed=0, no_translation=0)
    assert directions(library, translations=ids[:3]) == {"zh-en": 3}
    assert list(work(library, ASKED, translations=["gone"])) == []


def test_the_queue_names_each_translation_that_it_shows_once(library: Connection) -> None:
    ids = translations(library, 3)
    for done in work(library, ASKED, 2):
        store(library, done)
    articles = tuple(
        library.execute("SELECT article_id FROM translations WHERE id = ?", (one,)).fetchone()[0] for one in ids
    )
    assert Queue(library, "mei").chosen() == (tuple(ids), articles)
    assert Queue(library, "mei", words="aurora").chosen() == ((ids[1],), (articles[1],))
    assert Queue(library, "mei", words="aurora", blinding="systems").chosen() == ((), ()), "no hidden name is found"
    assert Queue(library, "mei", assigned=True).chosen() == ((), ())


def test_systems_and_articles_are_chosen_by_name(library: Connection) -> None:
    ids = translations(library, 4)
    assert [w.translation_id for w in work(library, ASKED, systems=["HERON "])] == [ids[0], ids[2]]
    assert [w.translation_id for w in work(library, ASKED, articles=["river-1", "river-2"])] == [ids[1], ids[2]]
    assert list(work(library, ASKED, systems=["heron"], articles=["river-1"])) == []
    assert progress(library, ASKED, systems=["aurora"]).to_do == 2
    with pytest.raises(StorageError, match="no translation by 'sparrow'"):
        list(work(library, ASKED, systems=["heron", "sparrow"]))
    with pytest.raises(StorageError, match="no article has the name 'lake-1'"):
        progress(library, ASKED, articles=["lake-1"])


def test_what_is_stored_meanwhile_disturbs_nothing(library: Connection) -> None:
    count = 2 * PAGE + 7
    ids = translations(library, count)
    seen = []
    for done in work(library, ASKED):
        seen.append(done.translation_id)
        if len(seen) % 100 == 1:
            store(library, done, "scored", ())
    assert seen == ids


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    states=st.lists(st.sampled_from([None, "scored", "judge_failed", "score_only", "instruction_failed"]), max_size=8)
)
def test_every_sample_is_in_one_state(library: Connection, states: list[Any]) -> None:
    library.execute("BEGIN")
    run = builders.start(library)
    for number, state in enumerate(states):
        article = Article(f"lake-{number}", builders.SOURCE, "zh-en")
        done = Work(add_translation(library, article, "heron", "text"), 1)
        if state:
            store_judged(library, run, done, signature(), judged(state, ()))
    found = progress(library, ASKED, 2)
    assert found == Progress(
        states.count(None) + len(states),
        len(states) - states.count(None) - states.count("judge_failed"),
        states.count("judge_failed"),
        0,
    )
    assert len(list(work(library, ASKED, 2))) == found.to_do
    assert len(list(work(library, ASKED, 2, retry_failed=True))) == found.to_do + found.failed
    library.execute("ROLLBACK")


# What is kept of it


QUOTED = Finding(
    "accuracy", 1, "误译", "3", "mistranslation", "", "major", quoted=Quoted("变浅", "grows shallow", None, "runs low", 1, 2, ("sides_swapped",))
)  # fmt: skip


def test_an_evaluation_of_a_run_is_read_back_whole(library: Connection) -> None:
    (translation,) = translations(library, 1)
    identity = store(library, Work(translation, 2), "scored", (QUOTED, *builders.findings()[3:4]))
    stored = read_evaluation(library, identity)
    assert (stored.judge, stored.sample, stored.signature) == ("osprey#2", 2, signature().text)
    assert (stored.quotes, stored.quotes_verified, stored.weights) == (4, 3, METRIC_S)
    assert [found.finding.quoted for found in stored.findings] == [QUOTED.quoted, None]
    view = library.execute("SELECT signature, sample, quotes, quotes_verified, superseded_by FROM v_scores").fetchall()
    assert view == [(signature().text, 2, 4, 3, None)]
    found = library.execute("SELECT source_quote, translation_quote, suggestion, signature, sample FROM v_findings")
    assert found.fetchall()[0] == ("变浅", "grows shallow", "runs low", signature().text, 2)


def test_imported_ones_have_no_signature(library: Connection) -> None:
    stored = read_evaluation(library, builders.add(library))
    assert (stored.signature, stored.sample, stored.quotes, stored.weights) == ("", 1, None, METRIC_S)


@pytest.mark.parametrize(
    ("scheme", "label"),
    [
        ("full", "osprey"),
        ("accuracy", "osprey:accuracy"),
        ("single_detailed", "osprey:single-detailed"),
        ("single_simple", "osprey:single-simple"),
    ],
)
def test_each_scheme_is_a_judge_of_its_own(library: Connection, scheme: Any, label: str) -> None:
    (translation,) = translations(library, 1)
    identity = store(library, Work(translation, 1), "scored", (), scheme=scheme)
    assert read_evaluation(library, identity).judge == label


def test_storing_the_same_again_changes_nothing(library: Connection, path: Path) -> None:
    (translation,) = translations(library, 1)
    first = store(library, Work(translation, 1))
    before = dump(path, without=("runs",))
    assert store(library, Work(translation, 1)) == first
    assert dump(path, without=("runs",)) == before
    assert store(library, Work(translation, 1), "scored", builders.findings()[:2]) != first


def test_any_text_can_be_stored(library: Connection) -> None:
    (translation,) = translations(library, 1)
    broken = replace(QUOTED, explanation="a\ud83db", quoted=replace(QUOTED.quoted, source="\udc00"))
    identity = store(library, Work(translation, 1), "scored", (broken,), instruction_check="\ud800")
    (found,) = read_evaluation(library, identity).findings
    assert (found.finding.explanation, found.finding.quoted and found.finding.quoted.source) == ("a\ufffdb", "\ufffd")


def test_verdicts_may_come_before_their_evaluation(library: Connection, tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "other.db")) as other:
        (there,) = translations(other, 1)
        identity = store(other, Work(there, 1))
        finding = read_evaluation(other, identity).findings[0].id
        ReviewLog(other, "lin").decide(identity, finding, decision="not_an_error")
        merge(library, read_events(other))
    translations(library, 1)
    assert store(library, Work(there, 1)) == identity
    (header,) = headers(library, "lin")
    assert (header.decided, header.score[0], header.human_score[0]) == (1, 73, 78)


# Weights, scores without findings, and what was judged again


def test_a_review_is_weighed_as_its_judge_was(library: Connection) -> None:
    (translation,) = translations(library, 1)
    identity = store(library, Work(translation, 1), "scored", builders.findings()[:2], scheme="accuracy")
    session = ReviewSession(library, "lin")
    stored = session.open(identity)
    assert stored.weights == Weights({"accuracy": 60, "fluency": 0, "appropriateness": 0})
    assert (stored.score, session.human) == (Score(45, 0, 0), Score(45, 0, 0))
    session.decide(stored.findings[0], "not_an_error")
    assert session.human == Score(50, 0, 0)
    session.set_dimension(stored.findings[1], "fluency")
    assert session.human == Score(60, 0, 0, (0, 2, 0))
    session.set_state("done")
    assert headers(library, "lin")[0].human_score == (60, 60, 0, 0)
    rebuild(library)
    assert headers(library, "lin")[0].human_score == (60, 60, 0, 0)
    figures = read_reviewed(library).report().documents
    assert [figures[part]["all"].mean_difference.n for part in figures] == [1, 1, 0, 0]


def test_a_score_without_findings_is_claimed_and_not_reviewed(library: Connection) -> None:
    (translation,) = translations(library, 1)
    identity = store(library, Work(translation, 1), "score_only", (), scheme="single_simple")
    assert Queue(library, "lin")[0][6:8] == ("score_only", 100)
    session = ReviewSession(library, "lin")
    session.open(identity)
    session.set_state("done")
    assert session.human is None
    reviewed = read_reviewed(library)
    assert (reviewed.findings.reviews, reviewed.documents, reviewed.signatures) == ([], [], {})
    assert reviewed.left_out == {"score only: no findings to review": 1}
    assert reviewed.report().evaluations.score_only == 1


def test_what_was_judged_again_counts_once(library: Connection) -> None:
    (translation,) = translations(library, 1)
    failed = store(library, Work(translation, 1), "judge_failed", builders.findings()[:1])
    store(library, Work(translation, 1, failed, failed=True))
    counts = read_reviewed(library).evaluations
    assert (counts.total, counts.scored, counts.judge_failed) == (1, 1, 0)
    queue = Queue(library, "lin")
    assert [row.state for row in queue] == ["scored"]
    assert (len(queue), queue.progress().total, queue.index_of(failed)) == (1, 1, None)
    assert [header.superseded_by is None for header in headers(library, "lin")] == [False, True]
    superseded = library.execute("SELECT evaluation FROM v_scores WHERE superseded_by IS NOT NULL").fetchall()
    assert superseded == [(failed,)]
    standing = library.execute(
        "SELECT count(DISTINCT finding) FROM v_findings "
        "WHERE evaluation NOT IN (SELECT supersedes FROM evaluations WHERE supersedes IS NOT NULL)"
    ).fetchone()
    assert standing == (len(builders.findings()),)


def test_figures_name_what_decided_the_scores(library: Connection) -> None:
    (translation,) = translations(library, 1)
    own, imported, unread = (
        store(library, Work(translation, 1)),
        builders.add(library),
        builders.add(library, system="x"),
    )
    for identity in (own, imported):
        ReviewLog(library, "lin").set_state(identity, "done")
    report = read_reviewed(library).report()
    said = {signature().text: 1, "imported, signature unknown: judge osprey": 1}
    assert report.signatures == plain(report)["signatures"] == said
    text = as_text(review_sections(report))
    assert all(f"1  {line}\n" in text[text.index("SIGNATURES") :] for line in said)
    assert unread not in str(said)


# Translating


def test_articles_are_translated_once(library: Connection) -> None:
    with transaction(library):
        ids = [add_article(library, Article(f"lake-{n}", builders.SOURCE, "zh-en"))[0] for n in range(3)]
        run = builders.start(library)
        add_call(library, run, attempt(request()))
        made = store_translation(library, run, ids[1], "Osprey", "A \ud800lake.", request().id)
    assert [identity for identity, _ in articles_to_translate(library, "osprey")] == [ids[0], ids[2]]
    assert [article.key for _, article in articles_to_translate(library, "osprey", ["lake-2"])] == ["lake-2"]
    assert len(list(articles_to_translate(library, "heron"))) == 3
    with pytest.raises(StorageError, match="no article has the name"):
        list(articles_to_translate(library, "heron", ["sea"]))
    assert load(library, made)[1:] == ("Osprey", "A \ufffdlake.")
    assert [done.translation_id for done in work(library, ASKED)] == [made]


# Batches


def test_a_batch_is_noted_before_it_is_sent_and_collected_once(library: Connection) -> None:
    asked = {each.id: (each, form) for each, form in ((request("a"), Form()), (request("b"), Form("none")))}
    with transaction(library):
        run = builders.start(library)
        batch = batches.begin(library, run, "token-1", asked.values())
    here = ("openai", builders.SERVER, "osprey")
    (noted,) = batches.open_batches(library, *here)
    assert (noted.id, noted.run_id, noted.token, noted.state, noted.remote) == (
        batch,
        run,
        "token-1",
        "submitting",
        None,
    )
    assert noted.requests == 2
    assert batches.open_batches(library, "openai", builders.SERVER, "heron") == []
    assert batches.requests_of(library, batch) == asked
    assert all(batches.is_waiting(library, each) for each in asked)
    assert not batches.is_waiting(library, request("c").id)
    batches.submitted(library, batch, "batch_7")
    assert batches.open_batches(library, *here)[0].remote == "batch_7"
    later = builders.start(library)
    for _ in range(2):
        with transaction(library):
            batches.collected(library, batch, later, [attempt(each) for each, _ in asked.values()])
    assert batches.open_batches(library, *here) == []
    assert not any(batches.is_waiting(library, each) for each in asked)
    assert [len(recorded(library, each)) for each, _ in asked.values()] == [1, 1]
    assert library.execute("SELECT DISTINCT batch, run FROM v_calls").fetchall() == [(batch, later)]


def test_a_lost_batch_can_be_asked_again(library: Connection) -> None:
    for token in ("token-1", "token-2"):
        batch = batches.begin(library, builders.start(library), token, [(request(), Form())])
        assert batches.is_waiting(library, request().id)
        batches.lost(library, batch, "expired")
        assert not batches.is_waiting(library, request().id)
    assert library.execute("SELECT DISTINCT state, reason FROM batches").fetchall() == [("lost", "expired")]


# Usage


def test_usage_adds_up(library: Connection) -> None:
    first, second = builders.start(library), builders.start(library)
    add_call(library, first, attempt(request()))
    add_call(library, first, attempt(request(), "server"))
    add_call(library, second, attempt(request("b"), "unparsable", seconds=2.5))
    add_call(library, second, attempt(request("b", model="heron")))
    batch = batches.begin(library, second, "token", [(request("c"), Form())])
    batches.collected(library, batch, second, [attempt(request("c"))])
    models = usage.by_model(library)
    assert [(each.model, each.batched, each.calls) for each in models] == [
        ("heron", False, 1),
        ("osprey", False, 3),
        ("osprey", True, 1),
    ]
    live = models[1]
    assert live.outcomes == {"ok": 1, "server": 1, "unparsable": 1}
    assert (live.input, live.cached, live.output, live.thinking) == (900, 100, 50, 20)
    assert (live.unmetered, live.seconds) == (1, 5.5)
    runs = usage.by_run(library)
    assert [(each.run_id, each.usage.model, each.usage.batched, each.usage.calls) for each in runs] == [
        (second, "heron", False, 1),
        (second, "osprey", False, 1),
        (second, "osprey", True, 1),
        (first, "osprey", False, 2),
    ]
    assert (runs[0].command, runs[0].program) == ("judge", "0.2")
    assert sum(each.calls for each in models) == sum(each.usage.calls for each in runs) == 5
    assert recorded_servers(library, "osprey") == [("openai", builders.SERVER, 4)]
