"""Metric-S: reading what its judges answer, removing duplicates, scoring."""
