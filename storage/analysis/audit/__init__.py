"""Audits: plans for them, what was drawn, and the leaderboard that follows."""
