"""What a user says of a file that does not say it itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.formats.base.items import Annotation, Document, Remark, ScoreLine
    from storage.formats.io.rows import LeftOut

    Item = Document | Annotation | ScoreLine | LeftOut | Remark
    """What a reader yields, in the order of the file."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a user says of files that do not say it themselves; None: nothing.

    ``judge``: who judged; ``system``: whose translations; ``direction`` like ``de-en``. ``beside``: all that
    was named, files and folders, for a format that is in several files, or comes only if it is named.
    """

    judge: str | None = None
    system: str | None = None
    direction: str | None = None
    beside: tuple[Path, ...] = ()
