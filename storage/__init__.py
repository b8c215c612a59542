"""All that is on disk: the schema, the judge's record, the review log, file formats."""

DISTRIBUTION = "discox-tui"
"""The package that installs this one: others of the same name have no such mark."""
