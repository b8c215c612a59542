"""Answers of judges that write words and no offsets: GEMBA, AutoMQM, InstructScore.

What is read is given; of what is not, the text is given too, so that no answer ever passes for “no errors”.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Style = Literal["GEMBA-MQM", "GEMBA-ESA", "AutoMQM", "InstructScore"]

WEIGHTS = {"critical": 25, "major": 5, "minor": 1}
"""The weights of GEMBA-MQM; five errors count at most, and 25 points."""
_MOST = 5
_CAP = 25


@dataclass(frozen=True, slots=True)
class FoundError:
    """One error as an answer has it, in its own words. ``of_reference``: the quote is said to be of the reference."""

    category: str
    severity: str
    quote: str = ""
    note: str = ""
    of_reference: bool = False
    kept: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """Reading of an answer. ``clean``: it says that there are no errors. ``unread``: lines that mean nothing known.

    ``score``: what the tool makes of such an answer, higher is better; None where it gives none, or where not all of
    the answer was read.
    """

    style: Style | None
    errors: tuple[FoundError, ...] = ()
    clean: bool = False
    unread: tuple[str, ...] = ()
    score: float | None = None

    @property
    def readable(self) -> bool:
        """Return whether it says anything that was understood."""
        return bool(self.errors) or self.clean


def read_answer(answer: object, style: Style | None = None) -> Answer:
    """Read one answer: a text, or the object that a JSON file has in its place. Never raises.

    ``style``: whose it is, where it does not show that itself ("no-error", or no section of critical errors).
    """
    if isinstance(answer, dict):
        return _from_object(answer)
    if not isinstance(answer, str):
        return Answer(style)
    text = answer.strip()
    if (found := _object_in(text)) is not None:
        return found
    for own, shows, read in _STYLES:
        if shows(text):
            return read(text, "GEMBA-MQM" if own == "GEMBA-ESA" and style == "GEMBA-MQM" else own)
    clean = bool(_CLEAN.fullmatch(text))
    score = 0.0 if clean and style in ("GEMBA-MQM", "InstructScore") else None
    return Answer(style, (), clean, (text,) if text and not clean else (), score)


_SEVERITY = r"(?:critical|major|minor|neutral)"
_CLEAN = re.compile(
    r"\W*(?:(?:errors?|answer|output)\W+)?(?:there (?:are|is) )?"
    r"(?:none|no[- ](?:obvious |translation )?errors?)"
    r"(?: (?:found|detected|identified|in (?:the|this) translation))*\W*|"
    r"\W*(?:your|the|this|model[- ]generated) translation (?:contains|has) (?:no|0) errors?\W*",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "`": "`", "«": "»", "「": "」", "”": "”", "„": "“"}
_QUOTED = re.compile("|".join(rf"{re.escape(a)}(.*){re.escape(b)}" for a, b in _QUOTES.items()), re.DOTALL)


def _unquoted(text: str) -> str:
    """A quotation without its outer quotation marks, which may be doubled or missing."""
    text = text.strip()
    match = _QUOTED.fullmatch(text)
    return next((part for part in match.groups() if part is not None), "").strip() if match else text


# --- GEMBA ----------------------------------------------------------------------------------------------------

_HEADING = re.compile(
    r"[\W_]*(?P<level>critical|major|minor)(?: errors?)?[\s*_]*(?::(?P<rest>.*))?", re.IGNORECASE | re.DOTALL
)
_CATEGORY = (
    r"(?:accuracy|fluency|locale convention|locale|style|terminology|non-translation!?|other|source error|source issue|"
    r"linguistic conventions|audience appropriateness|design and markup)"
)
_ERROR = re.compile(
    rf"[\s*•·–—-]*(?:\d+[.)]\s*)?(?P<category>{_CATEGORY}\b[^\"“”'‘`«「:]{{0,80}}?|"
    r"[\w /()-]{2,60}?/[\w /()-]{2,60}?)\s*(?:[-–—:]+\s*(?P<quote>.*))?",
    re.IGNORECASE | re.DOTALL,
)
_FIRST_QUOTE = re.compile("|".join(rf"{re.escape(a)}[^{re.escape(b)}]+{re.escape(b)}" for a, b in _QUOTES.items()))
_SCORE = re.compile(r"(?:\W*(?:score|rating)[^\d\n-]*)?(\d{1,3}(?:\.\d+)?)\s*(?:/\s*100)?\W*", re.IGNORECASE)


def _shows_gemba(text: str) -> bool:
    return any(_HEADING.fullmatch(line.strip()) for line in text.split("\n"))


def _gemba(text: str, style: Style) -> Answer:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    score = None
    if len(lines) > 1 and (match := _SCORE.fullmatch(lines[-1])) and float(match[1]) <= 100:
        score = float(match[1])
        del lines[-1]
    errors: list[FoundError] = []
    unread: list[str] = []
    level, levels, said_none, empty = "", set[str](), False, True
    for line in lines:
        if heading := _HEADING.fullmatch(line):
            level, empty = heading["level"].lower(), True
            if level in levels:
                unread.append(f"{level}: (a second time, so that nobody knows which is the answer)")
            levels.add(level)
            line = (heading["rest"] or "").strip(" \t*_")
            if not line:
                continue
        if _CLEAN.fullmatch(line):
            said_none, empty = True, False
        elif match := _ERROR.fullmatch(line):
            empty = False
            errors.append(_gemba_error(match["category"].strip(), level, match["quote"] or ""))
        else:
            unread.append(line)
    cut_off = bool(levels) and empty and level != "minor"  # the last section stands without a word
    if cut_off:
        unread.append(f"{level}: (nothing follows)")
    clean = not errors and not unread and (said_none or levels >= {"major", "minor"})
    style = "GEMBA-MQM" if "critical" in levels else style
    if style == "GEMBA-MQM" and score is None and not unread and all(error.severity for error in errors):
        score = gemba_score(errors)
    return Answer(style, tuple(errors), clean, tuple(unread), score)


def _gemba_error(category: str, level: str, rest: str) -> FoundError:
    """One line. The tool counts what is no translation as critical, whatever its section."""
    quote, note = _quote_and_note(rest)
    kept = {}
    if "non-translation" in category.lower() and level != "critical":
        kept, level = {"severity": level}, "critical"
    return FoundError(category, level, quote, note, kept=kept)


def _quote_and_note(rest: str) -> tuple[str, str]:
    """The quote that a text begins with, and what follows it; a text without quotation marks is all quote."""
    rest = rest.strip()
    if match := _QUOTED.fullmatch(rest):
        inner = next(part for part in match.groups() if part is not None)
        if rest[0] not in inner and rest[-1] not in inner:
            return inner.strip(), ""
    if (match := _FIRST_QUOTE.match(rest)) is not None:
        return _unquoted(match[0]), rest[match.end() :].strip(" -–—:;,")
    return _unquoted(rest), ""


def gemba_score(errors: Sequence[FoundError]) -> float:
    """Return GEMBA-MQM's score of these errors, −25 to 0: five at most count, the worst first."""
    worst = sorted((WEIGHTS.get(error.severity.lower(), 0) for error in errors), reverse=True)[:_MOST]
    return 0.0 - min(_CAP, sum(worst))


