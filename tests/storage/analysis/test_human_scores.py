"""Human scores of imported ratings: who rated which segment, scales that stay apart, and what figures do not cover."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest

from storage.analysis.metric_scores import read_scores
from storage.analysis.pairwise import Pairwise, compute_pairwise
from storage.db.connection import Connection
from storage.formats.wmt import mqm
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import SHARED, Command

TED = SHARED / "data" / "wmt" / "mqm_ted_zhen.tsv"
WEIGHTS = {"Major": 5.0, "Minor": 1.0, "No-error": 0.0}

Rated = tuple[str, str, int, str, str]
"""System, document, segment, rater, severity."""


def drawn(seed: int = 7, documents: int = 12, systems: str = "ABCD", raters: Sequence[str] = ("r1", "r2", "r3")) -> list[Rated]:  # fmt: skip
    """Ratings of which raters share documents unevenly, some segments rated by two, one strict rater."""
    random = Random(seed)
    rows: list[Rated] = []
    for document in range(documents):
        for system in systems:
            for segment in range(1, 6):
                for rater in random.sample(raters, 1 if random.random() < 0.7 else 2):
                    rows += [
                        (system, f"d{document}", segment, rater, random.choice([*WEIGHTS, "Major"][: 4 if rater == "r1" else 3]))
                        for _ in range(random.randint(1, 3 if rater == "r1" else 2))
                    ]  # fmt: skip
    return rows


def tsv(rows: Iterable[Rated]) -> str:
    """The WMT's table of these ratings."""
    lines = ["\t".join(mqm.OLD)]
    for system, document, segment, rater, severity in rows:
        source, text = f"{document} {segment}", f"{document} {system} {segment} one two"
        target = text if severity == "No-error" else f"<v>{text}</v>"
        category = "No-error" if severity == "No-error" else "Accuracy/Mistranslation"
        cells = (system, document, str(segment), str(segment), rater, source, target, category, severity)
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def official(rows: Iterable[Rated]) -> dict[tuple[str, str], float]:
    """The document scores by the WMT's rule: over segments, of the means over raters, of the sums of weights."""
    sums: defaultdict[tuple[str, str, int], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for system, document, segment, rater, severity in rows:
        sums[system, document, segment][rater] += WEIGHTS[severity]
    of_document: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for (system, document, _), raters in sums.items():
        of_document[system, document].append(fmean(raters.values()))
    return {key: -fmean(scores) for key, scores in of_document.items()}


def table(rows: Iterable[tuple[Any, ...]], path: Path) -> Path:
    """A table of scores: metric, system, article, score, human, rater."""
    lines = ["metric,system,article,score,human,rater,direction"]
    lines += [",".join(map(str, (*row, "zh-en"))) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def metric(scores: dict[tuple[str, str], float], name: str = "WMT") -> list[tuple[Any, ...]]:
    return [(name, system, document, repr(score), "no", "") for (system, document), score in scores.items()]


def figures(found: Pairwise) -> dict[str, float | None]:
    return {
        f"{metric} {level}": cell.figures["acc_eq"].value for (metric, level, _), cell in found.report.cells.items()
    }


def computed(connection: Connection, **asked: Any) -> Pairwise:
    return compute_pairwise(read_scores(connection, **asked), resamples=20)


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    """A library with ratings of segments by three raters, and the document scores that the WMT makes of them."""
    rows = drawn()
    (tmp_path / "mqm_zhen.tsv").write_text(tsv(rows), encoding="utf-8")
    with closing(open_library(tmp_path / "a.db")) as connection:
        assert not import_path(connection, tmp_path / "mqm_zhen.tsv").problem
        assert not import_path(
            connection, table(metric(official(rows)), tmp_path / "scores.csv"), format="scores"
        ).problem
    return tmp_path / "a.db"


# --- One human score


def test_the_official_document_scores_are_the_human_scores(rated: Path) -> None:
    with closing(open_library(rated)) as connection:
        found = computed(connection)
    assert figures(found) == {"WMT system": 1.0, "WMT segment": 1.0}
    assert found.report.rated_by_several


@pytest.mark.skipif(not TED.exists(), reason="the WMT's file is not here")
def test_so_they_are_of_the_wmts_own_file(tmp_path: Path) -> None:
    cells = [line.split("\t") for line in TED.read_text(encoding="utf-8").splitlines()[1:]]
    sums: defaultdict[tuple[str, str, str], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for system, document, _, segment, rater, _, _, category, severity in cells:
        light = severity == "Minor" and category == "Fluency/Punctuation"
        sums[system, document, segment][rater] += 0.1 if light else WEIGHTS[severity]
    of_document: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for (system, document, _), raters in sums.items():
        of_document[system, document].append(fmean(raters.values()))
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, TED)
        scores = {key: -fmean(each) for key, each in of_document.items()}
        import_path(connection, table(metric(scores), tmp_path / "scores.csv"), format="scores")
        found = computed(connection)
    assert figures(found) == {"WMT system": 1.0, "WMT segment": 1.0}
    whys = {against.report.averages[against.name]["acc_eq"].why for against in found.people.raters}
    assert whys == {f"rater{n} rated no segment that another rated" for n in range(1, 10)}


def test_raters_are_compared_on_the_segments_that_both_rated(tmp_path: Path) -> None:
    rows: list[Rated] = [
        ("A", "d", 1, "ana", "No-error"),
        ("A", "d", 2, "ana", "Major"),  # so that she ranks A behind B, but not on what ben rated too
        ("B", "d", 1, "ana", "Minor"),
        ("B", "d", 2, "ana", "No-error"),
        ("A", "d", 1, "ben", "Minor"),
        ("B", "d", 1, "ben", "Major"),
        ("B", "d", 3, "cy", "Major"),
    ]
    (tmp_path / "mqm_zhen.tsv").write_text(tsv(rows), encoding="utf-8")
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, tmp_path / "mqm_zhen.tsv")
        people = computed(connection).people
    found = {each.rater: each for each in people.raters}
    assert people.apart == (("ana", "cy"), ("ben", "cy"))
    assert [(each.rater, *each.others) for each in people.pairs] == [("ana", "ben"), ("ben", "ana")]
    assert {spreads["acc_eq"].mean.value for spreads in people.over_pairs.values() if spreads["acc_eq"].low} == {1.0}
    assert not people.why
    assert found["ana"].others == ("ben",)
    assert {cell.figures["acc_eq"].value for cell in found["ana"].report.cells.values()} == {1.0}
    assert not found["cy"].report.cells
    why = found["cy"].report.averages[found["cy"].name]["acc_eq"].why
    assert why == "cy rated no segment that another rated"


def test_people_among_themselves_are_there_without_a_metric_and_with_many_raters(
    tmp_path: Path, discox: Command
) -> None:
    raters = [f"r{n}" for n in range(9)]
    rows = [(s, "d", 1, rater, "Major" if s == "B" else "Minor") for rater in raters for s in "AB"]
    rows += [(s, "e", 1, "alone", "Minor") for s in "AB"]
    (tmp_path / "mqm_zhen.tsv").write_text(tsv(rows), encoding="utf-8")
    db = tmp_path / "a.db"
    assert discox("import", tmp_path / "mqm_zhen.tsv", "--db", db).code == 0
    found = json.loads(discox("consistency", "--db", db, "--json").out)
    assert {each["rater"] for each in found["between_raters"]} == set(raters)
    assert {each["acc_eq"] for each in found["between_raters"]} == {1.0}
    assert found["between_raters_why"] == {"alone": "alone rated no segment that another rated"}
    for option in ((), ("--html", "-")):
        text = " ".join(discox("consistency", "--db", db, *option).out.split())
        assert "r8 ~ others" in text
        assert "alone rated no segment that another rated" in text


def test_exports_hold_the_same_score(rated: Path, tmp_path: Path, discox: Command) -> None:
    wanted = official(drawn())
    assert discox("export", "mt-metrics-eval", tmp_path / "out", "--db", rated).code == 0
    lines = (tmp_path / "out" / "human-scores" / "zh-en.mqm.doc.score").read_text(encoding="utf-8").splitlines()
    docs = dict.fromkeys(
        line.split("\t")[1] for line in (tmp_path / "out/documents/zh-en.docs").read_text(encoding="utf-8").splitlines()
    )
    found: dict[tuple[str, str], float] = {}
    for system in "ABCD":
        own = [line.split("\t")[1] for line in lines if line.startswith(f"{system}\t")]
        found |= {(system, document): float(score) for document, score in zip(docs, own, strict=True)}
    assert found == pytest.approx(wanted)
    assert discox("import", tmp_path / "out", "--db", tmp_path / "b.db").code == 0
    with closing(open_library(rated)) as before, closing(open_library(tmp_path / "b.db")) as after:
        kept = "SELECT rater, article, system, segments FROM scores WHERE human AND rater <> '' ORDER BY 1, 2, 3"
        assert after.execute(kept).fetchall() == before.execute(kept).fetchall()
        assert figures(computed(after)) == figures(computed(before))


def test_a_library_from_before_learns_the_segments_from_the_same_file(rated: Path) -> None:
    with closing(open_library(rated)) as connection:
        connection.execute("DROP TRIGGER scores_no_update")
        connection.execute("UPDATE scores SET segments = '[]'")
        before = figures(computed(connection))
        assert before["WMT segment"] != 1.0
        report = import_path(connection, rated.with_name("mqm_zhen.tsv"))
        assert not report.problem
        assert figures(computed(connection)) == {"WMT system": 1.0, "WMT segment": 1.0}


# --- Scales


def two_scales(first: str = "DA", second: str = "MQM") -> list[tuple[Any, ...]]:
    """A metric that people of one scale agree with in one of five articles, those of the other in all but one."""
    rows: list[tuple[Any, ...]] = []
    for n in range(5):
        rows += [
            (first, "A", f"a{n}", 90 if n else 40, "yes", "r1"),
            (first, "B", f"a{n}", 60 if n else 70, "yes", "r1"),
        ]
        rows += [
            (second, "A", f"a{n}", -3 if n else -1, "yes", "r2"),
            (second, "B", f"a{n}", -1 if n else -2, "yes", "r2"),
        ]
        rows += [("M", "A", f"a{n}", 0.2, "no", ""), ("M", "B", f"a{n}", 0.8, "no", "")]
    return rows


def test_no_headline_is_over_two_scales_but_each_stands_by_itself(tmp_path: Path, discox: Command) -> None:
    path = table(two_scales(), tmp_path / "scores.csv")
    db = tmp_path / "a.db"
    discox("import", "scores", path, "--db", db)
    for where in (("--db", db), ("--scores", path)):
        found = json.loads(discox("consistency", *where, "--json").out)
        assert found["average"] == {"M": None}
        assert "--reviewer NAME" in found["average_why"]["M"]
        of_segments = {
            name: next(cell["acc_eq"] for cell in each["pairwise"] if cell["level"] == "segment")
            for name, each in found["pairwise_by_rating"].items()
        }
        assert of_segments == {"DA": 0.2, "MQM": 0.8}
        assert any("20 ratings on different scales" in warning for warning in found["warnings"])
        assert {scale["aside"] for scale in found["scales"]} == {True}
        for name, value in of_segments.items():
            alone = json.loads(discox("consistency", *where, "--reviewer", name, "--json").out)
            assert next(cell["acc_eq"] for cell in alone["pairwise"] if cell["level"] == "segment") == value
            assert not alone["pairwise_by_rating"]
        for option in ((), ("--html", "-"), ("--markdown", "-")):
            text = discox("consistency", *where, *option).out
            assert "M, by DA" in text
            assert "different scales" in " ".join(text.split())


def test_an_audited_leaderboard_asks_for_the_scale(tmp_path: Path, discox: Command) -> None:
    path = table(two_scales(), tmp_path / "scores.csv")
    refused = discox("leaderboard", "--audited", "--scores", path)
    assert refused.code != 0
    assert "ratings are on several scales (DA, MQM)" in refused.err
    taken = json.loads(discox("leaderboard", "--audited", "--scores", path, "--reviewer", "MQM", "--json").out)
    scores = {row["system"]: row["audited"] for row in taken["audited_leaderboards"][0]["cuts"][0]["scores"]}
    assert scores == pytest.approx({"A": -13 / 5, "B": -6 / 5})


def test_a_test_set_is_held_against_its_mqm(tmp_path: Path, discox: Command) -> None:
    def put(name: str, content: str) -> None:
        path = tmp_path / "set" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    random, systems, lines = Random(3), "ABCDE", 24
    put("documents/en-de.docs", "".join(f"news\td{n // 3}\n" for n in range(lines)))
    put("sources/en-de.txt", "one\n" * lines)
    for system in systems:
        put(f"system-outputs/en-de/{system}.txt", "eins\n" * lines)

    def scores(of: Any) -> str:
        return "".join(f"{system}\t{of()}\n" for system in systems for _ in range(lines))

    put("metric-scores/en-de/BLEU-refA.seg.score", scores(lambda: round(random.random(), 3)))
    put("human-scores/en-de.mqm.seg.score", scores(lambda: -random.choice([0, 1, 5, 10])))
    assert discox("import", tmp_path / "set", "--db", tmp_path / "mqm.db").code == 0
    put("human-scores/en-de.da.seg.score", scores(lambda: random.randint(20, 100)))
    put("human-scores/en-de.wmt-z.seg.score", scores(lambda: round(random.gauss(0, 1), 4)))
    assert discox("import", tmp_path / "set", "--db", tmp_path / "all.db").code == 0
    alone, found = (
        json.loads(discox("consistency", "--db", tmp_path / name, "--json").out) for name in ("mqm.db", "all.db")
    )
    assert found["pairwise"] == alone["pairwise"]
    assert found["average"] == alone["average"]
    assert set(found["pairwise_by_rating"]) == {"da", "wmt-z"}
    assert any("Not averaged with mqm" in warning for warning in found["warnings"])


@pytest.mark.parametrize(
    ("first", "second", "one"),
    [
        (("human", "ana", (80, 30)), ("human", "ben", (90, 5)), True),
        (("human", "ana", (80, 30)), ("human", "ben", (0, 0)), True),
        (("MQM", "ana", (-25, 0)), ("MQM", "ben", (-0.5, -0.1)), True),
        (("human", "ana", (80, 30)), ("human", "ben", (0.8, 0.1)), False),
        (("human", "ana", (80, 30)), ("human", "ben", (-8, -1)), False),
        (("adequacy", "ana", (80, 30)), ("fluency", "ben", (70, 20)), False),
        (("ana", "", (80, 30)), ("ben", "", (70, 20)), True),
        (("esa", "", (80, 30)), ("da", "", (70, 20)), False),
    ],
)
def test_names_and_numbers_tell_scales_apart(first: Any, second: Any, one: bool, tmp_path: Path) -> None:
    rows = [
        (name, system, "a", score, "yes", rater)
        for name, rater, scores in (first, second)
        for system, score in zip("AB", scores, strict=True)
    ]
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, table(rows, tmp_path / "scores.csv"), format="scores")
        found = read_scores(connection)
    assert (not found.apart, not found.unchosen) == (one, one)


