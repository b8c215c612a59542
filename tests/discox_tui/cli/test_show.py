"""``discox list``, ``show``, ``where``, ``ground``, ``consistency`` and ``demo``: what scripts and people read."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from judges.model import DECISIONS, DIMENSIONS
from storage.base.errors import StorageError
from storage.base.text import named_by
from storage.integrity.opening import open_library
from storage.record.library import read_evaluation, resolve
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support import builders
from tests.support.tables import dump

LISTED = {
    *("id", "article", "system", "direction", "domain", "subdomain", "judge", "state", "failed", "score"),
    *("signature", "sample", "quotes", "quotes_verified", "superseded_by", "findings", "errors", "review"),
    *("earlier_version", "reviewed_by_others", "rated", "stored_score", "flags"),
}
SHOWN = LISTED | {"source", "translation", "instruction_check", "grounding", "rubric", "advice", "others"}
FINDING = {
    *("id", "number", "step", "dimension", "category", "category_label", "severity", "severity_label"),
    *("rubric_point", "explanation", "paragraph", "source_spans", "translation_spans", "confidence", "spans"),
    *("unlocated_quotes", "asked", "proof", "quoted", "kept", "duplicate_of", "votes", "verdict"),
}
HOSTILE = "[red]x[/] \x1b]52;c;AAAA\x07\x1b[2J \x9b31m \u202eabc\u2066 \x00 \ufeff👩\u200d🔬"


def strict(text: str) -> Any:
    """JSON as the standard has it: no NaN, no Infinity."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def rows_of(discox: Command, *arguments: object) -> list[dict[str, Any]]:
    result = discox("list", "--json", *arguments)
    assert (result.code, result.err) == (0, "")
    rows: list[dict[str, Any]] = strict(result.out)
    return rows


# --- list ---


def test_a_list_has_the_documented_fields(discox: Command, sample: Path) -> None:
    rows = rows_of(discox, "--db", sample, "--reviewer", "lin")
    assert len(rows) == 12
    for row in rows:
        assert set(row) == LISTED
        assert row["state"] in ("scored", "judge_failed", "instruction_failed", "no_translation")
        assert isinstance(row["findings"], int)
        assert row["errors"] <= row["findings"]
        assert {"state", "decided", "human_score"} <= set(row["review"])
        for score in (row["score"], row["stored_score"], row["review"]["human_score"]):
            assert score is None or set(score) == {"total", *DIMENSIONS}
        if row["state"] == "scored":
            assert row["score"]["total"] == sum(row["score"][name] for name in DIMENSIONS)
    states = [row["review"]["state"] for row in rows]
    assert (states.count("done"), states.count("in_progress"), states.count("skipped")) == (9, 1, 1)


def test_a_reviewer_sees_her_own_verdicts_only(discox: Command, sample: Path) -> None:
    nobody = rows_of(discox, "--db", sample, "--reviewer", "nobody")
    assert {row["review"]["state"] for row in nobody} == {"not_opened"}
    assert {row["review"]["decided"] for row in nobody} == {0}


def test_a_judge_that_failed_claims_no_score_but_shows_what_it_found(discox: Command, sample: Path) -> None:
    (row,) = [row for row in rows_of(discox, "--db", sample) if row["state"] == "judge_failed"]
    assert row["failed"] == ["fluency"]
    assert row["score"] is None
    assert row["stored_score"]["total"] == 40
    assert row["findings"] == 12


def test_words_narrow_the_list(discox: Command, sample: Path) -> None:
    assert len(rows_of(discox, "--db", sample, "heron", "law")) == 1
    assert len(rows_of(discox, "--db", sample, "HERON")) == 4
    assert rows_of(discox, "--db", sample, "100%") == []
    plain = discox("list", "--db", sample, "heron", "law-01").out
    assert plain.count("\n") == 2
    assert "heron-14b" in plain


