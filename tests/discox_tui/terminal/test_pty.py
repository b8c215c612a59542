"""The bytes that the real program sends to a real terminal: its own sequences, and never a document's."""

from __future__ import annotations

import os
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from wcwidth import wcswidth

from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.support import builders
from tests.support.driving import library
from tests.support.nightly import at_night, by_day
from tests.support.tables import events

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pseudo-terminals")

if os.name == "posix":
    from tests.support.terminal import Terminal, running

TOKEN = "7654321"
"""Stands in every hostile sequence and in none of the program's own."""

PAYLOADS = (
    f"\x1b[{TOKEN}m",
    f"\x1b[{TOKEN};1H",
    f"\x1b[?{TOKEN}h",
    f"\x1b]0;{TOKEN}\x07",
    f"\x1b]52;c;{TOKEN}\x07",
    f"\x1b]8;;http://{TOKEN}\x1b\\",
    f"\x1bP{TOKEN}\x1b\\",
    f"\x1b_{TOKEN}\x1b\\",
    f"\x1b^{TOKEN}\x9c",
    f"\x9b{TOKEN}m",
    f"\x9d0;{TOKEN}\x9c",
    f"\x90{TOKEN}\x9c",
    f"\x0e{TOKEN}\x0f\x05\x07\x08\x7f\x00",
    f"\u202e{TOKEN}\u2066\u2028\u200f",
)
HOSTILE = " ".join(PAYLOADS)
PASTED = HOSTILE.replace("\x1b", "").encode()
"""As terminals paste it: without escape, which would end the paste."""

