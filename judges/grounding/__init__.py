"""Span grounding and paragraph alignment: from a judge's prose to the places in two texts it speaks of."""

from judges.grounding.alignment import align, paragraphs
from judges.grounding.asked_quotes import AskedPlaces, ground_asked
from judges.grounding.documents import Documents, prepare
from judges.grounding.fuzzy_search import same_words
from judges.grounding.ground import METHOD, Report, ground
from judges.grounding.quote_check import Checked, Checker, check
from judges.grounding.rubric_terms import ground_rubric_point

__all__ = [
    "METHOD",
    "AskedPlaces",
    "Checked",
    "Checker",
    "Documents",
    "Report",
    "align",
    "check",
    "ground",
    "ground_asked",
    "ground_rubric_point",
    "paragraphs",
    "prepare",
    "same_words",
]
