"""All that reviewers can say, in any order, counted by plain loops over each review: the figures must be the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.reports.consistency.sections import review_sections
from discox_tui.reports.render.json import plain
from discox_tui.reports.render.text import as_text
from judges.consistency.error_slices import Tallies
from judges.consistency.outcomes import further_places, humans_category, humans_dimension, humans_severity, outcome_of
from judges.consistency.report import ConsistencyReport
from judges.consistency.spans import ErrorSpan, span_match, total
from judges.metric_s.human_score import Work
from judges.model import DECISIONS, POINT_DECISIONS, Finding, Place
from storage.analysis.error_slices import latest_act, read_disputed, read_tallies, touched_since
from storage.analysis.metric_scores import read_scores
from storage.analysis.review_data import read_reviewed
from storage.db.connection import Connection
from storage.integrity.opening import open_library
from storage.record.groundings import ground_pending
from storage.reviews.fold import Review
from storage.reviews.layers import layers_of, split_layer
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import findings_of, read_review, read_work
from tests.support import builders

LAYERS = ("ana", "ana:again", "ana:adjudicated", "bo")
PLAIN = ("ana", "bo")
N_FINDINGS = len(builders.findings())
OWN = ("x", "y", "z")
RIGHT = ("agree", "override", "reattribute", "restore")
PLACES = ([["source", 0, 3]], [["source", 2, 8], ["translation", 4, 9]], [["translation", 0, 30]])


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Two evaluations of two articles and one that failed the instruction check; points 2 and 3 are met, 4 unreadable."""
    path = tmp_path_factory.mktemp("reviews") / "a.db"
    connection = open_library(path)
    ids = [builders.add(connection, article=f"a{i}", system=f"s{i}") for i in range(2)]
    ids.append(builders.add(connection, article="a3", system="s3", state="instruction_failed"))
    points = [(identity, 1 + number, number, met) for identity in ids for number, met in ((2, 1), (3, 1), (4, None))]
    connection.executemany(
        "INSERT INTO rubric_verdicts (evaluation_id, position, point, met, label, hint, explanation) "
        "VALUES (?, ?, ?, ?, '', '', '')",
        points,
    )
    ground_pending(connection, path)
    connection.close()
    return path, ids


Act = tuple[Any, ...]
FINDING = st.integers(0, N_FINDINGS - 1)
ACTS: st.SearchStrategy[Act] = st.one_of(
    st.tuples(st.just("decide"), FINDING, st.sampled_from(DECISIONS)),
    st.tuples(st.just("decide"), FINDING, st.sampled_from(DECISIONS)),
    st.tuples(st.just("all"), st.sampled_from(["agree", "not_an_error"])),
    st.tuples(st.just("move"), FINDING),
    st.tuples(st.just("repeat"), FINDING, FINDING),
    st.tuples(st.just("repeat of own"), FINDING, st.sampled_from(OWN)),
    st.tuples(st.just("invented"), FINDING),
    st.tuples(st.just("place"), FINDING, st.sampled_from(PLACES)),
    st.tuples(st.just("match"), FINDING, st.sampled_from(OWN)),
    st.tuples(st.just("mark"), st.sampled_from(OWN), st.sampled_from(PLACES)),
    st.tuples(st.just("mark"), st.sampled_from(OWN), st.sampled_from(PLACES)),
    st.tuples(st.just("own repeats"), st.sampled_from(OWN), FINDING),
    st.tuples(st.just("own repeats own"), st.sampled_from(OWN), st.sampled_from(OWN)),
    st.tuples(st.just("missed"), st.sampled_from(OWN)),
    st.tuples(st.just("remove"), st.sampled_from(OWN)),
    st.tuples(st.just("point"), st.integers(1, 4), st.sampled_from(POINT_DECISIONS)),
    st.tuples(st.just("review"), st.sampled_from([{"search": "done"}, {"search": None}])),
    st.tuples(st.just("review"), st.sampled_from([{"instruction": "agree"}, {"instruction": "overturn"}])),
    st.tuples(st.just("review"), st.sampled_from([{"state": "done"}, {"state": "skipped", "reason": "no"}])),
    st.tuples(st.just("open"), st.booleans()),
    st.tuples(st.just("reveal")),
    st.tuples(st.just("undo")),
)


