"""Offsets of other tools to ours, because each counts a text in units of its own.

Ours: half-open code points ``[start, end)`` on the exact stored text. A tool's text is a row of units (code points,
UTF-16 code units, tokens), each of which stands for a stretch of ours. So a place that cuts a unit's stretch, half a
surrogate pair or half a CRLF, is snapped outward to the whole of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from html import unescape
from itertools import product
from typing import Literal, TypeAlias

from judges.grounding.fuzzy_search import Locator, Match
from judges.grounding.normalization import fold

Range: TypeAlias = tuple[int, int]
"""Place in a text: ours in code points ``[start, end)``, a tool's as the tool counts, with its own kind of end."""

Reason = Literal[
    "missing", "not_a_number", "negative", "past_end", "reversed", "other_text", "blank", "not_found", "ambiguous"
]

REASONS: dict[Reason, str] = {
    "missing": "stands for what is missing, which has no place in this text",
    "not_a_number": "has a start or an end that is not a whole number",
    "negative": "begins or ends before the text",
    "past_end": "ends after the text",
    "reversed": "ends before it begins",
    "other_text": "holds other words than it quotes",
    "blank": "quotes nothing",
    "not_found": "quotes what does not occur in the text",
    "ambiguous": "quotes what occurs several times, and does not say which is meant",
}
"""Reason for a missing place → the words for people, after “it”."""


class Units:
    """A text as one tool counts it. Unit ``k`` stands for the code points ``[starts[k], ends[k])`` of ``text``.

    Both rows are monotone, and code points that the tool does not count are in no unit. Built once a text, in time
    linear in it; a place then takes O(log n).
    """

    def __init__(self, text: str, starts: Sequence[int], ends: Sequence[int], *, inclusive: bool = False) -> None:
        self.text = text
        self._starts, self._ends = starts, ends
        self._inclusive = int(inclusive)

    def __len__(self) -> int:
        return len(self._starts)

    def to_ours(self, start: object, end: object, quote: str | None = None) -> Range | None:
        """Return the code points that the tool's ``start`` and ``end`` stand for; None for what ``reason`` explains.

        ``start`` and ``end`` are as the file has them: whole numbers, also as a float or as digits in a text.
        ``quote``: what the tool says stands there; a place that holds other words is refused. Words are the same that
        ``grounding`` folds to the same, so blanks, case, width and styles of quotes do not count.
        """
        found = self._place(start, end, quote)
        return None if isinstance(found, str) else found

    def reason(self, start: object, end: object, quote: str | None = None) -> Reason | None:
        """Return why ``to_ours`` of the same gives None (see ``REASONS``); None if it gives a place."""
        found = self._place(start, end, quote)
        return found if isinstance(found, str) else None

    def to_theirs(self, start: int, end: int) -> Range | None:
        """Return the tool's start and end of a place of ours, as far as the tool counts it; None for nothing of it."""
        first, after = bisect_right(self._ends, start), bisect_left(self._starts, end)
        return (first, after - self._inclusive) if first < after else None

    def _place(self, start: object, end: object, quote: str | None) -> Range | Reason:
        if "missing" in (start, end):
            return "missing"
        first, last = _whole(start), _whole(end)
        if first is None or last is None:
            return "not_a_number"
        if first < 0 or last < 0:
            return "negative"
        if first > last:
            return "reversed"
        return self._within(first, last + self._inclusive, quote)

    def _within(self, first: int, after: int, quote: str | None) -> Range | Reason:
        """Return the place of the units ``[first, after)``."""
        if after > len(self):
            return "past_end"
        at = self._boundary(first)
        place = (at, at) if first == after else (self._starts[first], self._ends[after - 1])
        return self._quoted(place, quote)

    def _quoted(self, place: Range, quote: str | None) -> Range | Reason:
        return place if quote is None or _same(self.text[slice(*place)], quote) else "other_text"

    def _boundary(self, unit: int) -> int:
        """Return where ``unit`` begins, or the last one ends."""
        if unit < len(self):
            return self._starts[unit]
        return self._ends[-1] if len(self) else 0


class CodePoints(Units):
    """mt-metrics-eval: code points, exclusive, which is what we count too."""

    def __init__(self, text: str) -> None:
        super().__init__(text, range(len(text)), range(1, len(text) + 1))


class Xcomet(CodePoints):
    """XCOMET: exclusive offsets on ``mt`` that may take in a leading space which its ``text`` does not have."""

    def _quoted(self, place: Range, quote: str | None) -> Range | Reason:
        """Return the place without what stands around the quote; blanks alone where the quote is not to the letter."""
        held = self.text[slice(*place)]
        if quote is None or held == quote:
            return place
        if (wanted := quote.strip()) and wanted in held and len(held.strip()) == len(wanted):
            at = place[0] + held.index(wanted)
            return at, at + len(wanted)
        if not _same(held, quote):
            return "other_text"
        start = place[0] + len(held) - len(held.lstrip())
        return start, max(start, place[1] - (len(held) - len(held.rstrip())))


