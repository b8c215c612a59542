"""Orders: what a run is asked for, whoever types it, and what it is made of: parameters, policy, budget, choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from discox_tui.config.paths import load_settings, settings_file
from discox_tui.config.presets import preset
from discox_tui.config.prices import Price, Prices, read_prices
from discox_tui.config.prompt_files import read_prompts, read_translation_prompt
from discox_tui.runs.budget import Spending
from discox_tui.runs.connect import Asked
from discox_tui.runs.judging import Choice
from discox_tui.runs.translating import Translations
from discox_tui.text.counts import counted
from judges.metric_s.protocol.few_shot import FewShotSet
from judges.metric_s.protocol.prompts import Prompts
from judges.metric_s.protocol.protocol import SCHEMES, Settings
from judges.providers.client import Policy
from judges.providers.model import Parameters
from judges.providers.replay import Replay
from storage.base.errors import StorageError
from storage.db.connection import Connection
from storage.record.few_shot_sets import pack_of, read_examples
from storage.runs import runs

MOST_NAMED = 20
"""Lines without an example that are named one by one."""

SCHEME_NAMES = tuple(scheme.replace("_", "-") for scheme in SCHEMES)
"""The schemes as people type them."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """The part of an order that every run has which asks a model. ``prices``: a price file. No field holds a key.

    ``provider`` may be "" where a ``preset`` names it. ``header``, ``query``, ``param``: what goes along with every
    call, a name and a value each; that of a header or a query may be a secret.
    """

    provider: str
    model: str
    base_url: str | None = None
    key_env: str | None = None
    preset: str | None = None
    header: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()
    param: tuple[tuple[str, str], ...] = ()
    stream: bool = False
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    max_tokens: int = 16_384
    concurrency: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 300.0
    max_calls: int | None = None
    max_cost: float | None = None
    prices: str | None = None
    retry_failed: bool = False

    UNRECORDED: ClassVar[frozenset[str]] = frozenset({"provider", "model", "base_url", "key_env", "header", "query"})
    """Fields that the record of a run does not repeat: an address may hold a password."""

    @property
    def asked(self) -> Asked:
        """The model and its server. Raises StorageError for a preset that is not there, or speaks another protocol."""
        chosen = preset(self.preset, load_settings().presets, str(settings_file())) if self.preset else None
        if chosen and self.provider not in ("", "replay", chosen.provider):
            said = f"--preset {chosen.name} speaks the protocol {chosen.provider!r}"
            raise StorageError(f"{said}; leave --provider {self.provider} out")
        return Asked(
            self.provider or (chosen.provider if chosen else ""),
            self.model,
            self.base_url,
            self.key_env,
            preset=chosen,
            headers=self.header,
            query=self.query,
            params=self.param,
            stream=self.stream,
        )

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is asked."""
        return (self.model,)

    @property
    def parameters(self) -> Parameters:
        """The parameters of every question, with what goes along with it."""
        return self.asked.parameters(
            Parameters(self.max_tokens, self.temperature, self.top_p, self.seed, self.reasoning_effort)
        )

    @property
    def policy(self) -> Policy:
        """The limits within which the server is asked."""
        return Policy(
            concurrency=self.concurrency,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
            timeout=self.timeout,
            deadline=max(900.0, 3 * self.timeout),
        )

    @property
    def wrong(self) -> str:
        """Reason why the order cannot be carried out, by the options' names; "" where it can."""
        return ""

    def known_prices(self) -> Prices | None:
        """Read the price file, if one is named. Raises StorageError."""
        return read_prices(Path(self.prices)) if self.prices else None

    def spending(self, known: Prices | None, *, batch: bool = False, earlier: tuple[Spending, ...] = ()) -> Spending:
        """Return a count of nothing yet, with the budget of the order; ``earlier``: runs that share the budget.

        Raises StorageError where a cost is limited, and neither a model's price is known nor that the server tells.
        """
        chosen = self.asked.preset
        paid: dict[str, Price | None] = {}
        for model in self.models:
            price = known.of(model) if known else None
            if self.max_cost is not None and price is None and not (chosen and chosen.tells_cost):
                where = f"{self.prices} has no price for {model}" if known else "no prices are known"
                raise StorageError(f'--max-cost: {where}; name a price file with a table [models."{model}"]')
            paid[model] = price.batched() if price and batch else price
        return Spending(
            self.max_calls,
            self.max_cost,
            paid.pop(self.model),
            earlier,
            heed_told=known is None or known.in_told,
            other_prices=paid,
        )

    def on_record(self) -> dict[str, Any]:
        """Return what is kept of the order with its run."""
        along = {"header": [name for name, _ in self.header], "query": [name for name, _ in self.query]}
        kept = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in self.UNRECORDED}
        return kept | {name: names for name, names in along.items() if names}