GROUPING_ACTS: st.SearchStrategy[Act] = st.one_of(
    st.tuples(st.just("decide"), FINDING, st.sampled_from(["agree", "not_an_error", "restore", "override"])),
    st.tuples(st.just("repeat"), FINDING, FINDING),
    st.tuples(st.just("repeat of own"), FINDING, st.sampled_from(OWN)),
    st.tuples(st.just("match"), FINDING, st.sampled_from(OWN)),
    st.tuples(st.just("mark"), st.sampled_from(OWN), st.sampled_from(PLACES)),
    st.tuples(st.just("own repeats"), st.sampled_from(OWN), FINDING),
    st.tuples(st.just("own repeats own"), st.sampled_from(OWN), st.sampled_from(OWN)),
)


def perform(log: ReviewLog, evaluation: str, act: Act) -> None:
    findings = list(findings_of(log.connection, evaluation))

    def own(name: str) -> str:
        return f"{log.reviewer}-{evaluation[:4]}-{name}"

    match act:
        case "decide", number, decision:
            log.decide(evaluation, findings[number], decision=decision)
        case "all", decision:
            for finding in findings:
                log.decide(evaluation, finding, decision=decision)
        case "move", number:
            log.decide(evaluation, findings[number], decision="reattribute", dimension="fluency")
        case "repeat", number, other if number != other:
            log.decide(evaluation, findings[number], repeat_of=findings[other])
        case "repeat of own", number, name:
            log.decide(evaluation, findings[number], repeat_of=own(name))
        case "invented", number:
            log.decide(evaluation, findings[number], invented=True)
        case "place", number, spans:
            log.decide(evaluation, findings[number], spans=spans)
        case "match", number, name:
            log.decide(evaluation, findings[number], matches=own(name))
        case "mark", name, spans:
            log.mark(evaluation, own(name), dimension="accuracy", severity="critical", spans=spans)
        case "own repeats", name, number:
            log.mark(evaluation, own(name), repeat_of=findings[number])
        case "own repeats own", name, other if name != other:
            log.mark(evaluation, own(name), repeat_of=own(other))
        case "missed", name:
            log.mark(evaluation, own(name), missed=True)
        case "remove", name:
            log.mark(evaluation, own(name), removed=True)
        case "point", number, decision:
            log.set_point(evaluation, number, decision=decision)
        case "review", changes:
            log.set_review(evaluation, **changes)
        case "open", hidden:
            log.open(evaluation, hidden=hidden)
        case ("reveal",):
            log.reveal(evaluation)
        case ("undo",):
            log.undo()


def root(identity: str, work: Work) -> str:
    """What a repeat leads back to, walked step by step."""
    seen = [identity]
    while True:
        here = seen[-1]
        if here in work.matched:
            after: str | None = work.matched[here]
        elif here in work.errors:
            after = work.errors[here].repeat_of
        else:
            after = work.verdicts[here].repeat_of if here in work.verdicts else None
        if after is None:
            return here
        if after in seen:
            return min(seen[seen.index(after) :])
        seen.append(after)


