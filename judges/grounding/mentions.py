"""Find all that a judge's prose mentions of the texts: its quotes, and words without any marks.

Unquoted words are told by their script, by a verb that points at them, or by being figures; what is taken to be one
must stand in the texts, so that a judge's own words are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from judges.grounding.cue_lexicon import words
from judges.grounding.documents import Documents
from judges.grounding.fuzzy_search import Locator, Match, han, size
from judges.grounding.quotes import Mention, Reach, quotes, size_of
from judges.model import SIDES, Side

_FIGURE = re.compile(r"\d[\d,.:/~～–-]*(?<![,.:/~～–-])[%％]?")
_HAN_RUNS = re.compile(r"[\u3400-\u9fff\d]+")
_MOST_LOOKUPS = 300
_LONGEST_RUN = 200
_ECHO = 6
"""Characters from which Chinese in a Chinese prose is taken from a text."""
_PHRASE = 5
"""Chinese characters that can hardly stand together in a text by chance."""


def mentions(prose: str, pair: Documents) -> list[Mention]:
    """Return all mentions of a ``plain`` prose in order. Outermost quotes only; bare words never overlap a quote."""
    reach = _sparing(pair.reach)
    quoted = quotes(prose, reach)
    found = list(quoted)
    own = "".join(prose[start:end] for start, end in gaps(prose, quoted))
    chinese = 0 < sum(map(str.isalpha, own)) <= han(own) * 5
    for gap in gaps(prose, quoted):
        for mention in _bare(prose, gap, chinese, pair, reach):
            if not overlap(found, mention):
                found.append(mention)
    return sorted(found, key=lambda m: m.start)


def _sparing(reach: Reach) -> Reach:
    """Return ``reach`` with a memory, and with an end to its patience where a prose is all fragments."""
    known: dict[str, int] = {}

    def look(text: str) -> int:
        if text not in known and len(known) < _MOST_LOOKUPS:
            known[text] = reach(text)
        return known.get(text, 0)

    return look


def gaps(prose: str, found: Sequence[Mention]) -> list[tuple[int, int]]:
    """Return the stretches of the prose that are the judge's own words: between what is mentioned."""
    return [(one.end, two.start) for one, two in pairwise([Mention("", 0, 0), *found, Mention("", len(prose), 0)])]


def overlap(found: list[Mention], mention: Mention) -> bool:
    """Return whether one of ``found`` shares a character with ``mention``."""
    return any(m.start < mention.end and mention.start < m.end for m in found)


def _bare(prose: str, gap: tuple[int, int], chinese: bool, pair: Documents, reach: Reach) -> Iterator[Mention]:
    """Yield what a ``gap`` between quotes names, in another language than the prose's and in its own."""
    yield from _foreign(prose, gap, chinese, reach)
    for side in SIDES:
        if pair.wide[side] == chinese:
            yield from _pointed(words("mention", f"pointed_{side}" if chinese else "pointed_latin"), prose, gap, reach)
    if chinese and any(pair.wide.values()):
        yield from _topics(prose, gap, reach)
        yield from _echoes(prose, gap, [pair.sides[side].threes for side in SIDES if pair.wide[side]], reach)


def _foreign(prose: str, gap: tuple[int, int], chinese: bool, reach: Reach) -> Iterator[Mention]:
    """Yield words of another script than the prose's own, and figures with as much of their unit as stands there."""
    for match in words("mention", "foreign_to_chinese" if chinese else "foreign_to_english").finditer(prose, *gap):
        text, at = match[0].rstrip(" ,.-'’/&"), match.start()
        figure = _FIGURE.match(text)
        alone = figure is not None and size_of(figure[0]) == size_of(text)
        if figure and alone:
            unit = words("mention", "unit").match(prose, at + figure.end(), gap[1])
            ahead = prose[at : unit.end()] if unit else text
            text = ahead[: reach(ahead)].rstrip()
            if len(text) < max(2, figure.end()) or words("mention", "counting").search(prose[max(0, at - 12) : at]):
                continue
        elif figure and reach(text) < figure.end():  # the judge's own number
            at += len(text) - len(text[figure.end() :].lstrip(" -"))
            text = text[figure.end() :].lstrip(" -")
        if alone or size_of(text) >= 2:
            yield Mention(text, at, at + len(text), "bare" if chinese or alone else "quote")


def _pointed(pattern: re.Pattern[str], prose: str, gap: tuple[int, int], reach: Reach) -> Iterator[Mention]:
    """Yield what the prose points at, and what is listed after it, as far as it stands in a text.

    Short words only where they end: “译为A、B和C”.
    """
    for match in pattern.finditer(prose, *gap):
        begin: int | None = match.end()
        while begin is not None:
            ahead = prose[begin : min(gap[1], begin + _LONGEST_RUN)]
            text = ahead[: reach(ahead)].rstrip()
            stop = begin + len(text)
            whole = han(text) >= 2 and words("mention", "ends").match(prose, stop)
            if not whole and (han(text) or max(map(len, text.split()), default=0)) < _PHRASE:
                break
            yield Mention(text, begin, stop, "bare")
            more = words("mention", "listed").match(prose, stop, gap[1])
            begin = more.end() if more else None


def _topics(prose: str, gap: tuple[int, int], reach: Reach) -> Iterator[Mention]:
    """Yield what a clause begins with and says to be rendered or left out: “半厘米厚译成…”."""
    for start in words("mention", "han_start").finditer(prose, *gap):
        run = words("mention", "topic").match(prose, start.end(), gap[1])
        if run and reach(run[1]) == len(run[1]):
            yield Mention(run[1], run.start(), run.end(1), "bare")


def _echoes(prose: str, gap: tuple[int, int], threes: Sequence[frozenset[str]], reach: Reach) -> Iterator[Mention]:
    """Yield the stretches of Chinese that stand in a text word for word and are too long for chance."""
    for run in _HAN_RUNS.finditer(prose, *gap):
        at = run.start()
        while at + _ECHO <= run.end():
            likely = any(prose[at : at + 3] in held and prose[at + 3 : at + _ECHO] in held for held in threes)
            length = reach(prose[at : run.end()]) if likely else 0
            if length >= _ECHO:
                yield Mention(prose[at : at + length], at, at + length, "bare")
            at += length if length >= _ECHO else 1


def unquoted_mention(
    prose: str, held: list[Mention], pair: Documents, side: Side, beside: tuple[Side, Match]
) -> Mention | None:
    """Return the longest stretch of ``prose`` outside ``held`` that stands on ``side`` about where ``beside`` does.

    A judge who writes in the language of one text names its words without marks: “古柏误作ancient pine”. Such words are
    only believed at the beginning of a clause, and beside what they go with on the other side.
    """
    window = pair.window(side, pair.place(beside[0], beside[1].middle))
    if window is None:
        return None
    there = Locator(pair.sides[side].text[window[0] : window[1]])
    script = "han" if pair.wide[side] else "latin"
    found = []
    for start in words("mention", f"{script}_start").finditer(prose):
        run = words("mention", f"{script}_run").match(prose, start.end())
        text = run[0][: there.reach(run[0])].rstrip(" ,、") if run else ""
        mention = Mention(text, start.end(), start.end() + len(text), "bare")
        whole = script == "latin" or size(text) >= 2 * _PHRASE or words("mention", "ends").match(prose, mention.end)
        if size(text) >= 3 and whole and not overlap(held, mention):
            found.append(mention)
    return max(found, key=lambda mention: size(mention.text), default=None)
