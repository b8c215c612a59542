"""``discox build`` from a user's files to candidates: what arrives, what is said of each, who is to decide on it."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.benchmark.candidates import articles, candidate, candidates
from storage.benchmark.log import BuildLog
from storage.integrity.opening import open_library
from tests.conftest import Command, Result
from tests.support.tables import dump

FERRY = "渡船每晚过江，船上的人很少。老人在船头坐着，看着对岸的灯火。他说江是不会等人的，水也不会。\n"
LONG = "".join(f"第{number}夜，{FERRY}" for number in range(1, 40)).strip()
RUBRIC = "考点1：“渡船”应译为“ferry”，不可译为“boat”。\n考点2：“江”应译为“river”。"
ENGLISH = " ".join(f"On night {number} the ferry crossed the river with hardly anyone aboard." for number in range(150))


def rows(*items: dict[str, Any]) -> str:
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def an_item(key: str = "ferry", **more: Any) -> dict[str, Any]:
    return {"article": key, "source": LONG, "direction": "zh-en", "domain": "Literature", "rubric": RUBRIC, **more}


Build = Callable[..., Result]


@pytest.fixture
def build(discox: Command, tmp_path: Path) -> Build:
    """Run a command of ``discox build`` on one library, as ana unless another is named."""

    def command(name: str, *arguments: object, person: str = "ana") -> Result:
        return discox("build", name, "--db", tmp_path / "a.db", "--reviewer", person, *arguments)

    return command


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a file for a command to read."""

    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


Write = Callable[[str, str], Path]


def listed(build: Build) -> dict[str, dict[str, Any]]:
    result = build("list", "--json")
    assert (result.code, result.err) == (0, "")
    return {item["key"]: item for item in json.loads(result.out)}


def sums(result: Result) -> tuple[int, int, int, int]:
    report = json.loads(result.out)
    return report["rows"], report["stored"], report["unchanged"], report["left_out"]


def a_workbook(path: Path, table: Iterable[Iterable[str]]) -> Path:
    with closing(xlsxwriter.Workbook(path)) as book:
        sheet = book.add_worksheet()
        for number, cells in enumerate(table):
            sheet.write_row(number, 0, cells)
    return path


def a_document(path: Path, paragraphs: Iterable[str]) -> Path:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return path


# --- add ----------------------------------------------------------------------------------------------------------


def test_every_kind_of_file_gives_the_same_candidate(build: Build, file: Write, tmp_path: Path) -> None:
    columns = ["article", "source", "direction", "domain", "rubric", "origin", "licence"]
    cells = [LONG, "zh→en", "Literature", RUBRIC, "a village paper", "CC0"]
    flat = LONG.replace("\n", " ")
    quoted = [f'"{cell}"'.replace("\n", "\n") for cell in ("csv", *cells)]
    files = [
        file("a.jsonl", rows(an_item("jsonl", origin="a village paper", license="CC0"))),
        file("b.csv", ",".join(columns) + "\n" + ",".join(quoted) + "\n"),
        a_workbook(tmp_path / "c.xlsx", [columns, ["xlsx", *cells]]),
        file("txt.txt", f"{LONG}\n\n考点：\n{RUBRIC}\n"),
        file("md.md", f"{LONG}\n\n{RUBRIC}\n"),
        a_document(tmp_path / "docx.docx", [*LONG.split("\n"), "Rubric points", *RUBRIC.split("\n")]),
        file("d.json", json.dumps([{"prompt_id": 8, "ori_text": LONG, "reference_list": RUBRIC}])),
    ]
    options = ("--direction", "zh-en", "--domain", "Literature", "--origin", "a village paper", "--licence", "CC0")
    result = build("add", "--json", *options, *files)
    assert (result.code, result.err, sums(result)) == (0, "", (7, 7, 0, 0))
    with closing(open_library(tmp_path / "a.db")) as connection:
        found = candidates(connection, "ana")
        texts = articles(connection, found)
    assert [each.key for each in found] == ["jsonl", "csv", "xlsx", "txt", "md", "docx", "8"]
    for each in found:
        assert (each.direction, each.domain) == ("zh-en", "Literature")
        assert (each.origin, each.licence) == ("a village paper", "CC0")
        first, second = each.version.points
        assert (first.term, first.expected, first.forbidden) == ("渡船", ("ferry",), ("boat",))
        assert (second.number, second.term, second.expected) == (2, "江", ("river",))
        assert texts[each.key].source in (LONG, flat)


