"""The screen on which reviewers settle what they disagree about."""
