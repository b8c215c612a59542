"""The tour: what a new reviewer is told on the sample, one thing at a time, each done before the next is said."""
