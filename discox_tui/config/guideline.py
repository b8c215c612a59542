"""The guideline that reviewers go by, ours or the team's own, and the version of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from storage.base.errors import StorageError
from storage.base.files import why_not

OURS = Path(__file__).with_name("guideline.md")
"""The guideline of this program; its first line says its version."""

_VERSION = re.compile(r"version:[ \t]*(\S[^\n]*)\n?", re.I)
_HEADING = re.compile(r"#{1,6}\s+(.*)")


class Guideline(NamedTuple):
    """A guideline as Markdown. ``version`` goes with every act of a reviewer who had it."""

    text: str
    version: str

    def paragraphs(self) -> Iterator[tuple[str, str]]:
        """Yield (kind, text) without the line that says the version.

        ``kind``: the number signs of a heading, ``-`` for an item of a list, nothing for a paragraph. Lines that belong
        together are joined.
        """
        kind, lines = "", list[str]()
        declared = _VERSION.match(self.text)
        for line in (*self.text[declared.end() if declared else 0 :].splitlines(), ""):
            line = line.strip()
            heading, item = _HEADING.fullmatch(line), line.startswith(("- ", "* "))
            if lines and (heading or item or not line):
                yield kind, " ".join(lines)
                kind, lines = "", []
            if heading:
                yield line[: line.index(" ")], heading[1]
            elif line:
                kind = "-" if item else kind
                lines.append(line[2:] if item else line)


def load_guideline(path: str | None) -> Guideline:
    """Return the guideline of a file, or ours where none is named.

    Its version is what the first line declares (``version: …``), else a hash of the text: another text is another
    version. Raises StorageError for a file that cannot be read.
    """
    try:
        text = (Path(path).expanduser() if path else OURS).read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = why_not(Path(path or OURS).expanduser(), error).lower()
        raise StorageError(f"the guideline {path}: {reason}; name another in the settings (guideline)") from error
    except UnicodeDecodeError as error:
        raise StorageError(f"the guideline {path} is no text in UTF-8; save it as UTF-8") from error
    if declared := _VERSION.match(text):
        return Guideline(text, declared[1].strip())
    from storage.base.identity import text_id  # ours declares its own

    return Guideline(text, text_id(text))
