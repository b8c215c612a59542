"""The log of a benchmark that is being built, and what follows from it."""