def by_hand(findings: dict[str, Finding], work: Work) -> Counter[str]:
    """What one review counts for."""
    found: Counter[str] = Counter()
    groups: dict[str, Counter[str]] = {}
    for identity, finding in findings.items():
        decision = work.verdicts[identity].decision if identity in work.verdicts else None
        if not finding.kept:
            if decision == "restore":
                groups.setdefault(root(identity, work), Counter())["restored"] += 1
            found["drops"] += decision in ("agree", "duplicate", "not_an_error", "restore")
            found["drops confirmed"] += decision in ("agree", "duplicate", "not_an_error")
        elif decision in RIGHT:
            groups.setdefault(root(identity, work), Counter())["right"] += 1
            found["standing"] += 1
            found["moved"] += work.verdicts[identity].spans is not None
        elif decision is None:
            found["unseen"] += 1
        elif decision == "unsure":
            found["unsure"] += 1
        else:
            found["wrong"] += 1
    for identity in work.unmatched:
        groups.setdefault(root(identity, work), Counter())["own"] += 1
    for group in groups.values():
        found["right"] += group["right"] > 0
        found["repeated"] += max(0, group["right"] - 1)
        found["missed"] += not group["right"] and not group["restored"]
    called = {finding.rubric_point for finding in findings.values()}
    found["missed"] += sum(p.decision == "violated" and number not in called for number, p in work.points.items())
    for number, point in work.points.items():
        if number in (2, 3):
            found[f"met, {point.decision}"] += 1
    return found


def places_of(spans: str) -> list[Place]:
    return [Place(*place) for place in json.loads(spans)]


def is_ended(layer: str, review: Review) -> bool:
    """Whether a review is no adjudication that goes on."""
    return review.state == "done" or not layer.endswith(":adjudicated")


def reviews_of(connection: Connection, ids: list[str], layer: str) -> dict[str, Work]:
    """The reviews by one layer whose findings count."""
    chosen = {}
    for identity in ids[:2]:
        review = read_review(connection, identity, layer)
        if review.state in ("in_progress", "done") and is_ended(layer, review) and review.blind != "started":
            chosen[identity] = read_work(connection, identity, layer)
    return chosen


def check(connection: Connection, ids: list[str], report: ConsistencyReport, layers: tuple[str, ...]) -> None:
    findings = {identity: findings_of(connection, identity) for identity in ids}
    reviews = {layer: reviews_of(connection, ids, layer) for layer in layers}
    counted = {
        (layer, identity): by_hand(findings[identity], work)
        for layer, works in reviews.items()
        for identity, work in works.items()
    }
    whole: Counter[str] = sum(counted.values(), Counter())
    overall = report.findings.overall
    names = ("right", "wrong", "unsure", "unseen", "missed", "repeated")
    assert {name: getattr(overall, name) for name in names} == {name: whole[name] for name in names}

    searched = {key for key in counted if (work := reviews[key[0]][key[1]]).search_done and not work.unconfirmed}
    assert report.basis.searched == len(searched)
    known: Counter[str] = sum((counted[key] for key in searched), Counter())
    if known["right"] + known["missed"]:
        assert overall.recall.value == pytest.approx(known["right"] / (known["right"] + known["missed"]))
        assert overall.recall.n == known["right"] + known["missed"]
        errors = 2 * known["right"] + known["wrong"] + known["missed"]
        assert overall.f1.value == pytest.approx(2 * known["right"] / errors)
    else:
        assert (overall.recall.value, bool(overall.recall.why)) == (None, True)

    assert report.findings.deduplication.drops_confirmed.n == whole["drops"]
    assert report.findings.deduplication.drops_confirmed.value == (
        pytest.approx(whole["drops confirmed"] / whole["drops"]) if whole["drops"] else None
    )
    met = tuple(whole[f"met, {decision}"] for decision in ("violated", "met", "too_strict"))
    assert report.findings.rubric.table.counts[1] == met
    assert (report.spans.moved.n, round((report.spans.moved.value or 0) * whole["standing"])) == (
        whole["standing"],
        whole["moved"],
    )
    added_row = dict(zip(report.findings.attribution.columns, report.findings.attribution.counts[-1], strict=True))
    assert sum(added_row.values()) == whole["missed"]
    assert sum(sum(row) for row in report.findings.attribution.counts[:-1]) == whole["right"] + whole["wrong"]

    checks: Counter[tuple[bool, str]] = Counter()
    for layer in layers:
        for identity in ids:
            review = read_review(connection, identity, layer)
            if review.instruction and review.blind != "started" and is_ended(layer, review):
                checks[identity != ids[2], review.instruction] += 1
    assert report.instruction.table.counts == tuple(
        tuple(checks[passed, said] for said in ("agree", "overturn")) for passed in (True, False)
    )

    blind = [(layer, identity) for layer, identity in counted if reviews[layer][identity].blind]
    assert sorted((row.reviewer, row.evaluation) for row in report.anchoring.blind_first) == sorted(blind)
    assert report.anchoring.anchored == len(counted) - len(blind)
    overlaps = []
    for layer, identity in ((layer, identity) for layer in layers for identity in ids[:2]):
        review = read_review(connection, identity, layer)
        over = review.state == "done" if review.blind == "started" else review.state != "skipped"
        if review.blind is None or not over:
            continue
        rows = connection.execute(
            "SELECT severity, spans FROM blind_errors WHERE reviewer = ? AND evaluation_id = ?", (layer, identity)
        ).fetchall()
        if not rows and review.search is None:
            continue
        hers = [ErrorSpan(*place, severity) for severity, spans in rows for place in places_of(spans)]
        judges = [
            ErrorSpan(side, start, end, severity)
            for side, start, end, severity in connection.execute(
                'SELECT s.side, s.start, s."end", f.severity FROM spans s JOIN findings f ON f.id = s.finding_id '
                "WHERE f.kept AND s.evaluation_id = ? AND s.role = 'quote' AND s.confidence >= 0.7",
                (identity,),
            )
        ]
        overlaps.append(span_match(hers, judges))
    assert report.spans.judge.documents == len(overlaps)
    if overlaps:
        assert report.spans.judge.partial.value == total(overlaps).f1.value

    complete = {
        (layer, identity)
        for layer, identity in counted
        if read_review(connection, identity, layer).state == "done"
        and all(
            (v := reviews[layer][identity].verdicts.get(each)) is not None and v.decision not in (None, "unsure")
            for each, finding in findings[identity].items()
            if finding.kept
        )
        and not reviews[layer][identity].unconfirmed
    }
    assert report.documents["total"]["all"].mean_difference.n == len(complete)
    scored = {(row.metric, row.article) for row in read_scores(connection).rows if row.human}
    if layers == PLAIN:
        assert scored == {(layer, f"a{ids.index(identity)}") for layer, identity in complete}


