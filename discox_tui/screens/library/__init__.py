"""Screens of a library: the queue and the report of an import."""
