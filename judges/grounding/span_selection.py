"""Selection of the spans to show: what a finding is about, and what the rest makes credible."""

from __future__ import annotations

from collections.abc import Sequence

from judges.grounding.candidates import FindingCandidates
from judges.grounding.cue_lexicon import addition, concerns_language, omission
from judges.grounding.documents import OTHER, Documents
from judges.grounding.fuzzy_search import han, size
from judges.grounding.mentions import unquoted_mention
from judges.grounding.occurrences import Item, Region, choose, enclosing_items, spread
from judges.grounding.quote_roles import Reading
from judges.grounding.relations import SENTENCE_END
from judges.model import SHOWN, SIDES, Side

WITNESS = 12
"""Size from which a quote that occurs once can be relied on."""

BARE = ("bare", "bracketed")
"""Kinds of mention that stand in the prose without quotation marks."""

_MOST_PLACES = 4
_SHORT = 6
_SURE = 0.85
_PHRASE = 4


def select_spans(pair: Documents, finding: FindingCandidates, items: Sequence[Item], hinted: Region) -> list[Item]:
    """Return the items worth showing, of the placed ``items`` and of what else the finding mentions."""
    shown = _select(finding.prose, items)
    others = _instead(finding.prose, items, shown)
    shown += _secondary(pair, finding, shown, others, hinted)
    shown += [item for item in others if not any(i.side == item.side for i in shown)]
    shown += _echoed(pair, finding, shown)
    spread(pair, shown, finding.various)
    return shown


def _select(prose: str, items: Sequence[Item]) -> list[Item]:
    """Return the placed items that the finding is about, those named.

    What a sentence without any named denies (“X is not Y”) is what the translation has.
    """
    shown: list[Item] = []
    for side in SIDES:
        placed = [item for item in items if item.side == side and item.chosen and not _too_short(item, items)]
        named = [item for item in placed if item.named]
        shown += named
    return shown


def _sentence(prose: str, item: Item) -> int:
    """Return the number of the sentence of the prose that mentions ``item``."""
    return len(SENTENCE_END.findall(prose, 0, item.reading.mention.start + 1))


def _instead(prose: str, items: Sequence[Item], shown: Sequence[Item]) -> list[Item]:
    """Return what a side without anything shown may show instead: what is called fine, compared with, forbidden."""
    found: list[Item] = []
    for side in SIDES:
        if not any(item.side == side for item in shown):
            placed = [i for i in items if i.side == side and i.chosen and not _too_short(i, items)]
            fine, elsewhere = ([i for i in placed if i.reading.role == role] for role in ("fine", "elsewhere"))
            forbidden = [i for i in placed if i.reading.role == "forbidden" and i.confidence >= _SURE]
            praised = [i for i in fine if _sentence(prose, i) == _sentence(prose, fine[-1])]
            found += praised or elsewhere[-1:] or forbidden
    return found


def _too_short(item: Item, items: Sequence[Item]) -> bool:
    """Return whether a quote is too short to trust outside a wider one: a letter, or a character not surely quoted."""
    if enclosing_items(item, items):
        return False
    return size(item.text) < 2 or (size(item.text) < 4 and not item.reading.firm and len(item.candidates) > 1)


def _secondary(
    pair: Documents, finding: FindingCandidates, shown: Sequence[Item], others: Sequence[Item], hinted: Region
) -> list[Item]:
    """Return what only other findings make credible: bare words, and glosses that turn out to be wider quotes.

    Words of which nothing is wrong give way to the ``others`` that may be shown instead.
    """
    added: list[Item] = []
    for item in finding.items:
        reading, kind = item.reading, item.reading.mention.kind
        if not item.candidates or item in shown:
            continue
        same = [other for other in shown if other.side == item.side]
        settled = bool(same) or any(other.side == item.side for other in others)
        places = [c for o in same for c in o.chosen]
        if reading.role == "gloss" and kind == "quote":
            if wide := [m for m in item.candidates if any(c != m and c.inside(m) for c in places)]:
                item.chosen, item.confidence = wide[:1], 0.9
            elif not settled and reading.firm and size(item.text) >= WITNESS:
                choose(pair, [*shown, item], hinted)
            else:
                continue
        elif kind in BARE and (reading.role == "named" or (reading.role in ("fine", "forbidden") and not settled)):
            if (inner := [m for m in item.candidates if any(m.inside(c) for c in places)]) and not item.text.isdigit():
                item.chosen, item.confidence = inner[:1], 0.9
            elif (
                (kind == "bare" or (not settled and _alone(finding, item)))
                and _credible(finding, item, shown)
                and (size(item.text) >= 3 or item.text[0].isdigit())
                and not _covered(finding, item, [*shown, *added])
            ):
                _join(pair, item, [o for o in finding.items if o.index == item.index and o is not item], shown, hinted)
            else:
                continue
        else:
            continue
        if item.chosen:
            added.append(item)
    told = {item.side for item in added if item.reading.role == "named"}
    return [
        item
        for item in added
        if not _in_passing(finding, item, added) and not (item.reading.role == "fine" and item.side in told)
    ]


