"""``discox import``, ``list``, ``show`` and ``where``: what goes into the library, and what is in it."""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discox_tui import __version__
from discox_tui.cli.output import json_text, note, say
from discox_tui.cli.session import library, reviewer
from judges.model import Score, Verdict
from storage.library import StoredEvaluation, StoredFinding, read_evaluation, resolve
from storage.paths import data_directory, database_path, settings_file
from storage.queue import Queue
from storage.review_log import verdicts_of

SHOWN_CONFIDENCE = 0.70
"""Spans below this are not highlighted: only their paragraph is marked."""


def progress_line(what: str) -> Callable[[int, int | None], None]:
    """Return a function that shows progress on a terminal's standard error, at most four times a second.

    Without a terminal it says nothing.
    """
    from discox_tui.text.safe import safe

    what = safe(what)  # it may hold a file's name
    started = last = time.monotonic()
    shown = sys.stderr.isatty()

    def show(done: int, of: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        finished = of is not None and done >= of
        if not shown or (now - last < 0.25 and not finished):
            return
        last = now
        rate = done / max(now - started, 1e-9)
        left = f" of {of:,} · {max(0, of - done) / max(rate, 1e-9):.0f} s left" if of else ""
        end = "\n" if finished else ""
        print(f"\r\x1b[K{what} {done:,}{left}", end=end, file=sys.stderr, flush=True)

    return show


def import_files(options: argparse.Namespace) -> int:
    """Import files and folders, print what became of every row, then locate the errors in their texts."""
    from storage.groundings import ground_pending
    from storage.imports import files_in, import_file

    reports = []
    named = [Path(given) for given in options.paths]
    with library(options, create=True) as connection:
        for path in files_in(named):
            show = progress_line(f"storing {path.name}:")
            report = import_file(
                connection,
                path,
                judge=options.judge,
                system=options.system,
                program=f"discox {__version__}",
                progress=lambda rows, show=show: show(rows, None),  # type: ignore[misc]
            )
            if sys.stderr.isatty():
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            report.passed_over = bool(report.problem) and path not in named
            reports.append(report)
            if not options.json:
                _print_report(report)
        if not reports:
            note("discox: there is no .json or .jsonl file in the folder; name the result files")
        if not options.json and not options.judge and any(r.stored and r.format != "discox-dataset" for r in reports):
            note("the files do not name the judge; with --judge NAME the evaluations of several judges stay apart")
        if not options.no_ground:
            ground_pending(connection, connection.path, progress_line("locating errors in evaluation"))
    if options.json:
        totals = {
            name: sum(getattr(report, name) for report in reports)
            for name in ("rows", "stored", "unchanged", "left_out")
        }
        print(json_text(totals | {"files": [report.as_json() for report in reports]}))
    read = [report for report in reports if not report.problem]
    return 0 if read and all(report.passed_over for report in reports if report.problem) else 1


def _print_report(report: Any) -> None:
    if report.problem:
        note(f"{'passed over: ' if report.passed_over else 'discox: '}{report.problem}")
        return
    say(
        f"{report.file}: {report.format}, {report.rows:,} rows = {report.stored:,} stored + "
        f"{report.unchanged:,} unchanged + {report.left_out:,} left out"
    )
    for entry in report.notes:
        mark = "left out" if entry.kind == "left_out" else "flag"
        where = f" {entry.field}:" if entry.field else ""
        say(f"  {report.file.name}:{entry.line}: {mark}:{where} {entry.message}")


def _points(total: float | None, accuracy: float | None, fluency: float | None, style: float | None) -> Any:
    if total is None:
        return None
    return {"total": total, "accuracy": accuracy, "fluency": fluency, "appropriateness": style}


def _score(score: Score | None) -> Any:
    return score and _points(score.total, score.accuracy, score.fluency, score.appropriateness)


LIST_QUERY = """
SELECT e.id, e.article, e.system, e.direction, e.domain, e.judge, e.state, e.failed,
  e.total, e.accuracy, e.fluency, e.appropriateness,
  e.stored_total, e.stored_accuracy, e.stored_fluency, e.stored_appropriateness, e.flags, e.errors,
  (SELECT count(*) FROM findings f WHERE f.evaluation_id = e.id),
  coalesce(r.state, 'not_opened'), r.reason, coalesce(r.decided, 0), coalesce(r.unsure, 0),
  r.total, r.accuracy, r.fluency, r.appropriateness
FROM evaluations e LEFT JOIN reviews r ON r.evaluation_id = e.id AND r.reviewer = ?
WHERE e.id = coalesce(?, e.id) ORDER BY e.position
"""


def _headers(connection: sqlite3.Connection, name: str, identity: str | None = None) -> list[dict[str, Any]]:
    rows = connection.execute(LIST_QUERY, (name, identity))
    return [
        {
            "id": row[0],
            "article": row[1],
            "system": row[2],
            "direction": row[3],
            "domain": row[4],
            "judge": row[5],
            "state": row[6],
            "failed": json.loads(row[7]),
            "score": _points(*row[8:12]),
            "stored_score": _points(*row[12:16]),
            "flags": [{"code": code, "message": message} for code, message in json.loads(row[16])],
            "findings": row[18],
            "errors": row[17],
            "review": {
                "reviewer": name,
                "state": row[19],
                "reason": row[20],
                "decided": row[21],
                "unsure": row[22],
                "of": row[17],
                "human_score": _points(*row[23:27]),
            },
        }
        for row in rows
    ]


def list_evaluations(options: argparse.Namespace) -> int:
    """Print the evaluations, one a line, with scores and how far their review is."""
    name = reviewer(options)
    with library(options) as connection:
        queue = Queue(connection, name, words=" ".join(options.words))
        if options.json:
            wanted = {row.id for row in queue}
            print(json_text([header for header in _headers(connection, name) if header["id"] in wanted]))
            return 0
        from discox_tui.text.tables import table

        rows = [
            (
                row.id[:10],
                row.article,
                row.system,
                row.direction,
                row.domain,
                row.judge,
                row.state.replace("_", " "),
                "–" if row.total is None else str(row.total),
                "–" if row.human is None else str(row.human),
                f"{row.decided}/{row.errors}",
                row.review.replace("_", " "),
            )
            for row in queue
        ]
    if not rows:
        words = " ".join(options.words)
        empty = "there is nothing here yet; `discox import FILE` brings evaluations in"
        note(f"discox: no evaluation contains {words!r}; leave words out" if words else f"discox: {empty}")
    else:
        heads = ("id", "article", "system", "dir", "domain", "judge", "state", "judge's", "yours", "decided", "review")
        for line in table(heads, rows, right=(7, 8, 9)):
            say(line)
    return 0


def show(options: argparse.Namespace) -> int:
    """Print one evaluation: its texts, every finding with where it is and the verdict on it, rubric, flags."""
    name = reviewer(options)
    with library(options) as connection:
        identity = resolve(connection, options.evaluation)
        evaluation = read_evaluation(connection, identity)
        if not evaluation.method and evaluation.findings:
            from storage.groundings import ground, store

            store(connection, [ground(evaluation)])
            evaluation = read_evaluation(connection, identity)
        verdicts = verdicts_of(connection, identity, name)
        header = _headers(connection, name, identity)[0]
    if options.json:
        print(json_text(_evaluation_json(header, evaluation, verdicts)))
    else:
        _print_evaluation(header, evaluation, verdicts)
    return 0


def _evaluation_json(
    header: dict[str, Any], evaluation: StoredEvaluation, verdicts: dict[str, Verdict]
) -> dict[str, Any]:
    verdict_on = {v.point: v for v in evaluation.rubric}
    return header | {
        "source": evaluation.article.source,
        "translation": evaluation.translation,
        "instruction_check": evaluation.instruction_check,
        "grounding": evaluation.method or None,
        "findings": [_finding_json(f, evaluation, verdicts.get(f.id)) for f in evaluation.findings],
        "rubric": [
            {
                "number": point.number,
                "text": point.text,
                "met": verdict_on[point.number].met if point.number in verdict_on else None,
                "explanation": verdict_on[point.number].explanation if point.number in verdict_on else None,
            }
            for point in evaluation.article.rubric
        ],
        "advice": [
            {"text": advice.text, "drops": advice.drops, "keeps": advice.keeps, "status": advice.status}
            for advice in evaluation.advice
        ],
    }


def _finding_json(stored: StoredFinding, evaluation: StoredEvaluation, verdict: Verdict | None) -> dict[str, Any]:
    finding, grounded = stored.finding, stored.grounded
    texts = {"source": evaluation.article.source, "translation": evaluation.translation or ""}
    lit = [span for span in grounded.spans if span.role != "anchor" and span.confidence >= SHOWN_CONFIDENCE]
    return {
        "id": stored.id,
        "number": stored.number,
        "judge": finding.judge,
        "dimension": finding.dimension,
        "category": finding.category,
        "category_label": finding.category_label,
        "severity": finding.severity,
        "severity_label": finding.severity_label,
        "rubric_point": finding.rubric_point,
        "explanation": finding.explanation,
        "paragraph": finding.hint,
        "source_spans": [[span.start, span.end] for span in lit if span.side == "source"],
        "translation_spans": [[span.start, span.end] for span in lit if span.side == "translation"],
        "confidence": min((span.confidence for span in lit), default=None),
        "spans": [
            {
                "side": span.side,
                "start": span.start,
                "end": span.end,
                "text": texts[span.side][span.start : span.end],
                "role": span.role,
                "method": span.method,
                "confidence": span.confidence,
                "occurrence": span.occurrence,
                "occurrences": span.occurrences,
            }
            for span in grounded.spans
        ],
        "unlocated_quotes": [{"side": side, "text": text} for side, text in grounded.unlocated],
        "kept": finding.kept,
        "duplicate_of": stored.duplicate_of,
        "verdict": None if verdict is None else verdict_json(verdict),
    }


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON: the decision and only the fields that the reviewer changed."""
    names = ("decision", "severity", "category", "dimension", "duplicate_of", "note")
    values = {name: getattr(verdict, name) for name in names}
    return {name: value for name, value in values.items() if value is not None or name == "decision"}


def _print_evaluation(header: dict[str, Any], evaluation: StoredEvaluation, verdicts: dict[str, Verdict]) -> None:
    from discox_tui.text.safe import safe

    say(f"{evaluation.article.key} · {evaluation.article.direction} · {evaluation.system} · judge {evaluation.judge}")
    say(f"id {evaluation.id} · {evaluation.state.replace('_', ' ')} · review {header['review']['state']}")
    for title, score in (
        ("judge", header["score"]),
        ("stored", header["stored_score"]),
        ("you", header["review"]["human_score"]),
    ):
        text = (
            "–"
            if score is None
            else (
                f"{score['total']:g} = accuracy {score['accuracy']:g} + fluency {score['fluency']:g} + "
                f"appropriateness {score['appropriateness']:g}"
            )
        )
        say(f"{title:>7}: {text}")
    for flag in evaluation.flags:
        say(f"   flag: {flag.message}")
    for title, text in (("Source", evaluation.article.source), ("Translation", evaluation.translation or "(none)")):
        say()
        say(title)
        print(safe(text, multiline=True))
    say()
    say("Errors")
    for stored in evaluation.findings:
        finding = stored.finding
        state = "" if finding.kept else " (dropped as a duplicate)"
        verdict = verdicts.get(stored.id)
        decided = f" → {verdict.decision.replace('_', ' ')}" if verdict and verdict.decision else ""
        say(
            f"{stored.number:>4} {finding.dimension} · {finding.category or finding.category_label or '?'} · "
            f"{(finding.severity or finding.severity_label or '?').replace('_', ' ')}{state}{decided}"
        )
        say(f"     {finding.explanation}")
        if verdict and verdict.note:
            say(f"     note: {verdict.note}")


def where(options: argparse.Namespace) -> int:
    """Say which files this program uses, and which rule chose the database."""
    chosen = database_path(options.db)
    facts = {
        "database": str(chosen.path.absolute()),
        "chosen_by": chosen.chosen_by,
        "exists": chosen.path.exists(),
        "settings": str(settings_file()),
        "data_directory": str(data_directory()),
        "reviewer": reviewer(options),
    }
    if options.json:
        print(json_text(facts))
    else:
        say(f"database  {facts['database']} (by {facts['chosen_by']}{'' if facts['exists'] else '; not made yet'})")
        say(f"settings  {facts['settings']}")
        say(f"reviewer  {facts['reviewer']}")
    return 0