def test_points_can_be_given_taken_apart(build: Build, file: Write, tmp_path: Path) -> None:
    points = [
        {"type": "Keyword", "term": "渡船", "expected": ["ferry"], "forbidden": "boat"},
        "“江”应译为“river”。",
        {"type": "culture", "term": "灯火", "expected": ["lights", "lamps"]},
    ]
    as_json = an_item("json", points=points)
    del as_json["rubric"]
    as_text = as_json | {"article": "text", "points": json.dumps(points, ensure_ascii=False)}
    english = {
        "article": "en",
        "source": ENGLISH,
        "direction": "en-de",
        "points": [{"term": "ferry", "expected": "Fähre"}],
    }
    assert build("add", file("a.jsonl", rows(as_json, as_text, english))).code == 0
    with closing(open_library(tmp_path / "a.db")) as connection:
        one, other, third = candidates(connection, "ana")
        texts = articles(connection, [one, third])
    assert one.version.points == other.version.points
    assert [point.type for point in one.version.points] == ["keyword", None, "culture"]
    assert one.version.points[0].forbidden == ("boat",)
    assert texts["json"].rubric_text == "\n".join(f"考点{point.number}：{point.text}" for point in one.version.points)
    assert [point.text for point in third.version.points] == ["“ferry” should be translated as “Fähre”."]


def test_adding_again_changes_nothing(build: Build, file: Write, tmp_path: Path) -> None:
    path = file("a.jsonl", rows(an_item(), an_item("other", source=LONG[100:])))
    assert sums(build("add", "--json", path)) == (2, 2, 0, 0)
    before = dump(tmp_path / "a.db")
    assert sums(build("add", "--json", path)) == (2, 0, 2, 0)
    assert dump(tmp_path / "a.db") == before


