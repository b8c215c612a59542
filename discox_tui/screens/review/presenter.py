"""Texts of the review about an evaluation and its errors, as runs: no widgets, no state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.ranking.weighting import vote_of
from discox_tui.reports.render import phrases
from discox_tui.reports.render.layout import domains
from discox_tui.screens.review.error_marks import Standing, lit, paragraph_at, quoted
from discox_tui.sessions.contradictions import counts_in_words, fields_in_words
from discox_tui.text.glyphs import CONTRADICTED_MARK, DECISION_MARKS, OWN_MARK, REPEAT_MARK, SEVERITY_MARKS
from discox_tui.text.runs import Run, Runs
from judges.metric_s.scoring import Weights
from judges.model import CATEGORIES, DIMENSIONS, EXACT, SIDES, Finding, MarkedError, Places, Score
from storage.record.groundings import GIVEN
from storage.record.library import StoredFinding
from storage.reviews.events import POINT
from storage.reviews.layers import is_adjudicated

if TYPE_CHECKING:
    from discox_tui.sessions.open_review import Subject
    from discox_tui.sessions.review import ReviewSession
    from discox_tui.widgets.virtual_table import Cell
    from storage.record.library import StoredEvaluation
    from storage.reviews.events import Event

HOW_TO_MARK = "To mark an error of your own, select its words (v) and press e."
ACTS = {
    "removed": "removing",
    "repeat_of": "repeat",
    "invented": "invented quote",
    "matches": "match",
    "missed": "missed by the judge",
    "spans": "place",
    "dimension": "dimension",
    "category": "category",
    "severity": "severity",
    "note": "note",
}
"""Changes in words; the first that applies is told."""
CLEARING = "clearing your verdict"
CHINESE = {name: label for labels in CATEGORIES.values() for name, label in labels.items()}
SHORT = {"accuracy": "acc", "fluency": "flu", "appropriateness": "app"}


def words(name: str | None) -> str:
    """A name of the vocabulary as people read it, decisions as the signs' legend calls them."""
    return _DECISIONS.get(name or "?") or (name or "?").replace("_", " ")


_DECISIONS = {"override": "changed", "reattribute": "moved"}


def excerpt(evaluation: StoredEvaluation, subject: Subject, now: Standing) -> str:
    """A few words by which to recognise an error: what it quotes, else the judge's prose."""
    if words_ := quoted(evaluation, subject, now):
        return f"“{words_[:120]}”"
    return subject.finding.explanation[:120] if isinstance(subject, StoredFinding) else ""


def severity_words(finding: Finding) -> str:
    """The judge's severity with its mark, or the judge's word where it could not be read."""
    if finding.severity is None:
        return f"? {finding.severity_label or 'unreadable'}"
    return f"{SEVERITY_MARKS[finding.severity]} {words(finding.severity)}"


def error_cells(
    evaluation: StoredEvaluation, subject: Subject, session: ReviewSession, *, narrow: bool
) -> Sequence[Cell]:
    """One error as cells of the list; a narrow one has marks and short names for words."""
    now = Standing.of(subject, session)
    plain = "faint" if now.dropped else "plain"
    label = subject.severity_label if isinstance(subject, MarkedError) else subject.finding.severity_label
    short = {"extremely_critical": "extreme"}.get(now.severity or "", words(now.severity or label))
    mark = SEVERITY_MARKS[now.severity] if now.severity else "?"
    points = session.human_cost(subject.id)
    decision = (OWN_MARK, "current")
    dimension, rubric = subject.dimension if isinstance(subject, MarkedError) else subject.finding.dimension, None
    if isinstance(subject, StoredFinding):
        verdict = session.verdict(subject)
        decision = (DECISION_MARKS[verdict.decision], "current" if verdict.decision else "faint")
        rubric = None if verdict.dimension else subject.finding.rubric_point
        dimension = verdict.dimension or dimension
    severity_style = plain if now.dropped else now.severity or "faint"
    before: list[Cell] = [
        (mark, severity_style),
        (SHORT.get(dimension or "", "–") if rubric is None else f"r {rubric}", plain),
    ]
    if not narrow:
        before = [
            (dimension or "–" if rubric is None else f"rubric {rubric}", plain),
            (f"{mark} {short}", severity_style),
        ]
    cost = f"−{-points}" if points else ""
    words_ = _remarks(subject, session) + excerpt(evaluation, subject, now)
    return [decision, (session.label(subject), plain), *before, (cost, plain), (words_, plain)]


