"""The field's nouns as plain, immutable values: what is judged, what a judge found, what a human said of it.

Nothing here reads a file, opens a screen or computes a figure. Every other module speaks in these words.
Offsets are half-open code-point ranges ``[start, end)`` on the exact stored text, everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, get_args

Side = Literal["source", "translation"]
SIDES: tuple[Side, ...] = get_args(Side)

Dimension = Literal["accuracy", "fluency", "appropriateness"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)

Judge = Literal["accuracy", "rubric", "fluency", "appropriateness"]
"""Metric-S asks four judges; what the rubric judge finds counts under accuracy."""
JUDGES: tuple[Judge, ...] = get_args(Judge)

Severity = Literal["minor", "major", "critical", "extremely_critical", "violated"]
"""``violated`` is a rubric point's only level; ``minor`` is fluency's, ``major`` is appropriateness's."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

LEVELS: dict[Judge, tuple[Severity, ...]] = {
    "accuracy": ("major", "critical", "extremely_critical"),
    "rubric": ("violated",),
    "fluency": ("minor",),
    "appropriateness": ("major",),
}
"""The severities a judge can give, mildest first."""

CATEGORIES: dict[Judge, dict[str, str]] = {
    "accuracy": {
        "mistranslation": "错译",
        "omission": "漏译",
        "untranslated": "未译",
        "over_translation": "增译",
        "other": "其他",
    },
    "rubric": {"rubric_point": "考点"},
    "fluency": {
        "disfluent_phrasing": "语言流畅度",
        "grammar": "语法正确性",
        "logical_incoherence": "逻辑连贯性",
        "inconsistent_terminology": "词汇一致性",
    },
    "appropriateness": {
        "style": "风格",
        "tone": "情感色彩",
        "literary_merit": "文采",
        "cultural_adaptation": "文化适应",
    },
}
"""Category name → the name the Chinese prompts use, by judge."""

Step = Literal["instruction_check", "accuracy", "rubric", "fluency", "appropriateness", "deduplication"]
"""The steps that can fail in an evaluation: the instruction check, one of the judges, the de-duplicator."""

EvaluationState = Literal["scored", "score_only", "judge_failed", "instruction_failed", "no_translation", "not_judged"]
"""``scored``: all judges that were asked answered. ``score_only``: a model gave points and no findings, so there is
nothing to review. ``judge_failed``: at least one step gave nothing usable, so no total is claimed.
``instruction_failed``: the output is no translation of the whole text, a judged 0. ``no_translation``: the system
gave nothing; not a judged 0. ``not_judged``: no judge was asked; it is here for what people marked in it."""

ReviewState = Literal["not_opened", "in_progress", "done", "skipped"]
REVIEW_STATES: tuple[ReviewState, ...] = get_args(ReviewState)

Decision = Literal["agree", "not_an_error", "override", "reattribute", "duplicate", "unsure", "restore", "too_strict"]
"""A reviewer's decision on a finding. ``override``: other severity, category or span; ``reattribute``: other
dimension; ``duplicate``: of another finding, so not an error of its own; ``restore``: it was dropped by
de-duplication and should count; ``too_strict``: a rubric point that asks too much is no error of the translation."""
DECISIONS: tuple[Decision, ...] = get_args(Decision)

PointDecision = Literal["met", "violated", "too_strict"]
"""A reviewer's decision on a rubric point that the judge called met, or said nothing readable of."""
POINT_DECISIONS: tuple[PointDecision, ...] = get_args(PointDecision)

InstructionDecision = Literal["agree", "overturn"]
"""A reviewer's decision on the instruction check: whether the output is a translation of the whole text."""
INSTRUCTION_DECISIONS: tuple[InstructionDecision, ...] = get_args(InstructionDecision)

BlindStage = Literal["started", "revealed"]
"""Stage of a blind pass: the judge's record is hidden from the reviewer, or was shown after they had marked their own
errors."""
BLIND_STAGES: tuple[BlindStage, ...] = get_args(BlindStage)


def dimension_of(judge: Judge) -> Dimension:
    """Return the dimension that a judge's findings count under (the rubric's count under accuracy)."""
    return "accuracy" if judge == "rubric" else judge


