"""Prompts of the judges: named texts with placeholders, identified by a hash of their words."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from string import Template

_LANGUAGES = frozenset({"source_language", "target_language", "explanation_language"})

NEEDED: Mapping[str, frozenset[str]] = {
    "system": frozenset(),
    "instruction_check": frozenset(),
    "accuracy": frozenset(),
    "rubric": frozenset({"points"}),
    "fluency": frozenset(),
    "appropriateness": frozenset(),
    "deduplication": frozenset(),
    "repair": frozenset({"quotes"}),
    "single_detailed": frozenset({"points"}),
    "single_simple": frozenset(),
    "translation": frozenset({"text"}),
    "mend": frozenset({"passage", "error"}),
    "comparison": frozenset({"versions"}),
}
"""Prompt → the placeholders that it cannot do without. Each may name the languages as well."""

OF_PROOFS = ("mend", "comparison")
"""Prompts that prove errors: they have a hash of their own, as they decide nothing of what a judge says."""

BUILT_IN = "discox-1"


@dataclass(frozen=True)
class Prompts:
    """A whole set of prompts: ``texts`` by the names in ``NEEDED``."""

    name: str
    texts: Mapping[str, str]

    @classmethod
    def built_in(cls) -> Prompts:
        """The program's own."""
        return cls(BUILT_IN, _built_in())

    @classmethod
    def of(cls, name: str, texts: Mapping[str, str]) -> Prompts:
        """A user's own prompts, by name ("accuracy", not "accuracy.txt"); what is left out is the program's own.

        Raises ValueError, naming file, line and mend, for a prompt that nothing asks for and for a placeholder that
        is unknown, missing or no placeholder at all.
        """
        for prompt, text in texts.items():
            _check(prompt, _tidy(text))
        return cls(name, {**_built_in(), **{prompt: _tidy(text) for prompt, text in texts.items()}})

    @cached_property
    def hash(self) -> str:
        """Eight hex digits over every text of the set but those of proofs."""
        return _hash({name: text for name, text in self.texts.items() if name not in OF_PROOFS})

    @cached_property
    def hash_of_proofs(self) -> str:
        """Eight hex digits over the texts that prove errors."""
        return _hash({name: self.texts[name] for name in OF_PROOFS})

    def is_own(self, prompt: str) -> bool:
        """Return whether the text of this prompt is the user's and not the program's."""
        return self.texts[prompt] != _built_in()[prompt]

    def render(self, prompt: str, **values: str) -> str:
        """Return a prompt with its placeholders filled in one pass: a ``$`` inside a value stays what it is."""
        return Template(self.texts[prompt]).substitute(values)


def _hash(texts: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(dict(texts), sort_keys=True).encode()).hexdigest()[:8]


@cache
def _built_in() -> Mapping[str, str]:
    folder = files("judges.metric_s.protocol") / "prompts"
    return {prompt: _tidy((folder / f"{prompt}.txt").read_text(encoding="utf-8")) for prompt in NEEDED}


def _tidy(text: str) -> str:
    """The text as it is hashed and sent: what an editor adds unseen makes no other prompt."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").strip("\n ")


def _check(prompt: str, text: str) -> None:
    if prompt not in NEEDED:
        raise ValueError(f"{prompt}.txt: no prompt is called that; name it one of {', '.join(sorted(NEEDED))}")
    allowed = NEEDED[prompt] | _LANGUAGES
    named: set[str] = set()
    for match in Template.pattern.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["invalid"] is not None:
            raise ValueError(f"{prompt}.txt, line {line}: “$” begins no placeholder; write “$$” for a dollar sign")
        placeholder = match["named"] or match["braced"]
        if placeholder and placeholder not in allowed:
            known = ", ".join(f"${name}" for name in sorted(allowed))
            raise ValueError(
                f"{prompt}.txt, line {line}: “${placeholder}” is no placeholder here; use one of {known}, "
                "or “$$” for a dollar sign"
            )
        named.add(placeholder)
    lines = text.count("\n") + 1
    for placeholder in sorted(NEEDED[prompt] - named):
        raise ValueError(
            f"{prompt}.txt, line {lines}: “${placeholder}” is missing up to here; put it where its text should stand"
        )


LANGUAGES: Mapping[str, str] = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "ms": "Malay",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sr": "Serbian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
"""ISO 639-1 code → the name that prompts use; a code that is not here is used as it is."""


def languages_of(direction: str) -> tuple[str, str]:
    """Return the names of the source and the target language of a direction such as "zh-en" or "en-pt_BR".

    A code that is not known stands for itself; a direction that is no pair of codes gives a general name.
    """
    codes = re.split(r"\s*(?:-|→|>)+\s*", direction.strip())
    if len(codes) != 2 or not all(codes):
        return "the source language", "the target language"
    source, target = (_language(code) for code in codes)
    return source, target


def _language(code: str) -> str:
    base, *region = code.split("_")
    name = LANGUAGES.get(base.lower())
    return code if name is None else f"{name} ({'_'.join(region)})" if region else name
