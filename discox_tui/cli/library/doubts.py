"""Estimated chances that undecided errors are real, for ``discox list`` and ``show`` with ``--validity``."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discox_tui.cli.core.output import note
from discox_tui.reports.render.layout import UNDEFINED, number
from discox_tui.reports.render.phrases import learnt_from

if TYPE_CHECKING:
    from judges.ranking.acceptance_model import AcceptanceModel
    from storage.db.connection import Connection


@dataclass(frozen=True, slots=True)
class Doubts:
    """Chances that may be told: evaluation → its undecided errors → the chance of each; empty if nothing is learnt."""

    learnt: AcceptanceModel
    told: Mapping[str, Mapping[str, float]]

    @classmethod
    def read(cls, connection: Connection, layer: str, shown: Collection[str]) -> Doubts:
        """Read it for a layer, of the evaluations that are shown to it."""
        from storage.analysis.acceptance import learn, told_to

        learnt = learn(connection, layer)
        return cls(learnt, {} if learnt.why else told_to(connection, learnt, layer, shown))

    @property
    def learnt_from(self) -> dict[str, Any]:
        """Return the data that was learnt from as JSON, or ``why`` nothing was."""
        return {"verdicts": self.learnt.n, "articles": self.learnt.articles, "why": self.learnt.why or None}

    def of(self, evaluation: str) -> dict[str, Any] | None:
        """Return as JSON the number of errors with a chance, and how many of them are expected not to be real."""
        chances = self.told.get(evaluation)
        return None if chances is None else {"undecided": len(chances), "doubtful": _doubtful(chances)}

    def expected(self, evaluation: str) -> str:
        """Return how many errors of an evaluation are expected not to be real."""
        chances = self.told.get(evaluation)
        return UNDEFINED if chances is None else number(_doubtful(chances))

    def chance(self, finding: str) -> float | None:
        """Return the chance that an error is real, if that is told."""
        return next((of[finding] for of in self.told.values() if finding in of), None)

    def explain(self) -> None:
        """Say on standard error what it rests on."""
        if self.learnt.why:
            note(f"discox: nothing can be learnt yet of which errors are doubtful: {self.learnt.why}")
        else:
            note(
                "discox: how likely undecided errors stand, and how many are expected not to (doubtful): "
                f"{learnt_from(self.learnt.n, self.learnt.articles)}; not told of what you judge blind or a second time"
            )


def _doubtful(chances: Mapping[str, float]) -> float:
    return math.fsum(1 - chance for chance in chances.values())
