"""Screens that show figures: consistency and leaderboards."""
