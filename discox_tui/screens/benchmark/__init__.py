"""Screens on which a benchmark is built."""
