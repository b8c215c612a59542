"""``discox list``, ``show`` and ``where``: what is in the library, and where it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from discox_tui.cli.core.options import JsonOptions, argument, choosing_words, flag
from discox_tui.cli.core.output import json_text, note, say
from discox_tui.cli.core.session import library, reviewer
from discox_tui.cli.library.doubts import Doubts
from discox_tui.config.paths import data_directory, database_path, settings_file
from discox_tui.reports.render.layout import domains
from discox_tui.reports.render.phrases import (
    asked_note,
    likely,
    nothing_found,
    proof_in_words,
    quote_notes,
    rated_by,
    rated_words,
    rounded,
)
from discox_tui.text.counts import counted
from judges.metric_s.human_score import Work
from judges.model import DIMENSIONS, EXACT, SIDES, Dimension, MarkedError, Proof, Span, StoredScore, Verdict
from storage.base.text import storable
from storage.record.groundings import GIVEN
from storage.record.library import StoredEvaluation, StoredFinding, contents, resolve
from storage.reviews.blinding import HIDDEN, Blinding, blinding_of, masked, others_at, unseen
from storage.reviews.events import FIELDS
from storage.reviews.pass_scores import RatedBySegment, rated_at
from storage.reviews.queue import Header, headers
from storage.reviews.review_state import read_work

if TYPE_CHECKING:
    from storage.analysis.judge_votes import Vote


@dataclass(frozen=True, kw_only=True)
class ListOptions(JsonOptions):
    """Options of ``discox list``."""

    words: tuple[str, ...] = choosing_words("only those in which every word occurs")
    validity: bool = flag("--validity", "say how likely the errors that you have not decided stand")


@dataclass(frozen=True, kw_only=True)
class ShowOptions(JsonOptions):
    """Options of ``discox show``."""

    evaluation: str = argument(type=storable, metavar="ID", help="the evaluation's id, or the beginning of it")
    validity: bool = flag("--validity", "say how likely the errors that you have not decided stand")


def _points(score: StoredScore, judged: Collection[Dimension] = DIMENSIONS) -> dict[str, float | None] | None:
    """A score by its parts; None where none is claimed, or of a part that is not ``judged``."""
    if score[0] is None:
        return None
    total, *parts = score
    return {"total": total, **{d: p if d in judged else None for d, p in zip(DIMENSIONS, parts, strict=True)}}


def _judged(header: Header) -> Collection[Dimension]:
    """The dimensions that the judge was asked about."""
    if header.signature is None:
        return DIMENSIONS
    from judges.metric_s.protocol.signature import Signature
    from judges.metric_s.scoring import Weights

    return Weights.of(Signature.parse(header.signature).weights).judged


def _header_json(header: Header, reviewer_name: str) -> dict[str, Any]:
    return {
        "id": header.id,
        "article": header.article,
        "system": header.system,
        "direction": header.direction,
        "domain": header.domain,
        "subdomain": header.subdomain,
        "judge": header.judge,
        "state": header.state,
        "failed": header.failed,
        "signature": header.signature,
        "sample": header.sample,
        "superseded_by": header.superseded_by,
        "earlier_version": header.earlier_version,
        "quotes": header.quotes,
        "quotes_verified": header.quotes_verified,
        "score": _points(header.score, _judged(header)),
        "stored_score": _points(header.stored_score),
        "flags": [{"code": flag.code, "message": flag.message} for flag in header.flags],
        "findings": header.findings,
        "errors": header.errors,
        "reviewed_by_others": header.others,
        "rated": [each._asdict() for each in header.rated],
        "review": {
            "reviewer": reviewer_name,
            "state": header.review,
            "reason": header.reason,
            "decided": header.decided,
            "unsure": header.unsure,
            "of": header.errors,
            "search": header.search,
            "marked": header.marked,
            "blind": header.blind,
            "unconfirmed": header.unconfirmed,
            "hidden": header.hidden,
            "human_score": _points(header.human_score, _judged(header)),
        },
    }


def _state(header: Header) -> str:
    if header.state is None:
        return HIDDEN
    passed = ", superseded" if header.superseded_by else ", earlier version" if header.earlier_version else ""
    return header.state.replace("_", " ") + passed


def list_evaluations(options: ListOptions) -> int:
    """Print the evaluations, one a line, with scores and how far their review is."""
    name, words = reviewer(options), " ".join(options.words)
    with library(options, discreet=True) as connection:
        blinding = blinding_of(connection, name)
        found = headers(connection, name, words=words, blinding=blinding)
        articles, translations = contents(connection)
        doubts = Doubts.read(connection, name, [h.id for h in found if not h.hidden]) if options.validity else None
    if options.json:
        of = {header.id: doubts.of(header.id) for header in found} if doubts else {}
        print(json_text([_header_json(each, name) | ({"validity": of[each.id]} if of else {}) for each in found]))
    elif not found and words:
        note(f"discox: no evaluation contains {words!r}; leave words out")
    elif not found and articles:
        named = blinding == "open"
        by = ", ".join(f"{system} ({count:,})" for system, count in translations.items() if named)
        by = by or f"{sum(translations.values()):,}" if translations else "none"
        note(f"discox: {counted(articles, 'article')}, translations: {by}; nothing is judged, see `discox judge`")
    elif not found:
        note("discox: there is nothing here yet; `discox import FILE` brings evaluations in")
    else:
        from discox_tui.text.columns import table

        rows = [
            (
                header.id[:10],
                header.article,
                header.system,
                header.direction,
                domains(header.domain, header.subdomain),
                header.judge or "–",
                _state(header),
                ", ".join(rated_words(header.rated)) or "–",
                "–" if header.score[0] is None else str(header.score[0]),
                "–" if header.human_score[0] is None else str(header.human_score[0]),
                "–" if header.hidden else f"{header.decided}/{header.errors}",
                f"{header.review.replace('_', ' ')}{', blind first' if header.blind else ''}"
                + (f", {counted(header.others, 'other')}" if header.others else ""),
                *((doubts.expected(header.id),) if doubts else ()),
            )
            for header in found
        ]
        heads = [
            "id",
            "article",
            "system",
            "dir",
            "domain",
            "judge",
            "state",
            "rated",
            "judge's",
            "yours",
            "decided",
            "review",
        ]
        for line in table((*heads, *(("doubtful",) if doubts else ())), rows, right=(8, 9, 10, 12)):
            say(line)
    if doubts:
        doubts.explain()
    _say_hidden(found, blinding, name)
    return 0


def _say_hidden(found: Sequence[Header], blinding: Blinding, name: str) -> None:
    """Say on standard error what is hidden from the reviewer, and how it can be seen."""
    hidden = sum(header.hidden for header in found)
    if hidden:
        said = f"what the judge said of {counted(hidden, 'evaluation')}; reveal it in the app"
    elif found and blinding != "open":
        said = "the names of systems; h in the app's queue shows them"
    elif any(header.system == HIDDEN for header in found):
        said = "the names of systems, as long as any translation of the same article is"
    else:
        return
    note(f"discox: hidden from {name}: {said}, or ask as another --reviewer")


def show(options: ShowOptions) -> int:
    """Print one evaluation: its texts, every finding with where it is and the verdict on it, rubric, flags."""
    from storage.analysis.judge_votes import locate_beside, votes_at
    from storage.record.groundings import read_grounded

    name = reviewer(options)
    with library(options, discreet=True) as connection:
        identity = resolve(connection, options.evaluation)
        blinding = blinding_of(connection, name)
        (header,) = headers(connection, name, evaluation_id=identity, blinding=blinding)
        evaluation = masked(read_grounded(connection, identity), unseen(connection, name, identity, blinding))
        work = read_work(connection, identity, name)
        others = others_at(connection, name, identity, blinding)
        locate_beside(connection, identity)
        votes = votes_at(connection, identity)
        rated = rated_at(connection, identity, [each.rater for each in header.rated])
        shown = () if header.hidden else (identity,)
        doubts = Doubts.read(connection, name, shown) if options.validity else None
    if options.json:
        plain = _header_json(header, name) | _evaluation_json(evaluation, work, others, votes[0])
        plain["rated"] = [each.rated._asdict() | {"segments": each.segments, "earlier": each.earlier} for each in rated]
        if doubts:
            plain |= {"learnt_from": doubts.learnt_from}
            plain["findings"] = [each | {"validity": doubts.chance(each["id"])} for each in plain["findings"]]
        print(json_text(plain))
    else:
        _print_evaluation(header, evaluation, work, *votes, doubts, rated)
        _print_others(others)
    if doubts:
        doubts.explain()
    _say_hidden([header], blinding, name)
    return 0


def _evaluation_json(
    evaluation: StoredEvaluation, work: Work, others: Sequence[tuple[str, int]], votes: Mapping[str, Vote]
) -> dict[str, Any]:
    verdict_on = {v.point: v for v in evaluation.rubric}
    return {
        "source": evaluation.article.source,
        "translation": evaluation.translation,
        "instruction_check": evaluation.instruction_check,
        "grounding": evaluation.method or None,
        "findings": [
            _finding_json(f, evaluation, work.verdicts.get(f.id), votes.get(f.id)) for f in evaluation.findings
        ],
        "marked_errors": [_marked_json(error, evaluation, work) for error in work.errors.values()],
        "others": [{"reviewer": other, "marked": marked} for other, marked in others],
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


def _finding_json(
    stored: StoredFinding, evaluation: StoredEvaluation, verdict: Verdict | None, vote: Vote | None
) -> dict[str, Any]:
    finding, grounded = stored.finding, stored.grounded
    lit = [span for span in grounded.spans if span.lit]
    return {
        "id": stored.id,
        "number": stored.number,
        "step": finding.judge,
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
                "text": evaluation.text(span.side)[span.start : span.end],
                "role": span.role,
                "method": span.method,
                "confidence": span.confidence,
                "occurrence": span.occurrence,
                "occurrences": span.occurrences,
            }
            for span in grounded.spans
        ],
        "unlocated_quotes": [{"side": side, "text": text} for side, text in grounded.unlocated],
        "asked": list(grounded.notes),
        "quoted": asdict(finding.quoted) if finding.quoted else None,
        "kept": finding.kept,
        "duplicate_of": stored.duplicate_of,
        "proof": _proof_json(stored.proof),
        "votes": vote and {"votes": vote.votes, "judges": vote.judges, "share": vote.share},
        "verdict": None if verdict is None else _verdict_json(verdict),
    }


def _proof_json(proof: Proof | None) -> dict[str, Any] | None:
    """Return what came of mending an error; None where nobody tried."""
    if proof is None:
        return None
    return {
        "state": proof.state,
        "passage": proof.place and [proof.place.start, proof.place.end],
        "mend": proof.mend,
        "original_first": proof.first and {"preferred": proof.first, "why": proof.first_why},
        "mended_first": proof.second and {"preferred": proof.second, "why": proof.second_why},
        "reason": proof.reason,
    }


def _marked_json(error: MarkedError, evaluation: StoredEvaluation, work: Work) -> dict[str, Any]:
    """Return the line of an error that the reviewer marked, and of the judge's that it is."""
    return {
        "id": error.id,
        "dimension": error.dimension,
        "category": error.category,
        "severity": error.severity,
        "spans": [
            {"side": side, "start": start, "end": end, "text": evaluation.text(side)[start:end]}
            for side, start, end in error.spans
        ],
        "repeat_of": error.repeat_of,
        "blind": error.blind,
        "missed": error.missed,
        "finding": work.matched.get(error.id),
        "note": error.note,
    }


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    """The decision, and only those of the other fields that are set."""
    values = {name: getattr(verdict, name) for name in FIELDS["verdict"]}
    return {name: value for name, value in values.items() if value is not None or name == "decision"}


