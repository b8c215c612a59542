"""Storing what other tools' files come to: people's marks as blind passes, judges' as findings.

The mapping into Metric-S's words is kept with the import; the file's own words are kept with every error.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Table
from dataclasses import replace
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

from judges.metric_s.reading.rubric import parse_rubric
from judges.metric_s.schemes.mapping import Kind, Mapped, Mapping
from judges.metric_s.scoring import judge_deduction, score
from judges.model import (
    Article,
    Finding,
    Flag,
    Grounded,
    Judge,
    Judgement,
)
from storage.base.identity import evaluation_id, finding_id
from storage.base.reasons import first_lines
from storage.base.text import storable, utc
from storage.formats.base.directions import has_regions, regions_told
from storage.formats.base.items import ANOTHER_PASS, ANSWERED_AGAIN, Annotation, Document, Mark, Ours, ScoreLine
from storage.formats.base.segments import segments_of
from storage.formats.io.rows import LeftOut
from storage.importing.import_report import Import
from storage.importing.imported_passes import Words, add_pass
from storage.importing.known_articles import KnownArticles
from storage.importing.placed_documents import PlacedDocument
from storage.importing.scores import add_score, lacks_segments
from storage.record.article_texts import KnownArticle, folded
from storage.record.groundings import GIVEN, Grounding, add_groundings
from storage.record.library import FromFile, add_evaluation, add_translation_of, has_evaluation
from storage.reviews.events import read_events, standing_passes
from storage.reviews.pass_scores import segment_scores

NOT_JUDGED = "not judged"
"""Stand-in for a judge's answer where none was asked: one such evaluation of each translation."""

MQM = "MQM"
"""The metric whose score of a document is computed here: minus the mean weight of a segment's errors."""

ARTICLES_HELD = 50
"""Number of articles of which it is remembered that they are stored."""

Scored = tuple[float | None, Table[int, float]]
"""A score of a document, None where there is none, and those of the segments, from 0, that it is the mean of."""


