"""JSON answers of judges, which are meant to be a list and often are not quite.

The steps go from strict to lenient and stop at the first that reads the whole answer; the one that read it is
recorded. An item that was cut off is dropped rather than completed: nothing is ever invented. What an answer repeats of
the material is left out, and where several lists could be the answer, that is said.
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

from judges.metric_s.reading.key_scan import BARE_KEY, QUOTED_KEY, WORD, Item, Looks, is_deep, read_json, scan
from judges.metric_s.reading.labels import FIELDS, NO_ERROR, Field, field_of, fields_of, is_no_error, normal
from judges.metric_s.reading.material import NOTHING_SHOWN, Material
from judges.metric_s.reading.statements import asserts


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer as far as it could be read.

    ``items`` is None where nothing usable was found, and empty where the answer says an empty list (or that there
    are no duplicates). ``step`` names the reading that succeeded ("" if none did); ``truncated``: the answer
    breaks off, so that there may have been more items. ``unclear``: why nobody can tell which part of it is the
    judge's answer, for people; ``items`` are then those of the last. ``conclusions``: the words under that key in the
    JSON that was read, None where it was not read as JSON.
    """

    items: list[Item] | None
    step: str = ""
    truncated: bool = False
    unclear: str = ""
    conclusions: tuple[str, ...] | None = None


REPEATS = "what it says stands in the material word for word, so it is not the judge's own"
SEVERAL = "it holds several answers that differ"
TOO_MUCH = "it holds more than a judgement can have"
MOST_ITEMS = 1_000
"""Items of an answer that are read; a model that writes more goes round in circles."""


_GAP = r"[\s_*`“”\"'‘’-]*"
_NO_DUPLICATES = re.compile(
    rf"(?:无|没有|不存在|未发现|未见){_GAP}(?:任何|明显)?的?{_GAP}重复|\b(?:no|without){_GAP}duplicat"
)
_THINKING = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THINKING = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_DEPTH = 12


def says_no_duplicates(text: str) -> bool:
    """Return whether a de-duplicator's words say that there is nothing to remove ("本次评估无重复问题")."""
    return asserts(_NO_DUPLICATES, text)


def read_answer(raw: str, material: Material = NOTHING_SHOWN) -> Answer:
    """Read the items of a judge's or a de-duplicator's answer. Never raises, whatever the text.

    ``material``: what the judge was shown, of which nothing is its answer.
    """
    whole = _step("json", lambda: _strict(raw))
    if whole is not None:
        return _own(whole, material)
    text = without_thinking(raw)
    for name, read in _STEPS:
        answer = _step(name, lambda read=read: read(text, material))  # type: ignore[misc]
        if answer is not None:
            return _own(answer, material)
    return _said_in_words(own_prose(text, material)) or Answer(None, truncated=_breaks_off(text))


def read_value(value: object, material: Material = NOTHING_SHOWN) -> Answer:
    """Read the items of an answer that was already parsed: a list, one item, an object around either, or a string."""
    if isinstance(value, str):
        return read_answer(value, material)
    return _own(_step("parsed", lambda: _items(value)) or Answer(None), material)


def _own(answer: Answer, material: Material) -> Answer:
    """The answer without items that stand in the material. A list that has some of them is not only the judge's.

    An item without words of its own, such as a bare verdict, may be the same by chance: a text that holds it would
    else be judged by nobody.
    """
    if answer.items is None:
        return answer
    if len(answer.items) > MOST_ITEMS or is_deep(answer.items):
        return replace(answer, items=None, unclear=TOO_MUCH)
    own = [item for item in answer.items if not (_has_words(item) and material.holds(item))]
    if len(own) == len(answer.items):
        return replace(answer, items=material.restored(own))
    apart = bool(own) and answer.step == "keys scan"  # which joins whatever stands in an answer
    return replace(answer, items=material.restored(own) or None, unclear=answer.unclear or ("" if apart else REPEATS))


def _has_words(item: Item) -> bool:
    said = fields_of(item)
    return any(map(said.get, _FREE_WORDS)) or "text" in item or not said


_FREE_WORDS: tuple[Field, ...] = ("explanation", "source_quote", "target_quote", "suggestion")


def _step(name: str, read: Callable[[], Answer | list[Item] | None]) -> Answer | None:
    """Run one reading; an error in it means that it read nothing."""
    try:
        found = read()
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError, KeyError, IndexError, AttributeError):
        return None
    if found is None:
        return None
    if isinstance(found, Answer):
        return found if found.items is None and not found.unclear else replace(found, step=name)
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
        if says_no_duplicates(inner) and not QUOTED_KEY.search(inner):
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


def _strict(raw: str) -> Answer:
    value, contradicts = read_json(raw.strip().removeprefix("\ufeff"))
    unclear = SEVERAL if contradicts else ""
    return Answer(_items(value), unclear=unclear, conclusions=tuple(_conclusions(value)))


_CONCLUSION = re.compile(r"""(?<!\\)["“'`]conclusion["”'`]\s*[:：]\s*["“'`]([^"”'`]*)["”'`]""", re.IGNORECASE)


