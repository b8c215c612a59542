"""``discox consistency`` on tables of scores and on a library: the interface, and figures recounted pair by pair."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from .conftest import Command

HEADER = ("metric", "system", "article", "direction", "score", "human")
Rows = list[tuple[str, str, str, str, float, int]]
COUNTS = ("concordant", "discordant", "tied_human", "tied_metric", "tied_both")
RULES = ("acc_eq", "c_index", "drop_human_ties", "drop_all_ties", "half")


def table(seed: int = 1, articles: int = 12, gaps: float = 0.1) -> Rows:
    """Random scores with ties and gaps: a human and two metrics, four systems, both directions."""
    chance = random.Random(seed)
    return [
        (metric, system, f"{k}", direction, round(chance.randrange(5) / 5 + (system == "A") / 5, 1), int(metric == "human"))
        for direction in ("zh-en", "en-zh")
        for k in range(articles)
        for system in "ABCD"
        for metric in ("human", "chrF", "XCOMET-QE")
        if chance.random() >= gaps
    ]  # fmt: skip


def written(path: Path, rows: Iterable[tuple[object, ...]], header: tuple[str, ...] = HEADER) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def strict(text: str) -> Any:
    """JSON without NaN or infinity."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


def recount(rows: Rows, metric: str, level: str, direction: str) -> Counter[str]:
    """The five counts by a plain loop over exact fractions."""
    human, automatic = (
        {(r[1], r[2]): Fraction(str(r[4])) for r in rows if r[0] == name and r[3] == direction}
        for name in ("human", metric)
    )
    both = human.keys() & automatic.keys()
    found: dict[str, dict[str, tuple[Fraction, Fraction]]] = defaultdict(dict)
    if level == "segment":
        for system, article in both:
            found[article][system] = human[system, article], automatic[system, article]
    else:
        for system in {system for system, _ in both}:
            keys = [key for key in both if key[0] == system]
            h, m = (sum((scores[key] for key in keys), Fraction()) / len(keys) for scores in (human, automatic))
            found[""][system] = Fraction(round(h, 6)), Fraction(round(m, 6))
    counts: Counter[str] = Counter()
    for scores in found.values():
        for i, j in itertools.combinations(sorted(scores), 2):
            a, b = ((x > y) - (x < y) for x, y in zip(scores[i], scores[j], strict=True))
            counts["tied_both" if not a and not b else "tied_human" if not a else "tied_metric" if not b
                   else "concordant" if a == b else "discordant"] += 1  # fmt: skip
    return counts


