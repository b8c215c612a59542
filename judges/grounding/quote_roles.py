"""Roles of mentions: the text itself, a correction, a gloss, something that is fine.

A judge's sentence is read from left to right. Cues set a mode (suggesting, forbidding, glossing), talk of source or
translation turns it back, and words after a quote can still change what it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from judges.grounding.cue_lexicon import FoundCue, inconsistent, read_lead, read_tail
from judges.grounding.documents import OTHER, Documents
from judges.grounding.fuzzy_search import han
from judges.grounding.hints import Place, number, read_places
from judges.grounding.quotes import Mention
from judges.model import SIDES, Side

Role = Literal["named", "suggested", "forbidden", "gloss", "fine", "elsewhere", "absent"]
"""``named``: it stands in the text and is what the finding speaks of. ``suggested``: how it should be. ``forbidden``:
how it must not be. ``gloss``: what something means. ``fine``: in the text, but nothing is wrong with it.
``elsewhere``: a comparison with another place. ``absent``: said not to be in the text."""

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
_RENDERING = re.compile(r"译|[搬翻弄搞拍套写]|^(?:transl|render)", re.I)
_WHERE = re.compile(r"[\s一这]*(?:[词语处]|二字)?\s*(?:出现)?(?:在|于|\bin\b|\bat\b)[^，。；,;:：“”\"]{0,30}", re.I)
_BRACKETS = re.compile(r"[（(][^（）()]*[）)]")
_SENSE = re.compile(r"之意|之义|的意思|的含义|的意味|一义|这一意思|这一含义")
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
    ``omitted``: said to be missing from the translation. ``left``: source-language text the translation kept.
    ``touching``: a verb of rendering or the name of a text stands directly beside it; ``rendered``: “rendered as”
    stands before it. ``places``: where it is said to be. ``times``: in how many places, where a number is given.
    ``denied``: “it is not …”, which is often what the translation says.
    """

    mention: Mention
    side: Side
    role: Role
    firm: bool = False
    linked: int | None = None
    omitted: bool = False
    left: bool = False
    touching: bool = False
    rendered: bool = False
    places: tuple[Place, ...] = ()
    times: int = 1
    denied: bool = False


Mode = Literal["", "suggest", "change", "forbid", "deny", "gloss"]


@dataclass(kw_only=True)
class _State:
    """State of the reader: the cues of the sentence so far."""

    mode: Mode = ""
    before_gloss: Mode = ""
    side: Side | None = None
    clause_of: Side | None = None  # the text whose words this very clause gives
    urged: bool = False  # advice is given in this sentence
    told: bool = False  # something outright about the present state
    near: bool = False  # told in this very clause
    wrong: bool = False  # 又, 却, 误: it is there, and it is the trouble
    elsewhere: bool = False
    compared: bool = False
    endorsed: bool = False
    fine: bool = False
    omit: bool = False
    add: bool = False
    absent: bool = False
    left: bool = False
    instead: bool = False
    render: bool = False
    last: str = ""


def wide_script(text: str) -> bool | None:
    """Return whether a quote is Chinese (by words: an acronym in it does not count), None if it has no letters."""
    wide = han(text)
    words = len(re.findall(r"[A-Za-z\u00c0-\u024f]+", text))
    return None if not wide and not words else wide >= words


def mixed(text: str) -> bool:
    """Return whether a quote holds both scripts."""
    return bool(han(text)) and bool(re.search(r"[A-Za-z\u00c0-\u024f]", text))


