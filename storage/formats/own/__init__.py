"""Formats of DiscoX and of this program."""
