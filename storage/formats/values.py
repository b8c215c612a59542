"""Single values of other tools' files, read whatever their type: never an error, nothing guessed."""

from __future__ import annotations

import math
import re

LARGEST = 1e12
"""Scores may be as far from 0 as this."""


def word(value: object) -> str:
    """A name or label as text; "" for what is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else "" if value is None or isinstance(value, (list, dict)) else str(value)


def number(value: object) -> float | None:
    """A finite number, also one written as text; None for what is none."""
    if isinstance(value, str):
        text = value.strip()
        value = float(text) if _NUMBER.fullmatch(text) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) + 0.0 if abs(value) <= LARGEST and math.isfinite(value) else None


_NUMBER = re.compile(r"[-+]?(\d{1,300}(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?", re.IGNORECASE | re.ASCII)


def wmt_names(identity: str) -> tuple[str, str, str, str]:
    """Return document, direction, domain and line of an id like WMT's ``lp_#_domain_#_document_#_line``.

    Earlier years have ``document_#_line``. The document is "" for an id of another form.
    """
    stem, _, line = identity.rpartition("_#_")
    parts = stem.split("_#_")
    if len(parts) < 3:
        return stem, "", "", line
    return stem, direction_of_codes(*parts[0].split("-", 1)) if "-" in parts[0] else "", parts[1], line


def direction_of_codes(source: str, target: str) -> str:
    """A direction as it is written here, ``en-de``, of two codes of languages such as eng and de_DE."""
    return f"{_language(source)}-{_language(target)}" if source and target else ""


def _language(code: str) -> str:
    language = re.split(r"[-_]", code.strip().lower())[0]
    return _TWO_LETTERS.get(language, language)


_TWO_LETTERS = {
    three: two
    for two, threes in {
        "ar": "ara arb arz", "bg": "bul", "bn": "ben", "cs": "ces cze", "da": "dan", "de": "deu ger", "el": "ell gre",
        "en": "eng", "es": "spa", "et": "est ekk", "fa": "fas per pes", "fi": "fin", "fr": "fra fre", "gu": "guj",
        "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "hy": "hye arm", "id": "ind", "is": "isl ice", "it": "ita",
        "ja": "jpn", "kk": "kaz", "km": "khm", "ko": "kor", "lt": "lit", "lv": "lav lvs", "nl": "nld dut", "no": "nor",
        "pl": "pol plk", "ps": "pus pbt", "pt": "por", "ro": "ron rum", "ru": "rus", "sk": "slk slo", "sl": "slv",
        "sr": "srp", "sv": "swe", "ta": "tam", "th": "tha", "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie",
        "zh": "zho chi cmn", "zu": "zul", "xh": "xho", "ha": "hau",
    }.items()
    for three in threes.split()
}  # fmt: skip
"""Codes of three letters, as Appraise writes them, of the languages of the shared tasks."""
