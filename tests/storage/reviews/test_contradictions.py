"""What one person did in two copies of a library comes to a state that she could have given in one."""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discox_tui.screens.review import presenter
from discox_tui.sessions.library import Refused
from discox_tui.sessions.review import ReviewSession
from discox_tui.text.glyphs import CONTRADICTED_MARK
from judges.metric_s.human_score import human_score
from judges.metric_s.scoring import METRIC_S
from judges.model import CATEGORIES, LEVELS, NO_VERDICT, Finding, MarkedError, Place, Verdict
from storage.db.connection import Connection, transaction
from storage.importing.merge import merge_file
from storage.integrity.opening import open_library
from storage.log.events import undone_ids
from storage.record.groundings import read_grounded
from storage.record.library import StoredFinding
from storage.reviews.blinding import choose_blinding
from storage.reviews.disagreements import Adjudication, read_docket
from storage.reviews.events import ACTS, Event, read_events
from storage.reviews.fold import Standing, fold
from storage.reviews.projections import derive_all, merge, rebuild
from storage.reviews.queue import Queue
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import judged_of, read_work
from tests.conftest import Command
from tests.storage.reviews.test_review_log import derived
from tests.support import builders
from tests.support.folding import fold_error, fold_verdict
from tests.support.nightly import rounds

REJECTING = ("not_an_error", "duplicate", "too_strict")
DIFFERENCES = ("severity", "category", "dimension", "spans")

Do: TypeAlias = Callable[[ReviewSession], object]


def finding(session: ReviewSession, number: int) -> StoredFinding:
    assert session.evaluation is not None
    return session.evaluation.findings[number - 1]


def own(session: ReviewSession, number: int) -> MarkedError:
    """Her own errors, as they were marked: +1 in accuracy, +2 in fluency."""
    errors = {session.label(error): error for error in session.work.errors.values()}
    if f"+{number}" not in errors:
        raise Refused("it is removed")
    return errors[f"+{number}"]


def both(*acts: Do) -> Do:
    def do(session: ReviewSession) -> None:
        for act in acts:
            act(session)

    return do


