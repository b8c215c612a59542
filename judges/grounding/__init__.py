"""Span grounding and paragraph alignment: from a judge's prose to the places in two texts it speaks of."""

from judges.grounding.align import align
from judges.grounding.documents import Documents, prepare
from judges.grounding.ground import METHOD, Report, ground
from judges.grounding.locate import same_words
from judges.grounding.paragraphs import paragraphs
from judges.grounding.quoted import Checked, Checker, check
from judges.grounding.rubric import ground_rubric_point

__all__ = [
    "METHOD",
    "Checked",
    "Checker",
    "Documents",
    "Report",
    "align",
    "check",
    "ground",
    "ground_rubric_point",
    "paragraphs",
    "prepare",
    "same_words",
]