@dataclass(frozen=True, slots=True)
class RubricPoint:
    """One checkable point that experts wrote for an article. ``number`` is the one its text carries."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """A source document and its rubric.

    ``key`` is the name the data set gives it (DiscoX: ``prompt_id``), ``direction`` like ``zh-en``.
    """

    key: str
    source: str
    direction: str
    domain: str = ""
    subdomain: str = ""
    prompt: str = ""
    rubric_text: str = ""
    rubric: tuple[RubricPoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """Metric-S by dimension: accuracy 0–60, fluency 0–20, appropriateness 0–20. Higher is better.

    ``lost`` is what each dimension's floor at 0 swallowed, so a reader can tell that a change would not show.
    """

    accuracy: int
    fluency: int
    appropriateness: int
    lost: tuple[int, int, int] = (0, 0, 0)

    @property
    def total(self) -> int:
        """The sum of the three dimensions, 0–100."""
        return self.accuracy + self.fluency + self.appropriateness

    def of(self, dimension: Dimension) -> int:
        """The points of one dimension."""
        return int(getattr(self, dimension))


StoredScore = tuple[float | None, float | None, float | None, float | None]
"""A score as a file gives it: total, accuracy, fluency, appropriateness; None for what it does not give."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Something a careful reader should know of an evaluation. ``code`` is stable, ``message`` is for people."""

    code: str
    message: str


QuoteNote = Literal[
    "sides_swapped",
    "translation_is_suggestion",
    "source_repaired",
    "translation_repaired",
    "source_not_found",
    "translation_not_found",
]
"""Notes on a judge's quotes: they stood for the other side and were swapped back; the quote of the translation
is the judge's own suggestion; it was mended when asked again; it occurs nowhere in its text."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """Quotes of one finding by a judge that was asked for them, after they were checked.

    ``source`` and ``translation`` are verbatim, or None where it quoted nothing (an omission has no place in the
    translation). ``context``: a longer stretch of the translation around a short or repeated quote. The paragraphs
    are the 1-based numbers of the prompt (paragraph 1 is the first non-blank line of its side).
    """

    source: str | None = None
    translation: str | None = None
    context: str | None = None
    suggestion: str | None = None
    source_paragraph: int | None = None
    translation_paragraph: int | None = None
    notes: tuple[QuoteNote, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One error as a judge reported it, never changed afterwards.

    ``index``: 1-based position in that judge's own list. ``hint``: the paragraph as the judge wrote it ("3", "标题").
    ``category`` and ``severity`` are ours, or None where the judge's word (``…_label``) could not be read.
    ``rubric_point``: the violated point's number. ``kept``: it stands after de-duplication; where not,
    ``duplicate_of`` is the position, in the evaluation's findings, of what absorbed it (if the advice says) and
    ``advice`` the position in ``Judgement.advice`` of what dropped it. ``quoted``: the quotes of a judge that was asked
    for them; None for one that only wrote prose.
    """

    judge: Judge
    index: int
    explanation: str
    hint: str = ""
    category: str | None = None
    category_label: str = ""
    severity: Severity | None = None
    severity_label: str = ""
    rubric_point: int | None = None
    kept: bool = True
    duplicate_of: int | None = None
    advice: int | None = None
    quoted: Quoted | None = None

    @property
    def dimension(self) -> Dimension:
        """The dimension it counts under."""
        return dimension_of(self.judge)


@dataclass(frozen=True, slots=True)
class RubricVerdict:
    """Verdict of the rubric judge on one point: ``met`` is None where its word could not be read."""

    point: int
    met: bool | None
    explanation: str = ""
    hint: str = ""
    label: str = ""


AdviceStatus = Literal["applied", "refused", "names_nothing", "no_such_finding"]


