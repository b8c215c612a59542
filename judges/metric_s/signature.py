"""What decided a score, in one line that can be published beside it, as sacreBLEU does for BLEU."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import quote, unquote

from judges.metric_s.protocol import Judged, Settings, weights_of

PROTOCOL = "1"
"""The version of what is asked, in which rounds, and how answers become a score, apart from the prompts' words."""

_KEYS = {
    "v": "version",
    "scheme": "scheme",
    "judge": "judge",
    "answered": "answered",
    "provider": "provider",
    "server": "server",
    "prompts": "prompts",
    "explain": "explain_in",
    "params": "parameters",
    "dropped": "dropped",
    "format": "formats",
    "weights": "weights",
    "dedup": "deduplication",
    "discox": "program",
}
"""Key in the text → field, in the text's order."""
_LISTS = ("answered", "dropped", "formats")
"""Fields that are lists of words, known only when it is over."""


@dataclass(frozen=True, slots=True)
class Signature:
    """All that decided a score. Two scores are comparable without a second thought where their signatures are equal.

    ``judge`` is the model as asked, ``answered`` its names as the servers gave them; ``parameters`` as asked for, by
    name, of which the server refused the ``dropped``; ``formats``: how strictly it was held to JSON;
    ``prompts``: name/hash; ``weights``: maxima by dimension, then costs from minor to violated; ``deduplication``:
    who decides ("model+code": a model advises, code carries it out; "model": in the one call; "none");
    ``program``: the version of this program.
    """

    scheme: str
    judge: str
    provider: str
    server: str
    prompts: str
    explain_in: str
    parameters: tuple[tuple[str, str], ...]
    weights: str
    deduplication: str
    program: str
    answered: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    version: str = PROTOCOL

    @classmethod
    def of(cls, settings: Settings, program: str, judged: Judged | None = None) -> Signature:
        """The signature of what was judged by these settings; without ``judged``, what is known of it before."""
        deduplication = {"single_detailed": "model", "single_simple": "none"}
        return cls(
            scheme=settings.scheme,
            judge=settings.model,
            provider=settings.provider,
            server=settings.server,
            prompts=f"{settings.prompts.name}/{settings.prompts.hash}",
            explain_in=settings.explain_in,
            parameters=tuple(sorted((name, str(value)) for name, value in settings.parameters.given().items())),
            weights=weights_of(settings.scheme).text,
            deduplication=deduplication.get(settings.scheme, "model+code"),
            program=program,
            answered=judged.models if judged else (),
            dropped=judged.dropped if judged else (),
            formats=judged.formats if judged else (),
        )

    @property
    def asked(self) -> str:
        """Twenty hex digits over all that is known before anything is asked, but for the program's version."""
        return _digest(replace(self, answered=(), dropped=(), formats=(), program="").text)

    @property
    def id(self) -> str:
        """Twenty hex digits over the text."""
        return _digest(self.text)

    @property
    def text(self) -> str:
        """The line to publish: ``metric-s|v:1|scheme:full|judge:…``. Every value keeps its place, empty or not."""
        values = {
            **asdict(self),
            **{name: ",".join(map(_escaped, getattr(self, name))) for name in _LISTS},
            "parameters": ",".join(f"{_escaped(name)}={_escaped(value)}" for name, value in self.parameters),
        }
        listed = (*_LISTS, "parameters")
        parts = (f"{key}:{values[n] if n in listed else _escaped(values[n])}" for key, n in _KEYS.items())
        return "|".join(("metric-s", *parts))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read the line back. Raises ValueError for anything else."""
        name, *parts = text.split("|")
        values = dict(part.split(":", 1) for part in parts if ":" in part)
        if name != "metric-s" or list(values) != list(_KEYS) or len(parts) != len(_KEYS):
            raise ValueError(f"no signature of Metric-S: {text[:80]!r}")
        fields: dict[str, Any] = {field: _plain(values[key]) for key, field in _KEYS.items()}
        for key, name in _KEYS.items():
            if name in _LISTS:
                fields[name] = [_plain(each) for each in values[key].split(",") if each]
        pairs = (pair.partition("=") for pair in values["params"].split(",") if pair)
        fields["parameters"] = {_plain(name): _plain(value) for name, _, value in pairs}
        return cls.from_fields(fields)

    def fields(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        lists = {name: list(getattr(self, name)) for name in _LISTS}
        return {**asdict(self), **lists, "parameters": dict(self.parameters)}

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Signature:
        """The signature that ``fields`` came from."""
        lists = {name: tuple(fields[name]) for name in _LISTS}
        return cls(**{**fields, **lists, "parameters": tuple(sorted(fields["parameters"].items()))})


_SPECIAL = re.compile("[%|,=\\s\\x00-\\x1f\\x7f-\\x9f\ud800-\udfff]")


def _escaped(value: str) -> str:
    return _SPECIAL.sub(lambda match: quote(match[0], safe="", errors="surrogatepass"), value)


def _plain(value: str) -> str:
    return unquote(value, errors="surrogatepass")


def _digest(text: str) -> str:
    return hashlib.sha256(json.dumps(text).encode()).hexdigest()[:20]