SAID = {"right": "right", "wrong": "wrong", "unsure": "open", "unseen": "open", "repeated": "left out"}


def check_outcomes(connection: Connection) -> None:
    """The view of outcomes holds what the figures count, row by row, and says why of all that they leave out."""
    table = read_reviewed(connection).findings
    counted: Counter[tuple[object, ...]] = Counter()
    for review, kind in zip(table.review, table.kind, strict=True):
        row, finding = table.reviews[review], table.kinds[kind]
        outcome = outcome_of(finding)
        labels = humans_dimension(finding), humans_category(finding), humans_severity(finding)
        stands = labels if outcome in ("right", "repeated") else (None, None, None)
        if finding.kept:
            judges = finding.dimension, finding.category, finding.severity
            counted[row.evaluation, row.reviewer, *judges, SAID[outcome], outcome, *stands] += 1
    shown = Counter(
        connection.execute(
            "SELECT evaluation, reviewer, dimension, category, severity, outcome, said, human_dimension, "
            "human_category, human_severity FROM v_outcomes WHERE outcome <> 'left out' AND reviewer IS NOT NULL "
            "OR because = 'a further place of an error that counts already'"
        ).fetchall()
    )
    assert shown == counted
    rows = connection.execute("SELECT count(*) FROM v_outcomes").fetchone()[0]
    assert (
        rows
        == connection.execute(
            "SELECT count(*) FROM findings f LEFT JOIN reviews r ON r.evaluation_id = f.evaluation_id"
        ).fetchone()[0]
    )
    bare = "SELECT count(*) FROM v_outcomes WHERE (outcome IN ('right', 'wrong')) = (because IS NOT NULL)"
    assert connection.execute(bare).fetchone() == (0,)


@contextmanager
def copied(path: Path) -> Iterator[Connection]:
    """The library, to be written to."""
    with TemporaryDirectory() as folder:
        connection = open_library(Path(copy(path, folder)))
        with closing(connection):
            yield connection


