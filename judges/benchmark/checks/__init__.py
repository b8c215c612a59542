"""Checks of an article: its text, languages, length and likeness to others."""
