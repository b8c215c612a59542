"""What is printed on a terminal cannot act on it; into a pipe or a file the bytes are exact."""

from __future__ import annotations

import os
import pty
import re
import sys
import threading
from io import TextIOWrapper
from pathlib import Path

import pytest

from discox_tui.cli.parser import run
from discox_tui.text.safe import safe
from tests.conftest import Command
from tests.storage.exports.test_exports import hostile  # noqa: F401 - a fixture

ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal may obey, but for the end of a line."""


def sent_to(stream: int, other_end: int, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> bytes:
    """What a command writes to standard output, if that is the stream."""
    sent = bytearray()

    def read() -> None:
        try:
            while data := os.read(other_end, 1 << 16):
                sent.extend(data)
        except OSError:  # a terminal that nobody writes to any more
            pass

    reader = threading.Thread(target=read)
    reader.start()
    with monkeypatch.context() as patch, open(stream, "wb") as raw, TextIOWrapper(raw, "utf-8") as output:
        patch.setattr(sys, "stdout", output)
        code = run(arguments)
        output.flush()
    reader.join()
    os.close(other_end)
    assert code == 0
    return bytes(sent)


@pytest.mark.parametrize(
    "words",
    [["export", "jsonl", "-"], ["export", "wmt-mqm", "-"], ["export", "label-studio", "-"], ["leaderboard", "--csv"]],
    ids=" ".join,
)
def test_only_a_terminal_is_kept_from_what_a_text_holds(
    words: list[str],
    hostile: Path,  # noqa: F811
    discox: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = [*words, "--db", str(hostile)]
    other_end, terminal = pty.openpty()
    shown = sent_to(terminal, other_end, arguments, monkeypatch).decode().replace("\r\n", "\n")
    assert shown.strip()
    assert not ACTS.search(shown)
    other_end, pipe = os.pipe()
    piped = sent_to(pipe, other_end, arguments, monkeypatch)
    assert shown == safe(piped.decode(), multiline=True)
    if words[0] == "export":
        assert ACTS.search(piped.decode()), "the texts hold what a terminal would obey"
        written = hostile.with_name("written")
        assert discox(*words[:-1], written, "--db", hostile).code == 0
        assert written.read_bytes() == piped
