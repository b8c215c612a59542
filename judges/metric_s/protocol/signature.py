"""Signature of a score: all that decided it, in one line to publish beside it, as sacreBLEU does for BLEU."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import quote, unquote

from judges.metric_s.protocol.few_shot import WORDS_HASH
from judges.metric_s.protocol.proofs import Proved
from judges.metric_s.protocol.protocol import Judged, Settings, weights_of

PROTOCOL = "2"
"""The version of what is asked, in which rounds, and how answers become a score, apart from the prompts' words."""

MEND_AND_COMPARE = "mend+2-comparisons"
"""The way in which errors are proved: each mended alone, the passages compared in both orders."""

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
_OPTIONAL = (
    {
        "examples": "examples",
        "examples_of": "examples_of",
        "examples_words": "examples_words",
        "cross_fitted": "cross_fitted",
    },
    {"proved": "proof"},
    {"aggregate": "aggregate", "samples": "samples", "outliers": "outliers"},
)
"""The same of a judge that was shown examples, of errors that were proved, and of samples made into one score. Where
the first of a group's fields says nothing, none of its keys is there."""
_LISTS = ("answered", "dropped", "formats")
"""Fields that are lists of words, known only when it is over."""
_PAIRS = ("parameters", "examples_of")
"""Fields that are lists of pairs."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Signature of a score. Scores with equal signatures are comparable without a second thought.

    ``judge`` is the model as asked, ``answered`` its names as the servers gave them; ``parameters`` as asked for, by
    name, of which the server refused the ``dropped``; ``formats``: how strictly it was held to JSON;
    ``prompts``: name/hash; ``weights``: maxima by dimension, then costs from minor to violated; ``deduplication``:
    who decides ("model+code": a model advises, code carries it out; "model(NAME)+code": another does;
    "model": in the one call; "none"); ``program``: the version of this program. Of a judge that was shown examples:
    ``examples``: their pack, name/id; ``examples_of``: the articles that these are of, by key and hash of the source;
    ``examples_words``: a hash of what was said to it of them; ``cross_fitted``: into how many folds articles were
    dealt, so that none was judged with examples of its own, or "". ``proof``: how errors were proved, way/hash of the
    prompts, or "". Of a score made of several samples: ``aggregate``: how; ``samples``: of how many; ``outliers``:
    which are left out.
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
    examples: str = ""
    examples_of: tuple[tuple[str, str], ...] = ()
    examples_words: str = ""
    cross_fitted: str = ""
    proof: str = ""
    aggregate: str = ""
    samples: str = ""
    outliers: str = ""

    @classmethod
    def of(cls, settings: Settings, program: str, judged: Judged | None = None) -> Signature:
        """The signature of what was judged by these settings; without ``judged``, what is known of it before."""
        deduplication = {"single_detailed": "model", "single_simple": "none"}
        advised = f"model({settings.dedup_model})+code" if settings.dedup_model else "model+code"
        pack = settings.examples
        return cls(
            scheme=settings.scheme,
            judge=settings.model,
            provider=settings.provider,
            server=settings.server,
            prompts=f"{settings.prompts.name}/{settings.prompts.hash}",
            explain_in=settings.explain_in,
            parameters=settings.parameters.words(),
            weights=weights_of(settings.scheme).text,
            deduplication=deduplication.get(settings.scheme, advised),
            program=program,
            answered=judged.models if judged else (),
            dropped=judged.dropped if judged else (),
            formats=judged.formats if judged else (),
            examples=f"{pack.name}/{pack.id}" if pack else "",
            examples_of=pack.articles if pack else (),
            examples_words=WORDS_HASH if pack else "",
            cross_fitted=str(pack.folds) if pack and pack.folds else "",
        )

    def proved(self, settings: Settings, by: Proved | None = None) -> Signature:
        """The signature of the same score of errors that were proved; ``by``: what answered then."""
        return replace(
            self,
            proof=f"{MEND_AND_COMPARE}/{settings.prompts.hash_of_proofs}",
            answered=tuple(sorted({*self.answered, *(by.models if by else ())})),
            dropped=tuple(sorted({*self.dropped, *(by.dropped if by else ())})),
            formats=tuple(sorted({*self.formats, *(by.formats if by else ())})),
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
        """The line to publish: ``metric-s|v:2|scheme:full|judge:…``. Every value keeps its place, empty or not."""
        values = {
            **asdict(self),
            **{name: ",".join(map(_escaped, getattr(self, name))) for name in _LISTS},
            **{name: ",".join(f"{_escaped(a)}={_escaped(b)}" for a, b in getattr(self, name)) for name in _PAIRS},
        }
        listed = (*_LISTS, *_PAIRS)
        parts = (f"{key}:{values[n] if n in listed else _escaped(values[n])}" for key, n in self._keys.items())
        return "|".join(("metric-s", *parts))

    @property
    def _keys(self) -> dict[str, str]:
        """Key in the text → field, of what there is to say."""
        keys = dict(_KEYS)
        for group in _OPTIONAL:
            keys |= group if getattr(self, next(iter(group.values()))) else {}
        return keys

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read the line back. Raises ValueError for anything else."""
        name, *parts = text.split("|")
        values = dict(part.split(":", 1) for part in parts if ":" in part)
        keys = dict(_KEYS)
        for group in _OPTIONAL:
            keys |= group if next(iter(group)) in values else {}
        if name != "metric-s" or list(values) != list(keys) or len(parts) != len(keys):
            raise ValueError(f"no signature of Metric-S: {text[:80]!r}")
        fields: dict[str, Any] = {field: _plain(values[key]) for key, field in keys.items()}
        for key, name in keys.items():
            parted = [each for each in values[key].split(",") if each]
            if name in _LISTS:
                fields[name] = map(_plain, parted)
            elif name in _PAIRS:
                fields[name] = [[*map(_plain, pair.partition("=")[::2])] for pair in parted]
        return cls.from_fields(fields | {"parameters": dict(fields["parameters"])})

    def fields(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        lists = {name: list(getattr(self, name)) for name in _LISTS}
        of = {"examples_of": [list(pair) for pair in self.examples_of]}
        whole = {**asdict(self), **lists, **of, "parameters": dict(self.parameters)}
        return {name: value for name, value in whole.items() if name in self._keys.values()}

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Signature:
        """The signature that ``fields`` came from."""
        lists: dict[str, Any] = {name: tuple(fields[name]) for name in _LISTS}
        lists["examples_of"] = tuple((key, source) for key, source in fields.get("examples_of", ()))
        return cls(**{**fields, **lists, "parameters": tuple(sorted(fields["parameters"].items()))})


_SPECIAL = re.compile("[%|,=\\s\\x00-\\x1f\\x7f-\\x9f\ud800-\udfff]")


def _escaped(value: str) -> str:
    return _SPECIAL.sub(lambda match: quote(match[0], safe="", errors="surrogatepass"), value)


def _plain(value: str) -> str:
    return unquote(value, errors="surrogatepass")


def _digest(text: str) -> str:
    return hashlib.sha256(json.dumps(text).encode()).hexdigest()[:20]
