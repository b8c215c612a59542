"""Settings of a run that asks a model, as rows that can be changed: each is what an option of the command line is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal

from discox_tui.config.paths import load_settings, settings_file
from discox_tui.config.presets import presets
from discox_tui.runs import along, model_run
from discox_tui.runs.forecast import AnyOrder
from discox_tui.runs.model_run import ORDERS
from discox_tui.runs.orders import SCHEME_NAMES
from discox_tui.sessions.library import Refused
from judges.providers.registry import provider_names
from judges.providers.wire import is_secret
from storage.base.text import storable

Command = Literal["judge", "translate"]
Kind = Literal["text", "whole", "number", "choice", "switch", "file", "names", "variable", "address", "pairs", "fold"]

EVERYTHING, QUEUE = "everything in the library", "what the queue shows"
NOT_JUDGED = "what no judge has judged yet"
"""The things that can be asked about."""
NONE = "none"
REPLAY = "replay"
BETWEEN = ","
"""Stands between two names; a Chinese input method's ， does too."""
_PAIRS: Mapping[str, Callable[[str], along.Pair]] = {
    "header": along.header,
    "query": along.pair,
    "param": along.param,
}
_VARIABLE = re.compile("[A-Z_][A-Z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. ``name``: the field of the order; ``option``: the same on the command line, "" if it has none.

    ``advanced``: shown where more settings are asked for.
    """

    name: str
    title: str
    option: str
    kind: Kind = "text"
    least: float = 0
    most: float = 0
    unset: str = "–"
    hint: str = ""
    advanced: bool = True

    def read(self, typed: str) -> Any:
        """Return the value that was typed, None for nothing. Raises Refused, saying what was expected."""
        typed = storable(typed.strip())
        if not typed:
            return None
        match self.kind:
            case "whole" | "number":
                return self._number(typed)
            case "names":
                return [name.strip() for name in typed.replace("，", BETWEEN).split(BETWEEN) if name.strip()]
            case "file":
                return str(Path(typed).expanduser().absolute())
            case "pairs":
                return self._pairs(typed)
            case "variable" if not _VARIABLE.fullmatch(typed):
                raise Refused("That is no name of a variable, such as OPENAI_API_KEY; a key itself is never typed here")
            case "address" if "@" in typed:
                raise Refused("An address is typed without name and password; the key comes from the environment")
        return typed

    def _pairs(self, typed: str) -> list[tuple[str, str]]:
        try:
            found = along.several(typed, _PAIRS[self.name])
        except ValueError as problem:
            raise Refused(str(problem)) from None
        secret = [name for name, value in found if is_secret(name, value) and not value.startswith("env:")]
        if secret and self.name != "param":
            raise Refused(f"{secret[0]}: a secret is never typed here; {secret[0]}=env:NAME is what a variable holds")
        return found

    def _number(self, typed: str) -> float:
        kind = int if self.kind == "whole" else float
        try:
            value: float = kind(typed)
        except ValueError:
            value = float("nan")
        if not self.least <= value <= self.most:
            noun = "a whole number" if kind is int else "a number"
            raise Refused(f"{typed[:40]!r} is not {noun} from {self.least:,} to {self.most:,}")
        return value

    def shown(self, value: Any) -> str:
        """Return a value as the row shows it."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if value is None or value == () or value == []:
            return self.unset
        if self.kind == "pairs":
            return along.as_line(value)
        return f"{BETWEEN} ".join(value) if isinstance(value, list | tuple) else str(value)


_basic = partial(Setting, advanced=False)
FOLD = _basic("", "more settings", "", "fold")
"""The row that unfolds the others."""
_PRESET = _basic("preset", "known server", "--preset", "choice", unset="none", hint="`discox providers` lists them")
_MONEY = (
    _basic("prices", "price file", "--prices", "file", unset="no cost is known", hint="a TOML file"),
    _basic("max_cost", "most money", "--max-cost", "number", 0, 1e9, "no limit"),
)
_WHO = (
    Setting("provider", "protocol", "--provider", "choice"),
    Setting("base_url", "address", "--base-url", "address", unset="the server's own", hint="https://…/v1"),
    Setting("key_env", "variable of the key", "--key-env", "variable", unset="the server's own", hint="a NAME"),
    Setting("header", "headers", "--header", "pairs", unset="none", hint="NAME=VALUE … (NAME=env:VARIABLE)"),
    Setting("query", "in the address", "--query", "pairs", unset="none", hint="api-version=2024-10-21 …"),
    Setting("stream", "answers piece by piece", "--stream", "switch"),
)
_HOW = (
    Setting("temperature", "temperature", "--temperature", "number", 0, 10, "not sent"),
    Setting("top_p", "top p", "--top-p", "number", 0, 1, "not sent"),
    Setting("seed", "seed", "--seed", "whole", 0, 2**63 - 1, "not sent"),
    Setting("reasoning_effort", "reasoning effort", "--reasoning-effort", unset="not sent"),
    Setting("max_tokens", "room for an answer", "--max-tokens", "whole", 1, 10_000_000),
    Setting("param", "further fields", "--param", "pairs", unset="none", hint="enable_thinking=false …"),
)
_LIMITS = (
    Setting("max_calls", "most calls", "--max-calls", "whole", 1, 10**9, "no limit"),
    Setting("concurrency", "calls at once", "--concurrency", "whole", 1, 1000),
    Setting("requests_per_minute", "calls a minute", "--requests-per-minute", "whole", 1, 10**9, "no limit"),
    Setting("tokens_per_minute", "tokens a minute", "--tokens-per-minute", "whole", 1, 10**12, "no limit"),
    Setting("timeout", "seconds for a call", "--timeout", "number", 0.1, 86_400),
    Setting("retry_failed", "ask failed ones again", "--retry-failed", "switch"),
)
SETTINGS: Mapping[Command, Sequence[Setting]] = {
    "judge": (
        _basic("what", "what is judged", "", "choice"),
        _basic("system", "only of systems", "--system", "names", unset="all", hint="names, with commas between"),
        _basic("most", "at most", "", "whole", 1, 10**9, "all there are", hint="a number of translations"),
        _PRESET,
        _basic("model", "model", "--model", unset="name one", hint="as the server calls it; several: commas between"),
        _basic("scheme", "scheme", "--scheme", "choice"),
        _basic("samples", "times each", "--samples", "whole", 1, 100),
        _basic("prove", "prove each error", "--prove", "switch"),
        _basic("batch", "as a batch", "--batch", "switch"),
        *_MONEY,
        *_WHO,
        Setting("dedup_model", "model for duplicates", "--dedup-model", unset="the judge itself"),
        Setting("explain_in", "language of explanations", "--explain-in", "choice"),
        Setting("examples", "examples", "--examples", "file", unset="none", hint="PACK.jsonl"),
        Setting("cross_fit", "folds of examples", "--cross-fit", "whole", 2, 100, "none"),
        Setting("prompts", "prompts of your own", "--prompts", "file", unset="none", hint="a folder"),
        *_HOW,
        *_LIMITS,
    ),
    "translate": (
        _basic("what", "what is translated", "", "choice"),
        _basic("most", "at most", "", "whole", 1, 10**9, "all without a text", hint="a number of articles"),
        _basic("system", "system", "--system", unset="the model's name", hint="what the texts are to be called"),
        _PRESET,
        _basic("model", "model", "--model", unset="name one", hint="as the server calls it"),
        *_MONEY,
        *_WHO,
        Setting("sample", "sample", "--sample", "whole", 1, 10**6),
        Setting("prompt", "prompt of your own", "--prompt", "file", unset="none", hint="a file"),
        *_HOW,
        *_LIMITS,
    ),
}
"""The settings of each command, what matters most first."""


def rows_of(command: Command, *, unfolded: bool) -> list[Setting]:
    """Return the settings that are shown, and the row that unfolds the others, or folds them."""
    every = SETTINGS[command]
    shown = [each for each in every if not each.advanced]
    return [*shown, FOLD, *(each for each in every if each.advanced and unfolded)]


def fold_words(command: Command, values: Mapping[str, Any], *, unfolded: bool) -> str:
    """Return what the row of the fold says: how many there are, and of how many somebody changed the value."""
    usual, advanced = defaults(command), [each for each in SETTINGS[command] if each.advanced]
    changed = sum(values.get(each.name) not in (usual.get(each.name), []) for each in advanced)
    said = f"{len(advanced)}, {changed} of them changed" if changed else f"{len(advanced)}"
    return f"{'▾' if unfolded else '▸'} {said}"


def choices(setting: Setting, command: Command) -> Sequence[tuple[str, str, str]]:
    """Return what a setting can be chosen from: value, title and a word of explanation. Raises StorageError."""
    match setting.name:
        case "provider":
            replays = [(REPLAY, "the record; nobody is asked", "")] if command == "judge" else []
            return [*((name, name, "") for name in provider_names()), *replays]
        case "preset":
            known = presets(load_settings().presets, str(settings_file())).values()
            return [
                (NONE, NONE, "another protocol"),
                *((each.name, each.title or each.name, each.name) for each in known),
            ]
        case "scheme":
            return [(name, name, "") for name in SCHEME_NAMES]
        case "explain_in":
            return [("zh", "zh", "Chinese"), ("en", "en", "English")]
    return [(each, each, "") for each in (EVERYTHING, *([NOT_JUDGED] if command == "judge" else []), QUEUE)]


def defaults(command: Command) -> dict[str, Any]:
    """Return the values that hold until somebody changes them."""
    given = {each.name: each.default for each in fields(ORDERS[command]) if each.default is not MISSING}
    return given | {"what": EVERYTHING, "provider": provider_names()[0]}


def values_of(command: Command, kept: Any) -> dict[str, Any]:
    """Return values as they were kept, or the defaults where nothing usable was."""
    names = {each.name for each in SETTINGS[command]}
    kept = kept if isinstance(kept, dict) else {}
    return defaults(command) | {name: value for name, value in kept.items() if name in names}


def order_of(command: Command, values: Mapping[str, Any], chosen: Mapping[str, tuple[str, ...]]) -> AnyOrder:
    """Return the order that values make. ``chosen``: what of the library, by the order's field.

    Raises Refused where no model is named, or what is wanted does not go together.
    """
    given = {name: value for name, value in values.items() if value is not None}
    models = [
        name for each in str(given.get("model", "")).replace("，", BETWEEN).split(BETWEEN) if (name := each.strip())
    ]
    if not models:
        raise Refused("Name the model first")
    if command == "translate":
        if len(models) > 1:
            raise Refused("One model translates at a time")
        given.setdefault("system", models[0])
    if given.get("preset") and given["provider"] != REPLAY:
        given["provider"] = ""
    order = model_run.order_of(
        command, {**given, "model": models[0], "more_models": tuple(dict.fromkeys(models[1:])), **chosen}
    )
    if order.wrong:
        raise Refused(order.wrong)
    return order
