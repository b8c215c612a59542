"""Storing translations whose sources stand in another file: at once where these are here, else when they come.

Until then they are kept with the notes of their import, as a record that only grows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from storage.base.identity import digest
from storage.base.reasons import first_lines
from storage.base.text import storable
from storage.formats.base.items import Document, Hypothesis
from storage.formats.base.segments import segments_of
from storage.formats.io.rows import LeftOut
from storage.importing.annotations import AnnotationWriter
from storage.importing.import_report import NAME_SHOWN, WAITING, Import, Note, first_of
from storage.importing.known_articles import KnownArticles
from storage.record.article_texts import KnownArticle


class HypothesisWriter:
    """Stores translations by the names of their articles, in whatever order the files of both come."""

    def __init__(self, under_way: Import, annotations: AnnotationWriter, known: KnownArticles) -> None:
        self.connection, self.report, self._annotations = under_way.connection, under_way.report, annotations
        self.known = known
        self._waiting: list[Hypothesis] = []

    def take(self, item: Hypothesis) -> None:
        """Store a translation, or hold it until all of the file is read."""
        if not self._join(item):
            self._waiting.append(item)

    def _join(self, item: Hypothesis) -> bool:
        """Store a translation if its source is here, or leave it out if it is not clear which that is."""
        document = self._document(item)
        if document is None:
            return False
        new = document if isinstance(document, LeftOut) else self._annotations.add_document(document)
        if isinstance(new, LeftOut):
            self.report.leave_out(new)
        else:
            self.report.count(new=new)
        return True

    def _document(self, item: Hypothesis) -> Document | LeftOut | None:
        """Return a translation with its source."""
        found = self.known.named(storable(item.article), item.line)
        if not isinstance(found, KnownArticle):
            return found
        segments = segments_of(found.source, storable(item.translation))
        return Document(found.key, item.system, segments, found.direction, found.domain, found.rubric_text, item.line)

    def finish(self) -> None:
        """Bring in what waited for the articles of this file, and say what waits still."""
        joined: dict[str, int] = {}
        sources = {article.key for article in self.known.arrived.values()}
        keys = json.dumps(sorted(sources), ensure_ascii=False)
        for import_id, line, held in self.connection.execute(_HELD, (WAITING, keys)).fetchall() if sources else ():
            article, system, text = json.loads(held)
            item = Hypothesis(article, system, text, line)
            document = self._document(item)
            if isinstance(document, Document) and self._annotations.add_document(document, import_id) is True:
                joined[item.system] = joined.get(item.system, 0) + 1
        if joined:
            systems = first_of([f"{count:,} by {name[:NAME_SHOWN]}" for name, count in joined.items()])
            message = f"translations of an earlier import have their sources now, and are here: {systems}"
            self.report.flag(0, "joined", message)
        waiting = []
        for item in self._waiting:
            if not self._join(item):
                if item.otherwise:
                    self.report.leave_out(item.otherwise)
                else:
                    waiting.append(item)
        if waiting:
            self._keep(waiting)
            names = first_of([*dict.fromkeys(item.article[:NAME_SHOWN] for item in waiting)])
            field = waiting[0].named_by
            come = f"and they come in by themselves (of {names})"
            if field == "doc_id":
                mend = f"import the test set, whose lines have doc_id and src_text, {come}"
            else:
                mend = f"no article here is called so; import the articles, {come}; or mend the names"
            many = f"{len(waiting):,} translations are kept, and wait for their sources"
            message = f"{many if len(waiting) > 1 else '1 translation is kept, and waits for its source'}: {mend}"
            self.report.flag(waiting[0].line, "no_source", f"{message}{first_lines(w.line for w in waiting)}", field)

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
_HELD = """
SELECT import_id, json_extract(rows, '$[0]'), message FROM import_reasons
WHERE CASE code WHEN ? THEN json_extract(message, '$[0]') END IN (SELECT value FROM json_each(?))
ORDER BY import_id, position
"""
"""Each is a reason of its own, with one row; those of one import as their file has them."""
