"""The log of the reviews, and all that follows from it."""
