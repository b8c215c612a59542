"""Find what a judge's prose mentions of the texts: quotes of every style, labelled stretches and bare foreign words."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

from judges.grounding.locate import han

Kind = Literal["quote", "title", "label", "bare", "bracketed"]

_PAIRS = {
    "“": "”",
    "‘": "’",
    "「": "」",
    "『": "』",
    "《": "》",
    "〈": "〉",
    "【": "】",
    "«": "»",
    "〝": "〞",
}
_LONGEST = 2_000
"""Longest quote in characters; what seems longer was never closed."""
_STRAIGHT_DOUBLE = '"＂`'
_STRAIGHT_SINGLE = "'＇"
_TITLES = "《〈【"
_DOUBLE = re.compile(r"[“”\"＂]")
_CROSSED = re.compile(r"“[^”\"]*\"[^”\"]{0,12}(?:译|应|改为|rendered|translated)[^”\"]{0,12}\"[^”\"]*”")
_STOP = re.compile(r"[。；\n]")
_MARKUP = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_DOUBLED = re.compile(r"``|''|’’|‘‘")

_FOREIGN_WORDS = re.compile(
    r"[A-Za-z\u00c0-\u024f][\w'’&/.%-]*(?:[ ,]{1,2}(?:[A-Za-z\u00c0-\u024f]|\d)[\w'’&/.%-]*)*", re.A
)
_WIDE_RUN = re.compile(r"[\u3400-\u9fff](?:[\u3400-\u9fff\d、·]*[\u3400-\u9fff])?")
_FIGURE = re.compile(
    r"(?:原文|译文|the (?:source|original|translation|target)(?: text)?)(?:中|里)?(?:却|误|错)?"
    r"(?:写作|写成|译作|译成|译为|作|是|为|有|的| says| reads| has| gives)?[ :：]*"
    r"(?P<figure>\d[\d,.:/%~～–-]*\d%?|\d%)",
    re.I,
)
_NOT_WORDS = re.compile(r"(?:MQM|LLM|AI|OK|vs|e\.g|i\.e|etc|P|S|T)\.?", re.I)

_LABEL = re.compile(
    r"(?:^|(?<=[\s，。；;,.\n]))"
    r"(?:原文|译文|原句|译句|源文|source(?: text)?|original|translation|target(?: text)?)\s*[:：]\s*"
    r"(?![“\"‘'「『《＂`\s])(?P<text>[^“”\"「」\n]+?)"
    r"(?=\s*(?:[；;。\n]|$|[，,.]?\s*(?:原文|译文|原句|译句|建议|应|宜|source|original|translation|target|suggest)\b))",
    re.I,
)
_BARE_WIDE = re.compile(
    r"(?:将|把|原文(?:中)?的?)(?P<object>[\u3400-\u9fff]{2,12}?)(?:直接|直|误|错|机械地?)?(?:译|翻译)(?:为|成|作|得)"
    r"|(?<![应宜可须再改])(?:译|翻译)(?:为|成|作)(?:了)?(?P<rendering>[\u3400-\u9fff]{2,16})(?=[，。；,;、]|$)"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Something the prose names: ``prose[start:end]`` is what was read, marks included; ``text`` is without them."""

    text: str
    start: int
    end: int
    kind: Kind = "quote"


def plain(prose: str) -> str:
    """Return ``prose`` with markdown emphasis blanked, its length unchanged."""
    prose = _MARKUP.sub(lambda m: " " * len(m[0]), prose)
    return _DOUBLED.sub(lambda m: ' "' if m[0] in ("``", "‘‘") else '" ', prose)


def mentions(prose: str) -> list[Mention]:
    """Return all mentions of a ``plain`` prose in order. Outermost quotes only; bare words never overlap a quote."""
    found = _quotes(prose)
    for match in _LABEL.finditer(prose):
        start, end = match.span("text")
        if size_of(match["text"]) >= 2 and not _overlap(found, start, end):
            found.append(Mention(match["text"].strip(), start, end, "label"))
    found += _bare(prose, found)
    return sorted(found, key=lambda m: m.start)


def chinese(prose: str) -> bool:
    """Whether the prose itself (outside its quotes) is written in Chinese."""
    held = prose
    for mention in reversed(_quotes(prose)):
        held = held[: mention.start] + held[mention.end :]
    wide = han(held)
    return wide * 4 >= sum(1 for c in held if c.isalpha()) - wide and wide > 0


def size_of(text: str) -> int:
    """Return the number of letters and digits."""
    return sum(map(str.isalnum, text))


def _overlap(found: list[Mention], start: int, end: int) -> bool:
    return any(m.start < end and start < m.end for m in found)