def _object_in(text: str) -> Answer | None:
    """Read an answer in JSON, an object as GEMBA's or a list of errors; None for a text that is none."""
    fenced = re.fullmatch(r"```\w*\s*(.*?)\s*(?:```)?", text, re.DOTALL)
    body = fenced[1] if fenced else text
    if not re.match(r"\{|\[\s*\{", body):
        return None
    try:
        value = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        return _from_broken(body)
    return _from_json(value)


def _from_json(value: object) -> Answer | None:
    if isinstance(value, list):  # of errors that have spans and no section, as AutoMQM's
        if not all(isinstance(each, dict) and _named(each, ("severity",)) for each in value):
            return None
        return replace(_from_object({"errors": value}), style="AutoMQM", score=None)
    return _from_object(value) if isinstance(value, dict) else None


def _from_broken(body: str) -> Answer:
    """Read what a JSON that breaks off, or is not quite one, says before and after that."""
    from json_repair import repair_json

    unread = ("the JSON is broken",)
    try:
        value = repair_json(body, return_objects=True)
    except (ValueError, RecursionError):
        value = None
    read = _from_json(value) or Answer("GEMBA-MQM")
    # What was cut off may have been the last error's words, so nothing is claimed of the whole.
    return Answer(read.style, read.errors, False, (*read.unread, *unread))


