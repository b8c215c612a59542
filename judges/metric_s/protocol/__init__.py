"""The protocol of Metric-S: its rounds, prompts, schemas and signature."""
