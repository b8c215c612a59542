"""Building a benchmark: what its candidates and their rubric points are, and what is wrong with them; no files."""
