"""JSON answers of judges, which are meant to be a list and often are not quite.

The steps go from strict to lenient and stop at the first that reads the whole answer; the one that read it is
recorded. An item that was cut off is dropped rather than completed: nothing is ever invented.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from bisect import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from judges.metric_s.reading.labels import FIELDS, NO_ERROR, field_of, is_no_error, normal

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer as far as it could be read.

    ``items`` is None where nothing usable was found, and empty where the answer says an empty list (or that there
    are no duplicates). ``step`` names the reading that succeeded ("" if none did); ``truncated``: the answer
    breaks off, so that there may have been more items.
    """

    items: list[Item] | None
    step: str = ""
    truncated: bool = False


_NO_DUPLICATES = re.compile(
    r"(?:无|没有|不存在|未发现|未见)(?:任何|明显)?(?:的)?重复|noduplicat|noduplicate|withoutduplicat"
)
_THINKING = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THINKING = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_DEPTH = 12


def says_no_duplicates(text: str) -> bool:
    """Return whether a de-duplicator's words say that there is nothing to remove ("本次评估无重复问题")."""
    return bool(_NO_DUPLICATES.search(normal(text)))


def read_answer(raw: str) -> Answer:
    """Read the items of a judge's or a de-duplicator's answer. Never raises, whatever the text."""
    whole = _step("json", lambda: _strict(raw))
    if whole is not None:
        return whole
    text = without_thinking(raw)
    for name, read in _STEPS:
        answer = _step(name, lambda read=read: read(text))  # type: ignore[misc]
        if answer is not None:
            return answer
    return _said_in_words(text) or Answer(None, truncated=_breaks_off(text))


def read_value(value: object) -> Answer:
    """Read the items of an answer that was already parsed: a list, one item, an object around either, or a string."""
    if isinstance(value, str):
        return read_answer(value)
    return _step("parsed", lambda: _items(value)) or Answer(None)


def _step(name: str, read: Callable[[], Answer | list[Item] | None]) -> Answer | None:
    """Run one reading; an error in it means that it read nothing."""
    try:
        found = read()
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError, KeyError, IndexError, AttributeError):
        return None
    if found is None:
        return None
    if isinstance(found, Answer):
        return found if found.items is None else replace(found, step=name)
    return Answer(found, name)


def without_thinking(raw: str) -> str:
    """Return the answer proper: what a reasoning model thought aloud before it is not part of it."""
    text = _END_OF_THINKING.split(_THINKING.sub(" ", raw))[-1].replace("\ufeff", "").strip()
    return _ESCAPED.sub(lambda match: match[1] + chr(int(match[2], 16)), text) if "\\u" in text else text


_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)\\u([3-9][0-9a-fA-F]{3})")
"""A Chinese character written as a JSON escape: the lenient steps look for keys as they read."""


# --- What counts as items -------------------------------------------------------------------------------------


def _items(value: object, depth: int = 0) -> list[Item] | None:
    """The items in a parsed value, looking through the objects and lists that wrap them; None if there are none."""
    if depth > _DEPTH:
        return None
    if isinstance(value, str):
        inner = value.strip()
        if says_no_duplicates(inner) and not _QUOTED_KEY.search(inner):
            return []
        if normal(inner) == normal(NO_ERROR):
            return [{FIELDS["severity"][0]: NO_ERROR}]
        return read_answer(inner).items if depth < _DEPTH and inner[:1] in ("[", "{", '"') else None
    if isinstance(value, dict):
        return _items_of_object(value, depth)
    if isinstance(value, list):
        return _items_of_list(value, depth)
    return None


def _items_of_list(values: list[Any], depth: int) -> list[Item] | None:
    items: list[Item] = []
    usable = not values
    for value in values:
        if (inner := _items(value, depth + 1)) is not None:
            items.extend(inner)
            usable = True
        else:
            items.append(value if isinstance(value, dict) else {"": value})
    return items if usable else None


def _items_of_object(value: dict[Any, Any], depth: int) -> list[Item] | None:
    if len(value) == 1 and any(isinstance(word, str) and says_no_duplicates(word) for word in value.values()):
        return []
    if _is_item(value):
        return [value]
    found = [inner for part in value.values() if (inner := _items(part, depth + 1)) is not None]
    if found:
        return [item for part in found for item in part]
    words = " ".join(str(key) for key in value)
    if says_no_duplicates(words):
        return []
    return [{FIELDS["severity"][0]: NO_ERROR}] if len(value) == 1 and is_no_error(words) else None


