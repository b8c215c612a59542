"""Commands that distribute evaluations among reviewers: ``discox plan …``."""
