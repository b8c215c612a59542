"""Rubric points: reading and checking them."""
