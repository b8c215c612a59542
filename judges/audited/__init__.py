"""System scores from a judge's scores of all articles and people's of a few: how to choose these, and what follows."""
