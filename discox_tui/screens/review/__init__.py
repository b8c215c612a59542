"""The review of one evaluation, and the screens that open from it."""
