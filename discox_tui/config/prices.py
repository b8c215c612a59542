"""Prices of models, as the user's own file says: none are built in, since they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from judges.providers.model import Tokens
from storage.base.errors import StorageError
from storage.base.files import why_not

TOLD_CURRENCY = "USD"
"""The currency in which servers that say what a call cost say it."""
PER = 1_000_000
"""Prices are for so many tokens."""


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a million tokens of a model. ``batch``: the share of the price that a batch costs (0–1)."""

    input: float
    output: float
    cached: float | None = None
    batch: float = 0.5

    def batched(self) -> Price:
        """Return the price of the same in a batch."""
        cached = None if self.cached is None else self.cached * self.batch
        return Price(self.input * self.batch, self.output * self.batch, cached, 1.0)

    def of(self, tokens: Tokens) -> float | None:
        """Return what an attempt cost, or None where the server did not say how many tokens it used."""
        if tokens.input is None or tokens.output is None:
            return None
        cached = min(tokens.cached or 0, tokens.input)
        cached_price = self.input if self.cached is None else self.cached
        return ((tokens.input - cached) * self.input + cached * cached_price + tokens.output * self.output) / PER


@dataclass(frozen=True, slots=True)
class Prices:
    """A price file: model name → price, all in one currency."""

    currency: str
    models: Mapping[str, Price]

    def of(self, model: str) -> Price | None:
        """Return the price of a model, by its whole name."""
        return self.models.get(model)

    @property
    def in_told(self) -> bool:
        """Say whether these prices and what servers say that calls cost can be added up."""
        return self.currency.strip().upper() in ("", TOLD_CURRENCY, "US$", "$", "US DOLLARS")


def read_prices(path: Path) -> Prices:
    """Read a price file: TOML with ``currency`` and a table ``[models."NAME"]`` for each model.

    Raises StorageError naming the file, the field and the mend.
    """
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({why_not(path, error)}); check the name") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, a number or nesting beyond what Python takes
        raise StorageError(f"{path}: is not TOML ({error}); docs/commands.md shows a price file") from error
    for name in table:
        if name not in ("currency", "models"):
            raise StorageError(
                f'{path}: unknown field {name!r}; a price file has currency = "…" and [models."NAME"] tables'
            )
    models = table.get("models", {})
    currency = table.get("currency", "")
    if not isinstance(models, dict) or not models:
        raise StorageError(f'{path}: no [models."NAME"] table; add one a model, with input and output')
    if not isinstance(currency, str):
        raise StorageError(f'{path}: currency must be text in quotes, like "USD"')
    return Prices(currency, {name: _price(path, name, value) for name, value in models.items()})


def _price(path: Path, model: str, given: Any) -> Price:
    where = f"{path}: models.{model!r}"
    known = [field.name for field in fields(Price)]
    if not isinstance(given, dict):
        raise StorageError(f"{where} must be a table with input and output, a price for a million tokens each")
    for name, value in given.items():
        if name not in known:
            raise StorageError(f"{where}: unknown field {name!r}; known are {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
            raise StorageError(f"{where}.{name} must be a number that is not negative, not {value!r}")
        if name == "batch" and value > 1:
            raise StorageError(f"{where}.batch is the share of the price that a batch costs, 0 to 1, not {value!r}")
    for name in ("input", "output"):
        if name not in given:
            raise StorageError(f"{where}: {name} is missing; give the price of a million tokens")
    return Price(**given)