SEQUENCE = re.compile(
    r"""
    \x1b\[ [<>=?]? [0-9;:]* [ $"']? [@-~]   # CSI
  | \x1b\] [^\x07\x1b]* (?: \x07 | \x1b\\ )  # OSC
  | \x1bP [^\x1b]* \x1b\\                    # DCS
  | \x1b [()] [0-9A-B]                       # character sets
  | \x1b [=>78cDEM]
    """,
    re.VERBOSE,
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def assert_only_its_own(output: bytes) -> None:
    text = output.decode("utf-8")  # strictly: not one broken byte
    for sequence in SEQUENCE.findall(text):
        assert TOKEN not in sequence
        assert not sequence.startswith(("\x1b]52", "\x1b]8")), "nothing was copied, and there are no links"
    left = SEQUENCE.sub("", text)
    assert not CONTROLS.search(left), CONTROLS.findall(left)
    assert left.count(TOKEN) > 5, "the hostile text was on the screen"


def hostile_library(path: Path, folder: Path) -> str:
    found = tuple(
        replace(each, explanation=f"{HOSTILE} {each.explanation}", hint=HOSTILE, category_label=HOSTILE)
        for each in builders.findings()
    )
    text = {"article": HOSTILE, "system": HOSTILE}
    source, translation = f"{HOSTILE}\n\n{builders.SOURCE}", f"{HOSTILE}\n\n{builders.TRANSLATION}"
    first, _ = library(path, {"source": source, "translation": translation, "found": found} | text, {})
    file = folder / f"{HOSTILE[:60].replace('/', '|').replace(chr(0), '')}-DISCOXpartial.jsonl"
    file.write_text(f'{{"error": "\\u001b]52;c;{TOKEN}\\u0007", "traceback": ""}}\n{{"broken')
    with closing(open_library(path)) as connection:
        import_path(connection, file)
        finding = connection.execute("SELECT id FROM findings WHERE number = 2").fetchone()[0]
        ReviewLog(connection, "mei").decide(first, finding, decision="agree", note=HOSTILE)
    return first


def visit(terminal: Terminal) -> None:
    """Go through every screen and question."""
    terminal.until("error 1/6")
    for number in range(2, 7):
        terminal.send("]")
        terminal.until(f"error {number}/6")
    terminal.send("\t")
    terminal.send("w")
    terminal.until("? 6 ")
    terminal.send("u")
    terminal.until("∙ 6 ")
    terminal.send("=")
    terminal.until("Error 6 is a duplicate of")
    terminal.send("\x1b")
    terminal.until(lambda: "is a duplicate of" not in terminal.text)
    terminal.send("n")
    terminal.until("Note on error 6")
    terminal.send(b"\x1b[200~pasted " + PASTED + b"\x1b[201~")
    terminal.until("pasted")
    terminal.send("\r")
    terminal.until("note pasted")
    terminal.send("?")
    terminal.until("Agree with the judge")
    terminal.send("\x1b")
    terminal.until(lambda: "Agree with the judge" not in terminal.text)
    terminal.send("\x1b")  # from the text to the list of errors: nothing on screen tells it but the cursor's look
    terminal.until(lambda: terminal.bold_row("appropriateness" if terminal.screen.columns > 100 else " app "))
    terminal.send("\x1b")
    terminal.until("not opened")
    terminal.send("/")
    terminal.until("words that")
    terminal.send(b"\x1b[200~zz" + PASTED + b"\x1b[201~")
    terminal.until("No evaluation contains these words")
    terminal.send("\x1b")
    terminal.until("2 evaluations")
    terminal.send("i")
    terminal.until("the task failed")
    terminal.send("\x1b")
    terminal.until("2 evaluations")
    terminal.send("c")
    terminal.until("Precision of the findings")
    terminal.send("\x1b")
    terminal.until("2 evaluations")
    terminal.send("\x10")
    terminal.until("Search for commands")
    terminal.send("\x1b")
    terminal.until(lambda: "Search for commands" not in terminal.text)
    terminal.send("q")


@by_day(1)
@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
def test_no_byte_of_a_document_steers_the_terminal(tmp_path: Path, size: tuple[int, int]) -> None:
    first = hostile_library(tmp_path / "a.db", tmp_path)
    with running(tmp_path / "a.db", "review", first, size=size) as terminal:
        visit(terminal)
        assert terminal.end() == 0
        assert_only_its_own(bytes(terminal.output))
        assert b"\x1b[?1049l" in terminal.output[-4000:], "the terminal is given back"
        assert b"\x1b[?25h" in terminal.output[-4000:]


def test_no_colour_means_no_colour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send("q")
        assert terminal.end() == 0
        for codes in re.findall(rb"\x1b\[([0-9;]*)m", bytes(terminal.output)):
            assert not {code for code in codes.split(b";") if re.fullmatch(rb"[349][0-8]|10[0-7]", code)}, codes


@at_night
def test_sixteen_colours_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLORTERM")
    monkeypatch.setenv("TERM", "xterm")
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send("q")
        assert terminal.end() == 0
        assert not re.search(rb"\x1b\[[0-9;]*[34]8;[25];", bytes(terminal.output))


def test_closing_the_terminal_loses_nothing(tmp_path: Path) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send("a")
        terminal.until("✓ 1 ")
    assert events(tmp_path / "a.db")[-1]["changes"] == {"decision": "agree"}


@at_night
def test_two_programs_write_to_one_file(tmp_path: Path) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with (
        running(tmp_path / "a.db", "review", first) as one,
        running(tmp_path / "a.db", "--reviewer", "okafor", "review", first) as other,
    ):
        one.until("error 1/6")
        other.until("error 1/6")
        for number, key in enumerate("axwax", 2):
            one.send(key)
            other.send("x")
            one.until(f"error {min(number, 5)}/6")
            other.until(f"error {min(number, 5)}/6")
        one.send("q")
        other.send("q")
        assert (one.end(), other.end()) == (0, 0)
    verdicts = [event["reviewer"] for event in events(tmp_path / "a.db") if event["kind"] == "verdict"]
    assert (verdicts.count("mei"), verdicts.count("okafor")) == (4, 4)


def test_the_demo_opens_and_leaves_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "a.db", "demo") as terminal:
        terminal.until("12 evaluations")
        terminal.send("\r")
        terminal.until("error 1/7")
        terminal.send("q")
        assert terminal.end() == 0


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_the_check_sees_every_kind_of_byte_it_is_there_for(payload: str) -> None:
    clean = f"\x1b[1m {TOKEN} \x1b[0m" * 9
    assert_only_its_own(clean.encode())
    with pytest.raises(AssertionError):
        assert_only_its_own(f"{clean}{payload}".encode())


