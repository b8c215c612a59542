"""The formats of other tools: how each is known, and who reads it. One line a format; the modules load when needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, cast

from storage.formats.io.lines import FormatError

if TYPE_CHECKING:
    from storage.formats.base.items import Annotation, Document, Remark, ScoreLine
    from storage.formats.base.options import ReadOptions
    from storage.formats.io.rows import LeftOut

    Item = Document | Annotation | ScoreLine | LeftOut | Remark
    """What a reader yields, in the order of the file."""


class Reader(NamedTuple):
    """A format. ``module`` in ``storage.formats`` has ``fits(path) -> bool`` and ``read(path, options) -> items``.

    ``fits`` looks at the beginning of a file (or at what a folder holds) and never raises for what is in it; ``read``
    raises FormatError where nothing can be read.
    """

    name: str
    title: str
    module: str

    def fits(self, path: Path) -> bool:
        """Whether a file, or a folder, is in this format, by its beginning."""
        return bool(import_module(f"storage.formats.{self.module}").fits(path))

    def read(self, path: Path, options: ReadOptions) -> Iterator[Item]:
        """Yield what a file holds. Raises FormatError where nothing can be read."""
        return cast("Iterator[Item]", import_module(f"storage.formats.{self.module}").read(path, options))


READERS: tuple[Reader, ...] = (
    Reader("wmt-mqm", "WMT MQM TSV", "wmt.mqm"),
    Reader("mt-metrics-eval", "mt-metrics-eval", "wmt.mt_metrics_eval"),
    Reader("label-studio", "Label Studio JSON", "tools.label_studio"),
    Reader("xcomet", "COMET and XCOMET", "tools.xcomet"),
    Reader("pearmut", "Pearmut", "tools.pearmut"),
    Reader("wmt-esa", "WMT ESA JSON Lines", "wmt.esa"),
    Reader("wmt-mteval", "WMT evaluation task TSV", "wmt.mteval"),
    Reader("appraise-esa", "Appraise ESA CSV", "tools.appraise"),
    Reader("appraise-jsonl", "Appraise JSON Lines", "tools.appraise_jsonl"),
    Reader("judge-answers", "GEMBA, AutoMQM and InstructScore", "tools.judge_answers"),
    Reader("wmt-scores", "WMT score tables", "wmt.scores"),
    Reader("pairs", "Pairs of texts", "own.pairs"),
)
"""Tried in this order; what is surest to be known comes first."""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


F = TypeVar("F", bound=_Named)


def format_named(formats: Sequence[F], name: str) -> F:
    """Return the format of this name, of those that are read or written. Raises FormatError naming those."""
    for each in formats:
        if each.name == name:
            return each
    raise FormatError(f"there is no format {name!r}; known: {', '.join(each.name for each in formats)}")


def reader_for(path: Path) -> Reader | None:
    """Return the format that a file or folder is in, None if it is none of these."""
    return next((reader for reader in READERS if reader.fits(path)), None)
