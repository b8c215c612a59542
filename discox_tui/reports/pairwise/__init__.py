"""Reports on metrics compared with people, pair by pair."""
