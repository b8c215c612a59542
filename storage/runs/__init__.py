"""Calls to models: runs, batches and what they cost."""