# --- What figures do not cover does not move them


def test_a_figure_does_not_move_when_rows_are_added_that_it_leaves_out(rated: Path, tmp_path: Path) -> None:
    more: dict[str, list[tuple[Any, ...]]] = {
        "another scale": [("DA", s, f"d{n}", 10 * n + ord(s) % 7, "yes", "zoe") for n in range(9) for s in "ABCD"],
        "translations without a metric": [("MQM", "E", f"d{n}", -n, "yes", "r1") for n in range(5)],
        "articles that nobody rated": [("WMT", s, f"x{n}", n, "no", "") for n in range(4) for s in "ABCD"],
    }
    with closing(open_library(rated)) as connection:
        first = computed(connection, reviewer="MQM")
        cells = {key: (cell.counts, cell.figures) for key, cell in first.report.cells.items()}
        between = {each.rater: each.report.cells for each in first.people.raters}
        for what, rows in more.items():
            import_path(connection, table(rows, tmp_path / f"{what}.csv"), format="scores")
            found = computed(connection, reviewer="MQM")
            assert {key: (c.counts, c.figures) for key, c in found.report.cells.items()} == cells, what
            assert {each.rater: each.report.cells.keys() for each in found.people.raters} == {
                rater: of.keys() for rater, of in between.items()
            }
        left_out = [cell.left_out for cell in found.report.cells.values()]
        assert {each["translations without a score by the metric"] for each in left_out} == {5}
        assert {each["translations without a human score"] for each in left_out} == {16}


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rows_changes_no_figure(seed: int, tmp_path: Path, discox: Command) -> None:
    rows, scores = drawn(), [*metric(official(drawn())), *two_scales("DA", "SQM")]
    found = []
    for name, ratings, lines in (
        ("as they are", rows, scores),
        ("shuffled", Random(seed).sample(rows, len(rows)), Random(seed).sample(scores, len(scores))),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "mqm_zhen.tsv").write_text(tsv(ratings), encoding="utf-8")
        table(lines, folder / "scores.csv")
        discox("import", folder / "mqm_zhen.tsv", "--db", folder / "a.db")
        discox("import", "scores", folder / "scores.csv", "--db", folder / "a.db")
        report = json.loads(discox("consistency", "--db", folder / "a.db", "--json").out)
        found.append({name: report[name] for name in ("pairwise", "pairwise_by_rating", "between_raters", "spans")})
    assert found[0] == found[1]


