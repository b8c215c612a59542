"""What the review says about an evaluation and a finding, as runs of text: no widgets, no state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from discox_tui.marks import DECISION_MARKS, SEVERITY_MARKS
from discox_tui.quote_notes import quote_notes
from discox_tui.text.wrapping import lines
from discox_tui.widgets.lines import Run, Runs
from discox_tui.without_findings import failed, nothing_found
from judges.metric_s.reviewing import reviewed
from judges.metric_s.scoring import Weights
from judges.model import CATEGORIES, DIMENSIONS, EXACT, SIDES, Finding, Paragraph, Score, Severity, Side, Span, Verdict

if TYPE_CHECKING:
    from discox_tui.review_session import ReviewSession
    from discox_tui.widgets.virtual_table import Cell
    from storage.library import StoredEvaluation, StoredFinding
    from storage.review_log import Event

CHINESE = {name: label for labels in CATEGORIES.values() for name, label in labels.items()}
SHORT = {"accuracy": "acc", "fluency": "flu", "appropriateness": "app"}


@dataclass(frozen=True, slots=True)
class Standing:
    """How a finding stands now: with the reviewer's severity if she gave one; ``dropped`` if it does not count."""

    severity: Severity | None
    dropped: bool

    @classmethod
    def of(cls, stored: StoredFinding, session: ReviewSession) -> Standing:
        """The standing that follows from the judge's record and the reviewer's verdict."""
        verdict = session.verdict(stored)
        rejected = verdict.decision in ("not_an_error", "duplicate", "too_strict")
        dropped = rejected or (not stored.finding.kept and verdict.decision != "restore")
        cost = reviewed(stored.finding, verdict)
        return cls(cost[1] if cost else verdict.severity or stored.finding.severity, dropped)


def words(name: str | None) -> str:
    """A name of the vocabulary as people read it."""
    return (name or "?").replace("_", " ")


def lit(stored: StoredFinding, side: Side) -> list[Span]:
    """The spans that are highlighted on a side, in order of the text."""
    spans = [span for span in stored.grounded.spans if span.side == side and span.lit]
    return sorted(spans, key=lambda span: (span.role == "context", span.start))


@lru_cache(maxsize=4)
def _paragraphs(text: str) -> tuple[Paragraph, ...]:
    return tuple(lines(text))


def target(evaluation: StoredEvaluation, stored: StoredFinding, side: Side) -> tuple[int, int] | None:
    """What to bring into view on a side: the first highlight, else the place of an omission, else the paragraph.

    Of several highlights it is one in the paragraph that the finding is said to be in, if there is one there.
    """
    number = stored.grounded.paragraph(side)
    found = () if number is None else _paragraphs(evaluation.text(side))
    here = found[number] if number is not None and number < len(found) else None
    if spans := lit(stored, side):
        best = next((span for span in spans if here and here.start <= span.start < here.end), spans[0])
        return best.start, best.end
    for span in stored.grounded.spans:
        if span.side == side and span.role == "anchor":
            return span.start, max(span.end, span.start + 1)
    return (here.start, here.start + 1) if here else None


def excerpt(evaluation: StoredEvaluation, stored: StoredFinding) -> str:
    """A few words by which to recognise a finding: its quote from the translation, else the source, else the prose."""
    for side in reversed(SIDES):
        if lit(stored, side) and (place := target(evaluation, stored, side)):
            return f"“{evaluation.text(side)[slice(*place)][:120]}”"
    return stored.finding.explanation[:120]


def severity_words(finding: Finding) -> str:
    """The judge's severity with its mark, or the judge's word where it could not be read."""
    if finding.severity is None:
        return f"? {finding.severity_label or 'unreadable'}"
    return f"{SEVERITY_MARKS[finding.severity]} {words(finding.severity)}"


