"""Directions of translation, however a file writes them: one name, as ``zh-en``, for “zh-CN→en-US” and “中译英”."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache


@lru_cache(1024)
def direction_name(text: str) -> str:
    """A direction as it is written here: “ZH→EN”, “zh2en”, “CHN-ENG”, “Chinese-English”, “zh_CN-en_US” are ``zh-en``.

    Codes that nobody knows are taken where they are of two or three letters; what is no direction, or may be read in
    two ways, stays as it is.
    """
    found = _read(text, known=False)
    return "-".join(each[0] for each in found) if found else text


@lru_cache(1024)
def has_regions(text: str) -> bool:
    """Tell if a direction also says of which country or in which script, which its name does not keep."""
    found = _read(text, known=False)
    return found is not None and any(more for _, more in found)


def regions_told(text: str) -> tuple[str, str, str]:
    """Return code, field and words of what to say of a direction with regions, once a file."""
    message = f"{text[:60]} is taken as {direction_name(text)}; its countries and scripts stand in this report alone"
    return "regions", "direction", message


def direction_told(name: str) -> tuple[str, str, str]:
    """Return code, field and words of what to say of a direction that is from the file's name."""
    return "direction", "", f"the direction {name} is from the file's name; --direction says else"


@lru_cache(1024)
def direction_in(stem: str) -> str:
    """Return the direction that a file's name holds, as ``mqm_ted_zhen``, ``a.pt-BR_en`` or “稿件中译英”; else ""."""
    if chinese := _CHINESE_IN.search(stem):
        return direction_name(chinese[0])
    parts = [part for part in re.split(r"[._\s()]+", stem) if part]
    for strict in (True, False):
        for size in (5, 4, 3, 2, 1):
            for start in range(len(parts) - size, -1, -1):
                text = "_".join(parts[start : start + size])
                if found := _read(text, known=True):
                    marks = [part for part in re.split(r"[-_]", text) if part.casefold() in _COUNTRIES]
                    languages = [code for code, _ in found]
                    sure = not strict or not marks or any(mark.isupper() for mark in marks)
                    if size == 1 or (sure and not _USUAL.isdisjoint(languages)):
                        return "-".join(languages)
                pair = text[:2].casefold(), text[2:].casefold()
                if pair[0] != pair[1] and _KNOWN.issuperset(pair) and not _USUAL.isdisjoint(pair):
                    return "-".join(pair)
    return ""


def direction_of_codes(source: str, target: str) -> str:
    """A direction of two codes of languages such as eng and de_DE; "" without one of them."""
    return direction_name(codes_joined(source, target))


def codes_joined(source: str, target: str) -> str:
    """A direction of two codes as they are written; "" without one of them."""
    return f"{source.strip()}→{target.strip()}" if source.strip() and target.strip() else ""


def known_direction(text: str) -> str:
    """The name of a direction of two languages that have a name here; "" for any other text."""
    found = _read(text, known=True)
    return "-".join(each[0] for each in found) if found else ""


_Tag = tuple[str, bool]
"""A language's code, and whether a country or a script was said with it."""


def _read(text: str, *, known: bool) -> tuple[_Tag, _Tag] | None:
    """The two languages of a direction; None for what is none. ``known``: only languages that have a name here."""
    folded = text.strip().casefold()
    if (chinese := _CHINESE.fullmatch(folded)) and chinese[1] != chinese[2]:
        return (_CHINESE_NAMES[chinese[1]], False), (_CHINESE_NAMES[chinese[2]], False)
    halves, words = _ARROW.split(folded), _words(folded)
    if len(halves) == 2:
        cuts: list[tuple[Sequence[str], Sequence[str]]] = [(_words(halves[0]), _words(halves[1]))]
    else:
        cuts = [(words[:at], words[at:]) for at in range(1, len(words))]
    found = [pair for cut in cuts for pair in _pairs(*cut, lenient=not known and (len(halves) == 2 or len(words) == 2))]
    return found[0] if len({(source[0], target[0]) for source, target in found}) == 1 else None


def _words(text: str) -> list[str]:
    return [word for word in _APART.split(text) if word]


def _pairs(source: Sequence[str], target: Sequence[str], *, lenient: bool) -> Iterator[tuple[_Tag, _Tag]]:
    first, second = _tag(source, lenient), _tag(target, lenient)
    if first and second and first[0] != second[0]:
        yield first, second


