"""Span agreement covers all that was marked, with the file's own severities, and counts what it leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest

from judges.consistency.report import ConsistencyReport
from judges.consistency.spans import ErrorSpan, span_match, total
from judges.model import Place
from storage.analysis.review_data import read_reviewed
from storage.formats.base.items import Annotation, Document, Mark, Segment
from storage.formats.wmt import mqm
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.support.annotated_files import library

SOURCE, TARGET = "一二三四五六七八九十", "abcdefghijklmnopqrst"

Said = tuple[str, int, str, str, tuple[str, int, int] | None]
"""Rater, segment, category, severity, and what they marked: a side, from, to; None: nothing."""

SAID: list[Said] = [
    ("r1", 1, "Accuracy/Mistranslation", "Major", ("translation", 0, 10)),
    ("r1", 2, "Source error", "Minor", ("source", 2, 6)),
    ("r1", 2, "Source error", "Major", ("translation", 4, 8)),
    ("r2", 1, "Source error", "Major", ("translation", 0, 8)),
    ("r2", 2, "Fluency/Grammar", "Minor", ("source", 2, 4)),
    ("r2", 2, "Unheard of", "Minor", ("translation", 4, 8)),
    ("r3", 1, "Fluency/Grammar", "Minor", ("translation", 0, 10)),
    ("r3", 2, "Source error", "Minor", None),
]
"""Half of it in categories that Metric-S does not have; both sides; one error without a place."""


def tsv(said: Iterable[Said], more: Iterable[str] = ()) -> str:
    lines = ["\t".join(mqm.OLD)]
    for rater, segment, category, severity, place in said:
        texts = {"source": f"{SOURCE}{segment}", "translation": f"{TARGET}{segment}"}
        if place:
            side, start, end = place
            text = texts[side]
            texts[side] = f"{text[:start]}<v>{text[start:end]}</v>{text[end:]}"
        cells = ("A", "d", str(segment), str(segment), rater, texts["source"], texts["translation"], category, severity)
        lines.append("\t".join(cells))
    return "\n".join([*lines, *more]) + "\n"


def reported(said: Iterable[Said], folder: Path, more: Iterable[str] = ()) -> ConsistencyReport:
    (folder / "mqm_zhen.tsv").write_text(tsv(said, more), encoding="utf-8")
    with closing(open_library(folder / "a.db")) as connection:
        assert not import_path(connection, folder / "mqm_zhen.tsv").problem
        return read_reviewed(connection).report(20)


def marked(said: Iterable[Said], rater: str, segments: Iterable[int] = (1, 2)) -> list[ErrorSpan]:
    """A rater's spans; segments lie apart, as if their texts were far from one another."""
    return [
        ErrorSpan(place[0], 100 * segment + place[1], 100 * segment + place[2], severity.casefold())  # type: ignore[arg-type]
        for who, segment, _, severity, place in said
        if place and who == rater and segment in segments
    ]


def test_spans_count_whatever_their_category_is_elsewhere(tmp_path: Path) -> None:
    found = reported(SAID, tmp_path).spans
    pairs = [span_match(marked(SAID, a), marked(SAID, b), "partial") for a, b in combinations(("r1", "r2", "r3"), 2)]
    figure = found.humans.partial
    assert figure.value == pytest.approx(total(pairs).f1.value)
    assert figure.n == 3 + 3 + 3 + 1 + 3 + 1
    assert dict(figure.left_out) == {"errors that people marked without a place": 2}
    # By hand: 8 of 10 and 8 of 8 characters; 2 of 4 and 2 of 2; all of both, at half the credit for the severity.
    recall, precision = (8 / 10 + 2 / 4 + 1 / 2) / 3, (1 + 1 + 1 / 2) / 3
    of_two = found.pairs["r1, r2"].partial
    assert of_two.value == pytest.approx(2 * recall * precision / (recall + precision))


