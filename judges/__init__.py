"""The science of auditing a judge of translation: no files, no screens."""

DISTRIBUTION = "discox-tui"
"""The package that installs this one: others of the same name have no such mark."""