@dataclass(frozen=True, slots=True)
class Advice:
    """One line of a de-duplicator's answer: drop these findings, in favour of that one.

    ``drops`` and ``keeps`` name findings as (judge, number in that judge's list; for the rubric the point's number).
    ``refused``: it would break a priority of the metric, such as dropping an extremely critical error.
    """

    text: str
    drops: tuple[tuple[Judge, int], ...] = ()
    keeps: tuple[tuple[Judge, int], ...] = ()
    status: AdviceStatus = "applied"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Judgement of one translation: all that the judges said, read and de-duplicated.

    ``score`` is recomputed from the findings that were kept; None unless ``state`` is ``scored``, ``score_only`` (then
    it is the model's own) or ``instruction_failed`` (then 0). ``failed`` names the steps that gave nothing usable.
    """

    state: EvaluationState
    score: Score | None
    failed: tuple[Step, ...] = ()
    findings: tuple[Finding, ...] = ()
    rubric: tuple[RubricVerdict, ...] = ()
    advice: tuple[Advice, ...] = ()
    advice_text: str = ""
    instruction_check: str = ""
    flags: tuple[Flag, ...] = ()


SpanRole = Literal["quote", "context", "anchor"]
"""``quote``: what the finding is about. ``context``: a wider stretch quoted around it, shown weaker.
``anchor``: where something is missing; zero or more characters beside the place."""

SHOWN = 0.70
"""The confidence from which a place is highlighted; below it only its paragraph is marked."""
EXACT = 0.95
"""The confidence from which a highlighted place is shown as certain."""


@dataclass(frozen=True, slots=True)
class Span:
    """Place of a finding in one text. ``confidence`` 0–1; ``occurrence`` k of ``occurrences`` (1-based)."""

    side: Side
    start: int
    end: int
    role: SpanRole = "quote"
    method: str = "exact"
    confidence: float = 1.0
    occurrence: int = 1
    occurrences: int = 1

    @property
    def lit(self) -> bool:
        """Return whether it is highlighted: a stretch of the text, not the place beside one, and sure enough."""
        return self.role != "anchor" and self.confidence >= SHOWN


@dataclass(frozen=True, slots=True)
class Grounded:
    """Places of one finding in its two texts.

    ``source_paragraph``/``translation_paragraph``: 0-based paragraph to scroll to and mark in the gutter even when
    no span was found, or None. ``unlocated``: quotes that occur nowhere, each as (side, text): perhaps invented.
    ``notes``: on the quotes of a model that was asked for them, where the judge only wrote prose.
    """

    spans: tuple[Span, ...] = ()
    source_paragraph: int | None = None
    translation_paragraph: int | None = None
    unlocated: tuple[tuple[Side, str], ...] = ()
    notes: tuple[QuoteNote, ...] = ()

    def paragraph(self, side: Side) -> int | None:
        """The paragraph of a side."""
        return self.source_paragraph if side == "source" else self.translation_paragraph


class Place(NamedTuple):
    """A stretch of one text that a reviewer marked: code points ``[start, end)``."""

    side: Side
    start: int
    end: int


Places: TypeAlias = tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The present state of one reviewer's work on one finding: the fold of their events.

    ``decision`` None: not yet decided (a note may still be there). ``severity``, ``category``, ``dimension`` and
    ``spans`` are set only where the reviewer changed the judge's value. ``duplicate_of``: id of the finding that it
    repeats, so that it is no error of its own. ``repeat_of``: id of the finding, or error of the reviewer, that is the
    same mistake made at another place: it is right, and costs once. ``invented``: what it quotes occurs nowhere.
    ``matches``: id of the error that was marked blind, and that this is.
    """

    decision: Decision | None = None
    severity: Severity | None = None
    category: str | None = None
    dimension: Dimension | None = None
    duplicate_of: str | None = None
    repeat_of: str | None = None
    spans: Places | None = None
    invented: bool | None = None
    matches: str | None = None
    note: str | None = None


NO_VERDICT = Verdict()


@dataclass(frozen=True, slots=True)
class MarkedError:
    """An error that a reviewer marked, as it stands now.

    ``spans``: on either side; an omission has some in the source only. ``repeat_of``: as in a `Verdict`. ``missed``:
    the reviewer confirmed, having seen the judge's findings, that it is none of these. ``blind``: marked before that.
    The ``…_label`` are another scheme's words for an error that was imported; ``dimension`` and ``severity`` are None
    where they stand for nothing in Metric-S, so that the error costs nothing.
    """

    id: str
    dimension: Dimension | None
    category: str | None
    severity: Severity | None
    spans: Places = ()
    repeat_of: str | None = None
    missed: bool | None = None
    note: str | None = None
    blind: bool = False
    category_label: str = ""
    severity_label: str = ""


@dataclass(frozen=True, slots=True)
class PointVerdict:
    """Verdict of one reviewer on a rubric point that is no finding of the judge's."""

    decision: PointDecision
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A non-blank line of a text: code points ``[start, end)`` without its line end."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Bead:
    """A link of the paragraph alignment: these source paragraphs go with those of the translation (0-based)."""

    source: tuple[int, ...] = field(default=())
    translation: tuple[int, ...] = field(default=())