class Tokens(Units):
    """WMT TSV metadata: inclusive indices of tokens, spaces being tokens too.

    Tokens are laid on the text in order. They may differ from it in blanks (a trailing one is often stripped); from
    the first that differs in more, tokens stand for ``other_text``.
    """

    def __init__(self, text: str, tokens: Sequence[str]) -> None:
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for token in tokens:
            start = at
            if not text.startswith(token, at):
                after_blanks = _after_blanks(text, at)
                token = token.strip()
                start = after_blanks if token else at
                if not text.startswith(token, start):
                    break
                at = start + len(token) if token else after_blanks
            else:
                at += len(token)
            starts.append(start)
            ends.append(at)
        super().__init__(text, starts, ends, inclusive=True)
        self._tokens = len(tokens)

    def _within(self, first: int, after: int, quote: str | None) -> Range | Reason:
        return "other_text" if len(self) < after <= self._tokens else super()._within(first, after, quote)


class Pearmut(Units):
    """Pearmut: inclusive UTF-16 units; the index after the last stands for [missing].

    A stretch that runs into [missing] is placed as far as the text goes. ``lf`` False: line feeds are not counted, as
    before version 1.1.5.
    """

    def __init__(self, text: str, *, lf: bool = True) -> None:
        super().__init__(text, *_table(_utf16(text, lf=lf)), inclusive=True)

    @property
    def missing(self) -> Range:
        """The tool's start and end for what is missing."""
        return len(self), len(self)

    def _within(self, first: int, after: int, quote: str | None) -> Range | Reason:
        if after == len(self) + 1:
            if first == len(self):
                return "missing"
            after -= 1
        return super()._within(first, after, quote)


class Appraise(Units):
    """Appraise and ESA: inclusive UTF-16 units on the trimmed text, line ends counted; or the word “missing”.

    ``breaks``: <br> is one unit, as in WMT25.
    """

    missing = ("missing", "missing")
    """The tool's start and end for what is missing."""

    def __init__(self, text: str, *, breaks: bool = False) -> None:
        limits = _trimmed(text)
        units = _utf16(text, *limits)
        if breaks and _BREAK.search(text):
            units = [unit for unit, _ in _shown(text, *limits, _BREAK)]
        super().__init__(text, *_table(units), inclusive=True)


class AppraiseShown(Units):
    """Appraise as of 2026: as ``Appraise``, but on the text that a browser shows.

    Tags count nothing, an entity what it stands for, <br> one. A line end counts nothing, except where as many units
    stand before it as, with every line end, before a <br>: so the tool counts.
    """

    def __init__(self, text: str) -> None:
        limits = _trimmed(text)
        units = _utf16(text, *limits)
        if needs_shown(text):
            shown = [*_shown(text, *limits, _MARKUP)]
            breaks = {number for number, (_, what) in enumerate(shown) if what == "<br>"}
            units = []
            for unit, what in shown:
                if what not in ("\n", "<br>") or len(units) in breaks:
                    units.append(unit)
        super().__init__(text, *_table(units), inclusive=True)


def needs_shown(text: str) -> bool:
    """Tell if Appraise counts a text in another way since it counts what is shown."""
    return "\n" in text.strip(_BLANK) or _MARKUP.search(text) is not None


_BREAK = re.compile("</?br\\b[^>]*>", re.IGNORECASE)
_MARKUP = re.compile("</?[a-z][^>]*>|<!--.*?-->|&(?:#[0-9]+|#x[0-9a-f]+|[a-z][a-z0-9]*);", re.IGNORECASE | re.DOTALL)


def _shown(text: str, start: int, end: int, markup: re.Pattern[str]) -> Iterator[tuple[Range, str]]:
    """Yield the stretch of each unit of ``text[start:end]`` with what it is: <br>, or what its code point is."""
    at = start
    for found in (*markup.finditer(text, start, end), None):
        decoded = unescape(found[0]) if found else ""
        if found and decoded == found[0] and decoded.startswith("&"):  # no entity that there is
            continue
        for n in range(at, found.start() if found else end):
            yield from [((n, n + 1), text[n])] * (2 if text[n] > "\uffff" else 1)
        if found is None:
            return
        at = found.end()
        if found[0].startswith("&"):
            yield from [(found.span(), decoded)] * (len(decoded) + sum(c > "\uffff" for c in decoded))
        elif _BREAK.fullmatch(found[0]):
            yield found.span(), "<br>"