@by_day(1)
@pytest.mark.parametrize(
    ("keys", "acts"),
    [
        ("/xaw", []),
        ("/xaw\x1b", []),
        ("naxw\r", [{"note": "axw"}]),
        ("zaxw\r", [{"state": "skipped", "reason": "axw"}]),
        ("s2", [{"decision": "override", "severity": "critical"}]),
        ("d2", [{"decision": "reattribute", "dimension": "fluency"}]),
        ("ax]u", [{"decision": "agree"}, {"decision": "not_an_error"}]),
    ],
    ids=ascii,
)
def test_keys_that_arrive_at_once_mean_what_they_mean_one_by_one(
    tmp_path: Path, keys: str, acts: list[dict[str, str]]
) -> None:
    """A slow line delivers keys in bursts; a letter meant for an input that is just opening decides nothing."""
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send(keys)
        terminal.until(lambda: len(decided(tmp_path / "a.db")) >= len(acts))
        terminal.until(lambda: True)
        terminal.kill()
    assert decided(tmp_path / "a.db") == acts


@at_night
def test_a_dialog_that_shrinks_leaves_no_character_halved(tmp_path: Path) -> None:
    """At the edge of what it leaves stand wide characters that are half outside of it."""
    wide = "\n".join(("湿" + "润a宽度" * 9) * 5 for _ in range(12))
    first, _ = library(tmp_path / "a.db", {"translation": wide}, {})
    with running(tmp_path / "a.db", "review", first, size=(160, 45)) as terminal:
        terminal.until("error 1/6")
        terminal.send("v")
        terminal.until("row up")
        before = terminal.rows[2:26]

        def box() -> list[int]:
            return [at for at, row in enumerate(terminal.rows[2:26]) if re.search("[╭│╰]", row)]

        def whole() -> bool:
            return all(at in box() or row == before[at] for at, row in enumerate(terminal.rows[2:26]))

        heights = []
        for key, question in (("e", "Already found"), ("0", "What is wrong?"), ("1", "omission"), ("1", "critical")):
            terminal.send(key)
            terminal.until(lambda: question in terminal.text and whole())  # noqa: B023
            heights.append(len(box()))
        assert heights[3] < heights[2], "it shrank"


def decided(path: Path) -> list[dict[str, str]]:
    return [event["changes"] for event in events(path) if event["kind"] in ("verdict", "review")]


@at_night
def test_no_progress_is_drawn_where_no_error_is_to_be_located(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("article,system,source,translation\na,b,原文。,Text.\n", "utf-8")
    terminal = Terminal(["--db", str(tmp_path / "a.db"), "import", str(path)], (80, 24))
    try:
        terminal.until(lambda: "0leftout" in "".join(terminal.text.split()))
    finally:
        terminal.close()
    assert b"locating" not in bytes(terminal.output)


def test_progress_of_a_file_with_a_long_name_stays_in_one_row(tmp_path: Path) -> None:
    path = tmp_path / f"{'很长' * 20}{'x' * 100}_zhen.tsv"
    row = "\tdoc\t{0}\t{0}\trater\t原文。\tText.\tNo-error\tNo-error\n"
    rows = "".join(f"system{n % 9}{row.format(n)}" for n in range(40_000))
    path.write_text("system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" + rows, "utf-8")
    terminal = Terminal(["--db", str(tmp_path / "a.db"), "import", str(path)], (80, 24))
    try:
        terminal.until(lambda: "0leftout" in "".join(terminal.text.split()))  # wherever the long line is broken
    finally:
        terminal.close()
    frames = re.findall(r"\r(storing [^\r\n\x1b]*)", bytes(terminal.output).decode())
    assert frames
    assert all(wcswidth(frame) < 80 and re.search(r"… [0-9,]+ *$", frame) for frame in frames)