def test_an_empty_library_lists_nothing_and_says_how_to_begin(discox: Command, tmp_path: Path) -> None:
    open_library(tmp_path / "a.db").close()
    assert rows_of(discox, "--db", tmp_path / "a.db") == []
    result = discox("list", "--db", tmp_path / "a.db")
    assert (result.code, result.out) == (0, "")
    assert "discox import" in result.err


# --- show ---


def test_an_evaluation_is_shown_whole(discox: Command, sample: Path) -> None:
    for listed in rows_of(discox, "--db", sample, "--reviewer", "lin"):
        shown = strict(discox("show", "--db", sample, "--reviewer", "lin", "--json", listed["id"]).out)
        assert set(shown) >= SHOWN
        assert {name: shown[name] for name in ("id", "score", "flags", "review")} == {
            name: listed[name] for name in ("id", "score", "flags", "review")
        }
        assert len(shown["findings"]) == listed["findings"]
        ids = {finding["id"] for finding in shown["findings"]}
        assert len(ids) == len(shown["findings"])
        texts = {"source": shown["source"], "translation": shown["translation"]}
        for number, finding in enumerate(shown["findings"], 1):
            assert set(finding) == FINDING
            assert finding["number"] == number
            assert finding["dimension"] in DIMENSIONS
            assert finding["duplicate_of"] is None or finding["duplicate_of"] in ids
            assert finding["kept"] or finding["verdict"] is None or finding["verdict"]["decision"] in DECISIONS
            for span in finding["spans"]:
                assert texts[span["side"]][span["start"] : span["end"]] == span["text"]
            for side in ("source", "translation"):
                for start, end in finding[f"{side}_spans"]:
                    assert 0 <= start < end <= len(texts[side])
        assert all(set(point) == {"number", "text", "met", "explanation"} for point in shown["rubric"])


def test_the_beginning_of_an_id_is_enough_if_it_is_the_only_one(discox: Command, sample: Path) -> None:
    assert strict(discox("show", "--db", sample, "--json", "b06c").out)["id"] == "b06c1f0996ebc09851ec"
    for given, said in (("", "several"), ("zz", "no evaluation has the id"), ("0", "several")):
        result = discox("show", "--db", sample, given)
        assert result.code == 1
        assert said in result.err
    assert discox("show", "--db", sample, "%").code == 1


def test_the_page_for_people_holds_texts_findings_and_verdicts(discox: Command, sample: Path) -> None:
    page = discox("show", "--db", sample, "--reviewer", "lin", "b06c").out
    shown = strict(discox("show", "--db", sample, "--reviewer", "lin", "--json", "b06c").out)
    assert shown["source"].split("\n")[0] in page
    assert all(finding["explanation"] in page for finding in shown["findings"])
    assert "dropped as a duplicate" in page
    assert "→ agree" in page
    assert "judge: 76 = accuracy" in page


@pytest.mark.parametrize("place", ["source", "translation", "system", "article", "note", "reviewer"])
def test_hostile_text_reaches_the_terminal_as_pictures_and_json_exactly(
    discox: Command, tmp_path: Path, place: str
) -> None:
    database = tmp_path / "a.db"
    connection = open_library(database)
    texts = {name: HOSTILE for name in ("source", "translation", "system", "article") if name == place}
    identity = builders.add(connection, **texts)  # type: ignore[arg-type]
    reviewer = HOSTILE.replace("\x00", "") if place == "reviewer" else "mei"
    finding = read_evaluation(connection, identity).findings[0]
    ReviewLog(connection, reviewer).decide(identity, finding.id, decision="agree", note=HOSTILE)
    connection.close()
    results = [
        discox("list", "--db", database, "--reviewer", reviewer),
        discox("show", "--db", database, "--reviewer", reviewer, identity),
        discox("list", "--db", database, "--reviewer", reviewer, "--json"),
        discox("show", "--db", database, "--reviewer", reviewer, "--json", identity),
        discox("verdicts", "--db", database, "export", "-"),
        discox("where", "--db", database, "--reviewer", reviewer),
    ]
    for result in results:
        assert result.code == 0
        assert not set(result.out) & set("\x1b\x07\x9b\x00\u202e\u2066")
    shown = strict(results[3].out)
    assert shown["findings"][0]["verdict"]["note"] == HOSTILE
    if place in ("source", "translation", "system", "article"):
        assert shown[place] == HOSTILE


