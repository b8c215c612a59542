"""Reports on a benchmark that is being built."""
