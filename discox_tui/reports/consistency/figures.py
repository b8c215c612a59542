"""The figures of reviews that stand for themselves, by name, and what each is: for the text and for files alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judges.consistency.detection import Detection
    from judges.consistency.findings import FindingFigures
    from judges.consistency.label_agreement import (
        Deduplication,
        InstructionAgreement,
        RubricAgreement,
        SeverityAgreement,
    )
    from judges.stats.figure import Figure

Named = Mapping[str, "Figure"]

DETECTION = {
    "precision": "TP / (TP + FP): of the decided findings, the share that are errors. Right (TP): agreed with, "
    "changed, or moved to another dimension. Wrong (FP): not an error, a duplicate of another, or a point that asks "
    "too much. An error at several places counts once",
    "precision, at least": "TP / N: if all that is unsure or unseen were wrong",
    "precision, at most": "(TP + U) / N: if all that is unsure or unseen were right",
    "coverage": "of all findings, the share that is decided",
    "recall": "TP / (TP + FN): of the errors known, the share that the judge found, over the documents that a reviewer "
    "says she searched for missed ones (FN)",
    "F1": "2TP / (2TP + FP + FN), over the same",
}
SEVERITY = {
    "agreement": "the share of these errors left at the judge's level",
    "kappa, nominal": "Cohen's: agreement beyond chance; another level is another level",
    "kappa, linear": "the same, two levels apart counting twice as much as one",
    "kappa, quadratic": "the same, two levels apart counting four times as much as one",
}
DEDUPLICATION = {
    "drops confirmed": "of the findings that de-duplication dropped, the share that reviewers did not restore",
    "duplicates kept": "of the findings it kept, the share called a duplicate of another",
}
RUBRIC = {
    "violations upheld": "of the rubric points called violated, the share that reviewers left standing",
    "violations rejected": "the share that reviewers called no error",
    "points called met": "of the points that the judge calls met, the share that reviewers do",
    "agreement, met or violated": "of the points that reviewers call met or violated, the share that the judge does",
    "reference too strict": "of the decided points, the share that asks for more than it should",
}
QUOTES = {
    "invented quotes": "of the findings that quote something, the share with a quote that occurs nowhere",
    "marked as invented": "the share that a reviewer marked so",
    "… nowhere by locating too": "of those marked",
}
INSTRUCTION = {
    "instruction check upheld": "of the outputs of which reviewers decided whether they are a translation of the whole "
    "text, the share in which they agree with the judge",
}

ATTRIBUTION_TABLE = (
    "The judge's dimension in rows, the reviewer's in columns, over the decided findings. Added: what the judge missed."
)
SEVERITY_TABLE = (
    "The accuracy judge's level in rows, the reviewer's in columns; other dimensions have one level only. Elsewhere: "
    "moved to another dimension. Added: what the judge missed."
)
"""What the tables of counts by two labels are of."""


def detection(found: Detection) -> Named:
    """How many findings are errors, and how many errors were found."""
    low, high = found.precision_bounds
    return {
        "precision": found.precision,
        "precision, at least": low,
        "precision, at most": high,
        "coverage": found.coverage,
        "recall": found.recall,
        "F1": found.f1,
    }


def severity(found: SeverityAgreement) -> Named:
    """How severe errors of accuracy are."""
    kappas = {f"kappa, {weighting}": kappa for weighting, kappa in found.kappa.items()}
    return {"agreement": found.agreement} | kappas


def deduplication(found: Deduplication) -> Named:
    """Whether what was dropped should have been."""
    return {"drops confirmed": found.drops_confirmed, "duplicates kept": found.duplicates_kept}


def rubric(found: RubricAgreement) -> Named:
    """Whether points are violated or met."""
    return {
        "violations upheld": found.upheld,
        "violations rejected": found.rejected,
        "points called met": found.met_points,
        "agreement, met or violated": found.agreement,
        "reference too strict": found.too_strict,
    }


def quotes(found: FindingFigures) -> Named:
    """Whether judges quote what is there."""
    return {
        "invented quotes": found.invented_quotes,
        "marked as invented": found.marked_invented,
        "… nowhere by locating too": found.marked_nowhere,
    }


def instruction(found: InstructionAgreement) -> Named:
    """Whether outputs are translations at all."""
    return {"instruction check upheld": found.agreed}
