"""Parts that every screen shares."""
