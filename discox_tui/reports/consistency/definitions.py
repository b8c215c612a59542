"""Definitions of the figures of reviews that stand for themselves, by name."""

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
"""Meaning of the tables of counts by two labels."""
