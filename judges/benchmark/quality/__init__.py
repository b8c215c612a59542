"""Quality of a benchmark: how well its articles tell systems apart."""