def error_cells(
    evaluation: StoredEvaluation, stored: StoredFinding, session: ReviewSession, *, narrow: bool
) -> Sequence[Cell]:
    """One finding as cells of the list; a narrow one has marks and short names for words."""
    finding, verdict = stored.finding, session.verdict(stored)
    standing = Standing.of(stored, session)
    plain = "faint" if standing.dropped else "plain"
    severity = standing.severity
    short = {"extremely_critical": "extreme"}.get(severity or "", words(severity))
    mark = SEVERITY_MARKS[severity] if severity else "?"
    points = session.cost(stored)[1]
    decision = (DECISION_MARKS[verdict.decision], "current" if verdict.decision else "faint")
    dimension = verdict.dimension or finding.dimension
    rubric = finding.judge == "rubric" and not verdict.dimension
    label = f"r {finding.rubric_point}" if rubric else SHORT[dimension]
    severity_style = plain if standing.dropped else severity or "faint"
    before: list[Cell] = [(mark, severity_style), (label, plain)]
    if not narrow:
        label = f"rubric {finding.rubric_point}" if rubric else dimension
        before = [(label, plain), (f"{mark} {short}", severity_style)]
    cost = f"−{-points}" if points else ""
    return [decision, (str(stored.number), plain), *before, (cost, plain), (excerpt(evaluation, stored), plain)]


def short_title(stored: StoredFinding) -> str:
    """Dimension and severity of a finding."""
    finding = stored.finding
    if finding.judge == "rubric":
        return f"rubric point {finding.rubric_point}"
    return f"{finding.dimension} · {words(finding.severity)}"


def severity_detail(level: str, judged: str | None, weights: Weights) -> str:
    """What a severity costs, and whether it is the judge's."""
    return f"−{weights.severities[level]}" + ("  the judge's" if level == judged else "")  # type: ignore[index]


def category_detail(name: str, judged: str | None) -> str:
    """The Chinese name of a category, and whether it is the judge's."""
    return CHINESE[name] + ("  the judge's" if name == judged else "")


def title(
    evaluation: StoredEvaluation, index: int, position: int | None, of: int, *, narrow: bool
) -> tuple[Runs, Runs]:
    """The title bar: what is under review, and where the reviewer is."""
    left: list[Run] = [("discox", "title"), (f"  {evaluation.article.key}", "strong")]
    facts = [evaluation.article.direction.replace("-", "→"), evaluation.system]
    if not narrow:
        facts += [evaluation.article.subdomain or evaluation.article.domain, f"judge {evaluation.judge}"]
    left.append(("  " + " · ".join(fact for fact in facts if fact), ""))
    if evaluation.state != "scored":
        failed = f": {', '.join(map(words, evaluation.failed))}" if evaluation.failed else ""
        left.append((f"  {words(evaluation.state)}{failed}", "critical"))
    errors = len(evaluation.findings)
    right: list[Run] = []
    if errors:
        right += [("error ", "faint"), (f"{index + 1}/{errors}", "strong")]
    if position is not None:
        right += [("  evaluation ", "faint"), (f"{position + 1:,}/{of:,}", "strong")]
    return left, right


def scores(evaluation: StoredEvaluation, session: ReviewSession, *, narrow: bool) -> tuple[tuple[Runs, Runs], ...]:
    """The score bar: the judge's row and the reviewer's, with what a floor swallows and how far the review is."""
    judge, human = evaluation.score, session.human
    stored = evaluation.stored_score[0]
    right_of_judge: list[Run] = []
    if stored is not None and (judge is None or stored != judge.total):
        right_of_judge.append((f"the file says {stored:g}", "faint"))
    errors = len(evaluation.errors)
    decided = session.decided()
    filled = round(10 * decided / errors) if errors else 10
    state = {"done": "✓ done ", "skipped": "skipped "}.get(session.review.state, "")
    progress: list[Run] = [
        (state, "good"),
        ("━" * filled, "current"),
        ("━" * (10 - filled), "faint"),
        (f" {decided}/{errors}", "strong"),
    ]
    floor = [
        f"{SHORT[dimension]} {points} below floor"
        if narrow
        else f"{dimension} is at its floor: {points} more points are swallowed"
        for dimension, points in zip(DIMENSIONS, human.lost if human else (0, 0, 0), strict=True)
        if points
    ]
    weights = evaluation.weights
    mine = _points("you  ", human, judge, weights, narrow=narrow)
    if human is None:
        mine = [("you    ", "faint"), ("–  ", "strong"), (_why_no_score(evaluation), "faint")]
    elif floor:
        mine.append((f"   {'; '.join(floor)}", "major"))
    return (_points("judge", judge, None, weights, narrow=narrow), right_of_judge), (mine, progress)


