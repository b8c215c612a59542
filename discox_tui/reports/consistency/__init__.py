"""Reports on how consistent a judge is with its reviewers."""