def test_labels_are_compared_in_categories_that_are_none_of_ours_too(tmp_path: Path) -> None:
    """Three errors in the same places: r1 and r2 agree on no category and on two severities."""
    found = reported(SAID, tmp_path).spans
    of_two = found.pairs["r1, r2"].labels
    assert of_two is not None
    assert (of_two.category.observed.value, of_two.category.observed.n, of_two.category.without) == (0.0, 3, 0)
    assert (of_two.severity.observed.value, of_two.severity.observed.n) == (pytest.approx(2 / 3), 3)
    assert found.humans.labels is not None
    assert dict(found.humans.labels.severity.kappa.left_out) == {"errors that people marked without a place": 2}
    alike = [(rater, *SAID[1][1:]) for rater in ("r1", "r2")]
    folder = tmp_path / "alike"
    folder.mkdir()
    both = reported(alike, folder).spans.humans.labels
    assert both is not None
    assert (both.category.observed.value, both.category.observed.n) == (1.0, 1)


def test_only_segments_that_both_looked_at_are_compared(tmp_path: Path) -> None:
    """A rater of one of two segments has not overlooked what is in the other."""
    said = [each for each in SAID if each[0] != "r2" or each[1] == 1]
    found = reported(said, tmp_path).spans
    assert found.pairs["r1, r2"].partial.value == pytest.approx(2 * 0.8 / 1.8)
    assert dict(found.pairs["r1, r2"].partial.left_out)["spans in segments that only one of both looked at"] == 2
    apart = [("r1", 1, *SAID[0][2:]), ("r2", 2, *SAID[4][2:])]
    folder = tmp_path / "apart"
    folder.mkdir()
    nothing = reported(apart, folder).spans.humans.partial
    assert (nothing.value, nothing.why) == (None, "no two reviewers marked the same segments blind")
    assert dict(nothing.left_out)["pairs of passes over one translation that have no segment in common"] == 1


@pytest.mark.parametrize("option", [(), ("--html", "-"), ("--markdown", "-"), ("--csv",), ("--json",)])
def test_every_format_says_what_is_left_out(option: tuple[str, ...], tmp_path: Path, discox: Command) -> None:
    (tmp_path / "mqm_zhen.tsv").write_text(tsv(SAID), encoding="utf-8")
    discox("import", tmp_path / "mqm_zhen.tsv", "--db", tmp_path / "a.db")
    out = discox("consistency", "--db", tmp_path / "a.db", *option).out
    if option == ("--json",):
        figure = json.loads(out)["spans"]["humans"]["partial"]
        assert figure["left_out"] == {"errors that people marked without a place": 2}
    elif option != ("--csv",):  # which is of people's scores alone, where no judge was asked
        assert "errors that people marked without a place (2)" in " ".join(out.split())


def test_a_figure_does_not_move_by_what_it_leaves_out(tmp_path: Path) -> None:
    first = reported(SAID, tmp_path).spans
    alone = "\t".join(("B", "d", "1", "1", "r1", f"{SOURCE}1", f"<v>{TARGET}</v>1", "Fluency/Grammar", "Major"))
    unplaced = ("r2", 2, "Fluency/Grammar", "Major", None)
    folder = tmp_path / "more"
    folder.mkdir()
    found = reported([*SAID, unplaced], folder, [alone]).spans
    for name, agreement in {**first.pairs, "all": first.humans}.items():
        other = {**found.pairs, "all": found.humans}[name]
        for figure in ("partial", "exact", "overlap", "characters"):
            one, two = getattr(agreement, figure), getattr(other, figure)
            assert (one.value, one.n, one.interval) == (two.value, two.n, two.interval)
    assert dict(found.humans.partial.left_out) == {
        "passes over translations that nobody else marked blind": 1,
        "errors that people marked without a place": 4,
    }


def test_a_judge_is_held_against_people_on_what_both_read() -> None:
    document = Document("d", "A", (Segment("1", SOURCE, TARGET), Segment("2", SOURCE, TARGET)), "zh-en")

    def mark(segment: int, start: int, end: int) -> Mark:
        return Mark(segment, "Accuracy/Mistranslation", "Major", (Place("translation", start, end),))

    people = Annotation(document, "ana", True, (mark(0, 0, 4), mark(1, 0, 8)), metric="MQM")
    judge = Annotation(document, "kite", False, (mark(0, 0, 4),), rated=frozenset({0}))
    with library([people, judge]) as connection:
        found = read_reviewed(connection).report(20).spans
    assert (found.judge.partial.value, found.judge.partial.n) == (1.0, 2)
    assert found.recall.value == 1.0
    assert dict(found.recall.left_out) == {"spans in segments that only one of both looked at": 1}
