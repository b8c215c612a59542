"""Formats of annotation tools, metrics and other judges."""
