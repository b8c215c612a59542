"""Integrity of a library: backups, and checks of its logs and records."""