SOURCE, TARGET = Place("source", 0, 2), Place("translation", 10, 23)
ALL: dict[str, Do] = {
    **{
        f"{decision} {n}": lambda s, n=n, d=decision: s.decide(finding(s, n), d)
        for n in (1, 2)
        for decision in ("agree", "not_an_error", "unsure")
    },
    "too strict 3": lambda s: s.decide(finding(s, 3), "too_strict"),
    "3 to fluency": lambda s: s.set_dimension(finding(s, 3), "fluency"),
    "3 to appropriateness, tone": both(
        lambda s: s.set_dimension(finding(s, 3), "appropriateness"), lambda s: s.set_category(finding(s, 3), "tone")
    ),
    "agree 4": lambda s: s.decide(finding(s, 4), "agree"),
    "4 to accuracy": lambda s: s.set_dimension(finding(s, 4), "accuracy"),
    "4 to accuracy, critical": both(
        lambda s: s.set_dimension(finding(s, 4), "accuracy"), lambda s: s.set_severity(finding(s, 4), "critical")
    ),
    "critical 1": lambda s: s.set_severity(finding(s, 1), "critical"),
    "major 1": lambda s: s.set_severity(finding(s, 1), "major"),
    "omission 1": lambda s: s.set_category(finding(s, 1), "omission"),
    "1 to fluency": lambda s: s.set_dimension(finding(s, 1), "fluency"),
    "1 to fluency, logic": both(
        lambda s: s.set_dimension(finding(s, 1), "fluency"),
        lambda s: s.set_category(finding(s, 1), "logical_incoherence"),
    ),
    "1 to appropriateness": lambda s: s.set_dimension(finding(s, 1), "appropriateness"),
    "1 to accuracy": lambda s: s.set_dimension(finding(s, 1), "accuracy"),
    "place 1": lambda s: s.set_spans(finding(s, 1), (SOURCE, TARGET)),
    "no place 1": lambda s: s.set_spans(finding(s, 1), None),
    "note 1": lambda s: s.set_note(finding(s, 1), "想一想"),
    **{
        f"{n} = {other}": lambda s, n=n, o=other: s.set_duplicate(finding(s, n), o)
        for n, other in ((1, 2), (2, 1), (2, 4), (4, 1), (1, 5), (1, 4))
    },
    **{
        f"{n} repeats {other}": lambda s, n=n, o=other: s.set_repeat(finding(s, n), finding(s, o))
        for n, other in ((1, 2), (2, 1), (1, 4), (4, 2), (5, 1))
    },
    "1 repeats none": lambda s: s.set_repeat(finding(s, 1), None),
    "1 repeats +1": lambda s: s.set_repeat(finding(s, 1), own(s, 1)),
    "+1 repeats 1": lambda s: s.set_repeat(own(s, 1), finding(s, 1)),
    "+1 repeats +2": lambda s: s.set_repeat(own(s, 1), own(s, 2)),
    "+2 repeats +1": lambda s: s.set_repeat(own(s, 2), own(s, 1)),
    **{f"{decision} 5": lambda s, d=decision: s.decide(finding(s, 5), d) for decision in ("agree", "restore", "unsure")},
    "5 restored, appropriateness": both(
        lambda s: s.decide(finding(s, 5), "restore"), lambda s: s.set_dimension(finding(s, 5), "appropriateness")
    ),
    "5 restored, 1 = 5": both(
        lambda s: s.decide(finding(s, 5), "restore"), lambda s: s.set_duplicate(finding(s, 1), 5)
    ),
    **{
        f"+{e} is {n}": lambda s, e=e, n=n: s.match(own(s, e), finding(s, n))
        for e, n in ((1, 1), (1, 2), (2, 1), (2, 4), (1, 5))
    },
    "+1 is none": lambda s: s.unmatch(own(s, 1)),
    "+1 missed": lambda s: s.confirm_missed(own(s, 1)),
    "+1 not missed": lambda s: s.confirm_missed(own(s, 1), missed=False),
    "+1 removed": lambda s: s.remove_error(own(s, 1)),
    "+1 critical": lambda s: s.change_error(own(s, 1), severity="critical"),
    "+1 untranslated": lambda s: s.change_error(own(s, 1), category="untranslated"),
    "+1 fluency": lambda s: s.change_error(own(s, 1), dimension="fluency", category="grammar", severity="minor"),
    "+1 tone": lambda s: s.change_error(own(s, 1), dimension="appropriateness", category="tone", severity="major"),
    "+1 note": lambda s: s.set_note(own(s, 1), "why"),
    "+1 place": lambda s: s.set_spans(own(s, 1), (SOURCE,)),
    "mark": lambda s: s.mark((TARGET,), "accuracy", "other", "critical"),
    **{f"point {d}": lambda s, d=d: s.set_point(2, d) for d in ("met", "violated", "too_strict")},
    "point note": lambda s: s.set_point_note(2, "why") if s.point_decision(2) else None,
    "done": lambda s: s.set_state("done"),
    "skipped": lambda s: s.set_state("skipped", "late"),
    "skipped for length": lambda s: s.set_state("skipped", "long"),
    "in progress": lambda s: s.set_state("in_progress"),
    "searched": lambda s: s.set_search(not s.work.search_done),
    "overturned": lambda s: s.set_instruction("overturn"),
    "undo": lambda s: s.undo(),
    "undo twice": both(lambda s: s.undo(), lambda s: s.undo()),
    "redo": lambda s: s.redo(),
}  # fmt: skip
MARKS: Do = both(
    lambda s: s.mark((SOURCE,), "accuracy", "omission", "major"), lambda s: s.mark((TARGET,), "fluency", "grammar", "minor")
)  # fmt: skip
STARTS: dict[str, Do] = {
    "marked": MARKS,
    "agreed": both(MARKS, *(ALL[f"agree {n}"] for n in (1, 2, 4)), ALL["5 restored, appropriateness"]),
    "moved": both(MARKS, ALL["restore 5"], ALL["point met"], ALL["1 to fluency, logic"]),
    "changed": both(MARKS, ALL["+1 is 2"], ALL["skipped"], ALL["omission 1"], ALL["critical 1"]),
    "linked": both(MARKS, ALL["restore 5"], ALL["2 = 4"], ALL["+2 repeats +1"], ALL["+1 is 1"], ALL["1 repeats 4"]),
    "taken back": both(MARKS, ALL["+1 tone"], ALL["1 = 2"], ALL["undo"]),
}


