"""Leaderboards: systems' mean scores by one judge, with intervals, and the significant differences.

Read these from the modules directly: ``records``, ``ranking``.
"""