_ADVICE_KEYS = frozenset(
    normal(key)
    for key in (
        *("重复维度", "正确归因", "归因", "处理结果", "处理建议", "删除", "保留", "drop", "drops", "keep", "keeps"),
        *("remove", "delete", "duplicates", "attribution", "decision", "advice", "重复问题", "判断依据"),
    )
)
"""Keys that an item of a de-duplicator's answer has and a judge's has not."""


def _is_item(value: dict[Any, Any]) -> bool:
    """Return whether the object is itself a finding, a rubric verdict or a line of advice."""
    known = [key for key in value if field_of(key) is not None or normal(key) in _ADVICE_KEYS]
    if not known:
        return False
    # {"result": [...]} is a wrapper though "result" also names a verdict; {"result": "错误"} is not.
    return any(not isinstance(value[key], dict | list) for key in known) or len(known) > 1


# --- The steps ------------------------------------------------------------------------------------------------


def _loads(text: str) -> Any:
    return json.loads(text, strict=False)


def _strict(raw: str) -> list[Item] | None:
    return _items(_loads(raw.strip().removeprefix("\ufeff")))


def _embedded(text: str) -> Answer | None:
    """Valid JSON with prose, fences or more JSON around it; or valid JSON that breaks off."""
    keys = [match.start() for match in _QUOTED_KEY.finditer(text)]
    openings = [match.start() for match in _OPENING.finditer(text)]
    if len(openings) > _BRACKETS:
        return None
    parts: list[tuple[list[Item], bool]] = []
    wrappers: set[frozenset[str]] = set()
    at = 0
    for start in openings:
        if start < at:
            continue
        try:
            value, at = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            inside = bisect(keys, start)
            if inside == len(keys):  # prose: no known key comes after this bracket
                continue
            if not ran_out(text, error):
                if keys[inside] < _closing(text, start):
                    return None  # meant as JSON, and broken
                continue
            if items := _complete_items(text, start):
                parts.append((items, True))
            return Answer(_joined(parts), truncated=True)
        if (items_read := _items(value)) is not None:
            whole = isinstance(value, list)
            if isinstance(value, dict) and not _is_item(value):  # a list under a key: a second one is a list anew
                whole = frozenset(value) in wrappers
                wrappers.add(frozenset(value))
            parts.append((items_read, whole))
    joined = _joined(parts)
    return None if joined is None else Answer(joined, truncated=_begins_another(text[at:]))


_DECODER = json.JSONDecoder(strict=False)
_BRACKETS = 5_000
"""An answer with more brackets than this is no judgement; each costs a look at the rest of the text."""

_OPENING = re.compile(r"[\[{]")
_CLOSING = re.compile(r"[\]}]")


def _closing(text: str, start: int) -> int:
    """Return the approximate place where the bracket at ``start`` closes: the next closing bracket of its kind."""
    close = text.find("]" if text[start] == "[" else "}", start)
    return len(text) if close < 0 else close


def ran_out(text: str, error: json.JSONDecodeError) -> bool:
    """Return whether the JSON was right as far as it goes and only stops too early."""
    if error.msg.startswith("Unterminated string"):
        return True
    return len(text) - error.pos <= 8 and not _CLOSING.search(text, error.pos)


def _begins_another(rest: str) -> bool:
    """Return whether what follows an item is the beginning of another one, cut off."""
    after = rest.strip()
    return after in (",", "，") or after.lstrip(",， \t\r\n").startswith("{")


def _complete_items(text: str, start: int) -> list[Item]:
    """The items that are whole in JSON that breaks off, down through what wraps them."""
    items: list[Item] = []
    at = start if text[start] == "{" else start + 1
    while (opening := _OPENING.search(text, at)) is not None:
        try:
            value, at = _DECODER.raw_decode(text, opening.start())
        except json.JSONDecodeError:
            wraps = opening.group() == "[" or _WRAPPER.match(text, opening.start())
            if not wraps or _QUOTED_KEY.match(text, opening.end()):
                break
            at = opening.end()
            continue
        items.extend(_items(value) or [])
    return items