def test_what_is_wrong_is_said_by_line_and_field_and_the_rest_arrives(build: Build, file: Write) -> None:
    good = json.dumps(an_item(), ensure_ascii=False)
    bad = [
        "{broken",
        json.dumps({"article": "no text", "source": " ", "direction": "zh-en"}),
        json.dumps({"source": "x", "direction": "zh-en"}),
        json.dumps({"article": "no direction", "source": "x"}),
        json.dumps({"article": "list", "source": ["x"], "direction": "zh-en"}),
        json.dumps({"article": "rubric", "source": "x", "direction": "zh-en", "rubric": {"first": "a"}}),
        json.dumps({"article": "type", "source": "x", "direction": "zh-en", "points": [{"type": "tone", "term": "x"}]}),
        json.dumps({"article": "field", "source": "x", "direction": "zh-en", "points": [{"word": "x"}]}),
        json.dumps({"article": "empty", "source": "x", "direction": "zh-en", "points": [{"type": "keyword"}]}),
        json.dumps({"article": "json", "source": "x", "direction": "zh-en", "points": '[{"x'}),
        json.dumps(
            {"article": "twice", "source": "x", "direction": "zh-en", "points": [{"term": "x", "number": 2}] * 2}
        ),
        json.dumps({"prompt_id": True, "ori_text": "江水"}),
        json.dumps({"prompt_id": 9, "ori_text": None}),
    ]
    result = build("add", "--json", file("a.jsonl", "\n".join([*bad, good, good.replace("第1夜", "第一夜")]) + "\n"))
    report = json.loads(result.out)
    assert (result.code, sums(result)) == (0, (15, 1, 0, 14))
    notes = report["files"][0]["notes"]
    assert [(each["line"], each["field"]) for each in notes] == [
        (1, None),
        *[(2, "source"), (3, "article"), (4, "direction"), (5, "source"), (6, "rubric"), (7, "points"), (8, "points")],
        *[(9, "points"), (10, "points"), (11, "points"), (12, "prompt_id"), (13, "ori_text"), (15, "article")],
    ]
    assert all(";" in each["message"] for each in notes)
    assert "'tone' is none of grammar, keyword, terminology, culture, proper_noun, wordplay" in notes[6]["message"]
    assert "line 14 of this file" in notes[-1]["message"]
    assert list(listed(build)) == ["ferry"]


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a.jsonl", rows({"article": "x", "source": "x", "translation": "y"}), "`discox import` reads it"),
        ("a.csv", "article,body\nx,y\n", "has no column source"),
        ("a.txt", "  \n", "is empty"),
        ("a.txt", RUBRIC, "no text before them"),
        ("a.zip", "", "is empty"),
        ("a.xlsx", "PK\x03\x04", "no whole zip file"),
        ("none.txt", None, "check the name"),
        ("a.docx", "x", "is no DOCX file"),
        ("a.txt", "{\\rtf1 x}", "is RTF"),
        ("a.text", '[{"source": 1}]', "looks like JSON"),
    ],
)
def test_a_file_that_is_none_is_said_in_a_line(
    build: Build, tmp_path: Path, name: str, content: str | None, what: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    result = build("add", "--direction", "zh-en", tmp_path / name)
    assert result.code == 1
    assert what in result.err
    assert name in result.err
    assert result.err.count("\n") == 1


def test_other_encodings_are_named(build: Build, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(LONG.encode("gb18030"))
    assert "GB18030" in build("add", "--direction", "zh-en", tmp_path / "a.txt").err


def test_another_text_under_the_same_name_waits_for_a_word(build: Build, file: Write, tmp_path: Path) -> None:
    build("add", file("a.jsonl", rows(an_item())))
    changed = file("b.jsonl", rows(an_item(source=LONG + "完。", licence="CC0")))
    result = build("add", changed)
    assert "b.jsonl:1: left out: article: ferry is a candidate already, with another text or other points" in result.out
    assert listed(build)["ferry"]["versions"] == 1
    assert sums(build("add", "--json", "--revise", changed)) == (1, 1, 0, 0)
    assert (listed(build)["ferry"]["version"], listed(build)["ferry"]["licence"]) == (2, "CC0")
    assert sums(build("add", "--json", "--revise", changed)) == (1, 0, 1, 0)
    # The file of the first version, given again, does not undo the second.
    for options in ((), ("--revise",)):
        assert sums(build("add", "--json", *options, tmp_path / "a.jsonl")) == (1, 0, 1, 0)
    assert listed(build)["ferry"]["version"] == 2
    assert sums(build("add", "--json", "--revise", "--origin", "a paper", changed)) == (1, 1, 0, 0)
    assert (listed(build)["ferry"]["version"], listed(build)["ferry"]["origin"]) == (3, "a paper")


def test_a_folder_gives_its_files_and_passes_over_others(build: Build, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "one.txt").write_text(LONG, encoding="utf-8")
    (folder / "two.docx").write_bytes(b"no document")
    (folder / "three.png").write_bytes(b"\x89PNG")
    result = build("add", "--direction", "zh-en", folder)
    assert (result.code, list(listed(build))) == (0, ["one"])
    assert "passed over" in result.err


def test_a_name_that_the_library_has_for_something_else_is_told(
    build: Build, discox: Command, file: Write, tmp_path: Path
) -> None:
    item = {"prompt_id": 8, "ori_text": LONG, "reference_list": RUBRIC}
    discox("import", "--db", tmp_path / "a.db", file("a.json", json.dumps([item])))
    result = build("add", file("b.json", json.dumps([item | {"ori_text": LONG + "完。"}])))
    assert "1 other article(s) called 8" in result.out
    assert "near_duplicate" in result.out


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["article", "source", "direction", "rubric", "points", "ori_text", "prompt_id", "x"]),
            st.one_of(st.none(), st.integers(), st.text(max_size=12), st.lists(st.text(max_size=5), max_size=2)),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_whatever_a_file_holds_the_rows_add_up(
    discox: Command, tmp_path_factory: pytest.TempPathFactory, items: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "a.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    reports = []
    for _ in range(2):
        result = discox("build", "add", "--db", folder / "a.db", "--json", "--direction", "zh-en", folder / "a.jsonl")
        reports.append(json.loads(result.out))
        assert reports[-1]["rows"] == sum(reports[-1][name] for name in ("stored", "unchanged", "left_out"))
    assert reports[1]["stored"] == 0
    assert reports[0]["left_out"] == reports[1]["left_out"]


# --- check --------------------------------------------------------------------------------------------------------


def checked(build: Build, *arguments: object) -> dict[str, list[dict[str, Any]]]:
    return {each["key"]: each["findings"] for each in json.loads(build("check", "--json", *arguments).out)}


def test_texts_and_points_are_checked_when_they_come_and_whenever_asked(build: Build, file: Write) -> None:
    bad_points = RUBRIC + "\n考点3：“灯塔”应译为“lighthouse”。\n考点4：译文应自然流畅。"
    items = [
        an_item("good"),
        an_item("short", source=FERRY),
        an_item("english", source=ENGLISH),
        an_item("points", source=LONG[500:] + LONG[:480], rubric=bad_points),
    ]
    result = build("add", "--json", file("a.jsonl", rows(*items)))
    found = {each["key"]: each["findings"] for each in json.loads(result.out)["checks"]}
    assert found == checked(build)
    codes = {key: {(each["about"], each["code"]) for each in each_found} for key, each_found in found.items()}
    assert ("text", "length") in codes["short"]
    assert ("text", "language") in codes["english"]
    assert {("points", "term_absent"), ("points", "uncheckable")} <= codes["points"]
    assert ("twin", "near_duplicate") in codes["good"] & codes["points"]
    assert all(each["message"] and each["mend"] for each_found in found.values() for each in each_found)
    text = build("check", "short").out
    assert "blocks: length: " in text
    assert text.endswith("1 candidate checked: 1 with what blocks, 1 with what warns\n") or "1 with what blocks" in text
    assert build("check", "short").code == 1
    assert build("add", file("a.jsonl", rows(*items))).out.endswith("unchanged + 0 left out\n")  # nothing new to check


def test_a_finding_can_be_called_all_right_and_stays_so_while_its_words_stand(
    build: Build, file: Write, tmp_path: Path
) -> None:
    build("add", file("a.jsonl", rows(an_item("short", source=FERRY, licence="CC0"))))
    (finding,) = [each for each in checked(build)["short"] if each["code"] == "length"]
    assert build("check", "short", "--all-right", finding["id"]).code == 2
    assert "no finding" in build("check", "short", "--all-right", "ffffffffff", "--why", "x").err
    assert build("check", "short", "--all-right", finding["id"][:8], "--why", "a poem").code == 0
    (finding,) = [each for each in checked(build)["short"] if each["code"] == "length"]
    assert (finding["all_right"]["person"], finding["all_right"]["why"]) == ("ana", "a poem")
    assert "All right, says ana: a poem" in build("check").out
    assert build("check").code == 0
    assert listed(build)["short"]["checks"]["all_right"] == 1
    with closing(open_library(tmp_path / "a.db")) as connection:
        BuildLog(connection, "ben").revise("short", source=FERRY[:-10])
    assert build("check").code == 1


def test_near_duplicates_are_looked_for_in_the_library_and_in_files(
    build: Build, discox: Command, file: Write, tmp_path: Path
) -> None:
    build("add", file("a.jsonl", rows(an_item())))
    assert not [each for each in checked(build)["ferry"] if each["about"] == "twin"]
    others = [{"prompt_id": number, "ori_text": f"{number} is about something else."} for number in range(3)]
    known = file("known.json", json.dumps([*others, {"prompt_id": 8, "ori_text": LONG[50:]}]))
    (twin,) = [each for each in checked(build, "--against", known)["ferry"] if each["about"] == "twin"]
    assert (twin["other"], twin["severity"]) == ("8 of known.json", "blocks")
    discox("import", "--db", tmp_path / "a.db", known)
    (twin,) = [each for each in checked(build)["ferry"] if each["about"] == "twin"]
    assert twin["other"] == "article 8 of the library"
    assert build("check", "--against", file("none.jsonl", "{}\n")).code == 1


# --- list and assign ----------------------------------------------------------------------------------------------


def test_the_list_says_how_far_each_is(build: Build, file: Write, tmp_path: Path) -> None:
    assert build("list").code == 1  # there is no library yet
    build("add", file("a.jsonl", rows(an_item(), an_item("[b]odd\x1b[31m", source=LONG[::-1]))))
    with closing(open_library(tmp_path / "a.db")) as connection:
        BuildLog(connection, "ben").decide("ferry", "reject", "everybody knows it")
    ferry = listed(build)["ferry"]
    assert (ferry["outcome"], ferry["points"], ferry["domain"]) == ("rejected", 2, "Literature")
    assert [(each["person"], each["reason"]) for each in ferry["decisions"]] == [("ben", "everybody knows it")]
    text = build("list").out
    assert "ben reject" in text
    assert "\x1b" not in text
    assert "2 candidates: 1 rejected, 1 undecided" in text
    assert build("list", "ferry", "--json").out.count('"key"') == 1
    assert "no such candidate" in build("list", "hare").err


def test_candidates_are_dealt_out_and_an_overlap_is_decided_on_unseen(
    build: Build, file: Write, tmp_path: Path
) -> None:
    items = [an_item(f"a{n:02}", source=FERRY * (n + 1), domain=("x", "y")[n % 2]) for n in range(12)]
    build("add", file("a.jsonl", rows(*items)))
    assert "nothing is assigned yet" in build("assign").out
    assert build("assign", "--people", "ana,ben", "--json").code == 1, "nothing was filtered"
    options = ("assign", "--people", "ana,ben", "--overlap", 0.5, "--json", "--exception", "a pilot")
    dry = json.loads(build(*options, "--dry-run").out)
    made = json.loads(build(*options).out)
    assert dry["people"] == made["people"]
    assert (dry["kept"], made["kept"]) == (False, True)
    assert Counter(map(len, made["people"].values())) == {1: 6, 2: 6}
    assert Counter(name for names in made["people"].values() for name in names) == {"ana": 9, "ben": 9}
    assert build(*options).code == 1
    assert build(*options, "--again").code == 0
    both = next(key for key, names in made["people"].items() if len(names) == 2)
    with closing(open_library(tmp_path / "a.db")) as connection:
        BuildLog(connection, "ana").decide(both, "accept")
        seen = candidate(connection, both, "ben")
    assert seen is not None
    assert listed(build)[both]["decisions"][0]["decision"] == "accept"
    for person in ("ben", "cleo"):
        result = json.loads(build("list", both, "--json", person=person).out)[0]
        assert (result["decisions"], result["outcome"], result["waiting"]) == ([], "undecided", ["ben"])
    assert json.loads(build("assign", "--json").out) == [
        {"person": "ana", "assigned": 9, "decided": 1},
        {"person": "ben", "assigned": 9, "decided": 0},
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--people", "ana,ana"),
        ("--people", "ana,"),
        ("--people", "ana:again"),
        ("--people", "ana", "--overlap", 0.5),
        ("--people", "ana,ben", "--overlap", 2),
        ("--people", "ana", "--seed", -1),
    ],
)
def test_people_and_shares_that_make_no_sense_are_refused(build: Build, wrong: tuple[object, ...]) -> None:
    assert build("assign", *wrong).code == 2


# --- quotas -------------------------------------------------------------------------------------------------------


def test_quotas_are_set_and_their_balance_is_in_view(build: Build, file: Write, tmp_path: Path) -> None:
    items = [an_item(f"a{n}", source=FERRY * (n + 1), domain=("Law", "Prose")[n % 2]) for n in range(6)]
    build("add", file("a.jsonl", rows(*items)))
    assert "there are no quotas yet" in build("quotas").out
    asked = file("q.toml", '[[quotas]]\nwanted = 5\ndomain = "law"\n[[quotas]]\nwanted = 1\ndirection = "en-zh"\n')
    with closing(open_library(tmp_path / "a.db")) as connection:
        BuildLog(connection, "ben").decide("a0", "accept")
        BuildLog(connection, "ben").decide("a1", "reject", "dull")
    report = json.loads(build("quotas", "--json", asked).out)
    numbers = [[each[name] for name in ("wanted", "accepted", "open", "short", "lacking")] for each in report["quotas"]]
    assert numbers == [[5, 1, 2, 4, 2], [1, 0, 0, 1, 1]]
    assert report["outside"] == {"accepted": 0, "open": 2}
    assert json.loads(build("quotas", "--json").out) == report
    same = file("q.json", json.dumps({"quotas": [{"wanted": 5, "domain": "law"}, {"wanted": 1, "direction": "en-zh"}]}))
    assert json.loads(build("quotas", "--json", same).out) == report
    text = build("quotas").out
    assert "together" in text
    assert "17%" in text  # 1 of 6 was asked for in another direction
    report = json.loads(build("quotas", "--json", "discox", "--articles", 50).out)
    assert sum(each["wanted"] for each in report["quotas"]) == 50
    assert {each["direction"] for each in report["quotas"]} == {"zh-en"}


def test_the_length_that_is_asked_for_is_the_teams(build: Build, file: Write) -> None:
    build("add", file("a.jsonl", rows(an_item(), an_item("fr", source=ENGLISH, direction="fr-en"))))
    assert "length" not in {each["code"] for each in checked(build)["ferry"]}
    assert json.loads(build("quotas", "--json", "--least", "zh=9000", "--least", "fr=10tokens").out)["least"] == {
        "zh": [9000, "characters"],
        "fr": [10, "tokens"],
    }
    assert "length" in {each["code"] for each in checked(build)["ferry"]}
    assert "length" not in {each["code"] for each in checked(build)["fr"]}
    assert "articles in fr should have 10 tokens at least" in build("quotas").out


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("q.toml", "[[quotas]]\nwanted = -1\n", "quota 1: “wanted”"),
        ("q.toml", "[[quotas]\n", "q.toml: "),
        ("q.json", "{", "q.json: "),
        ("q.json", "{}", "quotas are a list"),
        ("q.toml", None, "check the name, or say discox"),
    ],
)
def test_quotas_that_are_none_are_named(
    build: Build, file: Write, tmp_path: Path, name: str, content: str | None, what: str
) -> None:
    build("add", file("a.jsonl", rows(an_item())))
    if content is not None:
        file(name, content)
    result = build("quotas", tmp_path / name)
    assert (result.code, result.err.count("\n")) == (1, 1)
    assert what in result.err