@dataclass(frozen=True, kw_only=True)
class JudgeOrder(Order):
    """An order to judge translations. ``system``, ``article``, ``translations`` (ids): only these, or all if empty.

    ``more_models``: judge the same after the first. ``prove``: then prove the errors. ``batch``: in batches.
    """

    system: tuple[str, ...] = ()
    article: tuple[str, ...] = ()
    translations: tuple[str, ...] = ()
    scheme: str = "full"
    samples: int = 1
    explain_in: Literal["zh", "en"] = "zh"
    prompts: str | None = None
    examples: str | None = None
    cross_fit: int | None = None
    dedup_model: str | None = None
    prove: bool = False
    batch: bool = False
    more_models: tuple[str, ...] = ()

    UNRECORDED: ClassVar[frozenset[str]] = Order.UNRECORDED | {"translations", "more_models"}

    @property
    def wrong(self) -> str:
        """Reason why the order cannot be carried out, by the options' names; "" where it can."""
        if self.provider == "replay" and self.batch:
            return "a replay asks nobody, so there are no batches; leave --batch out"
        if self.retry_failed and self.batch:
            return "--retry-failed asks at once; leave --batch out"
        if self.cross_fit and not self.examples:
            return "--cross-fit goes with --examples"
        if self.dedup_model and self.scheme not in ("full", "accuracy"):
            return "--dedup-model goes with the schemes full and accuracy, in which a call is about duplicates"
        if self.prove and self.scheme.replace("_", "-") == "single-simple":
            return "--prove goes with judges that name errors; single-simple gives points alone"
        return ""

    def each(self) -> tuple[JudgeOrder, ...]:
        """The order of each judge, in turn."""
        return tuple(replace(self, model=model, more_models=()) for model in (self.model, *self.more_models))

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is asked, the judge first."""
        return tuple(dict.fromkeys((self.model, self.dedup_model or self.model)))

    def choice(self, whom: Replay, on_wrong: Callable[[str], None] = lambda line: None) -> Choice:
        """Return what is chosen and how it is to be judged; reads prompts and examples.

        ``whom``: who is asked, by name and server. ``on_wrong``: told each line that holds no example. Raises
        StorageError for files that cannot be used.
        """
        examples = read_pack(Path(self.examples), self.cross_fit or 0, on_wrong) if self.examples else None
        settings = Settings(
            provider=whom.name,
            server=whom.server,
            model=self.model,
            parameters=self.parameters,
            scheme=next(scheme for scheme in SCHEMES if scheme == self.scheme.replace("-", "_")),
            explain_in=self.explain_in,
            prompts=read_prompts(Path(self.prompts)) if self.prompts else Prompts.built_in(),
            examples=examples,
            dedup_model=self.dedup_model or "",
        )
        return Choice(
            settings=settings,
            samples=self.samples,
            systems=self.system,
            articles=self.article,
            retry_failed=self.retry_failed,
            translations=self.translations,
            start=self.asked.form(whom.server),
        )


@dataclass(frozen=True, kw_only=True)
class TranslateOrder(Order):
    """An order to translate articles. ``system``: what the translations are to be called; ``prompt``: a file."""

    system: str
    sample: int = 1
    article: tuple[str, ...] = ()
    prompt: str | None = None

    def each(self) -> tuple[TranslateOrder, ...]:
        """The order itself: one model translates."""
        return (self,)

    def translations(self, connection: Connection, whom: Replay) -> Translations:
        """Return what is chosen and how it is to be translated. Raises StorageError for a prompt that is none."""
        return Translations(
            system=runs.known_as(connection, self.system),
            provider=whom.name,
            server=whom.server,
            model=self.model,
            parameters=self.parameters,
            prompts=read_translation_prompt(Path(self.prompt)) if self.prompt else Prompts.built_in(),
            sample=self.sample,
            articles=self.article,
            retry_failed=self.retry_failed,
            start=self.asked.form(whom.server),
        )


def read_pack(path: Path, folds: int, on_wrong: Callable[[str], None]) -> FewShotSet:
    """Read a pack of examples, of which nothing may be amiss: the signature says that the judge was shown all of it.

    Raises StorageError where anything is, having told ``on_wrong`` of the first lines of which that holds.
    """
    examples, wrong = read_examples(path)
    for line, name, why in wrong[:MOST_NAMED]:
        on_wrong(f"{path}:{line}: {name} {why}")
    if wrong:
        raise StorageError(
            f"{path}: {counted(len(wrong), 'line')} of {len(examples) + len(wrong):,} hold no example; nothing was "
            "asked; mend them, or export the pack again"
        )
    return pack_of(path, examples, folds)
