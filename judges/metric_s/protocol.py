"""One evaluation by Metric-S: which judge is asked what, when, and what their answers come to.

Source of the rounds: the DiscoX paper (ICLR 2026, arXiv 2511.10984). Of its calls, those that only copy lists are not
made: what the de-duplicator advises is carried out in code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from judges.metric_s.prompting import Prompts
from judges.metric_s.scoring import METRIC_S, Weights
from judges.model import Article, Judgement
from judges.providers.model import Ask, Outcome, Parameters

Scheme = Literal["full", "accuracy", "single_detailed", "single_simple"]
"""``full``: the metric. ``accuracy``: only its accuracy dimension. ``single_detailed``: one call that reports the
findings of every dimension, scored in code. ``single_simple``: one call that gives points and nothing else."""
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

ExplainIn = Literal["zh", "en"]


@dataclass(frozen=True)
class Settings:
    """All that is known of an evaluation before anything is asked, but for the texts and the sample."""

    provider: str
    server: str
    model: str
    parameters: Parameters = field(default_factory=Parameters)
    scheme: Scheme = "full"
    explain_in: ExplainIn = "zh"
    prompts: Prompts = field(default_factory=Prompts.built_in)


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one question: the request's id, how its last attempt ended, the step that read the answer."""

    request_id: str
    outcome: Outcome
    read_by: str


@dataclass(frozen=True, slots=True)
class Judged:
    """One evaluation.

    ``answers`` by step ("accuracy", "accuracy_repair", …). ``models``: as the servers named them, sorted, each once.
    ``quotes``: how many the judges gave; ``quotes_verified``: how many of them occur in their text.
    """

    judgement: Judgement
    answers: Mapping[str, Answered]
    models: tuple[str, ...]
    quotes: int = 0
    quotes_verified: int = 0


def weights_of(scheme: Scheme) -> Weights:
    """Return what the dimensions can reach and what errors cost: accuracy alone has 60 points and no others."""
    if scheme == "accuracy":
        return Weights(maxima={"accuracy": METRIC_S.maxima["accuracy"], "fluency": 0, "appropriateness": 0})
    return METRIC_S


async def evaluate(article: Article, translation: str | None, settings: Settings, ask: Ask, sample: int = 1) -> Judged:
    """Judge one translation. ``sample``: 1-based; another number asks everything anew.

    Never raises for what a model answers: a judge without a usable answer is named in ``Judgement.failed``. Raises
    NotAnswered where an answer may come later; what other judges answered meanwhile is with ``ask`` by then.
    """
    raise NotImplementedError