def _remarks(subject: Subject, session: ReviewSession) -> str:
    """Return the list's remarks before an error's words: what it repeats or is, an invented quote, its chance."""
    said = ""
    if other := session.counts_as(subject) or session.find(session.repeat_of(subject)):
        said = f"{REPEAT_MARK} {session.label(other)} "
    if isinstance(subject, MarkedError) and (found := session.find(session.work.matched.get(subject.id))):
        said += f"= {session.label(found)} "
    if subject.id in session.contradictions:
        said = f"{CONTRADICTED_MARK} {said}"
    if isinstance(subject, StoredFinding):
        said += "invented: " if session.verdict(subject).invented else ""
        chance = session.chance(subject)
        said += "" if chance is None else f"{100 * chance:.0f} % "
    return said


def marked_severity(error: MarkedError) -> str:
    """The severity of an error that a reviewer marked, or the other scheme's word where it is none of ours."""
    if error.severity is None:
        return f"? {error.severity_label}"
    return f"{SEVERITY_MARKS[error.severity]} {words(error.severity)}"


def short_title(subject: Subject) -> str:
    """Dimension and severity of an error."""
    if isinstance(subject, MarkedError):
        return f"{subject.dimension or '–'} · {words(subject.severity or subject.severity_label)}"
    finding = subject.finding
    if finding.judge == "rubric":
        return f"rubric point {finding.rubric_point}"
    return f"{finding.dimension} · {words(finding.severity)}"


def severity_detail(level: str, judged: str | None, weights: Weights) -> str:
    """Return the points of a severity, and if it is the judge's."""
    return f"−{weights.severities[level]}" + ("  the judge's" if level == judged else "")  # type: ignore[index]


def category_detail(name: str, judged: str | None) -> str:
    """The Chinese name of a category, and whether it is the judge's."""
    return CHINESE[name] + ("  the judge's" if name == judged else "")


def title(session: ReviewSession, index: int, position: int | None, *, narrow: bool) -> tuple[Runs, Runs]:
    """The title bar: what is under review, and where the reviewer is."""
    evaluation = session.evaluation
    assert evaluation is not None
    left: list[Run] = [("discox", "title"), (f"  {evaluation.article.key}", "strong")]
    facts = [evaluation.article.direction.replace("-", "→"), evaluation.system]
    if not narrow:
        facts += [domains(evaluation.article.domain, evaluation.article.subdomain)]
        facts += [f"judge {evaluation.judge}"] if evaluation.judge else []
    left.append(("  " + " · ".join(fact for fact in facts if fact), ""))
    if is_adjudicated(session.layer):
        left.append(("  adjudicated layer", "current"))
    if evaluation.state != "scored":
        failed = f": {', '.join(map(words, evaluation.failed))}" if evaluation.failed else ""
        left.append((f"  {words(evaluation.state)}{failed}", "critical"))
    errors = len(session.subjects)
    right: list[Run] = []
    if session.contradictions:
        right.append((f"{CONTRADICTED_MARK} {len(session.contradictions)} to decide anew  ", "critical"))
    if errors:
        right += [("error ", "faint"), (f"{index + 1}/{errors}", "strong")]
    if position is not None:
        right += [("  evaluation ", "faint"), (f"{position + 1:,}/{len(session.queue):,}", "strong")]
    return left, right


def headings(evaluation: StoredEvaluation) -> tuple[str, str]:
    """Return the headings of the source and of the translation."""
    languages = evaluation.article.direction.replace("-", " → ")
    return f" source · {languages}" if languages else " source", f" translation · {evaluation.system}"