def test_a_usual_test_set_is_held_against_its_first_round_of_mqm(tmp_path: Path, discox: Command) -> None:
    """Ratings by rater, of further rounds and of all rounds, and scores of other kinds change nothing of the headline."""
    root, random, systems, lines = tmp_path / "wmt22", Random(4), "ABCDE", 24

    def put(name: str, *rows: str) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")

    def of_each(of: Any) -> list[str]:
        return [f"{system}\t{of(system, n)}" for system in systems for n in range(lines)]

    rounds = [
        {(s, n): random.choices(("major", "minor"), k=random.randrange(4)) for s in systems for n in range(lines) if n % 5}
        for _ in range(3)
    ]  # fmt: skip

    def rating(round_: int, only: str = "") -> list[str]:
        def line(system: str, n: int) -> str:
            said, rater = rounds[round_].get((system, n)), f"rater{1 + (n // 3 + round_) % 3}"
            errors = [{"start": 0, "end": 2, "category": "Style", "severity": each} for each in said or ()]
            who = "" if only else f"\t{rater if said is not None else None}"
            return f"{json.dumps({'errors': errors}) if said is not None and only in ('', rater) else None}{who}"

        return of_each(line)

    put("documents/en-de.docs", *(f"news\td{n // 3}" for n in range(lines)))
    put("sources/en-de.txt", *(f"source {n}" for n in range(lines)))
    for system in systems:
        put(f"system-outputs/en-de/{system}.txt", *(f"{system} says {n}" for n in range(lines)))
    put("metric-scores/en-de/BLEU-refA.seg.score", *of_each(lambda *_: round(random.random(), 3)))
    weights = {"major": 5, "minor": 1}
    first = {key: -sum(map(weights.__getitem__, said)) for key, said in rounds[0].items()}
    put("human-scores/en-de.mqm.seg.score", *of_each(lambda *key: first.get(key)))
    assert discox("import", root, "--db", tmp_path / "mqm.db").code == 0
    put("human-scores/en-de.mqm.merged.seg.rating", *rating(0))
    put("human-scores/en-de.round2.mqm.merged.seg.rating", *rating(1))
    put("human-scores/en-de.round3.mqm.merged.seg.rating", *rating(2))
    put("human-scores/en-de.mqm.rater1.seg.rating", *rating(0, "rater1"))
    for kind, top in (("da-sqm", 100), ("esa-merged", 100), ("psqm", 6), ("wmt-raw", 100), ("mqm-col", -25)):
        put(f"human-scores/en-de.{kind}.seg.score", *of_each(lambda *_, top=top: random.randrange(101) * top / 100))
    put("human-scores/en-de.wmt-appraise-z.seg.score", *of_each(lambda *_: round(random.gauss(0, 1), 4)))
    imported = discox("import", root, "--db", tmp_path / "all.db")
    assert imported.code == 0
    assert "mqm.rater1 is what each rater said in all rounds" in imported.out
    alone, found = (
        json.loads(discox("consistency", "--db", tmp_path / name, "--json").out) for name in ("mqm.db", "all.db")
    )
    assert None not in alone["average"].values()
    assert (found["pairwise"], found["average"]) == (alone["pairwise"], alone["average"])
    assert found["raters"] == ["rater1", "rater2", "rater3"]
    others = {"da-sqm", "esa-merged", "psqm", "wmt-raw", "mqm-col", "wmt-appraise-z", "round2.MQM", "round3.MQM"}
    assert set(found["pairwise_by_rating"]) == others
