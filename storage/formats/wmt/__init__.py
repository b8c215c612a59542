"""Formats of the Conference on Machine Translation."""
