"""Settings of the program and its user: places of files, keys of providers, prices, prompts, the guideline."""
