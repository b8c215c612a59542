"""Figures from the store: what the reviews hold, handed to the statistics in `judges`."""
