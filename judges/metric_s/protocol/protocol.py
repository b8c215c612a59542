"""One evaluation by Metric-S: which judge is asked what, when, and what their answers come to.

Source of the rounds: the DiscoX paper (ICLR 2026, arXiv 2511.10984). Of its calls, those that only copy lists are not
made: what the de-duplicator advises is carried out in code.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, get_args

from judges.grounding.quote_check import Checker
from judges.metric_s.protocol.document_block import data_block, documents_block, on_one_line, sendable
from judges.metric_s.protocol.few_shot import FewShotSet, block
from judges.metric_s.protocol.prompts import Prompts, languages_of
from judges.metric_s.protocol.quote_repair import check_quotes
from judges.metric_s.protocol.request_readers import material_of
from judges.metric_s.protocol.schemas import (
    Schema,
    check_schema,
    deduplication_schema,
    detailed_schema,
    findings_schema,
    repair_schema,
    rubric_schema,
    simple_schema,
)
from judges.metric_s.protocol.special_tokens import Disguise
from judges.metric_s.reading.answers import (
    Detailed,
    Reader,
    read_advice_on,
    read_check,
    read_detailed,
    read_findings,
    read_points,
    read_repair,
    read_rubric,
    refusing_copies,
)
from judges.metric_s.reading.deduplication import apply, drop_repeated
from judges.metric_s.reading.error_list import JudgeList
from judges.metric_s.reading.material import Material
from judges.metric_s.scoring import METRIC_S, Weights, judge_deduction, score
from judges.model import (
    DIMENSIONS,
    JUDGES,
    Article,
    Finding,
    Flag,
    Judge,
    Judgement,
    RubricVerdict,
    Score,
    Step,
)
from judges.providers.model import (
    ANSWERED,
    Ask,
    Fatal,
    NotAnswered,
    NotRecorded,
    Outcome,
    Parameters,
    Reading,
    Reply,
    Request,
    Stopped,
    Unreachable,
)

Scheme = Literal["full", "accuracy", "rubric", "single_detailed", "single_simple"]
"""``full``: the metric. ``accuracy``: only its accuracy dimension. ``rubric``: only its rubric points, as the
difficulty filter asks. ``single_detailed``: one call that reports the findings of every dimension, scored in code.
``single_simple``: one call that gives points and nothing else."""
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

ExplainIn = Literal["zh", "en"]


@dataclass(frozen=True)
class Settings:
    """Settings of an evaluation: all that is known before anything is asked, but for the texts and the sample.

    ``examples``: what judges are shown beside the texts, None for nothing. ``dedup_model``: the model that advises
    on duplicates, of the same server, "" for the judges' own.
    """

    provider: str
    server: str
    model: str
    parameters: Parameters = field(default_factory=Parameters)
    scheme: Scheme = "full"
    explain_in: ExplainIn = "zh"
    prompts: Prompts = field(default_factory=Prompts.built_in)
    examples: FewShotSet | None = None
    dedup_model: str = ""

    def model_of(self, step: str) -> str:
        """Return the model that a step is asked of."""
        return (self.dedup_model or self.model) if step == "deduplication" else self.model

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is asked, the judges' own first."""
        return tuple(dict.fromkeys((self.model, self.model_of("deduplication"))))


@dataclass(frozen=True, slots=True)
class Answered:
    """Outcome of one question: the request's id, its last attempt's outcome, the step that read the answer."""

    request_id: str
    outcome: Outcome
    read_by: str


@dataclass(frozen=True, slots=True)
class Judged:
    """One evaluation.

    ``answers`` by step ("accuracy", "accuracy_repair", …). ``models``: as the servers named them; ``formats``: how
    strictly they were held to JSON; ``dropped``: parameters that they refused; each sorted, and once. ``quotes``: how
    many the judges gave; ``quotes_verified``: how many of them occur in their text.
    """

    judgement: Judgement
    answers: Mapping[str, Answered]
    models: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    quotes: int = 0
    quotes_verified: int = 0


