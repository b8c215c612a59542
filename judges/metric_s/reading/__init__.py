"""Readers of what a judge answered, and of the benchmark's official records."""