@given(st.lists(GROUPING_ACTS, max_size=15))
def test_an_error_at_several_places_counts_once(library: tuple[Path, list[str]], acts: list[Act]) -> None:
    path, ids = library
    with copied(path) as connection:
        log = ReviewLog(connection, "ana")
        for act in (("all", "agree"), ("review", {"search": "done"}), *acts):
            perform(log, ids[0], act)
        report = read_reviewed(connection).report(resamples=20)
        check(connection, ids, report, PLAIN)
        check_outcomes(connection)
        tallies = Tallies(read_tallies(connection))
        assert tallies.counts.repeated == report.findings.overall.repeated
        assert tallies.weak_spots() == report.weak_spots


@given(st.lists(st.tuples(st.sampled_from(LAYERS), st.sampled_from([0, 0, 1, 2]), ACTS), max_size=50))
def test_figures_are_those_of_plain_loops(library: tuple[Path, list[str]], acts: list[tuple[str, int, Act]]) -> None:
    path, ids = library
    with copied(path) as connection:
        logs = {layer: ReviewLog(connection, layer) for layer in LAYERS}
        tallies = Tallies(read_tallies(connection))
        seen = {name: latest_act(connection, name) for name in PLAIN}
        for layer, which, act in acts:
            perform(logs[layer], ids[which], act)
            name = split_layer(layer)[0]
            touched = touched_since(connection, name, seen[name])
            now = {tally.evaluation: tally for tally in read_tallies(connection, "", touched)}
            for evaluation in touched:
                tallies.put(evaluation, now.get(evaluation))
            seen[name] = latest_act(connection, name)

        report = read_reviewed(connection).report(resamples=20)
        check(connection, ids, report, PLAIN)
        check_outcomes(connection)
        for layer in LAYERS:
            check(connection, ids, read_reviewed(connection, layer).report(resamples=20), (layer,))

        anew = Tallies(read_tallies(connection))
        for found in (tallies, anew):
            overall = report.findings.overall
            names = ("right", "wrong", "unsure", "unseen", "missed", "repeated")
            assert [getattr(found.counts, n) for n in names] == [getattr(overall, n) for n in names]
            assert found.attribution() == report.findings.attribution
            assert found.severity() == report.findings.severity.table
            assert found.weak_spots() == report.weak_spots
        for spot in report.weak_spots:
            assert len(read_disputed(connection, spot.spot)) == spot.rejected + spot.moved

        adjudicated = reviews_of(connection, ids, "ana:adjudicated")
        assert ("ana:adjudicated" in report.findings.by["reviewer"]) == bool(adjudicated)
        pairs = [pair.reviewers for pair in report.within_reviewers]
        assert pairs in ([], [("ana", "ana:again")])
        if pairs:
            (again,) = report.within_reviewers
            both = [reviews_of(connection, ids, layer) for layer in ("ana", "ana:again")]
            assert again.humans.verdicts.observed.n == sum(
                all(
                    identity in works
                    and each in works[identity].verdicts
                    and works[identity].verdicts[each].decision not in (None, "unsure")
                    for works in both
                )
                for identity in ids
                for each, finding in findings_of(connection, identity).items()
                if finding.kept
            )
        json.dumps(plain(report), allow_nan=False)
        assert as_text(review_sections(report))


def test_of_a_group_one_counts() -> None:
    links = {"b": "a", "c": "b", "d": "a", "p": "q", "q": "p"}
    assert further_places((["c", "b", "a"], ["d"]), links) == {"b", "c", "d"}  # its first place is the one that counts
    assert further_places((["c"], ["d", "a"]), links) == {"a", "d"}  # what the judge found, before what it did not
    assert further_places((["q", "p"],), links) == {"q"}
    assert further_places(([], ["x"]), links) == set()


def test_layers_are_those_of_one_reviewer() -> None:
    assert layers_of("ana") == ("ana", "ana:again", "ana:adjudicated")
