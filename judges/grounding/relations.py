"""Relations between the mentions of one finding: which renders which, and which is only a comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from judges.grounding.cue_lexicon import inconsistent
from judges.grounding.documents import Documents
from judges.grounding.mentions import mentions
from judges.grounding.quote_roles import CONNECTOR, Reading, read_roles

_MOST = 80

_CONTRAST = re.compile(r"却|仅|只(?!要|有)|but |only ", re.I)
_BUT = re.compile(r"但|然而|不过|\bbut\b|\bhowever\b", re.I)
SENTENCE_END = re.compile(r"[。；;\n]|[.!?](?=\s+[A-Z\"“'‘「\u4e00-\u9fff])")
_HELD = re.compile(r"[里中]的?|一[句词]?[里中]?的?")
_PAUSED = re.compile(r"[，。；;：:\n]|[,.] |中的?|里的?|误|错|不|把|将|but|for|of", re.I)
_PAUSE = re.compile(r"[，。；;\n又却误错]")


def read_prose(prose: str, pair: Documents, category: str = "") -> list[Reading]:
    """Return what a ``plain`` prose mentions of the texts of ``pair``, each mention with its role and its relations."""
    found = mentions(prose, pair)[:_MOST]
    readings = read_roles(prose, found, pair, category)
    return link(compare(readings, prose, inconsistent(category, prose)), prose)


def compare(readings: list[Reading], prose: str, various: bool) -> list[Reading]:
    """Take back what only serves comparison.

    A rendering that is also the one suggested is fine; a fine rendering makes fine the source words it renders, if
    these were not left out or untranslated elsewhere; what goes with words of another place is of that place too; what
    is said after a list is said of all of it; and in “first A, but then only B” A is what is fine. ``various``: the
    finding is about inconsistency, so A is not.
    """
    wanted = {r.mention.text.casefold() for r in readings if r.role == "suggested"}
    out = list(readings)
    for k in range(len(out) - 1, 0, -1):  # “A” or “B” is better: what is said after the list is said of all of it
        one, two = out[k - 1], out[k]
        listed = bool(CONNECTOR.fullmatch(prose[one.mention.end : two.mention.start]))
        if listed and one.side == two.side and two.role == "suggested" and one.role == "named" and not one.firm:
            out[k - 1] = replace(one, role="suggested")
    for k, reading in enumerate(out):
        if reading.role == "fine" and _doubted(out, k, prose):
            out[k] = replace(reading, role="named")
    for k, reading in enumerate(out):
        translated = reading.side == "translation"
        if (
            translated
            and not various
            and reading.role in ("named", "elsewhere")
            and reading.mention.text.casefold() in wanted
        ):
            out[k] = replace(reading, role="fine")
    for k in range(1, len(out)):
        one, two = out[k - 1], out[k]
        between = prose[one.mention.end : two.mention.start]
        if "named" not in (one.role, two.role):
            continue
        if one.side != two.side:
            rendered = one.side == "source" and not _parted(prose, one, two)
            if two.role == "fine" and not one.omitted and (rendered or _HELD.fullmatch(between)):
                out[k - 1] = replace(one, role="fine")
            elif one.role == "elsewhere" and two.side == "source" and not _PAUSE.search(between):
                out[k] = replace(two, role="elsewhere")
        elif one.side == two.side and one.role == "named" and two.role == "fine" and not _PAUSED.search(between):
            out[k - 1] = replace(one, role="fine")
        elif one.side == two.side == "translation" and one.role == two.role == "named" and not various:
            apart = bool(one.places and two.places) and one.places != two.places
            if apart and _CONTRAST.search(between):
                out[k - 1] = replace(one, role="fine")
    return out


def _parted(prose: str, one: Reading, two: Reading) -> bool:
    """Return whether a sentence ends between two mentions."""
    return bool(SENTENCE_END.search(prose, one.mention.end, two.mention.start + 1))


def _doubted(readings: Sequence[Reading], k: int, prose: str) -> bool:
    """Return whether “fine” is taken back by a “but” about the same words, not about others in the text."""
    end = SENTENCE_END.search(prose, readings[k].mention.end)
    stop = end.start() if end else len(prose)
    others = [r for r in readings[k + 1 :] if r.mention.end <= stop and r.role != "suggested"]
    return not others and bool(_BUT.search(prose, readings[k].mention.end, stop))


def link(readings: list[Reading], prose: str) -> list[Reading]:
    """Link each reading of the translation to the source reading it renders.

    That is the nearest before it in its sentence; else, after “rendered as”, the nearest before at all; else the next
    one in its sentence; else one that nothing else renders.
    """
    sources = [k for k, r in enumerate(readings) if r.side == "source" and r.role in ("named", "fine", "elsewhere")]

    def together(one: int, two: int) -> bool:
        return not _parted(prose, readings[one], readings[two])

    linked = list(readings)
    for k, reading in enumerate(readings):
        if reading.side == "translation" and sources:
            before = [s for s in sources if s < k]
            same = [s for s in before if together(s, k)] or (before if reading.rendered else [])
            after = [s for s in sources if s > k and together(k, s)]
            if near := same[-1:] or after[:1]:
                linked[k] = replace(reading, linked=near[0])
    taken = {r.linked for r in linked if r.role == "named"}
    for k, reading in enumerate(linked):
        if reading.side == "translation" and reading.linked is None and sources:
            free = [s for s in sources if s not in taken] or (sources if reading.role == "named" else [])
            before = [s for s in free if s < k]
            if near := before[-1:] or free[:1]:
                linked[k] = replace(reading, linked=near[0])
    return linked