def scores(evaluation: StoredEvaluation, session: ReviewSession, *, narrow: bool) -> tuple[tuple[Runs, Runs], ...]:
    """The score bar: the judge's row and the reviewer's, with what a floor swallows and how far the review is."""
    judge, human = evaluation.score, session.human
    stored = evaluation.stored_score[0]
    right_of_judge: list[Run] = []
    if stored is not None and (judge is None or stored != judge.total):
        whose = "its own score is" if evaluation.method == GIVEN else "the file says"  # of another tool's scale
        right_of_judge.append((f"{whose} {stored:g}", "faint"))
    state = {"done": "✓ done ", "skipped": "skipped "}.get(session.review.state, "")
    progress: list[Run] = [(state, "good"), ("searched " if session.work.search_done else "", "good")]
    lost = [
        (name, points) for name, points in zip(DIMENSIONS, human.lost if human else (0, 0, 0), strict=True) if points
    ]
    floor = ", ".join(f"{SHORT[name] if narrow or len(lost) > 1 else name} {points}" for name, points in lost)
    progress += _progress(evaluation, session, bar=not (narrow and floor))
    weights = evaluation.weights
    mine = points("you  ", human, judge, weights, narrow=narrow)
    if human is None:
        mine = [("you    ", "faint"), ("–  ", "strong"), (_why_no_score(session), "faint")]
    elif session.untranslated:
        said = "no translation, you say" if narrow else "you say that it is no translation of the whole text: 0 by rule"
        mine.append((f"   {said}", "critical"))
    elif floor:
        mine.append((f"   {floor} below the floor", "major"))
    return (points("judge", judge, None, weights, narrow=narrow), right_of_judge), (mine, progress)


def _progress(evaluation: StoredEvaluation, session: ReviewSession, *, bar: bool) -> list[Run]:
    """Return the numbers of errors decided and of missed errors marked; ``bar``: drawn, too."""
    marked = len(session.work.errors)
    if session.hidden:
        return [(f"{marked} marked", "strong")]
    errors, decided = len(evaluation.errors), session.decided()
    filled = round(10 * decided / errors) if errors else 10
    count = f" {decided}/{errors}" + (f" +{marked}" if marked else "")
    drawn: list[Run] = [("━" * filled, "current"), ("━" * (10 - filled), "faint")] if bar else []
    return [*drawn, (count, "strong")]


def _why_no_score(session: ReviewSession) -> str:
    evaluation = session.evaluation
    assert evaluation is not None
    if session.work.instruction == "overturn":
        return "you overturned the instruction check: mark the errors, then state that you searched (m)"
    return {
        "score_only": "a score only: the judge named no errors, there is nothing to review",
        "judge_failed": f"no score is claimed: {phrases.failed(evaluation)} gave nothing usable",
        "instruction_failed": "the instruction check failed, 0 by rule: agree, or overturn it (I)",
        "no_translation": "the system gave no translation",
        "not_judged": "no judge was asked; your errors make a score once the search is done",
    }.get(evaluation.state, "")


def points(name: str, score: Score | None, other: Score | None, weights: Weights, *, narrow: bool) -> list[Run]:
    """A score by dimension; ``other``: the one that it is to be told apart from."""
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


def detail(evaluation: StoredEvaluation, subject: Subject | None, session: ReviewSession, step: str = "") -> list[Runs]:
    """Everything to know of the current error, as paragraphs; ``step``: which occurrence of its quote is shown."""
    if subject is None:
        return [[(nothing_to_review(session), "")], *_checks(session)]
    if isinstance(subject, MarkedError):
        return _own_error(evaluation, subject, session)
    stored = subject
    finding = stored.finding
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
        *contradicted(session, stored.id),
        *_verdict(session, stored),
        [(finding.explanation, "")],
    ]
    if finding.quoted and finding.quoted.suggestion:
        paragraphs_.append([("suggests  ", "faint"), (finding.quoted.suggestion, "")])
    if finding.rubric_point is not None:
        text = next((p.text for p in evaluation.article.rubric if p.number == finding.rubric_point), None)
        paragraphs_.append([("rubric  ", "faint"), (text or "this point is not in the article's rubric", "")])
    paragraphs_ += _deduplication(evaluation, stored)
    vote, judges = session.opinions.vote(stored)
    if vote:
        paragraphs_.append([("votes  ", "faint"), (f"found by {vote_of(vote, judges)}", "")])
    if (learnt := session.opinions.learnt) and (chance := session.chance(stored)) is not None:
        told = phrases.learnt_from(learnt.n, learnt.articles)
        paragraphs_.append([("validity  ", "faint"), (phrases.likely(chance), "strong"), (f", {told}", "faint")])
    paragraphs_.append([("place  ", "faint"), *_place(stored)])
    if step:
        paragraphs_.append([("shown  ", "faint"), (step, "current")])
    for side, quote in stored.grounded.unlocated:
        paragraphs_.append([("not found  ", "faint"), (f"“{quote}” occurs nowhere in the {side}", "major")])
    if said := phrases.quote_notes(finding.quoted, lost=False):
        paragraphs_.append([("quotes  ", "faint"), (said, "")])
    if said := "; ".join(map(phrases.asked_note, stored.grounded.notes)):
        paragraphs_.append([("asked  ", "faint"), (said, "")])
    return paragraphs_ + _checks(session)