def test_showing_locates_what_was_only_stored(discox: Command, tmp_path: Path) -> None:
    connection = open_library(tmp_path / "a.db")
    identity = builders.add(connection)
    connection.close()
    shown = strict(discox("show", "--db", tmp_path / "a.db", "--json", identity).out)
    assert shown["grounding"]
    assert shown["findings"][0]["source_spans"] == [[5, 7]]


def test_a_stored_score_may_lack_its_parts(discox: Command, tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        identity = builders.add(connection, stored_score=(71.5, None, None, 20))
    result = discox("show", identity, "--db", tmp_path / "a.db")
    assert result.code == 0
    assert "stored: 71.5 = accuracy – + fluency – + appropriateness 20\n" in result.out
    shown = strict(discox("show", identity, "--json", "--db", tmp_path / "a.db").out)
    assert shown["stored_score"] == {"total": 71.5, "accuracy": None, "fluency": None, "appropriateness": 20}


# --- where, options, environment ---


def test_where_says_which_rule_chose_the_database(
    discox: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = strict(discox("where", "--json").out)
    assert facts["chosen_by"] == "the user's data directory"
    assert facts["reviewer"] == "mei"
    assert not Path(facts["database"]).exists()
    assert not facts["exists"]
    monkeypatch.setenv("DISCOX_DB", str(tmp_path / "env.db"))
    assert strict(discox("where", "--json").out)["database"] == str(tmp_path / "env.db")
    for arguments in (("--db", tmp_path / "x.db", "where", "--json"), ("where", "--json", "--db", tmp_path / "x.db")):
        facts = strict(discox(*arguments).out)
        assert (facts["database"], facts["chosen_by"]) == (str(tmp_path / "x.db"), "--db")
    assert str(tmp_path / "env.db") in discox("where").out


def test_the_database_of_the_environment_is_used(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCOX_DB", str(sample))
    assert len(rows_of(discox)) == 12


def test_options_stand_before_or_after_the_command(discox: Command, sample: Path) -> None:
    before = discox("--db", sample, "--reviewer", "lin", "list", "--json")
    after = discox("list", "--json", "--db", sample, "--reviewer", "lin")
    assert before == after
    exported = discox("verdicts", "export", "-", "--db", sample)
    assert exported.code == 0
    assert (
        exported
        == discox("--db", sample, "verdicts", "export", "-")
        == discox("verdicts", "--db", sample, "export", "-")
    )


def test_settings_name_the_reviewer_and_are_checked(
    discox: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "config.toml"
    monkeypatch.setenv("DISCOX_CONFIG", str(settings))
    settings.write_text('reviewer = "林"\n', encoding="utf-8")
    assert strict(discox("where", "--json").out)["reviewer"] == "林"
    assert strict(discox("where", "--json", "--reviewer", "ana").out)["reviewer"] == "ana"
    for text, said in (
        ("reviewer = 3", "'reviewer' must be text in quotes, not 3"),
        ("auto_advance = 'no'", "'auto_advance' must be true or false, not 'no'"),
        ("colour = 1", "unknown setting"),
        ("[", "cannot be read"),
    ):
        settings.write_text(text, encoding="utf-8")
        result = discox("where")
        assert result.code == 1
        assert result.err.count("\n") == 1
        assert said in result.err
        assert str(settings) in result.err


@pytest.mark.parametrize(
    "arguments",
    [("nonsense",), ("list", "--nonsense"), ("import",), ("show",), ("verdicts",), ("verdicts", "export"), ("--db",)],
    ids=" ".join,
)
def test_wrong_use_is_exit_code_two(discox: Command, arguments: tuple[str, ...]) -> None:
    result = discox(*arguments)
    assert result.code == 2
    assert result.out == ""
    assert re.fullmatch(r"discox: .*; see `discox[ a-z]* --help`\n", result.err)


@pytest.mark.parametrize("arguments", [("--help",), ("import", "--help"), ("--version",)], ids=" ".join)
def test_help_is_exit_code_nought(discox: Command, arguments: tuple[str, ...]) -> None:
    result = discox(*arguments)
    assert (result.code, result.err) == (0, "")
    assert "discox" in result.out


@pytest.mark.parametrize("arguments", [(), ("review",), ("review", "b06c")], ids=" ".join)
def test_the_app_needs_a_terminal_and_says_what_scripts_have(
    discox: Command, sample: Path, arguments: tuple[str, ...]
) -> None:
    result = discox("--db", sample, *arguments)
    assert result.code == 1
    assert "discox list --json" in result.err


# --- ground, consistency, demo ---


def test_grounding_cases_give_lines_that_can_be_scored(discox: Command, tmp_path: Path) -> None:
    cases = {
        "documents": [{"id": "d", "source": builders.SOURCE, "translation": builders.TRANSLATION}],
        "cases": [
            {
                "id": "a",
                "document": "d",
                "direction": "zh-en",
                "category": "错译",
                "paragraph": "1",
                "explanation": "“变浅”译为“grows shallow”。",
            },
            {
                "id": "b",
                "document": "d",
                "direction": "zh-en",
                "category": "风格",
                "paragraph": "",
                "explanation": "没有引文。",
            },
        ],
    }
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases, ensure_ascii=False), encoding="utf-8")
    result = discox("ground", file)
    assert (result.code, result.err) == (0, "")
    first, second = map(strict, result.out.splitlines())
    assert first["id"] == "a"
    (start, end), *_ = first["source_spans"]
    assert builders.SOURCE[start:end] == "变浅"
    (start, end), *_ = first["translation_spans"]
    assert builders.TRANSLATION[start:end] == "grows shallow"
    assert (second["id"], second["source_spans"], second["translation_spans"]) == ("b", [], [])


@pytest.mark.parametrize("text", [None, "", "[1]", '{"documents": []}', "[" * 100_000])
def test_a_file_of_cases_that_is_none_is_one_line(discox: Command, tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "cases.json"
    if text is not None:
        file.write_text(text)
    result = discox("ground", file)
    assert (result.code, result.out) == (1, "")
    assert result.err.count("\n") == 1
    assert str(file) in result.err


def test_the_worked_grounding_cases_are_scored_well(discox: Command, shared: Path, tmp_path: Path) -> None:
    folder = shared / "cases" / "grounding"
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(discox("ground", folder / "cases.json").out, encoding="utf-8")
    scored = subprocess.run(
        [sys.executable, str(folder / "score.py"), str(folder / "cases.json"), str(predictions)],
        capture_output=True,
        text=True,
        check=True,
    )
    acceptable = next(line for line in scored.stdout.splitlines() if "acceptable" in line)
    assert any(float(word) >= 0.9 for word in acceptable.replace(":", " ").replace(",", " ").split() if "." in word)


def test_locating_again_changes_no_verdict_and_nothing_else(discox: Command, sample: Path) -> None:
    before = dump(sample)
    result = discox("ground", "--db", sample)
    assert result.code == 0
    assert "located the errors of 0 evaluations" in result.err
    assert dump(sample) == before


def figures(plain: Any) -> Iterator[dict[str, Any]]:
    if isinstance(plain, dict):
        if "value" in plain:
            yield plain
        for part in plain.values():
            yield from figures(part)
    elif isinstance(plain, list):
        for part in plain:
            yield from figures(part)


@pytest.mark.parametrize("words", [(), ("--reviewer", "okafor"), ("zh-en",), ("nothing", "at", "all")], ids=" ".join)
def test_every_figure_is_a_number_or_says_why_not(discox: Command, sample: Path, words: tuple[str, ...]) -> None:
    result = discox("consistency", "--db", sample, "--json", *words)
    assert (result.code, result.err) == (0, "")
    found = list(figures(strict(result.out)))
    assert len(found) > 20
    for figure in found:
        assert (figure["value"] is None) == bool(figure.get("why")), figure
    if "nothing" in words:
        assert all(figure["value"] in (None, 0) for figure in found)


def test_what_a_judge_failed_on_is_in_no_figure(discox: Command, tmp_path: Path) -> None:
    """Two libraries, one with reviewed evaluations more that have no claimed score, give the same figures."""
    reports = []
    for more in (False, True):
        database = tmp_path / f"{more}.db"
        connection = open_library(database)
        log = ReviewLog(connection, "lin")
        states = [("a", "scored"), ("b", "scored")]
        states += [("c", "judge_failed"), ("d", "instruction_failed"), ("e", "no_translation")] if more else []
        for system, state in states:
            identity = builders.add(connection, system=system, state=state)
            for number, stored in enumerate(read_evaluation(connection, identity).errors):
                log.decide(identity, stored.id, decision="not_an_error" if number % 2 else "agree")
            log.set_state(identity, "done")
        connection.close()
        reports.append(strict(discox("consistency", "--db", database, "--json").out))
        for cell in reports[-1]["pairwise"]:
            cell.pop("left_out")
    few, many = reports
    counted = {name for name in few if few[name] != many[name]}
    assert counted <= {"evaluations", "left_out", "scores_left_out"}
    assert sum(many["left_out"].values()) == 3


def test_the_demo_without_a_terminal_prints_the_report(discox: Command) -> None:
    result = discox("demo")
    assert result.code == 0
    assert "no terminal here" in result.err
    assert "Precision" in result.out
    assert "heron-14b" in result.out


# --- databases that are none ---


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE things (a)")
        connection.commit()


def newer(path: Path) -> None:
    open_library(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def damaged(path: Path) -> None:
    with closing(open_library(path)) as connection:
        for number in range(40):
            builders.add(connection, system=f"s{number}")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    for start in range(4096, len(data), 4096):
        data[start : start + 2000] = os.urandom(2000)
    path.write_bytes(bytes(data))


BAD = {
    "absent": (lambda path: None, "there is no database here; import something first, or add candidates"),
    "a folder": (lambda path: path.mkdir(), "is a folder, not a database file"),
    "another program's": (foreign, "of another program"),
    "newer": (newer, "newer discox"),
    "damaged": (damaged, "damaged"),
    "no database": (
        lambda path: path.write_bytes(b"not SQLite at all, but longer than a header " * 40),
        "not an SQLite",
    ),
    "cut off": (lambda path: path.write_bytes(b"SQLite format 3\0" + b"\0" * 500), ""),
}


@pytest.mark.parametrize(("make", "said"), BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize(
    "command", [("list",), ("consistency",), ("show", "b06c"), ("verdicts", "export", "-")], ids=" ".join
)
def test_a_database_that_cannot_be_used_is_one_line_and_not_touched(
    discox: Command, tmp_path: Path, make: Any, said: str, command: tuple[str, ...]
) -> None:
    database = tmp_path / "a.db"
    make(database)
    before = database.read_bytes() if database.is_file() else None
    result = discox("--db", database, *command)
    assert result.code == 1
    assert result.err.startswith(f"discox: {database}: ")
    assert result.err.count("\n") == 1
    assert said in result.err
    assert before == (database.read_bytes() if database.is_file() else None)


def test_an_import_into_a_foreign_file_is_refused(discox: Command, sample_files: Path, tmp_path: Path) -> None:
    foreign(tmp_path / "a.db")
    before = (tmp_path / "a.db").read_bytes()
    result = discox("import", "--db", tmp_path / "a.db", sample_files)
    assert (result.code, result.out) == (1, "")
    assert "of another program" in result.err
    assert (tmp_path / "a.db").read_bytes() == before


def test_a_folder_that_cannot_be_made_is_one_line(discox: Command, sample_files: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = discox("import", "--db", tmp_path / "file" / "a.db", sample_files)
    assert result.code == 1
    assert result.err.count("\n") == 1


# --- as a program ---


def program(*arguments: object, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "discox_tui", *map(str, arguments)], capture_output=True, check=False, **more
    )


def test_the_program_exits_with_its_code(sample: Path, tmp_path: Path) -> None:
    assert program("list", "--db", sample).returncode == 0
    assert program("list", "--db", tmp_path / "none.db").returncode == 1
    assert program("nonsense").returncode == 2


def test_output_is_utf8_in_any_locale_and_a_closed_pipe_is_no_error(sample: Path) -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    shown = program("show", "--db", sample, "--json", "b06c", env=environment)
    assert shown.returncode == 0
    assert any(character >= "\u4e00" for character in json.loads(shown.stdout.decode("utf-8"))["source"])
    command = f'"{sys.executable}" -m discox_tui list --json --db "{sample}" | head -c 1'
    piped = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert (piped.stdout, piped.stderr) == (b"[", b"")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no arguments that are not text")
@pytest.mark.parametrize(
    "arguments",
    [
        ["show", b"\xff"],
        ["list", b"\xff"],
        ["--reviewer", b"\xff", "list"],
        ["--db", b"\xff/a.db", "list"],
        ["import", b"\xff"],
        ["consistency", b"\xff"],
        ["ground", b"\xff"],
        ["verdicts", "export", b"\xff/x"],
    ],
    ids=repr,
)
def test_arguments_that_are_no_text_cause_no_traceback(sample: Path, arguments: list[str | bytes]) -> None:
    given = [argument if isinstance(argument, bytes) else os.fsencode(argument) for argument in arguments]
    environment = os.environ | {"DISCOX_DB": str(sample)}
    result = subprocess.run(
        [os.fsencode(sys.executable), b"-m", b"discox_tui", *given], capture_output=True, check=False, env=environment
    )
    assert b"Traceback" not in result.stderr
    assert result.returncode in (0, 1)
    assert result.stderr.count(b"\n") <= 1
    result.stderr.decode("utf-8")


def test_many_words_are_a_filter_like_few(discox: Command, sample: Path) -> None:
    few = discox("list", "law-01", "aurora", "--db", sample, "--json").out
    many = ["law-01", "aurora", *(letter for letter in "auror7law0")]
    assert discox("list", *many, "--db", sample, "--json").out == few
    assert json.loads(discox("list", *many, "%", "--db", sample, "--json").out) == []


def test_a_whole_id_is_one_also_where_it_begins_another() -> None:
    ids = ("ab", "abc", "abd", "AB")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE evaluations (id TEXT)")
        connection.executemany("INSERT INTO evaluations VALUES (?)", [(identity,) for identity in ids])
        assert [resolve(connection, identity) for identity in ids] == [*ids]
        for given in ("a", "", "abx"):
            with pytest.raises(StorageError):
                resolve(connection, given)
    assert [named_by(given, ids) for given in ("ab", "abc", "a", "x", "")] == [["ab"], ["abc"], [*ids[:3]], [], []]


def test_both_domains_of_an_article_are_shown_and_found(discox: Command, sample: Path) -> None:
    row = next(row for row in rows_of(discox, "--db", sample) if row["subdomain"])
    assert row["subdomain"] != row["domain"]
    both = f"{row['domain']} / {row['subdomain']}"
    assert both in discox("show", row["id"], "--db", sample).out
    assert both in discox("list", "--db", sample).out
    assert row["id"] in {each["id"] for each in rows_of(discox, "--db", sample, *row["subdomain"].split())}
