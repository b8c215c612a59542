"""Selection of the spans to show: what a finding is about, and what the rest makes credible."""

from __future__ import annotations

from collections.abc import Sequence

from judges.grounding.candidates import FindingCandidates
from judges.grounding.cue_lexicon import told
from judges.grounding.documents import OTHER, Documents
from judges.grounding.fuzzy_search import han, size
from judges.grounding.mentions import unquoted_mention
from judges.grounding.occurrences import Item, Region, choose, enclosing_items, spread
from judges.grounding.quote_roles import SENTENCE_END, Reading, Role
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
    placed = [item for item in items if item.chosen and (enclosing_items(item, items) or not _too_short(item))]
    shown = [i for i in placed if i.named or (i.reading.role == "forbidden" and i.confidence >= _SURE)]
    others = [item for side in SIDES if not _on(side, shown) for item in _instead(_on(side, placed))]
    shown += _unmarked(pair, finding, shown, others, hinted)
    shown += [item for item in others if not _on(item.side, shown)]
    shown += _echoed(pair, finding, shown)
    spread(pair, shown, finding.various)
    return shown


def _on(side: Side, items: Sequence[Item]) -> list[Item]:
    return [item for item in items if item.side == side]


def _sentence(prose: str, item: Item) -> int:
    """Return the number of the sentence of the prose that mentions ``item``."""
    return len(SENTENCE_END.findall(prose, 0, item.reading.mention.start + 1))


def _instead(placed: Sequence[Item]) -> list[Item]:
    """Return what a side without anything shown may show instead: what is called fine, compared with, forbidden."""
    roles: tuple[Role, ...] = ("fine", "elsewhere", "forbidden")
    fine, elsewhere, forbidden = ([item for item in placed if item.reading.role == role] for role in roles)
    return fine or elsewhere[-1:] or [i for i in forbidden if i.confidence >= _SURE]


def _too_short(item: Item) -> bool:
    """Return whether a quote is too short to trust by itself: a letter, or a character that may be another one."""
    return size(item.text) < 2 or (size(item.text) < 4 and not item.reading.firm and len(item.candidates) > 1)


def _unmarked(
    pair: Documents, finding: FindingCandidates, shown: Sequence[Item], others: Sequence[Item], hinted: Region
) -> list[Item]:
    """Return the words without quotation marks that the rest of the finding makes credible.

    Words of which nothing is wrong give way to the ``others`` that may be shown instead.
    """
    added: list[Item] = []
    for item in finding.items:
        role, kind, beside = item.reading.role, item.reading.mention.kind, _on(item.side, shown)
        settled = bool(beside or _on(item.side, others))
        if kind not in BARE or item in shown or not item.candidates:
            continue
        if not (role == "named" or (role in ("fine", "forbidden") and not settled)):
            continue
        inner = [m for m in item.candidates if any(m.inside(c) for other in beside for c in other.chosen)]
        if inner and not item.text.isdigit():
            item.chosen, item.confidence = inner[:1], 0.9
        elif (
            (kind == "bare" or (not settled and _alone(finding, item)))
            and (size(item.text) >= 3 or item.text[0].isdigit())
            and _credible(finding, item, shown)
            and not _covered(finding, item, [*shown, *added])
        ):
            _join(pair, item, [o for o in finding.items if o.index == item.index and o is not item], shown, hinted)
        else:
            continue
        added.append(item)
    told = {item.side for item in added if item.named}
    return [
        item
        for item in added
        if not _in_passing(finding, item, added) and not (item.reading.role == "fine" and item.side in told)
    ]


def _vacant(finding: FindingCandidates, side: Side) -> bool:
    """Return whether nothing need be on ``side``: what is spoken of was left out there, or added on the other."""
    category = finding.report.category or ""
    if side == "source":
        return told("addition", category)
    return told("omission", category) or any(item.reading.omitted for item in finding.items)


def _credible(finding: FindingCandidates, item: Item, shown: Sequence[Item]) -> bool:
    """Return whether a bare word is to be lit.

    It is if something is said of it outright; else if nothing else is shown on its side; or if it alone is what its
    sentence speaks of on this side; or if it is a phrase that cannot be chance; or if it is one of the renderings of a
    term, left in the source language.
    """
    reading = item.reading
    if reading.touching and reading.firm:
        return True
    if (han(item.text) or item.text.isdigit()) and _vacant(finding, item.side):
        return False  # perhaps the judge's own words for what is not there
    here = _sentence(finding.prose, item)
    beside = [other for other in shown if other.named and _sentence(finding.prose, other) == here]
    left = item.side == "translation" and any(o.index == item.index and o.side == "source" for o in finding.items)
    return (
        not _on(item.side, shown)
        or (bool(beside) and not _on(item.side, beside))
        or han(item.text) >= _PHRASE
        or (finding.various and left)
    )


def _in_passing(finding: FindingCandidates, item: Item, added: Sequence[Item]) -> bool:
    """Return whether ``item`` is a short word of which nothing is said outright, beside others that are discussed."""
    if finding.various or item.reading.touching or size(item.text) > _SHORT:
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