def read_roles(prose: str, found: Sequence[Mention], pair: Documents, category: str = "") -> list[Reading]:
    """Return one reading for each mention of a ``plain`` prose, in the same order."""
    readings: list[Reading] = []
    various = inconsistent(category, prose)
    carried = _State()
    at = 0
    for k, mention in enumerate(found):
        lead = prose[at : mention.start]
        cues = _outside_brackets(read_lead(prose, at, mention.start), lead, at)
        following = found[k + 1].start if k + 1 < len(found) else len(prose)
        begin = mention.end
        aside = following < len(prose) and _ASIDE.fullmatch(prose, begin, following)
        if aside:  # what is said of “X” (Y) comes after Y
            begin = found[k + 1].end
            following = found[k + 2].start if k + 2 < len(found) else len(prose)
        tail = read_tail(prose, begin, following)
        if tail and tail[0].cue == "elsewhere" and tail[0].start > begin:
            tail = tail[1:]
        state = _follow(cues, carried)
        side = _side(mention, state, tail, pair)
        previous = readings[-1] if readings else None
        clause = _clause(lead)
        if previous and CONNECTOR.fullmatch(lead) and previous.side == side and lead.strip() not in ("(", "（"):
            reading = replace(previous, mention=mention, touching=False)
            role = _after(tail, previous.role, side, previous.role == "named" and previous.firm)
            if role != previous.role and previous.role == "named":
                reading = replace(reading, role=role)
        else:
            role, firm = _role(state=state, side=side, tail=tail, readings=readings, various=various, clause=clause)
            told_of = state.clause_of if mention.kind == "bare" else None
            if told_of not in (None, side) and not pair.sides[told_of].occurs(mention.text):
                role = "gloss"  # the judge's own rendering of what the other text says
            reading = Reading(
                mention,
                side,
                role,
                firm,
                omitted=side == "source" and (state.omit or any(c.cue == "omit" for c in tail[:2])),
                left=state.left,
                touching=_touching(prose, cues, tail, mention),
                rendered=bool(_RENDERED.search(lead)),
                places=read_places(clause) or read_places(_place_after(prose, mention.end, following)),
                times=_times(clause + prose[mention.end : following]),
                denied=role == "forbidden" and state.mode == "deny",
            )
        original = side == "source" and previous is not None and previous.side == "translation"
        if mention.kind == "bracketed" and previous and original and _ASIDE.fullmatch(lead):
            reading = replace(reading, mention=replace(mention, kind="quote"))  # “X” (Y): the two go together
            if previous.role in ("fine", "elsewhere"):
                reading = replace(reading, role=previous.role)
        readings.append(reading)
        mode = state.mode if state.mode != "gloss" else state.before_gloss
        carried = _State(mode="suggest" if mode == "change" and not various else mode, urged=state.urged)
        at = mention.end
    return readings


def _follow(cues: Sequence[FoundCue], carried: _State) -> _State:
    """Run through the cues before a mention and return the state in which they leave the reader."""
    state = replace(carried)
    for cue in cues:
        name, text = cue.cue, cue.text
        if name == "hard":
            state = _State()
        elif name == "soft":
            if state.mode == "gloss":
                state.mode = state.before_gloss
            if state.mode in ("deny", "change"):
                state.mode = ""
            state.elsewhere = state.compared = state.endorsed = state.omit = state.instead = state.near = False
            state.clause_of = None
        elif name == "suggest":
            state.mode, state.told, state.omit, state.urged = "suggest", False, False, True
        elif name == "change":
            state.mode, state.told, state.omit = "suggest" if state.urged else "change", False, False
        elif name == "urge":
            state.urged = True
        elif name in ("forbid", "deny"):
            state.mode = "forbid" if name == "forbid" else "deny"
        elif name == "instead":
            state.instead = True
        elif name == "gloss":
            if state.mode != "gloss":
                state.before_gloss = state.mode
            state.mode = "gloss"
        elif name in ("source", "translation", "fact", "but"):
            state.mode, state.omit, state.absent = "", False, False
            if name == "but":
                state.fine = False
            else:
                state.told = state.near = True
            if name == "fact" and _WRONG.match(text):
                state.wrong = True
            if name in ("source", "translation"):
                state.side = "source" if name == "source" else "translation"
                state.clause_of = None if _PERSON.search(text) else state.side
        elif name == "compare":
            if "原文" in text:
                state.side, state.told = "source", True
            elif "译文" in text:
                state.side, state.told = "translation", True
            else:
                state.compared = True
                if state.mode == "gloss":
                    state.mode = state.before_gloss
                state.elsewhere |= bool(_PLACED.search(text))
        elif name == "here":
            state.elsewhere = False
        elif name == "object":
            if state.mode == "gloss":
                state.mode = state.before_gloss
        elif name == "render":
            state.render = True
            if _RENDERING.search(text):
                state.clause_of = None
            if state.mode in ("gloss", "deny") and _RENDERING.search(text):
                state.mode = state.before_gloss if state.mode == "gloss" else ""
        elif name == "omit":
            state.omit, state.mode, state.told = True, "", True
        elif name == "add":
            state.add, state.mode, state.told = True, "", True
        elif name == "absent":
            state.absent = True
        elif name == "left":
            state.left = state.told = True
        elif name in ("elsewhere", "endorsed", "fine"):
            setattr(state, name, True)
        if name not in ("soft", "nothing"):
            state.last = name
    return state