@pytest.mark.parametrize(
    "wrong", [("--least", "fr"), ("--least", "fr=9miles"), ("--articles", 3), ("discox", "--articles", 0)]
)
def test_lengths_and_numbers_that_make_no_sense_are_refused(build: Build, wrong: tuple[object, ...]) -> None:
    assert build("quotas", *wrong).code == 2


# --- one reader of points at every entrance -----------------------------------------------------------------------


def test_every_entrance_reads_points_alike(build: Build, discox: Command, file: Write, tmp_path: Path) -> None:
    lines = [
        "“渡船”应译为“ferry”，不可译为“boat”。",
        "专有名词：“江”应译为“the River”。",
        "“灯火”应译为“lights”或“lamps”。",
    ]
    text = "\n".join(f"考点{n}：{line}" for n, line in enumerate(lines, 1))
    objects = [{"number": n, "text": line} for n, line in enumerate(lines, 1)]
    given: dict[str, dict[str, Any]] = {
        "rubric text": {"rubric": text},
        "rubric list": {"rubric": lines},
        "rubric objects": {"rubric": objects},
        "points text": {"points": text},
        "points list": {"points": lines},
        "points objects": {"points": objects},
        "points JSON": {"points": json.dumps(objects)},
        "points by number": {"points": {f"考点{n}": line for n, line in enumerate(lines, 1)}},
    }
    bare = {"source": LONG, "direction": "zh-en"}
    named = [{"article": key, **bare, **each} for key, each in given.items()]
    discoxs = [
        {"prompt_id": f"list {n}", "ori_text": LONG, "reference_list": v} for n, v in enumerate((text, lines, objects))
    ]
    table = "article,source,direction,points\n" + f'csv,"{LONG}",zh-en,"{text}"\n'
    files = [file("a.jsonl", rows(*named)), file("b.csv", table), file("doc.txt", f"{LONG}\n\n{text}\n")]
    files.append(file("c.json", json.dumps(discoxs)))
    assert sums(build("add", "--json", "--direction", "zh-en", "--licence", "CC0", *files)) == (13, 13, 0, 0)
    with closing(open_library(tmp_path / "a.db")) as connection:
        found = {each.key: each.version.points for each in candidates(connection, "ana")}
    first = found["rubric text"]
    assert [(point.term, point.expected, point.type) for point in first] == [
        ("渡船", ("ferry",), None),
        ("江", ("the River",), "proper_noun"),
        ("灯火", ("lights", "lamps"), None),
    ]
    assert {key: points for key, points in found.items() if points != first} == {}
    codes = {key: {one["code"] for one in each if one["about"] == "points"} for key, each in checked(build).items()}
    assert set(map(frozenset, codes.values())) == {frozenset({"untyped"})}, "no layout brings a finding of its own"
    other = tmp_path / "b.db"
    assert discox("import", "--db", other, files[-1]).code == 0
    with closing(open_library(other)) as connection:
        said = connection.execute("SELECT number, text FROM rubric_points ORDER BY article_id, number").fetchall()
    assert said == [(n, line) for _ in range(3) for n, line in enumerate(lines, 1)]
