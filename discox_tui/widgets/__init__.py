"""Parts that screens are made of; they know nothing of the library."""
