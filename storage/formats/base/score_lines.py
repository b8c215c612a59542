"""Scores that a file gives again: of a translation, and of a segment of which a document has the mean, one counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from statistics import fmean
from typing import NamedTuple, TypeVar

from storage.base.groups import Groups
from storage.base.repeats import latest
from storage.formats.base.items import MeanScore, Remark, ReplacedScore, ScoreLine

T = TypeVar("T")


class Timed(NamedTuple):
    """A score, and when it was given, in seconds since 1970; None where the file does not say."""

    score: ScoreLine
    at: float | None = None


def standing(read: Callable[[], Iterable[Timed | T]], *, newest_first: bool = False) -> Iterator[ScoreLine | T]:
    """Yield what is read in its order, of several scores by a metric or a rater of one translation the one that stands.

    The others are replaced. Of people without a name each may be another's, and all stand. ``read`` is called twice.
    ``newest_first``: the order of the file, which decides where it says no times.
    """
    replaced: dict[int, ScoreLine] = {}
    with Groups[tuple[int, Timed]]() as given:
        for number, (line, at) in enumerate(item for item in read() if isinstance(item, Timed)):
            nobodys = line.line if line.human and not line.rater else 0
            given.add((nobodys, *line[1:5], line.human, line.rater), (number, Timed(line, at)))
        for same in given:
            if len(same) > 1:
                same = same[::-1] if newest_first else same
                _, (stands, _) = same[latest([timed.at for _, timed in same])]
                replaced |= {number: stands for number, timed in same if timed.score.score != stands.score}
    number = -1
    for item in read():
        if not isinstance(item, Timed):
            yield item
            continue
        number += 1
        line, later = item.score, replaced.get(number)
        if later is None:
            yield line
        else:
            earlier = ReplacedScore(*line)
            earlier.later = later
            yield earlier


class SegmentScores:
    """Scores of segments that come to a mean for each document and system; of one that is given again the later."""

    def __init__(self) -> None:
        self._given = Groups[tuple[ScoreLine, str]]()
        self.segments = 0

    def add(self, score: ScoreLine, segment: str) -> None:
        """Add the score of one segment; ``score`` says of which document and system. ``segment`` "": of its own.

        ``score.segments``: its number in the document, where it has one.
        """
        self._given.add((*score[1:5], score.human, score.rater, score.domain), (score, segment or f"line {score.line}"))

    def means(self) -> Iterator[MeanScore | Remark]:
        """Yield the mean of each document and system, and which segments were given again."""
        with self._given:
            for given in self._given:
                by_segment: dict[str, ScoreLine] = {}
                for score, segment in given:
                    earlier = by_segment.get(segment)
                    if earlier is not None:
                        what = f"segment “{segment}” of “{score.article}” by “{score.system}” is given again"
                        where = f"{earlier.score:g} here, {score.score:g} in line {score.line}"
                        yield Remark(earlier.line, "given_again", "score", f"{what} ({where}); the later counts")
                    by_segment[segment] = score
                self.segments += len(by_segment)
                value = fmean(score.score for score in by_segment.values())
                segments = tuple(sorted(each for score in by_segment.values() for each in score.segments))
                mean = MeanScore(*given[0][0]._replace(score=value, segments=segments))
                mean.made_of = len(given)
                yield mean