def _tag(words: Sequence[str], lenient: bool) -> _Tag | None:
    """A language: its name or code, perhaps a script, perhaps a country."""
    if not words:
        return None
    name, *more = words
    code = _NAMES.get(name) or (name if name in _KNOWN or (lenient and re.fullmatch("[a-z]{2,3}", name)) else "")
    rest = more[1:] if more and more[0] in _SCRIPTS else more
    if not code or len(rest) > 1 or any(each not in _COUNTRIES for each in rest):
        return None
    return code, bool(more)


_ARROW = re.compile(r"\s*(?:[-=]+>|[→⇒➔>–—|/]|(?<=[a-z])2(?=[a-z])|(?<![^\W_])(?:to|into)(?![^\W_]))\s*")
_APART = re.compile(r"[-_\s]+")
_CHINESE_NAMES = {
    "中": "zh",
    "汉": "zh",
    "漢": "zh",
    "英": "en",
    "日": "ja",
    "韩": "ko",
    "韓": "ko",
    "法": "fr",
    "德": "de",
    "俄": "ru",
    "西": "es",
    "葡": "pt",
    "意": "it",
    "阿": "ar",
    "越": "vi",
    "泰": "th",
}
_ONE = f"([{''.join(_CHINESE_NAMES)}])[文语語]?"
_CHINESE = re.compile(rf"{_ONE}\s*(?:[译譯到至→]|[-=]+>|[-_–—/]|)\s*{_ONE}")
_CHINESE_IN = re.compile(rf"{_ONE}[译譯到至→]{_ONE}")

_NAMES = {
    other: code
    for code, others in {
        "ar": "ara arb arz arabic", "be": "bel belarusian", "bg": "bul bulgarian", "bn": "ben bengali",
        "cs": "ces cze cz czech", "da": "dan danish", "de": "deu ger german deutsch", "el": "ell gre greek",
        "en": "eng english englisch",
        "es": "spa spanish", "et": "est ekk estonian", "fa": "fas per pes persian", "fi": "fin finnish",
        "fr": "fra fre french", "gu": "guj gujarati", "ha": "hau hausa", "he": "heb hebrew", "hi": "hin hindi",
        "hr": "hrv croatian", "hu": "hun hungarian", "hy": "hye arm armenian", "id": "ind indonesian",
        "is": "isl ice icelandic", "it": "ita italian", "ja": "jpn jp japanese", "kk": "kaz kazakh", "km": "khm khmer",
        "ko": "kor kr korean", "lt": "lit lithuanian", "lv": "lav lvs latvian", "nl": "nld dut dutch",
        "no": "nor norwegian", "pl": "pol plk polish", "ps": "pus pbt pashto", "pt": "por portuguese",
        "ro": "ron rum romanian", "ru": "rus russian", "sk": "slk slo slovak", "se": "sme", "sl": "slv slovenian",
        "sr": "srp serbian", "sv": "swe swedish", "ta": "tam tamil", "th": "tha thai", "tr": "tur turkish",
        "uk": "ukr ukrainian", "ur": "urd urdu", "vi": "vie vietnamese", "xh": "xho xhosa",
        "zh": "zho chi cmn chn cn chinese mandarin chinesisch", "zu": "zul zulu",
    }.items()
    for other in others.split()
}  # fmt: skip
"""Other names of languages → the code of two letters."""
_KNOWN = frozenset((*_NAMES.values(), "ca", "bho", "mas", "lij", "lld", "hsb", "dsb"))
_USUAL = frozenset(("en", "zh", "de", "fr", "ja", "cs", "ru", "es"))
"""One of these is in a direction that a file's name does not plainly have: “data” and “is_it” are none."""
_WRITTEN = "hans hant latn cyrl arab deva jpan hang armn thai hebr grek beng taml telu ethi geor khmr"
_SCRIPTS = frozenset(_WRITTEN.split())
_CODES = (
    "ae ar at au bd be bg bo br ca ch cl cn co cr cy cz de dk dz ec ee eg es fi fr gb gr gt hk hr hu id ie il in "
    "iq ir is it jo jp ke kh kr kw kz lb lk lt lu lv ma me mo mx my ng ni nl no np nz om pa pe ph pk pl pr pt py "
    "qa ro rs ru sa se sg si sk sv sy th tn tr tw ua uk us uy uz ve vn ye za 001 419 arb cma"
)
_COUNTRIES = frozenset(_CODES.split())
"""Countries and regions that a language's code is followed by."""
