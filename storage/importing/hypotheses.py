"""Storing translations whose sources stand in another file: at once where these are here, else when they come.

Until then they are kept with the notes of their import, as a record that only grows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from judges.model import Article
from storage.base.identity import digest
from storage.base.text import storable
from storage.formats.base.items import Document, Hypothesis
from storage.formats.base.segments import segments_of
from storage.importing.annotations import AnnotationWriter
from storage.importing.import_report import NAME_SHOWN, WAITING, Import, Note, first_of


class HypothesisWriter:
    """Stores translations by the names of their articles, in whatever order the files of both come."""

    def __init__(self, under_way: Import, annotations: AnnotationWriter) -> None:
        self.connection, self.report, self._annotations = under_way.connection, under_way.report, annotations
        self._sources: set[str] = set()
        self._waiting: list[Hypothesis] = []

    def may_join(self, article: Article) -> None:
        """Remember an article that is here now, for what waits for it."""
        self._sources.add(article.key)

    def take(self, item: Hypothesis) -> None:
        """Store a translation, or hold it until all of the file is read."""
        if not self._join(item):
            self._waiting.append(item)

    def _join(self, item: Hypothesis) -> bool:
        """Store a translation if its source is here."""
        if document := self._document(item):
            self.report.count(new=self._annotations.add_document(document))
        return document is not None

    def _document(self, item: Hypothesis) -> Document | None:
        """Return a translation with its source; of several sources under one name the last that came."""
        found = self.connection.execute(_SOURCES, (storable(item.article),)).fetchall()
        if not found:
            return None
        if len(found) > 1:
            message = f"{item.article[:NAME_SHOWN]} has {len(found):,} sources here; the last that came is taken"
            self.report.flag(item.line, "several_sources", message, "doc_id")
        source, direction, domain, rubric = found[0]
        segments = segments_of(source, storable(item.translation))
        return Document(item.article, item.system, segments, direction, domain, rubric, item.line)

    def finish(self) -> None:
        """Bring in what waited for the articles of this file, and say what waits still."""
        joined: dict[str, int] = {}
        keys = json.dumps(sorted(self._sources), ensure_ascii=False)
        for import_id, line, held in (
            self.connection.execute(_HELD, (WAITING, keys)).fetchall() if self._sources else ()
        ):
            article, system, text = json.loads(held)
            item = Hypothesis(article, system, text, line)
            document = self._document(item)
            assert document is not None
            if self._annotations.add_document(document, import_id):
                joined[item.system] = joined.get(item.system, 0) + 1
        if joined:
            systems = first_of([f"{count:,} by {name[:NAME_SHOWN]}" for name, count in joined.items()])
            message = f"translations of an earlier import have their sources now, and are here: {systems}"
            self.report.flag(0, "joined", message)
        if waiting := [
            item for item in self._waiting if not (storable(item.article) in self._sources and self._join(item))
        ]:
            self._keep(waiting)
            names = first_of([*dict.fromkeys(item.article[:NAME_SHOWN] for item in waiting)])
            message = (
                f"{len(waiting):,} translations are kept, and wait for their sources: import the test set, whose "
                f"lines have doc_id and src_text, and they come in by themselves (of {names})"
            )
            self.report.flag(waiting[0].line, "no_source", message, "doc_id")

    def _keep(self, waiting: Sequence[Hypothesis]) -> None:
        """Keep translations until their sources come, each once."""
        known = {row[0] for row in self.connection.execute(_KNOWN, (WAITING,))}
        for item in waiting:
            held = [storable(item.article), storable(item.system), storable(item.translation)]
            identity = digest(WAITING, *held)
            self.report.count(new=identity not in known)
            if identity not in known:
                known.add(identity)
                text = json.dumps(held, ensure_ascii=False)
                self.report.kept.append(Note(item.line, "flag", WAITING, text, identity))


_KNOWN = "SELECT field FROM import_reasons WHERE code = ?"
_SOURCES = "SELECT source, direction, domain, rubric_text FROM articles WHERE key = ? ORDER BY rowid DESC"
_HELD = """
SELECT import_id, json_extract(rows, '$[0]'), message FROM import_reasons
WHERE CASE code WHEN ? THEN json_extract(message, '$[0]') END IN (SELECT value FROM json_each(?))
ORDER BY import_id, position
"""
"""Each is a reason of its own, with one row; those of one import as their file has them."""