@dataclass(frozen=True)
class Start:
    """What both copies begin with, and the events of each act in a copy of its own."""

    path: Path
    evaluation: str
    before: tuple[Event, ...]
    acts: Mapping[str, tuple[Event, ...]]
    findings: Mapping[str, Finding]
    absorbed: Mapping[str, str]


def each_in_a_copy(path: Path, evaluation: str, start: Do, acts: Mapping[str, Do]) -> Iterator[tuple[str, list[Event]]]:
    """Begin in a file, then do each act as if in a copy of it; yield the whole log before and after each that is done."""
    with closing(open_library(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("DROP TRIGGER events_no_delete")
        session = ReviewSession(connection, "mei")
        session.open(evaluation)
        start(session)
        before = list(read_events(connection))
        yield "", before
        for name, act in acts.items():
            try:
                act(session)
            except Refused:
                pass
            else:
                yield name, list(read_events(connection))
            kept = ", ".join(f"'{event.id}'" for event in before)
            with transaction(connection):
                connection.execute(f"DELETE FROM events WHERE id NOT IN ({kept})")
                connection.execute("DELETE FROM undone")
                derive_all(connection, [(evaluation, "mei")])
            session.refresh()


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Start]:
    folder = tmp_path_factory.mktemp("contradictions")
    with closing(open_library(folder / "empty.db")) as connection:
        evaluation = builders.add(connection)
        read_grounded(connection, evaluation)
        judged = judged_of(connection, evaluation)
        findings, absorbed = judged.findings, judged.absorbed
    found = {}
    for name, start in STARTS.items():
        shutil.copy(folder / "empty.db", folder / "copy.db")
        logs = dict(each_in_a_copy(folder / "copy.db", evaluation, start, ALL))
        before = tuple(logs.pop(""))
        acts = {act: tuple(log[len(before) :]) for act, log in logs.items() if len(log) > len(before)}
        found[name] = Start(folder / "empty.db", evaluation, before, acts, findings, absorbed)
    return found


# --- what a state is that she could have given, as the documents say it ---


def wrong(
    findings: Mapping[str, Finding],
    absorbed: Mapping[str, str],
    verdicts: Mapping[str, Verdict],
    errors: Mapping[str, MarkedError],
) -> Iterator[str]:
    """Say what no reviewer can have said with the keys."""
    steps: dict[str, set[str]] = {}
    for identity, finding in findings.items():
        said = verdicts.get(identity, NO_VERDICT)
        judge = finding.judge if said.dimension in (None, finding.dimension) else said.dimension
        differs = [name for name in DIFFERENCES if getattr(said, name) is not None]
        counts = said.decision not in REJECTING and (finding.kept or said.decision == "restore")
        if not finding.kept and said.decision not in (None, "agree", "unsure", "restore"):
            yield f"{said.decision} of what was dropped"
        if finding.kept and said.decision == "restore":
            yield "restored what stands"
        if said.severity not in (None, *LEVELS[judge]) or said.category not in (None, *CATEGORIES[judge]):
            yield f"{judge} has no {said.severity} or {said.category}"
        if differs and said.decision not in ("override", "reattribute", "restore"):
            yield f"{said.decision} with {differs}"
        if said.decision in ("override", "reattribute") and (said.decision == "reattribute") != bool(said.dimension):
            yield f"{said.decision} to {said.dimension}"
        if said.decision == "override" and not differs:
            yield "nothing is changed"
        if said.duplicate_of and said.decision != "duplicate":
            yield f"{said.decision}, and a duplicate"
        if said.repeat_of and (not counts or said.decision is None):
            yield f"{said.decision}, and a repeat"
        if said.matches and ((not counts and said.decision != "duplicate") or said.decision is None):
            yield f"{said.decision}, and an error of hers"
        if said.matches and said.matches not in errors:
            yield "an error that is not there"
        if said.matches and said.matches in errors and errors[said.matches].missed:
            yield "missed, and found"
        steps.setdefault(identity, set()).update(filter(None, (said.duplicate_of, said.repeat_of)))
        if not counts and identity in absorbed and said.decision not in REJECTING:
            steps[identity].add(absorbed[identity])
        if said.matches:
            steps.setdefault(said.matches, set()).add(identity)
    matched = [said.matches for said in verdicts.values() if said.matches]
    if len(matched) != len(set(matched)):
        yield "one error is two of the judge's"
    for error in errors.values():
        if not error.dimension or error.severity not in LEVELS[error.dimension] or not error.spans:
            yield f"an error of {error.dimension}, {error.severity} at {error.spans}"
        elif error.category not in CATEGORIES[error.dimension]:
            yield f"{error.dimension} has no {error.category}"
        if error.repeat_of:
            steps.setdefault(error.id, set()).add(error.repeat_of)
    for said in (*verdicts.values(), *errors.values()):
        if said.repeat_of and said.repeat_of not in findings and said.repeat_of not in errors:
            yield "a repeat of what is not there"
    for start in steps:
        reached: set[str] = set()
        ahead = list(steps[start])
        while ahead:
            if (here := ahead.pop()) not in reached:
                reached.add(here)
                ahead += steps.get(here, ())
        if start in reached:
            yield "a ring"
            return


def plain(start: Start, events: Sequence[Event]) -> Standing:
    """The fields as they were said last, whatever contradicts; whether changed or moved is what they come to."""
    undone = undone_ids(events)
    by: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        if event.kind in ACTS and event.id not in undone:
            by.setdefault((event.kind, event.finding_id or ""), []).append(event)
    state = Standing()
    for (kind, subject), said in by.items():
        if kind == "verdict":
            verdict = fold_verdict(said)
            if verdict.decision in ("override", "reattribute"):
                fields = {name: getattr(verdict, name) for name in verdict.__slots__}
                verdict = Verdict(**fields | {"decision": "reattribute" if verdict.dimension else "override"})
            if verdict != NO_VERDICT:
                state.verdicts[subject] = verdict
        elif kind == "error":
            if error := fold_error(subject, said, blind=False):
                state.errors[subject] = error
        elif kind == "review":
            for event in said:
                state.review.update(event.changes)
    return state


def reason_without_skip(state: Standing) -> bool:
    return state.review.get("reason") is not None and state.review.get("state") != "skipped"


def shown(state: Standing, event: Event) -> Iterator[str]:
    """The fields of an act that do not stand in a state."""
    subject = event.finding_id or ""
    said: Any = {
        "verdict": lambda: state.verdicts.get(subject, NO_VERDICT),
        "error": lambda: state.errors.get(subject),
        "point": lambda: state.points.get(int(subject[6:])),
    }.get(event.kind)
    for name, value in event.changes.items():
        if name == "removed":
            if bool(value) == (subject in state.errors):
                yield name
            continue
        now = state.review.get(name) if said is None else getattr(said(), name, None)
        if name == "spans" and now is not None:
            now, value = [list(place) for place in now], [list(place) for place in value or ()]
        if now != value and not (name == "decision" and {now, value} == {"override", "reattribute"}):
            yield f"{name} {value} is {now}"


def state_of(start: Start, events: Sequence[Event]) -> Standing:
    return fold(events, start.findings, start.absorbed)


def problems(start: Start, state: Standing) -> list[str]:
    found = list(wrong(start.findings, start.absorbed, state.verdicts, state.errors))
    return [*found, *(["a reason, and not skipped"] if reason_without_skip(state) else [])]


def check(start: Start, first: Iterable[Event], second: Sequence[Event]) -> None:
    """Two acts that know nothing of each other, one after the other."""
    events = [*start.before, *first, *second]
    state, simply = state_of(start, events), plain(start, events)
    assert problems(start, state) == []
    last: dict[tuple[str, str | None], Event] = {}
    for event in second if second[0].kind in ACTS else ():
        before = last.get((event.kind, event.finding_id))
        changes = (before.changes if before else {}) | event.changes
        last[event.kind, event.finding_id] = replace(event, changes=changes)
    lost = [field for event in last.values() for field in shown(state, event)]
    assert lost == [], "the later act counts"
    contradicts = problems(start, simply) + [field for event in last.values() for field in shown(simply, event)]
    if not any(event.kind == "point" or (event.kind in ("undo", "redo")) for event in (*first, *second)):
        assert bool(state.contradictions) == bool(contradicts), (contradicts, state.contradictions)
        if not contradicts:
            assert (state.verdicts, state.errors) == (simply.verdicts, simply.errors)


@pytest.mark.parametrize("name", STARTS)
def test_every_pair_of_acts_in_two_copies_comes_to_what_she_could_have_said(
    starts: dict[str, Start], name: str
) -> None:
    start = starts[name]
    assert problems(start, state_of(start, start.before)) == []
    for first, second in itertools.permutations(start.acts, 2):
        try:
            check(start, start.acts[first], start.acts[second])
        except AssertionError as error:
            raise AssertionError(f"{name}: {first}, then {second}: {error}") from error


@pytest.mark.parametrize("name", STARTS)
def test_acts_in_one_copy_contradict_nothing(starts: dict[str, Start], name: str) -> None:
    start = starts[name]
    for act, events in start.acts.items():
        state = state_of(start, [*start.before, *events])
        assert state.contradictions == [], act
        assert problems(start, state) == [], act


@settings(max_examples=rounds(20, 1_000))
@given(
    start=st.sampled_from(sorted(STARTS)),
    acts=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(sorted(ALL))), min_size=3, max_size=12),
    order=st.permutations(range(3)),
)
def test_three_copies_come_to_the_same_in_any_order(
    starts: dict[str, Start], start: str, acts: list[tuple[int, str]], order: list[int]
) -> None:
    """Several acts in each copy, undone and done again among them."""
    begun = starts[start]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:

        def copy(name: str) -> Connection:
            shutil.copy(begun.path, Path(folder) / name)
            connection = stack.enter_context(closing(open_library(Path(folder) / name)))
            connection.execute("PRAGMA synchronous = OFF")
            return connection

        copies = [copy(f"{number}.db") for number in range(3)]
        for each in copies:
            merge(each, begun.before)
        sessions = [ReviewSession(each, "mei") for each in copies]
        for session in sessions:
            session.open(begun.evaluation)
        for which, act in acts:
            with suppress(Refused):
                ALL[act](sessions[which])
        for session in sessions:
            assert session.contradictions == {}
            assert all(session.label(subject) for subject in session.subjects)
            assert list(wrong(begun.findings, begun.absorbed, session.work.verdicts, session.work.errors)) == []
        logs = [list(read_events(each)) for each in copies]
        merged = copies[order[0]]
        for which in (*order[1:], *order):
            merge(merged, logs[which])
        whole = copy("whole.db")
        merge(whole, [event for log in logs for event in log])
        assert derived(merged) == derived(whole)
        rebuild(whole)
        assert derived(merged) == derived(whole)
        work = read_work(whole, begun.evaluation, "mei")
        assert list(wrong(begun.findings, begun.absorbed, work.verdicts, work.errors)) == []
        row = whole.execute("SELECT total FROM reviews").fetchone()
        score = human_score("scored", begun.findings, work, METRIC_S)
        assert row == (score.total if score else None,)


