"""Roles of mentions: the text itself, a correction, a gloss, something that is fine.

A judge's sentence is read from left to right. Cues set a mode (suggesting, forbidding, glossing), talk of source or
translation turns it back, and words after a quote can still change what it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from judges.grounding.cue_lexicon import FoundCue, inconsistent, read_lead, read_tail
from judges.grounding.documents import OTHER, Documents
from judges.grounding.fuzzy_search import han
from judges.grounding.hints import Place, number, read_places
from judges.grounding.quotes import Mention
from judges.model import SIDES, Side

Role = Literal["named", "suggested", "forbidden", "gloss", "fine", "elsewhere"]
"""``named``: it stands in the text and is what the finding speaks of. ``suggested``: how it should be, or what is
missing. ``forbidden``: how it must not be. ``gloss``: what something means. ``fine``: in the text, but nothing is wrong
with it. ``elsewhere``: a comparison with another place."""

CONNECTOR = re.compile(
    r"[\s)）\]]*(?:[、/／&|]|(?:，?(?:或者?是?|以及|乃至|甚至)|和|与|及)(?:译为|译作|译成)?|,?\s*(?:or|and)|→)?[\s(（\[]*",
    re.I,
)
_PERSON = re.compile(r"者|or$")
_ASIDE = re.compile(r"\s*[（(\[]\s*")
_ADJACENT = re.compile(r"[\s了的一词句]*")
_WRONG = re.compile(r"又|却|误|错|仍|还|机械|硬|生硬|mistransl|wrongly|incorrectly", re.I)
_RENDERED = re.compile(
    r"译[为成作]?了?\s*$|(?:译名|译法|写法)[^，。；]{0,4}[：:]\s*$|(?:translated|rendered)(?: \w+)? (?:as|by)\s*$", re.I
)
_RENDERED_FIRST = re.compile(r"译[为成作]了?[^（(，。；“”]{1,8}[（(]\s*$")
_RENDERING = re.compile(r"译|[搬翻弄搞拍套写]|^(?:transl|render)", re.I)
_WHERE = re.compile(r"[\s一这]*(?:[词语处]|二字)?\s*(?:出现)?(?:在|于|\bin\b|\bat\b)[^，。；,;:：“”\"]{0,48}", re.I)
_BRACKETS = re.compile(r"[（(][^（）()]*[）)]")
_PLACED = re.compile(r"[上前下后]文|[前后]面|[上下]一|其他|其它|别处|此前|之前|文中|正文|标题")
_SEVERAL = re.compile(
    r"([两二三四五六七八九十]|\d{1,2})\s*[处次](?!\s*出现第)|(?:通篇|各处|处处|每[处次]|多[处次]|屡次|反复|始终)"
    r"|\b(both|two|three|four|five|six|twice|thrice)\b(?: (?:places|occurrences|instances|times))?"
    r"|\b(?:throughout|everywhere|every (?:time|occurrence|instance)|each (?:time|occurrence|instance)|repeatedly)\b",
    re.I,
)
_COUNTS = {"两": 2, "both": 2, "two": 2, "twice": 2, "three": 3, "thrice": 3, "four": 4, "five": 5, "six": 6}
_EVERYWHERE = 12
"""Most occurrences that are lit of what is said to stand everywhere."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A mention understood.

    ``firm``: the judge says outright that it stands there. ``linked``: index of the source reading it renders.
    ``omitted``: said to be missing from the translation.
    ``touching``: a verb of rendering or the name of a text stands directly beside it; ``rendered``: “rendered as”
    stands before it. ``places``: where it is said to be. ``times``: in how many places, where a number is given.
    """

    mention: Mention
    side: Side
    role: Role
    firm: bool = False
    linked: int | None = None
    omitted: bool = False
    touching: bool = False
    rendered: bool = False
    places: tuple[Place, ...] = ()
    times: int = 1


Mode = Literal["", "suggest", "forbid", "gloss"]


@dataclass(kw_only=True)
class _State:
    """State of the reader: the cues of the sentence so far."""

    mode: Mode = ""
    before_gloss: Mode = ""
    side: Side | None = None
    clause_of: Side | None = None  # the text whose words this very clause gives
    rendered: bool = False  # the sentence has said what the translation has
    told: bool = False  # something outright about the present state
    elsewhere: bool = False
    compared: bool = False
    fine: bool = False
    omit: bool = False
    instead: bool = False
    absent: bool = False  # said not to be in the source
    render: bool = False
    last: str = ""


def wide_script(text: str) -> bool | None:
    """Return whether a quote is Chinese (by words: an acronym in it does not count), None if it has no letters."""
    wide = han(text)
    words = len(re.findall(r"[A-Za-z\u00c0-\u024f]+", text))
    return None if not wide and not words else wide >= words


def read_roles(prose: str, found: Sequence[Mention], pair: Documents, category: str = "") -> list[Reading]:
    """Return one reading for each mention of a ``plain`` prose, in the same order."""
    readings: list[Reading] = []
    various = inconsistent(category, prose)
    state = _State()
    at = 0
    own = "".join(
        prose[one.end : two.start] for one, two in pairwise([Mention("", 0, 0), *found, Mention("", len(prose), 0)])
    )
    english = not han(own)  # so Chinese in it is no gloss of the judge's own
    starts = [mention.start for mention in found] + [len(prose)] * 2
    for k, mention in enumerate(found):
        lead = prose[at : mention.start]
        following, begin = starts[k + 1], mention.end
        if k + 1 < len(found) and _ASIDE.fullmatch(prose, begin, following):  # what is said of “X” (Y) comes after Y
            begin, following = found[k + 1].end, starts[k + 2]
        cues = _outside_brackets(read_lead(prose, at, mention.start), lead, at)
        tail = read_tail(prose, begin, following)
        state = _follow(cues, state, various)
        side = _side(mention, state.side, pair)
        previous = readings[-1] if readings else None
        if previous and CONNECTOR.fullmatch(lead) and previous.side == side and lead.strip() not in ("(", "（"):
            reading = replace(previous, mention=mention, touching=False)
            reading = replace(reading, role=_after(tail, previous.role, side))
        else:
            clause = _clause(lead)
            places = read_places(_place_after(prose, mention.end, following)) or read_places(clause)
            role, firm = _role(state, side, tail, various, places, english, readings)
            told_of = state.clause_of if mention.kind == "bare" else None
            if told_of not in (None, side) and not pair.sides[told_of].occurs(mention.text):
                role = "gloss"  # the judge's own rendering of what the other text says
            reading = Reading(
                mention,
                side,
                role,
                firm,
                omitted=side == "source" and (state.omit or any(c.cue == "omit" for c in tail[:2])),
                touching=_touching(prose, cues, tail, mention),
                rendered=bool(_RENDERED.search(lead)),
                places=places,
                times=_times(clause + prose[mention.end : following]),
            )
        explained = side == "source" and previous and _ASIDE.fullmatch(lead)
        if mention.kind == "bracketed" and (explained or _RENDERED_FIRST.search(lead)):
            reading = replace(reading, mention=replace(mention, kind="quote"))  # “X” (Y): the two go together
        readings.append(reading)
        mode = state.mode if state.mode != "gloss" else state.before_gloss
        rendered = side == "translation" and reading.role == "named" and reading.firm
        state = _State(mode=mode, rendered=state.rendered or rendered)
        at = mention.end
    return readings


def _follow(cues: Sequence[FoundCue], carried: _State, various: bool) -> _State:
    """Run through the cues before a mention and return the state in which they leave the reader."""
    state = replace(carried)
    for cue in cues:
        name, text = cue.cue, cue.text
        if state.mode == "gloss" and name in ("soft", "compare", "object"):
            state.mode = state.before_gloss
        if name == "hard":
            state = _State()
        elif name == "soft":
            state.elsewhere = state.compared = state.omit = state.instead = False
            state.clause_of = None
        elif name == "suggest" or (name == "change" and not various):
            state.mode, state.told, state.omit = "suggest", False, False
        elif name == "forbid":
            state.mode = "forbid"
        elif name == "gloss":
            state.before_gloss, state.mode = state.mode if state.mode != "gloss" else state.before_gloss, "gloss"
        elif name in ("source", "translation", "fact", "but", "omit"):
            state.mode, state.omit = "", name == "omit"
            state.told |= name != "but"
            state.fine &= name != "but"
            state.elsewhere &= not _WRONG.match(text)
            if name in ("source", "translation"):
                state.side = "source" if name == "source" else "translation"
                state.clause_of = None if _PERSON.search(text) else state.side
        elif name == "compare":
            state.compared = True
            state.elsewhere |= bool(_PLACED.search(text))
        elif name == "render":
            state.render = True
            if _RENDERING.search(text):
                state.clause_of = None
                state.mode = state.before_gloss if state.mode == "gloss" else state.mode
        elif name in ("elsewhere", "fine", "instead", "absent"):
            setattr(state, name, True)
        state.last = name
    return state


def _role(
    state: _State,
    side: Side,
    tail: Sequence[FoundCue],
    various: bool,
    places: Sequence[Place],
    english: bool,
    readings: Sequence[Reading],
) -> tuple[Role, bool]:
    """Return the role of a mention, and whether the prose says outright that it stands in the text."""
    outright = any(c.cue in ("render", "poor", "omit") for c in tail[:2])
    firm = outright or (state.told or state.omit or (state.render and not state.mode))
    firm &= not (side == "source" and state.absent)
    role: Role = "named"
    if side == "translation":
        if state.instead:  # “now A instead of B”, or “A instead of B, which stands there now”
            return ("suggested" if state.rendered else "forbidden"), False
        if state.last == "object":
            return _after(tail, "named", side), True
        if state.omit or state.mode == "suggest":
            return "suggested", False
        if state.mode == "forbid":
            return "forbidden", False
        if state.mode == "gloss":
            return "gloss", state.side == side
    elif state.mode == "gloss":
        return ("named" if state.side == "source" or not readings or english else "gloss"), False
    if tail and tail[0].cue == "together":
        return "named", firm
    if side == "source" and state.compared and not state.elsewhere:
        return "named", False  # “not what X means”: the source is what a rendering is measured by
    if state.compared:
        return ("named" if various and any(p.kind == "paragraph" for p in places) else "elsewhere"), False
    if state.fine:
        role = "fine"
    elif state.elsewhere and not various and not (tail and tail[0].cue == "poor"):
        role = "elsewhere"
    return _after(tail, role, side), firm


def _after(tail: Sequence[FoundCue], role: Role, side: Side) -> Role:
    """Let the words after a mention change its role: “X” is better, “X” is fine, the sense of “X”."""
    paused = False
    for cue in tail:
        if cue.cue in ("poor", "omit", "render"):
            break
        if cue.cue == "soft":
            paused = True
        elif cue.cue == "suggest" and not paused:
            return "suggested" if side == "translation" else role
        elif cue.cue == "fine" and role in ("named", "elsewhere"):
            return "fine"
    return role


def _side(mention: Mention, cued: Side | None, pair: Documents) -> Side:
    """Return which text a mention belongs to: by script, and by where it occurs or the cue where that cannot tell."""
    wide = wide_script(mention.text)
    here = [side for side in SIDES if pair.sides[side].occurs(mention.text)]
    if pair.same_script or wide is None:
        return cued if cued and (cued in here or not here) else here[0] if len(here) == 1 else "translation"
    scripted: Side = "translation" if wide == pair.wide["translation"] else "source"
    plain = mention.text.isalpha() and cued != OTHER[scripted]
    return OTHER[scripted] if here == [OTHER[scripted]] and not plain else scripted


def _outside_brackets(cues: Sequence[FoundCue], lead: str, at: int) -> list[FoundCue]:
    """Return the cues that do not stand in a bracket closed before the mention."""
    asides = [(at + m.start(), at + m.end()) for m in _BRACKETS.finditer(lead)]
    return [cue for cue in cues if not any(start <= cue.start < end for start, end in asides)]


def _clause(lead: str) -> str:
    """Return the last clause of ``lead``, where a place named belongs to the quote that follows."""
    parts = re.split(r"[，。；！？;\n]|,\s|\.\s|\b(?:but|while|and then)\b|却|而", lead)
    last = parts[-1]
    return parts[-2] + last if len(parts) > 1 and len(last.strip()) <= 3 else last


def _place_after(prose: str, start: int, end: int) -> str:
    """Return the words right after a mention that say where it stands; nothing if none do."""
    match = _WHERE.match(prose, start, end)
    return match[0] if match else ""


def _touching(prose: str, cues: Sequence[FoundCue], tail: Sequence[FoundCue], mention: Mention) -> bool:
    before = bool(cues) and cues[-1].cue in ("render", "fact", "translation", "source", "omit", "left", "object")
    before = before and cues[-1].text != "是" and bool(_ADJACENT.fullmatch(prose[cues[-1].end : mention.start]))
    after = bool(tail) and tail[0].cue in ("render", "omit")
    return before or (after and bool(_ADJACENT.fullmatch(prose[mention.end : tail[0].start])))


def _times(words: str) -> int:
    """Return in how many places something is said to stand: a number, or all over the text."""
    match = _SEVERAL.search(words)
    if match is None:
        return 1
    named = (match[1] or match[2] or "").casefold()
    return (_COUNTS.get(named) or number(named)) if named else _EVERYWHERE
