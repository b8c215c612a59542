"""Reports that rank systems."""
