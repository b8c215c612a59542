"""Proof of errors: each is mended alone, and a comparison says if the passage is better for it.

Source: MQM-APE (Lu et al., COLING 2025, arXiv 2409.14335). Its segment is here the sentence that the error is in.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from judges.grounding.alignment import paragraphs, sentences
from judges.metric_s.protocol.document_block import (
    data_block,
    documents_block,
    fenced,
    marked,
    on_one_line,
    word_not_in,
)
from judges.metric_s.protocol.protocol import Answered, Settings, Walk, raise_first, weights_of
from judges.metric_s.protocol.schemas import comparison_schema, mend_schema
from judges.metric_s.reading.proof_answers import read_comparison, read_mend
from judges.metric_s.scoring import judge_deduction, score
from judges.model import Article, Bead, Finding, Flag, Grounded, Judgement, Place, Preferred, Proof
from judges.providers.model import Ask

NO_PLACE = "its place in the translation is not known"
NOTHING_MENDED = "the mend changes nothing"


class Passage(NamedTuple):
    """Passage of the translation that an error is in, ``[start, end)``, and what it is shown with: whole paragraphs."""

    start: int
    end: int
    translation: str
    source: str


@dataclass(frozen=True, slots=True)
class Proved:
    """Proofs of an evaluation's findings, None for one that de-duplication dropped; and what answered, as `Judged`."""

    proofs: tuple[Proof | None, ...]
    answers: Mapping[str, Answered] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def passage_of(source: str, translation: str, where: Grounded, alignment: Sequence[Bead]) -> Passage | None:
    """Return the passage that a finding is in: the sentences that its places in the first paragraph of them touch.

    Where it has none that is sure enough, as an omission, it is the paragraph that it was said to be in; None where
    nobody knows that either. Beside it go its paragraphs and those of the source that are aligned with them, the whole
    source where none is.
    """
    units = paragraphs(translation)
    places = [span for span in where.spans if span.side == "translation" and span.lit]
    exact = [span for span in places if span.role == "quote"] or places
    if exact:
        first = min(exact, key=lambda span: span.start)
        number = max((i for i, unit in enumerate(units) if unit.start <= first.start), default=None)
    else:
        number = where.translation_paragraph
    if number is None or not 0 <= number < len(units):
        return None
    unit = units[number]
    start, end = unit.start, unit.end
    if exact:
        last = max(span.end for span in exact if span.start < unit.end)
        touched = [
            each
            for each in sentences(translation, unit.start, unit.end)
            if each.start < last and first.start < each.end
        ]
        if touched:
            start, end = touched[0].start, touched[-1].end
    beside = next((bead.source for bead in alignment if number in bead.translation), ())
    if not beside and where.source_paragraph is not None:
        beside = (where.source_paragraph,)
    of_source = paragraphs(source)
    shown = [source[of_source[i].start : of_source[i].end] for i in beside if i < len(of_source)]
    return Passage(start, end, translation[unit.start : unit.end], "\n".join(shown) or source)


async def prove(
    article: Article,
    translation: str,
    located: Sequence[tuple[Finding, Grounded]],
    alignment: Sequence[Bead],
    settings: Settings,
    ask: Ask,
    sample: int = 1,
) -> Proved:
    """Prove each finding that stands after de-duplication: mend its passage, then compare, in both orders.

    Proved: both comparisons prefer the mended passage. Unproved: not both do, or the mend changes nothing. Not tried:
    nobody knows where it is, or a model gave nothing usable. Never raises for what a model answers; raises NotAnswered
    where an answer may come later.
    """
    walk = _Proving(article=article, translation=translation, settings=settings, ask=ask, sample=sample, system="")
    standing = [i for i, (finding, _) in enumerate(located) if finding.kept]
    answers = await asyncio.gather(
        *(
            walk.prove(i + 1, located[i][0], passage_of(article.source, translation, located[i][1], alignment))
            for i in standing
        ),
        return_exceptions=True,
    )
    raise_first(answers)
    proofs: dict[int, Proof] = {
        i: answer for i, answer in zip(standing, answers, strict=True) if isinstance(answer, Proof)
    }
    models, formats, dropped = (tuple(sorted(names)) for names in (walk.models, walk.formats, walk.dropped))
    return Proved(
        proofs=tuple(proofs.get(i) for i in range(len(located))),
        answers=dict(sorted(walk.asked.items())),
        models=models,
        formats=formats,
        dropped=dropped,
    )


