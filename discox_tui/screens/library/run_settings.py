"""Settings of a run that asks a model, as rows that can be changed: each is what an option of the command line is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from discox_tui.runs import model_run
from discox_tui.runs.model_run import ORDERS, AnyOrder
from discox_tui.runs.orders import SCHEME_NAMES
from discox_tui.sessions.library import Refused
from judges.providers.registry import provider_names
from storage.base.text import storable

Command = Literal["judge", "translate"]
Kind = Literal["text", "whole", "number", "choice", "switch", "file", "names", "variable", "address"]

EVERYTHING, QUEUE = "everything in the library", "what the queue shows"
"""The two things that can be asked about."""
BETWEEN = ","
"""Stands between two names; a Chinese input method's ， does too."""
_VARIABLE = re.compile("[A-Z_][A-Z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. ``name``: the field of the order; ``option``: the same on the command line, "" if it has none."""

    name: str
    title: str
    option: str
    kind: Kind = "text"
    least: float = 0
    most: float = 0
    unset: str = "–"
    hint: str = ""

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
            case "variable" if not _VARIABLE.fullmatch(typed):
                raise Refused("That is no name of a variable, such as OPENAI_API_KEY; a key itself is never typed here")
            case "address" if "@" in typed:
                raise Refused("An address is typed without name and password; the key comes from the environment")
        return typed

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
        return f"{BETWEEN} ".join(value) if isinstance(value, list | tuple) else str(value)


_WHO = (
    Setting("provider", "provider", "--provider", "choice"),
    Setting("model", "model", "--model", unset="name one", hint="as the server calls it"),
    Setting("base_url", "server", "--base-url", "address", unset="the provider's own", hint="https://…/v1"),
    Setting("key_env", "variable of the key", "--key-env", "variable", unset="the provider's own", hint="a NAME"),
)
_HOW = (
    Setting("temperature", "temperature", "--temperature", "number", 0, 10, "not sent"),
    Setting("top_p", "top p", "--top-p", "number", 0, 1, "not sent"),
    Setting("seed", "seed", "--seed", "whole", 0, 2**63 - 1, "not sent"),
    Setting("reasoning_effort", "reasoning effort", "--reasoning-effort", unset="not sent"),
    Setting("max_tokens", "room for an answer", "--max-tokens", "whole", 1, 10_000_000),
)
_LIMITS = (
    Setting("prices", "price file", "--prices", "file", unset="no cost is known", hint="a TOML file"),
    Setting("max_cost", "most money", "--max-cost", "number", 0, 1e9, "no limit"),
    Setting("max_calls", "most calls", "--max-calls", "whole", 1, 10**9, "no limit"),
    Setting("concurrency", "calls at once", "--concurrency", "whole", 1, 1000),
    Setting("requests_per_minute", "calls a minute", "--requests-per-minute", "whole", 1, 10**9, "no limit"),
    Setting("tokens_per_minute", "tokens a minute", "--tokens-per-minute", "whole", 1, 10**12, "no limit"),
    Setting("timeout", "seconds for a call", "--timeout", "number", 0.1, 86_400),
    Setting("retry_failed", "ask failed ones again", "--retry-failed", "switch"),
)
SETTINGS: Mapping[Command, Sequence[Setting]] = {
    "judge": (
        Setting("what", "what is judged", "", "choice"),
        Setting("system", "only of systems", "--system", "names", unset="all", hint="names, with commas between"),
        Setting("most", "at most", "", "whole", 1, 10**9, "all not judged yet", hint="a number of translations"),
        *_WHO,
        Setting("scheme", "scheme", "--scheme", "choice"),
        Setting("samples", "times each", "--samples", "whole", 1, 100),
        Setting("explain_in", "language of explanations", "--explain-in", "choice"),
        Setting("examples", "examples", "--examples", "file", unset="none", hint="PACK.jsonl"),
        Setting("cross_fit", "folds of examples", "--cross-fit", "whole", 2, 100, "none"),
        Setting("prompts", "prompts of your own", "--prompts", "file", unset="none", hint="a folder"),
        *_HOW,
        *_LIMITS,
    ),
    "translate": (
        Setting("what", "what is translated", "", "choice"),
        Setting("most", "at most", "", "whole", 1, 10**9, "all without a text", hint="a number of articles"),
        Setting("system", "system", "--system", unset="the model's name", hint="what the texts are to be called"),
        *_WHO,
        Setting("sample", "sample", "--sample", "whole", 1, 10**6),
        Setting("prompt", "prompt of your own", "--prompt", "file", unset="none", hint="a file"),
        *_HOW,
        *_LIMITS,
    ),
}
"""The settings of each command, what matters most first."""


def choices(setting: Setting) -> Sequence[str]:
    """Return what a setting can be chosen from."""
    match setting.name:
        case "provider":
            return provider_names()
        case "scheme":
            return SCHEME_NAMES
        case "explain_in":
            return ("zh", "en")
    return (EVERYTHING, QUEUE)


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

    Raises Refused where no model is named, or examples would be dealt that there are not.
    """
    if not values.get("model"):
        raise Refused("Name the model first")
    if values.get("cross_fit") and not values.get("examples"):
        raise Refused("Folds (--cross-fit) go with examples (--examples)")
    given = {name: value for name, value in values.items() if value is not None}
    if command == "translate":
        given.setdefault("system", values["model"])
    return model_run.order_of(command, {**given, **chosen})