_WRAPPER = re.compile(r'\{\s*"[^"\\]*"\s*:\s*[\[{]')


def _joined(parts: list[tuple[list[Item], bool]]) -> list[Item] | None:
    """One list out of several pieces of JSON.

    Single objects belong together. Of several lists the last stands, as a draft's revision does, unless it goes on
    counting where the one before stopped. An empty one takes nothing back: it may be said of what no error is, too.
    """
    if not parts:
        return None
    joined: list[Item] = []
    for items, is_list in parts:
        if is_list and items and joined and not _goes_on(joined, items):
            joined = []
        joined.extend(item for item in items if item not in joined or is_list)
    return joined


def _goes_on(before: list[Item], after: list[Item]) -> bool:
    numbers = [_numbers(before), _numbers(after)]
    return bool(numbers[0] and numbers[1] and max(numbers[0]) < min(numbers[1]))


def _numbers(items: list[Item]) -> list[int]:
    found = (re.search(r"\d{1,6}", str(v)) for i in items for k, v in i.items() if field_of(k) == "number")
    return [int(match.group()) for match in found if match]


def _python(text: str) -> list[Item] | None:
    """A Python repr: single quotes, None, True."""
    start, end = text.find("["), text.rfind("]")
    brace, brace_end = text.find("{"), text.rfind("}")
    if 0 <= brace < start or start < 0:
        start, end = brace, brace_end
    if start < 0 or end < start or _QUOTED_KEY.search(text, end) or _begins_another(text[end + 1 :]):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stray backslash in the prose is no concern of the user's
        return _items(ast.literal_eval(text[start : end + 1]))


_KEYS = "|".join(
    re.escape(key)
    for key in sorted({k for keys in FIELDS.values() for k in keys} | {"重复维度", "正确归因"}, key=len)[::-1]
)
_OPEN_QUOTE = "[\"'“”‘’「『＂＇`]"
_QUOTED_KEY = re.compile(rf"{_OPEN_QUOTE}\s*({_KEYS})\s*{_OPEN_QUOTE}\s*[:：]\s*", re.IGNORECASE)
_BARE_KEY = re.compile(rf"(?:(?<=[{{,，\n])|^)[ \t*\-•]{{0,9}}({_KEYS})[* \t]{{0,9}}[:：]", re.IGNORECASE)
_PAIRS = {
    '"': '"＂”“',
    "“": '”“"',
    "”": '”“"',
    "'": "'’＇",
    "‘": "’‘'",
    "’": "’‘'",
    "「": "」",
    "『": "』",
    "＂": '＂"',
    "`": "`",
}


def _scan(text: str) -> Answer | None:
    """Broken JSON, read from one known key to the next: inner quotes, missing commas, full-width punctuation."""
    keys = list(_QUOTED_KEY.finditer(text))
    if not keys:
        return None
    items: list[Item] = []
    current: Item = {}
    truncated = False
    for place, key in enumerate(keys):
        last = place + 1 == len(keys)
        segment = text[key.end() : len(text) if last else keys[place + 1].start()]
        if segment[:1] in ("[", "{") and not last and _is_open(segment):
            continue  # an object or a list around the items, under a key that is also a field's
        name = key.group(1)
        if name in current:
            items.append(current)
            current = {}
        value, closed, complete = _value(segment, last=last)
        if last and not complete:
            truncated = True
            current = {}
            break
        current[name] = value
        if closed:
            items.append(current)
            current = {}
    if current:
        items.append(current)
    truncated = truncated or _stops_between(text[: keys[0].start()], text[keys[-1].end() :])
    if not items:
        return Answer(None, truncated=True) if truncated else None
    return Answer(items, truncated=truncated)


def _stops_between(before: str, after: str) -> bool:
    """Return whether an answer stops between two items: in a list that is not closed, or where another item begins."""
    if re.search(r"\[\s*\{?\s*\Z", before) and "]" not in after:
        return True
    return bool(re.search(r"\}\s*(?:[,，]\s*)?(?:\{[^}]*)?\Z", after)) and not after.rstrip().endswith("}")


