"""Statistics that know nothing of translation: resampling, correlation, kappa, intervals."""
