"""Taking the translations of an article that came without a rubric over to the same text with one, when that comes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace

from judges.model import Article, Grounded, Span
from storage.base.identity import evaluation_id, finding_id
from storage.db.connection import insert
from storage.importing.import_report import Import
from storage.record.article_texts import KnownArticle, moved
from storage.record.groundings import GIVEN, Grounding, add_groundings
from storage.record.library import FromFile, add_evaluation, add_translation_of, has_evaluation, read_evaluation


def carry_over(under_way: Import, bare: KnownArticle, identity: str, article: Article) -> bool:
    """Make the translations of an article those of another one with the same text, with what files said of them.

    What models were asked stays with the article without a rubric, as they were asked without it. That article then
    no longer counts, unless people have worked on it: returns whether it does not.
    """
    connection = under_way.connection
    place = moved(bare.source, article.source)
    for translation, system, text in connection.execute(_TRANSLATIONS, (bare.id,)).fetchall():
        theirs = add_translation_of(connection, identity, system, text)
        _segment(connection, translation, theirs, place)
        for evaluation, import_id, line, raw in connection.execute(_FROM_FILES, (translation,)).fetchall():
            _evaluation(under_way, evaluation, theirs, FromFile(import_id, line), raw, place)
    replaced: dict[str, object] = {"article_id": bare.id, "by_article_id": identity}
    insert(connection, "replaced_articles", [replaced], or_ignore=True)
    return connection.execute(_WORKED_ON, (bare.key, bare.id)).fetchone() is None


def _segment(connection: sqlite3.Connection, old: str, new: str, place: Callable[[int, bool], int]) -> None:
    for (segments,) in connection.execute("SELECT segments FROM segmentations WHERE translation_id = ?", (old,)):
        cut = [[id, place(at, False), place(end, True), *rest] for id, at, end, *rest in json.loads(segments)]
        row: dict[str, object] = {"translation_id": new, "segments": json.dumps(cut, ensure_ascii=False)}
        insert(connection, "segmentations", [row], or_ignore=True)


def _evaluation(
    under_way: Import, old: str, translation: str, origin: FromFile, raw: str, place: Callable[[int, bool], int]
) -> None:
    connection = under_way.connection
    said = read_evaluation(connection, old)
    new = evaluation_id(translation, said.judge, raw)
    if has_evaluation(connection, new):
        return
    judgement = said.judgement
    add_evaluation(
        connection,
        translation,
        said.judge,
        judgement,
        origin,
        raw=raw,
        stored_score=said.stored_score,
        flags=said.flags,
    )
    under_way.added(new)
    if said.method == GIVEN:
        ids = [finding_id(new, finding) for finding in judgement.findings]
        found = [_moved(each.grounded, place) for each in said.findings]
        add_groundings(connection, [Grounding(new, GIVEN, said.alignment, dict(zip(ids, found, strict=True)))])


def _moved(where: Grounded, place: Callable[[int, bool], int]) -> Grounded:
    """Return where a finding is, in a source with other blanks and line ends."""

    def span(each: Span) -> Span:
        if each.side != "source":
            return each
        return replace(each, start=place(each.start, False), end=place(each.end, True))

    return replace(where, spans=tuple(map(span, where.spans)))


_TRANSLATIONS = "SELECT id, system, text FROM translations WHERE article_id = ? ORDER BY rowid"
_FROM_FILES = """
SELECT e.id, e.import_id, e.line, a.raw FROM evaluations e JOIN answers a ON a.evaluation_id = e.id
WHERE e.translation_id = ? AND e.import_id IS NOT NULL
  AND e.id NOT IN (SELECT supersedes FROM evaluations WHERE supersedes IS NOT NULL)
ORDER BY e.position
"""
_WORKED_ON = """
SELECT 1 FROM evaluations e JOIN events v ON v.evaluation_id = e.id WHERE e.article = ? AND e.article_id = ? LIMIT 1
"""
