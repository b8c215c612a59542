"""The contract of a format: a name, a title, the fields that it needs, how it is told by a file's head, and read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from storage.formats.base.items import Annotation, Document, Hypothesis, Remark, ScoreLine, UnknownFields
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.rows import LeftOut, Row

Item = Document | Annotation | Hypothesis | ScoreLine | Row | LeftOut | Remark | UnknownFields
"""An item that a format reads a file into, in the order of the file."""


Unclear = Literal["known", "another"]
"""The article of rows of which it is not clear: the ``known`` one of their name, or ``another``, of their own."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Facts that a user says of files that do not say it themselves; None: nothing.

    ``judge``: who judged; ``system``: whose translations; ``direction`` like ``de-en``. ``beside``: all that
    was named, files and folders, for a format that is in several files, or comes only if it is named. ``article``: of
    which the texts are; ``unclear``: the article of those of which it is not clear; ``answers``: the same of single
    ones (`storage.importing.known_articles`).
    """

    judge: str | None = None
    system: str | None = None
    direction: str | None = None
    beside: tuple[Path, ...] = ()
    article: str | None = None
    unclear: Unclear | None = None
    answers: Mapping[str, str] = field(default_factory=dict)


class Format(ABC):
    """A format that files are in. Another package adds one by an entry point of the group ``discox_tui.formats``.

    ``name``: on the command line and in reports. ``title``: for people; ``phrase``: the same within a sentence.
    ``needed``: the fields that a row must have; messages on files in no format name those that one lacks. ``known``:
    the fields that a row may have, where others are kept with the import. ``own``: of DiscoX or this program, and
    described elsewhere than with the formats of other tools.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    phrase: ClassVar[str] = ""
    needed: ClassVar[Sequence[str]] = ()
    known: ClassVar[Collection[str]] = ()
    own: ClassVar[bool] = False

    @abstractmethod
    def sniff(self, head: Head) -> bool:
        """Tell if a file, or a folder, is in this format, by its beginning. A FormatError counts as False."""

    @abstractmethod
    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield what a file holds. Raises FormatError where nothing can be read."""

    def lacking(self, names: Collection[str]) -> list[str]:
        """Return which of the needed fields are not among a row's names."""
        held = {name.strip().casefold() for name in names}
        return [name for name in self.needed if name.casefold() not in held]

    def is_row(self, names: Collection[str]) -> bool:
        """Tell if an object with these names would be a row of this format."""
        return bool(self.needed) and not self.lacking(names)
