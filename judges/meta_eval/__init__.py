"""Meta-evaluation: a metric held against people, and how sure that is."""
