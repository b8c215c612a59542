"""Severity schemes of others, mapped to Metric-S."""