def by_rule(c: Counter[str]) -> dict[str, float | None]:
    con, dis, human, metric, both = (c[name] for name in COUNTS)

    def share(a: Fraction | int, b: int) -> float | None:
        return float(Fraction(a) / b) if b else None

    return {
        "acc_eq": share(con + both, c.total()),
        "c_index": share(con + Fraction(metric, 2), con + dis + metric),
        "drop_human_ties": share(con, con + dis + metric),
        "drop_all_ties": share(con, con + dis),
        "half": share(con + both + Fraction(human + metric, 2), c.total()),
    }


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where the database would be made, were one."""
    path = tmp_path / "none" / "library.db"
    monkeypatch.setenv("DISCOX_DB", str(path))
    return path


@pytest.mark.parametrize("seed", range(3))
def test_a_table_alone_is_counted_pair_by_pair(discox: Command, tmp_path: Path, no_library: Path, seed: int) -> None:
    rows = table(seed)
    random.Random(seed).shuffle(rows)
    result = discox("consistency", "--scores", written(tmp_path / "s.csv", rows), "--json")
    assert (result.code, result.err) == (0, "")
    assert not no_library.parent.exists()
    report = strict(result.out)
    cells = {(c["metric"], c["level"], c["direction"]): c for c in report["pairwise"]}
    assert set(cells) == set(itertools.product(("chrF", "XCOMET-QE"), ("system", "segment"), ("zh-en", "en-zh")))
    for key, cell in cells.items():
        counts = recount(rows, *key)
        assert {name: cell[name] for name in COUNTS} == {name: counts[name] for name in COUNTS}
        assert cell["n"] == counts.total()
        for rule, value in by_rule(counts).items():
            assert cell[rule] == pytest.approx(value, abs=1e-12)
            ends = cell["interval"][rule]
            assert ends is None or 0 <= ends[0] <= ends[1] <= 1
    for metric, mean in report["average"].items():
        four = [cell["acc_eq"] for key, cell in cells.items() if key[0] == metric]
        assert mean == pytest.approx(sum(four) / 4, abs=1e-12)
    assert report["ties"] == "acc_eq"
    assert report["seed"] == 1
    assert report["resamples"] == 2000


def test_no_spelling_of_the_file_changes_a_figure(discox: Command, tmp_path: Path, no_library: Path) -> None:
    rows = table()
    shuffled = random.Random(2).sample(rows, len(rows))
    tsv = "\r\n".join("\t".join(map(str, ("x", *row[::-1]))) for row in [tuple(n.upper() for n in HEADER), *shuffled])
    lines = "".join(json.dumps(dict(zip(HEADER, row, strict=True))) + "\n" for row in shuffled)
    reports = []
    for name, text in (("a.csv", None), ("b.tsv", tsv), ("c.jsonl", lines), ("d.txt", "\ufeff" + tsv)):
        path = tmp_path / name
        if text is None:
            written(path, rows)
        else:
            path.write_text(text, encoding="utf-8", newline="")
        reports.append(strict(discox("consistency", "--scores", path, "--json").out))
    first = reports[0]
    for report in reports:
        assert report["pairwise"] == first["pairwise"]
        assert report["average"] == first["average"]


def test_a_table_in_a_library_gives_what_it_gives_alone(discox: Command, tmp_path: Path) -> None:
    path, db = written(tmp_path / "s.csv", table()), tmp_path / "a.db"
    assert discox("import", "scores", path, "--db", db).code == 0
    alone = strict(discox("consistency", "--scores", path, "--json").out)
    stored = strict(discox("consistency", "--db", db, "--json").out)
    for name in ("pairwise", "average", "averages", "raters"):
        assert stored[name] == alone[name]
    assert stored["findings"]["overall"]["precision"]["value"] is None


def test_what_is_undefined_is_null_with_a_reason(discox: Command, tmp_path: Path) -> None:
    rows = [("human", s, "1", "zh-en", 1, 1) for s in "AB"] + [("m", s, "1", "zh-en", i, 0) for i, s in enumerate("AB")]
    report = strict(discox("consistency", "--scores", written(tmp_path / "s.csv", rows), "--json").out)
    for cell in report["pairwise"]:
        assert (cell["n"], cell["tied_human"], cell["acc_eq"], cell["half"]) == (1, 1, 0, 0.5)
        for rule in ("c_index", "drop_human_ties", "drop_all_ties"):
            assert cell[rule] is None
            assert cell["why"][rule]
            assert cell["interval"][rule] is None
        assert cell["interval"]["acc_eq"] is None
        assert "two articles" in cell["interval_why"]["acc_eq"]
    assert report["average"] == {"m": None}
    assert "en-zh" in report["average_why"]["m"]
    assert any("10 articles" in warning for warning in report["warnings"])


@pytest.mark.parametrize("human", [0, 1])
def test_a_table_of_only_humans_or_metrics_is_no_crash(discox: Command, tmp_path: Path, human: int) -> None:
    path = written(tmp_path / "s.csv", [("m", s, "1", "zh-en", 1, human) for s in "AB"])
    for form in ((), ("--json",), ("--csv",), ("--by", "domain"), ("--by", "system"), ("--by", "reviewer")):
        result = discox("consistency", "--scores", path, *form)
        assert result.code == 0, result.err
    assert strict(discox("consistency", "--scores", path, "--json").out)["warnings"]
    assert f"no {'scores by a metric' if human else 'human scores'}" in discox("consistency", "--scores", path).out


def test_raters_are_averaged_and_one_can_be_chosen(discox: Command, tmp_path: Path) -> None:
    header = ("metric", "system", "article", "score", "rater")
    rows: list[tuple[object, ...]] = [
        ("ESA", "A", 1, 10, "lin"),
        ("ESA", "B", 1, 8, "lin"),
        ("ESA", "A", 1, 2, "okafor"),
    ]
    rows += [("ESA", "B", 1, 9, "okafor"), ("m", "A", 1, 0.2, ""), ("m", "B", 1, 0.1, "")]
    path = written(tmp_path / "s.csv", rows, header)
    cell = lambda *more: strict(discox("consistency", "--scores", path, "--json", *more).out)["pairwise"][0]  # noqa: E731
    assert (cell()["direction"], cell()["acc_eq"]) == ("", 0)  # 6 to 8.5
    assert cell("--reviewer", "lin")["acc_eq"] == 1
    between = strict(discox("consistency", "--scores", path, "--json").out)["between_raters"]
    found = {(each["rater"], each["metric"], *each["others"]): each["acc_eq"] for each in between}
    assert found == {
        ("lin", None, "okafor"): 0,
        ("lin", "m", "okafor"): 0,
        ("okafor", None, "lin"): 0,
        ("okafor", "m", "lin"): 1,
    }
    assert "lin ~ okafor" in discox("consistency", "--scores", path).out
    grouped = strict(discox("consistency", "--scores", path, "--json", "--by", "reviewer").out)["pairwise_by"]
    assert {name: group["pairwise"][0]["acc_eq"] for name, group in grouped["groups"].items()} == {
        "lin": 1,
        "okafor": 0,
    }


def test_by_system_and_domain_are_parts_of_the_whole(discox: Command, tmp_path: Path) -> None:
    rows = [(*row, "news" if int(row[2]) % 2 else "law") for row in table()]
    path = written(tmp_path / "s.csv", rows, (*HEADER, "domain"))
    reports = {
        by: strict(discox("consistency", "--scores", path, "--json", "--by", by).out) for by in ("system", "domain")
    }
    whole = {(c["metric"], c["direction"]): c["n"] for c in reports["system"]["pairwise"] if c["level"] == "segment"}
    for by, report in reports.items():
        parts: Counter[tuple[str, str]] = Counter()
        for group in report["pairwise_by"]["groups"].values():
            for cell in group["pairwise"]:
                if cell["level"] == "segment":
                    parts[cell["metric"], cell["direction"]] += cell["n"]
        assert {key: n // (2 if by == "system" else 1) for key, n in parts.items()} == whole


def test_two_metrics_and_two_systems_are_compared(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table())
    report = strict(discox("consistency", "--scores", path, "--json", "--compare", "chrf", "xcomet").out)
    cells = {(c["metric"], c["level"], c["direction"]): c for c in report["pairwise"]}
    assert len(report["compared_metrics"]) == 4
    for each in report["compared_metrics"]:
        assert (each["first"], each["second"]) == ("chrF", "XCOMET-QE")
        assert each["difference"]["value"] == pytest.approx(each["second_value"] - each["first_value"])
        assert 0 < each["test"]["p"] <= 1
        assert each["plan"]["assumption"]
    assert cells
    systems = strict(discox("consistency", "--scores", path, "--json", "--compare", "A", "B").out)["compared_systems"]
    assert {each["scorer"] for each in systems} == {None, "chrF", "XCOMET-QE"}
    text = discox("consistency", "--scores", path, "--compare", "A", "B").out
    assert "TWO SYSTEMS COMPARED" in text
    refused = discox("consistency", "--scores", path, "--compare", "A", "nobody")
    assert refused.code == 1
    assert "XCOMET-QE" in refused.err


def test_the_rule_for_ties_headlines(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table())
    for rule in RULES:
        report = strict(discox("consistency", "--scores", path, "--json", "--ties", rule).out)
        for metric, mean in report["average"].items():
            four = [cell[rule] for cell in report["pairwise"] if cell["metric"] == metric]
            assert mean == pytest.approx(sum(four) / 4)
            assert report["averages"][metric][rule]["value"] == mean
            assert report["averages"][metric][rule]["n"] == sum(
                cell["n"] for cell in report["pairwise"] if cell["metric"] == metric
            ) or rule not in ("acc_eq", "half")


def test_the_seed_decides_the_intervals_and_nothing_else(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table())
    one, same, other = (discox("consistency", "--scores", path, "--json", "--seed", seed).out for seed in (1, 1, 2))
    assert one == same
    a, b = strict(one), strict(other)
    assert a["average"] == b["average"]
    assert a["average_interval"] != b["average_interval"]
    for wrong in (("--seed", -1), ("--resamples", 100)):
        assert discox("consistency", "--scores", path, *wrong).code == 2


def test_the_published_rows_stand_beside(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table())
    result = discox("consistency", "--scores", path, "--published")
    row = next(line for line in result.out.splitlines() if "published: Metric-S" in line)
    assert row.split()[2:] == ["0.800", "0.900", "0.548", "0.564", "0.703"]
    rows = strict(discox("consistency", "--scores", path, "--published", "--json").out)["published"]
    assert {row["metric"]: row["average"] for row in rows} == {"Metric-S": 0.703, "XCOMET-QE": 0.347, "ChrF": None}


def test_csv_has_a_row_for_each_cell(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", [*table(), ("=cmd()", "A", "1", "zh-en", 1, 0)])
    out = discox("consistency", "--scores", path, "--csv").out
    means, rows = [], []
    for row in csv.DictReader(io.StringIO(out)):
        (means if row["level"] == "mean of the four" else rows).append(row)
    report = strict(discox("consistency", "--scores", path, "--json").out)
    assert len(rows) == len(report["pairwise"])
    for row in means:
        mean = report["average"][row["metric"].removeprefix("'")]
        assert row["acc_eq"] == "" if mean is None else float(row["acc_eq"]) == pytest.approx(mean, abs=1e-6)
    by_key = {(row["metric"], row["level"], row["direction"]): row for row in rows}
    for cell in report["pairwise"]:
        row = by_key["'" * cell["metric"].startswith("=") + cell["metric"], cell["level"], cell["direction"]]
        assert row["n"] == str(cell["n"])
        for rule in RULES:
            assert row[rule] == "" if cell[rule] is None else float(row[rule]) == pytest.approx(cell[rule], abs=1e-6)


def test_what_is_wrong_with_a_file_is_said(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", [*table(), ("m", "A", "1", "zh-en", "nan", 0)])
    result = discox("consistency", "--scores", path, "--json")
    assert result.code == 0
    assert "left out: score: is “nan”" in result.err
    assert strict(result.out)["files"][0]["left_out"] == 1
    for content in ("", "metric,system,article,score\n", "metric,system,article,score\nm,A,1,nan\n", "a,b\n1,2\n"):
        path.write_text(content, encoding="utf-8")
        result = discox("consistency", "--scores", path)
        assert (result.code, result.out) == (1, "")
        assert result.err
    assert discox("consistency", "--scores", tmp_path / "none.csv").code == 1


# --- The library ----------------------------------------------------------------------------------------------


def test_the_library_holds_judge_reviewers_and_tables_in_one(discox: Command, sample: Path, tmp_path: Path) -> None:
    before = strict(discox("consistency", "--db", sample, "--json").out)
    (label,) = before["average"]
    assert before["raters"] == ["lin", "okafor"]
    assert before["metrics"][label]["judge"] == "meridian-pro"
    listed = strict(discox("list", "--db", sample, "--json").out)
    rows = [("chrF", e["system"], e["article"], "", e["score"]["total"], 0) for e in listed if e["score"]]
    discox("import", "scores", written(tmp_path / "s.csv", rows), "--db", sample)
    after = strict(discox("consistency", "--db", sample, "--json").out)
    cells: dict[str, dict[tuple[str, str], tuple[int, ...]]] = defaultdict(dict)
    for cell in after["pairwise"]:
        cells[cell["metric"]][cell["level"], cell["direction"]] = tuple(cell[name] for name in COUNTS)
    assert cells["chrF"] == cells[label]  # the same scores under another name, their directions from the articles
    only = strict(discox("consistency", "--db", sample, "--json", "--judge", "meridian-pro").out)
    assert list(only["average"]) == [label]
    assert only["findings"] == after["findings"]
    for name in ("MERIDIAN-Pro", label.upper()):
        assert strict(discox("consistency", "--db", sample, "--json", "--judge", name).out) == only
    for option, there in (("--judge", "meridian-pro"), ("--reviewer", "okafor")):
        nobody = discox("consistency", "--db", sample, option, "nobody")
        assert (nobody.code, nobody.out) == (1, "")
        assert there in nobody.err
    by = strict(discox("consistency", "--db", sample, "--json", "--by", "dimension").out)["pairwise_by"]["groups"]
    assert set(by) == {"accuracy", "fluency", "appropriateness"}
    assert all(group["pairwise"] for group in by.values())


@pytest.mark.parametrize("by", ["dimension", "severity", "category", "system", "direction", "domain", "reviewer"])
def test_every_grouping_has_its_tables(discox: Command, sample: Path, by: str) -> None:
    result = discox("consistency", "--db", sample, "--by", by)
    assert (result.code, result.err) == (0, "")
    assert f"by {by}" in result.out
    assert (f"PAIRWISE CONSISTENCY BY {by.upper()}" in result.out) == (by not in ("severity", "category", "direction"))
    assert max(cell_len(line) for line in result.out.splitlines()) <= 80


def test_a_reviewers_name_among_the_words_chooses_her(discox: Command, sample: Path) -> None:
    word, option = (
        strict(discox("consistency", "--db", sample, "--json", *words).out)
        for words in (["lin"], ["--reviewer", "lin"])
    )
    assert word == option
    assert word["raters"] == ["lin"]


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(NAMES.filter(lambda name: bool(name.strip())), min_size=3, max_size=3), NAMES)
def test_text_fits_80_cells_and_cannot_steer_a_terminal(
    discox: Command, tmp_path: Path, names: list[str], direction: str
) -> None:
    metric, one, other = names
    rows = [(metric, system, "1", direction, i, 0) for i, system in enumerate((one, other))]
    rows += [("human", system, "1", direction, i, 1) for i, system in enumerate((one, other))]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(dict(zip(HEADER, row, strict=True))) + "\n" for row in rows), encoding="utf-8")
    for by in ("system", "domain"):
        out = discox("consistency", "--scores", path, "--by", by, "--published").out
        assert max(cell_len(line) for line in out.splitlines() if "s.jsonl" not in line) <= 80
        assert {c for c in out if unicodedata.category(c) in ("Cc", "Cs")} <= {"\n"}
    strict(discox("consistency", "--scores", path, "--json").out)