def _quotes(prose: str) -> list[Mention]:
    if not _well_formed(prose):
        prose = _alternate(prose)
    ends = _pairs(prose)
    singles = [k for k, char in enumerate(prose) if char in _STRAIGHT_SINGLE and _closes(prose, k)]
    found: list[Mention] = []
    at = 0
    while at < len(prose):
        char, end = prose[at], -1
        if char in _PAIRS:
            end = ends.get(at, -1)
        elif char in _STRAIGHT_DOUBLE:
            end = prose.find(char, at + 1)
        elif char in _STRAIGHT_SINGLE and _opens(prose, at):
            later = bisect_left(singles, at + 2)
            end = singles[later] if later < len(singles) and prose[singles[later]] == char else -1
        if at < end <= at + _LONGEST:
            if text := prose[at + 1 : end].strip():
                found.append(Mention(text, at, end + 1, "title" if char in _TITLES else "quote"))
            at = end + 1
        else:
            at += 1
    return found


def _pairs(prose: str) -> dict[int, int]:
    """Return where each directional quote that is opened is closed, nested ones of a kind properly."""
    closing = {mark: opening for opening, mark in _PAIRS.items() if mark not in _PAIRS}
    opened: dict[str, list[int]] = {opening: [] for opening in _PAIRS}
    ends: dict[int, int] = {}
    for k, char in enumerate(prose):
        if char in opened:
            opened[char].append(k)
        elif (opening := closing.get(char)) and opened[opening] and not (char == "’" and _apostrophe(prose, k)):
            ends[opened[opening].pop()] = k
    return ends


def _apostrophe(prose: str, k: int) -> bool:
    """Whether the mark at ``k`` stands inside a word, as in *else's*."""
    before, after = prose[k - 1 : k], prose[k + 1 : k + 2]
    return before.isascii() and before.isalpha() and after.isascii() and after.isalpha()


def _opens(prose: str, k: int) -> bool:
    """Whether the straight single quote at ``k`` can open a quote."""
    before, after = prose[k - 1 : k] if k else "", prose[k + 1 : k + 2]
    return not (before.isascii() and before.isalnum()) and not after.isspace()


def _closes(prose: str, k: int) -> bool:
    """Whether the straight single quote at ``k`` can close a quote."""
    return k > 0 and not _apostrophe(prose, k) and not prose[k - 1].isspace()


def _well_formed(prose: str) -> bool:
    """Whether the curly quotes of ``prose`` pair up, and none of them seems closed by a straight one."""
    if _CROSSED.search(prose):
        return False
    depth = 0
    for char in prose:
        if char == "“":
            depth += 1
        elif char == "”":
            depth -= 1
        if depth not in (0, 1, 2):
            return False
    return depth == 0


def _alternate(prose: str) -> str:
    """Return the prose with its double quotes, some of which face the wrong way, opening and closing in turn."""
    out = list(prose)
    opening = True
    for match in _DOUBLE.finditer(prose):
        out[match.start()] = "“" if opening else "”"
        opening = not opening
    if not opening:  # one is left open: it ends with its clause
        last = max(k for k, c in enumerate(out) if c == "“")
        stop = _STOP.search(prose, last + 1)
        end = stop.start() if stop else len(prose)
        if end < len(prose):
            out[end] = "”"
        else:
            out[last] = " "
    return "".join(out)


def _bare(prose: str, quoted: list[Mention]) -> list[Mention]:
    """Words of the other script standing in the prose without quotes, and Chinese ones where a verb points at them."""
    gaps, at = [], 0
    for mention in sorted(quoted, key=lambda m: m.start):
        gaps.append((at, mention.start))
        at = mention.end
    gaps.append((at, len(prose)))
    foreign = _FOREIGN_WORDS if chinese(prose) else _WIDE_RUN
    found = []
    for start, end in gaps:
        for match in foreign.finditer(prose, start, end):
            text = match[0].rstrip(" ,.-'’/&")
            if size_of(text) < 2 or _NOT_WORDS.fullmatch(text):
                continue
            bracketed = prose[match.start() - 1 : match.start()] in ("(", "（", "[") and match.start() > 0
            found.append(Mention(text, match.start(), match.start() + len(text), "bracketed" if bracketed else "bare"))
        for match in _FIGURE.finditer(prose, start, end):
            found.append(Mention(match["figure"], *match.span("figure"), "bare"))
        if foreign is _FOREIGN_WORDS:
            for match in _BARE_WIDE.finditer(prose, start, end):
                group = "object" if match["object"] else "rendering"
                if not _overlap(found, *match.span(group)):
                    found.append(Mention(match[group], *match.span(group), "bare"))
    return found
