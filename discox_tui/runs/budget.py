"""Budget of a run: what it has asked and spent so far, and if it may go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from discox_tui.config.prices import Price
from judges.providers.model import ANSWERED, Attempt, Outcome, Request, Stopped, Tokens
from judges.providers.token_counts import estimated_tokens, metered

EXPECTED_OUTPUT = 1_500
"""Tokens that an answer is expected to take, until a run has seen a longer one."""


@dataclass(slots=True)
class Spending:
    """Counts a run's attempts as they end, and refuses to begin one that its budget has no room for.

    ``price``: of the model, but for ``other_prices``, by model, where a step has a model of its own. ``earlier``: what
    other runs have spent of the same budget. ``heed_told``: what the server says that an attempt cost is counted
    instead of the price; not where the prices are in another currency. ``charged`` counts such attempts. ``unmetered``
    counts answers whose tokens the server did not tell; the ``estimated`` ones are theirs, by their characters, beside
    those that were told. ``interrupted``: the run was told to stop. ``last_failure``: why the latest attempt that could
    not be used could not, "" if all could.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    price: Price | None = None
    earlier: Sequence[Spending] = ()
    heed_told: bool = True
    other_prices: Mapping[str, Price | None] = field(default_factory=dict)
    begun: int = 0
    ended: Counter[Outcome] = field(default_factory=Counter)
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    estimated_input: int = 0
    estimated_output: int = 0
    unmetered: int = 0
    exhausted: str = ""
    interrupted: bool = False
    last_failure: str = ""
    charged: int = 0
    _told: float = 0.0
    _dearest: float = 0.0
    _untold: int = 0
    _priced: dict[str, Tokens] = field(default_factory=dict)
    _waiting: dict[str, float] = field(default_factory=dict)
    _longest: int = 0

    def allow(self, request: Request) -> bool:
        """Say whether an attempt may begin, and count it; no: not before others have ended.

        Raises Stopped where the budget has no room for it whatever those cost.
        """
        begun = self.begun + sum(each.begun for each in self.earlier)
        spent = self.cost + sum(each.cost for each in self.earlier)
        if self.max_calls is not None and begun >= self.max_calls:
            self.exhausted = f"the limit of {self.max_calls:,} calls is reached"
        expected = 0.0
        if self.max_cost is not None:
            expected = self._expected(request)
            unknown = self.price is None and not self.charged
            if spent + expected > self.max_cost or (unknown and spent >= self.max_cost):
                self.exhausted = f"the limit of {self.max_cost:g} would be passed; {spent:.4g} is spent"
            elif unknown and self._untold:
                self.exhausted = "the server does not say what calls cost; name a price file for --max-cost (--prices)"
            elif unknown and self._waiting:
                return False  # the first answer shows what a call costs
            elif spent + sum(self._waiting.values()) + expected > self.max_cost:
                return False
        if self.exhausted:
            raise Stopped(self.exhausted)
        self._waiting[request.id] = expected
        self.begun += 1
        return True

    def withdraw(self, request: Request) -> None:
        """Take back that an attempt was begun: nothing of it was sent, for certain."""
        self._waiting.pop(request.id, None)
        self.begun -= 1

    def count(self, attempt: Attempt) -> None:
        """Count an attempt that has ended."""
        self._waiting.pop(attempt.request.id, None)
        self.ended[attempt.outcome] += 1
        if attempt.outcome != "ok":
            self.last_failure = attempt.error or attempt.outcome.replace("_", " ")
        told = used = attempt.tokens
        self.input_tokens += told.input or 0
        self.cached_tokens += told.cached or 0
        self.output_tokens += told.output or 0
        if attempt.cost is not None and self.heed_told:
            self.charged += 1
            self._told += attempt.cost
            self._dearest = max(self._dearest, attempt.cost)
            self._longest = max(self._longest, told.output or 0)
            return
        if attempt.outcome in ANSWERED:
            self._untold += 1
            if told.input is None or told.output is None:
                used = metered(attempt.request, told, attempt.answer)
                self.unmetered += 1
                self.estimated_input += (used.input or 0) - (told.input or 0)
                self.estimated_output += (used.output or 0) - (told.output or 0)
        model = attempt.request.model
        before = self._priced.get(model, Tokens(0, 0, 0))
        self._priced[model] = Tokens(
            (before.input or 0) + (used.input or 0),
            (before.cached or 0) + (used.cached or 0),
            (before.output or 0) + (used.output or 0),
        )
        self._longest = max(self._longest, used.output or 0)

    @property
    def cost(self) -> float:
        """Cost of all that in the price's currency: as the server says, else by the price, estimates too; else 0."""
        prices = ((self.price_of(model), tokens) for model, tokens in self._priced.items())
        return self._told + sum(price.of(tokens) or 0.0 for price, tokens in prices if price)

    def price_of(self, model: str) -> Price | None:
        """Return the price of a model that is asked."""
        return self.other_prices.get(model, self.price)

    @property
    def bill(self) -> float | None:
        """The cost, or None where neither a price is known nor the server said what anything cost."""
        return None if self.price is None and not self.charged else self.cost

    @property
    def partly(self) -> bool:
        """Say whether answers came of whose cost nobody knows anything, beside others whose cost the server said."""
        return self.price is None and self.charged > 0 and self._untold > 0

    @property
    def calls(self) -> int:
        """Number of attempts that have ended."""
        return self.ended.total()

    @property
    def failures(self) -> int:
        """Number of those that were no usable answers."""
        return self.calls - self.ended["ok"]

    def _expected(self, request: Request) -> float:
        price = self.price_of(request.model)
        if price is None:
            return self._dearest
        asked = estimated_tokens(request.system) + estimated_tokens(request.user)
        by_price = price.of(Tokens(round(asked), 0, max(EXPECTED_OUTPUT, self._longest))) or 0.0
        return max(by_price, self._dearest)