def test_she_decides_anew_what_contradicts(starts: dict[str, Start], tmp_path: Path) -> None:
    """Deciding the error again, the same or another, ends it; undoing that opens it again."""
    start = starts["marked"]
    shutil.copy(start.path, tmp_path / "a.db")
    with closing(open_library(tmp_path / "a.db")) as connection:
        merge(connection, [*start.before, *start.acts["1 to fluency"], *start.acts["critical 1"]])
        session = ReviewSession(connection, "mei")
        session.open(start.evaluation)
        one = finding(session, 1)
        for decide in (lambda: session.set_severity(one, "critical"), lambda: session.decide(one, "agree")):
            assert set(session.contradictions) == {one.id}
            assert session.set_note(one, f"later {decide}") is not None
            assert set(session.contradictions) == {one.id}, "a note decides nothing"
            assert decide() is not None
            assert session.contradictions == {}
            session.undo()
            session.undo()


def two_copies(start: Start, folder: Path, first: str, second: str) -> tuple[Path, Path]:
    """Two files that begin with the same, and in each an act of its own."""
    paths = folder / "first.db", folder / "second.db"
    for path, act in zip(paths, (first, second), strict=True):
        shutil.copy(start.path, path)
        with closing(open_library(path)) as connection:
            merge(connection, [*start.before, *start.acts[act]])
    return paths