_QUOTE_NAMES = ("span", "text", "quote", "error_span", "location", "target", "translation")
_NOTE_NAMES = ("explanation", "description", "reason", "comment")
_CLASS_NAMES = ("class", "category", "type", "error_type")


def _from_object(value: Mapping[str, Any]) -> Answer:
    """Read {"errors": {"critical": [{"class": …}], …}}, or a list of errors that name their severity."""
    held = value.get("errors", value)
    errors: list[FoundError] = []
    unread: list[str] = []
    given: list[tuple[str, object]] = []
    if isinstance(held, dict):
        levels = {level: held[level] for level in held if str(level).lower() in WEIGHTS}
        if not levels and held:
            unread.append("names no errors by severity")
        for level, listed in levels.items():
            given += [(level.lower(), error) for error in (listed if isinstance(listed, list) else [listed])]
    elif isinstance(held, list):
        given = [(_named(error, ("severity",)) if isinstance(error, dict) else "", error) for error in held]
    else:
        unread.append("names no errors")
    for level, error in given:
        if isinstance(error, dict):
            rest = {n: v for n, v in error.items() if n not in (*_CLASS_NAMES, *_QUOTE_NAMES, *_NOTE_NAMES, "severity")}
            found = _gemba_error(_named(error, _CLASS_NAMES), level, "")
            quote, note = _named(error, _QUOTE_NAMES), _named(error, _NOTE_NAMES)
            errors.append(FoundError(found.category, found.severity, quote, note, kept={**rest, **found.kept}))
        elif isinstance(error, str) and (match := _ERROR.fullmatch(error.strip())):
            errors.append(_gemba_error(match["category"].strip(), level, match["quote"] or ""))
        elif error is not None and not (isinstance(error, str) and _CLEAN.fullmatch(error)):
            unread.append(str(error)[:200])
    score = gemba_score(errors) if not unread and all(error.severity for error in errors) else None
    return Answer("GEMBA-MQM", tuple(errors), not errors and not unread, tuple(unread), score)