class AnnotationWriter:
    """Stores documents and what was said of them: people's marks as blind passes, judges' as findings."""

    def __init__(self, under_way: Import, mapping: Mapping, known: KnownArticles) -> None:
        self.connection, self.report, self._import = under_way.connection, under_way.report, under_way
        self.mapping, self.known = mapping, known
        self._last: tuple[Document, PlacedDocument] | None = None
        self._said: dict[tuple[str, str, bool, Ours | None], _Kind] = {}
        self._articles: dict[tuple[str, ...], tuple[str, KnownArticle | None]] = {}
        self._regions: set[str] = set()
        self._unplaced: dict[str, list[int]] = {}
        self._again: list[int] = []
        self._answered_again: list[int] = []
        self._earlier: tuple[Document, str] | None = None
        self._scores: dict[tuple[str, ...], ScoreLine] = {}

    def take(self, item: Document | Annotation) -> None:
        """Store a document, or an annotation with its document."""
        if isinstance(item, Document):
            self._take_document(item)
            return
        placed = self._place(item.document, keep=True)
        assert isinstance(placed, PlacedDocument)
        if placed.document is not item.document:
            marks = placed.marked(item.marks, item.document)
            item = replace(item, document=placed.document, marks=marks)
        if item.human:
            self._take_pass(item, placed)
        else:
            self._take_judgement(item, placed)

    def finish(self) -> None:
        """Store people's scores; say which errors are nowhere, and which labels are none of ours or lose something."""
        for row in self._scores.values():
            add_score(self.connection, self._import.id, row)
        for reason, lines in self._unplaced.items():
            errors = "1 error is" if len(lines) == 1 else f"{len(lines):,} errors are"
            message = f"{errors} kept, and not placed: {reason}{first_lines(lines)}"
            message = f"{message}; look at the text, and place what can be placed"
            self.report.flag(lines[0], "unplaced", message)
        for code, lines, one, several, mend in (
            (ANOTHER_PASS, self._again, "pass", "passes", "; if they are of several people, give each a name"),
            (ANSWERED_AGAIN, self._answered_again, "answer", "answers", ""),
        ):
            if lines:
                n = f"1 {one} is" if len(lines) == 1 else f"{len(lines):,} {several} are"
                whose = "person" if code == ANOTHER_PASS else "judge"
                message = f"{n} about what the same {whose} said something of before{first_lines(lines)}"
                self.report.flag(lines[0], code, f"{message}: the later counts, and both are kept{mend}")
        for category, severity, why, times in sorted(said.loss for said in self._said.values() if said.why):
            often = "once" if times == 1 else f"{times:,} times"
            message = f"{category or 'no category'} / {severity or 'no severity'}: {why} ({often})"
            self.report.flag(0, "mapping", message)

    def _place(self, document: Document, *, keep: bool = False) -> PlacedDocument | LeftOut:
        """Store a document, unless it was the last one too, and say where its segments are.

        ``keep``: it is never left out, though it be not clear what article it is of.
        """
        if self._last is None or self._last[0] is not document:
            placed = PlacedDocument(document)
            for segment in document.segments:
                if "\0" in segment.source or "\0" in segment.translation:
                    message = "its texts hold NUL characters, each replaced by U+FFFD"
                    line = segment.line or document.line
                    self.report.flag(line, "replaced_characters", message)
            written = document.direction_written
            if has_regions(written) and written not in self._regions:
                self._regions.add(written)
                code, field, message = regions_told(written)
                self.report.flag(document.line, code, message, field)
            found = self._article(document, placed.source, keep=keep)
            if isinstance(found, LeftOut):
                return found
            article, known = found
            if known and folded(known.source) != folded(placed.source):  # as somebody said
                placed = PlacedDocument(replace(document, segments=segments_of(known.source, placed.translation)))
            if known:
                placed.is_of(known)
            system = storable(document.system)
            placed.id = add_translation_of(self.connection, article, system, placed.translation)
            if len(placed.document.segments) > 1:
                self.connection.execute(_SEGMENTS, (placed.id, placed.segments()))
            self._last = document, placed
        return self._last[1]

    def _article(self, document: Document, source: str, *, keep: bool) -> tuple[str, KnownArticle | None] | LeftOut:
        """Find or store the article of a document; of one article there are often many documents in a row."""
        named = document.article, source, document.direction, document.domain, document.rubric
        found = self._articles.get(named)
        if found is None:
            if len(self._articles) >= ARTICLES_HELD:
                self._articles.clear()
            article = _article(document, source)
            known = self.known.of(article, document.line, keep=keep)
            if isinstance(known, LeftOut):
                return known
            self._articles[named] = found = (known.id, known) if known else (self.known.add(article)[0], None)
        return found

    def _take_document(self, document: Document) -> None:
        new = self.add_document(document)
        if isinstance(new, LeftOut):
            self.report.leave_out(new, document.made_of)
        else:
            self.report.count(document.made_of, new=new)

    def add_document(self, document: Document, import_id: int | None = None) -> bool | LeftOut:
        """Store a translation of which nothing is said, so that it can be judged, and people can mark errors in it.

        ``import_id``: of the import whose file it is in, where that is an earlier one. Returns whether it was new, or
        why it is not clear what article it is of.
        """
        before = self.connection.total_changes
        placed = self._place(document)
        if isinstance(placed, LeftOut):
            return placed
        document = placed.document
        new = self.connection.total_changes > before
        other = new and self.connection.execute(_OTHER_TRANSLATION, (*_same(document), placed.id)).fetchone()
        if other:
            message = f"another translation of {document.article} by {document.system} is here; both are kept"
            self.report.flag(document.line, "another_translation", message)
        self._annotatable(placed, document.line, import_id)
        return self.connection.total_changes > before

    # --- people ---

    def _annotatable(self, placed: PlacedDocument, line: int, import_id: int | None = None) -> str:
        """Return the evaluation in which people mark what is in a translation, whoever judged it or nobody."""
        if not placed.annotatable:
            placed.annotatable = identity = evaluation_id(placed.id, "", NOT_JUDGED)
            if not has_evaluation(self.connection, identity):
                origin = FromFile(import_id or self._import.id, line)
                add_evaluation(self.connection, placed.id, "", Judgement("not_judged", None), origin, raw=NOT_JUDGED)
                self._import.added(identity)
        return placed.annotatable

    def _take_pass(self, annotation: Annotation, placed: PlacedDocument) -> None:
        identity = self._annotatable(placed, annotation.document.line or annotation.line)
        said = list(map(self._read, annotation.marks))
        whole = annotation.rated is None or len(annotation.rated) == len(annotation.document.segments)
        rest: dict[str, Any] = {"file": self.report.format}
        if annotation.kept:
            rest["kept"] = annotation.kept
        when: dict[str, Any] = {}
        if annotation.times:
            when["times"] = {str(number + 1): time for number, time in annotation.times.items()}
        if annotation.rated is not None and not whole:
            when |= {"rated": sorted(n + 1 for n in annotation.rated), "segments": len(annotation.document.segments)}
        alone = add_pass(
            connection=self.connection,
            evaluation_id=identity,
            reviewer=storable(annotation.annotator),
            at=utc(datetime.now(UTC)),
            errors=zip([kind.words for kind in said], annotation.marks, strict=True),
            rows=annotation.unmarked,
            starts=placed.starts,
            state="done" if whole else "in_progress",
            rest=rest,
            when=when,
        )
        follows, self._earlier = self._earlier, None
        if annotation.replaced:
            self._earlier = annotation.document, annotation.annotator
            self._tell_replaced(annotation, new=alone is not None)
            self.report.count(annotation.rows, new=alone is not None)
            return
        told = alone is None or follows == (annotation.document, annotation.annotator)
        own = self._of_marks(annotation, [each.weight for each in said])
        counts = own if alone else self._of_passes(annotation, identity, own, told=told)
        known = self._score(annotation, counts, new=alone is not None)
        self.report.count(annotation.rows, new=alone is not None or known)
        if alone is not None:
            name = storable(annotation.annotator)
            passes, errors = self.report.people.get(name, (0, 0))
            self.report.people[name] = passes + 1, errors + len(annotation.marks)
            self._tell_unplaced(annotation)

    def _of_passes(self, annotation: Annotation, identity: str, own: Scored, *, told: bool) -> Scored:
        """Return the score that a pass and those before it come to, of the segments that stand; nothing if it is lost.

        ``own``: the score of this pass. ``told``: whether it was said already what it takes the place of.
        """
        passes = list(read_events(self.connection, _PASSES, (identity, storable(annotation.annotator))))
        standing = standing_passes(passes)
        lost = any(each.lost for each in standing)
        if not told and (lost or len(standing) < len({each.changes.get("of", each.id) for each in passes})):
            self._again.append(annotation.line)
        of_format = [event for event in passes if event.changes.get("file") == self.report.format]
        if scores := segment_scores(of_format):
            return fmean(scores.values()), {segment - 1: score for segment, score in scores.items()}
        if annotation.score is None and _is_mqm(annotation.metric):
            errors = [error for each in standing for _, error in each.errors()]
            labels = [(e.get("category_label") or "", e.get("severity_label") or "") for e in errors]
            rated = [each.rated() for each in standing]
            every = range(1, len(annotation.document.segments) + 1)
            looked_at = every if None in rated else set().union(*(each for each in rated if each))
            weights = [
                (error.get("segment", 1) - 1, self.mapping.weight(*label))
                for error, label in zip(errors, labels, strict=True)
            ]
            return _mqm([segment - 1 for segment in looked_at], weights)
        return own if any(each.event is passes[-1] for each in standing) else (None, {})

    # --- judges ---

    def _take_judgement(self, annotation: Annotation, placed: PlacedDocument) -> None:
        raw = json.dumps(
            [
                self.mapping.id,
                annotation.metric,
                annotation.score,
                annotation.kept,
                [_raw(m) for m in annotation.marks],
                annotation.unmarked,
                None if annotation.rated is None else sorted(annotation.rated),
            ],
            ensure_ascii=False,
            sort_keys=True,
        )
        identity = evaluation_id(placed.id, annotation.annotator, raw)
        new = not has_evaluation(self.connection, identity)
        self.report.count(annotation.rows, new=new)
        other = self.connection.execute(_READ_OTHERWISE, (placed.id, annotation.annotator, raw)).fetchone()
        if not new:
            if other:
                message = (
                    f"{annotation.document.article} was read again by another mapping since, and that reading stands"
                )
                self.report.flag(annotation.line, "other_mapping", message)
            return
        before = self.connection.execute(_ANSWERED, (placed.id, annotation.annotator, annotation.metric)).fetchone()
        follows, self._earlier = self._earlier, (annotation.document, annotation.annotator)
        if before and not other and not (annotation.replaced or follows == self._earlier):
            self._answered_again.append(annotation.line)
        if not annotation.replaced:
            self._earlier = None
        self._tell_replaced(annotation, new=True)
        said = list(map(self._read, annotation.marks))
        findings, found = self._findings(annotation, said, placed)
        unmapped = sum(finding.severity is None for finding in findings)
        flags = (
            [Flag("not_mapped", f"{unmapped} errors have no severity of Metric-S and cost nothing")] if unmapped else []
        )
        judgement = Judgement("scored", score(cost for f in findings if (cost := judge_deduction(f))), (), findings)
        stored = (annotation.score, None, None, None)
        takes_place_of = other or (None if annotation.read_nothing else before)
        origin = FromFile(self._import.id, annotation.line, takes_place_of and takes_place_of[0])
        add_evaluation(
            self.connection,
            placed.id,
            annotation.annotator,
            judgement,
            origin,
            raw=raw,
            stored_score=stored,
            flags=flags,
        )
        self._import.added(identity)
        self._tell_unplaced(annotation)
        ids = [finding_id(identity, finding) for finding in findings]
        grounding = Grounding(identity, GIVEN, placed.alignment(), dict(zip(ids, found, strict=True)))
        add_groundings(self.connection, [grounding])
        self._score(annotation, self._of_marks(annotation, [kind.weight for kind in said]))

    def _findings(
        self, annotation: Annotation, said: Sequence[_Kind], placed: PlacedDocument
    ) -> tuple[tuple[Finding, ...], list[Grounded]]:
        findings, found = [], []
        numbers: Counter[Judge] = Counter()
        for mark, kind in zip(annotation.marks, said, strict=True):
            mapped = kind.mapped
            judge = mapped.judge or "accuracy"
            numbers[judge] += 1
            words = mark.note or (f"“{mark.quote}”" if mark.quote else f"{mark.category} {mark.severity}".strip())
            findings.append(
                Finding(
                    judge,
                    numbers[judge],
                    words,
                    category=mapped.category,
                    category_label=mark.category,
                    severity=mapped.severity,
                    severity_label=mark.severity,
                )
            )
            found.append(placed.grounded(mark))
        return tuple(findings), found

    # --- both ---

    def _tell_replaced(self, annotation: Annotation, *, new: bool) -> None:
        """Say what is to know of a word that a later one of the same file takes the place of."""
        for line, code, field, message in annotation.replaced if new else ():
            self.report.flag(line, code, message, field)

    def _tell_unplaced(self, annotation: Annotation) -> None:
        """Keep which errors have no place, by why, though they are of one: not what is missing from a text."""
        for mark in annotation.marks:
            if mark.unplaced and not mark.places and not mark.missing:
                self._unplaced.setdefault(mark.unplaced, []).append(mark.line or annotation.line)

    def _read(self, mark: Mark) -> _Kind:
        """Return what a mark's labels say, counted; of a kind of marks it is found out once."""
        key = mark.category, mark.severity, mark.missing, mark.ours
        said = self._said.get(key)
        if said is None:
            said = self._said[key] = _Kind(self.mapping, mark)
        said.times += 1
        return said

    def _of_marks(self, annotation: Annotation, weights: Sequence[float | None]) -> Scored:
        """Return what the annotator's own scheme gives the document: a score of its own, or by the weights of MQM."""
        if annotation.score is not None or not _is_mqm(annotation.metric):
            return annotation.score, annotation.segment_scores
        rated = range(len(annotation.document.segments)) if annotation.rated is None else annotation.rated
        return _mqm(rated, zip([mark.segment for mark in annotation.marks], weights, strict=True))

    def _score(self, annotation: Annotation, scored: Scored, *, new: bool = True) -> bool:
        """Keep the score of a document, with those of its segments, by the annotator's own scheme.

        Of a pass that is here already (not ``new``) only which segments it is of, where that is not known yet. Returns
        whether anything was kept.
        """
        value, segments = scored
        document = annotation.document
        if value is None or not annotation.metric or annotation.replaced:
            return False
        human, rater = annotation.human, annotation.annotator if annotation.human else ""
        row = ScoreLine(
            line=annotation.line,
            metric=annotation.metric,
            system=document.system,
            article=document.article,
            direction=document.direction,
            score=value,
            human=human,
            rater=rater,
            domain=document.domain,
            segments=tuple((number + 1, score) for number, score in sorted(segments.items())),
        )
        if not new and not lacks_segments(self.connection, row):
            return False
        if new and human:  # of what a person rates again, in whichever file of a folder, there is one score: the last
            self._scores[row.metric, row.rater, row.direction, row.article, row.system] = row
        else:
            add_score(self.connection, self._import.id, row)
        return True


