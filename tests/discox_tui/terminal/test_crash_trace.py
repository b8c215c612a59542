"""Traces of crashes: in a file that only the user reads, without keys, and not one too many."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from textual.worker import WorkerFailed

from discox_tui.config.paths import log_directory
from discox_tui.terminal.crash_trace import KEPT, LONGEST, report


@pytest.fixture(autouse=True)
def _own_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def traces() -> list[Path]:
    return sorted(log_directory().glob("*"))


def test_one_line_says_what_and_where() -> None:
    line = report(raised(ValueError("two\nlines \x1b]0;x\x07")))
    (trace,) = traces()
    assert "\n" not in line
    assert "ValueError: two lines" in line
    assert line.endswith(str(trace))
    assert "in raised" in trace.read_text()
    if os.name == "posix":
        assert stat.S_IMODE(trace.stat().st_mode) == 0o600
        assert stat.S_IMODE(log_directory().stat().st_mode) == 0o700


def test_what_broke_in_a_worker_is_told_and_not_the_worker() -> None:
    assert "KeyError" in report(WorkerFailed(raised(KeyError("x"))))
    assert "in raised" in traces()[0].read_text()


@pytest.mark.parametrize("where", ["environment", "file"])
def test_no_key_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    if where == "environment":
        monkeypatch.setenv("TEAM_API_KEY", "thisisthesecret")
    else:
        (tmp_path / ".env").write_text("OPENAI_API_KEY='thisisthesecret'\n")
    line = report(
        raised(RuntimeError("401: thisisthesecret, sk-proj-abcdefghijk, AIzaSyA1234567, Bearer abc.def-12345"))
    )
    for text in (line, traces()[0].read_text()):
        assert "401: (a key), (a key), (a key), Bearer (a key)" in text


def test_only_the_last_are_kept() -> None:
    for number in range(KEPT + 3):
        report(raised(ValueError(f"number {number}!")))
    assert len(traces()) == KEPT
    assert "number 3!" in traces()[0].read_text()
    assert f"number {KEPT + 2}!" in traces()[-1].read_text()


def test_a_trace_has_an_end() -> None:
    report(raised(ValueError("x" * 2 * LONGEST)))
    assert traces()[0].stat().st_size < LONGEST + 1000


def test_without_a_folder_it_goes_where_temporary_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").write_text("no folder")
    line = report(raised(ValueError("x")))
    (trace,) = tmp_path.glob("discox-crash-*.txt")
    assert line.endswith(str(trace))


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").write_text("no folder")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "state"))
    assert "its trace could not be written (" in report(raised(ValueError("x")))
