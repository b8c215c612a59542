"""Selection of the spans to show: what a finding is about, and what the rest makes credible."""

from __future__ import annotations

from collections.abc import Sequence

from judges.grounding.candidates import FindingCandidates
from judges.grounding.cue_lexicon import says
from judges.grounding.documents import OTHER, Documents
from judges.grounding.fuzzy_search import han, size
from judges.grounding.mentions import unquoted_mention
from judges.grounding.occurrences import Item, spread
from judges.grounding.quote_roles import SENTENCE_END, Reading
from judges.model import SHOWN, SIDES, Side

_MOST_PLACES = 4
_DOUBTED = 0.94
_SHORT = 6
_PHRASE = 4


def select_spans(pair: Documents, finding: FindingCandidates) -> list[Item]:
    """Return the items worth showing, of the placed ones of ``finding``.

    What the judge names or forbids; where a side has nothing of that, what is fine or elsewhere.
    """
    quoted = [i for i in finding.items if i.chosen and not i.reading.bare and _telling(i)]
    named = [i for i in quoted if i.reading.role in ("named", "forbidden")]
    bare = [i for i in finding.items if i.chosen and i.reading.bare and _credible(finding, i, named)]
    outright = [i for i in bare if i.reading.touching and i.reading.firm]
    for item in list(bare):
        passing = not (finding.various or item.reading.touching) and size(item.text) <= _SHORT
        again = any(i.key != item.key and item.key in i.key for i in _on(item.side, bare))
        if passing and (again or _beside(finding, item, outright)):
            bare.remove(item)
    shown = named + [i for i in bare if i.reading.role in ("named", "forbidden")]
    others = [i for i in (*quoted, *bare) if i.reading.role in ("fine", "elsewhere")]
    shown += [item for item in others if not _on(item.side, shown)]
    shown += _echoed(pair, finding, shown)
    spread(pair, shown, finding.various)
    for item in shown:  # a word found exactly is not thereby what the finding is about
        terms = {o.key for o in _on(item.side, shown) if o.key not in item.key and item.key not in o.key}
        if not item.reading.firm and (item.reading.bare or terms):
            item.confidence = min(item.confidence, _DOUBTED)
    return shown


def _on(side: Side, items: Sequence[Item]) -> list[Item]:
    return [item for item in items if item.side == side]


def _telling(item: Item) -> bool:
    """Return whether a quote is not too short to trust: no single letter, nor a character that may be another one."""
    return size(item.text) >= 4 or (size(item.text) >= 2 and (item.reading.firm or len(item.candidates) == 1))


def _beside(finding: FindingCandidates, item: Item, items: Sequence[Item]) -> list[Item]:
    """Return those of ``items`` on the side of ``item`` that are mentioned in the same sentence of the prose."""

    def sentence(one: Item) -> int:
        return len(SENTENCE_END.findall(finding.prose, 0, one.reading.mention.start + 1))

    return [other for other in items if other.side == item.side and sentence(other) == sentence(item)]


def _vacant(finding: FindingCandidates, side: Side) -> bool:
    """Return whether nothing need be on ``side``: what is spoken of was left out there, or added on the other."""
    category = finding.report.category or ""
    if side == "source":
        return says("addition", category)
    return says("omission", category) or any(item.reading.omitted for item in finding.items)


def _credible(finding: FindingCandidates, item: Item, shown: Sequence[Item]) -> bool:
    """Return whether words without quotation marks are to be lit beside the quotes ``shown``.

    They are within a quote; if something is said of them outright; else if nothing else is shown on their side; or if
    they alone are what their sentence speaks of on this side; or if they are left untranslated, or a phrase that cannot
    be chance.
    """
    reading, on_side = item.reading, _on(item.side, shown)
    if any(m.inside(c) for other in on_side for c in other.chosen for m in item.chosen):
        return not item.text.isdigit()  # a number alone is often the judge's own count of what is in the quote
    fine = (o for o in finding.items if o.side == item.side and o.reading.role == "fine")
    if not reading.firm and any(item.key in other.key for other in fine if other is not item):
        return False
    if size(item.text) < 3 and not item.text[0].isdigit():
        return False
    if reading.touching and reading.firm:
        return True
    if (han(item.text) or item.text.isdigit()) and _vacant(finding, item.side):
        return False  # perhaps the judge's own words for what is not there
    alone = not _beside(finding, item, on_side)
    both = any(o.index == item.index and o.side != item.side for o in finding.items)
    return alone or both or han(item.text) >= _PHRASE


def _echoed(pair: Documents, finding: FindingCandidates, shown: Sequence[Item]) -> list[Item]:
    """Return what the judge's own words echo on a side where nothing is shown, if anything should be there."""
    for side in SIDES:
        lit = [item for item in _on(OTHER[side], shown) if item.confidence >= SHOWN]
        if _vacant(finding, side) or not lit or any(item.confidence >= SHOWN for item in _on(side, shown)):
            continue
        held = [reading.mention for reading in finding.readings]
        places = [match for item in lit for match in item.chosen][:_MOST_PLACES]
        heard = [
            (found, m) for m in places if (found := unquoted_mention(finding.prose, held, pair, side, (OTHER[side], m)))
        ]
        if heard:
            found, beside = max(heard, key=lambda h: size(h[0].text))
            item = Item(Reading(found, side, "named"), found.text, side, len(finding.readings) + 1, [])
            item.candidates = pair.sides[side].find(found.text)
            spot = pair.place(OTHER[side], beside.middle)
            nearest = min(item.candidates, key=lambda m: spot.distance(pair.place(side, m.middle)))
            item.chosen, item.confidence = [nearest], 0.8
            return [item]
    return []