def weights_of(scheme: Scheme) -> Weights:
    """Return what the dimensions can reach and what errors cost: accuracy alone, or rubric points, have its 60 only."""
    if scheme in ("accuracy", "rubric"):
        return Weights(maxima={"accuracy": METRIC_S.maxima["accuracy"], "fluency": 0, "appropriateness": 0})
    return METRIC_S


async def evaluate(
    article: Article, translation: str | None, settings: Settings, ask: Ask, sample: int = 1, system: str = ""
) -> Judged:
    """Judge one translation. ``sample``: 1-based; another number asks everything anew. ``system``: whose translation
    it is, so that no example is of it; no judge is told.

    Never raises for what a model answers: a judge without a usable answer is named in ``Judgement.failed``. Raises
    NotAnswered where an answer may come later; what other judges answered meanwhile is with ``ask`` by then.
    """
    if translation is None or not translation.strip():
        flag = Flag("no_translation", "the system gave no translation; nothing was asked")
        return Judged(Judgement("no_translation", None, flags=(flag,)), {})
    if settings.scheme == "rubric" and not article.rubric:
        flag = Flag("no_rubric", "the article has no rubric points; nothing was asked")
        return Judged(Judgement("judge_failed", None, ("rubric",), flags=(flag,)), {})
    walk = Walk(article=article, translation=translation, settings=settings, ask=ask, sample=sample, system=system)
    match settings.scheme:
        case "single_simple":
            judgement = await walk.simple()
        case "single_detailed":
            judgement = await walk.detailed()
        case _:
            judgement = await walk.rounds()
    models, formats, dropped = (tuple(sorted(names)) for names in (walk.models, walk.formats, walk.dropped))
    return Judged(
        judgement=judgement,
        answers=walk.answers,
        models=models,
        formats=formats,
        dropped=dropped,
        quotes=walk.quotes,
        quotes_verified=walk.quotes_verified,
    )


Value = TypeVar("Value")


