"""Items that files are read into, whatever their form: documents in segments, and what somebody said of one.

Readers yield these; ``storage.importing.writer`` stores them. Places are code points of the segment's own texts
(``storage.formats.base.offsets`` converts), categories and severities are the file's own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from judges.model import CATEGORIES, LEVELS, Judge, Places, Severity
from storage.formats.base.directions import direction_name
from storage.formats.io.rows import LeftOut

NOTHING: Mapping[str, Any] = {}


class Segment(NamedTuple):
    """One segment of a document as a file gives it. ``id``: what the file calls it; any text, not unique.

    ``line``: where it stands, 0 where that is not known.
    """

    id: str
    source: str
    translation: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One system's translation of one article, its segments in their order.

    A text that the file does not cut has one segment. ``direction`` and ``domain`` are empty where the file does not
    say; the direction is as it is written here, ``de-en``, however the file does, which ``direction_written`` keeps.
    ``rubric`` is the text of its rubric points. ``line``: where it begins. ``made_of``: how many rows of the file it is
    made of, if nobody says anything of it.
    """

    article: str
    system: str
    segments: tuple[Segment, ...]
    direction: str = ""
    domain: str = ""
    rubric: str = ""
    line: int = 0
    made_of: int = field(default=1, compare=False)
    direction_written: str = field(default="", init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "direction_written", self.direction)
        object.__setattr__(self, "direction", direction_name(self.direction))


class Hypothesis(NamedTuple):
    """A system's translation of an article whose source stands in another file, under the same name.

    ``line``: where it stands. ``otherwise``: what is said where no such article is here; None: it waits for one.
    ``named_by``: the field that names the article.
    """

    article: str
    system: str
    translation: str
    line: int = 0
    otherwise: LeftOut | None = None
    named_by: str = "doc_id"


class Ours(NamedTuple):
    """An error in Metric-S's own words; None for what could not be read."""

    judge: Judge
    category: str | None
    severity: Severity | None


def read_ours(value: object) -> Ours | None:
    """Read what an export of ours wrote of an error: its ``Ours`` as a list. None for anything else."""
    match value:
        case [str(judge), category, severity] if judge in CATEGORIES:
            if category in (None, *CATEGORIES[judge]) and severity in (None, *LEVELS[judge]):
                return Ours(judge, category, severity)
    return None


class Mark(NamedTuple):
    """One error that somebody marked. ``segment``: its place in ``Document.segments``, from 0.

    ``places`` is empty where it has none or it cannot be placed; ``unplaced`` then says why, in words. ``quote``: the
    words as the file has them. ``kept``: what else the file says of it, JSON-able. ``missing``: the file says that the
    error is something missing and gives no place. ``ours``: what it is in Metric-S, where the file says so itself as an
    export of ours does; else the mapping says.
    """

    segment: int
    category: str
    severity: str
    places: Places = ()
    quote: str = ""
    note: str = ""
    unplaced: str = ""
    missing: bool = False
    kept: Mapping[str, Any] = NOTHING
    line: int = 0
    ours: Ours | None = None


RowKind = Literal["clean", "quality_check", "other"]
"""``clean``: the segment was rated and has no error. ``quality_check``: whether a planted error was found."""


class Unmarked(NamedTuple):
    """A row about a segment that is no error."""

    segment: int
    kind: RowKind
    category: str = ""
    severity: str = ""
    kept: Mapping[str, Any] = NOTHING
    line: int = 0


@dataclass(frozen=True, slots=True)
class Annotation:
    """All that one annotator said of one document.

    ``human``: a person, whose marks become a blind pass of a reviewer of that name; else a judge, whose marks become
    findings. ``rated``: the segments that were looked at; None: all of them. ``kept``: what the file says of the whole.
    ``score``: its own score of the document, higher is better, under the name ``metric``; None where there is none.
    ``segment_scores``: those of the segments that it is the mean of, from 0.
    ``made_of``: how many rows of the file it is made of, where not every mark is one. ``times``: of segments, when they
    were rated, in seconds since 1970. ``replaced``: what is to know where the file holds a later word of the annotator
    on the same segments, which comes after this one and counts in its place.
    """

    document: Document
    annotator: str
    human: bool
    marks: tuple[Mark, ...] = ()
    unmarked: tuple[Unmarked, ...] = ()
    rated: frozenset[int] | None = None
    metric: str = ""
    score: float | None = None
    segment_scores: Mapping[int, float] = field(default_factory=dict)
    kept: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0
    made_of: int = 0
    times: Mapping[int, float] = field(default_factory=dict)
    replaced: tuple[Remark, ...] = ()

    @property
    def read_nothing(self) -> bool:
        """Return whether the annotator looked at no segment."""
        return self.rated is not None and not self.rated and not self.marks

    @property
    def rows(self) -> int:
        """The number of rows of the file that it is made of."""
        return self.made_of or max(1, len(self.marks) + len(self.unmarked))


class ScoreLine(NamedTuple):
    """One score as a file gives it: higher is better, on a scale of the metric's own.

    ``direction`` like ``zh-en``, ``domain`` and ``rater`` are empty where the file does not say. ``human``: a person
    gave it. ``segments``: of what segments of the article it is the mean, by their numbers from 1, each with its own
    score; empty where the file does not say.
    """

    line: int
    metric: str
    system: str
    article: str
    direction: str
    score: float
    human: bool
    rater: str = ""
    domain: str = ""
    segments: tuple[tuple[int, float], ...] = ()


class MeanScore(ScoreLine):
    """A score that is the mean of several rows. ``made_of``: how many; 0 where they are counted as something else."""

    made_of: int = 1


class ReplacedScore(ScoreLine):
    """A score that a later one of its file takes the place of. ``later``: that one."""

    later: ScoreLine


class Remark(NamedTuple):
    """A note on a file, or of how one of its rows was read; no row of its own."""

    line: int
    code: str
    field: str
    message: str


ANOTHER_PASS, ANSWERED_AGAIN = "another_pass", "answered_again"
"""Codes of notes on what a person, or a judge, said of something that they said something of before."""


def again(line: int, annotator: str, what: str, *, human: bool, field: str = "") -> Remark:
    """Return what is to know of an earlier word of somebody, of which another is later. ``what``: says which."""
    message = f"“{annotator[:60]}” {what}: the later counts, and this is kept as an earlier "
    code, kept = (ANOTHER_PASS, "pass") if human else (ANSWERED_AGAIN, "answer")
    return Remark(line, code, field, message + kept)


class UnknownFields(NamedTuple):
    """Fields of a file as a whole that its format does not know."""

    line: int
    values: Mapping[str, Any]