def _role(
    state: _State, side: Side, tail: Sequence[FoundCue], readings: Sequence[Reading], various: bool, clause: str
) -> tuple[Role, bool]:
    """Return the role of a mention, and whether the prose says outright that it stands in the text."""
    telling = state.told or state.omit or state.add or state.left
    firm = (
        telling
        or (state.render and not state.mode)
        or any(c.cue in ("render", "poor", "omit", "add") for c in tail[:2])
    )
    role: Role = "named"
    if side == "translation":
        if state.instead:
            last = next((r for r in reversed(readings) if r.side == side), None)
            told = last is not None and last.role == "named" and last.firm and state.mode != "suggest"
            return ("suggested" if told else "forbidden"), False
        if state.last == "object":
            return _after(tail, "named", side, True), True
        if state.omit and not state.left:
            return "absent", False
        if state.mode == "suggest":
            poor = bool(tail) and tail[0].cue == "poor" and state.last != "suggest"
            return ("named" if poor else "suggested"), poor
        if state.mode == "change" and not various:
            return _after(tail, "suggested", side, False), False
        if state.mode in ("forbid", "deny"):
            return "forbidden", False
        if state.mode == "gloss":
            return "gloss", state.side == side
    else:
        if state.absent:
            return "absent", False
        if state.mode == "gloss":
            return ("named", False) if state.side == "source" or not readings else ("gloss", False)
        if state.add and state.side != "source":
            return "gloss", False
    following = tail[0].cue if tail else ""
    if following == "together":
        return "named", firm
    if following == "elsewhere" and not telling:
        return "elsewhere", False
    if side == "source" and state.compared and not state.elsewhere:
        return "named", False  # “not what X means”: the source is what a rendering is measured by
    if state.endorsed or state.compared:
        explicit = various and any(p.kind == "paragraph" for p in read_places(clause))
        return ("named" if explicit and state.compared else "elsewhere"), False
    if state.fine:
        role = "fine"
    elif state.elsewhere and not various and not state.wrong and following != "poor":
        role = "elsewhere"
    return _after(tail, role, side, firm and state.near), firm


def _after(tail: Sequence[FoundCue], role: Role, side: Side, told: bool) -> Role:
    """Let the words after a mention change its role: “X” is better, “X” is fine, the sense of “X”."""
    paused = False
    for k, cue in enumerate(tail):
        if cue.cue in ("poor", "but", "omit", "add", "render"):
            break
        if cue.cue == "soft":
            paused = True
        elif cue.cue == "suggest" and not paused:
            if side == "source":
                break
            return "fine" if told else "suggested"
        elif cue.cue == "fine" and role in ("named", "elsewhere"):
            return "fine"
        elif cue.cue == "gloss" and k == 0 and side == "translation" and not told and _SENSE.match(cue.text):
            return "gloss" if role == "named" else role
    return role


def _side(mention: Mention, state: _State, tail: Sequence[FoundCue], pair: Documents) -> Side:
    """Return which text a mention belongs to: by script, and by cue words where the script cannot tell."""
    cued: Side | None = state.side
    if cued is None and state.render and state.last in ("render", "suggest"):
        cued = "translation"
    if cued is None and any(c.cue == "render" for c in tail[:1]):
        cued = "source"
    wide = wide_script(mention.text)
    if pair.same_script or wide is None:
        here = [side for side in SIDES if pair.sides[side].occurs(mention.text)]
        if cued is not None and (cued in here or not here):
            return cued
        return here[0] if len(here) == 1 else "translation"
    scripted: Side = "translation" if wide == pair.wide["translation"] else "source"
    if (mixed(mention.text) or mention.text[0].isdigit()) and [
        pair.sides[side].occurs(mention.text) for side in (scripted, OTHER[scripted])
    ] == [
        False,
        True,
    ]:
        return OTHER[scripted]
    if state.side not in (None, scripted) and state.last in ("source", "translation"):
        explicit: Side = OTHER[scripted]
        if pair.sides[explicit].occurs(mention.text) and not pair.sides[scripted].occurs(mention.text):
            return explicit
    return scripted


def _outside_brackets(cues: Sequence[FoundCue], lead: str, at: int) -> list[FoundCue]:
    """Return the cues that do not stand in a bracket closed before the mention."""
    asides = [(at + m.start(), at + m.end()) for m in _BRACKETS.finditer(lead)]
    return [cue for cue in cues if not any(start <= cue.start < end for start, end in asides)]


def _clause(lead: str) -> str:
    """Return the last clause of ``lead``, where a place named belongs to the quote that follows."""
    parts = re.split(r"[，。；！？;\n]|,\s|\.\s", lead)
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