def _why_no_score(evaluation: StoredEvaluation) -> str:
    return {
        "score_only": "a score only: the judge named no errors, there is nothing to review",
        "judge_failed": f"no score is claimed: {failed(evaluation)} gave nothing usable",
        "instruction_failed": "the instruction check failed: 0 by rule, there is nothing to weigh",
        "no_translation": "the system gave no translation",
    }.get(evaluation.state, "")


def _points(name: str, score: Score | None, other: Score | None, weights: Weights, *, narrow: bool) -> list[Run]:
    if score is None:
        return [(f"{name}  ", "faint"), ("–", "strong")]
    runs: list[Run] = [(f"{name} ", "faint"), (f"{score.total:>3}", "title" if other else "strong"), (" = ", "faint")]
    for number, dimension in enumerate(weights.judged):
        points = score.of(dimension)
        changed = other is not None and other.of(dimension) != points
        runs += [
            (" · " if number else "", "faint"),
            (f"{SHORT[dimension] if narrow else dimension} ", "faint"),
            (f"{points:>2}", "current" if changed else ""),
            (f"/{weights.maxima[dimension]}", "faint"),
        ]
    return runs


def detail(evaluation: StoredEvaluation, stored: StoredFinding | None, session: ReviewSession) -> list[Runs]:
    """Everything to know of the current finding, as paragraphs."""
    if stored is None:
        return [[(nothing_to_review(evaluation), "")], *_checks(evaluation)]
    finding, verdict = stored.finding, session.verdict(stored)
    category = words(finding.category) if finding.category else finding.category_label or "?"
    if finding.judge == "rubric":
        category = f"rubric point {finding.rubric_point}"
    elif finding.category:
        category = f"{category} {CHINESE.get(finding.category, '')}".strip()
    points, _ = session.cost(stored)
    paragraphs_: list[Runs] = [
        [
            (f"{stored.number}  ", "title"),
            (f"{finding.dimension} · {category} · ", "strong"),
            (severity_words(finding), finding.severity or "strong"),
            (f"  −{-points}" if points else "  no points", "faint"),
        ],
        *_verdict(evaluation, verdict),
        [(finding.explanation, "")],
    ]
    if finding.quoted and finding.quoted.suggestion:
        paragraphs_.append([("suggests  ", "faint"), (finding.quoted.suggestion, "")])
    if finding.rubric_point is not None:
        text = next((p.text for p in evaluation.article.rubric if p.number == finding.rubric_point), None)
        paragraphs_.append([("rubric  ", "faint"), (text or "this point is not in the article's rubric", "")])
    paragraphs_ += _deduplication(evaluation, stored)
    paragraphs_.append([("place  ", "faint"), *_place(stored)])
    for side, quote in stored.grounded.unlocated:
        paragraphs_.append([("not found  ", "faint"), (f"“{quote}” occurs nowhere in the {side}", "major")])
    if said := quote_notes(finding.quoted, lost=False):
        paragraphs_.append([("quotes  ", "faint"), (said, "")])
    return paragraphs_ + _checks(evaluation)


