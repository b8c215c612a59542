"""mt-metrics-eval, version 2: a folder of texts, error spans and scores whose lines go together, by language pair.

What its files have no room for stands under ``discox/`` and in fields ``discox``, so that an import of it is exact.
"""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from judges.meta_eval.human_score import Rating, human_score, segment_scores
from judges.model import Place, Side
from storage.analysis.table_scores import counting_scores
from storage.exports.items import TranslationAnnotation, label, read_annotations, weight
from storage.exports.mt_metrics_eval.columns import NO_REFERENCE, Columns, Names, Series, as_json, cell
from storage.exports.mt_metrics_eval.lines import Lines, Translated, articles, cut_lines
from storage.exports.scores import is_meant
from storage.exports.selection import ExportReport, Selection
from storage.formats.base import round_trip
from storage.formats.base.items import Mark
from storage.formats.wmt.mt_metrics_eval import WHOLE_SET
from storage.formats.wmt.mtme_set import NAMES, NO_TRANSLATION

UNKNOWN_PAIR = "und-und"
"""The language pair of articles of which none is known."""
MERGED = "mqm"
"""The name of the mean over all passes."""


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write the folder. Memory holds one article with all its translations, and a line for each document."""
    report = ExportReport({"documents": 0, "translations": 0, "raters": 0, "errors": 0})
    path.mkdir()
    pairs: dict[str, _Pair] = {}
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".discox-parts-") as parts:
        for article in articles(read_annotations(connection, selection)):
            direction = article[0].document.direction
            name = direction if re.fullmatch(r"\w+-\w+", direction) else UNKNOWN_PAIR
            if name not in pairs:
                pairs[name] = _Pair(path, name, Path(parts) / name, selection, report)
            pairs[name].take(article)
        for pair in pairs.values():
            pair.finish(connection)
    if UNKNOWN_PAIR in pairs:
        report.notes.append(f"articles without a known language pair are under {UNKNOWN_PAIR}")
    return report


class _Pair:
    """The files of one language pair."""

    def __init__(self, root: Path, pair: str, parts: Path, selection: Selection, report: ExportReport) -> None:
        self.root, self.pair, self.selection, self.report = root, pair, selection, report
        self._columns = Columns(parts)
        self._systems, self._docs, self._raters = Names(r"[\s/\\\x00-\x1f]"), Names(r"\s"), Names(r"\W")
        self._named: dict[str, str] = {}
        self._series: dict[object, Series] = {}
        self._documents: dict[str, list[int]] = {}
        self._translated: set[tuple[str, str]] = set()
        self._directions: set[str] = {""}
        self._total = self._count = 0
        self._unknown: Counter[str] = Counter()
        self._as_json: list[str] = []
        self._merged: Series | None = None
        self._passes: list[Rating] = []
        for name in ("documents", "sources", "discox", "standalone"):
            (root / name).mkdir(exist_ok=True)
        self._beside = (root / NAMES.format(pair)).open("w", encoding="utf-8", newline="\n")
        self._docs_file = (root / "documents" / f"{pair}.docs").open("w", encoding="utf-8", newline="\n")
        self._standalone = (root / "standalone" / f"{pair}.jsonl").open("w", encoding="utf-8", newline="\n")

    def take(self, article: list[Translated]) -> None:
        """Write all that there is of one article."""
        cuts = cut_lines([each.document for each in article])
        first, lines = article[0].document, cuts[0]
        count = len(lines.ranges["source"])
        name = self._docs.of(len(self._documents), first.article)
        domain = re.sub(r"\s", "_", first.domain) or "unknown"
        self._docs_file.write(f"{domain}\t{name}\n" * count)
        self._columns.put("sources", "", self._total, list(map(as_json, lines.texts("source"))), "null")
        times: Counter[str] = Counter()
        gaps = {}
        for each, cut in zip(article, cuts, strict=True):
            document = each.document
            times[document.system] += 1
            nth = times[document.system]
            wanted = document.system if nth == 1 else f"{document.system}_{nth}"
            system = self._systems.of((document.system, nth), wanted)
            self._named[system] = document.system
            self._columns.put("outputs", system, self._total, list(map(as_json, cut.texts("translation"))), "null")
            gaps[system] = cut.gaps("translation")
            self._translated.add((document.article, document.system))
            self._rate(each, cut, name, system)
            self._merge(system, count)
            self.report.counts["translations"] += 1
        self._say(
            "document",
            doc=name,
            article=first.article,
            direction=first.direction,
            domain=first.domain,
            rubric=first.rubric,
            cut="segments" if lines.segmented else "whole",
            ids=[segment.id for segment in first.segments] if lines.segmented else None,
            source=lines.gaps("source"),
            translations={system: gap for system, gap in gaps.items() if gap},
        )
        self._documents.setdefault(first.article, []).append(self._count)
        self._directions.add(first.direction)
        self._total += count
        self._count += 1
        self.report.counts["documents"] += 1

    def _rate(self, translated: Translated, lines: Lines, doc: str, system: str) -> None:
        times: Counter[object] = Counter()
        for one in translated.said:
            who = one.annotation.annotator, one.annotation.human, one.of
            times[who] += 1
            key = *who, times[who]
            if key not in self._series:
                wanted = f"{who[0]}_on_{one.of}" if one.of else who[0]
                self._series[key] = Series(self._raters.of(key, wanted), one.annotation.human)
                self.report.counts["raters"] += 1
                file = self._series[key].file(self.pair, "seg.rating")
                self._say("ratings", file=file, annotator=who[0], human=who[1], of=one.of)
            self._write_ratings(one, self._series[key], lines, doc, system)

    def _write_ratings(self, one: TranslationAnnotation, series: Series, lines: Lines, doc: str, system: str) -> None:
        annotation = one.annotation
        count = len(lines.ranges["source"])
        errors: list[list[dict[str, Any]]] = [[] for _ in range(count)]
        rows: list[list[dict[str, Any]]] = [[] for _ in range(count)]
        scores = [0.0] * count
        for mark in annotation.marks:
            at, error, cost = self._error(mark, lines)
            errors[at].append(error)
            scores[at] -= cost
            self.report.counts["errors"] += 1
        for row in annotation.unmarked:
            rows[row.segment if lines.segmented else 0] += round_trip.of_rows([row])
        rated: Sequence[int] = range(count)
        if annotation.rated is not None and lines.segmented:
            rated = sorted(annotation.rated)
        elif annotation.rated is not None and annotation.human:
            rated = [at for at in range(count) if errors[at] or rows[at]]
        ratings = [cell(system, None)] * count
        for at in rated:
            own: dict[str, Any] = {"rows": rows[at]} if rows[at] else {}
            if annotation.kept and at == rated[0]:
                own["kept"] = annotation.kept
            rating = {"errors": errors[at], round_trip.KEY: own}
            ratings[at] = f"{system}\t{as_json(rating)}\t{series.name}"
            texts = {side: lines.cut.texts[side][slice(*lines.ranges[side][at])] for side in lines.ranges}
            self._write_standalone(one, rating, texts=texts, doc=doc, at=at, system=system, rater=series.name)
        file = series.file(self.pair, "seg.rating")
        self._columns.put(file, system, self._total, ratings, cell(system, None))
        held = [scores[at] + 0.0 for at in rated]
        of_line = dict(zip(rated, held, strict=True))
        self._score(series, system, of_line, count)
        if annotation.human and not one.of and of_line:
            self._passes.append(Rating(annotation.annotator, fmean(of_line.values()), of_line))

    def _score(self, series: Series, system: str, of_line: dict[int, float], count: int) -> None:
        """Put the scores of a document's lines, and their mean."""
        cells = [cell(system, of_line.get(at)) for at in range(count)]
        self._columns.put(series.file(self.pair, "seg.score"), system, self._total, cells, cell(system, None))
        total = sum(of_line.values())
        cells = [cell(system, total / len(of_line) if of_line else None)]
        self._columns.put(series.file(self.pair, "doc.score"), system, self._count, cells, cell(system, None))
        before, number = series.sums.get(system, (0.0, 0))
        series.sums[system] = before + total, number + len(of_line)

    def _merge(self, system: str, count: int) -> None:
        """Put the human score of a document, line by line: what a metric is measured by."""
        passes, self._passes = self._passes, []
        if passes:
            self._merged = self._merged or Series(self._raters.of("merged", MERGED), True)
            self._score(self._merged, system, segment_scores(passes), count)

    def _error(self, mark: Mark, lines: Lines) -> tuple[int, dict[str, Any], float]:
        """Return the line that an error is of, the error, and what it costs."""
        whole = lines.cut.whole(mark.segment, mark.places)
        main = next((p for p in whole if p.side == "translation"), next(iter(whole), None))
        at = lines.line_of(mark, main)
        own = tuple(_shift(place, -lines.ranges[place.side][at][0]) for place in whole)
        shown = None
        if main is not None:
            start, end = lines.ranges[main.side][at]
            shown = Place(main.side, max(start, main.start) - start, min(end, main.end) - start)
            shown = shown if shown.start < shown.end else None
        category, severity, _ = label(mark, self.selection.mapping)
        cost = weight(mark, self.selection.mapping)
        if cost is None:
            self._unknown[severity] += 1
        error: dict[str, Any] = {
            "start": shown.start if shown else 0,
            "end": shown.end if shown else 0,
            "category": category,
            "severity": severity,
            "score": None if cost is None else -cost + 0.0,
            "is_source_error": bool(shown and shown.side == "source"),
            round_trip.KEY: round_trip.of_mark(mark._replace(places=own), shown),
        }
        return at, error, cost or 0.0

    def _write_standalone(
        self,
        one: TranslationAnnotation,
        rating: dict[str, Any],
        *,
        texts: dict[Side, str],
        doc: str,
        at: int,
        system: str,
        rater: str,
    ) -> None:
        """Write one rating of one line with its texts."""
        source, target = self.pair.split("-")
        row = {
            "source": texts["source"],
            "hypothesis": texts["translation"],
            "errors": rating["errors"],
            "document_id": doc,
            "segment_id": self._total + at,
            "system_id": system,
            "rater_id": rater,
            "src_lang": source,
            "tgt_lang": target,
            round_trip.KEY: {"annotator": one.annotation.annotator, "human": one.annotation.human, "of": one.of},
        }
        self._standalone.write(f"{as_json(row)}\n")

    def _say(self, kind: str, **said: Any) -> None:
        self._beside.write(f"{as_json({'kind': kind, **said})}\n")

    def finish(self, connection: sqlite3.Connection) -> None:
        """Write what can be written only when all documents are known."""
        self._docs_file.close()
        self._standalone.close()
        for name, system in self._named.items():
            self._say("system", name=name, system=system)
        self._write_texts("sources", "", self.root / "sources" / self.pair, "source")
        self._columns.fill("outputs", self._total, "null")
        outputs = self.root / "system-outputs" / self.pair
        references: list[str] = []
        for name, system in self._named.items():
            self._write_texts("outputs", name, outputs / name, "hypothesis")
            if _REFERENCE.fullmatch(system) and _REFERENCE.fullmatch(name):
                references.append(name)
                self._write_texts("outputs", name, self.root / "references" / f"{self.pair}.{name}", "target")
        if not references:
            self._write_no_reference()
        for series in (*self._series.values(), *filter(None, [self._merged])):
            self._write_series(series)
        self._write_scores(connection)
        for row in self.selection.mapping.explain_back():
            self._say("mapping", **row._asdict())
        self._beside.close()
        if self._as_json:
            names = ", ".join(self._as_json[:3]) + (" …" if len(self._as_json) > 3 else "")
            why = "have line ends within segments, or blanks after them, so they are JSON Lines"
            why = f"{why} (which newer versions of mt-metrics-eval read)"
            self.report.notes.append(f"{self.pair}: {len(self._as_json):,} files of texts {why}: {names}")
        if without := self._unknown.pop("", 0):
            errors = "1 error has" if without == 1 else f"{without:,} errors have"
            self.report.notes.append(f"{self.pair}: {errors} no severity given, and cost nothing in the scores")
        if self._unknown:
            shown = ", ".join(f"{name} ({count:,})" for name, count in self._unknown.most_common(5))
            self.report.notes.append(f"{self.pair}: severities of no known weight cost nothing in the scores: {shown}")

    def _write_no_reference(self) -> None:
        """Write a reference that says nothing: mt-metrics-eval opens no set that has none."""
        path = self.root / "references" / f"{self.pair}.{NO_REFERENCE}.txt"
        path.parent.mkdir(exist_ok=True)
        with path.open("w", encoding="utf-8", newline="\n") as written:
            written.writelines(f"{NO_TRANSLATION}\n" for _ in range(self._total))
        name = path.relative_to(self.root).as_posix()
        self.report.notes.append(f"{name} is empty: no reference is known, and mt-metrics-eval opens no set without")

    def _write_texts(self, file: str, system: str, target: Path, field_name: str) -> None:
        """Write a block of texts: as lines, or where a line would not keep a text as JSON, which mtme reads too."""
        target.parent.mkdir(parents=True, exist_ok=True)

        def texts() -> Iterator[str | None]:
            return map(json.loads, self._columns.lines(file, system))

        plain = any(text and text.strip() for text in texts())
        plain = plain and not any(text and (_NO_LINE.search(text) or text == NO_TRANSLATION) for text in texts())
        path = target.with_name(f"{target.name}.{'txt' if plain else 'jsonl'}")
        with path.open("w", encoding="utf-8", newline="\n") as written:
            for text in texts():
                line = (NO_TRANSLATION if text is None else text) if plain else as_json({field_name: text})
                written.write(f"{line}\n")
        if not plain:
            self._as_json.append(path.relative_to(self.root).as_posix())

    def _write_series(self, series: Series) -> None:
        rating = series.file(self.pair, "seg.rating")
        for system in self._columns.systems(rating):
            self._columns.put(rating, system, self._total, (), cell(system, None))
        if series is not self._merged:
            self._columns.join(rating, self.root / rating)
        sums = {system: total / number if number else None for system, (total, number) in series.sums.items()}
        self._write_levels(
            series.human,
            lambda level: series.file(self.pair, f"{level}.score"),
            {"seg": self._total, "doc": self._count},
            sums,
        )

    def _write_levels(
        self, human: bool, file: Callable[[str], str], sizes: dict[str, int], sums: dict[str, float | None]
    ) -> None:
        """Write scores by segment, document and system; those of a metric only if it has them all."""
        complete = True
        for level, size in sizes.items():
            for system in self._columns.systems(file(level)):
                self._columns.put(file(level), system, size, (), cell(system, None))
                none = any(line.endswith("\tNone") for line in self._columns.lines(file(level), system))
                complete = complete and not none
            complete = complete and set(self._columns.systems(file(level))) == set(self._named)
        if not human and not complete:
            why = "does not score every segment of every system, and a metric must: its scores were left out"
            self.report.notes.append(f"{file('*')} {why}; choose by words what it scored")
            return
        for level in sizes:
            self._columns.join(file(level), self.root / file(level))
            self._say("scores", file=file(level))
        if sums:
            path = self.root / file("sys")
            lines = "".join(f"{cell(system, sums[system])}\n" for system in sorted(sums))
            path.write_text(lines, encoding="utf-8", newline="\n")
            self._say("scores", file=file("sys"))

    def _write_scores(self, connection: sqlite3.Connection) -> None:
        """Write the scores that were imported: exactly beside, and by document as other tools read them."""
        names = {real: name for name, real in reversed(self._named.items())}
        files: dict[tuple[str, bool, str], str] = {}
        sums: dict[str, dict[str, float | None]] = {}
        for row in connection.execute(_SCORES, (json.dumps(sorted(self._directions)),)).fetchall():
            metric, human, rater, direction, article, system, score, domain, segments = row
            known = (article, system) in self._translated or (article.startswith("(") and system in names)
            if not known or not is_meant(self.selection, metric, bool(human), rater):
                continue
            self._say(
                "score",
                metric=metric,
                human=bool(human),
                rater=rater,
                direction=direction,
                article=article,
                system=system,
                domain=domain,
                score=score,
                **({"segments": json.loads(segments)} if segments != "[]" else {}),
            )
            key = metric, bool(human), rater
            if key not in files:
                wanted = "_".join(filter(None, (metric.removesuffix("-src"), rater)))
                files[key] = Series(self._raters.of(("score", *key), wanted), bool(human)).file(self.pair, "{}.score")
        means = self._means(connection, files, names)
        for (file, system, article), score in means.items():
            if article == WHOLE_SET:
                sums.setdefault(file, {})[names[system]] = score
        of_documents = {
            (file, names[system], at[0]): score
            for (file, system, article), score in means.items()
            if len(at := self._documents.get(article, [])) == 1
        }
        for (file, name, document), score in sorted(of_documents.items()):
            self._columns.put(file.format("doc"), name, document, [cell(name, score)], cell(name, None))
        for (_, human, _), file in files.items():
            sizes = {"doc": self._count} if self._columns.systems(file.format("doc")) else {}
            self._write_levels(human, file.format, sizes, sums.get(file, {}))

    def _means(
        self, connection: sqlite3.Connection, files: Mapping[tuple[str, bool, str], str], names: Mapping[str, str]
    ) -> dict[tuple[str, str, str], float]:
        """Return (file, system, article) → the score that counts of a metric or rater, as all figures take it."""
        held: dict[tuple[str, str, str], list[Rating]] = {}
        of_pair = "s.direction IN (SELECT value FROM json_each(?))"
        for each in counting_scores(connection, of_pair, (json.dumps(sorted(self._directions)),)):
            file = files.get((each.metric, each.human, each.rater))
            if file and each.system in names:
                several = held.setdefault((file, each.system, each.article), [])
                several.append(Rating(each.rater or str(len(several)), each.score, dict(each.segments)))
        return {key: human_score(ratings) or 0.0 for key, ratings in held.items()}


_SCORES = """
SELECT DISTINCT metric, human, rater, direction, article, system, score, domain, segments
FROM scores WHERE direction IN (SELECT value FROM json_each(?))
ORDER BY metric, human, rater, system, article, score
"""

_REFERENCE = re.compile(r"ref(erence)?[_ ]?[a-z0-9]{0,2}", re.IGNORECASE)
"""Names of systems that are references: refA, ref, reference_1."""
_NO_LINE = re.compile(r"[\r\n]|^\ufeff|\s\Z")
"""Characters that a line of a text file cannot hold: line ends, blanks after it, and a byte-order mark."""


def _shift(place: Place, by: int) -> Place:
    return Place(place.side, place.start + by, place.end + by)
