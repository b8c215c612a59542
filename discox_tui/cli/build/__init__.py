"""Commands that build a benchmark: ``discox build …``."""
