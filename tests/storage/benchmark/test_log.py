"""A benchmark that is being built: the log of its candidates, what follows from it, undone, united, archived."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.benchmark.rubric.points import Point, rubric_text, written
from judges.benchmark.selection.selection import Quota, described
from judges.model import Article
from storage.analysis.judge_scores import read_judged
from storage.base.errors import StorageError
from storage.benchmark.candidates import Candidate, articles, candidate, candidates
from storage.benchmark.event_checks import RULES
from storage.benchmark.events import read_build_events
from storage.benchmark.log import BuildLog
from storage.benchmark.settings import filters, lengths, people_of, quotas, seconds_spent, target
from storage.db.connection import Connection
from storage.exports import archive
from storage.exports.selection import Selection
from storage.importing.archive import import_archive
from storage.importing.merge import merge_file
from storage.integrity.opening import open_library
from storage.log.rules import EventError
from storage.record.library import read_article
from storage.runs.runs import articles_to_translate
from tests.support.building_candidates import build_library, judge
from tests.support.nightly import rounds

SOURCE = "山洞里住着一只狐狸。它每天晚上都出来找吃的。"
FOX = written(1, "狐狸", ["fox"], ["wolf"], "keyword")
CAVE = written(2, "山洞", ["cave", "cavern"])


def an_article(key: str = "fox", source: str = SOURCE, points: Sequence[Point] = (FOX, CAVE)) -> Article:
    rubric = tuple(point.as_rubric() for point in points)
    return Article(key, source, "zh-en", "Literature", "Fable", rubric_text=rubric_text(points), rubric=rubric)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with closing(open_library(tmp_path / "a.db")) as opened:
        yield opened


@pytest.fixture
def ana(connection: Connection) -> BuildLog:
    log = BuildLog(connection, "ana")
    log.add(an_article(), (FOX, CAVE), origin="a village paper", licence="CC BY 4.0", file="foxes.jsonl", line=3)
    return log


def the(connection: Connection, viewer: str = "ana", key: str = "fox") -> Candidate:
    found = candidate(connection, key, viewer)
    assert found is not None
    return found


def test_a_candidate_is_as_it_was_added(connection: Connection, ana: BuildLog) -> None:
    found = the(connection)
    assert [found] == candidates(connection, "ana")
    assert (found.direction, found.domain, found.subdomain) == ("zh-en", "Literature", "Fable")
    assert (found.origin, found.licence, found.stage, found.outcome) == ("a village paper", "CC BY 4.0", 1, "undecided")
    assert (found.version.number, found.version.file, found.version.line) == (1, "foxes.jsonl", 3)
    assert found.version.points == (FOX, CAVE)
    assert articles(connection, [found]) == {"fox": an_article()}
    assert candidate(connection, "hare", "ana") is None
    with pytest.raises(StorageError, match="there is such a candidate"):
        ana.add(an_article(source="Another."), ())
    with pytest.raises(StorageError, match="no such candidate"):
        ana.decide("hare", "accept")


def test_every_version_is_kept_and_the_last_counts(connection: Connection, ana: BuildLog) -> None:
    first = the(connection).article_id
    assert ana.revise("fox", source=SOURCE, points=(FOX, CAVE), domain="Literature") is None
    ana.revise("fox", source=SOURCE + "完。", note="it had no end")
    ana.revise("fox", points=(FOX,), domain="Fiction")
    found = the(connection)
    assert [version.number for version in found.versions] == [1, 2, 3]
    assert [version.base for version in found.versions] == [None, first, found.versions[1].article_id]
    assert found.versions[1].note == "it had no end"
    assert len({version.article_id for version in found.versions}) == 3
    assert articles(connection, [found])["fox"] == Article(
        *("fox", SOURCE + "完。", "zh-en", "Fiction", "Fable"),
        rubric_text=rubric_text([FOX]),
        rubric=(FOX.as_rubric(),),
    )
    assert read_article(connection, first) == replace(an_article(), domain="Fiction")
    ana.undo()
    assert (the(connection).version.number, the(connection).domain) == (2, "Literature")
    assert [version.undone for version in the(connection).versions] == [False, False, True]
    ana.undo()
    assert the(connection).article_id == first
    assert ana.undo() is None  # what was added is not taken back
    ana.redo()
    ana.redo()
    assert ana.redo() is None
    assert the(connection) == found


def test_details_alone_are_another_version_of_the_same_text(connection: Connection, ana: BuildLog) -> None:
    before = the(connection).article_id
    ana.revise("fox", licence="CC0", origin="")
    found = the(connection)
    assert (found.licence, found.origin, found.article_id) == ("CC0", "", before)
    with pytest.raises(StorageError, match="colour: is none of"):
        ana.revise("fox", colour="red")
    with pytest.raises(StorageError, match="needs a text"):
        ana.revise("fox", source=" \n")


def test_a_decision_is_of_one_version(connection: Connection, ana: BuildLog) -> None:
    with pytest.raises(StorageError, match="say why"):
        ana.decide("fox", "reject", " ")
    ana.decide("fox", "accept")
    assert the(connection).outcome == "accepted"
    ana.revise("fox", points=(FOX,))
    assert (the(connection).outcome, the(connection).decisions) == ("undecided", {})
    ana.undo()
    assert the(connection).outcome == "accepted"
    ana.decide("fox", "reject", "too easy", stage=2)
    found = the(connection)
    assert (found.outcome, found.decisions["ana"].reason, found.decisions["ana"].stage) == ("rejected", "too easy", 2)
    ana.decide("fox", "undecided")
    assert the(connection).outcome == "undecided"
    ana.undo()
    ana.undo()
    assert the(connection).outcome == "accepted"


def test_neither_of_two_sees_the_others_decision_before_both_have_decided(
    connection: Connection, ana: BuildLog
) -> None:
    ben, cleo = BuildLog(connection, "ben"), BuildLog(connection, "cleo")
    cleo.assign({"fox": ["ana", "ben"]}, overlap=1.0)
    assert the(connection).overlap
    ana.decide("fox", "accept")
    for viewer in ("ben", "cleo"):
        hidden = the(connection, viewer)
        assert (hidden.decisions, hidden.independent, hidden.outcome) == ({}, {}, "undecided")
        assert hidden.waiting == ("ben",)
    assert list(the(connection, "ana").decisions) == ["ana"]
    with pytest.raises(StorageError, match="ana and ben decide on it, not cleo"):
        cleo.decide("fox", "accept")
    with pytest.raises(StorageError, match="nothing to settle"):
        cleo.settle("fox", "accept")
    ben.decide("fox", "reject", "a fable that everybody knows")
    for viewer in ("ana", "ben", "cleo"):
        assert sorted(the(connection, viewer).decisions) == ["ana", "ben"]
        assert the(connection, viewer).outcome == "differ"
    ana.decide("fox", "reject", "ben is right")  # seen is seen: what she said before is what counts for agreement
    found = the(connection)
    assert {name: said.decision for name, said in found.independent.items()} == {"ana": "accept", "ben": "reject"}
    assert found.outcome == "rejected"
    ana.undo()
    cleo.settle("fox", "accept", "children do not know it")
    found = the(connection)
    assert found.settled
    assert (found.settled.person, found.outcome) == ("cleo", "accepted")
    cleo.undo()
    assert the(connection).outcome == "differ"
    ben.undo()  # she has seen it, and it does not become unseen
    assert sorted(the(connection).decisions) == ["ana"]
    assert list(the(connection, "ben").decisions) == ["ana"]
    assert len(the(connection).independent) == 2


def test_a_revision_is_decided_on_unseen_again(connection: Connection, ana: BuildLog) -> None:
    ben = BuildLog(connection, "ben")
    ana.assign({"fox": ["ana", "ben"]})
    ana.decide("fox", "accept")
    ben.decide("fox", "accept")
    ben.revise("fox", points=(FOX,))
    ben.decide("fox", "accept")
    assert (the(connection).decisions, the(connection).waiting) == ({}, ("ana",))


def test_whoever_takes_over_does_not_see_what_was_said(connection: Connection, ana: BuildLog) -> None:
    ben = BuildLog(connection, "ben")
    ana.assign({"fox": ["ana", "ben"]})
    ana.decide("fox", "accept")
    ben.decide("fox", "accept")
    ana.assign({"fox": ["ana", "cleo"]})
    assert (the(connection, "cleo").decisions, the(connection, "cleo").waiting) == ({}, ("cleo",))
    ana.undo()
    assert sorted(the(connection, "cleo").decisions) == ["ana", "ben"]
    ana.assign({"fox": []})
    assert the(connection).assigned == ()


def test_filters_quotas_findings_and_time(connection: Connection, ana: BuildLog) -> None:
    ben = BuildLog(connection, "ben")
    identity = the(connection).article_id
    set_by_ana = ana.filter({"min_failed": 8}, ["a", "b"], ["s1"], {"fox": identity})
    found = the(connection)
    assert (found.filters, found.was_filtered, found.stage) == ((set_by_ana.id,), True, 2)
    assert [(each.rule, each.systems, dict(each.candidates)) for each in filters(connection)] == [
        ({"min_failed": 8}, ("a", "b"), {"fox": identity})
    ]
    ana.revise("fox", points=(FOX,))
    assert (the(connection).filters, the(connection).was_filtered) == ((), True)
    assert quotas(connection) == ()
    ana.set_quotas([Quota(3, "", "Literature"), Quota(1)])
    ben.set_quotas([Quota(4)])
    assert quotas(connection) == (Quota(4),)
    ben.undo()
    assert quotas(connection) == (Quota(3, "", "Literature"), Quota(1))
    ana.set_lengths({"fr": (1200, "words")})
    ana.set_lengths({"ja": (2000, "characters")})
    assert lengths(connection) == {"fr": (1200, "words"), "ja": (2000, "characters")}
    ana.undo()
    assert lengths(connection) == {"fr": (1200, "words")}
    with pytest.raises(StorageError, match="say why"):
        ana.check_off("fox", "f00", "")
    ana.check_off("fox", "f00", "the figure is in the text")
    assert the(connection).checked_off["f00"].why == "the figure is in the text"
    ana.spend("fox", {1: 12.5})
    ana.spend("", {1: 2.5, 3: 60})
    ben.spend("fox", {3: 1})
    assert seconds_spent(connection) == {(1, "ana"): 15.0, (3, "ana"): 60.0, (3, "ben"): 1.0}
    act = ana.undo()  # time is no act
    assert act
    assert act.kind == "checked_off"
    assert the(connection).checked_off == {}


def test_a_new_act_leaves_nothing_to_redo(connection: Connection, ana: BuildLog) -> None:
    ana.decide("fox", "accept")
    ana.undo()
    ana.decide("fox", "reject", "no")
    assert ana.redo() is None
    assert BuildLog(connection, "ben").undo() is None  # everyone takes back her own


def test_a_rubric_that_would_be_read_otherwise_is_refused(connection: Connection, ana: BuildLog) -> None:
    events = list(read_build_events(connection))
    broken = [
        (Point(1, "a\n考点2：b"),),
        (Point(1, "a"), Point(1, "b")),
        (Point(1, ""),),
        (Point(1, ": a"),),
        (Point(1, "see 考点2：b"), Point(3, "c")),
    ]
    for points in broken:
        with pytest.raises(StorageError, match=r"point \d"):
            ana.revise("fox", points=points)
    assert list(read_build_events(connection)) == events


def test_the_log_refuses_change(connection: Connection, ana: BuildLog) -> None:
    for statement in ("UPDATE build_events SET at = ''", "DELETE FROM build_events"):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            connection.execute(statement)


def test_hostile_text_is_kept(connection: Connection) -> None:
    log = BuildLog(connection, "ana")
    said = "[b]\x1b[31m‮ \U0001f98a \ud800 \0"
    log.add(Article(said, said, "zh-en"), (Point(1, said, None, said),), origin=said)
    (found,) = candidates(connection, "ana")
    assert found.origin == found.key == found.version.points[0].term == said.replace("\ud800", "�").replace("\0", "�")


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("decided", "[1]"),
        ("decided", "{"),
        ("revised", '{"article_id": "nowhere"}'),
        ("revised", '{"points": [{"number": "one"}]}'),
        ("assigned", '{"people": ["fox"]}'),
        ("time", '{"seconds": 3}'),
        ("quotas", '{"quotas": 3}'),
        ("lengths", '{"least": [1]}'),
        ("filtered", '{"candidates": {"fox": 1}, "systems": 1}'),
    ],
)
def test_an_event_that_nothing_can_be_made_of_is_not_taken_in(
    connection: Connection, ana: BuildLog, tmp_path: Path, kind: str, changes: str
) -> None:
    connection.execute(
        "INSERT INTO build_events VALUES ('bad', '2099-01-01T00:00:00.000000Z', 'ana', ?, 'fox', ?, NULL, 0)",
        (kind, changes),
    )
    archive.write(connection, tmp_path / "a.zip", Selection())
    for number, (take, file) in enumerate(((merge_file, "a.db"), (import_archive, "a.zip"))):
        with closing(open_library(tmp_path / f"{number}.db")) as other:
            report = take(other, tmp_path / file)
            assert report.problem == ""
            assert report.left_out
            assert [event.id for event in read_build_events(other) if event.id == "bad"] == []
            assert [each.key for each in candidates(other, "ana")] == ["fox"]


# --- Several libraries --------------------------------------------------------------------------------------------

ACTS: dict[str, Callable[[BuildLog], object]] = {
    "accept": lambda log: log.decide("fox", "accept"),
    "reject": lambda log: log.decide("fox", "reject", "no"),
    "points": lambda log: log.revise("fox", points=(FOX,)),
    "text": lambda log: log.revise("fox", source=SOURCE + "…", licence="CC0"),
    "undo": lambda log: log.undo(),
    "redo": lambda log: log.redo(),
    "assign": lambda log: log.assign({"fox": ["ana", "ben"]}),
    "release": lambda log: log.assign({"fox": []}),
    "check off": lambda log: log.check_off("fox", "f00", "fine"),
    "time": lambda log: log.spend("fox", {2: 1.0}),
}


@settings(max_examples=rounds(5, 120))
@given(st.lists(st.tuples(st.sampled_from(["ana", "ben"]), st.sampled_from(sorted(ACTS))), max_size=14))
def test_united_libraries_say_the_same_in_whatever_order(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("build")
    paths = {name: folder / f"{name}.db" for name in ("ana", "ben", "one", "other", "archived")}
    with closing(open_library(paths["ana"])) as first:
        BuildLog(first, "cleo").add(an_article(), (FOX, CAVE), origin="a village paper")
        with closing(open_library(paths["ben"])) as second:
            merge_file(second, paths["ana"])
            by_name = {"ana": BuildLog(first, "ana"), "ben": BuildLog(second, "ben")}
            for name, act in acts:
                ACTS[act](by_name[name])
    candidates_found, articles_found = [], []
    for name, order in (("one", ("ana", "ben", "ana")), ("other", ("ben", "ana"))):
        with closing(open_library(paths[name])) as united:
            for each in order:
                report = merge_file(united, paths[each])
                assert (report.problem, report.conflicts) == ("", [])
            assert merge_file(united, paths["ana"]).added == {}
            candidates_found.append([candidates(united, viewer) for viewer in ("ana", "ben", "cleo")])
            articles_found.append(articles(united, candidates(united, "cleo")))
            archive.write(united, folder / f"{name}.zip", Selection())
    with closing(open_library(paths["archived"])) as unpacked:
        assert not import_archive(unpacked, folder / "one.zip").problem
        candidates_found.append([candidates(unpacked, viewer) for viewer in ("ana", "ben", "cleo")])
    assert candidates_found[0] == candidates_found[1] == candidates_found[2]
    assert articles_found[0] == articles_found[1]
    for viewer, (seen,) in zip(("ana", "ben", "cleo"), candidates_found[0], strict=True):
        if seen.overlap and seen.waiting and not seen.independent:
            assert set(seen.decisions) <= {viewer}


def test_an_article_is_of_what_is_said_of_its_candidate_now(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    build_library(path)
    judge(path, {"owlet": {1}, "heron": {1}})

    def kinds(connection: Connection) -> set[tuple[str, str]]:
        """By what is to be translated, and by what is judged."""
        texts = {(each.direction, each.domain) for _, each in articles_to_translate(connection, "carme", ["dyke"])}
        return texts | {(each.direction, each.domain) for each in read_judged(connection)[0].rows}

    with closing(open_library(path)) as connection:
        log = BuildLog(connection, "mei")
        assert kinds(connection) == {("zh-en", "文学艺术")}
        log.revise("dyke", direction="zh-de", domain="新闻资讯")
        assert kinds(connection) == {("zh-de", "新闻资讯")}
        log.undo()
        assert kinds(connection) == {("zh-en", "文学艺术")}
        log.redo()
        assert kinds(connection) == {("zh-de", "新闻资讯")}
        log.undo()
        log.revise("dyke", domain="")
    judge(path, {"owlet": {1}, "heron": {1}})
    with closing(open_library(path)) as connection:
        assert {row[0] for row in connection.execute("SELECT domain FROM evaluations")} == {"文学艺术"}


@pytest.mark.parametrize(
    ("said", "points", "codes"),
    [
        ({}, 1, []),
        ({"domain": " "}, 1, ["domain"]),
        ({"domain": "News"}, 1, ["domain"]),
        ({"domain": "LAW "}, 1, []),
        ({"direction": "fr-en"}, 1, ["domain"]),
        ({"origin": "", "licence": ""}, 1, ["origin", "licence!"]),
        ({}, 0, ["no_points!"]),
    ],
)
def test_what_is_said_of_a_candidate_is_checked(said: dict[str, str], points: int, codes: list[str]) -> None:
    """What blocks has a ``!`` here."""
    full = {"direction": "de-en", "domain": "Law", "subdomain": "", "origin": "a gazette", "licence": "CC0"}
    quotas = (Quota(3, "de-en", "Law"), Quota(2, "zh-en"))
    found = described(full | said, points, quotas)
    assert [f"{one.code}{'!' * (one.severity == 'blocks')}" for one in found] == codes
    assert [one.code for one in described(full | {"domain": "News"}, 1)] == []


@pytest.mark.parametrize(
    ("kind", "changes", "field"),
    [
        ("decided", {"decision": "accept", "article_id": "a", "without": "filter"}, "changes.without"),
        ("assigned", {"people": {}, "without": {"fox": "filter"}}, "changes.without"),
        ("assigned", {"people": {}, "articles": {"fox": 1}}, "changes.articles"),
        ("written", {"without": [], "why": "so"}, "changes.without"),
        ("people", {"roles": {"ana": ["boss"]}}, "changes.roles"),
        ("people", {}, "changes.roles"),
        ("hours", {"of": "ana", "stage": 4, "seconds": 1}, "changes.stage"),
        ("hours", {"of": "ana", "stage": 1, "seconds": "long"}, "changes.seconds"),
        ("target", {"share": 1.5}, "changes.share"),
        ("target", {"share": True}, "changes.share"),
        ("filtered", {"rule": {"min_failed": 1}, "systems": [], "signatures": [], "candidates": {}, "judge": 1}, "changes.judge"),
    ],
)  # fmt: skip
def test_what_an_event_must_hold(kind: str, changes: dict[str, object], field: str) -> None:
    given = {"id": "e", "at": "2026-05-11T01:04:20.000000Z", "person": "ana", "kind": kind, "counter": 1}
    subject = {"candidate": "fox"} if kind == "decided" else {}
    with pytest.raises(EventError) as caught:
        RULES.event_of({**given, **subject, "changes": changes})
    assert caught.value.field == field


def test_roles_hours_and_a_target_are_of_the_benchmark(connection: Connection, ana: BuildLog) -> None:
    ana.set_roles({"ana": ["author"], "ben": ["adjudicator", "reviewer"]})
    ana.set_roles({"ana": []})
    ana.add_hours("ben", 3, 2, "reading")
    ana.add_hours("ben", 3, -0.5)
    ana.spend("fox", {1: 60.0})
    ana.set_target(0.3)
    (first, second) = people_of(connection)
    assert (first.name, first.said, first.acted, first.inside, first.outside) == ("ana", (), ("author",), 60, 0)
    assert (second.name, second.said, second.acted, second.outside) == ("ben", ("reviewer", "adjudicator"), (), 5400)
    assert target(connection) == 0.3
    for _ in range(5):
        ana.undo()
    assert people_of(connection) == [replace(first, said=(), acted=("author",))]
    assert target(connection) is None