class Walk:
    """One evaluation on its way: what its questions share, and what has been answered so far."""

    def __init__(
        self, article: Article, translation: str, settings: Settings, ask: Ask, sample: int, system: str
    ) -> None:
        self.answers: dict[str, Answered] = {}
        self.models: set[str] = set()
        self.formats: set[str] = set()
        self.dropped: set[str] = set()
        self.quotes = 0
        self.quotes_verified = 0
        self._settings = settings
        self._ask_for = ask
        self._sample = sample
        self._translation = translation
        self._points = {point.number: point.text for point in article.rubric}
        self._weights = weights_of(settings.scheme)
        self._examples = settings.examples.shown_for(article, system, translation) if settings.examples else ()
        self._documents = documents_block(article.source, translation)
        self._checker = Checker(sendable(article.source), sendable(translation))
        source, target = languages_of(article.direction)
        self._words = {
            "source_language": on_one_line(source),
            "target_language": on_one_line(target),
            "explanation_language": {"zh": "Chinese (简体中文)", "en": "English"}[settings.explain_in],
        }

    # --- The schemes ----------------------------------------------------------------------------------------------

    async def rounds(self) -> Judgement:
        """The metric: the check, the judges side by side, the de-duplicator."""
        reply = await self._ask("instruction_check", check_schema(), read_check)
        check = reply.value if reply.outcome == "ok" else None
        if check is None:
            flag = Flag("judge_failed", f"instruction check: {_why(reply)}; nothing else was asked")
            return Judgement("judge_failed", None, ("instruction_check",), flags=(flag,))
        if check.problem:
            return Judgement("instruction_failed", Score(0, 0, 0), instruction_check=check.explanation)
        heard = await self._hear(self._judges())
        return await self._deduplicated(heard, check.explanation)

    async def detailed(self) -> Judgement:
        """One answer to everything, scored in code."""
        points = self._listed_points() if self._points else "(none)"
        read = self._held(read_detailed(tuple(self._points)), _all_findings)
        reply = await self._ask("single_detailed", detailed_schema(len(self._points)), read, points=points)
        if reply.value is None:
            failed: tuple[Step, ...] = ("instruction_check", *self._judges())
            return Judgement("judge_failed", None, failed, flags=(Flag("judge_failed", f"all judges: {_why(reply)}"),))
        check, heard = reply.value.check, [_own(reply.value.lists[judge]) for judge in self._judges()]
        if check is not None and check.problem and reply.outcome == "ok":
            return Judgement("instruction_failed", Score(0, 0, 0), instruction_check=check.explanation)
        if reply.outcome not in ("ok", "wrong_shape"):
            for part in heard:
                part.fail(_why(reply))
        await self._verify("single_detailed", heard)
        flags: tuple[Flag, ...] = ()
        if check is None:
            flags = (Flag("judge_failed", "instruction check: nothing usable was said of it"),)
        judgement = self._judgement(heard, check.explanation if check else "", flags)
        if check is None:
            return replace(judgement, state="judge_failed", score=None, failed=("instruction_check", *judgement.failed))
        return judgement

    async def simple(self) -> Judgement:
        """One answer of bare points."""
        maxima = self._weights.maxima
        reply = await self._ask("single_simple", simple_schema(maxima), read_points(maxima))
        if reply.outcome != "ok" or reply.value is None:
            return Judgement(
                "judge_failed", None, DIMENSIONS, flags=(Flag("judge_failed", f"all judges: {_why(reply)}"),)
            )
        return Judgement("score_only", reply.value)

    def _judges(self) -> tuple[Judge, ...]:
        """The judges that this scheme asks of this article."""
        alone: Mapping[str, tuple[Judge, ...]] = {"accuracy": ("accuracy", "rubric"), "rubric": ("rubric",)}
        asked = alone.get(self._settings.scheme, JUDGES)
        return tuple(judge for judge in asked if judge != "rubric" or self._points)

    # --- The rounds -----------------------------------------------------------------------------------------------

    async def _hear(self, judges: Sequence[Judge]) -> list[JudgeList]:
        """Ask judges side by side. All of them end before anything is raised: their answers are paid for."""
        answers = await asyncio.gather(*map(self._hear_one, judges), return_exceptions=True)
        raise_first(answers)
        return [answer for answer in answers if isinstance(answer, JudgeList)]

    async def _hear_one(self, judge: Judge) -> JudgeList:
        reply: Reply[JudgeList]
        if judge == "rubric":
            numbers = tuple(self._points)
            schema, read = rubric_schema(len(numbers)), read_rubric(numbers)
            reply = await self._ask(judge, schema, self._held(read, _findings), points=self._listed_points())
        else:
            reply = await self._ask(judge, findings_schema(judge), self._held(read_findings(judge), _findings))
        heard = _own(reply.value or JudgeList(judge))
        if reply.value is None or reply.outcome not in ("ok", "wrong_shape"):
            heard.fail(_why(reply))
        await self._verify(judge, [heard])
        return heard

    def _held(self, read: Reader[Value], findings_of: Callable[[Value], Sequence[Finding]]) -> Reader[Value]:
        """Return a reader to which findings whose quotes are all made up are not what was asked for."""

        def reader(text: str, cut: bool, material: Material) -> Reading[Value]:
            reading = read(text, cut, material)
            if reading.value is None or reading.outcome != "ok":
                return reading
            checked = check_quotes(findings_of(reading.value), self._checker)
            if not checked.invented:
                return reading
            return replace(
                reading, outcome="wrong_shape", reason=f"none of its {checked.given} quotes occurs in the texts"
            )

        return reader

    async def _verify(self, step: str, heard: Sequence[JudgeList]) -> None:
        """Check what was quoted; ask once for the exact words of what does not occur, if it is worth paying for."""
        checked = check_quotes([finding for part in heard for finding in part.findings], self._checker)
        if checked.missing and not any(part.failed for part in heard):
            reply = await self._ask(
                f"{step}_repair", repair_schema(len(checked.missing)), read_repair, "repair", quotes=checked.question()
            )
            if reply.value is not None:
                checked.mend(reply.value, self._checker)
            else:
                heard[0].flag("quotes_not_repaired", f"asked again for exact quotes: {_why(reply)}")
        checked.note_missing()
        findings = iter(checked.findings)
        for part in heard:
            part.findings = [next(findings) for _ in part.findings]
        if checked.invented:
            for part in heard:
                part.fail(f"none of the {checked.given} quotes occurs in the texts")
        self.quotes += checked.given
        self.quotes_verified += checked.verified

    async def _deduplicated(self, heard: Sequence[JudgeList], check: str) -> Judgement:
        judgement = self._judgement(heard, check)
        standing = [finding for finding in judgement.findings if finding.kept]
        if len({finding.judge for finding in standing}) < 2:
            return judgement
        if judgement.failed:
            flag = Flag(
                "deduplication_skipped", "a judge failed, so no score is claimed and duplicates were not asked for"
            )
            return replace(judgement, flags=(*judgement.flags, flag))
        documents = data_block("findings", "\n".join(map(self._line, standing)))
        read = read_advice_on(standing)
        reply = await self._ask("deduplication", deduplication_schema(), read, documents=documents)
        said = reply.attempt.answer
        if reply.outcome not in ("ok", "wrong_shape") or reply.value is None:
            flag = Flag("judge_failed", f"de-duplication: {_why(reply)}")
            flags = (*judgement.flags, flag)
            failed: tuple[Step, ...] = ("deduplication",)
            return replace(judgement, state="judge_failed", score=None, failed=failed, advice_text=said, flags=flags)
        findings, advice, refused = apply(judgement.findings, reply.value, judgement.rubric)
        return replace(
            judgement,
            score=self._score(findings),
            findings=findings,
            advice=advice,
            advice_text=said,
            flags=(*judgement.flags, *refused),
        )

    def _judgement(self, heard: Sequence[JudgeList], check: str, flags: tuple[Flag, ...] = ()) -> Judgement:
        """Return the judges' findings and verdicts before any de-duplication."""
        findings, repeated = drop_repeated([finding for part in heard for finding in part.findings])
        verdicts: list[RubricVerdict] = [verdict for part in heard for verdict in part.verdicts]
        failed: tuple[Step, ...] = tuple(part.judge for part in heard if part.failed)
        return Judgement(
            state="judge_failed" if failed else "scored",
            score=None if failed else self._score(findings),
            failed=failed,
            findings=findings,
            rubric=tuple(verdicts),
            instruction_check=check,
            flags=(*flags, *(flag for part in heard for flag in part.flags), *repeated),
        )

    def _score(self, findings: Sequence[Finding]) -> Score:
        return score((cost for finding in findings if (cost := judge_deduction(finding)) is not None), self._weights)

    # --- Asking ---------------------------------------------------------------------------------------------------

    async def _ask(
        self,
        step: str,
        schema: Schema,
        read: Reader[Value],
        prompt: str | None = None,
        documents: str | None = None,
        **values: str,
    ) -> Reply[Value]:
        """Ask in the words of a prompt (that of the step's name, unless another is given) and note what came of it."""
        settings = self._settings
        documents = self._documents if documents is None else documents
        examples = self._shown_at(step)
        disguise = Disguise.of((documents, examples, *values.values(), *self._words.values()))
        words = {name: disguise.hide(text) for name, text in (self._words | values).items()}
        request = Request(
            step=step,
            provider=settings.provider,
            server=settings.server,
            model=settings.model_of(step),
            system=settings.prompts.render("system", **words),
            documents=disguise.hide(documents),
            task=disguise.hide(examples) + settings.prompts.render(prompt or step, **words),
            schema=schema,
            parameters=settings.parameters,
            sample=self._sample,
        )
        reader = refusing_copies(read, settings.prompts.texts[prompt or step])
        material = material_of(request, disguise)
        reply = await self._ask_for(request, lambda text, cut: reader(text, cut, material))
        self.answers[step] = Answered(request.id, reply.outcome, reply.attempt.read_by)
        if reply.outcome in ANSWERED:
            self.models |= {reply.attempt.model} - {""}
            self.formats.add(reply.attempt.form.format)
            self.dropped |= reply.attempt.form.dropped & settings.parameters.named().keys()
        return reply

    @staticmethod
    def reason_of(reply: Reply[Any]) -> str:
        """Return why a reply is of no use, for people."""
        return _why(reply)

    def _shown_at(self, step: str) -> str:
        """The examples of a step, before its task: every judge's own, all of them where one call asks everything."""
        if step.startswith("single_") and not step.endswith("_repair"):
            return block(self._examples)
        judge = next((each for each in JUDGES if each == step), None)
        return block(self._examples, judge) if judge else ""

    def _listed_points(self) -> str:
        lines = (f"{number}. {on_one_line(text)}" for number, text in self._points.items())
        return data_block("points", "\n".join(lines))

    def _line(self, finding: Finding) -> str:
        """A finding as the de-duplicator is told of it: one line of JSON."""
        number = finding.index if finding.rubric_point is None else finding.rubric_point
        line: dict[str, Any] = {"finding": f"{finding.judge} {number}"}
        if finding.rubric_point is not None:
            line["point"] = self._points.get(finding.rubric_point, "")
        else:
            line |= {"category": finding.category or finding.category_label, "severity": finding.severity}
        line["paragraph"] = finding.hint
        if finding.quoted is not None:
            line |= {"source_quote": finding.quoted.source, "target_quote": finding.quoted.translation}
        line["explanation"] = finding.explanation
        return on_one_line(json.dumps(line, ensure_ascii=False))


