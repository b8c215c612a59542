"""Quote repair: judges' quotes checked against the texts, and asked for once more where one does not occur."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from judges.grounding.quote_check import Checker
from judges.metric_s.protocol.document_block import data_block, on_one_line
from judges.model import SIDES, Finding, Quoted, QuoteNote, Side

_REPAIRED: Mapping[Side, QuoteNote] = {"source": "source_repaired", "translation": "translation_repaired"}
_NOT_FOUND: Mapping[Side, QuoteNote] = {"source": "source_not_found", "translation": "translation_not_found"}


@dataclass
class Quotes:
    """The quotes of some findings: ``findings`` with their quotes put right, and the ones that occur nowhere.

    ``missing``: position among the findings, and the side. ``given``: how many quotes there are, of both sides.
    """

    findings: list[Finding]
    missing: list[tuple[int, Side]]
    given: int

    @property
    def verified(self) -> int:
        """Return how many of the quotes occur in their text."""
        return self.given - len(self.missing)

    @property
    def invented(self) -> bool:
        """Return whether several quotes were given and none occurs: the judge did not read the texts."""
        return self.given >= _SEVERAL and self.verified == 0

    def question(self) -> str:
        """The missing quotes as a list for the judge, numbered from 1."""
        lines = []
        for number, (place, side) in enumerate(self.missing, 1):
            finding = self.findings[place]
            quoted = finding.quoted or Quoted()
            line = {
                "number": number,
                "side": side,
                "paragraph": quoted.source_paragraph if side == "source" else quoted.translation_paragraph,
                "quote": _of(quoted, side),
                "about": finding.explanation,
            }
            lines.append(on_one_line(json.dumps(line, ensure_ascii=False)))
        return data_block("quotes", "\n".join(lines))

    def mend(self, texts: Mapping[int, str], checker: Checker) -> None:
        """Put the exact texts, by number, in place of what was missing, where they do occur."""
        still: list[tuple[int, Side]] = []
        for number, (place, side) in enumerate(self.missing, 1):
            text = texts.get(number, "").strip()
            if text and checker.occurs(side, text):
                self._note(place, side, _REPAIRED[side], text)
            else:
                still.append((place, side))
        self.missing = still

    def note_missing(self) -> None:
        """Note at the findings what was not found in the end."""
        for place, side in self.missing:
            self._note(place, side, _NOT_FOUND[side])

    def _note(self, place: int, side: Side, note: QuoteNote, text: str | None = None) -> None:
        finding = self.findings[place]
        quoted = finding.quoted or Quoted()
        quoted = replace(quoted, notes=(*quoted.notes, note))
        if text is not None:
            quoted = replace(quoted, source=text) if side == "source" else replace(quoted, translation=text)
        self.findings[place] = replace(finding, quoted=quoted)


_SEVERAL = 3


def check_quotes(findings: Sequence[Finding], checker: Checker) -> Quotes:
    """Check the quotes of findings against the texts; findings without quotes stay as they are."""
    result = Quotes(list(findings), [], 0)
    for place, finding in enumerate(findings):
        if finding.quoted is None:
            continue
        checked = checker.check([finding.quoted])[0]
        result.findings[place] = replace(finding, quoted=checked.quoted)
        result.missing.extend((place, side) for side in checked.missing)
        result.given += sum(_of(checked.quoted, side) is not None for side in SIDES)
    return result


def _of(quoted: Quoted, side: Side) -> str | None:
    return quoted.source if side == "source" else quoted.translation