def _print_evaluation(
    header: Header,
    evaluation: StoredEvaluation,
    work: Work,
    votes: Mapping[str, Vote],
    judges: Sequence[str],
    doubts: Doubts | None,
    rated: Sequence[RatedBySegment],
) -> None:
    from discox_tui.reports.ranking.weighting import vote_of
    from discox_tui.text.safe import safe

    judge = f"judge {evaluation.judge}" if evaluation.judge else "no judge"
    article = evaluation.article
    facts = (article.key, article.direction, domains(article.domain, article.subdomain), evaluation.system, judge)
    say(" · ".join(fact for fact in facts if fact))
    blind = f", blind first: {header.blind}" if header.blind else ""
    say(f"id {evaluation.id} · {_state(header)} · review {header.review}{blind}")
    judged = evaluation.weights.judged
    say(f"  judge: {_sum(header.score, judged)}")
    if not evaluation.signature:
        whose = "own" if evaluation.method == GIVEN else "stored"  # of another tool's scale
        say(f"{whose:>7}: {_sum(header.stored_score)}")
    say(f"    you: {_sum(header.human_score, judged)}")
    for each in rated:
        say(f"  rated: {rated_by(each.rated, each.segments)}")
        if each.earlier:
            said = ", ".join(f"{n}: {' and '.join(map(rounded, scores))}" for n, scores in each.earlier.items())
            say(f"         earlier, kept and not counted: by segment {said}")
    if evaluation.signature:
        say(f"     by: {evaluation.signature}")
    if evaluation.quotes:
        say(f" quotes: {evaluation.quotes_verified}/{evaluation.quotes} verified")
    for remark in evaluation.flags:
        say(f"   flag: {remark.message}")
    for title, text in (("Source", evaluation.article.source), ("Translation", evaluation.translation or "(none)")):
        say()
        say(title)
        print(safe(text, multiline=True))
    say()
    say("Errors" if evaluation.findings else nothing_found(evaluation))
    for stored in evaluation.findings:
        finding = stored.finding
        why = "left out as unproved" if stored.left_out_unproved else "dropped as a duplicate"
        state = "" if finding.kept else f" ({why})"
        verdict = work.verdicts.get(stored.id)
        decided = f" → {verdict.decision.replace('_', ' ')}" if verdict and verdict.decision else ""
        say(
            f"{stored.number:>4} {finding.dimension} · {finding.category or finding.category_label or '?'} · "
            f"{(finding.severity or finding.severity_label or '?').replace('_', ' ')}{state}{decided}"
        )
        say(f"     {finding.explanation}")
        for name, said in proof_in_words(stored):
            say(f"     {name}: {said}")
        if vote := votes.get(stored.id):
            say(f"     found by {vote_of(vote, judges)}")
        if doubts and (chance := doubts.chance(stored.id)) is not None:
            say(f"     {likely(chance)}")
        for side in SIDES:
            if places := [span for span in stored.grounded.spans if span.side == side and span.lit]:
                say(f"     {side}: {' … '.join(_quote(evaluation.text(side), span) for span in places)}")
        if finding.quoted and finding.quoted.suggestion:
            say(f"     suggests: {finding.quoted.suggestion}")
        if said := quote_notes(finding.quoted, lost=True):
            say(f"     quotes: {said}")
        if said := "; ".join(map(asked_note, stored.grounded.notes)):
            say(f"     asked: {said}")
        if verdict and verdict.note:
            say(f"     note: {verdict.note}")
    if work.errors:
        say()
        say("Marked by you")
    for error in work.errors.values():
        category = error.category or error.category_label or "?"
        severity = (error.severity or error.severity_label).replace("_", " ")
        found = evaluation.find(work.matched.get(error.id))
        said = f" → {found.number}" if found else " → missed by the judge" if error.missed else ""
        say(f"   + {error.dimension or '–'} · {category} · {severity}{said}")
        for side in SIDES:
            if parts := [Span(*place) for place in error.spans if place.side == side]:
                say(f"     {side}: {' … '.join(_quote(evaluation.text(side), span) for span in parts)}")
        if error.note:
            say(f"     note: {error.note}")


def _print_others(others: Sequence[tuple[str, int]]) -> None:
    """Say who else has reviewed the evaluation, and how what they marked is seen."""
    if others:
        say()
        say("Reviewed by others, whose marks and verdicts --reviewer NAME shows")
        for name, marked in others:
            say(f"   {name}: {counted(marked, 'error')} marked")


def _quote(text: str, span: Span) -> str:
    """Return the text at a place on one line, with the offset at which it begins."""
    said = " ".join(text[span.start : span.end].split())
    sure = "" if span.confidence >= EXACT else "~"
    return f"{sure}“{said if len(said) <= _LONG else f'{said[: _LONG - 1]}…'}” ({span.start:,})"


_LONG = 60
"""Characters of a place that are shown."""


def _sum(score: StoredScore, judged: Collection[Dimension] = DIMENSIONS) -> str:
    total, *parts = ("–" if points is None else f"{points:g}" for points in score)
    named = (
        f"{dimension} {points}" for dimension, points in zip(DIMENSIONS, parts, strict=True) if dimension in judged
    )
    return total if score[0] is None else f"{total} = {' + '.join(named)}"


def where(options: JsonOptions) -> int:
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
