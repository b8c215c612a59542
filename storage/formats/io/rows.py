"""Rows that the formats give: one as read, or one that is left out with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judges.model import Article, Flag, Judgement, StoredScore

NO_SCORE: StoredScore = (None, None, None, None)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row that is not taken: where it begins, which field is to blame ("" for the row), why, and how to mend it."""

    line: int
    code: str
    field: str
    reason: str
    mend: str

    @property
    def message(self) -> str:
        """Return why and how to mend it, in one line."""
        return f"{self.reason}; {self.mend}"


@dataclass(frozen=True, slots=True)
class Row:
    """A row as read: an article, and where the file holds evaluations, a translation and what was said of it.

    ``line`` is where the row begins. ``judgement`` is None for a row of a data set. ``raw``: the judgement as the file
    holds it, as JSON text. ``judge`` is empty where the file does not say which model judged. ``others``: the fields of
    the row that the format does not know.
    """

    line: int
    article: Article
    system: str = ""
    judge: str = ""
    translation: str | None = None
    judgement: Judgement | None = None
    stored_score: StoredScore = NO_SCORE
    raw: str = ""
    flags: tuple[Flag, ...] = ()
    others: Mapping[str, Any] = field(default_factory=dict)
