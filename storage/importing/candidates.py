"""Adding files of candidates to a benchmark: one transaction a file, every row stored, unchanged or left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from judges.metric_s.schemes.mapping import read_mapping
from judges.model import Article, Flag
from storage.base.identity import article_id
from storage.base.text import storable_all
from storage.benchmark.candidates import candidate
from storage.benchmark.events import BuildEvent
from storage.benchmark.log import BuildLog
from storage.formats.io.input_file import InputFile
from storage.formats.io.rows import LeftOut
from storage.formats.own.candidates import FORMAT, NOTHING, CandidateRow, GivenFor, read
from storage.importing.annotations import AnnotationWriter
from storage.importing.hypotheses import HypothesisWriter
from storage.importing.import_report import FileReport, Import
from storage.importing.known_articles import KnownArticles
from storage.importing.writer import store_items
from storage.record.library import read_article


def add_candidates(
    connection: sqlite3.Connection,
    path: Path,
    person: str,
    given: GivenFor = NOTHING,
    *,
    revise: bool = False,
    program: str = "",
    progress: Callable[[int], None] = lambda rows: None,
) -> FileReport:
    """Add a file's candidates, all in one transaction, and return the report of it. Adding it again changes nothing.

    A candidate that is here with another text or other points is left out, as it may be another one of the same name;
    with ``revise`` it becomes the next version, and what else the file says of a candidate holds from then on. A file
    never brings back a version that was revised since. Never raises for what a file holds: ``FileReport.problem`` says
    why nothing could be read.
    """
    report = FileReport(path, FORMAT)
    options = {name: value or None for name, value in asdict(given).items()} | {"revise": "yes" if revise else None}
    with InputFile(path) as file:
        store_items(
            connection,
            file,
            report,
            lambda: read(file, given),
            lambda under_way: _CandidateWriter(under_way, person, revise),
            options=options,
            program=program,
            progress=progress,
        )
    return report


class _CandidateWriter:
    """Takes the rows of one file into the log, and counts what became of each."""

    def __init__(self, under_way: Import, person: str, revise: bool) -> None:
        self.connection, self.report = under_way.connection, under_way.report
        self.log = BuildLog(self.connection, person)
        self.revise = revise
        self.known = KnownArticles(under_way)
        self.waiting = HypothesisWriter(
            under_way, AnnotationWriter(under_way, read_mapping(""), self.known), self.known
        )
        self.lines: dict[str, int] = {}

    def take(self, row: CandidateRow) -> None:
        row = storable_all(row)
        key = row.article.key
        here = candidate(self.connection, key, self.log.person)
        identity = article_id(row.article)
        if here is None:
            others = self.connection.execute(
                "SELECT count(*) FROM articles WHERE key = ? AND id <> ?", (key, identity)
            ).fetchone()[0]
            self.known.add(row.article)
            self._put(self.log.add, row)
            self.report.count(new=True)
            if others:
                message = f"the library has {others} other article(s) called {key}; results on them go by the same name"
                self._flag(row, Flag("same_name", message))
        elif identity != here.article_id and identity in {e.article_id for e in here.versions if not e.undone}:
            self.report.count(new=False)
            if self.revise:
                self._flag(row, Flag("older_version", f"this is an earlier version of {key}, which was revised since"))
        elif self.revise:
            self.report.count(new=self._put(self.log.replace, row) is not None)
        elif identity == here.article_id or _reads_as(row, read_article(self.connection, here.article_id)):
            self.report.count(new=False)
        else:
            where = f" (line {self.lines[key]} of this file)" if key in self.lines else ""
            mend = "give it another name; or, if it is the same one, --revise makes this its next version"
            reason = f"{key} is a candidate already{where}, with another text or other points"
            self.report.leave_out(LeftOut(row.line, "other_text", "article", reason, mend))
            return
        self.lines.setdefault(key, row.line)
        for flag in row.flags:
            self._flag(row, flag)

    def _put(self, put: Callable[..., BuildEvent | None], row: CandidateRow) -> BuildEvent | None:
        file = str(self.report.file)
        said = {"origin": row.origin, "licence": row.licence, "written": row.written}
        return put(row.article, row.points, file=file, line=row.line, **said)

    def _flag(self, row: CandidateRow, flag: Flag) -> None:
        self.report.flag(row.line, flag.code, flag.message)

    def finish(self) -> None:
        """Take translations of the same texts over that were here before, or waited for them."""
        self.waiting.finish()
        self.known.finish()


def _reads_as(row: CandidateRow, here: Article) -> bool:
    """Tell if a row is an article that is here with its rubric in another layout."""
    said, known = ([(p.number, p.text.split()) for p in rubric] for rubric in (row.article.rubric, here.rubric))
    return row.article.source == here.source and said == known
