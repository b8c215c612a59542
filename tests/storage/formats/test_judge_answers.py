"""Answers of GEMBA, AutoMQM and InstructScore: what can be read arrives, nothing passes for “no errors”."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges.metric_s.schemes.mqm_answers import read_answer
from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Remark
from storage.formats.io.rows import LeftOut
from storage.importing.pipeline import import_answers, import_path
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.storage.formats.reading import read_as, sniffed

SOURCE = "The account holder said No to the Dog."
TEXT = "Der Mann sagte dem Hund Nein, und dem Hund nicht."
MQM = (
    'Critical:\nno-error\nMajor:\naccuracy/mistranslation - "nein"\naccuracy/omission - "the account holder"\n'
    'Minor:\nfluency/grammar - "dem hund"\nfluency/register - "nirgends"\n'
)
INSTRUCT = (
    "Error 1:\n- Error Type: Translation is missing content from the source\n- Major/Minor: Major\n"
    '- Error Location: "Kontoinhaber" (correct translation)\n- Explanation: e\ngoes on\n\n'
    '2. Error Type: Problems with grammar\n   Label: Minor\n   Error Location: "Nein" vs. "nicht"\n   Explanation: f'
)


def row(answer: object, **more: Any) -> dict[str, Any]:
    return {"source": SOURCE, "translation": TEXT, "system": "A", "answer": answer, **more}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def read(path: Path, **options: str) -> tuple[list[Annotation], list[LeftOut], list[Remark]]:
    items = list(read_as(path, "judge-answers", ReadOptions(**options)))  # type: ignore[arg-type]
    return (
        [i for i in items if isinstance(i, Annotation)],
        [i for i in items if isinstance(i, LeftOut)],
        [i for i in items if isinstance(i, Remark)],
    )


def test_gemba_s_lower_case_quotes_are_found_in_their_texts(tmp_path: Path) -> None:
    path = written(tmp_path, row(MQM))
    assert sniffed(path, "judge-answers")
    ((one,), left_out, _) = read(path)
    assert not left_out
    no, omitted, twice, nowhere = one.marks
    assert (no.category, no.severity) == ("accuracy/mistranslation", "major")
    assert TEXT[slice(*no.places[0][1:])] == "Nein"
    assert omitted.places[0].side == "source"
    assert SOURCE[slice(*omitted.places[0][1:])].lower() == "the account holder"
    assert "several times" in twice.unplaced
    assert nowhere.unplaced == "quotes what does not occur in the text"
    assert (one.annotator, one.human, one.metric, one.score) == ("GEMBA-MQM", False, "GEMBA-MQM", -12)
    assert one.unmarked[0].kept["answer"] == MQM


def test_a_score_of_its_own_scale_is_not_called_what_the_file_says_of_ours(discox: Command, tmp_path: Path) -> None:
    library = tmp_path / "a.db"
    assert discox("import", written(tmp_path, row(MQM)), "--db", library).code == 0
    (listed,) = json.loads(discox("list", "--json", "--db", library).out)
    shown = discox("show", listed["id"], "--db", library).out
    assert "    own: -12" in shown
    assert "stored" not in shown


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error", 0),
        ("Critical:\nMajor:\nMinor:\n", 0),
        ('Critical:\naccuracy/addition - "x"\nMajor:\nMinor:\nstyle/awkward - "y"', -25),
        ("Critical:\nMajor:\n" + 'style/awkward - "x"\n' * 4 + "Minor:\n" + 'style/awkward - "y"\n' * 9, -21),
        ('Critical:\nno-error\nMajor:\nno-error\nMinor:\nnon-translation - "x"', -25),
        ('{"improved translation": "x", "errors": {"critical": [], "major": [{"class": "style"}], "minor": []}}', -5),
    ],
)
def test_gemba_s_own_score(answer: str, score: float) -> None:
    assert read_answer(answer).score == score


def test_what_is_no_translation_is_critical_wherever_it_stands() -> None:
    (error,) = read_answer('Critical:\nno-error\nMajor:\nno-error\nMinor:\nnon-translation - "x"').errors
    assert (error.severity, error.kept) == ("critical", {"severity": "minor"})


def test_gemba_esa_has_its_score_beside_or_below(tmp_path: Path) -> None:
    answer = 'Major:\nstyle/awkward - "Nein"\nMinor:\nno-error'
    found, _, _ = read(written(tmp_path, row(answer, score=85), row(answer + "\nScore: 66")))
    assert [(a.metric, a.score) for a in found] == [("GEMBA-ESA", 85), ("GEMBA-ESA", 66)]


def test_a_section_that_an_answer_of_gemba_mqm_leaves_out_is_no_other_judge() -> None:
    answer = 'Major:\naccuracy/mistranslation - "x"\nMinor:\nno-error'
    assert (read_answer(answer).style, read_answer(answer).score) == ("GEMBA-ESA", None)
    read = read_answer(answer, "GEMBA-MQM")
    assert (read.style, read.score) == ("GEMBA-MQM", -5)


@pytest.mark.parametrize("answer", ["", " ", None, 7, "0", "I cannot judge this.", "Critical:", "[]", "{}", '{"a": 1}'])
def test_an_answer_that_cannot_be_read_is_left_out_and_never_clean(tmp_path: Path, answer: object) -> None:
    if answer == "{}":  # an object without errors says so
        assert read_answer(answer).clean
        return
    assert not read_answer(answer).readable
    found, left_out, _ = read(written(tmp_path, row(MQM), row(answer)))
    assert len(found) == 1
    assert [(out.line, out.code, out.field) for out in left_out] == [(2, "unreadable_answer", "answer")]


def test_the_readable_part_of_a_malformed_answer_arrives_and_the_rest_is_flagged(tmp_path: Path) -> None:
    broken = (
        '{"improved translation": "x", "errors": {"critical": [], "major": [{"class": "style", "span": "Nein"}, {"cl'
    )
    prose = 'Major:\naccuracy/addition - "Nein" (not in the source)\nOn the whole it reads well.\nMinor:\nno-error'
    found, left_out, remarks = read(written(tmp_path, row(prose), row(broken)))
    assert not left_out
    assert [a.marks[0].quote for a in found] == ["Nein", "Nein"]
    assert found[0].marks[0].note == "(not in the source)"
    assert [a.score for a in found] == [None, None]
    assert {remark.line for remark in remarks} == {1, 2}


def test_automqm_in_both_forms(tmp_path: Path) -> None:
    dashed = "Errors: 'Nein' - major/accuracy/mistranslation; \"Mann\" - minor/style"
    listed = '"Nein"; accuracy/mistranslation; major\n"Mann"; style; minor'
    found, _, remarks = read(written(tmp_path, row(dashed), row(listed), row("no-error")))
    assert not remarks
    for one in found[:2]:
        assert [(m.category, m.severity, m.quote) for m in one.marks] == [
            ("accuracy/mistranslation", "major", "Nein"),
            ("style", "minor", "Mann"),
        ]
        assert all(mark.places for mark in one.marks)
    assert [r.kind for r in found[2].unmarked] == ["clean"]
    assert {a.annotator for a in found} == {"AutoMQM"}


def test_a_list_of_errors_in_json_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    errors = [
        {"span": "Nein", "severity": "major", "category": "accuracy/mistranslation", "explanation": "why"},
        {"text": "Mann", "severity": "minor", "category": "style", "score": 3},
    ]
    whole = json.dumps(errors, ensure_ascii=False)
    answers = [whole, f"```json\n{whole}\n```", whole[:-30], '[{"foo": 1}]']
    found, left_out, remarks = read(written(tmp_path, *map(row, answers)))
    assert [(out.line, out.code) for out in left_out] == [(4, "unreadable_answer")]
    assert {remark.line for remark in remarks} == {3}
    for one in found[:2]:
        assert (one.annotator, one.score) == ("AutoMQM", None)
        assert [(m.category, m.severity, m.quote, m.note) for m in one.marks] == [
            ("accuracy/mistranslation", "major", "Nein", "why"),
            ("style", "minor", "Mann", ""),
        ]
        assert one.marks[1].kept == {"score": 3}
    assert found[2].marks[0].quote == "Nein"
    assert "clean" not in {row.kind for one in found for row in one.unmarked}


def test_instructscore_may_quote_the_reference(tmp_path: Path) -> None:
    found, _, remarks = read(written(tmp_path, row(INSTRUCT, reference="Der Kontoinhaber")), judge="IS-7B")
    assert not remarks
    (one,) = found
    assert [(m.severity, m.quote, m.note) for m in one.marks] == [
        ("Major", "Kontoinhaber", "e\ngoes on"),
        ("Minor", "Nein", "f"),
    ]
    assert one.marks[0].unplaced == "quotes the reference, not the translation"
    assert one.marks[1].places
    assert (one.annotator, one.score, one.metric) == ("IS-7B", -6, "InstructScore")


def test_rows_of_a_document_become_its_segments(tmp_path: Path) -> None:
    rows = [row(MQM, doc_id="d", segment=2), row(MQM, doc_id="e", segment=1), row(MQM, doc_id="d", segment=1)]
    rows[0]["translation"] = "Nein!"
    found, _, _ = read(written(tmp_path, *rows))
    assert [(a.document.article, len(a.document.segments), a.rows) for a in found] == [("d", 2, 2), ("e", 1, 1)]
    assert found[0].document.segments[1].translation == "Nein!"


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_tables_are_read_too(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "answers.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        table = csv.writer(file, delimiter=delimiter)
        table.writerow(["src", "MT", "System", "Response"])
        table.writerow([SOURCE, TEXT, "A", MQM])
    assert sniffed(path, "judge-answers")
    (one,), left_out, _ = read(path)
    assert (len(one.marks), left_out) == (4, [])


def test_quotation_marks_in_a_table_of_tabs_stay(tmp_path: Path) -> None:
    path = tmp_path / "answers.tsv"
    answer = "'Nein' - major/style"
    path.write_text(f'source\ttranslation\tsystem\tanswer\n"Yes"\t"Nein\tA\t{answer}\n"a ""b"""\tNein\tB\t{answer}\n')
    found, left_out, _ = read(path)
    assert not left_out
    texts = [(a.document.segments[0].source, a.document.segments[0].translation) for a in found]
    assert texts == [('"Yes"', '"Nein'), ('a "b"', "Nein")]