def _is_mqm(metric: str) -> bool:
    """Return whether scores are the weights of MQM; those of a further round have a name before."""
    return metric.rpartition(".")[2] == MQM


def _mqm(rated: Iterable[int], errors: Iterable[tuple[int, float | None]]) -> Scored:
    """Return minus the weights of the errors of each segment that was looked at, and their mean.

    ``errors``: segment and weight of each. Nothing where a weight is unknown, or no segment was looked at.
    """
    of_segment: dict[int, list[float]] = {number: [] for number in rated}
    for segment, weight in errors:
        if weight is None:
            return None, {}
        of_segment.setdefault(segment, []).append(weight)
    segments = {number: 0.0 - math.fsum(weights) for number, weights in of_segment.items()}
    return (fmean(segments.values()) if segments else None), segments


class _Kind:
    """Meaning of one category and severity of a file in Metric-S and in points of MQM, and how many errors have it."""

    def __init__(self, mapping: Mapping, mark: Mark) -> None:
        self.times = 0
        self.category, self.severity = storable(mark.category), storable(mark.severity)
        self.mapped = mapped = _mapped(mapping, mark)
        self.weight = mapping.weight(mark.category, mark.severity)
        choice = (f"choice: {mapped.choice}",) if mapped.choice else ()
        self.why = "; ".join((*mapped.lost, *choice))
        self.words = Words((self.category, self.severity), mapped.dimension, mapped.category, mapped.severity)

    @property
    def loss(self) -> tuple[str, str, str, int]:
        """The labels, what they lose, and how often."""
        return self.category, self.severity, self.why, self.times