def test_a_merge_names_what_contradicts_once(starts: dict[str, Start], tmp_path: Path, discox: Command) -> None:
    first, second = two_copies(starts["marked"], tmp_path, "1 = 2", "2 = 1")
    kept = []
    for number, order in enumerate(((first, second), (second, first))):
        target = tmp_path / f"{number}.db"
        files = json.loads(discox("merge", *order, "--db", target, "--json").out)["files"]
        assert [len(file["contradictions"]) for file in files] == [0, 1]
        found = files[1]["contradictions"][0]
        assert (found["reviewer"], found["error"], found["of"], found["article"]) == ("mei", "1", "2", "river-01")
        assert (found["counts"]["decision"], found["gave_way"]["decision"]) == ("duplicate", "duplicate")
        again = json.loads(discox("merge", *order, "--db", target, "--json").out)["files"]
        assert [file["contradictions"] for file in again] == [[], []]
        with closing(open_library(target)) as connection:
            kept.append(derived(connection))
            assert len(Queue(connection, "mei", words="contradicts")) == 1
            assert len(Queue(connection, "lin", words="contradicts")) == 0
            assert connection.execute("SELECT total FROM reviews").fetchone() == (76,), "only 2 is free"
    assert kept[0] == kept[1]


def test_a_merge_says_in_words_what_counts_and_what_gave_way(
    starts: dict[str, Start], tmp_path: Path, discox: Command
) -> None:
    first, second = two_copies(starts["marked"], tmp_path, "1 to fluency", "critical 1")
    said = discox("merge", second, "--db", first).out
    line = "mei, river-01 by heron, error 1: counts: moved, fluency; gave way: critical"
    assert "1 contradiction between what one reviewer did in two copies" in said
    assert line in said
    log = tmp_path / "log.jsonl"
    discox("verdicts", "export", log, "--db", second)
    third, _ = two_copies(starts["marked"], tmp_path, "1 to fluency", "critical 1")
    assert line in discox("verdicts", "import", log, "--db", third).out
    blind, _ = two_copies(starts["marked"], tmp_path, "1 to fluency", "critical 1")
    with closing(open_library(blind)) as connection:
        for name in ("lin", "mei"):
            choose_blinding(connection, name, "first")
    for_mei, for_lin = tmp_path / "mei.db", tmp_path / "lin.db"
    for path in (for_mei, for_lin):
        shutil.copy(blind, path)
    assert "contradict" not in discox("merge", second, "--db", for_lin, "--reviewer", "lin").out, "it is mei's own"
    said = discox("merge", second, "--db", for_mei, "--reviewer", "mei").out
    assert "1 contradiction" in said
    assert line.replace("heron", "hidden") in said, "she has begun it, but is not to know the system"