def test_a_row_without_texts_or_system_says_so(tmp_path: Path) -> None:
    rows = [row(MQM), row(MQM, translation=""), row(MQM, source=None), row(MQM, system="")]
    _, left_out, _ = read(written(tmp_path, *rows))
    assert [(out.line, out.field) for out in left_out] == [(2, "translation"), (3, "source"), (4, "system")]
    assert len(read(written(tmp_path, *rows[:1], rows[3]), system="X")[0]) == 2


def test_a_second_answer_of_a_judge_is_another_evaluation(tmp_path: Path) -> None:
    path = written(tmp_path, row(MQM, doc_id="d", segment=1), row("Critical:\nMajor:\nMinor:\n", doc_id="d", segment=1))
    connection = open_library(tmp_path / "library.db")
    report = import_path(connection, path)
    assert (report.format, report.rows, report.stored) == ("judge-answers", 2, 2)
    assert import_path(connection, path).unchanged == 2
    assert connection.execute("SELECT count(*) FROM evaluations").fetchone() == (2,)
    assert connection.execute("SELECT count(*) FROM findings").fetchone() == (4,)


pieces = st.sampled_from(
    ["Critical:", "Major:", "minor", "no-error", "\n", '"', "'", " - ", "; ", "/", "accuracy/omission", "Error Location:",
     "Label: Major", "{", "}", '"errors"', ": ", "[", "class", "1. ", "85", "```", "x"]
)  # fmt: skip
answers = st.lists(pieces | st.text(max_size=5), max_size=14).map("".join)


