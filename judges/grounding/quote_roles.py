"""Roles of mentions: the text itself, a correction, a gloss, something that is fine; and which renders which.

A judge's sentence is read from left to right. Cues set a mode (suggesting, forbidding, glossing), talk of source or
translation turns it back, and words after a quote can still change what it was.

Cues before a quote, by what they do: ``hard`` ends a sentence, ``soft`` a clause; ``source``, ``translation``, ``fact``
and ``omit`` speak of the texts as they are, ``but`` of what follows; ``suggest``, ``change`` (which may also tell what
the translation does), ``forbid`` and ``gloss`` set the mode; ``instead`` and ``compare`` set quotes against each other;
``elsewhere``, ``absent`` (from the source) and ``fine`` speak for themselves; after ``object`` (将) stands what is to
change, after ``render`` a rendering; ``nothing`` is a phrase that only holds another cue's letters. After a quote
``poor`` finds fault with it, and ``together`` uses it beside another one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from judges.grounding.cue_lexicon import FoundCue, read_cues, says, words
from judges.grounding.documents import OTHER, Documents
from judges.grounding.fuzzy_search import han
from judges.grounding.hints import Place, number, read_places
from judges.grounding.mentions import gaps, mentions
from judges.grounding.quotes import Mention
from judges.model import SIDES, Side

Role = Literal["named", "suggested", "forbidden", "gloss", "fine", "elsewhere"]
"""``named``: it stands in the text and is what the finding speaks of. ``suggested``: how it should be, or what is
missing. ``forbidden``: how it must not be. ``gloss``: what something means. ``fine``: in the text, but nothing is wrong
with it. ``elsewhere``: a comparison with another place."""

SENTENCE_END = re.compile(r"[。；;\n]|[.!?](?=\s+[A-Z\"“'‘「\u4e00-\u9fff])")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_MODES: dict[str, Role] = {"suggest": "suggested", "change": "suggested", "forbid": "forbidden", "gloss": "gloss"}
_COUNTS = {"两": 2, "both": 2, "two": 2, "twice": 2, "three": 3, "thrice": 3, "four": 4, "five": 5, "six": 6}
_EVERYWHERE = 12
"""Most occurrences that are lit of what is said to stand everywhere."""
_MOST = 80


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

    @property
    def bare(self) -> bool:
        """Return whether it stands in the prose without quotation marks."""
        return self.mention.kind == "bare"


@dataclass(kw_only=True)
class _State:
    """State of the reader: what the cues of the sentence have ``said`` so far, and the mode that they have set."""

    mode: Role | None = None
    side: Side | None = None
    clause_of: Side | None = None  # the text whose words this very clause gives
    rendered: bool = False  # the sentence has said what the translation has
    said: set[str] = field(default_factory=set)
    last: str = ""


def read_prose(prose: str, pair: Documents, category: str = "") -> list[Reading]:
    """Return what a ``plain`` prose mentions of the texts of ``pair``, each mention with its role and its relations."""
    found = mentions(prose, pair)[:_MOST]
    various = says("inconsistent", category, prose)
    return _link(_compare(_read(prose, found, pair, various), prose, various), prose)


def _read(prose: str, found: Sequence[Mention], pair: Documents, various: bool) -> list[Reading]:
    """Return one reading for each mention, by the words before and after it."""
    readings: list[Reading] = []
    state, at = _State(), 0
    english = not any(
        han(prose[start:end]) for start, end in gaps(prose, found)
    )  # so Chinese in it is no gloss of the judge's own
    stops = [mention.start for mention in found[1:]] + [len(prose)]
    for k, mention in enumerate(found):
        lead, stop, last = prose[at : mention.start], stops[k], k
        while last + 1 < len(found) and words("role", "joined").fullmatch(prose, found[last].end, stops[last]):
            last += 1  # what is said of “X” (Y), or of “A” or “B”, comes after them all
        cues = read_cues("lead", prose, at, mention.start)
        tail = read_cues("tail", prose, found[last].end, stops[last])
        _follow(state, cues, various)
        side = _side(mention, state.side, pair)
        previous = readings[-1] if readings else None
        if previous and previous.side == side and words("role", "connector").fullmatch(lead):
            reading = replace(previous, mention=mention, role=_after(tail, previous.role, side))
        else:
            where = words("role", "where").match(prose, mention.end, stop)
            here = SENTENCE_END.split(lead)[-1]
            places = read_places(where[0] if where else "") or read_places(here)
            role, firm = _role(state, side, tail, various, places, english or not readings)
            told_of = state.clause_of if mention.kind == "bare" else None
            if told_of not in (None, side) and not pair.sides[told_of].occurs(mention.text):
                role = "gloss"  # the judge's own rendering of what the other text says
            reading = Reading(
                mention,
                side,
                role,
                firm,
                omitted=side == "source" and ("omit" in state.said or any(c.cue == "omit" for c in tail)),
                touching=_touching(prose, cues, mention),
                rendered=bool(words("role", "rendered").search(lead)),
                places=places,
                times=_times(here + prose[mention.end : stop]),
            )
        readings.append(reading)
        outright = side == "translation" and reading.role == "named" and reading.firm
        state, at = (
            _State(mode=None if state.mode == "gloss" else state.mode, rendered=state.rendered or outright),
            mention.end,
        )
    return readings


def _follow(state: _State, cues: Sequence[FoundCue], various: bool) -> None:
    """Run through the cues before a mention and bring ``state`` to where they leave the reader."""
    for name, _, _, text in cues:
        rendering = name == "render" and bool(words("role", "rendering").search(text))
        if state.mode == "gloss" and (rendering or name in ("soft", "compare")):
            state.mode = None
        if name == "hard":
            state.mode, state.rendered, state.said = None, False, set()
        elif name == "soft":
            state.said -= {"elsewhere", "omit", "instead"}
        elif name in _MODES and not (name == "change" and various):
            state.mode = _MODES[name]
        elif name in ("source", "translation", "fact", "but", "omit"):
            state.mode = None
            state.said = state.said - {"omit", "elsewhere"} | {"told"}
        state.said.add(name)
        if name in ("hard", "soft"):
            state.clause_of = None
        elif name in SIDES:
            state.side = "source" if name == "source" else "translation"
            state.clause_of = None if words("role", "person").search(text) else state.side
        state.last = name


def _role(
    state: _State, side: Side, tail: Sequence[FoundCue], various: bool, places: Sequence[Place], unexplained: bool
) -> tuple[Role, bool]:
    """Return the role of a mention, and whether the prose says outright that it stands in the text.

    ``unexplained``: there is nothing that it could be the gloss of.
    """
    said, mode = state.said, state.mode
    outright = any(c.cue in ("render", "poor", "omit") for c in tail)
    firm = outright or "told" in said or "render" in said
    firm &= not (side == "source" and "absent" in said)
    role: Role = "named"
    if side == "translation":
        if "instead" in said:  # “now A instead of B”, or “A instead of B, which stands there now”
            return ("suggested" if state.rendered else "forbidden"), False
        if state.last == "object":
            return _after(tail, "named", side), True
        if "omit" in said or mode:
            return "suggested" if "omit" in said else mode or "named", False
    elif mode == "gloss" and not any(c.cue in ("poor", "omit") for c in tail):
        return ("named" if state.side == "source" or unexplained else "gloss"), False
    if tail and tail[0].cue == "together":
        return "named", firm
    if "compare" in said:  # “not what X means”: the source is what a rendering is measured by
        placed = various and any(place.kind == "paragraph" for place in places)
        return ("named" if side == "source" or placed else "elsewhere"), firm
    if "fine" in said:
        role = "fine"
    elif "elsewhere" in said and not various and not (tail and tail[0].cue == "poor"):
        role = "elsewhere"
    return _after(tail, role, side), firm


def _after(tail: Sequence[FoundCue], role: Role, side: Side) -> Role:
    """Let the words after a mention change its role: “X” is better, “X” is fine, the sense of “X”."""
    paused = False
    for cue in tail:
        if cue.cue in ("poor", "omit"):
            break
        paused |= cue.cue == "soft"
        if cue.cue == "suggest" and not paused:
            return "suggested" if side == "translation" else role
        if cue.cue == "fine":
            return "fine"
    return role


def wide_script(text: str) -> bool | None:
    """Return whether a quote is Chinese (by words: an acronym in it does not count), None if it has no letters."""
    wide, latin = han(text), len(_LATIN_WORD.findall(text))
    return wide >= latin if wide or latin else None


def _side(mention: Mention, cued: Side | None, pair: Documents) -> Side:
    """Return which text a mention belongs to: by script, and by where it occurs or the cue where that cannot tell."""
    wide = wide_script(mention.text)
    here = [side for side in SIDES if pair.sides[side].occurs(mention.text)]
    if pair.same_script or wide is None:
        return cued if cued and (cued in here or not here) else here[0] if len(here) == 1 else "translation"
    scripted: Side = "translation" if wide == pair.wide["translation"] else "source"
    return OTHER[scripted] if here == [OTHER[scripted]] else scripted


def _touching(prose: str, cues: Sequence[FoundCue], mention: Mention) -> bool:
    beside = ("render", "fact", "translation", "source", "omit", "object")
    last = cues[-1] if cues and cues[-1].cue in beside and cues[-1].text != "是" else None
    return last is not None and bool(words("role", "adjacent").fullmatch(prose, last.end, mention.start))


def _times(prose: str) -> int:
    """Return in how many places something is said to stand: a number, or all over the text."""
    match = words("role", "several").search(prose)
    if match is None:
        return 1
    named = (match[1] or match[2] or "").casefold()
    return (_COUNTS.get(named) or number(named)) if named else _EVERYWHERE


def _compare(readings: list[Reading], prose: str, various: bool) -> list[Reading]:
    """Take back what only serves comparison.

    “Fine, but” is not fine; a rendering that is also the one suggested is; a fine rendering makes fine the source words
    it renders, if these were not left out or untranslated elsewhere; what goes with words of another place is of that
    place too; and in “first A, but then only B” A is what is fine. ``various``: the finding is about inconsistency, so
    A is not.
    """
    wanted = {r.mention.text.casefold() for r in readings if r.role == "suggested"}
    out = list(readings)
    for k, reading in enumerate(out):
        role = "named" if reading.role == "fine" and _doubted(out, k, prose) else reading.role
        if reading.side == "translation" and not various and reading.mention.text.casefold() in wanted:
            role = "fine" if role in ("named", "elsewhere") else role
        out[k] = reading if role == reading.role else replace(reading, role=role)
    for k in range(1, len(out)):
        one, two = out[k - 1], out[k]
        between = prose[one.mention.end : two.mention.start]
        if one.role == "elsewhere" and two.role == "named" and (one.side, two.side) == ("translation", "source"):
            out[k] = two if words("role", "pause").search(between) else replace(two, role="elsewhere")
        elif one.role == "named" and two.role == "fine":
            rendered = one.side == "source" and not one.omitted and not _parted(prose, one, two)
            joined = not words("role", "paused").search(between)
            if rendered if one.side != two.side else joined:
                out[k - 1] = replace(one, role="fine")
        elif one.side == two.side == "translation" and one.role == two.role == "named" and not various:
            apart = bool(one.places and two.places) and one.places != two.places
            out[k - 1] = replace(one, role="fine") if apart and words("role", "contrast").search(between) else one
    return out


def _parted(prose: str, one: Reading, two: Reading) -> bool:
    """Return whether a sentence ends between two mentions."""
    return bool(SENTENCE_END.search(prose, one.mention.end, two.mention.start + 1))


def _doubted(readings: Sequence[Reading], k: int, prose: str) -> bool:
    """Return whether “fine” is taken back by a “but” about the same words, not about others in the text."""
    end = SENTENCE_END.search(prose, readings[k].mention.end)
    stop = end.start() if end else len(prose)
    others = any(r.mention.end <= stop and r.role != "suggested" for r in readings[k + 1 :])
    return not others and bool(words("role", "doubt").search(prose, readings[k].mention.end, stop))


def _link(readings: list[Reading], prose: str) -> list[Reading]:
    """Link each reading of the translation to the source reading it renders.

    That is the nearest before it in its sentence; else, after “rendered as”, the nearest before at all; else the next
    one in its sentence; else the nearest.
    """
    sources = [k for k, r in enumerate(readings) if r.side == "source" and r.role in ("named", "fine", "elsewhere")]
    linked = list(readings)
    for k, reading in enumerate(readings):
        if reading.side == "translation":
            before = [s for s in sources if s < k]
            here = [s for s in before if not _parted(prose, readings[s], reading)]
            after = [s for s in sources if s > k and not _parted(prose, reading, readings[s])]
            near = here[-1:] or (before[-1:] if reading.rendered else []) or after[:1] or before[-1:] or sources[:1]
            linked[k] = replace(reading, linked=near[0]) if near else reading
    return linked