def test_the_review_shows_what_contradicts(starts: dict[str, Start], tmp_path: Path) -> None:
    start = starts["marked"]
    for first, second, number, words in (
        ("critical 1", "1 to fluency", 1, "moved, fluency. Gave way: critical;"),
        ("1 = 2", "2 = 1", 1, "duplicate of 1 (error 2). Gave way: duplicate of 2;"),
        ("+1 is 2", "+1 removed", 2, "no error (error +1). Gave way: "),
        ("+1 removed", "+1 critical", 7, "critical. Gave way: no error;"),
    ):
        path, other = two_copies(start, tmp_path, first, second)
        with closing(open_library(path)) as connection:
            merge_file(connection, other)
            session = ReviewSession(connection, "mei")
            evaluation = session.open(start.evaluation)
            shown = presenter.detail(evaluation, session.subjects[number - 1], session)
            text = "\n".join("".join(run[0] for run in runs) for runs in shown)
            assert words in text, (first, second)
            open_ = [subject.id for subject in session.subjects if session.is_open(subject)]
            assert session.subjects[number - 1].id in open_
            assert f"{CONTRADICTED_MARK} 1 to decide anew" in str(presenter.title(session, 0, None, narrow=False))


def test_two_programs_on_one_file_contradict_no_less_than_two_copies(starts: dict[str, Start], tmp_path: Path) -> None:
    start = starts["marked"]
    shutil.copy(start.path, tmp_path / "a.db")
    with ExitStack() as stack:
        sessions = [
            ReviewSession(stack.enter_context(closing(open_library(tmp_path / "a.db"))), "mei") for _ in range(2)
        ]
        for session in sessions:
            session.open(start.evaluation)
        ALL["1 = 2"](sessions[0])
        ALL["2 = 1"](sessions[1])  # of another error, so it is not told first
        assert sessions[0].changed_elsewhere()
        one, two = finding(sessions[0], 1), finding(sessions[0], 2)
        for session in sessions:
            assert session.verdict(two).duplicate_of == one.id
            assert session.verdict(one).duplicate_of is None
            assert set(session.contradictions) == {one.id}