@given(answers)
def test_no_answer_raises_and_only_what_says_so_is_clean(answer: str) -> None:
    read_it = read_answer(answer)
    assert not (read_it.clean and (read_it.errors or read_it.unread))
    if read_it.clean:
        held = answer.lower()
        assert any(word in held for word in ("no", "none", "{", "minor"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(answers | st.none() | st.integers() | st.dictionaries(st.text(max_size=3), answers), max_size=5))
def test_no_row_raises_or_gets_lost(tmp_path: Path, given: list[object]) -> None:
    found, left_out, _ = read(written(tmp_path, *map(row, [MQM, *given])))
    assert sum(a.rows for a in found) + len(left_out) == len(given) + 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80), st.sampled_from([",", "\t", ";"]))
def test_no_table_raises(tmp_path: Path, text: str, delimiter: str) -> None:
    path = tmp_path / "any.csv"
    path.write_text(delimiter.join(["source", "translation", "answer", "system"]) + "\n" + text, "utf-8", "replace")
    list(read_as(path, "judge-answers", ReadOptions()))


@pytest.mark.parametrize(
    "answer", ["accuracy " * 2_000, " " * 16_000 + "x", "'a" * 4_000, "major" + " *" * 8_000 + "x"]
)
def test_long_answers_are_read_in_no_time(answer: str) -> None:
    assert not read_answer(f"Major:\n{answer}").clean