def _verdict(session: ReviewSession, stored: StoredFinding) -> Iterator[Runs]:
    """Return the reviewer's verdict on a finding."""
    verdict, evaluation = session.verdict(stored), session.evaluation
    assert evaluation is not None
    if verdict.decision is not None:
        changes = [words(v) for v in (verdict.dimension, verdict.category, verdict.severity) if v]
        if verdict.duplicate_of:
            other = evaluation.find(verdict.duplicate_of)
            changes.append(f"of {other.number}" if other else "of another")
        if verdict.spans:
            changes.append("other place")
        mark = DECISION_MARKS[verdict.decision]
        said = f"{mark} {words(verdict.decision)}{': ' if changes else ''}{', '.join(changes)}"
        yield [("you  ", "faint"), (said, "current")]
    yield from _repeat(session, stored)
    yield from _places(evaluation, verdict.spans or ())
    if verdict.invented:
        yield [("you  ", "faint"), ("invented: what the judge quotes occurs nowhere", "current")]
    if verdict.matches and (own := session.find(verdict.matches)):
        yield [("you  ", "faint"), (f"the same error as {session.label(own)}, which you marked", "current")]
    if verdict.note:
        yield [("note  ", "faint"), (verdict.note, "")]


def contradicted(session: ReviewSession, subject: str) -> Iterator[Runs]:
    """Return a subject's contradictions between two copies ("": the evaluation's)."""
    for counts, gave_way in session.contradictions.get(subject, ()):
        of, undone = session.called(counts.finding_id), counts.kind == "undo"
        said = counts_in_words(counts.changes, of, session.called(subject), undone=undone, called=session.called)
        gave = fields_in_words(gave_way, session.called)
        mend = "decide it anew, or say the same again to keep it"
        yield [
            (f"{CONTRADICTED_MARK} contradicts  ", "critical"),
            (f"you worked in two copies; the later act counts: {said}. Gave way: {gave}; {mend}", ""),
        ]


def _repeat(session: ReviewSession, subject: Subject) -> Iterator[Runs]:
    """Return the error that this one repeats, and those that repeat it."""
    counting = session.counts_as(subject)
    once = f"together they count once, {f'as {session.label(counting)}' if counting else 'here'}"
    if other := session.find(session.repeat_of(subject)):
        name = f"{session.label(other)} ({short_title(other)})"
        yield [("you  ", "faint"), (f"{REPEAT_MARK} the same mistake as {name}; {once}", "current")]
    if repeats := session.repeats(subject):
        yield [("repeats  ", "faint"), (f"{', '.join(map(session.label, repeats))}; {once}", "")]


def _places(evaluation: StoredEvaluation, places: Places) -> Iterator[Runs]:
    """Return the places that the reviewer gives an error, with the words there."""
    for side, start, end in places:
        text = evaluation.text(side)
        number = paragraph_at(text, start)
        where = f" ¶{number + 1}" if number is not None else ""
        yield [(f"{side}{where}  ", "faint"), (f"“{text[start:end]}”", "")]


def _own_error(evaluation: StoredEvaluation, error: MarkedError, session: ReviewSession) -> list[Runs]:
    """Everything to know of an error that the reviewer marked."""
    category = f"{words(error.category or error.category_label)} {CHINESE.get(error.category or '', '')}".strip()
    points = -session.human_cost(error.id)
    paragraphs: list[Runs] = [
        [
            (f"{session.label(error)}  ", "title"),
            (f"{error.dimension or 'no dimension'} · {category} · ", "strong"),
            (marked_severity(error), error.severity or "strong"),
            (f"  −{points}" if points else "  no points of its own", "faint"),
        ],
        *contradicted(session, error.id),
        *_repeat(session, error),
        *_places(evaluation, error.spans),
    ]
    missing = misses(error)
    for side in SIDES:
        if side not in {place.side for place in error.spans}:
            paragraphs.append(
                [(f"{side}  ", "faint"), (missing or "nothing is marked there", "major" if missing else "faint")]
            )
    if error.note:
        paragraphs.append([("note  ", "faint"), (error.note, "")])
    paragraphs.append([("yours  ", "faint"), (_origin(error, session), "faint")])
    return paragraphs + _rated(session)


