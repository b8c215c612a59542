"""What a run has asked and spent so far, and whether it may go on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from judges.providers.limits import estimated_tokens
from judges.providers.model import ANSWERED, Attempt, Outcome, Request, Stopped
from storage.prices import Price

EXPECTED_OUTPUT = 1_500
"""Tokens of an answer, until a run has seen some."""


@dataclass(slots=True)
class Spending:
    """Counts a run's attempts as they end, and refuses to begin one that its budget has no room for.

    ``cost`` is in the price's currency; ``unpriced`` counts answers whose tokens the server did not tell.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    price: Price | None = None
    begun: int = 0
    ended: Counter[Outcome] = field(default_factory=Counter)
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    exhausted: str = ""
    _waiting: dict[str, float] = field(default_factory=dict)

    def allow(self, request: Request) -> None:
        """Count an attempt that is about to begin. Raises Stopped where the budget has no room for it."""
        if self.max_calls is not None and self.begun >= self.max_calls:
            self.exhausted = f"the limit of {self.max_calls:,} calls is reached"
        if self.max_cost is not None and self.price is not None:
            expected = self._expected(request)
            if self.cost + sum(self._waiting.values()) + expected > self.max_cost:
                self.exhausted = f"the limit of {self.max_cost:,.2f} would be passed"
            self._waiting[request.id] = expected
        if self.exhausted:
            raise Stopped(self.exhausted)
        self.begun += 1

    def count(self, attempt: Attempt) -> None:
        """Count an attempt that has ended."""
        self._waiting.pop(attempt.request.id, None)
        self.ended[attempt.outcome] += 1
        tokens = attempt.tokens
        self.input_tokens += tokens.input or 0
        self.cached_tokens += tokens.cached or 0
        self.output_tokens += tokens.output or 0
        if self.price is not None and attempt.outcome in ANSWERED:
            cost = self.price.of(tokens)
            self.unpriced += cost is None
            self.cost += cost or 0.0

    @property
    def calls(self) -> int:
        """How many attempts have ended."""
        return self.ended.total()

    @property
    def failures(self) -> int:
        """How many of them were not usable answers."""
        return self.calls - self.ended["ok"]

    def _expected(self, request: Request) -> float:
        assert self.price is not None
        asked = estimated_tokens(request.system) + estimated_tokens(request.user)
        answered = sum(self.ended[outcome] for outcome in ANSWERED)
        output = self.output_tokens / answered if answered and self.output_tokens else EXPECTED_OUTPUT
        return (asked * self.price.input + output * self.price.output) / 1_000_000
