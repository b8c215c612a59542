"""Scores of segments as the WMT's MQM repository and its script write them: averages, sums by rater, SQM ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from storage.formats.base.directions import direction_in, direction_told
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Remark, ScoreLine
from storage.formats.base.ratings import Rating, collect
from storage.formats.base.score_lines import SegmentScores
from storage.formats.io.head import Head
from storage.formats.io.input_file import AnyFile, InputFile
from storage.formats.io.lines import UNDECODABLE, FormatError, not_utf8, read_lines
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import number

MQM = "MQM"
AVERAGE = "MQM average"
"""The mean over raters who are not named: another metric, so that it does not count beside them."""
SQM = "SQM"
_AVERAGES = ["system", "mqm_avg_score", "seg_id"]
_RATINGS = {"system", "doc", "seg_id", "rater", "source", "target", "score"}
_SUFFIX = ".avg_seg_scores"
_MEND = "mend the line, or delete it and import the file again"


class _Score(NamedTuple):
    """The score that one rater gives one segment, or all in the mean; higher is better.

    ``segment``: its number, where raters are named.
    """

    line: int
    system: str
    article: str
    rater: str
    metric: str
    score: float
    segment: str


class WmtScores(Format):
    """Scores by document, or by segment where no document is known; of SQM the ratings with their texts."""

    name, title = "wmt-scores", "WMT score tables"

    def sniff(self, head: Head) -> bool:
        """Tell if the first line is a header of these, or a line of the script's."""
        return _kind(head.first_line) != ""

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield the scores. Raises FormatError where the file is none of these."""
        kind = _kind(_first(file))
        if not kind:
            raise FormatError(f"{file}: is no table of the WMT's scores; check that this is the right file")
        direction = options.direction or direction_in(file.stem.removesuffix(_SUFFIX))
        if direction and not options.direction:
            yield Remark(1, *direction_told(direction))
        if kind == "ratings":
            yield from collect(_ratings(file, options, direction))
            return
        held = SegmentScores()
        for found in _averages(file) if kind == "averages" else _of_script(file):
            if not isinstance(found, _Score):
                yield found
                continue
            system = options.system or found.system
            score = ScoreLine(
                line=found.line,
                metric=found.metric,
                system=system,
                article=found.article,
                direction=direction,
                score=found.score,
                human=True,
                rater=found.rater,
                segments=((int(found.segment), found.score),) if found.rater else (),
            )
            held.add(score, found.segment)
        yield from held.means()


def _first(path: AnyFile) -> str:
    return next((line for _, line in read_lines(path) if line.strip()), "")


def _kind(line: str) -> str:
    if line.split() == _AVERAGES:
        return "averages"
    names = {name.strip() for name in line.split("\t")}
    if names >= _RATINGS and "category" not in names:
        return "ratings"
    return "sums" if _sums(0, line) else ""


def _averages(path: InputFile) -> Iterator[_Score | LeftOut | Remark]:
    """Read ``system average segment``, parted by blanks; the ratings beside it say which document a segment is of."""
    name = path.stem.removesuffix(_SUFFIX)
    documents = _documents(path.path.with_name(f"{name}.tsv")) if path.stem.endswith(_SUFFIX) else {}
    told = False
    for number_, line in _lines(path):
        if isinstance(line, LeftOut):
            yield line
            continue
        cells = line.split()
        if cells == _AVERAGES or not cells:
            continue
        score = number(cells[1]) if len(cells) == len(_AVERAGES) else None
        if score is not None:
            if not told:
                told = True
                yield Remark(1, "documents", "", _told(bool(documents), name))
            article = documents.get(cells[2]) or f"{name}:{cells[2]}"
            yield _Score(number_, cells[0], article, "", AVERAGE, score, cells[2])
        elif len(cells) == len(_AVERAGES) and cells[1] == "None":
            yield LeftOut(number_, "not_rated", _AVERAGES[1], "is None: the segment was not rated", "nothing to do")
        else:
            yield LeftOut(number_, "cells", "", f"is not {' '.join(_AVERAGES)}", _MEND)


def _told(known: bool, name: str) -> str:
    if known:
        return f"documents are those of the segments in {name}.tsv; each score is the mean of a document's"
    return f"the file names no documents: each segment is an article; put {name}.tsv beside it to have documents"


def _documents(ratings: Path) -> Mapping[str, str]:
    """Segment → document, by a file of MQM ratings; empty without one."""
    if not ratings.is_file():
        return {}
    try:
        names = [name.strip() for name in _first(ratings).split("\t")]
        doc = names.index("doc")
        segment = next(names.index(name) for name in ("seg_id", "globalSegId") if name in names)
        rows = (line.split("\t") for _, line in read_lines(ratings))
        return {cells[segment]: cells[doc] for cells in rows if len(cells) > max(doc, segment)}
    except (FormatError, ValueError, StopIteration):
        return {}


def _of_script(path: InputFile) -> Iterator[_Score | LeftOut]:
    """Read what ``score_mqm.py`` writes: system, document, segment, score, and ``rater=sum`` for each."""
    for number_, line in _lines(path):
        if isinstance(line, LeftOut):
            yield line
        elif line.strip():
            if found := _sums(number_, line):
                yield from found
            else:
                yield LeftOut(number_, "cells", "", "is no line of system, doc, segment and score", _MEND)


def _sums(line: int, text: str) -> list[_Score]:
    """The scores of a line: of each rater, or the mean alone where none is named; empty for another line."""
    system, document, segment, *scores = (*text.split("\t"), "", "", "")
    mean, raters = number(scores[0]), [cell.rpartition("=") for cell in scores[1:] if cell.strip()]
    sums = [(name, number(value)) for name, mark, value in raters if mark and name]
    known = [(name, value) for name, value in sums if value is not None]
    if not system or not document or number(segment) is None or mean is None or len(known) < len(raters):
        return []
    if not known:
        return [_Score(line, system, document, "", AVERAGE, mean, segment)]
    total = fmean(value for _, value in known)
    sign = -1 if abs(mean + total) <= abs(mean - total) else 1  # sums of weights, or scores of another scheme
    at = str(int(float(segment)))
    return [_Score(line, system, document, name, MQM, sign * value + 0.0, at) for name, value in known]


def _ratings(path: InputFile, options: ReadOptions, direction: str) -> Iterator[Rating | LeftOut | Remark]:
    """Read SQM: a row for each segment and rater, never quoted."""
    names: list[str] = []
    for number_, line in _lines(path):
        if isinstance(line, LeftOut):
            yield line
            continue
        cells = line.split("\t")
        if not names:
            names = [cell.strip() for cell in cells] if line.strip() else []
            continue
        if not line.strip():
            continue
        row = dict(zip(names, cells, strict=False))
        score = number(row.get("score"))
        missing = next((name for name in ("system", "doc", "rater") if not row.get(name, "").strip()), "")
        if len(cells) != len(names):
            reason = f"has {len(cells)} cells where the header names {len(names)}"
            yield LeftOut(number_, "cells", "", reason, _MEND)
        elif missing or score is None:
            what = "is empty" if missing else f"is “{row['score'][:20]}”, no number"
            yield LeftOut(number_, "bad_field", missing or "score", what, _MEND)
        else:
            yield Rating(
                line=number_,
                article=row["doc"],
                system=options.system or row["system"],
                source=row["source"],
                translation=row["target"],
                annotator=row["rater"],
                human=True,
                segment=row["seg_id"],
                order=number(row["seg_id"]) or 0,
                direction=direction,
                asked=False,
                score=score,
                metric=SQM,
            )


def _lines(path: InputFile) -> Iterator[tuple[int, str | LeftOut]]:
    for number_, line in read_lines(path):
        yield number_, LeftOut(number_, "not_utf8", "", *not_utf8(line)) if line == UNDECODABLE else line
