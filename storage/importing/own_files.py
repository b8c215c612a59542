"""Rows of the official code and of the data set into the library: articles, and evaluations by the judge of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judges.model import Flag, Judgement
from storage.formats.io.rows import Row
from storage.importing.import_report import KEPT, Import, Note
from storage.importing.known_articles import KnownArticles
from storage.record.library import FromFile, add_evaluation, add_translation_of, has_evaluation, identify
from storage.reviews.blinding import ANOTHER_EVALUATION

UNKNOWN_JUDGE = "unknown"
"""The judge model of an evaluation whose file does not say and whose importer did not either."""


class RowWriter:
    """Stores rows of our own formats; judge and system as the user says them, else as the rows do."""

    def __init__(self, under_way: Import, judge: str | None, system: str | None, known: KnownArticles) -> None:
        self.connection, self.report, self._import = under_way.connection, under_way.report, under_way
        self.judge, self.system, self.known = judge, system, known

    def take(self, row: Row) -> None:
        """Store a row's article, and its evaluation where it has one."""
        article = self.known.of_row(row.article)
        row = row if article is row.article else replace(row, article=article)
        if row.judgement is None:
            self._take_article(row)
        else:
            self._take_evaluation(row, row.judgement)

    def _take_article(self, row: Row) -> None:
        _, new = self.known.add(row.article)
        self.report.count(new=new)
        self._flag(row, row.flags, None)
        self.keep(row.line, row.others)

    def _take_evaluation(self, row: Row, judgement: Judgement) -> None:
        judge = self.judge or row.judge or UNKNOWN_JUDGE
        system = self.system or row.system
        identity = identify(row.article, system, row.translation, judge, row.raw)
        self.keep(row.line, row.others, identity)
        if has_evaluation(self.connection, identity):
            self.report.count(new=False)
            return
        flags = [*row.flags, *judgement.flags]
        (twins,) = self.connection.execute(_TWINS, (row.article.key, system)).fetchone()
        if twins:
            message = f"{twins} other evaluation(s) of {system} on article {row.article.key} are here"
            flags.append(Flag(ANOTHER_EVALUATION, message))
        article, _ = self.known.add(row.article)
        add_evaluation(
            self.connection,
            add_translation_of(self.connection, article, system, row.translation),
            judge,
            judgement,
            FromFile(self._import.id, row.line),
            raw=row.raw,
            stored_score=row.stored_score,
            flags=flags,
        )
        self._import.added(identity)
        self.report.count(new=True)
        self._flag(row, flags, identity)

    def _flag(self, row: Row, flags: Sequence[Flag], identity: str | None) -> None:
        for flag in flags:
            self.report.flag(row.line, flag.code, flag.message, evaluation_id=identity)

    def keep(self, line: int, others: Mapping[str, Any], identity: str | None = None) -> None:
        """Keep the fields of a row that its format does not know."""
        for name, value in others.items():
            said = json.dumps(value, ensure_ascii=False)
            self.report.kept.append(Note(line, "flag", KEPT, said, name, identity))


_TWINS = "SELECT count(*) FROM evaluations WHERE article = ? AND system = ?"
