"""Candidates of a finding: the items it may highlight in the texts, each with all the places where it may be."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from judges.grounding.cue_lexicon import several, told
from judges.grounding.documents import OTHER, Documents
from judges.grounding.fuzzy_search import size
from judges.grounding.hints import Hint, read_hint
from judges.grounding.normalization import bare, fold
from judges.grounding.occurrences import Item
from judges.grounding.quote_roles import Reading, read_prose
from judges.grounding.quotes import Mention, plain
from judges.model import Quoted, Side

_LONGEST_PROSE = 6_000
_LIST = re.compile(r"\s*(?:/|／|\||、|；|;)\s*")
_LONGEST_LIST = 12


@dataclass(frozen=True, slots=True)
class Report:
    """One finding as grounding needs it.

    ``hint`` and ``category`` as the judge (or we) wrote them; ``rubric_point_text`` is the text of the violated
    rubric point, if the finding is one: its term is looked for where the explanation names nothing of the source.
    ``quoted``: what the judge quoted for it, which then counts before all that the explanation says.
    """

    explanation: str
    hint: str = ""
    category: str | None = None
    rubric_point_text: str = ""
    quoted: Quoted | None = None


@dataclass(kw_only=True)
class FindingCandidates:
    """A finding being grounded: what was read in it, and the items that may be lit; ``various``: several renderings."""

    report: Report
    hint: Hint
    items: list[Item]
    unplaced: list[Reading]
    various: bool
    prose: str
    readings: list[Reading]


def read_finding(pair: Documents, report: Report) -> FindingCandidates:
    """Read a finding and look up all that it mentions."""
    prose = plain(report.explanation[:_LONGEST_PROSE])
    category = report.category or ""
    readings = read_prose(prose, pair, category)
    items: list[Item] = []
    unplaced: list[Reading] = []
    kept, outright = told("untranslated", category, prose), told("untranslated", category)
    various = several(category, prose)
    rendered = {reading.linked for reading in readings if reading.side == "translation" and reading.role == "named"}
    if kept:
        readings = [_kept(pair, reading) for reading in readings]
    for index, reading in enumerate(readings):
        if reading.role == "suggested":
            continue
        made = _items(pair, reading, index, kept and (outright or various or index not in rendered))
        items += made
        if not any(item.candidates for item in made) and reading.role == "named":
            unplaced.append(reading)
    if report.rubric_point_text and not any(i.side == "source" and i.named and i.candidates for i in items):
        term = plain(report.rubric_point_text)
        more = [r for r in read_prose(term, pair) if r.side == "source" and r.mention.kind != "bare"]
        for reading in more[:1]:
            items += _items(pair, replace(reading, role="named"), len(readings), False)
    return FindingCandidates(
        report=report,
        hint=read_hint(report.hint),
        items=items,
        unplaced=unplaced,
        various=various,
        prose=prose,
        readings=readings,
    )


def read_quotes(pair: Documents, report: Report, quoted: Quoted) -> tuple[FindingCandidates, Item | None]:
    """Look up what a judge quoted for a finding, whose explanation is not read; return the item of its context too.

    The finding's items are what occurs, if need be in another form, and the context if it is wider than its quote; its
    ``unplaced`` are the quotes that do not occur as they stand.
    """
    finding = FindingCandidates(report=report, hint=Hint(), items=[], unplaced=[], various=False, prose="", readings=[])
    given: tuple[tuple[Side, str | None, int | None], ...] = (
        ("source", quoted.source, None),
        ("translation", quoted.translation, 0),
    )
    for index, (side, text, linked) in enumerate(given):
        if text:
            reading = Reading(Mention(text, 0, 0), side, "named", firm=True, linked=linked)
            matches = pair.sides[side].verbatim(text)
            if not matches:
                finding.unplaced.append(reading)
                matches = [] if invented(quoted, side) else pair.sides[side].find(" ".join(text.split()))
            if matches:
                finding.items.append(Item(reading, text, side, index, matches))
    wide = quoted.context or ""
    reading = Reading(Mention(wide, 0, 0), "translation", "named", firm=True, linked=0)
    context = Item(reading, wide, "translation", len(given), pair.sides["translation"].verbatim(wide))
    if not context.candidates or len(context.key) <= len(bare(fold(quoted.translation or ""))):
        return finding, None
    finding.items.append(context)
    return finding, context


def suggestions(pair: Documents, report: Report) -> list[str]:
    """Return what a finding's explanation wants in the translation, and does not say to stand there as well."""
    readings = read_prose(plain(report.explanation[:_LONGEST_PROSE]), pair, report.category or "")
    named = {reading.mention.text.casefold() for reading in readings if reading.role in ("named", "forbidden")}
    texts = (reading.mention.text for reading in readings if reading.role == "suggested")
    return [text for text in texts if text.casefold() not in named]


def invented(quoted: Quoted, side: Side) -> bool:
    """Return whether the quote of a side is the judge's own suggestion, so that nothing like it is to be lit."""
    return side == "translation" and "translation_is_suggestion" in quoted.notes


def _kept(pair: Documents, reading: Reading) -> Reading:
    """Return the reading of a source-language text: if the translation holds it too, the finding is about it."""
    both = (
        reading.side == "source"
        and reading.role == "elsewhere"
        and pair.sides["translation"].occurs(reading.mention.text)
    )
    return replace(reading, role="named") if both else reading


def _items(pair: Documents, reading: Reading, index: int, kept: bool) -> list[Item]:
    """Return the items of a reading: one, or one a part of a list, or one a side for text left untranslated."""
    text, side = reading.mention.text, reading.side
    wanted = [(side, text)]
    if kept and reading.role == "named" and pair.sides[OTHER[side]].occurs(text):
        if side == "source":
            wanted.append(("translation", text))
        elif not pair.sides[side].occurs(text):
            wanted = [(OTHER[side], text)]
    found = []
    for where, what in wanted:
        candidates = pair.sides[where].find(what)
        if not candidates and reading.mention.kind != "bare":
            parts = [part for part in _LIST.split(what) if size(part) >= 2]
            lists = [(part, pair.sides[where].find(part)) for part in parts] if 1 < len(parts) <= _LONGEST_LIST else []
            if lists and all(matches for _, matches in lists):
                found += [Item(reading, part, where, index, matches) for part, matches in lists]
                continue
        found.append(Item(replace(reading, side=where), what, where, index, candidates))
    return found