def misses(error: MarkedError) -> str:
    """Return the advice for an error without a place on the side on which it is; empty if it has one.

    What was left out stands in the source, everything else in the translation.
    """
    side, what = ("source", "what was left out") if error.category == "omission" else ("translation", "the error")
    if not error.dimension or side in {place.side for place in error.spans}:
        return ""
    return f"nothing is marked there, where {what} is: select it (v) and press p"


def _origin(error: MarkedError, session: ReviewSession) -> str:
    """Return the relation of a missed error to the judge's findings."""
    marked = "marked before the judge's errors were shown" if error.blind and not session.hidden else "marked by you"
    if found := session.find(session.work.matched.get(error.id)):
        return f"{marked}; the judge found it as {session.label(found)}"
    return f"{marked}; none of the judge's, as you confirmed" if error.missed else marked


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


def _checks(session: ReviewSession) -> list[Runs]:
    """Return facts about the evaluation: its instruction check if that failed, its flags, its signature."""
    rows: list[Runs] = []
    evaluation = session.evaluation
    assert evaluation is not None
    rows += contradicted(session, "")
    if (decision := session.work.instruction) is not None:
        said = "you agree" if decision == "agree" else "you overturned it"
        rows.append([("check  ", "faint"), (f"the instruction check: {said}", "current")])
    if evaluation.state == "instruction_failed":
        rows.append([("check  ", "faint"), (evaluation.instruction_check, "")])
    rows += _rated(session)
    rows += [[("flag  ", "faint"), (flag.message, "faint")] for flag in evaluation.flags]
    if evaluation.signature:
        verified = f"{evaluation.quotes_verified}/{evaluation.quotes} quotes verified · " if evaluation.quotes else ""
        rows.append([("judged by  ", "faint"), (f"{verified}{evaluation.signature}", "faint")])
    return rows


def _rated(session: ReviewSession) -> list[Runs]:
    """Return the scores that people gave the translation in other tools."""
    return [[("rated  ", "faint"), (phrases.rated_by(each.rated, each.segments), "")] for each in session.rated]


def nothing_to_review(session: ReviewSession) -> str:
    """Return the sentence for a list without errors, with what the reviewer can do."""
    evaluation = session.evaluation
    assert evaluation is not None
    can = [phrases.nothing_found(evaluation)]
    if evaluation.state == "scored" and not session.hidden:
        can.append("f marks the evaluation as done.")
    if evaluation.state == "instruction_failed":
        can.append("I shows why: agree, or overturn it.")
    if evaluation.translation is not None:
        can.append(HOW_TO_MARK)
    return " ".join(can)


def act(event: Event, session: ReviewSession) -> str:
    """An act in words, for undo and redo; its evaluation is the open one."""
    evaluation, changes = session.evaluation, event.changes
    assert evaluation is not None
    called = session.called(event.finding_id)
    where = f"error {called} of " if called else ""
    if event.kind == "review":
        named = {"search": "search for missed errors", "instruction": "instruction check"}
        what = next((said for name, said in named.items() if name in changes), words(changes.get("state")))
    elif event.kind == "point":
        said = words(changes["decision"]) if changes.get("decision") else CLEARING if "decision" in changes else "note"
        what = f"{said}, rubric point {(event.finding_id or '').removeprefix(POINT)}"
    elif event.kind == "verdict" and "decision" in changes and not (changes["decision"] or "matches" in changes):
        what = CLEARING
    elif decision := changes.get("decision"):
        what = words(decision)
    elif event.kind == "error" and {"dimension", "severity", "spans"} <= changes.keys():
        what = f"marking a missed {changes['dimension']} error"
    else:
        what = next((said for name, said in ACTS.items() if name in changes), "change")
    return f"{what}, {where}{evaluation.article.key} by {evaluation.system}"


def cleared(what: str, note: str | None) -> str:
    """Say what clearing a verdict did. ``what``: its subject; ``note``: the note written there."""
    return f"Your verdict on {what} is cleared{', your note stays' if note else ''}. u brings it back."