class LabelStudio(Units):
    """Label Studio: code points, exclusive, as we count too.

    Older versions counted UTF-16 units of the browser's text, and differed in whether they trim it and take CRLF for
    one. Where a quote is given and this reading does not hold it, theirs are tried, and the first that does is taken.
    """

    def __init__(self, text: str, *, trim: bool = False, crlf: bool = False, wide: bool = False) -> None:
        limits = _trimmed(text) if trim else (0, len(text))
        super().__init__(text, *_table(_utf16(text, *limits, crlf=crlf, wide=wide)))

    @cached_property
    def _others(self) -> list[Units]:
        """The older readings, the nearest to a browser's first; those that count as this one does are left out."""
        found: list[LabelStudio] = []
        for wide, trim, crlf in product((True, False), repeat=3):
            other = LabelStudio(self.text, trim=trim, crlf=crlf, wide=wide)
            if not any(other._starts == o._starts and other._ends == o._ends for o in (self, *found)):
                found.append(other)
        return [*found]

    def _within(self, first: int, after: int, quote: str | None) -> Range | Reason:
        here = super()._within(first, after, quote)
        if quote is None or not isinstance(here, str):
            return here
        others = (Units._within(other, first, after, quote) for other in self._others)
        return next((place for place in others if not isinstance(place, str)), here)


class Quotes:
    """Tools that give words and no offsets (GEMBA, which lower-cases them; AutoMQM; InstructScore).

    Never the first match: words that occur more than once need ``context`` or ``occurrence``.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _locator(self) -> Locator:
        return Locator(self.text)

    def matches(self, quote: str) -> list[Match]:
        """Return every place of ``quote`` as ``grounding`` reads words that were to be copied, in text order."""
        return self._locator.verbatim(quote)

    def to_ours(self, quote: str, context: str | None = None, occurrence: int | None = None) -> Range | None:
        """Return the code points that ``quote`` stands for; None for what ``reason`` explains.

        ``occurrence``: the how-manieth it is (1-based), counted where the letters stand as quoted, also within words
        and overlapping; if they nowhere do, among ``matches``. ``context``: a longer stretch that holds the quote.
        """
        found = self._place(quote, context, occurrence)
        return None if isinstance(found, str) else found

    def reason(self, quote: str, context: str | None = None, occurrence: int | None = None) -> Reason | None:
        """Return why ``to_ours`` of the same gives None (see ``REASONS``); None if it gives a place."""
        found = self._place(quote, context, occurrence)
        return found if isinstance(found, str) else None

    def _place(self, quote: str, context: str | None, occurrence: int | None) -> Range | Reason:
        if not quote or (occurrence is None and quote.isspace()):
            return "blank"
        if occurrence is not None:
            literal = list(_literal(self.text, quote)) or [(m.start, m.end) for m in self.matches(quote)]
            if not literal:
                return "not_found"
            return literal[occurrence - 1] if 1 <= occurrence <= len(literal) else "ambiguous"
        places = [(m.start, m.end) for m in self.matches(quote)]
        if len(places) > 1 and context:
            wider = self.matches(context)
            places = [p for p in places if any(w.start <= p[0] and p[1] <= w.end for w in wider)] or places
        if not places:
            return "not_found"
        return places[0] if len(places) == 1 else "ambiguous"


def _literal(text: str, quote: str) -> Iterator[Range]:
    """Yield every place where ``quote`` stands to the letter, overlapping ones too."""
    at = text.find(quote)
    while at >= 0:
        yield at, at + len(quote)
        at = text.find(quote, at + 1)


def _same(held: str, quote: str) -> bool:
    """Tell if two stretches hold the same words; Label Studio writes a line end as a backslash and an n."""
    return held == quote or fold(held) == fold(quote) or fold(held) == fold(quote.replace("\\n", " "))


def _whole(value: object) -> int | None:
    """Return the whole number that a value of a JSON file or a cell of a table stands for."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) < 20 and value.isascii() and value.strip().lstrip("-").isdigit():
        try:
            return int(value)
        except ValueError:
            return None
    return None


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


_BLANK = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Characters that a browser trims (ECMAScript's white space and line ends); Python's ``strip`` knows other ones."""


def _trimmed(text: str) -> Range:
    """Return what a browser leaves of a text."""
    start = len(text) - len(text.lstrip(_BLANK))
    return start, max(start, len(text.rstrip(_BLANK)))


def _utf16(
    text: str, start: int = 0, end: int | None = None, *, lf: bool = True, crlf: bool = False, wide: bool = True
) -> list[Range] | range:
    """Return the stretch of each UTF-16 unit of ``text[start:end]``; a plain range where each is one code point.

    ``lf`` False: line feeds are not counted. ``crlf``: CRLF is one unit. ``wide`` False: units are code points.
    """
    end = len(text) if end is None else end
    part = text[start:end]
    if (
        (lf or "\n" not in part)
        and not (crlf and "\r\n" in part)
        and (not wide or max(part, default="") < "\U00010000")
    ):
        return range(start, end)
    units: list[Range] = []
    at = start
    while at < end:
        char = text[at]
        after = at + 1
        if char == "\n" and not lf:
            at = after
            continue
        if crlf and char == "\r" and text[after : min(after + 1, end)] == "\n":
            after += 1
        units += [(at, after)] * (2 if wide and char > "\uffff" else 1)
        at = after
    return units


def _table(units: list[Range] | range) -> tuple[Sequence[int], Sequence[int]]:
    if isinstance(units, range):
        return units, range(units.start + 1, units.stop + 1)
    return [start for start, _ in units], [end for _, end in units]
