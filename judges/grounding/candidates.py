"""Candidates of a finding: the items it may highlight in the texts, each with all the places where it may be."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property

from judges.grounding.cue_lexicon import says, several
from judges.grounding.documents import Documents
from judges.grounding.fuzzy_search import size
from judges.grounding.hints import Hint, read_hint
from judges.grounding.normalization import bare, fold
from judges.grounding.occurrences import Item
from judges.grounding.quote_roles import Reading, read_prose
from judges.grounding.quotes import Mention, plain
from judges.model import SIDES, Quoted, Side

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


@dataclass
class FindingCandidates:
    """A finding being grounded: what was read in its prose, the items that may be lit, and what has no place."""

    report: Report
    prose: str = ""
    readings: list[Reading] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    unplaced: list[Reading] = field(default_factory=list)

    @cached_property
    def hint(self) -> Hint:
        """The paragraphs that the judge gave for it."""
        return read_hint(self.report.hint)

    @cached_property
    def various(self) -> bool:
        """Return whether the finding is about several renderings of a term."""
        return several(self.report.category or "", self.prose)


def read_finding(pair: Documents, report: Report) -> FindingCandidates:
    """Read a finding and look up all that it mentions."""
    finding = FindingCandidates(report, plain(report.explanation[:_LONGEST_PROSE]))
    category = report.category or ""
    finding.readings = read_prose(finding.prose, pair, category)
    kept = says("untranslated", category, finding.prose)
    outright = says("untranslated", category) or finding.various
    rendered = {
        reading.linked for reading in finding.readings if reading.side == "translation" and reading.role == "named"
    }
    for index, reading in enumerate(finding.readings):
        if reading.role != "suggested":
            made = _items(pair, reading, index, kept and (outright or index not in rendered))
            finding.items += made
            if reading.role == "named" and not any(item.candidates for item in made):
                finding.unplaced.append(reading)
    if report.rubric_point_text and not any(i.side == "source" and i.named and i.candidates for i in finding.items):
        point = read_prose(plain(report.rubric_point_text), pair)
        terms = [replace(r, role="named") for r in point if r.side == "source" and r.mention.kind != "bare"]
        finding.items += [item for term in terms[:1] for item in _items(pair, term, len(finding.readings), False)]
    return finding


def _items(pair: Documents, reading: Reading, index: int, kept: bool) -> list[Item]:
    """Return the items of a reading: one, or one a part of a list, or one a side for text left untranslated."""
    text = reading.mention.text
    here = [s for s in SIDES if pair.sides[s].occurs(text)] if kept and reading.role in ("named", "elsewhere") else []
    if len(here) > 1:
        reading = replace(reading, role="named")
    found: list[Item] = []
    for side in (here if reading.role == "named" else []) or [reading.side]:
        search = pair.sides[side].find
        parts = [text]
        if not search(text) and reading.mention.kind != "bare":
            listed = [part for part in _LIST.split(text) if size(part) >= 2]
            parts = listed if 1 < len(listed) <= _LONGEST_LIST and any(map(search, listed)) else parts
        there = reading if side == reading.side else replace(reading, side=side)
        found += [Item(there, part, side, index, search(part)) for part in parts]
    return found


def read_quotes(pair: Documents, report: Report, quoted: Quoted) -> tuple[FindingCandidates, Item | None]:
    """Look up what a judge quoted for a finding, whose explanation is not read; return the item of its context too.

    The finding's items are what occurs, if need be in another form, and the context if it is wider than its quote; its
    ``unplaced`` are the quotes that do not occur as they stand.
    """
    finding = FindingCandidates(report)

    def item(text: str, side: Side, index: int) -> Item:
        reading = Reading(Mention(text, 0, 0), side, "named", firm=True, linked=None if side == "source" else 0)
        return Item(reading, text, side, index, pair.sides[side].verbatim(text))

    for index, (side, text) in enumerate(zip(SIDES, (quoted.source, quoted.translation), strict=True)):
        if text:
            found = item(text, side, index)
            if not found.candidates:
                finding.unplaced.append(found.reading)
                found.candidates = [] if invented(quoted, side) else pair.sides[side].find(" ".join(text.split()))
            finding.items += [found] if found.candidates else []
    context = item(quoted.context or "", "translation", len(SIDES))
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