def _mapped(mapping: Mapping, mark: Mark) -> Mapped:
    if mark.ours is None:
        return mapping.read(mark.category, mark.severity, missing=mark.missing)
    judge, category, severity = mark.ours
    kind: Kind = "error" if severity else "note"
    return Mapped("ours", kind, judge, category, severity, mark.category, mark.severity)


_READ_OTHERWISE = """
SELECT e.id FROM evaluations e JOIN answers a ON a.evaluation_id = e.id
WHERE e.translation_id = ?1 AND e.judge = ?2 AND a.raw <> ?3
  AND substr(a.raw, instr(a.raw, ',')) = substr(?3, instr(?3, ','))
  AND e.id NOT IN (SELECT supersedes FROM evaluations WHERE supersedes IS NOT NULL)
"""
"""The evaluation in which the same answer stands by another mapping, whose name an answer begins with."""

_ANSWERED = """
SELECT e.id FROM evaluations e JOIN answers a ON a.evaluation_id = e.id
WHERE e.translation_id = ?1 AND e.judge = ?2 AND e.import_id IS NOT NULL
  AND CASE WHEN json_valid(a.raw) AND json_type(a.raw) = 'array' THEN json_extract(a.raw, '$[1]') END = ?3
  AND e.id NOT IN (SELECT supersedes FROM evaluations WHERE supersedes IS NOT NULL)
ORDER BY e.position DESC LIMIT 1
"""
"""The evaluation in which another answer of the judge stands, on the same scale."""

_PASSES = "evaluation_id = ? AND reviewer = ? AND kind = 'imported'"

_OTHER_TRANSLATION = """
SELECT 1 FROM evaluations WHERE article = ? AND system = ? AND direction = ? AND state = 'not_judged'
  AND translation_id <> ? LIMIT 1
"""


def _same(document: Document) -> tuple[str, str, str]:
    return storable(document.article), storable(document.system), document.direction


_SEGMENTS = "INSERT OR IGNORE INTO segmentations VALUES (?, ?)"


def _article(document: Document, source: str) -> Article:
    key, domain, rubric = (storable(text) for text in (document.article, document.domain, document.rubric))
    return Article(key, source, document.direction, domain, rubric_text=rubric, rubric=parse_rubric(rubric))


def _raw(mark: Mark) -> list[Any]:
    return [mark.segment, mark.category, mark.severity, mark.places, mark.quote, mark.note, mark.kept, mark.ours]
