"""Rows of the official code and of the data set into the library: articles, and evaluations by the judge of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from judges.model import Article, Flag, Judgement
from storage.base.identity import article_id
from storage.formats.io.rows import Row
from storage.importing.import_report import KEPT, NAME_SHOWN, SHOWN, Import, Note, first_of
from storage.record.library import FromFile, add_article, add_evaluation, add_translation, has_evaluation, identify
from storage.reviews.blinding import ANOTHER_EVALUATION

UNKNOWN_JUDGE = "unknown"
"""The judge model of an evaluation whose file does not say and whose importer did not either."""


class RowWriter:
    """Stores rows of our own formats; judge and system as the user says them, else as the rows do."""

    def __init__(self, under_way: Import, judge: str | None, system: str | None) -> None:
        self.connection, self.report, self._import = under_way.connection, under_way.report, under_way
        self.judge, self.system = judge, system
        self.other_domains: dict[str, str] = {}

    def take(self, row: Row) -> None:
        """Store a row's article, and its evaluation where it has one."""
        self._compare_domains(row.article)
        if row.judgement is None:
            self._take_article(row)
        else:
            self._take_evaluation(row, row.judgement)

    def _take_article(self, row: Row) -> None:
        _, new = add_article(self.connection, row.article)
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
        add_evaluation(
            self.connection,
            add_translation(self.connection, row.article, system, row.translation),
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

    def _compare_domains(self, article: Article) -> None:
        """Remember an article that is here with other domains than the file says."""
        query = "SELECT domain, subdomain FROM articles WHERE id = ?"
        here = self.connection.execute(query, (article_id(article),)).fetchone()
        said = (article.domain, article.subdomain)
        if here and any(said) and said != here:
            ours, theirs = (" / ".join(filter(None, names)) or "none" for names in (here, said))
            self.other_domains[article.key] = f"{ours} here, {theirs} in the file"

    def keep(self, line: int, others: Mapping[str, Any], identity: str | None = None) -> None:
        """Keep the fields of a row that its format does not know."""
        for name, value in others.items():
            said = json.dumps(value, ensure_ascii=False)
            self.report.kept.append(Note(line, "flag", KEPT, said, name, identity))

    def finish(self) -> None:
        """Note which articles are here with another domain."""
        if other := [f"{key[:NAME_SHOWN]} ({said[:SHOWN]})" for key, said in self.other_domains.items()]:
            message = f"articles that are here with another domain, which stays: {first_of(other)}"
            self.report.flag(0, "other_domain", message)


_TWINS = "SELECT count(*) FROM evaluations WHERE article = ? AND system = ?"
