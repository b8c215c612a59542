"""``discox consistency`` on tables of scores and on a library: the interface, and figures recounted pair by pair."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
import re
import subprocess
import sys
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

from judges.stats.resampling import TOO_FEW
from tests.conftest import Command

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
    """Return where the database would be made, were one."""
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
        assert cell["interval_why"]["acc_eq"] == TOO_FEW
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


def warned(discox: Command, *arguments: object) -> list[str]:
    return strict(discox("consistency", *arguments, "--json").out)["warnings"]


def test_names_that_nobody_has_are_refused_with_those_there_are(discox: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table())
    for option, there in (("--reviewer", "human"), ("--judge", "XCOMET-QE")):
        refused = discox("consistency", "--scores", path, option, "nobody")
        assert (refused.code, refused.out) == (1, "")
        assert there in refused.err


def test_means_of_different_articles_are_told(discox: Command, tmp_path: Path) -> None:
    rows = [(m, s, f"{s}{k}", "zh-en", i + k, int(m == "human")) for m in ("human", "m") for i, s in enumerate("AB") for k in range(3)]  # fmt: skip
    path = written(tmp_path / "s.csv", rows)
    (cell,) = (
        c for c in strict(discox("consistency", "--scores", path, "--json").out)["pairwise"] if c["level"] == "system"
    )
    assert "no two systems have an article in common" in cell["why"]["spa"]
    assert (cell["n"], cell["spa_n"]) == (1, 0)
    assert any(
        "1 of 1 pair of systems have no article in common" in warning for warning in warned(discox, "--scores", path)
    )


def test_differences_too_small_to_count_are_told(discox: Command, tmp_path: Path) -> None:
    rows = [(m, s, "1", "zh-en", i * 1e-7 if m == "m" else i, int(m == "human")) for m in ("human", "m") for i, s in enumerate("ABC")]  # fmt: skip
    assert any(
        w.startswith("m: 2 scores differ") for w in warned(discox, "--scores", written(tmp_path / "s.csv", rows))
    )
    noise = [("m", s, "1", "zh-en", score, 0) for s, score in (("A", 0.1 + 0.2), ("B", 0.3))]
    assert not any("differ" in w for w in warned(discox, "--scores", written(tmp_path / "n.csv", noise)))


def test_an_interval_of_no_width_is_told_with_wilsons_beneath(discox: Command, tmp_path: Path) -> None:
    rows = [(m, s, f"{k}", "zh-en", i + k, int(m == "human")) for m in ("human", "m") for i, s in enumerate("AB") for k in range(6)]  # fmt: skip
    path = written(tmp_path / "s.csv", rows)
    out = discox("consistency", "--scores", path).out
    line = next(line for line in out.splitlines() if re.match(r" +Wilson +\d", line))
    assert line.split()[1] == "0.21-1.00"
    assert (
        "no certainty"
        in strict(discox("consistency", "--scores", path, "--json").out)["pairwise"][0]["interval_warning"]["acc_eq"]
    )
    for option in ("--html", "--markdown", "--latex"):
        assert "no certainty" in discox("consistency", "--scores", path, option, "-").out


@pytest.mark.parametrize("rule", RULES)
def test_c_index_and_acc_eq_headline_together(discox: Command, tmp_path: Path, rule: str) -> None:
    path = written(tmp_path / "s.csv", table())
    wanted = {rule, "acc_eq" if rule == "c_index" else "c_index"}
    text = discox("consistency", "--scores", path, "--ties", rule).out.split("EVERY RULE")[0]
    assert {line.split()[0] for line in text.splitlines() if line.endswith("mean")} == wanted
    page = discox("consistency", "--scores", path, "--ties", rule, "--markdown", "-").out
    assert set(re.findall(r"### Pairwise consistency, (\S+)", page.replace("\\", ""))) == wanted


def test_people_stand_beside_the_judge_in_every_format_whatever_their_names(discox: Command, tmp_path: Path) -> None:
    header = ("metric", "system", "article", "direction", "score", "rater")
    chance = random.Random(4)
    ratings = [(s, k, chance.randrange(4), chance.randrange(4)) for s in "ABC" for k in range(6)]

    def reached(one: str, other: str) -> dict[str, float]:
        rows = [("ESA", s, k, "zh-en", score, name) for s, k, *two in ratings for name, score in zip((one, other), two, strict=True)]  # fmt: skip
        rows += [("m", s, k, "zh-en", (k * 7 + ord(s)) % 5, "") for s, k, *_ in ratings]
        path = written(tmp_path / "s.csv", rows, header)
        for option in ("--html", "--markdown", "--latex"):
            page = re.sub(r"\\(textasciitilde\{\})?", lambda m: "~" if m[1] else "", discox("consistency", "--scores", path, option, "-").out)  # fmt: skip
            assert f"{one} ~ {other}" in page
            assert f"{other} ~ {one}" in page
        between = strict(discox("consistency", "--scores", path, "--json").out)["between_raters"]
        return {
            each["rater"]: each["c_index"] for each in between if each["metric"] is None and each["level"] == "segment"
        }

    first, second = reached("ana", "zoe"), reached("zoe", "ana")
    assert first == {"ana": second["zoe"], "zoe": second["ana"]}


def test_directions_that_begin_alike_stay_apart(discox: Command, tmp_path: Path) -> None:
    rows = [(m, s, "1", d, i, int(m == "human")) for m in ("human", "m") for i, s in enumerate("AB") for d in ("dialect-northern", "dialect-southern")]  # fmt: skip
    out = discox("consistency", "--scores", written(tmp_path / "s.csv", rows)).out
    heads = next(line for line in out.splitlines() if line.split()[:1] == ["acc_eq"]).split()[1:]
    names = heads[1::2]
    assert len(set(names[:2])) == 2
    for name, direction in zip(names[:2], ("dialect-northern", "dialect-southern"), strict=True):
        assert f"{name}: {direction}" in out


def test_plans_say_nothing_that_no_test_could_show(discox: Command, tmp_path: Path) -> None:
    rows = [("human", s, f"{k}", "zh-en", 50 * i + k * (i + 1), 1) for i, s in enumerate("AB") for k in range(3)]
    rows += [("m", *row[1:5], 0) for row in rows]
    path = written(tmp_path / "s.csv", rows)
    for each in strict(discox("consistency", "--scores", path, "--json", "--compare", "A", "B").out)[
        "compared_systems"
    ]:
        assert (each["p"], each["plan"]["further"]) == (0.25, 3)


def test_names_of_wide_characters_keep_to_80_columns(discox: Command, tmp_path: Path) -> None:
    names = {"m": "指标甲乙丙丁戊己庚辛壬癸子丑寅卯", "n": "另一个评分模型的很长的名字", "h": "评审员" * 20}
    rows = [(names[m], s, "1", "zh-en", i, m == "h") for m in names for i, s in enumerate("AB")]
    path = written(tmp_path / "s.csv", rows)
    text = discox("consistency", "--scores", path, "--compare", names["m"], names["n"]).out
    assert max(map(cell_len, text.splitlines())) <= 80
    assert names["m"] in text
    assert names["h"] in text.replace("\n  ", "")


def test_everything_printed_has_its_n_and_its_reason(discox: Command, tmp_path: Path) -> None:
    """People among themselves and groups have them too, and what has one article only."""
    rows = [(m, s, "1", "zh-en", i, m != "m") for m in ("m", "anna", "ben") for i, s in enumerate("ABC")]
    path = written(tmp_path / "s.csv", [*rows[:-1], ("m", "A", "2", "zh-en", 1, 0)])
    lines = discox("consistency", "--scores", path, "--by", "system").out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.split()[:3] == ["anna", "~", "ben"])
    assert lines[at + 2].split() == ["pairs", "1", "0", "1", "0", "2"]
    at = next(i for i, line in enumerate(lines) if line.startswith("system C"))
    assert [line.split() for line in lines[at : at + 5]][-1] == ["pairs", "2", "0", "2", "0", "4"]

    asked = ("consistency", "--scores", path, "--compare", "A", "B")
    text = " ".join(discox(*asked).out.split())
    assert f"– interval: {TOO_FEW}" in text
    assert "– p: fewer than two articles: no test" in text
    assert all(each["p_why"] for each in strict(discox(*asked, "--json").out)["compared_systems"])
    found = list(csv.DictReader(io.StringIO(discox(*asked, "--csv").out)))
    (cell,) = (row for row in found if (row["by"], row["level"], row["metric"]) == ("", "segment", "m"))
    assert cell["left_out"] == "translations without a human score (1)"
    assert cell["wilson_low"]
    assert {(row["label"], row["metric"]) for row in found if row["by"] == "against" and row["level"] == "segment"} == {
        ("anna", "ben ~ anna"),
        ("anna", "m"),
        ("ben", "anna ~ ben"),
        ("ben", "m"),
    }
    (differ,) = (row for row in found if row["figure"] == "difference of systems" and row["metric"] == "m")
    assert (differ["label"], differ["value"], differ["p"]) == ("B minus A", "1.0", "")
    assert "fewer than two articles" in differ["why"]


def test_csv_is_marked_for_excel_only_in_a_file(tmp_path: Path) -> None:
    path = written(tmp_path / "s.csv", table())
    command = [sys.executable, "-m", "discox_tui", "consistency", "--scores", str(path), "--csv"]
    piped = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parents[3]).stdout
    with (tmp_path / "out.csv").open("wb") as file:
        subprocess.run(command, stdout=file, check=True, cwd=Path(__file__).parents[3])
    assert (tmp_path / "out.csv").read_bytes() == b"\xef\xbb\xbf" + piped


def test_a_character_that_is_none_does_not_stop_tex(discox: Command, tmp_path: Path) -> None:
    rows = [(m, s, "1", "zh-en", i, int(m == "human")) for m in ("human", "m\ufffd") for i, s in enumerate("AB")]
    out = discox("consistency", "--scores", written(tmp_path / "s.csv", rows), "--latex", "-").out
    assert "\ufffd" not in "".join(line for line in out.splitlines() if not line.startswith("%"))
    assert "m?" in out


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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_a_gold_from_one_judges_errors_is_told_where_others_are_compared(
    discox: Command, sample: Path, tmp_path: Path
) -> None:
    report = strict(discox("consistency", "--db", sample, "--json").out)
    gold = {(each["judge"], each["blind_first"]): each["ratings"] for each in report["gold"]}
    assert set(gold) == {("meridian-pro", False), ("meridian-pro", True)}
    anchored = gold["meridian-pro", False]
    assert not any("meridian-pro's errors" in warning for warning in report["warnings"])
    listed = strict(discox("list", "--db", sample, "--json").out)
    rows = [("chrF", e["system"], e["article"], "", 1, 0) for e in listed if e["score"]]
    discox("import", "scores", written(tmp_path / "s.csv", rows), "--db", sample)
    said = f"left of meridian-pro's errors ({anchored / sum(gold.values()):.0%}".replace("%", " %)")
    assert any(said in warning for warning in warned(discox, "--db", sample))
    text = " ".join(discox("consistency", "--db", sample).out.split())
    assert f"{anchored} reviews of meridian-pro, 1 review of meridian-pro, blind first" in text
    assert list(strict(discox("consistency", "--db", sample, "--json").out)["average"]) == [
        "Metric-S (meridian-pro)",
        "chrF",
    ]  # judges first
    for option in ("--html", "--markdown", "--latex"):
        assert "seen before they decided" in discox("consistency", "--db", sample, option, "-").out


@pytest.mark.parametrize("by", ["severity", "category", "direction"])
def test_that_pairwise_figures_are_not_cut_is_said(discox: Command, sample: Path, by: str) -> None:
    for form in ((), ("--markdown", "-")):
        assert (
            f"Pairwise figures are {'by' if by == 'direction' else 'not by'} {by}"
            in discox("consistency", "--db", sample, "--by", by, *form).out
        )


def test_csv_has_the_figures_of_findings_and_documents(discox: Command, sample: Path) -> None:
    report = strict(discox("consistency", "--db", sample, "--json").out)
    rows = list(csv.DictReader(io.StringIO(discox("consistency", "--db", sample, "--csv").out)))
    found = {(row["level"], row["by"], row["label"], row["figure"]): row for row in rows if row["figure"]}
    for key, figure in {
        ("findings", "", "overall", "precision"): report["findings"]["overall"]["precision"],
        ("findings", "dimension", "fluency", "precision"): report["findings"]["by"]["dimension"]["fluency"][
            "precision"
        ],
        ("documents", "", "total / all", "mean_difference"): report["documents"]["total"]["all"]["mean_difference"],
    }.items():
        row = found[key]
        assert float(row["value"]) == pytest.approx(figure["value"], abs=1e-6)
        assert (int(row["n"]), row["low"], row["why"]) == (figure["n"], "", figure["interval"]["why"])
    assert any(level == "between humans" for level, *_ in found)


def test_what_is_null_in_json_has_its_reason(discox: Command, sample: Path) -> None:
    report = strict(discox("consistency", "--db", sample, "okafor", "--json").out)
    for metric, interval in report["average_interval"].items():
        assert interval is not None or report["average_interval_why"][metric]
        for figure in report["averages"][metric].values():
            assert figure["value"] is not None or figure["why"]
            assert figure["interval"] is not None or figure["interval_why"]
    for cell in report["pairwise"]:
        assert cell["signature"] or cell["signature_why"] == "imported, signature unknown: judge meridian-pro"
        for name, interval in cell["interval"].items():
            assert interval is not None or cell["interval_why"][name]