def _verdict(evaluation: StoredEvaluation, verdict: Verdict) -> Iterator[Runs]:
    if verdict.decision is not None:
        said = words(verdict.decision)
        changes = [words(v) for v in (verdict.dimension, verdict.category, verdict.severity) if v]
        if verdict.duplicate_of:
            other = evaluation.find(verdict.duplicate_of)
            changes.append(f"of {other.number}" if other else "of another")
        mark = DECISION_MARKS[verdict.decision]
        yield [("you  ", "faint"), (f"{mark} {said}{': ' if changes else ''}{', '.join(changes)}", "current")]
    if verdict.note:
        yield [("note  ", "faint"), (verdict.note, "")]


def _deduplication(evaluation: StoredEvaluation, stored: StoredFinding) -> Iterator[Runs]:
    finding = stored.finding
    if not finding.kept:
        other = evaluation.find(stored.duplicate_of)
        why = f"as a duplicate of {other.number}, {short_title(other)}" if other else "as a duplicate"
        yield [("dropped  ", "faint"), (f"by de-duplication, {why}", "")]
        if finding.advice is not None and finding.advice < len(evaluation.advice):
            yield [("advice  ", "faint"), (evaluation.advice[finding.advice].text, "faint")]
    if not evaluation.advice:
        return
    covered = [f for f in evaluation.findings if f.duplicate_of == stored.id]
    if covered:
        names = ", ".join(f"{f.number} ({short_title(f)})" for f in covered)
        yield [("covers  ", "faint"), (f"{names}: dropped as duplicate", "")]


def _place(stored: StoredFinding) -> list[Run]:
    parts = []
    for side in SIDES:
        number = stored.grounded.paragraph(side)
        spans = [span for span in lit(stored, side) if span.role != "context"]
        if spans:
            sure = min(span.confidence for span in spans) >= EXACT
            many = f", {spans[0].occurrence} of {spans[0].occurrences}" if spans[0].occurrences > 1 else ""
            where = f" ¶{number + 1}" if number is not None else ""
            parts.append(f"{side}{where} {'exact' if sure else 'approximate'}{many}")
        elif number is not None:
            parts.append(f"{side} ¶{number + 1}")
    judge = f"the judge says “{stored.finding.hint}”" if stored.finding.hint else ""
    return [(" · ".join([*parts, judge] if judge else parts) or "no place is known", "faint")]


def _checks(evaluation: StoredEvaluation) -> list[Runs]:
    """What else to know of the evaluation: its instruction check if that failed, its flags, its signature."""
    rows: list[Runs] = []
    if evaluation.state == "instruction_failed":
        rows.append([("check  ", "faint"), (evaluation.instruction_check, "")])
    rows += [[("flag  ", "faint"), (flag.message, "faint")] for flag in evaluation.flags]
    if evaluation.signature:
        verified = f"{evaluation.quotes_verified}/{evaluation.quotes} quotes verified · " if evaluation.quotes else ""
        rows.append([("judged by  ", "faint"), (f"{verified}{evaluation.signature}", "faint")])
    return rows


def nothing_to_review(evaluation: StoredEvaluation) -> str:
    """What to say where an evaluation has no findings, and what the reviewer can do."""
    mend = " f marks the evaluation as done." if evaluation.state == "scored" else ""
    return f"{nothing_found(evaluation)}{mend}"


def act(event: Event, evaluation: StoredEvaluation) -> str:
    """An act in words, for undo and redo."""
    stored = evaluation.find(event.finding_id)
    where = f"error {stored.number} of " if stored else ""
    if event.kind == "review":
        what = words(event.changes.get("state"))
    elif decision := event.changes.get("decision"):
        what = words(decision)
    else:
        what = "note" if "note" in event.changes else "change"
    return f"{what}, {where}{evaluation.article.key} by {evaluation.system}"


def occurrences(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Yield where ``wanted`` occurs in ``text``, upper and lower case alike; offsets are of ``text`` itself."""
    if not wanted:
        return
    # Lower-casing one character at a time keeps offsets where a letter's lower case is longer than itself.
    folded = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    sought = "".join(low if len(low := c.lower()) == 1 else c for c in wanted)
    start = folded.find(sought)
    while start >= 0:
        yield start, start + len(sought)
        start = folded.find(sought, start + len(sought))