def _findings(heard: JudgeList) -> Sequence[Finding]:
    return heard.findings


def _all_findings(said: Detailed) -> Sequence[Finding]:
    """Return the findings of a single answer; none where it says that there is no translation."""
    if said.check is not None and said.check.problem:
        return ()
    return [finding for heard in said.lists.values() for finding in heard.findings]


def _own(heard: JudgeList) -> JudgeList:
    """A copy to go on with: systems with the same translation share a reply."""
    return replace(heard, flags=list(heard.flags))


def raise_first(answers: Sequence[object]) -> None:
    """Raise the error among answers, if any, that concerns most: a fault first, then what ends the whole run."""
    if errors := [answer for answer in answers if isinstance(answer, BaseException)]:
        raise min(errors, key=_urgency)


_URGENCY: tuple[type[NotAnswered], ...] = (Fatal, Stopped, Unreachable, NotRecorded)


def _urgency(error: BaseException) -> int:
    """Return the rank of an error to raise: a fault or a cancellation first, then what concerns the whole run."""
    if not isinstance(error, NotAnswered):
        return -1
    return next((rank for rank, kind in enumerate(_URGENCY) if isinstance(error, kind)), len(_URGENCY))


_REASONS: Mapping[Outcome, str] = {
    "refused": "the model declined to answer",
    "blocked": "a filter of the provider withheld the answer",
    "truncated": "the answer breaks off, also with more room",
    "unparsable": "nothing usable can be read in the answer",
    "wrong_shape": "the answer is not what was asked for",
    "prompt_cut": "the model was not shown the whole text",
    "bad_request": "the server does not take the request",
}


def _why(reply: Reply[Any]) -> str:
    """Return why a reply is of no use, for people."""
    reason = _REASONS.get(reply.outcome, f"no answer ({reply.outcome})")
    return f"{reason}: {reply.attempt.error}" if reply.outcome in _EXPLAINED and reply.attempt.error else reason


_EXPLAINED: frozenset[Outcome] = frozenset(("bad_request", "prompt_cut", "wrong_shape"))
"""Outcomes whose error says more than their name."""