def _is_open(segment: str) -> bool:
    try:
        _DECODER.raw_decode(segment)
    except ValueError:
        return segment[0] == "[" or "}" not in segment
    return False


def _value(segment: str, *, last: bool) -> tuple[Any, bool, bool]:
    """One value out of the text up to the next key: the value, whether its object closes after it, and whether it
    is complete (only the last value of an answer can be cut).
    """
    segment = _COMMENT.sub("", segment)
    quote = segment[:1]
    value: Any
    closers = _PAIRS.get(quote)
    if closers is None:
        try:
            value, end = _DECODER.raw_decode(segment)
        except ValueError:
            end = segment.find("}") + 1 if quote == "{" else 0  # a broken object is a value as a whole
            value = segment[:end] or re.split(r"[}\]\n,，]", segment, maxsplit=1)[0].strip()
        closed = "}" in segment[end:]
        return value, closed, closed or not last or "]" in segment[end:]
    close = re.compile(rf"[{re.escape(closers)}]\s*(?:[,，;；]\s*)?(?=[}}\]])")
    found = close.search(segment) if last else None
    if not last:
        for found in close.finditer(segment):  # noqa: B007 - the last one closes the object before the next key
            pass
        if found and not re.fullmatch(r"[\s,，;；}\]\[{]*", segment[found.end() :]):
            found = None
    if found:
        return _unescaped(segment[1 : found.start()]), True, True
    if last:
        return None, False, False
    body = segment.rstrip(" \t\r\n\u3000,，;；{[")
    if len(body) > 1 and body[-1] in closers:
        return _unescaped(body[1:-1]), False, True
    return _unescaped(body[1:]), False, True


_COMMENT = re.compile(r"[ \t,，]{0,9}//[^\n\"'”’]{0,200}\s*\Z")
"""A JavaScript comment after a value; one inside a string has the string's quote after it."""


_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|[\\"]')
"""A JSON escape; else a backslash or a quote that ought to be one."""


def _unescaped(body: str) -> str:
    """A string's text: JSON escapes undone, stray quotes and backslashes inside kept."""
    if "\\" not in body:
        return body
    return str(_loads('"' + _ESCAPE.sub(lambda found: found[0] if len(found[0]) > 1 else "\\" + found[0], body) + '"'))


def _repaired(text: str) -> list[Item] | None:
    """Return json-repair's result, if the answer is whole and every word of the result stands in the answer."""
    start, end = _OPENING.search(text), max(text.rfind("]"), text.rfind("}"))
    if start is None or end < start.start() or len(text) > _REPAIRABLE:
        return None
    if not _BARE_KEY.search(text) or _breaks_off(text):
        return None
    from json_repair import repair_json

    items = _items(repair_json(text[start.start() : end + 1], return_objects=True, skip_json_loads=True))
    said = normal(text)
    if items is None or any(normal(word) not in said for word in _words(items)):
        return None
    return items


_REPAIRABLE = 100_000
"""Characters; a longer answer without one quoted key is not worth a slow repair."""


def _words(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
    elif isinstance(value, str):
        yield value


def _breaks_off(text: str) -> bool:
    """Return whether the text opens more brackets than it closes."""
    return len(_OPENING.findall(text)) > len(_CLOSING.findall(text))


def _said_in_words(text: str) -> Answer | None:
    """An answer in a sentence or in brackets that are no JSON: no duplicates, or no error at all."""
    if _QUOTED_KEY.search(text):
        return None
    if says_no_duplicates(text):
        return Answer([], "words")
    bare = re.sub(r"^json", "", normal(text))
    return Answer([{FIELDS["severity"][0]: NO_ERROR}], "words") if bare == NO_ERROR else None


def _escaped_whole(text: str) -> Answer | None:
    """JSON that was escaped as if it stood in a string, without the string's quotes."""
    if '\\"' not in text or _QUOTED_KEY.search(text):
        return None
    return read_answer(text.replace("\\n", "\n").replace('\\"', '"'))


_STEPS: tuple[tuple[str, Callable[[str], Answer | list[Item] | None]], ...] = (
    ("embedded json", _embedded),
    ("python", _python),
    ("keys scan", _scan),
    ("unescaped", _escaped_whole),
    ("json-repair", _repaired),
)
