"""One person at work, without a screen: the review, the benchmark, and the rules of verdicts."""