def _named(value: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((value[name] for name in names if isinstance(value.get(name), str)), "")


# --- AutoMQM --------------------------------------------------------------------------------------------------

_SPAN = "|".join(rf"{re.escape(a)}[^\n]{{1,4000}}?{re.escape(b)}" for a, b in _QUOTES.items() if a != "”")
_DASHED = re.compile(rf"(?P<span>{_SPAN})\s*[-–—:]+\s*(?P<severity>{_SEVERITY})\s*/\s*(?P<category>[^;,\n'\"“]+)", re.I)
_LISTED = re.compile(rf"(?P<span>{_SPAN})\s*;\s*(?P<category>[^;\n\"“]+?)\s*;\s*(?P<severity>{_SEVERITY})\b", re.I)


def _says_nothing(part: str) -> bool:
    """Return whether what stands between errors only parts them."""
    part = part.strip(_PARTING)
    return not part or part.lower().rstrip(":").rstrip() in ("error", "errors", "and")


_PARTING = " \t\r\n;,.[](){}*•-–—:0123456789"


def _shows_automqm(text: str) -> bool:
    return bool(_DASHED.search(text) or _LISTED.search(text))


def _automqm(text: str, style: Style) -> Answer:
    pattern = _DASHED if _DASHED.search(text) else _LISTED
    errors, unread, at = [], [], 0
    for match in pattern.finditer(text):
        unread.append(text[at : match.start()])
        errors.append(FoundError(match["category"].strip(" ."), match["severity"].strip(), _unquoted(match["span"])))
        at = match.end()
    unread.append(text[at:])
    rest = [line.strip() for part in unread if not _says_nothing(part) for line in part.split("\n")]
    return Answer(style, tuple(errors), False, tuple(line for line in rest if not _says_nothing(line)))


# --- InstructScore --------------------------------------------------------------------------------------------

_FIELD = re.compile(
    r"[\s*•-]*(?:\d+[.)][\s*]*)?(?P<name>error type|type|major/minor(?: label)?|label|severity|error location|location|"
    r"explanation)(?: (?:for|of) (?:the )?error)?\s*\d*\s*\**:\**\s*(?P<value>.*)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[\s*#]*error\s*\d+\s*[:.]?\**|[\s\W]*your translation contains \d+ errors?\W*", re.IGNORECASE)
_POINTS = {"major": 5, "minor": 1}


def _shows_instructscore(text: str) -> bool:
    names = {match["name"].lower() for line in text.split("\n") if (match := _FIELD.fullmatch(line))}
    return bool(names & {"error location", "location"}) or len(names) > 2


def _instructscore(text: str, style: Style) -> Answer:
    items: list[dict[str, str]] = []
    unread: list[str] = []
    last = ""
    for line in text.split("\n"):
        if match := _FIELD.fullmatch(line):
            last = _FIELD_NAMES[match["name"].lower().removesuffix(" label")]
            if not items or last in items[-1] or (last == "type" and items[-1]):
                items.append({})
            items[-1][last] = match["value"].strip()
        elif _NUMBERED.fullmatch(line):
            items.append({})
            last = ""
        elif line.strip() and items and last == "note":
            items[-1][last] += f"\n{line.strip()}"
        elif line.strip():
            unread.append(line.strip())
    errors = []
    for item in filter(None, items):
        label = item.get("severity", "").strip(" .*\"'")
        if not item.get("severity") and not item.get("quote") and not item.get("type"):
            unread.append(item.get("note", ""))
            continue
        quote, rest = _location(item.get("quote", ""))
        kept = {"location": item["quote"]} if rest else {}
        of_reference = "correct" in rest.split("vs")[0].lower() or "reference" in rest.split("vs")[0].lower()
        errors.append(
            FoundError(
                category=item.get("type", ""),
                severity=label,
                quote=quote,
                note=item.get("note", ""),
                of_reference=of_reference,
                kept=kept,
            )
        )
    points = [_POINTS.get(error.severity.lower()) for error in errors]
    score = None if unread or None in points else 0.0 - sum(p for p in points[:_MOST] if p)
    return Answer(style, tuple(errors), False, tuple(unread), score)


_FIELD_NAMES = {
    "error type": "type", "type": "type", "major/minor": "severity", "label": "severity", "severity": "severity",
    "error location": "quote", "location": "quote", "explanation": "note",
}  # fmt: skip


def _location(text: str) -> tuple[str, str]:
    """Return a location's first quote, and what follows it: “(correct translation)”, “vs. …”."""
    match = _FIRST_QUOTE.match(text)
    if match is None:
        return _unquoted(text), ""
    rest = text[match.end() :].strip(" .")
    return (_unquoted(match[0]), rest) if rest else (_unquoted(text.strip(" .")), "")


_STYLES: tuple[tuple[Style, Callable[[str], bool], Callable[[str, Style], Answer]], ...] = (
    ("InstructScore", _shows_instructscore, _instructscore),
    ("GEMBA-ESA", _shows_gemba, _gemba),
    ("AutoMQM", _shows_automqm, _automqm),
)
"""Tried in this order."""
