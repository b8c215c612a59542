"""Commands that compute figures: consistency, leaderboards, comparisons of metrics."""