class _Proving(Walk):
    """The questions of one evaluation's proofs; ``asked``: each question with the number of its error."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.asked: dict[str, Answered] = {}

    async def prove(self, number: int, finding: Finding, passage: Passage | None) -> Proof:
        """Prove one finding, by its number in the evaluation."""
        if passage is None:
            return Proof("not_tried", reason=NO_PLACE)
        translation = self._translation
        original = on_one_line(translation[passage.start : passage.end])
        tried = Proof("not_tried", Place("translation", passage.start, passage.end))
        mend = await self._ask(
            "mend",
            mend_schema(),
            read_mend,
            documents=documents_block(passage.source, passage.translation),
            passage=data_block("passage", original),
            error=data_block("error", _error_line(finding, self._points)),
        )
        self._note(f"mend {number}", "mend")
        if mend.value is None or mend.outcome != "ok":
            return replace(tried, reason=f"mending: {self.reason_of(mend)}")
        tried = replace(tried, mend=mend.value)
        if mend.value == original.strip():
            return replace(tried, state="unproved", reason=NOTHING_MENDED)
        pair = original, mend.value
        compared = await asyncio.gather(
            self._compare(f"comparison {number}", passage.source, pair),
            self._compare(f"comparison {number} swapped", passage.source, pair[::-1]),
            return_exceptions=True,
        )
        raise_first(compared)
        votes = [each for each in compared if not isinstance(each, BaseException)]
        (first, why), (second, why_swapped) = votes
        words: dict[str, Preferred | None] = {"first": "original", "second": "mended", "equal": "neither", "": None}
        swapped: dict[str, Preferred | None] = {"first": "mended", "second": "original", "equal": "neither", "": None}
        proof = replace(
            tried,
            first=words[first],
            first_why=why if first else "",
            second=swapped[second],
            second_why=why_swapped if second else "",
        )
        if not first or not second:
            return replace(proof, reason=f"comparing: {why_swapped if first else why}")
        return replace(proof, state="proved" if proof.first == proof.second == "mended" else "unproved")

    async def _compare(self, name: str, source: str, versions: Sequence[str]) -> tuple[str, str]:
        """Return the word of a comparison and its explanation; no word, and why, where there is none."""
        first, second = versions
        reply = await self._ask(
            "comparison",
            comparison_schema(),
            read_comparison,
            documents=fenced("source", marked("S", source), word_not_in(source)),
            versions=f"{data_block('first', first)}\n\n{data_block('second', second)}",
        )
        self._note(name, "comparison")
        if reply.value is None or reply.outcome != "ok":
            return "", self.reason_of(reply)
        return reply.value.better, reply.value.explanation

    def _note(self, name: str, step: str) -> None:
        """Keep what a step's latest answer was under a name of its own, as no other has been noted since."""
        self.asked[name] = self.answers[step]


def _error_line(finding: Finding, points: Mapping[int, str]) -> str:
    """An error as the model that mends it is told of it: one line of JSON."""
    line: dict[str, object] = {}
    if finding.rubric_point is not None:
        line["point"] = points.get(finding.rubric_point, "")
    else:
        line |= {"category": finding.category or finding.category_label, "severity": finding.severity}
    if finding.quoted is not None:
        line |= {"source_quote": finding.quoted.source, "target_quote": finding.quoted.translation}
    line["explanation"] = finding.explanation
    if finding.quoted is not None and finding.quoted.suggestion:
        line["suggestion"] = finding.quoted.suggestion
    return on_one_line(json.dumps(line, ensure_ascii=False))


def proved_judgement(judgement: Judgement, proofs: Sequence[Proof | None], settings: Settings) -> Judgement:
    """Return a judgement whose unproved errors cost nothing: they stay among the findings, not kept.

    An error that was not tried is neither proved nor unproved: it costs what the judge said, and a flag says so.
    """
    findings = tuple(
        replace(finding, kept=finding.kept and not (proof and proof.state == "unproved"))
        for finding, proof in zip(judgement.findings, proofs, strict=True)
    )
    tried = [proof for proof in proofs if proof]
    states = [proof.state for proof in tried]
    flags = [*judgement.flags]
    if left := states.count("unproved"):
        flags.append(Flag("errors_unproved", f"{left} of {len(tried)} errors are unproved, and cost nothing"))
    if untried := states.count("not_tried"):
        why = "; ".join(dict.fromkeys(proof.reason for proof in tried if proof.state == "not_tried"))
        flags.append(
            Flag("errors_not_tried", f"{untried} of {len(tried)} errors were not tried, and cost as judged ({why})")
        )
    points = judgement.score
    if judgement.state == "scored":
        costs = (cost for finding in findings if (cost := judge_deduction(finding)) is not None)
        points = score(costs, weights_of(settings.scheme))
    return replace(judgement, findings=findings, score=points, flags=tuple(flags))
