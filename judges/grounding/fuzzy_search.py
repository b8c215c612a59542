"""Fuzzy search: the places of a quote in a text, from the strictest reading to the loosest.

Exact, then folded, then letters and digits only, then another ending of the last word, then the fragments around an
ellipsis. Resemblance (``resemble``) is for what none of these find.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from rapidfuzz import fuzz

from judges.grounding.normalization import Folded, bare, fold

CONFIDENCE = {
    "exact": 0.99,
    "folded": 0.98,
    "letters": 0.96,
    "inflected": 0.92,
    "ellipsis": 0.92,
    "cut": 0.80,
}
"""The share of *unique* matches of each level that are the place meant."""

_ELLIPSIS = re.compile(r"\s*(?:[\[(（【]?(?:…+|\.{3,}|⋯+|。{2,}|·{3,}|\.\s\.\s\.)[\])）】]?)\s*")
_ENDING = re.compile(r"(?:'s|’s|s|es|ed|d|ing|ly|er|ies|y)$")
_MOST = 1000
_MOST_PARTS = 8
_LONGEST_QUOTE = 400
_LONGEST_GAP = 400
_MOST_COMPARED = 4_000_000
"""Characters of a quote times its hits in mid-word, from where no more are looked at: only hostile texts have them."""
_ROUGHER = 12.0
"""The lowering of the bar for finding the place: that window is no longer than the quote, the real one may be."""


@dataclass(frozen=True, slots=True, order=True)
class Match:
    """A place where a quote occurs: code points ``[start, end)``, how it was found, and how sure that is (0–1)."""

    start: int
    end: int
    method: str
    confidence: float

    @property
    def middle(self) -> int:
        """The position halfway."""
        return (self.start + self.end) // 2

    def inside(self, other: Match) -> bool:
        """Return whether it lies within ``other``."""
        return other.start <= self.start and self.end <= other.end

    def overlaps(self, other: Match) -> bool:
        """Return whether the two share a character."""
        return self.start < other.end and other.start < self.end


def latin(char: str) -> bool:
    """Return whether ``char`` is a letter or digit of a script that separates words by spaces."""
    return char.isalnum() and ord(char) < 0x2E80


def han(text: str) -> int:
    """Return how many characters of ``text`` belong to a script without spaces (Chinese, Japanese)."""
    return sum(
        1 for char in text if "\u3040" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf" or char > "\U0001ffff"
    )


def size(quote: str) -> int:
    """Return how much a quote says, in Latin letters: a Chinese character counts as two."""
    wide = han(quote)
    return 2 * wide + sum(map(str.isalnum, quote)) - wide


class Locator:
    """A text made ready for being searched."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = Folded(text)
        self._known: dict[str, list[Match]] = {}

    def find(self, quote: str) -> list[Match]:
        """Return every place where ``quote`` occurs, at the first level that finds any, in text order."""
        quote = quote.strip()
        if not any(map(str.isalnum, quote)):
            return []
        return self._plain(quote) or self._letters(quote) or self._inflected(quote) or self._fragments(quote)

    def verbatim(self, quote: str) -> list[Match]:
        """Return every place of a ``quote`` that was to be copied word for word, in text order.

        The most faithful reading counts alone: exact, folded, exact but cut in mid-word, letters and digits only,
        fragments around an ellipsis. Nothing else: no other form, no resemblance.
        """
        quote = quote.strip()
        exact, cut = self._literal(quote)
        return exact or self._plain(quote) or cut or self._letters(quote) or self._fragments(" ".join(quote.split()))

    def cut(self, quote: str, within: Match) -> list[Match]:
        """Return where ``quote`` stands ``within`` a place as a part of longer words, in text order."""
        _, cut = self._literal(quote.strip())
        return [match for match in cut if match.inside(within)]

    def forms(self, quote: str) -> list[Match]:
        """Return every place where ``quote`` occurs, in whatever grammatical form, in text order."""
        found = {m.start: m for m in (*self._inflected(quote.strip()), *self.find(quote))}
        return [found[start] for start in sorted(found)]

    def occurs(self, quote: str) -> bool:
        """Return whether ``quote`` occurs word for word (folded)."""
        return bool(self._plain(quote.strip()))

    def reach(self, text: str) -> int:
        """Return how many characters of ``text``, from its beginning, occur together here as whole words."""
        low, high = 0, len(text)
        while low < high:  # what holds a stretch holds all of its beginnings
            middle = (low + high + 1) // 2
            low, high = (middle, high) if fold(text[:middle]) in self.folded.string else (low, middle - 1)
        while low and not self.occurs(text[:low]):
            low -= 1
            while 0 < low < len(text) and latin(text[low - 1]) and latin(text[low]):
                low -= 1
        return low

    def _plain(self, quote: str) -> list[Match]:
        if (known := self._known.get(quote)) is not None:  # looked for several times while its finding is read
            return known
        found = []
        for start, end in self._search(self.folded.string, self.folded.origin, fold(quote)):
            method = "exact" if self.text[start:end] == quote else "folded"
            found.append(Match(start, end, method, CONFIDENCE[method]))
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[quote] = found
        return found

    def _letters(self, quote: str) -> list[Match]:
        string, origin = self.folded.bare, self.folded.bare_origin
        return [
            Match(start, end, "letters", CONFIDENCE["letters"])
            for start, end in self._search(string, origin, bare(fold(quote)))
        ]

    def _literal(self, quote: str) -> tuple[list[Match], list[Match]]:
        """Return where ``quote`` stands to the letter: as whole words, and cut out of words."""
        exact: list[Match] = []
        cut: list[Match] = []
        for hit in islice(re.finditer(re.escape(quote), self.text), _MOST) if quote else ():
            start, end = hit.span()
            broken = any(
                0 < k < len(self.text) and latin(self.text[k - 1]) and latin(self.text[k]) for k in (start, end)
            )
            method, found = ("cut", cut) if broken else ("exact", exact)
            found.append(Match(start, end, method, CONFIDENCE[method]))
        return exact, cut

    def _inflected(self, quote: str) -> list[Match]:
        key = bare(fold(quote))
        if not latin(key[-1:] or " ") or len(key) < 4:
            return []
        stem = _ENDING.sub("", key)
        string, origin = self.folded.bare, self.folded.bare_origin
        matches = []
        for wanted in dict.fromkeys((key, stem)):
            if len(wanted) < 4:
                continue
            for start, end in self._search(string, origin, wanted, open_end=True):
                stop = end
                while stop < len(self.text) and (latin(self.text[stop])):
                    stop += 1
                if stop - end <= 3 and _ENDING.fullmatch(self.text[end:stop].casefold() or "s"):
                    matches.append(Match(start, stop, "inflected", CONFIDENCE["inflected"]))
            if matches:
                break
        return matches

    def _fragments(self, quote: str) -> list[Match]:
        pieces = _ELLIPSIS.split(quote)
        parts = [part for part in pieces if any(map(str.isalnum, part))]
        if len(pieces) < 2 or not parts or sum(map(size, parts)) < 6:
            return []
        if len(parts) == 1:
            return [
                Match(m.start, m.end, "ellipsis", CONFIDENCE["ellipsis"])
                for m in self._plain(parts[0]) or self._letters(parts[0])
            ]
        last = len(parts) - 1
        places = [
            self._chunk(part, whole_start=k == 0, whole_end=k == last) for k, part in enumerate(parts[:_MOST_PARTS])
        ]
        matches = []
        for first in places[0]:
            end = first.end
            for chunks in places[1:]:
                k = bisect_left(chunks, end, key=lambda match: match.start)
                if k == len(chunks) or chunks[k].start - end > _LONGEST_GAP or "\n" in self.text[end : chunks[k].start]:
                    break
                end = chunks[k].end
            else:
                matches.append(Match(first.start, end, "ellipsis", CONFIDENCE["ellipsis"]))
        return matches

    def _chunk(self, part: str, whole_start: bool = False, whole_end: bool = False) -> list[Match]:
        """Occurrences of a fragment, whose inner edge may have been cut in mid-word."""
        string, origin = self.folded.bare, self.folded.bare_origin
        found = self._search(string, origin, bare(fold(part)), open_start=not whole_start, open_end=not whole_end)
        return [Match(start, end, "ellipsis", 0.9) for start, end in found]

    def _search(
        self, string: str, origin: array[int], key: str, *, open_start: bool = False, open_end: bool = False
    ) -> Iterator[tuple[int, int]]:
        """Yield the original ranges where ``key`` occurs in a folded string, at word boundaries for Latin script."""
        if not key:
            return
        text, at, found, tries = self.text, string.find(key), 0, _MOST_COMPARED // len(key)
        while at >= 0 and found < _MOST:
            after = at + len(key)
            start, end = origin[at], origin[after - 1] + 1
            inside = (at > 0 and origin[at - 1] == start) or (after < len(origin) and origin[after] == end - 1)
            cut_start = start > 0 and latin(text[start]) and latin(text[start - 1]) and not open_start
            cut_end = end < len(text) and latin(text[end - 1]) and latin(text[end]) and not open_end
            if inside or ((cut_start or cut_end) and len(key) < 20):
                tries -= 1
                at = string.find(key, at + 1) if tries > 0 else -1
                continue
            found += 1
            yield start, end
            at = string.find(key, after)

    def resemble(self, quote: str, start: int, end: int, stricter: float = 0.0) -> Match | None:
        """Return the stretch of ``text[start:end]`` that most resembles ``quote``, if any does well enough.

        Short quotes must resemble more; ``stricter`` raises the bar (points of 100), for searches in a whole document.
        """
        key = fold(quote)[:_LONGEST_QUOTE]
        wide = han(key)
        chinese = wide * 2 >= len(key)
        length = len(bare(key))
        if length < (4 if chinese else 6):
            return None
        bounds = ((10, 68), (6, 76), (0, 74)) if chinese else ((24, 70), (12, 78), (0, 85))
        bar = next(score for least, score in bounds if length >= least) + stricter
        low, high = self.folded.position(start), self.folded.position(end)
        window = self.folded.string[low:high]
        if len(window) < len(key):  # the shorter one is what slides
            if not window or fuzz.ratio(key, window) < bar:
                return None
            return self._snap(key, low, high, bar, chinese)
        rough = fuzz.partial_ratio_alignment(key, window, score_cutoff=bar - _ROUGHER)
        if rough is None:
            return None
        return self._snap(key, low + rough.dest_start, low + rough.dest_end, bar, chinese)

    def _snap(self, key: str, low: int, high: int, bar: float, chinese: bool) -> Match | None:
        """Move the edges of a rough match to the word boundaries that resemble the quote best."""
        origin, text = self.folded.origin, self.text
        slack = max(4, min(40, len(key) // 4))

        def boundary(k: int) -> bool:
            if k in (0, len(origin)):
                return True
            left, right = text[origin[k - 1]], text[origin[k]]
            return not (latin(left) and latin(right) and origin[k] - origin[k - 1] == 1)

        starts = [k for k in range(max(0, low - slack), min(high, low + slack)) if boundary(k)]
        ends = [k for k in range(max(low + 1, high - slack), min(len(origin), high + slack) + 1) if boundary(k)]
        if not starts or not ends:
            return None
        end = max(ends, key=lambda e: fuzz.ratio(key, self.folded.string[low:e]))
        start = max(starts, key=lambda s: fuzz.ratio(key, self.folded.string[s:end]) if s < end else 0.0)
        end = max(ends, key=lambda e: fuzz.ratio(key, self.folded.string[start:e]) if start < e else 0.0)
        if start >= end:
            return None
        score = fuzz.ratio(key, self.folded.string[start:end])
        first, last = origin[start], origin[end - 1] + 1
        if score < bar or "\n" in text[first:last]:
            return None
        confidence = 0.72 + 0.23 * max(0.0, min(1.0, (score - bar) / (100 - bar)))
        return Match(first, last, "resembling", round(min(confidence, 0.94), 3))


def same_words(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return every place ``[start, end)`` of ``text`` that holds the same words, in order, the given one among them."""
    others = {(match.start, match.end) for match in Locator(text).find(text[start:end])}
    return sorted({(start, end), *((a, b) for a, b in others if b <= start or a >= end)})
