"""Data of the app: its actions, keys and themes."""