# --- answers alone, their texts in files beside ---


def laid(folder: Path, answers: str, sources: str = "Yes\nNo\n", translations: str = "Ja, ja\nNein\n") -> list[Path]:
    paths = [folder / "answers.txt", folder / "src.txt", folder / "Osprey.txt"]
    for path, text in zip(paths, (answers, sources, translations), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


GEMBA = 'Critical:\nno-error\nMajor:\naccuracy/addition - "{}"\n\nMinor:\nno-error\n'
PROMPT = (
    'You are evaluating German-to-English Machine translation task. The correct translation is "{}". The model generated '
    'translation is "{}". Please identify all errors within each model output, up to a maximum of five. For each error, '
    "please give me the corresponding error type, major/minor label, error location of the model generated translation "
    "and explanation for the error. Major errors can confuse or mislead the reader due to significant change in meaning, "
    "while minor errors don't lead to loss of meaning but will be noticed."
)
INSTRUCT_STREAM = (
    f"0\t{PROMPT.format('Ja', 'Ja, ja')} Your Translation contains 1 errors:\nError type 1: Wrong\nMajor/minor: Major\n"
    'Error location 1: "Ja, ja"\nExplanation for error 1: e[SEP_WENDA]'
    f"1\t{PROMPT.format('Nein', 'Nein')} Your Translation contains 0 errors:[SEP_WENDA]"
)


@pytest.mark.parametrize(
    ("answers", "style", "quotes"),
    [
        (GEMBA.format("ja, ja") + GEMBA.format("nein"), "GEMBA-MQM", ["ja, ja", "nein"]),
        ("\n---\n".join(GEMBA.format(q) for q in ("ja, ja", "nein")), "GEMBA-MQM", ["ja, ja", "nein"]),
        ('Major:\nstyle - "Ja, ja"\nMinor:\nno-error\n90\nMajor:\nMinor:\nstyle - "Nein"\n', "GEMBA-ESA", ["Ja, ja", "Nein"]),
        ("'Ja, ja' - major/style\n'Nein' - minor/style; \n", "AutoMQM", ["Ja, ja", "Nein"]),
        ('"Ja, ja"; style; major\n"ja"; style; minor\n\n\n"Nein"; style; minor\n', "AutoMQM", ["Ja, ja", "ja", "Nein"]),
        (json.dumps(GEMBA.format("ja, ja")) + "\n" + json.dumps("no-error"), "GEMBA-MQM", ["ja, ja"]),
        (json.dumps({"id": 1, "answer": GEMBA.format("nein")}) + "\n" + json.dumps({"answer": "no-error"}), "GEMBA-MQM", ["nein"]),
        (json.dumps([GEMBA.format("ja, ja"), "no-error"]), "GEMBA-MQM", ["ja, ja"]),
        (json.dumps([{"answer": GEMBA.format("ja")}, "no-error"], indent=1), "GEMBA-MQM", ["ja"]),
        (INSTRUCT_STREAM, "InstructScore", ["Ja, ja"]),
    ],
)  # fmt: skip
def test_streams_of_answers_go_with_the_lines_of_their_texts(
    tmp_path: Path, answers: str, style: str, quotes: list[str]
) -> None:
    path, *texts = laid(tmp_path, answers)
    connection = open_library(tmp_path / "library.db")
    alone = import_path(connection, path)
    assert f"answers of {style}" in alone.problem
    assert "discox import answers answers.txt SOURCE TRANSLATION" in alone.problem
    report = import_answers(connection, path, texts)
    assert (report.problem, report.rows, report.stored) == ("", 2, 2)
    found = connection.execute("SELECT DISTINCT system, judge, state FROM evaluations WHERE judge <> ''").fetchall()
    assert found == [("Osprey", style, "scored")]
    raws = connection.execute("SELECT raw FROM answers WHERE raw LIKE '[%' ORDER BY rowid").fetchall()
    assert [mark[4] for (raw,) in raws for mark in json.loads(raw)[4]] == quotes
    assert import_answers(connection, path, texts).unchanged == 2


def test_answers_and_lines_must_be_as_many(tmp_path: Path) -> None:
    path, *texts = laid(tmp_path, GEMBA.format("a") * 3)
    connection = open_library(tmp_path / "library.db")
    report = import_answers(connection, path, texts)
    assert "holds 3 answers, and src.txt has 2 lines" in report.problem
    assert "---" in report.problem
    path.write_text(GEMBA.format("a") + "---\n---\n", encoding="utf-8")
    report = import_answers(connection, path, texts)
    assert (report.stored, report.left_out) == (1, 1)
    assert [note.code for note in report.notes] == ["unreadable_answer", "unplaced"]


def test_members_of_a_list_have_their_lines(tmp_path: Path) -> None:
    path, *texts = laid(tmp_path, json.dumps([GEMBA.format("ja, ja"), {"answer": "so so", "n": 1}], indent=1))
    report = import_answers(open_library(tmp_path / "library.db"), path, texts)
    assert [(note.line, note.code) for note in report.notes if note.kind == "left_out"] == [(3, "unreadable_answer")]


def test_answers_about_other_translations_or_out_of_order_are_left_out(tmp_path: Path) -> None:
    path, *texts = laid(tmp_path, INSTRUCT_STREAM, translations="Ja, ja\nNeun\n")
    connection = open_library(tmp_path / "library.db")
    report = import_answers(connection, path, texts)
    assert [note.code for note in report.notes if note.kind == "left_out"] == ["other_text"]
    path, *texts = laid(tmp_path, INSTRUCT_STREAM.replace("1\tYou", "5\tYou"))
    report = import_answers(connection, path, texts)
    assert [note.code for note in report.notes if note.kind == "left_out"] == ["misnumbered"]


def test_one_answer_is_about_the_whole_texts_and_a_folder_has_a_file_for_each(tmp_path: Path) -> None:
    path, *texts = laid(tmp_path, GEMBA.format("nein"))
    connection = open_library(tmp_path / "library.db")
    assert import_answers(connection, path, texts).stored == 1
    assert connection.execute("SELECT text FROM translations").fetchall() == [("Ja, ja\nNein",)]  # fmt: skip
    folders = [tmp_path / name for name in ("answers", "sources", "Heron")]
    for folder, text in zip(folders, (GEMBA.format("nein"), "No\nno", "Nein\nnein"), strict=True):
        folder.mkdir()
        (folder / "doc1.txt").write_text(text, encoding="utf-8")
    (folders[0] / "doc2.txt").write_text(GEMBA.format("x"), encoding="utf-8")
    report = import_answers(connection, folders[0], folders[1:])
    assert (report.stored, report.left_out) == (1, 1)
    assert report.notes[-1].field == "doc2.txt"
    query = "SELECT DISTINCT article, system FROM evaluations WHERE system = 'Heron'"
    assert connection.execute(query).fetchall() == [("doc1", "Heron")]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(answers, max_size=6), st.sampled_from(["\n", "\n\n", "\n---\n", "[SEP_WENDA]"]))
def test_no_stream_of_answers_raises(tmp_path: Path, given: list[str], between: str) -> None:
    path = tmp_path / "any.txt"
    path.write_text("x" + between.join(given), "utf-8", "replace")
    sniffed(path, "judge-answers")