def _vacant(finding: FindingCandidates, side: Side) -> bool:
    """Return whether nothing need be on ``side``: what is spoken of was left out there, or added on the other."""
    category = finding.report.category or ""
    if side == "source":
        return addition(category)
    return omission(category) or any(item.reading.omitted for item in finding.items)


def _credible(finding: FindingCandidates, item: Item, shown: Sequence[Item]) -> bool:
    """Return whether a bare word is to be lit.

    It is if something is said of it outright; else, on a side where something should be, if nothing else is shown
    there; or if it alone is what its sentence speaks of on this side; or if it is a phrase that cannot be chance; or if
    it is one of the renderings of a term, left in the source language.
    """
    reading = item.reading
    if reading.touching and reading.firm:
        return True
    own = bool(han(item.text)) or item.text.isdigit()  # may be the judge's own words for what is not there
    if own and _vacant(finding, item.side):
        return False
    here = _sentence(finding.prose, item)
    beside = [other for other in shown if other.named and _sentence(finding.prose, other) == here]
    alone = bool(beside) and all(other.side != item.side for other in beside)
    left = item.side == "translation" and any(o.index == item.index and o.side == "source" for o in finding.items)
    return (
        all(other.side != item.side for other in shown)
        or alone
        or han(item.text) >= _PHRASE
        or (finding.various and left)
    )


def _in_passing(finding: FindingCandidates, item: Item, added: Sequence[Item]) -> bool:
    """Return whether ``item`` is a short word of which nothing is said outright, beside others that are discussed."""
    if finding.various or item.reading.touching or size(item.text) > _SHORT or item.reading.mention.kind not in BARE:
        return False
    here = _sentence(finding.prose, item)
    outright = (o for o in added if o.side == item.side and o.reading.touching and o.reading.firm)
    return any(_sentence(finding.prose, other) == here for other in outright)


def _join(pair: Documents, item: Item, beside: Sequence[Item], shown: Sequence[Item], hinted: Region) -> None:
    """Choose for one more item, with those of the same words ``beside`` it, without moving what is shown."""
    kept = [(other, list(other.chosen), other.confidence) for other in shown]
    choose(pair, [*shown, *beside, item], hinted)
    item.confidence = min(item.confidence, 0.9)
    for other, chosen, confidence in kept:
        other.chosen, other.confidence = chosen, confidence


def _alone(finding: FindingCandidates, item: Item) -> bool:
    """Return whether words in brackets, usually a gloss, are all there is: of the source, or several words."""
    others = (o for o in finding.items if o.side == item.side and o.named and o.candidates)
    return (item.side == "source" or " " in item.text) and all(o.reading.mention.kind == "bracketed" for o in others)


def _covered(finding: FindingCandidates, item: Item, shown: Sequence[Item]) -> bool:
    """Return whether ``item`` only repeats, in another form, a word that is shown already and has the rendering."""
    again = any(other.side == item.side and item.key in other.key for other in shown)
    return again and not any(reading.linked == item.index for reading in finding.readings)


def _echoed(pair: Documents, finding: FindingCandidates, shown: Sequence[Item]) -> list[Item]:
    """Return what the judge's own words echo on a side where nothing is shown, if anything should be there."""
    category = finding.report.category or ""
    if concerns_language(category):
        return []
    for side in SIDES:
        telling = [i for i in shown if i.named or i.reading.role == "forbidden"]
        lit = [i for i in telling if i.side == OTHER[side] and i.confidence >= SHOWN]
        if _vacant(finding, side) or not lit or any(i.side == side and i.confidence >= SHOWN for i in shown):
            continue
        held = [r.mention for r in finding.readings]
        places = sorted((m for i in lit for m in i.chosen), key=lambda m: m.end - m.start)[:_MOST_PLACES]
        heard = [
            (found, m) for m in places if (found := unquoted_mention(finding.prose, held, pair, side, (OTHER[side], m)))
        ]
        if heard:
            found, beside = max(heard, key=lambda h: size(h[0].text))
            item = Item(Reading(found, side, "named"), found.text, side, len(finding.readings) + 1, [])
            item.candidates = pair.sides[side].find(found.text)
            spot = pair.place(OTHER[side], beside.middle)
            nearest = sorted(item.candidates, key=lambda m: spot.distance(pair.place(side, m.middle)))
            item.chosen, item.confidence = nearest[:1], 0.8
            return [item]
    return []