def test_what_one_act_takes_back_elsewhere_is_undone_with_it(starts: dict[str, Start], tmp_path: Path) -> None:
    """An error of hers that is removed is none that the judge found, nor one that others repeat; all of it one act."""
    start = starts["linked"]
    shutil.copy(start.path, tmp_path / "a.db")
    with closing(open_library(tmp_path / "a.db")) as connection:
        merge(connection, start.before)
        session = ReviewSession(connection, "mei")
        session.open(start.evaluation)
        before = session.work
        session.remove_error(own(session, 1))
        assert session.work.matched == {}
        assert [error.repeat_of for error in session.work.errors.values()] == [None]
        assert [found.number for found in session.reopened] == [1]
        assert session.contradictions == {}
        session.undo()
        assert session.work == before


def test_an_adjudicator_who_takes_both_words_of_a_ring_has_one_of_them_open_again(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        evaluation = builders.add(connection)
        for reviewer, act in (("ana", "1 = 2"), ("ben", "2 = 1")):
            session = ReviewSession(connection, reviewer)
            session.open(evaluation)
            ALL[act](session)
            session.set_state("done")
        adjudication = Adjudication(ReviewLog(connection, "mei:adjudicated"))
        for number, reviewer in ((1, "ana"), (2, "ben")):
            rows = {each.number: each for each in read_docket(connection, "mei").cases[0].disagreements}
            compared = rows[number].compared
            adjudication.settle(evaluation, compared, compared.said[reviewer])
        rows = {each.number: each for each in read_docket(connection, "mei").cases[0].disagreements}
        assert (rows[1].settled, rows[2].settled) == (False, True)
        assert connection.execute("SELECT count(*) FROM contradictions").fetchone() == (0,)
        judged = judged_of(connection, evaluation)
        findings, absorbed = judged.findings, judged.absorbed
        work = read_work(connection, evaluation, "mei:adjudicated")
        assert list(wrong(findings, absorbed, work.verdicts, work.errors)) == []
        adjudication.log.undo()
        assert read_work(connection, evaluation, "mei:adjudicated").verdicts.keys() == {next(iter(findings))}