def _conclusions(value: object) -> Iterator[str]:
    """Give what stands under "conclusion" in the objects around a list, and not in its items."""
    if isinstance(value, str):
        yield from _CONCLUSION.findall(value)
    elif isinstance(value, list) or (isinstance(value, dict) and not _is_item(value)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if normal(key) == "conclusion":
                yield inner if isinstance(inner, str) else ""
            else:
                yield from _conclusions(inner)


def own_prose(raw: str, material: Material = NOTHING_SHOWN) -> str:
    """Return an answer proper without the JSON, the lines and the quoted passages that stand in the material."""
    text = without_thinking(raw)
    kept: list[str] = []
    at = end = found = 0
    looks = Looks(text)
    for opening in _OPENING.finditer(text) if material.text else ():
        if opening.start() < at:
            continue
        try:
            value, at = looks.decode(opening.start())
        except json.JSONDecodeError:
            continue
        except (ValueError, RecursionError):
            break
        if (found := found + 1) > MOST_ITEMS:
            return ""
        if not is_deep(value) and material.holds(value):
            kept.append(text[end : opening.start()])
            end = at
    return material.without_quotations(" ".join((*kept, text[end:])))


def conclusions(answer: Answer, raw: str, material: Material = NOTHING_SHOWN) -> tuple[str, ...]:
    """Return every word that an answer gives as its conclusion."""
    if answer.conclusions is not None:
        return answer.conclusions
    return tuple(_CONCLUSION.findall(own_prose(raw, material)))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A whole piece of JSON in an answer, with its items. ``keys``: those of an object around a list, else None."""

    items: list[Item]
    keys: frozenset[str] | None
    is_list: bool
    conclusions: tuple[str, ...] = ()


def _embedded(text: str, material: Material) -> Answer | None:
    """Valid JSON with prose, fences or more JSON around it; or valid JSON that breaks off."""
    keys = [match.start() for match in QUOTED_KEY.finditer(text)]
    closings = {close: [m.start() for m in re.finditer(re.escape(close), text)] for close in "]}"}
    pieces: list[_Piece] = []
    at, looks, found, repeats, broken, contradicts = 0, Looks(text), 0, False, False, False
    for opening in _OPENING.finditer(text):
        start = opening.start()
        if start < at:
            continue
        try:
            value, at = looks.decode(start)
        except json.JSONDecodeError as error:
            inside = bisect(keys, start)
            if inside == len(keys):  # prose: no known key comes after this bracket
                continue
            if not ran_out(text, error):
                closing = closings["]" if opening[0] == "[" else "}"]
                closes = bisect(closing, start)
                broken = broken or keys[inside] < (closing[closes] if closes < len(closing) else len(text))
                continue
            if material.holds_text(text[start:]):
                return _joined(pieces) or Answer(None, unclear=REPEATS)
            if items := _complete_items(looks, start):
                pieces.append(_Piece(items, None, is_list=True))
            return replace(_joined(pieces) or Answer(None), truncated=True)
        if (items_read := _items(value)) is None:
            continue
        if (found := found + 1) > MOST_ITEMS:
            return Answer(None, unclear=TOO_MUCH)
        fenced_whole = not WORD.search(text, 0, start) and not WORD.search(text, at)
        if not (fenced_whole and not any(map(_has_words, items_read))) and material.holds(value):
            repeats = True
            continue
        contradicts = contradicts or looks.pairs.contradict
        wraps = isinstance(value, dict) and not _is_item(value)
        keys_around = frozenset(value) if wraps else None
        pieces.append(_Piece(items_read, keys_around, isinstance(value, list), tuple(_conclusions(value))))
    joined = _joined(pieces)
    if joined is not None and contradicts:
        return replace(joined, unclear=SEVERAL)
    if broken:  # something else is meant as JSON, too
        asked = any(piece.keys is not None and "items" in piece.keys for piece in pieces)
        return replace(joined, unclear=SEVERAL) if joined and asked else None
    if joined is None:
        return Answer(None, unclear=REPEATS) if repeats else None
    return replace(joined, truncated=_begins_another(text[at:]))


_OPENING = re.compile(r"[\[{]")
_CLOSING = re.compile(r"[\]}]")


def ran_out(text: str, error: json.JSONDecodeError) -> bool:
    """Return whether the JSON was right as far as it goes and only stops too early."""
    if error.msg.startswith("Unterminated string"):
        return True
    return len(text) - error.pos <= 8 and not _CLOSING.search(text, error.pos)


def _begins_another(rest: str) -> bool:
    """Return whether what follows an item is the beginning of another one, cut off."""
    after = rest.strip()
    return after in (",", "，") or after.lstrip(",， \t\r\n").startswith("{")


def _complete_items(looks: Looks, start: int) -> list[Item]:
    """The items that are whole in JSON that breaks off, down through what wraps them."""
    text = looks.text
    items: list[Item] = []
    at = start if text[start] == "{" else start + 1
    while (opening := _OPENING.search(text, at)) is not None:
        try:
            value, at = looks.decode(opening.start())
        except json.JSONDecodeError:
            wraps = opening.group() == "[" or _WRAPPER.match(text, opening.start())
            if not wraps or QUOTED_KEY.match(text, opening.end()):
                break
            at = opening.end()
            continue
        items.extend(_items(value) or [])
    return items


_WRAPPER = re.compile(r'\{\s*"[^"\\]*"\s*:\s*[\[{]')


def _joined(pieces: list[_Piece]) -> Answer | None:
    """One answer out of several pieces of JSON; None without a piece.

    Single objects belong together, and so do lists under other keys and lists that go on counting where the one before
    stopped. An empty list takes nothing back: it may be said of what no error is, too. Of other lists the last stands,
    as a draft's revision does, but nobody can tell whether it is one. Beside an object of the asked shape
    (``{"items": […]}``) nothing else counts.
    """
    asked = [piece for piece in pieces if piece.keys is not None and "items" in piece.keys]
    others = [piece for piece in pieces if piece.items and not (piece.keys is not None and "items" in piece.keys)]
    if asked and others and not any(piece.items for piece in asked):
        return replace(_joined(others) or Answer(None), unclear=SEVERAL)
    unclear = SEVERAL if {bool(piece.items) for piece in asked} == {True, False} else ""
    joined: list[Item] = []
    wrappers: set[frozenset[str]] = set()
    kinds: set[str] = set()
    for piece in asked or others:
        anew = piece.is_list or piece.keys in wrappers
        if piece.keys is not None:
            wrappers.add(piece.keys)
        if not piece.items or piece.items == joined:
            continue
        if len(joined) > MOST_ITEMS:
            break
        if not anew and all(item in joined for item in piece.items):
            continue
        kinds.add("list" if piece.is_list else "object" if piece.keys is None else "wrapped")
        if anew and joined and not _goes_on(joined, piece.items):
            joined, unclear = [], SEVERAL
        joined.extend(item for item in piece.items if anew or item not in joined)
    said = tuple(word for piece in asked or pieces for word in piece.conclusions)
    return Answer(joined, unclear=SEVERAL if len(kinds) > 1 else unclear, conclusions=said or None) if pieces else None


def _goes_on(before: list[Item], after: list[Item]) -> bool:
    numbers = [_numbers(before), _numbers(after)]
    return bool(numbers[0] and numbers[1] and max(numbers[0]) < min(numbers[1]))


def _numbers(items: list[Item]) -> list[int]:
    found = (re.search(r"\d{1,6}", str(v)) for i in items for k, v in i.items() if field_of(k) == "number")
    return [int(match.group()) for match in found if match]


def _python(text: str, material: Material) -> list[Item] | None:
    """A Python repr: single quotes, None, True."""
    start, end = text.find("["), text.rfind("]")
    brace, brace_end = text.find("{"), text.rfind("}")
    if 0 <= brace < start or start < 0:
        start, end = brace, brace_end
    if start < 0 or end < start or QUOTED_KEY.search(text, end) or _begins_another(text[end + 1 :]):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stray backslash in the prose is no concern of the user's
        return _items(ast.literal_eval(text[start : end + 1]))


def _scanned(text: str, material: Material) -> Answer | None:
    """Broken JSON, from one known key to the next."""
    found = scan(text)
    if found is None:
        return None
    brackets = [match.start() for match in re.finditer(r"[\[{\]}]", text)] or [0, len(text)]
    if material.holds_text(text[brackets[0] : brackets[-1] + 1]):
        return Answer(None, unclear=REPEATS)
    return Answer(found.items or None, truncated=found.truncated, unclear=SEVERAL if found.several else "")


def _repaired(text: str, material: Material) -> list[Item] | None:
    """Return json-repair's result, if the answer is whole and every word of the result stands in the answer."""
    start, end = _OPENING.search(text), max(text.rfind("]"), text.rfind("}"))
    if start is None or end < start.start() or len(text) > _REPAIRABLE:
        return None
    if not BARE_KEY.search(text) or _breaks_off(text):
        return None
    from json_repair import repair_json

    items = _items(repair_json(text[start.start() : end + 1], return_objects=True, skip_json_loads=True))
    said = normal(text)
    if items is None or any(normal(word) not in said for word in _words(items)):
        return None
    return items


_REPAIRABLE = 40_000
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
    if QUOTED_KEY.search(text):
        return None
    if says_no_duplicates(text):
        return Answer([], "words")
    bare = re.sub(r"^json", "", normal(text))
    return Answer([{FIELDS["severity"][0]: NO_ERROR}], "words") if bare == NO_ERROR else None


def _escaped_whole(text: str, material: Material) -> Answer | None:
    """JSON that was escaped as if it stood in a string, without the string's quotes."""
    if '\\"' not in text or QUOTED_KEY.search(text):
        return None
    return read_answer(text.replace("\\n", "\n").replace('\\"', '"'), material)


_STEPS: tuple[tuple[str, Callable[[str, Material], Answer | list[Item] | None]], ...] = (
    ("embedded json", _embedded),
    ("python", _python),
    ("keys scan", _scanned),
    ("unescaped", _escaped_whole),
    ("json-repair", _repaired),
)
